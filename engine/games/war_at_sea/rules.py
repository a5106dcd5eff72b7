"""War at Sea as the kernel sees it: the sequence of play as one table, the switches, the
invariants, and the chapters put together.

The sequence is chapter 5 of the rule book. A chapter's module holds its events, the state
after each (`after`), what clients see of each (`draws`), and its steps (`STEPS`). Tags and
fields of events never change once released. `RULES` is the title.
"""

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType, ModuleType
from typing import Any

from warledger.engine.games.war_at_sea import (
    airstrikes,
    antisubmarine,
    combat,
    control,
    convoys,
    corrections,
    escape,
    hidden,
    homing,
    movement,
    nations,
    picture,
    placement,
    pursuit,
    replenishment,
    setup,
    speed,
    surface,
    turns,
    victory,
    volley,
)
from warledger.engine.games.war_at_sea.data import SEATS, build
from warledger.engine.games.war_at_sea.describe import description
from warledger.engine.games.war_at_sea.state import (
    BOXES,
    BY_AREA,
    BY_TYPE,
    TRACK,
    Options,
    State,
)
from warledger.engine.kernel.dispatch import joined
from warledger.engine.kernel.position import Position
from warledger.engine.kernel.rulings import in_force
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Margin, Seat, Step, Switch
from warledger.protocol import canon
from warledger.protocol.board.effects import Effect
from warledger.protocol.log.records import Genesis

SEQUENCES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "game": ("put_counters", "deploy", "turns"),
        "turn": (
            "begin_turn",
            "reinforcements",  # 5.1
            "movement",  # 5.2
            "uboats",  # 5.3
            "airstrike_markers",  # 5.4
            "phase_combat",
            "combat",  # 5.5
            "control",  # 5.6
            "return",  # 5.7
            "scoring",  # 5.8
        ),
        "reinforcements": ("phase_reinforcements", "italian_check", "close_france", "reinforce"),
        "movement": (
            "phase_movement",
            "american_rolls",
            "soviet_rolls",
            "turn_down",
            "allied_sail",
            "allied_speed_rolls",
            "allied_put_back",
            "axis_sail",
            "axis_speed_rolls",
            "axis_put_back",
            "lift_control",
        ),
        "uboats": ("phase_uboats", "place_uboats"),
        "airstrike_markers": ("phase_airstrike_markers", "allied_air", "axis_air"),
        "control": ("phase_control", "decide_control", "turn_up"),
        "return": (
            "phase_return",
            "convoys_to_russia",
            "convoy_in_atlantic",
            "replenish",
            "axis_return_without_choice",
            "axis_return",
            "allied_return_without_choice",
            "allied_return",
            "uboats_home",
        ),
        "scoring": ("phase_scoring", "score"),
        "combat": ("combat_order", "return_markers"),
        "combat_by_kind": ("asw_everywhere", "air_everywhere", "surface_everywhere"),
        "combat_by_area": ("combat_everywhere",),
        "area_combat": ("asw_at", "air_at", "surface_at"),
        "asw_at": (
            "open_asw",
            "asw_attack",
            "uboat_fire",
            "apply_tolls",
            "choose_port",
            "close_combat",
        ),
        "air_at": (
            "open_air",
            "allied_airstrike",
            "axis_airstrike",
            "apply_tolls",
            "choose_port",
            "return_markers",
            "close_combat",
        ),
        "surface_at": ("open_surface", "surface_rounds", "pursuits", "close_combat"),
        "surface_round": (
            "begin_round",
            "declare_carriers",
            "allied_fire",
            "axis_fire",
            "apply_tolls",
            "choose_port",
            "end_round",
            "write_escape",
            "form_groups",
            "assign_pursuers",
            "end_dead_fight",
        ),
        "pursuit": ("pursuit_rounds", "close_pursuit"),
        "pursuit_round": (
            "begin_round",
            "declare_carriers",
            "allied_fire",
            "axis_fire",
            "apply_tolls",
            "choose_port",
            "end_round",
            "forced_break_off",
            "break_off",
            "end_dead_fight",
        ),
    }
)

CHAPTERS: tuple[ModuleType, ...] = (
    setup,
    turns,
    nations,
    hidden,
    movement,
    speed,
    placement,
    combat,
    volley,
    antisubmarine,
    airstrikes,
    surface,
    escape,
    pursuit,
    control,
    convoys,
    replenishment,
    homing,
    victory,
    corrections,
)
"""In the order of the rule book; what arbiters may correct comes last."""

STEPS: Mapping[str, Step[State]] = joined(CHAPTERS, "STEPS")
_AFTER: Mapping[type[Any], Callable[[State, Any], State]] = joined(CHAPTERS, "after")
_DRAWS: Mapping[type[Any], Callable[[State, Any, State], Iterable[Effect]]] = joined(
    CHAPTERS, "draws"
)

YES_NO = (False, True)

SWITCHES = (
    Switch("v18_1_weaker_bismarck_class", False, YES_NO, "18.1"),
    Switch("v18_2_hidden_allied_movement", False, YES_NO, "18.2"),
    Switch("v18_3_uboat_backlog", False, YES_NO, "18.3"),
    Switch("v18_4_escaped_may_replenish", False, YES_NO, "18.4"),
    Switch("v18_5_usa_closed_before_t4", False, YES_NO, "18.5"),
    Switch("v18_6_internment", False, YES_NO, "18.6"),
    Switch("opt_combat_order", BY_TYPE, (BY_TYPE, BY_AREA), "7.1"),
    Switch("opt_airstrike_failed_movers", False, YES_NO, "9.5"),
)
"""The variants of chapter 18, and the two rulings that published practice answers differently (R1,
R19)."""


class WarAtSea:
    """The title."""

    title = "war_at_sea"
    version = "1"
    folders = ("warledger.engine.games.war_at_sea",)
    seats = SEATS
    switches = SWITCHES
    sequences = SEQUENCES
    steps = STEPS
    events: tuple[type[Any], ...] = tuple(_AFTER)
    corrections: Step[State] = corrections.CORRECTIONS

    def initial(self, genesis: Genesis) -> State:
        """The empty board with the pack and the options of the genesis."""
        chosen = in_force(SWITCHES, genesis.options)
        options = Options(
            weaker_bismarck=chosen["v18_1_weaker_bismarck_class"],
            hidden_movement=chosen["v18_2_hidden_allied_movement"],
            uboat_backlog=chosen["v18_3_uboat_backlog"],
            escaped_may_replenish=chosen["v18_4_escaped_may_replenish"],
            usa_closed=chosen["v18_5_usa_closed_before_t4"],
            internment=chosen["v18_6_internment"],
            combat_order=chosen["opt_combat_order"],
            air_hits_failed_movers=chosen["opt_airstrike_failed_movers"],
        )
        return State(
            data=build(canon.unpack_trusted(genesis.pack), weaker_bismarck=options.weaker_bismarck),
            options=options,
            turn=0,
            phase="",
            ships={},
            uboats={},
        )

    def triggers(self, table: Table[State], event: Any) -> None:
        """Nothing happens here by itself outside the sequence of play."""

    def evolve(self, state: State, event: Any) -> State:
        """The state after an event."""
        return _AFTER[type(event)](state, event)

    def effects(self, before: State, event: Any, after: State) -> Iterable[Effect]:
        """What clients draw and tell of an event."""
        return _DRAWS[type(event)](before, event, after)

    picture = staticmethod(picture.picture)

    def turns_most(self, pack: Mapping[str, Any], options: Mapping[str, Any]) -> int:
        """5.8 One for each turn of the game."""
        return int(pack["data"]["meta"]["turns"])

    describe = staticmethod(description)
    outcome = staticmethod(victory.outcome)  # 17.4 The result once the last turn is scored.

    def score(self, at: Position[State]) -> Mapping[Seat, int]:
        """17.2 The lead on the track, in halves of a point of control."""
        return victory.points(at.state)

    def margin(self, at: Position[State]) -> Margin:
        """17.4 Whoever leads on the track would win; a point of control is two halves."""
        return Margin(victory.leader(at.state), "poc", points=2)

    def invariants(self, state: State) -> None:
        """2.1, 2.2, 6.4, 7.6, 8.6, 13.1, 17.2 What holds after every event."""
        data = state.data
        for ship in state.ships.values():
            assert ship.damage >= 0, f"{ship.id} has {ship.damage} damage"
            assert ship.place in BOXES or ship.damage <= ship.armor, (
                f"{ship.id} floats with {ship.damage} damage"
            )
            if ship.place in data.areas:
                assert state.may_enter_area(ship, ship.place), f"{ship.id} is in {ship.place}"
            elif ship.place in data.ports:
                assert state.port_is_friendly(data.ports[ship.place], ship.side), (
                    f"{ship.id} is in {ship.place}"
                )
            else:
                assert ship.place in BOXES, f"{ship.id} is in {ship.place}"
        for boat, place in state.uboats.items():
            assert place in data.areas or place in (data.uboat_home, TRACK), f"{boat} is in {place}"
        assert state.boats_alive <= len(data.uboat_ids)
        assert data.track_min <= state.score <= data.track_max


RULES = WarAtSea()
