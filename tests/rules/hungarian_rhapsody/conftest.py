"""What tests of the title may ask for by name."""

import pytest

from warledger.engine.board.hexsets import EMPTY
from warledger.engine.games.hungarian_rhapsody import pontoons
from warledger.engine.games.ocs.ch13_special_units import bridges


@pytest.fixture
def no_engineers(monkeypatch: pytest.MonkeyPatch) -> None:
    """The witness lets no HQ bridge a river."""
    monkeypatch.setattr(bridges, "engineers", lambda state, side: EMPTY)
    monkeypatch.setattr(pontoons, "engineers", lambda state, side: EMPTY)
