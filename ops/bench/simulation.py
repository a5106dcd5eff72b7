"""How much virtual time of a fleet the processor simulates in a second (`tests/simulate`).

    python -m ops.bench.simulation [--runs 8] [--seed 100] [--json]

The time is the process's own, the best of a few for each seed. So what else runs on the machine
counts as little as it can.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

from ops.bench.figures import show
from tests.simulate.fleetworld import simulate

TIMES = 3
TARGET_PER_SECOND = 100


def bench(runs: int, seed: int) -> dict[str, Any]:
    """Virtual seconds of so many runs, and what they cost."""
    virtual = cpu = 0.0
    acknowledged = 0
    for number in range(seed, seed + runs):
        times = []
        for _ in range(TIMES):
            began = time.process_time()
            world = simulate(number)
            times.append(time.process_time() - began)
        virtual += world.seconds
        acknowledged += len(world.told.accepted)
        cpu += min(times)
    return {
        "runs": runs,
        "acts_acknowledged": acknowledged,
        "virtual_s": virtual,
        "cpu_s": cpu,
        "virtual_s_per_cpu_s": virtual / cpu,
        "target": TARGET_PER_SECOND,
    }


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=8)
    parser.add_argument("--seed", type=int, default=100, help="of the first run")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    show({"simulation": bench(given.runs, given.seed)}, machine=given.json)


if __name__ == "__main__":
    main()
