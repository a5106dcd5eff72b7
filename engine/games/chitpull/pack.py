"""The part of a pack that every title of the family reads alike: counters, set-up areas,
deployment, and what the map makes closed.

A title's own data are `Charts` with more fields; its types and chits may say more than `Printed`
and `Chit` do.
"""

from collections.abc import Callable, Container, Iterable, Mapping
from typing import Any, TypeVar

from attrs import frozen

from warledger.engine.board.going import halves
from warledger.engine.board.hexmap import HexMap
from warledger.engine.board.stacking import Piece
from warledger.engine.games.chitpull.sides import MECH, OTHER
from warledger.protocol.texts.words import words_of

HQ_CHIT = "hq"
"""The kind of a chit that activates one HQ."""


class BadCounters(ValueError):
    """Counters, turns or set-up that a title cannot use: names the entry and what to do."""


@frozen
class Printed:
    """VL 2.2, 2.2.1, 2.2.2, 2.3, 2.3.2; TY 2.2, 2.21(2)1, 2.21(2)2, 2.21(2)3, 2.21(2)4 What is
    printed on a counter, unit or HQ.

    Strengths are (attack, defence), `reduced` those of the other face, None where there is none (VL
    2.2.3; TY 2.21(3), R-05). `move` is in half points, `range` an HQ's command range, and `group`
    its set-up area, "" for what comes later.
    """

    id: str
    side: str
    kind: str
    hq: bool
    mech: bool
    move: int
    full: tuple[int, int]
    reduced: tuple[int, int] | None
    range: int
    group: str
    piece: Piece

    @property
    def going(self) -> str:
        """VL 8.1.2; TY 2.21(2)5 Its column of the terrain effects chart."""
        return MECH if self.mech else OTHER

    def strength(self, reduced: bool) -> tuple[int, int]:
        """VL 2.2.2; TY 2.21(2)5 (attack, defence) on the face that shows."""
        return self.reduced if reduced and self.reduced is not None else self.full

    def steps(self, reduced: bool) -> int:
        """VL 2.2.3; TY 2.21(3), R-05 Steps that the counter can still lose: one for each face it
        still has."""
        return 2 if self.reduced is not None and not reduced else 1


@frozen
class Chit:
    """VL 2.4; TY 2.23 A command chit: `hq` is the HQ that it activates, "" for those of another
    kind."""

    id: str
    side: str
    kind: str
    hq: str


@frozen
class Group:
    """VL 3.0; TY 4.0(2) A set-up area: its units go to `hexes`, its HQs to `hq_hexes`; none may
    stay empty when `every_hex`."""

    id: str
    side: str
    hexes: tuple[int, ...]
    hq_hexes: tuple[int, ...]
    units: tuple[str, ...]
    every_hex: bool


P = TypeVar("P", bound=Printed)


@frozen(eq=False, repr=False)
class Charts:
    """What the family's functions ask of a title's data. Compared by identity."""

    board: HexMap
    types: Mapping[str, Printed]
    groups: tuple[Group, ...]

    def hex(self, name: str) -> int:
        """The index of a printed hex id."""
        return self.board.grid.index[name]

    def name(self, i: int) -> str:
        """The printed id of a hex."""
        return self.board.grid.ids[i]


def printed(
    counters: Mapping[str, Any],
    make: Callable[[Mapping[str, Any], tuple[int, int], tuple[int, int] | None], P],
) -> dict[str, P]:
    """Every unit and HQ by id, in order of ids; `make` gets the entry with its full and its reduced
    face.

    Raises BadCounters for an id that occurs twice or a face without two numbers. An entry without a
    full face has no strength.
    """
    found: dict[str, P] = {}
    for entry in (*counters["units"], *counters["hqs"]):
        name = entry["id"]
        if name in found:
            raise BadCounters(
                f"counters.toml: {name} is listed twice; give every counter its own id"
            )
        full, reduced = (
            tuple(entry[face]) if face in entry else None for face in ("full", "reduced")
        )
        if any(face is not None and len(face) != 2 for face in (full, reduced)):
            raise BadCounters(f"counters.toml: {name} needs full (and reduced) = [attack, defence]")
        found[name] = make(entry, full or (0, 0), reduced)
    return dict(sorted(found.items()))


def areas(
    setup: Mapping[str, Any], board: HexMap, types: Mapping[str, Printed]
) -> tuple[Group, ...]:
    """The set-up areas with what belongs there. Raises BadCounters for an area that the map does
    not have."""
    found = []
    for entry in setup["group"]:
        if "area" not in entry:
            continue  # what waits in a box has a group and no area
        area = board.areas.get(entry["area"])
        if area is None:
            raise BadCounters(
                f"setup.toml, group {entry['id']}: map.toml has no area {entry['area']}; "
                "name one that it has"
            )
        units = tuple(
            name
            for name, type_ in types.items()
            if type_.group == entry["id"] and type_.side == entry["side"]
        )
        hq_hexes = (*area.hexes, *area.data.get("hq_hexes", ()))
        found.append(
            Group(
                entry["id"],
                entry["side"],
                area.hexes,
                hq_hexes,
                units,
                bool(entry.get("every_hex", False)),
            )
        )
    return tuple(found)


def deployment(
    setup: Mapping[str, Any], board: HexMap, types: Mapping[str, Printed]
) -> dict[str, int]:
    """The pack's own set-up: counter -> hex, in order of ids."""
    rows = sorted(setup["on_map"].items())
    return dict(
        sorted(
            (name, board.grid.at(at))
            for at, words in rows
            for name in listed(words, types, f"setup.toml [on_map] {at}")
        )
    )


def listed(words: str, known: Container[str], where: str) -> Iterable[str]:
    """The ids in a text. Raises BadCounters for one that is not known, naming the place."""
    for name in words_of(words):
        if name not in known:
            raise BadCounters(f"{where}: {name} is not in counters.toml; correct the id")
        yield name


def no_going(tables: Mapping[str, Any]) -> list[str]:
    """Terrain that nobody can enter: water."""
    return [
        name
        for name, entry in tables["terrain"].items()
        if not halves(entry["move_mech"]) and not halves(entry["move_other"])
    ]


def of_classes(board: HexMap, sides: Mapping[str, Any], key: str, default: int) -> bytes:
    """For each hexside slot what the tables say of the river along it; the default where they say
    nothing or no river runs."""
    river, values = board.sides.river, bytearray(256)
    for k in sorted(set(river)):
        values[k] = int(sides[board.sides.classes[k - 1]].get(key, default)) if k else default
    return river.translate(values)
