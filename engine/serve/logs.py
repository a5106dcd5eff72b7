"""The server's own log: one JSON object a line on standard error. It may contain who, which game
and which record; never a pick, an opening, a token or the message of a bug."""

import logging
import sys
from typing import Any, TextIO

import structlog

LEVELS = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
}


def logger(level: str = "info", stream: TextIO | None = None) -> Any:
    """A logger of its own, not the process's global one, so that two servers in a process do not
    share it. Raises KeyError."""
    return structlog.wrap_logger(
        structlog.WriteLogger(stream or sys.stderr),
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True, key="at"),
            structlog.processors.JSONRenderer(sort_keys=True, ensure_ascii=False),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(LEVELS[level]),
        cache_logger_on_first_use=True,
    )
