"""10.0 Combat: all attacks are declared, then resolved one by one in the order the attacker likes; losses.

A command is ("attack", hex, unit, unit …), the attackers in any order, whole as soon as the ratio suffices; ("done",) ends the declaration.
Then ("resolve", hex) while several are left. The CRT is the pack's; retreat.py and advance.py carry on.
"""

from collections.abc import Mapping

from engine.games.chitpull import fronts
from engine.games.chitpull.offers import LazyChoices
from engine.games.chitpull.sides import ENEMY
from engine.games.chitpull.standing import OFF_MAP
from engine.games.typhoon.events import (
    AttackCancelled,
    BattleOver,
    Declared,
    Eliminated,
    FallBack,
    Fought,
    LossesTaken,
    Reduced,
)
from engine.games.typhoon.headquarters import home_of
from engine.games.typhoon.odds import allowed, assess
from engine.games.typhoon.state import Activation, Battle, State
from engine.kernel.position import Frame, Position
from engine.kernel.table import Table
from engine.kernel.types import Choices, Decision, Pick, Picks, Refusal, Say, Seat, Step
from protocol.choices import WHOLE, offer, refuse, say


def in_progress(state: State) -> tuple[Activation, Battle]:
    """The activation and the combat in progress."""
    assert state.activation is not None and state.battle is not None, "no combat is in progress"
    return state.activation, state.battle


# --- 10.1, 10.2 declaration -------------------------------------------------------------------------------------------------


def engaged(activation: Activation) -> frozenset[str]:
    """10.1(1) Units that are part of a declared attack."""
    return frozenset(name for attack in activation.attacks for name in attack.units)


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
        targets = [attack.target for attack in activation.attacks]
        found = memo[key] = fronts.front(state.data.board, state.field.zones(ENEMY[activation.side]), free, targets)
    return found


class Declaration(Step[State]):
    """5.0(4), 10.2(1) The active player declares his attacks; 10.1 attacking is optional."""

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The active player, while any attack is possible."""
        state = at.state
        activation = state.activation
        if activation is None:
            return {}
        if any(allowed(state, activation.side, units, target) for target, units in front(state, activation).items()):
            return {activation.side: Decision(say("prompt.typhoon.combat", "10.2(1)"))}
        return {}

    def choices(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        """A target that all who may attack it together can attack, then attackers; 10.1(3) from several hexes if they like."""
        if not picks:
            return offer("typhoon.verb", ("attack", "done"))
        if picks[0] == "done":
            return WHOLE
        state = at.state
        activation = state.activation
        assert activation is not None
        near = front(state, activation)
        index, ids = state.data.board.grid.index, state.data.board.grid.ids
        if len(picks) == 1:

            def every() -> tuple[Pick, ...]:
                return tuple(ids[i] for i, units in near.items() if allowed(state, seat, units, i))

            def has(pick: Pick) -> bool:
                i = index.get(str(pick), OFF_MAP)
                return i in near and allowed(state, seat, near[i], i)

            return LazyChoices("typhoon.target", every, has)
        target = index[str(picks[1])]
        chosen = tuple(str(name) for name in picks[2:])
        whole = bool(chosen) and allowed(state, seat, chosen, target)
        return offer("typhoon.attacker", (name for name in near[target] if name not in chosen), complete=whole)

    def refusal(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Refusal:
        """The clause against the last pick."""
        return _why_not(at.state, picks)

    def preview(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> tuple[Say, ...]:
        """10.3, 10.4 Strengths, shifts, column and the chance of each result; before attackers are picked, with all who may attack."""
        state = at.state
        activation = state.activation
        if activation is None or len(picks) < 2 or picks[0] != "attack":
            return ()
        target = state.data.hex(str(picks[1]))
        attackers = tuple(str(name) for name in picks[2:]) or front(state, activation).get(target, ())
        return forecast(state, seat, attackers, target) if attackers else ()

    def decide(self, table: Table[State], frame: Frame, seat: Seat, picks: Picks) -> None:
        """Declare one attack, or be done."""
        if picks[0] == "done":
            table.done()
        else:
            table.emit(Declared(str(picks[1]), tuple(sorted(str(name) for name in picks[2:]))))

    def advance(self, table: Table[State], frame: Frame) -> None:
        """No attack is possible any more."""
        table.done()


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


def _why_not(state: State, picks: Picks) -> Refusal:
    activation = state.activation
    pick = str(picks[-1])
    if activation is None or len(picks) == 1 or picks[0] != "attack":
        return refuse("10.2(1)", "refusal.typhoon.verb", pick=pick)
    return _why_not_target(state, activation, pick) if len(picks) == 2 else _why_not_attacker(state, activation, str(picks[1]), pick)


def _why_not_target(state: State, activation: Activation, name: str) -> Refusal:
    i = state.data.board.grid.index.get(name, OFF_MAP)
    if i == OFF_MAP:
        return refuse("2.1(1)5", "refusal.typhoon.no_such_hex", hex=name)
    if not state.enemies_in(activation.side, i):
        return refuse("10.0", "refusal.typhoon.attack_nobody", hex=name)
    if any(attack.target == i for attack in activation.attacks):
        return refuse("10.1(3)", "refusal.typhoon.attacked_already", hex=name)
    units = front(state, activation).get(i, ())
    if not units:
        return refuse("10.1(2)", "refusal.typhoon.nobody_attacks", hex=name)
    found = assess(state, activation.side, units, i)
    return refuse("10.3(4)", "refusal.typhoon.too_weak", hex=name, attack=found.attack, defence=found.defence, shift=found.shift)


def _why_not_attacker(state: State, activation: Activation, target: str, name: str) -> Refusal:
    type_ = state.data.types.get(name)
    if type_ is None or type_.side != activation.side:
        return refuse("10.1(2)", "refusal.typhoon.not_yours", unit=name)
    if name not in activation.units:
        return refuse("10.1(2)", "refusal.typhoon.not_activated", unit=name)
    if name in engaged(activation):
        return refuse("10.1(1)", "refusal.typhoon.has_attacked", unit=name)
    if name in activation.halved and not state.option("reserve_out_of_range_may_attack"):
        return refuse("15.1(2)", "refusal.typhoon.reserve_attack", unit=name)
    grid = state.data.board.grid
    at = state.at(name)
    direction = grid.direction(at, grid.index[target]) if at != OFF_MAP else -1
    if direction < 0:
        return refuse("10.0", "refusal.typhoon.not_adjacent", unit=name, hex=target)
    if state.data.board.sides.impassable[at * 6 + direction]:
        return refuse("10.1(5)", "refusal.typhoon.attack_impassable", unit=name, hex=target)
    return refuse("10.1(1)", "refusal.typhoon.picked_already", unit=name)


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


def faces(state: State) -> dict[str, int]:
    """10.5(2), R-24 Who bears the losses now, with the steps each has: attackers of this combat (10.4(2)1) or its defenders (10.4(2)5)."""
    activation, battle = in_progress(state)
    names = battle.attackers if battle.loser == activation.side else battle.defenders
    return {name: state.steps(name) for name in names if state.at(name) != OFF_MAP}


class Losses(Step[State]):
    """10.5 One side takes its losses, before any retreat (R-24). A command names a unit for each step: ("lose", unit, unit …)."""

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The owner, where there is a choice."""
        _, battle = in_progress(at.state)
        if fronts.forced_shares(faces(at.state), battle.losses) is not None:
            return {}
        return {battle.loser: Decision(say("prompt.typhoon.losses", "10.5(2)", n=battle.losses))}

    def choices(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        """Units that can still lose a step, until all are divided; two of one unit if he likes."""
        if not picks:
            return offer("typhoon.verb", ("lose",))
        _, battle = in_progress(at.state)
        if len(picks) > battle.losses:
            return WHOLE
        return offer("typhoon.loss", fronts.bearers(faces(at.state), picks[1:]))

    def refusal(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Refusal:
        """10.5(2) Only units in this combat, each as often as it has steps, and exactly so many."""
        pick = str(picks[-1])
        if len(picks) == 1:
            return refuse("10.5(2)", "refusal.typhoon.verb", pick=pick)
        _, battle = in_progress(at.state)
        if len(picks) > battle.losses + 1:
            return refuse("10.5(2)", "refusal.typhoon.losses_divided", n=battle.losses)
        if pick in faces(at.state):
            return refuse("10.5(1)", "refusal.typhoon.no_step_left", unit=pick)
        return refuse("10.5(2)", "refusal.typhoon.not_in_combat", unit=pick)

    def decide(self, table: Table[State], frame: Frame, seat: Seat, picks: Picks) -> None:
        """Take the losses as divided."""
        self._take(table, {str(name): picks[1:].count(name) for name in picks[1:]})

    def advance(self, table: Table[State], frame: Frame) -> None:
        """No losses, or only one way to take them; if they exceed the steps everything is removed (R-24)."""
        _, battle = in_progress(table.state)
        self._take(table, fronts.forced_shares(faces(table.state), battle.losses) or {})

    def _take(self, table: Table[State], shares: Mapping[str, int]) -> None:
        _, battle = in_progress(table.state)
        table.done()
        if not shares:
            return
        names = sorted(shares)
        table.emit(LossesTaken(battle.loser, tuple(name for name in names for _ in range(shares[name]))))
        for name in names:
            if shares[name] >= table.state.steps(name):
                table.emit(Eliminated(name, "losses", home_of(table.state, name, "losses")))
            else:
                lose_step(table, name, "losses")


class GiveWay(Step[State]):
    """10.4(2)3-10.4(2)5 After losses the surviving defenders retreat 1 hex (R) or 2 (RR)."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """10.6, R-25 The direction of the whole retreat is judged by the positions of this moment."""
        _, battle = in_progress(table.state)
        table.done()
        left = tuple(name for name in battle.defenders if table.state.at(name) != OFF_MAP)
        if battle.retreat and left:
            table.emit(FallBack(left, battle.retreat))


class BattleEnds(Step[State]):
    """10.2(1) The combat is over; the next may follow."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Close it."""
        _, battle = in_progress(table.state)
        table.done()
        table.emit(BattleOver(table.state.data.name(battle.target)))
