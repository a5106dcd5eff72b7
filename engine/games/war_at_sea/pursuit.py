"""11.4-11.7 Pursuit: who pursues which group of escaping ships, and a fight for each group.

Who is pursuing whom is fixed once: no joining, no switching (11.7); a pursuer only ever leaves.
"""

from collections.abc import Iterator, Mapping

from attrs import frozen

from warledger.engine.games.war_at_sea.battle import Combat, Group
from warledger.engine.games.war_at_sea.data import ALLIED, AXIS, other
from warledger.engine.games.war_at_sea.escape import ShipsEscaped, possible_pursuers
from warledger.engine.games.war_at_sea.state import Ship, State, left, with_fight
from warledger.engine.games.war_at_sea.surface import REST, goes_on
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import (
    Asked,
    Asking,
    Command,
    Commands,
    Many,
    Pairs,
    Slot,
    word,
)
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Pick, Refusal, Seat, Step, event
from warledger.protocol.board.choices import Option, refuse, say
from warledger.protocol.board.effects import Effect, tell

# --- events ---------------------------------------------------------------------------------------


@event("pursuit_assigned")
class PursuitAssigned:
    """11.4 Which ships pursue which group; all empty when the opponent lets the other side go
    (11.2)."""

    seat: str
    pursuers: tuple[tuple[str, ...], ...]


@event("pursuit_opened")
class PursuitOpened:
    """11.4 The fight between one group and its pursuers begins."""

    group: int


@event("pursuit_broken_off")
class PursuitBrokenOff:
    """11.5 Pursuers give up: of their own will, or because they are slower than the escape
    speed."""

    ships: tuple[str, ...]
    forced: bool


@event("pursuit_closed")
class PursuitClosed:
    """11.6 The fight over one group has ended."""

    group: int


# --- what follows ---------------------------------------------------------------------------------

after = ByEvent()


@after(PursuitAssigned)
def _assigned(state: State, event: PursuitAssigned) -> State:
    """11.4, 11.6 A group that nobody pursues is settled at once."""
    groups = zip(state.combat.groups, event.pursuers, strict=True)
    return with_fight(
        state,
        groups=tuple(replace(group, pursuers=ships, settled=not ships) for group, ships in groups),
    )


@after(PursuitOpened)
def _pursuit_opened(state: State, event: PursuitOpened) -> State:
    """11.4, R27 The fight in hand is now this group against its pursuers."""
    combat = state.combat
    group = combat.groups[event.group]
    allied, axis = (
        (group.ships, group.pursuers) if combat.fleeing == ALLIED else (group.pursuers, group.ships)
    )
    return with_fight(
        state,
        allied=allied,
        axis=axis,
        group=event.group,
        round=0,
        idle=0,
        tolls=(),
        exposed=(),
        over=False,
    )


@after(PursuitBrokenOff)
def _broken_off(state: State, event: PursuitBrokenOff) -> State:
    return left(state, *event.ships)


@after(PursuitClosed)
def _pursuit_closed(state: State, event: PursuitClosed) -> State:
    combat = state.combat
    groups = tuple(
        replace(group, settled=True) if index == event.group else group
        for index, group in enumerate(combat.groups)
    )
    return with_fight(state, groups=groups, allied=(), axis=(), group=-1, over=True)


# --- what clients see -----------------------------------------------------------------------------

draws = ByEvent()


@draws(PursuitAssigned)
def _draw_assigned(before: State, event: PursuitAssigned, after: State) -> Iterator[Effect]:
    if not any(event.pursuers):
        yield tell("war_at_sea.let_go", "11.2", side=event.seat)
    for index, ships in enumerate(event.pursuers):
        if ships:
            yield tell("war_at_sea.pursues", "11.4", ships=ships, n=index + 1)


@draws(PursuitOpened)
def _draw_pursuit_opened(before: State, event: PursuitOpened, after: State) -> Iterator[Effect]:
    group = before.combat.groups[event.group]
    yield tell(
        "war_at_sea.pursuit_opened",
        "11.4",
        n=event.group + 1,
        ships=group.ships,
        pursuers=group.pursuers,
    )


@draws(PursuitBrokenOff)
def _draw_broken_off(before: State, event: PursuitBrokenOff, after: State) -> Iterator[Effect]:
    key = "war_at_sea.must_break_off" if event.forced else "war_at_sea.breaks_off"
    yield tell(key, "11.5", ships=event.ships)


@draws(PursuitClosed)
def _draw_pursuit_closed(before: State, event: PursuitClosed, after: State) -> Iterator[Effect]:
    yield tell("war_at_sea.pursuit_closed", "11.6", n=event.group + 1)


def group_ids(combat: Combat) -> tuple[str, ...]:
    """The names by which groups are picked: group_1, group_2 …"""
    return tuple(f"group_{index + 1}" for index in range(len(combat.groups)))


def group_option(combat: Combat, index: int) -> Option:
    """A group as an option that shows its ships and speed."""
    group = combat.groups[index]
    label = say("pick.war_at_sea.group", "11.3", n=index + 1, ships=group.ships, speed=group.speed)
    return Option(f"group_{index + 1}", label)


# --- pursuit --------------------------------------------------------------------------------------


@frozen
class Pursuing:
    """A pursuit as it is named: each ship (or REST) with the group that it goes after, and the one
    whose group comes next."""

    sent: tuple[tuple[str, str], ...] = ()
    ship: str = ""


@frozen
class Chase:
    """What it comes to: (ship, group index) pairs, and ships that are left."""

    pairs: tuple[tuple[str, int], ...]
    left: tuple[str, ...]


class AssignPursuers(Asking[State]):
    """11.2, 11.4 The opponent lets the groups go, or sends some or all of its ships, each after one
    group, all at once.

    Ships that are not sent now may never join (11.7).
    """

    def _able(self, state: State) -> tuple[str, ...]:
        """Ships that could catch the slowest group."""
        combat = state.combat
        if not combat.groups or all(group.settled for group in combat.groups):
            return ()
        return possible_pursuers(
            state, other(combat.fleeing), min(group.speed for group in combat.groups)
        )

    def _chase(self, state: State, order: Pursuing) -> Chase:
        """11.4 Each ship by itself; REST stands for all that are left and fast enough."""
        ids = group_ids(state.combat)
        pairs: list[tuple[str, int]] = []
        left = self._able(state)
        for ship, group in order.sent:
            index = ids.index(group)
            speed = state.combat.groups[index].speed
            sent = (
                tuple(one for one in left if state.ships[one].speed_now >= speed)
                if ship == REST
                else (ship,)
            )
            pairs.extend((one, index) for one in sent)
            left = tuple(one for one in left if one not in sent)
        return Chase(tuple(pairs), left)

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The opponent of the escaping side, if any of its ships is fast enough."""
        if not self._able(at.state):
            return {}
        combat = at.state.combat
        return {
            other(combat.fleeing): Decision(
                say(
                    "prompt.war_at_sea.pursue", "11.2", area=combat.place, groups=len(combat.groups)
                )
            )
        }

    def commands(self) -> Commands[State]:
        """Ship, group, ship, group …; or none is sent."""
        return (
            Command(
                "pursue",
                Pursuing,
                Pairs(
                    "sent",
                    Slot("ship", "war_at_sea.pursuer", self._ships, self._why_not_ship),
                    Slot("group", "war_at_sea.group", self._groups, self._why_not_group),
                ),
                apply=self._pursue,
            ),
            word("let_go", self._let_go),
        )

    def _ships(self, asked: Asked[State], order: Pursuing) -> tuple[str, ...]:
        """11.4 Those that have no group yet, or all of them at once."""
        left = self._chase(asked.state, order).left
        return (*left, REST) if len(left) > 1 else left

    def _groups(self, asked: Asked[State], order: Pursuing) -> list[Option]:
        """11.4 Those that the ship, or the fastest of the rest, can catch."""
        state = asked.state
        sent = self._chase(state, order).left if order.ship == REST else (order.ship,)
        best = max(state.ships[ship].speed_now for ship in sent)
        return [
            group_option(state.combat, index)
            for index, group in enumerate(state.combat.groups)
            if best >= group.speed
        ]

    def _why_not_ship(self, asked: Asked[State], order: Pursuing, pick: Pick) -> Refusal:
        """11.4 Fast enough, one group each, no convoy."""
        state = asked.state
        if any(ship == pick for ship, _ in self._chase(state, order).pairs):
            return refuse("11.4", "refusal.war_at_sea.pursues_already", ship=pick)
        if pick not in state.combat.ships(asked.seat):
            return refuse("11.4", "refusal.war_at_sea.not_in_fight", ship=pick)
        ship = state.ships[str(pick)]
        if ship.is_convoy:
            return refuse("11.4", "refusal.war_at_sea.convoy_pursues", ship=pick)
        return self._too_slow(ship, min(group.speed for group in state.combat.groups))

    def _why_not_group(self, asked: Asked[State], order: Pursuing, pick: Pick) -> Refusal:
        """11.4 Only a group that the ship can catch."""
        state = asked.state
        ids = group_ids(state.combat)
        if pick not in ids or order.ship == REST:
            return refuse("11.4", "refusal.war_at_sea.no_such_group", group=pick)
        return self._too_slow(
            state.ships[order.ship], state.combat.groups[ids.index(str(pick))].speed
        )

    def _too_slow(self, ship: Ship, escape: int) -> Refusal:
        return refuse(
            "11.4",
            "refusal.war_at_sea.too_slow_for_group",
            ship=ship.id,
            speed=ship.speed_now,
            escape=escape,
        )

    def _pursue(self, table: Table[State], asked: Asked[State], order: Pursuing) -> None:
        """Assign; groups that nobody pursues have escaped (11.6)."""
        table.done()
        self._assign(table, asked.seat, self._chase(asked.state, order).pairs)

    def _let_go(self, table: Table[State], asked: Asked[State]) -> None:
        """11.6 All have escaped."""
        table.done()
        self._assign(table, asked.seat, ())

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Nobody can pursue: all have escaped."""
        table.done()
        combat = table.state.combat
        if combat.groups and not all(group.settled for group in combat.groups):
            self._assign(table, other(combat.fleeing), ())

    def _assign(self, table: Table[State], seat: Seat, pairs: tuple[tuple[str, int], ...]) -> None:
        groups = table.state.combat.groups
        pursuers = tuple(
            tuple(ship for ship, at in pairs if at == index) for index in range(len(groups))
        )
        table.emit(PursuitAssigned(seat, pursuers))
        free = tuple(
            ship
            for group, hunters in zip(groups, pursuers, strict=True)
            if not hunters
            for ship in group.ships
        )
        if free:
            table.emit(ShipsEscaped(free, table.state.combat.place))


@frozen
class NextPursuit:
    """The group whose fight comes next."""

    group: str = ""


class Pursuits(Asking[State]):
    """11.4 Each group is a separate fight. With several to be fought the Axis chooses which comes
    next (7.1)."""

    def _waiting(self, combat: Combat) -> tuple[int, ...]:
        return tuple(
            index
            for index, group in enumerate(combat.groups)
            if group.pursuers and not group.settled
        )

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The Axis player, while two or more groups are pursued."""
        combat = at.state.combat
        if len(self._waiting(combat)) < 2:
            return {}
        return {AXIS: Decision(say("prompt.war_at_sea.pursuit_order", "7.1", area=combat.place))}

    def commands(self) -> Commands[State]:
        """One of the groups."""
        return (
            Command(
                "",
                NextPursuit,
                Slot("group", "war_at_sea.group", self._groups),
                apply=self._choose,
            ),
        )

    def _groups(self, asked: Asked[State], order: NextPursuit) -> list[Option]:
        combat = asked.state.combat
        return [group_option(combat, index) for index in self._waiting(combat)]

    def _choose(self, table: Table[State], asked: Asked[State], order: NextPursuit) -> None:
        """Fight that one."""
        self._fight(table, group_ids(asked.state.combat).index(order.group))

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Fight the only one, or be done."""
        waiting = self._waiting(table.state.combat)
        if waiting:
            self._fight(table, waiting[0])
        else:
            table.done()

    def _fight(self, table: Table[State], group: int) -> None:
        table.emit(PursuitOpened(group))
        table.call("pursuit")


def current_group(combat: Combat) -> Group:
    """The group that is being pursued."""
    return combat.groups[combat.group]


class ForcedBreakOff(Step[State]):
    """11.5 A pursuer whose speed has dropped below the escape speed must break off; the escape
    speed itself never changes (11.3)."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Break off those that are too slow now."""
        table.done()
        state = table.state
        combat = state.combat
        if not goes_on(combat):
            return
        speed = current_group(combat).speed
        slow = tuple(
            ship
            for ship in combat.ships(other(combat.fleeing))
            if state.ships[ship].speed_now < speed
        )
        if slow:
            table.emit(PursuitBrokenOff(slow, True))


@frozen
class BreakingOff:
    """The pursuers that give up."""

    ships: tuple[str, ...] = ()


class BreakOff(Asking[State]):
    """11.5 After each round the pursuer may break off with some or all of its ships."""

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The pursuing side, while both are still there."""
        combat = at.state.combat
        if not goes_on(combat):
            return {}
        return {
            other(combat.fleeing): Decision(
                say("prompt.war_at_sea.break_off", "11.5", area=combat.place)
            )
        }

    def commands(self) -> Commands[State]:
        """None, all, or some of the pursuers."""
        return (
            word("pursue_on", lambda table, asked: table.done()),
            word("break_off_all", self._all),
            Command(
                "break_off",
                BreakingOff,
                Many("ships", "war_at_sea.breaking_ship", self._others, self._why_not),
                apply=lambda table, asked, order: self._break_off(table, order.ships),
                when=lambda asked: len(asked.state.combat.ships(asked.seat)) > 1,
            ),
        )

    def no_verb(self, asked: Asked[State], verb: Pick) -> Refusal | None:
        """11.7 None changes its target."""
        return refuse("11.7", "refusal.war_at_sea.no_switching") if verb == "pursue" else None

    def _others(self, asked: Asked[State], order: BreakingOff) -> list[str]:
        """11.5 Ships of this pursuit."""
        ships = asked.state.combat.ships(asked.seat)
        return [ship for ship in ships if ship not in order.ships]

    def _why_not(self, asked: Asked[State], order: BreakingOff, pick: Pick) -> Refusal:
        """11.5 Only ships of this pursuit."""
        return refuse("11.5", "refusal.war_at_sea.not_pursuing", ship=pick)

    def _all(self, table: Table[State], asked: Asked[State]) -> None:
        """All of them."""
        self._break_off(table, asked.state.combat.ships(asked.seat))

    def _break_off(self, table: Table[State], ships: tuple[str, ...]) -> None:
        """Those ships give up; they stay in the area unescaped (R28)."""
        table.done()
        table.emit(PursuitBrokenOff(ships, False))


class ClosePursuit(Step[State]):
    """11.6 No pursuer is left: the group has escaped. Or the group is gone: its pursuers may not
    turn to another (11.7).

    A pursuit that dies out (R25) counts as broken off: its group has escaped too.
    """

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Mark the ships that got away and close the fight."""
        table.done()
        combat = table.state.combat
        left = combat.ships(combat.fleeing)
        table.emit(PursuitClosed(combat.group))
        if left:
            table.emit(ShipsEscaped(left, combat.place))


STEPS: Mapping[str, Step[State]] = {
    "assign_pursuers": AssignPursuers(),
    "pursuits": Pursuits(),
    "forced_break_off": ForcedBreakOff(),
    "break_off": BreakOff(),
    "close_pursuit": ClosePursuit(),
}
