"""10.0 Combat: all attacks are declared, then resolved one by one in the order the attacker likes.

How attacks are named step by step stands in engine/games/chitpull/attacks.py, whose `BattleEnds`
leads to the next combat (10.2(1)); 10.1(3), 10.1(5) who may attack what is in contact.py there. The
CRT is the pack's; losses.py, retreat.py and advance.py carry on.
"""

from collections.abc import Collection, Iterable, Mapping

from attrs import frozen

from warledger.engine.games.chitpull import contact
from warledger.engine.games.chitpull.attacks import Assault, Attacks, BattleEnds
from warledger.engine.games.chitpull.harming import in_words
from warledger.engine.games.chitpull.sides import ENEMY
from warledger.engine.games.chitpull.states import OFF_MAP, active, hex_at, in_progress
from warledger.engine.games.typhoon.draw import ATTACKED
from warledger.engine.games.typhoon.odds import allowed, assess, harm
from warledger.engine.games.typhoon.state import Activation, Attack, Battle, State, changed
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import Asked, Asking, Command, Commands, Slot
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.memo import remembered
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Pick, Refusal, Say, Seat, Step, event
from warledger.protocol.board.choices import refuse, say
from warledger.protocol.board.effects import Effect, closing, mark, opening, roll, tell
from warledger.protocol.board.ranges import is_digits

# --- events ---------------------------------------------------------------------------------------


@event("declared")
class Declared:
    """10.2(1) An attack is declared."""

    target: str
    units: tuple[str, ...]


@event("cancelled")
class AttackCancelled:
    """R-20 A declared attack can no longer be made."""

    target: str


@event("fought")
class Fought:
    """10.2(3) A combat is resolved: strengths, the column before shifts ("" below the table), the
    net shift, the column used, the die."""

    target: str
    units: tuple[str, ...]
    defenders: tuple[str, ...]
    attack: int
    defence: int
    odds: str
    shift: int
    column: str
    die: int
    result: str


@event("fall_back")
class FallBack:
    """10.6 The surviving defenders must retreat this number of hexes."""

    units: tuple[str, ...]
    hexes: int


@event("battle_over")
class BattleOver:
    """10.2 A combat is over."""

    target: str


# --- what follows ---------------------------------------------------------------------------------

after = ByEvent()


def _without(state: State, target: int) -> Activation | None:
    activation = state.activation
    if activation is None:
        return None
    return replace(
        activation,
        attacks=tuple(attack for attack in activation.attacks if attack.target != target),
    )


@after(Declared)
def _declared(state: State, event: Declared) -> State:
    activation = state.activation
    if activation is None:
        return state
    attack = Attack(state.data.hex(event.target), event.units)
    return changed(state, activation=replace(activation, attacks=(*activation.attacks, attack)))


@after(AttackCancelled)
def _cancelled(state: State, event: AttackCancelled) -> State:
    return changed(state, activation=_without(state, state.data.hex(event.target)))


@after(Fought)
def _fought(state: State, event: Fought) -> State:
    """10.4(2) What the result asks for: losses of one side, a retreat of the other."""
    target = state.data.hex(event.target)
    attacker = state.data.types[event.units[0]].side
    code = event.result
    loser, losses, retreat = "", 0, 0
    if code.startswith("A"):
        loser, losses = attacker, int(code[1:])
    elif code != "-":
        retreat = code.count("R")
        if is_digits(code[0]):
            loser, losses = ENEMY[attacker], int(code[:-retreat])
    battle = Battle(target, event.units, event.defenders, loser, losses, retreat)
    return changed(state, activation=_without(state, target), battle=battle)


@after(FallBack)
def _fall_back(state: State, event: FallBack) -> State:
    if state.battle is None:
        return state
    battle = replace(state.battle, retreating=event.units, retreat=event.hexes, ground=state.field)
    return changed(state, battle=battle)


@after(BattleOver)
def _battle_over(state: State, event: BattleOver) -> State:
    return changed(state, battle=None)


# --- what clients see -----------------------------------------------------------------------------

draws = ByEvent()


@draws(Declared)
def _draw_declared(before: State, event: Declared, after: State) -> Iterable[Effect]:
    yield mark(event.target, ATTACKED, 1)
    yield tell("typhoon.declared", "10.2(1)", hex=event.target, units=event.units)


@draws(AttackCancelled)
def _draw_cancelled(before: State, event: AttackCancelled, after: State) -> Iterable[Effect]:
    yield mark(event.target, ATTACKED, 0)
    yield tell("typhoon.cancelled", "10.2(1)", hex=event.target)


@draws(Fought)
def _draw_fought(before: State, event: Fought, after: State) -> Iterable[Effect]:
    yield opening("combat", "typhoon.combat_span", hex=event.target)
    yield mark(event.target, ATTACKED, 0)
    yield tell(
        "typhoon.attack",
        "10.3",
        units=event.units,
        hex=event.target,
        defenders=event.defenders,
        attack=event.attack,
        defence=event.defence,
        odds=event.odds,
        shift=event.shift,
        column=event.column,
    )
    yield roll("combat", 6, (event.die,))
    yield tell("typhoon.result", "10.4(2)", die=event.die, result=event.result)


@draws(FallBack)
def _draw_fall_back(before: State, event: FallBack, after: State) -> Iterable[Effect]:
    yield tell("typhoon.fall_back", "10.6", units=event.units, n=event.hexes)


@draws(BattleOver)
def _draw_battle_over(before: State, event: BattleOver, after: State) -> Iterable[Effect]:
    yield closing("combat")


# --- 10.1, 10.2 declaration -----------------------------------------------------------------------


def engaged(activation: Activation) -> frozenset[str]:
    """10.1(1) Units that are part of a declared attack."""
    return frozenset(name for attack in activation.attacks for name in attack.units)


def attacked(activation: Activation) -> tuple[int, ...]:
    """10.1(3) Hexes that a declared attack is made on."""
    return tuple(attack.target for attack in activation.attacks)


@remembered(
    of=lambda state, activation: state.field,
    by=lambda state, activation: (activation.side, activation.units, activation.halved),
)
def _in_contact(state: State, activation: Activation) -> Mapping[int, tuple[str, ...]]:
    """10.0, 10.1(2), 10.1(5) Every hex next to activated units with those of them that may attack
    it, whatever has been declared: each attack that is declared changes only a part of this."""
    barred = frozenset() if state.option("reserve_out_of_range_may_attack") else activation.halved
    units = state.units
    free = [
        (name, units[name].at)
        for name in activation.units
        if units[name].at != OFF_MAP and name not in barred
    ]
    return contact.attackable(state.data.board, state.field.zones(ENEMY[activation.side]), free)


@remembered(
    of=lambda state, activation: state.field,
    by=lambda state, activation: (
        activation.side,
        activation.units,
        activation.attacks,
        activation.halved,
    ),
)
def attackable(state: State, activation: Activation) -> Mapping[int, tuple[str, ...]]:
    """10.0, 10.1 Every hex that may still be attacked, with the activated units next to it that are
    free: 10.1(1) one attack each, 10.1(2) activated ones only, 10.1(3) each hex once, 10.1(5) not
    across impassable hexsides."""
    near = _in_contact(state, activation)
    if not activation.attacks:
        return near
    busy, targets = engaged(activation), attacked(activation)
    found = {}
    for target, names in near.items():
        if target not in targets:
            free = tuple([name for name in names if name not in busy])
            if free:
                found[target] = free
    return found


class Declaration(Attacks[State]):
    """5.0(4), 10.2(1) The active player declares the attacks; 10.1 attacking is optional."""

    verb_slot = "typhoon.verb"
    target_slot = "typhoon.target"
    attacker_slot = "typhoon.attacker"
    prompt = say("prompt.typhoon.combat", "10.2(1)")

    def attackable(self, state: State) -> Mapping[int, tuple[str, ...]]:
        """10.0, 10.1 Who may still attack what."""
        return attackable(state, active(state))

    def enough(self, state: State, side: str, attackers: Collection[str], target: int) -> bool:
        """10.3(4) Whether the attack is not below 1-1."""
        return allowed(state, side, attackers, target)

    def attack(
        self, table: Table[State], side: str, target: str, attackers: tuple[str, ...]
    ) -> None:
        """10.2(1) One attack is declared; 10.1(3) from several hexes if the attacker likes."""
        table.emit(Declared(target, attackers))

    def forecast(
        self, state: State, side: str, attackers: tuple[str, ...], target: int
    ) -> tuple[Say, ...]:
        """10.3, 10.4(2) An attack in words: strengths, column and shift, and the chance of each
        result in cases of the die."""
        data = state.data
        names = data.ladder.names
        found = assess(state, side, attackers, target)
        said = [
            say("typhoon.preview.strengths", "10.3(1)", attack=found.attack, defence=found.defence),
            say(
                "typhoon.preview.ratio",
                "10.3(2)",
                odds=names[found.start] if found.start >= 0 else "",
                shift=found.shift,
            ),
        ]
        if found.column is None:
            return (*said, say("typhoon.preview.too_weak", "10.3(4)"))
        chances, cases = data.crt.chances(found.column)
        return (
            *said,
            say("typhoon.preview.column", "10.3(3)", column=names[found.column]),
            *(
                say(
                    "typhoon.preview.chance",
                    "10.4(2)",
                    harm=in_words(harm, result),
                    result=result,
                    n=n,
                    of=cases,
                )
                for result, n in chances
            ),
        )

    def no_verb(self, asked: Asked[State], verb: Pick) -> Refusal:
        """10.2(1) Nothing else is done now."""
        return refuse("10.2(1)", "refusal.typhoon.verb", pick=str(verb))

    def why_not_target(self, asked: Asked[State], order: Assault, pick: Pick) -> Refusal:
        """10.0 Only a hex with enemy units next to an activated unit that is free, and 10.1(3) each
        hex once."""
        state, name = asked.state, str(pick)
        activation = active(state)
        i = hex_at(state, pick)
        if i == OFF_MAP:
            return refuse("2.1(1)5", "refusal.typhoon.no_such_hex", hex=name)
        if not state.enemies_in(asked.seat, i):
            return refuse("10.0", "refusal.typhoon.attack_nobody", hex=name)
        if i in attacked(activation):
            return refuse("10.1(3)", "refusal.typhoon.attacked_already", hex=name)
        near = attackable(state, activation)
        if i in near:
            return self.too_weak(state, asked.seat, near[i], i)
        return refuse("10.1(2)", "refusal.typhoon.nobody_attacks", hex=name)

    def why_not_attacker(self, asked: Asked[State], order: Assault, pick: Pick) -> Refusal:
        """10.1(2) Only activated units; 10.1(1) one attack each."""
        state, name = asked.state, str(pick)
        activation, type_ = active(state), state.data.types.get(name)
        if hex_at(state, pick) != OFF_MAP:
            return refuse("10.1(2)", "refusal.typhoon.none_to_attack", hex=name)
        if type_ is None or type_.side != asked.seat:
            return refuse("10.1(2)", "refusal.typhoon.not_yours", unit=name)
        if name not in activation.units:
            return refuse("10.1(2)", "refusal.typhoon.not_activated", unit=name)
        if name in engaged(activation):
            return refuse("10.1(1)", "refusal.typhoon.has_attacked", unit=name)
        if name in activation.halved and not state.option("reserve_out_of_range_may_attack"):
            return refuse("15.1(2)", "refusal.typhoon.reserve_attack", unit=name)
        side = contact.hexside(state.data.board, state.at(name), hex_at(state, order.hex))
        if side < 0:
            return refuse("10.0", "refusal.typhoon.not_adjacent", unit=name, hex=order.hex)
        if state.data.board.sides.impassable[side]:
            return refuse("10.1(5)", "refusal.typhoon.attack_impassable", unit=name, hex=order.hex)
        return refuse("10.1(1)", "refusal.typhoon.picked_already", unit=name)

    def too_weak(self, state: State, side: str, attackers: tuple[str, ...], target: int) -> Refusal:
        """10.3(4) The attackers do not reach 1-1."""
        found = assess(state, side, attackers, target)
        return refuse(
            "10.3(4)",
            "refusal.typhoon.too_weak",
            hex=state.data.name(target),
            attack=found.attack,
            defence=found.defence,
            shift=found.shift,
        )


# --- 10.2, 10.4 resolution ------------------------------------------------------------------------


@frozen
class Resolving:
    """The declared attack that is resolved next, by its hex."""

    hex: str = ""


class Resolution(Asking[State]):
    """10.2(1) The declared attacks are resolved one by one, in the order the attacker likes; the
    last goes by itself."""

    verb_slot = "typhoon.verb"

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The attacker, while two or more are left."""
        activation = at.state.activation
        if activation is None or len(activation.attacks) < 2:
            return {}
        return {activation.side: Decision(say("prompt.typhoon.resolve", "10.2(1)"))}

    def commands(self) -> Commands[State]:
        """10.2(1) One of them."""
        return (
            Command(
                "resolve",
                Resolving,
                Slot("hex", "typhoon.target", self._declared, self._why_not),
                apply=lambda table, asked, order: self._fight(
                    table, asked.state.data.hex(order.hex)
                ),
                beyond=self._why_not,
            ),
        )

    def _declared(self, asked: Asked[State], order: Resolving) -> tuple[str, ...]:
        return asked.state.data.board.grid.names(attacked(active(asked.state)))

    def _why_not(self, asked: Asked[State], order: Resolving, pick: Pick) -> Refusal:
        """10.2(1) Only a declared attack."""
        return refuse("10.2(1)", "refusal.typhoon.not_declared", hex=str(pick))

    def no_verb(self, asked: Asked[State], verb: Pick) -> Refusal:
        """10.2(1) Nothing else is done now."""
        return refuse("10.2(1)", "refusal.typhoon.verb", pick=str(verb))

    def advance(self, table: Table[State], frame: Frame) -> None:
        """The last one, or on to the end of the combat segment."""
        activation = table.state.activation
        if activation is not None and activation.attacks:
            self._fight(table, activation.attacks[0].target)
        else:
            table.done()

    def _fight(self, table: Table[State], target: int) -> None:
        """10.2(2), 10.2(3), 10.4(1) Strengths as they are now, one die, the result. R-20 What has
        become illegal is cancelled."""
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


class GiveWay(Step[State]):
    """10.4(2)3-10.4(2)5 After losses the surviving defenders retreat 1 hex (R) or 2 (RR)."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """10.6, R-25 The direction of the whole retreat is judged by the positions of this
        moment."""
        _, battle = in_progress(table.state)
        table.done()
        left = tuple(name for name in battle.defenders if table.state.at(name) != OFF_MAP)
        if battle.retreat and left:
            table.emit(FallBack(left, battle.retreat))


STEPS: Mapping[str, Step[State]] = {
    "declaration": Declaration(),
    "resolution": Resolution(),
    "give_way": GiveWay(),
    "battle_ends": BattleEnds(BattleOver),  # 10.2(1)
}
