"""How units, chits and tracks are drawn, for the effects of all chapters. What depends on a secret
is drawn as a Secret.

Places off the map: set_up, the boxes, eliminated; for chits: chits.SIDE (at hand, in the cup or in
hand alike, since nobody may see which), in_hand (being executed), used.SIDE. What a side has chosen
is shown to that side alone, as the tracks chosen.SIDE and guderian_kept.
"""

from collections.abc import Iterable

from warledger.engine.games.chitpull import chits as cups
from warledger.engine.games.chitpull.sides import SIDES
from warledger.engine.games.chitpull.states import OFF_MAP
from warledger.engine.games.typhoon.state import State
from warledger.protocol.board.effects import Effect, put, track
from warledger.protocol.chance.seal import Secret

FULL, REDUCED = "full", "reduced"
ACTIVATED, ATTACKED = "activated", "attacked"
COMMON = "common"


def face(state: State, name: str) -> str:
    """2.21(3) The face that a unit shows."""
    return REDUCED if state.units[name].reduced else FULL


def place(state: State, name: str) -> str:
    """Where a unit is, as clients know it."""
    unit = state.units[name]
    return state.data.name(unit.at) if unit.at != OFF_MAP else unit.where


def put_piece(state: State, name: str) -> Effect:
    """2.21(1) The colour is the owner's. R-47 Units are open to everybody."""
    return put(name, place(state, name), face(state, name), state.data.types[name].side)


def put_chit(state: State, chit: str) -> Effect:
    side = state.data.chits[chit].side
    return put(
        chit,
        cups.place(chit, side, state.cup.in_hand, state.cup.drawn),
        "",
        "" if side == COMMON else side,
    )


def chits_in_play(state: State) -> Iterable[str]:
    """4.0(7), R-07 Every chit of the game; RESERVE and OKH only with rule 15.1."""
    return (
        chit.id
        for chit in state.data.chits.values()
        if not chit.optional or state.option("reserve_okh")
    )


def choice(state: State) -> Iterable[Effect]:
    for side in SIDES:
        chosen = state.cup.chosen[side]
        yield track(
            f"chosen.{side}", "" if chosen is None else Secret(chosen.value, chosen.readers)
        )
    kept = state.cup.kept
    yield track(
        "guderian_kept", "" if kept is None else Secret("yes" if kept.value else "no", kept.readers)
    )


WEATHERS = {
    "clear": "typhoon.weather.clear",
    "mud": "typhoon.weather.mud",
    "frost": "typhoon.weather.frost",
    "snow": "typhoon.weather.snow",
}


def weather(state: State) -> Effect:
    return track("weather", state.weather.name)
