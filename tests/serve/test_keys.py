"""The server's key: where it is kept, and how games go over to another one."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest
import trio.testing
from click.testing import CliRunner
from nacl.signing import SigningKey

from tests.serve.rig import HOST_TOKEN, SERVER_KEY, key_of, server, started
from tests.serve.signed import again_in, declined, device_act, log_of, play_out
from warledger.clients.cli import main
from warledger.engine.serve import serversecrets
from warledger.engine.serve.config import BadConfig
from warledger.engine.store.files import datadir
from warledger.engine.testing.memory import MemoryStore
from warledger.protocol.log import chain
from warledger.protocol.log.chain import Signer
from warledger.protocol.seats import acts
from warledger.protocol.wire import messages as m

MockClock = trio.testing.MockClock
NEW = SigningKey(hashlib.sha256(b"new key").digest())
NEWER = SigningKey(hashlib.sha256(b"newer key").digest())


def zeros(count: int) -> bytes:
    """No entropy at all."""
    return bytes(count)


def ones(count: int) -> bytes:
    """As little."""
    return b"\1" * count


async def test_games_under_way_go_over_to_a_new_key_once(autojump_clock: MockClock) -> None:
    """A record signed with the old key says so, once; heads from it on are the new key's, and so
    are refusals; the seats notice nothing."""
    store = MemoryStore()
    public = NEW.verify_key.encode()
    async with server(store) as s:
        game, given, client = await started(s)
        await client.submit(game, "a", "add", 2)
        before = (await client.ask(m.Head, game)).head
    for _ in range(2):
        async with server(store, signer=Signer(NEW, (SERVER_KEY,))) as s:
            client = await again_in(s, given, client)
            assert type(await client.ask(m.Choices, game, "a", ())) in (
                m.ChoicesAre,
                m.Refused,
            )  # loads it
            log = await log_of(client, game)
            rotations = [record for record in log if record.kind == "rotate"]
            assert [record.seq for record in rotations] == [before.seq + 1]
            (rotation,) = rotations
            assert (rotation.actor, rotation.body[0]) == ("server", public)
            old = SERVER_KEY.verify_key.encode()
            assert acts.verify(old, acts.rotate_bytes(log[0].hash, old, public), rotation.body[1])
            for seq in range(len(log)):
                assert chain.head_is_signed_by(public, (await client.ask(m.HeadOf, game, seq)).head)
            act = await client.sign(game, "a", acts.REVOKED, (client.hands[game, "a"].public,))
            assert declined(await client.send_act(game, act), act, public) == "last_key"
            assert type(
                await client.submit(game, (log[-1].actor == "a" and "b") or "a", "pass")
            ) in (m.Accepted, m.Refused)
    async with server(store, signer=Signer(NEWER, (SERVER_KEY, NEW))) as s:
        client = await again_in(s, given, client)
        await client.ask(m.Choices, game, "a", ())
        assert [record.kind for record in await log_of(client, game)].count("rotate") == 2
        for key in (SERVER_KEY, NEW, NEWER):
            act, proof = await device_act(client, game, "a", key)
            assert (
                declined(await client.send_act(game, act, proof), act, NEWER.verify_key.encode())
                == "key_in_use"
            )


async def test_ended_games_and_new_ones(autojump_clock: MockClock) -> None:
    """What has ended stays with its key; a new game begins with the new one."""
    store = MemoryStore()
    async with server(store) as s:
        ended, given, client = await started(s, turns=1)
        await play_out(client, ended)
        last = (await client.ask(m.Head, ended)).head
    async with server(store, signer=Signer(NEW, (SERVER_KEY,))) as s:
        client = await again_in(s, given, client)
        await client.ask(m.Choices, ended, "a", ())
        assert (await client.ask(m.Head, ended)).head == last
        host = await s.client(HOST_TOKEN)
        created = await host.ask(m.CreateGame, "counting", {}, 0)
        assert chain.head_is_signed_by(
            NEW.verify_key.encode(), (await host.ask(m.HeadOf, created.game, 0)).head
        )


async def test_a_game_whose_key_is_gone_stops_alone(autojump_clock: MockClock) -> None:
    """Without the old key nothing can sign that the game goes over: it takes no acts, says so, and
    loses nothing."""
    store = MemoryStore()
    async with server(store) as s:
        game, given, client = await started(s)
    async with server(store, signer=Signer(NEW)) as s:
        client = await again_in(s, given, client)
        assert (await client.ask(m.Choices, game, "a", ())).code == "quarantined"
        assert "server.key.older" in s.log.getvalue()
    async with server(store) as s:
        client = await again_in(s, given, client)
        assert type(await client.submit(game, "a", "pass")) is m.Accepted


async def test_a_seats_key_is_not_the_servers_next_one(autojump_clock: MockClock) -> None:
    """A game in which a seat has the server's new key does not go over to it."""
    store = MemoryStore()
    async with server(store) as s:
        game, given, client = await started(s)
    key = key_of(game, "a")
    async with server(store, signer=Signer(key, (SERVER_KEY,))) as s:
        client = await again_in(s, given, client)
        assert type(await client.submit(game, "a", "pass")) is m.Accepted
        assert all(record.kind != "rotate" for record in await log_of(client, game))
        assert chain.head_is_signed_by(
            SERVER_KEY.verify_key.encode(), (await client.ask(m.Head, game)).head
        )


def test_a_key_is_made_once_and_kept(tmp_path: Path) -> None:
    """The first start makes it, for the owner alone; later ones read it."""
    key = serversecrets.signing_key(tmp_path, zeros)
    assert serversecrets.signing_key(tmp_path, ones) == key
    assert (tmp_path / "server.key").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "server.pub").read_text().strip() == key.verify_key.encode().hex()


@pytest.mark.parametrize("lost", [True, False])
def test_a_lost_or_other_key_stops_the_start(tmp_path: Path, lost: bool) -> None:
    """With a server.pub that is not its own the server does not start, and says what to do; neither
    does a rotation."""
    serversecrets.signing_key(tmp_path, zeros)
    if lost:
        (tmp_path / "server.key").unlink()
    else:
        (tmp_path / "server.key").write_text(b"other key, of thirty-two bytes..".hex())
    for attempt in (serversecrets.signing_key, serversecrets.rotate):
        with pytest.raises(BadConfig, match=r"from a backup|or its key is "):
            attempt(tmp_path, ones)
    assert not (tmp_path / "server.key.older").exists()


def test_a_rotation_keeps_every_key(tmp_path: Path) -> None:
    """The new one signs, the old ones are kept in their order."""
    first = serversecrets.signing_key(tmp_path, zeros)
    public = serversecrets.rotate(tmp_path, ones)
    second = serversecrets.signing_key(tmp_path, zeros)
    assert (second.verify_key.encode().hex(), serversecrets.older_keys(tmp_path)) == (
        public,
        (first,),
    )
    serversecrets.rotate(tmp_path, lambda count: b"\2" * count)
    assert serversecrets.older_keys(tmp_path) == (first, second)
    assert (tmp_path / "server.key.older").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("written", [0, 1, 2])
def test_a_rotation_that_is_cut_off_loses_no_key(
    tmp_path: Path, written: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However far it came, the next start has a key that fits, and every game's key is still
    there."""
    first = serversecrets.signing_key(tmp_path, zeros)
    whole, calls = serversecrets._replace, []

    def cut(path: Path, text: str, *mode: int) -> None:
        calls.append(path.name)
        if len(calls) > written:
            raise KeyboardInterrupt
        whole(path, text, *mode)

    monkeypatch.setattr(serversecrets, "_replace", cut)
    with pytest.raises(KeyboardInterrupt):
        serversecrets.rotate(tmp_path, ones)
    monkeypatch.setattr(serversecrets, "_replace", whole)
    key = serversecrets.signing_key(tmp_path, zeros)
    assert (key == first) == (written < 2)
    assert first in (key, *serversecrets.older_keys(tmp_path))
    assert (tmp_path / "server.pub").read_text().strip() == key.verify_key.encode().hex()


def invoke(*arguments: str) -> Any:
    return CliRunner().invoke(main, arguments)


def test_the_command_rotates_while_no_server_runs(tmp_path: Path) -> None:
    """It names the new key; beside a running server, or in a folder that is no data directory, it
    refuses and changes nothing."""
    assert invoke("key", "rotate", "--data", str(tmp_path)).exit_code == 1
    assert not (tmp_path / "server.key").exists()
    old = serversecrets.signing_key(tmp_path, zeros)
    let_go = datadir.lock(datadir.disk_of(tmp_path))
    refused = invoke("key", "rotate", "--data", str(tmp_path), "--plain", "--lang", "en")
    assert (refused.exit_code, "another server" in refused.output) == (1, True)
    assert serversecrets.signing_key(tmp_path, zeros) == old
    let_go()
    done = invoke("key", "rotate", "--data", str(tmp_path), "--plain", "--lang", "en")
    assert done.exit_code == 0
    new = serversecrets.signing_key(tmp_path, zeros)
    assert new != old and new.verify_key.encode().hex() in done.output.replace("\n", "")
