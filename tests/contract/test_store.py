"""The store's contract, held by every backend."""

from __future__ import annotations

import random

import pytest
import trio

from warledger.engine.store.port import (
    APPEND_BYTES_MAX,
    FRAME_META,
    FRAME_OPENINGS,
    FRAME_RECORD,
    FRAME_SECRETS,
    PAYLOAD_BYTES_MAX,
    Conflict,
    Frame,
    GameExists,
    StoreClosed,
    UnknownGame,
)

from .conftest import OpenStore, a_move, a_record, read, the_records


async def test_what_is_appended_is_read_back(open_backend: OpenStore) -> None:
    """Frames come back whole and in order, every kind, before and after a checkpoint and after
    reopening."""
    frames = [a_record("genesis"), Frame(FRAME_SECRETS, b"s"), Frame(FRAME_META, b"token")]
    async with open_backend() as store:
        await store.create("g1", frames)
        await store.append("g1", 1, a_move(1))
        await store.append("g1", 2, [Frame(FRAME_META, b"more")])
        expected = [*frames, *a_move(1), Frame(FRAME_META, b"more")]
        assert await read(store, "g1") == expected
        await store.checkpoint()
        assert await read(store, "g1") == expected
        await store.append("g1", 2, a_move(2))
        assert await read(store, "g1") == [*expected, *a_move(2)]
    async with open_backend() as store:
        assert store.games() == ["g1"]
        assert await read(store, "g1") == [*expected, *a_move(2)]


async def test_a_cursor_gets_neither_a_repeat_nor_a_gap(open_backend: OpenStore) -> None:
    """Reading after n records gives the rest from record n on, for every n, whatever lies in files
    and what in memory."""
    seed = 7
    rng = random.Random(seed)
    everything = [a_record("genesis"), Frame(FRAME_META, b"m")]
    async with open_backend() as store:
        await store.create("g", everything)
        for number in range(1, 90):
            move = a_move(number, rng.randint(0, 200))
            await store.append("g", number, move)
            everything += move
            if rng.random() < 0.05:
                await store.checkpoint()
        places = [index for index, frame in enumerate(everything) if frame.kind == FRAME_RECORD]
    async with open_backend() as store:
        for after in (50, *range(95)):
            expected = (
                everything
                if after == 0
                else everything[places[after] :]
                if after < len(places)
                else []
            )
            assert await read(store, "g", after) == expected, f"seed {seed}, after {after}"
        with pytest.raises(ValueError, match="after_records"):
            await read(store, "g", -1)


async def test_so_many_records_are_read_alone(open_backend: OpenStore) -> None:
    """Reading m records after n gives just those with what stands beside them, whatever lies in
    files and what in memory."""
    seed = 8
    rng = random.Random(seed)
    everything = [a_record("genesis"), Frame(FRAME_META, b"m")]
    async with open_backend() as store:
        await store.create("g", everything)
        for number in range(1, 70):
            move = [
                *a_move(number, rng.randint(0, 200)),
                *[Frame(FRAME_META, b"beside")] * rng.randint(0, 2),
            ]
            await store.append("g", number, move)
            everything += move
            if number in (20, 45):
                await store.checkpoint()
        places = [
            *(index for index, frame in enumerate(everything) if frame.kind == FRAME_RECORD),
            *[len(everything)] * 100,
        ]
        for after, most in [
            (0, 0),
            (0, 1),
            (69, 1),
            (69, 9),
            *((rng.randint(0, 69), rng.randint(0, 40)) for _ in range(300)),
        ]:
            found = await read(store, "g", after, most)
            assert found == everything[places[after] : places[after + most]], (
                f"seed {seed}, {most} after {after}"
            )
        assert await read(store, "g", 70, 5) == []


async def test_several_records_in_one_append(open_backend: OpenStore) -> None:
    """An append may hold several records; they count each."""
    async with open_backend() as store:
        await store.create("g", [a_record("a"), a_record("b")])
        await store.append("g", 2, [a_record("c"), Frame(FRAME_OPENINGS, b"o"), a_record("d")])
        await store.append("g", 4, [a_record("e")])
        assert the_records(await read(store, "g", 3)) == ["d", "e"]


async def test_a_wrong_count_is_a_conflict_and_changes_nothing(open_backend: OpenStore) -> None:
    """Appending to another number of records than the game holds is refused with both numbers."""
    async with open_backend() as store:
        await store.create("g", [a_record("genesis")])
        for wrong in (0, 2, -1):
            with pytest.raises(Conflict) as caught:
                await store.append("g", wrong, a_move(1))
            assert (caught.value.expected, caught.value.actual) == (wrong, 1)
        assert the_records(await read(store, "g")) == ["genesis"]
    async with open_backend() as store:
        with pytest.raises(Conflict):
            await store.append("g", 0, a_move(1))
        await store.append("g", 1, a_move(1))


async def test_of_two_appends_to_the_same_place_one_wins(open_backend: OpenStore) -> None:
    """Two tasks that append after the same record: exactly one is kept, the other is told of a
    conflict."""
    async with open_backend() as store:
        await store.create("g", [a_record("genesis")])
        outcomes: list[str] = []

        async def append(name: str) -> None:
            try:
                await store.append("g", 1, [a_record(name)])
                outcomes.append(name)
            except Conflict:
                outcomes.append("conflict")

        async with trio.open_nursery() as nursery:
            nursery.start_soon(append, "one")
            nursery.start_soon(append, "two")
        winner = next(name for name in outcomes if name != "conflict")
        assert sorted(outcomes) == sorted([winner, "conflict"])
        assert the_records(await read(store, "g")) == ["genesis", winner]


async def test_games_are_created_once(open_backend: OpenStore) -> None:
    """A second game of the same id is refused, at once and after reopening; nothing of it is
    kept."""
    async with open_backend() as store:
        await store.create("g", [a_record("first")])
        with pytest.raises(GameExists):
            await store.create("g", [a_record("second")])
    async with open_backend() as store:
        with pytest.raises(GameExists):
            await store.create("g", [a_record("third")])
        assert the_records(await read(store, "g")) == ["first"]


async def test_unknown_games_are_named(open_backend: OpenStore) -> None:
    """Reading or appending to a game that is not kept raises UnknownGame with its id."""
    async with open_backend() as store:
        with pytest.raises(UnknownGame, match="nosuch"):
            await read(store, "nosuch")
        with pytest.raises(UnknownGame, match="nosuch"):
            await store.append("nosuch", 0, a_move(1))


@pytest.mark.parametrize(
    "game", ["", ".", "..", "a/b", "a\\b", "-a", "a.wlog", "ä", "a" * 65, "a\n", "a\0b"]
)
async def test_ids_that_could_not_name_a_file_are_refused(
    open_backend: OpenStore, game: str
) -> None:
    """A game's id is a plain file name everywhere."""
    async with open_backend() as store:
        with pytest.raises(ValueError, match="cannot name a game"):
            await store.create(game, [a_record("genesis")])
        assert store.games() == []


async def test_frames_that_cannot_be_kept_are_refused(open_backend: OpenStore) -> None:
    """No frames, unknown kinds and oversized payloads or appends raise ValueError and change
    nothing."""
    half = Frame(FRAME_RECORD, bytes(PAYLOAD_BYTES_MAX))
    assert 2 * PAYLOAD_BYTES_MAX >= APPEND_BYTES_MAX - 1
    async with open_backend() as store:
        await store.create("g", [a_record("genesis")])
        for bad in (
            [],
            [Frame(77, b"")],
            [Frame(FRAME_RECORD, bytes(PAYLOAD_BYTES_MAX + 1))],
            [half, half],
        ):
            with pytest.raises(ValueError):
                await store.append("g", 1, bad)
            with pytest.raises(ValueError):
                await store.create("h", bad)
        await store.append("g", 1, a_move(1))
        assert store.games() == ["g"]


async def test_a_large_append_is_kept(open_backend: OpenStore) -> None:
    """A genesis of several megabytes, larger than any segment, is kept like any other."""
    big = bytes(range(256)) * 20_000
    async with open_backend() as store:
        await store.create("g", [Frame(FRAME_RECORD, big)])
        await store.append("g", 1, a_move(1))
    async with open_backend() as store:
        assert (await read(store, "g"))[0].payload == big
        assert the_records(await read(store, "g", 1)) == ["move 1"]


async def test_many_tasks_many_games(open_backend: OpenStore) -> None:
    """Fifty games appended to at once, across checkpoints: each holds its own records in order."""
    async with open_backend() as store:

        async def play(game: str) -> None:
            await store.create(game, [a_record("genesis")])
            for number in range(1, 21):
                await store.append(game, number, [a_record(f"{game} move {number}")])
                assert the_records(await read(store, game, number)) == [f"{game} move {number}"]

        async with trio.open_nursery() as nursery:
            for index in range(50):
                nursery.start_soon(play, f"game-{index}")
            await store.checkpoint()
    async with open_backend() as store:
        assert len(store.games()) == 50
        for game in store.games():
            assert the_records(await read(store, game)) == [
                "genesis",
                *(f"{game} move {number}" for number in range(1, 21)),
            ]


async def test_games_are_listed_sorted(open_backend: OpenStore) -> None:
    """The list of games does not depend on the order of their making."""
    async with open_backend() as store:
        for game in ("b", "a", "C", "d-1", "d_0"):
            await store.create(game, [a_record("genesis")])
        assert store.games() == sorted(["b", "a", "C", "d-1", "d_0"])
        assert store.health().games == 5


async def test_a_closed_store_takes_no_more(open_backend: OpenStore) -> None:
    """After aclose, which may be called twice, appends are refused with StoreClosed."""
    async with open_backend() as store:
        await store.create("g", [a_record("genesis")])
        await store.aclose()
        await store.aclose()
        with pytest.raises(StoreClosed):
            await store.append("g", 1, a_move(1))
        with pytest.raises(StoreClosed):
            await store.create("h", [a_record("genesis")])
        with pytest.raises(StoreClosed):
            await store.checkpoint()


async def test_cancelled_before_it_is_queued_nothing_is_kept(open_backend: OpenStore) -> None:
    """An append in an already cancelled scope writes nothing."""
    async with open_backend() as store:
        await store.create("g", [a_record("genesis")])
        with trio.CancelScope() as scope:
            scope.cancel()
            await store.append("g", 1, a_move(1))
        assert scope.cancelled_caught
        await store.append("g", 1, a_move(1))
        assert the_records(await read(store, "g")) == ["genesis", "move 1"]


async def test_a_read_in_a_thread_sees_whole_appends(open_backend: OpenStore) -> None:
    """Readers in threads, beside appends and checkpoints, see a prefix of whole appends every
    time."""
    async with open_backend() as store:
        await store.create("g", [a_record("genesis")])
        done = False

        async def read_on() -> None:
            seen = 0
            while not done:
                frames = await trio.to_thread.run_sync(store.read, "g")
                records = the_records(frames)
                assert records[1:] == [f"move {number}" for number in range(1, len(records))]
                assert len(frames) == 1 + 3 * (len(records) - 1)
                assert len(records) >= seen
                seen = len(records)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(read_on)
            nursery.start_soon(read_on)
            for number in range(1, 90):
                await store.append("g", number, a_move(number, 50))
                if number % 20 == 0:
                    await store.checkpoint()
            done = True


async def test_health_tells_of_work_done(open_backend: OpenStore) -> None:
    """A store in order says so and counts its appends."""
    async with open_backend() as store:
        await store.create("g", [a_record("genesis")])
        await store.append("g", 1, a_move(1))
        health = store.health()

        assert health.ok
        assert (health.reason, health.games, health.appends, health.waiting) == ("", 1, 2, 0)
        assert health.damaged == ()


async def test_a_game_is_followed_without_gap_or_repeat(open_backend: OpenStore) -> None:
    """Whoever follows gets what was there and what comes, bookkeeping and large appends too, from
    any record on, each append whole; and as many as follow get the same."""
    seed = 21
    rng = random.Random(seed)
    everything = [a_record("genesis"), Frame(FRAME_META, b"m")]
    heard: dict[int, list[Frame]] = {0: [], 3: []}
    async with open_backend() as store:
        await store.create("g", everything)
        for number in range(1, 6):
            await store.append("g", number, a_move(number))
            everything += a_move(number)
        waits = {0: trio.Event(), 3: trio.Event()}

        async def follow(after: int) -> None:
            following = store.follow("g", after)
            try:
                async for frames in following:
                    assert frames, f"seed {seed}"
                    heard[after] += frames
                    waits[after].set()
                    if heard[after][-1].payload == b"last":
                        return
            finally:
                await following.aclose()

        with trio.fail_after(20):
            async with trio.open_nursery() as nursery:
                for after in waits:
                    nursery.start_soon(follow, after)
                for event in waits.values():
                    await event.wait()
                for number in range(6, 30):
                    move = a_move(number, 700_000 if number == 9 else rng.randint(0, 200))
                    await store.append("g", number, move)
                    everything += move
                    if rng.random() < 0.3:
                        meta = [Frame(FRAME_META, f"beside {number}".encode())]
                        await store.append("g", number + 1, meta)
                        everything += meta
                last = [Frame(FRAME_META, b"last")]
                await store.append("g", 30, last)
                everything += last
        places = [index for index, frame in enumerate(everything) if frame.kind == FRAME_RECORD]
        assert heard[0] == everything, f"seed {seed}"
        assert heard[3] == everything[places[3] :], f"seed {seed}"
        with pytest.raises(UnknownGame):
            async for _ in store.follow("no"):
                pass


async def test_a_game_that_nobody_else_can_have_is_claimed_at_once(
    open_backend: OpenStore,
) -> None:
    """Claiming and releasing change nothing of a game whose store is not shared."""
    async with open_backend() as store:
        await store.create("g", [a_record("genesis")])
        assert await store.claim("g")
        await store.append("g", 1, a_move(1))
        assert await store.release("g")
        assert await store.claim("g", {"somebody"})
        assert await read(store, "g") == [a_record("genesis"), *a_move(1)]
        with pytest.raises(UnknownGame):
            await store.claim("no")
        with pytest.raises(UnknownGame):
            await store.release("no")
