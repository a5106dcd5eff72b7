"""How captains of chit-pull titles move: attacks are planned by their odds, other moves by the
worth of hexes, and headquarters follow the troops."""

from collections.abc import Callable, Generator, Iterable, Mapping
from functools import partial

from warledger.clients.bots.captains.front import FAR, Front, Merits
from warledger.clients.bots.captains.handling import Handling, anything
from warledger.clients.bots.captains.staff import Plan, Staff
from warledger.clients.bots.player import View
from warledger.protocol.board.choices import Choices, Picks
from warledger.protocol.board.hexgrid import OFF_MAP

COLUMN_WANTED = 6
"""The column of the results table from which no more units are sent."""


class Manoeuvre(Staff):
    """The moves of an activation. They are planned once, when the side is first asked, then carried
    out counter by counter; every pick is checked against the offer."""

    def _move(self, view: View, offered: list[str]) -> Handling:
        plan = self.plan(view, "move")
        front = self.front(view)
        choices = yield ("move",)
        if not plan.begun:
            plan.begun = True
            yield from self._plan_attacks(view, front, plan, self._names(choices))
        while plan.order:
            name = plan.order.pop(0)
            picks = (yield from self._go(view, front, plan, name)) if choices.offers(name) else ()
            if picks:
                return picks
        if "done" in offered:
            return ("done",)
        return (yield from anything(choices, ("move",)))

    def _plan_attacks(
        self, view: View, front: Front, plan: Plan, names: list[str]
    ) -> Generator[Picks, Choices, None]:
        """Which units attack what from where; the others follow by rank."""
        ground = self.ground(view)
        index, counters = ground.map.grid.index, ground.counters
        reach = plan.reach
        for name in names:
            if not counters[name].fights or counters[name].hq or name not in front.at:
                continue
            choices = yield ("move", name)
            reach[name] = [index[id] for id in self._names(choices) if id in index]
        self._assign(view, front, plan, self._contacts(view, front, plan))
        rest = [name for name in names if name not in plan.aims]
        rest.sort(
            key=lambda name: (
                counters[name].hq,
                plan.goals[counters[name].mech][front.at[name]] if name in front.at else -1,
            )
        )
        plan.order = [
            name for name in plan.aims if name in names and plan.spots[name] != front.at[name]
        ]
        plan.order += [name for name in rest if name not in plan.order]

    def _contacts(
        self, view: View, front: Front, plan: Plan
    ) -> Mapping[int, list[tuple[str, int]]]:
        """Enemy hexes, with my activated units and the hexes from which each could attack them."""
        ground = self.ground(view)
        counters = ground.counters
        contact: dict[int, list[tuple[str, int]]] = {}
        hostile = {i: front.fighters(i) for i in front.enemies}
        for name in front.mine():
            if (
                (name, "activated") not in view.board.marks
                or not counters[name].fights
                or counters[name].hq
            ):
                continue
            for i in (front.at[name], *plan.reach.get(name, ())):
                if i in front.zone:
                    for n in ground.map.grid.adjacent[i]:
                        if hostile.get(n):
                            contact.setdefault(n, []).append((name, i))
        return contact

    def _assign(
        self, view: View, front: Front, plan: Plan, contact: Mapping[int, list[tuple[str, int]]]
    ) -> None:
        ground = self.ground(view)
        counters = ground.counters
        placed = {
            i: sum(1 for id in names if not counters[id].hq or ground.hqs_count)
            for i, names in front.friends.items()
        }
        room = {i: ground.stack - n for i, n in placed.items()}

        def order(target: int) -> float:
            return (
                self.prize(view, front, target)
                + sum(front.worth(id) for id in front.fighters(target))
            ) / (2 + front.defence(target))

        for target in sorted(contact, key=lambda i: (-order(i), i)):
            places: dict[str, int] = {}
            taken: dict[int, int] = {}
            spots: dict[str, list[int]] = {}
            for name, i in contact[target]:
                if name not in plan.aims:
                    spots.setdefault(name, []).append(i)
            for name in sorted(spots, key=lambda name: (-front.values(name)[0], name)):
                free = [
                    i
                    for i in spots[name]
                    if (i == front.at[name] and i not in taken)
                    or room.get(i, ground.stack) - taken.get(i, 0) > 0
                ]
                if not free or not front.values(name)[0]:
                    continue
                best = min(
                    free,
                    key=lambda i: self._spot(view, front, plan, target, i, taken, front.at[name]),
                )
                places[name] = best
                if best != front.at[name]:
                    taken[best] = taken.get(best, 0) + 1
                column = ground.column(
                    front.strength(places, target),
                    front.defence(target),
                    ground.shift(view.board, target, view.seat),
                )
                if column >= COLUMN_WANTED:
                    break
            if (
                places
                and front.gain(places, target, self.prize(view, front, target)) > self.gain_min
            ):
                for name, i in places.items():
                    plan.aims[name] = target
                    plan.spots[name] = i
                    if i != front.at[name]:
                        room[i] = room.get(i, ground.stack) - 1
                        room[front.at[name]] = room.get(front.at[name], 0) + 1

    def _spot(
        self,
        view: View,
        front: Front,
        plan: Plan,
        target: int,
        i: int,
        taken: Mapping[int, int],
        here: int,
    ) -> float:
        """How bad a hex is to attack from."""
        map_ = self.ground(view).map
        river = (i, map_.grid.neighbours[i].index(target)) in map_.classes
        spread = 1.5 if i in taken else 0.0
        return (
            6.0 * river
            + spread
            + 0.02 * plan.danger[i]
            + (0.0 if plan.supplied[i] else 2.0)
            - (0.3 if i == here else 0.0)
        )

    def _go(self, view: View, front: Front, plan: Plan, name: str) -> Handling:
        """Move one counter to the best hex on offer, or leave it: a counter for which the plan
        found no better hex is not considered again."""
        ground = self.ground(view)
        index, ids = ground.map.grid.index, ground.map.grid.ids
        spot = plan.spots.get(name)
        here = front.at.get(name, OFF_MAP)
        worth = self.weigher(view, front, plan, name)
        least = worth(here) + 0.2 if here != OFF_MAP else -float(FAR)
        better: list[tuple[float, Picks]] = []

        def weigh(hexes: Iterable[int], *way: str) -> None:
            for i in hexes:
                value = worth(i) - 0.3 * len(way)
                if value > least:
                    better.append((value, ("move", name, *way, ids[i])))

        known = plan.reach.get(name)
        roads = here in ground.map.links["road"] and here not in front.zone
        if spot is None and known is not None:
            weigh(known)
            if not better and not roads:
                return ()
        choices = yield ("move", name)
        if spot is not None:
            return (
                yield from self._first_whole(
                    [("move", name, ids[spot])] if choices.offers(ids[spot]) else []
                )
            )
        if known is None:
            weigh(index[id] for id in self._names(choices) if id in index)
        else:
            better = [item for item in better if choices.offers(item[1][-1])]
        for road in ("road", "march"):
            if roads and choices.offers(road):
                further = yield ("move", name, road)
                weigh((index[id] for id in self._names(further) if id in index), road)
        better.sort(reverse=True)
        return (yield from self._first_whole([picks for _, picks in better[:6]]))

    def _first_whole(self, ways: list[Picks]) -> Handling:
        """The first of these that is a whole command: a hex may be on offer only to continue
        from."""
        for picks in ways:
            choices = yield picks
            if choices.complete:
                return picks
        return ()

    def value(self, view: View, front: Front, plan: Plan, name: str, i: int) -> float:
        """What it is worth for a counter to be in a hex."""
        return self.weigher(view, front, plan, name)(i)

    def weigher(self, view: View, front: Front, plan: Plan, name: str) -> Callable[[int], float]:
        """What it is worth for a counter to be in each of many hexes. A decision may weigh
        thousands, so whatever is the same in all of them is looked up once."""
        counter = self.ground(view).counters[name]
        if counter.hq:
            return partial(self._hq_value, view, front, plan, name)
        goals, danger, supplied = plan.goals[counter.mech], plan.danger, plan.supplied
        pull, caution = self.offence if self.attacks(view) else self.defence
        here, own = front.at.get(name, OFF_MAP), front.values(name)[1]
        zone, friends, known, merits = front.zone, front.friends, front.merits, self._merits
        marks = view.board.marks
        is_cut_off = (name, "out_of_supply") in marks or (name, "surrounded") in marks

        def weigh(i: int) -> float:
            shift, near, holds, prize, leash, mates, defence = known.get(i) or merits(
                view, front, i
            )
            if i == here and counter.fights:
                mates -= 1  # the counter itself is among them
            else:
                defence += own
            value = -min(goals[i], FAR) * pull
            odds = danger[i] / (max(1, defence) * (1.0 + 0.35 * max(0, shift)))
            if odds > 2.0:
                value -= caution * (odds - 2.0)
            if not supplied[i]:
                value -= 8.0
            elif i in zone and i not in friends:
                value -= 0.5
            value += near
            if is_cut_off:
                value += 4.0 * supplied[i]
            value += holds * (0.4 if mates else 1.0)
            return value + prize - leash

        return weigh

    def _merits(self, view: View, front: Front, i: int) -> Merits:
        """What a hex has for any counter: columns against attackers, friends next to it, its worth
        to keep and to take, its distance from headquarters. Then come the number of fighting
        friends in it and their defence together. A decision may weigh the same hexes for dozens of
        counters."""
        found = front.merits.get(i)
        if found is None:
            ground, friends = self.ground(view), front.friends
            near = sum(n in friends for n in ground.map.grid.adjacent[i])
            mates = [id for id in friends.get(i, ()) if ground.counters[id].fights]
            found = front.merits[i] = (
                ground.shift(view.board, i, ground.enemy(view.seat)),
                0.3 * min(near, 2),
                self.holds(view, front, i),
                0.0 if i in friends else self.prize(view, front, i),
                1.5 * front.leash(i),
                len(mates),
                sum(front.values(id)[1] for id in mates),
            )
        return found

    def _hq_value(self, view: View, front: Front, plan: Plan, name: str, i: int) -> float:
        """A headquarters wants its troops in reach, the front close, and no enemies near."""
        ground = self.ground(view)
        reach, distance = ground.counters[name].reach, ground.map.grid.distance
        value = 0.0
        for at, weight in front.troops_of(name) if name in front.at else ():
            far = distance(at, i)
            if far <= reach + 3:
                value += weight if far <= reach else 0.4 * weight
        company = any(ground.counters[id].fights and id != name for id in front.friends.get(i, ()))
        if i in front.zone:
            value -= 12.0
        value -= (0.15 if company else 0.6) * plan.danger[i]
        if not plan.supplied[i]:
            value -= 25.0
        return value - (0.8 if self.attacks(view) else 0.0) * min(plan.goals[False][i], 99)

    def _on(self, view: View, offered: list[str]) -> Handling:
        """After an overrun: further if that is better."""
        choices = yield ("on",)
        front, plan = self.front(view), self.plan(view, "move")
        ground = self.ground(view)
        going = [name for name in front.mine() if (name, "activated") in view.board.marks]
        hexes = [
            ground.map.grid.index[id] for id in self._names(choices) if id in ground.map.grid.index
        ]
        if not hexes or not going:
            return ("halt",)
        hexes.sort(key=lambda i: (plan.goals[True][i], i))
        return (
            yield from self._first_whole([("on", ground.map.grid.ids[i]) for i in hexes[:6]])
        ) or ("halt",)
