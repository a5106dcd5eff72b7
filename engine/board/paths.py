"""How far one piece can go: what it can reach and at what cost, the cheapest way to each hex, and
the check of a way given step by step.

Costs are in half points (going.py). What changes during play comes as `Conditions`: one flag byte
for each hex (ZONE, NO_ENTRY, STOP) and the surcharges for entering and leaving zones. `reach` and
`walk` use the same step rule, and a test compares them.

The search is Dijkstra's with one bucket for each half point, since allowances are small. A label
packs cost, steps and predecessor into one int, so that the smallest label *is* the canonical way:
cheapest, then fewest hexes, then the predecessor with the lowest index. A hex may be reached both
by a step that ends the move and, at a higher cost, by one that does not. The two are kept apart,
since otherwise a river crossed at once would hide the ways around it.
"""

from collections.abc import Sequence
from enum import Enum

from attrs import frozen

from warledger.engine.board.going import (
    ENDS_MOVE,
    FIRST_ONLY,
    NOT_BETWEEN_ZONES,
    WHOLE_ALLOWANCE,
    Compiled,
)

# Flags of one hex for one mover
ZONE = 1  # in an enemy zone of control
NO_ENTRY = 2  # may not be entered (enemy units, hexes out of play)
STOP = 4  # may be entered, but the move ends there

BARRED = 1 << 12  # a surcharge no allowance can pay: zones may not be entered (or left) at all

_PRED = 16
_STEPS = 12
_COST = _PRED + _STEPS
_ONE_STEP = 1 << _PRED
_PRED_MASK = (1 << _PRED) - 1
_KEEP = ~_PRED_MASK


@frozen
class Conditions:
    """What is in a mover's way: `flags[i]` of ZONE, NO_ENTRY, STOP; half points for entering and
    for leaving a zone hex.

    `zone_stops`: entering a zone ends the move. `minimum_step`: the first step is always within the
    allowance. `extra[i]`, if given, are additional half points for entering hex i.
    """

    flags: bytes
    enter: int = 0
    leave: int = 0
    zone_stops: bool = False
    minimum_step: bool = False
    extra: bytes | None = None


class Stopped(Enum):
    """Why a step cannot be made."""

    APART = "apart"  # the hexes do not touch
    NO_WAY = "no_way"  # terrain or hexside cannot be crossed by this mover
    NO_ENTRY = "no_entry"  # it may not enter the hex
    ENDED = "ended"  # an earlier step ended the move
    NOT_FIRST = "not_first"  # allowed only as the first step
    BETWEEN_ZONES = "between_zones"  # both banks in enemy zones
    ZONE = "zone"  # this mover may not enter or leave an enemy zone
    POINTS = "points"  # too few points left


@frozen
class Walk:
    """The outcome of walking a way: the half points paid and whether the move is over, or `why`
    step number `at` cannot be made."""

    cost: int
    over: bool
    why: Stopped | None = None
    at: int = 0


@frozen(eq=False)
class Reach:
    """Every hex that one piece can enter, with its lowest cost. The start is among them only if the
    piece can come back to it."""

    start: int
    allowance: int
    _going: dict[int, int]
    _ended: dict[int, int]

    def hexes(self) -> tuple[int, ...]:
        """The hexes that can be entered, by index."""
        return tuple(sorted({*self._going, *self._ended} - {self.start}))

    def __contains__(self, i: int) -> bool:
        return i != self.start and (i in self._going or i in self._ended)

    def cost(self, i: int) -> int:
        """Half points to a hex, 0 for the start; KeyError if it is out of reach."""
        return self._label(i) >> _COST

    def ends(self, i: int) -> bool:
        """Whether the cheapest way to a hex ends the move there by a rule, whatever points are
        left."""
        return i in self._ended and self._label(i) == self._ended[i]

    def costs(self) -> dict[int, int]:
        """All costs, by hex index in rising order."""
        return {i: self.cost(i) for i in self.hexes()}

    def way(self, i: int) -> tuple[int, ...]:
        """The canonical cheapest way to a hex, without the start; empty for the start itself."""
        back = []
        label = self._label(i)
        while i != self.start:
            back.append(i)
            i = label & _PRED_MASK
            label = self._going[i]
        return tuple(reversed(back))

    def _label(self, i: int) -> int:
        going, ended = self._going.get(i), self._ended.get(i)
        if going is None:
            if ended is None:
                raise KeyError(i)
            return ended
        # at equal cost the way on which the mover can go on is the better one
        return going if ended is None or going >> _COST <= ended >> _COST else ended


def reach(
    board: Compiled,
    start: int,
    allowance: int,
    now: Conditions,
    *,
    moved: bool = False,
    goal: int = -1,
) -> Reach:
    """Everything that a piece can reach from `start` with `allowance` half points left; `moved`
    means that it has already moved.

    NO_ENTRY hexes are never entered; the start's own NO_ENTRY and STOP flags do not matter. With a
    `goal` the search ends as soon as that hex's canonical way is known: the answer is then complete
    for the goal, but not for other hexes.
    """
    going = {start: start}
    ended: dict[int, int] = {}
    if allowance <= 0:
        return Reach(start, 0, going, ended)
    flags, enter, leave, extra = now.flags, now.enter, now.leave, now.extra
    buckets: list[list[int]] = [[] for _ in range(allowance + 1)]
    if not moved and (board.special[start] or now.minimum_step):
        _first_steps(board, start, allowance, now, going, ended, buckets)
    else:
        buckets[0].append(start)
    stopping = STOP | ZONE if now.zone_stops else STOP
    plain, special = board.plain, board.special
    cubes, least = board.cubes, board.least
    aimed = goal >= 0 and bool(cubes)
    goal_q, goal_r = cubes[goal] if aimed else (0, 0)
    known = going.get
    for paid, bucket in enumerate(buckets):
        # every step costs something, so a label of this cost or less can no longer change
        if (goal in going and going[goal] >> _COST <= paid) or (
            goal in ended and ended[goal] >> _COST <= paid
        ):
            break
        settled = paid + 1 << _COST
        for u in bucket:
            label = going[u]
            if label >> _COST != paid:
                continue  # a cheaper way has been found meanwhile
            here = flags[u] & ZONE
            room = allowance - paid - (leave if here else 0)
            if room <= 0:
                continue
            if aimed:
                # Hexes from which the goal is too far, whatever lies between, are not on any way to
                # it.
                q, r = cubes[u]
                q -= goal_q
                r -= goal_r
                if room < least * (max(abs(q), abs(r)) if q * r < 0 else abs(q + r)):
                    continue
            after = (label & _KEEP) + _ONE_STEP + u + ((leave << _COST) if here else 0)
            for v, cost in plain[u]:
                old = known(v)
                if cost > room or (old is not None and old < settled):
                    continue  # too expensive, or a hex whose label can no longer change
                there = flags[v]
                if there or extra:
                    if there & NO_ENTRY:
                        continue
                    if there & ZONE:
                        cost += enter
                    if extra:
                        cost += extra[v]
                    if cost > room:
                        continue
                    if there & stopping:
                        new = after + (cost << _COST)
                        if v not in ended or new < ended[v]:
                            ended[v] = new
                        continue
                new = after + (cost << _COST)
                if old is None:
                    going[v] = new
                    buckets[new >> _COST].append(v)
                elif new < old:
                    going[v] = new
                    if new >> _COST < old >> _COST:
                        buckets[new >> _COST].append(v)
            if special[u]:
                for v, cost, kind in special[u]:
                    if kind & FIRST_ONLY:
                        continue
                    _relax(
                        v, cost, kind, u, allowance, paid, now, going, ended, buckets, first=False
                    )
    return Reach(start, allowance, going, ended)


def _first_steps(
    board: Compiled,
    start: int,
    allowance: int,
    now: Conditions,
    going: dict[int, int],
    ended: dict[int, int],
    buckets: list[list[int]],
) -> None:
    for v, cost in board.plain[start]:
        _relax(v, cost, 0, start, allowance, 0, now, going, ended, buckets, first=True)
    for v, cost, kind in board.special[start]:
        _relax(v, cost, kind, start, allowance, 0, now, going, ended, buckets, first=True)


def _relax(
    v: int,
    cost: int,
    kind: int,
    u: int,
    allowance: int,
    paid: int,
    now: Conditions,
    going: dict[int, int],
    ended: dict[int, int],
    buckets: list[list[int]],
    *,
    first: bool,
) -> None:
    """One step by the full rule: the slow case."""
    price = _price(u, v, cost, kind, allowance, paid, now, first=first)
    if isinstance(price, Stopped):
        return
    new = (going[u] & _KEEP) + (price << _COST) + _ONE_STEP + u
    known = ended if _ends(v, kind, now) else going
    old = known.get(v)
    if old is None or new < old:
        known[v] = new
        if known is going and (old is None or new >> _COST < old >> _COST):
            buckets[paid + price].append(v)


def _price(
    u: int, v: int, cost: int, kind: int, allowance: int, paid: int, now: Conditions, *, first: bool
) -> int | Stopped:
    """The half points of one step, or why it cannot be made. This is the only statement of the step
    rule."""
    here, there = now.flags[u], now.flags[v]
    if there & NO_ENTRY:
        return Stopped.NO_ENTRY
    if kind & FIRST_ONLY and not first:
        return Stopped.NOT_FIRST
    if kind & NOT_BETWEEN_ZONES and here & there & ZONE:
        return Stopped.BETWEEN_ZONES
    enter = now.enter if there & ZONE else 0
    leave = now.leave if here & ZONE else 0
    if max(enter, leave) >= BARRED:
        return Stopped.ZONE
    if paid >= allowance:
        return Stopped.POINTS
    if kind & WHOLE_ALLOWANCE:
        return allowance - paid
    cost += enter + leave + (now.extra[v] if now.extra else 0)
    if cost > allowance - paid:
        return allowance - paid if first and now.minimum_step else Stopped.POINTS
    return cost


def _ends(v: int, kind: int, now: Conditions) -> bool:
    return bool(kind & ENDS_MOVE or now.flags[v] & (STOP | ZONE if now.zone_stops else STOP))


def walk(
    board: Compiled,
    start: int,
    way: Sequence[int],
    allowance: int,
    now: Conditions,
    *,
    moved: bool = False,
) -> Walk:
    """Walk a way step by step as given (without the start): its cost, or the first step that cannot
    be made and why."""
    paid, over, at = 0, False, start
    for number, v in enumerate(way):
        if over:
            return Walk(paid, True, Stopped.ENDED, number)
        step = board.step(at, v)
        if step is None:
            return Walk(paid, False, Stopped.NO_WAY, number)
        price = _price(
            at, v, step[1], step[2], allowance, paid, now, first=number == 0 and not moved
        )
        if isinstance(price, Stopped):
            return Walk(paid, False, price, number)
        paid, over, at = paid + price, _ends(v, step[2], now), v
    return Walk(paid, over)
