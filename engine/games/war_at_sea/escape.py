"""11 Escape: after each round both sides write stay or escape, sealed, and show it together; then
groups, pursuers, and a fight a group.

Two rules. All ships of a side escape or none (11.3), so the paper is one word. And who is pursuing
whom is fixed once: no joining, no switching (11.7); a pursuer only ever leaves. Escaped ships stay
in the area, marked, until return (11.6), and the control test (12.1) needs nothing else: whoever
has unescaped surface ships there, alone, controls.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from attrs import frozen

from warledger.engine.games.war_at_sea.battle import Combat, Group
from warledger.engine.games.war_at_sea.data import ALLIED, AXIS, SEATS, other
from warledger.engine.games.war_at_sea.state import Ship, State, left, with_fight, with_ships
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
from warledger.protocol.choices import Option, refuse, say
from warledger.protocol.effects import Effect, mark, tell
from warledger.protocol.seal import Secret

# --- events ---------------------------------------------------------------------------------------


@event("ships_escaped")
class ShipsEscaped:
    """11.6 Ships have escaped; they stay in their area until they return to port."""

    ships: tuple[str, ...]
    area: str


@event("escape_written")
class EscapeWritten:
    """11.8 A side has written whether it wants to escape: "escape" or "stay", sealed until both
    have written."""

    seat: str
    choice: Secret


@event("escape_shown")
class EscapeShown:
    """11.8 Both papers are turned over."""

    allied: str
    axis: str


@event("groups_formed")
class GroupsFormed:
    """11.3 The escaping side's groups, each with its escape speed."""

    seat: str
    groups: tuple[tuple[str, ...], ...]
    speeds: tuple[int, ...]


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

_after = ByEvent()


@_after(ShipsEscaped)
def _escaped(state: State, event: ShipsEscaped) -> State:
    """11.6 Ships that have escaped are out of the fight."""
    escaped = [replace(state.ships[name], escaped=True) for name in event.ships]
    return left(with_ships(state, escaped), *event.ships)


@_after(EscapeWritten)
def _written(state: State, event: EscapeWritten) -> State:
    return with_fight(state, written=(*state.combat.written, (event.seat, event.choice)))


@_after(EscapeShown)
def _shown(state: State, event: EscapeShown) -> State:
    """11.1, 11.8 One escapes: the main fight is over and it is fleeing; both: over; none: it goes
    on."""
    allied, axis = event.allied == "escape", event.axis == "escape"
    fleeing = ALLIED if allied and not axis else AXIS if axis and not allied else ""
    return with_fight(state, written=(), fleeing=fleeing, over=allied or axis)


@_after(GroupsFormed)
def _groups(state: State, event: GroupsFormed) -> State:
    return with_fight(
        state,
        groups=tuple(
            Group(ships, speed) for ships, speed in zip(event.groups, event.speeds, strict=True)
        ),
    )


@_after(PursuitAssigned)
def _assigned(state: State, event: PursuitAssigned) -> State:
    """11.4, 11.6 A group that nobody pursues is settled at once."""
    groups = zip(state.combat.groups, event.pursuers, strict=True)
    return with_fight(
        state,
        groups=tuple(replace(group, pursuers=ships, settled=not ships) for group, ships in groups),
    )


@_after(PursuitOpened)
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


@_after(PursuitBrokenOff)
def _broken_off(state: State, event: PursuitBrokenOff) -> State:
    return left(state, *event.ships)


@_after(PursuitClosed)
def _pursuit_closed(state: State, event: PursuitClosed) -> State:
    combat = state.combat
    groups = tuple(
        replace(group, settled=True) if index == event.group else group
        for index, group in enumerate(combat.groups)
    )
    return with_fight(state, groups=groups, allied=(), axis=(), group=-1, over=True)


# --- what clients see -----------------------------------------------------------------------------

_draws = ByEvent()


@_draws(ShipsEscaped)
def _draw_ships_escaped(before: State, event: ShipsEscaped, after: State) -> Iterator[Effect]:
    for name in event.ships:
        yield mark(name, "escaped", 1)
    yield tell("war_at_sea.ships_escaped", "11.6", ships=event.ships, area=event.area)


@_draws(EscapeWritten)
def _draw_written(before: State, event: EscapeWritten, after: State) -> Iterator[Effect]:
    yield tell("war_at_sea.escape_written", "11.8", side=event.seat)


@_draws(EscapeShown)
def _draw_shown(before: State, event: EscapeShown, after: State) -> Iterator[Effect]:
    choices = (event.allied, event.axis)
    if choices == ("escape", "escape"):
        yield tell("war_at_sea.both_escape", "11.8", place=before.combat.place)
    elif choices == ("stay", "stay"):
        yield tell("war_at_sea.both_stay", "11.8")
    else:
        side = SEATS[choices.index("escape")]
        yield tell("war_at_sea.one_escapes", "11.1", side=side, other=other(side))


@_draws(GroupsFormed)
def _draw_groups(before: State, event: GroupsFormed, after: State) -> Iterator[Effect]:
    for index, (ships, speed) in enumerate(zip(event.groups, event.speeds, strict=True)):
        yield tell(
            "war_at_sea.group_formed",
            "11.3",
            side=event.seat,
            n=index + 1,
            ships=ships,
            speed=speed,
        )


@_draws(PursuitAssigned)
def _draw_assigned(before: State, event: PursuitAssigned, after: State) -> Iterator[Effect]:
    if not any(event.pursuers):
        yield tell("war_at_sea.let_go", "11.2", side=event.seat)
    for index, ships in enumerate(event.pursuers):
        if ships:
            yield tell("war_at_sea.pursues", "11.4", ships=ships, n=index + 1)


@_draws(PursuitOpened)
def _draw_pursuit_opened(before: State, event: PursuitOpened, after: State) -> Iterator[Effect]:
    group = before.combat.groups[event.group]
    yield tell(
        "war_at_sea.pursuit_opened",
        "11.4",
        n=event.group + 1,
        ships=group.ships,
        pursuers=group.pursuers,
    )


@_draws(PursuitBrokenOff)
def _draw_broken_off(before: State, event: PursuitBrokenOff, after: State) -> Iterator[Effect]:
    key = "war_at_sea.must_break_off" if event.forced else "war_at_sea.breaks_off"
    yield tell(key, "11.5", ships=event.ships)


@_draws(PursuitClosed)
def _draw_pursuit_closed(before: State, event: PursuitClosed, after: State) -> Iterator[Effect]:
    yield tell("war_at_sea.pursuit_closed", "11.6", n=event.group + 1)


ESCAPE, STAY = "escape", "stay"
NEXT_GROUP = "next_group"


def speed_of_group(state: State, ships: tuple[str, ...]) -> int:
    """11.3, R55 The effective speed of its slowest ship at this moment."""
    return min(state.ships[ship].speed_now for ship in ships)


def possible_pursuers(state: State, side: Seat, speed: int) -> tuple[str, ...]:
    """11.4 Warships at least as fast as the escape speed; convoys cannot pursue (R56)."""
    ships = state.ships
    return tuple(
        ship
        for ship in state.combat.ships(side)
        if ships[ship].is_warship and ships[ship].speed_now >= speed
    )


def group_ids(combat: Combat) -> tuple[str, ...]:
    """The names by which groups are picked: group_1, group_2 …"""
    return tuple(f"group_{index + 1}" for index in range(len(combat.groups)))


def group_option(combat: Combat, index: int) -> Option:
    """A group as an option that shows its ships and speed."""
    group = combat.groups[index]
    label = say("pick.war_at_sea.group", "11.3", n=index + 1, ships=group.ships, speed=group.speed)
    return Option(f"group_{index + 1}", label)


# --- the written question -------------------------------------------------------------------------


class WriteEscape(Asking[State]):
    """11.1, 11.8, R26 Both sides write at the same time whether they escape; the papers are sealed
    until both are there.

    Every side is asked, whatever ships it has left (R57).
    """

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """Each side that has not written yet."""
        combat = at.state.combat
        if not goes_on(combat):
            return {}
        written = tuple(seat for seat, _ in combat.written)
        decision = Decision(say("prompt.war_at_sea.write_escape", "11.8", area=combat.place))
        return {seat: decision for seat in SEATS if seat not in written}

    def commands(self) -> Commands[State]:
        """One word."""
        return tuple(
            word(answer, partial(self._write, answer), beyond=self._no_ship)
            for answer in (STAY, ESCAPE)
        )

    def sealed(self, asked: Asked[State]) -> bool:
        """11.8 Until both have written."""
        return True

    def _no_ship(self, asked: Asked[State], pick: Pick) -> Refusal:
        """11.3 All ships of a side escape, or none: no ship is named on the paper."""
        return refuse("11.3", "refusal.war_at_sea.all_escape_or_none")

    def _write(self, answer: str, table: Table[State], asked: Asked[State]) -> None:
        """Write it; when both have written, the papers are shown."""
        table.emit(EscapeWritten(asked.seat, Secret(answer, (asked.seat,))))
        written = dict(table.state.combat.written)
        if len(written) < len(SEATS):
            return
        table.done()
        shown = {side: str(table.reveal(written[side])) for side in SEATS}
        table.emit(EscapeShown(shown[ALLIED], shown[AXIS]))
        if shown[ALLIED] == shown[AXIS] == ESCAPE:
            combat = table.state.combat
            table.emit(ShipsEscaped((*combat.allied, *combat.axis), combat.place))


# --- groups ---------------------------------------------------------------------------------------


@frozen
class Grouping:
    """Ships, with NEXT_GROUP where a group ends."""

    named: tuple[str, ...] = ()


def groups_of(ships: tuple[str, ...], order: Grouping) -> tuple[tuple[str, ...], ...]:
    """11.3 The groups that the order makes; ships that are not named form one more group."""
    groups: list[list[str]] = [[]]
    for name in order.named:
        if name == NEXT_GROUP:
            groups.append([])
        else:
            groups[-1].append(name)
    rest = [ship for ship in ships if ship not in order.named]
    return tuple(tuple(group) for group in (*groups, rest) if group)


class FormGroups(Asking[State]):
    """11.3 The escaping side puts all its ships into one or more groups; each group's escape speed
    is fixed now."""

    def _asks(self, state: State) -> bool:
        combat = state.combat
        return (
            bool(combat.fleeing)
            and len(combat.ships(combat.fleeing)) > 1
            and self._can_be_pursued(state)
        )

    def _can_be_pursued(self, state: State) -> bool:
        """Whether any way of grouping leaves somebody who could pursue: judged by the slowest ship
        (11.4)."""
        combat = state.combat
        return bool(
            possible_pursuers(
                state, other(combat.fleeing), speed_of_group(state, combat.ships(combat.fleeing))
            )
        )

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The escaping side, if it has several ships and the grouping can matter."""
        if not self._asks(at.state):
            return {}
        combat = at.state.combat
        return {
            combat.fleeing: Decision(
                say("prompt.war_at_sea.form_groups", "11.3", area=combat.place)
            )
        }

    def commands(self) -> Commands[State]:
        """All together, each ship by itself, by speed, or group by group (the rest form the
        last)."""
        return (
            word("together", self._together),
            word("apart", self._apart),
            word("by_speed", self._by_speed),
            Command(
                "groups",
                Grouping,
                Many(
                    "named",
                    "war_at_sea.group_ship",
                    self._next,
                    self._why_not,
                    full=lambda asked, order: not self._left(asked, order),
                ),
                apply=self._by_hand,
                beyond=self._why_not,
            ),
        )

    @staticmethod
    def _left(asked: Asked[State], order: Grouping) -> list[str]:
        """The ships that are in no group yet."""
        ships = asked.state.combat.ships(asked.seat)
        return [ship for ship in ships if ship not in order.named]

    def _next(self, asked: Asked[State], order: Grouping) -> list[str]:
        """Another ship, or the next group."""
        left = self._left(asked, order)
        begun = bool(order.named) and order.named[-1] != NEXT_GROUP
        return [*left, NEXT_GROUP] if begun else left

    def _why_not(self, asked: Asked[State], order: Grouping, pick: Pick) -> Refusal:
        """11.3 Each ship of the side in one group."""
        if pick == NEXT_GROUP:
            return refuse("11.3", "refusal.war_at_sea.empty_group")
        if pick in order.named:
            return refuse("11.3", "refusal.war_at_sea.grouped_already", ship=pick)
        return refuse("11.3", "refusal.war_at_sea.not_in_fight", ship=pick)

    def _together(self, table: Table[State], asked: Asked[State]) -> None:
        """One group."""
        self._choose(table, asked, (asked.state.combat.ships(asked.seat),))

    def _apart(self, table: Table[State], asked: Asked[State]) -> None:
        """A group for each ship."""
        ships = asked.state.combat.ships(asked.seat)
        self._choose(table, asked, tuple((ship,) for ship in ships))

    def _by_speed(self, table: Table[State], asked: Asked[State]) -> None:
        """A group for each speed, the fastest first."""
        state = asked.state
        by_speed: dict[int, list[str]] = {}
        for ship in state.combat.ships(asked.seat):
            by_speed.setdefault(state.ships[ship].speed_now, []).append(ship)
        self._choose(
            table, asked, tuple(tuple(by_speed[speed]) for speed in sorted(by_speed, reverse=True))
        )

    def _by_hand(self, table: Table[State], asked: Asked[State], order: Grouping) -> None:
        """As they were named."""
        self._choose(table, asked, groups_of(asked.state.combat.ships(asked.seat), order))

    def _choose(
        self, table: Table[State], asked: Asked[State], groups: tuple[tuple[str, ...], ...]
    ) -> None:
        """The groups are shown to everybody (R27)."""
        table.done()
        self._form(table, asked.seat, groups)

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Nothing to choose: one ship, or nobody fast enough to pursue."""
        table.done()
        combat = table.state.combat
        if not combat.fleeing:
            return
        ships = combat.ships(combat.fleeing)
        if self._can_be_pursued(table.state):
            self._form(table, combat.fleeing, (ships,))
        else:
            table.emit(ShipsEscaped(ships, combat.place))

    def _form(self, table: Table[State], seat: Seat, groups: tuple[tuple[str, ...], ...]) -> None:
        table.emit(
            GroupsFormed(
                seat, groups, tuple(speed_of_group(table.state, ships) for ships in groups)
            )
        )


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
    "write_escape": WriteEscape(),
    "form_groups": FormGroups(),
    "assign_pursuers": AssignPursuers(),
    "pursuits": Pursuits(),
    "forced_break_off": ForcedBreakOff(),
    "break_off": BreakOff(),
    "close_pursuit": ClosePursuit(),
}
EVENTS: tuple[type[Any], ...] = (
    ShipsEscaped,
    EscapeWritten,
    EscapeShown,
    GroupsFormed,
    PursuitAssigned,
    PursuitOpened,
    PursuitBrokenOff,
    PursuitClosed,
)
TABLE: Mapping[type[Any], Callable[[State, Any], State]] = _after.table()
"""Event class -> the state after it."""
EFFECTS: Mapping[type[Any], Callable[[State, Any, State], Iterable[Effect]]] = _draws.table()
"""Event class -> what clients draw and tell of it."""
