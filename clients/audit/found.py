"""What level 1 makes of a log, and what is wrong with it. Findings stand in the order in which one
reading of the file meets them (`protocol/file.md`, "The first finding"). So all auditors name the
same record first."""

from bisect import bisect_right

from attrs import define, field

from warledger.clients.audit.verdict import Finding
from warledger.protocol.board.choices import Say
from warledger.protocol.chance.seal import Opening, Path
from warledger.protocol.log.records import Record

Place = tuple[int, Path]
"""A record and a path in its body."""


@define
class Found:
    """What level 1 made of a log, of a game or of a tournament, as far as both have it.

    `records` are those that chain; `whole` is False if damage kept records from being read.
    `findings` are in the order in which a reader meets them; `met` is the record in hand: -1 before
    the first, and behind the last their number.

    server_keys    the server's keys, each with the record from which on it signs
    given_keys     the keys that the auditor was given from elsewhere
    vouched        the last record under a head signed by a key that counts (the one given or a
                   later one; without one given, the file's), -1 for none
    heads          heads and receipts that were checked
    signed_hashes  the hashes that the server signed for a record, in the file or in receipts
    remarks        what the verdict must name beside its word
    contradicted   what receipts that nobody but their keeper vouches for say against the file
    owed           what must follow the last record at once, None for nothing
    not_decided    why not all records were decided again, None where nothing prevented it
    left_out       what was not looked at, since something else is wrong
    ended          whether the log has its `end`
    """

    records: list[Record] = field(factory=list)
    openings: dict[Place, Opening] = field(factory=dict)
    links: dict[int, bytes] = field(factory=dict)
    findings: list[Finding] = field(factory=list)
    met: int = -1
    notes: list[Say] = field(factory=list)
    remarks: list[Say] = field(factory=list)
    heads: int = 0
    server_keys: list[tuple[int, bytes]] = field(factory=list)
    given_keys: tuple[bytes, ...] = ()
    vouched: int = -1
    signed_hashes: dict[int, set[bytes]] = field(factory=dict)
    contradicted: list[Say] = field(factory=list)
    owed: Say | None = None
    not_decided: Say | None = None
    left_out: list[Say] = field(factory=list)
    ended: bool = False
    whole: bool = True
    _order: list[int] = field(factory=list)

    @property
    def id(self) -> str:
        """The id of the game or tournament, "" where it cannot be read."""
        raise NotImplementedError

    @property
    def given_key(self) -> bytes | None:
        """The key by which this file is checked: of those given the first that signed it, or the
        first of all if none did; None if none was given."""
        own = (key for _, key in self.server_keys if key in self.given_keys)
        return next(own, next(iter(self.given_keys), None))

    def note(self, what: Say) -> None:
        """Note something that is not wrong, once."""
        if what not in self.notes:
            self.notes.append(what)

    def remark(self, what: Say) -> None:
        """Add what the verdict must name beside its word, once."""
        if what not in self.remarks:
            self.remarks.append(what)

    def wrong(self, seq: int | None, name: str, said: Say, met: int | None = None) -> None:
        """Something is wrong with a field of a record: a reader meets it at the record in hand, or
        at another."""
        self.add(Finding(seq, name, said), met)

    def add(self, finding: Finding, met: int | None = None) -> None:
        """Add a finding: a reader meets it at the record in hand, or at another."""
        at = self.met if met is None else met
        place = bisect_right(self._order, at)
        self.findings.insert(place, finding)
        self._order.insert(place, at)

    def drop(self, finding: Finding) -> None:
        """What was doubted is not wrong."""
        place = self.findings.index(finding)
        del self.findings[place], self._order[place]
