"""The desk: a tournament in a store, the errands that open its games and take their results, and
what is left when the server is killed anywhere."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

import pytest
import trio
from attrs import evolve as replace
from click.testing import CliRunner

from tests.tournaments.desk import KEY, PUBLIC, charter_of
from tests.verdicts import findings_of, is_clean, remarks_of, reservations_of
from warledger.clients.audit.audit import installed
from warledger.clients.audit.report import Report
from warledger.clients.audit.tournamentreplay import audit_tournament
from warledger.clients.cli.tournament import tournament as command
from warledger.clients.commands.tournament.lines import result_words
from warledger.clients.commands.tournament.simulation import BotHall
from warledger.engine.desk import tournament as tournaments
from warledger.engine.desk.director import Director, Ended, Match
from warledger.engine.desk.matching import MatchingFailed
from warledger.engine.desk.titled import titled
from warledger.engine.desk.tournament import WAITING_MAX, Tournament, begin, load
from warledger.engine.runtime.game.answers import Done, Failed
from warledger.engine.store.port import Frame
from warledger.engine.testing.fakeambient import SeededAmbient
from warledger.engine.testing.memory import MemoryStore
from warledger.engine.tournaments import rated, trf
from warledger.engine.tournaments.crosstable import Result
from warledger.engine.tournaments.systems import OPEN_ENDED, rounds_left
from warledger.engine.tournaments.tournamentposition import Titled
from warledger.protocol.board.choices import Choices
from warledger.protocol.lang import phrases
from warledger.protocol.log.chain import Signer, sign_head
from warledger.protocol.texts.phrases import LANGUAGES


class Killed(BaseException):
    """The process is gone."""


class Mortal(MemoryStore):
    """A store whose process is killed at an append: before it is durable, or just after."""

    def __init__(self) -> None:
        super().__init__()
        self.dies_at, self.count, self.late = -1, 0, False

    async def append(self, game: str, expected_records: int, frames: Sequence[Frame]) -> None:
        self.count += 1
        dies = self.count == self.dies_at
        if dies and not self.late:
            raise Killed
        await super().append(game, expected_records, frames)
        if dies:
            raise Killed


class Games:
    """Games elsewhere: each is made once, and over at once. `tripped` kills after a game is
    made."""

    def __init__(self) -> None:
        self.made: dict[str, Match] = {}
        self.tries = 0
        self.dies_at = -1

    async def opened(self, match: Match) -> bytes | None:
        """Make it, unless it is there."""
        self.tries += 1
        self.made.setdefault(match.game, match)
        if self.tries == self.dies_at:
            raise Killed
        return hashlib.sha256(match.game.encode()).digest()

    async def ended(self, game: str) -> Ended | None:
        """One of the seats wins by a unit."""
        hash = hashlib.sha256(f"end of {game}".encode()).digest()
        head = sign_head(KEY, game, 90, hash)
        winner, scores = ("allied", (2, 0)) if hash[0] % 3 else ("axis", (0, 2))
        return Ended(90, hash, head.signature, "rules", winner, scores)


SIGNER = Signer(KEY)


async def started(
    store: MemoryStore, entrants: int, seed: int = 1, doc: Mapping[str, Any] | None = None
) -> Tournament:
    """A tournament with entrants and a director."""
    charter = charter_of(doc)
    made = await begin(store, SeededAmbient(seed), SIGNER, charter, "cup", titled, bytes(32))
    await did(made, "server", "grant", "director", "dora", "Dora")
    for number in range(1, entrants + 1):
        await did(made, f"e:{number}", "enter", f"P{number}", f"acc{number}", 0)
    return made


async def did(made: Tournament, who: str, *picks: str | int) -> None:
    """An act that is not refused."""
    answer = await made.submit(who, picks, seen=made.ledger.last.hash)
    assert isinstance(answer, Done), answer


async def test_errands_open_games_and_take_their_results() -> None:
    """One round of errands for the games, one for the results; a third has nothing to do."""
    store, hall = MemoryStore(), Games()
    made = await started(store, 4)
    await did(made, "d:dora", "pair")
    assert await Director(made, hall).tend(0) == [] and not hall.made
    await did(made, "d:dora", "publish")
    assert await Director(made, hall).tend(0) == []
    assert sorted(hall.made) == ["cup-r1-b1", "cup-r1-b2"]
    match = hall.made["cup-r1-b2"]
    named = match.terms["tournament"]
    assert named[:5] == (PUBLIC, "cup", made.at.founding.hash, 1, 2)
    await Director(made, hall).tend(0)
    assert made.at.rounds[0].over and hall.tries == 2
    before = made.at.seq
    await Director(made, hall).tend(0)
    assert made.at.seq == before


@pytest.mark.parametrize(
    ("ratings", "is_rated"),
    [({}, True), ({"rated": False}, False), ({"rated": True, "handicap": True}, True)],
)
async def test_a_board_says_whether_it_is_rated_and_how_late_it_is_seen(
    ratings: dict[str, bool], is_rated: bool
) -> None:
    """As the charter says; a board of somebody without an account is not rated."""
    hall = Games()
    doc = {"ratings": ratings, "spectators": {"delay_s": 300, "delay_turns": 2}}
    made = await started(MemoryStore(), 2, doc=doc)
    await did(made, "d:dora", "pair")
    await did(made, "d:dora", "publish")
    await Director(made, hall).tend(0)
    (match,) = hall.made.values()
    assert match.terms["delay"] == (300, 2) and match.terms["rated"] is is_rated
    (board,) = made.at.rounds[0].boards
    nobody = {number: replace(one, account="") for number, one in made.at.entrants.items()}
    assert not rated.may_count(replace(made.at, entrants=nobody), board)
    assert rated.may_count(made.at, board) is is_rated


async def _play(
    store: Mortal, hall: Games, seed: int, deaths: int, doc: Mapping[str, Any] | None = None
) -> Tournament:
    """Play all rounds; the process is killed `deaths` times, and starts again from its store."""
    chance = random.Random(seed)
    made = await started(store, 4, seed, doc)
    for _ in range(500):
        if deaths and store.dies_at < store.count and hall.dies_at < hall.tries:
            deaths -= 1
            store.late = chance.random() < 0.5
            store.dies_at = store.count + chance.randint(1, 6)
            hall.dies_at = hall.tries + chance.randint(1, 4)
        try:
            if await _step(made, hall):
                return made
        except (Killed, BaseExceptionGroup) as dead:
            if isinstance(dead, BaseExceptionGroup):
                left = dead.split(Killed)[1]
                assert left is None, left
            made = await load(store, SeededAmbient(seed), SIGNER, "cup", titled)
    raise AssertionError(f"seed {seed}: the tournament never ends")


async def _step(made: Tournament, hall: Games) -> bool:
    """The next thing that a director does. True once the tournament is over."""
    at = made.at
    if at.finished:
        return True
    if at.last is not None and not at.last.published:
        await did(made, "d:dora", "publish")
    elif at.last is None or at.last.over:
        left = rounds_left(at)
        open_ended = left == OPEN_ENDED and len(at.rounds) < 3
        last = at.stage + 1 == len(at.charter.stages)
        after = "finish" if last else "advance"
        await did(made, "d:dora", "pair" if left > 0 or open_ended else after)
    else:
        for board in at.last.boards:
            if board.seated or board.verdict is not None:
                continue
            for number in board.entrants:
                await _bids(made, number)
        assert await Director(made, hall).tend(0) == []
    return False


async def _bids(made: Tournament, number: int) -> None:
    """What an entrant may say about their side: both want the Axis, and the first offer is
    accepted."""
    for picks in (("bid", "axis", number), ("wish", "axis"), ("accept",), ("offer", 1)):
        found = made.choices(f"e:{number}", picks)
        if isinstance(found, Choices) and found.complete:
            await did(made, f"e:{number}", *picks)
            return


BID = {"by": "bid", "bid": {"price": "own", "step": 1, "most": 20, "minutes": 10}}
KILLED: dict[str, dict[str, Any]] = {
    "all play all": {},
    "knock-out by auction": {
        "stage": [{"system": "knockout", "tie": "higher"}],
        "sides": {"by": "auction"},
    },
    "double elimination with bids": {
        "stage": [{"system": "double_elimination", "tie": "higher"}],
        "sides": BID,
    },
    "groups, then three games": {
        "stage": [
            {"system": "groups", "group_size": 3, "tiebreaks": ["lots"], "advance": {"most": 1}},
            {"system": "knockout", "seeds": "standings", "best_of": 3},
        ]
    },
    "both games": {
        "stage": [{"system": "record", "rounds": 2, "tiebreaks": ["lots"]}],
        "sides": {"by": "both"},
    },
    "a ladder": {"stage": [{"system": "ladder", "tiebreaks": ["shared"]}], "sides": BID},
}


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", KILLED)
async def test_killed_anywhere_nothing_is_lost_and_nothing_is_twice(name: str, seed: int) -> None:
    """Between a pairing and its record, a round and its games, a game's end and its report: each
    board has one game, each game one report, and the file is sound."""
    await _killed(name, seed)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 117))
@pytest.mark.parametrize("name", KILLED)
async def test_killed_anywhere_in_a_hundred_tournaments(name: str, seed: int) -> None:
    """The same, many times."""
    await _killed(name, seed)


async def _killed(name: str, seed: int) -> None:
    store, hall = Mortal(), Games()
    made = await _play(store, hall, seed, deaths=8, doc=KILLED[name])
    boards = [board for one in made.at.rounds for board in one.boards]
    assert sorted(board.game for board in boards) == sorted(hall.made), seed
    assert all(board.proof is not None and board.verdict is not None for board in boards)
    for one in made.at.rounds:
        sitting = [number for board in one.boards for number in board.entrants]
        assert len(set(sitting)) == len(sitting), seed
    data = await made.export()
    report = audit_tournament(data, key=PUBLIC, rulebook=installed())
    assert findings_of(report) == () and report.verdict.level == 2, (seed, findings_of(report))


async def test_a_thousand_acts_at_once_are_taken_and_the_next_are_told_to_wait() -> None:
    """As many as may wait are carried out in order; what comes beyond them has not happened."""
    made = await started(MemoryStore(), 2)
    answers: list[object] = []

    async def announce(n: int) -> None:
        answers.append(await made.submit("server", ("announce", f"word {n}")))

    async with trio.open_nursery() as nursery:
        for n in range(WAITING_MAX + 5):
            nursery.start_soon(announce, n)
    busy = [one for one in answers if isinstance(one, Failed)]
    assert len(busy) == 5 and {one.code for one in busy} == {"busy"}
    assert sum(isinstance(one, Done) for one in answers) == WAITING_MAX


async def test_a_matcher_that_is_killed_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The director is told why, and pairs again."""

    class Dead:
        def __enter__(self) -> Dead:
            raise MatchingFailed("the process that pairs was ended")

        def __exit__(self, *_: object) -> None:
            raise AssertionError

    stage = [{"system": "dutch", "rounds": 1, "tiebreaks": ["lots"]}]
    charter = charter_of(stage=stage)
    store = MemoryStore()
    made = await begin(store, SeededAmbient(1), SIGNER, charter, "cup", titled, bytes(32))
    await did(made, "server", "grant", "director", "dora", "Dora")
    for number in (1, 2):
        await did(made, f"e:{number}", "enter", f"P{number}", f"acc{number}", 0)
    monkeypatch.setattr(tournaments, "MatchingProcess", Dead)
    before = made.at
    answer = await made.submit("d:dora", ("pair",), seen=made.ledger.last.hash)
    assert isinstance(answer, Failed) and "ended" in str(answer.say.args)
    assert made.at is before


async def test_a_closed_store_takes_nothing() -> None:
    """What could not be made durable has not happened."""
    store = MemoryStore()
    made = await started(store, 2)
    await store.aclose()
    before = made.at
    answer = await made.submit("d:dora", ("announce", "Hello"))
    assert isinstance(answer, Failed) and answer.code == "stopping" and made.at is before


# --- the games behind the results -----------------------------------------------------------------


async def _with_games(folder: Path, hall: type[BotHall] = BotHall) -> bytes:
    """Three play all, with games between bots whose files lie in the folder."""
    made = await started(MemoryStore(), 3)
    director = Director(made, hall(folder, KEY, "random", 1))
    while not made.at.finished:
        if made.at.last is None or made.at.last.over:
            await did(made, "d:dora", "pair" if len(made.at.rounds) < 3 else "finish")
            if not made.at.finished:
                await did(made, "d:dora", "publish")
        else:
            assert await director.tend(0) == []
    return await made.export()


def _audited(data: bytes, folder: Path) -> Report:
    return audit_tournament(data, key=PUBLIC, rulebook=installed(), games=folder)


async def test_games_are_those_that_were_reported(tmp_path: Path) -> None:
    """Sound with its games; exchanged, missing, of another server or with another result, the
    record that names the game is named."""
    data = await _with_games(tmp_path)
    report = _audited(data, tmp_path)
    assert (findings_of(report), report.verdict.games) == ((), 3)
    one, other = tmp_path / "cup-r1-b1.wlog", tmp_path / "cup-r2-b1.wlog"
    good = one.read_bytes()
    one.write_bytes(other.read_bytes())
    report = _audited(data, tmp_path)
    keys = {finding.said.key for finding in findings_of(report)}
    assert "audit.tournament.not_its_game" in keys and "audit.tournament.other_genesis" in keys
    one.unlink()
    report = _audited(data, tmp_path)
    assert report.verdict.games == 2
    assert [finding.said.key for finding in findings_of(report)] == ["audit.tournament.game_file"]
    one.write_bytes(good[:-80] + good[-79:])
    report = _audited(data, tmp_path)
    damaged = findings_of(report)[0]
    assert (damaged.game, damaged.field) == ("cup-r1-b1", "head.signature")


class _Early(BotHall):
    """Games that name the charter as the tournament's newest record: they were there before anybody
    was paired."""

    async def opened(self, match: Match) -> bytes | None:
        names = match.terms["tournament"]
        return await super().opened(
            replace(match, terms={**match.terms, "tournament": (*names[:5], names[2], names[6])})
        )


class _Another(BotHall):
    """A host who reports the loser as the winner, under the signed head of the game."""

    async def ended(self, game: str) -> Ended | None:
        told = await super().ended(game)
        assert told is not None
        return replace(told, winner="axis" if told.winner == "allied" else "allied")


def test_results_are_told_in_words_in_every_language() -> None:
    """Each result that a board can end with, and how it came about where it was not played."""
    for language in LANGUAGES:
        for manner in ("played", "forfeit", "adjudicated"):
            said = result_words(phrases(language), get_args(Result), manner)
            assert "_" not in said and "⟨" not in said and "web." not in said, said
    assert result_words(phrases("en"), ("close_win", "close_loss"), "played") == (
        "close win : close loss"
    )


@pytest.mark.parametrize(
    ("hall", "key", "field"), [(_Early, "begun_early", "game"), (_Another, "other_result", "picks")]
)
async def test_a_host_with_games_of_their_own_is_named(
    tmp_path: Path, hall: type[BotHall], key: str, field: str
) -> None:
    """Games that are older than their pairing, and results that the games do not have, at both
    levels."""
    data = await _with_games(tmp_path, hall)
    for rulebook in (None, installed()):
        report = audit_tournament(data, key=PUBLIC, rulebook=rulebook, games=tmp_path)
        found = [one for one in findings_of(report) if one.said.key == f"audit.tournament.{key}"]
        assert (report.verdict.games, len(found), {one.field for one in found}) == (3, 3, {field})
        if key == "other_result":
            for one in found:
                told = phrases("en").say(one.said)
                assert "game cup-r" in told and "'axis'" in told and "'allied'" in told


async def test_a_release_with_another_pack_is_told_before_a_game_is_opened(tmp_path: Path) -> None:
    """The charter names the pack of its title. A server with another one writes so into the ledger
    before it opens a game, once, and the audit names it; games of either pack are the charter's."""

    def newer(title: str) -> Titled:
        return replace(titled(title), pack=bytes(32))

    made = await started(MemoryStore(), 2)
    assert made.at.charter.packs == {"war_at_sea": titled("war_at_sea").pack.hex()}
    made.ledger.position = replace(made.at, title_of=newer)
    director = Director(made, BotHall(tmp_path, KEY, "random", 1))
    await did(made, "d:dora", "pair")
    await did(made, "d:dora", "publish")
    assert await director.tend(0) == [] and await director.tend(0) == []
    assert made.at.charter.packs == {"war_at_sea": bytes(32).hex()}
    report = _audited(await made.export(), tmp_path)
    assert "audit.remark.repacked" in [one.key for one in remarks_of(report)]
    wrong = [dict(one.said.args)["name"] for one in findings_of(report)]
    assert wrong == ["pack"]  # the bots still play with the one that is installed


# --- the command line -----------------------------------------------------------------------------

CHARTER = """
name = "Club Evening"
title = "war_at_sea"
[[stage]]
system = "round_robin"
tiebreaks = ["direct", "lots"]
"""


def test_a_director_runs_a_tournament_from_the_command_line(tmp_path: Path) -> None:
    """New, entries, a round paired and published, results, standings, the file and its audit; an
    act that is not complete says what may follow, a refused one why."""
    file = tmp_path / "charter.toml"
    file.write_text(CHARTER, encoding="utf-8")
    runner = CliRunner()
    where = ["--data", str(tmp_path / "desk"), "--lang", "en"]

    def run(*args: str, code: int = 0) -> str:
        done = runner.invoke(command, [*args, *where])
        assert done.exit_code == code, (args, done.output, done.exception)
        return done.output

    assert "Club Evening" in run("new", str(file), "--id", "club", "--director", "dora")
    for name in ("Ann", "Bob"):
        run("enter", "club", name, "-", "1500", "--as", "d:dora")
    assert "not on offer" in run("act", "club", "withdraw", "9", "--as", "d:dora", code=1)
    run("pair", "club", "--as", "d:dora")
    assert "not published" in run("show", "club")
    run("publish", "club", "--as", "d:dora")
    asked = run("result", "club", "1", "1", "--as", "d:dora", code=1)
    assert "win" in asked and "forfeit" in asked
    run("result", "club", "1", "1", "win", "2", "played", "4", "slip signed", "--as", "d:dora")
    shown = run("show", "club")
    # Lots say who has which side.
    orders = "1 Ann (Allies) – Bob (Axis)  loss : win", "1 Bob (Allies) – Ann (Axis)  win : loss"
    assert shown.splitlines()[-1].strip() in orders
    assert run("standings", "club").split()[1] == "Bob"
    assert "stage[1].rounds" in run("pair", "club", "--as", "d:dora", code=1)
    run("finish", "club", "--as", "d:dora")
    assert '"finished"' in run("list", "--json")
    out = tmp_path / "club.wlog"
    run("export", "club", "-o", str(out))
    public = bytes.fromhex((tmp_path / "desk" / "server.pub").read_text().strip())
    report = audit_tournament(out.read_bytes(), key=public, rulebook=installed())
    # Nobody who was entered by hand has committed to a nonce, and the result came on paper.
    names = [one.name for one in reservations_of(report)]
    assert names == ["lots_of_desk", "by_hand"] and is_clean(report)
    assert "there is no tournament" in run("show", "other", code=1)


SIMULATED = {
    "mini-cup": "",
    "pbem-double-elimination": "",
    "ladder": "",
    "wbc-swiss": "",
    "round-robin": "",
    "fide-swiss": "[[stage]]\nrounds = 3",
}


@pytest.mark.parametrize(
    "preset",
    [
        name if name == "pbem-double-elimination" else pytest.param(name, marks=pytest.mark.long)
        for name in SIMULATED
    ],
)
def test_each_preset_is_simulated_with_bots_to_a_sound_audit(preset: str, tmp_path: Path) -> None:
    """With games that are played, and audited behind their reports: also where an end is held for
    protests."""
    file = tmp_path / "charter.toml"
    text = f'name = "Cup"\ntitle = "war_at_sea"\npreset = "{preset}"\n{SIMULATED[preset]}'
    file.write_text(text, encoding="utf-8")
    # After four rounds each of ten still has five whom they have not met, which is enough for a
    # fifth whatever the lots were; six can be left with two groups of three that have all met.
    few = {"pbem-double-elimination": "3", "wbc-swiss": "10"}.get(preset, "6")
    done = CliRunner().invoke(command, ["simulate", str(file), "--players", few, "--bot", "random"])
    assert done.exit_code == 0 and "Sound" in done.output, (done.output, done.exception)


def test_a_stage_becomes_a_report(tmp_path: Path) -> None:
    """A Dutch tournament's report reads back with the same entrants, in both editions."""
    file = tmp_path / "charter.toml"
    stage = CHARTER.replace('"round_robin"', '"dutch"\nrounds = 2')
    file.write_text(stage, encoding="utf-8")
    where = ["--data", str(tmp_path / "desk"), "--lang", "en"]

    def run(*args: str) -> None:
        done = CliRunner().invoke(command, [*args, *where])
        assert done.exit_code == 0, (args, done.output, done.exception)

    run("new", str(file), "--id", "cup")
    for name, rating in (("Ann", "1800"), ("Bob", "1700"), ("Cid", "0"), ("Dan", "1500")):
        run("enter", "cup", name, "-", rating)
    run("pair", "cup")
    run("publish", "cup")
    run("result", "cup", "1", "1", "draw", "played", "agreed")
    run("result", "cup", "1", "2", "forfeit", "3", "never came")
    for form in ("trf16", "trf26"):
        out = tmp_path / f"cup.{form}"
        run("export", "cup", "-o", str(out), "--form", form)
        table = trf.read(out.read_bytes()).table
        assert [one.name for one in table.entrants] == ["Ann", "Bob", "Dan", "Cid"]
        manners = sorted(line.manner for line in table.rounds[0].values())
        assert manners == ["forfeit", "forfeit", "played", "played"]


def test_a_charter_with_mistakes_is_told_what_to_write(tmp_path: Path) -> None:
    """Each finding with its place and what to write."""
    file = tmp_path / "charter.toml"
    file.write_text(CHARTER + "best_of = 3", encoding="utf-8")
    done = CliRunner().invoke(command, ["check", str(file), "--lang", "en"])
    assert done.exit_code == 1 and "best_of" in done.output
    swiss = CHARTER.replace('"round_robin"', '"record"\nrounds = 7')
    file.write_text(swiss, encoding="utf-8")
    args = ["check", str(file), "--lang", "en", "--players", "6"]
    done = CliRunner().invoke(command, args)
    assert done.exit_code == 0 and "round 6 cannot be paired" in done.output
    file.write_text("name = ", encoding="utf-8")
    done = CliRunner().invoke(command, ["check", str(file)])
    assert done.exit_code == 1 and "charter.toml" in done.output


def test_the_charter_on_the_directors_page_is_a_charter(tmp_path: Path) -> None:
    """What docs/tournaments.md shows can be announced as it stands."""
    page = (Path(__file__).resolve().parents[2] / "docs" / "tournaments.md").read_text("utf-8")
    file = tmp_path / "charter.toml"
    file.write_text(page.split("```toml\n")[1].split("```")[0], encoding="utf-8")
    done = CliRunner().invoke(command, ["check", str(file), "--lang", "en"])
    assert done.exit_code == 0, done.output


def test_the_director_is_who_acts_where_nobody_is_named(tmp_path: Path) -> None:
    """Whatever their name; where there are two, who acts must be said. A pick that is not on offer
    is answered with those that are."""
    run = CliRunner()
    charter = tmp_path / "cup.toml"
    charter.write_text(
        'name = "Cup"\ntitle = "war_at_sea"\n[[stage]]\nsystem = "round_robin"\n'
        '[sides]\nby = "balance"\n'
    )
    data = ["--data", str(tmp_path / "desk")]
    made = run.invoke(command, ["new", str(charter), "--id", "cup", "--director", "dora", *data])
    assert made.exit_code == 0, made.output
    for name in ("Anna", "Bert", "Carl"):
        entered = run.invoke(command, ["enter", "cup", name, "-", "1500", *data])
        assert entered.exit_code == 0, entered.output
    wrong = run.invoke(command, ["withdraw", "cup", "99", *data])
    assert wrong.exit_code == 1 and "1, 2, 3" in wrong.output
    granted = run.invoke(command, ["act", "cup", "grant", "director", "emil", *data])
    assert granted.exit_code == 0, granted.output
    several = run.invoke(command, ["withdraw", "cup", "1", *data])
    assert several.exit_code == 1 and "d:dora, d:emil" in several.output
