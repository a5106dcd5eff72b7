"""OCS 12: a payment in progress, as the position keeps it between two commands."""

from warledger.engine.kernel.change import unguarded

ATTACK, DEFENCE = "attack", "defence"
"""OCS 9.5 What a combat is paid for."""

INDEPENDENTS = "independents"
"""OCS 21.3 The option by which independent units attack badly by themselves."""

FUEL_UNIT, FUEL_FORMATION = "fuel_unit", ("fuel_formation", "fuel_sparing")
"""OCS 12.5c Fuel for a unit, and for a formation, by the series and by the game's sparing fuel."""

FIGHTING = (ATTACK, DEFENCE, "barrage")
"""OCS 13.2 Purposes for which transport does not pause on its way: what it pays for them it pays
where its move ends."""


@unguarded
class Bill:
    """OCS 12.1 What is to be paid, by whom and from what so far.

    `purpose`   what it is for: "attack", "defence", "barrage", "fuel_unit", "fuel_hq",
                "fuel_formation", "eat", "recovery", "refit", "build" and so on
    `payers`    the units that consume it; or hexes and boxes by their printed ids (a base that
                refits)
    `cost`      T in all; `paid` T so far
    `picks`     (payer, what pays, T): what pays is a place by its printed id (supply on the
                ground) or a unit (its load)
    `one_source`  10.1, 13.7a all of it comes from one HQ or one dump
    `shares`    T that each payer owes, as many as payers; () when they owe it together, and then
                all of it is paid or nothing
    `stocks`    12.10 internal stocks may be used where supply cannot be had
    `must`      12.10e it is paid as far as it can be, nobody may decline
    `partly`    12.10e, 12.10h what does not suffice is spent all the same
    `target`    the hex that an attack or barrage is aimed at, -1 for none: games charge by it
    `cap`       most T that it may come to, 0 for no limit
    `by_stocks` payers that have marked their internal stocks for it
    `over`      nothing more is paid on it: what is unpaid remains so
    """

    side: str
    purpose: str
    payers: tuple[str, ...]
    cost: int
    paid: int = 0
    picks: tuple[tuple[str, str, int], ...] = ()
    one_source: bool = False
    shares: tuple[int, ...] = ()
    stocks: bool = False
    must: bool = False
    partly: bool = False
    target: int = -1
    cap: int = 0
    by_stocks: tuple[str, ...] = ()
    over: bool = False

    @property
    def due(self) -> int:
        """T still to be paid."""
        return self.cost - self.paid

    def paid_by(self, payer: str) -> int:
        """T paid so far for one payer."""
        return sum(tokens for name, _what, tokens in self.picks if name == payer)

    def owed(self, payer: str) -> int:
        """T that one payer still owes of its own share."""
        return self.shares[self.payers.index(payer)] - self.paid_by(payer)
