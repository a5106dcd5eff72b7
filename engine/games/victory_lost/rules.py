"""A Victory Lost as the kernel sees it: the sequence of play as one table, the steps, the switches, and the invariants.

Chapter 9 (attacks, losses, retreat, advance) brings its own steps, events and effects from combat.py.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from engine.games.chitpull.setup import LayOut, SetUp
from engine.games.chitpull.sides import AXIS, SIDES, SOVIET
from engine.games.chitpull.standing import OFF_MAP
from engine.games.victory_lost import combat, command, evolve, headquarters, movement, picture, reinforcements, setup, supply, victory
from engine.games.victory_lost.checks import check
from engine.games.victory_lost.data import Data, game_data
from engine.games.victory_lost.events import EVENTS
from engine.games.victory_lost.state import SET_UP, TO_COME, Counter, Cup, State, field_of
from engine.kernel.flow import EachBy
from engine.kernel.position import Position
from engine.kernel.rulings import in_force
from engine.kernel.table import Table
from engine.kernel.types import Outcome, Step, Switch
from protocol import canon
from protocol.effects import Effect
from protocol.records import Genesis

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
    **combat.COMBAT_SEQUENCES,
}

STEPS: Mapping[str, Step[State]] = {
    "lay_out": LayOut(setup.DEPLOYMENT),
    "set_up_first": SetUp(setup.DEPLOYMENT, 0),
    "set_up_second": SetUp(setup.DEPLOYMENT, 1),
    "secret_five": setup.SecretFive(),
    "play": victory.Play(),
    "turn_start": victory.TurnStart(),
    "show_ahead": command.ShowAhead(),
    "chit_selection": command.ChitSelection(),
    "special_combat": command.SpecialCombat(),
    "name_first": command.NameFirst(),
    "executions": command.Executions(),
    "command_step": command.CommandStep(),
    "movement_step": movement.MovementStep(),
    "stand_down": command.StandDown(),
    "supply_check": supply.SupplyCheck(),
    "supply_resets": supply.SupplyResets(),
    "resets_in_order": EachBy[State]("hq_reset", "victory_lost.hq", "prompt.victory_lost.reset_order"),
    headquarters.RESET: headquarters.HqResetStep(),
    "receive": reinforcements.Receive(),
    "place_axis": reinforcements.Place(AXIS),
    "gain_chits": reinforcements.GainChits(),
    "place_soviet": reinforcements.Place(SOVIET),
    "hq_removal": reinforcements.HqRemoval(),
    "victory_check": victory.VictoryCheck(),
    "turn_advance": victory.TurnAdvance(),
    **combat.COMBAT_STEPS,
}

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
    *combat.COMBAT_SWITCHES,
)

_EVOLVE = {**evolve.EVOLVE, **combat.COMBAT_EVOLVE}
_EFFECTS = {**picture.EFFECTS, **combat.COMBAT_EFFECTS}


@lru_cache(maxsize=8)
def _data(pack: bytes, options: tuple[tuple[str, Any], ...]) -> Data:
    """The pack indexed: a function of its arguments alone, remembered so that games of one pack share their map."""
    return game_data(canon.unpack_trusted(pack), dict(options))


class VictoryLost:
    """The rules of A Victory Lost."""

    title = "victory_lost"
    version = "1"
    seats = SIDES
    switches = SWITCHES
    sequences = SEQUENCES
    steps = STEPS
    events: tuple[type[Any], ...] = (*EVENTS, *combat.COMBAT_EVENTS)

    def initial(self, genesis: Genesis) -> State:
        """Every counter waits: to be set up, or for its turn."""
        data = _data(genesis.pack, tuple(in_force(SWITCHES, genesis.options).items()))
        initial = {name: Counter(OFF_MAP, SET_UP if type_.group else TO_COME) for name, type_ in data.types.items()}
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
        return _EVOLVE[type(event)](state, event)

    def effects(self, before: State, event: Any, after: State) -> Iterable[Effect]:
        """What clients draw and tell of an event."""
        return _EFFECTS[type(event)](before, event, after)

    def picture(self, state: State) -> Iterable[Effect]:
        """The whole table."""
        yield from picture.picture(state)
        yield from combat.picture(state)

    def outcome(self, at: Position[State]) -> Outcome | None:
        """14.0.2 The result, once the game is over."""
        return victory.outcome(at.state)

    def invariants(self, state: State) -> None:
        """What must hold after every event."""
        check(state)


RULES = VictoryLost()
