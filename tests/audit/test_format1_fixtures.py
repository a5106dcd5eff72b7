"""Format 1 is frozen: a game of each title, written before anything was added to the format or the rulings, audits for ever."""

from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from clients.audit.audit import Rulebook, audit, installed
from clients.audit.evidence import Evidence
from clients.audit.examine import examine
from clients.audit.report import Report
from protocol import records

FOLDER = Path(__file__).resolve().parents[1] / "fixtures" / "format1"
TITLES = ("typhoon", "victory_lost", "war_at_sea")


def written(title: str) -> bytes:
    """The file of the title's game."""
    return (FOLDER / f"{title}.wlog").read_bytes()


@cache
def audited(title: str) -> tuple[Report, Evidence]:
    """The whole audit of it by the rules installed here; their digest has no say."""
    return audit(written(title), rulebook=Rulebook(installed().rules))


@pytest.mark.parametrize("title", TITLES)
def test_its_chain_signatures_seals_and_dice_are_sound(title: str) -> None:
    """Level 1 finds nothing wrong with a game of format 1."""
    found = examine(written(title))
    assert found.findings == []
    assert found.genesis is not None
    assert (found.genesis.format, found.genesis.title) == (1, title)


@pytest.mark.parametrize("title", TITLES)
def test_every_record_is_decided_again_to_the_same_bytes(title: str) -> None:
    """Level 2 makes every record of a game of format 1 again with the rules of today."""
    report, found = audited(title)
    assert report.findings == (), report.findings
    assert (report.level, report.decided) == (2, len(found.records))


@pytest.mark.parametrize(("title", "least"), [("typhoon", 20), ("victory_lost", 20)])
def test_they_hold_retreats(title: str, least: int) -> None:
    """The games of the hex titles hold enough retreats to tell one ruling on retreats from another."""
    _, found = audited(title)
    told = Counter(event[0] for record in found.records if record.kind == records.COMMAND for event in record.body[records.EVENTS])
    assert told["retreated"] >= least
