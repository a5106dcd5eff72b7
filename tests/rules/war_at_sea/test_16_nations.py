"""16 Soviets, Americans, and the Italians on turn 8."""

from typing import Any

import pytest

from tests.rules.war_at_sea.charts import (
    BAL,
    NA,
    NS,
    PACK,
    SA,
    chart,
    happened,
    pass_on,
    place,
    quiet,
    scores,
    seas,
)
from warledger.engine.games.war_at_sea import RULES
from warledger.engine.games.war_at_sea.control import ControlPlaced, after
from warledger.engine.games.war_at_sea.nations import AmericanRolled, SovietRolled
from warledger.engine.games.war_at_sea.state import POOL
from warledger.engine.games.war_at_sea.turns import ItalianRolled
from warledger.engine.games.war_at_sea.victory import Scored
from warledger.engine.testing.rig import Rig

# --- 16.1 -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("die", "may"), [(4, False), (5, True), (6, True)])
def test_16_1_a_soviet_sortie_needs_a_five(die: int, may: bool) -> None:
    """16.1, R42 (E62) On 5 or 6 it may leave port, to the Baltic alone; on 4 it may not, but may be
    repaired."""
    rig = chart(
        "soviet_rolls",
        {"marat": "leningrad", "hood": "england"},
        turn=3,
        damage={"marat": 1},
        dice=(die,),
    )

    assert happened(rig, SovietRolled) == [SovietRolled("marat", die, may)]
    if may:
        assert seas(rig, "allied", "marat") == {"leningrad", "baltic_sea"}
    else:
        assert rig.refused("allied", "sail", "marat").rule == "16.1"
    rig.do("allied", "repair", "marat", 1)


def test_16_1_it_rolls_again_every_turn() -> None:
    """16.1 (E62) The permission is for one turn."""
    rig = chart(
        "begin_turn",
        {"marat": "leningrad"},
        turn=3,
        changes={"marat": {"may_sail": True}},
        dice=(1,),
    )

    assert rig.state.ships["marat"].may_sail is False


def test_16_1_the_soviets_roll_every_turn_from_the_third_on() -> None:
    """16.1, R42 Nothing before turn 3; each ship has its own die; the one that returned from the
    Baltic rolls again."""
    rig = Rig(RULES, PACK, seed=3)
    rig.do("allied", "done")
    events: list[Any] = list(rig.events)
    rolls = []
    for turn in (2, 3, 4):
        events = quiet(rig, turn)
        rolls.append([event.ship for event in events if type(event) is SovietRolled])
    assert rolls == [
        [],
        ["marat", "oktyabrskaya_revolutsiya"],
        ["marat", "oktyabrskaya_revolutsiya"],
    ]


def test_16_1_marat_takes_the_baltic() -> None:
    """16.1, 12.1, R42 Turn 3: Marat rolls 5 and sails, its sister 4 and may not. A point for the
    Baltic; back to Leningrad, and both roll again on turn 4."""
    sister = "oktyabrskaya_revolutsiya"
    rig = chart(
        "soviet_rolls", {"marat": "leningrad", sister: "leningrad"}, turn=3, dice=(5, 4, 1, 2)
    )
    assert happened(rig, SovietRolled) == [
        SovietRolled("marat", 5, True),
        SovietRolled(sister, 4, False),
    ]
    assert rig.options("allied", "sail") == ("marat",)
    assert rig.refused("allied", "sail", sister).rule == "16.1"
    rig.do("allied", "sail", "marat", BAL)
    rig.do("allied", "done")
    rig.do("allied", "pass")
    rig.do("axis", "pass")

    assert happened(rig, Scored) == [Scored(3, (1, 0, 0), (0, 0, 0), -1)]
    assert happened(rig, SovietRolled) == [
        SovietRolled("marat", 1, False),
        SovietRolled(sister, 2, False),
    ]
    assert place(rig, "marat") == "leningrad"


def test_16_1_a_soviet_ship_that_may_leave_need_not() -> None:
    """16.1 On 5 or 6 it may stay, and be repaired; repaired it stays (15.1)."""
    rig = chart("soviet_rolls", {"marat": "leningrad"}, turn=3, damage={"marat": 1}, dice=(6,))
    rig.do("allied", "repair", "marat", 1)

    assert rig.refused("allied", "sail", "marat").rule == "15.1"


# --- 16.2 -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("turn", "die", "joins"),
    [
        (4, 6, True),
        (4, 5, False),
        (5, 5, True),
        (5, 4, False),
        (6, 4, True),
        (7, 3, True),
        (8, 2, True),
        (8, 1, False),
    ],
)
def test_16_2_american_ships_join_by_the_turn(turn: int, die: int, joins: bool) -> None:
    """16.2, R42 6 on turn 4, one less each turn; a ship that joins may sail at once, to the North
    Atlantic alone."""
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


@pytest.mark.parametrize(
    ("turn", "needed"), [(1, 7), (2, 7), (3, 7), (4, 6), (5, 5), (6, 4), (7, 3), (8, 2)]
)
def test_16_2_the_die_that_joins_by_turn(turn: int, needed: int) -> None:
    """16.2 (E63) No roll before turn 4; then 6, 5, 4, 3, 2 or more."""
    for die in range(1, 7):
        rig = chart(
            "american_rolls",
            {"augusta": POOL, "hood": "england"},
            turn=turn,
            dice=(die,) if needed < 7 else (),
        )
        assert [event.joins for event in happened(rig, AmericanRolled)] == (
            [die >= needed] if needed < 7 else []
        )
        assert place(rig, "augusta") == ("usa" if needed < 7 and die >= needed else POOL)


def test_16_2_the_americans_of_turn_5_roll_before_the_soviets() -> None:
    """16.1, 16.2, R3, R42 Turn 5 needs 5: Washington joins and may sail, Augusta on 4 does not and
    is nowhere; Marat rolls after them."""
    rig = chart(
        "american_rolls",
        {"washington": POOL, "augusta": POOL, "marat": "leningrad"},
        turn=5,
        dice=(5, 4, 6),
    )

    assert happened(rig, AmericanRolled) == [
        AmericanRolled("washington", 5, True),
        AmericanRolled("augusta", 4, False),
    ]
    assert happened(rig, SovietRolled) == [SovietRolled("marat", 6, True)]
    assert set(rig.options("allied", "sail")) == {"washington", "marat"}
    assert rig.refused("allied", "sail", "augusta").rule == "16.2"
    rig.do("allied", "sail", "washington", NA)
    rig.do("allied", "done")
    rig.do("allied", "pass")
    rig.dice(6, 1)
    rig.do("axis", "pass")
    assert happened(rig, Scored) == [Scored(5, (1, 0, 0), (0, 0, 0), -1)]
    assert place(rig, "washington") == "usa"
    assert happened(rig, AmericanRolled) == [AmericanRolled("augusta", 6, True)], (
        "who has joined rolls no more"
    )


# --- 16.3 -----------------------------------------------------------------------------------------


def test_16_3_italian_battleships_stay_in_the_mediterranean() -> None:
    """16.3, R60 Battleships stay in the Mediterranean; cruisers go as far as the Atlantic."""
    rig = chart("axis_sail", {"littorio": "italy", "zara": "italy"}, turn=2)

    assert seas(rig, "axis", "littorio") == {"italy", "mediterranean"}
    assert seas(rig, "axis", "zara") == {"italy", "mediterranean", "south_atlantic"}


# --- 16.4 -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("held", "spared"),
    [((2, 3, 4, 5), True), ((1, 2, 3, 5, 6, 7), False), ((4, 5, 6, 7), True), ((), False)],
)
def test_16_4_four_turns_running(held: tuple[int, ...], spared: bool) -> None:
    """16.4, R39 (E64) Only four consecutive turns of Axis control spare the Italians."""
    rig = chart("deploy", {})
    state = rig.state
    for turn in range(1, 8):
        state = after[ControlPlaced](
            state, ControlPlaced((("mediterranean", "axis" if turn in held else ""),))
        )

    assert state.med_held is spared


def test_16_4_a_die_says_whom_italian_ships_join() -> None:
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


@pytest.mark.parametrize(
    ("where", "die", "fate", "ends"),
    [
        ("italy", 1, "uk", "malta"),
        ("italy", 2, "uk", "malta"),
        ("italy", 3, "scuttled", "removed"),
        ("italy", 4, "scuttled", "removed"),
        ("italy", 5, "de", "italy"),
        ("italy", 6, "de", "italy"),
        ("south_america", 2, "uk", "south_america"),
        ("south_america", 4, "scuttled", "removed"),
        ("south_america", 5, "de", "south_america"),
    ],
)
def test_16_4_every_outcome_of_the_italian_check(
    where: str, die: int, fate: str, ends: str
) -> None:
    """16.4, R40 1–2 Allied, 3–4 scuttled, 5–6 German; an Allied ship cannot lie in Italy, in South
    America it can."""
    rig = chart(
        "begin_turn", {"zara": where, "hood": "england"}, turn=7, damage={"zara": 1}, dice=(die,)
    )

    assert [event.fate for event in happened(rig, ItalianRolled)] == [fate]
    assert place(rig, "zara") == ends
    assert rig.state.ships["zara"].damage == 1


def test_16_4_four_turns_of_axis_control_are_counted_by_play() -> None:
    """16.4, R39 Littorio alone in the Mediterranean on turns 4 to 7: no dice on turn 8. On turns 5
    to 7 only: one."""
    for first, spared in ((4, True), (5, False)):
        rig = chart("begin_turn", {"littorio": "italy"}, turn=first - 1)
        for turn in range(first, 8):
            rig.do("axis", "sail", "littorio", "mediterranean")
            if turn == 7 and not spared:
                rig.dice(6)
            quiet(rig, turn + 1)
        assert rig.state.turn == 8
        assert rig.state.med_held is spared
        assert rig.state.ships["littorio"].nation == ("it" if spared else "de")


def test_16_4_the_spoils_of_turn_8() -> None:
    """15.1, 15.6, 16.4, 17.4, R40 Andrea Doria, damaged, falls to the Allies, lies in Malta and is
    repaired by two; Zara is scuttled; Pola in South America falls to them too, and left there costs
    them a point: the Axis wins by one."""
    ships = {"andrea_doria": "italy", "zara": "italy", "pola": "south_america"}
    rig = chart("italian_check", ships, turn=8, damage={"andrea_doria": 3}, dice=(1, 4, 2))
    assert happened(rig, ItalianRolled) == [
        ItalianRolled("andrea_doria", 1, "uk", "malta"),
        ItalianRolled("zara", 4, "scuttled", ""),
        ItalianRolled("pola", 2, "uk", "south_america"),
    ]
    assert rig.refused("allied", "repair", "pola").rule == "15.1"
    rig.do("allied", "repair", "andrea_doria", 2)
    assert rig.state.ships["andrea_doria"].damage == 1
    pass_on(rig)

    assert happened(rig, Scored) == [Scored(8, (0, 0, 1), (0, 0, 0), 1)]
    assert rig.position.outcome is not None and rig.position.outcome.winner == "axis"


def test_16_4_a_ship_taken_over_in_the_neutral_port_still_has_to_leave() -> None:
    """15.6, 16.4, R37, R40 It began the turn there: if its new owner leaves it, he pays."""
    rig = chart("begin_turn", {"zara": "south_america", "hood": "england"}, turn=7, dice=(1,))
    rig.do("allied", "done")
    events = quiet(rig, 9)

    assert scores(events) == [(1, 0)]


# --- 16.5 -----------------------------------------------------------------------------------------


def test_16_5_a_german_littorio_gets_no_bonus() -> None:
    """16.5, R21, R40 (E65) It follows German limits, rolls with speed 6, and gets no bonus."""
    rig = chart("axis_sail", {"littorio": "italy"}, turn=8, changes={"littorio": {"nation": "de"}})

    assert rig.state.ships["littorio"].bonus_now == 0
    rig.do("axis", "sail", "littorio", "mediterranean", "south_atlantic")
    rig.dice(5)
    rig.do("axis", "done")
    assert place(rig, "littorio") == "south_atlantic"


def test_16_5_zara_in_british_hands_goes_where_british_ships_go() -> None:
    """16.3, 16.5 No Italian limit binds it any more: the Barents Sea by way of the North Atlantic,
    and not the Baltic."""
    rig = chart("allied_sail", {"zara": "england"}, turn=8, changes={"zara": {"nation": "uk"}})

    assert seas(rig, "allied", "zara") == {
        "england",
        "north_sea",
        "north_atlantic",
        "south_atlantic",
        "barents_sea",
        "mediterranean",
    }


def test_16_5_littorio_in_german_hands_enters_the_baltic() -> None:
    """6.4, 16.5 German limits: from Italy two areas; a ship of speed 6 in Germany would reach the
    Baltic."""
    rig = chart(
        "axis_sail", {"littorio": "germany"}, turn=8, changes={"littorio": {"nation": "de"}}
    )

    assert "baltic_sea" in seas(rig, "axis", "littorio")


@pytest.mark.parametrize(
    ("nation", "start", "ports"),
    [
        ("uk", "malta", {"malta", "england", "south_america"}),
        ("de", "italy", {"italy", "south_america"}),
    ],
)
def test_16_5_a_taken_over_ship_fails_like_its_new_nation(
    nation: str, start: str, ports: set[str]
) -> None:
    """6.2, 16.5, R40 Littorio in Allied or German hands on turn 8 has the refuges of those."""
    seat = "allied" if nation == "uk" else "axis"
    rig = chart(
        f"{seat}_sail", {"littorio": start}, turn=8, changes={"littorio": {"nation": nation}}
    )

    rig.do(seat, "sail", "littorio", "mediterranean", "south_atlantic")
    rig.dice(6)
    rig.do(seat, "done")
    assert set(rig.options(seat, "put_back")) - {"littorio"} == ports


def test_16_5_a_cruiser_taken_by_germany_leaves_the_mediterranean_for_the_north_sea() -> None:
    """16.3, 16.4, 16.5 Zara in South America falls to Germany on turn 8: it may now sail into the
    North Sea, holds it, and goes home to Germany."""
    rig = chart("italian_check", {"zara": "south_america"}, turn=8, dice=(6,))
    rig.do("axis", "sail", "zara", SA, NS)
    rig.dice(6)
    rig.do("axis", "done")
    rig.do("axis", "pass")
    rig.do("allied", "pass")
    rig.do("axis", "pass")

    assert happened(rig, Scored) == [Scored(8, (0, 0, 0), (4, 0, 0), 4)]
    assert place(rig, "zara") == "germany"
