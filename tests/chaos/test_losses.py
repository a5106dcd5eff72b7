"""What the engine loses behind everybody's back closes that game alone, and comes back from the
receipts."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import trio

from tests.chaos.machines import HOST, SHARDS, Site, standing
from tests.serve.rig import Client, sit_down
from warledger.engine.store.fleet import fleetadmin
from warledger.engine.store.fleet.sharedstore import open_jetstream
from warledger.engine.store.fleet.streamends import shard_of
from warledger.engine.store.port import FRAME_RECORD
from warledger.protocol.log import chain
from warledger.protocol.wire import messages as m


async def _client(site: Site, token: str) -> Client:
    """A client of the first node, once it is there."""
    while True:
        try:
            one = Client(await trio.open_tcp_stream("127.0.0.1", site.ports["node 0"]))
            await one.greet(token)
            return one
        except (OSError, AssertionError, trio.BrokenResourceError):
            await trio.sleep(0.1)


async def _moved(one: Client, game: str, step: int) -> Any:
    """A command; what it was answered once that is known."""
    while True:
        answer = await one.submit(game, "ab"[step % 2], "pass", id=f"step {step}".encode())
        if type(answer) is not m.Error or answer.code not in ("busy", "unknown_outcome"):
            return answer


async def _seated(site: Site, given: dict[str, str]) -> Client:
    one = await _client(site, given["a"])
    assert type(await one.ask(m.Login, given["b"], "")) is m.LoggedIn
    return one


def _said(command: list[str]) -> str:
    """What a program says that would end with its input."""
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout is not None
        return process.stdout.read()


async def _lost_and_healed(site: Site) -> None:
    await site.made({"deny_delete": False})
    site.nodes[0].start()
    host = await _client(site, HOST)
    games: dict[str, dict[str, str]] = {}
    players: dict[str, Client] = {}
    told: dict[str, list[Any]] = {}
    for _ in range(2):
        made = await host.ask(m.CreateGame, "counting", {"turns": 50}, 0)
        games[made.game] = dict(made.tokens)
        one = players[made.game] = await _seated(site, games[made.game])
        await sit_down(one, made.game)
        told[made.game] = [await _moved(one, made.game, step) for step in range(4)]
    loses, other = games
    async with fleetadmin.reached(site.where()) as js:
        stream = f"WG{shard_of(loses, SHARDS)}"
        newest = await js.last(stream, f"wg.{stream[2:]}.{loses}", from_leader=True)
        assert newest is not None
        await js.api(f"STREAM.MSG.DELETE.{stream}", {"seq": newest.sequence, "no_erase": True})
    closed = await _moved(players[loses], loses, 4)
    assert type(closed) is m.Error and closed.code == "quarantined", closed
    for step in (4, 5):
        told[other].append(await _moved(players[other], other, step))

    site.nodes[0].kill()
    command = [sys.executable, "-m", "tests.chaos.program", "fleet", "heal", "--store", site.url]
    command += ["--keys", str(site.keys), "--data", str(site.folder / "data-0"), "--json"]
    said = await trio.to_thread.run_sync(_said, command)
    # A command and what follows from it are one append, so one message.
    records = told[loses][-1].head.seq - told[loses][-2].head.seq
    assert json.loads(said) == {"mended": {loses: records}, "failed": {}}

    site.nodes[0].start()
    again = await _seated(site, games[loses])
    again.hands, again.sent = players[loses].hands, players[loses].sent
    told[loses].append(await _moved(again, loses, 4))
    async with open_jetstream(site.where().settings(), site.ring.data_keys, shards=SHARDS) as store:
        for game, answers in told.items():
            frames = await trio.to_thread.run_sync(store.read, game)
            log = list(chain.follow([f.payload for f in frames if f.kind == FRAME_RECORD]))
            for answer in answers:
                assert type(answer) is m.Accepted, answer
                assert log[answer.head.seq].hash == answer.head.hash


def test_a_message_deleted_behind_our_back_is_noticed_and_comes_back(tmp_path: Path) -> None:
    """The newest message of a game vanishes: that game is closed at its next command and no other;
    `fleet heal` puts it back from the node's receipts, and the game goes on with everything that
    was acknowledged."""
    with standing(tmp_path) as site:

        async def main() -> None:
            with trio.fail_after(120):
                await _lost_and_healed(site)

        trio.run(main)
