"""Boards and positions for the rule tests: board T (20 x 20 plain hexes) with what a test adds to
it, or the pack's own map."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Unpack

from tests.rules.chit_bench import ChitRig, Ground, spots, with_board
from warledger.engine.games.chitpull.states import OFF_MAP
from warledger.engine.games.typhoon.activation import Activated
from warledger.engine.games.typhoon.field import field_of
from warledger.engine.games.typhoon.rules import RULES
from warledger.engine.games.typhoon.state import ELIMINATED, State, Unit, changed
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.position import Frame
from warledger.engine.packfiles import read_pack
from warledger.protocol.chance.seal import Secret

INF = "ax.inf.5"
INF2 = "ax.inf.35"
INF3 = "ax.inf.8"
PZ = "ax.panzer.1"
PZ2 = "ax.panzer.6"
RIFLE = "su.rifle.133"
RIFLE2 = "su.rifle.174"
RIFLE3 = "su.rifle.179"
RIFLE4 = "su.rifle.186"
CAV = "su.cav.50"
TANK = "su.tank.127"  # 3-2, one step
HQ22 = "su.hq.22a"
HQ2A = "ax.hq.2a"


@cache
def real_pack() -> Mapping[str, Any]:
    """The title's own pack."""
    return read_pack("typhoon")


def board_t(*, fort: str = "", **ground: Unpack[Ground]) -> dict[str, Any]:
    """The pack with board T in place of its map; without `rails` a railway runs 0110-0210; `fort`
    lists fortified hexes."""
    pack = real_pack()
    areas = [
        {"id": entry["area"], "kind": "setup", "name": entry["id"], "hexes": "0101"}
        for entry in pack["setup"]["group"]
        if "area" in entry
    ]
    if fort:
        areas.append({"id": "area.fort", "kind": "fortified", "name": "fort", "hexes": fort})
    ground.setdefault("rails", ("0110 0210",))
    return with_board(pack, areas, pack["map"]["box"], **ground)


def place(
    hex_id: str, *, kind: str = "town", owner: str = "soviet", group: str = ""
) -> dict[str, Any]:
    """A town or a big city."""
    entry = {"hex": hex_id, "name": f"place {hex_id}", "kind": kind, "owner": owner}
    return {**entry, "group": group} if group else entry


def column(c: int, first: int, last: int) -> str:
    """The hexes of a column from one row to another, for roads and railways."""
    step = 1 if last >= first else -1
    return " ".join(f"{c:02}{row:02}" for row in range(first, last + step, step))


class Bench(ChitRig[State]):
    """A rig that stands units on the board by hand."""

    def __init__(
        self, pack: Mapping[str, Any] | None = None, *, seed: int | None = None, **options: Any
    ) -> None:
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
        """Only these units are on the map, on this turn; `boxes` says where others are, the rest is
        out of the game."""
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
        self.state = changed(
            self.state,
            units=units,
            field=field_of(data, on_map),
            turn=turn,
            control=held,
            activation=None,
            battle=None,
        )

    def hexes(self, *names: str) -> tuple[str, ...]:
        """Where units are: printed ids, or the box."""
        return spots(self.state.data, (self.state.units[name] for name in names))

    def activate(
        self,
        side: str,
        *units: str,
        halved: Sequence[str] = (),
        chit: str = "chit.ax.2a",
        segment: str = "movement_segment",
    ) -> None:
        """Units are activated and a segment begins; afterwards the Soviets are asked something that
        stops play."""
        self.run(
            lambda table: table.emit(Activated(side, chit, "", tuple(sorted(units)), tuple(halved)))
        )
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

    def chits(
        self,
        axis: Sequence[str],
        soviet: Sequence[str],
        *,
        kept: bool = False,
        drawn: Sequence[str] = (),
    ) -> None:
        """What was chosen this turn."""
        chosen = {
            "axis": Secret(tuple(sorted(axis)), ("axis",), (1, (6, 0, 2))),
            "soviet": Secret(tuple(sorted(soviet)), ("soviet",), (1, (6, 1, 2))),
        }
        counts = {"axis": len(axis), "soviet": len(soviet)}
        cup = replace(
            self.state.cup,
            chosen=chosen,
            counts=counts,
            kept=Secret(kept, ("axis",), (1, (6, 0, 3))),
            drawn=tuple(drawn),
        )
        self.change(cup=cup)

    def happened(self, kind: type[Any]) -> list[Any]:
        """Events of one class in the last record or jump."""
        return [event for event in self.events if type(event) is kind]
