"""Moving along waypoints: how far a mover gets, by which way, and where it may stop.

A `Mover` is whoever moves, at one moment: where it stands, the half points it has, what stands in
its way. A command names waypoints. Each is reached by the canonical cheapest way from the one
before, so naming every neighbour gives full control of the path. What a mover reaches is kept with
the `field` of positions that it was worked out from.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import cached_property, lru_cache

from attrs import frozen

from warledger.engine.board.going import ENDS_MOVE, WHOLE_ALLOWANCE, Compiled
from warledger.engine.board.paths import (
    NO_ENTRY,
    STOP,
    ZONE,
    Conditions,
    Reach,
    Stopped,
    reach,
    walk,
)
from warledger.engine.kernel.change import unguarded
from warledger.engine.kernel.memo import Remembering, remembered

# How a table of one byte a hex is read: what it counts there makes the hex one of these for a
# mover.
AS_ZONE = bytes([0] + [ZONE] * 255)
AS_CLOSED_ZONE = bytes([0] + [ZONE | NO_ENTRY] * 255)
AS_NO_ENTRY = bytes([0] + [NO_ENTRY] * 255)
AS_STOP = bytes([0] + [STOP] * 255)


def flags(*tables: tuple[bytes, bytes], also: int = 0) -> bytes:
    """The flag bytes of `paths.Conditions` from (table, how it is read) pairs, and flags for all
    hexes as one big-endian number.

    Whole tables are joined as long numbers: far quicker than hex by hex.
    """
    joined = also
    for table, read_as in tables:
        joined |= int.from_bytes(table.translate(read_as), "big")
    return joined.to_bytes(len(tables[0][0]), "big")


CONDITIONS_MAX = 64
"""Conditions that are remembered: while one side moves, nothing of its enemy's changes."""


@lru_cache(maxsize=CONDITIONS_MAX)
def in_the_way(
    tables: tuple[tuple[bytes, bytes], ...], enter: int, leave: int, *, also: int = 0
) -> Conditions:
    """The conditions whose flags are those of `flags`, and what entering and leaving a zone
    costs."""
    return Conditions(flags(*tables, also=also), enter, leave)


GOALS_MAX = 256
"""Hexes towards which searches of one mover are kept."""


@unguarded
class Mover:
    """A mover: costs, hex, half points left, conditions, whether it has moved already. `key` names
    costs and conditions among those of one field."""

    board: Compiled
    start: int
    points: int
    now: Conditions
    moved: bool
    key: Hashable


@unguarded
class Route:
    """What following waypoints came to: hexes entered, half points left, whether the move is over,
    and which waypoint failed (or -1)."""

    path: tuple[int, ...]
    left: int
    over: bool
    failed: int = -1


@frozen(eq=False, slots=False)
class Search(Remembering):
    """What a mover can reach from where it is, searched when it is first asked for."""

    mover: Mover

    @cached_property
    def whole(self) -> Reach:
        """All of it."""
        return self._reach(-1)

    def toward(self, to: int) -> Reach:
        """Enough to know hex `to`: whether it is in reach, and the canonical way."""
        return self.whole if "whole" in self.__dict__ else self._toward(to)

    @remembered(most=GOALS_MAX)
    def _toward(self, to: int) -> Reach:
        return self._reach(to)

    def _reach(self, goal: int) -> Reach:
        mover = self.mover
        return reach(
            mover.board, mover.start, mover.points, mover.now, moved=mover.moved, goal=goal
        )


@remembered(by=lambda field, mover: (mover.key, mover.start, mover.points, mover.moved))
def search(field: Remembering, mover: Mover) -> Search:
    """What the mover can reach, kept with the positions that it is worked out from."""
    return Search(mover)


def after(field: Remembering, mover: Mover, to: int) -> tuple[Mover, tuple[int, ...], bool] | None:
    """The mover in hex `to`, the hexes it entered on the way, and whether terrain ended its move
    there. None when out of reach.

    A hex in which the conditions stop the mover leaves it its points: whether it may go on is for
    the title to say.
    """
    far = search(field, mover).toward(to)
    if to not in far:
        return None
    path = far.way(to)
    before = path[-2] if len(path) > 1 else mover.start
    step = mover.board.step(before, to)
    over = step is not None and bool(step[2] & (ENDS_MOVE | WHOLE_ALLOWANCE))
    left = 0 if over else mover.points - far.cost(to)
    return Mover(mover.board, to, left, mover.now, True, mover.key), path, over


def follow(
    field: Remembering, mover: Mover, waypoints: Sequence[int], stops: Callable[[int], bool]
) -> Route:
    """Go from waypoint to waypoint. `stops(hex)`: the mover goes no further from there in this
    command."""
    path: tuple[int, ...] = ()
    over = False
    for number, to in enumerate(waypoints):
        if over:
            return Route(path, mover.points, over, number)
        went = after(field, mover, to)
        if went is None:
            return Route(path, mover.points, over, number)
        mover, part, over = went
        path += part
        over = over or stops(to)
    return Route(path, mover.points, over)


def onward(field: Remembering, mover: Mover, may_stop: Callable[[int], bool]) -> Iterator[int]:
    """Every hex that may be the next waypoint: one where the mover may stop, or from which it can
    go on to such a hex."""
    far = search(field, mover).whole
    return (i for i in far.hexes() if may_stop(i) or leads_on(field, mover, i, may_stop))


def leads_on(field: Remembering, mover: Mover, i: int, may_stop: Callable[[int], bool]) -> bool:
    """Whether a mover that may not stop in hex i can go on from there to a hex where it may."""
    went = after(field, mover, i)
    if went is None or went[2]:
        return False
    beyond = went[0]
    if _one_step(beyond, may_stop):
        return True
    return any(may_stop(n) for n in search(field, beyond).whole.hexes())


def can_go(field: Remembering, mover: Mover, may_stop: Callable[[int], bool]) -> bool:
    """Whether there is any hex to go to: usually a neighbour, seen at a glance."""
    return _one_step(mover, may_stop) or any(
        may_stop(i) for i in search(field, mover).whole.hexes()
    )


def _one_step(mover: Mover, may_stop: Callable[[int], bool]) -> bool:
    here, now = mover.start, mover.now
    points = mover.points - (now.leave if now.flags[here] & ZONE else 0)
    for v, cost in mover.board.plain[here]:
        there = now.flags[v]
        price = cost + (now.enter if there & ZONE else 0) + (now.extra[v] if now.extra else 0)
        if price <= points and not there & NO_ENTRY and may_stop(v):
            return True
    for v, _, _ in mover.board.special[here]:
        if (
            may_stop(v)
            and walk(mover.board, here, (v,), mover.points, mover.now, moved=mover.moved).why
            is None
        ):
            return True
    return False


def why_not(mover: Mover, to: int) -> Stopped:
    """Why a neighbour cannot be entered; for a hex further off, that the points do not suffice."""
    tried = walk(mover.board, mover.start, (to,), mover.points, mover.now, moved=mover.moved)
    return tried.why or Stopped.POINTS
