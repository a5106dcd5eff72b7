"""What effects say, and the board as a fold of them: every earlier board can be had again, few are
kept, and no file makes one without bounds."""

import random
import tracemalloc
from typing import Any

import pytest

from warledger.protocol import canon, limits
from warledger.protocol.board import effects as fx
from warledger.protocol.board.effects import (
    KEPT_EVERY,
    BadEffect,
    Board,
    BoardHistory,
    Effect,
    TooLarge,
    check_effects,
)
from warledger.protocol.canon import Seal


def told(board: Board) -> tuple[Any, ...]:
    """What a board says."""
    return (
        board.pieces,
        board.marks,
        board.tracks,
        board.counts,
        board.phase,
        board.awaits,
        board.spans,
        board.seq,
    )


def some_effects(rng: random.Random) -> tuple[Effect, ...]:
    """A few effects on a few pieces."""
    return tuple(
        rng.choice(
            (
                fx.put(f"p{rng.randrange(9)}", f"h{rng.randrange(9)}"),
                fx.move(f"p{rng.randrange(9)}", "a", f"h{rng.randrange(9)}"),
                fx.take(f"p{rng.randrange(9)}"),
                fx.mark(f"p{rng.randrange(9)}", "m", rng.randrange(3)),
                fx.track("turn", rng.randrange(99)),
            )
        )
        for _ in range(rng.choice((0, 0, 1, 3, 200)))
    )


@pytest.mark.parametrize("seed", range(6))
def test_every_board_can_be_had_again(seed: int) -> None:
    """Whatever is played and taken back, the board after each record is the one that a fold keeping
    all of them has."""
    print("seed", seed)
    rng = random.Random(seed)
    history, plain = BoardHistory(), [Board()]
    history.fold(0, ())
    for seq in range(1, 700):
        own = some_effects(rng)
        if rng.random() < (0.05, 0.3, 0.9)[seed % 3]:
            back = (
                max(0, seq - 1 - rng.randrange(1, 300))
                if rng.random() < 0.5
                else rng.randrange(seq)
            )
            own = (*own, (fx.REWIND, back), *some_effects(rng))
        history.fold(seq, own)
        board = plain[-1].copy() if own else plain[-1]
        for effect in own:
            if effect[0] == fx.REWIND:
                board = plain[effect[1]].copy()
            else:
                board.apply(effect)
        if own:
            board.seq = seq
        plain.append(board)
        if rng.random() < 0.1:
            assert told(history.now) == told(board)
    for seq in rng.sample(range(700), 400):
        assert told(history.at(seq)) == told(plain[seq]), seq


def test_a_board_handed_out_does_not_change() -> None:
    """Who looks at the board now, or at an earlier one, has it as it was while the game goes on."""
    history = BoardHistory()
    history.fold(0, ())
    history.fold(1, (fx.put("a", "x"),))
    now, earlier = history.now, history.at(0)
    history.fold(2, (fx.move("a", "y"), fx.put("b", "y")))
    assert now.pieces == {"a": fx.Piece("x")} and earlier.pieces == {}
    assert history.now.pieces["a"].place == "y" and history.at(1) == now


def test_one_board_in_sixty_four_is_kept() -> None:
    """A long game keeps a board for each KEPT_EVERY records, not one a record."""
    history = BoardHistory()
    history.fold(0, ())
    for seq in range(1, 20 * KEPT_EVERY):
        history.fold(seq, (fx.track("turn", seq),))
    assert history.kept <= 22


def test_takebacks_do_not_make_more_be_kept() -> None:
    """A game of nothing but takebacks to where a board would be kept next keeps no more, and folds
    none of it from its beginning."""
    history, applied = BoardHistory(), 0
    history.fold(0, ())
    for seq in range(1, KEPT_EVERY):
        history.fold(seq, (fx.track("turn", seq),))
    for seq in range(KEPT_EVERY, 40 * KEPT_EVERY):
        history.fold(seq, ((fx.REWIND, KEPT_EVERY - 1), fx.track("turn", seq)))
    assert history.kept <= 8
    # A chain of takebacks over takebacks, each to a record just before.
    for seq in range(40 * KEPT_EVERY, 60 * KEPT_EVERY):
        history.fold(seq, ((fx.REWIND, seq - 2), fx.track("turn", seq)))
    plain_apply = Board.apply

    def counted(board: Board, effect: Effect) -> None:
        nonlocal applied
        applied += 1
        plain_apply(board, effect)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Board, "apply", counted)
        for seq in range(0, 60 * KEPT_EVERY, 37):
            applied = 0
            history.at(seq)
            assert applied <= KEPT_EVERY * 3 // 2, seq


def test_a_large_board_of_many_records_stays_small() -> None:
    """A full board and thousands of records after it take megabytes, not a board for each
    record."""
    history = BoardHistory()
    history.fold(0, ())
    history.fold(1, tuple(fx.put(f"p{n}", "h") for n in range(limits.BOARD_PIECES_MAX)))
    tracemalloc.start()
    try:
        for seq in range(2, 3000):
            history.fold(seq, (fx.move("p1", "x"),))
            history.at(seq - 1)
        used = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert used < 60_000_000, used


@pytest.mark.parametrize(
    "effects",
    [
        tuple(fx.put(f"p{n}", "h") for n in range(limits.BOARD_PIECES_MAX + 1)),
        tuple(fx.mark(f"p{n}", "m", 1) for n in range(limits.BOARD_MARKS_MAX + 1)),
        tuple(fx.track(f"t{n}", 1) for n in range(limits.BOARD_TRACKS_MAX + 1)),
        tuple(fx.count(f"t{n}", 1) for n in range(limits.BOARD_TRACKS_MAX + 1)),
        tuple(fx.opening("turn", "k") for _ in range(limits.SPANS_OPEN_MAX + 1)),
    ],
    ids=["pieces", "marks", "tracks", "counts", "spans"],
)
def test_a_board_has_bounds(effects: tuple[Effect, ...]) -> None:
    """One thing more than a board may hold is refused, and the boards before it stand."""
    history = BoardHistory()
    history.fold(0, ())
    history.fold(1, effects[:-1])
    with pytest.raises(TooLarge):
        history.fold(2, effects[-1:])
    assert history.last_seq == 1 and told(history.now) == told(history.at(1))


@pytest.mark.parametrize("seq", [3, 0, -1, True, "1", None])
def test_a_takeback_goes_back_to_a_record_there_was(seq: Any) -> None:
    """A rewind to a record that is not there yet, or to none, is refused."""
    history = BoardHistory()
    history.fold(0, ())
    if seq == 0:
        history.fold(1, ((fx.REWIND, 0),))
        return
    with pytest.raises(ValueError):
        history.fold(1, ((fx.REWIND, seq),))


@pytest.mark.parametrize(
    "effect",
    [
        ("put", "a"),
        ("put", {}, "x", "", ""),
        ("put", "a", {"x": 1}, "", ""),
        ("move", "a", "xy"),
        ("move", "a", (1, 2)),
        ("mark", "a", (), 1),
        ("track", "t", {}),
        ("await", "seat"),
        ("open", "turn", "k", (("a",),)),
        ("phase", 1, ()),
        ("say", "k", ((1, 2),), ""),
        ("rewind", "x"),
        ("later",),
    ],
)
def test_effects_have_the_form_of_their_tag(effect: Effect) -> None:
    """What no client could draw is refused before it is folded."""
    with pytest.raises(BadEffect):
        check_effects((effect,))


def test_hidden_and_later_effects_pass() -> None:
    """A seal may stand for what is hidden, and a tag of a later release passes."""
    seal = Seal(bytes(32))
    check_effects(
        (
            ("put", "a", "x", seal, "o"),
            ("track", "t", seal),
            ("take", seal, "box"),
            ("later", {"a": 1}),
            ("move", "a", (seal,)),
        )
    )


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
    assert fx.brings_news("a", picks, events, canon.pack(effects), chance=False) is news


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
    assert fx.turns_closed(canon.pack(effects)) == closed
