"""Opening the store that several machines share."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio

from warledger.engine.nats.natsclient import Settings, new_inbox, opened
from warledger.engine.nats.natsport import Engine
from warledger.engine.store.fleet.jetstream import SHARDS, JetStreamStore
from warledger.engine.store.fleet.receipts import Receipted, Receipts
from warledger.engine.store.fleet.sealedmessages import DataKeys


@asynccontextmanager
async def open_jetstream(
    settings: Settings,
    keys: DataKeys,
    *,
    shards: int = SHARDS,
    name: str = "",
    receipts: Receipts | None = None,
) -> AsyncIterator[JetStreamStore]:
    """The fleet's games. Waits for the engine; raises Rejected if its streams were never made.

    `name` is the incarnation of the node that owns games through it; without one nobody is
    expected to share them, and nothing is claimed. With `receipts` an append is answered once its
    receipt is kept, too.
    """
    async with opened(settings, new_inbox(settings, os.urandom(11))) as engine:
        await engine.connected()
        js = None if receipts is None else Receipted(engine, receipts)
        store = JetStreamStore(engine, keys, shards, name=name, js=js)
        async with running(store, engine):
            yield store


@asynccontextmanager
async def running(store: JetStreamStore, engine: Engine) -> AsyncIterator[JetStreamStore]:
    """Keep a store informed of what others do, and close it at the end."""
    heard = engine.subscribe("follow.*.>")
    await store.list_when_led()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(store.learn, heard)
        try:
            yield store
        finally:
            await store.aclose()
            nursery.cancel_scope.cancel()
