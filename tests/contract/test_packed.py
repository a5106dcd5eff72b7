"""Games that are over, compressed at rest: nobody notices, and no crash costs a byte."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

import pytest
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
