"""What commands make of a position: the one place that folds a record of kind `command`.

A `CommandRun` begins at a position and takes in commands. What they change around the title's state
are a few values, which it holds; a position is made only where one is asked for. So whoever folds
one record makes a run of one command, and whoever loads a game makes few positions from many.

With `in_place` the run changes a draft of the title's state (see `drafts`), which saves a third of
the time of a whole game. The functions that apply events are the same.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeVar

from warledger.engine.kernel.door import over_with_turn, undo_after
from warledger.engine.kernel.drafts import drafting
from warledger.engine.kernel.position import Frame, Position, SeatState
from warledger.engine.kernel.table import Codec
from warledger.engine.kernel.types import Rules
from warledger.protocol.board import effects
from warledger.protocol.board.effects import brings_news
from warledger.protocol.canon import SEAL_MARK
from warledger.protocol.chance.seal import Opening, reveal
from warledger.protocol.clocks.clockfold import Pace
from warledger.protocol.log import bodies, owed, records
from warledger.protocol.log.bodies import By
from warledger.protocol.log.records import CorruptLog, Record

S = TypeVar("S")


class CommandRun(Generic[S]):
    """A position and the commands that follow it.

    Attributes:
        base: the position at which the run began.
        seq: the newest record.
        open: who is asked after it; empty once the game is over.
    """

    __slots__ = (
        "_acts",
        "_clocks",
        "_counter",
        "_decode",
        "_drafted",
        "_evolve",
        "_finished",
        "_flow",
        "_moved_on",
        "_moves",
        "_pace",
        "_state",
        "_turns",
        "_undo",
        "_undo_seat",
        "base",
        "open",
        "seq",
    )

    def __init__(
        self,
        rules: Rules[S],
        codec: Codec,
        base: Position[S],
        pace: Pace | None,
        *,
        in_place: bool = False,
    ) -> None:
        self.base = base
        self.seq, self.open = base.seq, base.open
        self._evolve, self._decode, self._pace = rules.evolve, codec.decode, pace
        self._state: S = base.state
        ways: Any = drafting(rules) if in_place else (None, None)
        self._drafted, self._finished = ways
        self._flow: list[Any] = list(base.flow)
        self._counter, self._clocks, self._turns = base.counter, base.clocks, base.turns
        self._moved_on = base.moved_on
        self._acts: dict[tuple[str, bytes], By] = {}
        # Whether a command told its seat anything new takes a look at its bytes, so the commands
        # since the last chance wait in `_moves` until somebody wants to know.
        self._undo, self._undo_seat = base.undo, base.undo_seat
        self._moves: list[tuple[int, str, Any, Any, bytes, bool]] = []

    def take(self, record: Record, openings: Sequence[Opening]) -> None:
        """Fold one command; `openings` are all that belong to it. Raises CorruptLog if the record
        does not fit, after which the run cannot be used."""
        try:
            self._take(record, openings)
        except CorruptLog:
            raise
        except Exception as error:
            raise does_not_fold(record.seq, error) from error

    def _take(self, record: Record, openings: Sequence[Opening]) -> None:
        seat, picks, given, draws, events, told, opened, change, awaits = _read(record, openings)
        by = bodies.by_or_orders(given)
        evolve, decode, seq = self._evolve, self._decode, record.seq
        state: Any = self._state
        if self._drafted is not None and self.seq == self.base.seq:
            state = self._drafted(state)
        for event in events:
            state = evolve(state, decode(event, seq))
        self._state = state
        kept, frames = change
        del self._flow[kept:]
        self._flow += frames
        chance = bool(draws or opened)
        if effects.TURN_CLOSED in told:
            self._turns = self._turns + effects.turns_closed(told)
            chance = chance or owed.links(self._turns, self.base.epoch) > 0
        if chance or not seat:
            self._undo, self._undo_seat = (), ""
            self._moves.clear()
        else:
            seals = SEAL_MARK in record.data  # also those of its effects, which are packed within
            self._moves.append((self._moved_on, seat, picks, events, told, seals))
        if draws:
            self._counter = draws[-1][1] + 1
        if type(by) is By:
            self._acts[seat, by.key] = by
        if self._clocks is not None and self._pace is not None:
            self._clocks = self._pace.moved_on(self._clocks, record.at_ms, seat, awaits, told)
        self.seq, self.open, self._moved_on = seq, awaits, seq

    def position(self) -> Position[S]:
        """The position after the newest command."""
        base = self.base
        if self.seq == base.seq:
            return base
        for moved_on, seat, picks, events, told, seals in self._moves:
            news = brings_news(seat, picks, events, told, chance=False, seals=seals)
            self._undo, self._undo_seat = undo_after(
                self._undo, self._undo_seat, moved_on, seat, news=news
            )
        self._moves.clear()
        return base.after_command(
            state=self._state if self._finished is None else self._finished(self._state),
            seq=self.seq,
            flow=tuple([Frame(*entry) if type(entry) is tuple else entry for entry in self._flow]),
            seats=_acted(base.seats, self._acts),
            open=self.open,
            epoch=base.epoch,
            counter=self._counter,
            undo=self._undo,
            undo_seat=self._undo_seat,
            standing=over_with_turn(base.standing) if self._turns > base.turns else base.standing,
            clocks=self._clocks,
            turns=self._turns,
        )


def does_not_fold(seq: int, error: Exception) -> CorruptLog:
    """What is raised for a record that does not fit the position before it."""
    return CorruptLog(seq, "body", f"does not fold: {type(error).__name__}: {error}")


def _read(record: Record, openings: Sequence[Opening]) -> bodies.ForReplay:
    """What a replay needs from a command, once what the openings open is known."""
    if not openings:
        return bodies.for_replay(record.body)
    # Openings of effects point into the packed blob, which replay does not decode.
    inside = [opening for opening in openings if opening.path[0] != records.EFFECTS]
    return bodies.for_replay(reveal(record.body, inside))


def _acted(
    seats: tuple[SeatState, ...], acts: Mapping[tuple[str, bytes], By]
) -> tuple[SeatState, ...]:
    """The seats once they have signed commands: of each key its newest act."""
    if not acts:
        return seats
    found = {entry.seat: entry for entry in seats}
    for (seat, key), by in acts.items():
        if seat in found:
            found[seat] = found[seat].acted(key, by.n, by.seen)
    return tuple(found.values())
