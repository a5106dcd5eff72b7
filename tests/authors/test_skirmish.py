"""The small title that authors start from: its rules, its pack, and the laws."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.verdicts import findings_of, is_clean
from warledger.clients.audit.audit import Rulebook, audit
from warledger.engine import packfiles
from warledger.engine.board import boardchecks
from warledger.engine.kernel import door
from warledger.engine.packfiles import documents
from warledger.engine.testing import skirmish
from warledger.engine.testing.laws import LAWS, Case, every_sentence_has_its_words
from warledger.engine.testing.skirmish.hidden import alternatives
from warledger.protocol.lang import _read

FOLDER = Path(skirmish.__file__).parent
PACK = packfiles.read_pack_folder(FOLDER / "pack")
CASES = (
    Case(skirmish.RULES, PACK, alternatives),
    Case(skirmish.RULES, PACK, alternatives, options={"long_game": True}, seeds=1),
)


@pytest.mark.parametrize("case", CASES, ids=("short", "long"))
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_the_laws_hold(law: Callable[[Case], None], case: Case) -> None:
    """All of them, under both options."""
    if law is every_sentence_has_its_words:
        words = dict(_read("en.toml", FOLDER / "lang" / "en.toml"))
        core = {"refusal.not_offered", "refusal.incomplete", "slot.verb", door.ENDS_TURN.key}
        every_sentence_has_its_words(case, lambda key: key in words or key in core)
    else:
        law(case)


def test_its_pack_is_sound() -> None:
    """Its family finds nothing to say."""
    assert boardchecks.check(documents(FOLDER / "pack"), skirmish.FAMILY) == []


def test_its_games_audit_sound() -> None:
    """Both levels."""
    report, _ = audit(CASES[0].game(0).file(), rulebook=Rulebook(lambda title: skirmish.RULES))
    assert is_clean(report) and report.verdict.level == 2, findings_of(report)
