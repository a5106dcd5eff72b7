"""`demo --tournament`: what it leaves behind, and where it could have waited for ever."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import trio

from tests.e2e.running import running_in
from tests.e2e.test_command_line import process
from warledger.clients.commands.demos import disputedemo
from warledger.clients.terminal.screen import Screen


@pytest.mark.skipif(sys.platform != "linux", reason="what runs is read from /proc")
def test_what_is_killed_with_9_leaves_no_server(tmp_path: Path) -> None:
    """The server is a process of its own, and goes with whoever began it."""
    keep = tmp_path / "cup"
    with process("demo", "--tournament", "--keep", str(keep)) as running:
        assert running.stdout is not None
        while "Round 1" not in (line := running.stdout.readline()):
            assert line
        assert len(running_in(keep)) == 2
        running.kill()
        running.wait()
    began = time.monotonic()
    while running_in(keep):
        assert time.monotonic() - began < 20
        os.sched_yield()


class Lagging:
    """A seat and its watch. It is asked at the odd records, or at the even ones; what happens
    comes to it only when it waits."""

    def __init__(self, table: list[int], turn: int) -> None:
        self.table, self.turn = table, turn
        self.last_seq, self.ended = 0, False
        self.watch = self

    @property
    def is_asked(self) -> bool:
        return self.last_seq % 2 == self.turn

    async def wait(self) -> None:
        if self.last_seq == self.table[0]:
            await trio.sleep_forever()
        await trio.lowlevel.checkpoint()
        self.last_seq += 1

    async def reached(self, seq: int) -> None:
        while self.last_seq < seq:
            await self.wait()


@pytest.mark.parametrize("first", ("a", "b"))
async def test_players_who_hear_later_than_others_are_waited_for(
    first: str, monkeypatch: pytest.MonkeyPatch, autojump_clock: trio.testing.MockClock
) -> None:
    """Whoever moved has seen its own command before the other, who is asked next, hears of it."""
    table = [0]
    seats: dict[str, Any] = {name: Lagging(table, turn) for turn, name in enumerate("ab")}
    found = disputedemo.Dispute(Screen(), "counting", 0, 0.0)

    async def move(found: disputedemo.Dispute, seat: Any) -> None:
        assert seat.last_seq == table[0], "it had not heard what it answers"
        table[0] += 1
        await seat.reached(table[0])
        found.commands += 1

    monkeypatch.setattr(disputedemo, "_move", move)
    with trio.fail_after(10):
        await disputedemo._moves(found, {first: seats[first], **seats}, 6)
    assert table == [6]
