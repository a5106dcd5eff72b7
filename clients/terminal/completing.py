"""What may come next in a line that is being typed: the words of a player, and the picks that are
on offer after those that stand in the line already. Looks change nothing in the game."""

from collections.abc import Iterator

from attrs import frozen

from warledger.clients.terminal import words
from warledger.clients.terminal.looking import is_of_use
from warledger.clients.terminal.picking import Picking
from warledger.protocol.board.choices import Choices, Refusal
from warledger.protocol.texts.phrases import Phrases

_BEFORE_PICKS = ("why", "odds", "always")
"""Words that picks may follow."""


@frozen
class Completion:
    """A word that may stand in place of the one in progress, which has `typed` characters; `shown`
    is what it means."""

    word: str
    typed: int
    shown: str


async def completions(hand: Picking, text: str) -> tuple[Completion, ...]:
    """How the last word of a text may go on; of a text that ends with a space, which words may come
    next. Asks the server what follows the picks before it."""
    begun = words.split(text)
    last = "" if not begun or text[-1:].isspace() else begun[-1]
    before = begun[:-1] if last else begun
    found = list(_player_words(hand, last)) if not before else []
    if before and before[0].removeprefix("/").casefold() in _BEFORE_PICKS:
        before = before[1:]
    choices = await _after(hand, before)
    if choices is not None:
        found += _picks(choices, last, hand.screen.spoken)
    return tuple(dict.fromkeys(found))


def _player_words(hand: Picking, last: str) -> Iterator[Completion]:
    spoken = hand.screen.spoken
    bare = last.removeprefix("/").casefold()
    for command in words.WORDS:
        if not is_of_use(command, hand):
            continue
        forms = (command, *spoken.text(f"ui.word.{command}").split())
        word = next((form for form in forms if form.startswith(bare)), None)
        if word is not None:
            yield Completion(word, len(last.removeprefix("/")), word)


async def _after(hand: Picking, before: tuple[str, ...]) -> Choices | None:
    """What may follow these words; None where they are not picks on offer."""
    if not hand.seat.is_asked:
        return None
    picks, choices = hand.picks, hand.choices
    if choices is None:
        picks, choices = (), await _offer(hand, ())
    while before and choices is not None:
        match = words.match(choices, before, hand.screen.spoken)
        if match is None or match.pick is None:
            return None
        picks, before = (*picks, match.pick), before[match.used :]
        choices = await _offer(hand, picks)
    return choices


async def _offer(hand: Picking, picks: tuple[str | int, ...]) -> Choices | None:
    offer = await hand.seat.offer(picks)
    return None if isinstance(offer, Refusal) else offer.choices


def _picks(choices: Choices, last: str, spoken: Phrases) -> Iterator[Completion]:
    sought = words.folded(last)
    for option in choices.options:
        names = (spoken.name(option.id), spoken.option(option), str(option.id))
        for name in names:
            word = words.folded(name)
            if word.startswith(sought):
                yield Completion(word.replace(" ", "_"), len(last), names[1])
                break
