"""What happens, and what follows from it."""

from collections.abc import Iterable
from typing import Any

from tests.toys.kiev.pack import KIEV
from tests.toys.kiev.state import Activation, Battle, State
from warledger.engine.games.chitpull import rail
from warledger.engine.games.chitpull.sides import SIDES
from warledger.engine.games.chitpull.states import OFF_MAP
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.types import (
    Refusal,
    event,
)
from warledger.protocol.board.choices import refuse
from warledger.protocol.chance.seal import Secret

# --- the events -----------------------------------------------------------------------------------


@event("laid")
class Laid:
    pass


@event("deployed")
class Deployed:
    unit: str
    hex: str


@event("ready")
class Ready:
    side: str


@event("turned")
class Turned:
    turn: int


@event("chose")
class Chose:
    side: str
    chits: Secret


@event("drew")
class Drew:
    chit: str


@event("activated")
class Activated:
    side: str
    units: tuple[str, ...]


@event("moved")
class Moved:
    units: tuple[str, ...]
    path: tuple[str, ...]


@event("fought")
class Fought:
    units: tuple[str, ...]
    target: str
    die: int
    loser: str


@event("lost")
class Lost:
    unit: str
    gone: bool


@event("advanced")
class Advanced:
    units: tuple[str, ...]
    path: tuple[str, ...]


@event("battle_over")
class BattleOver:
    target: str


@event("returned")
class Returned:
    unit: str
    hex: str


@event("spent")
class Spent:
    pass


def why(text: str) -> Refusal:
    """What every refusal of this title looks like."""
    return refuse("7", "refusal.kiev", why=text)


# --- events to states -----------------------------------------------------------------------------

_after = ByEvent()


def _at(state: State, names: Iterable[str], path: tuple[str, ...], **changes: Any) -> State:
    """With counters at the end of a path, and Kiev in the hands of who passed it last:
    chitpull.rail.changed_hands."""
    index = state.data.board.grid.index
    places = {**state.places, **dict.fromkeys(names, index[path[-1]])}
    side = state.data.types[next(iter(names))].side
    taken = rail.changed_hands({index[KIEV]: state.kiev}, side, (index[name] for name in path))
    return replace(state, places=places, kiev=side if taken else state.kiev, **changes)


@_after(Laid)
def _(state: State, event: Laid) -> State:
    return state


@_after(Deployed)
def _(state: State, event: Deployed) -> State:
    return replace(state, places={**state.places, event.unit: state.data.hex(event.hex)})


@_after(Ready)
def _(state: State, event: Ready) -> State:
    return replace(state, ready=state.ready | {event.side})


@_after(Turned)
def _(state: State, event: Turned) -> State:
    return replace(state, turn=event.turn, chosen=dict.fromkeys(SIDES), drawn=())


@_after(Chose)
def _(state: State, event: Chose) -> State:
    return replace(state, chosen={**state.chosen, event.side: event.chits})


@_after(Drew)
def _(state: State, event: Drew) -> State:
    return replace(state, drawn=(*state.drawn, event.chit))


@_after(Activated)
def _(state: State, event: Activated) -> State:
    return replace(state, activation=Activation(event.side, event.units))


@_after(Moved)
def _(state: State, event: Moved) -> State:
    assert state.activation is not None
    activation = replace(state.activation, moved=state.activation.moved.union(event.units))
    return _at(state, event.units, event.path[1:], activation=activation)


@_after(Fought)
def _(state: State, event: Fought) -> State:
    activation, target = state.activation, state.data.hex(event.target)
    assert activation is not None
    activation = replace(
        activation,
        fought=activation.fought.union(event.units),
        targets=(*activation.targets, target),
    )
    return replace(state, activation=activation, battle=Battle(target, event.units, event.loser))


@_after(Lost)
def _(state: State, event: Lost) -> State:
    if not event.gone:
        return replace(state, reduced=state.reduced | {event.unit})
    return replace(
        state, places={**state.places, event.unit: OFF_MAP}, reduced=state.reduced - {event.unit}
    )


@_after(Advanced)
def _(state: State, event: Advanced) -> State:
    assert state.battle is not None
    return _at(
        state,
        event.units,
        event.path[1:],
        battle=replace(state.battle, advanced=state.battle.advanced.union(event.units)),
    )


@_after(BattleOver)
def _(state: State, event: BattleOver) -> State:
    return replace(state, battle=None)


@_after(Returned)
def _(state: State, event: Returned) -> State:
    return _at(state, (event.unit,), (event.hex,))


@_after(Spent)
def _(state: State, event: Spent) -> State:
    return replace(state, activation=None)


EVOLVE = dict(_after)
