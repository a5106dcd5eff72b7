"""OCS 12.5: fuel.

OCS 12.5a Truck and Track combat units pay fuel before they spend any movement. Leg units and
transport points never do, nor does retreat, advance, attack or barrage. OCS 12.5c (A) A formation
for 1 SP until its own next Clean Up, (B) an HQ with all independents in its throw for 1 SP until
then. (C) One unit for 1T and this phase. OCS 12.5e What is in range is checked as each unit begins
to move, and a fuelled HQ throws from one place in a phase. OCS 12.5g No internal stocks.

A game may also have a *sparing* fuel (`Game.sparing_fuel`): it moves a formation in its own
Movement Phase for less. Its units have to stay in Combat mode, keep away from enemy units and pay
at least a point for every hex along a path. Units that do not keep to that are fuelled one by one.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from warledger.engine.board import hexsets
from warledger.engine.board.hexsets import Hexes
from warledger.engine.games.ocs.ch03_counters.counters import COMBAT, LEG
from warledger.engine.games.ocs.ch04_concepts import fog, staying, zones
from warledger.engine.games.ocs.ch06_movement.move_in_progress import feeding
from warledger.engine.games.ocs.ch12_supply import (
    bills,
    payment,
    payment_means,
    points,
    supply_reach,
    supply_search,
)
from warledger.engine.games.ocs.ch12_supply.bill import FUEL_FORMATION, FUEL_UNIT, Bill
from warledger.engine.games.ocs.series.events import Fuelled
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.state import OFF_MAP, STRAT, State, Unit, changed
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.memo import remembered
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import event
from warledger.protocol.board.choices import Say, say
from warledger.protocol.texts.words import words_of

UNIT, HEADQUARTERS = FUEL_UNIT, "fuel_hq"
FORMATION, SPARINGLY = FUEL_FORMATION
"""Purposes of bills."""

SPARING = "sparing"
"""The word for a formation's sparing fuel, and what fuels its units then."""

PURPOSES = (UNIT, HEADQUARTERS, FORMATION, SPARINGLY)
"""OCS 12.5c Purposes of bills for fuel."""

_WHAT = {UNIT: "unit", HEADQUARTERS: "hq", FORMATION: "formation", SPARINGLY: SPARING}

SOURCE, COVERED = "fuel.", "fuelled."
"""How the flags begin that name a fuelled formation's one source, an HQ or a dump's hex, and the
units it reached at payment."""


@event("ocs.fuel_source")
class FuelSourceSet:
    """OCS 12.5c(A), 13.7a A formation is fuelled by this HQ, or out of the dump in this hex, which
    reaches these units. "" and nobody where no formation is fuelled."""

    side: str
    formation: Any
    source: Any
    units: Any


@event("ocs.fuel_taken")
class FuelTaken:
    """OCS 12.5c, 12.5e Units begin to move. It names what they pay singly, as (payer, what pays,
    T), and fuelled HQs that throw from their hexes for the rest of the phase. It also names all
    whose fuel for the phase is settled so, and those who move on their formation's sparing fuel.
    OCS R-15: under strict fog it is there for every move, so that nobody learns whether anything
    was paid."""

    side: str
    picks: Any
    thrown: Any
    units: Any
    sparing: Any


after = ByEvent()


@after(FuelSourceSet)
def _source_set(state: State, event: FuelSourceSet) -> State:
    source: str = fog.plain(event.source)
    if not source:
        return state
    formation = fog.plain(event.formation)
    said = {SOURCE + formation: source, COVERED + formation: " ".join(fog.plain(event.units))}
    return replace(state, flags={**state.flags, **said})


@after(FuelTaken)
def _taken(state: State, event: FuelTaken) -> State:
    picks = fog.plain(event.picks)
    made = points.spent(state, event.side, picks)
    units = fog.plain(event.units)
    fuelled = {name: replace(made.units[name], fuelled=True) for name in units}
    move = feeding(made.move, (what for _payer, what, _tokens in picks))
    use, board = made.phase_use, made.charts.board
    thrown = {hq: board.hex(at) for hq, at in fog.plain(event.thrown)}
    sparing = use.sparing.union(fog.plain(event.sparing))
    use = replace(use, hq_thrown={**use.hq_thrown, **thrown}, sparing=sparing)
    return changed(made, fuelled, move=move, phase_use=use)


def thirsty(state: State, name: str) -> bool:
    """OCS 12.5a, 3.1a Whether a unit needs fuel to spend movement, on the side that shows."""
    counter = state.counter(name)
    face = counter.face(state.units[name].move_side)
    return counter.combat_unit and face is not None and face.mobility != LEG


def fuelled_by(state: State, name: str) -> str | None:
    """OCS 12.5c, 12.5e What fuels a unit that begins to move here and now: "unit", its formation's
    id, SPARING, an HQ's id; None when it has yet to pay. HR 2.5a A multi-step unit is not
    independent (3.2f), so no HQ fuels it."""
    unit, counter = state.units[name], state.counter(name)
    if name in state.phase_use.sparing:
        return SPARING
    if unit.fuelled:
        return "unit"
    formation = state.formation(name)
    if formation and _in_formation(state, name):
        if formation in state.fuelled_formations:
            return formation
        if formation in state.phase_use.sparing and _keeps_away(state, name):
            return SPARING
    if counter.hq and name in state.fuelled_hqs:
        return name
    if not state.independent(name):
        return None
    for hq in sorted(state.fuelled_hqs):
        if state.side(hq) == counter.side and throws_fuel(state, hq, name):
            return hq
    return None


@remembered()
def beside(state: State, side: str) -> Hexes:
    """OCS 12.5c Hexes next to enemy units of any kind (3.0: combat units, transport, supply, bases,
    hedgehogs), and their own; zones do not matter."""
    enemy, near = state.enemy(side), state.charts.board.near
    found = state.field.occupied[enemy]
    found |= hexsets.of(
        i for kind in (state.bases, state.hedgehogs) for i, one in kind.items() if one.side == enemy
    )
    found |= hexsets.of(i for i in state.supply[enemy] if isinstance(i, int))
    return found | hexsets.widened(found, near)


def _keeps_away(state: State, name: str) -> bool:
    """OCS 12.5c Whether a unit may begin to move on sparing fuel: in Combat mode, and not next to
    an enemy unit."""
    unit = state.units[name]
    return (
        unit.mode == COMBAT
        and unit.began == OFF_MAP
        and not hexsets.has(beside(state, state.side(name)), unit.at)
    )


def spares(state: State, name: str) -> bool:
    """OCS 12.5c Whether a unit moves on sparing fuel, now or as soon as it begins."""
    use = state.phase_use.sparing
    if not use:
        return False
    return name in use or (thirsty(state, name) and fuelled_by(state, name) == SPARING)


def sparingly(state: State, names: Sequence[str]) -> State:
    """OCS 12.5c, 12.5e The position once these units have begun to move: those that do so on
    sparing fuel keep to its terms for the phase, wherever they come."""
    begun = frozenset(name for name in names if spares(state, name))
    use = state.phase_use
    if begun <= use.sparing:
        return state
    return replace(state, phase_use=replace(use, sparing=use.sparing | begun))


def throws_fuel(state: State, hq: str, name: str) -> bool:
    """OCS 12.5c(B), 12.5e Whether a fuelled HQ reaches a unit from where it throws."""
    state = zones.leaving(state, (name,))
    charts, unit = state.charts, state.units[hq]
    if unit.at == OFF_MAP or unit.marker == STRAT or not rules(charts).serves(charts, hq, name):
        return False
    if state.phase_use.hq_thrown.get(hq, unit.at) != unit.at:
        return False
    return hexsets.has(supply_search.throws(state, hq).touching, state.units[name].at)


def _in_formation(state: State, name: str) -> bool:
    """OCS 12.5c(A), 12.5e Whether a formation's fuel is a unit's: its one source reached the unit
    as the fuel was paid, which lasts wherever it goes, or does as the unit begins to move."""
    formation = state.formation(name)
    if name in words_of(str(state.flags.get(COVERED + formation, ""))):
        return True
    source = str(state.flags.get(SOURCE + formation, ""))
    return bool(source) and _reached(state, source, name)


def _reached(state: State, source: str, name: str) -> bool:
    """OCS 12.5e Whether an HQ throws to a unit that is to move, or it draws out of a dump."""
    state = zones.leaving(state, (name,))
    unit = state.units[name]
    if unit.at == OFF_MAP:
        return False
    if source == name:
        return True
    if source in state.units:
        charts = state.charts
        return rules(charts).serves(charts, source, name) and hexsets.has(
            supply_search.throws(state, source).touching, unit.at
        )
    return hexsets.has(supply_search.draws(state, name).touching, state.charts.board.hex(source))


def dry(state: State, names: Sequence[str]) -> tuple[str, ...]:
    """OCS 12.5a Those of these units that have yet to pay fuel before they move together."""
    state = zones.leaving(state, tuple(names))
    return tuple(name for name in names if thirsty(state, name) and fuelled_by(state, name) is None)


def singly(state: State, names: Sequence[str]) -> Bill | None:
    """OCS 12.5c(C) The bill of the fuel of units that move together, 1T each; None when nobody has
    to pay."""
    payers = dry(state, names)
    if not payers:
        return None
    each = state.charts.tables.costs["fuel_unit_t"]
    side = state.side(payers[0])
    return Bill(side, UNIT, payers, each * len(payers), shares=(each,) * len(payers))


def can_fuel(state: State, names: Sequence[str]) -> bool:
    """OCS 12.5 Whether these units have their fuel, or can pay for it unit by unit."""
    state = zones.leaving(state, tuple(names))
    bill = singly(state, names)
    return bill is None or payment_means.coverable(state, bills.charged(state, bill))


def relied_on(state: State, names: tuple[str, ...]) -> tuple[str, ...]:
    """OCS 4.5b Who has to stay so that these units have fuel as they begin to move together: what
    has fuelled them reaches them, or each pays its 1T."""
    names = tuple(name for name in names if thirsty(state, name))
    if not names:
        return ()
    begun = zones.leaving(state, names)
    by = {name: fuelled_by(begun, name) for name in names}
    return staying.relied(
        begun,
        zones.mover(state),
        lambda now: (
            all(fuelled_by(now, name) == by[name] for name in names) and can_fuel(now, names)
        ),
    )


def supply_singly(table: Table[State], names: Sequence[str]) -> None:
    """OCS 12.5c, 12.5e Units begin to move: who has to pay pays 1T the canonical way; an HQ that
    fuels one throws from where it is for the rest of the phase. OCS 4.5b Who has to stay for it is
    held."""
    names = tuple(names)
    staying.hold(table, relied_on(table.state, names), staying.FUEL)
    state = zones.leaving(staying.only(table.state, zones.mover(table.state), ()), names)
    side = zones.mover(state)
    thrown: dict[str, str] = {}
    settled: list[str] = []
    sparing = tuple(name for name in names if spares(state, name))
    for name in names:
        by = fuelled_by(state, name) if thirsty(state, name) else "unit"
        if by in (None, "unit", SPARING):
            continue
        # An HQ that moves itself throws nothing yet: it may still throw where it ends.
        if by in state.units and by != name and by not in state.phase_use.hq_thrown:
            thrown[by] = state.charts.board.name(state.units[by].at)
        settled.append(name)
    bill = singly(state, names)
    picks = payment.plan(state, bill) if bill is not None else ()
    if bill is not None:
        settled += bill.payers
    if settled or sparing or fog.strict(state):

        def hide(value: object) -> Any:
            return fog.hidden(state, side, value)

        table.emit(
            FuelTaken(
                side,
                hide(picks),
                hide(tuple(thrown.items())),
                hide(tuple(settled)),
                hide(sparing),
            )
        )


# --- formations and HQs ---------------------------------------------------------------------------


def formation_sources(
    state: State, muf: str, *, sparing: bool = False
) -> Mapping[str, tuple[str, ...]]:
    """OCS 12.5c(A), 13.7a HQs and dumps that can pay for a formation -> the units on the map that
    they reach. Those that reach the most come first. For sparing fuel only those are asked that are
    not next to the enemy."""
    state = zones.leaving(state, state.formations[muf])
    charts = state.charts
    cost = _formation_cost(state, sparing=sparing)
    purpose = SPARINGLY if sparing else FORMATION
    side = state.formation_side(muf)
    away = beside(state, side) if sparing else 0
    here = tuple(
        name
        for name in state.formations[muf]
        if state.units[name].at != OFF_MAP
        and charts.units[name].combat_unit
        and not hexsets.has(away, state.units[name].at)
    )
    candidates: dict[str, None] = {}
    for name in here:
        for one in supply_reach.sources(state, side, name, purpose):
            for by in one.by:
                if by != supply_search.DIRECT:
                    candidates[by] = None
                elif isinstance(one.place, int):
                    candidates[charts.board.name(one.place)] = None
    found = {}
    for source in candidates:
        reached = tuple(name for name in here if _reached(state, source, name))
        bill = Bill(side, purpose, reached, cost, one_source=True)
        if reached and payment_means.coverable(state, bills.charged(state, bill)):
            found[source] = reached
    return dict(sorted(found.items(), key=lambda pair: (-len(pair[1]), pair[0])))


def _formation_cost(state: State, *, sparing: bool) -> int:
    """OCS 12.5c(A) T that a formation's fuel costs."""
    if not sparing:
        return state.charts.tables.costs["fuel_formation_t"]
    terms = rules(state.charts).sparing_fuel(state.charts)
    assert terms is not None, "only what the game has is offered"
    return terms.cost


def sparing_clause(state: State) -> str:
    """OCS 12.5c The clause of the game's sparing fuel, for refusals."""
    terms = rules(state.charts).sparing_fuel(state.charts)
    return terms.clause if terms is not None else "OCS 12.5c"


@remembered()
def may_fuel(state: State, side: str) -> tuple[str, ...]:
    """OCS 12.5c Formations, HQs and single units of a side that can be fuelled now."""
    return tuple(
        dict.fromkeys(
            (*formations(state, side), *may_spare(state, side), *_one_by_one(state, side))
        )
    )


def can_be_fuelled(state: State, side: str, what: str) -> bool:
    """OCS 12.5c Whether `may_fuel` names this one: a formation, an HQ or a single unit."""
    unit = state.units.get(what)
    if unit is not None and _alone(state, side, what, unit):
        return True
    return what in _unfuelled(state, side) and (
        _reachable(state, what) or what in may_spare(state, side)
    )


def anything_to_fuel(state: State, side: str) -> bool:
    """OCS 12.5c Whether there is anything that can be fuelled now."""
    return (
        any(True for _ in _one_by_one(state, side))
        or any(True for _ in _formations(state, side))
        or bool(may_spare(state, side))
    )


@remembered()
def formations(state: State, side: str) -> tuple[str, ...]:
    """OCS 12.5c(A) Formations of a side that can be fuelled now."""
    return tuple(_formations(state, side))


def _formations(state: State, side: str) -> Iterator[str]:
    return (muf for muf in _unfuelled(state, side) if _reachable(state, muf))


def _reachable(state: State, muf: str) -> bool:
    """OCS 12.5c(A) Whether a formation that has no fuel has a use for it, and a source."""
    return any(_moves_on_fuel(state, name) for name in state.formations[muf]) and bool(
        formation_sources(state, muf)
    )


@remembered()
def may_spare(state: State, side: str) -> tuple[str, ...]:
    """OCS 12.5c Formations of a side that can have the game's sparing fuel now: in its own Movement
    Phase, with a unit that could begin to move on it."""
    if state.segment not in zones.MOVEMENT or side != zones.mover(state):
        return ()
    if rules(state.charts).sparing_fuel(state.charts) is None:
        return ()
    away = beside(state, side)
    return tuple(
        muf
        for muf in _unfuelled(state, side)
        if muf not in state.phase_use.sparing
        and any(
            _moves_on_fuel(state, name)
            and state.units[name].began == OFF_MAP
            and not hexsets.has(away, state.units[name].at)
            for name in state.formations[muf]
        )
        and formation_sources(state, muf, sparing=True)
    )


def _unfuelled(state: State, side: str) -> tuple[str, ...]:
    charts = state.charts
    return tuple(
        muf
        for muf, names in state.formations.items()
        if charts.units[names[0]].side == side and muf not in state.fuelled_formations
    )


def _moves_on_fuel(state: State, name: str) -> bool:
    return state.units[name].at != OFF_MAP and thirsty(state, name)


def _one_by_one(state: State, side: str) -> Iterator[str]:
    """OCS 12.5c(B), (C) HQs and single units of a side that can be fuelled now."""
    return (name for name, unit in state.units.items() if _alone(state, side, name, unit))


def _alone(state: State, side: str, name: str, unit: Unit) -> bool:
    """OCS 12.5c(B), (C) Whether this is an HQ or single unit of a side that can be fuelled now. So
    can one whose formation has sparing fuel, if it has not begun to move on that. OCS 7.0, 11.0 A
    unit's fuel is for the phase: none for who does not move any more in it."""
    counter = state.charts.units[name]
    if counter.side != side or unit.at == OFF_MAP or not counter.combat_unit:
        return False
    costs = state.charts.tables.costs
    if counter.hq and name not in state.fuelled_hqs:
        return payment_means.payable(state, side, (name,), costs["fuel_hq_t"], purpose=HEADQUARTERS)
    if not thirsty(state, name) or name in state.phase_use.sparing:
        return False
    return (
        zones.may_still_move(state, name, unit)
        and fuelled_by(state, name) in (None, SPARING)
        and payment_means.payable(state, side, (name,), costs["fuel_unit_t"], purpose=UNIT)
    )


def ask(table: Table[State], what: str, how: str = "") -> None:
    """OCS 12.5c Put the payment for a formation, an HQ or a unit on the flow; `settled` reads how
    it came out. `how`: SPARING for a formation's sparing fuel."""
    state = table.state
    side, muf, source = zones.mover(state), "", ""
    reached: tuple[str, ...] = ()
    if what in state.formations:
        found = formation_sources(state, what, sparing=how == SPARING)
        muf, (source, reached) = what, next(iter(found.items()))
        # Whoever is reached only because others stay is so as they begin to move (4.5b).
        sure = staying.only(state, side, ())
        reached = tuple(name for name in reached if _reached(sure, source, name))
    bill = bill_for(state, what, how)
    if muf or fog.strict(state):

        def hide(value: object) -> Any:
            return fog.hidden(state, side, value)

        table.emit(FuelSourceSet(side, hide(muf), hide(source), hide(reached)))
    payment.ask(table, bill)


def bill_for(state: State, what: str, how: str = "") -> Bill:
    """OCS 12.5c What fuel for a formation, an HQ or a unit costs; of a formation those are paid
    for whom its best source reaches."""
    costs = state.charts.tables.costs
    side = zones.mover(state)
    if what in state.formations:
        sparing = how == SPARING
        reached = next(iter(formation_sources(state, what, sparing=sparing).values()))
        cost = _formation_cost(state, sparing=sparing)
        purpose = SPARINGLY if sparing else FORMATION
        return Bill(side, purpose, reached, cost, one_source=True)
    if state.counter(what).hq:
        return Bill(side, HEADQUARTERS, (what,), costs["fuel_hq_t"])
    return Bill(side, UNIT, (what,), costs["fuel_unit_t"])


def reckoned(state: State, what: str, how: str = "") -> tuple[Say, ...]:
    """OCS 12.5c What fuel for a formation, an HQ or a unit costs, for how many, and who would pay
    it along which path. With sparing fuel come its terms, with an HQ whom else it fuels."""
    made = bill_for(state, what, how)
    bill = bills.charged(state, made)
    clause = sparing_clause(state) if how == SPARING else "OCS 12.5c"
    terms = (say("preview.ocs.sparing", clause),) if how == SPARING else ()
    if made.purpose == HEADQUARTERS:
        thrown = tuple(
            name
            for name in state.units
            if state.independent(name)
            and state.side(name) == made.side
            and state.units[name].at != OFF_MAP
            and _on_wheels(state, name)
            and throws_fuel(state, what, name)
        )
        told = (
            say("preview.ocs.fuel_thrown", "OCS 12.5c", units=thrown)
            if thrown
            else say("preview.ocs.fuel_thrown_to_nobody", "OCS 12.5c")
        )
        terms = (*terms, told)
    return (
        say("preview.ocs.fuel", clause, what=what, tokens=bill.cost, units=bill.payers),
        *terms,
        *payment.reckoned(state, made),
    )


def _on_wheels(state: State, name: str) -> bool:
    """OCS 12.5a Whether a unit needs fuel on either of its sides."""
    counter = state.counter(name)
    return counter.combat_unit and any(
        face is not None and face.mobility != LEG
        for face in (counter.face(False), counter.face(True))
    )


def meant_by(state: State, bill: Bill) -> str:
    """OCS 12.5c The formation, HQ or unit that a bill for fuel is for."""
    first = bill.payers[0]
    return state.formation(first) if bill.purpose in (FORMATION, SPARINGLY) else first


def settled(table: Table[State]) -> None:
    """OCS 12.5c A payment for fuel is over: what is paid in full is fuelled."""
    state = table.state
    bill = bills.bill_of(state)
    paid = payment.outcome(state) == payment.SUPPLY
    if paid or fog.strict(state):
        id = meant_by(state, bill)
        what = fog.hidden(state, bill.side, _WHAT[bill.purpose] if paid else "")
        table.emit(Fuelled(bill.side, what, fog.hidden(state, bill.side, id)))
    payment.close(table)
