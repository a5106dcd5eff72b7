"""Lots that nobody can steer.

A lot is drawn from the link of the epoch in progress and the nonces of the tournament's roster. The
charter commits to the link; only the server knows it until the round is published. A lot depends on
nothing else but its purpose: drawing twice for the same purpose gives the same lot, so that pairing
a round again changes nothing. No lot stands before the roster's nonces are settled.
"""

from collections.abc import Callable, Iterable

from warledger.engine.tournaments.tournamentposition import Position
from warledger.protocol.chance import dice
from warledger.protocol.tournaments import Lot

Seeds = Callable[[int, tuple[bytes, ...]], bytes]
"""The seed of an epoch, given the nonces. Raises BadDraw where it is not known (yet)."""

_HIGH, _LOW = 1 << 32, 1 << 8


class Unrostered(ValueError):
    """An act asks for the first lot of its tournament: the roster is written instead."""


class LotsWait(ValueError):
    """A lot is asked for while nonces are waited for."""


class Lots:
    """Draws the lots of one act, and keeps the receipts."""

    def __init__(self, at: Position, seeds: Seeds) -> None:
        self._at, self._epoch = at, at.epoch
        self._seeds = seeds
        self._seed: bytes | None = None
        self.drawn: list[Lot] = []

    @property
    def seed(self) -> bytes:
        """The seed of the epoch in force. Raises BadDraw where it is not known yet, Unrostered
        and LotsWait where no lot may stand yet."""
        return self._known()

    def draw(self, purpose: str, sides: int) -> int:
        """An index 0 … sides-1."""
        index = dice.draw_index(self._known(), 0, purpose, sides)
        self.drawn.append(Lot(self._epoch, purpose, sides, index))
        return index

    def shuffled(self, purpose: str, numbers: Iterable[int]) -> tuple[int, ...]:
        """The numbers in an order by lots, whatever order they come in."""
        lot = self.of_pairs(purpose)
        return tuple(sorted(sorted(numbers), key=lambda number: (lot(number, number), number)))

    def of_pairs(self, purpose: str) -> Callable[[int, int], int]:
        """Lots of 40 bits for pairs of numbers, in whichever order they are named. One receipt
        stands for all; each can be drawn again from the same seed."""
        self.draw(purpose, _HIGH)
        seed = self._known()

        def lot(one: int, other: int) -> int:
            low, high = min(one, other), max(one, other)
            name = f"{purpose}:{low}:{high}"
            return _LOW * dice.draw_index(seed, 0, name, _HIGH) + dice.draw_index(
                seed, 1, name, _LOW
            )

        return lot

    def _known(self) -> bytes:
        if self._seed is None:
            if self._at.roster is None:
                raise Unrostered("the first lot is asked for, and there is no roster yet")
            if self._at.waits:
                raise LotsWait("a lot is asked for, and nonces are waited for")
            self._seed = self._seeds(self._epoch, self._at.lot_nonces)
        return self._seed
