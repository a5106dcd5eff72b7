"""Choices that are listed on demand are choices like any others."""

import attrs

from warledger.engine.kernel.lazy import LazyChoices
from warledger.protocol.board.choices import Choices, Option


def test_choices_listed_on_demand_have_every_field_of_choices() -> None:
    """Whatever field choices have, those listed on demand have it too: they compare, and print."""
    lazy = LazyChoices("ship", lambda: ("hood",), lambda pick: pick == "hood", complete=True)
    plain = Choices("ship", (Option("hood"),), None, True)

    for field in attrs.fields(Choices):
        assert getattr(lazy, field.name) == getattr(plain, field.name), field.name
    again = LazyChoices("ship", lambda: ("hood",), lambda pick: pick == "hood", complete=True)
    assert lazy == again and repr(lazy) == repr(again)
