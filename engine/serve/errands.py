"""What the processes of one server ask of each other over a line, and what they answer.

Rules of this file:
- Nobody waits for ever: to tell a process that does not answer from one that takes its time, it is
  asked whether it is alive.
- A failure over there concerns only the process that asked.
"""

from __future__ import annotations

import socket
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, Final

import trio
from attrs import define, field

from warledger.engine.serve.line import Line, LineBroken

ANSWER_SECONDS: Final = 5.0
"""Seconds. A process that takes longer to answer what it can answer at once does not answer, and
whoever asked gets an error."""


class NotDone(Exception):
    """The other process met a bug while it did something for us; its own log says what it was."""


Act = Callable[..., Awaitable[Any]]


@define(eq=False)
class Errands:
    """One end of a line: requests sent over it, and their answers."""

    line: Line
    acts: Mapping[str, Act]
    take: Callable[[int, str, tuple[Any, ...], bytes, socket.socket], Awaitable[None]]
    start: Callable[..., None]
    log: Any
    _asked: int = 0
    _waiting: dict[int, tuple[trio.Event, list[Callable[[], Any]]]] = field(factory=dict)
    _broken: bool = False

    async def ask(self, act: str, *args: Any) -> Any:
        """Have the other process do something, however long it takes, as long as it is alive.
        Raises LineBroken, NotDone."""
        with self._asking() as (number, event, found):
            with trio.move_on_after(ANSWER_SECONDS) as sending:
                await self.line.send(("ask", number, act, args))
            if sending.cancelled_caught:
                raise LineBroken
            while not event.is_set():
                with trio.move_on_after(ANSWER_SECONDS):
                    await event.wait()
                if not event.is_set():
                    await self.ask_soon("well")
        return _of(found)

    async def ask_soon(self, act: str, *args: Any) -> Any:
        """The same for what is answered at once. Raises LineBroken, NotDone."""
        with self._asking() as (number, event, found), trio.move_on_after(ANSWER_SECONDS):
            await self.line.send(("ask", number, act, args))
            await event.wait()
        return _of(found)

    async def until_gone(self, act: str) -> None:
        """Have the other process do a last thing, and wait until it has ended."""
        with suppress(LineBroken), self._asking() as (number, event, _):
            await self.line.send(("ask", number, act, ()))
            await event.wait()

    @contextmanager
    def _asking(self) -> Iterator[tuple[int, trio.Event, list[Callable[[], Any]]]]:
        if self._broken:
            raise LineBroken
        self._asked += 1
        number = self._asked
        waiting = self._waiting[number] = (trio.Event(), [])
        try:
            yield number, *waiting
        finally:
            self._waiting.pop(number, None)

    async def hand_over(
        self, to: int, what: str, state: tuple[Any, ...], data: bytes, sock: socket.socket
    ) -> None:
        """Pass a socket on. Raises LineBroken."""
        await self.line.send(("take", to, what, state, data), sock)

    async def run(self) -> None:
        """Handle what arrives until the other process is gone; then raise LineBroken."""
        try:
            while True:
                message, sock = await self.line.receive()
                match message:
                    case ("ask", number, act, args):
                        self.start(self._answer, number, act, args)
                    case ("answer", number, value):
                        self._answered(number, partial(_as_it_is, value))
                    case ("not done", number, why):
                        self._answered(
                            number, partial(_raise, LineBroken if why == _GONE else NotDone)
                        )
                    case ("take", to, what, state, data) if sock is not None:
                        try:
                            await self.take(to, what, state, data, sock)
                        except Exception as error:
                            # One client cannot be taken over; the others have not been asked about.
                            self.log.error("fault", where="take", what=type(error).__name__)
                            sock.close()
        finally:
            self._broken = True
            for event, _ in self._waiting.values():
                event.set()

    def _answered(self, number: int, what: Callable[[], Any]) -> None:
        waiting = self._waiting.get(number)
        if waiting is not None:
            waiting[1].append(what)
            waiting[0].set()

    async def _answer(self, number: int, act: str, args: tuple[Any, ...]) -> None:
        # A failure here concerns only the process that asked.
        answer: tuple[Any, ...]
        try:
            answer = ("answer", number, await self.acts[act](*args))
        except LineBroken:  # a third process is gone, or does not answer
            answer = ("not done", number, _GONE)
        except Exception as error:
            self.log.error("fault", where=act, what=type(error).__name__)
            answer = ("not done", number, _FAULT)
        with suppress(LineBroken):  # `run` raises
            await self.line.send(answer)


_GONE: Final = "gone"
_FAULT: Final = "fault"


def _of(found: list[Callable[[], Any]]) -> Any:
    if not found:
        raise LineBroken
    return found[0]()


def _as_it_is(value: Any) -> Any:
    return value


def _raise(kind: type[Exception]) -> Any:
    raise kind
