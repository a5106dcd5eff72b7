"""Positions for tests of chapter 9: a few counters on a board, the active side's units activated,
play at the Combat Step."""

from collections.abc import Mapping, Sequence
from typing import Any

from tests.rules.victory_lost.bench import Bench, board_t
from warledger.engine.games.chitpull.sides import ENEMY
from warledger.engine.games.victory_lost.combat import AttackDeclared
from warledger.engine.games.victory_lost.losses import Eliminated, Reduced
from warledger.engine.games.victory_lost.odds import attack_strength
from warledger.engine.games.victory_lost.retreat_ways import ways
from warledger.protocol.board.choices import Say

AROUND = ("1009", "1110", "1111", "1011", "0911", "0910")

TANK, TANKS = "su.tank.18", ("su.tank.18", "su.tank.25", "su.tank.24", "su.tank.17")
ITALIAN, GERMAN, PANZER = "ax.it.rav", "ax.inf.62", "ax.panzer.11"


def combat(
    places: Mapping[str, str],
    *,
    side: str = "soviet",
    bench: Bench | None = None,
    turn: int = 1,
    reduced: Sequence[str] = (),
    supply: Mapping[str, int] | None = None,
    active: Sequence[str] | None = None,
    **options: Any,
) -> Bench:
    """The Combat Step of a side; all its counters are activated unless `active` names some."""
    bench = bench or Bench(**options)
    bench.stand(places, turn=turn, reduced=reduced, supply=supply)
    types = bench.state.data.types
    bench.activate(
        side,
        *(active if active is not None else [name for name in places if types[name].side == side]),
    )
    bench.jump("chit_selection", "activation", "combat_step")
    return bench


def attack(
    bench: Bench, die: int, target: str, *units: str, side: str = "soviet"
) -> tuple[Any, ...]:
    """An attack with that die: its events."""
    bench.dice(die)
    return bench.do(side, "attack", target, *units)


def declared(bench: Bench) -> AttackDeclared:
    """The attack of the last command."""
    return next(event for event in bench.events if type(event) is AttackDeclared)


def column(bench: Bench) -> str:
    """The column that the last attack was resolved on."""
    return bench.state.data.ladder.names[declared(bench).column]


def happened(bench: Bench, kind: type[Any]) -> list[Any]:
    """Events of one class in the last command."""
    return [event for event in bench.events if type(event) is kind]


def lost(bench: Bench) -> tuple[list[str], list[str]]:
    """Units reduced and units eliminated in the last command."""
    return [event.unit for event in happened(bench, Reduced)], [
        event.unit for event in happened(bench, Eliminated)
    ]


def previewed(bench: Bench, *picks: str, side: str = "soviet") -> dict[str, dict[str, Any]]:
    """What is shown beside picks: arguments by the last word of the key (the chances under
    "chances")."""
    said = bench.preview(side, *picks)
    assert isinstance(said, tuple), said
    found: dict[str, dict[str, Any]] = {}
    for item in said:
        assert isinstance(item, Say)
        if item.key.endswith("chance"):
            found.setdefault("chances", {})[dict(item.args)["result"]] = dict(item.args)["n"]
        else:
            found[item.key.rsplit(".", 1)[1]] = dict(item.args)
    return found


def won(
    places: Mapping[str, str], *units: str, bench: Bench | None = None, die: int = 6, **more: int
) -> Bench:
    """After an attack on 1010, held by one reduced Italian division that is eliminated by the
    result's losses (6: 3-1 or better)."""
    bench = combat({ITALIAN: "1010", **places}, bench=bench, reduced=[ITALIAN], **more)
    attack(
        bench,
        die,
        "1010",
        *(
            units
            or tuple(name for name in places if name in bench.options("soviet", "attack", "1010"))
        ),
    )
    assert bench.hexes(ITALIAN) == ("eliminated",)
    return bench


def first_offered(bench: Bench, *picks: str) -> tuple[str, ...]:
    """The first of the choices, again and again until the command is whole."""
    found: list[str] = []
    while options := bench.options(picks[0], *picks[1:], *found):
        found.append(str(options[0]))
    return tuple(found)


STACK = {"ax.it.rav": "1010", "ax.it.sfz": "1010"}
STRONG = dict(zip(TANKS, ("1110", "1110", "1111", "1111"), strict=True))


def strengths(
    places: dict[str, str],
    river: str = "",
    supply: dict[str, int] | None = None,
    reduced: tuple[str, ...] = (),
) -> int:
    """The strength of all Soviet units against 1010."""
    bench = Bench(board_t(rivers={"minor": river} if river else None))
    bench.stand({**places, ITALIAN: "1010"}, supply=supply, reduced=reduced)
    return attack_strength(
        bench.state,
        [name for name in places if name.startswith("su.")],
        bench.state.data.hex("1010"),
    )


EAST = {TANKS[0]: "1110", TANKS[1]: "1111"}
"""Soviet units next to 1010: 1009 and 1011 are in their zones, 0910 and 0911 are not."""


def fought(
    places: Mapping[str, str],
    die: int,
    *units: str,
    bench: Bench | None = None,
    reduced: Sequence[str] = (),
    **more: int,
) -> Bench:
    """After an attack on 1010 by the first units of the Soviets."""
    bench = combat(places, bench=bench, reduced=reduced, **more)
    attack(bench, die, "1010", *units)
    return bench


def paths(bench: Bench, *names: str, start: str = "1010", length: int = 1) -> set[str]:
    """The ways that counters may retreat, hexes joined."""
    grid = bench.state.data.board.grid
    return {" ".join(grid.names(way)) for way in ways(bench.state, names, grid.at(start), length)}


def stood(places: Mapping[str, str], bench: Bench | None = None, turn: int = 1) -> Bench:
    """Counters on a board, nothing activated."""
    bench = bench or Bench()
    bench.stand(places, turn=turn)
    return bench


RIVER_BEHIND = "0809-0910 0810-0910"


def walled(more: Mapping[str, str], **kwargs: str) -> Bench:
    """A panzer division in 1010 that can only go to 0910, and from there west."""
    places = {
        PANZER: "1010",
        TANKS[0]: "1110",
        TANKS[1]: "1111",
        "su.rifle.1": "1009",
        "su.rifle.107": "1011",
    }
    bench = Bench(
        board_t(
            rivers={"major": kwargs.get("river", RIVER_BEHIND)}, bridges=kwargs.get("bridges", "")
        )
    )
    bench.stand({**places, "su.rifle.111": "0909", "su.rifle.119": "0911", **more})
    return bench


PANZER_HQ = "ax.hq.4pza"


def literal(bench: Bench, unit: str, start: str, length: int) -> set[tuple[str, ...]] | None:
    """9.5.2, R-26 read word for word, on printed ids, for a unit alone; None where a full hex comes
    into it."""
    state = bench.state
    data = state.data
    grid, sides = data.board.grid, data.board.sides
    side = data.types[unit].side
    enemy = ENEMY[side]
    stands = {name: counter.at for name, counter in state.counters.items() if counter.at >= 0}
    enemies = {
        at
        for name, at in stands.items()
        if data.types[name].side == enemy and not data.types[name].hq
    }
    friends = {at for name, at in stands.items() if data.types[name].side == side}
    enemy_all = {at for name, at in stands.items() if data.types[name].side == enemy}
    shut = data.pocket if state.field.pocket_closed else frozenset()
    water = data.water

    def zoned(i: int) -> bool:
        return (
            i not in water
            and i not in shut
            and any(
                n in enemies and not sides.impassable[i * 6 + grid.direction(i, n)]
                for n in grid.adjacent[i]
            )
        )

    def river(a: int, b: int) -> str:
        return sides.river_class(a * 6 + grid.direction(a, b)) or ""

    def bridged(a: int, b: int) -> bool:
        return bool(sides.bridged[a * 6 + grid.direction(a, b)])

    lines = {
        i: 0
        for i in data.sources(side, state.turn)
        if i not in enemy_all and i not in shut and (i in friends or not zoned(i))
    }
    front = list(lines)
    while front:
        following = []
        for a in front:
            for b in grid.adjacent[a]:
                if (
                    b in lines
                    or b in water
                    or b in shut
                    or b in enemy_all
                    or (zoned(b) and b not in friends)
                ):
                    continue
                if sides.impassable[a * 6 + grid.direction(a, b)] or (
                    river(a, b) == "major" and not bridged(a, b)
                ):
                    continue
                lines[b] = lines[a] + 1
                following.append(b)
        front = following

    def supply(i: int) -> int | None:
        if i in lines:
            return lines[i]
        if i in water or i in shut:
            return None
        near = [
            lines[b]
            for b in grid.adjacent[i]
            if b in lines
            and not sides.impassable[i * 6 + grid.direction(i, b)]
            and (river(i, b) != "major" or bridged(i, b))
        ]
        return 1 + min(near) if near else None

    def legal(a: int, b: int, first: bool) -> bool:
        if (
            b in water
            or b in shut
            or b in enemies
            or sides.impassable[a * 6 + grid.direction(a, b)]
        ):
            return False
        if river(a, b) == "major":
            return not (zoned(a) and zoned(b)) and (first or bridged(a, b))
        return True

    home = grid.at(start)
    found: list[tuple[int, ...]] = [()]
    for step in range(length):
        found = [
            (*path, b)
            for path in found
            for b in grid.adjacent[path[-1] if path else home]
            if b != home and b not in path and legal(path[-1] if path else home, b, step == 0)
        ]
    mates = [
        i
        for path in found
        for i in path
        if sum(at == i for name, at in stands.items() if not data.types[name].hq) >= 2
    ]
    if mates:
        return None
    for worth in (
        lambda path: sum(zoned(i) for i in path),
        lambda path: next((n for n, i in enumerate(path) if not zoned(i)), 99),
    ):
        least = min((worth(path) for path in found), default=0)
        found = [path for path in found if worth(path) == least]
    if any(supply(i) is None for path in found for i in (home, *path)):
        return None
    nearer = {
        path: sum(
            (supply(b) or 0) < (supply(a) or 0) for a, b in zip((home, *path), path, strict=False)
        )
        for path in found
    }
    best = max(nearer.values(), default=0)
    return {tuple(grid.names(path)) for path in found if nearer[path] == best}


BRIDGEHEAD = {
    "su.tank.18": "3909",
    "su.tank.25": "3909",
    "su.rifle.41g": "4009",
    "su.rifle.44g": "4009",
}


def ways_of(places: dict[str, str], *names: str, length: int = 1, **options: bool) -> set[str]:
    """The ways of counters out of 1010, hexes joined."""
    return paths(stood(places, Bench(**options)), *(names or (PANZER,)), length=length)
