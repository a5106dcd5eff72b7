"""What is laid over a map follows from description and board as the rules have it."""

from __future__ import annotations

import random
from typing import Any

import pytest

from warledger.engine.board import hexsets
from warledger.engine.kernel.position import PLAYING
from warledger.engine.runtime.titles import description as described
from warledger.engine.runtime.titles import installed
from warledger.engine.testing import randomgames
from warledger.protocol.board import description
from warledger.protocol.board.effects import BoardHistory
from warledger.protocol.board.overlays import zones
from warledger.protocol.log.bodies import effects_of

GAMES = (
    ("victory_lost", {}),
    ("typhoon", {}),
    ("hungarian_rhapsody", {"scenario": "sudwind", "fog": "open"}),
)


def of_rules(title: str, state: Any, side: str) -> set[str]:
    """The hexes in a side's zones and those of its pieces that have one, as the rules have them."""
    if title == "hungarian_rhapsody":
        return {state.charts.board.name(i) for i in hexsets.listed(state.field.zones[side])}
    found = state.field.zones(side)
    closed = getattr(state.field, "closed", None)
    return {
        state.data.name(i)
        for i in range(len(found.count))
        if (found.count[i] or found.pieces[i]) and not (closed and closed(i))
    }


@pytest.mark.parametrize("title, options", GAMES, ids=[title for title, _ in GAMES])
def test_zones_are_those_of_the_rules(title: str, options: dict[str, str]) -> None:
    """Along a random game, at each of many records."""
    one = installed()[title]
    chosen = {**one.options, **options}
    told = description.read(described(one.rules, one.pack, chosen))
    seed = 5
    played = randomgames.begin(one.rules, one.pack, seed=seed, options=chosen)
    randomgames.play_on(played, random.Random(seed), commands=150)
    number = {place.id: n for n, place in enumerate(told.places)}
    history = BoardHistory()
    checked = 0
    for record in played.records:
        history.fold(record.seq, effects_of(record))
        at = played.positions.get(record.seq)
        if at is None or record.seq % 5 or at.stage != PLAYING:
            continue
        laid = zones(told, history.now)
        for side in told.sides:
            wanted = {number[name] for name in of_rules(title, at.state, side) if name in number}
            assert laid[side] == wanted, (seed, record.seq, side)
            checked += bool(wanted)
    assert checked > 20
