"""Covered units: what a seat moves, and how much, is veiled from the other.

Each turn a seat gives commands until it is `done`. `march` moves any of its units (which, how many
and where to is sealed), `look` at a place tells it how many of the other's units are there, and
`spy` does the same without telling where. After the last turn whoever stands further forward wins.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from attrs import frozen

from warledger.engine.kernel.change import replace
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import (
    Choices,
    Decision,
    Outcome,
    Picks,
    Seat,
    Step,
    Switch,
    event,
)
from warledger.protocol.board.choices import offer, say
from warledger.protocol.board.description import LIST, Box, Description, Face, Piece, Track
from warledger.protocol.board.effects import Effect, move, opening, put, tell, track, veil
from warledger.protocol.chance.seal import Secret
from warledger.protocol.log.records import Genesis

SEATS = ("north", "south")
PLACES = ("ford", "gate", "hill", "mill")
UNITS = {"north": ("n1", "n2", "n3"), "south": ("s1", "s2", "s3")}
PACK: dict[str, Any] = {"places": PLACES}
VERBS = offer("verb", ("march", "look", "spy", "done"))
COVERED_PLACES = offer("place", PLACES, sealed=True)
WHOLE_COVERED = Choices("end", complete=True, sealed=True)


@frozen(slots=False)
class State:
    """`where` is each unit's place, by its number in PLACES: what hides is the log."""

    turns: int
    where: Mapping[str, int]
    turn: int = 0


@event("deployed")
class Deployed:
    """The units stand in their first places."""


@event("turned")
class Turned:
    turn: int


@event("marched")
class Marched:
    """`moves` are [unit, place]."""

    seat: str
    moves: Secret


@event("looked")
class Looked:
    """`seen` is [place, how many]."""

    seat: str
    seen: Secret


class Begin(Step[State]):
    """1 The units are deployed."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        table.emit(Deployed())
        table.done()


class Turn(Step[State]):
    """2 A turn begins."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        if table.state.turn:
            table.turn_over()
        table.emit(Turned(table.state.turn + 1))
        table.call("turn")


class Act(Step[State]):
    """3 One seat's commands; the step's name ends in the seat."""

    def __init__(self, seat: Seat) -> None:
        self.seat = seat

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        return {self.seat: Decision(say("prompt.fog.act"))}

    def choices(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        if not picks:
            return VERBS
        rest = picks[1:]
        if picks[0] == "march":
            if len(rest) % 2:
                return COVERED_PLACES
            left = [unit for unit in UNITS[seat] if unit not in rest]
            return offer("unit", left, sealed=True, complete=bool(rest)) if left else WHOLE_COVERED
        if picks[0] == "done" or rest:
            return WHOLE_COVERED if picks[0] == "spy" else Choices("end", complete=True)
        return COVERED_PLACES if picks[0] == "spy" else offer("place", PLACES)

    def decide(self, table: Table[State], frame: Frame, seat: Seat, picks: Picks) -> None:
        verb, rest = picks[0], picks[1:]
        if verb == "done":
            table.done()
        elif verb == "march":
            table.emit(
                Marched(seat, Secret(tuple(zip(rest[::2], rest[1::2], strict=True)), (seat,)))
            )
        else:
            place = str(rest[0])
            other = SEATS[1 - SEATS.index(seat)]
            there = sum(table.state.where[unit] == PLACES.index(place) for unit in UNITS[other])
            table.emit(Looked(seat, Secret((place, there), (seat,))))
            if verb == "spy":
                table.learn()


class Fog:
    """The rules."""

    title = "fog"
    version = "1"
    folders = ("tests.toys",)
    seats = SEATS
    switches = (Switch("turns", 2, (1, 2, 3, 6), "1"),)
    sequences: Mapping[str, tuple[str, ...]] = {
        "game": ("begin", "turns"),
        "turn": ("act_north", "act_south"),
    }
    steps: Mapping[str, Step[State]] = {
        "begin": Begin(),
        "turns": Turn(),
        "act_north": Act("north"),
        "act_south": Act("south"),
    }
    events = (Deployed, Turned, Marched, Looked)

    def initial(self, genesis: Genesis) -> State:
        where = {unit: 0 for units in UNITS.values() for unit in units}
        return State(int(genesis.options["turns"]), where)

    def triggers(self, table: Table[State], event: Any) -> None:
        return None

    def evolve(self, state: State, event: Any) -> State:
        kind = type(event)
        if kind is Turned:
            return replace(state, turn=event.turn)
        if kind is Marched:
            moved = {unit: PLACES.index(place) for unit, place in event.moves.value}
            return replace(state, where={**state.where, **moved})
        return state

    def effects(self, before: State, event: Any, after: State) -> Iterable[Effect]:
        kind = type(event)
        if kind is Deployed:
            return tuple(self.picture(after))
        if kind is Turned:
            return (opening("turn", "fog.turn", turn=event.turn), track("turn", event.turn))
        if kind is Marched:
            return (veil((event.seat,), *[move(unit, to) for unit, to in event.moves.value]),)
        place, there = event.seen.value
        return (veil((event.seat,), tell("fog.seen", "3", place=place, there=there)),)

    def picture(self, state: State) -> Iterable[Effect]:
        yield track("turn", state.turn)
        for seat, units in UNITS.items():
            stand = [put(unit, PLACES[state.where[unit]], "", seat) for unit in units]
            yield veil((seat,), *stand)

    def turns_most(self, pack: Mapping[str, Any], options: Mapping[str, Any]) -> int:
        return int(options["turns"])

    def describe(self, pack: Mapping[str, Any], options: Mapping[str, Any]) -> Description:
        units = ((seat, unit) for seat, named in UNITS.items() for unit in named)
        return Description(
            LIST,
            sides=tuple(UNITS),
            boxes=tuple(map(Box, pack["places"])),
            tracks=(Track("turn"),),
            pieces=tuple(Piece(unit, side=seat, faces=(Face(""),)) for seat, unit in units),
        )

    def outcome(self, at: Position[State]) -> Outcome | None:
        state = at.state
        if state.turn <= state.turns:
            return None
        points = self.score(at)
        best = max(points.values())
        ahead = [seat for seat in SEATS if points[seat] == best]
        return Outcome(ahead[0] if len(ahead) == 1 else None, say("fog.over", "4"))

    def score(self, at: Position[State]) -> Mapping[Seat, int]:
        where = at.state.where
        return {seat: sum(where[unit] for unit in units) for seat, units in UNITS.items()}

    def invariants(self, state: State) -> None:
        assert all(0 <= place < len(PLACES) for place in state.where.values())


RULES = Fog()


def alternatives(state: State, seat: Seat) -> Iterable[State]:
    """States that differ from this one only in where the other seat's units are."""
    for unit in UNITS[SEATS[1 - SEATS.index(seat)]]:
        for place in range(len(PLACES)):
            yield replace(state, where={**state.where, unit: place})
