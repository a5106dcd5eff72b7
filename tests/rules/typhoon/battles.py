"""Positions for tests of chapter 10: attackers round 1010, where the defenders stand; retreats on a
board whose Soviet source lies in the north and whose Axis source lies in the south."""

from collections.abc import Mapping, Sequence
from typing import Any

from tests.rules.chit_bench import source
from tests.rules.typhoon.bench import INF, INF2, PZ, PZ2, RIFLE, Bench, board_t, column, real_pack
from warledger.engine.games.chitpull.attacks import Assessment
from warledger.engine.games.typhoon.odds import assess
from warledger.engine.games.typhoon.retreat import begin, next_hexes, onward, rests
from warledger.engine.games.typhoon.state import Battle


def fight(
    attackers: Sequence[str],
    defenders: Sequence[str],
    die: int,
    *,
    reduced: Sequence[str] = (),
    **more: Any,
) -> Bench:
    """One attack of all on 1010, with this die."""
    bench = stood(attackers, defenders, **more)
    bench.stand(
        {name: bench.hexes(name)[0] for name in (*attackers, *defenders)},
        reduced=reduced,
        turn=more.get("turn", 1),
    )
    side = bench.state.data.types[attackers[0]].side
    bench.activate(side, *attackers, segment="declaration")
    bench.dice(die)
    bench.attack(side, ("1010", *attackers))
    return bench


PANZERS = ("ax.panzer.1", "ax.panzer.6", "ax.panzer.7", "ax.panzer.10")  # 8-6
PANZERS9 = ("ax.panzer.2", "ax.panzer.5")  # 9-6
INFANTRY = ("ax.inf.5", "ax.inf.35", "ax.inf.8", "ax.inf.28")  # 5-5
RIFLES2 = ("su.rifle.103", "su.rifle.139")
RIFLES3 = ("su.rifle.133", "su.rifle.174", "su.rifle.179")
RIFLES4 = ("su.rifle.178", "su.rifle.243", "su.rifle.91", "su.rifle.166", "su.rifle.108")
AROUND = ("1011", "0911", "1111", "1009", "1110", "0910")


def stood(
    attackers: Sequence[str],
    defenders: Sequence[str],
    *,
    turn: int = 1,
    hexes: Sequence[str] = AROUND,
    **more: Any,
) -> Bench:
    """Attackers two a hex round 1010, where the defenders stand."""
    options = {
        key: more.pop(key)
        for key in tuple(more)
        if key in ("halving", "big_city_shift", "allow_sub_1_1_with_positive_shift")
    }
    bench = Bench(board_t(**more), **options)
    places = {name: hexes[index // 2] for index, name in enumerate(attackers)}
    places.update(dict.fromkeys(defenders, "1010"))
    bench.stand(places, turn=turn)
    return bench


def odds_of(attackers: Sequence[str], defenders: Sequence[str], **more: Any) -> Assessment:
    """An attack on 1010 worked out."""
    bench = stood(attackers, defenders, **more)
    side = bench.state.data.types[attackers[0]].side
    return assess(bench.state, side, attackers, bench.state.data.hex("1010"))


def column_of(found: Assessment) -> str:
    """The final column's head, or what is wrong."""
    return "illegal" if found.column is None else NAMES[found.column]


DATA = Bench(real_pack()).state.data
NAMES = DATA.ladder.names


def assess_now(bench: Bench, attackers: Sequence[str]) -> Assessment:
    """An attack on 1010 as things stand."""
    return assess(
        bench.state,
        bench.state.data.types[attackers[0]].side,
        attackers,
        bench.state.data.hex("1010"),
    )


def activation_with(activation: Any, **changes: Any) -> tuple[Any, ...]:
    names = ("side", "chit", "hq", "units", "halved", "moved", "attacks", "fallen_back")
    return tuple(changes.get(name, getattr(activation, name)) for name in names)


NORTH = (source("axis", "1020"), source("soviet", "1001"))
EAST = (source("axis", "0110"), source("soviet", "2010"))


def battle(
    placed: Mapping[str, str],
    attackers: Sequence[str],
    die: int,
    *,
    turn: int = 1,
    sources: Any = NORTH,
    reduced: Sequence[str] = (),
    **more: Any,
) -> Bench:
    """An Axis attack of these units on 1010, with this die."""
    options = {key: more.pop(key) for key in tuple(more) if key.startswith("friendly")}
    bench = Bench(
        board_t(sources=sources, rails=(column(10, 20, 15), "0110 0210"), **more), **options
    )
    bench.stand(placed, turn=turn, reduced=reduced)
    bench.activate("axis", *attackers, segment="declaration")
    bench.dice(die)
    bench.attack("axis", ("1010", *attackers))
    return bench


SURROUNDED = {PZ: "0910", PZ2: "0911", INF: "1109", INF2: "1112", "ax.inf.8": "1311", RIFLE: "1010"}


def advance_after(
    target: str = "", second: str = "", *, turn: int = 1, die: int = 6, **more: Any
) -> Bench:
    """A panzer and an infantry division (13 to 3: 4-1, RR with 5) have driven a division from
    1010."""
    rows = {name: sign for name, sign in (("1010", target), ("1009", second)) if sign}
    return battle(
        {PZ: "1011", INF: "1011", RIFLE: "1010"},
        (PZ, INF),
        die,
        turn=turn,
        rows=rows,
        reduced=(RIFLE,),
        **more,
    )


def driven(**more: Any) -> Bench:
    """A panzer and an HQ have driven a reduced division from 1010."""
    return battle(
        {PZ: "1011", "ax.hq.2a": "1011", RIFLE: "1010"},
        (PZ, "ax.hq.2a"),
        6,
        reduced=(RIFLE,),
        **more,
    )


RAILS = (column(10, 20, 15), "0110 0210")


def retreat_ways(
    places: Mapping[str, str],
    length: int,
    *,
    sources: Any = EAST,
    rivers: Any = None,
    **options: bool,
) -> set[str]:
    """The ways of R3 out of 1010, hexes joined; one that falls or is stuck ends with "dead"."""
    bench = Bench(
        board_t(sources=sources, rails=RAILS, **({"rivers": rivers} if rivers else {})), **options
    )
    bench.stand({RIFLE: "1010", **places})
    state = bench.state
    battle = Battle(
        state.at(RIFLE), (), (RIFLE,), retreat=length, retreating=(RIFLE,), ground=state.field
    )
    found = set()
    front = [begin(state, RIFLE)]
    while front:
        flight = front.pop()
        following = () if rests(state, battle, flight) else next_hexes(state, battle, flight)
        front.extend(onward(state, flight, i) for i in following)
        if not following:
            names = state.data.board.grid.names(flight.path)
            lives = flight.steps > 0 and rests(state, battle, flight)
            found.add(" ".join(names if lives else (*names, "dead")))
    return found


def fought(
    places: Mapping[str, str],
    die: int,
    *,
    sources: Any = EAST,
    reduced: tuple[str, ...] = (),
    towns: Any = (),
    **options: bool,
) -> Bench:
    """An attack on 1010 by the panzer division alone."""
    bench = Bench(board_t(sources=sources, rails=RAILS, places=towns), **options)
    bench.stand(places, reduced=reduced)
    bench.activate("axis", PZ, segment="declaration")
    bench.dice(die)
    bench.attack("axis", ("1010", PZ))
    return bench
