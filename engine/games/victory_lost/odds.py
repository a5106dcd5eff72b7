"""9.3 Combat ratio: strengths with halving, terrain shifts, the column; and what a result of the
table means (9.4.1).

9.3.2, R-21 The ladder has 1.5-1 but no 2.5-1. The ladder and its columns are
engine/board/odds.py's.
"""

from collections.abc import Iterable

from attrs import frozen

from warledger.engine.board.odds import Ladder, Part, halved, odds
from warledger.engine.games.chitpull.attacks import Assessment
from warledger.engine.games.victory_lost.state import IN_SUPPLY, SURROUNDED, State


def attack_strength(state: State, attackers: Iterable[str], target: int) -> int:
    """9.3.1, 1.3, R-20 Attacking strength, added hex by hex and divisor by divisor, divided once
    and rounded down: halved across a river hexside (bridge or not), out of supply or surrounded,
    both together quartered."""
    data = state.data
    grid, river = data.board.grid, data.river_divisor
    parts = []
    for name in attackers:
        at = state.at(name)
        divisor = river[at * 6 + grid.direction(at, target)] * _attack_divisor(state, name)
        parts.append(Part(at, state.strength(name)[0], divisor))
    return halved(parts)


def _attack_divisor(state: State, name: str) -> int:
    """10.2, 10.2.2, 10.2.3; 10.2.1 in supply nothing is divided."""
    supply = state.counters[name].supply
    if supply == IN_SUPPLY:
        return 1
    return state.data.divisors[
        "surrounded_attack" if supply == SURROUNDED else "out_of_supply_attack"
    ]


def defence_strength(state: State, defenders: Iterable[str]) -> int:
    """9.1.5, 9.3.1 Defending strength of the units in one hex: surrounded ones are halved; being
    out of supply does not matter (10.2.2)."""
    divisor = state.data.divisors["surrounded_defence"]
    return halved(
        Part(
            0, state.strength(name)[1], divisor if state.counters[name].supply == SURROUNDED else 1
        )
        for name in defenders
    )


def assess(
    state: State, attackers: Iterable[str], target: int, defenders: Iterable[str]
) -> Assessment:
    """9.3, 9.3.2, R-21 An attack by these units on these defenders. R-22 Terrain shifts on the open
    ladder, and only then the ratio is cut back to 10-1."""
    attack = attack_strength(state, attackers, target)
    defence = defence_strength(state, defenders)
    if walks_in(state, attack, defence):
        last = len(state.data.ladder.ratios) - 1
        return Assessment(attack, defence, last, 0, last)
    found = odds(state.data.ladder, attack, defence, -state.data.shifts[target])
    return Assessment(attack, defence, found.start, found.shift, found.column)


def walks_in(state: State, attack: int, defence: int) -> bool:
    """R-23 Nothing attacks nothing: no attack, unless an option reads 9.3.5 to the letter (a
    defence of 0 is always 10-1)."""
    return not attack and not defence and bool(state.option("attack_of_nothing"))


def allowed(on: Ladder, attack: int, defence: int, shifts: int) -> bool:
    """9.3.4 Whether an attack is not below 1-1 after terrain; R-23: never with a strength of 0,
    always against a defence of 0.

    The same as asking `odds` for a column, without working the column out.
    """
    if attack > 0 and defence > 0 and on.open_above and shifts < len(on.ratios):
        least = on.ratios[shifts]
        return attack * least.denominator >= defence * least.numerator
    return odds(on, attack, defence, -shifts).column is not None


@frozen
class Result:
    """9.4.1 A result: loss points of attackers and of defenders, hexes that defenders retreat."""

    attacker_losses: int = 0
    defender_losses: int = 0
    retreat: int = 0


def meaning(text: str) -> Result:
    """9.4.1 What a cell of the table says: "-", "A1", "2", "DR", "3DR2". Raises ValueError for
    anything else."""
    if text == "-":
        return Result()
    if text.startswith("A"):
        return Result(attacker_losses=int(text[1:]))
    losses, retreats, hexes = text.partition("DR")
    return Result(
        defender_losses=int(losses) if losses or not retreats else 0,
        retreat=int(hexes or 1) if retreats else 0,
    )


def harm(code: str) -> tuple[int, int, int, int]:
    """9.4.1 What a result costs: steps and hexes of retreat of the attackers, then of the
    defenders."""
    found = meaning(code)
    return found.attacker_losses, 0, found.defender_losses, found.retreat
