"""The counters as a seat sees them: where they are, what they are worth now, who holds which hexes,
what is in supply.

Under fog only the shown unit of an enemy hex is seen. What lies below is remembered from where it
was last seen, the set-up of the scenario first: such a belief holds while enemies are in that hex.
"""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet

from attrs import define, field

from warledger.clients.bots.captains.ocs.ground import COMBAT, LEG, MOVE, TRUCK, Counter, Ground
from warledger.clients.bots.captains.ocs.lifelines import DRAW, EXTENDER, SURE, Lifelines
from warledger.protocol.board.effects import Board
from warledger.protocol.board.hexgrid import OFF_MAP

DG, STRAT, RESERVE, EXPLOIT, OOS = "dg", "strat", "reserve", "exploit", "oos"
HALF = 0.5

AT_FRONT = 3
"""How near to the enemy troops are at the front, in hexes."""

COMING_UP, HALF_AS_MUCH = 10, 0.5
"""How near to the enemy troops will soon fight, in hexes, and how much of what those at the front
want is wanted for them."""

MEAL = 40.0
"""T beyond which an HQ needs no more for its troops."""

FIGHT, PANTRY = 4, 8
"""T within a draw from which on units have something to fight with, and from which on a dump that
is cut off feeds them."""


class Memory:
    """Where enemies are believed to be: unit -> hex."""

    def __init__(self, ground: Ground, side: str) -> None:
        self.places: dict[str, int] = {}
        for hex, names in ground.scenario.get("on_map", {}).items():
            for name in names.split():
                counter = ground.counters.get(name)
                if counter is not None and counter.side != side:
                    self.places[name] = ground.index[hex]

    def look(self, ground: Ground, board: Board, side: str) -> Mapping[str, int]:
        """Note what is seen, drop beliefs that cannot be true, and return where every unit is
        believed to be."""
        seen: dict[str, int] = {}
        for id, piece in board.pieces.items():
            counter = ground.counters.get(id)
            if counter is not None and counter.side != side:
                seen[id] = ground.index.get(piece.place, OFF_MAP)
        held = {i for i in seen.values() if i != OFF_MAP}
        kept = {name: i for name, i in self.places.items() if i in held and name not in seen}
        self.places = {**kept, **{name: i for name, i in seen.items() if i != OFF_MAP}}
        return self.places


@define(eq=False)
class Front:
    """The counters on the map at one moment, seen from one side. Hexes are named by their index in
    the ground's grid.

    at       the hex of each counter: one's own as the board has them, the enemy's as remembered
    friends  one's own counters by hex
    enemies  the enemy's, as far as they are seen or believed to be there
    zone     hexes that enemies exert a zone of control into (4.4), with how many hexes do

    What is worked out from them (supply, guards) is kept until the next moment has a front of its
    own. Its numbers are estimates for choosing a move; no rule is decided by them.
    """

    ground: Ground
    board: Board
    side: str
    at: dict[str, int] = field(factory=dict)
    friends: dict[int, list[str]] = field(factory=dict)
    enemies: dict[int, list[str]] = field(factory=dict)
    zone: dict[int, int] = field(factory=dict)
    _shut: frozenset[int] | None = None
    _away: Mapping[int, int] | None = None
    _worths: dict[str, float] = field(factory=dict)
    _supplied: frozenset[int] | None = None
    _armed: frozenset[int] | None = None
    _drawable: dict[int, int] | None = None
    _lifelines: Lifelines | None = None
    _ends: frozenset[int] | None = None
    _drawn: frozenset[int] | None = None
    _traced: frozenset[int] | None = None
    _surely: frozenset[int] | None = None
    _hunger: dict[int, float] | None = None
    _guards: dict[int, list[str]] = field(factory=dict)

    @classmethod
    def of(cls, ground: Ground, board: Board, side: str, memory: Memory) -> "Front":
        """Read the board."""
        front = cls(ground, board, side)
        for id, piece in board.pieces.items():
            counter = ground.counters.get(id)
            i = ground.index.get(piece.place, OFF_MAP)
            if counter is None or i == OFF_MAP or counter.side != side:
                continue
            front.at[id] = i
            front.friends.setdefault(i, []).append(id)
        for id, i in memory.look(ground, board, side).items():
            front.at[id] = i
            front.enemies.setdefault(i, []).append(id)
        for i, names in front.enemies.items():
            if any(front.exerts(id) for id in names):
                for n in ground.grid.adjacent[i]:
                    front.zone[n] = front.zone.get(n, 0) + 1
        return front

    # --- one unit ---------------------------------------------------------------------------------

    def counter(self, id: str) -> Counter:
        """What is printed on it."""
        return self.ground.counters[id]

    def has(self, id: str, marker: str) -> bool:
        """Whether a marker is on it."""
        return (id, marker) in self.board.marks

    def face(self, id: str) -> str:
        """The side that shows; the Combat side of one that is only believed to be there."""
        piece = self.board.pieces.get(id)
        faces = self.counter(id).faces
        shown = MOVE if piece is not None and piece.face == MOVE else COMBAT
        return shown if shown in faces else next(iter(faces))

    def steps(self, id: str) -> int:
        """Steps left, as far as is known."""
        return max(self.counter(id).steps - int(self.board.marks.get((id, "lost"), 0)), 1)

    def exerts(self, id: str) -> bool:
        """Whether it exerts a zone."""
        if not self.counter(id).attacks or self.face(id) != COMBAT:
            return False
        return not any(self.has(id, mark) for mark in (DG, STRAT, RESERVE, OOS))

    def ar(self, id: str, face: str = "") -> int:
        """Its AR now, or on a side that it could turn to."""
        printed = self.counter(id).faces[face or self.face(id)].ar
        return 0 if self.has(id, STRAT) else printed - self.has(id, DG)

    def attack(self, id: str, face: str = "") -> float:
        """Its strength in attack now, or on a side that it could turn to, before terrain."""
        counter = self.counter(id)
        if not counter.attacks or self.has(id, STRAT):
            return 0.0
        value = float(counter.faces[face or self.face(id)].strength)
        if counter.steps > 1 and self.steps(id) < counter.steps:
            value *= HALF
        return value * self._shaken(id)

    def defence(self, id: str) -> float:
        """Its strength in defence now, before terrain."""
        counter, face = self.counter(id), self.face(id)
        if not counter.combat_unit or self.has(id, STRAT):
            return 0.0
        if counter.hq:
            value = float(counter.defence[face == MOVE])
        elif counter.artillery:
            value = 1.0
        else:
            value = float(counter.faces[face].strength)
        if counter.steps > 1 and 2 * (counter.steps - self.steps(id)) >= counter.steps:
            value *= HALF
        if self.has(id, RESERVE):
            value *= HALF
        return value * self._shaken(id)

    def _shaken(self, id: str) -> float:
        return (HALF if self.has(id, DG) else 1.0) * (HALF if self.has(id, OOS) else 1.0)

    def re(self, id: str) -> int:
        """What it takes of a hex's stacking, in quarters of an RE."""
        counter = self.counter(id)
        if not counter.combat_unit:
            return 0
        return 4 * self.steps(id) if counter.steps > 1 else counter.re

    def worth(self, id: str) -> float:
        """What a step of it is worth."""
        found = self._worths.get(id)
        if found is None:
            found = self._worths[id] = self._worth(self.counter(id))
        return found

    def _worth(self, counter: Counter) -> float:
        if counter.hq:
            return 8.0
        if counter.artillery:
            return 4.0
        best = max((face.strength for face in counter.faces.values()), default=0)
        quality = max((face.ar for face in counter.faces.values()), default=0)
        return 0.25 + 0.1 * best * (1 + 0.15 * quality) / counter.steps

    # --- one hex ----------------------------------------------------------------------------------

    def load(self, i: int) -> int:
        """Quarters of an RE of my combat units in a hex."""
        return sum(self.re(id) for id in self.friends.get(i, ()))

    def fighters(self, i: int) -> list[str]:
        """The enemy combat units in a hex."""
        return [id for id in self.enemies.get(i, ()) if self.counter(id).combat_unit]

    def guards(self, i: int) -> list[str]:
        """My attack-capable units in a hex."""
        if i not in self.friends:
            return []
        found = self._guards.get(i)
        if found is None:
            found = self._guards[i] = [
                id for id in self.friends[i] if self.counter(id).attacks and not self.has(id, STRAT)
            ]
        return found

    def hedgehog(self, i: int) -> int:
        """The level of the hedgehog in a hex, whoever's."""
        marks, name = self.board.marks, self.ground.ids[i]
        return max(int(marks.get((name, f"hedgehog.{side}"), 0)) for side in self.ground.sides)

    def mine(self, i: int) -> bool:
        """Whether a hex is under my control."""
        name, marks = self.ground.ids[i], self.board.marks
        if (name, f"control.{self.side}") in marks:
            return True
        if (name, f"control.{self.ground.enemy(self.side)}") in marks:
            return False
        return self.ground.control.get(i) == self.side

    def tokens(self) -> dict[int, int]:
        """My supply on the ground: hex -> T."""
        marker, index = f"supply.{self.side}", self.ground.index
        return {
            index[place]: int(value)
            for (place, name), value in self.board.marks.items()
            if name == marker and place in index
        }

    # --- fields -----------------------------------------------------------------------------------

    def walls(self) -> set[int]:
        """Hexes that stop a Truck path: enemy zones where nobody of mine stands."""
        return {i for i in self.zone if i not in self.friends}

    def shut(self) -> frozenset[int]:
        """Hexes with enemy combat units."""
        if self._shut is None:
            self._shut = frozenset(i for i in self.enemies if self.fighters(i))
        return self._shut

    def lifelines(self) -> Lifelines:
        """How supply comes to my side."""
        if self._lifelines is None:
            mine = {i for i in self.ground.play if self.mine(i)}
            self._lifelines = Lifelines(
                self.ground, self.board, self.side, self.shut(), self.walls(), mine
            )
        return self._lifelines

    def hqs(self) -> dict[str, int]:
        """My HQs that can throw, and where they are."""
        return {
            id: i
            for names in self.friends.values()
            for id in names
            if self.counter(id).hq and not self.has(id, STRAT)
            for i in (self.at[id],)
        }

    def adrift(self) -> dict[str, int]:
        """My HQs that do not trace, and where they are."""
        return {id: i for id, i in self.hqs().items() if i not in self.drawn()}

    def wagons(self) -> list[int]:
        """Hexes with my wagon extenders."""
        marked = [
            self.ground.index[at]
            for at, name in self.board.marks
            if name in self.ground.extenders and at in self.ground.index
        ]
        return sorted({i for i in marked if self.mine(i)} | self._extending(LEG))

    def _extending(self, kind: str) -> set[int]:
        return {
            self.at[id]
            for names in self.friends.values()
            for id in names
            if self.has(id, EXTENDER) and self.counter(id).faces[self.face(id)].mobility == kind
        }

    def ends(self, wagons: Sequence[int] | None = None) -> frozenset[int]:
        """Where my trace ends, roughly; with wagon extenders in these hexes, or in those where they
        are."""
        if wagons is None and self._ends is not None:
            return self._ends
        posts = [i for id, i in self.hqs().items() if self.face(id) == COMBAT]
        stand = self.wagons() if wagons is None else wagons
        found = self.lifelines().ends(posts, stand, sorted(self._extending(TRUCK)))
        if wagons is None:
            self._ends = found
        return found

    def drawn(self) -> frozenset[int]:
        """Hexes from which my units and HQs trace by themselves, roughly."""
        if self._drawn is None:
            self._drawn = self.lifelines().drawn(self.ends())
        return self._drawn

    def surely(self) -> frozenset[int]:
        """Hexes well within the draw of my units and HQs: where to send an HQ."""
        if self._surely is None:
            self._surely = self.lifelines().drawn(self.ends(), SURE)
        return self._surely

    def traced(self) -> frozenset[int]:
        """Hexes in which my units trace, roughly, by themselves or by an HQ."""
        if self._traced is None:
            self._traced = self.drawn() | self.thrown(self.drawn())
        return self._traced

    def armed(self, posts: Mapping[str, tuple[int, str]] | None = None) -> frozenset[int]:
        """Hexes in which my units have supply to fight with, roughly: they draw some, or an HQ does
        that throws it."""
        if posts is None and self._armed is not None:
            return self._armed
        rich = frozenset(i for i, tokens in self.drawable().items() if tokens >= FIGHT)
        found = rich | self.thrown(rich, posts)
        if posts is None:
            self._armed = found
        return found

    def thrown(
        self, drawn: AbstractSet[int], posts: Mapping[str, tuple[int, str]] | None = None
    ) -> frozenset[int]:
        """Hexes to which the HQs throw that stand in these hexes and draw there. `posts` are the
        hexes and sides of HQs that are to move."""
        stand = {id: (i, self.face(id)) for id, i in self.hqs().items()}
        stand.update(posts or {})
        found = {id: one for id, one in stand.items() if one[0] in drawn}
        return self.lifelines().thrown(found, self.ground.counters)

    def supplied(self, posts: Mapping[str, tuple[int, str]] | None = None) -> frozenset[int]:
        """Hexes in which my units are in supply, roughly: where they trace, and where they could
        eat for long out of a dump that is cut off. `posts` as in `thrown`."""
        if posts is None and self._supplied is not None:
            return self._supplied
        traced = self.drawn() | self.thrown(self.drawn(), posts)
        cut = frozenset(
            i for i, tokens in self.drawable().items() if tokens >= PANTRY and i not in traced
        )
        found = traced | cut | self.thrown(cut, posts)
        if posts is None:
            self._supplied = found
        return found

    def drawable(self) -> Mapping[int, int]:
        """How many T my units draw out of dumps in each hex, roughly; hexes without any are left
        out."""
        if self._drawable is None:
            found: dict[int, int] = {}
            shut, walls, adjacent = self.shut(), self.walls(), self.ground.grid.adjacent
            for i, tokens in self.tokens().items():
                way = self.ground.spread((i,), TRUCK, DRAW, shut, walls)
                for n in {*way, *(n for k in way for n in adjacent[k])}:
                    found[n] = found.get(n, 0) + tokens
            self._drawable = found
        return self._drawable

    def hunger(self) -> Mapping[int, float]:
        """Hexes where supply would help HQs with troops at the front, or soon there, and little to
        throw, and how much they lack, in T."""
        if self._hunger is None:
            grid, drawable = self.ground.grid, self.drawable()
            troops: list[tuple[int, float]] = []
            for i, names in self.friends.items():
                away = self.away(i)
                if away <= COMING_UP:
                    steps = sum(self.steps(id) for id in names if self.counter(id).fights)
                    troops.append((i, steps * (1.0 if away <= AT_FRONT else HALF_AS_MUCH)))
            found: dict[int, float] = {}
            for id, at in self.hqs().items():
                throw = max(face.strength for face in self.counter(id).faces.values())
                wanted = sum(n for i, n in troops if grid.distance(at, i) <= throw)
                lacks = min(2.0 * wanted, MEAL) - drawable.get(at, 0)
                if lacks > 0:
                    for i in self.lifelines().reach(at, TRUCK, SURE):
                        found[i] = found.get(i, 0.0) + lacks
            self._hunger = found
        return self._hunger

    def danger(self, reach: int = 2) -> dict[int, float]:
        """How much enemy strength could attack each hex soon."""
        found: dict[int, float] = {}
        for i, names in self.enemies.items():
            for mobile in (False, True):
                strength = sum(self.attack(id) for id in names if self.counter(id).mobile is mobile)
                if strength:
                    for n in self.ground.disc(i, reach + 1 if mobile else reach):
                        found[n] = found.get(n, 0.0) + strength
        return found

    def away(self, i: int) -> int:
        """How far it is to the nearest hex with enemy combat units; 99 where there are none."""
        if self._away is None:
            self._away = self.ground.field(self.shut())
        return self._away.get(i, 99)

    def distance(self, i: int, hexes: Iterable[int]) -> int:
        """How far it is to the nearest of these hexes."""
        return min((self.ground.grid.distance(i, n) for n in hexes), default=99)
