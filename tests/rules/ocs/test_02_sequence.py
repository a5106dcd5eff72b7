"""OCS 2.2, 2.3, 17: the turn table, the first player, the weather."""

from collections.abc import Mapping
from typing import Any

import pytest

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, pack, start
from tests.rules.ocs.play import Chapters
from warledger.engine.games.ocs.ch02_sequence import segments
from warledger.engine.games.ocs.ch17_weather import weather
from warledger.engine.games.ocs.series import events as e
from warledger.engine.games.ocs.series.state import DG, State
from warledger.engine.kernel.change import replace
from warledger.engine.testing.rig import Rig

LETTERS = ["a", "b", "c1", "c2", "c3", "d", "e1", "e2", "f1", "f2", "g1", "g2", "g3", "h"]


class Turns(Chapters):
    """The turn table with nothing in its segments but Clean Up."""

    sequences: Mapping[str, tuple[str, ...]] = {
        **segments.sequences({"h": ("clean_up",)}),
        "game": ("turns", "end_scenario", "idle"),
    }


def game(state: State) -> Rig[State]:
    """A rig that has not begun to play: `jump("turns")` starts it."""
    return Rig(Turns(state, segments, weather), pack(), seed=1)


def test_2_3_a_whole_scenario_of_turns() -> None:
    """OCS 2.1, 2.3 Three turns of Südwind: both player turns of each, all segments in the strict
    order, the first turn's weather and first player from the scenario, later ones by dice."""
    rig = game(start())
    seen = list(rig.jump("game", "turns"))
    while "first_player" in {frame.name for frame in rig.position.flow}:
        seen += rig.do(next(iter(rig.asked())), "first")

    turns = [one for one in seen if isinstance(one, e.TurnBegun)]
    player_turns = [one for one in seen if isinstance(one, e.PlayerTurnBegun)]
    order = [one.segment for one in seen if isinstance(one, e.SegmentBegun)]
    rolled = [one for one in seen if isinstance(one, segments.InitiativeRolled)]
    weathers = [one for one in seen if isinstance(one, e.WeatherSet)]
    assert [one.turn for one in turns] == [40, 41, 42]
    assert order == LETTERS * 6
    assert [one.side for one in player_turns[:2]] == [AXIS, SOVIET]
    assert {one.side for one in player_turns[2:4]} == {AXIS, SOVIET}
    assert weathers[0] == e.WeatherSet("freeze", "limited")
    assert len(weathers) == 3
    assert len(rolled) >= 2


@pytest.mark.parametrize(
    ("dice", "winner", "verb", "first"),
    [
        ((6, 5, 1, 2), AXIS, "first", AXIS),
        ((6, 5, 1, 2), AXIS, "second", SOVIET),
        ((1, 2, 3, 3), SOVIET, "first", SOVIET),
        ((3, 4, 5, 2, 1, 1, 2, 1), SOVIET, "second", AXIS),
    ],
)
def test_2_3_the_winner_chooses(dice: tuple[int, ...], winner: str, verb: str, first: str) -> None:
    """OCS 2.3 I.2 The higher dice choose to go first or second; ties are rolled again."""
    rig = game(start())
    rig.state = start(turn=41)
    rig.dice(*dice)
    rig.jump("idle", "initiative")

    assert list(rig.asked()) == [winner]
    rig.do(winner, verb)
    assert rig.state.first == first


@pytest.mark.parametrize(
    ("turn", "dice", "ground", "flight"),
    [(41, (1, 1), "mud", "none"), (41, (6, 3), "dry", "limited"), (42, (4, 6), "freeze", "flight")],
)
def test_17_weather_by_the_table_of_the_date(
    turn: int, dice: tuple[int, int], ground: str, flight: str
) -> None:
    """OCS 17, HR 1.1b A die for the ground, then one for flying, on the table of the month."""
    rig = game(start())
    rig.state = start(turn=turn)
    rig.dice(*dice)
    rig.jump("idle", "weather")

    assert (rig.state.ground, rig.state.flight) == (ground, flight)


def test_17_what_weather_allows() -> None:
    """OCS 14.2, 17 Limited weather lets small missions fly in the Movement Phase alone; mud bars
    hip shoots."""
    state = start(segment="c2", flight="limited", ground="mud")

    assert weather.may_fly(state)
    assert not weather.may_fly(replace(state, segment="e1"))
    assert not weather.may_fly(replace(state, segment="f1", flight="flight"))
    assert weather.may_fly(replace(state, segment="g1", flight="flight"))
    assert weather.most_aircraft(state, 4) == 2
    assert weather.most_aircraft(replace(state, flight="flight"), 4) == 4
    assert not weather.may_hip_shoot(state)


def test_2_3_clean_up_is_the_phasing_sides() -> None:
    """OCS 2.3 H Clean Up is for the phasing side."""
    state = start(phasing=SOVIET)
    units: Any = {**state.units}
    for name in ("su.gd.81", "ax.inf.44"):
        units[name] = replace(units[name], marker=DG)
    rig = game(state)
    rig.state = replace(state, units=units)
    rig.jump("idle", "clean_up")

    assert rig.state.units["su.gd.81"].marker == ""
    assert rig.state.units["ax.inf.44"].marker == DG


def test_2_3_an_unknown_segment() -> None:
    """OCS 2.3 A title cannot fill a segment that there is not."""
    with pytest.raises(ValueError, match="'x'"):
        segments.sequences({"x": ()})


def test_4_8a_stacking_is_checked_but_after_reinforcement() -> None:
    """OCS 4.8a Every segment ends with the check, but for Reinforcement."""
    made = segments.sequences({}, "overstacked")
    without = [
        name
        for name, steps in made.items()
        if name.startswith("segment_") and "overstacked" not in steps
    ]
    assert without == ["segment_b"]
