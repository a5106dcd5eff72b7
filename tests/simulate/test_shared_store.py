"""The store over JetStream against a modelled engine, under the mock clock: two writers of the same
games, with answers lost, messages late, leaders gone and replicas behind, from a seed.

What is checked is what players count on: what anybody was told is kept stands in the log once, at
the place they were told; what they were told is not kept stands nowhere; and everybody is told.
"""

from __future__ import annotations

import hashlib
from random import Random
from typing import Any

import pytest
import trio
import trio.testing

from tests.simulate.engine import Connection, Model
from tests.simulate.test_crashes import _deterministic
from warledger.engine.nats.jetstreamapi import Rejected
from warledger.engine.store.files.gamefile import Addition
from warledger.engine.store.fleet import sealedmessages
from warledger.engine.store.fleet.jetstream import JetStreamStore
from warledger.engine.store.fleet.sealedmessages import DataKeys
from warledger.engine.store.fleet.streamends import subject_of
from warledger.engine.store.port import FRAME_RECORD, Conflict, Frame, StoreError
from warledger.protocol.log.wlog import walk

GAMES = ("g", "h")
WRITERS = 2
APPENDS = 12


class Broken(AssertionError):
    """A promise that was not kept."""


def played(seed: int, mutant: str = "") -> str:
    """One run. Returns a digest of all that happened; raises Broken."""
    _deterministic(seed)
    clock = trio.testing.MockClock(autojump_threshold=0)
    return trio.run(_play, seed, mutant, clock=clock)


async def _play(seed: int, mutant: str) -> str:
    rng = Random(seed)
    monkey = pytest.MonkeyPatch()
    monkey.setattr(sealedmessages, "PIECE_BYTES", 300)
    keys = DataKeys.of({1: bytes(32)}, 1)
    keys = type(keys)(1, keys._boxes, rng.randbytes)
    kept: dict[tuple[str, int], bytes] = {}
    refused: set[bytes] = set()
    try:
        async with trio.open_nursery() as nursery:
            faults = rng.choice((0.0, 0.05, 0.2))
            model = Model(nursery, rng, faults, mutant)
            stores = [
                JetStreamStore(Connection(model, f"n{number}"), keys, 1, rng.randbytes)
                for number in range(WRITERS)
            ]
            for store in stores:
                store._ids.update(GAMES)
                _break(store, mutant)
            done = 0

            async def write(store: JetStreamStore, name: str, game: str) -> None:
                nonlocal done
                for number in range(APPENDS):
                    text = f"{name} {game} {number} ".encode() + bytes(rng.choice((0, 0, 700)))
                    while True:
                        try:
                            at = len(await store._read(game, 0, None))
                            await store.append(game, at, [Frame(FRAME_RECORD, text)])
                        except Conflict:
                            refused.add(text)
                            await trio.sleep(rng.uniform(0, 0.05))
                            text += b"+"
                            continue
                        break
                    if (game, at) in kept:
                        raise Broken(f"two were told that record {at} is theirs")
                    kept[game, at] = text
                done += 1

            async def trouble() -> None:
                while done < len(GAMES) * WRITERS:
                    await trio.sleep(rng.uniform(0.2, 20))
                    if faults:
                        await model.elect()

            model.faults = 0.0
            for game in GAMES:
                head = Frame(FRAME_RECORD, b"genesis")
                stores[0]._ids.discard(game)
                await stores[0].create(game, [head])
                kept[game, 0] = b"genesis"
            model.faults = faults
            with trio.fail_after(4 * 3600):
                async with trio.open_nursery() as writing:
                    writing.start_soon(trouble)
                    for number, store in enumerate(stores):
                        for game in GAMES:
                            writing.start_soon(write, store, f"n{number}", game)
            await trio.sleep(60)  # what is late arrives
            nursery.cancel_scope.cancel()
    except BaseExceptionGroup as group:
        broken = group.subgroup((Broken, StoreError, Rejected, trio.TooSlowError))
        if broken is not None:
            raise Broken(f"seed {seed}: {broken.exceptions!r}") from group
        raise
    finally:
        monkey.undo()
    _check(seed, model, keys, kept, refused)
    return hashlib.sha256("\n".join(model.log).encode()).hexdigest()


def _check(
    seed: int,
    model: Model,
    keys: DataKeys,
    kept: dict[tuple[str, int], bytes],
    refused: set[bytes],
) -> None:
    for game in GAMES:
        subject = subject_of(game, 1)
        data = b"".join(
            keys.open(one.payload).data for one in model.entries if one.subject == subject
        )
        log = [payload for _, _, payload in walk(data, 0)]
        told = [kept[one] for one in sorted(kept) if one[0] == game]
        if log != told:
            raise Broken(f"seed {seed}: {game} holds {len(log)} records, {len(told)} were told")
        if refused & set(log):
            raise Broken(f"seed {seed}: {game} holds what was refused")


def _break(store: JetStreamStore, mutant: str) -> None:
    """A store that errs in one way."""
    if mutant == "a conflict taken for one's own":
        first_after = store.settling.first_after

        async def mine(game: Any, subject: str) -> Any:
            found = await first_after(game, subject)
            if found is not None:
                found = type(found)(
                    found.subject, found.sequence, _Anything(found.headers), found.payload
                )
            return found

        store.settling.first_after = mine  # type: ignore[method-assign]
    if mutant == "answered before durable":

        async def at_once(game: Any, added: Addition) -> None:
            sealed_data = next(store.keys.seal(game.name, game.records, added.data))
            fence = {"Nats-Expected-Last-Subject-Sequence": str(game.last)}
            store._js.engine.publish(subject_of(game.name, 1), sealed_data, headers=fence)
            game.add(game.last + 1, len(added.records_at))

        store.settling.settle = at_once  # type: ignore[method-assign]
    if mutant == "refused when nobody can say":

        async def judged(
            game: Any, subject: str, identity: str, error: Rejected, tries: int
        ) -> int | None:
            raise Conflict(game.name, game.records, game.records)

        store.settling.judged = judged  # type: ignore[method-assign]


class _Anything(dict[str, str]):
    """Headers in which every identity is found."""

    def get(self, key: str, default: Any = None) -> Any:
        return _Same() if key == "Nats-Msg-Id" else default


class _Same:
    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


@pytest.mark.parametrize("part", range(3))
def test_what_was_told_is_what_stands_there(part: int) -> None:
    """Over many seeds; the seed is in the failure."""
    for seed in range(part * 10, part * 10 + 10):
        played(seed)


@pytest.mark.long
@pytest.mark.parametrize("part", range(20))
def test_what_was_told_is_what_stands_there_in_thousands_of_runs(part: int) -> None:
    """The same, further."""
    for seed in range(1000 + part * 100, 1100 + part * 100):
        played(seed)


def test_the_same_seed_gives_the_same_run() -> None:
    """To the last message and the instant of it."""
    assert played(5) == played(5) != played(6)


@pytest.mark.parametrize(
    "mutant",
    [
        "no fence",
        "loses",
        "a conflict taken for one's own",
        "answered before durable",
        "refused when nobody can say",
    ],
)
def test_a_planted_fault_is_found(mutant: str) -> None:
    """Of the engine or of the store, within some runs."""
    for seed in range(60):
        try:
            played(seed, mutant)
        except Broken:
            return
    raise AssertionError(f"{mutant}: not found in 60 runs")
