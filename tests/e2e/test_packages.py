"""What people install: the sdist and wheel of the default build, and a tree without links."""

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from warledger.engine.serve.http.pagefiles import digest, read

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("engine", "protocol", "clients")


def python(tree: Path, *args: str) -> str:
    """The output of Python with the code in `tree` and this environment's packages."""
    run = subprocess.run(
        [sys.executable, "-P", *args],
        cwd=tree.parent,
        env={**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


def plays(tree: Path, code: Path) -> None:
    """Check that a game can be played and audited with the package in `tree`, whose modules lie in
    `code`."""
    where = "import warledger.engine.kernel.door as door; print(door.__file__)"
    assert python(tree, "-c", where).strip() == str(code / "engine" / "kernel" / "door.py")

    out = tree.parent / "games"
    selfplay = ("selfplay", "war_at_sea", "--games", "1", "--out", str(out))
    python(tree, "-m", "warledger", *selfplay)
    (game,) = out.glob("*.wlog")
    python(tree, "-m", "warledger", "audit", str(game))


def script_served(tree: Path) -> str:
    """The page's first script, as a server with the package in `tree` sends it."""
    files = "from warledger.engine.serve.http.pagefiles import Files"
    return python(tree, "-c", f"{files}; print(Files().find('/main.js').body.decode(), end='')")


@pytest.fixture(scope="module")
def scratch() -> Iterator[Path]:
    """A folder for everything that the tests of this file share."""
    with tempfile.TemporaryDirectory(prefix="warledger-packages-") as folder:
        yield Path(folder)


def tree_as_git_has_it(to: Path) -> None:
    """Copy what a fresh clone would hold: the tree's files, but none that git ignores."""
    ignored = shutil.ignore_patterns(
        ".git", ".venv", "__pycache__", ".*_cache", "dist", "node_modules", ".hypothesis", "built"
    )
    shutil.copytree(ROOT, to, symlinks=True, ignore=ignored)


@pytest.fixture(scope="module")
def built(scratch: Path) -> tuple[Path, Path]:
    """The sdist and the wheel that `python -m build` makes in a clone whose page has been built."""
    clone = scratch / "clone"
    tree_as_git_has_it(clone)
    for path, text in page_built(clone).items():
        (clone / path).parent.mkdir(exist_ok=True)
        (clone / path).write_text(text)
    subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(scratch / "dist")],
        cwd=clone,
        check=True,
        capture_output=True,
    )
    (sdist,) = (scratch / "dist").glob("*.tar.gz")
    (wheel,) = (scratch / "dist").glob("*.whl")
    return sdist, wheel


def files_of_the_folders() -> set[str]:
    """The files of the three folders, by their paths from the root."""
    return {
        str(path.relative_to(ROOT))
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and not {"__pycache__", "built"}.intersection(path.parts)
    }


def page_built(tree: Path) -> dict[str, str]:
    """Files as `ops/pagebuild` leaves them in a tree, with a script that nobody has to build."""
    sources = digest(dict(read(tree / "clients" / "web")))
    return {"clients/built/_sources": sources, "clients/built/main.js": "built()"}


def test_the_wheel_holds_every_file_and_plays(built: tuple[Path, Path], scratch: Path) -> None:
    """The wheel of the default build, made from the sdist, has all of the three folders, and
    serves the page as it was built."""
    tree = scratch / "wheel" / "site"
    with zipfile.ZipFile(built[1]) as wheel:
        held = {
            name.removeprefix("warledger/")
            for name in wheel.namelist()
            if name.startswith(tuple(f"warledger/{folder}/" for folder in FOLDERS))
        }
        wheel.extractall(tree)
    assert held == files_of_the_folders() | page_built(ROOT).keys()
    plays(tree, tree / "warledger")
    assert script_served(tree) == "built()"


def test_the_sdist_holds_the_same_and_plays(built: tuple[Path, Path], scratch: Path) -> None:
    """The sdist is a checkout without links: its modules lie at the top, beside what was built."""
    place = scratch / "sdist"
    with tarfile.open(built[0]) as sdist:
        sdist.extractall(place, filter="data")
    (tree,) = place.iterdir()
    held = {
        str(path.relative_to(tree))
        for folder in FOLDERS
        for path in (tree / folder).rglob("*")
        if path.is_file()
    }
    assert held == files_of_the_folders() | page_built(ROOT).keys()
    plays(tree, tree)
    assert script_served(tree) == "built()"


def test_a_zip_without_links_plays_and_builds(scratch: Path) -> None:
    """Where links come out as files that hold a path, as on Windows, nothing is missing.
    A page that has not been built is served as its modules are."""
    tree = scratch / "zip" / "warledger-main"
    tree_as_git_has_it(tree)
    for folder in FOLDERS:
        link = tree / "warledger" / folder
        target = os.readlink(link)
        link.unlink()
        link.write_text(target, encoding="utf-8")
    plays(tree, tree)
    assert script_served(tree) == (ROOT / "clients" / "web" / "main.js").read_text()

    made = "import sys; from hatchling.build import build_wheel; build_wheel(sys.argv[1])"
    subprocess.run([sys.executable, "-c", made, str(tree.parent)], cwd=tree, check=True)
    (wheel,) = tree.parent.glob("*.whl")
    with zipfile.ZipFile(wheel) as held:
        names = {name.removeprefix("warledger/") for name in held.namelist()}
    assert files_of_the_folders() <= names
