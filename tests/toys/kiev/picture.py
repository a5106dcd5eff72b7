"""What clients draw."""

from collections.abc import Iterable
from typing import Any

from tests.toys.kiev.events import (
    Activated,
    Advanced,
    BattleOver,
    Chose,
    Deployed,
    Drew,
    Fought,
    Laid,
    Lost,
    Moved,
    Ready,
    Returned,
    Spent,
    Turned,
)
from tests.toys.kiev.pack import KIEV
from tests.toys.kiev.state import State, unseen
from warledger.engine.games.chitpull.sides import SOVIET
from warledger.engine.games.chitpull.states import OFF_MAP
from warledger.engine.kernel.dispatch import ByEvent
from warledger.protocol.board.effects import (
    Effect,
    count,
    flip,
    mark,
    move,
    opening,
    put,
    roll,
    take,
    tell,
    track,
)

_draws = ByEvent()


def _kiev(state: State) -> Effect:
    return mark(KIEV, SOVIET, int(state.kiev == SOVIET))


def _put(state: State, name: str) -> Effect:
    i, side = state.at(name), state.data.types[name].side
    place = state.data.name(i) if i != OFF_MAP else "box" if side in state.ready else "set_up"
    return put(name, place, int(name not in state.reduced), side)


def picture(state: State) -> Iterable[Effect]:
    """The whole table."""
    yield from (_put(state, name) for name in state.places)
    yield _kiev(state)
    yield track("turn", state.turn)
    yield count("unseen", unseen(state))


@_draws(Laid)
def _(before: State, event: Laid, after: State) -> Iterable[Effect]:
    return picture(after)


@_draws(Deployed)
def _(before: State, event: Deployed, after: State) -> Iterable[Effect]:
    return (_put(after, event.unit),)


@_draws(Ready)
def _(before: State, event: Ready, after: State) -> Iterable[Effect]:
    return (tell("kiev.ready", "0", side=event.side),)


@_draws(Turned)
def _(before: State, event: Turned, after: State) -> Iterable[Effect]:
    return (
        opening("turn", "kiev.turn", turn=event.turn),
        track("turn", event.turn),
        count("unseen", 0),
    )


@_draws(Chose)
def _(before: State, event: Chose, after: State) -> Iterable[Effect]:
    return (count("unseen", unseen(after)), tell("kiev.chose", "2", side=event.side))


@_draws(Drew)
def _(before: State, event: Drew, after: State) -> Iterable[Effect]:
    return (count("unseen", unseen(after)), tell("kiev.drew", "3", chit=event.chit))


@_draws(Activated, BattleOver, Spent)
def _(before: State, event: Any, after: State) -> Iterable[Effect]:
    return ()


@_draws(Moved, Advanced)
def _(before: State, event: Moved | Advanced, after: State) -> Iterable[Effect]:
    return (*(move(name, *event.path) for name in event.units), _kiev(after))


@_draws(Fought)
def _(before: State, event: Fought, after: State) -> Iterable[Effect]:
    return (
        roll("combat", 6, (event.die,)),
        tell("kiev.fought", "7", units=event.units, hex=event.target),
    )


@_draws(Lost)
def _(before: State, event: Lost, after: State) -> Iterable[Effect]:
    return (
        (take(event.unit, "box"), _put(after, event.unit)) if event.gone else (flip(event.unit, 0),)
    )


@_draws(Returned)
def _(before: State, event: Returned, after: State) -> Iterable[Effect]:
    return (_put(after, event.unit), _kiev(after))


EFFECTS = dict(_draws)
