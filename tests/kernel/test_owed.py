"""The record that must follow at once is known from the log alone, and a file cut before it says
what it must hold."""

import random

import pytest

from tests.kernel.owed import assert_owed, owed_after_each
from tests.toys import PACKS, TOYS
from tests.verdicts import findings_of, reservations_of
from warledger.clients.audit.audit import Rulebook, audit
from warledger.engine.testing.randomgames import Played, begin, play, play_on
from warledger.protocol.lang import phrases
from warledger.protocol.log import wlog

RULEBOOK = Rulebook(lambda title: TOYS[title])


@pytest.mark.parametrize("toy", TOYS)
@pytest.mark.parametrize("seed", range(3))
def test_what_the_ledger_writes_at_once_is_owed_and_nothing_else(toy: str, seed: int) -> None:
    """In random games with takebacks, draws and requests."""
    assert_owed(play(TOYS[toy], PACKS[toy], seed, requests=0.3))


def cut_behind(played: Played, seq: int) -> str:
    """What the audit of a file that ends behind a record says of what is missing; "" for
    nothing."""
    frames: list[wlog.Frame] = []
    count = 0
    for frame in played.frames():
        if frame.kind == wlog.FRAME_RECORD:
            count += 1
        if count <= seq + 1 and frame.kind in (wlog.FRAME_RECORD, wlog.FRAME_OPENINGS):
            frames.append(frame)
    report, _ = audit(wlog.encode(frames, sealed=False), rulebook=RULEBOOK)
    assert findings_of(report) == ()
    said = [one.said for one in reservations_of(report) if one.said.key.endswith("half_done")]
    return phrases("en").text(said[0].key, **dict(said[0].args)) if said else ""


def resigned() -> Played:
    """A player resigns."""
    played = play_on(begin(TOYS["counting"], PACKS["counting"]), random.Random(1), commands=2)
    played.commit(played.resign("b"))
    return played


def consented() -> Played:
    """A takeback that both agree to."""
    played = begin(TOYS["counting"], PACKS["counting"], options={"turns": 10})
    played.submit("a", "roll")
    played.submit("b", "pass")
    played.commit(
        played.take_back(
            "a",
            min(
                played.positions[seq].moved_on
                for seq in played.positions
                if played.positions[seq].opened("a")
            ),
        )
    )
    played.commit(played.answer("b", True))
    return played


def agreed() -> Played:
    """Both agree to a draw."""
    played = begin(TOYS["counting"], PACKS["counting"])
    played.commit(played.draw("a"))
    played.commit(played.answer("b", True))
    return played


@pytest.mark.parametrize(
    ("made", "kind", "words"),
    [
        (resigned, "ask", "a wins"),
        (consented, "answer", "the takeback to record"),
        (agreed, "answer", "nobody wins"),
        (resigned, "seat", "the command that begins the game"),
    ],
)
def test_a_file_cut_before_what_is_owed_names_it(made: object, kind: str, words: str) -> None:
    """Who withholds the end of a game denies nobody the result: the file says what is missing."""
    assert callable(made)
    played: Played = made()
    last = max(one.seq for one in played.records if one.kind == kind)
    assert owed_after_each(played)[last] is not None
    assert words in cut_behind(played, last)
