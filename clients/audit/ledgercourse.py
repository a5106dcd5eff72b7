"""The course of a tournament as its records tell it, level 1: forms, links, lots, seals, what
stands once, reports, and what must follow. Who takes part in the lots is looked at in `roster`."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import define, field

from warledger.clients.audit.evidence import of_log, vouching
from warledger.clients.audit.found import Found
from warledger.clients.audit.report import Report
from warledger.clients.audit.roster import Roster
from warledger.clients.audit.verdict import (
    RESERVED,
    SEEN,
    SO_FAR,
    About,
    Finding,
    Reservation,
    Verdict,
)
from warledger.protocol import canon
from warledger.protocol import tournaments as forms
from warledger.protocol.board import effects
from warledger.protocol.board.choices import Say, say
from warledger.protocol.chance import dice, seal
from warledger.protocol.chance.seal import BadOpening, Opening, salt_key_commitment, salt_of
from warledger.protocol.chance.secrets import BadSecrets, Keys
from warledger.protocol.log.chain import Head, head_is_signed_by
from warledger.protocol.log.owed import of_ledger
from warledger.protocol.log.records import CorruptLog, Record


@define
class TournamentEvidence(Found):
    """What level 1 made of a tournament's file. `doubts`: one of two records is wrong, or one of
    those before it, and only deciding them again tells which. `names` are the entrants' names by
    number."""

    charter: forms.Charter | None = None
    acts: dict[int, forms.Act] = field(factory=dict)
    doubts: list[Finding] = field(factory=list)
    reservations: list[Reservation] = field(factory=list)
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


class LedgerCourse:
    """The records one after another, with what they have committed to so far."""

    def __init__(self, found: TournamentEvidence, first: Record, charter: forms.Charter) -> None:
        self.found, self.charter = found, charter
        self.epoch = 1
        self.roster = Roster(charter, found.wrong, found.reservations)
        self.games: dict[tuple[int, int], str] = {}
        self.reported: set[tuple[int, int]] = set()
        self.ids: set[tuple[str, bytes]] = set()
        self.results: set[tuple[int, int]] = set()
        self.pairings: dict[tuple[int, str, bytes], tuple[int, Any]] = {}
        self.bids: dict[tuple[int, int], list[int]] = {}
        self.panels: dict[tuple[int, int], list[int]] = {}
        self.owed: tuple[str, ...] = ()
        """The kinds of the records that must follow at once."""
        self.names: dict[str, str] = {}
        self.hashes = {first.hash}
        self.drawn: dict[int, list[tuple[int, str, forms.Lot, tuple[bytes, ...]]]] = {}
        """The lots of each epoch whose link is not known yet, with their nonces."""
        self.public: set[tuple[int, tuple[int, ...]]] = set()
        """The seals that are open to everybody."""
        self.keys: Keys | None = None
        self.unseen: list[Finding] = []
        """Acts that name as seen what is not there: told last, since an earlier record was
        changed."""
        self._seals(first)

    def take(self, record: Record) -> None:
        """Another record; one whose form is wrong is a finding, and the rest is examined without
        it."""
        if self.found.ended:
            self.found.wrong(record.seq, "kind", say("audit.after_end"))
            return
        expected = next(iter(self.owed), "")
        if expected not in ("", record.kind):
            what = say("audit.tournament.must_follow", kind=expected)
            self.found.wrong(record.seq, "kind", what)
        self.owed = self.owed[1:]
        self.hashes.add(record.previous)
        self._seals(record)
        try:
            self._record(record, expected)
        except CorruptLog as error:
            said = say("audit.record", what=error.what)
            self.found.wrong(record.seq, error.field, said)

    def after_all(self) -> None:
        """What the whole ledger says."""
        if self.keys is not None:
            for epoch in sorted(self.drawn):
                if epoch in self.keys.links:
                    self._drawn(epoch, self.keys.link(epoch))
        self.found.waiting = sum(map(len, self.drawn.values()))
        for doubt in self.unseen:
            self._doubt(doubt)
        if self.owed:
            link = say("acts.owed.link", epoch=self.epoch)
            end = say("audit.tournament.owed_end")
            self.found.owed = link if self.owed[0] == forms.OPEN else end
        self.roster.tell(self.found)

    def _seals(self, record: Record) -> None:
        try:
            seal.seals_of(record)
        except seal.Misplaced as error:
            said = say("acts.seal_place", path=error.path)
            self.found.wrong(record.seq, "body", said)
        except canon.NotCanonical:
            pass  # told of the effects

    def _record(self, record: Record, expected: str) -> None:
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
        """A link is opened, and with it the lots of its epoch."""
        before = self.charter.chain if epoch == 1 else self.found.links.get(epoch - 1)
        if before is None or dice.next_link(link) != before:
            self.found.wrong(seq, "link", say("audit.tournament.link", epoch=epoch))
        self.found.links.setdefault(epoch, link)
        self._drawn(epoch, link)

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
        self._lots(seq, act.draws)
        self.owed = of_ledger(act.events)
        self.roster.act(record, act)
        try:
            effects.unpack(act.effects)
        except canon.NotCanonical as error:
            self.found.wrong(seq, "effects", say("audit.record", what=str(error)))
        for index, event in enumerate(act.events):
            self._event(seq, f"events[{index}]", event)
            self._again(seq, f"events[{index}]", act, event)
        self._early(seq, act)
        self._opened(seq, "opened", act.opened)
        if act.seen and act.seen not in self.hashes:
            said = say(SEEN, who=self._called(act.who))
            self.unseen.append(Finding(seq, "seen", said))

    def _doubt(self, doubt: Finding) -> None:
        self.found.doubts.append(doubt)
        self.found.add(doubt)

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
        sealed = type(act.picks) is canon.Seal
        match event[0]:
            case "bid" if sealed:
                self.bids.setdefault(where, []).append(seq)
            case "panelled":
                self.panels[where] = []
            case "judged" if sealed:
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
                    self._doubt(Finding(seq, place, said))

    def _early(self, seq: int, act: forms.Act) -> None:
        """What an act opens must be all that is sealed for the boards that it settles."""
        settled: list[int] = []
        for tag, *values in act.events:
            where = (values[0], values[1]) if len(values) > 1 else (0, 0)
            if tag in ("sides", "called"):
                settled += self.bids.get(where, [])
            elif tag == "adjudicated":
                settled += self.panels.get(where, [])
        for index, opening in enumerate(act.opened):
            if opening.seq not in settled:
                said = say("audit.tournament.opened_early", record=opening.seq)
                self.found.wrong(seq, f"opened[{index}]", said)
        known = {opening.seq for opening in act.opened}
        left = [n for n in settled if n not in known and (n, (forms.PICKS,)) not in self.public]
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
            self.drawn.setdefault(lot.epoch, []).append((seq, place, lot, nonces))

    def _drawn(self, epoch: int, link: bytes) -> None:
        """Draw the lots of an epoch again, once its link is known."""
        for seq, place, lot, nonces in self.drawn.pop(epoch, ()):
            self.found.lots += 1
            seed = dice.open_seed(self.charter.tournament, link, nonces)
            right = dice.draw_index(seed, 0, lot.purpose, lot.sides)
            if right != lot.index:
                told = {"purpose": lot.purpose, "shown": lot.index, "right": right}
                self.found.wrong(seq, place, say("audit.tournament.lot", **told))

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
                if args["game"] != named and not self.charter.servers:
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
        keys = self.charter.servers or (self.charter.server_key,)
        head = Head(game, args["seq"], args["hash"], args["signature"])
        if not any(head_is_signed_by(one, head) for one in keys):
            self.found.wrong(seq, f"{place}.signature", say("audit.tournament.signed", game=game))

    def _opened(self, seq: int, place: str, openings: Sequence[Opening]) -> None:
        for index, opening in enumerate(openings):
            where = f"{place}[{index}]"
            key = (opening.seq, opening.path)
            if not 0 < opening.seq < seq or key in self.public:
                self.found.wrong(seq, where, say("audit.tournament.opened_twice"))
                continue
            try:
                self._verified(opening)
            except BadOpening as error:
                self.found.wrong(seq, where, say("audit.record", what=str(error)))
                continue
            self.public.add(key)

    def _verified(self, opening: Opening) -> None:
        """Note an opening that fits its seal, and shows picks. Raises BadOpening."""
        sealed = seal.find(self.found.records[opening.seq].body, opening.path)
        seal.verify(self.charter.tournament, opening, sealed)
        if not forms.are_picks(opening.value):
            raise BadOpening("what is opened are not the picks of an act")
        self.found.openings[opening.seq, opening.path] = opening

    def private(self, payload: bytes, seq: int) -> None:
        """The private openings beside a record."""
        try:
            for opening in seal.unpack_openings(payload):
                if opening.seq != seq:
                    raise BadOpening("it is of another record")
                self._verified(opening)
                act = self.found.acts.get(seq)
                if act is None or opening.readers != (act.who,):
                    raise BadOpening("whoever acted may read it, and nobody else")
        except (BadOpening, canon.NotCanonical) as error:
            self.found.wrong(seq, "private openings", say("audit.record", what=str(error)))

    def secrets(self, payload: bytes) -> None:
        """The server's secrets, if the file contains them."""
        try:
            keys = Keys.from_payload(payload)
            keys.check(self.charter)
        except BadSecrets as error:
            self.found.wrong(0, "secrets", say("audit.record", what=str(error)))
            return
        self.keys = keys

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
            if hidden and (number, (forms.PICKS,)) not in self.public:
                self.found.wrong(number, "picks", say("audit.tournament.left_sealed"))
