"""What the runtime answers to a request on a game: done, refused by the rules (a `Refusal`), or
failed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NoReturn

from attrs import frozen
from nacl.signing import SigningKey

from warledger.protocol.board.choices import Refusal, Say, say
from warledger.protocol.log.chain import Head, HeadSigner

__all__ = ["Answer", "Done", "Failed", "Refusal", "Signer", "failed"]


@frozen(slots=False)
class Done:
    """The request is durable as record `seq`; `head` is the signed head. `again` means that the
    same request had been carried out before."""

    seq: int
    head: Head
    again: bool = False


@frozen
class Failed:
    """The request could not be carried out. `code` is one of the protocol's error codes; `say`
    tells a person what to do."""

    code: str
    say: Say


Answer = Done | Refusal | Failed


def failed(key: str, /, **args: object) -> Failed:
    """A failure with the sentence `error.<code>`."""
    prefix, _, code = key.partition(".")
    assert prefix == "error", key
    return Failed(code, say(key, **args))


def _signs_nothing(*_: object) -> NoReturn:
    raise RuntimeError("there is no key here")


class Signer:
    """The server's key, which signs heads: `head(game, seq, hash)` is the signed head of a game's
    record.

    `older` are keys that the server had before: they sign for games that began with them and have
    not gone over to the new one. `to_come` are keys that other nodes of a fleet may use already:
    they sign for games that went over to them there.
    """

    def __init__(
        self,
        key: SigningKey,
        older: Sequence[SigningKey] = (),
        to_come: Sequence[SigningKey] = (),
    ) -> None:
        signer = HeadSigner(key)
        self.public: bytes = signer.public
        self.head: Callable[[str, int, bytes], Head] = signer.sign
        self.signature: Callable[[bytes], bytes] = signer.signature
        known = (*map(HeadSigner, (*older, *to_come)), signer)
        self._all = {one.public: one for one in known}
        self._to_come = {one.verify_key.encode() for one in to_come}

    @classmethod
    def of_nobody(cls, public: bytes) -> Signer:
        """Has somebody else's public key, and signs nothing."""
        made = cls.__new__(cls)
        made.public, made._all, made._to_come = public, {}, set()
        made.head = made.signature = _signs_nothing
        return made

    def replaces(self, public: bytes) -> bool:
        """Whether a game that this key signs goes over to the server's: a newer one is not taken
        back."""
        return public != self.public and public not in self._to_come

    def of(self, public: bytes) -> HeadSigner | None:
        """What signs with this key, or None if the server does not have it."""
        return self._all.get(public)
