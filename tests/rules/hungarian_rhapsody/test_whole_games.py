"""HR 1.7: whole games of Südwind, played at random from what is offered, under the checks."""

import random
from typing import Any

import pytest

from tests.rules.hungarian_rhapsody.bench import pack
from tests.rules.hungarian_rhapsody.recount import Recount, recounted
from tests.rules.hungarian_rhapsody.table import whole_game
from tests.rules.hungarian_rhapsody.watching import opening
from warledger.engine.games.hungarian_rhapsody.rules import RULES
from warledger.engine.games.ocs.ch04_concepts.fog import OPEN, STRICT
from warledger.engine.games.ocs.series.state import State
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.position import ENDED
from warledger.engine.testing.randomgames import begin, play_on
from warledger.protocol.log.records import CorruptLog

BOTH = pytest.mark.parametrize("fog", [OPEN, STRICT])


@BOTH
def test_1_7_sudwind_is_played_to_the_end(fog: str) -> None:
    """HR 1.7, OCS 2.3 A random game ends with the last turn of the scenario, and every position on
    the way holds; under fog and in the open."""
    whole_game(0, fog)


@pytest.mark.long
@BOTH
@pytest.mark.parametrize("seed", range(1, 150))
def test_1_7_many_games(seed: int, fog: str) -> None:
    """HR 1.7 The same, many times."""
    whole_game(seed, fog)


def test_1_7_a_player_who_does_nothing() -> None:
    """OCS 2.2 Phases in which nobody has anything to do pass by themselves: a game of the plainly
    random is over in a few hundred commands."""
    played = play_on(
        begin(RULES, pack(), seed=3, options={"fog": OPEN}), random.Random(3), commands=1000
    )
    assert played.position.stage == ENDED


@pytest.mark.parametrize(
    ("kind", "wrong", "said"),
    [
        ("BattleWeighed", {"column": 12}, "column"),
        ("BattleWeighed", {"attack": "1000"}, "against"),
        ("BattleWeighed", {"drm": 5}, "DRM"),
        ("BattleFought", {"result": "AL2 DL2"}, "for"),
        ("Paid", {"picks": (("", "A26.09", 1),)}, "booked|blown|pays what"),
        ("Paid", {"picks": (("ax.hu.9bdr", "A20.19", 1),)}, "is paid out of"),
        ("Moved", {"way": ("A20.20",)}, "leaps"),
        ("ModeChanged", {"units": (("ax.1ss.truck", "dg", True),)}, "takes dg"),
    ],
)
def test_2_3_the_books_find_what_is_wrong(
    kind: str, wrong: dict[str, Any], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """OCS 5-12 Books kept from an event that is not what happened do not agree with the position or
    with the charts."""
    saw = Recount.saw

    def misread(book: Recount, before: State, event: Any, after: State) -> None:
        saw(book, before, replace(event, **wrong) if type(event).__name__ == kind else event, after)

    monkeypatch.setattr(Recount, "saw", misread)
    played = opening()
    with pytest.raises(CorruptLog, match=said):
        recounted(played.records, dict(enumerate(played.openings)))
