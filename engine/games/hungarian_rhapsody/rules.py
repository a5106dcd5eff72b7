"""Hungarian Rhapsody as the kernel sees it: its chapters put together, its switches, its first
position. Which chapters there are and what fills the segments of a turn is in `chapters`.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from warledger.engine.games.hungarian_rhapsody import (
    ammunition,
    battle_group,
    chapters,
    evacuation,
    fighting,
    lines,
    speech,
    victory,
)
from warledger.engine.games.hungarian_rhapsody.describe import description
from warledger.engine.games.hungarian_rhapsody.game import AXIS, GAME, SOVIET
from warledger.engine.games.hungarian_rhapsody.supply import JANSEN
from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.ch04_concepts.overstacked import BREAKOUT_STACKING
from warledger.engine.games.ocs.ch04_concepts.stacking import STRAT_LIMIT
from warledger.engine.games.ocs.ch06_movement.movement import STRAT_DRAWS
from warledger.engine.games.ocs.ch09_combat.attacks import EMPTIES
from warledger.engine.games.ocs.ch10_barrage.barrage import LOWER_COLUMN, REACTIVE
from warledger.engine.games.ocs.ch12_supply.bill import INDEPENDENTS
from warledger.engine.games.ocs.ch14_air.air_drops import ROUGH_DROPS
from warledger.engine.games.ocs.ch14_air.aircraft import LONG_RANGE, REBASING
from warledger.engine.games.ocs.ch16_hedgehogs.earthworks import BY_ENGINEERS
from warledger.engine.games.ocs.ch21_options.air_relay import OPTION as INTERMEDIATE_BASES
from warledger.engine.games.ocs.ch21_options.recon import OPTION as RECON
from warledger.engine.games.ocs.display.picture import Picture
from warledger.engine.games.ocs.display.questions import QUESTIONS
from warledger.engine.games.ocs.series.assembly import assembled
from warledger.engine.games.ocs.series.charts import Charts, charts
from warledger.engine.games.ocs.series.checks import check
from warledger.engine.games.ocs.series.corrections import CORRECTIONS
from warledger.engine.games.ocs.series.scenario import turns_of
from warledger.engine.games.ocs.series.setup import first_position
from warledger.engine.games.ocs.series.state import State, drafted, fair
from warledger.engine.kernel.position import Position
from warledger.engine.kernel.rulings import in_force
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Margin, Outcome, Step, Switch
from warledger.protocol.log.records import Genesis

SCENARIO = "scenario"

SCENARIOS = (
    "sudwind",
    "debrecen",
    "konrad1",
    "konrad2",
    "konrad12",
    "konrad3",
    "siege",
    "campaign",
)
"""HR 1.7 In the order in which they are offered: a short one first, the campaign last."""

PRESET, PLAIN, RECOMMENDED = "preset", "plain", "recommended"
"""HR 4.0a, R-39 Options that go together: none, or those that the rules recommend."""

RECOMMENDS = (LONG_RANGE, REBASING, JANSEN, LOWER_COLUMN, "mountain_units")
"""HR 4.0a, 4.0f-h What is in force in a recommended game, whatever else is chosen. OCS 13.7b is
part of strict fog."""


def chosen(options: Mapping[str, Any]) -> dict[str, Any]:
    """HR 4.0a The options in force, those of the preset among them."""
    if options[PRESET] != RECOMMENDED:
        return dict(options)
    return {**options, **dict.fromkeys(RECOMMENDS, True)}


def _option(name: str, rule: str) -> Switch:
    """OCS 21, HR 4.0 An option of the rules that is off unless the players agree."""
    return Switch(name, False, (False, True), rule)


SWITCHES = (
    Switch(SCENARIO, "sudwind", SCENARIOS, "HR 1.7"),
    Switch(fog.OPTION, fog.STRICT, (fog.STRICT, fog.OPEN), "OCS 4.9"),
    Switch(BREAKOUT_STACKING, False, (False, True), "OCS 4.8a", before=True),
    # OCS 21, HR 4.0a
    Switch(PRESET, PLAIN, (PLAIN, RECOMMENDED), "HR 4.0a"),
    _option(RECON, "OCS 21.1"),
    _option(INDEPENDENTS, "OCS 21.3"),
    Switch("proportional_losses", False, (False, True), "OCS 21.2"),
    Switch(LONG_RANGE, False, (False, True), "OCS 21.4"),
    Switch(REBASING, False, (False, True), "OCS 21.5"),
    _option(EMPTIES, "OCS 21.8"),
    _option(REACTIVE, "OCS 21.9"),
    _option(BY_ENGINEERS, "OCS 21.11a"),
    _option(INTERMEDIATE_BASES, "OCS 21.12a"),
    _option(STRAT_LIMIT, "OCS 21.12c"),
    _option(STRAT_DRAWS, "OCS 21.12d"),
    _option(ROUGH_DROPS, "OCS 21.12e"),
    Switch(
        ammunition.OPTION,
        ammunition.COMBAT_PHASE,
        (ammunition.COMBAT_PHASE, ammunition.ANY_SEGMENT),
        "HR 3.1g",
    ),
    Switch(lines.ATTACK_ANYWHERE, False, (False, True), "HR 1.2a"),
    Switch(
        evacuation.OPTION,
        evacuation.EITHER,
        (evacuation.EITHER, evacuation.BOTH),
        "HR 1.2b",
    ),
    # HR 4.0
    Switch(speech.OPTION, speech.OFF, (speech.OFF, speech.FIXED, speech.ROLLED), "HR 4.0b"),
    Switch(fighting.ROMANIAN_LOSSES, False, (False, True), "HR 4.0c"),
    Switch("cavalry_hqs", False, (False, True), "HR 4.0d"),
    Switch(battle_group.OPTION, False, (False, True), "HR 4.0e", before=False),
    Switch(JANSEN, False, (False, True), "HR 4.0f"),
    Switch(LOWER_COLUMN, False, (False, True), "HR 4.0g"),
    Switch("mountain_units", False, (False, True), "HR 4.0h"),
)

PARTS = assembled(
    chapters.CHAPTERS,
    chapters.SEGMENTS,
    stacking=chapters.STACKING,
    own_steps=chapters.OWN_STEPS,
)

PICTURE = Picture(PARTS.stories)

_TABLE = PARTS.table


@lru_cache(maxsize=16)
def _charts(pack: bytes, named: tuple[tuple[str, Any], ...]) -> Charts:
    """HR 1.1a The charts of all games of a pack under the same options."""
    options = dict(named)
    return charts(pack, options[SCENARIO], GAME, options)


class HungarianRhapsody:
    """The rules of Hungarian Rhapsody."""

    title = "hungarian_rhapsody"
    version = "1"
    folders = ("warledger.engine.games.hungarian_rhapsody", "warledger.engine.games.ocs")
    seats = (AXIS, SOVIET)
    switches = SWITCHES
    sequences = PARTS.sequences
    steps = PARTS.steps
    events = PARTS.events
    questions = QUESTIONS
    corrections: Step[State] = CORRECTIONS

    def initial(self, genesis: Genesis) -> State:
        """The scenario as its file lays it out."""
        options = chosen(in_force(SWITCHES, genesis.options))
        laid = first_position(_charts(genesis.pack, tuple(sorted(options.items()))))
        return fog.laid(laid)

    def triggers(self, table: Table[State], event: Any) -> None:
        """What follows from an event at once."""
        for trigger in chapters.TRIGGERS:
            trigger(table, event)

    def evolve(self, state: State, event: Any) -> State:
        """The position after an event."""
        made: State = _TABLE[type(event)](state, event)
        return made

    drafted = staticmethod(drafted)
    fair = staticmethod(fair)
    effects = staticmethod(PICTURE.effects)
    picture = staticmethod(PICTURE.of)

    def turns_most(self, pack: Mapping[str, Any], options: Mapping[str, Any]) -> int:
        """OCS 2.3 IV The turns of the scenario, the first and the last among them."""
        return turns_of(pack, str(options[SCENARIO]))

    describe = staticmethod(description)

    def outcome(self, at: Position[State]) -> Outcome | None:
        """HR 1.7 The result, once the scenario is over."""
        return victory.verdict(at.state)

    def score(self, at: Position[State]) -> Mapping[str, int]:
        """HR 1.7 What each side has reached."""
        return victory.score(at.state)

    def margin(self, at: Position[State]) -> Margin:
        """HR 1.7 Who would win if the scenario were over."""
        winner = victory.judged(at.state).winner
        return Margin(winner, "hex" if "all_hexes" in victory.terms(at.state) else "point")

    invariants = staticmethod(check)


RULES = HungarianRhapsody()
