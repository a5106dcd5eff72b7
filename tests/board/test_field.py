"""The field of positions, carried along move by move, against one that is laid out anew."""

import random
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from tests.rules.typhoon import bench as typhoon_bench
from tests.rules.victory_lost import bench as victory_lost_bench
from warledger.engine.games.chitpull.field import STEPS_MAX
from warledger.engine.games.chitpull.sides import SIDES
from warledger.engine.games.chitpull.states import OFF_MAP
from warledger.engine.games.typhoon import field as typhoon
from warledger.engine.games.victory_lost import field as victory_lost

SEED = 12
MOVES = 400

DATA: Mapping[str, Callable[[], Any]] = {
    "typhoon": lambda: typhoon_bench.Bench(typhoon_bench.real_pack()).state.data,
    "victory_lost": lambda: victory_lost_bench.Bench(victory_lost_bench.real_pack()).state.data,
}
LAID: Mapping[str, Callable[[Any, Mapping[str, int]], Any]] = {
    "typhoon": typhoon.field_of,
    "victory_lost": lambda data, places: victory_lost.field_of(data, 1, places),
}


@pytest.mark.parametrize("asked", [0.2, 0.02])
@pytest.mark.parametrize("title", sorted(LAID))
def test_a_field_carried_along_is_as_one_laid_anew(title: str, asked: float) -> None:
    """Stacks and zones come out alike, however often they are asked for on the way."""
    print("seed", SEED)
    rng, data, laid = random.Random(SEED), DATA[title](), LAID[title]
    names, hexes = sorted(data.types), range(len(data.board.grid))
    places: dict[str, int] = {}
    field = laid(data, {})
    for _ in range(MOVES):
        name = rng.choice(names)
        to = rng.choice((OFF_MAP, *rng.sample(hexes, 3)))
        field = field.moved(name, places.pop(name, OFF_MAP), to)
        if to != OFF_MAP:
            places[name] = to
        if rng.random() < asked:
            fresh = laid(data, places)
            assert field.stacks == fresh.stacks
            assert [field.zones(side) for side in SIDES] == [fresh.zones(side) for side in SIDES]
            assert field.zoneless == fresh.zoneless


@pytest.mark.parametrize("title", sorted(LAID))
def test_a_field_of_which_nobody_asks_makes_no_stacks(title: str) -> None:
    """Whoever folds a log pays for the stacks of the last position, and keeps few moves."""
    data = DATA[title]()
    field, name, most = LAID[title](data, {}), min(data.types), 0
    for at in range(MOVES):
        field = field.moved(name, OFF_MAP if at == 0 else at - 1, at)
        assert "stacks" not in field.__dict__ and "both" not in field.__dict__
        most = max(most, len(field.steps))
    assert most == STEPS_MAX and field.stacks == {MOVES - 1: (name,)}


def test_a_moved_field_begins_without_answers() -> None:
    """A field keeps what was worked out for it; the one after a move knows none of that."""
    data = DATA["victory_lost"]()
    field = victory_lost.field_of(data, 1, data.historical)
    before = field.supply("axis")
    name, at = next(iter(data.historical.items()))

    assert field.supply("axis") is before
    assert not field.moved(name, at, OFF_MAP).memo
    assert field.moved(name, at, at) is field


def test_the_zones_of_another_turn_are_those_of_the_same_positions() -> None:
    """A new turn keeps what was counted, and forgets what depended on the turn."""
    data = DATA["victory_lost"]()
    field = victory_lost.field_of(data, 1, data.historical)
    counted = field.zones("axis")
    later = field.on_turn(9)

    assert later.zones("axis") is counted
    assert field.pocket_closed and not later.pocket_closed
