"""OCS 0: a scenario as its file says it: length, who holds what, what stands where, what arrives.

Only the set-up is worked into indices here. Conditions of victory, supply and events stay as the
file has them, for the title to read in the chapter that decides them.
"""

from collections.abc import Mapping
from typing import Any

from attrs import frozen

from warledger.engine.board.hexsets import Hexes
from warledger.engine.games.ocs.series.board import Board, Source, source_of
from warledger.protocol.board import scenarios
from warledger.protocol.texts.words import words_of

Place = int | str
"""A hex by its index, or the id of a box."""


@frozen
class BaseAtStart:
    """An air base, or an air box (level 0), with the aircraft there."""

    at: Place
    side: str
    level: int
    active: tuple[str, ...]
    inactive: tuple[str, ...]


@frozen
class Arrival:
    """OCS 13.6 What comes on a turn. `kind` says what `at` names: "entry" areas, "hexes" (and those
    up to `within` hexes away), an "area", a "marker", or a "base" for aircraft."""

    number: int
    turn: int
    side: str
    kind: str
    pieces: tuple[str, ...]
    at: tuple[str, ...]
    steps_lost: Mapping[str, int]
    traits: Mapping[str, Any]


@frozen(eq=False, repr=False)
class Scenario:
    """One scenario. Compared by identity.

    `control`      hexes of each side before the first turn (13.3h, the game's 1.7)
    `play`         hexes in play
    `modes`        units that do not begin in Combat mode
    `supply_at`    (side, place) -> T on the ground
    `beyond`       hexes out of play through which units that begin there may come into play; 0
                   where none does
    `must_enter`   those of them that have to, by the turn `must_enter_turn`
    """

    id: str
    title: str
    first_turn: int
    last_turn: int
    first_player: str
    ground: str
    flight: str
    reserve_markers: Mapping[str, int]
    control: Mapping[str, Hexes]
    play: Hexes
    at: Mapping[str, int]
    modes: Mapping[str, str]
    steps_lost: Mapping[str, int]
    hedgehogs: Mapping[int, int]
    supply_at: Mapping[str, Mapping[Place, int]]
    bases: tuple[BaseAtStart, ...]
    markers: Mapping[str, tuple[Place, ...]]
    marker_count: Mapping[str, int]
    sources: tuple[Source, ...]
    arrivals: tuple[Arrival, ...]
    pools: Mapping[str, tuple[str, ...]]
    beyond: Hexes
    must_enter: tuple[str, ...]
    must_enter_turn: int
    doc: Mapping[str, Any]
    """The whole file: `[supply]`, `[victory]`, `[special]`, `[[event]]`, `[[withdrawal]]`."""


def turns_of(pack: Mapping[str, Any], name: str) -> int:
    """OCS 2.3 How many turns a scenario of a pack has, the first and the last among them. Raises
    KeyError for a scenario that the pack does not have."""
    head = scenarios.scenario(pack, name)["scenario"]
    return int(head["last_turn"]) - int(head["first_turn"]) + 1


def place_of(board: Board, name: str) -> Place:
    """A hex's index, or the id of a box as it stands."""
    return name if name in board.boxes else board.hex(name)


def place_name(board: Board, place: Place) -> str:
    """The printed id of a place."""
    return place if isinstance(place, str) else board.name(place)


def scenario(doc: Mapping[str, Any], board: Board, sides: tuple[str, str]) -> Scenario:
    """Read one scenario's file. Raises KeyError or UnknownHex for one that is not whole."""
    head = doc["scenario"]
    rows = "".join(doc["control"]["rows"])
    legend = doc["control"]["legend"]
    control = dict.fromkeys(sides, 0)
    for sign, what in legend.items():
        if what in control:
            # the first sign of the picture is hex 0, the lowest bit
            text = rows.translate(
                {ord(c): "1" if c == sign else "0" for c in sorted({*rows, sign})}
            )
            control[what] = int(text[::-1], 2)
    supply: dict[str, dict[Place, int]] = {side: {} for side in sides}
    for name, lying in doc.get("sp", {}).items():
        supply[lying["side"]][place_of(board, name)] = 4 * lying["sp"]
    markers: dict[str, tuple[Place, ...]] = {}
    count: dict[str, int] = {}
    for one in doc.get("marker", ()):
        markers[one["id"]] = (*markers.get(one["id"], ()), place_of(board, one["at"]))
        if one.get("count", 1) > 1:
            count[one["id"]] = one["count"]
    weather, special = head["weather_turn_1"], doc.get("special", {})
    play = control[sides[0]] | control[sides[1]]
    return Scenario(
        id=head["id"],
        title=head["title"],
        first_turn=head["first_turn"],
        last_turn=head["last_turn"],
        first_player=head["first_player_turn_1"],
        ground=weather["ground"],
        flight=weather["flight"],
        reserve_markers=dict(head["reserve_markers"]),
        control=control,
        play=play,
        at={unit: board.hex(name) for name, ids in doc["on_map"].items() for unit in words_of(ids)},
        modes={unit: mode for mode, ids in doc["mode"].items() for unit in words_of(ids)},
        steps_lost=dict(doc["steps_lost"]),
        hedgehogs={board.hex(name): level for name, level in doc["hedgehogs"].items()},
        supply_at=supply,
        bases=tuple(
            BaseAtStart(
                place_of(board, one["at"]),
                one["side"],
                one.get("level", 0),
                tuple(words_of(one["active"])),
                tuple(words_of(one["inactive"])),
            )
            for one in doc.get("air", ())
        ),
        markers=markers,
        marker_count=count,
        sources=tuple(source_of(board.map, one) for one in doc.get("source", ())),
        arrivals=tuple(
            Arrival(
                number,
                one["turn"],
                one["side"],
                one["kind"],
                tuple(words_of(one["pieces"])),
                tuple(words_of(one.get("at", ""))),
                dict(one.get("steps_lost", {})),
                one,
            )
            for number, one in enumerate(doc.get("arrival", ()))
        ),
        pools={f"box.{box}": tuple(words_of(ids)) for box, ids in doc.get("pool", {}).items()},
        beyond=board.every & ~play if special.get("beyond_play_area") else 0,
        must_enter=tuple(words_of(special.get("must_enter", ""))),
        must_enter_turn=special.get("must_enter_turn", 0),
        doc=doc,
    )
