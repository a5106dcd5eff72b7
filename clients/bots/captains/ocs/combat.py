"""Combat: which attack is made, which unit leads, how a side defends, what it loses, where it
retreats."""

from collections.abc import Sequence

from warledger.clients.bots.captains.handling import Handling, anything
from warledger.clients.bots.captains.ocs.front import Front
from warledger.clients.bots.captains.ocs.guns import Guns
from warledger.clients.bots.captains.ocs.staff import first_of
from warledger.clients.bots.player import View
from warledger.protocol.board.choices import Choices, Pick, Picks


class Combat(Guns):
    """The answers in combat."""

    def _attack(self, view: View, top: Choices) -> Handling:
        """The most valuable attack, as long as it is worth its cost."""
        front, ground = self.front(view), self.ground(view)
        choices = yield ("attack",)
        if self._planes(view, choices):
            return (yield from self._dogfight(view, top))
        options: dict[int, dict[str, tuple[int, ...]]] = {}
        for name in self._names(choices):
            target = ground.index.get(name, -1)
            if target < 0 or not self.matters(view, target):
                continue
            shown = yield ("attack", name)
            units: dict[str, tuple[int, ...]] = {
                id: (front.at[id],) for id in self._names(shown) if id in front.at
            }
            if units:
                options[target] = units
        forces = self.assault(view).plan(options, spare=10_000)
        for force in forces:
            picks: Picks = ("attack", ground.ids[force.target])
            shown = yield picks
            for id in sorted(force.places, key=lambda one: (one != force.lead, one)):
                if shown.offers(id):
                    picks = (*picks, id)
                    shown = yield picks
            if len(picks) == 2 or not shown.complete:
                continue
            if len(picks) - 2 < len(force.places):
                left = {str(id): front.at[str(id)] for id in picks[2:]}
                if self.assault(view).weigh(left, force.target).gain < 0.2:
                    continue
            self._leads[force.target] = force.lead
            return picks
        return ()

    def _lead(self, view: View, top: Choices) -> Handling:
        """The highest AR; of several the one whose step is the cheapest."""
        front = self.front(view)
        choices = yield ("lead",)
        names = [name for name in self._names(choices) if name in front.at]
        if not names:
            return (yield from anything(choices, ("lead",)))
        return ("lead", self._leader(front, names))

    def _leader(self, front: Front, names: Sequence[str]) -> str:
        best = max(front.ar(name) for name in names)
        return min(
            (name for name in names if front.ar(name) == best),
            key=lambda name: (front.worth(name), -front.steps(name), name),
        )

    def _defend(self, view: View, top: Choices) -> Handling:
        """Pay if possible; the best leader, the hardest terrain."""
        front = self.front(view)
        picks: Picks = ("defend",)
        choices = yield picks
        while not choices.complete:
            names = self._names(choices)
            if choices.offers("pay"):
                pick: Pick = "pay"
            elif names and all(name in front.at for name in names):
                pick = self._leader(front, names)
            else:
                pick = first_of(choices)
            picks = (*picks, pick)
            choices = yield picks
        return picks

    def _give_way(self, view: View, top: Choices) -> Handling:
        """A step or the hex; or the way of a retreat."""
        if top.offers("lose"):
            choices = yield ("lose",)
            unit = self._cheapest(view, self._names(choices))
            if unit and self._holds_on(view, unit):
                return ("lose", unit)
        choices = yield ("retreat",)
        if choices.complete and choices.is_end:
            return ("retreat",)
        return (yield from self._fall_back(view, choices))

    def _holds_on(self, view: View, unit: str) -> bool:
        """Whether to lose a step rather than retreat: an attacker does, to keep the ground; a
        defender does in a decisive hex, as long as a unit is left."""
        front, aims = self.front(view), self.aims(view)
        at = front.at[unit]
        left = sum(
            front.steps(id) for id in front.friends.get(at, ()) if front.counter(id).combat_unit
        )
        if view.board.tracks.get("phasing") == view.seat:
            return front.worth(unit) < 1.6 or front.steps(unit) > 1
        if left <= 1:
            return False
        return at in aims.goals or (bool(front.hedgehog(at)) and left > 2)

    def _fall_back(self, view: View, choices: Choices) -> Handling:
        """All together, away from the enemy, to friends."""
        front, ground = self.front(view), self.ground(view)
        danger = front.danger()
        picks: Picks = ("retreat",)
        while not choices.complete:
            hexes = [name for name in self._names(choices) if name in ground.index]
            if hexes:
                pick: Pick = min(
                    hexes,
                    key=lambda name: (
                        ground.index[name] in front.zone,
                        ground.index[name] not in front.supplied(),
                        danger.get(ground.index[name], 0.0)
                        - 3.0 * (ground.index[name] in self.aims(view).goals),
                        name,
                    ),
                )
            else:
                pick = first_of(choices)
            picks = (*picks, pick)
            choices = yield picks
        return picks

    def _advance(self, view: View, top: Choices) -> Handling:
        """Into the hex that has been won; a unit stays behind where a hex would be left open."""
        front = self.front(view)
        picks: Picks = ("advance",)
        choices = yield picks
        left = {
            i: [id for id in names if front.counter(id).attacks]
            for i, names in front.friends.items()
        }
        names = sorted(
            (name for name in self._names(choices) if name in front.at),
            key=lambda name: (-front.ar(name), -front.attack(name), name),
        )
        for name in names:
            at = front.at[name]
            alone = len(left.get(at, ())) <= 1
            if alone and self.aims(view).holds(front, at) and at in front.zone and len(picks) > 1:
                continue
            if not choices.offers(name):
                continue
            picks = (*picks, name)
            left[at] = [id for id in left.get(at, ()) if id != name]
            choices = yield picks
        return picks if len(picks) > 1 and choices.complete else ("stay",)
