"""Naming attacks, one by one: a hex that all who may attack it together can attack, then attackers until the ratio suffices.

A command is ("attack", hex, unit, unit …), the attackers in any order; ("done",) ends it. What an attack does is the title's affair.
VL 9.1, 9.2; TY 10.1, 10.2(1).
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from enum import Enum
from typing import Any, Generic, TypeVar

from attrs import frozen

from engine.games.chitpull.offers import LazyChoices
from engine.games.chitpull.standing import OFF_MAP, Fighting, hex_at, in_progress
from engine.kernel.position import Frame, Position
from engine.kernel.table import Table
from engine.kernel.types import Choices, Decision, Pick, Picks, Refusal, Say, Seat, Step
from protocol.choices import WHOLE, offer

S = TypeVar("S", bound=Fighting[Any, Any])


@frozen
class Assessment:
    """An attack worked out: strengths, the column before shifts (below 0: less than 1-1), the shift to the right, the column or None."""

    attack: int
    defence: int
    start: int
    shift: int
    column: int | None


class Unfit(Enum):
    """What is wrong with a pick: see `Attacks.refusal`."""

    VERB = "no such verb"
    NO_HEX = "no such hex"
    NOBODY = "no enemy unit there"
    ATTACKED = "attacked already"
    UNREACHED = "no unit that may attack is next to it"
    TOO_WEAK = "the attackers named, or all that may attack it, are too weak"
    NOT_YOURS = "no unit of this side"
    NOT_ACTIVATED = "not activated"
    BUSY = "has its attack"
    APART = "not next to the hex"
    IMPASSABLE = "across an impassable hexside"
    PICKED = "picked already"


@frozen
class Attacking(Generic[S]):
    """How a title attacks.

    `front`     each hex that may still be attacked, with the activated units next to it that are free
    `enough`    whether units of a side may attack the hex together by the ratio
    `forecast`  an attack in words
    `busy`      units that have their attack, `attacked` the hexes that have been attacked
    `carry_out` (table, side, printed hex, attackers in order of ids)
    """

    front: Callable[[S, Any], Mapping[int, tuple[str, ...]]]
    enough: Callable[[S, str, Collection[str], int], bool]
    forecast: Callable[[S, str, tuple[str, ...], int], tuple[Say, ...]]
    busy: Callable[[Any], Collection[str]]
    attacked: Callable[[Any], Collection[int]]
    prompt: Say
    verbs: Choices
    target_slot: str
    attacker_slot: str
    against: Callable[[S, Unfit, Picks], Refusal]
    carry_out: Callable[[Table[S], str, str, tuple[str, ...]], None]


class Attacks(Step[S]):
    """The active side names attacks, if it likes, while any is possible. VL 9.1.2, 9.1.3; TY 10.1, 10.1(3)."""

    def __init__(self, how: Attacking[S]) -> None:
        self.how = how

    def deciders(self, at: Position[S], frame: Frame) -> Mapping[Seat, Decision]:
        """The active side, while any attack is possible."""
        state, how = at.state, self.how
        activation = state.activation
        if activation is None:
            return {}
        side = activation.side
        if any(how.enough(state, side, units, target) for target, units in how.front(state, activation).items()):
            return {side: Decision(how.prompt)}
        return {}

    def choices(self, at: Position[S], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        """A target that all who may attack it together can attack, then attackers, from several hexes if their owner likes."""
        state, how = at.state, self.how
        if not picks:
            return how.verbs
        if picks[0] == "done":
            return WHOLE
        near = how.front(state, state.activation)
        index, ids = state.data.board.grid.index, state.data.board.grid.ids
        if len(picks) == 1:

            def every() -> Iterator[Pick]:
                return (ids[i] for i, units in near.items() if how.enough(state, seat, units, i))

            def has(pick: Pick) -> bool:
                i = index.get(str(pick), OFF_MAP)
                return i in near and how.enough(state, seat, near[i], i)

            return LazyChoices(how.target_slot, every, has)
        target = index[str(picks[1])]
        chosen = tuple(str(name) for name in picks[2:])
        whole = bool(chosen) and how.enough(state, seat, chosen, target)
        return offer(how.attacker_slot, (name for name in near[target] if name not in chosen), complete=whole)

    def refusal(self, at: Position[S], frame: Frame, seat: Seat, picks: Picks) -> Refusal:
        """The clause against the last pick."""
        return self.how.against(at.state, self._unfit(at.state, seat, picks), picks)

    def unfinished(self, at: Position[S], frame: Frame, seat: Seat, picks: Picks) -> Refusal | None:
        """VL 9.3.4; TY 10.3(4) The attackers named so far are too weak."""
        return self.how.against(at.state, Unfit.TOO_WEAK, picks) if len(picks) > 2 and picks[0] == "attack" else None

    def _unfit(self, state: S, seat: Seat, picks: Picks) -> Unfit:
        activation = state.activation
        if activation is None or len(picks) == 1 or picks[0] != "attack":
            return Unfit.VERB
        if len(picks) == 2:
            return self._unfit_target(state, seat, hex_at(state, picks[1]))
        return self._unfit_attacker(state, seat, state.data.hex(str(picks[1])), str(picks[-1]))

    def _unfit_target(self, state: S, side: str, i: int) -> Unfit:
        activation, how = state.activation, self.how
        if i == OFF_MAP:
            return Unfit.NO_HEX
        if not state.enemies_in(side, i):
            return Unfit.NOBODY
        if i in how.attacked(activation):
            return Unfit.ATTACKED
        return Unfit.TOO_WEAK if i in how.front(state, activation) else Unfit.UNREACHED

    def _unfit_attacker(self, state: S, side: str, target: int, name: str) -> Unfit:
        activation, board = state.activation, state.data.board
        type_ = state.data.types.get(name)
        if type_ is None or type_.side != side:
            return Unfit.NOT_YOURS
        if activation is None or name not in activation.units:
            return Unfit.NOT_ACTIVATED
        if name in self.how.busy(activation):
            return Unfit.BUSY
        at = state.at(name)
        direction = board.grid.direction(at, target) if at != OFF_MAP else -1
        if direction < 0:
            return Unfit.APART
        return Unfit.IMPASSABLE if board.sides.impassable[at * 6 + direction] else Unfit.PICKED

    def preview(self, at: Position[S], frame: Frame, seat: Seat, picks: Picks) -> tuple[Say, ...]:
        """The attack so far in words; before attackers are picked, with all who may attack. VL 9.3, 9.4.1; TY 10.3, 10.4."""
        state = at.state
        if state.activation is None or len(picks) < 2 or picks[0] != "attack":
            return ()
        target = state.data.hex(str(picks[1]))
        attackers = tuple(str(name) for name in picks[2:]) or self.how.front(state, state.activation).get(target, ())
        return self.how.forecast(state, seat, attackers, target) if attackers else ()

    def decide(self, table: Table[S], frame: Frame, seat: Seat, picks: Picks) -> None:
        """Name one attack, or be done."""
        if picks[0] == "done":
            table.done()
        else:
            self.how.carry_out(table, seat, str(picks[1]), tuple(sorted(str(name) for name in picks[2:])))

    def advance(self, table: Table[S], frame: Frame) -> None:
        """No attack is possible any more."""
        table.done()


class BattleEnds(Step[S]):
    """The combat is over; the next may follow. VL 9.2; TY 10.2(1)."""

    def __init__(self, over: Callable[[str], Any]) -> None:
        self.over = over

    def advance(self, table: Table[S], frame: Frame) -> None:
        """Close it."""
        _, battle = in_progress(table.state)
        table.done()
        table.emit(self.over(table.state.data.name(battle.target)))
