"""What is declined under the server's signature never stands later."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.serve.rig import (
    HOST_TOKEN,
    Client,
    new_game,
    server,
    show_nonce,
    started,
    take,
)
from tests.serve.signed import (
    PROMPT,
    MockClock,
    a_key,
    add_device,
    again_in,
    declined,
    device_act,
    signed_command,
    stands,
)
from warledger.engine.testing.memory import MemoryStore
from warledger.protocol.limits import KEYS_OF_A_SEAT_MAX
from warledger.protocol.seats import acts
from warledger.protocol.seats.acts import Act, Hand
from warledger.protocol.wire import messages as m

# --- declined for good ----------------------------------------------------------------------------


Case = Callable[
    [Client, Client, str], Awaitable[tuple[str, Act, Any, Callable[[Client], Awaitable[Any]]]]
]
"""Of a temporary refusal: its reason, the act with what goes with it, and how it passes."""


async def other_asks(client: Client, host: Client, game: str) -> Any:
    offered = await client.ask_for(game, "b", "draw")
    act = await client.sign(game, "a", acts.ASK, ("draw", 0))
    return "already_asked", act, None, lambda c: c.consent(game, "a", offered.seq, False)


async def key_unknown(client: Client, host: Client, game: str) -> Any:
    genesis = (await client.hand(game, "a")).genesis
    act = Hand(genesis, "a", a_key("phone"), 10**6).sign(
        acts.ASK, (await client.ask(m.Head, game)).head.hash, ("draw", 0)
    )

    async def passes(c: Client) -> Any:
        return (await add_device(c, game, "a", "phone"))[0]

    return "unknown_key", act, None, passes


async def too_many_keys(client: Client, host: Client, game: str) -> Any:
    for number in range(KEYS_OF_A_SEAT_MAX - 1):
        assert type((await add_device(client, game, "a", f"{number}"))[0]) is m.Accepted
    act, proof = await device_act(client, game, "a", a_key("ninth"))
    return (
        "too_many_keys",
        act,
        proof,
        lambda c: c.act(game, "a", acts.REVOKED, (a_key("3").verify_key.encode(),)),
    )


async def last_key(client: Client, host: Client, game: str) -> Any:
    own = (await client.hand(game, "a")).public
    act = await client.sign(game, "a", acts.REVOKED, (own,))

    async def passes(c: Client) -> Any:
        return (await add_device(c, game, "a", "phone"))[0]

    return "last_key", act, None, passes


async def nobody_replaced(client: Client, host: Client, game: str) -> Any:
    genesis = (await client.hand(game, "a")).genesis
    act = Hand(genesis, "a", a_key("carla")).sign(
        acts.REPLACED, (await client.ask(m.Head, game)).head.hash, ("", "Carla", "test")
    )

    async def passes(c: Client) -> Any:
        token = (await host.ask(m.Replace, game, "a", "Carla")).token
        return await c.ask(m.Login, token, "")

    return "not_replaced", act, None, passes


async def nothing_to_take_back(client: Client, host: Client, game: str) -> Any:
    to = (await client.ask(m.Head, game)).head.seq
    act = await client.sign(game, "a", acts.ASK, ("takeback", to))

    async def passes(c: Client) -> Any:
        return await c.order(game, "b")  # from now on there is something after that record

    return "takeback_target", act, None, passes


async def other_picks(client: Client, host: Client, game: str) -> Any:
    act, (_, blind) = await signed_command(client, game, "a", "add", 2)
    return "digest", act, (("add", 3), blind), lambda c: c.ask(m.Ping)


TEMPORARY = (
    other_asks,
    key_unknown,
    too_many_keys,
    last_key,
    nobody_replaced,
    nothing_to_take_back,
    other_picks,
)


@pytest.mark.parametrize("restart", [False, True])
@pytest.mark.parametrize("case", TEMPORARY, ids=lambda case: case.__name__)
async def test_a_declined_act_never_stands_although_its_reason_passes(
    case: Any, restart: bool, autojump_clock: MockClock
) -> None:
    """Once what was in its way has gone, the very same act stays declined, also after a restart;
    one like it with a higher number fits."""
    store = MemoryStore()
    async with server(store) as s:
        game, given, client = await started(s)
        host = await s.client(HOST_TOKEN)
        why, act, private, passes = await case(client, host, game)
        assert declined(await client.send_act(game, act, private), act) == why
        if not restart:
            assert type(await passes(client)) not in (m.Declined, m.Refused, m.Error)
            await still_declined(client, game, act, private)
    if restart:
        async with server(store) as s:
            client = await again_in(s, given, client)
            host.stream = (await s.client(HOST_TOKEN)).stream
            host.session = (fresh := await s.client(HOST_TOKEN)).session
            host.stream, host.request = fresh.stream, fresh.request
            assert type(await passes(client)) not in (m.Declined, m.Refused, m.Error)
            await still_declined(client, game, act, private)


async def still_declined(client: Client, game: str, act: Act, private: Any) -> None:
    """The act is declined as before, and a like one with a higher number is not."""
    if act.kind == acts.COMMAND:
        private = (("add", 2), private[1])  # what its digest was made of
    assert declined(await client.send_act(game, act, private), act) == "act_number"
    assert not await stands(client, game, act)
    keys = {key.verify_key.encode(): key for key in (a_key("phone"), a_key("carla"))}
    known = client.hands[game, act.seat]
    seen = (await client.ask(m.Head, game)).head.hash
    later = Hand(
        act.genesis, act.seat, keys.get(act.key, known._key), max(act.n, known.n) + 1
    ).sign(act.kind, seen, act.body)
    if act.kind == acts.DEVICE:
        private = (
            a_key("ninth")
            .sign(acts.device_bytes(act.genesis, act.seat, act.body[0], act.key))
            .signature
        )
    if act.kind == acts.COMMAND:
        later = Hand(act.genesis, act.seat, known._key, max(act.n, known.n) + 1).sign(
            act.kind, act.seen, act.body
        )
    answer = await client.send_act(game, later, private)
    assert type(answer) is m.Accepted, answer


async def test_an_early_nonce_or_order_stays_declined(autojump_clock: MockClock) -> None:
    """A nonce shown before every seat is taken, or orders before play begins, do not stand by
    themselves later."""
    async with server() as s:
        game, given = await new_game(s)
        client = await s.client(given["a"])
        await client.ask(m.Login, given["b"], "")
        await take(client, game, "a")
        said: list[Act] = []
        whole = client.send_act

        async def kept(game: str, act: Act, private: Any = None) -> Any:
            said.append(act)
            return await whole(game, act, private)

        client.send_act = kept  # type: ignore[method-assign]
        assert (await show_nonce(client, game, "a")).refusal.key == "refusal.nonce_early"
        assert (
            await client.order(game, "a", (PROMPT, (("pass",),), "game"))
        ).refusal.key == "refusal.not_started"
        nonce, orders = said
        client.send_act = whole  # type: ignore[method-assign]
        await take(client, game, "b")
        assert declined(await client.send_act(game, nonce), nonce) == "act_number"
        for seat in "ab":
            assert type(await show_nonce(client, game, seat)) is m.Accepted
        blind = hashlib.sha256(b"orders 0").digest()
        assert declined(
            await client.send_act(game, orders, (((PROMPT, (("pass",),), "game"),), blind)), orders
        ) in ("act_number", "digest")
        assert not await stands(client, game, orders)


async def test_a_record_that_is_guessed_is_not_seen(autojump_clock: MockClock) -> None:
    """Whoever names as seen a record that is yet to come (and could guess its bytes) is declined
    for good, so that no refusal of the server's is ever belied."""
    store = MemoryStore()
    async with server(store) as s:
        game, _, client = await started(s)
        device, proof = await device_act(client, game, "b", a_key("phone"))
        live = s.hub.supervisor.games[game].live
        assert live is not None
        at_ms = s.hub.supervisor.ambient.now_ms()
        batch = live.ledger.propose_device("b", device.body[0], proof, at_ms, by=device.by)
        guessed = batch.last.hash  # type: ignore[union-attr]
        hand = await client.hand(game, "a")
        hand.n += 100
        act = hand.sign(acts.ASK, guessed, ("resign", 0))
        assert declined(await client.send_act(game, act), act) == "seen"
        assert (await client.send_act(game, device, proof)).head.hash == guessed, (
            "the mock clock stands still"
        )
        assert declined(await client.send_act(game, act), act) == "act_number"


async def test_one_act_sent_twice_while_its_reason_passes_is_answered_as_one(
    autojump_clock: MockClock,
) -> None:
    """The same act, then what clears its way, then the act again, all before the first answer: it
    either stands and both are told so, or both are told that it never will."""
    async with server() as s:
        game, _, client = await started(s)
        clears, proof = await device_act(client, game, "a", a_key("phone"))
        blocked = Hand(clears.genesis, "a", a_key("phone")).sign(acts.ASK, clears.seen, ("draw", 0))
        said = [
            await client.say(
                m.Act,
                game,
                "a",
                act.kind,
                act.key,
                act.n,
                act.seen,
                act.body,
                act.signature,
                private,
            )
            for act, private in ((blocked, None), (clears, proof), (blocked, None))
        ]
        heard: dict[int, Any] = {}
        while len(heard) < 3:
            message = await client.hear()
            heard[message.request] = message
        first, cleared, second = (heard[number] for number in said)
        assert type(cleared) is m.Accepted
        assert type(first) is type(second)
        assert (type(first) is m.Accepted) == await stands(client, game, blocked)


async def test_refusals_that_are_kept_are_bounded(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A seat that has the most of them gets errors instead, for which nothing is kept; the other
    seat's are kept as before."""
    monkeypatch.setattr("warledger.engine.serve.games.actrequests.SPENT_MAX", 5)
    store = MemoryStore()
    async with server(store) as s:
        game, _, client = await started(s)
        found = []
        for _ in range(8):
            client.hands[game, "a"].n += 1
            act = await client.sign(game, "a", acts.REVOKED, (client.hands[game, "a"].public,))
            found.append(await client.send_act(game, act))
        assert [type(answer) for answer in found] == [m.Declined] * 5 + [m.Error] * 3
        act = await client.sign(game, "b", acts.REVOKED, (client.hands[game, "b"].public,))
        assert declined(await client.send_act(game, act), act) == "last_key"
        assert len([frame for frame in store.read(game) if b"spent" in frame.payload]) == 6
        assert type(await client.submit(game, "a", "pass")) is m.Accepted
