"""9.0 Combat: attacks one by one in the order that the active side likes, 9.2, each carried through before the next, R-14.

A command is ("attack", hex, unit, unit …), the attackers in any order, whole as soon as the ratio suffices; ("done",) ends the Combat Step.
How attacks are named step by step stands in engine/games/chitpull/attacks.py.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from engine.board.odds import odds_name
from engine.games.chitpull import fronts
from engine.games.chitpull.advance import Advance
from engine.games.chitpull.attacks import Attacking, Attacks, BattleEnds, Unfit
from engine.games.chitpull.losses import Losses
from engine.games.chitpull.sides import ENEMY
from engine.games.chitpull.standing import OFF_MAP
from engine.games.victory_lost import combat_effects, combat_events, combat_evolve
from engine.games.victory_lost.advance import ADVANCING
from engine.games.victory_lost.combat_events import Advanced, AttackDeclared, AttackResolved, BattleOver, Retreated
from engine.games.victory_lost.losses import LOSING
from engine.games.victory_lost.odds import allowed, assess, attack_strength, defence_strength, meaning, walks_in
from engine.games.victory_lost.retreat import Retreat
from engine.games.victory_lost.state import Activation, State
from engine.games.victory_lost.victory import enter_cities
from engine.kernel.table import Table
from engine.kernel.types import Picks, Refusal, Say, Step, Switch
from protocol.choices import offer, refuse, say
from protocol.effects import Effect

# --- 9.1 principles ---------------------------------------------------------------------------------------------------------


def front(state: State, activation: Activation) -> Mapping[int, tuple[str, ...]]:
    """9.0, 9.1 Every hex that may still be attacked, with the activated units next to it that have not attacked yet.

    9.1.1, R-13 once a Combat Step each; 9.1.4 each hex once; 9.1.6 not across impassable hexsides. Whether they are strong enough is
    another question (`strong_enough`).
    """
    memo = state.field.memo
    key = ("front", activation.side, activation.units, activation.attacked, activation.targets)
    found = memo.get(key)
    if found is None:
        found = memo[key] = _front(state, activation)
    return found


def _front(state: State, activation: Activation) -> dict[int, tuple[str, ...]]:
    free = [(name, state.at(name)) for name in activation.units if state.at(name) != OFF_MAP and name not in activation.attacked]
    return fronts.front(state.data.board, state.field.zones(ENEMY[activation.side]), free, activation.targets)


def strong_enough(state: State, side: str, attackers: Iterable[str], target: int) -> bool:
    """9.3.4 Whether these units may attack the hex: not below 1-1 after all effects."""
    defence = defence_strength(state, state.enemies_in(side, target))
    attack = attack_strength(state, attackers, target)
    return allowed(state.data.ladder, attack, defence, state.data.shifts[target]) or walks_in(state, attack, defence)


def forecast(state: State, side: str, attackers: tuple[str, ...], target: int) -> tuple[Say, ...]:
    """9.3, 9.4.1 An attack in words: strengths, ratio and shifts, column, and the chance of each result in cases of the die."""
    data = state.data
    found = assess(state, attackers, target, state.enemies_in(side, target))
    ratio = odds_name(data.ladder, found.start) if found.start >= 0 else "-"
    said = [
        say("victory_lost.preview.strengths", "9.3.1", attack=found.attack, defence=found.defence),
        say("victory_lost.preview.ratio", "9.3.2", ratio=ratio),
        *((say("victory_lost.preview.shift", "9.3.3", n=-found.shift),) if found.shift else ()),
    ]
    if found.column is None:
        return (*said, say("victory_lost.preview.too_weak", "9.3.4"))
    chances, cases = data.crt.chances(found.column)
    return (
        *said,
        say("victory_lost.preview.column", "9.3.4", column=data.ladder.names[found.column]),
        *(say("victory_lost.preview.chance", "9.4.1", result=result, n=n, of=cases) for result, n in chances),
    )


def _why_not(state: State, why: Unfit, picks: Picks) -> Refusal:
    """The clause against the last pick."""
    activation, pick = state.activation, str(picks[-1])
    if activation is None or why is Unfit.VERB:
        return refuse("9.0", "refusal.victory_lost.verb", pick=pick)
    if why is Unfit.TOO_WEAK:
        return _too_weak(state, activation, picks)
    return _why_not_target(state, activation, why, pick) if len(picks) == 2 else _why_not_attacker(state, why, picks)


def _too_weak(state: State, activation: Activation, picks: Picks) -> Refusal:
    """9.3.4 The attackers named, or all there are while none is named, do not reach 1-1."""
    name = str(picks[1])
    i = state.data.hex(name)
    attackers = tuple(str(pick) for pick in picks[2:]) or front(state, activation)[i]
    found = assess(state, attackers, i, state.enemies_in(activation.side, i))
    return refuse("9.3.4", "refusal.victory_lost.too_weak", hex=name, attack=found.attack, defence=found.defence)


def _why_not_target(state: State, activation: Activation, why: Unfit, name: str) -> Refusal:
    if why is Unfit.NO_HEX:
        return refuse("9.0", "refusal.victory_lost.no_such_hex", hex=name)
    i = state.data.hex(name)
    if why is Unfit.NOBODY and state.field.lone_hq(ENEMY[activation.side], i):
        return refuse("12.1", "refusal.victory_lost.attack_hq", hex=name)
    if why is Unfit.NOBODY:
        return refuse("9.0", "refusal.victory_lost.attack_nobody", hex=name)
    if why is Unfit.ATTACKED:
        return refuse("9.1.4", "refusal.victory_lost.attacked_already", hex=name)
    return refuse("9.1.1", "refusal.victory_lost.nobody_attacks", hex=name)


def _why_not_attacker(state: State, why: Unfit, picks: Picks) -> Refusal:
    target, name = str(picks[1]), str(picks[-1])
    if why is Unfit.NOT_YOURS:
        return refuse("9.0", "refusal.victory_lost.not_yours", counter=name)
    if state.data.types[name].hq:
        return refuse("2.3.1", "refusal.victory_lost.hq_attacks", counter=name)
    if why is Unfit.NOT_ACTIVATED:
        return refuse("9.1.1", "refusal.victory_lost.not_activated", counter=name)
    if why is Unfit.BUSY:
        return refuse("9.1.1", "refusal.victory_lost.has_attacked", unit=name)
    if why is Unfit.APART:
        return refuse("9.0", "refusal.victory_lost.not_adjacent", unit=name, hex=target)
    if why is Unfit.IMPASSABLE:
        return refuse("9.1.6", "refusal.victory_lost.attack_impassable", unit=name, hex=target)
    return refuse("9.1.3", "refusal.victory_lost.picked_already", unit=name)


def _carry_out(table: Table[State], side: str, target: str, attackers: tuple[str, ...]) -> None:
    """9.2, 9.4 Name target and attackers, compare strengths, roll; the rest of the attack follows."""
    state = table.state
    data = state.data
    defenders = state.enemies_in(side, data.hex(target))
    found = assess(state, attackers, data.hex(target), defenders)
    assert found.column is not None
    table.emit(AttackDeclared(target, attackers, defenders, found.attack, found.defence, found.start, found.shift, found.column))
    die = table.roll(data.crt.faces, combat_effects.DIE)
    text = data.crt.result(found.column, die)
    result = meaning(text)
    table.emit(AttackResolved(die, text, result.attacker_losses, result.defender_losses, result.retreat))
    table.call("battle")


ATTACKING = Attacking[State](
    front=front,
    enough=strong_enough,
    forecast=forecast,
    busy=lambda activation: activation.attacked,  # 9.1.1
    attacked=lambda activation: activation.targets,  # 9.1.4
    prompt=say("prompt.victory_lost.combat", "9.0"),
    verbs=offer("victory_lost.verb", ("attack", "done")),
    target_slot="victory_lost.target",
    attacker_slot="victory_lost.attacker",
    against=_why_not,
    carry_out=_carry_out,
)
"""4.1.2(3), 9.0 The Combat Step: activated units attack adjacent enemy units; 9.1.2 voluntary; 9.1.3 one after the other."""


# --- what rules.py takes from here ------------------------------------------------------------------------------------------

COMBAT_SEQUENCES: Mapping[str, tuple[str, ...]] = {
    # 9.4.2, 9.5, 9.6
    "battle": ("losses", "retreat", "advance", "battle_ends"),
}
COMBAT_STEPS: Mapping[str, Step[State]] = {
    "combat_step": Attacks(ATTACKING),
    "losses": Losses(LOSING),
    "retreat": Retreat(),
    "advance": Advance(ADVANCING),
    "battle_ends": BattleEnds(BattleOver),  # 9.2
}
COMBAT_EVENTS: tuple[type[Any], ...] = combat_events.EVENTS
COMBAT_EVOLVE: Mapping[type[Any], Callable[[State, Any], State]] = combat_evolve.EVOLVE
COMBAT_EFFECTS: Mapping[type[Any], Callable[[State, Any, State], Iterable[Effect]]] = combat_effects.EFFECTS
COMBAT_SWITCHES: tuple[Switch, ...] = (
    # rulings that rest on common sense alone
    Switch("retreat_distance", False, (False, True), "9.5.2", before=True),
    Switch("cavalry_advance", False, (False, True), "9.6.1"),
    Switch("attack_of_nothing", False, (False, True), "9.3.5"),
    # how 9.5.2 and 9.5.4 were read before they were read again in the original
    Switch("retreat_distance_first", False, (False, True), "9.5.2", before=True),
    Switch("cut_off_retreats_anywhere", False, (False, True), "9.5.2", before=True),
    Switch("retreat_closed_is_full", False, (False, True), "9.5.2", before=True),
    Switch("retreat_hex_by_hex", False, (False, True), "9.5.4", before=True),
)


def on_event(table: Table[State], event: object) -> None:
    """14.0.1, R-41 Units that retreat or advance through strategic cities take control; not of the hex where one falls on entry."""
    if isinstance(event, (Advanced, Retreated)):
        index = table.state.data.board.grid.index
        entered = event.path[1:-1] if isinstance(event, Retreated) and event.fell else event.path[1:]
        enter_cities(table, event.counters, (index[name] for name in entered))


def picture(state: State) -> Iterable[Effect]:
    """What combat has on the table: nothing but the counters themselves."""
    return ()
