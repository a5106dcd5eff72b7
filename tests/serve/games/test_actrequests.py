"""What seats sign, at the server's door: accepted once, and only from the seat whose key it is."""

from __future__ import annotations

import random
from typing import Any

from tests.serve.rig import (
    HOST_TOKEN,
    NAMES,
    new_game,
    nonce_of,
    server,
    started,
    take,
)
from tests.serve.signed import (
    MockClock,
    a_key,
    add_device,
    again_in,
    declined,
    malformed,
    signed_command,
    stands,
)
from warledger.engine.testing.memory import MemoryStore
from warledger.protocol.chance import dice
from warledger.protocol.seats import acts
from warledger.protocol.seats.acts import Hand
from warledger.protocol.wire import messages as m

# --- once and for all -----------------------------------------------------------------------------


async def test_the_same_act_stands_once_however_late_it_comes_again(
    autojump_clock: MockClock,
) -> None:
    """Hundreds of acts later, also after a restart, it is answered as what it is; it is not
    declined because its number is old."""
    store = MemoryStore()
    async with server(store) as s:
        game, given, client = await started(s, turns=4000)
        act, private = await signed_command(client, game, "a", "add", 2)
        first = await client.send_act(game, act, private)
        for step in range(600):
            await client.submit(game, "ba"[step % 2], "pass")
        again = await client.send_act(game, act, private)
        assert (type(again), again.seq, again.again) == (m.Accepted, first.seq, True)
    async with server(store) as s:
        client = await again_in(s, given, client)
        again = await client.send_act(game, act, private)
        assert (type(again), again.seq, again.again) == (m.Accepted, first.seq, True)


async def test_an_act_of_a_revoked_key_that_stands_is_not_declined(
    autojump_clock: MockClock,
) -> None:
    """Sent again after its key was revoked, it is still what stands."""
    async with server() as s:
        game, _, client = await started(s)
        device, hand = await add_device(client, game, "a", "phone")
        assert type(device) is m.Accepted
        act = hand.sign(acts.ASK, (await client.ask(m.Head, game)).head.hash, ("draw", 0))
        asked = await client.send_act(game, act)
        assert type(await client.act(game, "a", acts.REVOKED, (hand.public,))) is m.Accepted
        again = await client.send_act(game, act)
        assert (again.again, again.seq) == (True, asked.seq)


async def test_a_number_or_a_command_id_serves_once(autojump_clock: MockClock) -> None:
    """Another act with the same number, or another command with the same id, is declined."""
    async with server() as s:
        game, _, client = await started(s)
        act, private = await signed_command(client, game, "a", "add", 2, id=b"one")
        await client.send_act(game, act, private)
        hand = await client.hand(game, "a")
        twin = Hand(hand.genesis, "a", hand._key, act.n - 1).sign(acts.ASK, act.seen, ("draw", 0))
        assert declined(await client.send_act(game, twin), twin) == "act_twice"
        await client.submit(game, "b", "pass")
        other, private = await signed_command(client, game, "a", "add", 3, id=b"one")
        assert declined(await client.send_act(game, other, private), other) == "act_twice"
        assert not await stands(client, game, other)


async def test_a_declined_act_uses_up_its_number_where_its_reason_may_pass(
    autojump_clock: MockClock,
) -> None:
    """Another act under the same number is declined then, and one under the next accepted: the log
    skips a number. Where the reason is for good the number is still free."""
    async with server() as s:
        game, _, client = await started(s)
        asked = await client.sign(game, "a", acts.ASK, ("takeback", 10**6))
        assert declined(await client.send_act(game, asked), asked) == "takeback_target"
        hand = await client.hand(game, "a")
        twin = Hand(hand.genesis, "a", hand._key, asked.n - 1).sign(
            acts.ASK, asked.seen, ("draw", 0)
        )
        assert declined(await client.send_act(game, twin), twin) == "act_number"
        wrong, private = await signed_command(client, game, "a", "fly")
        assert wrong.n == asked.n + 1
        assert declined(await client.send_act(game, wrong, private), wrong) == "not_offered"
        offered = Hand(hand.genesis, "a", hand._key, wrong.n - 1).sign(
            acts.ASK, wrong.seen, ("draw", 0)
        )
        assert type(await client.send_act(game, offered)) is m.Accepted
        assert await stands(client, game, offered)


async def test_numbers_and_what_was_seen_only_go_on(autojump_clock: MockClock) -> None:
    """A number that does not rise, a record seen before the one already seen, or one of 256 records
    ago: declined."""
    async with server() as s:
        game, _, client = await started(s, turns=4000)
        early = (await client.ask(m.Head, game)).head.hash
        await client.submit(game, "a", "pass")
        offered = await client.ask_for(game, "b", "draw")
        await client.consent(game, "a", offered.seq, False)
        hand = await client.hand(game, "a")
        low = Hand(hand.genesis, "a", hand._key, 0).sign(
            acts.ASK, (await client.ask(m.Head, game)).head.hash, ("draw", 0)
        )
        # Its number was that of the seat's own `taken`.
        assert declined(await client.send_act(game, low), low) in ("act_number", "act_twice")
        back = hand.sign(
            acts.ORDERS, early, (acts.orders_digest(hand.genesis, "a", bytes(32), ()),)
        )
        assert declined(await client.send_act(game, back, ((), bytes(32))), back) == "seen_back"
        seen = (await client.ask(m.Head, game)).head.hash
        for step in range(260):
            await client.submit(game, "ba"[step % 2], "pass")
        old = hand.sign(acts.ASK, seen, ("draw", 0))
        assert declined(await client.send_act(game, old), old) == "seen"


async def test_who_asks_or_answers_has_seen_what_it_is_about(autojump_clock: MockClock) -> None:
    """A request is declined if a command stands after what its seat had seen, an answer if the
    request does, a command if its question does; an answer names the request that stands."""
    async with server() as s:
        game, _, client = await started(s)
        hand = {seat: await client.hand(game, seat) for seat in "ab"}
        before = (await client.ask(m.Head, game)).head.hash
        await client.submit(game, "a", "pass")
        for seat, kind in (("b", "resign"), ("b", "draw")):
            hand[seat].n += 100
            act = hand[seat].sign(acts.ASK, before, (kind, 0))
            assert declined(await client.send_act(game, act), act) == "seen_early"
        seen = (await client.ask(m.Head, game)).head.hash
        offered = await client.ask_for(game, "b", "draw")
        unseen = hand["a"].sign(acts.ANSWER, seen, (offered.seq, True))
        assert declined(await client.send_act(game, unseen), unseen) == "seen_early"
        wrong = await client.sign(game, "a", acts.ANSWER, (offered.seq - 1, True))
        assert declined(await client.send_act(game, wrong), wrong) == "other_request"
        assert type(await client.consent(game, "a", offered.seq, False)) is m.Accepted
        question = (await client.ask(m.Choices, game, "b", ())).decision
        assert question == offered.seq - 1
        blind, id = bytes(32), b"blindly"
        digest = acts.picks_digest(hand["b"].genesis, "b", question, id, blind, ("pass",))
        hand["b"].n += 100
        early = hand["b"].sign(acts.COMMAND, before, (question, id, digest))
        assert declined(await client.send_act(game, early, (("pass",), blind)), early) in (
            "seen_early",
            "seen_back",
        )


# --- whose it is ----------------------------------------------------------------------------------


async def test_what_nobody_of_the_seat_signed_is_no_act(autojump_clock: MockClock) -> None:
    """A signature of another key, of other bytes, of the wrong length, or none: an error, about
    which the server signs nothing; the act itself can still be sent."""
    async with server() as s:
        game, _, client = await started(s)
        act, private = await signed_command(client, game, "a", "add", 2)
        head = (await client.ask(m.Head, game)).head
        fields = (act.key, act.n, act.seen, act.body)
        message = acts.signed_bytes(act.genesis, act.key, "a", act.kind, *fields[1:])
        for key, signature in (
            (act.key, a_key("thief").sign(message).signature),
            (act.key, a_key("thief").sign(b"").signature),
            (act.key, bytes(64)),
            (act.key, b""),
            (act.key, act.signature[:63]),
            (act.key[:31], act.signature),
            (bytes(32), bytes(64)),
            (b"", act.signature),
        ):
            assert malformed(
                await client.ask(m.Act, game, "a", act.kind, key, *fields[1:], signature, private)
            )
        assert (await client.ask(m.Head, game)).head == head
        assert type(await client.send_act(game, act, private)) is m.Accepted


async def test_a_key_that_is_not_the_seats(autojump_clock: MockClock) -> None:
    """Its acts are declined: of a stranger's key, of the other seat's, and those without a key in a
    seat that has one."""
    async with server() as s:
        game, _, client = await started(s)
        mine, theirs = await client.hand(game, "a"), await client.hand(game, "b")
        head = (await client.ask(m.Head, game)).head.hash
        for key in (a_key("stranger"), theirs._key, None):
            act = Hand(mine.genesis, "a", key, 1000).sign(acts.ASK, head, ("resign", 0))
            assert declined(await client.send_act(game, act), act) == "unknown_key"
        assert (await client.ask(m.Games, "playing", "", 9)).games[0]["game"] == game


async def test_every_body_has_the_form_of_its_kind(autojump_clock: MockClock) -> None:
    """Signed nonsense is declined, whatever the kind; nothing is a fault, and the game goes on."""
    rng, seed = random.Random(9), 9
    values: list[Any] = [
        0,
        -1,
        2**50,
        "",
        "draw",
        "takeback",
        b"",
        bytes(32),
        True,
        None,
        (),
        ("a",),
        {},
        ("draw", 0),
        "server",
        "\x1b",
    ]
    async with server() as s:
        game, _, client = await started(s)
        hand = await client.hand(game, "a")
        head = (await client.ask(m.Head, game)).head
        hand.n = 100
        for _ in range(400):
            kind = rng.choice(acts.ACT_KINDS)
            body = rng.choice(
                [tuple(rng.choice(values) for _ in range(rng.randint(0, 4))), rng.choice(values)]
            )
            if (kind, body) == (acts.ASK, ("draw", 0)):
                continue
            act = hand.sign(kind, head.hash, body)
            answer = await client.send_act(game, act, rng.choice(values))
            assert type(answer) is m.Declined or (
                type(answer) is m.Error and answer.code in ("busy", "slow_down")
            ), f"{seed} {answer}"
        assert s.hub.metrics.faults == 0
        assert (await client.ask(m.Head, game)).head == head
        assert type(await client.submit(game, "a", "pass")) is m.Accepted


async def test_a_seat_is_not_taken_without_a_key(autojump_clock: MockClock) -> None:
    """Where the terms do not say that it may."""
    async with server() as s:
        waiting, given = await new_game(s)
        client = await s.client(given["a"])
        hand = await client.hand(waiting, "a")
        act = Hand(hand.genesis, "a", None).sign(
            acts.TAKEN, hand.genesis, ("", "Anna", bytes(32), "test")
        )
        assert declined(await client.send_act(waiting, act), act) == "key_needed"


async def test_seats_that_sign_nothing_sit_only_where_the_terms_say_so(
    autojump_clock: MockClock,
) -> None:
    """They take a seat without a key, number their acts all the same, and have no further keys; the
    seat beside them signs as ever. Lists tell which they are. An unknown term is refused."""
    async with server() as s:
        host = await s.client(HOST_TOKEN)
        assert (
            await host.ask(m.OpenGame, "counting", {}, {"self_play": True})
        ).code == "bad_option"
        created = await host.ask(m.OpenGame, "counting", {}, {"unsigned_seats": True})
        game, given = created.game, dict(created.tokens)
        client = await s.client(given["a"])
        await client.ask(m.Login, given["b"], "")
        hand = await client.hand(game, "a")
        client.hands[game, "a"] = Hand(hand.genesis, "a", None)
        assert type(await take(client, game, "a")) is m.Accepted
        assert type(await take(client, game, "b")) is m.Accepted
        keys = {"a": b"", "b": (await client.hand(game, "b")).public}
        entries = [
            (
                seat,
                "",
                NAMES[seat],
                keys[seat],
                dice.bound_nonce_hash(hand.genesis, seat, nonce_of(seat)),
            )
            for seat in "ab"
        ]
        roster = acts.roster_hash(hand.genesis, entries)
        for seat in "ab":
            assert (
                type(await client.act(game, seat, acts.NONCE, (nonce_of(seat), roster)))
                is m.Accepted
            )
        assert type(await client.submit(game, "a", "add", 2)) is m.Accepted
        assert type(await client.submit(game, "b", "add", 2)) is m.Accepted
        row = (await client.ask(m.Games, "", "", 9)).games[0]
        assert row["unsigned"] == ("a",)
        device = await client.sign(game, "a", acts.DEVICE, (a_key("phone").verify_key.encode(),))
        proof = (
            a_key("phone").sign(acts.device_bytes(hand.genesis, "a", device.body[0], b"")).signature
        )
        assert declined(await client.send_act(game, device, proof), device) == "unsigned_seat"
        low = Hand(hand.genesis, "a", None, 0).sign(
            acts.ASK, (await client.ask(m.Head, game)).head.hash, ("draw", 0)
        )
        assert type(await client.send_act(game, low)) is m.Declined
