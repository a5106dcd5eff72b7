"""Files of a kept tournament, its charter in words, and how a place came about."""

import csv
import json
from collections.abc import Callable
from pathlib import Path

import icalendar
import pytest
from click.testing import CliRunner

from warledger.clients.cli.tournament import tournament
from warledger.clients.commands.tournament.files import KINDS

CHARTER = """
name = "Club Evening"
title = "war_at_sea"
[[stage]]
system = "round_robin"
tiebreaks = ["direct", "sonneborn_berger", "margin", "lots"]
[sides]
by = "balance"
"""
Run = Callable[..., str]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The command, on a desk with a tournament of three after its first round."""
    folder = tmp_path_factory.mktemp("desk")
    file = folder / "charter.toml"
    file.write_text(CHARTER, encoding="utf-8")
    where = ["--data", str(folder / "data"), "--lang", "en"]

    def run(*arguments: str, code: int = 0) -> str:
        done = CliRunner().invoke(tournament, [*arguments, *where])
        assert done.exit_code == code, (arguments, done.output, done.exception)
        return done.output

    run("new", str(file), "--id", "club", "--director", "dora")
    for name in ("Ann", "Bob", "=Cyd"):
        run("enter", "club", name, "-", "1500", "--as", "d:dora")
    run("write", "club", "results.csv", "-o", str(folder / "early"), code=1)
    run("pair", "club", "--as", "d:dora")
    run("publish", "club", "--as", "d:dora")
    shown = json.loads(run("show", "club", "--json"))
    first = shown["rounds"][0]["boards"][0]["entrants"][0]
    run("result", "club", "1", "1", "win", str(first), "played", "4", "slip", "--as", "d:dora")
    return run


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_file_is_written(kind: str, run: Run, tmp_path: Path) -> None:
    """Each in its own form, with the entrants in it."""
    out = tmp_path / kind
    assert kind in run("write", "club", kind, "-o", str(out))
    text = out.read_bytes().decode()

    if kind.endswith(".json"):
        assert json.loads(text)
    elif kind.endswith(".csv"):
        rows = list(csv.reader(text.splitlines()))
        assert len(rows) >= 3 and not any(cell[:1] == "=" for row in rows for cell in row)
    elif kind.endswith(".html"):
        assert text.startswith("<!doctype html>") and "Club Evening" in text
    elif kind.endswith(".ics"):
        events = icalendar.Calendar.from_ical(text).walk("VEVENT")
        assert [str(one["UID"]) for one in events] == [
            "club-r1-round@warledger",
            "club-r1-no_show@warledger",
        ]
    else:
        assert "Club Evening: round 1" in text


def test_what_cannot_be_written_is_said(run: Run, tmp_path: Path) -> None:
    """A kind that is none, a round that is none, a place that cannot be written."""
    assert "not a kind" in run("write", "club", "standings.pdf", code=2)
    late = run("write", "club", "pairings.csv", "--round", "2", "-o", str(tmp_path / "x"), code=1)
    assert "1 published rounds" in late
    run("write", "club", "results.csv", "-o", str(tmp_path / "no" / "x"), code=1)


def test_a_field_is_entered_from_a_file(run: Run, tmp_path: Path) -> None:
    """Everybody in order, and once, however often the file is read; a file with an error enters
    nobody, a refusal names its row."""
    charter, file = tmp_path / "charter.toml", tmp_path / "field.csv"
    charter.write_text(CHARTER, encoding="utf-8")
    run("new", str(charter), "--id", "field", "--director", "dora")

    file.write_text("name,rating\nAda,high\nBen,1500\n", encoding="utf-8")
    assert "line 2: the rating is 'high'" in run("enter-all", "field", str(file), code=1)
    file.write_text("Name;Rating;Groups\nAda;1700;club a|club b\nBen;;\n", encoding="utf-8-sig")
    director = ("--as", "d:dora")
    assert "2 entrants have been entered." in run("enter-all", "field", str(file), *director)
    shown = json.loads(run("show", "field", "--json"))
    assert shown["entrants"] == 2
    run("pair", "field", *director)
    run("publish", "field", *director)
    out = tmp_path / "entrants.csv"
    run("write", "field", "entrants.csv", "-o", str(out))
    assert "1,Ada,1700,club a;club b" in out.read_text(encoding="utf-8")
    again = run("enter-all", "field", str(file), *director)
    assert "0 entrants have been entered." in again
    # Somebody else may have entered under such a name.
    assert "Not entered" in again and "Ada and Ben" in again
    file.write_text("name\nBen\nAda\nAda\n", encoding="utf-8")
    assert "3, Ada" in run("enter-all", "field", str(file), "--as", "e:99", code=1)
    file.write_bytes(b"name\n\xff\n")
    assert "UTF-8" in run("enter-all", "field", str(file), code=1)


def test_a_place_is_explained(run: Run) -> None:
    """With the parts of each tie-break; somebody unknown with who there is."""
    data = json.loads(run("standings", "club", "--json"))
    text = run("explain", "club", data[0]["name"])

    assert f"{data[0]['name']}: place 1 with 2 points." in text
    assert "Sonneborn-Berger: 0" in text and "sum of margins: 2" in text
    assert "there are: 1 " in run("explain", "club", "Zoe", code=1)


def test_standings_show_direct_encounters_as_points(run: Run) -> None:
    """Not as anybody's number."""
    data = json.loads(run("standings", "club", "--json"))

    # Who won and who was free are equal and have not met, so that their game is missing; the third
    # is equal with nobody.
    assert [one["tiebreaks"]["direct"] for one in data] == ["(0)", "(0)", ""]


def test_the_charter_is_said_in_words(run: Run) -> None:
    """As entrants read it."""
    text = run("charter", "club")

    assert "Club Evening: a tournament of War at Sea." in text
    assert "direct encounter, Sonneborn-Berger, sum of margins and lots" in text
