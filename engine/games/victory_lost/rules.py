"""A Victory Lost as the kernel sees it: the sequence of play as one table, the switches, the
invariants, and the chapters put together.

A chapter's module holds its events, the state after each (`after`), what clients see of each
(`draws`), and its steps (`STEPS`). Tags and fields of events never
change once released.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from types import ModuleType
from typing import Any

from warledger.engine.games.chitpull.sides import AXIS, SIDES, SOVIET
from warledger.engine.games.chitpull.states import OFF_MAP
from warledger.engine.games.victory_lost import (
    advance,
    combat,
    command,
    corrections,
    execution,
    headquarters,
    losses,
    movement,
    picture,
    reinforcements,
    retreat,
    setup,
    supply,
    victory,
)
from warledger.engine.games.victory_lost.checks import check
from warledger.engine.games.victory_lost.data import Data, game_data
from warledger.engine.games.victory_lost.describe import description
from warledger.engine.games.victory_lost.field import field_of
from warledger.engine.games.victory_lost.state import SET_UP, TO_COME, Counter, Cup, State
from warledger.engine.kernel.dispatch import joined
from warledger.engine.kernel.position import Position
from warledger.engine.kernel.rulings import in_force
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Margin, Outcome, Seat, Step, Switch
from warledger.protocol import canon
from warledger.protocol.board.effects import Effect
from warledger.protocol.log.records import Genesis

SEQUENCES: Mapping[str, tuple[str, ...]] = {
    "game": ("lay_out", "set_up_first", "set_up_second", "secret_five", "play"),
    # 4.0 each turn
    "turn": ("turn_start", "command_phase", "supply_phase", "end_phase"),
    # 4.1
    "command_phase": ("show_ahead", "chit_selection", "special_combat", "name_first", "executions"),
    "special_activation": ("combat_step", "stand_down"),
    "execution": ("command_step", "activation", "stand_down"),
    "activation": ("movement_step", "combat_step"),
    # 4.2
    "supply_phase": ("supply_check", "supply_resets"),
    # 4.3
    "end_phase": ("reinforcement_segment", "victory_check", "turn_advance"),
    "reinforcement_segment": ("receive", "place_axis", "gain_chits", "place_soviet", "hq_removal"),
    # 9.4.2, 9.5, 9.6
    "battle": ("losses", "retreat", "advance", "battle_ends"),
}

CHAPTERS: tuple[ModuleType, ...] = (
    setup,
    command,
    execution,
    movement,
    headquarters,
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
    # options
    Switch("set_up", "free", ("free", "historical"), "3.0"),
    Switch("soviet_five", "secret", ("secret", "historical"), "3.0"),
    # 15.0 balance variants: 15.0.1 for the Soviets
    Switch("panzer_points", 0, (0, 5), "15.0.1"),
    Switch("command_march", False, (False, True), "15.0.1"),
    Switch("late_1pza", False, (False, True), "15.0.1"),
    # 15.0.2 for the Axis
    Switch("manstein_at_once", False, (False, True), "15.0.2"),
    Switch("chits_ahead", False, (False, True), "15.0.2"),
    Switch("first_chit", "off", ("off", "known", "any"), "15.0.2"),
    # rulings that rest on common sense alone
    Switch("set_up_first", AXIS, SIDES, "3.0"),
    Switch("reset_distance", "straight", ("straight", "over_land"), "12.7"),
    Switch("reset_retry", True, (True, False), "12.7"),
    Switch("reset_first", AXIS, SIDES, "10.3"),
    Switch("entry_zone_cost", True, (True, False), "11.2.2"),
    Switch("hq_takes_city", False, (False, True), "14.0.1"),
    Switch("automatic_lead", 30, (30, 31), "14.0.2"),
    Switch("tie", "draw", ("draw", AXIS, SOVIET), "14.0.2"),
    Switch("retreat_distance", False, (False, True), "9.5.2"),
    Switch("cavalry_advance", False, (False, True), "9.6.1"),
    Switch("attack_of_nothing", False, (False, True), "9.3.5"),
)


@lru_cache(maxsize=8)
def _data(pack: bytes, options: tuple[tuple[str, Any], ...]) -> Data:
    """The pack indexed: a function of its arguments alone, remembered so that games of one pack
    share their map."""
    return game_data(canon.unpack_trusted(pack), dict(options))


class VictoryLost:
    """The rules of A Victory Lost."""

    title = "victory_lost"
    version = "1"
    folders = ("warledger.engine.games.victory_lost", "warledger.engine.games.chitpull")
    # 1.0 two players
    seats = SIDES
    switches = SWITCHES
    sequences = SEQUENCES
    steps = STEPS
    events: tuple[type[Any], ...] = tuple(_AFTER)
    corrections: Step[State] = corrections.CORRECTIONS

    def initial(self, genesis: Genesis) -> State:
        """Every counter waits: to be set up, or for its turn."""
        data = _data(genesis.pack, tuple(in_force(SWITCHES, genesis.options).items()))
        initial = {
            name: Counter(OFF_MAP, SET_UP if type_.group else TO_COME)
            for name, type_ in data.types.items()
        }
        return State(
            data=data,
            field=field_of(data, 1, {}),
            counters=initial,
            score=dict(sorted(data.start_score.items())),
            control=dict(data.cities),
            cup=Cup(stock=data.chits_at_start),
        )

    def triggers(self, table: Table[State], event: Any) -> None:
        """Control of cities follows units (14.0.1)."""
        victory.on_event(table, event)
        combat.on_event(table, event)

    def evolve(self, state: State, event: Any) -> State:
        """The state after an event."""
        return _AFTER[type(event)](state, event)

    def effects(self, before: State, event: Any, after: State) -> Iterable[Effect]:
        """What clients draw and tell of an event."""
        return _DRAWS[type(event)](before, event, after)

    picture = staticmethod(picture.picture)

    def turns_most(self, pack: Mapping[str, Any], options: Mapping[str, Any]) -> int:
        """4.3 One for each box of the turn track."""
        return len(pack["turns"]["turn"])

    describe = staticmethod(description)

    def outcome(self, at: Position[State]) -> Outcome | None:
        """14.0.2 The result, once the game is over."""
        return victory.outcome(at.state)

    def score(self, at: Position[State]) -> Mapping[Seat, int]:
        """14.0.1 The victory points of each side."""
        return at.state.score

    def margin(self, at: Position[State]) -> Margin:
        """14.0.2, R-43 The higher score would win, with equal ones whom the option names."""
        return Margin(victory.leader(at.state) or None, "victory_point")

    invariants = staticmethod(check)


RULES = VictoryLost()
