"""Playing in a terminal, a line at a time.

A line is either one of the words in WORDS (help, board, why …) or picks: words or numbers of what is on offer, one or several. A line of
several picks that make a whole command is submitted at once ("sail hood renown north_sea"); picked one by one, an empty line submits. Each
line waits its turn, so that a game can also be played from a file of lines.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import trio

from clients.link import LinkError, Seat, Watch
from clients.terminal import story, words
from clients.terminal.screen import Screen
from protocol import canon, records
from protocol.choices import Choices, Pick, Picks, Refusal, Say
from protocol.phrases import language_of

WORDS = (
    *("help", "board", "hex", "unit", "reach", "front", "why", "log", "undo", "resign", "draw", "yes", "no", "lang", "show", "odds"),
    *("back", "submit", "always", "more", "quit"),
)
"""Words that are not picks. Each has a short help and other spellings in the catalogues."""

LOG_LINES = 30
OPTIONS_SHOWN = 60


class Player:
    """One player at one seat. `lines` are what is typed."""

    def __init__(self, seat: Seat, screen: Screen, lines: AsyncIterator[str]) -> None:
        self.seat = seat
        self.watch: Watch = seat.watch
        self.screen = screen
        self._lines = lines
        self._picks: Picks = ()
        self._choices: Choices | None = None
        self._decision = 0
        self._refusal: Refusal | None = None
        self._resigning = False
        self._shown_ask = -1
        self._drawn: Say | None = None
        self._leaving = False
        self._told = -1
        self._told_more = trio.Event()
        self._attend_now = trio.Event()
        self._acting = trio.Lock()

    # --- the two tasks ------------------------------------------------------------------------------------------------------------

    async def play(self) -> None:
        """Play until the game ends, the player quits or the lines run out."""
        genesis = self.watch.genesis
        self.screen.of_game(genesis.title, canon.unpack_trusted(genesis.pack))
        self._told = max(-1, self.watch.last_seq - 3)
        self.screen.say("ui.welcome", game=genesis.game, seat=self.seat.seat, title=genesis.title)
        self.seat.link.on_change = self._connection
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._follow, nursery.cancel_scope)
            nursery.start_soon(self._attend)
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
        """Tell what happens as it happens. Never waits for the player."""
        async for seen in self.watch.after(self._told):
            self.screen.tell(story.tell(seen.record, seen.effects, self.screen.spoken))
            self._told = seen.record.seq
            if seen.record.kind in (records.COMMAND, records.TAKEBACK):
                self._forget()
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
                if self.seat.is_asked and self._choices is None:
                    self._look()
                    await self._offer()

    def _look(self) -> None:
        """Draw the board where it is news: when the other side has acted or the phase has changed, not after each move of one's own."""
        board, last = self.watch.board, self.watch.seen[-1].record
        mine = last.kind == records.COMMAND and last.body[records.COMMAND_SEAT] == self.seat.seat
        if not mine or board.phase != self._drawn:
            self._drawn = board.phase
            self.screen.board(board)

    async def _out_of_lines(self) -> None:
        """Nothing more will be typed: wait for what was done to be seen, then leave the game as it is."""
        if not self.watch.ended:
            self.screen.say("ui.no_more_lines")

    # --- one line -----------------------------------------------------------------------------------------------------------------

    async def _line(self, line: str) -> None:
        typed = words.split(line)
        if typed and not self._command_of(typed[0]) and not await self._asked():
            return
        async with self._acting:
            if self.seat.is_asked and self._choices is None:
                await self._explore(())
            await self._act(typed)

    async def _act(self, typed: tuple[str, ...]) -> None:
        command = self._command_of(typed[0]) if typed else ""
        if self._resigning and command not in ("yes", "no"):
            self._resigning = False
            self.screen.say("ui.not_resigned")
        if not typed:
            await self._empty_line()
        elif command:
            try:
                await _ACTS[command](self, typed[1:])
            except LinkError as error:
                self.screen.say("ui.server_error", what=str(error))
        else:
            await self._pick(typed)

    def _command_of(self, word: str) -> str:
        bare = word.removeprefix("/").casefold()
        if self._choices is not None and not word.startswith("/") and self._choices.offers(bare):
            return ""
        for command in WORDS:
            if bare == command or bare in self.screen.spoken.text(f"ui.word.{command}").split():
                return command
        return ""

    async def _empty_line(self) -> None:
        if self._choices is not None and self._picks and self._choices.complete:
            await self._submit(self._picks)
        elif self._choices is not None:
            self._show_choices()

    # --- picking ------------------------------------------------------------------------------------------------------------------

    def _forget(self) -> None:
        self._picks, self._choices = (), None

    async def _asked(self) -> bool:
        """Wait for the player's turn: lines that come early keep their place."""
        if not self.seat.is_asked and not self.watch.ended:
            self.screen.say("ui.waiting")
        return await self.seat.asked()

    async def _offer(self, picks: Picks = ()) -> bool:
        """Look at what may follow the picks, and show it."""
        if not await self._explore(picks):
            return False
        self._show_choices()
        return True

    async def _explore(self, picks: Picks) -> bool:
        try:
            offer = await self.seat.offer(picks)
        except LinkError as error:
            self.screen.say("ui.server_error", what=str(error))
            return False
        if isinstance(offer, Refusal):
            self._refuse(offer)
            return False
        if not picks:
            self._prompt = offer.prompt
        self._picks, self._choices, self._decision = picks, offer.choices, offer.decision
        return True

    _prompt: Say = Say("slot.verb")

    async def _pick(self, typed: tuple[str, ...]) -> None:
        go_on = typed[-1] == "+"
        left = typed[:-1] if go_on else typed
        if self._choices is None and not await self._explore(()):
            return
        begun = (self._picks, self._choices)
        several = len(left) > 1
        while left:
            assert self._choices is not None
            found = words.match(self._choices, left, self.screen.spoken)
            if found is None and await self._pick_standing(left[0]):
                left = left[1:]
                continue
            if found is None and self._picks == begun[0] and await self._begin_anew(left):
                continue
            if found is None:
                await self._not_on_offer(left)
                self._picks, self._choices = begun
                return
            if found.pick is None:
                names = tuple(self.screen.spoken.pick(pick) for pick in found.candidates[:12])
                self.screen.say("ui.ambiguous", word=" ".join(left[: found.used]), names=names)
                self._picks, self._choices = begun
                return
            left = left[found.used :]
            if not await self._explore((*self._picks, found.pick)):
                return
        await self._forced()
        choices = self._choices
        assert choices is not None
        if choices.complete and not go_on and (choices.is_end or several):
            await self._submit(self._picks)
        else:
            self._show_choices()

    async def _begin_anew(self, left: tuple[str, ...]) -> bool:
        """A whole command typed while another is being put together takes its place."""
        kept = (self._picks, self._choices)
        if self._picks and not left[0][:1].isdigit() and await self._explore(()):
            assert self._choices is not None
            found = words.match(self._choices, left, self.screen.spoken)
            if found is not None and found.pick is not None:
                return True
            self._picks, self._choices = kept
        return False

    async def _pick_standing(self, place: str) -> bool:
        """A place named where pieces are on offer means all of those that stand there: a stack is moved by one line."""
        picked = False
        while self._choices is not None:
            pieces = self.watch.board.pieces
            standing = (option.id for option in self._choices.options if option.id in pieces and pieces[str(option.id)].place == place)
            first = next(standing, None)
            if first is None or not await self._explore((*self._picks, first)):
                break
            picked = True
        return picked

    async def _forced(self) -> None:
        """Take picks of which there is only one, once a command is begun."""
        while self._choices is not None and self._picks and not self._choices.complete and self._choices.span is None:
            if len(self._choices.options) != 1:
                return
            only = self._choices.options[0]
            self.screen.say("ui.only_choice", choice=self.screen.spoken.option(only))
            if not await self._explore((*self._picks, only.id)):
                return

    async def _not_on_offer(self, left: tuple[str, ...]) -> None:
        """Ask the server why something that exists is not on offer; say so when nothing of that name exists."""
        known = self._known(left)
        if known is None:
            self.screen.say("ui.unknown_word", word=left[0])
            return
        offer = await self.seat.offer((*self._picks, known))
        if isinstance(offer, Refusal):
            self._refuse(offer)

    def _known(self, left: tuple[str, ...]) -> Pick | None:
        """A piece, place or word of that name anywhere in the game."""
        assert self.screen.picture is not None
        spoken = self.screen.spoken
        ids = dict.fromkeys(self.screen.picture.ids(self.watch.board))
        found = words.find({id: (words.folded(id), words.folded(spoken.name(id))) for id in ids}, left)
        if found is not None and found.pick is not None:
            return found.pick
        if spoken.has(f"pick.{self.screen.title}.{left[0]}") or spoken.has(f"pick.{left[0]}"):
            return left[0]
        return int(left[0]) if left[0].isascii() and left[0].isdigit() and len(left[0]) < 10 else None

    def _show_choices(self) -> None:
        choices, spoken = self._choices, self.screen.spoken
        assert choices is not None
        if not self._picks:
            self.screen.write(spoken.cited(self._prompt), "bold green")
        else:
            self.screen.say("ui.picked", picks=tuple(spoken.pick(pick) for pick in self._picks))
        if choices.is_end:
            self.screen.say("ui.enter_submits")
            return
        self.screen.say("ui.choose", slot=f"slot.{choices.slot}")
        for number, option in enumerate(choices.options[:OPTIONS_SHOWN], 1):
            label = spoken.option(option)
            detail = self._detail(option.id)
            self.screen.write(f"  {number}. {label}{f' — {detail}' if detail else ''}")
        if len(choices.options) > OPTIONS_SHOWN:
            self.screen.say("ui.more_choices", n=len(choices.options) - OPTIONS_SHOWN)
        if choices.span is not None:
            self.screen.say("ui.span", lowest=choices.span[0], highest=choices.span[1])
        if choices.complete:
            self.screen.say("ui.enter_submits")

    def _detail(self, id: Any) -> str:
        """A piece on offer: where it is and what is printed on it."""
        piece = self.watch.board.pieces.get(id)
        if piece is None or type(piece.face) is not str:
            return ""
        assert self.screen.picture is not None
        values = self.screen.picture.values(id, self.watch.board)
        place = self.screen.spoken.name(piece.place)
        return f"{values}, {place}" if values else place

    async def _submit(self, picks: Picks) -> None:
        try:
            answer = await self.seat.submit(picks, self._decision)
        except LinkError as error:
            self.screen.say("ui.server_error", what=str(error))
            return
        if isinstance(answer, Refusal):
            self._refuse(answer)
            self._forget()
        else:
            self._refusal = None
            await self._seen(answer.seq)

    async def _seen(self, seq: int) -> None:
        """Let the story catch up, so that the next line meets the next question."""
        while self._told < seq:
            await self._told_more.wait()

    def _refuse(self, refusal: Refusal) -> None:
        self._refusal = refusal
        self.screen.write("✗ " + self.screen.spoken.cited(refusal) if not self.screen.plain else self.screen.spoken.cited(refusal), "red")

    # --- words --------------------------------------------------------------------------------------------------------------------

    async def _help(self, rest: tuple[str, ...]) -> None:
        self.screen.say("ui.help.picks")
        for command in WORDS:
            help = self.screen.spoken.text(f"ui.help.{command}")
            also = self.screen.spoken.text(f"ui.word.{command}").split()
            self.screen.write(f"  {command:8} {self.screen.spoken.text('ui.help_line', text=help, words=tuple(also))}")

    async def _board(self, rest: tuple[str, ...]) -> None:
        self.screen.board(self.watch.board, self._known_id(rest))

    async def _hex(self, rest: tuple[str, ...]) -> None:
        """A place in words, and the board around it."""
        id = self._known_id(rest)
        if not id:
            self.screen.say("ui.unknown_word", word=" ".join(rest) or "–")
            return
        if not self.screen.plain:
            self.screen.board(self.watch.board, id)
        self.screen.about(id, self.watch.board)

    async def _front(self, rest: tuple[str, ...]) -> None:
        self.screen.front(self.watch.board)

    async def _reach(self, rest: tuple[str, ...]) -> None:
        """Where a piece may go: what is on offer after it, for the first verb that takes it. Nothing is picked."""
        id = self._known_id(rest)
        if id not in self.watch.board.pieces:
            self.screen.say("ui.need_unit")
            return
        top = await self.seat.offer(())
        verbs = () if isinstance(top, Refusal) else tuple(option.id for option in top.choices.options)
        refused: Refusal | None = None
        for verb in verbs:
            after = await self.seat.offer((verb,))
            if isinstance(after, Refusal) or not any(option.id in self.watch.board.pieces for option in after.choices.options):
                continue
            offer = await self.seat.offer((verb, id))
            if isinstance(offer, Refusal):
                refused = refused or offer
                continue
            places = tuple(str(option.id) for option in offer.choices.options if option.id not in self.watch.board.pieces)
            places = tuple(place for place in places if self._is_place(place))
            if places:
                if not self.screen.plain:
                    self.screen.board(self.watch.board, id, places)
                self.screen.say("ui.reach", unit=id, n=len(places), hexes=places)
                return
        if refused is not None:
            self._refuse(refused)
        else:
            self.screen.say("ui.reach_none", unit=id)

    def _is_place(self, id: str) -> bool:
        assert self.screen.picture is not None
        return id in self.screen.picture.ids(self.watch.board)

    def _known_id(self, rest: tuple[str, ...]) -> str:
        """The piece or place that is meant; "" for none. A number is a place before it is a number."""
        if not rest:
            return ""
        return rest[0] if self._is_place(rest[0]) else str(self._known(rest) or "")

    async def _show(self, rest: tuple[str, ...]) -> None:
        id = self._known_id(rest)
        if not id:
            self.screen.say("ui.unknown_word", word=" ".join(rest) or "–")
        else:
            self.screen.about(id, self.watch.board)

    async def _why(self, rest: tuple[str, ...]) -> None:
        if rest:
            await self._why_not(rest)
        elif self._refusal is None:
            self.screen.say("ui.nothing_refused")
        elif self._refusal.rule:
            self.screen.say("ui.why", sentence=self.screen.spoken.say(self._refusal), rule=self._refusal.rule)
        else:
            self.screen.write(self.screen.spoken.say(self._refusal))

    async def _why_not(self, typed: tuple[str, ...]) -> None:
        """Try picks without submitting them, and say what the rules say to them."""
        picks: Picks = ()
        left = typed
        while left:
            offer = await self.seat.offer(picks)
            if isinstance(offer, Refusal):
                self._refuse(offer)
                return
            found = words.match(offer.choices, left, self.screen.spoken)
            if found is None or found.pick is None:
                known = self._known(left)
                if known is None:
                    self.screen.say("ui.unknown_word", word=left[0])
                    return
                found = words.Match(known)
            picks, left = (*picks, found.pick or 0), left[found.used :]
        offer = await self.seat.offer(picks)
        if isinstance(offer, Refusal):
            self._refuse(offer)
        else:
            self.screen.say("ui.allowed")

    async def _log(self, rest: tuple[str, ...]) -> None:
        most = int(rest[0]) if rest and rest[0].isascii() and rest[0].isdigit() else LOG_LINES
        lines: list[story.Line] = []
        for seen in reversed(self.watch.seen):
            lines[:0] = story.tell(seen.record, seen.effects, self.screen.spoken)
            if len(lines) >= most:
                break
        self.screen.tell(lines[-most:] if most else ())

    async def _undo(self, rest: tuple[str, ...]) -> None:
        if self._picks:
            await self._back(rest)
            return
        to = self._undo_target()
        if to is None:
            self.screen.say("ui.nothing_to_undo")
            return
        answer = await self.seat.take_back(to)
        if isinstance(answer, Refusal):
            self._refuse(answer)
        elif self.watch.ask is not None and self.watch.ask.seat == self.seat.seat:
            self.screen.say("ui.takeback_asked")

    def _undo_target(self) -> int | None:
        """The record before this seat's last command that still stands."""
        targets: list[int] = []
        for seen in self.watch.seen:
            record = seen.record
            if record.kind == records.COMMAND and record.body[records.COMMAND_SEAT] == self.seat.seat:
                targets.append(record.seq - 1)
            elif record.kind == records.TAKEBACK:
                targets = [target for target in targets if target < record.body[1]]
        return targets[-1] if targets else None

    async def _resign(self, rest: tuple[str, ...]) -> None:
        self._resigning = True
        self.screen.say("ui.really_resign")

    async def _draw(self, rest: tuple[str, ...]) -> None:
        answer = await self.seat.offer_draw()
        if isinstance(answer, Refusal):
            self._refuse(answer)
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
            self._refuse(answer)
        else:
            await self._seen(answer.seq)

    async def _lang(self, rest: tuple[str, ...]) -> None:
        language = language_of(rest[0]) if rest else None
        if language is None:
            self.screen.say("ui.languages")
            return
        self.screen.speak(language)
        self.screen.say("ui.language_set")
        if self._choices is not None:
            self._show_choices()

    async def _odds(self, rest: tuple[str, ...]) -> None:
        """What the rules can say of the picks so far: chances, costs."""
        picks = self._picks
        if rest and self._choices is not None:
            kept = (self._picks, self._choices)
            left = rest
            while left and self._choices is not None:
                found = words.match(self._choices, left, self.screen.spoken)
                if found is None and await self._pick_standing(left[0]):
                    left = left[1:]
                    continue
                if found is None or found.pick is None or not await self._explore((*self._picks, found.pick)):
                    break
                left = left[found.used :]
            picks = self._picks
            self._picks, self._choices = kept
        shown = await self.seat.preview(picks)
        if isinstance(shown, Refusal):
            self._refuse(shown)
        elif not shown:
            self.screen.say("ui.no_odds")
        else:
            for said in shown:
                self.screen.write(self.screen.spoken.cited(said))

    async def _back(self, rest: tuple[str, ...]) -> None:
        if self._picks:
            await self._offer(self._picks[:-1])
        else:
            self.screen.say("ui.nothing_picked")

    async def _submit_now(self, rest: tuple[str, ...]) -> None:
        if self._choices is not None and self._picks and self._choices.complete:
            await self._submit(self._picks)
        else:
            self.screen.say("ui.not_complete")

    async def _always(self, rest: tuple[str, ...]) -> None:
        """Give the same answer whenever this question comes again this turn; alone, take all such answers back."""
        if not rest:
            await self.seat.standing(())
            self.screen.say("ui.always_none")
            return
        if self._choices is None or self._picks:
            self.screen.say("ui.always_when_asked")
            return
        picks: Picks = ()
        left = rest
        while left:
            found = words.match(self._choices, left, self.screen.spoken)
            if found is None or found.pick is None or not await self._explore((*picks, found.pick)):
                self.screen.say("ui.unknown_word", word=left[0])
                await self._explore(())
                return
            picks, left = (*picks, found.pick), left[found.used :]
        complete = self._choices.complete
        await self._explore(())
        if not complete:
            self.screen.say("ui.not_complete")
            return
        prompt = self._prompt.key
        await self._submit(picks)
        if self._refusal is None:
            standing = await self.seat.standing(None)
            await self.seat.standing((*(order for order in standing if order[0] != prompt), (prompt, picks, "turn")))
            self.screen.say("ui.always", picks=tuple(self.screen.spoken.pick(pick) for pick in picks))

    async def _more(self, rest: tuple[str, ...]) -> None:
        if self._choices is not None:
            self.screen.write(", ".join(self.screen.spoken.option(option) for option in self._choices.options))

    async def _quit(self, rest: tuple[str, ...]) -> None:
        self._leaving = True
        self.screen.say("ui.left")


_ACTS: dict[str, Callable[[Player, tuple[str, ...]], Awaitable[None]]] = {
    "help": Player._help,
    "board": Player._board,
    "hex": Player._hex,
    "unit": Player._show,
    "reach": Player._reach,
    "front": Player._front,
    "why": Player._why,
    "log": Player._log,
    "undo": Player._undo,
    "resign": Player._resign,
    "draw": Player._draw,
    "yes": Player._yes,
    "no": Player._no,
    "lang": Player._lang,
    "show": Player._show,
    "odds": Player._odds,
    "back": Player._back,
    "submit": Player._submit_now,
    "always": Player._always,
    "more": Player._more,
    "quit": Player._quit,
}

__all__ = ["WORDS", "Player"]
