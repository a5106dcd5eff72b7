"""12.0 Reinforcements by rail, the return of evacuated units (11.2), the Moscow garrison (14.3) and the Guards conversion (15.2).

A command is ("place", unit, hex), ("convert", rifle division) or ("done",).
"""

from collections.abc import Mapping

from engine.games.chitpull import lines
from engine.games.chitpull.offers import LazyChoices
from engine.games.chitpull.sides import ENEMY, SOVIET
from engine.games.chitpull.standing import OFF_MAP
from engine.games.typhoon.data import RIFLE
from engine.games.typhoon.events import Converted, IntakeClosed, IntakeOpened, Placed
from engine.games.typhoon.evolve import is_garrison
from engine.games.typhoon.movement import has_room, stacking_refusal
from engine.games.typhoon.state import AVAILABLE, EVACUATED, GD_CONVERT, Intake, State
from engine.kernel.position import Frame, Position
from engine.kernel.table import Table
from engine.kernel.types import Choices, Decision, Pick, Picks, Refusal, Seat, Step
from protocol.choices import WHOLE, offer, refuse, say

# --- 12.1 where -------------------------------------------------------------------------------------------------------------


def usable_railways(state: State, side: str) -> Mapping[int, None]:
    """12.1(1), 12.1(2), R-33 Railway hexes that an unbroken path of railway joins to a friendly source, no hex of it with enemies or in an
    EZOC; a friendly unit there does not help. Weather does not matter, nor do 15.4's hexes help."""
    memo = state.field.memo
    key = ("rail", side)
    found = memo.get(key)
    if found is None:
        enemy = state.field.zones(ENEMY[side])
        clear = lines.empty_of(enemy.count) & lines.empty_of(enemy.pieces)
        sources = lines.set_of(i for i in state.data.sources[side] if state.data.rail[i])
        found = memo[key] = dict.fromkeys(lines.listed(lines.reached(state.data.rail_spread, sources, clear, clear)))
    return found


def is_rail_hex(state: State, side: str, i: int) -> bool:
    """12.1(2) Whether a reinforcement may be put there, but for stacking: on a usable railway, in no enemy-controlled big city or town."""
    return i in usable_railways(state, side) and state.control.get(i, side) == side


def garrison_hexes(state: State) -> tuple[int, ...]:
    """14.3(3) Moscow hexes that the Soviets control; no LOC is needed, an EZOC is no hindrance."""
    return tuple(i for i in state.data.moscow if state.control[i] == SOVIET)


def hexes_for(state: State, name: str) -> tuple[int, ...]:
    """Where a reinforcement may be placed now, within stacking (3.1(3), R-08)."""
    side = state.data.types[name].side
    if is_garrison(state, name):
        return tuple(i for i in garrison_hexes(state) if has_room(state, (name,), i))
    return tuple(i for i in usable_railways(state, side) if is_rail_hex(state, side, i) and has_room(state, (name,), i))


def fits_in(state: State, name: str, i: int) -> bool:
    """Whether a hex is one of those."""
    good = i in garrison_hexes(state) if is_garrison(state, name) else is_rail_hex(state, state.data.types[name].side, i)
    return good and has_room(state, (name,), i)


# --- 12.2 who ---------------------------------------------------------------------------------------------------------------


def waiting(state: State, intake: Intake) -> tuple[str, ...]:
    """12.2(1) The units that may be taken now: from the available box while the number allows (HQs count, 13.0(4)), garrison units that
    have been received (R-40), and units lifted on an earlier turn (11.2), which do not count (R-32, an option lets them)."""
    side = intake.side
    found = []
    counted = bool(state.option("evacuated_units_count_against_reinf"))
    for name, unit in state.units.items():
        if unit.where == AVAILABLE[side]:
            if state.garrison if is_garrison(state, name) else intake.left:
                found.append(name)
        elif unit.where == EVACUATED[side] and state.evacuated[name] < state.turn and (intake.left or not counted):
            found.append(name)
    return tuple(found)


def placeable(state: State, intake: Intake) -> tuple[str, ...]:
    """Those of them with a hex to go to."""
    names = waiting(state, intake)
    side = intake.side
    by_rail = any(is_rail_hex(state, side, i) and has_room(state, (name,), i) for name in names[:1] for i in usable_railways(state, side))
    in_moscow = bool(state.garrison) and any(len(state.friends_in(SOVIET, i)) < state.data.stack for i in garrison_hexes(state))
    return tuple(name for name in names if (in_moscow if is_garrison(state, name) else by_rail))


# --- 15.2 Guards ------------------------------------------------------------------------------------------------------------


def guards_waiting(state: State) -> tuple[str, ...]:
    """15.2, 2.1(2)1 The Guards divisions in the GD Convert box."""
    return tuple(name for name, unit in state.units.items() if unit.where == GD_CONVERT)


def convertible(state: State, intake: Intake) -> tuple[str, ...]:
    """15.2(2), R-43 Rifle divisions with a LOC, in an EZOC too; no garrison, cavalry, mechanised or Guards unit."""
    if not intake.conversions or not guards_waiting(state):
        return ()
    types = state.data.types
    return tuple(
        name
        for name, unit in state.units.items()
        if unit.at != OFF_MAP
        and types[name].side == SOVIET
        and types[name].kind == RIFLE
        and not types[name].service
        and not types[name].mech
        and state.field.has_loc(SOVIET, unit.at)
    )


# --- the steps --------------------------------------------------------------------------------------------------------------


class OpenIntake(Step[State]):
    """12.2(1) What the turn brings; 14.3(1) four garrison units on turns 5, 6 and 7; 15.2(1) the conversion on turn 8."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Announce it."""
        state = table.state
        side = str(frame.args[0])
        turn = state.data.turn(state.turn)
        garrison = 0
        if side == SOVIET:
            held = sum(1 for name, unit in state.units.items() if unit.where == AVAILABLE[SOVIET] and is_garrison(state, name))
            garrison = min(turn.garrison, held - state.garrison)
        on_turn, units = state.data.guards
        conversions = units if side == SOVIET and state.option("guards") and state.turn == on_turn else 0
        table.done()
        table.emit(IntakeOpened(side, turn.reinforcements[side], garrison, conversions))


class TakeIn(Step[State]):
    """12.0 The side places what it likes; R-34 what it does not use is lost."""

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The side, while it can place or convert anything."""
        state = at.state
        intake = state.intake
        if intake is None or not (placeable(state, intake) or convertible(state, intake)):
            return {}
        return {intake.side: Decision(say("prompt.typhoon.reinforcements", "12.0", n=intake.left))}

    def choices(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        """Place a unit on a hex, convert a division, or no more."""
        state = at.state
        intake = state.intake
        assert intake is not None
        if not picks:
            verbs: list[Pick] = ["place"] if placeable(state, intake) else []
            if convertible(state, intake):
                verbs.append("convert")
            return offer("typhoon.verb", (*verbs, "done"))
        if picks[0] == "place" and len(picks) == 1:
            return offer("typhoon.unit", placeable(state, intake))
        if picks[0] == "place" and len(picks) == 2:
            name, grid = str(picks[1]), state.data.board.grid

            def every() -> tuple[Pick, ...]:
                return grid.names(hexes_for(state, name))

            def has(pick: Pick) -> bool:
                return pick in grid.index and fits_in(state, name, grid.index[str(pick)])

            return LazyChoices("typhoon.rail_hex", every, has)
        if picks[0] == "convert" and len(picks) == 1:
            return offer("typhoon.unit", convertible(state, intake))
        return WHOLE

    def refusal(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Refusal:
        """The clause against the last pick."""
        return _why_not(at.state, picks)

    def decide(self, table: Table[State], frame: Frame, seat: Seat, picks: Picks) -> None:
        """Place or convert one unit, or be done."""
        if picks[0] == "place":
            table.emit(Placed(str(picks[1]), str(picks[2])))
        elif picks[0] == "convert":
            table.emit(Converted(str(picks[1]), guards_waiting(table.state)[0]))
        else:
            self.advance(table, frame)

    def advance(self, table: Table[State], frame: Frame) -> None:
        """14.3(3), R-40 Garrison units that found no room are carried over; those that had room and were not taken are lost."""
        state = table.state
        side = str(frame.args[0])
        room = sum(state.data.stack - len(state.friends_in(SOVIET, i)) for i in garrison_hexes(state))
        carried = max(0, state.garrison - room) if side == SOVIET else 0
        table.done()
        table.emit(IntakeClosed(side, carried))


def _why_not(state: State, picks: Picks) -> Refusal:
    pick = str(picks[-1])
    intake = state.intake
    if len(picks) == 1 or intake is None or picks[0] == "done":
        return refuse("12.0", "refusal.typhoon.verb", pick=pick)
    if picks[0] == "convert":
        return refuse("15.2(2)", "refusal.typhoon.not_convertible", unit=pick)
    if len(picks) == 2:
        unit = state.units.get(pick)
        if unit is not None and unit.where == AVAILABLE[intake.side] and not intake.left and not is_garrison(state, pick):
            return refuse("12.2(1)", "refusal.typhoon.no_more_units", unit=pick)
        # lifted this turn (11.2), or garrison that has not been received (14.3)
        lifted = unit is not None and unit.where == EVACUATED[intake.side]
        waits = unit is not None and unit.where == AVAILABLE[intake.side] and is_garrison(state, pick)
        rule = "11.2" if lifted else "14.3(1)" if waits else "12.2(1)"
        return refuse(rule, "refusal.typhoon.not_available", unit=pick)
    name = str(picks[1])
    i = state.data.board.grid.index.get(pick, OFF_MAP)
    if i == OFF_MAP:
        return refuse("2.1(1)5", "refusal.typhoon.no_such_hex", hex=pick)
    if is_garrison(state, name):
        if i not in garrison_hexes(state):
            return refuse("14.3(3)", "refusal.typhoon.not_moscow", hex=pick)
        return stacking_refusal(state, (name,), i) or refuse("14.3(3)", "refusal.typhoon.not_moscow", hex=pick)
    if i in usable_railways(state, intake.side):
        if not is_rail_hex(state, intake.side, i):
            return refuse("12.1(2)", "refusal.typhoon.enemy_town", hex=pick)
        full = stacking_refusal(state, (name,), i)
        if full is not None:
            return full
    if state.field.in_enemy_zone(intake.side, i):
        return refuse("12.1(2)", "refusal.typhoon.placed_in_zone", hex=pick)
    return refuse("12.1(1)", "refusal.typhoon.no_railway", hex=pick)
