"""What tests of signed acts have in common: keys, logs, answers, and what a client signs."""

from __future__ import annotations

import hashlib
from typing import Any

import trio
import trio.testing
from nacl.signing import SigningKey

from tests.serve.rig import (
    SERVER_KEY,
    Client,
    Server,
)
from warledger.protocol.log import chain, records
from warledger.protocol.seats import acts
from warledger.protocol.seats.acts import Act, Hand
from warledger.protocol.wire import messages as m

MockClock = trio.testing.MockClock
PROMPT = "prompt.counting.act"
PUBLIC_KEY = SERVER_KEY.verify_key.encode()


def a_key(name: str) -> SigningKey:
    """A key of nobody's seat."""
    return SigningKey(hashlib.sha256(f"another key: {name}".encode()).digest())


def declined(answer: Any, act: Act, key: bytes = PUBLIC_KEY) -> str:
    """Why the act was declined; that is signed with the server's key."""
    assert type(answer) is m.Declined, answer
    assert answer.act == act.hash
    assert acts.verify(key, acts.refusal_bytes(act.hash, answer.seq, answer.hash), answer.signature)
    return str(answer.refusal.key).removeprefix("refusal.")


def malformed(answer: Any) -> bool:
    """Whether the server took it for nobody's act, and signed nothing about it."""
    return type(answer) is m.Error and answer.code == "malformed" and not answer.fatal


async def log_of(client: Client, game: str) -> list[records.Record]:
    """The whole public log, verified."""
    watcher = await client_like(client)
    last = (await watcher.ask(m.Subscribe, game, m.FROM_GENESIS, "public")).last_seq
    return list(chain.follow(data for _, data, _ in await watcher.until((game, "public"), last)))


async def client_like(client: Client) -> Client:
    """The same connection, which follows nothing yet."""
    for key in list(client.records):
        del client.records[key]
        await client.ask(m.Unsubscribe, *key)
    return client


async def signed_command(
    client: Client, game: str, seat: str, *picks: Any, id: bytes = b"id"
) -> tuple[Act, Any]:
    """A command for the decision that is open, not sent yet."""
    decision = (await client.ask(m.Choices, game, seat, ())).decision
    return await client.command(game, seat, *picks, id=id, decision=decision)


async def stands(client: Client, game: str, act: Act) -> bool:
    """Whether the log has the act."""
    log = await log_of(client, game)
    return any(
        found.hash == act.hash for record in log[1:] for found in acts.acts_of(log[0].hash, record)
    )


async def again_in(s: Server, given: dict[str, str], old: Client) -> Client:
    """A client in both seats of a server that was started again, which signs on where the old one
    left off."""
    client = await s.client(given["a"])
    await client.ask(m.Login, given["b"], "")
    client.hands = old.hands
    return client


async def add_device(client: Client, game: str, seat: str, name: str) -> tuple[Any, Hand]:
    """Declare a further key; the answer, and what signs with it."""
    act, proof = await device_act(client, game, seat, a_key(name))
    return await client.send_act(game, act, proof), Hand(act.genesis, seat, a_key(name))


def witness(hand: Hand, game: str, seq: int, hash: bytes) -> tuple[Any, ...]:
    """A witness as it is sent."""
    return (m.Witness, game, hand.seat, hand.public, seq, hash, hand.witness(seq, hash))


async def device_act(client: Client, game: str, seat: str, key: SigningKey) -> tuple[Act, bytes]:
    """A seat's declaration of a further key, and that key's proof."""
    public = key.verify_key.encode()
    act = await client.sign(game, seat, acts.DEVICE, (public,))
    return act, key.sign(acts.device_bytes(act.genesis, seat, public, act.key)).signature


async def play_out(client: Client, game: str) -> None:
    while type(await client.submit(game, "a", "pass")) is m.Accepted:
        await client.submit(game, "b", "pass")
