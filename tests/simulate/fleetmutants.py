"""Bugs planted into the nodes of a simulated fleet. Each must be found by the checker."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import pytest
import trio

from tests.simulate.reaching import Killed
from warledger.engine.nats.jetstreamapi import FULL, WRONG_LAST_SEQUENCE, Rejected
from warledger.engine.nats.natsport import Unknown
from warledger.engine.serve.games import actrequests
from warledger.engine.store.fleet.jetstream import JetStreamStore
from warledger.engine.store.fleet.publicstream import Projector
from warledger.engine.store.port import FRAME_OPENINGS, FRAME_RECORD, Frame, StoreError


def _skips(projector: Projector) -> None:
    """A projection that leaves out what was written while nobody looked."""
    missing = projector._missing

    async def some(game: str, place: Any, wanted: int) -> list[Frame]:
        found = await missing(game, place, wanted)
        if place.records and sum(one.kind == FRAME_RECORD for one in found) > 2:
            first = next(n for n, one in enumerate(found) if one.kind == FRAME_RECORD)
            return found[first + 1 :]
        return found

    projector._missing = some  # type: ignore[method-assign]


def _shows_openings(projector: Projector) -> None:
    """A projection that takes every frame for a public one."""
    missing, read = projector._missing, projector._read

    async def everything(game: str, place: Any, wanted: int) -> list[Frame]:
        found = await missing(game, place, wanted)
        if not found:
            return found
        frames = await read(game, max(0, place.records - 1))
        return [one for one in frames if one in found or one.kind == FRAME_OPENINGS]

    projector._missing = everything  # type: ignore[method-assign]


def _takes_for_its_own(store: JetStreamStore) -> None:
    """Whatever stands where an append was to stand is held for that append."""
    settling = store.settling
    judged = settling.judged

    async def own(
        game: Any, subject: str, identity: str, error: Rejected, tries: int
    ) -> int | None:
        if error.number == WRONG_LAST_SEQUENCE and error.last >= game.last:
            first = await settling.first_after(game, subject)
            if first is not None:
                return first.sequence
        return await judged(game, subject, identity, error, tries)

    settling.judged = own  # type: ignore[method-assign]


def _answers_early(store: JetStreamStore) -> None:
    """An append is answered when it is sent."""
    append = store.append

    async def early(game: str, expected_records: int, frames: Sequence[Frame]) -> None:
        known = await store._known(game)
        if known.owner != store.name or known.queued != expected_records:
            await append(game, expected_records, frames)
            return

        async def later() -> None:
            with suppress(StoreError, Killed):
                await store._write(known, frames)

        # It is queued in its first step, or refused there.
        trio.lowlevel.spawn_system_task(later)
        await trio.lowlevel.checkpoint()
        await trio.lowlevel.checkpoint()

    store.append = early  # type: ignore[method-assign]


def _gives_up(store: JetStreamStore) -> None:
    """An append whose outcome nobody knows is called not saved."""
    append = store._js.append

    async def once(*args: Any, **options: Any) -> Any:
        try:
            return await append(*args, **options)
        except Unknown:
            raise Rejected(min(FULL), "no answer") from None

    store._js.append = once  # type: ignore[method-assign]


STORES: dict[str, Callable[[JetStreamStore], None]] = {
    "a conflict taken for one's own append": _takes_for_its_own,
    "an answer before durable": _answers_early,
    "not saved, said of an unknown outcome": _gives_up,
}
"""Bugs of a node's store."""

PROJECTIONS: dict[str, Callable[[Projector], None]] = {
    "a projection that skips": _skips,
    "an opening put into the public stream": _shows_openings,
}
"""Bugs of what writes the public streams."""

FORGETS = "command ids lost at takeover"
"""The bug of a node that does not know what was sent to the owner before it."""

MUTANTS = (
    "no fence",
    "loses",
    "an older leadership",
    *STORES,
    *PROJECTIONS,
    FORGETS,
)
"""All bugs: the first three are the engine's."""


@contextmanager
def planted(mutant: str) -> Iterator[None]:
    """Plant what is neither a store's nor a projection's bug."""
    patch = pytest.MonkeyPatch()
    is_in = actrequests._is_in

    async def forgets(client: Any, game: Any, seq: int, act: Any) -> bool:
        return not client.hub.peers.takeovers and await is_in(client, game, seq, act)

    if mutant == FORGETS:
        patch.setattr(actrequests, "_is_in", forgets)
    try:
        yield
    finally:
        patch.undo()
