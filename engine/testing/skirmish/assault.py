"""Chapter 4: units attack."""

from collections.abc import Iterable, Mapping

from attrs import frozen

from warledger.engine.board.odds import Odds, odds
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import Asked, Asking, Command, Commands, Slot, word
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Pick, Refusal, Seat, Step, event
from warledger.engine.testing.skirmish.state import State, other
from warledger.protocol.board.choices import Say, refuse, say
from warledger.protocol.board.effects import Effect, closing, flip, mark, roll, take, tell

DEFENDER, ATTACKER, NOBODY = "D", "A", "-"

after = ByEvent()
draws = ByEvent()


# --- what happens ---------------------------------------------------------------------------------


@event("attacked")
class Attacked:
    """4.2 A unit has attacked another: the die, and who lost a step."""

    unit: str
    target: str
    pips: int
    result: str

    @property
    def loser(self) -> str:
        """The unit that loses a step, "" for none."""
        return {DEFENDER: self.target, ATTACKER: self.unit}.get(self.result, "")


@after(Attacked)
def _attacked(state: State, event: Attacked) -> State:
    units = dict(state.units)
    if event.loser:
        if _has_steps_left(state, event.loser):
            units[event.loser] = replace(units[event.loser], reduced=True)
        else:
            del units[event.loser]
    return replace(state, units=units, acted=(*state.acted, event.unit))


@draws(Attacked)
def _draw_attacked(before: State, event: Attacked, state: State) -> Iterable[Effect]:
    column = state.data.ladder.names[odds_of(before, event.unit, event.target).column or 0]
    yield roll("assault", state.data.crt.faces, (event.pips,))
    yield tell(
        "skirmish.attacked",
        "4.2",
        unit=event.unit,
        target=event.target,
        column=column,
        pips=event.pips,
    )
    if event.unit in state.units:
        yield mark(event.unit, "acted", 1)
    if not event.loser:
        return
    if event.loser in state.units:
        yield flip(event.loser, "reduced")
        yield tell("skirmish.reduced", "4.2", unit=event.loser)
    else:
        yield take(event.loser)
        yield tell("skirmish.eliminated", "4.2", unit=event.loser)


# --- the rules ------------------------------------------------------------------------------------


def _has_steps_left(state: State, unit: str) -> bool:
    """4.2 Whether a unit survives the loss of a step."""
    return state.printed(unit).reduced is not None and not state.units[unit].reduced


def targets(state: State, unit: str) -> tuple[str, ...]:
    """4 The enemy units next to a unit."""
    own = state.units[unit].hex
    grid = state.data.map.grid
    enemies = state.of(other(state.printed(unit).side))
    return tuple(enemy for enemy in enemies if grid.distance(own, state.units[enemy].hex) == 1)


def odds_of(state: State, unit: str, target: str) -> Odds:
    """4.1 The column of an attack."""
    shift = state.data.shifts[state.units[target].hex]
    attack, defence = state.strength(unit)[0], state.strength(target)[1]
    return odds(state.data.ladder, attack, defence, -shift)


# --- the step -------------------------------------------------------------------------------------


@frozen
class Attacking:
    """attack UNIT TARGET."""

    unit: str = ""
    target: str = ""


class Assault(Asking[State]):
    """4 The side that has drawn *Assault* attacks. Frame arguments: the side."""

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The side, while one of its units has somebody to attack."""
        side = frame.args[0]
        able = any(targets(at.state, unit) for unit in at.state.ready(side))
        return {side: Decision(say("prompt.skirmish.assault", "4"))} if able else {}

    def commands(self) -> Commands[State]:
        """Attack, or be done."""
        return (
            Command(
                "attack",
                Attacking,
                Slot("unit", "skirmish.unit", _attackers, _why_not_unit),
                Slot("target", "skirmish.target", _targets, _why_not_target),
                apply=_attack,
                preview=_preview,
            ),
            word("done", lambda table, asked: _finish(table)),
        )

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Nobody is left to attack."""
        _finish(table)


def _attackers(asked: Asked[State], order: Attacking) -> Iterable[str]:
    state = asked.state
    return [unit for unit in state.ready(asked.seat) if targets(state, unit)]


def _why_not_unit(asked: Asked[State], order: Attacking, pick: Pick) -> Refusal | None:
    if pick in asked.state.acted:
        return refuse("4", "refusal.skirmish.acted", unit=pick)
    return None


def _targets(asked: Asked[State], order: Attacking) -> Iterable[str]:
    return targets(asked.state, order.unit)


def _why_not_target(asked: Asked[State], order: Attacking, pick: Pick) -> Refusal | None:
    if pick in asked.state.units:
        return refuse("4", "refusal.skirmish.not_next_to", unit=order.unit, target=pick)
    return None


def _preview(asked: Asked[State], order: Attacking) -> tuple[Say, ...]:
    if not order.target:
        return ()
    data, found = asked.state.data, odds_of(asked.state, order.unit, order.target)
    results, ways = data.crt.chances(found.column or 0)
    chances = dict(results)
    return (
        say(
            "skirmish.odds",
            "4.1",
            column=data.ladder.names[found.column or 0],
            hits=chances.get(DEFENDER, 0),
            losses=chances.get(ATTACKER, 0),
            ways=ways,
        ),
    )


def _attack(table: Table[State], asked: Asked[State], order: Attacking) -> None:
    crt = table.state.data.crt
    found = odds_of(table.state, order.unit, order.target)
    pips = table.roll(crt.faces, "assault")
    result = crt.result(found.column or 0, pips)
    table.emit(Attacked(order.unit, order.target, pips, result))


def _finish(table: Table[State]) -> None:
    table.tell(closing("activation"))
    table.done()


STEPS: Mapping[str, Step[State]] = {"assault": Assault()}
