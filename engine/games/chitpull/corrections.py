"""What an arbiter may set right on the board of a game of the family, as far as both titles treat
it alike: where a counter stands, which face it shows, who controls a place. VL 2.2.3, 5.0, 14.0.1;
TY 2.21(3), 3.1, 3.4.

A correction concerns what everybody knows, so chits are left alone. Nothing is offered in the
middle of a combat or a move: such a position can be continued only from what the rules made of it.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, Generic, TypeVar

from warledger.engine.games.chitpull.sides import ENEMY
from warledger.engine.games.chitpull.states import OFF_MAP, Fighting
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Choices, Fault, Picks, Seat, Step
from warledger.protocol.board.choices import WHOLE, Pick, offer

MOVE, REMOVE, FACE, CONTROL = "move", "remove", "face", "control"
FULL, REDUCED = "full", "reduced"

S = TypeVar("S", bound=Fighting[Any, Any])


class Corrections(Step[S], ABC, Generic[S]):
    """VL 2.2.3, 5.0, 14.0.1; TY 2.21(3), 3.1, 3.4 `move` COUNTER HEX, `remove` COUNTER, `face`
    COUNTER FACE, `control` PLACE SIDE. A title adds `more`, and emits the events.

    The picks are read here instead of in slots: a title's own verbs continue them, and a correction
    is carried out from the picks that the record of the ruling holds."""

    more: tuple[str, ...] = ()
    """Verbs of the title's own."""

    # --- what a title says ------------------------------------------------------------------------

    @abstractmethod
    def at_rest(self, state: S) -> bool:
        """Whether nothing is in progress that a correction could break off."""

    @abstractmethod
    def pieces(self, state: S) -> Iterable[str]:
        """The counters that may be put somewhere: those on the map, and those that have left it for
        good or until they return."""

    @abstractmethod
    def fits(self, state: S, name: str, i: int) -> bool:
        """Whether a counter may stand in a hex beside those who stand there, by terrain and
        stacking. Whose they are, and who controls the hex, has been checked already."""

    @abstractmethod
    def control(self, state: S) -> dict[int, str]:
        """Hex -> who controls it, of the places that are controlled."""

    def further(self, state: S, picks: Picks) -> Choices:
        """What may follow `picks`, of which the first is a verb of the title's own."""
        verb, *_ = picks
        raise Fault(f"{verb} is not corrected")

    @abstractmethod
    def carried_out(self, table: Table[S], picks: Picks) -> Iterable[Any]:
        """The events of a whole correction."""

    # --- what is offered --------------------------------------------------------------------------

    def on_map(self, state: S) -> tuple[str, ...]:
        """The counters on the map."""
        return tuple(name for name in self.pieces(state) if state.at(name) != OFF_MAP)

    def two_faced(self, state: S) -> tuple[str, ...]:
        """VL 2.2.3; TY 2.21(3), R-05 The counters on the map that have a reduced face."""
        types = state.data.types
        return tuple(name for name in self.on_map(state) if types[name].reduced is not None)

    def hexes(self, state: S, name: str) -> tuple[str, ...]:
        """VL 5.0, 14.0.1; TY 3.1, 3.4 Where a counter may stand: not with an enemy, nor in a place
        that the enemy controls, which is corrected first."""
        data = state.data
        side, here = data.types[name].side, state.at(name)
        held, stacks = self.control(state), state.field.stacks
        return tuple(
            data.board.grid.ids[i]
            for i in range(len(data.board.grid))
            if i != here
            and held.get(i, side) == side
            and all(data.types[other].side == side for other in stacks.get(i, ()))
            and self.fits(state, name, i)
        )

    def places(self, state: S) -> tuple[str, ...]:
        """VL 14.0.1; TY 3.4 The places whose control may be set: where no unit stands that would
        take it back."""
        held = self.control(state)
        return tuple(state.data.board.grid.ids[i] for i in held if i not in state.field.stacks)

    def choices(self, at: Position[S], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        """VL 5.0; TY 3.1 What may be set right; nothing before the first turn, in a move or in a
        combat."""
        state = at.state
        if not picks:
            quiet = not at.top.args and self.at_rest(state)
            verbs = (MOVE, REMOVE, FACE, CONTROL, *self.more) if quiet else ()
            return offer("verb", verbs)
        verb, *rest = picks
        if verb in self.more:
            return self.further(state, picks)
        if len(rest) == (1 if verb == REMOVE else 2):
            return WHOLE
        if not rest:
            return self._what(state, verb)
        name = str(rest[0])
        if verb == CONTROL:
            index = state.data.board.grid.index[name]
            return offer("correct_side", (ENEMY[self.control(state)[index]],))
        if verb == FACE:
            other = FULL if self.is_reduced(state, name) else REDUCED
            return offer("correct_face", (other,))
        return offer("correct_hex", self.hexes(state, name))

    @abstractmethod
    def is_reduced(self, state: S, name: str) -> bool:
        """VL 2.2.3; TY 2.21(3) Whether a counter shows its reduced face."""

    def _what(self, state: S, verb: Pick) -> Choices:
        if verb == CONTROL:
            return offer("correct_place", self.places(state))
        if verb == FACE:
            return offer("correct_unit", self.two_faced(state))
        found = self.pieces(state) if verb == MOVE else self.on_map(state)
        return offer("correct_unit", found)

    def decide(self, table: Table[S], frame: Frame, seat: Seat, picks: Picks) -> None:
        """Set it right."""
        for event in self.carried_out(table, picks):
            table.emit(event)
