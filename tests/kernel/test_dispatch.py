"""One function for each event class, and events that only tell something."""

from typing import Any

import pytest

from warledger.engine.kernel.dispatch import ByEvent


class Moved:
    """Something moved."""


class Rolled:
    """A die was rolled, and nothing changed by it."""


def test_each_event_has_one_function() -> None:
    """A second one, or one that comes after they have been read, is an error."""
    after = ByEvent()

    @after(Moved)
    def moved(state: int, event: Any) -> int:
        return state + 1

    after.unchanged(Rolled)
    with pytest.raises(TypeError, match="Rolled has its function already"):
        after(Rolled)(moved)
    with pytest.raises(TypeError, match="Moved has its function already"):
        after.unchanged(Moved)
    table = dict(after)
    assert table[Moved](7, Moved()) == 8
    assert table[Rolled](7, Rolled()) == 7
    with pytest.raises(TypeError, match="they have been read"):
        after.unchanged(int)
