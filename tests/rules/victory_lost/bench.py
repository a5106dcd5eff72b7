"""Boards and positions for the rule tests: board T (20 x 20 clear hexes) with what a test adds to
it, or the pack's own map."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Unpack

from tests.rules.chit_bench import ChitRig, Ground, spots, with_board
from warledger.engine.games.chitpull.states import OFF_MAP
from warledger.engine.games.victory_lost.command import Activated
from warledger.engine.games.victory_lost.field import field_of
from warledger.engine.games.victory_lost.rules import RULES
from warledger.engine.games.victory_lost.state import Counter, State, changed
from warledger.engine.packfiles import read_pack
from warledger.protocol.chance.seal import Secret

RIFLE = "su.rifle.1"
CAVALRY = "su.cav.3g"

FIVE = ("chit.su.1gda", "chit.su.2gda", "chit.su.3gda", "chit.su.5tka", "chit.su.popov")


@cache
def real_pack() -> Mapping[str, Any]:
    """The title's own pack."""
    return read_pack("victory_lost")


def board_t(
    *, pocket: str = "2020", boxes: Mapping[str, str] | None = None, **ground: Unpack[Ground]
) -> dict[str, Any]:
    """The pack with board T in place of its map. `pocket`: the hexes out of play until turn 4;
    `boxes`: off-map box -> entry hexes."""
    pack = real_pack()
    areas = [
        {
            "id": entry["area"],
            "kind": "setup",
            "name": entry["id"],
            "hexes": "0101",
            "hq_hexes": "0102",
        }
        for entry in pack["setup"]["group"]
    ]
    areas.append(
        {"id": "area.pocket", "kind": "closed", "name": "pocket", "until_turn": 4, "hexes": pocket}
    )
    entry = {"box.1pza": "0320 0420", "box.28a": "1720 1820", **(boxes or {})}
    sides = {True: "axis", False: "soviet"}
    made = [
        {"id": name, "side": sides["pza" in name], "name": name, "entry": hexes}
        for name, hexes in entry.items()
    ]
    return with_board(pack, areas, made, **ground)


def city(hex_id: str, *, kind: str = "strategic", owner: str = "axis") -> dict[str, Any]:
    """A strategic city, or a town."""
    return {"hex": hex_id, "name": f"city {hex_id}", "kind": kind, "owner": owner}


class Bench(ChitRig[State]):
    """A rig that stands counters on the board by hand."""

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
        supply: Mapping[str, int] | None = None,
        boxes: Mapping[str, str] | None = None,
    ) -> None:
        """Only these counters are on the map, on this turn; the Soviet five are the historical
        ones."""
        data = self.state.data
        counters = {}
        for name in data.types:
            if name in places:
                counters[name] = Counter(
                    data.hex(places[name]), "", name in reduced, (supply or {}).get(name, 0)
                )
            else:
                counters[name] = Counter(OFF_MAP, (boxes or {}).get(name, "to_come"))
        on_map = {name: counter.at for name, counter in counters.items() if counter.at != OFF_MAP}
        five = Secret(FIVE, ("soviet",), (1, (6, 0, 1)))
        cup = type(self.state.cup)(five=five, stock=self.state.cup.stock)
        self.state = changed(
            self.state,
            counters=counters,
            field=field_of(data, turn, on_map),
            turn=turn,
            cup=cup,
            activation=None,
            result=None,
        )

    def hexes(self, *names: str) -> tuple[str, ...]:
        """Where counters are: printed ids, or the box."""
        return spots(self.state.data, (self.state.counters[name] for name in names))

    def activate(
        self, side: str, *counters: str, box: str = "", chit: str = "chit.su.stavka"
    ) -> None:
        """Counters are activated and the Movement Step begins."""
        types = self.state.data.types
        hqs = tuple(sorted(name for name in counters if types[name].hq))
        units = tuple(sorted(name for name in counters if not types[name].hq))
        self.run(lambda table: table.emit(Activated(side, chit, hqs, units, box)))
        # What follows the activation here is a question to the Axis, so that nothing else happens
        # after it.
        self.jump("set_up_first", "activation", "movement_step")


NORTH, NORTH_EAST, SOUTH_EAST, SOUTH, SOUTH_WEST, NORTH_WEST = (
    "1009",
    "1110",
    "1111",
    "1011",
    "0911",
    "0910",
)
