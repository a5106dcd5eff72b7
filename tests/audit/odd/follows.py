"""What follows from other values in a log: numbers, hashes, seals and openings, digests, dice and
signatures. Each is worked out from what stands around it when its record is made, whatever that is
by then."""

import hmac
from typing import Any, Final

from tests.audit.odd.log import (
    ACTOR,
    BODY,
    KIND,
    SEQ,
    Frame,
    Later,
    Making,
    Path,
    Seal,
    Tree,
    at,
    pack,
    salt_of,
    sha,
)

NOBODY: Final = b""


class Number(Later):
    """The number of a record; without one, of the record in hand."""

    def __init__(self, frame: Frame | None = None) -> None:
        self.frame = frame

    def value(self, made: Making, path: Path) -> Any:
        return made.count if self.frame is None else made.number(self.frame)


class Hash(Later):
    """The hash of a record; without one, of the record before the one in hand."""

    def __init__(self, frame: Frame | None = None) -> None:
        self.frame = frame

    def value(self, made: Making, path: Path) -> Any:
        return made.previous if self.frame is None else made.hash(self.frame)


class Time(Later):
    """The time of a record: so many milliseconds behind the record before."""

    def __init__(self, gap: Any) -> None:
        self.gap = gap

    def value(self, made: Making, path: Path) -> Any:
        return made.at_ms + self.gap

    def __repr__(self) -> str:
        return f"Time({self.gap})"


class Packed(Later):
    """The bytes of a value."""

    def __init__(self, inner: Tree) -> None:
        self.inner = inner

    def value(self, made: Making, path: Path) -> Any:
        return pack(made._worked(self.inner, path, 0))

    def __repr__(self) -> str:
        return f"Packed({self.inner!r})"


# --- seals ----------------------------------------------------------------------------------------


class Sealed(Later):
    """A value under a seal. `place` is where it stood, for openings that come before it."""

    def __init__(self, inner: Tree, place: tuple[int, Path] = (0, ())) -> None:
        self.inner, self.place = inner, place
        self.shown: Any = None

    def value(self, made: Making, path: Path) -> Any:
        place = (made.count, path[1:])
        self.shown = made.values[place] = made._worked(self.inner, path, 0)
        made.places[id(self)] = place
        salt = salt_of(made.log.salts, place)
        told = pack([made.game, place[0], list(place[1]), salt, self.shown])
        return Seal(sha(b"warledger/seal/1", told))

    def __repr__(self) -> str:
        return f"Sealed({self.inner!r})"


class _Opening(Later):
    def __init__(self, sealed: Sealed) -> None:
        self.sealed = sealed

    def _place(self, made: Making) -> tuple[int, Path]:
        return made.places.get(id(self.sealed), self.sealed.place)


class OpenedSeq(_Opening):
    """The record that an opening names."""

    def value(self, made: Making, path: Path) -> Any:
        return self._place(made)[0]


class OpenedPath(_Opening):
    """The path that an opening names."""

    def value(self, made: Making, path: Path) -> Any:
        return list(self._place(made)[1])


class OpenedSalt(_Opening):
    """The salt of an opening."""

    def value(self, made: Making, path: Path) -> Any:
        return salt_of(made.log.salts, self._place(made))


class OpenedValue(_Opening):
    """The value of an opening."""

    def value(self, made: Making, path: Path) -> Any:
        return self.sealed.shown


def opening(sealed: Sealed) -> list[Any]:
    """[seq, path, salt, value]."""
    return [OpenedSeq(sealed), OpenedPath(sealed), OpenedSalt(sealed), OpenedValue(sealed)]


# --- commitments, links and dice ------------------------------------------------------------------


class PackDigest(Later):
    """The SHA-256 of the pack."""

    late = 1

    def value(self, made: Making, path: Path) -> Any:
        told = at(made.tree, path[:-1])[7]
        return sha(told) if type(told) is bytes else bytes(32)


class Chain(Later):
    """What record 0 commits to of the links."""

    def value(self, made: Making, path: Path) -> Any:
        return made.log.link(0)


class _Commitment(Later):
    late = 1
    tag = b""

    def value(self, made: Making, path: Path) -> Any:
        game = made.tree[BODY][1]
        secret = made.log.hidden if type(self) is HiddenCommitment else made.log.salts
        return sha(self.tag, pack([game, secret]))


class HiddenCommitment(_Commitment):
    """What record 0 commits to of the hidden value."""

    tag = b"warledger/hidden/1"


class SaltsCommitment(_Commitment):
    """What record 0 commits to of the salt key."""

    tag = b"warledger/salt-key/1"


class Link(Later):
    """The link of an epoch: the number before it."""

    late = 1

    def value(self, made: Making, path: Path) -> Any:
        return made.log.link(at(made.tree, path[:-1])[path[-1] - 1])


def number_of(seed: bytes, counter: Any, purpose: Any, sides: Any) -> int:
    """What a seed gives."""
    fair, attempt = 2**256 - 2**256 % sides, 0
    while True:
        told = hmac.digest(seed, pack([counter, attempt, purpose]), "sha256")
        number = int.from_bytes(told, "big")
        if number < fair:
            return int(number % sides)
        attempt += 1


class Index(Later):
    """What was drawn: `receipt` is the draw around it, and `result` the `[sides, index]`."""

    def __init__(self, receipt: list[Any], result: list[Any], old: Any) -> None:
        self.receipt, self.result, self.old = receipt, result, old

    def value(self, made: Making, path: Path) -> Any:
        try:
            epoch, counter, purpose = self.receipt[:3]
            nonces = [made.log.nonces.get(seat, b"") for seat in made.genesis[6]]
            if epoch:
                told = [made.game, made.log.link(epoch), nonces]
                seed = sha(b"warledger/open-seed/1", pack(told))
            else:
                told = [made.game, made.log.hidden, nonces]
                seed = sha(b"warledger/hidden-seed/1", pack(told))
            return number_of(seed, counter, purpose, self.result[0])
        except (TypeError, ValueError, ZeroDivisionError, IndexError):
            return self.old


class LotIndex(Later):
    """What a lot of a tournament came to."""

    late = 1

    def __init__(self, old: Any) -> None:
        self.old = old

    def value(self, made: Making, path: Path) -> Any:
        try:
            epoch, purpose, sides, _ = at(made.tree, path[:-1])
            told = [made.game, made.log.link(epoch), made.lot_nonces()]
            return number_of(sha(b"warledger/open-seed/1", pack(told)), 0, purpose, sides)
        except (TypeError, ValueError, ZeroDivisionError):
            return self.old


class NonceHash(Later):
    """The commitment of a seat to its nonce; with a number, of an entrant."""

    late = 1

    def __init__(self, number: Any = None) -> None:
        self.number = number

    def value(self, made: Making, path: Path) -> Any:
        who = made.tree[BODY][1] if self.number is None else f"e:{self.number}"
        nonce = made.log.nonces.get(who, b"") if type(who) is str else b""
        return sha(b"warledger/nonce/2", pack([made.genesis_hash, who, nonce]))


class Roster(Later):
    """The hash of what the seats have committed to."""

    def value(self, made: Making, path: Path) -> Any:
        seats = made.genesis[6] if len(made.genesis) > 6 else []
        roster = [made.taken.get(seat, []) for seat in seats if type(seat) is str]
        return sha(b"warledger/roster/2", pack([made.genesis_hash, roster]))


# --- acts -----------------------------------------------------------------------------------------


class PicksDigest(Later):
    """What a seat signs in place of its picks."""

    late = 1

    def value(self, made: Making, path: Path) -> Any:
        body = made.tree[BODY]
        picks = _shown(made, body[2], (2,))
        if type(picks) is not list or len(picks) != 2:
            return bytes(32)
        told = [made.genesis_hash, body[1], body[0], body[3], picks[1], picks[0]]
        return sha(b"warledger/picks/2", pack(told))


class OrdersDigest(Later):
    """What a seat signs in place of its standing answers."""

    late = 1

    def value(self, made: Making, path: Path) -> Any:
        body = made.tree[BODY]
        told = _shown(made, body[1], (1,))
        if type(told) is not list or len(told) != 2:
            return bytes(32)
        inside = [made.genesis_hash, body[0], told[1], told[0]]
        return sha(b"warledger/orders/2", pack(inside))


def _shown(made: Making, value: Any, path: Path) -> Any:
    """A value of the record in hand, unsealed."""
    if type(value) is not Seal:
        return value
    return made.values.get((made.count, path))


class ActNumber(Later):
    """The number of an act: one more than the last with its key."""

    late = 1

    def __init__(self, skip: int = 0) -> None:
        self.skip = skip

    def value(self, made: Making, path: Path) -> Any:
        key = at(made.tree, path[:-1])[0]
        whose = key if type(key) is bytes and key else str(_seat_of(made.tree))
        made.last_n[whose] = made.last_n.get(whose, 0) + 1 + self.skip
        return made.last_n[whose]


def _seat_of(tree: Any) -> Any:
    kind, body = tree[KIND], tree[BODY]
    if kind in ("clock", "ruling"):
        return tree[ACTOR]
    return body[1] if kind in ("seat", "command") else body[0]


class Signature(Later):
    """The signature of an act, by the key that stands before it."""

    late, instead = 2, bytes(64)

    def value(self, made: Making, path: Path) -> Any:
        key, n, seen = at(made.tree, path[:-1])[:3]
        if key == NOBODY:
            return b""
        kind, told = _act(made.tree, path)
        act = [made.genesis_hash, key, _seat_of(made.tree), kind, n, seen, told]
        return made.log.sign(key, b"warledger/act/2" + pack(act))


def _act(tree: Any, path: Path) -> tuple[str, list[Any]]:
    """The kind and body of the act that a record shows."""
    kind, body = tree[KIND], tree[BODY]
    if kind == "seat":
        word = body[0]
        if word == "replaced" and path[1] == 6:
            return "handed", [body[3], body[5][0] if body[5] else b""]
        fields = {"taken": slice(2, 6), "nonce": slice(2, 4), "replaced": slice(2, 5)}
        return str(word), body[fields.get(word, slice(2, 3))]
    if kind == "command":
        return kind, [body[0], body[3], body[-1]]
    if kind == "ask":
        return kind, body[1:3]
    if kind == "answer":
        return kind, [body[2], body[1]]
    if kind == "takeback":
        return "ask", ["takeback", body[1]]
    if kind == "orders":
        return kind, [body[2]]
    return str(kind), body[:-1]


class Proof(Later):
    """The proof of a new key."""

    late, instead = 2, bytes(64)

    def value(self, made: Making, path: Path) -> Any:
        _, seat, key, _, by = made.tree[BODY]
        told = [made.genesis_hash, seat, key, by[0]]
        return made.log.sign(key, b"warledger/device/2" + pack(told))


class Rotation(Later):
    """The old key's signature of the new one."""

    late, instead = 2, bytes(64)

    def __init__(self, old: bytes) -> None:
        self.old = old

    def value(self, made: Making, path: Path) -> Any:
        told = [made.genesis_hash, self.old, made.tree[BODY][0]]
        return made.log.sign(self.old, b"warledger/rotate/2" + pack(told))


class HeadSignature(Later):
    """The signature of a head: the three fields before it. `game`, if it is not among them."""

    late, instead = 2, bytes(64)

    def __init__(self, key: bytes, game: Any = None) -> None:
        self.key, self.game = key, game

    def value(self, made: Making, path: Path) -> Any:
        fields = at(made.tree, path[:-1])[: path[-1]]
        told = fields[-3:] if self.game is None else [self.game, *fields[-2:]]
        return made.log.sign(self.key, b"warledger/head/1" + pack(told))


class WitnessSignature(Later):
    """A seat's signature of the last record."""

    late, instead = 2, bytes(64)

    def value(self, made: Making, path: Path) -> Any:
        _, key, seq, hashed = made.tree[:4]
        told = [made.genesis_hash, seq, hashed]
        return made.log.sign(key, b"warledger/witness/2" + pack(told))


# --- whole frames ---------------------------------------------------------------------------------


def by(key: bytes, seen: Frame | None = None) -> list[Any]:
    """Who acts: the newest record seen is the one before, unless another is named."""
    return [key, ActNumber(), Hash(seen), Signature()]


def record(actor: Any, kind: str, *body: Any, gap: Any = 0) -> Frame:
    """A record, so many milliseconds behind the one before."""
    return Frame(1, [Number(), Time(gap), actor, kind, list(body), Hash()])


def head(log_game: Any, key: bytes, of: Frame) -> Frame:
    """A head of a record."""
    return Frame(3, [log_game, Number(of), Hash(of), HeadSignature(key)])


def witness(seat: Any, key: bytes, of: Frame) -> Frame:
    """A witness of a record."""
    return Frame(6, [seat, key, Number(of), Hash(of), WitnessSignature()])


__all__ = [
    "SEQ",
    "ActNumber",
    "Chain",
    "Hash",
    "HeadSignature",
    "HiddenCommitment",
    "Index",
    "Link",
    "LotIndex",
    "NonceHash",
    "Number",
    "OpenedPath",
    "OpenedSalt",
    "OpenedSeq",
    "OpenedValue",
    "OrdersDigest",
    "PackDigest",
    "Packed",
    "PicksDigest",
    "Proof",
    "Roster",
    "Rotation",
    "SaltsCommitment",
    "Sealed",
    "Signature",
    "Time",
    "WitnessSignature",
    "by",
    "head",
    "number_of",
    "opening",
    "record",
    "witness",
]
