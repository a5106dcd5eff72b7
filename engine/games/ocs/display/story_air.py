"""The story of aircraft and flak."""

from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.ch09_combat import losses
from warledger.engine.games.ocs.ch13_special_units import construction
from warledger.engine.games.ocs.ch14_air import (
    air_combat,
    air_course,
    air_drops,
    air_transport,
    aircraft,
    flak,
    interception,
    missions,
)
from warledger.engine.games.ocs.ch15_air_bases import air_bases
from warledger.engine.games.ocs.ch21_options import air_relay
from warledger.engine.games.ocs.display import views
from warledger.engine.games.ocs.display.sentences import Own, Told, own, supply_text, untold
from warledger.engine.games.ocs.series import events as e
from warledger.engine.games.ocs.series.state import State
from warledger.engine.kernel.dispatch import ByEvent
from warledger.protocol.board.effects import roll as dice_
from warledger.protocol.board.effects import tell

tells = ByEvent()
tells(
    air_combat.AbortsAnswered,
    air_combat.AirCombatStage,
    air_combat.AirCombatOver,
    fog.AirTopShown,
    aircraft.Rebased,
)(untold)

# --- air ------------------------------------------------------------------------------------------


@tells(e.AircraftPlaced)
def _aircraft(before: State, event: e.AircraftPlaced, after: State) -> Told:
    for unit, base in zip(fog.plain(event.aircraft), fog.plain(event.bases), strict=True):
        if before.aircraft[unit].base != after.aircraft[unit].base:
            yield own(event.side, "ocs.aircraft", "OCS 14.1", unit=unit, base=base)


@tells(air_combat.AirRoundFought)
def _air_round(before: State, event: air_combat.AirRoundFought, after: State) -> Told:
    yield dice_("air_combat", 6, event.dice)
    yield tell(
        "ocs.air_round",
        "OCS 14.3",
        attacker=event.attacker,
        defender=event.defender,
        hex=event.hex,
        dice=event.dice,
        modified=event.modified,
    )
    if event.aborted:
        yield tell("ocs.aborted", "OCS 14.3e", units=event.aborted)
    if event.die:
        yield tell("ocs.air_loss_die", "OCS 14.3e", die=event.die)


@tells(air_combat.AirCombatJoined)
def _air_combat(before: State, event: air_combat.AirCombatJoined, after: State) -> Told:
    yield tell(
        "ocs.air_combat",
        "OCS 14.5" if event.interceptor else "OCS 14.2f",
        side=event.initiator,
        hex=event.hex,
        units=event.aircraft,
    )


@tells(air_combat.AircraftAborted)
def _aborted(before: State, event: air_combat.AircraftAborted, after: State) -> Told:
    rule = {air_combat.SHUNS: "OCS 14.3e", air_course.NO_TARGET: "OCS 14.2f"}.get(
        event.why, "OCS 14.3d"
    )
    yield tell("ocs.left_mission", rule, why=f"ocs.air_abort.{event.why}")
    names = fog.plain(event.aircraft)
    side = after.charts.printed.planes[names[0]].side
    yield own(side, "ocs.aborted", rule, units=names)


@tells(air_combat.AttackerPicked)
def _air_attacker(before: State, event: air_combat.AttackerPicked, after: State) -> Told:
    yield tell("ocs.air_attacker", "OCS 14.3e", unit=event.aircraft)


@tells(missions.MissionDeclared)
def _mission(before: State, event: missions.MissionDeclared, after: State) -> Told:
    yield tell(
        "ocs.mission",
        "OCS 14.2f",
        side=event.side,
        kind=f"ocs.mission_kind.{event.kind}",
        hex=event.place,
        unit=event.shown,
    )
    yield own(event.side, "ocs.units", "OCS 14.2f", units=fog.plain(event.aircraft))


@tells(missions.TrainsBusted)
def _busted(before: State, event: missions.TrainsBusted, after: State) -> Told:
    yield tell("ocs.trains_busted", "OCS 14.8", side=event.side, hex=event.hex)


@tells(air_transport.CargoLoaded)
def _cargo_loaded(before: State, event: air_transport.CargoLoaded, after: State) -> Told:
    tokens, units = fog.plain(event.tokens), fog.plain(event.units)
    start = fog.plain(event.start)
    if tokens:
        amount = supply_text(tokens)
        yield own(event.side, "ocs.cargo_supply", "OCS 14.9", amount=amount, start=start)
    if units:
        yield own(event.side, "ocs.cargo_units", "OCS 14.9", units=units, start=start)


@tells(air_relay.RelayPlanned)
def _relay(before: State, event: air_relay.RelayPlanned, after: State) -> Told:
    yield own(event.side, "ocs.relay_planned", air_relay.CLAUSE, hex=fog.plain(event.final))


@tells(air_relay.WentOn)
def _went_on(before: State, event: air_relay.WentOn, after: State) -> Told:
    yield tell("ocs.went_on", air_relay.CLAUSE, hex=event.hex)
    (through, taken_up), (brought, joined) = fog.plain(event.tokens), fog.plain(event.units)
    if through + taken_up:
        amount = supply_text(through + taken_up)
        yield own(event.side, "ocs.goes_on_supply", air_relay.CLAUSE, amount=amount)
    units = (*brought, *joined)
    if units:
        yield own(event.side, "ocs.goes_on_units", air_relay.CLAUSE, units=units)


@tells(air_transport.CargoLanded)
def _cargo_landed(before: State, event: air_transport.CargoLanded, after: State) -> Told:
    tokens, units = fog.plain(event.tokens), fog.plain(event.units)
    if tokens:
        amount = supply_text(tokens)
        yield own(event.side, "ocs.landed_supply", "OCS 14.9", amount=amount, hex=event.hex)
    if units:
        yield own(event.side, "ocs.landed_units", "OCS 14.9", units=units, hex=event.hex)


@tells(air_drops.DropRolled)
def _drop(before: State, event: air_drops.DropRolled, after: State) -> Told:
    yield dice_("air_drop", 6, event.dice)
    yield tell(
        "ocs.drop_hits" if event.modified >= event.needed else "ocs.drop_misses",
        "OCS 14.10",
        hex=event.hex,
        dice=event.dice,
        modified=event.modified,
        needed=event.needed,
    )
    if unit := fog.plain(event.unit):
        yield own(event.side, "ocs.drop_unit", "OCS 14.10", unit=unit)


@tells(missions.MissionOver)
def _mission_over(before: State, event: missions.MissionOver, after: State) -> Told:
    yield tell("ocs.mission_over", "OCS 14.1c")


@tells(interception.Intercepted)
def _intercepted(before: State, event: interception.Intercepted, after: State) -> Told:
    if event.aircraft:
        yield tell("ocs.intercepted", "OCS 14.5", unit=event.aircraft)
    else:
        yield tell("ocs.let_pass", "OCS 14.5")


@tells(air_bases.RefitBegun)
def _refit(before: State, event: air_bases.RefitBegun, after: State) -> Told:
    yield own(
        event.side,
        "ocs.refit",
        "OCS 15.1",
        base=fog.plain(event.base),
        units=fog.plain(event.aircraft),
    )


@tells(air_bases.RefitOver)
def _refit_over(before: State, event: air_bases.RefitOver, after: State) -> Told:
    if not event.done:
        yield own(after.phasing, "ocs.refit_unpaid", "OCS 15.1")


@tells(construction.Worked)
def _worked(before: State, event: construction.Worked, after: State) -> Told:
    yield own(
        event.side,
        "ocs.worked",
        "OCS 13.8d",
        units=fog.plain(event.units),
        hex=event.hex,
        what=f"ocs.work.{event.what}",
    )


@tells(flak.FlakFired)
def _flak(before: State, event: flak.FlakFired, after: State) -> Told:
    yield dice_("flak", 6, event.dice)
    yield tell(
        "ocs.flak",
        "OCS 14.4",
        hex=event.hex,
        points=sum(n for _, n in event.points),
        dice=event.dice,
        modified=event.modified,
    )
    if event.aircraft and event.die:
        yield tell("ocs.flak_hit", "OCS 14.4", unit=event.aircraft, die=event.die)
    elif event.aircraft:
        yield tell("ocs.flak_hit_only", "OCS 14.4", unit=event.aircraft)


@tells(losses.PlaneLost)
def _plane_lost(before: State, event: losses.PlaneLost, after: State) -> Told:
    unit, pile = fog.plain(event.aircraft), fog.plain(event.pile)
    side = after.charts.printed.planes[unit].side
    key = "ocs.plane_destroyed" if pile else "ocs.plane_reduced"
    said = tell(key, "OCS 14.1", unit=unit)
    yield said if views.plane_is_shown(before, unit) else Own(side, said)
