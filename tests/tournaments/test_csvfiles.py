"""CSV and JSON of a tournament."""

import csv
import json
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tournaments.bench import read_trf, table_of
from warledger.engine.tournaments import csvfiles, shapes
from warledger.engine.tournaments.crosstable import Crosstable, Entrant, Line
from warledger.engine.tournaments.csvfiles import Entered
from warledger.engine.tournaments.standings import standings
from warledger.engine.tournaments.tiebreaks import Terms
from warledger.protocol.board.findings import ERROR
from warledger.protocol.texts.typed import composed


def rows(text: str) -> list[list[str]]:
    return list(csv.reader(text.splitlines()))


def test_entrants_are_read() -> None:
    """With any of the usual delimiters, a byte order mark, and columns in any order."""
    text = "\ufeffRating;Name;Groups;Account\r\n1800;Ada Byron;club a|family b;ada\r\n;Ben;;\r\n"
    made, found = csvfiles.read_entrants(text)

    assert found == ()
    assert made == (Entered("Ada Byron", 1800, ("club a", "family b"), "ada"), Entered("Ben"))


@pytest.mark.parametrize(
    ("text", "place", "problem"),
    [
        ("", "line 1", "no line of headings"),
        ("rating\n1\n", "line 1", 'no column "name"'),
        ("name,rating,rating\nAda,1,1\n", "line 1", "stands twice"),
        ("name,rating\nAda,high\n", "line 2", "the rating is 'high'"),
        ("name,rating\nAda,99999\n", "line 2", "the rating is '99999'"),
        ("name,number\nAda,-1\n", "line 2", "the number is '-1'"),
        ("name\n" + "x" * 65 + "\n", "line 2", "the name is"),
        ("name,rating\nAda,1,2\n", "line 2", "more cells"),
        ('name\n"Ada\n', "line 2", "unexpected end"),
        ("name,account\nAda,a\nBen,a\n", "entrants", "account a stands twice"),
    ],
)
def test_mistakes_in_a_file_are_named_by_line(text: str, place: str, problem: str) -> None:
    """Each with what is wrong."""
    _, found = csvfiles.read_entrants(text)

    assert any(
        one.place == place and problem in one.problem for one in found if one.severity == ERROR
    )


def test_doubtful_things_are_warned_of() -> None:
    """Columns that are not read and people of the same name do not keep a file out."""
    made, found = csvfiles.read_entrants("name,elo\nAda,1\nAda,2\n")

    assert len(made) == 2
    assert [one.problem for one in found] == ["column 'elo' is not read", "Ada stands twice"]


PRINTED = st.characters(codec="utf-8", categories=("L", "N", "P", "S"))


@settings(max_examples=40)
@given(
    st.lists(
        st.tuples(
            st.text(
                st.characters(codec="utf-8", categories=("L", "N", "P", "S")),
                min_size=1,
                max_size=12,
            ),
            st.integers(0, 4000),
        ),
        max_size=5,
    )
)
def test_entrants_survive_a_round_trip(field: list[tuple[str, int]]) -> None:
    """Whatever their names look like, formulas too; nothing in a file begins one."""
    table = tuple(Entrant(n, name, rating) for n, (name, rating) in enumerate(field, 1))
    text = csvfiles.entrants(table)
    made, found = csvfiles.read_entrants(text)

    assert [one for one in found if one.severity == ERROR] == []
    assert [(one.number, one.name, one.rating) for one in made] == [
        (one.number, composed(one.name), one.rating) for one in table
    ]
    assert not any(cell[:1] in ("=", "+", "-", "@") for row in rows(text) for cell in row)


def test_pairings_and_results() -> None:
    """Boards in their order with entrants by seat, then byes; results with margins in units."""
    rounds = (
        {
            1: Line("played", 2, "win", (4,), 1, 7, 2),
            2: Line("played", 1, "draw", (3,), 0, 0, 1),
            3: Line("played", 1, "draw", (2,), 1, 0, 1),
            4: Line("played", 0, "loss", (1,), 0, -7, 2),
            5: Line("pairing_bye", 2),
        },
    )
    table = Crosstable(tuple(Entrant(n, f"P{n}") for n in range(1, 6)), rounds)

    assert rows(csvfiles.pairings(table, 1, ("allies", "axis"))) == [
        ["board", "allies", "", "axis", ""],
        ["1", "2", "P2", "3", "P3"],
        ["2", "4", "P4", "1", "P1"],
        ["pairing_bye", "5", "P5"],
    ]
    margins = [row[8] for row in rows(csvfiles.results(table))]
    assert margins == ["margin", "3.5", "0", "0", "-3.5", ""]
    data = json.loads(json.dumps(shapes.pairings(table, 1)))
    assert data["boards"] == [{"board": 1, "entrants": [2, 3]}, {"board": 2, "entrants": [4, 1]}]
    assert data["unpaired"] == [{"number": 5, "manner": "pairing_bye"}]


def test_standings_as_csv_and_json() -> None:
    """The same exact values, in JSON with their parts."""
    table = read_trf("tie_breaks.trf")
    names = ["buchholz:cut1", "sos_mean", "direct", "shared"]
    made = standings(table, names, Terms())
    text = rows(csvfiles.standings(made, names, table))
    data = json.loads(json.dumps(shapes.standings(made, names)))

    assert text[0] == ["place", "number", "name", "points", *names]
    for row, one in zip(text[1:], data["standings"], strict=True):
        assert row[:2] == [str(one["place"]), str(one["number"])]
        assert Fraction(row[4]) == Fraction(*one["values"][0]["value"])
        parts = one["values"][0]["parts"]
        assert sum(Fraction(*part["value"]) for part in parts) == Fraction(row[4])
        assert Fraction(row[5]) == Fraction(*one["values"][1]["value"])
        assert one["values"][3] is None and row[7] == ""
    bare = shapes.standings(made, names, explained=False)
    assert set(bare["standings"][0]["values"][0]) == {"value"}


def test_a_crosstable_as_json() -> None:
    """Every round of every entrant."""
    data = shapes.crosstable(table_of({1: "2w1 0-H", 2: "1b0 0-Z"}, planned=5))

    assert data["planned"] == 5
    assert [one["points"] for one in data["entrants"]] == [3, 0]
    assert data["entrants"][0]["rounds"][0]["opponents"] == [2]
    assert data["entrants"][1]["rounds"][1]["manner"] == "zero_bye"
