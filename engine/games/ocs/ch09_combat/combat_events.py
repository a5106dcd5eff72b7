"""OCS 9: what happens in a combat, and what each event does to the position."""

from typing import Any

from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.ch09_combat.combat_in_progress import Battle
from warledger.engine.games.ocs.ch09_combat.result_losses import fighting
from warledger.engine.games.ocs.ch09_combat.results import combat_result
from warledger.engine.games.ocs.series.state import State, changed
from warledger.engine.games.ocs.series.tables import OVERRUN
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.types import event


@event("ocs.battle")
class BattleBegun:
    """OCS 9.2(1) A hex is attacked: `row` "regular", "overrun" or "empty" (21.8), the attacking
    hexes, and in each who attacks from it."""

    row: str
    side: str
    target: str
    stacks: tuple[tuple[str, Any], ...]


@event("ocs.leader")
class LeaderNamed:
    """OCS 9.2(3) A side's AR unit: the enemy is told its AR."""

    side: str
    unit: Any
    ar: int


@event("ocs.defence")
class DefenceGiven:
    """OCS 9.2, 9.4b, 9.4c The defender's answer: whether they pay, their own terrain, and the
    terrain against each attacking hex."""

    pays: bool
    ground: str
    terrain: tuple[tuple[str, str], ...]


@event("ocs.combat_paid")
class CombatPaid:
    """OCS 9.5 Whether a side has combat supply, which is told, and from what, which is not; and
    the units that have none. OCS 9.1e Those of the attacker do not attack."""

    side: str
    paid: bool
    how: Any
    unpaid: Any


@event("ocs.battle_weighed")
class BattleWeighed:
    """OCS 4.9b, 9.7 What both sides name: strengths as fractions, AR difference, anti-tank levels,
    odds, column."""

    attack: str
    defence: str
    drm: int
    attack_at: int
    defence_at: int
    odds: str
    row: str
    column: int


@event("ocs.battle_fought")
class BattleFought:
    """OCS 9.8, 9.9 Surprise and combat rolls as modified, the column after the shift, and the
    result."""

    surprise_roll: int
    surprise: str
    shift: int
    column: int
    roll: int
    result: str


@event("ocs.battle_ended")
class BattleEnded:
    """OCS 9.2 The combat is over; `void`: the attacker did not pay."""

    void: bool


after = ByEvent()


@after(BattleBegun)
def _begun(state: State, event: BattleBegun) -> State:
    board = state.charts.board
    target = board.hex(event.target)
    stacks = {board.hex(name): tuple(fog.plain(units)) for name, units in event.stacks}
    made = replace(
        state,
        battle=Battle(
            event.row,
            event.side,
            target,
            stacks,
            state.combat_units(target),
            shut={side: state.field.combat[state.enemy(side)] for side in state.charts.sides},
        ),
    )
    if event.row == OVERRUN:
        return made
    use = made.phase_use
    made = replace(made, phase_use=replace(use, attacked=use.attacked | 1 << target))
    return changed(
        made,
        {
            name: replace(made.units[name], attacked=True)
            for stack in stacks.values()
            for name in stack
        },
    )


@after(LeaderNamed)
def _leader(state: State, event: LeaderNamed) -> State:
    battle = fighting(state)
    leaders = {**battle.leaders, event.side: fog.plain(event.unit)}
    return replace(state, battle=replace(battle, leaders=leaders))


@after(DefenceGiven)
def _defence(state: State, event: DefenceGiven) -> State:
    board = state.charts.board
    return replace(
        state,
        battle=replace(
            fighting(state),
            pays=event.pays,
            ground=event.ground,
            terrain={board.hex(name): choice for name, choice in event.terrain},
        ),
    )


@after(CombatPaid)
def _paid(state: State, event: CombatPaid) -> State:
    battle = fighting(state)
    unpaid = frozenset(fog.plain(event.unpaid))
    made = replace(
        battle,
        paid={**battle.paid, event.side: fog.plain(event.how)},
        unpaid=battle.unpaid | unpaid,
    )
    if event.side == battle.side and unpaid:
        stacks = {
            i: tuple(name for name in stack if name not in unpaid)
            for i, stack in battle.attackers.items()
        }
        made = replace(made, attackers={i: stack for i, stack in stacks.items() if stack})
    return replace(state, battle=made)


@after(BattleWeighed)
def _weighed(state: State, event: BattleWeighed) -> State:
    return replace(state, battle=replace(fighting(state), column=event.column))


@after(BattleFought)
def _fought(state: State, event: BattleFought) -> State:
    battle, result = fighting(state), combat_result(event.result)
    side, enemy = battle.side, state.enemy(battle.side)
    return replace(
        state,
        battle=replace(
            battle,
            column=event.column,
            result=result,
            hard={side: result.attacker.losses, enemy: result.defender.losses},
            options={side: result.attacker.options, enemy: result.defender.options},
        ),
    )


@after(BattleEnded)
def _ended(state: State, event: BattleEnded) -> State:
    return replace(state, battle=None)
