"""One kind of work done for several things at once, in copies of this process.

Rules of this file:
- Processes are forked, and share what this one knows instead of being told. Where that is not safe
  (any system but Linux, a process with other threads), everything is done here, one after the
  other.
- Results come in order, whoever is done first. What a lost process leaves is `Lost`.
- No process outlives the loop over its results, however that ends.
"""

import gc
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Final, TypeVar

T = TypeVar("T")

WORKERS_MAX: Final = 8
"""How many processes work where nobody says how many. Each may come to hold most of what it shares
as its own, since counting references writes to it."""


class Lost(Exception):
    """A process has ended without a result, or could not be had."""


def cores() -> int:
    """How many processes may run at the same time."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def at_once(workers: int | None) -> int:
    """How many processes to use, for so many that are wanted: None means as many as there are
    cores, up to WORKERS_MAX. 1 means this one."""
    if sys.platform != "linux" or threading.active_count() > 1:
        return 1
    return max(1, min(cores(), WORKERS_MAX) if workers is None else workers)


def each(job: Callable[[int], T], count: int, workers: int) -> Generator[T, None, None]:
    """The results of `job` for the numbers below `count`, in order, by so many processes. Results
    are pickled. Raises Lost in place of the first result that no process brings any more, also for
    a job that has raised there."""
    if workers <= 1 or count <= 1:
        yield from map(job, range(count))
        return
    workers = min(workers, count)
    begun: list[tuple[BaseProcess, Connection]] = []
    try:
        begun += (_begin(job, range(first, count, workers)) for first in range(workers))
        for number in range(count):
            yield begun[number % workers][1].recv()
    except (EOFError, OSError) as error:
        raise Lost(str(error)) from error
    finally:
        for process, reader in begun:
            reader.close()
            process.kill()
            process.join()
            process.close()


def _begin(job: Callable[[int], T], numbers: range) -> tuple[BaseProcess, Connection]:
    context = multiprocessing.get_context("fork")
    reader, writer = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(writer, job, numbers), daemon=True)
    process.start()
    writer.close()
    return process, reader


def _work(writer: Connection, job: Callable[[int], T], numbers: range) -> None:
    """What runs in a process of its own."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever began this one ends it
    gc.freeze()  # looking through what is shared would copy it
    with suppress(Exception):  # whoever began this one sees that it is lost
        for number in numbers:
            writer.send(job(number))
