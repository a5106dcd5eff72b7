"""What the captains of the Operational Combat Series consider, one topic in each module: the
ground, the counters as a seat sees them, chances, attacks, moves, fire.

Everything comes from the pack, the board of the seat, and the choices that it is offered. These are
estimates, not rules: where they are wrong, the offer decides.
"""
