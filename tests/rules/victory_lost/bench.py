"""Boards and positions for the rule tests: board T (20 x 20 clear hexes) with what a test adds to it, or the pack's own map."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from engine.games.chitpull.standing import OFF_MAP
from engine.games.victory_lost.events import Activated
from engine.games.victory_lost.rules import RULES
from engine.games.victory_lost.state import Counter, State, changed, field_of
from engine.kernel.rig import Rig
from engine.packfiles import read_pack
from protocol import canon
from protocol.seal import Secret

FIVE = ("chit.su.1gda", "chit.su.2gda", "chit.su.3gda", "chit.su.5tka", "chit.su.popov")


@cache
def real_pack() -> Mapping[str, Any]:
    """The title's own pack."""
    return read_pack("victory_lost")


def board_t(
    *,
    rows: Mapping[str, str] | None = None,
    rivers: Mapping[str, str] | None = None,
    bridges: str = "",
    impassable: str = "",
    roads: Sequence[str] = (),
    rails: Sequence[str] = (),
    places: Sequence[Mapping[str, Any]] = (),
    sources: Sequence[Mapping[str, Any]] = (),
    pocket: str = "2020",
    boxes: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """The pack with board T in place of its map. `rows`: hex -> terrain sign where it is not clear; `rivers`: class -> hexsides.

    Without `sources` the Axis has 0110 and the Soviets 2010.
    """
    pack = dict(real_pack())
    grid = [["."] * 20 for _ in range(20)]
    for hex_id, sign in (rows or {}).items():
        grid[int(hex_id[2:]) - 1][int(hex_id[:2]) - 1] = sign
    where = sources or (source("axis", "0110"), source("soviet", "2010"))
    areas = [
        {"id": entry["area"], "kind": "setup", "name": entry["id"], "hexes": "0101", "hq_hexes": "0102"}
        for entry in pack["setup"]["group"]
    ]
    areas.append({"id": "area.pocket", "kind": "closed", "name": "pocket", "until_turn": 4, "hexes": pocket})
    entry = {"box.1pza": "0320 0420", "box.28a": "1720 1820", **(boxes or {})}
    pack["map"] = {
        "title": "board T",
        "sides": ["axis", "soviet"],
        "grid": {"orientation": "flat", "shifted": "even", "columns": 20, "rows": 20, "id": "{col:02}{row:02}"},
        "terrain": {"legend": dict(pack["map"]["terrain"]["legend"]), "rows": ["".join(row) for row in grid]},
        "places": {"list": list(places)},
        "river": [{"name": kind, "class": kind, "hexsides": sides} for kind, sides in (rivers or {}).items()],
        "bridges": {"hexsides": bridges},
        "impassable": {"hexsides": impassable},
        "road": [{"name": f"road {index}", "hexes": chain} for index, chain in enumerate(roads)],
        "rail": [{"name": f"rail {index}", "hexes": chain} for index, chain in enumerate(rails)],
        "source": list(where),
        "area": areas,
        "box": [{"id": name, "side": "axis" if "pza" in name else "soviet", "name": name, "entry": hexes} for name, hexes in entry.items()],
    }
    pack["setup"] = {**pack["setup"], "on_map": {}}
    canon.check(canon.ordered(pack))
    return pack


def source(side: str, hex_id: str, *, rail: bool = True, from_turn: int = 1) -> dict[str, Any]:
    """A supply source."""
    return {"id": f"source.{side}.{hex_id}", "side": side, "hex": hex_id, "name": hex_id, "from_turn": from_turn, "rail": rail}


def city(hex_id: str, *, kind: str = "strategic", owner: str = "axis") -> dict[str, Any]:
    """A strategic city, or a town."""
    return {"hex": hex_id, "name": f"city {hex_id}", "kind": kind, "owner": owner}


class Bench(Rig[State]):
    """A rig that stands counters on the board by hand."""

    def __init__(self, pack: Mapping[str, Any] | None = None, *, seed: int | None = None, **options: Any) -> None:
        super().__init__(RULES, pack or board_t(), options=options, seed=seed)

    def stand(
        self,
        places: Mapping[str, str],
        *,
        turn: int = 1,
        reduced: Sequence[str] = (),
        supply: Mapping[str, int] | None = None,
        boxes: Mapping[str, str] | None = None,
    ) -> None:
        """Only these counters are on the map, on this turn; the Soviet five are the historical ones."""
        data = self.state.data
        counters = {}
        for name in data.types:
            if name in places:
                counters[name] = Counter(data.hex(places[name]), "", name in reduced, (supply or {}).get(name, 0))
            else:
                counters[name] = Counter(OFF_MAP, (boxes or {}).get(name, "to_come"))
        on_map = {name: counter.at for name, counter in counters.items() if counter.at != OFF_MAP}
        five = Secret(FIVE, ("soviet",), (1, (6, 0, 1)))
        cup = type(self.state.cup)(five=five, stock=self.state.cup.stock)
        self.state = changed(
            self.state, counters=counters, field=field_of(data, turn, on_map), turn=turn, cup=cup, activation=None, result=None
        )

    def hexes(self, *names: str) -> tuple[str, ...]:
        """Where counters are: printed ids, or the box."""
        found = []
        for name in names:
            counter = self.state.counters[name]
            found.append(self.state.data.name(counter.at) if counter.at != OFF_MAP else counter.where)
        return tuple(found)

    def activate(self, side: str, *counters: str, box: str = "", chit: str = "chit.su.stavka") -> None:
        """Counters are activated and the Movement Step begins."""
        types = self.state.data.types
        hqs = tuple(sorted(name for name in counters if types[name].hq))
        units = tuple(sorted(name for name in counters if not types[name].hq))
        self.run(lambda table: table.emit(Activated(side, chit, hqs, units, box)))
        # What follows the activation here is a question to the Axis, so that nothing else happens after it.
        self.jump("set_up_first", "activation", "movement_step")

    def reach(self, seat: str, *picks: str) -> set[str]:
        """The hexes offered after these picks."""
        return {str(pick) for pick in self.options(seat, *picks) if str(pick)[:2].isdigit()}
