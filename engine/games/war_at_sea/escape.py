"""11 Escape: after each round both sides write stay or escape, sealed, and show it together; then
the escaping side forms groups. What becomes of them is in `pursuit`.

All ships of a side escape or none (11.3), so the paper is one word. Escaped ships stay in the area,
marked, until return (11.6), and the control test (12.1) needs nothing else: whoever has unescaped
surface ships there, alone, controls.
"""

from collections.abc import Iterator, Mapping
from functools import partial

from attrs import frozen

from warledger.engine.games.war_at_sea.battle import Group
from warledger.engine.games.war_at_sea.data import ALLIED, AXIS, SEATS, other
from warledger.engine.games.war_at_sea.state import State, left, with_fight, with_ships
from warledger.engine.games.war_at_sea.surface import goes_on
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import (
    Asked,
    Asking,
    Command,
    Commands,
    Many,
    word,
)
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Pick, Refusal, Seat, Step, event
from warledger.protocol.board.choices import refuse, say
from warledger.protocol.board.effects import Effect, mark, tell
from warledger.protocol.chance.seal import Secret

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


# --- what follows ---------------------------------------------------------------------------------

after = ByEvent()


@after(ShipsEscaped)
def _escaped(state: State, event: ShipsEscaped) -> State:
    """11.6 Ships that have escaped are out of the fight."""
    escaped = [replace(state.ships[name], escaped=True) for name in event.ships]
    return left(with_ships(state, escaped), *event.ships)


@after(EscapeWritten)
def _written(state: State, event: EscapeWritten) -> State:
    return with_fight(state, written=(*state.combat.written, (event.seat, event.choice)))


@after(EscapeShown)
def _shown(state: State, event: EscapeShown) -> State:
    """11.1, 11.8 One escapes: the main fight is over and it is fleeing; both: over; none: it goes
    on."""
    allied, axis = event.allied == "escape", event.axis == "escape"
    fleeing = ALLIED if allied and not axis else AXIS if axis and not allied else ""
    return with_fight(state, written=(), fleeing=fleeing, over=allied or axis)


@after(GroupsFormed)
def _groups(state: State, event: GroupsFormed) -> State:
    return with_fight(
        state,
        groups=tuple(
            Group(ships, speed) for ships, speed in zip(event.groups, event.speeds, strict=True)
        ),
    )


# --- what clients see -----------------------------------------------------------------------------

draws = ByEvent()


@draws(ShipsEscaped)
def _draw_ships_escaped(before: State, event: ShipsEscaped, after: State) -> Iterator[Effect]:
    for name in event.ships:
        yield mark(name, "escaped", 1)
    yield tell("war_at_sea.ships_escaped", "11.6", ships=event.ships, area=event.area)


@draws(EscapeWritten)
def _draw_written(before: State, event: EscapeWritten, after: State) -> Iterator[Effect]:
    yield tell("war_at_sea.escape_written", "11.8", side=event.seat)


@draws(EscapeShown)
def _draw_shown(before: State, event: EscapeShown, after: State) -> Iterator[Effect]:
    choices = (event.allied, event.axis)
    if choices == ("escape", "escape"):
        yield tell("war_at_sea.both_escape", "11.8", place=before.combat.place)
    elif choices == ("stay", "stay"):
        yield tell("war_at_sea.both_stay", "11.8")
    else:
        side = SEATS[choices.index("escape")]
        yield tell("war_at_sea.one_escapes", "11.1", side=side, other=other(side))


@draws(GroupsFormed)
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
        """Make the groups that the order names."""
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


STEPS: Mapping[str, Step[State]] = {
    "write_escape": WriteEscape(),
    "form_groups": FormGroups(),
}
