"""OCS 9.12g: advance after combat.

Once no combat unit is left in the defending hex, attackers that paid combat supply may enter it: in
a regular attack as many as their owner likes, in an overrun all of them (8.0). Nobody advances if
the attacker has retreated a hex, and units that cannot move in any mode do not (9.12b). It costs no
movement and is not hindered by zones.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from attrs import frozen

from warledger.engine.board import hexsets
from warledger.engine.games.ocs.ch04_concepts import fog, stacking
from warledger.engine.games.ocs.ch05_modes import modes
from warledger.engine.games.ocs.ch09_combat import captures
from warledger.engine.games.ocs.ch09_combat.combat_in_progress import Battle
from warledger.engine.games.ocs.ch09_combat.losses import alive
from warledger.engine.games.ocs.ch09_combat.result_losses import fighting, veiled
from warledger.engine.games.ocs.ch09_combat.retreat import can_move
from warledger.engine.games.ocs.ch20_breakdowns import breakdowns
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.state import State, placed
from warledger.engine.games.ocs.series.tables import OVERRUN
from warledger.engine.kernel.commands import Asked, Asking, Command, Commands, Many, word
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Pick, Refusal, Seat, event
from warledger.protocol.board.choices import refuse, say


@event("ocs.advanced")
class Advanced:
    """OCS 9.12g Units enter the defending hex."""

    side: str
    units: Any
    hex: str


after = ByEvent()


@after(Advanced)
def _advanced(state: State, event: Advanced) -> State:
    return placed(state, fog.plain(event.units), state.charts.board.hex(event.hex))


def opened(state: State, battle: Battle) -> bool:
    """OCS 9.12g Whether attackers may enter: the hex holds no combat unit of the defender's, and no
    attacker has retreated."""
    enemy = state.enemy(battle.side)
    return not state.field.combat[enemy] >> battle.target & 1 and battle.side not in battle.fled


def advancers(state: State, battle: Battle) -> tuple[str, ...]:
    """OCS 6.2c, 9.12b, 9.12g Who may advance."""
    if not opened(state, battle):
        return ()
    game = rules(state.charts)
    return tuple(
        name
        for name in alive(state, battle.units)
        if can_move(state, name) is not None
        and not hexsets.has(game.barred(state, name), battle.target)
    )


@frozen
class Advance:
    """Who advances."""

    units: tuple[str, ...] = ()


class Advancing(Asking[State]):
    """OCS 9.12g `advance UNITS …` or `stay`. In an overrun all advance by themselves (8.0)."""

    verb_slot = "ocs.advancing"

    def sealed(self, asked: Asked[State]) -> bool:
        """OCS R-16, R-17: how many advance is not told."""
        return veiled(asked.state)

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The attacker of a regular attack, while the hex is open to units that are left: whether
        there are any is seen by all."""
        state = at.state
        battle = fighting(state)
        if battle.row == OVERRUN or not advancers(state, battle):
            return {}
        return {battle.side: Decision(say("prompt.ocs.advance", "OCS 9.12g"))}

    def commands(self) -> Commands[State]:
        """`advance UNITS …`, `stay`."""
        return (
            Command(
                "advance",
                Advance,
                Many("units", "ocs.unit", self._units, self._why_not),
                apply=self._advance,
            ),
            breakdowns.command(lambda state, side: advancers(state, fighting(state))),
            word("stay", lambda table, asked: table.done()),
        )

    def advance(self, table: Table[State], frame: Frame) -> None:
        """OCS 8.0 Units that overrun have to enter."""
        state = table.state
        battle = fighting(state)
        table.done()
        if battle.row == OVERRUN:
            enter(table, battle, advancers(state, battle))

    def _units(self, asked: Asked[State], order: Advance) -> Iterable[str]:
        state = asked.state
        battle = fighting(state)
        return tuple(
            name
            for name in advancers(state, battle)
            if name not in order.units and stacking.fits(state, (*order.units, name), battle.target)
        )

    def _why_not(self, asked: Asked[State], order: Advance, pick: Pick) -> Refusal:
        name = str(pick)
        if name in advancers(asked.state, fighting(asked.state)) and name not in order.units:
            return refuse("OCS 4.8", "refusal.ocs.stacking", unit=name)
        return refuse("OCS 9.12g", "refusal.ocs.no_advance", unit=name)

    def _advance(self, table: Table[State], asked: Asked[State], order: Advance) -> None:
        table.done()
        enter(table, fighting(asked.state), order.units)


def enter(table: Table[State], battle: Battle, names: tuple[str, ...]) -> None:
    """OCS 9.12b, 9.12g, 9.14 Units enter the defending hex, on the side of their counters on which
    they can move, and capture what lies there."""
    if not names:
        return
    state = table.state
    modes.change(
        table,
        [
            (name, state.units[name].marker, move_side)
            for name in names
            if (move_side := can_move(state, name)) is not None
            and move_side is not state.units[name].move_side
        ],
    )
    at = state.charts.board.name(battle.target)
    table.emit(Advanced(battle.side, fog.hidden(state, battle.side, names), at))
    captures.enter(table, names, battle.target, by_advance=True)


STEPS = {"ocs.advancing": Advancing()}
