"""OCS 12.8a, 12.8b: attrition of units marked out of supply.

OCS 12.8a At the end of its own Supply Phase each stack of a side with OOS units is checked, until
they trace. OCS 12.8b Two dice on the column of the highest AR of the OOS units there, 3 more for 5
OOS steps or more. DG does not change that AR, Strat does. The owner chooses who loses the steps,
among the OOS units. OCS R-18: dice and column are told, who lost them is not.
"""

from collections.abc import Iterable, Mapping

from attrs import frozen

from warledger.engine.board import hexsets
from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.ch05_modes import modes
from warledger.engine.games.ocs.ch09_combat import losses
from warledger.engine.games.ocs.series.state import State
from warledger.engine.games.ocs.series.tables import ALL_STEPS
from warledger.engine.kernel.commands import Asked, Asking, Command, Commands, Slot
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Pick, Refusal, Say, Seat, Step, event

WHY = "attrition"
"""Why steps are lost (`StepsLost.why`)."""

LOSSES = "attrition_losses"


@event("ocs.attrition")
class AttritionRolled:
    """OCS 12.8b A stack is checked: its column (the highest AR), the dice, and with modifiers."""

    side: str
    hex: str
    column: int
    dice: tuple[int, int]
    modified: int


def suffering(state: State, i: int) -> tuple[str, ...]:
    """OCS 12.8b The units of a hex that are checked together: those marked OOS."""
    return tuple(name for name in state.combat_units(i) if state.units[name].oos)


def stacks(state: State, side: str) -> tuple[int, ...]:
    """OCS 12.8a Hexes of a side with units that are marked OOS."""
    return tuple(i for i in hexsets.listed(state.field.combat[side]) if suffering(state, i))


def column(state: State, i: int) -> int:
    """OCS 12.8b The highest AR of the OOS units in a hex."""
    return max(modes.ar(state, name, attrition=True) for name in suffering(state, i))


def modifier(state: State, i: int) -> int:
    """OCS 12.8b What is added to the dice for many OOS steps in the hex."""
    table = state.charts.tables.attrition
    steps = sum(losses.steps_of(state, name) for name in suffering(state, i))
    return table.many_steps_drm if steps >= table.many_steps else 0


class Attrition(Step[State]):
    """OCS 12.8b Every stack of the phasing side is checked, in order of hexes. Frame arguments,
    after the first call: "", and the printed ids of those still to check; before it those of the
    sequence."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """OCS 12.8b The next stack."""
        state = table.state
        name, number = state.charts.board.name, state.charts.board.hex
        begun = frame.args[:1] == ("",)
        left = frame.args if begun else ("", *(name(i) for i in stacks(state, state.phasing)))
        if len(left) == 1:
            table.done()
            return
        table.replace("", *left[2:])
        i = number(left[1])
        best = column(state, i)
        dice = (table.roll(6, "attrition"), table.roll(6, "attrition"))
        modified = sum(dice) + modifier(state, i)
        table.emit(AttritionRolled(state.phasing, left[1], best, dice, modified))
        lost = state.charts.tables.attrition.steps(best, modified)
        if lost == ALL_STEPS:
            losses.destroy(table, suffering(state, i), why=WHY)
        elif lost:
            table.call(LOSSES, state.phasing, left[1], lost)


@frozen
class Losing:
    """The unit that loses a step."""

    unit: str = ""


class Losses(Asking[State]):
    """OCS 12.8b The owner says who loses a step, one at a time: `lose UNIT`. Under strict fog they
    are asked even without a choice, since its absence would tell. Frame arguments: the side, the
    hex, steps still to lose."""

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The owner, while there is a choice."""
        takers = _of(at.state, frame)
        if not frame.args[2] or not takers:
            return {}
        if len(takers) == 1 and not fog.strict(at.state):
            return {}
        prompt = Say("prompt.ocs.attrition", (("hex", frame.args[1]),), "OCS 12.8b")
        return {frame.args[0]: Decision(prompt)}

    def advance(self, table: Table[State], frame: Frame) -> None:
        """What nobody is left to take is ignored; a single unit takes all of it."""
        table.done()
        for name in _of(table.state, frame)[:1]:
            if frame.args[2]:
                losses.lose(table, name, frame.args[2], why=WHY)

    def sealed(self, asked: Asked[State]) -> bool:
        """OCS 4.9, R-18 Who loses it is the owner's to know."""
        return fog.strict(asked.state)

    def commands(self) -> Commands[State]:
        """`lose UNIT`."""
        return (
            Command("lose", Losing, Slot("unit", "ocs.unit", _takers, _why_not), apply=self._lose),
        )

    def _lose(self, table: Table[State], asked: Asked[State], order: Losing) -> None:
        side, hex_name, left = asked.frame.args
        losses.lose(table, order.unit, why=WHY)
        table.replace(side, hex_name, left - 1)


def _of(state: State, frame: Frame) -> tuple[str, ...]:
    return suffering(state, state.charts.board.hex(frame.args[1]))


def _takers(asked: Asked[State], order: Losing) -> Iterable[str]:
    return _of(asked.state, asked.frame)


def _why_not(asked: Asked[State], order: Losing, pick: Pick) -> Refusal:
    return Refusal(
        "OCS 12.8b",
        "refusal.ocs.not_out_of_supply_there",
        (("unit", pick), ("hex", asked.frame.args[1])),
    )


after = ByEvent()
after.unchanged(AttritionRolled)
STEPS: Mapping[str, Step[State]] = {"attrition": Attrition(), LOSSES: Losses()}
