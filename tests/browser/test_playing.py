"""Two people play in two browsers: a whole turn and an activation, by mouse and again by keys
alone; takebacks, requests, resignation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.conftest import Game, Site
from tests.browser.players import (
    IDLE,
    Player,
    is_asked,
    ready,
    same_log,
    take_turns,
    track,
    until,
    verified,
)

Open = Callable[..., Any]


def seated(open_page: Open, game: Game, seed: str, *, mouse: bool, eager: float) -> list[Player]:
    """A browser for each seat, with the token in the address."""
    players = []
    for seat, token in game.tokens.items():
        page = open_page(f"/game/{game.id}#token={token}&name=Player {seat}")
        players.append(Player(page, f"{seed} {seat}", mouse=mouse, eager=eager))
    for player in players:
        ready(player.page)
    return players


@pytest.mark.parametrize("mouse", [True, False], ids=["mouse", "keys"])
def test_a_whole_turn_of_war_at_sea(open_page: Open, site: Site, mouse: bool) -> None:
    """From the set-up to the second turn; both browsers then have the same log, and the token is no
    longer in the address."""
    players = seated(open_page, site.new("war_at_sea"), "turn", mouse=mouse, eager=0.4)

    take_turns(players, lambda: track(players[0].page, "turn") == "2")

    same_log(players[0].page, players[1].page)
    assert verified(players[0].page) == verified(players[1].page)
    assert sum(player.submitted for player in players) > 5
    assert all("token" not in player.page.url for player in players)
    if mouse:
        assert sum(player.on_board for player in players) > 3


@pytest.mark.parametrize("mouse", [True, False], ids=["mouse", "keys"])
def test_an_activation_of_a_chit_game(open_page: Open, site: Site, mouse: bool) -> None:
    """A Victory Lost from the set-up through the choice of chits and the first activation."""
    players = seated(open_page, site.new("victory_lost"), "chits", mouse=mouse, eager=0.75)
    begin_victory_lost(players)

    def over() -> bool:
        spans = players[0].page.evaluate(
            "[...document.querySelectorAll('.line.phase')].map((one) => one.textContent)"
        )
        return len([line for line in spans if line.startswith(("Axis: HQ", "Soviet: HQ"))]) >= 2

    take_turns(players, over)

    assert sum(player.submitted for player in players) > 4
    if mouse:
        assert sum(player.on_board for player in players) > 0


def begin_victory_lost(players: list[Player]) -> None:
    """Both take the historical set-up and are ready."""
    for player in players:
        for wanted in ("historical", "ready"):
            page = player.page
            button = page.locator(".play-pane button[data-act^=pick]", has_text=wanted).first
            button.wait_for()
            until(page, IDLE)
            button.focus()
            page.keyboard.press("Enter")
            until(
                page, "document.querySelector('.play-pane [data-act=submit]')?.disabled === false"
            )
            page.locator(".play-pane [data-act=submit]").focus()
            page.keyboard.press("Enter")
            until(
                page,
                "(wanted) => !document.querySelector('.play')?.textContent.includes(wanted)",
                arg=wanted,
            )


def test_undo_takeback_refusal_draw_and_resignation(open_page: Open, site: Site) -> None:
    """A pick is undone, a command taken back, a forbidden one refused in words, a draw declined, a
    resignation confirmed."""
    allied, axis = seated(open_page, site.new("war_at_sea"), "undo", mouse=False, eager=0.0)
    page, other = allied.page, axis.page
    page.locator("[data-act='pick:deploy']").click()
    page.locator("[data-act='pick:nelson']").click()
    until(page, "document.querySelectorAll('.crumbs li').length === 2")
    page.keyboard.press("Backspace")
    until(page, "document.querySelectorAll('.crumbs li').length === 1")
    page.locator("[data-act='pick:nelson']").click()
    page.locator("[data-act='pick:malta']").click()
    page.locator("[data-act=submit]:not([disabled])").click()
    until(page, "document.querySelector('.story').textContent.includes('Malta')")
    page.locator("[data-act=more]").click()
    page.locator("[data-act=takeback]").click()
    until(
        page,
        "() => document.querySelector('.story').textContent.includes('goes back')",
    )

    page.locator("[data-act='pick:deploy']").click()
    page.locator("[data-act='pick:nelson']").wait_for()
    page.evaluate(
        "document.querySelector('[data-piece=bismarck], [data-piece=gneisenau]').dispatchEvent(new MouseEvent('click', {bubbles: true}))"
    )
    page.locator(".refusal").wait_for()
    assert page.locator(".refusal").inner_text().strip()

    page.locator("[data-act=draw]").click()
    other.locator("[data-act=decline]").click()
    until(other, "document.querySelector('.story').textContent.includes('declines')")
    page.locator("[data-act=resign]").click()
    page.locator("dialog button[value=no]").click()
    assert not page.locator(".play-pane").inner_text().startswith("The game has ended")
    page.locator("[data-act=resign]").click()
    page.locator("dialog button[value=yes]").click()
    until(other, "document.querySelector('.turn-line').textContent.includes('resigned')")


PLANNED = """() => {
  const { picks, view } = window.warledgerView.play ?? { picks: [] };
  if (picks[0] !== 'attack' || picks.length < 3) return null;
  const { pieces } = view.watch.history.now;
  const hexes = new Set(picks.slice(2).map((id) => pieces.get(id).place));
  return [document.querySelectorAll('.planned').length, document.querySelectorAll('.planned-target').length, hexes.size];
}"""
"""Of an attack with its attackers picked: arrows, rings, and the hexes it is made from."""


def test_the_odds_are_shown_before_an_attack(open_page: Open, site: Site) -> None:
    """Somewhere on the way through a turn the page has shown what an attack would bring, before it
    was submitted; what is attacked is ringed, and arrows lead there from every attacker's hex."""
    players = seated(open_page, site.new("victory_lost"), "odds 3", mouse=False, eager=0.9)
    begin_victory_lost(players)
    seen: list[str] = []
    drawn: list[list[int]] = []

    def over() -> bool:
        for player in players:
            told = player.page.evaluate(PLANNED)
            if told:
                seen.extend(player.page.locator(".previews li").all_inner_texts())
                drawn.append(told)
        return bool(seen)

    take_turns(players, over)

    assert seen
    assert all(arrows == hexes > 0 and rings == 1 for arrows, rings, hexes in drawn)


def test_a_link_with_the_token_of_another_game_says_so(
    open_page: Open, site: Site, ended: Game
) -> None:
    """It is told where one sees it, whatever tab was open, and not again after a reload."""
    other = site.new("war_at_sea")
    token = next(iter(other.tokens.values()))
    page = open_page(f"/game/{ended.id}#token={token}")
    said = page.locator(".said")
    said.wait_for(state="visible")
    until(page, "document.querySelector('.said').textContent.includes('another game')")
    assert not is_asked(page)
    assert page.evaluate(f"sessionStorage.getItem('warledger.seat.{ended.id}')") is None


def test_a_wrong_token_is_refused_in_words(open_page: Open, site: Site, ended: Game) -> None:
    """The form says what is wrong and keeps the page as it is."""
    page = open_page(f"/game/{ended.id}")
    page.locator("#tab-about").click()
    page.locator("#seat-token").fill("nonsense")
    page.locator(".seat-form button").click()
    until(page, "document.querySelector('.said').textContent.includes('token')")
    assert not is_asked(page)
