"""What takes long to make and may be asked for again: kept up to a size, and made once, however
many ask for it at the same time."""

from __future__ import annotations

from collections import Counter
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
    often: int = 0
    """How many times something must have been asked for until `due` names it; 0 for never."""
    _bytes: int = 0
    _found: dict[Any, T] = field(factory=dict)
    _making: dict[Any, trio.Event] = field(factory=dict)
    _asked: Counter[Any] = field(factory=Counter)
    _due: list[Any] = field(factory=list)

    async def get(self, key: Any, make: Callable[[], Awaitable[T]]) -> T:
        """What is kept under the key. It is made if it is not there."""
        while True:
            found = self._found.pop(key, None)
            if found is not None:
                self._found[key] = found
                self._asked[key] += 1
                if self._asked[key] == self.often:
                    self._due.append(key)
                return found
            if not await self.waited(key):
                return self._keep(key, await self.make(key, make))

    def due(self) -> list[Any]:
        """The keys of what has been asked for often since this was asked last, each once as long as
        it is kept."""
        found, self._due = [key for key in self._due if key in self._found], []
        return found

    def look(self, key: Any) -> T | None:
        """What is kept under the key, without counting as asking for it."""
        return self._found.get(key)

    def change(self, key: Any, old: T, new: T) -> None:
        """Keep something else in place of what was kept; nothing if that is no longer kept."""
        if self._found.get(key) is old:
            self._found[key] = new
            self._bytes += self.size(new) - self.size(old)

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
                oldest = next(iter(self._found))
                self._bytes -= self.size(self._found.pop(oldest))
                self._asked.pop(oldest, None)
        return made
