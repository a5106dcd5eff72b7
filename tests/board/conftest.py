"""Hypothesis for the board tests: the same examples every run, and no deadline, since the machine may be busy."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("board", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("board")
