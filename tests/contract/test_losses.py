"""A damaged log: what is whole is served, what is not is named and closed alone, and nothing is
taken for whole that may not be."""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest
import trio
from attrs import frozen
from click.testing import CliRunner

from warledger.clients.cli import main
from warledger.engine.store.files import losses
from warledger.engine.store.files.backup import backup
from warledger.engine.store.files.batches import parse_segment
from warledger.engine.store.files.check import check
from warledger.engine.store.files.datadir import open_readonly, reopen, segment_path
from warledger.engine.store.files.disk import Disk, RealDisk
from warledger.engine.store.files.wal import at_once, open_store
from warledger.engine.store.port import (
    Conflict,
    Damaged,
    DataDirDamaged,
    DataDirLocked,
    GameExists,
    Held,
    Store,
    StoreFailed,
    UnknownGame,
)
from warledger.engine.testing.faulty import FaultyDisk
from warledger.engine.testing.memorydisk import MemoryDisk

from .conftest import a_move, a_record, the_records

GAMES = ("ares", "bellona", "mars", "odin", "tyr")


async def play(store: Store, counts: dict[str, int]) -> None:
    """Games of different lengths; of each the last record is in the log alone. `odin` is idle since
    the checkpoint, `tyr` begins late."""
    for game in GAMES[:4]:
        await store.create(game, [a_record("genesis")])
        counts[game] = 1
    for _ in range(2):
        await move(store, counts, "ares")
    await move(store, counts, "odin")
    await store.checkpoint()
    await move(store, counts, "ares")
    async with trio.open_nursery() as nursery:  # one batch for three games
        for game in ("ares", "bellona", "mars"):
            nursery.start_soon(move, store, counts, game)
    await move(store, counts, "bellona")
    await store.create("tyr", [a_record("genesis")])
    counts["tyr"] = 1
    await move(store, counts, "ares")
    await move(store, counts, "tyr")
    await move(store, counts, "mars")


async def move(store: Store, counts: dict[str, int], game: str) -> None:
    await store.append(game, counts[game], a_move(counts[game], len(game)))
    counts[game] += 1


async def played() -> tuple[MemoryDisk, dict[str, int], str]:
    """The disk of a server that was killed, what it had acknowledged, and the segment that holds
    it."""
    memory = MemoryDisk()
    counts: dict[str, int] = {}
    mark = random.Random(7).randbytes
    async with open_store(memory, run=at_once, segment_bytes=3000, random_bytes=mark) as store:
        await play(store, counts)
        disk = memory.after_kill()
    (name,) = disk.list("wal")
    return disk, counts, f"wal/{name}"


def batch_starts(data: bytes) -> list[int]:
    mark = data[24:32]
    return [
        at
        for at in range(36, len(data))
        if data[at : at + 8] == mark and any(data[at + 8 : at + 16])
    ]


@frozen
class Found:
    """What became of each game."""

    whole: frozenset[str]
    lost: frozenset[str]
    held: frozenset[str]
    unknown: frozenset[str]


async def look(store: Store, counts: dict[str, int], hint: str) -> Found:
    """Sort the games, and hold the law: whoever takes commands has all that was acknowledged;
    nobody has anything else."""
    kinds: dict[str, set[str]] = {"whole": set(), "lost": set(), "held": set(), "unknown": set()}
    for game, count in counts.items():
        expected = ["genesis", *(f"move {number}" for number in range(1, count))]
        try:
            records = the_records(store.read(game))
        except UnknownGame:
            kinds["unknown"].add(game)
            continue
        except Damaged:
            kinds["lost"].add(game)
            with pytest.raises(Damaged):
                await store.append(game, count, a_move(count))
            with pytest.raises(GameExists):
                await store.create(game, [a_record("another")])
            continue
        assert records == expected[: len(records)], f"{hint}: {game} holds what was never written"
        try:
            await store.append(game, -1, a_move(count))
        except Held:
            kinds["held"].add(game)
        except Conflict:
            kinds["whole"].add(game)
            assert len(records) == count, (
                f"{hint}: {game} has lost {count - len(records)} records and takes commands"
            )
    assert set(store.games()) <= set(counts), hint
    health = store.health()
    assert (set(health.damaged), set(health.held)) == (kinds["lost"], kinds["held"]), hint
    return Found(**{name: frozenset(games) for name, games in kinds.items()})


async def salvaged(disk: MemoryDisk, segment: str, counts: dict[str, int], hint: str) -> Found:
    """Open what is damaged, look; check and the next start say the same; what was damaged is kept,
    and nobody else's games suffer."""
    damaged = disk.read(segment)
    found_by_check = check(disk)
    assert disk.read(segment) == damaged, "check changes nothing"
    told = {finding.game for finding in found_by_check if finding.damage and finding.game}
    readable = open_readonly(disk)
    async with open_store(disk, run=at_once, segment_bytes=3000) as store:
        found = await look(store, counts, hint)
        assert told == found.lost | found.held, hint
        assert (set(readable.damaged()), set(readable.held())) == (found.lost, found.held), hint
        assert any(
            finding.damage and finding.place == f"memory:{segment}" and finding.offset is not None
            for finding in found_by_check
        )
        aside = f"{losses.ASIDE}/{segment.rpartition('/')[2]}"
        assert disk.read(aside) == damaged, hint
        killed = disk.after_kill()
    for again in (killed, disk):
        for _ in range(2):
            async with open_store(again, run=at_once, segment_bytes=3000) as store:
                assert await look(store, counts, f"{hint}, started again") == found
        assert again.read(aside) == damaged
    return found


@pytest.mark.parametrize(
    "change", [0x20, *(pytest.param(other, marks=pytest.mark.long) for other in (0x01, 0xFF))]
)
async def test_any_damaged_byte_of_the_log(change: int) -> None:
    """Whichever byte is flipped, save in the last batch: no game that takes commands lacks a
    record; who has sound later ones goes on."""
    disk, counts, segment = await played()
    data = disk.read(segment)
    starts = batch_starts(data)
    assert len(starts) == 7
    for at in range(starts[-1]):
        damaged = disk.after_kill()
        damaged.open(segment).write(at, bytes([data[at] ^ change]))
        try:
            found = await salvaged(damaged, segment, counts, f"byte {at}")
        except DataDirDamaged as error:
            assert at == 7 and error.offset in (0, 7), (
                f"byte {at}: only another format's number keeps a log from being read"
            )
            continue
        assert not found.unknown or at >= starts[3]
        if at < starts[0]:
            assert found.whole == set(GAMES), (
                f"byte {at}: the head of the segment costs nobody anything"
            )


async def test_damage_inside_one_entry_costs_that_game_alone() -> None:
    """In a batch of three games one record is spoiled: that game is lost, also idle ones and those
    of the same batch go on."""
    disk, counts, segment = await played()
    data = disk.read(segment)
    inside = re.search(rb"move 1\.{4}[^.]", data)
    assert inside is not None
    damaged = disk.after_kill()
    damaged.open(segment).write(inside.start(), b"MOVE")
    found = await salvaged(damaged, segment, counts, "in mars")
    assert found == Found(
        frozenset(GAMES) - {"mars"}, frozenset({"mars"}), frozenset(), frozenset()
    )


async def test_a_spoiled_head_costs_nobody_anything() -> None:
    """Mark, number, length or check sum of a batch: the sum over the rest proves it."""
    disk, counts, segment = await played()
    start = batch_starts(disk.read(segment))[1]
    for at in range(start, start + 24):
        damaged = disk.after_kill()
        damaged.open(segment).write(at, bytes([damaged.read(segment, at, 1)[0] ^ 0x41]))
        assert (await salvaged(damaged, segment, counts, f"byte {at}")).whole == set(GAMES)


async def test_a_batch_of_zeros_holds_what_may_be_hurt() -> None:
    """Nothing can be read of a batch: who goes on behind it is whole, who does not fit is lost, who
    is not heard of again is held."""
    disk, counts, segment = await played()
    data = disk.read(segment)
    starts = batch_starts(data)
    cases = {
        # the three games' batch: tyr began behind it
        1: Found(
            frozenset({"tyr"}),
            frozenset({"ares", "bellona", "mars"}),
            frozenset({"odin"}),
            frozenset(),
        ),
        # bellona's last: ares and mars go on behind it
        2: Found(
            frozenset({"ares", "mars", "tyr"}),
            frozenset(),
            frozenset({"bellona", "odin"}),
            frozenset(),
        ),
        # tyr's beginning: the rest of it cannot be joined to anything
        3: Found(
            frozenset({"ares", "mars"}),
            frozenset({"tyr"}),
            frozenset({"bellona", "odin"}),
            frozenset(),
        ),
    }
    for batch, expected in cases.items():
        damaged = disk.after_kill()
        damaged.open(segment).write(starts[batch], bytes(starts[batch + 1] - starts[batch]))
        assert await salvaged(damaged, segment, counts, f"batch {batch}") == expected


async def test_random_damage_is_never_taken_for_a_game() -> None:
    """Zeros, noise, cuts and moved pieces anywhere before the last batch: the law of every flipped
    byte holds for them too."""
    seed = 41
    rng = random.Random(seed)
    disk, counts, segment = await played()
    data = disk.read(segment)
    last = batch_starts(data)[-1]
    for number in range(150):
        damaged = disk.after_kill()
        at = rng.randrange(36, last - 1)
        count = rng.randint(1, min(rng.choice((4, 40, 400)), last - at))
        what = rng.choice((bytes(count), rng.randbytes(count), data[36 : 36 + count]))
        if what == data[at : at + count]:
            continue
        if rng.random() < 0.2:  # bytes taken out
            what = data[at + count : last] + data[last:]
            damaged.truncate(segment, at)
        damaged.open(segment).write(at, what)
        await salvaged(
            damaged, segment, counts, f"seed {seed}, number {number}, {count} bytes at {at}"
        )


async def test_a_name_changed_into_anothers_is_not_believed() -> None:
    """Two games of the same length: if a byte of an entry's name makes it the other's, neither is
    taken for whole."""
    memory = MemoryDisk()
    counts = {"g1": 1, "g3": 1, "other": 1}
    async with open_store(memory, run=at_once, segment_bytes=3000) as store:
        for game in counts:
            await store.create(game, [a_record("genesis")])
        await store.checkpoint()
        await move(store, counts, "g1")
        await move(store, counts, "other")
        disk = memory.after_kill()
    segment = f"wal/{disk.list('wal')[0]}"
    damaged = disk.after_kill()
    damaged.open(segment).write(disk.read(segment).index(b"g1"), b"g3")
    found = await salvaged(damaged, segment, counts, "g1 named g3")
    assert (found.whole, found.lost | found.held) == ({"other"}, {"g1", "g3"})


async def test_a_full_disk_lets_what_is_whole_be_read() -> None:
    """Where nothing can be kept aside the games are served for reading, with the same games closed;
    nothing was changed."""
    disk, counts, segment = await played()
    start = batch_starts(disk.read(segment))[1]
    disk.open(segment).write(start, bytes(200))
    before = disk.read(segment)
    async with open_store(
        FaultyDisk(disk, fail_at=1, forever=True), run=at_once, segment_bytes=3000
    ) as store:
        assert store.health().held == ("odin",)
        assert len(the_records(store.read("tyr"))) == counts["tyr"]
        with pytest.raises(StoreFailed):
            await store.append("tyr", counts["tyr"], a_move(9))
    assert disk.read(segment) == before
    assert [name for name in disk.list(losses.ASIDE) if not name.endswith(".new")] == []


async def test_killed_while_losses_are_kept() -> None:
    """Killed at any call of the first start behind the damage, with the power gone: the next start
    closes the same games."""
    disk, counts, segment = await played()
    start = batch_starts(disk.read(segment))[1]
    disk.open(segment).write(start, bytes(200))
    disk.open(segment).datasync()
    seed = 3
    rng = random.Random(seed)
    async with open_store(disk.after_kill(), run=at_once, segment_bytes=3000) as store:
        expected = await look(store, counts, "not killed")
    for call in range(1, 40):
        trial = disk.after_kill()
        try:
            async with open_store(
                FaultyDisk(trial, fail_at=call, forever=True), run=at_once, segment_bytes=3000
            ):
                pass
        except Exception as error:
            raise AssertionError(f"call {call}") from error
        for survivor in (trial.after_kill(), trial.after_power_loss(rng)):
            async with open_store(survivor, run=at_once, segment_bytes=3000) as store:
                assert await look(store, counts, f"failed at call {call}, seed {seed}") == expected


async def test_a_held_game_goes_on_by_an_operators_word() -> None:
    """Reopened, it takes commands again, for good; what is lost stays closed; a game that is not
    held is told as such."""
    disk, counts, segment = await played()
    starts = batch_starts(disk.read(segment))
    disk.open(segment).write(starts[1], bytes(starts[2] - starts[1]))
    assert reopen(disk, ["odin", "ares", "nosuch"]) == ("odin",)
    for number in range(3):
        async with open_store(disk, run=at_once, segment_bytes=3000) as store:
            assert (store.health().held, store.health().damaged) == (
                (),
                ("ares", "bellona", "mars"),
            )
            await store.append("odin", counts["odin"] + number, a_move(number))
            with pytest.raises(DataDirLocked):
                reopen(disk, ["odin"])


async def test_a_spoiled_list_of_losses_is_not_passed_over() -> None:
    """Without knowing who is hurt nobody is served: the file is named."""
    disk, _, _ = await played()
    for spoiled in (b"", b"[]", b'{"lost": {"g": 1}, "held": {}, "batches": []}'):
        disk.truncate(losses.FILE, 0) if disk.exists(losses.FILE) else None
        disk.open(losses.FILE).write(0, spoiled)
        with pytest.raises(DataDirDamaged, match="losses"):
            async with open_store(disk, run=at_once):
                pass


# --- every backend that keeps files ---------------------------------------------------------------

Opener = Callable[[], AbstractAsyncContextManager[Store]]


@frozen
class Backend:
    """Opens the store, and names the folder that the games are in."""

    open: Opener
    disk: Disk
    data: Path | None


async def crashed(kind: str, folder: Path, counts: dict[str, int]) -> Backend:
    """A store of that kind whose process was killed behind `play`."""
    if kind == "memory disk":
        disk, found, _ = await played()
        counts.update(found)
        return Backend(lambda: open_store(disk, run=at_once, segment_bytes=3000), disk, None)
    data = folder / "data"
    async with open_store(data) as store:
        await play(store, counts)
        shutil.copytree(data, folder / "killed")
    return Backend(
        lambda: open_store(folder / "killed"), RealDisk(folder / "killed"), folder / "killed"
    )


@pytest.mark.parametrize("kind", ["memory disk", "files"])
async def test_one_bad_batch_closes_no_game_but_those_it_hurt(kind: str, tmp_path: Path) -> None:
    """Over every backend: the others take commands and keep them, the hurt ones are named, by a
    copy and by `warledger check` too."""
    counts: dict[str, int] = {}
    backend = await crashed(kind, tmp_path, counts)
    segment = f"wal/{backend.disk.list('wal')[-1]}"
    data = backend.disk.read(segment)
    starts = batch_starts(data)
    file = backend.disk.open(segment)
    file.write(starts[1] + 30, bytes(starts[2] - starts[1] - 30))
    file.close()
    if backend.data is not None:
        copied = backup(backend.data, tmp_path / "copy")
        assert {damage.game for damage in copied.damaged} == {"ares", "bellona", "mars"}
        told = CliRunner(env={"WARLEDGER_LANGUAGE": "en"}).invoke(
            main, ["check", str(backend.data)]
        )
        assert told.exit_code == 1
        assert all(
            f"{game}" in told.output for game in ("ares", "bellona", "mars", "odin", segment)
        ), told.output
        async with open_store(tmp_path / "copy") as store:
            assert store.health().held == ("odin",)
    for _ in range(2):
        async with backend.open() as store:
            found = await look(store, counts, kind)
            assert found == Found(
                frozenset({"tyr"}),
                frozenset({"ares", "bellona", "mars"}),
                frozenset({"odin"}),
                frozenset(),
            )
            await move(store, counts, "tyr")
    if backend.data is not None:
        freed = CliRunner(env={"WARLEDGER_LANGUAGE": "en"}).invoke(
            main, ["reopen", str(backend.data), "odin", "ares"]
        )
        assert (
            freed.exit_code,
            "odin will accept commands again" in freed.output,
            "ares is not held" in freed.output,
        ) == (1, True, True)
        async with backend.open() as store:
            assert (await look(store, counts, kind)).held == frozenset()
            await move(store, counts, "odin")


def test_the_segment_of_the_story_is_sound() -> None:
    """What these tests damage is sound before."""
    disk, counts, segment = trio.run(played)
    parsed = parse_segment(disk.read(segment))
    assert (len(parsed.batches), segment, sum(counts.values())) == (
        7,
        segment_path(parsed.number),
        16,
    )
    assert check(disk) == []
