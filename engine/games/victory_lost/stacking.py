"""5.0 Stacking: whether counters may end a move, retreat, advance or placement together in a hex,
and the clause against it. Which limit a stack breaks is found in engine/board/stacking.py."""

from collections.abc import Mapping

from warledger.engine.board.stacking import Breach, breach, fits
from warledger.engine.games.victory_lost.state import State
from warledger.engine.kernel.types import Refusal
from warledger.protocol.board.choices import refuse

_BREACHES: Mapping[Breach, tuple[str, str]] = {
    Breach.SIDES: ("5.0.2", "refusal.victory_lost.enemy_there"),
    Breach.UNITS: ("5.0.1", "refusal.victory_lost.two_units"),
    Breach.HQS: ("5.0.1", "refusal.victory_lost.one_hq"),
    Breach.SIZE: ("5.0.1", "refusal.victory_lost.two_units"),
    Breach.NATIONS: ("5.0.3", "refusal.victory_lost.nations"),
}


def may_stop(state: State, names: tuple[str, ...], i: int) -> bool:
    """5.0.4 Whether counters may end their move together in a hex: stacking (5.0.1, 5.0.3) binds
    there."""
    present = state.field.stacks.get(i)
    if present is None:
        return True
    types = state.data.types
    side = types[names[0]].side
    friends = [
        types[name].piece for name in present if types[name].side == side and name not in names
    ]
    return not friends or fits(state.data.limits, friends, *(types[name].piece for name in names))


def crammed(state: State, names: tuple[str, ...], i: int) -> bool:
    """9.5.2(2), R-28 Whether a hex holds as many units as it may: only that is a full hex for those
    who pass through it. One that nations (5.0.3) or an HQ (5.0.1) close to them is none."""
    return _broken(state, names, i) is Breach.UNITS


def _broken(state: State, names: tuple[str, ...], i: int) -> Breach | None:
    types = state.data.types
    side = types[names[0]].side
    friends = [
        types[name].piece
        for name in state.field.stacks.get(i, ())
        if types[name].side == side and name not in names
    ]
    return (
        breach(state.data.limits, [*friends, *(types[name].piece for name in names)])
        if friends
        else None
    )


def why_not_stacked(state: State, names: tuple[str, ...], i: int) -> Refusal | None:
    """5.0 Why counters may not stand together in a hex, or None when they may."""
    broken = _broken(state, names, i)
    if broken is None:
        return None
    rule, key = _BREACHES[broken]
    return refuse(rule, key, hex=state.data.name(i))
