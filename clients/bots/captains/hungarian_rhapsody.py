"""The captain of Hungarian Rhapsody. Who has to win ground by a date attacks at once and spends his
supply on it; who has to hold it spends steps rather than hexes, and keeps his armour together."""

from warledger.clients.bots.captains.ocs import captain


class Captain(captain.Captain):
    """One seat of one game."""


__all__ = ["Captain"]
