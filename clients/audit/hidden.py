"""Level 1, what is hidden: every seal noted, every opening against its seal, the server's secrets against the genesis."""

from collections.abc import Sequence
from typing import Any

from attrs import define, field

from clients.audit.evidence import Evidence, Place
from clients.audit.report import place
from protocol import canon, dice, effects, records, seal
from protocol.choices import say
from protocol.limits import HASH_BYTES
from protocol.records import Record
from protocol.seal import BadOpening, Opening
from protocol.secrets import BadSecrets, Keys

_SEAL_MARK = bytes((0xC7, HASH_BYTES, canon.SEAL_EXTENSION))
"""How a seal begins in canonical bytes: a record without these three bytes in it hides nothing."""


@define
class Hidden:
    """The seals and openings of one file. `shown` are the places opened to everybody."""

    found: Evidence
    shown: set[Place] = field(factory=set)

    def sealed(self, record: Record, blob: bytes) -> bool:
        """Note every seal of a command. Returns whether its events hold any."""
        if _SEAL_MARK not in record.data:
            return False
        hides = False
        for path, sealed in seal.seals_in(record.body):
            self.found.seals[record.seq, path] = sealed
            hides = hides or path[0] == records.EVENTS
        for path, sealed in seal.seals_in(effects.unpack(blob), (records.EFFECTS,)):
            self.found.seals[record.seq, path] = sealed
        return hides

    def opened(self, record: Record, items: Sequence[Any], field_index: int) -> None:
        """Openings that become public in a field of a record."""
        for index, item in enumerate(items):
            self._open(record, Opening.from_array(item), (field_index, index))
            self.shown.add((item[0], item[1]))

    def _open(self, record: Record, opening: Opening, path: tuple[int, ...]) -> None:
        sealed = self.found.seals.get((opening.seq, opening.path))
        try:
            seal.verify(self.found.opened_genesis.game, opening, sealed)
        except BadOpening:
            field_name = place(records.COMMAND, opening.path)
            self.found.wrong(record.seq, place(record.kind, path), say("audit.opening", seq=opening.seq, field=field_name))
            return
        self.found.openings.setdefault((opening.seq, opening.path), opening)

    def ended(self, record: Record, openings: Sequence[Any], hidden: bytes, salts: bytes) -> None:
        """The end shows the hidden value and the salt key, and opens whatever is still sealed."""
        found, genesis = self.found, self.found.opened_genesis
        if dice.hidden_commitment(genesis.game, hidden) != genesis.hidden:
            found.wrong(record.seq, "hidden", say("audit.hidden_value"))
        if seal.salt_key_commitment(genesis.game, salts) != genesis.salts:
            found.wrong(record.seq, "salts", say("audit.salt_key"))
        found.hidden, found.salts = hidden, salts
        self.opened(record, openings, 3)
        for seq, path in found.seals:
            if (seq, path) not in self.shown:
                found.wrong(record.seq, "openings", say("audit.unopened", seq=seq, field=place(records.COMMAND, path)))
        for (seq, path), opening in found.openings.items():
            if seal.salt_of(salts, seq, path) != opening.salt:
                found.wrong(record.seq, "openings", say("audit.salt", seq=seq, field=place(records.COMMAND, path)))

    def private(self, payload: bytes, seq: int) -> None:
        """The private openings beside record `seq`."""
        found, at = self.found, max(seq, 0)
        try:
            openings = seal.unpack_openings(payload)
        except (BadOpening, canon.NotCanonical) as error:
            found.wrong(at, "private openings", say("audit.record", what=str(error)))
            return
        for opening in openings:
            where = place(records.COMMAND, opening.path)
            if opening.seq != seq:
                found.wrong(at, "private openings", say("audit.opening_stray", seq=opening.seq))
                continue
            try:
                seal.verify(found.opened_genesis.game, opening, found.seals.get((seq, opening.path)))
            except BadOpening:
                found.wrong(at, "private openings", say("audit.opening", seq=seq, field=where))
                continue
            if any(reader not in found.opened_genesis.seats for reader in opening.readers):
                found.wrong(at, "private openings", say("audit.no_seat", seat=", ".join(opening.readers)))
            found.openings[seq, opening.path] = opening

    def secrets(self, payload: bytes) -> None:
        """The server's secrets, where the file carries them."""
        try:
            keys = Keys.from_payload(payload)
            keys.check(self.found.opened_genesis)
        except BadSecrets as error:
            self.found.wrong(0, "secrets", say("audit.record", what=str(error)))
            return
        self.found.keys = keys

    def after_all(self) -> None:
        """What the secrets at hand open beyond the records."""
        keys = self.found.keys
        if keys is not None:
            self.found.hidden = self.found.hidden or keys.hidden
            self.found.salts = self.found.salts or keys.salts


__all__ = ["Hidden"]
