"""How people read and write the time on a clock, and when they should be warned that little is
left.

All values are whole milliseconds. Only `ServerTime` reads a clock: it continues from the time that
the server gave.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import trio

from warledger.protocol.clocks import clock
from warledger.protocol.clocks.clockcontrol import (
    DAY_MS,
    HOUR_MS,
    MINUTE_MS,
    PRESETS,
    SECOND_MS,
    BadControl,
    Control,
)
from warledger.protocol.clocks.clockcontrol import duration as duration
from warledger.protocol.texts.phrases import Phrases

if TYPE_CHECKING:
    from warledger.clients.link.link import Link

LOW: Final = tuple(
    [DAY_MS, 6 * HOUR_MS, HOUR_MS]
    + [minutes * MINUTE_MS for minutes in (15, 5, 1)]
    + [10 * SECOND_MS]
)
"""The amounts of time left at which a player is warned, the largest first."""

_TIMES: Final = ("bank", "turn", "each", "cap", "free", "free_turn", "notice")
_OWN_TIMES: Final = ("bank", "turn", "each", "cap")


def control(wanted: str) -> dict[str, Any]:
    """The clocks that a host asks for, as the map for a game's terms: the name of a preset, or a
    TOML file whose keys are those of a control and whose times are written as `duration` reads
    them. Raises BadControl with what is wrong, OSError for a file that cannot be read."""
    if wanted in PRESETS:
        return PRESETS[wanted].as_terms()
    path = Path(wanted)
    if not path.suffix and not path.exists():
        raise BadControl(
            f"there is no preset {wanted!r}; use {', '.join(PRESETS)}, or a file such as pace.toml"
        )
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadControl(f"{path}: {error}") from error
    read = _with_times(given, _TIMES)
    if type(read.get("handicap")) is dict:
        read["handicap"] = {
            seat: _with_times(own, _OWN_TIMES) if type(own) is dict else own
            for seat, own in read["handicap"].items()
        }
    # The seats depend on the title: their names are checked when the game is opened.
    seats = tuple(read.get("handicap") or ()) if type(read.get("handicap")) is dict else ()
    return Control.read(read, seats).as_terms()


def _with_times(given: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    read = dict(given)
    for name in names:
        if type(read.get(name)) is str:
            try:
                read[name] = duration(read[name])
            except ValueError as error:
                raise BadControl(f"{name}: {error}") from error
    return read


def face(ms: int, spoken: Phrases) -> str:
    """What a clock shows: "4:05", "1:04:05", "3 days 4:05:06"; never more than there is."""
    seconds = ms // SECOND_MS
    sign, seconds = ("−", -seconds) if seconds < 0 else ("", seconds)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    if not days and not hours:
        return f"{sign}{minutes}:{seconds:02}"
    shown = f"{hours}:{minutes:02}:{seconds:02}"
    return sign + (spoken.text("ui.clock.days", n=days, rest=shown) if days else shown)


def moment(at_ms: int) -> str:
    """A moment in the reader's own time zone."""
    return datetime.fromtimestamp(at_ms / 1000).astimezone().strftime("%Y-%m-%d %H:%M:%S %z")


def low_at(reading: clock.Reading, bank: int) -> int | None:
    """The next moment at which a player should be warned how little is left; None if there is none.
    `bank` is what the seat had at the start: what counts as little depends on it. For a clock that
    stands still, ask again once it runs."""
    if reading.deadline is None or reading.stopped:
        return None
    for left in LOW:
        if left * 4 <= bank and reading.left > left:
            return reading.deadline - left
    return None


def low_as(reading: clock.Reading, bank: int) -> int | None:
    """How little is left, as the next higher entry of LOW; None while enough is left."""
    low = [left for left in LOW if left * 4 <= bank and reading.left <= left]
    return low[-1] if low else None


class ServerTime:
    """The server's time: requested now and then, and extrapolated from there."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._at_ms: int | None = None
        self._asked = 0.0

    async def ask(self) -> int:
        """The time now, from the server. Raises LinkError."""
        began = trio.current_time()
        said = await self._link.ping()
        self._asked = (began + trio.current_time()) / 2
        self._at_ms = said
        return self.now()

    def now(self) -> int:
        """The time now, by the last answer. Raises LookupError before there is one."""
        if self._at_ms is None:
            raise LookupError("the server has not been asked for its time")
        return self._at_ms + int(1000 * (trio.current_time() - self._asked))
