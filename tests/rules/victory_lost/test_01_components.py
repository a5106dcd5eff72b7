"""Chapters 1, 2 and 4: scale, what is on map and counters, and the order of a turn."""

from itertools import pairwise

from engine.games.victory_lost.rules import SEQUENCES
from engine.kernel.types import Choices
from tests.rules.victory_lost.bench import Bench, board_t, real_pack


def test_1_1_scale() -> None:
    """1.0, 1.1: two sides, 13 km a hex, nine turns; Soviet mechanized and cavalry units are corps."""
    pack = real_pack()
    data = Bench(pack).state.data

    assert pack["map"]["grid"]["hex_km"] == "13.0"
    assert data.last_turn == 9
    assert {type_.side for type_ in data.types.values()} == {"axis", "soviet"}
    assert all("Corps" in unit["long_name"] for unit in pack["counters"]["units"] if unit["side"] == "soviet" and unit["type"] != "rifle")


def test_2_1_1_the_map_has_set_up_hexes_boxes_and_a_turn_track() -> None:
    """2.0, 2.1, 2.1.1: every colour has its hexes, both armies their boxes, and waiting counters stand on the turn track."""
    bench = Bench(real_pack())
    data = bench.state.data

    assert all(group.hexes and group.units for group in data.groups)
    assert set(data.boxes) == {"box.1pza", "box.28a"}
    assert bench.board.pieces["ax.inf.302"].place == "turn.2"


def test_2_1_3_a_road_or_railway_over_a_river_is_a_bridge() -> None:
    """2.1.3: just those river hexsides are bridged that a road or railway crosses."""
    board = Bench(real_pack()).state.data.board

    crossed = {at for at, river in enumerate(board.sides.river) if river and (board.links["road"][at] or board.links["rail"][at])}
    assert crossed == {at for at, bridged in enumerate(board.sides.bridged) if bridged}


def test_2_2_units() -> None:
    """2.2.1, 2.2.2, 2.2.3: nation by colour; mechanized units may differ in attack and defence, others do not; one face or two."""
    data = Bench(real_pack()).state.data
    units = [type_ for type_ in data.types.values() if not type_.hq]

    assert {type_.nation for type_ in units} == {"german", "italian", "hungarian", "romanian", "soviet"}
    assert all(type_.full[0] == type_.full[1] for type_ in units if not type_.mech)
    assert data.types["ax.lw.7"].reduced is None
    assert data.types["su.tank.18"].reduced == (3, 2)


def test_2_2_3_all_units_enter_full() -> None:
    """2.2.3: every unit begins on its full face, and a reduced one shows its other strengths."""
    bench = Bench()
    assert not any(counter.reduced for counter in bench.state.counters.values())

    bench.stand({"su.tank.18": "1010"}, reduced=("su.tank.18",))
    assert bench.state.strength("su.tank.18") == (3, 2)


def test_2_3_2_hqs_have_a_range_and_no_strength() -> None:
    """2.3, 2.3.1, 2.3.2, 2.3.3: an HQ has a command range and an allowance; it is no unit and has rules of its own (12.0)."""
    data = Bench(real_pack()).state.data

    hqs = [type_ for type_ in data.types.values() if type_.hq]
    assert all(type_.range and type_.move and type_.full == (0, 0) and not type_.points for type_ in hqs)


def test_2_4_one_chit_for_each_hq() -> None:
    """2.4: one chit an HQ, two Manstein chits and STAVKA."""
    data = Bench(real_pack()).state.data

    assert sorted(chit.hq for chit in data.chits.values() if chit.kind == "hq") == sorted(n for n, type_ in data.types.items() if type_.hq)
    assert sorted(chit.kind for chit in data.chits.values() if chit.kind != "hq") == ["manstein", "manstein", "stavka"]


def test_2_5_markers() -> None:
    """2.5: turn, control, supply and what is activated are shown to all."""
    bench = Bench(real_pack(), set_up="historical", soviet_five="historical")
    assert bench.board.tracks["turn"] == 1
    assert bench.board.marks["1110", "control.axis"] == 1

    bench.do("axis", "choose", "chit.ax.4pza", "chit.ax.hollidt")
    bench.do("soviet", "choose", "chit.su.1gda", "chit.su.2gda", "chit.su.3gda", "chit.su.stavka")
    bench.draws(0)
    bench.do("soviet", "pass")
    assert bench.state.activation is not None
    marked = {name for name, marker in bench.board.marks if marker == "activated"}
    assert marked == {*bench.state.activation.hqs, *bench.state.activation.units}


def test_4_0_the_sequence_of_play() -> None:
    """4.0, 4.1, 4.1.2, 4.2, 4.3: the phases and their steps follow each other as the rule book has them."""

    def follows(name: str, *steps: str) -> bool:
        order = SEQUENCES[name]
        return all(order.index(a) < order.index(b) for a, b in pairwise(steps))

    assert follows("turn", "command_phase", "supply_phase", "end_phase")
    assert follows("command_phase", "chit_selection", "special_combat", "executions")
    assert follows("execution", "command_step", "activation")
    assert follows("activation", "movement_step", "combat_step")
    assert follows("supply_phase", "supply_check", "supply_resets")
    assert follows("end_phase", "reinforcement_segment", "victory_check", "turn_advance")
    assert follows("reinforcement_segment", "place_axis", "gain_chits", "place_soviet", "hq_removal")


def test_10_1_5_everything_starts_in_supply() -> None:
    """10.0, 10.1.5, 10.2.1, R-49: no counter has a marker at first, whatever its line; one that arrives has none either."""
    bench = Bench(board_t(rails=("0110 0209",)))
    assert not any(counter.supply for counter in bench.state.counters.values())

    bench.stand({"ax.inf.62": "0110", "ax.inf.294": "0110"}, turn=2)
    bench.jump("set_up_first", "reinforcement_segment", "receive")
    bench.do("axis", "place", "ax.inf.302", "0209")
    assert bench.state.counters["ax.inf.302"].supply == 0


def test_R01_half_points() -> None:
    """R-01, R-12: costs are counted in halves; a road costs one half point strategically, and that way is named before the move."""
    bench = Bench(board_t(roads=("1010 1011 1012",)))
    bench.stand({"su.rifle.1": "1010"})
    bench.activate("soviet", "su.rifle.1")
    found = bench.choices("soviet", "move", "su.rifle.1")
    assert isinstance(found, Choices)
    assert found.offers("road")
    events = bench.do("soviet", "move", "su.rifle.1", "road", "1011")

    assert events[0].left == 7
