"""Snapshots beside the log: they save work, and change nothing whatever becomes of them."""

from __future__ import annotations

import os
import random
import zlib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from trio.testing import MockClock, wait_all_tasks_blocked

from tests.serve.rig import Server, server, started
from tests.toys import PACKS, TOYS
from warledger.engine.kernel import replay
from warledger.engine.kernel.position import Position
from warledger.engine.runtime import profile as profiles
from warledger.engine.runtime.game import live as live_games
from warledger.engine.runtime.game.live import Live
from warledger.engine.runtime.snapshots import snapshotloads, snapshots
from warledger.engine.runtime.snapshots.plaindata import NoSnapshot
from warledger.engine.runtime.snapshots.snapshotloads import Source
from warledger.engine.runtime.snapshots.snapshots import Point, Snapshots, code_of
from warledger.engine.store.files.backup import backup
from warledger.engine.store.files.check import check
from warledger.engine.store.files.disk import RealDisk
from warledger.engine.store.files.wal import open_store
from warledger.engine.store.port import FRAME_META, FRAME_RECORD, Frame
from warledger.engine.testing.memory import MemoryStore
from warledger.engine.testing.memorydisk import MemoryDisk
from warledger.engine.testing.randomgames import Played, begin, play_on
from warledger.protocol import canon
from warledger.protocol.audience import PUBLIC
from warledger.protocol.wire import messages as m

CODE = code_of(bytes(32))


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred records are a long game here."""
    monkeypatch.setattr(snapshots, "FROM", 12)
    monkeypatch.setattr(snapshots, "EVERY", 8)
    monkeypatch.setattr(snapshots, "BOARDS_EVERY", 8)


@cache
def long_game(id: str) -> Played:
    """A random game of 120 records in progress, with takebacks that go back far and not so far."""
    played = begin(TOYS["counting"], PACKS["counting"], seed=7, game=id, options={"turns": 4000})
    rng = random.Random(id)
    for _ in range(4):
        play_on(played, rng, commands=22, requests=0.2)
        seat = played.position.open[0][0]
        asked = [at for at in played.positions.values() if at.opened(seat) is not None]
        old = list(dict.fromkeys(at.moved_on for at in asked))
        played.commit(played.take_back(seat, old[3]))
        other = next(name for name in played.ledger.rules.seats if name != seat)
        if played.position.ask is not None:
            played.commit(played.answer(other, True))
    return play_on(played, rng, commands=3)


class CountingStore(MemoryStore):
    """Counts the frames that are read from it."""

    frames_read = 0

    def read(
        self, game: str, after_records: int = 0, records_max: int | None = None
    ) -> list[Frame]:
        found = super().read(game, after_records, records_max)
        self.frames_read += len(found)
        return found


async def stored(played: Played) -> CountingStore:
    """A store with a game, and with bookkeeping in the middle and behind its last record."""
    store, game = CountingStore(), played.ledger.game
    frames = played.frames()
    half = len(frames) // 2
    await store.create(game, frames[:2])
    await store.append(game, 1, frames[2:half])
    noted = Frame(FRAME_META, canon.pack(("spent", "a", bytes(32), 3)))
    count = sum(frame.kind == FRAME_RECORD for frame in frames[:half])
    await store.append(game, count, [noted])
    await store.append(game, count, [*frames[half:], noted, noted])
    return store


def visit(played: Played, store: MemoryStore, disk: Any, code: bytes = CODE) -> Live:
    """Load the game, and keep what is due to be kept, as a server does."""
    source = Source(store, played.ledger.game, Snapshots(disk), code)
    profile = snapshotloads.profile(source, lambda _: code, 0)
    live = snapshotloads.load(played.ledger.rules, source, profile.keys)
    last = live.ledger.last
    if source.due:
        books = snapshotloads.books_of(live, profile, source.passed)
        snapshotloads.keep(source, live.start, source.due, (last.seq, last.hash, books))
    return live


def same_as_folded(played: Played, store: MemoryStore, disk: Any, code: bytes = CODE) -> None:
    """Everything that snapshots are for comes out as without any."""
    game, rules, end = played.ledger.game, played.ledger.rules, len(played.records) - 1
    source = Source(store, game, Snapshots(disk), code)
    profile = snapshotloads.profile(source, lambda _: code, 0)
    frames = store.read(game)
    plain = profiles.read(frames, 0)
    for name in (*snapshotloads._OF_PROFILE, "game", "genesis", "keys", "desk", "recent"):
        assert getattr(profile, name) == getattr(plain, name), name
    assert (profile.changes.kept, profile.changes.count) == (
        plain.changes.kept,
        plain.changes.count,
    )
    one, other = visit(played, store, disk, code), live_games.load(rules, plain.keys, frames)
    assert one.position == other.position == played.position
    assert one.ledger.past == other.ledger.past
    assert one.ledger.last == other.ledger.last
    assert one.ledger._recent == other.ledger._recent
    assert one.commands == other.commands
    assert {key: (kept.numbers, kept.records) for key, kept in one.signed.items()} == {
        key: (kept.numbers, kept.records) for key, kept in other.signed.items()
    }
    for seq in (*range(0, end, 7), end):
        assert snapshotloads.position_after(rules, source, seq) == folded(game)[seq]
        whole = snapshotloads.view(Source(store, game), PUBLIC, seq)
        assert snapshotloads.view(source, PUBLIC, seq) == whole
    assert snapshotloads.position_after(rules, source, end + 1) is None


@cache
def folded(game: str) -> dict[int, Position[Any]]:
    """The position after each record."""
    played = long_game(game)
    openings = dict(enumerate(played.openings))
    every = range(len(played.records))
    return replay.fold(played.ledger.rules, played.records, openings, keep=every).kept


async def test_the_ids_of_a_games_commands_hold_each_seats_name_once() -> None:
    """However a game came into memory, its remembered commands share one text for each seat."""
    played = begin(TOYS["fog"], PACKS["fog"], seed=7, game="names")
    play_on(played, random.Random(7), commands=24)
    store, disk = await stored(played), MemoryDisk()
    for _ in range(2):  # folded whole, then from a snapshot
        live = visit(played, store, disk)
        names = [seat for seat, _ in live.commands]
        assert len(names) > len(set(names)) > 1
        assert len({id(name) for name in names}) == len(set(names))


async def test_what_comes_from_snapshots_is_what_folding_gives() -> None:
    """State, books, positions and boards of a game with takebacks are equal to the bit, at the
    first visit, which keeps them, and at the second, which reads but a few of the frames."""
    played = long_game("first")
    store, disk = await stored(played), MemoryDisk()
    same_as_folded(played, store, disk)
    same_as_folded(played, store, disk)
    source = Source(store, "first", Snapshots(disk), CODE)
    assert source.genesis.seq == 0
    store.frames_read = 0
    snapshotloads.position_after(played.ledger.rules, source, 75)
    snapshotloads.view(source, PUBLIC, 60)
    assert 0 < store.frames_read < 60


def damages(disk: MemoryDisk) -> Iterator[tuple[str, MemoryDisk]]:
    """The same disk with one byte changed, or a file cut off, at places all over its files."""
    for path in [f"cache/{name}" for name in disk.list("cache")]:
        data = disk.read(path)
        for at in range(0, len(data), max(1, len(data) // 16)):
            for made in (data[:at] + bytes([data[at] ^ 0x41]) + data[at + 1 :], data[:at]):
                other = disk.after_kill()
                other.remove(path)
                other.open(path).write(0, made)
                yield f"{path} at {at}", other


async def test_a_damaged_snapshot_is_passed_over() -> None:
    """One byte changed anywhere, and a file that ends anywhere, as after a kill in the middle of
    writing: nothing comes out differently, and what is added then is sound."""
    played = long_game("first")
    store, disk = await stored(played), MemoryDisk()
    same_as_folded(played, store, disk)
    rules = played.ledger.rules
    tried = 0
    for where, damaged in damages(disk):
        source = Source(store, "first", Snapshots(damaged), CODE)
        visited = visit(played, store, damaged)
        assert visited.position == played.position, where
        for seq in (45, 90):
            assert snapshotloads.position_after(rules, source, seq) == folded("first")[seq], where
            whole = snapshotloads.view(Source(store, "first"), PUBLIC, seq)
            assert snapshotloads.view(source, PUBLIC, seq) == whole, where
        tried += 1
    assert tried > 30
    same_as_folded(played, store, damaged)


def _zeros(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 40)


def _trailed(path: Path) -> None:
    """Sound entries before a hole of a terabyte."""
    with path.open("ab") as file:
        file.truncate(1 << 40)


@pytest.mark.parametrize("what", [os.mkfifo, os.mkdir, _zeros, _huge, _trailed])
async def test_what_is_no_file_of_ours_in_the_cache_holds_nothing_up(
    tmp_path: Path, what: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A FIFO, a folder, a device or a file of a terabyte where a snapshot should be is neither
    waited for nor read whole, and nothing comes out differently."""
    monkeypatch.setattr(snapshots, "FILE_MAX", 4 << 20)
    played, disk = long_game("first"), RealDisk(tmp_path)
    store = await stored(played)
    visit(played, store, disk)
    for path in tuple((tmp_path / "cache").iterdir()):
        if what is not _trailed:
            path.unlink()
        what(path)
    same_as_folded(played, store, disk)
    same_as_folded(played, store, disk)
    if what in (_huge, _trailed):
        assert disk.size("cache/first.points") < 4 << 20


async def test_the_cache_of_a_game_does_not_grow_without_bound(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A file that is full takes no further entries, and an entry that would be larger than any of
    ours when it is unpacked is passed over before it takes that room."""
    played = long_game("first")
    store, disk = await stored(played), MemoryDisk()
    monkeypatch.setattr(snapshots, "FILE_MAX", 2_000)
    visit(played, store, disk)
    same_as_folded(played, store, disk)
    assert not disk.exists("cache/first.points") or disk.size("cache/first.points") <= 2_000
    bomb = Point(1, bytes(32), zlib.compress(bytes(1 << 20)))
    monkeypatch.setattr(snapshots, "VALUE_MAX", 1 << 16)
    with pytest.raises(NoSnapshot, match="too large"):
        bomb.value(None)


async def test_another_games_snapshots_are_passed_over() -> None:
    """Files of another game of the same title under this one's name change nothing, and neither do
    those of longer history that a backup has not brought back."""
    one, other = long_game("first"), long_game("second")
    store, foreign = await stored(one), MemoryDisk()
    same_as_folded(other, await stored(other), foreign)
    disk = MemoryDisk()
    disk.make_folder("cache")
    for name in foreign.list("cache"):
        disk.open("cache/" + name.replace("second", "first")).write(
            0, foreign.read(f"cache/{name}")
        )
    same_as_folded(one, store, disk)
    longer = MemoryDisk()
    same_as_folded(one, await stored(one), longer)
    cut = Played(one.ledger, one.key, one.records[:70], one.openings[:70])
    shorter = await stored(cut)
    source = Source(shorter, "first", Snapshots(longer), CODE)
    live = snapshotloads.load(one.ledger.rules, source, one.ledger.keys)
    assert live.position == folded("first")[69]
    assert snapshotloads.profile(source, lambda _: CODE, 0).progress.seq == 69


async def test_other_code_passes_over_and_begins_anew() -> None:
    """A snapshot that other code wrote is not read. This is shown with one that is a lie: its own
    code believes it, other code does not, and then writes its own."""
    played = long_game("first")
    store, disk = await stored(played), MemoryDisk()
    beside = Snapshots(disk)
    source = Source(store, "first", beside, CODE)
    lie = folded("first")[20]
    lie = replay.replace(lie, seq=40, counter=99)
    start = replay.start(played.ledger.rules, played.ledger.genesis)
    snapshotloads.keep(source, start, [(40, played.records[40].hash, lie)], None)
    believed = snapshotloads.position_after(played.ledger.rules, source, 40)
    assert believed == lie
    same_as_folded(played, store, disk, code_of(b"\1" * 32))
    assert not list(beside.before(source.of, "first", snapshots.POSITION, 10**6))


async def test_no_disk_and_no_folder_cost_nothing_but_time() -> None:
    """A disk on which nothing can be written, and a folder deleted between two visits."""
    played = long_game("first")
    store = await stored(played)

    class Full(MemoryDisk):
        def open(self, path: str) -> Any:
            raise OSError(28, "no space left")

    same_as_folded(played, store, Full())
    disk = MemoryDisk()
    same_as_folded(played, store, disk)
    for name in disk.list("cache"):
        disk.remove(f"cache/{name}")
    same_as_folded(played, store, disk)


async def moved(s: Server, client: Any, game: str, count: int) -> None:
    """Play `count` commands, with a takeback now and then."""
    for n in range(count):
        seat = "ab"[n % 2]
        await client.submit(game, seat, "add", 1)
    await wait_all_tasks_blocked()


async def test_a_game_goes_on_from_its_snapshot_after_a_restart(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server keeps snapshots while a game is played; the next one continues from them,
    folds no game from its genesis, and what it writes is what it would have written."""
    store, disk = CountingStore(), MemoryDisk()
    async with server(store, snapshots=Snapshots(disk)) as s:
        game, given, client = await started(s, turns=4000)
        await moved(s, client, game, 30)

    def whole_again(*_: Any) -> Any:
        raise AssertionError("the game is read whole")

    load, read = live_games.load, profiles.read
    async with server(store, snapshots=Snapshots(disk), seed=2) as s:
        monkeypatch.setattr(live_games, "load", whole_again)
        monkeypatch.setattr(profiles, "read", whole_again)
        client = await s.client(given["a"], "Anna")
        assert type(await client.ask(m.Login, given["b"], "Bert")) is m.LoggedIn
        offered = await client.ask(m.Choices, game, "a", ())
        assert type(offered) is m.ChoicesAre, offered
        monkeypatch.setattr(live_games, "load", load)
        monkeypatch.setattr(profiles, "read", read)
        await moved(s, client, game, 12)
    frames = store.read(game)
    whole = profiles.read(frames, 0)
    position = live_games.load(TOYS["counting"], whole.keys, frames).position
    assert position.seq == whole.progress.seq


async def test_backup_and_check_leave_the_folder_alone(tmp_path: Path) -> None:
    """Snapshots are not copied into a backup, and are no finding of `check`; files are for the
    owner alone, since hidden things are in them."""
    played, data = long_game("first"), tmp_path / "data"
    async with open_store(data) as store:
        frames = played.frames()
        await store.create("first", frames)
    async with open_store(data) as store:
        source = Source(store, "first", Snapshots(RealDisk(data)), CODE)
        live = snapshotloads.load(played.ledger.rules, source, played.ledger.keys)
        snapshotloads.keep(source, live.start, source.due, None)
        same_as_folded(played, store, RealDisk(data))  # type: ignore[arg-type]
    kept = list((data / "cache").iterdir())
    assert kept and all(path.stat().st_mode & 0o777 == 0o600 for path in kept)
    backup(data, tmp_path / "copy")
    assert not (tmp_path / "copy" / "cache").exists()
    assert not check(data)
