"""FIDE C.04.3 article 5, worked again from the crosstable: who has white on each board."""

import random
from typing import NamedTuple

import pytest

from tests.tournaments.fields import tournament
from tests.tournaments.test_dutch_laws import paired_by
from warledger.engine.tournaments.crosstable import Crosstable

WHITE, BLACK = 0, 1


class Wish(NamedTuple):
    """What somebody's games ask for (1.6): 3 absolute, 2 strong, 1 mild, 0 none; the colour; by how
    much the colours differ."""

    strength: int
    colour: int
    width: int


def colours(table: Crosstable, number: int) -> list[int]:
    """The colours of somebody's games over the board, in order."""
    return [int(line.seat or 0) for line in table.of(number) if line.played]


def wish(had: list[int]) -> Wish:
    """The colour preference after these games."""
    if not had:
        return Wish(0, WHITE, 0)
    difference = had.count(WHITE) - had.count(BLACK)
    owed = BLACK if difference > 0 else WHITE
    if abs(difference) > 1:
        return Wish(3, owed, abs(difference))
    if len(had) > 1 and had[-1] == had[-2]:
        return Wish(3, 1 - had[-1], abs(difference))
    return Wish(2, owed, 1) if difference else Wish(1, 1 - had[-1], 0)


def has_white(table: Crosstable, higher: int, lower: int) -> int | None:
    """Who has white by 5.2.1 to 5.2.4; None where neither has played (5.2.5)."""
    first, second = colours(table, higher), colours(table, lower)
    one, two = wish(first), wish(second)
    if not one.strength and not two.strength:
        return None
    if not one.strength or not two.strength or one.colour != two.colour:
        wants = higher if one.strength else lower  # both wishes are granted
        other = lower if wants == higher else higher
        return wants if (one if wants == higher else two).colour == WHITE else other
    if one.strength != two.strength:
        granted = higher if one.strength > two.strength else lower
    elif one.strength == 3 and one.width != two.width:
        granted = higher if one.width > two.width else lower
    else:
        for mine, theirs in zip(reversed(first), reversed(second), strict=False):
            if mine != theirs:
                return lower if mine == WHITE else higher
        granted = higher
    other = lower if granted == higher else higher
    return granted if one.colour == WHITE else other


def agree(seed: int) -> None:
    """The colours of a tournament's boards, and the order of its boards (C.04.2)."""
    rng = random.Random(seed)
    for table, _, paired in tournament(
        seed, rng.randint(4, 24), rng.randint(3, 9), paired_by, 0.08
    ):
        if paired is None:
            continue
        order = []
        for white, black in paired.boards:
            higher, lower = sorted((white, black), key=lambda n: (-table.points(n), n))
            order.append((-table.points(higher), -table.points(lower), higher))
            expected = has_white(table, higher, lower)
            assert expected in (None, white), f"seed {seed}, round {len(table.rounds) + 1}"
        assert order == sorted(order), f"seed {seed}, round {len(table.rounds) + 1}"


@pytest.mark.parametrize("part", range(3))
def test_colours_are_those_of_article_5(part: int) -> None:
    """Granting both wishes, the stronger, the wider difference, alternating to the last round in
    which they differed, and the higher ranked; boards in their order."""
    for seed in range(part * 6, part * 6 + 6):
        agree(seed)


@pytest.mark.long
def test_colours_are_those_of_article_5_in_many_fields() -> None:
    """The same for four hundred tournaments."""
    for seed in range(1000, 1400):
        agree(seed)
