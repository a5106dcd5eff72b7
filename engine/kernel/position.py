"""A position: the title's state and what the kernel keeps around it. Frozen; two equal positions go on alike."""

from typing import Any, Generic, TypeVar

from attrs import field, frozen

from engine.kernel.types import Outcome, Seat

S = TypeVar("S")

GATHERING, PLAYING, ENDED = "gathering", "playing", "ended"


@frozen(slots=False)
class Frame:
    """One entry of the flow: a step or sequence by name, its arguments, and how far a sequence has come."""

    name: str
    args: tuple[Any, ...] = ()
    pc: int = 0


Flow = tuple[Frame, ...]
"""The sequence of play as a stack; the last entry is in progress."""


@frozen
class SeatState:
    """Who plays a seat, and its part of the dice ceremony."""

    seat: Seat
    principal: str = ""
    nonce_hash: bytes | None = None
    nonce: bytes | None = None


@frozen
class Ask:
    """A request that waits for the other seats' consent: takeback (to a record) or draw."""

    seat: Seat
    kind: str
    to: int
    seq: int
    consents: tuple[Seat, ...] = ()


@frozen(slots=False)
class Position(Generic[S]):
    """Everything that a game is after record `seq`.

    open       seats with an open decision -> the record that opened it, in the order of the title's seats
    epoch      epoch of the open dice; counter: next draw. Neither ever goes back
    undo       records that `undo_seat` may freely take back to, oldest first: no new information has come since
    """

    state: S
    seq: int = 0
    stage: str = GATHERING
    flow: Flow = ()
    seats: tuple[SeatState, ...] = ()
    open: tuple[tuple[Seat, int], ...] = ()
    epoch: int = 1
    counter: int = 0
    undo_seat: Seat = ""
    undo: tuple[int, ...] = ()
    ask: Ask | None = None
    outcome: Outcome | None = field(default=None)

    def moved(self, state: S, flow: Flow) -> "Position[S]":
        """The same position with another state and flow: what a command in progress looks at, several times each."""
        values = self.__dict__.copy()
        values["state"] = state
        values["flow"] = flow
        made: Position[S] = _new(Position)
        _fill(made, values)
        return made

    @property
    def top(self) -> Frame:
        """The step in progress."""
        return self.flow[-1]

    def opened(self, seat: Seat) -> int | None:
        """The record that opened the seat's decision, or None when it is not asked."""
        for name, seq in self.open:
            if name == seat:
                return seq
        return None

    def seat(self, seat: Seat) -> SeatState | None:
        """The seat's holder and nonces, or None when there is no such seat."""
        for entry in self.seats:
            if entry.seat == seat:
                return entry
        return None

    @property
    def nonces(self) -> tuple[bytes, ...]:
        """The nonces in the order of the seats, once all are given."""
        return tuple(entry.nonce for entry in self.seats if entry.nonce is not None)


_new = object.__new__
_fill = vars(Position)["__dict__"].__set__
"""As in `change`, of which this is one case spelt out."""
