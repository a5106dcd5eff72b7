"""War at Sea as the kernel runs it: the sequence of play as one table, and the tables of the chapters put together.

The sequence is chapter 5 of the rule book. `RULES` is the title.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from engine.games.war_at_sea import scoring
from engine.games.war_at_sea.combat import COMBAT_SEQUENCES, COMBAT_STEPS
from engine.games.war_at_sea.combat_effects import COMBAT_EFFECTS
from engine.games.war_at_sea.combat_events import COMBAT_EVENTS
from engine.games.war_at_sea.combat_evolve import COMBAT_EVOLVE
from engine.games.war_at_sea.control import DecideControl
from engine.games.war_at_sea.convoys import ConvoyInAtlantic, ConvoysToRussia
from engine.games.war_at_sea.data import ALLIED, AXIS, SEATS, build
from engine.games.war_at_sea.effects import EFFECTS, picture
from engine.games.war_at_sea.events import EVENTS
from engine.games.war_at_sea.evolve import EVOLVE, initial
from engine.games.war_at_sea.hidden import TurnDown, TurnUp
from engine.games.war_at_sea.homing import Return, ReturnWithoutChoice, UBoatsHome
from engine.games.war_at_sea.movement import LiftControl, PutBackFailed, Sail, SpeedRolls
from engine.games.war_at_sea.nations import AmericanRolls, SovietRolls
from engine.games.war_at_sea.placement import PlaceAir, PlaceUBoats
from engine.games.war_at_sea.replenishment import Replenish
from engine.games.war_at_sea.scoring import Score
from engine.games.war_at_sea.setup import Deploy, PutCounters
from engine.games.war_at_sea.state import BOXES, BY_AREA, BY_TYPE, TRACK, Options, State
from engine.games.war_at_sea.turns import Announce, BeginTurn, CloseFrance, ItalianCheck, Reinforce, Turns
from engine.kernel.position import Position
from engine.kernel.table import Table
from engine.kernel.types import Outcome, Step, Switch
from protocol import canon
from protocol.effects import Effect
from protocol.records import Genesis

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
        **COMBAT_SEQUENCES,
    }
)

STEPS: Mapping[str, Step[State]] = MappingProxyType(
    {
        "put_counters": PutCounters(),
        "deploy": Deploy(),
        "turns": Turns(),
        "begin_turn": BeginTurn(),
        "phase_reinforcements": Announce("reinforcements"),
        "italian_check": ItalianCheck(),
        "close_france": CloseFrance(),
        "reinforce": Reinforce(),
        "phase_movement": Announce("movement"),
        "american_rolls": AmericanRolls(),
        "soviet_rolls": SovietRolls(),
        "turn_down": TurnDown(),
        "allied_sail": Sail(ALLIED),
        "allied_speed_rolls": SpeedRolls(ALLIED),
        "allied_put_back": PutBackFailed(ALLIED),
        "axis_sail": Sail(AXIS),
        "axis_speed_rolls": SpeedRolls(AXIS),
        "axis_put_back": PutBackFailed(AXIS),
        "lift_control": LiftControl(),
        "phase_uboats": Announce("uboats"),
        "place_uboats": PlaceUBoats(),
        "phase_airstrike_markers": Announce("airstrike_markers"),
        "allied_air": PlaceAir(ALLIED),
        "axis_air": PlaceAir(AXIS),
        "phase_combat": Announce("combat"),
        "phase_control": Announce("control"),
        "decide_control": DecideControl(),
        "turn_up": TurnUp(),
        "phase_return": Announce("return"),
        "convoys_to_russia": ConvoysToRussia(),
        "convoy_in_atlantic": ConvoyInAtlantic(),
        "replenish": Replenish(),
        "axis_return_without_choice": ReturnWithoutChoice(AXIS),
        "axis_return": Return(AXIS),
        "allied_return_without_choice": ReturnWithoutChoice(ALLIED),
        "allied_return": Return(ALLIED),
        "uboats_home": UBoatsHome(),
        "phase_scoring": Announce("scoring"),
        "score": Score(),
        **COMBAT_STEPS,
    }
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
"""The variants of chapter 18, and the two rulings that published practice answers differently (R1, R19)."""


class WarAtSea:
    """The title."""

    title = "war_at_sea"
    version = "1"
    seats = SEATS
    switches = SWITCHES
    sequences = SEQUENCES
    steps = STEPS
    events = (*EVENTS, *COMBAT_EVENTS)

    _evolve = MappingProxyType({**EVOLVE, **COMBAT_EVOLVE})
    _effects = MappingProxyType({**EFFECTS, **COMBAT_EFFECTS})

    def initial(self, genesis: Genesis) -> State:
        """The empty board with the pack and the options of the genesis."""
        chosen = genesis.options
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
        return initial(build(canon.unpack_trusted(genesis.pack), weaker_bismarck=options.weaker_bismarck), options)

    def triggers(self, table: Table[State], event: Any) -> None:
        """Nothing happens here by itself outside the sequence of play."""

    def evolve(self, state: State, event: Any) -> State:
        """The state after an event."""
        return self._evolve[type(event)](state, event)

    def effects(self, before: State, event: Any, after: State) -> Iterable[Effect]:
        """What clients draw and tell of an event."""
        return self._effects[type(event)](before, event, after)

    def picture(self, state: State) -> Iterable[Effect]:
        """The effects that draw this state on an empty board."""
        return picture(state)

    def outcome(self, at: Position[State]) -> Outcome | None:
        """17.4 The result once the last turn is scored."""
        return scoring.outcome(at)

    def invariants(self, state: State) -> None:
        """2.1, 2.2, 6.4, 7.6, 8.6, 13.1, 17.2 What holds after every event."""
        data = state.data
        for ship in state.ships.values():
            assert ship.damage >= 0, f"{ship.id} has {ship.damage} damage"
            assert ship.place in BOXES or ship.damage <= ship.armor, f"{ship.id} floats with {ship.damage} damage"
            if ship.place in data.areas:
                assert state.may_enter_area(ship, ship.place), f"{ship.id} is in {ship.place}"
            elif ship.place in data.ports:
                assert state.port_is_friendly(data.ports[ship.place], ship.side), f"{ship.id} is in {ship.place}"
            else:
                assert ship.place in BOXES, f"{ship.id} is in {ship.place}"
        for boat, place in state.uboats.items():
            assert place in data.areas or place in (data.uboat_home, TRACK), f"{boat} is in {place}"
        assert state.boats_alive <= len(data.uboat_ids)
        assert data.track_min <= state.score <= data.track_max


RULES = WarAtSea()
