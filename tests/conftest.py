"""For all tests: a seed that is the same every run unless `--seed` names another; Hypothesis tries
the same examples every run, without a word of how long they take, since the machine may be busy;
the garbage collector leaves alone what was imported and collected before the first test, which it
would otherwise go through hundreds of times; and Ctrl-C means what it means at a terminal, whoever
started the tests."""

from __future__ import annotations

import gc
import signal

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "warledger",
    deadline=None,
    derandomize=True,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("warledger")

# A shell that runs the tests in the background has SIGINT ignored, and so would every process have
# that a test starts and interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    """--seed N, the only way to a new seed: `ops/test --long` draws one a run."""
    parser.addoption("--seed", metavar="N", type=int, default=1, help="what `any_seed` gives")


def pytest_report_header(config: pytest.Config) -> str:
    """The line that tells how to have a run again."""
    return f"seed {config.getoption('seed')} (--seed)"


@pytest.fixture
def any_seed(request: pytest.FixtureRequest) -> int:
    """For a test that holds for any seed: the run's. It is shown when the test fails."""
    seed: int = request.config.getoption("seed")
    print("seed", seed)
    return seed


def pytest_collection_finish() -> None:
    """Once every test module is imported."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
