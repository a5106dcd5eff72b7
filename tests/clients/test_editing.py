"""Lines typed with an editor: cursor keys, history, Tab for what is on offer, and how it ends."""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import pytest
import trio
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import DummyOutput
from rich.console import Console

from tests.clients.test_terminal import seated
from warledger.clients.terminal.completing import completions
from warledger.clients.terminal.editing import Editor, edited
from warledger.clients.terminal.player import Player
from warledger.clients.terminal.screen import Screen

UP, LEFT = "\x1b[A", "\x1b[D"


@asynccontextmanager
async def keyboard() -> AsyncIterator[tuple[PipeInput, Editor]]:
    """An editor, and what is typed on it."""
    with create_pipe_input() as typed, edited(typed, DummyOutput()) as editor:
        yield typed, editor


def bring_back(typed: PipeInput, editor: Editor) -> None:
    """Press up, then enter, as soon as the lines typed before are there."""
    if len(editor._session.default_buffer._working_lines) > 1:
        if editor._session.default_buffer.text == "":
            typed.send_text(f"{UP}\r")
    else:
        asyncio.get_running_loop().call_soon(bring_back, typed, editor)


async def test_a_line_can_be_edited_and_typed_again() -> None:
    """Cursor keys and backspace change a line, up brings one back, Ctrl-D ends the input."""
    async with keyboard() as (typed, editor):
        typed.send_text(f"sail hxd{LEFT}\x7foo\r")
        lines = editor.lines()
        first = await anext(lines)
        editor._session.app.after_render += lambda _: bring_back(typed, editor)
        again = await anext(lines)
        typed.send_text("\x04")
        rest = [line async for line in lines]

    assert (first, again, rest) == ("sail hood", "sail hood", [])


async def test_ctrl_c_interrupts_and_the_end_of_a_game_ends_the_line() -> None:
    """Ctrl-C is raised where lines are waited for; who is cancelled meanwhile leaves no line in
    progress and no thread behind."""
    async with keyboard() as (typed, editor):
        typed.send_text("sa\x03")
        with pytest.raises(KeyboardInterrupt):
            await anext(editor.lines())
        for moment in (0.0, 0.05):
            with trio.move_on_after(moment):
                await anext(editor.lines())
            assert not editor._session.app.is_running
        typed.send_text("board\r")
        assert await anext(editor.lines()) == "board"


async def test_tab_completes_what_is_on_offer() -> None:
    """First the player's words and verbs, then what may follow the picks of the line; a name may be
    begun in its own words; looks change nothing, and nothing follows what is not on offer."""
    async with seated() as (allied, _):
        out = io.StringIO()
        screen = Screen(plain=True, console=Console(file=out))
        screen.of_title("war_at_sea")

        async def none() -> AsyncIterator[str]:
            for line in ():  # nothing is typed
                yield line

        hand = Player(allied, screen, none()).hand

        async def after(text: str) -> list[str]:
            return [found.word for found in await completions(hand, text)]

        assert await after("de") == ["deploy"]
        assert {"help", "undo", "deploy"} <= set(await after(""))
        assert "hood" in await after("deploy ") and await after("deploy ho") == ["hood"]
        assert "malta" in await after("deploy hood ma")
        assert await after("why deploy hood malt") == ["malta"]
        assert await after("deploy nobody ") == []
        assert (hand.picks, hand.choices) == ((), None)
        assert await after("x" * 9) == []

        async with keyboard() as (typed, editor):
            editor.complete = partial(completions, hand)
            typed_next = {"deploy hood": " malt\t", "deploy hood malta": "\r"}
            editor._session.default_buffer.on_text_changed += lambda buffer: typed.send_text(
                typed_next.pop(buffer.text, "")
            )
            typed.send_text("deploy hoo\t")
            assert await anext(editor.lines()) == "deploy hood malta"
