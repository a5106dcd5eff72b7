"""The bodies of `seat` records: one class for each kind of event. See `bodies`."""

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from attrs import frozen

from warledger.protocol.log.records import Array, by_array, by_seat, by_seat_or_nobody, check_count
from warledger.protocol.log.records import By as By

TAKEN: Final = "taken"
NONCE: Final = "nonce"
REPLACED: Final = "replaced"
DEVICE: Final = "device"
REVOKED: Final = "revoked"


@frozen(slots=False)
class Taken:
    """Somebody takes a seat under a name, with the id of their account ("" for none). They commit
    to a nonce and to the key they sign with, and say what kind of client it is."""

    seat: str
    account: str
    name: str
    nonce_hash: bytes
    client: str
    by: By

    @classmethod
    def read(cls, body: Array) -> "Taken":
        """["taken", seat, account, name, nonce hash, client, by]."""
        check_count("seat", body, 7)
        _, seat, account, name, nonce_hash, client, by = body
        return cls(seat, account, name, nonce_hash, client, by_seat(by))

    def write(self) -> Array:
        """The array in the log."""
        who = self.seat, self.account, self.name
        return (TAKEN, *who, self.nonce_hash, self.client, self.by.as_array())


@frozen(slots=False)
class Nonce:
    """A seat reveals the nonce that it committed to, with the hash of the roster."""

    seat: str
    nonce: bytes
    roster: bytes
    by: By

    @classmethod
    def read(cls, body: Array) -> "Nonce":
        """["nonce", seat, nonce, roster hash, by]."""
        check_count("seat", body, 5)
        _, seat, nonce, roster, by = body
        return cls(seat, nonce, roster, by_seat(by))

    def write(self) -> Array:
        """The array in the log."""
        return (NONCE, self.seat, self.nonce, self.roster, self.by.as_array())


@frozen(slots=False)
class Replaced:
    """Somebody else sits in a seat from here on, under a name and with the id of their account (""
    for none). `by` is signed with their own key, and `handed` is the consent of a key that the seat
    had, or None."""

    seat: str
    account: str
    name: str
    client: str
    by: By
    handed: By | None

    @classmethod
    def read(cls, body: Array) -> "Replaced":
        """["replaced", seat, account, name, client, by, handed]."""
        check_count("seat", body, 7)
        _, seat, account, name, client, by, handed = body
        return cls(seat, account, name, client, by_seat(by), by_seat_or_nobody(handed))

    def write(self) -> Array:
        """The array in the log."""
        acted = self.by.as_array(), by_array(self.handed)
        return (REPLACED, self.seat, self.account, self.name, self.client, *acted)


@frozen(slots=False)
class Device:
    """A seat declares a further key of its own; `proof` is the new key's signature."""

    seat: str
    key: bytes
    proof: bytes
    by: By

    @classmethod
    def read(cls, body: Array) -> "Device":
        """["device", seat, key, proof, by]."""
        check_count("seat", body, 5)
        _, seat, key, proof, by = body
        return cls(seat, key, proof, by_seat(by))

    def write(self) -> Array:
        """The array in the log."""
        return (DEVICE, self.seat, self.key, self.proof, self.by.as_array())


@frozen(slots=False)
class Revoked:
    """A key of a seat is no longer in force."""

    seat: str
    key: bytes
    by: By

    @classmethod
    def read(cls, body: Array) -> "Revoked":
        """["revoked", seat, key, by]."""
        check_count("seat", body, 4)
        _, seat, key, by = body
        return cls(seat, key, by_seat(by))

    def write(self) -> Array:
        """The array in the log."""
        return (REVOKED, self.seat, self.key, self.by.as_array())


Seat: TypeAlias = Taken | Nonce | Replaced | Device | Revoked
_SEATS: Final[Mapping[str, Callable[[Array], Seat]]] = {
    TAKEN: Taken.read,
    NONCE: Nonce.read,
    REPLACED: Replaced.read,
    DEVICE: Device.read,
    REVOKED: Revoked.read,
}


def read_seat(body: Array) -> Seat:
    """What a `seat` record says: the body's first field determines the class."""
    what = body[0] if body else None
    reader = _SEATS.get(what) if type(what) is str else None
    if reader is None:
        raise ValueError(f"unknown act {what!r}")
    return reader(body)
