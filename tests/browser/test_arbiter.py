"""What was hidden: shown to the host as arbiter while a game goes on, and to everybody who wishes
it once the game has ended."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.browser.conftest import Site
from tests.browser.players import IDLE, Player, ready, same_log, take_turns, until, verified
from tests.browser.test_access import FAINT, FAULTS
from tests.browser.test_playing import begin_victory_lost

Open = Callable[..., Any]

SECRETS = "[...document.querySelectorAll('.record .line.secret')].map((one) => one.textContent)"


def test_the_arbiter_sees_what_is_hidden_and_everybody_after_the_end(
    open_page: Open, site: Site
) -> None:
    """Chits chosen in secret: their owner and the arbiter read them at once, a spectator when the
    game is over and he asks for it."""
    game = site.new("victory_lost")
    players = {}
    for seat, token in game.tokens.items():
        players[seat] = Player(
            open_page(f"/game/{game.id}#token={token}"), f"arbiter {seat}", mouse=False, eager=1.0
        )
    for player in players.values():
        ready(player.page)
    begin_victory_lost(list(players.values()))
    soviet, axis = players["soviet"].page, players["axis"].page
    take_turns(
        list(players.values()),
        lambda: bool(soviet.evaluate(SECRETS)) and bool(axis.evaluate(SECRETS)),
    )
    assert not set(soviet.evaluate(SECRETS)) & set(axis.evaluate(SECRETS))

    spectator = open_page(f"/game/{game.id}")
    same_log(soviet, axis, spectator)
    assert spectator.evaluate(SECRETS) == []
    assert spectator.locator("[data-act=arbiter]").count() == 0

    arbiter = open_page(f"/game/{game.id}")
    arbiter.locator("#tab-about").click()
    arbiter.locator("#seat-token").fill(site.token)
    arbiter.locator(".seat-form button").click()
    arbiter.locator("[data-act=arbiter]").click()
    arbiter.locator("[data-act=leave-arbiter]").wait_for()
    assert arbiter.evaluate(FAULTS) == []
    assert arbiter.evaluate(FAINT) == []
    arbiter.locator("#tab-story").click()
    same_log(soviet, arbiter)
    both = sorted({*soviet.evaluate(SECRETS), *axis.evaluate(SECRETS)})
    until(
        arbiter,
        "(both) => JSON.stringify([...new Set(" + SECRETS + ")].sort()) === JSON.stringify(both)",
        arg=both,
    )
    assert verified(arbiter) == verified(soviet)

    until(soviet, IDLE)
    soviet.locator("[data-act=more]").click()
    soviet.locator("[data-act=resign]").click()
    soviet.locator("dialog button[value=yes]").click()
    until(spectator, "document.querySelector('.turn-line').textContent.includes('resigned')")
    assert spectator.evaluate(SECRETS) == []
    spectator.locator("#tab-about").click()
    spectator.locator("[data-act=open-all]").check()
    spectator.locator("#tab-story").click()
    assert set(both) <= set(spectator.evaluate(SECRETS))
    spectator.locator("#tab-about").click()
    spectator.locator("[data-act=open-all]").uncheck()
    spectator.locator("#tab-story").click()
    assert spectator.evaluate(SECRETS) == []
    assert verified(spectator)[0] > 0

    # The result offers it too, to those who played as to those who looked on, until it is shown.
    for page, already in ((spectator, set()), (soviet, set(soviet.evaluate(SECRETS)))):
        assert not set(both) <= already
        page.locator("[data-act=open-all-here]").click()
        until(page, "(n) => " + SECRETS + ".length >= n", arg=len(both))
        assert set(both) <= set(page.evaluate(SECRETS))
        assert page.locator("[data-act=open-all-here]").count() == 0
        assert verified(page) == verified(arbiter)
    spectator.locator("#tab-about").click()
    assert spectator.locator("[data-act=open-all]").is_checked()
    spectator.locator("[data-act=open-all]").uncheck()
    spectator.locator("[data-act=open-all-here]").wait_for()
