"""Clocks and rulings, forged as whoever has the server's secrets would: the whole audit and the
small auditor object to the same logs (and the page, see `tests/browser/test_signed_modules.py`)."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.audit import mini_auditor
from tests.audit.attacked_desk import ANN, SOUND, UNSOUND, Log, heard, outages, table
from tests.audit.tamper import file_of
from tests.toys import TOYS, counting
from tests.verdicts import findings_of, remarks_of, reservations_of
from warledger.clients.audit.audit import Rulebook, audit, compare
from warledger.engine.testing.randomgames import Played, begin, signing_key
from warledger.protocol.lang import phrases
from warledger.protocol.log import deskbodies, wlog
from warledger.protocol.log.chain import sign_head

RULEBOOK = Rulebook(TOYS.__getitem__)


def audited(log: Any) -> Any:
    """The audit of a log, signed with the server's key."""
    data = file_of(log.records, key=signing_key())
    return audit(data, key=signing_key().verify_key.encode())[0], data


@pytest.mark.parametrize("name", SOUND)
def test_what_stands_is_sound_for_both_auditors(name: str) -> None:
    """Nothing is found in it."""
    report, data = audited(SOUND[name]())
    assert findings_of(report) == ()
    mini_auditor.audit(data)


@pytest.mark.parametrize("name", UNSOUND)
def test_what_does_not_stand_is_named_at_its_record(name: str) -> None:
    """At the newest record and at none before; the small auditor refuses the file."""
    log = UNSOUND[name]()
    report, data = audited(log)
    assert {one.seq for one in findings_of(report)} == {log.last}
    with pytest.raises(mini_auditor.Unsound):
        mini_auditor.audit(data)


def resigned() -> Log:
    """A player resigns, and nothing follows."""
    log = Log(table())
    return log.put("a", "ask", "a", "resign", 0, log.by("a", "ask", "resign", 0))


HALF: dict[str, Callable[[], Log]] = {
    "a ruling without its second remedy": lambda: (
        heard()
        .rule(ANN, ("time", "a", 5), ("time", "b", 5))
        .put("server", "clock", "credit", "a", 5, "credit.ruling", (("claim", 1),))
    ),
    "a ruling that forfeits, without the end": lambda: heard().rule(ANN, ("forfeit", "a")),
    "a resignation without the end": resigned,
}


@pytest.mark.parametrize("name", HALF)
def test_a_file_that_ends_half_way_has_a_reservation_that_nothing_allows(name: str) -> None:
    """It must not pass as a game that is still in progress."""
    report, _ = audited(HALF[name]())
    assert findings_of(report) == ()
    assert [one.said.key for one in reservations_of(report) if not one.flag] == [
        "audit.reservation.half_done"
    ]


def test_outages_are_told() -> None:
    """They are the server's word alone."""
    report, _ = audited(outages((0, 5_000), (6_000, 26_000)))
    (told,) = [dict(one.args) for one in remarks_of(report) if one.key == "audit.remark.outages"]
    assert told == {"count": 2, "seconds": 25, "longest": 20}


def _begun() -> Played:
    """The same game whenever it is asked for."""
    played = begin(counting.RULES, counting.PACK, options={"turns": 10, "epoch_turns": 100})
    for _ in range(4):
        played.submit(played.position.open[0][0], "add", 1)
    return played


def test_a_game_cut_short_and_ended_by_a_ruling_is_told_and_contradicted() -> None:
    """No player signs a ruling, so a server can end by one whatever it has cut off: the verdict
    names it, and a receipt of a record behind the cut is a finding."""
    whole = _begun()
    while whole.position.open:
        whole.submit(whole.position.open[0][0], "add", 1)
    cut = _begun()
    cut.commit(cut.note(ANN, deskbodies.Claim(1, "", cut.records[-1].seq, "9.2", "Enough.")))
    cut.commit(cut.note(ANN, deskbodies.Heard(1)))
    cut.commit(cut.rule(ANN, 1, ("forfeit", "a")))
    key = cut.key.verify_key.encode()

    report, _ = audit(cut.file(), key=key, rulebook=RULEBOOK)
    assert findings_of(report) == ()
    assert "audit.remark.ruled" in [one.key for one in remarks_of(report)]
    assert any("Ann" in line for line in report.lines(phrases("en")))
    behind = whole.records[len(_begun().records)]
    receipt = sign_head(whole.key, "g1", behind.seq, behind.hash)
    report, _ = audit(cut.file(), key=key, receipts=[receipt], rulebook=RULEBOOK)
    assert [one.said.key for one in findings_of(report)] == ["audit.receipt"]


def test_two_files_say_that_the_server_signed_both_histories() -> None:
    """Whichever of them is true, the server has shown two; without its signature in one of them
    nobody knows who wrote that."""
    one, other = _begun(), _begun()
    while one.position.open:
        one.submit(one.position.open[0][0], "add", 1)
    other.commit(other.resign("a"))
    files = one.file(), other.file()
    unsigned = wlog.encode(
        [frame for frame in other.frames() if frame.kind != wlog.FRAME_HEAD], sealed=True
    )
    for theirs, key in ((files[1], "part_signed"), (unsigned, "part")):
        examined = [audit(data, replay=False)[1] for data in (files[0], theirs)]
        compared = compare(examined[0], examined[1], ("one", "other"))
        assert (compared.agree, compared.said.key) == (False, f"audit.compare.{key}")


def test_a_loss_on_time_is_told() -> None:
    """That the clock had run out is the server's word."""
    terms = {"clock": {"bank": 600_000, "fall": "loss"}}
    played = begin(counting.RULES, counting.PACK, options={"turns": 10}, terms=terms)
    played.at_ms += 600_000
    played.commit(played.ledger.propose_flag(played.at_ms))
    report, _ = audit(played.file(), rulebook=RULEBOOK)
    assert findings_of(report) == ()
    assert "audit.remark.on_time" in [one.key for one in remarks_of(report)]
