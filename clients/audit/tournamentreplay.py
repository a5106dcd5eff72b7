"""Level 2 of a tournament's audit: every act is decided again by the rules of tournaments, and each
game that a result rests on is audited and must be the one that was reported."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from attrs import frozen

from warledger.clients.audit.audit import Comparison, Rulebook, audit, compare_records
from warledger.clients.audit.evidence import Evidence
from warledger.clients.audit.processes import Lost, at_once, each
from warledger.clients.audit.redecide import parted, shown
from warledger.clients.audit.report import Report
from warledger.clients.audit.tournament import TournamentEvidence, examine_tournament
from warledger.clients.audit.verdict import CHAIN_ONLY, RESERVED, Reservation
from warledger.engine.desk.matching import MatchingMissing, matched
from warledger.engine.desk.titled import titled
from warledger.engine.tournaments import charterform, door
from warledger.engine.tournaments.fold import BadEvent
from warledger.engine.tournaments.position import Position, TitleOf, begin, link_opened
from warledger.protocol import canon, dice
from warledger.protocol import tournaments as forms
from warledger.protocol.bodies import End
from warledger.protocol.chain import Head
from warledger.protocol.choices import Picks, Refusal, Say, say
from warledger.protocol.records import END, Record


def audit_tournament(
    data: bytes,
    *,
    key: bytes | Sequence[bytes] | None = None,
    receipts: Sequence[Head] = (),
    rulebook: Rulebook | None = None,
    games: Path | None = None,
    workers: int | None = 1,
) -> tuple[Report, int]:
    """Audit a tournament's file, and the games in a folder, these by up to so many processes at
    once: None means as many as there are cores. Without a rulebook the audit stays at level 1, that
    of the games too. Returns the report and how many games were audited."""
    found = examine_tournament(data, key=key, receipts=receipts)
    if found.findings or found.charter is None:
        found.notes.append(say("audit.note.unsound_first"))
        if rulebook is not None and found.charter is not None:
            _decide_before(found)
        if games is not None:
            found.notes.append(say("audit.tournament.games_left"))
        _tell_who(found)
        return found.report(1 if found.charter else 0, 0), 0
    decided, whole = 0, False
    if rulebook is None:
        found.notes.append(say("audit.note.chain_only"))
    else:
        decided, whole = redecide_tournament(found, titled)
    # Deciding again has named the pairing that is wrong; that somebody saw what is no longer there
    # stands beside what was changed, and is reported even if nothing else is.
    if whole:
        found.doubts = [doubt for doubt in found.doubts if doubt.field == "seen"]
    found.findings.extend(found.doubts)
    _tell_who(found)
    count = 0 if games is None else audit_games(found, games, rulebook, key=key, workers=workers)
    return found.report(2 if whole else 1, decided), count


def _decide_before(found: TournamentEvidence) -> None:
    """Decide again what stands before the first record that contradicts the file, which may only
    follow from an earlier one: what is wrong there is told first."""
    first = min((finding.seq or 0 for finding in found.findings), default=0)
    if first:
        contradicted, found.findings = found.findings, []
        redecide_tournament(found, titled, first)
        found.findings += contradicted


def _tell_who(found: TournamentEvidence) -> None:
    """Say who can have written what is wrong in the tournament's own file. A game's file that is
    missing, or is another, tells nothing of that: it is asked for beside this one, and may have
    been changed on its way."""
    seqs = [one.seq for one in found.findings if one.seq is not None]
    if not seqs or not found.records:
        return
    if found.signed_to >= max(seqs):
        found.notes.append(say("audit.tournament.signed_after", seq=found.signed_to))
    else:
        found.notes.append(say("audit.tournament.signed_before", seq=min(seqs)))
    found.notes.append(say("audit.tournament.compare"))


def redecide_tournament(
    found: TournamentEvidence, title_of: TitleOf, until: int | None = None
) -> tuple[int, bool]:
    """Decide every act again, those before record `until` alone if that is given. Returns how many
    records, and whether that were all; what differs is added to the findings."""
    charter = found.charter
    assert charter is not None
    try:
        at = begin(charter, charterform.of_settings(charter.settings), title_of)
    except ValueError as error:
        found.wrong(0, "settings", say("audit.record", what=str(error)))
        return 0, False
    whole = True
    seqs = {record.hash: record.seq for record in found.records}
    for count, record in enumerate(found.records[1:until], start=1):
        if record.kind == forms.OPEN:
            at = link_opened(at, record.seq)
        elif record.kind == forms.ACT:
            act = found.acts[record.seq]
            try:
                whole &= _act(found, at, record, act, seqs)
                at = door.folded(at, act.events, record.seq, record.at_ms)
            except BadEvent as error:
                found.wrong(record.seq, "events", say("audit.record", what=str(error)))
                return count, False
            except KeyError:
                why = say("audit.no_title", title=at.charter.title).as_array()
                said = say("audit.reservation.not_decided", why=why)
                found.reservations.append(Reservation(said, RESERVED, CHAIN_ONLY))
                return count, False
    return len(found.records) - 1, whole


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
    if role != "server" and door.moves(picks) and seen < at.moved:
        found.wrong(seq, "seen", say("audit.tournament.stale", record=at.moved))
    try:
        decided = door.decide(at, act.who, picks, seq, record.at_ms, seed, sealed, matched)
    except dice.BadDraw:
        return False
    except MatchingMissing:
        found.notes.append(say("audit.tournament.no_matcher", seq=seq))
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
    if decided.events != act.events:
        _otherwise(found, seq, "events", decided.events, act.events)
    elif door.packed(decided.effects) != act.effects:
        shows, written = (
            canon.unpack_trusted(one) for one in (door.packed(decided.effects), act.effects)
        )
        _otherwise(found, seq, "effects", shows, written)
    _otherwise(found, seq, "opened", decided.opens, tuple(opening.seq for opening in act.opened))
    return True


def _otherwise(found: TournamentEvidence, seq: int, name: str, ours: Any, theirs: Any) -> None:
    """What is written differs from what follows: the first place, and both values there. The name
    of an event's field stands beside its number."""
    if ours == theirs:
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
        said = say("audit.tournament.otherwise", written=shown(written), computed=shown(expected))
    found.wrong(seq, place, said)


def _any_like(at: Position, act: forms.Act) -> Picks:
    """Picks that change the same as those under a seal that is not opened yet do."""
    for tag, *values in act.events:
        if tag == "judged":
            return ("judge", values[2], 0)
    if at.charter.sides.by == "auction" and at.last is not None:
        return ("wish", at.seats(at.last.number)[0])
    return ("waive",)


# --- the games ------------------------------------------------------------------------------------


@frozen
class _Board:
    """A board: in which round, the record that names its game, that game's id and genesis, and the
    record of its result with what that says, if there is one."""

    where: tuple[int, int]
    seq: int
    game: str
    genesis: bytes
    told: tuple[int, Mapping[str, Any], Picks] | None


Wrong = tuple[int, str, Say]
"""A finding: the record, the field, and what is wrong."""


def audit_games(
    found: TournamentEvidence,
    folder: Path,
    rulebook: Rulebook | None,
    *,
    key: bytes | Sequence[bytes] | None,
    workers: int | None = 1,
) -> int:
    """Audit the game of every board, which must lie in the folder as GAME.wlog, by up to so many
    processes at once. Returns how many were there; what is wrong with one is a finding of the
    record that names it."""
    charter = found.charter
    assert charter is not None
    opened: dict[tuple[int, int], tuple[int, str, bytes]] = {}
    reports: dict[tuple[int, int], tuple[int, Mapping[str, Any], Picks]] = {}
    published: dict[int, int] = {}
    for seq, act in found.acts.items():
        for tag, *values in act.events:
            args = dict(zip(forms.EVENTS[tag], values, strict=True))
            if tag == "opened":
                where = (args["round"], args["board"])
                opened[where] = (seq, args["game"], args["genesis"])
            elif tag == "published":
                published[args["round"]] = seq
            elif tag == "reported":
                reports[args["round"], args["board"]] = (seq, args, act.picks)
    boards = [_Board(where, *given, reports.get(where)) for where, given in opened.items()]

    def audited(number: int) -> tuple[bool, list[Wrong]]:
        board = boards[number]
        return _audited(found, folder, board, published.get(board.where[0], 0), rulebook, key)

    done: list[tuple[bool, list[Wrong]]] = []
    with suppress(Lost), closing(each(audited, len(boards), at_once(workers))) as results:
        done += results
    # What a lost process leaves is done here.
    done += map(audited, range(len(done), len(boards)))
    for _, wrongs in done:
        for wrong in wrongs:
            found.wrong(*wrong)
    return sum(there for there, _ in done)


def _audited(
    found: TournamentEvidence,
    folder: Path,
    board: _Board,
    published: int,
    rulebook: Rulebook | None,
    key: bytes | Sequence[bytes] | None,
) -> tuple[bool, list[Wrong]]:
    """Audit the game of one board: whether its file is there, and what is wrong."""
    path = folder / f"{board.game}.wlog"
    try:
        data = path.read_bytes()
    except OSError as error:
        what = error.strerror or str(error)
        said = say("audit.tournament.game_file", file=path.name, what=what)
        return False, [(board.seq, "game", said)]
    report, evidence = audit(data, key=key, rulebook=rulebook)
    wrongs = [
        *_game(found, board, report, evidence),
        *_is_begun_then(found, board, evidence, published),
    ]
    if board.told is not None:
        wrongs += _is_reported(board.game, *board.told, evidence)
    return True, wrongs


def _game(
    found: TournamentEvidence, board: _Board, report: Report, evidence: Evidence
) -> Iterator[Wrong]:
    charter = found.charter
    assert charter is not None
    game, seq, where = board.game, board.seq, board.where
    for finding in report.findings[:3]:
        place = f"{game}.wlog, record {finding.seq}, {finding.field}"
        told = say("audit.tournament.game", where=place, what=finding.said.as_array())
        yield seq, "game", told
    if evidence.genesis is None:
        return
    if evidence.genesis.hash != board.genesis:
        yield seq, "genesis", say("audit.tournament.other_genesis", game=game)
    names = evidence.genesis.terms.get("tournament")
    expected = (charter.server_key, charter.tournament, charter.hash, *where)
    if type(names) is not tuple or len(names) != 6 or names[:5] != expected:
        said = say("audit.tournament.not_its_game", game=game, round=where[0], board=where[1])
        yield seq, "game", said


def _is_begun_then(
    found: TournamentEvidence, board: _Board, evidence: Evidence, published: int
) -> Iterator[Wrong]:
    """A game names the tournament's newest record when it was begun: one from the publication of
    its round on, and before the record that names the game. Else it was played first and paired
    then."""
    names = () if evidence.genesis is None else evidence.genesis.terms.get("tournament", ())
    if type(names) is not tuple or len(names) != 6:
        return
    game, seq = board.game, board.seq
    begun = next((record.seq for record in found.records[:seq] if record.hash == names[5]), None)
    if begun is None:
        yield seq, "game", say("audit.tournament.begun_before", game=game)
    elif begun < published:
        said = say("audit.tournament.begun_early", game=game, record=begun, round=board.where[0])
        yield seq, "game", said


def _is_reported(
    game: str, seq: int, args: Mapping[str, Any], picks: Picks, evidence: Evidence
) -> Iterator[Wrong]:
    end = next((record for record in evidence.records if record.kind == END), None)
    number = args["seq"]
    if (
        end is None
        or number < end.seq
        or number >= len(evidence.records)
        or evidence.records[number].hash != args["hash"]
    ):
        yield seq, "events[0].hash", say("audit.tournament.not_its_end", game=game, seq=number)
        return
    ended = End.read(end.body)
    scores = tuple(points for _, points in ended.scores)
    result = (ended.by, ended.winner if ended.winner is not None else "-", *scores)
    if picks[6:] != result:
        written, computed = (shown(one) for one in (picks[6:], result))
        yield (
            seq,
            "picks",
            say("audit.tournament.other_result", game=game, written=written, computed=computed),
        )


# --- two files ------------------------------------------------------------------------------------


def compare_tournaments(data: bytes, other: bytes, names: tuple[str, str]) -> Comparison:
    """The first record at which two files of one tournament part, the field, and both values."""
    one, two = examine_tournament(data), examine_tournament(other)
    ids = [found.charter.tournament if found.charter else "" for found in (one, two)]
    return compare_records(one.records, two.records, (ids[0], ids[1]), names, _where_parted)


def _where_parted(ours: Record, theirs: Record) -> tuple[str, Any, Any]:
    fields = forms.FIELDS.get(ours.kind, ())
    path, one, other = parted(ours.body, theirs.body)
    if not path:
        return "body", one, other
    name = fields[path[0]] if path[0] < len(fields) else f"body[{path[0]}]"
    return name + "".join(f"[{index}]" for index in path[1:]), one, other


__all__ = ["audit_games", "audit_tournament", "compare_tournaments", "redecide_tournament"]
