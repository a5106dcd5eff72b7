"""OCS 14.2f(A), (B): the commands that declare missions.

OCS 4.9a The enemy sees the target and the top aircraft of a mission, not who else flies.
"""

from collections.abc import Sequence

from attrs import frozen

from warledger.engine.board import hexsets
from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.ch04_concepts.rounding import mixed, rounded
from warledger.engine.games.ocs.ch06_movement import movement
from warledger.engine.games.ocs.ch10_barrage import barrage, barrage_in_progress
from warledger.engine.games.ocs.ch14_air import aircraft, flak
from warledger.engine.games.ocs.ch14_air.air_course import MISSION
from warledger.engine.games.ocs.ch14_air.mission_in_progress import (
    BARRAGE,
    BASE_BARRAGE,
    HIP_SHOOT,
    SWEEP,
    TRAINBUSTING,
    TRANSFER,
)
from warledger.engine.games.ocs.ch14_air.missions import (
    AIMS,
    BOMBING,
    MissionDeclared,
    able,
    any_place,
    bombs,
    flyers,
    gets_to,
    place_at,
    places,
    targets,
)
from warledger.engine.games.ocs.ch17_weather import weather
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.scenario import Place, place_name, place_of
from warledger.engine.games.ocs.series.state import State
from warledger.engine.kernel.commands import Asked, Command, Commands, Many, Offer, Slot
from warledger.engine.kernel.lazy import Lazy
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Pick, Refusal, Say
from warledger.protocol.board.choices import refuse, say


@frozen
class Flying:
    """OCS 14.2f Where a mission goes, and who flies it."""

    place: str = ""
    aircraft: tuple[str, ...] = ()


def commands() -> Commands[State]:
    """OCS 14.6, 14.7d, 14.11 sweep, hip_shoot, transfer: for the step in which units move."""
    return (
        order(SWEEP, "sweep", "ocs.air_target"),
        order(HIP_SHOOT, "hip_shoot", "ocs.air_target"),
        order(TRANSFER, "transfer", "ocs.base"),
    )


def barrage_commands() -> Commands[State]:
    """OCS 14.7, 14.8 bomb, bomb_base, bust: for the steps of the Barrage Segments."""
    return (
        order(BARRAGE, "bomb", "ocs.air_target"),
        order(BASE_BARRAGE, "bomb_base", "ocs.air_target"),
        order(TRAINBUSTING, "bust", "ocs.air_target"),
    )


def order(kind: str, verb: str, asks: str) -> Command[State, Flying]:
    """OCS 14.2f The command that declares a mission: `VERB PLACE AIRCRAFT …`."""
    return Command(
        verb,
        Flying,
        Slot(
            "place",
            asks,
            lambda asked, _order: _places(asked, kind),
            lambda asked, _order, pick: _why_not_place(asked, kind, pick),
        ),
        Many(
            "aircraft",
            "ocs.aircraft",
            lambda asked, order: _flyers(asked, kind, order),
            lambda asked, order, pick: why_not_aircraft(asked, kind, order, pick),
            full=lambda asked, order: bool(order.aircraft) and not _flyers(asked, kind, order),
        ),
        apply=lambda table, asked, order: declare(
            table, kind, order.aircraft, place_of(table.state.charts.board, order.place)
        ),
        when=lambda asked: any_place(asked.state, asked.seat, kind),
        why=lambda asked: _why_none(asked, kind),
        beyond=lambda asked, order, pick: why_not_aircraft(asked, kind, order, pick),
        preview=lambda asked, order: _preview(asked, kind, order),
    )


def _preview(asked: Asked[State], kind: str, order: Flying) -> tuple[Say, ...]:
    """OCS 14.7, 10.0a What the bombs of those picked amount to if all get there, on which column,
    and the shifts that are known before. OCS 4.9c Under fog the density of the target and its modes
    are not. OCS 14.4, 14.5 What flak adds to its roll, and whether the enemy may intercept, as far
    as that is seen."""
    if not order.aircraft:
        return ()
    place = place_of(asked.state.charts.board, order.place)
    met: tuple[Say, ...] = ()
    if isinstance(place, int):
        met = flak.foretold(asked.state, asked.seat, kind, order.aircraft, place)
    return (*_bombs_foretold(asked, kind, order), *met)


def _bombs_foretold(asked: Asked[State], kind: str, order: Flying) -> tuple[Say, ...]:
    if kind not in AIMS:
        return ()
    state, names, aim = asked.state, order.aircraft, AIMS[kind]
    points = bombs(state, names)
    if rounded(points) < 1:
        return ()
    table = barrage.table_of(state, aim)
    said = [
        say(
            "preview.ocs.bombs",
            "OCS 14.7",
            strength=mixed(points),
            column=table.heads[table.column(points)],
        )
    ]
    if aim == barrage_in_progress.UNITS:
        target = state.charts.board.hex(order.place)
        bombers = rules(state.charts).bombers(state.charts, names)
        moved = barrage.shifts(
            state,
            target,
            spotter=barrage.spotted(state, bombers, target, air=True),
            short=aircraft.short(state, bombers, target),
            long=any(aircraft.far(state, name, target) for name in bombers),
        )
        said.extend(barrage.foretold(state, moved))
    return tuple(said)


def _places(asked: Asked[State], kind: str) -> Offer:
    state, side = asked.state, asked.seat
    board = state.charts.board

    def has(pick: Pick) -> bool:
        place = place_at(state, pick)
        if place is None:
            return False
        if kind == TRANSFER:
            offered = place in aircraft.bases(state, side)
        else:
            offered = isinstance(place, int) and hexsets.has(targets(state, side, kind), place)
        return offered and bool(able(state, side, kind, place))

    return Lazy(lambda: [place_name(board, place) for place in places(state, side, kind)], has)


def _flyers(asked: Asked[State], kind: str, order: Flying) -> tuple[str, ...]:
    state = asked.state
    place = place_of(state.charts.board, order.place)
    return able(state, asked.seat, kind, place, order.aircraft)


def _why_none(asked: Asked[State], kind: str) -> Refusal:
    state = asked.state
    if not weather.may_fly(state):
        return refuse("OCS 17", "refusal.ocs.no_flying_weather")
    if kind == HIP_SHOOT and not weather.may_hip_shoot(state):
        return refuse("OCS 14.7d", "refusal.ocs.no_hip_shoots_now")
    if kind == BASE_BARRAGE and not rules(state.charts).bombs_bases(state.charts):
        return refuse("HR 1.3e", "refusal.ocs.no_base_barrage_by_air")
    if not flyers(state, asked.seat, kind):
        return refuse("OCS 14.2e", "refusal.ocs.no_aircraft_for_it")
    return refuse("OCS 14.2d", "refusal.ocs.no_air_target")


def _why_not_place(asked: Asked[State], kind: str, pick: Pick) -> Refusal:
    state, side = asked.state, asked.seat
    place = place_at(state, pick)
    name = str(pick)
    if place is None:
        return refuse("OCS 14.2", "refusal.ocs.no_such_hex", hex=name)
    if kind in BOMBING and isinstance(place, int) and hexsets.has(state.phase_use.barraged, place):
        return refuse("OCS 10.0e", "refusal.ocs.already_barraged", hex=name)
    if kind == TRANSFER:
        if place not in aircraft.bases(state, side):
            return refuse("OCS 14.11", "refusal.ocs.not_your_base", hex=name)
    elif not isinstance(place, int) or not hexsets.has(targets(state, side, kind), place):
        return refuse("OCS 14.2f", f"refusal.ocs.no_target_for_{kind}", hex=name)
    if not any(gets_to(state, one, kind, place) for one in flyers(state, side, kind)):
        return refuse("OCS 14.2d", "refusal.ocs.beyond_range", hex=name)
    return refuse("OCS 10.0b", "refusal.ocs.not_spotted", hex=name)


def why_not_aircraft(asked: Asked[State], kind: str, order: Flying, pick: Pick) -> Refusal:
    """OCS 14.1a, 14.2a, 14.2d, 14.2e"""
    state, name = asked.state, str(pick)
    plane = state.aircraft.get(name)
    if plane is None or aircraft.printed(state, name).side != asked.seat or plane.base is None:
        return refuse("OCS 14.2", "refusal.ocs.not_your_aircraft", aircraft=name)
    if name in order.aircraft:
        return refuse("OCS 14.2e", "refusal.ocs.flies_once", aircraft=name)
    if not plane.active:
        return refuse("OCS 14.1a", "refusal.ocs.inactive", aircraft=name)
    if plane.flown:
        return refuse("OCS 14.2e", "refusal.ocs.has_flown", aircraft=name)
    if name not in flyers(state, asked.seat, kind):
        return refuse("OCS 14.1", "refusal.ocs.not_for_this_mission", aircraft=name)
    place = place_of(state.charts.board, order.place)
    if not gets_to(state, name, kind, place):
        return refuse("OCS 14.2d", "refusal.ocs.beyond_range_of", aircraft=name, hex=order.place)
    most = weather.most_aircraft(state, aircraft.IN_MISSION)
    if len(order.aircraft) >= most:
        if most < aircraft.IN_MISSION:
            return refuse("OCS 17", "refusal.ocs.weather_mission_full", aircraft=name, most=most)
        return refuse("OCS 14.2a", "refusal.ocs.mission_full", aircraft=name)
    if not rules(state.charts).fly_together(state, kind, (*order.aircraft, name)):
        return refuse("HR 2.2a", "refusal.ocs.flies_apart", aircraft=name)
    return refuse("OCS 10.0b", "refusal.ocs.not_spotted", hex=order.place)


def declare(table: Table[State], kind: str, names: Sequence[str], place: Place) -> None:
    """OCS 14.2f(A), (B) A mission is declared and placed; its course follows."""
    announce(table, kind, names, place)
    table.call(MISSION)


def announce(table: Table[State], kind: str, names: Sequence[str], place: Place) -> None:
    """OCS 14.2f(A), (B) A mission is declared and placed. OCS 6.1g Whoever was moving is done."""
    state = table.state
    side = aircraft.printed(state, names[0]).side
    if state.move is not None:
        movement.interrupted(table, ())
    table.emit(
        MissionDeclared(
            side,
            kind,
            fog.hidden(state, side, tuple(names)),
            place_name(state.charts.board, place),
            fog.top_of(state, names),
        )
    )
