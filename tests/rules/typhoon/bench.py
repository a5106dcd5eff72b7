"""Boards and positions for the rule tests: board T (20 x 20 plain hexes) with what a test adds to it, or the pack's own map."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from attrs import evolve

from engine.games.chitpull.sides import SIDES
from engine.games.chitpull.standing import OFF_MAP
from engine.games.typhoon.events import Activated
from engine.games.typhoon.rules import RULES
from engine.games.typhoon.state import AVAILABLE, ELIMINATED, State, Unit, changed, field_of
from engine.kernel.position import Frame
from engine.kernel.rig import Rig
from engine.packfiles import read_pack
from protocol import canon
from protocol.seal import Secret


@cache
def real_pack() -> Mapping[str, Any]:
    """The title's own pack."""
    return read_pack("typhoon")


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
    fort: str = "",
) -> dict[str, Any]:
    """The pack with board T in place of its map. `rows`: hex -> terrain sign where it is not plain; `rivers`: class -> hexsides.

    Without `sources` the Axis has 0110 (with a railway 0110-0210) and the Soviets 2010.
    """
    pack = dict(real_pack())
    grid = [["."] * 20 for _ in range(20)]
    for hex_id, sign in (rows or {}).items():
        grid[int(hex_id[2:]) - 1][int(hex_id[:2]) - 1] = sign
    where = sources or (source("axis", "0110"), source("soviet", "2010"))
    areas = [
        {"id": entry["area"], "kind": "setup", "name": entry["id"], "hexes": "0101"} for entry in pack["setup"]["group"] if "area" in entry
    ]
    if fort:
        areas.append({"id": "area.fort", "kind": "fortified", "name": "fort", "hexes": fort})
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
        "rail": [{"name": f"rail {index}", "hexes": chain} for index, chain in enumerate(rails or ("0110 0210",))],
        "source": list(where),
        "area": areas,
        "box": pack["map"]["box"],
    }
    pack["setup"] = {**pack["setup"], "on_map": {}}
    canon.check(canon.ordered(pack))
    return pack


def source(side: str, hex_id: str) -> dict[str, Any]:
    """A LOC source."""
    return {"id": f"source.{side}.{hex_id}", "side": side, "hex": hex_id, "name": hex_id, "rail": True}


def place(hex_id: str, *, kind: str = "town", owner: str = "soviet", group: str = "") -> dict[str, Any]:
    """A town or a big city."""
    entry = {"hex": hex_id, "name": f"place {hex_id}", "kind": kind, "owner": owner}
    return {**entry, "group": group} if group else entry


def column(c: int, first: int, last: int) -> str:
    """The hexes of a column from one row to another, for roads and railways."""
    step = 1 if last >= first else -1
    return " ".join(f"{c:02}{row:02}" for row in range(first, last + step, step))


class Bench(Rig[State]):
    """A rig that stands units on the board by hand."""

    def __init__(self, pack: Mapping[str, Any] | None = None, *, seed: int | None = None, **options: Any) -> None:
        super().__init__(RULES, pack or board_t(), options=options, seed=seed)

    def stand(
        self,
        places: Mapping[str, str],
        *,
        turn: int = 1,
        reduced: Sequence[str] = (),
        boxes: Mapping[str, str] | None = None,
        control: Mapping[str, str] | None = None,
    ) -> None:
        """Only these units are on the map, on this turn; `boxes` says where others are, the rest is out of the game."""
        data = self.state.data
        units = {}
        for name in data.types:
            if name in places:
                units[name] = Unit(data.hex(places[name]), "", name in reduced)
            else:
                units[name] = Unit(OFF_MAP, (boxes or {}).get(name, ELIMINATED))
        on_map = {name: unit.at for name, unit in units.items() if unit.at != OFF_MAP}
        held = {**data.places, **{data.hex(name): side for name, side in (control or {}).items()}}
        for name, i in on_map.items():
            if i in held:
                held[i] = data.types[name].side
        self.state = changed(self.state, units=units, field=field_of(data, on_map), turn=turn, control=held, activation=None, battle=None)

    def hexes(self, *names: str) -> tuple[str, ...]:
        """Where units are: printed ids, or the box."""
        found = []
        for name in names:
            unit = self.state.units[name]
            found.append(self.state.data.name(unit.at) if unit.at != OFF_MAP else unit.where)
        return tuple(found)

    def activate(
        self, side: str, *units: str, halved: Sequence[str] = (), chit: str = "chit.ax.2a", segment: str = "movement_segment"
    ) -> None:
        """Units are activated and a segment begins; afterwards the Soviets are asked something that stops play."""
        self.run(lambda table: table.emit(Activated(side, chit, "", tuple(sorted(units)), tuple(halved))))
        frames: list[str | Frame] = ["set_up_first", "hq_command", segment]
        if segment == "declaration":
            frames = ["set_up_first", "hq_command", "combat_segment", "declaration"]
        self.jump(*frames)

    def attack(self, seat: str, *attacks: tuple[str, ...]) -> None:
        """Declare attacks (target, units …), and no more."""
        for target, *units in attacks:
            self.do(seat, "attack", target, *units)
        if self.position.top.name == "declaration":
            self.do(seat, "done")

    def reach(self, seat: str, *picks: str) -> set[str]:
        """The hexes offered after these picks."""
        return {str(pick) for pick in self.options(seat, *picks) if str(pick)[:2].isdigit()}

    def chits(self, axis: Sequence[str], soviet: Sequence[str], *, kept: bool = False, drawn: Sequence[str] = ()) -> None:
        """What was chosen this turn."""
        chosen = {
            "axis": Secret(tuple(sorted(axis)), ("axis",), (1, (6, 0, 2))),
            "soviet": Secret(tuple(sorted(soviet)), ("soviet",), (1, (6, 1, 2))),
        }
        counts = {"axis": len(axis), "soviet": len(soviet)}
        cup = evolve(self.state.cup, chosen=chosen, counts=counts, kept=Secret(kept, ("axis",), (1, (6, 0, 3))), drawn=tuple(drawn))
        self.change(cup=cup)

    def happened(self, kind: type[Any]) -> list[Any]:
        """Events of one class in the last record or jump."""
        return [event for event in self.events if type(event) is kind]


__all__ = ["AVAILABLE", "SIDES", "Bench", "board_t", "column", "place", "real_pack", "source"]
