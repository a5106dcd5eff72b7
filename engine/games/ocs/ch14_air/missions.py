"""OCS 14.1, 14.2, 14.6-14.8, 14.11: missions: who may fly what where.

OCS 14.2e An aircraft flies one mission a phase. All that a mission under way knows stands in
`state.sortie`. It is ordered in `air_orders` and runs its course in `air_course`; transport and
drops (14.9, 14.10) are `air_transport`'s.

[R] OCS 14.8 Trains may be busted in any hex. OCS 14.6 Sweeps are flown only by fighters.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from warledger.engine.board import hexsets
from warledger.engine.board.hexsets import Hexes
from warledger.engine.games.ocs.ch04_concepts import fog, zones
from warledger.engine.games.ocs.ch04_concepts.rounding import rounded
from warledger.engine.games.ocs.ch10_barrage import barrage, barrage_in_progress
from warledger.engine.games.ocs.ch14_air import aircraft
from warledger.engine.games.ocs.ch14_air.mission_in_progress import (
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
from warledger.engine.games.ocs.ch17_weather import weather
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.scenario import Place, place_of
from warledger.engine.games.ocs.series.state import State
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.memo import remembered
from warledger.engine.kernel.types import Pick, event

MOVEMENT_SEGMENTS, BARRAGE_SEGMENTS = ("c2", "e1", "g1"), ("c3", "e2", "g2")
"""OCS 2.3 Segments in which missions are flown."""

CARRYING = (TRANSPORT, DROP)
"""OCS 14.9, 14.10 Missions that carry something: transports, with fighters as escorts."""

BOMBING = (BARRAGE, BASE_BARRAGE, TRAINBUSTING)
"""OCS 14.7, 14.8 Missions of the Barrage Segments; the others are flown while units move."""

AIMS: Mapping[str, str] = {
    BARRAGE: barrage_in_progress.UNITS,
    HIP_SHOOT: barrage_in_progress.UNITS,
    BASE_BARRAGE: barrage_in_progress.BASE,
    TRAINBUSTING: barrage_in_progress.RAILWAY,
}
"""OCS 10.0d What the bombs of a mission are aimed at."""


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
    weather's limit, one alone for a hip shoot, spotted where they need it (10.0b). Cargo goes with
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
    return tuple(_able(state, side, kind, place, chosen))


def _able(
    state: State, side: str, kind: str, place: Place, chosen: Sequence[str] = ()
) -> Iterator[str]:
    return (
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
    return any(
        True
        for i in hexsets.listed(targets(state, side, kind))
        for _ in _able(state, side, kind, i)
    )


def seen_active(state: State, side: str) -> bool:
    """OCS 4.9a Whether the enemy sees any active aircraft of a side."""
    return any(aircraft.printed(state, name).side == side for name in fog.air_tops(state).values())


@remembered()
def airborne(state: State, side: str) -> bool:
    """OCS 10.0, 14.2e Whether a side is asked for air barrages in a Barrage Segment: in the open,
    where it can fly one. Under fog, by what the enemy knows: weather allows any, and an active
    aircraft of the side is seen, or may lie in a box."""
    if not may_be_flown(state, BARRAGE):
        return False
    if fog.strict(state):
        boxes = any(isinstance(base, str) for base in aircraft.bases(state, side))
        return boxes or seen_active(state, side)
    return any(any_place(state, side, kind) for kind in BOMBING)


def place_at(state: State, pick: Pick) -> Place | None:
    """The box or hex that a pick names; None if there is none of that name."""
    board = state.charts.board
    name = str(pick)
    if name in board.boxes:
        return name
    return board.map.grid.at(name) if name in board.map.grid.ids else None
