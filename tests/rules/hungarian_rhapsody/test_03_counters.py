"""OCS 3.1, 13.1: what clients are told of a counter."""

from tests.rules.hungarian_rhapsody.table import described


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
