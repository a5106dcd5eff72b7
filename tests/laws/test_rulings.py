"""Options of a genesis: what is in force where it names a switch, and where it is older than the
switch. And the guides that list them."""

import re
from pathlib import Path

import pytest

from warledger.engine.games import NAMES, rules_of
from warledger.engine.kernel.rulings import BadOption, in_force, offered, resolve, unnamed
from warledger.engine.kernel.types import Switch

SWITCHES = (
    Switch("old", 1, (1, 2), "1.0"),
    Switch("new", False, (False, True), "2.0", before=True),
)


def test_a_new_game_names_every_switch_with_its_default() -> None:
    """What a genesis made now holds: the defaults, whatever was played before."""
    assert resolve(SWITCHES, {}) == {"new": False, "old": 1}
    assert in_force(SWITCHES, resolve(SWITCHES, {})) == {"new": False, "old": 1}


def test_a_game_older_than_a_switch_keeps_what_it_was_played_by() -> None:
    """A switch that the genesis does not name has the value of before, not the default; one that it
    names has what it says."""
    assert in_force(SWITCHES, {"old": 2}) == {"new": True, "old": 2}
    assert in_force(SWITCHES, {"old": 2, "new": False}) == {"new": False, "old": 2}
    assert unnamed(SWITCHES, {"old": 2}) == ()


def test_an_option_that_every_genesis_names_is_missed() -> None:
    """Without a value of before a missing switch has its default, and is told by `unnamed`."""
    assert in_force(SWITCHES, {}) == {"new": True, "old": 1}
    assert unnamed(SWITCHES, {}) == ("old",)


@pytest.mark.parametrize(
    "named", [{"old": 3}, {"old": "1"}, {"old": True}, {"new": 1, "old": 1}, {"other": 1}]
)
def test_what_a_genesis_may_not_say_is_refused(named: dict[str, object]) -> None:
    """A name or value that the title does not have, a number for a yes among them."""
    with pytest.raises(BadOption):
        in_force(SWITCHES, named)


def test_a_retired_switch_holds_for_games_that_name_it_and_is_offered_to_none() -> None:
    """A genesis made now does not name it, a host cannot; an older one that does goes on by it."""
    retired = Switch("gone", "", ("", False, True), "3.0", before="", retired=True)
    switches = (*SWITCHES, retired)
    assert offered(switches) == SWITCHES
    assert resolve(switches, {}) == resolve(SWITCHES, {})
    with pytest.raises(BadOption):
        resolve(switches, {"gone": True})
    assert in_force(switches, {"old": 1, "gone": True})["gone"] is True
    assert in_force(switches, {"old": 1})["gone"] == ""


@pytest.mark.parametrize("title", NAMES)
def test_a_value_of_before_can_be_chosen(title: str) -> None:
    """What games older than a switch are played by stays open to new ones."""
    for switch in rules_of(title).switches:
        assert switch.default in switch.choices
        assert switch.before is None or switch.before in switch.choices


@pytest.mark.parametrize("title", NAMES)
def test_the_guide_lists_every_option_with_its_values_the_default_first(title: str) -> None:
    """docs/rules/TITLE.md has a line for each option: its name, its values, its clause."""
    root = Path(__file__).resolve().parents[2]
    text = (root / "docs" / "rules" / f"{title}.md").read_text(encoding="utf-8")
    rows = {
        match[1]: match[0].split(" | ") for match in re.finditer(r"(?m)^\| `(\w+)` \|.*$", text)
    }
    switches = offered(rules_of(title).switches)
    assert list(rows) == [switch.name for switch in switches]
    for switch in switches:
        values = re.findall(r"`([^`]+)`", rows[switch.name][1])
        assert sorted(values) == sorted(str(value).lower() for value in switch.choices)
        assert values[0] == str(switch.default).lower()
        assert rows[switch.name][2].startswith(switch.rule)
