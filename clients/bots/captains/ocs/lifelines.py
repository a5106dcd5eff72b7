"""Where a side's supply ends, and which hexes are in supply, as far as the board tells.

OCS 12.6 Trace ends at map edges and what the scenario names, at stations that a railway joins to
them, and at extenders that reach them. HQs throw it on. What is worked out here are estimates for
choosing a move: weather, lines that some units may not cross and the trace of whole formations are
left out.
"""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet

from warledger.clients.bots.captains.ocs.ground import LEG, TRUCK, Counter, Ground
from warledger.protocol.board.effects import Board

DRAW, WAGONS = 5.0, 10.0
"""How far supply is drawn, and how far a wagon extender reaches on, in movement points of their
kind."""

SURE = 4.0
"""How far it is drawn whatever these estimates leave out."""

EXTENDER = "extender"
"""The mark of transport that stands as an extender."""


class Lifelines:
    """The lines of one side at one moment.

    `shut`   hexes with enemy combat units
    `walls`  hexes in enemy zones where nobody of the side stands: they stop trains and Truck paths
    `mine`   hexes that the side controls
    """

    def __init__(
        self,
        ground: Ground,
        board: Board,
        side: str,
        shut: frozenset[int],
        walls: set[int],
        mine: set[int],
    ) -> None:
        self._ground, self._board, self._side = ground, board, side
        self._shut, self._walls = shut, walls
        self._open = frozenset(mine) - shut - walls

    # --- where trace ends -------------------------------------------------------------------------

    def ends(
        self, posts: Iterable[int], wagons: Sequence[int], trucks: Sequence[int]
    ) -> frozenset[int]:
        """Where trace ends: by map and scenario, by rail, by extenders. `posts` are hexes of HQs
        that are set up, `wagons` and `trucks` hexes with extenders of those kinds."""
        found = self.named()
        left = [(i, LEG, WAGONS) for i in wagons if i in self._open]
        left += [(i, TRUCK, 2 * WAGONS) for i in trucks if i in self._open]
        while True:
            found = found | self._stations(found, posts)
            joined = [
                one for one in left if one[0] in found or self.reach(one[0], one[1], one[2]) & found
            ]
            if not joined:
                return found
            found |= {i for i, _, _ in joined}
            left = [one for one in left if one not in joined]

    def named(self) -> frozenset[int]:
        """Where trace ends by map and scenario: entries that are open, sources, and markers that
        are sources."""
        ground, board = self._ground, self._board
        turn = int(board.tracks.get("turn", 0) or 0)
        found: set[int] = set()
        moving = set(ground.depots)
        for one in ground.sources:
            if one.get("side") not in (self._side, "shared"):
                continue
            opened = (str(one["id"]), "opened") in board.marks
            if int(one.get("from_turn", 0)) > turn and not opened:
                continue
            if "marker" in one:
                moving.add(str(one["marker"]))
            found.update(ground.listed(str(one.get("hexes", one.get("hex", "")))))
        found |= {
            ground.index[at] for at, name in board.marks if name in moving and at in ground.index
        }
        return frozenset(found & self._open)

    def _stations(self, starts: AbstractSet[int], posts: Iterable[int]) -> frozenset[int]:
        """Stations that a railway joins to these hexes: places, and HQs that are set up on it."""
        ground = self._ground
        if self._side not in ground.railways:
            return frozenset()
        seen = set(starts)
        front = list(starts)
        while front:
            i = front.pop()
            for n in ground.rails.get(i, ()):
                if n in seen or n not in self._open or self._broken(i, n):
                    continue
                seen.add(n)
                front.append(n)
        places = {i for i in seen if i in ground.stations}
        return frozenset(places | (seen & set(posts)))

    def _broken(self, a: int, b: int) -> bool:
        ground = self._ground
        ids, direction = ground.ids, ground.grid.direction
        either = ((ids[a], direction(a, b)), (ids[b], direction(b, a)))
        return any((at, f"bridge_down.{d}") in self._board.marks for at, d in either)

    # --- how far it goes --------------------------------------------------------------------------

    def reach(self, i: int, kind: str, points: float) -> frozenset[int]:
        """Hexes that a path of a kind of movement reaches from here, and those beside them."""
        walls = self._walls if kind == TRUCK else set()
        return self._beside(self._ground.spread((i,), kind, points, self._shut, walls))

    def drawn(self, ends: Iterable[int], points: float = DRAW) -> frozenset[int]:
        """Hexes from which units draw out of one of these."""
        return self._beside(self._ground.spread(ends, TRUCK, points, self._shut, self._walls))

    def thrown(
        self, hqs: Mapping[str, tuple[int, str]], counters: Mapping[str, Counter]
    ) -> frozenset[int]:
        """Hexes to which these HQs throw: each stands in a hex, on a side of its counter."""
        found: frozenset[int] = frozenset()
        for id, (i, face) in hqs.items():
            counter = counters[id]
            found |= self.reach(i, counter.throws, float(counter.faces[face].strength))
        return found

    def _beside(self, found: Mapping[int, float]) -> frozenset[int]:
        adjacent = self._ground.grid.adjacent
        return frozenset(found).union(*(adjacent[i] for i in found))
