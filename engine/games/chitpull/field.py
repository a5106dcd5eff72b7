"""What stands in each hex at one moment, and both sides' zones of control. VL 6.0; TY 3.2.

A title's field derives from `Field`. It adds what its own rules ask of positions (lines of
communication, what stands in a mover's way) as `@remembered` methods: answers stay with the
positions that they are about, and go when those are over.
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Generic, Protocol, TypeVar

from attrs import frozen

from warledger.engine.board.zones import Ground, Zones, zones
from warledger.engine.games.chitpull.pack import Printed
from warledger.engine.games.chitpull.sides import AXIS, ENEMY, SIDES
from warledger.engine.games.chitpull.states import OFF_MAP
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.memo import Remembering


class Zoned(Protocol):
    """A title's data, as far as a field needs them."""

    @property
    def types(self) -> Mapping[str, Printed]:
        """Every counter by id."""

    @property
    def zones(self) -> Ground:
        """The hexes into which a zone extends from each hex."""


D = TypeVar("D", bound=Zoned)
F = TypeVar("F", bound="Field[Any]")

SINCE_MAX = 6
"""How many moves a field may be behind counted zones before counting afresh is as quick."""

STEPS_MAX = 32
"""How many moves a field may be behind stacks that were made before it makes its own."""


@frozen(eq=False, slots=False)
class Field(Remembering, Generic[D]):
    """What stands in each hex, and the zones that follow from it.

    A field never changes; `moved` gives the next one. What it tells is worked out when somebody
    asks: stacks from `earlier`, the stacks of a field not long ago, and `steps`, what has moved
    since as (counter, from, to). Zones come from `known` and `since`. So folding a log builds the
    stacks only now and then, and works out no zones but the last.
    """

    data: D
    earlier: Mapping[int, tuple[str, ...]]
    steps: tuple[tuple[str, int, int], ...] = ()
    known: tuple[Zones, Zones] | None = None
    since: tuple[tuple[str, int, int], ...] = ()

    def has_zone(self, name: str) -> bool:
        """Whether a counter has a zone of control: all have, unless a title says otherwise."""
        return True

    def rank(self, name: str) -> Any:
        """What the counters of a hex are ordered by: their ids, unless a title says otherwise."""
        return name

    @cached_property
    def stacks(self) -> Mapping[int, tuple[str, ...]]:
        """The counters in each occupied hex, in the order of `rank`."""
        if not self.steps:
            return self.earlier
        stacks = dict(self.earlier)
        for name, a, b in self.steps:
            if a != OFF_MAP:
                there = stacks[a]
                if len(there) == 1:
                    del stacks[a]
                else:
                    stacks[a] = tuple([other for other in there if other != name])
            if b != OFF_MAP:
                there = stacks.get(b, ())
                stacks[b] = tuple(sorted((*there, name), key=self.rank)) if there else (name,)
        return stacks

    @cached_property
    def both(self) -> tuple[Zones, Zones]:
        """VL 6.0.3; TY 3.2(2) The zones of the Axis and of the Soviets. Several counters in a hex
        have one zone together."""
        types, over = self.data.types, self.data.zones
        if self.known is None:
            found: dict[str, list[int]] = {side: [] for side in SIDES}
            for i, names in self.stacks.items():
                for name in names:
                    if self.has_zone(name):
                        found[types[name].side].append(i)
            return zones(over, found[SIDES[0]]), zones(over, found[SIDES[1]])
        made = list(self.known)
        for name, a, b in self.since:
            side = 0 if types[name].side == AXIS else 1
            if a == OFF_MAP:
                made[side] = made[side].placed(over, b)
            elif b == OFF_MAP:
                made[side] = made[side].taken(over, a)
            else:
                made[side] = made[side].moved(over, a, b)
        return made[0], made[1]

    @cached_property
    def zoneless(self) -> tuple[bytes, bytes]:
        """How many counters without a zone stand in each hex, of the Axis and of the Soviets."""
        types = self.data.types
        found = bytearray(len(self.data.zones)), bytearray(len(self.data.zones))
        for i, names in self.stacks.items():
            for name in names:
                if not self.has_zone(name):
                    found[0 if types[name].side == AXIS else 1][i] += 1
        return bytes(found[0]), bytes(found[1])

    def zones(self, side: str) -> Zones:
        """A side's counters with a zone by hex, and their zones of control."""
        return self.both[0 if side == AXIS else 1]

    def in_enemy_zone(self, side: str, i: int) -> bool:
        """VL 6.0; TY 3.2 Whether a hex lies in a zone of control of the side's enemy."""
        return self.zones(ENEMY[side]).count[i] != 0

    def moved(self: F, name: str, a: int, b: int) -> F:
        """With a counter gone from hex a (OFF_MAP: from off the map) to hex b (OFF_MAP: taken off
        the map)."""
        if a == b:
            return self
        step = name, a, b
        inside = self.__dict__
        earlier, steps = self.earlier, (*self.steps, step)
        if len(steps) > STEPS_MAX or "stacks" in inside:
            earlier, steps = self.stacks, (step,)
        known: tuple[Zones, Zones] | None = inside.get("both")
        since: tuple[tuple[str, int, int], ...] = ()
        if known is None:
            known, since = self.known, self.since
        if known is not None and self.has_zone(name):
            if len(since) < SINCE_MAX:
                since = (*since, step)
            else:
                known, since = None, ()
        made = replace(self, earlier=earlier, steps=steps, known=known, since=since)
        zoneless = inside.get("zoneless")
        if zoneless is not None:
            made.__dict__["zoneless"] = (
                zoneless if self.has_zone(name) else self._shifted(zoneless, step)
            )
        return made

    def _shifted(
        self, counts: tuple[bytes, bytes], step: tuple[str, int, int]
    ) -> tuple[bytes, bytes]:
        """How many counters without a zone stand in each hex, once one of them has moved."""
        name, a, b = step
        side = 0 if self.data.types[name].side == AXIS else 1
        found = bytearray(counts[side])
        if a != OFF_MAP:
            found[a] -= 1
        if b != OFF_MAP:
            found[b] += 1
        return (bytes(found), counts[1]) if side == 0 else (counts[0], bytes(found))

    def laid(self: F, places: Mapping[str, int]) -> F:
        """With counters in the hexes given and nothing else."""
        stacks: dict[int, list[str]] = {}
        for name, i in sorted(places.items()):
            stacks.setdefault(i, []).append(name)
        ordered = {i: tuple(sorted(names, key=self.rank)) for i, names in stacks.items()}
        return replace(self, earlier=ordered, steps=(), known=None, since=())
