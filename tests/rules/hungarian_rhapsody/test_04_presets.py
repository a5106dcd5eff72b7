"""HR 4.0: options that go together."""

import pytest

from tests.rules.hungarian_rhapsody.bench import AXIS, pack, stand
from tests.rules.hungarian_rhapsody.table import at_table, fed
from warledger.engine.games.hungarian_rhapsody.rules import RECOMMENDS, RULES
from warledger.engine.games.ocs.ch10_barrage import bombardment
from warledger.engine.games.ocs.ch10_barrage.barrage import LOWER_COLUMN
from warledger.engine.testing.rig import Rig
from warledger.protocol.board.choices import Choices


@pytest.mark.parametrize("preset", ["plain", "recommended"])
def test_4_0a_the_recommended_options(preset: str) -> None:
    """HR 4.0a, 4.0f-h With the preset the recommended options are in force, whatever else is
    chosen; 21.2 is not one of them, and a plain game has none."""
    options = {"preset": preset, "rebasing": False}
    state = Rig(RULES, pack(), options=options).state
    assert all(state.option(name) is (preset == "recommended") for name in RECOMMENDS)
    assert state.option("proportional_losses") is False


def test_4_0a_what_is_chosen_besides_stays() -> None:
    """HR 4.0a An option that the preset does not name is as the host chose it, and a plain game has
    what the host chose."""
    chosen = {"preset": "recommended", "recon": True}
    assert Rig(RULES, pack(), options=chosen).state.option("recon") is True
    plain = Rig(RULES, pack(), options={"rebasing": True}).state
    assert plain.option("rebasing") is True and plain.option("long_range_air") is False


def test_4_0g_a_host_may_allow_lower_columns() -> None:
    """HR 4.0g The option is the title's: with it artillery is offered the columns below its own."""
    guns = {"ax.art.403": "A26.09", "ax.inf.44": "A26.10", "su.gd.81": "A26.11"}
    state = fed(stand(guns), where="A26.09")
    for on, offered in (((), False), ((LOWER_COLUMN,), True)):
        rig = at_table(state, bombardment.SEGMENT, segment="f1", on=on)
        columns = rig.choices(AXIS, "barrage", "A26.11", "ax.art.403")
        assert isinstance(columns, Choices)
        lower = {option.id for option in columns.options if isinstance(option.id, int)}
        assert bool(lower) is offered
