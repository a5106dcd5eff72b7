"""What an auditor must find: damage, forgery, loaded dice, broken seals, doctored events. Each time
with the place."""

import random
from functools import cache
from typing import Any

import pytest

from tests.audit import slips
from tests.audit.slips import played as small
from tests.audit.tamper import chained, file_of, find, forged, put
from tests.toys import PACKS, TOYS
from tests.verdicts import findings_of, is_clean, notes_of, remarks_of, reservations_of
from warledger.clients.audit.audit import Rulebook, audit
from warledger.clients.audit.report import Report
from warledger.engine.runtime.game.gameexport import export_game
from warledger.engine.testing.randomgames import Played, begin, play, play_on, signing_key
from warledger.protocol import canon
from warledger.protocol.chance.seal import Opening
from warledger.protocol.log import bodies, chain, records, wlog
from warledger.protocol.log.chain import Head
from warledger.protocol.seats.acts import picks_digest

RULEBOOK = Rulebook(TOYS.__getitem__)


@cache
def counting(seed: int = 3) -> Played:
    """A whole game with rolls, hidden words, hidden draws and takebacks."""
    return play(TOYS["counting"], PACKS["counting"], seed, options={"turns": 10}, requests=0.15)


def found(data: bytes, **given: Any) -> Report:
    """The whole audit of a file."""
    return audit(data, rulebook=RULEBOOK, **given)[0]


def keys(report: Report) -> list[str]:
    """What is wrong, by key."""
    return [item.said.key for item in findings_of(report)]


# --- sound ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("title", TOYS)
def test_what_a_server_writes_is_sound(title: str) -> None:
    """Whole random games with takebacks and requests pass both levels, every draw and every opening
    checked."""
    for seed in range(8):
        played = play(TOYS[title], PACKS[title], seed, requests=0.2)
        report = found(played.file(), key=played.key.verify_key.encode())
        assert is_clean(report), f"seed {seed}: {findings_of(report)[:3]}"
        assert report.verdict.level == 2 and report.verdict.decided == len(played.records)
        assert report.waiting == 0 and report.sealed == 0 and report.ended
        assert {note.key for note in notes_of(report)} <= {"audit.note.dead_branch"}


def test_the_key_not_given_is_said() -> None:
    """Without --key nobody but the file vouches for it."""
    assert "no_key" in [one.name for one in reservations_of(audit(small().file())[0])]


# --- bytes ----------------------------------------------------------------------------------------


@slips.STEPS
def test_every_byte_counts(step: int) -> None:
    """Each byte of a short file flipped, taken out, or doubled with another put in: found, every
    time."""
    whole = slips.data()
    assert len(whole) <= 8192, len(whole)
    assert is_clean(found(whole))
    assert {frame.kind for frame in slips.frames()} >= {
        kind for _, kind, _ in wlog.walk(small().file(), len(wlog.MAGIC))
    }
    missed = [
        f"{slip} at {at}"
        for at in everywhere(step)
        for slip in slips.SLIPS
        if slips.of_slip(at, slip).sound
    ]
    if is_clean(audit(whole + b"\0")[0]):
        missed.append("appended")

    assert missed == []


def everywhere(step: int) -> list[int]:
    """The bytes of the file that are tried: its header, and those of every frame."""
    return [
        *range(len(wlog.MAGIC)),
        *(at for frame in slips.frames() for at in slips.tried(frame, step)),
    ]


@slips.STEPS
def test_a_file_cut_short_is_found(step: int) -> None:
    """However many bytes are missing from the end, a sealed file says so; at a frame's edge it is
    noted that the end mark is gone."""
    edges = {frame.begin for frame in slips.frames()}
    for at in everywhere(step):
        report = slips.of_cut(at)
        if at in edges and at > min(edges):
            assert not is_clean(report) or "audit.note.not_sealed" in [
                note.key for note in notes_of(report)
            ]
        else:
            assert not is_clean(report), f"cut at {at}"


def test_a_bad_frame_names_its_place() -> None:
    """The finding tells the byte where the file begins to be wrong."""
    data = small().file()
    offset = [offset for offset, _, _ in wlog.walk(data, len(wlog.MAGIC))][3]
    report = audit(data[: offset + 12] + b"\xff" + data[offset + 13 :])[0]
    assert findings_of(report)[0].said.key == "audit.damage"
    assert findings_of(report)[0].offset == offset


# --- the chain ------------------------------------------------------------------------------------


def frames_of(played: Played) -> list[wlog.Frame]:
    """The frames of a game's file."""
    return [frame for frame in played.frames() if frame.kind != wlog.FRAME_SECRETS]


def test_swapped_removed_and_doubled_records_are_found() -> None:
    """Any two neighbouring records swapped, any record but the last left out or doubled: the chain
    breaks, at that record."""
    only = [frame for frame in frames_of(counting()) if frame.kind == wlog.FRAME_RECORD]
    for at in range(len(only) - 1):
        for changed in (
            (*only[:at], only[at + 1], only[at], *only[at + 2 :]),
            (*only[:at], *only[at + 1 :]),
            (*only[:at], only[at], *only[at:]),
        ):
            report = audit(wlog.encode(changed, sealed=True))[0]
            assert not is_clean(report), at
            assert findings_of(report)[0].seq in (at, at + 1)


def test_records_spliced_from_another_game_are_found() -> None:
    """The end of one game behind the beginning of another, the chain mended, is no game."""
    one, other = counting(3).records, counting(4).records
    for at in range(5, min(len(one), len(other)) - 1, 7):
        arrays = [*one[:at], *other[at:]]
        previous, made = records.NO_HASH, []
        for seq, record in enumerate(arrays):
            made.append(
                records.make(
                    seq, 1_800_000_000_000, record.actor, record.kind, record.body, previous
                )
            )
            previous = made[-1].hash
        assert not is_clean(found(file_of(made, key=counting().key))), at


def test_any_record_left_out_is_found_though_the_chain_is_mended() -> None:
    """Numbered and chained anew and signed again, a log without one of its records is still found,
    if only by deciding again."""
    played = counting()
    for seq in range(1, len(played.records)):
        if bodies.closes_log(played.records[seq]):
            continue  # the file ends early then, and the verdict says so
        if played.records[seq].kind in (records.ASK, records.ANSWER):
            # a request that was declined leaves no trace in what follows; receipts show that it is
            # missing
            continue
        assert not is_clean(found(file_of(chained(played, drop=(seq,)), key=played.key))), (
            f"record {seq}"
        )


# --- signatures -----------------------------------------------------------------------------------


def resigned(played: Played) -> tuple[bytes, list[records.Record]]:
    """The game under a fresh key: named in the genesis, chained anew, signed."""
    fresh = signing_key("forger")
    genesis = put(played.records[0].body, (12,), fresh.verify_key.encode())
    made = chained(played, {0: genesis})
    return file_of(made, key=fresh), made


def test_a_file_signed_with_a_fresh_key_fails_by_itself_and_against_the_key() -> None:
    """Seats have signed the genesis, and with it the server's key: another key fails by their
    signatures, and against the server's own key."""
    played = small()
    data, _ = resigned(played)
    assert found(data).verdict.word == "unsound"
    assert "audit.other_key" in keys(found(data, key=played.key.verify_key.encode()))


def test_a_file_signed_with_a_fresh_key_fails_against_a_receipt_and_the_key() -> None:
    """A head that a client kept shows that the record is another, where the server's key is known
    to vouch for the receipt."""
    played = small()
    receipt = chain.sign_head(played.key, "g1", 7, played.records[7].hash)
    report = found(resigned(played)[0], receipts=[receipt], key=played.key.verify_key.encode())
    assert {"audit.other_key", "audit.receipt"} <= set(keys(report))


def test_a_receipt_that_no_key_signed_frames_nobody() -> None:
    """A head with another hash that the server never signed is a note: whoever holds receipts
    cannot make an honest file unsound."""
    played = small()
    invented = chain.sign_head(signing_key("player"), "g1", 7, bytes(32))
    report = found(played.file(), receipts=[invented], key=played.key.verify_key.encode())
    assert report.verdict.word == "sound" and "audit.note.receipt_unsigned" in [
        note.key for note in notes_of(report)
    ]


def test_history_rewritten_by_the_operator_fails_against_a_receipt() -> None:
    """The operator plays another game with the same key and secrets: nothing in the file shows it,
    a receipt does."""
    honest = small()
    other = begin(TOYS["counting"], PACKS["counting"], options={"turns": 2}, seed=1)
    play_on(other, random.Random(1))
    assert is_clean(found(other.file()))
    receipts = [chain.sign_head(honest.key, "g1", seq, honest.records[seq].hash) for seq in (4, 7)]
    report = found(other.file(), receipts=receipts)
    assert keys(report) == ["audit.receipt"]
    assert findings_of(report)[0].seq == 7


def test_a_receipt_beyond_the_file_shows_that_it_was_cut() -> None:
    """A file that ends before a record somebody has a receipt for is not sound."""
    played = small()
    receipt = chain.sign_head(played.key, "g1", 9, played.records[9].hash)
    short = file_of(list(played.records[:8]), key=played.key)
    assert is_clean(found(short))
    assert keys(found(short, receipts=[receipt])) == ["audit.head_beyond"]


def test_a_bad_signature_is_found() -> None:
    """A head whose signature is not the key's, and a head that signs another hash."""
    played = small()
    last = played.records[-1]
    good = chain.sign_head(played.key, "g1", last.seq, last.hash)
    for head, key in (
        (Head(good.game, good.seq, good.hash, bytes(64)), "audit.signature"),
        (chain.sign_head(played.key, "g1", last.seq, bytes(32)), "audit.head"),
        (chain.sign_head(played.key, "g2", last.seq, last.hash), "audit.head_game"),
    ):
        data = wlog.encode(
            [*frames_of(played)[:-1], wlog.Frame(wlog.FRAME_HEAD, canon.pack(head.as_array()))],
            sealed=True,
        )
        assert key in keys(found(data))


# --- dice -----------------------------------------------------------------------------------------


def rolled(played: Played) -> records.Record:
    """A record with an open roll."""
    return find(
        played,
        lambda record: (
            record.kind == records.COMMAND and any(draw[0] for draw in record.body[records.DRAWS])
        ),
    )


def test_a_changed_die_is_found_though_the_chain_is_mended() -> None:
    """The operator changes a die and signs anew with his own key: its seed gives another number."""
    played = counting()
    record = rolled(played)
    sides, index = record.body[records.DRAWS][0][3]
    report = audit(forged(played, record.seq, (records.DRAWS, 0, 3), (sides, (index + 1) % sides)))[
        0
    ]
    assert [
        (item.seq, item.said.key) for item in findings_of(report) if item.said.key == "acts.draw"
    ] == [(record.seq, "acts.draw")]
    assert findings_of(report)[-1].field == "draws[0]" or "draws[0]" in [
        item.field for item in findings_of(report)
    ]


def test_a_die_moved_to_another_counter_purpose_or_epoch_is_found() -> None:
    """A receipt's counter, purpose, epoch and sides are all under its seed or the order of
    draws."""
    played = counting()
    record = rolled(played)
    epoch, counter, purpose, (sides, index) = record.body[records.DRAWS][0]
    for place, new in (
        (0, epoch + 1),
        (0, epoch + 200),
        (1, counter + 1),
        (2, purpose + "x"),
        (3, (sides + 1000, index)),
    ):
        report = audit(forged(played, record.seq, (records.DRAWS, 0, place), new))[0]
        assert not is_clean(report), (place, new)


def test_a_die_from_a_seed_that_was_already_open_is_found() -> None:
    """After a turn's link is opened anybody could work dice out beforehand: a later draw from it is
    found."""
    played = counting()
    late = next(
        record
        for record in played.records
        if record.kind == records.COMMAND
        and any(draw[0] > 1 for draw in record.body[records.DRAWS])
    )
    index = next(i for i, draw in enumerate(late.body[records.DRAWS]) if draw[0] > 1)
    report = audit(forged(played, late.seq, (records.DRAWS, index, 0), 1))[0]
    assert "acts.epoch_back" in keys(report)


def test_links_and_nonces_must_be_those_committed_to() -> None:
    """Another link, another nonce, another hidden value, another salt key: each is found where it
    is shown."""
    played = counting()
    opened = find(played, lambda record: record.kind == records.OPEN)
    nonce = find(played, lambda record: record.kind == records.SEAT and record.body[0] == "nonce")
    end = find(played, lambda record: record.kind == records.END)
    for seq, path, key in (
        (opened.seq, (1,), "acts.link"),
        (nonce.seq, (2,), "acts.nonce"),
        (end.seq, (4,), "audit.hidden_value"),
        (end.seq, (5,), "audit.salt_key"),
        (end.seq, (3, 0, 1), "acts.link"),
    ):
        report = audit(forged(played, seq, path, b"\x07" * 32))[0]
        assert (seq, key) in [(item.seq, item.said.key) for item in findings_of(report)], key


def test_a_hidden_draw_is_checked_after_the_end() -> None:
    """A draw from the cup that its server steered: the seal opens to another index than the hidden
    seed gives."""
    played = begin(TOYS["counting"], PACKS["counting"], options={"turns": 1})
    honest = played.ledger._chance_for(played.position)

    class Loaded:
        """Chance that always draws the best chit."""

        def open(self, epoch: int, counter: int, purpose: str, sides: int) -> int:
            """As it should be."""
            return honest.open(epoch, counter, purpose, sides)

        def hidden(self, counter: int, purpose: str, sides: int) -> int:
            """Not as it should be."""
            return (honest.hidden(counter, purpose, sides) + 1) % sides

    played.ledger._chance = played.ledger._fixed_chance = Loaded()
    played.submit("a", "draw")
    played.submit("b", "pass")
    report = audit(played.file())[0]
    assert keys(report) == ["acts.draw"]
    assert findings_of(report)[0].field == "draws[0]"


# --- seals ----------------------------------------------------------------------------------------


def test_an_opening_that_does_not_match_is_found() -> None:
    """Another value, salt or place in an opening after the end, and in one made public before
    it."""
    played = counting()
    end = played.records[-1]
    assert end.body[0], "the game hides something"
    for place, new in ((3, "dog"), (2, bytes(16)), (1, (6, 0, 0)), (0, 1)):
        report = audit(forged(played, end.seq, (0, 0, place), new))[0]
        assert (end.seq, "audit.opening") in [
            (item.seq, item.said.key) for item in findings_of(report)
        ], place
    shown = find(
        small(), lambda record: record.kind == records.COMMAND and record.body[records.OPENED]
    )
    report = audit(forged(small(), shown.seq, (records.OPENED, 0, 3), "bumblebee"))[0]
    assert (shown.seq, "audit.opening") in [
        (item.seq, item.said.key) for item in findings_of(report)
    ]


def test_a_missing_opening_in_an_ended_game_is_found() -> None:
    """Each opening left out after the end is missed, at its place."""
    played = counting()
    last = played.records[-1]
    opened = last.body[0]
    for index in range(len(opened)):
        left = (*opened[:index], *opened[index + 1 :])
        report = audit(forged(played, last.seq, (0,), left))[0]
        at_the_last = index == len(opened) - 1
        key = "acts.unopened" if at_the_last else "acts.reveal_order"
        field = "openings" if at_the_last else f"openings[{index}]"
        assert (last.seq, field, key) in [
            (item.seq, item.field, item.said.key) for item in findings_of(report)
        ]


def test_a_private_opening_that_does_not_match_is_found() -> None:
    """What stands beside a record must open that record's seals."""
    played = counting()
    openings = {
        record.seq: kept
        for record, kept in zip(played.records, played.openings, strict=True)
        if kept
    }
    seq, kept = next(iter(openings.items()))
    wrong = Opening(kept[0].seq, kept[0].path, kept[0].salt, "dog", kept[0].readers)
    stray = Opening(kept[0].seq + 1, kept[0].path, kept[0].salt, kept[0].value, kept[0].readers)
    for bad, key in ((wrong, "audit.opening"), (stray, "audit.opening_stray")):
        data = file_of(
            list(played.records), key=played.key, openings={**openings, seq: (bad, *kept[1:])}
        )
        assert keys(audit(data)[0]) == [key]


def test_a_seal_never_opened_because_it_was_changed_is_found() -> None:
    """A seal replaced by another in a record: its opening at the end no longer fits."""
    played = counting()
    record = find(
        played,
        lambda item: item.kind == records.COMMAND and type(item.body[records.PICKS]) is canon.Seal,
    )
    report = audit(forged(played, record.seq, (records.PICKS,), canon.Seal(b"\1" * 32)))[0]
    assert "audit.opening" in keys(report)


# --- the course of the game -----------------------------------------------------------------------


def test_a_command_by_a_seat_that_was_not_asked_is_found() -> None:
    """The actor, the seat and the decision must be those the flow had asked."""
    played = counting()
    record = [item for item in played.records if item.kind == records.COMMAND][1]
    seat = record.body[records.COMMAND_SEAT]
    other = "b" if seat == "a" else "a"
    for path, new in (((records.COMMAND_SEAT,), other), ((records.DECISION,), record.body[0] + 1)):
        assert "audit.not_asked" in keys(audit(forged(played, record.seq, path, new))[0])


def test_a_sender_who_had_seen_another_history_is_found() -> None:
    """A command names the last record its sender saw; a file without that record was rewritten."""
    played = counting()
    record = [item for item in played.records if item.kind == records.COMMAND][2]
    assert "acts.seen" in keys(audit(forged(played, record.seq, (records.BY, 2), b"\5" * 32))[0])


def test_a_takeback_without_consent_is_found() -> None:
    """A takeback over new information whose consent is missing from the file."""
    played = begin(TOYS["counting"], PACKS["counting"], options={"turns": 10})
    start = played.position
    played.submit("a", "roll")
    played.commit(played.take_back("a", start.seq))
    played.commit(played.answer("b", True))
    assert played.records[-1].kind == records.TAKEBACK
    asked = played.records[-3].seq
    assert is_clean(found(played.file()))
    body = put(played.records[-1].body, (3, 0, 1), asked)
    data = file_of(chained(played, {asked + 2: body}, drop=(asked, asked + 1)), key=played.key)
    assert "acts.not_the_ask" in keys(audit(data)[0])


def test_nothing_follows_the_end() -> None:
    """A command chained on behind the end record is found."""
    played = small()
    last = played.records[-1]
    extra = records.make(last.seq + 1, last.at_ms, "a", records.ASK, ("a", "draw", 0), last.hash)
    assert "audit.after_end" in keys(audit(file_of([*played.records, extra], key=played.key))[0])


ACTED = "[key, n, seen, signature], [record of orders, entry, alternative] or []"


OTHER_FORMS: tuple[tuple[int, tuple[int, ...], Any, str, str], ...] = (
    (1, (0,), "stolen", "act", '"taken", "nonce", "replaced", "device" or "revoked"'),
    (1, (4,), b"short", "nonce_hash", "32 bytes"),
    (3, (2,), "text", "nonce", "32 bytes"),
    (6, (records.DECISION,), -1, "decision", "a whole number from 0"),
    (6, (records.PICKS, 0), None, "picks[0]", "an array of picks"),
    (6, (records.PICKS, 0, 0), None, "picks[0][0]", "a pick: text or a number"),
    (6, (records.PICKS, 1), bytes(31), "picks[1]", "32 bytes, or none"),
    (6, (records.DIGEST,), bytes(31), "digest", "32 bytes, or none"),
    (6, (records.COMMAND_ID,), bytes(33), "command_id", "at most 32 bytes"),
    (6, (records.BY, 2), bytes(31), "by", ACTED),
    (6, (records.DRAWS,), "none", "draws", "an array"),
    (6, (records.DRAWS, 0), (1, 0, "fortune"), "draws[0]", "an array of 4"),
    (6, (records.DRAWS, 0, 2), 3, "draws[0][2]", "text"),
    (6, (records.DRAWS, 0, 3), (6, 1, 1), "draws[0][3]", "an array of 2"),
    (6, (records.DRAWS, 0, 3, 1), "one", "draws[0][3][1]", "a whole number from 0"),
    (9, (records.DRAWS, 0, 3), (6, 1), "draws[0][3]", "a seal, for this draw is hidden"),
    (10, (records.EVENTS, 1), (), "events[1]", "an event that begins with its tag"),
    (10, (records.OPENED, 0, 1), (6, -1), "opened[0][1]", "a path of numbers"),
    (10, (records.OPENED, 0, 2), bytes(15), "opened[0][2]", "16 bytes"),
    (10, (records.FLOW, 1, 0, 2), "two", "flow[1][0][2]", "a whole number from 0"),
    (9, (records.AWAITS, 0, 0), 1, "awaits[0][0]", "text"),
    (8, (1,), bytes(33), "link", "32 bytes"),
    (12, (0,), 7, "winner", "a seat or nothing"),
    (12, (2, 1), ("b",), "arguments[1]", "an array of 2"),
    (12, (7,), (("a", None),), "scores[0][1]", "a whole number"),
    (13, (0, 2, 0), "7", "openings[2][0]", "a whole number from 0"),
    (13, (1,), 1, "last", "true or false"),
)
"""Record, place in its body, what is put there, how the place is told, and what should stand
there."""


@pytest.mark.parametrize(
    ("seq", "path", "new", "field", "what"),
    OTHER_FORMS,
    ids=[f"{seq} {field}" for seq, *_, field, _ in OTHER_FORMS],
)
def test_a_body_of_another_form_is_told_by_its_place(
    seq: int, path: tuple[int, ...], new: Any, field: str, what: str
) -> None:
    """The finding names the first place of a body that has not the form a server writes, and what
    should stand there."""
    report = audit(forged(small(), seq, path, new))[0]
    told = [
        (item.seq, item.field, dict(item.said.args)["what"])
        for item in findings_of(report)
        if item.said.key == "audit.shape"
    ]
    assert told == [(seq, field, what)]


# --- decided again --------------------------------------------------------------------------------


def test_a_doctored_event_is_found_by_deciding_again() -> None:
    """Three points more than were added, the chain mended and signed: the evidence holds, the rules
    say otherwise, and where."""
    played = begin(TOYS["counting"], PACKS["counting"], options={"turns": 1})
    played.submit("a", "add", 2)
    played.submit("b", "pass")
    record = next(
        item
        for item in played.records
        if item.kind == records.COMMAND and item.body[records.PICKS][0] == ("add", 2)
    )
    data = forged(played, record.seq, (records.EVENTS, 0, 2), 5)
    evidence = audit(data)[0]
    assert findings_of(evidence) == ()
    report = found(data)
    assert [(item.seq, item.field) for item in findings_of(report)] == [
        (record.seq, "events[0][2]")
    ]
    assert dict(findings_of(report)[0].said.args) == {"expected": "2", "found": "5"}


def test_doctored_effects_outcome_and_picks_are_found_by_deciding_again() -> None:
    """What clients were shown, who won, and a pick the rules do not allow: each differs from what
    the rules make of it."""
    played = begin(TOYS["counting"], PACKS["counting"], options={"turns": 1})
    played.submit("a", "add", 2)
    played.submit("b", "pass")
    record = next(
        item
        for item in played.records
        if item.kind == records.COMMAND and item.body[records.PICKS][0] == ("add", 2)
    )
    effects = canon.pack(put(canon.unpack(record.body[records.EFFECTS]), (0, 2), 9))
    end = find(played, lambda record: record.kind == records.END)
    for seq, path, new, where, key in (
        (record.seq, (records.EFFECTS,), effects, "effects[0][2]", "audit.differs"),
        (end.seq, (0,), "b", "winner", "audit.differs"),
        (record.seq, (records.FLOW, 0), 0, "flow[0]", "audit.differs"),
    ):
        made = chained(played, {seq: put(played.records[seq].body, path, new)})
        report = found(file_of(made, key=played.key))
        assert [(item.seq, item.field, item.said.key) for item in findings_of(report)] == [
            (seq, where, key)
        ]
    picks, blind = ("add", 7), record.body[records.PICKS][1]
    digest = picks_digest(
        played.ledger.genesis.hash,
        "a",
        record.body[0],
        record.body[records.COMMAND_ID],
        blind,
        picks,
    )
    body = put(put(record.body, (records.PICKS, 0), picks), (records.DIGEST,), digest)
    report = found(file_of(chained(played, {record.seq: body}), key=played.key))
    assert [(item.seq, item.field, item.said.key) for item in findings_of(report)] == [
        (record.seq, "picks", "audit.refused")
    ]


def test_dead_branches_are_decided_too() -> None:
    """An event doctored in a command that was taken back afterwards is found all the same."""
    played = begin(TOYS["counting"], PACKS["counting"], options={"turns": 1})
    start = played.position.seq
    played.submit("a", "add", 2)
    dead = played.records[-1]
    played.commit(played.take_back("a", start))
    played.submit("a", "add", 3)
    played.submit("b", "pass")
    assert is_clean(found(played.file()))
    made = chained(played, {dead.seq: put(dead.body, (records.EVENTS, 0, 2), 6)})
    report = found(file_of(made, key=played.key))
    assert [(item.seq, item.field) for item in findings_of(report)] == [(dead.seq, "events[0][2]")]


def test_other_rules_are_said_and_decided_all_the_same() -> None:
    """A file written by rules with another digest is decided again, and the verdict says that they
    differ."""
    report, _ = audit(small().file(), rulebook=Rulebook(TOYS.__getitem__, lambda title: b"\1" * 32))
    assert is_clean(report) and report.verdict.level == 2
    assert "audit.remark.rules" in [item.key for item in remarks_of(report)]


def test_an_unknown_title_stays_at_the_evidence() -> None:
    """A file of a title that is not installed is checked by itself. That its records were not
    decided again is a reservation, which --chain-only allows."""

    def none(title: str) -> Any:
        raise KeyError(title)

    report, _ = audit(small().file(), rulebook=Rulebook(none))
    assert is_clean(report) and report.verdict.level == 1
    assert "not_decided" in [item.name for item in reservations_of(report)]
    assert report.code(("allow-no-head",)) == 3
    bare, _ = audit(small().file(), rulebook=Rulebook(none), replay=False)
    assert bare.code(("allow-no-head",)) == 3 and bare.code(("allow-no-head", "chain-only")) == 0


# --- live games -----------------------------------------------------------------------------------


def live() -> Played:
    """A game in its fourth turn, with hidden words and draws."""
    return play_on(
        begin(TOYS["counting"], PACKS["counting"], options={"turns": 10}),
        random.Random(5),
        commands=9,
    )


def test_a_live_game_is_decided_as_far_as_it_is_opened() -> None:
    """A public export: dice of finished turns are checked, the rest waits; the report says from
    which record on and stays at level 1."""
    report = found(export_game(live().frames()))
    assert is_clean(report) and report.verdict.level == 1
    assert report.sealed > 0
    assert "audit.note.stopped" in [note.key for note in notes_of(report)]


def test_an_arbiters_export_of_a_live_game_is_decided_to_its_last_record() -> None:
    """With the server's secrets everything is checked, while the game lives."""
    played = live()
    report = found(export_game(played.frames(), "arbiter"))
    assert is_clean(report) and report.verdict.level == 2
    assert report.sealed == 0 and report.waiting == 0


def test_secrets_that_are_not_those_committed_to_are_found() -> None:
    """A SECRETS frame with another root is refused."""
    played = live()
    frames = list(played.frames())
    other = begin(TOYS["counting"], PACKS["counting"], seed=9).ledger.keys
    frames[1] = wlog.Frame(wlog.FRAME_SECRETS, other.as_payload())
    assert findings_of(audit(wlog.encode(frames, sealed=True))[0])[0].field == "secrets"


def test_an_expired_game_is_sound() -> None:
    """A game that never began and was closed passes both levels."""
    played = begin(TOYS["counting"], PACKS["counting"], start=False)
    by = played.by("a", "taken", "", "p_a", bytes(32), "test")
    played.commit(
        played.ledger.propose_seat("a", "p_a", bytes(32), played.at_ms, by=by, client="test")
    )
    played.commit(played.ledger.propose_expiry(played.at_ms))
    report = found(played.file())
    assert is_clean(report) and report.verdict.level == 2 and report.ended


def test_a_resignation_and_an_agreed_draw_are_sound() -> None:
    """Both ends pass both levels; play going on after a resignation does not."""
    played = live()
    played.commit(played.resign("a"))
    assert found(played.file()).verdict.level == 2
    drawn = live()
    drawn.commit(drawn.draw("a"))
    drawn.commit(drawn.answer("b", True))
    assert found(drawn.file()).verdict.level == 2
