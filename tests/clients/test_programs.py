"""Programs of others in a seat (docs/bots.md): those of the page play a game to its end, and what
goes wrong with one is told in a sentence."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from io import StringIO
from pathlib import Path

import pytest
import trio
from rich.console import Console

from tests.clients.table import link, table
from warledger.clients.bots.program import REFUSALS_MAX, ProgramFailed, started
from warledger.clients.bots.seated import BotRefused, introduce, play_bot, play_program
from warledger.clients.commands.play import online
from warledger.clients.link import Link, sit
from warledger.clients.terminal.screen import Screen
from warledger.protocol import lang

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "bots.md").read_text(encoding="utf-8")
TOLD = lang.phrases().say


def of_page(language: str) -> str:
    """The program that the page shows."""
    (found,) = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    return str(found)


def python(folder: Path, source: str) -> list[str]:
    """The command that runs a program."""
    path = folder / "bot.py"
    path.write_text(source, encoding="utf-8")
    return [sys.executable, str(path)]


@pytest.mark.parametrize("language", ["python", "javascript"])
async def test_a_bot_of_the_page_plays_a_game_to_its_end(tmp_path: Path, language: str) -> None:
    """It is at most forty lines long, and the log has its commands under its seat."""
    source = of_page(language)
    assert len([line for line in source.splitlines() if line.strip()]) <= 40
    if language == "python":
        command = python(tmp_path, source)
    else:
        node = shutil.which("node")
        if node is None:
            pytest.skip("node is not installed")
        path = tmp_path / "bot.js"
        path.write_text(source, encoding="utf-8")
        command = [node, str(path)]
    played = 0
    async with table() as (serving, game, tokens):

        async def other() -> None:
            async with link(serving, token=tokens["axis"]) as mine:
                await play_bot(await sit(mine, game, "axis"), "random", 5)

        async with link(serving) as watching:
            watch = await watching.watch(game)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(other)
                async with (
                    link(serving, token=tokens["allied"]) as mine,
                    started(command, TOLD) as program,
                ):
                    assert await introduce(program, watch, "allied", "7")
                    played = await play_program(await sit(mine, game, "allied"), program)
            seen = [record async for record in watch]
    commands = [one.record.actor for one in seen if one.record.kind == "command"]
    assert 0 < played == commands.count("allied")


SPEAK = "import json, sys\ndef tell(v): print(json.dumps(v), flush=True)\n"
READY = SPEAK + "input(); tell({'ready': 'x'}); input()\n"

WRONG = {
    "ends at once": ("raise SystemExit(3)", "code 3"),
    "writes no JSON": ("print('hello', flush=True); input()", "one JSON object"),
    "writes a list": ("print('[1]', flush=True); input()", "one JSON object"),
    "nests without end": ("print('[' * 100000, flush=True); input()", "one JSON object"),
    "is not ready": (SPEAK + "tell({'play': []}); input()", "the first line must be"),
    "writes a line without end": ("while True: print('x' * 65536, end='')", "more than 1048576"),
    "has a name of two lines": (
        SPEAK + "input(); tell({'ready': 'a\\nb'}); input()",
        "in one line",
    ),
    "says neither": (READY + "tell({'move': 1}); input()", "expected"),
    "picks a list": (READY + "tell({'play': [[]]}); input()", "list of at most"),
    "picks a truth": (READY + "tell({'play': [True]}); input()", "list of at most"),
    "picks a huge number": (READY + "tell({'look': [2 ** 64]}); input()", "64 bits"),
    "is refused for ever": (
        READY + "while True: tell({'look': ['no such thing']}); input()",
        f"{REFUSALS_MAX} times",
    ),
    "plays nonsense for ever": (
        READY + "while True:\n tell({'play': ['no such thing']})\n input(); input()",
        f"{REFUSALS_MAX} times",
    ),
}


@pytest.mark.parametrize("case", WRONG)
async def test_a_program_that_does_wrong_is_told_of(tmp_path: Path, case: str) -> None:
    """It stops the play with a sentence; the game and the seat stay as they are."""
    source, sentence = WRONG[case]
    async with (
        table() as (serving, game, tokens),
        link(serving, token=tokens["axis"]) as b,
        link(serving, token=tokens["allied"]) as a,
    ):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(sit, b, game, "axis")
            seat = await sit(a, game, "allied")
        assert await seat.asked()
        before = seat.watch.last_seq
        with pytest.raises(ProgramFailed, match=re.escape(sentence)):
            async with started(python(tmp_path, source), TOLD) as program:
                await introduce(program, seat.watch, seat.seat, "1")
                await play_program(seat, program)
        assert seat.watch.last_seq == before
        assert seat.is_asked


@pytest.mark.parametrize(
    ("ready", "given", "name"),
    [("Fritz 2", "", "Fritz 2"), ("", "", "allied"), ("Fritz 2", "Ada", "Ada")],
)
async def test_a_seat_bears_the_name_that_the_program_gives_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ready: str, given: str, name: str
) -> None:
    """Not that of the interpreter which runs it; without one its seat's. A name that the player
    gave has precedence."""
    source = SPEAK + f"input(); tell({{'ready': {ready!r}}}); input(); raise SystemExit(3)"
    async with table() as (serving, game, tokens):

        @asynccontextmanager
        async def linking(where: online.Where) -> AsyncIterator[Link]:
            async with link(serving, token=where.token, name=where.name) as linked:
                yield linked

        async def other() -> None:
            async with link(serving, token=tokens["axis"]) as mine:
                await sit(mine, game, "axis")
                await trio.sleep_forever()

        monkeypatch.setattr(online.Where, "link", linking)
        where = online.Where(token=tokens["allied"], name=given)
        shown = Screen(plain=True, console=Console(file=StringIO()))
        command = python(tmp_path, source)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(other)
            with pytest.raises(BotRefused, match="code 3"):
                await online.bot(where, shown, game, "allied", "captain", "7", command)
            async with link(serving) as watching:
                watch = await watching.watch(game)
                assert watch.acting.seats["allied"].name == name
            nursery.cancel_scope.cancel()


async def test_a_program_that_is_not_there_is_told_of() -> None:
    """With its name."""
    with pytest.raises(ProgramFailed, match="no-such-program cannot be run"):
        async with started(["no-such-program"], TOLD):
            pass
