"""Whole games for the vectors in which one check alone is missed, and sound ones with what is rare.

Each forged file is wrong in one way only, with everything else mended that the server and all seats
together can mend: an auditor that leaves out that check finds it sound. `tests.fixtures.vectors`
writes them to `protocol/vectors/logs`.
"""

from collections.abc import Callable
from typing import Any, Final

from tests.audit import forged_orders
from tests.audit.attacked import by, command_of, cut, kind_of, start, whole
from tests.audit.attacked_desk import BANK, DAY
from tests.audit.forged_orders import PROMPT
from tests.audit.tamper import chained, file_of, forged, put
from tests.audit.test_forged_acts import rotated, witnessed
from tests.toys import fog
from warledger.engine.testing.randomgames import Played, begin, signing_key
from warledger.protocol import canon
from warledger.protocol.board.effects import AWAIT, REWIND
from warledger.protocol.chance import dice
from warledger.protocol.chance.seal import Opening, salt_of, seal
from warledger.protocol.log import deskbodies, records, wlog
from warledger.protocol.log.records import Record
from warledger.protocol.seats import acts
from warledger.protocol.seats.acts import Hand, picks_digest

Made = Callable[[], bytes]
SEAL: Final = canon.Seal(b"\5" * 32)
"""A seal of nothing."""


# --- forged: seals --------------------------------------------------------------------------------


def sealed_anew(
    seq: int,
    path: tuple[int, ...],
    value: Callable[[Any], Any],
    salt: Callable[[bytes], bytes],
    digest: Callable[[Played, Any], bytes] | None = None,
) -> bytes:
    """The whole game with a value that is sealed and opened otherwise; the seal is its own, and so
    is the digest of what it hides, if one is given."""
    played = whole()
    opened_in, where = next(
        (record, (place, index))
        for record in played.records
        for place in ((records.OPENED,) if record.kind == records.COMMAND else (0,))
        if record.kind in (records.COMMAND, records.REVEAL)
        for index, item in enumerate(record.body[place])
        if item[:2] == (seq, path)
    )
    _, _, old_salt, old = opened_in.body[where[0]][where[1]]
    opening = Opening(seq, path, salt(old_salt), value(old))
    body = put(played.records[seq].body, path, seal("g1", opening))
    if digest is not None:
        body = put(body, (records.DIGEST,), digest(played, opening.value))
    bodies = {
        seq: body,
        opened_in.seq: put(opened_in.body, where, (seq, path, opening.salt, opening.value)),
    }
    return file_of(chained(played, bodies), key=played.key)


def _unlike(salt: bytes) -> bytes:
    return bytes(16) if salt != bytes(16) else b"\1" * 16


def _no_seal() -> bytes:
    """The opening of a word after the end names another one."""
    played = whole()
    reveal = kind_of(played, records.REVEAL)
    index = next(i for i, one in enumerate(reveal.body[0]) if one[:2] == (9, (7, 0, 3)))
    return forged(played, reveal.seq, (0, index, 3), "dog")


# --- forged: dice ---------------------------------------------------------------------------------


def _rolled() -> Record:
    return command_of(whole(), "a", 1)


def _index(played: Played, epoch: int, counter: int, purpose: str, sides: int) -> int:
    """What the seed of an epoch gives."""
    nonces = [
        record.body[2]
        for seat in played.ledger.genesis.seats
        for record in played.records
        if record.kind == records.SEAT and record.body[:2] == ("nonce", seat)
    ]
    seed = (
        dice.open_seed(played.ledger.game, played.ledger.keys.link(epoch), nonces)
        if epoch
        else dice.hidden_seed(played.ledger.game, played.ledger.keys.hidden, nonces)
    )
    return dice.draw_index(seed, counter, purpose, sides)


def _draw(played: Played, epoch: int, counter: int) -> tuple[Any, ...]:
    """A draw as its seed gives it."""
    return (epoch, counter, "fortune", (6, _index(played, epoch, counter, "fortune", 6)))


def _drawn(draws: Callable[[Played], tuple[Any, ...]]) -> bytes:
    """The whole game with other draws where a rolled; the hidden draw later counts on."""
    played = whole()
    record = _rolled()
    return forged(played, record.seq, (records.DRAWS,), draws(played))


def _other_die() -> bytes:
    _, _, _, (sides, index) = _rolled().body[records.DRAWS][0]
    return forged(whole(), _rolled().seq, (records.DRAWS, 0, 3), (sides, (index + 1) % sides))


def _hidden_die() -> bytes:
    return sealed_anew(
        17, (records.DRAWS, 0, 3), lambda old: (old[0], (old[1] + 1) % old[0]), _same
    )


def _same(value: Any) -> Any:
    return value


def _skipped(played: Played) -> tuple[Any, ...]:
    """Counter 5 in place of 0."""
    return (_draw(played, 1, 5),)


def _rolls(draws: Callable[[Played], tuple[Any, ...]], *passes: str) -> bytes:
    """The seats pass, then the next rolls, with other draws, and b resigns."""
    played = start()
    for seat in passes:
        played.submit(seat, "pass")
    played.submit(played.position.open[0][0], "roll")
    record = next(one for one in played.records if one.kind == records.COMMAND and one.body[5])
    played.commit(played.resign("b"))
    return forged(played, record.seq, (records.DRAWS,), draws(played))


def _resigned() -> Played:
    """A game in which nothing is drawn or hidden."""
    played = start()
    played.submit("a", "add", 1)
    played.commit(played.resign("b"))
    return played


def _end(path: tuple[int, ...], new: Any, played: Played | None = None) -> bytes:
    played = played or _resigned()
    return forged(played, kind_of(played, records.END).seq, path, new)


# --- forged: the chain ----------------------------------------------------------------------------


def _unchained() -> bytes:
    """The last record names another one before it, in a frame that is whole."""
    played = whole()
    last = played.records[-1]
    made = records.make(last.seq, last.at_ms, last.actor, last.kind, last.body, bytes(32))
    return file_of([*played.records[:-1], made], key=played.key)


def _begun(*fields: tuple[int, Any]) -> bytes:
    """A game before anybody sat down, with other fields in record 0, or with further terms."""
    first = whole().records[0]
    body = first.body
    for place, value in fields:
        told = canon.ordered({**body[13], **value}) if place == 13 else value
        body = put(body, (place,), told)
    made = records.make(0, first.at_ms, first.actor, first.kind, body, first.previous)
    return file_of([made], key=whole().key)


def _by(actor: records.Actor) -> bytes:
    """A game before anybody sat down, whose record 0 is by somebody."""
    first = whole().records[0]
    made = records.make(0, first.at_ms, actor, first.kind, first.body, first.previous)
    return file_of([made], key=whole().key)


def _clock(**control: Any) -> bytes:
    """A game begun with this control of clocks."""
    return _begun((13, {"clock": canon.ordered({"bank": BANK, **control})}))


def _respelt_pack() -> bytes:
    """The pack is a map with a longer head, and its digest fits."""
    pack = whole().records[0].body[7]
    assert pack[0] & 0xF0 == 0x80
    other = b"\xde\x00" + bytes([pack[0] & 0x0F]) + pack[1:]
    return _begun((7, other), (8, records.hash_of(other)))


def _sealed_pack() -> bytes:
    """A seal stands in the pack."""
    pack = canon.unpack(whole().records[0].body[7])
    other = canon.pack(canon.ordered({**pack, "zz": (SEAL,)}))
    return _begun((7, other), (8, records.hash_of(other)))


def _sealed_flow() -> bytes:
    """A seal among the arguments of a step of play."""
    played = whole()
    first = next(one for one in played.records if one.kind == records.COMMAND)
    return forged(played, first.seq, (records.FLOW, 1, 0, 1), (SEAL,))


def _head_first() -> bytes:
    """A head of record 0 stands before it."""
    played = whole()
    frames = wlog.parse(played.file()).frames
    payload = played.head_payload(0)
    return wlog.encode((wlog.Frame(wlog.FRAME_HEAD, payload), *frames), sealed=True)


def _unknown_veil() -> bytes:
    """A veil holds an effect that nobody knows."""
    played = _covered()
    record = next(
        one for one in played.records if one.kind == records.COMMAND and one.body[records.DECISION]
    )
    path, last = (records.EFFECTS, 0, 1), played.records[-1]
    salt = salt_of(played.ledger.keys.salts, record.seq, path)
    opening = Opening(record.seq, path, salt, (("twirl", "n1"),))
    told = put(canon.unpack(record.body[records.EFFECTS]), (0, 1), seal("g1", opening))
    opened = tuple(
        opening.as_array() if one[:2] == (record.seq, path) else one for one in last.body[0]
    )
    bodies = {
        record.seq: put(record.body, (records.EFFECTS,), canon.pack(told)),
        last.seq: (opened, True),
    }
    return file_of(chained(played, bodies), key=played.key)


def _earlier() -> bytes:
    """The last record is a second before the one it follows."""
    played = whole()
    times = {played.records[-1].seq: played.records[-2].at_ms - 1000}
    return file_of(chained(played, times=times), key=played.key)


# --- forged: the course of the game ---------------------------------------------------------------


def _commanded(played: Played, seat: str, decision: int) -> bytes:
    """Behind what was played, a command of a seat on a question."""
    last, genesis = played.records[-1], played.ledger.genesis.hash
    blind, id, seq = b"\5" * 32, b"\6" * 16, last.seq + 1
    digest = picks_digest(genesis, seat, decision, id, blind, ("pass",))
    signed = by(played, seat, acts.COMMAND, last, decision, id, digest)
    told = canon.pack(((AWAIT, ("a",)),))
    body = (
        *(decision, seat, (("pass",), blind), id, signed, (), (), told, ()),
        *((0, ()), (("a", seq, PROMPT),), digest),
    )
    return file_of(cut(played, seq, (seat, records.COMMAND, body)), key=played.key)


def _added(*seats: str, **given: Any) -> Played:
    played = start(**given)
    for seat in seats:
        played.submit(seat, "add", 1)
    return played


def _took_back(played: Played, seat: str, to: int) -> bytes:
    """A takeback that asks nobody, to a record at which `seat` was asked."""
    seq = played.records[-1].seq + 1
    told = canon.pack(((REWIND, to), (AWAIT, (seat,))))
    signed = by(played, seat, acts.ASK, played.records[-1], "takeback", to)
    body = (seat, to, told, ((seat, seq, PROMPT),), 0, signed)
    return file_of(cut(played, seq, (seat, records.TAKEBACK, body)), key=played.key)


def _rolled_back() -> bytes:
    played = start()
    before = played.position.seq
    played.submit("a", "roll")
    return _took_back(played, "a", before)


def _shown_back() -> bytes:
    """b shows a word, which opens a seal, and takes that back."""
    played = start()
    for seat, *picks in (("a", "pass"), ("b", "hide", "caterpillar"), ("a", "pass")):
        played.submit(seat, *picks)
    before = played.position.seq
    played.submit("b", "show")
    return _took_back(played, "b", before)


def _over_another() -> bytes:
    played = start()
    before = played.position.seq
    for seat in "ab":
        played.submit(seat, "add", 1)
    return _took_back(played, "a", before)


def _asked(played: Played, seat: str, to: int) -> bytes:
    """A request for a takeback."""
    seq = played.records[-1].seq + 1
    signed = by(played, seat, acts.ASK, played.records[-1], "takeback", to)
    body = (seat, "takeback", to, signed)
    return file_of(cut(played, seq, (seat, records.ASK, body)), key=played.key)


def _answered() -> bytes:
    """A consent to what nobody has asked for."""
    played = _added("a")
    seq = played.records[-1].seq + 1
    signed = by(played, "b", acts.ANSWER, played.records[-1], 6, True)
    return file_of(cut(played, seq, ("b", records.ANSWER, ("b", True, 6, signed))), key=played.key)


def _opened_as(epoch: int) -> bytes:
    """Two turns without dice; the first is opened as another."""
    played = _added("a", "b")
    played.commit(played.resign("a"))
    opened = kind_of(played, records.OPEN)
    bodies = {opened.seq: put(opened.body, (0,), epoch)}
    return file_of(chained(played, bodies), key=played.key)


FORGED: Final[dict[str, Made]] = {
    **forged_orders.FORGED,
    "a die that its seed does not give": _other_die,
    "a hidden die that its seed does not give, sealed as it is opened": _hidden_die,
    "a counter that leaves some out, with the die that it gives": lambda: _drawn(_skipped),
    "a die of the next epoch, before a turn has closed": lambda: _drawn(
        lambda played: (_draw(played, 2, 0),)
    ),
    "a die of an epoch that was opened, behind it": lambda: _rolls(
        lambda played: (_draw(played, 1, 0),), "a", "b"
    ),
    "a die of the next epoch, and one of the present one after it": lambda: _rolls(
        lambda played: (_draw(played, 2, 0), _draw(played, 1, 1)), "a"
    ),
    "an epoch opened under another number": lambda: _opened_as(2),
    "a last link that does not lead to the one before": lambda: _end((3, 0, 1), b"\7" * 32),
    "a hidden value that was not committed to": lambda: _end((4,), b"\7" * 32),
    "a salt key that was not committed to": lambda: _end((5,), b"\7" * 32),
    "an opening of another value than was sealed": _no_seal,
    "a seal with a salt that the salt key does not give": lambda: sealed_anew(
        9, (records.EVENTS, 0, 2), _same, _unlike
    ),
    "sealed picks that are not those that were signed": lambda: sealed_anew(
        9, (2,), lambda old: (("hide", "dog"), old[1]), _same
    ),
    "a broken chain in a frame whose check sum is right": _unchained,
    "a record earlier than the one before it": _earlier,
    "a command on a question that is closed": lambda: _commanded(_added("a", "b"), "a", 5),
    "a command of a seat that is not asked": lambda: _commanded(_added("a", "b"), "b", 7),
    "a free takeback over a die": _rolled_back,
    "a free takeback over what was opened": _shown_back,
    "a free takeback over another seat's command": _over_another,
    "a request for a takeback that is free": lambda: _asked(_added("a"), "a", 5),
    "a request for a takeback to where nobody asked the seat": lambda: _asked(
        _added("a", "b"), "b", 5
    ),
    "a consent to what nobody has asked for": _answered,
    "a frame before record 0": _head_first,
    "a pack that is not canonical": _respelt_pack,
    "a seal in a map": lambda: _begun((13, {"note": SEAL})),
    "a seal in a map of an array": lambda: _begun((13, {"note": ({"more": (SEAL,)},)})),
    "a seal in the pack": _sealed_pack,
    "a seal in the flow of a command": _sealed_flow,
    "an opened value that holds a seal": lambda: sealed_anew(
        9, (records.EVENTS, 0, 2), lambda old: (old, SEAL), _same
    ),
    "an opened veil with an effect that nobody knows": _unknown_veil,
    "a clock of more than 400 days": lambda: _clock(turn=400 * DAY + 1),
    "more leave at a time than in a game": lambda: _clock(leave_days=1, leave_each=2),
    "a clock that is nil": lambda: _begun((13, {"clock": None})),
    "a desk that is nil": lambda: _begun((13, {"desk": None})),
    "a desk whose rules are bytes": lambda: _begun((13, {"desk": ((), b"")})),
    "a genesis by a seat": lambda: _by("a"),
    "a genesis by an arbiter": lambda: _by(("id.ann", "Ann")),
}
"""Files with one thing wrong."""


# --- sound ----------------------------------------------------------------------------------------


def _device(*, revokes: bool) -> bytes:
    """a declares a further key, and may withdraw the first with it."""
    played, key = _added("a"), signing_key("device")
    public, last = key.verify_key.encode(), played.records[-1]
    genesis = played.ledger.genesis.hash
    proof = key.sign(acts.device_bytes(genesis, "a", public, played.hands["a"].public)).signature
    seq = last.seq + 1
    signed = by(played, "a", acts.DEVICE, last, public)
    more: list[tuple[str, str, Any]] = [("a", records.SEAT, ("device", "a", public, proof, signed))]
    made = cut(played, seq, *more)
    if revokes:
        old = played.hands["a"].public
        act = Hand(genesis, "a", key).sign(acts.REVOKED, made[-1].hash, (old,))
        more.append(("a", records.SEAT, ("revoked", "a", old, act.by.as_array())))
        made = cut(played, seq, *more)
    return file_of(made, key=played.key)


def _handed() -> bytes:
    """A seat goes to somebody else, with the consent of a key that it had."""
    played = _added("a")
    last, hand = played.records[-1], Hand(played.ledger.genesis.hash, "a", signing_key("new"))
    act = hand.sign(acts.REPLACED, last.hash, ("id.p_c", "p_c", "test"))
    consent = by(played, "a", acts.HANDED, last, "p_c", hand.public)
    body = ("replaced", "a", "id.p_c", "p_c", "test", act.by.as_array(), consent)
    return file_of(cut(played, last.seq + 1, ("a", records.SEAT, body)), key=played.key)


def _witnessed() -> bytes:
    return witnessed(whole())


def _consented() -> bytes:
    """A takeback over a die that the other seat consents to, and the game goes on."""
    played = start()
    before = played.position.seq
    played.submit("a", "roll")
    played.commit(played.take_back("a", before))
    played.commit(played.answer("b", True))
    played.submit("a", "add", 1)
    played.commit(played.resign("b"))
    return played.file()


def _over_a_takeback() -> bytes:
    """Two commands of one seat; the second is taken back, another is given, and that and the first
    are taken back."""
    played = begin(fog.RULES, fog.PACK, options={"turns": 1})
    first = played.position.seq
    played.submit("north", "march", "n1", "hill")
    second = played.position.seq
    played.submit("north", "march", "n2", "gate")
    played.commit(played.take_back("north", second))
    played.submit("north", "march", "n3", "gate")
    played.commit(played.take_back("north", first))
    return played.file()


def _timed(fall: str) -> Played:
    """A game with clocks."""
    return _added("a", terms={"clock": {"bank": BANK, "fall": fall}})


def _flagged(fall: str) -> bytes:
    """b's time is up; where it has to be claimed, a claims it."""
    played = _timed(fall)
    played.at_ms = played.records[-1].at_ms + BANK
    played.commit(played.ledger.propose_flag(played.at_ms))
    if fall == "claim":
        played.commit(played.claim_time("a"))
    return played.file()


def _paused() -> bytes:
    """A pause that both agree to, and go on from."""
    played = _timed("loss")
    played.commit(played.pause("a"))
    played.commit(played.answer("b", True))
    played.at_ms = played.records[-1].at_ms + 10 * BANK
    for seat in "ab":
        played.commit(played.clock(seat, deskbodies.Resume(seat)))
    played.submit("b", "add", 1)
    played.commit(played.resign("a"))
    return played.file()


def _expired(*, lapsed: bool) -> bytes:
    """A game that never began: a seat was not taken, or no nonce was shown."""
    played = start(start=False)
    for seat in "ab" if lapsed else "a":
        signed = played.by(seat, acts.TAKEN, "", f"p_{seat}", bytes(32), "test")
        played.commit(
            played.ledger.propose_seat(
                seat, f"p_{seat}", bytes(32), played.at_ms, by=signed, client="test"
            )
        )
    played.commit(played.ledger.propose_expiry(played.at_ms))
    return played.file()


def _covered() -> Played:
    played = begin(fog.RULES, fog.PACK, options={"turns": 1})
    for seat, *picks in (
        ("north", "march", "n1", "hill", "n2", "gate"),
        ("north", "look", "ford"),
        ("north", "done"),
        ("south", "march", "s1", "gate"),
        ("south", "spy", "gate"),
        ("south", "done"),
    ):
        played.submit(seat, *picks)
    return played


def _rotated() -> bytes:
    return rotated(whole(), signed=True)


def _half_done() -> bytes:
    """A resignation, and nothing after it."""
    played = _added("a")
    last = played.records[-1]
    signed = by(played, "b", acts.ASK, last, "resign", 0)
    ask = ("b", "resign", 0, signed)
    return file_of(cut(played, last.seq + 1, ("b", records.ASK, ask)), key=played.key)


RARE: Final[dict[str, Made]] = {
    **forged_orders.SOUND,
    "the server goes over to another key": _rotated,
    "a further key of a seat": lambda: _device(revokes=False),
    "a further key of a seat, which revokes the first": lambda: _device(revokes=True),
    "a seat handed over with its consent": _handed,
    "a witness": _witnessed,
    "a takeback that was consented to": _consented,
    "a free takeback over commands, one of which replaced another": _over_a_takeback,
    "an end by flag": lambda: _flagged("loss"),
    "an end by a flag that was claimed": lambda: _flagged("claim"),
    "a pause that both agreed to": _paused,
    "a seat that nobody took": lambda: _expired(lapsed=False),
    "nonces that nobody showed": lambda: _expired(lapsed=True),
    "a resignation that nothing follows": _half_done,
    "veils and sealed picks": lambda: _covered().file(),
}
"""Sound files with what is rare, some of them of games in progress."""

__all__ = ["FORGED", "RARE", "sealed_anew"]
