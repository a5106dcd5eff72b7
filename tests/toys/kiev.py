"""A third title of the chit-pull family on twenty hexes: what a sister game would be built from.

Everything that the family shares comes from engine.board and engine.games.chitpull: counters and set-up, choosing chits in secret and the
cup, command range, moves by waypoints, naming attacks, losses, advance, lines of communication, railheads, control. What is its own stands
here: its pack, its state, its events, and a sequence of play of a few steps.

Each turn both sides choose one of two chits in secret; SUPPLY goes into the cup besides. An HQ chit activates the HQ and the units
within two hexes: they move, then attack. The reinforcement chit brings a lost unit back by rail. After three turns the side that holds
Kiev wins.
"""

from collections.abc import Collection, Iterable, Mapping
from functools import cached_property, partial
from typing import Any

from attrs import field as fixed
from attrs import frozen

from engine.board.going import Compiled, compile_going, going_from_tables, halves
from engine.board.hexmap import hex_map
from engine.board.paths import Conditions
from engine.board.stacking import Piece
from engine.board.tracing import PASS, Net, RangeNet, land_net, link_net
from engine.board.zones import Ground, Zones, ground, zones
from engine.games.chitpull import chits as cups
from engine.games.chitpull import fronts, lines, moves, rail, ways
from engine.games.chitpull.advance import Advance, Advancing
from engine.games.chitpull.attacks import Attacking, Attacks, BattleEnds
from engine.games.chitpull.losses import Losing, Losses, Owed
from engine.games.chitpull.moves import Journey, Order
from engine.games.chitpull.pack import Charts, Printed, areas, deployment, printed
from engine.games.chitpull.setup import Deployment, LayOut, SetUp
from engine.games.chitpull.sides import AXIS, ENEMY, SIDES, SOVIET
from engine.games.chitpull.standing import OFF_MAP, in_progress
from engine.kernel.change import evolve
from engine.kernel.dispatch import ByEvent
from engine.kernel.position import Frame, Position
from engine.kernel.table import Table
from engine.kernel.types import Choices, Decision, Outcome, Picks, Seat, Step, Switch, event
from protocol import canon
from protocol.choices import WHOLE, Say, offer, refuse, say
from protocol.effects import Effect, closing, count, flip, mark, move, opening, put, roll, take, tell, track
from protocol.records import Genesis
from protocol.seal import Secret

CHITS = {AXIS: ("ax.1pzgr", "ax.reinf"), SOVIET: ("su.5a", "su.reinf")}
SUPPLY = "supply"
HQ_OF = {"ax.1pzgr": "ax.hq", "su.5a": "su.hq"}
KIEV = "0302"

PACK: dict[str, Any] = {
    "map": {
        "title": "Kiev on twenty hexes",
        "sides": list(SIDES),
        "grid": {"orientation": "flat", "shifted": "even", "columns": 5, "rows": 4, "id": "{col:02}{row:02}"},
        "terrain": {"legend": {".": "plain", "f": "forest"}, "rows": [".f...", "..f..", ".....", "f...f"]},
        "places": {"list": [{"hex": KIEV, "name": "Kiev", "kind": "city", "owner": SOVIET}]},
        "river": [{"name": "Dnieper", "class": "minor", "hexsides": "0301-0401 0302-0401 0302-0402"}],
        "rail": [{"name": "west-east", "hexes": "0103 0202 0302 0402 0503"}],
        "source": [
            {"id": "source.axis", "side": AXIS, "hex": "0103", "name": "west", "rail": True},
            {"id": "source.soviet", "side": SOVIET, "hex": "0503", "name": "east", "rail": True},
        ],
        "area": [
            {"id": "area.west", "kind": "setup", "name": "west", "hexes": "0102 0103 0201 0202 0203"},
            {"id": "area.east", "kind": "setup", "name": "east", "hexes": "0302 0303 0402 0403"},
        ],
    },
    "tables": {
        "terrain": {"plain": {"move_mech": 1, "move_other": 1}, "forest": {"move_mech": 2, "move_other": 1}},
        "place": {"city": {"mode": "adds"}},
        "hexside": {"minor": {"move_extra": 1}},
        "movement": {"road": 1, "march_road": 1, "ezoc_enter": 1, "ezoc_leave": 1},
    },
    "counters": {
        "units": [
            {"id": "ax.pz", "side": AXIS, "type": "tank", "mech": True, "move": 4, "full": [4, 2], "reduced": [2, 1], "group": "west"},
            {"id": "ax.inf", "side": AXIS, "type": "inf", "mech": False, "move": 3, "full": [3, 2], "reduced": [1, 1], "group": "west"},
            {"id": "su.gd", "side": SOVIET, "type": "inf", "mech": False, "move": 3, "full": [3, 2], "reduced": [1, 1], "group": "east"},
            {"id": "su.rifle", "side": SOVIET, "type": "inf", "mech": False, "move": 3, "full": [2, 1], "group": "east"},
        ],
        "hqs": [
            {"id": "ax.hq", "side": AXIS, "type": "hq", "mech": True, "move": 4, "full": [2, 1], "range": 2, "group": "west"},
            {"id": "su.hq", "side": SOVIET, "type": "hq", "mech": False, "move": 3, "full": [2, 1], "range": 2, "group": "east"},
        ],
    },
    "setup": {
        "group": [{"id": "west", "side": AXIS, "area": "area.west"}, {"id": "east", "side": SOVIET, "area": "area.east"}],
        "on_map": {"0103": "ax.hq", "0202": "ax.pz", "0203": "ax.inf", "0402": "su.hq", "0302": "su.gd", "0303": "su.rifle"},
    },
}


# --- the pack, indexed ------------------------------------------------------------------------------------------------------


@frozen(eq=False, repr=False)
class Data(Charts):
    """The pack, compiled once."""

    preset: Mapping[str, int]
    going: Mapping[str, Compiled]
    zones: Ground
    land: lines.Spread
    rail: Net
    command: RangeNet
    sources: Mapping[str, tuple[int, ...]]
    options: Mapping[str, Any]


def _type(entry: Mapping[str, Any], full: tuple[int, int], reduced: tuple[int, int] | None) -> Printed:
    hq = "range" in entry
    return Printed(
        entry["id"],
        entry["side"],
        entry["type"],
        hq,
        entry["mech"],
        halves(entry["move"]),
        full,
        reduced,
        entry.get("range", 0),
        entry["group"],
        Piece(entry["side"], entry["side"], hq),
    )


def data_of(pack: Mapping[str, Any], options: Mapping[str, Any]) -> Data:
    """Index a pack: all of it by functions of engine.board and chitpull.pack."""
    board = hex_map(pack["map"], pack["tables"])
    types = printed(pack["counters"], _type)
    return Data(
        board,
        types,
        areas(pack["setup"], board, types),
        deployment(pack["setup"], board, types),
        {column: compile_going(board, going_from_tables(pack["tables"], column)) for column in ("mech", "other")},
        ground(board),
        lines.spread_of(land_net(board)),
        link_net(board),
        RangeNet(board.grid.adjacent, tuple(() for _ in board.grid.adjacent)),
        {side: tuple(source.hex for source in board.sources if source.side == side) for side in SIDES},
        options,
    )


# --- the state --------------------------------------------------------------------------------------------------------------


@frozen(slots=False)
class Activation:
    """Who is active, and what of it has moved and attacked."""

    side: str
    units: tuple[str, ...]
    moved: frozenset[str] = frozenset()
    fought: frozenset[str] = frozenset()
    targets: tuple[int, ...] = ()


@frozen(slots=False)
class Battle:
    """A combat: who loses a step, "" for nobody."""

    target: int
    attackers: tuple[str, ...]
    loser: str
    advanced: frozenset[str] = frozenset()


@frozen(slots=False)
class State:
    """Where each counter is (OFF_MAP: waiting, or in the box), what shows its reduced face, the chits of the turn."""

    data: Data = fixed(eq=False, repr=False)
    places: Mapping[str, int]
    reduced: frozenset[str] = frozenset()
    ready: frozenset[str] = frozenset()
    kiev: str = SOVIET
    turn: int = 0
    chosen: Mapping[str, Secret | None] = fixed(factory=lambda: dict.fromkeys(SIDES))
    drawn: tuple[str, ...] = ()
    activation: Activation | None = None
    battle: Battle | None = None

    @property
    def field(self) -> "State":
        """A board this small is its own field."""
        return self

    @cached_property
    def memo(self) -> dict[Any, Any]:
        """Answers worked out for this state."""
        return {}

    @cached_property
    def stacks(self) -> dict[int, tuple[str, ...]]:
        """Counters by hex."""
        found: dict[int, tuple[str, ...]] = {}
        for name, i in self.places.items():
            if i != OFF_MAP:
                found[i] = (*found.get(i, ()), name)
        return found

    @cached_property
    def both(self) -> dict[str, Zones]:
        """Zones of control by side."""
        on_map = [(self.data.types[name].side, i) for name, i in self.places.items() if i != OFF_MAP]
        return {side: zones(self.data.zones, (i for owner, i in on_map if owner == side)) for side in SIDES}

    def zones(self, side: str) -> Zones:
        """A side's zones of control."""
        return self.both[side]

    def at(self, name: str) -> int:
        """The hex of a counter."""
        return self.places[name]

    def enemies_in(self, side: str, i: int) -> tuple[str, ...]:
        """Enemies of a side in a hex."""
        return self.stacks[i] if self.both[ENEMY[side]].pieces[i] else ()

    def option(self, name: str) -> Any:
        """A switch in force."""
        return self.data.options[name]

    def steps(self, name: str) -> int:
        """Steps that a counter can lose."""
        return self.data.types[name].steps(name in self.reduced)

    def strength(self, names: Iterable[str], factor: int) -> int:
        """Attack (0) or defence (1) of counters."""
        return sum(self.data.types[name].strength(name in self.reduced)[factor] for name in names)

    def supplied(self, side: str) -> int:
        """Hexes that a line of communication reaches: chitpull.lines."""
        enemy, mine = self.both[ENEMY[side]], self.both[side]
        into = lines.empty_of(enemy.pieces)
        through = into & (lines.empty_of(enemy.count) | lines.hexes_of(mine.pieces))
        return lines.reached(self.data.land, lines.set_of(self.data.sources[side]), through, into)


def room(state: State, names: tuple[str, ...], i: int) -> bool:
    """Two counters a hex, never with enemies."""
    others = [name for name in state.stacks.get(i, ()) if name not in names]
    return len(others) + len(names) <= 2 and all(state.data.types[name].side == state.data.types[names[0]].side for name in others)


# --- the events -------------------------------------------------------------------------------------------------------------


@event("laid")
class Laid:
    pass


@event("deployed")
class Deployed:
    unit: str
    hex: str


@event("ready")
class Ready:
    side: str


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
    side: str
    units: tuple[str, ...]


@event("moved")
class Moved:
    units: tuple[str, ...]
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


@event("advanced")
class Advanced:
    units: tuple[str, ...]
    path: tuple[str, ...]


@event("battle_over")
class BattleOver:
    target: str


@event("returned")
class Returned:
    unit: str
    hex: str


@event("spent")
class Spent:
    pass


# --- the sequence of play ---------------------------------------------------------------------------------------------------

# 0 Each side sets up in its area, or the option does it: chitpull.setup.
DEPLOYMENT = Deployment[State](
    laid=Laid,
    preset="preset",
    places=lambda state: state.data.preset,
    room=lambda state, name, i: room(state, (name,), i),
    whole=lambda state, side: True,
    prompt=say("prompt.kiev.set_up"),
    verb_slot="verb",
    unit_slot="unit",
    hex_slot="hex",
    against=lambda state, seat, why, picks: refuse("0", "refusal.kiev", why=why.value),
    placed=Deployed,
    done=Ready,
)


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
        return {side: Decision(say("prompt.kiev.choose")) for side in SIDES if at.state.chosen[side] is None}

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
        types = state.data.types
        if chit == SUPPLY:
            table.call("supply")
        elif chit not in HQ_OF:
            table.call("reinforce", AXIS if chit in CHITS[AXIS] else SOVIET)
        elif state.at(HQ_OF[chit]) != OFF_MAP:
            hq = types[HQ_OF[chit]]
            units = cups.in_range(state.data.command, state.at(hq.id), hq.range, state.stacks, lambda name: types[name].side == hq.side)
            table.emit(Activated(hq.side, units))
            table.call("action")


class Supply(Step[State]):
    """4 Who has no line of communication loses a step."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        state = table.state
        table.done()
        reach = {side: state.supplied(side) for side in SIDES}
        for name, i in state.places.items():
            if i != OFF_MAP and not reach[state.data.types[name].side] >> i & 1:
                table.emit(Lost(name, table.state.steps(name) == 1))


class Reinforce(Step[State]):
    """5 One lost unit comes back by rail: chitpull.rail.railheads."""

    def hexes(self, state: State, side: str) -> tuple[int, ...]:
        enemy = state.zones(ENEMY[side])
        access = bytes(0 if enemy.count[i] or enemy.pieces[i] else PASS for i in range(len(state.data.rail)))
        return tuple(i for i in rail.railheads(state.data.rail, state.data.sources[side], access) if len(state.stacks.get(i, ())) < 2)

    def lost(self, state: State, side: str) -> tuple[str, ...]:
        return tuple(name for name, i in state.places.items() if i == OFF_MAP and state.data.types[name].side == side)

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


def journey(state: State, names: tuple[str, ...]) -> Journey:
    """6 Counters about to move: two half points to enter and to leave a zone; their hex must be one."""
    side, column = state.data.types[names[0]].side, moves.column(state.data.types, names)
    enemy = state.zones(ENEMY[side])
    now = Conditions(ways.flags((enemy.count, ways.IN_ZONE), (enemy.pieces, ways.BARRED)), 2, 2)
    points = min(state.data.types[name].move for name in names)
    travel = ways.Travel(state.data.going[column], moves.together(state, names), points, now, False, (side, column))
    return Journey(state.data.board.grid, state.memo, travel, partial(room, state, names), lambda i: False)


class Movement(Step[State]):
    """6 Activated counters move by waypoints, alone or with a stack mate: chitpull.moves and ways."""

    def can_go(self, state: State, names: tuple[str, ...]) -> bool:
        here = journey(state, names)
        return ways.can_go(state.memo, here.travel, here.may_stop)

    def waiting(self, state: State) -> tuple[str, ...]:
        activation = state.activation
        return () if activation is None else tuple(name for name in activation.units if name not in activation.moved)

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        movers = [name for name in self.waiting(at.state) if self.can_go(at.state, (name,))]
        return {at.state.data.types[movers[0]].side: Decision(say("prompt.kiev.move"))} if movers else {}

    def choices(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        state = at.state
        if not picks:
            return offer("verb", ("move", "done"))
        if picks[0] == "done":
            return WHOLE
        waiting = self.waiting(state)
        if len(picks) == 1:
            return offer("unit", (name for name in waiting if self.can_go(state, (name,))))
        order = self.read(state, picks)
        here = journey(state, order.names)
        if order.waypoints:
            return moves.underway(here, order.waypoints, "to")

        def joins(mate: str) -> bool:
            return mate > order.names[-1] and mate in waiting and self.can_go(state, (*order.names, mate))

        return moves.departing(here, "to", state.stacks[here.travel.start], joins, (), lambda mode: False)

    def read(self, state: State, picks: Picks) -> Order:
        return moves.read(picks[1:], state.places, ())

    def decide(self, table: Table[State], frame: Frame, seat: Seat, picks: Picks) -> None:
        if picks[0] == "done":
            table.done()
            return
        state = table.state
        order = self.read(state, picks)
        here = journey(state, order.names)
        table.emit(Moved(order.names, (state.data.name(here.travel.start), *here.path(here.follow(order.waypoints)))))


def front(state: State, activation: Activation) -> Mapping[int, tuple[str, ...]]:
    """7 Who may still attack what: chitpull.fronts.front."""
    free = [(name, state.at(name)) for name in activation.units if state.at(name) != OFF_MAP and name not in activation.fought]
    return fronts.front(state.data.board, state.zones(ENEMY[activation.side]), free, activation.targets)


def enough(state: State, side: str, attackers: Collection[str], target: int) -> bool:
    """7 At least 1-1."""
    return state.strength(attackers, 0) >= state.strength(state.enemies_in(side, target), 1)


def forecast(state: State, side: str, attackers: tuple[str, ...], target: int) -> tuple[Say, ...]:
    """7 The strengths in words."""
    return (say("kiev.odds", "7", attack=state.strength(attackers, 0), defence=state.strength(state.enemies_in(side, target), 1)),)


def fight(table: Table[State], side: str, target: str, attackers: tuple[str, ...]) -> None:
    """7 1-2 the attackers lose a step, 5-6 the defenders."""
    die = table.roll(6, "combat")
    table.emit(Fought(attackers, target, die, side if die < 3 else ENEMY[side] if die > 4 else ""))
    table.call("battle")


# 7 Attacks one by one, each carried through before the next: chitpull.attacks.
ATTACKING = Attacking[State](
    front=front,
    enough=enough,
    forecast=forecast,
    busy=lambda activation: activation.fought,
    attacked=lambda activation: activation.targets,
    prompt=say("prompt.kiev.attack"),
    verbs=offer("verb", ("attack", "done")),
    target_slot="target",
    attacker_slot="unit",
    against=lambda state, why, picks: refuse("7", "refusal.kiev", why=why.value),
    carry_out=fight,
)


def owed(state: State) -> Owed:
    """8 The loser's counters in the combat lose a step between them."""
    activation, battle = in_progress(state)
    names = battle.attackers if battle.loser == activation.side else state.enemies_in(activation.side, battle.target)
    return Owed(battle.loser, 1 if battle.loser else 0, {name: state.steps(name) for name in names})


def lose(table: Table[State], owed: Owed, shares: Mapping[str, int]) -> None:
    """8 The last step takes a counter off."""
    for name in shares:
        table.emit(Lost(name, table.state.steps(name) == 1))


# 8 The owner says who loses the step: chitpull.losses.
LOSING = Losing[State](
    owed=owed,
    prompt=lambda n: say("prompt.kiev.lose"),
    verbs=offer("verb", ("lose",)),
    slot="unit",
    against=lambda state, why, points, pick: refuse("8", "refusal.kiev", why=why.value),
    take=lose,
)

# 9 Attackers may follow into an emptied hex: chitpull.advance. Nobody goes two.
ADVANCING = Advancing[State](
    room=room,
    goes_two=lambda state, unit: False,
    ground=lambda state, i: False,
    barrier=lambda state: b"",
    along=lambda state, unit: "",
    prompt=lambda hex: say("prompt.kiev.advance", hex=hex),
    verbs=offer("verb", ("advance", "done")),
    who_slot="unit",
    to_slot="hex",
    against=lambda state, why, picks: refuse("9", "refusal.kiev", why=why.value),
    carry_out=lambda table, units, hexes: table.emit(Advanced(units, (table.state.data.name(table.state.at(units[0])), *hexes))),
)


class StandDown(Step[State]):
    """10 The command is over."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        table.emit(Spent())
        table.done()


# --- events to states -------------------------------------------------------------------------------------------------------

_after = ByEvent()


def _at(state: State, names: Iterable[str], path: tuple[str, ...], **changes: Any) -> State:
    """With counters at the end of a path, and Kiev in the hands of who passed it last: chitpull.rail.changed_hands."""
    index = state.data.board.grid.index
    places = {**state.places, **dict.fromkeys(names, index[path[-1]])}
    side = state.data.types[next(iter(names))].side
    taken = rail.changed_hands({index[KIEV]: state.kiev}, side, (index[name] for name in path))
    return evolve(state, places=places, kiev=side if taken else state.kiev, **changes)


@_after(Laid)
def _(state: State, event: Laid) -> State:
    return state


@_after(Deployed)
def _(state: State, event: Deployed) -> State:
    return evolve(state, places={**state.places, event.unit: state.data.hex(event.hex)})


@_after(Ready)
def _(state: State, event: Ready) -> State:
    return evolve(state, ready=state.ready | {event.side})


@_after(Turned)
def _(state: State, event: Turned) -> State:
    return evolve(state, turn=event.turn, chosen=dict.fromkeys(SIDES), drawn=())


@_after(Chose)
def _(state: State, event: Chose) -> State:
    return evolve(state, chosen={**state.chosen, event.side: event.chits})


@_after(Drew)
def _(state: State, event: Drew) -> State:
    return evolve(state, drawn=(*state.drawn, event.chit))


@_after(Activated)
def _(state: State, event: Activated) -> State:
    return evolve(state, activation=Activation(event.side, event.units))


@_after(Moved)
def _(state: State, event: Moved) -> State:
    assert state.activation is not None
    activation = evolve(state.activation, moved=state.activation.moved.union(event.units))
    return _at(state, event.units, event.path[1:], activation=activation)


@_after(Fought)
def _(state: State, event: Fought) -> State:
    activation, target = state.activation, state.data.hex(event.target)
    assert activation is not None
    activation = evolve(activation, fought=activation.fought.union(event.units), targets=(*activation.targets, target))
    return evolve(state, activation=activation, battle=Battle(target, event.units, event.loser))


@_after(Lost)
def _(state: State, event: Lost) -> State:
    if not event.gone:
        return evolve(state, reduced=state.reduced | {event.unit})
    return evolve(state, places={**state.places, event.unit: OFF_MAP}, reduced=state.reduced - {event.unit})


@_after(Advanced)
def _(state: State, event: Advanced) -> State:
    assert state.battle is not None
    return _at(state, event.units, event.path[1:], battle=evolve(state.battle, advanced=state.battle.advanced.union(event.units)))


@_after(BattleOver)
def _(state: State, event: BattleOver) -> State:
    return evolve(state, battle=None)


@_after(Returned)
def _(state: State, event: Returned) -> State:
    return _at(state, (event.unit,), (event.hex,))


@_after(Spent)
def _(state: State, event: Spent) -> State:
    return evolve(state, activation=None)


EVOLVE = _after.table()


# --- what clients draw ------------------------------------------------------------------------------------------------------

_draws = ByEvent()


def _kiev(state: State) -> Effect:
    return mark(KIEV, SOVIET, int(state.kiev == SOVIET))


def _put(state: State, name: str) -> Effect:
    i, side = state.at(name), state.data.types[name].side
    place = state.data.name(i) if i != OFF_MAP else "box" if side in state.ready else "set_up"
    return put(name, place, int(name not in state.reduced), side)


def picture(state: State) -> Iterable[Effect]:
    """The whole table."""
    yield from (_put(state, name) for name in state.places)
    yield _kiev(state)
    yield track("turn", state.turn)
    yield count("unseen", unseen(state))


@_draws(Laid)
def _(before: State, event: Laid, after: State) -> Iterable[Effect]:
    return picture(after)


@_draws(Deployed)
def _(before: State, event: Deployed, after: State) -> Iterable[Effect]:
    return (_put(after, event.unit),)


@_draws(Ready)
def _(before: State, event: Ready, after: State) -> Iterable[Effect]:
    return (tell("kiev.ready", "0", side=event.side),)


@_draws(Turned)
def _(before: State, event: Turned, after: State) -> Iterable[Effect]:
    return (opening("turn", "kiev.turn", turn=event.turn), track("turn", event.turn), count("unseen", 0))


@_draws(Chose)
def _(before: State, event: Chose, after: State) -> Iterable[Effect]:
    return (count("unseen", unseen(after)), tell("kiev.chose", "2", side=event.side))


@_draws(Drew)
def _(before: State, event: Drew, after: State) -> Iterable[Effect]:
    return (count("unseen", unseen(after)), tell("kiev.drew", "3", chit=event.chit))


@_draws(Activated, BattleOver, Spent)
def _(before: State, event: Any, after: State) -> Iterable[Effect]:
    return ()


@_draws(Moved, Advanced)
def _(before: State, event: Moved | Advanced, after: State) -> Iterable[Effect]:
    return (*(move(name, *event.path) for name in event.units), _kiev(after))


@_draws(Fought)
def _(before: State, event: Fought, after: State) -> Iterable[Effect]:
    return (roll("combat", 6, (event.die,)), tell("kiev.fought", "7", units=event.units, hex=event.target))


@_draws(Lost)
def _(before: State, event: Lost, after: State) -> Iterable[Effect]:
    return (take(event.unit, "box"), _put(after, event.unit)) if event.gone else (flip(event.unit, 0),)


@_draws(Returned)
def _(before: State, event: Returned, after: State) -> Iterable[Effect]:
    return (_put(after, event.unit), _kiev(after))


EFFECTS = _draws.table()


# --- the title --------------------------------------------------------------------------------------------------------------


class KievRules:
    title = "kiev"
    version = "1"
    seats = SIDES
    switches = (Switch("set_up", "free", ("free", "preset"), "0"), Switch("set_up_first", SOVIET, SIDES, "0"))
    sequences: Mapping[str, tuple[str, ...]] = {
        "game": ("lay_out", "set_up_first", "set_up_second", "play"),
        "turn": ("choose", "draws"),
        "action": ("movement", "attacks", "stand_down"),
        "battle": ("losses", "advance", "battle_ends"),
    }
    steps: Mapping[str, Step[State]] = {
        "lay_out": LayOut(DEPLOYMENT),
        "set_up_first": SetUp(DEPLOYMENT, 0),
        "set_up_second": SetUp(DEPLOYMENT, 1),
        "play": Turn(),
        "choose": Choose(),
        "draws": Draws(),
        "supply": Supply(),
        "reinforce": Reinforce(),
        "movement": Movement(),
        "attacks": Attacks(ATTACKING),
        "losses": Losses(LOSING),
        "advance": Advance(ADVANCING),
        "battle_ends": BattleEnds(BattleOver),
        "stand_down": StandDown(),
    }
    events = tuple(EVOLVE)

    def initial(self, genesis: Genesis) -> State:
        data = data_of(canon.unpack_trusted(genesis.pack), genesis.options)
        return State(data, dict.fromkeys(data.types, OFF_MAP))

    def triggers(self, table: Table[State], event: Any) -> None:
        pass

    def evolve(self, state: State, event: Any) -> State:
        after: State = EVOLVE[type(event)](state, event)
        return after

    def effects(self, before: State, event: Any, after: State) -> Iterable[Effect]:
        drawn: Iterable[Effect] = EFFECTS[type(event)](before, event, after)
        return drawn

    def picture(self, state: State) -> Iterable[Effect]:
        return picture(state)

    def outcome(self, at: Position[State]) -> Outcome | None:
        return Outcome(at.state.kiev, say("kiev.over", side=at.state.kiev)) if at.state.turn > 3 else None

    def invariants(self, state: State) -> None:
        for i, names in state.stacks.items():
            assert len(names) <= 2 and len({state.data.types[name].side for name in names}) == 1, (i, names)
        assert all(state.at(name) != OFF_MAP for name in state.reduced)


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
