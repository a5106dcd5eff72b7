"""Which enemy hexes to attack, with whom, from where: the expected value of an attack, and the plan
of all attacks of a segment."""

from collections.abc import Iterable, Mapping

from attrs import define, field, frozen

from warledger.clients.bots.captains.ocs.aims import Aims
from warledger.clients.bots.captains.ocs.chances import Chances, Fight
from warledger.clients.bots.captains.ocs.front import DG, Front
from warledger.clients.bots.captains.ocs.ground import (
    ARMOR,
    COMBAT,
    MECH,
    OTHER,
    Ground,
)

Options = Mapping[int, Mapping[str, tuple[int, ...]]]
"""Enemy hex -> unit -> the hexes from which it could attack it."""

GAIN_MIN = 0.4
"""The least expected value of an attack worth making."""

TOKEN, KILL, SPENT = 0.16, 0.8, 0.02
"""What a T is worth, what any enemy step's loss is worth beside its own worth, and what each
attacking point is worth elsewhere."""


@frozen(eq=False)
class Force:
    """An attack: the enemy hex, who attacks it from where, who leads, what it may bring."""

    target: int
    places: Mapping[str, int]
    lead: str
    gain: float
    tokens: int
    fight: Fight
    odds: float


@define(eq=False)
class Assault:
    """The attacks that a side could make at one moment.

    `load`    what stands in each hex, in quarters of an RE: attacks may not overstack it
    `shelled` hex -> the chance that a barrage shakes it before it is attacked
    """

    front: Front
    chances: Chances
    aims: Aims
    load: dict[int, int] = field(factory=dict)
    shelled: Mapping[int, float] = field(factory=dict)
    overrun: bool = False
    caution: float = 1.0
    """How much own steps are worth."""
    thrift: float = 1.0
    """How much supply is worth."""
    _factors: dict[tuple[str, int, int], float] = field(factory=dict)
    _levels: dict[int, int] = field(factory=dict)
    _defences: dict[tuple[int, bool], float] = field(factory=dict)
    _ways_out: dict[int, frozenset[int]] = field(factory=dict)

    @property
    def ground(self) -> Ground:
        """The map and the tables."""
        return self.front.ground

    # --- strengths --------------------------------------------------------------------------------

    def level(self, target: int) -> int:
        """The anti-tank level of an enemy hex."""
        found = self._levels.get(target)
        if found is None:
            front = self.front
            found = 2 if front.hedgehog(target) else 0
            if not found:
                found = max((front.counter(id).at for id in front.fighters(target)), default=0)
            self._levels[target] = found
        return found

    def multiplied(self, id: str, a: int, target: int) -> float:
        """A unit's strength against a hex from a hex, in the terrain worst for it."""
        found = self._factors.get((id, a, target))
        if found is None:
            found = self._factors[id, a, target] = self._multiplied(id, a, target)
        return found

    def _multiplied(self, id: str, a: int, target: int) -> float:
        counter = self.front.counter(id)
        cls = counter.cls if counter.cls in (ARMOR, MECH) else OTHER
        level = self.level(target)
        worst = 9.0
        for terrain in self.ground.against(a, target):
            value = terrain.by_class[cls]
            if value == 2.0 and level and counter.at <= level:
                value = 1.5
            worst = min(worst, value)
        return self.strength(id) * (1.0 if worst == 9.0 else worst)

    def strength(self, id: str) -> float:
        """A unit's strength on its Combat side, to which it turns to attack."""
        face = COMBAT if COMBAT in self.front.counter(id).faces else self.front.face(id)
        return self.front.attack(id, face)

    def defence(self, target: int, *, shaken: bool) -> float:
        """What an enemy hex defends with."""
        found = self._defences.get((target, shaken))
        if found is None:
            found = self._defences[target, shaken] = self._defence(target, shaken)
        return found

    def _defence(self, target: int, shaken: bool) -> float:
        front = self.front
        total = 0.0
        grounds = self.ground.grounds(target)
        for id in front.fighters(target):
            counter = front.counter(id)
            cls = counter.cls if counter.cls in (ARMOR, MECH) else OTHER
            factor = 1.0
            if grounds and not grounds[0].attack_only:
                factor = grounds[0].by_class[cls]
            if shaken and not front.has(id, DG):
                factor *= 0.5
            total += front.defence(id) * factor
        return total

    def trapped(self, target: int, places: Iterable[int]) -> bool:
        """Whether the enemies of a hex have nowhere to go."""
        out = self._ways_out.get(target)
        if out is None:
            front, play = self.front, self.ground.play
            out = self._ways_out[target] = frozenset(
                n for n in self.ground.grid.adjacent[target] if n in play and not front.guards(n)
            )
        return out.issubset(places)

    # --- one attack -------------------------------------------------------------------------------

    def weigh(self, places: Mapping[str, int], target: int, *, tokens: int | None = None) -> Force:
        """The expected value of an attack by these units from these hexes."""
        front = self.front
        attack = sum(self.multiplied(id, a, target) for id, a in places.items())
        best = max(self.front.ar(id, COMBAT) for id in places)
        lead = min(
            (id for id in places if front.ar(id, COMBAT) == best),
            key=lambda id: (front.worth(id), -front.steps(id), id),
        )
        enemies = front.fighters(target)
        if tokens is None:
            tokens = sum(front.steps(id) for id in places)
        chance = self.shelled.get(target, 0.0)
        calm = self._fight(attack, best, target, enemies, places, shaken=False)
        fight = calm
        if chance:
            shaken = self._fight(attack, best, target, enemies, places, shaken=True)
            fight = Fight(
                *(
                    chance * getattr(shaken, name) + (1 - chance) * getattr(calm, name)
                    for name in ("lost", "killed", "cleared", "shaken", "exploit")
                )
            )
        prices = sorted(
            front.worth(id)
            for id in places
            for _ in range(front.steps(id) - (1 if id == lead else 0))
        )
        first = min(fight.lost, 1.0)
        own = first * front.worth(lead) + (fight.lost - first) * (prices[0] if prices else 2.0)
        steps = sum(front.steps(id) for id in enemies) or 1
        each = KILL + sum(front.worth(id) * front.steps(id) for id in enemies) / steps
        gain = (
            fight.killed * each
            + fight.cleared * self.aims.prize(front, target)
            + 0.3 * fight.shaken
            + 0.5 * fight.exploit
            - self.caution * own
            - TOKEN * self.thrift * tokens
            - SPENT * attack
        )
        defence = self.defence(target, shaken=False)
        odds = attack / defence if defence else 99.0
        return Force(target, dict(places), lead, gain, tokens, fight, odds)

    def _fight(
        self,
        attack: float,
        best: int,
        target: int,
        enemies: list[str],
        places: Mapping[str, int],
        *,
        shaken: bool,
    ) -> Fight:
        front, ground = self.front, self.ground
        column = ground.column(ground.row(target), attack, self.defence(target, shaken=shaken))
        ratings = [front.ar(id) - (shaken and not front.has(id, DG)) for id in enemies]
        return self.chances.fight(
            column,
            best - max(ratings, default=0),
            front.hedgehog(target),
            sum(front.steps(id) for id in enemies),
            overrun=self.overrun,
            trapped=self.trapped(target, places.values()),
            ar=best,
        )

    def best(
        self, target: int, options: Mapping[str, tuple[int, ...]], spare: int = 10_000
    ) -> Force | None:
        """The best attack on a hex by some of these units, for at most `spare` T."""
        return self._best(target, options, spare)[0]

    def _best(
        self, target: int, options: Mapping[str, tuple[int, ...]], spare: int
    ) -> tuple[Force | None, int]:
        """The best attack, and the most T that any attack cost that was weighed: as long as so many
        can be spared, and no more than now, the answer stays."""
        front = self.front
        most = 0
        ranked = []
        for id, hexes in options.items():
            for a in hexes:
                value = self.multiplied(id, a, target)
                if value > 0:
                    ranked.append((value, id, a))
        found: Force | None = None
        orders = (
            lambda one: (-one[0], one[1]),
            lambda one: (-one[0] / front.steps(one[1]), one[1]),
            lambda one: (-front.steps(one[1]), -one[0], one[1]),
            lambda one: (-front.ar(one[1], COMBAT), -one[0], one[1]),
        )
        tried: set[tuple[tuple[str, int], ...]] = set()
        for order in orders:
            load = dict(self.load)
            places: dict[str, int] = {}
            tokens = 0
            for _, id, a in sorted(ranked, key=order):
                if id in places or not self._fits(load, id, a):
                    continue
                steps = front.steps(id)
                if tokens + steps > spare:
                    continue
                tokens += steps
                most = max(most, tokens)
                self._put(load, id, a)
                places[id] = a
                key = tuple(sorted(places.items()))
                if key in tried:
                    continue
                tried.add(key)
                force = self.weigh(places, target, tokens=tokens)
                if found is None or force.gain > found.gain:
                    found = force
                if len(places) >= 9:
                    break
        return found, most

    def _fits(self, load: Mapping[int, int], id: str, a: int) -> bool:
        if self.front.at.get(id) == a:
            return True
        return load.get(a, 0) + self.front.re(id) <= self.ground.stack

    def _put(self, load: dict[int, int], id: str, a: int) -> None:
        was, re = self.front.at.get(id), self.front.re(id)
        if was == a:
            return
        if was is not None:
            load[was] = load.get(was, 0) - re
        load[a] = load.get(a, 0) + re

    # --- all of them ------------------------------------------------------------------------------

    def plan(
        self, options: Options, *, spare: int = 10_000, most: int = 20, least: float = GAIN_MIN
    ) -> list[Force]:
        """The attacks of a segment, the best first, each unit in one at most, for `spare` T.

        After each that is chosen only those are weighed anew that it has a bearing on: they count
        on a unit of it or on room in a hex that one enters or leaves. So are those for which the
        supply left no longer pays for all that was weighed.
        """
        left = {target: dict(units) for target, units in options.items()}
        weighed: dict[int, tuple[Force | None, int]] = {}
        found: list[Force] = []
        while left and len(found) < most:
            best: Force | None = None
            for target, free in left.items():
                known = weighed.get(target)
                if known is None or known[1] > spare:
                    known = weighed[target] = self._best(target, free, spare)
                force = known[0]
                if force is not None and (best is None or force.gain > best.gain):
                    best = force
            if best is None or best.gain < least:
                break
            found.append(best)
            spare -= best.tokens
            del left[best.target]
            filled: set[int] = set()
            for id, a in best.places.items():
                filled |= {a, self.front.at.get(id, a)}
                self._put(self.load, id, a)
            for target, free in left.items():
                bears = not filled.isdisjoint(i for hexes in free.values() for i in hexes)
                for id in best.places:
                    bears |= free.pop(id, None) is not None
                if bears:
                    weighed.pop(target, None)
        return found
