"""What arbiters may correct, in every title: drawn as it then looks, replayed and audited."""

import pytest

from tests.rules.correcting import case, correct_at_random
from tests.verdicts import findings_of, is_clean, notes_of
from warledger.clients.audit.audit import Rulebook, audit
from warledger.engine.games import NAMES

OPTIONS = {"hungarian_rhapsody": {"fog": "open"}}


@pytest.mark.parametrize("title", NAMES)
def test_corrections_at_random_are_drawn_and_follow_from_the_log(title: str) -> None:
    """Twelve rulings, each with a correction: clients see what the board then holds, and level 2 of
    the audit makes every record again."""
    played = case(title, 9, **OPTIONS.get(title, {}))
    assert len(correct_at_random(played, 9, 12)) >= 3
    played.commit(played.resign(played.ledger.rules.seats[0]))

    rules = played.ledger.rules
    report, _ = audit(played.file(), rulebook=Rulebook(lambda title: rules))
    assert is_clean(report) and report.verdict.level == 2, (
        f"{findings_of(report)[:3]} {notes_of(report)}"
    )
