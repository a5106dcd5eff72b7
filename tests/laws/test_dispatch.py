"""Functions by event class: each event has one, and what has been read stays as it is."""

import pytest

from warledger.engine.kernel.dispatch import ByEvent


class Sailed:
    """An event of these tests."""


class Sunk:
    """Another."""


def test_each_event_finds_the_function_written_under_it() -> None:
    """One function may serve several events, and is itself unchanged."""
    after = ByEvent()

    @after(Sailed, Sunk)
    def moved(state: int) -> int:
        return state + 1

    assert dict(after) == {Sailed: moved, Sunk: moved}
    assert moved(1) == 2


def test_an_event_has_one_function() -> None:
    """A second function for an event is a mistake of the title, told when its module is read."""
    after = ByEvent()
    after(Sailed)(len)

    with pytest.raises(TypeError, match="Sailed has its function already"):
        after(Sailed)(repr)


def test_a_read_collection_takes_nothing_more() -> None:
    """Once the functions have been read nothing can be added to them."""
    after = ByEvent()
    assert dict(after) == {}

    with pytest.raises(TypeError, match="have been read"):
        after(Sailed)(len)
