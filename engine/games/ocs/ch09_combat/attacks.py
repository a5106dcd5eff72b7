"""OCS 9.1, 9.5: which units may attack which hexes, and what a combat costs both sides.

OCS 9.1a The side that moves attacks. OCS 9.1c In a Combat segment each unit attacks once and each
hex is attacked once, from any number of hexes.
"""

from collections.abc import Iterable

from warledger.engine.board import hexsets
from warledger.engine.games.ocs.ch04_concepts import stacking
from warledger.engine.games.ocs.ch04_concepts.concepts import attack_capable, steps
from warledger.engine.games.ocs.ch06_movement import movement_range
from warledger.engine.games.ocs.ch12_supply import payment_means
from warledger.engine.games.ocs.ch12_supply.bill import ATTACK, DEFENCE, INDEPENDENTS, Bill
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.state import EXPLOIT, State
from warledger.engine.kernel.memo import remembered
from warledger.engine.kernel.types import Refusal
from warledger.protocol.board.choices import refuse

EMPTY = "empty"
"""OCS 21.8 The row of an attack on a hex without enemy combat units (`Battle.row`)."""

EMPTIES = "attack_empties"
"""OCS 21.8 The option by which units attack empty hexes to enter them."""

ALONE = 2
"""OCS 21.3 How many times its cost they pay for an attack without a divisional unit."""

EXPLOITATION_COMBAT = "g3"
"""OCS 2.3 The Combat segment of the Exploitation Phase."""


# --- who may attack what --------------------------------------------------------------------------


def free(state: State, name: str, purpose: str) -> bool:
    """OCS 9.5 Whether a unit fights without combat supply by the game's rules."""
    return rules(state.charts).cost_factor(state, state.side(name), name, purpose) == 0


def why_not(state: State, name: str, target: int) -> Refusal | None:
    """OCS 9.1, 4.4a, 11.0, R-06 Why a unit may not attack a hex in this Combat segment; None
    if it may."""
    unit, counter = state.units[name], state.counter(name)
    side, board = counter.side, state.charts.board
    if side != state.phasing:
        return refuse("OCS 9.1a", "refusal.ocs.not_phasing", unit=name)
    if not attack_capable(counter, unit):
        return refuse("OCS 4.4a", "refusal.ocs.cannot_attack", unit=name)
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
    if hexsets.has(rules(state.charts).attack_barred(state, name), target):
        return False
    if not state.charts.scenario.play >> target & 1:
        return False
    return movement_range.ground(state, name).step(state.units[name].at, target) is not None


def targets(state: State) -> tuple[int, ...]:
    """OCS 9.1c Hexes with enemy combat units next to the phasing side's, not attacked yet in this
    segment: all that everybody sees."""
    side = state.phasing
    near = hexsets.widened(state.field.combat[side], state.charts.board.near)
    enemy = state.field.combat[state.enemy(side)]
    return hexsets.listed(enemy & near & ~state.phase_use.attacked)


def empties(state: State) -> tuple[int, ...]:
    """OCS 21.8 Hexes in play without combat units next to the phasing side's, not attacked yet in
    this segment: all that everybody sees. None without the option."""
    if not state.charts.options.get(EMPTIES):
        return ()
    combat = state.field.combat
    near = hexsets.widened(combat[state.phasing], state.charts.board.near)
    for held in combat.values():
        near &= ~held
    return hexsets.listed(near & state.charts.scenario.play & ~state.phase_use.attacked)


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
    """OCS 9.5, 12.4 1T a step of the attacking units, except those that the game lets fight without
    supply. OCS 21.3 By the option independent units alone pay twice that, and independent units use
    no internal stocks."""
    everyone = tuple(names)
    payers = tuple(name for name in everyone if not free(state, name, ATTACK))
    each = state.charts.tables.combat_supply["attacker_t_per_step"]
    alone = by_themselves(state, everyone)
    if alone:
        each *= ALONE
    shares = tuple(each * steps(state.counter(name), state.units[name]) for name in payers)
    side = state.side(everyone[0])
    return Bill(side, ATTACK, payers, sum(shares), shares=shares, stocks=not alone, target=target)


def divisional(state: State, names: Iterable[str]) -> tuple[str, ...]:
    """OCS 21.3 Those of these units that are part of a formation or multi-step (3.2f)."""
    return tuple(name for name in names if not state.independent(name))


def by_themselves(state: State, names: Iterable[str]) -> bool:
    """OCS 21.3 Whether these attack without a divisional unit, where the option requires one."""
    return bool(state.charts.options.get(INDEPENDENTS)) and not divisional(state, names)


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
    return payment_means.payable(
        state,
        bill.side,
        bill.payers,
        bill.cost,
        stocks=bill.stocks,
        shares=bill.shares,
        purpose=bill.purpose,
        target=bill.target,
    )


@remembered()
def payers(state: State, target: int, names: tuple[str, ...] = ()) -> tuple[str, ...]:
    """OCS 9.1, 9.5 Units that may attack a hex with these, with supply for all of them."""
    return tuple(
        name
        for name in attackers(state, target)
        if name not in names and can_pay(state, attack_bill(state, (*names, name), target))
    )
