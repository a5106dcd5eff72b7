"""Clocks at the terminal: what they show, warnings when little is left, and everything that a seat
may do about time.

Alone, `clock` shows every seat's clock. It may be followed by what to do: pause, adjourn, resume,
leave, night, claim, give. What the rules of the clocks do not allow is refused by the server.
"""

import re
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Final, TypeAlias

import trio

from warledger.clients.clockface import ServerTime, duration, face, low_as, low_at, moment
from warledger.clients.link import LinkError, Seat, Watch
from warledger.clients.terminal.screen import Screen
from warledger.protocol.board.choices import Refusal
from warledger.protocol.clocks.clockcontrol import CLAIM
from warledger.protocol.wire.messages import Accepted

Answered: TypeAlias = Accepted | Refusal | None
"""What became of an act; None where what was typed could not be read, which has been said."""

ASK_AGAIN_S: Final = 3600.0
"""The server is asked for its time at least this often, since clocks of different machines drift
apart."""

_HOURS: Final = re.compile(r"(\d{1,2}):(\d{2})", re.ASCII)


class Timing:
    """The clocks of one game for the player of a seat. `refused` tells a refusal."""

    def __init__(self, seat: Seat, screen: Screen, refused: Callable[[Refusal], None]) -> None:
        self.seat = seat
        self.watch: Watch = seat.watch
        self.screen = screen
        self.time = ServerTime(seat.link)
        self._refused = refused

    # --- what the clocks show ---------------------------------------------------------------------

    async def clock(self, rest: tuple[str, ...]) -> None:
        """The word `clock`."""
        if self.watch.control is None:
            self.screen.say("refusal.no_clocks")
            return
        if not rest:
            self.show(await self.time.ask())
            return
        word = rest[0].casefold()
        for name, act in _ACTS.items():
            if word == name or word in self.screen.spoken.text(f"ui.clock.word.{name}").split():
                answer = await act(self, rest[1:])
                if isinstance(answer, Refusal):
                    self._refused(answer)
                return
        self.screen.say("ui.clock.unknown", word=rest[0], words=tuple(_ACTS))

    def show(self, now_ms: int) -> None:
        """Every clock on a line of its own, then what will happen."""
        clocks, spoken = self.watch.clocks, self.screen.spoken
        if clocks is None:
            return
        for seat in self.watch.genesis.seats:
            shown = self.watch.clock_of(seat, now_ms)
            assert shown is not None
            told = [spoken.text("ui.clock.line", seat=seat, left=face(shown.left, spoken))]
            told.append(
                spoken.text(
                    f"ui.clock.stopped.{shown.stopped}" if shown.stopped else "ui.clock.runs"
                )
            )
            if shown.free and not shown.stopped:
                told.append(spoken.text("ui.clock.free", free=face(shown.free, spoken)))
            if shown.deadline is not None:
                told.append(spoken.text("ui.clock.deadline", at=moment(shown.deadline)))
            if shown.until is not None:
                told.append(spoken.text("ui.clock.goes_on", at=moment(shown.until)))
            self.screen.write(" ".join(told))
        control = self.watch.control
        if control is not None and control.fall == CLAIM and clocks.fallen and not clocks.over:
            mine = self.seat.seat in clocks.fallen
            self.screen.say("ui.clock.fell_mine" if mine else "ui.clock.fell_other")

    # --- word before it hurts ---------------------------------------------------------------------

    async def mind(self) -> None:
        """Warn in time that little is left. Runs until it is cancelled."""
        control = self.watch.control
        if control is None:
            return
        bank = control.of(self.seat.seat, "bank")
        told: int | None = None
        asked = -ASK_AGAIN_S
        while not self.watch.ended:
            try:
                if trio.current_time() - asked >= ASK_AGAIN_S:
                    await self.time.ask()
                    asked = trio.current_time()
            except LinkError:
                await self._news()
                continue
            now_ms = self.time.now()
            shown = self.watch.clock_of(self.seat.seat, now_ms)
            assert shown is not None
            low = low_as(shown, bank)
            if low is not None and not shown.stopped and (told is None or low < told):
                self.screen.say("ui.clock.low", left=face(shown.left, self.screen.spoken))
            if low is None or not shown.stopped:
                told = low
            at_ms = low_at(shown, bank)
            if at_ms is None:
                await self._news()
                continue
            with trio.move_on_after((at_ms - now_ms) / 1000):
                await self._news()

    async def _news(self) -> None:
        """Wait until something has arrived."""
        try:
            await self.watch.wait()
        except LinkError:
            await trio.sleep_forever()

    # --- what a seat may do -----------------------------------------------------------------------

    async def _pause(self, rest: tuple[str, ...], *, adjourns: bool = False) -> Answered:
        until = 0
        if rest:
            length = self._duration(rest)
            if length is None:
                return None
            until = await self.time.ask() + length
        answer = await self.seat.ask_pause(until, adjourns=adjourns)
        if isinstance(answer, Accepted):
            self.screen.say("ui.clock.asked")
        return answer

    async def _adjourn(self, rest: tuple[str, ...]) -> Answered:
        return await self._pause(rest, adjourns=True)

    async def _resume(self, rest: tuple[str, ...]) -> Answered:
        return await self.seat.resume()

    async def _claim(self, rest: tuple[str, ...]) -> Answered:
        return await self.seat.claim_time()

    async def _give(self, rest: tuple[str, ...]) -> Answered:
        others = [seat for seat in self.watch.genesis.seats if seat != self.seat.seat]
        clocks = self.watch.clocks
        fallen = [seat for seat in others if clocks is not None and seat in clocks.fallen]
        length = self._duration(rest)
        if length is None:
            return None
        if not fallen:
            self.screen.say("refusal.credit")
            return None
        return await self.seat.give_time(fallen[0], length)

    async def _leave(self, rest: tuple[str, ...]) -> Answered:
        try:
            first, last = (datetime.fromisoformat(day) for day in rest)
        except ValueError:
            self.screen.say("ui.clock.need_days")
            return None
        now_ms = await self.time.ask()
        begins, ends = (int(day.astimezone().timestamp() * 1000) for day in (first, last))
        # A day means all of it; today's begins now.
        if len(rest[1]) == len("2026-01-31"):
            ends += 24 * 3_600_000
        if len(rest[0]) == len("2026-01-31") and begins <= now_ms < begins + 24 * 3_600_000:
            begins = now_ms + 1000
        return await self.seat.take_leave(begins, ends)

    async def _night(self, rest: tuple[str, ...]) -> Answered:
        """Typed in the reader's own time; the log has minutes of the day in UTC."""
        found = _HOURS.fullmatch(rest[0]) if len(rest) == 2 else None
        if found is None or int(found[1]) > 23 or int(found[2]) > 59:
            self.screen.say("ui.clock.need_hours")
            return None
        length = self._duration(rest[1:])
        if length is None:
            return None
        today = datetime.fromtimestamp(await self.time.ask() / 1000).astimezone()
        begins = today.replace(hour=int(found[1]), minute=int(found[2])).astimezone(UTC)
        return await self.seat.choose_night(begins.hour * 60 + begins.minute, length // 60_000)

    def _duration(self, rest: tuple[str, ...]) -> int | None:
        try:
            return duration("".join(rest))
        except ValueError:
            self.screen.say("ui.clock.need_time", word=" ".join(rest) or "–")
            return None


_ACTS: Final[dict[str, Callable[[Timing, tuple[str, ...]], Awaitable[Answered]]]] = {
    "pause": Timing._pause,
    "adjourn": Timing._adjourn,
    "resume": Timing._resume,
    "leave": Timing._leave,
    "night": Timing._night,
    "claim": Timing._claim,
    "give": Timing._give,
}
