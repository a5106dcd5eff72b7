"""The captain of Hungarian Rhapsody. A side that has to gain ground by a date attacks at once and
spends its supply on attacks. A side that has to hold ground gives up steps rather than hexes, and
keeps its armour together. The Soviets' special wagon extenders go where HQs have lost touch, and
their mountain division comes once few of the mountain groups are left."""

from collections.abc import Mapping

from warledger.clients.bots.captains.handling import Handling
from warledger.clients.bots.captains.ocs import captain
from warledger.clients.bots.captains.ocs.ground import LEG, TRUCK
from warledger.clients.bots.captains.ocs.lifelines import DRAW, WAGONS
from warledger.clients.bots.player import View
from warledger.protocol.board.choices import Choices

IDLE = 12
"""How far from every HQ an extender that nobody needs is lifted, in hexes."""

HELD = 3
"""How near to enemies no extender is put, in hexes."""


GROUPS, FEW = "su.ro.grp", 2
"""How the ids of mountain groups begin, and how many of them are not worth keeping."""


class Captain(captain.Captain):
    """One seat of one game."""

    handlers: Mapping[str, str] = {**captain.Captain.handlers, "muster": "_muster"}

    extenders = ("marker.swe",)
    depots = ("marker.front.2uf", "marker.front.3uf", "marker.front.4uf")

    def _move(self, view: View, top: Choices) -> Handling:
        """HR 3.1e Extenders first, then as in any game of the series."""
        for verb, answer in (("install", self._install), ("lift", self._lift)):
            if top.offers(verb) and verb not in self._lifted(view):
                made = yield from answer(view, top)
                if made:
                    return made
        return (yield from super()._move(view, top))

    def _muster(self, view: View, top: Choices) -> Handling:
        """HR 3.5d The division comes once few groups are left, as far forward as an HQ stands."""
        front, ground = self.front(view), self.ground(view)
        if sum(id.startswith(GROUPS) for id in front.at) > FEW:
            return ()
        choices = yield ("muster",)
        places = [name for name in self._names(choices) if name in ground.index]
        if not places:
            return ()
        best = min(places, key=lambda name: (front.away(ground.index[name]), name))
        yield ("muster", best)
        return ("muster", best)

    def _lifted(self, view: View) -> set[str]:
        """What has been done about extenders in this phase."""
        if self._wagons[0] != self.phase(view):
            self._wagons = (self.phase(view), set())
        return self._wagons[1]

    def _install(self, view: View, top: Choices) -> Handling:
        """HR 3.1e An extender goes where it reaches a source and most HQs that have lost touch draw
        from it. Where none has, it goes as near to the HQs in front as it reaches."""
        self._lifted(view).add("install")
        front, ground = self.front(view), self.ground(view)
        choices = yield ("install",)
        open_ = {ground.index[name] for name in self._names(choices) if name in ground.index}
        lines = front.lifelines()
        reached = frozenset().union(*(lines.reach(i, LEG, WAGONS) for i in front.ends()))
        sites = [i for i in sorted(open_ & reached) if front.away(i) > HELD]
        if not sites:
            return ()
        wanted: dict[int, int] = {}
        hqs = front.adrift()
        for i in hqs.values():
            for n in lines.reach(i, TRUCK, DRAW):
                wanted[n] = wanted.get(n, 0) + 1
        posts = list(hqs.values()) or list(front.hqs().values())
        best = min(sites, key=lambda i: (-wanted.get(i, 0), front.distance(i, posts), i))
        if not wanted.get(best) and best in front.drawn():
            return ()
        return ("install", ground.ids[best])

    def _lift(self, view: View, top: Choices) -> Handling:
        """HR 3.1e One that no HQ traces by is lifted, where another HQ has lost touch or all are
        far ahead of it."""
        self._lifted(view).add("lift")
        front, ground = self.front(view), self.ground(view)
        stand = front.wagons()
        lines = front.lifelines()
        hqs = front.hqs()
        choices = yield ("lift",)
        for i in stand:
            if not choices.offers(ground.ids[i]):
                continue
            left = lines.drawn(front.ends([n for n in stand if n != i]))
            if any(at in front.drawn() and at not in left for at in hqs.values()):
                continue
            if front.adrift() or front.distance(i, hqs.values()) > IDLE:
                return ("lift", ground.ids[i])
        return ()
