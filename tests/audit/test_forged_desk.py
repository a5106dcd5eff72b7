"""Clocks and rulings, forged as whoever has the server's secrets would: the whole audit and the
small auditor object to the same logs (and the page, see `tests/browser/test_signed_modules.py`)."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.audit import mini_auditor
from tests.audit.attacked_desk import ANN, SOUND, UNSOUND, Log, heard, outages, table
from tests.audit.tamper import file_of
from tests.verdicts import findings_of, notes_of, reservations_of
from warledger.clients.audit.audit import audit
from warledger.engine.testing.randomgames import signing_key


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
    (told,) = [dict(one.args) for one in notes_of(report) if one.key == "audit.note.outages"]
    assert told == {"count": 2, "seconds": 25, "longest": 20}
