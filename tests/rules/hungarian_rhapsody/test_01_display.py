"""HR 1.8a: markers for display."""

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, stand
from tests.rules.hungarian_rhapsody.gathering import HERE
from tests.rules.hungarian_rhapsody.table import at_table
from warledger.engine.games.ocs.display import views

TIGERS, LEGS, HQ, TRUCK = "ax.tgr.503", "ax.inf.44", "ax.hq.iv", "ax.fhh.truck"


def test_1_8a_the_top_unit_and_the_hedgehog_are_shown_and_no_number() -> None:
    """HR 1.8a Whatever a side lays over a stack, the enemy sees its top combat unit and the level
    of the hedgehog whenever they look, and never how many counters lie there; so a marker for
    display alone would tell nothing more and hide nothing more."""
    few = at_table(stand({TIGERS: HERE, LEGS: HERE}), "moving", fog="strict").state
    many = at_table(
        stand({TIGERS: HERE, LEGS: HERE, "ax.inf.46": HERE, HQ: HERE, TRUCK: HERE}),
        "moving",
        fog="strict",
    ).state
    at = few.units[TIGERS].at
    for viewer in (SOVIET, ""):
        pieces, _marks = views.shown(few, viewer, at)
        assert list(pieces) == [few.tops[at]]
        assert views.shown(few, viewer, at) == views.shown(many, viewer, at)
    assert len(views.shown(many, AXIS, at)[0]) == 5
