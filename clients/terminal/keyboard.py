"""Lines from standard input, read in a thread so that the game continues meanwhile."""

import os
import sys
from collections.abc import AsyncIterator

import trio

from warledger.clients.terminal.visible import is_terminal


async def typed_lines() -> AsyncIterator[str]:
    """Each line as it is typed, until the input ends. A pending read is abandoned when its task is
    cancelled."""
    while True:
        line = await trio.to_thread.run_sync(sys.stdin.readline, abandon_on_cancel=True)
        if not line:
            return
        yield line.rstrip("\r\n")


def can_edit() -> bool:
    """Whether standard input and output are a terminal on which lines can be edited."""
    return sys.stdin.isatty() and is_terminal() and os.environ.get("TERM", "") != "dumb"
