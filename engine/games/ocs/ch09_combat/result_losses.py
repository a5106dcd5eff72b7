"""OCS 9.10: what each side suffers of a result.

OCS 9.10b The attacker resolves first, hard losses before options. OCS 9.10a An option is any mix of
steps and hexes of retreat that adds up to it. OCS 9.10c The defender may ignore options if the
attacker retreated at all or could not take all of theirs. They may still retreat the whole of them.
The attacker always fulfils theirs. The defending hex goes into DG first where the result says so.
Its Reserves lose their markers at any entry (5.7d), an ignored Do1 among them.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from attrs import frozen

from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.ch05_modes import modes
from warledger.engine.games.ocs.ch09_combat import losses
from warledger.engine.games.ocs.ch09_combat.combat_in_progress import Battle
from warledger.engine.games.ocs.ch09_combat.losses import COMBAT, takers
from warledger.engine.games.ocs.ch09_combat.results import Suffered
from warledger.engine.games.ocs.series.state import RESERVE, State
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import Asked, Asking, Command, Commands, Slot, word
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Fault, Pick, Refusal, Seat, Step, event
from warledger.protocol.board.choices import refuse, say

ATTACKER, DEFENDER = "attacker", "defender"
"""Whose turn it is to suffer: names of steps end in these."""


@event("ocs.loss_taken")
class LossTaken:
    """OCS 9.11 A unit takes a loss of its side's result; `option`: in place of a hex of retreat."""

    side: str
    unit: Any
    option: bool


@event("ocs.loss_doubled")
class LossDoubled:
    """OCS 9.11 By the game's rules a loss that was taken brings another one, for a unit of the same
    kind."""

    side: str


@event("ocs.doubled_loss_taken")
class DoubledLossTaken:
    """OCS 9.11 A unit takes the loss that another loss has brought; it brings none itself."""

    side: str
    unit: Any


@event("ocs.retreat_taken")
class RetreatTaken:
    """OCS 9.10a What is left of a side's options is taken as hexes of retreat."""

    side: str


@event("ocs.options_ignored")
class OptionsIgnored:
    """OCS 9.10c The defender stands."""

    side: str


after = ByEvent()


def fighting(state: State) -> Battle:
    """The combat in progress. Raises Fault when there is none."""
    if state.battle is None:
        raise Fault("no combat is in progress")
    return state.battle


def veiled(state: State) -> bool:
    """OCS 4.9 Whether picks are kept from the enemy."""
    return bool(state.charts.options.get("fog", fog.STRICT) != fog.OPEN)


def side_of(battle: Battle, state: State, role: str) -> str:
    """The side that attacks or defends."""
    return battle.side if role == ATTACKER else state.enemy(battle.side)


@after(LossTaken)
def _loss_taken(state: State, event: LossTaken) -> State:
    battle, unit = fighting(state), fog.plain(event.unit)
    side = event.side
    taken = {**battle.taken, unit: battle.taken.get(unit, 0) + 1}
    if event.option:
        options = {**battle.options, side: battle.options[side] - 1}
        battle = replace(battle, taken=taken, options=options)
    else:
        battle = replace(battle, taken=taken, hard={**battle.hard, side: battle.hard[side] - 1})
    return replace(state, battle=battle)


@after(LossDoubled)
def _doubled(state: State, event: LossDoubled) -> State:
    battle = fighting(state)
    return replace(state, battle=replace(battle, doubled=battle.doubled + 1))


@after(DoubledLossTaken)
def _doubled_taken(state: State, event: DoubledLossTaken) -> State:
    battle, unit = fighting(state), fog.plain(event.unit)
    taken = {**battle.taken, unit: battle.taken.get(unit, 0) + 1}
    return replace(state, battle=replace(battle, doubled=battle.doubled - 1, taken=taken))


@after(RetreatTaken)
def _retreat_taken(state: State, event: RetreatTaken) -> State:
    battle, side = fighting(state), event.side
    return replace(
        state,
        battle=replace(
            battle,
            hexes={**battle.hexes, side: battle.options[side]},
            options={**battle.options, side: 0},
        ),
    )


@after(OptionsIgnored)
def _ignored(state: State, event: OptionsIgnored) -> State:
    battle = fighting(state)
    return replace(state, battle=replace(battle, options={**battle.options, event.side: 0}))


def excused(state: State, battle: Battle, side: str) -> bool:
    """OCS 9.10c Whether a side may ignore its options: the defender, if the attacker has retreated
    a hex or could not take all of their options."""
    if side == battle.side:
        return False
    return battle.side in battle.fled or battle.options.get(battle.side, 0) > 0


def _prompt(state: State, battle: Battle, side: str, hard: int) -> str:
    """OCS 9.10c What is asked for: steps, or options, which only some may ignore."""
    if hard:
        return "prompt.ocs.losses"
    may_stand = excused(state, battle, side)
    return "prompt.ocs.options_or_stand" if may_stand else "prompt.ocs.options"


class Suffering(Asking[State]):
    """OCS 9.10, 9.11 One side takes its losses, then its options: `lose UNIT`, `retreat`, or
    `stand` where the defender may (9.10c). The whole command is kept from the enemy, who learns the
    number of steps and the hexes (OCS R-17)."""

    verb_slot = "ocs.suffering"

    def __init__(self, role: str) -> None:
        self.role = role

    def sealed(self, asked: Asked[State]) -> bool:
        """OCS R-17"""
        return veiled(asked.state)

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The side, while something is owed that it can take and that is not the AR unit's hard
        loss, which has no choice."""
        state = at.state
        battle = fighting(state)
        side = side_of(battle, state, self.role)
        if not self._owes(battle, side) or not takers(state, battle, side):
            return {}
        if self._forced(state, battle, side):
            return {}
        hard = battle.hard.get(side, 0) + battle.doubled
        return {
            side: Decision(
                say(
                    _prompt(state, battle, side, hard),
                    "OCS 9.11" if hard else "OCS 9.10",
                    number=hard or battle.options[side],
                )
            )
        }

    def commands(self) -> Commands[State]:
        """`lose UNIT`, `retreat`, `stand`."""
        return (
            Command(
                "lose",
                Losing,
                Slot("unit", "ocs.unit", _takers, _why_not_taker),
                apply=self._lose,
                when=self._may_lose,
                why=self._why_no_loss,
            ),
            word("retreat", self._retreat, when=self._may_retreat, why=self._why_no_retreat),
            word("stand", self._stand, when=self._may_stand, why=self._why_no_stand),
        )

    def advance(self, table: Table[State], frame: Frame) -> None:
        """OCS 9.11c The AR unit's first loss falls by itself; what nobody can take is ignored."""
        state = table.state
        battle = fighting(state)
        side = side_of(battle, state, self.role)
        if self._owes(battle, side) and self._forced(state, battle, side):
            take(table, side, takers(state, battle, side)[0], option=False)
        else:
            table.done()

    @staticmethod
    def _owes(battle: Battle, side: str) -> bool:
        return bool(battle.doubled or battle.hard.get(side, 0) or battle.options.get(side, 0))

    @staticmethod
    def _forced(state: State, battle: Battle, side: str) -> bool:
        """Whether the next loss is the AR unit's hard one."""
        return (
            battle.hard.get(side, 0) > 0
            and not any(battle.taken.get(name) for name in battle.of(side))
            and takers(state, battle, side) == (battle.leaders.get(side, ""),)
        )

    def _may_lose(self, asked: Asked[State]) -> bool:
        battle = fighting(asked.state)
        side = side_of(battle, asked.state, self.role)
        hard = battle.hard.get(side, 0) or battle.doubled
        return bool(hard) or not excused(asked.state, battle, side)

    def _may_retreat(self, asked: Asked[State]) -> bool:
        battle = fighting(asked.state)
        side = side_of(battle, asked.state, self.role)
        owes_steps = battle.hard.get(side, 0) or battle.doubled
        return not owes_steps and battle.options.get(side, 0) > 0

    def _may_stand(self, asked: Asked[State]) -> bool:
        battle = fighting(asked.state)
        side = side_of(battle, asked.state, self.role)
        return self._may_retreat(asked) and excused(asked.state, battle, side)

    def _why_no_loss(self, asked: Asked[State]) -> Refusal:
        return refuse("OCS 9.10c", "refusal.ocs.whole_retreat")

    def _why_no_retreat(self, asked: Asked[State]) -> Refusal:
        return refuse("OCS 9.10", "refusal.ocs.losses_first")

    def _why_no_stand(self, asked: Asked[State]) -> Refusal:
        return refuse("OCS 9.10c", "refusal.ocs.must_fulfil")

    def _lose(self, table: Table[State], asked: Asked[State], order: "Losing") -> None:
        battle = fighting(asked.state)
        side = asked.seat
        take(table, side, order.unit, option=not battle.hard.get(side, 0))

    def _retreat(self, table: Table[State], asked: Asked[State]) -> None:
        table.emit(RetreatTaken(asked.seat))

    def _stand(self, table: Table[State], asked: Asked[State]) -> None:
        table.emit(OptionsIgnored(asked.seat))


@frozen
class Losing:
    """The unit that takes a loss."""

    unit: str = ""


def _takers(asked: Asked[State], order: Losing) -> Iterable[str]:
    return takers(asked.state, fighting(asked.state), asked.seat)


def _why_not_taker(asked: Asked[State], order: Losing, pick: Pick) -> Refusal:
    battle = fighting(asked.state)
    name = str(pick)
    if name not in battle.of(asked.seat):
        return refuse("OCS 9.11", "refusal.ocs.not_in_combat", unit=name)
    return refuse("OCS 9.11c", "refusal.ocs.loss_order", unit=name)


def take(table: Table[State], side: str, unit: str, *, option: bool) -> None:
    """OCS 9.11 A unit takes one loss of its side's result, hard or in place of a hex, or the second
    that a loss has brought."""
    state = table.state
    battle = fighting(state)
    if battle.doubled:
        table.emit(DoubledLossTaken(side, fog.hidden(state, side, unit)))
        losses.lose(table, unit, why=COMBAT)
        return
    table.emit(LossTaken(side, fog.hidden(state, side, unit), option))
    losses.lose(table, unit, why=COMBAT)
    state = table.state
    if losses.doubling(state, battle, (unit,)) and losses.doubling(
        state, battle, losses.alive(state, battle.of(side))
    ):
        table.emit(LossDoubled(side))


class Shaken(Step[State]):
    """OCS 9.10, 5.7d, 5.10a The defender's Reserve markers go and the hex is in DG, as the result
    says, before losses are taken."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Any entry of the defender's takes the markers; "DG" disorganises every combat unit."""
        state = table.state
        battle = fighting(state)
        suffered = battle.result.defender if battle.result else Suffered()
        table.done()
        if suffered.nothing:
            return
        unmark(table, battle.target)
        if suffered.dg:
            modes.disorganise(table, table.state.combat_units(battle.target))


def unmark(table: Table[State], i: int) -> None:
    """OCS 5.7d Units in a hex lose their Reserve markers."""
    state = table.state
    units = state.units
    modes.change(
        table,
        [
            (name, "", units[name].move_side)
            for name in state.stack(i)
            if units[name].marker == RESERVE
        ],
    )


STEPS = {
    f"ocs.suffering_{ATTACKER}": Suffering(ATTACKER),
    f"ocs.suffering_{DEFENDER}": Suffering(DEFENDER),
    "ocs.shaken": Shaken(),
}
