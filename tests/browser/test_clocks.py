"""Clocks on the page: shown to the second, stopped by agreement, told before they run out."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import Site
from tests.browser.players import sailing, until
from warledger.clients.clockface import face, low_as
from warledger.protocol import lang
from warledger.protocol.clocks.clock import Reading
from warledger.protocol.clocks.clockcontrol import PRESETS

Open = Callable[..., Any]

LEFT = "document.querySelector('[data-clock={seat}] .clock-left').textContent"
STATE = "document.querySelector('[data-clock={seat}] .clock-state').textContent"


def test_the_page_counts_down_stops_and_goes_on(open_page: Open, site: Site) -> None:
    """Both pages show both clocks; one runs; a pause that both want stops it, and it goes on once
    both have said so."""
    page, other = sailing(open_page, site, clock="live")
    for one in (page, other):
        one.locator("[data-clock=allied].runs").wait_for()
        one.locator("[data-clock=axis].stopped").wait_for()
    until(other, STATE.format(seat="axis") + ".includes('Not asked.')")
    # Free seconds first, then the bank goes down.
    until(page, f"{LEFT.format(seat='allied')} < '25:00'")

    page.locator("[data-act=more]").click()
    page.locator("[data-act='clock:pause']").click()
    other.locator("[data-act=agree]").click()
    for one in (page, other):
        one.locator("[data-clock=allied].stopped").wait_for()
        until(one, STATE.format(seat="allied") + " === 'Paused.'")
    stood = page.evaluate(LEFT.format(seat="allied"))
    page.locator("[data-act='pick:done']").click()
    page.locator("[data-act=submit]:not([disabled])").click()
    page.locator(".refusal").wait_for()
    assert "paused" in page.locator(".refusal").inner_text()

    for one in (page, other):
        one.locator("[data-act='clock:resume']").click()
        one.locator("[data-act='clock:resume']").wait_for(state="detached")
    page.locator("[data-clock=allied].runs").wait_for()
    assert page.evaluate(LEFT.format(seat="allied")) <= stood
    until(page, "document.querySelector('.story').textContent.includes('wants to resume')")


def test_the_lobby_counts_down_to_the_next_flag(open_page: Open, site: Site) -> None:
    """Where a clock runs the list says in how long the flag falls, and goes on by itself."""
    sailing(open_page, site, clock="evening")
    lobby = open_page("/")
    shown = re.compile("flag in (1:00|5[0-9]):")
    lobby.locator(".game-row .clock", has_text=shown).first.wait_for()
    first = lobby.locator(".game-row .clock").all_inner_texts()
    until(
        lobby,
        "(first) => JSON.stringify([...document.querySelectorAll('.game-row .clock')].map((one) => one.textContent)) !== JSON.stringify(first)",
        arg=first,
    )


@pytest.mark.long
def test_word_comes_before_time_is_over_and_a_flag_can_be_claimed(
    open_page: Open, site: Site, tmp_path: Path
) -> None:
    """With seconds left the player hears it at once; once the flag has fallen the other side claims
    the game."""
    pace = tmp_path / "pace.toml"
    pace.write_text('bank = "60s"\nfall = "claim"\n[handicap.allied]\nbank = "44s"\n')
    game = site.new("war_at_sea", clock=str(pace))
    page, other = (open_page(f"/game/{game.id}#token={token}") for token in game.tokens.values())
    page.locator(".alarm").wait_for()
    assert "running out" in page.locator(".alarm").inner_text()
    assert not other.locator(".alarm").is_visible()
    other.locator("[data-clock=allied].fallen").wait_for()
    other.locator("[data-act='clock:claim']").click()
    other.locator(".score-side.won", has_text="Axis").wait_for()
    until(page, "document.querySelector('.story').textContent.includes('time')")


def test_a_host_opens_a_game_with_clocks_from_the_page(open_page: Open, site: Site) -> None:
    """The paces on offer are those of the command line, and the form sends what was chosen."""
    page = open_page("/")
    page.locator("details.host summary").click()
    page.locator("#host-token").fill(site.token)
    page.locator(".host button[type=submit]").click()
    page.locator("#host-title").select_option("hungarian_rhapsody")
    page.locator("#host-clock").select_option("mail")
    page.locator("[data-act=create]").click()
    href = page.locator(".given a").first.get_attribute("href")
    page.goto(site.url + href)
    page.locator(".chain.sound").wait_for()
    found = page.evaluate(
        "fetch(`/api/games/${location.pathname.split('/').at(-1)}/board`).then((one) => one.json()).then((one) => one.title)"
    )
    assert found == "hungarian_rhapsody"
    # By the name that the title gives it, which is known once the board is there.
    page.locator("[data-clock=axis] .clock-seat", has_text="Axis").wait_for()
    until(page, LEFT.format(seat="axis") + " === '14 days 0:00:00'")


def test_the_page_writes_time_as_the_terminal_does(open_page: Open, site: Site) -> None:
    """Faces, low time and paces are the same in both."""
    page = open_page("/")
    page.locator(".page h1").wait_for()  # the catalogues are there
    paces = page.evaluate("import('/lobby/paces.js').then(({ PACES }) => PACES)")
    assert paces == {name: control.as_terms() for name, control in PRESETS.items()}
    spoken = lang.phrases("en")
    times = [0, 999, 1000, 59_999, 3_599_999, 3_600_000, 86_399_999, 86_400_000, 266_400_000, -1]
    shown = page.evaluate(
        "(times) => Promise.all([import('/ui/clockface.js'), import('/words/words.js')])"
        ".then(([{ face }, { phrases }]) => times.map((ms) => face(ms, phrases())))",
        times,
    )
    assert shown == [face(ms, spoken) for ms in times]
    lows = page.evaluate(
        "(times) => import('/ui/clockface.js').then(({ lowAs }) => times.map((ms) => lowAs(ms, 1_800_000)))",
        times,
    )
    assert lows == [low_as(Reading("a", ms, 0, "", None, None), 1_800_000) or 0 for ms in times]
