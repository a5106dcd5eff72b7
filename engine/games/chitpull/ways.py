"""Moving along waypoints: how far a mover gets, by which way, and where it may stop.

A `Travel` is one mover at one moment: where it stands, the half points it has, what stands in its way. A command names waypoints; each is
reached by the canonical cheapest way from the one before, so naming every neighbour gives full control of the path.
`Reach` values are kept in a `memo` that belongs to the positions they were worked out from.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from attrs import frozen

from engine.board.going import ENDS_MOVE, WHOLE_ALLOWANCE, Compiled
from engine.board.paths import CLOSED, STOP, ZONE, Conditions, Reach, Stopped, reach, walk

Memo = dict[Any, Any]


# How a table of one byte a hex is read: what it counts there makes the hex one of these for a mover.
IN_ZONE = bytes([0] + [ZONE] * 255)
BARRED_ZONE = bytes([0] + [ZONE | CLOSED] * 255)
BARRED = bytes([0] + [CLOSED] * 255)
HALT = bytes([0] + [STOP] * 255)


def flags(*tables: tuple[bytes, bytes], also: int = 0) -> bytes:
    """The flag bytes of `paths.Conditions` from (table, how it is read) pairs, and flags for all hexes as one big-endian number.

    Whole tables are joined as long numbers: far quicker than hex by hex.
    """
    joined = also
    for table, read_as in tables:
        joined |= int.from_bytes(table.translate(read_as), "big")
    return joined.to_bytes(len(tables[0][0]), "big")


@frozen
class Travel:
    """A mover: costs, hex, half points left, conditions, whether it has moved already. `key` names costs and conditions in the memo."""

    board: Compiled
    start: int
    points: int
    now: Conditions
    moved: bool
    key: Any


@frozen
class Trip:
    """What following waypoints came to: hexes entered, half points left, whether the move is over, and which waypoint failed (or -1)."""

    path: tuple[int, ...]
    left: int
    over: bool
    failed: int = -1


def reached(memo: Memo, travel: Travel) -> Reach:
    """All that the mover can reach from where it is."""
    key = ("reach", travel.key, travel.start, travel.points, travel.moved)
    found = memo.get(key)
    if found is None:
        found = memo[key] = reach(travel.board, travel.start, travel.points, travel.now, moved=travel.moved)
    return found


def toward(memo: Memo, travel: Travel, to: int) -> Reach:
    """Enough of what the mover can reach to know hex `to`: whether it is in reach, and the canonical way."""
    key = ("reach", travel.key, travel.start, travel.points, travel.moved)
    found = memo.get(key)
    if found is None:
        found = memo.get((*key, to))
        if found is None:
            found = reach(travel.board, travel.start, travel.points, travel.now, moved=travel.moved, goal=to)
            memo[(*key, to)] = found
    return found


def after(memo: Memo, travel: Travel, to: int) -> tuple[Travel, tuple[int, ...], bool] | None:
    """The mover in hex `to`, the hexes it entered on the way, and whether terrain ended its move there. None when out of reach.

    A hex in which the conditions stop the mover leaves it its points: whether it may go on is for the title to say.
    """
    far = toward(memo, travel, to)
    if to not in far:
        return None
    path = far.way(to)
    before = path[-2] if len(path) > 1 else travel.start
    step = travel.board.step(before, to)
    over = step is not None and bool(step[2] & (ENDS_MOVE | WHOLE_ALLOWANCE))
    left = 0 if over else travel.points - far.cost(to)
    return Travel(travel.board, to, left, travel.now, True, travel.key), path, over


def follow(memo: Memo, travel: Travel, waypoints: Sequence[int], stops: Callable[[int], bool]) -> Trip:
    """Go from waypoint to waypoint. `stops(hex)`: the mover goes no further from there in this command."""
    path: tuple[int, ...] = ()
    over = False
    for number, to in enumerate(waypoints):
        if over:
            return Trip(path, travel.points, over, number)
        went = after(memo, travel, to)
        if went is None:
            return Trip(path, travel.points, over, number)
        travel, part, over = went
        path += part
        over = over or stops(to)
    return Trip(path, travel.points, over)


def onward(memo: Memo, travel: Travel, may_stop: Callable[[int], bool]) -> Iterator[int]:
    """Every hex that may be the next waypoint: one where the mover may stop, or from which it can go on to such a one."""
    far = reached(memo, travel)
    return (i for i in far.hexes() if may_stop(i) or leads_on(memo, travel, i, may_stop))


def leads_on(memo: Memo, travel: Travel, i: int, may_stop: Callable[[int], bool]) -> bool:
    """Whether a mover that may not stop in hex i can go on from there to a hex where it may."""
    went = after(memo, travel, i)
    if went is None or went[2]:
        return False
    beyond = went[0]
    if _one_step(beyond, may_stop):
        return True
    return any(may_stop(n) for n in reached(memo, beyond).hexes())


def can_go(memo: Memo, travel: Travel, may_stop: Callable[[int], bool]) -> bool:
    """Whether there is any hex to go to: usually a neighbour, seen at a glance."""
    return _one_step(travel, may_stop) or any(may_stop(i) for i in reached(memo, travel).hexes())


def _one_step(travel: Travel, may_stop: Callable[[int], bool]) -> bool:
    here, now = travel.start, travel.now
    points = travel.points - (now.leave if now.flags[here] & ZONE else 0)
    for v, cost in travel.board.plain[here]:
        there = now.flags[v]
        price = cost + (now.enter if there & ZONE else 0) + (now.extra[v] if now.extra else 0)
        if price <= points and not there & CLOSED and may_stop(v):
            return True
    for v, _, _ in travel.board.special[here]:
        if may_stop(v) and walk(travel.board, here, (v,), travel.points, travel.now, moved=travel.moved).why is None:
            return True
    return False


def why_not(travel: Travel, to: int) -> Stopped:
    """Why a neighbour cannot be entered; for a hex further off, that the points do not suffice."""
    tried = walk(travel.board, travel.start, (to,), travel.points, travel.now, moved=travel.moved)
    return tried.why or Stopped.POINTS
