"""Signatures that clients send are checked together: those that came while the last ones were checked, in one thread.

libsodium lets the interpreter go on meanwhile, so that a machine with a second core checks at the loop's side. A few are checked in place:
a thread would cost more than they do.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final

import trio
from attrs import define, field

from protocol import acts
from protocol.acts import Act

IN_PLACE_MAX: Final = 2
"""So many checks at a time are made in place."""

@define(eq=False)
class _Check:
    key: bytes
    message: bytes
    signature: bytes
    done: trio.Event = field(factory=trio.Event)
    good: bool = False


@define(eq=False)
class Verifier:
    """Checks signatures; `blocking` runs a call in a thread."""

    blocking: Callable[[Callable[[], Any]], Awaitable[Any]]
    _waiting: list[_Check] = field(factory=list)
    _leading: bool = False

    async def holds(self, act: Act) -> bool:
        """Whether an act's signature is its key's; an act without a key holds when it carries none."""
        if act.key == acts.NO_KEY:
            return not act.signature
        import os
        if os.environ.get("INPLACE"):
            return acts.verify(act.key, act.signed, act.signature)
        return await self.signed(act.key, act.signed, act.signature)

    async def signed(self, key: bytes, message: bytes, signature: bytes) -> bool:
        """Whether the signature of a message is the key's."""
        check = _Check(key, message, signature)
        self._waiting.append(check)
        if self._leading:
            await check.done.wait()
            return check.good
        self._leading = True
        try:
            # Let those come that this turn of the loop brings.
            await trio.lowlevel.checkpoint()
            while not check.done.is_set():
                await self._check()
        finally:
            self._leading = False
            self._pass_on()
        return check.good

    async def _check(self) -> None:
        taken, self._waiting = self._waiting, []
        if len(taken) <= IN_PLACE_MAX:
            found = _verified(taken)
        else:
            try:
                found = await self.blocking(lambda: _verified(taken))
            except trio.Cancelled:
                # The leader's peer has gone; the others' checks are made by whoever leads next.
                self._waiting = taken + self._waiting
                raise
        for check, good in zip(taken, found, strict=True):
            check.good = good
            check.done.set()

    def _pass_on(self) -> None:
        """Nobody leads any more: what came meanwhile is checked here and now."""
        taken, self._waiting = self._waiting, []
        for check, good in zip(taken, _verified(taken), strict=True):
            check.good = good
            check.done.set()


def _verified(checks: list[_Check]) -> list[bool]:
    return [acts.verify(check.key, check.message, check.signature) for check in checks]
