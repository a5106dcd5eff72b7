"""The process that plays branches for the page: what it answers, and what it refuses."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.played import game_file
from warledger.clients.audit.examine import examine
from warledger.clients.bots import whatif
from warledger.protocol import canon
from warledger.protocol.board.choices import Say
from warledger.protocol.canon import Seal
from warledger.protocol.chance.seal import seal
from warledger.protocol.log import bodies, records
from warledger.protocol.log.records import Genesis

AT = 40


@pytest.fixture(scope="module")
def desk() -> whatif.Desk:
    """One that knows the game of the fixture as "game"."""
    made = whatif.Desk()
    assert made.answer((b"game", b"", AT, "one", (), ("show", AT))) == ("need",)
    made.answer((b"game", game_file().read_bytes(), AT, "one", (), ("show", AT)))
    return made


def test_a_branch_is_named_by_its_steps(desk: whatif.Desk) -> None:
    """The records before the branch are the game's own, those after it follow its hash; the same
    steps give the same bytes, however they were come by, and another seed others."""

    def ask(steps: tuple[Any, ...], asked: tuple[Any, ...], seed: str = "one") -> tuple[Any, ...]:
        return desk.answer((b"game", b"", AT, seed, steps, asked))

    kind, base, steps, seat, _, outcome = ask((), ("show", -1))
    assert (kind, len(base), steps, outcome) == ("ok", AT + 1, [], None)
    ok, _, prompt, (_, options, _, complete, _) = ask((), ("choices", seat, ()))
    assert ok == "ok" and Say.from_array(prompt).key and options and not complete
    together = ask((6,), ("show", AT))[1]
    first = records.read(together[0][0], trusted=True)
    assert first.seq == AT + 1
    assert first.previous == records.read(base[-1][0], trusted=True).hash
    assert ask((6, 1), ("show", AT))[1][: len(together)] == together
    assert ask((6,), ("show", AT))[1] == together
    assert ask((6,), ("show", AT), "two")[1] != together
    by_hand = first.body[1], tuple(first.body[2][0])
    assert ask((by_hand,), ("show", AT), "one")[2] == [by_hand]
    assert ask((), ("rollout", 1))[1] in ("allied", "axis", "")


def test_what_the_game_has_sealed_is_opened_in_a_branch_as_the_game_would(
    desk: whatif.Desk,
) -> None:
    """Where one side has chosen in secret before the branch and the other does in it, both choices
    are opened, and each fits its seal: else a page would take the branch for a forgery."""
    log = examine(game_file().read_bytes()).records
    game = Genesis.from_record(log[0]).game
    fitting = 0
    for at in [one.seq for one in log if one.kind == "command" and type(one.body[2]) is Seal]:
        request = (b"game", game_file().read_bytes(), at, "sealed", (1,), ("show", at))
        answer = desk.answer(request)
        if answer[0] == "no":  # nobody is asked after it
            continue
        record = records.read(answer[1][0][0], trusted=True)
        for opening in bodies.openings_of(record):
            sealed: Any = (record if opening.seq > at else log[opening.seq]).body
            for n, step in enumerate(opening.path):
                sealed = sealed[step]
                if (n, step) == (0, records.EFFECTS):
                    sealed = canon.unpack_trusted(sealed)
            assert sealed == seal(game, opening), (at, opening.path)
            fitting += opening.seq <= at
    assert fitting


@pytest.mark.parametrize(
    ("at", "steps", "asked", "key"),
    [
        (0, (), ("show", 0), "whatif.nobody_asked"),
        (AT, (0,), ("show", AT), "whatif.not_asked"),
        (AT, ("all",), ("show", AT), "whatif.not_asked"),
        (AT, (), ("else",), "whatif.not_asked"),
        (AT, (1,) * (whatif.STEPS_MAX + 1), ("show", AT), "whatif.long"),
        (AT, (("nobody", ("x",)),), ("show", AT), "refusal.no_such_seat"),
    ],
)
def test_what_is_no_step_is_refused(
    desk: whatif.Desk, at: int, steps: Any, asked: Any, key: str
) -> None:
    """A record after which nobody is asked, steps that are none, too many of them, and a seat that
    is not asked get a sentence, and the next request its answer."""
    kind, sentence = desk.answer((b"game", b"", at, "odd", steps, asked))
    assert (kind, sentence[0]) == ("no", key)
    assert desk.answer((b"game", b"", AT, "odd", (), ("show", AT)))[0] == "ok"


def test_the_process_answers_frames(tmp_path: Path) -> None:
    """Started as the server starts it, it answers what comes on its pipe and ends with it."""
    request = canon.pack((b"other", b"", 1, "", (), ("show", 1)))
    done = subprocess.run(
        [sys.executable, "-P", "-m", "warledger.clients.bots.whatif"],
        input=len(request).to_bytes(4, "big") + request,
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert canon.unpack_trusted(done.stdout[4:]) == ("need",)
