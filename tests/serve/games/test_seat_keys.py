"""The keys of a seat, a seat that is handed over, and its standing answers."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
import trio
import trio.testing

from tests.serve.rig import (
    HOST_TOKEN,
    SERVER_KEY,
    Client,
    Server,
    new_game,
    server,
    started,
    take,
)
from tests.serve.signed import PROMPT, MockClock, a_key, add_device, declined, device_act, log_of
from warledger.engine.serve.games.actlimits import CHANGES_AT_ONCE
from warledger.engine.testing.memory import MemoryStore
from warledger.protocol import canon
from warledger.protocol.log import records
from warledger.protocol.seats import acts
from warledger.protocol.seats.acts import Hand
from warledger.protocol.wire import messages as m

# --- keys -----------------------------------------------------------------------------------------


async def test_a_further_device_acts_for_its_seat(autojump_clock: MockClock) -> None:
    """Its key is declared by one that the seat has, with a proof of its own; then it plays, until
    it is revoked. It is no other seat's."""
    async with server() as s:
        game, _, client = await started(s)
        act, proof = await device_act(client, game, "a", a_key("phone"))
        other = (
            a_key("else").sign(acts.device_bytes(act.genesis, "a", act.body[0], act.key)).signature
        )
        assert declined(await client.send_act(game, act, other), act) == "signature"
        assert declined(await client.send_act(game, act, proof), act) == "act_number"
        answer, phone = await add_device(client, game, "a", "phone")
        assert type(answer) is m.Accepted
        first = client.hands[game, "a"]
        client.hands[game, "a"] = phone
        assert type(await client.submit(game, "a", "add", 1)) is m.Accepted
        act, proof = await device_act(client, game, "b", a_key("phone"))
        assert declined(await client.send_act(game, act, proof), act) == "key_in_use"
        client.hands[game, "a"] = first
        revoked = await client.act(game, "a", acts.REVOKED, (phone.public,))
        assert type(revoked) is m.Accepted
        act = Hand(phone.genesis, "a", a_key("phone"), 10**6).sign(
            acts.ASK, revoked.head.hash, ("draw", 0)
        )
        assert declined(await client.send_act(game, act), act) == "unknown_key"
        act, proof = await device_act(client, game, "a", a_key("phone"))
        assert declined(await client.send_act(game, act, proof), act) == "key_in_use", (
            "a key is never used twice"
        )


async def test_keys_that_no_device_may_have(autojump_clock: MockClock) -> None:
    """The other seat's, the server's, its own, one of small order; and a ninth one."""
    async with server() as s:
        game, _, client = await started(s)
        for key in (client.hands[game, "b"]._key, SERVER_KEY, client.hands[game, "a"]._key):
            assert key is not None
            act, proof = await device_act(client, game, "a", key)
            assert declined(await client.send_act(game, act, proof), act) == "key_in_use"
        small = await client.sign(game, "a", acts.DEVICE, (bytes([1]) + bytes(31),))
        assert (
            declined(await client.send_act(game, small, bytes([1]) + bytes(63)), small)
            == "signature"
        )
        answers = [await add_device(client, game, "a", f"{number}") for number in range(8)]
        assert [type(answer) for answer, _ in answers] == [m.Accepted] * 7 + [m.Declined]
        assert answers[7][0].refusal.key == "refusal.too_many_keys"


async def test_a_seat_is_not_taken_with_a_key_that_is_somebody_elses(
    autojump_clock: MockClock,
) -> None:
    """The other seat's key and the server's are refused as the seat is taken."""
    async with server() as s:
        game, given = await new_game(s)
        client = await s.client(given["a"])
        await client.ask(m.Login, given["b"], "")
        await take(client, game, "a")
        hand = await client.hand(game, "b")
        for key in (client.hands[game, "a"]._key, SERVER_KEY):
            client.hands[game, "b"] = Hand(hand.genesis, "b", key)
            answer = await take(client, game, "b")
            assert answer.refusal.key == "refusal.key_in_use"


async def test_the_last_key_stays(autojump_clock: MockClock) -> None:
    """A seat that has one key keeps it; one that has two may revoke the key it signs with."""
    async with server() as s:
        game, _, client = await started(s)
        own = client.hands[game, "a"].public
        act = await client.sign(game, "a", acts.REVOKED, (own,))
        assert declined(await client.send_act(game, act), act) == "last_key"
        _, phone = await add_device(client, game, "a", "phone")
        assert type(await client.act(game, "a", acts.REVOKED, (own,))) is m.Accepted
        client.hands[game, "a"] = phone
        act = await client.sign(game, "a", acts.REVOKED, (phone.public,))
        assert declined(await client.send_act(game, act), act) == "last_key"
        assert type(await client.submit(game, "a", "pass")) is m.Accepted


async def test_what_nothing_bounds_comes_only_so_often(autojump_clock: MockClock) -> None:
    """Keys and consents to hand over are rate-limited as orders are; the error says when to try
    again."""
    async with server() as s:
        game, _, client = await started(s)
        answer: Any = None
        for number in range(CHANGES_AT_ONCE + 1):
            answer = await client.act(
                game, "a", acts.HANDED, ("Carla", hashlib.sha256(bytes([number])).digest())
            )
        assert (type(answer), answer.code) == (m.Error, "slow_down")
        assert type((await add_device(client, game, "b", "phone"))[0]) is m.Accepted
        await trio.sleep(dict(answer.say.args)["seconds"])
        assert type((await add_device(client, game, "a", "phone of a"))[0]) is m.Accepted


# --- somebody else in a seat ----------------------------------------------------------------------


async def replaced(
    s: Server, client: Client, game: str, *, consent: bool, name: str = "Carla"
) -> tuple[Client, Any]:
    """Carla in seat b, with or without the consent of its key; her client, and the answer to her
    act."""
    host = await s.client(HOST_TOKEN)
    carla = await s.client((await host.ask(m.Replace, game, "b", "Carla")).token)
    hand = carla.hands[game, "b"] = Hand(
        (await client.hand(game, "b")).genesis, "b", a_key("carla")
    )
    if consent:
        # Signed by Bert, who gives it to whoever comes.
        act = await client.sign(game, "b", acts.HANDED, ("Carla", hand.public))
        assert type(await carla.send_act(game, act)) is m.Accepted
    return carla, await carla.act(game, "b", acts.REPLACED, ("", name, "test"))


@pytest.mark.parametrize("consent", [False, True])
async def test_a_seat_that_is_handed_over(consent: bool, autojump_clock: MockClock) -> None:
    """The newcomer signs with a new key; the log tells whether a key of the seat consented. The old
    keys and orders count no longer."""
    store = MemoryStore()
    async with server(store) as s:
        game, given, client = await started(s)
        await client.order(game, "b", (PROMPT, (("pass",),), "game"))
        carla, answer = await replaced(s, client, game, consent=consent)
        assert type(answer) is m.Accepted
        record = (await log_of(carla, game))[answer.seq]
        assert (record.actor, record.body[:5]) == ("b", ("replaced", "b", "", "Carla", "test"))
        found = acts.acts_of((await carla.hand(game, "b")).genesis, record)
        assert [act.kind for act in found] == ["replaced", "handed"][: 1 + consent] and all(
            act.holds for act in found
        )
        assert (await carla.ask(m.Standing, game, "b")).orders == ()
        anna = await s.client(given["a"])
        anna.hands = client.hands
        assert type(await anna.submit(game, "a", "pass")) is m.Accepted
        choices = await carla.ask(m.Choices, game, "b", ())
        assert type(choices) is m.ChoicesAre, "no order of who has gone answers"
        bert = await client.hand(game, "b")
        act = bert.sign(acts.ASK, (await carla.ask(m.Head, game)).head.hash, ("resign", 0))
        assert declined(await carla.send_act(game, act), act) == "unknown_key"
        assert type(await carla.submit(game, "b", "pass")) is m.Accepted
    async with server(store) as s:
        rows = (await (await s.client()).ask(m.Games, "", "", 9)).games
        assert rows[0]["seats"] == (("a", "Anna"), ("b", "Carla"))


async def test_nobody_is_replaced_otherwise(autojump_clock: MockClock) -> None:
    """Not before play begins, not by another name than the host's, not by an old key, not without a
    key in a seat that has one."""
    async with server() as s:
        waiting, given = await new_game(s)
        host = await s.client(HOST_TOKEN)
        assert (
            await host.ask(m.Replace, waiting, "b", "Carla")
        ).refusal.key == "refusal.not_started"
        client = await s.client(given["b"])
        act = await client.sign(waiting, "b", acts.REPLACED, ("", "Carla", "test"))
        assert declined(await client.send_act(waiting, act), act) == "not_replaced"
        game, given, client = await started(s)
        carla, answer = await replaced(s, client, game, consent=False, name="Dora")
        assert answer.refusal.key == "refusal.not_replaced"
        genesis = carla.hands[game, "b"].genesis
        for key, why in (
            (client.hands[game, "b"]._key, "key_in_use"),
            (None, "key_needed"),
            (SERVER_KEY, "key_in_use"),
        ):
            act = Hand(genesis, "b", key, 10**6).sign(
                acts.REPLACED, (await carla.ask(m.Head, game)).head.hash, ("", "Carla", "test")
            )
            assert declined(await carla.send_act(game, act), act) == why


async def test_a_consent_counts_until_its_key_signs_something_else(
    autojump_clock: MockClock,
) -> None:
    """Whoever consents and plays on has not handed the seat over: the log says that no key of the
    seat consented."""
    async with server() as s:
        game, _, client = await started(s)
        hand = Hand((await client.hand(game, "b")).genesis, "b", a_key("carla"))
        assert type(await client.act(game, "b", acts.HANDED, ("Carla", hand.public))) is m.Accepted
        client.hands[game, "b"].n += 1
        assert type(await client.order(game, "b")) is m.Accepted
        host = await s.client(HOST_TOKEN)
        carla = await s.client((await host.ask(m.Replace, game, "b", "Carla")).token)
        carla.hands[game, "b"] = hand
        answer = await carla.act(game, "b", acts.REPLACED, ("", "Carla", "test"))
        assert (await log_of(carla, game))[answer.seq].body[6] == ()


# --- standing answers -----------------------------------------------------------------------------


async def test_orders_stand_in_the_log_sealed_until_the_end(autojump_clock: MockClock) -> None:
    """Everybody sees that they were changed, the seat alone what they are; commands that follow
    from them name them; the end opens them."""
    async with server() as s:
        game, _, client = await started(s, turns=2)
        orders = ((PROMPT, (("pass",),), "game"),)
        answer = await client.order(game, "b", *orders)
        assert type(answer) is m.Accepted
        await client.ask(m.Subscribe, game, m.FROM_GENESIS, "b")
        public = (await log_of(client, game))[answer.seq]
        assert (public.kind, public.actor, public.body[0]) == ("orders", "b", "b")
        assert type(public.body[1]) is canon.Seal
        (act,) = acts.acts_of(client.hands[game, "b"].genesis, public)
        assert act.holds and act.body == (public.body[2],)
        await client.submit(game, "a", "pass")
        followed = [record for record in await log_of(client, game) if record.kind == "command"][-1]
        assert (
            followed.actor,
            followed.body[records.BY],
            followed.body[records.COMMAND_ID],
            followed.body[records.DIGEST],
        ) == (
            "b",
            (answer.seq, 0, 0),
            b"",
            b"",
        )
        await client.submit(game, "a", "pass")
        log = await log_of(client, game)
        assert [record.kind for record in log[-2:]] == ["end", "reveal"]
        opened = {(seq, tuple(path)): value for seq, path, _, value in log[-1].body[0]}
        assert ((PROMPT, (("pass",),), "game"),) in [
            value[0] for (seq, _), value in opened.items() if seq == answer.seq
        ]


async def test_orders_for_a_turn_end_with_it_and_only_the_newest_count(
    autojump_clock: MockClock,
) -> None:
    """A "turn" order answers until a turn is closed; an older set never answers again, not even
    after an empty one."""
    async with server() as s:
        game, _, client = await started(s)
        await client.order(
            game, "b", (PROMPT, (("add", 1),), "turn"), (PROMPT, (("pass",),), "game")
        )
        newest = await client.order(game, "b", (PROMPT, (("add", 2),), "turn"))
        assert (await client.ask(m.Standing, game, "b")).orders == (
            (PROMPT, (("add", 2),), "turn"),
        )
        await client.submit(game, "a", "pass")
        log = await log_of(client, game)
        given = [record for record in log if record.kind == "command" and record.actor == "b"]
        assert [(record.body[records.BY], record.body[records.PICKS][0]) for record in given] == [
            ((newest.seq, 0, 0), ("add", 2))
        ]
        assert (await client.ask(m.Standing, game, "b")).orders == ()
        await client.submit(game, "a", "pass")
        assert type(await client.ask(m.Choices, game, "b", ())) is m.ChoicesAre
        await client.order(game, "b", (PROMPT, (("pass",),), "game"))
        await client.submit(game, "a", "pass")
        await client.order(game, "b")
        await client.submit(game, "a", "pass")
        assert type(await client.ask(m.Choices, game, "b", ())) is m.ChoicesAre
