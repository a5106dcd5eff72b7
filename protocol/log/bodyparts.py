"""Parts that the bodies of records share: who acted, or which standing answer was given, and how
many fields an array must have."""

from typing import Any, Final, TypeAlias

from attrs import define, frozen

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


@frozen(slots=False)
class ByOrders:
    """Which of a seat's standing answers a command gives: the record of the orders, the place of
    the entry among them, and the place of the alternative in the entry."""

    orders: int
    entry: int
    alternative: int

    def as_array(self) -> Array:
        """[record of the orders, place of the entry, place of the alternative]."""
        return (self.orders, self.entry, self.alternative)


Acted: TypeAlias = By | ByOrders | None
"""Who acted: a seat's key, the server by a standing answer, or nobody of a seat."""

_SIGNATURE_OF: Final = {KEY_BYTES: SIGNATURE_BYTES, 0: 0}
"""The length of a signature for each length of a key; a seat that signs nothing has neither."""
_WHAT_BY_IS: Final = "by is [key, n, seen, signature], [record of orders, entry, alternative] or []"


def read_by(value: Any) -> Acted:
    """`by` as it stands in a record, or a By that was read before.

    Raises ValueError for anything else.
    """
    by = value if type(value) is By else by_or_orders(value)
    if type(by) is By:
        by.check()
    return by


def by_or_orders(value: Any) -> Acted:
    """`by` of a record, or a By, with the fields of the By unchecked. Raises ValueError."""
    if type(value) is tuple:
        count = len(value)
        if count == 4:
            return By(*value)
        if not count:
            return None
        if count == 3 and all(type(item) is int and item >= 0 for item in value) and value[0]:
            return ByOrders(*value)
    raise ValueError(_WHAT_BY_IS)


def by_seat_or_nobody(value: Any) -> By | None:
    """`by` in a record that cannot follow from standing answers."""
    by = by_or_orders(value)
    if isinstance(by, ByOrders):
        raise ValueError("by is [key, n, seen, signature] or []")
    return by


def by_seat(value: Any) -> By:
    """`by` in a record of what a seat did."""
    by = by_or_orders(value)
    if type(by) is not By:
        raise ValueError("by is [key, n, seen, signature]")
    return by


def by_array(by: Acted) -> Array:
    """`by` as it stands in a record."""
    return () if by is None else by.as_array()


def fields(kind: str, body: Array, count: int) -> None:
    """Raise ValueError unless a body has so many fields."""
    if len(body) != count:
        raise ValueError(f"a body of the kind {kind} has {count} fields, not {len(body)}")
