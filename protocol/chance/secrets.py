"""A game's secrets, which only its server has until the end: what the genesis commits to, and their
encoding in a SECRETS frame.

The frame's payload is the canonical array [root, hidden, salts, length]: three keys of 32 bytes,
and how many links the chain has. After the end the file itself contains the hidden value, the salt
key and the root, which is the chain's last link.
"""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Final

from attrs import field, frozen

from warledger.protocol import canon
from warledger.protocol.chance import dice
from warledger.protocol.chance.seal import salt_key_commitment
from warledger.protocol.limits import EPOCHS_MAX, HASH_BYTES, LINKS_MAX
from warledger.protocol.log.records import Genesis
from warledger.protocol.tournaments import Charter


class BadSecrets(ValueError):
    """Secrets that do not match the genesis, or bytes that are not secrets at all."""


_KEPT_EVERY: Final = 16


class _Chain(Mapping[int, bytes]):
    """The links by epoch, 0 to `length`: each is the hash of the next. One in every few is kept;
    the others are computed again."""

    def __init__(self, root: bytes, length: int) -> None:
        self._length = length
        link, kept = root, []
        for left in range(length):
            if left % _KEPT_EVERY == 0:
                kept.append(link)
            link = dice.next_link(link)
        self._kept = kept
        self._first = link

    def __getitem__(self, epoch: int) -> bytes:
        if not 0 <= epoch <= self._length:
            raise KeyError(epoch)
        if epoch == 0:
            return self._first
        steps = self._length - epoch
        link = self._kept[steps // _KEPT_EVERY]
        for _ in range(steps % _KEPT_EVERY):
            link = dice.next_link(link)
        return link

    def __iter__(self) -> Iterator[int]:
        return iter(range(self._length + 1))

    def __len__(self) -> int:
        return self._length + 1


@frozen
class Keys:
    """The server's secrets of one game: the root of the open dice's chain, the hidden value, the
    salt key (32 bytes each). `length` is the number of epochs for which the chain has a link."""

    root: bytes = field(repr=False)
    hidden: bytes = field(repr=False)
    salts: bytes = field(repr=False)
    length: int = field(default=EPOCHS_MAX, kw_only=True)

    @cached_property
    def _chain(self) -> Mapping[int, bytes]:
        return _Chain(self.root, self.length)

    @property
    def links(self) -> Mapping[int, bytes]:
        """Every link by its epoch, the commitment as that of epoch 0."""
        return self._chain

    def link(self, epoch: int) -> bytes:
        """The link of an epoch (1 …); epoch 0 gives the commitment. Raises BadDraw beyond the
        chain's length."""
        link = self._chain.get(epoch)
        if link is None:
            raise dice.BadDraw(
                f"the chain of seeds has {self.length} links; there is none for epoch {epoch}"
            )
        return link

    def seeds(self, game: str, nonces: tuple[bytes, ...]) -> dice.OpenedSeeds:
        """The seeds of all draws, once every nonce is known."""
        return dice.OpenedSeeds(game, self._chain, self.hidden, nonces)

    def as_payload(self) -> bytes:
        """The payload of a SECRETS frame."""
        return canon.pack((self.root, self.hidden, self.salts, self.length))

    @classmethod
    def from_payload(cls, payload: bytes) -> "Keys":
        """Raises BadSecrets if the bytes are not three keys and a length."""
        try:
            array = canon.unpack(payload)
        except canon.NotCanonical as error:
            raise BadSecrets(f"secrets are not readable: {error}") from error
        if (
            type(array) is not tuple
            or len(array) != 4
            or not all(type(key) is bytes and len(key) == HASH_BYTES for key in array[:3])
        ):
            raise BadSecrets(f"secrets are three keys of {HASH_BYTES} bytes, and a length")
        length = array[3]
        if type(length) is not int or not 0 < length <= LINKS_MAX:
            raise BadSecrets(f"a chain has from 1 to {LINKS_MAX} links")
        return cls(*array[:3], length=length)

    def check(self, genesis: Genesis | Charter) -> None:
        """Raise BadSecrets unless these are the secrets that the genesis, or charter, commits
        to."""
        if self.link(0) != genesis.chain:
            raise BadSecrets("the root does not lead to the chain that the genesis commits to")
        if dice.hidden_commitment(genesis.game, self.hidden) != genesis.hidden:
            raise BadSecrets("the hidden value is not the one that the genesis commits to")
        if salt_key_commitment(genesis.game, self.salts) != genesis.salts:
            raise BadSecrets("the salt key is not the one that the genesis commits to")
