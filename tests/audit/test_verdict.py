"""The verdict of an audit: what each flag allows, and what is told beside it."""

import re
from pathlib import Path

from tests.audit import mini_auditor
from tests.audit.attacked import RULEBOOK, found, start, whole
from tests.audit.tamper import file_of
from tests.toys import TOYS
from tests.verdicts import is_clean, notes_of, remarks_of, reservations_of
from warledger.clients.audit.audit import Rulebook, audit
from warledger.clients.audit.verdict import CHAIN_ONLY, FLAGS
from warledger.engine.testing.randomgames import arbiter, sit_down
from warledger.protocol import canon, lang
from warledger.protocol.chance import dice
from warledger.protocol.log import records, wlog
from warledger.protocol.log.records import Genesis
from warledger.protocol.seats import acts
from warledger.protocol.seats.acts import Hand

ROOT = Path(__file__).resolve().parents[2]


def test_each_flag_allows_just_what_it_names() -> None:
    """A game in progress, an unsigned seat, no key: each has its code, each its flag, and several
    at once need several."""
    played = start()
    report = found(played.file())
    assert (
        report.code() == 3
        and report.code(("so-far",)) == 0
        and report.code(("allow-no-head",)) == 3
    )
    bare, _ = audit(played.file(), rulebook=RULEBOOK)
    assert bare.code() == 4 and bare.code(("allow-no-head",)) == 3 and bare.code(("so-far",)) == 4
    assert bare.code(("allow-no-head", "so-far")) == 0


def test_a_seat_that_signs_nothing_is_a_reservation() -> None:
    """Where the genesis allows it, an unsigned seat plays, and the verdict and the lines about
    seats say so."""
    played = start(start=False, terms={"unsigned_seats": True})
    played.hands["b"] = Hand(played.ledger.genesis.hash, "b", None)
    sit_down(played, 0)
    played.submit("a", "roll")
    played.submit("b", "hide", "caterpillar")
    played.commit(played.resign("b"))
    report = found(played.file())
    assert report.verdict.level == 2 and [item.name for item in reservations_of(report)] == [
        "unsigned"
    ]
    assert report.code() == 3 and report.code(("allow-unsigned-seats",)) == 0
    assert report.signers["b"].signed_to is None and report.signers["a"].signed_to is not None
    assert mini_auditor.audit(played.file()).ended


def test_self_play_is_never_called_plain_sound() -> None:
    """Its genesis says so, and so does the verdict, without a key and with code 0."""
    played = start(terms={"self_play": True})
    played.commit(played.resign("a"))
    report, _ = audit(played.file(), rulebook=RULEBOOK)
    assert report.verdict.word == "self_play" and report.code() == 0


def test_a_pack_and_options_of_ones_own_stand_in_the_verdict() -> None:
    """A game with another pack than the one shipped, or an option that is not the default, does not
    pass silently; the code stays 0."""
    book = Rulebook(TOYS.__getitem__, lambda title: bytes(32), lambda title: b"\1" * 32)
    report, _ = audit(whole().file(), key=whole().key.verify_key.encode(), rulebook=book)
    assert report.code() == 0 and [item.key for item in remarks_of(report)] == ["audit.remark.pack"]
    other = start(2)
    other.commit(other.resign("a"))
    report = found(other.file())
    assert [item.key for item in remarks_of(report)] == ["audit.remark.options"]


def test_how_far_each_seat_signed_and_the_table_code() -> None:
    """Up to the newest record that its acts name, its own records, and its witness; the code is
    what both players saw at the start."""
    played = whole()
    report = found(played.file())
    genesis = played.ledger.genesis.hash
    signed = [
        (act.seat, record.seq) for record in played.records for act in acts.acts_of(genesis, record)
    ]
    last = {seat: max(seq for who, seq in signed if who == seat) for seat in "ab"}
    assert {seat: signer.signed_to for seat, signer in report.signers.items()} == last
    hand, end = played.hands["a"], played.records[-1]
    item = ("a", hand.public, end.seq, end.hash, hand.witness(end.seq, end.hash))
    report = found(file_of(list(played.records), key=played.key, witnesses=[item]))
    assert report.signers["a"].signed_to == end.seq and report.witnesses == ("a",)
    entries = [(seat, *arbiter(f"p_{seat}"), played.hands[seat].public) for seat in "ab"]
    nonces = [r.body[2] for r in played.records if r.kind == records.SEAT and r.body[0] == "nonce"]
    assert report.table_code == acts.table_code(
        Genesis.from_record(played.records[0]).hash, entries, nonces
    )


def test_every_draw_is_listed_with_its_seed() -> None:
    """Open and hidden draws, each with what was drawn, what for, and the seed that gives it."""
    dice_of = found(whole().file()).dice
    assert [die.purpose for die in dice_of] == ["fortune", "cup"] and all(
        die.agrees and die.seed for die in dice_of
    )
    assert [
        dice.draw_index(die.seed or b"", die.counter, die.purpose, die.sides or 1)
        for die in dice_of
    ] == [die.index for die in dice_of]


def test_bookkeeping_and_a_missing_end_mark_are_notes() -> None:
    """A meta frame and no end frame: both auditors go on, and the report says what they mean."""
    first, *rest = wlog.parse(whole().file()).frames
    frames = [first, wlog.Frame(wlog.FRAME_META, canon.pack("token")), *rest]
    data = wlog.encode(frames, sealed=False)
    report = found(data)
    assert is_clean(report) and {"audit.note.meta", "audit.note.not_sealed"} <= {
        note.key for note in notes_of(report)
    }
    assert mini_auditor.audit(data).ended


def test_the_page_for_arbiters_names_everything() -> None:
    """Every reservation with its flag, and every field of --json, as they are."""
    page = (ROOT / "docs" / "audit.md").read_text(encoding="utf-8")
    reserved, data = page.split("## Reservations")[1].split("## As data")
    rows = [line.split("|") for line in reserved.splitlines() if line.startswith("| `")]
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row[1])}
    known = {
        key.removeprefix("audit.reservation.")
        for key in lang.catalogue("en")
        if key.startswith("audit.reservation.")
    }
    assert named == known
    assert {flag for row in rows for flag in re.findall(r"`--([\w-]+)`", row[3])} == set(FLAGS)
    fields = [line.split("|")[1] for line in data.splitlines() if line.startswith("| `")]
    told = found(whole().file()).as_data(lang.phrases("en"))
    assert sorted(name for one in fields for name in re.findall(r"`(\w+)`", one)) == sorted(
        {*told, "file", "dice"}
    )


def test_a_game_is_told_in_eight_lines() -> None:
    """A sound one, one in progress without a key, one with a hundred findings: what was checked
    comes first, then what was not, what that means, and what to do, in every language."""
    cut = start().file()
    for report in (found(whole().file()), audit(cut)[0], audit(cut[:-40])[0]):
        for language in lang.LANGUAGES:
            spoken = lang.phrases(language)
            lines = list(report.lines(spoken))
            assert len(lines) <= 8 and not any("⟨" in line for line in lines)
            begins = ("audit.checked", "audit.unchecked")
            for line, key in zip(lines[1:], begins, strict=False):
                assert line.startswith(spoken.text(key, what="")[:3])


def test_every_reservation_is_named_on_the_page() -> None:
    """The page's table has the names that the auditors use, each once, and the flags that allow
    them."""
    page = (ROOT / "protocol" / "file.md").read_text(encoding="utf-8")
    table = page.split("Each reservation has a name")[1].split("\n\n")[1]
    named = re.findall(r"`(\w+)`", table)
    texts = lang.catalogue("en")
    family = "audit.reservation."
    known = {key.removeprefix(family) for key in texts if key.startswith(family)}
    assert sorted(named) == sorted(known)
    assert set(re.findall(r"`--([\w-]+)`", table)) == {*FLAGS, CHAIN_ONLY}
