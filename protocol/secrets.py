"""A game's secrets, which only its server has until the end: what the genesis commits to, and their
encoding in a SECRETS frame.

The frame's payload is the canonical array [root, hidden, salts], 32 bytes each. After the end the
file itself contains the hidden value, the salt key and every link of the chain that was used; the
root stays with the server.
"""

from functools import cached_property

from attrs import field, frozen

from warledger.protocol import canon, dice
from warledger.protocol.limits import EPOCHS_MAX, HASH_BYTES
from warledger.protocol.records import Genesis
from warledger.protocol.seal import salt_key_commitment


class BadSecrets(ValueError):
    """Secrets that do not match the genesis, or bytes that are not secrets at all."""


@frozen
class Keys:
    """The server's secrets of one game: the root of the open dice's chain, the hidden value, the
    salt key (32 bytes each)."""

    root: bytes = field(repr=False)
    hidden: bytes = field(repr=False)
    salts: bytes = field(repr=False)

    @cached_property
    def _chain(self) -> tuple[bytes, ...]:
        """Every link by its epoch, computed once: each is the hash of the next."""
        links = [self.root]
        for _ in range(EPOCHS_MAX):
            links.append(dice.next_link(links[-1]))
        return tuple(reversed(links))

    def link(self, epoch: int) -> bytes:
        """The link of an epoch (1 …); epoch 0 gives the commitment. Raises BadDraw beyond the
        chain's length."""
        if not 0 <= epoch <= EPOCHS_MAX:
            raise dice.BadDraw(
                f"the chain of seeds has {EPOCHS_MAX} links; there is none for epoch {epoch}"
            )
        return self._chain[epoch]

    def seeds(self, game: str, nonces: tuple[bytes, ...]) -> dice.OpenedSeeds:
        """The seeds of all draws, once every nonce is known."""
        return dice.OpenedSeeds(game, dict(enumerate(self._chain)), self.hidden, nonces)

    def as_payload(self) -> bytes:
        """The payload of a SECRETS frame."""
        return canon.pack((self.root, self.hidden, self.salts))

    @classmethod
    def from_payload(cls, payload: bytes) -> "Keys":
        """Raises BadSecrets if the bytes are not three keys."""
        try:
            array = canon.unpack(payload)
        except canon.NotCanonical as error:
            raise BadSecrets(f"secrets are not readable: {error}") from error
        if (
            type(array) is not tuple
            or len(array) != 3
            or not all(type(key) is bytes and len(key) == HASH_BYTES for key in array)
        ):
            raise BadSecrets(f"secrets are [root, hidden, salts] of {HASH_BYTES} bytes each")
        return cls(*array)

    def check(self, genesis: Genesis) -> None:
        """Raise BadSecrets unless these are the secrets that the genesis commits to."""
        if self.link(0) != genesis.chain:
            raise BadSecrets("the root does not lead to the chain that the genesis commits to")
        if dice.hidden_commitment(genesis.game, self.hidden) != genesis.hidden:
            raise BadSecrets("the hidden value is not the one that the genesis commits to")
        if salt_key_commitment(genesis.game, self.salts) != genesis.salts:
            raise BadSecrets("the salt key is not the one that the genesis commits to")
