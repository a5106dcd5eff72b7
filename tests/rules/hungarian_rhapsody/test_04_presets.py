"""HR 4.0: options that go together."""

import pytest

from tests.rules.hungarian_rhapsody.bench import pack
from warledger.engine.games.hungarian_rhapsody.rules import RECOMMENDS, RULES
from warledger.engine.testing.rig import Rig


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
