"""Nodes of a fleet on one NATS server: any takes any client, and a game goes on when its owner is
gone."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing
from attrs import frozen

from tests.nats.rig import Nats, group
from tests.nats.rig import serving as nats_serving
from tests.serve.rig import TITLES, Client, gapless, sit_down
from tests.serve.wire.test_sockets import client_of
from tests.verdicts import is_clean
from warledger.clients.audit.audit import audit
from warledger.clients.commands.demos.fleetdemo import free_ports
from warledger.engine.runtime import tokens
from warledger.engine.runtime.game.gameexport import export_game
from warledger.engine.serve.app import serve
from warledger.engine.serve.config import BadConfig, Config
from warledger.engine.store.fleet import fleetadmin
from warledger.engine.store.fleet.keyring import read_ring
from warledger.engine.store.fleet.sharedstore import open_jetstream
from warledger.engine.store.port import FRAME_META, FRAME_RECORD
from warledger.protocol import canon
from warledger.protocol.log.chain import Head
from warledger.protocol.log.records import COMMAND, read
from warledger.protocol.wire import messages as m

from .test_accounts import prepare

PROGRAM = """
import json, sys
from functools import partial
from pathlib import Path
import trio
from warledger.engine.serve.app import serve
from warledger.engine.serve.fleet.cardwriter import CardWriter
from warledger.engine.serve.config import Config
from tests.serve.offered import TITLES
async def writing_nothing(writer):
    await trio.sleep_forever()
if "cards" in sys.argv[4:]:
    CardWriter.run = writing_nothing
async def main():
    async with trio.open_nursery() as nursery:
        level = "debug" if "debug" in sys.argv[4:] else "error"
        config = Config(Path(sys.argv[1]), port=0, http=("127.0.0.1", 0), log_level=level,
                        store=sys.argv[2], keys=Path(sys.argv[3]))
        titles = {name: one for name, one in TITLES.items() if name not in sys.argv[4:]}
        up = await nursery.start(partial(serve, config, titles=titles))
        print(json.dumps([up.port, up.web[0][1]]), flush=True)
trio.run(main)
"""


@frozen
class Node:
    """A node in a process of its own."""

    process: subprocess.Popen[str]
    port: int
    web: int

    async def get(self, path: str, token: str = "") -> tuple[int, str]:
        """What it answers over HTTP: the status, and the body."""
        said = f"Authorization: Bearer {token}\r\n" if token else ""
        stream = await trio.open_tcp_stream("127.0.0.1", self.web)
        async with stream:
            request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{said}Connection: close\r\n\r\n"
            await stream.send_all(request.encode())
            data = b"".join([part async for part in stream])
        head, _, body = data.partition(b"\r\n\r\n")
        return int(head.split()[1]), body.decode()


@contextmanager
def process(
    program: Sequence[str], name: str, logs: Path | None = None
) -> Iterator[subprocess.Popen[str]]:
    """A process that is ended however the test ends. With `logs` it is told to "debug", and its log
    is the file `name` in there."""
    with ExitStack() as stack:
        said = None
        if logs is not None:
            program = [*program, "debug"]
            said = stack.enter_context((logs / name).open("ab"))
        begun = subprocess.Popen(
            program, stdout=subprocess.PIPE, stderr=said, text=True, process_group=group()
        )
        stack.enter_context(begun)
        stack.callback(begun.kill)
        yield begun


@frozen
class Engine:
    """The fleet's only NATS server."""

    url: str
    keys: Path
    nats: Nats

    @contextmanager
    def nodes(
        self, *folders: Path, without: Sequence[str] = (), logs: Path | None = None
    ) -> Iterator[list[Node]]:
        """A node for each folder, which begin together and are ended however the test ends; they
        lack some titles, or write no "cards". With `logs` they say all there is to say there, each
        in a file of its folder's name."""
        with ExitStack() as stack:
            begun = []
            for data in folders:
                program = [sys.executable, "-c", PROGRAM, str(data), self.url, str(self.keys)]
                program += without
                begun.append(stack.enter_context(process(program, data.name, logs)))
            yield [Node(one, *json.loads(one.stdout.readline())) for one in begun if one.stdout]


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """A fleet's engine with its streams made."""
    with fleet_engine(tmp_path_factory.mktemp("engine") / "keys") as made:
        yield made


@pytest.fixture
def own_engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """One that a test may end."""
    with fleet_engine(tmp_path_factory.mktemp("own") / "keys") as made:
        yield made


@contextmanager
def fleet_engine(keys: Path) -> Iterator[Engine]:
    [port] = free_ports(1)
    url = f"nats://127.0.0.1:{port}"
    made, _ = prepare(keys, url)
    of = fleetadmin.fleet_of(
        read_ring(keys), tokens.digest("host:secret"), replicas=1, room=200_000_000, shards=2
    )

    async def init() -> None:
        async with fleetadmin.reached(fleetadmin.Where.of(url, keys=keys)) as js:
            await fleetadmin.init(js, of)

    with nats_serving(made.servers[0]) as running:
        trio.run(init)
        yield Engine(url, keys, running)


async def new_game(up: Node, turns: int = 50, delay: int = 0) -> tuple[str, dict[str, str]]:
    host = await client_of(up, "host:secret")
    created = await host.ask(m.CreateGame, "counting", {"turns": turns}, delay)
    assert type(created) is m.Created, created
    return created.game, dict(created.tokens)


async def moved(client: Client, game: str, step: int) -> Head:
    """A command of the seat whose turn it is, sent again as it is where nobody could say what
    became of it. The head that it was acknowledged with."""
    for _ in range(100):
        answer = await client.submit(game, "ab"[step % 2], "pass", id=f"step {step}".encode())
        if type(answer) is m.Accepted:
            return answer.head
        assert type(answer) is m.Error and answer.code in ("busy", "unknown_outcome"), answer
        await trio.lowlevel.checkpoint()
    raise AssertionError(f"step {step} was not taken: {answer}")


async def frames_of(engine: Engine, game: str) -> list[tuple[int, bytes]]:
    """What the engine holds of a game."""
    where = fleetadmin.Where.of(engine.url, keys=engine.keys)
    async with open_jetstream(
        where.settings(), read_ring(engine.keys).data_keys, shards=2
    ) as store:
        frames = await trio.to_thread.run_sync(store.read, game)
    assert is_clean(audit(export_game(frames))[0])
    return [(frame.kind, frame.payload) for frame in frames]


def owners(frames: list[tuple[int, bytes]]) -> list[str]:
    claims = [canon.unpack(payload) for kind, payload in frames if kind == FRAME_META]
    return [claim[1] for claim in claims if claim[0] == "owner"]


async def test_a_game_goes_on_at_another_node_when_its_owner_is_killed(
    engine: Engine, tmp_path: Path
) -> None:
    """One player and a spectator are at another node than the game's owner, which is killed in the
    middle; their connections stay, the game goes on, every record comes once, and the file that
    the engine holds audits sound. The lists show the game at both."""
    with engine.nodes(tmp_path / "a", tmp_path / "b") as (a, b):
        with trio.fail_after(60):
            game, given = await new_game(a)
            player = await client_of(b, given["a"])
            assert type(await player.ask(m.Login, given["b"], "")) is m.LoggedIn
            await sit_down(player, game)
            watcher, late = await client_of(b), await client_of(b)
            assert type(await watcher.ask(m.Subscribe, game, -1, "public")) is m.Subscribed
            assert type(await player.ask(m.Subscribe, game, -1, "a")) is m.Subscribed
            told = [await moved(player, game, step) for step in range(6)]
            listed = await late.ask(m.Games, "", "", 100)
            assert any(row["game"] == game for row in listed.games), listed
            a.process.kill()
            told += [await moved(player, game, step) for step in range(6, 14)]
            head = await player.ask(m.Head, game)
            assert type(await late.ask(m.Subscribe, game, -1, "public")) is m.Subscribed
            seen = [
                await client.until((game, audience), head.head.seq)
                for client, audience in ((player, "a"), (watcher, "public"), (late, "public"))
            ]
    frames = await frames_of(engine, game)
    records = [payload for kind, payload in frames if kind == FRAME_RECORD]
    for log in seen:
        assert gapless(log)
        assert [data for _, data, _ in log] == records
    commands = [read(data).seq for data in records if read(data).kind == COMMAND]
    # Each once, at the number and with the hash that its player was told.
    assert [head.seq for head in told] == sorted({head.seq for head in told})
    assert all(read(records[head.seq]).hash == head.hash for head in told)
    assert len(commands) == len(told) + 1  # the first begins the game, and nobody asked for it
    assert len(owners(frames)) == 2


async def test_a_node_that_is_told_to_stop_leaves_its_games_to_others(
    engine: Engine, tmp_path: Path
) -> None:
    """It releases what it owns; clients of another node that play there notice nothing but a slow
    command, and a node that wakes up after it was held for dead writes nothing."""
    with engine.nodes(tmp_path / "a", tmp_path / "b") as (a, b):
        with trio.fail_after(60):
            game, given = await new_game(a)
            player = await client_of(b, given["a"])
            assert type(await player.ask(m.Login, given["b"], "")) is m.LoggedIn
            await sit_down(player, game)
            await moved(player, game, 0)
            there = await client_of(a, given["b"])
            a.process.send_signal(signal.SIGSTOP)
            for step in range(1, 4):
                await moved(player, game, step)
            a.process.send_signal(signal.SIGCONT)
            # Whoever is at the node that was held for dead asks through it where the game is now.
            now = (await player.ask(m.Head, game)).head
            while (await there.ask(m.Head, game)).head != now:
                await trio.lowlevel.checkpoint()
            await moved(player, game, 4)
            b.process.send_signal(signal.SIGTERM)
            assert b.process.wait(20) == 0
            again = await client_of(a, given["a"])
            assert type(await again.ask(m.Login, given["b"], "")) is m.LoggedIn
            again.hands = player.hands
            await moved(again, game, 5)
    frames = await frames_of(engine, game)
    named = owners(frames)
    assert named[0] == named[3] and named[2] == "" and named[1] != named[0], named


async def test_what_changes_nothing_is_asked_again_where_its_answer_was_lost(
    engine: Engine, tmp_path: Path
) -> None:
    """A node dies over questions that it has not answered: its heir answers them."""
    asked = ((m.Head,), (m.HeadOf, 0), (m.Witnesses,))
    with engine.nodes(tmp_path / "a", tmp_path / "b") as (a, b), trio.fail_after(60):
        game, given = await new_game(a)
        clients = [await client_of(b, given["a"]) for _ in asked]
        for one in clients:
            assert type(await one.ask(m.Head, game)) is m.HeadIs  # by a link, from here on
        a.process.send_signal(signal.SIGSTOP)
        answers: list[Any] = []

        async def ask(client: Client, kind: Any, *rest: Any) -> None:
            answers.append(await client.ask(kind, game, *rest))

        async with trio.open_nursery() as nursery:
            for client, (kind, *rest) in zip(clients, asked, strict=True):
                nursery.start_soon(ask, client, kind, *rest)
            await trio.testing.wait_all_tasks_blocked(0.05)
            a.process.kill()
        assert {type(one) for one in answers} == {m.HeadIs, m.WitnessesAre}, answers


async def listed(client: Client, game: str) -> dict[str, Any] | None:
    """A game's row in the list that this client is given."""
    found = await client.ask(m.Games, "", "", 100)
    return next((dict(row) for row in found.games if row["game"] == game), None)


async def test_every_node_lists_every_game_as_its_owner_does(
    engine: Engine, tmp_path: Path
) -> None:
    """Where it stands is in the lists of another node within seconds, and of one that has just
    begun. In a game with a spectators' delay strangers are told at every node what they may see by
    now, and its players at every node what they may."""
    with engine.nodes(tmp_path / "a", tmp_path / "b") as (a, b):
        with trio.fail_after(60):
            stranger, host = await client_of(b), await client_of(b, "host:secret")
            beside = await client_of(a)
            game, given = await new_game(a)
            late, late_given = await new_game(a, delay=600)
            players = {}
            for one, tokens_of in ((game, given), (late, late_given)):
                player = players[one] = await client_of(a, tokens_of["a"])
                assert type(await player.ask(m.Login, tokens_of["b"], "")) is m.LoggedIn
                await sit_down(player, one)
                for step in range(4):
                    await moved(player, one, step)
            while (here := await listed(beside, game)) != await listed(stranger, game):
                await trio.lowlevel.checkpoint()
            assert here is not None and here["stage"] == "playing"
            for told in (await listed(beside, late), await listed(stranger, late)):
                assert told is not None
                assert (told["stage"], told["seq"]) == ("gathering", 0), told
                assert all(not name for _, name in told["seats"])
            seen = await listed(host, late)
            assert seen is not None and seen["stage"] == "playing"
            with engine.nodes(tmp_path / "c") as [c]:
                newcomer = await client_of(c)
                assert await listed(newcomer, game) == here
                told = await listed(newcomer, late)
                assert told is not None and told["stage"] == "gathering"


async def answered(up: Node, path: str, status: int, token: str = "") -> str:
    """What a node answers over HTTP once it answers so. Whoever asks much is refused."""
    for _ in range(60):
        found, body = await up.get(path, token)
        if found == status:
            return body
        await trio.sleep(0.5)
    raise AssertionError(f"{path} answers {found}: {body[:200]}")


async def test_a_node_says_when_nothing_is_saved_and_takes_the_hosts_new_token(
    engine: Engine, tmp_path: Path
) -> None:
    """Five seconds after the engine has acknowledged its last commit `/health` is 503, and 200
    again once it goes on. A host's token that was replaced is worth nothing, at a node that runs on
    as well."""
    with engine.nodes(tmp_path / "a") as [a]:
        with trio.fail_after(60):
            assert (await a.get("/health"))[0] == 200
            engine.nats.tell(signal.SIGSTOP)
            assert '"engine"' in await answered(a, "/health", 503)
            engine.nats.tell(signal.SIGCONT)
            await answered(a, "/health", 200)
            where = fleetadmin.Where.of(engine.url, keys=engine.keys)
            async with fleetadmin.reached(where) as js:
                await fleetadmin.set_host(js, tokens.digest("host:another"))
                await answered(a, "/metrics", 200, "host:another")
                assert (await a.get("/metrics", "host:secret"))[0] == 401
                await fleetadmin.set_host(js, tokens.digest("host:secret"))


async def test_a_node_without_the_fleets_keys_does_not_start(
    engine: Engine, tmp_path: Path
) -> None:
    """The ring is missing, or another fleet's: it says which."""
    for keys, what in ((tmp_path / "none", "no key ring"), (tmp_path / "other", "key ring is not")):
        if keys.name == "other":
            prepare(keys, engine.url)
            for name in ("node.nk", "ca.pem"):
                if (engine.keys / name).exists():
                    (keys / name).write_bytes((engine.keys / name).read_bytes())
                    (keys / name).chmod(0o600)
        config = Config(tmp_path / "data", port=0, log_level="error", store=engine.url, keys=keys)
        with pytest.RaisesGroup(BadConfig, flatten_subgroups=True, allow_unwrapped=True) as caught:
            with trio.fail_after(20):
                await serve(config, signals=False)
        found = caught.value
        while isinstance(found, BaseExceptionGroup):
            found = found.exceptions[0]
        assert what in str(found)


async def test_a_node_that_is_cancelled_stops_in_its_own_order(
    engine: Engine, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """It writes what spectators have not got and releases its games over a connection that is still
    there, and has nothing to complain of."""
    config = Config(tmp_path, port=0, log_level="info", store=engine.url, keys=engine.keys)
    with trio.fail_after(60):
        async with trio.open_nursery() as nursery:
            up = await nursery.start(partial(serve, config, titles=TITLES, signals=False))
            host = await client_of(up, "host:secret")
            created = await host.ask(m.CreateGame, "counting", {"turns": 50}, 0)
            assert type(created) is m.Created, created
            nursery.cancel_scope.cancel()
    assert owners(await frames_of(engine, created.game))[-1] == ""
    said = capfd.readouterr()
    assert "game released" in said.out + said.err
    assert '"error"' not in said.out + said.err and '"warning"' not in said.out + said.err


async def test_a_node_whose_engine_is_gone_says_once_what_it_could_not_release(
    own_engine: Engine, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """And it ends, without a fault: of whoever is gone the games are anybody's."""
    config = Config(
        tmp_path, port=0, log_level="info", store=own_engine.url, keys=own_engine.keys,
        stop_seconds=1.0,
    )  # fmt: skip
    with trio.fail_after(60):
        async with trio.open_nursery() as nursery:
            up = await nursery.start(partial(serve, config, titles=TITLES, signals=False))
            host = await client_of(up, "host:secret")
            for _ in range(3):
                created = await host.ask(m.CreateGame, "counting", {"turns": 50}, 0)
                assert type(created) is m.Created, created
            while up.node._projector.behind:
                await trio.lowlevel.checkpoint()
            own_engine.nats.process.kill()
            nursery.cancel_scope.cancel()
    said = "".join(capfd.readouterr())
    assert said.count("games not released") == 1 and '"games": 3' in said
    assert '"fault"' not in said
