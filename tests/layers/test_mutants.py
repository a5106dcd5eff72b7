"""How code is broken, on small modules: what a cited line belongs to, and what becomes of it."""

from types import SimpleNamespace
from typing import Any

import pytest

from ops.coverage.mutants import BROKEN, DENTED, Broken, broken, dented, mutants

MODULE = '''"""1.0 A module."""

from attrs import frozen

TABLE = {
    "a": 1,
    # 2.1 the second entry
    "b": 2,
}
LIMIT = 3  # 2.2
PORT = dict(
    name="Malta",
    # 2.11 what it repairs
    repair=2,
)


@frozen
class Ship:
    """A ship."""

    speed: int
    """2.3 Its speed."""

    def fast(self) -> bool:
        """2.4 Whether it is fast."""
        return self.speed > LIMIT


def fate(die: int) -> str:
    """2.5 What comes of a die."""
    if die == 6:
        return "2.6 hit"
    for extra in range(die):
        # 2.7 every fourth
        if extra == 4:
            return "disabled"
    return "missed"


def note(heard: list[str]) -> None:
    """2.8 Somebody hears."""
    heard.append("2.9")


def counted() -> object:
    """2.10 Numbers."""
    yield 1
'''


def ways(clause: str) -> dict[str, Any]:
    """What the module becomes, by what is said to be broken."""
    line = next(
        row for row, text in enumerate(MODULE.splitlines(), 1) if f"{clause} " in text + " "
    )
    found = {}
    for words, tree in mutants(MODULE, line):
        names: dict[str, Any] = {BROKEN: broken, DENTED: dented, "__name__": "made"}
        exec(compile(tree, "made", "exec"), names)
        found[words] = SimpleNamespace(**{key: names[key] for key in names if key[0].isalpha()})
    return found


def test_an_entry_of_a_table_is_dropped() -> None:
    """A comment above an entry belongs to it, and not to the table."""
    (made,) = ways("# 2.1").values()
    assert made.TABLE == {"a": 1}


def test_a_constant_has_a_wrong_value() -> None:
    """A number is one more."""
    (made,) = ways("# 2.2").values()
    assert made.LIMIT == 4


def test_a_named_argument_has_a_wrong_value() -> None:
    """A comment above it belongs to it, and not to the whole call."""
    (made,) = ways("2.11").values()
    assert made.PORT == {"name": "Malta", "repair": 3}


def test_a_field_is_wrong_in_every_instance() -> None:
    """The string below a field belongs to it."""
    (made,) = ways("2.3").values()
    assert made.Ship(3).speed == 4


def test_a_method_gives_the_opposite() -> None:
    """A docstring stands for its function; yes and no are swapped."""
    (made,) = ways("2.4").values()
    assert made.Ship(9).fast() is False


def test_a_function_gives_a_wrong_text() -> None:
    """Text is changed, and nothing else of the module is."""
    made = ways("2.5")["fate()"]
    assert made.fate(6) == "2.6 hit?"
    assert made.Ship(9).fast() is True


def test_what_a_condition_leads_to_breaks_the_condition() -> None:
    """A clause named in a branch: its value, its condition, then its function are broken."""
    found = ways("2.6")
    assert [made.fate(6) for made in found.values()] == ["2.6 hit?", "disabled", "2.6 hit?"]


def test_a_comment_in_a_function_belongs_to_the_statement_below() -> None:
    """The condition below it is the opposite."""
    (made,) = ways("2.7").values()
    assert (made.fate(5), made.fate(1)) == ("disabled", "disabled")


def test_a_procedure_does_nothing() -> None:
    """What gives nothing back is left out."""
    heard: list[str] = []
    (made,) = ways("2.8").values()
    made.note(heard)
    assert heard == []


def test_a_generator_gives_nothing() -> None:
    """Its numbers do not come."""
    (made,) = ways("2.10").values()
    assert list(made.counted()) == []


def test_a_modules_docstring_stands_for_all_its_functions() -> None:
    """Every function and method is broken at once; constants are not."""
    (made,) = ways("1.0").values()
    assert made.fate(6) != "2.6 hit" and made.Ship(9).fast() is False and made.LIMIT == 3


@pytest.mark.parametrize("value", [True, 4, 1 << 80, "a", (1,), [1], {1}, frozenset({1}), {"a": 1}])
def test_a_wrong_value_is_of_the_same_type(value: Any) -> None:
    """It can stand where the sound one stood."""
    assert broken(value) != value
    assert type(broken(value)) is type(value)


def test_what_has_no_wrong_value_raises() -> None:
    """None and empty collections, too: code that gives them fails when it is called."""
    for value in (None, (), object()):
        with pytest.raises(Broken):
            broken(value)
