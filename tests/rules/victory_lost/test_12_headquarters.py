"""12.1-12.5 HQs: overrun, alone, in retreat and advance."""

from tests.rules.victory_lost.battles import (
    EAST,
    GERMAN,
    ITALIAN,
    PANZER,
    PANZER_HQ,
    STACK,
    STRONG,
    TANK,
    TANKS,
    attack,
    combat,
    fought,
    happened,
    lost,
    won,
)
from tests.rules.victory_lost.bench import (
    NORTH_EAST,
    NORTH_WEST,
    RIFLE,
    SOUTH_EAST,
    Bench,
    board_t,
    city,
)
from tests.rules.victory_lost.campaign import entering
from tests.rules.victory_lost.commands import with_cup
from tests.rules.victory_lost.marches import moving
from warledger.engine.games.victory_lost.headquarters import HqReset, Overrun

# --- 12.1 overrun ---------------------------------------------------------------------------------


def test_12_1_R16_hqs_and_stacks_do_not_overrun() -> None:
    """R-16: An HQ may not enter the hex of an enemy HQ, and a stack keeps clear of it: an overrun
    is one unit's affair."""
    bench = Bench()
    bench.stand(
        {"su.hq.1gda": "1010", "su.rifle.1": "1010", "su.rifle.153": "1010", "ax.hq.4pza": "0910"}
    )
    bench.activate("soviet", "su.hq.1gda", "su.rifle.1", "su.rifle.153")

    assert "0910" not in bench.reach("soviet", "move", "su.hq.1gda")
    assert bench.refused("soviet", "move", "su.hq.1gda", "0910").rule == "12.1"
    assert "0910" in bench.reach("soviet", "move", "su.rifle.1")
    assert "0910" not in bench.reach("soviet", "move", "su.rifle.1", "su.rifle.153")


def test_12_1_R16_two_hqs_in_one_move() -> None:
    """R-16, 2.3.3: 7 points: 1 to the first HQ, 2 to the second, and 4 hexes beyond."""
    bench = Bench()
    bench.stand({TANK: "1310", "ax.hq.4pza": "1210", "ax.hq.hollidt": "1010"})
    moving(bench, TANK)
    bench.do("soviet", "move", TANK, "1210")
    bench.do("axis", "reset", "0808")
    bench.do("soviet", "on", "1010")
    bench.do("axis", "reset", "0612")
    reached = {hex_id for hex_id in bench.options("soviet", "on") if hex_id not in ("on", "halt")}
    grid = bench.state.data.board.grid
    assert max(grid.distance(grid.at("1010"), grid.at(str(hex_id))) for hex_id in reached) == 4
    bench.do("soviet", "on", "0610")

    assert bench.hexes(TANK, "ax.hq.4pza", "ax.hq.hollidt") == ("0610", "0808", "0612")


def test_12_1_R16_an_hq_may_not_overrun_an_hq() -> None:
    """12.1: Only units overrun: the refusal says so."""
    bench = Bench()
    bench.stand({"su.hq.6a": "1110", "ax.hq.4pza": "1010"})
    moving(bench, "su.hq.6a")

    assert bench.refused("soviet", "move", "su.hq.6a", "1010").rule == "12.1"


def test_12_1_an_hq_in_the_entry_hex_is_overrun_by_the_unit_only() -> None:
    """12.1, 11.2.2: A lone German HQ in 1720: the rifle division enters, overruns it, and goes on;
    28A's HQ may not enter there."""
    bench = entering(ax_hq_4pza="1720")
    assert bench.refused("soviet", "move", "su.hq.28a", "1720").rule == "12.1"
    bench.do("soviet", "move", "su.rifle.34g", "1720")
    assert len(happened(bench, Overrun)) == 1
    bench.do("axis", "reset", bench.options("axis", "reset")[0])
    bench.do("soviet", "on", "1717")

    assert bench.hexes("su.rifle.34g") == ("1717",)


def test_12_1_14_0_1_an_hq_in_a_city_is_overrun_and_the_city_taken() -> None:
    """12.1, R-41: A lone HQ does not hold a strategic city: the tank corps overruns it and takes 5
    points."""
    bench = Bench(board_t(places=(city("1010"),)))
    bench.stand({TANK: "1110", "ax.hq.4pza": "1010"})
    moving(bench, TANK)
    bench.do("soviet", "move", TANK, "1010")

    assert bench.state.score == {"axis": 20, "soviet": 5}


def test_12_1_a_lone_hq_is_overrun_in_movement() -> None:
    """12.1: Its owner sets it up anew before the mover goes on; an HQ with a unit of its side is
    not alone."""
    bench = Bench()
    bench.stand({"ax.hq.4pza": "1010", "su.tank.18": "1210"})
    bench.activate("soviet", "su.tank.18")
    events = bench.do("soviet", "move", "su.tank.18", "1010")
    assert [event.tag for event in events][:2] == ["moved", "overrun"]
    assert bench.asked() == {"axis": "prompt.victory_lost.reset"}

    bench.stand({"ax.hq.4pza": "1010", "ax.inf.62": "1010", "su.tank.18": "1210"})
    bench.activate("soviet", "su.tank.18")
    assert bench.refused("soviet", "move", "su.tank.18", "1010").rule == "5.0.2"


# --- 12.2 losses ----------------------------------------------------------------------------------


def test_12_2_an_hq_left_alone_resets_before_the_advance() -> None:
    """12.2 (E70): Both units die by losses: the HQ resets, then the hex is vacated and the
    attackers may advance."""
    bench = combat({**STACK, "ax.hq.4pza": "1010", **STRONG}, reduced=["ax.it.rav", "ax.it.sfz"])
    attack(bench, 5, "1010", *TANKS)
    assert bench.asked() == {"axis": "prompt.victory_lost.reset"}
    to = str(bench.options("axis", "reset")[0])
    bench.do("axis", "reset", to)
    assert [event.hq for event in happened(bench, HqReset)] == ["ax.hq.4pza"]
    assert bench.asked() == {"soviet": "prompt.victory_lost.advance"}


def test_12_2_the_attackers_hq_too() -> None:
    """12.2: An HQ whose attackers all die resets as well; one that keeps a unit stays."""
    places = {PANZER: "1010", "su.rifle.1": "1110", "su.hq.1gda": "1110", "su.rifle.107": "1111"}
    bench = combat(places, reduced=[PANZER, "su.rifle.1"])
    attack(bench, 1, "1010", "su.rifle.1", "su.rifle.107")
    assert bench.asked() == {"soviet": "prompt.victory_lost.losses"}
    bench.do("soviet", "lose", "su.rifle.1", "su.rifle.107")
    assert lost(bench) == (["su.rifle.107"], ["su.rifle.1"])
    assert bench.asked() == {"soviet": "prompt.victory_lost.reset"}

    bench = combat({**places, "su.rifle.153": "1110"}, reduced=[PANZER, "su.rifle.1"])
    attack(bench, 1, "1010", "su.rifle.1", "su.rifle.107")
    bench.do("soviet", "lose", "su.rifle.1", "su.rifle.107")
    assert bench.hexes("su.hq.1gda") == ("1110",)


def test_12_2_hqs_take_no_losses() -> None:
    """12.2: An HQ is never among those who can take a loss."""
    bench = combat({**STACK, "ax.hq.4pza": "1010", **STRONG})
    attack(bench, 5, "1010", *TANKS)
    assert bench.options("axis", "lose") == ("ax.it.rav", "ax.it.sfz")


def test_12_2_an_hq_stays_with_a_unit_that_did_not_attack() -> None:
    """12.2: The attacker dies of A2, but a division that stood by is in the HQ's hex: the HQ is not
    alone and stays."""
    bench = combat({"ax.lw.7": "1010", RIFLE: "1110", "su.rifle.153": "1110", "su.hq.6a": "1110"})
    attack(bench, 1, "1010", RIFLE)

    assert lost(bench)[1] == [RIFLE]
    assert not happened(bench, HqReset)
    assert bench.hexes("su.hq.6a") == ("1110",)


def test_12_2_attackers_of_two_hexes_share_a_loss() -> None:
    """9.4.2, 12.2: A2 taken wholly by the division that stood with the HQ: it is alone now and
    resets; the other one keeps its face."""
    bench = combat({"ax.panzer.6": "1010", RIFLE: "1110", "su.hq.6a": "1110", TANK: "1111"})
    attack(bench, 1, "1010", RIFLE, TANK)
    bench.do("soviet", "lose", RIFLE, RIFLE)

    assert bench.asked() == {"soviet": "prompt.victory_lost.reset"}
    assert not bench.state.counters[TANK].reduced


# --- 12.3 retreat ---------------------------------------------------------------------------------


def test_12_3_the_hq_goes_with_the_last_unit() -> None:
    """12.3: One unit and an HQ: both retreat together."""
    bench = fought({PANZER: "1010", PANZER_HQ: "1010", **EAST}, 6, *TANKS[:2])
    bench.do("axis", "retreat", PANZER, "0910")
    assert bench.hexes(PANZER, PANZER_HQ) == ("0910", "0910")


def test_12_3_the_hq_retreats_with_its_unit() -> None:
    """12.3, 12.2 (E71): The HQ takes no loss and goes along; nothing of it is left behind."""
    bench = combat(
        {GERMAN: "1010", "ax.hq.hollidt": "1010", TANK: NORTH_EAST, "su.tank.25": SOUTH_EAST}
    )
    attack(bench, 3, "1010", TANK, "su.tank.25")
    assert bench.asked() == {"axis": "prompt.victory_lost.retreat"}
    bench.do("axis", "retreat", GERMAN, NORTH_WEST)

    assert bench.hexes(GERMAN, "ax.hq.hollidt") == (NORTH_WEST, NORTH_WEST)


def test_12_3_the_hq_goes_both_hexes() -> None:
    """12.3, 12.2: "1DR2": the division is reduced, its HQ takes no loss, both go two hexes."""
    bench = combat({GERMAN: "1010", "ax.hq.hollidt": "1010", TANKS[0]: "1110", TANKS[1]: "1111"})
    attack(bench, 6, "1010", *TANKS[:2])  # 12 to 4: 3-1, 1DR2
    bench.do("axis", "retreat", GERMAN, "0911", "0811")

    assert bench.hexes(GERMAN, "ax.hq.hollidt") == ("0811", "0811")
    assert bench.state.counters[GERMAN].reduced
    assert bench.asked() == {"soviet": "prompt.victory_lost.advance"}


# --- 12.4 advance ---------------------------------------------------------------------------------


def test_12_4_an_hq_goes_along() -> None:
    """12.4: An HQ stacked with an attacker may go as far as the unit that it goes with, once,
    activated or not."""
    places = {TANKS[0]: "1110", TANKS[1]: "1110", "su.hq.1gda": "1110"}
    bench = won(places, *TANKS[:2])
    assert bench.options("soviet", "advance", TANKS[0]) == ("su.hq.1gda", "1010")
    bench.do("soviet", "advance", TANKS[0], "su.hq.1gda", "1010", "0910")
    assert bench.hexes(TANKS[0], "su.hq.1gda") == ("0910", "0910")
    assert (
        bench.refused("soviet", "advance", TANKS[1], "su.hq.1gda").key
        == "refusal.victory_lost.advance_hq"
    )
    bench.do("soviet", "advance", TANKS[1], "1010")

    bench = won(places, *TANKS[:2])
    bench.do("soviet", "advance", TANKS[0], "1010")
    assert bench.hexes("su.hq.1gda") == ("1110",), "an HQ may stay, even alone"
    bench.do("soviet", "advance", TANKS[1], "su.hq.1gda", "1010")
    assert bench.hexes("su.hq.1gda") == ("1010",)


def test_12_4_an_hq_goes_along_once() -> None:
    """12.4: An HQ that came with one attacker to the hex of another does not go on with that
    one."""
    bench = won({TANKS[0]: "1110", "su.hq.1gda": "1110", TANKS[1]: "1111"}, *TANKS[:2])
    bench.do("soviet", "advance", TANKS[0], "su.hq.1gda", "1010", "1111")
    assert bench.hexes(TANKS[0], "su.hq.1gda", TANKS[1]) == ("1111", "1111", "1111")
    assert bench.options("soviet", "advance", TANKS[1]) == ("1010",)


def test_12_4_two_hqs_never_stack() -> None:
    """5.0.1: a second HQ cannot end where one stands."""
    places = {RIFLE: "1110", "su.hq.1gda": "1110", "su.rifle.107": "1111", "su.hq.3gda": "1111"}
    bench = won(places, RIFLE, "su.rifle.107")
    bench.do("soviet", "advance", RIFLE, "su.hq.1gda", "1010")
    assert bench.options("soviet", "advance", "su.rifle.107") == ("1010",)


def test_12_4_an_hq_goes_two_hexes_and_overruns_with_its_unit() -> None:
    """12.4, 9.6.4: HQ and tank corps advance together into the hex of a lone enemy HQ: the unit
    overruns it."""
    bench = combat(
        {
            ITALIAN: "1010",
            TANK: "1110",
            "su.tank.25": "1110",
            "su.hq.6a": "1110",
            "ax.hq.4pza": "0910",
        },
        reduced=[ITALIAN],
    )
    attack(bench, 6, "1010", TANK, "su.tank.25")
    bench.do("soviet", "advance", TANK, "su.hq.6a", "1010", "0910")

    assert [event.hq for event in happened(bench, Overrun)] == ["ax.hq.4pza"]
    bench.do("axis", "reset", bench.options("axis", "reset")[0])
    assert bench.hexes(TANK, "su.hq.6a") == ("0910", "0910")


def test_12_4_R05_special_combat_then_the_same_units_again() -> None:
    """R-05, 12.4: 1GdA's tanks win, one advances two hexes and takes the HQ along though nothing
    moves in this step; then 1GdA's own chit activates the HQ in its new hex and the same tanks may
    attack the same division again."""
    bench = Bench()
    bench.stand({"su.hq.1gda": "1110", TANK: "1110", "su.tank.25": "1110", ITALIAN: "1010"})
    with_cup(bench, (), ("chit.su.1gda",))
    bench.jump("command_phase", "special_combat")
    bench.do("soviet", "activate", "su.hq.1gda")
    assert bench.asked() == {"soviet": "prompt.victory_lost.combat"}
    attack(bench, 4, "1010", TANK, "su.tank.25")
    # 12 to 2 is 6-1; a 4 is 1DR2
    assert set(bench.options("axis", "retreat", ITALIAN)) == {"0910", "0911"}
    bench.do("axis", "retreat", ITALIAN, "0910", "0810")
    bench.do("soviet", "advance", TANK, "su.hq.1gda", "1010", "0911")
    bench.draws(0)
    bench.do("soviet", "done")

    assert bench.hexes(TANK, "su.hq.1gda", "su.tank.25") == ("0911", "0911", "1110")
    assert bench.state.cup.in_hand == "chit.su.1gda"
    assert bench.state.activation is not None
    assert bench.state.activation.units == (TANK, "su.tank.25")
    bench.do("soviet", "done")
    assert bench.options("soviet", "attack") == ("0810",)
