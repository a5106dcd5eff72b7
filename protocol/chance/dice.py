"""Dice with receipts: every draw comes from seeds that nobody could steer, and can be repeated from
the file alone.

The ceremony. The server commits, in the genesis, to a chain of hashes (its last link) and to one
hidden value. Each seat records the hash of a nonce; when all have, the nonces. In epoch k (a game
turn) the seed is SHA-256(tag | game | link k | nonces), link k being the preimage of link k-1. It
is opened when the turn ends. Draws from hidden contents use the hidden value in place of a link.

A draw is HMAC-SHA-256(seed, counter | attempt | purpose) taken as a number, uniform by rejection.
Only draws advance the counter, and neither it nor the epoch ever goes back, not even in a takeback.

What this guarantees: nobody, not even the operator, can steer a die, because the last nonce is
revealed only after all are fixed. What it does not guarantee: the operator knows the links and
could look at dice to come, but cannot change them.
"""

import hashlib
import hmac
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from attrs import frozen

from warledger.protocol import canon
from warledger.protocol.limits import SIDES_MAX

LINK_TAG = b"warledger/link/1"
HIDDEN_TAG = b"warledger/hidden/1"
OPEN_SEED_TAG = b"warledger/open-seed/1"
HIDDEN_SEED_TAG = b"warledger/hidden-seed/1"
BOUND_NONCE_TAG = b"warledger/nonce/2"

KEYS_KEPT_MAX: Final = 1024
"""This many keys stay prepared; the preparation depends on the key alone, so it may be cached."""

_BLOCK_BYTES: Final = 64

HIDDEN_EPOCH = 0
"""The epoch that a receipt names for a draw from hidden contents."""


class BadDraw(ValueError):
    """A draw that cannot be repeated from the seeds it names."""


def bound_nonce_hash(genesis: bytes, seat: str, nonce: bytes) -> bytes:
    """A seat's commitment to its nonce, bound to the hash of the genesis: a nonce that was revealed
    in one game is useless in another."""
    return hashlib.sha256(BOUND_NONCE_TAG + canon.pack((genesis, seat, nonce))).digest()


def next_link(link: bytes) -> bytes:
    """One step along the chain, towards the commitment."""
    return hashlib.sha256(LINK_TAG + link).digest()


def hidden_commitment(game: str, hidden: bytes) -> bytes:
    """The commitment to the hidden value in the genesis."""
    return hashlib.sha256(HIDDEN_TAG + canon.pack((game, hidden))).digest()


def open_seed(game: str, link: bytes, nonces: Sequence[bytes]) -> bytes:
    """Seed of an epoch's open dice; nonces in the order of the genesis's seats."""
    return hashlib.sha256(OPEN_SEED_TAG + canon.pack((game, link, tuple(nonces)))).digest()


def hidden_seed(game: str, hidden: bytes, nonces: Sequence[bytes]) -> bytes:
    """Seed of the draws from hidden contents."""
    return hashlib.sha256(HIDDEN_SEED_TAG + canon.pack((game, hidden, tuple(nonces)))).digest()


_SPACE = 1 << 256


def is_result(value: Any) -> bool:
    """Whether a value is [sides, index] of a draw that can be: 1 <= sides <= 2^32, and an index of
    that many."""
    return (
        type(value) is tuple
        and len(value) == 2
        and all(type(part) is int for part in value)
        and 1 <= value[0] <= SIDES_MAX
        and 0 <= value[1] < value[0]
    )


def draw_index(seed: bytes, counter: int, purpose: str, sides: int) -> int:
    """A uniform index 0 … sides-1 for this counter and purpose.

    Raises BadDraw unless 1 <= sides <= 2^32.
    """
    if not 1 <= sides <= SIDES_MAX:
        raise BadDraw(f"cannot draw one of {sides}")
    fair = _SPACE - _SPACE % sides
    code = keyed(seed)
    attempt = 0
    while True:
        number = int.from_bytes(code(canon.pack((counter, attempt, purpose))), "big")
        if number < fair:
            return number % sides
        attempt += 1


class OtherDraw(BadDraw):
    """A draw that its seed does not give: the number that it shows, and the one that the seed
    gives, both counted from 1."""

    def __init__(self, receipt: "Receipt", shown: int, expected: int) -> None:
        super().__init__(
            f"draw {receipt.counter} ({receipt.purpose}) shows {shown}, its seed gives {expected}"
        )
        self.shown = shown
        self.expected = expected


@frozen
class Receipt:
    """One draw as a record states it. `sides` and `index` are None while they are sealed."""

    epoch: int
    counter: int
    purpose: str
    sides: int | None
    index: int | None


@frozen
class OpenedSeeds:
    """The seeds that a file has opened so far: link by epoch, and the hidden value after the
    end."""

    game: str
    links: Mapping[int, bytes]
    hidden: bytes | None
    nonces: tuple[bytes, ...]

    def open_for(self, epoch: int) -> bytes:
        """Raises BadDraw while the link of that epoch is not opened."""
        link = self.links.get(epoch)
        if link is None:
            raise BadDraw(f"the seed of epoch {epoch} is not opened yet")
        return open_seed(self.game, link, self.nonces)

    def hidden_for(self) -> bytes:
        """Raises BadDraw before the end."""
        if self.hidden is None:
            raise BadDraw("the hidden seed is not opened yet")
        return hidden_seed(self.game, self.hidden, self.nonces)


def verify(receipt: Receipt, seed: bytes) -> None:
    """Raise OtherDraw unless the receipt's index is what its seed gives, and BadDraw if it is
    sealed or cannot be drawn."""
    if receipt.sides is None or receipt.index is None:
        raise BadDraw(f"draw {receipt.counter} is still sealed")
    expected = draw_index(seed, receipt.counter, receipt.purpose, receipt.sides)
    if expected != receipt.index:
        raise OtherDraw(receipt, receipt.index + 1, expected + 1)


@lru_cache(KEYS_KEPT_MAX)
def keyed(key: bytes) -> Callable[[bytes], bytes]:
    """A function from a message to its HMAC-SHA-256 with this key.

    Half of the work for a short message is hashing the key, and a game's salts and dice use a key
    again and again. Here it is hashed once; `hmac.digest`, which returns the same bytes, does it
    in each call.
    """
    if len(key) > _BLOCK_BYTES:
        return lambda message: hmac.digest(key, message, "sha256")
    padded = key.ljust(_BLOCK_BYTES, b"\0")
    begin_inner = hashlib.sha256(bytes(byte ^ 0x36 for byte in padded)).copy
    begin_outer = hashlib.sha256(bytes(byte ^ 0x5C for byte in padded)).copy

    def code(message: bytes) -> bytes:
        inner, outer = begin_inner(), begin_outer()
        inner.update(message)
        outer.update(inner.digest())
        return outer.digest()

    return code
