"""Reach and walk against every way there is, on small boards, with the step rule written out a
second time from the documents."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.board import boards
from tests.board.boards import Docs
from warledger.engine.board.going import (
    ENDS_MOVE,
    FIRST_ONLY,
    Compiled,
    compile_going,
    going_from_tables,
    halves,
)
from warledger.engine.board.hexmap import HexMap
from warledger.engine.board.paths import (
    BARRED,
    NO_ENTRY,
    STOP,
    ZONE,
    Conditions,
    Stopped,
    reach,
    walk,
)
from warledger.engine.kernel.change import replace

conditions = st.builds(
    Conditions,
    flags=st.lists(
        st.sampled_from([0, 0, 0, 0, ZONE, ZONE, NO_ENTRY, STOP]), min_size=16, max_size=16
    ).map(bytes),
    enter=st.sampled_from([0, 2, 4, BARRED]),
    leave=st.sampled_from([0, 2, 4, BARRED]),
    zone_stops=st.booleans(),
    minimum_step=st.booleans(),
    extra=st.one_of(st.none(), st.lists(st.integers(0, 2), min_size=16, max_size=16).map(bytes)),
)
goings = st.tuples(st.sampled_from(["mech", "other"]), st.booleans(), st.booleans())


class Rules:
    """The step rule as the rule books put it, straight from the documents, with sets and no
    arrays."""

    def __init__(self, docs: Docs, board: HexMap, mobility: str, march: bool, roads: bool) -> None:
        doc, self.tables = docs
        self.ids, self.mobility, self.march, self.roads = (
            board.grid.ids,
            mobility,
            march,
            roads or march,
        )
        legend = doc["terrain"]["legend"]
        self.terrain = [legend[c] for row in doc["terrain"]["rows"] for c in row]
        self.river = {s: r["class"] for r in doc["river"] for s in boards.side_set(r)}
        self.bridges, self.walls = (
            boards.side_set(doc["bridges"]),
            boards.side_set(doc["impassable"]),
        )
        self.road = {frozenset(r["hexes"].split()) for r in doc["road"]}
        self.city = {p["hex"] for p in doc["places"]["list"] if p["kind"] == "city"}

    def price(
        self, a: int, b: int, left: int, first: bool, fresh: bool, now: Conditions
    ) -> tuple[int, bool] | None:
        """Half points and whether the move ends, None if the step is illegal."""
        side = frozenset((self.ids[a], self.ids[b]))
        cities = side <= self.city
        river = self.tables["hexside"].get(self.river.get(side, ""), {})
        bridged = side in self.bridges or cities
        zones = now.flags[a] & ZONE, now.flags[b] & ZONE
        if left <= 0 or side in self.walls or now.flags[b] & NO_ENTRY:
            return None
        if river.get(
            "forbidden_between_ezoc_bridged" if bridged else "forbidden_between_ezoc"
        ) and all(zones):
            return None
        if (zones[0] and now.leave == BARRED) or (zones[1] and now.enter == BARRED):
            return None
        row = (
            {"move_mech": 1, "move_other": 1}
            if self.ids[b] in self.city
            else self.tables["terrain"][self.terrain[b]]
        )
        cost: int | None = int(float(row[f"move_{self.mobility}"]) * 2) or None
        if cost is not None and not bridged:
            cost += 2 * river.get("move_extra", 0)
        if cost is not None and bridged and river.get("move_extra_bridged"):
            cost += 1
        step_cost = 1 if self.march else 2
        if (side in self.road and self.roads) or cities:
            cost = min(cost, step_cost) if cost is not None else step_cost
        elif self.march:
            return None
        if cost is None or (river.get("forbidden") and not bridged):
            return None
        special = river if not bridged else {}
        if special.get("needs_start_adjacent") and not first:
            return None
        ends = (
            bool(special.get("ends_move"))
            or bool(now.flags[b] & STOP)
            or bool(now.zone_stops and zones[1])
        )
        if special.get("takes_whole_allowance"):
            return left, ends
        cost += (
            (now.leave if zones[0] else 0)
            + (now.enter if zones[1] else 0)
            + (now.extra[b] if now.extra else 0)
        )
        if cost > left:
            return (left, ends) if first and fresh and now.minimum_step else None
        return cost, ends


def every_way(
    rules: Rules, board: HexMap, start: int, points: int, now: Conditions, moved: bool
) -> dict[int, dict[Any, int]]:
    """Hex -> {way: cost} of all ways without a hex twice."""
    found: dict[int, dict[Any, int]] = {}

    def go(at: int, way: tuple[int, ...], paid: int) -> None:
        for b in board.grid.adjacent[at]:
            if b in way or b == start:
                continue
            first = not way and not moved
            step = rules.price(at, b, points - paid, first, not moved, now)
            if step is not None:
                found.setdefault(b, {})[(*way, b)] = paid + step[0]
                if not step[1]:
                    go(b, (*way, b), paid + step[0])

    go(start, (), 0)
    return found


@given(boards.maps(), goings, conditions, st.integers(0, 8), st.booleans(), st.data())
@settings(max_examples=300, deadline=None)
def test_reach_is_every_way_there_is(
    docs: Docs,
    kind: tuple[str, bool, bool],
    now: Conditions,
    points: int,
    moved: bool,
    data: st.DataObject,
) -> None:
    """Reach holds exactly the hexes some way leads to, each at the least cost, by the canonical
    way."""
    board = boards.built(docs)
    mobility, march, roads = kind
    compiled = compile_going(board, going_from_tables(docs[1], mobility, march=march, roads=roads))
    start = data.draw(st.integers(0, len(board.grid) - 1))
    ways = every_way(Rules(docs, board, mobility, march, roads), board, start, points, now, moved)
    got = reach(compiled, start, points, now, moved=moved)
    assert got.costs() == {i: min(w.values()) for i, w in sorted(ways.items())}
    for i, w in ways.items():
        cheapest = [x for x in w if w[x] == min(w.values())]
        going_on = [
            x for x in cheapest if not walk(compiled, start, x, points, now, moved=moved).over
        ]
        best = min(going_on or cheapest, key=lambda x: (len(x), x[-2::-1]))
        assert got.way(i) == best
        assert got.ends(i) == (not going_on)


@given(boards.maps(), goings, conditions, st.integers(0, 8), st.booleans(), st.data())
@settings(max_examples=300, deadline=None)
def test_walk_agrees_with_the_rule(
    docs: Docs,
    kind: tuple[str, bool, bool],
    now: Conditions,
    points: int,
    moved: bool,
    data: st.DataObject,
) -> None:
    """A way given hex by hex costs what its steps cost, and fails at the first step the rule
    forbids."""
    board = boards.built(docs)
    mobility, march, roads = kind
    compiled = compile_going(board, going_from_tables(docs[1], mobility, march=march, roads=roads))
    rules = Rules(docs, board, mobility, march, roads)
    at = start = data.draw(st.integers(0, len(board.grid) - 1))
    way, paid, over, failed = [], 0, False, None
    for k in range(data.draw(st.integers(0, 5))):
        b = data.draw(st.sampled_from(board.grid.adjacent[at]))
        way.append(b)
        if failed is None:
            step = (
                None
                if over
                else rules.price(at, b, points - paid, k == 0 and not moved, not moved, now)
            )
            if step is None:
                failed = k
            else:
                paid, over = paid + step[0], step[1]
        at = b
    got = walk(compiled, start, way, points, now, moved=moved)
    assert (got.cost, got.over) == (paid, over)
    assert (got.why is None) == (failed is None)
    assert failed is None or got.at == failed


@pytest.fixture(scope="module")
def strip() -> tuple[HexMap, Compiled]:
    """Six clear hexes in a column; a major river below the second, bridged in `with_bridges`."""
    docs = (
        {
            "sides": ["red", "blue"],
            "grid": {"orientation": "flat", "shifted": "even", "columns": 1, "rows": 6},
            "terrain": {"legend": {".": "clear"}, "rows": ["."] * 6},
            "river": [{"name": "Don", "class": "major", "hexsides": "0102-0103"}],
        },
        boards.TABLES,
    )
    board = boards.built(docs)
    return board, compile_going(board, going_from_tables(boards.TABLES, "mech"))


def test_reasons_for_a_stop(strip: tuple[HexMap, Compiled]) -> None:
    """Each kind of forbidden step is told apart."""
    _, go = strip
    now = Conditions(bytes(6), 4, 4)
    zones = replace(now, flags=bytes([0, ZONE, ZONE, 0, 0, NO_ENTRY]))
    assert walk(go, 0, [1, 2], 20, now).why is Stopped.NOT_FIRST
    assert walk(go, 1, [2, 3], 20, now).why is Stopped.ENDED
    assert walk(go, 1, [2], 20, zones).why is Stopped.BETWEEN_ZONES
    assert walk(go, 1, [3], 20, now).why is Stopped.NO_WAY
    assert walk(go, 3, [4, 5], 20, zones).why is Stopped.NO_ENTRY
    assert walk(go, 3, [4, 5], 3, now).why is Stopped.POINTS
    assert walk(go, 0, [1], 20, replace(zones, enter=BARRED)).why is Stopped.ZONE
    assert walk(go, 1, [0], 9, zones).cost == 6


def test_bridge_lifts_the_river(strip: tuple[HexMap, Compiled]) -> None:
    """A bridged major river costs nothing extra and does not end the move."""
    board, _ = strip
    go = compile_going(
        board.with_bridges(bytes([1]) * 36), going_from_tables(boards.TABLES, "mech")
    )
    assert reach(go, 0, 6, Conditions(bytes(6))).costs() == {1: 2, 2: 4, 3: 6}


def test_of_two_ways_as_cheap_the_one_that_can_go_on_counts() -> None:
    """A hex reached at the same cost over a river, which ends the move, and around it, is reached
    around it."""
    go = Compiled(
        4, (((1, 1),), ((2, 1),), ((3, 1),), ()), (((2, 2, FIRST_ONLY | ENDS_MOVE),), (), (), ())
    )
    got = reach(go, 0, 4, Conditions(bytes(4)))
    assert (got.way(2), got.ends(2), got.way(3)) == ((1, 2), False, (1, 2, 3))
    dearer = Compiled(4, (((1, 2),), ((2, 1),), ((3, 1),), ()), go.special)
    got = reach(dearer, 0, 4, Conditions(bytes(4)))
    assert (got.cost(2), got.way(2), got.ends(2)) == (2, (2,), True)
    assert (got.cost(3), got.way(3)) == (4, (1, 2, 3))


def test_a_road_dearer_than_the_ground_is_not_used(strip: tuple[HexMap, Compiled]) -> None:
    """Along a road the cheaper of road and terrain counts."""
    tables = boards.TABLES | {"movement": {"road": 2, "march_road": 1}}
    board, _ = strip
    road = replace(board, links={"road": bytes([1]) * 36})
    assert reach(
        compile_going(road, going_from_tables(tables, "mech")), 3, 4, Conditions(bytes(6))
    ).costs() == {2: 2, 4: 2, 5: 4}


@pytest.mark.parametrize(
    ("text", "half"),
    [(2, 4), ("1/2", 1), ("0.5", 1), ("1.5", 3), ("3", 6), ("4/1", 8), (0, 0), ("2.0", 4)],
)
def test_halves(text: object, half: int) -> None:
    """Movement points of a pack are read as whole half points."""
    assert halves(text) == half


@pytest.mark.parametrize("text", [0.5, "0.25", "1/3", "", "-1", True, None, "x"])
def test_halves_refuses_other_fractions(text: object) -> None:
    """Anything that is no whole number of halves is refused with what to write."""
    with pytest.raises(ValueError, match="write a whole number, or halves"):
        halves(text)
