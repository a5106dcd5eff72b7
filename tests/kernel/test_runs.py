"""A log folded at once: whole games, and logs that are no longer what was written."""

import pytest

from tests.played import game_file
from warledger.engine import registry
from warledger.engine.kernel import replay, runs
from warledger.engine.runtime.game.live import split
from warledger.protocol.log import bodies, chain, records, wlog
from warledger.protocol.log.records import CorruptLog

TITLES = ("typhoon", "victory_lost", "war_at_sea")


@pytest.mark.parametrize("title", TITLES)
def test_a_game_folds_at_once_to_what_it_folds_to_one_by_one(title: str) -> None:
    """Its last position and those kept for takebacks are equal."""
    payloads, openings = split(wlog.parse(game_file(title, players="random").read_bytes()).frames)
    rules = registry.rules_of(title)
    one_by_one = replay.fold(rules, list(chain.follow(payloads)), openings)
    at_once = runs.load(rules, payloads, openings)
    assert at_once.position == one_by_one.position
    assert at_once.kept == one_by_one.kept


def test_a_changed_record_is_named_by_the_one_that_follows_it() -> None:
    """Also where the changed one would not fold, or is no record at all: the chain is broken, and
    that tells more."""
    payloads, openings = split(wlog.parse(game_file().read_bytes()).frames)
    rules = registry.rules_of("war_at_sea")
    log = list(chain.follow(payloads))
    record = next(one for one in log[len(log) // 2 :] if one.kind == records.COMMAND)
    at, command = record.seq, bodies.CommandBody.read(record.body)
    command.events = (("no_such_event",),)
    body = command.write()
    unknown = records.make(at, record.at_ms, record.actor, record.kind, body, record.previous).data
    for wrong in (unknown, payloads[at][:-1], payloads[at - 1]):
        datas = [*payloads[:at], wrong, *payloads[at + 1 :]]
        with pytest.raises(CorruptLog) as at_once:
            runs.load(rules, datas, openings)
        with pytest.raises(CorruptLog) as followed:
            list(chain.follow(datas, trusted=True))
        assert str(at_once.value) == str(followed.value)
