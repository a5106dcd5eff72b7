"""OCS 3.1, 13.1: what clients are told of a counter."""

from tests.rules.hungarian_rhapsody.bench import put, stand
from tests.rules.hungarian_rhapsody.table import described
from warledger.engine.games.ocs.ch12_supply import fuel


def test_3_1_both_sides_of_a_counter_are_told() -> None:
    """OCS 3.1a, 3.1c, 3.1 Strength, AR, allowance and mobility of both sides, RE in quarters, the
    formation."""
    piece = next(one for one in described("campaign").pieces if one.id == "ax.1pz.pz1")
    combat, move = piece.face("combat"), piece.face("move")

    assert combat is not None and move is not None
    assert (combat.print, move.print) == ("6-5-8t", "3-5-16t")
    assert [combat.value(name) for name in ("strength", "ar", "move", "re")] == [6, 5, 8, 2]
    assert piece.group == "1pz"


def test_3_1_hq_artillery_and_transport_say_what_their_number_is() -> None:
    """OCS 3.1, 13.1 An HQ's number is its throw, artillery's its barrage, transport's its
    points."""
    pieces = {piece.id: piece for piece in described("campaign").pieces}

    assert dict(pieces["ax.1pz.art"].faces[0].values)["barrage"] == 14
    assert dict(pieces["ax.1pz.truck"].faces[0].values)["points"] == 1
    assert "throw" in dict(pieces["ax.hq.iv"].faces[0].values)


def test_3_1a_mobility_is_that_of_the_side_that_shows() -> None:
    """OCS 3.1a, 12.5a A motorised regiment walks on its Combat side and drives on its Move side,
    where it needs fuel; a tank battalion needs some on both."""
    state = stand({"ax.fhh.pgb": "A26.10", "ax.fhh.pz2": "A26.10"})
    for name, needs in (("ax.fhh.pgb", (False, True)), ("ax.fhh.pz2", (True, True))):
        for move_side in (False, True):
            turned = put(state, name, move_side=move_side)
            assert fuel.thirsty(turned, name) is needs[move_side], (name, move_side)
