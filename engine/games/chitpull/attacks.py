"""Naming attacks, one by one: a hex that all who may attack it together can attack, then attackers
until the ratio suffices.

A command is ("attack", hex, unit, unit …), the attackers in any order; ("done",) ends it. What an
attack does, and why one is refused, is up to the title: it derives its step from `Attacks`. VL 9.1,
9.2; TY 10.1, 10.2(1).
"""

from abc import abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, TypeVar

from warledger.engine.games.chitpull.states import Fighting, hex_at, in_progress
from warledger.engine.kernel.change import unguarded
from warledger.engine.kernel.commands import Asked, Asking, Command, Commands, Many, Slot, word
from warledger.engine.kernel.lazy import Lazy
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Pick, Refusal, Say, Seat, Step

S = TypeVar("S", bound=Fighting[Any, Any])


@unguarded
class Assessment:
    """An attack worked out: strengths, the column before shifts (below 0: less than 1-1), the shift
    to the right, the column or None."""

    attack: int
    defence: int
    start: int
    shift: int
    column: int | None


@unguarded
class Assault:
    """A hex to attack, and the units that attack it in the order in which they are named."""

    hex: str = ""
    units: tuple[str, ...] = ()


class Attacks(Asking[S]):
    """VL 9.1.2, 9.1.3; TY 10.1, 10.1(3) The active side may name attacks while any is possible.

    `prompt` is the question; `target_slot` and `attacker_slot` say what is picked.
    """

    prompt: Say
    target_slot: str
    attacker_slot: str

    @abstractmethod
    def attackable(self, state: S) -> Mapping[int, tuple[str, ...]]:
        """Each hex that may still be attacked, with the activated units next to it that are
        free."""

    @abstractmethod
    def enough(self, state: S, side: str, attackers: Collection[str], target: int) -> bool:
        """Whether units of a side may attack the hex together by the ratio."""

    @abstractmethod
    def forecast(
        self, state: S, side: str, attackers: tuple[str, ...], target: int
    ) -> tuple[Say, ...]:
        """An attack in words."""

    @abstractmethod
    def attack(self, table: Table[S], side: str, target: str, attackers: tuple[str, ...]) -> None:
        """Make the attack on a printed hex; attackers in order of ids."""

    @abstractmethod
    def why_not_target(self, asked: Asked[S], order: Assault, pick: Pick) -> Refusal | None:
        """Why a hex cannot be attacked."""

    @abstractmethod
    def why_not_attacker(self, asked: Asked[S], order: Assault, pick: Pick) -> Refusal | None:
        """Why a unit cannot take part in the attack."""

    @abstractmethod
    def too_weak(self, state: S, side: str, attackers: tuple[str, ...], target: int) -> Refusal:
        """What is said where units are too weak to attack the hex together."""

    def deciders(self, at: Position[S], frame: Frame) -> Mapping[Seat, Decision]:
        """The active side, while any attack is possible."""
        state = at.state
        if state.activation is None:
            return {}
        side = state.activation.side
        if any(
            self.enough(state, side, units, target)
            for target, units in self.attackable(state).items()
        ):
            return {side: Decision(self.prompt)}
        return {}

    def commands(self) -> Commands[S]:
        """Name one attack, or no more."""
        return (
            Command(
                "attack",
                Assault,
                Slot("hex", self.target_slot, self._targets, self.why_not_target),
                Many(
                    "units",
                    self.attacker_slot,
                    self._attackers,
                    self.why_not_attacker,
                    enough=self._suffice,
                ),
                apply=self._attack,
                unfinished=self._why_not_yet,
                preview=self._preview,
            ),
            word("done", lambda table, asked: table.done(), beyond=self.no_verb),
        )

    def _targets(self, asked: Asked[S], order: Assault) -> Lazy:
        """The hexes that all who may attack them together can attack."""
        state, side = asked.state, asked.seat
        near, ids = self.attackable(state), state.data.board.grid.ids

        def every() -> Iterator[Pick]:
            return (ids[i] for i, units in near.items() if self.enough(state, side, units, i))

        def has(pick: Pick) -> bool:
            i = hex_at(state, pick)
            return i in near and self.enough(state, side, near[i], i)

        return Lazy(every, has)

    def _attackers(self, asked: Asked[S], order: Assault) -> list[str]:
        """The free units next to the hex, from several hexes if their owner likes."""
        near = self.attackable(asked.state)[hex_at(asked.state, order.hex)]
        return [name for name in near if name not in order.units]

    def _suffice(self, asked: Asked[S], order: Assault) -> bool:
        """Whether those named are strong enough together."""
        state = asked.state
        return bool(order.units) and self.enough(
            state, asked.seat, order.units, hex_at(state, order.hex)
        )

    def _why_not_yet(self, asked: Asked[S], order: Assault) -> Refusal | None:
        """VL 9.3.4; TY 10.3(4) The attackers named so far are too weak."""
        if not order.units:
            return None
        return self.too_weak(asked.state, asked.seat, order.units, hex_at(asked.state, order.hex))

    def _preview(self, asked: Asked[S], order: Assault) -> tuple[Say, ...]:
        """VL 9.3, 9.4.1; TY 10.3, 10.4 The attack so far in words; before attackers are picked,
        with all who may attack."""
        if not order.hex:
            return ()
        state = asked.state
        target = hex_at(state, order.hex)
        attackers = order.units or self.attackable(state).get(target, ())
        return self.forecast(state, asked.seat, attackers, target) if attackers else ()

    def _attack(self, table: Table[S], asked: Asked[S], order: Assault) -> None:
        """Make it."""
        self.attack(table, asked.seat, order.hex, tuple(sorted(order.units)))

    def advance(self, table: Table[S], frame: Frame) -> None:
        """No attack is possible any more."""
        table.done()


class BattleEnds(Step[S]):
    """VL 9.2; TY 10.2(1) The combat is over; the next may follow."""

    def __init__(self, over: Callable[[str], Any]) -> None:
        self.over = over

    def advance(self, table: Table[S], frame: Frame) -> None:
        """Close it."""
        _, battle = in_progress(table.state)
        table.done()
        table.emit(self.over(table.state.data.name(battle.target)))
