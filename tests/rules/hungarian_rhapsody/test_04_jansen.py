"""HR 4.0f: Jansen fuel, 1T for a formation that keeps away from the enemy."""

import pytest

from tests.audience.test_secrets_stay_secret import masked_record
from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, put, stand
from tests.rules.hungarian_rhapsody.sparing import jansen, moving, near
from tests.rules.hungarian_rhapsody.table import at, at_table, fed
from warledger.engine.games.hungarian_rhapsody.supply import JANSEN
from warledger.engine.games.ocs.ch06_movement import movement_range
from warledger.engine.games.ocs.series.state import State
from warledger.engine.kernel.change import replace
from warledger.engine.testing.rig import Rig
from warledger.protocol.audience import entitled
from warledger.protocol.chance.seal import pack_openings

PANZERS, GRENADIERS, RECON, LORRIES = "ax.fhh.pz2", "ax.fhh.pga", "ax.fhh.rec", "ax.fhh.pgb"
TRUCK, GUARDS, SOVIET_TRUCK = "ax.fhh.truck", "su.gd.81", "su.2gmc.truck"


@pytest.mark.parametrize("fog", ["open", "strict"])
def test_4_0f_1t_moves_a_formation(fog: str) -> None:
    """HR 4.0f 1T fuels all units of a formation for their moves in this phase; with 1T at hand the
    series' own fuel for 4T cannot be had."""
    rig = moving({PANZERS: "A26.10", GRENADIERS: "A26.10"}, fog=fog)
    assert rig.options(AXIS, "fuel", "fhh") == ("sparing",)
    jansen(rig)
    rig.do(AXIS, "move", PANZERS, "A26.12")
    rig.do(AXIS, "move", GRENADIERS, "A26.11")

    assert (at(rig, PANZERS), at(rig, GRENADIERS)) == ("A26.12", "A26.11")
    assert rig.state.spent_sp[AXIS] == 1
    assert rig.state.supply[AXIS] == {}


def test_4_0f_is_an_option() -> None:
    """HR 4.0f Without the option a formation's fuel is 1 SP, and nothing else is on offer."""
    rig = at_table(fed(stand({PANZERS: "A26.10"}), 4, "A26.09"), "moving")
    assert rig.options(AXIS, "fuel", "fhh") == ()
    assert rig.refused(AXIS, "fuel", "fhh", "sparing").rule


def test_4_0f_a_road_costs_a_point() -> None:
    """HR 4.0f A hex of road costs 1 MP, not a half, and still lifts the terrain; off roads all
    costs as ever."""
    rig = moving({PANZERS: "A26.09", RECON: "A26.09"}, 4)
    board = rig.state.charts.board
    half = rig.state.charts.parts // 2
    road, field = board.hex("A27.10"), board.hex("A26.10")
    assert movement_range.can_go(rig.state, PANZERS).cost(road) == half
    before = movement_range.can_go(rig.state, PANZERS)
    jansen(rig)

    after = movement_range.can_go(rig.state, PANZERS)
    assert after.cost(road) == rig.state.charts.parts
    assert after.cost(field) == before.cost(field)
    # In Move mode it does not use it, and takes the road at its rate.
    flipped = put(rig.state, PANZERS, move_side=True)
    assert movement_range.can_go(flipped, PANZERS).cost(road) == half


def test_4_0f_mud_still_counts() -> None:
    """HR 4.0f What weather makes a road cost more than a point stays so."""
    state = moving({PANZERS: "A26.09"}, 4).state
    printed = state.charts.printed
    dear = [
        name
        for name, one in printed.weather.items()
        if one.road is not None and one.road > printed.parts
    ]
    for ground in dear:
        rig = at_table(replace(state, ground=ground), "moving", on=(JANSEN,))
        road = rig.state.charts.board.hex("A27.10")
        before = movement_range.can_go(rig.state, PANZERS).cost(road)
        jansen(rig)
        assert movement_range.can_go(rig.state, PANZERS).cost(road) == before


def test_4_0f_not_next_to_the_enemy() -> None:
    """HR 4.0f A unit neither goes to nor past a hex next to an enemy unit, whether that has a zone
    or not; a lorry is an enemy unit too."""
    rig = moving({PANZERS: "A26.09", GUARDS: "A26.13", SOVIET_TRUCK: "A28.10"}, 4)
    rig.state = put(rig.state, GUARDS, move_side=True)
    jansen(rig)

    refused = rig.refused(AXIS, "move", PANZERS, "A26.12")
    assert (refused.rule, refused.key) == ("HR 4.0f", "refusal.ocs.sparing_beside_enemy")
    assert rig.refused(AXIS, "move", PANZERS, "A27.10").rule == "HR 4.0f"
    beside = {i for one in ("A26.13", "A28.10") for i in near(rig.state, one)}
    reached = set(movement_range.can_go(rig.state, PANZERS).hexes())
    assert reached
    assert not reached & beside


def test_4_0f_who_starts_beside_the_enemy_pays_singly() -> None:
    """HR 4.0f, OCS 12.5c(C) A unit that starts next to an enemy does not use it and pays 1T; so
    does one that changes to Move mode, and one whose owner has it fuelled singly."""
    rig = moving({PANZERS: "A26.12", GRENADIERS: "A26.09", RECON: "A26.09", GUARDS: "A26.13"}, 4)
    jansen(rig)
    rig.do(AXIS, "move", PANZERS, "A26.11")
    assert rig.state.spent_sp[AXIS] == 2
    rig.do(AXIS, "move", GRENADIERS, "move", "A26.08")
    assert rig.state.spent_sp[AXIS] == 3
    rig.do(AXIS, "fuel", RECON)
    rig.do(AXIS, "auto")
    rig.do(AXIS, "move", RECON, "A26.12")
    assert at(rig, RECON) == "A26.12"
    assert rig.state.spent_sp[AXIS] == 4


def test_4_0f_the_terms_hold_for_the_whole_phase() -> None:
    """HR 4.0f A unit that has begun to move on it goes on by its terms, wherever its source is
    left behind, and cannot be fuelled otherwise in this phase."""
    rig = moving({PANZERS: "A26.10", GUARDS: "A26.16"}, 4)
    jansen(rig)
    rig.do(AXIS, "move", PANZERS, "A26.13")
    assert "fuel" not in rig.options(AXIS)
    assert rig.refused(AXIS, "move", PANZERS, "A26.15").rule == "HR 4.0f"
    rig.do(AXIS, "move", PANZERS, "A26.12", "A26.13")
    assert rig.state.spent_sp[AXIS] == 1


def test_4_0f_no_overrun_on_it() -> None:
    """HR 4.0f An overrun is made from next to an enemy: a unit that stands there pays for fuel by
    itself; one that has moved on Jansen fuel makes none."""
    rig = moving({PANZERS: "A26.12", GRENADIERS: "A26.09", GUARDS: "A26.13"}, 8)
    jansen(rig)
    rig.do(AXIS, "overrun", "A26.13", PANZERS)
    assert rig.state.spent_sp[AXIS] == 2
    assert PANZERS not in rig.state.phase_use.sparing

    rig = moving({PANZERS: "A26.10", GUARDS: "A26.14"}, 8)
    jansen(rig)
    rig.do(AXIS, "move", PANZERS, "A26.12")
    # The enemy comes nearer by a retreat.
    rig.state = put(rig.state, GUARDS, at=rig.state.charts.board.hex("A26.13"))
    assert rig.refused(AXIS, "overrun", "A26.13", PANZERS).rule


@pytest.mark.parametrize(("segment", "phasing"), [("e1", SOVIET), ("g1", AXIS)])
def test_4_0f_in_the_movement_phase_alone(segment: str, phasing: str) -> None:
    """HR 4.0f Neither in the Reaction nor in the Exploitation Phase."""
    state = put(fed(stand({PANZERS: "A26.10"}), 8, "A26.09"), PANZERS, released=True)
    rig = at_table(state, "moving", segment=segment, phasing=phasing, on=(JANSEN,))
    assert rig.options(AXIS, "fuel", "fhh") == ()


def test_4_0f_it_ends_with_the_phase() -> None:
    """HR 4.0f, OCS 12.5c The formation is not fuelled until Clean Up."""
    rig = moving({PANZERS: "A26.10"}, 4)
    jansen(rig)
    assert rig.state.fuelled_formations == frozenset()
    assert rig.state.phase_use.sparing == {"fhh"}


def test_4_0f_costs_four_times_as_much_west_of_the_yellow_line() -> None:
    """HR 3.1f, 4.0f For the Soviets it is 4T there."""
    state = fed(stand({"su.2gmc.b4": "A26.07"}, ground="dry"), 4, "A26.08", SOVIET)
    rig = at_table(state, "moving", phasing=SOVIET, on=(JANSEN,))
    rig.do(SOVIET, "fuel", "2gmc", "sparing")
    rig.do(SOVIET, "auto")
    assert rig.state.spent_sp[SOVIET] == 4


def test_4_0f_the_enemy_does_not_hear_of_it() -> None:
    """HR 4.0f, OCS 4.9, R-15 A formation fuelled so, at the full price or not at all looks the
    same to the other side: records, their lengths and openings, and the question after them."""

    def played(how: tuple[str, ...], pays: str) -> Rig[State]:
        rig = moving({PANZERS: "A26.10", GUARDS: "A26.16"}, 8, "strict")
        rig.do(AXIS, "fuel", "fhh", *how)
        rig.do(AXIS, pays)
        rig.do(AXIS, "move", PANZERS, "A26.11")
        rig.do(AXIS, "move", PANZERS, "A26.12")
        return rig

    games = [played(("sparing",), "auto"), played((), "auto"), played(("sparing",), "unpaid")]
    seen = [
        [
            (
                masked_record(record),
                len(record.data),
                pack_openings(entitled(rig.openings.get(record.seq, ()), SOVIET)),
            )
            for record in rig.records
        ]
        for rig in games
    ]
    assert [rig.state.spent_sp[AXIS] for rig in games] == [1, 4, 1]
    assert [rig.state.phase_use.sparing for rig in games] == [{"fhh", PANZERS}, set(), set()]
    assert seen[0] == seen[1] == seen[2]
    assert len({str(rig.choices(SOVIET)) for rig in games}) == 1
