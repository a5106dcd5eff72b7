"""Games as cards: found by words and by title; the shell of the page without a connection."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.browser.conftest import Game, Site
from tests.browser.players import until

Open = Callable[..., Any]
CARDS = "[...document.querySelectorAll('.lists .game-card code')].map((one) => one.textContent)"


def test_games_are_found_by_words_and_by_title(open_page: Open, site: Site, ended: Game) -> None:
    """The lobby shows a card for each game, with the picture of its title, both seats and a date;
    words narrow them by id, player and title, the list by title; the archive has the game that is
    over with its winner starred and its result. A card leads to its game."""
    one = site.new("war_at_sea")
    other = site.new("victory_lost")
    page = open_page("/")
    until(page, f"{CARDS}.includes('{one.id}') && {CARDS}.includes('{other.id}')")
    card = page.locator(".game-card", has_text=one.id)
    assert card.locator(".seat").count() == 2
    assert card.locator("time").get_attribute("datetime")
    until(
        page,
        "(id) => [...document.querySelectorAll('.game-card')].find((one) => one.textContent.includes(id)).querySelector('img').naturalWidth === 480",
        arg=one.id,
    )
    page.locator("#find-game").fill(other.id)
    assert page.evaluate(CARDS) == [other.id]
    page.locator("#find-game").fill("victory allied")
    assert page.evaluate(CARDS) == []
    page.locator("#find-game").fill("")
    page.locator("#find-title").select_option("victory_lost")
    shown = page.evaluate(CARDS)
    assert other.id in shown and one.id not in shown
    page.locator(".game-card a", has_text=other.id).click()
    until(page, f"location.pathname === '/game/{other.id}'")

    page.goto(f"{site.url}/archive")
    over = page.locator(".game-card", has_text=ended.id)
    over.wait_for()
    assert over.locator(".winner").count() <= 1
    assert over.locator(".result").inner_text()
    # Turn and score are the newest record's; whoever looks at the game is counted.
    shown = page.evaluate(
        "(at) => fetch(at).then((answer) => answer.json())", f"/api/games/{ended.id}"
    )
    turn, last = shown["turn"]
    assert over.locator(".turn").inner_text() == f"Turn {turn} of {last}"
    points = dict(shown["score"]["points"])
    assert shown["score"]["told"] == "lead" and len(points) == 2
    ahead = abs(points["axis"] - points["allied"])
    assert over.locator(".lead-points").inner_text().endswith(f"+{ahead}" if ahead else "Level")
    watching = open_page(f"/game/{ended.id}")
    watching.wait_for_selector(".board .sheet", state="attached")
    until(
        page,
        "(id) => [...document.querySelectorAll('.game-card')].some((one) => one.textContent.includes(id) && one.querySelector('.viewers')?.textContent === '1 watching')",
        arg=ended.id,
    )


def test_the_page_can_be_installed_and_opens_without_a_connection(
    open_page: Open, site: Site
) -> None:
    """The manifest names a start, icons and a colour; the worker keeps the page's own files, so that
    without a network the page still opens and says that it has no connection. It keeps nothing of any
    game, and no address with a token."""
    game = site.new("war_at_sea")
    page = open_page("/help", service_workers="allow")
    page.wait_for_selector("h1")
    until(page, "navigator.serviceWorker.controller !== null")
    manifest = page.evaluate(
        "fetch(document.querySelector('link[rel=manifest]').href).then((answer) => answer.json())"
    )
    assert manifest["start_url"] == "/" and manifest["display"] == "standalone"
    for icon in manifest["icons"]:
        assert page.evaluate("(at) => fetch(at).then(({ ok }) => ok)", icon["src"])
    page.goto(f"{site.url}/game/{game.id}#token={game.tokens['axis']}")
    page.wait_for_selector(".board .sheet", state="attached")
    kept = page.evaluate(
        "caches.open('warledger-shell-1').then((one) => one.keys()).then((all) => all.map(({ url }) => new URL(url).pathname + new URL(url).search + new URL(url).hash))"
    )
    assert "/" in kept and "/main.js" in kept
    assert [path for path in kept if game.id in path or "token" in path] == []
    words = ("/api/phrases/", "/api/languages")
    assert [path for path in kept if path.startswith("/api/") and not path.startswith(words)] == []
    # A page that comes back has its other parts soon.
    until(page, "caches.match('/lobby/lobby.js').then(Boolean)")
    page.context.set_offline(True)
    page.goto(f"{site.url}/help")
    until(page, "document.querySelector('h1')?.textContent === 'Help'")
    page.context.set_offline(False)
