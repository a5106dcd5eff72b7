"""OCS 12.1: bills: how one is made out, what it charges, and what has been paid on it."""

from typing import Any

from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.ch04_concepts.concepts import steps
from warledger.engine.games.ocs.ch06_movement.move_in_progress import feeding
from warledger.engine.games.ocs.ch12_supply import points
from warledger.engine.games.ocs.ch12_supply.bill import FIGHTING, Bill
from warledger.engine.games.ocs.ch12_supply.supply_reach import ends_move
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.scenario import place_of
from warledger.engine.games.ocs.series.state import State, changed
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.types import event


@event("ocs.billed")
class Billed:
    """OCS 12.1 Something is to be paid. What for, by whom and how much is hidden (OCS R-15):
    purpose, payers, cost, shares, whether it has one source, takes stocks, must be paid and is paid
    in part, and the target hex ("" for none)."""

    side: str
    bill: Any


@event("ocs.paid")
class Paid:
    """OCS 12.1 So many T are used up, each for a payer and out of a place or a unit's load. OCS
    12.10 Or payers use their internal stocks, a level each; 12.10h what supply is wasted by it.
    OCS R-15: which of these, or nothing at all, is hidden."""

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
    made = with_picks(state, tuple(fog.plain(event.picks)))
    payers = tuple(fog.plain(event.by_stocks))
    if not payers:
        return made
    made = points.spent(made, event.side, fog.plain(event.wasted))
    units, bill = made.units, bill_of(made)
    made = changed(
        made, {name: replace(units[name], stocks=units[name].stocks + 1) for name in payers}
    )
    return replace(made, bill=replace(bill, by_stocks=(*bill.by_stocks, *payers)))


def with_picks(state: State, picks: tuple[points.Pick, ...]) -> State:
    """OCS 12.1, 13.2 The position with these picks paid on the bill. Transport that pays for a
    combat on its way goes no further; for anything else it has paused to feed others."""
    bill = bill_of(state)
    tokens = sum(tokens for _payer, _what, tokens in picks)
    done = [what for _payer, what, _tokens in picks if ends_move(state, what, bill.purpose)]
    made = points.spent(state, bill.side, picks)
    paused = () if bill.purpose in FIGHTING else tuple([what for _payer, what, _tokens in picks])
    bill = replace(bill, paid=bill.paid + tokens, picks=(*bill.picks, *picks))
    move = feeding(made.move, paused)
    ended = {name: replace(made.units[name], finished=True) for name in done}
    return changed(made, ended, bill=bill, move=move)


@after(BillOver)
def _over(state: State, event: BillOver) -> State:
    return replace(state, bill=replace(bill_of(state), over=True))


@after(BillClosed)
def _closed(state: State, event: BillClosed) -> State:
    return replace(state, bill=None)


def bill_of(state: State) -> Bill:
    """The bill in progress. Raises AssertionError when there is none."""
    assert state.bill is not None, "nothing is being paid"
    return state.bill


# --- what it costs --------------------------------------------------------------------------------


def factor(state: State, bill: Bill, payer: str) -> int:
    """OCS 12 How many times the printed cost the game charges a payer: 1 by the series, 0 free. The
    payer and the hex aimed at are asked; the higher counts."""
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
