"""Functions by event class: each event has one, and a table that is made stays as it is."""

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

    assert dict(after.table()) == {Sailed: moved, Sunk: moved}
    assert moved(1) == 2


def test_an_event_has_one_function() -> None:
    """A second function for an event is a mistake of the title, told when its module is read."""
    after = ByEvent()
    after(Sailed)(len)

    with pytest.raises(TypeError, match="Sailed has its function already"):
        after(Sailed)(repr)


def test_a_made_table_takes_nothing_more() -> None:
    """Once the table has been made nothing can be added to it."""
    after = ByEvent()
    table = after.table()

    with pytest.raises(TypeError, match="table is made"):
        after(Sailed)(len)
    assert dict(table) == {}
