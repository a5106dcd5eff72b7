"""Typhoon as the kernel sees it: the sequence of play as one table, the switches, the invariants,
and the chapters put together.

A chapter's module holds its events, the state after each (`after`), what clients see of each
(`draws`), and its steps (`STEPS`). Tags and fields of events never
change once released. Map and counters come as the pack.
"""

from collections.abc import Callable, Iterable, Mapping
from types import ModuleType
from typing import Any

from warledger.engine.games.chitpull.sides import AXIS, SIDES, SOVIET
from warledger.engine.games.chitpull.states import OFF_MAP
from warledger.engine.games.typhoon import (
    activation,
    advance,
    combat,
    command,
    corrections,
    losses,
    movement,
    picture,
    reinforcements,
    retreat,
    setup,
    supply,
    victory,
)
from warledger.engine.games.typhoon.checks import check
from warledger.engine.games.typhoon.data import game_data
from warledger.engine.games.typhoon.describe import description
from warledger.engine.games.typhoon.field import field_of
from warledger.engine.games.typhoon.state import SET_UP, State, Unit
from warledger.engine.kernel.dispatch import joined
from warledger.engine.kernel.position import Position
from warledger.engine.kernel.rulings import in_force
from warledger.engine.kernel.types import Margin, Outcome, Seat, Step, Switch
from warledger.protocol.board.effects import Effect
from warledger.protocol.log.records import Genesis

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

CHAPTERS: tuple[ModuleType, ...] = (
    setup,
    command,
    activation,
    movement,
    combat,
    losses,
    retreat,
    advance,
    supply,
    reinforcements,
    victory,
    corrections,
)
"""In the order of the rule book."""

STEPS: Mapping[str, Step[State]] = joined(CHAPTERS, "STEPS")
_AFTER: Mapping[type[Any], Callable[[State, Any], State]] = joined(CHAPTERS, "after")
_DRAWS: Mapping[type[Any], Callable[[State, Any, State], Iterable[Effect]]] = joined(
    CHAPTERS, "draws"
)

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
)


class Typhoon:
    """The rules of Typhoon."""

    title = "typhoon"
    version = "1"
    folders = ("warledger.engine.games.typhoon", "warledger.engine.games.chitpull")
    # 1.0 the game is for two; 4.0(1) who plays which side
    seats = SIDES
    switches = SWITCHES
    sequences = SEQUENCES
    steps = STEPS
    events: tuple[type[Any], ...] = tuple(_AFTER)
    corrections: Step[State] = corrections.CORRECTIONS

    def initial(self, genesis: Genesis) -> State:
        """Every unit waits to be set up, or in its box."""
        data = game_data(genesis.pack, in_force(SWITCHES, genesis.options))
        units = {name: Unit(OFF_MAP, data.boxes.get(name, SET_UP)) for name in data.types}
        return State(data=data, field=field_of(data, {}), units=units, control=dict(data.places))

    triggers = staticmethod(victory.on_event)  # 3.4, 14.4(2)

    def evolve(self, state: State, event: Any) -> State:
        """The state after an event."""
        return _AFTER[type(event)](state, event)

    def effects(self, before: State, event: Any, after: State) -> Iterable[Effect]:
        """What clients draw and tell of an event."""
        return _DRAWS[type(event)](before, event, after)

    picture = staticmethod(picture.picture)

    def turns_most(self, pack: Mapping[str, Any], options: Mapping[str, Any]) -> int:
        """5.0(5) One for each box of the turn track."""
        return len(pack["turns"]["turn"])

    describe = staticmethod(description)

    def outcome(self, at: Position[State]) -> Outcome | None:
        """14.4 The result, once the game is over."""
        return victory.outcome(at.state)

    def score(self, at: Position[State]) -> Mapping[Seat, int]:
        """14.4 Big-city hexes: those that the Axis holds, and the others."""
        return victory.points(at.state)

    def margin(self, at: Position[State]) -> Margin:
        """14.4(2), 14.4(3) Who would win if this were the end of the last turn."""
        return Margin(AXIS if victory.holds_late(at.state) else SOVIET, "big_city")

    invariants = staticmethod(check)


RULES = Typhoon()
