"""Games whose end is held on a server: it is written when the time is up, also after a restart, or
once nobody wants to protest; and what lists tell of claims, freezes and held ends."""

from __future__ import annotations

from typing import Any

import trio
import trio.testing

from tests.serve.games.test_clocks import Kept, assert_sound, logged
from tests.serve.rig import HOST_TOKEN, Client, Server, server, sit_down
from tests.serve.signed import again_in
from warledger.engine.runtime import profile
from warledger.engine.testing.memory import MemoryStore
from warledger.protocol.log import records
from warledger.protocol.seats import acts
from warledger.protocol.wire import messages as m

MockClock = trio.testing.MockClock
HELD_MS = 60_000


async def over(s: Server, **terms: Any) -> tuple[str, dict[str, str], Client]:
    """A game that has just come to its end by the rules, which is held for a minute."""
    host = await s.client(HOST_TOKEN)
    wanted = {"protest_ms": HELD_MS, **terms}
    created = await host.ask(m.OpenGame, "counting", {"turns": 1}, wanted)
    assert type(created) is m.Created, created
    given = dict(created.tokens)
    client = await s.client(given["a"], "Anna")
    assert type(await client.ask(m.Login, given["b"], "Bert")) is m.LoggedIn
    await sit_down(client, created.game)
    for seat in ("a", "b"):
        assert type(await client.submit(created.game, seat, "roll")) is m.Accepted
    return created.game, given, client


async def row(client: Client) -> dict[str, Any]:
    """The only game's row in the list."""
    (found,) = (await client.ask(m.Games, "", "", 10)).games
    return dict(found)


def over_ms(s: Server, game: str) -> int:
    """When the game came to its end."""
    return max(one.at_ms for one in logged(s, game) if one.kind == records.COMMAND)


async def test_a_held_end_is_written_with_nobody_there(autojump_clock: MockClock) -> None:
    """Within a second of the moment, never before, with clocks and without; until then a list tells
    when."""
    for terms in ({}, {"clock": {"bank": 60_000}}):
        async with server() as s:
            game, _, client = await over(s, **terms)
            until = over_ms(s, game) + HELD_MS
            told = await row(client)
            assert (told["stage"], told["held_ms"], told["awaits"]) == ("playing", until, ())
            assert told["deadline_ms"] is None
            await client.stream.aclose()
            await trio.sleep((until - s.hub.supervisor.ambient.now_ms()) / 1000 - 1)
            assert logged(s, game)[-1].kind != records.END
            await trio.sleep(2)
            end, last = logged(s, game)[-2:]
            assert (end.kind, last.kind) == (records.END, records.REVEAL)
            assert 0 <= end.at_ms - until < 1_000
            await assert_sound(s, game)


async def test_a_held_end_outlasts_a_restart(autojump_clock: MockClock) -> None:
    """The next server writes it, though nobody asks for the game."""
    store, pulse = MemoryStore(), Kept()
    async with server(store, pulse=pulse) as s:
        game, _, _ = await over(s)
        until = over_ms(s, game) + HELD_MS
    await trio.sleep(120)
    async with server(store, pulse=pulse) as s:
        await trio.sleep(5)
        end = next(one for one in logged(s, game) if one.kind == records.END)
        assert end.at_ms >= until
        await assert_sound(s, game)


async def test_waivers_end_the_game_and_a_claim_holds_it(autojump_clock: MockClock) -> None:
    """A claim made in time holds the end for as long as nobody has ruled."""
    async with server() as s:
        game, _, client = await over(s)
        for seat in ("a", "b"):
            body = ("waived", seat)
            assert type(await client.act(game, seat, acts.RULING, body)) is m.Accepted
        assert (await row(client))["stage"] == "ended"
        await assert_sound(s, game)
    async with server() as s:
        game, _, client = await over(s)
        last = logged(s, game)[-1].seq
        body = ("claim", 1, "b", last - 1, "9.2", "The die was not mine.")
        assert type(await client.act(game, "b", acts.RULING, body)) is m.Accepted
        await trio.sleep(120)
        told = await row(client)
        assert (told["stage"], told["claims"]) == ("playing", ((1, "b", last - 1, ""),))
        assert type(await client.act(game, "b", acts.RULING, ("withdrawn", 1))) is m.Accepted
        await trio.sleep(1)
        assert (await row(client))["stage"] == "ended"
        await assert_sound(s, game)


async def test_a_list_names_nobody_who_is_asked_in_a_frozen_game(
    autojump_clock: MockClock,
) -> None:
    """Also once the game is read from the store again, as after a restart: with the freeze and the
    claim."""
    store, pulse = MemoryStore(), Kept()
    async with server(store, pulse=pulse) as s:
        host = await s.client(HOST_TOKEN, "Ann")
        created = await host.ask(m.OpenGame, "counting", {}, {"desk": (("Ann",), {})})
        given, game = dict(created.tokens), created.game
        client = await s.client(given["a"], "Anna")
        assert type(await client.ask(m.Login, given["b"], "Bert")) is m.LoggedIn
        await sit_down(client, game)
        assert (await row(client))["awaits"] == ("a",)
        body = ("claim", 1, "b", 5, "9.2", "The die was not mine.")
        assert type(await client.act(game, "b", acts.RULING, body)) is m.Accepted
        for what in (("heard", 1), ("frozen", 1)):
            assert type(await host.ask(m.Rule, game, what, ())) is m.Accepted
        told = await row(client)
    async with server(store, pulse=pulse) as s:
        client = await s.client()
        again = await row(client)
        assert again == told
        assert (again["awaits"], again["frozen"]) == ((), (1,))
        assert again["claims"] == ((1, "b", 5, "Ann"),)
        known = profile.read(list(store.read(game)), 0)
        assert known.progress.awaits == ("a",)
        host = await s.client(HOST_TOKEN, "Ann")
        ruled = ("ruled", 1, "rejected", "9.2", "It was.", (("stand",),))
        for what in (ruled, ("thawed", 1)):
            assert type(await host.ask(m.Rule, game, what, ())) is m.Accepted
        await again_in(s, given, client)
        told = await row(client)
        assert (told["awaits"], told["frozen"], told["claims"]) == (("a",), (), ())


async def test_a_host_is_told_why_a_desk_cannot_be(autojump_clock: MockClock) -> None:
    """No game is opened with it."""
    async with server() as s:
        host = await s.client(HOST_TOKEN)
        for wrong in ({"desk": True}, {"desk": ((), {"x": 1})}, {"protest_ms": -1}):
            answer = await host.ask(m.OpenGame, "counting", {}, wrong)
            assert (type(answer), answer.code) == (m.Error, "bad_option")
