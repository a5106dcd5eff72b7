"""Plays a game on from the beginnings of its turns, many times, in as many processes as there are
cores (`warledger analyse`). What comes of it is an analysis (`protocol/analysis.py`)."""

import multiprocessing
import os
from collections.abc import Generator, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from itertools import islice
from typing import Any

from attrs import evolve as replace
from attrs import frozen

from warledger.clients.audit.evidence import Evidence
from warledger.clients.audit.examine import examine
from warledger.clients.audit.verdict import UNSOUND
from warledger.clients.bots.branch import Astray, NoBranch, Origin, begin, origins, turns
from warledger.clients.bots.player import BUGS
from warledger.engine.registry import rules_of
from warledger.protocol.analysis import ASTRAY, DRAW, Analysis, Point
from warledger.protocol.chance.seal import Opening

PLAYER = "captain"
_AHEAD = 4
"""Games handed to the processes for each of them, so that none waits."""


@frozen
class Task:
    """One game to play: on from record `seq`, for the `n`th time."""

    seq: int
    n: int


def begun(found: Evidence) -> Analysis:
    """An analysis of an examined file in which nothing has been played yet. Raises NoBranch if the
    file is not sound, or has no turns."""
    genesis = found.genesis
    if genesis is None or not found.records:
        raise NoBranch("there is no game in it")
    if found.report().code() == UNSOUND:
        raise NoBranch("it is not sound; `warledger audit` says why")
    points = tuple(Point(seq, found.records[seq].hash, args) for seq, args in turns(found.records))
    if not points:
        raise NoBranch("no turn has begun in it")
    return Analysis(genesis.game, genesis.title, genesis.hash, genesis.seats, PLAYER, points)


def tasks(analysis: Analysis, rollouts: int) -> list[Task]:
    """What is still to be played for `rollouts` games from each point: every point once, then every
    point again, so that a curve is there early."""
    return [
        Task(point.seq, n)
        for n in range(rollouts)
        for point in analysis.points
        if n >= len(point.results) or point.results[n] is None
    ]


def with_result(analysis: Analysis, task: Task, result: str) -> Analysis:
    """The analysis with one more result."""
    points = []
    for point in analysis.points:
        if point.seq == task.seq:
            blank = (None,) * (task.n + 1 - len(point.results))
            results = [*point.results, *blank]
            results[task.n] = result
            point = replace(point, results=tuple(results))
        points.append(point)
    return replace(analysis, points=tuple(points))


def origins_of(found: Evidence, wanted: Iterable[int]) -> dict[int, Origin]:
    """Records of an examined file as origins.

    Raises NoBranch if something is sealed to its reader, KeyError for a title that is not
    installed, CorruptLog for a log that does not fold.
    """
    genesis = found.genesis
    if genesis is None:
        raise NoBranch("there is no game in it")
    openings: dict[int, list[Opening]] = {}
    for (seq, _), opening in sorted(found.openings.items()):
        openings.setdefault(seq, []).append(opening)
    sealed = [seq for seq, path in found.seals if (seq, path) not in found.openings]
    return origins(rules_of(genesis.title), found.records, openings, wanted, sealed)


def result_of(origin: Origin, n: int) -> str:
    """The `n`th game from an origin: who wins, DRAW, or ASTRAY. The same every time."""
    try:
        outcome = begin(origin, f"{origin.record.hash.hex()} {n}").play_out()
    except (Astray, *BUGS):
        return ASTRAY  # a bug of a bot or of the rules costs one game, not the analysis
    return DRAW if outcome.winner is None else outcome.winner


_origins: Mapping[int, Origin] = {}
"""Of a process of the pool: what it plays on from."""


def _prepare(data: bytes, wanted: Sequence[int]) -> None:
    global _origins
    _origins = origins_of(examine(data), wanted)


def _play(task: Task) -> str:
    origin = _origins.get(task.seq)
    return ASTRAY if origin is None else result_of(origin, task.n)


def results(
    data: bytes, todo: Sequence[Task], processes: int | None = None
) -> Generator[tuple[Task, str], None, None]:
    """Play the tasks on a file's bytes, each as it is done. Closing the iterator ends the
    processes once the games that they are in are over; with one process none is started."""
    wanted = sorted({task.seq for task in todo})
    count = processes or os.cpu_count() or 1
    if count == 1 or len(todo) == 1:
        here = origins_of(examine(data), wanted)
        for task in todo:
            origin = here.get(task.seq)
            yield task, ASTRAY if origin is None else result_of(origin, task.n)
        return
    # A spawned process shares nothing with this one, on every platform.
    context: Any = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(count, context, _prepare, (data, wanted))
    try:
        rest = iter(todo)
        under_way: dict[Future[str], Task] = {}
        while True:
            for task in islice(rest, _AHEAD * count - len(under_way)):
                under_way[pool.submit(_play, task)] = task
            if not under_way:
                return
            for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                yield under_way.pop(future), future.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
