"""Canonical msgpack: what may stand in a log, however it is looked at."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from protocol import canon

TEXT = "aé\u0301\u212b\u1100\u0958\u0627\u0653Ω\u0387üÖ戰\uf900"
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**64 - 1),
    st.text(st.characters(exclude_categories=["Cs"])),
    st.text(alphabet=TEXT),
    st.floats(allow_nan=False),
    st.binary(max_size=4),
)
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=4).map(tuple), max_leaves=8)


def refused(act: Any, value: Any) -> bool:
    """Whether the act refuses the value."""
    try:
        act(value)
    except canon.NotCanonical:
        return True
    return False


@settings(max_examples=500, deadline=None, derandomize=True)
@given(VALUES)
def test_the_quick_look_refuses_exactly_what_the_full_check_refuses(value: Any) -> None:
    """`pack_checked` and `check` agree on floats, large numbers and text out of normal form."""
    assert refused(canon.pack_checked, value) == refused(canon.check, value)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(VALUES)
def test_what_is_packed_reads_back_the_same(value: Any) -> None:
    """A value that a log may hold is read back equal, strictly, and spelt the same again."""
    if not refused(canon.check, value):
        data = canon.pack(value)
        assert canon.unpack(data) == value
        assert canon.pack(canon.unpack(data)) == data
