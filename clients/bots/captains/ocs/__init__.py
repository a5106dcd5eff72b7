"""What the captains of the Operational Combat Series reckon with, a module a matter: the ground,
the counters as a seat sees them, chances, attacks, moves, fire.

Everything comes from the pack, the board of the seat, and the choices that it is offered. It is
judgement, not rules: where it errs, the offer decides.
"""
