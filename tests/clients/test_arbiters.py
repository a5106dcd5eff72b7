"""What arbiters type, and what comes of it."""

import pytest

from warledger.clients.commands.play.arbiters import picks_of, remedies_of, steps
from warledger.protocol.log.deskbodies import Claim, Froze, Heard, Ruled, Said, Thawed


def test_remedies_are_read_as_they_are_typed() -> None:
    """In their order, with the picks of each correction apart; a time may be taken as well."""
    given = ("back 37", "time axis 1m30s", "time allied -10m", "correct score a -5", "warn axis")
    remedies, corrections = remedies_of((*given, "penalty axis plays too slowly", "draw"))
    assert remedies == (
        ("back", 37),
        ("time", "axis", 90_000),
        ("time", "allied", -600_000),
        ("correct",),
        ("warn", "axis"),
        ("penalty", "axis", "plays too slowly"),
        ("draw",),
    )
    assert corrections == (("score", "a", -5),)
    assert remedies_of(["adjudicate nobody"])[0] == (("adjudicate", None),)
    assert picks_of(["sail", "3", "hood"]) == ("sail", 3, "hood")


@pytest.mark.parametrize(
    "wrong",
    ["", "crown axis", "back", "back x", "time axis soon", "draw axis", "forfeit", "correct"],
)
def test_what_is_no_remedy_is_said(wrong: str) -> None:
    """Nothing is sent then."""
    with pytest.raises(ValueError, match="is not a"):
        remedies_of([wrong])


def test_what_an_arbiter_asks_for_is_written_in_order() -> None:
    """Heard, frozen, ruled, thawed; only what was asked for."""
    of = remedies_of(["correct score a 5"])
    ruling = ("upheld", "9.2", "So it is.")
    found = steps(1, hear=True, freeze=True, thaw=True, ruling=ruling, of=of, said="Hm.")
    assert [type(body) for body, _ in found] == [Heard, Froze, Said, Ruled, Thawed]
    assert found[2][0] == Said(1, "Hm.")
    assert [picks for _, picks in found] == [(), (), (), (("score", "a", 5),), ()]
    none = (None, "", "")
    alone = steps(1, hear=False, freeze=False, thaw=True, ruling=none, of=of)
    assert [body for body, _ in alone] == [Thawed(1)]


def test_an_arbiter_makes_a_claim_of_their_own() -> None:
    """About a record, by a clause, before it is heard and the game frozen."""
    ruling = (None, "9.2", "A unit too many.")
    found = steps(2, at_seq=37, hear=True, freeze=True, thaw=False, ruling=ruling, of=((), ()))
    assert [type(body) for body, _ in found] == [Claim, Heard, Froze]
    assert found[0][0] == Claim(2, "", 37, "9.2", "A unit too many.")
