"""Level 1, what is hidden: every seal noted, every opening against its seal, the server's secrets
against the genesis."""

from attrs import define, field

from warledger.clients.audit.evidence import Evidence, Place
from warledger.protocol import canon
from warledger.protocol.board import effects
from warledger.protocol.board.choices import say
from warledger.protocol.chance import dice, seal
from warledger.protocol.chance.seal import BadOpening, Misplaced, Opening, Path
from warledger.protocol.chance.secrets import BadSecrets, Keys
from warledger.protocol.log import bodies, records
from warledger.protocol.log.records import Record


@define
class Hidden:
    """The seals and openings of one file. `shown` are the places opened to everybody, `kinds` what
    records with seals are, if not commands."""

    found: Evidence
    shown: set[Place] = field(factory=set)
    kinds: dict[int, str] = field(factory=dict)
    veils: set[Place] = field(factory=set)

    def sealed(self, record: Record, blob: bytes = b"\x90") -> None:
        """Note every seal of a record, `blob` being its effects."""
        if canon.SEAL_MARK not in record.data:
            return
        if record.kind != records.COMMAND:
            self.kinds[record.seq] = record.kind
        try:
            places = seal.seals_of(record)
        except Misplaced:
            return  # `Unsealing` objects
        told = canon.unpack_trusted(blob)
        for path, sealed in places:
            self.found.seals[record.seq, path] = sealed
            if path[0] == records.EFFECTS and len(path) == 3 and told[path[1]][0] == effects.VEIL:
                self.veils.add((record.seq, path))

    def opened(self, record: Record) -> None:
        """The openings that become public in a record's body."""
        place = bodies.OPENED_PLACES[record.kind]
        for index, opening in enumerate(bodies.openings_of(record)):
            self._open(record, opening, (place, index))
            self.shown.add((opening.seq, opening.path))

    def _open(self, record: Record, opening: Opening, path: tuple[int, ...]) -> None:
        sealed = self.found.seals.get((opening.seq, opening.path))
        try:
            seal.verify(self.found.opened_genesis.game, opening, sealed)
        except BadOpening:
            field_name = self._place(opening.seq, opening.path)
            self.found.wrong(
                record.seq,
                self.found.place(record.kind, path),
                say("audit.opening", seq=opening.seq, field=field_name),
            )
            return
        self._unveiled(record.seq, self.found.place(record.kind, path), opening)
        self.found.openings.setdefault((opening.seq, opening.path), opening)

    def _unveiled(self, seq: int, where: str, opening: Opening) -> None:
        """An opened veil holds effects that may be hidden."""
        if (opening.seq, opening.path) in self.veils:
            try:
                effects.unveiled(opening.value)
            except effects.BadEffect as error:
                self.found.wrong(seq, where, say("audit.veil", seq=opening.seq, what=str(error)))

    def ended(self, record: Record, body: bodies.End) -> None:
        """The end shows the hidden value and the salt key."""
        found, genesis = self.found, self.found.opened_genesis
        hidden, salts = body.hidden, body.salts
        if dice.hidden_commitment(genesis.game, hidden) != genesis.hidden:
            found.wrong(record.seq, "hidden", say("audit.hidden_value"))
        if seal.salt_key_commitment(genesis.game, salts) != genesis.salts:
            found.wrong(record.seq, "salts", say("audit.salt_key"))
        found.hidden, found.salts = hidden, salts

    def whole(self, record: Record) -> None:
        """Nothing more is opened after this record: every salt is derived from the salt key."""
        found = self.found
        salts = found.salts or b""
        for (seq, path), opening in found.openings.items():
            if seal.salt_of(salts, seq, path) != opening.salt:
                found.wrong(
                    record.seq, "openings", say("audit.salt", seq=seq, field=self._place(seq, path))
                )

    def private(self, payload: bytes, seq: int) -> None:
        """The private openings beside record `seq`."""
        found, at = self.found, max(seq, 0)
        try:
            openings = seal.unpack_openings(payload)
        except (BadOpening, canon.NotCanonical) as error:
            found.wrong(at, "private openings", say("audit.record", what=str(error)))
            return
        for opening in openings:
            where = self._place(opening.seq, opening.path)
            if opening.seq != seq:
                found.wrong(at, "private openings", say("audit.opening_stray", seq=opening.seq))
                continue
            try:
                seal.verify(
                    found.opened_genesis.game, opening, found.seals.get((seq, opening.path))
                )
            except BadOpening:
                found.wrong(at, "private openings", say("audit.opening", seq=seq, field=where))
                continue
            if any(reader not in found.opened_genesis.seats for reader in opening.readers):
                found.wrong(
                    at, "private openings", say("audit.no_seat", seat=", ".join(opening.readers))
                )
            elif self._is_seats_own(opening) and opening.readers != (self._writer(seq),):
                found.wrong(at, "private openings", say("audit.readers", field=where))
            self._unveiled(at, "private openings", opening)
            found.openings[seq, opening.path] = opening

    def _place(self, seq: int, path: Path) -> str:
        return self.found.place(self.kinds.get(seq, records.COMMAND), path)

    def _is_seats_own(self, opening: Opening) -> bool:
        """Whether it opens what a seat itself wrote: its picks, or its standing answers."""
        return opening.path == (
            (bodies.ORDERS_PLACE,)
            if self.kinds.get(opening.seq) == records.ORDERS
            else (records.PICKS,)
        )

    def _writer(self, seq: int) -> str:
        """The seat that wrote record `seq`."""
        body = bodies.read(self.found.records[seq])
        return body.seat if isinstance(body, bodies.CommandBody | bodies.Orders) else ""

    def secrets(self, payload: bytes) -> None:
        """The server's secrets, if the file contains them."""
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
