"""Every toy and every title keeps the laws of `warledger.engine.testing.laws`; their files audit
sound."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.laws.titles import Case, every_case, every_title, game
from tests.toys import PACKS, TOYS, counting
from tests.verdicts import findings_of, is_clean, notes_of
from warledger.clients.audit.audit import Rulebook, audit
from warledger.engine.kernel import door, replay
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.position import ENDED, PLAYING
from warledger.engine.kernel.types import Decision
from warledger.engine.runtime.snapshots import plaindata
from warledger.engine.testing import laws
from warledger.engine.testing.laws import LAWS
from warledger.engine.testing.randomgames import play
from warledger.protocol.board.choices import say

Law = Callable[[laws.Case], None]


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
@every_case
def test_law(case: Case, law: Law) -> None:
    """Each law holds for each title; what it says stands with the law."""
    if law is laws.every_sentence_has_its_words and case.title in TOYS:
        pytest.skip("toys have no catalogue")
    law(case.tried)


def test_a_key_that_tells_what_is_hidden_breaks_the_law(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seat b would be asked by another key where a has hidden one word than where another: keys
    stand in the log for everybody."""
    asks = counting.Act.deciders

    def telling(step: Any, at: Any, frame: Any) -> Any:
        word = at.state.hidden[0]
        tells = word is not None and word.value == counting.WORDS[0]
        key = "prompt.counting.told" if tells else "prompt.counting.act"
        return {seat: Decision(say(key)) for seat in asks(step, at, frame)}

    case = laws.Case(counting.RULES, counting.PACK, counting.alternatives, seeds=5)
    laws.what_a_seat_may_not_know_changes_nothing_it_is_offered(case)
    monkeypatch.setattr(counting.Act, "deciders", telling)
    with pytest.raises(AssertionError):
        laws.what_a_seat_may_not_know_changes_nothing_it_is_offered(case)


@every_title
def test_secrets_have_a_permuter(case: Case) -> None:
    """The law of what a seat may not know is tried on every title of this repository."""
    assert case.alternatives is not None


SEVERAL_ASKED = ("recall", "victory_lost", "typhoon")
"""Titles that always ask several seats at once somewhere."""


@pytest.mark.parametrize("name", SEVERAL_ASKED)
def test_several_are_asked_at_once(name: str) -> None:
    """The law of who answers last meets positions in which two seats are asked."""
    assert any(
        at.stage == PLAYING and len(at.open) > 1
        for seed in range(3)
        for at in game(name, seed).positions.values()
    )


@every_title
def test_a_game_of_each_title_audits_sound(case: Case) -> None:
    """A random game's file passes both levels: every record is made again to the byte."""
    report, _ = audit(game(case.name, 0).file(), rulebook=Rulebook(lambda title: case.rules))
    assert is_clean(report) and report.verdict.level == 2, (
        f"{findings_of(report)[:3]} {notes_of(report)}"
    )


@every_title
def test_a_snapshot_is_the_position(case: Case) -> None:
    """A position in the middle of a game, written as a snapshot and read back, equals what was
    written, offers the same, and is folded on to the same end."""
    played = case.tried.game(0)
    rules, genesis = case.rules, played.ledger.genesis
    openings = dict(enumerate(played.openings))
    half = len(played.records) // 2
    targets = replay.takeback_targets(played.records)
    folded = replay.fold(rules, played.records[: half + 1], openings, keep=targets)
    data = plaindata.pack((folded.position, folded.kept), replay.start(rules, genesis))
    at, kept = plaindata.unpack(data, replay.start(rules, genesis))
    assert (at, kept) == (folded.position, folded.kept)
    for seat, *_ in at.open:
        assert door.choices(rules, at, seat) == door.choices(rules, folded.position, seat)
    again = replay.Replayer(rules, genesis, targets, at)
    again.kept |= kept
    for record in played.records[half + 1 :]:
        folded.feed(record, openings[record.seq])
        again.feed(record, openings[record.seq])
    assert again.position == folded.position


@pytest.mark.long
@every_case
def test_many_games_audit_sound(case: Case) -> None:
    """Twelve more random games of each case run to the end, and their files pass both levels of the
    audit."""
    rulebook = Rulebook(lambda title: case.rules)
    for seed in range(100, 112):
        played = play(
            case.rules, case.pack, seed, options=case.options, requests=0.1, commands=case.commands
        )
        assert played.position.stage == ENDED, f"seed {seed}"
        report, _ = audit(played.file(), rulebook=rulebook)
        assert is_clean(report) and report.verdict.level == 2, (
            f"seed {seed}: {findings_of(report)[:3]} {notes_of(report)}"
        )


@pytest.mark.parametrize("part", ["pieces", "boxes", "tracks"])
def test_what_a_title_forgets_to_describe_is_found(part: str) -> None:
    """A piece, box or track that effects name and the description lacks breaks the law."""
    whole = TOYS["counting"]

    class Forgetful(type(whole)):  # type: ignore[misc]
        def describe(self, pack: Any, options: Any) -> Any:
            return replace(whole.describe(pack, options), **{part: ()})

    with pytest.raises(AssertionError, match="is not in the description"):
        laws.all_that_is_drawn_is_described(laws.Case(Forgetful(), PACKS["counting"]))
