"""What level 1 made of a file: the evidence, as far as it was read, and everything found wrong with it."""

from collections.abc import Iterable

from attrs import define, field

from clients.audit.report import Finding, Report
from protocol import records
from protocol.canon import Seal
from protocol.choices import Say
from protocol.records import Genesis, Record
from protocol.seal import Opening, Path
from protocol.secrets import Keys

FINDINGS_MAX = 100
"""An audit stops listing after so many."""

Place = tuple[int, Path]
"""A record and a path in its body."""


@define
class Evidence:
    """What level 1 made of a file: the report's parts, and what level 2 goes on with.

    `records` are those that chain; `openings` all that fit their seals, by place; `links` the opened links of the dice by epoch; `keys`
    the server's secrets where the file carries them; `whole` is False if damage kept records from being read.
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
    heads: int = 0
    ended: bool = False
    winner: str | None = None
    reason: Say | None = None
    whole: bool = True

    def report(self, level: int = 1, decided: int = 0, findings: Iterable[Finding] = (), notes: Iterable[Say] = ()) -> Report:
        """The report, with what a second level adds."""
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
            options=genesis.options if genesis else {},
            players=seated(genesis.seats, self.records) if genesis else {},
        )

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


def seated(seats: Iterable[str], log: Iterable[Record]) -> dict[str, str | None]:
    """Who holds each seat after these records: the name, None for a seat that nobody has taken."""
    holders: dict[str, str | None] = dict.fromkeys(seats)
    for record in log:
        if record.kind == records.SEAT and len(record.body) > 2 and record.body[0] in ("taken", "replaced"):
            seat, name = record.body[1:3]
            if type(seat) is str and seat in holders and type(name) is str:
                holders[seat] = name
    return holders


__all__ = ["FINDINGS_MAX", "Evidence", "Place", "seated"]
