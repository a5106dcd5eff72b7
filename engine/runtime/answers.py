"""What the runtime answers to a request on a game: done, refused by the rules (a `Refusal`), or failed."""

from attrs import frozen
from nacl.signing import SigningKey

from protocol.chain import Head, sign_head
from protocol.choices import Refusal, Say, say

__all__ = ["Answer", "Done", "Failed", "Refusal", "Signer", "failed"]


@frozen
class Done:
    """It is durable as record `seq`; `head` is the signed head. `again` says that it had been done before."""

    seq: int
    head: Head
    again: bool = False


@frozen
class Failed:
    """It could not be carried out. `code` is one of the protocol's error codes, `say` tells a person what to do."""

    code: str
    say: Say


Answer = Done | Refusal | Failed


def failed(key: str, /, **args: object) -> Failed:
    """A failure from its sentence's key, `error.<code>`."""
    prefix, _, code = key.partition(".")
    assert prefix == "error", key
    return Failed(code, say(key, **args))


class Signer:
    """The server's key, which signs heads."""

    def __init__(self, key: SigningKey) -> None:
        self._key = key
        self.public: bytes = key.verify_key.encode()

    def head(self, game: str, seq: int, hash: bytes) -> Head:
        """The signed head of a game's record."""
        return sign_head(self._key, game, seq, hash)
