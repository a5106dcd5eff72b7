"""Checks the signatures that clients send: in place as long as that takes little of the loop's
time, and in a flood many of them together in a thread.

libsodium releases the interpreter meanwhile, so a machine with a second core can check beside the
loop. But handing a check over to a thread and hearing of its result costs the loop almost as much
as the check, so below a flood a server handles more commands a second if it checks in place. What
can be checked while the rules are at work is checked by another process: see `ahead`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final

import trio
from attrs import define, field

from warledger.protocol import acts
from warledger.protocol.acts import Act

IN_PLACE_MAX: Final = 2
"""How many checks that wait for a thread are made in place after all."""
AT_ONCE_MAX: Final = 32
AT_ONCE_SECONDS: Final = 0.004
"""If no more than this many checks come within this many seconds, and they take less than half of
that time, they are made as they arrive; others wait for a thread."""


@define(eq=False)
class _Check:
    """`woken` is set when the check is done, or when whoever waits for it is to lead; `given_up`
    means that nobody waits any more."""

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

    One of the tasks that wait *leads*: it has all waiting checks made, its own among them, and then
    leaves the lead to one that came meanwhile. Whatever happens to it (its peer has gone, there is
    no thread), the checks of the others are made.
    """

    blocking: Callable[[Callable[[], Any]], Awaitable[Any]]
    _waiting: list[_Check] = field(factory=list)
    _leading: bool = False
    _began: float = -1.0
    _at_once: int = 0

    async def holds(self, act: Act) -> bool:
        """Whether an act's signature is that of its key. An act without a key is valid if it
        carries no signature."""
        if act.key == acts.NO_KEY:
            return not act.signature
        if self._may_be_at_once():
            return acts.verify(act.key, act.signed, act.signature)
        return await self._later(act.key, act.signed, act.signature)

    async def signed(self, key: bytes, message: bytes, signature: bytes) -> bool:
        """Whether the signature of a message is that of the key."""
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
            found = (
                _verified(taken)
                if len(taken) <= IN_PLACE_MAX
                else await self.blocking(lambda: _verified(taken))
            )
        except BaseException:
            # The checks of the others are made by whoever leads next.
            self._waiting = taken + self._waiting
            raise
        _tell(taken, found)

    def _pass_on(self) -> None:
        """Leave the lead to the first that came meanwhile; if only a few are left they are checked
        here and now."""
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
