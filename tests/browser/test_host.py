"""The host on the page: he logs in, opens a game with options, hands out links, and replaces links
and players."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.browser.conftest import Site
from tests.browser.players import ready, until
from tests.browser.test_access import FAINT, FAULTS

Open = Callable[..., Any]


def host(open_page: Open, site: Site) -> Any:
    """The lobby with the host logged in."""
    page = open_page("/#host")
    page.locator("#host-token").fill(site.token)
    page.locator(".host-form button").click()
    page.locator("[data-act=create]").wait_for()
    return page


def links(page: Any) -> list[str]:
    return [one.input_value() for one in page.locator(".given").first.locator("input").all()]


def test_the_host_opens_a_game_and_two_sit_down_by_its_links(open_page: Open, site: Site) -> None:
    """A title and options are chosen, each seat gets a link, and whoever opens it plays; the option
    is in force."""
    page = host(open_page, site)
    assert page.evaluate(FAULTS) == []
    assert page.evaluate(FAINT) == []
    page.locator("#host-title").select_option("war_at_sea")
    page.locator("#option-v18_5_usa_closed_before_t4").check()
    page.locator("#option-opt_combat_order").select_option(index=1)
    page.locator("[data-act=create]").click()
    page.locator(".given input").first.wait_for()
    assert page.evaluate(FAULTS) == []
    addresses = links(page)
    assert len(addresses) == 2 and all(
        address.startswith(site.url + "/game/") for address in addresses
    )
    assert "War at Sea" in page.locator(".given h3").inner_text()
    page.locator(".top nav a", has_text="Help").click()
    page.locator(".top nav a", has_text="Lobby").click()
    page.locator(".given input").first.wait_for()
    assert links(page) == addresses

    seats = [open_page(address.removeprefix(site.url)) for address in addresses]
    for seat in seats:
        ready(seat)
    seats[0].locator("[data-act='pick:deploy']").wait_for()
    seats[0].locator("#tab-about").click()
    options = seats[0].locator(".options").inner_text()
    assert "Allied ships may not enter the USA before turn 4\n✓" in options
    page.reload()
    page.locator("[data-act=create]").wait_for()
    assert page.locator(".given").count() == 0, "a token is shown once"


def test_a_link_and_a_player_are_replaced(open_page: Open, site: Site) -> None:
    """After a new link the old one opens nothing; who takes a seat over signs it, and the log says
    that whoever left did not."""
    game = site.new("war_at_sea")
    old = next(iter(game.tokens.values()))
    pages = [open_page(f"/game/{game.id}#token={token}") for token in game.tokens.values()]
    for one in pages:
        ready(one)
    pages[0].locator("[data-act='pick:deploy']").wait_for()  # the host is to find it being played
    page = host(open_page, site)
    entry = page.locator(".host-game", has_text=game.id)
    entry.locator("summary").click()
    entry.locator("[data-act=new-link]").first.click()
    page.locator(".given input").wait_for()

    late = open_page(f"/game/{game.id}#token={old}")
    late.locator(".said", has_text="token").wait_for()
    new = open_page(links(page)[0].removeprefix(site.url))
    ready(new)
    until(new, "document.querySelector('.play-pane .prompt') !== null")

    entry = page.locator(".host-game", has_text=game.id)
    entry.locator("li").nth(1).locator("input").fill("Somebody Else")
    entry.locator("li").nth(1).locator("form button").click()
    until(page, "document.querySelectorAll('.given input').length === 2")
    newcomer = open_page(next(one for one in links(page) if "name=" in one).removeprefix(site.url))
    newcomer.locator("#tab-about").click()
    assert newcomer.locator("#new-name").input_value() == "Somebody Else"
    newcomer.locator("[data-act=take-over]").click()
    until(new, "document.querySelector('.story').textContent.includes('Somebody Else')")
    until(
        new,
        "document.querySelector('.story').textContent.includes('without the previous player')",
    )
    until(newcomer, "document.querySelector('.seating .hindrance') === null")


def test_a_wrong_and_a_seats_token_are_told_apart(open_page: Open, site: Site) -> None:
    """Neither lets anybody host; the page says why and keeps the form."""
    game = site.new("war_at_sea")
    page = open_page("/#host")
    for token, word in (("nonsense", "token"), (next(iter(game.tokens.values())), "seat")):
        page.locator("#host-token").fill(token)
        page.locator(".host-form button").click()
        page.locator(".host .said", has_text=word).wait_for()
        assert page.locator("[data-act=create]").count() == 0


def test_no_token_is_kept_beyond_the_tab(open_page: Open, site: Site) -> None:
    """The host's token is in the tab's own storage only; it serves a game's page too, and logged
    out it is gone."""
    page = host(open_page, site)
    assert (
        site.token not in page.evaluate("JSON.stringify({...localStorage})")
        and site.token not in page.url
    )
    game = site.new("war_at_sea")
    page.goto(f"{site.url}/game/{game.id}")
    page.locator("#tab-about").click()
    page.locator("[data-act=arbiter]").wait_for()

    page.goto(site.url + "/")
    page.locator("[data-act=leave-host]").click()
    page.locator("#host-token").wait_for()
    assert site.token not in page.evaluate("JSON.stringify({...sessionStorage})")
    page.goto(f"{site.url}/game/{game.id}")
    page.locator("#tab-about").click()
    page.wait_for_selector(".seat-form")
    until(page, "document.querySelector('.chain')?.textContent.includes('verified')")
    assert page.locator("[data-act=arbiter]").count() == 0
