"""The verdict on a tournament and its games: whatever is wrong or missing in any of them is told,
and no flag for the one allows anything of the other."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable
from functools import cache, partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import trio
from attrs import evolve as replace

from tests.tournaments.desk import KEY, PUBLIC
from tests.tournaments.test_desk import did, started
from tests.toys import counting
from tests.verdicts import findings_of, notes_of, remarks_of, reservations_of
from warledger.clients.audit import tournamentgames
from warledger.clients.audit.audit import audit, installed
from warledger.clients.audit.redecide import first_difference, parted
from warledger.clients.audit.report import Report
from warledger.clients.audit.tournament import examine_tournament
from warledger.clients.audit.tournamentreplay import audit_tournament
from warledger.clients.audit.verdict import (
    FLAGS,
    GAME_FLAGS,
    LEDGER_FLAGS,
    RESERVED,
    SOUND,
    UNSOUND,
    UNVOUCHED,
    Finding,
    Reservation,
    Verdict,
    compose,
)
from warledger.clients.bots.selfplay import Field
from warledger.clients.commands.tournament.simulation import BotHall
from warledger.engine.desk import soundness
from warledger.engine.desk.director import Director, Match
from warledger.engine.testing import randomgames
from warledger.engine.testing.memory import MemoryStore
from warledger.engine.testing.randomgames import arbiter, begin
from warledger.protocol import canon
from warledger.protocol import tournaments as forms
from warledger.protocol.board.choices import say
from warledger.protocol.lang import phrases
from warledger.protocol.log import bodies, chain, deskbodies, records, wlog
from warledger.protocol.log.chain import sign_head
from warledger.protocol.texts.phrases import LANGUAGES

ALLOWED = ("allow-self-play", "allow-desk-lots")
"""Its games are played by bots of this program, and nobody commits to a nonce."""


async def _played(folder: Path, hall: type[BotHall]) -> bytes:
    made = await started(MemoryStore(), 2)
    director = Director(made, hall(folder, KEY, "random", 1))
    await did(made, "d:dora", "pair")
    await did(made, "d:dora", "publish")
    while not made.at.last.over:
        assert await director.tend(0) == []
    await did(made, "d:dora", "finish")
    return await made.export()


def cup(folder: Path, hall: type[BotHall] = BotHall) -> bytes:
    """A tournament of one game, whose file lies in the folder."""
    return trio.run(partial(_played, folder, hall))


@cache
def honest() -> tuple[bytes, bytes]:
    """A tournament, and the file of its game."""
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        data = cup(Path(name))
        return data, (Path(name) / "cup-r1-b1.wlog").read_bytes()


def audited(data: bytes, games: Path | None, **more: Any) -> Report:
    """The audit at both levels, with the server's key."""
    return audit_tournament(data, key=PUBLIC, rulebook=installed(), games=games, **more)


def names(report: Report) -> set[str]:
    """The names of its reservations."""
    return {one.name for one in reservations_of(report)}


def told(report: Report) -> set[str]:
    """The keys of its findings."""
    return {one.said.key for one in findings_of(report)}


def with_game(folder: Path, data: bytes) -> Path:
    """A folder with this as the file of the game."""
    (folder / "cup-r1-b1.wlog").write_bytes(data)
    return folder


# --- composing ------------------------------------------------------------------------------------


def _verdict(*codes: tuple[int, str]) -> Verdict:
    found = tuple(Reservation(say("audit.reservation.running", last=1), *one) for one in codes)
    return Verdict(level=2, reservations=found)


def test_nothing_is_lost_when_verdicts_are_composed() -> None:
    """Findings and reservations of every game stand in the whole, with the game they are about; the
    level is the least and the code the worst, in any order."""
    wrong = Verdict(level=1, findings=(Finding(3, "actor", say("audit.no_records")),))
    parts = {
        "a": _verdict(),
        "b": _verdict((RESERVED, "so-far")),
        "c": _verdict((UNVOUCHED, "allow-no-head")),
        "d": wrong,
    }
    for count in range(len(parts) + 1):
        for some in itertools.permutations(parts, count):
            whole = compose(_verdict(), [parts[name].of_game(name) for name in some])
            data = whole.as_data(phrases("en"))
            listed = [*data["findings"], *data["reservations"]]
            assert sorted(one["game"] for one in listed) == sorted(set(some) - {"a"})
            assert whole.level == (1 if "d" in some else 2) and whole.games == count
            codes = {"a": SOUND, "b": RESERVED, "c": UNVOUCHED}
            worst = max((codes.get(name, SOUND) for name in some), default=SOUND)
            assert whole.code() == (UNSOUND if "d" in some else worst)


@pytest.mark.parametrize("flag", FLAGS)
def test_flags_for_a_ledger_allow_nothing_of_a_game(flag: str) -> None:
    """And flags for games are those of all games, and of the tournament's own file."""
    one = _verdict((RESERVED, flag))
    assert one.code() == RESERVED and one.code((flag,)) == SOUND
    whole = compose(_verdict(), [one.of_game("g")])
    assert whole.code((flag,)) == (RESERVED if flag in LEDGER_FLAGS else SOUND)
    assert whole.code(set(FLAGS) - {flag}) == RESERVED


def test_counts_are_never_capped() -> None:
    """The words tell the first few of a thousand findings and how many there are in how many games;
    the data has all. So it is with reservations of hundreds of games, in twelve lines."""
    games = [
        Verdict(
            findings=tuple(Finding(n, "actor", say("audit.no_records")) for n in range(10))
        ).of_game(f"g{k}")
        for k in range(100)
    ]
    whole = compose(Verdict(of_tournament=True), games)
    lines = list(whole.lines(phrases("en")))
    assert len(lines) <= 12 and any("1000 findings, some in 100 games" in line for line in lines)
    assert len(whole.as_data(phrases("en"))["findings"]) == 1000
    running = compose(
        Verdict(of_tournament=True),
        [_verdict((RESERVED, "so-far")).of_game(f"g{k}") for k in range(224)],
    )
    lines = list(running.lines(phrases("en")))
    assert len(lines) <= 12 and any("224 games" in line for line in lines)


# --- a tournament and its game --------------------------------------------------------------------


def test_an_honest_tournament_is_told_in_few_words(tmp_path: Path) -> None:
    """Sound but for its games being self-play, which a flag allows; at most twelve lines in every
    language."""
    data, game = honest()
    report = audited(data, with_game(tmp_path, game))
    assert findings_of(report) == () and names(report) == {"self_play", "lots_of_desk"}
    assert report.code() == RESERVED and report.code(ALLOWED) == SOUND
    assert report.verdict.level == 2 and report.verdict.games == 1
    for language in LANGUAGES:
        lines = list(report.lines(phrases(language), ALLOWED))
        assert len(lines) <= 12 and not any("⟨" in line or "[audit" in line for line in lines)


def test_games_that_are_not_given_are_a_reservation() -> None:
    """Nothing is said of them, which only --ledger-only allows."""
    report = audited(honest()[0], None)
    assert names(report) == {"games_not_given", "lots_of_desk"} and report.code() == RESERVED
    assert (
        report.code(GAME_FLAGS) == RESERVED
        and report.code(("ledger-only", "allow-desk-lots")) == SOUND
    )


def _frames(data: bytes, drop: Iterable[int] = (), add: Iterable[wlog.Frame] = ()) -> bytes:
    kept = [frame for frame in wlog.parse(data).frames if frame.kind not in set(drop)]
    return wlog.encode([*kept, *add], sealed=True)


def test_a_game_without_any_head_is_not_vouched_for(tmp_path: Path) -> None:
    """A game that nobody's signature closes is unvouched... but for self-play, which nobody vouches
    for anyway; its own ledger without a head is."""
    data, game = honest()
    bare = _frames(data, drop=(wlog.FRAME_HEAD,))
    report = audited(bare, with_game(tmp_path, game))
    assert report.code(ALLOWED) == UNVOUCHED and "no_head" in names(report)


def test_a_receipt_that_contradicts_a_game_is_a_finding(tmp_path: Path) -> None:
    """Receipts count for each game, by its id; those of other games change nothing."""
    data, game = honest()
    folder = with_game(tmp_path, game)
    theirs = sign_head(KEY, "cup-r1-b1", 5, bytes(32))
    report = audited(data, folder, receipts=[theirs])
    assert report.code(FLAGS) == UNSOUND
    assert ("cup-r1-b1", 5) in [(one.game, one.seq) for one in findings_of(report)]
    other = sign_head(KEY, "another", 5, bytes(32))
    assert audited(data, folder, receipts=[other]).code(ALLOWED) == SOUND


def test_heads_and_receipts_beyond_the_last_record_are_findings(tmp_path: Path) -> None:
    """Of a ledger that ends too early as of a game: whoever rewrites a finished tournament and
    leaves the honest head in place is found out."""
    data, game = honest()
    folder = with_game(tmp_path, game)
    log = wlog.parse(data).records
    honest_head = sign_head(KEY, "cup", len(log) - 1, records.hash_of(log[-1]))
    shorter = [wlog.Frame(wlog.FRAME_RECORD, payload) for payload in log[:-1]]
    head = wlog.Frame(wlog.FRAME_HEAD, canon.pack(honest_head.as_array()))
    for report in (
        audited(wlog.encode([*shorter, head], sealed=True), folder),
        audited(wlog.encode(shorter, sealed=True), folder, receipts=[honest_head]),
    ):
        assert "audit.head_beyond" in told(report) and report.code(FLAGS) == UNSOUND


@pytest.mark.parametrize("number", [-1000, -1, True, "1"])
def test_a_head_of_any_form_is_a_finding_and_no_traceback(number: Any) -> None:
    """In a ledger, as in a game: a record below 0, a number that is none, a signature that is a
    number."""
    data = honest()[0]
    for head in (("cup", number, bytes(32), bytes(64)), ("cup", 1, bytes(32), 7)):
        frame = wlog.Frame(wlog.FRAME_HEAD, canon.pack(head))
        report = audited(_frames(data, add=(frame,)), None)
        assert report.code(FLAGS) == UNSOUND


class _Options(BotHall):
    """Plays with other options than the charter's."""

    async def opened(self, match: Match) -> bytes | None:
        switches = Field.of(match.title).rules.switches
        one = next(one for one in switches if len(one.choices) > 1)
        other = next(value for value in one.choices if value != one.default)
        return await super().opened(replace(match, options={**match.options, one.name: other}))


class _Pack(BotHall):
    """Plays with a pack of the host's own: a gunnery of 9."""

    async def opened(self, match: Match) -> bytes | None:
        field = Field.of(match.title)
        pack = {**canon.unpack(field.pack_bytes), "zz": 9}
        packed = canon.pack(canon.ordered(pack))
        self._fields[match.title] = replace(field, pack=pack, pack_bytes=packed)
        return await super().opened(match)


class _Terms(BotHall):
    """Adds a term that the charter does not give."""

    async def opened(self, match: Match) -> bytes | None:
        terms = canon.ordered({**match.terms, "protest_ms": 60_000})
        return await super().opened(replace(match, terms=terms))


class _Rated(BotHall):
    """Says that the game is not rated, or is."""

    async def opened(self, match: Match) -> bytes | None:
        terms = {**match.terms, "rated": not match.terms["rated"]}
        return await super().opened(replace(match, terms=terms))


class _Numbers(BotHall):
    """Gives the seats to the entrants the other way round."""

    async def opened(self, match: Match) -> bytes | None:
        names = match.terms["tournament"]
        turned = (*names[:6], names[6][::-1])
        return await super().opened(replace(match, terms={**match.terms, "tournament": turned}))


class _Accomplice(BotHall):
    """Lets somebody else sit down in an entrant's seat."""

    async def opened(self, match: Match) -> bytes | None:
        (seat, number, account, _), *others = match.players
        players = ((seat, number, account, "Somebody Strong"), *others)
        return await super().opened(replace(match, players=players))


@pytest.mark.parametrize(
    ("hall", "key", "name"),
    [
        (_Options, "other_terms", "options."),
        (_Pack, "other_terms", "pack"),
        (_Terms, "other_terms", "terms.protest_ms"),
        (_Rated, "other_terms", "terms.rated"),
        (_Numbers, "other_terms", "terms.tournament"),
        (_Accomplice, "other_player", ""),
    ],
)
def test_a_game_that_is_not_the_charters_is_named(
    hall: type[BotHall], key: str, name: str, tmp_path: Path
) -> None:
    """Options, pack, terms, entrants and who sits there follow from the charter and the round."""
    try:
        data = cup(tmp_path, hall)
    except* Exception:
        pytest.skip("the title refuses it by itself")
    report = audited(data, tmp_path)
    found = [one for one in findings_of(report) if one.said.key == f"audit.tournament.{key}"]
    assert found and report.code(FLAGS) == UNSOUND
    assert any(str(dict(one.said.args).get("name", "")).startswith(name) for one in found)


def test_a_made_up_end_of_a_game_is_a_finding(tmp_path: Path) -> None:
    """The ledger reports what the file says, and the file says what does not follow."""
    data, game = honest()
    log = list(chain.follow(wlog.parse(game).records))
    end = next(record for record in log if record.kind == records.END)
    winner = "allied" if end.body[0] == "axis" else "axis"
    body = (winner, *end.body[1:])
    made = log[: end.seq]
    made.append(records.make(end.seq, end.at_ms, end.actor, end.kind, body, made[-1].hash))
    for record in log[end.seq + 1 :]:
        made.append(
            records.make(
                record.seq, record.at_ms, record.actor, record.kind, record.body, made[-1].hash
            )
        )
    head = sign_head(KEY, "cup-r1-b1", made[-1].seq, made[-1].hash)
    frames = [wlog.Frame(wlog.FRAME_RECORD, record.data) for record in made]
    frames.append(wlog.Frame(wlog.FRAME_HEAD, canon.pack(head.as_array())))
    report = audited(data, with_game(tmp_path, wlog.encode(frames, sealed=True)))
    assert report.code(FLAGS) == UNSOUND
    assert {one.game for one in findings_of(report)} == {"", "cup-r1-b1"}


def test_stray_files_are_noted(tmp_path: Path) -> None:
    """A second file of a board's game, which was not looked at."""
    data, game = honest()
    folder = with_game(tmp_path, game)
    (folder / "copy.wlog").write_bytes(game)
    (folder / "noise.wlog").write_bytes(b"noise")
    report = audited(data, folder)
    assert [one.key for one in notes_of(report)] == ["audit.note.second_file"]
    assert report.code(ALLOWED) == SOUND


# --- how boards were decided ----------------------------------------------------------------------


async def _by_hand(*picks: str | int) -> bytes:
    made = await started(MemoryStore(), 3)
    await did(made, "d:dora", "pair")
    await did(made, "d:dora", "publish")
    await did(made, "d:dora", "result", 1, 1, *picks)
    return await made.export()


@pytest.mark.parametrize(
    ("picks", "remark"),
    [
        (("win", 1, "played", 4, "on paper"), ""),
        (("win", 1, "adjudicated", 4, "time was over"), "adjudicated_because"),
        (("both", "nobody came"), "forfeit_because"),
    ],
)
def test_results_without_a_game_are_told(picks: tuple[str | int, ...], remark: str) -> None:
    """Played on paper it is a reservation; a forfeit or an adjudication is a remark with the names
    and the reason, and the verdict's line counts it. So it does with byes."""
    report = audited(trio.run(partial(_by_hand, *picks)), None)
    assert ("by_hand" in names(report)) is (not remark)
    keys = [one.key.removeprefix("audit.remark.") for one in remarks_of(report)]
    assert keys.count("bye") == 1 and (not remark or keys.count(remark) == 1)
    line = phrases("en").say(report.verdict.meaning(FLAGS))
    assert "1 bye" in line and ("forfeit" in line) is ("forfeit" in remark)
    if remark:
        told_all = [phrases("en").say(one) for one in remarks_of(report)]
        assert any(str(picks[-1]) in one and "board 1" in one for one in told_all)


# --- what a server rates --------------------------------------------------------------------------


def _soundness(data: bytes, game: bytes) -> soundness.Soundness:
    return soundness.audited("cup", data, [("cup-r1-b1", game)], [PUBLIC])


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda data, game: (data, game[:-100]), "cup-r1-b1"),
        (lambda data, game: (data, game), "cup-r1-b1"),
        (lambda data, game: (data[:-100], game), "cup"),
    ],
)
def test_a_server_rates_nothing_that_is_not_sound(
    change: Callable[[bytes, bytes], tuple[bytes, bytes]], why: str
) -> None:
    """A damaged game, self-play, a damaged ledger: the reason is given, and no game counts. The
    audit runs in a process of its own."""
    found = _soundness(*change(*honest()))
    assert found.sound == frozenset() and why in found.why


# --- what an outsider tried -----------------------------------------------------------------------


def _again(data: bytes, seq: int, body: tuple[Any, ...], game: str) -> bytes:
    """A game's file with another body in a record, chained and signed anew by the host."""
    made: list[records.Record] = []
    for record in chain.follow(wlog.parse(data).records):
        told = body if record.seq == seq else record.body
        before = made[-1].hash if made else bytes(32)
        made.append(records.make(record.seq, record.at_ms, record.actor, record.kind, told, before))
    head = sign_head(KEY, game, made[-1].seq, made[-1].hash)
    frames = [wlog.Frame(wlog.FRAME_RECORD, record.data) for record in made]
    frames.append(wlog.Frame(wlog.FRAME_HEAD, canon.pack(head.as_array())))
    return wlog.encode(frames, sealed=True)


def test_true_in_the_place_of_1_is_a_finding_and_no_traceback() -> None:
    """In packed effects, which the rules wrote as a number, the place is told, at any depth; in an
    event of a ledger it is a finding."""
    one, other = (canon.pack((("track", "turn", value),)) for value in (1, True))
    for kind, place in bodies.EFFECTS_PLACES.items():
        before = (0,) * place
        assert first_difference(kind, (*before, one), (*before, other)) == ((place, 0, 2), 1, True)
    assert parted((1, (0, "a")), (1, (False, "a"))) == ((1, 0), 0, False)
    data = honest()[0]
    made: list[records.Record] = []
    for record in chain.follow(wlog.parse(data).records, kinds=forms.KINDS):
        body = record.body
        if record.kind == forms.ACT and body[5] and body[5][0][0] == "published":
            body, seq = (*body[:5], (("published", True), *body[5][1:]), *body[6:]), record.seq
        before_it = made[-1].hash if made else bytes(32)
        made.append(
            records.make(record.seq, record.at_ms, record.actor, record.kind, body, before_it)
        )
    frames = [wlog.Frame(wlog.FRAME_RECORD, record.data) for record in made]
    report = audited(wlog.encode(frames, sealed=True), None)
    assert seq in [one.seq for one in findings_of(report)]


def test_two_histories_of_a_game_in_one_folder_are_found(tmp_path: Path) -> None:
    """What the server signed in a second file counts like a receipt; a pipe is no file, and nobody
    waits for it."""
    data, game = honest()
    folder = with_game(tmp_path, game)
    log = list(chain.follow(wlog.parse(game).records))
    other = _again(game, len(log) - 1, (*log[-1].body[:-1], not log[-1].body[-1]), "cup-r1-b1")
    (folder / "other.wlog").write_bytes(other)
    os.mkfifo(folder / "pipe.wlog")
    report = audited(data, folder)
    assert "audit.fork" in told(report) and report.code(FLAGS) == UNSOUND


class _Nil(BotHall):
    """Adds a term that is nil."""

    async def opened(self, match: Match) -> bytes | None:
        terms = canon.ordered({**match.terms, "zzz": None})
        return await super().opened(replace(match, terms=terms))


def test_a_term_that_is_nil_is_one_too_many_even_without_the_rules(tmp_path: Path) -> None:
    """`--chain-only` says nothing of the rules; what the charter gives is no matter of these."""
    data = cup(tmp_path, _Nil)
    for rulebook in (None, installed()):
        report = audit_tournament(data, key=PUBLIC, rulebook=rulebook, games=tmp_path)
        assert "audit.tournament.other_terms" in told(report)


async def _overruled(folder: Path) -> bytes:
    made = await started(MemoryStore(), 2)
    director = Director(made, BotHall(folder, KEY, "random", 1))
    await did(made, "d:dora", "pair")
    await did(made, "d:dora", "publish")
    await director.tend(0)
    await did(made, "d:dora", "correct", 1, 1, "win", 1, "adjudicated", 40, "slip")
    return await made.export()


def test_a_result_over_a_game_that_has_ended_is_told(tmp_path: Path) -> None:
    """The verdict's line says how the game ended, whatever the director wrote."""
    data = trio.run(partial(_overruled, tmp_path))
    report = audited(data, tmp_path)
    assert "audit.remark.overruled" in [one.key for one in remarks_of(report)]
    assert "its game has ended" in phrases("en").say(report.verdict.meaning(FLAGS))


def test_a_report_that_was_there_before_its_game_was_over_is_a_finding(tmp_path: Path) -> None:
    """The same server signs both, so the times of its records must agree."""
    data, game = honest()
    _, of_game = audit(game)
    found = examine_tournament(data)
    seq, act = next((seq, act) for seq, act in found.acts.items() if act.events[0][0] == "reported")
    args = dict(zip(forms.EVENTS["reported"], act.events[0][1:], strict=True))
    given = (found, "cup-r1-b1", seq, args, act.picks)
    assert list(tournamentgames._is_reported(*given, of_game)) == []
    last = of_game.records[-1]
    for later_ms, wrong in ((60_000, []), (61_000, ["audit.tournament.reported_early"])):
        of_game.records[-1] = replace(last, at_ms=found.records[seq].at_ms + later_ms)
        told = [one[2].key for one in tournamentgames._is_reported(*given, of_game)]
        assert told == wrong


def test_a_ruling_by_somebody_who_is_no_official_is_told() -> None:
    """The server's own arbiters may rule in a game of a tournament; whoever reads the verdict knows
    that it was none of the tournament's."""
    played = begin(counting.RULES, counting.PACK, options={"turns": 10})
    ann, bob = arbiter("Ann"), arbiter("Bob")
    for n, who in enumerate((ann, bob), start=1):
        seq = played.records[-1].seq
        played.commit(played.note(who, deskbodies.Claim(n, "", seq, "9.2", "Look.")))
        played.commit(played.note(who, deskbodies.Heard(n)))
        played.commit(played.rule(who, n, ("stand",)))
    _, evidence = audit(played.file())
    official = SimpleNamespace(roles={("arbiter", ann[0]): "Ann", ("caster", bob[0]): "Bob"})
    told = list(tournamentgames._ruled_by_others([official], evidence))
    assert [dict(one.args)["arbiter"] for one in told] == ["Bob (id.Bob)"]


def test_one_account_in_every_seat_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Entries may have no account, so a host's own could sit on both sides of a board."""
    for names, expected in ((("Ann", "Bob"), []), (("Ann", "Ann"), ["audit.remark.one_account"])):
        called = iter(names)
        monkeypatch.setattr(randomgames, "arbiter", lambda _, called=called: arbiter(next(called)))
        _, evidence = audit(begin(counting.RULES, counting.PACK).file())
        assert [one.key for one in tournamentgames._one_account(evidence)] == expected
