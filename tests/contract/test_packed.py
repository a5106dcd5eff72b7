"""Games that are over, compressed at rest: nobody notices, and no crash costs a byte."""

from __future__ import annotations

import errno
import gzip
import math
import random
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import trio
from click.testing import CliRunner

from tests.toys import PACKS, TOYS
from warledger.clients.cli import main
from warledger.engine.runtime.game.gameexport import export_game
from warledger.engine.store.files import datadir, packed
from warledger.engine.store.files.backup import backup
from warledger.engine.store.files.check import check
from warledger.engine.store.files.compress import Compressed, compress
from warledger.engine.store.files.datadir import open_readonly
from warledger.engine.store.files.disk import Disk, RealDisk
from warledger.engine.store.files.gamefile import path_of
from warledger.engine.store.files.packed import Reader, opened, pack, unpack
from warledger.engine.store.files.packing import Packing
from warledger.engine.store.files.wal import at_once, open_store
from warledger.engine.store.port import (
    FRAME_META,
    FRAME_RECORD,
    Damaged,
    DataDirError,
    DataDirLocked,
    Frame,
    StoreError,
)
from warledger.engine.testing.faulty import FaultyDisk, Killed
from warledger.engine.testing.memorydisk import MemoryDisk
from warledger.engine.testing.randomgames import Played, begin, play

PATH = path_of("odin")
DATA = b"what was played " * 200
NOTED = Frame(FRAME_META, b"\xc0")
SEGMENT = 100_000
"""Bytes of a segment that hold the game and are soon copied, for hundreds of scenes."""


def disk_with(data: bytes = DATA, made: MemoryDisk | None = None) -> MemoryDisk:
    """A disk with the file of one game, safe from any crash."""
    disk = made or MemoryDisk()
    disk.make_folder("games")
    file = disk.open(PATH)
    file.write(0, data)
    file.datasync()
    disk.sync_folder("games")
    return disk


@cache
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


def whole(disk: Disk) -> bytes:
    """The game's bytes, by one who has not read them before."""
    reader = Reader(disk)
    return reader.read(PATH, 0, reader.size(PATH))


def test_a_packed_file_is_read_as_the_plain_one() -> None:
    """Its length, and any part of it: as before. Alone it is a gzip file."""
    disk = disk_with()
    saved = pack(disk, PATH)
    assert disk.list("games") == ["odin.wlog.gz"]
    assert saved == len(DATA) - disk.size(PATH + ".gz") > 0
    assert gzip.decompress(disk.read(PATH + ".gz")) == DATA
    reader = Reader(disk)
    assert reader.size(PATH) == len(DATA)
    rng = random.Random(1)
    for _ in range(20):
        start, count = rng.randrange(4000), rng.randrange(4000)
        assert reader.read(PATH, start, count) == DATA[start : start + count], (start, count)
    for ask in (reader.size, lambda path: reader.read(path, 0, 1)):
        with pytest.raises(FileNotFoundError):
            ask(path_of("thor"))


def test_what_is_written_to_is_unpacked_first() -> None:
    """A packed file that is opened for writing is unpacked; whoever has read it before reads what
    it has become, also once it is packed again."""
    disk = disk_with()
    reader = Reader(disk)
    for data in (DATA, DATA + b"more", DATA + b"more and more"):
        file = opened(disk, PATH)
        file.write(len(DATA), data[len(DATA) :])
        file.close()
        assert disk.list("games") == ["odin.wlog"]
        assert reader.read(PATH, 0, 9999) == disk.read(PATH) == data
        assert pack(disk, PATH) > 0
        assert reader.read(PATH, 0, len(data)) == data
    assert unpack(disk, PATH) and not unpack(disk, PATH)


def test_where_both_forms_stand_the_plain_one_counts() -> None:
    """As a crash leaves them; the packed one goes when the file is written to."""
    disk = disk_with()
    disk.open(PATH + ".gz").write(0, gzip.compress(b"older"))
    assert whole(disk) == DATA
    opened(disk, PATH).close()
    assert disk.list("games") == ["odin.wlog"] and whole(disk) == DATA


def test_what_would_gain_little_or_is_too_long_is_left_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is not packed, and one that somebody else has packed is not unpacked beyond the bound."""
    noise = random.Random(2).randbytes(5000)
    for data in (b"", noise):
        disk = disk_with(data)
        assert pack(disk, PATH) == 0 and disk.read(PATH) == data
    disk = disk_with()
    monkeypatch.setattr(packed, "BYTES_MAX", len(DATA) - 1)
    assert pack(disk, PATH) == 0 and whole(disk) == DATA
    disk.remove(PATH)
    disk.open(PATH + ".gz").write(0, gzip.compress(DATA))
    with pytest.raises(OSError, match="too long"):
        whole(disk)


@pytest.mark.parametrize("act", ["pack", "write"])
def test_a_fault_or_a_crash_at_any_call_costs_nothing(act: str) -> None:
    """Whichever call fails, or the process dies at, and whatever the loss of power leaves of what
    was not synced: the game's bytes are there, and packing or writing again succeeds."""

    def work(disk: Disk) -> None:
        if act == "write":
            opened(disk, PATH).close()
        elif disk.exists(PATH):
            pack(disk, PATH)

    def begun() -> MemoryDisk:
        disk = disk_with()
        if act == "write":
            pack(disk, PATH)
        return disk

    counted = FaultyDisk(begun())
    work(counted)
    assert len(counted.calls) >= 5
    for number in range(1, len(counted.calls) + 1):
        for error, torn in ((None, 40), (Killed, 0), (Killed, 40)):
            disk = begun()
            given = {} if error is None else {"error": error, "forever": True}
            failing = FaultyDisk(disk, fail_at=number, torn=torn, **given)
            with pytest.raises((OSError, Killed)):
                work(failing)
            for survivor in (disk.after_kill(), *_after_power_losses(disk)):
                assert whole(survivor) == DATA, (number, error, torn)
                work(survivor)
                assert whole(survivor) == DATA
                names = [name for name in survivor.list("games") if not name.endswith(".new")]
                assert names == ["odin.wlog.gz" if act == "pack" else "odin.wlog"]


def _after_power_losses(disk: MemoryDisk) -> list[MemoryDisk]:
    return [disk.after_power_loss(random.Random(seed)) for seed in range(4)]


@pytest.mark.parametrize("act", [pack, unpack])
def test_a_disk_that_keeps_other_bytes_than_were_written_costs_nothing(act: Any) -> None:
    """What is read back differs: an error, and the form that was there stays."""

    class Forgetful(MemoryDisk):
        def read(self, path: str, start: int = 0, count: int | None = None) -> bytes:
            data = super().read(path, start, count)
            return data[:-1] + b"?" if path.endswith(".new") else data

    disk = disk_with(made=Forgetful())
    if act is unpack:
        disk.remove(PATH)
        disk.open(PATH + ".gz").write(0, gzip.compress(DATA))
    with pytest.raises(OSError, match="not what is read"):
        act(disk, PATH)
    assert whole(disk) == DATA


def test_a_damaged_packed_file_is_an_error_and_never_other_bytes() -> None:
    """One byte changed anywhere, a file cut off anywhere, something behind its end: OSError, and
    nothing is written over it. (What the header says of the file is of no meaning.)"""
    disk = disk_with()
    pack(disk, PATH)
    sound = disk.read(PATH + ".gz")
    made = [sound[:at] for at in range(1, len(sound), 5)] + [sound + b"x"]
    made += [
        sound[:at] + bytes([sound[at] ^ 0x20]) + sound[at + 1 :] for at in range(10, len(sound))
    ]
    same = 0
    for data in made:
        disk.remove(PATH + ".gz")
        disk.open(PATH + ".gz").write(0, data)
        try:
            assert whole(disk) == DATA
            same += 1
        except OSError as error:
            assert "damaged" in str(error)
            with pytest.raises(OSError, match="damaged"):
                opened(disk, PATH)
            assert disk.list("games") == ["odin.wlog.gz"]
            assert disk.read(PATH + ".gz") == data
    assert same <= 1 < len(made)


def test_files_in_several_members_are_read() -> None:
    """As earlier releases packed them: an empty member with an index in its header, then blocks."""
    told = len(DATA).to_bytes(8, "little") + (1000).to_bytes(4, "little") + bytes(20)
    index = b"WL" + len(told).to_bytes(2, "little") + told
    extra = len(index).to_bytes(2, "little") + index
    data = bytes.fromhex("1f8b08040000000000ff") + extra + b"\x03\x00" + bytes(8)
    data += b"".join(gzip.compress(DATA[at : at + 1000]) for at in range(0, len(DATA), 1000))
    disk = disk_with()
    disk.remove(PATH)
    disk.open(PATH + ".gz").write(0, data)
    assert whole(disk) == DATA
    opened(disk, PATH).close()
    assert disk.read(PATH) == DATA and disk.list("games") == ["odin.wlog"]


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
            assert export_game(datadir.read_game(place, game)) == data
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
    assert datadir.read_game(folder, "odin")[-1] == NOTED
    assert compress(folder).games == 1
    assert compress(folder, undo=True) == Compressed(2, 0, 0)
    assert check(folder) == []
    with pytest.raises(DataDirError):
        compress(tmp_path / "nothing")


async def the_scene(disk: Disk) -> int:
    """A game that is over is packed, gets something that unpacks it, and is packed again. Returns
    how many frames were acknowledged beside those it ended with, -1 for none at all."""
    kept = -1
    frames = over(1).frames()
    count = sum(frame.kind == FRAME_RECORD for frame in frames)
    with suppress(StoreError):
        async with open_store(disk, run=at_once, segment_bytes=SEGMENT) as store:
            with suppress(StoreError, OSError):
                await store.create("odin", frames)
                kept = 0
                for _ in range(2):
                    await store.checkpoint()
                    await store.pack("odin", math.inf)
                    await store.append("odin", count, [NOTED])
                    kept += 1
    return kept


@pytest.mark.parametrize("error", [errno.EIO, Killed])
async def test_a_store_that_packs_loses_nothing_at_any_fault(error: Any) -> None:
    """Whichever call of a store that packs a game, unpacks it and packs it again fails, or the
    process dies at: what was acknowledged is there, whatever the loss of power leaves."""
    frames = over(1).frames()
    counted = FaultyDisk(MemoryDisk())
    assert await the_scene(counted) == 2
    assert sum(call.path == f"{PATH}.gz" for call in counted.calls) == 4, "it was packed twice"
    for number in range(1, len(counted.calls) + 1):
        memory, kept = MemoryDisk(), -1
        failing = FaultyDisk(memory, fail_at=number, error=error, torn=40, forever=error is Killed)
        with suppress(Killed, BaseExceptionGroup):
            kept = await the_scene(failing)
        for left in (memory.after_kill(), *_after_power_losses(memory)):
            async with open_store(left, run=at_once, segment_bytes=SEGMENT) as store:
                found = store.read("odin") if "odin" in store.games() else []
                assert found in ([], *(frames + [NOTED] * more for more in range(3))), number
                assert len(found) >= (0 if kept < 0 else len(frames) + kept), number
            assert not any(finding.damage for finding in check(left)), number


async def test_a_packed_file_that_was_put_there_by_hand_is_a_game(tmp_path: Path) -> None:
    """Of a backup, say. One that is damaged is closed alone, until another is put in its place."""
    folder = tmp_path / "data"
    told = await data_of(folder)
    packed_log = gzip.compress((folder / "games" / "odin.wlog").read_bytes())
    (folder / "games" / "vali.wlog.gz").write_bytes(packed_log)
    (folder / "games" / "tyr.wlog.gz").write_bytes(packed_log[:-9])
    async with open_store(folder) as store:
        assert store.health().ok and export_game(store.read("vali")) == told["odin"]
        with pytest.raises(Damaged):
            store.read("tyr")
        await store.append("vali", sum(one.kind == 1 for one in store.read("vali")), [NOTED])
    assert [(found.game, found.damage) for found in check(folder)] == [("tyr", True)]
    (folder / "games" / "tyr.wlog.gz").write_bytes(packed_log)
    async with open_store(folder) as store:
        assert export_game(store.read("tyr")) == told["odin"]
        assert store.read("vali")[-1] == NOTED
    assert check(folder) == []


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
    assert set(RealDisk(folder).list("games")) == {"ares.wlog", "odin.wlog.gz", "thor.wlog.gz"}
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
    packing = Packing(day, clock.now, lambda game, saved: send.send_nowait(game), pytest.fail, 0.01)
    clock.ms = ends["odin"] + day - 1
    async with open_store(folder, packing=packing) as store:
        assert await store.pack("odin", clock.ms - day) == 0
        assert set(RealDisk(folder).list("games")) == {f"{game}.wlog" for game in told}
        clock.ms = max(ends.values()) + day
        assert {await receive.receive(), await receive.receive()} == {"odin", "thor"}
        names = {"ares.wlog", "odin.wlog.gz", "thor.wlog.gz"}
        assert set(RealDisk(folder).list("games")) == names
        for game, data in told.items():
            assert export_game(store.read(game)) == data
            assert export_game(datadir.read_game(folder, game)) == data
        count = sum(frame.kind == 1 for frame in store.read("odin"))
        await store.append("odin", count, [NOTED])
        assert await store.pack("odin", clock.ms) == 0, "it is not in its file yet"
        await store.checkpoint()
        assert "odin.wlog" in RealDisk(folder).list("games")
        assert await receive.receive() == "odin"
        assert store.read("odin")[-1] == datadir.read_game(folder, "odin")[-1] == NOTED
    assert set(RealDisk(folder).list("games")) == names and check(folder) == []


async def test_a_disk_that_fails_is_told_and_costs_nothing(tmp_path: Path) -> None:
    """The store goes on, and so does looking for games to compress."""
    folder = tmp_path / "data"
    told = await data_of(folder)
    (folder / "games" / "odin.wlog.gz.new").mkdir()
    send, receive = trio.open_memory_channel[OSError](10_000)
    packing = Packing(0, lambda: 1 << 50, lambda *_: None, send.send_nowait, 0.01)
    async with open_store(folder, packing=packing) as store:
        await receive.receive()
        await receive.receive()
        assert store.health().ok
        await store.append("ares", sum(one.kind == 1 for one in store.read("ares")), [NOTED])
        assert export_game(store.read("odin")) == told["odin"]
