"""A node, or an edge, as the chaos runs start it: a process with a clock that can be moved, whose
appends say in their names who wrote them.

    python -m tests.chaos.node node|edge DATA PORT STORE KEYS

A line with a number on its input moves the clock by that many seconds from then on. The node
ends with its input, so it never outlives whoever started it.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import trio

from tests.chaos.borne import let_messages_be_deleted
from tests.serve.offered import TITLES
from warledger.engine.serve.app import serve
from warledger.engine.serve.config import Config
from warledger.engine.store.fleet.jetstream import JetStreamStore

TAG_BYTES = 3
"""An incarnation's name ends with so many random bytes in hexadecimal: its appends' names begin
with the same."""

HEALER = bytes(TAG_BYTES)
"""What `fleet heal` puts in its place."""

_real = time.time_ns
_offset = 0


def _hear() -> None:
    global _offset
    for line in sys.stdin:
        _offset = int(line) * 1_000_000_000
    os._exit(7)


def tell_the_writer(tag_of: Callable[[JetStreamStore], bytes]) -> None:
    """Let the names of a store's appends begin with a tag."""
    made = JetStreamStore.__init__

    def tagged(self: JetStreamStore, *args: Any, **options: Any) -> None:
        made(self, *args, **options)
        tag = tag_of(self)
        self.settling._random = lambda n: tag + os.urandom(n - TAG_BYTES)

    JetStreamStore.__init__ = tagged  # type: ignore[method-assign]


def main() -> None:
    """Be one until a signal."""
    what, data, port, url, keys = sys.argv[1:]
    time.time_ns = lambda: _real() + _offset
    threading.Thread(target=_hear, daemon=True).start()
    tell_the_writer(lambda store: bytes.fromhex(store.name[-2 * TAG_BYTES :]))
    let_messages_be_deleted()
    at = {"store" if what == "node" else "edge": url}
    config = Config(Path(data), port=int(port), log_level="info", keys=Path(keys), **at)
    trio.run(lambda: serve(config, titles=TITLES))


if __name__ == "__main__":
    main()
