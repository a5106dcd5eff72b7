"""The matcher in a process of its own.

rustworkx finds a matching of greatest weight, but holds the interpreter for the whole of its run:
in the server's process, a field of a thousand would stop every game for a second. So one process
is started for a round, answers until the round is paired, and is ended; what takes too long is
killed. The pairing does not depend on which matcher found it, only the time does.
"""

from __future__ import annotations

import importlib.util
import pickle
import subprocess
import sys
import threading
from collections.abc import Sequence
from types import TracebackType

from warledger.engine.tournaments.swiss.paired import BITS

INSTALL = "Pairing a round needs a package that is not installed: install warledger[tournament]."
ROUND_S = 300
"""So long may pairing one round take, in seconds."""


class MatchingFailed(Exception):
    """The round could not be paired here and now; nothing has been changed."""


class MatchingMissing(MatchingFailed):
    """The package that pairs is not installed."""

    def __init__(self) -> None:
        super().__init__(INSTALL)


def matched(vertices: int, edges: Sequence[tuple[int, int, int]], perfect: bool) -> list[int]:
    """A matching of greatest weight in this process: `swiss.paired.Matcher`."""
    try:
        import rustworkx
    except ImportError as missing:
        raise MatchingMissing from missing
    graph = rustworkx.PyGraph[int, int](multigraph=False)
    graph.add_nodes_from(range(vertices))
    graph.add_edges_from(list(edges))
    mates = [-1] * vertices
    for a, b in rustworkx.max_weight_matching(graph, max_cardinality=perfect, weight_fn=int):
        mates[a], mates[b] = b, a
    return mates


class MatchingProcess:
    """A matcher that works in a child process; use it as a context manager, and in a thread.

    Calling it raises `MatchingFailed` with a sentence for the director when its time is over or
    the process was killed.
    """

    def __init__(self, limit_s: float = ROUND_S) -> None:
        if importlib.util.find_spec("rustworkx") is None:
            raise MatchingMissing
        self._limit_s = limit_s
        self._late = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._timer: threading.Timer | None = None

    def __enter__(self) -> MatchingProcess:
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._timer = threading.Timer(self._limit_s, self._kill)
        self._timer.daemon = True
        self._timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._process is not None and self._timer is not None
        self._timer.cancel()
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except BrokenPipeError:  # what was still to be written; nobody reads it any more
                    continue
        self._process.wait()

    @property
    def pid(self) -> int:
        """The process that matches."""
        assert self._process is not None, "enter it first"
        return self._process.pid

    def _kill(self) -> None:
        self._late.set()
        assert self._process is not None
        self._process.kill()

    def __call__(
        self, vertices: int, edges: Sequence[tuple[int, int, int]], perfect: bool
    ) -> list[int]:
        """`swiss.paired.Matcher`, in the other process."""
        assert self._process is not None, "enter it first"
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            pickle.dump((vertices, list(edges), perfect), self._process.stdin)
            self._process.stdin.flush()
            answer = pickle.load(self._process.stdout)
        except (OSError, EOFError, pickle.UnpicklingError) as broken:
            raise MatchingFailed(self._why()) from broken
        if isinstance(answer, str):
            raise MatchingFailed(answer)
        mates: list[int] = answer
        return mates

    def _why(self) -> str:
        if self._late.is_set():
            return (
                f"Pairing took longer than {self._limit_s:g} seconds and was stopped; nothing has"
                " changed. Pair again, or set the boards by hand."
            )
        return (
            "The process that pairs was ended before it had finished; nothing has changed."
            " Pair again: the same pairing comes out."
        )


def serve() -> None:
    """The child: answers each graph with its matching, until nobody asks any more."""
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    while True:
        try:
            vertices, edges, perfect = pickle.load(source)
        except EOFError:
            return
        answer: list[int] | str
        if any(weight >> (BITS + 4) for _, _, weight in edges):
            answer = "The weights of this field are larger than the matcher can take."
        else:
            answer = matched(vertices, edges, perfect)
        pickle.dump(answer, sink)
        sink.flush()


if __name__ == "__main__":
    serve()
