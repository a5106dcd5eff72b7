"""Movement: the plan of a segment carried out command by command, overruns, and reserves that are
released."""

from collections.abc import Generator, Mapping

from warledger.clients.bots.captains.handling import Handling
from warledger.clients.bots.captains.ocs.front import DG, EXPLOIT, OOS
from warledger.clients.bots.captains.ocs.ground import MOVE, TRUCK
from warledger.clients.bots.captains.ocs.guns import Guns
from warledger.clients.bots.captains.ocs.moves import Destinations, Moves, look_round
from warledger.clients.bots.captains.ocs.staff import EXPLOITATION, OWN, REACTION
from warledger.clients.bots.player import View
from warledger.protocol.board.choices import Choices, Picks

OVERRUN_GAIN, OVERRUN_SURE = 3.0, 0.7
"""What an overrun must be expected to bring, and how likely it is to clear the hex."""

KEPT = 8
"""T that are kept for fuel and defence, but for the last turn."""

AT_ONCE, LATER = 0.35, 0.6
"""What share of a unit hunger must threaten to take in a turn for it to break out: in its first
turn out of trace, when the die is kinder, and afterwards."""

THREAT = 1.5
"""By how much the enemy about a hex has to outweigh it before reserves are sent there."""


class March(Guns):
    """The answers in movement segments."""

    def _move(self, view: View, top: Choices) -> Handling:
        """The plan of the segment, command by command."""
        segment = self.segment(view)
        key = self.phase(view)
        if self._planned != key:
            self._planned = key
            self._orders = []
            self._released = set()
            self._tried = set()
            self._bound_for.clear()
            self._spent = set()
            if segment in (REACTION, EXPLOITATION):
                release = yield from self._release(view, top, segment)
                if release:
                    return release
        if segment == OWN:
            for first in (
                self._withdraw,
                self._supply_by_air,
                self._relocate,
                self._stand,
                self._journey,
                self._trains,
                self._replenish,
                self._sweep,
            ):
                made = yield from first(view, top)
                if made:
                    return made
        if top.offers("overrun"):
            over = yield from self._overrun(view)
            if over:
                # What it opens is planned for anew.
                self._tried.discard("planned")
                self._tried.discard("hip")
                return over
            if segment == OWN and top.offers("hip_shoot") and "hip" not in self._tried:
                self._tried.add("hip")
                wish = yield from self._overrun(view, shaken=True)
                shot = (yield from self._hip(view, str(wish[1]))) if wish else ()
                if shot:
                    return shot
        if "planned" not in self._tried:
            self._tried.add("planned")
            if top.offers("move"):
                self._orders = yield from self._plan(view, segment)
        while self._orders:
            order = self._orders.pop(0)
            if (yield from self._fits(top, order)):
                return order
        if segment == OWN:
            # HQs stand where they will draw now.
            for after in (self._carry, self._works):
                made = yield from after(view, top)
                if made:
                    return made
        if top.offers("hip_shoot") and segment != OWN:
            return (yield from self._fly(view, "hip_shoot")) or ("done",)
        if not top.offers("done") and top.offers("move"):
            return (yield from self._owed(view))
        return ("done",)

    def _break_out(self, view: View, top: Choices) -> Handling:
        """Who is cut off, cannot walk back into supply and has nothing to eat breaks out if hunger
        probably costs more than the die."""
        choices = yield ("breakout",)
        front, ground = self.front(view), self.ground(view)
        supplied = front.supplied()
        for id in self._names(choices):
            if id not in front.at or not front.counter(id).combat_unit:
                continue
            at = front.at[id]
            if at in supplied or front.drawable().get(at, 0):
                continue
            face = front.counter(id).faces.get(MOVE) or front.counter(id).faces[front.face(id)]
            ma = face.ma / 2 if front.has(id, DG) else float(face.ma)
            walls = front.walls() if face.mobility == TRUCK else set()
            if not supplied.isdisjoint(
                ground.spread((at,), face.mobility, ma, front.shut(), walls)
            ):
                continue
            risk = LATER if front.has(id, OOS) else AT_ONCE
            if self.chances(view).starved(front.ar(id), front.steps(id)) > risk:
                return ("breakout", id)
        return ("done",)

    def _owed(self, view: View) -> Handling:
        """A move where the side may not be done: somebody's who must move is among them."""
        hexes, units = self.ground(view).index, self.front(view).at
        for name in self._names((yield ("move",))):
            if name not in units:
                continue
            for first in self._names((yield ("move", name))):
                if first in hexes:
                    return ("move", name, first)
                for to in self._names((yield ("move", name, first))):
                    if to in hexes:
                        return ("move", name, first, to)
        return ()

    def _overrun(self, view: View, *, shaken: bool = False) -> Handling:
        """The overrun that brings most, if it is all but certain to clear the hex, or would be,
        were the hex shaken first."""
        front, ground = self.front(view), self.ground(view)
        assault = self.assault(view, overrun=True)
        choices = yield ("overrun",)
        if shaken:
            assault.shelled = {ground.index.get(name, -1): 1.0 for name in self._names(choices)}
        best: tuple[float, Picks] | None = None
        for name in self._names(choices):
            target = ground.index.get(name, -1)
            if target < 0 or target in self._spent or not self.matters(view, target):
                continue
            shown = yield ("overrun", name)
            starts = sorted({front.at[id] for id in self._names(shown) if id in front.at})
            for start in starts:
                picks: Picks = ("overrun", name)
                places: dict[str, int] = {}
                more = shown
                while True:
                    there = [
                        id
                        for id in self._names(more)
                        if front.at.get(id) == start and front.counter(id).fights
                    ]
                    if not there:
                        break
                    id = max(there, key=lambda id: (assault.multiplied(id, start, target), id))
                    places[id] = start
                    picks = (*picks, id)
                    more = yield picks
                    force = assault.weigh(places, target)
                    if (
                        more.complete
                        and force.gain >= OVERRUN_GAIN
                        and force.fight.cleared >= OVERRUN_SURE
                        and (best is None or force.gain > best[0])
                    ):
                        best = (force.gain, picks)
        if best is None:
            return ()
        if not shaken:
            self._spent.add(ground.index[str(best[1][1])])
        return best[1]

    def _fits(self, top: Choices, order: Picks) -> Generator[Picks, Choices, bool]:
        """Whether a command is on offer, pick by pick, and whole."""
        choices = top
        for number, pick in enumerate(order):
            if not choices.offers(pick):
                return False
            choices = yield order[: number + 1]
        return choices.complete

    def _plan(self, view: View, segment: str) -> Generator[Picks, Choices, list[Picks]]:
        front, ground, aims = self.front(view), self.ground(view), self.aims(view)
        choices = yield ("move",)
        mine = sorted(id for id in front.at if front.counter(id).side == view.seat)
        if segment == REACTION:
            mine = [id for id in mine if id in self._released]
        reach = yield from look_round(ground, front, choices, mine)
        if segment == REACTION:
            return self._reinforce(view, reach)
        able = frozenset(
            id
            for id in mine
            if front.counter(id).fights
            and (segment == OWN or front.has(id, EXPLOIT) or id in self._released)
        )
        moves = Moves(
            front,
            aims,
            self.chances(view),
            reach,
            able,
            segment == OWN,
            self._spare(view),
            self.caution(view),
            self.last(view),
            self.thrift(view),
        )
        return moves.plan()

    def _spare(self, view: View) -> int:
        """The T that may be spent on attacks now, of those that somebody can draw: all on the last
        turn, else some are kept; and stocks, which are there when dumps are empty."""
        front = self.front(view)
        drawn = self._drawn(front) | frozenset(front.friends)
        tokens = sum(lying for i, lying in front.tokens().items() if i in drawn)
        stocks = sum(
            front.steps(id)
            for id in front.at
            if front.counter(id).side == view.seat
            and front.counter(id).attacks
            and not front.has(id, "exhausted")
        )
        return max(tokens - (0 if self.last(view) else KEPT), 0) + stocks // 2

    def _release(self, view: View, top: Choices, segment: str) -> Handling:
        """Who gives up the Reserve marker: to exploit, or to stand by a hex that is in danger."""
        if not top.offers("release"):
            return ()
        choices = yield ("release",)
        front, aims, ground = self.front(view), self.aims(view), self.ground(view)
        names = [name for name in self._names(choices) if name in front.at]
        if segment == EXPLOITATION:
            shut = front.shut()
            open_ = [i for i in aims.goals if i not in shut and not front.mine(i)]
            wanted = [
                name for name in names if aims.attacks or front.distance(front.at[name], open_) <= 4
            ]
        else:
            weak = self._threatened(view)
            wanted = []
            for name in names:
                face = front.counter(name).faces[front.face(name)]
                if any(
                    ground.grid.distance(front.at[name], i) <= max(face.ma // 3, 1) for i in weak
                ):
                    wanted.append(name)
            wanted = wanted[:3]
        picks: Picks = ("release",)
        for name in wanted:
            if choices.offers(name):
                picks = (*picks, name)
                choices = yield picks
        if len(picks) == 1:
            return ()
        self._released = {str(name) for name in picks[1:]}
        return picks

    def _threatened(self, view: View) -> list[int]:
        """Own hexes that decide and that the enemy could overpower, the worst first."""
        front, aims = self.front(view), self.aims(view)
        danger = front.danger(1)
        found = []
        for i in sorted(aims.goals):
            if not front.mine(i) or not danger.get(i):
                continue
            strength = sum(front.defence(id) for id in front.friends.get(i, ())) + 0.5
            if danger[i] > THREAT * strength:
                found.append((strength / danger[i], i))
        return [i for _, i in sorted(found)]

    def _reinforce(self, view: View, reach: Mapping[str, Destinations]) -> list[Picks]:
        """Released reserves go to the hexes in the greatest danger."""
        front, ground = self.front(view), self.ground(view)
        orders: list[Picks] = []
        load = {i: front.load(i) for i in front.friends}
        for id, reached in sorted(reach.items()):
            for i in self._threatened(view):
                if i == front.at[id]:
                    break
                ways = reached.ways.get(front.face(id), frozenset())
                if i in ways and load.get(i, 0) + front.re(id) <= ground.stack:
                    load[i] = load.get(i, 0) + front.re(id)
                    orders.append(("move", id, ground.ids[i]))
                    break
        return orders
