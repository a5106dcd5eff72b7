"""Games that are over, compressed at rest: nobody notices, and no crash costs a byte."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

import pytest
import trio
from click.testing import CliRunner

from tests.toys import PACKS, TOYS
from warledger.clients.cli import main
from warledger.engine.runtime.export import export_game
from warledger.engine.store import packed, shards
from warledger.engine.store.backup import backup
from warledger.engine.store.check import check
from warledger.engine.store.compress import Compressed, compress
from warledger.engine.store.datadir import disk_of, open_readonly
from warledger.engine.store.disk import RealDisk
from warledger.engine.store.gamefile import path_of
from warledger.engine.store.packed import PackedDisk
from warledger.engine.store.packing import Packer, Packing
from warledger.engine.store.port import (
    FRAME_META,
    Damaged,
    DataDirError,
    DataDirLocked,
    Frame,
    StoreError,
)
from warledger.engine.store.wal import open_store
from warledger.engine.testing.faulty import FaultyDisk, Killed
from warledger.engine.testing.memorydisk import MemoryDisk
from warledger.engine.testing.randomgames import Played, begin, play

PATH = path_of("odin")
DATA = b"what was played " * 200
NOTED = Frame(FRAME_META, b"\xc0")


def disk_with(data: bytes = DATA) -> MemoryDisk:
    """A disk with the file of one game, safe from any crash."""
    disk = MemoryDisk()
    disk.make_folder("games")
    file = disk.open(PATH)
    file.write(0, data)
    file.datasync()
    disk.sync_folder("games")
    return disk


def over(seed: int) -> Played:
    """A game that is over, to its last reveal."""
    return play(TOYS["counting"], PACKS["counting"], seed)


async def data_of(folder: Path) -> dict[str, bytes]:
    """A data directory with two games that are over and one that is not; the export of each."""
    games = {"odin": over(1), "thor": over(2), "ares": begin(TOYS["counting"], PACKS["counting"])}
    async with open_store(folder) as store:
        for game, played in games.items():
            await store.create(game, played.frames())
    return {game: export_game(open_readonly(folder).read(game)) for game in games}


def test_a_packed_file_is_read_as_the_plain_one() -> None:
    """Length, any part of it, its name among others: as before. Alone it is a gzip file."""
    inner = disk_with()
    disk = PackedDisk(inner)
    saved = disk.pack(PATH)
    assert inner.list("games") == ["odin.wlog.gz"] and disk.is_packed(PATH)
    assert saved == len(DATA) - inner.size(PATH + ".gz") > 0
    assert gzip.decompress(inner.read(PATH + ".gz")) == DATA
    assert disk.exists(PATH) and disk.list("games") == ["odin.wlog"]
    assert disk.size(PATH) == len(DATA)
    rng = random.Random(1)
    for _ in range(20):
        start, count = rng.randrange(4000), rng.randrange(4000)
        assert disk.read(PATH, start, count) == DATA[start : start + count], (start, count)
    assert disk.read(PATH) == DATA
    assert disk.pack(PATH) == 0
    with pytest.raises(FileNotFoundError):
        disk.read(path_of("thor"))
    with pytest.raises(FileNotFoundError):
        disk.size(path_of("thor"))


def test_what_is_written_to_is_unpacked_first() -> None:
    """Opening a packed file for writing, cutting it or renaming it unpacks it; removing it removes
    it."""
    disk = PackedDisk(disk_with())
    disk.pack(PATH)
    file = disk.open(PATH)
    file.write(len(DATA), b"more")
    file.close()
    assert disk.disk.list("games") == ["odin.wlog"]
    assert disk.read(PATH) == DATA + b"more"
    disk.pack(PATH)
    disk.truncate(PATH, 10)
    assert disk.disk.read(PATH) == DATA[:10]
    assert disk.pack(PATH) == 0, "nothing is gained"
    disk = PackedDisk(disk_with())
    disk.pack(PATH)
    disk.rename(PATH, path_of("thor"))
    assert disk.disk.list("games") == ["thor.wlog"]
    disk.pack(path_of("thor"))
    disk.remove(path_of("thor"))
    assert disk.list("games") == disk.disk.list("games") == []
    with pytest.raises(FileNotFoundError):
        disk.remove(path_of("thor"))


@pytest.mark.parametrize("act", ["pack", "write"])
def test_a_fault_or_a_crash_at_any_call_costs_nothing(act: str) -> None:
    """Whichever call fails, or the process dies at, and whatever the loss of power leaves of what
    was not synced: the game's bytes are there, and packing or writing again succeeds."""

    def work(disk: PackedDisk) -> None:
        if act == "pack":
            disk.pack(PATH)
        else:
            disk.open(PATH).close()

    def begun() -> MemoryDisk:
        inner = disk_with()
        if act == "write":
            PackedDisk(inner).pack(PATH)
        return inner

    counted = FaultyDisk(begun())
    work(PackedDisk(counted))
    assert len(counted.calls) >= 5
    for number in range(1, len(counted.calls) + 1):
        for error, torn in ((None, 40), (Killed, 0), (Killed, 40)):
            inner = begun()
            given = {} if error is None else {"error": error, "forever": True}
            failing = FaultyDisk(inner, fail_at=number, torn=torn, **given)
            with pytest.raises((OSError, Killed)):
                work(PackedDisk(failing))
            left = [inner.after_kill(), *_after_power_losses(inner)]
            for survivor in left:
                disk = PackedDisk(survivor)
                assert disk.read(PATH) == DATA, (number, error, torn)
                work(disk)
                assert disk.read(PATH) == DATA and disk.size(PATH) == len(DATA)
                assert disk.list("games") in (["odin.wlog"], ["odin.wlog", "odin.wlog.new"])


def _after_power_losses(disk: MemoryDisk) -> list[MemoryDisk]:
    return [disk.after_power_loss(random.Random(seed)) for seed in range(4)]


def test_a_damaged_packed_file_is_an_error_and_never_other_bytes() -> None:
    """One byte changed anywhere, a file cut off anywhere, something behind its end: OSError, and
    nothing is written over it. (A few bits behind the last code are of no meaning.)"""
    inner = disk_with()
    PackedDisk(inner).pack(PATH)
    sound = inner.read(PATH + ".gz")
    made = [sound[:at] for at in range(0, len(sound), 5)] + [sound + b"x"]
    made += [
        sound[:at] + bytes([sound[at] ^ 0x20]) + sound[at + 1 :] for at in range(10, len(sound))
    ]
    same = 0
    for data in made:
        inner.remove(PATH + ".gz")
        inner.open(PATH + ".gz").write(0, data)
        disk = PackedDisk(inner)
        try:
            assert disk.read(PATH) == DATA
            same += 1
        except OSError as error:
            assert "damaged" in str(error)
            with pytest.raises(OSError, match="damaged"):
                disk.open(PATH)
            assert inner.read(PATH + ".gz") == data
    assert same <= 1 < len(made)


@pytest.mark.parametrize("length", [1, 999, 1000, 1001, 5000, 5234])
def test_any_part_is_read_without_the_rest(length: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a file of several blocks no more is read, beside the index, than the blocks that hold the
    part; all of it is what it was, alone and for gunzip."""
    monkeypatch.setattr(packed, "BLOCK_BYTES", 1000)
    rng = random.Random(length)
    data = bytes(rng.choices(b"ab", k=length)) + bytes(2000)
    inner = disk_with(data)
    assert PackedDisk(inner).pack(PATH) > 0
    assert gzip.decompress(inner.read(PATH + ".gz")) == data
    unpacked: list[bytes] = []
    unpack = packed._unpacked

    def counted(member: bytes, path: str) -> bytes:
        unpacked.append(unpack(member, path))
        return unpacked[-1]

    monkeypatch.setattr(packed, "_unpacked", counted)
    for _ in range(50):
        start, count = rng.randrange(len(data) + 99), rng.randrange(len(data))
        unpacked.clear()
        assert PackedDisk(inner).read(PATH, start, count) == data[start : start + count]
        assert len(unpacked) <= count // 1000 + 2, (start, count)
    disk = PackedDisk(inner)
    assert disk.read(PATH) == data and disk.size(PATH) == len(data)
    disk.open(PATH).close()
    assert inner.read(PATH) == data and inner.list("games") == ["odin.wlog"]


def test_what_gzip_itself_has_packed_is_read() -> None:
    """As one piece, and unpacked when it is written to."""
    inner = disk_with()
    inner.remove(PATH)
    inner.open(PATH + ".gz").write(0, gzip.compress(DATA))
    disk = PackedDisk(inner)
    assert disk.size(PATH) == len(DATA) and disk.read(PATH, 7, 9) == DATA[7:16]
    disk.open(PATH).close()
    assert inner.read(PATH) == DATA


def test_packing_that_is_given_up_leaves_the_file_as_it_was() -> None:
    """Whenever that happens: before a block is packed, or before one is read back."""
    for asked in range(4):
        answers = [True, *[False] * asked]
        inner = disk_with()
        saved = PackedDisk(inner).pack(PATH, answers.pop)
        assert inner.list("games") == (["odin.wlog.gz"] if saved else ["odin.wlog"]), asked
        assert PackedDisk(inner).read(PATH) == DATA
        assert bool(saved) is (asked >= 2)


def test_a_file_too_long_to_unpack_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not packed, and one that somebody else has packed is not unpacked beyond that."""
    inner = disk_with()
    disk = PackedDisk(inner)
    monkeypatch.setattr(packed, "BYTES_MAX", len(DATA) - 1)
    assert disk.pack(PATH) == 0 and disk.read(PATH) == DATA
    inner.remove(PATH)
    inner.open(PATH + ".gz").write(0, gzip.compress(DATA))
    with pytest.raises(OSError, match="damaged"):
        disk.read(PATH)


async def test_finished_games_are_compressed_and_everything_reads_them(tmp_path: Path) -> None:
    """Those that are over are packed, others are not; check, backup, export and a server give what
    they gave, and what is added to one unpacks it."""
    folder = tmp_path / "data"
    told = await data_of(folder)
    done = compress(folder)
    assert (done.games, done.packed) == (2, 2) and done.saved > 0
    names = {"ares.wlog", "odin.wlog.gz", "thor.wlog.gz"}
    assert set(RealDisk(folder).list("games")) == names
    assert compress(folder) == Compressed(0, 0, 2)
    assert check(folder) == []
    backup(folder, tmp_path / "copy")
    for place in (folder, tmp_path / "copy"):
        for game, data in told.items():
            assert export_game(shards.read_game(place, game)) == data
    assert set(RealDisk(tmp_path / "copy").list("games")) == {"ares.wlog", "odin.wlog", "thor.wlog"}
    async with open_store(folder) as store:
        with pytest.raises(DataDirLocked):
            compress(folder)
        for game, data in told.items():
            assert export_game(store.read(game)) == data
        count = sum(frame.kind == 1 for frame in store.read("odin"))
        await store.append("odin", count, [NOTED])
        assert store.read("odin")[-1] == NOTED
    assert set(RealDisk(folder).list("games")) == {"ares.wlog", "odin.wlog", "thor.wlog.gz"}
    assert check(folder) == []
    assert shards.read_game(folder, "odin")[-1] == NOTED
    assert compress(folder).games == 1
    assert compress(folder, undo=True) == Compressed(2, 0, 0)
    assert check(folder) == []
    with pytest.raises(DataDirError):
        compress(tmp_path / "nothing")


async def test_damage_in_a_packed_game_is_found_and_closes_it_alone(tmp_path: Path) -> None:
    """`check` names the file, the game cannot be read, the others can; and it is not unpacked over
    what is left of it."""
    folder = tmp_path / "data"
    told = await data_of(folder)
    compress(folder)
    file = folder / "games" / "odin.wlog.gz"
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)
    assert [(found.game, found.damage) for found in check(folder)] == [("odin", True)]
    async with open_store(folder) as store:
        with pytest.raises(Damaged):
            store.read("odin")
        with pytest.raises(StoreError):
            await store.append("odin", 1, [NOTED])
        assert export_game(store.read("thor")) == told["thor"]
    assert file.read_bytes() == data
    with pytest.raises(DataDirError, match="damaged"):
        compress(folder, undo=True)
    assert file.read_bytes() == data


async def test_the_command_says_what_it_did(tmp_path: Path) -> None:
    """`warledger compress` counts the games, `--undo` unpacks them, and a directory that a server
    uses is refused."""
    folder = tmp_path / "data"
    await data_of(folder)
    run = CliRunner(env={"WARLEDGER_LANGUAGE": "en"})
    done = run.invoke(main, ["compress", str(folder)])
    assert (done.exit_code, "Games compressed: 2" in done.output) == (0, True), done.output
    assert disk_of(folder).list("games") == ["ares.wlog", "odin.wlog", "thor.wlog"]
    done = run.invoke(main, ["compress", str(folder), "--undo"])
    assert (done.exit_code, "Games unpacked: 2" in done.output) == (0, True), done.output
    async with open_store(folder):
        done = run.invoke(main, ["compress", str(folder)])
        assert (done.exit_code, "another server" in done.output) == (1, True), done.output


class Clock:
    """A time that tests set."""

    ms = 0

    def now(self) -> int:
        return self.ms


async def test_a_server_compresses_what_has_been_over_for_long_enough(tmp_path: Path) -> None:
    """Games in progress and those that ended just now stay as they are; a signature that comes
    later unpacks a game, and it is compressed again; nobody reads anything else at any time."""
    folder = tmp_path / "data"
    told = await data_of(folder)
    ends = {game: over(n).records[-1].at_ms for game, n in (("odin", 1), ("thor", 2))}
    clock, day = Clock(), 24 * 3600 * 1000
    send, receive = trio.open_memory_channel[str](10)
    packing = Packing(day, clock.now, 0.01, told=lambda game, saved: send.send_nowait(game))
    clock.ms = ends["odin"] + day - 1
    async with open_store(folder, packing=packing) as store:
        disk = store._disk
        assert isinstance(disk, PackedDisk)
        await Packer(store, store._files, disk, store._run, packing).once()
        assert set(RealDisk(folder).list("games")) == {f"{game}.wlog" for game in told}
        clock.ms = max(ends.values()) + day
        assert {await receive.receive(), await receive.receive()} == {"odin", "thor"}
        names = {"ares.wlog", "odin.wlog.gz", "thor.wlog.gz"}
        assert set(RealDisk(folder).list("games")) == names
        for game, data in told.items():
            assert export_game(store.read(game)) == data
            assert export_game(shards.read_game(folder, game)) == data
        count = sum(frame.kind == 1 for frame in store.read("odin"))
        await store.append("odin", count, [NOTED])
        assert await store.pack("odin") == 0, "it is not in its file yet"
        await store.checkpoint()
        assert "odin.wlog" in RealDisk(folder).list("games")
        assert await receive.receive() == "odin"
        assert store.read("odin")[-1] == shards.read_game(folder, "odin")[-1] == NOTED
    assert set(RealDisk(folder).list("games")) == names and check(folder) == []


async def test_a_disk_that_fails_is_told_and_costs_nothing(tmp_path: Path) -> None:
    """The store goes on, and so does looking for games to compress."""
    folder = tmp_path / "data"
    told = await data_of(folder)
    (folder / "games" / "odin.wlog.gz.new").mkdir()
    send, receive = trio.open_memory_channel[OSError](10_000)
    packing = Packing(0, lambda: 1 << 50, 0.01, failed=send.send_nowait)
    async with open_store(folder, packing=packing) as store:
        await receive.receive()
        await receive.receive()
        assert store.health().ok
        await store.append("ares", sum(one.kind == 1 for one in store.read("ares")), [NOTED])
        assert export_game(store.read("odin")) == told["odin"]
