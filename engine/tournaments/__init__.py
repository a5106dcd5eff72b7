"""Tournaments: charter, ledger, pairing, sides, standings, ratings and their files.

Everything here is pure, as the kernel is: values in, values out. What opens games, runs the
matcher and talks to people stands in `engine.desk` and `engine.serve`.
"""
