"""A title's catalogues in several languages, and a title path on which nothing can be found."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.authors.titles import title_path, write
from warledger.clients.cli import main
from warledger.engine.runtime.titles import installed
from warledger.engine.testing.catalogues import catalogues_agree, lacking
from warledger.protocol.lang import BadCatalogue
from warledger.protocol.titlepath import BadTitlePath, titles_beside

ENGLISH = '"toy_talk.lost" = "{unit:name} is lost."\n"toy_talk.over" = "Over."\n'


@contextmanager
def talking(folder: Path, monkeypatch: pytest.MonkeyPatch, **catalogues: str) -> Iterator[Path]:
    """A title on the title path with these catalogues beside its English one; its `lang`."""
    lang = write(folder, "toy_talk") / "lang"
    lang.mkdir()
    for language, text in {"en": ENGLISH, **catalogues}.items():
        name = language.replace("_", "-")
        (lang / f"{name}.toml").write_text(text, encoding="utf-8")
    with title_path(monkeypatch, folder):
        yield lang


@pytest.mark.parametrize(
    ("language", "text", "says"),
    [
        ("zh_Hans", '"toy_talk.lost" = "{who:name}阵亡。"', "zh-Hans: toy_talk.lost is filled in"),
        ("zh_Hans", '"toy_talk.lost" = "阵亡。"', "nothing and unit"),
        ("zh_Hant", '"toy_talk.won" = "勝。"', "zh-Hant: toy_talk.won is not in English"),
        ("zh_Hant", '"toy_talk.over" = "{完}"', "zh-Hant: toy_talk.over: a brace"),
        ("zh_hans", ENGLISH, "zh-hans.toml is read for no language; there are: en.toml"),
    ],
)
def test_a_second_catalogue_fits_the_english_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, language: str, text: str, says: str
) -> None:
    """Keys that English lacks, other arguments, stray braces and misnamed files are told."""
    catalogue = {language: text}
    with (
        talking(tmp_path, monkeypatch, **catalogue) as lang,
        pytest.raises(AssertionError, match=says),
    ):
        catalogues_agree("toy_talk", lang)


def test_a_sentence_may_be_left_in_english(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told, and is no mistake; a language that a title does not speak at all is not told."""
    with talking(tmp_path, monkeypatch, zh_Hans='"toy_talk.over" = "结束。"') as lang:
        catalogues_agree("toy_talk", lang)
        assert lacking("toy_talk") == {"zh-Hans": ("toy_talk.lost",)}


def test_title_check_judges_every_catalogue(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is wrong in the second is a broken law; what it lacks is told before."""
    runner = CliRunner(env={"WARLEDGER_LANGUAGE": "en"})
    assert runner.invoke(main, ["title", "new", "toy_hill", "--in", str(tmp_path)]).exit_code == 0
    folder = tmp_path / "toy_hill"
    lang = folder / "toy_hill" / "lang" / "zh-Hans.toml"
    lang.write_text('"name.toy_hill.acted" = "{n}次"\n', encoding="utf-8")
    with title_path(monkeypatch, folder):
        done = runner.invoke(main, ["title", "check", "toy_hill", "--games=1"])
    assert done.exit_code == 1
    assert (
        "BROKEN: the catalogues agree: AssertionError: zh-Hans: name.toy_hill.acted" in done.output
    )
    assert "Not translated into zh-Hans and so shown in English" in done.output


def test_a_catalogue_that_cannot_be_read_ends_a_command_with_what_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where nobody has asked for its language yet: a server that starts reads them all."""
    with talking(tmp_path, monkeypatch, zh_Hans="no TOML") as lang:
        with pytest.raises(BadCatalogue, match="zh-Hans"):
            installed()
        done = CliRunner().invoke(main, ["titles"])
    assert done.exit_code == 2
    assert f"{lang / 'zh-Hans.toml'}: " in done.output


@pytest.mark.parametrize(
    ("place", "says"),
    [
        ("nowhere", "which does not exist"),
        ("file", "which is not a folder"),
        ("around/toy_inside", "which is a title itself; name the folder that it is in"),
    ],
)
def test_a_wrong_title_path_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, says: str
) -> None:
    """Whoever reads titles hears it, and so does whoever types any command, by exit code 2."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    write(tmp_path / "around", "toy_inside")
    with title_path(monkeypatch, tmp_path / "around", tmp_path / place):
        with pytest.raises(BadTitlePath, match=says):
            titles_beside()
        done = CliRunner().invoke(main, ["titles"])
    assert done.exit_code == 2
    assert f"WARLEDGER_TITLE_PATH names {tmp_path / place}, " in " ".join(done.output.split())
    assert says in " ".join(done.output.split())


def test_whoever_asks_for_a_title_that_is_not_on_the_path_is_told_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder that holds no title is no mistake; the path stands in the refusal, and where there
    is none, that it is not set."""
    with title_path(monkeypatch, tmp_path):
        done = CliRunner().invoke(main, ["title", "check", "toy_hill"])
    assert done.exit_code == 2
    assert f"(WARLEDGER_TITLE_PATH is {tmp_path})" in " ".join(done.output.split())
    monkeypatch.delenv("WARLEDGER_TITLE_PATH", raising=False)
    done = CliRunner().invoke(main, ["title", "check", "toy_hill"])
    assert done.exit_code == 2 and "(WARLEDGER_TITLE_PATH is not set)" in done.output
