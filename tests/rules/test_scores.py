"""What the last record of a game says of its score."""

import pytest

from warledger.engine import packfiles, registry
from warledger.engine.testing.randomgames import begin
from warledger.protocol import bodies, records


@pytest.mark.parametrize("title", ["war_at_sea", "victory_lost", "typhoon"])
def test_a_game_that_is_resigned_tells_the_points_of_each_seat(title: str) -> None:
    """They are those of the position in which it was resigned, in the order of the seats."""
    rules = registry.rules_of(title)
    played = begin(rules, packfiles.read_pack(title))
    expected = rules.score(played.position)
    played.commit(played.resign(rules.seats[1]))

    (end,) = (record for record in played.records if record.kind == records.END)
    assert bodies.End.read(end.body).scores == tuple((seat, expected[seat]) for seat in rules.seats)
