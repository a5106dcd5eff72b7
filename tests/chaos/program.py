"""`warledger` as the chaos runs start it: it bears streams out of which messages can be deleted,
and ends with its input, so it never outlives whoever started it.

    python -m tests.chaos.program ARGUMENTS
"""

from __future__ import annotations

import os
import sys
import threading

from tests.chaos.node import let_messages_be_deleted
from warledger.clients.cli import main


def _hear() -> None:
    sys.stdin.read()
    os._exit(7)


if __name__ == "__main__":
    threading.Thread(target=_hear, daemon=True).start()
    let_messages_be_deleted()
    main()
