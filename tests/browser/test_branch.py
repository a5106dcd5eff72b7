"""What could have been: a game played on from one of its records, on the page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.browser.conftest import Game, Site
from tests.browser.players import until, wait, whole

Open = Callable[..., Any]
AT = 100


LONG_QUESTION = """() => {
  const { style } = document.querySelector('.play-pane .prompt');
  style.height = '900px';
  const { bottom } = document.querySelector('.play-pane').getBoundingClientRect();
  style.height = '';
  return bottom;
}"""
"""Where the panel of a question as long as this ends."""


def test_a_game_is_played_on_from_a_record(open_page: Open, site: Site, ended: Game) -> None:
    """From a record of a game that has ended: a command by hand, commands of captains, a step back,
    a captain for both sides, and the odds from here beside those from the record; the game is as it
    was."""
    before = site.log(ended)
    page = open_page(f"/game/{ended.id}?at={AT}")
    whole(page, ended.records)
    until(page, "document.querySelector('.branch-link')?.href.endsWith('whatif=100')")
    page.click(".branch-link")
    until(page, "document.querySelector('.play-pane [data-act^=\"pick:\"]') !== null")
    assert page.evaluate("window.warledgerView.watch.last") == AT
    assert page.evaluate(LONG_QUESTION) <= page.viewport_size["height"]
    ready = "document.querySelector('.play-pane [data-act=submit]')?.disabled === false"
    while not page.evaluate(ready):
        n = page.evaluate("window.warledgerView.play.picks.length")
        page.locator(".play-pane [data-act^='pick:']").first.click()
        until(page, f"window.warledgerView.play.picks.length > {n}")
        until(page, f"{ready} || document.querySelector('.play-pane [data-act^=\"pick:\"]')")
    page.click(".play-pane [data-act=submit]")
    until(page, f"window.warledgerView.watch.last > {AT}")
    by_hand = page.evaluate("window.warledgerView.watch.last")
    page.click("[data-act=whatif-captains]")
    until(page, "window.warledgerView.branch.steps.length === 2")
    until(page, f"window.warledgerView.watch.last > {by_hand}")
    until(page, "!document.querySelector('.branch [role=status]')")
    page.click("[data-act=whatif-undo]")
    until(page, f"window.warledgerView.watch.last === {by_hand}")
    assert page.evaluate("window.warledgerView.watch.fault") is None
    page.click("[data-act=whatif-odds]")
    until(page, "document.querySelectorAll('.branch .odds-table tbody tr').length === 2")
    until(page, "/[1-9] of [1-9]/.test(document.querySelector('.branch .odds-table').innerText)")
    page.click(".branch a.button")
    until(page, f"window.warledgerView.at === {AT} && !window.warledgerView.branch")
    assert site.log(ended) == before


def test_the_panel_says_that_a_branch_is_being_loaded(open_page: Open, ended: Game) -> None:
    """Until the server has made the position anew the panel says so, and no longer once it is there
    or cannot be had."""
    loading = ".branch [role=status]"
    held: list[Any] = []

    def kept(page: Any) -> None:
        page.route("**/whatif?*", lambda request: held.append(request))

    for answered in (True, False):
        held.clear()
        page = open_page(f"/game/{ended.id}?whatif={AT}", before=kept)
        until(page, f"document.querySelector('{loading}') !== null")
        told = page.inner_text(loading)
        assert told == f"Loading the position after record {AT}…"
        assert page.locator("[data-act=whatif-captain]").count() == 0
        wait(page, lambda: held, lambda: "the request of the branch")
        if answered:
            held.pop().continue_()
        else:
            held.pop().fulfill(status=400, body="no")
        until(page, f"document.querySelector('{loading}') === null")
        assert (page.locator("[data-act=whatif-captain]").count() == 1) is answered
