"""OCS 9.2-9.10: worked attacks, numbers in and numbers out."""

from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest

from tests.rules.hungarian_rhapsody.bench import SOVIET, charts_of, start
from tests.rules.hungarian_rhapsody.budapest import (
    MORE,
    ROMANIANS,
    RUSSIANS,
    gone,
    suffering_at_budapest,
)
from tests.rules.ocs.skies import opened
from warledger.engine.board import hexsets
from warledger.engine.games.hungarian_rhapsody.fighting import BUDAPEST_CITY
from warledger.engine.games.hungarian_rhapsody.game import GAME
from warledger.engine.games.ocs.ch03_counters.counters import HEAVY
from warledger.engine.games.ocs.ch09_combat import odds
from warledger.engine.games.ocs.ch09_combat.odds import multiplier
from warledger.engine.games.ocs.ch09_combat.results import combat_result

TABLES = charts_of("sudwind").tables
FULL, HALF = Fraction(1), Fraction(1, 2)


def test_9_2_a_whole_regular_attack() -> None:
    """OCS 9.2-9.10 Example 6: a motorcycle unit of 4, a mech regiment of 8 halved over a river and
    a tank battalion of 6 at x1.5 against heavy anti-tank make 17 against 20 halved in DG; surprise
    shifts 2:1 to 4:1, and a 6 reads Ao1 Do1."""
    tanks = multiplier(Fraction(2), HEAVY, HEAVY, attacking=True, attack_only=True)
    attack = 4 * FULL + 8 * HALF + 6 * tanks
    defence = (7 + 6 + 7) * HALF
    assert (attack, defence) == (17, 10)
    first = odds.odds(TABLES.combat, "open", attack, defence)
    assert first.text == "2:1"
    drm = 5 - (3 - 1)
    assert odds.surprised(TABLES.surprise, "regular", 8, drm, hedgehog=False) == (11, "attacker")
    column = odds.shifted(TABLES.combat, first.column, "attacker", 2)
    assert TABLES.combat.heads["open"][column] == "4:1"
    modified, result = odds.resolved(TABLES.combat, column, 3, drm, 0)
    assert modified == 6
    assert result == combat_result("Ao1 Do1")


@pytest.mark.parametrize(
    ("terrain", "attack", "defence", "column", "roll", "result"),
    [
        ("very_close", 20, 7, "3:1", 8, "AL1 Do1"),
        ("extremely_close", 40, 8, "4:1", 10, "Ao1 Do1"),
    ],
)
def test_9_7a_the_highest_column_that_fits(
    terrain: str, attack: int, defence: int, column: str, roll: int, result: str
) -> None:
    """OCS 9.7 Examples 9 and 10: 2.857 is 3:1 and has its column, 5:1 reads the 4:1 column."""
    found = odds.odds(TABLES.combat, terrain, attack, defence)
    assert TABLES.combat.heads[terrain][found.column] == column
    assert odds.resolved(TABLES.combat, found.column, roll, 0, 0)[1] == combat_result(result)


def test_4_0c_romanians_lose_double_at_budapest() -> None:
    """HR 4.0c, R-38 With the option Romanian units that attack a hex of Budapest lose double;
    not elsewhere, not as the defender, no other nation's, and not without the option."""
    state = start("campaign")
    chosen = opened(state, romanian_losses=True)
    city = next(iter(hexsets.listed(state.charts.board.areas[BUDAPEST_CITY])))
    romanian, russian, german = "su.ro.2", "su.7mc.b1", "ax.inf.44"

    def doubles(name: str, target: int = city, *, option: bool = True) -> bool:
        battle: Any = SimpleNamespace(side="soviet", target=target)
        return GAME.loses_double(chosen if option else state, battle, name)

    assert doubles(romanian)
    assert not doubles(romanian, state.charts.board.hex("A26.11"))
    assert not doubles(russian)
    assert not doubles(german)
    assert not doubles(romanian, option=False)


@pytest.mark.parametrize("fog", ["strict", "open"])
@pytest.mark.parametrize(
    ("leader", "takes", "lost"),
    [
        # AL1: the AR unit takes it; a Romanian one brings a second for the other Romanians.
        (RUSSIANS, (), (1, 0, 0)),
        (ROMANIANS, (MORE,), (0, 1, 1)),
    ],
)
def test_4_0c_what_each_nation_loses_of_a_mixed_attack(
    fog: str, leader: str, takes: tuple[str, ...], lost: tuple[int, int, int]
) -> None:
    """HR 4.0c Of an attack by Soviets and Romanians only what falls on Romanians is doubled, and
    the second loss falls on Romanians too, on those that have taken the fewest."""
    rig = suffering_at_budapest(fog, leader, "AL1")
    for name in takes:
        assert rig.asked() == {SOVIET: "prompt.ocs.losses"}
        assert rig.options(SOVIET, "lose") == takes
        assert rig.refused(SOVIET, "lose", RUSSIANS).rule == "OCS 9.11c"
        rig.do(SOVIET, "lose", name)
    assert tuple(gone(rig, name) for name in (RUSSIANS, ROMANIANS, MORE)) == lost
    assert rig.state.battle is None or not rig.state.battle.doubled


def test_4_0c_an_option_taken_as_a_loss_is_doubled_and_one_of_a_soviet_unit_is_not() -> None:
    """HR 4.0c, R-38 Ao1 on a Romanian division costs two steps, on a Soviet one a single
    step, and taken as a retreat none."""
    for name, steps in ((ROMANIANS, 2), (RUSSIANS, 1)):
        rig = suffering_at_budapest("open", name, "Ao1")
        rig.do(SOVIET, "lose", name)
        assert ("ocs.loss_doubled" in rig.said()) is (steps == 2)
        if steps == 2:
            assert rig.asked() == {SOVIET: "prompt.ocs.losses"}
            assert "retreat" not in rig.options(SOVIET)
            rig.do(SOVIET, "lose", MORE)
        assert sum(gone(rig, one) for one in (RUSSIANS, ROMANIANS, MORE)) == steps


def test_4_0c_what_no_romanian_is_left_to_take_is_not_taken() -> None:
    """HR 4.0c A lone Romanian unit that dies of its loss brings no second one on the Soviets."""
    rig = suffering_at_budapest("open", ROMANIANS, "AL1", ROMANIANS)
    assert gone(rig, ROMANIANS) == 3
    assert gone(rig, RUSSIANS) == 0
