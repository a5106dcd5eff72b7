"""Clients of one node of a fleet in the games of another: by links, they notice nothing of it."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import trio
from click.testing import CliRunner

from tests.fleet.test_nodes import Engine, Node, moved, new_game
from tests.fleet.test_nodes import engine as engine
from tests.gateway.rig import opened
from tests.serve.rig import Client, gapless, sit_down
from tests.serve.wire.test_sockets import client_of
from warledger.clients.cli import main
from warledger.engine.store.files.check import check
from warledger.protocol.wire import messages as m
from warledger.protocol.wire.session import to_frame

Pair = tuple[Node, Node]


@pytest.fixture(scope="module")
def pair(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    """Two nodes that the tests of this file share: one that has the games, one that clients come
    to."""
    folder = tmp_path_factory.mktemp("pair")
    with engine.nodes(folder / "a", folder / "b") as (a, b):
        yield a, b


async def over_web(up: Node) -> Client:
    """A client over a WebSocket that has not said hello."""
    return Client(await opened(await trio.open_tcp_stream("127.0.0.1", up.web), "/ws"))


async def over_tcp(up: Node) -> Client:
    """The same over TCP."""
    return Client(await trio.open_tcp_stream("127.0.0.1", up.port))


async def test_a_client_whose_login_failed_may_still_watch(pair: Pair) -> None:
    """Who showed a wrong token for a seat, and then comes in to watch, watches any game."""
    a, b = pair
    game, _ = await new_game(a)
    client = await over_tcp(b)
    await client.ask(m.Hello, m.VERSION, "test")
    assert (await client.ask(m.Login, f"{game}:wrong", "")).code == "login"
    assert type(await client.ask(m.Login, "", "")) is m.LoggedIn
    assert type(await client.ask(m.Subscribe, game, -1, "public")) is m.Subscribed


async def test_wrong_tokens_count_wherever_they_are_shown(pair: Pair) -> None:
    """The connection ends at the third, whichever nodes the games are at."""
    client = await over_web(pair[1])
    await client.ask(m.Hello, m.VERSION, "test")
    answers = []
    for up in (*pair, pair[0]):
        game, _ = await new_game(up)
        await client.say(m.Login, f"{game}:wrong", "")
        answers.append(await client.hear())
    assert [answer.code for answer in answers] == ["login"] * 3
    assert [answer.fatal for answer in answers] == [False, False, True]
    assert await client.hear() is None


@pytest.mark.parametrize("come", [over_tcp, over_web])
async def test_requests_in_one_go(pair: Pair, come: Any) -> None:
    """Who sends logins and requests that need them without waiting is answered as he asked."""
    game, given = await new_game(pair[0])
    client: Client = await come(pair[1])
    await client.ask(m.Hello, m.VERSION, "test")
    asked = (
        m.Login(2, given["a"], ""),
        m.Login(3, given["b"], ""),
        m.Subscribe(4, game, -1, "b"),
        m.Ping(5),
        m.Head(6, game),
    )
    for message in asked:
        await client.stream.send_all(to_frame(message))
        client.session.open[message.request] = type(message)
    client.session.state = "READY"
    found: dict[int, type[m.Message]] = {}
    while len(found) < len(asked):
        message = await client.hear()
        if type(message) is not m.Records:
            found[message.request] = type(message)
    assert found == {2: m.LoggedIn, 3: m.LoggedIn, 4: m.Subscribed, 5: m.Pong, 6: m.HeadIs}


async def test_a_spectator_who_becomes_the_host(pair: Pair) -> None:
    """He is the host in the games of every node, also in one that he watched before."""
    games = [(await new_game(up))[0] for up in pair]
    client = await client_of(pair[1])
    for game in games:
        assert type(await client.ask(m.Subscribe, game, -1, "public")) is m.Subscribed
    assert (await client.ask(m.Login, "host:secret", "")).roles == (("host", "", ""),)
    for game in games:
        assert type(await client.ask(m.NewToken, game, "a")) is m.Token
        assert type(await client.ask(m.Subscribe, game, -1, "arbiter")) is m.Subscribed


async def test_one_connection_in_games_of_several_nodes(pair: Pair) -> None:
    """It sits in all of them at once and follows them; each of its requests gets one answer, and
    each game's records come without a gap."""
    games = [await new_game(up) for up in pair]
    client = await client_of(pair[1])
    for game, given in games:
        for seat in "ab":
            answer = await client.ask(m.Login, given[seat], "")
            assert ("seat", game, seat) in answer.roles
        await sit_down(client, game)
        assert type(await client.ask(m.Subscribe, game, -1, "a")) is m.Subscribed
    last = {}
    for step in range(4):
        for game, _ in games:
            last[game] = await moved(client, game, step)
    for game, head in last.items():
        assert gapless(await client.until((game, "a"), head.seq))
    assert type(await client.ask(m.Unsubscribe, games[0][0], "a")) is m.Unsubscribed
    for game, _ in games[1:]:
        assert (await client.ask(m.Subscribe, game, -1, "a")).code == "subscribed"
    for name in ("nothere", "../../etc/passwd", "0"):
        assert (await client.ask(m.Head, name)).code == "unknown_game"


async def test_a_token_that_was_replaced_is_worth_nothing_at_any_node(pair: Pair) -> None:
    """Who came in by it at another node than the game's is told once, and does not hold the seat
    any more; the new token is good there."""
    game, given = await new_game(pair[0])
    client = await client_of(pair[1], given["a"])
    host = await client_of(pair[0], "host:secret")
    token = (await host.ask(m.NewToken, game, "a")).token
    first = await client.hear()
    assert (first.request, first.code) == (0, "not_allowed")
    assert (await client.ask(m.Choices, game, "a", ())).code == "not_allowed"
    assert (await client.ask(m.Login, given["a"], "")).code == "login"
    assert (await client.ask(m.Login, token, "")).roles == (("seat", game, "a"),)


async def test_every_path_of_a_game_answers_at_every_node(pair: Pair) -> None:
    """The node that has the game is asked; figures are those of all nodes, each by its name."""
    a, b = pair
    game, _ = await new_game(a)
    for path in ("", "/board"):
        assert await b.get(f"/api/games/{game}{path}") == await a.get(f"/api/games/{game}{path}")
    assert (await b.get(f"/archive/{game}.wlog"))[0] == 409
    assert (await b.get("/api/games/nothere"))[0] == 404
    figures = (await b.get("/metrics", "host:secret"))[1].splitlines()
    of = [line for line in figures if line.startswith("warledger_commands_accepted_total")]
    assert len(of) == 2 and all("{node=" in line for line in of), of


async def test_a_stop_reaches_those_who_follow_games_of_other_nodes(
    engine: Engine, tmp_path: Path
) -> None:
    """They hear goodbye, and nothing after it."""
    with engine.nodes(tmp_path / "a", tmp_path / "b") as (a, b), trio.fail_after(60):
        game, _ = await new_game(a)
        client = await client_of(b)
        assert type(await client.ask(m.Subscribe, game, -1, "public")) is m.Subscribed
        b.process.send_signal(signal.SIGTERM)
        heard: list[Any] = []
        while (message := await client.hear()) is not None:
            heard.append(message)
        assert [type(one) for one in heard if type(one) is not m.Records] == [m.Goodbye]
        assert type(heard[-1]) is m.Goodbye


async def test_a_nodes_directory_is_one_like_any_servers(engine: Engine, tmp_path: Path) -> None:
    """Accounts and view-only tokens are made in it while the node runs, also where an earlier
    release began it; it is checked and copied."""
    data = tmp_path / "a"
    data.mkdir()
    (data / "giver").write_text("earlier")
    for number in range(2):
        with engine.nodes(data):
            for command in (
                ("account", "create", f"Anna{number}", "--data", str(data)),
                ("role", "arbiter", "--name", f"Bea{number}", "--data", str(data)),
                ("check", str(data)),
                ("backup", str(data), str(tmp_path / f"copy{number}")),
            ):
                told = CliRunner().invoke(main, [*command])
                assert told.exit_code == 0, told.output
    assert check(tmp_path / "copy1") == []
