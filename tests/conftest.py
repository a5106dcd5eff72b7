"""For all tests: Hypothesis tries the same examples every run, without a word of how long they
take, since the machine may be busy; and the garbage collector leaves alone what was imported and
collected before the first test, which it would otherwise go through hundreds of times."""

from __future__ import annotations

import gc

from hypothesis import HealthCheck, settings

settings.register_profile(
    "warledger",
    deadline=None,
    derandomize=True,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("warledger")


def pytest_collection_finish() -> None:
    """Once every test module is imported."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
