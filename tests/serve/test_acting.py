"""What seats sign, at the server's door: accepted once, or declined for good under the server's signature."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
import trio
import trio.testing
from nacl.signing import SigningKey

from engine.kernel.ledger import genesis_record
from engine.runtime import tokens
from engine.runtime.export import export_game
from engine.runtime.supervisor import Tending, token_meta
from engine.serve.acting import CHANGES_AT_ONCE
from engine.store.memory import MemoryStore
from engine.store.port import FRAME_META, FRAME_RECORD, FRAME_SECRETS, Frame
from protocol import acts, canon, chain, dice, records, wlog
from protocol import messages as m
from protocol.acts import Act, Hand
from protocol.secrets import Keys
from protocol.wlog import FRAME_WITNESS
from tests.serve.rig import (
    HOST_TOKEN,
    NAMES,
    SERVER_KEY,
    TITLES,
    Client,
    Server,
    new_game,
    nonce_of,
    server,
    show_nonce,
    started,
    take,
)

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


async def signed_command(client: Client, game: str, seat: str, *picks: Any, id: bytes = b"id") -> tuple[Act, Any]:
    """A command for the decision that is open, not sent yet."""
    decision = (await client.ask(m.Choices, game, seat, ())).decision
    return await client.command(game, seat, *picks, id=id, decision=decision)


async def stands(client: Client, game: str, act: Act) -> bool:
    """Whether the log has the act."""
    log = await log_of(client, game)
    return any(found.hash == act.hash for record in log[1:] for found in acts.acts_of(log[0].hash, record))


async def again_in(s: Server, given: dict[str, str], old: Client) -> Client:
    """A client in both seats of a server that was started again, which signs on where the old one left off."""
    client = await s.client(given["a"])
    await client.ask(m.Login, given["b"], "")
    client.hands = old.hands
    return client


# --- once and for all ---------------------------------------------------------------------------------------------------------


async def test_the_same_act_stands_once_however_late_it_comes_again(autojump_clock: MockClock) -> None:
    """Hundreds of acts later, also after a restart, it is answered as what it is; it is not declined because its number is old."""
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


async def test_an_act_of_a_revoked_key_that_stands_is_not_declined(autojump_clock: MockClock) -> None:
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


async def test_numbers_and_what_was_seen_only_go_on(autojump_clock: MockClock) -> None:
    """A number that does not rise, a record seen before the one already seen, or one of 256 records ago: declined."""
    async with server() as s:
        game, _, client = await started(s, turns=4000)
        early = (await client.ask(m.Head, game)).head.hash
        await client.submit(game, "a", "pass")
        offered = await client.ask_for(game, "b", "draw")
        await client.consent(game, "a", offered.seq, False)
        hand = await client.hand(game, "a")
        low = Hand(hand.genesis, "a", hand._key, 0).sign(acts.ASK, (await client.ask(m.Head, game)).head.hash, ("draw", 0))
        # Its number was that of the seat's own `taken`.
        assert declined(await client.send_act(game, low), low) in ("act_number", "act_twice")
        back = hand.sign(acts.ORDERS, early, (acts.orders_digest(hand.genesis, "a", bytes(32), ()),))
        assert declined(await client.send_act(game, back, ((), bytes(32))), back) == "seen_back"
        seen = (await client.ask(m.Head, game)).head.hash
        for step in range(260):
            await client.submit(game, "ba"[step % 2], "pass")
        old = hand.sign(acts.ASK, seen, ("draw", 0))
        assert declined(await client.send_act(game, old), old) == "seen"


async def test_who_asks_or_answers_has_seen_what_it_is_about(autojump_clock: MockClock) -> None:
    """A request is declined if a command stands after what its seat had seen, an answer if the request does, a command if its question
    does; an answer names the request that stands."""
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
        assert declined(await client.send_act(game, early, (("pass",), blind)), early) in ("seen_early", "seen_back")


# --- whose it is ---------------------------------------------------------------------------------------------------------------


async def test_what_nobody_of_the_seat_signed_is_no_act(autojump_clock: MockClock) -> None:
    """A signature of another key, of other bytes, of the wrong length, or none: an error, about which the server signs nothing; the act
    itself can still be sent."""
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
            assert malformed(await client.ask(m.Act, game, "a", act.kind, key, *fields[1:], signature, private))
        assert (await client.ask(m.Head, game)).head == head
        assert type(await client.send_act(game, act, private)) is m.Accepted


async def test_a_key_that_is_not_the_seats(autojump_clock: MockClock) -> None:
    """Its acts are declined: of a stranger's key, of the other seat's, and those without a key in a seat that has one."""
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
    values: list[Any] = [0, -1, 2**50, "", "draw", "takeback", b"", bytes(32), True, None, (), ("a",), {}, ("draw", 0), "server", "\x1b"]
    async with server() as s:
        game, _, client = await started(s)
        hand = await client.hand(game, "a")
        head = (await client.ask(m.Head, game)).head
        hand.n = 100
        for _ in range(400):
            kind = rng.choice(acts.ACT_KINDS)
            body = rng.choice([tuple(rng.choice(values) for _ in range(rng.randint(0, 4))), rng.choice(values)])
            if (kind, body) == (acts.ASK, ("draw", 0)):
                continue
            act = hand.sign(kind, head.hash, body)
            answer = await client.send_act(game, act, rng.choice(values))
            assert type(answer) is m.Declined or (type(answer) is m.Error and answer.code in ("busy", "slow_down")), f"{seed} {answer}"
        assert s.hub.metrics.faults == 0
        assert (await client.ask(m.Head, game)).head == head
        assert type(await client.submit(game, "a", "pass")) is m.Accepted


async def test_a_signed_game_refuses_what_is_not_signed(autojump_clock: MockClock) -> None:
    """The messages of format 1 do nothing in it; a seat is not taken without a key."""
    async with server() as s:
        waiting, given = await new_game(s)
        client = await s.client(given["a"])
        for request in ((m.TakeSeat, waiting, "a", bytes(32)), (m.Nonce, waiting, "a", bytes(32))):
            assert (await client.ask(*request)).refusal.key == "refusal.signed_game"
        hand = await client.hand(waiting, "a")
        act = Hand(hand.genesis, "a", None).sign(acts.TAKEN, hand.genesis, ("Anna", bytes(32), "test"))
        assert declined(await client.send_act(waiting, act), act) == "key_needed"
        game, _, client = await started(s)
        head = (await client.ask(m.Head, game)).head
        for request in (
            (m.Submit, game, "a", head.seq, head.hash, ("pass",), b"1"),
            (m.Ask, game, "a", "draw", 0),
            (m.Answer, game, "a", True),
            (m.Resign, game, "a"),
        ):
            assert (await client.ask(*request)).refusal.key == "refusal.signed_game", request
        assert (await client.ask(m.Standing, game, "a", ((PROMPT, ("pass",), "game"),))).code == "signed_game"
        assert (await client.ask(m.Head, game)).head == head


async def test_seats_that_sign_nothing_sit_only_where_the_terms_say_so(autojump_clock: MockClock) -> None:
    """They take a seat without a key, number their acts all the same, and have no further keys; the seat beside them signs as ever. Lists
    tell which they are. An unknown term is refused."""
    async with server() as s:
        host = await s.client(HOST_TOKEN)
        assert (await host.ask(m.OpenGame, "counting", {}, 0, {"self_play": True})).code == "bad_option"
        created = await host.ask(m.OpenGame, "counting", {}, 0, {"unsigned_seats": True})
        game, given = created.game, dict(created.tokens)
        client = await s.client(given["a"])
        await client.ask(m.Login, given["b"], "")
        hand = await client.hand(game, "a")
        client.hands[game, "a"] = Hand(hand.genesis, "a", None)
        assert type(await take(client, game, "a")) is m.Accepted
        assert type(await take(client, game, "b")) is m.Accepted
        keys = {"a": b"", "b": (await client.hand(game, "b")).public}
        entries = [(seat, NAMES[seat], keys[seat], dice.bound_nonce_hash(hand.genesis, seat, nonce_of(seat))) for seat in "ab"]
        roster = acts.roster_hash(hand.genesis, entries)
        for seat in "ab":
            assert type(await client.act(game, seat, acts.NONCE, (nonce_of(seat), roster))) is m.Accepted
        assert type(await client.submit(game, "a", "add", 2)) is m.Accepted
        assert type(await client.submit(game, "b", "add", 2)) is m.Accepted
        row = (await client.ask(m.Games, "", "", 9)).games[0]
        assert (row["format"], row["unsigned"]) == (2, ("a",))
        device = await client.sign(game, "a", acts.DEVICE, (a_key("phone").verify_key.encode(),))
        proof = a_key("phone").sign(acts.device_bytes(hand.genesis, "a", device.body[0], b"")).signature
        assert declined(await client.send_act(game, device, proof), device) == "unsigned_seat"
        low = Hand(hand.genesis, "a", None, 0).sign(acts.ASK, (await client.ask(m.Head, game)).head.hash, ("draw", 0))
        assert type(await client.send_act(game, low)) is m.Declined


# --- declined for good ---------------------------------------------------------------------------------------------------------


Case = Callable[[Client, Client, str], Awaitable[tuple[str, Act, Any, Callable[[Client], Awaitable[Any]]]]]
"""Of a temporary refusal: its reason, the act with what goes with it, and how it passes."""


async def other_asks(client: Client, host: Client, game: str) -> Any:
    offered = await client.ask_for(game, "b", "draw")
    act = await client.sign(game, "a", acts.ASK, ("draw", 0))
    return "already_asked", act, None, lambda c: c.consent(game, "a", offered.seq, False)


async def key_unknown(client: Client, host: Client, game: str) -> Any:
    genesis = (await client.hand(game, "a")).genesis
    act = Hand(genesis, "a", a_key("phone"), 10**6).sign(acts.ASK, (await client.ask(m.Head, game)).head.hash, ("draw", 0))

    async def passes(c: Client) -> Any:
        return (await add_device(c, game, "a", "phone"))[0]

    return "unknown_key", act, None, passes


async def too_many_keys(client: Client, host: Client, game: str) -> Any:
    for number in range(acts.KEYS_OF_A_SEAT_MAX - 1):
        assert type((await add_device(client, game, "a", f"{number}"))[0]) is m.Accepted
    act, proof = await device_act(client, game, "a", a_key("ninth"))
    return "too_many_keys", act, proof, lambda c: c.act(game, "a", acts.REVOKED, (a_key("3").verify_key.encode(),))


async def last_key(client: Client, host: Client, game: str) -> Any:
    own = (await client.hand(game, "a")).public
    act = await client.sign(game, "a", acts.REVOKED, (own,))

    async def passes(c: Client) -> Any:
        return (await add_device(c, game, "a", "phone"))[0]

    return "last_key", act, None, passes


async def nobody_replaced(client: Client, host: Client, game: str) -> Any:
    genesis = (await client.hand(game, "a")).genesis
    act = Hand(genesis, "a", a_key("carla")).sign(acts.REPLACED, (await client.ask(m.Head, game)).head.hash, ("Carla", "test"))

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


TEMPORARY = (other_asks, key_unknown, too_many_keys, last_key, nobody_replaced, nothing_to_take_back, other_picks)


@pytest.mark.parametrize("restart", [False, True])
@pytest.mark.parametrize("case", TEMPORARY, ids=lambda case: case.__name__)
async def test_a_declined_act_never_stands_although_its_reason_passes(case: Any, restart: bool, autojump_clock: MockClock) -> None:
    """Once what was in its way has gone, the very same act stays declined, also after a restart; one like it with a higher number fits."""
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
    later = Hand(act.genesis, act.seat, keys.get(act.key, known._key), max(act.n, known.n) + 1).sign(act.kind, seen, act.body)
    if act.kind == acts.DEVICE:
        private = a_key("ninth").sign(acts.device_bytes(act.genesis, act.seat, act.body[0], act.key)).signature
    if act.kind == acts.COMMAND:
        later = Hand(act.genesis, act.seat, known._key, max(act.n, known.n) + 1).sign(act.kind, act.seen, act.body)
    answer = await client.send_act(game, later, private)
    assert type(answer) is m.Accepted, answer


async def test_an_early_nonce_or_order_stays_declined(autojump_clock: MockClock) -> None:
    """A nonce shown before every seat is taken, or orders before play begins, do not stand by themselves later."""
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
        assert (await client.order(game, "a", (PROMPT, ("pass",), "game"))).refusal.key == "refusal.not_started"
        nonce, orders = said
        client.send_act = whole  # type: ignore[method-assign]
        await take(client, game, "b")
        assert declined(await client.send_act(game, nonce), nonce) == "act_number"
        for seat in "ab":
            assert type(await show_nonce(client, game, seat)) is m.Accepted
        blind = hashlib.sha256(b"orders 0").digest()
        assert declined(await client.send_act(game, orders, (((PROMPT, ("pass",), "game"),), blind)), orders) in ("act_number", "digest")
        assert not await stands(client, game, orders)


async def test_a_record_that_is_guessed_is_not_seen(autojump_clock: MockClock) -> None:
    """Whoever names as seen a record that is yet to come (and could guess its bytes) is declined for good, so that no refusal of the
    server's is ever belied."""
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
        assert (await client.send_act(game, device, proof)).head.hash == guessed, "the mock clock stands still"
        assert declined(await client.send_act(game, act), act) == "act_number"


async def test_one_act_sent_twice_while_its_reason_passes_is_answered_as_one(autojump_clock: MockClock) -> None:
    """The same act, then what clears its way, then the act again, all before the first answer: it either stands and both are told so, or
    both are told that it never will."""
    async with server() as s:
        game, _, client = await started(s)
        clears, proof = await device_act(client, game, "a", a_key("phone"))
        blocked = Hand(clears.genesis, "a", a_key("phone")).sign(acts.ASK, clears.seen, ("draw", 0))
        said = [
            await client.say(m.Act, game, "a", act.kind, act.key, act.n, act.seen, act.body, act.signature, private)
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


async def test_refusals_that_are_kept_are_bounded(autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch) -> None:
    """A seat that has so many of them gets errors instead, for which nothing is kept; the other seat's are kept as before."""
    monkeypatch.setattr("engine.serve.acting.SPENT_MAX", 5)
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


# --- keys ----------------------------------------------------------------------------------------------------------------------


async def device_act(client: Client, game: str, seat: str, key: SigningKey) -> tuple[Act, bytes]:
    """A seat's declaration of a further key, and that key's proof."""
    public = key.verify_key.encode()
    act = await client.sign(game, seat, acts.DEVICE, (public,))
    return act, key.sign(acts.device_bytes(act.genesis, seat, public, act.key)).signature


async def add_device(client: Client, game: str, seat: str, name: str) -> tuple[Any, Hand]:
    """Declare a further key; the answer, and what signs with it."""
    act, proof = await device_act(client, game, seat, a_key(name))
    return await client.send_act(game, act, proof), Hand(act.genesis, seat, a_key(name))


async def test_a_further_device_acts_for_its_seat(autojump_clock: MockClock) -> None:
    """Its key is declared by one that the seat has, with a proof of its own; then it plays, until it is revoked. It is no other seat's."""
    async with server() as s:
        game, _, client = await started(s)
        act, proof = await device_act(client, game, "a", a_key("phone"))
        other = a_key("else").sign(acts.device_bytes(act.genesis, "a", act.body[0], act.key)).signature
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
        act = Hand(phone.genesis, "a", a_key("phone"), 10**6).sign(acts.ASK, revoked.head.hash, ("draw", 0))
        assert declined(await client.send_act(game, act), act) == "unknown_key"
        act, proof = await device_act(client, game, "a", a_key("phone"))
        assert declined(await client.send_act(game, act, proof), act) == "key_in_use", "a key is never used twice"


async def test_keys_that_no_device_may_have(autojump_clock: MockClock) -> None:
    """The other seat's, the server's, its own, one of small order; and a ninth one."""
    async with server() as s:
        game, _, client = await started(s)
        for key in (client.hands[game, "b"]._key, SERVER_KEY, client.hands[game, "a"]._key):
            assert key is not None
            act, proof = await device_act(client, game, "a", key)
            assert declined(await client.send_act(game, act, proof), act) == "key_in_use"
        small = await client.sign(game, "a", acts.DEVICE, (bytes([1]) + bytes(31),))
        assert declined(await client.send_act(game, small, bytes([1]) + bytes(63)), small) == "signature"
        answers = [await add_device(client, game, "a", f"{number}") for number in range(8)]
        assert [type(answer) for answer, _ in answers] == [m.Accepted] * 7 + [m.Declined]
        assert answers[7][0].refusal.key == "refusal.too_many_keys"


async def test_a_seat_is_not_taken_with_a_key_that_is_somebody_elses(autojump_clock: MockClock) -> None:
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
    """Keys and consents to hand over are rate-limited as orders are; the error says when to try again."""
    async with server() as s:
        game, _, client = await started(s)
        answer: Any = None
        for number in range(CHANGES_AT_ONCE + 1):
            answer = await client.act(game, "a", acts.HANDED, ("Carla", hashlib.sha256(bytes([number])).digest()))
        assert (type(answer), answer.code) == (m.Error, "slow_down")
        assert type((await add_device(client, game, "b", "phone"))[0]) is m.Accepted
        await trio.sleep(dict(answer.say.args)["seconds"])
        assert type((await add_device(client, game, "a", "phone of a"))[0]) is m.Accepted


# --- somebody else in a seat ---------------------------------------------------------------------------------------------------


async def replaced(s: Server, client: Client, game: str, *, consent: bool, name: str = "Carla") -> tuple[Client, Any]:
    """Carla in seat b, with or without the consent of its key; her client, and the answer to her act."""
    host = await s.client(HOST_TOKEN)
    carla = await s.client((await host.ask(m.Replace, game, "b", "Carla")).token)
    hand = carla.hands[game, "b"] = Hand((await client.hand(game, "b")).genesis, "b", a_key("carla"))
    if consent:
        # Signed by Bert, who gives it to whoever comes.
        act = await client.sign(game, "b", acts.HANDED, ("Carla", hand.public))
        assert type(await carla.send_act(game, act)) is m.Accepted
    return carla, await carla.act(game, "b", acts.REPLACED, (name, "test"))


@pytest.mark.parametrize("consent", [False, True])
async def test_a_seat_that_is_handed_over(consent: bool, autojump_clock: MockClock) -> None:
    """The newcomer signs with a new key; the log tells whether a key of the seat consented. The old keys and orders count no longer."""
    store = MemoryStore()
    async with server(store) as s:
        game, given, client = await started(s)
        await client.order(game, "b", (PROMPT, ("pass",), "game"))
        carla, answer = await replaced(s, client, game, consent=consent)
        assert type(answer) is m.Accepted
        record = (await log_of(carla, game))[answer.seq]
        assert (record.actor, record.body[:4]) == ("Carla", ("replaced", "b", "Carla", "test"))
        found = acts.acts_of((await carla.hand(game, "b")).genesis, record)
        assert [act.kind for act in found] == ["replaced", "handed"][: 1 + consent] and all(act.holds for act in found)
        assert (await carla.ask(m.Standing, game, "b", None)).orders == ()
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
    """Not before play begins, not by another name than the host's, not by an old key, not without a key in a seat that has one."""
    async with server() as s:
        waiting, given = await new_game(s)
        host = await s.client(HOST_TOKEN)
        assert (await host.ask(m.Replace, waiting, "b", "Carla")).refusal.key == "refusal.not_started"
        client = await s.client(given["b"])
        act = await client.sign(waiting, "b", acts.REPLACED, ("Carla", "test"))
        assert declined(await client.send_act(waiting, act), act) == "not_replaced"
        game, given, client = await started(s)
        carla, answer = await replaced(s, client, game, consent=False, name="Dora")
        assert answer.refusal.key == "refusal.not_replaced"
        genesis = carla.hands[game, "b"].genesis
        for key, why in ((client.hands[game, "b"]._key, "key_in_use"), (None, "key_needed"), (SERVER_KEY, "key_in_use")):
            act = Hand(genesis, "b", key, 10**6).sign(acts.REPLACED, (await carla.ask(m.Head, game)).head.hash, ("Carla", "test"))
            assert declined(await carla.send_act(game, act), act) == why


async def test_a_consent_counts_until_its_key_signs_something_else(autojump_clock: MockClock) -> None:
    """Whoever consents and plays on has not handed the seat over: the log says that no key of the seat consented."""
    async with server() as s:
        game, _, client = await started(s)
        hand = Hand((await client.hand(game, "b")).genesis, "b", a_key("carla"))
        assert type(await client.act(game, "b", acts.HANDED, ("Carla", hand.public))) is m.Accepted
        client.hands[game, "b"].n += 1
        assert type(await client.order(game, "b")) is m.Accepted
        host = await s.client(HOST_TOKEN)
        carla = await s.client((await host.ask(m.Replace, game, "b", "Carla")).token)
        carla.hands[game, "b"] = hand
        answer = await carla.act(game, "b", acts.REPLACED, ("Carla", "test"))
        assert (await log_of(carla, game))[answer.seq].body[5] == ()


# --- standing answers ----------------------------------------------------------------------------------------------------------


async def test_orders_stand_in_the_log_sealed_until_the_end(autojump_clock: MockClock) -> None:
    """Everybody sees that they were changed, the seat alone what they are; commands that follow from them name them; the end opens them."""
    async with server() as s:
        game, _, client = await started(s, turns=2)
        orders = ((PROMPT, ("pass",), "game"),)
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
        assert (followed.actor, followed.body[records.BY], followed.body[records.COMMAND_ID], followed.body[records.DIGEST]) == (
            "b",
            (answer.seq,),
            b"",
            b"",
        )
        await client.submit(game, "a", "pass")
        log = await log_of(client, game)
        assert log[-1].kind == "end"
        opened = {(seq, tuple(path)): value for seq, path, _, value in log[-1].body[3]}
        assert ((PROMPT, ("pass",), "game"),) in [value[0] for (seq, _), value in opened.items() if seq == answer.seq]


async def test_orders_for_a_turn_end_with_it_and_only_the_newest_count(autojump_clock: MockClock) -> None:
    """A "turn" order answers until a turn is closed; an older set never answers again, not even after an empty one."""
    async with server() as s:
        game, _, client = await started(s)
        await client.order(game, "b", (PROMPT, ("add", 1), "turn"), (PROMPT, ("pass",), "game"))
        newest = await client.order(game, "b", (PROMPT, ("add", 2), "turn"))
        assert (await client.ask(m.Standing, game, "b", None)).orders == ((PROMPT, ("add", 2), "turn"),)
        await client.submit(game, "a", "pass")
        log = await log_of(client, game)
        given = [record for record in log if record.kind == "command" and record.actor == "b"]
        assert [(record.body[records.BY], record.body[records.PICKS][0]) for record in given] == [((newest.seq,), ("add", 2))]
        assert (await client.ask(m.Standing, game, "b", None)).orders == ()
        await client.submit(game, "a", "pass")
        assert type(await client.ask(m.Choices, game, "b", ())) is m.ChoicesAre
        await client.order(game, "b", (PROMPT, ("pass",), "game"))
        await client.submit(game, "a", "pass")
        await client.order(game, "b")
        await client.submit(game, "a", "pass")
        assert type(await client.ask(m.Choices, game, "b", ())) is m.ChoicesAre


# --- the end, and heads --------------------------------------------------------------------------------------------------------


async def play_out(client: Client, game: str) -> None:
    while type(await client.submit(game, "a", "pass")) is m.Accepted:
        await client.submit(game, "b", "pass")


def witness(hand: Hand, game: str, seq: int, hash: bytes) -> tuple[Any, ...]:
    """A witness as it is sent."""
    return (m.Witness, game, hand.seat, hand.public, seq, hash, hand.witness(seq, hash))


async def test_a_witness_is_kept_once_and_exported(autojump_clock: MockClock) -> None:
    """Only at the end, only by a key in force, only over the last record; each key's once. It is kept over a restart, told to whoever asks,
    and in the exported file behind the last record."""
    store = MemoryStore()
    async with server(store) as s:
        game, _, client = await started(s, turns=1)
        hand = await client.hand(game, "a")
        await client.submit(game, "a", "pass")
        head = (await client.ask(m.Head, game)).head
        assert (await client.ask(*witness(hand, game, head.seq, head.hash))).refusal.key == "refusal.witness"
        assert (await client.ask(m.Witnesses, game)).items == ()
        await client.submit(game, "b", "pass")
        last = (await client.ask(m.Head, game)).head
        stranger = Hand(hand.genesis, "a", a_key("stranger"))
        for wrong in (
            witness(stranger, game, last.seq, last.hash),
            witness(hand, game, head.seq, head.hash),
            witness(hand, game, last.seq, head.hash),
            witness(Hand(hand.genesis, "a", client.hands[game, "b"]._key), game, last.seq, last.hash),
        ):
            assert (await client.ask(*wrong)).refusal.key == "refusal.witness"
        unsigned = (*witness(hand, game, last.seq, last.hash)[:-1], bytes(64))
        assert (await client.ask(*unsigned)).refusal.key == "refusal.signature"
        for _ in range(3):
            assert type(await client.ask(*witness(hand, game, last.seq, last.hash))) is m.Witnessed
        told = (await client.ask(m.Witnesses, game)).items
        assert [item[:4] for item in told] == [("a", hand.public, last.seq, last.hash)]
    async with server(store) as s:
        client = await s.client()
        assert (await client.ask(m.Witnesses, game)).items == told
        file = wlog.parse(export_game(store.read(game)), sealed=True)
        kinds = [frame.kind for frame in file.frames]
        assert kinds.count(FRAME_WITNESS) == 1
        assert kinds.index(FRAME_WITNESS) > max(index for index, kind in enumerate(kinds) if kind == FRAME_RECORD)


async def test_other_signatures_of_the_same_witness_are_not_kept(autojump_clock: MockClock) -> None:
    """A key can sign the same in many ways; a seat cannot fill the disk with that."""
    store = MemoryStore()
    async with server(store) as s:
        game, _, client = await started(s, turns=1)
        hand = await client.hand(game, "a")
        await play_out(client, game)
        last = (await client.ask(m.Head, game)).head
        message = acts.witness_bytes(hand.genesis, last.seq, last.hash)
        assert hand._key is not None
        for number in range(3):
            signature = signed_otherwise(hand._key, message, number)
            assert acts.verify(hand.public, message, signature)
            answer = await client.ask(m.Witness, game, "a", hand.public, last.seq, last.hash, signature)
            assert type(answer) is m.Witnessed
        assert len([frame for frame in store.read(game) if frame.kind == FRAME_WITNESS]) == 1


def signed_otherwise(key: SigningKey, message: bytes, number: int) -> bytes:
    """A sound signature whose nonce is another than the usual one: who has the key can make as many as they like."""
    from nacl import bindings

    half = hashlib.sha512(key.encode()).digest()
    clamped = bytearray(half[:32])
    clamped[0] &= 248
    clamped[31] = clamped[31] & 127 | 64
    nonce = bindings.crypto_core_ed25519_scalar_reduce(hashlib.sha512(bytes([number]) + message).digest())
    point = bindings.crypto_scalarmult_ed25519_base_noclamp(nonce)
    challenge = bindings.crypto_core_ed25519_scalar_reduce(hashlib.sha512(point + key.verify_key.encode() + message).digest())
    scalar = bindings.crypto_core_ed25519_scalar_reduce(bytes(clamped) + bytes(32))
    product = bindings.crypto_core_ed25519_scalar_mul(challenge, scalar)
    return bytes(point + bindings.crypto_core_ed25519_scalar_add(nonce, product))


async def test_a_delay_binds_witnesses_and_heads(autojump_clock: MockClock) -> None:
    """While spectators may not see the end they hear of no witness, and of no head after what they see; seats do."""
    async with server() as s:
        game, _, client = await started(s, turns=1, delay_s=600)
        hand = await client.hand(game, "a")
        await trio.sleep(700)
        await play_out(client, game)
        last = (await client.ask(m.Head, game)).head
        assert type(await client.ask(*witness(hand, game, last.seq, last.hash))) is m.Witnessed
        spectator = await s.client()
        assert (await spectator.ask(m.Witnesses, game)).items == ()
        assert len((await client.ask(m.Witnesses, game)).items) == 1
        shown = (await spectator.ask(m.Head, game)).head.seq
        assert shown < last.seq
        answer = await spectator.ask(m.HeadOf, game, last.seq)
        assert (answer.code, dict(answer.say.args)["last"]) == ("no_such_record", shown)
        assert (await client.ask(m.HeadOf, game, last.seq)).head == last
        await trio.sleep(700)
        assert len((await spectator.ask(m.Witnesses, game)).items) == 1
        assert (await spectator.ask(m.HeadOf, game, last.seq)).head == last


async def test_a_head_of_any_record(autojump_clock: MockClock) -> None:
    """Each is signed, and is that record's; of none beyond the last."""
    async with server() as s:
        game, _, client = await started(s)
        await client.submit(game, "a", "roll")
        log = await log_of(client, game)
        for record in log:
            head = (await client.ask(m.HeadOf, game, record.seq)).head
            assert (head.seq, head.hash) == (record.seq, record.hash) and chain.head_is_signed_by(PUBLIC_KEY, head)
        assert (await client.ask(m.HeadOf, game, len(log))).code == "no_such_record"
        waiting, _ = await new_game(s)
        stranger = await s.client()
        assert chain.head_is_signed_by(PUBLIC_KEY, (await stranger.ask(m.HeadOf, waiting, 0)).head)
        assert (await stranger.ask(m.HeadOf, waiting, 1)).code == "no_such_record"


# --- games of format 1 ---------------------------------------------------------------------------------------------------------


async def test_a_game_of_format_1_goes_on_as_it_began(autojump_clock: MockClock) -> None:
    """Its old messages play it; acts are refused in it; nothing in its log is of format 2."""
    store = MemoryStore()
    title, key = TITLES["counting"], PUBLIC_KEY
    secrets = Keys(*(hashlib.sha256(bytes([number])).digest() for number in range(3)))
    genesis = genesis_record(
        title.rules,
        game="old",
        options={"turns": 2},
        pack=title.pack_bytes,
        digest=title.digest,
        keys=secrets,
        server_key=key,
        at_ms=0,
        format=1,
    )
    given = {seat: f"old:{seat * 43}" for seat in "ab"}
    frames = [Frame(FRAME_RECORD, genesis.data), Frame(FRAME_SECRETS, secrets.as_payload())]
    frames.append(Frame(FRAME_META, canon.pack(("game", 10**15, 0))))
    await store.create("old", [*frames, *(Frame(FRAME_META, token_meta(seat, token)) for seat, token in given.items())])
    assert tokens.owner_of(given["a"]) == "old"
    async with server(store, tending=Tending(seats=1e12, nonces=1e12)) as s:
        client = await s.client(given["a"], "Anna")
        await client.ask(m.Login, given["b"], "Bert")
        hand = await client.hand("old", "a")
        act = hand.sign(acts.TAKEN, genesis.hash, ("Anna", bytes(32), "test"))
        assert declined(await client.send_act("old", act), act) == "unsigned_game"
        for seat in "ab":
            assert type(await client.ask(m.TakeSeat, "old", seat, dice.nonce_hash("old", seat, nonce_of(seat)))) is m.Seated
        for seat in "ab":
            assert type(await client.ask(m.Nonce, "old", seat, nonce_of(seat))) is m.Accepted
        order = ((PROMPT, ("pass",), "game"),)
        assert (await client.ask(m.Standing, "old", "b", order)).orders == order
        for number in range(2):
            decision = (await client.ask(m.Choices, "old", "a", ())).decision
            head = (await client.ask(m.Head, "old")).head
            answer = await client.ask(m.Submit, "old", "a", decision, head.hash, ("add", 2), bytes([number]))
            assert type(answer) is m.Accepted
        row = (await client.ask(m.Games, "", "", 9)).games[0]
        assert (row["stage"], row["format"], row["winner"]) == ("ended", 1, "a")
        log = await log_of(client, "old")
        assert {len(record.body) for record in log if record.kind == "command"} == {11}
        last = (await client.ask(m.Head, "old")).head
        assert (await client.ask(*witness(hand, "old", last.seq, last.hash))).refusal.key == "refusal.witness"


