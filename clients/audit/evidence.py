"""The result of level 1: the evidence, as far as it could be read, and everything that is wrong
with it."""

from collections.abc import Iterable, Sequence
from contextlib import suppress

from attrs import define, field

from warledger.clients.audit.report import Finding, Report, Signer, place
from warledger.clients.audit.verdict import (
    ALLOW_NO_HEAD,
    ALLOW_REPLACED,
    ALLOW_UNOPENED,
    ALLOW_UNSIGNED,
    CHAIN_ONLY,
    RESERVED,
    SO_FAR,
    UNVOUCHED,
    Reservation,
)
from warledger.clients.terms import terms_of
from warledger.protocol import bodies, records
from warledger.protocol.canon import Seal
from warledger.protocol.choices import Say, say
from warledger.protocol.drawing import Draw
from warledger.protocol.records import Genesis, Record
from warledger.protocol.seal import Opening, Path
from warledger.protocol.secrets import Keys

FINDINGS_MAX = 100
"""An audit lists at most this many findings."""

Place = tuple[int, Path]
"""A record and a path in its body."""


@define
class Sitter:
    """Who sits in a seat, as the records tell: the id of the account ("" for none), the name, by
    which kind of client, with which keys in force, and how much of the history they have signed.
    `key` is the one of the ceremony. Without keys the seat signs nothing."""

    account: str
    name: str
    client: str = ""
    key: bytes = b""
    keys: list[bytes] = field(factory=list)
    nonce_hash: bytes = b""
    signed_to: int = -1


@define
class Evidence:
    """What level 1 made of a file: the report's parts, and what level 2 continues with.

    `records` are those that chain; `openings` all that fit their seals, by place; `links` the
    opened links of the dice by epoch; `keys` the server's secrets where the file carries them;
    `whole` is False if damage kept records from being read.

    sitters        who sits in each seat that was taken
    server_keys    the server's keys, each with the record from which on it signs
    given_keys     the keys that the auditor was given from elsewhere
    vouched        the last record under a head signed by a key that counts (the one given or a
                   later one; without one given, the file's)
    acts           acts whose signatures were checked; acts_waiting: those whose content can be
                   compared only at the end
    unsigned       seats that have acted without a signature, in the order of the genesis
    key_owners     whose each key is that was ever shown: a seat's, or the server's
    signed_hashes  the hashes that the server signed for a record, in the file or in receipts
    contradicted   what receipts that nobody but their keeper vouches for say against the file
    replaced       records at which a seat went to somebody else without its own signature
    """

    genesis: Genesis | None = None
    records: list[Record] = field(factory=list)
    openings: dict[Place, Opening] = field(factory=dict)
    links: dict[int, bytes] = field(factory=dict)
    hidden: bytes | None = None
    salts: bytes | None = None
    keys: Keys | None = None
    nonces: dict[str, bytes] = field(factory=dict)
    findings: list[Finding] = field(factory=list)
    notes: list[Say] = field(factory=list)
    seals: dict[Place, Seal] = field(factory=dict)
    commands: int = 0
    events: int = 0
    draws: int = 0
    waiting: int = 0
    dice: list[Draw] = field(factory=list)
    heads: int = 0
    sitters: dict[str, Sitter] = field(factory=dict)
    server_keys: list[tuple[int, bytes]] = field(factory=list)
    given_keys: tuple[bytes, ...] = ()
    vouched: int = -1
    acts: int = 0
    acts_waiting: int = 0
    unsigned: list[str] = field(factory=list)
    replaced: list[int] = field(factory=list)
    witnesses: list[str] = field(factory=list)
    table_code: str = ""
    key_owners: dict[bytes, str] = field(factory=dict)
    signed_hashes: dict[int, set[bytes]] = field(factory=dict)
    contradicted: list[Say] = field(factory=list)
    owed: Say | None = None
    ended: bool = False
    revealed: bool = False
    winner: str | None = None
    reason: Say | None = None
    whole: bool = True
    not_decided: Say | None = None

    @property
    def given_key(self) -> bytes | None:
        """The key by which this file is checked: of those given the first that signed it, or the
        first of all if none did; None if none was given."""
        own = (key for _, key in self.server_keys if key in self.given_keys)
        return next(own, next(iter(self.given_keys), None))

    def report(
        self,
        level: int = 1,
        decided: int = 0,
        findings: Iterable[Finding] = (),
        notes: Iterable[Say] = (),
        remarks: Iterable[Say] = (),
    ) -> Report:
        """The report, with what a second level adds, and what the verdict must name beside its
        word."""
        genesis = self.genesis
        return Report(
            findings=(*self.findings, *findings),
            notes=(*self.notes, *notes),
            level=level if genesis is not None and self.whole else 0,
            game=genesis.game if genesis else "",
            title=genesis.title if genesis else "",
            version=genesis.version if genesis else "",
            records=len(self.records),
            decided=decided,
            commands=self.commands,
            events=self.events,
            draws=self.draws,
            waiting=self.waiting,
            openings=len(self.openings),
            sealed=len(self.seals) - len(self.openings),
            heads=self.heads,
            ended=self.ended,
            winner=self.winner,
            reason=self.reason,
            head=self.records[-1].hash if self.records else b"",
            self_play=genesis.self_play if genesis else False,
            reservations=reservations(self),
            signers={seat: _signer(sitter) for seat, sitter in self.sitters.items()},
            table_code=self.table_code,
            acts=self.acts,
            witnesses=tuple(self.witnesses),
            dice=tuple(self.dice),
            remarks=tuple(remarks),
            options=genesis.options if genesis else {},
            players=seated(genesis.seats, self.records) if genesis else {},
            terms=tuple(terms_of(genesis)) if genesis else (),
        )

    def place(self, kind: str, path: Path) -> str:
        """A place in the body of a record of this kind in words."""
        return place(kind, path)

    def note(self, what: Say) -> None:
        """Note something that is not wrong, once."""
        if what not in self.notes:
            self.notes.append(what)

    def wrong(self, seq: int | None, field_name: str, what: Say) -> None:
        """Note something wrong in a record."""
        if len(self.findings) < FINDINGS_MAX:
            self.findings.append(Finding(seq, field_name, what))

    @property
    def opened_genesis(self) -> Genesis:
        """The genesis, once read."""
        assert self.genesis is not None
        return self.genesis

    @property
    def all_nonces(self) -> tuple[bytes, ...]:
        """The nonces in order of the seats; empty for those not shown."""
        return tuple(self.nonces.get(seat, b"") for seat in self.opened_genesis.seats)


def several(key: bytes | Sequence[bytes] | None) -> tuple[bytes, ...]:
    """The keys that an auditor was given: none, one, or all that a server has published."""
    if key is None:
        return ()
    return (key,) if isinstance(key, bytes) else tuple(dict.fromkeys(key))


def reservations(found: Evidence) -> tuple[Reservation, ...]:
    """Every reservation about an examined file, the worst first."""
    genesis = found.genesis
    if genesis is None or not found.records:
        return ()
    out = []
    last = len(found.records) - 1
    if not genesis.self_play:
        if found.given_key is None:
            out.append(Reservation(say("audit.reservation.no_key"), UNVOUCHED, ALLOW_NO_HEAD))
        if found.vouched < 0:
            out.append(Reservation(say("audit.reservation.no_head"), UNVOUCHED, ALLOW_NO_HEAD))
        elif found.vouched < last:
            out.append(
                Reservation(
                    say("audit.reservation.head_early", seq=found.vouched, last=last),
                    RESERVED,
                    ALLOW_NO_HEAD,
                )
            )
    if not found.ended:
        out.append(Reservation(say("audit.reservation.running", last=last), RESERVED, SO_FAR))
    elif not found.revealed:
        out.append(
            Reservation(say("audit.reservation.unopened", last=last), RESERVED, ALLOW_UNOPENED)
        )
    if found.not_decided is not None:
        out.append(
            Reservation(
                say("audit.reservation.not_decided", why=found.not_decided.as_array()),
                RESERVED,
                CHAIN_ONLY,
            )
        )
    if found.acts_waiting:
        out.append(
            Reservation(
                say("audit.reservation.waiting", count=found.acts_waiting), RESERVED, SO_FAR
            )
        )
    if found.unsigned:
        out.append(
            Reservation(
                say("audit.reservation.unsigned", seats=tuple(found.unsigned)),
                RESERVED,
                ALLOW_UNSIGNED,
            )
        )
    if found.owed is not None:
        half_done = say("audit.reservation.half_done", last=last, owed=found.owed.as_array())
        out.append(Reservation(half_done, RESERVED, ""))
    out += [
        Reservation(say("audit.reservation.replaced", seq=seq), RESERVED, ALLOW_REPLACED)
        for seq in found.replaced
    ]
    out += [Reservation(what, RESERVED, "") for what in found.contradicted]
    return tuple(out)


def _signer(sitter: Sitter) -> Signer:
    return Signer(
        sitter.name, sitter.client, tuple(sitter.keys), sitter.signed_to if sitter.keys else None
    )


def seated(seats: Iterable[str], log: Iterable[Record]) -> dict[str, str | None]:
    """Who holds each seat after these records: the name, None for a seat that nobody has taken."""
    holders: dict[str, str | None] = dict.fromkeys(seats)
    for record in log:
        if record.kind != records.SEAT:
            continue
        with suppress(ValueError):  # a malformed body is a finding elsewhere
            body = bodies.read_seat(record.body)
            if isinstance(body, bodies.Taken | bodies.Replaced):
                seat, name = body.seat, body.name
                if type(seat) is str and seat in holders and type(name) is str:
                    holders[seat] = name
    return holders


__all__ = ["FINDINGS_MAX", "Evidence", "Place", "Sitter", "reservations", "seated"]
