"""OCS 14.3: air combat, round by round, and the step that asks both sides for it.

OCS 14.3c The side that begins the combat attacks, unless all its aircraft there have ratings in
parentheses (14.3a): then the roles switch. Where all on both sides have them nobody fights. A round
ends with one aircraft or both of it aborted, and with a loss on the loss die. OCS 4.9d All aircraft
that are there are shown, so that nothing of it is hidden.

[R] OCS 14.3d Of voluntary aborts before a combat the side that begins it speaks first. Of those
after it that is the side whose mission it is.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from attrs import frozen

from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.ch09_combat import losses
from warledger.engine.games.ocs.ch14_air import aircraft
from warledger.engine.games.ocs.ch14_air.mission_in_progress import AFTER, BEFORE, ROUNDS, Sortie
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.state import State
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import Asked, Asking, Command, Commands, Many, Slot, word
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Pick, Refusal, Seat, Step, event
from warledger.protocol.board.choices import refuse, say

WHY = "air_combat"
"""Why steps are lost."""

AIR_COMBAT = "ocs.air_combat"
"""The name of the step."""

SHUNS = "shuns"
"""Why aircraft abort that enter no air combat."""


# --- events ---------------------------------------------------------------------------------------


@event("ocs.air_combat")
class AirCombatJoined:
    """OCS 14.2f(C), 14.5 Aircraft of both sides meet over a hex; the side that begins, and the
    fighter that intercepts, "" for none. All of them are shown (4.9d)."""

    hex: str
    aircraft: tuple[str, ...]
    initiator: str
    interceptor: str


@event("ocs.air_aborted")
class AircraftAborted:
    """OCS 14.1c, 14.3d Aircraft leave their mission, or the air over their base."""

    aircraft: Any
    why: str


@event("ocs.air_answered")
class AbortsAnswered:
    """OCS 14.3d A side has said which of its aircraft abort."""

    side: str


@event("ocs.air_stage")
class AirCombatStage:
    """OCS 14.3 The air combat goes on to its rounds, or to what follows them."""

    stage: str


@event("ocs.air_attacker")
class AttackerPicked:
    """OCS 14.3e Who attacks in the next round."""

    aircraft: str


@event("ocs.air_round")
class AirRoundFought:
    """OCS 14.3e One round: who fought over which hex, the dice and what they come to, who aborts,
    and the loss die. All of it is seen (4.9d)."""

    attacker: str
    defender: str
    hex: str
    dice: tuple[int, int]
    modified: int
    aborted: tuple[str, ...]
    die: int


@event("ocs.air_combat_over")
class AirCombatOver:
    """OCS 14.3 Nobody fights any more."""


after = ByEvent()


@after(AirCombatJoined)
def _joined(state: State, event: AirCombatJoined) -> State:
    """OCS 4.9d, R-18 The enemy knows them until they are inactive again."""
    seen = {name: replace(state.aircraft[name], seen=True) for name in event.aircraft}
    made = replace(state, aircraft={**state.aircraft, **seen})
    return _with(
        made,
        fought=event.aircraft,
        initiator=event.initiator,
        interceptor=event.interceptor,
        stage=ROUNDS if event.interceptor else BEFORE,
        answered=(),
        attacker="",
    )


@after(AircraftAborted)
def _aborted(state: State, event: AircraftAborted) -> State:
    return replace(state, sortie=mission(state).leaving(fog.plain(event.aircraft)))


@after(AbortsAnswered)
def _answered(state: State, event: AbortsAnswered) -> State:
    return _with(state, answered=(*mission(state).answered, event.side))


@after(AirCombatStage)
def _stage(state: State, event: AirCombatStage) -> State:
    return _with(state, stage=event.stage, answered=(), attacker="")


@after(AttackerPicked)
def _picked(state: State, event: AttackerPicked) -> State:
    return _with(state, attacker=event.aircraft)


@after(AirRoundFought)
def _fought(state: State, event: AirRoundFought) -> State:
    """OCS 14.1c Aircraft that abort leave the mission."""
    sortie = state.sortie
    if sortie is None:
        return state
    return replace(state, sortie=replace(sortie.leaving(event.aborted), attacker=""))


@after(AirCombatOver)
def _over(state: State, event: AirCombatOver) -> State:
    return _with(state, fought=(), initiator="", interceptor="", stage="", answered=(), attacker="")


def _with(state: State, **changes: Any) -> State:
    return replace(state, sortie=replace(mission(state), **changes))


def mission(state: State) -> Sortie:
    """The mission in progress. Raises AssertionError when there is none."""
    assert state.sortie is not None, "no mission is in progress"
    return state.sortie


def initiators(state: State, names: Sequence[str]) -> tuple[str, ...]:
    """OCS 14.3a Aircraft that may be picked to attack: with no parentheses around their rating."""
    return tuple(name for name in names if not aircraft.printed(state, name).paren)


def attacker(state: State, first: str, over: Sequence[str]) -> str:
    """OCS 14.3c Of the aircraft over a hex the side that attacks in the next round: `first`, who
    began, or the other if only it has aircraft that can; "" when the combat is over: one side is
    alone, or nobody can attack."""
    ours = [name for name in over if aircraft.printed(state, name).side == first]
    theirs = [name for name in over if name not in ours]
    if not ours or not theirs:
        return ""
    if initiators(state, ours):
        return first
    return state.enemy(first) if initiators(state, theirs) else ""


def may_leave_before(state: State, names: Sequence[str], *, intercepting: bool) -> int:
    """OCS 14.3d(A) How many of a side's aircraft may abort before the combat: all but one; none in
    an interception [E]."""
    return 0 if intercepting else max(len(names) - 1, 0)


def fight(table: Table[State], one: str, other: str, i: int) -> tuple[str, ...]:
    """OCS 14.3e One round over a hex: `one` attacks `other`. OCS R-07: the pair first, then the
    loss die. Returns who aborts, those that are lost among them."""
    state = table.state
    chart = state.charts.tables.air_combat
    pair = table.rolls(2, 6, "air_combat")
    modified = sum(pair) + aircraft.rating(state, one, i) - aircraft.rating(state, other, i)
    attacks, defends = chart.aborts(modified)
    aborted = tuple(name for name, aborts in ((one, attacks), (other, defends)) if aborts)
    die = table.roll(6, "air_loss")
    table.emit(
        AirRoundFought(
            one, other, state.charts.board.name(i), (pair[0], pair[1]), modified, aborted, die
        )
    )
    if die in chart.loss_die:
        for name in aborted:
            losses.lose_plane(table, name, why=WHY)
    return aborted


# --- how it is joined -----------------------------------------------------------------------------


def abort(table: Table[State], names: Sequence[str], why: str) -> None:
    """OCS 14.1c, 14.3d These aircraft abort. Those of the mission go home once it is over; the
    others lie at their base at once, inactive."""
    if not names:
        return
    state = table.state
    sortie = mission(state)
    side = aircraft.printed(state, names[0]).side
    seen = all(fog.aircraft_seen(state, name) for name in names)
    gone = tuple(names)
    table.emit(AircraftAborted(gone if seen else fog.hidden(state, side, gone), why))
    _land(table, (name for name in names if name not in sortie.aircraft))


def _land(table: Table[State], names: Iterable[str]) -> None:
    """OCS 14.1c, 14.5 Aircraft that fought from their own base lie there, inactive."""
    for name in names:
        base = table.state.aircraft[name].base
        if base is not None:
            aircraft.put(table, name, base, active=False)


def join(table: Table[State], initiator: str, names: Sequence[str], interceptor: str = "") -> None:
    """OCS 14.2f(C), 14.5 Aircraft of both sides meet over the target of the mission. Those that
    enter no air combat abort first; where nobody can attack nobody fights (14.3a)."""
    state = table.state
    game, charts = rules(state.charts), state.charts
    for side in charts.sides:
        own = [name for name in names if aircraft.printed(state, name).side == side]
        abort(table, [name for name in own if game.shuns_air_combat(charts, name)], SHUNS)
    over = tuple(name for name in names if not game.shuns_air_combat(charts, name))
    if not attacker(state, initiator, over):
        return
    hex = charts.board.name(mission(state).target)
    table.emit(AirCombatJoined(hex, over, initiator, interceptor))
    table.call(AIR_COMBAT)


# --- the step -------------------------------------------------------------------------------------


@frozen
class Aborting:
    """The aircraft that abort."""

    aircraft: tuple[str, ...] = ()


@frozen
class Choosing:
    """The aircraft that fights."""

    aircraft: str = ""


def own(state: State, side: str) -> tuple[str, ...]:
    """Aircraft of a side in the air combat."""
    return tuple(
        name for name in mission(state).fought if aircraft.printed(state, name).side == side
    )


def may_abort(state: State, side: str) -> int:
    """OCS 14.3d How many aircraft a side may abort of its own will now: all but one before a
    combat, any after it, none while it lasts. An interceptor goes home anyway (14.5)."""
    sortie = mission(state)
    if side in sortie.answered:
        return 0
    if sortie.stage == BEFORE:
        names = own(state, side)
        return may_leave_before(state, names, intercepting=bool(sortie.interceptor))
    if sortie.stage == AFTER:
        return sum(name != sortie.interceptor for name in own(state, side))
    return 0


def _on_attack(state: State) -> str:
    sortie = mission(state)
    return attacker(state, sortie.initiator, sortie.fought) if sortie.stage == ROUNDS else ""


class AirCombat(Asking[State]):
    """OCS 14.3 Both sides in turn: `abort AIRCRAFT …` or `stay` before and after, `attack
    AIRCRAFT` and `meet AIRCRAFT` in each round."""

    verb_slot = "ocs.air_combat"

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The side that has a choice now."""
        state = at.state
        sortie = mission(state)
        if sortie.stage == ROUNDS:
            side = _on_attack(state)
            if not side:
                return {}
            if not sortie.attacker:
                many = len(initiators(state, own(state, side))) > 1
                return {side: Decision(say("prompt.ocs.air_attack", "OCS 14.3e"))} if many else {}
            other = state.enemy(side)
            many = len(own(state, other)) > 1
            return {other: Decision(say("prompt.ocs.air_meet", "OCS 14.3e"))} if many else {}
        first = sortie.initiator if sortie.stage == BEFORE else sortie.side
        for side in (first, state.enemy(first)):
            if may_abort(state, side):
                return {side: Decision(say("prompt.ocs.air_abort", "OCS 14.3d"))}
        return {}

    def advance(self, table: Table[State], frame: Frame) -> None:
        """OCS 14.3 What leaves no choice, and the next stage."""
        state = table.state
        sortie = mission(state)
        if sortie.stage == BEFORE:
            table.emit(AirCombatStage(ROUNDS))
        elif sortie.stage == AFTER:
            table.emit(AirCombatOver())
            table.done()
        elif not (side := _on_attack(state)):
            table.emit(AirCombatStage(AFTER))
        elif not sortie.attacker:
            table.emit(AttackerPicked(initiators(state, own(state, side))[0]))
        else:
            self._meet(table, own(state, state.enemy(side))[0])

    def commands(self) -> Commands[State]:
        """abort, stay, attack, meet."""
        return (
            Command(
                "abort",
                Aborting,
                Many(
                    "aircraft",
                    "ocs.aircraft",
                    _abortable,
                    _why_not_abort,
                    full=lambda asked, order: (
                        len(order.aircraft) >= may_abort(asked.state, asked.seat)
                    ),
                ),
                apply=self._abort,
                when=lambda asked: bool(may_abort(asked.state, asked.seat)),
                why=lambda asked: refuse("OCS 14.3d", "refusal.ocs.no_abort_now"),
            ),
            word(
                "stay",
                lambda table, asked: self._answered(table, asked.seat),
                when=lambda asked: bool(may_abort(asked.state, asked.seat)),
            ),
            Command(
                "attack",
                Choosing,
                Slot("aircraft", "ocs.aircraft", _attackers, _why_not_attacker),
                apply=lambda table, asked, order: table.emit(AttackerPicked(order.aircraft)),
                when=lambda asked: (
                    asked.seat == _on_attack(asked.state) and not mission(asked.state).attacker
                ),
            ),
            Command(
                "meet",
                Choosing,
                Slot(
                    "aircraft",
                    "ocs.aircraft",
                    lambda asked, order: own(asked.state, asked.seat),
                    _why_not_own,
                ),
                apply=lambda table, asked, order: self._meet(table, order.aircraft),
                when=lambda asked: bool(mission(asked.state).attacker),
            ),
        )

    def _abort(self, table: Table[State], asked: Asked[State], order: Aborting) -> None:
        abort(table, order.aircraft, mission(asked.state).stage)
        self._answered(table, asked.seat)

    def _answered(self, table: Table[State], side: str) -> None:
        table.emit(AbortsAnswered(side))

    def _meet(self, table: Table[State], defender: str) -> None:
        sortie = mission(table.state)
        aborted = fight(table, sortie.attacker, defender, sortie.target)
        _land(table, (name for name in aborted if name not in sortie.aircraft))


def _abortable(asked: Asked[State], order: Aborting) -> Iterable[str]:
    interceptor = mission(asked.state).interceptor
    return [
        name
        for name in own(asked.state, asked.seat)
        if name not in order.aircraft and name != interceptor
    ]


def _attackers(asked: Asked[State], order: Choosing) -> Iterable[str]:
    return initiators(asked.state, own(asked.state, asked.seat))


def _why_not_own(asked: Asked[State], order: Any, pick: Pick) -> Refusal:
    return refuse("OCS 14.3", "refusal.ocs.not_in_air_combat", aircraft=str(pick))


def _why_not_abort(asked: Asked[State], order: Aborting, pick: Pick) -> Refusal:
    if pick == mission(asked.state).interceptor:
        return refuse("OCS 14.5", "refusal.ocs.interceptor_returns", aircraft=str(pick))
    return _why_not_own(asked, order, pick)


def _why_not_attacker(asked: Asked[State], order: Choosing, pick: Pick) -> Refusal:
    if pick in own(asked.state, asked.seat):
        return refuse("OCS 14.3a", "refusal.ocs.rating_in_parentheses", aircraft=str(pick))
    return _why_not_own(asked, order, pick)


STEPS: Mapping[str, Step[State]] = {AIR_COMBAT: AirCombat()}
