"""Each thing that the format holds, forged as whoever has the server's secrets would.

Everything that the forger can mend is mended, as in `test_attacks`; both auditors must find each.
"""

from collections.abc import Callable
from typing import Any

import pytest
from attrs import evolve as replace
from nacl.signing import SigningKey

from tests.audit import mini_auditor
from tests.audit.attacked import by, command_of, cut, end_body, found, keys, kind_of, whole
from tests.audit.tamper import chained, file_of, find, forged, put
from tests.fixtures import example
from tests.older import OLDER, with_header
from tests.verdicts import findings_of
from warledger.clients.audit.examine import examine
from warledger.engine.testing.randomgames import Played, signing_key
from warledger.protocol import canon
from warledger.protocol.board.effects import AWAIT
from warledger.protocol.log import bodies, records, wlog
from warledger.protocol.log.records import Record
from warledger.protocol.seats import acts
from warledger.protocol.seats.acts import Hand

Forgery = Callable[[Played], bytes]


PROMPT = "prompt.counting.act"


def edit(
    seq: Callable[[Played], Record],
    path: tuple[int, ...],
    new: Callable[[Played], Any],
    holds: tuple[str, ...] | None = None,
) -> Forgery:
    """One place changed, everything else mended."""
    return lambda played: forged(played, seq(played).seq, path, new(played), holds=holds)


def reordered(*order: int) -> Forgery:
    """The first records in another order, each at the time of its new place, chained anew and
    signed again."""

    def made(played: Played) -> bytes:
        original = list(played.records)
        played.records[:] = [original[seq] for seq in order] + original[len(order) :]
        times = {seq: original[place].at_ms for place, seq in enumerate(order)}
        try:
            return file_of(chained(played, times=times), key=played.key)
        finally:
            played.records[:] = sorted(played.records, key=lambda record: record.seq)

    return made


def a1(played: Played) -> Record:
    """A command of a."""
    return command_of(played, "a", 1)


def ordered(played: Played) -> Record:
    """The command that the server gave by a's standing answers."""
    return find(played, lambda r: r.kind == records.COMMAND and len(r.body[records.BY]) == 3)


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
        edit(taken_b, (6, 0), lambda p: p.hands["a"].public),
    ),
    "the server's key for a seat": (
        "acts.key_of_other",
        edit(taken_b, (6, 0), lambda p: p.key.verify_key.encode()),
    ),
    "a seat that signs nothing where it must": (
        "acts.unsigned",
        edit(taken_b, (6,), lambda p: (b"", 1, p.records[0].hash, b"")),
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
    "older standing answers": (
        "acts.old_orders",
        edit(ordered, (records.BY,), lambda p: (5, 0, 0)),
    ),
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
    "a genesis by somebody": ("acts.actor", lambda p: by_somebody(p, 0)),
    "an end by somebody": ("acts.actor", lambda p: by_somebody(p, len(p.records) - 1)),
    "a link opened by somebody": ("audit.actor", lambda p: by_somebody(p, kind_of(p, "open").seq)),
    "a header of another format": ("audit.file", lambda p: with_header(p.file(), OLDER)),
    "a term that is false": (
        "audit.term",
        edit(
            lambda p: p.records[0],
            (13,),
            lambda p: {**p.records[0].body[13], "unsigned_seats": False},
        ),
    ),
    "a link of a turn that is not opened": (
        "acts.links_missing",
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
    "a draw while another seat is asked": ("acts.drawn_while_asked", lambda p: both_asked(p)),
}
"""What is forged, and what the audit says of it."""


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forgery_is_found(name: str) -> None:
    """Both auditors find each of them, and the finding says what is wrong."""
    expected, forge = FORGERIES[name]
    data = forge(whole())
    report = found(data)
    assert expected in keys(report), [
        (item.seq, item.field, item.said.key) for item in findings_of(report)
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
    return file_of(cut(played, 7, ("a", records.SEAT, body)), key=played.key)


def revoked(played: Played) -> bytes:
    """a revokes the only key it has."""
    made, key = cut(played, 7), played.hands["a"].public
    body = ("revoked", "a", key, by(played, "a", acts.REVOKED, made[-1], key))
    return file_of(cut(played, 7, ("a", records.SEAT, body)), key=played.key)


def replaced_early(played: Played) -> bytes:
    """Somebody is put in a's seat before the nonces are shown."""
    made, hand = cut(played, 3), Hand(played.ledger.genesis.hash, "a", signing_key("late"))
    act = hand.sign(acts.REPLACED, made[-1].hash, ("", "late", "test"))
    return file_of(
        cut(
            played,
            3,
            ("a", records.SEAT, ("replaced", "a", "", "late", "test", act.by.as_array(), ())),
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
    """Both seats are asked where a rolls: from the first command on, to which a takeback before the
    roll goes back."""
    roll = find(played, lambda r: r.kind == records.COMMAND and r.body[records.DRAWS])
    back = played.records[roll.seq - 1]
    assert back.kind == records.TAKEBACK
    asking = (played.records[bodies.Takeback.read(back.body).to], back)
    made = {
        record.seq: _asking(record, tuple((seat, record.seq, PROMPT) for seat in "ab"))
        for record in asking
    }
    return file_of(chained(played, made), key=played.key)


def _asking(record: Record, awaits: bodies.Awaits) -> tuple[Any, ...]:
    """The body of a command or takeback that asks these seats, and says so."""
    effects = bodies.EFFECTS_PLACES[record.kind]
    place = len(record.body) - 1 - record.body[::-1].index(bodies.read(record).awaits)  # type: ignore[union-attr]
    told = tuple(
        (AWAIT, tuple(seat for seat, *_ in awaits)) if effect[0] == AWAIT else effect
        for effect in canon.unpack(record.body[effects])
    )
    changed: tuple[Any, ...] = put(record.body, (effects,), canon.pack(told))
    return put(changed, (place,), awaits)  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("term", "value"),
    [
        ("delay", None),
        ("delay", (0,)),
        ("delay", (-1, 0)),
        ("delay", (86_401, 0)),
        ("delay", (0, 65)),
        ("delay", (False, 0)),
        ("rated", None),
        ("rated", 1),
    ],
)
def test_terms_of_another_form_are_found(term: str, value: Any) -> None:
    """Every genesis says how late spectators are and whether the game is rated, within bounds; the
    auditor that shares no code finds it, too."""
    frames = list(wlog.parse(example.WLOG.read_bytes()).frames)
    first = records.read(frames[0].payload)
    terms = {key: one for key, one in first.body[13].items() if key != term}
    if value is not None:
        terms[term] = value
    body = (*first.body[:13], dict(sorted(terms.items())), *first.body[14:])
    made = records.make(0, first.at_ms, first.actor, first.kind, body, first.previous)
    data = wlog.encode([replace(frames[0], payload=made.data), *frames[1:]], sealed=True)
    assert "acts.terms" in [one.said.key for one in examine(data).findings]
    with pytest.raises(mini_auditor.Unsound, match="delay and rated"):
        mini_auditor.audit(data)
