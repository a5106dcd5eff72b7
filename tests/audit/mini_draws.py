"""Seals that are opened, links and draws, for the small auditor."""

import hmac
from typing import Any

from tests.audit.mini_forms import array, data
from tests.audit.mini_log import Log
from tests.audit.mini_seals import holds_seal, may_be_veiled
from tests.audit.mini_values import is_number, need, pack, sha, unpack


class Draws(Log):
    """What is opened, and what was drawn."""

    def open(self, seq: int, path: list[int], salt: bytes, value: Any) -> None:
        """An opening, which has the form of one."""
        place = (seq, tuple(path))
        need(place in self.seals, "no seal there")
        need(not holds_seal(value), "an opened value holds a seal")
        need(
            sha(b"warledger/seal/1", pack([self.game, seq, path, salt, value]))
            == self.seals[place],
            "opening",
        )
        if place in self.veils:
            need(isinstance(value, list), "veil")
            need(all(may_be_veiled(effect) for effect in value), "veil")
        self.values[place], self.salts[place] = value, salt

    def opened_link(self, epoch: int, link: bytes) -> None:
        """The link of an epoch, and the dice of that epoch."""
        need(epoch == self.epoch and sha(b"warledger/link/1", link) == self.link, "link")
        self.dice_of(self.epoch, link)
        self.link, self.epoch = link, self.epoch + 1

    def dice_of(self, epoch: int, link: bytes) -> None:
        """The dice of an epoch whose link is known."""
        seed = sha(
            b"warledger/open-seed/1",
            pack([self.game, link, [self.nonces.get(seat, b"") for seat in self.seats]]),
        )
        for seq, counter, purpose, sides, index in self.draws.pop(epoch, []):
            self.draw(seq, seed, counter, purpose, sides, index)

    def result_of(self, seq: int, what: Any) -> None:
        """What a draw chose among, and what it chose."""
        good = type(what) is list and len(what) == 2 and all(map(is_number, what))
        need(good and 1 <= what[0] <= 2**32 and what[1] < what[0], "a draw", seq)

    def draw(
        self, seq: int, seed: bytes, counter: int, purpose: str, sides: int, index: int
    ) -> None:
        """Make a draw again."""
        fair, attempt = 2**256 - 2**256 % sides, 0
        while True:
            number = int.from_bytes(
                hmac.digest(seed, pack([counter, attempt, purpose]), "sha256"), "big"
            )
            if number < fair:
                break
            attempt += 1
        need(number % sides == index, "die", seq)
        self.checked += 1

    def commitments(self, hidden: bytes, salts: bytes) -> None:
        """Hidden value and salt key are those of the genesis."""
        told = sha(b"warledger/hidden/1", pack([self.game, hidden]))
        need(told == self.hidden_commitment, "hidden value")
        told = sha(b"warledger/salt-key/1", pack([self.game, salts]))
        need(told == self.salt_commitment, "salt key")

    def secrets(self, links: Any, hidden: bytes, salts: bytes) -> None:
        """The server's secrets, and the links not opened yet."""
        self.commitments(hidden, salts)
        need(len(links) == 1, "links")
        ((length, link),) = links
        need(max([1, self.epoch - 1, *self.draws]) <= length <= 65536, "length of the chain")
        opened = {}
        for epoch in range(length, self.epoch - 1, -1):
            opened[epoch], link = link, sha(b"warledger/link/1", link)
        need(link == self.link, "last link")
        for epoch in sorted(opened):
            self.dice_of(epoch, opened[epoch])
        self.hidden, self.salt_key = hidden, salts
        self.ended, self.over = True, False

    def all_open(self) -> None:
        """Nothing is hidden any more."""
        need(self.public == set(self.seals), "not everything was opened")
        for (at, path), salt in self.salts.items():
            need(salt == hmac.digest(self.salt_key, pack([at, list(path)]), "sha256")[:16], "salt")
        need(not self.draws, "dice of an epoch never opened")
        self.whole = True

    def secrets_frame(self, payload: bytes) -> None:
        """The server's secrets, in an arbiter's file."""
        form = array(data(32), data(32), data(32), is_number)
        value = unpack(payload)
        need(form(value) and 1 <= value[3] <= 65536, "form of secrets")
        root, hidden, salts, length = value
        self.commitments(hidden, salts)
        links = {length: root}
        for epoch in range(length, 0, -1):
            links[epoch - 1] = sha(b"warledger/link/1", links[epoch])
        need(links[0] == self.chain, "root")
        self.known, self.hidden = links, hidden

    def known_draws(self) -> None:
        """The draws that the file shows no link for, but tells the secrets of; and hidden ones."""
        for epoch in sorted(self.draws):
            if epoch in self.known:
                self.dice_of(epoch, self.known[epoch])
        if not self.hidden:
            return
        nonces = [self.nonces.get(seat, b"") for seat in self.seats]
        seed = sha(b"warledger/hidden-seed/1", pack([self.game, self.hidden, nonces]))
        for seq, index, counter, purpose in self.hidden_draws:
            place = seq, (5, index, 3)
            if place in self.values:
                what = self.values[place]
                self.result_of(seq, what)
                self.draw(seq, seed, counter, purpose, *what)
