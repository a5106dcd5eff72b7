"""The story of combats, overruns and barrages."""

from typing import Any

from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.ch04_concepts.rounding import mixed
from warledger.engine.games.ocs.ch08_overrun import overrun
from warledger.engine.games.ocs.ch09_combat import (
    advance,
    assessment,
    attacks,
    captures,
    combat_events,
    exploit,
    result_losses,
    retreat,
)
from warledger.engine.games.ocs.ch10_barrage import barrage
from warledger.engine.games.ocs.ch16_hedgehogs import hedgehogs
from warledger.engine.games.ocs.display.sentences import Told, own, points_text, untold
from warledger.engine.games.ocs.series.state import State
from warledger.engine.games.ocs.series.tables import OVERRUN
from warledger.engine.kernel.dispatch import ByEvent
from warledger.protocol.board.effects import closing, opening, tell
from warledger.protocol.board.effects import roll as dice_

tells = ByEvent()
tells(
    result_losses.DoubledLossTaken,
    retreat.RetreatDone,
    retreat.TollPaid,
    barrage.ShellLossTaken,
    barrage.BarrageOver,
)(untold)

NOTHING = "-"
"""OCS 10.0a A cell of the Barrage Table that does nothing, not even DG."""

# --- combat ---------------------------------------------------------------------------------------


@tells(overrun.OverrunDeclared)
def _overrun(before: State, event: overrun.OverrunDeclared, after: State) -> Told:
    yield tell(
        "ocs.overrun",
        "OCS 8.1",
        side=event.side,
        start=event.start,
        hex=event.target,
        points=points_text(after.charts, event.spent),
    )
    yield own(event.side, "ocs.units", "OCS 8.1", units=fog.plain(event.units))


@tells(combat_events.BattleBegun)
def _battle(before: State, event: combat_events.BattleBegun, after: State) -> Told:
    is_overrun = event.row == OVERRUN
    yield opening("combat", f"ocs.{'overrun' if is_overrun else 'combat'}_span", hex=event.target)
    empty = event.row == attacks.EMPTY
    yield tell(
        "ocs.empty_attack" if empty else "ocs.battle",
        "OCS 21.8" if empty else "OCS 9.2",
        hex=event.target,
        attacker=event.side,
        origins=tuple(at for at, _ in event.stacks),
    )
    units = tuple(name for _, stack in event.stacks for name in fog.plain(stack))
    yield own(event.side, "ocs.units", "OCS 9.2", units=units)


@tells(combat_events.LeaderNamed)
def _leader(before: State, event: combat_events.LeaderNamed, after: State) -> Told:
    yield tell("ocs.leader", "OCS 9.6", side=event.side, ar=event.ar)
    yield own(event.side, "ocs.leader_unit", "OCS 9.6", unit=fog.plain(event.unit))


@tells(combat_events.DefenceGiven)
def _defence(before: State, event: combat_events.DefenceGiven, after: State) -> Told:
    yield tell("ocs.defence", "OCS 9.4", ground=event.ground)
    for at, ground in event.terrain:
        yield tell("ocs.defence_against", "OCS 9.4b", hex=at, ground=ground)


@tells(combat_events.CombatPaid)
def _combat_paid(before: State, event: combat_events.CombatPaid, after: State) -> Told:
    key = "ocs.combat_paid" if event.paid else "ocs.combat_not_paid"
    yield tell(key, "OCS 9.5", side=event.side)
    unpaid = fog.plain(event.unpaid)
    if unpaid:
        yield own(event.side, "ocs.unpaid", "OCS 9.5", units=unpaid)


def _modifiers(state: State) -> tuple[int, int]:
    """OCS 9.8, 9.9 What the AR difference and the hedgehog (16.0d) add to the dice."""
    battle = result_losses.fighting(state)
    level = hedgehogs.level(state, state.enemy(battle.side), battle.target)
    return assessment.assess(state, battle).drm, -level


@tells(combat_events.BattleWeighed)
def _weighed(before: State, event: combat_events.BattleWeighed, after: State) -> Told:
    _, hedgehog = _modifiers(before)
    drm = event.drm + hedgehog
    told: dict[str, Any] = {
        "attack": mixed(event.attack),
        "defence": mixed(event.defence),
        "drm": drm,
        "attack_at": f"ocs.at.{event.attack_at}",
        "defence_at": f"ocs.at.{event.defence_at}",
        "odds": event.odds,
        "row": f"ocs.row.{event.row}",
    }
    if hedgehog:
        yield tell("ocs.weighed_hedgehog", "OCS 9.7", **told, ar=event.drm, hedgehog=hedgehog)
    else:
        yield tell("ocs.weighed", "OCS 9.7", **told)


@tells(combat_events.BattleFought)
def _fought(before: State, event: combat_events.BattleFought, after: State) -> Told:
    tables = after.charts.tables
    ar, hedgehog = _modifiers(before)
    surprise_drm = ar + (tables.surprise.hedgehog if hedgehog else 0)
    surprised = {"dice": event.surprise_roll - surprise_drm, "drm": surprise_drm}
    if event.surprise:
        yield tell(
            "ocs.surprise",
            "OCS 9.8",
            roll=event.surprise_roll,
            whom=f"ocs.surprise_for.{event.surprise}",
            shift=event.shift,
            **surprised,
        )
    else:
        yield tell("ocs.no_surprise", "OCS 9.8", roll=event.surprise_roll, **surprised)
    battle = result_losses.fighting(before)
    row = assessment.assess(before, battle).row
    yield tell(
        "ocs.fought",
        "OCS 9.9",
        column=tables.combat.heads[row][event.column],
        dice=event.roll - ar - hedgehog,
        drm=ar + hedgehog,
        roll=event.roll,
        result=event.result,
        attacker=battle.side,
    )
    if exploit.forfeited(after, result_losses.fighting(after)):
        yield tell("ocs.exploit_forfeited", "OCS 9.13b", side=battle.side)


@tells(result_losses.LossTaken)
def _loss(before: State, event: result_losses.LossTaken, after: State) -> Told:
    if event.option:
        yield tell("ocs.option_lost", "OCS 9.10", side=event.side)


@tells(result_losses.LossDoubled)
def _loss_doubled(before: State, event: result_losses.LossDoubled, after: State) -> Told:
    yield tell("ocs.loss_doubled", "OCS 9.11", side=event.side)


@tells(result_losses.RetreatTaken)
def _retreat_taken(before: State, event: result_losses.RetreatTaken, after: State) -> Told:
    yield tell("ocs.retreat_taken", "OCS 9.10a", side=event.side)


@tells(result_losses.OptionsIgnored)
def _ignored(before: State, event: result_losses.OptionsIgnored, after: State) -> Told:
    yield tell("ocs.options_ignored", "OCS 9.10c", side=event.side)


@tells(retreat.FellBack)
def _fell_back(before: State, event: retreat.FellBack, after: State) -> Told:
    yield tell("ocs.fell_back", "OCS 9.12", side=event.side, path=(event.start, event.hex))
    yield own(event.side, "ocs.units", "OCS 9.12", units=fog.plain(event.units))


@tells(retreat.TollOwed)
def _toll(before: State, event: retreat.TollOwed, after: State) -> Told:
    yield tell("ocs.toll", "OCS 9.12e", side=event.side)


@tells(advance.Advanced)
def _advanced(before: State, event: advance.Advanced, after: State) -> Told:
    yield tell("ocs.advanced", "OCS 9.12g", side=event.side, hex=event.hex)
    yield own(event.side, "ocs.units", "OCS 9.12g", units=fog.plain(event.units))


@tells(combat_events.BattleEnded)
def _battle_over(before: State, event: combat_events.BattleEnded, after: State) -> Told:
    if event.void:
        yield tell("ocs.battle_void", "OCS 9.5")
    yield closing("combat")


@tells(captures.CaptureRolled)
def _captured(before: State, event: captures.CaptureRolled, after: State) -> Told:
    yield dice_("capture", 6, (event.die,))
    yield tell(
        "ocs.captured",
        "OCS 9.14",
        side=event.side,
        hex=event.hex,
        what=event.what,
        die=event.die,
        percent=event.percent,
    )


@tells(captures.BaseRolled)
def _base_rolled(before: State, event: captures.BaseRolled, after: State) -> Told:
    yield dice_("base_capture", 6, event.dice)
    yield tell(
        "ocs.base_rolled",
        "OCS 9.14f",
        unit=event.aircraft,
        dice=event.dice,
        modified=event.modified,
    )


# --- barrage --------------------------------------------------------------------------------------


@tells(barrage.BarrageDeclared)
def _barrage(before: State, event: barrage.BarrageDeclared, after: State) -> Told:
    yield tell(
        "ocs.barrage",
        "OCS 10.0d",
        side=event.side,
        hex=event.hex,
        kind=f"ocs.barrage_kind.{event.kind}",
        aim=f"ocs.aim.{event.aim}",
    )
    yield own(event.side, "ocs.units", "OCS 10.0", units=fog.plain(event.units))


@tells(barrage.BarrageVoid)
def _barrage_void(before: State, event: barrage.BarrageVoid, after: State) -> Told:
    yield tell("ocs.barrage_void", "OCS 10.1b")


@tells(barrage.ShellsFallen)
def _shells(before: State, event: barrage.ShellsFallen, after: State) -> Told:
    yield dice_("barrage", 6, event.dice)
    for name, shift in event.shifts:
        if shift:
            yield tell("ocs.shift", "OCS 10.0a", what=f"ocs.shift.{name}", shift=shift)
    told: dict[str, Any] = {
        "strength": mixed(event.strength),
        "column": event.column,
        "shifted": event.shifted,
        "dice": event.dice,
    }
    if event.result == NOTHING:
        yield tell("ocs.shells_in_vain", "OCS 10.0a", **told)
    else:
        yield tell("ocs.shells", "OCS 10.0a", **told, result=event.result)
    if event.die:
        yield tell("ocs.half_step", "OCS 10.0a", die=event.die)
    if event.steps:
        yield tell("ocs.shell_steps", "OCS 10.0a", n=event.steps)
