"""Crowded positions at random, and what is offered in them held against the referee."""

import random
from collections.abc import Mapping
from typing import Any

from tests.rules.victory_lost.arbiter import Map
from tests.rules.victory_lost.bench import Bench, real_pack
from tests.rules.victory_lost.referee import Referee, Unclear
from warledger.engine.games.victory_lost.command import in_range
from warledger.engine.games.victory_lost.headquarters import reset_hexes
from warledger.engine.games.victory_lost.reinforcements import usable_railways
from warledger.engine.games.victory_lost.retreat_ways import ways


def crowd(dice: random.Random, pack: Mapping[str, Any], board: Map, turn: int) -> dict[str, str]:
    """Counters of both sides close together, stacked as 5.0 allows."""
    empty = Referee(pack, {}, turn, {}, board)
    left, top = dice.randrange(1, 56), dice.randrange(1, 31)
    area = [
        i
        for i in sorted(empty.map.terrain)
        if left <= int(i[:2]) < left + 9 and top <= int(i[2:]) < top + 8 and empty.dry(i)
    ]
    places: dict[str, str] = {}
    if len(area) < 30:
        return places
    units = sorted(empty.units)
    hqs = sorted(set(empty.printed) - set(units))
    for name in (
        *dice.sample(units, dice.randrange(10, 30)),
        *dice.sample(hqs, dice.randrange(1, 8)),
    ):
        mine = empty.printed[name]["side"]
        for i in dice.sample(area, 8):
            if {empty.printed[other]["side"] for other, at in places.items() if at == i} <= {
                mine
            } and empty.stands((name,), i):
                places[name] = i
                (empty.held if name in empty.units else empty.hqs)[mine].setdefault(i, []).append(
                    name
                )
                break
    return places


def compare(seed: int, positions: int) -> dict[str, int]:
    """As many random positions; how many answers were compared, by kind."""
    dice, pack = random.Random(seed), real_pack()
    board = Map(pack)
    benches = {False: Bench(pack), True: Bench(pack, command_march=True)}
    found = dict.fromkeys(("supply", "range", "rail", "reset", "retreat", "reach", "unclear"), 0)
    for _ in range(positions):
        turn = dice.choice((2, 4, 5, 8))
        places = crowd(dice, pack, board, turn)
        supply = {
            name: dice.choice((1, 2))
            for name in places
            if ".hq." not in name and dice.random() < 0.2
        }
        referee = Referee(pack, places, turn, supply, board)
        for bench in benches.values():
            bench.stand(places, turn=turn, supply=supply)
        bench = benches[False]
        state, grid = bench.state, bench.state.data.board.grid
        told = f"seed {seed}, turn {turn}, {places}, {supply}"
        for mine in ("axis", "soviet"):
            lines = state.field.supply(mine)
            assert {grid.ids[i] for i in range(len(grid)) if lines.reached(i)} == set(
                referee.lines[mine]
            ), f"{mine}: {told}"
            assert set(grid.names(usable_railways(state, mine))) == referee.railways(mine), (
                f"{mine}: {told}"
            )
            found["supply"] += 1
            found["rail"] += 1
        for name, at in places.items():
            try:
                if name not in referee.units:
                    assert set(in_range(state, name)) == referee.in_range(name), f"{name}: {told}"
                    found["range"] += 1
                    assert set(grid.names(reset_hexes(state, name))) == referee.resets(name), (
                        f"{name}: {told}"
                    )
                    found["reset"] += 1
                    continue
                hqs = [
                    other for other in places if other not in referee.units and places[other] == at
                ]
                for group in ((name,), *((name, hq) for hq in hqs)):
                    length = dice.choice((1, 2))
                    expected = referee.retreats(group, length)
                    assert {
                        grid.names(way) for way in ways(state, group, grid.at(at), length)
                    } == expected, f"{group} by {length}: {told}"
                    found["retreat"] += 1
            except Unclear:
                found["unclear"] += 1
        mine = dice.choice(("axis", "soviet"))
        active = sorted(name for name in places if referee.printed[name]["side"] == mine)
        for march, bench in benches.items():
            bench.activate(mine, *active)
            asked = bench.asked().get(mine) == "prompt.victory_lost.movement"
            for name in dice.sample(active, min(4, len(active))):
                for mode in ("", "road", *(("swift",) if march else ())):
                    offered = offers(bench, mine, name, mode) if asked else set()
                    # A full hex may be named on the way.
                    ends = {i for i in offered if referee.stands((name,), i)}
                    assert ends == referee.reach(name, mode, march=march), f"{name} {mode}: {told}"
                    found["reach"] += 1
    return found


def offers(bench: Bench, mine: str, name: str, mode: str) -> set[str]:
    """The hexes offered to a counter in one way of moving."""
    if name not in bench.options(mine, "move") or (
        mode and mode not in bench.options(mine, "move", name)
    ):
        return set()
    return bench.reach(mine, "move", name, *([mode] if mode else []))
