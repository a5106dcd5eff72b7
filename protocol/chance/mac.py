"""HMAC-SHA-256 with keys that are used again and again, for a game's salts and dice.

Half of the work for a short message is hashing the key, which is the same every time. Here it is
done once for each key; `hmac.digest`, which returns the same bytes, does it again in each call.
"""

import hashlib
import hmac
from collections.abc import Callable
from functools import lru_cache
from typing import Final

KEYS_KEPT_MAX: Final = 1024
"""This many keys stay prepared; the preparation depends on the key alone, so it may be cached."""

_BLOCK_BYTES: Final = 64


@lru_cache(KEYS_KEPT_MAX)
def keyed(key: bytes) -> Callable[[bytes], bytes]:
    """A function from a message to its code (32 bytes) with this key."""
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
