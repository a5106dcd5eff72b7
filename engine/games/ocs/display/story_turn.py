"""The story of turns, units and the map."""

from warledger.engine.games.ocs.ch02_sequence import segments
from warledger.engine.games.ocs.ch04_concepts import fog, staying
from warledger.engine.games.ocs.ch06_movement import movement
from warledger.engine.games.ocs.ch13_special_units import formations, rail
from warledger.engine.games.ocs.ch20_breakdowns import breakdowns
from warledger.engine.games.ocs.ch21_options import recon
from warledger.engine.games.ocs.display.sentences import Told, carried, own, side_of, untold
from warledger.engine.games.ocs.series import events as e
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.state import OFF_MAP, State
from warledger.engine.kernel.dispatch import ByEvent
from warledger.protocol.board.effects import closing, opening, phase, tell
from warledger.protocol.board.effects import roll as dice_

tells = ByEvent()
tells(e.MoveFinished, movement.UnderWay, fog.TopShown)(untold)

# --- the turn -------------------------------------------------------------------------------------


@tells(e.SetUp)
def _set_up(before: State, event: e.SetUp, after: State) -> Told:
    yield opening("game", "ocs.game", scenario=f"scenario.{after.charts.scenario.id}")
    yield tell("ocs.set_up", "OCS 2.1", scenario=f"scenario.{after.charts.scenario.id}")


@tells(e.TurnBegun)
def _turn(before: State, event: e.TurnBegun, after: State) -> Told:
    start = after.charts.printed.turn(event.turn).start
    yield opening("turn", "ocs.turn_span", turn=event.turn, date=start)
    yield tell("ocs.turn", "OCS 2.1", turn=event.turn, date=start)


@tells(e.WeatherSet)
def _weather(before: State, event: e.WeatherSet, after: State) -> Told:
    yield tell(
        "ocs.weather",
        "OCS 17",
        ground=f"ocs.ground.{event.ground}",
        flight=f"ocs.flight.{event.flight}",
    )


@tells(segments.InitiativeRolled)
def _initiative(before: State, event: segments.InitiativeRolled, after: State) -> Told:
    one, other = after.charts.sides
    yield dice_("first_player", 6, (*event.first, *event.second))
    yield tell(
        "ocs.initiative",
        "OCS 2.3",
        one=one,
        first=event.first,
        other=other,
        second=event.second,
    )


@tells(e.FirstPlayerChosen)
def _first(before: State, event: e.FirstPlayerChosen, after: State) -> Told:
    yield tell("ocs.first", "OCS 2.3", side=event.side)


@tells(e.PlayerTurnBegun)
def _player_turn(before: State, event: e.PlayerTurnBegun, after: State) -> Told:
    yield closing("activation")
    yield opening("activation", "ocs.player_turn", side=event.side)


@tells(e.SegmentBegun)
def _segment(before: State, event: e.SegmentBegun, after: State) -> Told:
    yield phase(f"phase.ocs.{event.segment}", side=after.phasing)


@tells(segments.ScenarioOver)
def _over(before: State, event: segments.ScenarioOver, after: State) -> Told:
    yield tell("ocs.scenario_over", "OCS 2.3")
    yield closing("game")


@tells(e.CleanedUp)
def _cleaned(before: State, event: e.CleanedUp, after: State) -> Told:
    yield tell("ocs.cleaned", "OCS 2.3", side=event.side)


# --- units ----------------------------------------------------------------------------------------


@tells(e.ModeChanged)
def _mode(before: State, event: e.ModeChanged, after: State) -> Told:
    found: dict[str, list[str]] = {}
    for name, marker, move_side in fog.plain(event.units):
        found.setdefault(marker or ("move" if move_side else "combat"), []).append(name)
    for mode, units in found.items():
        yield own(event.side, "ocs.mode", "OCS 5.4", units=tuple(units), mode=f"ocs.mode.{mode}")


@tells(e.Released)
def _released(before: State, event: e.Released, after: State) -> Told:
    yield own(event.side, "ocs.released", "OCS 5.7b", units=fog.plain(event.units))


@tells(e.Moved)
def _moved(before: State, event: e.Moved, after: State) -> Told:
    """OCS R-16 The path is seen, who went is not."""
    units = fog.plain(event.units)
    side = side_of(after, units)
    start = before.units[units[0]].at
    way = (*(() if start == OFF_MAP else (after.charts.board.name(start),)), *event.way)
    yield tell("ocs.moved", "OCS 6.1", side=side, path=way)
    yield own(side, "ocs.moved_units", "OCS 6.1", units=units)


@tells(rail.Railed)
def _railed(before: State, event: rail.Railed, after: State) -> Told:
    yield tell("ocs.railed", "OCS 13.3", side=event.side, start=event.start, hex=event.hex)
    yield own(event.side, "ocs.units", "OCS 13.3", units=fog.plain(event.units))


@tells(staying.Stays)
def _stays(before: State, event: staying.Stays, after: State) -> Told:
    units = fog.plain(event.units)
    if units:
        reason = f"ocs.relies.{fog.plain(event.reason)}"
        yield own(event.side, "ocs.stays", "OCS 4.5b", units=units, reason=reason)


@tells(rail.SupplyRailed)
def _supply_railed(before: State, event: rail.SupplyRailed, after: State) -> Told:
    yield carried(after, event, "ocs.supply_railed", "OCS 13.3a")


@tells(e.StepsLost)
def _steps(before: State, event: e.StepsLost, after: State) -> Told:
    """OCS R-17 A shown unit's death is seen, another's is not."""
    unit, pile = fog.plain(event.unit), fog.plain(event.pile)
    side = after.side(unit)
    why = f"ocs.why.{event.why or 'rules'}"
    at = before.units[unit].at
    place = after.charts.board.name(at) if at != OFF_MAP else before.units[unit].where
    yield tell("ocs.steps_lost", "OCS 9.11", side=side, hex=place, n=event.steps, why=why)
    if pile and at != OFF_MAP and before.tops.get(at) == unit and fog.strict(before):
        yield tell("ocs.shown_destroyed", "OCS 4.9a", unit=unit)
    yield own(side, "ocs.unit_destroyed" if pile else "ocs.unit_lost", "OCS 9.11", unit=unit)


@tells(e.Destroyed)
def _destroyed(before: State, event: e.Destroyed, after: State) -> Told:
    """OCS R-17 A shown unit's death is seen, another's is not."""
    units = fog.plain(event.units)
    why = f"ocs.why.{event.why or 'rules'}"
    yield tell("ocs.units_destroyed", "OCS 9.12", side=event.side, hex=event.hex, why=why)
    shown = before.tops.get(after.charts.board.hex(event.hex), "")
    if shown in units and fog.strict(before):
        yield tell("ocs.shown_destroyed", "OCS 4.9a", unit=shown)
    yield own(event.side, "ocs.unit_destroyed", "OCS 9.12", unit=units)


@tells(e.Put)
def _put(before: State, event: e.Put, after: State) -> Told:
    units = fog.plain(event.units)
    side = side_of(after, units)
    yield tell("ocs.put", "OCS 13.6", side=side, hex=fog.plain(event.hex))
    yield own(side, "ocs.put_units", "OCS 13.6", units=units)


@tells(e.TakenOff)
def _taken(before: State, event: e.TakenOff, after: State) -> Told:
    units = fog.plain(event.units)
    yield own(side_of(after, units), "ocs.taken_off", "OCS 13.6", units=units)


@tells(e.SupplyMarked)
def _oos(before: State, event: e.SupplyMarked, after: State) -> Told:
    units = fog.plain(event.units)
    if units:
        key = "ocs.out_of_supply" if event.oos else "ocs.in_supply"
        yield own(side_of(after, units), key, "OCS 12.8a", units=units)


@tells(e.StocksChanged)
def _stocks(before: State, event: e.StocksChanged, after: State) -> Told:
    units = fog.plain(event.units)
    if units:
        level = ("full", "low", "exhausted")[fog.plain(event.stocks)]
        yield own(
            side_of(after, units),
            "ocs.stocks",
            "OCS 12.10",
            units=units,
            level=f"ocs.stocks.{level}",
        )


@tells(formations.UnitsGathered)
def _gathered(before: State, event: formations.UnitsGathered, after: State) -> Told:
    """OCS 13.7b What lies under other units is not told."""
    units, marker = fog.plain(event.units), fog.plain(event.formation)
    if units:
        yield own(event.side, "ocs.gathered", formations.CLAUSE, formation=marker, units=units)
    else:
        yield own(event.side, "ocs.marker_off", formations.CLAUSE, formation=marker)


@tells(breakdowns.Detached)
def _detached(before: State, event: breakdowns.Detached, after: State) -> Told:
    yield tell("ocs.detached", breakdowns.CLAUSE, side=event.side)
    unit, parts = fog.plain(event.unit), fog.plain(event.parts)
    yield own(event.side, "ocs.detached_units", breakdowns.CLAUSE, unit=unit, units=parts)


@tells(breakdowns.Absorbed)
def _absorbed(before: State, event: breakdowns.Absorbed, after: State) -> Told:
    for part, name in fog.plain(event.pairs):
        yield own(event.side, "ocs.absorbed", breakdowns.CLAUSE, unit=name, piece=part)


@tells(recon.ReconBegun)
def _recon(before: State, event: recon.ReconBegun, after: State) -> Told:
    yield tell("ocs.recon", recon.CLAUSE, side=event.side, hex=event.hex)
    yield own(event.side, "ocs.units", recon.CLAUSE, units=(fog.plain(event.unit),))


@tells(recon.Scouted)
def _scouted(before: State, event: recon.Scouted, after: State) -> Told:
    steps = fog.plain(event.steps)
    if steps:
        level = f"ocs.at.{fog.plain(event.level)}"
        yield own(event.side, "ocs.scouted", recon.CLAUSE, hex=event.hex, n=steps, level=level)


# --- the map --------------------------------------------------------------------------------------


@tells(e.HedgehogSet)
def _hedgehog(before: State, event: e.HedgehogSet, after: State) -> Told:
    works = before.hedgehogs.get(before.charts.board.hex(event.hex))
    entered = works is not None and works.side != event.side
    clause = rules(after.charts).hedgehog_entered_by if entered else "OCS 16.0"
    if event.level:
        yield tell("ocs.hedgehog", clause, side=event.side, hex=event.hex, level=event.level)
    else:
        yield tell("ocs.hedgehog_gone", clause, hex=event.hex)


@tells(e.BaseSet)
def _base(before: State, event: e.BaseSet, after: State) -> Told:
    if event.level:
        yield tell("ocs.base", "OCS 15.0", side=event.side, hex=event.hex, level=event.level)
    else:
        yield tell("ocs.base_gone", "OCS 15.0", hex=event.hex)


@tells(e.ControlTaken)
def _control(before: State, event: e.ControlTaken, after: State) -> Told:
    places = after.charts.board.map.places
    named = tuple(name for name in event.hexes if after.charts.board.hex(name) in places)
    if named:
        yield tell("ocs.control", "OCS 13.3h", side=event.side, hexes=named)
