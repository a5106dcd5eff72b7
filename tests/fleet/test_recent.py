"""What is kept of the games that were just read whole."""

from __future__ import annotations

import pytest
import trio.testing

from warledger.engine.store.fleet import recent
from warledger.engine.store.fleet.recent import FRAME_BYTES, RECENT_SECONDS, Recent
from warledger.engine.store.port import FRAME_RECORD, Frame


def frames(*words: bytes) -> list[Frame]:
    return [Frame(FRAME_RECORD, word) for word in words]


async def test_only_what_follows_without_gap_is_kept(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """What stands behind another message than the newest that is known ends what was kept; the same
    whole again begins it anew. It is given for the newest message alone, and for so long."""
    kept = Recent()
    kept.take("g", 0, 7, frames(b"a", b"b"))
    kept.take("g", 7, 9, frames(b"c"))
    assert kept.whole("g", 9) == frames(b"a", b"b", b"c")
    assert kept.whole("g", 7) is None and kept.whole("h", 9) is None
    kept.take("g", 8, 10, frames(b"d"))
    assert kept.whole("g", 10) is None and kept.whole("g", 9) is None
    kept.take("g", 5, 10, frames(b"d"))
    assert kept.whole("g", 10) is None
    kept.take("g", 0, 10, frames(b"a"))
    await trio.sleep(RECENT_SECONDS / 2)
    kept.take("g", 10, 11, frames(b"b"))
    assert kept.whole("g", 11) == frames(b"a", b"b")
    await trio.sleep(RECENT_SECONDS / 2)
    assert kept.whole("g", 11) is None
    kept.take("g", 11, 12, frames(b"c"))
    assert kept.whole("g", 12) is None


async def test_no_more_is_kept_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest go first, and what counts is what is kept now, however often it was taken."""
    one = FRAME_BYTES + 4
    monkeypatch.setattr(recent, "RECENT_BYTES", 3 * one)
    kept = Recent()
    for _ in range(5):
        for name in ("g", "h", "i"):
            kept.take(name, 0, 1, frames(b"four"))
    assert all(kept.whole(name, 1) for name in ("g", "h", "i"))
    kept.take("g", 1, 2, frames(b"four"))
    assert [kept.whole(name, at) is None for name, at in (("g", 2), ("h", 1), ("i", 1))] == [
        False, True, False,
    ]  # fmt: skip
    kept.take("j", 0, 1, frames(b"a" * 4 * one))
    assert not any(kept.whole(name, at) for name, at in (("g", 2), ("i", 1), ("j", 1)))
    kept.take("g", 0, 1, frames(b"four"))
    assert kept.whole("g", 1)
    kept.forget("g")
    assert kept.whole("g", 1) is None
