"""From the shared events to positions: one function for each. Nothing here decides anything or can
fail on what a step emitted. A chapter's own events stand with their functions in its module."""

from collections.abc import Mapping
from typing import Any

from warledger.engine.board import hexsets
from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.ch13_special_units.bridges import engineer_capable
from warledger.engine.games.ocs.series import events as e
from warledger.engine.games.ocs.series.scenario import place_of
from warledger.engine.games.ocs.series.state import (
    DG,
    EXPLOIT,
    OFF_MAP,
    RESERVE,
    Base,
    Hedgehog,
    State,
    Unit,
    changed,
    exerts,
    placed,
    removed,
    taken_by,
    with_supply,
)
from warledger.engine.games.ocs.series.usage import PhaseUse, TurnUse
from warledger.engine.kernel import drafts
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.dispatch import ByEvent

GONE = frozenset({"spent", "blown", "lost"})
"""OCS 12.1 Why supply leaves the game: it counts as spent, so that the sum stays as it arrived."""

ARRIVED = "arrived"
"""OCS 2.3 B Why supply comes into the game."""

CAPTURED = "captured"
"""OCS 9.14 Why supply changes sides: once with either side."""

after = ByEvent()
after.unchanged(e.SetUp)


@after(e.TurnBegun)
def _turn(state: State, event: e.TurnBegun) -> State:
    return replace(state, turn=event.turn, turn_use=TurnUse(), segment="")


@after(e.WeatherSet)
def _weather(state: State, event: e.WeatherSet) -> State:
    return replace(state, ground=event.ground, flight=event.flight)


@after(e.FirstPlayerChosen)
def _first(state: State, event: e.FirstPlayerChosen) -> State:
    return replace(state, first=event.side)


@after(e.PlayerTurnBegun)
def _player_turn(state: State, event: e.PlayerTurnBegun) -> State:
    return replace(state, phasing=event.side, segment="")


@after(e.SegmentBegun)
def _segment(state: State, event: e.SegmentBegun) -> State:
    """OCS 2.3 What holds for a phase ends with it: moves, fuel for one unit, attacks, barrages."""
    if not event.phase:
        use = replace(state.phase_use, attacked=0)
        return replace(state, segment=event.segment, phase_use=use)
    units = state.units
    # After each phase no unit has any of these marks: those that nothing has changed since are
    # passed over where that is known.
    fresh = {
        name: replace(
            unit,
            released=False,
            spent=0,
            entered=False,
            began=OFF_MAP,
            finished=False,
            fuelled=False,
            attacked=False,
            barraged=False,
            worked=False,
            carried="",
        )
        for name in drafts.put_since(units)
        if (unit := units[name]).spent
        or unit.began != OFF_MAP
        or unit.finished
        or unit.fuelled
        or unit.attacked
        or unit.barraged
        or unit.worked
        or unit.released
        or unit.carried
    }
    flown = {
        name: replace(plane, flown=False) for name, plane in state.aircraft.items() if plane.flown
    }
    others: dict[str, Any] = {"aircraft": {**state.aircraft, **flown}} if flown else {}
    # Nobody has gone anywhere with it, so who stands where is as it was.
    use = PhaseUse(stood=state.field.occupied)
    return changed(state, fresh, segment=event.segment, phase_use=use, **others)


@after(e.ModeChanged)
def _mode(state: State, event: e.ModeChanged) -> State:
    """OCS 5.9c A unit that gains an Exploit marker keeps the zone that it has. OCS 13.8b, 13.8c
    An HQ may still leave by what it has bridged."""
    units = state.units
    counters, told = state.charts.units, fog.plain(event.units)
    turned = {
        name: units[name].at
        for name, marker, move_side in told
        if counters[name].hq
        and engineer_capable(units[name])
        and not engineer_capable(replace(units[name], marker=marker, move_side=move_side))
    }
    if turned and state.segment == "c2":
        use = state.phase_use
        state = replace(state, phase_use=replace(use, turned={**use.turned, **turned}))
    return changed(
        state,
        {
            name: replace(
                units[name],
                marker=marker,
                move_side=move_side,
                zone_kept=marker == EXPLOIT and exerts(state.charts, name, units[name]),
            )
            for name, marker, move_side in told
        },
    )


@after(e.Released)
def _released(state: State, event: e.Released) -> State:
    units = state.units
    return changed(
        state,
        {
            name: replace(
                units[name],
                marker="" if units[name].marker == RESERVE else units[name].marker,
                released=True,
            )
            for name in fog.plain(event.units)
        },
    )


@after(e.Moved)
def _moved(state: State, event: e.Moved) -> State:
    to = state.charts.board.hex(event.way[-1])
    units = state.units
    moved = {}
    for name, spent in zip(fog.plain(event.units), fog.plain(event.spent), strict=True):
        unit = units[name]
        began = unit.at if unit.began == OFF_MAP else unit.began
        moved[name] = replace(unit, at=to, spent=unit.spent + spent, entered=True, began=began)
    return changed(state, moved)


@after(e.MoveFinished)
def _finished(state: State, event: e.MoveFinished) -> State:
    return changed(
        state,
        {name: replace(state.units[name], finished=True) for name in fog.plain(event.units)},
    )


@after(e.StepsLost)
def _steps_lost(state: State, event: e.StepsLost) -> State:
    name, pile = fog.plain(event.unit), fog.plain(event.pile)
    unit = state.units[name]
    if pile:
        return changed(state, {name: Unit(where=pile, move_side=unit.move_side)})
    return changed(state, {name: replace(unit, lost=unit.lost + event.steps)})


@after(e.Destroyed)
def _destroyed(state: State, event: e.Destroyed) -> State:
    gone = zip(fog.plain(event.units), fog.plain(event.piles), strict=True)
    return changed(
        state,
        {name: Unit(where=pile, move_side=state.units[name].move_side) for name, pile in gone},
    )


@after(e.Put)
def _put(state: State, event: e.Put) -> State:
    return placed(state, event.units, state.charts.board.hex(event.hex))


@after(e.TakenOff)
def _taken_off(state: State, event: e.TakenOff) -> State:
    return removed(state, fog.plain(event.units), event.where)


@after(e.SupplyMarked)
def _oos(state: State, event: e.SupplyMarked) -> State:
    return changed(
        state,
        {name: replace(state.units[name], oos=event.oos) for name in fog.plain(event.units)},
    )


@after(e.StocksChanged)
def _stocks(state: State, event: e.StocksChanged) -> State:
    return changed(
        state,
        {
            name: replace(state.units[name], stocks=fog.plain(event.stocks))
            for name in fog.plain(event.units)
        },
    )


@after(e.SupplyChanged)
def _supply(state: State, event: e.SupplyChanged) -> State:
    place, tokens = place_of(state.charts.board, fog.plain(event.place)), fog.plain(event.tokens)
    made = with_supply(state, event.side, place, tokens)
    return _entered(made, event.side, tokens, event.why)


@after(e.LoadChanged)
def _load(state: State, event: e.LoadChanged) -> State:
    name, tokens = fog.plain(event.unit), fog.plain(event.tokens)
    unit = state.units[name]
    made = changed(state, {name: replace(unit, load=unit.load + tokens)})
    return _entered(made, state.side(name), tokens, event.why)


def _entered(state: State, side: str, tokens: int, why: str) -> State:
    """OCS 12.1 The position with a change of supply entered in the accounts: what is spent, arrives
    or is captured. What is loaded, unloaded or moved changes none."""
    if why in GONE:
        return replace(state, spent_sp=_plus(state.spent_sp, side, -tokens))
    if why == ARRIVED:
        return replace(state, come_sp=_plus(state.come_sp, side, tokens))
    if why == CAPTURED:
        return replace(state, taken_sp=_plus(state.taken_sp, side, tokens))
    return state


def _plus(account: Mapping[str, int], side: str, tokens: int) -> Mapping[str, int]:
    return {**account, side: account[side] + tokens}


@after(e.Fuelled)
def _fuelled(state: State, event: e.Fuelled) -> State:
    name, what = fog.plain(event.id), fog.plain(event.what)
    if what == "formation":
        return replace(state, fuelled_formations=state.fuelled_formations | {name})
    if not what:
        return state
    if what == "sparing":
        use = state.phase_use
        return replace(state, phase_use=replace(use, sparing=use.sparing | {name}))
    if what == "hq":
        return replace(state, fuelled_hqs=state.fuelled_hqs | {name})
    return changed(state, {name: replace(state.units[name], fuelled=True)})


@after(e.HedgehogSet)
def _hedgehog(state: State, event: e.HedgehogSet) -> State:
    i = state.charts.board.hex(event.hex)
    rest = {at: one for at, one in state.hedgehogs.items() if at != i}
    if event.level:
        rest[i] = Hedgehog(event.side, event.level)
    return replace(state, hedgehogs=rest)


@after(e.BaseSet)
def _base(state: State, event: e.BaseSet) -> State:
    i = state.charts.board.hex(event.hex)
    rest = {at: one for at, one in state.bases.items() if at != i}
    if event.level:
        rest[i] = Base(event.side, event.level)
    return replace(state, bases=rest)


@after(e.ControlTaken)
def _control(state: State, event: e.ControlTaken) -> State:
    board = state.charts.board
    return taken_by(state, event.side, hexsets.of(board.hex(name) for name in event.hexes))


@after(e.AircraftPlaced)
def _aircraft(state: State, event: e.AircraftPlaced) -> State:
    names, bases = fog.plain(event.aircraft), fog.plain(event.bases)
    placed = {}
    for name, base in zip(names, bases, strict=True):
        plane = state.aircraft[name]
        placed[name] = replace(
            plane,
            base=place_of(state.charts.board, base),
            where="",
            active=event.active,
            seen=plane.seen and event.active,
        )
    sortie = state.sortie
    return replace(
        state,
        aircraft={**state.aircraft, **placed},
        sortie=None if sortie is None else sortie.without(*names),
    )


@after(e.CleanedUp)
def _cleaned(state: State, event: e.CleanedUp) -> State:
    """OCS 2.3 H, 12.5c, 14.8."""
    mine = state.charts.units
    cleared = {
        name: replace(unit, marker="", zone_kept=False)
        for name, unit in state.units.items()
        if unit.marker in (DG, EXPLOIT) and mine[name].side == event.side
    }
    made = changed(state, cleared) if cleared else state
    return replace(
        made,
        fuelled_formations=frozenset(
            muf for muf in state.fuelled_formations if state.formation_side(muf) != event.side
        ),
        fuelled_hqs=frozenset(hq for hq in state.fuelled_hqs if mine[hq].side != event.side),
        trainbusting={
            i: placer for i, placer in state.trainbusting.items() if placer == event.side
        },
    )


def evolve(state: State, event: Any) -> State:
    """The position after one of the shared events."""
    made: State = after[type(event)](state, event)
    return made
