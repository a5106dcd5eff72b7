"""Tournament report files."""

import random
from pathlib import Path

import pytest

from tests.tournaments.fields import tournament
from tests.tournaments.matchers import rustworkx_matcher
from warledger.engine.desk.matching import matched
from warledger.engine.tournaments import trf
from warledger.engine.tournaments.crosstable import Crosstable, Entrant, Line
from warledger.engine.tournaments.swiss.dutch import dutch
from warledger.engine.tournaments.swiss.playercards import Scale, card

FOLDER = Path(__file__).parents[1] / "fixtures" / "pairings"


def player(number: int, head: str, points: str, rounds: str) -> str:
    """A player's line with its parts in their columns; `head` begins at column 10."""
    return f"{f'001 {number:4} {head}':80}{points:>4}    1{rounds}"


SAMPLE = "\r\n".join(
    (
        "012 Prüfung",
        "XYZ what nobody knows",
        "XXR 5",
        player(
            1,
            f"m GM {'Müller, Jörg':33} 2500 GER {123456:11} 1970/01/02",
            "4.0",
            "     2 w 1     3 b =     4 w +  0000 - F  0000 - H",
        ),
        player(
            2,
            f"w    {'李, 明':33} 2400",
            "1.0",
            "     1 b 0  0000 - U            0000 - Z     3 - -",
        ),
        player(3, "     Smith", "2.5", "     4 b 1     1 w =  0000 - Z     4 w L     2 - +"),
        player(
            4,
            "     Jones                             1500",
            "1.0",
            "     3 w 0  0000 - Z     1 b -     3 b W",
        ),
    )
)


def test_a_file_keeps_its_bytes() -> None:
    """Names, titles, line ends, unknown lines, another encoding: what is read is written."""
    for data in (
        SAMPLE.encode(),
        SAMPLE.encode().replace(b"Smith", b"Sm\xff\xfeh"),
        "012 Caf\xe9\n".encode("latin-1"),
        b"",
        *(path.read_bytes() for path in FOLDER.glob("*.trf")),
    ):
        assert trf.read(data).data() == data


def test_results_byes_and_forfeits_are_read() -> None:
    """Each code of the format."""
    report = trf.read(SAMPLE.encode())
    table = report.table
    assert [one.name for one in table.entrants] == ["Müller, Jörg", "李, 明", "Smith", "Jones"]
    assert [one.rating for one in table.entrants] == [2500, 2400, 0, 1500]
    assert (table.planned, len(table.rounds), report.unit) == (5, 5, 5)
    assert table.of(1) == (
        Line("played", 2, "win", (2,), 0),
        Line("played", 1, "draw", (3,), 1),
        Line("forfeit", 2, "win", (4,), 0),
        Line("full_bye", 2),
        Line("half_bye", 1),
    )
    assert table.of(2) == (
        Line("played", 0, "loss", (1,), 1),
        Line("pairing_bye", 2),
        Line("absent"),
        Line("zero_bye"),
        Line("forfeit", 0, "loss", (3,), None),
    )
    assert table.of(3)[3] == Line("played", 0, "loss", (4,), 0)
    assert table.of(4)[3:] == (Line("played", 2, "win", (3,), 1), Line("absent"))


@pytest.mark.parametrize("form", [16, 26])
@pytest.mark.parametrize("seed", range(4))
def test_our_own_tournaments_are_read_back_equal(seed: int, form: trf.Form) -> None:
    """Rounds, boards, points, byes, absences, settings, in both editions; and the next round is
    paired from the file as from the table."""
    count = random.Random(seed).randint(6, 60)

    def pair(table: Crosstable, present: list[int]):  # type: ignore[no-untyped-def]
        return dutch(table, present, rustworkx_matcher, initial=1)

    for table, present, paired in tournament(seed, count, 6, pair, away=0.1):
        away = {one.number for one in table.entrants} - set(present)
        data = trf.compose(table, form=form, initial=1, absent=away, forbidden=[(1, 2)])
        report = trf.read(data)
        assert report.table == table, f"seed {seed}"
        assert (report.form, report.initial, report.absent) == (form, 1, away)
        assert report.forbidden == ((1, 2),) and report.scale == Scale()
        again = dutch(report.table, report.present, rustworkx_matcher, initial=report.initial)
        assert again == paired


def test_what_the_format_cannot_hold_stands_in_lines_that_others_skip() -> None:
    """Close wins, margins, tables of three, clubs; a plain reader sees results and names."""
    people = (Entrant(1, "A", 0, ("Club X", "family")), Entrant(2, "B"), Entrant(3, "C"))
    rounds = (
        {
            1: Line("adjudicated", 8, "close_win", (2,), 1, 3, 1),
            2: Line("adjudicated", 2, "close_loss", (1,), 0, -3, 1),
            3: Line("absent", 5),
        },
        {
            1: Line("played", 10, "win", (2, 3), 0, 4, 1),
            2: Line("played", 0, "loss", (1, 3), 1, -2, 1),
            3: Line("played", 0, "loss", (1, 2), 2, -2, 1),
        },
        {1: Line("pending", 0, None, (2,), 0, 0, 1), 2: Line("pending", 0, None, (1,), 1, 0, 1)}
        | {3: Line("zero_bye")},
    )
    table = Crosstable(people, rounds, 4)
    heading = trf.Heading({"012": "Open"}, (("title", "war_at_sea"), ("handicap", "1 3 axis 2")))
    for form in (16, 26):
        data = trf.compose(
            table, heading=heading, form=form, unit=1, scale=Scale(10, 0), titles={1: "GM"}
        )
        assert trf.read(data).table == table
        text = data.decode()
        assert "### warledger note title war_at_sea\n" in text
        plain = "\n".join(line for line in text.split("\n") if not line.startswith("###"))
        lines = trf.read(plain.encode()).table.of(1)
        assert [one.result for one in lines] == ["win", "win", None]
        assert " GM A " in text


def test_new_rounds_go_into_a_file_and_all_else_stays() -> None:
    """Only points and rounds of the players' lines change."""
    before = trf.read(SAMPLE.encode())
    lines = {
        1: Line("played", 2, "win", (2,), 1, 5, 1),
        2: Line("played", 0, "loss", (1,), 0, -5, 1),
        3: Line("zero_bye"),
        4: Line("half_bye", 1),
    }
    table = Crosstable(before.table.entrants, (*before.table.rounds, lines), 5)
    after = trf.with_rounds(before, table)
    assert after.table == table
    for old, new in zip(before.lines, after.lines, strict=False):
        assert old.rstrip("\r\n")[:80] == new.rstrip("\r\n")[:80]
    assert after.lines[1] == before.lines[1]
    assert after.lines[3][80:84] == " 5.0" and before.lines[3][80:84] == " 4.0"
    with pytest.raises(trf.TrfError, match="other entrants"):
        trf.with_rounds(before, Crosstable((Entrant(9, "x"),)))


def test_points_by_javafo_and_by_trf26() -> None:
    """XXS and 162 say what results are worth."""
    players = "001    1      A" + " " * 65 + " 3.0    1     2 w 1\n"
    players += "001    2      B" + " " * 65 + " 1.0    2     1 b 0\n"
    for head in ("XXS W=3 D=1\nXXS WL=1 BL=1\n", "162 W 3.0  D 1.0  L 1.0\n"):
        report = trf.read((head + players).encode())
        assert [report.table.points(n) * report.unit for n in (1, 2)] == [30, 10]
        assert report.scale == Scale(6, 2)


def test_absences_and_bans_of_both_editions() -> None:
    """XXZ and 240 for the coming round, XXP and 260 for pairs."""
    players = "".join(f"001 {n:4}      P{n}\n" for n in range(1, 6))
    old = trf.read((players + "XXZ 2 3\nXXP 1 4 5\nXXC black1\n").encode())
    new = trf.read((players + "240 H 001    2    3\n260 001 003    1    4    5\n152 B\n").encode())
    later = trf.read((players + "240 Z 002    2\n260 002 003    1    4\n").encode())
    for report in (old, new):
        assert report.absent == {2, 3} and report.initial == 1
        assert report.forbidden == ((1, 4), (1, 5), (4, 5))
    assert later.absent == set() and (old.form, new.form) == (16, 26)


PLAYERS = "".join(f"001 {n:4}      P{n}\n" for n in range(1, 9))


@pytest.mark.parametrize(
    "line",
    [
        "XXA    1  1.0  0.5\nXXA    2  1.0  0.5",
        "250 00.0 01.0 001 001 0001 0002\n250      00.5 002 002 0001 0002",
    ],
)
def test_accelerated_rounds_are_read_written_and_paired(line: str) -> None:
    """Virtual points of each round; the file keeps its bytes; the round is paired by them, and a
    later one sees floats as they were then."""
    report = trf.read((PLAYERS + "152 W\n" + line + "\n").encode())
    assert report.virtual == {1: (2, 1), 2: (2, 1)}
    assert report.data().decode().endswith(line + "\n")
    for form in (16, 26):
        again = trf.read(trf.compose(report.table, form=form, virtual=report.virtual))  # type: ignore[arg-type]
        assert (again.virtual, again.table) == (report.virtual, report.table)
    who = report.present
    plain = dutch(report.table, who, matched, initial=0)
    made = dutch(report.table, who, matched, initial=0, virtual=report.virtual)
    assert {frozenset(pair) for pair in plain.boards} == {
        frozenset((n, n + 4)) for n in (1, 2, 3, 4)
    }
    assert frozenset((1, 2)) in {frozenset(pair) for pair in made.boards}


def test_floats_are_those_of_the_accelerated_round() -> None:
    """Somebody with virtual points who met somebody without had a downfloat."""
    rounds = ({1: Line("played", 2, "win", (2,), 0), 2: Line("played", 0, "loss", (1,), 1)},)
    table = Crosstable((Entrant(1, "A"), Entrant(2, "B")), rounds, 5)
    assert card(table, 1, Scale()).floats == ("", "")
    fast = {1: (2, 2)}
    assert card(table, 1, Scale(), fast).floats == ("down", "")
    assert card(table, 2, Scale(), fast).floats == ("up", "")
    assert (card(table, 1, Scale(), fast).score, card(table, 2, Scale(), fast).score) == (4, 0)


def test_ranks_may_be_the_numbers_by_which_a_round_is_paired() -> None:
    """XXC rank: the same round as of a file in which the ranks are the numbers; each player needs
    one of their own."""
    ranks = {1: 3, 2: 1, 3: 4, 4: 2}
    lines = [f"{f'001 {n:4}      P{n}':85}{rank:4}" for n, rank in ranks.items()]
    report = trf.read("\n".join(["XXC rank black1", "XXP 1 2", *lines]).encode())
    assert report.ranked == ranks and report.initial == 1
    ranked = report.by_rank()
    assert [one.name for one in ranked.table.entrants] == ["P2", "P4", "P1", "P3"]
    assert ranked.forbidden == ((3, 1),) and report.table.entrants[0].name == "P1"
    made = dutch(ranked.table, ranked.present, matched, initial=1, forbidden=ranked.forbidden)
    assert {frozenset(pair) for pair in made.boards} == {frozenset((1, 4)), frozenset((2, 3))}
    assert trf.read(PLAYERS.encode()).by_rank().ranked == {}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("001    x", "line 1: 001 cannot be read"),
        ("012 a\n001    1\n001    1", "line 3: player 1 has two lines"),
        ("001    1" + " " * 83 + "   2 w 7", "line 1: '7' is not a result"),
        ("001    1" + " " * 83 + "   2 w 1", "player 1 met 2, who has no line"),
        ("XXC rank\n001    1", "needs a rank of their own"),
        ("XXA    1  x.0", "line 1: XXA cannot be read"),
        ("250 01.0 1 2", "line 1: 250 cannot be read"),
        ("### warledger boards 3 1 2", "a line of Warledger's cannot be read"),
        ("### warledger rounds 4000000000", "line 1: 4000000000 rounds are more than 999"),
        ("XXR many", "line 1: XXR cannot be read"),
    ],
)
def test_a_file_that_cannot_be_read_says_where(text: str, says: str) -> None:
    """The line, and what is wrong with it."""
    with pytest.raises(trf.TrfError, match=says.replace("(", r"\(")):
        trf.read(text.encode())
