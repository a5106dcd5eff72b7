"""What a result of the combat table does, in words, for the forecast of an attack."""

from collections.abc import Callable, Iterator
from typing import Any

from warledger.protocol.board.choices import say

Harm = Callable[[str], tuple[int, int, int, int]]
"""What a result costs: steps and hexes of retreat of the attackers, then of the defenders."""


def in_words(harm: Harm, result: str) -> tuple[Any, ...]:
    """What a result does, as a list of sentences to stand in another (`{harm:say}`)."""
    return tuple(_parts(*harm(result))) or (say("text.harm.none").as_array(),)


def _parts(lost: int, _: int, losses: int, hexes: int) -> Iterator[tuple[Any, ...]]:
    """The attackers never retreat in this family."""
    if lost:
        yield say("text.harm.attackers_lose", n=lost).as_array()
    if losses:
        yield say("text.harm.defenders_lose", n=losses).as_array()
    if hexes:
        yield say("text.harm.defenders_back", n=hexes).as_array()
