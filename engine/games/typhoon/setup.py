"""4.0 Setting up: the map laid out, both sides' formations in their hexes.

R-13 The Soviet player sets up first, openly, then the Axis. HQs with a printed hex stand there
already; a unit may be placed anew until its side is ready. "preset" puts a whole side where the
pack's own deployment has it. 4.0(1) Who plays which side is settled by the seats. How that goes
step by step stands in engine/games/chitpull/setup.py: `LayOut` puts out 4.0(3), 4.0(4) the boxes,
4.0(5) the HQs with a printed hex, 4.0(6) all on their full face, 4.0(7) the chits at hand, 4.0(8)
the turn marker before box 1.
"""

from collections.abc import Iterable, Mapping

from warledger.engine.games.chitpull import setup
from warledger.engine.games.chitpull.setup import Deploying, LayOut, all_placed, area_of
from warledger.engine.games.chitpull.states import OFF_MAP, hex_at
from warledger.engine.games.typhoon.draw import put_piece
from warledger.engine.games.typhoon.field import field_of
from warledger.engine.games.typhoon.movement import has_room, why_not_stacked
from warledger.engine.games.typhoon.picture import picture
from warledger.engine.games.typhoon.state import State, Unit, changed, relocated
from warledger.engine.kernel.commands import Asked
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.types import Pick, Refusal, Step, event
from warledger.protocol.board.choices import refuse, say
from warledger.protocol.board.effects import Effect, opening, tell

# --- events ---------------------------------------------------------------------------------------


@event("laid")
class BoardLaid:
    """4.0 The map is laid out, HQs with a printed hex on it (4.0(5)); every other unit waits."""


@event("deployed")
class Deployed:
    """4.0(2) A unit is set up in a hex of its formation, or moved to another one."""

    unit: str
    hex: str


@event("set_up")
class SetUpDone:
    """4.0(2) A side has finished its set-up."""

    side: str


# --- what follows ---------------------------------------------------------------------------------

after = ByEvent()


@after(BoardLaid)
def _laid(state: State, event: BoardLaid) -> State:
    """4.0(3)-4.0(6) Boxes are filled, HQs with a printed hex are placed, all on their full face."""
    data = state.data
    units = {}
    for name, type_ in data.types.items():
        if type_.hq and name in data.preset:
            units[name] = Unit(data.preset[name])
        else:
            units[name] = Unit(OFF_MAP, data.boxes.get(name, state.units[name].where))
    return changed(
        state,
        units=units,
        field=field_of(data, {name: unit.at for name, unit in units.items() if unit.at != OFF_MAP}),
    )


@after(Deployed)
def _deployed(state: State, event: Deployed) -> State:
    return relocated(state, event.unit, state.data.hex(event.hex))


@after(SetUpDone)
def _set_up(state: State, event: SetUpDone) -> State:
    return changed(state, ready=state.ready | {event.side})


# --- what clients see -----------------------------------------------------------------------------

draws = ByEvent()


@draws(BoardLaid)
def _draw_laid(before: State, event: BoardLaid, after: State) -> Iterable[Effect]:
    yield opening("game", "typhoon.game")
    yield from picture(after)
    yield tell("typhoon.laid", "4.0")


@draws(Deployed)
def _draw_deployed(before: State, event: Deployed, after: State) -> Iterable[Effect]:
    yield put_piece(after, event.unit)
    yield tell("typhoon.deployed", "4.0(2)", unit=event.unit, hex=event.hex)


@draws(SetUpDone)
def _draw_set_up(before: State, event: SetUpDone, after: State) -> Iterable[Effect]:
    yield tell("typhoon.set_up_done", "4.0(2)", side=event.side)


def bare_hexes(state: State, side: str) -> tuple[int, ...]:
    """4.0(2) Set-up hexes of a side that hold no unit yet: each must receive one."""
    stacks = state.field.stacks
    return tuple(
        i
        for group in state.data.groups
        if group.side == side and group.every_hex
        for i in group.hexes
        if i not in stacks
    )


class SetUp(setup.SetUp[State]):
    """4.0(2), R-13 A side sets up its formations."""

    verb_slot = "typhoon.verb"
    unit_slot = "typhoon.unit"
    hex_slot = "typhoon.set_up_hex"
    preset = "preset"
    prompt = say("prompt.typhoon.set_up", "4.0(2)")
    placed = Deployed
    done = SetUpDone

    def places(self, state: State) -> Mapping[str, int]:
        """The pack's own deployment."""
        return state.data.preset

    def room(self, state: State, name: str, i: int) -> bool:
        """4.0(2) At most two units a hex, HQs included."""
        return has_room(state, (name,), i)

    def whole(self, state: State, side: str) -> bool:
        """4.0(2) No set-up hex is empty."""
        return not bare_hexes(state, side)

    def no_verb(self, asked: Asked[State], verb: Pick) -> Refusal:
        """4.0(2) Nothing else is done now."""
        return refuse("4.0(2)", "refusal.typhoon.verb", pick=str(verb))

    def why_not_ready(self, asked: Asked[State]) -> Refusal:
        """4.0(2) A unit, or a hex that must receive one, is left."""
        state, side = asked.state, asked.seat
        bare = bare_hexes(state, side) if all_placed(state, side) else ()
        if bare:
            return refuse("4.0(2)", "refusal.typhoon.bare_hex", hex=state.data.name(bare[0]))
        return refuse("4.0(2)", "refusal.typhoon.not_ready")

    def why_not_unit(self, asked: Asked[State], order: Deploying, pick: Pick) -> Refusal:
        """4.0(2) Only units of the side that set up, while a hex has room."""
        return refuse("4.0(2)", "refusal.typhoon.not_in_set_up", pick=str(pick))

    def why_not_hex(self, asked: Asked[State], order: Deploying, pick: Pick) -> Refusal:
        """4.0(2) Only hexes of the unit's formation, within stacking."""
        state, unit, name = asked.state, order.unit, str(pick)
        i = hex_at(state, pick)
        if i == OFF_MAP:
            return refuse("2.1(1)5", "refusal.typhoon.no_such_hex", hex=name)
        if i not in area_of(state.data, unit):
            return refuse("4.0(2)", "refusal.typhoon.wrong_formation", hex=name, unit=unit)
        full = why_not_stacked(state, (unit,), i)
        return full or refuse("4.0(2)", "refusal.typhoon.there_already", hex=name)


STEPS: Mapping[str, Step[State]] = {
    "lay_out": LayOut(BoardLaid),
    "set_up_first": SetUp(0),
    "set_up_second": SetUp(1),
}
