"""OCS 9.2, 9.5, 9.6: the sequence of a combat, from the attacker's payment to the roll.

OCS 9.2 The attacker's payment (or the attack is void) and AR unit, the defender's answer (one
command for payment, AR unit, terrain, OCS R-19) and payment. Then odds, surprise, the combat
roll, results with the attacker first, advance, Exploit markers. Overruns (8) go through the same
sequence. The hexes are named in `attacking`.
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from attrs import frozen

from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.ch04_concepts.rounding import mixed
from warledger.engine.games.ocs.ch05_modes import modes
from warledger.engine.games.ocs.ch09_combat import odds, terrain
from warledger.engine.games.ocs.ch09_combat.assessment import ar, assess
from warledger.engine.games.ocs.ch09_combat.attacks import (
    EMPTY,
    attack_bill,
    by_themselves,
    can_pay,
    defence_bill,
    divisional,
)
from warledger.engine.games.ocs.ch09_combat.combat_events import (
    BattleBegun,
    BattleEnded,
    BattleFought,
    BattleWeighed,
    CombatPaid,
    DefenceGiven,
    LeaderNamed,
)
from warledger.engine.games.ocs.ch09_combat.combat_in_progress import Battle
from warledger.engine.games.ocs.ch09_combat.losses import alive
from warledger.engine.games.ocs.ch09_combat.result_losses import (
    ATTACKER,
    DEFENDER,
    fighting,
    side_of,
    veiled,
)
from warledger.engine.games.ocs.ch12_supply import bills, payment
from warledger.engine.games.ocs.ch12_supply.bill import INDEPENDENTS, Bill
from warledger.engine.games.ocs.ch16_hedgehogs import hedgehogs
from warledger.engine.games.ocs.series.state import State
from warledger.engine.kernel.commands import Asked, Asking, Command, Commands, Pairs, Slot
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Pick, Refusal, Seat, Step
from warledger.protocol.board.choices import Say, refuse, say

SUPPLY, UNPAID = payment.SUPPLY, payment.NONE
"""OCS 9.5 All of it is paid; nothing is."""

BATTLE = "ocs.battle"
"""The sequence of a combat."""

EMPTY_ATTACK = "ocs.empty_attack"
"""OCS 21.8 That of an attack on an empty hex: it is paid for, and units enter."""


def _sequence(battle: Battle) -> str:
    return EMPTY_ATTACK if battle.row == EMPTY else BATTLE


def begin(table: Table[State], battle: Battle) -> None:
    """OCS 9.2 A combat or overrun begins: `row`, `side`, `target` and `attackers` of it are read.
    The sequence is put on top of the flow."""
    state = table.state
    board = state.charts.board
    table.emit(
        BattleBegun(
            battle.row,
            battle.side,
            board.name(battle.target),
            tuple(
                (board.name(i), fog.hidden(state, battle.side, tuple(sorted(stack))))
                for i, stack in sorted(battle.attackers.items())
            ),
        )
    )
    table.call(_sequence(battle))


@frozen
class Leading:
    """The AR unit."""

    unit: str = ""


class Naming(Asking[State]):
    """OCS 9.2(3), 9.6 The attacker names an AR unit, one of those that attack: `lead UNIT`. It is
    asked of one unit too, so that nobody learns how many there are."""

    verb_slot = "ocs.naming"

    def sealed(self, asked: Asked[State]) -> bool:
        """OCS 4.9b AR is told, the unit is not."""
        return veiled(asked.state)

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The attacker, once."""
        battle = fighting(at.state)
        if battle.side in battle.leaders:
            return {}
        return {battle.side: Decision(say("prompt.ocs.leader", "OCS 9.6"))}

    def commands(self) -> Commands[State]:
        """`lead UNIT`."""
        return (
            Command(
                "lead",
                Leading,
                Slot("unit", "ocs.unit", _leaders, _why_not_leader),
                apply=self._lead,
            ),
        )

    def _lead(self, table: Table[State], asked: Asked[State], order: Leading) -> None:
        name_leader(table, asked.seat, order.unit)


def name_leader(table: Table[State], side: str, unit: str) -> None:
    """OCS 9.6 A side's AR unit is named: its AR is told."""
    state = table.state
    rating = ar(state, unit, fighting(state).target)
    table.emit(LeaderNamed(side, fog.hidden(state, side, unit), rating))


def leaders(state: State, side: str) -> tuple[str, ...]:
    """OCS 9.6, R-09 Who may be the AR unit of a side: any unit that fights, the highest AR first.
    OCS 21.3 By the option a divisional unit of a mixed attack."""
    battle = fighting(state)
    able = alive(state, battle.of(side))
    if side == battle.side and state.charts.options.get(INDEPENDENTS):
        able = divisional(state, able) or able
    return tuple(sorted(able, key=lambda name: (-ar(state, name, battle.target), name)))


def _leaders(asked: Asked[State], order: Any) -> Iterable[str]:
    return leaders(asked.state, asked.seat)


def _why_not_leader(asked: Asked[State], order: Any, pick: Pick) -> Refusal:
    if pick in fighting(asked.state).of(asked.seat):
        return refuse("OCS 21.3", "refusal.ocs.divisional_leads", unit=str(pick))
    return refuse("OCS 9.6", "refusal.ocs.not_in_combat", unit=str(pick))


class Paying(Step[State]):
    """OCS 9.2(2), 9.5, R-02 A side pays for the combat, by the step that pays for everything (12).
    The attacker has to, or the attack is void; a defender who does not fights at half."""

    def __init__(self, role: str) -> None:
        self.role = role

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Present the bill; when it comes back read what became of it."""
        state = table.state
        battle = fighting(state)
        side = side_of(battle, state, self.role)
        if side in battle.paid:
            table.done()
            return
        if state.bill is None:
            bill = self._bill(state, battle, side)
            wanted = battle.pays or self.role == ATTACKER
            if not bill.cost or (wanted and not can_pay(state, bill)) or not wanted:
                self._settle(
                    table, side, UNPAID if bill.cost else SUPPLY, bill.payers if bill.cost else ()
                )
            else:
                payment.ask(table, bill)
            return
        how, unpaid = payment.outcome(state), payment.unpaid(state)
        payment.close(table)
        self._settle(table, side, how, unpaid)

    def _bill(self, state: State, battle: Battle, side: str) -> Bill:
        if self.role == ATTACKER:
            return attack_bill(state, battle.units, battle.target)
        return defence_bill(state, side, battle.defenders)

    def _settle(self, table: Table[State], side: str, how: str, unpaid: tuple[str, ...]) -> None:
        state = table.state
        fighters = fighting(state).of(side)
        left = tuple(name for name in fighters if name not in unpaid)
        if self.role == ATTACKER and by_themselves(state, left) != by_themselves(state, fighters):
            # OCS 21.3 Units that have paid as part of a mixed attack do not attack without it.
            unpaid, left = fighters, ()
        paid = bool(left)
        table.emit(
            CombatPaid(side, paid, fog.hidden(state, side, how), fog.hidden(state, side, unpaid))
        )
        if self.role == ATTACKER and not paid:
            sequence = _sequence(fighting(state))
            table.emit(BattleEnded(True))
            table.leave(sequence)


@frozen
class Defence:
    """Whether to pay, the AR unit, its own terrain, and for attacking hexes another terrain than
    the one that weakens them most."""

    pays: str = ""
    unit: str = ""
    ground: str = ""
    against: tuple[tuple[str, str], ...] = ()
    hex: str = ""


PAY, DECLINE = "pay", "decline"


class Defending(Asking[State]):
    """OCS 9.2(2-4), R-19 The defender's whole answer: `defend pay|decline UNIT GROUND [HEX
    TERRAIN …]`. It is asked even where there is only one answer."""

    verb_slot = "ocs.defending"

    def sealed(self, asked: Asked[State]) -> bool:
        """OCS 4.9b Events tell what the attacker may know."""
        return veiled(asked.state)

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The defender, once."""
        battle = fighting(at.state)
        side = at.state.enemy(battle.side)
        if side in battle.leaders:
            return {}
        return {side: Decision(say("prompt.ocs.defend", "OCS 9.2"))}

    def commands(self) -> Commands[State]:
        """`defend …`."""
        return (
            Command(
                "defend",
                Defence,
                Slot("pays", "ocs.whether_pays", self._pays, self._why_not_pay),
                Slot("unit", "ocs.ar_unit", _leaders, _why_not_leader),
                Slot("ground", "ocs.own_ground", self._grounds, self._why_not_ground),
                Pairs(
                    "against",
                    Slot("hex", "ocs.attacked_from", self._hexes, self._why_not_hex),
                    Slot("choice", "ocs.ground_against", self._against, self._why_not_ground),
                    enough=True,
                ),
                apply=self._defend,
                preview=self._preview,
            ),
        )

    def _pays(self, asked: Asked[State], order: Defence) -> Iterable[str]:
        state = asked.state
        bill = defence_bill(state, asked.seat, fighting(state).defenders)
        return (PAY, DECLINE) if can_pay(state, bill) else (DECLINE,)

    def _why_not_pay(self, asked: Asked[State], order: Defence, pick: Pick) -> Refusal:
        return refuse("OCS 9.5", "refusal.ocs.cannot_pay")

    def _grounds(self, asked: Asked[State], order: Defence) -> Iterable[str]:
        return terrain.grounds(asked.state, fighting(asked.state).target)

    def _hexes(self, asked: Asked[State], order: Defence) -> Iterable[str]:
        name = asked.state.charts.board.name
        chosen = {hex for hex, _ in order.against}
        every = (name(i) for i in fighting(asked.state).attackers)
        return tuple(one for one in every if one not in chosen)

    def _against(self, asked: Asked[State], order: Defence) -> Iterable[str]:
        state = asked.state
        return terrain.against(state, state.charts.board.hex(order.hex), fighting(state).target)

    def _why_not_ground(self, asked: Asked[State], order: Defence, pick: Pick) -> Refusal:
        return refuse("OCS 9.4b", "refusal.ocs.no_such_terrain", terrain=str(pick))

    def _why_not_hex(self, asked: Asked[State], order: Defence, pick: Pick) -> Refusal:
        return refuse("OCS 9.4b", "refusal.ocs.no_attack_from", hex=str(pick))

    def _preview(self, asked: Asked[State], order: Defence) -> tuple[Say, ...]:
        """OCS 9.4, 9.5 The own strength and AR in the terrain that is chosen, or in the hardest;
        what it costs and who would pay it."""
        state = asked.state
        battle = fighting(state)
        ground = order.ground or terrain.grounds(state, battle.target)[0]
        bill = defence_bill(state, asked.seat, battle.defenders)
        paid = order.pays != DECLINE and can_pay(state, bill)
        defenders = alive(state, battle.defenders)
        strength = sum(
            (
                modes.strength(state, name, attacking=False, supplied=paid or not bill.cost)
                * terrain.defending(state, name, ground)
                for name in defenders
            ),
            Fraction(0),
        )
        told = say(
            "preview.ocs.defence",
            "OCS 9.5",
            strength=mixed(strength),
            ground=ground,
            ar=ar(state, order.unit or leaders(state, asked.seat)[0], battle.target),
            tokens=bills.charged(state, bill).cost if paid else 0,
        )
        return (told, *(payment.reckoned(state, bill) if paid else ()))

    def _defend(self, table: Table[State], asked: Asked[State], order: Defence) -> None:
        state, board = asked.state, asked.state.charts.board
        battle = fighting(state)
        name_leader(table, asked.seat, order.unit)
        level = terrain.opposed(state, asked.seat, battle.target, battle.defenders)
        chosen = {
            board.name(i): choice
            for i, choice in terrain.best_choices(
                state, battle.target, battle.attackers, level
            ).items()
        }
        chosen.update(dict(order.against))
        table.emit(DefenceGiven(order.pays == PAY, order.ground, tuple(sorted(chosen.items()))))


class Rolling(Step[State]):
    """OCS 9.2(4-7), R-07 Odds; surprise pair, shift die with surprise only, combat pair."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Everything that both sides are told (4.9b), then the dice."""
        state = table.state
        battle, tables = fighting(state), state.charts.tables
        found = assess(state, battle)
        table.emit(
            BattleWeighed(
                str(found.attack),
                str(found.defence),
                found.drm,
                found.attack_at,
                found.defence_at,
                found.odds.text,
                found.row,
                found.odds.column,
            )
        )
        enemy = state.enemy(battle.side)
        level = hedgehogs.level(state, enemy, battle.target)
        pair = sum(table.rolls(2, 6, "surprise"))
        surprise_roll, who = odds.surprised(
            tables.surprise, battle.row, pair, found.drm, hedgehog=level > 0
        )
        shift = table.roll(6, "surprise_shift") if who else 0
        column = odds.shifted(tables.combat, found.odds.column, who, shift)
        dice = sum(table.rolls(2, 6, "combat"))
        roll, result = odds.resolved(tables.combat, column, dice, found.drm, level)
        table.done()
        table.emit(
            BattleFought(
                surprise_roll,
                who,
                shift,
                column,
                roll,
                result.text,
            )
        )


class Ending(Step[State]):
    """OCS 9.2 The combat is over."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """It leaves the position."""
        table.done()
        table.emit(BattleEnded(False))


STEPS: Mapping[str, Step[State]] = {
    "ocs.naming": Naming(),
    f"ocs.combat_supply_{ATTACKER}": Paying(ATTACKER),
    "ocs.defending": Defending(),
    f"ocs.combat_supply_{DEFENDER}": Paying(DEFENDER),
    "ocs.rolling": Rolling(),
    "ocs.battle_over": Ending(),
}
SEQUENCES: Mapping[str, tuple[str, ...]] = {
    BATTLE: (
        f"ocs.combat_supply_{ATTACKER}",
        "ocs.naming",
        "ocs.defending",
        f"ocs.combat_supply_{DEFENDER}",
        "ocs.rolling",
        f"ocs.suffering_{ATTACKER}",
        f"ocs.retreating_{ATTACKER}",
        "ocs.shaken",
        f"ocs.suffering_{DEFENDER}",
        f"ocs.retreating_{DEFENDER}",
        "ocs.advancing",
        "ocs.exploiting",
        "ocs.battle_over",
    ),
    EMPTY_ATTACK: (
        f"ocs.combat_supply_{ATTACKER}",
        "ocs.advancing",
        "ocs.battle_over",
    ),
}
