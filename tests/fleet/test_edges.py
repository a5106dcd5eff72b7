"""Edges: servers that show a fleet's games to spectators, with the rights of spectators."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import trio
from attrs import frozen

from tests.serve.rig import Client, gapless, sit_down
from tests.serve.wire.test_sockets import client_of
from tests.toys import counting
from tests.verdicts import is_clean
from warledger.clients.audit.audit import audit
from warledger.engine.runtime import tokens
from warledger.engine.store.fleet import fleetadmin
from warledger.engine.store.port import FRAME_META, FRAME_OPENINGS, FRAME_RECORD, FRAME_SECRETS
from warledger.protocol import canon
from warledger.protocol.chance.seal import unpack_openings
from warledger.protocol.log.chain import Head
from warledger.protocol.wire import messages as m

from .test_nodes import Engine, Node, engine, frames_of, new_game, process

__all__ = ["engine"]

PROGRAM = """
import json, sys
from functools import partial
from pathlib import Path
import trio
from warledger.engine.serve.app import serve
from warledger.engine.serve.config import Config
from tests.serve.offered import TITLES
async def main():
    async with trio.open_nursery() as nursery:
        config = Config(Path(sys.argv[1]), port=int(sys.argv[4]), http=("127.0.0.1", 0),
                        log_level="debug" if "debug" in sys.argv[5:] else "error",
                        edge=sys.argv[2], keys=Path(sys.argv[3]),
                        nodes="https://play.example.org")
        up = await nursery.start(partial(serve, config, titles=TITLES))
        print(json.dumps([up.port, up.web[0][1]]), flush=True)
trio.run(main)
"""


@frozen
class Edge:
    """An edge in a process of its own."""

    process: subprocess.Popen[str]
    port: int
    web: int


@contextmanager
def edge(at: Engine, data: Path, port: int = 0, logs: Path | None = None) -> Iterator[Edge]:
    """An edge of the fleet. With `logs` it says all there is to say there."""
    program = [sys.executable, "-c", PROGRAM, str(data), at.url, str(at.keys), str(port)]
    with process(program, data.name, logs) as begun:
        assert begun.stdout is not None
        yield Edge(begun, *json.loads(begun.stdout.readline()))


class Tapped(trio.abc.Stream):
    """A client's stream that keeps all that the server sent."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream
        self.got = bytearray()

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        data: bytes = await self.stream.receive_some(max_bytes)
        self.got += data
        return data

    async def send_all(self, data: Any) -> None:
        await self.stream.send_all(data)

    async def wait_send_all_might_not_block(self) -> None:
        await self.stream.wait_send_all_might_not_block()

    async def aclose(self) -> None:
        await self.stream.aclose()


async def spectator(at: Edge) -> tuple[Client, Tapped]:
    """A client of an edge that has logged in as nobody, and what it was sent."""
    tapped = Tapped(await trio.open_tcp_stream("127.0.0.1", at.port))
    client = Client(tapped)
    await client.greet()
    return client, tapped


async def watch(client: Client, game: str, after: int = -1) -> None:
    """Follow a game from the moment when the edge can have it: a new one is on its way."""
    while type(answer := await client.ask(m.Subscribe, game, after, "public")) is not m.Subscribed:
        assert answer.code == "unknown_game", answer


async def got(at: Edge, path: str) -> bytes:
    """What the edge's page address gives."""
    url = f"http://127.0.0.1:{at.web}{path}"

    def read() -> bytes:
        with urlopen(url, timeout=30) as answer:
            return bytes(answer.read())

    return await trio.to_thread.run_sync(read)


async def acted(client: Client, game: str, step: int, *picks: Any) -> Head:
    """A command of the seat whose turn it is, sent again where nobody could say what became of
    it."""
    while True:
        answer = await client.submit(game, "ab"[step % 2], *picks, id=f"step {step}".encode())
        if type(answer) is m.Accepted:
            return answer.head
        assert type(answer) is m.Error and answer.code in ("busy", "unknown_outcome"), answer
        await trio.lowlevel.checkpoint()


async def table(at: Node, by: Node, **terms: int) -> tuple[str, dict[str, str], Client]:
    """A game that is made at one node, and a client of another that has both its seats."""
    game, given = await new_game(at, **terms)
    player = await client_of(by, given["a"])
    assert type(await player.ask(m.Login, given["b"], "")) is m.LoggedIn
    await sit_down(player, game)
    return game, given, player


async def everything_public(at: Engine) -> bytes:
    """All that an edge's key can read."""
    where = fleetadmin.Where.of(at.url, keys=at.keys, role="edge")
    found = bytearray()
    async with fleetadmin.reached(where) as js:
        for stream, subject in (("WP0", "wp.0.>"), ("WP1", "wp.1.>"), ("WCARDS", "card.>")):
            last = 0
            while True:
                kept, _ = await js.read(stream, subject, last, most=500, most_bytes=10**7)
                if not kept:
                    break
                last = kept[-1].sequence
                for one in kept:
                    found += one.payload + repr(dict(one.headers)).encode()
    return bytes(found)


def secrets_of(frames: list[tuple[int, bytes]], given: dict[str, str]) -> set[bytes]:
    """What nobody may learn of a game that is being played: what is under its seals, its server's
    secrets, its players' tokens with their digests, and its bookkeeping."""
    found = {token.encode() for token in given.values()}
    found |= {tokens.digest(token) for token in given.values()}
    for kind, payload in frames:
        if kind == FRAME_OPENINGS:
            # The words themselves stand in the pack, which everybody has.
            found |= {one.salt for one in unpack_openings(payload)}
        elif kind == FRAME_SECRETS:
            found |= {one for one in canon.unpack(payload) if type(one) is bytes}
        elif kind == FRAME_META:
            found.add(payload)
            said = canon.unpack(payload)
            found |= {said[1].encode()} if said[0] == "owner" else set()
    return {one for one in found if len(one) > 4}


async def test_a_late_edge_stays_late_across_a_takeover_and_learns_no_secret(
    engine: Engine, tmp_path: Path
) -> None:
    """Of a game that spectators see two seconds late an edge has no record earlier, also while its
    owner is killed; nothing that an edge's key can read, and nothing that the edge sent, holds an
    opening, a secret, a token or bookkeeping. Whoever shows a token or acts is told where to
    play."""
    delay = 2
    sent: dict[int, float] = {}
    came: dict[int, float] = {}
    with engine.nodes(tmp_path / "a", tmp_path / "b") as (a, b), edge(engine, tmp_path / "e") as e:
        with trio.fail_after(90):
            game, given, player = await table(a, b, delay=delay)
            watcher, tapped = await spectator(e)
            await watch(watcher, game)

            async def arrivals(last: int) -> None:
                log: list[Any] = []
                while not log or log[-1][0] < last:
                    assert await watcher.hear() is not None
                    log = watcher.records.get((game, "public"), [])
                    for seq, _, _ in log[len(came) :]:
                        came[seq] = trio.current_time()

            for step in range(8):
                if step == 4:
                    a.process.kill()
                began = trio.current_time()
                word = counting.WORDS[step % 3]
                head = await acted(player, game, step, *(("hide", word) if step < 2 else ("pass",)))
                sent[head.seq] = began
            await arrivals(head.seq)
            assert came.keys() >= sent.keys()
            assert {seq: came[seq] - at for seq, at in sent.items() if came[seq] - at < delay} == {}
            refused = [
                await watcher.ask(m.Login, given["a"], ""),
                await watcher.ask(m.Subscribe, game, -1, "a"),
                await watcher.ask(m.Choices, game, "a", ()),
                await watcher.ask(m.CreateGame, "counting", {}, 0),
                await watcher.ask(m.NewToken, game, "a"),
            ]
            assert {answer.code for answer in refused} == {"play_at"}
            assert refused[0].say.args == (("nodes", "https://play.example.org"),)
            pages = [
                await got(e, path.format(game=game))
                for path in (
                    *("/api/games", "/api/games/{game}", "/api/games/{game}.wlog", "/metrics"),
                    *("/api/games/{game}/records", "/api/games/{game}/head", "/api/server"),
                )
            ]
            public = await everything_public(engine)
            frames = await frames_of(engine, game)
    [row] = [one for one in json.loads(pages[0])["games"] if one["game"] == game]
    assert row["delay_s"] == delay and row["seats"] == [["a", "Anna"], ["b", "Bert"]]
    assert pages[0] and b"play.example.org" in pages[6]
    assert is_clean(audit(pages[2])[0])
    secrets = secrets_of(frames, given)
    assert len(secrets) > 10
    everything = bytes(tapped.got) + b"".join(pages) + public
    assert {one for one in secrets if one in everything} == set()
    assert all(payload in public for kind, payload in frames if kind == FRAME_RECORD)


async def test_an_edge_that_is_told_to_stop_has_nothing_to_complain_of(
    engine: Engine, tmp_path: Path
) -> None:
    """It keeps no game, and says of none that it might not be safe."""
    logs = tmp_path / "logs"
    logs.mkdir()
    with engine.nodes(tmp_path / "a") as [a], edge(engine, tmp_path / "e", logs=logs) as e:
        with trio.fail_after(60):
            game, _ = await new_game(a)
            watcher, _ = await spectator(e)
            await watch(watcher, game)
            e.process.send_signal(signal.SIGTERM)
            assert await trio.to_thread.run_sync(e.process.wait) == 0
    said = [json.loads(line) for line in (logs / "e").read_text().splitlines()]
    assert said[-1]["event"] == "stopped"
    assert {one["level"] for one in said} <= {"info", "debug"}


async def test_an_edge_shows_a_game_across_every_end(engine: Engine, tmp_path: Path) -> None:
    """Whoever watches at an edge, from the beginning or late, sees one unbroken chain while the
    game's owner is killed, another is told to stop, and the edge is killed and begun again, to
    which they come with what they have; at the end it gives the file, which audits sound."""
    with ExitStack() as stack:
        a, b = stack.enter_context(engine.nodes(tmp_path / "a", tmp_path / "b"))
        e = stack.enter_context(edge(engine, tmp_path / "e"))
        with trio.fail_after(90):
            game, _, player = await table(a, b, turns=10)
            watcher, _ = await spectator(e)
            await watch(watcher, game)
            for step in range(4):
                await acted(player, game, step, "pass")
            a.process.kill()
            for step in range(4, 8):
                head = await acted(player, game, step, "pass")
            log = await watcher.until((game, "public"), head.seq)
            assert (await watcher.ask(m.Head, game)).head == head
            e.process.kill()
            head = await acted(player, game, 8, "pass")
            again = stack.enter_context(edge(engine, tmp_path / "e", e.port))
            back, _ = await spectator(again)
            await watch(back, game, log[-1][0])
            late, _ = await spectator(again)
            await watch(late, game)
            for step in range(9, 20):
                await acted(player, game, step, "pass")
            b.process.send_signal(signal.SIGTERM)
            logs = []
            for client in (back, late):
                await client.until((game, "public"), head.seq)
                logs.append(await client.until_whole((game, "public")))
            logs[0] = [*log, *logs[0]]
            file = await got(again, f"/archive/{game}.wlog")
            # Its last card comes within a second.
            while game.encode() not in await got(again, "/api/games?stage=ended"):
                pass
    frames = await frames_of(engine, game)
    records = [payload for kind, payload in frames if kind == FRAME_RECORD]
    for log in logs:
        assert gapless(log)
        assert [data for _, data, _ in log] == records
    report, _ = audit(file)
    assert is_clean(report)
