"""The figures of a game: who would win, where the host has put that beside the game, and luck."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any
from urllib.request import urlopen

from tests.browser.conftest import Game, Site
from tests.browser.players import until, whole
from warledger.clients.audit.examine import examine
from warledger.protocol import fortune, luck

Open = Callable[..., Any]
CONTRAST = """() => {
  const channels = (colour) => {
    const numbers = colour.match(/[\\d.]+/g).slice(0, 3).map(Number);
    return colour.startsWith('rgb') ? numbers.map((n) => n / 255) : numbers;
  };
  const light = (colour) => channels(colour)
    .map((n) => (n <= 0.04045 ? n / 12.92 : ((n + 0.055) / 1.055) ** 2.4))
    .reduce((sum, n, i) => sum + n * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (one) => {
    const colour = getComputedStyle(one).backgroundColor;
    return colour === 'rgba(0, 0, 0, 0)' ? behind(one.parentElement) : colour;
  };
  return [...document.querySelectorAll('.odds-line')].map((one) => {
    const both = [getComputedStyle(one).stroke, behind(one)].map(light).sort((a, b) => b - a);
    return (both[0] + 0.05) / (both[1] + 0.05);
  });
}"""
"""How far each line of the curve stands out from the page, as WCAG counts contrast."""


def test_who_would_win_and_who_was_lucky(open_page: Open, site: Site, analysed: Game) -> None:
    """The page shows the curve that `warledger analyse` has put beside the game with what it is
    worth, and the luck of each side with the luckiest combats and a histogram; a row leads to its
    record."""
    page = open_page(f"/game/{analysed.id}")
    whole(page, analysed.records)
    page.click("#tab-figures")
    until(page, "document.querySelectorAll('.odds-table tbody tr').length > 5")
    until(page, "document.querySelector('.timeline .win-line') !== null")
    until(page, "document.querySelector('.histogram svg') !== null")
    # The words below speak of brackets, and the table's head tells whose line is whose.
    assert re.search(r"^1\s+\d+ % \(\d+–\d+\)", page.inner_text(".odds-table tbody tr"))
    assert page.locator(".odds-table .odds-key").count() == 2
    assert page.locator(".odds-chart text").all_text_contents()[:4] == ["100 %", "50 %", "0 %", "1"]
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        faint = page.evaluate(CONTRAST)
        assert len(faint) == 2 and min(faint) >= 3, (theme, faint)
    assert "captains played both sides" in page.inner_text(".figures .worth").lower()
    with urlopen(f"{site.url}/archive/{analysed.id}.wlog") as answer:
        found = examine(answer.read())
    dice = luck.report(luck.throws(found.records))
    text = page.inner_text(".figures")
    for tally in dice.seats.values():
        sigma = f"{abs(tally.deviations):.2f} σ"
        assert sigma in text
    (lucky, *_) = page.evaluate(
        "[...document.querySelectorAll('.luckiest button')].map((one) => Number(one.dataset.seq))"
    )
    assert found.records[lucky].kind == "command"
    page.click(".luckiest button")
    until(page, f"window.warledgerView.at === {lucky}")
    assert fortune.LUCKIEST >= page.locator(".luckiest li").count() >= 1
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_luck_in_all_games_and_of_one_player(open_page: Open, site: Site, ended: Game) -> None:
    """The archive tells the luck of all games once it is opened, by the keyboard; a player's name
    in a game leads to theirs. The figures are those of the server, and a combat leads to its
    record."""
    page = open_page("/archive")
    page.focus(".all-luck summary")
    page.keyboard.press("Enter")
    # The server counts a few games at a time.
    until(page, "document.querySelector('.all-luck').getAttribute('aria-busy') === 'false'")
    with urlopen(f"{site.url}/api/luck") as answer:
        told = json.load(answer)
    shown = page.inner_text(".all-luck")
    for of in told["titles"]:
        for one in [*of["dice"], *of["combats"]]:
            assert f"{abs(Decimal(one['deviations'])):.2f} σ" in shown
    assert page.locator('.all-luck [role="status"]').inner_text()
    page.click(".all-luck .luckiest a")
    until(page, "location.pathname.startsWith('/game/')")

    page = open_page(f"/game/{ended.id}")
    whole(page, ended.records)
    page.click("#tab-about")
    name = page.inner_text(".players a >> nth=0")
    page.click(".players a >> nth=0")
    until(page, "document.querySelector('.all-luck .histogram svg') !== null")
    assert name in page.inner_text(".all-luck h2")
    assert page.locator(".all-luck .luck-table").first.locator("tbody tr").count() >= 1
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
