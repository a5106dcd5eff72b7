"""7.2 Executing command: chits drawn from the cup one by one, activated or put away.

11.2 An HQ that waits in its box activates the units of that box.
"""

from collections.abc import Mapping

from warledger.engine.games.chitpull.sides import AXIS, SOVIET
from warledger.engine.games.chitpull.states import OFF_MAP
from warledger.engine.games.victory_lost.command import (
    Activated,
    Activating,
    ChitDrawn,
    ChitReturned,
    ChitUsed,
    StoodDown,
    contents,
    in_range,
    on_map,
)
from warledger.engine.games.victory_lost.data import MANSTEIN, STAVKA
from warledger.engine.games.victory_lost.state import State
from warledger.engine.kernel.commands import Asked, Asking, Command, Commands, Slot, word
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Pick, Refusal, Seat, Step
from warledger.protocol.board.choices import refuse, say


class Executions(Step[State]):
    """4.1.2 One execution after the other while the cup holds chits."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """The next one, or on to the Supply Phase."""
        if contents(table.state):
            table.call("execution")
        else:
            table.done()


class CommandStep(Asking[State]):
    """4.1.2(1), 7.2 Draw a chit and activate; Manstein's owner decides first (7.2.2)."""

    verb_slot = "victory_lost.verb"

    def _manstein(self, state: State) -> bool:
        return bool(state.cup.in_hand) and state.data.chits[state.cup.in_hand].kind == MANSTEIN

    def _may_decline(self, state: State) -> bool:
        """R-07 Only where the chit before was not declined too."""
        return not state.cup.declined

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The Axis, with Manstein in hand and something to decide."""
        state = at.state
        if self._manstein(state) and (on_map(state, AXIS) or self._may_decline(state)):
            return {AXIS: Decision(say("prompt.victory_lost.manstein", "7.2.2"))}
        return {}

    def commands(self) -> Commands[State]:
        """7.2.2, R-06 Any one Axis HQ on the map, or without one nothing; or the chit back in the
        cup."""
        return (
            Command(
                "activate",
                Activating,
                Slot("hq", "victory_lost.hq", self._hqs, self._why_not),
                apply=self._activate,
                when=lambda asked: bool(on_map(asked.state, AXIS)),
                beyond=self._why_not,
            ),
            word(
                "pass",
                lambda table, asked: _idle(table, asked.state.cup.in_hand),
                when=lambda asked: not on_map(asked.state, AXIS),
                beyond=self.no_verb,
            ),
            word(
                "decline",
                self._decline,
                when=lambda asked: self._may_decline(asked.state),
                why=lambda asked: refuse("7.2.2", "refusal.victory_lost.declined_already"),
                beyond=self.no_verb,
            ),
        )

    def _hqs(self, asked: Asked[State], order: Activating) -> tuple[str, ...]:
        return on_map(asked.state, AXIS)

    def _why_not(self, asked: Asked[State], order: Activating, pick: Pick) -> Refusal:
        """7.2.2 Manstein activates only what is on the map."""
        return self.no_verb(asked, pick)

    def no_verb(self, asked: Asked[State], verb: Pick) -> Refusal:
        """7.2.2 Nothing else is done now."""
        return refuse("7.2.2", "refusal.victory_lost.hq_not_on_map", pick=str(verb))

    def _activate(self, table: Table[State], asked: Asked[State], order: Activating) -> None:
        """Activate the HQ."""
        chit = asked.state.cup.in_hand
        table.done()
        table.emit(Activated(AXIS, chit, (order.hq,), in_range(table.state, order.hq), ""))

    def _decline(self, table: Table[State], asked: Asked[State]) -> None:
        """7.2.2 The chit goes back, and another is drawn."""
        table.emit(ChitReturned(asked.state.cup.in_hand))
        self._draw(table)

    def advance(self, table: Table[State], frame: Frame) -> None:
        """7.2.1 Draw; any chit but Manstein is executed at once."""
        state = table.state
        if not state.cup.in_hand:
            self._draw(table)
        else:
            _idle(table, state.cup.in_hand)

    def _draw(self, table: Table[State]) -> None:
        """7.2.1 One chit at random out of the cup, or the one that was named."""
        inside = contents(table.state)
        named = table.state.cup.named
        chit = named if named in inside else table.draw(inside, "cup")
        table.emit(ChitDrawn(chit))
        if self._manstein(table.state):
            table.replace()
        else:
            _execute(table, chit)


def _execute(table: Table[State], name: str) -> None:
    """7.2.2, 7.3.1 Activate what the chit stands for, or put it away when its HQ is not there
    (R-08).

    R-46: STAVKA's HQs and their units make one activation. 11.2.3 An HQ in its box activates the
    units of that box alone.
    """
    state = table.state
    chit = state.data.chits[name]
    hqs = (
        on_map(state, SOVIET)
        if chit.kind == STAVKA
        else tuple(hq for hq in (chit.hq,) if state.at(hq) != OFF_MAP)
    )
    box = waiting_box(state, chit.side, chit.hq)
    if not hqs and not box:
        _idle(table, name)
        return
    units = {unit for hq in hqs for unit in in_range(state, hq)}
    waiting = tuple(
        counter for counter in state.counters if box and state.counters[counter].where == box
    )
    hqs = tuple(sorted((*hqs, *(counter for counter in waiting if state.data.types[counter].hq))))
    units.update(counter for counter in waiting if not state.data.types[counter].hq)
    table.done()
    table.emit(Activated(chit.side, name, hqs, tuple(sorted(units)), box))


def _idle(table: Table[State], chit: str) -> None:
    """R-08 The chit does nothing and is used up."""
    table.leave("execution")
    table.emit(ChitUsed(chit, True))


def waiting_box(state: State, side: str, hq: str) -> str:
    """11.2.2, E41 The box whose HQ this chit activates for the first time: that of its own HQ, or
    for STAVKA any Soviet one."""
    for waiting, box in sorted(state.data.box_of_hq.items()):
        if (
            state.data.types[waiting].side == side
            and hq in ("", waiting)
            and state.counters[waiting].where == box
        ):
            return box
    return ""


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


STEPS: Mapping[str, Step[State]] = {
    "executions": Executions(),
    "command_step": CommandStep(),
    "stand_down": StandDown(),
}
