"""HMAC-SHA-256 under keys that are used again and again: a game's salts and dice.

Half of a short message's code is the key's part, which is the same every time. Here it is hashed
once a key; `hmac.digest`, which gives the same bytes, sets it up anew with each call.
"""

import hashlib
import hmac
from collections.abc import Callable
from functools import lru_cache
from typing import Final

KEYS_KEPT_MAX: Final = 1024
"""So many keys stay prepared: a fact of the key each, so they may be remembered."""

_BLOCK_BYTES: Final = 64


@lru_cache(KEYS_KEPT_MAX)
def keyed(key: bytes) -> Callable[[bytes], bytes]:
    """The function from a message to its code (32 bytes) under this key."""
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
