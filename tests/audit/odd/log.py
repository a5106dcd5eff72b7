"""A log as a stranger writes it who has keys of his own: frames whose values are plain, except for
what follows from others, which is worked out when the file is made.

Whatever is changed in such a log, hashes, numbers, digests, seals, dice and signatures are made to
fit again, so that nothing is wrong but what was changed (or nothing at all). Nothing of the project
checks a value here: text may hold surrogates, a map its keys in any order, a number any size.
"""

import hashlib
import hmac
import struct
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, Final, TypeAlias
from zlib import crc32

from nacl.signing import SigningKey

Tree: TypeAlias = Any
"""A value in which arrays are lists, and what follows from others is a `Later`."""
Path: TypeAlias = tuple[int, ...]
RECORD, OPENINGS, HEAD, SECRETS, META, WITNESS, END = 1, 2, 3, 4, 5, 6, 9
SEQ, AT_MS, ACTOR, KIND, BODY, PREVIOUS = range(6)
SIGN: Final = b"\x89WLOG\r\n"


def sha(*parts: bytes) -> bytes:
    """SHA-256 of the parts one after the other."""
    return hashlib.sha256(b"".join(parts)).digest()


# --- values ---------------------------------------------------------------------------------------


class Raw:
    """Bytes that stand in a packed value as they are, whatever they encode."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def __repr__(self) -> str:
        return f"Raw({self.data.hex()})"


class Seal:
    """A seal as it stands."""

    def __init__(self, digest: bytes) -> None:
        self.digest = digest

    def __repr__(self) -> str:
        return "Seal(…)"


def pack(value: Any) -> bytes:
    """The bytes of a value: canonical ones, unless the value cannot have any."""
    kind = type(value)
    if value is None:
        return b"\xc0"
    if kind is bool:
        return b"\xc3" if value else b"\xc2"
    if kind is int:
        return _number(value)
    if kind is str:
        data = value.encode("utf-8", "surrogatepass")
        return _sized(len(data), 0xA0, 32, (0xD9, 0xDA, 0xDB)) + data
    if kind is bytes:
        return _sized(len(value), 0, 0, (0xC4, 0xC5, 0xC6)) + value
    if kind is list or kind is tuple:
        return _sized(len(value), 0x90, 16, (0, 0xDC, 0xDD)) + b"".join(map(pack, value))
    if kind is dict:
        inside = b"".join(pack(key) + pack(item) for key, item in value.items())
        return _sized(len(value), 0x80, 16, (0, 0xDE, 0xDF)) + inside
    if kind is Seal:
        return bytes((0xC7, len(value.digest), 1)) + value.digest
    if kind is Raw:
        return bytes(value.data)
    raise TypeError(f"{value!r} has not been worked out")


def _sized(count: int, small: int, below: int, heads: tuple[int, int, int]) -> bytes:
    if count < below:
        return bytes((small | count,))
    for head, form, most in zip(heads, ("B", ">H", ">I"), (1 << 8, 1 << 16, 1 << 32), strict=True):
        if head and count < most:
            return bytes((head,)) + struct.pack(form, count)
    raise ValueError("too long")


def _number(value: int) -> bytes:
    if 0 <= value < 128 or -32 <= value < 0:
        return struct.pack("b" if value < 0 else "B", value)
    forms = ((0xCC, ">B"), (0xCD, ">H"), (0xCE, ">I"), (0xCF, ">Q"))
    if value < 0:
        forms = ((0xD0, ">b"), (0xD1, ">h"), (0xD2, ">i"), (0xD3, ">q"))
    for head, form in forms:
        try:
            return bytes((head,)) + struct.pack(form, value)
        except struct.error:
            continue
    return b"\xcb" + struct.pack(">d", value)


# --- what follows from others ---------------------------------------------------------------------


class Later:
    """A value that is worked out when its record is made. `late` are those that need the rest of
    their record first, in ascending order."""

    late = 0
    instead: Any = bytes(32)
    """What stands there if what it follows from is too odd."""

    def value(self, made: "Making", path: Path) -> Any:
        """The value. `path` is the place in the frame's tree."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return type(self).__name__


@cache
def _signing_key(seed: bytes) -> SigningKey:
    return SigningKey(seed)


class Frame:
    """A frame of a file. A record has the tree [seq, at_ms, actor, kind, body, previous]."""

    def __init__(self, kind: int, tree: Tree, old: int = -1) -> None:
        self.kind, self.tree, self.old = kind, tree, old
        """`old` is the number of the record in the file that this one was taken from."""

    @property
    def body(self) -> Any:
        """The body of a record."""
        return self.tree[BODY] if type(self.tree) is list and len(self.tree) > BODY else []

    @property
    def what(self) -> str:
        """The kind of a record, and the word that its body begins with, where that tells more."""
        if self.kind != RECORD or type(self.tree) is not list or len(self.tree) <= BODY:
            return ""
        kind, body = self.tree[KIND], self.tree[BODY]
        word = (
            body[0] if kind in ("seat", "clock", "ruling") and type(body) is list and body else ""
        )
        return f"{kind} {word}".strip() if type(word) is str and type(kind) is str else ""


class Log:
    """A file: its frames, the keys and secrets of whoever writes it, and what is odd about the
    file itself."""

    def __init__(self) -> None:
        self.frames: list[Frame] = []
        self.keys: dict[bytes, bytes] = {}
        """The seed of each public key."""
        self.nonces: dict[str, bytes] = {}
        """What each seat, or entrant, shows."""
        self.root = self.hidden = self.salts = bytes(32)
        self.length = 64
        self.header = SIGN + b"\3"
        self.sealed = True
        self.bytes_later: list[Callable[[bytes], bytes]] = []
        """What is done to the bytes of the file at last."""

    def key(self, name: bytes | str, seed: bytes | None = None) -> bytes:
        """The public key of somebody: always the same for a name, unless its seed is given."""
        named = name if type(name) is bytes else str(name).encode()
        seed = seed or sha(b"a stranger's key", named)
        public = bytes(_signing_key(seed).verify_key)
        self.keys[public] = seed
        return public

    def sign(self, public: Any, message: bytes) -> bytes:
        """A signature; bytes that are none where the key is not the stranger's."""
        seed = self.keys.get(public) if type(public) is bytes else None
        return bytes(64) if seed is None else bytes(_signing_key(seed).sign(message).signature)

    def link(self, epoch: Any) -> bytes:
        """The link of an epoch; 0 is what the genesis commits to."""
        link = self.root
        back = self.length - epoch if type(epoch) is int else 0
        for _ in range(min(max(back, 0), 70_000)):
            link = sha(b"warledger/link/1", link)
        return link

    def records(self) -> list[Frame]:
        """The frames of records."""
        return [frame for frame in self.frames if frame.kind == RECORD]

    @property
    def last(self) -> Frame:
        """The last record."""
        return self.records()[-1]


class Making:
    """A file in the making: what its records have come to so far."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self.count = 0
        self.previous = bytes(32)
        self.at_ms = 0
        self.genesis: Any = []
        self.genesis_hash = bytes(32)
        self.numbers: dict[int, int] = {}
        self.hashes: dict[int, bytes] = {}
        self.places: dict[int, tuple[int, Path]] = {}
        """Where each value that was sealed stands."""
        self.values: dict[tuple[int, Path], Any] = {}
        """What stands there."""
        self.roster: list[Any] = []
        self.shown: dict[Any, Any] = {}
        """Whose nonces go into lots, and those that were shown."""
        self.taken: dict[Any, list[Any]] = {}
        self.last_n: dict[Any, int] = {}
        self.tree: Any = None
        """The tree of the frame in hand, worked out as far as that has come."""

    @property
    def game(self) -> Any:
        """The id that record 0 names."""
        return self.genesis[1] if len(self.genesis) > 1 else ""

    def number(self, frame: Frame) -> int:
        """A record's number in this file, or where it is not (yet) in it, that of the old one."""
        return self.numbers.get(id(frame), frame.old)

    def hash(self, frame: Frame) -> bytes:
        """A record's hash, or bytes that are none."""
        return self.hashes.get(id(frame), sha(b"no such record", str(frame.old).encode()))

    def lot_nonces(self) -> list[Any]:
        """The nonces that go into the lots of a tournament."""
        shown = [self.shown[number] for number in self.roster if number in self.shown]
        return shown if len(shown) == len(self.roster) else []

    def file(self) -> bytes:
        """The whole file."""
        frames = self.log.frames
        payloads = {
            id(frame): self.payload(frame)
            for records in (True, False)  # what stands beside records may name later ones
            for frame in frames
            if (frame.kind == RECORD) == records
        }
        data = self.log.header
        data += b"".join(framed(frame.kind, payloads[id(frame)]) for frame in frames)
        if self.log.sealed:
            count = len(self.log.frames).to_bytes(4, "big")
            data += framed(END, count + sha(data))
        for later in self.log.bytes_later:
            data = later(data)
        return data

    def payload(self, frame: Frame) -> bytes:
        """The bytes of a frame."""
        if type(frame.tree) is bytes:
            return frame.tree
        if frame.kind == RECORD:
            self.numbers[id(frame)] = self.count
        self.tree = self._worked(frame.tree, (), 0)
        for late in (1, 2, 3):
            self.tree = self._worked(self.tree, (), late)
        data = pack(self.tree)
        if frame.kind == RECORD:
            self._made(frame, data)
        return data

    def _made(self, frame: Frame, data: bytes) -> None:
        tree, self.previous = self.tree, sha(data)
        self.hashes[id(frame)] = self.previous
        self.count += 1
        if type(tree) is not list or len(tree) != 6:
            return
        self.at_ms = tree[AT_MS] if type(tree[AT_MS]) is int else self.at_ms
        body = tree[BODY]
        if self.count == 1:
            self.genesis, self.genesis_hash = body if type(body) is list else [], self.previous
        if tree[KIND] == "seat" and type(body) is list and len(body) == 7 and body[0] == "taken":
            key = body[6][0] if type(body[6]) is list and body[6] else b""
            if type(body[1]) is str:
                self.taken.setdefault(body[1], [*body[1:4], key, body[4]])
        if tree[KIND] == "act" and type(body) is list and len(body) == 8:
            for event in body[5] if type(body[5]) is list else []:
                self._event(event)

    def _event(self, event: Any) -> None:
        match event:
            case ["rostered", [*numbers], _]:
                self.roster = numbers
            case ["nonce", int(number), nonce]:
                self.shown[number] = nonce

    def _worked(self, value: Any, path: Path, late: int) -> Any:
        if isinstance(value, Later):
            if value.late > late:
                return value
            try:
                value = value.value(self, path)
            except (TypeError, ValueError, LookupError, AttributeError, OverflowError):
                value = value.instead
        if type(value) is list:
            return [self._worked(item, (*path, index), late) for index, item in enumerate(value)]
        if type(value) is dict:
            return {key: self._worked(item, (*path, -1), late) for key, item in value.items()}
        return value


def framed(kind: int, payload: bytes) -> bytes:
    """The bytes of a frame."""
    head = struct.pack(">IB", len(payload), kind % 256)
    return head + struct.pack(">I", crc32(payload, crc32(head))) + payload


def made(log: Log) -> bytes:
    """The file of a log."""
    return Making(log).file()


def is_leaf(value: Any) -> bool:
    """Whether a value has nothing inside that could be changed by itself."""
    return not isinstance(value, list | dict)


def places(tree: Tree, path: Path = ()) -> Iterable[Path]:
    """Every place in the arrays of a tree."""
    yield path
    if type(tree) is list:
        for index, item in enumerate(tree):
            yield from places(item, (*path, index))


def at(tree: Tree, path: Path) -> Any:
    """The value at a place."""
    for index in path:
        tree = tree[index]
    return tree


def put(tree: Tree, path: Path, value: Any) -> Tree:
    """The tree with another value at a place. (Changed in place, but for the whole.)"""
    if not path:
        return value
    at(tree, path[:-1])[path[-1]] = value
    return tree


def salt_of(salts: bytes, place: tuple[int, Path]) -> bytes:
    """The salt of a seal."""
    return hmac.digest(salts, pack([place[0], list(place[1])]), "sha256")[:16]
