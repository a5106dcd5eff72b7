"""The lots of a tournament, for the small auditor: who takes part, whose nonces are in, what is
drawn."""

import hmac
from typing import Any

from tests.audit.mini_values import need, pack, sha


class Lots:
    """What a ledger has said of its lots so far."""

    def __init__(self) -> None:
        self.name = ""
        self.link = self.chain = self.server_key = self.charter_hash = b""
        self.hidden_commitment = self.salts_commitment = b""
        self.servers: list[bytes] = []
        self.checks_in = False
        self.wait_ms = 0
        self.epoch = 1
        self.hashes_of: dict[int, bytes] = {}
        """What each entrant has committed to."""
        self.gone: set[int] = set()
        self.first: set[int] | None = None
        """Who was there when the first round was published."""
        self.checked: set[int] = set()
        self.roster: list[int] | None = None
        self.until_ms = 0
        self.shown: dict[int, bytes] = {}
        self.waited = self.drawn = False
        self.lots: dict[int, list[Any]] = {}
        """The lots of epochs whose link is not open yet."""
        self.known: dict[int, bytes] = {}
        """Links that an arbiter's file tells before they are opened."""

    @property
    def missing(self) -> list[int]:
        """Whose nonces are missing."""
        return [number for number in self.roster or [] if number not in self.shown]

    def of_roster(self, at_ms: int, who: str, event: Any) -> None:
        """What an event says of the roster."""
        tag, *rest = event
        number = rest[0]
        if tag == "entered":
            self.hashes_of[number] = rest[5]
        elif tag == "committed":
            need(self.roster is None and who == f"e:{number}", "a commitment that is late")
            self.hashes_of[number] = rest[1]
        elif tag == "checked":
            self.checked.add(number)
        elif tag == "withdrew":
            self.gone.add(number)
        elif tag == "returned":
            self.gone.discard(number)
        elif tag == "rostered":
            numbers, asked = rest
            early = self.checks_in and asked[:1] == ["number"]
            need(self.roster is None and who == "server" and not early, "a roster out of place")
            need(numbers == self.who_takes_part(), "roster")
            self.roster, self.until_ms = numbers, at_ms + self.wait_ms
        elif tag == "nonce":
            need(who == "server" and not self.waited and number in self.missing, "a nonce")
            need(at_ms < self.until_ms, "a late nonce")
            told = pack([self.charter_hash, f"e:{number}", rest[1]])
            need(sha(b"warledger/nonce/2", told) == self.hashes_of[number], "another nonce")
            self.shown[number] = rest[1]
        elif tag == "published" and self.first is None:
            self.first = self.those_there()
        elif tag == "waited":
            over = who.startswith("d:") or (who == "server" and at_ms >= self.until_ms)
            good = over and not self.waited and bool(self.missing) and number == self.missing
            need(good, "the end of the wait")
            self.waited = True

    def who_takes_part(self) -> list[int]:
        """The entrants whose nonces go into the lots."""
        return [number for number in sorted(self.those_there()) if self.hashes_of[number]]

    def those_there(self) -> set[int]:
        """The entrants who might play."""
        there = self.hashes_of.keys() - self.gone
        return there & self.checked if self.checks_in else there

    def lot(self, seq: int, epoch: int, purpose: str, sides: int, index: int) -> None:
        """A lot is drawn."""
        need(epoch == self.epoch, "epoch of a lot")
        need(self.roster is not None and (self.waited or not self.missing), "a lot that is early")
        nonces = [] if self.missing else [self.shown[number] for number in self.roster or []]
        self.drawn = True
        self.lots.setdefault(epoch, []).append((seq, nonces, purpose, sides, index))

    def opened_link(self, link: bytes) -> None:
        """The link of the epoch in force is opened."""
        need(sha(b"warledger/link/1", link) == self.link, "link")
        self.lots_of(self.epoch, link)
        self.link, self.epoch = link, self.epoch + 1

    def known_lots(self) -> None:
        """The lots whose links only an arbiter's file tells."""
        for epoch in sorted(self.lots):
            if epoch in self.known:
                self.lots_of(epoch, self.known[epoch])

    def lots_of(self, epoch: int, link: bytes) -> None:
        """Draw the lots of an epoch again."""
        for seq, nonces, purpose, sides, index in self.lots.pop(epoch, []):
            seed = sha(b"warledger/open-seed/1", pack([self.name, link, nonces]))
            fair, attempt = 2**256 - 2**256 % sides, 0
            while True:
                told = hmac.digest(seed, pack([0, attempt, purpose]), "sha256")
                number = int.from_bytes(told, "big")
                if number < fair:
                    break
                attempt += 1
            need(number % sides == index, "lot", seq)

    @property
    def of_the_desk(self) -> bool:
        """Whether lots come from the desk alone, or from the nonces of few."""
        there = self.those_there() if self.first is None else self.first
        few = 2 * len(there & set(self.roster or [])) < len(there)
        return self.drawn and (len(self.roster or []) < 2 or bool(self.missing) or few)


__all__ = ["Lots"]
