"""10.3 The combat ratio: strengths, halving, shifts and the column of the CRT.

10.3(2) The ratio is rounded down to a column. The ladder and its columns are
engine/board/odds.py's.
"""

from collections.abc import Hashable, Iterable
from fractions import Fraction

from warledger.engine.board.odds import halved, odds
from warledger.engine.games.chitpull.attacks import Assessment
from warledger.engine.games.chitpull.sides import SOVIET
from warledger.engine.games.typhoon.state import State


def attack_strength(state: State, attackers: Iterable[str], target: int) -> int:
    """10.3(1)1 Attack factors; those across a river, bridged or not, at half. 1.0(2), R-02 By
    default the factors that attack from one hex are added first and halved once, the fraction
    dropped."""
    data = state.data
    direction, river, units, types = (
        data.board.grid.direction,
        data.river_divisor,
        state.units,
        data.types,
    )
    how = data.options["halving"]
    parts: list[tuple[Hashable, int, int]] = []
    for name in attackers:
        unit = units[name]
        at = unit.at
        group = name if how == "per_unit" else at if how == "per_hex_sum" else ""
        attack, _ = types[name].strength(unit.reduced)
        parts.append((group, attack, river[at * 6 + direction(at, target)]))
    return halved(parts)


def defence_strength(state: State, target: int, defenders: Iterable[str]) -> int:
    """10.3(1), 10.1(4) Defence factors of all units in the hex. 10.3(1)2, R-21 Who retreated there
    in this combat segment adds nothing. 14.2(1), R-39 A fortified zone adds 4 once for Soviet units
    that defend at strength."""
    fallen_back = state.activation.fallen_back if state.activation is not None else frozenset()
    remaining = [name for name in defenders if name not in fallen_back]
    data, units, types, total = state.data, state.units, state.data.types, 0
    for name in remaining:
        total += types[name].strength(units[name].reduced)[1]
    if target in data.fortified and any(types[name].side == SOVIET for name in remaining):
        total += data.fortified_defence
    return total


def assess(state: State, side: str, attackers: Iterable[str], target: int) -> Assessment:
    """10.3, 10.3(2) An attack by a side's units on a hex. R-22 The ratio is capped at 10-1 first,
    then all shifts count together, and it is capped again. 10.3(3) Terrain and weather (R-38) shift
    together; 10.3(4) below 1-1 it is illegal. R-23 So is a ratio below 1-1 before shifts, unless
    the option lets favourable shifts lift one of at least 1-2."""
    data, weather = state.data, state.weather
    attack = attack_strength(state, attackers, target)
    defence = defence_strength(state, target, state.enemies_in(side, target))
    shift = weather.attack_shift[side] - weather.shifts[target]
    found = odds(data.ladder, attack, defence, shift)
    start, column = found.start, found.column
    if (
        start < 0 < attack
        and state.option("allow_sub_1_1_with_positive_shift")
        and Fraction(attack, defence) >= Fraction(1, 2)
    ):
        column = min(start + shift, len(data.ladder.names) - 1) if start + shift >= 0 else None
    return Assessment(attack, defence, min(start, len(data.ladder.names) - 1), shift, column)


def allowed(state: State, side: str, attackers: Iterable[str], target: int) -> bool:
    """10.3(4), R-20 Whether an attack is not below 1-1."""
    return assess(state, side, attackers, target).column is not None


def harm(code: str) -> tuple[int, int, int, int]:
    """10.4(2) What a result costs: steps and hexes of retreat of the attackers, then of the
    defenders."""
    if code.startswith("A"):
        return int(code[1:]), 0, 0, 0
    retreat = code.count("R")
    losses = code[:-retreat] if retreat else ""
    return 0, 0, int(losses or 0), retreat
