"""What the last record of a game says of its score."""

import pytest

from warledger.engine import packfiles, registry
from warledger.engine.kernel.change import replace
from warledger.engine.testing.randomgames import begin
from warledger.protocol.log import bodies, records


@pytest.mark.parametrize("title", ["war_at_sea", "victory_lost", "typhoon"])
def test_a_game_that_is_resigned_tells_the_points_of_each_seat(title: str) -> None:
    """They are those of the position in which it was resigned, in the order of the seats."""
    rules = registry.rules_of(title)
    played = begin(rules, packfiles.read_pack(title))
    expected = rules.score(played.position)
    played.commit(played.resign(rules.seats[1]))

    (end,) = (record for record in played.records if record.kind == records.END)
    assert bodies.End.read(end.body).scores == tuple((seat, expected[seat]) for seat in rules.seats)


@pytest.mark.parametrize("title", ["war_at_sea", "victory_lost", "typhoon", "hungarian_rhapsody"])
def test_every_title_says_who_would_win_as_the_game_stands(title: str) -> None:
    """One of its seats or nobody, and what its score is counted in."""
    rules = registry.rules_of(title)
    played = begin(rules, packfiles.read_pack(title))

    margin = rules.margin(played.position)

    assert margin.winner is None or margin.winner in rules.score(played.position)
    assert margin.unit
    assert margin.points > 0


def test_in_war_at_sea_whoever_leads_on_the_track_would_win() -> None:
    """17.4 With the marker on the Axis side, on the Allied side, and on zero."""
    rules = registry.rules_of("war_at_sea")
    at = begin(rules, packfiles.read_pack("war_at_sea")).position
    for score, winner in ((3, "axis"), (-1, "allied"), (0, None)):
        moved = replace(at, state=replace(at.state, score=score))
        assert rules.margin(moved).winner == winner
