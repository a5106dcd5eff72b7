"""HR 1.1: the charts by which the title plays."""

import copy

from tests.rules.hungarian_rhapsody.bench import pack
from warledger.engine.games.hungarian_rhapsody.rules import RULES
from warledger.engine.testing.rig import Rig


def test_1_1a_the_title_plays_by_the_charts_of_its_pack() -> None:
    """HR 1.1a What terrain does is read from the pack in the genesis, and from nothing else."""
    changed = copy.deepcopy(dict(pack()))
    costs = changed["tables"]["terrain"]["open"]
    costs["move_leg"] = costs["move_leg"] + 1
    for made, more in ((pack(), 0), (changed, 1)):
        state = Rig(RULES, made).state
        printed = state.charts.printed
        whole = pack()["tables"]["terrain"]["open"]["move_leg"] + more
        assert printed.terrain["open"].move["leg"] == whole * printed.parts
