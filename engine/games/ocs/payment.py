"""OCS 12.1-12.3, 12.10: paying for anything: from dumps, tokens, loads and internal stocks.

OCS 12.3 Whoever consumes supply draws it directly or is thrown it by an HQ; several dumps may
contribute (12.3a). OCS 9.5, 12.10a Internal stocks serve only where supply cannot be had. What is
asked is a `Bill`; `ask` puts the step "payment" on top of the flow, and when that is over the step
below reads `outcome` and calls `close`.

OCS 12.3 The canonical payment goes payer by payer, each from the nearest place: what lies on the
ground before loads, ordinary transport before organic trucks (13.2), then by hex.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from attrs import frozen

from warledger.engine.board import hexsets
from warledger.engine.games.ocs import draw, fog, points, reckoning
from warledger.engine.games.ocs.bill import Bill
from warledger.engine.games.ocs.bridges import hqs_of
from warledger.engine.games.ocs.concepts import steps
from warledger.engine.games.ocs.counters import TRUCK
from warledger.engine.games.ocs.game import rules
from warledger.engine.games.ocs.scenario import Place, place_name, place_of
from warledger.engine.games.ocs.state import EXHAUSTED, STRAT, State, changed
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import Asked, Asking, Command, Commands, Many, Slot, word
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.memo import remembered
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import (
    Decision,
    Pick,
    Refusal,
    Say,
    Seat,
    Step,
    event,
)
from warledger.protocol.choices import say

PAYMENT = "payment"
"""The name of the step."""

SUPPLY, STOCKS, PART, NONE = "supply", "stocks", "part", "none"
"""How a payment came out."""

FIGHTING = ("attack", "defence", "barrage")
"""OCS 13.2 Purposes for which transport that pauses on its way does not serve."""


# --- events ---------------------------------------------------------------------------------------


@event("ocs.billed")
class Billed:
    """OCS 12.1 Something is to be paid. What for, by whom and how much is hidden (ruling 15): the
    purpose, payers, cost, shares, whether it has one source, takes stocks, must be paid and is paid
    in part, and the hex aimed at ("" for none)."""

    side: str
    bill: Any


@event("ocs.paid")
class Paid:
    """OCS 12.1 So many T are used up, each for a payer and out of a place or a unit's load. OCS
    12.10 Or payers use their internal stocks, a level each; 12.10h what supply is wasted by it.
    Ruling 15: which of these, or nothing at all, is hidden."""

    side: str
    picks: Any
    by_stocks: Any
    wasted: Any


@event("ocs.bill_over")
class BillOver:
    """OCS 12.1 Nothing more is paid on the bill."""


@event("ocs.bill_closed")
class BillClosed:
    """OCS 12.1 The bill has been read and goes."""


EVENTS = (Billed, Paid, BillOver, BillClosed)

after = ByEvent()


@after(Billed)
def _billed(state: State, event: Billed) -> State:
    purpose, payers, cost, shares, one_source, stocks, must, partly, target = fog.plain(event.bill)
    bill = Bill(
        event.side,
        purpose,
        tuple(payers),
        cost,
        one_source=one_source,
        shares=tuple(shares),
        stocks=stocks,
        must=must,
        partly=partly,
        target=state.charts.board.hex(target) if target else -1,
    )
    return replace(state, bill=bill)


@after(Paid)
def _paid(state: State, event: Paid) -> State:
    made = _with(state, tuple(fog.plain(event.picks)))
    payers = tuple(fog.plain(event.by_stocks))
    if not payers:
        return made
    made = points.spent(made, event.side, fog.plain(event.wasted))
    units, bill = made.units, bill_of(made)
    made = changed(
        made, {name: replace(units[name], stocks=units[name].stocks + 1) for name in payers}
    )
    return replace(made, bill=replace(bill, by_stocks=(*bill.by_stocks, *payers)))


def _with(state: State, picks: tuple[points.Pick, ...]) -> State:
    """The position with these picks paid on the bill."""
    bill = bill_of(state)
    tokens = sum(tokens for _payer, _what, tokens in picks)
    made = points.spent(state, bill.side, picks)
    return replace(made, bill=replace(bill, paid=bill.paid + tokens, picks=(*bill.picks, *picks)))


@after(BillOver)
def _over(state: State, event: BillOver) -> State:
    return replace(state, bill=replace(bill_of(state), over=True))


@after(BillClosed)
def _closed(state: State, event: BillClosed) -> State:
    return replace(state, bill=None)


TABLE = after.table()


def bill_of(state: State) -> Bill:
    """The bill in progress. Raises AssertionError when there is none."""
    assert state.bill is not None, "nothing is being paid"
    return state.bill


# --- who reaches what -----------------------------------------------------------------------------


class Way(NamedTuple):
    """One way to pay: for whom, what pays, at most how many T, and by whom it comes: HQs that throw
    it, or "direct"."""

    payer: str
    what: str
    tokens: int
    by: tuple[str, ...]


@frozen
class _Source:
    """A dump or load within a payer's reach."""

    what: str
    place: Place
    by: tuple[str, ...]


def place_of_payer(state: State, payer: str) -> Place:
    """OCS 12.3e Where a payer draws: its hex, or the box that it is in."""
    unit = state.units.get(payer)
    if unit is None:
        return place_of(state.charts.board, payer)
    return unit.at if unit.at >= 0 else unit.where


@remembered()
def _ground(state: State, side: str) -> tuple[int, Mapping[Place, tuple[str, ...]]]:
    """Hexes where a side has supply, loaded or not, and the loaded transport by place."""
    loaded = points.loads(state, side)
    found = 0
    for place in (*state.supply[side], *loaded):
        if isinstance(place, int):
            found |= 1 << place
    return found, loaded


@remembered()
def sources(state: State, side: str, payer: str, purpose: str = "") -> tuple[_Source, ...]:
    """OCS 12.3, 13.2 Everything that can pay for a payer, in canonical order. OCS 13.2 Organic
    trucks feed their own formation alone; transport on its way feeds no combat and no barrage."""
    charts = state.charts
    board = charts.board
    place = place_of_payer(state, payer)
    dumps, loaded = _ground(state, side)
    reached: dict[Place, tuple[str, ...]] = {}
    if isinstance(place, str):
        reached[place] = (draw.DIRECT,)
    else:
        for i in hexsets.listed(_direct(state, side, payer, place) & dumps):
            reached[i] = (draw.DIRECT,)
        for hq, hexes in _thrown(state, side, payer, place, dumps):
            for i in hexsets.listed(hexes):
                reached[i] = (*reached.get(i, ()), hq)
    muf = charts.units[payer].muf if payer in charts.units else ""
    found: list[tuple[tuple[int, int, int, str], _Source]] = []
    for at, by in reached.items():
        far = (
            board.map.grid.distance(place, at)
            if isinstance(place, int) and isinstance(at, int)
            else 0
        )
        if points.lying(state, side, at):
            what = place_name(board, at)
            found.append(((far, 0, _index(at), what), _Source(what, at, by)))
        for name in loaded.get(at, ()):
            if _feeds(state, name, payer, muf, purpose):
                organic = int(charts.units[name].organic)
                found.append(((far, 1 + organic, _index(at), name), _Source(name, at, by)))
    return tuple(source for _key, source in sorted(found, key=lambda pair: pair[0]))


def _index(place: Place) -> int:
    return place if isinstance(place, int) else -1


def _feeds(state: State, transport: str, payer: str, muf: str, purpose: str) -> bool:
    """OCS 13.2 Whether a load may be used for a payer."""
    counter, unit = state.charts.units[transport], state.units[transport]
    if counter.organic and (not muf or counter.muf != muf):
        return False
    under_way = unit.spent > 0 and not unit.finished and unit.carried == ""
    return not (under_way and purpose in FIGHTING)


def _direct(state: State, side: str, payer: str, at: int) -> int:
    """OCS 12.3a Hexes from which a payer draws itself."""
    if payer in state.units:
        return draw.draws(state, payer).touching
    return draw.paths(state, side, TRUCK).extent(at, draw.DRAW).touching


def _thrown(state: State, side: str, payer: str, at: int, dumps: int) -> Iterable[tuple[str, int]]:
    """OCS 12.3b HQs that throw to a payer, and the dumps out of which they do."""
    charts = state.charts
    for hq in hqs_of(charts.printed, side):
        unit = state.units[hq]
        if unit.at < 0 or unit.marker == STRAT or hq == payer:
            continue
        if payer in charts.units and not rules(charts).serves(charts, hq, payer):
            continue
        if not hexsets.has(draw.throws(state, hq).touching, at):
            continue
        found = draw.draws(state, hq).touching & dumps
        if found:
            yield hq, found


# --- what it costs --------------------------------------------------------------------------------


def factor(state: State, bill: Bill, payer: str) -> int:
    """OCS 12 How many times the printed cost the game charges a payer: 1 by the series, 0 free. The
    payer and the hex aimed at are asked; the dearer counts."""
    game = rules(state.charts)
    own = game.cost_factor(state, bill.side, _asked_as(state, payer), bill.purpose)
    if not own or bill.target < 0:
        return own
    return max(own, game.cost_factor(state, bill.side, bill.target, bill.purpose))


def _asked_as(state: State, payer: str) -> str | int:
    if payer in state.units:
        return payer
    return place_of(state.charts.board, payer)


def charged(state: State, bill: Bill) -> Bill:
    """OCS 9.5, 12 The bill as it is charged here: an attack's shares by steps, the game's factor on
    every T, its cap last."""
    shares = bill.shares
    if bill.purpose == "attack" and not shares:
        shares = tuple(steps(state.counter(name), state.units[name]) for name in bill.payers)
    if shares:
        shares = tuple(
            share * factor(state, bill, payer)
            for share, payer in zip(shares, bill.payers, strict=True)
        )
        cost = sum(shares)
    else:
        cost = bill.cost * max((factor(state, bill, payer) for payer in bill.payers), default=1)
    cap = bill.cap or rules(state.charts).cost_cap(state, bill.side, bill.purpose)
    if cap and cost > cap:
        cost, shares = cap, ()
    return replace(bill, cost=cost, shares=shares)


# --- whether it can be paid -----------------------------------------------------------------------


def payable(
    state: State,
    side: str,
    payers: Sequence[str],
    cost: int,
    *,
    one_source: bool = False,
    stocks: bool = False,
    shares: Sequence[int] = (),
    purpose: str = "",
    target: int = -1,
) -> bool:
    """OCS 12.3, 12.10 Whether a cost can be paid in full by these payers, together or each its
    share; with `stocks` by internal stocks where supply cannot be had."""
    bill = charged(
        state,
        Bill(
            side,
            purpose,
            tuple(payers),
            cost,
            one_source=one_source,
            shares=tuple(shares),
            stocks=stocks,
            target=target,
        ),
    )
    if coverable(state, bill):
        return True
    if not stocks:
        return False
    if not bill.shares:
        return any(state.units[name].stocks < EXHAUSTED for name in bill.payers)
    starved = set(bill.payers) - set(_can_be_paid(state, bill))
    return all(state.units[name].stocks < EXHAUSTED for name in starved)


def coverable(state: State, bill: Bill) -> bool:
    """OCS 12.3 Whether all that is due can come out of supply."""
    if bill.due <= 0:
        return True
    if bill.one_source:
        return bool(_providers(state, bill))
    if bill.shares:
        return _flows(_net(state, bill), {p: bill.owed(p) for p in bill.payers})
    return _within_reach(state, bill) >= bill.due


def _within_reach(state: State, bill: Bill) -> int:
    """T within the reach of any payer."""
    whats = sorted(
        {
            source.what
            for payer in bill.payers
            for source in sources(state, bill.side, payer, bill.purpose)
        }
    )
    return sum(points.amount(state, bill.side, what) for what in whats)


@frozen
class _Net:
    """Who can be paid out of what, and how many T there are."""

    reach: Mapping[str, tuple[str, ...]]
    stock: Mapping[str, int]


def _net(state: State, bill: Bill) -> _Net:
    reach = {
        payer: tuple(one.what for one in sources(state, bill.side, payer, bill.purpose))
        for payer in bill.payers
        if bill.owed(payer) > 0
    }
    whats = sorted({what for many in reach.values() for what in many})
    return _Net(reach, {what: points.amount(state, bill.side, what) for what in whats})


def _flows(net: _Net, needs: Mapping[str, int]) -> bool:
    """Whether every need can be met at once: augmenting paths, a T or more at a time."""
    left = dict(net.stock)
    given: dict[tuple[str, str], int] = {}

    def take(payer: str, seen: set[str]) -> bool:
        for what in net.reach.get(payer, ()):
            if what in seen:
                continue
            seen.add(what)
            if left[what]:
                left[what] -= 1
                given[payer, what] = given.get((payer, what), 0) + 1
                return True
            for other in sorted({name for (name, w), t in given.items() if w == what and t}):
                if other != payer and take(other, seen):
                    given[other, what] -= 1
                    given[payer, what] = given.get((payer, what), 0) + 1
                    return True
        return False

    return all(take(payer, set()) for payer, need in needs.items() for _ in range(need))


def _can_be_paid(state: State, bill: Bill) -> tuple[str, ...]:
    """OCS 12.10h As many payers as can be paid in full, the earlier before the later; those begun
    first."""
    net = _net(state, bill)
    chosen: dict[str, int] = {}
    order = sorted(
        (payer for payer in bill.payers if bill.owed(payer) > 0),
        key=lambda payer: (not bill.paid_by(payer), bill.payers.index(payer)),
    )
    for payer in order:
        needs = {**chosen, payer: bill.owed(payer)}
        if _flows(net, needs):
            chosen = needs
    return tuple(payer for payer in bill.payers if bill.owed(payer) <= 0 or payer in chosen)


def _providers(state: State, bill: Bill) -> Mapping[str, tuple[str, ...]]:
    """OCS 10.1, 13.7a One HQ or one dump that can pay all that is due and has paid what is paid ->
    what it pays with. An HQ that is a payer draws for itself and throws to the others."""
    side = bill.side
    serving: dict[str, dict[str, str]] | None = None
    for payer in bill.payers:
        mine: dict[str, dict[str, str]] = {}
        for source in sources(state, side, payer, bill.purpose):
            for by in source.by:
                key = by
                if by == draw.DIRECT:
                    key = f"@{place_name(state.charts.board, source.place)}"
                    if payer in state.units and state.counter(payer).hq:
                        mine.setdefault(payer, {})[source.what] = source.what
                mine.setdefault(key, {})[source.what] = source.what
        if serving is None:
            serving = mine
        else:
            serving = {
                key: {what: what for what in whats if what in mine[key]}
                for key, whats in serving.items()
                if key in mine
            }
    found: dict[str, tuple[str, ...]] = {}
    for key, whats in sorted((serving or {}).items()):
        if _earlier(state, bill, key) and (
            sum(points.amount(state, side, what) for what in whats) >= bill.due
        ):
            found[key] = tuple(whats)
    return found


def _earlier(state: State, bill: Bill, key: str) -> bool:
    """Whether what has been paid so far can have come by this HQ or dump."""
    for _payer, what, _tokens in bill.picks:
        place = (
            place_of_payer(state, what)
            if what in state.units
            else place_of(state.charts.board, what)
        )
        if key.startswith("@"):
            if place_name(state.charts.board, place) != key[1:]:
                return False
        elif not isinstance(place, int) or not hexsets.has(draw.draws(state, key).touching, place):
            return False
    return True


def ways(state: State, bill: Bill) -> tuple[Way, ...]:
    """OCS 12.3 What can be paid now, for whom and out of what, the canonical way first. Any number
    of T up to that of the way leaves the rest payable. Where the whole cannot be paid, those who
    owe shares may be paid one by one (12.10h); nothing is offered to those who owe together,
    unless it is to be spent all the same."""
    if bill.due <= 0 or bill.over:
        return ()
    if bill.one_source:
        return _from_one(state, bill)
    if bill.shares:
        return _by_shares(state, bill)
    if not bill.partly and _within_reach(state, bill) < bill.due:
        return ()
    return tuple(
        Way(
            payer,
            source.what,
            min(bill.due, points.amount(state, bill.side, source.what)),
            source.by,
        )
        for payer in bill.payers
        for source in sources(state, bill.side, payer, bill.purpose)
    )


def _from_one(state: State, bill: Bill) -> tuple[Way, ...]:
    serving = _providers(state, bill)
    found = []
    for payer in bill.payers:
        for source in sources(state, bill.side, payer, bill.purpose):
            by = tuple(key for key, whats in serving.items() if source.what in whats)
            if by:
                tokens = min(bill.due, points.amount(state, bill.side, source.what))
                named = tuple(draw.DIRECT if key.startswith("@") else key for key in by)
                found.append(Way(payer, source.what, tokens, named))
    return tuple(found)


def _by_shares(state: State, bill: Bill) -> tuple[Way, ...]:
    net = _net(state, bill)
    owing = {payer: bill.owed(payer) for payer in bill.payers if bill.owed(payer) > 0}
    whole = _flows(net, owing)
    begun = {payer: owed for payer, owed in owing.items() if bill.paid_by(payer)}
    found = []
    for payer, owed in owing.items():
        needs = owing if whole else {**begun, payer: owed}
        if not whole and not _flows(net, needs):
            continue
        for source in sources(state, bill.side, payer, bill.purpose):
            low, most = 0, min(owed, net.stock[source.what])
            while low < most:
                middle = (low + most + 1) // 2
                left = _Net(
                    net.reach,
                    {**net.stock, source.what: net.stock[source.what] - middle},
                )
                if _flows(left, {**needs, payer: owed - middle}):
                    low = middle
                else:
                    most = middle - 1
            if low:
                found.append(Way(payer, source.what, low, source.by))
    return tuple(found)


def with_stocks(state: State, bill: Bill) -> tuple[str, ...]:
    """OCS 9.5, 12.10a Payers who may use their internal stocks now: those for whom supply cannot be
    had and who have some left. Together (ruling 3): all who have some."""
    if not bill.stocks or bill.due <= 0 or bill.over:
        return ()
    if bill.shares:
        paid = set(_can_be_paid(state, bill))
        able = [payer for payer in bill.payers if payer not in paid]
    elif bill.by_stocks or coverable(state, bill):
        return ()
    else:
        able = list(bill.payers)
    return tuple(
        payer
        for payer in able
        if payer in state.units
        and payer not in bill.by_stocks
        and state.units[payer].stocks < EXHAUSTED
    )


# --- carrying it out ------------------------------------------------------------------------------


def begin(table: Table[State], bill: Bill) -> None:
    """OCS 12.1 Make out a bill, which then stands in the position. For a step that asks about the
    payment itself (ruling 19); others call `ask`."""
    state = table.state
    made = charged(state, bill)
    whole = (
        made.purpose,
        made.payers,
        made.cost,
        made.shares,
        made.one_source,
        made.stocks,
        made.must,
        made.partly,
        state.charts.board.name(made.target) if made.target >= 0 else "",
    )
    table.emit(Billed(made.side, fog.hidden(state, made.side, whole)))


def ask(table: Table[State], bill: Bill) -> None:
    """OCS 12.1 Make out a bill and put the step that pays it on top of the flow. The step below
    comes to its turn again with the outcome in the position."""
    begin(table, bill)
    table.call(PAYMENT)


def pay(table: Table[State], payer: str, what: str, tokens: int) -> None:
    """OCS 12.1 Pay so many T for a payer."""
    _pay(table, ((payer, what, tokens),))


def _pay(
    table: Table[State],
    picks: tuple[points.Pick, ...],
    payers: tuple[str, ...] = (),
    wasted: tuple[points.Pick, ...] = (),
) -> None:
    state = table.state
    side = bill_of(state).side
    table.emit(Paid(side, *(fog.hidden(state, side, value) for value in (picks, payers, wasted))))


def auto(table: Table[State]) -> None:
    """OCS 12.3 Pay the canonical way what can be paid, in one event: how many sources pay is
    hidden."""
    picks = _planned(table.state)
    if picks:
        _pay(table, picks)


def plan(state: State, bill: Bill) -> tuple[points.Pick, ...]:
    """OCS 12.3 What the canonical way pays of a bill, which is not made out."""
    return _planned(replace(state, bill=charged(state, bill)))


def reckoned(state: State, bill: Bill) -> tuple[Say, ...]:
    """OCS 12.3 What the canonical way pays of a bill that is not made out, in words: who is paid
    out of what, and by which path."""
    return _told(state, bill.side, _first_ways(replace(state, bill=charged(state, bill))))


def _told(state: State, side: str, found: Iterable[Way]) -> tuple[Say, ...]:
    return tuple(
        reckoning.told(
            state,
            side,
            place_of_payer(state, way.payer),
            way.payer,
            way.what,
            way.tokens,
            way.by[0],
        )
        for way in found
    )


def _planned(state: State) -> tuple[points.Pick, ...]:
    return tuple((way.payer, way.what, way.tokens) for way in _first_ways(state))


def _first_ways(state: State) -> tuple[Way, ...]:
    """The canonical way to pay what is due, one source after the other."""
    found: tuple[Way, ...] = ()
    while offered := ways(state, bill_of(state)):
        first = offered[0]
        found = (*found, first)
        state = _with(state, ((first.payer, first.what, first.tokens),))
    return found


def use_stocks(table: Table[State], payers: Sequence[str] = ()) -> None:
    """OCS 12.10 Mark the internal stocks of these payers, or of all who may use them. OCS 12.10h
    What supply a multi-step unit could have had is wasted, where it defends alone or owes its own
    share."""
    state = table.state
    bill = bill_of(state)
    chosen = tuple(payers) or with_stocks(state, bill)
    wasted: tuple[points.Pick, ...] = ()
    after_waste = state
    for payer in chosen:
        alone = bool(bill.shares) or bill.payers == (payer,)
        if alone and state.counter(payer).multi_step:
            lost = _waste(after_waste, payer)
            after_waste = points.spent(after_waste, bill.side, lost)
            wasted = (*wasted, *lost)
    _pay(table, (), chosen, wasted)


def _waste(state: State, payer: str) -> tuple[points.Pick, ...]:
    """OCS 12.10h What a payer reaches of its share, which does not suffice and counts for nothing;
    what others need and could be paid with stays."""
    bill = bill_of(state)
    due = bill.owed(payer) if bill.shares else bill.due
    kept: Mapping[str, int] = {}
    if bill.shares:
        fed = _can_be_paid(state, bill)
        kept = {name: bill.owed(name) for name in fed if bill.owed(name) > 0}
    lost: list[points.Pick] = []
    for source in sources(state, bill.side, payer, bill.purpose):
        there = points.amount(state, bill.side, source.what)
        net = _net(state, bill) if bill.shares else None
        tokens = min(due, there)
        while tokens and net is not None:
            left = _Net(net.reach, {**net.stock, source.what: there - tokens})
            if _flows(left, kept):
                break
            tokens -= 1
        if tokens:
            pick = (payer, source.what, tokens)
            lost.append(pick)
            state = points.spent(state, bill.side, (pick,))
            due -= tokens
    return tuple(lost)


def outcome(state: State) -> str:
    """OCS 12.1, 12.10 How a payment came out: "supply" (all of it paid), "stocks" (internal stocks
    made up for what could not be), "part" or "none"."""
    bill = bill_of(state)
    if bill.due <= 0:
        return SUPPLY
    if bill.by_stocks and not unpaid(state):
        return STOCKS
    if bill.shares:
        return PART if len(unpaid(state)) < len(bill.payers) else NONE
    if bill.by_stocks:
        return STOCKS
    return PART if bill.paid else NONE


def unpaid(state: State) -> tuple[str, ...]:
    """OCS 9.5, ruling 3 Payers for whom neither supply nor stocks have paid: they do not attack, or
    they defend at half."""
    bill = bill_of(state)
    if bill.due <= 0:
        return ()
    if bill.shares:
        return tuple(
            payer for payer in bill.payers if bill.owed(payer) > 0 and payer not in bill.by_stocks
        )
    return tuple(payer for payer in bill.payers if payer not in bill.by_stocks)


def close(table: Table[State]) -> None:
    """OCS 12.1 The outcome has been read: the bill goes."""
    table.emit(BillClosed())


# --- the step -------------------------------------------------------------------------------------


@frozen
class Paying:
    """For whom, out of what, and how many T."""

    payer: str = ""
    what: str = ""
    tokens: int = 0


@frozen
class ByStocks:
    """Whose internal stocks are used; none named: all that may be."""

    payers: tuple[str, ...] = ()


CANNOT_BE_HAD = "refusal.ocs.supply_can_be_had"
OUT_OF_REACH = "refusal.ocs.out_of_reach"
MUST_PAY = "refusal.ocs.must_pay"
TOO_LITTLE = "refusal.ocs.too_little_supply"


class Payment(Asking[State]):
    """OCS 12.1 The side of the bill pays it: `auto` the canonical way, `pay` one source after the
    other, `stocks` where supply cannot be had, `unpaid` to leave the rest unpaid. All of it is kept
    from the other side (ruling 15)."""

    verb_slot = "ocs.payment"

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The side of the bill, while something is due and can be paid; under fog it is asked all
        the same."""
        bill = bill_of(at.state)
        if bill.due <= 0 or bill.over:
            return {}
        if bill.must:
            return {}
        # Under fog nobody hears whether it can be paid at all.
        asked_anyway = fog.strict(at.state) and not bill.paid and not bill.by_stocks
        if not (asked_anyway or ways(at.state, bill) or with_stocks(at.state, bill)):
            return {}
        asked_for = say(
            "prompt.ocs.payment", "OCS 12.3", tokens=bill.due, purpose=f"ocs.purpose.{bill.purpose}"
        )
        return {bill.side: Decision(asked_for)}

    def advance(self, table: Table[State], frame: Frame) -> None:
        """What must be paid is paid; then the bill is over."""
        bill = bill_of(table.state)
        if not bill.over:
            if bill.must:
                auto(table)
            table.emit(BillOver())
        table.done()

    def sealed(self, asked: Asked[State]) -> bool:
        """Ruling 15 Who pays from where is hidden."""
        return bool(asked.state.charts.options.get("fog", fog.STRICT) != fog.OPEN)

    def commands(self) -> Commands[State]:
        """auto, pay, stocks, unpaid."""
        return (
            word("auto", self._auto, when=_may_pay, why=_why_not_pay, preview=_preview_auto),
            Command(
                "pay",
                Paying,
                Slot("payer", "ocs.payer", _payers, _why_not_payer),
                Slot("what", "ocs.pays", _whats, _why_not_what),
                Slot("tokens", "ocs.tokens", _tokens, _why_not_tokens),
                apply=self._pay,
                when=_may_pay,
                why=_why_not_pay,
                preview=_preview_pay,
            ),
            Command(
                "stocks",
                ByStocks,
                Many("payers", "ocs.payer", _stocked, _why_not_stocked, enough=True),
                apply=self._stocks,
                when=lambda asked: bool(with_stocks(asked.state, bill_of(asked.state))),
                why=lambda asked: Refusal("OCS 12.10a", CANNOT_BE_HAD),
            ),
            word("unpaid", self._unpaid),
        )

    def _auto(self, table: Table[State], asked: Asked[State]) -> None:
        auto(table)

    def _pay(self, table: Table[State], asked: Asked[State], order: Paying) -> None:
        pay(table, order.payer, order.what, order.tokens)

    def _stocks(self, table: Table[State], asked: Asked[State], order: ByStocks) -> None:
        use_stocks(table, order.payers)

    def _unpaid(self, table: Table[State], asked: Asked[State]) -> None:
        if fog.strict(table.state):
            _pay(table, ())
        table.emit(BillOver())


def _offered(asked: Asked[State]) -> tuple[Way, ...]:
    return ways(asked.state, bill_of(asked.state))


def _may_pay(asked: Asked[State]) -> bool:
    return bool(_offered(asked))


def _why_not_pay(asked: Asked[State]) -> Refusal:
    return Refusal("OCS 12.3", TOO_LITTLE, (("tokens", bill_of(asked.state).due),))


def _preview_auto(asked: Asked[State]) -> tuple[Say, ...]:
    """Who is paid out of what, and by which path."""
    return _told(asked.state, asked.seat, _first_ways(asked.state))


def _preview_pay(asked: Asked[State], order: Paying) -> tuple[Say, ...]:
    """Every way to pay for one payer, or the one that is picked."""
    if not order.payer:
        return ()
    return _told(
        asked.state,
        asked.seat,
        (
            way._replace(tokens=order.tokens or way.tokens)
            for way in _offered(asked)
            if way.payer == order.payer and order.what in ("", way.what)
        ),
    )


def _payers(asked: Asked[State], order: Paying) -> Iterable[str]:
    return dict.fromkeys(way.payer for way in _offered(asked))


def _why_not_payer(asked: Asked[State], order: Paying, pick: Pick) -> Refusal:
    return Refusal("OCS 12.3", OUT_OF_REACH, (("pick", pick),))


def _whats(asked: Asked[State], order: Paying) -> Iterable[str]:
    return [way.what for way in _offered(asked) if way.payer == order.payer]


def _why_not_what(asked: Asked[State], order: Paying, pick: Pick) -> Refusal:
    return Refusal("OCS 12.3", OUT_OF_REACH, (("pick", pick),))


def _tokens(asked: Asked[State], order: Paying) -> Iterable[int]:
    most = max(
        (
            way.tokens
            for way in _offered(asked)
            if (way.payer, way.what) == (order.payer, order.what)
        ),
        default=0,
    )
    return range(1, most + 1)


def _why_not_tokens(asked: Asked[State], order: Paying, pick: Pick) -> Refusal:
    offered = _tokens(asked, order)
    assert isinstance(offered, range)
    return Refusal("OCS 12.3", TOO_LITTLE, (("tokens", len(offered)),))


def _stocked(asked: Asked[State], order: ByStocks) -> Iterable[str]:
    bill = bill_of(asked.state)
    return [name for name in with_stocks(asked.state, bill) if name not in order.payers]


def _why_not_stocked(asked: Asked[State], order: ByStocks, pick: Pick) -> Refusal:
    return Refusal("OCS 12.10a", CANNOT_BE_HAD)


STEPS: Mapping[str, Step[State]] = {PAYMENT: Payment()}

__all__ = [
    "EVENTS",
    "STEPS",
    "TABLE",
    "Bill",
    "Way",
    "ask",
    "auto",
    "begin",
    "close",
    "outcome",
    "payable",
    "unpaid",
    "use_stocks",
    "ways",
]
