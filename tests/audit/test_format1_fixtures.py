"""Format 1 is frozen: a game of each title, written before anything was added to the format or the
rulings, audits for ever."""

import importlib
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from warledger.clients.audit.audit import Rulebook, audit, installed
from warledger.clients.audit.evidence import Evidence
from warledger.clients.audit.examine import examine
from warledger.clients.audit.report import Report
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.rulings import resolve, unnamed
from warledger.engine.runtime.sharing import shared
from warledger.protocol import records

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


@pytest.mark.parametrize("title", ["typhoon", "victory_lost"])
def test_they_are_decided_by_what_they_were_played_by(
    title: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their geneses lack the rulings that were added since, and by the new values of these the same
    games come out differently: level 2 agrees only since the older values hold for them."""
    rules = importlib.import_module(f"warledger.engine.games.{title}.rules")
    _, found = audited(title)
    assert found.genesis is not None
    added = {switch.name for switch in rules.SWITCHES} - set(found.genesis.options)
    assert (
        added
        == {switch.name for switch in rules.SWITCHES if switch.before is not None}
        - set(found.genesis.options)
        != set()
    )

    newer = tuple(
        replace(switch, before=switch.default if switch.name in added else None)
        for switch in rules.SWITCHES
    )
    monkeypatch.setattr(rules, "SWITCHES", newer)
    report, _ = audit(written(title), rulebook=Rulebook(installed().rules))
    assert len(report.findings) == 1


@pytest.mark.parametrize("title", TITLES)
def test_a_server_plays_on_from_them_as_they_were(title: str) -> None:
    """With the rules as a server holds them, shared by all its games, new ones among them, an older
    game makes the same records."""
    rules = shared(installed().rules(title))
    _, found = audited(title)
    genesis = found.genesis
    assert genesis is not None
    newer = replace(genesis, options=resolve(rules.switches, {}))
    assert rules.initial(newer) is rules.initial(newer)
    report, again = audit(written(title), rulebook=Rulebook(lambda name: rules))
    assert (report.findings, report.level, report.decided) == ((), 2, len(again.records))


@pytest.mark.parametrize("title", TITLES)
def test_a_genesis_without_an_option_that_all_name_is_refused(title: str) -> None:
    """Only switches that say so may be missing from a genesis; an option that its release had may
    not."""
    _, found = audited(title)
    assert found.genesis is not None
    switches = installed().rules(title).switches
    assert unnamed(switches, found.genesis.options) == ()
    assert set(unnamed(switches, {})) == {
        switch.name for switch in switches if switch.before is None
    }


@pytest.mark.parametrize(("title", "least"), [("typhoon", 20), ("victory_lost", 20)])
def test_they_hold_retreats(title: str, least: int) -> None:
    """The games of the hex titles hold enough retreats to tell one ruling on retreats from
    another."""
    _, found = audited(title)
    told = Counter(
        event[0]
        for record in found.records
        if record.kind == records.COMMAND
        for event in record.body[records.EVENTS]
    )
    assert told["retreated"] >= least
