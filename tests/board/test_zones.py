"""Zones of control against a fresh count from the definition."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.board import boards
from tests.board.boards import Docs
from warledger.engine.board import zones
from warledger.engine.board.paths import NO_ENTRY, STOP, ZONE


@given(boards.maps(), st.data())
def test_ground_follows_the_definition(docs: Docs, data: st.DataObject) -> None:
    """A zone reaches each neighbour but over impassable hexsides, closed river classes, into closed
    terrain or hexes."""
    board = boards.built(docs)
    g = board.grid
    barred = data.draw(st.sets(st.integers(0, len(g) - 1), max_size=3))
    walls = boards.side_set(docs[0]["impassable"])
    gorges = {s for r in docs[0]["river"] if r["class"] == "gorge" for s in boards.side_set(r)}
    got = zones.ground(
        board, blocked_terrain=("lake",), blocked_classes=("gorge",), blocked_hexes=barred
    )
    for a in range(len(g)):
        expected = {
            b
            for b in g.adjacent[a]
            if board.terrain_at(b) != "lake"
            and not {a, b} & barred
            and frozenset(g.names((a, b))) not in walls | gorges
        }
        assert set(got[a]) == expected


@given(
    boards.maps(),
    st.lists(
        st.tuples(
            st.sampled_from(["place", "take", "move"]), st.integers(0, 15), st.integers(0, 15)
        ),
        max_size=20,
    ),
)
def test_small_steps_equal_a_fresh_count(docs: Docs, acts: list[tuple[str, int, int]]) -> None:
    """Placing, taking and moving pieces one by one gives the same zones as counting all pieces
    anew."""
    board = boards.built(docs)
    over = zones.ground(board)
    n, at = len(board.grid), []
    now = zones.zones(over, ())
    for act, a, b in acts:
        a, b = a % n, b % n
        if act == "place":
            now = now.placed(over, a)
            at.append(a)
        elif a in at:
            now = now.taken(over, a) if act == "take" else now.moved(over, a, b)
            at.remove(a)
            at += [b] if act == "move" else []
        assert now == zones.zones(over, at)
        assert now.hexes() == tuple(sorted({x for p in at for x in over[p]}))
        assert [now[i] for i in range(n)] == [any(i in over[p] for p in at) for i in range(n)]


def test_taking_a_piece_that_is_not_there() -> None:
    """Taking a piece from an empty hex is an error, not a negative count."""
    over = ((1,), (0,))
    with pytest.raises(ValueError, match="no piece"):
        zones.zones(over, [0]).taken(over, 1)


def test_mover_flags() -> None:
    """Enemy zones become ZONE but where they are negated; closed hexes and further flags are
    added."""
    over = ((1, 2), (0, 2), (0, 1, 3), (2,))
    enemy = zones.zones(over, [0])
    assert zones.mover_flags(enemy, closed=[0, 1], negated=[2], also=[(3, STOP)]) == bytes(
        [NO_ENTRY, ZONE | NO_ENTRY, 0, STOP]
    )
