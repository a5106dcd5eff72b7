"""Where signatures are checked."""

from __future__ import annotations

from typing import Any

import pytest
import trio
import trio.testing

from tests.serve.test_hostile_client import a_check
from warledger.engine.serve import verifying
from warledger.protocol import acts


async def test_a_flood_of_signatures_leaves_the_loop_half_of_its_time(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So many at a time are checked as they come, which is quickest; what comes beyond that goes to
    a thread in one go, and a moment later the next ones are checked as they come again."""
    at_once = in_thread = threads = 0
    inside = False
    whole = acts.verify

    def verify(key: bytes, message: bytes, signature: bytes) -> bool:
        nonlocal at_once, in_thread
        if inside:
            in_thread += 1
        else:
            at_once += 1
        return whole(key, message, signature)

    async def thread(call: Any) -> Any:
        nonlocal inside, threads
        threads += 1
        inside = True
        try:
            return call()
        finally:
            inside = False

    monkeypatch.setattr(acts, "verify", verify)
    verifier = verifying.Verifier(thread)
    found: dict[int, bool] = {}

    async def ask(number: int) -> None:
        found[number] = await verifier.signed(*a_check(number))

    for flood in range(2):
        async with trio.open_nursery() as nursery:
            for number in range(100):
                nursery.start_soon(ask, number)
        each = (verifying.AT_ONCE_MAX, 100 - verifying.AT_ONCE_MAX, 1)
        assert (at_once, in_thread, threads) == tuple((flood + 1) * count for count in each)
        assert found == {number: number % 3 > 0 for number in range(100)}
        await trio.sleep(2 * verifying.AT_ONCE_SECONDS)
