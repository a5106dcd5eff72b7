"""18, R1, R19 The options on offer: one name each in the pack, in the rules, in every language and in the guide for hosts."""

import re
from pathlib import Path

import pytest

from engine.games.war_at_sea import RULES
from engine.kernel.rig import Rig
from engine.kernel.rulings import BadOption
from tests.rules.war_at_sea.charts import PACK

ROOT = Path(__file__).parents[3]


def test_18_names_and_defaults_are_those_of_the_pack() -> None:
    """18 The options offered are the pack's [variants], with the pack's defaults."""
    assert {switch.name: switch.default for switch in RULES.switches} == dict(PACK["data"]["variants"])


def test_18_the_guide_lists_every_option_with_its_values() -> None:
    """18 docs/war_at_sea.md has a line for each option: its name, its values, its clause."""
    rows = {
        match[1]: match[0] for match in re.finditer(r"(?m)^\| `(\w+)` \|.*$", (ROOT / "docs" / "war_at_sea.md").read_text(encoding="utf-8"))
    }

    assert list(rows) == [switch.name for switch in RULES.switches]
    for switch in RULES.switches:
        assert switch.rule in rows[switch.name]
        for value in switch.choices:
            assert f"`{str(value).lower()}`" in rows[switch.name]


def test_18_the_guide_tells_every_ruling() -> None:
    """R1 – R64 Each ruling that refusals and code cite is told in the guide."""
    told = re.findall(r"R(\d+)", (ROOT / "docs" / "war_at_sea.md").read_text(encoding="utf-8").split("## Rulings")[1])

    assert {int(number) for number in told} == set(range(1, 65))


@pytest.mark.parametrize(("name", "value"), [("v18_7", True), ("opt_combat_order", "by_port"), ("v18_6_internment", "perhaps")])
def test_18_a_wrong_option_is_told_what_is_allowed(name: str, value: object) -> None:
    """18 An unknown name or value is refused, with the names or values there are."""
    with pytest.raises(BadOption) as caught:
        Rig(RULES, PACK, options={name: value})
    assert "opt_combat_order" in str(caught.value) or "may be" in str(caught.value)


@pytest.mark.parametrize(("text", "value"), [("true", True), ("on", True), ("no", False)])
def test_18_options_may_be_given_as_words(text: str, value: bool) -> None:
    """18 What a host types on a command line is read as yes or no."""
    assert Rig(RULES, PACK, options={"v18_6_internment": text}).state.options.internment is value
