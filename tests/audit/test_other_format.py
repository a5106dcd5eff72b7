"""A file of another format is not read, and nobody is accused of its age."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.audit import mini_auditor
from tests.audit.attacked import whole
from tests.older import older, older_frames, with_header
from tests.tournaments.test_audit import played as tournament
from tests.verdicts import findings_of
from warledger.clients.audit.audit import audit
from warledger.clients.audit.commands import audit_command, replay_command
from warledger.clients.audit.tournament import examine_tournament
from warledger.clients.cli import main
from warledger.protocol.log import wlog

SENTENCE = "has format 2, and this release reads format 3 only.\n"


@pytest.mark.parametrize("command", [audit_command, replay_command], ids=["audit", "replay"])
@pytest.mark.parametrize("kind", ["game", "tournament"])
def test_a_file_of_another_format_is_not_read(command: object, kind: str, tmp_path: Path) -> None:
    """Exit code 2, and one sentence that says so; never a finding."""
    data = older(whole().file() if kind == "game" else tournament().file())
    path = tmp_path / "old.wlog"
    path.write_bytes(data)
    done = CliRunner().invoke(command, [str(path), "--lang", "en"])  # type: ignore[arg-type]
    assert done.exit_code == 2
    assert done.output == f"Error: Not read by this release: {path} {SENTENCE}"
    with pytest.raises(wlog.OtherFormat):
        audit(data) if kind == "game" else examine_tournament(data)
    with pytest.raises(mini_auditor.NotRead):
        mini_auditor.audit(data)


def test_no_page_is_made_of_one(tmp_path: Path) -> None:
    """It is said in one sentence why."""
    path = tmp_path / "old.wlog"
    path.write_bytes(older(whole().file()))
    done = CliRunner().invoke(main, ["export", str(path), "--html", str(tmp_path / "x.html")])
    assert done.exit_code != 0
    assert done.output.count("\n") == 1 and "format 2" in done.output


def test_a_file_of_which_one_number_alone_is_another_is_not_old() -> None:
    """A header of another format over a log of ours is damage; a log of another format under our
    header is forged."""
    data = whole().file()
    header = with_header(data, 2)
    first = wlog.encode(older_frames(wlog.parse(data).frames), sealed=True)
    for wrong, field in ((header, "header"), (first, "format")):
        assert findings_of(audit(wrong)[0])[0].field == field
        with pytest.raises(mini_auditor.Unsound):
            mini_auditor.audit(wrong)
