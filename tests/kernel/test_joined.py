"""The tables of a title's chapters are joined into one."""

from types import ModuleType

import pytest

from warledger.engine.kernel.dispatch import joined


def chapter(name: str, **tables: dict[str, int]) -> ModuleType:
    """A module with these tables."""
    made = ModuleType(name)
    for table, entries in tables.items():
        setattr(made, table, entries)
    return made


def test_the_tables_of_all_chapters_are_one() -> None:
    """A chapter without a table of that name adds nothing."""
    chapters = chapter("a", STEPS={"x": 1}), chapter("b"), chapter("c", STEPS={"y": 2})

    assert joined(chapters, "STEPS") == {"x": 1, "y": 2}


def test_two_chapters_may_not_have_one_key() -> None:
    """The message names the chapter and the key."""
    with pytest.raises(TypeError, match=r"c\.STEPS: there is x already"):
        joined((chapter("a", STEPS={"x": 1}), chapter("c", STEPS={"x": 2})), "STEPS")
