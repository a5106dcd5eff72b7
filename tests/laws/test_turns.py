"""How many turns a game may have: what a title says of it (`turns_most`) and what its sequence of
play does."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from warledger.engine import packfiles
from warledger.engine.games import NAMES, rules_of
from warledger.engine.games.hungarian_rhapsody.rules import SCENARIOS
from warledger.engine.kernel.position import Frame
from warledger.engine.kernel.rulings import offered, resolve
from warledger.engine.kernel.table import Table
from warledger.engine.testing.rig import Rig
from warledger.protocol.board.scenarios import scenario

ROOT = Path(__file__).resolve().parents[2]

CLOSES: Mapping[str, tuple[str, ...]] = {
    "typhoon": ("end_of_turn",),
    "victory_lost": ("turn_advance",),
    "war_at_sea": ("turns", "turn", "scoring", "score"),
}
"""Where a turn ends, in titles that count their turns from 1."""


def most(title: str, **options: Any) -> int:
    """What the title says."""
    rules = rules_of(title)
    return rules.turns_most(packfiles.read_pack(title), resolve(rules.switches, options))


class Counted:
    """How often `Table.turn_over` was called."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.times = 0
        whole = Table.turn_over

        def turn_over(table: Table[Any]) -> None:
            self.times += 1
            whole(table)

        monkeypatch.setattr(Table, "turn_over", turn_over)


@pytest.mark.parametrize("title", CLOSES)
def test_the_last_turn_ends_the_game_whatever_the_options(
    title: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The step that ends a turn ends one, and as often as the title says: the last of them is that
    of the last turn, with which the game is over. So with every value of every option."""
    rules = rules_of(title)
    pack = packfiles.read_pack(title)
    ended = Counted(monkeypatch)
    for switch in offered(rules.switches):
        for value in switch.choices:
            options = {switch.name: value}
            rig = Rig(rules, pack, options=options, seed=1)
            last, ended.times = most(title, **options), 0
            rig.change(turn=last)
            rig.jump(*CLOSES[title])
            assert ended.times == 1
            assert rig.state.data.last_turn == last
            assert rules.outcome(rig.position) is not None, options


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_scenario_is_over_after_as_many_turns(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A turn of Hungarian Rhapsody ends when the next one is due, and the last one as the scenario
    ends: counted from the scenario's first turn they are as many as the title says."""
    title = "hungarian_rhapsody"
    pack = packfiles.read_pack(title)
    head = scenario(pack, name)["scenario"]
    assert most(title, scenario=name) == head["last_turn"] - head["first_turn"] + 1
    rig = Rig(rules_of(title), pack, options={"scenario": name}, seed=1)
    ended = Counted(monkeypatch)
    rig.change(turn=head["last_turn"])
    rig.jump(Frame("game", (), 2), Frame("turns", (head["last_turn"],)))
    assert ended.times == 1
    assert rules_of(title).outcome(rig.position) is not None


@pytest.mark.parametrize("title", NAMES)
def test_only_one_step_ends_turns(title: str) -> None:
    """`turn_over` is called in one place of a title's sources."""
    sources = (
        path.read_text(encoding="utf-8")
        for folder in rules_of(title).folders
        for path in sorted((ROOT / folder.replace(".", "/")).rglob("*.py"))
    )
    assert sum(source.count(".turn_over()") for source in sources) == 1
