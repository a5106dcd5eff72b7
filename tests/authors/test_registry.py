"""Titles that do not come with Warledger: where they are found, what their digest covers, what is
said of one that cannot be used."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.authors.titles import title_path, write
from tests.layers.test_imports import imported, inside, modules
from warledger.engine import games, packfiles, registry
from warledger.engine.registry import BadTitle


def test_a_title_on_the_title_path_is_known_and_its_pack_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its name stands behind ours, its rules are those of its package, its pack lies in it."""
    write(tmp_path, "toy_skirmish")

    with title_path(monkeypatch, tmp_path):
        assert registry.names() == (*games.NAMES, "toy_skirmish")
        assert registry.rules_of("toy_skirmish").title == "toy_skirmish"
        assert packfiles.read_pack("toy_skirmish") == {"map": {"schema": 1}}

    assert registry.names() == games.NAMES


def test_an_installed_title_is_found_by_its_entry_point(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A distribution with an entry point of the group `warledger.titles` brings its title."""
    write(tmp_path, "toy_installed")
    about = tmp_path / "toy_installed-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Name: toy-installed\nVersion: 1\n", encoding="utf-8")
    (about / "entry_points.txt").write_text(
        "[warledger.titles]\ntoy_installed = toy_installed\n", encoding="utf-8"
    )

    monkeypatch.syspath_prepend(tmp_path)
    with title_path(monkeypatch):
        assert "toy_installed" in registry.names()
        assert registry.rules_of("toy_installed").title == "toy_installed"


def test_the_digest_covers_every_folder_that_a_title_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A change in any source of any of its folders, at any depth, changes the rules digest; one in
    a folder that it does not name does not."""
    package = write(tmp_path, "toy_digest", folders=("toy_digest", "toy_shared"))
    inner = package / "chapters"
    for folder in (inner, tmp_path / "toy_shared", tmp_path / "toy_other"):
        folder.mkdir()
        (folder / "__init__.py").write_text("", encoding="utf-8")

    def digest() -> bytes:
        packfiles.sources_digest.cache_clear()
        return packfiles.rules_digest("toy_digest")

    with title_path(monkeypatch, tmp_path):
        seen = [digest()]
        for folder in (package, inner, tmp_path / "toy_shared"):
            with (folder / "more.py").open("w", encoding="utf-8") as file:
                file.write("NUMBER = 1\n")
            seen.append(digest())
        (tmp_path / "toy_other" / "more.py").write_text("NUMBER = 1\n", encoding="utf-8")
        after = digest()

    assert len(set(seen)) == 4
    assert after == seen[-1]


def test_the_digest_covers_protocol_kernel_and_board(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of the three decides games of every title, so each is in every digest."""
    seen = {packfiles.sources_digest((*packfiles.CORE, "warledger.engine.games.war_at_sea"))}
    for left_out in packfiles.CORE:
        kept = tuple(name for name in packfiles.CORE if name != left_out)
        seen.add(packfiles.sources_digest((*kept, "warledger.engine.games.war_at_sea")))

    assert len(seen) == 4
    assert set(packfiles.CORE) == {
        "warledger.protocol",
        "warledger.engine.kernel",
        "warledger.engine.board",
    }


@pytest.mark.parametrize("title", games.NAMES)
def test_a_title_is_made_of_the_folders_that_it_names(title: str) -> None:
    """No module of a title's folders imports one of ours that the rules digest does not cover."""
    folders = tuple(
        folder.removeprefix("warledger.")
        for folder in (*packfiles.CORE, *games.rules_of(title).folders)
    )
    outside = [
        f"{name}:{line} imports {target}"
        for name, path in modules(*folders[len(packfiles.CORE) :])
        for target, line in imported(path)
        if target.split(".")[0] in ("engine", "protocol", "clients") and not inside(target, folders)
    ]

    assert outside == []


@contextmanager
def broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, more: str) -> Iterator[None]:
    """A title with a mistake on the title path."""
    write(tmp_path, name, more=more)
    with title_path(monkeypatch, tmp_path):
        yield


@pytest.mark.parametrize(
    ("name", "more", "says"),
    [
        ("toy_raises", "1 / 0", "cannot be imported: ZeroDivisionError"),
        ("toy_bare", "del RULES", "has no RULES whose title is 'toy_bare'"),
        ("toy_named", "Toy.title = 'other'", "has no RULES whose title is 'toy_named'"),
        ("toy_endless", "del Toy.turns_most", "have no turns_most"),
        ("wave", "", "has the name of another package"),
    ],
)
def test_a_title_that_cannot_be_used_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, more: str, says: str
) -> None:
    """The error names the title and what is wrong with it."""
    if name == "wave":
        import wave  # a module of Python's own

        assert "wave" in sys.modules and wave.__name__ == "wave"
    with broken(tmp_path, monkeypatch, name, more), pytest.raises(BadTitle, match=says):
        registry.rules_of(name)
