"""What a command asks for: slots for one pick, for many, for pairs, or in a free form. `commands`
puts them together."""

from collections.abc import Callable, Iterable
from typing import Any, Generic, TypeAlias, TypeVar

import attrs
from attrs import frozen

from warledger.engine.kernel.change import unguarded
from warledger.engine.kernel.lazy import Lazy
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.types import Seat
from warledger.protocol.board.choices import Choices, Option, Pick, Picks, Refusal, Say, refuse, say

S = TypeVar("S")
T = TypeVar("T")
V = TypeVar("V")


@unguarded
class Asked(Generic[S]):
    """Who is asked, and where: the position, the frame of the step, and the seat. While a command
    is carried out this stays the position in which it was given."""

    at: Position[S]
    frame: Frame
    seat: Seat

    @property
    def state(self) -> S:
        """The title's state."""
        return self.at.state


Offer: TypeAlias = Iterable[Pick | Option] | Lazy
"""What a slot offers, in the order in which clients show it. A `range` offers every whole number
that it contains."""

Rule: TypeAlias = bool | Callable[[Asked[S], T], bool]
"""A property of a slot that is fixed, or depends on the order so far."""


def holds(rule: Rule[S, T], asked: Asked[S], order: T) -> bool:
    """Whether a rule of a slot holds for the order so far."""
    return rule if isinstance(rule, bool) else rule(asked, order)


# --- slots ----------------------------------------------------------------------------------------


@frozen
class Part(Generic[S, T]):
    """What all kinds of slots are.

    `name`    the field of the order
    `asks`    what is being picked: clients show the phrase `slot.<asks>`
    `offers`  what may be picked
    `why`     why a pick is not on offer; None leaves the clause of the question
    `takes`   whether a pick, right or wrong, is meant for this slot and not for the next. Needed
              where both are on offer at once: by a slot before the last that may be left out or
              picked again
    `joint`   `asks` while the next slot is on offer too; "" for the same
    """

    name: str
    asks: str
    offers: Callable[[Asked[S], T], Offer]
    why: Callable[[Asked[S], T, Pick], Refusal | None] | None = None
    takes: Callable[[Asked[S], Pick], bool] | None = attrs.field(default=None, kw_only=True)
    joint: str = attrs.field(default="", kw_only=True)


@frozen
class Slot(Part[S, T]):
    """One pick. `optional`: whether the command may go on, or end, without it."""

    optional: Rule[S, T] = attrs.field(default=False, kw_only=True)

    @property
    def usage(self) -> str:
        """SHIP, or [SHIP] if it can be left out."""
        word = self.name.upper()
        return f"[{word}]" if self.optional else word


@frozen
class Many(Part[S, T]):
    """Any number of picks, a tuple in the order.

    `enough`  whether the command may go on, or end, with those picked so far; without it, with one
    `full`    whether no more may be picked; without it, never: then what is offered decides

    Where the next slot is on offer too, its picks come first, since they end these.
    """

    enough: Rule[S, T] | None = attrs.field(default=None, kw_only=True)
    full: Rule[S, T] = attrs.field(default=False, kw_only=True)

    @property
    def usage(self) -> str:
        """SHIPS …, or [SHIPS …] if none is needed."""
        word = f"{self.name.upper()} …"
        return f"[{word}]" if self.enough is True else word


@frozen
class Set(Many[S, T]):
    """Different picks in any order: a sorted tuple in the order, without doubles. What has been
    picked is not on offer again, so that `offers` may name it all the same.

    `needs`  how many it takes, exactly: then `enough` and `full` are left out, and a preview says
             how many of them have been picked
    """

    needs: Callable[[Asked[S], T], int] | None = attrs.field(default=None, kw_only=True)

    def __attrs_post_init__(self) -> None:
        if self.needs is not None:
            object.__setattr__(self, "enough", self._is_whole)
            object.__setattr__(self, "full", self._is_whole)

    def _is_whole(self, asked: Asked[S], order: T) -> bool:
        assert self.needs is not None
        return len(getattr(order, self.name)) == self.needs(asked, order)

    def count(self, asked: Asked[S], order: T) -> Say:
        """How many have been picked of those that it needs."""
        assert self.needs is not None
        return say("preview.chosen", k=len(getattr(order, self.name)), n=self.needs(asked, order))

    def too_few(self, asked: Asked[S], order: T) -> Refusal | None:
        """Why those picked are not enough, or None; the clause is that of the question."""
        assert self.needs is not None
        k, n = len(getattr(order, self.name)), self.needs(asked, order)
        return refuse("", "refusal.chosen_too_few", k=k, n=n) if k < n else None


@frozen
class Pairs(Generic[S, T]):
    """Any number of pairs of picks, a tuple of pairs in the order: `name` its field. The first pick
    of a pair that waits for its second is in the field of `first`. `second` has no field.

    `enough`, `full` are as in `Many`, and asked between pairs.
    """

    name: str
    first: Slot[S, T]
    second: Slot[S, T]
    enough: Rule[S, T] | None = attrs.field(default=None, kw_only=True)
    full: Rule[S, T] = attrs.field(default=False, kw_only=True)

    @property
    def usage(self) -> str:
        """SHIP TARGET …, or [SHIP TARGET …] if none is needed."""
        words = f"{self.first.name.upper()} {self.second.name.upper()} …"
        return f"[{words}]" if self.enough is True else words


@frozen
class Free(Generic[S, T, V]):
    """All remaining picks, which the title reads and offers itself: paths, groups and payments with
    a form of their own. It is the last slot.

    `read`     the picks so far as a value, which is the field of the order: paths want it
    `choices`  what may come next, as `Step.choices`
    `why`      why a pick is not among them
    `form`     how the usage line shows it
    """

    name: str
    read: Callable[[Asked[S], Picks], V]
    choices: Callable[[Asked[S], T], Choices]
    why: Callable[[Asked[S], T, Pick], Refusal | None] | None = None
    form: str = attrs.field(default="", kw_only=True)

    @property
    def usage(self) -> str:
        """The usage line, which the title may define."""
        return self.form or f"{self.name.upper()} …"


AnySlot: TypeAlias = Slot[S, T] | Many[S, T] | Pairs[S, T] | Free[S, T, Any]
