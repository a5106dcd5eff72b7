"""Corners of the rulings, and the switches of those that rest on common sense alone."""

from attrs import evolve

from engine.games.chitpull.sides import SIDES
from engine.games.victory_lost.headquarters import must_reset, reset_hexes
from engine.games.victory_lost.rules import RULES, SWITCHES
from protocol.records import Genesis
from protocol.seal import Secret
from tests.rules.victory_lost.battles import GERMAN, ITALIAN, PANZER, TANK, attack, column, combat, lost
from tests.rules.victory_lost.bench import Bench, board_t, city, real_pack


def test_R02_reset_distance_over_land() -> None:
    """R-02, R-17: Straight, hexes four away count though water lies between; by the option the way round is counted."""
    lake = {"0909": "~", "0910": "~", "0911": "~", "1009": "~"}
    found = {}
    for option in ("straight", "over_land"):
        bench = Bench(board_t(rows=lake), reset_distance=option)
        bench.stand({"ax.hq.4pza": "1010", TANK: "1010"})
        grid = bench.state.data.board.grid
        found[option] = {grid.distance(grid.at("1010"), i) for i in reset_hexes(bench.state, "ax.hq.4pza")}

    assert found["straight"] == {4}
    assert min(found["over_land"]) < 4


def test_R02_over_land_and_straight_agree_without_water() -> None:
    """R-02: On open ground both readings give the same hexes."""
    found = []
    for option in ("straight", "over_land"):
        bench = Bench(reset_distance=option)
        bench.stand({"ax.hq.4pza": "1010", TANK: "1010"})
        found.append(reset_hexes(bench.state, "ax.hq.4pza"))

    assert found[0] == found[1]
    assert len(found[0]) == 11


def test_R23_nothing_attacks_nothing_by_option() -> None:
    """R-23, 9.3.5: A surrounded rifle unit of strength 1 against a surrounded unit of strength 1: no attack; by the option 10-1."""
    places = {"ax.ro.1": "1010", "su.rifle.1": "1110"}
    bench = combat(places, reduced=["su.rifle.1"], supply={"ax.ro.1": 2, "su.rifle.1": 2})
    assert bench.asked() != {"soviet": "prompt.victory_lost.combat"}

    bench = combat(places, reduced=["su.rifle.1"], supply={"ax.ro.1": 2, "su.rifle.1": 2}, attack_of_nothing=True)
    assert bench.options("soviet", "attack") == ("1010",)
    attack(bench, 1, "1010", "su.rifle.1")
    assert column(bench) == "10-1"

    bench = combat({"ax.ro.2": "1010", "su.rifle.1": "1110"}, reduced=["su.rifle.1"], supply={"su.rifle.1": 2}, attack_of_nothing=True)
    assert bench.asked() != {"soviet": "prompt.victory_lost.combat"}


def test_rulings_that_rest_on_common_sense_can_be_switched() -> None:
    """R-02, R-03, R-19, R-23, R-26, R-31, R-34, R-37, R-40, R-41, R-43: each has a switch, the ruling being its default."""
    defaults = {switch.name: switch.default for switch in SWITCHES}

    assert {
        "reset_distance": "straight",
        "set_up_first": "axis",
        "reset_retry": True,
        "attack_of_nothing": False,
        "retreat_distance": False,
        "cavalry_advance": False,
        "reset_first": "axis",
        "entry_zone_cost": True,
        "automatic_lead": 30,
        "hq_takes_city": False,
        "tie": "draw",
    }.items() <= defaults.items()


def test_a_log_older_than_a_switch_plays_by_its_default() -> None:
    """A genesis that does not name a switch, since its release did not have it, is played by the ruling that was in force."""
    genesis = Genesis.from_record(Bench().records[0])
    older = evolve(genesis, options={name: value for name, value in genesis.options.items() if name != "reset_distance"})

    assert RULES.initial(older).option("reset_distance") == "straight"


def test_R41_a_unit_that_falls_has_taken_the_city_on_its_way() -> None:
    """R-41, 9.5.3, 14.0.1: A reduced panzer division retreats through a city into a zone and falls there: the city passed is the
    Axis's, the one in the last hex is not."""
    cities = (city("0910", owner="soviet"), city("0809", owner="soviet"))
    places = {PANZER: "1010", TANK: "1110", "su.tank.25": "1110", "su.tank.24": "1111", "su.rifle.1": "1111", "su.rifle.195": "0709"}
    water = dict.fromkeys(("1009", "1011", "0911", "0909", "0810"), "~")
    bench = combat(places, bench=Bench(board_t(rows=water, places=cities)))
    bench.change(score={"axis": 10, "soviet": 10})
    attack(bench, 6, "1010", TANK, "su.tank.25", "su.tank.24", "su.rifle.1")
    control = {bench.state.data.name(i): side for i, side in bench.state.control.items()}

    assert column(bench) == "3-1"
    assert bench.hexes(PANZER) == ("eliminated",)
    assert control == {"0910": "axis", "0809": "soviet"}
    assert bench.state.score == {"axis": 15, "soviet": 8}


def test_15_0_1_b_command_march_out_of_a_box() -> None:
    """15.0.1, 11.2.2: A counter that enters from its box clear of enemy zones gets the point more as well."""
    bench = Bench(command_march=True)
    bench.stand({}, turn=2, boxes={"su.rifle.34g": "box.28a"})
    bench.activate("soviet", "su.rifle.34g", box="box.28a")
    assert "swift" in bench.options("soviet", "move", "su.rifle.34g")
    events = bench.do("soviet", "move", "su.rifle.34g", "swift", "1720", "1716")
    assert (events[0].mode, events[0].left) == ("swift", 0)

    plain = Bench()
    plain.stand({}, turn=2, boxes={"su.rifle.34g": "box.28a"})
    plain.activate("soviet", "su.rifle.34g", box="box.28a")
    assert "swift" not in plain.options("soviet", "move", "su.rifle.34g")
    assert "1716" not in plain.reach("soviet", "move", "su.rifle.34g", "1720")


def test_15_0_2_c_naming_is_voluntary() -> None:
    """15.0.2(c): The Axis may name the first chit; it may as well leave it to chance."""
    bench = Bench(real_pack(), set_up="historical", soviet_five="historical", first_chit="known")
    bench.do("axis", "choose", "chit.ax.4pza", "chit.ax.hollidt")
    bench.do("soviet", "choose", "chit.su.1gda", "chit.su.2gda", "chit.su.3gda", "chit.su.stavka")
    bench.do("soviet", "pass")
    bench.draws(2)
    bench.do("axis", "pass")

    assert bench.state.cup.in_hand == "chit.su.1gda"


def test_11_1_1_nobody_is_asked_where_only_one_counter_can_enter_in_one_hex() -> None:
    """11.1.1, R-36: Of two hexes one is full and a Romanian stands in the other: only the German of two arrivals can enter, and does."""
    bench = Bench(board_t(rails=("0110 0209",)))
    units = {"ax.inf.62": "0110", "ax.inf.294": "0110", "ax.ro.5": "0209"}
    bench.stand(units, turn=8, boxes={"ax.inf.39": "arriving", "ax.hu.6": "arriving"})
    bench.jump("set_up_first", "place_axis")

    assert bench.hexes("ax.inf.39", "ax.hu.6") == ("0209", "eliminated")


def test_R24_all_defenders_lost_leaves_no_retreat() -> None:
    """R-24, 9.4.2: 4DR2 on three faces: all are lost without a question, the fourth point is ignored, and the attackers may advance."""
    tanks = (TANK, "su.tank.25", "su.tank.24", "su.tank.17", "su.tank.7")
    places = {ITALIAN: "1010", "ax.ro.1": "0505", "ax.panzer.22": "1010"}
    bench = combat({**places, **dict(zip(tanks, ("1110", "1110", "1111", "1111", "1009"), strict=True))}, supply={"ax.panzer.22": 2})
    attack(bench, 6, "1010", *tanks)

    assert column(bench) == "10-1"
    assert lost(bench) == ([], [ITALIAN, "ax.panzer.22"])
    assert bench.asked() == {"soviet": "prompt.victory_lost.advance"}


def test_R08_R06_manstein_alone_in_the_cup_is_drawn_again_with_certainty() -> None:
    """R-06: The only chit left is Manstein: declined, it comes back at once and must be executed."""
    bench = Bench()
    bench.stand({"ax.hq.4pza": "1010", GERMAN: "1011"}, turn=3)
    bench.change(
        cup=type(bench.state.cup)(
            five=bench.state.cup.five,
            stock={"axis": ("chit.ax.manstein.1",), "soviet": ("chit.su.stavka",)},
            chosen={"axis": Secret(("chit.ax.manstein.1",), ("axis",), (1, (6, 0, 2))), "soviet": Secret((), ("soviet",), (1, (6, 1, 2)))},
        )
    )
    bench.draws(0)
    bench.jump("set_up_first", "execution", "command_step")
    assert set(bench.options("axis")) == {"activate", "decline"}
    bench.draws(0)
    bench.do("axis", "decline")
    assert bench.options("axis") == ("activate",)
    assert bench.refused("axis", "decline").rule == "7.2.2"


def test_R19_a_hex_may_be_denied_by_nations() -> None:
    """R-19, 5.0.3: An Italian HQ does not reset onto a Romanian unit; onto a German one it may."""
    bench = Bench()
    bench.stand({"ax.hq.it8a": "1010", TANK: "1010", "ax.ro.5": "0610", GERMAN: "0611"})
    found = set(bench.state.data.board.grid.names(reset_hexes(bench.state, "ax.hq.it8a")))

    assert "0610" not in found
    assert "0611" in found


def test_12_7_an_overrun_hq_takes_no_city_and_no_mark_with_it() -> None:
    """12.7, R-41, R-49: Reset into a city of the enemy's, an HQ takes no control; its out-of-supply mark is gone."""
    bench = Bench(board_t(places=(city("0611", owner="soviet"),)))
    bench.stand({"ax.hq.4pza": "1010", TANK: "1010"}, supply={"ax.hq.4pza": 1})
    bench.run(lambda table: must_reset(table, "ax.hq.4pza"))
    bench.jump("set_up_first", *bench.position.flow[-1:])
    assert "0611" in bench.options("axis", "reset")
    bench.do("axis", "reset", "0611")

    assert bench.state.control[bench.state.data.hex("0611")] == "soviet"
    assert bench.state.counters["ax.hq.4pza"].supply == 0


def test_both_sides_are_the_seats() -> None:
    """1.0: Two players, the Axis and the Soviets."""
    assert SIDES == ("axis", "soviet")
