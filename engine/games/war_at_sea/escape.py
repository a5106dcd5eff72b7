"""11 Escape: after each round both sides write stay or escape, sealed, and show it together; then groups, pursuers, and a fight a group.

Two rules. All ships of a side escape or none (11.3), so the paper is one word. And who is pursuing whom is fixed once: no joining, no
switching (11.7); a pursuer only ever leaves. Escaped ships stay in the area, marked, until return (11.6), and the control test (12.1)
needs nothing else: whoever has unescaped surface ships there, alone, controls.
"""

from collections.abc import Mapping

from attrs import frozen

from engine.games.war_at_sea.combat_events import (
    EscapeShown,
    EscapeWritten,
    GroupsFormed,
    PursuitAssigned,
    PursuitBrokenOff,
    PursuitClosed,
    PursuitOpened,
)
from engine.games.war_at_sea.combat_state import Combat, Group
from engine.games.war_at_sea.data import ALLIED, AXIS, SEATS, other
from engine.games.war_at_sea.events import ShipsEscaped
from engine.games.war_at_sea.state import State
from engine.games.war_at_sea.surface import REST, goes_on
from engine.kernel.position import Frame, Position
from engine.kernel.table import Table
from engine.kernel.types import Choices, Decision, Picks, Refusal, Seat, Step
from protocol.choices import WHOLE, Option, offer, refuse, say
from protocol.seal import Secret

ESCAPE, STAY = "escape", "stay"
NEXT_GROUP = "next_group"


def speed_of_group(state: State, ships: tuple[str, ...]) -> int:
    """11.3, R55 The effective speed of its slowest ship at this moment."""
    return min(state.ships[ship].speed_now for ship in ships)


def possible_pursuers(state: State, side: Seat, speed: int) -> tuple[str, ...]:
    """11.4 Warships at least as fast as the escape speed; convoys cannot pursue (R56)."""
    ships = state.ships
    return tuple(ship for ship in state.combat.ships(side) if ships[ship].is_warship and ships[ship].speed_now >= speed)


def group_ids(combat: Combat) -> tuple[str, ...]:
    """The names by which groups are picked: group_1, group_2 …"""
    return tuple(f"group_{index + 1}" for index in range(len(combat.groups)))


def group_option(combat: Combat, index: int) -> Option:
    """A group as an option that shows its ships and speed."""
    group = combat.groups[index]
    label = say("pick.war_at_sea.group", "11.3", n=index + 1, ships=group.ships, speed=group.speed)
    return Option(f"group_{index + 1}", label)


# --- the written question ---------------------------------------------------------------------------------------------------


class WriteEscape(Step[State]):
    """11.1, 11.8, R26 Both sides write at the same time whether they escape; the papers are sealed until both are there.

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

    def choices(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        """stay or escape, sealed."""
        if picks:
            return Choices("end", complete=True, sealed=True)
        return offer("verb", (STAY, ESCAPE), sealed=True)

    def refusal(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Refusal:
        """11.3 All ships of a side escape, or none: no ship is named on the paper."""
        if len(picks) > 1:
            return refuse("11.3", "refusal.war_at_sea.all_escape_or_none")
        return super().refusal(at, frame, seat, picks)

    def decide(self, table: Table[State], frame: Frame, seat: Seat, picks: Picks) -> None:
        """Write it; when both have written, the papers are shown."""
        table.emit(EscapeWritten(seat, Secret(str(picks[0]), (seat,))))
        written = dict(table.state.combat.written)
        if len(written) < len(SEATS):
            return
        table.done()
        shown = {side: str(table.reveal(written[side])) for side in SEATS}
        table.emit(EscapeShown(shown[ALLIED], shown[AXIS]))
        if shown[ALLIED] == shown[AXIS] == ESCAPE:
            combat = table.state.combat
            table.emit(ShipsEscaped((*combat.allied, *combat.axis), combat.place))


# --- groups -----------------------------------------------------------------------------------------------------------------


def read_groups(ships: tuple[str, ...], picks: Picks) -> tuple[tuple[str, ...], ...]:
    """11.3 The groups that the picks after the verb make; ships that are not named form one more group."""
    groups: list[list[str]] = [[]]
    for pick in picks:
        if pick == NEXT_GROUP:
            groups.append([])
        else:
            groups[-1].append(str(pick))
    rest = [ship for ship in ships if ship not in picks]
    return tuple(tuple(group) for group in (*groups, rest) if group)


class FormGroups(Step[State]):
    """11.3 The escaping side puts all its ships into one or more groups; each group's escape speed is fixed now."""

    def _asks(self, state: State) -> bool:
        combat = state.combat
        return bool(combat.fleeing) and len(combat.ships(combat.fleeing)) > 1 and self._can_be_pursued(state)

    def _can_be_pursued(self, state: State) -> bool:
        """Whether any way of grouping leaves somebody who could pursue: judged by the slowest ship (11.4)."""
        combat = state.combat
        return bool(possible_pursuers(state, other(combat.fleeing), speed_of_group(state, combat.ships(combat.fleeing))))

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The escaping side, if it has several ships and the grouping can matter."""
        if not self._asks(at.state):
            return {}
        combat = at.state.combat
        return {combat.fleeing: Decision(say("prompt.war_at_sea.form_groups", "11.3", area=combat.place))}

    def choices(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        """together; apart (each ship by itself); by_speed; or groups, then ships, `next_group`, ships … (the rest form the last)."""
        ships = at.state.combat.ships(seat)
        if not picks:
            return offer("verb", ("together", "apart", "by_speed", "groups"))
        if picks[0] != "groups":
            return WHOLE
        left = tuple(ship for ship in ships if ship not in picks)
        if not left:
            return WHOLE
        named = len(picks) > 1
        divider = (NEXT_GROUP,) if named and picks[-1] != NEXT_GROUP else ()
        return offer("war_at_sea.group_ship", (*left, *divider), complete=named)

    def refusal(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Refusal:
        """11.3 Each ship of the side in one group."""
        if len(picks) < 2 or picks[0] != "groups":
            return super().refusal(at, frame, seat, picks)
        if picks[-1] in picks[1:-1] and picks[-1] != NEXT_GROUP:
            return refuse("11.3", "refusal.war_at_sea.grouped_already", ship=picks[-1])
        if picks[-1] == NEXT_GROUP:
            return refuse("11.3", "refusal.war_at_sea.empty_group")
        return refuse("11.3", "refusal.war_at_sea.not_in_fight", ship=picks[-1])

    def decide(self, table: Table[State], frame: Frame, seat: Seat, picks: Picks) -> None:
        """The groups are shown to everybody (R27)."""
        table.done()
        state = table.state
        ships = state.combat.ships(seat)
        if picks[0] == "together":
            groups: tuple[tuple[str, ...], ...] = (ships,)
        elif picks[0] == "apart":
            groups = tuple((ship,) for ship in ships)
        elif picks[0] == "by_speed":
            speeds = sorted({state.ships[ship].speed_now for ship in ships}, reverse=True)
            groups = tuple(tuple(ship for ship in ships if state.ships[ship].speed_now == speed) for speed in speeds)
        else:
            groups = read_groups(ships, picks[1:])
        self._form(table, seat, groups)

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
        table.emit(GroupsFormed(seat, groups, tuple(speed_of_group(table.state, ships) for ships in groups)))


# --- pursuit ----------------------------------------------------------------------------------------------------------------


@frozen
class Chase:
    """A pursuit as far as it has been assigned: (ship, group index) pairs, ships that are left, and the ship (or REST) named last."""

    pairs: tuple[tuple[str, int], ...]
    left: tuple[str, ...]
    naming: str


class AssignPursuers(Step[State]):
    """11.2, 11.4 The opponent lets the groups go, or sends some or all of its ships, each after one group, all at once.

    Ships that are not sent now may never join (11.7).
    """

    def _able(self, state: State) -> tuple[str, ...]:
        """Ships that could catch the slowest group."""
        combat = state.combat
        if not combat.groups or all(group.settled for group in combat.groups):
            return ()
        return possible_pursuers(state, other(combat.fleeing), min(group.speed for group in combat.groups))

    def _read(self, state: State, picks: Picks) -> Chase:
        able = self._able(state)
        combat = state.combat
        pairs: list[tuple[str, int]] = []
        left = list(able)
        for at in range(0, len(picks) - 1, 2):
            ship, group = str(picks[at]), int(str(picks[at + 1]).removeprefix("group_")) - 1
            sent = [one for one in left if state.ships[one].speed_now >= combat.groups[group].speed] if ship == REST else [ship]
            pairs.extend((one, group) for one in sent)
            left = [one for one in left if one not in sent]
        return Chase(tuple(pairs), tuple(left), str(picks[-1]) if len(picks) % 2 else "")

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The opponent of the escaping side, if any of its ships is fast enough."""
        if not self._able(at.state):
            return {}
        combat = at.state.combat
        return {other(combat.fleeing): Decision(say("prompt.war_at_sea.pursue", "11.2", area=combat.place, groups=len(combat.groups)))}

    def choices(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        """pursue, then ship, group, ship, group …; or let_go."""
        if not picks:
            return offer("verb", ("pursue", "let_go"))
        if picks[0] == "let_go":
            return WHOLE
        state = at.state
        combat = state.combat
        chase = self._read(state, picks[1:])
        if not chase.naming:
            left = (*chase.left, REST) if len(chase.left) > 1 else chase.left
            return offer("war_at_sea.pursuer", left, complete=bool(chase.pairs))
        sent = chase.left if chase.naming == REST else (chase.naming,)
        best = max(state.ships[ship].speed_now for ship in sent)
        groups = (group_option(combat, index) for index, group in enumerate(combat.groups) if best >= group.speed)
        return offer("war_at_sea.group", groups)

    def refusal(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Refusal:
        """11.4 Fast enough, one group each, no convoy."""
        if len(picks) < 2 or picks[0] != "pursue":
            return super().refusal(at, frame, seat, picks)
        state = at.state
        combat = state.combat
        pick = str(picks[-1])
        chase = self._read(state, picks[1:-1])
        if chase.naming:
            ids = group_ids(combat)
            if pick in ids and chase.naming != REST:
                speed = combat.groups[ids.index(pick)].speed
                now = state.ships[chase.naming].speed_now
                return refuse("11.4", "refusal.war_at_sea.too_slow_for_group", ship=chase.naming, speed=now, escape=speed)
            return refuse("11.4", "refusal.war_at_sea.no_such_group", group=pick)
        if any(ship == pick for ship, _ in chase.pairs):
            return refuse("11.4", "refusal.war_at_sea.pursues_already", ship=pick)
        if pick in combat.ships(seat):
            ship = state.ships[pick]
            if ship.is_convoy:
                return refuse("11.4", "refusal.war_at_sea.convoy_pursues", ship=pick)
            slowest = min(group.speed for group in combat.groups)
            return refuse("11.4", "refusal.war_at_sea.too_slow_for_group", ship=pick, speed=ship.speed_now, escape=slowest)
        return refuse("11.4", "refusal.war_at_sea.not_in_fight", ship=pick)

    def decide(self, table: Table[State], frame: Frame, seat: Seat, picks: Picks) -> None:
        """Assign; groups that nobody pursues have escaped (11.6)."""
        table.done()
        pairs = self._read(table.state, picks[1:]).pairs if picks[0] == "pursue" else ()
        self._assign(table, seat, pairs)

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Nobody can pursue: all have escaped."""
        table.done()
        combat = table.state.combat
        if combat.groups and not all(group.settled for group in combat.groups):
            self._assign(table, other(combat.fleeing), ())

    def _assign(self, table: Table[State], seat: Seat, pairs: tuple[tuple[str, int], ...]) -> None:
        groups = table.state.combat.groups
        pursuers = tuple(tuple(ship for ship, at in pairs if at == index) for index in range(len(groups)))
        table.emit(PursuitAssigned(seat, pursuers))
        free = tuple(ship for group, hunters in zip(groups, pursuers, strict=True) if not hunters for ship in group.ships)
        if free:
            table.emit(ShipsEscaped(free, table.state.combat.place))


class Pursuits(Step[State]):
    """11.4 Each group is a separate fight. With several to be fought the Axis chooses which comes next (7.1)."""

    def _waiting(self, combat: Combat) -> tuple[int, ...]:
        return tuple(index for index, group in enumerate(combat.groups) if group.pursuers and not group.settled)

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The Axis player, while two or more groups are pursued."""
        combat = at.state.combat
        if len(self._waiting(combat)) < 2:
            return {}
        return {AXIS: Decision(say("prompt.war_at_sea.pursuit_order", "7.1", area=combat.place))}

    def choices(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        """One of the groups."""
        if picks:
            return WHOLE
        combat = at.state.combat
        return offer("war_at_sea.group", (group_option(combat, index) for index in self._waiting(combat)))

    def decide(self, table: Table[State], frame: Frame, seat: Seat, picks: Picks) -> None:
        """Fight that one."""
        self._fight(table, group_ids(table.state.combat).index(str(picks[0])))

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
    """11.5 A pursuer whose speed has dropped below the escape speed must break off; the escape speed itself never changes (11.3)."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Break off those that are too slow now."""
        table.done()
        state = table.state
        combat = state.combat
        if not goes_on(combat):
            return
        speed = current_group(combat).speed
        slow = tuple(ship for ship in combat.ships(other(combat.fleeing)) if state.ships[ship].speed_now < speed)
        if slow:
            table.emit(PursuitBrokenOff(slow, True))


class BreakOff(Step[State]):
    """11.5 After each round the pursuer may break off with some or all of its ships."""

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The pursuing side, while both are still there."""
        combat = at.state.combat
        if not goes_on(combat):
            return {}
        return {other(combat.fleeing): Decision(say("prompt.war_at_sea.break_off", "11.5", area=combat.place))}

    def choices(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        """pursue_on; break_off_all; or break_off, then ships."""
        ships = at.state.combat.ships(seat)
        if not picks:
            return offer("verb", ("pursue_on", "break_off_all", "break_off") if len(ships) > 1 else ("pursue_on", "break_off_all"))
        if picks[0] != "break_off":
            return WHOLE
        left = tuple(ship for ship in ships if ship not in picks)
        return offer("war_at_sea.breaking_ship", left, complete=len(picks) > 1)

    def refusal(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Refusal:
        """11.5 Only ships of this pursuit; 11.7 none changes its target."""
        if len(picks) > 1:
            return refuse("11.5", "refusal.war_at_sea.not_pursuing", ship=picks[-1])
        if picks[0] == "pursue":
            return refuse("11.7", "refusal.war_at_sea.no_switching")
        return super().refusal(at, frame, seat, picks)

    def decide(self, table: Table[State], frame: Frame, seat: Seat, picks: Picks) -> None:
        """Those ships give up; they stay in the area unescaped (R28)."""
        table.done()
        if picks[0] == "pursue_on":
            return
        ships = table.state.combat.ships(seat)
        table.emit(PursuitBrokenOff(ships if picks[0] == "break_off_all" else tuple(str(ship) for ship in picks[1:]), False))


class ClosePursuit(Step[State]):
    """11.6 No pursuer is left: the group has escaped. Or the group is gone: its pursuers may not turn to another (11.7).

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
