"""Minimises costs one after another over the matchings of a graph: of those with the least of the
first cost, the ones with the least of the second, and so on.

One weight that held all of a round's criteria would have hundreds of bits. Here a cost that has
been minimised takes only the bits of its own least total. It takes none once that is zero or its
outcome is written into the graph. So what the matcher is given stays below 2**`BITS`.

Some vertices may be outside: they have no costs and only wait to be matched with each other or
with whom the costs leave alone. While every matching found leaves them a way, they stay out of the
matcher's graph; once one does not, they go in. The result is the same either way.
"""

from collections.abc import Callable, Collection, Sequence

from attrs import define, field, frozen

from warledger.engine.tournaments.swiss.paired import BITS, Matcher

Edge = tuple[int, int]


@frozen
class Cost:
    """One cost of a matching, to be made as small as possible.

    Attributes:
        name: what it is, for who reads along.
        edge: what an edge costs; edges that are not named cost nothing.
        alone: what a vertex costs that no edge takes, or that is matched outside.
    """

    name: str
    edge: dict[Edge, int] = field(factory=dict)
    alone: dict[int, int] = field(factory=dict)

    def total(self, mates: Sequence[int], inside: int) -> int:
        """What a matching costs."""
        value = sum(cost for v, cost in self.alone.items() if not 0 <= mates[v] < inside)
        return value + sum(cost for (a, b), cost in self.edge.items() if mates[a] == b)

    def bound(self) -> int:
        """What no matching exceeds."""
        most: dict[int, int] = dict(self.alone)
        for (a, b), cost in self.edge.items():
            if cost > most.get(a, 0):
                most[a] = cost
            if cost > most.get(b, 0):
                most[b] = cost
        return sum(most.values())


class NoMatching(Exception):
    """No matching takes every vertex in and outside that has to be taken."""


@define
class Descent:
    """The matchings that are still possible, and the best of them found so far.

    Attributes:
        matcher: finds a matching of greatest weight.
        inside: how many vertices have costs: 0 to `inside` - 1. The others are outside.
        outside: how many are outside.
        edges: those between vertices inside that are still possible.
        fits: whether two vertices may be matched, of which one or both are outside.
        loose: whether the outside is left out of the matcher's graph as long as that does.
    """

    matcher: Matcher
    inside: int
    outside: int
    edges: list[Edge]
    fits: Callable[[int, int], bool]
    loose: bool
    mates: list[int] = field(factory=list)
    _kept: list[tuple[Cost, int]] = field(factory=list)
    _must: set[int] = field(factory=set)
    _beyond: list[Edge] = field(factory=list)

    def minimise(self, costs: Sequence[Cost]) -> None:
        """Minimises the costs in order, and keeps them at their least from now on.

        Raises:
            NoMatching: not everybody can be matched at all.
        """
        waiting: list[Cost] = []
        room = self.room
        for cost in costs:
            if not waiting and self.mates and not cost.total(self.mates, self.inside):
                self._settle(cost, 0)
                room = self.room
                continue
            need = cost.bound().bit_length() + 1
            if waiting and need > room:
                self._solve(waiting)
                waiting = []
                room = self.room
                if not cost.total(self.mates, self.inside):
                    self._settle(cost, 0)
                    room = self.room
                    continue
            waiting.append(cost)
            room -= need
        if waiting:
            self._solve(waiting)

    def forget(self, costs: Collection[Cost]) -> None:
        """Takes costs out of the weights whose outcome the graph itself now holds."""
        names = {cost.name for cost in costs}
        self._kept = [(cost, least) for cost, least in self._kept if cost.name not in names]

    def keep(self, possible: Callable[[int, int], bool]) -> None:
        """Takes out the edges inside for which `possible` is not so."""
        self.edges = [(a, b) for a, b in self.edges if possible(a, b)]

    def require(self, vertices: Collection[int]) -> None:
        """From now on these are matched inside."""
        self._must.update(vertices)
        self._beyond = [(a, b) for a, b in self._beyond if a not in self._must]

    def start(self) -> None:
        """Finds some matching.

        Raises:
            NoMatching: not everybody can be matched.
        """
        self._solve([])

    def try_these(self, pairs: dict[int, int]) -> bool:
        """Takes over these pairs instead of those that their first vertices have now, if that
        costs no more: each vertex that loses its partner takes the place of one that gains one.

        The pairs are edges that are still possible; no matching is computed.
        """
        mates = list(self.mates)
        gained = sorted(set(pairs.values()))
        lost = sorted({self.mates[a] for a in pairs})
        taken = [b for b in gained if b not in set(lost)]
        freed = [b for b in lost if b not in set(gained)]
        possible = set(self.edges)
        # Two who gain partners may have been partners: then two who lost theirs take each other.
        places = [place for place in map(self.mates.__getitem__, taken) if place not in taken]
        homeless = freed[len(places) :]
        moves = [
            *zip(freed, places, strict=False),
            *zip(homeless[::2], homeless[1::2], strict=True),
        ]
        for new, place in moves:
            mates[new] = place
            if place < 0:
                continue
            mates[place] = new
            if place >= self.inside:
                if not self.fits(new, place):
                    return False
            elif (min(new, place), max(new, place)) not in possible:
                return False
        for a, b in pairs.items():
            mates[a], mates[b] = b, a
        if any(not 0 <= mates[v] < self.inside for v in self._must):
            return False
        if any(cost.total(mates, self.inside) > least for cost, least in self._kept):
            return False
        if self.loose and not self._leaves_a_way(mates):
            return False
        self.mates = mates
        return True

    @property
    def room(self) -> int:
        """Bits that the costs still to come may take."""
        taken = sum((least + 1).bit_length() for _, least in self._kept)
        return BITS - 4 - taken - len(self._must).bit_length() - self.inside.bit_length()

    def _settle(self, cost: Cost, least: int) -> None:
        if least:
            self._kept.append((cost, least))
            self.edges = [edge for edge in self.edges if cost.edge.get(edge, 0) <= least]
            return
        self.require([v for v, one in cost.alone.items() if one])
        if cost.edge:
            taken = {edge for edge, one in cost.edge.items() if one}
            self.edges = [edge for edge in self.edges if edge not in taken]

    def _solve(self, waiting: Sequence[Cost]) -> None:
        units: list[tuple[Cost, int]] = []
        unit = 1
        for cost in reversed(waiting):
            units.append((cost, unit))
            unit *= cost.bound() + 1
        for cost, least in reversed(self._kept):
            units.append((cost, unit))
            unit *= least + 1
        alone = [0] * self.inside
        minus: dict[Edge, int] = {}
        for cost, one in units:
            for v, value in cost.alone.items():
                alone[v] += value * one
            for edge, value in cost.edge.items():
                minus[edge] = minus.get(edge, 0) + value * one
        for v in self._must:
            alone[v] += unit
        weights = [(a, b, alone[a] + alone[b] - minus.get((a, b), 0)) for a, b in self.edges]
        found = self._loosely(weights) if self.loose else None
        if found is None:
            self.loose = False
            found = self._strictly(weights)
        self.mates = found
        for cost in waiting:
            self._settle(cost, cost.total(found, self.inside))

    def _loosely(self, weights: list[tuple[int, int, int]]) -> list[int] | None:
        """Without the outside: the best of all matchings inside, if the rest can be matched."""
        # An edge that costs more than to leave both alone is in no best matching.
        gains = [one for one in weights if one[2] >= 0]
        mates = list(self.matcher(self.inside, gains, False))
        if any(mates[v] < 0 for v in self._must):
            return None
        return mates if self._leaves_a_way(mates) else None

    def _leaves_a_way(self, mates: Sequence[int]) -> bool:
        """Whether all whom the matching leaves, and all outside, can be matched."""
        left = [v for v in range(self.inside) if mates[v] < 0]
        rest = left + list(range(self.inside, self.inside + self.outside))
        return matchable(self.matcher, rest, self._fits_beyond)

    def _fits_beyond(self, a: int, b: int) -> bool:
        return (a >= self.inside or b >= self.inside) and self.fits(a, b)

    def _strictly(self, weights: list[tuple[int, int, int]]) -> list[int]:
        """With the outside: everybody is matched."""
        every = self.inside + self.outside
        if not self._beyond:
            self._beyond = [
                (a, b)
                for b in range(self.inside, every)
                for a in range(b)
                if a not in self._must and self.fits(a, b)
            ]
        lift = max(0, -min((weight for _, _, weight in weights), default=0))
        edges = [(a, b, weight + lift) for a, b, weight in weights]
        edges += [(a, b, lift) for a, b in self._beyond]
        mates = list(self.matcher(every, edges, True))
        if any(mate < 0 for mate in mates) or any(mates[v] >= self.inside for v in self._must):
            raise NoMatching
        return mates


NEAR = 16
"""So many candidates each are tried first where only whether all can be matched is asked."""


def matchable(matcher: Matcher, vertices: Sequence[int], fits: Callable[[int, int], bool]) -> bool:
    """Whether all of the vertices can be matched with each other."""
    count = len(vertices)
    if count % 2:
        return False
    if _greedily(vertices, fits):
        return True
    near = NEAR
    while True:
        edges: list[tuple[int, int, int]] = []
        whole = True
        for i, a in enumerate(vertices):
            found = 0
            for j in range(i + 1, count):
                if fits(a, vertices[j]):
                    edges.append((i, j, 0))
                    found += 1
                    if found >= near:
                        whole = whole and j == count - 1
                        break
        if all(mate >= 0 for mate in matcher(count, edges, True)):
            return True
        if whole:
            return False
        near *= 4


def _greedily(vertices: Sequence[int], fits: Callable[[int, int], bool]) -> bool:
    """Whether taking the next that fits, one after another, matches all."""
    left = list(vertices)
    while left:
        a = left.pop(0)
        for position, b in enumerate(left):
            if fits(a, b):
                del left[position]
                break
        else:
            return False
    return True
