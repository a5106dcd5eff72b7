"""OCS 9: ground combat.

OCS 9.1a The side that moves attacks. OCS 9.1c In a Combat segment each unit attacks once and each
hex is attacked once, from any number of hexes; OCS 9.1d all combat units in the hex defend
together. OCS 9.2 The sequence: hexes named, the attacker's payment (or the attack is void) and AR
unit, the defender's answer (one command for payment, AR unit and terrain, ruling 19) and payment,
odds, surprise, the combat roll, results with the attacker first, advance, Exploit markers.
Overruns (8) go through the same sequence.
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from attrs import frozen

from warledger.engine.board import hexsets
from warledger.engine.games.ocs import (
    fog,
    hedgehogs,
    modes,
    odds,
    payment,
    stacking,
    terrain,
    ways,
)
from warledger.engine.games.ocs.battle import Battle
from warledger.engine.games.ocs.bill import Bill
from warledger.engine.games.ocs.concepts import attack_capable, steps
from warledger.engine.games.ocs.game import rules
from warledger.engine.games.ocs.losses import alive
from warledger.engine.games.ocs.results import combat_result
from warledger.engine.games.ocs.state import EXPLOIT, State, changed
from warledger.engine.games.ocs.suffering import ATTACKER, DEFENDER, fighting, side_of, veiled
from warledger.engine.games.ocs.tables import REGULAR
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import (
    Asked,
    Asking,
    Command,
    Commands,
    Many,
    Pairs,
    Slot,
    word,
)
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Pick, Refusal, Seat, Step, event
from warledger.protocol.choices import Say, refuse, say

SUPPLY, UNPAID = payment.SUPPLY, payment.NONE
"""OCS 9.5 All of it is paid; nothing is."""

ATTACK, DEFENCE = "attack", "defence"
"""OCS 9.5 What a bill is for."""

BATTLE = "ocs.battle"
"""The sequence of a combat."""

EXPLOITATION_COMBAT = "g3"
"""OCS 2.3 The Combat segment of the Exploitation Phase."""


# --- events ---------------------------------------------------------------------------------------


@event("ocs.battle")
class BattleBegun:
    """OCS 9.2(1) A hex is attacked: `row` "regular" or "overrun", the attacking hexes, and in each
    who attacks from it."""

    row: str
    side: str
    target: str
    stacks: tuple[tuple[str, Any], ...]


@event("ocs.leader")
class LeaderNamed:
    """OCS 9.2(3) A side's AR unit: the enemy is told its AR."""

    side: str
    unit: Any
    ar: int


@event("ocs.defence")
class DefenceGiven:
    """OCS 9.2, 9.4b, 9.4c The defender's answer: whether he wants to pay, his terrain, and the
    terrain against each attacking hex."""

    pays: bool
    ground: str
    terrain: tuple[tuple[str, str], ...]


@event("ocs.combat_paid")
class CombatPaid:
    """OCS 9.5 Whether a side has combat supply, which is told, and from what, which is not; and
    the units that have none. OCS 9.1e Those of the attacker do not attack."""

    side: str
    paid: bool
    how: Any
    unpaid: Any


@event("ocs.battle_weighed")
class BattleWeighed:
    """OCS 4.9b, 9.7 What both sides name: strengths as fractions, AR difference, anti-tank levels,
    odds, column."""

    attack: str
    defence: str
    drm: int
    attack_at: int
    defence_at: int
    odds: str
    row: str
    column: int


@event("ocs.battle_fought")
class BattleFought:
    """OCS 9.8, 9.9 Surprise and combat rolls as modified, the column after the shift, the result,
    and the steps that a loss of each side counts for."""

    surprise_roll: int
    surprise: str
    shift: int
    column: int
    roll: int
    result: str
    attacker_factor: int
    defender_factor: int


@event("ocs.battle_ended")
class BattleEnded:
    """OCS 9.2 The combat is over; `void`: the attacker did not pay."""

    void: bool


after = ByEvent()


@after(BattleBegun)
def _begun(state: State, event: BattleBegun) -> State:
    board = state.charts.board
    target = board.hex(event.target)
    stacks = {board.hex(name): tuple(fog.plain(units)) for name, units in event.stacks}
    made = replace(
        state,
        battle=Battle(
            event.row,
            event.side,
            target,
            stacks,
            state.combat_units(target),
            shut={side: state.field.combat[state.enemy(side)] for side in state.charts.sides},
        ),
    )
    if event.row != REGULAR:
        return made
    use = made.phase_use
    made = replace(made, phase_use=replace(use, attacked=use.attacked | 1 << target))
    return changed(
        made,
        {
            name: replace(made.units[name], attacked=True)
            for stack in stacks.values()
            for name in stack
        },
    )


@after(LeaderNamed)
def _leader(state: State, event: LeaderNamed) -> State:
    battle = fighting(state)
    leaders = {**battle.leaders, event.side: fog.plain(event.unit)}
    return replace(state, battle=replace(battle, leaders=leaders))


@after(DefenceGiven)
def _defence(state: State, event: DefenceGiven) -> State:
    board = state.charts.board
    return replace(
        state,
        battle=replace(
            fighting(state),
            pays=event.pays,
            ground=event.ground,
            terrain={board.hex(name): choice for name, choice in event.terrain},
        ),
    )


@after(CombatPaid)
def _paid(state: State, event: CombatPaid) -> State:
    battle = fighting(state)
    unpaid = frozenset(fog.plain(event.unpaid))
    made = replace(
        battle,
        paid={**battle.paid, event.side: fog.plain(event.how)},
        unpaid=battle.unpaid | unpaid,
    )
    if event.side == battle.side and unpaid:
        stacks = {
            i: tuple(name for name in stack if name not in unpaid)
            for i, stack in battle.attackers.items()
        }
        made = replace(made, attackers={i: stack for i, stack in stacks.items() if stack})
    return replace(state, battle=made)


@after(BattleWeighed)
def _weighed(state: State, event: BattleWeighed) -> State:
    return replace(state, battle=replace(fighting(state), column=event.column))


@after(BattleFought)
def _fought(state: State, event: BattleFought) -> State:
    battle, result = fighting(state), combat_result(event.result)
    side, enemy = battle.side, state.enemy(battle.side)
    factor = {side: event.attacker_factor, enemy: event.defender_factor}
    return replace(
        state,
        battle=replace(
            battle,
            column=event.column,
            result=result,
            factor=factor,
            hard={
                side: result.attacker.losses * factor[side],
                enemy: result.defender.losses * factor[enemy],
            },
            options={side: result.attacker.options, enemy: result.defender.options},
        ),
    )


@after(BattleEnded)
def _ended(state: State, event: BattleEnded) -> State:
    return replace(state, battle=None)


# --- who may attack what --------------------------------------------------------------------------


def free(state: State, name: str, purpose: str) -> bool:
    """OCS 9.5 Whether a unit fights without combat supply by the game's rules."""
    return rules(state.charts).cost_factor(state, state.side(name), name, purpose) == 0


def why_not(state: State, name: str, target: int) -> Refusal | None:
    """OCS 9.1, 4.4a Why a unit may not attack a hex in this Combat segment; None if it may."""
    unit, counter = state.units[name], state.counter(name)
    side, board = counter.side, state.charts.board
    if side != state.phasing:
        return refuse("OCS 9.1a", "refusal.ocs.not_phasing", unit=name)
    if not attack_capable(counter, unit):
        return refuse("OCS 4.4", "refusal.ocs.cannot_attack", unit=name)
    if state.segment == EXPLOITATION_COMBAT and unit.marker != EXPLOIT and not unit.released:
        return refuse("OCS 2.3", "refusal.ocs.not_exploiting", unit=name)
    held = rules(state.charts).holds_back(state, name)
    if held:
        return refuse(held, "refusal.ocs.held_back", pick=name)
    if unit.attacked:
        return refuse("OCS 9.1c", "refusal.ocs.attacked", unit=name)
    if unit.at < 0 or not hexsets.has(board.near[target], unit.at):
        return refuse("OCS 9.1c", "refusal.ocs.not_adjacent", unit=name, hex=board.name(target))
    if not can_enter(state, name, target):
        return refuse("OCS 9.1f", "refusal.ocs.prohibited", unit=name, hex=board.name(target))
    return None


def can_enter(state: State, name: str, target: int) -> bool:
    """OCS 9.1f Whether a unit could move into a hex next to it, if the enemy were not there: across
    bridges and along roads too."""
    if hexsets.has(rules(state.charts).barred(state, name), target):
        return False
    if not state.charts.scenario.play >> target & 1:
        return False
    return ways.ground(state, name).step(state.units[name].at, target) is not None


def targets(state: State) -> tuple[int, ...]:
    """OCS 9.1c Hexes with enemy combat units next to the phasing side's, not attacked yet in this
    segment: all that everybody sees."""
    side = state.phasing
    near = hexsets.widened(state.field.combat[side], state.charts.board.near)
    enemy = state.field.combat[state.enemy(side)]
    return hexsets.listed(enemy & near & ~state.phase_use.attacked)


def attackers(state: State, target: int) -> tuple[str, ...]:
    """OCS 9.1 Units that may attack a hex now."""
    return tuple(
        name
        for i in hexsets.listed(state.charts.board.near[target])
        if state.holder(i) == state.phasing
        for name in state.stack(i)
        if why_not(state, name, target) is None
    )


# --- supply ---------------------------------------------------------------------------------------


def attack_bill(state: State, names: Iterable[str], target: int) -> Bill:
    """OCS 9.5, 12.4 1T a step of the attacking units, those apart that the game lets fight
    without."""
    everyone = tuple(names)
    payers = tuple(name for name in everyone if not free(state, name, ATTACK))
    each = state.charts.tables.combat_supply["attacker_t_per_step"]
    shares = tuple(each * steps(state.counter(name), state.units[name]) for name in payers)
    side = state.side(everyone[0])
    return Bill(side, ATTACK, payers, sum(shares), shares=shares, stocks=True, target=target)


def defence_bill(state: State, side: str, names: Iterable[str]) -> Bill:
    """OCS 9.5 2T for a combat, 1T if all combat units in the hex are of 1 RE together at most."""
    everyone = tuple(names)
    payers = tuple(name for name in everyone if not free(state, name, DEFENCE))
    cost = state.charts.tables.combat_supply
    small = stacking.re_of(state, everyone) <= cost["defender_small_re"]
    due = cost["defender_small_t"] if small else cost["defender_t"]
    return Bill(side, DEFENCE, payers, due if payers else 0, stocks=True)


def can_pay(state: State, bill: Bill) -> bool:
    """OCS 9.5 Whether a bill can be paid, out of internal stocks where nothing else is in reach."""
    if not bill.cost:
        return True
    return payment.payable(
        state,
        bill.side,
        bill.payers,
        bill.cost,
        stocks=bill.stocks,
        shares=bill.shares,
        purpose=bill.purpose,
        target=bill.target,
    )


def payers(state: State, target: int, names: tuple[str, ...] = ()) -> tuple[str, ...]:
    """OCS 9.1, 9.5 Units that may attack a hex besides these, with supply for all of them."""
    return tuple(
        name
        for name in attackers(state, target)
        if name not in names and can_pay(state, attack_bill(state, (*names, name), target))
    )


# --- strengths ------------------------------------------------------------------------------------


@frozen
class Assessment:
    """OCS 4.9b, 9.7 What both sides name before the dice."""

    attack: Fraction
    defence: Fraction
    drm: int
    attack_at: int
    defence_at: int
    row: str
    odds: odds.Odds


def ar(state: State, name: str, target: int) -> int:
    """OCS 9.6 A unit's AR in a combat for a hex, with what the game adds."""
    return modes.ar(state, name) + rules(state.charts).ar_bonus(state, name, target)


def supplied(state: State, battle: Battle, name: str) -> bool:
    """OCS 9.5, ruling 3 Whether a unit fights with combat supply: internal stocks feed those that
    had any left."""
    return name not in battle.unpaid


def assess(state: State, battle: Battle) -> Assessment:
    """OCS 9.2(4-5), 9.4-9.7 Strengths, AR difference and odds, in the terrain that the defender
    chose."""
    target, enemy = battle.target, state.enemy(battle.side)
    defenders = alive(state, battle.defenders)
    level = terrain.opposed(state, enemy, target, defenders)
    attack = sum(
        (
            modes.strength(state, name, attacking=True, supplied=supplied(state, battle, name))
            * terrain.attacking(state, name, battle.terrain[a], level, target)
            for a, stack in battle.attackers.items()
            for name in stack
        ),
        Fraction(0),
    )
    defence = sum(
        (
            modes.strength(state, name, attacking=False, supplied=supplied(state, battle, name))
            * terrain.defending(state, name, battle.ground)
            for name in defenders
        ),
        Fraction(0),
    )
    row = terrain.row(state, enemy, target, battle.ground)
    drm = ar(state, battle.leaders[battle.side], target) - ar(state, battle.leaders[enemy], target)
    return Assessment(
        attack,
        defence,
        drm,
        max(state.counter(name).at for name in battle.units),
        level,
        row,
        odds.odds(state.charts.tables.combat, row, attack, defence),
    )


# --- the Combat segment ---------------------------------------------------------------------------


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
    table.call(BATTLE)


@frozen
class Attack:
    """The hex attacked and the units that attack it."""

    hex: str = ""
    units: tuple[str, ...] = ()


class Attacking(Asking[State]):
    """OCS 9.2(1) The Combat segment: `attack HEX UNITS …` one after the other, until `done`."""

    verb_slot = "ocs.combat"

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The phasing side, while its combat units stand next to the enemy's."""
        if not targets(at.state):
            return {}
        return {at.state.phasing: Decision(say("prompt.ocs.combat", "OCS 9.2"))}

    def commands(self) -> Commands[State]:
        """`attack HEX UNITS …`, `done`."""
        return (
            Command(
                "attack",
                Attack,
                Slot("hex", "ocs.hex", self._hexes, self._why_not_hex),
                Many("units", "ocs.unit", self._units, self._why_not_unit),
                apply=self._attack,
                when=lambda asked: any(payers(asked.state, i) for i in targets(asked.state)),
                why=self._why_none,
                preview=self._preview,
                sealed=True,
            ),
            word("done", lambda table, asked: table.done()),
        )

    def _hexes(self, asked: Asked[State], order: Attack) -> Iterable[str]:
        state = asked.state
        name = state.charts.board.name
        return tuple(name(i) for i in targets(state) if payers(state, i))

    def _units(self, asked: Asked[State], order: Attack) -> Iterable[str]:
        state = asked.state
        return payers(state, state.charts.board.hex(order.hex), order.units)

    def _why_not_hex(self, asked: Asked[State], order: Attack, pick: Pick) -> Refusal:
        state, board = asked.state, asked.state.charts.board
        name = str(pick)
        try:
            i = board.hex(name)
        except ValueError:
            return refuse("OCS 9.2", "refusal.ocs.no_hex", hex=name)
        if hexsets.has(state.phase_use.attacked, i):
            return refuse("OCS 9.1c", "refusal.ocs.hex_attacked", hex=name)
        if i not in targets(state):
            return refuse("OCS 9.2", "refusal.ocs.no_target", hex=name)
        if attackers(state, i):
            return refuse("OCS 9.5", "refusal.ocs.no_attack_paid")
        return refuse("OCS 9.1", "refusal.ocs.no_attackers", hex=name)

    def _why_not_unit(self, asked: Asked[State], order: Attack, pick: Pick) -> Refusal:
        state = asked.state
        name = str(pick)
        if name not in state.units or state.side(name) != asked.seat or name in order.units:
            return refuse("OCS 9.1", "refusal.ocs.not_a_unit", unit=name)
        target = state.charts.board.hex(order.hex)
        bill = attack_bill(state, (*order.units, name), target)
        return why_not(state, name, target) or refuse(
            "OCS 9.5", "refusal.ocs.no_combat_supply", tokens=bill.cost
        )

    def _why_none(self, asked: Asked[State]) -> Refusal:
        state = asked.state
        if any(attackers(state, i) for i in targets(state)):
            return refuse("OCS 9.5", "refusal.ocs.no_attack_paid")
        return refuse("OCS 9.1", "refusal.ocs.no_attack")

    def _preview(self, asked: Asked[State], order: Attack) -> tuple[Say, ...]:
        """The strength before the defender's terrain, the cost, and who would pay it; in the open
        also the odds, under fog nothing of the enemy's units. While no units are picked: of all
        that could attack together."""
        if not order.hex:
            return ()
        state = asked.state
        target = state.charts.board.hex(order.hex)
        units = order.units
        if not units:
            while more := payers(state, target, units):
                units = (*units, more[0])
        if not units:
            return ()
        strength = sum((modes.strength(state, name, attacking=True) for name in units), Fraction(0))
        bill = payment.charged(state, attack_bill(state, units, target))
        told = say(
            "preview.ocs.attack",
            "OCS 9.5",
            strength=str(strength),
            tokens=bill.cost,
            ar=max(modes.ar(state, name) for name in units),
        )
        paid = payment.reckoned(state, attack_bill(state, units, target))
        weighed = () if fog.strict(state) else (_odds(state, asked.seat, target, units),)
        if order.units:
            return (told, *weighed, *paid)
        everyone = say("preview.ocs.all_attack", "OCS 9.2", units=units, hex=order.hex)
        return (everyone, told, *weighed, *paid)

    def _attack(self, table: Table[State], asked: Asked[State], order: Attack) -> None:
        state = asked.state
        target = state.charts.board.hex(order.hex)
        begin(table, _regular(state, asked.seat, target, order.units))


def _regular(state: State, side: str, target: int, units: Iterable[str]) -> Battle:
    """OCS 9.1d A combat in which these units attack a hex, and all combat units there defend."""
    stacks: dict[int, tuple[str, ...]] = {}
    for name in units:
        at = state.units[name].at
        stacks[at] = (*stacks.get(at, ()), name)
    return Battle(REGULAR, side, target, stacks, state.combat_units(target))


def _odds(state: State, side: str, target: int, units: Iterable[str]) -> Say:
    """OCS 9.4-9.7 The odds of an attack whose defender is seen: both pay, both name their highest
    AR, and the defender takes the hardest of their terrain."""
    battle = _regular(state, side, target, units)
    leaders = {
        state.side(names[0]): max(names, key=lambda name: ar(state, name, target))
        for names in (battle.units, battle.defenders)
    }
    level = terrain.opposed(state, state.enemy(side), target, battle.defenders)
    against = terrain.best_choices(state, target, battle.attackers, level)
    ground = terrain.grounds(state, target)[0]
    weighed = assess(state, replace(battle, leaders=leaders, terrain=against, ground=ground))
    return say(
        "preview.ocs.odds",
        "OCS 9.7",
        attack=str(weighed.attack),
        defence=str(weighed.defence),
        drm=weighed.drm,
        odds=weighed.odds.text,
        row=f"ocs.row.{weighed.row}",
    )


# --- the sequence ---------------------------------------------------------------------------------


@frozen
class Leading:
    """The AR unit."""

    unit: str = ""


class Naming(Asking[State]):
    """OCS 9.2(3), 9.6 The attacker names his AR unit, one of those that attack: `lead UNIT`. It is
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
    """OCS 9.6 Who may be the AR unit of a side: whoever fights, the highest AR first."""
    battle = fighting(state)
    return tuple(
        sorted(
            alive(state, battle.of(side)), key=lambda name: (-ar(state, name, battle.target), name)
        )
    )


def _leaders(asked: Asked[State], order: Any) -> Iterable[str]:
    return leaders(asked.state, asked.seat)


def _why_not_leader(asked: Asked[State], order: Any, pick: Pick) -> Refusal:
    return refuse("OCS 9.6", "refusal.ocs.not_in_combat", unit=str(pick))


class Paying(Step[State]):
    """OCS 9.2(2), 9.5 A side pays for the combat, by the step that pays for everything (12). The
    attacker has to, or the attack is void; a defender who does not fights at half."""

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
        paid = any(name not in unpaid for name in fighters)
        table.emit(
            CombatPaid(side, paid, fog.hidden(state, side, how), fog.hidden(state, side, unpaid))
        )
        if self.role == ATTACKER and not paid:
            table.emit(BattleEnded(True))
            table.leave(BATTLE)


@frozen
class Defence:
    """Whether to pay, the AR unit, the own terrain, and for attacking hexes another terrain than
    the one that weakens them most."""

    pays: str = ""
    unit: str = ""
    ground: str = ""
    against: tuple[tuple[str, str], ...] = ()
    hex: str = ""


PAY, DECLINE = "pay", "decline"


class Defending(Asking[State]):
    """OCS 9.2(2-4), ruling 19 The defender's whole answer: `defend pay|decline UNIT GROUND [HEX
    TERRAIN …]`. It is asked even where he has one answer."""

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
                Slot("unit", "ocs.unit", _leaders, _why_not_leader),
                Slot("ground", "ocs.ground", self._grounds, self._why_not_ground),
                Pairs(
                    "against",
                    Slot("hex", "ocs.hex", self._hexes, self._why_not_hex),
                    Slot("choice", "ocs.ground", self._against, self._why_not_ground),
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
            strength=str(strength),
            ground=ground,
            ar=ar(state, order.unit or leaders(state, asked.seat)[0], battle.target),
            tokens=payment.charged(state, bill).cost if paid else 0,
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
    """OCS 9.2(4-7), ruling 7 Odds; surprise pair, shift die with surprise only, combat pair."""

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
        game = rules(state.charts)
        table.done()
        table.emit(
            BattleFought(
                surprise_roll,
                who,
                shift,
                column,
                roll,
                result.text,
                game.loss_factor(state, battle, battle.side),
                game.loss_factor(state, battle, enemy),
            )
        )


class Ending(Step[State]):
    """OCS 9.2 The combat is over."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """It leaves the position."""
        table.done()
        table.emit(BattleEnded(False))


STEPS: Mapping[str, Step[State]] = {
    "ocs.attacking": Attacking(),
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
    )
}
EVENTS = (
    BattleBegun,
    LeaderNamed,
    DefenceGiven,
    CombatPaid,
    BattleWeighed,
    BattleFought,
    BattleEnded,
)
TABLE = after.table()
