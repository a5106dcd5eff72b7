"""The basic terms of the whole kernel: a seat, how a game ended, a fault. Titles import them from
`types`."""

from attrs import frozen

from warledger.protocol.board.choices import Say

Seat = str


class Fault(Exception):
    """A bug in the rules was detected: the command is refused as a fault, and nothing has
    changed."""


@frozen
class Outcome:
    """How a game ended: the winning seat, or None for a draw, and the reason as a sentence."""

    winner: Seat | None
    reason: Say
