"""What a title provides to the kernel, and the small values that both use.

A title is a `Rules`: an initial state, a sequence of play (named sequences of named steps), the
steps, and an evolve function from events to states. Everything that happens is an event; events are
the only thing that changes a state.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import (
    Any,
    ClassVar,
    Generic,
    Protocol,
    TypeVar,
    dataclass_transform,
    runtime_checkable,
)

import attrs
from attrs import frozen

from warledger.engine.kernel.basis import Fault as Fault
from warledger.engine.kernel.basis import Outcome as Outcome
from warledger.engine.kernel.basis import Seat as Seat
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.protocol.board.choices import Choices as Choices
from warledger.protocol.board.choices import Decision as Decision
from warledger.protocol.board.choices import Pick as Pick
from warledger.protocol.board.choices import Picks as Picks
from warledger.protocol.board.choices import Refusal as Refusal
from warledger.protocol.board.choices import Say as Say
from warledger.protocol.board.choices import offer
from warledger.protocol.board.description import Description
from warledger.protocol.board.effects import Effect
from warledger.protocol.log.records import Genesis

S = TypeVar("S")
C = TypeVar("C", bound=type)


@frozen
class Switch:
    """A ruling, variant or option that a host may set at creation, recorded in the genesis.

    `choices` holds the allowed values; `rule` is the first clause that mentions it; its text is the
    phrase `option.<title>.<name>`. `before` is the value for games whose genesis does not name the
    switch because their release did not have it; None: every complete genesis names it. A switch is
    `retired` once another one serves its purpose: games whose genesis names it go on by it, new
    games are not offered it.
    """

    name: str
    default: bool | int | str
    choices: tuple[bool | int | str, ...]
    rule: str
    before: bool | int | str | None = None
    retired: bool = False


class Event(Protocol):
    """An event class carries the tag that names it in the log. Tags and their fields never change
    once released."""

    tag: ClassVar[str]


@dataclass_transform(frozen_default=True, field_specifiers=(attrs.field,))
def event(tag: str) -> Callable[[C], C]:
    """Make an event class whose fields are in the log, in order, after its tag. Treat an event as
    frozen: a replay makes thousands, each in a small part of the time that a frozen class takes.

    Fields hold canonical values (whole numbers, text, None, booleans, bytes, tuples of these) or a
    Secret of one.
    """

    def make(cls: C) -> C:
        # Without slots, so that the class stays the one that was decorated.
        made = attrs.define(slots=False, unsafe_hash=True)(cls)
        type.__setattr__(made, "tag", tag)
        return made

    return make


class Step(Generic[S]):
    """One named step of a sequence of play. While it is on top of the flow it is asked, in this
    order:

    `deciders`: which seats must answer now. If any, the game waits. If none, `advance` runs: it
    changes the flow, or emits an event and is asked again. A title overrides what a step needs; a
    step that asks nobody only needs `advance`. `deciders`, `choices`, `refusal`, `unfinished` and
    `preview` use only what the seat may know.
    """

    def deciders(self, at: Position[S], frame: Frame) -> Mapping[Seat, Decision]:
        """The seats that must answer now, each with its question."""
        return {}

    def choices(self, at: Position[S], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        """Every legal next pick; all earlier picks were offered. `picks == ()` offers the verbs."""
        raise Fault(f"step {frame.name} asks {seat} but offers nothing")

    def refusal(self, at: Position[S], frame: Frame, seat: Seat, picks: Picks) -> Refusal:
        """Why picks[-1] is not among the choices after picks[:-1]. Called only if it is not. A
        title that has no better reason returns None; the refusal then cites the clause of the
        question."""
        asked = self.deciders(at, frame).get(seat)
        return Refusal(
            "" if asked is None else asked.prompt.rule,
            "refusal.not_offered",
            (("pick", picks[-1]),),
        )

    def walk(
        self, at: Position[S], frame: Frame, seat: Seat, picks: Picks
    ) -> tuple[Choices, bool] | Refusal:
        """What may follow the picks, and whether any choice on the way is hidden from other seats;
        or why the first wrong pick is refused."""
        sealed = False
        for index, pick in enumerate(picks):
            on_offer = self.choices(at, frame, seat, picks[:index])
            if not on_offer.offers(pick):
                return self.refusal(at, frame, seat, picks[: index + 1])
            sealed = sealed or on_offer.sealed
        last = self.choices(at, frame, seat, picks)
        return last, sealed or last.sealed

    def unfinished(self, at: Position[S], frame: Frame, seat: Seat, picks: Picks) -> Refusal | None:
        """Why these picks, all offered, are not a complete command yet, if a clause says so (a move
        would end in a full hex). None if more simply has to be picked. Called only for incomplete
        commands."""
        return None

    def preview(self, at: Position[S], frame: Frame, seat: Seat, picks: Picks) -> tuple[Say, ...]:
        """Odds and the like for clients; the door never asks for it."""
        return ()

    def decide(self, table: Table[S], frame: Frame, seat: Seat, picks: Picks) -> None:
        """Carry out a whole command: emit events, draw chance, call steps."""
        raise Fault(f"step {frame.name} takes no command")

    def advance(self, table: Table[S], frame: Frame) -> None:
        """What the rules do here automatically: call another step, be done, or emit an event, after
        which the step is asked again."""
        table.done()


class EachBy(Step[S]):
    """Each of several things once, in an order that a seat chooses. Frame arguments: (seat, item,
    item …).

    The seat is asked while two or more are left; the last is taken automatically. For each item the
    step `child` is called with (item,). `rule` is the clause that gives the seat the choice.
    """

    def __init__(self, child: str, slot: str, prompt: str, rule: str = "") -> None:
        self.child = child
        self.slot = slot
        self.prompt = Say(prompt, (), rule)

    def deciders(self, at: Position[S], frame: Frame) -> Mapping[Seat, Decision]:
        """The seat that chooses, while it has a choice."""
        return {frame.args[0]: Decision(self.prompt)} if len(frame.args) > 2 else {}

    def choices(self, at: Position[S], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        """One of the items that are left."""
        return offer("end", (), complete=True) if picks else offer(self.slot, frame.args[1:])

    def decide(self, table: Table[S], frame: Frame, seat: Seat, picks: Picks) -> None:
        """Call the child for the item chosen."""
        self._go(table, frame, picks[0])

    def advance(self, table: Table[S], frame: Frame) -> None:
        """Take the last item, or be done."""
        if len(frame.args) == 2:
            self._go(table, frame, frame.args[1])
        else:
            table.done()

    def _go(self, table: Table[S], frame: Frame, item: Any) -> None:
        table.replace(frame.args[0], *(left for left in frame.args[1:] if left != item))
        table.call(self.child, item)


class Window(Step[S]):
    """A chance to interrupt or react, offered to one seat: frame arguments (seat, …). Answers are
    `use` and `pass`.

    It opens on its public conditions alone (`is_open`), so that nobody can tell from it whether the
    seat could have used it: a seat that cannot is still asked, and is offered only `pass`.
    """

    prompt: Say = Say("prompt.window")

    def is_open(self, at: Position[S], frame: Frame) -> bool:
        """Whether the window opens, judging by what everybody knows."""
        return True

    def can_use(self, at: Position[S], frame: Frame, seat: Seat) -> bool:
        """Whether this seat may use it, judging by what the seat knows."""
        return True

    def use(self, table: Table[S], frame: Frame, seat: Seat) -> None:
        """The seat uses the window; the frame has already gone."""
        raise Fault(f"window {frame.name} does nothing")

    def deciders(self, at: Position[S], frame: Frame) -> Mapping[Seat, Decision]:
        """The seat to whom the window opens."""
        return {frame.args[0]: Decision(self.prompt)} if self.is_open(at, frame) else {}

    def choices(self, at: Position[S], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        """Use it, or pass."""
        if picks:
            return offer("end", (), complete=True)
        return offer("window", ("use", "pass") if self.can_use(at, frame, seat) else ("pass",))

    def decide(self, table: Table[S], frame: Frame, seat: Seat, picks: Picks) -> None:
        """Close the window and, if it is used, call `use`."""
        table.done()
        if picks[0] == "use":
            self.use(table, frame, seat)


@runtime_checkable
class Scored(Protocol):
    """What a title also provides if its games have a score. The score goes into the `end`
    record."""

    def score(self, at: Position[Any]) -> Mapping[Seat, int]:
        """The points of each seat in the title's unit, whole numbers. Called once, when the game
        has ended, even if a seat has resigned."""
        ...


@frozen
class Margin:
    """How a game stands by the score.

    winner  who would win if the game ended now, by what the rule book says of the end; None: nobody
    unit    a word for the unit of the score, for programs
    points  how many points of the score make one unit
    """

    winner: Seat | None
    unit: str
    points: int = 1


@runtime_checkable
class Margined(Scored, Protocol):
    """What a title provides as well if a game of it may be adjudicated by the score."""

    def margin(self, at: Position[Any]) -> Margin:
        """How the game stands: what an adjudication goes by, and the unit of a margin."""
        ...


@runtime_checkable
class Correctable(Protocol):
    """What a title provides as well if an arbiter may correct what stands on the board."""

    @property
    def corrections(self) -> Step[Any]:
        """A step that is in no sequence: it offers an arbiter what may be corrected, and carries it
        out. It concerns what everybody knows: nothing in it is hidden, drawn or opened, and it
        calls no step."""
        ...


Question = Callable[[Position[Any], Seat, Picks], "tuple[Say, ...] | Refusal"]
"""Answers a seat's question about the position, using only what that seat may know."""


@runtime_checkable
class Questioned(Protocol):
    """What a title also provides if a seat with a decision may ask questions about the position,
    whatever is on offer: who would supply this unit, what is in a stack."""

    @property
    def questions(self) -> Mapping[str, Question]:
        """The questions by their words. A word begins with "?", so it cannot be a pick; it is
        followed by what the question is about."""
        ...


class Rules(Protocol[S]):
    """A title. Instances hold no mutable state. Plain class attributes suffice for the
    properties."""

    @property
    def title(self) -> str:
        """Its name in the registry and the log."""
        ...

    @property
    def version(self) -> str:
        """Version of its rules, for people: docs/versions.md says when it changes."""
        ...

    @property
    def folders(self) -> tuple[str, ...]:
        """The packages that hold its rules, its own first. With `protocol`, `engine.kernel` and
        `engine.board` they are all the sources that decide a game of it, and the rules digest
        covers every source in them. The title's pack is in the folder `pack` of its own package."""
        ...

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The seats in their fixed order."""
        ...

    @property
    def switches(self) -> tuple[Switch, ...]:
        """Rulings, variants and options."""
        ...

    @property
    def sequences(self) -> Mapping[str, tuple[str, ...]]:
        """The sequence of play: name of a sequence -> names of its steps or of further sequences.
        "game" is where play begins."""
        ...

    @property
    def steps(self) -> Mapping[str, Step[S]]:
        """The steps by name."""
        ...

    @property
    def events(self) -> tuple[type[Any], ...]:
        """The event classes."""
        ...

    def initial(self, genesis: Genesis) -> S:
        """The state before the first step, from pack and options."""
        ...

    def triggers(self, table: Table[S], event: Any) -> None:
        """What the rules do automatically after an event (control, latches)."""

    def evolve(self, state: S, event: Any) -> S:
        """The only thing that makes a new state. Never fails on what a step emitted."""
        ...

    def effects(self, before: S, event: Any, after: S) -> Iterable[Effect]:
        """What clients draw and say about the event. Nothing here may depend on a secret, except as
        a Secret."""
        ...

    def picture(self, state: S) -> Iterable[Effect]:
        """The effects that draw this state on an empty board: what a fold of all effects so far
        must look like."""
        ...

    def turns_most(self, pack: Mapping[str, Any], options: Mapping[str, Any]) -> int:
        """How often `Table.turn_over` is called, at the most, in a game with this pack and these
        options in which nothing is taken back. The chain behind the dice has a link for each, and
        one more; a game that would need another is stopped before it does."""
        ...

    def describe(self, pack: Mapping[str, Any], options: Mapping[str, Any]) -> Description:
        """The description from which clients draw a game with this pack and these options. Raises
        ValueError, LookupError, TypeError or AttributeError for a pack of another title."""
        ...

    def outcome(self, at: Position[S]) -> Outcome | None:
        """The result once the game has ended."""

    def invariants(self, state: S) -> None:
        """Assertions that hold after every event; run in tests and self-play."""
