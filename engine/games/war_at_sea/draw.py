"""How ships, boats and markers are drawn, for the effects of all chapters.

A ship's face is "nation class gunnery-armor-speed(airstrike)". Face-down ships (18.2) are drawn for
the Allied player alone, under sealed names; everybody sees how many lie in each place. Nothing here
may depend on who they are: the number and order of effects are public facts.
"""

from collections.abc import Iterator
from types import MappingProxyType
from typing import Any

from warledger.engine.games.war_at_sea.data import ALLIED, CARRIER, SEATS, Counter
from warledger.engine.games.war_at_sea.state import BOXES, TRACK, Ship, State
from warledger.protocol.board.effects import Effect, count, mark, put
from warledger.protocol.chance.seal import Secret

READERS = (ALLIED,)
UBOAT_FACE = "de U 1-0"
AIR_PIECE = MappingProxyType({side: f"air_{side}" for side in SEATS})
CONTROL_MARK = MappingProxyType({side: f"control_{side}" for side in SEATS})
FLAGS = ("disabled", "failed", "escaped", "replenished", "free", "pressed")
"""What a ship shows beside its damage."""


def face(ship: Ship) -> str:
    """What stands on a counter: nation, class, and the printed values."""
    return printed(ship, ship.nation, plus=ship.plus)


def printed(ship: Ship | Counter, nation: str, *, plus: bool) -> str:
    """3.2 What stands on the counter of a ship in the hands of a nation (16.5)."""
    air = f"({ship.airstrike})" if ship.kind == CARRIER else ""
    sign = "+" if plus else ""
    return f"{nation} {ship.kind} {ship.gunnery}-{ship.armor}-{ship.speed}{air}{sign}"


def shown_place(state: State, ship: Ship) -> str:
    """Where a client shows the ship: reinforcements lie in their turn's box of the track (4.2)."""
    return f"turn_{state.data.counters[ship.id].arrival}" if ship.place == TRACK else ship.place


def who(ship: Ship) -> Any:
    """The ship's name as others may read it."""
    return Secret(ship.id, READERS) if ship.down else ship.id


def counts(state: State) -> Iterator[Effect]:
    """18.2, R43 How many face-down ships lie in each area and port."""
    for place in (*state.data.areas, *state.data.ports):
        yield count(place, state.face_down(place))


def draw_ship(state: State, ship: Ship) -> Iterator[Effect]:
    """A ship with its markers, in an empty spot."""
    name = who(ship)
    if ship.down:
        yield put(name, ship.place, Secret(face(ship), READERS), ALLIED)
        yield mark(name, "damage", Secret(ship.damage, READERS))
        yield mark(name, "failed", Secret(int(ship.failed), READERS))
        return
    yield put(name, shown_place(state, ship), face(ship), ship.side)
    if ship.place in BOXES:
        return
    if ship.damage:
        yield mark(name, "damage", ship.damage)
    for flag in FLAGS:
        if getattr(ship, flag):
            yield mark(name, flag, 1)
