"""How a side moves in a segment: who goes where to attack, who takes open hexes, who is held back
in Reserve, where guns and trucks go."""

from collections.abc import Generator, Iterable, Mapping

from attrs import define, field

from warledger.clients.bots.captains.ocs.aims import Aims
from warledger.clients.bots.captains.ocs.attacks import Assault, Force
from warledger.clients.bots.captains.ocs.chances import Chances
from warledger.clients.bots.captains.ocs.fire import shift
from warledger.clients.bots.captains.ocs.front import AT_FRONT, EXPLOIT, RESERVE, STRAT, Front
from warledger.clients.bots.captains.ocs.ground import COMBAT, LEG, MOVE, Ground
from warledger.protocol.board.choices import Choices, Picks

TURNS = (COMBAT, MOVE)
"""Sides of a counter, as picks."""

NEAR = 4
"""From how far an enemy could come by."""

RESERVE_WITHIN = 6
"""How near to the enemy a unit is held in Reserve."""

LAG, SAFE = 6, 3
"""How far behind the HQ of a side that attacks may be left, and how near to the enemy it goes, in
hexes."""

WATCHED, RAIDED = 3, 6
"""How near the enemy has to be for a guard to stay, and for one to be sent, in hexes."""

HUNGRY, ENOUGH = 6, 16
"""From how many T within its draw on an HQ need not go to others, and beyond which more is no
better."""

BETTER = 1.3
"""By how much an HQ has to do more in another hex to go there."""

MARCHES, RESTS, STRIDE = 10, 6, 4
"""Strat mode, in hexes: a unit's distance from the enemy, the least it keeps, and how much further
than otherwise it must get."""

FORMATION_FROM = 4
"""From how many of its units on a formation is fuelled as a whole."""


@define(eq=False)
class Destinations:
    """Where one unit can go: for each side of its counter the hexes, and the modes on offer."""

    unit: str
    ways: dict[str, frozenset[int]] = field(factory=dict)
    modes: frozenset[str] = frozenset()


def look_round(
    ground: Ground, front: Front, choices: Choices, units: Iterable[str]
) -> Generator[Picks, Choices, dict[str, Destinations]]:
    """Ask where each unit can go, as it is and after turning over."""
    found: dict[str, Destinations] = {}
    for id in units:
        if not choices.offers(id):
            continue
        shown = yield ("move", id)
        names = {str(option.id) for option in shown.options}
        face = front.face(id)
        reach = Destinations(id, modes=frozenset(names & {COMBAT, MOVE, RESERVE, STRAT}))
        reach.ways[face] = _hexes(ground, names)
        other = MOVE if face == COMBAT else COMBAT
        if other in names:
            turned = yield ("move", id, other)
            reach.ways[other] = _hexes(ground, {str(option.id) for option in turned.options})
        if front.has(id, STRAT):
            reach.ways[STRAT] = reach.ways.pop(face)
        if (front.has(id, RESERVE) or front.has(id, STRAT)) and face in names:
            ready = yield ("move", id, face)
            reach.ways[face] = _hexes(ground, {str(option.id) for option in ready.options})
        elif STRAT in names and front.away(front.at[id]) >= MARCHES:
            away = yield ("move", id, STRAT)
            reach.ways[STRAT] = _hexes(ground, {str(option.id) for option in away.options})
        found[id] = reach
    return found


def _hexes(ground: Ground, names: set[str]) -> frozenset[int]:
    return frozenset(ground.index[name] for name in names if name in ground.index)


@define(eq=False)
class Moves:
    """The plan of one movement segment. `orders` are commands, in order; `forces` what is to be
    attacked afterwards.

    `able`    who may attack in the combat segment that follows
    `own`     whether this is the own Movement Phase, in which modes change
    `thrift`  what supply is worth to it, of what it is to one that has none to spare
    `last`    whether it is the last turn, on which only hexes that decide count
    """

    front: Front
    aims: Aims
    chances: Chances
    reach: Mapping[str, Destinations]
    able: frozenset[str]
    own: bool
    spare: int
    caution: float
    last: bool
    thrift: float = 1.0
    orders: list[Picks] = field(factory=list)
    forces: list[Force] = field(factory=list)
    placed: dict[str, int] = field(factory=dict)
    """Where every unit will be."""
    _loads: dict[int, int] = field(factory=dict)
    _watches: dict[int, int] = field(factory=dict)
    _weights: list[tuple[str, float]] = field(factory=list)
    _stays: frozenset[str] | None = None
    _fed: frozenset[int] | None = None
    _arms: frozenset[int] | None = None

    @property
    def ground(self) -> Ground:
        """The map and the tables."""
        return self.front.ground

    def plan(self) -> list[Picks]:
        """Everything, as commands."""
        front = self.front
        for names in front.friends.values():
            for id in names:
                self._put(id, front.at[id])
        if self.own:
            self._headquarters()
            self._supply()
            self._regain()
            self._escort()
        self._attacks()
        self._take_ground()
        if self.own:
            self._guns()
            self._hold_back()
            self._close_up()
            self._trucks()
            self.orders = [*self._fuel(), *self.orders]
        else:
            # Who has been released and finds nothing to attack comes nearer to where it will be.
            self._close_up()
        return self.orders

    # --- supply -----------------------------------------------------------------------------------

    def supplied(self) -> frozenset[int]:
        """Hexes in which units are in supply, once HQs have gone where they are to go."""
        return self.front.supplied() if self._fed is None else self._fed

    def armed(self) -> frozenset[int]:
        """Hexes in which units have supply to fight with, once HQs have gone where they go."""
        return self.front.armed() if self._arms is None else self._arms

    def _supply(self) -> None:
        front = self.front
        posts: dict[str, tuple[int, str]] = {}
        for order in self.orders:
            id = str(order[1])
            if order[0] == "move" and front.counter(id).hq:
                face = next((str(pick) for pick in order[2:] if pick in TURNS), front.face(id))
                posts[id] = (self.placed[id], face)
        if posts:
            self._fed, self._arms = front.supplied(posts), front.armed(posts)

    def _regain(self) -> None:
        """Units out of supply go where they have it again, or as near to that as they come; not out
        of hexes that decide."""
        front, supplied = self.front, self.supplied()
        lost = [
            id
            for id in self.free()
            if front.at[id] not in supplied
            and front.counter(id).combat_unit
            and not front.counter(id).hq
            and not self.aims.holds(front, front.at[id])
        ]
        if not lost or not supplied:
            return
        away = self.ground.away(supplied)
        held = self._held()
        for id in lost:
            if id in held:
                continue
            best = (away.get(front.at[id], 0), True, False, front.at[id], front.face(id))
            for face, ways in self.reach[id].ways.items():
                if face == STRAT:
                    continue
                for i in ways:
                    if not self.room(i, id):
                        continue
                    open_ = i in front.zone and not self._guarded(i)
                    best = min(best, (away.get(i, 99), open_, face != COMBAT, i, face))
            if best[3] != front.at[id]:
                self._send(id, best[3], best[4])

    def _escort(self) -> None:
        """HQs and dumps that stand open with the enemy near get a guard, the cheapest that is free
        and comes there."""
        front = self.front
        posts = {self.placed[id] for id in front.hqs()}
        posts |= {i for i, tokens in front.tokens().items() if tokens >= ENOUGH}
        held = self._held()
        for i in sorted(posts, key=lambda i: (front.away(i), i)):
            if self._guarded(i) or front.away(i) > RAIDED:
                continue
            found = [
                (face != COMBAT, front.worth(id), id, face)
                for id in self.free()
                if front.counter(id).fights and id not in held and front.at[id] not in front.zone
                for face, ways in self.reach[id].ways.items()
                if face != STRAT and i in ways and self.room(i, id)
            ]
            if found:
                *_, id, face = min(found)
                self._send(id, i, face)

    # --- attacks ----------------------------------------------------------------------------------

    def _attacks(self) -> None:
        front, ground = self.front, self.ground
        options: dict[int, dict[str, tuple[int, ...]]] = {}
        held = self._held()
        for target in sorted(front.shut()):
            if self.last and target not in self.aims.field:
                continue
            near = [n for n in ground.grid.adjacent[target] if n in ground.play]
            units: dict[str, tuple[int, ...]] = {}
            for id in sorted(self.able):
                hexes = self._from(id, near)
                if id in held:
                    hexes = tuple(i for i in hexes if i == front.at[id])
                if hexes:
                    units[id] = hexes
            if units:
                options[target] = units
        assault = Assault(
            front,
            self.chances,
            self.aims,
            load={i: front.load(i) for i in front.friends},
            shelled=self._shelled(options) if self.own else {},
            caution=self.caution,
            thrift=self.thrift,
        )
        self.forces = assault.plan(options, spare=self.spare)
        for force in self.forces:
            for id, a in force.places.items():
                self._send(id, a, COMBAT)

    def _from(self, id: str, near: list[int]) -> tuple[int, ...]:
        """The hexes of these from which a unit could attack on its Combat side."""
        front = self.front
        at = front.at[id]
        reach = self.reach.get(id)
        ways = reach.ways.get(COMBAT, frozenset()) if reach is not None else frozenset()
        stays = at in near and (
            (front.face(id) == COMBAT and not front.has(id, RESERVE))
            or (reach is not None and COMBAT in reach.modes)
        )
        supplied, armed = self.supplied(), self.armed()
        found = [i for i in near if i in ways and i in supplied and i in armed]
        return ((at,) if stays else ()) + tuple(i for i in found if i != at)

    def _held(self) -> frozenset[str]:
        """Units that stay where they are: one in every hex that decides, and one in or beside every
        hex with an HQ, a dump or guns, with enemies about."""
        if self._stays is None:
            self._stays = self._stay()
        return self._stays

    def _stay(self) -> frozenset[str]:
        front = self.front
        found: set[str] = set()
        dumps = front.tokens()
        for i in sorted({*front.friends, *dumps}):
            shelters = i in dumps or any(
                front.counter(id).hq or front.counter(id).artillery
                for id in front.friends.get(i, ())
            )
            holds = self.aims.holds(front, i) and (self.last or not self.aims.attacks)
            if not (shelters or holds) or front.away(i) > WATCHED:
                continue
            guards = front.guards(i)
            if not guards and shelters:
                guards = [id for n in self.ground.grid.adjacent[i] for id in front.guards(n)]
            if guards and not found & set(guards):
                found.add(
                    min(
                        guards,
                        key=lambda id: (front.counter(id).mobile, -front.defence(id), id),
                    )
                )
        return frozenset(found)

    def _shelled(self, options: Mapping[int, object]) -> dict[int, float]:
        """The chance that guns in range shake each hex first, the strongest guns for all."""
        front = self.front
        found: dict[int, float] = {}
        for target in options:
            best = 0.0
            for id, at in front.at.items():
                counter = front.counter(id)
                if not counter.artillery or counter.side != front.side:
                    continue
                if self.ground.grid.distance(at, target) <= counter.range:
                    strength = counter.faces[front.face(id)].strength
                    moved = shift(front, self.chances, target)
                    best = max(best, self.chances.shells(strength, moved).shaken)
            if best:
                found[target] = 0.6 * best
        return found

    def _send(self, id: str, to: int, face: str) -> None:
        """Order a unit to a hex, on a side of its counter."""
        front = self.front
        at = front.at[id]
        modes = self.reach[id].modes if id in self.reach else frozenset()
        turn: Picks = ()
        marked = next((one for one in (RESERVE, STRAT) if front.has(id, one)), "")
        if self.own and (marked or front.face(id)) != face:
            turn = (face,) if face in modes else ()
        way: Picks = () if to == at else (self.ground.ids[to],)
        if turn or way:
            self.orders.append(("move", id, *turn, *way))
        self._put(id, to)

    def _put(self, id: str, to: int) -> None:
        """Note where a unit will be, and what stands in a hex with that."""
        counter, re = self.front.counter(id), self.front.re(id)
        was = self.placed.get(id)
        if was is not None:
            self._loads[was] -= re
            self._watches[was] -= counter.attacks
        self.placed[id] = to
        self._loads[to] = self._loads.get(to, 0) + re
        self._watches[to] = self._watches.get(to, 0) + counter.attacks

    def free(self) -> list[str]:
        """Units that have no orders yet and could get some."""
        ordered = {str(order[1]) for order in self.orders if order[0] == "move"}
        fighting = {id for force in self.forces for id in force.places}
        return [id for id in self.reach if id not in ordered and id not in fighting]

    def room(self, i: int, id: str) -> bool:
        """Whether a unit fits into a hex once all have gone where they are to go."""
        return self._loads.get(i, 0) + self.front.re(id) <= self.ground.stack

    # --- open hexes -------------------------------------------------------------------------------

    def _take_ground(self) -> None:
        """Empty hexes that decide and are not ours: somebody who can goes in. On the last turn also
        where an enemy could still come by."""
        front = self.front
        shut = front.shut()
        open_ = [
            i
            for i in self.aims.goals
            if i not in shut
            and (
                not front.mine(i) or (self.last and not self._guarded(i) and front.away(i) <= NEAR)
            )
        ]
        held = self._held()
        for i in sorted(open_):
            found = []
            for id in self.free():
                counter = front.counter(id)
                if not counter.attacks or id in held or not self.room(i, id):
                    continue
                for face, ways in self.reach[id].ways.items():
                    if i in ways:
                        found.append(
                            (
                                not counter.fights,
                                face != COMBAT,
                                i not in self.supplied(),
                                front.worth(id),
                                id,
                                face,
                            )
                        )
            if found:
                *_, id, face = min(found)
                self._send(id, i, face)

    # --- the rest ---------------------------------------------------------------------------------

    def _guns(self) -> None:
        """Guns that reach no target go to where they do, behind friends."""
        front = self.front
        targets = [force.target for force in self.forces] or sorted(
            i for i in front.shut() if i in self.aims.field
        )
        if not targets:
            return
        to_target = self.ground.field(frozenset(targets))
        for id in self.free():
            counter = front.counter(id)
            if not counter.artillery:
                continue
            at = front.at[id]
            if to_target[at] <= counter.range:
                if front.face(id) == MOVE and COMBAT in self.reach[id].modes:
                    self._send(id, at, COMBAT)
                continue
            best: tuple[float, int, str] | None = None
            for face, ways in self.reach[id].ways.items():
                for i in ways:
                    if i in front.zone and not self._guarded(i):
                        continue
                    if not self.room(i, id) or i not in self.supplied():
                        continue
                    away = to_target[i]
                    value = (
                        3.0 * max(away - counter.range, 0)
                        + 2.0 * (face != COMBAT)
                        + 1.5 * (not self._guarded(i))
                        + 1.0 * (away == 1)
                    )
                    if best is None or (value, i, face) < best:
                        best = (value, i, face)
            if best is not None:
                self._send(id, best[1], best[2])

    def _headquarters(self) -> None:
        """An HQ stands where it draws supply and has troops to throw it to. One that has moved sets
        up, and one that stands open to the enemy leaves."""
        front = self.front
        posts = {id: self._served(id, front.at[id], {}) for id in self.free() if self._is_hq(id)}
        cared: dict[str, float] = {}
        for id in sorted(posts, key=lambda one: (-posts[one], one)):
            at = front.at[id]
            bare = at in front.zone and not self._guarded(at)
            goes = self._move_post(id, cared, bare=bare) or self._follow(id)
            if not goes and front.face(id) == MOVE and COMBAT in self.reach[id].modes:
                self._send(id, at, COMBAT)
            self._served(id, self.placed[id], cared, counts=True)

    def _is_hq(self, id: str) -> bool:
        return self.front.counter(id).hq

    def _served(
        self, id: str, i: int, cared: dict[str, float], *, face: str = "", counts: bool = False
    ) -> float:
        """What an HQ does for the troops from a hex: those near the enemy count most, those whom
        another HQ serves half, all of them as far as it traces and has something to throw. On its
        Move side, as it arrives, it throws less far than it will. `counts` notes who is served."""
        front, grid = self.front, self.ground.grid
        drawn = front.surely() if face else front.drawn()
        share = 0.5 * min(front.drawable().get(i, 0), ENOUGH) / ENOUGH + 0.5 * (i in drawn)
        if not share:
            return 0.0
        faces = front.counter(id).faces
        throw = faces[COMBAT].strength
        now = faces[face].strength if face else throw
        found = 0.0
        for one, weight in self._troops():
            away = grid.distance(i, self.placed[one])
            if away <= throw:
                found += weight * (1.0 - 0.5 * cared.get(one, 0.0)) * (1.0 if away <= now else 0.5)
                if counts:
                    cared[one] = max(cared.get(one, 0.0), share)
        return found * share

    def _troops(self) -> list[tuple[str, float]]:
        if not self._weights:
            front = self.front
            self._weights = [
                (one, 1.0 if front.away(i) <= AT_FRONT else 0.2)
                for one, i in self.placed.items()
                if front.counter(one).fights
            ]
        return self._weights

    def _move_post(self, id: str, cared: dict[str, float], *, bare: bool) -> bool:
        """An HQ goes where it does clearly more than where it stands, or nearer to supply if it
        draws none that it could reach."""
        front = self.front
        at = front.at[id]
        ends = [
            i
            for i in self.reach[id].ways.get(MOVE, ())
            if i not in front.zone
            and i != at
            and self.room(i, id)
            and (front.away(i) >= SAFE or self._guarded(i))
        ]
        if not ends:
            return False
        drawable = front.drawable()
        now = 0.0 if bare else self._served(id, at, cared)
        near = [i for i in ends if drawable.get(i, 0) or i in front.surely()]
        best = max(
            ((self._served(id, i, cared, face=MOVE), front.away(i), i) for i in near),
            default=(0.0, 0, at),
        )
        if best[0] > BETTER * now + 1.0:
            self._send(id, best[-1], MOVE)
            return True
        if bare:
            self._send(id, max((front.away(i), -i, i) for i in ends)[-1], MOVE)
            return True
        rich = [i for i, lying in front.tokens().items() if lying >= HUNGRY]
        if at not in front.drawn() and front.ends():
            rich = list(front.ends())
        elif drawable.get(at, 0) >= HUNGRY or not rich:
            return False
        away, to = min((front.distance(i, rich), i) for i in ends)
        if away + 2 <= front.distance(at, rich):
            self._send(id, to, MOVE)
            return True
        return False

    def _follow(self, id: str) -> bool:
        """The HQ of a side that attacks goes after the front, as far as it still draws supply."""
        front = self.front
        at, shut = front.at[id], front.shut()
        goals = [i for i in self.aims.goals if not front.mine(i)]
        if not self.aims.attacks or self.last or not goals or not shut:
            return False
        if front.away(at) <= LAG:
            return False
        drawable = front.drawable()
        richest = min(max(drawable.values(), default=0), HUNGRY)
        rich = {i for i, drawn in drawable.items() if drawn >= richest}
        fed = rich & front.surely() or rich or front.surely()
        to_goal = self.ground.field(frozenset(goals))
        now = to_goal[at]
        best: tuple[int, bool, int] | None = None
        for i in self.reach[id].ways.get(MOVE, ()):
            if i in front.zone or i not in fed or not self.room(i, id):
                continue
            if front.away(i) < SAFE:
                continue
            value = (to_goal[i], not self._guarded(i), i)
            if best is None or value < best:
                best = value
        if best is None or best[0] + 2 > now:
            return False
        self._send(id, best[-1], MOVE)
        return True

    def _guarded(self, i: int) -> bool:
        """Whether fighting units will stand in a hex."""
        return self._watches.get(i, 0) > 0

    def _hold_back(self) -> None:
        """Mobile units without a task that stand near the front go into Reserve."""
        front = self.front
        for id in self.free():
            counter = front.counter(id)
            if not counter.fights or not counter.mobile or RESERVE not in self.reach[id].modes:
                continue
            if front.away(front.at[id]) <= RESERVE_WITHIN:
                self.orders.append(("move", id, RESERVE))

    def _close_up(self) -> None:
        """Fighting units without a task close up to what is to be attacked, or stay on guard."""
        front = self.front
        if not self.aims.attacks:
            goals = self._weak()
        else:
            goals = sorted(i for i in front.shut() if i in self.aims.field) or sorted(
                i for i in self.aims.goals if not front.mine(i)
            )
        if not goals:
            return
        to_goal = self.ground.field(frozenset(goals))
        supplied = self.supplied()
        held = self._held()
        for id in self.free():
            counter = front.counter(id)
            at = front.at[id]
            if not counter.fights or front.has(id, RESERVE) or front.has(id, EXPLOIT):
                continue
            if at in front.zone or id in held or self.aims.holds(front, at):
                continue
            now = to_goal[at]
            best = (float(now), at, front.face(id))
            for face, ways in self.reach[id].ways.items():
                for i in ways:
                    if i not in supplied or not self.room(i, id):
                        continue
                    if i in front.zone and not self._guarded(i):
                        continue
                    if face == MOVE and i in front.zone:
                        continue
                    if face == STRAT and front.away(i) < RESTS:
                        continue
                    value = to_goal[i] + 0.3 * (face == MOVE) + 0.2 * (i not in front.friends)
                    value += STRIDE * (face == STRAT)
                    if (value, i, face) < best and value < now - 0.5:
                        best = (value, i, face)
            if best[1] != at:
                self._send(id, best[1], best[2])
            elif front.has(id, STRAT):
                self._send(id, at, COMBAT)

    def _weak(self) -> list[int]:
        """Own hexes that decide and are threatened, the weakest first."""
        front = self.front
        danger = front.danger()
        found = []
        for i in self.aims.goals:
            if front.mine(i) and danger.get(i, 0.0) > 0:
                strength = sum(front.defence(id) for id in front.friends.get(i, ()))
                found.append((strength / danger[i], i))
        return [i for _, i in sorted(found)[:4]]

    def _trucks(self) -> None:
        """A formation's own trucks follow it."""
        front, grid = self.front, self.ground.grid
        for id in self.free():
            counter = front.counter(id)
            if not counter.organic:
                continue
            mates = [
                at
                for other, at in self.placed.items()
                if front.counter(other).muf == counter.muf and front.counter(other).combat_unit
            ]
            if not mates:
                continue
            at = front.at[id]
            now = sum(grid.distance(at, mate) for mate in mates)
            choices = [
                (sum(grid.distance(i, mate) for mate in mates), i)
                for ways in self.reach[id].ways.values()
                for i in ways
                if self._guarded(i)
            ]
            if choices and min(choices)[0] + len(mates) <= now:
                self._send(id, min(choices)[1], front.face(id))

    # --- fuel -------------------------------------------------------------------------------------

    def _fuel(self) -> list[Picks]:
        """Formations of which many units are to move are fuelled as a whole, and HQs with many
        independents."""
        front = self.front
        moving: dict[str, int] = {}
        for order in self.orders:
            id = str(order[1])
            counter = front.counter(id)
            if counter.combat_unit and len(order) > 2 and self._thirsty(id, order) and counter.muf:
                moving[counter.muf] = moving.get(counter.muf, 0) + 1
        for id in self.reach:
            if front.has(id, RESERVE) and front.counter(id).muf:
                moving[front.counter(id).muf] = moving.get(front.counter(id).muf, 0) + 1
        return [
            ("fuel", muf)
            for muf, number in sorted(moving.items())
            if number >= FORMATION_FROM and (muf, "fuelled") not in front.board.marks
        ]

    def _thirsty(self, id: str, order: Picks) -> bool:
        front = self.front
        face = next((str(pick) for pick in order[2:] if pick in (COMBAT, MOVE)), front.face(id))
        if str(order[-1]) not in self.ground.index:
            return False
        return front.counter(id).faces[face].mobility != LEG
