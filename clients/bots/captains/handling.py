"""How a captain answers one question: a generator that is given choices and yields picks."""

from collections.abc import Generator

from warledger.protocol.board.choices import Choices, Pick, Picks

Handling = Generator[Picks, Choices, Picks]
"""Yields the picks so far, is sent the choices after them, and returns the whole command."""


def anything(choices: Choices, picks: Picks = ()) -> Handling:
    """The first thing on offer until the command is complete, for questions where it hardly
    matters."""
    while not choices.complete:
        pick: Pick = (
            choices.options[0].id
            if choices.options
            else choices.span[0]
            if choices.span is not None
            else 0
        )
        picks = (*picks, pick)
        choices = yield picks
    return picks
