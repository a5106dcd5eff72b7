"""Playing the house's bot from the lobby."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.browser.conftest import Site
from tests.browser.players import until

Open = Callable[..., Any]


def test_a_stranger_plays_the_house_in_two_clicks(open_page: Open, site: Site) -> None:
    """Without a token or an account: one click shows the titles and their sides, the next one seats
    them, and the bot has taken its seat and moves when it is asked. A third game of one address is
    refused in words."""
    page = open_page("/")
    page.locator(".practice-open").click()
    page.locator("[data-act='practice:war_at_sea:axis']").click()
    until(page, "location.pathname.startsWith('/game/')")
    until(page, "window.warledgerView.play?.seat === 'axis'")
    until(page, "window.warledgerView.watch.seats.get('allied').player === 'captain'")
    # The Allies deploy first: what they have put on the map came from the bot.
    until(
        page,
        "window.warledgerView.watch.records.some("
        "({ kind, body }) => kind === 'command' && body[1] === 'allied')",
    )
    until(page, "document.querySelectorAll('.play-pane [data-act^=\"pick:\"]').length > 0")

    page.goto(f"{site.url}/")
    page.locator(".practice-open").click()
    page.locator("[data-act='practice:war_at_sea:allied']").click()
    until(page, "location.pathname.startsWith('/game/')")
    page.goto(f"{site.url}/")
    page.locator(".practice-open").click()
    page.locator("[data-act='practice:victory_lost:soviet']").click()
    until(page, "document.querySelector('.practice .said').textContent.includes('already')")
