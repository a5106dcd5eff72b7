"""Level 1 of a tournament's audit: form, chain, links, lots, nonces, seals, reports and heads, from
the file alone and by nothing but the protocol."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import define, field

from warledger.clients.audit import heads
from warledger.clients.audit.evidence import of_log, several, vouching
from warledger.clients.audit.examine import check_format
from warledger.clients.audit.found import Found
from warledger.clients.audit.kept import GENESIS_DIGITS, Kept
from warledger.clients.audit.report import Report
from warledger.clients.audit.roster import Roster
from warledger.clients.audit.verdict import (
    RESERVED,
    SO_FAR,
    About,
    Finding,
    Reservation,
    Verdict,
)
from warledger.protocol import canon, chain, dice, seal, wlog
from warledger.protocol import tournaments as forms
from warledger.protocol.chain import Head, head_is_signed_by
from warledger.protocol.choices import Say, say
from warledger.protocol.limits import SIGNATURE_BYTES
from warledger.protocol.owed import of_ledger
from warledger.protocol.records import CorruptLog, Record
from warledger.protocol.seal import BadOpening, Opening, salt_key_commitment, salt_of


@define
class TournamentEvidence(Found):
    """What level 1 made of a tournament's file. `doubts`: one of two records is wrong, or one of
    those before it, and only deciding them again tells which. `names` are the entrants' names by
    number; `remarks` is what the verdict must name beside its word."""

    charter: forms.Charter | None = None
    acts: dict[int, forms.Act] = field(factory=dict)
    doubts: list[Finding] = field(factory=list)
    reservations: list[Reservation] = field(factory=list)
    remarks: list[Say] = field(factory=list)
    lots: int = 0
    waiting: int = 0
    seals: int = 0

    @property
    def id(self) -> str:
        """The tournament's id, "" where it cannot be read."""
        return self.charter.tournament if self.charter else ""

    def report(self, level: int, decided: int = 0) -> Report:
        """What was found, as every audit tells it."""
        charter = self.charter
        verdict = Verdict(
            level=level if charter else 0,
            records=len(self.records),
            decided=decided,
            of_tournament=True,
            findings=tuple(self.findings),
            reservations=tuple(self.reserved()),
            remarks=tuple(map(About, self.remarks)),
            notes=tuple(map(About, self.notes)),
            checked=tuple(self._checked(level, decided)),
            unchecked=tuple(self._unchecked()),
        )
        return Report(
            verdict,
            game=self.id,
            title=str(charter.settings.get("title", "")) if charter else "",
            version=charter.version if charter else "",
            commands=len(self.acts),
            events=sum(len(act.events) for act in self.acts.values()),
            draws=self.lots,
            waiting=self.waiting,
            openings=len(self.openings),
            sealed=self.seals - len(self.openings),
            heads=self.heads,
            ended=self.ended,
            reason=say("audit.tournament.ended") if self.ended else None,
            head=self.records[-1].hash if self.records else b"",
        )

    def reserved(self) -> Iterator[Reservation]:
        """Every reservation about the tournament's own file."""
        if self.charter is None:
            return
        yield from vouching(self)
        if not self.ended:
            last = self.records[-1].seq
            yield Reservation(say("audit.reservation.so_far", last=last), RESERVED, SO_FAR)
        yield from self.reservations
        yield from of_log(self)

    def _checked(self, level: int, decided: int) -> Iterator[Say]:
        if not self.records:
            return
        yield say("audit.checked.chain", records=len(self.records))
        if self.lots:
            yield say("audit.checked.lots", count=self.lots)
        if self.openings:
            yield say("audit.checked.openings", count=len(self.openings))
        if self.heads:
            yield say("audit.checked.heads", count=self.heads)
        if level == 2:
            yield say("audit.checked.rules")
        elif decided:
            yield say("audit.checked.some_rules", count=decided)

    def _unchecked(self) -> Iterator[Say]:
        if self.waiting:
            yield say("audit.unchecked.lots", count=self.waiting)
        yield from self.left_out
        if self.seals > len(self.openings):
            yield say("audit.unchecked.seals", count=self.seals - len(self.openings))


def is_tournament(data: bytes) -> bool:
    """Whether a file holds a tournament's ledger and not a game. It may be damaged."""
    try:
        payload = next(
            frame.payload
            for _, frame in wlog.survey(data).frames
            if frame.kind == wlog.FRAME_RECORD
        )
        array = canon.unpack_trusted(payload)
        return bool(array[3] == forms.CHARTER)
    except (StopIteration, canon.NotCanonical, IndexError, TypeError, KeyError):
        return False


def examine_tournament(
    data: bytes,
    *,
    key: bytes | Sequence[bytes] | None = None,
    receipts: Sequence[Head] | None = None,
    kept: Sequence[Kept] = (),
) -> TournamentEvidence:
    """Examine a file's bytes. `key` is the server's, or several of its keys, from a source other
    than the file; `receipts` are heads kept elsewhere, `kept` what folders of receipts hold beside
    heads. Raises wlog.OtherFormat for a file of another format."""
    check_format(data)
    found = TournamentEvidence(given_keys=several(key))
    try:
        file = wlog.parse(data)
    except wlog.CorruptFile as error:
        found.wrong(None, "bytes", say("audit.file", offset=error.offset, what=error.what))
        return found
    if file.torn_at is not None:
        what = "the file ends inside a frame"
        found.wrong(None, "bytes", say("audit.file", offset=file.torn_at, what=what))
    if not file.sealed:
        found.notes.append(say("audit.note.not_sealed"))
    _chain(found, file.records)
    if not found.records:
        if not found.findings:
            found.wrong(None, "records", say("audit.no_records"))
        return found
    try:
        found.charter = forms.Charter.from_record(found.records[0])
    except CorruptLog as error:
        found.wrong(0, error.field, say("audit.record", what=error.what))
        return found
    found.server_keys.append((0, found.charter.server_key))
    _Walk(found).run()
    _private(found, file)
    _signed(found, file, receipts, kept)
    return found


def _signed(
    found: TournamentEvidence,
    file: wlog.WlogFile,
    receipts: Sequence[Head] | None,
    kept: Sequence[Kept],
) -> None:
    """What the server signed, and what somebody kept."""
    heads.check_key(found)
    seq = -1
    for frame in file.frames:
        if frame.kind == wlog.FRAME_RECORD:
            seq += 1
        elif frame.kind == wlog.FRAME_HEAD:
            heads.check_frame(found, frame.payload, max(seq, 0))
    if receipts is not None:
        heads.check_receipts(found, receipts)
    _check_kept(found, kept)
    heads.check_forks(found)


def _check_kept(found: TournamentEvidence, kept: Sequence[Kept]) -> None:
    """Compare what was kept of this tournament, entrants' nonces, with the file."""
    charter = found.charter
    assert charter is not None
    digits = charter.hash.hex()[:GENESIS_DIGITS]
    ours = [item for item in kept if item.game == charter.tournament]
    if any(item.genesis != digits for item in ours):
        found.note(say("audit.note.other_genesis", game=charter.tournament))
    committed: dict[str, set[bytes]] = {}
    for act in found.acts.values():
        for tag, *values in act.events:
            if tag in ("entered", "committed"):
                committed.setdefault(forms.bid_reader(values[0]), set()).add(values[-1])
    for item in ours:
        who = f"{forms.ENTRANT}:{item.seat[1:]}"  # a colon cannot stand in a file's name
        if item.genesis != digits or item.nonce is None or who not in committed:
            continue
        if dice.bound_nonce_hash(charter.hash, who, item.nonce) not in committed[who]:
            found.contradicted.append(say("audit.reservation.other_nonce", seat=who))


def _chain(found: TournamentEvidence, payloads: Sequence[bytes]) -> None:
    try:
        for record in chain.follow(payloads, kinds=forms.KINDS):
            found.records.append(record)
    except CorruptLog as error:
        what = say("audit.record", what=error.what)
        if error.field == "previous":
            what = say("audit.previous")
        elif error.field == "at_ms":
            what = say("audit.time")
        found.wrong(error.seq, error.field, what)


class _Walk:
    """The records one after another, with what they have committed to so far."""

    def __init__(self, found: TournamentEvidence) -> None:
        assert found.charter is not None
        self.found, self.charter = found, found.charter
        self.epoch = 1
        self.roster = Roster(self.charter, found.wrong, found.reservations)
        self.games: dict[tuple[int, int], str] = {}
        self.reported: set[tuple[int, int]] = set()
        self.ids: set[tuple[str, bytes]] = set()
        self.results: set[tuple[int, int]] = set()
        self.pairings: dict[tuple[int, str, bytes], tuple[int, Any]] = {}
        self.bids: dict[int, tuple[int, int]] = {}
        self.panels: dict[tuple[int, int], list[int]] = {}
        self.owed: tuple[str, ...] = ()
        """The kinds of the records that must follow at once."""
        self.names: dict[str, str] = {}
        self.hashes = {found.records[0].hash}

    def run(self) -> None:
        """All records; a form that is wrong is a finding, and the rest is examined without it."""
        self._links()
        for record in self.found.records[1:]:
            if self.found.ended:
                self.found.wrong(record.seq, "kind", say("audit.after_end"))
                return
            expected = next(iter(self.owed), "")
            if expected not in ("", record.kind):
                what = say("audit.tournament.must_follow", kind=expected)
                self.found.wrong(record.seq, "kind", what)
            self.owed = self.owed[1:]
            self.hashes.add(record.previous)
            try:
                self._record(record, expected)
            except CorruptLog as error:
                said = say("audit.record", what=error.what)
                self.found.wrong(record.seq, error.field, said)
        if self.owed:
            link = self.owed[0] == forms.OPEN
            what = (
                say("acts.owed.link", epoch=self.epoch)
                if link
                else say("audit.tournament.owed_end")
            )
            self.found.owed = what
        self.roster.reserve()

    def _links(self) -> None:
        """Every link that the file opens, so that lots can be drawn again wherever they stand."""
        for record in self.found.records[1:]:
            try:
                if record.kind == forms.OPEN:
                    opened = forms.Open.from_record(record)
                    self.found.links.setdefault(opened.epoch, opened.link)
                elif record.kind == forms.END:
                    for epoch, link in forms.End.from_record(record).links:
                        self.found.links.setdefault(epoch, link)
            except CorruptLog:
                continue  # told when the record's turn comes

    def _record(self, record: Record, expected: str) -> None:
        try:
            seal.seals_of(record)
        except seal.Misplaced as error:
            said = say("acts.seal_place", path=error.path)
            self.found.wrong(record.seq, "body", said)
        except canon.NotCanonical:
            pass  # told of the effects below
        match record.kind:
            case forms.ACT:
                self._act(record, forms.Act.from_record(record))
            case forms.OPEN:
                opened = forms.Open.from_record(record)
                if expected != forms.OPEN or opened.epoch != self.epoch:
                    said = say("audit.tournament.link_early", epoch=opened.epoch)
                    self.found.wrong(record.seq, "epoch", said)
                self._link(record.seq, opened.epoch, opened.link)
                self.epoch += 1
            case forms.END:
                self._end(record, forms.End.from_record(record), expected)
            case _:
                self.found.wrong(record.seq, "kind", say("audit.tournament.second_charter"))

    def _link(self, seq: int, epoch: int, link: bytes) -> None:
        before = self.charter.chain if epoch == 1 else self.found.links.get(epoch - 1)
        if before is None or dice.next_link(link) != before:
            self.found.wrong(seq, "link", say("audit.tournament.link", epoch=epoch))

    def _act(self, record: Record, act: forms.Act) -> None:
        seq = record.seq
        self.found.acts[seq] = act
        if type(act.picks) is canon.Seal:
            self.found.seals += 1
        if act.act_id and (act.who, act.act_id) in self.ids:
            self.found.wrong(
                seq, "act_id", say("audit.tournament.act_twice", who=self._called(act.who))
            )
        self.ids.add((act.who, act.act_id))
        if act.seen and act.seen not in self.hashes:
            said = say("audit.tournament.seen_elsewhere", who=self._called(act.who))
            self.found.doubts.append(Finding(seq, "seen", said))
        self._lots(seq, act.draws)
        self.owed = of_ledger(act.events)
        self.roster.act(record, act)
        try:
            canon.unpack(act.effects)
        except canon.NotCanonical as error:
            self.found.wrong(seq, "effects", say("audit.record", what=str(error)))
        for index, event in enumerate(act.events):
            try:
                self._event(seq, f"events[{index}]", event)
            except (TypeError, ValueError, LookupError, AttributeError) as error:
                said = say("audit.record", what=f"{type(error).__name__}: {error}")
                self.found.wrong(seq, f"events[{index}]", said)
            self._again(seq, f"events[{index}]", act, event)
        self._early(seq, act)
        self._opened(seq, "opened", act.opened)

    def _called(self, who: str) -> str:
        """Whoever acts so, as the record has them, and by name where one was given before."""
        role, rest = forms.role_of(who)
        name = self.names.get(who if role == forms.ENTRANT else rest)
        return who if name is None else f"{name} ({who})"

    def _again(self, seq: int, place: str, act: forms.Act, event: tuple[Any, ...]) -> None:
        """What is done once, or only by a correction: results, pairings from the same inputs; and
        what is sealed for a board."""
        args: Mapping[str, Any] = dict(zip(forms.EVENTS[event[0]], event[1:], strict=True))
        where = (args.get("round", 0), args.get("board", 0))
        match event[0]:
            case "bid":
                self.bids[seq] = where
            case "panelled":
                self.panels[where] = []
            case "judged":
                self.panels.setdefault(where, []).append(seq)
            case "result":
                told = act.picks[0] if type(act.picks) is tuple else ""
                if where in self.results and told != "correct":
                    said = say("audit.tournament.changed", round=where[0], board=where[1])
                    self.found.wrong(seq, place, said)
                self.results.add(where)
            case "paired" if args["system"] != "hand":
                key = (args["round"], args["system"], args["inputs"])
                made = (args["boards"], args["byes"])
                first, before = self.pairings.setdefault(key, (seq, made))
                if before != made:
                    said = say("audit.tournament.paired_again", round=where[0], record=first)
                    self.found.doubts.append(Finding(seq, place, said))

    def _early(self, seq: int, act: forms.Act) -> None:
        """What an act opens must be all that is sealed for the boards that it settles."""
        settled: list[int] = []
        for tag, *values in act.events:
            where = (values[0], values[1]) if len(values) > 1 else (0, 0)
            if tag in ("sides", "called"):
                settled += [number for number, of in self.bids.items() if of == where]
            elif tag == "adjudicated":
                settled += self.panels.get(where, [])
        for index, opening in enumerate(act.opened):
            if opening.seq not in settled:
                said = say("audit.tournament.opened_early", record=opening.seq)
                self.found.wrong(seq, f"opened[{index}]", said)
        known = {opening.seq for opening in act.opened}
        left = [
            n for n in settled if n not in known and (n, (forms.PICKS,)) not in self.found.openings
        ]
        if left:
            said = say("audit.tournament.opened_early", record=left[0])
            self.found.wrong(seq, "opened", said)

    def _lots(self, seq: int, draws: Sequence[forms.Lot]) -> None:
        for index, lot in enumerate(draws):
            place = f"draws[{index}]"
            if lot.epoch != self.epoch:
                self.found.wrong(seq, place, say("audit.tournament.epoch", epoch=self.epoch))
                continue
            nonces = self.roster.settled()
            if nonces is None:
                self.found.wrong(seq, place, say("audit.tournament.lot_early"))
                continue
            self.roster.drawn = True
            link = self.found.links.get(lot.epoch)
            if link is None:
                self.found.waiting += 1
                continue
            self.found.lots += 1
            seed = dice.open_seed(self.charter.tournament, link, nonces)
            try:
                right = dice.draw_index(seed, 0, lot.purpose, lot.sides)
            except dice.BadDraw as error:
                self.found.wrong(seq, place, say("audit.record", what=str(error)))
                continue
            if right != lot.index:
                said = say(
                    "audit.tournament.lot", purpose=lot.purpose, shown=lot.index, right=right
                )
                self.found.wrong(seq, place, said)

    def _event(self, seq: int, place: str, event: tuple[Any, ...]) -> None:
        args: Mapping[str, Any] = dict(zip(forms.EVENTS[event[0]], event[1:], strict=True))
        match event[0]:
            case "granted":
                self.names[str(args["id"])] = str(args["name"])
            case "entered":
                self.names[forms.bid_reader(args["number"])] = str(args["name"])
            case "opened":
                where = (args["round"], args["board"])
                named = f"{self.charter.tournament}-r{where[0]}-b{where[1]}"
                if args["game"] != named and not self.charter.settings.get("servers"):
                    said = say(
                        "audit.tournament.not_named_so",
                        round=where[0],
                        board=where[1],
                        game=str(args["game"]),
                    )
                    self.found.wrong(seq, place, said)
                if where in self.games or args["game"] in self.games.values():
                    said = say("audit.tournament.game_twice", game=str(args["game"]))
                    self.found.wrong(seq, place, said)
                self.games[where] = args["game"]
            case "reported":
                self._reported(seq, place, args)

    def _reported(self, seq: int, place: str, args: Mapping[str, Any]) -> None:
        where = (args["round"], args["board"])
        game = self.games.get(where)
        if game is None or where in self.reported:
            said = say("audit.tournament.reported_twice", round=where[0], board=where[1])
            self.found.wrong(seq, place, said)
            return
        self.reported.add(where)
        named = self.charter.settings.get("servers", ())
        keys = [bytes.fromhex(one) for one in named] or [self.charter.server_key]
        head = Head(game, args["seq"], args["hash"], args["signature"])
        if len(head.signature) != SIGNATURE_BYTES or not any(
            head_is_signed_by(one, head) for one in keys
        ):
            self.found.wrong(seq, f"{place}.signature", say("audit.tournament.signed", game=game))

    def _opened(self, seq: int, place: str, openings: Sequence[Opening]) -> None:
        for index, opening in enumerate(openings):
            where = f"{place}[{index}]"
            key = (opening.seq, opening.path)
            if not 0 < opening.seq < seq or key in self.found.openings:
                self.found.wrong(seq, where, say("audit.tournament.opened_twice"))
                continue
            try:
                sealed = seal.find(self.found.records[opening.seq].body, opening.path)
                seal.verify(self.charter.tournament, opening, sealed)
            except BadOpening as error:
                self.found.wrong(seq, where, say("audit.record", what=str(error)))
                continue
            self.found.openings[key] = opening

    def _end(self, record: Record, end: forms.End, expected: str) -> None:
        seq, charter = record.seq, self.charter
        self.found.ended = True
        if expected != forms.END:
            self.found.wrong(seq, "kind", say("audit.tournament.end_early"))
        if [epoch for epoch, _ in end.links] != [self.epoch]:
            self.found.wrong(seq, "links", say("audit.tournament.epoch", epoch=self.epoch))
        for epoch, link in end.links:
            self._link(seq, epoch, link)
        if dice.hidden_commitment(charter.tournament, end.hidden) != charter.hidden:
            self.found.wrong(seq, "hidden", say("audit.tournament.commitment"))
        if salt_key_commitment(charter.tournament, end.salts) != charter.salts:
            self.found.wrong(seq, "salts", say("audit.tournament.commitment"))
        self._opened(seq, "openings", end.openings)
        for (number, path), opening in self.found.openings.items():
            if opening.salt != salt_of(end.salts, number, path):
                self.found.wrong(number, "picks", say("audit.tournament.salt"))
        for number, act in self.found.acts.items():
            hidden = type(act.picks) is canon.Seal
            if hidden and (number, (forms.PICKS,)) not in self.found.openings:
                self.found.wrong(number, "picks", say("audit.tournament.left_sealed"))


def _private(found: TournamentEvidence, file: wlog.WlogFile) -> None:
    """The private openings beside records: an arbiter's file has them."""
    assert found.charter is not None
    seq = -1
    for frame in file.frames:
        if frame.kind == wlog.FRAME_RECORD:
            seq += 1
        elif frame.kind == wlog.FRAME_OPENINGS and 0 <= seq < len(found.records):
            try:
                for opening in seal.unpack_openings(frame.payload):
                    sealed = seal.find(found.records[seq].body, opening.path)
                    if opening.seq != seq:
                        raise BadOpening("it is of another record")
                    seal.verify(found.charter.tournament, opening, sealed)
                    found.openings.setdefault((seq, opening.path), opening)
            except (BadOpening, canon.NotCanonical) as error:
                found.wrong(seq, "openings", say("audit.record", what=str(error)))


__all__ = ["TournamentEvidence", "examine_tournament", "is_tournament"]
