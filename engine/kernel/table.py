"""The table on which one command is carried out: steps emit events on it, draw chance from it, and
call other steps. A `Codec` makes arrays of the events.

It is local to one command and discarded afterwards; only the record and the new position remain.
Chance comes from a `Chance` that the shell supplies (seeds of the ceremony, a test's queue, or an
auditor's opened seeds), never from here.
"""

from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import Any, Generic, Protocol, TypeVar

import attrs

from warledger.engine.kernel.basis import Fault, Outcome, Seat
from warledger.engine.kernel.position import Flow, Frame, Position
from warledger.protocol.board.choices import Say
from warledger.protocol.board.effects import Effect, closing, learn
from warledger.protocol.chance.seal import Opening, Path, Secret
from warledger.protocol.limits import EVENTS_PER_COMMAND_MAX
from warledger.protocol.log import owed
from warledger.protocol.log.records import EVENTS, CorruptLog

S = TypeVar("S")
T = TypeVar("T")


class Codec:
    """The events of one title as arrays: [tag, field …], the fields in the order in which the event
    class lists them. Raises Fault if two classes share a tag."""

    def __init__(self, events: Iterable[type[Any]]) -> None:
        self._class: dict[str, tuple[type[Any], int]] = {}
        self._fields: dict[type[Any], tuple[str, Any, int]] = {}
        for cls in events:
            names = [field.name for field in attrs.fields(cls)]
            if cls.tag in self._class:
                raise Fault(f"two events have the tag {cls.tag}")
            getter = attrgetter(*names) if names else None
            self._class[cls.tag] = (cls, len(names))
            self._fields[cls] = (cls.tag, getter, len(names))

    def encode(self, event: Any) -> tuple[Any, ...]:
        """The array of an event."""
        try:
            tag, getter, count = self._fields[type(event)]
        except KeyError:
            raise Fault(f"{type(event).__name__} is not among the title's events") from None
        if count == 0:
            return (tag,)
        return (tag, getter(event)) if count == 1 else (tag, *getter(event))

    def decode(self, array: Any, seq: int) -> Any:
        """The event of an array. Raises CorruptLog if the title has no such event or its fields
        differ."""
        try:
            cls, count = self._class[array[0]]
        except (KeyError, TypeError, IndexError):
            raise CorruptLog(
                seq, "events", f"unknown event {array[:1] if type(array) is tuple else array!r}"
            ) from None
        if len(array) != count + 1:
            raise CorruptLog(
                seq, "events", f"event {array[0]} has {len(array) - 1} fields, not {count}"
            )
        return cls(*array[1:])

    def stamp(self, event: Any, seq: int, path: Path) -> tuple[Any, tuple[Any, ...]]:
        """The event with the place of each of its secrets filled in (the same event if it has
        none), and its array."""
        array = self.encode(event)
        for item in array:
            kind = type(item)
            if kind is tuple or kind is Secret:
                stamped: tuple[Any, ...] = _stamp(array, seq, path)
                return event if stamped is array else self.decode(stamped, seq), stamped
        return event, array


class Undecoded(Codec):
    """Takes every event as it stands: for folding what is kept around a title's state where the
    title's rules are not at hand."""

    def decode(self, array: Any, seq: int) -> Any:
        """The array itself."""
        return array


def codec_of(rules: Any) -> Codec:
    """The codec of a title's events, or the one that its rules bring."""
    own = getattr(rules, "codec", None)
    return own if isinstance(own, Codec) else Codec(rules.events)


def _stamp(value: Any, seq: int, path: Path) -> Any:
    kind = type(value)
    if kind is Secret:
        return Secret(value.value, value.readers, (seq, path))
    if kind is tuple:
        out = None
        for index, item in enumerate(value):
            inner = type(item)
            if inner is tuple or inner is Secret:
                new = _stamp(item, seq, (*path, index))
                if new is not item:
                    if out is None:
                        out = list(value)
                    out[index] = new
        return value if out is None else tuple(out)
    return value


_TURN_CLOSED = closing("turn")


class Chance(Protocol):
    """Where draws come from."""

    def open(self, epoch: int, counter: int, purpose: str, sides: int) -> int:
        """Index 0 … sides-1 of an open draw."""
        ...

    def hidden(self, counter: int, purpose: str, sides: int) -> int:
        """Index 0 … sides-1 of a draw from hidden contents."""
        ...


class Consequences(Protocol[S]):
    """What the table needs from a title: what follows from an event. See `types.Rules`."""

    def evolve(self, state: S, event: Any) -> S:
        """The state after the event."""
        ...

    def effects(self, before: S, event: Any, after: S) -> Iterable[Effect]:
        """What clients draw and say about the event."""
        ...

    def triggers(self, table: "Table[S]", event: Any) -> None:
        """What the rules do automatically after the event."""


class Table(Generic[S]):
    """One command in progress. Steps read `at` and `state`, and call the methods below."""

    def __init__(
        self,
        rules: Consequences[S],
        codec: Codec,
        at: Position[S],
        seq: int,
        seat: Seat,
        chance: Chance,
    ) -> None:
        self._rules = rules
        self.seat = seat
        self.state = at.state
        self.flow: Flow = at.flow
        self.outcome: Outcome | None = None
        self.events: list[Any] = []
        self.arrays: list[tuple[Any, ...]] = []
        self.effects: list[Effect] = []
        self.draws: list[tuple[Any, ...]] = []
        self.revealed: list[Opening] = []
        self.turns = at.turns
        self.epoch = at.epoch
        self.counter = at.counter
        self._codec = codec
        self._seq = seq
        self._start = at
        self._chance = chance
        self._at = at

    @property
    def at(self) -> Position[S]:
        """The position as it is now, in the middle of the command."""
        at = self._at
        if at.state is not self.state or at.flow is not self.flow:
            at = self._at = at.moved(self.state, self.flow)
        return at

    # --- events -----------------------------------------------------------------------------------

    def emit(self, event: Any) -> Any:
        """Emit an event: the state evolves, clients will draw its effects, triggers follow. Returns
        the event with the places of its secrets stamped in."""
        if len(self.events) >= EVENTS_PER_COMMAND_MAX:
            raise Fault("one command makes too many events")
        event, array = self._codec.stamp(event, self._seq, (EVENTS, len(self.events)))
        before = self.state
        self.events.append(event)
        self.arrays.append(array)
        self.state = after = self._rules.evolve(before, event)
        self.effects.extend(self._rules.effects(before, event, after))
        self._rules.triggers(self, event)
        return event

    def tell(self, effect: Effect) -> None:
        """Something for clients only: an effect that belongs to no event (a phase, a dice roll).
        The end of a turn is told by `turn_over`."""
        self.effects.append(effect)

    def learn(self) -> None:
        """The seat whose command this is has learnt something new in secret, by an event or
        effect that only it may read. This fact is public, and the seat's free takebacks end here.
        If its own picks are open this follows automatically; from sealed picks the kernel cannot
        tell whether the seat already knew what they hide."""
        self.effects.append(learn(self.seat))

    def reveal(self, secret: Secret) -> Any:
        """Open a secret in the state to everybody, from this record on. Returns its value."""
        if secret.where is None:
            raise Fault("a secret must be emitted before it can be revealed")
        seq, path = secret.where
        self.revealed.append(Opening(seq, path, b"", secret.value))
        return secret.value

    # --- chance -----------------------------------------------------------------------------------

    def roll(self, sides: int, purpose: str) -> int:
        """One open die: 1 … sides."""
        self._may_draw()
        index = self._chance.open(self.epoch, self.counter, purpose, sides)
        self.draws.append((self.epoch, self.counter, purpose, (sides, index)))
        self.counter += 1
        return index + 1

    def rolls(self, n: int, sides: int, purpose: str) -> tuple[int, ...]:
        """Several open dice, one after the other."""
        return tuple(self.roll(sides, purpose) for _ in range(n))

    def draw(self, contents: Sequence[T], purpose: str, readers: tuple[Seat, ...] = ()) -> T:
        """Draw one of hidden contents, all equally likely. The receipt is sealed: until the end,
        only `readers` learn how many there were and which it was. The order of the contents must
        depend on nothing but the log."""
        self._may_draw()
        index = self._chance.hidden(self.counter, purpose, len(contents))
        self.draws.append((0, self.counter, purpose, Secret((len(contents), index), readers)))
        self.counter += 1
        return contents[index]

    def _may_draw(self) -> None:
        if any(seat != self.seat for seat, *_ in self._start.open):
            raise Fault("no chance may be drawn while another seat has an open decision")

    def turn_over(self) -> None:
        """A turn ends, for clients too. The first time that the game gets so far, the epoch of the
        open dice ends with it: later dice come from the next link, and the link of this epoch is
        opened after this record. A turn that ends again after a takeback leaves the epoch as it
        is."""
        self.effects.append(_TURN_CLOSED)
        self.turns += 1
        self.epoch += owed.links(self.turns, self.epoch)

    # --- flow -------------------------------------------------------------------------------------

    def call(self, name: str, *args: Any) -> None:
        """Put a step or sequence on top; play comes back here when it is done."""
        self.flow = (*self.flow, Frame(name, args))

    def done(self) -> None:
        """The step in progress is over."""
        self.flow = self.flow[:-1]

    def replace(self, *args: Any) -> None:
        """Give the step in progress other arguments."""
        top = self.flow[-1]
        self.flow = (*self.flow[:-1], Frame(top.name, args, top.pc))

    def leave(self, name: str) -> None:
        """End the innermost step or sequence of that name and everything above it."""
        for index in range(len(self.flow) - 1, -1, -1):
            if self.flow[index].name == name:
                self.flow = self.flow[:index]
                return
        raise Fault(f"no step named {name} is in progress")

    def end(self, winner: Seat | None, reason: Say) -> None:
        """The game is over by the rules, whatever the flow says."""
        self.outcome = Outcome(winner, reason)
