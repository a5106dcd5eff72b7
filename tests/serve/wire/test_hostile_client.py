"""What somebody with a token tries, against the server and who plays there: to have it sign what is
not so, and to hold others up."""

from __future__ import annotations

from typing import Any

import pytest
import trio
import trio.testing
from attrs import evolve as changed

from tests.serve.rig import HOST_TOKEN, NAMES, Client, Server, nonce_of, server, started, take
from tests.serve.signed import (
    PROMPT,
    a_key,
    add_device,
    again_in,
    declined,
    log_of,
    signed_command,
    stands,
)
from warledger.engine.kernel.ledger import Ledger
from warledger.engine.serve.games import actrequests
from warledger.engine.serve.games.actlimits import ASKS_AT_ONCE, CHANGES_AT_ONCE
from warledger.engine.serve.wire.ratelimits import Bill
from warledger.engine.testing.memory import MemoryStore
from warledger.protocol.chance import dice
from warledger.protocol.limits import SIGNATURE_BYTES
from warledger.protocol.seats import acts
from warledger.protocol.seats.acts import Act, Hand
from warledger.protocol.wire import messages as m

MockClock = trio.testing.MockClock


async def comes(s: Server, client: Client, game: str, hand: Hand) -> tuple[Client, Any]:
    """The host puts Carla in seat b, and she signs that she sits there; her client, and the answer
    to her act."""
    host = await s.client(HOST_TOKEN)
    carla = await s.client((await host.ask(m.Replace, game, "b", "Carla")).token)
    carla.hands[game, "b"] = hand
    return carla, await carla.act(game, "b", acts.REPLACED, ("", "Carla", "test"))


# --- no refusal of the server's is ever belied ----------------------------------------------------


async def with_something_bad(client: Client, game: str, consent: Act) -> Any:
    return await client.send_act(game, consent, b"something bad")


async def after_a_later_refusal(client: Client, game: str, consent: Act) -> Any:
    assert (
        await client.act(game, "b", acts.REVOKED, (consent.key,))
    ).refusal.key == "refusal.last_key"
    return await client.send_act(game, consent)


@pytest.mark.parametrize("restart", [False, True])
@pytest.mark.parametrize(
    "again", [with_something_bad, after_a_later_refusal], ids=lambda again: again.__name__
)
async def test_a_consent_that_was_declined_stands_in_no_log(
    again: Any, restart: bool, autojump_clock: MockClock
) -> None:
    """A seat's consent to be handed over that was taken, and comes again so that it is declined, is
    not written when the newcomer sits down; or it is not declined."""
    store = MemoryStore()
    async with server(store) as s:
        game, given, client = await started(s)
        hand = Hand((await client.hand(game, "b")).genesis, "b", a_key("carla"))
        consent = await client.sign(game, "b", acts.HANDED, ("Carla", hand.public))
        assert type(await client.send_act(game, consent)) is m.Accepted
        answer = await again(client, game, consent)
        if not restart:
            await belied_by_no_log(s, client, game, hand, consent, answer)
    if restart:
        async with server(store) as s:
            await belied_by_no_log(s, await again_in(s, given, client), game, hand, consent, answer)


async def belied_by_no_log(
    s: Server, client: Client, game: str, hand: Hand, consent: Act, answer: Any
) -> None:
    """Carla sits down; the consent stands in the log just where it was not declined."""
    carla, came = await comes(s, client, game, hand)
    assert type(came) is m.Accepted, came
    assert await stands(carla, game, consent) is (type(answer) is m.Accepted), answer


async def unsigned_b(s: Server) -> tuple[str, Client]:
    """A game under way whose seat b signs nothing, with one client in both seats."""
    host = await s.client(HOST_TOKEN)
    created = await host.ask(m.OpenGame, "counting", {}, {"unsigned_seats": True})
    game, given = created.game, dict(created.tokens)
    client = await s.client(given["a"])
    await client.ask(m.Login, given["b"], "")
    genesis = (await client.hand(game, "a")).genesis
    client.hands[game, "b"] = Hand(genesis, "b", None)
    for seat in "ab":
        assert type(await take(client, game, seat)) is m.Accepted
    entries = [
        (
            seat,
            "",
            NAMES[seat],
            client.hands[game, seat].public,
            dice.bound_nonce_hash(genesis, seat, nonce_of(seat)),
        )
        for seat in "ab"
    ]
    for seat in "ab":
        assert (
            type(
                await client.act(
                    game, seat, acts.NONCE, (nonce_of(seat), acts.roster_hash(genesis, entries))
                )
            )
            is m.Accepted
        )
    return game, client


async def test_numbers_of_a_seat_that_signs_nothing_go_on_when_somebody_else_sits_there(
    autojump_clock: MockClock,
) -> None:
    """Else an act that was declined for its number would fit again, and one that stands would be
    declined."""
    async with server() as s:
        game, client = await unsigned_b(s)
        genesis, seen = client.hands[game, "b"].genesis, (await client.ask(m.Head, game)).head.hash
        nonce = next(
            record
            for record in reversed(await log_of(client, game))
            if record.body[:2] == ("nonce", "b")
        )
        stood = acts.acts_of(genesis, nonce)[0]
        low = Hand(genesis, "b", None, stood.n - 2).sign(acts.ASK, seen, ("draw", 0))
        assert declined(await client.send_act(game, low), low) == "act_number"
        host = await s.client(HOST_TOKEN)
        carla = await s.client((await host.ask(m.Replace, game, "b", "Carla")).token)
        early = Hand(genesis, "b", None, stood.n - 4).sign(
            acts.REPLACED, seen, ("", "Carla", "test")
        )
        came = await carla.send_act(game, early)
        assert type(came) is m.Accepted or declined(came, early) == "act_number"
        if type(came) is not m.Accepted:
            carla.hands[game, "b"] = Hand(genesis, "b", None)
            assert (
                type(await carla.act(game, "b", acts.REPLACED, ("", "Carla", "test"))) is m.Accepted
            )
        assert type(await carla.send_act(game, low)) is m.Declined
        assert not await stands(carla, game, low)
        again = await carla.send_act(game, stood)
        assert (type(again), again.seq) == (m.Accepted, nonce.seq)


# --- nobody is held up ----------------------------------------------------------------------------


async def test_a_strangers_acts_do_not_use_up_a_seats_changes(autojump_clock: MockClock) -> None:
    """Who has the seat's token alone, and sends changes of keys that are declined, keeps nobody
    from declaring or revoking a key."""
    async with server() as s:
        game, given, client = await started(s)
        assert type((await add_device(client, game, "a", "lost phone"))[0]) is m.Accepted
        thief = await s.client(given["a"])
        thief.hands[game, "a"] = Hand(client.hands[game, "a"].genesis, "a", a_key("thief"))
        for _ in range(CHANGES_AT_ONCE + 5):
            act = await thief.sign(
                game, "a", acts.HANDED, ("Thief", a_key("thief").verify_key.encode())
            )
            assert declined(await thief.send_act(game, act), act) == "unknown_key"
        assert (
            type(
                await client.act(
                    game, "a", acts.REVOKED, (a_key("lost phone").verify_key.encode(),)
                )
            )
            is m.Accepted
        )
        assert type((await add_device(client, game, "a", "new phone"))[0]) is m.Accepted


async def test_a_key_can_be_revoked_however_often_keys_were_changed(
    autojump_clock: MockClock,
) -> None:
    """A lost device that declares key after key does not keep the other from revoking it."""
    async with server() as s:
        game, _, client = await started(s)
        answer, lost = await add_device(client, game, "a", "lost")
        assert type(answer) is m.Accepted
        for number in range(CHANGES_AT_ONCE * 2):
            answer, _ = await add_device(client, game, "a", f"{number}")
            if type(answer) is not m.Accepted:
                break
            assert (
                type(
                    await client.act(
                        game, "a", acts.REVOKED, (a_key(f"{number}").verify_key.encode(),)
                    )
                )
                is m.Accepted
            )
        assert answer.code == "slow_down"
        assert type(await client.act(game, "a", acts.REVOKED, (lost.public,))) is m.Accepted


async def test_requests_come_only_so_often(autojump_clock: MockClock) -> None:
    """A command and its free takeback, again and again, do not fill the disk; who resigns is always
    heard."""
    async with server() as s:
        game, _, client = await started(s)
        for done in range(ASKS_AT_ONCE + 1):
            to = (await client.ask(m.Head, game)).head.seq
            assert (
                type(await client.submit(game, "a", "add", 1 + done % 2, id=f"{done}".encode()))
                is m.Accepted
            )
            answer = await client.ask_for(game, "a", "takeback", to)
            if type(answer) is not m.Accepted:
                break
        assert (done, answer.code) == (ASKS_AT_ONCE, "slow_down")
        await trio.sleep(dict(answer.say.args)["seconds"])
        assert type(await client.ask_for(game, "a", "takeback", to)) is m.Accepted
        assert type(await client.ask_for(game, "a", "resign")) is m.Accepted


@pytest.mark.parametrize("restart", [False, True])
async def test_keys_and_consents_of_a_seat_are_bounded(
    restart: bool, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However slowly they come, a seat's further keys and its consents fill no disk; the other
    seat's are taken."""
    monkeypatch.setattr("warledger.engine.serve.games.actlimits.KEYS_EVER_MAX", 4)
    store = MemoryStore()
    async with server(store) as s:
        game, given, client = await started(s)
        for name in ("one", "two", "three"):
            assert type((await add_device(client, game, "a", name))[0]) is m.Accepted
        for name in ("one", "two", "three", "four"):
            assert (
                type(
                    await client.act(
                        game, "a", acts.HANDED, (name, a_key(name).verify_key.encode())
                    )
                )
                is m.Accepted
            )
        if not restart:
            await no_more(client, game)
    if restart:
        async with server(store) as s:
            await no_more(await again_in(s, given, client), game)


async def no_more(client: Client, game: str) -> None:
    """Seat a has all the keys and consents that it may have."""
    assert (await add_device(client, game, "a", "five"))[0].code == "too_many"
    assert (
        await client.act(game, "a", acts.HANDED, ("five", a_key("five").verify_key.encode()))
    ).code == "too_many"
    assert type((await add_device(client, game, "b", "five"))[0]) is m.Accepted
    assert (
        type(await client.act(game, "b", acts.HANDED, ("five", a_key("six").verify_key.encode())))
        is m.Accepted
    )


class Watched(MemoryStore):
    """A store that notes how many frames each reading gave."""

    gave: list[int]

    def read(self, game: str, after_records: int = 0, *most: int | None) -> list[Any]:
        found = super().read(game, after_records, *most)
        self.gave.append(len(found))
        return found


async def test_an_old_act_or_head_does_not_cost_the_whole_game(autojump_clock: MockClock) -> None:
    """An act that stands, sent again and again, and heads of old records read those records alone:
    the game's task waits for the one, and anybody may ask for the other."""
    store = Watched()
    store.gave = []
    async with server(store) as s:
        game, _, client = await started(s, turns=4000)
        act, private = await client.sign(game, "a", acts.ASK, ("draw", 0)), None
        assert type(await client.send_act(game, act, private)) is m.Accepted
        for step in range(100):
            await client.submit(game, "ab"[step % 2], "pass")
        watcher = await s.client()
        del store.gave[:]
        assert (await client.send_act(game, act, private)).again is True
        assert type(await watcher.ask(m.HeadOf, game, 1)) is m.HeadIs
        assert type(await watcher.ask(m.Board, game)) is m.BoardIs
        assert store.gave and max(store.gave) < 12


class Proposals:
    """How often the rules were asked for what a command does."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.times = 0
        whole = Ledger.propose_command

        def propose(ledger: Any, command: Any, at_ms: int) -> Any:
            self.times += 1
            return whole(ledger, command, at_ms)

        monkeypatch.setattr(Ledger, "propose_command", propose)


async def sent_forged(client: Client, game: str, number: int) -> None:
    """Send a command with a signature that is nobody's."""
    act, private = await signed_command(client, game, "a", "add", number, id=b"%d" % number)
    forged = changed(act, signature=bytes(SIGNATURE_BYTES))
    assert (await client.send_act(game, forged, private)).code == "malformed"
    assert not await stands(client, game, act)


async def test_a_forged_command_reaches_no_rules_and_is_charged(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever sends commands that the seat has not signed, also such as are no moves, makes the
    rules work for none of them, gets no refusal under the server's signature, and pays."""
    async with server() as s:
        game, _, client = await started(s)
        asked = Proposals(monkeypatch)
        charged: list[str] = []
        monkeypatch.setattr(Bill, "_charged", lambda _, kind: charged.append(kind) or 0.0)
        for number in (1, 2, 99):
            await sent_forged(client, game, number)
        assert not asked.times
        assert charged.count(actrequests.FORGED) == 3
        answer = await client.submit(game, "a", "add", 1)
        assert type(answer) is m.Accepted, answer
        assert asked.times == 1


class Held(MemoryStore):
    """A slow disk: appends wait until the test lets them go."""

    def __init__(self) -> None:
        super().__init__()
        self.free = trio.Event()
        self.free.set()

    async def append(self, game: str, expected_records: int, frames: Any) -> None:
        await self.free.wait()
        await super().append(game, expected_records, frames)


async def test_one_player_does_not_fill_the_mailbox(autojump_clock: MockClock) -> None:
    """While the disk is slow and a player sends all that a connection may, the other's act is taken
    all the same."""
    store = Held()
    async with server(store) as s:
        game, given, client = await started(s)
        other = await s.client(given["b"])
        other.hands = client.hands
        flood = [
            await client.sign(game, "a", acts.REVOKED, (client.hands[game, "a"].public,))
            for _ in range(200)
        ]
        mine = await other.sign(game, "b", acts.ASK, ("resign", 0))
        store.free = trio.Event()
        for act in flood:
            await client.say(
                m.Act, game, "a", act.kind, act.key, act.n, act.seen, act.body, act.signature, None
            )
        await trio.testing.wait_all_tasks_blocked()
        number = await other.say(
            m.Act,
            game,
            "b",
            mine.kind,
            mine.key,
            mine.n,
            mine.seen,
            mine.body,
            mine.signature,
            None,
        )
        await trio.testing.wait_all_tasks_blocked()
        store.free.set()
        while (answer := await other.hear()).request != number:
            pass
        assert type(answer) is m.Accepted, answer


async def test_standing_answers_that_were_due_are_given_after_a_crash(
    autojump_clock: MockClock,
) -> None:
    """The server dies between a command and the standing answer that it brings; the command comes
    again, and the answer with it."""
    store = Held()
    async with server(store) as s:
        game, given, client = await started(s)
        assert type(await client.order(game, "b", (PROMPT, (("pass",),), "game"))) is m.Accepted
        act, private = await signed_command(client, game, "a", "add", 2)
        whole = store.append

        async def once(*args: Any, **options: Any) -> None:
            store.append = never  # type: ignore[method-assign]
            await whole(*args, **options)

        async def never(*args: Any, **options: Any) -> None:
            await trio.sleep_forever()

        store.append = once  # type: ignore[method-assign]
        assert type(await client.send_act(game, act, private)) is m.Accepted
    store.append = whole  # type: ignore[method-assign]
    async with server(store) as s:
        client = await again_in(s, given, client)
        assert (await client.send_act(game, act, private)).again is True
        choices = await client.ask(m.Choices, game, "a", ())
        assert type(choices) is m.ChoicesAre, choices
