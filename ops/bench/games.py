"""How fast logs are verified, folded and audited, offers made, games played; each beside a raw
floor measured in the same run.

    python -m ops.bench.games [--games 20] [--title war_at_sea]

Figures come back as `Figure`s, so that the command line can print them with those of the server.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import json
import statistics
import time
import tracemalloc
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import msgpack
from attrs import asdict, frozen

from ops.bench.recorded import command_of, hand_of, sit_down
from warledger.clients.audit.audit import installed
from warledger.clients.audit.examine import examine
from warledger.clients.audit.parts import redecide_on
from warledger.clients.audit.processes import at_once
from warledger.clients.audit.redecide import redecide
from warledger.clients.bots.selfplay import Field, Played, play
from warledger.clients.cli import collect_rarely
from warledger.engine.kernel import door, replay, runs
from warledger.engine.kernel.ledger import Keys, Ledger, genesis_record
from warledger.engine.kernel.position import PLAYING, Position
from warledger.engine.runtime.snapshots.sharedstates import shared
from warledger.protocol.board.choices import Refusal
from warledger.protocol.chance.seal import Opening
from warledger.protocol.log.records import Genesis

SEED = 1
SLOPE_RECORDS = 5000
SLOPE_GAMES = 5
ROUNDS = 12


@frozen
class Figure:
    """One measured figure, the floor it is checked against (None where there is none), and the
    aim."""

    name: str
    value: float
    unit: str
    aim: str = ""
    floor: float | None = None
    floor_is: str = ""


def timed(*subjects: Sequence[Callable[[], object]], rounds: int = ROUNDS) -> list[float]:
    """Seconds that each subject takes: of each of its acts the quickest of several rounds, the
    subjects side by side.

    Whoever shares a machine with others sees its speed halved and doubled from one second to the
    next.
    """
    best = [[float("inf")] * len(acts) for acts in subjects]
    for _ in range(rounds):
        for times, acts in zip(best, subjects, strict=True):
            for index, act in enumerate(acts):
                started = time.perf_counter()
                act()
                times[index] = min(times[index], time.perf_counter() - started)
    return [sum(times) for times in best]


def played_games(title: str, games: int, player: str = "captain") -> tuple[list[Played], Figure]:
    """Games to measure with, and how fast they were played."""
    field = Field.of(title)
    started = time.perf_counter()
    made = [play(field, seed=SEED, index=index, players=(player,)) for index in range(games)]
    seconds = time.perf_counter() - started
    commands = sum(game.commands for game in made)
    name = f"{player} games by selfplay, invariants checked"
    return made, Figure(
        name, games / seconds, "games/s", "report", commands / seconds, "commands/s"
    )


def replaying(title: str, games: Sequence[Played]) -> list[Figure]:
    """Verify the chain, decode and fold finished games: as a server that loads them does, and with
    every byte's spelling checked as well. The floor unpacks and hashes the same bytes."""
    rules = Field.of(title).rules
    datas = [[record.data for record in game.records] for game in games]
    openings = [_by_record(game.openings) for game in games]
    events = sum(game.events for game in games)

    def fold(index: int, trusted: bool) -> None:
        runs.load(rules, datas[index], openings[index], trusted=trusted)

    def bare(index: int) -> None:
        for data in datas[index]:
            hashlib.sha256(data).digest()
            msgpack.unpackb(data, use_list=False, raw=False, strict_map_key=True)

    each = range(len(games))
    trusting, strict = (
        [partial(fold, index, trusted) for index in each] for trusted in (True, False)
    )
    loaded, spelt, floor = timed(trusting, strict, [partial(bare, index) for index in each])
    name = "verify chain, decode, fold a finished game"
    return [
        Figure(name, events / loaded, "events/s", "≥ 100,000", events / floor, "unpack + SHA-256"),
        Figure(
            "the same, every spelling checked",
            events / spelt,
            "events/s",
            "report",
            events / floor,
            "unpack + SHA-256",
        ),
    ]


def _by_record(openings: Sequence[tuple[Opening, ...]]) -> dict[int, tuple[Opening, ...]]:
    return {seq: found for seq, found in enumerate(openings) if found}


def auditing(games: Sequence[Played]) -> list[Figure]:
    """The audit's first level alone, and with the second."""
    files = [game.as_wlog() for game in games]
    keys = [game.key.verify_key.encode() for game in games]
    records = sum(len(game.records) for game in games)
    commands = sum(game.commands for game in games)
    rulebook = installed()

    evidence = [examine(file, key=key) for file, key in zip(files, keys, strict=True)]

    def first(index: int) -> None:
        assert not examine(files[index], key=keys[index]).findings

    def second(index: int) -> None:
        decided = redecide(evidence[index], rulebook.rules)
        assert decided.whole and not decided.findings, decided

    def together(index: int) -> None:
        assert redecide_on(evidence[index], rulebook.rules, None).whole

    each = range(len(games))
    one, two, several = timed(
        *([partial(act, n) for n in each] for act in (first, second, together))
    )
    workers = at_once(None)
    return [
        Figure("audit, level 1 (evidence)", records / one, "records/s", "report"),
        Figure(
            "audit, level 2 (decided again)",
            commands / two,
            "commands/s",
            "≥ 5,000 (hex titles ≥ 3,000)",
        ),
        Figure("audit, both levels", commands / (one + two), "commands/s", "report"),
        Figure(
            "audit, level 2, by all cores",
            commands / several,
            "commands/s",
            "report",
            workers,
            "processes, at most",
        ),
    ]


def first_pages(title: str, game: Played) -> Figure:
    """The first page of choices for a seat, at every position of a game."""
    rules = Field.of(title).rules
    replayer = replay.Replayer(rules, Genesis.from_record(game.records[0]))
    waits: list[float] = []
    for record, openings in zip(game.records[1:], game.openings[1:], strict=True):
        at: Position[Any] = replayer.feed(record, openings)
        if at.stage == PLAYING:
            for seat, *_ in at.open:
                started = time.perf_counter()
                door.choices(rules, at, seat)
                waits.append((time.perf_counter() - started) * 1000)
    waits.sort()
    aim = "< 1 ms p99 (hex titles < 10 ms)"
    return Figure(
        "first page of choices, p99",
        waits[int(len(waits) * 0.99)],
        "ms",
        aim,
        statistics.median(waits),
        "median",
    )


def _toy_of(length: int) -> Ledger[Any]:
    """A game of the counting toy that has `length` records."""
    from tests.toys import counting

    keys = Keys(bytes(32), bytes(32), bytes(32))
    pack = Field("counting", counting.RULES, {}, _pack(counting.PACK), bytes(32))
    genesis = genesis_record(
        counting.RULES,
        game="slope",
        options={"turns": 10_000, "epoch_turns": 100},
        pack=pack.pack_bytes,
        digest=bytes(32),
        keys=keys,
        server_key=bytes(32),
        at_ms=0,
    )
    ledger: Ledger[Any] = Ledger(counting.RULES, genesis, keys)
    sit_down(ledger)
    while ledger.position.seq < length:
        _timed(ledger, 1)
    return ledger


def _timed(ledger: Ledger[Any], count: int) -> float:
    """Seconds for `count` commands; signing them is not counted."""
    seconds = 0.0
    for _ in range(count):
        seat, decision, _ = ledger.position.open[0]
        entry = ledger.position.seat(seat)
        assert entry is not None
        hand = hand_of(ledger.genesis.hash, ledger.game, seat, entry.keys[0].n)
        command = command_of(hand, ledger.last.hash, decision, ("add", 1), ledger.position.seq)
        started = time.perf_counter()
        _take(ledger, ledger.propose_command(command, 0))
        seconds += time.perf_counter() - started
    return seconds


def slope() -> Figure:
    """What a command of the counting toy costs as its log grows: the 95 % bound of the slope over
    5,000 records, of the mean cost.

    Five games, each a thousand records longer than the one before, go on by turns: what the machine
    does else slows them all alike.
    """
    ledgers = [_toy_of(length) for length in range(0, SLOPE_RECORDS, SLOPE_RECORDS // SLOPE_GAMES)]
    xs: list[float] = []
    ys: list[float] = []
    seconds: list[float] = []
    gc.collect()
    gc.disable()
    try:
        while ledgers[0].position.seq < SLOPE_RECORDS // SLOPE_GAMES:
            at = [ledger.position.seq / SLOPE_RECORDS for ledger in ledgers]
            # Each in pieces, and of its pieces the median, so that a moment in which the machine
            # did something else does not count.
            pieces = [[_timed(ledger, 10) for ledger in ledgers] for _ in range(5)]
            costs = [
                statistics.median(piece[index] for piece in pieces) for index in range(len(ledgers))
            ]
            mean = statistics.fmean(costs)
            seconds.append(mean / 10)
            xs += at
            ys += [cost / mean for cost in costs]
    finally:
        gc.enable()
    n = len(xs)
    mean_x, mean_y = statistics.fmean(xs), statistics.fmean(ys)
    spread = sum((x - mean_x) ** 2 for x in xs)
    rise = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True)) / spread
    residue = sum((y - mean_y - rise * (x - mean_x)) ** 2 for x, y in zip(xs, ys, strict=True))
    bound = rise + 1.66 * (residue / (n - 2) / spread) ** 0.5
    mean = statistics.fmean(seconds)
    return Figure(
        "a command's cost over 5,000 records: rise, 95 % bound",
        100 * bound,
        "%",
        "< 5 %",
        mean * 1e6,
        "mean, µs",
    )


def _pack(pack: Any) -> bytes:
    from warledger.protocol import canon

    return canon.pack(canon.ordered(pack))


def _take(ledger: Ledger[Any], batch: Any) -> None:
    assert not isinstance(batch, Refusal), batch
    ledger.commit(batch)


def memory(title: str, game: Played, copies: int = 20) -> Figure:
    """Python memory that one more live game in the middle of its play takes, its title's pack and
    log not counted."""
    rules = shared(Field.of(title).rules)  # as the server keeps them
    half = game.records[: len(game.records) // 2]
    openings = _by_record(game.openings)
    replay.fold(rules, half, openings)
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    kept = [replay.fold(rules, half, openings).position for _ in range(copies)]
    gc.collect()
    used = (tracemalloc.get_traced_memory()[0] - before) / copies / 1024
    tracemalloc.stop()
    pieces = sum(effect_count(at) for at in kept[:1])
    allowed = 64 + 0.3 * pieces
    return Figure(
        "memory of an idle live game's position",
        used,
        "KiB",
        "< 64 KB + 0.3 KB a piece",
        allowed,
        f"allowed, {pieces} pieces",
    )


def effect_count(at: Position[Any]) -> int:
    """How many pieces a state holds, where it keeps them as the kernel's titles do."""
    state = at.state
    return sum(
        len(getattr(state, name))
        for name in ("ships", "uboats", "units", "pieces")
        if hasattr(state, name)
    )


def measure(title: str, games: int) -> list[Figure]:
    """All figures of this file."""
    made, speed = played_games(title, games)
    return [
        *replaying(title, made),
        *auditing(made),
        first_pages(title, made[0]),
        slope(),
        memory(title, made[0]),
        speed,
    ]


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--title", default="war_at_sea")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    collect_rarely()  # as the command line does
    figures = measure(arguments.title, arguments.games)
    if arguments.json:
        print(json.dumps([asdict(figure) for figure in figures], ensure_ascii=False))
        return
    for figure in figures:
        floor = "" if figure.floor is None else f"   ({figure.floor_is}: {figure.floor:,.2f})"
        print(f"{figure.name:56} {figure.value:12,.2f} {figure.unit:10} {figure.aim}{floor}")


if __name__ == "__main__":
    main()
