"""The server's store when writes fail, tear, or the machine dies: acknowledged means kept, and
nothing is ever half there."""

from __future__ import annotations

import errno
import random
import signal
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress

import pytest
import trio
import trio.testing
from attrs import define, field

from warledger.engine.store.files.disk import Disk
from warledger.engine.store.files.wal import at_once, open_store
from warledger.engine.store.port import Store, StoreError, StoreFailed
from warledger.engine.testing.faulty import Call, Delayed, FaultyDisk, Killed
from warledger.engine.testing.memorydisk import MemoryDisk

from .conftest import a_move, a_record, the_records

SEGMENT = 600


@define
class Story:
    """What a client of the store knows: what it tried, and what was acknowledged."""

    tried: dict[str, list[str]] = field(factory=dict)
    kept: dict[str, int] = field(factory=dict)

    async def create(self, store: Store, game: str) -> None:
        self.tried[game] = ["genesis"]
        await store.create(game, [a_record("genesis")])
        self.kept[game] = 1

    async def move(self, store: Store, game: str) -> None:
        number = self.kept[game]
        text = f"move {number}"
        if len(self.tried[game]) == number:
            self.tried[game].append(text)
        await store.append(game, number, a_move(number, 20))
        self.kept[game] += 1

    def check(self, store: Store, hint: str) -> None:
        """All that was acknowledged is there, in order, whole; what was not acknowledged is there
        whole or not at all."""
        for game, tried in self.tried.items():
            kept = self.kept.get(game, 0)
            if game not in store.games():
                assert kept == 0, f"{hint}: game {game} is gone"
                continue
            frames = store.read(game)
            records = the_records(frames)
            assert kept <= len(records) <= len(tried), (
                f"{hint}: {game} has {records}, {kept} were acknowledged"
            )
            assert records == tried[: len(records)], hint
            assert len(frames) == 1 + 3 * (len(records) - 1), f"{hint}: half an append"


async def the_scene(disk: Disk, story: Story) -> None:
    """Two games in turn, with checkpoints asked for and segments filling; ends early when the store
    fails."""
    async with open_store(disk, segment_bytes=SEGMENT, run=at_once, random_bytes=marks()) as store:
        try:
            await story.create(store, "g")
            await story.create(store, "h")
            for turn in range(8):
                await story.move(store, "g")
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(_quiet, story.move, store, "g")
                    nursery.start_soon(_quiet, story.move, store, "h")
                if turn == 3:
                    await store.checkpoint()
        except StoreFailed:
            assert not store.health().ok
            for game, kept in story.kept.items():
                assert len(the_records(store.read(game))) == kept, (
                    "a failed store shows just what it acknowledged"
                )


async def _quiet(move: Callable[[Store, str], Awaitable[None]], store: Store, game: str) -> None:
    with suppress(StoreFailed):
        await move(store, game)


def marks() -> Callable[[int], bytes]:
    rng = random.Random(5)
    return rng.randbytes


async def the_number_of_calls() -> int:
    disk = FaultyDisk(MemoryDisk())
    await the_scene(disk, Story())
    return len(disk.calls)


async def reopen(disk: Disk, story: Story, hint: str) -> None:
    """Open what a crash left; check it; play on; close; check again."""
    for _ in range(2):
        async with open_store(disk, segment_bytes=SEGMENT, run=at_once) as store:
            story.check(store, hint)
            for game in store.games():
                story.kept[game] = len(the_records(store.read(game)))
                await story.move(store, game)
            story.check(store, hint)


thoroughly = pytest.mark.parametrize(
    "thorough", [False, pytest.param(True, marks=pytest.mark.long)], ids=["quickly", "thoroughly"]
)
"""Every call either way; thoroughly also with every way in which the power may go."""


@thoroughly
async def test_every_call_fails_once(thorough: bool) -> None:
    """Whichever write, sync, rename or removal fails, and however much of it was written: nothing
    acknowledged is lost."""
    for number in range(1, await the_number_of_calls() + 1):
        for torn in (0, 1, 30, 100_000) if thorough else (30 * (number % 2),):
            hint = f"call {number} fails after {torn} bytes"
            memory, story = MemoryDisk(), Story()
            disk = FaultyDisk(memory, fail_at=number, torn=torn)
            try:
                await the_scene(disk, story)
            except StoreError:
                assert not story.kept, f"{hint}: only opening may raise"
            for seed in range(3 if thorough else 1):
                survivor = memory.after_power_loss(random.Random(seed))
                await reopen(
                    survivor,
                    Story(_copy(story.tried), dict(story.kept)),
                    f"{hint}, power lost, seed {seed}",
                )
            await reopen(memory.after_kill(), story, f"{hint}, killed")


@thoroughly
async def test_killed_at_every_call(thorough: bool) -> None:
    """Whichever call the process dies at, and if the power goes with it: a restart finds all that
    was acknowledged."""
    for number in range(1, await the_number_of_calls() + 1):
        for torn in (0, 17) if thorough else (17 * (number % 2),):
            hint = f"killed at call {number} after {torn} bytes"
            memory, story = MemoryDisk(), Story()
            disk = FaultyDisk(memory, fail_at=number, torn=torn, error=Killed, forever=True)
            with pytest.raises(BaseException) as caught:
                await the_scene(disk, story)
            assert _is_killed(caught.value), repr(caught.value)
            for seed in range(6 if thorough else 2):
                survivor = memory.after_power_loss(random.Random(seed))
                await reopen(
                    survivor,
                    Story(_copy(story.tried), dict(story.kept)),
                    f"{hint}, power lost, seed {seed}",
                )
            await reopen(memory.after_kill(), story, hint)


@thoroughly
async def test_killed_again_while_recovering(thorough: bool) -> None:
    """Killed at any call, restarted, killed again at any call of the restart, power lost then: the
    third start has everything.

    What a reader saw in the second run counts as acknowledged: it is never taken back.
    """
    chance_seed = 11
    rng = random.Random(chance_seed)
    for first in range(8, await the_number_of_calls() + 1):
        memory, story = MemoryDisk(), Story()
        with pytest.raises(BaseException) as caught:
            await the_scene(
                FaultyDisk(memory, fail_at=first, torn=17, error=Killed, forever=True), story
            )
        assert _is_killed(caught.value), repr(caught.value)
        for second in range(1, 14) if thorough else range(1 + first % 4, 14, 4):
            hint = f"killed at call {first}, then at call {second}; seed {chance_seed}"
            disk = memory.after_kill()
            seen: dict[str, int] = {}
            try:
                faulty = FaultyDisk(disk, fail_at=second, error=Killed, forever=True)
                async with open_store(faulty, segment_bytes=SEGMENT, run=at_once) as store:
                    seen = {game: len(store.read(game)) for game in store.games()}
            except BaseException as error:
                assert _is_killed(error), repr(error)
            for survivor in (
                disk.after_power_loss(rng),
                disk.after_power_loss(rng),
                disk.after_kill(),
            ):
                async with open_store(survivor, segment_bytes=SEGMENT, run=at_once) as store:
                    story.check(store, hint)
                    for game, count in seen.items():
                        assert len(store.read(game)) >= count, hint


async def test_a_failed_sync_stops_submits_and_reads_go_on() -> None:
    """After a failed sync: that append is of unknown outcome, later ones are not saved, reads see
    what was acknowledged."""
    memory = MemoryDisk()
    disk = FaultyDisk(memory)
    async with open_store(disk, run=at_once) as store:
        await store.create("g", [a_record("genesis")])
        disk.fail_at = len(disk.calls) + 2  # the write is well, the sync fails
        with pytest.raises(StoreFailed, match="not known to be saved") as caught:
            await store.append("g", 1, a_move(1))
        assert caught.value.outcome == "unknown"
        with pytest.raises(StoreFailed, match="not saved") as caught:
            await store.append("g", 1, a_move(1))
        assert caught.value.outcome == "not saved"
        with pytest.raises(StoreFailed):
            await store.create("h", [a_record("genesis")])
        with pytest.raises(StoreFailed):
            await store.checkpoint()
        assert the_records(store.read("g")) == ["genesis"]
        assert not store.health().ok
        assert "Input/output error" in store.health().reason
        count = len(disk.calls)
    assert len(disk.calls) == count, "a failed store writes nothing more, not even when it closes"
    async with open_store(memory, run=at_once) as store:
        assert the_records(store.read("g")) == ["genesis", "move 1"]


async def test_appends_queued_behind_a_failure_are_not_saved() -> None:
    """Those in the failing batch are told unknown, those still queued behind it are told not
    saved."""
    gate, reached = threading.Event(), threading.Event()

    def wait_here(call: Call) -> None:
        if armed and call.what == "datasync":
            reached.set()
            gate.wait(10)

    armed = False
    disk = FaultyDisk(MemoryDisk(), on_call=wait_here)
    outcomes: dict[str, str] = {}
    async with open_store(disk) as store:
        for game in ("a", "b", "c"):
            await store.create(game, [a_record("genesis")])

        async def append(game: str) -> None:
            try:
                await store.append(game, 1, a_move(1))
            except StoreFailed as error:
                outcomes[game] = error.outcome

        armed = True
        disk.fail_at = len(disk.calls) + 2
        async with trio.open_nursery() as nursery:
            nursery.start_soon(append, "a")
            await trio.to_thread.run_sync(reached.wait, 10)
            nursery.start_soon(append, "b")
            nursery.start_soon(append, "c")
            await trio.testing.wait_all_tasks_blocked()
            assert store.health().waiting == 3
            assert the_records(store.read("a")) == ["genesis"], (
                "nothing is told before it is durable"
            )
            gate.set()
        assert outcomes == {"a": "unknown", "b": "not saved", "c": "not saved"}


async def test_a_cancelled_append_waits_for_its_outcome() -> None:
    """Cancelling an append whose batch is being synced does not abandon it: it returns saved."""
    gate, reached = threading.Event(), threading.Event()

    def wait_here(call: Call) -> None:
        if armed and call.what == "datasync":
            reached.set()
            gate.wait(10)

    armed = False
    disk = FaultyDisk(MemoryDisk(), on_call=wait_here)
    saved = False
    async with open_store(disk) as store:
        await store.create("g", [a_record("genesis")])
        armed = True

        async def append() -> None:
            nonlocal saved
            await store.append("g", 1, a_move(1))
            saved = True

        async with trio.open_nursery() as nursery:
            nursery.start_soon(append)
            await trio.to_thread.run_sync(reached.wait, 10)
            nursery.cancel_scope.cancel()
            gate.set()
        assert saved
        assert the_records(store.read("g")) == ["genesis", "move 1"]


@pytest.mark.parametrize("fails", [None, "write", "datasync"])
async def test_a_quick_disk_is_written_in_place_by_the_same_rules(
    fails: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those who append together share one sync, and if it fails the outcome is unknown for all of
    them, and nothing is taken any more."""
    monkeypatch.setattr("warledger.engine.store.files.disk.TRIALS", 0)
    outcomes: dict[str, str] = {}
    disk = FaultyDisk(MemoryDisk())
    async with open_store(disk) as store:
        for game in ("a", "b", "c"):
            await store.create(game, [a_record("genesis")])

        async def append(game: str) -> None:
            try:
                await store.append(game, 1, a_move(1))
                outcomes[game] = "saved"
            except StoreFailed as error:
                outcomes[game] = error.outcome

        before = store.health()
        if fails is not None:
            disk.fail_at = len(disk.calls) + (1 if fails == "write" else 2)
        async with trio.open_nursery() as nursery:
            for game in ("a", "b", "c"):
                nursery.start_soon(append, game)
        assert outcomes == dict.fromkeys("abc", "saved" if fails is None else "unknown")
        if fails is None:
            after = store.health()
            assert (after.appends - before.appends, after.syncs - before.syncs) == (3, 1)
        else:
            assert disk.calls[-1].what == fails
            await append("b")
            assert outcomes["b"] == "not saved"
            assert the_records(store.read("a")) == ["genesis"]
    if fails is None:
        async with open_store(disk) as store:
            assert the_records(store.read("c")) == ["genesis", "move 1"]


async def test_what_arrives_during_a_sync_shares_the_next() -> None:
    """Group commit: fifty appends that come while one sync runs cost one more sync."""
    gate, reached = threading.Event(), threading.Event()

    def wait_here(call: Call) -> None:
        if armed and call.what == "datasync":
            reached.set()
            gate.wait(10)

    armed = False
    disk = FaultyDisk(MemoryDisk(), on_call=wait_here)
    async with open_store(disk) as store:
        for index in range(51):
            await store.create(f"g{index}", [a_record("genesis")])
        armed = True
        before = store.health().syncs
        async with trio.open_nursery() as nursery:
            nursery.start_soon(store.append, "g0", 1, a_move(1))
            await trio.to_thread.run_sync(reached.wait, 10)
            for index in range(1, 51):
                nursery.start_soon(store.append, f"g{index}", 1, a_move(1))
            await trio.testing.wait_all_tasks_blocked()
            gate.set()
        assert store.health().syncs == before + 2


async def test_a_full_disk_leaves_reads_working_also_after_a_restart() -> None:
    """On a full disk submits say not saved and reads go on; a server started on it serves its games
    for reading."""
    memory = MemoryDisk()
    disk = FaultyDisk(memory, error=errno.ENOSPC, forever=True)
    async with open_store(disk, run=at_once, segment_bytes=SEGMENT) as store:
        await store.create("g", [a_record("genesis")])
        for number in range(1, 5):
            await store.append("g", number, a_move(number))
        disk.fail_at = len(disk.calls) + 1
        with pytest.raises(StoreFailed, match="No space left"):
            await store.append("g", 5, a_move(5))
        assert len(the_records(store.read("g"))) == 5
    again = FaultyDisk(memory, fail_at=1, error=errno.ENOSPC, forever=True)
    async with open_store(again, run=at_once, segment_bytes=SEGMENT) as store:
        assert len(the_records(store.read("g"))) == 5
        assert not store.health().ok
        with pytest.raises(StoreFailed, match=r"not saved.*No space left"):
            await store.append("g", 5, a_move(5))
    async with open_store(memory, run=at_once, segment_bytes=SEGMENT) as store:
        await store.append("g", 5, a_move(5))
        assert len(the_records(store.read("g"))) == 6


async def test_a_failing_checkpoint_loses_nothing() -> None:
    """If a game's file cannot be synced, submits stop, the log before it stays, and reads do not
    need the file."""
    memory = MemoryDisk()
    disk = FaultyDisk(memory)
    async with open_store(disk, run=at_once) as store:
        await store.create("g", [a_record("genesis")])
        await store.append("g", 1, a_move(1))

        def fail_games(call: Call) -> None:
            if call.path == "games/g.wlog" and call.what == "datasync":
                disk.fail_at = len(disk.calls)

        disk.on_call = fail_games
        with pytest.raises(StoreFailed):
            await store.checkpoint()
        disk.unreadable.add("games/g.wlog")
        assert the_records(store.read("g")) == ["genesis", "move 1"]
    seed = 3
    async with open_store(memory.after_power_loss(random.Random(seed)), run=at_once) as store:
        assert the_records(store.read("g")) == ["genesis", "move 1"], f"seed {seed}"


async def test_an_error_inside_the_block_comes_out_as_it_is() -> None:
    """The store's own tasks do not wrap the caller's exception, and what was appended is kept."""
    memory = MemoryDisk()
    with pytest.raises(ZeroDivisionError):
        async with open_store(memory, run=at_once) as store:
            await store.create("g", [a_record("genesis")])
            raise ZeroDivisionError
    async with open_store(memory, run=at_once) as store:
        assert store.games() == ["g"]


async def test_cancelling_the_server_finishes_what_was_appended() -> None:
    """A cancelled block still checkpoints and lets the directory go."""
    memory = MemoryDisk()
    with trio.CancelScope() as scope:
        async with open_store(memory, run=at_once) as store:
            await store.create("g", [a_record("genesis")])
            scope.cancel()
            await trio.sleep_forever()
    assert memory.size("games/g.wlog") > 0
    async with open_store(memory, run=at_once) as store:
        assert the_records(store.read("g")) == ["genesis"]


def test_ctrl_c_while_a_batch_is_told_stops_nobody_but_the_main_task(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Ctrl-C that comes as an append is being told its outcome reaches the program's main task, and
    neither the store's writer nor whoever waits for it."""
    memory, told, reasons = MemoryDisk(), trio.lowlevel.reschedule, []

    def interrupted(task: trio.lowlevel.Task) -> None:
        monkeypatch.undo()
        try:
            signal.raise_signal(signal.SIGINT)
        finally:
            told(task)

    async def main() -> None:
        async with open_store(memory, run=at_once) as store:
            monkeypatch.setattr(trio.lowlevel, "reschedule", interrupted)
            try:
                await store.create("g", [a_record("genesis")])
                await trio.sleep_forever()
            finally:
                reasons.append(store.health().reason)

    with pytest.raises(KeyboardInterrupt):
        trio.run(main)
    assert reasons == [""]


async def test_files_catch_up_by_themselves(autojump_clock: trio.testing.MockClock) -> None:
    """Within a minute, or once a segment is full, games' files hold what was appended, without
    anyone asking."""
    memory = MemoryDisk()
    async with open_store(
        memory, run=Delayed(lambda: 0.002), checkpoint_seconds=60, segment_bytes=100_000
    ) as store:
        await store.create("g", [a_record("genesis")])
        await trio.sleep(59)
        assert not memory.exists("games/g.wlog")
        await trio.sleep(2)
        size = memory.size("games/g.wlog")
        for number in range(1, 200):
            await store.append("g", number, a_move(number, 1000))
        await trio.sleep(1)
        assert memory.size("games/g.wlog") > size + 100_000
        assert len(memory.list("wal")) == 1, "the log before a checkpoint is let go"
        assert store.health().checkpoints >= 2


def _copy(tried: dict[str, list[str]]) -> dict[str, list[str]]:
    return {game: list(texts) for game, texts in tried.items()}


def _is_killed(error: BaseException) -> bool:
    if isinstance(error, BaseExceptionGroup):
        return all(_is_killed(inner) for inner in error.exceptions)
    return isinstance(error, Killed)
