"""A second game of the Operational Combat Series on thirty hexes: what a sister game is built from.

All of the series comes from `engine.games.ocs`; what is its own stands here: a pack with another
Terrain Effects Chart (steppe, forest, swamp, a canal), no Danube and no weather but dry and mud,
and railways of two gauges: in the west the red side's trains run, in the east the blue side's. Each
side has an HQ, armour, infantry, artillery and a fighter. After three turns the side that controls
Lugovo wins.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from warledger.engine.board import hexsets
from warledger.engine.board.hexsets import Hexes
from warledger.engine.games.ocs.ch02_sequence import segments
from warledger.engine.games.ocs.ch04_concepts import fog, staying
from warledger.engine.games.ocs.ch04_concepts.overstacked import Overstacked
from warledger.engine.games.ocs.ch06_movement import movement, movement_step
from warledger.engine.games.ocs.ch08_overrun import overrun
from warledger.engine.games.ocs.ch09_combat import (
    advance,
    captures,
    combat,
    combat_events,
    combat_segment,
    escapes,
    exploit,
    losses,
    result_losses,
    retreat,
)
from warledger.engine.games.ocs.ch10_barrage import barrage, bombardment
from warledger.engine.games.ocs.ch12_supply import attrition, bills, fuel, payment
from warledger.engine.games.ocs.ch13_special_units import control, transport
from warledger.engine.games.ocs.ch14_air import air_combat, flak
from warledger.engine.games.ocs.ch17_weather import weather
from warledger.engine.games.ocs.display import describe, picture
from warledger.engine.games.ocs.display.questions import QUESTIONS
from warledger.engine.games.ocs.series import events, evolve
from warledger.engine.games.ocs.series.assembly import assembled
from warledger.engine.games.ocs.series.charts import Charts, charts
from warledger.engine.games.ocs.series.checks import check
from warledger.engine.games.ocs.series.game import Game
from warledger.engine.games.ocs.series.scenario import turns_of
from warledger.engine.games.ocs.series.setup import first_position
from warledger.engine.games.ocs.series.state import State
from warledger.engine.kernel.position import Position
from warledger.engine.kernel.rulings import in_force
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Outcome, Switch
from warledger.engine.packfiles import read_pack_folder
from warledger.protocol.board.choices import Say
from warledger.protocol.board.description import Description
from warledger.protocol.board.effects import Effect
from warledger.protocol.log.records import Genesis

RED, BLUE = "red", "blue"
TOWN = "3.04"

NEIGHBOUR = Path(__file__).parents[2] / "engine" / "games" / "hungarian_rhapsody" / "pack"


def _unit(side: str, kind: str, **printed: Any) -> dict[str, Any]:
    return {
        "id": f"{side}.{kind}",
        "name": f"{side} {kind}",
        "side": side,
        "nation": side,
        "independent": True,
        **printed,
    }


def _army(side: str) -> list[dict[str, Any]]:
    return [
        _unit(
            side,
            "hq",
            type="hq",
            cls="hq",
            size="corps",
            re=0,
            steps=1,
            at="none",
            sides={"combat": [3, 0, 3, "truck"], "move": [3, 0, 12, "truck"]},
            throw_mob="truck",
            defence=[1, 1],
        ),
        _unit(
            side,
            "armour",
            type="tank",
            cls="armor",
            size="bde",
            re=4,
            steps=1,
            at="heavy",
            sides={"combat": [8, 4, 6, "track"], "move": [3, 4, 12, "track"]},
        ),
        _unit(
            side,
            "infantry",
            type="infantry",
            cls="other",
            size="div",
            re=12,
            steps=3,
            at="none",
            sides={"combat": [9, 3, 3, "leg"], "move": [4, 3, 6, "leg"]},
        ),
        _unit(
            side,
            "guns",
            type="artillery",
            cls="other",
            size="rgt",
            re=4,
            steps=1,
            at="none",
            range=3,
            sides={"combat": [12, 3, 2, "truck"], "move": [6, 3, 10, "truck"]},
        ),
    ]


def _fighter(side: str) -> dict[str, Any]:
    return {
        "id": f"{side}.fighter",
        "name": f"{side} fighter",
        "side": side,
        "nation": side,
        "type": "F",
        "acr": 3,
        "acr_paren": False,
        "barrage": 2,
        "range": 20,
        "steps": 2,
    }


PACK: dict[str, Any] = {
    "map": {
        "title": "Luga on thirty hexes",
        "sides": [RED, BLUE],
        "grid": {
            "orientation": "pointy",
            "shifted": "even",
            "columns": 6,
            "rows": 5,
            "id": "{row}.{col:02}",
        },
        "terrain": {
            "legend": {".": "steppe", "f": "forest", "s": "swamp"},
            "rows": ["..f...", ".f...s", "......", "s...f.", "...f.."],
        },
        "places": {
            "list": [
                {"hex": TOWN, "name": "Lugovo", "kind": "town"},
                {"hex": "3.02", "name": "Zapad", "kind": "halt"},
                {"hex": "3.06", "name": "Vostok", "kind": "halt"},
            ]
        },
        "river": [
            {
                "name": "Luga",
                "class": "canal",
                "hexsides": "1.03-1.04 2.03-1.04 2.03-2.04 2.03-3.04 3.03-3.04 4.03-3.04 4.03-4.04",
            }
        ],
        "rail": [
            {"name": "west", "line": "single", "hexes": "3.01 3.02 3.03 3.04"},
            {"name": "east", "line": "multi", "hexes": "3.04 3.05 3.06"},
        ],
        "road": [{"name": "highway", "hexes": "2.01 2.02 2.03 2.04"}],
        "bridges": {"rule": "road_link", "hexsides": "", "canal": "3.03-3.04"},
        "area": [
            {
                "id": "area.broad",
                "kind": "gauge",
                "name": "broad gauge",
                "hexes": "1.01..03 2.01..03 3.01..03 4.01..03 5.01..03",
            }
        ],
        "source": [
            {"id": "source.red", "side": RED, "hex": "3.01", "name": "west", "from_turn": 1},
            {"id": "source.blue", "side": BLUE, "hex": "3.06", "name": "east", "from_turn": 1},
        ],
        "box": [
            {"id": f"box.dead.{side}", "side": side, "kind": "holding", "name": f"{side} losses"}
            for side in (RED, BLUE)
        ],
    },
    "tables": {
        "terrain": {
            "steppe": {
                "move_leg": 1,
                "move_track": 1,
                "move_truck": 1,
                "row": "open",
                "armor": 2,
                "mech": 2,
                "other": 1,
                "attack_only": True,
            },
            "forest": {
                "move_leg": 1,
                "move_track": 4,
                "move_truck": "all",
                "row": "close",
                "armor": "1/2",
                "mech": 1,
                "other": 1,
            },
            "swamp": {
                "move_leg": "all",
                "move_track": 0,
                "move_truck": 0,
                "row": "very_close",
                "armor": "1/3",
                "mech": "1/2",
                "other": 1,
            },
        },
        "place": {
            "town": {
                "mode": "replaces",
                "move_leg": 1,
                "move_track": 1,
                "move_truck": 1,
                "row": "very_close",
                "armor": "1/2",
                "mech": 1,
                "other": 1,
                "detrainable": True,
            },
            "halt": {"mode": "adds", "detrainable": True},
        },
        "hexside": {
            "canal": {
                "extra_leg": 2,
                "extra_track": "all",
                "extra_truck": "no",
                "armor": "1/2",
                "mech": "1/2",
                "other": "1/2",
            }
        },
        "path": {
            "road": {"move_leg": 1, "move_track": "1/3", "move_truck": "1/3"},
            "rail": {"move_leg": 1, "move_track": 1, "move_truck": 2},
        },
        "movement": {"overrun": 2},
        "engineers": {"bridging": {"canal": "none"}, "construction_radius": 1},
        "stacking": {"re": 24},
        "weather": {"summer": {"ground": ["dry"] * 5 + ["mud"], "flight": ["flight"] * 6}},
        "weather_effect": {
            "dry": {"kind": "ground"},
            "mud": {"kind": "ground", "off_road_add": {"leg": 1}, "off_road_times": {"truck": 2}},
            "flight": {"kind": "flight", "missions": ["movement", "reaction", "exploitation"]},
        },
        # Every game of the series prints the same charts: this one borrows a neighbour's.
        "series": read_pack_folder(NEIGHBOUR)["tables"]["series"],
    },
    "counters": {
        "units": [*_army(RED), *_army(BLUE)],
        "aircraft": [_fighter(RED), _fighter(BLUE)],
    },
    "turns": {
        "turn": [
            {"number": number, "start": day, "weather_table": "summer"}
            for number, day in enumerate(("1941-07-10", "1941-07-14", "1941-07-17"), start=1)
        ]
    },
    "scenario_luga": {
        "scenario": {
            "id": "luga",
            "title": "The bridge at Lugovo",
            "first_turn": 1,
            "last_turn": 3,
            "first_player_turn_1": RED,
            "weather_turn_1": {"ground": "dry", "flight": "flight"},
            "reserve_markers": {RED: 1, BLUE: 1},
        },
        "control": {"legend": {"r": RED, "b": BLUE}, "rows": ["rrrbbb"] * 5},
        "on_map": {
            "3.02": "red.hq red.guns",
            "2.03": "red.armour",
            "3.03": "red.infantry",
            "3.05": "blue.hq blue.guns",
            "3.04": "blue.infantry",
            "2.05": "blue.armour",
        },
        "mode": {"reserve": "blue.armour"},
        "steps_lost": {},
        "hedgehogs": {TOWN: 1},
        "victory": {"side": RED, "all_hexes": TOWN},
        "sp": {"3.02": {"side": RED, "sp": 4}, "3.05": {"side": BLUE, "sp": 3}},
        "air": [
            {"at": "4.01", "side": RED, "level": 1, "active": "", "inactive": ""},
            {"at": "4.06", "side": BLUE, "level": 1, "active": "", "inactive": ""},
        ],
    },
}
PACK["scenario_luga"]["air"][0]["active"] = "red.fighter"
PACK["scenario_luga"]["air"][1]["active"] = "blue.fighter"


class Luga(Game):
    """What this game alters in the series."""

    def railways(self, state: State, side: str) -> Hexes:
        """OCS 13.3 The red side's gauge ends at the canal, where the blue side's begins."""
        board = state.charts.board
        broad = board.areas["area.broad"]
        return broad if side == RED else board.every & ~broad


GAME: Game = Luga()

CHAPTERS = (
    events,
    evolve,
    segments,
    weather,
    fog,
    staying,
    movement,
    movement_step,
    fuel,
    transport,
    overrun,
    combat_events,
    combat_segment,
    combat,
    result_losses,
    losses,
    retreat,
    advance,
    exploit,
    captures,
    escapes,
    barrage,
    bombardment,
    air_combat,
    flak,
    bills,
    payment,
    attrition,
    picture,
)


def _lost(table: Table[State], unit: str) -> None:
    losses.lose(table, unit, why="stacking")


PARTS = assembled(
    CHAPTERS,
    {
        "c2": ("moving",),
        "d": ("attrition",),
        "e1": ("moving",),
        "e2": (bombardment.SEGMENT,),
        "f1": (bombardment.SEGMENT,),
        "f2": ("ocs.attacking",),
        "g1": ("moving",),
        "g2": (bombardment.SEGMENT,),
        "g3": ("ocs.attacking",),
        "h": ("clean_up",),
    },
    stacking="overstacked",
    own_steps={
        "moving": movement_step.Moving(captures.enter, transport.commands()),
        "overstacked": Overstacked(_lost),
    },
)

PICTURE = picture.Picture(PARTS.stories)

SWITCHES = (Switch(fog.OPTION, fog.STRICT, (fog.STRICT, fog.OPEN), "OCS 4.9"),)


@lru_cache(maxsize=4)
def _charts(pack: bytes, named: tuple[tuple[str, Any], ...]) -> Charts:
    return charts(pack, "luga", GAME, dict(named))


class LugaRules:
    """The rules of the toy as the kernel sees them."""

    title = "luga"
    version = "1"
    folders = ("warledger.engine.games.ocs",)
    seats = (RED, BLUE)
    switches = SWITCHES
    sequences = PARTS.sequences
    steps = PARTS.steps
    events = PARTS.events
    questions = QUESTIONS

    def initial(self, genesis: Genesis) -> State:
        """Both armies on their sides of the canal."""
        options = in_force(SWITCHES, genesis.options)
        return fog.laid(first_position(_charts(genesis.pack, tuple(sorted(options.items())))))

    def triggers(self, table: Table[State], event: Any) -> None:
        """OCS 13.3h Whose a hex is; 4.9a which unit of a hex is shown."""
        control.on_event(table, event)
        fog.on_event(table, event)

    def evolve(self, state: State, event: Any) -> State:
        """The position after an event."""
        return PARTS.evolve(state, event)

    def effects(self, before: State, event: Any, after: State) -> Iterable[Effect]:
        """What clients draw and tell of an event."""
        return PICTURE.effects(before, event, after)

    def picture(self, state: State) -> Iterable[Effect]:
        """The whole table."""
        return PICTURE.of(state)

    def turns_most(self, pack: Mapping[str, Any], options: Mapping[str, Any]) -> int:
        """OCS 2.3 IV The turns of the scenario."""
        return turns_of(pack, "luga")

    def describe(self, pack: Mapping[str, Any], options: Mapping[str, Any]) -> Description:
        """What clients draw a game from."""
        return describe.description(pack, "luga", great=("town",))

    def outcome(self, at: Position[State]) -> Outcome | None:
        """Whoever controls Lugovo at the end wins."""
        state = at.state
        if not state.over:
            return None
        town = state.charts.board.hex(state.charts.scenario.doc["victory"]["all_hexes"])
        holder = RED if hexsets.has(state.control[RED], town) else BLUE
        return Outcome(holder, Say("outcome.luga", (("side", holder),)))

    def invariants(self, state: State) -> None:
        """What must hold after every command."""
        check(state)


RULES = LugaRules()
