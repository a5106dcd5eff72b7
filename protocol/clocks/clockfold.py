"""The fold of a game's clocks: how each kind of record changes them.

`Fold` takes the records of one game; `Pace` is what its genesis says about time. The arithmetic is
that of `clock`; what a record must satisfy as far as time goes is decided in `clockrules`.
"""

from collections.abc import Callable
from typing import Final

from attrs import frozen

from warledger.protocol import canon
from warledger.protocol.board.effects import OPEN
from warledger.protocol.clocks.clock import (
    TURN,
    Mark,
    Reading,
    begin,
    claimed,
    commanded,
    credited,
    ended,
    flagged,
    held,
    left_for,
    mark,
    out,
    paused,
    reading,
    released,
    replaced,
    resumed,
    slept,
    taken_back,
)
from warledger.protocol.clocks.clockcontrol import Control, control_of, stops_at_claim
from warledger.protocol.clocks.clockstate import Clocks
from warledger.protocol.log import bodies, deskbodies
from warledger.protocol.log.records import Genesis, Record

OPEN_TURN: Final = canon.pack(OPEN) + canon.pack(TURN)
"""How the opening of a turn appears in packed effects; a quick check, since most commands open
none."""


def turns_opened(told: bytes) -> int:
    """How many turns open in packed effects."""
    if OPEN_TURN not in told:
        return 0
    return sum(effect[:2] == (OPEN, TURN) for effect in canon.unpack_trusted(told))


@frozen
class Pace:
    """What a genesis says about time: the control, and whether claims stop the clocks as soon as
    they are made."""

    control: Control
    at_once: bool = False

    @classmethod
    def of(cls, genesis: Genesis) -> "Pace | None":
        """The pace of a game; None if it has no clocks. Raises BadControl."""
        control = control_of(genesis)
        return None if control is None else cls(control, stops_at_claim(genesis))

    def commanded(self, clocks: Clocks, record: Record) -> Clocks:
        """The clocks after a command: as `after`, without reading the whole body."""
        seat, awaits, told = bodies.asked_after(record)
        return self.moved_on(clocks, record.at_ms, seat, awaits, told)

    def moved_on(
        self, clocks: Clocks, at: int, seat: str, awaits: bodies.Awaits, told: bytes
    ) -> Clocks:
        """The clocks after a command, given who is asked after it and what it told."""
        turns = turns_opened(told) if OPEN_TURN in told else 0
        return commanded(self.control, clocks, at, seat, awaits, turns)

    def after(
        self, clocks: Clocks, at: int, body: bodies.Body, then: Callable[[int], Mark]
    ) -> Clocks:
        """The clocks after a record. `then` gives the mark of an earlier one, for a takeback."""
        return after(self.control, clocks, at, body, then, at_once=self.at_once)


class Fold:
    """The clocks of one game, record by record. `clocks` is None in a game without."""

    def __init__(self, genesis: Genesis) -> None:
        self.pace = Pace.of(genesis)
        self.control = None if self.pace is None else self.pace.control
        self.clocks = None if self.control is None else begin(self.control, genesis.seats)
        self._marks: list[Mark] = [] if self.clocks is None else [mark(self.clocks)]

    def take(self, record: Record, body: bodies.Body | None = None) -> Clocks | None:
        """The clocks after the next record (the genesis is taken already). Raises LookupError,
        TypeError or ValueError for a record that is malformed or refers to something that does not
        exist; it is then ignored."""
        if self.pace is None or self.clocks is None:
            return None
        if body is None:
            body = bodies.read(record)
        past = self._marks
        past.append(past[-1])  # stays if the record does not fold
        self.clocks = self.pace.after(self.clocks, record.at_ms, body, past.__getitem__)
        now = mark(self.clocks)
        if now != past[-1]:
            past[-1] = now
        return self.clocks

    def reading(self, seat: str, now: int) -> Reading | None:
        """What the clock of a seat shows at a moment that is not before the newest record."""
        if self.control is None or self.clocks is None:
            return None
        return reading(self.control, self.clocks, seat, now)


def after(
    control: Control,
    clocks: Clocks,
    at: int,
    body: bodies.Body,
    then: Callable[[int], Mark],
    *,
    at_once: bool = False,
) -> Clocks:
    """The clocks after a record. `then` gives the mark of an earlier record, for a takeback;
    `at_once`: claims stop the clocks as they are made."""
    match body:
        case bodies.Open():  # of the records that change no clock the most frequent
            return clocks
        case bodies.CommandBody():
            turns = turns_opened(body.effects)
            return commanded(control, clocks, at, body.seat, body.awaits, turns)
        case bodies.Takeback():
            return taken_back(control, clocks, at, body.awaits, then(body.to))
        case bodies.End():
            return ended(control, clocks, at)
        case bodies.Replaced():
            return replaced(control, clocks, at, body.seat, body.name)
        case deskbodies.Flag():
            return flagged(control, clocks, at, body.seat)
        case deskbodies.Pause():
            return paused(control, clocks, at, body.until_ms)
        case deskbodies.Resume():
            return resumed(control, clocks, at, body.seat)
        case deskbodies.Credit():
            return credited(control, clocks, at, body.seat, body.ms)
        case deskbodies.Outage():
            return out(control, clocks, body.from_ms, body.to_ms)
        case deskbodies.Leave():
            return left_for(control, clocks, at, body.seat, body.from_ms, body.to_ms)
        case deskbodies.Night():
            return slept(control, clocks, at, body.seat, body.start_min, body.length_min)
        case deskbodies.Claim() if at_once:
            return claimed(control, clocks, at, body.n, body.seat)
        case deskbodies.Heard():  # at once or not: an appeal stops them as it is heard
            return held(control, clocks, at, body.n)
        case deskbodies.Froze():
            return held(control, clocks, at, body.n, freeze=True)
        case deskbodies.Ruled() | deskbodies.Withdrawn():
            return released(control, clocks, at, body.n)
        case deskbodies.Thawed():
            return released(control, clocks, at, body.n, thaw=True)
        case _:
            return clocks
