"""What a command tells its own seat."""

from typing import Any

import pytest

from warledger.protocol import canon
from warledger.protocol.board.effects import turns_closed
from warledger.protocol.canon import Seal
from warledger.protocol.log.news import brings_news

SEAL = Seal(bytes(32))
OPEN = (("x",), b"")


@pytest.mark.parametrize(
    ("picks", "events", "effects", "news"),
    [
        (OPEN, (), (), False),
        (OPEN, (("e", SEAL),), (), True),
        (SEAL, (("e", SEAL),), (), False),
        (OPEN, (), (("veil", SEAL),), True),
        (SEAL, (), (("veil", SEAL),), False),
        (SEAL, (), (("learn", "a"),), True),
        (SEAL, (), (("learn", "a", 1),), False),
        (SEAL, (), (("learn", "b"),), False),
        (SEAL, (), (("learn",),), False),
    ],
)
def test_what_is_news_to_a_seat(picks: Any, events: Any, effects: Any, news: bool) -> None:
    """Hidden facts where its picks are open, and what it learns by an effect, whatever else stands
    in that."""
    assert brings_news("a", picks, events, canon.pack(effects), chance=False) is news


@pytest.mark.parametrize(
    ("effects", "closed"),
    [
        ((("close", "turn"), ("close", "combat")), 1),
        ((("close", "turn", 1), ("close", "turn")), 1),
        ((("close", "turn", 1),), 0),
        ((("close",), ("open", "turn", "k", ())), 0),
    ],
)
def test_which_turns_end(effects: Any, closed: int) -> None:
    """One by each effect that says so, whatever else stands in it."""
    assert turns_closed(canon.pack(effects)) == closed
