"""What a forger tried against format 2 with everything in hand but the keys of the honest seat:
what seats signed, written into the log as something that they did not mean. Both levels of the
audit and the small auditor must agree on each."""

import pytest

from tests.audit import mini_auditor
from tests.audit.attacked import (
    RULEBOOK,
    by,
    command_of,
    cut,
    end_body,
    found,
    kind_of,
    start,
    whole,
)
from tests.audit.tamper import chained, file_of, find, forged, put
from tests.verdicts import findings_of, is_clean
from warledger.clients.audit.audit import Rulebook, audit
from warledger.clients.audit.report import Report
from warledger.engine.games import rules_of
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.ledger import Keys, genesis_record
from warledger.engine.kernel.position import Ask
from warledger.engine.kernel.writing import Writing
from warledger.engine.packfiles import read_pack
from warledger.engine.testing.randomgames import Played, signing_key, sit_down, some_bytes
from warledger.protocol import canon
from warledger.protocol.canon import Seal
from warledger.protocol.limits import SEATS_MAX
from warledger.protocol.log import bodies, records
from warledger.protocol.log.records import Record
from warledger.protocol.seats import acts

PROMPT = "prompt.counting.act"


def level_1(data: bytes) -> Report:
    """The audit without rules, with the server's key."""
    return audit(data, key=signing_key().verify_key.encode(), rulebook=RULEBOOK, replay=False)[0]


def assert_found(data: bytes, seq: int | None, field: str, key: str) -> None:
    """Both levels name the record and the field, and the small auditor refuses the file."""
    for report in (level_1(data), found(data)):
        said = [(item.seq, item.field, item.said.key) for item in findings_of(report)]
        assert (seq, field, key) in said and report.code() == 1, said
    with pytest.raises(Exception):  # noqa: B017 - whatever it trips over, it is found
        mini_auditor.audit(data)


def written(played: Played, *more: tuple[str, bodies.Body]) -> None:
    """Records that the ledger would not write, behind the game."""
    run = Writing(played.ledger, played.at_ms)
    for actor, body in more:
        run.add(actor, body)
        if isinstance(body, bodies.Ask):
            asked = Ask(body.seat, body.what, body.to, run.position.seq)
            run.position = replace(run.position, ask=asked)
    played.commit(run.batch())


# --- acts written down as something else ----------------------------------------------------------


def test_a_free_takeback_cannot_be_written_down_as_a_request() -> None:
    """a signed a takeback that needs nobody's consent; the operator made a request of it, which b
    in league declines: a's move stood."""
    played = start()
    played.submit("a", "add", 2)
    to = played.records[-1].seq - 1
    signed = played.by("a", acts.ASK, "takeback", to)
    assert signed is not None
    written(played, ("a", bodies.Ask("a", "takeback", to, signed)))
    at = played.records[-1].seq
    played.commit(played.answer("b", False))
    played.commit(played.resign("a"))
    assert_found(played.file(), at, "kind", "audit.takeback_free")


def test_a_takeback_to_a_record_that_asked_the_seat_nothing_is_found() -> None:
    """Consented to or not: back in the ceremony nobody is asked, and the game could never go on."""
    played = start()
    played.submit("a", "roll")
    signed = played.by("a", acts.ASK, "takeback", 2)
    assert signed is not None
    written(played, ("a", bodies.Ask("a", "takeback", 2, signed)))
    at = played.records[-1].seq
    yes = played.by("b", acts.ANSWER, at, True)
    assert yes is not None
    effects = canon.pack((("rewind", 2), ("await", ())))
    written(
        played,
        ("b", bodies.Answer("b", True, at, yes)),
        ("server", bodies.Takeback("a", 2, effects, (), at, None)),
    )
    played.commit(played.resign("a"))
    assert_found(played.file(), at, "to", "acts.takeback_to")


def test_the_effects_of_a_takeback_are_its_own() -> None:
    """A piece put on the board, or another record gone back to, in the effects that draw a
    takeback: nobody needs rules to see it."""
    record = kind_of(whole(), records.TAKEBACK)
    asked = ("await", tuple(seat for seat, *_ in record.body[3]))
    for effects in (
        (("rewind", 1), asked),
        (("rewind", record.body[1]), ("put", "x", "y", "", ""), asked),
        (),
    ):
        data = forged(whole(), record.seq, (2,), canon.pack(effects))
        assert_found(data, record.seq, "effects", "audit.takeback_effects")


def test_a_free_takeback_that_was_none_and_one_by_consent_without_it_are_found() -> None:
    """a's request after a roll written as a free takeback, and as one that b had agreed to."""
    played = start()
    played.submit("a", "roll")
    made = played.records
    to = made[-2].seq
    signed = by(played, "a", acts.ASK, made[-1], "takeback", to)
    at = len(made)
    effects = canon.pack((("rewind", to), ("await", ("a",))))
    free = cut(
        played, at, ("a", records.TAKEBACK, ("a", to, effects, (("a", at, PROMPT),), 0, signed))
    )
    assert_found(file_of(free, key=played.key), at, "to", "audit.takeback_consent")
    asked = ("a", records.ASK, ("a", "takeback", to, signed))
    taken = ("server", records.TAKEBACK, ("a", to, effects, (("a", at + 1, PROMPT),), at, ()))
    assert_found(
        file_of(cut(played, at, asked, taken), key=played.key), at + 1, "ask", "acts.not_the_ask"
    )


def test_an_act_of_one_kind_signs_nothing_of_another() -> None:
    """a's signature under a draw made one under a resignation, a takeback, orders, and an answer:
    it covers the kind and the body."""
    played = start()
    signed = played.by("a", acts.ASK, "draw", 0)
    assert signed is not None
    at, last = len(played.records), played.records[-1]
    array = signed.as_array()
    end = end_body(played, "b", "outcome.resigned", (("seat", "a"),))
    for more in (
        (("a", records.ASK, ("a", "resign", 0, array)), ("server", records.END, end)),
        (("a", records.ASK, ("a", "takeback", last.seq, array)),),
        (("a", records.ORDERS, ("a", Seal(bytes(32)), bytes(32), array)),),
        (("a", records.SEAT, ("revoked", "a", played.hands["a"].public, array)),),
    ):
        assert_found(file_of(cut(played, at, *more), key=played.key), at, "by", "acts.signature")


def test_an_act_of_another_game_or_seat_signs_nothing_here() -> None:
    """The same words of the same keys in a game whose genesis differs by its seed, and of the other
    seat with the names exchanged."""
    here, other = start(), start(seed=1)
    at = len(here.records)
    foreign = other.by("a", acts.ASK, "draw", 0)
    assert foreign is not None
    array = (here.hands["a"].public, 90, here.records[-1].hash, foreign.signature)
    assert_found(
        file_of(cut(here, at, ("a", records.ASK, ("a", "draw", 0, array))), key=here.key),
        at,
        "by",
        "acts.signature",
    )
    of_b = by(here, "b", acts.ASK, here.records[-1], "draw", 0)
    assert_found(
        file_of(cut(here, at, ("a", records.ASK, ("a", "draw", 0, of_b))), key=here.key),
        at,
        "by",
        "acts.unknown_key",
    )


def test_a_request_about_a_position_that_is_gone_is_found() -> None:
    """a offered a draw; the operator kept the offer back until b in league had moved, and then lets
    b accept it."""
    played = start()
    offer = played.by("b", acts.ASK, "draw", 0)
    assert offer is not None
    played.submit("a", "roll")
    at = len(played.records)
    data = file_of(
        cut(played, at, ("b", records.ASK, ("b", "draw", 0, offer.as_array()))), key=played.key
    )
    assert_found(data, at, "by", "acts.seen_early")


def test_records_slipped_in_after_what_a_seat_saw_are_not_said_to_be_signed() -> None:
    """b's declined request between what a saw and a's command, changed at will: a has signed up to
    what a saw, and no further."""
    played = start()
    asked, seen = played.position.opened("a"), played.records[-1]
    assert asked is not None
    command = played.command("a", asked, ("roll",))
    played.commit(played.draw("b"))
    played.commit(played.ledger.propose_command(command, played.at_ms))
    cut_there = found(played.file())
    assert is_clean(cut_there) and cut_there.signers["a"].signed_to == seen.seq
    played.submit("b", "pass")
    assert found(played.file()).signers["b"].signed_to == played.records[-1].seq - 1


def test_dropping_a_record_that_a_seat_saw_is_found() -> None:
    """Any record without which a's next act has not seen what it names; b signs anew whatever the
    operator likes."""
    played = whole()
    last = max(
        r.seq
        for r in played.records
        if any(act.seat == "a" for act in acts.acts_of(played.ledger.genesis.hash, r))
    )
    for seq in range(1, last - 1):
        data = file_of(chained(played, drop=(seq,), holds=("b",)), key=played.key)
        assert not is_clean(level_1(data)), seq
        with pytest.raises(Exception):  # noqa: B017
            mini_auditor.audit(data)


# --- keys -----------------------------------------------------------------------------------------


def test_the_server_never_goes_back_to_a_key_that_it_left() -> None:
    """Each step signed by the key before: the thief of the old key would sign heads again."""
    played, genesis = start(), start().ledger.genesis.hash
    old, now = played.key, played.key
    for new in (signing_key("next"), old):
        message = acts.rotate_bytes(genesis, now.verify_key.encode(), new.verify_key.encode())
        signature = now.sign(message).signature
        written(played, ("server", bodies.Rotate(new.verify_key.encode(), signature)))
        now = played.key = new
    at = played.records[-1].seq
    played.commit(played.resign("a"))
    assert_found(played.file(), at, "key", "acts.key_of_other")


def test_the_server_takes_no_seats_key() -> None:
    """Its next key is one that a has shown."""
    played, genesis = start(), start().ledger.genesis.hash
    theirs = played.hands["a"]._key
    assert theirs is not None
    message = acts.rotate_bytes(genesis, played.key.verify_key.encode(), theirs.verify_key.encode())
    at = len(played.records)
    body = (theirs.verify_key.encode(), played.key.sign(message).signature)
    assert_found(
        file_of(cut(played, at, ("server", records.ROTATE, body)), key=theirs),
        at,
        "key",
        "acts.key_of_other",
    )


def test_an_order_outlives_neither_its_successor_nor_a_handover() -> None:
    """A command by the answers of somebody who sits there no longer, and by a set that was replaced
    by an empty one."""
    played = start()
    played.commit(played.order("a", ("prompt.counting.act", (("pass",),), "game")))
    ordered = played.records[-1].seq
    played.commit(played.order("a"))
    asked, at = played.position.opened("a"), len(played.records)
    assert asked is not None
    body = (
        asked,
        "a",
        (("pass",), b""),
        b"",
        (ordered, 0, 0),
        (),
        (),
        canon.pack(()),
        (),
        (0, ()),
        (("b", at, PROMPT),),
        b"",
    )
    assert_found(
        file_of(cut(played, at, ("a", records.COMMAND, body)), key=played.key),
        at,
        "by",
        "acts.old_orders",
    )


# --- blinds and forms -----------------------------------------------------------------------------


def test_picks_and_orders_without_a_blind_are_found() -> None:
    """Signed as they stand: without a blind of 32 bytes the digest of hidden picks could be guessed
    at, and the ledger takes none."""
    played, genesis = whole(), whole().ledger.genesis.hash
    record = command_of(played, "a", 1)
    decision, seat, (picks, _), id = record.body[:4]
    digest = acts.picks_digest(genesis, seat, decision, id, b"", picks)
    body = put(put(record.body, (records.PICKS, 1), b""), (records.DIGEST,), digest)
    assert_found(
        file_of(chained(played, {record.seq: body}), key=played.key),
        record.seq,
        "picks",
        "acts.picks_form",
    )


def test_more_seats_than_a_game_can_have_are_refused_at_once() -> None:
    """A genesis of many thousand seats, each of which acts: no audit spends hours on it."""
    played = start()
    for count in (SEATS_MAX + 1, 50_000):
        genesis = records.make(
            0,
            1,
            "server",
            records.GENESIS,
            put(played.records[0].body, (6,), tuple(map(str, range(count)))),
            bytes(32),
        )
        made: list[Record] = [genesis]
        for seat in range(count):
            body = ("nonce", str(seat), bytes(32), bytes(32), (b"", 2, genesis.hash, b""))
            made.append(records.make(len(made), 1, "x", records.SEAT, body, made[-1].hash))
        assert_found(file_of(made, key=played.key), 0, "seats", "audit.record")


def test_two_lives_of_one_seat_nonce_or_id_do_not_pass() -> None:
    """A seat taken twice, a nonce shown twice, and a command put in twice."""
    played = whole()
    for at in (1, 3, command_of(played, "a", 1).seq):
        twice = Played(
            played.ledger,
            played.key,
            [*played.records[: at + 1], *played.records[at:]],
            played.openings,
            hands=played.hands,
        )
        assert not is_clean(level_1(file_of(chained(twice), key=played.key))), at


def test_a_seat_without_a_key_never_passes_for_one_with() -> None:
    """Where the genesis allows unsigned seats, a's key cannot be left out of what a did."""
    played = start(start=False, terms={"unsigned_seats": True})
    sit_down(played, 0)
    played.submit("a", "roll")
    played.commit(played.resign("b"))
    record = find(played, lambda r: r.kind == records.COMMAND and r.body[1] == "a")
    data = forged(
        played, record.seq, (records.BY,), (b"", 9, played.records[record.seq - 1].hash, b"")
    )
    assert_found(data, record.seq, "by", "acts.unsigned")
    assert not is_clean(
        level_1(forged(played, 1, (5,), (b"", 1, played.records[0].hash, b""), holds=("b",)))
    )


def test_a_pack_with_pieces_without_end_is_refused_at_once() -> None:
    """A stranger's file whose pack asks for more U-boats than any memory holds: the audit
    says that the pack is none."""
    rules, pack = rules_of("war_at_sea"), read_pack("war_at_sea")
    meta = {**pack["data"]["meta"], "max_uboats": 2**53 - 1}
    changed = {**pack, "data": {**pack["data"], "meta": meta}}
    keys = Keys(*(some_bytes(1, what) for what in ("root", "hidden", "salts")))
    data = canon.pack(canon.ordered(changed))
    server = signing_key().verify_key.encode()
    genesis = genesis_record(
        rules,
        game="g1",
        options={},
        pack=data,
        digest=bytes(32),
        keys=keys,
        server_key=server,
        at_ms=1,
    )
    report, _ = audit(
        file_of([genesis], key=signing_key()), key=server, rulebook=Rulebook(rules_of)
    )
    assert [(item.seq, item.field, item.said.key) for item in findings_of(report)] == [
        (0, "pack", "audit.pack")
    ]
