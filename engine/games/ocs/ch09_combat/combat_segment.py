"""OCS 9.2(1): the Combat segment: the phasing side names hexes and the units that attack them.

OCS 9.1d All combat units in the hex defend together.
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction

from attrs import frozen

from warledger.engine.board import hexsets
from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.ch04_concepts.rounding import mixed
from warledger.engine.games.ocs.ch05_modes import modes
from warledger.engine.games.ocs.ch09_combat import terrain
from warledger.engine.games.ocs.ch09_combat.assessment import ar, assess
from warledger.engine.games.ocs.ch09_combat.attacks import (
    EMPTIES,
    EMPTY,
    attack_bill,
    attackers,
    empties,
    payers,
    targets,
    why_not,
)
from warledger.engine.games.ocs.ch09_combat.combat import begin
from warledger.engine.games.ocs.ch09_combat.combat_in_progress import Battle
from warledger.engine.games.ocs.ch12_supply import bills, payment
from warledger.engine.games.ocs.ch16_hedgehogs import hedgehogs
from warledger.engine.games.ocs.series.state import State, changed
from warledger.engine.games.ocs.series.tables import REGULAR
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import Asked, Asking, Command, Commands, Many, Slot, word
from warledger.engine.kernel.lazy import Lazy
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Pick, Refusal, Seat, Step
from warledger.protocol.board.choices import Say, refuse, say


@frozen
class Attack:
    """The hex attacked and the units that attack it."""

    hex: str = ""
    units: tuple[str, ...] = ()


class Attacking(Asking[State]):
    """OCS 9.2(1) The Combat segment: `attack HEX UNITS …` one after the other, until `done`. OCS
    21.8 By the option `occupy HEX UNITS …` too."""

    verb_slot = "ocs.combat"

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The phasing side, while its combat units stand next to the enemy's, or (21.8) next to
        hexes that it may attack though they are empty."""
        if not (targets(at.state) or empties(at.state)):
            return {}
        return {at.state.phasing: Decision(say("prompt.ocs.combat", "OCS 9.2"))}

    def commands(self) -> Commands[State]:
        """`attack HEX UNITS …`, `occupy HEX UNITS …`, `done`."""
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
            Command(
                "occupy",
                Attack,
                Slot("hex", "ocs.hex", self._empties, self._why_not_empty),
                Many("units", "ocs.unit", self._units, self._why_not_unit),
                apply=self._occupy,
                when=lambda asked: any(payers(asked.state, i) for i in empties(asked.state)),
                why=self._why_not_occupied,
                preview=self._preview_empty,
                sealed=True,
            ),
            word("done", lambda table, asked: table.done()),
        )

    def _hexes(self, asked: Asked[State], order: Attack) -> Lazy:
        state = asked.state
        board = state.charts.board

        def has(pick: Pick) -> bool:
            i = board.map.grid.index.get(pick, -1) if isinstance(pick, str) else -1
            return i in targets(state) and bool(payers(state, i))

        return Lazy(lambda: (board.name(i) for i in targets(state) if payers(state, i)), has)

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
        """The strength before the defender's terrain, the cost, who would pay it, and the odds:
        under fog against the shown unit. While no units are picked: of all that could attack
        together."""
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
        told = foretold(state, asked.seat, target, units)
        if order.units:
            return told
        return (say("preview.ocs.all_attack", "OCS 9.2", units=units, hex=order.hex), *told)

    def _attack(self, table: Table[State], asked: Asked[State], order: Attack) -> None:
        state = asked.state
        target = state.charts.board.hex(order.hex)
        begin(table, _regular(state, asked.seat, target, order.units))

    # OCS 21.8

    def _empties(self, asked: Asked[State], order: Attack) -> Iterable[str]:
        state = asked.state
        name = state.charts.board.name
        return tuple(name(i) for i in empties(state) if payers(state, i))

    def _why_not_empty(self, asked: Asked[State], order: Attack, pick: Pick) -> Refusal:
        state = asked.state
        hexes = {state.charts.board.name(i): i for i in empties(state)}
        if pick not in hexes:
            return refuse("OCS 21.8", "refusal.ocs.not_empty", hex=str(pick))
        if attackers(state, hexes[str(pick)]):
            return refuse("OCS 9.5", "refusal.ocs.no_attack_paid")
        return refuse("OCS 9.1", "refusal.ocs.no_attackers", hex=str(pick))

    def _why_not_occupied(self, asked: Asked[State]) -> Refusal:
        state = asked.state
        if not state.charts.options.get(EMPTIES):
            return refuse("OCS 21.8", "refusal.ocs.no_empty_attacks")
        if any(attackers(state, i) for i in empties(state)):
            return refuse("OCS 9.5", "refusal.ocs.no_attack_paid")
        return refuse("OCS 9.1", "refusal.ocs.no_attack")

    def _preview_empty(self, asked: Asked[State], order: Attack) -> tuple[Say, ...]:
        """What the units that are picked pay."""
        if not order.units:
            return ()
        state = asked.state
        target = state.charts.board.hex(order.hex)
        return payment.reckoned(state, attack_bill(state, order.units, target))

    def _occupy(self, table: Table[State], asked: Asked[State], order: Attack) -> None:
        """OCS 21.8 It is paid for as any attack, and units may enter: no roll, no Exploit."""
        state = asked.state
        target = state.charts.board.hex(order.hex)
        made = _regular(state, asked.seat, target, order.units)
        begin(table, replace(made, row=EMPTY))


def foretold(state: State, side: str, target: int, units: tuple[str, ...]) -> tuple[Say, ...]:
    """OCS 9.5, 9.7 Of an attack or overrun by these units the strength before the defender's
    terrain, the cost, the odds, a hedgehog's effect, and who would pay. OCS 4.9a Under fog the odds
    are those against the shown unit as it is printed: neither the steps that it has lost nor what
    lies below it are read."""
    strength = sum((modes.strength(state, name, attacking=True) for name in units), Fraction(0))
    bill = attack_bill(state, units, target)
    told = say(
        "preview.ocs.attack",
        "OCS 9.5",
        strength=mixed(strength),
        tokens=bills.charged(state, bill).cost,
        ar=max(modes.ar(state, name) for name in units),
    )
    weighed = _odds_shown if fog.strict(state) else _odds
    works = _works(state, state.enemy(side), target)
    return (told, weighed(state, side, target, units), *works, *payment.reckoned(state, bill))


def _works(state: State, side: str, target: int) -> tuple[Say, ...]:
    """OCS 9.8, 9.9, 16.0d-e What a side's hedgehog in a hex that is attacked does, beside the
    odds."""
    level = hedgehogs.level(state, side, target)
    if not level:
        return ()
    surprise = -state.charts.tables.surprise.hedgehog
    return (say("preview.ocs.hedgehog", "OCS 16.0", level=level, surprise=surprise, combat=level),)


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
    return _weighed("preview.ocs.odds", state, _regular(state, side, target, units))


def _odds_shown(state: State, side: str, target: int, units: Iterable[str]) -> Say:
    """OCS 4.9a, 9.4-9.7 The odds under fog, against the shown unit with all its steps."""
    shown = fog.top(state, target)
    unit = state.units[shown]
    seen = changed(state, {shown: replace(unit, lost=0)}) if unit.lost else state
    battle = replace(_regular(state, side, target, units), defenders=(shown,))
    return _weighed("preview.ocs.odds_shown", seen, battle, unit=shown)


def _weighed(key: str, state: State, battle: Battle, **more: str) -> Say:
    side, target = battle.side, battle.target
    leaders = {
        state.side(names[0]): max(names, key=lambda name: ar(state, name, target))
        for names in (battle.units, battle.defenders)
    }
    level = terrain.opposed(state, state.enemy(side), target, battle.defenders)
    against = terrain.best_choices(state, target, battle.attackers, level)
    ground = terrain.grounds(state, target)[0]
    weighed = assess(state, replace(battle, leaders=leaders, terrain=against, ground=ground))
    return say(
        key,
        "OCS 9.7",
        **more,
        attack=mixed(weighed.attack),
        defence=mixed(weighed.defence),
        drm=weighed.drm,
        odds=weighed.odds.text,
        row=f"ocs.row.{weighed.row}",
    )


STEPS: Mapping[str, Step[State]] = {"ocs.attacking": Attacking()}
