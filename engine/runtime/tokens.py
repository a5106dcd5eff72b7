"""Tokens: proof that a connection may act as the host or for a seat.

A token is `host:` or `<game>:` followed by 256 random bits. Only its SHA-256 is stored. A slow
password hash would add nothing, since there is nothing to guess, and would let strangers keep the
server busy with logins.
"""

import base64
import hashlib
import hmac
from typing import Final

from warledger.engine.runtime.ambient import Ambient

HOST: Final = "host"
TOKEN_BYTES: Final = 32
_GAME_LETTERS: Final = "abcdefghjkmnpqrstuvwxyz23456789"
GAME_ID_CHARS: Final = 10
_ID_LETTERS: Final = "0123456789abcdefghjkmnpqrstvwxyz"
"""Crockford's base 32, in lower case."""
_ID_BYTES: Final = 16
_ID_CHARS: Final = 26
_ID_OF_A_TOKEN: Final = b"warledger/person-of-token/1"
GIVER_CHARS_MAX: Final = 32
"""Code points of the name under which a server gives ids to people."""


def new_token(ambient: Ambient, owner: str) -> str:
    """A fresh token for the host (HOST) or for a seat of a game (the game's id)."""
    secret = base64.urlsafe_b64encode(ambient.random_bytes(TOKEN_BYTES)).decode().rstrip("=")
    return f"{owner}:{secret}"


def owner_of(token: str) -> str:
    """HOST, or the game whose seat the token is for; "" if it is neither."""
    owner, colon, _ = token.partition(":")
    return owner if colon else ""


def digest(token: str) -> bytes:
    """What is stored of a token."""
    return hashlib.sha256(token.encode()).digest()


def fits(token: str, kept: bytes) -> bool:
    """Whether this is the token that was stored, in constant time."""
    return hmac.compare_digest(digest(token), kept)


def new_game_id(ambient: Ambient) -> str:
    """A short id that is easy to type, of letters and digits that are not mistaken for each
    other."""
    return "".join(
        _GAME_LETTERS[byte % len(_GAME_LETTERS)] for byte in ambient.random_bytes(GAME_ID_CHARS)
    )


def new_person_id(ambient: Ambient, giver: str) -> str:
    """An id for somebody, never given again: who gives it, a dot, and 128 random bits."""
    return _person_id(giver, ambient.random_bytes(_ID_BYTES))


def person_id_of(kept: bytes, giver: str) -> str:
    """The id of whoever acts with a token and no account, from what is stored of the token: whoever
    holds it later is the same person in every record, and the id tells nothing of the token."""
    return _person_id(giver, hashlib.sha256(_ID_OF_A_TOKEN + kept).digest()[:_ID_BYTES])


def is_person_id(text: str) -> bool:
    """Whether a text has the form of an id of somebody: what people type is taken for a name where
    it has not."""
    giver, dot, chance = text.rpartition(".")
    return (
        0 < len(giver) <= GIVER_CHARS_MAX
        and bool(dot)
        and len(chance) == _ID_CHARS
        and set(chance) <= set(_ID_LETTERS)
    )


def _person_id(giver: str, chance: bytes) -> str:
    left, letters = int.from_bytes(chance, "big"), []
    for _ in range(_ID_CHARS):
        left, letter = divmod(left, len(_ID_LETTERS))
        letters.append(_ID_LETTERS[letter])
    return f"{giver}.{''.join(reversed(letters))}"
