"""Chapter 13: the pocket."""

import pytest

from tests.rules.victory_lost.battles import EAST, GERMAN, PANZER, TANK, paths, stood
from tests.rules.victory_lost.bench import RIFLE, Bench, board_t, real_pack
from tests.rules.victory_lost.campaign import printed, usable
from tests.rules.victory_lost.marches import ROAD, moving
from warledger.engine.games.victory_lost.command import in_range
from warledger.engine.games.victory_lost.headquarters import reset_hexes
from warledger.engine.games.victory_lost.reinforcements import usable_railways
from warledger.engine.games.victory_lost.supply import in_supply


@pytest.mark.parametrize(("turn", "open_"), [(4, False), (5, True)])
def test_13_0_R30_nobody_retreats_into_the_pocket(turn: int, open_: bool) -> None:
    """13.0 (E85, E86): no retreat into pocket hexes through turn 4."""
    bench = stood({PANZER: "1010", **EAST}, Bench(board_t(pocket="0910 0911")), turn=turn)
    assert (paths(bench, PANZER) == {"0910", "0911"}) == open_


def test_13_0_stalingrad_is_a_rail_source_from_turn_5() -> None:
    """13.0 (E86): Through turn 4 the pocket is closed; from turn 5 the railway of Stalingrad brings
    Soviet reinforcements."""
    bench = Bench(real_pack(), set_up="historical", soviet_five="historical")
    places = {
        name: bench.state.data.name(i)
        for name, i in bench.state.data.historical.items()
        if name.startswith("su.")
    }
    bench.stand(places, turn=4)
    assert "6521" not in usable(bench, "soviet")

    bench.stand(places, turn=5)
    assert "6521" in usable(bench, "soviet")


def test_13_0_the_pocket_has_eighteen_hexes() -> None:
    """13.0 (E96): The pocket has eighteen hexes."""
    data = Bench(real_pack()).state.data

    assert " ".join(sorted(data.board.grid.names(sorted(data.pocket)))) == (
        "6120 6121 6122 6219 6220 6221 6222 6320 6321 6322 6323 6419 6420 6421 6422 6520 6521 6522"
    )


def test_13_0_the_pocket_is_closed_through_turn_4() -> None:
    """R-39 (E85): 13.0: No movement, no supply line through a pocket hex; command range may run
    through it."""
    wall = {f"05{row:02}": "~" for row in range(1, 21) if row != 10}
    bench = Bench(board_t(rows=wall, pocket="0510"))
    places = {"ax.inf.62": "0610", "ax.hq.4pza": "0410", "ax.inf.294": "0411"}
    bench.stand(places, turn=4)
    bench.activate("axis", "ax.inf.62")
    assert not in_supply(bench.state, "ax.inf.62")
    assert bench.refused("axis", "move", "ax.inf.62", "0510").rule == "13.0"
    assert in_range(bench.state, "ax.hq.4pza") == ("ax.inf.294", "ax.inf.62")

    bench.stand(places, turn=5)
    bench.activate("axis", "ax.inf.62")
    assert in_supply(bench.state, "ax.inf.62")
    assert "0510" in bench.reach("axis", "move", "ax.inf.62")


def test_13_0_no_reset_into_the_pocket() -> None:
    """R-19, R-39: Through turn 4 the pocket hex 0610 is not among the hexes of a reset; from turn 5
    it is."""
    for turn, there in ((4, False), (5, True)):
        bench = Bench(board_t(pocket="0610"))
        bench.stand({"ax.hq.4pza": "1010", TANK: "1010"}, turn=turn)
        assert ("0610" in printed(bench, reset_hexes(bench.state, "ax.hq.4pza"))) is there


def test_13_0_the_railway_through_the_pocket() -> None:
    """13.0, 11.1.1: Through turn 4 the chain ends before the pocket; from turn 5 it runs on."""
    for turn, hexes in ((4, {"2010"}), (5, {"2010", "1910", "1810"})):
        bench = Bench(board_t(rails=("2010 1910 1810",), pocket="1910"))
        bench.stand({}, turn=turn)
        assert printed(bench, usable_railways(bench.state, "soviet")) == hexes


def test_13_0_the_pocket_opens_with_the_turn() -> None:
    """R-39: It is open when the chits of turn 5 are chosen, and closed to the end of turn 4's End
    Phase."""
    bench = Bench(board_t(pocket="1010"))
    bench.stand({GERMAN: "0910"}, turn=4)
    assert bench.state.field.closed(bench.state.data.hex("1010"))
    bench.jump("turn", "turn_start")

    assert bench.state.turn == 5
    assert not bench.state.field.closed(bench.state.data.hex("1010"))


def test_13_0_a_road_through_the_pocket() -> None:
    """13.0, R-39: Through turn 4 the road ends before the pocket hex 1110; from turn 5 it does
    not."""
    for turn, furthest in ((4, "1009"), (5, "1609")):
        bench = Bench(board_t(roads=(ROAD,), pocket="1110"))
        bench.stand({RIFLE: "0809"}, turn=turn)
        moving(bench, RIFLE)
        assert max(bench.reach("soviet", "move", RIFLE, "road")) == furthest
        if turn == 4:
            assert bench.refused("soviet", "move", RIFLE, "road", "1110").rule == "13.0"
