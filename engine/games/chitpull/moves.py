"""A "move" command as it is read and offered: who goes together, in which way, by which waypoints.
VL 8.0, 8.1.1; TY 9.1, 9.1(1).

A command is ("move", counter, [stack mates], [way of moving], waypoint …). How far counters get is
worked out in ways.py; who may move, in which ways and at what cost, is up to the title.
"""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence

from attrs import frozen

from warledger.engine.board.paths import Stopped
from warledger.engine.games.chitpull import ways
from warledger.engine.games.chitpull.pack import Printed
from warledger.engine.games.chitpull.sides import MECH
from warledger.engine.games.chitpull.states import OFF_MAP, MapState
from warledger.engine.games.chitpull.ways import Mover, Route
from warledger.engine.kernel.change import replace, unguarded
from warledger.engine.kernel.lazy import LazyChoices
from warledger.engine.kernel.memo import Remembering
from warledger.protocol.board.choices import Choices, Pick, Picks, Say
from warledger.protocol.board.hexgrid import Grid

NORMAL = ""
"""The way of moving that needs no word."""


@unguarded
class MoveOrder:
    """What a "move" command has said so far."""

    names: tuple[str, ...]
    mode: str
    waypoints: tuple[str, ...]


@unguarded
class Moving:
    """The order of a move, whose picks have a form of their own."""

    way: MoveOrder


def read(picks: Picks, counters: Container[str], modes: Container[str]) -> MoveOrder:
    """The picks after the verb: counters first, then perhaps a way of moving, then hexes."""
    names: list[str] = []
    mode = NORMAL
    waypoints: list[str] = []
    for pick in picks:
        word = str(pick)
        if word in counters:
            names.append(word)
        elif word in modes:
            mode = word
        else:
            waypoints.append(word)
    return MoveOrder(tuple(names), mode, tuple(waypoints))


def points_text(halves: int) -> str:
    """Half points as people write them."""
    whole, half = divmod(halves, 2)
    return f"{whole or ''}½" if half else str(whole)


def together(state: MapState, names: Sequence[str]) -> int:
    """The hex in which counters stand together, OFF_MAP when they do not."""
    at = state.at(names[0])
    if len(names) == 1:
        return at
    return at if all(state.at(name) == at for name in names) else OFF_MAP


def least(allowance: Callable[[str], int], names: Sequence[str]) -> int:
    """The smallest allowance of those who go together. Most go alone."""
    return allowance(names[0]) if len(names) == 1 else min(map(allowance, names))


def column(types: Mapping[str, Printed], names: Sequence[str]) -> str:
    """The column of the terrain chart by which counters that go together pay: the costlier one,
    that of mechanised troops, if any of them uses it."""
    first = types[names[0]].going
    if len(names) == 1:
        return first
    return first if all(types[name].going == first for name in names) else MECH


@unguarded
class Journey:
    """Counters about to move, or on their way: `field` the positions, `may_stop(hex)` whether they
    may end there, `halts(hex)` whether they go no further in this command once there."""

    grid: Grid
    field: Remembering
    mover: Mover
    may_stop: Callable[[int], bool]
    halts: Callable[[int], bool]

    def follow(self, waypoints: Sequence[str]) -> Route:
        """Where printed waypoints lead."""
        index = self.grid.index
        return ways.follow(self.field, self.mover, [index[name] for name in waypoints], self.halts)

    def path(self, route: Route) -> tuple[str, ...]:
        """The printed hexes of a route, without the one it starts from."""
        ids = self.grid.ids
        return tuple(ids[i] for i in route.path)

    def beyond(self, waypoints: Sequence[str], route: Route) -> "Journey":
        """The journey of these counters from their last waypoint on."""
        if not waypoints:
            return self
        here = self.grid.index[waypoints[-1]]
        return Journey(
            self.grid,
            self.field,
            replace(self.mover, start=here, points=route.left, moved=True),
            self.may_stop,
            self.halts,
        )

    def leads(self, pick: Pick) -> bool:
        """Whether a pick may be the next waypoint: a hex in reach where they may stop, or from
        which they can go on to such a hex."""
        i = self.grid.index.get(str(pick), OFF_MAP)
        if i == OFF_MAP or i not in ways.search(self.field, self.mover).toward(i):
            return False
        return self.may_stop(i) or ways.leads_on(self.field, self.mover, i, self.may_stop)

    def every(self) -> Iterator[str]:
        """All such hexes."""
        ids = self.grid.ids
        return (ids[i] for i in ways.onward(self.field, self.mover, self.may_stop))


def onward(journey: Journey, slot: str, *, complete: bool = False) -> Choices:
    """VL 8.1.1; TY 9.1(1) Any hex that may be the next waypoint."""
    return LazyChoices(slot, journey.every, journey.leads, complete=complete)


def underway(journey: Journey, waypoints: Sequence[str], slot: str) -> Choices:
    """VL 8.1.1; TY 9.1(1) Waypoints have been given: the move may be complete, or it may go on."""
    whole = journey.may_stop(journey.grid.index[waypoints[-1]])

    def beyond() -> Journey | None:
        # Who submits a whole move asks for no further waypoint.
        route = journey.follow(waypoints)
        return None if route.over or route.left <= 0 else journey.beyond(waypoints, route)

    def every() -> Iterable[Pick]:
        there = beyond()
        return () if there is None else there.every()

    def has(pick: Pick) -> bool:
        there = beyond()
        return there is not None and there.leads(pick)

    return LazyChoices(slot, every, has, complete=whole)


def departing(
    journey: Journey,
    slot: str,
    mates: Sequence[str],
    joins: Callable[[str], bool],
    modes: Iterable[str],
    goes: Callable[[str], bool],
) -> Choices:
    """VL 8.1.1; TY 9.1(1) Counters have been named and no more: stack mates that may join them,
    ways of moving that lead anywhere, hexes.

    `mates` are all counters of their hex, in order of ids; `joins(mate)` and `goes(mode)` say who
    and what is on offer.
    """
    other = [mode for mode in modes if mode != NORMAL]

    def every() -> Iterator[Pick]:
        yield from (mate for mate in mates if joins(mate))
        yield from (mode for mode in other if goes(mode))
        yield from journey.every()

    def has(pick: Pick) -> bool:
        if pick in mates:
            return joins(str(pick))
        return goes(str(pick)) if pick in other else journey.leads(pick)

    return LazyChoices(slot, every, has)


def told(
    journey: Journey,
    waypoints: Sequence[str],
    points: Callable[[str, str], Say],
    path: Callable[[tuple[str, ...]], Say],
) -> tuple[Say, ...]:
    """VL 8.1.2; TY 9.2(1) A move in words: `points(all, left)`, and the hexes that the waypoints
    mean."""
    route = journey.follow(waypoints)
    entered = journey.path(route)
    said = points(points_text(journey.mover.points), points_text(0 if route.over else route.left))
    return (said, path(entered)) if entered else (said,)


@frozen
class Obstacle:
    """Why a hex is not a next waypoint: `over` the move has ended before; `within` the hex is in
    reach, so that it must be full; else `why`. `journey` is at the last waypoint."""

    journey: Journey
    over: bool
    within: bool
    why: Stopped


def obstacle(journey: Journey, waypoints: Sequence[str], i: int) -> Obstacle:
    """What keeps counters that have followed the waypoints from hex i."""
    route = journey.follow(waypoints)
    if waypoints and route.over:
        return Obstacle(journey, True, False, Stopped.ENDED)
    there = journey.beyond(waypoints, route)
    near = i in journey.grid.adjacent[there.mover.start]
    why = ways.why_not(there.mover, i) if near else Stopped.POINTS
    return Obstacle(there, False, i in ways.search(journey.field, there.mover).whole, why)
