"""The captain of a chit-pull title: to the moves of manoeuvre.py it adds combat, losses, retreat,
advance, reinforcements.

Every pick is checked against the offer before it is made.
"""

from collections.abc import Mapping
from types import MappingProxyType

from warledger.clients.bots.captains.front import Front
from warledger.clients.bots.captains.handling import Handling
from warledger.clients.bots.captains.manoeuvre import Manoeuvre
from warledger.clients.bots.captains.staff import Plan
from warledger.clients.bots.player import View
from warledger.protocol.board.choices import Picks

HANDLERS: Mapping[str, str] = MappingProxyType(
    {
        "historical": "_historical",
        "preset": "_preset",
        "ready": "_ready",
        "choose": "_choose",
        "activate": "_activate",
        "use": "_use",
        "name": "_name",
        "move": "_move",
        "on": "_on",
        "attack": "_attack",
        "lose": "_lose",
        "retreat": "_retreat",
        "advance": "_advance",
        "reset": "_reset",
        "convert": "_convert",
        "place": "_place",
        "evacuate": "_done",
        "pass": "_pass",
    }
)
"""What to do when a verb is on offer: the first that is on offer counts."""


class Captain(Manoeuvre):
    """One seat of one game of a chit-pull title."""

    handlers = HANDLERS

    # --- combat -----------------------------------------------------------------------------------

    def _attack(self, view: View, offered: list[str]) -> Handling:
        """The most valuable attack, with no more units than it needs."""
        front = self.front(view)
        ground = self.ground(view)
        choices = yield ("attack",)
        best: tuple[float, str, dict[str, int]] | None = None
        for target in self._names(choices):
            i = ground.map.grid.index[target]
            following = yield ("attack", target)
            prize = self.prize(view, front, i) + self.breach(view, i)
            places = {
                name: front.at[name] for name in self._names(following) if front.values(name)[0]
            }
            found = front.gain(places, i, prize) if places else -99.0
            if found > self.gain_min and (best is None or found > best[0]):
                best = (found, target, self._lean(view, front, i, places))
        if best is None:
            return ("done",)
        _, target, places = best
        picks: Picks = ("attack", target)
        choices = yield picks
        for name in places:
            if choices.offers(name):
                picks = (*picks, name)
                choices = yield picks
        return picks if choices.complete else ("done",)

    def breach(self, view: View, i: int) -> float:
        """What it is worth to drive the enemy from a hex: more the nearer it lies to the goals."""
        plan = self.plan(view)
        return max(0.0, 2.0 - 0.1 * plan.goals[True][i]) if self.attacks(view) else 0.0

    def _lean(
        self, view: View, front: Front, target: int, places: dict[str, int]
    ) -> dict[str, int]:
        """Send home the weakest while the odds stay as they are."""
        ground = self.ground(view)
        shift = ground.shift(view.board, target, view.seat)
        defence = front.defence(target)
        column = ground.column(front.strength(places, target), defence, shift)
        for name in sorted(places, key=lambda name: front.values(name)[0]):
            fewer = {other: i for other, i in places.items() if other != name}
            if fewer and ground.column(front.strength(fewer, target), defence, shift) >= column:
                places = fewer
        return places

    def _lose(self, view: View, offered: list[str]) -> Handling:
        """The cheapest step first."""
        front = self.front(view)
        counters = self.ground(view).counters
        picks: Picks = ("lose",)
        choices = yield picks
        while not choices.is_end:
            prices = []
            for name in self._names(choices):
                counter = counters[name]
                last = 1.0 + counter.full[0] + 3.0 * counter.points + (4.0 if counter.hq else 0.0)
                prices.append(
                    (
                        0.5 * counter.full[0]
                        if front.faces(name) - picks.count(name) > 1
                        else last,
                        name,
                    )
                )
            picks = (*picks, min(prices)[1])
            choices = yield picks
        return picks

    def _retreat(self, view: View, offered: list[str]) -> Handling:
        """Each unit to where it is least in danger."""
        front = self.front(view)
        plan = self.plan(view)
        ground = self.ground(view)
        index = ground.map.grid.index
        picks: Picks = ("retreat",)
        choices = yield picks
        while not choices.complete:
            names = self._names(choices)
            hexes = [id for id in names if id in index]
            if hexes:
                dangers = [
                    (not plan.supplied[i], plan.danger[i] - 2 * (i in front.friends), i)
                    for i in map(index.__getitem__, hexes)
                ]
                pick = ground.map.grid.ids[min(dangers)[2]]
            else:
                pick = names[0]
            picks = (*picks, pick)
            choices = yield picks
        return picks

    def _advance(self, view: View, offered: list[str]) -> Handling:
        """Forward where the new hex is better than the old one."""
        front = self.front(view)
        ground = self.ground(view)
        plan = self.plan(view)
        index = ground.map.grid.index
        choices = yield ("advance",)
        best: tuple[float, Picks] | None = None
        for name in self._names(choices):
            here = self.value(view, front, plan, name, front.at[name]) - 0.6
            first = yield ("advance", name)
            hexes = [id for id in self._names(first) if id in index]
            if not hexes:
                continue
            taken = yield ("advance", name, hexes[0])
            ways: list[Picks] = [(hexes[0],)] if taken.complete else []
            ways += [
                (hexes[0], id)
                for id in self._names(taken)
                if id in index and index[id] != front.at[name]
            ]
            for way in ways:
                gained = self.value(view, front, plan, name, index[str(way[-1])]) - here
                if len(way) > 1 and index[str(way[0])] not in front.friends:
                    gained += self.prize(view, front, index[str(way[0])])
                if gained > 0 and (best is None or gained > best[0]):
                    best = (gained, ("advance", name, *way))
        return best[1] if best is not None else ("done",)

    # --- headquarters, reinforcements -------------------------------------------------------------

    def _reset(self, view: View, offered: list[str]) -> Handling:
        choices = yield ("reset",)
        front, plan = self.front(view), self.plan(view)
        index = self.ground(view).map.grid.index

        def value(id: str) -> float:
            near = sum(
                1 for i in self.ground(view).disc(index[id], 4) for _ in front.friends.get(i, ())
            )
            return near - 0.1 * plan.danger[index[id]]

        return ("reset", max(self._names(choices), key=lambda id: (value(id), id)))

    def _place(self, view: View, offered: list[str]) -> Handling:
        """Reinforcements: headquarters first, each to the hex that is worth most to it."""
        front = self.front(view)
        plan = self.plan(view)
        ground = self.ground(view)
        choices = yield ("place",)
        names = sorted(
            self._names(choices),
            key=lambda name: (not ground.counters[name].hq, -ground.counters[name].full[0], name),
        )
        for name in names:
            choices = yield ("place", name)
            hexes = [id for id in self._names(choices) if id in ground.map.grid.index]
            if hexes:
                return (
                    "place",
                    name,
                    max(
                        hexes,
                        key=lambda id: (
                            self.arrival(view, front, plan, name, ground.map.grid.index[id]),
                            id,
                        ),
                    ),
                )
        return ("done",) if "done" in offered else ()

    def arrival(self, view: View, front: Front, plan: Plan, name: str, i: int) -> float:
        """What a hex is worth to a reinforcement: near the goals and the headquarters, out of
        danger."""
        value = -0.5 * plan.goals[True][i] - 0.15 * plan.danger[i]
        if not self.ground(view).counters[name].hq:
            value += self.holds(view, front, i) - 1.5 * front.leash(i)
        return value

    def _convert(self, view: View, offered: list[str]) -> Handling:
        choices = yield ("convert",)
        front = self.front(view)
        return ("convert", max(self._names(choices), key=lambda name: (front.reduced(name), name)))

    def _done(self, view: View, offered: list[str]) -> Picks:
        return ("done",)
