"""What an attack on format 1 got past the audit, and each thing that format 2 holds, forged as
whoever has the server's secrets would.

Everything that the forger can mend is mended: the chain, the hashes that later acts name, the
signatures of whoever is in league. The small auditor, written from the page alone, must find each
of them as well.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from nacl.signing import SigningKey

from tests.audit import mini_auditor
from tests.audit.tamper import chained, file_of, find, forged, put, signature_of
from tests.toys import PACKS, TOYS
from warledger.clients.audit.audit import Rulebook, audit
from warledger.clients.audit.kept import Kept, KeptAct, Refused, read_kept
from warledger.clients.audit.report import Report
from warledger.clients.link.receipts import Receipts
from warledger.engine.kernel.replay import link_opened
from warledger.engine.kernel.writing import Writing
from warledger.engine.testing.randomgames import Played, begin, signing_key, sit_down
from warledger.protocol import acts, bodies, canon, chain, dice, records, wlog
from warledger.protocol.acts import Hand
from warledger.protocol.bodies import By
from warledger.protocol.records import Genesis, Record

RULEBOOK = Rulebook(TOYS.__getitem__)


def found(data: bytes, key: SigningKey | None = None, **given: Any) -> Report:
    """The whole audit of a file, with the server's key."""
    return audit(data, key=(key or signing_key()).verify_key.encode(), rulebook=RULEBOOK, **given)[
        0
    ]


def keys(report: Report) -> list[str]:
    """What is wrong, by key."""
    return [item.said.key for item in report.findings]


def start(turns: int = 3, **given: Any) -> Played:
    """A game about to be played."""
    return begin(TOYS["counting"], PACKS["counting"], options={"turns": turns}, **given)


@cache
def whole() -> Played:
    """A whole game: open and sealed picks, dice, a free takeback, a request that was declined,
    standing answers and a command by them."""
    played = start()
    played.submit("a", "add", 2)
    first = played.records[-1].seq - 1
    played.commit(played.take_back("a", first))
    played.submit("a", "roll")
    played.submit("b", "hide", "caterpillar")
    played.commit(played.order("a", ("prompt.counting.act", ("pass",), "game")))
    ordered = played.records[-1].seq
    by_order(played, "a", ordered, "pass")
    played.commit(played.draw("a"))
    played.commit(played.answer("b", False))
    played.submit("b", "show")
    played.submit("a", "draw")
    played.submit("b", "pass")
    assert played.position.whole
    return played


def by_order(played: Played, seat: str, orders: int, *picks: str | int) -> None:
    """The server gives a seat's command by its standing answers."""
    from warledger.engine.kernel.door import Submission

    decision = played.position.opened(seat)
    assert decision is not None
    played.commit(
        played.ledger.propose_command(Submission(seat, decision, picks, by=(orders,)), played.at_ms)
    )


def test_the_game_itself_is_sound() -> None:
    """What the forgeries below start from is plain Sound, to both auditors."""
    report = found(whole().file())
    assert report.verdict == "sound" and report.level == 2, report.findings
    assert mini_auditor.audit(whole().file()).ended


# --- what an attack got past the audit of format 1 ------------------------------------------------


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
    assert report.verdict == "reserved" and [item.name for item in report.reservations] == [
        "other_seat_key"
    ]
    assert report.code(("so-far", "allow-no-head", "allow-replaced", "allow-unsigned-seats")) == 3
    honest = Kept("g1", kept.genesis, "b", played.hands["b"].public, None, ())
    assert found(played.file(), kept=[honest]).verdict == "sound"
    other_nonce = Kept("g1", kept.genesis, "b", played.hands["b"].public, nonce, ())
    assert [item.name for item in found(played.file(), kept=[other_nonce]).reservations] == [
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


@pytest.mark.parametrize("format", [1, 2])
def test_dice_of_a_later_epoch_with_its_link_opened_early_are_found(format: int) -> None:
    """The operator, with everybody in league, opens a link in the middle of a turn and draws from
    the next: so seeds could be chosen."""
    played = start(10, format=format)
    played.submit("a", "pass")
    run = Writing(played.ledger, played.at_ms)
    run.add("server", bodies.Open(1, played.ledger.keys.link(1)))
    run.position = link_opened(run.position, run.last.seq, 1)
    played.commit(run.batch())
    played.submit("b", "roll")
    data = played.file()
    assert "audit.link_early" in keys(found(data))
    with pytest.raises(mini_auditor.Unsound):
        mini_auditor.audit(data)


@pytest.mark.parametrize("format", [1, 2])
def test_a_die_of_the_next_epoch_without_a_turn_ending_is_found(format: int) -> None:
    """A receipt that names the epoch after the present one, in a command that ends no turn."""
    played = start(10, format=format)
    played.submit("a", "roll")
    data = forged(played, played.records[-1].seq, (records.DRAWS, 0, 0), 2)
    assert "audit.epoch_ahead" in keys(found(data))
    with pytest.raises(mini_auditor.Unsound):
        mini_auditor.audit(data)


# --- what must hold -------------------------------------------------------------------------------


def command_of(played: Played, seat: str, n: int = 0) -> Record:
    """The seat's command number n that it signed itself."""
    return [
        r
        for r in played.records
        if r.kind == records.COMMAND and r.body[1] == seat and len(r.body[records.BY]) == 4
    ][n]


def kind_of(played: Played, kind: str, act: str = "") -> Record:
    """The first record of a kind."""
    return find(played, lambda r: r.kind == kind and (not act or r.body[0] == act))


Forgery = Callable[[Played], bytes]


def edit(
    seq: Callable[[Played], Record],
    path: tuple[int, ...],
    new: Callable[[Played], Any],
    holds: tuple[str, ...] | None = None,
) -> Forgery:
    """One place changed, everything else mended."""
    return lambda played: forged(played, seq(played).seq, path, new(played), holds=holds)


def reordered(*order: int) -> Forgery:
    """The first records in another order, chained anew and signed again."""

    def made(played: Played) -> bytes:
        original = played.records
        played.records[:] = [original[seq] for seq in order] + original[len(order) :]
        try:
            return file_of(chained(played), key=played.key)
        finally:
            played.records[:] = sorted(played.records, key=lambda record: record.seq)

    return made


def a1(played: Played) -> Record:
    """A command of a."""
    return command_of(played, "a", 1)


def ordered(played: Played) -> Record:
    """The command that the server gave by a's standing answers."""
    return find(played, lambda r: r.kind == records.COMMAND and len(r.body[records.BY]) == 1)


def the_end(played: Played) -> Record:
    """The last record."""
    return kind_of(played, records.END)


def the_opened(played: Played) -> Record:
    """What opens the rest of it."""
    return kind_of(played, records.REVEAL)


def taken_b(played: Played) -> Record:
    """b sits down."""
    return played.records[2]


FORGERIES: dict[str, tuple[str, Forgery]] = {
    "a signature that is not the key's": (
        "acts.signature",
        edit(a1, (records.BY, 3), lambda p: bytes(64), ("b",)),
    ),
    "a key that is not the seat's": (
        "acts.unknown_key",
        edit(a1, (records.BY, 0), lambda p: p.hands["b"].public),
    ),
    "no signature of a keyed seat": (
        "acts.unsigned",
        lambda p: forged(p, a1(p).seq, (records.BY,), (b"", 9, p.records[1].hash, b"")),
    ),
    "a number that does not rise": ("acts.number", edit(a1, (records.BY, 1), lambda p: 1)),
    "a record seen that is not there": (
        "acts.seen",
        edit(a1, (records.BY, 2), lambda p: b"\6" * 32),
    ),
    "a record seen before, now an older one": (
        "acts.seen_back",
        edit(a1, (records.BY, 2), lambda p: p.records[1].hash),
    ),
    "a question answered unseen": (
        "acts.seen_early",
        edit(a1, (records.BY, 2), lambda p: p.records[2].hash),
    ),
    "one key for two seats": (
        "acts.key_of_other",
        edit(taken_b, (5, 0), lambda p: p.hands["a"].public),
    ),
    "the server's key for a seat": (
        "acts.key_of_other",
        edit(taken_b, (5, 0), lambda p: p.key.verify_key.encode()),
    ),
    "a seat that signs nothing where it must": (
        "acts.unsigned",
        edit(taken_b, (5,), lambda p: (b"", 1, p.records[0].hash, b"")),
    ),
    "a nonce shown early": ("acts.nonce_early", reordered(0, 1, 3, 2)),
    "another roster": ("acts.roster", edit(lambda p: p.records[3], (3,), lambda p: bytes(32))),
    "another nonce": ("acts.nonce", edit(lambda p: p.records[3], (2,), lambda p: bytes(32))),
    "an id twice": (
        "acts.id_twice",
        edit(a1, (records.COMMAND_ID,), lambda p: command_of(p, "a").body[records.COMMAND_ID]),
    ),
    "other open picks": (
        "acts.other_picks",
        edit(lambda p: command_of(p, "b", 2), (records.PICKS, 0), lambda p: ("roll",)),
    ),
    "older standing answers": ("acts.old_orders", edit(ordered, (records.BY,), lambda p: (5,))),
    "picks that the answers do not hold": (
        "acts.not_ordered",
        edit(ordered, (records.PICKS, 0), lambda p: ("roll",)),
    ),
    "another digest of standing answers": (
        "acts.other_picks",
        edit(lambda p: kind_of(p, "orders"), (2,), lambda p: bytes(32)),
    ),
    "an answer to another request": (
        "acts.not_the_ask",
        edit(lambda p: kind_of(p, "answer"), (2,), lambda p: 6),
    ),
    "an answer of the one who asked": ("acts.own_request", lambda p: own_answer(p)),
    "an end without a cause": ("acts.no_cause", lambda p: early_end(p)),
    "the wrong winner of a resignation": ("acts.other_cause", lambda p: resigned(p, "b")),
    "a draw that was not agreed": (
        "acts.no_cause",
        edit(lambda p: the_end(p), (1,), lambda p: "outcome.draw_agreed"),
    ),
    "a flow that keeps more than there is": (
        "audit.flow",
        edit(a1, (records.FLOW, 0), lambda p: 40),
    ),
    "an opening after the end twice": (
        "acts.reveal_order",
        edit(the_opened, (0,), lambda p: the_opened(p).body[0] * 2),
    ),
    "a genesis by somebody": ("audit.actor", lambda p: by_somebody(p, 0)),
    "an end by somebody": ("acts.actor", lambda p: by_somebody(p, len(p.records) - 1)),
    "a link opened by somebody": ("audit.actor", lambda p: by_somebody(p, kind_of(p, "open").seq)),
    "a header of another format": ("audit.header_format", lambda p: resealed(p.file(), 1)),
    "a term that is false": (
        "audit.term",
        edit(lambda p: p.records[0], (13,), lambda p: {"unsigned_seats": False}),
    ),
    "a link of a turn that is not opened": (
        "audit.epoch_not_opened",
        lambda p: file_of(chained(p, drop=(kind_of(p, "open").seq,)), key=p.key),
    ),
    "a key of the server that the old one did not sign": (
        "acts.rotation",
        lambda p: rotated(p, signed=False),
    ),
    "a head by a key that the server had left": (
        "audit.signature",
        lambda p: rotated(p, signed=True, head=p.key),
    ),
    "a device that did not agree": ("acts.proof", lambda p: with_device(p, proof=bytes(64))),
    "the last key revoked": ("acts.not_revocable", lambda p: revoked(p)),
    "somebody put in a seat before play": ("acts.replaced_early", lambda p: replaced_early(p)),
    "a witness of another record": ("audit.head", lambda p: witnessed(p, hash=bytes(32))),
    "a witness that nobody signed": (
        "audit.witness_signature",
        lambda p: witnessed(p, signature=bytes(64)),
    ),
    "a witness by a key that is nobody's": (
        "acts.unknown_key",
        lambda p: witnessed(p, hand=Hand(b"", "a", signing_key("x"))),
    ),
    "a draw while another seat is asked": ("audit.drawn_while_asked", lambda p: both_asked(p)),
}
"""What is forged, and what the audit says of it."""


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forgery_is_found(name: str) -> None:
    """Both auditors find each of them, and the finding says what is wrong."""
    expected, forge = FORGERIES[name]
    data = forge(whole())
    report = found(data)
    assert expected in keys(report), [
        (item.seq, item.field, item.said.key) for item in report.findings
    ]
    assert report.code() == 1
    with pytest.raises(Exception):  # noqa: B017 - whatever it trips over, it is found
        mini_auditor.audit(data)


def own_answer(played: Played) -> bytes:
    """a answers its own request."""
    record = kind_of(played, "answer")
    by = record.body[3]
    body = ("a", True, record.body[2], (played.hands["a"].public, 90, by[2], by[3]))
    return file_of(chained(_actor(played, record.seq, "a"), {record.seq: body}), key=played.key)


def _actor(played: Played, seq: int, actor: str) -> Played:
    """The same game with another actor in one record."""
    old = played.records[seq]
    other = records.make(seq, old.at_ms, actor, old.kind, old.body, old.previous)
    return Played(
        played.ledger,
        played.key,
        [other if r.seq == seq else r for r in played.records],
        played.openings,
        hands=played.hands,
    )


def by_somebody(played: Played, seq: int) -> bytes:
    """A record of the server's by another actor."""
    return file_of(chained(_actor(played, seq, "somebody")), key=played.key)


def cut(played: Played, count: int, *more: tuple[str, str, Any]) -> list[Record]:
    """The first records of a game, and others behind them: (actor, kind, body), signed by whoever
    they name."""
    made = list(played.records[:count])
    for actor, kind, body in more:
        made.append(records.make(len(made), made[-1].at_ms, actor, kind, body, made[-1].hash))
    return made


def by(
    played: Played, seat: str, kind: str, seen: Record, *body: Any, n: int = 90
) -> tuple[Any, ...]:
    """A seat's signature of an act."""
    hand = played.hands[seat]
    act = acts.Act(played.ledger.genesis.hash, hand.public, seat, kind, n, seen.hash, body, b"")
    return By(hand.public, n, seen.hash, signature_of(hand, act)).as_array()


def end_body(played: Played, winner: str | None, reason: str, args: Any) -> tuple[Any, ...]:
    """An end of a game that hides nothing."""
    by = {"outcome.resigned": "resign", "outcome.draw_agreed": "draw"}.get(reason, "rules")
    keys = played.ledger.keys
    links = ((1, keys.link(1)),)
    return (winner, reason, args, links, keys.hidden, keys.salts, "", (), by)


def early_end(played: Played) -> bytes:
    """An end in the middle, as if the rules had decided it."""
    return file_of(
        cut(played, 7, ("server", records.END, end_body(played, "a", "outcome.counting", ()))),
        key=played.key,
    )


def resigned(played: Played, winner: str) -> bytes:
    """b resigns, and b wins."""
    made = cut(played, 6)
    ask = ("b", "resign", 0, by(played, "b", acts.ASK, made[-1], "resign", 0))
    made = cut(
        played,
        6,
        ("b", records.ASK, ask),
        ("server", records.END, end_body(played, winner, "outcome.resigned", (("seat", "b"),))),
    )
    return file_of(made, key=played.key)


def resealed(data: bytes, format: int) -> bytes:
    """The same frames under another header."""
    return wlog.encode(wlog.parse(data).frames, sealed=True, format=format)


def rotated(played: Played, *, signed: bool, head: SigningKey | None = None) -> bytes:
    """The server goes over to another key."""
    new, genesis = signing_key("new"), played.ledger.genesis.hash
    message = acts.rotate_bytes(genesis, played.key.verify_key.encode(), new.verify_key.encode())
    body = (new.verify_key.encode(), (played.key if signed else new).sign(message).signature)
    return file_of(cut(played, 7, ("server", records.ROTATE, body)), key=head or new)


def with_device(played: Played, proof: bytes) -> bytes:
    """a declares a further key."""
    made, key = cut(played, 7), signing_key("device").verify_key.encode()
    body = ("device", "a", key, proof, by(played, "a", acts.DEVICE, made[-1], key))
    return file_of(cut(played, 7, ("p_a", records.SEAT, body)), key=played.key)


def revoked(played: Played) -> bytes:
    """a revokes the only key it has."""
    made, key = cut(played, 7), played.hands["a"].public
    body = ("revoked", "a", key, by(played, "a", acts.REVOKED, made[-1], key))
    return file_of(cut(played, 7, ("p_a", records.SEAT, body)), key=played.key)


def replaced_early(played: Played) -> bytes:
    """Somebody is put in a's seat before the nonces are shown."""
    made, hand = cut(played, 3), Hand(played.ledger.genesis.hash, "a", signing_key("late"))
    act = hand.sign(acts.REPLACED, made[-1].hash, ("late", "test"))
    return file_of(
        cut(
            played,
            3,
            ("late", records.SEAT, ("replaced", "a", "late", "test", act.by.as_array(), ())),
        ),
        key=played.key,
    )


def witnessed(
    played: Played, *, hash: bytes = b"", signature: bytes = b"", hand: Hand | None = None
) -> bytes:
    """The game with a witness of a's that is not right."""
    last = played.records[-1]
    hand, hash = hand or played.hands["a"], hash or last.hash
    made = acts.witness_bytes(played.ledger.genesis.hash, last.seq, hash)
    assert hand._key is not None
    item = ("a", hand.public, last.seq, hash, signature or hand._key.sign(made).signature)
    return file_of(list(played.records), key=played.key, witnesses=[item])


def both_asked(played: Played) -> bytes:
    """The command before a roll leaves both seats asked."""
    roll = find(played, lambda r: r.kind == records.COMMAND and r.body[records.DRAWS])
    before = played.records[roll.seq - 1]
    assert before.kind == records.TAKEBACK
    made = chained(
        played, {before.seq: put(before.body, (3,), (*before.body[3], ("b", before.seq)))}
    )
    return file_of(made, key=played.key)


# --- keys of the server and of a seat -------------------------------------------------------------


def test_a_game_handed_over_has_a_reservation_unless_the_seat_signed_it() -> None:
    """Somebody is put in seat a: with the consent of a's key the game stays Sound, without it the
    verdict says where."""
    for consent in (True, False):
        played = start()
        new = Hand(played.ledger.genesis.hash, "a", signing_key("late"))
        seen = played.records[-1].hash
        act = new.sign(acts.REPLACED, seen, ("late", "test"))
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
        assert report.sound and report.level == 2
        assert [(item.name, dict(item.said.args)) for item in report.reservations] == (
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
        assert report.verdict == "sound" and report.level == 2, report.findings
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
        assert ("audit.refused_stands" in keys(report)) is unsound and report.sound is not unsound


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
        assert [item.name for item in report.reservations] == ["other_seat_key"]
        assert "audit.note.act_missing" in [note.key for note in report.notes]
    seen = played.records[2]
    refusal = played.key.sign(acts.refusal_bytes(entry.act.hash, seen.seq, seen.hash)).signature
    papers.refused(entry, seen.seq, seen.hash, refusal)
    assert found(played.file(), kept=read_kept(tmp_path)).verdict == "sound", (
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
    said = next(item.said for item in report.findings if item.said.key == "audit.fork")
    assert {value for name, value in said.args if name != "seq"} == {
        played.records[6].hash,
        b"\4" * 32,
    }


# --- the verdict ----------------------------------------------------------------------------------


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
    assert report.level == 2 and [item.name for item in report.reservations] == ["unsigned"]
    assert report.code() == 3 and report.code(("allow-unsigned-seats",)) == 0
    assert report.signers["b"].signed_to is None and report.signers["a"].signed_to is not None
    assert mini_auditor.audit(played.file()).ended


def test_self_play_is_never_called_plain_sound() -> None:
    """Its genesis says so, and so does the verdict, without a key and with code 0."""
    played = start(terms={"self_play": True})
    played.commit(played.resign("a"))
    report, _ = audit(played.file(), rulebook=RULEBOOK)
    assert report.verdict == "self_play" and report.code() == 0


def test_a_pack_and_options_of_ones_own_stand_in_the_verdict() -> None:
    """A game with another pack than the one shipped, or an option that is not the default, does not
    pass silently; the code stays 0."""
    book = Rulebook(TOYS.__getitem__, lambda title: bytes(32), lambda title: b"\1" * 32)
    report, _ = audit(whole().file(), key=whole().key.verify_key.encode(), rulebook=book)
    assert report.code() == 0 and [item.key for item in report.remarks] == ["audit.remark.pack"]
    other = start(2)
    other.commit(other.resign("a"))
    report = found(other.file())
    assert [item.key for item in report.remarks] == ["audit.remark.options"]


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
    entries = [(seat, f"p_{seat}", played.hands[seat].public) for seat in "ab"]
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
    frames = [wlog.Frame(wlog.FRAME_META, canon.pack("token")), *wlog.parse(whole().file()).frames]
    data = wlog.encode(frames, sealed=False)
    report = found(data)
    assert report.sound and {"audit.note.meta", "audit.note.not_sealed"} <= {
        note.key for note in report.notes
    }
    assert mini_auditor.audit(data).ended
