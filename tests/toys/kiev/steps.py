"""The sequence of play."""

from collections.abc import Collection, Mapping
from functools import partial

from attrs import frozen

from tests.toys.kiev.events import (
    Activated,
    Advanced,
    Chose,
    Deployed,
    Drew,
    Fought,
    Lost,
    Moved,
    Ready,
    Returned,
    Spent,
    Turned,
    why,
)
from tests.toys.kiev.pack import CHITS, HQ_OF, SUPPLY
from tests.toys.kiev.state import Activation, State, room
from warledger.engine.board.paths import Conditions
from warledger.engine.board.tracing import PASS
from warledger.engine.games.chitpull import chits as cups
from warledger.engine.games.chitpull import contact, moves, rail, ways
from warledger.engine.games.chitpull.advance import Advance, Advancing
from warledger.engine.games.chitpull.attacks import Assault, Attacks
from warledger.engine.games.chitpull.losses import Losses, Owed
from warledger.engine.games.chitpull.moves import Journey, MoveOrder
from warledger.engine.games.chitpull.setup import Deploying, SetUp, area_of
from warledger.engine.games.chitpull.sides import AXIS, ENEMY, SIDES, SOVIET
from warledger.engine.games.chitpull.states import OFF_MAP, active, hex_at, in_progress
from warledger.engine.kernel.commands import (
    Asked,
    Asking,
    Command,
    Commands,
    Free,
    Many,
    Slot,
    word,
)
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import (
    Choices,
    Decision,
    Pick,
    Refusal,
    Seat,
    Step,
)
from warledger.protocol.board.choices import Say, offer, say
from warledger.protocol.chance.seal import Secret


class KievSetUp(SetUp[State]):
    """0 Each side sets up in its area, or the option does it: chitpull.setup."""

    unit_slot, hex_slot = "unit", "hex"
    preset = "preset"
    prompt = say("prompt.kiev.set_up")
    placed = Deployed
    done = Ready

    def places(self, state: State) -> Mapping[str, int]:
        return state.data.preset

    def room(self, state: State, name: str, i: int) -> bool:
        return room(state, (name,), i)

    def no_verb(self, asked: Asked[State], verb: Pick) -> Refusal:
        return why("no such verb")

    def why_not_ready(self, asked: Asked[State]) -> Refusal:
        return why("not everything is set up")

    def why_not_unit(self, asked: Asked[State], order: Deploying, pick: Pick) -> Refusal:
        return why("nothing that can be set up")

    def why_not_hex(self, asked: Asked[State], order: Deploying, pick: Pick) -> Refusal:
        i = hex_at(asked.state, pick)
        if i == OFF_MAP:
            return why("no such hex")
        known = i in area_of(asked.state.data, order.unit)
        return why("the unit stands there" if known else "outside the unit's area")


class Turn(Step[State]):
    """1 A turn begins."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        if table.state.turn:
            table.turn_over()
        table.emit(Turned(table.state.turn + 1))
        table.call("turn")


@frozen
class Choosing:
    """The chit chosen."""

    chits: tuple[str, ...] = ()


class Choose(Asking[State]):
    """2 Both sides choose one chit in secret: chitpull.chits.selection."""

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        return {
            side: Decision(say("prompt.kiev.choose"))
            for side in SIDES
            if at.state.chosen[side] is None
        }

    def commands(self) -> Commands[State]:
        def whole(asked: Asked[State], order: Choosing) -> bool:
            return len(order.chits) == 1

        return (
            Command(
                "",
                Choosing,
                Many(
                    "chits",
                    "chit",
                    lambda asked, order: cups.selection(CHITS[asked.seat], 1, order.chits),
                    enough=whole,
                    full=whole,
                ),
                apply=lambda table, asked, order: table.emit(
                    Chose(asked.seat, Secret(order.chits, (asked.seat,)))
                ),
                sealed=True,
            ),
        )


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
            units = cups.in_range(
                state.data.command,
                state.at(hq.id),
                hq.range,
                state.stacks,
                lambda name: types[name].side == hq.side,
            )
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


@frozen
class Returning:
    """A lost unit and the hex where it comes back."""

    unit: str = ""
    hex: str = ""


class Reinforce(Asking[State]):
    """5 One lost unit comes back by rail: chitpull.rail.railheads."""

    def hexes(self, state: State, side: str) -> tuple[int, ...]:
        enemy = state.zones(ENEMY[side])
        access = bytes(
            0 if enemy.count[i] or enemy.pieces[i] else PASS for i in range(len(state.data.rail))
        )
        return tuple(
            i
            for i in rail.railheads(state.data.rail, state.data.sources[side], access)
            if len(state.stacks.get(i, ())) < 2
        )

    def lost(self, state: State, side: str) -> tuple[str, ...]:
        return tuple(
            name
            for name, i in state.places.items()
            if i == OFF_MAP and state.data.types[name].side == side
        )

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        side = frame.args[0]
        return (
            {side: Decision(say("prompt.kiev.reinforce"))}
            if self.lost(at.state, side) and self.hexes(at.state, side)
            else {}
        )

    def commands(self) -> Commands[State]:
        return (
            Command(
                "place",
                Returning,
                Slot("unit", "unit", lambda asked, order: self.lost(asked.state, asked.seat)),
                Slot(
                    "hex",
                    "hex",
                    lambda asked, order: asked.state.data.board.grid.names(
                        self.hexes(asked.state, asked.seat)
                    ),
                ),
                apply=self.place,
            ),
            word("done", lambda table, asked: table.done()),
        )

    def place(self, table: Table[State], asked: Asked[State], order: Returning) -> None:
        table.done()
        table.emit(Returned(order.unit, order.hex))


def journey(state: State, names: tuple[str, ...]) -> Journey:
    """6 Counters about to move: two half points to enter and to leave a zone; their hex must be
    one."""
    side, column = state.data.types[names[0]].side, moves.column(state.data.types, names)
    enemy = state.zones(ENEMY[side])
    now = Conditions(
        ways.flags((enemy.count, ways.AS_ZONE), (enemy.pieces, ways.AS_NO_ENTRY)), 2, 2
    )
    points = min(state.data.types[name].move for name in names)
    mover = ways.Mover(
        state.data.going[column], moves.together(state, names), points, now, False, (side, column)
    )
    return Journey(
        state.data.board.grid, state, mover, partial(room, state, names), lambda i: False
    )


@frozen
class Moving:
    """Who moves, and by which hexes."""

    way: MoveOrder


class Movement(Asking[State]):
    """6 Activated counters move by waypoints, alone or with a stack mate: chitpull.moves and
    ways."""

    def can_go(self, state: State, names: tuple[str, ...]) -> bool:
        here = journey(state, names)
        return ways.can_go(state, here.mover, here.may_stop)

    def waiting(self, state: State) -> tuple[str, ...]:
        activation = state.activation
        return (
            ()
            if activation is None
            else tuple(name for name in activation.units if name not in activation.moved)
        )

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        movers = [name for name in self.waiting(at.state) if self.can_go(at.state, (name,))]
        return (
            {at.state.data.types[movers[0]].side: Decision(say("prompt.kiev.move"))}
            if movers
            else {}
        )

    def commands(self) -> Commands[State]:
        return (
            Command(
                "move",
                Moving,
                Free(
                    "way",
                    lambda asked, picks: moves.read(picks, asked.state.places, ()),
                    self.onward,
                    form="UNIT [UNIT …] HEX …",
                ),
                apply=self.move,
            ),
            word("done", lambda table, asked: table.done()),
        )

    def onward(self, asked: Asked[State], order: Moving) -> Choices:
        state, way, waiting = asked.state, order.way, self.waiting(asked.state)
        if not way.names:
            return offer("unit", (name for name in waiting if self.can_go(state, (name,))))
        here = journey(state, way.names)
        if way.waypoints:
            return moves.underway(here, way.waypoints, "to")

        def joins(mate: str) -> bool:
            return (
                mate > way.names[-1] and mate in waiting and self.can_go(state, (*way.names, mate))
            )

        return moves.departing(
            here, "to", state.stacks[here.mover.start], joins, (), lambda mode: False
        )

    def move(self, table: Table[State], asked: Asked[State], order: Moving) -> None:
        state, way = asked.state, order.way
        here = journey(state, way.names)
        path = here.path(here.follow(way.waypoints))
        table.emit(Moved(way.names, (state.data.name(here.mover.start), *path)))


def attackable(state: State, activation: Activation) -> Mapping[int, tuple[str, ...]]:
    """7 Who may still attack what: chitpull.contact.attackable."""
    free = [
        (name, state.at(name))
        for name in activation.units
        if state.at(name) != OFF_MAP and name not in activation.fought
    ]
    return contact.attackable(
        state.data.board, state.zones(ENEMY[activation.side]), free, activation.targets
    )


class Attack(Attacks[State]):
    """7 Attacks one by one, each carried through before the next: chitpull.attacks."""

    target_slot, attacker_slot = "target", "unit"
    prompt = say("prompt.kiev.attack")

    def attackable(self, state: State) -> Mapping[int, tuple[str, ...]]:
        return attackable(state, active(state))

    def enough(self, state: State, side: str, attackers: Collection[str], target: int) -> bool:
        """7 At least 1-1."""
        return state.strength(attackers, 0) >= state.strength(state.enemies_in(side, target), 1)

    def forecast(
        self, state: State, side: str, attackers: tuple[str, ...], target: int
    ) -> tuple[Say, ...]:
        """7 The strengths in words."""
        return (
            say(
                "kiev.odds",
                "7",
                attack=state.strength(attackers, 0),
                defence=state.strength(state.enemies_in(side, target), 1),
            ),
        )

    def attack(
        self, table: Table[State], side: str, target: str, attackers: tuple[str, ...]
    ) -> None:
        """7 1-2 the attackers lose a step, 5-6 the defenders."""
        die = table.roll(6, "combat")
        loser = side if die < 3 else ENEMY[side] if die > 4 else ""
        table.emit(Fought(attackers, target, die, loser))
        table.call("battle")

    def no_verb(self, asked: Asked[State], verb: Pick) -> Refusal:
        return why("no such verb")

    def why_not_target(self, asked: Asked[State], order: Assault, pick: Pick) -> Refusal:
        state = asked.state
        i = hex_at(state, pick)
        if i == OFF_MAP:
            return why("no such hex")
        if not state.enemies_in(asked.seat, i):
            return why("no enemy unit there")
        if i in active(state).targets:
            return why("attacked already")
        near = self.attackable(state)
        return self.too_weak(state, asked.seat, near[i], i) if i in near else why("out of touch")

    def why_not_attacker(self, asked: Asked[State], order: Assault, pick: Pick) -> Refusal:
        state, name = asked.state, str(pick)
        type_ = state.data.types.get(name)
        if type_ is None or type_.side != asked.seat:
            return why("no unit of this side")
        if name not in active(state).units:
            return why("not activated")
        if name in active(state).fought:
            return why("has its attack")
        beside = contact.hexside(state.data.board, state.at(name), hex_at(state, order.hex)) >= 0
        return why("picked already" if beside else "not next to the hex")

    def too_weak(self, state: State, side: str, attackers: tuple[str, ...], target: int) -> Refusal:
        return why("too weak")


class Lose(Losses[State]):
    """8 The loser's counters in the combat lose a step between them, as their owner says:
    chitpull.losses."""

    unit_slot = "unit"

    def prompt(self, points: int) -> Say:
        return say("prompt.kiev.lose")

    def owed(self, state: State) -> Owed:
        activation, battle = in_progress(state)
        names = (
            battle.attackers
            if battle.loser == activation.side
            else state.enemies_in(activation.side, battle.target)
        )
        faces = {name: state.steps(name) for name in names}
        return Owed(battle.loser, 1 if battle.loser else 0, faces)

    def take(self, table: Table[State], owed: Owed, shares: Mapping[str, int]) -> None:
        """8 The last step takes a counter off."""
        for name in shares:
            table.emit(Lost(name, table.state.steps(name) == 1))

    def no_verb(self, asked: Asked[State], verb: Pick) -> Refusal:
        return why("no such verb")

    def why_not_unit(self, asked: Asked[State], owed: Owed, pick: Pick) -> Refusal:
        return why("not in the combat")

    def why_no_more(self, owed: Owed) -> Refusal:
        return why("all points are divided")


class Follow(Advance[State]):
    """9 Attackers may follow into an emptied hex: chitpull.advance. Nobody goes two."""

    who_slot, to_slot = "unit", "hex"

    def prompt(self, hex: str) -> Say:
        return say("prompt.kiev.advance", hex=hex)

    def room(self, state: State, names: tuple[str, ...], i: int) -> bool:
        return room(state, names, i)

    def goes_two(self, state: State, unit: str) -> bool:
        return False

    def ground(self, state: State, i: int) -> bool:
        return False

    def barrier(self, state: State) -> bytes:
        return b""

    def carry_out(self, table: Table[State], names: tuple[str, ...], path: tuple[str, ...]) -> None:
        table.emit(Advanced(names, (table.state.data.name(table.state.at(names[0])), *path)))

    def no_verb(self, asked: Asked[State], verb: Pick) -> Refusal:
        return why("no such verb")

    def why_not_unit(self, asked: Asked[State], order: Advancing, pick: Pick) -> Refusal:
        _, battle = in_progress(asked.state)
        if pick not in battle.attackers:
            return why("did not attack, or is gone")
        return why("has advanced already" if pick in battle.advanced else "finds no room ahead")

    def why_no_room(self, state: State, order: Advancing) -> Refusal:
        return why("finds no room ahead")

    def why_not_hex(self, asked: Asked[State], order: Advancing, pick: Pick) -> Refusal:
        if pick in asked.state.data.types:
            return why("cannot go along")
        if hex_at(asked.state, pick) == OFF_MAP:
            return why("no such hex")
        return why("goes no further" if order.hex else "the combat hex comes first")


class StandDown(Step[State]):
    """10 The command is over."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        table.emit(Spent())
        table.done()
