"""Canonical msgpack: what may stand in a log, however it is looked at."""

import unicodedata
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warledger.protocol import canon, seal

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
    """`hides`, which looks at packed bytes, and `check` agree on floats, large numbers and text out
    of normal form."""
    assert refused(seal.hides, value) == refused(canon.check, value)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(VALUES)
def test_what_is_packed_reads_back_the_same(value: Any) -> None:
    """A value that a log may hold is read back equal, strictly, and spelt the same again."""
    if not refused(canon.check, value):
        data = canon.pack(value)
        assert canon.unpack(data) == value
        assert canon.pack(canon.unpack(data)) == data


def test_every_character_that_can_spoil_the_normal_form_is_looked_at() -> None:
    """A character that is not in normal form by itself, or whose order behind others matters, never
    passes the quick look unseen."""
    for code in range(0x80, 0x110000):
        if not 0xD800 <= code < 0xE000:
            text = chr(code)
            if unicodedata.combining(text) or not unicodedata.is_normalized("NFC", text):
                assert canon._SUSPECT.search(canon.pack(text)), hex(code)


def test_a_refusal_leaves_nothing_behind_in_the_packer() -> None:
    """What is packed after a value that cannot be packed is spelt as ever."""
    wanted = canon.pack((1, "a"))
    for bad in ((1, "long text before it" * 10, object()), (1, 2**70), (1, (2, (3, {4})))):
        with pytest.raises((canon.NotCanonical, OverflowError)):
            canon.pack(bad)
        assert canon.pack((1, "a")) == wanted
