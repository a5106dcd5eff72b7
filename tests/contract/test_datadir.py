"""Data directories: foreign, newer, locked, damaged, backed up, checked; and many games at once."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import trio

from warledger.engine.store.files import gamefile, recordindex
from warledger.engine.store.files.backup import backup
from warledger.engine.store.files.check import Finding, check
from warledger.engine.store.files.datadir import (
    all_games,
    check_marker,
    open_readonly,
    refuse_shards,
)
from warledger.engine.store.files.disk import RealDisk
from warledger.engine.store.files.wal import at_once, open_store
from warledger.engine.store.port import (
    Damaged,
    DataDirDamaged,
    DataDirError,
    DataDirForeign,
    DataDirLocked,
    DataDirNewer,
    Frame,
    StoreFailed,
    UnknownGame,
)
from warledger.engine.testing.faulty import FaultyDisk, Killed
from warledger.engine.testing.memorydisk import MemoryDisk
from warledger.protocol.log.wlog import MAGIC, encode, parse, walk

from .conftest import a_move, a_record, the_records


async def fill(data: Path, games: int = 3, moves: int = 5) -> None:
    """A directory with some games, closed in order: everything is in the games' files."""
    async with open_store(data, segment_bytes=4096) as store:
        for index in range(games):
            await store.create(f"g{index}", [a_record("genesis")])
            for number in range(1, moves + 1):
                await store.append(f"g{index}", number, a_move(number))


async def interrupted(moves: int = 5) -> MemoryDisk:
    """A disk whose server was killed: everything is in the log alone, several batches of it."""
    memory = MemoryDisk()
    async with open_store(memory, run=at_once, segment_bytes=4096) as store:
        await store.create("g", [a_record("genesis")])
        for number in range(1, moves + 1):
            await store.append("g", number, a_move(number))
        return memory.after_kill()
    raise AssertionError


def tree(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


async def test_a_foreign_directory_is_left_alone(tmp_path: Path) -> None:
    """A directory holding something else is refused by name of a file in it, and nothing is added
    to it."""
    (tmp_path / "holiday.jpg").write_bytes(b"x")
    with pytest.raises(DataDirForeign, match=r"holiday\.jpg.*empty or a new directory"):
        async with open_store(tmp_path):
            pass
    assert tree(tmp_path) == {"holiday.jpg": b"x"}
    with pytest.raises(DataDirForeign, match="is a file"):
        async with open_store(tmp_path / "holiday.jpg"):
            pass


async def test_games_of_several_processes_are_refused_until_they_are_moved(tmp_path: Path) -> None:
    """The sentence says what to do; once it is done all games are there. A folder without games of
    an earlier release's is no matter."""
    await fill(tmp_path, games=1)
    (tmp_path / "shards" / "note").mkdir(parents=True)
    refuse_shards(tmp_path)
    other = tmp_path / "shards" / "1"
    async with open_store(other) as store:
        await store.create("other", [a_record("genesis")])
    with pytest.raises(DataDirError, match=r"move the files of \S*shards/\*/games to \S*games"):
        refuse_shards(tmp_path)
    for file in (other / "games").iterdir():
        file.rename(tmp_path / "games" / file.name)
    shutil.rmtree(tmp_path / "shards")
    refuse_shards(tmp_path)
    async with open_store(tmp_path) as store:
        assert store.games() == ["g0", "other"]
    assert all_games(tmp_path) == ["g0", "other"]


async def test_a_newer_directory_is_left_alone(tmp_path: Path) -> None:
    """A directory of a later release is refused with both formats named; a senseless marker is
    foreign."""
    await fill(tmp_path / "data")
    marker = tmp_path / "data" / "warledger.data"
    assert marker.read_bytes() == b"warledger data 1\n"
    marker.write_bytes(b"warledger data 2\n")
    before = tree(tmp_path)
    with pytest.raises(DataDirNewer, match=r"later release \(data format 2.*up to 1"):
        async with open_store(tmp_path / "data"):
            pass
    assert tree(tmp_path) == before
    marker.write_bytes(b"something else")
    with pytest.raises(DataDirForeign):
        async with open_store(tmp_path / "data"):
            pass


async def test_a_second_server_is_refused(tmp_path: Path) -> None:
    """While one store is open a second is refused, naming the process; once it is closed the
    directory is free."""
    async with open_store(tmp_path / "data") as store:
        await store.create("g", [a_record("genesis")])
        with pytest.raises(DataDirLocked, match=f"process {os.getpid()}"):
            async with open_store(tmp_path / "data"):
                pass
        await store.append("g", 1, a_move(1))
    async with open_store(tmp_path / "data") as store:
        assert len(the_records(store.read("g"))) == 2


async def test_the_lock_dies_with_its_process(tmp_path: Path) -> None:
    """A lock file left by a process that is gone keeps nobody out; another process's live lock
    does."""
    data = tmp_path / "data"
    await fill(data)
    code = (
        "import fcntl, sys; f = open(sys.argv[1], 'r+'); fcntl.flock(f, "
        "fcntl.LOCK_EX); print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(  # noqa: ASYNC220 - it is waited for at once
        [sys.executable, "-c", code, str(data / "lock")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(DataDirLocked):
            async with open_store(data):
                pass
        other.kill()
    async with open_store(data) as store:
        assert store.health().ok


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
async def test_a_directory_that_may_not_be_written(tmp_path: Path) -> None:
    """Missing rights are told as such."""
    data = tmp_path / "data"
    data.mkdir(mode=0o500)
    with pytest.raises(DataDirError, match="may not be written"):
        async with open_store(data):
            pass


@pytest.mark.parametrize(
    "how", ["removed", "moved away", "another in its place", "its log alone removed"]
)
async def test_nothing_is_acknowledged_in_a_directory_that_is_gone(
    tmp_path: Path, how: str
) -> None:
    """The next append after the directory went is of unknown outcome, later ones are not saved, and
    the reason says what to do."""
    data = tmp_path / "data"
    look_seconds = 1e9 if "removed" in how else 0
    async with open_store(data, look_seconds=look_seconds) as store:
        await store.create("g", [a_record("genesis")])
        await store.append("g", 1, a_move(1))
        if how == "its log alone removed":
            shutil.rmtree(data / "wal")
        elif how == "removed":
            shutil.rmtree(data)
        else:
            data.rename(tmp_path / "elsewhere")
        if how == "another in its place":
            shutil.copytree(tmp_path / "elsewhere", data)
        with pytest.raises(StoreFailed, match="has been removed") as caught:
            await store.append("g", 2, a_move(2))
        assert caught.value.outcome == "unknown"
        with pytest.raises(StoreFailed, match="not saved"):
            await store.append("g", 2, a_move(2))
        assert len(the_records(store.read("g"))) == 2
    assert not store.health().ok
    assert "restore the latest backup" in store.health().reason


async def test_a_closed_store_says_what_is_no_longer_there(tmp_path: Path) -> None:
    """A directory, or a game's file, that was removed while nothing was appended is missed when the
    store closes."""
    data = tmp_path / "data"
    await fill(data)
    async with open_store(data) as store:
        (data / "games" / "g1.wlog").unlink()
    assert store.health().damaged == ("g1",)
    async with open_store(data) as store:
        assert store.health().ok
        shutil.rmtree(data)
    assert not store.health().ok


async def test_files_are_for_the_owner_alone(tmp_path: Path) -> None:
    """Games' files and the log hold hidden cards: no one else may read them."""
    await fill(tmp_path / "data")
    for path in [tmp_path / "data", *(tmp_path / "data").rglob("*")]:
        assert path.stat().st_mode & 0o077 == 0, path


async def test_a_damaged_game_stops_alone(tmp_path: Path) -> None:
    """A flipped byte, a cut, an addition or a lost file stops that game with its place; every other
    game goes on."""
    data = tmp_path / "data"
    await fill(data, games=6)
    games = data / "games"
    whole = (games / "g0.wlog").read_bytes()
    start = [offset for offset, _, _ in walk(whole, len(MAGIC))][4]
    (games / "g0.wlog").write_bytes(whole[: start + 9] + b"?" + whole[start + 10 :])
    (games / "g1.wlog").write_bytes(whole[:-1])
    (games / "g2.wlog").write_bytes(whole + b"\0")
    (games / "g3.wlog").unlink()
    (games / "g4.wlog").write_bytes(encode([Frame(1, b"x" * 600)], sealed=True))
    async with open_store(data) as store:
        assert store.games() == [f"g{index}" for index in range(6)]
        for game, offset, what in (
            ("g0", start, "check sum"),
            ("g1", len(whole) - 1, "ends here"),
            ("g2", len(whole), "1 bytes here that this server did not write"),
            ("g3", 0, "missing"),
        ):
            with pytest.raises(Damaged, match=what) as caught:
                store.read(game)
            assert (caught.value.game, caught.value.offset) == (game, offset)
            assert caught.value.place == str(games / f"{game}.wlog")
            with pytest.raises(Damaged):
                await store.append(game, 6, a_move(6))
        with pytest.raises(Damaged):
            store.read("g4")
        await store.append("g5", 6, a_move(6))
        assert store.health().ok
        assert store.health().damaged == ("g0", "g1", "g2", "g3", "g4")
    async with open_store(data) as store:
        assert len(the_records(store.read("g5"))) == 7
    (games / "g3.wlog").write_bytes(whole)
    async with open_store(data) as store:
        assert len(the_records(store.read("g3"))) == 6, "put back, the game goes on"


async def test_every_flipped_byte_of_a_games_file_is_found(tmp_path: Path) -> None:
    """Whichever byte of a game's file changes, reading that game says so. (With another number of
    the format it is a file that this release does not read.)"""
    data = tmp_path / "data"
    await fill(data, games=1, moves=2)
    path = data / "games" / "g0.wlog"
    whole = path.read_bytes()
    for at in [at for at in range(len(whole)) if at != len(MAGIC) - 1]:
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x10]) + whole[at + 1 :])
        assert [finding.game for finding in check(data) if finding.damage] == ["g0"], f"byte {at}"


async def test_a_game_put_back_by_hand_is_taken_on(tmp_path: Path) -> None:
    """A game's file copied into games/ of another directory is a game there."""
    await fill(tmp_path / "one", games=1)
    await fill(tmp_path / "two", games=0)
    copied = (tmp_path / "one/games/g0.wlog").read_bytes()
    (tmp_path / "two/games/old-match.wlog").write_bytes(copied)
    async with open_store(tmp_path / "two") as store:
        assert store.games() == ["old-match"]
        await store.append("old-match", 6, a_move(6))
    async with open_store(tmp_path / "two") as store:
        assert len(the_records(store.read("old-match"))) == 7


async def test_a_torn_tail_of_the_log_is_cut() -> None:
    """Cut anywhere, the log gives all batches before the cut; the store opens and goes on, also
    after that."""
    disk = await interrupted()
    segment = next(f"wal/{name}" for name in reversed(disk.list("wal")))
    whole = disk.read(segment).rstrip(b"\0") + b"\0" * 8
    counts: list[int] = []
    for cut in range(len(whole), 36, -7):
        torn = disk.after_kill()
        torn.truncate(segment, cut)
        for _ in range(2):
            async with open_store(torn, run=at_once, segment_bytes=4096) as store:
                try:
                    counts.append(len(the_records(store.read("g"))))
                except UnknownGame:
                    counts.append(0)
    assert counts[0] == 6
    assert counts == sorted(counts, reverse=True)
    assert set(counts) == {0, 1, 2, 3, 4, 5, 6}


async def test_lost_parts_of_the_shared_files_are_missed() -> None:
    """A missing checkpoint, a missing or exchanged segment, a flipped byte of the checkpoint:
    refused, and the file named."""
    disk = await interrupted()
    first = f"wal/{disk.list('wal')[0]}"
    checkpoint = disk.read("checkpoint")
    for path, change in (
        ("checkpoint", None),
        (first, None),
        (first, b""),
        *(
            ("checkpoint", checkpoint[:at] + bytes([checkpoint[at] ^ 4]) + checkpoint[at + 1 :])
            for at in range(len(checkpoint))
        ),
    ):
        damaged = disk.after_kill()
        if change is None:
            damaged.remove(path)
        else:
            damaged.truncate(path, 0)
            damaged.open(path).write(0, change)
        with pytest.raises(DataDirDamaged) as caught:
            async with open_store(damaged, run=at_once, segment_bytes=4096):
                pass
        assert caught.value.place == f"memory:{path}"


async def test_a_batch_cut_out_between_segments_is_missed() -> None:
    """If a segment has lost its end and another goes on behind it, that is damage, not a torn
    tail."""
    memory = MemoryDisk()
    killer = FaultyDisk(memory)
    with pytest.raises(BaseException):  # noqa: B017 - Killed, alone or in a group
        async with open_store(killer, run=at_once, segment_bytes=4096) as store:
            await store.create("g", [a_record("genesis")])
            await store.append("g", 1, a_move(1))

            def at_rotation(call: object) -> None:
                killer.error, killer.forever, killer.fail_at = (
                    Killed,
                    True,
                    _next_to("games/", killer),
                )

            killer.on_call = at_rotation
            await store.checkpoint()
    disk = memory.after_kill()
    names = disk.list("wal")
    assert len(names) == 2
    data = disk.read(f"wal/{names[0]}")
    end = len(data.rstrip(b"\0"))
    for cut in (end - 1, end - 60):
        damaged = disk.after_kill()
        damaged.truncate(f"wal/{names[0]}", cut)
        (wound, held) = [finding for finding in check(damaged) if finding.damage]
        assert (wound.place, held.game) == (f"memory:wal/{names[0]}", "g")
        async with open_store(damaged, run=at_once, segment_bytes=4096) as store:
            assert (*store.health().held, *store.health().damaged) == ("g",)
    async with open_store(disk, run=at_once) as store:
        assert len(the_records(store.read("g"))) == 2


def _next_to(prefix: str, disk: FaultyDisk) -> int | None:
    return len(disk.calls) if disk.calls[-1].path.startswith(prefix) else None


async def test_a_backup_of_a_running_server_is_complete(tmp_path: Path) -> None:
    """Copies taken while games go on and checkpoints run: each opens sound and holds all that was
    acknowledged before it began."""
    data = tmp_path / "data"
    kept = {f"g{index}": 0 for index in range(8)}
    stop = False
    async with open_store(data, segment_bytes=3000) as store:
        (data / "server.key").write_bytes(b"secret")
        (data / "accounts").mkdir()
        (data / "accounts" / "list").write_bytes(b"names")

        async def play(game: str) -> None:
            await store.create(game, [a_record("genesis")])
            kept[game] = 1
            while not stop:
                await store.append(game, kept[game], a_move(kept[game], 30))
                kept[game] += 1

        async with trio.open_nursery() as nursery:
            for game in kept:
                nursery.start_soon(play, game)
            promised = []
            for number in range(6):
                promised.append(dict(kept))
                await trio.to_thread.run_sync(backup, data, tmp_path / f"copy{number}")
                await store.checkpoint()
            stop = True
        assert [finding for finding in check(data) if finding.damage] == []
    for number, counts in enumerate(promised):
        copy = tmp_path / f"copy{number}"
        assert check(copy) == []
        assert (copy / "server.key").read_bytes() == b"secret"
        assert (copy / "accounts" / "list").read_bytes() == b"names"
        async with open_store(copy) as store:
            for game, count in counts.items():
                records = the_records(store.read(game)) if game in store.games() else []
                assert len(records) >= count
                assert records[1:] == [f"move {index}" for index in range(1, len(records))]


async def test_a_backup_has_nothing_of_what_lists_tell(tmp_path: Path) -> None:
    """It is made again, and would be newer than the games that were copied before it: no part of
    any server's file is copied."""
    data = tmp_path / "data"
    await fill(data)
    for name in ("lobby.cache", "lobby.cache-wal", "lobby.cache-shm", "lobby.cache.1"):
        (data / name).write_bytes(b"rows")
    backup(data, tmp_path / "copy")
    assert not list((tmp_path / "copy").glob("lobby*"))


async def test_a_backup_needs_a_place_of_its_own(tmp_path: Path) -> None:
    """A backup into a directory that holds something, or into the one to be copied, is refused; so
    is one of nothing."""
    data = tmp_path / "data"
    await fill(data)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").write_bytes(b"")
    with pytest.raises(DataDirError, match="not empty"):
        backup(data, tmp_path / "full")
    with pytest.raises(DataDirError, match="inside"):
        backup(data, data / "copy")
    with pytest.raises(DataDirError, match="no data directory"):
        backup(tmp_path / "nosuch", tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


async def test_a_backup_goes_past_a_damaged_game(tmp_path: Path) -> None:
    """One lost game is reported; the others are copied."""
    await fill(tmp_path / "data")
    (tmp_path / "data/games/g1.wlog").unlink()
    copied = backup(tmp_path / "data", tmp_path / "copy")
    assert [damage.game for damage in copied.damaged] == ["g1"]
    async with open_store(tmp_path / "copy") as store:
        assert len(the_records(store.read("g2"))) == 6
        with pytest.raises(Damaged):
            store.read("g1")


async def test_reading_beside_a_running_server(tmp_path: Path) -> None:
    """An export by another process sees all that was acknowledged, though the games' files lag
    behind; and it changes nothing."""
    async with open_store(tmp_path / "data") as store:
        await store.create("g", [a_record("genesis")])
        await store.append("g", 1, a_move(1))
        before = tree(tmp_path)
        files = open_readonly(tmp_path / "data")
        assert files.games() == ["g"]
        assert files.read("g") == store.read("g")
        assert parse(encode(files.read("g"), sealed=True), sealed=True).frames == tuple(
            store.read("g")
        )
        assert tree(tmp_path) == before
    with pytest.raises(DataDirError, match="no data directory"):
        open_readonly(tmp_path / "nosuch")


async def test_check_tells_everything_at_once(tmp_path: Path) -> None:
    """A sound directory has no findings; several kinds of damage are all told, damage first;
    nothing is changed."""
    data = tmp_path / "data"
    await fill(data)
    assert check(data) == []
    (data / "games" / "notes.txt").write_bytes(b"hello")
    (data / "games" / "g0.wlog").write_bytes(b"no game")
    (data / "games" / "g2.wlog").unlink()
    before = tree(data)
    findings = check(data)
    assert [(finding.damage, finding.game) for finding in findings] == [
        (True, "g0"),
        (True, "g2"),
        (False, None),
    ]
    assert tree(data) == before
    assert check(tmp_path / "nosuch") == [
        Finding(True, str(tmp_path / "nosuch"), None, "there is no data directory here")
    ]


async def test_check_of_an_interrupted_directory() -> None:
    """What a crash leaves is not damage: the torn tail is told as a note, and files in the log
    alone are sound."""
    disk = await interrupted()
    assert check(disk) == []
    segment = next(f"wal/{name}" for name in reversed(disk.list("wal")))
    end = len(disk.read(segment).rstrip(b"\0"))
    disk.open(segment).write(end, b"\x01half a batch")
    (finding,) = check(disk)
    assert not finding.damage
    assert "next start cuts it" in finding.what


async def test_a_thousand_games_reopen(tmp_path: Path) -> None:
    """A thousand games, all of them touched since the last checkpoint, are all there after a kill;
    the time is reported."""
    data = tmp_path / "data"
    genesis = [Frame(1, bytes(4000)), *a_move(0)]
    async with open_store(data) as store:
        async with trio.open_nursery() as nursery:
            for index in range(1000):
                nursery.start_soon(store.create, f"g{index}", genesis)
        await store.checkpoint()
        async with trio.open_nursery() as nursery:
            for index in range(1000):
                nursery.start_soon(store.append, f"g{index}", 2, a_move(1))
        backup(data, tmp_path / "killed")  # as the directory stands now, log and all
    started = time.perf_counter()
    async with open_store(tmp_path / "killed") as store:
        opened = time.perf_counter()
        await store.append("g500", 3, a_move(2))
        first = time.perf_counter()
        assert len(store.games()) == 1000
        for index in (0, 499, 999):
            assert the_records(store.read(f"g{index}"))[1:] == ["move 0", "move 1"]
    print(
        f"1,000 games: open {(opened - started) * 1000:.0f} ms, first append "
        f"{(first - opened) * 1000:.0f} ms"
    )


def test_the_real_disk_keeps_its_promises(tmp_path: Path) -> None:
    """The operating system's disk and the one in memory answer the same calls alike."""
    for disk in (RealDisk(tmp_path), MemoryDisk()):
        disk.make_folder("a/b")
        assert disk.exists("a/b")
        file = disk.open("a/b/f")
        file.write(3, b"xyz")
        file.datasync()
        file.write(0, b"abc")
        assert not file.is_removed()
        file.close()
        assert disk.read("a/b/f") == b"abcxyz"
        assert disk.is_at("a/b/f", file)
        assert not disk.is_at("a/b/nosuch", file)
        assert disk.read("a/b/f", 2, 3) == b"cxy"
        assert disk.size("a/b/f") == 6
        disk.truncate("a/b/f", 4)
        disk.rename("a/b/f", "a/b/g")
        assert (disk.is_at("a/b/g", file), disk.is_at("a/b/f", file)) == (True, False)
        disk.sync_folder("a/b")
        assert disk.list("a/b") == ["g"]
        assert disk.list("a") == ["b"]
        assert disk.list("nosuch") == []
        disk.open("a/b/g").close()
        assert disk.read("a/b/g") == b"abcx", "opening keeps what is there"
        file = disk.open("a/b/g")
        disk.remove("a/b/g")
        assert file.is_removed()
        file.close()
        for call in (disk.read, disk.size, disk.remove):
            with pytest.raises(FileNotFoundError):
                call("a/b/g")
        unlock = disk.lock("l")
        with pytest.raises(BlockingIOError):
            disk.lock("l")
        unlock()
        disk.lock("l")()


def test_a_desk_can_become_a_server(tmp_path: Path) -> None:
    """What a director's desk leaves is no reason to refuse a directory; what is not ours is."""
    (tmp_path / "server.key").write_text("key")
    (tmp_path / "tournaments").mkdir()
    assert not check_marker(RealDisk(tmp_path))
    (tmp_path / "letters.txt").write_text("mine")
    with pytest.raises(DataDirForeign):
        check_marker(RealDisk(tmp_path))


async def test_tournaments_are_in_a_backup_and_a_check(tmp_path: Path) -> None:
    """Their store stands beside the games: a copy of a directory that is in use has both, and
    damage to either is found."""
    data, copy = tmp_path / "data", tmp_path / "copy"
    async with open_store(data) as games, open_store(data / "tournaments") as tournaments:
        await games.create("game", [a_record("one"), a_record("two")])
        await tournaments.create("cup", [a_record("one"), a_record("two")])
        assert backup(data, copy).games == 2
    assert open_readonly(copy / "tournaments").games() == ["cup"]
    assert check(copy) == []
    (copy / "tournaments" / "checkpoint").write_bytes(b"nothing")
    assert [finding for finding in check(copy) if finding.damage]


async def test_a_long_games_marks_save_going_through_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The places of a long game's records stand in a file of their own. What is read through them
    is what is read without; a changed byte of the game is found all the same, and marks that are
    damaged, another game's or ahead of the file are passed over."""
    monkeypatch.setattr(recordindex, "FROM", 64)
    parsed = 0
    walk = gamefile.walk

    def counted(data: bytes, at: int, place: int = 0) -> Any:
        nonlocal parsed
        parsed += len(data) - at
        return walk(data, at, place)

    monkeypatch.setattr(gamefile, "walk", counted)
    records = [Frame(1, bytes([n % 251]) * (40 + n % 7)) for n in range(700)]
    for game in ("long", "other"):
        async with open_store(tmp_path) as store:
            await store.create(game, records[:1])
            for at in range(1, 650, 50):
                await store.append(game, at, records[at : at + 50])
                if at in (301, 501):
                    await store.checkpoint()
    path, kept = tmp_path / "games/long.wlog", tmp_path / "cache/long.marks"
    whole, sound = path.read_bytes(), kept.read_bytes()

    async def reads() -> list[list[Frame]]:
        async with open_store(tmp_path) as store:
            pages = [(0, 1), (15, 2), (16, 16), (640, 30), (0, None), (649, None)]
            return [store.read("long", *page) for page in pages]

    parsed = 0
    first = await reads()
    by_marks = parsed
    assert first[0] == records[:1] and first[2] == records[16:32] and first[4] == records[:651]
    (tmp_path / "cache").rename(tmp_path / "gone")
    parsed = 0
    assert await reads() == first and parsed > by_marks + len(whole) // 2
    shutil.rmtree(tmp_path / "cache")
    (tmp_path / "gone").rename(tmp_path / "cache")
    other = (tmp_path / "cache/other.marks").read_bytes()
    for bad in (sound[:-8], sound[:40] + b"\1" + sound[41:], other, b"", whole):
        kept.write_bytes(bad)
        assert await reads() == first
    kept.write_bytes(sound)
    for at in (20, len(whole) // 3, len(whole) - 5):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        async with open_store(tmp_path) as store:
            with pytest.raises(Damaged):
                store.read("long", 0, 1)
    path.write_bytes(whole)
    assert not check(tmp_path)
