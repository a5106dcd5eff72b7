"""The locks in ops/requirements are those of pyproject.toml, whole, and nothing is installed but by
them."""

from __future__ import annotations

import os
import re
import subprocess
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "ops" / "requirements"
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
EXTRAS = PYPROJECT["project"]["optional-dependencies"]
RUN = PYPROJECT["project"]["dependencies"]
DECLARED = {
    "run": RUN,
    "test": [*RUN, *EXTRAS["test"]],
    "browser": [*RUN, *EXTRAS["test"], *EXTRAS["browser"]],
    "build": [
        line
        for line in (FOLDER / "build.in").read_text(encoding="utf-8").splitlines()
        if not line.startswith("#")
    ],
}
"""What each lock is made from."""


def pins(lock: str) -> dict[str, tuple[str, int]]:
    """A lock's packages: version, and how many hashes."""
    found: dict[str, tuple[str, int]] = {}
    text = (FOLDER / f"{lock}.txt").read_text(encoding="utf-8")
    for entry in re.split(r"\n(?=\S)", re.sub(r"(?m)^\s*#.*\n", "", text)):
        pinned = re.match(r"([A-Za-z0-9._-]+)==([^ ;]+)(?: ; [^\\\n]+)? \\\n", entry)
        assert pinned is not None, f"{lock}.txt: {entry[:60]!r} pins nothing"
        hashes = re.findall(r"--hash=sha256:[0-9a-f]{64}\b", entry)
        assert entry.count("--") == len(hashes), (
            f"{lock}.txt: {entry[:60]!r} asks for something else than hashes"
        )
        found[canonicalize_name(pinned[1])] = (pinned[2], len(hashes))
    return found


@pytest.mark.parametrize("lock", DECLARED)
def test_a_lock_has_all_that_is_declared(lock: str) -> None:
    """Each declared package stands in its lock with a version that the declaration allows, and
    every package with hashes."""
    found = pins(lock)
    for requirement in map(Requirement, DECLARED[lock]):
        assert canonicalize_name(requirement.name) in found, (
            f"{requirement.name} is not in {lock}.txt: run ops/lock"
        )
        version, _ = found[canonicalize_name(requirement.name)]
        assert requirement.specifier.contains(version), (
            f"{lock}.txt has {requirement.name} {version}: run ops/lock"
        )
    assert [name for name, (_, hashes) in found.items() if not hashes] == []


def test_extras_and_locks_are_the_same_sets() -> None:
    """An extra that is added, or a package that the build asks for, needs a lock."""
    # What the fleet and research need is in the lock for the tests.
    assert set(EXTRAS) == {"fleet", "research", "test", "browser"}
    asked = [Requirement(line) for line in PYPROJECT["build-system"]["requires"]]
    assert [str(one) for one in asked] == [str(Requirement(line)) for line in DECLARED["build"]][
        : len(asked)
    ]


def test_the_locks_agree() -> None:
    """What two locks both name they name in one version; each set holds the smaller one."""
    run, test, browser, build = map(pins, ("run", "test", "browser", "build"))
    assert set(run) < set(test) < set(browser)
    for one in (run, test, build):
        assert {
            name: version
            for name, version in one.items()
            if name in browser and browser[name] != version
        } == {}


@pytest.mark.parametrize("lock", ["run", "test", "browser"])
def test_a_lock_is_no_larger_and_no_smaller_than_what_is_needed(lock: str) -> None:
    """What the declared packages need in their turn stands in the lock, and nothing that nobody
    needs."""
    found = pins(lock)
    needed: set[str] = set()
    left = [Requirement(line) for line in DECLARED[lock]]
    while left:
        name = canonicalize_name(left.pop().name)
        if name in needed:
            continue
        needed.add(name)
        assert name in found, f"{name} is needed and not in {lock}.txt: run ops/lock"
        try:
            known = distribution(name)
        except PackageNotFoundError:
            continue  # for another platform, or for the page's tests alone
        if known.version != found[name][0]:
            pytest.skip(f"{name} {known.version} is installed, not the lock's {found[name][0]}")
        further = [Requirement(line) for line in known.requires or ()]
        # What is for some other machine is in the lock of all machines; what only an extra asks for
        # is not.
        left += [
            one
            for one in further
            if one.marker is None or ("extra" not in str(one.marker) and _can_be(one))
        ]
    unknown = {name for name in needed if name in found and not _installed(name)}
    if not unknown & {"playwright", "axe-playwright-python"}:
        assert set(found) <= needed, (
            f"{set(found) - needed} in {lock}.txt is needed by nobody: run ops/lock"
        )


def _can_be(requirement: Requirement) -> bool:
    """Whether any Python from 3.11 on, on any platform, needs it."""
    assert requirement.marker is not None
    return any(
        requirement.marker.evaluate(
            {"sys_platform": system, "platform_system": name, "os_name": kind, **_python(version)}
        )
        for system, name, kind in (
            ("linux", "Linux", "posix"),
            ("win32", "Windows", "nt"),
            ("darwin", "Darwin", "posix"),
        )
        for version in ("3.11", "3.12", "3.13", "3.14")
    )


def _python(version: str) -> dict[str, str]:
    return {
        "python_version": version,
        "python_full_version": f"{version}.0",
        "implementation_version": f"{version}.0",
    }


def _installed(name: str) -> bool:
    try:
        distribution(name)
    except PackageNotFoundError:
        return False
    return True


def test_no_lock_names_an_index() -> None:
    """Where packages come from is the machine's to say."""
    for path in FOLDER.iterdir():
        assert "://" not in path.read_text(encoding="utf-8"), path.name


def test_everything_is_installed_by_a_lock() -> None:
    """Continuous integration installs nothing that is not in a lock, the image neither, and it
    stands on a base named by its digest."""
    assert "export WARLEDGER_LOCKED=1" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    image = (ROOT / "ops" / "Containerfile").read_text(encoding="utf-8")
    for call in re.findall(r"pip install [^&\n]*", image):
        assert "--require-hashes" in call or "--no-deps" in call, call
    assert re.findall(r"(?m)^FROM (\S+)", image) == ["${BASE}", "${BASE}"]
    assert re.findall(r"(?m)^ARG (\S+)$", image) == ["BASE", "BASE"], (
        "no base image is taken unless it is named"
    )


@pytest.mark.parametrize(
    ("pip_says", "locked", "code", "installs"),
    [
        ("", "", 0, ["--require-hashes", "--no-deps"]),
        (
            "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.",
            "",
            2,
            ["--require-hashes"],
        ),
        ("ERROR: No matching distribution found for trio==0.35.0", "1", 2, ["--require-hashes"]),
        (
            "ERROR: No matching distribution found for trio==0.35.0",
            "",
            0,
            ["--require-hashes", "--editable"],
        ),
    ],
    ids=["the lock", "another hash", "not there, locked", "not there"],
)
def test_what_is_installed_without_the_lock(
    tmp_path: Path, pip_says: str, locked: str, code: int, installs: list[str]
) -> None:
    """A package of another hash is never gone around; one that is not to be had is, with words,
    unless only the lock will do."""
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    # In pip's place: it keeps what it was asked, and fails at the lock if it is to.
    python.write_text(
        '#!/bin/sh\necho "$*" >> asked\ncase "$*" in *require-hashes*) [ -z "$SAYS" ] || '
        '{ echo "$SAYS" >&2; exit 1; } ;; esac\n'
    )
    python.chmod(0o755)
    environment = {**os.environ, "SAYS": pip_says, "WARLEDGER_LOCKED": locked}
    ran = subprocess.run(
        ["bash", "-c", f'. {ROOT}/ops/venv.sh; venv_install "[test]"'],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
    )
    asked = (tmp_path / "asked").read_text().splitlines()

    assert ran.returncode == code, ran.stderr
    assert len(asked) == len(installs)
    assert all(word in line for word, line in zip(installs, asked, strict=True)), asked
    assert ("nobody has pinned" in ran.stderr) == (installs[-1] == "--editable")


def test_a_checkout_that_cannot_be_written_to_is_said_in_one_sentence(tmp_path: Path) -> None:
    """Nothing is tried there, and nobody has to read what Python says of it."""
    checkout = tmp_path / "checkout"
    (checkout / "ops" / "requirements").mkdir(parents=True)
    for name in ("pyproject.toml", "ops/venv.sh", "ops/requirements/run.txt"):
        (checkout / name).write_bytes((ROOT / name).read_bytes())
    # Who may write everywhere, as root may, is told otherwise by a `test` of the shell's own.
    closed = 'function [() { case "$*" in \'! -w . ]\') return 0 ;; *) builtin [ "$@" ;; esac; }; '
    ran = subprocess.run(
        ["bash", "-c", f'{closed} . ops/venv.sh; venv_ready ""'],
        cwd=checkout,
        capture_output=True,
        text=True,
    )

    assert ran.returncode == 2, ran.stderr
    assert ran.stderr.count("\n") == 1
    assert f"{checkout} is not yours to write to" in ran.stderr
    assert not (checkout / ".venv").exists()
