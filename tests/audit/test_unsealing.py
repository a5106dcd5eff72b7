"""What was hidden is opened after the end in as many records as it takes: all of it, in order, each
once. Whoever withholds, repeats, moves or invents an opening is found, and so is whoever changes
the score or what ended the game."""

from typing import Any

import pytest

from tests.audit import mini_auditor
from tests.audit.attacked import found, keys, kind_of, start
from tests.audit.tamper import chained, file_of, forged, put
from tests.audit.test_forger import assert_found
from tests.verdicts import findings_of, reservations_of
from warledger.clients.link.errors import LinkError
from warledger.clients.link.watch import Watch
from warledger.engine.kernel.unsealing import left_sealed, portions
from warledger.engine.testing.randomgames import Played, begin
from warledger.protocol.board.choices import Refusal
from warledger.protocol.chance.seal import Opening
from warledger.protocol.log import bodies, records
from warledger.protocol.log.records import Record

SMALL = 200
"""Bytes in one record: enough for one or two openings."""


class Bit(Played):
    """A game whose secrets are opened a few at a time."""

    def open_the_rest(self, bytes_max: int = SMALL) -> None:
        super().open_the_rest(bytes_max)


def hidden(*, whole: bool = True) -> Played:
    """A game with a dozen seals, opened in several records (or not yet)."""
    begun = start(turns=3)
    played = Bit(begun.ledger, begun.key, begun.records, begun.openings, begun.positions)
    played.at_ms, played.hands = begun.at_ms, begun.hands
    if not whole:
        played.open_the_rest = lambda *_: None  # type: ignore[method-assign]
    for _ in range(3):
        played.submit("a", "draw")
        played.submit("b", "hide", "bumblebee")
    return played


def reveals(played: Played) -> list[Record]:
    """The records that open what was hidden."""
    return [record for record in played.records if record.kind == records.REVEAL]


def test_secrets_are_opened_in_several_records_and_the_game_is_sound() -> None:
    """Both auditors follow them to the last, at both levels, and the result came first."""
    played = hidden()
    assert len(reveals(played)) > 2
    end = kind_of(played, records.END)
    assert end.seq == reveals(played)[0].seq - 1
    report = found(played.file())
    assert (report.verdict.word, report.verdict.level, report.sealed) == ("sound", 2, 0), (
        findings_of(report)
    )
    assert mini_auditor.audit(played.file()).whole


def test_no_record_exceeds_its_share() -> None:
    """Portions stay below the bound, unless a single opening is larger, and the last says so."""
    openings = [Opening(1, (6, n), bytes(16), "x" * 50) for n in range(40)]
    openings.append(Opening(2, (6, 0), bytes(16), "x" * 900))
    made = list(portions(openings, 400))
    assert [item for items, _ in made for item in items] == openings
    assert [last for _, last in made] == [False] * (len(made) - 1) + [True]
    assert all(len(items) == 1 or len(items) <= 5 for items, _ in made)
    assert list(portions([])) == [((), True)]


def test_a_file_that_stops_after_the_end_is_not_complete() -> None:
    """The operator withholds what was hidden: the result stands, with a reservation and no
    witness."""
    played = hidden()
    end = kind_of(played, records.END)
    for count in (end.seq + 1, end.seq + 2):
        report = found(file_of(played.records[:count], key=played.key))
        assert findings_of(report) == () and report.code() == 3
        assert report.ended and report.winner == bodies.End.read(end.body).winner
        assert "audit.reservation.unopened" in [item.said.key for item in reservations_of(report)]
        assert report.code(("allow-no-head", "so-far")) == 3
        assert report.code(("allow-no-head", "so-far", "allow-unopened")) == 0
    hand = played.hands["a"]
    item = ("a", hand.public, end.seq, end.hash, hand.witness(end.seq, end.hash))
    data = file_of(played.records[: end.seq + 1], key=played.key, witnesses=[item])
    assert "audit.witness_early" in keys(found(data))


def refused(made: list[Record], played: Played, seq: int, key: str) -> None:
    """Both auditors and a client that follows find it."""
    data = file_of(made, key=played.key)
    said = [(item.seq, item.said.key) for item in findings_of(found(data))]
    assert (seq, key) in said, said
    with pytest.raises(Exception):  # noqa: B017 - whatever it trips over, it is found
        mini_auditor.audit(data)
    watch = Watch("g1", "public")
    watch.take(0, [(record.data, b"") for record in made])
    assert isinstance(watch.fault, LinkError)


def test_an_opening_withheld_repeated_or_out_of_order_is_found() -> None:
    """In one record or across two, with the chain mended and signed again."""
    played = hidden()
    first, second = reveals(played)[:2]
    one, two = first.body[0], second.body[0]
    edits: list[tuple[dict[int, Any], int]] = [
        ({first.seq: (one[1:], False)}, first.seq),
        ({second.seq: ((*two, two[-1]), False)}, second.seq),
        ({second.seq: ((one[0], *two), False)}, second.seq),
        ({first.seq: (two, False), second.seq: (one, False)}, first.seq),
    ]
    for changed, seq in edits:
        key = "acts.reveal_order" if changed[min(changed)][0] else "acts.reveal_empty"
        refused(chained(played, changed), played, seq, key)


def test_a_last_record_that_leaves_something_sealed_is_found() -> None:
    """The rest is kept back by saying that there is none."""
    played = hidden()
    first = reveals(played)[0]
    made = chained(played, {first.seq: (first.body[0], True)})[: first.seq + 1]
    refused(made, played, first.seq, "acts.unopened")


def test_nothing_but_openings_follows_the_end_and_nothing_the_last_of_them() -> None:
    """A move, a key or an opening behind what closes the log."""
    played = hidden()
    end, last = kind_of(played, records.END), reveals(played)[-1]
    ask = ("a", "draw", 0, (played.hands["a"].public, 99, end.hash, bytes(64)))
    made = [
        *played.records[: end.seq + 1],
        records.make(end.seq + 1, end.at_ms, "a", records.ASK, ask, end.hash),
    ]
    refused(made, played, end.seq + 1, "acts.not_revealed")
    more = records.make(last.seq + 1, last.at_ms, "server", records.REVEAL, ((), True), last.hash)
    refused([*played.records, more], played, last.seq + 1, "acts.after_whole")


def test_secrets_opened_before_the_end_are_found() -> None:
    """A `reveal` in the middle of the game shows what an opponent hides."""
    played = hidden(whole=False)
    end = kind_of(played, records.END)
    kept = dict(enumerate(played.openings))
    ((opened, _),) = portions(left_sealed(played.records, kept))
    body = (tuple(item.as_array() for item in opened), True)
    before = played.records[end.seq - 2]
    made = [
        *played.records[: end.seq - 1],
        records.make(end.seq - 1, before.at_ms, "server", records.REVEAL, body, before.hash),
    ]
    refused(made, played, end.seq - 1, "acts.reveal_early")


def test_a_ledger_opens_nothing_before_the_end_nor_after_the_last() -> None:
    """It refuses, and has changed nothing."""
    played = start()
    assert isinstance(played.ledger.propose_reveal((), played.at_ms, last=True), Refusal)
    played = hidden()
    assert isinstance(played.ledger.propose_reveal((), played.at_ms, last=True), Refusal)


def test_the_end_tells_the_score_and_what_ended_the_game() -> None:
    """By the rules, by resignation, by a draw, and for a game that never began."""
    played = hidden()
    end = bodies.End.read(kind_of(played, records.END).body)
    assert end.by == "rules" and dict(end.scores) == played.ledger.rules.score(played.position)
    played = start()
    played.submit("a", "add", 4)
    played.commit(played.resign("b"))
    end = bodies.End.read(kind_of(played, records.END).body)
    assert (end.by, end.scores) == ("resign", (("a", 4), ("b", 0)))
    played = start()
    played.commit(played.draw("a"))
    played.commit(played.answer("b", True))
    assert bodies.End.read(kind_of(played, records.END).body).by == "draw"
    played = begin(played.ledger.rules, {}, start=False)
    played.commit(played.ledger.propose_expiry(played.at_ms))
    end = bodies.End.read(kind_of(played, records.END).body)
    assert (end.by, end.scores) == ("expired", ()) and findings_of(found(played.file())) == ()


def test_another_score_or_another_cause_is_found() -> None:
    """Points that the position does not give are found by deciding again; seats that there are not,
    or are out of order, and another cause, from the evidence alone."""
    played = hidden()
    end = kind_of(played, records.END)
    scores = bodies.End.read(end.body).scores
    report = found(forged(played, end.seq, (7, 0, 1), 99))
    assert [(item.seq, item.field) for item in findings_of(report)] == [(end.seq, "scores[0][1]")]
    for wrong in (scores[::-1], (("c", 1),), (scores[0], scores[0])):
        assert_found(forged(played, end.seq, (7,), wrong), end.seq, "scores", "acts.scores")
    for by in ("resign", "flag", "expired"):
        assert_found(forged(played, end.seq, (8,), by), end.seq, "by", "acts.other_cause")
    made = chained(played, {end.seq: put(end.body, (8,), "")})
    assert found(file_of(made, key=played.key)).code() == 1
