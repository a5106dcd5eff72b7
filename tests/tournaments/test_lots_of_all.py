"""The one ceremony by which entrants take part in the lots of a tournament, and what a desk or an
entrant may try in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.tournaments.desk import KEY, MINUTE, PUBLIC, Desk, charter_of, written
from tests.verdicts import findings_of, remarks_of, reservations_of
from warledger.clients.audit.audit import installed
from warledger.clients.audit.report import Report
from warledger.clients.audit.tournamentreplay import audit_tournament
from warledger.clients.audit.verdict import ALLOW_DESK_LOTS, FLAGS
from warledger.clients.link.errors import BadServer
from warledger.clients.link.tournament import rostered
from warledger.engine.tournaments.tournamentledger import Again, Batch, Ledger
from warledger.protocol import tournaments as forms
from warledger.protocol.board.choices import Refusal
from warledger.protocol.chance import dice
from warledger.protocol.lang import phrases
from warledger.protocol.log import records, wlog
from warledger.protocol.log.chain import sign_head

POST: dict[str, Any] = {"sides": {"by": "lots"}}
DAY: dict[str, Any] = {**POST, "absence": {"check_in_minutes": 15}}
EVENTS = 5


def made(doc: dict[str, Any], count: int) -> Desk:
    """So many who have entered, and checked in where the charter asks for it; nobody shows a nonce
    by themselves."""
    desk = Desk(charter_of({**doc, "stage": [{"system": "record", "rounds": 2}]}))
    desk.showing = False
    desk.enter(count)
    if "absence" in doc:
        desk.check_in(range(1, count + 1))
    return desk


def show(desk: Desk, *numbers: int) -> None:
    """These nonces are handed in."""
    for number in numbers:
        desk.do("server", "show", number, desk.nonce(number).hex())


def go_on(desk: Desk) -> None:
    """What was asked for before the wait, and the round is published."""
    desk.do("server", *desk.at.asked)
    desk.do("d:dora", "publish")


def audited(data: bytes, level: int = 2, **more: Any) -> Report:
    """The report of a file."""
    rulebook = installed() if level == 2 else None
    return audit_tournament(data, key=PUBLIC, rulebook=rulebook, **more)


def names(report: Report) -> set[str]:
    """The reservations that concern the lots."""
    return {one.name for one in reservations_of(report)} - {"so_far"}


def keys(report: Report) -> set[str]:
    """What the findings say."""
    return {one.said.key.rpartition(".")[2] for one in findings_of(report)}


@pytest.mark.parametrize("doc", [POST, DAY], ids=["post", "day"])
@pytest.mark.parametrize("count", [2, 8, 128])
@pytest.mark.parametrize("away", ["nobody", "one", "half"])
def test_all_lots_come_from_all_nonces_or_from_the_desk_alone(
    doc: dict[str, Any], count: int, away: str
) -> None:
    """The pairing waits for the nonces; with one missing at the deadline no nonce counts, and the
    audit says so with the numbers and blames nobody."""
    desk = made(doc, count)
    gone = {"nobody": 0, "one": 1, "half": count // 2}[away]
    desk.do("d:dora", "pair")
    assert desk.at.last is None and desk.at.roster == tuple(range(1, count + 1))
    show(desk, *range(gone + 1, count + 1))
    if gone:
        assert desk.refused("server", "end_wait") == ("lots.minutes", "lots_wait")
        assert desk.refused("d:dora", "pair") == ("lots.minutes", "lots_wait")
        desk.at_ms += (3 if "absence" in doc else 72 * 60) * MINUTE
        late = desk.propose("server", "show", 1, desk.nonce(1).hex())
        assert isinstance(late, Refusal) and late.key == "refusal.tournament.nonce_late"
        desk.do("server", "end_wait")
    go_on(desk)
    expected = () if gone else tuple(map(desk.nonce, range(1, count + 1)))
    assert desk.at.lot_nonces == expected
    report = audited(desk.file())
    assert not findings_of(report) and names(report) == ({"lots_of_desk"} if gone else set())
    assert report.code(("so-far",)) == (3 if gone else 0)
    assert report.code(("so-far", ALLOW_DESK_LOTS)) == 0
    if gone:
        (said,) = (one.said for one in reservations_of(report) if one.name == "lots_of_desk")
        assert dict(dict(said.args)["why"][1])["numbers"] == tuple(range(1, gone + 1))


def test_who_has_committed_to_nothing_is_not_waited_for() -> None:
    """Entrants whom a director enters from a file take no part; with none on the roster the act
    follows at once, and with one alone the lots count as the desk's."""
    desk = Desk(charter_of(**POST))
    desk.enter(4, nonces=False)
    record = desk.do("d:dora", "pair")
    assert record.actor == "d:dora" and desk.at.roster == () and desk.at.last is not None
    assert names(audited(desk.file())) == {"lots_of_desk"}
    desk = Desk(charter_of(**POST))
    desk.enter(3, nonces=False)
    desk.enter(1)
    desk.do("d:dora", "pair")
    assert desk.at.roster == (4,)
    assert names(audited(desk.file())) == {"lots_of_desk"}


@pytest.mark.parametrize(("own", "others"), [(2, 1), (2, 2), (2, 3), (2, 6)])
def test_lots_of_few_are_the_desks_and_of_some_are_told(own: int, others: int) -> None:
    """A desk may put its own people alone on the roster, whose nonces it knows. With fewer than
    half of those who were there the lots count as the desk's; with fewer than all it is told."""
    desk = Desk(charter_of(**POST))
    desk.enter(own)
    desk.enter(others, nonces=False)
    desk.do("d:dora", "pair")
    desk.do("d:dora", "publish")
    assert desk.at.roster == tuple(range(1, own + 1))
    report = audited(desk.file())
    few = 2 * own < own + others
    assert names(report) == ({"lots_of_desk"} if few else set())
    told = [dict(one.args) for one in remarks_of(report) if one.key == "audit.remark.lots_of_some"]
    assert told == ([] if few else [{"count": own, "all": own + others}])


def test_who_checks_in_behind_the_roster_counts_as_there() -> None:
    """Else a desk would let its own people check in first, draw, and unpair again."""
    desk = made({**DAY, "late": {"until_round": 2}}, 2)
    desk.do("d:dora", "pair")
    show(desk, 1, 2)
    desk.do("server", *desk.at.asked)
    desk.do("d:dora", "unpair", "slip")
    desk.enter(4, nonces=False)
    desk.check_in(range(3, 7))
    desk.do("d:dora", "pair")
    desk.do("d:dora", "publish")
    assert names(audited(desk.file())) == {"lots_of_desk"}


def test_an_amendment_is_told() -> None:
    """The verdict's line counts them, and each is told with its reason."""
    desk = made(POST, 4)
    desk.do("d:dora", "amend", "stage[1].rounds", 3, "one more evening")
    report = audited(desk.file())
    (told,) = [dict(one.args) for one in remarks_of(report) if one.key == "audit.remark.amended"]
    assert told["why"] == "one more evening"
    assert "1 amendment" in phrases("en").say(report.verdict.meaning(FLAGS))


def test_anybodys_act_is_the_desks_word() -> None:
    """In a ledger nobody but the server signs, so an act in somebody's name is no proof that they
    gave it."""
    desk = made(POST, 4)
    desk.do("e:3", "withdraw", 3)
    assert not findings_of(audited(desk.file()))


def test_the_roster_is_who_is_there_and_nobody_joins_it() -> None:
    """Withdrawn, not checked in, without a commitment: not on it. A late entrant brings no nonce
    into any lot, however often they enter."""
    desk = made({**DAY, "late": {"until_round": 2}}, 6)
    desk.enter(1)  # 7 is not checked in
    desk.enter(1, nonces=False)
    desk.check_in([8])
    desk.do("e:2", "withdraw", 2)
    desk.do("d:dora", "pair")
    assert desk.at.roster == (1, 3, 4, 5, 6)
    desk.enter(1)
    assert desk.refused("server", "show", 9, desk.nonce(9).hex()) == ("", "pick")
    assert desk.refused("e:9", "commit", bytes(32).hex()) == ("lots", "rostered")
    show(desk, 1, 3, 4, 5, 6)
    go_on(desk)
    assert not findings_of(audited(desk.file()))


def test_an_entrant_commits_anew_until_the_roster_is_written() -> None:
    """The newest commitment counts; a nonce that fits the older one is refused."""
    desk = made(POST, 2)
    fresh = dice.bound_nonce_hash(desk.at.founding.hash, "e:1", bytes(32))
    desk.do("e:1", "commit", fresh.hex())
    desk.do("d:dora", "pair")
    assert desk.refused("server", "show", 1, desk.nonce(1).hex()) == ("", "nonce")
    desk.do("server", "show", 1, bytes(32).hex())
    show(desk, 2)
    go_on(desk)
    assert not findings_of(audited(desk.file()))


def test_ratings_wait_for_nonces_and_for_the_check_in() -> None:
    """An order by rating draws, too: it is refused before the check-in of the first round is over,
    and by post it waits."""
    desk = made(DAY, 4)
    refused = ("absence.check_in_minutes", "check_in_first")
    assert desk.refused("d:dora", "number", "rating") == refused
    desk = made(POST, 4)
    desk.do("d:dora", "number", "rating")
    assert desk.at.asked == ("number", "rating") and not desk.at.order
    show(desk, 1, 2, 3, 4)
    desk.do("server", *desk.at.asked)
    assert desk.at.order and not desk.at.asked


def test_a_director_may_end_the_wait_and_what_is_sent_twice_is_one_act() -> None:
    """Under the same reservation; nothing is drawn a second time, whatever is shown later."""
    desk = made(POST, 3)
    desk.do("d:dora", "pair", act_id=b"once")
    assert isinstance(desk.propose("d:dora", "pair", act_id=b"once"), Again)
    desk.do("d:dora", "end_wait")
    go_on(desk)
    assert desk.refused("server", "show", 1, desk.nonce(1).hex()) == ("lots", "no_wait")
    assert names(audited(desk.file())) == {"lots_of_desk"}


def test_what_concerns_the_lots_is_never_amended() -> None:
    """Neither how long is waited, nor whether there is a check-in."""
    for doc, key in ((POST, "absence.check_in_minutes"), (DAY, "lots.minutes")):
        desk = made(doc, 2)
        assert desk.refused("d:dora", "amend", key, 5, "I would rather") == ("", "pick")


def test_a_desk_that_is_killed_at_any_step_goes_on() -> None:
    """Read again after every record, the ledger offers the same, and the file is the same."""
    whole = made(POST, 3)
    whole.do("d:dora", "pair")
    show(whole, 1, 2, 3)
    go_on(whole)
    for count in range(3, len(whole.log) + 1):
        again = Ledger(whole.log[0], whole.keys, whole.at.title_of)
        again.load(whole.log[1:count], {})
        desk = made(POST, 0)
        desk.ledger, desk.log = again, list(whole.log[:count])
        desk.sent = 1_000
        at = desk.at
        while len(at.entrants) < 3:
            desk.enter(1)
            at = desk.at
        if at.roster is None:
            desk.do("d:dora", "pair")
        show(desk, *desk.at.missing)
        if desk.at.asked:
            desk.do("server", *desk.at.asked)
        assert desk.at.last is not None
        if count > 2 and not desk.at.last.published:
            assert desk.at.last.boards == whole.at.rounds[0].boards


# --- attacks --------------------------------------------------------------------------------------

FORGERIES: dict[str, tuple[str, Callable[[Any], Any], str]] = {
    "drops a check-in that counted": ("checked", lambda e: ("checked", 1, 1), "roster"),
    "leaves somebody off": ("rostered", lambda e: (e[0], e[1][1:], e[2]), "roster"),
    "puts a late one on": ("rostered", lambda e: (e[0], (*e[1], 9), e[2]), "roster"),
    "shows another nonce": ("nonce", lambda e: (*e[:2], bytes(32)), "nonce"),
    "writes maps for numbers": (
        "checked",
        lambda e: ("opened", *[{}] * len(forms.EVENTS["opened"])),
        "record",
    ),
    "reports with maps": (
        "checked",
        lambda e: ("reported", *[{}] * len(forms.EVENTS["reported"])),
        "record",
    ),
    "ends the wait early": ("nonce", lambda e: ("waited", (1, 2, 3, 4)), "wait_ended"),
}


@pytest.mark.parametrize("what", FORGERIES)
def test_a_desk_that_chooses_is_found_from_the_file_alone(what: str) -> None:
    """Whoever holds the server's key cannot choose who takes part: level 1 says so."""
    tag, change, key = FORGERIES[what]
    desk = made(DAY, 4)
    desk.do("d:dora", "pair")
    show(desk, 1, 2, 3, 4)
    go_on(desk)
    seqs = [
        record.seq
        for record in desk.log[1:]
        if record.kind == forms.ACT and record.body[EVENTS][0][0] == tag
    ]
    seq = seqs[-1] if tag == "checked" else seqs[0]
    data = desk.forged(
        seq, lambda body: (*body[:EVENTS], (change(body[EVENTS][0]),), *body[EVENTS + 1 :])
    )
    assert key in keys(audited(data, 1))


def test_a_lot_before_the_nonces_are_settled_is_found() -> None:
    """A desk that pairs without the ceremony, by its own chain, and signs it."""
    desk = made(POST, 3)
    desk.do("d:dora", "pair")
    show(desk, 1, 2, 3)
    go_on(desk)
    log = [
        record
        for record in desk.log
        if not (record.kind == forms.ACT and record.body[EVENTS][0][0] in ("rostered", "nonce"))
    ]
    chained = [log[0]]
    for record in log[1:]:
        body, last = record.body, chained[-1]
        if record.kind == forms.ACT:
            body = (*body[:3], b"", *body[4:])
        made_ = records.make(last.seq + 1, record.at_ms, record.actor, record.kind, body, last.hash)
        chained.append(made_)
    assert "lot_early" in keys(audited(written(chained, {}), 1))


def test_a_desk_that_forks_after_the_nonces_is_found_by_a_clients_receipt() -> None:
    """The client keeps the head of the history with its roster before it shows its nonce; another
    history then contradicts it."""
    desk = made(POST, 3)
    fork = made(POST, 3)
    desk.do("d:dora", "pair")
    head = rostered(desk.file(), "cup", 1, desk.nonce(1))
    assert head is not None
    show(desk, 1, 2, 3)
    fork.enter(1)  # an accomplice, now that the others' nonces are known
    fork.do("d:dora", "pair")
    show(fork, 1, 2, 3, 4)
    go_on(fork)
    assert not findings_of(audited(fork.file()))
    assert keys(audited(fork.file(), receipts=[head])) == {"receipt"}


def test_a_receipt_for_a_nonce_that_the_file_lacks_is_a_finding() -> None:
    """Whoever handed it in has the head of its record."""
    desk, other = made(POST, 2), made(POST, 2)
    for one in (desk, other):
        one.do("d:dora", "pair")
    show(desk, 1, 2)
    last = desk.log[-1]
    receipt = sign_head(KEY, "cup", last.seq, last.hash)
    show(other, 2)
    other.do("d:dora", "end_wait")
    go_on(other)
    report = audited(other.file(), receipts=[receipt])
    assert findings_of(report) and names(report) >= {"lots_of_desk"}


def test_a_client_shows_nothing_without_a_signed_roster_that_has_it() -> None:
    """Not before the roster, not twice, not where another nonce was committed to, and not for a
    head that another key has signed."""
    desk = made(POST, 2)
    entry = (1, desk.nonce(1))
    assert rostered(desk.file(), "cup", *entry) is None
    desk.do("d:dora", "pair")
    assert rostered(desk.file(), "cup", *entry) is not None
    assert rostered(desk.file(), "cup", 1, bytes(32)) is None
    show(desk, 1)
    assert rostered(desk.file(), "cup", *entry) is None
    other = Desk(charter_of(**POST), seed=2)
    headless, other_head = wlog.parse(desk.file()).frames[:-1], wlog.parse(other.file()).frames[-1]
    with pytest.raises(BadServer):
        rostered(wlog.encode(headless, sealed=True), "cup", *entry)
    with pytest.raises(BadServer):
        rostered(wlog.encode([*headless, other_head], sealed=True), "cup", *entry)
    with pytest.raises(BadServer):
        rostered(desk.file(), "other", *entry)


def test_a_batch_names_the_act_that_was_asked_for() -> None:
    """With an empty roster two records are one answer: that of the act."""
    desk = Desk(charter_of(**POST))
    desk.enter(2, nonces=False)
    batch = desk.propose("d:dora", "pair")
    assert isinstance(batch, Batch) and len(batch.records) == 2
    assert batch.seq == batch.records[1].seq and batch.records[0].actor == "server"
