"""Tokens: what shows that a connection may act as the host or for a seat.

A token is `host:` or `<game>:` followed by 256 random bits. Only its SHA-256 is kept. A slow password hash would add nothing, since
there is nothing to guess, and would let strangers keep the server busy with logins.
"""

import base64
import hashlib
import hmac
from typing import Final

from engine.runtime.ambient import Ambient

HOST: Final = "host"
TOKEN_BYTES: Final = 32
_GAME_LETTERS: Final = "abcdefghjkmnpqrstuvwxyz23456789"
GAME_ID_CHARS: Final = 10


def new_token(ambient: Ambient, owner: str) -> str:
    """A fresh token for the host (HOST) or for a seat of a game (the game's id)."""
    return f"{owner}:{base64.urlsafe_b64encode(ambient.random_bytes(TOKEN_BYTES)).decode().rstrip('=')}"


def owner_of(token: str) -> str:
    """HOST, or the game whose seat the token is for; "" when it is neither."""
    owner, colon, _ = token.partition(":")
    return owner if colon else ""


def digest(token: str) -> bytes:
    """What is kept of a token."""
    return hashlib.sha256(token.encode()).digest()


def fits(token: str, kept: bytes) -> bool:
    """Whether this is the token that was kept, in constant time."""
    return hmac.compare_digest(digest(token), kept)


def new_game_id(ambient: Ambient) -> str:
    """A short id that is easy to type: letters and digits that nobody confuses."""
    return "".join(_GAME_LETTERS[byte % len(_GAME_LETTERS)] for byte in ambient.random_bytes(GAME_ID_CHARS))
