"""OCS 4.8b: the owner says which unit of a hex the enemy sees.

OCS R-12 Where several units of a hex could be the shown one (4.9a), their owner may say which,
while they move. An HQ may be it, too, while no enemy ground unit is adjacent (4.8b D). It stays so
until it may no longer be shown. Under open fog nobody is asked.
"""

from collections.abc import Iterable

from attrs import frozen

from warledger.engine.board import hexsets
from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.series.state import OFF_MAP, State
from warledger.engine.kernel.commands import Asked, Command, Commands, Slot
from warledger.engine.kernel.memo import remembered
from warledger.engine.kernel.types import Pick, Refusal
from warledger.protocol.board.choices import refuse

CLAUSE = "OCS 4.8b"


@frozen
class Showing:
    """The unit that is put on top."""

    unit: str = ""


@remembered()
def showable(state: State, side: str) -> tuple[str, ...]:
    """OCS 4.8b, R-12 Units of a side that it may put on top of their hexes and that do not lie
    there."""
    if not fog.strict(state):
        return ()
    return tuple(
        name
        for i in hexsets.listed(state.field.combat[side])
        for name in fog.may_show(state, i)
        if name != state.tops.get(i)
    )


def commands() -> Commands[State]:
    """OCS 4.8b top UNIT: for the step in which units move."""
    return (
        Command(
            "top",
            Showing,
            Slot("unit", "ocs.shown", _units, _why_not),
            apply=lambda table, asked, order: fog.choose(table, order.unit),
            when=lambda asked: bool(showable(asked.state, asked.seat)),
            why=_why_none,
        ),
    )


def _units(asked: Asked[State], order: Showing) -> Iterable[str]:
    return showable(asked.state, asked.seat)


def _why_none(asked: Asked[State]) -> Refusal:
    key = "no_other_to_show" if fog.strict(asked.state) else "nothing_hidden"
    return refuse(CLAUSE, f"refusal.ocs.{key}")


def _why_not(asked: Asked[State], order: Showing, pick: Pick) -> Refusal:
    """OCS 4.8b C, D"""
    state, name = asked.state, str(pick)
    if name not in state.units or state.side(name) != asked.seat:
        return refuse(CLAUSE, "refusal.ocs.not_your_unit", unit=name)
    at = state.units[name].at
    if at == OFF_MAP:
        return refuse(CLAUSE, "refusal.ocs.not_on_map", pick=name)
    if state.tops.get(at) == name:
        return refuse(CLAUSE, "refusal.ocs.shown_already", unit=name)
    if state.counter(name).hq:
        return refuse("OCS 4.8b D", "refusal.ocs.hq_beside_enemy", unit=name)
    return refuse("OCS 4.8b C", "refusal.ocs.zone_on_top", unit=name)
