"""OCS 12.3, 12.10: whether a bill can be paid, and how: out of supply, or by internal stocks.

OCS 12.3 The canonical payment goes payer by payer, each in the order of `reach`.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from attrs import frozen

from warledger.engine.board import hexsets
from warledger.engine.games.ocs.ch12_supply import points, supply_search
from warledger.engine.games.ocs.ch12_supply.bill import ATTACK, INDEPENDENTS, Bill
from warledger.engine.games.ocs.ch12_supply.bills import bill_of, charged
from warledger.engine.games.ocs.ch12_supply.supply_reach import ends_move, place_of_payer, sources
from warledger.engine.games.ocs.series.scenario import place_name, place_of
from warledger.engine.games.ocs.series.state import EXHAUSTED, State
from warledger.engine.kernel.memo import remembered


class Way(NamedTuple):
    """One way to pay: for whom, what pays, at most how many T, and by whom it comes: HQs that throw
    it, or "direct"."""

    payer: str
    what: str
    tokens: int
    by: tuple[str, ...]


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
    share. With `stocks` by internal stocks where supply cannot be had."""
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
    # Stocks are looked at first: that costs nothing, and nearly everybody has some.
    stocked = [stocks and _stocked(state, bill, name) for name in bill.payers]
    if stocked and (all(stocked) if bill.shares else any(stocked)):
        return True
    if coverable(state, bill):
        return True
    if not stocks or not bill.shares:
        return False
    starved = set(bill.payers) - set(_can_be_paid(state, bill))
    return all(_stocked(state, bill, name) for name in starved)


def _stocked(state: State, bill: Bill, payer: str) -> bool:
    """OCS 12.10 Whether a unit has internal stocks left that may serve for a bill. OCS 21.3 By the
    option those of independent units serve for no attack."""
    if state.units[payer].stocks >= EXHAUSTED:
        return False
    if bill.purpose != ATTACK or not state.charts.options.get(INDEPENDENTS):
        return True
    return not state.independent(payer)


def coverable(state: State, bill: Bill) -> bool:
    """OCS 12.3 Whether all that is due can come out of supply."""
    if bill.due <= 0:
        return True
    if bill.one_source:
        return bool(_providers(state, bill))
    if bill.shares:
        return _flows(_net(state, bill), {p: bill.owed(p) for p in bill.payers})
    return _within_reach(state, bill) >= bill.due


def _on_map(state: State, bill: Bill, payer: str, *, withheld: bool) -> tuple[str, ...]:
    """OCS 12.10a, 13.2 What can pay for a payer, with the loads that may be `withheld` or without:
    those of organic trucks, and of transport whose move it would end."""
    return tuple(
        one.what
        for one in sources(state, bill.side, payer, bill.purpose)
        if withheld
        or one.what not in state.units
        or not (state.counter(one.what).organic or ends_move(state, one.what, bill.purpose))
    )


def _within_reach(state: State, bill: Bill, *, withheld: bool = True) -> int:
    """T within the reach of any payer."""
    whats = sorted(
        {what for payer in bill.payers for what in _on_map(state, bill, payer, withheld=withheld)}
    )
    return sum(points.amount(state, bill.side, what) for what in whats)


@frozen
class _Net:
    """Who can be paid out of what, and how many T there are."""

    reach: Mapping[str, tuple[str, ...]]
    stock: Mapping[str, int]


def _net(state: State, bill: Bill, *, withheld: bool = True) -> _Net:
    reach = {
        payer: _on_map(state, bill, payer, withheld=withheld)
        for payer in bill.payers
        if bill.owed(payer) > 0
    }
    whats = sorted({what for many in reach.values() for what in many})
    return _Net(reach, {what: points.amount(state, bill.side, what) for what in whats})


def _flows(net: _Net, needs: Mapping[str, int]) -> bool:
    """Whether every need can be met at once: augmenting paths, a T or more at a time."""
    left = dict(net.stock)
    given: dict[tuple[str, str], int] = {}
    return all(
        _take(net, left, given, payer, set()) for payer, need in needs.items() for _ in range(need)
    )


def _take(
    net: _Net,
    left: dict[str, int],
    given: dict[tuple[str, str], int],
    payer: str,
    seen: set[str],
) -> bool:
    """One T for a payer out of what is `left`, or out of what was `given` to another who finds
    theirs elsewhere. (Inside `_flows` it would refer to itself, and wait for the collector.)"""
    for what in net.reach.get(payer, ()):
        if what in seen:
            continue
        seen.add(what)
        if left[what]:
            left[what] -= 1
            given[payer, what] = given.get((payer, what), 0) + 1
            return True
        for other in sorted({name for (name, w), t in given.items() if w == what and t}):
            if other != payer and _take(net, left, given, other, seen):
                given[other, what] -= 1
                given[payer, what] = given.get((payer, what), 0) + 1
                return True
    return False


def _can_be_paid(state: State, bill: Bill, *, withheld: bool = True) -> tuple[str, ...]:
    """OCS 12.10h The most payers that can be paid in full, the earlier before the later; those
    begun first. Without `withheld` as if what may be withheld were empty."""
    net = _net(state, bill, withheld=withheld)
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
                if by == supply_search.DIRECT:
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
        elif not isinstance(place, int) or not hexsets.has(
            supply_search.draws(state, key).touching, place
        ):
            return False
    return True


@remembered()
def ways(state: State, bill: Bill) -> tuple[Way, ...]:
    """OCS 12.3 What can be paid now, for whom and out of what, the canonical way first. Any number
    of T up to that of the way leaves the rest payable. Where the whole cannot be paid, those who
    owe shares may be paid one by one (12.10h). Nothing is offered to those who owe together, unless
    it is to be spent all the same."""
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
                named = tuple(supply_search.DIRECT if key.startswith("@") else key for key in by)
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
    had but out of organic trucks, which may be withheld (13.2), and who have some left. Together
    (OCS R-03): all who have some. OCS 12.10g Nobody who has been paid in part, since one counter
    does not mix."""
    if not bill.stocks or bill.due <= 0 or bill.over:
        return ()
    if bill.shares:
        paid = set(_can_be_paid(state, bill, withheld=False))
        able = [p for p in bill.payers if p not in paid and not bill.paid_by(p)]
    elif bill.by_stocks or _within_reach(state, bill, withheld=False) >= bill.due or bill.paid:
        return ()
    else:
        able = list(bill.payers)
    return tuple(
        payer
        for payer in able
        if payer in state.units and payer not in bill.by_stocks and _stocked(state, bill, payer)
    )


def waste(state: State, payer: str) -> tuple[points.Pick, ...]:
    """OCS 12.10h What a payer reaches of its share, which does not suffice and counts for nothing.
    What others need and could be paid with stays, and so do loads of organic trucks (12.10a)."""
    bill = bill_of(state)
    due = bill.owed(payer) if bill.shares else bill.due
    kept: Mapping[str, int] = {}
    if bill.shares:
        fed = _can_be_paid(state, bill)
        kept = {name: bill.owed(name) for name in fed if bill.owed(name) > 0}
    lost: list[points.Pick] = []
    for what in _on_map(state, bill, payer, withheld=False):
        there = points.amount(state, bill.side, what)
        net = _net(state, bill) if bill.shares else None
        tokens = min(due, there)
        while tokens and net is not None:
            left = _Net(net.reach, {**net.stock, what: there - tokens})
            if _flows(left, kept):
                break
            tokens -= 1
        if tokens:
            pick = (payer, what, tokens)
            lost.append(pick)
            state = points.spent(state, bill.side, (pick,))
            due -= tokens
    return tuple(lost)
