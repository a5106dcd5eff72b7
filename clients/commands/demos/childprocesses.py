"""Processes and a folder that go when this process goes, however it ends.

A process that is killed with -9 can end nothing itself. So another one waits for the end of its
input, which comes when nobody holds the other side any more. Then it kills a process group and
removes a folder. The group's first process is its own child, so that no other group can get its
number meanwhile.
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

_WATCHER: Final = """
import os, shutil, signal, subprocess, sys, time
waits = [sys.executable, "-ISc", "import sys; sys.stdin.read()"]
first = subprocess.Popen(waits, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, process_group=0)
print(first.pid, flush=True)
os.close(1)
sys.stdin.buffer.read()
os.killpg(first.pid, signal.SIGKILL)
first.wait()
for folder in sys.argv[1:]:
    for _ in range(100):
        shutil.rmtree(folder, ignore_errors=True)
        if not os.path.exists(folder):
            break
        time.sleep(0.05)  # somebody who is being killed was just writing there
"""


@contextmanager
def watched(folder: Path | None = None) -> Iterator[int | None]:
    """The number of a process group (for `Popen(process_group=…)`): whoever is in it is killed when
    the block ends, or this process, and then `folder` is removed. None where a system has no
    process groups.

    Ctrl-C at a terminal does not reach the group.
    """
    if sys.platform == "win32":
        yield None
        return
    command = [sys.executable, "-ISc", _WATCHER, *([str(folder)] if folder is not None else ())]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, process_group=0
    ) as watcher:
        assert watcher.stdin is not None and watcher.stdout is not None
        try:
            yield int(watcher.stdout.readline())
        finally:
            watcher.stdin.close()
            watcher.wait()
