"""The counters as a seat sees them: where they are, what they are worth now, who holds which hexes,
what is in supply.

Under fog only the shown unit of an enemy hex is seen. What lies below is remembered from where it
was last seen, the set-up of the scenario first: such a belief holds while enemies are in that hex.
"""

from collections.abc import Iterable, Mapping

from attrs import define, field

from warledger.clients.bots.captains.ocs.ground import COMBAT, MOVE, TRUCK, Counter, Ground
from warledger.protocol.effects import Board
from warledger.protocol.hexgrid import OFF_MAP

DG, STRAT, RESERVE, EXPLOIT, OOS = "dg", "strat", "reserve", "exploit", "oos"
HALF = 0.5
DRAW = 5.0


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
    _supplied: frozenset[int] | None = None
    _drawable: dict[int, int] | None = None
    _fed: frozenset[int] | None = None
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
        counter = self.counter(id)
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

    def shut(self) -> set[int]:
        """Hexes with enemy combat units."""
        return {i for i in self.enemies if self.fighters(i)}

    def fed(self) -> frozenset[int]:
        """Hexes from which my units draw out of a dump or source themselves, roughly."""
        if self._fed is None:
            ground = self.ground
            mine = [one for one in ground.scenario.get("source", ()) if one["side"] == self.side]
            ends = {ground.index[one["hex"]] for one in mine if "hex" in one}
            moving = {one["marker"] for one in mine if "marker" in one}
            ends |= {
                ground.index[place]
                for place, marker in self.board.marks
                if marker in moving and place in ground.index
            }
            spread = ground.spread(
                ends | set(self.tokens()), TRUCK, DRAW, self.shut(), self.walls()
            )
            self._fed = frozenset(spread)
        return self._fed

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

    def supplied(self) -> frozenset[int]:
        """Hexes in which my units are in supply, roughly: in the throw of an HQ, or near a dump or
        source."""
        if self._supplied is None:
            ground = self.ground
            shut, walls = self.shut(), self.walls()
            found = set(self.fed())
            for id in self.at:
                counter = self.counter(id)
                if counter.hq and counter.side == self.side and not self.has(id, STRAT):
                    throw = counter.faces[self.face(id)].strength
                    found |= set(ground.spread((self.at[id],), TRUCK, float(throw), shut, walls))
            near = {n for i in found for n in ground.grid.adjacent[i]}
            self._supplied = frozenset(found | near)
        return self._supplied

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

    def distance(self, i: int, hexes: Iterable[int]) -> int:
        """How far it is to the nearest of these hexes."""
        return min((self.ground.grid.distance(i, n) for n in hexes), default=99)


__all__ = ["DG", "EXPLOIT", "OOS", "RESERVE", "STRAT", "Front", "Memory"]
