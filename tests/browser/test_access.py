"""Everything has a name and a role, is reached by keys, can be read, and fits a phone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import Game, Site
from tests.browser.players import IDLE, ready, until, whole

Open = Callable[..., Any]
HERE = Path(__file__).parent

FAULTS = (HERE / "faults.js").read_text(encoding="utf-8").split("\n", 1)[1]

FAINT = (HERE / "faint.js").read_text(encoding="utf-8").split("\n", 1)[1]


def pages(ended: Game) -> dict[str, str]:
    return {
        "lobby": "/",
        "archive": "/archive",
        "help": "/help",
        "account": "/account",
        "game": f"/game/{ended.id}?at=60",
    }


@pytest.mark.parametrize("name", ["lobby", "archive", "help", "account", "game"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_names_roles_and_contrast(
    open_page: Open, site: Site, ended: Game, name: str, scheme: str
) -> None:
    """No control, landmark or picture without a name, no text too faint, in light and dark."""
    page = open_page(pages(ended)[name], color_scheme=scheme)
    page.wait_for_selector("h1")
    if name == "game":
        page.wait_for_selector(".counter", state="attached")
        whole(page, ended.records)
        for tab in ("story", "pieces", "about"):
            page.locator(f"#tab-{tab}").click()
            assert page.evaluate(FAULTS) == []
            assert page.evaluate(FAINT) == []
    else:
        until(
            page,
            "!document.querySelector('.lists') || document.querySelector('.lists').textContent !== ''",
        )
        assert page.evaluate(FAULTS) == []
        assert page.evaluate(FAINT) == []


def test_playing_has_names_and_keeps_the_focus(open_page: Open, site: Site) -> None:
    """After each pick the focus is on something that can be used, never lost to the page."""
    game = site.new("war_at_sea")
    pages = [open_page(f"/game/{game.id}#token={token}") for token in game.tokens.values()]
    for page in pages:
        ready(page)
    page = pages[0]
    page.locator("[data-act='pick:deploy']").focus()
    for _ in range(3):
        page.keyboard.press("Enter")
        until(page, IDLE)
        focused = page.evaluate(
            "[document.activeElement.tagName, !!document.activeElement.closest('.play-pane')]"
        )
        assert focused[0] in ("BUTTON", "INPUT", "SUMMARY") and focused[1]
        assert page.evaluate(FAULTS) == []


@pytest.mark.parametrize("name", ["lobby", "archive", "help", "game"])
def test_a_phone_shows_it_without_scrolling_sideways(
    open_page: Open, ended: Game, name: str
) -> None:
    """At 390 pixels nothing sticks out, and what is to be touched is large enough."""
    page = open_page(
        pages(ended)[name], viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )
    page.wait_for_selector("h1")
    if name == "game":
        page.wait_for_selector(".counter", state="attached")
        whole(page, ended.records)

    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    small = page.evaluate(
        "[...document.querySelectorAll('header button, header select, .controls button, .board-tools button')]"
        ".filter((one) => one.checkVisibility() && one.offsetHeight < 30).length"
    )
    assert small == 0


def test_the_map_is_read_by_keys(open_page: Open, ended: Game) -> None:
    """The cursor moves by arrows and each place is said with what lies in it; the list of pieces
    leads to the map."""
    page = open_page(f"/game/{ended.id}?at=60")
    page.wait_for_selector(".counter", state="attached")
    whole(page, ended.records)
    page.locator(".stage").focus()
    said = set()
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "ArrowUp"):
        page.keyboard.press(key)
        said.add(page.locator(".game > .sr-only").inner_text())
    assert len(said) >= 3 and all(said)
    page.locator("#tab-pieces").click()
    # Whatever ship the dice have left on the map.
    ship = page.locator(".places li button").first.text_content().split(",")[0]
    page.locator("#piece-filter").fill(ship)
    page.locator(".places li button", has_text=ship).first.click()
    assert page.locator(".cursor").get_attribute("d")
