"""Where a game's draws come from: the seeds of the ceremony."""

from warledger.protocol.chance import dice


class SeedChance:
    """The `Chance` of a real game: every draw follows from the seeds that the seats' nonces and the
    server's hidden values make."""

    def __init__(self, seeds: dice.OpenedSeeds) -> None:
        self._seeds = seeds
        self._open: dict[int, bytes] = {}
        self._hidden: bytes | None = None

    def open(self, epoch: int, counter: int, purpose: str, sides: int) -> int:
        """Index of an open draw."""
        seed = self._open.get(epoch)
        if seed is None:
            self._open.clear()
            seed = self._open[epoch] = self._seeds.open_for(epoch)
        return dice.draw_index(seed, counter, purpose, sides)

    def hidden(self, counter: int, purpose: str, sides: int) -> int:
        """Index of a draw from hidden contents."""
        if self._hidden is None:
            self._hidden = self._seeds.hidden_for()
        return dice.draw_index(self._hidden, counter, purpose, sides)
