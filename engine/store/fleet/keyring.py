"""A fleet's key ring: the keys with which its nodes sign and seal, in one file.

`fleet.keys` holds one key a line, `signing N HEX` or `data N HEX`, numbered from 1, and `next`
behind a key that is handed out already and not yet used. The newest key without `next` of each kind
is current. `other N HEX` are signing keys of servers whose games were brought into the fleet: those
games go on by them. So a ring is changed in two steps, between which every node gets the new one: a
node that met a message sealed with a key that it lacks could not read it.

The file is for the nodes alone and travels by the operator's hands, never through the engine.
"""

import os
from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, Self

from attrs import evolve as changed
from attrs import field, frozen
from nacl.signing import SigningKey

from warledger.engine.store.fleet.sealedmessages import DataKeys

RING_FILE: Final = "fleet.keys"
CREDENTIALS: Final = "CREDENTIALS_DIRECTORY"
"""Where systemd puts the files of `LoadCredential=`."""

KEY_BYTES: Final = 32
_KINDS: Final = ("signing", "data")
_OTHER: Final = "other"
_HEAD: Final = (
    "# Warledger: the keys of a fleet. Whoever has this file can read and sign its games."
)


class BadRing(Exception):
    """A key ring that cannot be used; the message says why and what to do."""


@frozen
class RingKey:
    """One key. `is_next` says that it is handed out and not used yet."""

    kind: str
    number: int
    secret: bytes = field(repr=False)
    is_next: bool = False


@frozen
class Ring:
    """The keys of a fleet, in the order of their numbers."""

    keys: tuple[RingKey, ...]

    @classmethod
    def made(cls, random_bytes: Callable[[int], bytes]) -> Self:
        """A ring of one signing and one data key."""
        return cls(tuple(RingKey(kind, 1, random_bytes(KEY_BYTES)) for kind in _KINDS))

    @classmethod
    def parse(cls, text: str, where: str) -> Self:
        """The ring that a file holds; `where` is its name. Raises BadRing."""
        found: list[RingKey] = []
        for number, line in enumerate(text.splitlines(), 1):
            words = line.partition("#")[0].split()
            if not words:
                continue
            match words:
                case [("signing" | "data" | "other") as kind, digits, secret, *rest] if rest in (
                    [],
                    ["next"],
                ):
                    try:
                        key = RingKey(kind, int(digits), bytes.fromhex(secret), bool(rest))
                    except ValueError:
                        key = RingKey(kind, 0, b"")
                    if 0 < key.number < 256 and len(key.secret) == KEY_BYTES:
                        found.append(key)
                        continue
            raise BadRing(
                f"{where}, line {number} is not a key: it should be `signing N HEX` or "
                "`data N HEX`. Put the ring back from a backup"
            )
        ring = cls(tuple(found))
        for kind in (*_KINDS, _OTHER):
            numbers = [key.number for key in ring.of(kind)]
            is_used = bool(ring._used(kind)) or kind == _OTHER
            if numbers != list(range(1, len(numbers) + 1)) or not is_used:
                raise BadRing(
                    f"the {kind} keys of {where} are numbered {numbers}, and should be numbered "
                    "from 1 without a gap, with one in use. Put the ring back from a backup"
                )
        return ring

    def text(self) -> str:
        """What the file holds."""
        lines = (
            f"{key.kind} {key.number} {key.secret.hex()}{' next' if key.is_next else ''}"
            for key in self.keys
        )
        return "\n".join((_HEAD, *lines)) + "\n"

    def of(self, kind: str) -> tuple[RingKey, ...]:
        """The keys of a kind, oldest first."""
        return tuple(key for key in self.keys if key.kind == kind)

    def _used(self, kind: str) -> tuple[RingKey, ...]:
        return tuple(key for key in self.of(kind) if not key.is_next)

    @property
    def has_next(self) -> bool:
        """Whether there are keys that are handed out and not used yet."""
        return any(key.is_next for key in self.keys)

    # --- what nodes do with it --------------------------------------------------------------------

    @property
    def signing_key(self) -> SigningKey:
        """The key that new games name."""
        return SigningKey(self._used("signing")[-1].secret)

    @property
    def other_signing_keys(self) -> tuple[SigningKey, ...]:
        """Earlier keys and those of other servers, by which running games go on."""
        keys = (*self._used("signing")[:-1], *self.of(_OTHER))
        return tuple(SigningKey(key.secret) for key in keys)

    @property
    def next_signing_keys(self) -> tuple[SigningKey, ...]:
        """The keys to come, which nodes that were told of it may use already."""
        return tuple(SigningKey(key.secret) for key in self.of("signing") if key.is_next)

    @property
    def data_keys(self) -> DataKeys:
        """What seals and opens messages."""
        keys = {key.number: key.secret for key in self.of("data")}
        return DataKeys.of(keys, self._used("data")[-1].number)

    @property
    def public(self) -> tuple[str, ...]:
        """The public signing keys in hexadecimal, newest first, without those to come, and then
        those of other servers: what `server.pub` holds."""
        keys = (*reversed(self._used("signing")), *self.of(_OTHER))
        return tuple(_public(key) for key in keys)

    def described(self) -> dict[str, Any]:
        """What the engine keeps of the ring, by which a node sees whether its own is the fleet's:
        public signing keys, and of each data key a digest that gives nothing of it away."""
        return {
            "signing": {str(key.number): _public(key) for key in self._used("signing")},
            "data": {str(key.number): _digest(key) for key in self._used("data")},
            _OTHER: {str(key.number): _public(key) for key in self.of(_OTHER)},
        }

    def missing(self, described: Mapping[str, Mapping[str, str]]) -> tuple[str, ...]:
        """The keys of the fleet that this ring lacks or has otherwise, such as `data 2`."""
        own = {("signing", str(key.number)): _public(key) for key in self.of("signing")}
        own |= {(_OTHER, str(key.number)): _public(key) for key in self.of(_OTHER)}
        own |= {("data", str(key.number)): _digest(key) for key in self.of("data")}
        return tuple(
            f"{kind} {number}"
            for kind in (*_KINDS, _OTHER)
            for number, value in described.get(kind, {}).items()
            if own.get((kind, number)) != value
        )

    def with_others(self, secrets: Iterable[bytes]) -> Self:
        """With the signing keys of another server, whose games are to be brought in."""
        known = {key.secret for key in self.keys if key.kind != "data"}
        new = [secret for secret in dict.fromkeys(secrets) if secret not in known]
        count = len(self.of(_OTHER))
        made = (RingKey(_OTHER, count + n, secret) for n, secret in enumerate(new, 1))
        return changed(self, keys=(*self.keys, *made))

    # --- rotation ---------------------------------------------------------------------------------

    def grown(self, random_bytes: Callable[[int], bytes]) -> Self:
        """With a further key of each kind, to be handed out. Raises BadRing."""
        if self.has_next:
            raise BadRing(
                "the ring holds new keys already: hand it to every node, restart them one by one, "
                "and then put the keys to use"
            )
        new = tuple(
            RingKey(kind, len(self.of(kind)) + 1, random_bytes(KEY_BYTES), is_next=True)
            for kind in _KINDS
        )
        if new[1].number > 255:
            raise BadRing("a ring holds 255 data keys at most")
        return changed(self, keys=(*self.keys, *new))

    def switched(self) -> Self:
        """With what was handed out in use. Raises BadRing."""
        if not self.has_next:
            raise BadRing("the ring holds no new keys to put to use")
        return changed(self, keys=tuple(changed(key, is_next=False) for key in self.keys))


def read_ring(folder: Path | None = None) -> Ring:
    """The ring in a folder; without one in that of systemd's credentials. Raises BadRing if it is
    missing, can be read by others, or is none."""
    given = os.environ.get(CREDENTIALS)
    if folder is None:
        if given is None:
            raise BadRing("say with --keys where the fleet's key ring is")
        folder = Path(given)
    path = folder / RING_FILE
    try:
        # systemd lets the service's user in by an access list, which shows as the group's bits.
        mode = path.stat().st_mode & (0o007 if given and folder == Path(given) else 0o077)
        if mode:
            raise BadRing(f"{path} can be read by others: run chmod 600 {path}")
        text = path.read_text(encoding="ascii")
    except FileNotFoundError:
        raise BadRing(
            f"there is no key ring {path}: copy it here from another node or from its backup. Only "
            "a new fleet gets a new one, from `warledger fleet init`"
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise BadRing(f"{path} cannot be read: {error}") from error
    return Ring.parse(text, str(path))


def write_secret(path: Path, text: str, mode: int = 0o600) -> None:
    """Make or replace a file in one step, durably, with this mode whatever the umask is."""
    unfinished = path.with_name(path.name + ".new")
    unfinished.unlink(missing_ok=True)
    fd = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    with os.fdopen(fd, "w", encoding="ascii") as file:
        os.fchmod(fd, mode)
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(unfinished, path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _public(key: RingKey) -> str:
    return SigningKey(key.secret).verify_key.encode().hex()


def _digest(key: RingKey) -> str:
    return sha256(b"warledger/data-key/1" + key.secret).hexdigest()[:32]
