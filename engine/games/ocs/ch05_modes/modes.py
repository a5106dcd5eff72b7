"""OCS 5: modes, what each does to a unit's values, and which changes are allowed.

OCS 5.2 A unit is in exactly one of six modes: Combat or Move by the side that shows, or one of four
markers over it. Values come from the side that shows and are then modified. OCS 5.3 Combat, Move,
Strat and Reserve are chosen by the owner, DG and Exploit are not.
"""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType

from attrs import frozen

from warledger.engine.board import hexsets
from warledger.engine.board.hexsets import Hexes
from warledger.engine.games.ocs.ch03_counters.counters import COMBAT, MOVE, Counter, Face
from warledger.engine.games.ocs.ch04_concepts import fog, zones
from warledger.engine.games.ocs.ch04_concepts.concepts import steps
from warledger.engine.games.ocs.ch04_concepts.rounding import rounded
from warledger.engine.games.ocs.series.events import ModeChanged
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.state import AIR, DG, EXPLOIT, RESERVE, STRAT, State, Unit
from warledger.engine.kernel.memo import remembered
from warledger.engine.kernel.table import Table

HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)


@frozen
class Effects:
    """OCS 5 One line of the table of mode effects.

    `ma`         factor of the MA in its own Movement Phase
    `attack`, `defence`, `barrage`   factors; None: it may not
    `ar`         added to the AR; `no_ar`: the AR is 0 instead
    `zone`       may exert a zone (Exploit: as before it gained the marker, 5.9c)
    `overrun`    may overrun (8.1)
    `transport`  may go by rail or air (4.7)
    """

    ma: Fraction
    attack: Fraction | None
    defence: Fraction
    barrage: Fraction | None
    ar: int = 0
    no_ar: bool = False
    zone: bool = False
    overrun: bool = False
    transport: bool = False


_ONE = Fraction(1)

TABLE: Mapping[str, Effects] = MappingProxyType(
    {
        COMBAT: Effects(_ONE, _ONE, _ONE, _ONE, zone=True, overrun=True),
        MOVE: Effects(_ONE, _ONE, _ONE, _ONE, overrun=True, transport=True),
        RESERVE: Effects(QUARTER, None, HALF, None),
        STRAT: Effects(Fraction(2), None, Fraction(0), None, no_ar=True),
        EXPLOIT: Effects(HALF, _ONE, _ONE, _ONE, zone=True, overrun=True),
        DG: Effects(HALF, HALF, HALF, HALF, ar=-1),
    }
)
"""OCS 5 The mode effects table."""


def effects(state: State, name: str) -> Effects:
    """OCS 5 What a unit's mode does to it."""
    return TABLE[state.units[name].mode]


# --- values ---------------------------------------------------------------------------------------


def ma_factor(state: State, name: str) -> Fraction:
    """OCS 5, 7.0, 11.0 The factor of a unit's MA in this segment, 0 when it may not move in it.

    OCS 2.3 In the Reaction Phase released Reserves move at half, in Exploitation Exploit-mode units
    at half and released Reserves at full MA. Otherwise the mode's own factor holds.
    """
    unit = state.units[name]
    if state.side(name) != zones.mover(state):
        return Fraction(0)
    if state.segment in zones.MOVEMENT:
        return TABLE[unit.mode].ma
    own = TABLE[unit.mode].ma if unit.marker == DG else _ONE
    if state.segment in zones.REACTION:
        return HALF * own if unit.released else Fraction(0)
    if state.segment in zones.EXPLOITATION:
        if unit.marker == EXPLOIT:
            return HALF
        return own if unit.released else Fraction(0)
    return Fraction(0)


def allowance(state: State, name: str, share: Fraction = _ONE) -> int:
    """OCS 6.1h Parts of movement that a unit has in this segment, with what it has spent. Never
    rounded up, and cut to what can be spent. OCS 6.1c With any MA at all it has enough for a first
    hex. `share`: 4.7d the part of it that may be spent beside transport."""
    face = state.charts.units[name].face(state.units[name].move_side)
    if face is None:
        return 0
    factor = ma_factor(state, name)
    # In whole numbers: every move asks this of every unit that might make it.
    parts = face.ma * state.charts.parts * factor.numerator * share.numerator
    return max(parts // (factor.denominator * share.denominator), 1) if parts > 0 else 0


def left(state: State, name: str) -> int:
    """OCS 6.1e Parts of movement that a unit has left; OCS 4.7d, 14.9d beside a flight half of its
    allowance, before and after together."""
    unit = state.units[name]
    share = HALF if unit.carried == AIR else _ONE
    return max(allowance(state, name, share) - unit.spent, 0)


def printed_attack(state: State, name: str) -> int:
    """OCS 3.2b The attack strength of the side that shows, 0 for what never attacks."""
    counter, face = state.charts.units[name], _face(state, name)
    return face.strength if face is not None and counter.attacks else 0


def printed_defence(state: State, name: str) -> int:
    """OCS 3.2b, 13.1, 13.4 The defence strength of the side that shows: an HQ's own, 1 for
    artillery, none for transport; or what the game says."""
    counter, unit = state.charts.units[name], state.units[name]
    own = rules(state.charts).defence(counter, unit)
    if own is not None:
        return own
    if not counter.combat_unit:
        return 0
    if counter.hq:
        return counter.defence[unit.move_side]
    if counter.artillery:
        return 1
    face = _face(state, name)
    return face.strength if face is not None else 0


def losses_factor(state: State, name: str, *, attacking: bool) -> Fraction:
    """OCS 9.11d What steps lost leave of a multi-step unit: half in attack once one is missing,
    half in defence once half of those printed are. Where the game counts steps itself, nothing is
    taken off again."""
    counter, unit = state.charts.units[name], state.units[name]
    if not counter.multi_step or not unit.lost:
        return _ONE
    if not attacking and rules(state.charts).defence(counter, unit) is not None:
        return _ONE
    return HALF if attacking or 2 * unit.lost >= counter.steps else _ONE


def strength(state: State, name: str, *, attacking: bool, supplied: bool = True) -> Fraction:
    """OCS 5, 9.5, 9.11d, 12.8d A unit's strength now, before terrain: printed, for losses, mode,
    OOS and (in defence) want of combat supply. Never rounded (4.2), but for option 21.2.
    OCS 4.3 Multipliers are cumulative: half of a half is a quarter.

    OCS 9.5a A unit marked OOS fights at half; without combat supply it does not attack at all and
    defends at a quarter.
    """
    counter, unit = state.charts.units[name], state.units[name]
    line = TABLE[unit.mode]
    by_mode = line.attack if attacking else line.defence
    if by_mode is None or (attacking and not supplied):
        return Fraction(0)
    printed = printed_attack(state, name) if attacking else printed_defence(state, name)
    own = not attacking and rules(state.charts).defence(counter, unit) is not None
    if state.charts.options.get("proportional_losses") and counter.multi_step and not own:
        value = Fraction(rounded(Fraction(printed * steps(counter, unit), counter.steps)))
    else:
        value = printed * losses_factor(state, name, attacking=attacking)
    value *= by_mode
    if unit.oos:
        value *= HALF
    return value if supplied else value * HALF


def ar(state: State, name: str, *, attrition: bool = False) -> int:
    """OCS 3.2c, 9.6 A unit's AR now: one less in DG, 0 in Strat. OCS 12.8b For attrition DG is not
    applied, Strat is. It may fall to -1 (3.2c)."""
    face = _face(state, name)
    line = TABLE[state.units[name].mode]
    printed = face.ar if face is not None else 0
    if line.no_ar:
        return 0
    return printed if attrition else printed + line.ar


def barrage(state: State, name: str) -> Fraction:
    """OCS 10.0e, 10.1, 5.10b The barrage points of an artillery unit now: full printed strength,
    halved in DG; none in Reserve or Strat. OOS takes nothing away. What the game takes for steps
    lost comes off first."""
    counter, unit = state.charts.units[name], state.units[name]
    factor = TABLE[unit.mode].barrage
    face = _face(state, name)
    if not counter.artillery or factor is None or face is None:
        return Fraction(0)
    return face.strength * rules(state.charts).barrage_share(counter, unit) * factor


def _face(state: State, name: str) -> Face | None:
    return state.charts.units[name].face(state.units[name].move_side)


# --- changes --------------------------------------------------------------------------------------

Mode = tuple[str, bool]
"""A marker ("" for none) and whether the Move side shows."""

Changed = tuple[str, str, bool]
"""A unit, and the mode in which it is from now on."""


def allowed(state: State, name: str) -> tuple[Mode, ...]:
    """OCS 5.3, 5.4 The modes that a unit may take as it starts its move, its own left out.

    OCS 5.4 A DG unit may flip, and that is all; Exploit does not change. OCS 5.7c, 5.8a Reserve and
    Strat are not entered in an enemy zone, negated or not (4.5a I, J). 5.7f, 5.8c Nor by transport
    points, organic trucks in Reserve excepted; 5.7a a unit in Reserve keeps its side. Limits of
    markers (5.4a) are `reserve_room`.
    """
    counter, unit = state.charts.units[name], state.units[name]
    if unit.marker == EXPLOIT or rules(state.charts).holds_back(state, name):
        return ()
    sides = [side for side in (False, True) if counter.face(side) is not None]
    own = (unit.marker, unit.move_side)
    if unit.marker == DG:
        return tuple((DG, side) for side in sides if side != unit.move_side)
    found: list[Mode] = [("", side) for side in sides]
    if _may_reserve(state, name, counter, unit):
        found += [(RESERVE, side) for side in sides]
    if _may_strat(state, name, counter, unit):
        found.append((STRAT, True))
    game = rules(state.charts)
    return tuple(
        mode for mode in found if mode != own and game.may_take(state, name, mode[0], mode[1])
    )


def _may_reserve(state: State, name: str, counter: Counter, unit: Unit) -> bool:
    if not counter.combat_unit and not counter.organic:
        return False
    if rules(state.charts).reserves_anywhere(state, name):
        return True
    return not zones.bars(state, counter.side, zones.ENTER_RESERVE, unit.at)


def _may_strat(state: State, name: str, counter: Counter, unit: Unit) -> bool:
    if not counter.combat_unit or counter.move is None:
        return False
    return not zones.bars(state, counter.side, zones.STRAT, unit.at)


@remembered()
def reserve_markers(state: State, side: str) -> int:
    """OCS 5.4a Reserve markers of a side on the map: one covers what is in Reserve in a hex."""
    units, counters = state.units, state.charts.units
    return len(
        {
            unit.at
            for name, unit in units.items()
            if unit.marker == RESERVE and unit.at >= 0 and counters[name].side == side
        }
    )


def reserve_room(state: State, side: str, i: int) -> bool:
    """OCS 5.4a Whether a side may put units in Reserve in a hex: a marker is there or left."""
    there = any(state.units[name].marker == RESERVE for name in state.stack(i))
    return there or reserve_markers(state, side) < state.charts.scenario.reserve_markers[side]


def reserve_ends(state: State, names: Iterable[str]) -> Hexes:
    """OCS 5.4a Hexes in which these units, in Reserve, may end a move: a marker goes with those who
    leave others in Reserve behind, and where none is left for it only where one lies."""
    moving = tuple(names)
    side = state.side(moving[0])
    units, counters = state.units, state.charts.units
    others = hexsets.of(
        unit.at
        for name, unit in units.items()
        if unit.marker == RESERVE
        and unit.at >= 0
        and name not in moving
        and counters[name].side == side
    )
    room = state.charts.scenario.reserve_markers[side]
    return state.charts.board.every if others.bit_count() < room else others


def disorganise(table: Table[State], units: Sequence[str]) -> None:
    """OCS 5.10a, 5.10c Combat units among these fall into DG, on the side that shows; DG replaces
    the mode that they are in. Transport never does; an organic truck in Reserve loses its
    marker."""
    state = table.state
    counters = state.charts.units
    found = []
    for name in units:
        unit = state.units[name]
        if counters[name].combat_unit:
            if unit.marker != DG:
                found.append((name, DG, unit.move_side))
        elif unit.marker == RESERVE:
            found.append((name, "", unit.move_side))
    change(table, found)


def changes(state: State, units: Iterable[Changed]) -> tuple[ModeChanged, ...]:
    """OCS 5.2 The event that puts units of one side in other modes, if there are any. Which units
    and modes is hidden; what is shown of it follows from the shown units."""
    made = tuple(units)
    if not made:
        return ()
    side = state.side(made[0][0])
    return (ModeChanged(side, fog.hidden(state, side, made)),)


def change(table: Table[State], units: Iterable[Changed]) -> None:
    """OCS 5.2 Put units of one side in other modes."""
    for event in changes(table.state, units):
        table.emit(event)
