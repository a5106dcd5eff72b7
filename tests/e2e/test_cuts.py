"""OCS 8, 12.3, 14.5: a game that is cut off in the middle of what takes several commands goes on
from there as if nothing had been."""

import random

import pytest

from tests.e2e.test_kill_southwind import (
    AXIS,
    BOMBED,
    DEFENDED,
    FIRST,
    PAYER,
    SOURCE,
    SOVIET,
)
from tests.rules.hungarian_rhapsody.bench import pack
from tests.verdicts import findings_of
from warledger.clients.audit.audit import Rulebook, audit
from warledger.engine.games.hungarian_rhapsody.rules import RULES
from warledger.engine.games.ocs.ch04_concepts.fog import OPEN, STRICT
from warledger.engine.kernel import door
from warledger.engine.kernel.door import Submission
from warledger.engine.kernel.ledger import Batch
from warledger.engine.runtime.game import live
from warledger.engine.testing.randomgames import Chooser, Played, begin, random_picks
from warledger.protocol.board.choices import Choices
from warledger.protocol.chance.seal import pack_openings
from warledger.protocol.log import wlog

Given = list[tuple[Submission, int]]
"""Commands as they were sent, and when."""


def _offered(played: Played) -> tuple[str, Choices]:
    """Who is asked, and what."""
    seat = played.position.open[0][0]
    found = door.choices(RULES, played.position, seat)
    assert isinstance(found, Choices)
    return seat, found


def _obliging(words: tuple[str, ...]) -> Chooser:
    """The first of these words that is on offer, else the first of what is."""

    def choose(rng: random.Random, choices: Choices) -> str | int | None:
        if choices.complete:
            return None
        word = next((word for word in words if choices.offers(word)), None)
        if word is not None:
            return word
        return choices.options[0].id if choices.options else choices.span[0]  # type: ignore[index]

    return choose


def southwind(fog: str) -> tuple[Played, int, Given]:
    """The Axis begins Südwind: it pays fuel in parts, overruns, flies a mission that is met. The
    game, its first record of these, and the commands that made them."""
    played = begin(RULES, pack(), seed=1, options={"fog": fog})
    given: Given = []

    def do(seat: str, *picks: str | int) -> None:
        opened = played.position.opened(seat)
        assert opened is not None, f"{seat} is not asked"
        sent = (played.command(seat, opened, picks), played.at_ms)
        given.append(sent)
        played.commit(played.ledger.propose_command(*sent))

    def until_moving(*words: str) -> None:
        for _ in range(80):
            seat, found = _offered(played)
            if seat == AXIS and found.offers("transfer"):
                return
            chooser = _obliging(words)
            do(seat, *random_picks(random.Random(1), RULES, played.position, seat, chooser))
        raise AssertionError("the Axis does not come to move")

    until_moving("done")
    given.clear()
    first = len(played.records)
    do(AXIS, "fuel", "1ss")
    do(AXIS, "pay", PAYER, SOURCE, 1)
    do(AXIS, "pay", PAYER, SOURCE, 1)
    do(AXIS, "auto")
    do(AXIS, "overrun", DEFENDED, "ax.inf.44")
    until_moving(*FIRST)
    do(AXIS, "hip_shoot", BOMBED, "ax.air.fw190f.1")
    do(SOVIET, "intercept", "su.air.la5.1")
    until_moving(*FIRST)
    return played, first, given


def frames(played: Played) -> list[list[wlog.Frame]]:
    """What a store holds of a game, for each record."""
    found = []
    for record, openings in zip(played.records, played.openings, strict=True):
        here = [wlog.Frame(wlog.FRAME_RECORD, record.data)]
        if openings:
            here.append(wlog.Frame(wlog.FRAME_OPENINGS, pack_openings(openings)))
        found.append(here)
    return found


@pytest.mark.parametrize("fog", [OPEN, STRICT])
def test_12_3_a_game_cut_off_in_the_middle_goes_on_from_there(fog: str) -> None:
    """OCS 8, 12.3, 14.5 After every record of a divided payment, an overrun and an intercepted
    mission the log alone gives the same position and questions, and
    the next command the same bytes."""
    whole, first, given = southwind(fog)
    stored = frames(whole)
    middle = [whole.positions[first + place].state for place in range(len(given))]
    assert any(state.bill for state in middle), "nothing is being paid"
    assert any(state.battle for state in middle), "nobody fights"
    assert any(state.sortie for state in middle), "nobody flies"
    for place in range(len(given)):
        kept = [frame for here in stored[: first + place] for frame in here]
        game = live.load(RULES, whole.ledger.keys, kept)
        before = whole.positions[first + place - 1]
        assert (game.position.open, game.position.flow) == (before.open, before.flow)
        assert game.position.state == before.state
        seat = game.position.open[0][0]
        assert door.choices(RULES, game.position, seat) == door.choices(RULES, before, seat)
        batch = game.ledger.propose_command(*given[place])
        assert isinstance(batch, Batch)
        assert [record.data for record in batch.records] == [whole.records[first + place].data]

        report, _ = audit(
            wlog.encode(kept, sealed=False),
            key=whole.key.verify_key.encode(),
            rulebook=Rulebook(lambda title: RULES),
        )
        assert findings_of(report) == ()
