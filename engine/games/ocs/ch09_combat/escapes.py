"""OCS 9.14c, 9.14d, 9.14f: their owner says what escapes from a hex that an enemy has entered, and
where to.

What is captured and what escapes stands at once as the rule lays it down by itself: ordinary
transport is captured before organic trucks, the lowest id first. What escapes goes to the nearest
hex of the owner's combat units within the distance, else to the nearest without enemies. Aircraft
go to the nearest base. Then the owner is asked, before play goes on: each point, extender or
aircraft goes once to any other place that the clause allows. Of mixed transport another point of
the same size is captured instead (9.14c). An owner who has no choice is not asked.

The step's arguments are the owner's side, the hex, what there was (`TRUCKS`, `WAGONS`, `EXTENDER`,
`BASE`). Then come the pieces whose place may still be chosen, and the captured points.
"""

from collections.abc import Iterable, Mapping, Sequence

from attrs import frozen

from warledger.engine.board import hexsets
from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.ch12_supply import extenders
from warledger.engine.games.ocs.ch14_air.aircraft import bases, between, put
from warledger.engine.games.ocs.series.events import LoadChanged, Put, TakenOff
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.scenario import Place, place_name, place_of
from warledger.engine.games.ocs.series.state import NOT_ARRIVED, State
from warledger.engine.kernel.commands import Asked, Asking, Command, Commands, Many, Slot, word
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Pick, Refusal, Seat, Step
from warledger.protocol.board.choices import refuse, say

STEP = "ocs.escaping"
"""The step in which the owner chooses."""

TRUCKS, WAGONS, EXTENDER, BASE = "trucks", "wagons", "extender", "base"
"""What there was in the hex; the first two are columns of the capture table."""

CAPTURED = "captured"
"""Why loads change."""


def ask(
    table: Table[State],
    side: str,
    i: int,
    what: str,
    pieces: Sequence[str],
    captured: Sequence[str] = (),
) -> None:
    """OCS 9.14c The owner will be asked about what has escaped, once the command is carried out."""
    if pieces:
        name = table.state.charts.board.name(i)
        table.call(STEP, side, name, what, tuple(pieces), tuple(captured))


def take_off(table: Table[State], names: Sequence[str]) -> None:
    """OCS 9.14c, 13.2 Captured points leave the map: ordinary ones are counters of the mix again,
    those of a formation lie in its dead pile, from which the game's rules may return them."""
    charts = table.state.charts
    for name in names:
        organic = charts.units[name].organic
        where = rules(charts).pile(charts, name) if organic else NOT_ARRIVED
        table.emit(TakenOff((name,), where))


# --- where to -------------------------------------------------------------------------------------


def open_to(state: State, side: str, i: int, distance: int) -> tuple[int, ...]:
    """OCS 9.14c Hexes to which transport of a side may be displaced from a hex: within the
    distance, whatever enemies, zones and terrain lie between; never among enemies."""
    grid = state.charts.board.map.grid
    enemy = state.field.occupied[state.enemy(side)]
    free = state.charts.scenario.play & ~enemy & ~(1 << i)
    return tuple(h for h in hexsets.listed(free) if grid.distance(i, h) <= distance)


def refuge(state: State, side: str, i: int, distance: int) -> int:
    """OCS 9.14c [R] Where transport of a side goes unless its owner says otherwise; -1 where there
    is no such hex."""
    grid = state.charts.board.map.grid
    near = open_to(state, side, i, distance)
    friends = [h for h in near if hexsets.has(state.field.combat[side], h)]
    return min(friends or near, key=lambda h: (grid.distance(i, h), h), default=-1)


def landing(state: State, aircraft: str, i: int) -> Mapping[Place, int]:
    """OCS 9.14f Bases and boxes within twice the range of an aircraft that flees from a hex -> how
    far they are."""
    plane, game = state.charts.printed.planes[aircraft], rules(state.charts)
    return {
        base: far
        for base in bases(state, plane.side)
        if (far := between(state, base, i)) <= 2 * plane.range
        and game.lands_at(state, aircraft, base)
    }


# --- the step -------------------------------------------------------------------------------------


@frozen
class _Escape:
    """The arguments of the step, and what is still there of them."""

    side: str
    hex: str
    what: str
    pieces: tuple[str, ...]
    captured: tuple[str, ...]


def _escape(frame: Frame) -> _Escape:
    return _Escape(*frame.args)


def places(state: State, escape: _Escape, piece: str) -> tuple[str, ...]:
    """OCS 9.14c, 9.14d, 9.14f Other places to which a piece that has escaped may go."""
    board = state.charts.board
    i = board.hex(escape.hex)
    if escape.what == BASE:
        here: Place | None = state.aircraft[piece].base
        return tuple(place_name(board, base) for base in landing(state, piece, i) if base != here)
    at = state.units[piece].at
    if escape.what == EXTENDER:
        kind = extenders.kind_of(state, piece)
        found = hexsets.listed(extenders.refuges(state, escape.side, i, kind, entered=True))
    else:
        distance = state.charts.tables.capture.displacement[escape.what]
        found = open_to(state, escape.side, i, distance)
    return tuple(board.name(h) for h in found if h != at)


def _choosable(state: State, escape: _Escape) -> tuple[str, ...]:
    """Pieces that may go elsewhere; an extender's points go together, the first stands for all."""
    pieces = escape.pieces[:1] if escape.what == EXTENDER else escape.pieces
    return tuple(name for name in pieces if places(state, escape, name))


def exchanges(state: State, escape: _Escape, saved: str) -> tuple[str, ...]:
    """OCS 9.14c Points that may be captured instead of one that was: as large, and one of the two
    of a formation, since ordinary ones are alike."""
    one = state.counter(saved)
    return tuple(
        name
        for name in escape.pieces
        if state.counter(name).points == one.points and (state.counter(name).organic or one.organic)
    )


@frozen
class Displacing:
    """OCS 9.14c, 9.14d, 9.14f What goes, and where to."""

    pieces: tuple[str, ...] = ()
    place: str = ""


@frozen
class Exchanging:
    """OCS 9.14c The point that escapes after all, and the one that is captured instead."""

    saved: str = ""
    given: str = ""


class Escaping(Asking[State]):
    """OCS 9.14c, 9.14d, 9.14f `displace PIECES … PLACE`, `exchange CAPTURED ESCAPED`, `done`."""

    verb_slot = STEP

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The owner, while there is anything to choose."""
        state, escape = at.state, _escape(frame)
        if not (_choosable(state, escape) or _savable(state, escape)):
            return {}
        return {
            escape.side: Decision(
                say("prompt.ocs.escape", "OCS 9.14", hex=escape.hex, what=escape.what)
            )
        }

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Nothing is left to choose."""
        table.done()

    def sealed(self, asked: Asked[State]) -> bool:
        """OCS R-15 Where aircraft lie inactive is their owner's to know; transport that escapes is
        seen by all (OCS R-14)."""
        return fog.strict(asked.state) and _escape(asked.frame).what == BASE

    def commands(self) -> Commands[State]:
        """displace, exchange, done."""
        return (
            Command(
                "displace",
                Displacing,
                Many(
                    "pieces",
                    "ocs.escaped",
                    _pieces,
                    _why_not_piece,
                    takes=lambda asked, pick: pick in _escape(asked.frame).pieces,
                    joint="ocs.escaped_or_place",
                ),
                Slot("place", "ocs.place", _places, _why_not_place),
                apply=_displace,
                when=lambda asked: bool(_choosable(asked.state, _escape(asked.frame))),
                why=lambda asked: refuse("OCS 9.14", "refusal.ocs.nowhere_else"),
            ),
            Command(
                "exchange",
                Exchanging,
                Slot(
                    "saved",
                    "ocs.captured_point",
                    lambda asked, order: _savable(asked.state, _escape(asked.frame)),
                    _why_not_exchanged,
                ),
                Slot(
                    "given",
                    "ocs.escaped",
                    lambda asked, order: exchanges(asked.state, _escape(asked.frame), order.saved),
                    _why_not_exchanged,
                ),
                apply=_exchange,
                when=lambda asked: bool(_savable(asked.state, _escape(asked.frame))),
                why=lambda asked: refuse("OCS 9.14c", "refusal.ocs.nothing_to_exchange"),
            ),
            word("done", lambda table, asked: table.done()),
        )


def _savable(state: State, escape: _Escape) -> tuple[str, ...]:
    return tuple(name for name in escape.captured if exchanges(state, escape, name))


def _pieces(asked: Asked[State], order: Displacing) -> Iterable[str]:
    state, escape = asked.state, _escape(asked.frame)
    if order.pieces and escape.what == BASE:
        return ()
    return [name for name in _choosable(state, escape) if name not in order.pieces]


def _places(asked: Asked[State], order: Displacing) -> Iterable[str]:
    if not order.pieces:
        return ()
    state, escape = asked.state, _escape(asked.frame)
    found = [places(state, escape, name) for name in order.pieces]
    return [name for name in found[0] if all(name in other for other in found[1:])]


def _displace(table: Table[State], asked: Asked[State], order: Displacing) -> None:
    state, escape = table.state, _escape(asked.frame)
    gone = escape.pieces if escape.what == EXTENDER else order.pieces
    left = tuple(name for name in escape.pieces if name not in gone)
    table.replace(escape.side, escape.hex, escape.what, left, escape.captured)
    if escape.what == BASE:
        put(table, gone[0], place_of(state.charts.board, order.place), active=False)
    else:
        table.emit(Put(tuple(gone), order.place))


def _exchange(table: Table[State], asked: Asked[State], order: Exchanging) -> None:
    """OCS 9.14c The one takes the other's place, with its load."""
    state, escape = table.state, _escape(asked.frame)
    given = state.units[order.given]
    if given.load:
        table.emit(LoadChanged(order.given, -given.load, CAPTURED))
    take_off(table, (order.given,))
    table.emit(Put((order.saved,), state.charts.board.name(given.at)))
    if given.load:
        table.emit(LoadChanged(order.saved, given.load, CAPTURED))
    pieces = tuple(order.saved if name == order.given else name for name in escape.pieces)
    captured = tuple(name for name in escape.captured if name != order.saved)
    table.replace(escape.side, escape.hex, escape.what, pieces, captured)


def _why_not_piece(asked: Asked[State], order: Displacing, pick: Pick) -> Refusal:
    return refuse("OCS 9.14", "refusal.ocs.has_not_escaped", pick=pick)


def _why_not_place(asked: Asked[State], order: Displacing, pick: Pick) -> Refusal:
    escape = _escape(asked.frame)
    clause = {EXTENDER: "OCS 9.14d", BASE: "OCS 9.14f"}.get(escape.what, "OCS 9.14c")
    return refuse(clause, "refusal.ocs.no_escape_there", pick=pick)


def _why_not_exchanged(asked: Asked[State], order: Exchanging, pick: Pick) -> Refusal:
    return refuse("OCS 9.14c", "refusal.ocs.not_exchanged", pick=pick)


STEPS: Mapping[str, Step[State]] = {STEP: Escaping()}
