"""OCS 13.7: formation markers."""

import pytest

from tests.audience.test_secrets_stay_secret import masked_record
from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, put
from tests.rules.hungarian_rhapsody.gathering import HERE, RIFLES, THERE, moving, seen, under
from tests.rules.hungarian_rhapsody.table import at
from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.ch09_combat import losses
from warledger.engine.games.ocs.series.state import State, changed, placed
from warledger.engine.kernel.change import replace
from warledger.engine.testing.rig import Rig
from warledger.protocol.audience import entitled
from warledger.protocol.chance.seal import pack_openings

PANZERS, GRENADIERS, LORRIES, RECON = "ax.fhh.pz2", "ax.fhh.pga", "ax.fhh.pgb", "ax.fhh.rec"
TRUCK, TIGERS, GUNS = "ax.fhh.truck", "ax.tgr.503", "ax.ag.228"


@pytest.mark.parametrize("mode", ["open", "strict"])
def test_13_7_units_enter_and_leave_without_cost(mode: str) -> None:
    """OCS 13.7 Units of a formation in one hex enter its marker and leave it, whatever their modes
    and supply, and nothing is spent, moved or finished by that; the last one takes it off."""
    rig = moving(PANZERS, GRENADIERS, TRUCK, fog=mode)
    rig.state = put(put(rig.state, PANZERS, move_side=True), GRENADIERS, oos=True)
    units = rig.state.units
    rig.do(AXIS, "gather", "fhh", PANZERS, GRENADIERS)
    rig.do(AXIS, "gather", "fhh", TRUCK)
    assert under(rig.state) == (GRENADIERS, PANZERS, TRUCK)
    rig.do(AXIS, "leave", "fhh", PANZERS, TRUCK)
    assert under(rig.state) == (GRENADIERS,)
    assert rig.options(AXIS, "leave", "fhh") == (GRENADIERS,)
    rig.do(AXIS, "leave", "fhh", GRENADIERS)
    assert not rig.state.gathered
    assert rig.state.units == units and rig.state.spent_sp[AXIS] == 0


def test_13_7_nobody_has_to_enter() -> None:
    """OCS 13.7 A unit of the formation in the marker's hex may stay outside it; who is in another
    hex, under the marker already or of no formation cannot enter."""
    rig = moving(PANZERS, GRENADIERS, TIGERS)
    rig.state = placed(rig.state, [RECON], rig.state.charts.board.hex(THERE))
    rig.do(AXIS, "gather", "fhh", PANZERS)
    assert rig.options(AXIS, "gather", "fhh") == (GRENADIERS,)
    refused = {
        RECON: "refusal.ocs.not_in_marker_hex",
        PANZERS: "refusal.ocs.under_a_marker",
        TIGERS: "refusal.ocs.not_of_formation",
        RIFLES: "refusal.ocs.not_your_unit",
        LORRIES: "refusal.ocs.not_on_map",
    }
    for name, key in refused.items():
        found = rig.refused(AXIS, "gather", "fhh", name)
        assert (found.rule, found.key) == ("OCS 13.7", key), name
    assert rig.refused(AXIS, "gather", "2gmc").key == "refusal.ocs.not_gathered_now"
    assert rig.refused(AXIS, "leave", "23pz").key == "refusal.ocs.no_marker_on_map"
    assert rig.refused(AXIS, "leave", "fhh", GRENADIERS).key == "refusal.ocs.not_under_marker"
    assert rig.refused(AXIS, "move", "23pz").key == "refusal.ocs.marker_cannot_move"


def test_13_7_the_marker_moves_as_its_units_do() -> None:
    """OCS 13.7, 6.1 `move FORMATION` moves all for whom the marker stands, and it goes with them;
    others of the hex stay. `fuel` pays for the formation as ever (12.5c)."""
    rig = moving(PANZERS, GRENADIERS, RECON)
    rig.do(AXIS, "gather", "fhh", PANZERS, GRENADIERS)
    rig.do(AXIS, "fuel", "fhh")
    rig.do(AXIS, "auto")
    rig.do(AXIS, "move", "fhh", THERE)
    assert (at(rig, PANZERS), at(rig, GRENADIERS), at(rig, RECON)) == (THERE, THERE, HERE)
    assert under(rig.state) == (GRENADIERS, PANZERS)
    assert rig.state.gathered["fhh"].at == rig.state.charts.board.hex(THERE)
    # Under way it goes on, and is offered as long as it can.
    assert "fhh" in rig.options(AXIS, "move")
    rig.do(AXIS, "move", "fhh", "A26.13")
    assert at(rig, GRENADIERS) == "A26.13"


def test_13_7_who_goes_elsewhere_has_left() -> None:
    """OCS 13.7 Who moves away by itself has left the marker, which stays with the others; ours: it
    goes with the unit of it that the enemy sees, so that nobody hears who stayed."""
    rig = moving(PANZERS, GRENADIERS, RECON)
    rig.do(AXIS, "gather", "fhh", PANZERS, GRENADIERS, RECON)
    state = rig.state
    top = state.tops[state.units[PANZERS].at]
    covered = next(name for name in under(state) if name != top)
    far = state.charts.board.hex(THERE)
    stayed = placed(state, [covered], far).gathered["fhh"]
    assert (stayed.at, covered in stayed.units) == (state.units[top].at, False)
    went = placed(state, [top], far).gathered["fhh"]
    assert (went.at, went.units) == (far, (top,))


def test_13_7_a_marker_goes_with_its_last_unit() -> None:
    """OCS 13.7 One unit at least is under a marker: it stays as units die, and goes with the
    last."""
    rig = moving(PANZERS, GRENADIERS)
    rig.do(AXIS, "gather", "fhh", PANZERS, GRENADIERS)
    for name, left in ((PANZERS, (GRENADIERS,)), (GRENADIERS, ())):
        unit = replace(rig.state.units[name], at=-1, where="box.dead.axis")
        rig.state = changed(rig.state, {name: unit})
        assert under(rig.state) == left
    assert not rig.state.gathered
    assert losses.steps_of(rig.state, RIFLES) == 3


def test_13_7b_the_enemy_sees_the_marker_on_the_shown_unit_alone() -> None:
    """OCS 13.7b, 4.9a Under other combat units the marker is its owner's to see; where it holds the
    only zone it is on top with one of its units."""
    rig = moving(PANZERS, GRENADIERS, TIGERS)
    rig.do(AXIS, "gather", "fhh", PANZERS, GRENADIERS)
    rig.do(AXIS, "top", TIGERS)
    assert seen(rig.state, AXIS) == {PANZERS, GRENADIERS}
    assert seen(rig.state, SOVIET) == seen(rig.state, "") == set()
    # The Tigers lose their zone: a unit under the marker is shown, and the marker with it.
    rig.state = fog.laid(put(rig.state, TIGERS, move_side=True))
    assert len(seen(rig.state, SOVIET)) == 1
    assert seen(rig.state, SOVIET) <= {PANZERS, GRENADIERS}


def test_13_7b_nothing_is_hidden_in_the_open() -> None:
    """OCS 13.7b, 4.9 Under open fog everybody sees whom a marker stands for."""
    rig = moving(PANZERS, GRENADIERS, TIGERS, fog="open")
    rig.do(AXIS, "gather", "fhh", PANZERS, GRENADIERS)
    assert seen(rig.state, SOVIET) == seen(rig.state, "") == {PANZERS, GRENADIERS}


def test_13_7b_who_lies_under_a_covered_marker_is_not_told() -> None:
    """OCS 13.7b, R-15 Whether one covered unit enters, several do or some leave, and which,
    looks the same to the other side: records, their lengths and openings; and so does a move by the
    marker."""

    def played(*enter: str) -> Rig[State]:
        rig = moving(PANZERS, GRENADIERS, RECON, GUNS, "ax.ag.239")
        rig.do(AXIS, "gather", "fhh", *enter)
        rig.do(AXIS, "move", GUNS, enter[0], THERE)
        rig.do(AXIS, "leave", "fhh", enter[-1])
        return rig

    games = [
        played(PANZERS),
        played(GRENADIERS),
        played(PANZERS, GRENADIERS),
        played(RECON, PANZERS),
    ]
    heard = [
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
    assert heard[0] == heard[1] == heard[2] == heard[3]
    assert len({str(rig.choices(SOVIET)) for rig in games}) == 1
