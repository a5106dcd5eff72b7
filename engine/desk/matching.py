"""Rounds paired in a process of their own.

rustworkx finds a matching of greatest weight, but holds the interpreter for the whole of its run:
in the server's process, a field of a thousand would stop every game for a second. Handing it half a
million edges stops them for a tenth. So one process is started for a round, is told where the
tournament stands, pairs it, and is ended. What takes too long is killed. The pairing does not
depend on which matcher found it, only the time does.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, BinaryIO, Final

from attrs import evolve as replace
from attrs import frozen

from warledger.engine.tournaments.lots import Lots, Seeds
from warledger.engine.tournaments.pairing import Elsewhere, Paired
from warledger.engine.tournaments.swiss.paired import BITS
from warledger.engine.tournaments.systems import pair
from warledger.engine.tournaments.tournamentposition import Board, Person, Position, Titled
from warledger.protocol.board.choices import Refusal

ROUND_S = 300
"""So long may pairing one round take, in seconds."""


class MatchingFailed(Exception):
    """The round could not be paired here and now; nothing has been changed."""


def matched(vertices: int, edges: Sequence[tuple[int, int, int]], perfect: bool) -> list[int]:
    """A matching of greatest weight in this process: `swiss.paired.Matcher`."""
    import rustworkx  # only here: the server itself never pairs

    graph = rustworkx.PyGraph[int, int](multigraph=False)
    graph.add_nodes_from(range(vertices))
    graph.add_edges_from(list(edges))
    mates = [-1] * vertices
    for a, b in rustworkx.max_weight_matching(graph, max_cardinality=perfect, weight_fn=int):
        mates[a], mates[b] = b, a
    return mates


PART: Final = 100
"""So many entrants, or boards, are handed over at a time: nothing holds the interpreter long."""


@frozen
class _Titles:
    """What is known of the titles of a tournament, in another process."""

    known: Mapping[str, Titled]

    def __call__(self, title: str) -> Titled:
        return self.known[title]


class MatchingProcess(Elsewhere):
    """A child process that pairs rounds, or finds matchings when it is called; use it as a context
    manager, and in a thread.

    Both raise `MatchingFailed` with a sentence for the director when its time is over or the
    process was killed.
    """

    def __init__(self, limit_s: float = ROUND_S) -> None:
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
        mates: list[int] = self._asked([(vertices, list(edges), perfect)])
        return mates

    def pair(self, at: Position, lots: Lots) -> Paired | Refusal:
        """The next round, paired in the other process."""
        made, drawn = self._asked(_parts(at, lots.seed))
        lots.drawn.extend(drawn)
        paired: Paired | Refusal = made
        return paired

    def _asked(self, parts: Iterable[object]) -> Any:
        assert self._process is not None, "enter it first"
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            for part in parts:
                pickle.dump(part, self._process.stdin)
            self._process.stdin.flush()
            answer = pickle.load(self._process.stdout)
        except (OSError, EOFError, pickle.UnpicklingError) as broken:
            raise MatchingFailed(self._why()) from broken
        if isinstance(answer, str):
            raise MatchingFailed(answer)
        return answer

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


def _parts(at: Position, seed: bytes) -> Iterator[object]:
    """Where a tournament stands, in parts: how many follow, entrants, boards, and the rest."""
    titles = {at.charter.title} | {one.title for one in at.charter.rounds}
    known = _Titles({title: at.title_of(title) for title in sorted(titles)})
    people = tuple(at.entrants.items())
    boards = [(one.number, board) for one in at.rounds for board in one.boards]
    parts: list[object] = [
        *(("people", people[n : n + PART]) for n in range(0, len(people), PART)),
        *(("boards", boards[n : n + PART]) for n in range(0, len(boards), PART)),
    ]
    bare = tuple(replace(one, boards=()) for one in at.rounds)
    yield len(parts)
    yield from parts
    yield replace(at, entrants={}, rounds=bare, title_of=known), seed


def _whole(source: BinaryIO, count: int) -> tuple[Position, bytes]:
    """The position and the seed of `_parts`."""
    people: dict[int, Person] = {}
    boards: dict[int, list[Board]] = {}
    for _ in range(count):
        kind, given = pickle.load(source)
        if kind == "people":
            people.update(given)
        else:
            for number, board in given:
                boards.setdefault(number, []).append(board)
    at, seed = pickle.load(source)
    rounds = tuple(replace(one, boards=tuple(boards.get(one.number, ()))) for one in at.rounds)
    return replace(at, entrants=people, rounds=rounds), seed


def serve() -> None:
    """The child: answers each graph with its matching, and each position with its next round and
    the lots drawn for it, until nobody asks any more."""
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    while True:
        try:
            asked = pickle.load(source)
        except EOFError:
            return
        answer: Any
        if isinstance(asked, int):
            at, seed = _whole(source, asked)
            lots = Lots(at, _known(seed))
            answer = (pair(at, lots, matched), tuple(lots.drawn))
        elif any(weight >> (BITS + 4) for _, _, weight in asked[1]):
            answer = "The weights of this field are larger than the matcher can take."
        else:
            answer = matched(*asked)
        pickle.dump(answer, sink)
        sink.flush()


def _known(seed: bytes) -> Seeds:
    return lambda epoch, nonces: seed


if __name__ == "__main__":
    serve()
