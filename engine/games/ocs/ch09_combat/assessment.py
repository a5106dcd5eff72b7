"""OCS 4.9b, 9.4-9.7: strengths, AR and odds of a combat, before the dice."""

from fractions import Fraction

from attrs import frozen

from warledger.engine.games.ocs.ch05_modes import modes
from warledger.engine.games.ocs.ch09_combat import odds, terrain
from warledger.engine.games.ocs.ch09_combat.combat_in_progress import Battle
from warledger.engine.games.ocs.ch09_combat.losses import alive
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.state import State


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
    """OCS 9.1e, 9.5, R-03 Whether a unit fights with combat supply, without which none attacks:
    internal stocks feed those that had any left."""
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
