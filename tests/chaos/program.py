"""`warledger` as the chaos runs start it: it bears streams out of which messages can be deleted,
an archive says twice a second which games it has for good, what `fleet heal` appends says that it
did, and all of it ends with its input, so it never outlives whoever started it.

    python -m tests.chaos.program ARGUMENTS
"""

from __future__ import annotations

import os
import sys
import threading
from typing import Any

from tests.chaos.borne import let_messages_be_deleted
from tests.chaos.node import HEALER, tell_the_writer
from warledger.clients.cli import main
from warledger.engine.store.fleet.finishedgames import Finishing


def _hear() -> None:
    sys.stdin.read()
    os._exit(7)


def _look_often() -> None:
    made = Finishing.__init__

    def sooner(self: Finishing, *args: Any, **options: Any) -> None:
        made(self, *args, **{"seconds": 0.5, **options})

    Finishing.__init__ = sooner  # type: ignore[method-assign]


if __name__ == "__main__":
    threading.Thread(target=_hear, daemon=True).start()
    let_messages_be_deleted()
    _look_often()
    if sys.argv[1:3] == ["fleet", "heal"]:
        tell_the_writer(lambda store: HEALER)
    main()
