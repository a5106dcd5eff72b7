"""OCS 14.1, 14.2, 14.6-14.8, 14.11: missions: who may fly what where, and how one runs its course.

OCS 14.2f A mission is declared and placed over its target; where enemy aircraft are active there it
fights them (C); the enemy may intercept it (D); flak fires (E); what is left does what it came for;
all of it goes home and is inactive (14.1c). OCS 14.2e An aircraft flies one mission a phase. The
course is the sequence `MISSION`; all that a mission knows stands in `state.sortie`, and each step
passes by once nobody is left. Transport and drops (14.9, 14.10) are `air_transport`'s.

OCS 4.9a The enemy sees the target and the top aircraft of a mission, and by 4.9c, 4.9d what flak,
shifts and air combat tell; not who else flies.

[R] OCS 14.8 Trains may be busted in any hex. OCS 14.6 Sweeps are flown by fighters alone. OCS
14.11 Fighters of a transfer stay active in the order of their mission as long as the base has room.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from attrs import frozen

from warledger.engine.board import hexsets
from warledger.engine.board.hexsets import Hexes
from warledger.engine.games.ocs import (
    air_combat,
    aircraft,
    barrage,
    fire,
    flak,
    fog,
    interception,
    losses,
    movement,
    weather,
    zones,
)
from warledger.engine.games.ocs.air_combat import mission
from warledger.engine.games.ocs.barrage import BarrageDeclared
from warledger.engine.games.ocs.bombardment import BOMBARDMENT
from warledger.engine.games.ocs.game import rules
from warledger.engine.games.ocs.rounding import rounded
from warledger.engine.games.ocs.scenario import Place, place_name, place_of
from warledger.engine.games.ocs.sortie import (
    BARRAGE,
    BASE_BARRAGE,
    DROP,
    HIP_SHOOT,
    SWEEP,
    TRAINBUSTING,
    TRANSFER,
    TRANSPORT,
    Sortie,
)
from warledger.engine.games.ocs.state import State
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import (
    Asked,
    Asking,
    Command,
    Commands,
    Many,
    Offer,
    Pairs,
    Slot,
    word,
)
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.lazy import Lazy
from warledger.engine.kernel.memo import remembered
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Pick, Refusal, Seat, Step, event
from warledger.protocol.choices import refuse, say

MOVEMENT_SEGMENTS, BARRAGE_SEGMENTS = ("c2", "e1", "g1"), ("c3", "e2", "g2")
"""OCS 2.3 Segments in which missions are flown."""

CARRYING = (TRANSPORT, DROP)
"""OCS 14.9, 14.10 Missions that carry something: transports, with fighters as escorts."""

BOMBING = (BARRAGE, BASE_BARRAGE, TRAINBUSTING)
"""OCS 14.7, 14.8 Missions of the Barrage Segments; the others are flown while units move."""

AIMS: Mapping[str, str] = {
    BARRAGE: fire.UNITS,
    HIP_SHOOT: fire.UNITS,
    BASE_BARRAGE: fire.BASE,
    TRAINBUSTING: fire.RAILWAY,
}
"""OCS 10.0d What the bombs of a mission are aimed at."""

NO_TARGET = "no_target"
"""Why a mission aborts that does not find what it hunts."""

WHY = "no_base"
"""Why aircraft are lost that reach no base."""


# --- events ---------------------------------------------------------------------------------------


@event("ocs.mission")
class MissionDeclared:
    """OCS 14.2f A side flies a mission over a hex, or to a base. Who flies is its own to know but
    for `shown`, the top aircraft (4.9a)."""

    side: str
    kind: str
    aircraft: Any
    place: str
    shown: str


@event("ocs.trains_busted")
class TrainsBusted:
    """OCS 14.8 A side places a trainbusting marker."""

    side: str
    hex: str


@event("ocs.mission_over")
class MissionOver:
    """OCS 14.2f All aircraft of the mission have landed or are lost."""


EVENTS = (MissionDeclared, TrainsBusted, MissionOver)

after = ByEvent()


@after(MissionDeclared)
def _declared(state: State, event: MissionDeclared) -> State:
    """OCS 14.2e, 10.0e The aircraft have flown in this phase, and the hex has been barraged even
    where the mission does not get there."""
    names = tuple(fog.plain(event.aircraft))
    place = place_of(state.charts.board, event.place)
    target = place if isinstance(place, int) else -1
    flown = {name: replace(state.aircraft[name], flown=True) for name in names}
    hunting = event.kind in AIMS and rules(state.charts).hunts(state.charts, names)
    made = replace(
        state,
        aircraft={**state.aircraft, **flown},
        sortie=Sortie(event.side, event.kind, names, target, place, event.shown, hunting=hunting),
    )
    if event.kind not in BOMBING:
        return made
    use = made.phase_use
    return replace(made, phase_use=replace(use, barraged=use.barraged | 1 << target))


@after(TrainsBusted)
def _busted(state: State, event: TrainsBusted) -> State:
    i = state.charts.board.hex(event.hex)
    return replace(state, trainbusting={**state.trainbusting, i: event.side})


@after(MissionOver)
def _over(state: State, event: MissionOver) -> State:
    return replace(state, sortie=None)


TABLE = after.table()


# --- who may fly what -----------------------------------------------------------------------------


def may_be_flown(state: State, kind: str) -> bool:
    """OCS 2.3, 14.2e, 17 Whether missions of a kind are flown in this segment, in this weather."""
    segments = BARRAGE_SEGMENTS if kind in BOMBING else MOVEMENT_SEGMENTS
    if state.segment not in segments or not weather.may_fly(state):
        return False
    return kind != HIP_SHOOT or weather.may_hip_shoot(state)


def bombs(state: State, names: Sequence[str]) -> Fraction:
    """OCS 4.2, 14.7 Barrage points that a mission brings to bear, fractions added before they are
    rounded."""
    counted = rules(state.charts).bombers(state.charts, names)
    return sum((aircraft.points(state, name) for name in counted), Fraction(0))


def carries(state: State, name: str) -> bool:
    """OCS 14.9 Whether an aircraft can carry anything."""
    return aircraft.printed(state, name).transport and aircraft.capacity(state, name) > 0


def suited(state: State, name: str, kind: str) -> bool:
    """OCS 14.1, 14.6, 14.7, 14.9 Whether an aircraft can fly a kind of mission at all: sweeps
    fighters, barrages whatever has barrage points, hip shoots what the game lets, strategic bombers
    never (14.1e), transport and drops transports, with fighters beside them."""
    plane, game = aircraft.printed(state, name), rules(state.charts)
    if kind == SWEEP:
        return plane.fighter
    if kind in CARRYING:
        return plane.fighter or carries(state, name)
    if kind in AIMS and rounded(aircraft.points(state, name)) < 1:
        return False
    return kind != HIP_SHOOT or (not plane.strategic and game.hip_shoots(state.charts, name))


@remembered()
def flyers(state: State, side: str, kind: str) -> tuple[str, ...]:
    """OCS 14.1a, 14.2e Aircraft of a side that may fly a kind of mission now, wherever it goes."""
    if side != zones.mover(state) or not may_be_flown(state, kind):
        return ()
    game = rules(state.charts)
    if kind == BASE_BARRAGE and not game.bombs_bases(state.charts):
        return ()
    return tuple(
        name
        for name in aircraft.ready(state, side)
        if suited(state, name, kind) and game.flies(state, name, kind)
    )


def gets_to(state: State, name: str, kind: str, place: Place) -> bool:
    """OCS 14.2d, 14.9e, 14.11 Whether an aircraft can go to a place on a kind of mission: within
    its range, and back; a transfer, or cargo for a base, twice as far, one way."""
    game = rules(state.charts)
    if kind == TRANSPORT and carries(state, name):
        base = state.aircraft[name].base
        if not isinstance(place, int) or base == place or not game.lands_at(state, name, place):
            return False
        return aircraft.reaches(state, name, place, 2) and game.flies_over(state, name, place)
    if kind == TRANSFER:
        base = state.aircraft[name].base
        if base is None or base == place or not game.lands_at(state, name, place):
            return False
        return aircraft.between_bases(state, base, place) <= 2 * aircraft.printed(state, name).range
    if not isinstance(place, int):
        return False
    return aircraft.reaches(state, name, place) and game.flies_over(state, name, place)


def together(state: State, kind: str, names: Sequence[str], place: Place) -> bool:
    """OCS 14.2a, 14.7d, 14.9 Whether these aircraft may fly one mission: no more than four or the
    weather's limit, one alone for a hip shoot, spotted where they need it (10.0b); cargo goes with
    transports of one base, named before any escort."""
    most = 1 if kind == HIP_SHOOT else weather.most_aircraft(state, aircraft.IN_MISSION)
    game = rules(state.charts)
    if len(names) > most or not game.fly_together(state, kind, names):
        return False
    if kind in CARRYING:
        first = state.aircraft[names[0]].base
        return carries(state, names[0]) and all(
            state.aircraft[name].base == first for name in names if carries(state, name)
        )
    if kind in AIMS and isinstance(place, int):
        hunting = game.hunts(state.charts, names)
        if kind == HIP_SHOOT or hunting:
            bombers = game.bombers(state.charts, names)
            return barrage.spotted(state, bombers, place, air=True)
    return True


@remembered()
def able(
    state: State, side: str, kind: str, place: Place, chosen: Sequence[str] = ()
) -> tuple[str, ...]:
    """OCS 14.2 Aircraft that may join these in a mission, or begin one."""
    return tuple(
        name
        for name in flyers(state, side, kind)
        if name not in chosen
        and gets_to(state, name, kind, place)
        and together(state, kind, (*chosen, name), place)
    )


@remembered()
def targets(state: State, side: str, kind: str) -> Hexes:
    """OCS 14.6-14.8 Hexes over which a kind of mission may be flown, whoever flies it: sweeps where
    enemy aircraft are active; barrages and hip shoots at combat units, bases; trainbusting anywhere
    in play that is not busted. OCS 10.0e One barrage a hex and phase, hip shoots excepted."""
    enemy = state.enemy(side)
    if kind == SWEEP:
        return hexsets.of(
            i
            for i in fog.air_tops(state)
            if isinstance(i, int) and i in state.bases and state.bases[i].side == enemy
        )
    if kind == HIP_SHOOT:
        return state.field.combat[enemy]
    if kind == TRAINBUSTING:
        marked = hexsets.of(i for i, placer in state.trainbusting.items() if placer == side)
        return state.charts.scenario.play & ~state.phase_use.barraged & ~marked
    return barrage.targets(state, side, AIMS[kind])


@remembered()
def places(state: State, side: str, kind: str) -> tuple[Place, ...]:
    """OCS 14.2 Places to which any aircraft can fly a kind of mission now."""
    if not flyers(state, side, kind):
        return ()
    where: Iterable[Place] = (
        aircraft.bases(state, side)
        if kind == TRANSFER
        else hexsets.listed(targets(state, side, kind))
    )
    return tuple(place for place in where if able(state, side, kind, place))


@remembered()
def any_place(state: State, side: str, kind: str) -> bool:
    """OCS 14.2 Whether there is any."""
    names = flyers(state, side, kind)
    if not names:
        return False
    if kind == TRANSFER:
        return bool(places(state, side, kind))
    return any(able(state, side, kind, i) for i in hexsets.listed(targets(state, side, kind)))


def seen_active(state: State, side: str) -> bool:
    """OCS 4.9a Whether the enemy sees any active aircraft of a side."""
    return any(aircraft.printed(state, name).side == side for name in fog.air_tops(state).values())


@remembered()
def airborne(state: State, side: str) -> bool:
    """OCS 10.0, 14.2e Whether a side is asked for air barrages in a Barrage Segment: in the open,
    where it can fly one; under fog, by what the enemy knows, where weather allows any and an
    active aircraft of the side is seen, or may lie in a box."""
    if not may_be_flown(state, BARRAGE):
        return False
    if fog.strict(state):
        boxes = any(isinstance(base, str) for base in aircraft.bases(state, side))
        return boxes or seen_active(state, side)
    return any(any_place(state, side, kind) for kind in BOMBING)


# --- the orders -----------------------------------------------------------------------------------


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
    )


def _places(asked: Asked[State], kind: str) -> Offer:
    state, side = asked.state, asked.seat
    board = state.charts.board

    def has(pick: Pick) -> bool:
        place = _read(state, pick)
        if place is None:
            return False
        if kind == TRANSFER:
            offered = place in aircraft.bases(state, side)
        else:
            offered = isinstance(place, int) and hexsets.has(targets(state, side, kind), place)
        return offered and bool(able(state, side, kind, place))

    return Lazy(lambda: [place_name(board, place) for place in places(state, side, kind)], has)


def _read(state: State, pick: Pick) -> Place | None:
    board = state.charts.board
    name = str(pick)
    if name in board.boxes:
        return name
    return board.map.grid.at(name) if name in board.map.grid.ids else None


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
    place = _read(state, pick)
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
    if len(order.aircraft) >= weather.most_aircraft(state, aircraft.IN_MISSION):
        return refuse("OCS 14.2a", "refusal.ocs.mission_full", aircraft=name)
    if not rules(state.charts).fly_together(state, kind, (*order.aircraft, name)):
        return refuse("HR 2.2a", "refusal.ocs.flies_apart", aircraft=name)
    return refuse("OCS 10.0b", "refusal.ocs.not_spotted", hex=order.place)


def declare(table: Table[State], kind: str, names: Sequence[str], place: Place) -> None:
    """OCS 14.2f(A), (B) A mission is declared and placed; its course follows."""
    announce(table, kind, names, place)
    table.call(MISSION)


def announce(table: Table[State], kind: str, names: Sequence[str], place: Place) -> None:
    """OCS 14.2f(A), (B) A mission is declared and placed. OCS 6.1g Who was on the move is done."""
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


# --- its course -----------------------------------------------------------------------------------


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
        """The answer is told, whatever it is."""
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
    """OCS 14.7, 14.8 The bombs fall. OCS 14.4f A mission whose points have come below one does
    nothing, nor does one that set out to hunt and has only its escort left."""
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
            fire.AIR,
            fog.hidden(state, sortie.side, tuple(bombers)),
            aim,
            state.charts.board.name(target),
            barrage.table_of(state, aim).column(points),
        )
    )
    table.call(BOMBARDMENT)
    if aim == fire.UNITS:
        barrage.fall(
            table,
            points,
            spotter=barrage.spotted(state, bombers, target, air=True),
            short=aircraft.short(state, bombers, target),
            long=any(aircraft.far(state, name, target) for name in bombers),
        )
    elif aim == fire.BASE:
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
    nearest. Who aborted over a friendly base lands there. OCS 14.9e, 14.9f A transport that has
    come further than its range, or whose cargo the base does not unload in time, stays there; one
    with twice the load goes no further than half its range."""
    sortie = mission(state)
    found = aircraft.homes(state, name, sortie.target)
    if name in sortie.aborted and sortie.target in found:
        return (sortie.target,)
    if name in sortie.cargo and sortie.kind in CARRYING:
        if name in sortie.staying or not aircraft.reaches(state, name, sortie.target):
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


class Return(Asking[State]):
    """OCS 10.2, 14.1c, 14.2f(G) What is left of the mission goes home, inactive: `home` to where
    each came from, `land AIRCRAFT BASE …` where some go elsewhere. Where they go, and how many they
    are, is kept from the enemy (ruling 15): it is one command."""

    verb_slot = "ocs.return"

    def sealed(self, asked: Asked[State]) -> bool:
        """Ruling 15 Inactive aircraft are not seen."""
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
    place = _read(state, pick)
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
