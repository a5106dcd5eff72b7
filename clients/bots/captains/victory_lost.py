"""The captains of A Victory Lost. Soviet: the five cities, by the nearest way. Axis: a line in
front of them, and a garrison in each."""

from warledger.clients.bots.captains import chitpull
from warledger.clients.bots.captains.defender import Defender
from warledger.clients.bots.captains.front import Front
from warledger.clients.bots.captains.staff import Plan
from warledger.clients.bots.player import Exploration, View
from warledger.protocol.board.hexmap import HexMap

CITY = 12.0
SOVIET = "soviet"
STAKE = 14.0
COMPANY, LONELY = 4, 15.0
"""How many units a Soviet headquarters wants well within its range, and how badly: others may leave
before it moves again."""


def _cities(map_: HexMap) -> list[int]:
    return [i for i, place in map_.places.items() if place.kind == "strategic"]


def _is_mine(map_: HexMap, view: View, i: int) -> bool:
    return (map_.grid.ids[i], f"control.{view.seat}") in view.board.marks


def _prize(map_: HexMap, view: View, i: int) -> float:
    """A city changes hands by a unit that enters."""
    place = map_.places.get(i)
    return (
        CITY
        if place is not None and place.kind == "strategic" and not _is_mine(map_, view, i)
        else 0.0
    )


class Soviet(chitpull.Captain):
    """The Soviet seat."""

    def __init__(self, seed: int | str) -> None:
        super().__init__(seed)
        self._five: tuple[str, ...] = ()
        self._threats: tuple[int, dict[int, bool]] = (-1, {})

    def attacks(self, view: View) -> bool:
        """Throughout."""
        return True

    def goals(self, view: View, front: Front) -> list[int]:
        """Cities that the enemy holds; when none is left, one's own."""
        map_ = self.ground(view).map
        cities = _cities(map_)
        return [i for i in cities if not _is_mine(map_, view, i)] or cities

    def prize(self, view: View, front: Front, i: int) -> float:
        """A city."""
        return _prize(self.ground(view).map, view, i)

    def holds(self, view: View, front: Front, i: int) -> float:
        """An own city with enemies about."""
        map_ = self.ground(view).map
        place = map_.places.get(i)
        if place is None or place.kind != "strategic" or not _is_mine(map_, view, i):
            return 0.0
        seq, known = self._threats
        if seq != view.board.seq:
            known = {}
            self._threats = (view.board.seq, known)
        if i not in known:
            known[i] = any(map_.grid.distance(i, enemy) <= 9 for enemy in front.enemies)
        return 10.0 if known[i] else 0.0

    def _hq_value(self, view: View, front: Front, plan: Plan, name: str, i: int) -> float:
        """11.3 A headquarters without units in range is lost with its chit."""
        ground = front.ground
        near = ground.disc(i, ground.counters[name].reach - 1)
        company = sum(
            1
            for n in near
            for id in front.friends.get(n, ())
            if ground.counters[id].fights and not ground.counters[id].hq
        )
        return super()._hq_value(view, front, plan, name, i) - LONELY * max(0, COMPANY - company)

    def chits_wanted(self, view: View, first: list[str]) -> list[str]:
        """When the five are chosen, those of history; later STAVKA and what commands most of what
        may still be had."""
        ground = self.ground(view)
        if not view.board.tracks.get("turn"):
            scenario = ground.setup["scenario"]
            self._five = tuple(str(scenario["soviet_picks_historical"]).split())
            return [
                *self._five,
                *(id for id in super().chits_wanted(view, first) if id not in self._five),
            ]
        wanted = super().chits_wanted(view, first)
        if self._five:
            wanted = [id for id in wanted if id in self._five or ground.chits[id]["kind"] != "hq"]
        return sorted(wanted, key=lambda id: ground.chits[id]["kind"] == "hq")

    def chits_needed(self, view: View) -> int:
        """Five for the whole game, then what the turn says."""
        if not view.board.tracks.get("turn"):
            return int(self.ground(view).setup["scenario"]["soviet_picks_hq_chits"])
        return super().chits_needed(view)

    def chit_value(self, view: View, front: Front, id: str) -> float:
        """STAVKA above all."""
        return (
            super().chit_value(view, front, id) if self.ground(view).chits[id].get("hq") else 1000.0
        )


class Axis(Defender):
    """The Axis seat."""

    def cities(self, view: View) -> list[int]:
        """Those still held."""
        map_ = self.ground(view).map
        return [i for i in _cities(map_) if _is_mine(map_, view, i)]

    def goals(self, view: View, front: Front) -> list[int]:
        """All five: to hold, or to win back."""
        return _cities(self.ground(view).map)

    def prize(self, view: View, front: Front, i: int) -> float:
        """A city."""
        return _prize(self.ground(view).map, view, i)

    def holds(self, view: View, front: Front, i: int) -> float:
        """The garrisons see to that."""
        return 0.0

    def stake(self, view: View, i: int) -> float:
        """Ten points between the sides, and the railways that meet there."""
        return STAKE

    def chits_wanted(self, view: View, first: list[str]) -> list[str]:
        """Those at hand, what commands most first."""
        held = set(view.board.at("chits.axis"))
        return [id for id in super().chits_wanted(view, first) if id in held]

    def chit_value(self, view: View, front: Front, id: str) -> float:
        """Manstein commands whom the Axis likes best. An army in its box comes out while its way
        home is open, else it is safe there."""
        chit = self.ground(view).chits[id]
        if not chit.get("hq"):
            return 1000.0
        shown = view.board.pieces.get(str(chit["hq"]))
        if shown is None or not shown.place.startswith("box."):
            return super().chit_value(view, front, id)
        map_ = self.ground(view).map
        entries = next(
            (
                str(box["entry"]).split()
                for box in view.pack["map"]["box"]
                if box["id"] == shown.place
            ),
            [],
        )
        supplied, danger = front.supplied(), front.danger(*self.strikes)
        return (
            500.0
            if any(
                supplied[i] and danger[i] <= 10 for i in map(map_.grid.index.__getitem__, entries)
            )
            else 0.0
        )


class Captain:
    """One seat of one game: the captain of its side."""

    sees = True

    def __init__(self, seed: int | str) -> None:
        self._seed = seed
        self._side: Soviet | Axis | None = None

    def choose(self, view: View) -> Exploration:
        """The next command."""
        if self._side is None:
            self._side = (Soviet if view.seat == SOVIET else Axis)(self._seed)
        return self._side.choose(view)
