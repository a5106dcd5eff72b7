"""The captain of a side that defends: its units hold a line, garrison what must be held, and attack
what comes within reach at good odds.

When a headquarters is activated, the line is drawn again (line.py) from the units that cannot move
now. Good attacks come first; the other units are then posted one by one where they are worth most:
filling a hole in the line, holding a city, avoiding danger. Worth is measured in victory points.
"""

from abc import abstractmethod
from collections.abc import Callable, Generator, Iterable
from functools import partial

from attrs import define, field

from warledger.clients.bots.captains import chitpull
from warledger.clients.bots.captains.front import FAR, Front
from warledger.clients.bots.captains.handling import Handling
from warledger.clients.bots.captains.line import Line, steps, trace
from warledger.clients.bots.captains.staff import Plan
from warledger.clients.bots.player import View
from warledger.protocol.board.choices import Choices, Picks
from warledger.protocol.board.hexgrid import OFF_MAP

COVER = 0.4
"""What a hex of the line is worth to the unit that holds it."""
APPROACH = 0.15
"""What each hex on the way to a hole in the line is worth."""
STACK_ATTACK = 11
"""The strength that the enemy may be expected to bring against a hex from each hex next to it."""
PERIL = 0.4
"""How likely it is that the enemy attacks where it could."""
UNSUPPLIED = 3.0
"""What it costs to be in a hex without supply, in addition to what the unit itself is worth."""
LEASH, SLACK = 0.8, 3
"""What each hex beyond the reach of the headquarters, and this many more, costs a unit."""
COMING = ((3, 1.0, 45), (8, 1.0, 40), (14, 0.9, 30), (24, 0.7, 20), (FAR, 0.4, 10))
"""How likely the enemy is to reach a city from this many hexes away, and with what strength at
least."""
TIME = 4
"""Turns before the end from which units need less and less to be spared."""
GUARDED = 0.75
"""How much less likely the enemy is to come to a city that it has to fight for."""
BLOWS = 2
"""How often a city is attacked before help comes."""
TENABLE_HEXES, TENABLE_ODDS = 7, 2.5
"""A city around which the enemy is this many times as strong is given up as the end of a line."""
LAST_TURNS = 8
"""From this turn on, units that are cut off can hardly escape before they are counted as lost
(14.0.1)."""


@define(eq=False)
class Posture:
    """What is known while units are posted: the line, who stands where, and what threatens each
    hex."""

    key: str
    line: Line
    stand: dict[int, list[str]]
    """My fighting units by hex: those that cannot move now, and those whose place is chosen."""
    approach: list[int]
    """How far each hex lies from the nearest hole of the line, or city that wants a garrison."""
    stakes: dict[int, float]
    """The cities that are held, with what is lost with each."""
    time: float = 1.0
    """How much of the game is left for the enemy to strike, as far as it matters."""
    threats: dict[int, int] = field(factory=dict)
    strays: dict[int, float] = field(factory=dict)
    roads: dict[str, list[int]] = field(factory=dict)
    """Where a unit could go by road alone."""


class Defender(chitpull.Captain):
    """One seat of one game."""

    strikes = (4, 8)

    def __init__(self, seed: int | str) -> None:
        super().__init__(seed)
        self._posture: Posture | None = None
        self._obedient: dict[str, tuple[Front, list[tuple[int, int, float]]]] = {}

    def attacks(self, view: View) -> bool:
        """It waits, and counter-attacks."""
        return False

    @abstractmethod
    def cities(self, view: View) -> list[int]:
        """The hexes behind the line: those of mine that must not fall."""

    @abstractmethod
    def stake(self, view: View, i: int) -> float:
        """What is lost with a hex that the side holds."""

    # --- the posture ------------------------------------------------------------------------------

    def posture(self, view: View, front: Front, plan: Plan) -> Posture:
        """That of this activation; when the turn ends one for all arrivals."""
        key = f"{view.board.tracks.get('turn')} {view.board.at('in_hand')}"
        if self._posture is None or self._posture.key != key:
            self._posture = self._stand(view, front, plan, key, set(), set())
        return self._posture

    def _stand(
        self, view: View, front: Front, plan: Plan, key: str, free: set[str], reach: set[int]
    ) -> Posture:
        """A posture in which the `free` units have no place yet; they can go to the hexes of
        `reach`."""
        ground = front.ground
        stand: dict[int, list[str]] = {}
        for i, names in front.friends.items():
            units = [
                id
                for id in names
                if ground.counters[id].fights and not ground.counters[id].hq and id not in free
            ]
            if units:
                stand[i] = units
        posts = [i for i, names in stand.items() for _ in names]
        cities = self.cities(view)
        line = trace(
            front, posts, reach, [i for i in cities if self._tenable(front, i)], plan.danger
        )
        stakes = {i: self.stake(view, i) for i in cities}
        turn = int(view.board.tracks.get("turn", 1) or 1)
        posture = Posture(
            key, line, stand, [], stakes, min(1.0, (len(ground.turns) + 1 - turn) / TIME)
        )
        posture.approach = steps(ground, self._wanted(view, front, plan, posture))
        return posture

    def _tenable(self, front: Front, i: int) -> bool:
        """Whether the line still bends round a city: not when the enemy about it is stronger by
        far."""
        attack, defence = 0, 0
        for n in front.ground.disc(i, TENABLE_HEXES):
            attack += sum(front.values(id)[0] for id in front.fighters(n))
            defence += sum(
                front.values(id)[1]
                for id in front.friends.get(n, ())
                if front.ground.counters[id].fights
            )
        return attack <= TENABLE_ODDS * max(defence, 8)

    def _wanted(self, view: View, front: Front, plan: Plan, posture: Posture) -> list[int]:
        """Where units are missing: holes of the line, and cities that may fall."""
        line, stand = posture.line, posture.stand
        open_ = [
            i
            for i in posture.stakes
            if line.enemy[i] <= 20
            and self.falls(view, front, plan, posture, i, stand.get(i, [])) > 0.5
        ]
        return [*line.gaps(), *open_]

    def _post(self, front: Front, posture: Posture, name: str, i: int) -> None:
        posture.stand.setdefault(i, []).append(name)
        posture.line.post(front.ground, i)
        for n in front.ground.map.grid.adjacent[i]:
            posture.threats.pop(n, None)

    def threat(self, front: Front, plan: Plan, posture: Posture, i: int) -> int:
        """The strength that could attack a hex soon: all that is near, as far as it finds room
        around; half across rivers."""
        found = posture.threats.get(i)
        if found is None:
            found = plan.danger[i]
            if found:
                map_ = front.ground.map
                room = 0.0
                for d, n in enumerate(map_.grid.neighbours[i]):
                    if (
                        n != OFF_MAP
                        and front.ground.land[n]
                        and n not in posture.stand
                        and posture.line.enemy[n] <= posture.line.enemy[i]
                    ):
                        room += 0.5 if (i, d) in map_.classes else 1.0
                found = min(found, int(STACK_ATTACK * room))
            posture.threats[i] = found
        return found

    def price(self, front: Front, name: str) -> float:
        """What the loss of a unit costs: its points, and its strength for the rest of the game."""
        counter = front.ground.counters[name]
        attack, defence = front.values(name)
        return counter.points + 0.12 * (attack + defence)

    def peril(
        self, view: View, front: Front, plan: Plan, posture: Posture, i: int, names: list[str]
    ) -> float:
        """What units in a hex are expected to lose there."""
        threat = self.threat(front, plan, posture, i)
        if not threat or not names:
            return 0.0
        ground = front.ground
        defence = sum(front.values(name)[1] for name in names)
        column = ground.column(
            threat, defence, ground.shift(view.board, i, ground.enemy(view.seat))
        )
        if column < 0:
            return 0.0
        losses, back = ground.blows[column]
        # Units that are driven back among hexes within the enemy's reach are lost.
        enemy = posture.line.enemy
        exits = sum(
            1
            for n in ground.map.grid.adjacent[i]
            if ground.land[n] and (enemy[n] > 2 or n in posture.stand) and n not in front.zone
        )
        back *= 0.2 + 1.3 * max(0.0, 1.0 - exits / 3)
        share = min(1.0, (losses + back * len(names)) / sum(front.faces(name) for name in names))
        return PERIL * posture.time * share * sum(self.price(front, name) for name in names)

    def _relief(self, view: View, front: Front, plan: Plan, posture: Posture, city: int) -> float:
        """How much less likely a city is to fall if the enemy has one hex less around it."""
        names = posture.stand.get(city, [])
        if not names:
            return 0.0
        now = self.falls(view, front, plan, posture, city, names)
        return (
            now - self.falls(view, front, plan, posture, city, names, spare=STACK_ATTACK)
            if now
            else 0.0
        )

    def falls(
        self,
        view: View,
        front: Front,
        plan: Plan,
        posture: Posture,
        i: int,
        names: list[str],
        spare: int = 0,
    ) -> float:
        """How likely a hex is lost with these units in it. Not only to those who could strike
        today: others come up."""
        coming, strength = next(
            (chance, strength) for far, chance, strength in COMING if posture.line.enemy[i] <= far
        )
        if not names:
            return coming
        ground = front.ground
        threat = max(self.threat(front, plan, posture, i), strength) - spare
        defence = sum(front.values(name)[1] for name in names)
        column = ground.column(
            threat, defence, ground.shift(view.board, i, ground.enemy(view.seat))
        )
        # The enemy attacks again and again.
        return (
            GUARDED * coming * (1.0 - (1.0 - ground.blows[column][1]) ** BLOWS)
            if column >= 0
            else 0.0
        )

    def weigher(self, view: View, front: Front, plan: Plan, name: str) -> Callable[[int], float]:
        """What it is worth for a counter to be in each of many hexes."""
        if front.ground.counters[name].hq:
            return partial(self._hq_value, view, front, plan, name)
        posture = self.posture(view, front, plan)
        here = front.at.get(name, OFF_MAP)
        own = here if name in posture.stand.get(here, ()) else OFF_MAP

        def weigh(i: int) -> float:
            return self._worth(view, front, plan, posture, name, i, own)

        return weigh

    def _worth(
        self, view: View, front: Front, plan: Plan, posture: Posture, name: str, i: int, own: int
    ) -> float:
        mates = posture.stand.get(i, [])
        if own == i:
            mates = [mate for mate in mates if mate != name]
        value = COVER * posture.line.gain(front.ground, i, own)
        stake = posture.stakes.get(i)
        if stake:
            without = self.falls(view, front, plan, posture, i, mates)
            value += stake * (without - self.falls(view, front, plan, posture, i, [*mates, name]))
        elif not mates:
            # Beside a city a unit leaves the enemy one hex less to strike it from.
            for city, at_stake in posture.stakes.items():
                if front.ground.map.grid.distance(city, i) == 1:
                    value += at_stake * self._relief(view, front, plan, posture, city)
        if plan.danger[i]:
            value -= self.peril(view, front, plan, posture, i, [*mates, name]) - self.peril(
                view, front, plan, posture, i, mates
            )
        if not plan.supplied[i]:
            late = int(view.board.tracks.get("turn", 1) or 1) >= LAST_TURNS
            value -= UNSUPPLIED + (1.0 if late else 0.5) * self.price(front, name)
        if i not in front.friends:
            value += self.prize(view, front, i)
        # A garrison needs no headquarters.
        leash = 0.0 if stake else LEASH * self._strays(front, posture, i)
        return value - leash - APPROACH * min(posture.approach[i], 60)

    def _strays(self, front: Front, posture: Posture, i: int) -> float:
        """How far a hex lies beyond the reach of every headquarters, as far as it matters: they
        follow, but not at once."""
        found = posture.strays.get(i)
        if found is None:
            counters, distance = front.ground.counters, front.ground.map.grid.distance
            far = min(
                (distance(front.at[hq], i) - counters[hq].reach - SLACK for hq in front.hqs),
                default=0,
            )
            found = posture.strays[i] = float(min(max(0, far), 5))
        return found

    # --- an activation ----------------------------------------------------------------------------

    def _plan_attacks(
        self, view: View, front: Front, plan: Plan, names: list[str]
    ) -> Generator[Picks, Choices, None]:
        """Attacks first, then all other units are posted."""
        ground = front.ground
        index, roads = ground.map.grid.index, ground.map.links["road"]
        free = {
            name
            for name in names
            if name in front.at and ground.counters[name].fights and not ground.counters[name].hq
        }
        reach: set[int] = set()
        by_road: dict[str, list[int]] = {}
        for name in sorted(free):
            choices = yield ("move", name)
            plan.reach[name] = [index[id] for id in self._names(choices) if id in index]
            reach.update(plan.reach[name])
            if (
                front.at[name] in roads
                and front.at[name] not in front.zone
                and choices.offers("road")
            ):
                further = yield ("move", name, "road")
                known = {*plan.reach[name], front.at[name]}
                by_road[name] = [
                    i
                    for i in (index[id] for id in self._names(further) if id in index)
                    if i not in known
                ]
                reach.update(by_road[name])
        key = f"{view.board.tracks.get('turn')} {view.board.at('in_hand')}"
        posture = self._posture = self._stand(view, front, plan, key, free, reach)
        posture.roads = by_road
        self._assign(view, front, plan, self._contacts(view, front, plan))
        for name in sorted(plan.aims):
            if name in free:
                self._post(front, posture, name, plan.spots[name])
        self._post_all(view, front, plan, posture, free.difference(plan.aims))
        order = [
            name
            for name in (*plan.aims, *sorted(free.difference(plan.aims)))
            if name in free and plan.spots[name] != front.at[name]
        ]
        # Whoever fills a hex that another has yet to leave is tried again at the end; headquarters
        # follow their troops.
        plan.order = [*order, *(name for name in names if name not in free), *order]
        plan.order.sort(key=lambda name: ground.counters[name].hq)

    def _post_all(
        self, view: View, front: Front, plan: Plan, posture: Posture, names: Iterable[str]
    ) -> None:
        """Post the units, the slow and steady first: panzers fill what they leave, or stay behind
        as the reserve."""
        ground = front.ground
        counters = ground.counters
        waiting = sorted(
            names, key=lambda name: (counters[name].mech, -front.values(name)[1], name)
        )
        for name in waiting:
            here = front.at[name]
            best, found = here, self._worth(view, front, plan, posture, name, here, OFF_MAP) + 0.15
            if len(posture.stand.get(here, ())) >= ground.stack:
                found = -float(FAR)
            for i in (*plan.reach[name], *posture.roads.get(name, ())):
                if len(posture.stand.get(i, ())) >= ground.stack:
                    continue
                worth = self._worth(view, front, plan, posture, name, i, OFF_MAP)
                if worth > found:
                    best, found = i, worth
            plan.spots[name] = best
            self._post(front, posture, name, best)

    def _go(self, view: View, front: Front, plan: Plan, name: str) -> Handling:
        """To its post; a unit without one goes where it is worth most."""
        spot = plan.spots.get(name)
        if spot is None or self._posture is None:
            return (yield from super()._go(view, front, plan, name))
        if front.at.get(name) == spot:
            return ()
        to = front.ground.map.grid.ids[spot]
        way = ("road",) if spot in self._posture.roads.get(name, ()) else ()
        picks: Picks = ("move", name, *way)
        choices = yield ("move", name)
        if way:
            if not choices.offers("road"):
                return ()
            choices = yield picks
        return (yield from self._first_whole([(*picks, to)] if choices.offers(to) else []))

    # --- headquarters -----------------------------------------------------------------------------

    def _hq_value(self, view: View, front: Front, plan: Plan, name: str, i: int) -> float:
        """In reach of the troops that obey it, out of the enemy's. One without troops in reach is
        lost (11.3)."""
        ground = front.ground
        reach, distance = ground.counters[name].reach, ground.map.grid.distance
        value, company = 0.0, 0
        for at, units, weight in self._troops(front, name):
            far = distance(at, i)
            if far <= reach + 3:
                value += weight if far <= reach else 0.4 * weight
                company += units if far < reach else 0
        value -= 30.0 * max(0, 3 - company) / 3
        if i in front.zone:
            value -= 12.0
        guarded = any(ground.counters[id].fights and id != name for id in front.friends.get(i, ()))
        value -= (0.15 if guarded else 0.6) * plan.danger[i]
        value -= APPROACH * min(self.posture(view, front, plan).approach[i], 60)
        return value if plan.supplied[i] else value - 25.0

    def _troops(self, front: Front, name: str) -> list[tuple[int, int, float]]:
        """The stacks that obey a headquarters, with how many units and their weight, less where
        others command them too."""
        found = self._obedient.get(name)
        if found is not None and found[0] is front:
            return found[1]
        ground, distance = front.ground, front.ground.map.grid.distance
        limit = ground.counters[name].reach + ground.counters[name].move + 3
        troops = []
        for at, names in front.friends.items():
            if name in front.at and distance(front.at[name], at) > limit:
                continue
            units = [
                id
                for id in names
                if ground.counters[id].fights
                and not ground.counters[id].hq
                and ground.obeys(id, name)
            ]
            if units:
                others = sum(
                    1
                    for hq in front.hqs
                    if hq != name and distance(front.at[hq], at) <= ground.counters[hq].reach
                )
                weight = sum(
                    (1 + front.values(id)[0]) * (1.5 if ground.counters[id].mech else 1.0)
                    for id in units
                )
                troops.append((at, len(units), weight / (1 + others)))
        self._obedient[name] = (front, troops)
        return troops

    def command_value(self, front: Front, hq: str, at: int) -> float:
        """What a headquarters commands: units count as they are dear, and as they have far to go to
        the line or enemies about."""
        ground = front.ground
        approach = self._posture.approach if self._posture is not None else None
        total = 0.0
        for i in ground.disc(at, ground.counters[hq].reach):
            for id in front.friends.get(i, ()):
                if (
                    ground.counters[id].fights
                    and not ground.counters[id].hq
                    and ground.obeys(id, hq)
                ):
                    need = (
                        1.0
                        + (1.0 if i in front.zone else 0.0)
                        + (min(approach[i], 15) / 10 if approach is not None else 0.0)
                    )
                    total += need * self.price(front, id)
        return total

    # --- arrivals ---------------------------------------------------------------------------------

    def _place(self, view: View, offered: list[str]) -> Handling:
        """Units placed earlier count when the next one is placed."""
        picks = yield from super()._place(view, offered)
        if len(picks) == 3 and not self.ground(view).counters[str(picks[1])].hq:
            front = self.front(view)
            posture = self.posture(view, front, self.plan(view))
            self._post(front, posture, str(picks[1]), front.ground.map.grid.index[str(picks[2])])
            posture.approach = steps(
                front.ground, self._wanted(view, front, self.plan(view), posture)
            )
        return picks

    def arrival(self, view: View, front: Front, plan: Plan, name: str, i: int) -> float:
        """What a hex is worth to a reinforcement."""
        if front.ground.counters[name].hq:
            return self._hq_value(view, front, plan, name, i)
        posture = self.posture(view, front, plan)
        return self._worth(view, front, plan, posture, name, i, OFF_MAP)
