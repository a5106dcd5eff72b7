"""Secrets in a public log: a hidden value appears in the record as a salted commitment, and is
opened to those who are entitled to it.

The seal of a value is SHA-256(tag | game | seq | path | salt | value), its salt the first 16 bytes
of HMAC-SHA-256(salt key, seq | path). The path is the value's position in the record's body, index
by index (for effects: the index of the effects, then the position in them). So one key, committed
to in the genesis and revealed at the end, opens everything, and no two seals of the same value look
alike.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

import msgpack
from attrs import define, field, frozen

from warledger.protocol import canon
from warledger.protocol.chance.dice import keyed
from warledger.protocol.limits import HASH_BYTES, SALT_BYTES
from warledger.protocol.log import records
from warledger.protocol.log.records import Record

SEAL_TAG = b"warledger/seal/1"
SALT_KEY_TAG = b"warledger/salt-key/1"

Path = tuple[int, ...]


class BadOpening(ValueError):
    """An opening that does not fit its seal."""


@define(unsafe_hash=True)
class Secret:
    """A value that only `readers` may know yet. Treat it as frozen, like a Seal, and for the same
    reason.

    `where` is (seq, path) of its seal once it has been emitted, so that it can be opened later.
    Equality ignores the place.
    """

    value: Any
    readers: tuple[str, ...] = ()
    where: tuple[int, Path] | None = field(default=None, eq=False)


@frozen
class Opening:
    """What opens one seal: the record, the position in its body, the salt and the value."""

    seq: int
    path: Path
    salt: bytes
    value: Any
    readers: tuple[str, ...] = field(default=(), eq=False)

    def as_array(self) -> tuple[Any, ...]:
        """Its form in records and messages."""
        return (self.seq, self.path, self.salt, self.value)

    @classmethod
    def from_array(cls, array: Any) -> "Opening":
        """Raises BadOpening when the array has another form."""
        try:
            seq, path, salt, value = array
            if (
                type(seq) is not int
                or seq < 0
                or type(path) is not tuple
                or not all(type(step) is int and step >= 0 for step in path)
                or type(salt) is not bytes
                or len(salt) != SALT_BYTES
            ):
                raise BadOpening("an opening is [seq, path, salt, value]")
            return cls(seq, path, salt, value)
        except (TypeError, ValueError) as error:
            raise BadOpening("an opening is [seq, path, salt, value]") from error


def salt_key_commitment(game: str, salt_key: bytes) -> bytes:
    """The commitment to the salt key in the genesis."""
    return hashlib.sha256(SALT_KEY_TAG + canon.pack((game, salt_key))).digest()


def salt_of(salt_key: bytes, seq: int, path: Path) -> bytes:
    """The salt of the seal at this place."""
    return keyed(salt_key)(canon.pack((seq, path)))[:SALT_BYTES]


def seal(game: str, opening: Opening) -> canon.Seal:
    """The commitment that is in the record."""
    body = canon.pack((game, opening.seq, opening.path, opening.salt, opening.value))
    return canon.Seal(hashlib.sha256(SEAL_TAG + body).digest())


# --- where seals stand ----------------------------------------------------------------------------


class Misplaced(ValueError):
    """A seal, or a value to be sealed, where none may stand: at this path of a body."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"nothing may be sealed at {path}")
        self.path = path


_PACKED: Final[Mapping[str, int]] = {
    records.GENESIS: records.PACK,
    records.COMMAND: records.EFFECTS,
    records.TAKEBACK: 2,
    records.RULING: 4,
    "act": 6,
}
"""The place of the bytes in a body that hold packed values: the pack, and effects."""
_SINGLE: Final[Mapping[str, Path]] = {
    records.COMMAND: (records.PICKS,),
    records.ORDERS: (1,),
    "act": (1,),
}
"""What of a body is sealed as a whole. (An act is a record of a tournament.)"""
_WIDE: Final = (records.EVENTS, records.EFFECTS)
"""Places of a command anywhere in which seals may stand."""


def _may_stand(kind: str, body: Any, path: Path) -> bool:
    if path == _SINGLE.get(kind):
        return True
    if kind != records.COMMAND:
        return False
    if path[0] in _WIDE:
        return True
    hidden = path[0] == records.DRAWS and path[2:] == (3,)
    return hidden and bool(body[records.DRAWS][path[1]][0] == 0)


def _met(value: Any, path: Path, packed: int | None) -> Iterator[tuple[Path, Any]]:
    """Each seal and each secret of a value with its path, in order: in arrays, in the bytes at the
    place `packed` of a body, and nowhere else. Raises Misplaced for one in a map."""
    kind = type(value)
    if kind is tuple or kind is list:
        for index, item in enumerate(value):
            inner = type(item)
            if inner is canon.Seal or inner is Secret:
                yield (*path, index), item
            elif inner is dict or inner is tuple or inner is list:
                yield from _met(item, (*path, index), None)
            elif inner is bytes and index == packed and canon.SEAL_MARK in item:
                yield from _met(canon.unpack(item), (index,), None)
    elif kind is dict and any(map(holds_seal, value.values())):
        raise Misplaced(path)
    elif kind is canon.Seal:  # packed by itself
        yield path, value


def places(kind: str, body: Any) -> list[tuple[Path, Any]]:
    """Every seal, or secret, of a record's body with its path, in order. The path of one in packed
    effects goes on in them.

    Nothing else says where seals may stand. Raises Misplaced for one anywhere else, and
    NotCanonical if bytes that are to hold packed values do not.
    """
    corrects = kind != records.RULING or body[:1] == ("corrected",)
    found = list(_met(body, (), _PACKED.get(kind) if corrects else None))
    for path, _ in found:
        if not _may_stand(kind, body, path):
            raise Misplaced(path)
    return found


def seals_of(record: Record) -> list[tuple[Path, canon.Seal]]:
    """The seals of a record, as `places` finds them."""
    if canon.SEAL_MARK not in record.data:
        return []
    return places(record.kind, record.body)


def holds_seal(value: Any) -> bool:
    """Whether a value that stands in no record by itself, such as what a seal hides, holds a seal
    or a secret."""
    try:
        return any(True for _ in _met((value,), (), None))
    except Misplaced:
        return True


def conceal(
    game: str, salt_key: bytes, seq: int, kind: str, body: Any
) -> tuple[Any, list[Opening]]:
    """Replace each Secret in the body of a record by its seal; effects are not packed yet. Returns
    the public body and the openings, in order of their paths. The body must have passed
    `looked_through`.

    Raises Misplaced for a secret where no seal may stand.
    """
    found: list[Opening] = []
    seals: list[tuple[Path, canon.Seal]] = []
    salt_for = keyed(salt_key)
    for path, secret in places(kind, body):
        if type(secret) is canon.Seal:
            continue  # as a branch has them from its game
        # `salt_of` and `seal`, written out: a command may have dozens of secrets.
        inside = secret.value
        salt = salt_for(canon.pack((seq, path)))[:SALT_BYTES]
        found.append(Opening(seq, path, salt, inside, secret.readers))
        sealed = canon.pack((game, seq, path, salt, inside))
        seals.append((path, canon.Seal(hashlib.sha256(SEAL_TAG + sealed).digest())))
    return _placed(body, seals), found


def _apart(value: Any) -> msgpack.ExtType:
    """The encoding of a secret: that of a seal. Its content is checked separately from its
    surroundings."""
    if type(value) is not Secret:
        return canon.extension(value)
    canon.check(value.value)
    if holds_seal(value.value):
        raise canon.NotCanonical("what is sealed holds a seal itself")
    return canon.extension(_BLANK)


_BLANK: Final = canon.Seal(bytes(HASH_BYTES))
_idle: list[Callable[[Any], bytes]] = []
"""Packers that are not in use; see `canon`."""


def looked_through(value: Any) -> bytes:
    """The canonical bytes of a value, with an empty seal for every secret. If SEAL_MARK is not in
    them, it holds neither a secret nor a seal.

    Raises NotCanonical unless the value may be in a log once its secrets are sealed, and so may
    what they hold.
    """
    try:
        packer = _idle.pop()
    except IndexError:
        packer = msgpack.Packer(default=_apart, use_bin_type=True).pack
    try:
        data = packer(value)
    except UnicodeEncodeError as error:
        raise canon.NotCanonical(str(error)) from error
    if len(data) <= canon.PACKER_BYTES_MAX:
        _idle.append(packer)
    canon.check_packed(data)
    return data


def hides(value: Any) -> bool:
    """Whether there is a secret, or a seal, anywhere in a value. Raises as `looked_through`
    does."""
    return canon.SEAL_MARK in looked_through(value) and holds_seal(value)


def reveal(value: Any, openings: Iterable[Opening]) -> Any:
    """The body with each opened seal replaced by a Secret that knows its place. The openings must
    already be verified."""
    return _placed(
        value,
        [
            (opening.path, Secret(opening.value, opening.readers, (opening.seq, opening.path)))
            for opening in openings
        ],
    )


def _placed(value: Any, items: Iterable[tuple[Path, Any]]) -> Any:
    """An array with other values at these places of it and of the arrays inside."""
    out: list[Any] | None = None
    deeper: list[tuple[Path, Any]] = []
    # Nearly all seals are fields of events, two arrays down, and come one behind the other: the
    # array that was opened last and the field that was changed last are then those of the next.
    outer: list[Any] = []
    inner: list[Any] = []
    first = second = -1
    for path, new in items:
        if len(path) == 3:
            at, within, index = path
            if out is None:
                out = list(value)
            if within != second or at != first:
                if second >= 0:
                    outer[second] = tuple(inner)
                if at != first:
                    if first >= 0:
                        out[first] = tuple(outer)
                    outer, first = list(out[at]), at
                inner, second = list(outer[within]), within
            inner[index] = new
        else:
            deeper.append((path, new))
    if out is not None:
        outer[second] = tuple(inner)
        out[first] = tuple(outer)
        value = tuple(out)
    return _put(value, deeper, 0) if deeper else value


def _put(value: Any, items: Iterable[tuple[Path, Any]], depth: int) -> Any:
    """A value with others put at paths below this depth. Each array is copied at most once."""
    out = list(value)
    deeper: dict[int, list[tuple[Path, Any]]] = {}
    for path, new in items:
        index = path[depth]
        if len(path) == depth + 1:
            out[index] = new
        else:
            deeper.setdefault(index, []).append((path, new))
    for index, inside in deeper.items():
        out[index] = _put(out[index], inside, depth + 1)
    return tuple(out)


def find(value: Any, path: Path) -> Any:
    """The value at a path of a body. Raises BadOpening if there is no such place."""
    for index in path:
        if type(value) is not tuple or not 0 <= index < len(value):
            raise BadOpening(f"the record has no place {path}")
        value = value[index]
    return value


def verify(game: str, opening: Opening, sealed: Any) -> None:
    """Raise BadOpening unless the opening fits the seal found at its place."""
    if type(sealed) is not canon.Seal:
        raise BadOpening(f"record {opening.seq} has no seal at {opening.path}")
    if seal(game, opening).digest != sealed.digest:
        raise BadOpening(
            f"the opening of record {opening.seq} at {opening.path} does not match its seal"
        )


def pack_openings(openings: Iterable[Opening]) -> bytes:
    """The private openings that belong to a record, with their readers, as a game file stores them
    and a server forwards them."""
    return canon.pack(
        [
            (opening.seq, opening.path, opening.salt, opening.value, opening.readers)
            for opening in openings
        ]
    )


def unpack_openings(data: bytes) -> tuple[Opening, ...]:
    """Raises BadOpening or NotCanonical if the bytes contain something else."""
    array = canon.unpack(data)
    if type(array) is not tuple:
        raise BadOpening("openings are an array")
    found = []
    for item in array:
        if (
            type(item) is not tuple
            or len(item) != 5
            or type(item[4]) is not tuple
            or not all(type(reader) is str for reader in item[4])
        ):
            raise BadOpening("a private opening is [seq, path, salt, value, readers]")
        opening = Opening.from_array(item[:4])
        if holds_seal(opening.value):
            raise BadOpening(f"what is opened of record {opening.seq} holds a seal itself")
        found.append(
            Opening(opening.seq, opening.path, opening.salt, opening.value, tuple(item[4]))
        )
    return tuple(found)
