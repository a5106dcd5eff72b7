"""6.0 Command selection and 7.0 command execution: the chits, the cup, and the Guderian interrupt.

What is secret: which chits a side chose (6.1(3)), and whether Guderian is among them, in hand or in
the cup (R-15 8). So nothing public counts the cup: everybody knows how many chits were chosen and
how many have been drawn. The difference may lie in the cup or in the Axis player's hand. The
interrupt's window opens on public conditions alone: while an unseen chit of the Axis could be
Guderian in hand, the Axis is asked after every draw, whether it holds him or not.

How chits are chosen one by one, what is left in the cup, and 7.1(1) where a chit lies for
everybody's eyes stands in engine/games/chitpull/chits.py.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache

from attrs import frozen

from warledger.engine.games.chitpull import chits as cups
from warledger.engine.games.chitpull.pack import HQ_CHIT
from warledger.engine.games.chitpull.sides import AXIS, SIDES, SOVIET
from warledger.engine.games.chitpull.states import OFF_MAP
from warledger.engine.games.typhoon.data import (
    DATA_MAX,
    OKH,
    REINFORCEMENT,
    RESERVE,
    SUPPLY,
    Data,
)
from warledger.engine.games.typhoon.draw import ACTIVATED, WEATHERS, choice, put_chit, weather
from warledger.engine.games.typhoon.state import State, changed
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import Asked, Asking, Command, Commands, Set, Slot
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Pick, Picks, Refusal, Seat, Step, Window, event
from warledger.protocol.board.choices import Say, refuse, say
from warledger.protocol.board.effects import (
    Effect,
    closing,
    count,
    mark,
    opening,
    phase,
    roll,
    tell,
    track,
)
from warledger.protocol.chance.seal import Secret

# --- events ---------------------------------------------------------------------------------------


@event("turn")
class TurnBegun:
    """5.0(5) The turn marker stands on the next box."""

    turn: int


@event("dismissal")
class DismissalRolled:
    """15.5(1) The die for Guderian's dismissal, and whether he goes."""

    die: int
    dismissed: bool


@event("chosen")
class ChitsChosen:
    """6.1(1) A side has chosen its chits; how many is public, which is not, nor whether Guderian
    stays in hand (6.3(1))."""

    side: str
    chits: Secret
    kept: Secret | None
    count: int


@event("drawn")
class ChitDrawn:
    """7.1(1) A chit is drawn from the cup."""

    chit: str


@event("interrupted")
class Interrupted:
    """7.3 The Guderian chit is used from hand: `chit` goes back in the cup ("" when the cup is
    empty)."""

    chit: str


@event("waived")
class LastChanceWaived:
    """7.3(3) The last chance of the turn to use a Guderian chit in hand has passed unused."""


@event("void")
class ChitVoid:
    """13.0(2) The chit has no effect."""

    chit: str


@event("spent")
class ChitSpent:
    """7.1(4) The chit is laid aside; what it activated stands down."""

    chit: str


# --- what follows ---------------------------------------------------------------------------------

after = ByEvent()


@after(TurnBegun)
def _turn(state: State, event: TurnBegun) -> State:
    cup = replace(
        state.cup,
        chosen=dict.fromkeys(SIDES),
        kept=None,
        counts=dict.fromkeys(SIDES, 0),
        drawn=(),
        in_hand="",
        waived=False,
    )
    return changed(state, turn=event.turn, cup=cup)


@after(DismissalRolled)
def _dismissal(state: State, event: DismissalRolled) -> State:
    return changed(state, cup=replace(state.cup, dismissed=True)) if event.dismissed else state


@after(ChitsChosen)
def _chosen(state: State, event: ChitsChosen) -> State:
    cup = replace(
        state.cup,
        chosen={**state.cup.chosen, event.side: event.chits},
        counts={**state.cup.counts, event.side: event.count},
        kept=event.kept if event.side == AXIS else state.cup.kept,
    )
    return changed(state, cup=cup)


@after(ChitDrawn)
def _drawn(state: State, event: ChitDrawn) -> State:
    return changed(
        state, cup=replace(state.cup, drawn=(*state.cup.drawn, event.chit), in_hand=event.chit)
    )


@after(Interrupted)
def _interrupted(state: State, event: Interrupted) -> State:
    kept = tuple(chit for chit in state.cup.drawn if chit != event.chit)
    return changed(
        state, cup=replace(state.cup, drawn=(*kept, state.guderian), in_hand=state.guderian)
    )


@after(LastChanceWaived)
def _waived(state: State, event: LastChanceWaived) -> State:
    return changed(state, cup=replace(state.cup, waived=True))


@after(ChitSpent)
def _spent(state: State, event: ChitSpent) -> State:
    return changed(state, activation=None, draft=None, cup=replace(state.cup, in_hand=""))


after.unchanged(ChitVoid)


# --- what clients see -----------------------------------------------------------------------------

draws = ByEvent()


@draws(TurnBegun)
def _draw_turn(before: State, event: TurnBegun, after: State) -> Iterable[Effect]:
    yield opening("turn", "typhoon.turn_span", turn=event.turn)
    yield phase("phase.typhoon.selection")
    # 4.0(8) the turn marker
    yield track("turn", event.turn)
    yield weather(after)
    for chit in before.cup.drawn:
        yield put_chit(after, chit)
    yield from choice(after)
    yield count("unseen", 0)
    yield tell("typhoon.turn", "5.0(5)", turn=event.turn, weather=WEATHERS[after.weather.name])


@draws(DismissalRolled)
def _draw_dismissal(before: State, event: DismissalRolled, after: State) -> Iterable[Effect]:
    yield roll("guderian", 6, (event.die,))
    yield track("dismissed", 1 if after.cup.dismissed else 0)
    if event.dismissed:
        yield tell("typhoon.dismissed", "15.5(1)", die=event.die)
    else:
        yield tell("typhoon.not_dismissed", "15.5(1)", die=event.die)


@draws(ChitsChosen)
def _draw_chosen(before: State, event: ChitsChosen, after: State) -> Iterable[Effect]:
    yield track(f"chosen.{event.side}", Secret(event.chits.value, event.chits.readers))
    if event.kept is not None:
        yield track(
            "guderian_kept", Secret("yes" if event.kept.value else "no", event.kept.readers)
        )
    yield count("unseen", unseen(after))
    yield tell("typhoon.chosen", "6.1(1)", side=event.side, n=event.count)


@draws(ChitDrawn)
def _draw_drawn(before: State, event: ChitDrawn, after: State) -> Iterable[Effect]:
    yield phase("phase.typhoon.execution")
    yield put_chit(after, event.chit)
    yield count("unseen", unseen(after))
    yield tell("typhoon.drawn", "7.1(1)", chit=event.chit)


@draws(Interrupted)
def _draw_interrupted(before: State, event: Interrupted, after: State) -> Iterable[Effect]:
    if event.chit:
        yield put_chit(after, event.chit)
    yield put_chit(after, after.cup.in_hand)
    yield count("unseen", unseen(after))
    if event.chit:
        yield tell("typhoon.interrupted", "7.3(1)", chit=event.chit)
    else:
        yield tell("typhoon.used_last", "7.3(3)")


@draws(LastChanceWaived)
def _draw_waived(before: State, event: LastChanceWaived, after: State) -> Iterable[Effect]:
    yield tell("typhoon.waived", "7.3(3)")


@draws(ChitVoid)
def _draw_void(before: State, event: ChitVoid, after: State) -> Iterable[Effect]:
    yield tell("typhoon.void", "13.0(2)", chit=event.chit)


@draws(ChitSpent)
def _draw_spent(before: State, event: ChitSpent, after: State) -> Iterable[Effect]:
    activation = before.activation
    if activation is not None:
        for name in activation.units:
            if before.at(name) != OFF_MAP:
                yield mark(name, ACTIVATED, 0)
        yield closing("activation")
    yield put_chit(after, event.chit)


HAND, CUP = "hand", "cup"

# --- 5.0 the turn begins --------------------------------------------------------------------------


class TurnStart(Step[State]):
    """5.0, 2.24-1 A turn begins; 15.5(1), R-45 from turn 9 a die is rolled for Guderian until he is
    dismissed."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Turn the page."""
        table.emit(TurnBegun(table.state.turn + 1))
        state = table.state
        first, pips = state.data.dismissal
        if state.option("guderian_dismissed") and not state.cup.dismissed and state.turn >= first:
            die = table.roll(6, "guderian")
            table.emit(DismissalRolled(die, die in pips))
        table.done()


# --- 6.0 command selection ------------------------------------------------------------------------


def available(state: State, side: str) -> tuple[str, ...]:
    """6.2, 2.23, R-07, R-14 The chits a side may choose from: one for each of its HQs on the map or
    not (two for a panzer army, R-06 and 2.22-1), and its reinforcement chit (2.23-4). With rule
    15.1 there is RESERVE or OKH (2.23-3). 15.3 bars six Soviet ones on turn 2."""
    data = state.data
    return _available(data, side, barred=bool(data.options["chits_barred"]) and state.turn == 2)


@lru_cache(maxsize=DATA_MAX)
def _available(data: Data, side: str, *, barred: bool) -> tuple[str, ...]:
    without = data.barred if barred else ()
    return tuple(
        chit.id
        for chit in data.chits.values()
        if chit.side == side
        and chit.id not in without
        and (not chit.optional or data.options["reserve_okh"])
    )


def needed(state: State, side: str) -> int:
    """6.2, R-14 How many chits a side chooses: exactly what the turn track says, or all it has."""
    return min(state.data.turn(state.turn).chits[side], len(available(state, side)))


def supply_chits(state: State) -> tuple[str, ...]:
    """6.2, 2.23-5 The SUPPLY chit goes into the cup every turn, with what is chosen."""
    return state.data.supply


def contents(state: State) -> tuple[str, ...]:
    """6.1(1) What is in the cup. For the rules alone: no seat may be told (6.1(3))."""
    return cups.cup(*_cup(state))


def _cup(state: State) -> tuple[tuple[Secret | None, ...], tuple[str, ...]]:
    """What was put into the cup, and what is no longer in it."""
    held = (state.guderian,) if guderian_in_hand(state) else ()
    chosen = (*state.cup.chosen.values(), Secret(supply_chits(state)))
    return chosen, (*state.cup.drawn, *held)


def guderian_in_hand(state: State) -> bool:
    """6.3(1) Whether the Axis holds Guderian in hand and has not used him. For the rules and the
    Axis alone."""
    cup = state.cup
    return cup.kept is not None and bool(cup.kept.value) and state.guderian not in cup.drawn


def unseen(state: State) -> int:
    """R-15 How many of this turn's chits nobody has seen yet, in the cup or in hand: public,
    whatever is where."""
    if None in state.cup.chosen.values():
        return 0
    return sum(state.cup.counts.values()) + len(supply_chits(state)) - len(state.cup.drawn)


def may_hold_guderian(state: State) -> bool:
    """R-15 Whether, by all that is public, the Axis might hold Guderian in hand and use him: an
    Axis chit is unseen, Guderian has not been seen this turn, is not dismissed (15.5(2)), and HQ
    2PzA is on the map (R-15 5)."""
    cup = state.cup
    chits = state.data.chits
    seen = sum(1 for chit in cup.drawn if chits[chit].side == AXIS)
    return (
        bool(state.guderian)
        and state.guderian not in cup.drawn
        and not cup.dismissed
        and seen < cup.counts[AXIS]
        and state.at(chits[state.guderian].hq) != OFF_MAP
    )


@frozen
class Choosing:
    """The chits that a side chooses, and where Guderian goes if he is among them."""

    chits: tuple[str, ...] = ()
    guderian: str = ""


class CommandSelection(Asking[State]):
    """5.0(1), 6.1(1) Both sides choose at once, in secret; 6.1(2) what they do not choose stays
    face down."""

    verb_slot = "typhoon.verb"

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """Each side that has chits to choose and has not. R-14 Who needs none is not asked, which
        everybody can see."""
        state = at.state
        return {
            side: Decision(say("prompt.typhoon.chits", "6.2", n=needed(state, side)))
            for side in SIDES
            if state.cup.chosen[side] is None and needed(state, side)
        }

    def commands(self) -> Commands[State]:
        """6.2 Choose as many chits as needed, in any order; 6.3(1) then whether Guderian goes in
        the cup or stays in hand."""
        return (
            Command(
                "choose",
                Choosing,
                Set(
                    "chits",
                    "typhoon.chit",
                    self._chits,
                    self._why_not,
                    needs=lambda asked, order: needed(asked.state, asked.seat),
                    takes=lambda asked, pick: pick not in (CUP, HAND),
                ),
                Slot(
                    "guderian",
                    "typhoon.guderian",
                    lambda asked, order: (CUP, HAND) if self._has_guderian(asked, order) else (),
                    self._why_not,
                    optional=lambda asked, order: not self._has_guderian(asked, order),
                ),
                apply=lambda table, asked, order: self._choose(
                    table, asked.seat, order.chits, order.guderian == HAND
                ),
                beyond=self._why_not,
                sealed=True,
            ),
        )

    def _chits(self, asked: Asked[State], order: Choosing) -> list[str]:
        state, side = asked.state, asked.seat
        return cups.selection(available(state, side), needed(state, side), order.chits)

    def _has_guderian(self, asked: Asked[State], order: Choosing) -> bool:
        """6.3(1) Whether the Axis says where Guderian goes: it has chosen him, and 15.5(2) he is
        not dismissed."""
        return asked.state.guderian in order.chits and not asked.state.cup.dismissed

    def _why_not(self, asked: Asked[State], order: Choosing, pick: Pick) -> Refusal:
        """6.2 Exactly the turn's number, each once; 15.3 not the barred ones."""
        state, side = asked.state, asked.seat
        if (
            side == SOVIET
            and state.option("chits_barred")
            and state.turn == 2
            and pick in state.data.barred
        ):
            return refuse("15.3", "refusal.typhoon.barred", pick=str(pick))
        if pick == HAND and state.cup.dismissed:
            return refuse("15.5(2)", "refusal.typhoon.dismissed")
        if pick not in available(state, side):
            return refuse("6.2", "refusal.typhoon.chit_not_yours", pick=str(pick))
        if pick in order.chits:
            return refuse("6.2", "refusal.typhoon.chit_twice", pick=str(pick))
        return refuse("6.2", "refusal.typhoon.chits_enough", n=needed(state, side))

    def no_verb(self, asked: Asked[State], verb: Pick) -> Refusal:
        """6.1(1) Nothing else is done now."""
        return refuse("6.1(1)", "refusal.typhoon.verb", pick=str(verb))

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Both have chosen; whoever needs none puts in none (turn 1 for the Soviets)."""
        for side in SIDES:
            if table.state.cup.chosen[side] is None:
                self._choose(table, side, (), False)
        table.done()

    def _choose(self, table: Table[State], side: str, chits: tuple[str, ...], kept: bool) -> None:
        held = Secret(kept, (AXIS,)) if side == AXIS else None
        # 6.1(3) nobody else may look
        table.emit(ChitsChosen(side, Secret(chits, (side,)), held, len(chits)))


# --- 7.0 command execution ------------------------------------------------------------------------


class Executions(Step[State]):
    """5.0 (loop), 7.1 One chit after the other while any is left in the cup; 7.3(3) before the turn
    ends Guderian may still be used.

    Whether the cup is empty or holds one last chit of the Axis is itself a secret. So the last
    chance opens whenever one chit is unseen and might be Guderian in hand. Only when it has passed
    does the draw, or the end of the turn, show which.
    """

    def advance(self, table: Table[State], frame: Frame) -> None:
        """The next one, or on to the end of the turn."""
        state = table.state
        if unseen(state) == 1 and may_hold_guderian(state) and not state.cup.waived:
            table.call("last_chance")
        elif any(cups.left(*_cup(state))):
            table.call("execution")
        else:
            table.done()


class DrawChit(Step[State]):
    """5.0(2), 7.1(1) A chit is drawn at random; its owner becomes the active player (7.1(2))."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Draw. The receipt is sealed: how many were in the cup, and which came, shows neither
        before the end."""
        chit = table.draw(contents(table.state), "cup")
        table.done()
        table.emit(ChitDrawn(chit))


class Interrupt(Window[State]):
    """6.3(2), 7.3(1), R-15 After a chit has been drawn and seen, before any of it is carried out,
    the Axis may use Guderian from hand."""

    prompt = Say("prompt.typhoon.interrupt", (), "7.3(1)")

    def is_open(self, at: Position[State], frame: Frame) -> bool:
        """By what everybody knows, he might be in hand."""
        return bool(at.state.cup.in_hand) and may_hold_guderian(at.state)

    def can_use(self, at: Position[State], frame: Frame, seat: Seat) -> bool:
        """He is in hand."""
        return guderian_in_hand(at.state)

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The Axis."""
        return {AXIS: Decision(self.prompt)} if self.is_open(at, frame) else {}

    def refusal(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Refusal:
        """Only with the chit in hand; asked by the Axis alone."""
        return refuse("7.3", "refusal.typhoon.not_in_hand")

    def use(self, table: Table[State], frame: Frame, seat: Seat) -> None:
        """7.3(1), R-15 2 The drawn chit goes back in the cup; 7.3(2) 2PzA is activated at once.
        R-15 4 Guderian is spent for the turn."""
        table.emit(Interrupted(table.state.cup.in_hand))


class LastChance(Interrupt):
    """7.3(3), R-15 6 The cup may be empty: the Axis is asked once whether it uses Guderian before
    the turn ends."""

    prompt = Say("prompt.typhoon.last_chance", (), "7.3(3)")

    def is_open(self, at: Position[State], frame: Frame) -> bool:
        """Called only on its public conditions."""
        return True

    def decide(self, table: Table[State], frame: Frame, seat: Seat, picks: Picks) -> None:
        """Use him, or forgo it."""
        table.done()
        (answer,) = picks
        if answer == "use":
            table.emit(Interrupted(""))
            table.call("guderian_execution")
        else:
            table.emit(LastChanceWaived())


class CarryOut(Step[State]):
    """7.0, 7.1(3) The command of the chit in execution."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """7.2-1 an HQ, 7.2-2 reinforcements, 7.2-3 RESERVE or OKH, 7.2-4 supply."""
        chit = table.state.data.chits[table.state.cup.in_hand]
        table.done()
        if chit.kind == SUPPLY:
            table.call("supply")
        elif chit.kind == REINFORCEMENT:
            table.call("reinforcements", chit.side)
        elif chit.kind in (RESERVE, OKH):
            table.call("direct_command", chit.side)
        elif table.state.at(chit.hq) == OFF_MAP:
            table.emit(ChitVoid(chit.id))  # 13.0(2), R-14, R-36
        else:
            # R-15 7 Guderian drawn from the cup is a plain chit of 2PzA, like every HQ_CHIT
            assert chit.kind == HQ_CHIT or chit.id == table.state.guderian
            table.call("hq_command", chit.hq)


class LayAside(Step[State]):
    """7.1(4) The chit is laid face up beside the map; it cannot be used again until next turn."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Lay it aside."""
        table.emit(ChitSpent(table.state.cup.in_hand))
        table.done()


STEPS: Mapping[str, Step[State]] = {
    "turn_start": TurnStart(),
    "command_selection": CommandSelection(),
    "executions": Executions(),
    "draw_chit": DrawChit(),
    "interrupt": Interrupt(),
    "last_chance": LastChance(),
    "carry_out": CarryOut(),
    "lay_aside": LayAside(),
}
