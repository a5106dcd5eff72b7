"""A command is declared once: its verb, its slots, and what it does.

A slot says what it offers and why it does not offer the rest. From that the kernel derives
everything that a `Step` is asked: what may be picked next, where a wrong pick belongs and why it is
refused, whether the command is complete, and its usage line. The title carries out the *order*: a
frozen attrs class of its own, with a field for each slot.

    @frozen
    class Placing:
        unit: str = ""
        hex: str = ""

    class Reinforce(Asking[State]):
        def commands(self) -> Commands[State]:
            return (
                Command(
                    "place",
                    Placing,
                    Slot("unit", "kiev.unit", waiting, why_not_that_unit),
                    Slot("hex", "kiev.hex", entry_hexes, why_not_there),
                    apply=place,
                ),
                word("done", self.close),
            )

    def entry_hexes(asked: Asked[State], order: Placing) -> Iterable[str]: ...
    def place(table: Table[State], asked: Asked[State], order: Placing) -> None: ...

Every function of a command is given the order as far as it has been picked. Fields of slots that
have not been picked have their default. `apply` is given a complete order.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any, Final, Generic, TypeAlias, TypeVar

import attrs
from attrs import frozen

from warledger.engine.kernel.lazy import Lazy, LazyChoices
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.slots import AnySlot as AnySlot
from warledger.engine.kernel.slots import Asked as Asked
from warledger.engine.kernel.slots import Free as Free
from warledger.engine.kernel.slots import Many as Many
from warledger.engine.kernel.slots import Offer as Offer
from warledger.engine.kernel.slots import Pairs as Pairs
from warledger.engine.kernel.slots import Part, holds
from warledger.engine.kernel.slots import Set as Set
from warledger.engine.kernel.slots import Slot as Slot
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Fault, Seat, Step
from warledger.protocol.board.choices import WHOLE, Choices, Option, Pick, Picks, Refusal, Say

S = TypeVar("S")
T = TypeVar("T")
V = TypeVar("V")

WHOLE_SEALED = Choices("end", complete=True, sealed=True)
"""The command is complete, nothing can be added, and it is hidden from the other seats."""


# --- commands -------------------------------------------------------------------------------------


@frozen
class Bare:
    """The order of a command without slots."""


class Command(Generic[S, T]):
    """One command of a step.

    `verb`        its first pick, with the phrase `pick.<verb>`; "" for the only command of a step,
                  which begins with its first slot
    `order`       the class of its orders
    `slots`       what is picked after the verb
    `apply`       carries a whole order out
    `when`        whether the verb is on offer; without it, always
    `why`         why it is not
    `beyond`      why nothing may follow a command to which nothing can be added
    `unfinished`  why an order is not whole yet, where a clause says so
    `preview`     what clients show beside an order: odds and the like
    `sealed`      whether all that follows the verb is kept from the other seats
    """

    def __init__(
        self,
        verb: str,
        order: type[T],
        *slots: AnySlot[S, T],
        apply: Callable[[Table[S], Asked[S], T], None],
        when: Callable[[Asked[S]], bool] | None = None,
        why: Callable[[Asked[S]], Refusal | None] | None = None,
        beyond: Callable[[Asked[S], T, Pick], Refusal | None] | None = None,
        unfinished: Callable[[Asked[S], T], Refusal | None] | None = None,
        preview: Callable[[Asked[S], T], tuple[Say, ...]] | None = None,
        sealed: bool = False,
    ) -> None:
        self.verb = verb
        self.order = order
        self.slots = slots
        self.apply = apply
        self.when = when
        self.why = why
        self.beyond = beyond
        self.unfinished = unfinished
        self.preview = preview
        self.sealed = sealed
        self._check()
        self.option = Option(verb)
        self.sets = tuple(
            slot for slot in slots if isinstance(slot, Set) and slot.needs is not None
        )
        self.kinds = tuple(_kind_of(slot) for slot in slots)
        """The kind of each slot, cached since a walk needs it for every pick."""
        self.telling = tuple(
            _telling(slot).takes
            if number < len(slots) - 1 and not isinstance(slot, Free) and _may_be_left(slot)
            else None
            for number, slot in enumerate(slots)
        )
        """For each slot, how its picks are distinguished from those of the next; None: all are its
        own."""

    def _check(self) -> None:
        """Raises TypeError if the slots are ambiguous, or are not the fields of the order."""
        called = self.verb or self.order.__name__
        named: list[str] = []
        for number, slot in enumerate(self.slots):
            last = number == len(self.slots) - 1
            if isinstance(slot, Free):
                if not last:
                    raise TypeError(f"{called}: {slot.name} takes all picks, so it comes last")
                if number and _may_be_left(self.slots[number - 1]):
                    raise TypeError(
                        f"{called}: the slot before {slot.name} is one pick and not optional, "
                        "or nobody could tell them apart"
                    )
            elif not last and _may_be_left(slot) and _telling(slot).takes is None:
                raise TypeError(
                    f"{called}: {slot.name} needs `takes`, to be told from what may follow it"
                )
            named.append(slot.name)
            if isinstance(slot, Pairs):
                named.append(slot.first.name)
        if not attrs.has(self.order):
            raise TypeError(f"{called}: its orders are to be an attrs class")
        fields = attrs.fields_dict(self.order)
        if sorted(named) != sorted(fields):
            raise TypeError(
                f"{called}: the slots {sorted(named)} are not the fields {sorted(fields)} "
                f"of {self.order.__name__}"
            )

    @property
    def usage(self) -> str:
        """The whole command in one line: `sail SHIPS … AREA [SECOND_AREA]`."""
        return " ".join(
            (*((self.verb,) if self.verb else ()), *(slot.usage for slot in self.slots))
        )

    def read(self, asked: Asked[S], picks: Picks) -> T:
        """The order that picks after the verb make, all of which were offered."""
        return self._reader(asked, picks).order

    def _reader(self, asked: Asked[S], picks: Picks) -> "_Reader[S, T]":
        reader = _Reader(self, asked)
        for pick in picks[reader.resume(self._trail(asked), picks) :]:
            reader.take(pick)
        return reader

    def _trail(self, asked: Asked[S]) -> "_Trail":
        """How far the seat's last walk at this position came: it goes one pick further each time,
        so the earlier picks need not be read and looked up again."""
        trails: dict[Seat, _Trail] = asked.at.memo.setdefault(self, {})
        return trails.setdefault(asked.seat, [])

    def choices(self, asked: Asked[S], picks: Picks, *, sealed: bool) -> Choices:
        """What may follow these picks after the verb, all of which were offered."""
        return self._reader(asked, picks).choices(sealed=sealed or self.sealed)

    def walk(self, asked: Asked[S], picks: Picks, *, sealed: bool) -> Choices | int:
        """What may follow these picks after the verb, or the number of the first that was not
        offered."""
        reader, trail = _Reader(self, asked), self._trail(asked)
        known = reader.resume(trail, picks)
        del trail[known:]
        for pick in picks[known:]:
            slot = reader.offering(pick)
            if slot < 0:
                return len(trail)
            reader.take(pick, slot)
            trail.append((pick, reader.held))
        return reader.choices(sealed=sealed or self.sealed)

    def refusal(self, asked: Asked[S], picks: Picks, pick: Pick) -> Refusal | None:
        """Why the pick may not follow these picks after the verb, according to the slot for which
        it is meant."""
        reader = self._reader(asked, picks)
        order, free = reader.order, reader.free
        if free is not None:
            return free.why(asked, order, pick) if free.why else None
        parts, _ = reader.open()
        if not parts:
            return self.beyond(asked, order, pick) if self.beyond else None
        meant = next(
            (part for part in parts if part.takes is None or part.takes(asked, pick)), parts[-1]
        )
        return meant.why(asked, order, pick) if meant.why else None


_SLOT: Final = 0
_MANY: Final = 1
_PAIRS: Final = 2
_FREE: Final = 3


def _kind_of(slot: AnySlot[S, T]) -> int:
    if isinstance(slot, Slot):
        return _SLOT
    if isinstance(slot, Free):
        return _FREE
    return _PAIRS if isinstance(slot, Pairs) else _MANY


_Trail: TypeAlias = list[tuple[Pick, tuple[dict[str, Any], int, bool, Picks]]]
"""Picks that were offered one after the other, each with the reader's state after it. It refers to
nothing in the position with which it is kept."""


class _Reader(Generic[S, T]):
    """The picks after a verb, read one after the other: `order` is what they amount to so far."""

    __slots__ = ("_asked", "_command", "_found", "_half", "_number", "_order", "_picks")

    def __init__(self, command: Command[S, T], asked: Asked[S]) -> None:
        self._command = command
        self._asked = asked
        self._found: dict[str, Any] = {}
        self._number = 0  # of the slot that comes next
        self._half = False  # whether a pair waits for its second pick
        self._picks: Picks = ()  # those of a Free slot
        self._order: T | None = None

    @property
    def held(self) -> tuple[dict[str, Any], int, bool, Picks]:
        """What has been read so far."""
        return self._found, self._number, self._half, self._picks

    def resume(self, trail: _Trail, picks: Picks) -> int:
        """Continue from where a trail and these picks diverge. Returns how many they share."""
        shared = 0
        for (before, _), pick in zip(trail, picks, strict=False):
            if before != pick:
                break
            shared += 1
        if shared:
            self._found, self._number, self._half, self._picks = trail[shared - 1][1]
        return shared

    @property
    def order(self) -> T:
        """The order so far."""
        order = self._order
        if order is None:
            found, command = self._found, self._command
            if command.kinds and command.kinds[-1] == _FREE:
                free: Any = command.slots[-1]
                found = {**found, free.name: free.read(self._asked, self._picks)}
            order = self._order = command.order(**found)
        return order

    @property
    def free(self) -> Free[S, T, Any] | None:
        """The slot that takes all remaining picks, if it has been reached."""
        kinds, number = self._command.kinds, self._number
        if number < len(kinds) and kinds[number] == _FREE:
            slot: Any = self._command.slots[number]
            return slot  # type: ignore[no-any-return]
        return None

    def take(self, pick: Pick, meant: int = -1) -> None:
        """Read a pick, which was offered by the slot of number `meant`, if that is known."""
        number = meant if meant >= 0 else self._meant(pick)
        slots = self._command.slots
        if number == len(slots):
            raise Fault(f"{self._command.usage}: more picks than slots")
        self._number = number
        self._order = None
        slot, kind, found = slots[number], self._command.kinds[number], self._found
        name = slot.name
        if kind == _SLOT:
            self._found = {**found, name: pick}
            self._number += 1
        elif kind == _MANY:
            picked = (*found.get(name, ()), pick)
            self._found = {**found, name: _sorted(picked) if isinstance(slot, Set) else picked}
        elif kind == _FREE:
            self._picks = (*self._picks, pick)
        else:
            assert isinstance(slot, Pairs)
            first = slot.first.name
            if self._half:
                found = {**found, name: (*found.get(name, ()), (found[first], pick))}
                del found[first]
                self._found = found
            else:
                self._found = {**found, first: pick}
            self._half = not self._half

    def _meant(self, pick: Pick) -> int:
        """The number of the slot that a pick belongs to."""
        number = self._number
        if not self._half:
            telling = self._command.telling
            while number < len(telling):
                takes = telling[number]
                if takes is None or takes(self._asked, pick):
                    break
                number += 1
        return number

    def offering(self, pick: Pick) -> int:
        """The number of the slot that offers the pick now, or -1 if none does: its own slot,
        provided that those before it may be left."""
        slots = self._command.slots
        number = self._meant(pick)
        if number == len(slots):
            return -1
        for skipped in range(self._number, number):
            if not self._may_be_left(slots[skipped]):
                return -1
        return number if self._offers(slots[number], self._command.kinds[number], pick) else -1

    def _offers(self, slot: AnySlot[S, T], kind: int, pick: Pick) -> bool:
        asked, order = self._asked, self.order
        part: Any = slot
        if kind == _FREE:
            return bool(part.choices(asked, order).offers(pick))
        if kind == _PAIRS and self._half:
            part = part.second
        elif kind != _SLOT:
            if part.full is not False and holds(part.full, asked, order):
                return False
            if kind == _PAIRS:
                part = part.first
            elif isinstance(slot, Set) and pick in self._found.get(slot.name, ()):
                return False
        return _has(part.offers(asked, order), pick)

    def _may_be_left(self, slot: AnySlot[S, T]) -> bool:
        """Whether the command may go on, or end, without another pick of a slot."""
        if isinstance(slot, Free):
            return False
        if isinstance(slot, Slot):
            return holds(slot.optional, self._asked, self.order)
        if self._half:
            return False
        if slot.enough is None:
            return slot.name in self._found
        return holds(slot.enough, self._asked, self.order)

    def open(self) -> tuple[list[Part[S, T]], bool]:
        """The slots from which the next pick may come, and whether the command may end."""
        parts: list[Part[S, T]] = []
        command = self._command
        for number in range(self._number, len(command.slots)):
            slot: Any = command.slots[number]
            kind = command.kinds[number]
            if kind == _SLOT:
                parts.append(slot)
                if slot.optional is False:
                    return parts, False
            elif kind == _PAIRS and self._half:
                parts.append(slot.second)
            elif slot.full is False or not holds(slot.full, self._asked, self.order):
                parts.append(slot.first if kind == _PAIRS else slot)
            if not self._may_be_left(slot):
                return parts, False
        return parts, True

    def choices(self, *, sealed: bool) -> Choices:
        """What may come next."""
        asked, order, free = self._asked, self.order, self.free
        if free is not None:
            return free.choices(asked, order)
        parts, complete = self.open()
        if not parts:
            return WHOLE_SEALED if sealed else WHOLE
        first = parts[0]
        if len(parts) > 1:
            options = _joined(asked, order, parts)
            return Choices(first.joint or first.asks, options, None, complete, sealed)
        offered = _left(order, first, first.offers(asked, order))
        if isinstance(offered, range):
            span = (offered[0], offered[-1]) if offered else None
            return Choices(first.asks, (), span, complete, sealed)
        if isinstance(offered, Lazy):
            return LazyChoices(
                first.asks, offered.every, offered.has, complete=complete, sealed=sealed
            )
        return Choices(first.asks, _options(offered), None, complete, sealed)


def _sorted(picks: Picks) -> Picks:
    """Numbers before names, each in order: the canonical order of a set."""
    return tuple(sorted(picks, key=lambda pick: (type(pick) is str, pick)))


Commands: TypeAlias = tuple[Command[S, Any], ...]
"""All commands of a step, in the order in which their verbs are offered."""


def word(
    verb: str,
    apply: Callable[[Table[S], Asked[S]], None],
    *,
    when: Callable[[Asked[S]], bool] | None = None,
    why: Callable[[Asked[S]], Refusal | None] | None = None,
    beyond: Callable[[Asked[S], Pick], Refusal | None] | None = None,
    preview: Callable[[Asked[S]], tuple[Say, ...]] | None = None,
) -> Command[S, Bare]:
    """A command that is a verb and nothing else. The rest is as in `Command`."""
    return Command(
        verb,
        Bare,
        apply=lambda table, asked, _: apply(table, asked),
        when=when,
        why=why,
        beyond=None if beyond is None else lambda asked, _, pick: beyond(asked, pick),
        preview=None if preview is None else lambda asked, _: preview(asked),
    )


def _may_be_left(slot: AnySlot[S, T]) -> bool:
    """Whether the next slot may be on offer together with this one."""
    return not isinstance(slot, Slot) or slot.optional is not False


def _telling(slot: Slot[S, T] | Many[S, T] | Pairs[S, T]) -> Part[S, T]:
    """The part of a slot that distinguishes its picks from those of the next."""
    return slot.first if isinstance(slot, Pairs) else slot


def _has(offered: Offer, pick: Pick) -> bool:
    """Whether a pick is among those offered. 1 and "1" are different picks."""
    if isinstance(offered, Lazy):
        return offered.has(pick)
    kind = type(pick)
    if isinstance(offered, range):
        return kind is int and pick in offered
    for item in offered:
        id = item.id if type(item) is Option else item
        if id == pick and type(id) is kind:
            return True
    return False


def _options(offered: Iterable[Pick | Option]) -> tuple[Option, ...]:
    return tuple([item if type(item) is Option else Option(item) for item in offered])  # type: ignore[arg-type]


def _left(order: T, part: Part[S, T], offered: Offer) -> Offer:
    """What a slot offers but for what it has already, if it is a set."""
    picked = getattr(order, part.name) if isinstance(part, Set) else ()
    if not picked or isinstance(offered, Lazy | range):
        return offered
    return [item for item in offered if (item.id if type(item) is Option else item) not in picked]


def _joined(asked: Asked[S], order: T, parts: list[Part[S, T]]) -> tuple[Option, ...]:
    """What several slots offer at once."""
    options: tuple[Option, ...] = ()
    for part in reversed(parts):
        offered = _left(order, part, part.offers(asked, order))
        if isinstance(offered, Lazy | range):
            raise Fault(f"{part.asks}: only lists can be offered beside another slot")
        own = _options(offered)
        options = (*options, *own) if isinstance(part, Many) else (*own, *options)
    return options


# --- steps ----------------------------------------------------------------------------------------


class Asking(Step[S]):
    """A step that asks for one of its `commands`. A title gives `deciders` and `commands`, and
    `advance` where there may be nobody to ask.

    `verb_slot` is what the verbs are: the phrase `slot.<verb_slot>`.
    """

    verb_slot = "verb"

    @abstractmethod
    def commands(self) -> Commands[S]:
        """The commands, in the order in which their verbs are offered. Called once."""

    def sealed(self, asked: Asked[S]) -> bool:
        """Whether the commands are kept from the other seats, verb and all."""
        return False

    def no_verb(self, asked: Asked[S], verb: Pick) -> Refusal | None:
        """Why a verb is refused that this step does not have, or whose command does not say why;
        None: the refusal cites the clause of the question."""
        return None

    @property
    def usage(self) -> tuple[str, ...]:
        """The usage line of each command."""
        return tuple(command.usage for command in self._commands.values())

    @cached_property
    def _commands(self) -> Mapping[str, Command[S, Any]]:
        declared = {command.verb: command for command in self.commands()}
        if len(declared) < len(self.commands()) or ("" in declared and len(declared) > 1):
            raise TypeError(
                f"{type(self).__name__}: each command needs a verb of its own; "
                "one without a verb stands alone"
            )
        return declared

    def _read(self, picks: Picks) -> tuple[Command[S, Any] | None, Picks]:
        """The command that the picks begin, if any, and the picks after its verb."""
        alone = self._commands.get("")
        if alone is not None:
            return alone, picks
        if not picks:
            return None, picks
        return self._commands[str(picks[0])], picks[1:]

    def choices(self, at: Position[S], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        """The verbs, or what the command offers next."""
        asked = Asked(at, frame, seat)
        command, rest = self._read(picks)
        if command is not None:
            return command.choices(asked, rest, sealed=self.sealed(asked))
        verbs = tuple(
            [
                command.option
                for command in self._commands.values()
                if command.when is None or command.when(asked)
            ]
        )
        return Choices(self.verb_slot, verbs, None, False, self.sealed(asked))

    def walk(
        self, at: Position[S], frame: Frame, seat: Seat, picks: Picks
    ) -> tuple[Choices, bool] | Refusal:
        """Each pick is looked up only in the offer of its own slot."""
        asked = Asked(at, frame, seat)
        alone = self._commands.get("")
        if alone is None:
            if not picks:
                last = self.choices(at, frame, seat, ())
                return last, last.sealed
            verb = picks[0]
            command = self._commands.get(verb) if type(verb) is str else None
            if command is None or not (command.when is None or command.when(asked)):
                return self.refusal(at, frame, seat, picks[:1])
            rest = picks[1:]
        else:
            command, rest = alone, picks
        sealed = self.sealed(asked)
        found = command.walk(asked, rest, sealed=sealed)
        if isinstance(found, int):
            return self.refusal(at, frame, seat, picks[: len(picks) - len(rest) + found + 1])
        return found, sealed or command.sealed or found.sealed

    def refusal(self, at: Position[S], frame: Frame, seat: Seat, picks: Picks) -> Refusal:
        """By the verb, or by the slot for which the last pick was meant."""
        asked = Asked(at, frame, seat)
        command, rest = self._read(picks[:-1])
        refused: Refusal | None
        if command is not None:
            refused = command.refusal(asked, rest, picks[-1])
        else:
            meant = self._commands.get(picks[-1]) if type(picks[-1]) is str else None
            refused = meant.why(asked) if meant is not None and meant.why else None
            refused = refused or self.no_verb(asked, picks[-1])
        return refused or super().refusal(at, frame, seat, picks)

    def unfinished(self, at: Position[S], frame: Frame, seat: Seat, picks: Picks) -> Refusal | None:
        """Why the order is not complete."""
        command, rest = self._read(picks)
        if command is None:
            return None
        asked = Asked(at, frame, seat)
        order = command.read(asked, rest)
        why = command.unfinished(asked, order) if command.unfinished else None
        return why or next(filter(None, (one.too_few(asked, order) for one in command.sets)), None)

    def preview(self, at: Position[S], frame: Frame, seat: Seat, picks: Picks) -> tuple[Say, ...]:
        """What the command shows beside the order."""
        command, rest = self._read(picks)
        if command is None or (command.preview is None and not command.sets):
            return ()
        asked = Asked(at, frame, seat)
        order = command.read(asked, rest)
        counted = tuple([slot.count(asked, order) for slot in command.sets])
        return (*counted, *(command.preview(asked, order) if command.preview else ()))

    def decide(self, table: Table[S], frame: Frame, seat: Seat, picks: Picks) -> None:
        """Carry the order out."""
        command, rest = self._read(picks)
        if command is None:
            raise Fault(f"step {frame.name} was given no command")
        asked = Asked(table.at, frame, seat)
        command.apply(table, asked, command.read(asked, rest))
