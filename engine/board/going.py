"""What moving costs: terrain, hexside and road costs as data, compiled with a map into arrays that
paths.py walks.

Every cost is in HALF POINTS, so that half a point a hex along a road is a whole number. `halves`
reads the numbers of a pack. A `Going` is one mobility class in one weather and one way of moving
(normal, or along roads only). A title builds the few it needs from its tables and keeps the
`Compiled` results. A `Compiled` is immutable and holds, for every hex, the steps that are possible
at all. Zones of control and pieces come later, at each question.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from attrs import frozen

from warledger.engine.board.hexmap import HexMap
from warledger.protocol.board.ranges import is_digits

# Properties of a step other than its cost. A step with none of these is "plain", the fast case.
FIRST_ONLY = 1  # only as the first step of a move
ENDS_MOVE = 2  # no step after it
# costs all of an unspent allowance, whatever that is, zone surcharges included; so a first and last
# step
WHOLE_ALLOWANCE = 4
NOT_BETWEEN_ZONES = 8  # forbidden if both hexes lie in enemy zones of control

NO_ENTRY = None

Step = tuple[int, int, int]  # hex entered, half points, flags


def halves(value: object) -> int:
    """A number of movement points as half points: 2 -> 4, "1/2" -> 1, "0.5" -> 1, "1.5" -> 3;
    ValueError says what to write."""
    if isinstance(value, int) and not isinstance(value, bool):
        return 2 * value
    if isinstance(value, str):
        top, slash, bottom = value.partition("/")
        whole, dot, part = value.partition(".")
        if slash and is_digits(top) and bottom in ("1", "2"):
            return int(top) * (3 - int(bottom))
        if is_digits(whole) and (not dot or part.rstrip("0") in ("", "5")):
            return 2 * int(whole) + (part[:1] == "5")
    raise ValueError(
        f"{value!r} is not a number of movement points; write a whole number, or halves as "
        '"1/2" or "1.5"'
    )


@frozen
class Crossing:
    """What crossing a river hexside of one class means; all of it lifted on bridged hexsides by
    giving two Crossings."""

    extra: int = 0
    flags: int = 0
    forbidden: bool = False


@frozen
class Going:
    """Movement costs of one mobility class, in half points.

    `terrain` gives the cost of entering, NO_ENTRY where a hex is closed. `place` replaces it in
    hexes with such a place. `link` is the cost of a step along such a road or railway, which
    ignores terrain (the cheapest of links and terrain counts). `links_only` closes every other
    step. `join` names places whose neighbouring hexes count as joined by a bridged link at that
    cost (big cities).
    """

    terrain: Mapping[str, int | None]
    place: Mapping[str, int | None]
    unbridged: Mapping[str, Crossing]
    bridged: Mapping[str, Crossing]
    link: Mapping[str, int]
    links_only: bool = False
    join: Mapping[str, int] = {}


@frozen(eq=False)
class Compiled:
    """A map and a `Going` together: `plain[i]` are (hex, half points) steps from hex i,
    `special[i]` the steps with flags.

    Within a hex the steps are in the grid's order of directions. `least` are the fewest half
    points that a step can cost, `cubes` the cube coordinates of each hex: together they say what a
    goal costs at least. Empty when nobody may rely on it.
    """

    hexes: int
    plain: tuple[tuple[tuple[int, int], ...], ...]
    special: tuple[tuple[Step, ...], ...]
    least: int = 0
    cubes: tuple[tuple[int, int], ...] = ()

    def step(self, a: int, b: int) -> Step | None:
        """The step from a to b, None if it can never be made."""
        for to, cost in self.plain[a]:
            if to == b:
                return to, cost, 0
        return next((s for s in self.special[a] if s[0] == b), None)


def compile_going(board: HexMap, going: Going) -> Compiled:
    """Work out every possible step on a map. ValueError if a terrain, place or river class of the
    map has no cost."""
    _complete(board, going)
    enter = _entry_costs(board, going)
    joined = {i: going.join[p.kind] for i, p in board.places.items() if p.kind in going.join}
    links = [(board.links[kind], cost) for kind, cost in going.link.items() if kind in board.links]
    sides = board.sides
    impassable, bridged, links_only = sides.impassable, sides.bridged, going.links_only
    known = _anything_on(board, [table for table, _ in links], joined)
    plain: list[tuple[tuple[int, int], ...]] = []
    special: list[tuple[Step, ...]] = []
    costs: set[int] = set()
    for a, around in enumerate(board.grid.neighbours):
        easy, hard = [], []
        at = a * 6 - 1
        for b in around:
            at += 1
            if b < 0 or impassable[at]:
                continue
            cost = enter[b]
            if not known[at]:  # most hexsides: no river, road nor railway
                if cost is None or links_only:
                    continue
                crossing = _DRY
            else:
                along = [cost for table, cost in links if table[at]]
                if a in joined and b in joined:
                    along.append(joined[b])
                crossing = _crossing(
                    board, going, at, bridged=bool(bridged[at]) or (a in joined and b in joined)
                )
                if along:
                    cost = min(along) if cost is None else min(*along, cost + crossing.extra)
                elif links_only or cost is None:
                    continue
                else:
                    cost += crossing.extra
                if crossing.forbidden:
                    continue
            if cost < 1:
                raise ValueError(
                    f"the step {board.grid.ids[a]}-{board.grid.ids[b]} costs nothing; "
                    "every step must cost half a point or more"
                )
            costs.add(cost)
            if crossing.flags:
                whole = FIRST_ONLY | ENDS_MOVE if crossing.flags & WHOLE_ALLOWANCE else 0
                hard.append((b, cost, crossing.flags | whole))
            else:
                easy.append((b, cost))
        plain.append(tuple(easy))
        special.append(tuple(hard))
    return Compiled(
        len(board.grid), tuple(plain), tuple(special), min(costs, default=0), board.grid.cubes()
    )


def _anything_on(board: HexMap, links: Sequence[bytes], joined: Collection[int]) -> bytes:
    """A table over hexsides: not 0 where a river runs, a link crosses, or two joined places
    touch."""
    every = int.from_bytes(board.sides.river, "big")
    for table in links:
        every |= int.from_bytes(table, "big")
    found = bytearray(every.to_bytes(len(board.sides.river), "big"))
    for a in joined:
        for d, b in enumerate(board.grid.neighbours[a]):
            if b in joined:
                found[a * 6 + d] = 1
    return bytes(found)


_DRY = Crossing()


def _crossing(board: HexMap, going: Going, at: int, *, bridged: bool) -> Crossing:
    kind = board.sides.river_class(at)
    if kind is None:
        return _DRY
    return going.bridged.get(kind, _DRY) if bridged else going.unbridged[kind]


def _entry_costs(board: HexMap, going: Going) -> list[int | None]:
    costs = [going.terrain[board.terrain_at(i)] for i in range(len(board.grid))]
    for i, place in board.places.items():
        if place.kind in going.place:
            costs[i] = going.place[place.kind]
    return costs


def _complete(board: HexMap, going: Going) -> None:
    for what, used, given in (
        ("terrain", [board.terrains[k] for k in sorted(set(board.terrain))], going.terrain),
        (
            "river class",
            [board.sides.classes[k - 1] for k in sorted(set(board.sides.river)) if k],
            going.unbridged,
        ),
    ):
        lacking = [name for name in used if name not in given]
        if lacking:
            raise ValueError(
                f"no cost is given for {what} {', '.join(lacking)}, which the map uses"
            )


def going_from_tables(
    tables: Mapping[str, Any],
    mobility: str,
    *,
    march: bool = False,
    counts_as: Mapping[str, str] | None = None,
    roads: bool = True,
) -> Going:
    """The `Going` of one mobility class (the suffix of `move_…` in tables.toml) from a pack's
    tables document.

    `march` = along roads only, at the march cost. `counts_as` replaces terrain by weather (plain ->
    light forest). `roads` = False takes away the roads' cost but no bridge.
    """
    column = f"move_{mobility}"
    terrain = tables["terrain"]
    movement = tables["movement"]

    def cost(name: str) -> int | None:
        return halves(terrain[(counts_as or {}).get(name, name)][column]) or NO_ENTRY

    places = {
        k: halves(v[column]) or NO_ENTRY
        for k, v in tables.get("place", {}).items()
        if v.get("mode") == "replaces" and column in v
    }
    along = {"road": halves(movement["march_road" if march else "road"])} if roads or march else {}
    join = {
        k: along["road"] if "road" in along else halves(v.get(column, movement["road"]))
        for k, v in tables.get("place", {}).items()
        if v.get("linked_as_road")
    }
    return Going(
        terrain={name: cost(name) for name in terrain},
        place=places,
        unbridged={
            k: _crossing_from(v, bridged=False) for k, v in tables.get("hexside", {}).items()
        },
        bridged={k: _crossing_from(v, bridged=True) for k, v in tables.get("hexside", {}).items()},
        link=along,
        links_only=march,
        join=join,
    )


def _crossing_from(entry: Mapping[str, Any], *, bridged: bool) -> Crossing:
    """One [hexside] entry: `…_bridged` keys hold for bridged hexsides, which lift every other
    effect."""
    if bridged:
        flags = NOT_BETWEEN_ZONES if entry.get("forbidden_between_ezoc_bridged") else 0
        return Crossing(halves(entry.get("move_extra_bridged", 0)), flags)
    flags = (
        (FIRST_ONLY if entry.get("needs_start_adjacent") else 0)
        | (ENDS_MOVE if entry.get("ends_move") else 0)
        | (WHOLE_ALLOWANCE if entry.get("takes_whole_allowance") else 0)
        | (NOT_BETWEEN_ZONES if entry.get("forbidden_between_ezoc") else 0)
    )
    return Crossing(halves(entry.get("move_extra", 0)), flags, bool(entry.get("forbidden", False)))
