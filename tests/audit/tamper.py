"""Forgeries: a game's file with something changed and everything an attacker can mend mended.

The attacker is the operator: every secret of the server is theirs, and so are the keys of the seats
that are in league with them (`holds`; all of them unless a test says otherwise, so that what a test
changed is the only thing wrong).
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from nacl.signing import SigningKey

from warledger.engine.testing.randomgames import Played
from warledger.protocol import canon
from warledger.protocol.chance import dice
from warledger.protocol.chance.seal import Opening, pack_openings
from warledger.protocol.log import chain, records, wlog
from warledger.protocol.log.records import Actor, CorruptLog, Genesis, Record
from warledger.protocol.seats import acts
from warledger.protocol.seats.acts import Act, Hand

Body = list[Any]


def put(value: Any, path: tuple[int, ...], new: Any) -> Any:
    """An array with another value at a path."""
    if not path:
        return new
    return (*value[: path[0]], put(value[path[0]], path[1:], new), *value[path[0] + 1 :])


def signature_of(hand: Hand, act: Act) -> bytes:
    """A seat's signature of any act, whatever its number."""
    assert hand._key is not None
    return hand._key.sign(act.signed).signature


class _Mender:
    """Writes records anew: hashes that later records name, nonce hashes and rosters of another
    genesis, and signatures of the keys held."""

    def __init__(self, played: Played, holds: Iterable[str] | None) -> None:
        self.old = played.ledger.genesis
        self.hands = {
            hand.public: hand
            for seat, hand in played.hands.items()
            if holds is None or seat in holds
        }
        self.hashes: dict[bytes, bytes] = {}
        self.genesis = self.old
        self.nonces = {
            r.body[1]: r.body[2]
            for r in played.records
            if r.kind == records.SEAT and r.body[0] == acts.NONCE
        }
        self.taken: dict[str, tuple[str, str, bytes, bytes]] = {}

    def record(
        self,
        seq: int,
        old: Record | None,
        at_ms: int,
        actor: Actor,
        kind: str,
        body: Any,
        previous: bytes,
        edited: bool,
    ) -> Record:
        """One record behind the one before."""
        if kind != records.GENESIS:
            body = self._mended(seq, actor, kind, body, edited)
        made = records.make(seq, at_ms, actor, kind, body, previous)
        if kind == records.GENESIS and seq == 0:
            self.genesis = Genesis.from_record(made)
        if old is not None:
            self.hashes[old.hash] = made.hash
        return made

    def _mended(self, seq: int, actor: Actor, kind: str, body: Any, edited: bool) -> Any:
        what = body[0] if kind == records.SEAT and body else ""
        if (
            not edited
            and what == acts.TAKEN
            and self.genesis.hash != self.old.hash
            and body[1] in self.nonces
        ):
            body = put(
                body, (4,), dice.bound_nonce_hash(self.genesis.hash, body[1], self.nonces[body[1]])
            )
        if what == acts.TAKEN and len(body) == 7 and type(body[6]) is tuple and body[6]:
            self.taken[body[1]] = (*body[1:4], body[6][0], body[4])
        if not edited and what == acts.NONCE and len(self.taken) == len(self.genesis.seats):
            roster = acts.roster_hash(
                self.genesis.hash, [self.taken[seat] for seat in self.genesis.seats]
            )
            body = put(body, (3,), roster)
        for path in _places(kind, body):
            by = body
            for index in path:
                by = by[index]
            if type(by) is tuple and len(by) == 4:
                body = put(body, path, (by[0], by[1], self.hashes.get(by[2], by[2]), by[3]))
        return self._signed(seq, actor, kind, body)

    def _signed(self, seq: int, actor: Actor, kind: str, body: Any) -> Any:
        shown = records.make(seq, 0, actor, kind, body, bytes(32))
        try:
            found = acts.acts_of(self.genesis.hash, shown)
        except CorruptLog:
            return body
        for act in found:
            hand = self.hands.get(act.key)
            if hand is not None and act.seat == hand.seat:
                for path in _places(kind, body):
                    by = body
                    for index in path:
                        by = by[index]
                    if (
                        by
                        and by[0] == act.key
                        and (act.kind == acts.HANDED) == (path == (6,) and body[0] == acts.REPLACED)
                    ):
                        body = put(body, path, (*by[:3], signature_of(hand, act)))
        return body


def _places(kind: str, body: Any) -> tuple[tuple[int, ...], ...]:
    """Where it stands in a body who acted."""
    if kind == records.COMMAND and len(body) > records.BY:
        return ((records.BY,),)
    if kind == records.SEAT and body and body[0] == acts.REPLACED:
        return ((5,), (6,))
    if (
        kind
        in (
            records.SEAT,
            records.ASK,
            records.ANSWER,
            records.TAKEBACK,
            records.ORDERS,
            records.CLOCK,
        )
        and body
        and type(body[-1]) is tuple
    ):
        return ((len(body) - 1,),)
    return ()


def chained(
    played: Played,
    bodies: Mapping[int, Any] | None = None,
    drop: tuple[int, ...] = (),
    *,
    holds: Iterable[str] | None = None,
    times: Mapping[int, int] | None = None,
    actors: Mapping[int, Actor] | None = None,
) -> list[Record]:
    """The records with some bodies, moments or actors changed, or some left out, numbered, chained
    and signed anew by the seats in `holds` (None: all)."""
    mender = _Mender(played, holds)
    out: list[Record] = []
    previous = records.NO_HASH
    for record in played.records:
        if record.seq in drop:
            continue
        edited = bodies is not None and record.seq in bodies
        body = bodies[record.seq] if bodies is not None and edited else record.body
        at_ms = (times or {}).get(record.seq, record.at_ms)
        actor = (actors or {}).get(record.seq, record.actor)
        out.append(
            mender.record(len(out), record, at_ms, actor, record.kind, body, previous, edited)
        )
        previous = out[-1].hash
    return out


def file_of(
    made: list[Record],
    *,
    key: SigningKey | None = None,
    openings: dict[int, tuple[Opening, ...]] | None = None,
    game: str = "g1",
    sealed: bool = True,
    witnesses: Iterable[tuple[Any, ...]] = (),
) -> bytes:
    """A file of these records, signed by this key."""
    frames = []
    for record in made:
        frames.append(wlog.Frame(wlog.FRAME_RECORD, record.data))
        found = (openings or {}).get(record.seq)
        if found:
            frames.append(wlog.Frame(wlog.FRAME_OPENINGS, pack_openings(found)))
    frames += [wlog.Frame(wlog.FRAME_WITNESS, canon.pack(item)) for item in witnesses]
    if key is not None:
        head = chain.sign_head(key, game, made[-1].seq, made[-1].hash)
        frames.append(wlog.Frame(wlog.FRAME_HEAD, canon.pack(head.as_array())))
    return wlog.encode(frames, sealed=sealed)


def forged(
    played: Played,
    seq: int,
    path: tuple[int, ...],
    new: Any,
    *,
    key: SigningKey | None = None,
    holds: Iterable[str] | None = None,
) -> bytes:
    """One place of one body changed, the chain mended, and signed again with the server's own key
    (the worst that can be done)."""
    body = put(played.records[seq].body, path, new)
    return file_of(chained(played, {seq: body}, holds=holds), key=key or played.key)


def find(played: Played, wanted: Callable[[Record], Any]) -> Record:
    """The first record of which something holds."""
    return next(record for record in played.records if wanted(record))
