"""A world outside that a seed decides, for simulations: see `warledger.engine.runtime.ambient`."""

import random
from collections.abc import Callable
from typing import TypeVar

import trio

T = TypeVar("T")


class SeededAmbient:
    """A world told by a seed: trio's clock (a mock one, usually), bytes from a generator, no
    threads."""

    def __init__(self, seed: int, started_ms: int = 1_700_000_000_000) -> None:
        self._random = random.Random(seed)
        self._started_ms = started_ms

    def now_ms(self) -> int:
        return self._started_ms + int(trio.current_time() * 1000)

    def time_is_sure(self) -> bool:
        return True

    def random_bytes(self, n: int) -> bytes:
        return self._random.randbytes(n)

    async def blocking(self, call: Callable[[], T]) -> T:
        await trio.lowlevel.checkpoint()
        return call()
