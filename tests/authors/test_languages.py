"""A fourth language: found beside Warledger, checked, and played in; plural forms as CLDR has
them."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.authors.titles import forget
from tests.e2e.test_command_line import process
from warledger.clients.cli import main
from warledger.engine.runtime.titles import installed
from warledger.protocol.lang import BadCatalogue, catalogue, language_of, languages, phrases
from warledger.protocol.texts import languagepath
from warledger.protocol.texts.phrases import Phrases
from warledger.protocol.texts.plurals import condition

POLISH = Path(__file__).resolve().parents[1] / "fixtures" / "languages"
PLACED = "war_at_sea.uboats_placed"


@pytest.fixture(autouse=True)
def anew() -> Iterator[None]:
    """Nothing found in one test is left to another."""
    forget()
    yield
    forget()


def on_the_path(monkeypatch: pytest.MonkeyPatch, *folders: Path) -> None:
    """These folders as the language path."""
    monkeypatch.setenv(languagepath.VARIABLE, ":".join(map(str, folders)))
    forget()


def write(folder: Path, tag: str, **files: str) -> Path:
    """A language's folder under a folder: a file for each argument; the folder around it."""
    (folder / tag).mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / tag / f"{name}.toml").write_text(text, encoding="utf-8")
    return folder


def warledger(*args: str) -> Result:
    """A command in English."""
    return CliRunner(env={"WARLEDGER_LANGUAGE": "en"}).invoke(main, args)


# --- plural forms ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n", "said"),
    [
        *((1, "1 okręt podwodny płynie"), (-1, "−1 okręt podwodny płynie")),
        *((2, "2 okręty podwodne płyną"), (4, "4 okręty podwodne płyną")),
        *((0, "0 okrętów podwodnych płynie"), (5, "5 okrętów podwodnych płynie")),
        *((12, "12 okrętów podwodnych płynie"), (21, "21 okrętów podwodnych płynie")),
        *((22, "22 okręty podwodne płyną"), (112, "112 okrętów podwodnych płynie")),
    ],
)
def test_a_number_takes_the_form_that_its_language_asks_for(
    n: int, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Polish has three forms, by the last two figures."""
    on_the_path(monkeypatch, POLISH)
    text = phrases("pl", "war_at_sea").text(PLACED, n=n, area="north_sea")

    assert text == f"{said}: North Sea."


def test_what_is_said_in_english_goes_by_english_rules() -> None:
    """A text that a language lacks takes the forms of the language that it is in."""
    spoken = Phrases(
        {"plural.one": "n % 10 = 1", "own": "{n:plural:a|b}"},
        fallback={"plural.one": "n = 1", "lent": "{n:plural:ship|ships}"},
    )

    assert [spoken.text("own", n=n) for n in (1, 21)] == ["a", "a"]
    assert [spoken.text("lent", n=n) for n in (1, 21)] == ["ship", "ships"]


def test_a_word_with_too_few_forms_and_what_is_no_number_take_the_last() -> None:
    """Nothing raises for a text that players read."""
    spoken = Phrases({"plural.one": "n = 1", "plural.few": "n = 2", "x": "{n:plural:a|b}"})

    assert [spoken.text("x", n=n) for n in (1, 2, 3, None, "1")] == ["a", "b", "b", "b", "b"]


def test_a_rule_that_cannot_be_read_holds_for_no_number() -> None:
    """A catalogue from elsewhere is still spoken."""
    assert Phrases({"plural.one": "n is 1", "x": "{n:plural:a|b}"}).text("x", n=1) == "b"


@pytest.mark.parametrize(
    ("rule", "holds"),
    [
        ("i = 1 and v = 0 @integer 1", {1}),
        ("n % 10 = 2..4 and n % 100 != 12..14", {2, 3, 4, 22, 23, 24}),
        ("n = 0,2..3 or n % 20 = 10", {0, 2, 3, 10}),
        ("v != 0 or f = 1", set()),
        ("e = 0 and i != 0 and i % 25 = 0 and v = 0 or e != 0..5", {25}),
    ],
)
def test_rules_are_read_as_cldr_writes_them(rule: str, holds: set[int]) -> None:
    """UTS 35, part 3: relations, ranges, lists, and before or; of whole numbers."""
    spoken = Phrases({"plural.few": rule, "x": "{n:plural:yes|no}"})

    assert {n for n in range(26) if spoken.text("x", n=n) == "yes"} == holds


@pytest.mark.parametrize(
    "rule", ["", "n", "n is 1", "n = ", "n = 1..", "x = 1", "n % 0 = 1", "n=1 and"]
)
def test_what_is_no_rule_is_refused(rule: str) -> None:
    """With what cannot be read."""
    with pytest.raises(ValueError, match="in '"):
        condition(rule)


# --- where it is found ----------------------------------------------------------------------------


def test_a_language_on_the_path_is_one_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """It follows those that come with Warledger, is asked for by any of its names, and speaks."""
    on_the_path(monkeypatch, POLISH)

    assert dict(languages()) == {
        "en": "English",
        "zh-Hans": "简体中文",
        "zh-Hant": "繁體中文",
        "pl": "Polski",
    }
    assert [language_of(one) for one in ("pl", "pl_PL.UTF-8", "PL", "Polski")] == ["pl"] * 4
    assert phrases("pl").joined(("a", "b", "c")) == "a, b i c"
    assert set(installed()) >= {"war_at_sea"}


def test_a_language_that_is_gone_is_english() -> None:
    """An account may still ask for it."""
    assert phrases("pl", "war_at_sea").text(PLACED, n=2, area="north_sea") == (
        "2 U-boats go to the North Sea."
    )
    assert phrases("pl").language == "en"


def test_an_installed_language_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the entry point of its distribution, without anything else; a working copy on the path
    comes before it."""
    write(tmp_path, "my_czech", core='"language.name" = "Čeština"\n"plural.one" = "n = 1"\n')
    about = tmp_path / "my_czech-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: my_czech\nVersion: 1\n")
    (about / "entry_points.txt").write_text("[warledger.languages]\ncs = my_czech\n")
    monkeypatch.syspath_prepend(tmp_path)
    forget()

    assert languages()["cs"] == "Čeština"
    copy = write(tmp_path / "copy", "cs", core='"language.name" = "Česky"\n')
    on_the_path(monkeypatch, copy)
    assert languages()["cs"] == "Česky"
    monkeypatch.undo()
    sys.modules.pop("my_czech", None)


@pytest.mark.parametrize(
    ("tag", "text", "says"),
    [
        ("xx", '"ui.lang" = "x"\n', "no file says what the language calls itself"),
        ("xx", '"language.name" = "X"\n"plural.one" = "n is 1"\n', "plural.one: 'n is 1'"),
        (
            "xx",
            '"language.name" = "X"\n"plural.other" = "n = 1"\n',
            "plural.other: there are rules",
        ),
        ("xx", '"language.name" = "X"\n"ui.x" = "a { b"\n', "ui.x: a brace"),
        ("en", '"language.name" = "X"\n', "has the tag en"),
        ("Polski!", '"language.name" = "X"\n', "not the tag of a language"),
    ],
)
def test_catalogues_that_cannot_be_used_are_told(
    tag: str, text: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server does not start with them, and a command ends with what is wrong."""
    on_the_path(monkeypatch, write(tmp_path, tag, core=text))

    with pytest.raises(BadCatalogue, match=says):
        installed()
    done = warledger("titles", "--lang", "xx")
    assert done.exit_code == 2
    assert says in " ".join(done.output.split())


NAMED = '"language.name" = "X"\n'


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (f"{NAMED}x = {'[' * 100_000}", "nested too deeply"),
        (f"{NAMED}x = {'1' * 5000}", "4300 digits"),
        (f"{NAMED}# {'x' * 1_100_000}", "more than 1048576 bytes"),
        (f"{NAMED}a{'.a' * 400_000} = 1", "more than 200 dots"),
        (NAMED.encode() + b"# \xff", "utf-8"),
        (None, "is not a file"),
    ],
)
def test_what_a_stranger_sends_as_a_catalogue_is_told_too(
    text: str | bytes | None, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever lies there: no traceback, no waiting for a pipe or a reader, and no more memory than
    a catalogue takes."""
    folder = tmp_path / "xx"
    folder.mkdir()
    match text:
        case str():
            (folder / "core.toml").write_text(text)
        case bytes():
            (folder / "core.toml").write_bytes(text)
        case _:
            os.mkfifo(folder / "core.toml")
    on_the_path(monkeypatch, tmp_path)

    with pytest.raises(BadCatalogue, match=says):
        languages()
    done = warledger("titles", "--lang", "xx")
    assert done.exit_code == 2
    assert says in " ".join(done.output.split())


@pytest.mark.parametrize(("place", "says"), [("gone", "does not exist"), ("", "no folder holds")])
def test_a_wrong_path_is_told(
    place: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder without languages would be missed without a word."""
    on_the_path(monkeypatch, tmp_path / place)

    with pytest.raises(BadCatalogue, match=says):
        languages()


# --- the commands ---------------------------------------------------------------------------------


def test_a_language_is_begun_and_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`language new` writes all that can be said; nothing of it is said differently until it is
    translated; `language check` counts what is left, and finds what does not fit."""
    assert (
        warledger("language", "new", "cs", "--name", "Čeština", "--in", str(tmp_path)).exit_code
        == 0
    )
    project = tmp_path / "warledger-cs"
    on_the_path(monkeypatch, project)
    fresh = warledger("language", "check", "cs")

    assert fresh.exit_code == 0, fresh.output
    count = len([key for key in catalogue("en") if not key.startswith("plural.")])
    assert f"cs: {count - 1} of" in fresh.output
    assert 'cs = "warledger_cs"' in (project / "pyproject.toml").read_text()
    file = project / "cs" / "war_at_sea.toml"
    lines = file.read_text(encoding="utf-8").splitlines()
    line = next(number for number, line in enumerate(lines) if PLACED in line)
    for text, says in (
        ("{n} {n:plural:ponorka|ponorky}: {area:name}.", None),
        ("{n} {n:plural:a|b|c|d}: {area:name}.", "has 4 plural forms"),
        ("{count} ponorek", "other arguments than in English"),
    ):
        lines[line] = f'"{PLACED}" = "{text}"'
        file.write_text("\n".join(lines), encoding="utf-8")
        on_the_path(monkeypatch, write(project, "cs", rules='"plural.one" = "n = 1"\n'))
        done = warledger("language", "check", "cs")
        assert done.exit_code == (says is not None), done.output
        assert says is None or says in done.output


@pytest.mark.parametrize("tag", ["en", "Polish", "p"])
def test_a_language_needs_a_tag_of_its_own(tag: str, tmp_path: Path) -> None:
    """Nothing is written otherwise."""
    done = warledger("language", "new", tag, "--name", "X", "--in", str(tmp_path))

    assert done.exit_code == 2
    assert list(tmp_path.iterdir()) == []


# --- played in ------------------------------------------------------------------------------------


def test_a_game_is_played_in_polish(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server, a bot, and a person at a terminal, none of whose code knows Polish: the story, the
    plural forms and the words of the terminal are Polish, and what is not translated is English."""
    on_the_path(monkeypatch, POLISH)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    data = tmp_path / "data"
    with process("serve", "--data", str(data), "--tcp", "127.0.0.1:0") as serving:
        assert serving.stdout is not None
        where = next(line for line in serving.stdout if line.startswith("Serving on "))
        server = ("--server", where.removeprefix("Serving on ").strip().rstrip("."))
        made = warledger("new", "war_at_sea", *server, "--token", f"@{data / 'host.token'}")
        game = made.output.split()[1]
        tokens = {line.split()[1]: line.split()[3] for line in made.output.splitlines()[1:]}
        with process("bot", game, "--seat", "allied", "--token", tokens["allied"], *server):
            asked = "lang\nsail lützow baltic\nboard baltic_sea\nresign\n\nquit\n"
            played = CliRunner().invoke(
                main,
                [
                    *("play", game, "--seat", "axis", "--token", tokens["axis"], *server),
                    *("--lang", "polski", "--plain"),
                ],
                input=asked,
            )

    assert played.exit_code == 0, played.output
    for said in (
        "Języki: en, zh-Hans, zh-Hant, pl.",
        "3 okręty podwodne przybywają do Niemiec. [5.1]",
        "Lützow: okręt płynie, Germany – Baltic Sea. [6.1]",
        "Turn 1 begins. [5]",
    ):
        assert said in played.output
