"""What clocks and claims cost, in processor time: a command with clocks beside one without, flags,
a game that is read again after a start, and what a seat was offered long ago.

    python -m ops.bench.clocks [--title counting] [--rounds 31] [--games 50] [--seconds 1] [--json]

Processor time is counted, not wall time, so that other programs disturb it little. The two kinds of
game are played in turns, so that what disturbs one disturbs the other. A command is counted twice:
what deciding it costs, of a toy whose rules cost next to nothing, and what a host pays. That is
what a server of one process spends on it over TCP until it is durable and acknowledged. One round
of that differs from the next by a tenth, so many short ones are played: of thirty the median is
within about two per cent, of nine it was not within five.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

import trio

from ops.bench.figures import show
from ops.bench.recorded import title_named
from ops.bench.server import NEVER_CLOSED, commands_over_tcp, prepare, serving_title
from tests.toys import counting
from warledger.engine.kernel import door, replay
from warledger.engine.packfiles import read_pack
from warledger.engine.registry import rules_of
from warledger.engine.serve.config import Config, ServerLimits
from warledger.engine.testing.randomgames import Played, begin, play
from warledger.protocol.log import bodies
from warledger.protocol.seats.acts import acts_in, verify

CLOCK: Final = {"bank": 86_400_000, "turn": 60_000, "each": 1_000, "free": 5_000}
COMMANDS: Final = 200
ROUNDS: Final = 31
GAMES: Final = 200
RECORDS: Final = 2_000


def table(**terms: Any) -> Played:
    """A long game of two."""
    options = {"turns": 10_000, "epoch_turns": 100}
    return begin(counting.RULES, counting.PACK, options=options, terms=terms or None)


def spent(work: Callable[[], object]) -> float:
    """Seconds of processor time."""
    began = time.process_time()
    work()
    return time.process_time() - began


def commands(played: Played) -> None:
    """Commands as a server carries them out: the signature checked, the record made, folded."""
    for _ in range(COMMANDS):
        seat = played.position.open[0][0]
        played.submit(seat, "roll")
        record = played.records[-1]
        body = bodies.read(record)
        for act in acts_in(played.ledger.genesis.hash, body, record.actor):
            assert verify(act.key, act.signed, act.signature)


def command_cost() -> tuple[float, float]:
    """Milliseconds of a command without clocks, and with them: medians over rounds."""
    without, timed = table(), table(clock=CLOCK)
    found: tuple[list[float], list[float]] = ([], [])
    for _ in range(ROUNDS):
        for played, times in zip((without, timed), found, strict=True):
            times.append(spent(partial(commands, played)) / COMMANDS * 1000)
    return statistics.median(found[0]), statistics.median(found[1])


async def served_cost(title_name: str, rounds: int, games: int, seconds: float) -> dict[str, float]:
    """Microseconds of a server's processor time for a command of games without clocks, and with
    them, of one server: medians over rounds, and of how much more it is in each round."""
    title = title_named(title_name)
    options = {"turns": 4000, "epoch_turns": 100} if title.name == "counting" else {}
    kinds = {"without clocks": None, "with clocks": {"clock": CLOCK}}
    each = max(20, int(seconds * 5_000 / games))
    found: dict[str, list[float]] = {kind: [] for kind in kinds}
    with tempfile.TemporaryDirectory() as data:
        turns = [list(kinds), list(reversed(kinds))]
        sets = [
            (kind, await prepare(Path(data), title, games, each, options, name, kinds[kind]))
            for number in range(rounds)
            for kind in turns[number % 2]
            for name in [f"{'timed' if kinds[kind] else 'bare'}-{number}-"]
        ]
        config = Config(
            Path(data),
            port=0,
            limits=ServerLimits(strangers_per_address=100_000, connections_per_address=100_000),
            log_level="warning",
            tending=NEVER_CLOSED,
            http=("127.0.0.1", 0),
        )
        async with trio.open_nursery() as nursery:
            serving = await nursery.start(serving_title, config, title)
            for kind, made in sets:
                told = await commands_over_tcp(serving, made, seconds)
                found[kind].append(told["server_cpu_us_each"])
            nursery.cancel_scope.cancel()
    without, timed = found.values()
    more = [(after / before - 1) * 100 for before, after in zip(without, timed, strict=True)]
    return {
        **{kind: statistics.median(times) for kind, times in found.items()},
        "more, per cent": statistics.median(more),
    }


def reading(played: Played, to: int | None = None) -> replay.Replayer[Any]:
    """Fold a game as a server does that reads it from its store."""
    return replay.fold(counting.RULES, played.records, dict(enumerate(played.openings)), to=to)


def game_cost() -> tuple[float, float]:
    """Seconds of random games of War at Sea without clocks, and of the same with them: of each game
    the least of several rounds, in turns."""
    rules, pack = rules_of("war_at_sea"), read_pack("war_at_sea")

    def least(seed: int) -> tuple[float, float]:
        found: tuple[list[float], list[float]] = ([], [])
        for _ in range(3):
            for terms, times in zip((None, {"clock": CLOCK}), found, strict=True):
                times.append(spent(partial(play, rules, pack, seed, terms=terms)))
        return min(found[0]), min(found[1])

    games = [least(seed) for seed in range(1, 9)]
    return sum(bare for bare, _ in games), sum(timed for _, timed in games)


def flag_cost() -> float:
    """Milliseconds of a flag with the end of its game, over many games that run out together."""
    games = [table(clock={"bank": 60_000, "fall": "loss"}) for _ in range(GAMES)]

    def fall() -> None:
        for played in games:
            due_ms = played.records[-1].at_ms + 60_000
            played.commit(played.ledger.propose_flag(due_ms))

    return spent(fall) / GAMES * 1000


def deadline_cost() -> float:
    """Milliseconds until the deadline of a game with clocks is known again after a start: the game
    has 50 records."""
    played = table(clock=CLOCK)
    while played.position.seq < 50:
        played.submit(played.position.open[0][0], "roll")

    def read() -> None:
        for _ in range(GAMES):
            clocks = reading(played).position.clocks
            assert clocks is not None and clocks.next_deadline is not None

    return spent(read) / GAMES * 1000


def offer_cost() -> float:
    """Milliseconds to say what a seat was offered at the middle of a long game."""
    played = table(clock=CLOCK)
    while played.position.seq < RECORDS:
        played.submit(played.position.open[0][0], "roll")

    def ask() -> None:
        at = reading(played, RECORDS // 2).position
        assert door.choices(counting.RULES, at, at.open[0][0])

    return min(spent(ask) for _ in range(5)) * 1000


def measure() -> dict[str, dict[str, float]]:
    """All of it."""
    without, timed = command_cost()
    bare, clocked = game_cost()
    return {
        "a command, ms": {
            "without clocks": without,
            "with clocks": timed,
            "more, per cent": (timed / without - 1) * 100,
        },
        "games of War at Sea, s": {
            "without clocks": bare,
            "with clocks": clocked,
            "more, per cent": (clocked / bare - 1) * 100,
        },
        "clocks, ms a game": {
            "a flag and the end": flag_cost(),
            "a deadline after a start": deadline_cost(),
        },
        "offers at record 1,000 of 2,000, ms": {"to say them": offer_cost()},
    }


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--title", default="counting")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--games", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    cost = partial(served_cost, given.title, given.rounds, given.games, given.seconds)
    figures = {f"a served command of {given.title}, us": trio.run(cost), **measure()}
    show(figures, machine=given.json)


if __name__ == "__main__":
    main()
