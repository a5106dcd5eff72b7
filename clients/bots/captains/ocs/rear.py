"""Behind the front: where supply is brought, what is built."""

from warledger.clients.bots.captains.handling import Handling
from warledger.clients.bots.captains.ocs.front import Front
from warledger.clients.bots.captains.ocs.ground import TRUCK
from warledger.clients.bots.captains.ocs.lifelines import DRAW
from warledger.clients.bots.captains.ocs.staff import Staff
from warledger.clients.bots.player import View
from warledger.protocol.board.choices import Choices, Picks

NEARER = 4
"""By how many hexes supply has to come nearer to the HQs for a journey."""

WORKS, BASE = 8, 4
"""T that a level of a hedgehog and of an air base costs."""

PILE = 16
"""By how many T piles of supply have to differ for more to go to the smaller one."""

SAVED = 16
"""T that a side keeps for fighting before it builds."""

FORWARD = 3
"""How many hexes nearer to the HQs that it feeds a source that moves has to come, on average."""

CLOSE = 3
"""How near to the enemy nobody arrives alone, in hexes."""

DIGS = 2
"""How many hedgehogs are begun or raised in a phase at most."""


class Rear(Staff):
    """The answers about supply and works."""

    def _drawn(self, front: Front) -> frozenset[int]:
        """Hexes whose supply some HQ can draw, roughly."""
        if self._draws is None or self._draws[0] is not front:
            ground = front.ground
            hqs = {front.at[id] for id in front.at if front.counter(id).hq and self._own(front, id)}
            found = set(ground.spread(hqs, TRUCK, DRAW, front.shut(), front.walls()))
            near = {n for i in found for n in ground.grid.adjacent[i]}
            self._draws = (front, frozenset(near | found))
        return self._draws[1]

    def _own(self, front: Front, id: str) -> bool:
        return front.counter(id).side == front.side

    def _remote(self, front: Front, i: int) -> tuple[bool, bool, int]:
        """How badly supply lies in a hex, the less the better: out of the HQs' draw, open to the
        enemy, far from the HQs."""
        hqs = [front.at[id] for id in front.at if front.counter(id).hq and self._own(front, id)]
        bare = front.away(i) <= 2 and not front.guards(i)
        return (i not in self._drawn(front), bare, front.distance(i, hqs))

    def _lacking(self, front: Front, i: int) -> tuple[bool, float, bool, int, int]:
        """How badly more supply would lie in a hex, the less the better: open to the enemy, HQs
        that lack less to throw, out of their draw, much there already, far from them."""
        far, bare, away = self._remote(front, i)
        lying = front.drawable().get(i, 0) // PILE
        return (bare, -front.hunger().get(i, 0.0), far, lying, away)

    def _deliver(self, view: View, top: Choices) -> Handling:
        """What arrives goes where an HQ draws it that needs it and the enemy does not come by."""
        front, index = self.front(view), self.ground(view).index
        picks: Picks = ("deliver",)
        choices = yield picks
        while not choices.complete:
            places = [name for name in self._names(choices) if name in index]
            if places:
                best = min(places, key=lambda name: (*self._lacking(front, index[name]), name))
                picks = (*picks, best)
            elif choices.options:
                picks = (*picks, choices.options[0].id)
            elif choices.span is not None:
                picks = (*picks, choices.span[1])
            else:
                return (yield from self._rest(view, top))
            choices = yield picks
        return picks

    def _place(self, view: View, top: Choices) -> Handling:
        """Troops that arrive come as near to the enemy as they are in supply and safe, so that they
        need not march after the front. Whatever else arrives goes where it comes first."""
        front, ground = self.front(view), self.ground(view)
        supplied = front.supplied()
        for id in self._names((yield ("place",))):
            if id not in ground.counters:
                continue
            shown = yield ("place", id)
            ends = [ground.index[name] for name in self._names(shown) if name in ground.index]
            best = min(
                ends,
                key=lambda i: (
                    i not in supplied,
                    front.away(i) < CLOSE and not front.guards(i),
                    front.away(i),
                    i,
                ),
                default=None,
            )
            if best is not None:
                picks: Picks = ("place", id, ground.ids[best])
                if (yield picks).complete:
                    return picks
        return (yield from self._rest(view, top))

    def _relocate(self, view: View, top: Choices) -> Handling:
        """A source that can be moved follows the HQs that it is nearest to, with all that lies
        with it."""
        if not top.offers("relocate"):
            return ()
        front, index, grid = self.front(view), self.ground(view).index, self.ground(view).grid
        places = {marker: index[at] for at, marker in view.board.marks if at in index}
        names = self._names((yield ("relocate",)))
        for marker in names:
            if f"relocate {marker}" in self._tried or marker not in places:
                continue
            self._tried.add(f"relocate {marker}")
            others = [places[name] for name in names if name != marker and name in places]
            hqs = [
                i
                for id, i in front.at.items()
                if front.counter(id).hq
                and self._own(front, id)
                and grid.distance(i, places[marker]) <= front.distance(i, others)
            ]
            if not hqs:
                continue
            ends = [index[name] for name in self._names((yield ("relocate", marker)))]

            def away(i: int, hqs: list[int] = hqs) -> int:
                return sum(grid.distance(i, hq) for hq in hqs)

            to = min(ends, key=lambda i: (away(i), i))
            if away(to) + FORWARD * len(hqs) > away(places[marker]):
                continue
            picks: Picks = ("relocate", marker, self.ground(view).ids[to])
            along = yield picks
            if along.span is not None:
                return (*picks, along.span[1])
            most = [option.id for option in along.options if isinstance(option.id, int)]
            return (*picks, max(most)) if most else picks
        return ()

    def _journey(self, view: View, top: Choices) -> Handling:
        """Supply goes by train or truck to the HQs that need it most; what lies far from every HQ
        goes to where one draws it."""
        front, index = self.front(view), self.ground(view).index
        for verb in ("freight", "haul"):
            if not top.offers(verb):
                continue
            choices = yield (verb,)
            for start in self._names(choices):
                amounts = yield (verb, start)
                if amounts.span is None or start not in index:
                    continue
                most = amounts.span[1]
                ends = yield (verb, start, most)
                was = self._remote(front, index[start])
                here = [(index[name], name) for name in self._names(ends) if name in index]
                if not here:
                    continue
                wants = front.hunger()
                bare, lack, _, _, _, to = min((*self._lacking(front, i), name) for i, name in here)
                if not bare and -lack > wants.get(index[start], 0.0):
                    return (verb, start, most, to)
                now, to = min((self._remote(front, i), name) for i, name in here)
                nearer = not now[1] and now[2] + NEARER <= was[2]
                if now[0] < was[0] or (now[0] == was[0] and nearer):
                    return (verb, start, most, to)
        return ()

    def _works(self, view: View, top: Choices) -> Handling:
        """Whoever is to hold ground digs in where the enemy is strongest against it. A base that
        cannot refit all its aircraft grows, while there is time to use it."""
        if self.last(view):
            return ()
        front, ground, aims = self.front(view), self.ground(view), self.aims(view)
        tokens = sum(front.tokens().values())
        dug = sum(one.startswith("dig ") for one in self._tried)
        if top.offers("dig") and not aims.attacks and dug < DIGS and tokens >= WORKS + SAVED:
            danger = front.danger(1)
            choices = yield ("dig",)
            best: tuple[float, str] | None = None
            for name in self._names(choices):
                i = ground.index.get(name, -1)
                if i not in front.friends or f"dig {name}" in self._tried:
                    continue
                if not front.guards(i) or not danger.get(i) or front.hedgehog(i) > 1:
                    continue
                held = sum(front.defence(id) for id in front.friends[i])
                worth = held * (2.0 if aims.holds(front, i) else 1.0)
                if best is None or (worth, name) > best:
                    best = (worth, name)
            if best is not None:
                self._tried.add(f"dig {best[1]}")
                return ("dig", best[1])
        if top.offers("air_base") and "base" not in self._tried and tokens >= BASE + 3 * SAVED:
            self._tried.add("base")
            choices = yield ("air_base",)
            waiting: dict[str, int] = {}
            for id, piece in view.board.pieces.items():
                plane = ground.planes.get(id)
                if plane is not None and plane["side"] == view.seat and piece.place in ground.index:
                    waiting[piece.place] = waiting.get(piece.place, 0) + 1
            full = [name for name in self._names(choices) if waiting.get(name, 0) > 4]
            if full and self.turn(view) + 1 < ground.last_turn:
                return ("air_base", max(full, key=lambda name: (waiting[name], name)))
        return ()
