"""What a server keeps of time in its data directory, so that the next start notices a clock that
jumped while it was off.

`clock` holds the last sure time, written now and then and at the end. `clock.right` holds the time
at which an operator last said that the clock is right (`warledger clock DIR --right`), also to a
server that runs. `alive` is the last sign of life of a server that has games with clocks. All are
text that a person can read. What cannot be read counts for nothing.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Final

import trio

from warledger.engine.runtime.clock.serverclock import OFF_S, Clock, Doubt, Memory, system_wall_ms
from warledger.engine.store.files.datadir import CHECKPOINT

CLOCK: Final = "clock"
RIGHT: Final = "clock.right"
ALIVE: Final = "alive"
LOOK_SECONDS: Final = 15.0
"""Seconds between two comparisons of the clocks if nobody asks for the time, and between two checks
whether an operator has confirmed the clock."""
LOOKS_A_WRITE: Final = 20


class FilePulse:
    """Signs of life in a small file. It is not synced: if the machine crashes, what is lost makes
    an outage longer, and that costs nobody anything."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / ALIVE

    def last_ms(self) -> int:
        """The last sign of life of the previous server; 0 if it is not known."""
        try:
            return max(0, int(_read(self._path)["alive_ms"]))
        except (KeyError, TypeError, ValueError):
            return 0

    def beat(self, now_ms: int) -> None:
        """Record that this server is alive. Raises OSError."""
        _write(self._path, {"alive_ms": now_ms})


def remembered(folder: Path) -> Memory | None:
    """What the previous server stored, before the store of this one is opened. A directory of a
    release that stored nothing was last written at its checkpoint; None for a new one."""
    kept = _read(folder / CLOCK)
    memory: Memory | None = None
    try:
        doubt = kept.get("doubt")
        memory = Memory(
            int(kept["known_ms"]),
            None if doubt is None else Doubt(int(doubt["seen_ms"]), float(doubt["ran_s"])),
        )
    except (KeyError, TypeError, ValueError):
        try:
            memory = Memory(int((folder / CHECKPOINT).stat().st_mtime * 1000))
        except OSError:
            return None
    right = _right(folder)
    return Memory(right) if right > memory.known_ms else memory


def write(folder: Path, memory: Memory) -> None:
    """Store it. Raises OSError."""
    doubt = (
        None
        if memory.doubt is None
        else {"seen_ms": memory.doubt.seen_ms, "ran_s": round(memory.doubt.ran_s)}
    )
    _write(folder / CLOCK, {"known_ms": memory.known_ms, "doubt": doubt})


def confirm(folder: Path) -> None:
    """An operator confirms that this machine's clock is right now. Raises OSError."""
    _write(folder / RIGHT, {"right_ms": system_wall_ms()})


async def keep(clock: Clock, folder: Path, log: Any) -> None:
    """Compare the clocks for ever, notice when an operator confirms the clock, and store the sure
    time."""
    known_right, was_sure, looks, failed = _right(folder), clock.sure, 0, False
    try:
        while True:
            await trio.sleep(LOOK_SECONDS)
            right = _right(folder)
            if right != known_right:
                known_right = right
                if abs(system_wall_ms() - right) <= OFF_S * 1000:
                    clock.confirm()
            looks += 1
            sure = clock.sure
            if looks % LOOKS_A_WRITE == 0 or sure != was_sure:
                failed = _keep(clock, folder, log, failed)
            was_sure = sure
    finally:
        _keep(clock, folder, log, failed)


def _keep(clock: Clock, folder: Path, log: Any, failed: bool) -> bool:
    try:
        write(folder, clock.memory())
    except OSError as error:
        if not failed:
            log.warning("the time cannot be kept", why=error.strerror)
        return True
    return False


def _right(folder: Path) -> int:
    try:
        return int(_read(folder / RIGHT)["right_ms"])
    except (KeyError, TypeError, ValueError):
        return 0


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _write(path: Path, what: dict[str, Any]) -> None:
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.new")
    unfinished.write_text(json.dumps(what) + "\n", encoding="ascii")
    os.chmod(unfinished, 0o600)
    if os.geteuid() == 0:  # an operator's confirmation is for a server that runs as another user
        owner = path.parent.stat()
        os.chown(unfinished, owner.st_uid, owner.st_gid)
    os.replace(unfinished, path)
