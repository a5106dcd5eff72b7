"""Whether a stage has enough entrants for its rounds, before anybody is paired.

Where nobody meets twice, `rounds` pairings of a Swiss among n entrants are that many rounds of a
round robin with whom is left: an even number has n - 1 of them, an odd one n, with a bye each. Half
as many always exist, whoever has met whom: everybody then still has at least half of the others
left, and so a pairing (Dirac). Between the two it depends on who has met whom. Sides, families kept
apart and those who leave can only make it worse.
"""

from attrs import frozen

from warledger.engine.tournaments.charter import SWISS, Stage


@frozen
class Enough:
    """What a Swiss stage needs.

    Attributes:
        rounds: how many pairings in a row in which nobody may meet twice.
        least: the fewest entrants with whom all of them can be paired at all.
        sure: the fewest with whom no round lacks a pairing because of who has met whom.
    """

    rounds: int
    least: int
    sure: int


def enough(stage: Stage) -> Enough | None:
    """What a stage needs; None for one that can always be paired: not a Swiss."""
    if stage.system not in SWISS or not stage.rounds:
        return None
    # Whoever may meet again after k rounds has k + 1 in which they may not.
    rounds = min(stage.rounds, stage.again + 1) if stage.again else stage.rounds
    return Enough(rounds, max(2, rounds + 1 - rounds % 2), max(2, 2 * rounds - 1))


def at_most(entrants: int) -> int:
    """How many rounds so many entrants can play without meeting twice."""
    return entrants - 1 + entrants % 2


def always(entrants: int) -> int:
    """How many of them always have a pairing, whoever has met whom."""
    return (entrants + 1) // 2
