"""The two Chinese catalogues are each written in their own script, and one is made from the
other."""

import tomllib
from pathlib import Path

import pytest

from ops import hant

LANG = Path(__file__).parents[2] / "protocol" / "lang"


@pytest.mark.parametrize(("language", "charset"), [("zh-Hant", "big5"), ("zh-Hans", "gb2312")])
def test_no_character_of_the_other_script(language: str, charset: str) -> None:
    """Every Chinese character of a catalogue stands in the character set of its script, so none
    slipped in from the other."""
    strange: dict[str, str] = {}
    for file in sorted((LANG / language).glob("*.toml")):
        for key, text in tomllib.loads(file.read_text(encoding="utf-8")).items():
            for character in text:
                if "\u4e00" <= character <= "\u9fff":
                    try:
                        character.encode(charset)
                    except UnicodeEncodeError:
                        strange[f"{file.name} {key}"] = character
    assert not strange


def test_traditional_chinese_is_made_from_simplified() -> None:
    """The files of zh-Hant are what `python -m ops.hant` makes of those of zh-Hans, and it has a
    use for each of its texts."""
    assert {path: path.read_text("utf-8") for path in (LANG / "zh-Hant").glob("*")} == (
        hant.written()
    )


@pytest.mark.parametrize("language", ["zh-Hant", "zh-Hans"])
def test_one_form_of_address(language: str) -> None:
    """The reader is addressed in one way throughout: 你, as players speak to each other."""
    polite = [
        file.name
        for file in sorted((LANG / language).glob("*.toml"))
        if "您" in file.read_text("utf-8")
    ]
    assert not polite
