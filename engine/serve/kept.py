"""What takes long to make and may be asked for again: kept up to a size, and made once, however
many ask for it at the same time."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Generic, TypeVar

import trio
from attrs import define, field

T = TypeVar("T")


@define(eq=False)
class Kept(Generic[T]):
    """Things that were made, those used most recently up to this many bytes in all; and those being
    made, once each. `size` returns the bytes of one."""

    bytes_max: int
    size: Callable[[T], int]
    _bytes: int = 0
    _found: dict[Any, T] = field(factory=dict)
    _making: dict[Any, trio.Event] = field(factory=dict)

    async def get(self, key: Any, make: Callable[[], Awaitable[T]]) -> T:
        """What is kept under the key. It is made if it is not there."""
        while True:
            found = self._found.pop(key, None)
            if found is not None:
                self._found[key] = found
                return found
            if not await self.waited(key):
                return self._keep(key, await self.make(key, make))

    async def waited(self, key: Any) -> bool:
        """Wait for what is being made under the key; False if nothing is."""
        under_way = self._making.get(key)
        if under_way is not None:
            await under_way.wait()
        return under_way is not None

    async def make(self, key: Any, make: Callable[[], Awaitable[T]]) -> T:
        """Make it without keeping anything; nobody else may be making it."""
        done = self._making[key] = trio.Event()
        try:
            return await make()
        finally:
            del self._making[key]
            done.set()

    def _keep(self, key: Any, made: T) -> T:
        size = self.size(made)
        if size <= self.bytes_max // 4:
            self._found[key] = made
            self._bytes += size
            while self._bytes > self.bytes_max:
                self._bytes -= self.size(self._found.pop(next(iter(self._found))))
        return made
