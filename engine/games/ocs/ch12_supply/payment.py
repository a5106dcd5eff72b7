"""OCS 12.1-12.3, 12.10: paying for anything: from dumps, tokens, loads and internal stocks.

OCS 12.3 Whoever consumes supply draws it directly or is thrown it by an HQ; several dumps may
contribute (12.3a). OCS 9.5, 12.10a Internal stocks serve only where supply cannot be had. What is
asked is a `Bill`. `ask` puts the step "payment" on top of the flow, and when that is over the step
below reads `outcome` and calls `close`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from attrs import frozen

from warledger.engine.games.ocs.ch04_concepts import fog, staying, zones
from warledger.engine.games.ocs.ch12_supply import points
from warledger.engine.games.ocs.ch12_supply.bill import FUEL_FORMATION, FUEL_UNIT, Bill
from warledger.engine.games.ocs.ch12_supply.bills import (
    BillClosed,
    Billed,
    BillOver,
    Paid,
    bill_of,
    charged,
    with_picks,
)
from warledger.engine.games.ocs.ch12_supply.payment_means import Way, waste, ways, with_stocks
from warledger.engine.games.ocs.ch12_supply.supply_reach import place_of_payer
from warledger.engine.games.ocs.display import payment_words
from warledger.engine.games.ocs.display.sentences import supply_text
from warledger.engine.games.ocs.series.state import State
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import (
    Asked,
    Asking,
    Command,
    Commands,
    Free,
    Many,
    word,
)
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Pick, Picks, Refusal, Say, Seat, Step
from warledger.protocol.board.choices import Choices, offer, refuse, say

PAYMENT = "payment"
"""The name of the step."""

SUPPLY, STOCKS, PART, NONE = "supply", "stocks", "part", "none"
"""How a payment came out."""


# --- carrying it out ------------------------------------------------------------------------------


def begin(table: Table[State], bill: Bill) -> None:
    """OCS 12.1 Make out a bill, which then stands in the position. For a step that asks about the
    payment itself (OCS R-19); others call `ask`."""
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


def _pay(
    table: Table[State],
    picks: tuple[points.Pick, ...],
    payers: tuple[str, ...] = (),
    wasted: tuple[points.Pick, ...] = (),
) -> None:
    """OCS 12.1 Pay this on the bill; 4.5b who has to stay for it is held."""
    state = table.state
    bill = bill_of(state)
    side = bill.side
    if side == zones.mover(state):
        units = relied_on(state, lambda now: _can_be_picked(now, picks))
        reason = staying.FUEL if bill.purpose in (FUEL_UNIT, *FUEL_FORMATION) else staying.PATH
        staying.hold(table, units, reason)
    table.emit(Paid(side, *(fog.hidden(state, side, value) for value in (picks, payers, wasted))))


def auto(table: Table[State]) -> None:
    """OCS 12.3 Pay the canonical way what can be paid, in one event: how many sources pay is
    hidden."""
    picks = _planned(_with_fewest_held(table.state))
    if picks:
        _pay(table, picks)


def relied_on(state: State, works: Callable[[State], bool]) -> tuple[str, ...]:
    """OCS 4.5b Who has to stay for what is paid on the bill, payers themselves last."""
    bill = bill_of(state)
    return staying.relied(state, bill.side, works, last=bill.payers)


def _can_be_picked(state: State, picks: tuple[points.Pick, ...]) -> bool:
    """OCS 12.3 Whether these picks can be paid on the bill, one after the other."""
    for payer, what, tokens in picks:
        most = (w.tokens for w in ways(state, bill_of(state)) if (w.payer, w.what) == (payer, what))
        if max(most, default=0) < tokens:
            return False
        state = with_picks(state, ((payer, what, tokens),))
    return True


def _held_by_plan(state: State) -> tuple[str, ...]:
    """OCS 4.5b Who has to stay so that the canonical way pays as much as it can."""
    most = _sum(_planned(state))
    return relied_on(state, lambda now: _sum(_planned(now)) >= most)


def _with_fewest_held(state: State) -> State:
    """OCS 4.5b The position in which only those stay of whom the canonical way needs it."""
    side = bill_of(state).side
    if side != zones.mover(state) or not staying.free(state, side):
        return state
    return staying.only(state, side, _held_by_plan(state))


def _sum(picks: Iterable[points.Pick]) -> int:
    return sum(tokens for _payer, _what, tokens in picks)


def plan(state: State, bill: Bill) -> tuple[points.Pick, ...]:
    """OCS 12.3 What the canonical way pays of a bill, which is not made out."""
    return _planned(_with_fewest_held(replace(state, bill=charged(state, bill))))


def held_by_plan(state: State, bill: Bill) -> tuple[str, ...]:
    """OCS 4.5b Who has to stay for what the canonical way pays of a bill that is not made out."""
    return _held_by_plan(replace(state, bill=charged(state, bill)))


def reckoned(state: State, bill: Bill) -> tuple[Say, ...]:
    """OCS 12.3 What the canonical way pays of a bill that is not made out, in words: who is paid
    out of what, and along which path."""
    made = replace(state, bill=charged(state, bill))
    return (
        *_told(state, bill.side, _first_ways(_with_fewest_held(made))),
        *staying.told(_held_by_plan(made)),
    )


def _told(state: State, side: str, found: Iterable[Way]) -> tuple[Say, ...]:
    return tuple(
        payment_words.told(
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
        state = with_picks(state, ((first.payer, first.what, first.tokens),))
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
            lost = waste(after_waste, payer)
            after_waste = points.spent(after_waste, bill.side, lost)
            wasted = (*wasted, *lost)
    _pay(table, (), chosen, wasted)


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
    """OCS 9.5, R-03 Payers for whom neither supply nor stocks have paid: they do not attack, or
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
    """OCS 12.1 The outcome has been read: the bill is removed."""
    table.emit(BillClosed())


# --- the step -------------------------------------------------------------------------------------


@frozen
class Parts:
    """OCS 12.3a What pays so far, as (payer, what pays, T), and the part that is begun."""

    paid: tuple[points.Pick, ...] = ()
    payer: str = ""
    what: str = ""


@frozen
class Paying:
    """For whom, out of what, and how many T; as many parts as it takes."""

    parts: Parts = Parts()


@frozen
class ByStocks:
    """Whose internal stocks are used; none named: all that may be."""

    payers: tuple[str, ...] = ()


CANNOT_BE_HAD = "refusal.ocs.supply_can_be_had"
OUT_OF_REACH = "refusal.ocs.out_of_reach"
MUST_PAY = "refusal.ocs.must_pay"
TOO_LITTLE = "refusal.ocs.too_little_supply"


class Payment(Asking[State]):
    """OCS 12.1 The side of the bill pays it: `auto` the canonical way, `pay` part by part out
    of the sources named, `stocks` where supply cannot be had, `unpaid` to leave the rest unpaid.
    All of it is kept from the other side (OCS R-15)."""

    verb_slot = "ocs.payment"

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The side of the bill, while something is due and can be paid; under fog it is asked all
        the same."""
        bill = bill_of(at.state)
        if bill.due <= 0 or bill.over:
            return {}
        if bill.must:
            return {}
        # Under fog nobody learns whether it can be paid at all.
        asked_anyway = fog.strict(at.state) and not bill.paid and not bill.by_stocks
        if not (asked_anyway or ways(at.state, bill) or with_stocks(at.state, bill)):
            return {}
        asked_for = say(
            "prompt.ocs.payment",
            "OCS 12.3",
            amount=supply_text(bill.due),
            purpose=f"ocs.purpose.{bill.purpose}",
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
        """OCS R-15 Who pays from where is hidden."""
        return bool(asked.state.charts.options.get("fog", fog.STRICT) != fog.OPEN)

    def commands(self) -> Commands[State]:
        """auto, pay, stocks, unpaid."""
        return (
            word("auto", self._auto, when=_may_pay, why=_why_not_pay, preview=_preview_auto),
            Command(
                "pay",
                Paying,
                Free(
                    "parts",
                    lambda asked, picks: _read(picks),
                    _next_part,
                    _why_not_part,
                    form="PAYER WHAT TOKENS …",
                ),
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
            word("unpaid", self._unpaid, preview=_preview_unpaid),
        )

    def _auto(self, table: Table[State], asked: Asked[State]) -> None:
        auto(table)

    def _pay(self, table: Table[State], asked: Asked[State], order: Paying) -> None:
        _pay(table, order.parts.paid)

    def _stocks(self, table: Table[State], asked: Asked[State], order: ByStocks) -> None:
        use_stocks(table, order.payers)

    def _unpaid(self, table: Table[State], asked: Asked[State]) -> None:
        if fog.strict(table.state):
            _pay(table, ())
        table.emit(BillOver())


def _may_pay(asked: Asked[State]) -> bool:
    return bool(_ways(asked.state))


def _why_not_pay(asked: Asked[State]) -> Refusal:
    return Refusal("OCS 12.3", TOO_LITTLE, (("tokens", bill_of(asked.state).due),))


def _preview_auto(asked: Asked[State]) -> tuple[Say, ...]:
    """Who is paid out of what, and along which path; 4.5b whom it holds."""
    state = asked.state
    return (
        *_told(state, asked.seat, _first_ways(_with_fewest_held(state))),
        *staying.told(_held_by_plan(state)),
    )


def _preview_unpaid(asked: Asked[State]) -> tuple[Say, ...]:
    """What stays unpaid, and for whom."""
    bill = bill_of(asked.state)
    left = unpaid(asked.state)
    return (
        say(
            "preview.ocs.left_unpaid",
            "OCS 12.3",
            amount=supply_text(bill.due),
            purpose=f"ocs.purpose.{bill.purpose}",
            payers=left or bill.payers,
        ),
    )


def _preview_pay(asked: Asked[State], order: Paying) -> tuple[Say, ...]:
    """What has been picked; and of a part that is begun every way to pay for its payer."""
    parts = order.parts
    state, paid = asked.state, []
    for payer, what, tokens in parts.paid:
        way = next(way for way in _ways(state) if (way.payer, way.what) == (payer, what))
        paid.append(way._replace(tokens=tokens))
        state = with_picks(state, ((payer, what, tokens),))
    begun = [
        way
        for way in (_ways(state) if parts.payer else ())
        if way.payer == parts.payer and parts.what in ("", way.what)
    ]
    picks = parts.paid
    held = relied_on(asked.state, lambda now: _can_be_picked(now, picks))
    return (*_told(asked.state, asked.seat, (*paid, *begun)), *staying.told(held))


def _read(picks: Picks) -> Parts:
    """Picks in threes; the last part may be begun. A free form, since slots repeat in pairs at
    most, and which payers are left depends on all the parts before."""
    whole = len(picks) - len(picks) % 3
    paid = tuple(
        (str(picks[at]), str(picks[at + 1]), int(picks[at + 2])) for at in range(0, whole, 3)
    )
    payer, what = (*(str(pick) for pick in picks[whole:]), "", "")[:2]
    return Parts(paid, payer, what)


def _ways(state: State) -> tuple[Way, ...]:
    return ways(state, bill_of(state))


def _left(asked: Asked[State], order: Paying) -> tuple[Way, ...]:
    """Ways to pay what the parts before leave due."""
    return _ways(with_picks(asked.state, order.parts.paid))


def _most(asked: Asked[State], order: Paying) -> int:
    """Most T of the part that is begun."""
    begun = (order.parts.payer, order.parts.what)
    return max((w.tokens for w in _left(asked, order) if (w.payer, w.what) == begun), default=0)


def _next_part(asked: Asked[State], order: Paying) -> Choices:
    """OCS 12.3a The payer, what pays, how many T: part by part, in one command."""
    parts, sealed = order.parts, fog.strict(asked.state)
    if parts.what:
        return Choices("ocs.tokens", (), (1, _most(asked, order)), False, sealed)
    left = _left(asked, order)
    if parts.payer:
        whats = [way.what for way in left if way.payer == parts.payer]
        return offer("ocs.pays", whats, sealed=sealed)
    payers = dict.fromkeys(way.payer for way in left)
    # Where one payment is for all of them, the payer only tells which supply is in reach.
    slot = "ocs.payer" if bill_of(asked.state).shares or len(payers) == 1 else "ocs.payer_for_all"
    return offer(slot, payers, complete=bool(parts.paid), sealed=sealed)


def _why_not_part(asked: Asked[State], order: Paying, pick: Pick) -> Refusal:
    """OCS 12.3"""
    if order.parts.what:
        return Refusal("OCS 12.3", TOO_LITTLE, (("tokens", _most(asked, order)),))
    if not order.parts.payer:
        # Whoever names a dump or a truck first has left out for whom it pays.
        units = tuple(dict.fromkeys(w.payer for w in _left(asked, order) if w.what == pick))
        if units:
            return refuse("OCS 12.3", "refusal.ocs.for_whom_first", what=pick, units=units)
        if pick in bill_of(asked.state).payers and not _left(asked, order):
            return refuse("OCS 12.3", "refusal.ocs.nothing_left_to_pay")
    return Refusal("OCS 12.3", OUT_OF_REACH, (("pick", pick),))


def _stocked(asked: Asked[State], order: ByStocks) -> Iterable[str]:
    bill = bill_of(asked.state)
    return [name for name in with_stocks(asked.state, bill) if name not in order.payers]


def _why_not_stocked(asked: Asked[State], order: ByStocks, pick: Pick) -> Refusal:
    return Refusal("OCS 12.10a", CANNOT_BE_HAD)


STEPS: Mapping[str, Step[State]] = {PAYMENT: Payment()}
