"""Signatures that clients send are checked: in place as long as that is little of the loop's time, a flood of them together in a thread.

libsodium lets the interpreter go on meanwhile, so a machine with a second core can check at the loop's side. But to hand a check over and
to hear of it costs the loop as much as most of the check: below a flood a server takes more commands a second when it checks in place.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final

import trio
from attrs import define, field

from protocol import acts
from protocol.acts import Act

IN_PLACE_MAX: Final = 2
"""So many checks of those that wait for a thread are made in place after all."""
AT_ONCE_MAX: Final = 32
AT_ONCE_SECONDS: Final = 0.004
"""So many checks within so many seconds, which is less than half of them, are made as they come; others wait for a thread."""


@define(eq=False)
class _Check:
    """`woken` is set when it is done, or when whoever waits for it is to lead; `given_up`: nobody waits any more."""

    key: bytes
    message: bytes
    signature: bytes
    woken: trio.Event = field(factory=trio.Event)
    done: bool = False
    good: bool = False
    given_up: bool = False


@define(eq=False)
class Verifier:
    """Checks signatures; `blocking` runs a call in a thread.

    One of those who wait *leads*: it has all checked that wait, its own among them, and leaves the lead to one that came meanwhile.
    Whatever becomes of it (its peer has gone, no thread can be had) the checks of the others are made.
    """

    blocking: Callable[[Callable[[], Any]], Awaitable[Any]]
    _waiting: list[_Check] = field(factory=list)
    _leading: bool = False
    _began: float = -1.0
    _at_once: int = 0

    async def holds(self, act: Act) -> bool:
        """Whether an act's signature is its key's; an act without a key holds when it carries none."""
        if act.key == acts.NO_KEY:
            return not act.signature
        if self._may_be_at_once():
            return acts.verify(act.key, act.signed, act.signature)
        return await self._later(act.key, act.signed, act.signature)

    async def signed(self, key: bytes, message: bytes, signature: bytes) -> bool:
        """Whether the signature of a message is the key's."""
        if self._may_be_at_once():
            return acts.verify(key, message, signature)
        return await self._later(key, message, signature)

    def _may_be_at_once(self) -> bool:
        now = trio.current_time()
        if now - self._began > AT_ONCE_SECONDS:
            self._began, self._at_once = now, 0
        self._at_once += 1
        return self._at_once <= AT_ONCE_MAX

    async def _later(self, key: bytes, message: bytes, signature: bytes) -> bool:
        check = _Check(key, message, signature)
        self._waiting.append(check)
        leads = not self._leading
        self._leading = True
        try:
            if leads:
                # Let those come that this turn of the loop brings.
                await trio.lowlevel.checkpoint()
            else:
                await check.woken.wait()
                leads = not check.done
            while not check.done:
                await self._check()
        finally:
            check.given_up = not check.done
            if leads or (check.woken.is_set() and not check.done):
                self._pass_on()
        return check.good

    async def _check(self) -> None:
        taken, self._waiting = self._waiting, []
        try:
            found = _verified(taken) if len(taken) <= IN_PLACE_MAX else await self.blocking(lambda: _verified(taken))
        except BaseException:
            # The others' checks are made by whoever leads next.
            self._waiting = taken + self._waiting
            raise
        _tell(taken, found)

    def _pass_on(self) -> None:
        """Leave the lead to the first that came meanwhile; what is only a few is checked here and now."""
        self._waiting = [check for check in self._waiting if not check.given_up]
        if len(self._waiting) > IN_PLACE_MAX:
            self._waiting[0].woken.set()
            return
        self._leading = False
        taken, self._waiting = self._waiting, []
        _tell(taken, _verified(taken))


def _tell(checks: list[_Check], found: list[bool]) -> None:
    for check, good in zip(checks, found, strict=True):
        check.good = good
        check.done = True
        check.woken.set()


def _verified(checks: list[_Check]) -> list[bool]:
    return [acts.verify(check.key, check.message, check.signature) for check in checks]
