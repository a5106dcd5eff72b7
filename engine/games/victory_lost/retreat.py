"""9.5 Retreat: the defender moves units out of the combat hex one at a time, an HQ with one of
them (12.3), within 9.5.2.

It costs no movement points, and the units of one hex may go different ways.

A command names a unit, perhaps the HQ, and hexes. Where a lone enemy HQ is overrun on the way
(9.5.7) the command ends in its hex. When the HQ has been reset the unit goes on by a command that
names hexes alone. What leaves no choice happens by itself.
"""

from collections.abc import Iterable, Mapping

from attrs import frozen

from warledger.engine.games.chitpull.sides import ENEMY
from warledger.engine.games.chitpull.states import OFF_MAP, hex_at, in_progress
from warledger.engine.games.victory_lost import headquarters
from warledger.engine.games.victory_lost.losses import Eliminated, Reduced, faces, reset_lone
from warledger.engine.games.victory_lost.retreat_ways import Path, ways
from warledger.engine.games.victory_lost.stacking import may_stop, why_not_stacked
from warledger.engine.games.victory_lost.state import Battle, Flight, State, gone_to, with_battle
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import Asked, Asking, Command, Commands, Free
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Pick, Picks, Refusal, Seat, Step, event
from warledger.protocol.board.choices import Choices, Say, offer, refuse, say
from warledger.protocol.board.effects import Effect, move, tell

# --- events ---------------------------------------------------------------------------------------


@event("retreated")
class Retreated:
    """9.5 A unit, and the HQ that goes with it, has retreated along a path (its own hex first).
    `fell`: the unit does not survive the last hex (9.5.3)."""

    counters: tuple[str, ...]
    path: tuple[str, ...]
    fell: bool


@event("retreat_halts")
class RetreatInterrupted:
    """9.5.7 The retreat halts at an overrun HQ, to go on when it has been reset. `path` holds the
    hexes entered so far."""

    unit: str
    hq: str
    path: tuple[str, ...]


# --- what follows ---------------------------------------------------------------------------------

after = ByEvent()


@after(Retreated)
def _retreated(state: State, event: Retreated) -> State:
    return with_battle(gone_to(state, event.counters, event.path[-1]), flight=None)


@after(RetreatInterrupted)
def _interrupted(state: State, event: RetreatInterrupted) -> State:
    return with_battle(
        state,
        flight=Flight(event.unit, event.hq, tuple(state.data.hex(name) for name in event.path)),
    )


# --- what clients see -----------------------------------------------------------------------------

draws = ByEvent()


@draws(Retreated)
def _draw_retreated(before: State, event: Retreated, after: State) -> Iterable[Effect]:
    for name in event.counters:
        yield move(name, *event.path)
    if event.fell:
        yield tell(
            "victory_lost.retreats_into_zone", "9.5.3", counters=event.counters, path=event.path
        )
    else:
        yield tell("victory_lost.retreated", "9.5", counters=event.counters, path=event.path)


@draws(RetreatInterrupted)
def _draw_interrupted(before: State, event: RetreatInterrupted, after: State) -> Iterable[Effect]:
    return ()


@frozen
class Group:
    """Who retreats together, and by which hexes they may go in this command; `optional`: the HQ
    that may be taken along."""

    unit: str
    hq: str
    routes: tuple[Path, ...]
    optional: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """The unit, and the HQ with it."""
        return (self.unit, self.hq) if self.hq else (self.unit,)


# --- who, and where to ----------------------------------------------------------------------------


def retreating(state: State) -> tuple[str, ...]:
    """9.5 The defending units that still stand in the combat hex and must retreat."""
    activation, battle = in_progress(state)
    return state.enemies_in(activation.side, battle.target) if battle.retreat else ()


def hq_there(state: State) -> str:
    """12.3 The HQ that stands in the combat hex, or ""."""
    activation, battle = in_progress(state)
    types = state.data.types
    return next(
        (
            name
            for name in state.field.stacks.get(battle.target, ())
            if types[name].hq and types[name].side != activation.side
        ),
        "",
    )


def full_ways(state: State, battle: Battle, names: tuple[str, ...]) -> tuple[Path, ...]:
    """9.5.1, 9.5.2 All whole ways of a group, which other groups need not take; those of an
    interrupted retreat begin with the hexes already entered."""
    entered = battle.flight.path if battle.flight is not None else ()
    return ways(state, names, battle.target, battle.retreat, entered)


def routes(state: State, battle: Battle, names: tuple[str, ...]) -> tuple[Path, ...]:
    """9.5.3, 9.5.7 The ways as far as one command goes: up to the hex where the unit falls or
    overruns an HQ."""
    entered = len(battle.flight.path) if battle.flight is not None else 0
    return tuple(
        dict.fromkeys(
            _cut(state, names[0], way[entered:]) for way in full_ways(state, battle, names)
        )
    )


def _cut(state: State, unit: str, way: Path) -> Path:
    side = state.data.types[unit].side
    left = faces(state, unit)
    for number, i in enumerate(way):
        left -= state.field.in_enemy_zone(side, i)
        if not left or state.field.lone_hq(ENEMY[side], i):
            return way[: number + 1]
    return way


def survives(state: State, unit: str, way: Path) -> bool:
    """9.5.3 Whether a unit outlives all the enemy zones on its way."""
    side = state.data.types[unit].side
    return sum(state.field.in_enemy_zone(side, i) for i in way) < faces(state, unit)


def _carries(state: State, battle: Battle, unit: str, hq: str) -> bool:
    """R-25 Whether an HQ would come to a hex with this unit."""
    return any(
        survives(state, unit, way) for way in ways(state, (unit, hq), battle.target, battle.retreat)
    )


def group_of(state: State, unit: str, *, take: str = "") -> Group:
    """12.3, R-25 The unit with the HQ that goes along: the last unit's, or the only one's that can
    bring it to a hex. Else the owner chooses (`take` names the HQ that is taken along now)."""
    _, battle = in_progress(state)
    if battle.flight is not None:
        hq = battle.flight.hq
        return Group(unit, hq, routes(state, battle, (unit, hq) if hq else (unit,)))
    hq, optional = hq_there(state), ""
    if hq:
        others = [name for name in retreating(state) if name != unit]
        able = bool(ways(state, (unit, hq), battle.target, battle.retreat))
        if others and able:
            able = _carries(state, battle, unit, hq)
            if able and any(_carries(state, battle, name, hq) for name in others):
                optional, able = hq, take == hq
        if not able:
            hq = ""
    return Group(unit, hq, routes(state, battle, (unit, hq) if hq else (unit,)), optional)


def forced(state: State) -> Group | None:
    """9.5 The group that goes next without a choice of its owner, or None when there is one to
    make."""
    _, battle = in_progress(state)
    if battle.flight is not None:
        group = group_of(state, battle.flight.unit)
        return group if len(group.routes) < 2 else None
    units = retreating(state)
    groups = [group_of(state, unit) for unit in units]
    for group in groups:
        if not group.routes:
            return group
    if any(len(group.routes) > 1 for group in groups):
        return None
    if len(groups) > 1 and (hq_there(state) or not _apart(state, groups[0], groups[1])):
        return None
    return groups[0]


def _apart(state: State, one: Group, other: Group) -> bool:
    """Whether two units that have one way each come to the same hexes in either order."""
    a, b = one.routes[0], other.routes[0]
    if a[-1] == b[-1]:
        return may_stop(state, (one.unit, other.unit), a[-1])
    return a[-1] not in b and b[-1] not in a


# --- the step -------------------------------------------------------------------------------------


@frozen
class Retreating:
    """Who retreats, None before that is said, and the hexes it enters in this command."""

    way: tuple[Group | None, Path]


class Retreat(Asking[State]):
    """9.5 Surviving defenders retreat after a result of DR or DR2."""

    verb_slot = "victory_lost.verb"

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The defender, while a unit has more than one way, or their order matters."""
        state = at.state
        activation, battle = in_progress(state)
        if not retreating(state) and battle.flight is None:
            return {}
        if forced(state) is not None:
            return {}
        key = (
            "prompt.victory_lost.retreat"
            if battle.flight is None
            else "prompt.victory_lost.retreat_on"
        )
        return {
            ENEMY[activation.side]: Decision(
                say(key, "9.5", hex=state.data.name(battle.target), n=battle.retreat)
            )
        }

    def commands(self) -> Commands[State]:
        """9.5, 12.3 A unit, perhaps the HQ, then hex by hex along the ways that 9.5.2 leaves."""
        return (
            Command(
                "retreat",
                Retreating,
                Free("way", _read, self._onward, self._why_not, form="[UNIT] [HQ] HEX …"),
                apply=self._retreat,
                unfinished=self._why_not_yet,
                preview=self._preview,
            ),
        )

    def _onward(self, asked: Asked[State], order: Retreating) -> Choices:
        """What may be named next."""
        state, (group, path) = asked.state, order.way
        if group is None:
            return offer("victory_lost.retreating", retreating(state))
        begun = [route for route in group.routes if route[: len(path)] == path]
        following = sorted(
            {state.data.name(route[len(path)]) for route in begun if len(route) > len(path)}
        )
        if group.optional and group.optional != group.hq and not path:
            following.insert(0, group.optional)
        return offer("victory_lost.retreat_to", following, complete=path in begun and bool(path))

    def _why_not_yet(self, asked: Asked[State], order: Retreating) -> Refusal | None:
        """9.5.4, 9.5.5 Where the hexes suffice, the last one is full, or of another nation."""
        state, (group, path) = asked.state, order.way
        _, battle = in_progress(state)
        entered = len(battle.flight.path) if battle.flight is not None else 0
        if group is None or not path or entered + len(path) < battle.retreat:
            return None
        full = why_not_stacked(state, group.names, path[-1])
        return full and replace(full, rule="9.5.5" if full.rule == "5.0.3" else "9.5.4")

    def _preview(self, asked: Asked[State], order: Retreating) -> tuple[Say, ...]:
        """9.5.3 What the zones on the way cost the unit."""
        state, (group, path) = asked.state, order.way
        if group is None:
            return ()
        side = state.data.types[group.unit].side
        n = sum(state.field.in_enemy_zone(side, i) for i in path)
        if not n:
            return ()
        if n >= faces(state, group.unit):
            return (say("victory_lost.preview.retreat_falls", "9.5.3", unit=group.unit),)
        return (say("victory_lost.preview.retreat_losses", "9.5.3", unit=group.unit, n=n),)

    def _retreat(self, table: Table[State], asked: Asked[State], order: Retreating) -> None:
        """The group goes as far as the command says."""
        group, path = order.way
        assert group is not None
        _go(table, group, path)

    def no_verb(self, asked: Asked[State], verb: Pick) -> Refusal:
        """9.5 Nothing else is done now."""
        return refuse("9.5", "refusal.victory_lost.verb", pick=str(verb))

    def _why_not(self, asked: Asked[State], order: Retreating, pick: Pick) -> Refusal:
        """9.5 Only defenders that must retreat, 12.3 with the HQ as far as it may go along."""
        group, path = order.way
        if group is None:
            return refuse("9.5", "refusal.victory_lost.not_retreating", unit=str(pick))
        if pick in asked.state.counters:
            return refuse("12.3", "refusal.victory_lost.retreat_hq", counter=str(pick))
        return _why_not_hex(asked.state, group, path, pick)

    def advance(self, table: Table[State], frame: Frame) -> None:
        """9.5.8 Units without a way are eliminated; what has only one way goes; then the step is
        over."""
        state = table.state
        activation, battle = in_progress(state)
        if not retreating(state) and battle.flight is None:
            table.done()
            reset_lone(table, ENEMY[activation.side], (battle.target,))
            return
        group = forced(state)
        assert group is not None
        if group.routes:
            _go(table, group, group.routes[0])
        else:
            _no_way(table, group)


def _read(asked: Asked[State], picks: Picks) -> tuple[Group | None, Path]:
    """The group and the hexes that the picks name."""
    state = asked.state
    _, battle = in_progress(state)
    names = [str(pick) for pick in picks if pick in state.counters]
    path = tuple(hex_at(state, pick) for pick in picks if pick not in state.counters)
    if battle.flight is not None:
        return group_of(state, battle.flight.unit), path
    if not names:
        return None, path
    return group_of(state, names[0], take=names[1] if len(names) > 1 else ""), path


def _no_way(table: Table[State], group: Group) -> None:
    """9.5.8, R-30 A unit that cannot retreat is eliminated; an HQ left alone on the way resets
    (R-25)."""
    here = table.state.at(group.unit)
    _, battle = in_progress(table.state)
    under_way = battle.flight is not None
    if under_way:
        name = table.state.data.name(here)
        table.emit(Retreated(group.names, (name, name), True))
    table.emit(Eliminated(group.unit, "no_retreat", table.state.data.types[group.unit].points))
    if under_way:
        reset_lone(table, table.state.data.types[group.unit].side, (here,))


def _go(table: Table[State], group: Group, path: Path) -> None:
    """9.5.3-9.5.7 Enter hex after hex: losses in enemy zones on entry, HQs overrun by units that
    are still there."""
    state = table.state
    data = state.data
    activation, battle = in_progress(state)
    side = ENEMY[activation.side]
    entered = battle.flight.path if battle.flight is not None else ()
    whole = (*entered, *path) in full_ways(state, battle, group.names)
    way = [state.at(group.unit)]
    for number, i in enumerate(path):
        way.append(i)
        if table.state.field.in_enemy_zone(side, i):
            if faces(table.state, group.unit) == 1:
                _fall(table, group, way)
                return
            table.emit(Retreated(group.names, data.board.grid.names(way), False))
            table.emit(Reduced(group.unit))
            way = [i]
        if table.state.field.lone_hq(activation.side, i):
            if len(way) > 1:
                table.emit(Retreated(group.names, data.board.grid.names(way), False))
            if not whole:
                hexes = (*entered, *path[: number + 1])
                table.emit(RetreatInterrupted(group.unit, group.hq, data.board.grid.names(hexes)))
            headquarters.overrun_at(table, group.unit, i)
            return
    if len(way) > 1:
        table.emit(Retreated(group.names, data.board.grid.names(way), False))


def _fall(table: Table[State], group: Group, way: Iterable[int]) -> None:
    """9.5.3, 9.5.7 The unit is eliminated on entering the last hex; it overruns nothing there.
    R-25: its HQ resets from the hex it is in, which is the hex before where an enemy HQ stands in
    the last one."""
    state = table.state
    side = state.data.types[group.unit].side
    hexes = tuple(way)
    names = state.data.board.grid.names
    if group.hq and state.field.lone_hq(ENEMY[side], hexes[-1]):
        if len(hexes) > 2:
            table.emit(Retreated(group.names, names(hexes[:-1]), False))
        table.emit(Retreated((group.unit,), names(hexes[-2:]), True))
    else:
        table.emit(Retreated(group.names, names(hexes), True))
    table.emit(Eliminated(group.unit, "zone", state.data.types[group.unit].points))
    if group.hq and table.state.at(group.hq) != OFF_MAP:
        headquarters.must_reset(table, group.hq)


# --- why not --------------------------------------------------------------------------------------


def _why_not_hex(state: State, group: Group, path: Path, pick: Pick) -> Refusal:
    _, battle = in_progress(state)
    data, name = state.data, str(pick)
    i = hex_at(state, pick)
    if i == OFF_MAP:
        return refuse("9.5.8", "refusal.victory_lost.no_such_hex", hex=name)
    side = data.types[group.unit].side
    here = path[-1] if path else state.at(group.unit)
    if i not in data.board.grid.adjacent[here]:
        return refuse("9.5.2", "refusal.victory_lost.retreat_hex_by_hex", hex=name)
    if state.field.closed(i):
        return refuse("13.0", "refusal.victory_lost.pocket", hex=name)
    if i in data.water:
        return refuse("9.5.8", "refusal.victory_lost.water", hex=name)
    if state.field.zones(ENEMY[side]).pieces[i]:
        return refuse("5.0.2", "refusal.victory_lost.enemy_there", hex=name)
    entered = battle.flight.path if battle.flight is not None else ()
    if data.major[here * 6 + data.board.grid.direction(here, i)] and not _crosses(
        state, side, here, i, first=not (path or entered)
    ):
        return refuse("9.5.6", "refusal.victory_lost.retreat_river", hex=name)
    if path in group.routes:
        return refuse("9.5", "refusal.victory_lost.retreat_over", hex=name)
    if state.field.in_enemy_zone(side, i):
        return refuse("9.5.2", "refusal.victory_lost.retreat_zone", hex=name)
    return refuse("9.5.2", "refusal.victory_lost.retreat_worse", hex=name)


def _crosses(state: State, side: str, a: int, b: int, *, first: bool) -> bool:
    field = state.field
    if field.in_enemy_zone(side, a) and field.in_enemy_zone(side, b):
        return False
    at = a * 6 + state.data.board.grid.direction(a, b)
    return first or bool(state.data.board.sides.bridged[at])


STEPS: Mapping[str, Step[State]] = {
    "retreat": Retreat(),
}
