"""OCS 14.2f: the course of a mission, from where it is placed over its target until it is home.

OCS 14.2f Where enemy aircraft are active over the target the mission fights them (C); the enemy may
intercept it (D); flak fires (E). What is left does what it came for; all of it goes home and is
inactive (14.1c). The course is the sequence `MISSION`; each step passes by once nobody is left. By
4.9c and 4.9d the enemy is told what flak, shifts and air combat reveal.

[R] OCS 14.11 Fighters of a transfer stay active in the order of their mission as long as the base
has room.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction

from attrs import frozen

from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.ch04_concepts.rounding import rounded
from warledger.engine.games.ocs.ch09_combat import losses
from warledger.engine.games.ocs.ch10_barrage import barrage, barrage_in_progress
from warledger.engine.games.ocs.ch10_barrage.barrage import BarrageDeclared
from warledger.engine.games.ocs.ch10_barrage.bombardment import BOMBARDMENT
from warledger.engine.games.ocs.ch14_air import air_combat, aircraft, flak, interception
from warledger.engine.games.ocs.ch14_air.air_combat import mission
from warledger.engine.games.ocs.ch14_air.mission_in_progress import (
    BARRAGE,
    BASE_BARRAGE,
    HIP_SHOOT,
    TRAINBUSTING,
    TRANSFER,
    Sortie,
)
from warledger.engine.games.ocs.ch14_air.missions import (
    AIMS,
    CARRYING,
    MissionOver,
    TrainsBusted,
    bombs,
    place_at,
)
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.scenario import Place, place_name, place_of
from warledger.engine.games.ocs.series.state import State
from warledger.engine.kernel.commands import Asked, Asking, Command, Commands, Pairs, Slot, word
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Pick, Refusal, Seat, Step
from warledger.protocol.board.choices import refuse, say

NO_TARGET = "no_target"
"""Why a mission aborts that does not find what it hunts."""

WHY = "no_base"
"""Why aircraft are lost that reach no base."""


class Arrival(Step[State]):
    """OCS 14.2f(C) Enemy aircraft active in the hex fight the mission, whatever it came for."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """OCS 14.2f(C) The mission begins the combat."""
        table.done()
        state = table.state
        sortie = mission(state)
        if sortie.target < 0:
            return
        enemies = aircraft.active_over(state, state.enemy(sortie.side), sortie.target)
        if not enemies:
            return
        friends = aircraft.active_over(state, sortie.side, sortie.target)
        air_combat.join(table, sortie.side, (*sortie.aircraft, *friends, *enemies))


class Finding(Step[State]):
    """OCS 14.2f Before flak: a mission that does not find what it hunts aborts."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Both sides see the answer, whatever it is."""
        table.done()
        state = table.state
        sortie = mission(state)
        if sortie.hunting and not rules(state.charts).hunted(state, sortie.target):
            air_combat.abort(table, sortie.aircraft, NO_TARGET)


class MeetFlak(Step[State]):
    """OCS 14.2f(E) Flak at what is left of the mission."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """OCS 14.4e One roll."""
        table.done()
        sortie = mission(table.state)
        if sortie.target >= 0:
            flak.fire(table, sortie.side, sortie.kind, sortie.aircraft, sortie.target)


class Effect(Step[State]):
    """OCS 14.2f(F) What is left of the mission does what it came for."""

    def __init__(self, more: Mapping[str, Callable[[Table[State]], None]] | None = None) -> None:
        self._does = {
            **dict.fromkeys((BARRAGE, BASE_BARRAGE, HIP_SHOOT, TRAINBUSTING), _bomb),
            TRANSFER: _transfer,
            **(more or {}),
        }

    def advance(self, table: Table[State], frame: Frame) -> None:
        """OCS 14.6 A sweep has done so already. OCS 14.4g What cargo is lost is said even where
        nobody is left to carry it."""
        table.done()
        sortie = mission(table.state)
        does = self._does.get(sortie.kind)
        if does is not None and (sortie.aircraft or sortie.kind in CARRYING):
            does(table)


def _bomb(table: Table[State]) -> None:
    """OCS 14.7, 14.8 The bombs fall. OCS 14.4f A mission with points below one does nothing, nor
    does one that set out to hunt and has only its escort left."""
    state = table.state
    sortie = mission(state)
    names, target, aim = sortie.aircraft, sortie.target, AIMS[sortie.kind]
    points, game = bombs(state, names), rules(state.charts)
    if rounded(points) < 1 or sortie.hunting != game.hunts(state.charts, names):
        return
    bombers = game.bombers(state.charts, names)
    table.emit(
        BarrageDeclared(
            sortie.side,
            barrage_in_progress.AIR,
            fog.hidden(state, sortie.side, tuple(bombers)),
            aim,
            state.charts.board.name(target),
            barrage.table_of(state, aim).column(points),
        )
    )
    table.call(BOMBARDMENT)
    if aim == barrage_in_progress.UNITS:
        barrage.fall(
            table,
            points,
            spotter=barrage.spotted(state, bombers, target, air=True),
            short=aircraft.short(state, bombers, target),
            long=any(aircraft.far(state, name, target) for name in bombers),
        )
    elif aim == barrage_in_progress.BASE:
        barrage.fall_on_base(table, points)
    elif barrage.fall_on_railway(table, points):
        table.emit(TrainsBusted(sortie.side, state.charts.board.name(target)))


def stays_active(state: State, name: str, place: Place) -> bool:
    """OCS 14.11, 21.4 Whether an aircraft that is transferred stays active, where the base has room
    (14.2a): a fighter within its range (half of it under the option)."""
    plane, base = aircraft.printed(state, name), state.aircraft[name].base
    if not plane.fighter or base is None:
        return False
    reach = plane.range
    if state.charts.options.get(aircraft.LONG_RANGE):
        reach //= 2
    return aircraft.between_bases(state, base, place) <= reach


def _transfer(table: Table[State]) -> None:
    """OCS 14.11 The aircraft lie at their new base."""
    sortie = mission(table.state)
    staying: list[str] = []
    free = min(
        aircraft.room(table.state, sortie.place), aircraft.welcome(table.state, sortie.place)
    )
    for name in sortie.aircraft:
        if len(staying) < free and stays_active(table.state, name, sortie.place):
            staying.append(name)
    resting = [name for name in sortie.aircraft if name not in staying]
    aircraft.settle_in(table, sortie.side, staying, sortie.place)
    where = dict.fromkeys(resting, sortie.place)
    aircraft.put_all(table, sortie.side, where, active=False)


@frozen
class Landing:
    """Aircraft with the bases to which they return; those that are not named go home."""

    landings: tuple[tuple[str, str], ...] = ()
    aircraft: str = ""


def homes(state: State, name: str) -> tuple[Place, ...]:
    """OCS 14.1c Bases to which an aircraft of the mission may return, its own first, then the
    nearest. An aircraft that aborted over a friendly base lands there. OCS 14.9e, 14.9f A transport
    that has come further than its range, or whose cargo the base does not unload in time, stays
    there. One with twice the load goes no further than half its range."""
    sortie = mission(state)
    found = aircraft.homes(state, name, sortie.target)
    if name in sortie.aborted and sortie.target in found:
        return (sortie.target,)
    if name in sortie.cargo and sortie.kind in CARRYING:
        if name in sortie.staying or _too_far(state, sortie, name):
            return (sortie.target,)
        if sortie.doubled:
            half = Fraction(aircraft.printed(state, name).range, 2)
            found = tuple(
                base for base in found if aircraft.between(state, base, sortie.target) <= half
            )
    own = state.aircraft[name].base
    return tuple(
        sorted(found, key=lambda base: (base != own, aircraft.between(state, base, sortie.target)))
    )


def _too_far(state: State, sortie: Sortie, name: str) -> bool:
    """OCS 14.9e, 21.12a Whether a transport has come further than its range; by an intermediate
    base, on either leg."""
    base = state.aircraft[name].base
    if sortie.relay is None or base is None:
        return not aircraft.reaches(state, name, sortie.target)
    away = aircraft.longest_leg(state, base, sortie.relay.final, sortie.relay.via)
    return away > aircraft.printed(state, name).range


class Return(Asking[State]):
    """OCS 10.2, 14.1c, 14.2f(G) What is left of the mission goes home, inactive: `home` to where
    each came from, `land AIRCRAFT BASE …` where some go elsewhere. Where they go, and how many they
    are, is kept from the enemy (OCS R-15): it is one command."""

    verb_slot = "ocs.return"

    def sealed(self, asked: Asked[State]) -> bool:
        """OCS R-15 Inactive aircraft are not seen."""
        return fog.strict(asked.state)

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The side of the mission, while aircraft are out and it has more than one base."""
        state = at.state
        sortie = mission(state)
        if not sortie.flying or len(aircraft.bases(state, sortie.side)) < 2:
            return {}
        if not fog.strict(state) and all(len(homes(state, one)) < 2 for one in sortie.flying):
            return {}
        return {sortie.side: Decision(say("prompt.ocs.air_return", "OCS 14.1c"))}

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Those who have no choice go home; then the mission is over."""
        if mission(table.state).flying:
            self._land(table)
            return
        table.emit(MissionOver())
        table.done()

    def commands(self) -> Commands[State]:
        """home, land."""
        return (
            word("home", lambda table, asked: self._land(table)),
            Command(
                "land",
                Landing,
                Pairs(
                    "landings",
                    Slot("aircraft", "ocs.aircraft", _landing, _why_not_landing),
                    Slot("base", "ocs.base", _homes, _why_not_home),
                ),
                apply=lambda table, asked, order: self._land(table, order.landings),
                when=lambda asked: any(
                    homes(asked.state, name) for name in mission(asked.state).flying
                ),
            ),
        )

    def _land(self, table: Table[State], landings: Sequence[tuple[str, str]] = ()) -> None:
        state = table.state
        sortie, board = mission(state), state.charts.board
        named = {name: place_of(board, base) for name, base in landings}
        where: dict[str, Place] = {}
        for name in sortie.flying:
            found = homes(state, name)
            if name in named:
                where[name] = named[name]
            elif found:
                where[name] = found[0]
            else:
                losses.lose_plane(table, name, aircraft.printed(state, name).steps, why=WHY)
        aircraft.put_all(table, sortie.side, where, active=False)


def _landing(asked: Asked[State], order: Landing) -> Iterable[str]:
    chosen = [name for name, _base in order.landings]
    return [
        name
        for name in mission(asked.state).flying
        if name not in chosen and homes(asked.state, name)
    ]


def _homes(asked: Asked[State], order: Landing) -> Iterable[str]:
    board = asked.state.charts.board
    return [place_name(board, base) for base in homes(asked.state, order.aircraft)]


def _why_not_landing(asked: Asked[State], order: Landing, pick: Pick) -> Refusal:
    return refuse("OCS 14.1c", "refusal.ocs.not_in_mission", aircraft=str(pick))


def _why_not_home(asked: Asked[State], order: Landing, pick: Pick) -> Refusal:
    state = asked.state
    place = place_at(state, pick)
    if place is None or place not in aircraft.bases(state, asked.seat):
        return refuse("OCS 14.1c", "refusal.ocs.not_your_base", hex=str(pick))
    return refuse(
        "OCS 14.2d", "refusal.ocs.beyond_range_of", aircraft=order.aircraft, hex=str(pick)
    )


MISSION = "ocs.mission"

SEQUENCES: Mapping[str, tuple[str, ...]] = {
    MISSION: (
        "ocs.air_arrival",
        interception.INTERCEPTION,
        "ocs.air_finding",
        "ocs.air_flak",
        "ocs.air_effect",
        "ocs.air_return",
    )
}
"""OCS 14.2f The course of a mission, from step C."""

STEPS: Mapping[str, Step[State]] = {
    "ocs.air_arrival": Arrival(),
    "ocs.air_finding": Finding(),
    "ocs.air_flak": MeetFlak(),
    "ocs.air_effect": Effect(),
    "ocs.air_return": Return(),
}
