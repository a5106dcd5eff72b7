"""OCS 3: what is printed on counters.

OCS 3.0 Ground units are combat units (anything with a combat strength, HQs and artillery among
them) and non-combat units (transport points, supply, bases, hedgehogs). OCS 3.1a Mobility stands by
counter side, and the two sides can differ. OCS 3.2d RE are counted in quarters.
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from attrs import frozen

COMBAT, MOVE = "combat", "move"
"""The two sides of a counter, and the modes of a unit that shows them without a marker (5.2)."""

LEG, TRACK, TRUCK = "leg", "track", "truck"
MOBILITIES = (LEG, TRACK, TRUCK)

ARMOR, MECH, OTHER, HQ, TRANSPORT = "armor", "mech", "other", "hq", "transport"
ARTILLERY = "artillery"

NONE, LIGHT, HEAVY = 0, 1, 2
"""OCS 9.4e Anti-tank levels, in rising order."""

_LEVELS = {"none": NONE, "light": LIGHT, "heavy": HEAVY}

ONE_RE = 4
"""OCS 4.6 One RE, in quarters."""


@frozen
class Face:
    """One side of a counter. `strength` is the combat strength, of artillery the barrage strength,
    of an HQ the throw range, of transport its points."""

    strength: int
    ar: int
    ma: int
    mobility: str


@frozen(slots=False)
class Counter:
    """OCS 3 What is printed on one unit's counter. A face that is not printed is None.

    `cls`        OCS 3.2a armor, mech or other, by the colour of the symbol's box; hq; transport
    `re`         OCS 3.2d, 4.6 in quarters
    `steps`      OCS 3.2d more than one make a multi-step unit
    `at`         OCS 9.4e anti-tank level
    `muf`        OCS 3.1c the formation that it belongs to, "" for none
    `independent`  OCS 3.2f neither in a formation nor multi-step
    `paren`      OCS 3.2b it only defends
    `throw_mobility`, `defence`  OCS 13.1 of an HQ: what its throw is counted in, its defence by
                 side
    `points`     OCS 3.3b of transport: its size, which is the SP that it carries
    `organic`    OCS 3.3b, 13.2 an organic truck
    `traits`     the game's own marks, as its pack names them

    What follows from these is asked thousands of times a second, and worked out once.
    """

    id: str
    name: str
    side: str
    nation: str
    kind: str
    cls: str
    size: str
    re: int
    steps: int
    at: int
    combat: Face | None
    move: Face | None
    muf: str
    independent: bool
    paren: bool
    range: int
    throw_mobility: str
    defence: tuple[int, int]
    points: int
    organic: bool
    traits: Mapping[str, Any]

    @cached_property
    def combat_unit(self) -> bool:
        """OCS 3.0 Whether it is a combat unit: all but transport."""
        return self.cls != TRANSPORT

    @cached_property
    def hq(self) -> bool:
        """OCS 13.1"""
        return self.cls == HQ

    @cached_property
    def artillery(self) -> bool:
        """OCS 13.4"""
        return self.kind == ARTILLERY

    @cached_property
    def multi_step(self) -> bool:
        """OCS 3.2d"""
        return self.steps > 1

    @cached_property
    def attacks(self) -> bool:
        """OCS 4.4 Whether it has a printed combat strength without parentheses, 0 among them."""
        return self.combat_unit and not self.hq and not self.artillery and not self.paren

    def face(self, move_side: bool) -> Face | None:
        """The side of the counter that shows."""
        return self.move if move_side else self.combat


@frozen(slots=False)
class Plane:
    """OCS 3.5, 14.1 What is printed on an aircraft. `paren` marks an air combat rating that never
    initiates (14.3a); `capacity` is in T."""

    id: str
    name: str
    side: str
    nation: str
    kind: str
    rating: int
    paren: bool
    barrage: int
    range: int
    steps: int
    capacity: int
    traits: Mapping[str, Any]

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """OCS 14.1 Its types: F, T, S, Tpt, or several of them."""
        return tuple(self.kind.split("/"))

    @cached_property
    def fighter(self) -> bool:
        """OCS 14.1, 14.5 Whether it may intercept."""
        return "F" in self.kinds

    @cached_property
    def transport(self) -> bool:
        """OCS 14.9 Whether it carries."""
        return "Tpt" in self.kinds

    @cached_property
    def strategic(self) -> bool:
        """OCS 14.1e"""
        return "S" in self.kinds


@frozen
class Marker:
    """OCS 3.6 A marker of the counter mix: `side` is "both" when either may use it."""

    id: str
    name: str
    side: str
    count: int


class BadCounter(ValueError):
    """A counter that cannot be read; the message names it and says what is wrong."""


_UNIT_KEYS = frozenset(
    [
        "id",
        "name",
        "side",
        "nation",
        "type",
        "cls",
        "size",
        "re",
        "steps",
        "at",
        "sides",
        "muf",
        "independent",
        "paren",
        "range",
        "throw_mob",
        "defence",
        "points",
        "organic",
        "src",
    ]
)
_AIR_KEYS = frozenset(
    [
        "id",
        "name",
        "side",
        "nation",
        "type",
        "acr",
        "acr_paren",
        "barrage",
        "range",
        "steps",
        "capacity",
        "src",
        "note",
    ]
)


def units(doc: Mapping[str, Any]) -> dict[str, Counter]:
    """Every unit of a pack by id, in order of ids. Raises BadCounter."""
    read = {entry["id"]: _counter(entry) for entry in doc["units"]}
    return dict(sorted(read.items()))


def planes(doc: Mapping[str, Any]) -> dict[str, Plane]:
    """Every aircraft of a pack by id, in order of ids."""
    read = {
        one["id"]: Plane(
            one["id"],
            one["name"],
            one["side"],
            one["nation"],
            one["type"],
            one["acr"],
            one["acr_paren"],
            one["barrage"],
            one["range"],
            one["steps"],
            int(str(one.get("capacity", "0")).removesuffix("T")),
            {key: value for key, value in sorted(one.items()) if key not in _AIR_KEYS},
        )
        for one in doc.get("aircraft", ())
    }
    return dict(sorted(read.items()))


def markers(doc: Mapping[str, Any]) -> dict[str, Marker]:
    """The markers of the counter mix by id."""
    return {
        one["id"]: Marker(one["id"], one["name"], one["side"], one["count"])
        for one in doc.get("markers", ())
    }


def _counter(entry: Mapping[str, Any]) -> Counter:
    name = entry.get("id", "?")
    try:
        sides = {which: Face(*printed) for which, printed in entry["sides"].items()}
        wrong = [face.mobility for face in sides.values() if face.mobility not in MOBILITIES]
        if wrong or not sides:
            raise BadCounter(f"{name}: mobility {wrong}; write leg, track or truck")
        foot, moving = entry.get("defence", (0, 0))
        return Counter(
            id=name,
            name=entry["name"],
            side=entry["side"],
            nation=entry["nation"],
            kind=entry["type"],
            cls=entry["cls"],
            size=entry["size"],
            re=entry["re"],
            steps=entry["steps"],
            at=_LEVELS[entry["at"]],
            combat=sides.get(COMBAT),
            move=sides.get(MOVE),
            muf=entry.get("muf", ""),
            independent=bool(entry.get("independent", False)),
            paren=bool(entry.get("paren", False)),
            range=entry.get("range", 0),
            throw_mobility=entry.get("throw_mob", ""),
            defence=(foot, moving),
            points=entry.get("points", 0),
            organic=bool(entry.get("organic", False)),
            traits={key: value for key, value in sorted(entry.items()) if key not in _UNIT_KEYS},
        )
    except (KeyError, TypeError) as trouble:
        raise BadCounter(f"{name}: {trouble}; see the pack's README for the form") from None
