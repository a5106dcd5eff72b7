"""The captain of Hungarian Rhapsody. A side that has to gain ground by a date attacks at once and
spends its supply on attacks; a side that has to hold ground gives up steps rather than hexes, and
keeps its armour together."""

from warledger.clients.bots.captains.ocs import captain


class Captain(captain.Captain):
    """One seat of one game."""


__all__ = ["Captain"]
