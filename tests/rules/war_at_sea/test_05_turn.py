"""5 The turn: its steps in order, and what comes at its start (R3)."""

import pytest

from tests.rules.war_at_sea.charts import NA, PACK, chart, happened, pass_on, place, quiet
from warledger.engine.games.war_at_sea import RULES
from warledger.engine.games.war_at_sea.state import POOL, TRACK
from warledger.engine.games.war_at_sea.turns import (
    FranceClosed,
    PhaseBegan,
    Reinforced,
    UBoatsArrived,
)
from warledger.engine.testing.rig import Rig

# --- 5.1 reinforcements ---------------------------------------------------------------------------


def test_5_1_the_steps_of_a_turn_in_order() -> None:
    """5.1 – 5.8 Each step of the turn begins in the order of the rule book."""
    rig = Rig(RULES, PACK)
    phases: list[str] = []

    def note() -> None:
        phases.extend(event.phase for event in happened(rig, PhaseBegan))

    rig.do("allied", "done")
    note()
    while rig.state.turn == 1:
        seat = next(iter(rig.asked()))
        verb = next(verb for verb in ("return", "done", "pass") if verb in rig.options(seat))
        rig.do(seat, *((verb, rig.options(seat, verb)[0]) if verb == "return" else (verb,)))
        note()
    assert phases[:9] == [
        "reinforcements",
        "movement",
        "uboats",
        "airstrike_markers",
        "combat",
        "control",
        "return",
        "scoring",
        "reinforcements",
    ]


def test_5_1_reinforcements_come_to_their_own_country() -> None:
    """4.3, 5.1 British to England, German to Germany; Americans wait (R42); the boats of the turn
    come too."""
    rig = chart(
        "begin_turn", dict.fromkeys(("king_george_v", "bismarck", "formidable"), TRACK), turn=1
    )

    assert happened(rig, Reinforced) == [
        Reinforced(
            (("king_george_v", "england"), ("formidable", "england"), ("bismarck", "germany"))
        )
    ]
    assert happened(rig, UBoatsArrived) == [UBoatsArrived(("uboat_1",), 0, 0)]
    assert rig.asked() == {"allied": "prompt.war_at_sea.sail"}
    rig.do("allied", "sail", "king_george_v", "north_sea")


def test_5_1_R3_order_at_the_start_of_a_turn() -> None:
    """R3 Turn 7: France closes before the boats come and before anything moves."""
    rig = chart("begin_turn", {"scharnhorst": "france", "bismarck": "germany"}, turn=6)

    kinds = [type(event).__name__ for event in rig.events]
    assert kinds.index("FranceClosed") < kinds.index("UBoatsArrived")
    assert happened(rig, FranceClosed) == [FranceClosed(("scharnhorst",))]


def test_5_1_what_comes_and_where_over_the_game() -> None:
    """4.2, 4.3, 5.1, 16.2 Each turn's reinforcements go to their own country, the Americans into
    their pool."""
    rig = Rig(RULES, PACK, seed=4)
    rig.do("allied", "done")
    homes = {
        "uk": "england",
        "us": POOL,
        "su": "leningrad",
        "de": "germany",
        "it": "italy",
        "convoy": "usa",
    }
    arrivals: dict[int, int] = {}
    for turn in range(2, 9):
        for event in quiet(rig, turn):
            if type(event) is Reinforced:
                for name, where in event.ships:
                    assert where == homes[rig.state.data.counters[name].nation]
                    assert rig.state.data.counters[name].arrival == turn
                arrivals[turn] = len(event.ships)
    assert arrivals == {2: 5, 3: 6, 4: 11, 5: 2}


def test_5_1_a_convoy_and_soviet_ships_come_on_turn_3() -> None:
    """4.3, 13.1, 16.1 Convoy 1A to the USA, the Soviets to Leningrad."""
    rig = chart("begin_turn", {"convoy_1a": TRACK, "marat": TRACK}, turn=2, dice=(1,))

    assert (place(rig, "convoy_1a"), place(rig, "marat")) == ("usa", "leningrad")


# --- 5.7 ------------------------------------------------------------------------------------------


def test_5_7_axis_returns_first_and_a_fleet_by_one_line() -> None:
    """5.7, 12.3, R30 The Axis first; ships with one port go by themselves, a fleet by one command,
    each ship freely."""
    rig = chart(
        "axis_return_without_choice",
        {
            "nelson": "north_atlantic",
            "hood": "north_atlantic",
            "eagle": "mediterranean",
            "scharnhorst": "north_atlantic",
            "lutzow": "north_sea",
        },
        turn=3,
    )

    assert rig.asked() == {"axis": "prompt.war_at_sea.return"}
    assert place(rig, "lutzow") == "germany"
    assert set(rig.options("axis", "return")) == {"germany", "france", "scharnhorst"}
    assert rig.refused("axis", "return", "scharnhorst", "england").rule == "2.2"
    rig.do("axis", "return", "scharnhorst", "france")
    assert rig.asked() == {"allied": "prompt.war_at_sea.return"}
    assert rig.refused("allied", "done").key == "refusal.war_at_sea.must_return"
    rig.do("allied", "return", "nelson", "usa")
    rig.do("allied", "return", "hood", "eagle", "england")
    assert [place(rig, ship) for ship in ("scharnhorst", "nelson", "hood", "eagle")] == [
        "france",
        "usa",
        "england",
        "england",
    ]


# --- 5.8 ------------------------------------------------------------------------------------------


def test_5_8_the_game_ends_after_turn_8() -> None:
    """5.8, 17.4 After turn 8 the outcome is there and nobody is asked."""
    rig = chart("begin_turn", {"hood": "england"}, turn=7, med_held=True, score=3)

    pass_on(rig)
    assert rig.position.outcome is not None
    assert rig.position.outcome.winner == "axis"
    assert rig.submit("allied", "done").key == "refusal.game_over"  # type: ignore[union-attr]


# --- 5.a ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("step", "seat", "verb", "rule"),
    [
        ("place_uboats", "axis", "sail", "8.1"),
        ("allied_air", "allied", "sail", "9.1"),
        ("allied_sail", "allied", "place", "6.3"),
        ("convoy_in_atlantic", "allied", "sail", "13.2"),
        ("deploy", "allied", "sail", "4.3"),
    ],
)
def test_5_a_verb_of_another_step(step: str, seat: str, verb: str, rule: str) -> None:
    """5.1 – 5.8 What belongs to another step of the turn is refused with the clause of what is
    asked now."""
    rig = chart(step, {"hood": "england", "convoy_1a": NA}, turn=4, boats={"germany": 1})

    refusal = rig.refused(seat, verb)
    assert (refusal.rule, refusal.key) == (rule, "refusal.not_offered")
