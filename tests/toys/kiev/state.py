"""What a game is at one moment."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from attrs import field as fixed
from attrs import frozen

from tests.toys.kiev.data import Data
from warledger.engine.board import hexsets
from warledger.engine.board.zones import Zones, zones
from warledger.engine.games.chitpull import lines
from warledger.engine.games.chitpull.sides import ENEMY, SIDES, SOVIET
from warledger.engine.games.chitpull.states import OFF_MAP
from warledger.engine.kernel.memo import Remembering
from warledger.protocol.chance.seal import Secret


@frozen(slots=False)
class Activation:
    """Who is active, and what of it has moved and attacked."""

    side: str
    units: tuple[str, ...]
    moved: frozenset[str] = frozenset()
    fought: frozenset[str] = frozenset()
    targets: tuple[int, ...] = ()


@frozen(slots=False)
class Battle:
    """A combat: who loses a step, "" for nobody."""

    target: int
    attackers: tuple[str, ...]
    loser: str
    advanced: frozenset[str] = frozenset()


@frozen(slots=False)
class State(Remembering):
    """Where each counter is (OFF_MAP: waiting, or in the box), what shows its reduced face, the
    chits of the turn."""

    data: Data = fixed(eq=False, repr=False)
    places: Mapping[str, int]
    reduced: frozenset[str] = frozenset()
    ready: frozenset[str] = frozenset()
    kiev: str = SOVIET
    turn: int = 0
    chosen: Mapping[str, Secret | None] = fixed(factory=lambda: dict.fromkeys(SIDES))
    drawn: tuple[str, ...] = ()
    activation: Activation | None = None
    battle: Battle | None = None

    @property
    def field(self) -> "State":
        """A board this small is its own field."""
        return self

    @cached_property
    def stacks(self) -> dict[int, tuple[str, ...]]:
        """Counters by hex."""
        found: dict[int, tuple[str, ...]] = {}
        for name, i in self.places.items():
            if i != OFF_MAP:
                found[i] = (*found.get(i, ()), name)
        return found

    @cached_property
    def both(self) -> dict[str, Zones]:
        """Zones of control by side."""
        on_map = [
            (self.data.types[name].side, i) for name, i in self.places.items() if i != OFF_MAP
        ]
        return {
            side: zones(self.data.zones, (i for owner, i in on_map if owner == side))
            for side in SIDES
        }

    def zones(self, side: str) -> Zones:
        """A side's zones of control."""
        return self.both[side]

    def at(self, name: str) -> int:
        """The hex of a counter."""
        return self.places[name]

    def enemies_in(self, side: str, i: int) -> tuple[str, ...]:
        """Enemies of a side in a hex."""
        return self.stacks[i] if self.both[ENEMY[side]].pieces[i] else ()

    def option(self, name: str) -> Any:
        """A switch in force."""
        return self.data.options[name]

    def steps(self, name: str) -> int:
        """Steps that a counter can lose."""
        return self.data.types[name].steps(name in self.reduced)

    def strength(self, names: Iterable[str], factor: int) -> int:
        """Attack (0) or defence (1) of counters."""
        return sum(self.data.types[name].strength(name in self.reduced)[factor] for name in names)

    def supplied(self, side: str) -> int:
        """Hexes that a line of communication reaches: chitpull.lines."""
        enemy, mine = self.both[ENEMY[side]], self.both[side]
        into = lines.empty_of(enemy.pieces)
        through = into & (lines.empty_of(enemy.count) | lines.hexes_of(mine.pieces))
        return lines.reached(self.data.land, hexsets.of(self.data.sources[side]), through, into)


def room(state: State, names: tuple[str, ...], i: int) -> bool:
    """Two counters a hex, never with enemies."""
    others = [name for name in state.stacks.get(i, ()) if name not in names]
    return len(others) + len(names) <= 2 and all(
        state.data.types[name].side == state.data.types[names[0]].side for name in others
    )


def unseen(state: State) -> int:
    """Chits not seen yet, which everybody may count."""
    return (
        sum(chosen is not None for chosen in state.chosen.values())
        + (1 if None not in state.chosen.values() else 0)
        - len(state.drawn)
    )
