"""9.0 Combat: attacks one by one in the order that the active side likes, 9.2, each carried through
before the next.

How attacks are named step by step stands in engine/games/chitpull/attacks.py: 9.1.2 none need be;
9.1.4, 9.1.6 who may attack what is found in contact.py there.
"""

from collections.abc import Collection, Iterable, Mapping

from warledger.engine.board.odds import odds_name
from warledger.engine.games.chitpull import contact
from warledger.engine.games.chitpull.attacks import Assault, Attacks, BattleEnds
from warledger.engine.games.chitpull.harming import in_words
from warledger.engine.games.chitpull.sides import ENEMY
from warledger.engine.games.chitpull.states import OFF_MAP, active, hex_at
from warledger.engine.games.victory_lost.advance import Advanced
from warledger.engine.games.victory_lost.odds import (
    allowed,
    assess,
    attack_strength,
    defence_strength,
    harm,
    meaning,
    walks_in,
)
from warledger.engine.games.victory_lost.retreat import Retreated
from warledger.engine.games.victory_lost.state import (
    Activation,
    Battle,
    State,
    changed,
    with_battle,
)
from warledger.engine.games.victory_lost.victory import enter_cities
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import Asked
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.memo import remembered
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Pick, Refusal, Say, Step, event
from warledger.protocol.board.choices import refuse, say
from warledger.protocol.board.effects import Effect, closing, opening, roll, tell

# --- events ---------------------------------------------------------------------------------------


@event("attack")
class AttackDeclared:
    """9.2 Units attack a hex: total strengths after halving (9.3.1), places on the results table's
    ladder (9.3.2-9.3.5).

    `start` is the ratio's place before terrain, open above the last column. `shift` is what terrain
    moves it (to the left below 0); `column` the index of the column that is used.
    """

    hex: str
    attackers: tuple[str, ...]
    defenders: tuple[str, ...]
    attack: int
    defence: int
    start: int
    shift: int
    column: int


@event("result")
class AttackResolved:
    """9.4.1 The die is rolled and the result read from the table."""

    die: int
    result: str
    attacker_losses: int
    defender_losses: int
    retreat: int


@event("battle_over")
class BattleOver:
    """9.2 The attack is over."""

    hex: str


# --- what follows ---------------------------------------------------------------------------------

after = ByEvent()


DIE = "combat"
"""What the die of 9.4.1 is rolled for."""


@after(AttackDeclared)
def _declared(state: State, event: AttackDeclared) -> State:
    target = state.data.hex(event.hex)
    activation = state.activation
    if activation is not None:
        activation = replace(
            activation,
            attacked=activation.attacked.union(event.attackers),
            targets=activation.targets | {target},
        )
    return changed(
        state, activation=activation, battle=Battle(target, event.attackers, event.column)
    )


@after(AttackResolved)
def _resolved(state: State, event: AttackResolved) -> State:
    return with_battle(
        state,
        die=event.die,
        attacker_losses=event.attacker_losses,
        defender_losses=event.defender_losses,
        retreat=event.retreat,
    )


@after(BattleOver)
def _over(state: State, event: BattleOver) -> State:
    return changed(state, battle=None)


# --- what clients see -----------------------------------------------------------------------------

draws = ByEvent()


@draws(AttackDeclared)
def _draw_declared(before: State, event: AttackDeclared, after: State) -> Iterable[Effect]:
    ladder = after.data.ladder
    yield opening("combat", "victory_lost.combat_span", hex=event.hex)
    yield tell(
        "victory_lost.attack",
        "9.2",
        hex=event.hex,
        attackers=event.attackers,
        defenders=event.defenders,
        attack=event.attack,
        defence=event.defence,
    )
    column = ladder.names[event.column]
    if event.shift:
        ratio = odds_name(ladder, event.start)
        yield tell("victory_lost.odds_shifted", "9.3.3", ratio=ratio, n=-event.shift, column=column)
    else:
        yield tell("victory_lost.odds", "9.3.2", column=column)


@draws(AttackResolved)
def _draw_resolved(before: State, event: AttackResolved, after: State) -> Iterable[Effect]:
    dice = (event.die,)
    yield roll(DIE, after.data.crt.faces, dice)
    if event.attacker_losses:
        yield tell(
            "victory_lost.result_attackers",
            "9.4.1",
            dice=dice,
            result=event.result,
            n=event.attacker_losses,
        )
    elif event.defender_losses and event.retreat:
        yield tell(
            "victory_lost.result_both",
            "9.4.1",
            dice=dice,
            result=event.result,
            n=event.defender_losses,
            hexes=event.retreat,
        )
    elif event.defender_losses:
        yield tell(
            "victory_lost.result_defenders",
            "9.4.1",
            dice=dice,
            result=event.result,
            n=event.defender_losses,
        )
    elif event.retreat:
        yield tell(
            "victory_lost.result_retreat",
            "9.4.1",
            dice=dice,
            result=event.result,
            hexes=event.retreat,
        )
    else:
        yield tell("victory_lost.result_none", "9.4.1", dice=dice, result=event.result)


@draws(BattleOver)
def _draw_over(before: State, event: BattleOver, after: State) -> Iterable[Effect]:
    yield closing("combat")


# --- 9.1 principles -------------------------------------------------------------------------------


@remembered(
    of=lambda state, activation: state.field,
    by=lambda state, activation: (
        activation.side,
        activation.units,
        activation.attacked,
        activation.targets,
    ),
)
def attackable(state: State, activation: Activation) -> Mapping[int, tuple[str, ...]]:
    """9.0, 9.1, R-14 Every hex that may still be attacked, with the activated units next to it that
    have not attacked yet.

    9.1.1, R-13 once a Combat Step each; 9.1.4 each hex once; 9.1.6 not across impassable hexsides.
    Whether they are strong enough is another question (`CombatStep.enough`).
    """
    free = [
        (name, state.at(name))
        for name in activation.units
        if state.at(name) != OFF_MAP and name not in activation.attacked
    ]
    return contact.attackable(
        state.data.board, state.field.zones(ENEMY[activation.side]), free, activation.targets
    )


class CombatStep(Attacks[State]):
    """4.1.2(3), 9.0 The Combat Step: activated units attack adjacent enemy units; 9.1.2 voluntary;
    9.1.3 one after the other."""

    verb_slot = "victory_lost.verb"
    target_slot = "victory_lost.target"
    attacker_slot = "victory_lost.attacker"
    prompt = say("prompt.victory_lost.combat", "9.0")

    def attackable(self, state: State) -> Mapping[int, tuple[str, ...]]:
        """9.0, 9.1 Who may still attack what."""
        return attackable(state, active(state))

    def enough(self, state: State, side: str, attackers: Collection[str], target: int) -> bool:
        """9.3.4 Whether these units may attack the hex: not below 1-1 after all effects."""
        defence = defence_strength(state, state.enemies_in(side, target))
        attack = attack_strength(state, attackers, target)
        return allowed(state.data.ladder, attack, defence, state.data.shifts[target]) or walks_in(
            state, attack, defence
        )

    def attack(
        self, table: Table[State], side: str, target: str, attackers: tuple[str, ...]
    ) -> None:
        """9.2, 9.4 Name target and attackers, compare strengths, roll; the rest of the attack
        follows."""
        state = table.state
        data = state.data
        defenders = state.enemies_in(side, data.hex(target))
        found = assess(state, attackers, data.hex(target), defenders)
        assert found.column is not None
        table.emit(
            AttackDeclared(
                target,
                attackers,
                defenders,
                found.attack,
                found.defence,
                found.start,
                found.shift,
                found.column,
            )
        )
        die = table.roll(data.crt.faces, DIE)
        text = data.crt.result(found.column, die)
        result = meaning(text)
        table.emit(
            AttackResolved(
                die, text, result.attacker_losses, result.defender_losses, result.retreat
            )
        )
        table.call("battle")

    def forecast(
        self, state: State, side: str, attackers: tuple[str, ...], target: int
    ) -> tuple[Say, ...]:
        """9.3, 9.4.1 An attack in words: strengths, ratio and shifts, column, and the chance of
        each result in cases of the die."""
        data = state.data
        found = assess(state, attackers, target, state.enemies_in(side, target))
        ratio = odds_name(data.ladder, found.start) if found.start >= 0 else "-"
        shift = found.shift
        said = [
            say(
                "victory_lost.preview.strengths",
                "9.3.1",
                attack=found.attack,
                defence=found.defence,
            ),
            say("victory_lost.preview.ratio", "9.3.2", ratio=ratio),
            *((say("victory_lost.preview.shift", "9.3.3", n=-shift),) if shift else ()),
        ]
        if found.column is None:
            return (*said, say("victory_lost.preview.too_weak", "9.3.4"))
        chances, cases = data.crt.chances(found.column)
        return (
            *said,
            say("victory_lost.preview.column", "9.3.4", column=data.ladder.names[found.column]),
            *(
                say(
                    "victory_lost.preview.chance",
                    "9.4.1",
                    harm=in_words(harm, result),
                    result=result,
                    n=n,
                    of=cases,
                )
                for result, n in chances
            ),
        )

    def no_verb(self, asked: Asked[State], verb: Pick) -> Refusal:
        """9.0 Nothing else is done now."""
        return refuse("9.0", "refusal.victory_lost.verb", pick=str(verb))

    def why_not_target(self, asked: Asked[State], order: Assault, pick: Pick) -> Refusal:
        """9.0, 12.1 Only a hex with enemy units, not with a lone HQ; 9.1.1 next to an activated
        unit that has not attacked; 9.1.4 each hex once."""
        state, side, name = asked.state, asked.seat, str(pick)
        activation = active(state)
        i = hex_at(state, pick)
        if i == OFF_MAP:
            return refuse("9.0", "refusal.victory_lost.no_such_hex", hex=name)
        if not state.enemies_in(side, i):
            if state.field.lone_hq(ENEMY[side], i):
                return refuse("12.1", "refusal.victory_lost.attack_hq", hex=name)
            return refuse("9.0", "refusal.victory_lost.attack_nobody", hex=name)
        if i in activation.targets:
            return refuse("9.1.4", "refusal.victory_lost.attacked_already", hex=name)
        near = attackable(state, activation)
        if i in near:
            return self.too_weak(state, side, near[i], i)
        return refuse("9.1.1", "refusal.victory_lost.nobody_attacks", hex=name)

    def why_not_attacker(self, asked: Asked[State], order: Assault, pick: Pick) -> Refusal:
        """9.1.1 Only activated units, and each once; 2.3.1 no HQ; 9.1.3 one hex each."""
        state, target, name = asked.state, order.hex, str(pick)
        activation, type_ = active(state), state.data.types.get(name)
        if hex_at(state, pick) != OFF_MAP:
            return refuse("9.1.1", "refusal.victory_lost.none_to_attack", hex=name)
        if type_ is None or type_.side != asked.seat:
            return refuse("9.0", "refusal.victory_lost.not_yours", counter=name)
        if type_.hq:
            return refuse("2.3.1", "refusal.victory_lost.hq_attacks", counter=name)
        if name not in activation.units:
            return refuse("9.1.1", "refusal.victory_lost.not_activated", counter=name)
        if name in activation.attacked:
            return refuse("9.1.1", "refusal.victory_lost.has_attacked", unit=name)
        side = contact.hexside(state.data.board, state.at(name), hex_at(state, target))
        if side < 0:
            return refuse("9.0", "refusal.victory_lost.not_adjacent", unit=name, hex=target)
        if state.data.board.sides.impassable[side]:
            return refuse("9.1.6", "refusal.victory_lost.attack_impassable", unit=name, hex=target)
        return refuse("9.1.3", "refusal.victory_lost.picked_already", unit=name)

    def too_weak(self, state: State, side: str, attackers: tuple[str, ...], target: int) -> Refusal:
        """9.3.4 The attackers do not reach 1-1."""
        found = assess(state, attackers, target, state.enemies_in(side, target))
        return refuse(
            "9.3.4",
            "refusal.victory_lost.too_weak",
            hex=state.data.name(target),
            attack=found.attack,
            defence=found.defence,
        )


def on_event(table: Table[State], event: object) -> None:
    """14.0.1, R-41 Units that retreat or advance through strategic cities take control; not of the
    hex where one falls on entry."""
    if isinstance(event, (Advanced, Retreated)):
        index = table.state.data.board.grid.index
        entered = (
            event.path[1:-1] if isinstance(event, Retreated) and event.fell else event.path[1:]
        )
        enter_cities(table, event.counters, (index[name] for name in entered))


STEPS: Mapping[str, Step[State]] = {
    "combat_step": CombatStep(),
    "battle_ends": BattleEnds(BattleOver),  # 9.2
}
