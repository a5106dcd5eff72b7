"""Lines typed at a terminal with an editor: cursor keys, the lines typed before, and Tab for what
may come next. What happens in the game meanwhile is written above the line in progress.

The editor is prompt_toolkit's. It runs in a thread of its own with its own event loop, and asks the
game from there.
"""

import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import trio
from prompt_toolkit import PromptSession
from prompt_toolkit.application import create_app_session
from prompt_toolkit.completion import CompleteEvent, Completer
from prompt_toolkit.completion import Completion as Shown
from prompt_toolkit.document import Document
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.output import create_output
from prompt_toolkit.patch_stdout import StdoutProxy
from prompt_toolkit.shortcuts import CompleteStyle

from warledger.clients.terminal.completing import Completion
from warledger.clients.terminal.visible import diverted, line, terminal

ASK_SECONDS: Final = 2.0
"""How long the server may take to say what comes next, before nothing is completed."""

PROMPT: Final = "> "

Complete = Callable[[str], Awaitable[Sequence[Completion]]]


class Editor:
    """Lines as they are typed. `complete` says how a text may go on; it may be set later."""

    def __init__(self) -> None:
        self.complete: Complete | None = None
        self._session: PromptSession[str] = PromptSession(
            history=InMemoryHistory(),
            completer=_Asking(self),
            complete_while_typing=False,
            complete_style=CompleteStyle.READLINE_LIKE,
            reserve_space_for_menu=0,
        )

    async def lines(self) -> AsyncIterator[str]:
        """Each line, until the input ends (Ctrl-D). Raises KeyboardInterrupt for Ctrl-C."""
        while True:
            typed = await self._line()
            if typed is None:
                return
            yield typed

    async def _line(self) -> str | None:
        over = threading.Event()
        got: list[str | None] = []
        interrupted = False

        def ask() -> None:
            nonlocal interrupted
            try:
                got.append(self._session.prompt(PROMPT, pre_run=begin, handle_sigint=False))
            except EOFError:
                got.append(None)
            except KeyboardInterrupt:
                interrupted = True

        def begin() -> None:
            if over.is_set():
                leave()

        def leave() -> None:
            future = self._session.app.future
            if future is not None and not future.done():
                self._session.app.exit(exception=EOFError)

        async def mind() -> None:
            # Left alone, the thread would keep the terminal as an editor has it.
            try:
                await trio.sleep_forever()
            finally:
                over.set()
                loop = self._session.app.loop
                if loop is not None and not loop.is_closed():
                    loop.call_soon_threadsafe(leave)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(mind)
            with trio.CancelScope(shield=True):
                await trio.to_thread.run_sync(ask)
            nursery.cancel_scope.cancel()
        await trio.lowlevel.checkpoint_if_cancelled()
        if interrupted:
            raise KeyboardInterrupt
        return got[0]


class _Asking(Completer):
    """Asks the game's task, from the editor's thread."""

    def __init__(self, editor: Editor) -> None:
        self._editor = editor

    def get_completions(self, document: Document, event: CompleteEvent) -> Iterable[Shown]:
        complete = self._editor.complete
        if complete is None:
            return
        for found in trio.from_thread.run(_within, complete, document.text_before_cursor):
            yield Shown(line(found.word), start_position=-found.typed, display=line(found.shown))


async def _within(complete: Complete, text: str) -> Sequence[Completion]:
    found: Sequence[Completion] = ()
    with trio.move_on_after(ASK_SECONDS):
        try:
            found = await complete(text)
        except Exception:
            # A line that cannot be completed can still be typed: what is wrong is said then.
            found = ()
    return found


@contextmanager
def edited(source: Any = None, out: Any = None) -> Iterator[Editor]:
    """An editor at the terminal. Inside this context, what is printed appears above the line in
    progress. `source` and `out` are the input and output of prompt_toolkit (None: the terminal)."""
    to = out or create_output(stdout=terminal())
    with (
        create_app_session(input=source, output=to),
        StdoutProxy(raw=True) as above,
        diverted(above),
    ):
        yield Editor()
