"""7.0 Command: chits chosen in secret, drawn from the cup one by one, and what an HQ activates; with the special combat of turn 1 (4.1).

The Axis chits in play and STAVKA are known by name, the Soviet five are not (R-04): `available` is for the owner's eyes, and what the other
seat is offered never depends on it.
"""

from collections.abc import Mapping

from engine.board.stacking import company
from engine.games.chitpull import chits as cups
from engine.games.chitpull.sides import AXIS, SIDES, SOVIET
from engine.games.chitpull.standing import OFF_MAP
from engine.games.victory_lost.data import MANSTEIN, STAVKA, Data
from engine.games.victory_lost.events import (
    Activated,
    AheadShown,
    ChitDrawn,
    ChitReturned,
    ChitsChosen,
    ChitUsed,
    ChosenAhead,
    FirstNamed,
    StoodDown,
)
from engine.games.victory_lost.setup import soviet_hq_chits
from engine.games.victory_lost.state import State
from engine.kernel.position import Frame, Position
from engine.kernel.table import Table
from engine.kernel.types import Choices, Decision, Picks, Refusal, Seat, Step
from protocol.choices import WHOLE, offer, refuse, say
from protocol.effects import phase
from protocol.seal import Secret

# --- 7.1 chit selection -----------------------------------------------------------------------------------------------------


def available(state: State, side: str) -> tuple[str, ...]:
    """7.1.1 The chits a side may choose from: its Unused and Used boxes, for the Soviets STAVKA and what is left of the five."""
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
            table.emit(AheadShown(tuple(chit for chit in cups.known(table.state.cup.ahead) if chit not in removed)))
        table.done()


class ChitSelection(Step[State]):
    """4.1.1, 7.1 Both sides choose chits at once, in secret. R-04: what was chosen stays hidden until it is drawn."""

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """Each side that has not chosen. The Axis is not asked when it has no choice, which everybody can see."""
        found = {}
        for side in SIDES:
            turn = self._turn(at.state, side)
            if turn == 0 or (side == AXIS and self._forced(at.state)):
                continue
            key = "prompt.victory_lost.chits" if turn == at.state.turn else "prompt.victory_lost.chits_ahead"
            found[side] = Decision(say(key, "7.1.2"))
        return found

    def _turn(self, state: State, side: str) -> int:
        """The turn for which a side has to choose now, 0 when it has chosen."""
        if state.cup.chosen[side] is None:
            return state.turn
        if side == SOVIET and state.option("chits_ahead") and state.cup.ahead is None and state.turn < state.data.last_turn:
            return state.turn + 1
        return 0

    def _forced(self, state: State) -> bool:
        return needed(state, AXIS, state.turn) == len(available(state, AXIS))

    def choices(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        """As many chits as needed, in rising order."""
        if not picks:
            return offer("victory_lost.verb", ("choose",))
        state = at.state
        turn = self._turn(state, seat)
        return cups.selection(
            available(state, seat), needed(state, seat, turn), picks[1:], "victory_lost.chit", always=_must_take(state, seat)
        )

    def refusal(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Refusal:
        """7.1.2 Exactly so many, each once and in rising order, STAVKA among them."""
        state = at.state
        pick = str(picks[-1])
        if len(picks) == 1:
            return refuse("7.1.2", "refusal.victory_lost.verb", pick=pick)
        if pick not in available(state, seat):
            return refuse("7.1.1", "refusal.victory_lost.chit_not_yours", pick=pick)
        return refuse("7.1.2", "refusal.victory_lost.chit_order", n=needed(state, seat, self._turn(state, seat)))

    def decide(self, table: Table[State], frame: Frame, seat: Seat, picks: Picks) -> None:
        """Put them in the cup, or write them down for the next turn (15.0.2(b))."""
        chosen = Secret(tuple(picks[1:]), (seat,))
        if self._turn(table.state, seat) == table.state.turn:
            table.emit(ChitsChosen(seat, chosen, len(picks) - 1))
        else:
            table.emit(ChosenAhead(chosen, len(picks) - 1))

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Both have chosen; an Axis without a choice puts in all it has."""
        state = table.state
        if state.cup.chosen[AXIS] is None:
            chits = available(state, AXIS)
            table.emit(ChitsChosen(AXIS, Secret(chits, (AXIS,)), len(chits)))
        if special_side(state):
            table.tell(phase("phase.victory_lost.special"))
        table.done()


# --- 4.1 turn 1 special combat ----------------------------------------------------------------------------------------------


def on_map(state: State, side: str) -> tuple[str, ...]:
    """A side's HQs on the map, in order of ids."""
    return tuple(
        name for name, counter in state.counters.items() if counter.at != OFF_MAP and state.data.types[name].hq
        and state.data.types[name].side == side
    )


def special_side(state: State) -> str:
    """4.1, R-05 The side that may now activate one HQ for a Combat Step, "" for none."""
    side = state.data.turn(state.turn).special_combat
    return side if side and on_map(state, side) else ""


class SpecialCombat(Step[State]):
    """4.1, R-05 Before the first Command Step of turn 1 the Soviet player may activate one HQ for a Combat Step."""

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The side that the turn track names."""
        side = special_side(at.state)
        return {side: Decision(say("prompt.victory_lost.special", "4.1"))} if side else {}

    def choices(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        """Any one HQ on the map, or none."""
        if not picks:
            return offer("victory_lost.verb", ("activate", "pass"))
        if picks[0] == "activate" and len(picks) == 1:
            return offer("victory_lost.hq", on_map(at.state, seat))
        return WHOLE

    def refusal(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Refusal:
        """Only an HQ on the map."""
        return refuse("4.1", "refusal.victory_lost.hq_not_on_map", pick=str(picks[-1]))

    def decide(self, table: Table[State], frame: Frame, seat: Seat, picks: Picks) -> None:
        """Activate it and go to the Combat Step."""
        table.done()
        if picks[0] == "activate":
            hq = str(picks[1])
            table.emit(Activated(seat, "", (hq,), in_range(table.state, hq), ""))
            table.call("special_activation")


class NameFirst(Step[State]):
    """15.0.2(c) On turn 1 the Axis may name the chit that is drawn first: one that it knows to be in the cup, or any at a venture."""

    def _names(self, state: State) -> tuple[str, ...]:
        own = cups.known(state.cup.chosen[AXIS])
        stavka = tuple(chit.id for chit in state.data.chits.values() if chit.kind == STAVKA)
        others = soviet_hq_chits(state.data) if state.option("first_chit") == "any" else ()
        return tuple(sorted({*own, *stavka, *others}))

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The Axis, with the variant, on turn 1, once."""
        if at.state.option("first_chit") == "off" or at.state.turn != 1 or at.state.cup.named or at.state.cup.drawn:
            return {}
        return {AXIS: Decision(say("prompt.victory_lost.first_chit", "15.0.2"))}

    def choices(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        """A chit, or none."""
        if not picks:
            return offer("victory_lost.verb", ("name", "pass"))
        if picks[0] == "name" and len(picks) == 1:
            return offer("victory_lost.chit", self._names(at.state))
        return WHOLE

    def refusal(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Refusal:
        """Only a chit that may be named."""
        return refuse("15.0.2", "refusal.victory_lost.first_chit", pick=str(picks[-1]))

    def decide(self, table: Table[State], frame: Frame, seat: Seat, picks: Picks) -> None:
        """Name it, or leave it to chance."""
        table.done()
        if picks[0] == "name":
            table.emit(FirstNamed(str(picks[1])))


# --- 7.2 executing command --------------------------------------------------------------------------------------------------


class Executions(Step[State]):
    """4.1.2 One execution after the other while the cup holds chits."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """The next one, or on to the Supply Phase."""
        if contents(table.state):
            table.call("execution")
        else:
            table.done()


class CommandStep(Step[State]):
    """4.1.2(1), 7.2 Draw a chit and activate; Manstein's owner decides first (7.2.2)."""

    def _manstein(self, state: State) -> bool:
        return bool(state.cup.in_hand) and state.data.chits[state.cup.in_hand].kind == MANSTEIN

    def _verbs(self, state: State) -> tuple[str, ...]:
        """R-06, R-07: one Axis HQ on the map; to decline only where the chit before was not declined too."""
        first = "activate" if on_map(state, AXIS) else "pass"
        return (first,) if state.cup.declined else (first, "decline")

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The Axis, with Manstein in hand and something to decide."""
        if self._manstein(at.state) and self._verbs(at.state) != ("pass",):
            return {AXIS: Decision(say("prompt.victory_lost.manstein", "7.2.2"))}
        return {}

    def choices(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        """Any one Axis HQ on the map, or the chit back in the cup."""
        if not picks:
            return offer("victory_lost.verb", self._verbs(at.state))
        if picks[0] == "activate" and len(picks) == 1:
            return offer("victory_lost.hq", on_map(at.state, AXIS))
        return WHOLE

    def refusal(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Refusal:
        """7.2.2 Manstein cannot be declined twice, and activates only what is on the map."""
        pick = str(picks[-1])
        if pick == "decline":
            return refuse("7.2.2", "refusal.victory_lost.declined_already")
        return refuse("7.2.2", "refusal.victory_lost.hq_not_on_map", pick=pick)

    def decide(self, table: Table[State], frame: Frame, seat: Seat, picks: Picks) -> None:
        """Activate the HQ, or draw again."""
        chit = table.state.cup.in_hand
        if picks[0] == "activate":
            hq = str(picks[1])
            table.done()
            table.emit(Activated(AXIS, chit, (hq,), in_range(table.state, hq), ""))
        elif picks[0] == "decline":
            table.emit(ChitReturned(chit))
            self._draw(table)
        else:
            _idle(table, chit)

    def advance(self, table: Table[State], frame: Frame) -> None:
        """7.2.1 Draw; any chit but Manstein is executed at once."""
        state = table.state
        if not state.cup.in_hand:
            self._draw(table)
        else:
            _idle(table, state.cup.in_hand)

    def _draw(self, table: Table[State]) -> None:
        inside = contents(table.state)
        named = table.state.cup.named
        chit = named if named in inside else table.draw(inside, "cup")
        table.emit(ChitDrawn(chit))
        if self._manstein(table.state):
            table.replace()
        else:
            _execute(table, chit)


def _execute(table: Table[State], name: str) -> None:
    """7.2.2, 7.3.1 Activate what the chit stands for, or put it away when its HQ is not there (R-08).

    R-46: STAVKA's HQs and their units make one activation. 11.2.3 An HQ in its box activates the units of that box alone.
    """
    state = table.state
    chit = state.data.chits[name]
    hqs = on_map(state, SOVIET) if chit.kind == STAVKA else tuple(hq for hq in (chit.hq,) if state.at(hq) != OFF_MAP)
    box = waiting_box(state, chit.side, chit.hq)
    if not hqs and not box:
        _idle(table, name)
        return
    units = {unit for hq in hqs for unit in in_range(state, hq)}
    waiting = tuple(counter for counter in state.counters if box and state.counters[counter].where == box)
    hqs = tuple(sorted((*hqs, *(counter for counter in waiting if state.data.types[counter].hq))))
    units.update(counter for counter in waiting if not state.data.types[counter].hq)
    table.done()
    table.emit(Activated(chit.side, name, hqs, tuple(sorted(units)), box))


def _idle(table: Table[State], chit: str) -> None:
    """R-08 The chit does nothing and is used up."""
    table.leave("execution")
    table.emit(ChitUsed(chit, True))


def waiting_box(state: State, side: str, hq: str) -> str:
    """11.2.2, E41 The box whose HQ this chit activates for the first time: that of its own HQ, or for STAVKA any Soviet one."""
    for waiting, box in sorted(state.data.box_of_hq.items()):
        if state.data.types[waiting].side == side and hq in ("", waiting) and state.counters[waiting].where == box:
            return box
    return ""


def in_range(state: State, hq: str) -> tuple[str, ...]:
    """7.3.2-7.3.5 The units that an HQ on the map activates: all friendly ones in range that its nation commands. R-09: its own hex is in
    range; enemies, zones and supply do not matter."""
    data: Data = state.data
    type_ = data.types[hq]

    def accepts(name: str) -> bool:
        other = data.types[name]
        return not other.hq and other.side == type_.side and company(data.limits, {type_.nation, other.nation})

    stacks = state.field.stacks
    near = (i for i in data.in_range(state.at(hq), type_.range) if i in stacks)
    return tuple(sorted(name for i in near for name in stacks[i] if accepts(name)))


class StandDown(Step[State]):
    """7.2.1 The execution is over: the chit goes to the Used box."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Put the chit away."""
        state = table.state
        if state.activation is not None:
            table.emit(StoodDown(state.activation.side))
        if state.cup.in_hand:
            table.emit(ChitUsed(state.cup.in_hand, False))
        table.done()


