"""`warledger` as the tests of kills start it: it kills itself (SIGKILL) as a chosen record of a
tournament's ledger or of a game is written, and its clock may stand later than the machine's.

    python -m tests.e2e.killing EVENT:before|game.STEP:after|- MILLISECONDS ARGUMENT …

EVENT is an event of an act; STEP a kind of record, the first word of a ruling's body, or `standing`
for a command by standing answers.

`before`: nothing of the record is on the disk; `after`: it is, and nobody has been told.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Sequence
from typing import Any

from warledger.clients.cli import main
from warledger.engine.desk.tournament import Tournament
from warledger.engine.store.files.wal import WalStore
from warledger.engine.store.port import FRAME_RECORD, Frame
from warledger.protocol import tournaments as forms
from warledger.protocol.log import bodies, records

EVENTS = 5


def holds(frames: Sequence[Frame], tag: str) -> bool:
    """Whether a record of these has such an event."""
    found = (
        records.read(frame.payload, kinds=forms.KINDS)
        for frame in frames
        if frame.kind == FRAME_RECORD
    )
    acts = (record for record in found if record.kind == forms.ACT)
    return any(event[0] == tag for record in acts for event in record.body[EVENTS])


def step_of(frame: Frame) -> str:
    """What a record of a game is, as steps are called."""
    record = records.read(frame.payload)
    if record.kind == records.COMMAND:
        by = bodies.CommandBody.read(record.body).by
        return "standing" if isinstance(by, bodies.ByOrders) else record.kind
    return str(record.body[0]) if record.kind == records.RULING else record.kind


def arm_games(step: str, when: str) -> None:
    """From now on this process dies by such a record of any game."""
    real = WalStore.append

    async def append(self: WalStore, game: str, count: int, frames: Any, **more: Any) -> None:
        written = [frame for frame in frames if frame.kind == FRAME_RECORD]
        dies = step in map(step_of, written)
        if dies and when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        await real(self, game, count, frames, **more)
        if dies:
            os.kill(os.getpid(), signal.SIGKILL)

    WalStore.append = append  # type: ignore[method-assign]


def arm(tag: str, when: str) -> None:
    """From now on this process dies by such a record."""
    if tag.startswith("game."):
        return arm_games(tag.removeprefix("game."), when)
    real = Tournament._append

    async def append(self: Tournament, frames: Sequence[Frame]) -> Any:
        dies = holds(frames, tag)
        if dies and when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        answer = await real(self, frames)
        if dies:
            os.kill(os.getpid(), signal.SIGKILL)
        return answer

    Tournament._append = append  # type: ignore[method-assign]
    return None


if __name__ == "__main__":
    spec, later, *arguments = sys.argv[1:]
    if spec != "-":
        arm(*spec.split(":"))
    real_ns = time.time_ns
    time.time_ns = lambda: real_ns() + int(later) * 1_000_000
    sys.argv[1:] = arguments
    main()
