"""Secrets in a public log: a hidden value appears in the record as a salted commitment, and is
opened to those who are entitled to it.

The seal of a value is SHA-256(tag | game | seq | path | salt | value), its salt the first 16 bytes
of HMAC-SHA-256(salt key, seq | path). The path is the value's position in the record's body, index
by index (for effects: the index of the effects, then the position in them). So one key, committed
to in the genesis and revealed at the end, opens everything, and no two seals of the same value look
alike.
"""

import hashlib
from collections.abc import Callable, Iterable
from typing import Any

import msgpack
from attrs import define, field, frozen

from warledger.protocol import canon
from warledger.protocol.limits import SALT_BYTES
from warledger.protocol.mac import keyed

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
                or type(salt) is not bytes
                or not all(type(step) is int and step >= 0 for step in path)
            ):
                raise BadOpening("an opening is [seq, path, salt, value]")
            return cls(seq, tuple(path), salt, value)
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


def conceal(
    game: str, salt_key: bytes, seq: int, path: Path, value: Any, secrets: int | None = None
) -> tuple[Any, list[Opening]]:
    """Replace each Secret in a body by its seal. Returns the public value and the openings, in
    order of their paths. The body must have passed `hides`; `secrets` says how many there are, if
    that is known, so that the search can stop after the last."""
    run = _Concealing(game, salt_key, seq, secrets)
    kind = type(value)
    if kind is Secret:
        return run.seal(path, value), run.found
    return run.conceal(path, value) if kind in _ARRAYS else value, run.found


class _Concealing:
    """One search through a body. (Functions inside `conceal` that call each other would be garbage
    that refers to itself, for the collector to find after every command.)"""

    __slots__ = ("found", "game", "salt_for", "secrets", "seq")

    def __init__(self, game: str, salt_key: bytes, seq: int, secrets: int | None) -> None:
        self.game = game
        self.salt_for = keyed(salt_key)
        self.seq = seq
        self.secrets = secrets
        self.found: list[Opening] = []

    def seal(self, path: Path, secret: Secret) -> canon.Seal:
        """The seal of a secret, whose opening is noted."""
        # `salt_of` and `seal`, written out: a command may have dozens of secrets.
        seq, inside = self.seq, secret.value
        salt = self.salt_for(canon.pack((seq, path)))[:SALT_BYTES]
        self.found.append(Opening(seq, path, salt, inside, secret.readers))
        body = canon.pack((self.game, seq, path, salt, inside))
        return canon.Seal(hashlib.sha256(SEAL_TAG + body).digest())

    def conceal(self, path: Path, value: Any) -> Any:
        """An array with a seal in place of each secret in it; the same array if there is none."""
        out = None
        for index, item in enumerate(value):
            kind = type(item)
            if kind is Secret:
                new: Any = self.seal((*path, index), item)
            elif kind is tuple or kind is list:
                # Most arrays contain only leaves; these are skipped without a call.
                for inner in item:
                    deeper = type(inner)
                    if deeper is tuple or deeper is Secret or deeper is list:
                        break
                else:
                    continue
                new = self.conceal((*path, index), item)
            else:
                continue
            if new is not item:
                if out is None:
                    out = list(value)
                out[index] = new
                if len(self.found) == self.secrets:
                    break
        return value if out is None else tuple(out)


_ARRAYS = (tuple, list)


class _Look:
    """A packer that counts the secrets it encounters. The content of a secret is checked separately
    from its surroundings."""

    def __init__(self) -> None:
        self.met = 0
        self.pack: Callable[[Any], bytes] = msgpack.Packer(
            default=self._apart, use_bin_type=True
        ).pack

    def _apart(self, value: Any) -> Any:
        if type(value) is not Secret:
            return canon.extension(value)
        canon.check(value.value)
        self.met += 1
        return None


_idle: list[_Look] = []
"""As in `canon`."""


def hides(value: Any) -> bool:
    """Whether there is a secret anywhere in a value.

    Raises NotCanonical unless the value may be in a log once its secrets are sealed, and so may
    what they hold.
    """
    return looked_through(value)[0] > 0


def looked_through(value: Any) -> tuple[int, bytes]:
    """How many secrets `hides` finds in the value, and the value's canonical bytes, which are valid
    only if it finds none."""
    try:
        look = _idle.pop()
    except IndexError:
        look = _Look()
    look.met = 0
    try:
        data = look.pack(value)
    except UnicodeEncodeError as error:
        raise canon.NotCanonical(str(error)) from error
    met = look.met
    if len(data) <= canon.PACKER_BYTES_MAX:
        _idle.append(look)
    canon.check_packed(data)
    return met, data


def reveal(value: Any, openings: Iterable[Opening]) -> Any:
    """The body with each opened seal replaced by a Secret that knows its place. The openings must
    already be verified."""
    out: list[Any] | None = None
    deeper: list[Opening] = []
    # Nearly all seals are fields of events, two arrays down, and come one behind the other: the
    # array that was opened last and the field that was changed last are then those of the next.
    outer: list[Any] = []
    inner: list[Any] = []
    first = second = -1
    for opening in openings:
        path = opening.path
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
            inner[index] = Secret(opening.value, opening.readers, (opening.seq, path))
        else:
            deeper.append(opening)
    if out is not None:
        outer[second] = tuple(inner)
        out[first] = tuple(outer)
        value = tuple(out)
    return _put(value, deeper, 0) if deeper else value


def _put(value: Any, openings: Iterable[Opening], depth: int) -> Any:
    """An array with what is opened inside it put in its place; `depth` is the array's own, so that
    each array is copied once however much is opened."""
    out = list(value)
    deeper: dict[int, list[Opening]] = {}
    for opening in openings:
        path = opening.path
        index = path[depth]
        if len(path) == depth + 1:
            out[index] = Secret(opening.value, opening.readers, (opening.seq, path))
        elif index in deeper:
            deeper[index].append(opening)
        else:
            deeper[index] = [opening]
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


def seals_in(value: Any, path: Path = ()) -> list[tuple[Path, canon.Seal]]:
    """Every seal of a body with its path, in order."""
    if type(value) is canon.Seal:
        return [(path, value)]
    if type(value) is tuple:
        return [
            found
            for index, item in enumerate(value)
            if type(item) in (tuple, canon.Seal)
            for found in seals_in(item, (*path, index))
        ]
    return []


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
        found.append(
            Opening(opening.seq, opening.path, opening.salt, opening.value, tuple(item[4]))
        )
    return tuple(found)
