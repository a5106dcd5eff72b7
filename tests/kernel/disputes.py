"""Games with claims and rulings for the tests: how they are played, and what both auditors say of
them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.audit import mini_auditor
from tests.audit.tamper import chained, file_of
from tests.kernel.owed import assert_owed
from tests.toys import counting
from tests.verdicts import findings_of
from warledger.clients.audit.audit import Rulebook, audit
from warledger.clients.audit.report import Report
from warledger.engine.kernel import replay
from warledger.engine.testing.randomgames import Played, arbiter, begin, signing_key
from warledger.protocol.board.choices import Refusal
from warledger.protocol.log import records, wlog
from warledger.protocol.log.deskbodies import (
    Appeal,
    Froze,
    Heard,
    Looked,
    Said,
    Thawed,
    Waived,
    Withdrawn,
)

RULEBOOK = Rulebook({"counting": counting.RULES}.__getitem__)
CLOCKS = {"bank": 600_000, "free": 0, "fall": "freeze"}
OPTIONS = {"turns": 10, "epoch_turns": 100}
ANN, BOB = arbiter("Ann"), arbiter("Bob")


def table(**terms: Any) -> Played:
    """A game of two with clocks, some commands old: the last ones at records 6 to 9."""
    played = begin(counting.RULES, counting.PACK, options=OPTIONS, terms={"clock": CLOCKS, **terms})
    for verb in ("add", "roll", "roll", "add"):
        seat = played.position.open[0][0]
        played.submit(seat, *((verb, 2) if verb == "add" else (verb,)))
    return played


def frozen(**terms: Any) -> Played:
    """The same game, with a claim of b that Ann has heard and frozen the game for."""
    played = table(**terms)
    played.commit(played.claim("b", played.position.seq - 1))
    for body in (Heard(1), Froze(1)):
        played.commit(played.note(ANN, body))
    return played


def a_case(*, clocks: bool = True) -> Played:
    """A game with claims of every end: withdrawn, rejected and appealed against, upheld with all
    that may follow, up to an adjudication."""
    played = table() if clocks else begin(counting.RULES, counting.PACK, options=OPTIONS)
    if not clocks:
        played.submit("a", "roll")
        played.submit("b", "add", 2)
    back = played.position.seq
    played.submit(played.position.open[0][0], "hide", "antelope")
    played.commit(played.claim("a", back))
    played.commit(played.note("a", Withdrawn(1)))
    played.commit(played.claim("b", back, 2))
    played.commit(played.note("a", Said(2, "It was mine.")))
    for body in (Heard(2), Looked("a", 0, back), Froze(2)):
        played.commit(played.note(ANN, body))
    played.commit(played.rule(ANN, 2, ("warn", "b"), finding="rejected"))
    played.commit(played.note("b", Appeal(2, "It was not.")))
    played.commit(played.note(BOB, Heard(2)))
    time = (("time", "b", 60_000),) if clocks else ()
    remedies = (("back", back), *time, ("correct",))
    picks = (("score", "b", 30),)
    played.commit(played.rule(BOB, 2, *remedies, finding="in part", corrections=picks))
    played.commit(played.note(BOB, Thawed(2)))
    played.submit(played.position.open[0][0], "pass")
    played.commit(played.claim("a", back, 3))
    played.commit(played.note(ANN, Heard(3)))
    played.commit(played.rule(ANN, 3, ("adjudicate", "b")))
    return played


def over(protest_ms: Any, *, turns: int = 2) -> Played:
    """A game without clocks that has come to its end by the rules, which is held for that time;
    with more turns it is still played."""
    played = begin(
        counting.RULES,
        counting.PACK,
        options={"turns": turns, "epoch_turns": 1},
        terms={"protest_ms": protest_ms},
    )
    for picks in (("add", 4), ("roll",), ("add", 2), ("add", 1)):
        played.submit(played.position.open[0][0], *picks)
    return played


def a_protest() -> Played:
    """A game whose end was held: a protest took it back, another was rejected, and both seats
    waived the next."""
    played = over(3_600_000)
    last = max(one.seq for one in played.records if one.kind == records.COMMAND)
    played.commit(played.claim("b", last))
    played.commit(played.note(ANN, Heard(1)))
    to = max(
        seq for seq, at in played.positions.items() if seq < last and at.open and at.moved_on == seq
    )
    played.commit(played.rule(ANN, 1, ("back", to)))
    while played.position.open:
        played.submit(played.position.open[0][0], "roll")
    played.commit(played.note("a", Waived("a")))
    played.commit(played.claim("b", last, 2))
    played.commit(played.note(BOB, Heard(2)))
    played.commit(played.rule(BOB, 2, finding="rejected"))
    for seat in ("a", "b"):
        played.commit(played.note(seat, Waived(seat)))
    return played


def refused(made: Any) -> str:
    """The key of a refusal."""
    assert isinstance(made, Refusal), made
    return made.key


def found(played: Played) -> Report:
    """The whole audit of the arbiter's file, with the server's key and the toy's rules."""
    data = wlog.encode(played.frames(), sealed=True)
    return audit(data, key=signing_key().verify_key.encode(), rulebook=RULEBOOK)[0]


def assert_sound(played: Played) -> None:
    """Both auditors find nothing; a fold from the log gives the same position."""
    report = found(played)
    assert not findings_of(report), findings_of(report)
    assert report.verdict.level == 2
    mini_auditor.audit(played.file())
    assert_owed(played)
    openings = dict(enumerate(played.openings))
    again = replay.fold(counting.RULES, played.records, openings, played.positions).position
    assert (again.clocks, again.docket) == (played.position.clocks, played.position.docket)
    assert again.state == played.position.state
    assert (again.undo, again.open, again.ask, again.moved_on) == (
        played.position.undo,
        played.position.open,
        played.position.ask,
        played.position.moved_on,
    )


def wrong(data: bytes) -> list[tuple[int | None, str]]:
    """What the audit finds at level 1: (record, sentence). The small auditor refuses it too."""
    with pytest.raises(mini_auditor.Unsound):
        mini_auditor.audit(data)
    report = audit(data, key=signing_key().verify_key.encode())[0]
    return [(one.seq, one.said.key) for one in findings_of(report)]


def forged(
    played: Played,
    changed: dict[int, tuple[Any, ...]],
    actors: dict[int, records.Actor] | None = None,
    **more: Any,
) -> bytes:
    """The game's file with other bodies, actors or times of some records, all mended behind
    them."""
    return file_of(chained(played, changed, actors=actors, **more), key=played.key)
