"""10.0 Combat: all attacks are declared, then resolved one by one in the order the attacker likes; losses.

A command is ("attack", hex, unit, unit …), the attackers in any order, whole as soon as the ratio suffices; ("done",) ends the declaration.
Then ("resolve", hex) while several are left. The CRT is the pack's; retreat.py and advance.py carry on. How attacks are named and losses
divided step by step stands in engine/games/chitpull/attacks.py and losses.py.
"""

from collections.abc import Mapping

from engine.games.chitpull import fronts
from engine.games.chitpull.attacks import Attacking, Unfit
from engine.games.chitpull.losses import Losing, Misdealt, Owed
from engine.games.chitpull.sides import ENEMY
from engine.games.chitpull.standing import OFF_MAP, in_progress
from engine.games.typhoon.events import (
    AttackCancelled,
    Declared,
    Eliminated,
    FallBack,
    Fought,
    LossesTaken,
    Reduced,
)
from engine.games.typhoon.headquarters import home_of
from engine.games.typhoon.odds import allowed, assess
from engine.games.typhoon.state import Activation, State
from engine.kernel.position import Frame, Position
from engine.kernel.table import Table
from engine.kernel.types import Choices, Decision, Picks, Refusal, Say, Seat, Step
from protocol.choices import WHOLE, offer, refuse, say

# --- 10.1, 10.2 declaration -------------------------------------------------------------------------------------------------


def engaged(activation: Activation) -> frozenset[str]:
    """10.1(1) Units that are part of a declared attack."""
    return frozenset(name for attack in activation.attacks for name in attack.units)


def attacked(activation: Activation) -> tuple[int, ...]:
    """10.1(3) Hexes that a declared attack is made on."""
    return tuple(attack.target for attack in activation.attacks)


def front(state: State, activation: Activation) -> Mapping[int, tuple[str, ...]]:
    """10.0, 10.1 Every hex that may still be attacked, with the activated units next to it that are free: 10.1(1) one attack each,
    10.1(2) activated ones only, 10.1(3) each hex once, 10.1(5) not across impassable hexsides."""
    key = ("front", activation.side, activation.units, activation.attacks, activation.halved)
    memo = state.field.memo
    found = memo.get(key)
    if found is None:
        busy = engaged(activation)
        barred = frozenset() if state.option("reserve_out_of_range_may_attack") else activation.halved
        free = [
            (name, state.at(name)) for name in activation.units if state.at(name) != OFF_MAP and name not in busy and name not in barred
        ]
        found = memo[key] = fronts.front(state.data.board, state.field.zones(ENEMY[activation.side]), free, attacked(activation))
    return found


def forecast(state: State, side: str, attackers: tuple[str, ...], target: int) -> tuple[Say, ...]:
    """10.3, 10.4(2) An attack in words: strengths, column and shift, and the chance of each result in cases of the die."""
    data = state.data
    names = data.ladder.names
    found = assess(state, side, attackers, target)
    said = [
        say("typhoon.preview.strengths", "10.3(1)", attack=found.attack, defence=found.defence),
        say("typhoon.preview.ratio", "10.3(2)", odds=names[found.start] if found.start >= 0 else "", shift=found.shift),
    ]
    if found.column is None:
        return (*said, say("typhoon.preview.too_weak", "10.3(4)"))
    chances, cases = data.crt.chances(found.column)
    return (
        *said,
        say("typhoon.preview.column", "10.3(3)", column=names[found.column]),
        *(say("typhoon.preview.chance", "10.4(2)", result=result, n=n, of=cases) for result, n in chances),
    )


def _why_not(state: State, why: Unfit, picks: Picks) -> Refusal:
    """The clause against the last pick."""
    activation, pick = state.activation, str(picks[-1])
    if activation is None or why is Unfit.VERB:
        return refuse("10.2(1)", "refusal.typhoon.verb", pick=pick)
    if why is Unfit.TOO_WEAK:
        return _too_weak(state, activation, picks)
    return _why_not_target(why, pick) if len(picks) == 2 else _why_not_attacker(state, activation, why, picks)


def _too_weak(state: State, activation: Activation, picks: Picks) -> Refusal:
    """10.3(4) The attackers named, or all there are while none is named, do not reach 1-1."""
    name = str(picks[1])
    i = state.data.hex(name)
    found = assess(state, activation.side, tuple(str(pick) for pick in picks[2:]) or front(state, activation)[i], i)
    return refuse("10.3(4)", "refusal.typhoon.too_weak", hex=name, attack=found.attack, defence=found.defence, shift=found.shift)


def _why_not_target(why: Unfit, name: str) -> Refusal:
    if why is Unfit.NO_HEX:
        return refuse("2.1(1)5", "refusal.typhoon.no_such_hex", hex=name)
    if why is Unfit.NOBODY:
        return refuse("10.0", "refusal.typhoon.attack_nobody", hex=name)
    if why is Unfit.ATTACKED:
        return refuse("10.1(3)", "refusal.typhoon.attacked_already", hex=name)
    return refuse("10.1(2)", "refusal.typhoon.nobody_attacks", hex=name)


def _why_not_attacker(state: State, activation: Activation, why: Unfit, picks: Picks) -> Refusal:
    target, name = str(picks[1]), str(picks[-1])
    if why is Unfit.NOT_YOURS:
        return refuse("10.1(2)", "refusal.typhoon.not_yours", unit=name)
    if why is Unfit.NOT_ACTIVATED:
        return refuse("10.1(2)", "refusal.typhoon.not_activated", unit=name)
    if why is Unfit.BUSY:
        return refuse("10.1(1)", "refusal.typhoon.has_attacked", unit=name)
    if name in activation.halved and not state.option("reserve_out_of_range_may_attack"):
        return refuse("15.1(2)", "refusal.typhoon.reserve_attack", unit=name)
    if why is Unfit.APART:
        return refuse("10.0", "refusal.typhoon.not_adjacent", unit=name, hex=target)
    if why is Unfit.IMPASSABLE:
        return refuse("10.1(5)", "refusal.typhoon.attack_impassable", unit=name, hex=target)
    return refuse("10.1(1)", "refusal.typhoon.picked_already", unit=name)


def _declare(table: Table[State], side: str, target: str, attackers: tuple[str, ...]) -> None:
    """10.2(1) One attack is declared; 10.1(3) from several hexes if the attacker likes."""
    table.emit(Declared(target, attackers))


DECLARATION = Attacking[State](
    front=front,
    enough=allowed,
    forecast=forecast,
    busy=engaged,
    attacked=attacked,
    prompt=say("prompt.typhoon.combat", "10.2(1)"),
    verbs=offer("typhoon.verb", ("attack", "done")),
    target_slot="typhoon.target",
    attacker_slot="typhoon.attacker",
    against=_why_not,
    carry_out=_declare,
)
"""5.0(4), 10.2(1) The active player declares his attacks; 10.1 attacking is optional."""


# --- 10.2, 10.4 resolution --------------------------------------------------------------------------------------------------


class Resolution(Step[State]):
    """10.2(1) The declared attacks are resolved one by one, in the order the attacker likes; the last goes by itself."""

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The attacker, while two or more are left."""
        activation = at.state.activation
        if activation is None or len(activation.attacks) < 2:
            return {}
        return {activation.side: Decision(say("prompt.typhoon.resolve", "10.2(1)"))}

    def choices(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        """The target of one of them."""
        if not picks:
            return offer("typhoon.verb", ("resolve",))
        activation = at.state.activation
        assert activation is not None
        if len(picks) == 1:
            return offer("typhoon.target", (at.state.data.name(attack.target) for attack in activation.attacks))
        return WHOLE

    def refusal(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Refusal:
        """Only a declared attack."""
        if len(picks) == 1:
            return refuse("10.2(1)", "refusal.typhoon.verb", pick=str(picks[-1]))
        return refuse("10.2(1)", "refusal.typhoon.not_declared", hex=str(picks[-1]))

    def decide(self, table: Table[State], frame: Frame, seat: Seat, picks: Picks) -> None:
        """Fight it."""
        self._fight(table, table.state.data.hex(str(picks[1])))

    def advance(self, table: Table[State], frame: Frame) -> None:
        """The last one, or on to the end of the combat segment."""
        activation = table.state.activation
        if activation is not None and activation.attacks:
            self._fight(table, activation.attacks[0].target)
        else:
            table.done()

    def _fight(self, table: Table[State], target: int) -> None:
        """10.2(2), 10.2(3), 10.4(1) Strengths as they are now, one die, the result. R-20 What has become illegal is cancelled."""
        state = table.state
        activation = state.activation
        assert activation is not None
        data = state.data
        attack = next(attack for attack in activation.attacks if attack.target == target)
        units = tuple(name for name in attack.units if state.at(name) != OFF_MAP)
        defenders = state.enemies_in(activation.side, target)
        found = assess(state, activation.side, units, target) if units and defenders else None
        if found is None or found.column is None:
            table.emit(AttackCancelled(data.name(target)))
            return
        die = table.roll(data.crt.faces, "combat")
        names = data.ladder.names
        table.emit(
            Fought(
                data.name(target),
                units,
                defenders,
                found.attack,
                found.defence,
                names[found.start] if found.start >= 0 else "",
                found.shift,
                names[found.column],
                die,
                data.crt.result(found.column, die),
            )
        )
        table.call("battle")


# --- 10.5 losses ------------------------------------------------------------------------------------------------------------


def lose_step(table: Table[State], name: str, why: str) -> bool:
    """10.5(1) One step: a full unit is flipped; one that is reduced or has no reduced face is removed (R-05). Whether it is still there."""
    if table.state.steps(name) > 1:
        table.emit(Reduced(name, why))
        return True
    table.emit(Eliminated(name, why, home_of(table.state, name, why)))
    return False


def owed(state: State) -> Owed:
    """10.5(2), R-24 Who bears the losses now, with the steps each has: attackers of this combat (10.4(2)1) or its defenders (10.4(2)5)."""
    activation, battle = in_progress(state)
    names = battle.attackers if battle.loser == activation.side else battle.defenders
    return Owed(battle.loser, battle.losses, {name: state.steps(name) for name in names if state.at(name) != OFF_MAP})


def take(table: Table[State], owed: Owed, shares: Mapping[str, int]) -> None:
    """10.5(1) Each unit loses the steps that fall to it."""
    table.emit(LossesTaken(owed.side, tuple(name for name, points in shares.items() for _ in range(points))))
    for name, points in shares.items():
        if points >= table.state.steps(name):
            table.emit(Eliminated(name, "losses", home_of(table.state, name, "losses")))
        else:
            lose_step(table, name, "losses")


def _why_not_share(state: State, why: Misdealt, points: int, pick: str) -> Refusal:
    """10.5(2) Only units in this combat, each as often as it has steps, and exactly so many."""
    if why is Misdealt.VERB:
        return refuse("10.5(2)", "refusal.typhoon.verb", pick=pick)
    if why is Misdealt.DIVIDED:
        return refuse("10.5(2)", "refusal.typhoon.losses_divided", n=points)
    if why is Misdealt.USED_UP:
        return refuse("10.5(1)", "refusal.typhoon.no_step_left", unit=pick)
    return refuse("10.5(2)", "refusal.typhoon.not_in_combat", unit=pick)


LOSING = Losing[State](
    owed=owed,
    prompt=lambda points: say("prompt.typhoon.losses", "10.5(2)", n=points),
    verbs=offer("typhoon.verb", ("lose",)),
    slot="typhoon.loss",
    against=_why_not_share,
    take=take,
)
"""10.5 One side takes its losses, before any retreat (R-24)."""


class GiveWay(Step[State]):
    """10.4(2)3-10.4(2)5 After losses the surviving defenders retreat 1 hex (R) or 2 (RR)."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """10.6, R-25 The direction of the whole retreat is judged by the positions of this moment."""
        _, battle = in_progress(table.state)
        table.done()
        left = tuple(name for name in battle.defenders if table.state.at(name) != OFF_MAP)
        if battle.retreat and left:
            table.emit(FallBack(left, battle.retreat))
