"""The captains of Typhoon. Axis: the big cities, Moscow and Tula above all. Soviet: hold them, and
win back what can be won."""

from warledger.clients.bots.captains import chitpull
from warledger.clients.bots.captains.front import Front
from warledger.clients.bots.captains.handling import Handling
from warledger.clients.bots.player import View

CITY, CAPITAL, TOWN = 10.0, 14.0, 0.5
AXIS = "axis"
GATES = ("moscow", "tula")


class Captain(chitpull.Captain):
    """One seat of one game."""

    offence = (1.0, 0.2)

    def __init__(self, seed: int | str) -> None:
        super().__init__(seed)
        self._threats: tuple[int, dict[int, bool]] = (-1, {})

    def attacks(self, view: View) -> bool:
        """The Axis throughout."""
        return view.seat == AXIS

    def _is_mine(self, view: View, i: int) -> bool:
        return (self.ground(view).map.grid.ids[i], f"control.{view.seat}") in view.board.marks

    def goals(self, view: View, front: Front) -> list[int]:
        """Big cities that the enemy holds; for the Soviets their own too."""
        cities = [
            i for i, place in self.ground(view).map.places.items() if place.kind == "big_city"
        ]
        theirs = [i for i in cities if not self._is_mine(view, i)]
        if view.seat == AXIS:
            return theirs or cities
        return [
            i
            for i in cities
            if self._is_mine(view, i) or self.ground(view).map.places[i].group in GATES
        ] or cities

    def prize(self, view: View, front: Front, i: int) -> float:
        """The side that enters takes control."""
        place = self.ground(view).map.places.get(i)
        if place is None or self._is_mine(view, i):
            return 0.0
        if place.kind != "big_city":
            return TOWN
        return CAPITAL if place.group in GATES else CITY

    def holds(self, view: View, front: Front, i: int) -> float:
        """An own big city with enemies about; Moscow and Tula always."""
        place = self.ground(view).map.places.get(i)
        if place is None or place.kind != "big_city" or not self._is_mine(view, i):
            return 0.0
        seq, known = self._threats
        if seq != view.board.seq:
            known = {}
            self._threats = (view.board.seq, known)
        if i not in known:
            known[i] = any(
                self.ground(view).map.grid.distance(i, enemy) <= 5 for enemy in front.enemies
            )
        return (9.0 if place.group in GATES else 6.0) if known[i] else 0.0

    def chits_wanted(self, view: View, first: list[str]) -> list[str]:
        """Those available, the best first."""
        held = set(view.board.at(f"chits.{view.seat}"))
        return [id for id in super().chits_wanted(view, first) if id in held]

    def chit_value(self, view: View, front: Front, id: str) -> float:
        """Reinforcements early; a headquarters by what it commands, Guderian like 2nd Panzer
        Army."""
        kind = self.ground(view).chits[id].get("kind")
        if kind == "reinforcement":
            return 200.0 if view.seat != AXIS else 30.0
        if kind in ("reserve", "okh"):
            return 20.0
        return super().chit_value(view, front, id)

    def _choose(self, view: View, offered: list[str]) -> Handling:
        """6.3 Guderian stays in hand."""
        picks = yield from super()._choose(view, offered)
        return (*picks[:-1], "hand") if picks[-1] == "cup" else picks
