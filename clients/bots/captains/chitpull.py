"""What the captains of both chit-pull titles do: chits by the troops in reach, attacks by the odds, moves by worth, HQs behind the troops.

Each question is met by a handler, found by the verbs on offer. When a headquarters is activated the moves are planned once: first who joins
which attack, then everybody else by the worth of the hexes in reach, headquarters last. Every pick is checked against the offer.
A title's captain says what it strives for: `goals`, `prize`, `holds`.
"""

import random
from collections.abc import Callable, Generator, Iterable, Mapping

from attrs import define, field

from clients.bots.captains.front import FAR, Front, Ground
from clients.bots.player import Exploration, View
from clients.hexmap import OFF_MAP
from protocol.choices import Choices, Pick, Picks

Handling = Generator[Picks, Choices, Picks]
Handler = Callable[[View, list[str]], Handling | Picks]

COLUMN_MIN, COLUMN_WANTED = 3, 6
"""Columns of the results table below which no attack is planned, and from which no more units are sent."""


@define(eq=False)
class Plan:
    """What is decided once for one activation."""

    danger: list[int]
    supplied: bytearray
    goals: Mapping[bool, list[int]]
    aims: dict[str, int] = field(factory=dict)
    """Unit -> the enemy hex that it is to attack."""
    spots: dict[str, int] = field(factory=dict)
    """Unit -> the hex from which."""
    order: list[str] = field(factory=list)
    """Who is still to be moved."""
    reach: dict[str, list[int]] = field(factory=dict)
    """Where each could go when the plan was made."""
    begun: bool = False


class Captain:
    """One seat of one game of a chit-pull title."""

    sees = True
    offence = (1.0, 0.5)
    defence = (0.25, 1.6)
    """How a side on the offensive and one that holds weigh the way to the goals, and danger."""
    gain_min = 0.3
    """What an attack must be expected to bring."""

    def __init__(self, seed: int | str) -> None:
        self._random = random.Random(f"captain {seed}")
        self._ground: Ground | None = None
        self._plans: dict[str, tuple[str, Plan]] = {}
        self._front: tuple[int, Front] | None = None

    # --- what a title says ------------------------------------------------------------------------------------------------------

    def goals(self, view: View, front: Front) -> list[int]:
        """The hexes that the side strives for now."""
        raise NotImplementedError

    def prize(self, view: View, front: Front, i: int) -> float:
        """What a hex is worth to the side that takes it."""
        raise NotImplementedError

    def holds(self, view: View, front: Front, i: int) -> float:
        """What it is worth to stand in an own hex that the enemy could take."""
        raise NotImplementedError

    def attacks(self, view: View) -> bool:
        """Whether the side is on the offensive: it goes for its goals, else it keeps what it has."""
        raise NotImplementedError

    # --- the question -----------------------------------------------------------------------------------------------------------

    def choose(self, view: View) -> Exploration:
        """The next command."""
        top = yield ()
        offered = [str(option.id) for option in top.options]
        picks: Picks = ()
        for verb, name in _HANDLERS.items():
            if verb in offered:
                handler: Handler = getattr(self, name)
                answer = handler(view, offered)
                picks = answer if isinstance(answer, tuple) else (yield from answer)
                break
        if picks:
            return picks
        return (yield from self._anything(top))

    def _anything(self, choices: Choices, picks: Picks = ()) -> Handling:
        """The first thing on offer, as far as need be: for questions where it hardly matters."""
        while not choices.complete:
            pick: Pick = choices.options[0].id if choices.options else choices.span[0] if choices.span is not None else 0
            picks = (*picks, pick)
            choices = yield picks
        return picks

    def ground(self, view: View) -> Ground:
        """The map and the counters, read once."""
        if self._ground is None:
            self._ground = Ground(view)
        return self._ground

    def front(self, view: View) -> Front:
        """The counters as they stand."""
        if self._front is None or self._front[0] != view.board.seq:
            self._front = (view.board.seq, Front.of(self.ground(view), view.board, view.seat))
        return self._front[1]

    def plan(self, view: View, step: str = "fight") -> Plan:
        """The fields of this activation, one set for its moves and one for its fights."""
        board = view.board
        key = f"{board.tracks.get('turn')} {board.at('in_hand')}"
        found = self._plans.get(step)
        if found is None or found[0] != key:
            front = self.front(view)
            goals = self.goals(view, front)
            ways = {mech: self.ground(view).ways(goals, mech) for mech in (False, True)}
            found = self._plans[step] = (key, Plan(front.danger(), front.supplied(), ways))
        return found[1]

    def _names(self, choices: Choices) -> list[str]:
        return [str(option.id) for option in choices.options]

    # --- set-up and chits -------------------------------------------------------------------------------------------------------

    def _historical(self, view: View, offered: list[str]) -> Picks:
        return ("historical",)

    def _preset(self, view: View, offered: list[str]) -> Picks:
        return ("preset",)

    def _ready(self, view: View, offered: list[str]) -> Picks:
        return ("ready",)

    def chits_wanted(self, view: View, first: list[str]) -> list[str]:
        """All chits that the side may have, best first."""
        front = self.front(view)
        mine = [id for id, chit in self.ground(view).chits.items() if chit.get("side") == view.seat]
        return sorted(mine, key=lambda id: -self.chit_value(view, front, id))

    def chit_value(self, view: View, front: Front, id: str) -> float:
        """How much a chit brings about: the strength of the units in reach of its headquarters, those near enemies more."""
        ground = self.ground(view)
        chit = ground.chits[id]
        at = front.at.get(str(chit.get("hq", "")), -1)
        return self.command_value(front, str(chit.get("hq", "")), at) if at >= 0 else 0.0

    def command_value(self, front: Front, hq: str, at: int) -> float:
        """What a headquarters commands from a hex."""
        ground = front.ground
        total = 0.0
        for i in ground.disc(at, ground.counters[hq].reach):
            for id in front.friends.get(i, ()):
                counter = ground.counters[id]
                if counter.fights and not counter.hq:
                    near = 2.0 if i in front.zone else 1.0
                    total += near * (1 + front.values(id)[0]) * (1.5 if counter.mech else 1.0)
        return total

    def _choose(self, view: View, offered: list[str]) -> Handling:
        """Chits in rising order: the best that are on offer."""
        picks: Picks = ("choose",)
        choices = yield picks
        wanted = self.chits_wanted(view, self._names(choices))
        rank = {id: number for number, id in enumerate(wanted)}
        needed = self.chits_needed(view)
        best = set(wanted[:needed])
        while not choices.complete:
            names = self._names(choices)
            good = sorted(name for name in names if name in best)
            pick = good[0] if good else min(names, key=lambda name: rank.get(name, FAR))
            picks = (*picks, pick)
            choices = yield picks
        return picks

    def chits_needed(self, view: View) -> int:
        """How many are to be chosen."""
        turn = self.ground(view).turns.get(int(view.board.tracks.get("turn", 1) or 1), {})
        return int(turn.get("chits", {}).get(view.seat, 0))

    def _activate(self, view: View, offered: list[str]) -> Handling:
        """The headquarters that commands most."""
        choices = yield ("activate",)
        front = self.front(view)
        names = self._names(choices)
        return ("activate", max(names, key=lambda hq: self.command_value(front, hq, front.at[hq]) if hq in front.at else 0.0))

    def _use(self, view: View, offered: list[str]) -> Picks:
        """A chit in hand is used against one of the enemy's, or before it is lost."""
        drawn = [id for id in view.board.at("in_hand") if id in self.ground(view).chits]
        own = any(self.ground(view).chits[id].get("side") == view.seat for id in drawn)
        return ("pass",) if own and "pass" in offered else ("use",)

    def _name(self, view: View, offered: list[str]) -> Handling:
        """Units for a direct command: those that can hit; or the first chit to be drawn, the best of one's own."""
        front = self.front(view)
        picks: Picks = ("name",)
        choices = yield picks
        chits = [name for name in self.chits_wanted(view, []) if choices.offers(name)]
        if chits:
            return ("name", chits[0])
        while not choices.is_end:
            names = [name for name in self._names(choices) if front.at.get(name) in front.zone and front.values(name)[0] > 3]
            if not names and choices.complete:
                break
            picks = (*picks, names[0] if names else self._names(choices)[0])
            choices = yield picks
        return picks

    def _pass(self, view: View, offered: list[str]) -> Picks:
        return ("pass",)

    # --- movement ---------------------------------------------------------------------------------------------------------------

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
        return (yield from self._anything(choices, ("move",)))

    def _plan_attacks(self, view: View, front: Front, plan: Plan, names: list[str]) -> Generator[Picks, Choices, None]:
        """Who attacks what from where; the others follow by rank."""
        ground = self.ground(view)
        index, counters = ground.map.index, ground.counters
        reach = plan.reach
        for name in names:
            if not counters[name].fights or counters[name].hq or name not in front.at:
                continue
            choices = yield ("move", name)
            reach[name] = [index[id] for id in self._names(choices) if id in index]
        contact: dict[int, list[tuple[str, int]]] = {}
        hostile = {i: front.fighters(i) for i in front.enemies}
        for name in front.mine():
            if (name, "activated") not in view.board.marks or not counters[name].fights or counters[name].hq:
                continue
            for i in (front.at[name], *reach.get(name, ())):
                if i in front.zone:
                    for n in ground.map.adjacent(i):
                        if hostile.get(n):
                            contact.setdefault(n, []).append((name, i))
        self._assign(view, front, plan, contact)
        rest = [name for name in names if name not in plan.aims]
        rest.sort(key=lambda name: (counters[name].hq, plan.goals[counters[name].mech][front.at[name]] if name in front.at else -1))
        plan.order = [name for name in plan.aims if name in names and plan.spots[name] != front.at[name]]
        plan.order += [name for name in rest if name not in plan.order]

    def _assign(self, view: View, front: Front, plan: Plan, contact: Mapping[int, list[tuple[str, int]]]) -> None:
        ground = self.ground(view)
        counters = ground.counters
        standing = {i: sum(1 for id in names if not counters[id].hq or ground.hqs_count) for i, names in front.friends.items()}
        room = {i: ground.stack - n for i, n in standing.items()}

        def order(target: int) -> float:
            return (self.prize(view, front, target) + sum(front.worth(id) for id in front.fighters(target))) / (2 + front.defence(target))

        for target in sorted(contact, key=lambda i: (-order(i), i)):
            places: dict[str, int] = {}
            taken: dict[int, int] = {}
            spots: dict[str, list[int]] = {}
            for name, i in contact[target]:
                if name not in plan.aims:
                    spots.setdefault(name, []).append(i)
            for name in sorted(spots, key=lambda name: (-front.values(name)[0], name)):
                free = [
                    i for i in spots[name] if (i == front.at[name] and i not in taken) or room.get(i, ground.stack) - taken.get(i, 0) > 0
                ]
                if not free or not front.values(name)[0]:
                    continue
                best = min(free, key=lambda i: self._spot(view, front, plan, target, i, taken, front.at[name]))
                places[name] = best
                if best != front.at[name]:
                    taken[best] = taken.get(best, 0) + 1
                column = ground.column(
                    front.strength(places, target), front.defence(target), ground.shift(view.board, target, view.seat)
                )
                if column >= COLUMN_WANTED:
                    break
            if places and front.gain(places, target, self.prize(view, front, target)) > self.gain_min:
                for name, i in places.items():
                    plan.aims[name] = target
                    plan.spots[name] = i
                    if i != front.at[name]:
                        room[i] = room.get(i, ground.stack) - 1
                        room[front.at[name]] = room.get(front.at[name], 0) + 1

    def _spot(self, view: View, front: Front, plan: Plan, target: int, i: int, taken: Mapping[int, int], here: int) -> float:
        """How bad a hex is to attack from."""
        map_ = self.ground(view).map
        river = (i, map_.neighbours[i].index(target)) in map_.rivers
        spread = 1.5 if i in taken else 0.0
        return 6.0 * river + spread + 0.02 * plan.danger[i] + (0.0 if plan.supplied[i] else 2.0) - (0.3 if i == here else 0.0)

    def _go(self, view: View, front: Front, plan: Plan, name: str) -> Handling:
        """Move one counter to the best hex on offer, or leave it: whom nothing tempted when the plan was made is not asked again."""
        ground = self.ground(view)
        index, ids = ground.map.index, ground.map.ids
        spot = plan.spots.get(name)
        here = front.at.get(name, OFF_MAP)
        least = self.value(view, front, plan, name, here) + 0.2 if here != OFF_MAP else -float(FAR)
        better: list[tuple[float, Picks]] = []

        def weigh(hexes: Iterable[int], *way: str) -> None:
            for i in hexes:
                value = self.value(view, front, plan, name, i) - 0.3 * len(way)
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
            return (yield from self._first_whole([("move", name, ids[spot])] if choices.offers(ids[spot]) else []))
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
        """The first of these that is a whole command: a hex may be on offer only to go on from."""
        for picks in ways:
            choices = yield picks
            if choices.complete:
                return picks
        return ()

    def value(self, view: View, front: Front, plan: Plan, name: str, i: int) -> float:
        """What it is worth for a counter to stand in a hex."""
        ground = self.ground(view)
        counter = ground.counters[name]
        if counter.hq:
            return self._hq_value(view, front, plan, name, i)
        far = plan.goals[counter.mech][i]
        pull, caution = self.offence if self.attacks(view) else self.defence
        value = -min(far, FAR) * pull
        friends = [id for id in front.friends.get(i, ()) if id != name and ground.counters[id].fights]
        defence = front.values(name)[1] + sum(front.values(id)[1] for id in friends)
        shift = ground.shift(view.board, i, ground.enemy(view.seat))
        odds = plan.danger[i] / (max(1, defence) * (1.0 + 0.35 * max(0, shift)))
        value -= caution * max(0.0, odds - 2.0)
        if not plan.supplied[i]:
            value -= 8.0
        elif i in front.zone and i not in front.friends:
            value -= 0.5
        near = 0
        for n in ground.map.adjacent(i):
            near += n in front.friends
        value += 0.3 * min(near, 2)
        if (name, "out_of_supply") in view.board.marks or (name, "surrounded") in view.board.marks:
            value += 4.0 * plan.supplied[i]
        value += self.holds(view, front, i) * (1.0 if not friends else 0.4)
        if i not in front.friends:
            value += self.prize(view, front, i)
        return value - 1.5 * front.leash(i)

    def _hq_value(self, view: View, front: Front, plan: Plan, name: str, i: int) -> float:
        """A headquarters wants its troops in reach, the front near, and no enemies about."""
        ground = self.ground(view)
        reach, distance = ground.counters[name].reach, ground.map.distance
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
        hexes = [ground.map.index[id] for id in self._names(choices) if id in ground.map.index]
        if not hexes or not going:
            return ("halt",)
        hexes.sort(key=lambda i: (plan.goals[True][i], i))
        return (yield from self._first_whole([("on", ground.map.ids[i]) for i in hexes[:6]])) or ("halt",)

    # --- combat -----------------------------------------------------------------------------------------------------------------

    def _attack(self, view: View, offered: list[str]) -> Handling:
        """The attack that brings most, with no more units than it takes."""
        front = self.front(view)
        ground = self.ground(view)
        choices = yield ("attack",)
        best: tuple[float, str, dict[str, int]] | None = None
        for target in self._names(choices):
            i = ground.map.index[target]
            following = yield ("attack", target)
            prize = self.prize(view, front, i) + self.breach(view, i)
            places = {name: front.at[name] for name in self._names(following) if front.values(name)[0]}
            found = front.gain(places, i, prize) if places else -99.0
            if found > self.gain_min and (best is None or found > best[0]):
                best = (found, target, self._lean(view, front, i, places, prize))
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

    def _lean(self, view: View, front: Front, target: int, places: dict[str, int], prize: float) -> dict[str, int]:
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
                prices.append((0.5 * counter.full[0] if front.faces(name) - picks.count(name) > 1 else last, name))
            picks = (*picks, min(prices)[1])
            choices = yield picks
        return picks

    def _retreat(self, view: View, offered: list[str]) -> Handling:
        """Each unit to where it is least in danger."""
        front = self.front(view)
        plan = self.plan(view)
        ground = self.ground(view)
        index = ground.map.index
        picks: Picks = ("retreat",)
        choices = yield picks
        while not choices.complete:
            names = self._names(choices)
            hexes = [id for id in names if id in index]
            if hexes:
                dangers = [(not plan.supplied[i], plan.danger[i] - 2 * (i in front.friends), i) for i in map(index.__getitem__, hexes)]
                pick = ground.map.ids[min(dangers)[2]]
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
        index = ground.map.index
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
            ways += [(hexes[0], id) for id in self._names(taken) if id in index and index[id] != front.at[name]]
            for way in ways:
                gained = self.value(view, front, plan, name, index[str(way[-1])]) - here
                if len(way) > 1 and index[str(way[0])] not in front.friends:
                    gained += self.prize(view, front, index[str(way[0])])
                if gained > 0 and (best is None or gained > best[0]):
                    best = (gained, ("advance", name, *way))
        return best[1] if best is not None else ("done",)

    # --- headquarters, reinforcements ------------------------------------------------------------------------------------------

    def _reset(self, view: View, offered: list[str]) -> Handling:
        choices = yield ("reset",)
        front, plan = self.front(view), self.plan(view)
        index = self.ground(view).map.index

        def value(id: str) -> float:
            near = sum(1 for i in self.ground(view).disc(index[id], 4) for _ in front.friends.get(i, ()))
            return near - 0.1 * plan.danger[index[id]]

        return ("reset", max(self._names(choices), key=lambda id: (value(id), id)))

    def _place(self, view: View, offered: list[str]) -> Handling:
        """Reinforcements: headquarters first, each to the hex that is worth most to it."""
        front = self.front(view)
        plan = self.plan(view)
        ground = self.ground(view)
        choices = yield ("place",)
        names = sorted(self._names(choices), key=lambda name: (not ground.counters[name].hq, -ground.counters[name].full[0], name))
        for name in names:
            choices = yield ("place", name)
            hexes = [id for id in self._names(choices) if id in ground.map.index]
            if hexes:
                return ("place", name, max(hexes, key=lambda id: (self.arrival(view, front, plan, name, ground.map.index[id]), id)))
        return ("done",) if "done" in offered else ()

    def arrival(self, view: View, front: Front, plan: Plan, name: str, i: int) -> float:
        """What a hex is worth to a reinforcement: near the goals and the headquarters, out of danger."""
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


_HANDLERS: Mapping[str, str] = {
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
"""What is done when a verb is on offer: the first that is."""

__all__ = ["Captain", "Plan"]
