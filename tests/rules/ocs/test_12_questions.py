"""OCS 4.8b, 12.3, 12.5, 12.6: what a side may ask about the position while it is asked itself."""

from typing import Any

import pytest

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, put, start
from tests.rules.hungarian_rhapsody.table import at_table
from warledger.engine.board import hexsets
from warledger.engine.games.ocs.ch12_supply import supply_search
from warledger.engine.games.ocs.series.state import DG, LOW, STRAT, State
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.types import Refusal
from warledger.engine.testing.rig import Rig

DIVISION, TIGERS, GUARDS, HQ = "ax.inf.44", "ax.tgr.503", "su.gd.81", "ax.hq.iv"
PANZERS = tuple(f"ax.12ss.{part}" for part in ("art", "pga", "pgb", "pj", "pz1", "pz2", "rec"))

Shown = list[tuple[str, dict[str, Any]]]


def moving(state: State | None = None, fog: str = "strict") -> Rig[State]:
    """Südwind in the Axis Movement segment."""
    rig = at_table(state or start(), fog=fog)
    rig.jump("game", "turns", "game_turn", "player_turn", "segment_c2")
    return rig


def answer(rig: Rig[State], *picks: str) -> Shown:
    """What the Axis is answered."""
    found = rig.preview(AXIS, *picks)
    assert not isinstance(found, Refusal), found
    return [(said.key.removeprefix("preview.ocs."), dict(said.args)) for said in found]


def refused(rig: Rig[State], *picks: str) -> tuple[str, str]:
    """Why the Axis is not answered, and the clause."""
    found = rig.preview(AXIS, *picks)
    assert isinstance(found, Refusal)
    return found.key.removeprefix("refusal.ocs."), found.rule


def test_12_5a_a_leg_unit_needs_no_fuel_and_its_combat_has_a_payer() -> None:
    """OCS 12.5a, 12.6, 9.5 For 44 HD on foot: the HQ by which it traces, no fuel, 3T for its attack
    and 2T for the defence of its hex, out of the dump next to it."""
    said = answer(moving(), "?supply", DIVISION)

    assert [key for key, _ in said] == [
        *("traces_by_hq", "needs_no_fuel", "attack_costs", "at_hand", "defence_costs", "at_hand")
    ]
    assert [args["tokens"] for _, args in said if "tokens" in args] == [3, 3, 2, 2]
    assert {args["what"] for key, args in said if key == "at_hand"} == {"A26.09"}


def test_12_5c_fuel_is_told_until_it_is_paid() -> None:
    """OCS 12.5c Tigers need 1T; once they are fuelled that is told, and without supply that there
    is none."""
    rig = moving()
    state = rig.state
    nothing: dict[str, dict[Any, int]] = {AXIS: {}, SOVIET: {}}
    found = []
    for rig.state in (
        state,
        put(state, TIGERS, fuelled=True),
        replace(put(state, "ax.12ss.truck", load=0), supply=nothing),
    ):
        said = [key for key, _ in answer(rig, "?supply", TIGERS)]
        found += [key for key in said if key in ("fuel", "fuelled", "no_fuel")]

    assert found == ["fuel", "fuelled", "no_fuel"]


def test_12_6_a_unit_that_is_cut_off_hears_it() -> None:
    """OCS 12.6 Who stands behind the enemy's lines has no trace."""
    rig = moving(put(start(), DIVISION, at=start().charts.board.hex("A31.29")))
    assert answer(rig, "?supply", DIVISION)[0] == ("cut", {"unit": DIVISION})


def test_12_6_transport_needs_no_supply() -> None:
    """OCS 12.6 A truck neither traces nor is fuelled."""
    assert [key for key, _ in answer(moving(), "?supply", "ax.12ss.truck")] == ["needs_no_supply"]


def test_12_3b_a_throw_tells_its_hexes_dumps_and_units() -> None:
    """OCS 12.3b An HQ's throw: the very hexes that payments are offered in, the dump in its draw,
    and each hex with units that it serves, by a path that begins at the HQ and ends beside it."""
    rig = moving()
    board, state = rig.state.charts.board, rig.state
    (first, *rest, last) = answer(rig, "?throw", HQ)

    reached = {board.name(i) for i in hexsets.listed(supply_search.throws(state, HQ).touching)}
    assert first[0] == "throws" and set(last[1]["hexes"]) == reached
    assert first[1]["range"] == 10 and first[1]["n"] == len(reached)
    assert rest[0] == ("throw_draws", {"hex": "A26.09", "tokens": 52, "path": ("A26.09",)})
    served = [args for key, args in rest if key == "throw_serves"]
    assert (DIVISION, TIGERS) in [args["units"] for args in served]
    for args in served:
        goal, end = board.hex(args["hex"]), board.hex(args["path"][-1])
        assert args["path"][0] == "A26.09" and args["hex"] in reached
        assert goal == end or hexsets.has(board.near[goal], end)
        assert all(hexsets.has(board.near[board.hex(a)], board.hex(b)) for a, b in steps(args))


def steps(args: dict[str, Any]) -> list[tuple[str, str]]:
    """The steps of a path."""
    return list(zip(args["path"], args["path"][1:], strict=False))


def test_12_3b_an_hq_in_strat_mode_throws_nothing() -> None:
    """OCS 12.3b It is told so."""
    assert answer(moving(put(start(), HQ, marker=STRAT)), "?throw", HQ) == [
        ("throws_nothing", {"hq": HQ})
    ]


def lying(rig: Rig[State], at: str) -> list[str]:
    """A stack from the top down: markers, units, and things by their kind."""
    return [
        str(args.get("marker") or args.get("unit") or args["thing"][0])
        for _, args in answer(rig, "?stack", at)
    ]


def test_4_8b_markers_lie_on_the_units_that_they_cover() -> None:
    """OCS 4.8b A-C The unit with a zone lies on top, then those without a marker, then each marker
    above its units; steps lost and stocks lie under theirs; transport and its load at the
    bottom."""
    art, pga, pgb, pj, pz1, *others = PANZERS
    state = put(put(start(), pgb, marker=DG), pj, marker=DG, oos=True)
    state = put(put(state, art, lost=1), pz1, stocks=LOW)
    rig = moving(state)

    told = lying(rig, "A25.10")
    shown = rig.state.tops[rig.state.charts.board.hex("A25.10")]
    assert told[0] == shown
    assert told[: told.index("dg")] == [shown, *sorted({art, pga, pz1, *others} - {shown})]
    below = ["dg", pgb, "oos", "dg", pj, "ax.12ss.truck", shown]
    assert told[told.index("dg") :] == below
    under = {
        args["unit"]: args["under"]
        for key, args in answer(rig, "?stack", "A25.10")
        if key == "stack_unit_on"
    }
    assert under[art] == (("mark.lost", (("n", 1), ("side", "")), ""),)
    assert under[pz1] == ("name.low",)


def test_4_8b_f_a_hedgehog_lies_above_and_a_base_below() -> None:
    """OCS 4.8b E, F Active aircraft lie above the base, fighters first; a hedgehog above the unit;
    supply below."""
    rig = moving()

    assert lying(rig, "A26.11") == ["mark.hedgehog", GUARDS]
    planes = lying(rig, "A26.06")
    assert planes[0].startswith("ax.air.bf109") and planes[-1] == "mark.base"
    assert lying(rig, "A26.09")[-2:-1] == ["mark.supply"]


def test_4_9a_of_an_enemy_stack_no_more_is_told_than_is_seen() -> None:
    """OCS 4.9a Under fog the shown unit alone, whatever lies below it and however it is; in the
    open all of it."""
    here = start().units[GUARDS].at
    deep = put(start(), "su.rd.375", at=here, marker=DG)

    assert lying(moving(deep), "A26.11") == lying(moving(), "A26.11")
    assert "su.rd.375" in lying(moving(deep, "open"), "A26.11")


@pytest.mark.parametrize("question", ["?supply", "?throw"])
def test_4_9_of_what_is_not_ones_own_nothing_is_answered(question: str) -> None:
    """OCS 4.9 An enemy's unit, seen or not, on the map or not, and one that does not exist are
    refused alike."""
    rig = moving()

    for id in (GUARDS, "su.rd.375", "su.hq.6gt", "no such thing"):
        assert refused(rig, question, id) == ("not_your_unit", "")
    assert refused(rig, question)[0] == "not_your_unit"


def test_questions_are_answered_while_one_is_asked() -> None:
    """A side that is not to decide is answered nothing, and a word that is no question is a
    pick."""
    rig = moving()

    found = rig.preview(SOVIET, "?supply", GUARDS)
    assert isinstance(found, Refusal) and found.key == "refusal.not_asked"
    found = rig.preview(AXIS, "?weather", GUARDS)
    assert isinstance(found, Refusal)
    assert refused(rig, "?throw", DIVISION) == ("not_an_hq", "OCS 13.1")
    assert refused(rig, "?stack", "A99.99")[0] == "no_such_hex"
