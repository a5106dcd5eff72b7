"""A bug of ours is kept to the one whom it concerns: it is counted and logged, and the tasks that
serve everybody go on."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from warledger.engine.runtime.metrics import Metrics


@contextmanager
def contained(metrics: Metrics, log: Any, where: str, **whom: object) -> Iterator[None]:
    """Whatever goes wrong in here goes no further: it is counted, and logged as having happened
    `where`, to `whom`. A cancellation passes."""
    try:
        yield
    except Exception as error:
        note(metrics, log, error, where, **whom)


def note(metrics: Metrics, log: Any, error: BaseException, where: str, **whom: object) -> None:
    """Count a bug, and log it."""
    metrics.faults += 1
    log.error("fault", where=where, what=place(error), **whom)


def place(error: BaseException) -> str:
    """Where a bug is: its type, and file and line of the innermost calls. The exception's message
    is left out, since it may quote what nobody should read."""
    if isinstance(error, BaseExceptionGroup):
        return "; ".join(place(one) for one in error.exceptions)
    calls = traceback.extract_tb(error.__traceback__)[-3:]
    places = (
        f"{call.filename.rpartition('/engine/')[2]}:{call.lineno}" for call in reversed(calls)
    )
    return f"{type(error).__name__} at {' < '.join(places)}"
