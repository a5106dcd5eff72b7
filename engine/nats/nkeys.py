"""Nkeys: the Ed25519 keys by which NATS knows its clients.

Source: https://docs.nats.io/running-a-nats-service/configuration/securing_nats/auth_intro/nkey_auth.
A seed is base32 of two bytes that say what it is for, 32 bytes, and a CRC-16 of all of them. PyNaCl
signs; the package `nkeys` would add to it these few lines alone.
"""

from __future__ import annotations

import base64
import binascii
from typing import Final

from attrs import field, frozen
from nacl.signing import SigningKey

_SEED: Final = 18 << 3
_USER: Final = 20 << 3


class BadKey(ValueError):
    """What was given is not a seed of a user's nkey."""


@frozen
class UserKey:
    """A client's key. `public` is its name in a server's configuration (`U…`)."""

    public: str
    _key: SigningKey = field(repr=False)

    @classmethod
    def made(cls, random32: bytes) -> UserKey:
        """The key of 32 random bytes."""
        key = SigningKey(random32)
        return cls(_coded(bytes([_USER]) + bytes(key.verify_key)), key)

    @classmethod
    def read(cls, seed: str) -> UserKey:
        """The key of a seed (`SU…`). Raises BadKey."""
        text = seed.strip()
        try:
            data = base64.b32decode(text + "=" * (-len(text) % 8))
        except (ValueError, binascii.Error):
            raise BadKey("an nkey's seed is base32 and begins with SU") from None
        if len(data) != 36 or _crc(data[:-2]) != data[-2:]:
            raise BadKey("an nkey's seed has 58 characters; these have another length or a slip")
        if data[0] & 0xF8 != _SEED or (data[0] & 7) << 5 | data[1] >> 3 != _USER:
            raise BadKey("this is not a seed of a user's nkey: it begins with SU")
        return cls.made(data[2:34])

    @property
    def inbox(self) -> str:
        """The subject below which answers come to whoever has this key. It begins with the key's
        name, so that a server's configuration can keep others from hearing them."""
        return f"_INBOX.{self.public[:24]}"

    @property
    def seed(self) -> str:
        """The seed, to be kept in a file that only its owner reads."""
        prefix = bytes([_SEED | _USER >> 5, (_USER & 31) << 3])
        return _coded(prefix + bytes(self._key))

    def sign(self, nonce: str) -> str:
        """The answer to a server's challenge."""
        signature = self._key.sign(nonce.encode()).signature
        return base64.urlsafe_b64encode(signature).decode().rstrip("=")


def _coded(data: bytes) -> str:
    return base64.b32encode(data + _crc(data)).decode().rstrip("=")


def _crc(data: bytes) -> bytes:
    return binascii.crc_hqx(data, 0).to_bytes(2, "little")
