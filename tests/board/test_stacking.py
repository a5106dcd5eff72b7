"""Stacking limits of several games as data."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warledger.engine.board.stacking import (
    Breach,
    Piece,
    StackLimits,
    breach,
    company,
    fits,
    limits_from_tables,
)

AXIS = limits_from_tables(
    {
        "stacking": {
            "units": 2,
            "hqs_count": False,
            "hqs": 1,
            "nations_alone": ["italian", "hungarian", "romanian"],
        }
    }
)
GERMAN, ITALIAN, ROMANIAN = (Piece("axis", n) for n in ("german", "italian", "romanian"))
HQ = Piece("axis", "german", hq=True)


@pytest.mark.parametrize(
    ("limits", "stack", "expected"),
    [
        (AXIS, (), None),
        (AXIS, (GERMAN, ITALIAN, HQ), None),
        (AXIS, (GERMAN, GERMAN, GERMAN), Breach.UNITS),
        (AXIS, (HQ, HQ), Breach.HQS),
        (AXIS, (ITALIAN, ROMANIAN), Breach.NATIONS),
        (AXIS, (ITALIAN, Piece("axis", "romanian", hq=True)), Breach.NATIONS),
        (AXIS, (GERMAN, Piece("soviet", "soviet")), Breach.SIDES),
        (StackLimits(units=2), (GERMAN, GERMAN, HQ), Breach.UNITS),
        (StackLimits(size=40), (Piece("a", "x", size=36), Piece("a", "x", size=4)), None),
        (StackLimits(size=40), (Piece("a", "x", size=36), Piece("a", "x", size=5)), Breach.SIZE),
        (
            StackLimits(solitary=("partisan",)),
            (Piece("a", "partisan"), Piece("a", "partisan")),
            None,
        ),
        (
            StackLimits(solitary=("partisan",)),
            (Piece("a", "partisan"), Piece("a", "soviet")),
            Breach.NATIONS,
        ),
    ],
)
def test_breach(limits: StackLimits, stack: tuple[Piece, ...], expected: Breach | None) -> None:
    """A stack is legal or breaks a limit that is named."""
    assert breach(limits, stack) is expected
    assert fits(limits, stack[1:], *stack[:1]) is (expected is None)


pieces = st.lists(
    st.builds(Piece, st.just("a"), st.sampled_from("gir"), st.booleans(), st.integers(0, 3)),
    max_size=5,
)


@given(pieces, st.integers(0, 4), st.integers(0, 2), st.booleans(), st.data())
def test_order_does_not_matter_and_less_is_never_worse(
    stack: list[Piece], units: int, hqs: int, counted: bool, data: st.DataObject
) -> None:
    """A legal stack stays legal in any order and with any piece gone."""
    limits = StackLimits(units, hqs, counted, 6, ("i", "r"))
    shuffled = data.draw(st.permutations(stack))
    assert breach(limits, shuffled) == breach(limits, stack)
    if breach(limits, stack) is None:
        assert all(breach(limits, stack[:k] + stack[k + 1 :]) is None for k in range(len(stack)))


def test_company() -> None:
    """Minor nations keep company with Germans but not with each other."""
    assert company(AXIS, ["german", "italian"])
    assert not company(AXIS, ["italian", "hungarian"])
