"""Games outlive releases: a file of an earlier release is judged by that release's wheel."""

import json
import os
import signal
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.fixtures.releases import run_before, wheel_of_before
from warledger.clients.cli import main
from warledger.engine.archive import pipe
from warledger.engine.archive.release import Release, ReleaseFault, ReleaseLost
from warledger.engine.archive.wheels import CODE, Archive, BadWheel
from warledger.engine.kernel.ledger import Ledger


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, str]:
    """An archive with an earlier release, a game that it played, and the wheel's digest."""
    folder = tmp_path_factory.mktemp("earlier")
    wheel = wheel_of_before(folder)
    archive = folder / "archive"
    added = CliRunner().invoke(
        main, ["archive", "add", str(wheel), "--archive", str(archive), "--json"]
    )
    assert added.exit_code == 0, added.output
    digest = str(json.loads(added.output)["digest"])
    out = folder / "played"
    run_before(archive / digest / CODE, "selfplay", "war_at_sea", "--games", "1", "--out", str(out))
    (file,) = out.glob("*.wlog")
    return archive, file, digest


def _audit(file: Path, *more: str) -> tuple[int, dict[str, object]]:
    found = CliRunner().invoke(main, ["audit", str(file), "--allow-no-head", "--json", *more])
    return found.exit_code, json.loads(found.output)


def test_an_older_game_is_judged_by_the_release_that_began_it(
    kept: tuple[Path, Path, str],
) -> None:
    """The installed rules would decide otherwise: without the archive the file differs, with it the
    file is sound at level 2, and the verdict says who decided."""
    archive, file, _ = kept
    code, told = _audit(file)
    assert code == 1
    code, told = _audit(file, "--archive", str(archive))
    assert (code, told["level"]) == (0, 2), told
    assert "archived release" in str(told)


def test_an_archive_lists_and_forgets(kept: tuple[Path, Path, str], tmp_path: Path) -> None:
    """What is kept is listed by digest and titles; the same wheel twice is one; what was changed,
    is no wheel, or is not there is said in one sentence."""
    folder, _, digest = kept
    archive = Archive(folder)
    (one,) = archive.kept()
    assert one.digest == digest and "war_at_sea" in one.titles
    assert archive.add(next((folder / digest).glob("*.whl"))) == one
    listed = CliRunner().invoke(main, ["archive", "list", "--archive", str(folder)])
    assert listed.exit_code == 0 and one.titles["war_at_sea"][:16] in listed.output
    no = tmp_path / "no.whl"
    no.write_bytes(b"no")
    refused = CliRunner().invoke(main, ["archive", "add", str(no), "--archive", str(folder)])
    assert refused.exit_code == 1 and "is not a wheel" in refused.output
    unknown = CliRunner().invoke(main, ["archive", "remove", "00", "--data", str(tmp_path / "d")])
    assert unknown.exit_code == 1
    assert CliRunner().invoke(main, ["archive", "list"]).exit_code == 2
    copy = tmp_path / "archive"
    (copy / digest).mkdir(parents=True)
    (copy / digest / "about.json").write_bytes((folder / digest / "about.json").read_bytes())
    with pytest.raises(BadWheel):
        Archive(copy).rules("war_at_sea", bytes.fromhex(one.titles["war_at_sea"]))
    assert Archive(copy).remove(digest[:8]) == one and not Archive(copy).kept()


def test_a_release_is_held_to_time_and_form(kept: tuple[Path, Path, str]) -> None:
    """A process that does not answer in time is ended, and the next call starts another; what it
    cannot do it says, and goes on."""
    folder, _, digest = kept
    release = Release(folder / digest / CODE)
    try:
        assert release.call("hello")[:2] == ("hello", pipe.VERSION)
        with pytest.raises(ReleaseFault, match="KeyError"):
            release.call("propose", 7, b"", "draw", (), ())
        with pytest.raises(ReleaseLost):
            os.kill(release.pid, signal.SIGSTOP)
            release.call("hello", seconds=0.1)
        assert release.call("hello")[0] == "hello" and release.generation == 2
    finally:
        release.close()


def test_every_proposal_of_a_ledger_can_be_made_by_a_release() -> None:
    """A proposal that the kernel gets later goes through the pipe as well."""
    assert {f"propose_{name}" for name in pipe.PROPOSALS} == {
        name for name in dir(Ledger) if name.startswith("propose_")
    }
