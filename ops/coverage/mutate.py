"""Whether the tests that cite a clause notice when the code that cites it is broken.

A row of a coverage page holds when a way to break a place that it names (`mutants`) makes a test
that it names fail. A row that no broken place touches survives: its tests hold something else than
its code, and either is to be mended.
"""

import ast
import importlib.abc
import importlib.util
import os
import select
import signal
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType, ModuleType
from typing import NamedTuple, NoReturn

from ops.coverage.mutants import BROKEN, DENTED, broken, dented, mutants
from ops.coverage.sources import ROOT, Citation, clauses, code_citations, test_citations

SECONDS_MAX = 120
"""How many seconds of computing the tests of one mutant may take; broken code may never end. A busy
machine makes none of them endless."""

WAIT_FACTOR = 15
"""How many times as long they may last by the clock, should they wait for something."""

_FAILED = 1, 2, 4
"""pytest's exit codes when a test failed, or a test module did as it was loaded."""

_PASSED = 0
_TOLD_MAX = 4000
"""How much is told of tests that fail over the sound code, in characters."""
_UNLOADABLE = 70
"""The broken module itself does not load: nothing is said about its tests."""
_LOADED = 71
"""The sound module had been loaded before: nothing is said about its tests either."""
_TRIES_MAX = 3
"""How often a mutant is tried whose process somebody kills, as a machine does that is short of
memory. One that ends by another signal has been noticed: it computed without end, or crashed."""


class Mutant(NamedTuple):
    """One way of breaking one place."""

    citation: Citation
    words: str
    module: ast.Module


class Row(NamedTuple):
    """What came of a clause."""

    clause: str
    held_by: str
    """The broken place that was noticed; empty when none was."""
    tried: int


def rows(title: str, only: Iterable[str] = (), *, workers: int | None = None) -> Iterator[Row]:
    """Try the clauses of a title, all or only some, as many at a time as there are cores.

    They come as they are done. Raises KeyError for a clause that the title does not have. Raises
    RuntimeError when the sound tests fail or this process has already loaded what is to be broken.
    """
    known = clauses(title)
    wanted = list(only) or list(known)
    for clause in wanted:
        known[clause]
    code, tests = code_citations(title), test_citations(title)
    jobs = [
        _Job(clause, _chosen_code(code.get(clause, [])), _nodes(tests.get(clause, [])))
        for clause in wanted
    ]
    _preload()
    _check_sound(jobs)
    waiting = jobs[::-1]
    running: dict[int, tuple[_Job, int]] = {}
    while waiting or running:
        while waiting and len(running) < (workers or _cores()):
            job = waiting.pop()
            started = job.start()
            if started is None:
                yield Row(job.clause, "", job.tried)
            else:
                running[started[1]] = job, started[0]
        if not running:
            continue  # the last ones had nothing left to try
        ready, _, _ = select.select(list(running), [], [])
        for end in ready:
            job, pid = running.pop(end)
            os.close(end)
            came_of = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            if came_of == -signal.SIGKILL:
                job.again()
                waiting.append(job)
            elif came_of == _LOADED:
                raise RuntimeError(
                    f"{job.clause}, {job.what}: the module had been loaded before it was broken; "
                    "begin in a process that has imported no title"
                )
            elif came_of in _FAILED or came_of < 0:
                yield Row(job.clause, job.what, job.tried)
            else:
                waiting.append(job)


def _check_sound(jobs: Sequence["_Job"]) -> None:
    """Run every test over the sound code. Raises RuntimeError when one fails: then nothing is said
    about broken code."""
    tests = list(dict.fromkeys(test for job in jobs for test in job.tests))
    with tempfile.TemporaryFile() as heard:
        pid = os.fork()
        if pid == 0:
            _run(None, tests, seconds=SECONDS_MAX * 5, heard=heard.fileno())
        came_of = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        if came_of != _PASSED:
            heard.seek(0)
            told = heard.read().decode(errors="replace")[-_TOLD_MAX:]
            raise RuntimeError(
                f"the tests fail over the sound code (exit code {came_of}): mend them first\n{told}"
            )


class _Job:
    """The mutants of one clause, tried in turn until a test fails."""

    def __init__(self, clause: str, places: Sequence[Citation], tests: Sequence[str]) -> None:
        self.clause = clause
        self.tests = tests
        self.tried = 0
        self.what = ""
        self._kills = 0
        self._mutant: Mutant | None = None
        self._again: Mutant | None = None
        self._left = _mutants(places) if tests else iter(())

    def start(self) -> tuple[int, int] | None:
        """Try the next mutant: a process, and a pipe that closes when it ends. None when there is
        no other."""
        mutant = self._again or next(self._left, None)
        if mutant is None:
            return None
        if self._again is None:
            self.tried += 1
            self._kills = 0
        self._mutant, self._again = mutant, None
        where = mutant.citation.path.relative_to(ROOT).as_posix()
        self.what = f"{where}: {mutant.words}"
        out, into = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(out)
            os.set_inheritable(into, True)
            _run(mutant, self.tests)
        os.close(into)
        return pid, out

    def again(self) -> None:
        """Its process was killed, which says nothing about the mutant. Raises RuntimeError when
        that has happened too often."""
        self._kills += 1
        self._again = self._mutant
        if self._kills == _TRIES_MAX:
            raise RuntimeError(
                f"{self.clause}, {self.what}: its process was killed again and again"
            )


def _mutants(places: Sequence[Citation]) -> Iterator[Mutant]:
    seen: set[tuple[Path, str]] = set()
    for one in places:
        for words, module in mutants(one.path.read_text(encoding="utf-8"), one.line):
            if (one.path, words) not in seen:
                seen.add((one.path, words))
                yield Mutant(one, words, module)


def _chosen_code(found: Sequence[Citation]) -> list[Citation]:
    """What carries the clause out: functions, steps and tables, else records, else modules."""
    kinds: dict[str, list[Citation]] = {"function": [], "class": [], "record": [], "module": []}
    for one in found:
        line = one.path.read_text(encoding="utf-8").splitlines()[one.line - 1]
        if not line.startswith("# ---"):  # a heading carries nothing out
            kinds[_kind(one)].append(one)
    carried = kinds["function"] + kinds["class"]
    return carried or kinds["record"] or kinds["module"]


def _kind(one: Citation) -> str:
    tree = ast.parse(one.path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and _spans(node, one.line):
            return "function"
    if _spans(tree.body[0], one.line):
        return "module"
    for node in tree.body:
        # A record's docstring names what the record is about, and no field of it in particular.
        if isinstance(node, ast.ClassDef) and _spans(node.body[0], one.line):
            methods = any(isinstance(part, ast.FunctionDef) for part in node.body)
            return "class" if methods else "record"
    return "class"


def _spans(node: ast.stmt, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or 0)


def _nodes(found: Sequence[Citation]) -> list[str]:
    """pytest's names of the tests; whole files only where no test itself cites the clause."""
    tests = [one for one in found if one.name.startswith("test_")] or found
    return list(dict.fromkeys(one.place.replace(":", "::") for one in tests))


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


# --- in the process of a mutant -------------------------------------------------------------------


def _preload() -> None:
    """Load what every mutant needs and none changes, so that a process begins with it."""
    import hypothesis  # noqa: F401
    import pytest  # noqa: F401
    import pytest_trio  # noqa: F401

    import warledger.engine.packfiles
    import warledger.engine.testing  # noqa: F401


class _Changed(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Loads one module from its changed code."""

    def __init__(self, name: str, path: Path, code: CodeType) -> None:
        self._name, self._path, self._code = name, path, code

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Only the changed module is found here."""
        if name != self._name:
            return None
        return importlib.util.spec_from_file_location(name, self._path, loader=self)

    def create_module(self, spec: ModuleSpec) -> None:
        """Leaves it to Python to make the module."""

    def exec_module(self, module: ModuleType) -> None:
        """Run the changed code."""
        module.__dict__.update({BROKEN: broken, DENTED: dented})
        try:
            exec(self._code, module.__dict__)
        except BaseException:
            os._exit(_UNLOADABLE)


def _run(
    mutant: Mutant | None,
    tests: Sequence[str],
    *,
    seconds: int = SECONDS_MAX,
    heard: int | None = None,
) -> NoReturn:
    """Run the tests over the mutant, or over the sound code, and end the process with pytest's
    code. What they say goes to the file descriptor `heard`, or nowhere."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.alarm(seconds * WAIT_FACTOR)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (1, 2):
        if not os.environ.get("WARLEDGER_MUTANTS_TALK"):
            os.dup2(nowhere if heard is None else heard, stream)
    if heard is not None:
        sys.stdout = sys.stderr = os.fdopen(os.dup(heard), "w")
    try:
        import pytest

        if mutant is not None:
            path = mutant.citation.path
            inside = path.relative_to(ROOT).with_suffix("").parts
            inside = inside[:-1] if inside[-1] == "__init__" else inside
            name = ".".join(("warledger", *inside))
            if name in sys.modules:
                os._exit(_LOADED)
            code = compile(mutant.module, str(path), "exec")
            sys.meta_path.insert(0, _Changed(name, path, code))
        os.chdir(ROOT)
        options = ["-x", "-q", "-m", "not long", "-p", "no:cacheprovider"]
        came_of = int(pytest.main([*options, *tests]))
        sys.stdout.flush()
        os._exit(came_of)
    except BaseException:
        os._exit(_UNLOADABLE)


def survivors(title: str, only: Iterable[str] = ()) -> list[str]:
    """The clauses whose tests do not notice that their code is broken."""
    return [row.clause for row in rows(title, only) if not row.held_by]


def tell(title: str, only: Iterable[str] = (), *, verbose: bool = False) -> int:
    """Print the survivors of a title, and a line that sums up; 1 when there are any."""
    began = time.monotonic()
    lost = done = tried = 0
    for row in rows(title, only):
        done, tried = done + 1, tried + row.tried
        if not row.held_by:
            lost += 1
            print(f"{title} {row.clause}: survives {row.tried} ways of breaking its code")
        elif only or verbose:
            print(f"{title} {row.clause}: noticed, {row.held_by}")
        sys.stdout.flush()
    spent = time.monotonic() - began
    print(f"{title}: {done} clauses, {tried} mutants, {lost} survive, {spent:.0f} s")
    return 1 if lost else 0
