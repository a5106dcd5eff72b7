"""Playing in a terminal, line by line.

A line is either one of the words in WORDS (help, board, why …) or picks: words or numbers of what
is on offer, one or several. A line of several picks that make a whole command is submitted at once
("sail hood renown north_sea"). Picked one by one, an empty line submits. The lines of a file wait
their turn, so that a game can also be played from one. What a person types while it is another's
turn is refused, since by its own turn the position has changed.
"""

import math
from collections.abc import AsyncIterator, Awaitable, Callable

import trio

from warledger.clients.describing import told_by
from warledger.clients.link import LinkError, Seat, Watch
from warledger.clients.terminal import story, words
from warledger.clients.terminal.looking import LOOKS
from warledger.clients.terminal.picking import Picking
from warledger.clients.terminal.screen import Screen
from warledger.clients.terminal.tabletalk import TableTalk
from warledger.clients.terminal.timing import Timing
from warledger.clients.terminal.words import WORDS as WORDS
from warledger.protocol import canon
from warledger.protocol.board.choices import Picks, Refusal, Say
from warledger.protocol.log import bodies, records
from warledger.protocol.log.bodies import TAKEBACK
from warledger.protocol.log.records import OPEN, Record
from warledger.protocol.seats.standing import TURN, with_answer

PATIENCE_S = 2.0
"""How long a line that a person typed waits for their turn: as long as an answer of the server may
be under way."""


class Player:
    """One player at one seat. `lines` are what is typed, or, with `scripted`, lines of a file."""

    def __init__(
        self, seat: Seat, screen: Screen, lines: AsyncIterator[str], *, scripted: bool = True
    ) -> None:
        self.seat = seat
        self.watch: Watch = seat.watch
        self.screen = screen
        self._lines = lines
        self._patience = math.inf if scripted else PATIENCE_S
        self.hand = Picking(seat, screen, self._seen)
        self.timing = Timing(seat, screen, self.hand.refuse)
        self.talk = TableTalk(seat, screen)
        self._typed = ""
        self._resigning = False
        self._shown_ask = -1
        self._drawn: Say | None = None
        self._leaving = False
        self._told = -1
        self._told_more = trio.Event()
        self._attend_now = trio.Event()
        self._acting = trio.Lock()

    # --- the two tasks ----------------------------------------------------------------------------

    async def play(self) -> None:
        """Play until the game ends, the player quits or the lines run out."""
        genesis = self.watch.genesis
        pack = canon.unpack_trusted(genesis.pack)
        told = await told_by(self.seat.link, genesis)
        self.screen.of_game(genesis.title, pack, genesis.options, told)
        self._told = max(-1, self.watch.last_seq - 3)
        self.screen.say("ui.welcome", game=genesis.game, seat=self.seat.seat, title=genesis.title)
        self.screen.about_table(self.watch, self.seat.seat)
        self.seat.link.on_change = self._connection
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._follow, nursery.cancel_scope)
            nursery.start_soon(self._attend)
            nursery.start_soon(self.timing.mind)
            nursery.start_soon(self.talk.mind)
            async for line in self._lines:
                await self._line(line)
                if self._leaving or self.watch.ended:
                    break
            if not self._leaving:
                await self._out_of_lines()
            nursery.cancel_scope.cancel()

    def _connection(self, up: bool) -> None:
        self.screen.say("ui.connection_back" if up else "ui.connection_lost")

    async def _follow(self, scope: trio.CancelScope) -> None:
        """Show what happens as it happens. Never waits for the player."""
        async for seen in self.watch.after(self._told):
            self.screen.tell(story.tell(seen.record, seen.effects, self.screen.spoken))
            if story.begins(seen.record):
                self.screen.about_table(self.watch, self.seat.seat)
            self._told = seen.record.seq
            if seen.record.kind in (records.COMMAND, records.TAKEBACK):
                self.hand.forget()
            more, self._told_more = self._told_more, trio.Event()
            more.set()
            if self._told == self.watch.last_seq:
                self._attend_now.set()
        scope.cancel()

    async def _attend(self) -> None:
        """What the player must know now: a request to answer, a decision to make."""
        while True:
            await self._attend_now.wait()
            self._attend_now = trio.Event()
            async with self._acting:
                ask = self.watch.ask
                if ask is not None and ask.seat != self.seat.seat and ask.seq != self._shown_ask:
                    self._shown_ask = ask.seq
                    self.screen.say("ui.answer_request")
                    if ask.kind == TAKEBACK and any(
                        seen.record.kind == OPEN for seen in self.watch.seen[ask.to + 1 :]
                    ):
                        self.screen.say("ui.asks_takeback_turn")
                if self.seat.is_asked and self.hand.choices is None:
                    self._look()
                    await self.hand.offer()

    def _look(self) -> None:
        """Draw the board when it is new to the player: when the other side has acted or the phase
        has changed, not after each of their own moves."""
        board, last = self.watch.board, self.watch.seen[-1].record
        mine = self._is_mine(last)
        if not mine or board.phase != self._drawn:
            self._drawn = board.phase
            self.screen.board(board)

    async def _out_of_lines(self) -> None:
        """Nothing more will be typed: wait until the last act has been seen, then leave the game as
        it is."""
        if not self.watch.ended:
            self.screen.say("ui.no_more_lines")

    # --- one line ---------------------------------------------------------------------------------

    async def _line(self, line: str) -> None:
        typed = words.split(line)
        if typed and not self._command_of(typed) and not await self._asked(line):
            return
        async with self._acting:
            self._typed = line
            if self.seat.is_asked and self.hand.choices is None:
                await self.hand.explore(())
            await self._act(typed)

    async def _act(self, typed: tuple[str, ...]) -> None:
        command = self._command_of(typed) if typed else ""
        if self._resigning and command not in ("yes", "no"):
            self._resigning = False
            self.screen.say("ui.not_resigned")
        if not typed:
            await self._empty_line()
        elif command:
            try:
                if command in LOOKS:
                    await LOOKS[command](self.hand, typed[1:])
                else:
                    await _ACTS[command](self, typed[1:])
            except LinkError as error:
                self.screen.trouble(error)
        else:
            await self.hand.pick(typed)

    def _command_of(self, typed: tuple[str, ...]) -> str:
        """The word of WORDS that a line begins with; "" if there is none, or if what is on offer is
        meant: that word itself, or a name of several words that begins with it. After a slash it is
        always one of WORDS."""
        word, choices = typed[0], self.hand.choices
        bare = word.removeprefix("/").casefold()
        if choices is not None and not word.startswith("/"):
            found = words.match(choices, typed, self.screen.spoken) if len(typed) > 1 else None
            if choices.offers(bare) or (found is not None and found.used > 1):
                return ""
        for command in WORDS:
            if bare == command or bare in self.screen.spoken.text(f"ui.word.{command}").split():
                return command
        return ""

    async def _empty_line(self) -> None:
        if self.hand.choices is not None and self.hand.picks and self.hand.choices.complete:
            await self.hand.submit(self.hand.picks)
        elif self.hand.choices is not None:
            self.hand.show_choices()

    async def _asked(self, line: str) -> bool:
        """Wait for the player's turn: lines of a file that arrive early keep their order. False if
        the game has ended, or a person's line is not for now."""
        if not self.seat.is_asked and not self.watch.ended:
            self.screen.say("ui.waiting")
        asked = False
        with trio.move_on_after(self._patience) as waiting:
            asked = await self.seat.asked()
        if waiting.cancelled_caught:
            self.screen.say("ui.not_your_turn", line=line.strip())
        return asked

    async def _seen(self, seq: int) -> None:
        """Let the story catch up, so that the next line answers the next question."""
        while self._told < seq:
            await self._told_more.wait()

    # --- words that act ---------------------------------------------------------------------------

    async def _undo(self, rest: tuple[str, ...]) -> None:
        if self.hand.picks:
            await self._back(rest)
            return
        to = self._undo_target()
        if to is None:
            self.screen.say("ui.nothing_to_undo")
            return
        answer = await self.seat.take_back(to)
        if isinstance(answer, Refusal):
            self.hand.refuse(answer)
        elif self.watch.ask is not None and self.watch.ask.seat == self.seat.seat:
            self.screen.say("ui.takeback_asked")

    def _undo_target(self) -> int | None:
        """The record before this seat's last command that still stands."""
        targets: list[int] = []
        stood = 0
        for seen in self.watch.seen:
            record = seen.record
            if self._is_mine(record):
                targets.append(stood)
            elif record.kind == records.TAKEBACK:
                to = bodies.Takeback.read(record.body).to
                targets = [target for target in targets if target < to]
            if bodies.stands(record):
                stood = record.seq
        return targets[-1] if targets else None

    def _is_mine(self, record: Record) -> bool:
        """Whether it is a command of this seat."""
        return (
            record.kind == records.COMMAND
            and bodies.CommandBody.read(record.body).seat == self.seat.seat
        )

    async def _resign(self, rest: tuple[str, ...]) -> None:
        self._resigning = True
        self.screen.say("ui.really_resign")

    async def _draw(self, rest: tuple[str, ...]) -> None:
        answer = await self.seat.offer_draw()
        if isinstance(answer, Refusal):
            self.hand.refuse(answer)
        else:
            self.screen.say("ui.draw_offered")

    async def _yes(self, rest: tuple[str, ...]) -> None:
        await self._answer(True)

    async def _no(self, rest: tuple[str, ...]) -> None:
        await self._answer(False)

    async def _answer(self, consents: bool) -> None:
        if self._resigning:
            self._resigning = False
            if not consents:
                self.screen.say("ui.not_resigned")
                return
            answer = await self.seat.resign()
        else:
            answer = await self.seat.answer(consents)
        if isinstance(answer, Refusal):
            self.hand.refuse(answer)
        else:
            await self._seen(answer.seq)

    async def _back(self, rest: tuple[str, ...]) -> None:
        if self.hand.picks:
            await self.hand.offer(self.hand.picks[:-1])
        else:
            self.screen.say("ui.nothing_picked")

    async def _submit_now(self, rest: tuple[str, ...]) -> None:
        if self.hand.choices is not None and self.hand.picks and self.hand.choices.complete:
            await self.hand.submit(self.hand.picks)
        else:
            self.screen.say("ui.not_complete")

    async def _always(self, rest: tuple[str, ...]) -> None:
        """Give the same answer whenever this question comes again this turn; alone, take all such
        answers back."""
        if not rest:
            taken_back = await self.seat.standing(())
            if isinstance(taken_back, Refusal):
                self.hand.refuse(taken_back)
            else:
                self.screen.say("ui.always_none")
            return
        if self.hand.choices is None or self.hand.picks:
            self.screen.say("ui.always_when_asked")
            return
        picks: Picks = ()
        left = rest
        while left:
            found = words.match(self.hand.choices, left, self.screen.spoken)
            if (
                found is None
                or found.pick is None
                or not await self.hand.explore((*picks, found.pick))
            ):
                self.screen.say("ui.unknown_word", word=left[0])
                await self.hand.explore(())
                return
            picks, left = (*picks, found.pick), left[found.used :]
        complete = self.hand.choices.complete
        await self.hand.explore(())
        if not complete:
            self.screen.say("ui.not_complete")
            return
        prompt = self.hand.prompt.key
        await self.hand.submit(picks)
        if self.hand.refusal is None:
            standing = await self.seat.standing(None)
            if not isinstance(standing, Refusal):
                standing = await self.seat.standing(with_answer(standing, prompt, picks, TURN))
            if isinstance(standing, Refusal):
                self.hand.refuse(standing)
            else:
                self.screen.say(
                    "ui.always", picks=tuple(self.screen.spoken.pick(pick) for pick in picks)
                )

    async def _clock(self, rest: tuple[str, ...]) -> None:
        await self.timing.clock(rest)

    async def _say(self, rest: tuple[str, ...]) -> None:
        """What follows the word is said as it was typed."""
        await self.talk.say(self._typed.strip().partition(" ")[2].strip())

    async def _talk(self, rest: tuple[str, ...]) -> None:
        await self.talk.talk(rest)

    async def _quit(self, rest: tuple[str, ...]) -> None:
        self._leaving = True
        self.screen.say("ui.left")


_ACTS: dict[str, Callable[[Player, tuple[str, ...]], Awaitable[None]]] = {
    "undo": Player._undo,
    "resign": Player._resign,
    "draw": Player._draw,
    "yes": Player._yes,
    "no": Player._no,
    "back": Player._back,
    "submit": Player._submit_now,
    "always": Player._always,
    "clock": Player._clock,
    "say": Player._say,
    "talk": Player._talk,
    "quit": Player._quit,
}
