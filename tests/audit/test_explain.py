"""Each finding, reservation and remark has its paragraph, by its name, in every language."""

import pytest
from click.testing import CliRunner

from ops import reasons
from warledger.clients.audit.commands import audit_command
from warledger.clients.audit.explain import FAMILIES, NoSuchName, explained, family_of
from warledger.protocol.lang import catalogue, phrases
from warledger.protocol.texts.phrases import LANGUAGES


def _names(kind: str) -> list[str]:
    known = (key.removeprefix(f"audit.{kind}.") for key in catalogue("en"))
    return [name for name in known if f"audit.{kind}.{name}" in catalogue("en")]


@pytest.mark.parametrize("language", LANGUAGES)
def test_everything_that_an_audit_says_has_its_paragraph(language: str) -> None:
    """By the names that --json gives: none is missing, none shows a key, and each finding is about
    something."""
    spoken = phrases(language)
    remarks = [name for name in _names("remark") if not name.endswith("_because")]
    for name in (*reasons.findings(), *_names("reservation"), *remarks):
        text = explained(name, spoken)
        assert len(text) >= 16 and "{" not in text and "⟨" not in text and "audit.why" not in text
    assert {family_of(name) for name in reasons.findings()} == set(FAMILIES)
    with pytest.raises(NoSuchName):
        explained("nothing", spoken)


def test_the_command_explains_a_name() -> None:
    """Without a file; a name that nothing has is wrong usage, and so is no file."""

    def run(*arguments: str) -> tuple[int, str]:
        done = CliRunner().invoke(audit_command, [*arguments, "--lang", "en"])
        return done.exit_code, done.output

    code, text = run("--explain", "no_head")
    assert code == 0 and text.startswith("no_head: ")
    assert run("--explain", "acts.counter")[0] == 0
    assert run("--explain", "nothing")[0] == 2 and run()[0] == 2
