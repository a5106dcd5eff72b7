"""A mid-path interrupt: a column retreats step by step, and each time it comes next to an enemy
battery that battery may fire.

Red's column has points and must reach the bridgehead. Its command is a path; the offered path ends
where a loaded battery may fire, so the command ends there, Blue is asked (`fire` or `hold`), and
Red is asked again with the unit and the points it has left.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from attrs import field, frozen

from warledger.engine.kernel.change import replace
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import (
    Choices,
    Decision,
    Outcome,
    Picks,
    Refusal,
    Seat,
    Step,
    Switch,
    Window,
    event,
)
from warledger.protocol import canon
from warledger.protocol.board.choices import Say, offer, refuse, say
from warledger.protocol.board.description import LIST, Box, Description, Face, Piece
from warledger.protocol.board.effects import (
    Effect,
    closing,
    flip,
    mark,
    move,
    opening,
    put,
    roll,
    take,
    tell,
)
from warledger.protocol.log.records import Genesis

PACK: dict[str, Any] = {
    "map": {
        "links": (
            ("camp", "ford"),
            ("ford", "wood"),
            ("camp", "hill"),
            ("hill", "wood"),
            ("wood", "road"),
            ("road", "bridge"),
        )
    },
    "units": {
        "columns": (("guard", "camp", 2), ("train", "hill", 1)),
        "batteries": (("gun_ford", "ford"), ("gun_road", "road")),
        "points": 5,
    },
}


@frozen
class Data:
    """The pack, indexed: neighbours of each place, the batteries' places."""

    links: Mapping[str, tuple[str, ...]]
    batteries: Mapping[str, str]
    points: int


@frozen
class Column:
    """A column: where it is and how many steps it has."""

    place: str
    steps: int


@frozen
class State:
    """Columns by name (those lost are left out), batteries still loaded, columns that are home (one
    that falls at the bridge is no longer), and those that have had their retreat."""

    data: Data = field(eq=False, repr=False)
    columns: Mapping[str, Column]
    loaded: tuple[str, ...]
    home: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()


@event("laid_out")
class LaidOut:
    """The board."""


@event("began")
class Began:
    column: str


@event("marched")
class Marched:
    column: str
    path: tuple[str, ...]


@event("fired")
class Fired:
    battery: str
    column: str
    pips: int
    hit: bool


@event("got_home")
class GotHome:
    column: str


class Lay(Step[State]):
    """Lays the board out."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        table.emit(LaidOut())
        table.done()


class Next(Step[State]):
    """1 Red chooses the column that retreats next; when none is left the game is over."""

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        return {"red": Decision(say("prompt.retreat.column"))}

    def choices(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        return offer("end", (), complete=True) if picks else offer("column", _waiting(at.state))

    def decide(self, table: Table[State], frame: Frame, seat: Seat, picks: Picks) -> None:
        name = str(picks[0])
        table.tell(opening("activation", "retreat.activation", column=name))
        table.emit(Began(name))
        table.call("march", name, table.state.data.points)


class March(Step[State]):
    """2 A retreat in progress. Frame arguments: (column, points left). It ends at the bridge, with
    the column, or with its points."""

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        name, points = frame.args
        if name not in at.state.columns or points == 0 or name in at.state.home:
            return {}
        return {"red": Decision(say("prompt.retreat.march", points=points))}

    def choices(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        name, points = frame.args
        if picks == ("halt",):
            return offer("end", (), complete=True)
        path = (at.state.columns[name].place, *map(str, picks))
        going = _next(at.state, path, points)
        return offer("to", (*going, "halt") if not picks else going, complete=bool(picks))

    def refusal(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Refusal:
        name, points = frame.args
        path = (at.state.columns[name].place, *map(str, picks[:-1]))
        if picks[0] == "halt":
            return refuse("2.1", "refusal.retreat.halted")
        if len(picks) > points:
            return refuse("2.2", "refusal.retreat.points", points=points)
        if picks[:-1] and _watchers(at.state, path[-1]):
            return refuse("2.3", "refusal.retreat.under_fire", place=path[-1])
        return refuse("2.1", "refusal.retreat.no_way", to=picks[-1])

    def decide(self, table: Table[State], frame: Frame, seat: Seat, picks: Picks) -> None:
        name, points = frame.args
        if picks == ("halt",):
            table.replace(name, 0)
            return
        path = tuple(str(pick) for pick in picks)
        table.replace(name, points - len(path))
        table.emit(Marched(name, (table.state.columns[name].place, *path)))
        for battery in _watchers(table.state, path[-1]):
            table.call("fire", "blue", battery, name)

    def advance(self, table: Table[State], frame: Frame) -> None:
        table.tell(closing("activation"))
        table.done()


class Fire(Window[State]):
    """3 A battery next to the place where a column stops on its way may fire. Frame arguments:
    (seat, battery, column)."""

    prompt = Say("prompt.retreat.fire")

    def is_open(self, at: Position[State], frame: Frame) -> bool:
        _, battery, column = frame.args
        return battery in at.state.loaded and column in at.state.columns

    def use(self, table: Table[State], frame: Frame, seat: Seat) -> None:
        _, battery, column = frame.args
        pips = table.roll(6, "fire")
        table.emit(Fired(battery, column, pips, pips >= 4))


class Retreat:
    """The rules."""

    title = "retreat"
    version = "1"
    seats = ("red", "blue")
    switches: tuple[Switch, ...] = ()
    sequences: Mapping[str, tuple[str, ...]] = {"game": ("lay", "next")}
    steps: Mapping[str, Step[State]] = {
        "lay": Lay(),
        "next": Next(),
        "march": March(),
        "fire": Fire(),
    }
    events = (LaidOut, Began, Marched, Fired, GotHome)

    def initial(self, genesis: Genesis) -> State:
        pack = canon.unpack_trusted(genesis.pack)
        links: dict[str, tuple[str, ...]] = {}
        for one, two in pack["map"]["links"]:
            links[one] = (*links.get(one, ()), two)
            links[two] = (*links.get(two, ()), one)
        units = pack["units"]
        return State(
            Data(links, dict(units["batteries"]), units["points"]),
            {name: Column(place, steps) for name, place, steps in units["columns"]},
            tuple(name for name, _ in units["batteries"]),
        )

    def triggers(self, table: Table[State], event: Any) -> None:
        if type(event) is Marched and event.path[-1] == "bridge":
            table.emit(GotHome(event.column))

    def evolve(self, state: State, event: Any) -> State:
        kind = type(event)
        if kind is Marched:
            return _with(
                state, event.column, replace(state.columns[event.column], place=event.path[-1])
            )
        if kind is Fired:
            state = replace(
                state, loaded=tuple(name for name in state.loaded if name != event.battery)
            )
            column = state.columns[event.column]
            return (
                _with(state, event.column, replace(column, steps=column.steps - 1))
                if event.hit
                else state
            )
        if kind is GotHome:
            return replace(state, home=(*state.home, event.column))
        if kind is Began:
            return replace(state, gone=(*state.gone, event.column))
        return state

    def effects(self, before: State, event: Any, after: State) -> Iterable[Effect]:
        kind = type(event)
        if kind is LaidOut:
            return tuple(self.picture(after))
        if kind is Began:
            return (mark(event.column, "gone", 1), tell("retreat.began", "1", column=event.column))
        if kind is Marched:
            return (
                move(event.column, *event.path),
                tell("retreat.marched", "2", column=event.column, path=event.path),
            )
        if kind is GotHome:
            return (mark(event.column, "home", 1), tell("retreat.home", "2", column=event.column))
        hit: tuple[Effect, ...] = ()
        if event.hit:
            hit = (
                (flip(event.column, after.columns[event.column].steps),)
                if event.column in after.columns
                else (take(event.column),)
            )
        return (
            mark(event.battery, "loaded", 0),
            roll("fire", 6, (event.pips,)),
            *hit,
            tell("retreat.fired", "3", battery=event.battery, column=event.column, pips=event.pips),
        )

    def picture(self, state: State) -> Iterable[Effect]:
        for battery, place in sorted(state.data.batteries.items()):
            yield put(battery, place, "", "blue")
            yield mark(battery, "loaded", int(battery in state.loaded))
        for name, column in sorted(state.columns.items()):
            yield put(name, column.place, column.steps, "red")
            yield mark(name, "home", int(name in state.home))
            yield mark(name, "gone", int(name in state.gone))

    def turns_most(self, pack: Mapping[str, Any], options: Mapping[str, Any]) -> int:
        return 0

    def describe(self, pack: Mapping[str, Any], options: Mapping[str, Any]) -> Description:
        places = dict.fromkeys(place for link in pack["map"]["links"] for place in link)
        units = pack["units"]
        return Description(
            LIST,
            boxes=tuple(map(Box, places)),
            pieces=(
                *(
                    Piece(id, side="red", faces=(Face("", steps=n),))
                    for id, _, n in units["columns"]
                ),
                *(Piece(id, side="blue", faces=(Face(""),)) for id, _ in units["batteries"]),
            ),
        )

    def outcome(self, at: Position[State]) -> Outcome | None:
        if at.top.name != "next" or _waiting(at.state):
            return None
        return Outcome(
            "red" if at.state.home else "blue", say("retreat.over", home=len(at.state.home))
        )

    def invariants(self, state: State) -> None:
        assert all(column.steps > 0 for column in state.columns.values())
        assert all(state.columns[name].place == "bridge" for name in state.home)


def _waiting(state: State) -> tuple[str, ...]:
    """Columns that have not had their retreat yet."""
    return tuple(name for name in sorted(state.columns) if name not in state.gone)


def _watchers(state: State, place: str) -> tuple[str, ...]:
    """Loaded batteries in or next to a place."""
    near = (place, *state.data.links[place])
    return tuple(battery for battery in state.loaded if state.data.batteries[battery] in near)


def _next(state: State, path: tuple[str, ...], points: int) -> tuple[str, ...]:
    """2.1-2.3 Where a path may go on: to neighbours not yet on it, while points last, not beyond a
    place under fire or the bridge."""
    if len(path) > points or (
        len(path) > 1 and (_watchers(state, path[-1]) or path[-1] == "bridge")
    ):
        return ()
    return tuple(place for place in state.data.links[path[-1]] if place not in path)


def _with(state: State, name: str, column: Column) -> State:
    columns = {key: value for key, value in state.columns.items() if key != name}
    if column.steps > 0:
        return replace(state, columns={**columns, name: column})
    return replace(
        state, columns=columns, home=tuple(other for other in state.home if other != name)
    )


RULES = Retreat()


def alternatives(state: State, seat: Seat) -> Iterable[State]:
    """Nothing is hidden in this game."""
    return ()
