"""What clients see of the game's own events; everything else is the series' (ocs/picture)."""

from warledger.engine.games.hungarian_rhapsody import (
    ammunition,
    collapse,
    displacement,
    evacuation,
    fortress,
    fronts,
    goulash,
    markers,
    mountain_groups,
    pontoons,
    returning,
    river_transport,
    rvgk,
    speech,
    trucks,
)
from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.display.sentences import Told, carried, own, supply_text
from warledger.engine.games.ocs.series.state import State
from warledger.engine.kernel.dispatch import ByEvent
from warledger.protocol.board.effects import roll, tell
from warledger.protocol.board.effects import roll as dice_

tells = ByEvent()


@tells(trucks.Trucked)
def _trucked(before: State, event: trucks.Trucked, after: State) -> Told:
    yield carried(after, event, "hr.trucked", "HR 3.1d")


@tells(river_transport.Shipped)
def _shipped(before: State, event: river_transport.Shipped, after: State) -> Told:
    yield carried(after, event, "hr.shipped", "HR 2.1d")


@tells(ammunition.AmmoArrived)
def _ammo_arrived(before: State, event: ammunition.AmmoArrived, after: State) -> Told:
    yield tell("hr.ammo_arrived", "HR 3.1g", n=ammunition.held(after))


@tells(ammunition.AmmoSpent)
def _ammo_spent(before: State, event: ammunition.AmmoSpent, after: State) -> Told:
    yield tell("hr.ammo_spent", "HR 3.1g", n=ammunition.held(after))


@tells(evacuation.Evacuated)
def _evacuated(before: State, event: evacuation.Evacuated, after: State) -> Told:
    yield tell("hr.evacuated", "HR 1.2b")


@tells(fortress.FortressDeclared)
def _fortress(before: State, event: fortress.FortressDeclared, after: State) -> Told:
    yield tell("hr.fortress", "HR 2.4", hexes=event.hexes)


@tells(fortress.FortressFed)
def _fortress_fed(before: State, event: fortress.FortressFed, after: State) -> Told:
    yield tell("hr.fortress_fed", "HR 2.4", hexes=event.hexes)
    yield from _eaten(event)


@tells(fortress.FortressOver)
def _fortress_over(before: State, event: fortress.FortressOver, after: State) -> Told:
    yield tell("hr.fortress_over", "HR 2.4", hexes=event.hexes)


@tells(goulash.Served)
def _goulash(before: State, event: goulash.Served, after: State) -> Told:
    yield tell("hr.goulash", "HR 2.1e", hex=event.hex)
    yield from _eaten(event)
    for _payer, what, tokens in fog.plain(event.picks):
        amount = supply_text(tokens)
        yield own(event.side, "hr.goulash_paid", "HR 2.1e", amount=amount, what=what)
    if event.die:
        yield roll("goulash", 6, (event.die,))
    fate = "hr.goulash_kept" if event.kept else "hr.goulash_gone"
    yield tell(fate, "HR 2.1e", n=after.marker_count[goulash.MARKER])


def _eaten(event: fortress.FortressFed | goulash.Served) -> Told:
    units = fog.plain(event.units)
    if units:
        yield own(event.side, "ocs.fed", "OCS 12.6c", units=units)


@tells(fronts.FrontPaid)
def _front_paid(before: State, event: fronts.FrontPaid, after: State) -> Told:
    marker = fog.plain(event.marker)
    for _payer, what, tokens in fog.plain(event.picks):
        amount = supply_text(tokens)
        yield own(event.side, "ocs.paid", "HR 3.1c", amount=amount, payer=marker, what=what)


@tells(markers.MarkerMoved)
def _marker(before: State, event: markers.MarkerMoved, after: State) -> Told:
    yield own(
        event.side,
        f"hr.marker.{event.why}",
        "HR 3.1",
        marker=fog.plain(event.marker),
        start=fog.plain(event.start),
        place=fog.plain(event.to),
    )


@tells(displacement.Committed)
def _committed(before: State, event: displacement.Committed, after: State) -> Told:
    yield own(event.side, "hr.committed", displacement.CLAUSE, units=fog.plain(event.units))


@tells(pontoons.BridgesDestroyed)
def _bridges(before: State, event: pontoons.BridgesDestroyed, after: State) -> Told:
    for one, other in event.bridges:
        yield tell("hr.bridge_down", "HR 1.4a", start=one, hex=other)


@tells(speech.Speech)
def _speech(before: State, event: speech.Speech, after: State) -> Told:
    if not event.held:
        yield tell("hr.no_speech", speech.CLAUSE, die=event.die)
        return
    yield tell("hr.speech", speech.CLAUSE)
    most = after.charts.printed.chart["speech"]["does_nothing_up_to"]
    silent = tuple(who for who, die in event.dice if die <= most)
    yield tell("hr.silent", speech.CLAUSE, units=silent)


@tells(speech.SpeechOver)
def _speech_over(before: State, event: speech.SpeechOver, after: State) -> Told:
    yield tell("hr.speech_over", speech.CLAUSE)


@tells(collapse.CollapseRolled)
def _collapse_rolled(before: State, event: collapse.CollapseRolled, after: State) -> Told:
    yield dice_("collapse", 6, (event.die,))
    yield tell("hr.collapse" if event.comes else "hr.no_collapse", collapse.CLAUSE, die=event.die)


@tells(collapse.Collapsed)
def _collapsed(before: State, event: collapse.Collapsed, after: State) -> Told:
    yield tell("hr.collapsed", collapse.CLAUSE)
    units = fog.plain(event.units)
    if units:
        yield own(event.side, "ocs.taken_off", collapse.CLAUSE, units=units)


@tells(returning.InfantryReturns)
def _infantry(before: State, event: returning.InfantryReturns, after: State) -> Told:
    now = sum(turn == after.turn for turn in event.turns)
    later = event.turns[now:]
    yield tell("hr.infantry_returns", "HR 3.3a", n=now, total=returning.counted(after))
    if later:
        yield dice_("infantry_returns", 6, returning.dice(after, later))
        yield tell("hr.infantry_later", "HR 3.3a", turns=later)
    yield own(event.side, "hr.returning", "HR 3.3a", units=fog.plain(event.units))


@tells(rvgk.ToReserve)
def _to_reserve(before: State, event: rvgk.ToReserve, after: State) -> Told:
    formation, units = fog.plain(event.formation), fog.plain(event.units)
    yield own(event.side, "hr.to_rvgk", "HR 3.3b", formation=formation)
    if units:
        yield own(event.side, "ocs.taken_off", "HR 3.3b", units=units)


@tells(rvgk.FromReserve)
def _from_reserve(before: State, event: rvgk.FromReserve, after: State) -> Told:
    yield own(
        event.side,
        "hr.from_rvgk",
        "HR 3.3b",
        formation=fog.plain(event.formation),
        marker=fog.plain(event.marker),
    )


@tells(mountain_groups.MountainDivision)
def _mountain_division(
    before: State, event: mountain_groups.MountainDivision, after: State
) -> Told:
    yield tell("hr.mountain_division", mountain_groups.CLAUSE, unit=event.unit)
