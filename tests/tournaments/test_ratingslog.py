"""The ratings log as a file, and the command that keeps and checks it."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve as replace
from click.testing import CliRunner

from tests.played import game_file
from warledger.clients.audit.audit import audit
from warledger.clients.audit.evidence import Evidence
from warledger.clients.audit.examine import examine
from warledger.clients.audit.report import Report
from warledger.clients.commands.figures import ratings as commands
from warledger.clients.commands.figures.ratings import ratings_command
from warledger.engine.tournaments import ratings, ratingslog
from warledger.engine.tournaments.charter import Named
from warledger.engine.tournaments.ratings import Book, Game, Period, Same
from warledger.engine.tournaments.ratingslog import BadLog
from warledger.protocol.board.choices import say
from warledger.protocol.log import records
from warledger.protocol.log.owed import EXPIRED


@pytest.fixture(autouse=True)
def rated(monkeypatch: pytest.MonkeyPatch) -> None:
    """The games say that they are rated; they are those of other tests, which say nothing."""

    def audited(data: bytes, **given: Any) -> tuple[Report, Evidence]:
        report, found = audit(data, **given)
        if found.genesis is not None:
            terms = {**found.genesis.terms, records.RATED: True, records.SELF_PLAY: False}
            found.genesis = replace(found.genesis, terms=terms)
        return report, found

    monkeypatch.setattr(commands, "audit", audited)


EXAMPLE = Path(__file__).parents[1] / "fixtures" / "example.wlog"


def log() -> bytes:
    """Two periods of three players."""
    data, book = ratingslog.begin("war_at_sea", "live"), Book()
    for month, (game, first, second, half) in enumerate(
        (("g1", "ada", "ben", 2), ("g2", "cyd", "ada", 1)), 24_310
    ):
        played = (Game(game, game.encode() * 16, ("", first), ("", second), half),)
        period, book = ratings.close(book, f"month {month}", month, played, advantage=3_000)
        data = ratingslog.append(data, period)
    return data


def test_a_log_is_read_and_computed_again() -> None:
    """Its bytes are those of its periods."""
    read = ratingslog.read(log())
    again = ratingslog.begin(read.title, read.pace)
    for period in read.periods:
        again = ratingslog.append(again, period)
    book, found = ratingslog.book(read)

    assert again == log() and found == ()
    assert set(book.ratings) == {("", "ada"), ("", "ben"), ("", "cyd")}


def test_any_flipped_byte_is_found() -> None:
    """Every byte of the file is held by its form, the chain, or the numbers computed again."""
    data = log()
    missed = []
    for at in range(len(data)):
        broken = data[:at] + bytes((data[at] ^ 1,)) + data[at + 1 :]
        try:
            read = ratingslog.read(broken)
        except BadLog:
            continue
        # The first and the last line alone can be rewritten whole: the one names what is rated,
        # the other is held by whoever keeps a copy.
        if not ratingslog.book(read)[1] and not ratingslog.continues(ratingslog.read(data), read):
            missed.append(at)

    assert missed == []


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda data: b"", "empty"),
        (lambda data: data[:-1], "was cut"),
        (lambda data: data.replace(b'"format":3', b'"format":2'), "another format"),
        (lambda data: data.replace(b"{", b"{ ", 1), "as a writer"),
        (lambda data: data + b"[]\n", "not a JSON object"),
        (lambda data: data + b"}\n", "not JSON"),
        (lambda data: b"".join(data.splitlines(True)[::2]), "does not follow"),
        (lambda data: data + b"[" * 100_000 + b"\n", "JSON"),
    ],
)
def test_a_damaged_log_is_refused(change, problem: str) -> None:  # type: ignore[no-untyped-def]
    """Naming the line."""
    with pytest.raises(BadLog, match=problem):
        ratingslog.read(change(log()))


def test_a_rewritten_log_does_not_continue_the_one_that_was_kept() -> None:
    """Even where it is sound in itself."""
    old = ratingslog.read(log())
    fresh, book = ratingslog.begin("war_at_sea", "live"), Book()
    games = (Game("g1", b"g1" * 16, ("", "ben"), ("", "ada"), 2),)
    period, _ = ratings.close(book, "month 24310", 24_310, games)
    new = ratingslog.read(ratingslog.append(fresh, period))

    assert [one.place for one in ratingslog.continues(old, new)] == ["log"]
    assert ratingslog.continues(new, old)[0].place == "line 2, month 24310"
    assert ratingslog.continues(old, old) == ()
    assert ratingslog.continues(old, ratingslog.read(ratingslog.begin("typhoon", "")))


LOOSE = ("--allow-no-head", "--chain-only")
"""The example is of a title that is not installed, and nobody gives its server's key."""
NOVEMBER = ("--name", "open", "--month", "2026-11", *LOOSE)


def title_of(path: Path) -> str:
    """The title of a file's game."""
    genesis = examine(path.read_bytes()).genesis
    assert genesis is not None
    return genesis.title


def run(*arguments: object) -> tuple[int, str]:
    """The exit code and the output of the command, in English."""
    done = CliRunner(env={"WARLEDGER_LANGUAGE": "en"}).invoke(
        ratings_command, [str(one) for one in arguments]
    )
    return done.exit_code, done.output


def test_a_log_is_kept_from_game_files(tmp_path: Path) -> None:
    """Begun, added to, shown, checked, fitted; a game is rated once."""
    file = tmp_path / "log"
    title = title_of(EXAMPLE)

    assert run("new", file, title)[0] == 0
    assert run("new", file, title)[0] == 2
    code, text = run("add", file, EXAMPLE, *NOVEMBER)
    assert (code, text) == (0, "p_a: 1662.31 ± 290.32\np_b: 1337.69 ± 290.32\n")
    kept = tmp_path / "kept"
    kept.write_bytes(file.read_bytes())
    code, text = run("add", file, EXAMPLE, "--name", "x", "--month", "2026-12", *LOOSE)
    assert code == 1 and "already rated this game" in text
    assert file.read_bytes() == kept.read_bytes()
    shown = json.loads(run("show", file, "--json")[1])
    assert [(one["player"], one["rating"], one["month"]) for one in shown] == [
        ("p_a", 166_231, "2026-11"),
        ("p_b", 133_769, "2026-11"),
    ]
    code, text = run("check", file, kept)
    assert code == 0 and text.startswith("The numbers follow: 1 period, 1 game. The games")
    assert json.loads(run("fit", file, "--json")[1])["games"] == 1
    assert "from 1 game." in run("fit", file)[1]


def test_what_is_not_rated_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another title's game, one of a player against themselves, one whose terms say so, months
    that are none."""
    file, sea = tmp_path / "log", game_file()
    run("new", file, "war_at_sea")
    before = file.read_bytes()

    for game, problem in ((EXAMPLE, "but the log rates War at Sea"), (sea, "the same player")):
        code, text = run("add", file, game, *NOVEMBER)
        assert code == 1 and problem in text
    broken = tmp_path / "broken.wlog"
    data = bytearray(EXAMPLE.read_bytes())
    data[len(data) // 2] ^= 1
    broken.write_bytes(bytes(data))
    assert "Only games that are Sound" in run("add", file, broken, *NOVEMBER)[1]
    for flag, left in (("--allow-no-head", "not decided again"), ("--chain-only", "no key")):
        code, text = run("add", file, EXAMPLE, *NOVEMBER[:4], flag)
        assert code == 1 and "Only games that are Sound" in text and left in text
    with monkeypatch.context() as patch:
        patch.setattr(commands, "audit", audit)
        assert "is not rated" in run("add", file, EXAMPLE, *NOVEMBER)[1]
    for month in ("2026-13", "2026", "26-11"):
        assert run("add", file, EXAMPLE, "--name", "x", "--month", month)[0] == 2
    assert file.read_bytes() == before


@pytest.mark.parametrize("change", ["expired", "going on"])
def test_a_game_that_was_not_played_is_not_rated(
    change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither one that lapsed nor one that still goes on."""
    report, found = commands.audit(EXAMPLE.read_bytes())
    if change == "expired":
        found.reason = say(EXPIRED)
    else:
        found.ended = False
    monkeypatch.setattr(commands, "audit", lambda data, **given: (report, found))
    file = tmp_path / "log"
    run("new", file, title_of(EXAMPLE))

    code, text = run("add", file, EXAMPLE, *NOVEMBER)
    assert code == 1 and "not played to an end" in text


def test_a_wrong_log_is_said_to_be_so(tmp_path: Path) -> None:
    """With exit code 1 and the line."""
    file = tmp_path / "log"
    file.write_bytes(log().replace(b"3000", b"3001", 1))
    code, text = run("check", file)

    assert code == 1 and "line 3: it does not follow" in text


# --- who is who -----------------------------------------------------------------------------------

ANN, ANNA, BEN, NAMED = ("x.1", "Ann"), ("x.1", "Anna"), ("x.2", "Ben"), ("", "Ann")


def played(*games: tuple[Named, Named, int], first: bytes = b"", month: int = 24_310) -> bytes:
    """A log with a period of these games behind what it had."""
    data = first or ratingslog.begin("war_at_sea", "live")
    book, found = ratingslog.book(ratingslog.read(data))
    assert found == ()
    rated = [
        Game(f"g{month}-{n}", hashlib.sha256(f"{month} {n}".encode()).digest(), one, two, half)
        for n, (one, two, half) in enumerate(games)
    ]
    period, _ = ratings.close(book, f"month {month}", month, rated)
    return ratingslog.append(data, period)


def test_players_are_known_by_id_and_else_by_name() -> None:
    """Whoever is called otherwise is the same; another id is another person, whatever its name, in
    every byte; so are names that are canonically equal, and a name that is written as an id is."""
    others = (("x.1 ", "Ann"), ("X.1", "Ann"), NAMED, ("", "x.1"), ("", "Jos\u00e9"))
    games = [(ANN, other, 2) for other in (*others, ("", "Jose\u0301"), BEN)]
    data = played((ANNA, BEN, 2), first=played(*games), month=24_311)
    book, found = ratingslog.book(ratingslog.read(data))
    assert found == () and len(book.ratings) == len(games) + 1
    assert book.of(ANN) == book.of(ANNA) and book.player(("x.1", "")) == ANNA
    assert b'[["x.1","Anna"],' in data.splitlines()[-1]
    assert len(ratings.rated(Book(), [Game("g", b"", ANN, ANNA, 2)], None)) == 0


def test_the_keeper_states_that_two_are_one() -> None:
    """An id and a name, or two ids: from there on the first stands for both, in games against
    others, and none between the two counts; the more certain rating goes on. What is written before
    stands as it was."""
    before = played((ANN, BEN, 2), (ANN, BEN, 2), (NAMED, BEN, 0))
    book, _ = ratingslog.book(ratingslog.read(before))
    data = ratingslog.append(before, Same(ANN, NAMED))
    joined, found = ratingslog.book(ratingslog.read(data))
    assert found == () and joined.of(NAMED) == joined.of(ANN) == book.of(ANN)
    assert len(joined.ratings) == len(book.ratings) - 1
    after = played((NAMED, BEN, 2), (NAMED, ANNA, 2), first=data, month=24_311)
    (period,) = ratingslog.read(after).periods[1:]
    assert len(period.games) == 1 and set(period.ratings) == {ANN, BEN}
    turned, _ = ratingslog.book(ratingslog.read(ratingslog.append(before, Same(NAMED, ANN))))
    assert turned.player(("", "Ann")) == NAMED and turned.of(NAMED) == book.of(ANN)
    chained = ratingslog.append(ratingslog.append(data, Same(BEN, ANN)), Same(("x.9", "C"), BEN))
    assert len(ratingslog.book(ratingslog.read(chained))[0].ratings) == 1


def test_a_game_that_counts_again_under_another_id_is_found() -> None:
    """Its hash is that of a game that was rated before."""
    first = Game("g1", bytes(32), ANN, BEN, 2)
    data, book = ratingslog.begin("war_at_sea", "live"), Book()
    for n, game in enumerate((first, replace(first, game="g2"))):
        period, book = ratings.close(book, f"t{n}", 24_310 + n, [game])
        data = ratingslog.append(data, period)
    _, found = ratingslog.book(ratingslog.read(data))
    assert [(one.place, one.problem) for one in found] == [
        ("period 1, t1", "game g2 has the hash of game g1: they are one")
    ]


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        *((1, month, "month is 12") for month in (-5, 10**9)),
        *((2, advantage, "no seat is worth more") for advantage in (10**7, -(10**9))),
        (3, 10**6, "no seat is worth more"),
    ],
)
def test_numbers_with_which_nothing_can_be_computed_are_refused(
    field: int, value: int, said: str
) -> None:
    """Months that cannot be, and advantages that leave no chance; also with what was given."""
    game = Game("g1", bytes(32), ANN, BEN, 2, given=2)
    period, _ = ratings.close(Book(), "t", 24_310, [game], half_unit=100)
    array = list(period.as_array())
    assert Period.from_array(tuple(array)) == period
    array[field] = value
    with pytest.raises(ValueError, match=said):
        Period.from_array(tuple(array))


def test_a_statement_that_says_nothing_new_is_found() -> None:
    """Of one player and themself, or of two who are one already, also through a third."""
    data = ratingslog.append(played((ANN, BEN, 2)), Same(ANN, NAMED))
    for same in (Same(ANN, ANNA), Same(NAMED, ANN), Same(ANN, NAMED)):
        _, found = ratingslog.book(ratingslog.read(ratingslog.append(data, same)))
        assert [one.place for one in found] == ["after period 0"]


@pytest.mark.parametrize("same", ["[]", '[["a","b"]]', '[["a","b"],["","" ]]', '["ab","cd"]', "1"])
def test_a_statement_of_another_form_is_refused(same: str) -> None:
    """Naming the line."""
    data = ratingslog.begin("war_at_sea", "live")
    previous = hashlib.sha256(data[:-1]).hexdigest()
    with pytest.raises(BadLog, match="line 2"):
        ratingslog.read(data + f'{{"previous":"{previous}","same":{same}}}\n'.encode())


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ('"g2"', '["g2"]'),
        ("3000", f"1{'0' * 400}"),
        ('"cyd"', '"\\ud800"'),
        ('"cyd"],["","ada"],1,0', f'"cyd"],["","ada"],1,1{"0" * 400}'),
    ],
)
def test_a_period_of_another_form_is_refused(was: str, now: str) -> None:
    """An id that is no text, numbers beyond all bounds, half a character: each names its line."""
    lines = log().split(b"\n")
    assert was.encode() in lines[2]
    lines[2] = lines[2].replace(was.encode(), now.encode())
    with pytest.raises(BadLog, match="line 3"):
        ratingslog.read(b"\n".join(lines))


@pytest.mark.usefixtures("rated")
def test_a_game_of_one_person_is_not_rated(tmp_path: Path) -> None:
    """Nor of two whom the keeper has stated to be one: it is refused, and the log stays as it
    was."""
    file = tmp_path / "log"
    assert run("new", file, title_of(EXAMPLE))[0] == 0
    assert run("add", file, EXAMPLE, *NOVEMBER)[0] == 0
    assert run("same", file, "p_a", "p_b")[0] == 0
    before = file.read_bytes()
    code, text = run("add", file, EXAMPLE, "--name", "x", "--month", "2026-12", *LOOSE)
    assert code == 1 and "the same player" in text and file.read_bytes() == before
    stated = ratingslog.read(before).entries[-1]
    file.write_bytes(ratingslog.append(before, stated))
    assert run("check", file)[0] == 1
    assert run("fit", file)[0] == 1


def test_statements_are_made_and_shown(tmp_path: Path) -> None:
    """By id or name; two of one name are shown apart, and one of them cannot be meant by it."""
    file = tmp_path / "log"
    file.write_bytes(played((ANN, BEN, 2), (("x.3", "Ann"), BEN, 0)))
    code, text = run("show", file)
    assert code == 0 and "Ann (x.1):" in text and "Ann (x.3):" in text and "Ben:" in text
    assert "write one of: x.1, x.3" in run("same", file, "Ann", "Ben")[1]
    assert run("same", file, "nobody", "Ben")[0] == 2
    assert run("same", file, "x.1", "x.3") == (0, "Ann and Ann are one person from here on.\n")
    assert run("same", file, "x.3", "x.1")[0] == 1
    assert "Ann:" in run("show", file)[1]
    rows = json.loads(run("show", file, "--json")[1])
    assert [(one["player"], one["id"]) for one in rows] == [("Ann", "x.1"), ("Ben", "x.2")]
    assert run("check", file)[0] == 0 and run("fit", file)[0] == 0
