"""What is said at the table, for whoever plays at a terminal: `say TEXT`, `talk`, and what others
say, as they say it. It is not part of the game's log."""

import time
from contextlib import suppress
from functools import partial
from typing import Any, Final

import trio

from warledger.clients.link import LinkError, Seat, ServerError
from warledger.clients.terminal.screen import Screen
from warledger.protocol.wire import talkmessages as tm

LOOK_SECONDS: Final = 5.0
"""How often new lines are looked for."""
SHOWN: Final = 20
"""Lines that `talk` shows unless it is given a number."""

Line = tuple[int, int, str, str, str, bool]
"""A line of `TalkIs.lines`."""


def show_line(screen: Screen, line: Line) -> None:
    """A line with its number, its time here, and who said it."""
    n, at_ms, _who, name, text, reported = line
    at = time.strftime("%H:%M", time.localtime(at_ms / 1000))
    mark = screen.spoken.text("cli.talk_reported") if reported else ""
    screen.say("cli.talk_line", n=n, at=at, name=name, text=text, mark=mark)


class TableTalk:
    """The talk of a game's players, for the player of a seat."""

    def __init__(self, seat: Seat, screen: Screen) -> None:
        self.seat = seat
        self.screen = screen
        self._shown = 0

    async def say(self, text: str) -> None:
        """Say this. Raises LinkError."""
        if not text:
            self.screen.say("ui.talk_what")
            return
        game, seat = self.seat.watch.game, self.seat.seat
        make = partial(tm.SayLine, game=game, room=tm.PLAYERS, seat=seat, text=text)
        await self.seat.link.request(make, again=False)
        await self._look()

    async def talk(self, rest: tuple[str, ...]) -> None:
        """Show the newest lines, or as many as are asked for. Raises LinkError."""
        typed = rest[0][:6] if rest else ""
        wanted = int(typed) if typed.isascii() and typed.isdecimal() else SHOWN
        found = await self._read(0)
        lines = found.lines[-wanted:] if wanted else ()
        for line in lines:
            show_line(self.screen, line)
        if not found.lines:
            self.screen.say("cli.talk_silence")
        if found.shut:
            self.screen.say("cli.talk_shut")
        self._shown = max((self._shown, *(line[0] for line in found.lines)))

    async def mind(self) -> None:
        """Show for ever what is said from now on, and at first that something has been said."""
        try:
            found = await self._read(0)
            self._shown = max((0, *(line[0] for line in found.lines)))
            if found.lines:
                self.screen.say("ui.talk_before", n=len(found.lines))
            while True:
                await trio.sleep(LOOK_SECONDS)
                with suppress(ServerError):  # too often, or the file is locked: the next look
                    await self._look()
        except LinkError:
            return  # without talk a game goes on as well; `talk` says what is wrong

    async def _look(self) -> None:
        for line in (await self._read(self._shown)).lines:
            if line[0] > self._shown:  # unless another look has shown it meanwhile
                self._shown = line[0]
                show_line(self.screen, line)

    async def _read(self, after: int) -> tm.TalkIs:
        """All that was said after a line, page by page."""
        game = self.seat.watch.game
        lines: tuple[Any, ...] = ()
        while True:
            found: tm.TalkIs = await self.seat.link.request(
                partial(tm.Talk, game=game, room=tm.PLAYERS, after=after)
            )
            fresh = tuple(line for line in found.lines if line[0] > after)
            lines += fresh
            if not fresh:
                return tm.TalkIs(
                    found.request, game, found.room, found.shut, found.may, lines, found.removed
                )
            after = fresh[-1][0]
