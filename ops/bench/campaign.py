"""The figures of a large game of the Operational Combat Series, in process: what choices and picks
cost at every question of its first commands, how fast a log is folded, audited and loaded, and what
memory and frames it needs.

    python -m ops.bench.campaign [--scenario campaign] [--commands 600] [--seed 1]

Captains play, under fog. `--commands 0` plays to the end. All times are this process's share of a
processor. `fold` stands beside a floor of the same run: the same bytes hashed and unpacked.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import time
import tracemalloc
from collections.abc import Callable

import msgpack

from warledger.clients.audit.audit import installed
from warledger.clients.audit.examine import examine
from warledger.clients.audit.redecide import redecide
from warledger.clients.bots import selfplay
from warledger.clients.bots.player import View, run
from warledger.clients.cli import collect_rarely
from warledger.engine.kernel import door, replay
from warledger.engine.runtime import live
from warledger.engine.runtime.sharing import shared
from warledger.protocol import chain, wlog
from warledger.protocol.audience import PUBLIC, entitled
from warledger.protocol.bodies import effects_of
from warledger.protocol.choices import Choices, Picks
from warledger.protocol.effects import BoardHistory
from warledger.protocol.seal import pack_openings

TITLE = "hungarian_rhapsody"
ROUNDS = 3


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

    def command(self) -> None:
        """One more, with everything that is asked before it."""
        going, rules = self.going, self.field.rules
        at = going.ledger.position
        seat, decision = at.open[0]
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

    def play(self, commands: int) -> None:
        """So many commands, or all (0)."""
        while not self.going.ended and (not commands or self.going.commands < commands):
            self.command()
        if self.going.ended:
            self.going.played()
        print(
            f"{self.going.commands} commands, {len(self.going.table.records)} records, "
            f"{'ended' if self.going.ended else 'in progress'}"
        )
        line("new game: pack, genesis, first position", self.begun, "ms", "cold < 600")
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

    def frames(self) -> list[wlog.Frame]:
        """Its log as a store holds it."""
        found = []
        table = self.going.table
        for record, openings in zip(table.records, table.openings, strict=True):
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
            replay.fold(rules, list(chain.follow(datas, trusted=True)), openings)

        def bare() -> None:
            for data in datas:
                hashlib.sha256(data).digest()
                msgpack.unpackb(data, use_list=False, raw=False, strict_map_key=True)

        events = table.events
        folded, floor = spent(fold), spent(bare)
        line("verify chain, decode, fold", events / folded * 1000, "events/s", ">= 100,000")
        line("  floor: unpack + SHA-256", events / floor * 1000, "events/s")
        line("  share of the floor", floor / folded, "")
        largest = max(
            len(record.data) + len(pack_openings(found))
            for record, found in zip(table.records[1:], table.openings[1:], strict=True)
        )
        line("largest frame but the genesis", largest / 1000, "KB", "< 1,000")
        frames, keys = self.frames(), self.going.ledger.keys
        line(f"load {len(datas)} records", spent(lambda: live.load(rules, keys, frames)), "ms", "")
        if self.going.ended:
            file = self.going.played().as_wlog()
            evidence = examine(file, key=self.going.key.verify_key.encode())

            def again() -> None:
                assert redecide(evidence, installed().rules).whole

            rate = self.going.commands / spent(again) * 1000
            line("audit, level 2", rate, "commands/s", ">= 1,000")
            return

        def loaded() -> None:
            game = live.load(rules, keys, frames)
            for seat, _ in game.position.open:
                door.choices(rules, game.position, seat)

        line("  and its first page of choices", spent(loaded), "ms", "< 200 at 3,000 records")

    def memory(self) -> None:
        """What a loaded game and a client need beside the pack."""
        keys, frames, rules = self.going.ledger.keys, self.frames(), shared(self.field.rules)
        live.load(rules, keys, frames)
        gc.collect()
        tracemalloc.start()
        before = tracemalloc.get_traced_memory()[0]
        game = live.load(rules, keys, frames)
        gc.collect()
        used = (tracemalloc.get_traced_memory()[0] - before) / 1e6
        undoable = len(game.position.undo)
        line("memory of a loaded game", used, "MB", f"idle < 1, {undoable} undoable commands")
        before = tracemalloc.get_traced_memory()[0]
        boards, table = BoardHistory(), self.going.table
        for record, openings in zip(table.records, table.openings, strict=True):
            boards.fold(record.seq, effects_of(record, entitled(openings, PUBLIC)))
        gc.collect()
        used = (tracemalloc.get_traced_memory()[0] - before) / 1e6
        line("memory of a client's boards", used, "MB", f"{boards.kept} boards kept whole")
        line("  a record", used * 1000 / len(table.records), "KB", "< 8 (200 MB at 25,000)")
        tracemalloc.stop()


def main() -> None:
    """Print the report."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--scenario", default="campaign")
    parser.add_argument("--commands", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    found = parser.parse_args()
    collect_rarely()
    bench = Bench(found.scenario, found.seed)
    bench.play(found.commands)
    bench.logs()
    bench.memory()


if __name__ == "__main__":
    main()
