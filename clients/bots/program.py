"""A player in another program, in any language: it reads and writes lines of JSON, as chess engines
read and write lines of text. docs/bots.md describes the lines.

The program never speaks to the server. It is shown the board and the choices, asks what may follow
some picks, and says what it plays. Who runs it keeps the seat's keys and signs.
"""

import json
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

import trio

from warledger.clients.bots.player import View
from warledger.protocol.board.choices import Choices, Pick, Picks, Refusal, Say
from warledger.protocol.board.effects import Board
from warledger.protocol.limits import NAME_CHARS_MAX
from warledger.protocol.texts.typed import LINE, composed, refused
from warledger.protocol.wire.fields import is_name

VERSION: Final = 1
"""Of the lines: raised when a program written for the lines of before would fail."""
LINE_BYTES_MAX: Final = 1024 * 1024
PICKS_MAX: Final = 1000
REFUSALS_MAX: Final = 20
"""How often a program may be refused at one decision, looks and plays together."""
LOOKS_MAX: Final = 10_000
"""How often a program may look at one decision."""
STOP_SECONDS: Final = 5.0
"""What a program has to end by itself, after its input was closed."""


class ProgramFailed(Exception):
    """A program that cannot be started, ends too early or writes something else than is agreed. The
    message says what, and names the program."""


class Program:
    """A program that plays one seat. Made by `started`."""

    def __init__(
        self, name: str, process: trio.Process, told: Callable[[Say | Refusal], str]
    ) -> None:
        self.name = name
        self._process = process
        self._told = told
        self._unread = bytearray()
        self._refusals = 0

    async def begin(self, *, game: str, view: View, version: str, seed: str) -> str:
        """Tell the program what it plays, and hear its name: what it calls itself, or "". A name
        that a log cannot hold is an error of the program. Raises ProgramFailed."""
        await self._tell(
            {
                "game": {
                    "lines": VERSION,
                    "id": game,
                    "title": view.title,
                    "version": version,
                    "seat": view.seat,
                    "seats": view.seats,
                    "options": view.options,
                    "seed": seed,
                    "pack": view.pack,
                }
            }
        )
        ready = await self._hear()
        name = ready.get("ready")
        name = composed(name) if isinstance(name, str) else name
        if not isinstance(name, str):
            raise self._wrong(ready, 'the first line must be {"ready": NAME}')
        if not is_name(name) or refused(name, LINE) is not None:
            raise self._wrong(
                name, f"a name has at most {NAME_CHARS_MAX} characters in one line, all visible"
            )
        return name

    async def choose(
        self, view: View, ask: Callable[[Picks], Awaitable[Choices | Refusal]]
    ) -> Picks:
        """The program's next command. `ask` says what may follow some picks, or why they are not on
        offer. What it raises is passed on, once the program knows that its question is no longer
        open. Raises ProgramFailed."""
        picks: Picks = ()
        looks = 0
        found = await ask(picks)
        line = {"decide": board_of(view.board, self._told), **self._found(picks, found)}
        while True:
            await self._tell(line)
            said = await self._hear()
            if "play" in said:
                return self._picks(said, "play")
            if "look" not in said:
                raise self._wrong(said, 'expected {"look": [PICK …]} or {"play": [PICK …]}')
            looks += 1
            if looks > LOOKS_MAX:
                raise ProgramFailed(f"{self.name} has looked {LOOKS_MAX} times and does not decide")
            picks = self._picks(said, "look")
            try:
                found = await ask(picks)
            except Exception:
                await self._tell({"lapsed": True})
                raise
            line = self._found(picks, found)

    async def answered(self, answer: Refusal | None) -> bool:
        """Tell the program that its command was refused, or was too late; it is asked again. Raises
        ProgramFailed if that has happened too often at one decision."""
        if answer is None:
            self._refusals = 0
        else:
            await self._tell({"refused": self._refusal(answer)})
        return True

    async def end(self, winner: str | None, reason: Say | None) -> None:
        """Tell the program that the game has ended. One that is gone by then is not missed."""
        why = None if reason is None else self._say(reason)
        with suppress(ProgramFailed):
            await self._tell({"end": {"winner": winner, "reason": why}})

    # --- lines ------------------------------------------------------------------------------------

    async def _tell(self, value: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        line = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_plain)
        try:
            await self._process.stdin.send_all(line.encode("utf-8", "replace") + b"\n")
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            raise await self._gone() from None

    async def _hear(self) -> dict[str, Any]:
        """The next line of the program, as an object."""
        assert self._process.stdout is not None
        while (end := self._unread.find(b"\n")) < 0:
            if len(self._unread) > LINE_BYTES_MAX:
                raise ProgramFailed(f"{self.name} wrote a line of more than {LINE_BYTES_MAX} bytes")
            try:
                data = await self._process.stdout.receive_some(65536)
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                data = b""
            if not data:
                raise await self._gone()
            self._unread += data
        line = bytes(self._unread[:end])
        del self._unread[: end + 1]
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            raise self._wrong(line, "a line must be one JSON object") from None
        if not isinstance(value, dict):
            raise self._wrong(line, "a line must be one JSON object")
        return value

    async def _gone(self) -> ProgramFailed:
        with trio.move_on_after(STOP_SECONDS):
            await self._process.wait()
        code = self._process.returncode
        how = "closed its output" if code is None else f"ended with code {code}"
        return ProgramFailed(f"{self.name} {how} in the middle of the game")

    def _wrong(self, said: Any, expected: str) -> ProgramFailed:
        return ProgramFailed(f"{self.name} wrote {said!r:.200}: {expected}")

    def _picks(self, said: Mapping[str, Any], key: str) -> Picks:
        picks = said[key]
        if (
            not isinstance(picks, list)
            or len(picks) > PICKS_MAX
            or not all(type(pick) in (str, int) for pick in picks)
        ):
            raise self._wrong(said, f"{key!r} must be a list of at most {PICKS_MAX} picks")
        whole: list[Pick] = picks
        if any(type(pick) is int and not -(2**63) <= pick < 2**63 for pick in whole):
            raise self._wrong(said, "a number must fit into 64 bits")
        return tuple(whole)

    def _found(self, picks: Picks, found: Choices | Refusal) -> dict[str, Any]:
        if isinstance(found, Refusal):
            return {"picks": picks, "refused": self._refusal(found)}
        return {"picks": picks, "choices": self._choices(found)}

    def _refusal(self, refusal: Refusal) -> dict[str, Any]:
        self._refusals += 1
        if self._refusals > REFUSALS_MAX:
            raise ProgramFailed(
                f"{self.name} was refused {REFUSALS_MAX} times at one decision; the last time: "
                + self._told(refusal)
            )
        return {"rule": refusal.rule, "key": refusal.key, "text": self._told(refusal)}

    def _choices(self, choices: Choices) -> dict[str, Any]:
        return {
            "slot": choices.slot,
            "options": [
                {"id": option.id}
                if option.label is None
                else {"id": option.id, "label": self._told(option.label)}
                for option in choices.options
            ],
            "span": choices.span,
            "complete": choices.complete,
            "sealed": choices.sealed,
        }

    def _say(self, said: Say) -> dict[str, Any]:
        return {"rule": said.rule, "key": said.key, "text": self._told(said)}


def board_of(board: Board, told: Callable[[Say], str]) -> dict[str, Any]:
    """What a program is shown of a board."""
    marks: dict[str, dict[str, int]] = {}
    for (id, mark), value in board.marks.items():
        marks.setdefault(id, {})[mark] = value
    return {
        "seq": board.seq,
        "phase": told(board.phase),
        "awaits": board.awaits,
        "pieces": {
            id: {"place": piece.place, "face": piece.face, "owner": piece.owner}
            for id, piece in board.pieces.items()
        },
        "marks": marks,
        "tracks": board.tracks,
        "counts": board.counts,
    }


def _plain(value: Any) -> Any:
    """Bytes of a pack as hexadecimal; a value that is read when it is needed as what it is."""
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value).hex()
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"a {type(value).__name__} has no form in JSON")


@asynccontextmanager
async def started(
    command: list[str], told: Callable[[Say | Refusal], str]
) -> AsyncIterator[Program]:
    """Run a program for as long as the block lasts. Its errors go where ours go. Raises
    ProgramFailed if there is no such program."""
    try:
        process = await trio.lowlevel.open_process(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
    except OSError as error:
        raise ProgramFailed(f"{command[0]} cannot be run: {error.strerror or error}") from None
    try:
        yield Program(command[0], process, told)
    finally:
        with trio.CancelScope(shield=True):
            assert process.stdin is not None and process.stdout is not None
            # A program that waits for a line, or that we do not read from any more, ends by itself.
            await process.stdin.aclose()
            await process.stdout.aclose()
            with trio.move_on_after(STOP_SECONDS):
                await process.wait()
            if process.returncode is None:
                process.kill()
                await process.wait()
