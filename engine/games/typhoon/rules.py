"""Typhoon as the kernel sees it: the sequence of play as one table, the steps, the switches, and the invariants.

2.0-1 map, 2.0-2 counters and 2.0-3 rules come as the pack and this folder; 2.1(1) what the map shows is its `map.toml`.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from engine.games.chitpull.advance import Advance
from engine.games.chitpull.attacks import Attacks, BattleEnds
from engine.games.chitpull.losses import Losses
from engine.games.chitpull.setup import LayOut, SetUp
from engine.games.chitpull.sides import AXIS, SIDES, SOVIET
from engine.games.chitpull.standing import OFF_MAP
from engine.games.typhoon import activation, advance, combat, command, movement, picture, reinforcements, retreat, setup, supply, victory
from engine.games.typhoon.checks import check
from engine.games.typhoon.data import game_data
from engine.games.typhoon.events import EVENTS, BattleOver
from engine.games.typhoon.evolve import EVOLVE
from engine.games.typhoon.state import SET_UP, State, Unit, field_of
from engine.kernel.position import Position
from engine.kernel.rulings import in_force
from engine.kernel.table import Table
from engine.kernel.types import Outcome, Step, Switch
from protocol.effects import Effect
from protocol.records import Genesis

SEQUENCES: Mapping[str, tuple[str, ...]] = {
    # 4.0
    "game": ("lay_out", "set_up_first", "set_up_second", "play"),
    # 5.0
    "turn": ("turn_start", "command_selection", "executions", "end_of_turn"),
    # 5.0(2), 7.1; 7.3 the interrupt stands between the draw and its execution
    "execution": ("draw_chit", "interrupt", "carry_out", "lay_aside"),
    "guderian_execution": ("carry_out", "lay_aside"),
    # 5.0(3), 5.0(4)
    "hq_command": ("activation", "movement_segment", "combat_segment"),
    "direct_command": ("direct_roll", "name_units", "movement_segment", "combat_segment"),
    # 10.2
    "combat_segment": ("declaration", "resolution"),
    "battle": ("losses", "give_way", "retreat", "advance", "battle_ends"),
    # 11.0
    "supply": ("supply_losses", "evacuation_axis", "evacuation_soviet"),
    # 12.0
    "reinforcements": ("open_intake", "take_in"),
}

STEPS: Mapping[str, Step[State]] = {
    "lay_out": LayOut(setup.DEPLOYMENT),
    "set_up_first": SetUp(setup.DEPLOYMENT, 0),
    "set_up_second": SetUp(setup.DEPLOYMENT, 1),
    "play": victory.Play(),
    "turn_start": command.TurnStart(),
    "command_selection": command.CommandSelection(),
    "executions": command.Executions(),
    "draw_chit": command.DrawChit(),
    "interrupt": command.Interrupt(),
    "last_chance": command.LastChance(),
    "carry_out": command.CarryOut(),
    "lay_aside": command.LayAside(),
    "activation": activation.Activation(),
    "direct_roll": activation.DirectRoll(),
    "name_units": activation.NameUnits(),
    "movement_segment": movement.MovementSegment(),
    "declaration": Attacks(combat.DECLARATION),
    "resolution": combat.Resolution(),
    "losses": Losses(combat.LOSING),
    "give_way": combat.GiveWay(),
    "retreat": retreat.Retreat(),
    "advance": Advance(advance.ADVANCING),
    "battle_ends": BattleEnds(BattleOver),  # 10.2(1)
    "supply_losses": supply.SupplyLosses(),
    "evacuation_axis": supply.Evacuation(AXIS),
    "evacuation_soviet": supply.Evacuation(SOVIET),
    "open_intake": reinforcements.OpenIntake(),
    "take_in": reinforcements.TakeIn(),
    "end_of_turn": victory.EndOfTurn(),
}

SWITCHES = (
    Switch("set_up", "free", ("free", "preset"), "4.0(2)"),
    # 15.0, R-46 optional rules, all off unless the players agree
    Switch("reserve_okh", False, (False, True), "15.1"),
    Switch("guards", False, (False, True), "15.2"),
    Switch("chits_barred", False, (False, True), "15.3"),
    Switch("off_map_line", False, (False, True), "15.4"),
    Switch("guderian_dismissed", False, (False, True), "15.5"),
    # rulings that rest on reconstruction or common sense
    Switch("set_up_first", SOVIET, SIDES, "4.0(2)"),
    Switch("halving", "per_hex_sum", ("per_hex_sum", "per_unit", "total"), "10.3(1)1"),
    Switch("big_city_shift", 2, (0, 1, 2, 3), "TEC"),
    Switch("allow_sub_1_1_with_positive_shift", False, (False, True), "10.3(4)"),
    Switch("friendly_unit_negates_retreat_ezoc", False, (False, True), "10.6(4)"),
    Switch("evacuated_units_count_against_reinf", False, (False, True), "11.2"),
    Switch("axis_infantry_returns", False, (False, True), "12.3(2)"),
    Switch("soviet_cavalry_returns", True, (True, False), "12.3(1)"),
    Switch("reserve_out_of_range_may_attack", True, (True, False), "15.1(2)"),
    # how 10.6(6) and 3.4(2) were read before they were read again in the original
    Switch("retreat_hex_by_hex", False, (False, True), "10.6(6)", before=True),
    Switch("retreat_off_the_line", False, (False, True), "10.6(6)", before=True),
    Switch("fallen_takes_city", False, (False, True), "3.4(2)", before=True),
)


class Typhoon:
    """The rules of Typhoon."""

    title = "typhoon"
    version = "1"
    seats = SIDES
    switches = SWITCHES
    sequences = SEQUENCES
    steps = STEPS
    events: tuple[type[Any], ...] = EVENTS

    def initial(self, genesis: Genesis) -> State:
        """Every unit waits to be set up, or in its box."""
        data = game_data(genesis.pack, in_force(SWITCHES, genesis.options))
        units = {name: Unit(OFF_MAP, data.boxes.get(name, SET_UP)) for name in data.types}
        return State(data=data, field=field_of(data, {}), units=units, control=dict(data.places))

    def triggers(self, table: Table[State], event: Any) -> None:
        """Control of cities follows units (3.4), and the latch follows control (14.4(2))."""
        victory.on_event(table, event)

    def evolve(self, state: State, event: Any) -> State:
        """The state after an event."""
        return EVOLVE[type(event)](state, event)

    def effects(self, before: State, event: Any, after: State) -> Iterable[Effect]:
        """What clients draw and tell of an event."""
        return picture.EFFECTS[type(event)](before, event, after)

    def picture(self, state: State) -> Iterable[Effect]:
        """The whole table."""
        return picture.picture(state)

    def outcome(self, at: Position[State]) -> Outcome | None:
        """14.4 The result, once the game is over."""
        return victory.outcome(at.state)

    def invariants(self, state: State) -> None:
        """What must hold after every command."""
        check(state)


RULES = Typhoon()
