"""A third title of the chit-pull family on twenty hexes: what a sister game would be built from.

Everything that the family shares comes from engine.board and engine.games.chitpull: choosing chits in secret and the cup, command range,
moves by waypoints, the front, divided losses, lines of communication, railheads, control. What is its own stands here: its pack, its state,
its events, and a sequence of play of a few steps.

Each turn both sides choose one of two chits in secret; SUPPLY goes into the cup besides. An HQ chit activates the HQ and the units
within two hexes: they move, then attack. The reinforcement chit brings a lost unit back by rail. After three turns the side that holds
Kiev wins.
"""

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from attrs import evolve, field, frozen

from engine.board.going import Compiled, compile_going, going_from_tables, halves
from engine.board.hexmap import HexMap, hex_map
from engine.board.paths import Conditions
from engine.board.tracing import PASS, Net, RangeNet, land_net, link_net
from engine.board.zones import Ground, Zones, ground, mover_flags, zones
from engine.games.chitpull import chits as cups
from engine.games.chitpull import fronts, lines, rail, ways
from engine.games.chitpull.offers import LazyChoices
from engine.kernel.position import Frame, Position
from engine.kernel.table import Table
from engine.kernel.types import Choices, Decision, Outcome, Picks, Seat, Step, Switch, event
from protocol import canon
from protocol.choices import WHOLE, offer, say
from protocol.effects import Effect, closing, count, flip, mark, move, opening, put, roll, take, tell, track
from protocol.records import Genesis
from protocol.seal import Secret

SEATS = ("axis", "soviet")
ENEMY = {"axis": "soviet", "soviet": "axis"}
CHITS = {"axis": ("ax.1pzgr", "ax.reinf"), "soviet": ("su.5a", "su.reinf")}
SUPPLY = "supply"
HQ_OF = {"ax.1pzgr": "ax.hq", "su.5a": "su.hq"}
OFF = -1

PACK: dict[str, Any] = {
    "map": {
        "title": "Kiev on twenty hexes",
        "sides": list(SEATS),
        "grid": {"orientation": "flat", "shifted": "even", "columns": 5, "rows": 4, "id": "{col:02}{row:02}"},
        "terrain": {"legend": {".": "plain", "f": "forest"}, "rows": [".f...", "..f..", ".....", "f...f"]},
        "places": {"list": [{"hex": "0302", "name": "Kiev", "kind": "city", "owner": "soviet"}]},
        "river": [{"name": "Dnieper", "class": "minor", "hexsides": "0301-0401 0302-0401 0302-0402"}],
        "rail": [{"name": "west-east", "hexes": "0103 0202 0302 0402 0503"}],
        "source": [
            {"id": "source.axis", "side": "axis", "hex": "0103", "name": "west", "rail": True},
            {"id": "source.soviet", "side": "soviet", "hex": "0503", "name": "east", "rail": True},
        ],
    },
    "tables": {
        "terrain": {"plain": {"move_mech": 1, "move_other": 1}, "forest": {"move_mech": 2, "move_other": 1}},
        "place": {"city": {"mode": "adds"}},
        "hexside": {"minor": {"move_extra": 1}},
        "movement": {"road": 1, "march_road": 1, "ezoc_enter": 1, "ezoc_leave": 1},
    },
    "counters": {
        "ax.hq": {"side": "axis", "column": "mech", "move": 4, "strength": [2, 1], "range": 2, "hex": "0103"},
        "ax.pz": {"side": "axis", "column": "mech", "move": 4, "strength": [4, 2], "range": 0, "hex": "0202"},
        "ax.inf": {"side": "axis", "column": "other", "move": 3, "strength": [3, 2], "range": 0, "hex": "0203"},
        "su.hq": {"side": "soviet", "column": "other", "move": 3, "strength": [2, 1], "range": 2, "hex": "0402"},
        "su.gd": {"side": "soviet", "column": "other", "move": 3, "strength": [3, 2], "range": 0, "hex": "0302"},
        "su.rifle": {"side": "soviet", "column": "other", "move": 3, "strength": [2, 1], "range": 0, "hex": "0303"},
    },
}


@frozen(eq=False, repr=False)
class Data:
    """The pack, compiled once."""

    board: HexMap
    counters: Mapping[str, Any]
    going: Mapping[str, Compiled]
    zones: Ground
    land: lines.Spread
    rail: Net
    command: RangeNet
    sources: Mapping[str, tuple[int, ...]]


def data_of(pack: Mapping[str, Any]) -> Data:
    """Index a pack: all of it by functions of engine.board."""
    board = hex_map(pack["map"], pack["tables"])
    return Data(
        board,
        pack["counters"],
        {column: compile_going(board, going_from_tables(pack["tables"], column)) for column in ("mech", "other")},
        ground(board),
        lines.spread_of(land_net(board)),
        link_net(board),
        RangeNet(board.grid.adjacent, tuple(() for _ in board.grid.adjacent)),
        {side: tuple(source.hex for source in board.sources if source.side == side) for side in SEATS},
    )


@frozen(slots=False)
class State:
    """`at` hex of each counter (OFF: in the box), `steps` left, who is active, what it has done, the chits of the turn."""

    data: Data = field(eq=False, repr=False)
    at: Mapping[str, int]
    steps: Mapping[str, int]
    kiev: str = "soviet"
    turn: int = 0
    chosen: Mapping[str, Secret | None] = field(factory=lambda: dict.fromkeys(SEATS))
    drawn: tuple[str, ...] = ()
    active: tuple[str, ...] = ()
    done: frozenset[str] = frozenset()
    losses: tuple[str, int] | None = None

    def side(self, name: str) -> str:
        """A counter's owner."""
        return str(self.data.counters[name]["side"])

    @cached_property
    def memo(self) -> dict[Any, Any]:
        """Answers worked out for this state."""
        return {}

    @cached_property
    def stacks(self) -> dict[int, tuple[str, ...]]:
        """Counters by hex."""
        found: dict[int, tuple[str, ...]] = {}
        for name, i in self.at.items():
            if i != OFF:
                found[i] = (*found.get(i, ()), name)
        return found

    @cached_property
    def zones(self) -> dict[str, Zones]:
        """Zones of control by side."""
        return {side: zones(self.data.zones, (i for name, i in self.at.items() if i != OFF and self.side(name) == side)) for side in SEATS}

    def travel(self, name: str) -> ways.Travel:
        """A counter about to move."""
        entry = self.data.counters[name]
        enemy = self.zones[ENEMY[entry["side"]]]
        flags = mover_flags(enemy, (i for i in self.stacks if enemy.pieces[i]))
        return ways.Travel(
            self.data.going[entry["column"]], self.at[name], halves(entry["move"]), Conditions(flags, 2, 2), False, (name, entry["column"])
        )

    def may_stop(self, name: str, i: int) -> bool:
        """Two counters a hex."""
        return len([other for other in self.stacks.get(i, ()) if other != name]) < 2

    def supplied(self, side: str) -> int:
        """Hexes that a line of communication reaches."""
        enemy, mine = self.zones[ENEMY[side]], self.zones[side]
        into = lines.empty_of(enemy.pieces)
        through = into & (lines.empty_of(enemy.count) | lines.hexes_of(mine.pieces))
        return lines.reached(self.data.land, lines.set_of(self.data.sources[side]), through, into)


@event("laid")
class Laid:
    pass


@event("turned")
class Turned:
    turn: int


@event("chose")
class Chose:
    side: str
    chits: Secret


@event("drew")
class Drew:
    chit: str


@event("activated")
class Activated:
    units: tuple[str, ...]


@event("moved")
class Moved:
    unit: str
    path: tuple[str, ...]


@event("fought")
class Fought:
    units: tuple[str, ...]
    target: str
    die: int
    loser: str


@event("lost")
class Lost:
    unit: str
    gone: bool


@event("returned")
class Returned:
    unit: str
    hex: str


@event("spent")
class Spent:
    pass


class LayOut(Step[State]):
    """The board."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        table.emit(Laid())
        table.done()


class Turn(Step[State]):
    """1 A turn begins."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        if table.state.turn:
            table.tell(closing("turn"))
            table.turn_over()
        table.emit(Turned(table.state.turn + 1))
        table.call("turn")


class Choose(Step[State]):
    """2 Both sides choose one chit in secret: chitpull.chits.selection."""

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        return {side: Decision(say("prompt.kiev.choose")) for side in SEATS if at.state.chosen[side] is None}

    def choices(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        return cups.selection(CHITS[seat], 1, picks, "chit")

    def decide(self, table: Table[State], frame: Frame, seat: Seat, picks: Picks) -> None:
        table.emit(Chose(seat, Secret(tuple(picks), (seat,))))


def contents(state: State) -> tuple[str, ...]:
    """What is in the cup: chitpull.chits.cup."""
    return cups.cup((*state.chosen.values(), Secret((SUPPLY,))), state.drawn)


class Draws(Step[State]):
    """3 Chits one by one."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        inside = contents(table.state)
        if not inside:
            table.done()
            return
        chit = table.draw(inside, "cup")
        table.emit(Drew(chit))
        state = table.state
        if chit == SUPPLY:
            table.call("supply")
        elif chit in HQ_OF:
            hq = HQ_OF[chit]
            if state.at[hq] != OFF:
                side = state.side(hq)
                table.emit(
                    Activated(cups.in_range(state.data.command, state.at[hq], 2, state.stacks, lambda name: state.side(name) == side))
                )
                table.call("action")
        else:
            table.call("reinforce", "axis" if chit in CHITS["axis"] else "soviet")


class Supply(Step[State]):
    """4 Who has no line of communication loses a step: chitpull.lines."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        state = table.state
        table.done()
        reach = {side: state.supplied(side) for side in SEATS}
        for name, i in state.at.items():
            if i != OFF and not reach[state.side(name)] >> i & 1:
                lose(table, name)


def lose(table: Table[State], name: str) -> None:
    """A step; the last one takes the counter off."""
    table.emit(Lost(name, table.state.steps[name] == 1))


class Reinforce(Step[State]):
    """5 One lost unit comes back by rail: chitpull.rail.railheads."""

    def hexes(self, state: State, side: str) -> tuple[int, ...]:
        enemy = state.zones[ENEMY[side]]
        access = bytes(0 if enemy.count[i] or enemy.pieces[i] else PASS for i in range(len(state.data.rail)))
        return tuple(i for i in rail.railheads(state.data.rail, state.data.sources[side], access) if len(state.stacks.get(i, ())) < 2)

    def lost(self, state: State, side: str) -> tuple[str, ...]:
        return tuple(name for name, i in state.at.items() if i == OFF and state.side(name) == side)

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        side = frame.args[0]
        return {side: Decision(say("prompt.kiev.reinforce"))} if self.lost(at.state, side) and self.hexes(at.state, side) else {}

    def choices(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        if not picks:
            return offer("unit", (*self.lost(at.state, seat), "done"))
        if len(picks) == 1 and picks[0] != "done":
            return offer("hex", at.state.data.board.grid.names(self.hexes(at.state, seat)))
        return WHOLE

    def decide(self, table: Table[State], frame: Frame, seat: Seat, picks: Picks) -> None:
        table.done()
        if picks[0] != "done":
            table.emit(Returned(str(picks[0]), str(picks[1])))


class Movement(Step[State]):
    """6 Activated counters move by waypoints: chitpull.ways and LazyChoices."""

    def movers(self, state: State) -> tuple[str, ...]:
        return tuple(
            name
            for name in state.active
            if name not in state.done and ways.can_go(state.memo, state.travel(name), lambda i, name=name: state.may_stop(name, i))  # type: ignore[misc]
        )

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        return {at.state.side(at.state.active[0]): Decision(say("prompt.kiev.move"))} if self.movers(at.state) else {}

    def choices(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        state = at.state
        if not picks:
            return offer("unit", (*self.movers(state), "done"))
        if picks[0] == "done" or len(picks) == 2:
            return WHOLE
        name, grid = str(picks[0]), state.data.board.grid
        far = ways.reached(state.memo, state.travel(name))

        def every() -> tuple[str, ...]:
            return tuple(grid.ids[i] for i in far.hexes() if state.may_stop(name, i))

        def has(pick: Any) -> bool:
            return pick in grid.index and grid.index[pick] in far and state.may_stop(name, grid.index[pick])

        return LazyChoices("hex", every, has)

    def decide(self, table: Table[State], frame: Frame, seat: Seat, picks: Picks) -> None:
        if picks[0] == "done":
            table.done()
            return
        state, name = table.state, str(picks[0])
        grid = state.data.board.grid
        trip = ways.follow(state.memo, state.travel(name), [grid.index[str(picks[1])]], lambda i: False)
        table.emit(Moved(name, grid.names((state.at[name], *trip.path))))


class Combat(Step[State]):
    """7 Attacks one by one: chitpull.fronts.front. 1-2 the attackers lose a step, 5-6 the defenders, one more at 2-1."""

    def front(self, state: State) -> dict[int, tuple[str, ...]]:
        free = [(name, state.at[name]) for name in state.active if state.at[name] != OFF and f"fought.{name}" not in state.done]
        return fronts.front(state.data.board, state.zones[ENEMY[state.side(state.active[0])]], free) if free else {}

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        return {at.state.side(at.state.active[0]): Decision(say("prompt.kiev.attack"))} if self.front(at.state) else {}

    def choices(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        near = self.front(at.state)
        grid = at.state.data.board.grid
        if not picks:
            return offer("target", (*grid.names(near), "done"))
        if picks[0] == "done":
            return WHOLE
        return offer("unit", (name for name in near[grid.index[str(picks[0])]] if name not in picks), complete=len(picks) > 1)

    def decide(self, table: Table[State], frame: Frame, seat: Seat, picks: Picks) -> None:
        if picks[0] == "done":
            table.done()
            return
        die = table.roll(6, "combat")
        loser = seat if die < 3 else ENEMY[seat] if die > 4 else ""
        table.emit(Fought(tuple(str(name) for name in picks[1:]), str(picks[0]), die, loser))
        if loser:
            target = table.state.stacks[table.state.data.board.grid.index[str(picks[0])]]
            table.call("losses", loser, *(picks[1:] if loser == seat else target))


class Losses(Step[State]):
    """8 The owner says who loses the step: chitpull.fronts.forced_shares and bearers."""

    def faces(self, state: State, frame: Frame) -> dict[str, int]:
        return {name: state.steps[name] for name in frame.args[1:] if state.at[name] != OFF}

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        return (
            {} if fronts.forced_shares(self.faces(at.state, frame), 1) is not None else {frame.args[0]: Decision(say("prompt.kiev.lose"))}
        )

    def choices(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        return WHOLE if picks else offer("unit", fronts.bearers(self.faces(at.state, frame), ()))

    def decide(self, table: Table[State], frame: Frame, seat: Seat, picks: Picks) -> None:
        table.done()
        lose(table, str(picks[0]))

    def advance(self, table: Table[State], frame: Frame) -> None:
        shares = fronts.forced_shares(self.faces(table.state, frame), 1) or {}
        table.done()
        for name in shares:
            lose(table, name)


class StandDown(Step[State]):
    """9 The command is over."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        table.emit(Spent())
        table.done()


class KievRules:
    title = "kiev"
    version = "1"
    seats = SEATS
    switches: tuple[Switch, ...] = ()
    sequences: Mapping[str, tuple[str, ...]] = {
        "game": ("lay_out", "play"),
        "turn": ("choose", "draws"),
        "action": ("movement", "combat", "stand_down"),
    }
    steps: Mapping[str, Step[State]] = {
        "lay_out": LayOut(),
        "play": Turn(),
        "choose": Choose(),
        "draws": Draws(),
        "supply": Supply(),
        "reinforce": Reinforce(),
        "movement": Movement(),
        "combat": Combat(),
        "losses": Losses(),
        "stand_down": StandDown(),
    }
    events = (Laid, Turned, Chose, Drew, Activated, Moved, Fought, Lost, Returned, Spent)

    def initial(self, genesis: Genesis) -> State:
        data = data_of(canon.unpack_trusted(genesis.pack))
        grid = data.board.grid
        return State(data, {name: grid.index[entry["hex"]] for name, entry in data.counters.items()}, dict.fromkeys(data.counters, 2))

    def triggers(self, table: Table[State], event: Any) -> None:
        pass

    def evolve(self, state: State, event: Any) -> State:
        kind, index = type(event), state.data.board.grid.index
        if kind is Turned:
            return evolve(state, turn=event.turn, chosen=dict.fromkeys(SEATS), drawn=())
        if kind is Chose:
            return evolve(state, chosen={**state.chosen, event.side: event.chits})
        if kind is Drew:
            return evolve(state, drawn=(*state.drawn, event.chit))
        if kind is Activated:
            return evolve(state, active=event.units, done=frozenset())
        if kind in (Moved, Returned):
            hexes = event.path[1:] if kind is Moved else (event.hex,)
            held = {index["0302"]: state.kiev}
            kiev = (
                state.side(event.unit) if rail.changed_hands(held, state.side(event.unit), (index[name] for name in hexes)) else state.kiev
            )
            steps = {**state.steps, event.unit: state.steps[event.unit] if kind is Moved else 2}
            return evolve(state, at={**state.at, event.unit: index[hexes[-1]]}, steps=steps, done=state.done | {event.unit}, kiev=kiev)
        if kind is Fought:
            return evolve(state, done=state.done.union(f"fought.{name}" for name in event.units))
        if kind is Lost:
            at = {**state.at, event.unit: OFF} if event.gone else state.at
            return evolve(state, at=at, steps={**state.steps, event.unit: 0 if event.gone else 1})
        return evolve(state, active=(), done=frozenset()) if kind is Spent else state

    def effects(self, before: State, event: Any, after: State) -> Iterable[Effect]:
        kind = type(event)
        if kind is Laid:
            return self.picture(after)
        if kind is Turned:
            return (opening("turn", "kiev.turn", turn=event.turn), track("turn", event.turn), count("unseen", 0))
        if kind is Chose:
            return (count("unseen", unseen(after)), tell("kiev.chose", "2", side=event.side))
        if kind is Drew:
            return (count("unseen", unseen(after)), tell("kiev.drew", "3", chit=event.chit))
        if kind is Moved:
            return (move(event.unit, *event.path), self._kiev(after))
        if kind is Fought:
            return (roll("combat", 6, (event.die,)), tell("kiev.fought", "7", units=event.units, hex=event.target))
        if kind is Lost:
            return (take(event.unit, "box"),) if event.gone else (flip(event.unit, 1),)
        if kind is Returned:
            return (self._put(after, event.unit), self._kiev(after))
        return ()

    def _kiev(self, state: State) -> Effect:
        return mark("0302", "soviet", int(state.kiev == "soviet"))

    def _put(self, state: State, name: str) -> Effect:
        i = state.at[name]
        return put(name, state.data.board.grid.ids[i] if i != OFF else "box", max(state.steps[name], 1), state.side(name))

    def picture(self, state: State) -> Iterable[Effect]:
        yield from (self._put(state, name) for name in state.at)
        yield self._kiev(state)
        yield track("turn", state.turn)
        yield count("unseen", unseen(state))

    def outcome(self, at: Position[State]) -> Outcome | None:
        return Outcome(at.state.kiev, say("kiev.over", side=at.state.kiev)) if at.state.turn > 3 else None

    def invariants(self, state: State) -> None:
        for i, names in state.stacks.items():
            assert len(names) <= 2 and len({state.side(name) for name in names}) == 1, (i, names)
        assert all((state.at[name] == OFF) == (steps == 0) for name, steps in state.steps.items())


def unseen(state: State) -> int:
    """Chits not seen yet, which everybody may count."""
    return sum(chosen is not None for chosen in state.chosen.values()) + (1 if None not in state.chosen.values() else 0) - len(state.drawn)


RULES = KievRules()


def alternatives(state: State, seat: Seat) -> Iterable[State]:
    """States that differ only in what a seat may not know: the chit that the other side chose, while it is in the cup."""
    other = ENEMY[seat]
    sealed = state.chosen[other]
    if sealed is not None and sealed.value[0] not in state.drawn:
        for chit in CHITS[other]:
            yield evolve(state, chosen={**state.chosen, other: Secret((chit,), sealed.readers, sealed.where)})
