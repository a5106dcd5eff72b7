"""Table talk on the page: two players talk at their table by keyboard, whatever is typed is only
shown, and one hides the other for themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.browser.conftest import Site
from tests.browser.players import sailing, until
from tests.browser.test_access import FAINT, FAULTS

Open = Callable[..., Any]
SAID = "[...document.querySelectorAll('.talk-lines li span')].map((line) => line.textContent)"


def test_players_talk_beside_the_board(open_page: Open, site: Site) -> None:
    """A line arrives at the other player and is counted in the tab's name; markup is only
    shown; hiding somebody lasts over a reload, and a report is taken."""
    page, other = sailing(open_page, site)
    for one in (page, other):
        one.locator("#tab-talk").click()
        one.locator("#talk-text").wait_for()
    other.locator("#tab-story").click()
    page.locator("#talk-text").fill("<b>Hi</b> you")
    page.locator("#talk-text").press("Enter")
    until(page, f"{SAID}.length === 1")
    assert page.evaluate(SAID) == ["<b>Hi</b> you"]
    assert page.evaluate(FAULTS) == []
    assert page.evaluate(FAINT) == []
    # Whoever comes back to the page sees at once that there is something new.
    other.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    until(other, "/1/.test(document.getElementById('tab-talk').textContent)")
    other.locator("#tab-talk").click()
    until(other, f"{SAID}.length === 1")
    other.locator(".talk-acts summary").press("Enter")
    other.locator("[data-act='talk-report:1']").press("Enter")
    until(other, "document.querySelector('.talk-lines .reported') !== null")
    other.locator(".talk-acts summary").press("Enter")
    other.locator("[data-act='talk-hide:1']").press("Enter")
    until(other, f"{SAID}[0] === '(hidden)'")
    other.reload()
    other.locator("#tab-talk").click()
    until(other, f"{SAID}[0] === '(hidden)'")
