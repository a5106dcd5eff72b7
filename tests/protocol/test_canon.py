"""Canonical msgpack: what may stand in a log, however it is looked at."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warledger.protocol import canon
from warledger.protocol.chance import seal

TEXT = "aé\u0301\u212b\u1100\u0958\u0627\u0653Ω\u0387üÖ戰\uf900"
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**64 - 1),
    st.text(st.characters(exclude_categories=["Cs"])),
    st.text(alphabet="a\udc80", max_size=2),
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
    """`hides`, which looks at packed bytes, and `check` agree on floats, large numbers and text
    with surrogates."""
    assert refused(seal.hides, value) == refused(canon.check, value)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(VALUES)
def test_what_is_packed_reads_back_the_same(value: Any) -> None:
    """A value that a log may hold is read back equal, strictly, and spelt the same again."""
    if not refused(canon.check, value):
        data = canon.pack(value)
        assert canon.unpack(data) == value
        assert canon.pack(canon.unpack(data)) == data


def test_a_value_that_is_nested_without_end_is_said_to_be() -> None:
    """The library gives no words for it."""
    with pytest.raises(canon.NotCanonical, match="nested too deeply"):
        canon.unpack(b"\x91" * 200_000)


def test_text_is_whatever_can_be_encoded() -> None:
    """Every character passes as it came, first in a text or behind another, assigned or not; a
    surrogate never does."""
    for code in range(0x110000):
        text = chr(code) if code % 2 else "e" + chr(code)
        if 0xD800 <= code < 0xE000:
            assert refused(canon.check, text) and refused(seal.hides, text) and not fits(text)
        else:
            assert canon.unpack(canon.pack(text)) == text and fits(text)


def fits(text: str) -> bool:
    """Whether a text may stand in a log and in a message."""
    return canon.is_text(text)


def test_keys_ascend_by_their_bytes() -> None:
    """Keys that read alike are two, in the order of their bytes; in any other order they are not
    canonical."""
    keys = ["1", "10", "2", "__proto__", "e\u0301", "\u00e9", "\ufb01", "\U0001f600"]
    assert keys == sorted(keys, key=str.encode)
    value = dict.fromkeys(keys, 0)
    assert list(canon.unpack(canon.pack(value))) == keys
    for first, second in pairwise(keys):
        assert refused(canon.unpack, canon.pack({second: 0, first: 0}))


def test_a_refusal_leaves_nothing_behind_in_the_packer() -> None:
    """What is packed after a value that cannot be packed is spelt as ever."""
    wanted = canon.pack((1, "a"))
    for bad in ((1, "long text before it" * 10, object()), (1, 2**70), (1, (2, (3, {4})))):
        with pytest.raises((canon.NotCanonical, OverflowError)):
            canon.pack(bad)
        assert canon.pack((1, "a")) == wanted
