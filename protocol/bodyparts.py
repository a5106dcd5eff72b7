"""Parts that the bodies of records share: who acted, and how many fields an array must have."""

from typing import Any, Final, TypeAlias

from attrs import define

from warledger.protocol.limits import HASH_BYTES, KEY_BYTES, SIGNATURE_BYTES

Array: TypeAlias = tuple[Any, ...]


@define(unsafe_hash=True)
class By:
    """Who acted, as a record shows it: the key, the act's number, what its holder had seen, and the
    signature. Treat it as frozen, like Command, and for the same reason."""

    key: bytes
    n: int
    seen: bytes
    signature: bytes

    def as_array(self) -> Array:
        """[key, n, seen, signature]."""
        return (self.key, self.n, self.seen, self.signature)

    def check(self) -> None:
        """Raise ValueError unless each field has its form."""
        if not (
            type(self.key) is bytes
            and type(self.n) is int
            and type(self.seen) is bytes
            and type(self.signature) is bytes
            and self.n > 0
            and len(self.seen) == HASH_BYTES
            and _SIGNATURE_OF.get(len(self.key)) == len(self.signature)
        ):
            raise ValueError(_WHAT_BY_IS)


_SIGNATURE_OF: Final = {KEY_BYTES: SIGNATURE_BYTES, 0: 0}
"""The length of a signature for each length of a key; a seat that signs nothing has neither."""
_WHAT_BY_IS: Final = "by is [key, n, seen, signature], [record of orders] or []"


def read_by(value: Any) -> By | int | None:
    """`by` as it stands in a record, or a By that was read before: a By, the record of the orders
    that a command follows from, or None if no seat acted.

    Raises ValueError for anything else.
    """
    by = value if type(value) is By else by_or_orders(value)
    if type(by) is By:
        by.check()
    return by


def by_or_orders(value: Any) -> By | int | None:
    """The same, with the fields of a By unchecked."""
    if type(value) is tuple:
        count = len(value)
        if count == 4:
            return By(*value)
        if not count:
            return None
        if count == 1 and type(value[0]) is int and value[0] > 0:
            return int(value[0])
    raise ValueError(_WHAT_BY_IS)


def by_seat_or_nobody(value: Any) -> By | None:
    """`by` in a record that cannot follow from standing answers."""
    by = by_or_orders(value)
    if isinstance(by, int):
        raise ValueError("by is [key, n, seen, signature] or []")
    return by


def by_seat(value: Any) -> By:
    """`by` in a record of what a seat did."""
    by = by_or_orders(value)
    if type(by) is not By:
        raise ValueError("by is [key, n, seen, signature]")
    return by


def by_array(by: By | int | None) -> Array:
    """`by` as it stands in a record."""
    if by is None:
        return ()
    return (by,) if isinstance(by, int) else by.as_array()


def fields(kind: str, body: Array, count: int) -> None:
    """Raise ValueError unless a body has so many fields."""
    if len(body) != count:
        raise ValueError(f"a body of the kind {kind} has {count} fields, not {len(body)}")
