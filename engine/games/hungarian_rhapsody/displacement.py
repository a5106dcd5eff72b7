"""HR 3.1c(3): front markers that Axis zones come near, and what comes out of the RVGK box then.

HR 3.1c(3) A front marker within 5 hexes of an Axis unit with a zone (HR R-26) is displaced at
once to the nearest legal hex by road. The supply in its hex goes with it, and it is never
destroyed. Its owner chooses among equals, and may put any or all units that the front has in the
RVGK box (3.3b) within 5 hexes of it.

[R] Where no legal hex can be reached by road the marker stays, and nothing comes. It goes to the
lowest index of the nearest hexes first. At the end of the segment the Soviets may choose another of
them, if it is still legal. Units may come, in any mode of an arrival (13.6), where they may stand.
The units of a front are those of formations that may return at its marker: none for the 4th
Ukrainian Front. Those of a formation that leaves units in the box are still being rebuilt: in the
next Soviet Reinforcement Phase those on the map follow back as soon as they trace.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from attrs import frozen

from warledger.engine.board import hexsets
from warledger.engine.board.hexsets import Hexes
from warledger.engine.games.hungarian_rhapsody import fronts, markers, rvgk
from warledger.engine.games.ocs.ch04_concepts import fog, stacking
from warledger.engine.games.ocs.ch06_movement.movement import MODES
from warledger.engine.games.ocs.ch12_supply import points, sources
from warledger.engine.games.ocs.ch13_special_units import arrivals, reinforcements
from warledger.engine.games.ocs.ch13_special_units.reinforcements import Placing
from warledger.engine.games.ocs.series.charts import ROAD_PATH as ROAD
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.state import State
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import Asked, Asking, Command, Commands, Many, Slot, word
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.memo import remembered
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Pick, Refusal, Say, Seat, Step, event
from warledger.protocol.board.choices import refuse
from warledger.protocol.texts.words import words_of

CLAUSE = "HR 3.1c(3)"

DISPLACED = "displaced"
"""Why a marker moves."""

STEP = "hr.displaced"
"""The step in which the Soviets say what follows from it."""

SINCE, CARRIED = "displaced.", "carried."
"""How the flags begin that say among which hexes a displaced marker may be, and with how many T it
has gone."""


@event("hr.front_displaced")
class FrontDisplaced:
    """HR 3.1c(3) A front marker gives way: to which hexes it may go, and with how many T. All of it
    is hidden."""

    side: str
    marker: Any
    hexes: Any
    tokens: Any


@event("hr.rvgk_committed")
class Committed:
    """HR 3.1c(3) Units leave the RVGK box for the map before their formation is rebuilt."""

    side: str
    units: Any


@event("hr.displacement_over")
class DisplacementOver:
    """HR 3.1c(3) The Soviets have said where displaced markers are and what comes."""


after = ByEvent()


@after(FrontDisplaced)
def _displaced(state: State, event: FrontDisplaced) -> State:
    marker = fog.plain(event.marker)
    named = {
        f"{SINCE}{marker}": " ".join(fog.plain(event.hexes)),
        f"{CARRIED}{marker}": fog.plain(event.tokens),
    }
    return replace(state, flags={**state.flags, **named})


@after(Committed)
def _committed(state: State, event: Committed) -> State:
    gone = set(fog.plain(event.units))
    emptied = {
        f"{rvgk.SINCE}{muf}"
        for muf, names in state.charts.printed.mufs.items()
        if gone & set(names)
        and not any(state.units[name].where == rvgk.BOX for name in names if name not in gone)
    }
    flags = {key: value for key, value in state.flags.items() if key not in emptied}
    return replace(state, flags=flags)


@after(DisplacementOver)
def _over(state: State, event: DisplacementOver) -> State:
    kept = {
        key: value for key, value in state.flags.items() if not key.startswith((SINCE, CARRIED))
    }
    return replace(state, flags=kept)


# --- what happens by itself -----------------------------------------------------------------------


def on_event(table: Table[State], event: Any) -> None:
    """HR 3.1c(3) An Axis unit with a zone is within 5 hexes of a marker."""
    state = table.state
    known = _at_peace(state)
    if (known and known[0] is state.markers) or isinstance(event, (markers.MarkerMoved, *after)):
        return
    on_map = fronts.on_map(state)
    zoned = state.field.zoned[state.charts.sides[0]]
    # HR R-26: what is near is looked for around the marker, which seldom moves.
    beset = [(name, at) for name, at in on_map.items() if fronts.near(state, 1 << at) & zoned]
    if not beset:
        known[:] = (state.markers,)
    for name, at in beset:
        if fronts.on_map(table.state)[name] == at:
            _displace(table, name, at)


@remembered(of=lambda state: state.field, by=lambda state: None)
def _at_peace(state: State) -> list[Any]:
    """The markers that lay on the map when no zone of this field was near one of them. A memory of
    `on_event`, and nothing else."""
    return []


def _displace(table: Table[State], marker: str, at: int) -> None:
    state = table.state
    found = refuges(state, marker, at)
    if not found:
        return
    soviet = state.charts.sides[1]
    tokens = points.lying(state, soviet, at)

    def hide(value: object) -> Any:
        return fog.hidden(state, soviet, value)

    # The marker goes first, so that what its supply brings about finds it in its new place.
    markers.move(table, soviet, marker, at, found[0], DISPLACED)
    fronts.carry(table, at, found[0], tokens)
    hexes = tuple(map(state.charts.board.name, found))
    table.emit(FrontDisplaced(soviet, hide(marker), hide(hexes), hide(tokens)))


def refuges(state: State, marker: str, at: int) -> tuple[int, ...]:
    """HR 3.1c(3) The nearest legal hexes by road, in order of their index; () where there is
    none."""
    charts = state.charts
    axis, soviet = charts.sides
    bridged = sources.whole(charts.board, rules(charts).bridging(state, soviet, False))
    joined = sources.joined(charts.board, ROAD, bridged)
    open_, blocked = fronts.legal(state, marker), state.field.combat[axis]
    seen, front = 1 << at, [at]
    while front:
        found = [i for i in front if hexsets.has(open_, i)]
        if found:
            return tuple(sorted(found))
        wider = []
        for i in front:
            for n in joined.get(i, ()):
                if not hexsets.has(seen | blocked, n):
                    seen |= 1 << n
                    wider.append(n)
        front = wider
    return ()


# --- what the Soviets choose ----------------------------------------------------------------------


def pending(state: State) -> tuple[str, ...]:
    """HR 3.1c(3) Front markers that have been displaced in this segment and about which the Soviets
    still have something to decide."""
    start = len(SINCE)
    return tuple(sorted(key[start:] for key in state.flags if key.startswith(SINCE)))


def others(state: State, marker: str) -> tuple[str, ...]:
    """HR 3.1c(3) Hexes as near as that to which a marker has been displaced, where it may be
    too."""
    board = state.charts.board
    here, open_ = fronts.on_map(state)[marker], fronts.legal(state, marker)
    named = words_of(str(state.flags.get(f"{SINCE}{marker}", "")))
    return tuple(name for name in named if (i := board.hex(name)) != here and hexsets.has(open_, i))


@remembered()
def held(state: State) -> Mapping[str, Hexes]:
    """HR 3.1c(3), 3.3b Units in the RVGK box that may come now, each with the hexes in which it may
    be put."""
    centres = fronts.on_map(state)
    displaced = [name for name in pending(state) if name in centres]
    found: dict[str, Hexes] = {}
    for muf in rvgk.of_side(state) if displaced else ():
        where = 0
        for marker in displaced:
            if marker in rvgk.fronts(state, muf):
                where |= fronts.near(state, 1 << centres[marker])
        for name in rvgk.members(state, muf) if where else ():
            if state.units[name].where == rvgk.BOX:
                found[name] = where & ~arrivals.blocked(state, name)
    return {name: where for name, where in sorted(found.items()) if where}


def asks(state: State) -> bool:
    """HR 3.1c(3) Whether the Soviets are asked: under strict fog whenever a marker has been
    displaced, since what is in the box is theirs to know."""
    displaced = pending(state)
    if not displaced:
        return False
    return fog.strict(state) or bool(held(state)) or any(others(state, one) for one in displaced)


@frozen
class Choosing:
    """HR 3.1c(3) A displaced marker, and the hex that is chosen among equals."""

    marker: str = ""
    hex: str = ""


class Displaced(Asking[State]):
    """HR 3.1c(3) The end of a segment in which a front marker has been displaced."""

    verb_slot = "hr.displaced"

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The Soviets, where they have anything to decide."""
        state = at.state
        if not asks(state):
            return {}
        return {state.charts.sides[1]: Decision(Say("prompt.hr.displaced", (), CLAUSE))}

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Nobody has anything to decide."""
        table.done()
        _finish(table)

    def sealed(self, asked: Asked[State]) -> bool:
        """OCS R-14, R-15 Where markers stand and what lies in the box is hidden."""
        return fog.strict(asked.state)

    def commands(self) -> Commands[State]:
        """relocate MARKER HEX, place UNITS HEX [MODE], done."""
        return (
            Command(
                "relocate",
                Choosing,
                Slot("marker", "hr.front", _choosable, _why_not_marker),
                Slot(
                    "hex",
                    "ocs.hex",
                    lambda asked, order: others(asked.state, order.marker),
                    lambda asked, order, pick: refuse(
                        CLAUSE, "refusal.hr.front_not_as_near", pick=pick
                    ),
                ),
                apply=_choose,
                when=lambda asked: any(_choosable(asked, Choosing())),
                why=lambda asked: refuse(CLAUSE, "refusal.hr.front_has_no_choice"),
            ),
            Command(
                "place",
                Placing,
                Many(
                    "pieces",
                    "ocs.arriving",
                    _units,
                    _why_not_unit,
                    takes=lambda asked, pick: pick in asked.state.units,
                    joint="ocs.arriving_or_place",
                ),
                Slot("place", "ocs.place", _places, _why_not_place),
                Slot("mode", "ocs.mode", _modes, _why_not_mode, optional=True),
                apply=_commit,
                when=lambda asked: bool(held(asked.state)),
                why=lambda asked: refuse(CLAUSE, "refusal.hr.box_is_empty"),
            ),
            word("done", _done),
        )


def _finish(table: Table[State]) -> None:
    if pending(table.state):
        table.emit(DisplacementOver())


def _done(table: Table[State], asked: Asked[State]) -> None:
    table.done()
    _finish(table)


def _choosable(asked: Asked[State], order: Choosing) -> Iterable[str]:
    return [name for name in pending(asked.state) if others(asked.state, name)]


def _choose(table: Table[State], asked: Asked[State], order: Choosing) -> None:
    """HR 3.1c(3) The supply that has gone with it goes along, as far as it is still there."""
    state, side = table.state, asked.seat
    start, to = fronts.on_map(state)[order.marker], state.charts.board.hex(order.hex)
    gone_along = int(state.flags.get(f"{CARRIED}{order.marker}", 0))
    tokens = min(gone_along, points.lying(state, side, start))
    markers.move(table, side, order.marker, start, to, DISPLACED)
    fronts.carry(table, start, to, tokens)


def _fitting(state: State, names: tuple[str, ...]) -> Hexes:
    found = held(state)
    shared = found[names[0]]
    for name in names[1:]:
        shared &= found[name]
    return hexsets.of(i for i in hexsets.listed(shared) if stacking.fits(state, names, i))


def _units(asked: Asked[State], order: Placing) -> Iterable[str]:
    state = asked.state
    return [
        name
        for name in held(state)
        if name not in order.pieces and _fitting(state, (*order.pieces, name))
    ]


def _places(asked: Asked[State], order: Placing) -> Iterable[str]:
    if not order.pieces:
        return ()
    board = asked.state.charts.board
    return map(board.name, hexsets.listed(_fitting(asked.state, order.pieces)))


def _modes(asked: Asked[State], order: Placing) -> Iterable[str]:
    state = asked.state
    i = state.charts.board.hex(order.place)
    allowed = [set(arrivals.arrival_modes(state, name, i)) for name in order.pieces]
    return [mode for mode in MODES if all(mode in one for one in allowed)]


def _commit(table: Table[State], asked: Asked[State], order: Placing) -> None:
    """HR 3.1c(3) They stand within 5 hexes of the marker."""
    state, side = table.state, asked.seat
    table.emit(Committed(side, fog.hidden(state, side, order.pieces)))
    reinforcements.put(table, order.pieces, state.charts.board.hex(order.place), order.mode)


def _why_not_marker(asked: Asked[State], order: Choosing, pick: Pick) -> Refusal:
    key = "front_has_no_choice" if pick in pending(asked.state) else "front_is_not_displaced"
    return refuse(CLAUSE, f"refusal.hr.{key}", pick=pick)


def _why_not_unit(asked: Asked[State], order: Placing, pick: Pick) -> Refusal:
    key = "does_not_come_along" if pick in held(asked.state) else "not_of_that_front"
    book = "ocs" if pick in held(asked.state) else "hr"
    return refuse(CLAUSE, f"refusal.{book}.{key}", pick=pick)


def _why_not_place(asked: Asked[State], order: Placing, pick: Pick) -> Refusal:
    return refuse(CLAUSE, "refusal.hr.not_near_that_front", pick=pick)


def _why_not_mode(asked: Asked[State], order: Placing, pick: Pick) -> Refusal:
    return refuse("OCS 13.6", "refusal.ocs.not_in_that_mode", pick=pick)


STEPS: Mapping[str, Step[State]] = {STEP: Displaced()}
