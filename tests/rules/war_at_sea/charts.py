"""Positions for tests of everything but combat: a few ships where a test wants them, all others out
of the game, and play at any step."""

from collections.abc import Mapping
from typing import Any

from warledger.engine.games.war_at_sea import RULES
from warledger.engine.games.war_at_sea.state import REMOVED, TRACK, State
from warledger.engine.games.war_at_sea.victory import Scored
from warledger.engine.kernel.change import replace
from warledger.engine.packfiles import read_pack
from warledger.engine.testing.rig import Rig

NS = "north_sea"
NA = "north_atlantic"
SA = "south_atlantic"
BAR = "barents_sea"
BAL = "baltic_sea"
MED = "mediterranean"
CONVOY = "convoy_1a"

PACK = read_pack("war_at_sea")
WAY = {
    name: (*above, name)
    for above, names in (
        (
            ("game", "turns", "turn"),
            (
                "begin_turn",
                "reinforcements",
                "movement",
                "uboats",
                "airstrike_markers",
                "control",
                "return",
                "scoring",
            ),
        ),
        (
            ("game", "turns", "turn", "reinforcements"),
            ("italian_check", "close_france", "reinforce"),
        ),
        (
            ("game", "turns", "turn", "movement"),
            (
                "american_rolls",
                "soviet_rolls",
                "turn_down",
                "allied_sail",
                "axis_sail",
                "axis_speed_rolls",
                "lift_control",
            ),
        ),
        (("game", "turns", "turn", "uboats"), ("place_uboats",)),
        (("game", "turns", "turn", "airstrike_markers"), ("allied_air", "axis_air")),
        (
            ("game", "turns", "turn", "return"),
            ("convoys_to_russia", "convoy_in_atlantic", "replenish", "axis_return_without_choice"),
        ),
        (("game", "turns", "turn", "scoring"), ("score",)),
        (("game",), ("deploy", "turns")),
    )
    for name in names
}
"""Step -> the frames it stands in."""


def chart(
    step: str,
    places: Mapping[str, str],
    *,
    turn: int = 1,
    boats: Mapping[str, int] | None = None,
    damage: Mapping[str, int] | None = None,
    control: Mapping[str, str] | None = None,
    changes: Mapping[str, Mapping[str, Any]] | None = None,
    options: Mapping[str, Any] | None = None,
    dice: tuple[int, ...] = (),
    seed: int | None = None,
    **fields: Any,
) -> Rig[State]:
    """The rig at a step. `places` ship -> place; `boats` place -> how many; `control` area -> side;
    `changes` other fields of ships; `dice` are queued before the rules begin to run; other
    arguments are fields of the state."""
    rig: Rig[State] = Rig(RULES, PACK, options=options, seed=seed)
    state = rig.state
    ships = {
        name: replace(ship, place=REMOVED, origin=REMOVED) for name, ship in state.ships.items()
    }
    for name, place in places.items():
        ships[name] = replace(ships[name], place=place, origin=place)
    for name, points in (damage or {}).items():
        ships[name] = replace(ships[name], damage=points)
    for name, changed in (changes or {}).items():
        ships[name] = replace(ships[name], **changed)
    where = [place for place, n in (boats or {}).items() for _ in range(n)]
    uboats = {
        boat: where[index] if index < len(where) else TRACK
        for index, boat in enumerate(state.uboats)
    }
    markers = {**dict.fromkeys(state.data.areas, ""), **(control or {})}
    rig.change(turn=turn, phase="movement", ships=ships, uboats=uboats, control=markers, **fields)
    rig.dice(*dice)
    rig.jump(*WAY[step])
    return rig


def place(rig: Rig[State], ship: str) -> str:
    """Where a ship is."""
    return rig.state.ships[ship].place


def happened(rig: Rig[State], kind: type[Any]) -> list[Any]:
    """Events of one class in the last record or jump."""
    return [event for event in rig.events if type(event) is kind]


def pass_on(rig: Rig[State], *until: str) -> None:
    """Everybody does nothing until somebody is asked one of these prompts (without
    "prompt.war_at_sea."), or the game ends."""
    wanted = {f"prompt.war_at_sea.{key}" for key in until}
    while rig.position.outcome is None:
        asked = rig.asked()
        if wanted & set(asked.values()):
            return
        seat = next(iter(asked))
        verb = next(
            verb
            for verb in ("done", "pass", "hold_fire", "stay", "pass_by")
            if verb in rig.options(seat)
        )
        rig.do(seat, verb)


def seas(rig: Rig[State], seat: str, ship: str) -> set[str]:
    """Every area or port in which a ship's movement may end, its own place included."""
    ends = {place(rig, ship)}
    for first in rig.options(seat, "sail", ship):
        if str(first) not in rig.state.ships:
            ends.add(str(first))
            ends.update(str(second) for second in rig.options(seat, "sail", ship, first))
    return ends


SHIP = "gneisenau"


def markers(allied: tuple[str, ...], axis: tuple[str, ...]) -> dict[str, str]:
    """Control by area."""
    return {**dict.fromkeys(allied, "allied"), **dict.fromkeys(axis, "axis")}


FREE = {"free": True}

QUIET = (
    "done",
    "pass",
    "hold_fire",
    "stay",
    "carriers_silent",
    "break_off_all",
    "let_go",
    "together",
)


def quiet(rig: Rig[State], turn: int) -> list[Any]:
    """Everybody does as little as possible until a turn begins or the game ends; returns the events
    on the way."""
    found: list[Any] = []
    while rig.state.turn < turn and rig.position.outcome is None:
        seat = next(iter(rig.asked()))
        offered = rig.options(seat)
        verb = next((verb for verb in QUIET if verb in offered), offered[0])
        picks: tuple[Any, ...] = (verb,)
        if verb in ("return", "put_back", "retire"):
            picks = (verb, rig.options(seat, verb)[0])
        found.extend(rig.do(seat, *picks))
    return found


def scores(events: list[Any]) -> list[tuple[int, int]]:
    """(Allied, Axis) penalty of each turn scored."""
    return [(event.allied[2], event.axis[2]) for event in events if type(event) is Scored]
