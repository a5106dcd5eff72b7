"""14.3 The Moscow garrison."""

import pytest

from tests.rules.typhoon.battles import RIFLES3, RIFLES4
from tests.rules.typhoon.bench import Bench, real_pack
from tests.rules.typhoon.campaign import GARRISON, garrison
from warledger.engine.games.typhoon.reinforcements import IntakeClosed, IntakeOpened
from warledger.engine.kernel.position import Frame


def test_14_3_R40_twelve_in_all() -> None:
    """R-40 Four on each of turns 5, 6 and 7; with two left in the box two come."""
    two = {name: box for name, box in GARRISON.items() if name in ("su.moscow.1", "su.moscow.2")}
    bench = Bench(real_pack())
    bench.stand({}, turn=7, boxes=two)
    bench.jump("set_up_first", Frame("reinforcements", ("soviet",)))
    assert bench.state.garrison == 2
    assert [Bench(real_pack()).state.data.turn(n).garrison for n in (4, 5, 6, 7, 8)] == [
        0,
        4,
        4,
        4,
        0,
    ]


@pytest.mark.parametrize("turn", [5, 6, 7])
def test_14_3_any_of_the_twelve_may_come(turn: int) -> None:
    """R-40 On a garrison turn the four may be any of the twelve, and do not use up the ordinary
    number."""
    bench = garrison(turn)
    before = bench.state.intake
    assert before is not None
    assert {
        name for name in bench.options("soviet", "place") if str(name).startswith("su.moscow")
    } == set(GARRISON)
    bench.do("soviet", "place", "su.moscow.9", "3111")
    assert bench.state.intake is not None and bench.state.intake.left == before.left


def test_14_3_1_four_units_besides_R40() -> None:
    """14.3(1), 14.3(2), 14.3(3), R-40 On turns 5, 6, 7 four garrison units besides the others, in
    Moscow hexes, without LOC and in EZOC too, two a hex (example 80)."""
    bench = garrison(6, places={"ax.inf.5": "2810", "ax.inf.35": "2912"})
    assert IntakeOpened("soviet", 5, 4, 0) in bench.events
    assert bench.reach("soviet", "place", "su.moscow.3") == {"2911", "3010", "3011", "3111"}
    assert bench.refused("soviet", "place", "su.moscow.3", "3012").rule == "14.3(3)"
    for name, hex_id in (("su.moscow.3", "2911"), ("su.moscow.1", "2911")):
        bench.do("soviet", "place", name, hex_id)
    assert bench.refused("soviet", "place", "su.moscow.2", "2911").rule == "3.1(1)"
    bench.do("soviet", "place", "su.moscow.2", "3011")
    bench.do("soviet", "place", "su.moscow.4", "3011")
    assert "su.moscow.5" not in bench.options("soviet", "place")
    assert bench.state.intake is not None and bench.state.intake.left == 5


def test_14_3_1_not_on_other_turns() -> None:
    """14.3(1), R-40 On turn 4 none come, and those of a turn without the command are lost."""
    assert not any(
        str(name).startswith("su.moscow") for name in garrison(4).options("soviet", "place")
    )


def test_14_3_1_four_more_and_two_carried_over() -> None:
    """14.3(1), 14.3(3), R-40 On turn 6 with two carried over from turn 5 six garrison units come,
    two a hex; the seventh waits."""
    bench = garrison(6, garrison=2)
    assert IntakeOpened("soviet", 5, 4, 0) in bench.events and bench.state.garrison == 6
    hexes = ("3011", "3011", "3010", "3010", "2911", "2911")
    for index, hex_id in enumerate(hexes):
        bench.do("soviet", "place", f"su.moscow.{index + 1}", hex_id)
    assert bench.refused("soviet", "place", "su.moscow.7").rule == "14.3(1)"


def test_14_3_3_no_room_is_carried_over_R40() -> None:
    """14.3(3), R-40 Those that found no room come later, on turn 8 too; those that had room and
    were not taken are lost."""
    full = garrison(5, control={"2911": "axis", "3010": "axis", "3111": "axis"})
    full.do("soviet", "place", "su.moscow.1", "3011")
    full.do("soviet", "place", "su.moscow.2", "3011")
    full.do("soviet", "done")
    assert full.state.garrison == 2

    later = garrison(8, garrison=2)
    assert later.state.garrison == 2 and "su.moscow.7" in later.options("soviet", "place")

    idle = garrison(5)
    idle.do("soviet", "done")
    assert idle.state.garrison == 0


def test_14_3_3_moscow_full_but_for_one_place() -> None:
    """14.3(3), 3.1(1), R-40 Seven units stand in the four Moscow hexes: one of four garrison units
    finds room, three are carried over."""
    names = (*RIFLES3[:3], *RIFLES4[:4])
    placed = dict(zip(names, ("3011", "3011", "3010", "3010", "2911", "2911", "3111"), strict=True))
    bench = garrison(5, places=placed)
    bench.do("soviet", "place", "su.moscow.12", "3111")
    bench.do("soviet", "done")
    assert IntakeClosed("soviet", 3) in bench.events and bench.state.garrison == 3


def test_14_3_3_ordinary_units_get_no_exception_in_moscow() -> None:
    """14.3(3), 12.1(2) In the same command a rifle division may not be put in a Moscow hex in an
    EZOC, a garrison unit may; a Moscow hex under Axis control takes neither."""
    bench = garrison(7, places={"ax.inf.5": "2810"}, control={"3010": "axis"})
    assert bench.refused("soviet", "place", "su.rifle.32", "2911").rule == "12.1(2)"
    assert bench.refused("soviet", "place", "su.rifle.32", "3010").rule == "12.1(2)"
    assert bench.refused("soviet", "place", "su.moscow.1", "3010").rule == "14.3(3)"
    bench.do("soviet", "place", "su.moscow.1", "2911")


def test_14_3_3_the_garrison_never_goes_by_rail_at_first() -> None:
    """14.3(3), R-40 With all of Moscow in Axis hands four are received and carried over; none may
    be put on a railway elsewhere."""
    lost = dict.fromkeys(("3011", "3010", "2911", "3111"), "axis")
    bench = garrison(5, control=lost)
    assert not any(str(name).startswith("su.moscow") for name in bench.options("soviet", "place"))
    bench.do("soviet", "done")
    assert bench.state.garrison == 4
    later = garrison(11, control={**lost, "3111": "soviet"}, garrison=4)
    assert later.reach("soviet", "place", "su.moscow.4") == {"3111"}


def test_14_3_4_afterwards_ordinary_units() -> None:
    """14.3(4) A garrison unit once deployed comes back as an ordinary reinforcement, by rail."""
    bench = garrison(9, deployed=frozenset({"su.moscow.1"}))
    assert "su.moscow.2" not in bench.options("soviet", "place")
    assert "4110" in bench.reach("soviet", "place", "su.moscow.1")


def test_14_3_4_R40_a_garrison_lost_in_combat_comes_back_by_rail_and_counts() -> None:
    """14.3(4), R-40 Once deployed it is an ordinary reinforcement: it counts, goes by rail, and
    never to a Moscow hex in an EZOC."""
    bench = garrison(6, deployed=frozenset({"su.moscow.1"}), places={"ax.inf.5": "2810"})
    assert bench.state.intake is not None
    before = bench.state.intake.left
    assert "2911" not in bench.reach("soviet", "place", "su.moscow.1")
    bench.do("soviet", "place", "su.moscow.1", "4110")
    assert bench.state.intake is not None and bench.state.intake.left == before - 1
    assert bench.state.garrison == 4
