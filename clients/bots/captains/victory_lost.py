"""The captains of A Victory Lost. Soviet: the five cities, by the nearest way. Axis: hold them, hit what comes near at good odds."""

from clients.bots.captains import chitpull
from clients.bots.captains.front import Front
from clients.bots.player import View

CITY = 12.0
SOVIET = "soviet"


class Captain(chitpull.Captain):
    """One seat of one game."""

    defence = (0.5, 3.0)

    def __init__(self, seed: int | str) -> None:
        super().__init__(seed)
        self._five: tuple[str, ...] = ()
        self._threats: tuple[int, dict[int, bool]] = (-1, {})

    def _cities(self, view: View) -> list[int]:
        return [i for i, place in self.ground(view).map.places.items() if place.kind == "strategic"]

    def _is_mine(self, view: View, i: int) -> bool:
        return (self.ground(view).map.ids[i], f"control.{view.seat}") in view.board.marks

    def attacks(self, view: View) -> bool:
        """The Soviets throughout."""
        return view.seat == SOVIET

    def goals(self, view: View, front: Front) -> list[int]:
        """Cities that the enemy holds; for the Axis, and when none is left, one's own too."""
        cities = self._cities(view)
        theirs = [i for i in cities if not self._is_mine(view, i)]
        if view.seat == SOVIET:
            return theirs or cities
        return cities

    def prize(self, view: View, front: Front, i: int) -> float:
        """A city changes hands by a unit that enters."""
        place = self.ground(view).map.places.get(i)
        return CITY if place is not None and place.kind == "strategic" and not self._is_mine(view, i) else 0.0

    def holds(self, view: View, front: Front, i: int) -> float:
        """An own city with enemies about."""
        place = self.ground(view).map.places.get(i)
        if place is None or place.kind != "strategic" or not self._is_mine(view, i):
            return 0.0
        seq, known = self._threats
        if seq != view.board.seq:
            known = {}
            self._threats = (view.board.seq, known)
        if i not in known:
            known[i] = any(self.ground(view).map.distance(i, enemy) <= 9 for enemy in front.enemies)
        return 10.0 if known[i] else 0.0

    def chits_wanted(self, view: View, first: list[str]) -> list[str]:
        """When the five are chosen, those of history; later STAVKA and what commands most of what may still be had."""
        ground = self.ground(view)
        if view.seat == SOVIET and not view.board.tracks.get("turn"):
            scenario = ground.setup["scenario"]
            self._five = tuple(str(scenario["soviet_picks_historical"]).split())
            return [*self._five, *(id for id in super().chits_wanted(view, first) if id not in self._five)]
        wanted = super().chits_wanted(view, first)
        if view.seat != SOVIET:
            held = set(view.board.at("chits.axis"))
            return [id for id in wanted if id in held]
        if self._five:
            wanted = [id for id in wanted if id in self._five or ground.chits[id]["kind"] != "hq"]
        return sorted(wanted, key=lambda id: ground.chits[id]["kind"] == "hq")

    def chits_needed(self, view: View) -> int:
        """Five for the whole game, then what the turn says."""
        if view.seat == SOVIET and not view.board.tracks.get("turn"):
            return int(self.ground(view).setup["scenario"]["soviet_picks_hq_chits"])
        return super().chits_needed(view)

    def chit_value(self, view: View, front: Front, id: str) -> float:
        """Manstein commands whom the Axis likes best."""
        ground = self.ground(view)
        if not ground.chits[id].get("hq"):
            return 1000.0
        return super().chit_value(view, front, id) + (40.0 if self._waits(view, str(ground.chits[id]["hq"])) else 0.0)

    def _waits(self, view: View, hq: str) -> bool:
        """Whether a headquarters stands in its box."""
        shown = view.board.pieces.get(hq)
        return shown is not None and shown.place.startswith("box.")


__all__ = ["Captain"]
