"""What an attack got past the audit, and what becomes of keys and receipts.

Everything that the forger can mend is mended: the chain, the hashes that later acts name, the
signatures of whoever is in league. The small auditor, written from the page alone, must find each
of these attacks as well.
"""

from pathlib import Path

import pytest
from nacl.signing import SigningKey

from tests.audit import mini_auditor
from tests.audit.attacked import command_of, found, keys, kind_of, start, whole
from tests.audit.tamper import chained, file_of, find, forged, put
from tests.verdicts import findings_of, is_clean, notes_of, reservations_of
from warledger.clients.audit.kept import Kept, KeptAct, Refused, read_kept
from warledger.clients.link.receipts import Receipts
from warledger.engine.kernel.replay import link_opened
from warledger.engine.kernel.writing import Writing
from warledger.engine.testing.randomgames import signing_key
from warledger.protocol.chance import dice
from warledger.protocol.log import bodies, chain, records, wlog
from warledger.protocol.log.records import Record
from warledger.protocol.seats import acts
from warledger.protocol.seats.acts import Hand


def test_the_game_itself_is_sound() -> None:
    """What the forgeries below start from is plain Sound, to both auditors."""
    report = found(whole().file())
    assert report.verdict.word == "sound" and report.verdict.level == 2, findings_of(report)
    assert mini_auditor.audit(whole().file()).ended


# --- what an attack got past the audit ------------------------------------------------------------


def without_the_key(made: list[Record], *, early: int | None) -> bytes:
    """A file as somebody without the server's key hands it on: with one genuine early head, or
    none."""
    frames = [wlog.Frame(wlog.FRAME_RECORD, record.data) for record in made]
    if early is not None:
        genuine = whole()
        assert made[early].hash == genuine.records[early].hash
        frames.append(wlog.Frame(wlog.FRAME_HEAD, genuine.head_payload(early)))
    return wlog.encode(frames, sealed=True)


@pytest.mark.parametrize("early", [4, None])
def test_the_end_of_a_game_cannot_be_forged_from_what_its_end_tells(early: int | None) -> None:
    """With hidden value, salts and links of the published end, but no seat's key: other picks,
    another id, an invented resignation, and a draw: each fails by its signatures, and without a
    head over its last record nothing is plain Sound."""
    played = whole()
    command = command_of(played, "b", 2)
    blind = command.body[records.PICKS][1]
    picks = ("add", 3)
    decision, seat, id = command.body[0], command.body[1], command.body[3]
    digest = acts.picks_digest(played.ledger.genesis.hash, seat, decision, id, blind, picks)
    other_picks = put(put(command.body, (records.PICKS, 0), picks), (records.DIGEST,), digest)
    for body in (other_picks, put(command.body, (records.COMMAND_ID,), b"other")):
        report = found(without_the_key(chained(played, {command.seq: body}, holds=()), early=early))
        assert "acts.signature" in keys(report) and report.code() == 1
    end = kind_of(played, records.END)
    for winner, key, args, what in (
        ("a", "outcome.resigned", (("seat", "b"),), "resign"),
        (None, "outcome.draw_agreed", (), "draw"),
    ):
        made = list(played.records[: end.seq - 1])
        by = ("b", what, 0, (played.hands["b"].public, 99, made[-1].hash, bytes(64)))
        ask = records.make(len(made), end.at_ms, "b", records.ASK, by, made[-1].hash)
        body = (winner, key, args, *end.body[3:8], what)
        last = records.make(ask.seq + 1, end.at_ms, "server", records.END, body, ask.hash)
        report = found(without_the_key([*made, ask, last], early=early))
        assert report.code() == 1 and {"acts.signature", "acts.no_cause"} & set(keys(report))


def test_a_genuine_beginning_with_an_early_head_is_not_sound() -> None:
    """A game cut off at a record with a genuine head, or without any: sound with reservations, or
    nobody vouches for it."""
    cut = list(whole().records[:9])
    assert found(without_the_key(cut, early=4)).code() == 3
    assert found(without_the_key(cut, early=None)).code() == 4
    assert found(without_the_key(list(whole().records), early=4)).code() == 3


def test_a_renamed_player_is_found() -> None:
    """Whoever sat down signed their name."""
    taken = whole().records[1]
    made = chained(whole(), {1: put(taken.body, (2,), "p_other")}, holds=("b",))
    assert "acts.signature" in keys(found(file_of(made, key=whole().key)))


def test_an_operator_who_sits_for_a_seat_does_not_pass_with_that_players_receipts() -> None:
    """The server takes seat b itself, with a key and nonce of its own choosing, and grinds the
    dice: the receipts are another's."""
    genuine = start(start=False)
    mine, nonce = SigningKey(bytes([7]) * 32), b"\7" * 32
    played = whole()
    kept = Kept(
        "g1", played.ledger.genesis.hash.hex()[:16], "b", mine.verify_key.encode(), nonce, ()
    )
    assert genuine.ledger.genesis.hash == played.ledger.genesis.hash
    report = found(played.file(), kept=[kept])
    assert report.verdict.word == "reserved" and [
        item.name for item in reservations_of(report)
    ] == ["other_seat_key"]
    assert report.code(("so-far", "allow-no-head", "allow-replaced", "allow-unsigned-seats")) == 3
    honest = Kept("g1", kept.genesis, "b", played.hands["b"].public, None, ())
    assert found(played.file(), kept=[honest]).verdict.word == "sound"
    other_nonce = Kept("g1", kept.genesis, "b", played.hands["b"].public, nonce, ())
    assert [item.name for item in reservations_of(found(played.file(), kept=[other_nonce]))] == [
        "other_nonce"
    ]


def test_a_genesis_made_anew_is_found_by_the_head_of_the_first() -> None:
    """Two genesis records under one id: the player kept the signed head of the first. And a nonce
    shown there is worth nothing here."""
    first, second = start(seed=1), whole()
    assert first.ledger.genesis.hash != second.ledger.genesis.hash
    receipt = chain.sign_head(first.key, "g1", 0, first.records[0].hash)
    assert "audit.receipt" in keys(found(second.file(), receipts=[receipt]))
    nonce = b"\5" * 32
    hashes = {
        dice.bound_nonce_hash(game.ledger.genesis.hash, "a", nonce) for game in (first, second)
    }
    assert len(hashes) == 2


def test_other_picks_than_were_sent_are_found() -> None:
    """The operator writes another move: with the seat's digest it does not fit, with another the
    signature does not."""
    played = whole()
    command = find(
        played,
        lambda r: r.kind == records.COMMAND and len(r.body[4]) == 4 and type(r.body[2]) is tuple,
    )
    assert "acts.other_picks" in keys(
        found(forged(played, command.seq, (records.PICKS, 0), ("add", 6), holds=("b",)))
    )
    other = put(put(command.body, (records.PICKS, 0), ("add", 6)), (records.DIGEST,), bytes(32))
    report = found(file_of(chained(played, {command.seq: other}, holds=("b",)), key=played.key))
    assert {"acts.other_picks", "acts.signature"} <= set(keys(report))


def test_dice_of_a_later_epoch_with_its_link_opened_early_are_found() -> None:
    """The operator, with everybody in league, opens a link in the middle of a turn and draws from
    the next: so seeds could be chosen."""
    played = start(10)
    played.submit("a", "pass")
    run = Writing(played.ledger, played.at_ms)
    run.add("server", bodies.Open(1, played.ledger.keys.link(1)))
    run.position = link_opened(run.position, run.last.seq, 1)
    played.commit(run.batch())
    played.submit("b", "roll")
    data = played.file()
    assert "acts.link_early" in keys(found(data))
    with pytest.raises(mini_auditor.Unsound):
        mini_auditor.audit(data)


def test_a_die_of_the_next_epoch_without_a_turn_ending_is_found() -> None:
    """A receipt that names the epoch after the present one, in a command that ends no turn."""
    played = start(10)
    played.submit("a", "roll")
    data = forged(played, played.records[-1].seq, (records.DRAWS, 0, 0), 2)
    assert "acts.epoch_ahead" in keys(found(data))
    with pytest.raises(mini_auditor.Unsound):
        mini_auditor.audit(data)


# --- keys of the server and of a seat -------------------------------------------------------------


def test_a_game_handed_over_has_a_reservation_unless_the_seat_signed_it() -> None:
    """Somebody is put in seat a: with the consent of a's key the game stays Sound, without it the
    verdict says where."""
    for consent in (True, False):
        played = start()
        new = Hand(played.ledger.genesis.hash, "a", signing_key("late"))
        seen = played.records[-1].hash
        act = new.sign(acts.REPLACED, seen, ("", "late", "test"))
        handed = played.by("a", acts.HANDED, "late", new.public) if consent else None
        played.commit(
            played.ledger.propose_replacement(
                "a", "late", played.at_ms, by=act.by, client="test", handed=handed
            )
        )
        at = played.records[-1].seq
        played.hands["a"] = new
        played.commit(played.resign("a"))
        report = found(played.file())
        assert is_clean(report) and report.verdict.level == 2
        assert [(item.name, dict(item.said.args)) for item in reservations_of(report)] == (
            [] if consent else [("replaced", {"seq": at})]
        )
        assert report.code() == (0 if consent else 3) and report.code(("allow-replaced",)) == 0
        assert mini_auditor.audit(played.file()).ended


def test_devices_and_a_new_key_of_the_server_are_sound() -> None:
    """a plays on by a second device, revokes the first, and the server goes over to another key:
    Sound by the key before, or after."""
    played = start()
    genesis = played.ledger.genesis.hash
    second = Hand(genesis, "a", signing_key("second"))
    device = played.by("a", acts.DEVICE, second.public)
    assert device is not None
    played.commit(
        played.ledger.propose_device(
            "a", second.public, second.prove(device.key), played.at_ms, by=device
        )
    )
    first, played.hands["a"] = played.hands["a"], second
    revoked = played.by("a", acts.REVOKED, first.public)
    assert revoked is not None
    played.commit(played.ledger.propose_revocation("a", first.public, played.at_ms, by=revoked))
    old, new = played.key, signing_key("next")
    signature = old.sign(
        acts.rotate_bytes(genesis, old.verify_key.encode(), new.verify_key.encode())
    ).signature
    played.commit(played.ledger.propose_rotation(new.verify_key.encode(), signature, played.at_ms))
    played.key = new
    played.commit(played.resign("a"))
    for key in (old, new):
        report = found(played.file(), key)
        assert report.verdict.word == "sound" and report.verdict.level == 2, findings_of(report)
    assert mini_auditor.audit(played.file()).ended
    assert "audit.other_key" in keys(found(played.file(), signing_key("another")))


def test_a_thief_of_the_key_that_the_server_left_signs_nothing_that_counts() -> None:
    """A head over the last record by the old key, once the server had gone over to another, is not
    the server's."""
    played = start()
    old, new = played.key, signing_key("next")
    signature = old.sign(
        acts.rotate_bytes(
            played.ledger.genesis.hash, old.verify_key.encode(), new.verify_key.encode()
        )
    ).signature
    played.commit(played.ledger.propose_rotation(new.verify_key.encode(), signature, played.at_ms))
    played.commit(played.resign("a"))
    assert "audit.signature" in keys(found(played.file()))


# --- receipts -------------------------------------------------------------------------------------


def test_an_act_refused_under_signature_that_stands_is_found() -> None:
    """The server signed that it refused a command, and wrote it into the log: the journal proves
    it. Without the signature it is a note."""
    played = whole()
    record = command_of(played, "a")
    (act,) = acts.acts_of(played.ledger.genesis.hash, record)
    seen = played.records[record.seq - 1]
    good = played.key.sign(acts.refusal_bytes(act.hash, seen.seq, seen.hash)).signature
    for signature, unsound in ((good, True), (bytes(64), False)):
        kept = Kept(
            "g1",
            act.genesis.hex()[:16],
            "a",
            acts=(KeptAct(act, None, Refused(seen.seq, seen.hash, signature)),),
        )
        report = found(played.file(), kept=[kept])
        assert ("audit.refused_stands" in keys(report)) is unsound and is_clean(
            report
        ) is not unsound


def test_what_a_client_keeps_is_read_with_and_without_its_secret_key(tmp_path: Path) -> None:
    """Key, nonce and journal as a client writes them: a reservation where they are not of who sat
    there."""
    played = whole()
    genesis = played.ledger.genesis.hash
    papers = Receipts(tmp_path).papers("g1", genesis, "b")
    papers.make_nonce()
    entry = papers.sign(acts.TAKEN, genesis, ("b", bytes(32), "test"))
    papers.stands(entry, 2)
    for path in (None, next(tmp_path.glob("*.key"))):
        if path is not None:
            path.unlink()
        (kept,) = read_kept(tmp_path)
        assert (kept.game, kept.genesis, kept.seat, kept.key) == (
            "g1",
            genesis.hex()[:16],
            "b",
            entry.act.key,
        )
        report = found(played.file(), kept=[kept])
        assert [item.name for item in reservations_of(report)] == ["other_seat_key"]
        assert "audit.note.act_missing" in [note.key for note in notes_of(report)]
    seen = played.records[2]
    refusal = played.key.sign(acts.refusal_bytes(entry.act.hash, seen.seq, seen.hash)).signature
    papers.refused(entry, seen.seq, seen.hash, refusal)
    assert found(played.file(), kept=read_kept(tmp_path)).verdict.word == "sound", (
        "whoever was refused the seat never sat there"
    )


def test_two_heads_for_one_record_prove_a_fork_and_both_are_named() -> None:
    """Two receipts of two players with different hashes for one record, both signed by the
    server."""
    played = whole()
    receipts = [
        chain.sign_head(played.key, "g1", 6, hash) for hash in (played.records[6].hash, b"\4" * 32)
    ]
    report = found(played.file(), receipts=receipts)
    said = next(item.said for item in findings_of(report) if item.said.key == "audit.fork")
    assert {value for name, value in said.args if name != "seq"} == {
        played.records[6].hash,
        b"\4" * 32,
    }
