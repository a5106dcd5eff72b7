"""Level 2 of a tournament's audit: every act is decided again by the rules of tournaments. Each
game that a result rests on is audited and must be the one that was reported."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from attrs import evolve as replace

from warledger.clients.audit.audit import Comparison, Rulebook, compare_records
from warledger.clients.audit.evidence import several
from warledger.clients.audit.kept import Kept
from warledger.clients.audit.redecide import parted, same, shown, shown_apart
from warledger.clients.audit.report import Report
from warledger.clients.audit.tournament import TournamentEvidence, examine_tournament
from warledger.clients.audit.tournamentgames import Given, audit_boards
from warledger.clients.audit.verdict import compose
from warledger.engine.desk.matching import matched
from warledger.engine.desk.titled import titled
from warledger.engine.packfiles import sources_digest
from warledger.engine.tournaments import charterform, tournamentdoor
from warledger.engine.tournaments.fold import BadEvent
from warledger.engine.tournaments.tournamentposition import Position, TitleOf, begin, link_opened
from warledger.protocol import canon
from warledger.protocol import tournaments as forms
from warledger.protocol.board.choices import Picks, Refusal, Say, say
from warledger.protocol.chance import dice
from warledger.protocol.log.chain import Head
from warledger.protocol.log.records import Record

RULES: Final = ("warledger.engine.tournaments",)
"""The sources of the rules of tournaments, whose digest a charter names."""


def audit_tournament(
    data: bytes,
    *,
    key: bytes | Sequence[bytes] | None = None,
    receipts: Sequence[Head] | None = None,
    kept: Sequence[Kept] = (),
    rulebook: Rulebook | None = None,
    games: Path | None = None,
    workers: int | None = 1,
) -> Report:
    """Audit a tournament's file, and the games in a folder, these by up to so many processes at
    once: None means as many as there are cores. Without a rulebook the audit stays at level 1, that
    of the games too. Receipts, and what else was kept, count for the tournament's file and for each
    game."""
    found = examine_tournament(data, key=key, receipts=receipts, kept=kept)
    contradicted = [one for one in found.findings if one not in found.doubts]
    if contradicted or found.charter is None:
        found.left_out.append(say("audit.unchecked.rules"))
        if rulebook is not None and found.charter is not None:
            _decide_before(found, min(one.seq or 0 for one in contradicted))
        if games is not None:
            found.left_out.append(say("audit.unchecked.games"))
        _tell_who(found)
        return found.report(1 if found.charter else 0, 0)
    again = _Again(found, titled)
    if rulebook is None:
        found.not_decided, whole = say("audit.not_wanted"), False
        again.fold()
    else:
        whole = again.decide()
    # Deciding again has named the pairing that is wrong; that somebody saw what is no longer there
    # stands beside what was changed, and is reported even if nothing else is.
    for doubt in found.doubts if whole else ():
        if doubt.field != "seen":
            found.drop(doubt)
    _tell_who(found)
    given = Given(several(key), receipts, kept, rulebook)
    verdicts = audit_boards(found, again.past, games, given, workers)
    if rulebook is not None and found.charter.digest != sources_digest(RULES):
        told = {"version": found.charter.version, "digest": found.charter.digest.hex()[:16]}
        found.remarks.append(say("audit.remark.ledger_rules", **told))
    report = found.report(2 if whole else 1, again.decided)
    return replace(report, verdict=compose(report.verdict, verdicts))


def _decide_before(found: TournamentEvidence, first: int) -> None:
    """Decide again what stands before the first record that contradicts the file, which may only
    follow from an earlier one: what is wrong there is told first."""
    if first:
        _Again(found, titled).decide(first)


def _tell_who(found: TournamentEvidence) -> None:
    """Say who can have written what is wrong in the tournament's own file. A game's file that is
    missing, or is another, tells nothing of that: it is asked for beside this one, and may have
    been changed on its way."""
    seqs = [one.seq for one in found.findings if one.seq is not None]
    if not seqs or not found.records:
        return
    if found.vouched >= max(seqs):
        found.notes.append(say("audit.tournament.signed_after", seq=found.vouched))
    else:
        found.notes.append(say("audit.tournament.signed_before", seq=min(seqs)))


class _Again:
    """The acts of a tournament's file decided again. `past` are the positions after its records, as
    far as that came, `decided` how many records were decided; what differs is added to the
    findings."""

    def __init__(self, found: TournamentEvidence, title_of: TitleOf) -> None:
        self.found, self.title_of = found, title_of
        self.past: list[Position] = []
        self.decided = 0

    def fold(self) -> bool:
        """Only follow the events. Whether all could be followed."""
        return self._run(None, decides=False)

    def decide(self, until: int | None = None) -> bool:
        """Decide every act again, those before record `until` alone if that is given. Whether all
        could be decided."""
        return self._run(until, decides=True)

    def _run(self, until: int | None, *, decides: bool) -> bool:
        found, charter = self.found, self.found.charter
        assert charter is not None
        try:
            at = begin(charter, charterform.of_settings(charter.settings), self.title_of)
        except ValueError as error:
            found.wrong(0, "settings", say("audit.record", what=str(error)))
            return False
        self.past.append(at)
        whole = True
        seqs = {record.hash: record.seq for record in found.records}
        for record in found.records[1:until]:
            found.met = record.seq
            if record.kind == forms.OPEN:
                at = link_opened(at, record.seq)
            elif record.kind == forms.ACT:
                act = found.acts[record.seq]
                try:
                    if decides:
                        whole &= _act(found, at, record, act, seqs)
                    at = tournamentdoor.folded(at, act.who, act.events, record.seq, record.at_ms)
                except BadEvent as error:
                    found.wrong(record.seq, "events", say("audit.record", what=str(error)))
                    return False
                except KeyError:
                    found.not_decided = say("audit.no_title", title=at.charter.title)
                    return False
            self.past.append(at)
            self.decided += decides
        return whole


def _act(
    found: TournamentEvidence,
    at: Position,
    record: Record,
    act: forms.Act,
    seqs: Mapping[bytes, int],
) -> bool:
    """Decide one act again; False where that needs what the file does not open."""
    seq = record.seq
    picks: Picks = _any_like(at, act)
    if type(act.picks) is canon.Seal:
        opening = found.openings.get((seq, (forms.PICKS,)))
        if opening is not None:
            picks = tuple(opening.value)
    else:
        picks = act.picks

    def seed(epoch: int, nonces: tuple[bytes, ...]) -> bytes:
        link = found.links.get(epoch)
        if link is None:
            raise dice.BadDraw(f"the link of epoch {epoch} is not opened yet")
        assert found.charter is not None
        return dice.open_seed(found.charter.tournament, link, nonces)

    def sealed(number: int) -> Picks | None:
        opening = found.openings.get((number, (forms.PICKS,)))
        return None if opening is None else tuple(opening.value)

    role, _ = forms.role_of(act.who)
    # A hash that is none of this file's is a finding of its own, of level 1.
    seen = seqs.get(act.seen, -1 if not act.seen else seq)
    if role != "server" and tournamentdoor.moves(picks) and seen < at.moved:
        found.wrong(seq, "seen", say("audit.tournament.stale", record=at.moved))
    try:
        decided = tournamentdoor.decide(
            at, act.who, picks, seq, record.at_ms, seed, sealed, matched
        )
    except dice.BadDraw:
        return False
    except (BadEvent, ValueError, TypeError) as error:
        found.wrong(seq, "picks", say("audit.record", what=str(error)))
        return True
    if isinstance(decided, Refusal):
        what = Say(decided.key, decided.args, decided.rule).as_array()
        found.wrong(seq, "picks", say("audit.tournament.refused", what=what))
        return True
    if decided.sealed != (type(act.picks) is canon.Seal):
        found.wrong(seq, "picks", say("audit.tournament.seal"))
    ours, theirs = (tuple(lot.as_array() for lot in lots) for lots in (decided.draws, act.draws))
    _otherwise(found, seq, "draws", ours, theirs)
    if not same(decided.events, act.events):
        _otherwise(found, seq, "events", decided.events, act.events)
    elif tournamentdoor.packed(decided.effects) != act.effects:
        shows, written = (
            canon.unpack_trusted(one)
            for one in (tournamentdoor.packed(decided.effects), act.effects)
        )
        _otherwise(found, seq, "effects", shows, written)
    _otherwise(found, seq, "opened", decided.opens, tuple(opening.seq for opening in act.opened))
    return True


def _otherwise(found: TournamentEvidence, seq: int, name: str, ours: Any, theirs: Any) -> None:
    """What is written differs from what follows: the first place, and both values there. The name
    of an event's field stands beside its number."""
    if same(ours, theirs):
        return
    path, expected, written = parted(ours, theirs)
    place = name + "".join(f"[{index}]" for index in path)
    if name == "events" and len(path) > 1 and path[1] > 0 and path[0] < len(theirs):
        tag = theirs[path[0]][0]
        place = f"{name}[{path[0]}] {tag}.{forms.EVENTS[tag][path[1] - 1]}"
        place += "".join(f"[{index}]" for index in path[2:])
    if written is None:
        said = say("audit.tournament.lacks", computed=shown(expected))
    elif expected is None:
        said = say("audit.tournament.beyond", written=shown(written))
    else:
        there, computed = shown_apart(written, expected)
        said = say("audit.tournament.otherwise", written=there, computed=computed)
    found.wrong(seq, place, said)


def _any_like(at: Position, act: forms.Act) -> Picks:
    """Picks that change the same as those under a seal that is not opened yet do."""
    for tag, *values in act.events:
        if tag == "judged":
            return ("judge", values[2], 0)
    if at.charter.sides.by == "auction" and at.last is not None:
        return ("wish", at.seats(at.last.number)[0])
    return ("waive",)


# --- two files ------------------------------------------------------------------------------------


def compare_tournaments(data: bytes, other: bytes, names: tuple[str, str]) -> Comparison:
    """The first record at which two files of one tournament part, the field, and both values."""
    one, two = examine_tournament(data), examine_tournament(other)
    return compare_records(one, two, names, _where_parted)


def _where_parted(ours: Record, theirs: Record) -> tuple[str, Any, Any]:
    fields = forms.FIELDS.get(ours.kind, ())
    path, one, other = parted(ours.body, theirs.body)
    if not path:
        return "body", one, other
    name = fields[path[0]] if path[0] < len(fields) else f"body[{path[0]}]"
    return name + "".join(f"[{index}]" for index in path[1:]), one, other
