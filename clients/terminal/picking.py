"""Building a command from what is typed: one pick after another from what the server offers, until
it is complete.

A line of several picks that make a complete command is submitted at once; a command picked one by
one waits to be submitted. If something exists but is not on offer, the server is asked why, so that
the player learns the rule.
"""

from collections.abc import Awaitable, Callable
from typing import Any

from warledger.clients.link import LinkError, Seat, Watch
from warledger.clients.terminal import words
from warledger.clients.terminal.screen import Screen
from warledger.protocol.board.choices import Choices, Picks, Refusal, Say

OPTIONS_SHOWN = 60

WARNING = "warning"
"""The third part of the key of a preview that warns, as in `preview.ocs.warning.overstacked`."""


def warns(said: Say) -> bool:
    """Whether a preview is a warning, which a player should see before a command is carried out."""
    return said.key.split(".")[2:3] == [WARNING]


class Picking:
    """The command in progress: `picks` so far, the `choices` that may follow (None: not asked for
    yet), and the last `refusal`.

    `seen` waits until a record has been shown.
    """

    def __init__(self, seat: Seat, screen: Screen, seen: Callable[[int], Awaitable[None]]) -> None:
        self.seat = seat
        self.watch: Watch = seat.watch
        self.screen = screen
        self.picks: Picks = ()
        self.choices: Choices | None = None
        self.decision = 0
        self.prompt = Say("slot.verb")
        self.refusal: Refusal | None = None
        self._seen = seen
        self._warned: tuple[int, Picks] | None = None

    def forget(self) -> None:
        """Nothing is picked, and the choices must be requested again."""
        self.picks, self.choices = (), None

    async def offer(self, picks: Picks = ()) -> bool:
        """Ask what may follow the picks, and show it."""
        if not await self.explore(picks):
            return False
        self.show_choices()
        return True

    async def explore(self, picks: Picks) -> bool:
        """Take these picks as those made so far, if they are on offer; False, and the reason told,
        if not."""
        try:
            offer = await self.seat.offer(picks)
        except LinkError as error:
            self.screen.trouble(error)
            return False
        if isinstance(offer, Refusal):
            self.refuse(offer)
            return False
        if not picks:
            self.prompt = offer.prompt
        self.picks, self.choices, self.decision = picks, offer.choices, offer.decision
        return True

    async def pick(self, typed: tuple[str, ...]) -> None:
        """Pick what these words stand for, and submit the command if it is complete. With "+" at
        the end, picking continues; a bare verb is not submitted with picks that nobody named."""
        go_on = typed[-1].endswith("+")
        last = typed[-1].removesuffix("+")
        left = (*typed[:-1], last) if last else typed[:-1]
        if self.choices is None and not await self.explore(()):
            return
        begun = (self.picks, self.choices)
        several = len(left) > 1
        while left:
            assert self.choices is not None
            found = self.meant(self.choices, left)
            if found is None and await self.pick_standing(left[0]):
                left = left[1:]
                continue
            if found is None and self.picks == begun[0] and await self._begin_anew(left):
                continue
            if found is None:
                await self.not_on_offer(left)
                self.picks, self.choices = begun
                return
            if found.pick is None:
                names = tuple(self.screen.spoken.pick(pick) for pick in found.candidates[:12])
                self.screen.say("ui.ambiguous", word=" ".join(left[: found.used]), names=names)
                self.picks, self.choices = begun
                return
            left = left[found.used :]
            if not await self.explore((*self.picks, found.pick)):
                return
        named = self.picks
        await self._forced()
        choices = self.choices
        assert choices is not None
        # A bare verb carries nothing out but what it says: who or what it is done with is shown
        # first, though there is only one choice.
        unseen = not begun[0] and not several and self.picks != named
        if choices.complete and not go_on and not unseen and (choices.is_end or several):
            if not await self._warned_of():
                await self.submit(self.picks)
        else:
            self.show_choices()

    async def _warned_of(self) -> bool:
        """Whether a command brings a warning not told yet, such as of ending the turn, or a phase
        with something that it punishes. Then the command waits to be submitted."""
        asked = (self.decision, self.picks)
        if asked == self._warned:
            return False
        shown = await self.seat.preview(self.picks)
        warnings = () if isinstance(shown, Refusal) else [one for one in shown if warns(one)]
        if not warnings:
            return False
        self._warned = asked
        for said in warnings:
            self.screen.write(self.screen.spoken.cited(said), "bold yellow")
        self.show_choices()
        return True

    async def _begin_anew(self, left: tuple[str, ...]) -> bool:
        """A complete command that is typed while another is in progress replaces it."""
        kept = (self.picks, self.choices)
        if self.picks and not left[0][:1].isdigit() and await self.explore(()):
            assert self.choices is not None
            found = self.meant(self.choices, left)
            if found is not None and found.pick is not None:
                return True
            self.picks, self.choices = kept
        return False

    async def pick_standing(self, place: str) -> bool:
        """A place named where pieces are on offer means all pieces there, so that one line moves a
        stack."""
        picked = False
        while self.choices is not None:
            pieces = self.watch.board.pieces
            standing = (
                option.id
                for option in self.choices.options
                if option.id in pieces and pieces[str(option.id)].place == place
            )
            first = next(standing, None)
            if first is None or not await self.explore((*self.picks, first)):
                break
            picked = True
        return picked

    async def _forced(self) -> None:
        """Make the picks that have only one choice, once a command has begun."""
        while (
            self.choices is not None
            and self.picks
            and not self.choices.complete
            and self.choices.span is None
        ):
            if len(self.choices.options) != 1:
                return
            only = self.choices.options[0]
            self.screen.say("ui.only_choice", choice=self.screen.spoken.option(only))
            if not await self.explore((*self.picks, only.id)):
                return

    async def not_on_offer(self, left: tuple[str, ...]) -> None:
        """Ask the server why something that exists is not on offer; say so when nothing of that
        name exists."""
        known = self.known(left)
        if known is None or known.pick is None:
            self.screen.say("ui.unknown_word", word=left[0])
            return
        span = None if self.choices is None else self.choices.span
        if span is not None and type(known.pick) is not int:
            self.screen.say("ui.span", lowest=span[0], highest=span[1])
            return
        offer = await self.seat.offer((*self.picks, known.pick))
        if isinstance(offer, Refusal):
            self.refuse(offer)

    def meant(self, choices: Choices, left: tuple[str, ...]) -> words.Match | None:
        """What the first words stand for among these choices; None when nothing on offer is meant.
        Who names a unit by its number and name ("9 Bdr") means that unit, also when it is not on
        offer, and not the list's ninth."""
        found = words.match(choices, left, self.screen.spoken)
        if found is None or found.used > 1 or not left[0].isdigit():
            return found
        named = self._named(left, least=2) if words.begins_name(left) else None
        return found if named is None else named if named.pick is None else None

    def _named(self, left: tuple[str, ...], *, least: int = 1) -> words.Match | None:
        """The piece or place anywhere in the game that the first words, at least so many, name."""
        assert self.screen.picture is not None
        spoken = self.screen.spoken
        ids = dict.fromkeys(self.screen.picture.ids(self.watch.board))
        return words.find(
            {id: (words.folded(id), words.folded(spoken.name(id))) for id in ids}, left, least=least
        )

    def known(self, left: tuple[str, ...]) -> words.Match | None:
        """The piece, place or word of that name anywhere in the game."""
        spoken = self.screen.spoken
        found = self._named(left)
        if found is not None and found.pick is not None:
            return found
        word = left[0].casefold()
        if spoken.has(f"pick.{self.screen.title}.{word}") or spoken.has(f"pick.{word}"):
            return words.Match(word)
        is_number = left[0].isascii() and left[0].isdigit() and len(left[0]) < 10
        return words.Match(int(left[0])) if is_number else None

    def show_choices(self) -> None:
        """Show what is picked, and what may follow."""
        choices, spoken = self.choices, self.screen.spoken
        assert choices is not None
        if not self.picks:
            self.screen.write(spoken.cited(self.prompt), "bold green")
            self._show_lone(choices)
        else:
            self.screen.say("ui.picked", picks=tuple(spoken.pick(pick) for pick in self.picks))
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

    def _show_lone(self, choices: Choices) -> None:
        """Of a question that is asked though there is only one answer, why: by the catalogue's
        `lone.<the prompt's key without its family>.<pick>`."""
        if len(choices.options) != 1 or choices.span is not None:
            return
        key = f"lone.{self.prompt.key.removeprefix('prompt.')}.{choices.options[0].id}"
        if self.screen.spoken.has(key):
            self.screen.write(self.screen.spoken.text(key))

    def _detail(self, id: Any) -> str:
        """A piece on offer: where it is and what is printed on it."""
        piece = self.watch.board.pieces.get(id)
        if piece is None or type(piece.face) is not str:
            return ""
        assert self.screen.picture is not None
        values = self.screen.picture.values(id, self.watch.board)
        place = self.screen.spoken.name(piece.place)
        return f"{values}, {place}" if values else place

    async def submit(self, picks: Picks) -> None:
        """Submit, and show a refusal."""
        try:
            answer = await self.seat.submit(picks, self.decision)
        except LinkError as error:
            self.screen.trouble(error)
            return
        if isinstance(answer, Refusal):
            self.refuse(answer)
            self.forget()
        else:
            self.refusal = None
            await self._seen(answer.seq)

    def refuse(self, refusal: Refusal) -> None:
        """Show a refusal, and keep it for "why"."""
        self.refusal = refusal
        self.screen.write(
            "✗ " + self.screen.spoken.cited(refusal)
            if not self.screen.plain
            else self.screen.spoken.cited(refusal),
            "red",
        )

    def is_place(self, id: str) -> bool:
        """Whether something in the game has this id."""
        assert self.screen.picture is not None
        return id in self.screen.picture.ids(self.watch.board)

    def known_id(self, rest: tuple[str, ...]) -> str:
        """The piece or place that is meant; "" for none. A number is a place before it is a
        number."""
        if not rest:
            return ""
        if self.is_place(rest[0]):
            return rest[0]
        known = self.known(rest)
        return "" if known is None else str(known.pick or "")
