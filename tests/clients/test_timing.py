"""Clocks at the terminal, over a link to a server in memory."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import trio
import trio.testing

from tests.clients.table import link, table
from tests.clients.test_terminal import screen, typed
from warledger.clients.link import Seat, sit
from warledger.clients.terminal.player import Player
from warledger.clients.terminal.timing import Timing
from warledger.protocol.log import deskbodies, records

MockClock = trio.testing.MockClock
MINUTE = 60_000
HALF_HOUR = {"bank": 30 * MINUTE, "fall": "claim"}


@asynccontextmanager
async def seated(clock: dict[str, Any] | None) -> AsyncIterator[tuple[Seat, Seat]]:
    """Both seats of a game with clocks that has begun; the Allies are asked."""
    async with (
        table(clock=clock) as (serving, game, tokens),
        link(serving, token=tokens["allied"]) as a,
        link(serving, token=tokens["axis"]) as x,
    ):
        allied, axis = await sit(a, game, "allied"), await sit(x, game, "axis")
        assert await allied.asked()
        yield allied, axis


def clock_records(seat: Seat) -> list[tuple[Any, ...]]:
    """What the game's `clock` records say, without signatures."""
    return [
        deskbodies.read_clock(seen.record.body).signed
        for seen in seat.watch.seen
        if seen.record.kind == records.CLOCK
    ]


async def test_the_word_clock_shows_every_clock_to_the_second(autojump_clock: MockClock) -> None:
    """The seat that is asked loses time, the other does not; both lines say why."""
    shown, out = screen()
    async with seated(HALF_HOUR) as (allied, _):
        await trio.sleep(61)
        await Player(allied, shown, typed("clock")).play()
    said = out.getvalue()
    assert "Allies: 28:58. Running. The flag falls at " in said or "Allies: 28:59. Running." in said
    assert "Axis: 30:00. Not asked." in said


async def test_a_game_without_clocks_says_so(autojump_clock: MockClock) -> None:
    """And every word about time is refused in a sentence."""
    shown, out = screen()
    async with seated(None) as (allied, _):
        await Player(allied, shown, typed("clock", "clock pause 5m")).play()
    assert out.getvalue().count("This game has no clocks.") == 2


async def test_word_comes_before_the_flag_falls(autojump_clock: MockClock) -> None:
    """At five minutes, one minute and ten seconds of half an hour, once each, and not to the other
    side."""
    shown, out = screen()
    other, others = screen()
    async with seated(HALF_HOUR) as (allied, axis), trio.open_nursery() as nursery:
        nursery.start_soon(Timing(allied, shown, shown.write).mind)  # type: ignore[arg-type]
        nursery.start_soon(Timing(axis, other, other.write).mind)  # type: ignore[arg-type]
        await trio.sleep(30 * 60 + 5)
        nursery.cancel_scope.cancel()
    lows = [line for line in out.getvalue().splitlines() if "running out" in line]
    assert [line.split(": ")[1] for line in lows] == ["5:00 left.", "1:00 left.", "0:10 left."]
    assert "running out" not in others.getvalue()


async def test_a_pause_is_asked_for_agreed_to_and_ended(autojump_clock: MockClock) -> None:
    """The clocks stand still meanwhile, for the terminal as for the log."""
    shown, out = screen()
    async with seated(HALF_HOUR) as (allied, axis):

        async def agreed() -> None:
            while axis.watch.ask is None:
                await axis.watch.wait()
            await axis.answer(True)
            while not clock_records(allied):
                await allied.watch.wait()
            await trio.sleep(3600)

        async def on() -> None:
            await axis.resume()
            while len(clock_records(allied)) < 3:
                await allied.watch.wait()

        lines = typed("clock pause", agreed, "clock", "clock resume", on, "clock")
        await Player(allied, shown, lines).play()
    said = out.getvalue()
    assert "Allies asks for a pause." in said
    assert "The game is paused; all clocks are stopped." in said
    first, last = (line for line in said.splitlines() if line.startswith("Allies: "))
    assert "Paused." in first and "Running." in last
    assert first.startswith(("Allies: 30:00.", "Allies: 29:59."))
    assert last.startswith(("Allies: 30:00.", "Allies: 29:5"))


async def test_a_flag_that_fell_is_claimed_or_forgiven(autojump_clock: MockClock) -> None:
    """The other side is told what it may do; with more time the game goes on, without it ends."""
    shown, out = screen()
    async with seated(HALF_HOUR) as (allied, axis):
        await trio.sleep(30 * 60 + 2)
        lines = typed("clock", "clock give 10m", "clock")
        await Player(axis, shown, lines).play()
        assert clock_records(axis)[-1][:3] == ("credit", "allied", 10 * MINUTE)
        assert allied.is_asked and not axis.watch.ended
        await trio.sleep(10 * 60 + 2)
        await Player(axis, shown, typed("clock claim")).play()
        assert axis.watch.winner == "axis"
    said = out.getvalue()
    assert "Allies: 0:00. The flag has fallen." in said or "Allies: −0:01." in said
    assert 'type "clock claim"' in said
    assert "Allies gets 10:00 more." in said
    assert "Axis claims the game on time." in said


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("clock pause soon", '"soon" is not a time'),
        ("clock dance", '"dance" cannot be used with'),
        ("clock leave tomorrow", "Name the first and the last day"),
        ("clock leave 2030-01-01 2030-01-03", "Leave may be at most 0 days"),
        ("clock night 25:00 8h", "Say when your night begins"),
        ("clock night 22:00 8h", "Your night may last at most 0 hours"),
        ("clock give 10m", "You may give time only to another seat whose flag has fallen"),
        ("clock claim", "Nobody's flag has fallen"),
        ("clock resume", "There is no pause for you to end"),
    ],
)
async def test_what_the_clocks_do_not_allow_is_said(
    line: str, answer: str, autojump_clock: MockClock
) -> None:
    """Each nonsense gets its sentence, and nothing is lost."""
    shown, out = screen()
    async with seated(HALF_HOUR) as (allied, _):
        await Player(allied, shown, typed(line)).play()
        assert not clock_records(allied)
    assert answer in out.getvalue()


async def test_leave_and_night_are_taken_in_the_players_own_time(
    autojump_clock: MockClock,
) -> None:
    """The log has them in UTC; the story tells both sides."""
    shown, out = screen()
    pace = {**HALF_HOUR, "bank": 72 * 60 * MINUTE, "nights": 10, "leave_days": 14}
    async with seated(pace) as (allied, axis):
        await Player(allied, shown, typed("clock night 22:00 8h")).play()
        ((what, seat, start, length),) = clock_records(axis)
        assert (what, seat, length) == ("night", "allied", 480)
        assert 0 <= start < 1440
    assert "Allies has chosen its night" in out.getvalue()


async def test_a_host_opens_a_game_with_clocks(autojump_clock: MockClock) -> None:
    """The control stands in the genesis."""
    async with seated(HALF_HOUR) as (allied, _):
        control = allied.watch.control
        assert control is not None and control.bank == 30 * MINUTE
        assert allied.watch.genesis.terms["clock"] == HALF_HOUR
