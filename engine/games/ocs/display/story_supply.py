"""The story of supply and of what arrives."""

from collections.abc import Iterable
from typing import Any

from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.ch12_supply import (
    attrition,
    bills,
    breakout,
    dumps,
    extenders,
    fuel,
    stocks,
    trace,
)
from warledger.engine.games.ocs.ch13_special_units import (
    consolidation,
    rebuilding,
    reinforcements,
    transport,
)
from warledger.engine.games.ocs.display.sentences import Told, own, supply_text, untold
from warledger.engine.games.ocs.series import events as e
from warledger.engine.games.ocs.series.state import State
from warledger.engine.kernel.dispatch import ByEvent
from warledger.protocol.board.effects import roll as dice_
from warledger.protocol.board.effects import tell

tells = ByEvent()
tells(
    transport.Handled,
    fuel.FuelSourceSet,
    bills.BillClosed,
    reinforcements.ShipmentPlaced,
    reinforcements.ArrivalsOver,
)(untold)

# --- supply ---------------------------------------------------------------------------------------


@tells(e.SupplyChanged)
def _supply(before: State, event: e.SupplyChanged, after: State) -> Told:
    tokens = fog.plain(event.tokens)
    if event.why == "spent" or not tokens:  # told of as it is paid
        return
    yield own(
        event.side,
        "ocs.supply_more" if tokens > 0 else "ocs.supply_less",
        "OCS 12.1",
        place=fog.plain(event.place),
        amount=supply_text(tokens),
        why=f"ocs.supply_why.{event.why}",
    )


@tells(e.LoadChanged)
def _load(before: State, event: e.LoadChanged, after: State) -> Told:
    unit, tokens = fog.plain(event.unit), fog.plain(event.tokens)
    if event.why == "spent":
        return
    yield own(
        after.side(unit),
        "ocs.load_more" if tokens > 0 else "ocs.load_less",
        "OCS 13.2",
        unit=unit,
        amount=supply_text(tokens),
        why=f"ocs.supply_why.{event.why}",
    )


@tells(e.Fuelled)
def _fuelled(before: State, event: e.Fuelled, after: State) -> Told:
    how = fog.plain(event.what)
    if how == fuel.SPARING:
        clause = fuel.sparing_clause(after)
        yield own(event.side, "ocs.fuelled_sparingly", clause, what=fog.plain(event.id))
    elif how:
        yield own(event.side, "ocs.fuelled", "OCS 12.5c", what=fog.plain(event.id))


@tells(consolidation.Consolidated)
def _consolidated(before: State, event: consolidation.Consolidated, after: State) -> Told:
    gone, kept = fog.plain(event.gone), fog.plain(event.kept)
    yield own(event.side, "ocs.consolidated", "OCS 13.9", piece=gone, into=kept)


@tells(fuel.FuelTaken)
def _fuel_taken(before: State, event: fuel.FuelTaken, after: State) -> Told:
    yield from _picks(event.side, fog.plain(event.picks))
    for hq, at in fog.plain(event.thrown):
        yield own(event.side, "ocs.fuel_thrown", "OCS 12.5e", hq=hq, hex=at)


def _picks(side: str, picks: Iterable[tuple[str, str, int]]) -> Told:
    for payer, what, tokens in picks:
        yield own(
            side,
            "ocs.paid",
            "OCS 12.3",
            amount=supply_text(tokens),
            payer=payer,
            what=what,
        )


def _place(state: State, place: Any) -> str:
    return place if isinstance(place, str) else state.charts.board.name(place)


@tells(bills.Billed)
def _billed(before: State, event: bills.Billed, after: State) -> Told:
    purpose, payers, cost = fog.plain(event.bill)[:3]
    yield own(
        event.side,
        "ocs.billed",
        "OCS 12.3",
        amount=supply_text(cost),
        purpose=f"ocs.purpose.{purpose}",
        payers=tuple(payers),
    )


@tells(bills.Paid)
def _paid(before: State, event: bills.Paid, after: State) -> Told:
    yield from _picks(event.side, fog.plain(event.picks))
    payers = fog.plain(event.by_stocks)
    if payers:
        yield own(event.side, "ocs.by_stocks", "OCS 12.10", units=tuple(payers))
    yield from _picks(event.side, fog.plain(event.wasted))


@tells(bills.BillOver)
def _bill_over(before: State, event: bills.BillOver, after: State) -> Told:
    # Under fog a sentence more would tell the other side that not all was paid.
    bill = bills.bill_of(before)
    if bill.purpose in fuel.PURPOSES and bill.due > 0 and not fog.strict(before):
        yield own(
            bill.side,
            "ocs.not_fuelled",
            "OCS 12.5c",
            what=fuel.meant_by(before, bill),
            amount=supply_text(bill.due),
            of=supply_text(bill.cost),
        )


@tells(attrition.AttritionRolled)
def _attrition(before: State, event: attrition.AttritionRolled, after: State) -> Told:
    yield dice_("attrition", 6, event.dice)
    yield tell(
        "ocs.attrition",
        "OCS 12.8b",
        side=event.side,
        hex=event.hex,
        column=event.column,
        dice=event.dice,
        modified=event.modified,
    )


@tells(stocks.Recovered)
def _recovered(before: State, event: stocks.Recovered, after: State) -> Told:
    for name, level in fog.plain(event.levels):
        if level != before.units[name].stocks:
            word = ("full", "low", "exhausted")[level]
            yield own(
                event.side, "ocs.stocks", "OCS 12.10", units=(name,), level=f"ocs.stocks.{word}"
            )


@tells(trace.TraceSourceNamed)
def _traced_by(before: State, event: trace.TraceSourceNamed, after: State) -> Told:
    yield own(
        event.side,
        "ocs.trace_source",
        "OCS 12.6f",
        formation=fog.plain(event.formation),
        source=fog.plain(event.source),
    )


@tells(trace.Fed)
def _fed(before: State, event: trace.Fed, after: State) -> Told:
    units = fog.plain(event.units)
    if units:
        yield own(event.side, "ocs.fed", "OCS 12.6c", units=units)


@tells(trace.TraceChecked)
def _trace_checked(before: State, event: trace.TraceChecked, after: State) -> Told:
    yield tell("ocs.trace_checked", "OCS 12.6", side=event.side)


@tells(breakout.BreakoutRolled)
def _breakout(before: State, event: breakout.BreakoutRolled, after: State) -> Told:
    yield dice_("breakout", 6, (event.die,))
    yield tell(
        "ocs.breakout_rolled",
        "OCS 12.8e",
        side=event.side,
        die=event.die,
        modified=event.modified,
    )
    yield own(event.side, "ocs.breakout_unit", "OCS 12.8e", unit=fog.plain(event.unit))


@tells(breakout.BrokenOut)
def _broken_out(before: State, event: breakout.BrokenOut, after: State) -> Told:
    yield tell("ocs.broken_out", "OCS 12.8e", side=event.side, turn=event.turn)
    yield own(event.side, "ocs.breakout_left", "OCS 12.8e", unit=fog.plain(event.unit))


@tells(extenders.Extended)
def _extended(before: State, event: extenders.Extended, after: State) -> Told:
    names = fog.plain(event.units)
    key = "ocs.extended" if fog.plain(event.stands) else "ocs.folded"
    hex = _place(after, before.units[names[0]].at)
    yield own(event.side, key, "OCS 12.7", units=names, hex=hex)


@tells(extenders.Collapsed)
def _collapsed(before: State, event: extenders.Collapsed, after: State) -> Told:
    units, to = fog.plain(event.units), fog.plain(event.to)
    yield own(event.side, "ocs.collapsed", "OCS 9.14d", units=units, hex=to)


@tells(dumps.DumpBlown)
def _blown(before: State, event: dumps.DumpBlown, after: State) -> Told:
    yield dice_("blow_dump", 6, (event.die,))
    yield tell(
        "ocs.dump_blown",
        "OCS 12.11a",
        side=event.side,
        hex=event.hex,
        die=event.die,
        percent=event.percent,
    )


# --- arrivals -------------------------------------------------------------------------------------


@tells(reinforcements.SupplyRolled)
def _supply_rolled(before: State, event: reinforcements.SupplyRolled, after: State) -> Told:
    yield dice_("supply", 6, event.dice)


@tells(reinforcements.Shipped)
def _shipped(before: State, event: reinforcements.Shipped, after: State) -> Told:
    yield tell("ocs.shipped", "OCS 2.3", side=event.side, amount=supply_text(event.tokens))


@tells(reinforcements.Reinforced)
def _reinforced(before: State, event: reinforcements.Reinforced, after: State) -> Told:
    yield tell("ocs.reinforced", "OCS 13.6", side=event.side, hex=event.hex)
    yield own(event.side, "ocs.put_units", "OCS 13.6", units=fog.plain(event.units))


@tells(reinforcements.MarkerEntered)
def _marker(before: State, event: reinforcements.MarkerEntered, after: State) -> Told:
    yield tell("ocs.marker_enters", "OCS 13.6", marker=event.marker, hex=event.hex)


@tells(rebuilding.ReplacementsRolled)
def _replacements(before: State, event: rebuilding.ReplacementsRolled, after: State) -> Told:
    yield dice_("replacements", 6, event.dice)
    table = f"replacements.{event.table}"
    if not event.results:
        yield tell("ocs.no_replacements", "OCS 13.5", table=table, dice=event.dice)
        return
    results = tuple(f"replacement.{result}" for result in event.results)
    yield tell("ocs.replacements", "OCS 13.5", table=table, dice=event.dice, results=results)


@tells(rebuilding.Rebuilt)
def _rebuilt(before: State, event: rebuilding.Rebuilt, after: State) -> Told:
    yield own(event.side, "ocs.rebuilt", "OCS 13.5", unit=fog.plain(event.piece))
