"""The games of a tournament's audit: each game that a result rests on is audited, and must be the
one that the tournament opened and reported. Boards that no game decides are told as they are."""

import errno
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Final

from attrs import define, field, frozen
from attrs import evolve as replace

from warledger.clients.audit.audit import Rulebook, audit
from warledger.clients.audit.evidence import Evidence
from warledger.clients.audit.kept import Kept
from warledger.clients.audit.processes import Lost, at_once, each
from warledger.clients.audit.redecide import same, shown, shown_apart
from warledger.clients.audit.tournament import TournamentEvidence
from warledger.clients.audit.verdict import (
    ALLOW_BY_HAND,
    LEDGER_ONLY,
    RESERVED,
    Reservation,
    Verdict,
)
from warledger.engine.tournaments.deeds import ROLES
from warledger.engine.tournaments.playing import terms_of
from warledger.engine.tournaments.tournamentposition import Position
from warledger.protocol import tournaments as forms
from warledger.protocol.board.choices import Picks, Say, say
from warledger.protocol.log import bodies, deskbodies, records, wlog
from warledger.protocol.log.bodies import End
from warledger.protocol.log.chain import Head, read_head
from warledger.protocol.log.records import END, TOURNAMENT, Genesis

UNFINISHED: Final = ("running", "unopened", "waiting")
"""Reservations about a game that had not ended."""
BYES: Final = ("pairing_bye", "full_bye", "half_bye", "zero_bye")
APART_MS_MAX: Final = 60_000
"""By how much the clocks of two servers of a fleet may differ."""
PLACES: Final = 7
"""How many values the term of a game names its tournament by."""


@frozen
class Given:
    """What the auditor was given: keys, receipts, and the rules."""

    keys: tuple[bytes, ...]
    receipts: Sequence[Head] | None
    kept: Sequence[Kept]
    rulebook: Rulebook | None


@define
class _Board:
    """A board of a round, as the acts tell: its entrants, and the record that names its game, with
    that game's id and genesis. The report is record, fields and picks; the newest result is record,
    verb, manner and reason."""

    where: tuple[int, int]
    entrants: tuple[int, ...] = ()
    seq: int = 0
    game: str = ""
    genesis: bytes = b""
    report: tuple[int, Mapping[str, Any], Picks] | None = None
    result: tuple[int, str, str, str] | None = None

    @property
    def rests_on_game(self) -> bool:
        """Whether its result is that of its game."""
        return self.result is not None and self.result[1] == "report"


Wrong = tuple[int, str, Say]
"""A finding: the record, the field, and what is wrong."""


@define
class _Audited:
    """What came of a game's file: the verdict on it, None where there is none, and what contradicts
    the tournament's own file."""

    verdict: Verdict | None = None
    wrongs: list[Wrong] = field(factory=list)


def audit_boards(
    found: TournamentEvidence,
    past: Sequence[Position],
    folder: Path | None,
    given: Given,
    workers: int | None,
) -> list[Verdict]:
    """The verdicts on the games of all boards, which must lie in the folder as GAME.wlog. They are
    audited by up to so many processes at once. `past` are the tournament's positions after its
    records. What contradicts the tournament's file is a finding there; how boards without games
    were decided is a remark there, or a reservation."""
    boards = _boards(found)
    _tell_results(found, boards)
    played = [board for board in boards.values() if board.game]
    if folder is None:
        if played:
            said = say("audit.reservation.games_not_given", count=len(played))
            found.reservations.append(Reservation(said, RESERVED, LEDGER_ONLY))
        return []

    # What the server signed for another file of a game counts for that game, wherever it stands.
    strays = list(_strays(folder, {board.game for board in played}))
    signed = [head for _, _, heads in strays for head in heads]
    given = replace(given, receipts=[*(given.receipts or ()), *signed])

    def audited(number: int) -> _Audited:
        return _audited(found, past, folder, played[number], given)

    done: list[_Audited] = []
    with suppress(Lost), closing(each(audited, len(played), at_once(workers))) as results:
        done += results
    # What a lost process leaves is done here.
    done += map(audited, range(len(done), len(played)))
    for one in done:
        for wrong in one.wrongs:
            found.wrong(*wrong)
    for file, genesis, _ in strays:
        names = genesis.terms.get(TOURNAMENT, ())
        if type(names) is tuple and names[1:2] == (found.id,):
            is_second = any(board.game == genesis.game for board in played)
            key = "audit.note.second_file" if is_second else "audit.note.stray_game"
            found.note(say(key, file=file, game=genesis.game))
    return [one.verdict for one in done if one.verdict is not None]


# --- what the acts tell ---------------------------------------------------------------------------


def _boards(found: TournamentEvidence) -> dict[tuple[int, int], _Board]:
    boards: dict[tuple[int, int], _Board] = {}
    for seq, act in found.acts.items():
        verb = act.picks[0] if type(act.picks) is tuple and act.picks else ""
        for tag, *values in act.events:
            args = dict(zip(forms.EVENTS[tag], values, strict=True))
            if tag == "paired":
                for number, (entrants, _) in enumerate(args["boards"], start=1):
                    where = (args["round"], number)
                    boards[where] = _Board(where, entrants)
            where = (args.get("round", 0), args.get("board", 0))
            board = boards.get(where)
            if board is None:
                continue
            if tag == "sides":
                board.entrants = args["numbers"]
            elif tag == "opened":
                board.seq, board.game, board.genesis = seq, args["game"], args["genesis"]
            elif tag == "reported":
                board.report = (seq, args, act.picks)
            elif tag == "result":
                board.result = (seq, str(verb), args["manner"], args["reason"])
    return boards


def _tell_results(found: TournamentEvidence, boards: Mapping[tuple[int, int], _Board]) -> None:
    """How boards were decided that no game decides, and who had a bye."""
    names = _names(found)

    def told(board: _Board) -> dict[str, Any]:
        called = tuple(names.get(number, str(number)) for number in board.entrants)
        reason = "" if board.result is None else board.result[3]
        return {"round": board.where[0], "board": board.where[1], "names": called, "why": reason}

    by_hand = []
    for board in boards.values():
        if board.result is None:
            continue
        _, verb, manner, reason = board.result
        key = f"audit.remark.{manner}"
        if manner == "played" and verb != "report":
            by_hand.append(board)
        elif manner != "played" and verb != "report":
            found.remarks.append(say(f"{key}_because" if reason else key, **told(board)))
    if by_hand:
        where = tuple(f"{round}.{board}" for round, board in (one.where for one in by_hand))
        said = say("audit.reservation.by_hand", count=len(by_hand), boards=where)
        found.reservations.append(Reservation(said, RESERVED, ALLOW_BY_HAND))
    published: set[int] = set()
    byes: dict[int, tuple[Any, ...]] = {}
    for seq, act in found.acts.items():
        for tag, *values in act.events:
            if tag == "paired":
                byes[values[0]] = values[5]
            elif tag == "published":
                published.add(values[0])
            elif tag == "amended" and str(values[0]).startswith("packs."):
                title = str(values[0]).partition(".")[2]
                found.remarks.append(say("audit.remark.repacked", title=title, seq=seq))
            elif tag == "amended":
                path, why = str(values[0]), str(values[2])
                found.remark(say("audit.remark.amended", seq=seq, path=path, why=why))
    for round in sorted(published & byes.keys()):
        for number, kind in byes[round]:
            if kind in BYES:
                name = names.get(number, str(number))
                told_kind = say(f"tournament.bye.{kind}").as_array()
                found.remarks.append(
                    say("audit.remark.bye", round=round, name=name, kind=told_kind)
                )


def _names(found: TournamentEvidence) -> dict[int, str]:
    """The entrants' names by number."""
    return {
        values[0]: str(values[2])
        for act in found.acts.values()
        for tag, *values in act.events
        if tag == "entered"
    }


# --- a game's file --------------------------------------------------------------------------------


def _audited(
    found: TournamentEvidence,
    past: Sequence[Position],
    folder: Path,
    board: _Board,
    given: Given,
) -> _Audited:
    """Audit the game of one board: the verdict on its file, if that is there, and what
    contradicts the tournament's file."""
    path = folder / f"{board.game}.wlog"
    try:
        data = _bytes_of(path)
    except OSError as error:
        what = error.strerror or str(error)
        said = say("audit.tournament.game_file", file=path.name, what=what)
        return _Audited(None, [(board.seq, "game", said)])
    heads = [head for head in given.receipts or () if head.game == board.game] or None
    try:
        report, evidence = audit(
            data,
            key=_keys(found, board, given.keys),
            receipts=heads,
            kept=given.kept,
            rulebook=given.rulebook,
        )
    except wlog.OtherFormat as error:
        what = f"format {error.format}"
        said = say("audit.tournament.game_file", file=path.name, what=what)
        return _Audited(None, [(board.seq, "game", said)])
    remarks = [
        *_replaced(evidence),
        *_overruled(board, evidence),
        *_ruled_by_others(past, evidence),
        *_one_account(evidence),
    ]
    verdict = report.verdict.named(remarks).of_game(board.game)
    if board.rests_on_game:
        verdict = verdict.binding(UNFINISHED)
    elif board.result is not None:
        verdict = verdict.without(UNFINISHED)
    wrongs = [
        *_is_its_game(found, board, evidence),
        *_is_begun_then(found, past, board, evidence),
        *_sits_there(found, board, evidence),
    ]
    if board.report is not None:
        wrongs += _is_reported(found, board.game, *board.report, evidence)
    return _Audited(verdict, wrongs)


def _keys(found: TournamentEvidence, board: _Board, keys: tuple[bytes, ...]) -> tuple[bytes, ...]:
    """The keys that a game is checked by: those given and, once the server vouches for the
    tournament's file, those that its charter names."""
    assert found.charter is not None
    if found.given_key is None or found.vouched < board.seq:
        return keys
    named = found.charter.settings.get("servers", ())
    return tuple(dict.fromkeys((*keys, *(bytes.fromhex(one) for one in named))))


def _overruled(board: _Board, evidence: Evidence) -> Iterator[Say]:
    """That the game has ended, and how, although the board's result is not the game's."""
    if board.result is not None and not board.rests_on_game and evidence.reason is not None:
        (round, number), reason = board.where, evidence.reason.as_array()
        yield say("audit.remark.overruled", round=round, board=number, reason=reason)


def _one_account(evidence: Evidence) -> Iterator[Say]:
    """That one account sat down in every seat."""
    taken: dict[str, bodies.Taken] = {}
    for record in evidence.records:
        if record.kind == records.SEAT:
            with suppress(ValueError):  # a malformed body is a finding elsewhere
                body = bodies.read_seat(record.body)
                if isinstance(body, bodies.Taken):
                    taken[body.seat] = body
    accounts = {body.account for body in taken.values()}
    if len(taken) > 1 and len(accounts) == 1 and "" not in accounts:
        yield say("audit.remark.one_account", name=str(next(iter(taken.values())).name))


def _ruled_by_others(past: Sequence[Position], evidence: Evidence) -> Iterator[Say]:
    """Rulings by somebody who never was a director or an arbiter of the tournament. The server has
    arbiters of its own, who may rule in every game; whoever reads the verdict should know."""
    officials = {id for at in past for role, id in at.roles if role in ROLES.values()}
    for record in evidence.records:
        with suppress(ValueError):  # a malformed body is a finding elsewhere
            if record.kind == records.RULING:
                body = deskbodies.read_ruling(record.body)
                if (
                    isinstance(body, deskbodies.Ruled)
                    and records.id_of(record.actor) not in officials
                ):
                    told = {"seq": record.seq, "arbiter": records.identified(record.actor)}
                    yield say("audit.remark.ruled_by_other", **told)


def _replaced(evidence: Evidence) -> Iterator[Say]:
    """Seats that somebody else took over."""
    for record in evidence.records:
        if record.kind == records.SEAT:
            with suppress(ValueError):  # a malformed body is a finding elsewhere
                body = bodies.read_seat(record.body)
                if isinstance(body, bodies.Replaced):
                    told = {"seat": body.seat, "name": str(body.name), "seq": record.seq}
                    yield say("audit.remark.replaced", **told)


def _is_its_game(found: TournamentEvidence, board: _Board, evidence: Evidence) -> Iterator[Wrong]:
    charter, genesis = found.charter, evidence.genesis
    assert charter is not None
    if genesis is None:
        return
    game, seq, where = board.game, board.seq, board.where
    if genesis.hash != board.genesis:
        yield seq, "genesis", say("audit.tournament.other_genesis", game=game)
    names = genesis.terms.get(TOURNAMENT)
    expected = (charter.server_key, charter.tournament, charter.hash, *where)
    if type(names) is not tuple or len(names) != PLACES or not same(names[:5], expected):
        said = say("audit.tournament.not_its_game", game=game, round=where[0], board=where[1])
        yield seq, "game", said


def _is_begun_then(
    found: TournamentEvidence, past: Sequence[Position], board: _Board, evidence: Evidence
) -> Iterator[Wrong]:
    """A game names the tournament's newest record when it was begun: one from the publication of
    its round on, and before the record that names the game. Else it was played first and paired
    then. It is played as the charter and the round say there."""
    genesis = evidence.genesis
    names = () if genesis is None else genesis.terms.get(TOURNAMENT, ())
    if genesis is None or type(names) is not tuple or len(names) != PLACES:
        return
    game, seq, round = board.game, board.seq, board.where[0]
    begun = next((record.seq for record in found.records[:seq] if record.hash == names[5]), None)
    published = next(
        (
            number
            for number, act in found.acts.items()
            for tag, *values in act.events
            if tag == "published" and values[0] == round
        ),
        0,
    )
    if begun is None:
        yield seq, "game", say("audit.tournament.begun_before", game=game)
    elif begun < published:
        said = say("audit.tournament.begun_early", game=game, record=begun, round=round)
        yield seq, "game", said
    elif begun < len(past):
        for name, written, expected in _otherwise(past[begun], board, genesis, names[5]):
            told = {"game": game, "name": name, "written": written, "expected": expected}
            yield seq, "game", say("audit.tournament.other_terms", **told)


def _otherwise(
    at: Position, board: _Board, genesis: Genesis, newest: bytes
) -> Iterator[tuple[str, str, str]]:
    """What a game is played with that is not what charter and round give: the name, what is written
    and what follows."""
    one = at.round(board.where[0])
    seated = None if one is None else one.board(board.where[1])
    if one is None or seated is None:
        return
    title, options = at.played_in(one.number)
    expected: dict[str, Any] = dict(terms_of(at, one, seated, newest))
    # That it is self-play is a reservation of its own.
    written = {name: value for name, value in genesis.terms.items() if name != records.SELF_PLAY}
    if title != genesis.title:
        yield "title", shown(genesis.title), shown(title)
        return
    pack = at.charter.packs.get(title, "")
    if genesis.pack_digest.hex() != pack:
        yield "pack", shown(genesis.pack_digest.hex()), shown(pack)
    # What a later release has added to a title's options has its default.
    every = {**at.title_of(title).options, **options}
    for name, theirs, ours in _differing(genesis.options, every):
        yield f"options.{name}", theirs, ours
    for name, theirs, ours in _differing(written, expected):
        yield f"terms.{name}", theirs, ours


def _differing(
    written: Mapping[str, Any], expected: Mapping[str, Any]
) -> Iterator[tuple[str, str, str]]:
    """The names whose values differ, or which one side alone has, with both values as they are
    shown: "-" for none."""
    for name in sorted(expected.keys() | written.keys()):
        if name not in written or name not in expected:
            there = [
                shown(values[name]) if name in values else "-" for values in (written, expected)
            ]
            yield name, there[0], there[1]
        elif not same(written[name], expected[name]):
            yield name, *shown_apart(written[name], expected[name])


def _sits_there(found: TournamentEvidence, board: _Board, evidence: Evidence) -> Iterator[Wrong]:
    """Each seat was first taken by the entrant whose it is."""
    genesis = evidence.genesis
    if genesis is None or len(board.entrants) != len(genesis.seats):
        return
    entered = {
        values[0]: (str(values[1]), str(values[2]))
        for act in found.acts.values()
        for tag, *values in act.events
        if tag == "entered"
    }
    whose = dict(zip(genesis.seats, board.entrants, strict=True))
    for record in evidence.records:
        if record.kind != records.SEAT:
            continue
        with suppress(ValueError):  # a malformed body is a finding elsewhere
            body = bodies.read_seat(record.body)
            if not isinstance(body, bodies.Taken) or body.seat not in whose:
                continue
            account, name = entered.get(whose[body.seat], ("", ""))
            other = bool(body.account and account and body.account != account)
            if body.name != name or other:
                said = say(
                    "audit.tournament.other_player",
                    game=board.game,
                    seat=body.seat,
                    name=f"{body.name} ({body.account})" if other else str(body.name),
                    entrant=f"{name} ({whose[body.seat]}{f', {account}' if other else ''})",
                )
                yield board.seq, "game", said


def _is_reported(
    found: TournamentEvidence,
    game: str,
    seq: int,
    args: Mapping[str, Any],
    picks: Picks,
    evidence: Evidence,
) -> Iterator[Wrong]:
    """The report names the game's last record, and its result, and was not there before it."""
    end = next((record for record in evidence.records if record.kind == END), None)
    number, last = args["seq"], len(evidence.records) - 1
    if end is None or number != last or evidence.records[number].hash != args["hash"]:
        yield seq, "events[0].hash", say("audit.tournament.not_its_end", game=game, seq=number)
        return
    sooner_ms = evidence.records[number].at_ms - found.records[seq].at_ms
    if sooner_ms > APART_MS_MAX:
        told = {"game": game, "seconds": sooner_ms // 1000}
        yield seq, "at_ms", say("audit.tournament.reported_early", **told)
    ended = End.read(end.body)
    scores = tuple(points for _, points in ended.scores)
    result = (ended.by, ended.winner if ended.winner is not None else "-", *scores)
    if picks[6:] != result:
        written, computed = shown_apart(picks[6:], result)
        yield (
            seq,
            "picks",
            say("audit.tournament.other_result", game=game, written=written, computed=computed),
        )


Stray = tuple[str, Genesis, list[Head]]
"""A further file in the folder: its name, the genesis, and the heads in it."""


def _strays(folder: Path, named: set[str]) -> Iterator[Stray]:
    """The games in the folder that lie in no file of their own name which a board asks for."""
    for path in sorted(folder.glob("*.wlog")):
        if path.stem in named:
            continue
        with suppress(OSError, StopIteration, ValueError):  # it is no game's file
            frames = [frame for _, frame in wlog.survey(_bytes_of(path)).frames]
            first = next(frame for frame in frames if frame.kind == wlog.FRAME_RECORD)
            genesis = Genesis.from_record(records.read(first.payload))
            yield path.name, genesis, list(_heads_in(frames))


def _heads_in(frames: Iterable[wlog.Frame]) -> Iterator[Head]:
    for frame in frames:
        if frame.kind == wlog.FRAME_HEAD:
            with suppress(ValueError):  # it is none
                yield read_head(frame.payload)


def _bytes_of(path: Path) -> bytes:
    """The bytes of a file. Raises OSError, also for what is no file: reading a pipe would wait for
    ever."""
    if not path.is_file():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    return path.read_bytes()
