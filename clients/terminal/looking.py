"""The words that only look and change nothing: the board, a hex, what a piece could reach, why a
pick is refused, the odds, the log.

Each takes the command in progress, which knows the seat, the board and the screen, and what was
typed after the word.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from warledger.clients.terminal import story, words
from warledger.clients.terminal.holding import HOLDINGS, SHOWS
from warledger.clients.terminal.picking import Picking
from warledger.protocol.board.choices import Picks, Refusal
from warledger.protocol.lang import language_of, languages

LOG_LINES = 30


async def _help(hand: Picking, rest: tuple[str, ...]) -> None:
    """Every word that this game has a use for, what it does and its other spellings."""
    hand.screen.say("ui.help.picks")
    for command in words.WORDS:
        if not is_of_use(command, hand):
            continue
        help = hand.screen.spoken.text(f"ui.help.{command}")
        also = hand.screen.spoken.text(f"ui.word.{command}").split()
        hand.screen.write(
            f"  {command:8} {hand.screen.spoken.text('ui.help_line', text=help, words=tuple(also))}"
        )


def is_of_use(word: str, hand: Picking) -> bool:
    """Whether a word can show something in this game: some ask the rules a question that only a few
    titles answer, or show what stands on few boards."""
    if word in _ASKS:
        return _ASKS[word] in hand.screen.questions
    if word in SHOWS:
        return any(SHOWS[word](marker) for _, marker in hand.watch.board.marks)
    return True


_ASKS: Final[Mapping[str, str]] = {"supply": "?supply", "throw": "?throw"}
"""The question of a title that a word asks, without which the word has no answer."""


async def _board(hand: Picking, rest: tuple[str, ...]) -> None:
    """The board, around a piece or place if one is named."""
    hand.screen.board(hand.watch.board, hand.known_id(rest))


async def _hex(hand: Picking, rest: tuple[str, ...]) -> None:
    """A place in words, and the board around it."""
    id = hand.known_id(rest)
    if not id:
        hand.screen.say("ui.unknown_word", word=" ".join(rest) or "–")
        return
    if not hand.screen.plain:
        hand.screen.board(hand.watch.board, id)
    hand.screen.about(id, hand.watch.board)


async def _front(hand: Picking, rest: tuple[str, ...]) -> None:
    """The front, in words."""
    hand.screen.front(hand.watch.board)


async def _reach(hand: Picking, rest: tuple[str, ...]) -> None:
    """Where a piece may go: what is on offer after it, for the first verb that takes it. Nothing is
    picked."""
    id = hand.known_id(rest)
    if id not in hand.watch.board.pieces:
        hand.screen.say("ui.need_unit")
        return
    top = await hand.seat.offer(())
    verbs = () if isinstance(top, Refusal) else tuple(option.id for option in top.choices.options)
    refused: Refusal | None = None
    for verb in verbs:
        after = await hand.seat.offer((verb,))
        if isinstance(after, Refusal) or not any(
            option.id in hand.watch.board.pieces for option in after.choices.options
        ):
            continue
        offer = await hand.seat.offer((verb, id))
        if isinstance(offer, Refusal):
            refused = refused or offer
            continue
        places = tuple(
            str(option.id)
            for option in offer.choices.options
            if option.id not in hand.watch.board.pieces
        )
        places = tuple(place for place in places if hand.is_place(place))
        if places:
            if not hand.screen.plain:
                hand.screen.board(hand.watch.board, id, places)
            hand.screen.say("ui.reach", unit=id, n=len(places), hexes=places)
            return
    if refused is not None:
        hand.refuse(refused)
    else:
        hand.screen.say("ui.reach_none", unit=id)


async def _show(hand: Picking, rest: tuple[str, ...]) -> None:
    """A piece or place in words."""
    id = hand.known_id(rest)
    if not id:
        hand.screen.say("ui.unknown_word", word=" ".join(rest) or "–")
    else:
        hand.screen.about(id, hand.watch.board)


async def _why(hand: Picking, rest: tuple[str, ...]) -> None:
    """The rule behind the last refusal; with picks, what the rules say about those."""
    if rest:
        await _why_not(hand, rest)
    elif hand.refusal is None:
        hand.screen.say("ui.nothing_refused")
    elif hand.refusal.rule:
        hand.screen.say(
            "ui.why", sentence=hand.screen.spoken.say(hand.refusal), rule=hand.refusal.rule
        )
    else:
        hand.screen.write(hand.screen.spoken.say(hand.refusal))


async def _why_not(hand: Picking, typed: tuple[str, ...]) -> None:
    """Try picks without submitting them, and show what the rules say about them."""
    picks: Picks = ()
    left = typed
    while left:
        offer = await hand.seat.offer(picks)
        if isinstance(offer, Refusal):
            hand.refuse(offer)
            return
        found = hand.meant(offer.choices, left)
        if found is None or found.pick is None:
            found = hand.known(left)
            if found is None:
                hand.screen.say("ui.unknown_word", word=left[0])
                return
            if not picks and found.used == len(left) and await _why_there(hand, str(found.pick)):
                return
        picks, left = (*picks, found.pick or 0), left[found.used :]
    offer = await hand.seat.offer(picks)
    if isinstance(offer, Refusal):
        hand.refuse(offer)
    else:
        hand.screen.say("ui.allowed")


async def _why_there(hand: Picking, id: str) -> bool:
    """What the rules say about a place or piece alone, which may be meant with what has been picked
    or with any verb on offer. Where pieces are asked for, a place stands for a piece in it, and
    where places are, a piece for its place. Nothing is refused if a verb takes it. False, and
    nothing told, where it is neither place nor piece, or no verb asks for such."""
    pieces = hand.watch.board.pieces
    if not hand.is_place(id):
        return False
    place = pieces[id].place if id in pieces else id
    first = await hand.seat.offer(hand.picks)
    if isinstance(first, Refusal):
        return False
    ways: list[Picks] = [hand.picks]
    if not hand.picks and not any(hand.is_place(str(one.id)) for one in first.choices.options):
        ways = [(one.id,) for one in first.choices.options]
    why: Refusal | None = None
    for before in ways:
        offer = await hand.seat.offer(before)
        if isinstance(offer, Refusal):
            continue
        asked = [str(one.id) for one in offer.choices.options if hand.is_place(str(one.id))]
        of_pieces = any(one in pieces for one in asked)
        of_places = any(one not in pieces for one in asked)
        meant, is_none = id, False
        if of_pieces and not of_places and place == id:
            here = [one for one, piece in pieces.items() if piece.place == id]
            own = [one for one in here if pieces[one].owner == hand.seat.seat]
            meant, is_none = (own or here or [id])[-1], not here
        elif of_places and not of_pieces and place:
            meant = place
        elif not (of_pieces or of_places):
            continue
        refused = await hand.seat.offer((*before, meant))
        if not isinstance(refused, Refusal):
            hand.screen.say("ui.allowed")
            return True
        if is_none:
            slot = hand.screen.spoken.text(f"slot.{offer.choices.slot}")
            args = (("slot", slot), ("place", id))
            refused = Refusal(refused.rule, "web.play.none_there", args)
        why = why or refused
    if why is not None:
        hand.refuse(why)
    return why is not None


async def _log(hand: Picking, rest: tuple[str, ...]) -> None:
    """The most recent events."""
    most = int(rest[0]) if rest and rest[0].isascii() and rest[0].isdigit() else LOG_LINES
    lines: list[story.Line] = []
    for seen in reversed(hand.watch.seen):
        lines[:0] = story.tell(seen.record, seen.effects, hand.screen.spoken)
        if len(lines) >= most:
            break
    hand.screen.tell(lines[-most:] if most else ())


async def _lang(hand: Picking, rest: tuple[str, ...]) -> None:
    """Another language."""
    language = language_of(rest[0]) if rest else None
    if language is None:
        hand.screen.say("ui.languages", languages=", ".join(languages()))
        return
    hand.screen.speak(language)
    hand.screen.say("ui.language_set")
    if hand.choices is not None:
        hand.show_choices()


async def _odds(hand: Picking, rest: tuple[str, ...]) -> None:
    """What the rules can say of the picks so far: chances, costs."""
    picks = hand.picks
    left = rest
    if rest and hand.choices is not None:
        kept = (hand.picks, hand.choices)
        while left and hand.choices is not None:
            found = hand.meant(hand.choices, left)
            if found is None and await hand.pick_standing(left[0]):
                left = left[1:]
                continue
            if found is None or found.pick is None:
                await hand.not_on_offer(left)
                break
            if not await hand.explore((*hand.picks, found.pick)):
                break
            left = left[found.used :]
        picks = hand.picks
        hand.picks, hand.choices = kept
    if left:
        return
    shown = await hand.seat.preview(picks)
    if isinstance(shown, Refusal):
        hand.refuse(shown)
    elif not shown:
        hand.screen.say("ui.no_odds")
    else:
        for said in shown:
            hand.screen.write(hand.screen.spoken.cited(said))


def _holding(word: str) -> Callable[[Picking, tuple[str, ...]], Awaitable[None]]:
    """The word that shows what is in a place, or where a piece is."""

    async def look(hand: Picking, rest: tuple[str, ...]) -> None:
        board, picture = hand.watch.board, hand.screen.picture
        assert picture is not None
        id = hand.known_id(rest)
        place = board.pieces[id].place if id in board.pieces else id
        if not place or type(place) is not str:
            hand.screen.say("ui.unknown_word", word=" ".join(rest) or "–")
            return
        if word in ASKED and await _ask(hand, f"?{word}", place):
            return
        for sentence in HOLDINGS[word](place, board, picture, hand.screen.spoken):
            hand.screen.write(sentence)

    return look


ASKED = ("stack",)
"""Words for which a title may have a question whose answer says more than the board does."""


async def _ask(hand: Picking, question: str, about: str) -> bool:
    """Ask the rules a question of the title's and show the answer: False if there is no such
    question, or it cannot be asked now. A counter is shown with its printed values."""
    if question not in hand.screen.questions or not hand.seat.is_asked:
        return False
    told = await hand.seat.preview((question, about))
    if isinstance(told, Refusal):
        hand.refuse(told)
        return True
    board, picture = hand.watch.board, hand.screen.picture
    assert picture is not None
    for said in told:
        args = dict(said.args)
        if said.args[:1] != (("n", args.get("n")),):
            hand.screen.write(hand.screen.spoken.cited(said))
            continue
        # An item of a numbered list, which has one clause.
        sentence, unit = hand.screen.spoken.say(said), args.get("unit")
        values = picture.values(str(unit), board) if unit in board.pieces else ""
        hand.screen.write(f"{sentence} · {values}" if values else sentence)
    return True


async def _throw(hand: Picking, rest: tuple[str, ...]) -> None:
    """Who a headquarters can throw supply to, and by which path."""
    id = hand.known_id(rest)
    if id not in hand.watch.board.pieces:
        hand.screen.say("ui.need_hq")
    elif not await _ask(hand, "?throw", id):
        hand.screen.say("ui.cannot_ask")


PAYING = ("pay", "fuel", "eat")
"""Verbs that name who is to be supplied."""


async def _supply(hand: Picking, rest: tuple[str, ...]) -> None:
    """Who would pay what for a piece, and by which path: the rules' answer if they can be asked,
    otherwise the preview of the first verb on offer that supplies it. During a payment it is every
    way to pay for it. Nothing is picked."""
    id = hand.known_id(rest)
    if id not in hand.watch.board.pieces:
        hand.screen.say("ui.need_supplied")
        return
    top = await hand.seat.offer(())
    pays = not isinstance(top, Refusal) and top.choices.offers(PAYING[0])
    if not pays and await _ask(hand, "?supply", id):
        return
    refused: Refusal | None = None
    for verb in PAYING:
        if isinstance(top, Refusal) or not top.choices.offers(verb):
            continue
        after = await hand.seat.offer((verb, id))
        if isinstance(after, Refusal):
            refused = refused or after
            continue
        shown = await hand.seat.preview((verb, id))
        if not isinstance(shown, Refusal) and shown:
            for said in shown:
                hand.screen.write(hand.screen.spoken.cited(said))
            return
    if refused is not None:
        hand.refuse(refused)
    else:
        hand.screen.say("ui.supply_none", unit=id)


async def _more(hand: Picking, rest: tuple[str, ...]) -> None:
    """Everything that is on offer, in one line."""
    if hand.choices is not None:
        hand.screen.write(
            ", ".join(hand.screen.spoken.option(option) for option in hand.choices.options)
        )


LOOKS: Final[Mapping[str, Callable[[Picking, tuple[str, ...]], Awaitable[None]]]] = {
    "help": _help,
    "board": _board,
    "hex": _hex,
    "unit": _show,
    "reach": _reach,
    "front": _front,
    "why": _why,
    "log": _log,
    "lang": _lang,
    "show": _show,
    "odds": _odds,
    "supply": _supply,
    "throw": _throw,
    **{word: _holding(word) for word in HOLDINGS},
    "more": _more,
}
