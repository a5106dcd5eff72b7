"""Garbage that refers to itself: when the interpreter looks for it.

Left to itself the collector comes after every 700 objects more than before. In a server under load those are what the commands under way
hold between two steps: it finds nothing, and takes a fifth of the time; now and then it goes through all that there is, in the middle of
somebody's command. So young objects are given time to die by themselves, and the whole is gone through when nothing is being played.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import trio

YOUNG_OBJECTS: Final = 5000
"""So many more objects than at the last look, and the young are looked at; every fifth time what outlived that, too."""
LOOK_SECONDS: Final = 5.0
"""How often it is asked whether anything is being played."""
SWEEP_SECONDS: Final = 60.0
"""Between two sweeps of the whole."""
SWEEP_SECONDS_MAX: Final = 900.0
"""The same where something is always being played."""
_NEVER: Final = 1_000_000


@contextmanager
def steady() -> Iterator[None]:
    """The collector as a server needs it. What exists on entry (titles, packs, modules) stays, and is never gone through."""
    before = gc.get_threshold()
    frozen = gc.get_freeze_count()
    gc.freeze()
    gc.set_threshold(YOUNG_OBJECTS, 5, _NEVER)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        if not frozen:
            gc.unfreeze()


async def sweep(activity: Callable[[], int]) -> None:
    """Go through the whole heap once in a while, for ever: closed connections, say, refer to themselves.

    `activity` counts what has been done (commands, connections). Where it stands still nobody waits for the moment that a sweep takes;
    where it has not moved since the last one there is nothing to sweep.
    """
    seen = known = activity()
    swept = trio.current_time()
    while True:
        await trio.sleep(LOOK_SECONDS)
        before, seen = seen, activity()
        due = swept + (SWEEP_SECONDS if seen == before else SWEEP_SECONDS_MAX)
        if seen != known and trio.current_time() >= due:
            gc.collect()
            swept, known = trio.current_time(), seen
