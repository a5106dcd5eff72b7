"""The result of level 1: the evidence, as far as it could be read, and everything that is wrong
with it."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from attrs import define, field

from warledger.clients.audit.found import Found
from warledger.clients.audit.found import Place as Place
from warledger.clients.audit.report import Report, Signer, place
from warledger.clients.audit.verdict import (
    ALLOW_NO_HEAD,
    ALLOW_REPLACED,
    ALLOW_UNOPENED,
    ALLOW_UNSIGNED,
    CHAIN_ONLY,
    RESERVED,
    SO_FAR,
    UNVOUCHED,
    About,
    Finding,
    Reservation,
    Verdict,
)
from warledger.clients.terms import terms_of
from warledger.protocol.board.choices import Say, say
from warledger.protocol.canon import Seal
from warledger.protocol.chance.drawing import Draw
from warledger.protocol.chance.seal import Path
from warledger.protocol.chance.secrets import Keys
from warledger.protocol.log import bodies, records
from warledger.protocol.log.records import Genesis, Record


@define
class Sitter:
    """Who sits in a seat, as the records tell: the account's id ("" for none), the name, the kind
    of client, the keys in force, and how much of the history they have signed. `key` is the one of
    the ceremony. Without keys the seat signs nothing."""

    account: str
    name: str
    client: str = ""
    key: bytes = b""
    keys: list[bytes] = field(factory=list)
    nonce_hash: bytes = b""
    signed_to: int = -1


@define
class Evidence(Found):
    """What level 1 made of a game's file: the report's parts, and what level 2 continues with.

    `openings` are all that fit their seals, by place. `links` are the opened links of the dice by
    epoch, `keys` the server's secrets where the file carries them.

    sitters        who sits in each seat that was taken
    acts           acts whose signatures were checked; acts_waiting: those whose content can be
                   compared only at the end
    unsigned       seats that have acted without a signature, in the order of the genesis
    key_owners     whose each key is that was ever shown: a seat's, or the server's
    replaced       records at which a seat went to somebody else without its own signature
    """

    genesis: Genesis | None = None
    hidden: bytes | None = None
    salts: bytes | None = None
    keys: Keys | None = None
    nonces: dict[str, bytes] = field(factory=dict)
    seals: dict[Place, Seal] = field(factory=dict)
    commands: int = 0
    events: int = 0
    draws: int = 0
    waiting: int = 0
    dice: list[Draw] = field(factory=list)
    sitters: dict[str, Sitter] = field(factory=dict)
    acts: int = 0
    acts_waiting: int = 0
    unsigned: list[str] = field(factory=list)
    replaced: list[int] = field(factory=list)
    witnesses: list[str] = field(factory=list)
    table_code: str = ""
    key_owners: dict[bytes, str] = field(factory=dict)
    revealed: bool = False
    winner: str | None = None
    reason: Say | None = None

    @property
    def id(self) -> str:
        """The game's id, "" where it cannot be read."""
        return self.genesis.game if self.genesis else ""

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
        verdict = Verdict(
            level=level if genesis is not None and self.whole else 0,
            records=len(self.records),
            decided=decided,
            self_play=genesis.self_play if genesis else False,
            findings=(*self.findings, *findings),
            reservations=reservations(self),
            remarks=tuple(map(About, (*self.remarks, *remarks))),
            notes=tuple(map(About, (*self.notes, *notes))),
            checked=tuple(self._checked(level, decided)),
            unchecked=tuple(self._unchecked()),
        )
        return Report(
            verdict,
            game=self.id,
            title=genesis.title if genesis else "",
            version=genesis.version if genesis else "",
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
            signers={seat: _signer(sitter) for seat, sitter in self.sitters.items()},
            table_code=self.table_code,
            acts=self.acts,
            witnesses=tuple(self.witnesses),
            dice=tuple(self.dice),
            options=genesis.options if genesis else {},
            players=seated(genesis.seats, self.records) if genesis else {},
            terms=tuple(terms_of(genesis)) if genesis else (),
        )

    def _checked(self, level: int, decided: int) -> Iterator[Say]:
        """What was looked at, for the verdict's first line."""
        if not self.records:
            return
        yield say("audit.checked.chain", records=len(self.records))
        if self.acts:
            yield say("audit.checked.acts", count=self.acts)
        if self.draws:
            yield say("audit.checked.draws", count=self.draws)
        if self.openings:
            yield say("audit.checked.openings", count=len(self.openings))
        if self.heads:
            yield say("audit.checked.heads", count=self.heads)
        if level == 2:
            yield say("audit.checked.rules")
        elif decided:
            yield say("audit.checked.some_rules", count=decided)

    def _unchecked(self) -> Iterator[Say]:
        """What could not be looked at."""
        if self.waiting:
            yield say("audit.unchecked.draws", count=self.waiting)
        yield from self.left_out
        if len(self.seals) > len(self.openings):
            yield say("audit.unchecked.seals", count=len(self.seals) - len(self.openings))

    def place(self, kind: str, path: Path) -> str:
        """A place in the body of a record of this kind in words."""
        return place(kind, path)

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
    """Every reservation about an examined game, the worst first."""
    genesis = found.genesis
    if genesis is None or not found.records:
        return ()
    out = [] if genesis.self_play else list(vouching(found))
    last = len(found.records) - 1
    if not found.ended:
        out.append(Reservation(say("audit.reservation.running", last=last), RESERVED, SO_FAR))
    elif not found.revealed:
        out.append(
            Reservation(say("audit.reservation.unopened", last=last), RESERVED, ALLOW_UNOPENED)
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
    out += [
        Reservation(say("audit.reservation.replaced", seq=seq), RESERVED, ALLOW_REPLACED)
        for seq in found.replaced
    ]
    out += of_log(found)
    return tuple(out)


def vouching(found: Found) -> Iterator[Reservation]:
    """Whether somebody else than the file vouches for all of it: reservations about the server's
    key and its signature of the last record."""
    last = len(found.records) - 1
    if found.given_key is None:
        yield Reservation(say("audit.reservation.no_key"), UNVOUCHED, ALLOW_NO_HEAD)
    if found.vouched < 0:
        yield Reservation(say("audit.reservation.no_head"), UNVOUCHED, ALLOW_NO_HEAD)
    elif found.vouched < last:
        early = say("audit.reservation.head_early", seq=found.vouched, last=last)
        yield Reservation(early, RESERVED, ALLOW_NO_HEAD)


def of_log(found: Found) -> Iterator[Reservation]:
    """What any log may lack: its rules, what must follow its last record, receipts that agree."""
    if found.not_decided is not None:
        why = found.not_decided.as_array()
        yield Reservation(say("audit.reservation.not_decided", why=why), RESERVED, CHAIN_ONLY)
    if found.owed is not None:
        last, owed = len(found.records) - 1, found.owed.as_array()
        yield Reservation(say("audit.reservation.half_done", last=last, owed=owed), RESERVED, "")
    for what in found.contradicted:
        yield Reservation(what, RESERVED, "")


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
