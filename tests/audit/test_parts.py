"""Level 2 by several processes says what one process says."""

import subprocess
import sys

from tests.audit.attacked import whole
from warledger.clients.audit.parts import bounds_of
from warledger.protocol.log import records


def test_several_processes_say_what_one_says(any_seed: int) -> None:
    """Sound files, forged ones and games in progress, of toys and titles; the games of a
    tournament; and processes that are lost. Sound files need no second look."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.audit.in_parts", str(any_seed)],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    in_parts, otherwise, _ = map(int, done.stdout.split())
    assert in_parts >= 12 and otherwise >= 12


def test_parts_begin_with_commands_that_stand_alone() -> None:
    """No part begins with the first command, which follows from the last nonce, or with a record
    that is no command; there are no more parts than asked for, nor shorter ones."""
    log = whole().records
    commands = [one.seq for one in log if one.kind == records.COMMAND]
    for parts in range(1, 9):
        bounds = bounds_of(log, parts, 1)
        assert bounds[0] == 1 and len(bounds) <= parts and bounds == sorted(set(bounds))
        assert set(bounds[1:]) <= set(commands[1:])
    assert bounds_of(log, 4, len(commands)) == [1]
