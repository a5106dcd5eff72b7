"""axe-core itself, on every part of the page, in both themes, on a large screen and on a phone."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import Game, Site
from tests.browser.players import IDLE, ready, until, whole
from tests.browser.test_host import host
from tests.browser.test_tournaments import CHARTER, announced

Open = Callable[..., Any]
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
SERIOUS = """async (besides) => (await axe.run({ exclude: besides }, { resultTypes: ['violations'] })).violations
  .filter(({ impact }) => impact !== 'minor')
  .map(({ id, impact, nodes }) => [id, impact, nodes.slice(0, 3).map(({ html }) => html.slice(0, 120))])"""
SEEN = (".story", ".stage")
"""Story and map, which have more in them than all the rest of a game's page: where they are as they
were when all was looked at, they are not looked at again."""

MIDDLE = ".story-part:nth-child(n + 3):not(:last-child)"
"""The middle of the story, which has records of the same kinds as its beginning. Contrast and names in
all of it are looked at in test_access.py."""


def serious(page: Any, *besides: str) -> Any:
    """What axe finds that is critical, serious or moderate, elsewhere than in these."""
    return page.evaluate(SERIOUS, list(besides))


@pytest.fixture(scope="module")
def axe() -> str:
    """The library, as its package has it. Evaluated from outside: the page's policy lets in no
    script of anybody's."""
    pytest.importorskip("axe_playwright_python", reason="needs axe: pip install .[browser]")
    return files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("theme", "size"),
    [("light", {}), ("dark", {}), ("light", PHONE)],
    ids=["light", "dark", "phone"],
)
def test_axe_finds_nothing_that_matters(
    open_page: Open,
    site: Site,
    ended: Game,
    axe: str,
    theme: str,
    size: dict[str, Any],
    tmp_path: Path,
) -> None:
    """Neither critical nor serious nor moderate findings in the lobby, the archive, the help, the
    account, the tournaments and one of them, a broadcast, a wall, the tabs of a game with a record
    marked, what a caster draws with, and the panel of a player."""
    page = open_page("/archive", color_scheme=theme, **size)
    page.wait_for_selector(".game-card")
    page.click(".all-luck summary")
    page.wait_for_selector(".all-luck .histogram svg")
    page.evaluate(axe)
    found = {"archive": serious(page)}
    for part in ("Lobby", "Help", "Account", "Tournaments"):
        page.locator(".top nav a", has_text=part).click()
        page.wait_for_selector("h1")
        found[part] = serious(page)
    page.goto(f"{site.url}/game/{ended.id}?at=60")
    whole(page, ended.records)
    page.evaluate(axe)
    for tab in ("story", "pieces", "figures", "talk", "about"):
        page.locator(f"#tab-{tab}").click()
        if tab == "figures":
            until(page, "document.querySelector('.histogram svg') !== null")
        found[tab] = serious(page, *((MIDDLE,) if tab == "story" else SEEN))
    page.goto(f"{site.url}/game/{ended.id}?at=60&view=cast")
    whole(page, ended.records)
    page.evaluate(axe)
    found["cast"] = serious(page, ".story")
    page.goto(f"{site.url}/wall?games={ended.id},{ended.id}")
    page.wait_for_selector(".wall-cell .counter", state="attached")
    page.evaluate(axe)
    found["wall"] = serious(page)
    cup = f"axe{theme}{'s' * bool(size)}"
    announced(site, tmp_path, cup, CHARTER)
    page.goto(f"{site.url}/tournament/{cup}")
    page.wait_for_selector(".cup h2")
    page.evaluate(axe)
    found["tournament"] = serious(page)
    page.goto(f"{site.url}/game/{ended.id}?at=60#token={site.token}")
    until(page, "document.querySelector('.mark-pane').checkVisibility()")
    page.evaluate(axe)
    found["caster"] = serious(page, *SEEN)
    game = site.new("war_at_sea", unsigned_seats=True)
    pages = [
        open_page(f"/game/{game.id}#token={token}", color_scheme=theme, **size)
        for token in game.tokens.values()
    ]
    for player in pages:
        ready(player)
    player = pages[0]
    player.locator("[data-act='pick:deploy']").click()
    until(player, IDLE)
    player.evaluate(axe)
    found["playing"] = serious(player)
    assert {part: said for part, said in found.items() if said} == {}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_in_what_is_opened(
    open_page: Open, site: Site, ended: Game, axe: str, theme: str
) -> None:
    """The same for what is opened over a game and beside it: a clause, legend and overlays with all of
    them chosen, the score's places, a branch, a live game as a spectator sees it; and for the host's
    form."""
    found = {}
    page = open_page(f"/game/{ended.id}?at=60", color_scheme=theme)
    whole(page, ended.records)
    page.evaluate(axe)
    until(page, "document.querySelector('.story .rule') !== null")
    # The story turns its parts as it is scrolled, and a click would scroll it.
    page.locator(".story .rule:visible").last.evaluate("(rule) => rule.click()")
    until(page, "!document.querySelector('.rule-text').hidden")
    found["rule"] = serious(page, *SEEN)
    page.keyboard.press("Escape")
    page.locator(".overlays summary").click()
    for one in page.locator(".overlays input").all():
        one.check()
    found["overlays"] = serious(page, ".story")
    for part in (".legend", ".score-needs", ".more-tracks"):
        page.locator(f"{part} > summary").first.click()
        found[part] = serious(page, *SEEN)
    page.goto(f"{site.url}/game/{ended.id}?whatif=100")
    page.wait_for_selector("[data-act=whatif-captain]")
    page.evaluate(axe)
    found["branch"] = serious(page, *SEEN)
    live = site.new("typhoon", unsigned_seats=True)
    for token in live.tokens.values():
        ready(open_page(f"/game/{live.id}#token={token}"))
    page.goto(f"{site.url}/game/{live.id}")
    page.wait_for_selector(".counter", state="attached")
    page.evaluate(axe)
    found["live"] = serious(page)
    hosting = host(open_page, site)
    hosting.emulate_media(color_scheme=theme)
    hosting.evaluate(axe)
    found["host"] = serious(hosting)
    assert {part: said for part, said in found.items() if said} == {}
