"""The toy of the Operational Combat Series: that a second game needs nothing of the first."""

import random
from pathlib import Path

import pytest

from tests.toys import luga
from warledger.clients.bots import selfplay
from warledger.clients.bots.captains.ocs.captain import Captain
from warledger.clients.bots.player import Bot, RandomBot
from warledger.engine.games.ocs.ch06_movement import movement_range
from warledger.engine.games.ocs.ch12_supply import sources
from warledger.engine.games.ocs.ch13_special_units import rail
from warledger.engine.games.ocs.series.charts import charts
from warledger.engine.games.ocs.series.setup import first_position
from warledger.engine.games.ocs.series.state import State, changed
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.position import ENDED
from warledger.engine.packfiles import pack_bytes
from warledger.engine.testing.randomgames import begin, random_picks
from warledger.protocol import canon


def start() -> State:
    """The first position."""
    return first_position(charts(pack_bytes(luga.PACK), "luga", luga.GAME))


def named(state: State, hexes: int) -> set[str]:
    """The ids of a set of hexes."""
    return {name for i, name in enumerate(state.charts.board.map.grid.ids) if hexes >> i & 1}


def test_it_stands_on_the_series_alone() -> None:
    """A second game takes nothing from the first, in fewer than 600 lines."""
    text = Path(luga.__file__).read_text("utf-8")
    assert "games.hungarian_rhapsody" not in text
    assert len(text.splitlines()) < 600


@pytest.mark.parametrize("fog", ["open", "strict"])
@pytest.mark.parametrize("seed", range(3))
def test_it_is_played_to_the_end(seed: int, fog: str) -> None:
    """OCS 2.3 Random games end with the third turn, and every position on the way holds."""
    played = begin(luga.RULES, luga.PACK, seed=seed, options={"fog": fog})
    rng = random.Random(seed)
    for _ in range(3000):
        at = played.position
        if at.stage == ENDED:
            break
        seat = rng.choice([seat for seat, *_ in at.open])
        played.submit(seat, *random_picks(rng, luga.RULES, at, seat))
        luga.RULES.invariants(played.position.state)
    assert played.position.stage == ENDED, f"seed {seed}: the game does not end"


def test_trains_stop_where_the_gauge_changes() -> None:
    """OCS 13.3 Each side's trains and trace run on its own gauge: the railway goes on to Lugovo for
    both, but red's stops at the canal even with the town in red's hands."""
    state = start()
    every = state.charts.board.every
    taken = replace(state, control={"red": every, "blue": 0})
    taken = changed(
        taken,
        {
            name: replace(unit, at=-1)
            for name, unit in taken.units.items()
            if name.startswith("blue")
        },
    )
    assert named(taken, rail.stations(taken, "red")) == {"3.02"}
    assert named(taken, sources.sources(taken, "red")) == {"3.01", "3.02"}
    other = replace(taken, charts=replace(taken.charts, game=luga.Game()))
    assert named(other, rail.stations(other, "red")) == {"3.02", "3.04", "3.06"}


def test_its_own_chart_of_terrain_is_paid() -> None:
    """OCS 6.2 Costs come from the pack: a third of a point along its road for armour, and forest
    takes all that trucks have."""
    state = replace(start(), segment="c2")
    here = state.charts.board.hex
    armour = changed(state, {"red.armour": replace(state.units["red.armour"], move_side=True)})
    assert state.charts.parts == 3
    assert movement_range.can_go(armour, "red.armour").cost(here("2.02")) == 1
    hq = changed(
        state,
        {"red.hq": replace(state.units["red.hq"], move_side=True, at=here("1.02"))},
    )
    reach = movement_range.can_go(hq, "red.hq")
    assert reach.cost(here("1.03")) == 12 * state.charts.parts


def test_the_captain_of_the_series_plays_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The captain reads its aims from the scenario of a game that it has never seen, and takes
    Lugovo from somebody who moves at random; its orders are all on offer."""

    def bot(name: str, title: str, seed: int | str) -> Bot:
        return Captain(seed) if name == "captain" else RandomBot(seed)

    monkeypatch.setattr(selfplay, "bot_of", bot)
    packed = pack_bytes(luga.PACK)
    field = selfplay.Field("luga", luga.RULES, canon.unpack_trusted(packed), packed, bytes(32))
    for index, fog in enumerate(("open", "strict")):
        played = selfplay.play(
            field, seed=25, index=index, players=("captain", "random"), options={"fog": fog}
        )
        assert played.outcome.winner == luga.RED, fog
