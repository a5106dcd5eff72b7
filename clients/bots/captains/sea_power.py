"""How a War at Sea captain interprets its view: ships with their present values, and how forces
compare.

Read from the board alone: faces say "nation class gunnery-armor-speed(airstrike)+", the marker
`damage` what has happened to a ship.
"""

import re
from collections.abc import Iterable, Mapping

from attrs import frozen

from warledger.protocol.board.effects import Board

_FACE = re.compile(r"(\w+) (\w+) (\d+)-(\d+)-(\d+)(?:\((\d+)\))?(\+)?")

ALLIED, AXIS = "allied", "axis"


@frozen
class Ship:
    """A surface ship as it is now."""

    id: str
    side: str
    nation: str
    kind: str
    gunnery: int
    armor: int
    speed: int
    airstrike: int
    plus: bool
    place: str
    damage: int
    escaped: bool

    @property
    def guns(self) -> int:
        """Dice it fires."""
        return min(1, self.gunnery) if self.damage >= self.armor else self.gunnery

    @property
    def air(self) -> int:
        """Its airstrike."""
        return 0 if self.damage >= self.armor else self.airstrike

    @property
    def knots(self) -> int:
        """Its speed now."""
        return max(1, self.speed - self.damage)

    @property
    def fire(self) -> float:
        """How much its dice do: an undamaged German's do nearly twice as much."""
        return self.guns * (1.8 if self.plus and not self.damage else 1.0)

    @property
    def staying(self) -> float:
        """How much it takes: half a ship even when crippled."""
        return self.armor - self.damage + 1.5

    @property
    def worth(self) -> float:
        """What its loss would cost its owner."""
        if self.kind == "convoy":
            return 9.0
        return 1.0 + 1.5 * self.gunnery + 0.5 * self.armor + 1.5 * self.airstrike

    @property
    def asw(self) -> int:
        """Dice against U-boats."""
        return 3 if self.kind in ("CV", "convoy") else 1


def ships_of(board: Board) -> dict[str, Ship]:
    """Every surface ship that the seat knows by name, by id; U-boats and markers are none."""
    found = {}
    for id, piece in board.pieces.items():
        if type(id) is not str or type(piece.face) is not str or type(piece.place) is not str:
            continue
        face = _FACE.fullmatch(piece.face)
        if face is None or face[2] == "U":
            continue
        damage = board.marks.get((id, "damage"), 0)
        found[id] = Ship(
            id,
            piece.owner,
            face[1],
            face[2],
            int(face[3]),
            int(face[4]),
            int(face[5]),
            int(face[6] or 0),
            face[7] is not None,
            piece.place,
            damage if isinstance(damage, int) else 0,
            bool(board.marks.get((id, "escaped"))),
        )
    return found


def uboats_in(board: Board) -> dict[str, int]:
    """How many U-boats lie in each place."""
    found: dict[str, int] = {}
    for piece in board.pieces.values():
        if type(piece.face) is str and type(piece.place) is str and " U " in piece.face:
            found[piece.place] = found.get(piece.place, 0) + 1
    return found


def strength(ships: Iterable[Ship], *, air: int = 0) -> float:
    """Fire times staying power: twice the ships are four times as strong. `air` is a marker's
    strength there."""
    fire = staying = 0.0
    for ship in ships:
        fire += ship.fire + 0.5 * ship.air
        staying += ship.staying
    return (fire + 0.5 * air) * staying


def odds(mine: Iterable[Ship], theirs: Iterable[Ship]) -> float:
    """How much stronger mine are; 1 is even, and a foe without guns is beaten for certain."""
    ours, other = strength(mine), strength(theirs)
    if other <= 0:
        return 100.0 if ours > 0 else 1.0
    return ours / other


def at(ships: Mapping[str, Ship], place: str, side: str) -> list[Ship]:
    """The ships of a side in a place that have not escaped, in order of their ids."""
    return [
        ship
        for _, ship in sorted(ships.items())
        if ship.place == place and ship.side == side and not ship.escaped
    ]


def holds_speed(knots: int) -> float:
    """The chance that a speed roll is passed: a die below the speed."""
    return min(6, max(0, knots - 1)) / 6
