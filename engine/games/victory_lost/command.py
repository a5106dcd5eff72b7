"""7.1 Chits chosen in secret, 7.3 what an HQ activates, and the special combat of turn 1 (4.1). How
chits are drawn and executed is in `execution`.

The Axis chits in play and STAVKA are known by name, the Soviet five are not (R-04): `available` is
for the owner's eyes, and what the other seat is offered never depends on it.

How chits are chosen one by one, what is left in the cup, and 7.2.1 where a chit lies for
everybody's eyes is in engine/games/chitpull/chits.py. 7.3.3 Command ranges are counted in
engine/board/tracing.py.
"""

from collections.abc import Iterable, Mapping

from attrs import frozen

from warledger.engine.board.stacking import company
from warledger.engine.games.chitpull import chits as cups
from warledger.engine.games.chitpull.pack import HQ_CHIT
from warledger.engine.games.chitpull.sides import AXIS, SIDES, SOVIET
from warledger.engine.games.chitpull.states import OFF_MAP
from warledger.engine.games.victory_lost.data import STAVKA, Data
from warledger.engine.games.victory_lost.draw import ACTIVATED, activated_now, put_chit
from warledger.engine.games.victory_lost.state import Activation, State, changed
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import Asked, Asking, Command, Commands, Set, Slot, word
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Pick, Refusal, Seat, Step, event
from warledger.protocol.board.choices import Say, refuse, say
from warledger.protocol.board.effects import Effect, closing, count, mark, opening, phase, tell
from warledger.protocol.chance.seal import Secret

# --- events ---------------------------------------------------------------------------------------


@event("chosen")
class ChitsChosen:
    """7.1.2 A side has put chits in the cup; how many is public."""

    side: str
    chits: Secret
    count: int


@event("ahead")
class ChosenAhead:
    """15.0.2(b) The Soviet player has written down the chits for the next turn."""

    chits: Secret
    count: int


@event("ahead_shown")
class AheadShown:
    """15.0.2(b) The chits written down a turn ago are shown and go in the cup."""

    chits: tuple[str, ...]


@event("named")
class FirstNamed:
    """15.0.2(c) The Axis has named the chit to be drawn first."""

    chit: str


@event("drawn")
class ChitDrawn:
    """7.2.1 A chit is drawn from the cup."""

    chit: str


@event("returned")
class ChitReturned:
    """7.2.2 The Axis declines Manstein: the chit goes back in the cup."""

    chit: str


@event("used")
class ChitUsed:
    """7.2.1 A chit has been executed, or had no HQ to activate, and goes to the Used box."""

    chit: str
    idle: bool


@event("activated")
class Activated:
    """7.2, 7.3 HQs and the units in their range are activated; `box` is the off-map box whose
    counters enter (11.2)."""

    side: str
    chit: str
    hqs: tuple[str, ...]
    units: tuple[str, ...]
    box: str


@event("stood_down")
class StoodDown:
    """4.1.2 The activation is over."""

    side: str


# --- what follows ---------------------------------------------------------------------------------

after = ByEvent()


@after(ChitsChosen)
def _chosen(state: State, event: ChitsChosen) -> State:
    return changed(
        state, cup=replace(state.cup, chosen={**state.cup.chosen, event.side: event.chits})
    )


@after(ChosenAhead)
def _ahead(state: State, event: ChosenAhead) -> State:
    return changed(state, cup=replace(state.cup, ahead=event.chits))


@after(AheadShown)
def _ahead_shown(state: State, event: AheadShown) -> State:
    known = (
        chit
        for chit in event.chits
        if state.data.chits[chit].kind == HQ_CHIT and chit not in state.cup.shown
    )
    shown = (*state.cup.shown, *known)
    return changed(
        state,
        cup=replace(
            state.cup, chosen={**state.cup.chosen, SOVIET: state.cup.ahead}, ahead=None, shown=shown
        ),
    )


@after(FirstNamed)
def _named(state: State, event: FirstNamed) -> State:
    return changed(state, cup=replace(state.cup, named=event.chit))


@after(ChitDrawn)
def _drawn(state: State, event: ChitDrawn) -> State:
    chit = state.data.chits[event.chit]
    shown = state.cup.shown
    if chit.side == SOVIET and chit.kind == HQ_CHIT and event.chit not in shown:
        shown = (*shown, event.chit)
    cup = replace(
        state.cup, drawn=(*state.cup.drawn, event.chit), in_hand=event.chit, named="", shown=shown
    )
    return changed(state, cup=cup)


@after(ChitReturned)
def _returned(state: State, event: ChitReturned) -> State:
    cup = state.cup
    drawn = tuple(chit for chit in cup.drawn if chit != event.chit)
    return changed(state, cup=replace(cup, drawn=drawn, in_hand="", declined=True))


@after(ChitUsed)
def _used(state: State, event: ChitUsed) -> State:
    return changed(state, cup=replace(state.cup, in_hand="", declined=False))


@after(Activated)
def _activated(state: State, event: Activated) -> State:
    boxes = state.activated_boxes | {event.box} if event.box else state.activated_boxes
    activation = Activation(event.side, event.chit, event.hqs, event.units, event.box)
    return changed(state, activation=activation, activated_boxes=boxes)


@after(StoodDown)
def _stood_down(state: State, event: StoodDown) -> State:
    return changed(state, activation=None)


# --- what clients see -----------------------------------------------------------------------------

draws = ByEvent()


@draws(ChitsChosen)
def _draw_chosen(before: State, event: ChitsChosen, after: State) -> Iterable[Effect]:
    yield count("cup", in_cup(after))
    yield tell("victory_lost.chosen", "7.1.2", side=event.side, n=event.count)


@draws(ChosenAhead)
def _draw_ahead(before: State, event: ChosenAhead, after: State) -> Iterable[Effect]:
    yield tell("victory_lost.ahead", "15.0.2", n=event.count)


@draws(AheadShown)
def _draw_ahead_shown(before: State, event: AheadShown, after: State) -> Iterable[Effect]:
    for chit in event.chits:
        if after.data.chits[chit].kind == HQ_CHIT:
            yield put_chit(after, chit)
    yield count("cup", in_cup(after))
    yield tell("victory_lost.ahead_shown", "15.0.2", chits=event.chits)


@draws(FirstNamed)
def _draw_named(before: State, event: FirstNamed, after: State) -> Iterable[Effect]:
    yield tell("victory_lost.named", "15.0.2", chit=event.chit)


@draws(ChitDrawn)
def _draw_drawn(before: State, event: ChitDrawn, after: State) -> Iterable[Effect]:
    yield phase("phase.victory_lost.command")
    yield put_chit(after, event.chit)
    yield count("cup", in_cup(after))
    yield tell(
        "victory_lost.drawn", "7.2.1", chit=event.chit, side=after.data.chits[event.chit].side
    )


@draws(ChitReturned)
def _draw_returned(before: State, event: ChitReturned, after: State) -> Iterable[Effect]:
    yield put_chit(after, event.chit)
    yield count("cup", in_cup(after))
    yield tell("victory_lost.returned", "7.2.2", chit=event.chit)


@draws(ChitUsed)
def _draw_used(before: State, event: ChitUsed, after: State) -> Iterable[Effect]:
    yield put_chit(after, event.chit)
    if event.idle:
        yield tell("victory_lost.idle", "7.2.1", chit=event.chit)


@draws(Activated)
def _draw_activated(before: State, event: Activated, after: State) -> Iterable[Effect]:
    yield opening("activation", "victory_lost.activation", side=event.side, hqs=event.hqs)
    for name in activated_now(after):
        yield mark(name, ACTIVATED, 1)
    yield phase("phase.victory_lost.movement" if event.chit else "phase.victory_lost.combat")
    if event.chit:
        yield tell(
            "victory_lost.activated", "7.3.2", side=event.side, hqs=event.hqs, n=len(event.units)
        )
    else:
        yield tell(
            "victory_lost.special", "4.1", side=event.side, hqs=event.hqs, n=len(event.units)
        )
    if event.box:
        yield tell("victory_lost.box_activated", "11.2.2", box=event.box)


@draws(StoodDown)
def _draw_stood_down(before: State, event: StoodDown, after: State) -> Iterable[Effect]:
    for name in activated_now(before):
        yield mark(name, ACTIVATED, 0)
    yield closing("activation")


def soviet_hq_chits(data: Data) -> tuple[str, ...]:
    """Every Soviet HQ chit, in order of ids."""
    return tuple(
        sorted(
            chit.id for chit in data.chits.values() if chit.side == SOVIET and chit.kind == HQ_CHIT
        )
    )


# --- 7.1 chit selection ---------------------------------------------------------------------------


def available(state: State, side: str) -> tuple[str, ...]:
    """7.1.1 The chits a side may choose from: its Unused and Used boxes, for the Soviets STAVKA and
    what is left of the five."""
    stock = state.cup.stock.get(side, ())
    five = cups.known(state.cup.five) if side == SOVIET else ()
    return tuple(sorted(chit for chit in (*stock, *five) if chit not in state.cup.removed))


def needed(state: State, side: str, turn: int) -> int:
    """7.1.2 How many chits a side chooses: what the turn track says, or all it has (R-08)."""
    return min(state.data.turn(turn).chits[side], len(available(state, side)))


def contents(state: State) -> tuple[str, ...]:
    """What is in the cup. For the rules alone: no seat may be told."""
    inside = cups.cup(state.cup.chosen.values(), state.cup.drawn)
    return tuple(chit for chit in inside if chit not in state.cup.removed)


def in_cup(state: State) -> int:
    """How many chits are in the cup, which everybody may count."""
    return len(contents(state))


def _must_take(state: State, side: str) -> tuple[str, ...]:
    """7.1.2, R-08 STAVKA is chosen every turn."""
    return tuple(chit for chit in available(state, side) if state.data.chits[chit].kind == STAVKA)


class ShowAhead(Step[State]):
    """15.0.2(b) What the Soviet player wrote down a turn ago is shown and goes in the cup."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Show it, if there is any."""
        if table.state.cup.ahead is not None:
            removed = table.state.cup.removed
            table.emit(
                AheadShown(
                    tuple(chit for chit in cups.known(table.state.cup.ahead) if chit not in removed)
                )
            )
        table.done()


@frozen
class Choosing:
    """The chits that a side chooses."""

    chits: tuple[str, ...] = ()


class ChitSelection(Asking[State]):
    """4.1.1, 7.1 Both sides choose chits at once, in secret. R-04: what was chosen stays hidden
    until it is drawn."""

    verb_slot = "victory_lost.verb"

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """Each side that has not chosen. The Axis is not asked when it has no choice, which
        everybody can see."""
        found = {}
        for side in SIDES:
            turn = self._turn(at.state, side)
            if turn == 0 or (side == AXIS and self._forced(at.state)):
                continue
            key = (
                "prompt.victory_lost.chits"
                if turn == at.state.turn
                else "prompt.victory_lost.chits_ahead"
            )
            found[side] = Decision(say(key, "7.1.2"))
        return found

    def _turn(self, state: State, side: str) -> int:
        """The turn for which a side has to choose now, 0 when it has chosen."""
        if state.cup.chosen[side] is None:
            return state.turn
        if (
            side == SOVIET
            and state.option("chits_ahead")
            and state.cup.ahead is None
            and state.turn < state.data.last_turn
        ):
            return state.turn + 1
        return 0

    def _forced(self, state: State) -> bool:
        return needed(state, AXIS, state.turn) == len(available(state, AXIS))

    def commands(self) -> Commands[State]:
        """7.1.2 Choose as many chits as needed, in any order."""
        return (
            Command(
                "choose",
                Choosing,
                Set(
                    "chits",
                    "victory_lost.chit",
                    self._chits,
                    self._why_not,
                    needs=lambda asked, order: self._needed(asked),
                ),
                apply=self._choose,
                beyond=self._why_not,
                preview=self._still,
                sealed=True,
            ),
        )

    def _still(self, asked: Asked[State], order: Choosing) -> tuple[Say, ...]:
        """7.1.2 Which chits have to be among those that are still to be chosen."""
        missing = _missing(asked, order)
        return (say("preview.victory_lost.chit_must", "7.1.2", chits=missing),) if missing else ()

    def _needed(self, asked: Asked[State]) -> int:
        return needed(asked.state, asked.seat, self._turn(asked.state, asked.seat))

    def _chits(self, asked: Asked[State], order: Choosing) -> list[str]:
        state, side = asked.state, asked.seat
        return cups.selection(
            available(state, side),
            self._needed(asked),
            order.chits,
            always=_must_take(state, side),
        )

    def _why_not(self, asked: Asked[State], order: Choosing, pick: Pick) -> Refusal:
        """7.1.2 Exactly the turn's number, each once, STAVKA among them."""
        if pick not in available(asked.state, asked.seat):
            return refuse("7.1.1", "refusal.victory_lost.chit_not_yours", pick=str(pick))
        n, k = self._needed(asked), len(order.chits)
        if pick in order.chits:
            return refuse("7.1.2", "refusal.victory_lost.chit_twice", pick=str(pick))
        if k == n:
            return refuse("7.1.2", "refusal.victory_lost.chits_enough", n=n)
        missing = _missing(asked, order)
        return refuse("7.1.2", "refusal.victory_lost.chit_must", n=n, chits=missing)

    def no_verb(self, asked: Asked[State], verb: Pick) -> Refusal:
        """7.1.2 Nothing else is done now."""
        return refuse("7.1.2", "refusal.victory_lost.verb", pick=str(verb))

    def _choose(self, table: Table[State], asked: Asked[State], order: Choosing) -> None:
        """Put them in the cup, or write them down for the next turn (15.0.2(b))."""
        chosen, n = Secret(order.chits, (asked.seat,)), len(order.chits)
        if self._turn(asked.state, asked.seat) == asked.state.turn:
            table.emit(ChitsChosen(asked.seat, chosen, n))
        else:
            table.emit(ChosenAhead(chosen, n))

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Both have chosen; an Axis without a choice puts in all it has."""
        state = table.state
        if state.cup.chosen[AXIS] is None:
            chits = available(state, AXIS)
            table.emit(ChitsChosen(AXIS, Secret(chits, (AXIS,)), len(chits)))
        if special_side(state):
            table.tell(phase("phase.victory_lost.special"))
        table.done()


def _missing(asked: Asked[State], order: Choosing) -> tuple[str, ...]:
    """7.1.2 Those that have to be chosen and have not been."""
    return tuple(c for c in _must_take(asked.state, asked.seat) if c not in order.chits)


# --- 4.1 turn 1 special combat --------------------------------------------------------------------


def on_map(state: State, side: str) -> tuple[str, ...]:
    """A side's HQs on the map, in order of ids."""
    return tuple(
        name
        for name, counter in state.counters.items()
        if counter.at != OFF_MAP
        and state.data.types[name].hq
        and state.data.types[name].side == side
    )


def special_side(state: State) -> str:
    """4.1, R-05 The side that may now activate one HQ for a Combat Step, "" for none."""
    side = state.data.turn(state.turn).special_combat
    return side if side and on_map(state, side) else ""


@frozen
class Activating:
    """The HQ that is activated."""

    hq: str = ""


class SpecialCombat(Asking[State]):
    """4.1, R-05 Before the first Command Step of turn 1 the Soviet player may activate one HQ for a
    Combat Step."""

    verb_slot = "victory_lost.verb"

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The side that the turn track names."""
        side = special_side(at.state)
        return {side: Decision(say("prompt.victory_lost.special", "4.1"))} if side else {}

    def commands(self) -> Commands[State]:
        """4.1 Any one HQ on the map, or none."""
        return (
            Command(
                "activate",
                Activating,
                Slot("hq", "victory_lost.hq", self._hqs, self._why_not),
                apply=self._activate,
                beyond=self._why_not,
            ),
            word("pass", lambda table, asked: table.done(), beyond=self.no_verb),
        )

    def _hqs(self, asked: Asked[State], order: Activating) -> tuple[str, ...]:
        return on_map(asked.state, asked.seat)

    def _why_not(self, asked: Asked[State], order: Activating, pick: Pick) -> Refusal:
        """4.1 Only an HQ on the map."""
        return self.no_verb(asked, pick)

    def no_verb(self, asked: Asked[State], verb: Pick) -> Refusal:
        """4.1 Nothing else is done now."""
        return refuse("4.1", "refusal.victory_lost.hq_not_on_map", pick=str(verb))

    def _activate(self, table: Table[State], asked: Asked[State], order: Activating) -> None:
        """Activate it and go to the Combat Step."""
        table.done()
        table.emit(Activated(asked.seat, "", (order.hq,), in_range(table.state, order.hq), ""))
        table.call("special_activation")


@frozen
class Naming:
    """The chit that is drawn first."""

    chit: str = ""


class NameFirst(Asking[State]):
    """15.0.2(c) On turn 1 the Axis may name the chit that is drawn first: one that it knows to be
    in the cup, or any at a venture."""

    verb_slot = "victory_lost.verb"

    def _names(self, state: State) -> tuple[str, ...]:
        own = cups.known(state.cup.chosen[AXIS])
        stavka = tuple(chit.id for chit in state.data.chits.values() if chit.kind == STAVKA)
        others = soviet_hq_chits(state.data) if state.option("first_chit") == "any" else ()
        return tuple(sorted({*own, *stavka, *others}))

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The Axis, with the variant, on turn 1, once."""
        if (
            at.state.option("first_chit") == "off"
            or at.state.turn != 1
            or at.state.cup.named
            or at.state.cup.drawn
        ):
            return {}
        return {AXIS: Decision(say("prompt.victory_lost.first_chit", "15.0.2"))}

    def commands(self) -> Commands[State]:
        """15.0.2 A chit, or none."""
        return (
            Command(
                "name",
                Naming,
                Slot("chit", "victory_lost.chit", self._chits, self._why_not),
                apply=self._name,
                beyond=self._why_not,
            ),
            word("pass", lambda table, asked: table.done(), beyond=self.no_verb),
        )

    def _chits(self, asked: Asked[State], order: Naming) -> tuple[str, ...]:
        return self._names(asked.state)

    def _why_not(self, asked: Asked[State], order: Naming, pick: Pick) -> Refusal:
        """15.0.2 Only a chit that may be named."""
        return self.no_verb(asked, pick)

    def no_verb(self, asked: Asked[State], verb: Pick) -> Refusal:
        """15.0.2 Nothing else is done now."""
        return refuse("15.0.2", "refusal.victory_lost.first_chit", pick=str(verb))

    def _name(self, table: Table[State], asked: Asked[State], order: Naming) -> None:
        """It is drawn first."""
        table.done()
        table.emit(FirstNamed(order.chit))


# --- 7.3 command range ----------------------------------------------------------------------------


def in_range(state: State, hq: str) -> tuple[str, ...]:
    """7.3.2-7.3.5 The units that an HQ on the map activates: all friendly ones in range that its
    nation commands. R-09: its own hex is in range; enemies, zones and supply do not matter."""
    data: Data = state.data
    type_ = data.types[hq]

    def accepts(name: str) -> bool:
        other = data.types[name]
        return (
            not other.hq
            and other.side == type_.side
            and company(data.limits, {type_.nation, other.nation})
        )

    stacks = state.field.stacks
    near = (i for i in data.in_range(state.at(hq), type_.range) if i in stacks)
    return tuple(sorted(name for i in near for name in stacks[i] if accepts(name)))


STEPS: Mapping[str, Step[State]] = {
    "show_ahead": ShowAhead(),
    "chit_selection": ChitSelection(),
    "special_combat": SpecialCombat(),
    "name_first": NameFirst(),
}
