"""What runs on this machine, as /proc tells."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def running_in(folder: Path) -> list[bytes]:
    """The command lines of processes that name this folder, or run in it."""
    found = []
    for one in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            said = (one / "cmdline").read_bytes()
            if os.fsencode(folder) in said or (one / "cwd").readlink().is_relative_to(folder):
                found.append(said)
    return found


__all__ = ["running_in"]
