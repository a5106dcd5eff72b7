"""What a bot is: `choose(view)` walks the offers and returns a command's picks. The view is the
seat's fold of effects, never the state.

A bot does no input or output. `choose` is a generator: it yields the picks after which it wants to
see the choices, is sent these, and finally returns the complete command. So the same object plays
in process (`run`) and over a connection (`run_async`).
"""

import random
from collections.abc import Awaitable, Callable, Generator, Mapping
from typing import Any, Final, Protocol

from attrs import define, field

from warledger.protocol.board.choices import Choices, Pick, Picks
from warledger.protocol.board.effects import Board

Exploration = Generator[Picks, Choices, Picks]

BUGS: Final = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RuntimeError,
    TypeError,
    ValueError,
)
"""What a bug of a bot raises, or of the rules that it plays by. Whoever lets a bot play confines it
to that game."""


@define
class View:
    """What a seat knows: the board as the fold of the effects it was sent, and the static
    description of the game.

    pack      the data pack of the genesis record: pieces and places, by file and table
    options   the switches in force
    """

    seat: str
    title: str
    seats: tuple[str, ...]
    options: Mapping[str, Any]
    pack: Mapping[str, Any] = field(repr=False)
    board: Board = field(factory=Board)


class Bot(Protocol):
    """A player. One object plays one seat of one game. `sees` is False for a player that never uses
    its view's board."""

    sees: bool

    def choose(self, view: View) -> Exploration:
        """The next command. Yields picks, is sent the choices after them, and returns the picks of
        a complete command."""
        ...


def run(bot: Bot, view: View, ask: Callable[[Picks], Choices]) -> Picks:
    """Let a bot choose, with choices at hand."""
    exploration = bot.choose(view)
    try:
        picks = next(exploration)
        while True:
            picks = exploration.send(ask(picks))
    except StopIteration as stop:
        chosen: Picks = stop.value
        return chosen


async def run_async(bot: Bot, view: View, ask: Callable[[Picks], Awaitable[Choices]]) -> Picks:
    """Let a bot choose, with choices that come over a connection."""
    exploration = bot.choose(view)
    try:
        picks = next(exploration)
        while True:
            picks = exploration.send(await ask(picks))
    except StopIteration as stop:
        chosen: Picks = stop.value
        return chosen


class RandomBot:
    """Picks uniformly among the choices; where a command may end, it ends half the time, so that
    commands stay short."""

    sees = False

    def __init__(self, seed: int | str) -> None:
        self._random = random.Random(f"random bot {seed}")

    def choose(self, view: View) -> Exploration:
        """A random command."""
        picks: Picks = ()
        while True:
            choices = yield picks
            if choices.complete and (choices.is_end or self._random.random() < 0.5):
                return picks
            picks = (*picks, self.pick(choices))

    def pick(self, choices: Choices) -> Pick:
        """One of the picks on offer, all equally likely."""
        options = len(choices.options)
        numbers = choices.span[1] - choices.span[0] + 1 if choices.span is not None else 0
        index = self._random.randrange(options + numbers)
        if index < options:
            return choices.options[index].id
        assert choices.span is not None
        return choices.span[0] + index - options
