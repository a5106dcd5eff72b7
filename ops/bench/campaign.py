"""The figures of a large game of the Operational Combat Series, in process: pack and genesis, every
unit's reach, the cost of choices and picks at every question, folding, audit and loading of a log,
memory, frames.

    python -m ops.bench.campaign [--scenario campaign] [--commands 600] [--seed 1]

Captains play, under fog. `--commands 0` plays to the end. A game that has not ended by then is
resigned, so that all of it is opened and can be decided again. All times are this process's share
of a processor, unless a line says otherwise; the machine's load is told at both ends. `fold` stands
beside a floor of the same run: the same bytes hashed and unpacked.
"""

from __future__ import annotations

import argparse
import copy
import gc
import hashlib
import json
import os
import random
import tempfile
import threading
import time
import tracemalloc
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgpack
import trio

from ops.bench import ocs
from ops.bench.recorded import title_named
from warledger.clients.audit.audit import installed
from warledger.clients.audit.examine import examine
from warledger.clients.audit.parts import bounds_of, redecide_on
from warledger.clients.audit.processes import at_once
from warledger.clients.audit.redecide import redecide
from warledger.clients.bots import selfplay
from warledger.clients.bots.player import View, run
from warledger.clients.cli import collect_rarely
from warledger.engine.games.hungarian_rhapsody.game import GAME
from warledger.engine.games.ocs.series.charts import charts
from warledger.engine.games.ocs.series.setup import first_position
from warledger.engine.kernel import door, runs
from warledger.engine.kernel.position import Position
from warledger.engine.packfiles import pack_bytes, read_pack
from warledger.engine.runtime import garbagecollection, titles
from warledger.engine.runtime.game import live
from warledger.engine.runtime.snapshots import snapshotloads, snapshots
from warledger.engine.runtime.snapshots.sharedstates import shared
from warledger.engine.serve.http import symbols
from warledger.engine.serve.http.http1 import resource
from warledger.engine.store.files.disk import RealDisk
from warledger.engine.store.files.wal import open_store
from warledger.engine.store.port import FRAME_SECRETS
from warledger.engine.testing.randomgames import random_picks
from warledger.protocol.audience import PUBLIC, entitled
from warledger.protocol.board import description
from warledger.protocol.board.choices import Choices, Picks, Refusal
from warledger.protocol.board.effects import BoardHistory
from warledger.protocol.chance.seal import pack_openings
from warledger.protocol.log import wlog
from warledger.protocol.log.bodies import effects_of

TITLE = "hungarian_rhapsody"
ROUNDS = 3
WAKENED = 3000
"""Records of the game whose first command is measured."""
WOKEN = "woken"
UNDOABLE = 200
"""Moves of a phase that can all be taken back."""
FOLLOWED = 25_000
"""Records that a client follows in a whole campaign, for which its memory is bounded."""


def spent(act: Callable[[], object]) -> float:
    """Milliseconds of the processor, the best of a few rounds."""
    best = float("inf")
    for _ in range(ROUNDS):
        begun = time.process_time()
        act()
        best = min(best, time.process_time() - begun)
    return best * 1000


class Waits:
    """Times of one kind, in ms."""

    def __init__(self, name: str, aim: str) -> None:
        self.name, self.aim = name, aim
        self.values: list[float] = []

    def show(self) -> None:
        """A line of the report."""
        found = sorted(self.values)
        if not found:
            return
        p50, p95, p99 = (found[int(len(found) * part)] for part in (0.5, 0.95, 0.99))
        print(
            f"{self.name:44} p50 {p50:8.2f}  p95 {p95:8.2f}  p99 {p99:8.2f}  "
            f"worst {found[-1]:8.2f} ms  ({len(found)})  {self.aim}"
        )


def line(name: str, value: float, unit: str, aim: str = "") -> None:
    """A figure."""
    print(f"{name:44} {value:12.2f} {unit:12} {aim}")


def load() -> None:
    """How busy the machine is."""
    one, five, _ = os.getloadavg()
    print(f"load average of the machine: {one:.1f} over a minute, {five:.1f} over five")


def standing(scenario: str) -> None:
    """Figures that need no play: pack and first position, reach, who can be supplied, genesis."""
    data = pack_bytes(read_pack(TITLE))
    begun = time.process_time()
    of = charts(data, scenario, GAME)
    first_position(of)
    cold = (time.process_time() - begun) * 1000
    line("pack compiled and first position, cold", cold, "ms", "< 600")
    warm = spent(lambda: first_position(charts(data, scenario, GAME)))
    line("  next game of the pack", warm, "ms", "< 5")
    print("reach of one unit: aim p50 < 0.2, p95 < 2 ms; in Strat mode worst < 12 ms")
    state = first_position(of)
    ocs.reaches(state, ROUNDS)
    print("who can be supplied and fuelled: aim p95 < 2 ms")
    ocs.supplied(state, UNDOABLE)


def fetched(rules: Any, pack: Mapping[str, Any], options: Mapping[str, Any]) -> int:
    """Bytes that a page fetches in place of a pack, compressed: its board and its symbols."""
    told = titles.description(rules, pack, options)
    board = json.dumps({"title": TITLE, "description": told}, separators=(",", ":"))
    sheet = symbols.sheet(description.read(told).symbols, symbols.Draughtsman().draw)
    made = [resource(text.encode(), "") for text in (board, sheet)]
    return sum(len(one.gzip or one.body) for one in made)


def held_up(act: Callable[[], object]) -> tuple[float, float]:
    """The longest time that another thread could not run while a thread does something, and while
    none does, in ms of the clock."""
    done = threading.Event()

    def whole() -> None:
        act()
        done.set()

    end = time.perf_counter() + 1
    alone = _gap(lambda: time.perf_counter() > end)
    threading.Thread(target=whole).start()
    return _gap(done.is_set), alone


def _records(frames: list[wlog.Frame]) -> int:
    return sum(frame.kind == wlog.FRAME_RECORD for frame in frames)


def _gap(over: Callable[[], bool]) -> float:
    worst = 0.0
    while not over():
        before = time.perf_counter()
        time.sleep(0.001)
        worst = max(worst, time.perf_counter() - before - 0.001)
    return worst * 1000


class Bench:
    """A game that captains play, and what they waited for."""

    def __init__(self, scenario: str, seed: int) -> None:
        self.field = selfplay.Field.of(TITLE)
        options = {"scenario": scenario, "fog": "strict"}
        begun = time.process_time()
        self.going = selfplay.begin(self.field, seed=seed, players=("captain",), options=options)
        self.begun = (time.process_time() - begun) * 1000
        self.first = Waits("first page of choices for a seat", "< 10 ms p99")
        self.moving = Waits("  the same, in movement segments", "< 10 ms p99")
        self.pick = Waits("one pick at the door", "< 3 ms p99")
        self.listed = Waits("a listed page", "< 25 ms p99")
        self.commands = Waits("a command proposed", "report")
        self.captains = Waits("a captain's own share of a decision", "report")
        self.wakened: list[wlog.Frame] = []
        line(
            "genesis with all scenarios",
            len(self.going.table.records[0].data) / 1000,
            "KB",
            "<= 320",
        )
        compressed = fetched(self.field.rules, self.field.pack, self.going.ledger.genesis.options)
        line("  what a page fetches of it, compressed", compressed / 1000, "KB", "<= 90")

    def command(self) -> None:
        """One more, with everything that is asked before it."""
        going, rules = self.going, self.field.rules
        at = going.ledger.position
        seat, decision, _ = at.open[0]
        inside = 0.0

        def ask(picks: Picks) -> Choices:
            nonlocal inside
            begun = time.process_time()
            found = door.choices(rules, at, seat, picks)
            asked = time.process_time()
            assert isinstance(found, Choices)
            tuple(found.options)
            ended = time.process_time()
            inside += ended - begun
            waited = (asked - begun) * 1000
            if picks:
                self.pick.values.append(waited)
            else:
                self.first.values.append(waited)
                if found.offers("move"):
                    self.moving.values.append(waited)
            self.listed.values.append((ended - begun) * 1000)
            return found

        begun = time.process_time()
        view = going.views.get(seat) or View(seat, TITLE, rules.seats, {}, {})
        picks = run(going.bots[seat], view, ask)
        self.captains.values.append((time.process_time() - begun - inside) * 1000)
        begun = time.process_time()
        batch = going.seating.command(seat, decision, picks)
        self.commands.values.append((time.process_time() - begun) * 1000)
        going.table.take(batch, picks=picks)
        going.commands += 1
        if not self.wakened and len(going.table.records) >= WAKENED:
            self.wakened = self.frames()

    def play(self, commands: int) -> None:
        """So many commands, or all (0)."""
        before = 0
        while not self.going.ended and (not commands or self.going.commands < commands):
            before = len(self.going.table.records)
            self.command()
        if not self.wakened and self.going.ended:
            self.wakened = self.frames(before)  # its last command is then the first at hand
        how = "ended" if self.going.ended else "resigned"
        if not self.wakened:
            self.wakened = self.frames()
        if not self.going.ended:
            self.going.resign(self.going.ledger.position.open[0][0])
        self.going.played()
        records = len(self.going.table.records)
        print(f"{self.going.commands} commands, {records} records, {how}")
        line("new game: genesis, seats, first position", self.begun, "ms", "report")
        for waits in (
            self.first,
            self.moving,
            self.pick,
            self.listed,
            self.commands,
            self.captains,
        ):
            waits.show()

    # --- the log of the game ----------------------------------------------------------------------

    def frames(self, records: int | None = None) -> list[wlog.Frame]:
        """Its log as a store holds it, or its first so many records."""
        found = []
        table = self.going.table
        for record, openings in zip(table.records[:records], table.openings[:records], strict=True):
            found.append(wlog.Frame(wlog.FRAME_RECORD, record.data))
            if openings:
                found.append(wlog.Frame(wlog.FRAME_OPENINGS, pack_openings(openings)))
        return found

    def logs(self) -> None:
        """Fold, load, audit, frames."""
        table, rules = self.going.table, self.field.rules
        datas = [record.data for record in table.records]
        openings = {seq: found for seq, found in enumerate(table.openings) if found}

        def fold() -> None:
            runs.load(rules, datas, openings, trusted=True)

        def bare() -> None:
            for data in datas:
                hashlib.sha256(data).digest()
                msgpack.unpackb(data, use_list=False, raw=False, strict_map_key=True)

        events = table.events
        folded, floor = spent(fold), spent(bare)
        line("verify chain, decode, fold", events / folded * 1000, "events/s", ">= 100,000")
        line("  floor: unpack + SHA-256", events / floor * 1000, "events/s")
        line("  share of the floor", 100 * floor / folded, "%")
        largest = max(
            len(record.data) + len(pack_openings(found))
            for record, found in zip(table.records[1:], table.openings[1:], strict=True)
        )
        line("largest frame but the genesis", largest / 1000, "KB", "< 1,000")
        frames, keys = self.frames(), self.going.ledger.keys
        line(
            f"load {len(datas)} records",
            spent(lambda: live.load(rules, keys, frames)),
            "ms",
            "< 1,500",
        )
        with (
            garbagecollection.steady()
        ):  # the collector as a server has it, which never sweeps during a load
            waited, idle = held_up(lambda: live.load(rules, keys, frames))
        line("  held up other threads at most (clock)", waited, "ms", f"{idle:.0f} ms without it")
        file = self.going.played().as_wlog()
        evidence = examine(file, key=self.going.key.verify_key.encode())

        def again() -> None:
            assert redecide(evidence, installed().rules).whole

        rate = self.going.commands / spent(again) * 1000
        line("audit, level 2", rate, "commands/s", ">= 1,000")
        parts = max(len(bounds_of(evidence.records, at_once(None))), 1)
        began = time.perf_counter()  # of processes of its own
        assert redecide_on(evidence, installed().rules, None).whole
        several = self.going.commands / (time.perf_counter() - began)
        line(
            f"  by {parts} processes, as the command line does",
            several,
            "commands/s",
            "by the clock",
        )
        self.wakening()  # last: it leaves threads, beside which no process is forked

    def wakening(self) -> None:
        """The first command of a game that nobody has in memory."""
        rules, keys = self.field.rules, self.going.ledger.keys
        count = _records(self.wakened)
        name = f"first command of a game of {count} records"
        aim = f"< 200 at {WAKENED:,}"
        if not live.load(rules, keys, self.wakened).position.open:
            print(f"{name}: none, the game has ended")
            return

        def folded() -> None:
            self.first_command(live.load(rules, keys, self.wakened))

        line(name, spent(folded), "ms", aim)
        if count > snapshots.FROM:
            line("  from its snapshot on the disk", trio.run(self.from_disk), "ms", aim)

    async def from_disk(self) -> float:
        """Milliseconds until a stored game with snapshots has taken its first command."""
        rules, keys = self.field.rules, self.going.ledger.keys
        code = snapshots.code_of(title_named(TITLE).digest)
        secrets = wlog.Frame(FRAME_SECRETS, keys.as_payload())
        with tempfile.TemporaryDirectory() as folder:
            data = Path(folder)
            async with open_store(data) as store:
                await store.create(WOKEN, [self.wakened[0], secrets])
                await store.append(WOKEN, 1, self.wakened[1:])
                kept = snapshotloads.Source(store, WOKEN, snapshots.Snapshots(RealDisk(data)), code)
                profile = snapshotloads.profile(kept, lambda _: code, 0)
                game = snapshotloads.load(rules, kept, keys)
                last, books = game.ledger.last, snapshotloads.books_of(game, profile, kept.passed)
                snapshotloads.keep(kept, game.start, kept.due, (last.seq, last.hash, books))
            best = float("inf")
            for _ in range(ROUNDS):
                async with open_store(data) as store:
                    source = snapshotloads.Source(
                        store, WOKEN, snapshots.Snapshots(RealDisk(data)), code
                    )
                    begun = time.process_time()
                    self.first_command(snapshotloads.load(rules, source, keys))
                    best = min(best, time.process_time() - begun)
                    assert not source.due, "it was folded whole"
        return best * 1000

    def first_command(self, game: live.Live) -> None:
        """A game that has been loaded takes the first command that is at hand."""
        rules = self.field.rules
        seat, decision, _ = game.position.open[0]
        picks = random_picks(random.Random(1), rules, game.position, seat)
        seating = copy.copy(self.going.seating)
        seating.ledger = game.ledger
        made = seating.command(seat, decision, picks)
        assert not isinstance(made, Refusal), made

    def memory(self) -> None:
        """What a loaded game and a client need beside the pack."""
        keys, frames, rules = self.going.ledger.keys, self.frames(), shared(self.field.rules)
        live.load(rules, keys, frames)
        gc.collect()
        tracemalloc.start()
        before = tracemalloc.get_traced_memory()[0]
        game = live.load(rules, keys, frames)
        assert game.position.seq == len(self.going.table.records) - 1
        gc.collect()
        used = (tracemalloc.get_traced_memory()[0] - before) / 1e6
        line("memory of an idle game beside its pack", used, "MB", "< 1")
        before = tracemalloc.get_traced_memory()[0]
        boards, table = BoardHistory(), self.going.table
        for record, openings in zip(table.records, table.openings, strict=True):
            boards.fold(record.seq, effects_of(record, entitled(openings, PUBLIC)))
        gc.collect()
        used = (tracemalloc.get_traced_memory()[0] - before) / 1e6
        line("memory of a client's boards", used, "MB", f"{boards.kept} boards kept whole")
        at_most = used / len(table.records) * FOLLOWED
        line(f"  at that rate after {FOLLOWED:,} records", at_most, "MB", "< 200")
        tracemalloc.stop()


def undoable(scenario: str, seed: int) -> None:
    """What a game in memory has grown by at the end of a phase in which nothing is found out."""
    field = selfplay.Field.of(TITLE)
    options = {"scenario": scenario, "fog": "strict"}
    going = selfplay.begin(field, seed=seed, players=("random",), options=options)
    ledger, rng = going.ledger, random.Random(seed)

    def moving() -> bool:
        top = door.choices(field.rules, ledger.position, ledger.position.open[0][0])
        return isinstance(top, Choices) and top.offers("move")

    while not moving():
        going.command(check=False)
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(20 * UNDOABLE):
        if len(ledger.position.undo) >= UNDOABLE or not moving():
            break
        seat, decision, _ = ledger.position.open[0]
        picks = stepped(rng, field.rules, ledger.position, seat)
        batch = going.seating.command(seat, decision, picks)
        if not isinstance(batch, Refusal) and batch.position.undo:  # else it would tell something
            ledger.commit(batch)
    gc.collect()
    used = (tracemalloc.get_traced_memory()[0] - before) / 1e6
    tracemalloc.stop()
    number = len(ledger.position.undo)
    line(f"memory at the end of {number} undoable moves", used, "MB", f"< 25 at {UNDOABLE}")


def stepped(rng: random.Random, rules: Any, at: Position[Any], seat: str) -> Picks:
    """A move of some unit, by one hex where that is on offer, so that there are many."""
    state: Any = at.state
    picks: Picks = ("move",)
    near: set[str] = set()
    while True:
        found = door.choices(rules, at, seat, picks)
        assert isinstance(found, Choices)
        if found.complete or not found.options:
            return picks
        names = [str(option.id) for option in found.options]
        pick = rng.choice([name for name in names if name in near] or names)
        if pick in state.units and state.units[pick].at >= 0:
            board = state.charts.board
            near = {board.name(i) for i in board.map.grid.adjacent[state.units[pick].at]}
        picks = (*picks, pick)


def main() -> None:
    """Print the report."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--scenario", default="campaign")
    parser.add_argument("--commands", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    found = parser.parse_args()
    collect_rarely()
    load()
    standing(found.scenario)
    bench = Bench(found.scenario, found.seed)
    bench.play(found.commands)
    bench.logs()
    bench.memory()
    undoable(found.scenario, found.seed)
    load()


if __name__ == "__main__":
    main()
