"""OCS 9.2-9.10: worked attacks, numbers in and numbers out."""

from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest

from tests.rules.hungarian_rhapsody.bench import charts_of, start
from warledger.engine.board import hexsets
from warledger.engine.games.hungarian_rhapsody.fighting import BUDAPEST_CITY
from warledger.engine.games.hungarian_rhapsody.game import GAME
from warledger.engine.games.ocs import odds
from warledger.engine.games.ocs.counters import HEAVY
from warledger.engine.games.ocs.odds import multiplier
from warledger.engine.games.ocs.results import combat_result
from warledger.engine.kernel.change import replace

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
    """HR 4.0c, ruling 38 With the option a Romanian attack on a hex of Budapest loses two steps for
    each loss; not elsewhere, not as the defender, not with another nation's AR unit, and not
    without the option."""
    state = start("campaign")
    charts = state.charts
    chosen = replace(
        state, charts=replace(charts, options={**charts.options, "romanian_losses": True})
    )
    city = next(iter(hexsets.listed(charts.board.areas[BUDAPEST_CITY])))

    def factor(side: str, leader: str, target: int, *, option: bool = True) -> int:
        battle: Any = SimpleNamespace(side="soviet", leaders={side: leader}, target=target)
        return GAME.loss_factor(chosen if option else state, battle, side)

    romanian, russian = "su.ro.2", "su.7mc.b1"
    assert factor("soviet", romanian, city) == 2
    assert factor("soviet", romanian, charts.board.hex("A26.11")) == 1
    assert factor("soviet", russian, city) == 1
    assert factor("axis", romanian, city) == 1
    assert factor("soviet", romanian, city, option=False) == 1
