"""A position: the title's state and what the kernel keeps around it. Frozen. Games in equal
positions continue in the same way."""

from typing import Any, Generic, TypeVar

from attrs import field, frozen

from warledger.engine.kernel.basis import Outcome, Seat
from warledger.engine.kernel.change import unguarded
from warledger.engine.kernel.memo import Remembering
from warledger.protocol.clocks.clockstate import Clocks
from warledger.protocol.log.bodies import Awaits
from warledger.protocol.log.docket import Docket

S = TypeVar("S")

GATHERING, PLAYING, ENDED = "gathering", "playing", "ended"


@unguarded
class Frame:
    """One entry of the flow: a step or sequence by name, its arguments, and how far a sequence has
    come."""

    name: str
    args: tuple[Any, ...] = ()
    pc: int = 0


Flow = tuple[Frame, ...]
"""The sequence of play as a stack; the last entry is in progress."""


@unguarded(slots=False)
class KeyState:
    """A key of a seat that is in force: the number of its newest act, and the record that act's
    signer had seen."""

    key: bytes
    n: int
    seen: bytes


@unguarded(slots=False)
class SeatState:
    """Who plays a seat (their account's id, "" for none, and name, "" while nobody does), its
    contribution to the dice, and its keys.

    `taken_key` is the first of them, `keys` are those in force. A seat that signs nothing has the
    empty key.
    """

    seat: Seat
    account: str = ""
    name: str = ""
    nonce_hash: bytes | None = None
    nonce: bytes | None = None
    taken_key: bytes = b""
    keys: tuple[KeyState, ...] = ()

    def key(self, key: bytes) -> KeyState | None:
        """The key, if it is in force, or None."""
        for known in self.keys:
            if known.key == key:
                return known
        return None

    def acted(self, key: bytes, n: int, seen: bytes) -> "SeatState":
        """The seat once one of its keys has signed another act."""
        keys = self.keys
        if len(keys) == 1 and keys[0].key == key:  # the usual case: a seat plays on one device
            keys = (KeyState(key, n, seen),)
        else:
            keys = tuple([KeyState(key, n, seen) if known.key == key else known for known in keys])
        return SeatState(
            self.seat,
            self.account,
            self.name,
            self.nonce_hash,
            self.nonce,
            self.taken_key,
            keys,
        )


@frozen
class StandingAnswers:
    """The standing answers of a seat as its newest `orders` record (number `seq`) has them.
    `orders` is a Secret, or a Seal where it is not opened. `turn_over`: a turn has ended since
    then. See `warledger.protocol.seats.standing`."""

    seat: Seat
    seq: int
    orders: Any
    turn_over: bool = False


@frozen
class Ask:
    """A request that waits for the other seats' consent: takeback (to a record) or draw."""

    seat: Seat
    kind: str
    to: int
    seq: int
    consents: tuple[Seat, ...] = ()


@unguarded(slots=False)
class Position(Remembering, Generic[S]):
    """The whole position of a game after record `seq`. Answers worked out about it are stored with
    it.

    open       seats with an open decision, the record that opened it, and the key of its prompt, in
               the order of the title's seats
    epoch      epoch of the open dice, one more than the most turns that ever were over; counter:
               next draw. Neither ever goes back
    undo       records that `undo_seat` may freely take back to, oldest first: no new information
               has come since
    standing   the newest standing answers of each seat
    moved_on   the newest command, takeback or correction: the newest record that a takeback may
               go back to
    shown_keys every key that a seat ever had, with the seat; and those that the server had before
               its present one, with "server"
    server_key the key that signs heads now, where the game went over to another than its genesis
               names
    whole      the game has ended and every seal is open: nothing follows
    clocks     the clocks (None in a game without)
    docket     claims and rulings
    turns      how many turns are over; a takeback takes those back that it undoes
    """

    state: S
    seq: int = 0
    stage: str = GATHERING
    flow: Flow = ()
    seats: tuple[SeatState, ...] = ()
    open: Awaits = ()
    epoch: int = 1
    counter: int = 0
    undo_seat: Seat = ""
    undo: tuple[int, ...] = ()
    ask: Ask | None = None
    outcome: Outcome | None = field(default=None)
    standing: tuple[StandingAnswers, ...] = ()
    moved_on: int = 0
    shown_keys: tuple[tuple[bytes, Seat], ...] = ()
    server_key: bytes = b""
    whole: bool = False
    clocks: Clocks | None = None
    docket: Docket = Docket()
    turns: int = 0

    @property
    def frozen(self) -> tuple[int, ...]:
        """The claims for which the game is frozen; 0: a flag."""
        return self.docket.frozen if self.docket.cases else ()  # every command asks

    def after_command(
        self,
        *,
        state: S,
        seq: int,
        flow: Flow,
        seats: tuple[SeatState, ...],
        open: Awaits,
        epoch: int,
        counter: int,
        undo: tuple[int, ...],
        undo_seat: Seat,
        standing: tuple[StandingAnswers, ...],
        clocks: Clocks | None,
        turns: int,
        outcome: Outcome | None = None,
    ) -> "Position[S]":
        """The position after a command, or a run of commands, from this one. Whatever is not named
        here stays as it is, but for a request for consent, which a command ends."""
        return Position(
            state=state,
            seq=seq,
            stage=PLAYING if outcome is None else ENDED,
            flow=flow,
            seats=seats,
            open=open,
            epoch=epoch,
            counter=counter,
            undo_seat=undo_seat,
            undo=undo,
            ask=None,
            outcome=outcome,
            standing=standing,
            moved_on=seq,
            shown_keys=self.shown_keys,
            server_key=self.server_key,
            whole=False,
            clocks=clocks,
            docket=self.docket,
            turns=turns,
        )

    def moved(self, state: S, flow: Flow) -> "Position[S]":
        """A copy of the position with another state and flow: used several times while a command is
        in progress."""
        values = self.__dict__.copy()
        values.pop("memo", None)
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
        for name, seq, _ in self.open:
            if name == seat:
                return seq
        return None

    def asked_for(self, seat: Seat) -> str | None:
        """The key of the question that the seat is asked, or None when it is not asked."""
        return next((key for name, _, key in self.open if name == seat), None)

    def seat(self, seat: Seat) -> SeatState | None:
        """The seat's holder and nonces, or None if there is no such seat."""
        for entry in self.seats:
            if entry.seat == seat:
                return entry
        return None

    @property
    def nonces(self) -> tuple[bytes, ...]:
        """The nonces in the order of the seats, once all are given."""
        return tuple(entry.nonce for entry in self.seats if entry.nonce is not None)


_new = object.__new__
_fill = vars(Remembering)["__dict__"].__set__
"""A special case of `change`, written out for speed."""
