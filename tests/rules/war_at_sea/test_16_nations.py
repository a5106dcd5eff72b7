"""16 Allies, Americans, Soviets, and the Italians on turn 8."""

import pytest

from engine.games.war_at_sea.events import AmericanRolled, ControlPlaced, ItalianRolled, SovietRolled
from engine.games.war_at_sea.evolve import EVOLVE
from engine.games.war_at_sea.state import POOL
from tests.rules.war_at_sea.charts import chart, happened, place, seas


@pytest.mark.parametrize(("die", "may"), [(4, False), (5, True), (6, True)])
def test_16_1_e62_soviet_sortie(die: int, may: bool) -> None:
    """16.1, R42 (E62) On 5 or 6 it may leave port, to the Baltic alone; on 4 it may not, but may be repaired."""
    rig = chart("soviet_rolls", {"marat": "leningrad", "hood": "england"}, turn=3, damage={"marat": 1}, dice=(die,))

    assert happened(rig, SovietRolled) == [SovietRolled("marat", die, may)]
    if may:
        assert seas(rig, "allied", "marat") == {"leningrad", "baltic_sea"}
    else:
        assert rig.refused("allied", "sail", "marat").rule == "16.1"
    rig.do("allied", "repair", "marat", 1)


def test_16_1_e62_it_rolls_again_every_turn() -> None:
    """16.1 (E62) The permission is for one turn."""
    rig = chart("begin_turn", {"marat": "leningrad"}, turn=3, changes={"marat": {"may_sail": True}}, dice=(1,))

    assert rig.state.ships["marat"].may_sail is False


@pytest.mark.parametrize(
    ("turn", "die", "joins"),
    [(4, 6, True), (4, 5, False), (5, 5, True), (5, 4, False), (6, 4, True), (7, 3, True), (8, 2, True), (8, 1, False)],
)
def test_16_2_american_joining(turn: int, die: int, joins: bool) -> None:
    """16.2, R42 6 on turn 4, one less each turn; a ship that joins may sail at once, to the North Atlantic alone."""
    rig = chart("american_rolls", {"augusta": POOL, "hood": "england"}, turn=turn, dice=(die,))

    assert happened(rig, AmericanRolled) == [AmericanRolled("augusta", die, joins)]
    if joins:
        assert seas(rig, "allied", "augusta") == {"usa", "north_atlantic"}
    else:
        assert rig.refused("allied", "sail", "augusta").rule == "16.2"


def test_16_2_no_further_rolls_once_joined() -> None:
    """16.2 A ship that has joined rolls no more."""
    rig = chart("american_rolls", {"augusta": "usa"}, turn=5)

    assert happened(rig, AmericanRolled) == []


def test_16_3_italian_limits() -> None:
    """16.3, R60 Battleships stay in the Mediterranean; cruisers go as far as the Atlantic."""
    rig = chart("axis_sail", {"littorio": "italy", "zara": "italy"}, turn=2)

    assert seas(rig, "axis", "littorio") == {"italy", "mediterranean"}
    assert seas(rig, "axis", "zara") == {"italy", "mediterranean", "south_atlantic"}


@pytest.mark.parametrize(("held", "spared"), [((2, 3, 4, 5), True), ((1, 2, 3, 5, 6, 7), False), ((4, 5, 6, 7), True), ((), False)])
def test_16_4_e64_four_turns_running(held: tuple[int, ...], spared: bool) -> None:
    """16.4, R39 (E64) Only four consecutive turns of Axis control spare the Italians."""
    rig = chart("deploy", {})
    state = rig.state
    for turn in range(1, 8):
        state = EVOLVE[ControlPlaced](state, ControlPlaced((("mediterranean", "axis" if turn in held else ""),)))

    assert state.med_held is spared


def test_16_4_e64_italian_check() -> None:
    """16.4, R40 (E64) 1–2 Allied in Malta, 3–4 removed, 5–6 German where it is; one die a ship."""
    fleet = {"littorio": "italy", "zara": "italy", "pola": "italy", "fiume": "south_america"}
    rig = chart("begin_turn", fleet, turn=7, damage={"littorio": 2}, dice=(2, 3, 6, 1))

    assert [(event.ship, event.fate, event.place) for event in happened(rig, ItalianRolled)] == [
        ("littorio", "uk", "malta"),
        ("zara", "scuttled", ""),
        ("pola", "de", "italy"),
        ("fiume", "uk", "south_america"),
    ]
    assert rig.state.ships["littorio"].damage == 2
    rig.do("allied", "sail", "littorio", "mediterranean", "south_atlantic")


def test_16_4_no_check_once_the_mediterranean_was_held() -> None:
    """16.4 (E64) No rolls on turn 8 if it was."""
    rig = chart("begin_turn", {"littorio": "italy"}, turn=7, med_held=True)

    assert happened(rig, ItalianRolled) == []


def test_16_5_e65_a_german_littorio() -> None:
    """16.5, R21, R40 (E65) It follows German limits, rolls with speed 6, and gets no bonus."""
    rig = chart("axis_sail", {"littorio": "italy"}, turn=8, changes={"littorio": {"nation": "de"}})

    assert rig.state.ships["littorio"].bonus_now == 0
    rig.do("axis", "sail", "littorio", "mediterranean", "south_atlantic")
    rig.dice(5)
    rig.do("axis", "done")
    assert place(rig, "littorio") == "south_atlantic"
