"""Guns and aircraft: what is barraged by whom, who flies, who intercepts, what is made ready."""

from warledger.clients.bots.captains.handling import Handling, anything
from warledger.clients.bots.captains.ocs.fire import best_barrage, shift
from warledger.clients.bots.captains.ocs.haulage import Haulage
from warledger.clients.bots.player import View
from warledger.protocol.board.choices import Choices, Picks

SLIGHT = 8.0
"""Aircraft with weaker bombs fly as escorts alone."""

SHAKEN_MIN = 0.3
"""How likely a hip shoot has to shake a hex that is to be overrun."""

SWEEPERS = 2
"""How many fighters sweep at most."""

TOO_NEAR = 4
"""How near enemies that could overrun a base without guards may come before aircraft leave it."""


class Guns(Haulage):
    """The answers of guns and aircraft."""

    def _planes(self, view: View, choices: Choices) -> list[str]:
        planes = self.ground(view).planes
        return [name for name in self._names(choices) if name in planes]

    def _bombs(self, view: View, id: str) -> float:
        """The barrage strength of an aircraft."""
        value = float(self.ground(view).planes[id]["barrage"])
        return value * 0.5 if (id, "lost") in view.board.marks else value

    def _rating(self, view: View, id: str) -> float:
        """How well an aircraft fights others."""
        entry = self.ground(view).planes[id]
        return float(entry["acr"]) - (3.0 if entry.get("acr_paren") else 0.0)

    def _refit(self, view: View, top: Choices) -> Handling:
        """Bombers first, but a fighter among them; each base once, since a box refits again
        whoever has been stood down there."""
        choices = yield ("refit",)
        phase = self.phase(view)
        for base in self._names(choices):
            if (phase, base) in self._refitted:
                continue
            self._refitted.add((phase, base))
            picks: Picks = ("refit", base)
            shown = yield picks
            names = sorted(self._planes(view, shown), key=lambda id: (-self._bombs(view, id), id))
            names.sort(key=lambda id: -(self._rating(view, id) > 0))
            names = [*names[:1], *sorted(names[1:], key=lambda id: -self._bombs(view, id))]
            for name in names:
                if shown.offers(name):
                    picks = (*picks, name)
                    shown = yield picks
            if len(picks) > 2 and shown.complete:
                return picks
        if not top.offers("done") and top.offers("stand_down"):
            return (yield from self._stand_down(view, top))
        return ()

    def _intercept(self, view: View, top: Choices) -> Handling:
        """With the best fighter there is."""
        choices = yield ("intercept",)
        names = self._planes(view, choices)
        if not names:
            return ("pass",)
        return ("intercept", max(names, key=lambda id: (self._rating(view, id), id)))

    def _dogfight(self, view: View, top: Choices) -> Handling:
        """The best fighter meets the enemy."""
        verb = "meet" if top.offers("meet") else "attack"
        choices = yield (verb,)
        names = self._planes(view, choices)
        if not names:
            return (yield from anything(choices, (verb,)))
        return (verb, max(names, key=lambda id: (self._rating(view, id), id)))

    def _bomb(self, view: View, top: Choices) -> Handling:
        """Bombs fall where they help an attack, or break up one."""
        return (yield from self._fly(view, "bomb"))

    def _fly(self, view: View, verb: str) -> Handling:
        front, ground = self.front(view), self.ground(view)
        forces = {force.target: force for force in self._prospects(view)}
        near = set(forces)
        if view.board.tracks.get("phasing") != view.seat:
            near = {
                i
                for i in front.shut()
                if any(n in self.aims(view).goals for n in ground.grid.adjacent[i])
            }
        choices = yield (verb,)
        flyers: dict[int, tuple[str, ...]] = {}
        strengths: dict[str, float] = {}
        for i in sorted(near):
            if not choices.offers(ground.ids[i]):
                continue
            shown = yield (verb, ground.ids[i])
            names = [id for id in self._planes(view, shown) if self._bombs(view, id) >= SLIGHT]
            strengths.update({id: self._bombs(view, id) for id in names})
            if names:
                flyers[i] = tuple(names)
        best = best_barrage(
            front,
            self.chances(view),
            self.assault(view),
            flyers,
            forces,
            {i: self._shift(view, i) for i in flyers},
            air=strengths,
        )
        if best is None:
            return ()
        picks: Picks = (verb, ground.ids[best.target])
        shown = yield picks
        for id in best.guns:
            if shown.offers(id):
                picks = (*picks, id)
                shown = yield picks
        escorts = [id for id in self._planes(view, shown) if self._rating(view, id) > 0]
        if escorts and len(picks) > 2:
            picks = (*picks, max(escorts, key=lambda id: (self._rating(view, id), id)))
            shown = yield picks
        return picks if len(picks) > 2 and shown.complete else ()

    def _hip(self, view: View, name: str) -> Handling:
        """The bomber that is most likely to shake a hex before it is overrun."""
        choices = yield ("hip_shoot",)
        if not choices.offers(name):
            return ()
        shown = yield ("hip_shoot", name)
        planes = self._planes(view, shown)
        if not planes:
            return ()
        best = max(planes, key=lambda id: (self._bombs(view, id), id))
        moved = self._shift(view, self.ground(view).index[name])
        shells = self.chances(view).shells(self._bombs(view, best), moved, air=True)
        return ("hip_shoot", name, best) if shells.shaken >= SHAKEN_MIN else ()

    def _sweep(self, view: View, top: Choices) -> Handling:
        """Fighters that are a match for those of an enemy base go there first, so that bombers find
        the sky empty."""
        if not top.offers("sweep") or "sweep" in self._tried:
            return ()
        self._tried.add("sweep")
        planes, board = self.ground(view).planes, view.board
        choices = yield ("sweep",)
        for name in self._names(choices):
            met = [
                self._rating(view, id)
                for id, piece in board.pieces.items()
                if id in planes and piece.place == name and planes[id]["side"] != view.seat
            ]
            picks: Picks = ("sweep", name)
            shown = yield picks
            ranked = sorted(self._planes(view, shown), key=lambda id: (-self._rating(view, id), id))
            able = [id for id in ranked if self._rating(view, id) >= max(met, default=99.0)]
            if len(able) < min(SWEEPERS, sum(one > 0 for one in met)):
                continue
            for id in able[:SWEEPERS]:
                if shown.offers(id):
                    picks = (*picks, id)
                    shown = yield picks
            if len(picks) > 2 and shown.complete:
                return picks
        return ()

    def _withdraw(self, view: View, top: Choices) -> Handling:
        """Aircraft leave a base that nobody guards against enemies near by."""
        if not top.offers("transfer") or "transfer" in self._tried:
            return ()
        self._tried.add("transfer")
        front, ground, board = self.front(view), self.ground(view), view.board
        threats = [i for i, names in front.enemies.items() if any(map(front.exerts, names))]
        unsafe = {
            id
            for id, piece in board.pieces.items()
            if id in ground.planes
            and ground.planes[id]["side"] == view.seat
            and (i := ground.index.get(piece.place, -1)) >= 0
            and not front.guards(i)
            and front.distance(i, threats) <= TOO_NEAR
        }
        if not unsafe:
            return ()
        choices = yield ("transfer",)
        places = sorted(
            self._names(choices),
            key=lambda name: (
                -front.distance(ground.index[name], threats) if name in ground.index else -99,
                name,
            ),
        )
        for name in places:
            if name in ground.index and front.distance(ground.index[name], threats) <= TOO_NEAR:
                continue
            picks: Picks = ("transfer", name)
            shown = yield picks
            for id in self._planes(view, shown):
                if id in unsafe and shown.offers(id):
                    picks = (*picks, id)
                    shown = yield picks
            if len(picks) > 2 and shown.complete:
                self._tried.discard("transfer")
                return picks
        return ()

    def _shift(self, view: View, i: int) -> int:
        """The shifts of a spotted barrage of a hex."""
        return shift(self.front(view), self.chances(view), i)

    def _barrage(self, view: View, top: Choices) -> Handling:
        """Before attacks, at the hexes where it helps most."""
        front = self.front(view)
        index = self.ground(view).index
        choices = yield ("barrage",)
        targets = [name for name in self._names(choices) if name in index]
        guns: dict[int, tuple[str, ...]] = {}
        for name in targets:
            shown = yield ("barrage", name)
            able = tuple(id for id in self._names(shown) if id in front.at)
            if able:
                guns[index[name]] = able
        forces = {force.target: force for force in self._prospects(view)}
        best = best_barrage(
            front,
            self.chances(view),
            self.assault(view),
            guns,
            forces,
            {i: self._shift(view, i) for i in guns},
        )
        if best is None:
            return (yield from self._bomb(view, top)) if top.offers("bomb") else ()
        picks: Picks = ("barrage", self.ground(view).ids[best.target])
        shown = yield picks
        for id in best.guns:
            if shown.offers(id):
                picks = (*picks, id)
                shown = yield picks
        if shown.complete and len(picks) > 2:
            return picks
        return ()
