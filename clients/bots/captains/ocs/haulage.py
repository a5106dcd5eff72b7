"""What carries supply and units forward: transport points, trains, aircraft."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from functools import partial

from warledger.clients.bots.captains.handling import Handling
from warledger.clients.bots.captains.ocs.front import Front
from warledger.clients.bots.captains.ocs.ground import FAR, TRUCK
from warledger.clients.bots.captains.ocs.lifelines import DRAW, EXTENDER, WAGONS
from warledger.clients.bots.captains.ocs.rear import CLOSE, NEARER, Rear
from warledger.clients.bots.player import View
from warledger.protocol.board.choices import Choices, Picks
from warledger.protocol.board.hexgrid import OFF_MAP

WORTH_IT = 4
"""T for which a transport point goes to a dump."""

FAR_BACK = 8
"""How far behind the front supply has to lie to be carried on though an HQ draws it, in hexes."""

SET_OUT = 8
"""T that lie too far back for which an empty transport point sets out on a journey of more than a
turn."""

STAGE = 4.0
"""By how many movement points a stage of such a journey has to come nearer."""

LOAD = 4
"""T that a transport point carries."""

POINTS, LOST, SOON = 5, 2, 90.0
"""Transport points that make an extender, how many HQs must have lost touch to call some together,
and from how far, in movement points."""

FETCH = 16
"""How far a formation's own truck goes for its load, in hexes."""

BY_TRAIN, GAINED, CLEAR = 12, 8, 4
"""In hexes: how far from the enemy units take a train, how much nearer it must bring them, and how
near the enemy they get off."""

FLIGHT = 3
"""How many transports fly supply into a pocket together at most."""


class Haulage(Rear):
    """The answers about what carries."""

    def __init__(self, seed: int | str) -> None:
        super().__init__(seed)
        self._bound_for: Counter[int] = Counter()
        self._fields: dict[tuple[str, int, str], Mapping[int, float]] = {}
        self._meeting: tuple[int, tuple[str, ...]] = (OFF_MAP, ())

    def _transports(self, view: View, *, organic: bool) -> list[str]:
        """My transport points on the map."""
        front = self.front(view)
        return sorted(
            id
            for id in front.at
            if self._own(front, id)
            and front.counter(id).points
            and front.counter(id).organic is organic
        )

    def _load(self, front: Front, id: str) -> int:
        """T that a transport point carries."""
        return int(front.board.marks.get((id, "load"), 0) or 0)

    def _once(self, what: str) -> bool:
        """Whether something has not been done in this phase yet; it counts as done from now on."""
        if what in self._tried:
            return False
        self._tried.add(what)
        return True

    def _replenish(self, view: View, top: Choices) -> Handling:
        """A formation's own truck that is empty goes to the nearest dump, loads, and joins its
        formation again."""
        front, ground = self.front(view), self.ground(view)
        tokens = front.tokens()
        for id in self._transports(view, organic=True):
            at = front.at[id]
            if self._load(front, id):
                if f"load {id}" in self._tried and self._once(f"join {id}"):
                    mates = [
                        front.at[other]
                        for other in front.at
                        if front.counter(other).muf == front.counter(id).muf
                        and front.counter(other).combat_unit
                        and self._own(front, other)
                    ]
                    made = yield from self._ride(
                        view,
                        top,
                        id,
                        partial(self._together, view, mates),
                    )
                    if made:
                        return made
                continue
            if tokens.get(at, 0) >= WORTH_IT and f"load {id}" not in self._tried:
                made = yield from self._take(top, id)
                if made:
                    return made
            near = [
                i
                for i, lying in tokens.items()
                if lying >= WORTH_IT and ground.grid.distance(at, i) <= FETCH
            ]
            if near and at not in near and self._once(f"fetch {id}"):
                made = yield from self._ride(
                    view,
                    top,
                    id,
                    partial(self._off, view, at, frozenset(near)),
                )
                if made:
                    return made
        return ()

    def _carry(self, view: View, top: Choices) -> Handling:
        """Supply that lies too far back is loaded, brought where an HQ draws it, and unloaded."""
        front = self.front(view)
        tokens = front.tokens()
        behind = {i for i in tokens if tokens[i] >= WORTH_IT and self._behind(front, i)}
        for id in self._transports(view, organic=False):
            at = front.at[id]
            if self._load(front, id):
                if self._once(f"bring {id}"):
                    made = yield from self._ride(
                        view, top, id, partial(self._rank, front), least=NEARER
                    )
                    if made:
                        return made
                if top.offers("unload") and self._once(f"unload {id}"):
                    choices = yield ("unload",)
                    remote = self._remote(front, at)
                    if choices.offers(id) and not remote[0] and not remote[1]:
                        amounts = yield ("unload", id)
                        if amounts.span is not None:
                            return ("unload", id, amounts.span[1])
                continue
            if at in behind and f"load {id}" not in self._tried:
                made = yield from self._take(top, id)
                if made:
                    return made
            if behind and at not in behind and self._once(f"fetch {id}"):
                made = yield from self._ride(
                    view, top, id, partial(self._off, view, at, frozenset(behind))
                )
                if made:
                    return made
            if at not in behind and self._once(f"set out {id}"):
                made = yield from self._set_out(view, top, id, behind)
                if made:
                    return made
        return ()

    def _set_out(self, view: View, top: Choices, id: str, behind: Set[int]) -> Handling:
        """An empty transport point that reaches no supply this turn sets out for the nearest supply
        too far back, unless others fetch all of it."""
        front, ground = self.front(view), self.ground(view)
        tokens, at = front.tokens(), front.at[id]
        stores = [i for i in behind if tokens[i] - LOAD * self._bound_for[i] >= SET_OUT]
        store = min(stores, key=lambda i: (ground.grid.distance(at, i), i), default=None)
        if store is None:
            return ()
        kind = front.counter(id).faces[front.face(id)].mobility
        made = yield from self._ride(
            view,
            top,
            id,
            partial(self._stage, front, self._roads(front, store, kind)),
            least=STAGE,
        )
        if made:
            self._bound_for[store] += 1
        return made

    def _roads(self, front: Front, store: int, kind: str) -> Mapping[int, float]:
        """How far it is to a hex from each other, in movement points: worked out once a phase."""
        key = (self._planned, store, kind)
        if key not in self._fields:
            kept = {one: field for one, field in self._fields.items() if one[0] == self._planned}
            walls = front.walls() if kind == TRUCK else set()
            kept[key] = front.ground.spread((store,), kind, FAR, front.shut(), walls)
            self._fields = kept
        return self._fields[key]

    def _stage(self, front: Front, roads: Mapping[int, float], i: int) -> float:
        """How far a stage of a journey leaves the goal; nobody rests alone beside the enemy."""
        if front.away(i) <= CLOSE and not front.guards(i):
            return FAR
        return roads.get(i, FAR)

    def _stand(self, view: View, top: Choices) -> Handling:
        """OCS 12.7 Transport points that are together stand as an extender where an HQ that has
        lost touch draws from it. One that no HQ is near goes on as transport."""
        front, ground = self.front(view), self.ground(view)
        lines = front.lifelines()
        adrift = set(front.adrift().values())
        if adrift and top.offers("extend"):
            for name in self._names((yield ("extend",))):
                if name in ground.index and adrift & lines.reach(ground.index[name], TRUCK, DRAW):
                    kinds = self._names((yield ("extend", name)))
                    return ("extend", name, kinds[0])
        if len(adrift) >= LOST:
            made = yield from self._assemble(view, top, adrift)
            if made:
                return made
        if top.offers("fold") and self._once("fold"):
            hqs = set(front.hqs().values())
            for name in self._names((yield ("fold",))):
                if not hqs & lines.reach(ground.index[name], TRUCK, 2 * DRAW):
                    kinds = self._names((yield ("fold", name)))
                    return ("fold", name, kinds[0])
        return ()

    def _assemble(self, view: View, top: Choices, adrift: Set[int]) -> Handling:
        """OCS 12.7 Trucks that are called together go to where they are to stand as an extender;
        nothing else is asked of them in this phase. Who is called is decided once a phase."""
        front = self.front(view)
        if self._once("assemble"):
            self._meeting = self._called(front, adrift)
        site, called = self._meeting
        for id in called:
            self._tried.update(f"{what} {id}" for what in ("load", "fetch", "set out"))
            if front.at.get(id, site) != site and self._once(f"assemble {id}"):
                rank = partial(self._stage, front, self._roads(front, site, TRUCK))
                made = yield from self._ride(view, top, id, rank)
                if made:
                    return made
        return ()

    def _called(self, front: Front, adrift: Set[int]) -> tuple[int, tuple[str, ...]]:
        """OCS 12.7 The hex from which most HQs that have lost touch would draw and where an
        extender reaches a source. With it come the nearest empty trucks that make one; none where
        too few can come soon."""
        trucks = [
            id
            for names in front.friends.values()
            for id in names
            if front.counter(id).points
            and not front.counter(id).organic
            and not self._load(front, id)
            and not front.has(id, EXTENDER)
            and front.counter(id).faces[front.face(id)].mobility == TRUCK
        ]
        nobody: tuple[int, tuple[str, ...]] = (OFF_MAP, ())
        if len(trucks) < POINTS:
            return nobody
        lines = front.lifelines()
        near = Counter(i for hq in sorted(adrift) for i in lines.reach(hq, TRUCK, DRAW))
        joined = lines.drawn(front.ends(), 2 * WAGONS)
        sites = [i for i in near if i in joined and i not in front.zone and front.away(i) > CLOSE]
        if not sites:
            return nobody
        home = front.at[min(trucks)]
        site = min(sites, key=lambda i: (-near[i], front.ground.grid.distance(i, home), i))
        roads = self._roads(front, site, TRUCK)
        come = [id for id in trucks if roads.get(front.at[id], FAR) <= SOON]
        come.sort(key=lambda id: (roads[front.at[id]], id))
        return nobody if len(come) < POINTS else (site, tuple(come[:POINTS]))

    def _together(self, view: View, mates: Sequence[int], i: int) -> float:
        """How far a hex is from all of these together."""
        return float(sum(self.ground(view).grid.distance(i, mate) for mate in mates))

    def _off(self, view: View, at: int, wanted: Set[int], i: int) -> float:
        """How far off a hex is, if it is one of those wanted."""
        return float(self.ground(view).grid.distance(at, i)) if i in wanted else FAR

    def _behind(self, front: Front, i: int) -> bool:
        """Whether supply lies too far back."""
        far, bare, _ = self._remote(front, i)
        return not bare and (far or front.away(i) > FAR_BACK)

    def _rank(self, front: Front, i: int) -> float:
        """How good a hex is to put supply down, the less the better."""
        far, bare, away = self._remote(front, i)
        if bare or i in front.zone:
            return FAR
        return away + 20.0 * far + front.away(i)

    def _take(self, top: Choices, id: str) -> Handling:
        """Load as much as the transport can carry."""
        self._tried.add(f"load {id}")
        if not top.offers("load"):
            return ()
        choices = yield ("load",)
        if not choices.offers(id):
            return ()
        amounts = yield ("load", id)
        return () if amounts.span is None else ("load", id, amounts.span[1])

    def _ride(
        self,
        view: View,
        top: Choices,
        id: str,
        rank: Callable[[int], float],
        *,
        least: float = 1.0,
    ) -> Handling:
        """To the best of the hexes that it reaches, where that is better by `least`."""
        if not top.offers("move"):
            return ()
        choices = yield ("move",)
        if not choices.offers(id):
            return ()
        front, index = self.front(view), self.ground(view).index
        shown = yield ("move", id)
        ends = [index[name] for name in self._names(shown) if name in index]
        ends = [i for i in ends if i not in front.zone or front.guards(i)]
        if not ends:
            return ()
        best = min(ends, key=lambda i: (rank(i), i))
        now = rank(front.at[id])
        if rank(best) >= FAR or (now < FAR and rank(best) + least > now):
            return ()
        return ("move", id, self.ground(view).ids[best])

    # --- trains -----------------------------------------------------------------------------------

    def _trains(self, view: View, top: Choices) -> Handling:
        """Units far behind the front go by rail as near to it as is safe."""
        if not top.offers("rail"):
            return ()
        front, ground, aims = self.front(view), self.ground(view), self.aims(view)
        goals = [i for i in aims.goals if not front.mine(i)] if aims.attacks else []
        choices = yield ("rail",)
        for id in self._names(choices):
            if id not in front.at or not front.counter(id).combat_unit:
                continue
            at = front.at[id]
            was = front.away(at)
            if was < BY_TRAIN or not self._once(f"train {id}"):
                continue
            shown = yield ("rail", id)
            best: tuple[int, int] | None = None
            for name in self._names(shown):
                i = ground.index.get(name, -1)
                if i < 0:
                    continue
                now = front.away(i)
                if now < CLEAR or now + GAINED > was:
                    continue
                value = (front.distance(i, goals) if goals else now, i)
                if best is None or value < best:
                    best = value
            if best is not None:
                return ("rail", id, ground.ids[best[1]])
        return ()

    # --- by air -----------------------------------------------------------------------------------

    def _pocket(self, view: View) -> frozenset[int]:
        """Hexes of mine to which no Truck path leads from a source."""
        front, ground = self.front(view), self.ground(view)
        ends = {
            ground.index[entry["hex"]]
            for entry in ground.scenario.get("source", ())
            if entry["side"] == view.seat and "hex" in entry
        }
        if not ends:
            return frozenset()
        joined = ground.spread(ends, TRUCK, FAR, front.shut(), front.walls())
        return frozenset(i for i in front.friends if i not in joined)

    def _supply_by_air(self, view: View, top: Choices) -> Handling:
        """Transports fly supply to whoever is cut off: to a base there, else they drop it."""
        verbs = [verb for verb in ("airlift", "drop") if top.offers(verb)]
        if not verbs or "airlift" in self._tried:
            return ()
        pocket = self._pocket(view)
        index, planes = self.ground(view).index, self.ground(view).planes
        front = self.front(view)
        for verb in verbs:
            choices = yield (verb,)
            places = [
                name
                for name in self._names(choices)
                if name in index and index[name] in pocket and front.guards(index[name])
            ]
            places.sort(key=lambda name: (-len(front.guards(index[name])), name))
            for name in places[:2]:
                picks: Picks = (verb, name)
                shown = yield picks
                for id in self._names(shown):
                    carries = id in planes and str(planes[id].get("capacity", "0T")) != "0T"
                    if len(picks) - 2 < FLIGHT and carries and shown.offers(id):
                        picks = (*picks, id)
                        shown = yield picks
                if len(picks) == 2 or shown.span is None:
                    continue
                picks = (*picks, shown.span[1])
                if (yield picks).complete:
                    return picks
        self._tried.add("airlift")
        return ()
