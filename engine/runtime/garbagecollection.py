"""When the interpreter looks for garbage that refers to itself.

By default the collector runs whenever there are 700 more objects than before. In a server under
load those are what the commands in progress hold between two steps: the collector finds nothing and
takes a fifth of the time. Now and then it goes through the whole heap in the middle of a command.
So young objects are given time to be freed without it, and the whole heap is swept when nobody is
playing.

The interpreter counts objects that were made less those that were freed. A command frees about as
many as it makes, but old ones: where thousands of games are played slowly, the next collection's
young objects become those of all games before that count is reached. So they are also looked at
after some time. Older ones are left to the sweep.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import trio

YOUNG_OBJECTS: Final = 5000
"""How many more objects than at the last collection start the next one, of young objects alone."""
YOUNG_SECONDS: Final = 0.25
"""Seconds between two collections of young objects at the most, while somebody is playing."""
LOOK_SECONDS: Final = 5.0
"""Seconds between two checks whether anybody is playing."""
SWEEP_SECONDS: Final = 60.0
"""Seconds between two sweeps of the whole heap."""
SWEEP_SECONDS_MAX: Final = 900.0
"""Seconds between two sweeps of the whole heap while somebody is always playing."""
_NEVER: Final = 1_000_000


@contextmanager
def steady() -> Iterator[None]:
    """Set up the collector as a server needs it. What exists on entry (titles, packs, modules) is
    kept, and is never looked at."""
    before = gc.get_threshold()
    frozen = gc.get_freeze_count()
    gc.freeze()
    gc.set_threshold(YOUNG_OBJECTS, _NEVER, _NEVER)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        if not frozen:
            gc.unfreeze()


async def tidy(activity: Callable[[], int]) -> None:
    """Look at the young objects from time to time, for ever. `activity` counts what has been done;
    if it has not changed, there is nothing to look at."""
    seen = activity()
    while True:
        await trio.sleep(YOUNG_SECONDS)
        before, seen = seen, activity()
        if seen != before:
            gc.collect(0)


async def sweep(activity: Callable[[], int]) -> None:
    """Sweep the whole heap from time to time, for ever: closed connections, for instance, refer to
    themselves.

    `activity` counts what has been done (commands, connections). If it has not changed, nobody
    waits while a sweep runs; if it has not changed since the last sweep, there is nothing to sweep.
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
