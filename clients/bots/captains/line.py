"""Where a defender's line should run: the cheapest chain of hexes from the north edge to the south
that keeps the enemy from the cities.

It bends round every city that is held, since it may not cut a city's way to its supply. It costs
least where there are units already, behind rivers, in towns, and out of the enemy's reach. These
are estimates, not rules.
"""

import heapq
from collections.abc import Collection, Iterable

from attrs import define, field

from warledger.clients.bots.captains.front import FAR, Front, Ground
from warledger.protocol.board.hexgrid import OFF_MAP

REACHES = ((5, 1.0), (9, 0.7), (14, 0.4), (FAR, 0.15))
"""How much a hex of the line counts when the enemy is at most this many hexes away: what the enemy
cannot reach for a while may wait."""
AWAY = ((1, 2.5), (3, 2.0), (5, 1.5), (7, 0.8), (10, 0.3), (FAR, 0.0))
"""What it costs to draw the line this many hexes from the enemy: units fall back until cities hold
the enemy."""
NEEDS = ((15, 1), (40, 2), (FAR, 3))
"""By how many units a hex of the line should be held when so much enemy strength is near."""
SHARES = (1.0, 0.6, 0.4)
"""What the first, the second and the third of them count."""
HELD = 0.6
"""The cost of a hex that units hold already; others cost about 1."""


@define(eq=False)
class Line:
    """A line to hold, and the units that cover it."""

    weight: dict[int, float]
    """Its hexes, with how much each counts."""
    enemy: list[int]
    """How many hexes of land every hex lies from the nearest enemy."""
    need: dict[int, int]
    """By how many units each should be held."""
    cover: dict[int, int] = field(factory=dict)
    """By how many units a hex is held: those in it and those next to it, whose zone it lies in."""

    def post(self, ground: Ground, i: int, n: int = 1) -> None:
        """A unit comes to be in a hex, or (n = -1) leaves it."""
        cover = self.cover
        for h in (i, *ground.map.grid.adjacent[i]):
            cover[h] = cover.get(h, 0) + n

    def gain(self, ground: Ground, i: int, own: int) -> float:
        """What a unit would add to the line from a hex, less where others hold it. `own`: where it
        is posted already, or OFF_MAP."""
        weight, need, cover = self.weight, self.need, self.cover
        near = ground.map.grid.adjacent
        mine = (own, *near[own]) if own != OFF_MAP else ()
        total = 0.0
        for h in (i, *near[i]):
            if h in weight:
                others = cover.get(h, 0) - (h in mine)
                if others < need[h]:
                    total += weight[h] * SHARES[others]
        return total

    def gaps(self) -> list[int]:
        """The hexes that are held by too few units and that matter soon."""
        return [
            h
            for h, weight in self.weight.items()
            if weight >= 0.4 and self.cover.get(h, 0) < self.need[h]
        ]


def steps(ground: Ground, sources: Iterable[int]) -> list[int]:
    """How many hexes of land each hex lies from the nearest of these; FAR beyond the sea."""
    near, land = ground.map.grid.adjacent, ground.land
    found = [FAR] * len(near)
    wave = list(sources)
    for i in wave:
        found[i] = 0
    far = 0
    while wave:
        far += 1
        following = []
        for i in wave:
            for n in near[i]:
                if found[n] > far and land[n]:
                    found[n] = far
                    following.append(n)
        wave = following
    return found


def tethers(front: Front, cities: Iterable[int]) -> set[int]:
    """The ways by which cities are supplied, without the cities themselves: a line may not cross
    them."""
    ground = front.ground
    turn = int(front.board.tracks.get("turn", 1) or 1)
    sources = [
        source.hex
        for source in ground.map.sources
        if source.side == front.side and source.from_turn <= turn
    ]
    field_ = ground.ways(sources, False)
    found: set[int] = set()
    for city in cities:
        i = city
        while field_[i] and field_[i] < FAR:
            i = min(ground.map.grid.adjacent[i], key=lambda n: (field_[n], n))
            found.add(i)
    return found


def trace(
    front: Front, posts: Collection[int], reach: set[int], cities: list[int], danger: list[int]
) -> Line:
    """The line for a side. `posts`: where its units stand that cannot move now; `reach`: where the
    others can go."""
    ground = front.ground
    enemy = steps(ground, front.enemies)
    weight: dict[int, float] = {}
    for i in _cheapest(front, _costs(front, set(posts), reach, cities, enemy)):
        if ground.land[i]:
            weight[i] = next(count for far, count in REACHES if enemy[i] <= far)
    line = Line(
        weight, enemy, {i: next(n for most, n in NEEDS if danger[i] <= most) for i in weight}
    )
    for i in posts:
        line.post(ground, i)
    return line


def _costs(
    front: Front, posts: set[int], reach: set[int], cities: list[int], enemy: list[int]
) -> list[float]:
    """What it costs to draw the line through each hex; FAR where it cannot go."""
    ground = front.ground
    map_ = ground.map
    own = steps(ground, (*front.friends, *cities))
    barred = tethers(front, cities)
    held = set(posts)
    for i in posts:
        held.update(map_.grid.adjacent[i])
    dear = [next(dear for far, dear in AWAY if steps_ <= far) for steps_ in range(AWAY[-2][0] + 2)]
    last = len(dear) - 1
    costs = [0.02] * len(own)
    for i, land in enumerate(ground.land):
        if land:
            far = enemy[i]
            cost = HELD if i in held else 1.0 if i in reach else 1.2
            costs[i] = cost + dear[far if far < last else last] + (1.5 if far + 1 < own[i] else 0.0)
    for (i, d), kind in map_.classes.items():
        # A river counts where the enemy stands beyond it.
        n = map_.grid.neighbours[i][d]
        if n != OFF_MAP and enemy[n] < enemy[i] and costs[i] > 0.3:
            costs[i] -= 0.2 if kind == "major" else 0.05
    for i, place in map_.places.items():
        if place.kind != "village":
            costs[i] -= 0.1
    for i in (*front.enemies, *barred):
        costs[i] = float(FAR)
    return costs


def _cheapest(front: Front, costs: list[float]) -> list[int]:
    """The cheapest chain of hexes from the first row to the last, or none."""
    map_ = front.ground.map
    columns, rows = map_.grid.columns, map_.grid.rows
    best = [float(FAR)] * len(costs)
    came = [OFF_MAP] * len(costs)
    queue = []
    for i in range(columns):
        if costs[i] < FAR:
            best[i] = costs[i]
            queue.append((costs[i], i))
    heapq.heapify(queue)
    last = columns * (rows - 1)
    while queue:
        so_far, i = heapq.heappop(queue)
        if so_far > best[i]:
            continue
        if i >= last:
            chain = [i]
            while came[i] != OFF_MAP:
                i = came[i]
                chain.append(i)
            return chain
        for n in map_.grid.adjacent[i]:
            total = so_far + costs[n]
            if total < best[n]:
                best[n] = total
                came[n] = i
                heapq.heappush(queue, (total, n))
    return []
