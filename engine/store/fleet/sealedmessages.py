"""What the games of a fleet look like in its engine: sealed messages.

A message is version (1), key number (1), and a secretbox of the canonical pack of [game, index of
the first record, piece, pieces, bytes]. The bytes of an append's pieces together are its frames, as
they stand in a game's file. So nothing of a game is in clear in the engine, and nobody can move a
message to another game or another place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from attrs import field, frozen
from nacl.bindings import crypto_secretbox_easy, crypto_secretbox_open_easy
from nacl.exceptions import CryptoError
from nacl.secret import SecretBox
from nacl.utils import random

from warledger.protocol import canon

VERSION: Final = 1
PIECE_BYTES: Final = 512 * 1024
"""How much of an append one message holds."""


_HEAD_BYTES: Final = 2 + SecretBox.NONCE_SIZE


class BadMessage(ValueError):
    """A message that does not open, or says that it belongs elsewhere."""


@frozen
class Piece:
    """An opened message. `first` is the index of the append's first record, `piece` counts from 0
    to `pieces` - 1."""

    game: str
    first: int
    piece: int
    pieces: int
    data: bytes


@frozen
class DataKeys:
    """A fleet's numbered data keys (32 bytes each), of which `current` seals."""

    current: int
    _boxes: Mapping[int, SecretBox] = field(repr=False)
    _nonce: Callable[[int], bytes] = field(default=random, repr=False)

    @classmethod
    def of(cls, keys: Mapping[int, bytes], current: int) -> DataKeys:
        """These keys. Raises ValueError if there is no current one, or a number is above 255."""
        if current not in keys or not all(0 < number < 256 for number in keys):
            raise ValueError(
                "data keys are numbered from 1 to 255, and the current one is among them"
            )
        return cls(current, {number: SecretBox(key) for number, key in keys.items()})

    def seal(self, game: str, first: int, data: bytes) -> Iterator[bytes]:
        """An append's messages, in order."""
        pieces = range(0, len(data), PIECE_BYTES)
        head, key = bytes([VERSION, self.current]), bytes(self._boxes[self.current])
        for number, at in enumerate(pieces):
            said = canon.pack([game, first, number, len(pieces), data[at : at + PIECE_BYTES]])
            nonce = self._nonce(SecretBox.NONCE_SIZE)
            # As `SecretBox.encrypt`, which makes two more copies of it.
            yield b"%b%b%b" % (head, nonce, crypto_secretbox_easy(said, nonce, key))

    def open(self, message: bytes) -> Piece:
        """What a message holds. Raises BadMessage."""
        if message[:1] != bytes([VERSION]):
            raise BadMessage("the message was written by a later release, or is none of ours")
        box = self._boxes.get(message[1]) if len(message) > 1 else None
        if box is None:
            raise BadMessage("the message is sealed with a data key that is not in the key ring")
        try:
            # As `SecretBox.decrypt`, which makes another copy of it. Only who has the key wrote it,
            # so its form was checked then.
            nonce, sealed = message[2:_HEAD_BYTES], message[_HEAD_BYTES:]
            said: Any = canon.unpack_trusted(crypto_secretbox_open_easy(sealed, nonce, bytes(box)))
        except (CryptoError, ValueError):
            raise BadMessage("the message does not open: it was changed") from None
        match said:
            case (str(game), int(first), int(piece), int(pieces), bytes(data)):
                return Piece(game, first, piece, pieces, data)
        raise BadMessage("the message holds something else than frames")
