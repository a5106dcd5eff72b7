"""The pages of clauses are true: no clause of a rule book is without code and a test that hold it,
and no option or ruling is left untold."""

import ast
import importlib
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ops.coverage import guide, mutate
from ops.coverage.__main__ import decides, main, page, pages, shown
from ops.coverage.sources import (
    LIST,
    LISTED,
    ROOT,
    TITLES,
    Citation,
    citations,
    clauses,
    code_citations,
    is_ruling,
    pattern_for,
)
from warledger.engine.games import NAMES, rules_of
from warledger.engine.kernel.rulings import offered


def test_every_title_has_its_pages() -> None:
    """A title that can be played is told of."""
    assert set(TITLES) == set(NAMES)


@pytest.mark.parametrize("title", TITLES)
def test_every_clause_is_cited_by_code_and_test(title: str) -> None:
    """Each clause and ruling of the rule book is cited by the code that carries it out and by a
    test."""
    assert page(title)[1] == []


@pytest.mark.parametrize("title", LISTED)
def test_the_pages_are_up_to_date(title: str) -> None:
    """docs/coverage and docs/rules hold what `python -m ops.coverage` would write now."""
    for file, text in pages(title):
        assert file.read_text(encoding="utf-8") == text, f"{file.name}: run python -m ops.coverage"


@pytest.mark.parametrize("title", TITLES)
def test_the_guide_tells_every_option_and_ruling(title: str) -> None:
    """A line for each option with its values and its clause, and one for each ruling and clause."""
    text = guide.guide_file(title).read_text(encoding="utf-8")
    options = {match[1]: match[0] for match in re.finditer(r"(?m)^\| `(\w+)` \|.*$", text)}
    assert list(options) == [switch.name for switch in offered(rules_of(title).switches)]
    for switch in offered(rules_of(title).switches):
        assert f"| {switch.rule} |" in options[switch.name]
        for value in switch.choices:
            assert f"`{str(value).lower()}`" in options[switch.name]
    rows = re.findall(r"(?m)^\| ([^|`]+) \|", text)
    assert [number for number in clauses(title) if number not in rows] == []


@pytest.mark.parametrize("title", TITLES)
def test_every_ruling_says_what_it_reads(title: str) -> None:
    """A ruling is a sentence, and names clauses of the rule book."""
    known = clauses(title)
    for number, words in known.items():
        if is_ruling(number):
            told = re.fullmatch(r"(.+[.\"]) \[(.+)\]", words)
            assert told, f"{number}: end it with the clauses that it reads, in brackets"
            for clause in told[2].split(", "):
                listed = any(one.startswith(clause) or clause.startswith(one) for one in known)
                assert listed, f"{number} reads {clause}, which is no clause"


def test_the_rulings_of_a_series_and_its_game_are_listed_and_cited() -> None:
    """Each ruling that the code cites by number stands on the game's page, and the code cites each
    that stands there, but for those that the pack's charts hold."""
    page = guide.guide_file("hungarian_rhapsody").read_text(encoding="utf-8")
    own, _, series = page[page.index("## Rulings") :].partition("### Rulings of the series")
    found: dict[str, set[str]] = {"HR": set(), "OCS": set()}
    for folder in ("ocs", "hungarian_rhapsody"):
        for path in sorted((ROOT / "engine" / "games" / folder).rglob("*.py")):
            text = " ".join(path.read_text(encoding="utf-8").split())
            assert not re.search(r"\b[Rr]ulings? \d", text), f"{path}: cite a ruling as R-05"
            for letters, numbers in re.findall(rf"\b(HR|OCS)({LIST})", text):
                found[letters].update(re.findall(r"R-\d+", numbers))
    listed = re.findall(r"(?m)^\| (R-\d+) \|", own)
    assert found["HR"] | {"R-13", "R-40"} == set(listed) and len(listed) == len(set(listed))
    assert found["OCS"] == set(re.findall(r"(?m)^\| (R-\d+) \|", series))


@pytest.mark.long
@pytest.mark.parametrize("title", TITLES)
def test_breaking_the_code_of_a_clause_fails_its_tests(title: str) -> None:
    """For each clause some way of breaking its code makes one of its tests fail. A process of its
    own tries them: here the title's code has been loaded by the tests before."""
    command = [sys.executable, "-m", "ops.coverage", "--mutate", title]
    tried = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert tried.returncode == 0, tried.stdout + tried.stderr


def test_a_module_that_is_loaded_already_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would stay sound, and each of its clauses would seem to survive."""
    place = next(
        one
        for found in code_citations("typhoon").values()
        for one in found
        if one.path.parent.name == "typhoon"
    )
    module = ".".join(("warledger", *place.path.relative_to(ROOT).with_suffix("").parts))
    importlib.import_module(module)
    one = mutate.Mutant(place, "something", ast.Module([], []))
    monkeypatch.setattr(mutate, "_mutants", lambda places: iter([one]))
    monkeypatch.setattr(mutate, "_check_sound", lambda jobs: None)
    with pytest.raises(RuntimeError, match="had been loaded before"):
        mutate.survivors("typhoon", [place.clause])


def test_a_clause_without_a_way_of_breaking_it_survives(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told as a survivor, also as the last one, and nothing is waited for."""
    monkeypatch.setattr(mutate, "_mutants", lambda places: iter(()))
    monkeypatch.setattr(mutate, "_check_sound", lambda jobs: None)
    clause = next(iter(clauses(TITLES[0])))

    assert mutate.survivors(TITLES[0], [clause]) == [clause]


def test_tests_over_code_that_never_ends_are_ended(tmp_path: Path) -> None:
    """By what they have computed, so that a busy machine ends none that would pass."""
    endless = tmp_path / "test_endless.py"
    endless.write_text("def test_endless():\n    while True:\n        pass\n")
    pid = os.fork()
    if pid == 0:
        mutate._run(None, [str(endless)], seconds=2)

    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGPROF


@pytest.mark.parametrize("kills", [1, 3])
def test_a_mutant_whose_process_was_killed_is_tried_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kills: int
) -> None:
    """A machine short of memory says nothing about a mutant: it is neither noticed nor a survivor,
    and one that is killed every time is an error."""
    tried = tmp_path / "tried"

    def run(mutant: object, tests: object) -> None:
        with tried.open("a") as file:
            file.write("x")
        if len(tried.read_text()) <= kills:
            os.kill(os.getpid(), signal.SIGKILL)
        os._exit(1)

    clause, (place, *_) = next(iter(code_citations("typhoon").items()))
    one = mutate.Mutant(place, "something", ast.Module([], []))
    monkeypatch.setattr(mutate, "_mutants", lambda places: iter([one]))
    monkeypatch.setattr(mutate, "_check_sound", lambda jobs: None)
    monkeypatch.setattr(mutate, "_run", run)

    if kills == 1:
        (row,) = mutate.rows("typhoon", [clause])
        assert row.held_by and row.tried == 1
        assert tried.read_text() == "xx"
    else:
        with pytest.raises(RuntimeError, match="killed again and again"):
            mutate.survivors("typhoon", [clause])


def test_tests_that_fail_over_sound_code_are_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Nothing is said about broken code then, and what the tests said is."""
    wrong = tmp_path / "test_wrong.py"
    wrong.write_text("def test_wrong():\n    assert 'this line' == ''\n")
    monkeypatch.setattr(mutate, "_nodes", lambda found: [str(wrong)])

    with pytest.raises(RuntimeError, match="this line"):
        mutate.survivors(TITLES[0], [next(iter(clauses(TITLES[0])))])


def test_a_mistake_in_the_command_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """An unknown title or clause, or another argument: exit code 2, and what there is."""
    assert main(["--mutate", "chess"]) == 2
    told = capsys.readouterr().out
    assert all(name in told for name in (TITLES[0], "ocs"))
    assert main(["--mutate", "ocs", "99.9"]) == 2
    assert "ocs has no clause 99.9" in capsys.readouterr().out
    assert main(["--mutate", TITLES[0], "99.9"]) == 2
    assert "99.9" in capsys.readouterr().out
    assert main(["--sideways"]) == 2


def test_a_list_of_citations_goes_on_over_a_line(tmp_path: Path) -> None:
    """Where several rule books are cited, a list that ends its line with a comma keeps its
    letters; a line behind any other end does not."""
    room = tmp_path / "chitpull"
    room.mkdir()
    (room / "setup.py").write_text(
        'def lay():\n    """TY 4.0(3),\n    4.0(7) Chits."""\n'
        "    # TY 9.2(1) is apart\n    # 6.2 too\n"
    )
    listed = pattern_for(["4.0(3)", "4.0(7)", "9.2(1)", "6.2"])
    found = list(citations("typhoon", [room / "setup.py"], listed, tests=False))
    assert [(one.clause, one.opens) for one in found] == [
        ("4.0(3)", True),
        ("4.0(7)", False),
        ("9.2(1)", False),
    ]


def test_who_decides_a_clause_is_named_first() -> None:
    """A page names first what refuses by the clause, then what opens with it, and last what only
    draws it."""
    ways = [
        Citation("9.1", Path("a.py"), 1, "", True),
        Citation("9.1", Path("a.py"), 2, "_draw_it", True),
        Citation("9.1", Path("a.py"), 3, "helper", False),
        Citation("9.1", Path("a.py"), 4, "decide", True),
        Citation("9.1", Path("a.py"), 5, "_why_not", False, True),
    ]
    order = [one.name for one in sorted(ways, key=decides)]
    assert order == ["_why_not", "decide", "helper", "_draw_it", ""]


def test_no_place_of_the_code_is_hidden() -> None:
    """What is too much for a line is folded, and is there."""
    places = [f"engine/games/toy/a.py:f{n}" for n in range(7)]
    whole = shown(places, whole=True)
    assert re.findall(r"f\d", whole) == [f"f{n}" for n in range(7)]
    assert "+3" in whole and shown(places).endswith("`toy/a.py:f3` +3")


def test_a_book_is_cited_without_letters_in_its_own_folder(tmp_path: Path) -> None:
    """In parentheses and in the middle of a sentence; what has another book's letters, and what
    stands in another book's folder, is not taken for it."""
    text = (
        'def stops():\n    """OCS 4.5a Zones (6.3b), and as HR 4.0 says 9.14."""\n    return True\n'
    )
    listed = pattern_for(["4.5a", "6.3b", "4.0", "9.14"])
    found = {}
    for name in ("ocs", "hungarian_rhapsody"):
        room = tmp_path / name
        room.mkdir()
        (room / "ways.py").write_text(text)
        cited = list(citations("ocs", [room / "ways.py"], listed, tests=False))
        found[name] = [one.clause for one in cited]
    assert found == {"ocs": ["4.5a", "6.3b", "9.14"], "hungarian_rhapsody": ["4.5a"]}
