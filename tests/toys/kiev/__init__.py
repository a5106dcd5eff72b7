"""A third title of the chit-pull family on twenty hexes: what a sister game would be built from.

Everything that the family shares comes from engine.board and engine.games.chitpull: counters and
set-up, choosing chits in secret and the cup, command range, moves by waypoints, naming attacks,
losses, advance, lines of communication, railheads, control. What is its own stands here: its pack,
its state, its events, and a sequence of play of a few steps.

Each turn both sides choose one of two chits in secret; SUPPLY also goes into the cup. An HQ chit
activates the HQ and the units within two hexes: they move, then attack. The reinforcement chit
brings a lost unit back by rail. After three turns the side that holds Kiev wins.
"""

from tests.toys.kiev.data import data_of
from tests.toys.kiev.pack import PACK
from tests.toys.kiev.rules import RULES, alternatives
from tests.toys.kiev.state import Activation, State

__all__ = ["PACK", "RULES", "Activation", "State", "alternatives", "data_of"]
