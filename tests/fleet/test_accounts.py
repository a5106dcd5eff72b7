"""A fleet's streams, accounts and configuration, on real servers that run what was written."""

from __future__ import annotations

import json
import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest
import trio

from tests.nats.rig import serving
from warledger.clients.commands.demos.fleetdemo import free_ports
from warledger.engine.nats.jetstreamapi import JetStream, Rejected
from warledger.engine.nats.natsport import EngineError, Forbidden, NoResponders
from warledger.engine.nats.nkeys import UserKey
from warledger.engine.store.fleet import fleetadmin, natsconf
from warledger.engine.store.fleet.fleetstreams import (
    BadFleet,
    Fleet,
    check_node,
    differing,
    read_fleet,
    tell,
)
from warledger.engine.store.fleet.keyring import Ring, read_ring

ROOM = 200_000_000


def prepare(folder: Path, url: str, replicas: int = 1) -> tuple[fleetadmin.Made, Fleet]:
    """What `fleet init` writes, and the fleet that it makes then."""
    made = fleetadmin.prepare(
        folder,
        url,
        Fleet(2, replicas, ROOM),
        store="js",
        random_bytes=os.urandom,
        token=lambda: "host:secret",
        now=datetime.now(UTC),
    )
    return made, fleetadmin.fleet_of(
        read_ring(folder), b"d", replicas=replicas, room=ROOM, shards=2
    )


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    return tmp_path / "keys"


@pytest.fixture
def url(keys: Path) -> Iterator[str]:
    """The address of one server that runs what was written."""
    [port] = free_ports(1)
    url = f"nats://127.0.0.1:{port}"
    made, _ = prepare(keys, url)
    with serving(made.servers[0]):
        yield url


async def altered(js: JetStream, name: str, **config: object) -> None:
    """Change a stream by hand."""
    now = (await js.describe(name))["config"]
    await js.api(f"STREAM.UPDATE.{name}", now | config)


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def the_secrets(keys: Path) -> list[str]:
    return [key.secret.hex() for key in read_ring(keys).keys]


async def test_a_fleet_is_made_once_and_never_remade(keys: Path, url: str) -> None:
    """Made again nothing changes; what differs is named and left as it is; a stream of games that
    has gone is not made anew; and a node is told all of it, and of a ring that is not the
    fleet's."""
    before = contents(keys)
    made, planned = prepare(keys, url)
    assert not made.ring_is_new and not made.token_is_new
    assert contents(keys) == before
    where = fleetadmin.Where.of(url, keys=keys)
    async with fleetadmin.reached(where) as js:
        with pytest.raises(BadFleet, match="fleet init"):
            await check_node(js, read_ring(keys))
        assert await fleetadmin.init(js, planned)
        assert not await fleetadmin.init(js, planned)
        assert await check_node(js, read_ring(keys)) == planned == await read_fleet(js)
        told = str([(await js.last("WFLEET", f"fleet.{n}", from_leader=True)) for n in ("keys",)])
        assert not any(secret in told for secret in the_secrets(keys))

        other = Ring.made(os.urandom)
        with pytest.raises(BadFleet, match="signing 1, data 1"):
            await check_node(js, other)
        with pytest.raises(BadFleet, match=r"fleet\.keys"):
            await fleetadmin.init(
                js, fleetadmin.fleet_of(other, b"d", replicas=1, room=ROOM, shards=2)
            )

        await altered(js, "WP1", allow_direct=False)
        await altered(js, "WG0", max_bytes=50_000_000)
        assert await differing(js, planned) == ["WP1: allow_direct is false and should be true"]
        with pytest.raises(BadFleet, match="WG0: max_bytes is 50000000 and should be 60000000"):
            await fleetadmin.init(js, planned)
        with pytest.raises(BadFleet, match="WP1: allow_direct"):
            await check_node(js, read_ring(keys))

        await altered(js, "WP1", allow_direct=True)
        await altered(js, "WG0", max_bytes=60_000_000)
        await js.api("STREAM.DELETE.WG1")
        with pytest.raises(BadFleet, match="WG1 is missing, and this fleet had it"):
            await fleetadmin.init(js, planned)
        with pytest.raises(Rejected):
            await js.describe("WG1")
        found = await fleetadmin.status(js, seconds=0.0)
        assert not found.is_current and found.wrong == ("WG1 is missing",)


async def test_keys_release_and_host_are_told_to_the_fleet(keys: Path, url: str) -> None:
    """A ring whose new keys are in use is needed from then on; a release goes up alone, and not
    beyond what is known; the host's digest is replaced; nodes that say they are there are
    listed."""
    ring = read_ring(keys)
    _, planned = prepare(keys, url)
    async with fleetadmin.reached(fleetadmin.Where.of(url, keys=keys)) as js:
        await fleetadmin.init(js, planned)
        grown = ring.grown(os.urandom)
        await check_node(js, grown)
        await fleetadmin.set_keys(js, grown.switched())
        await check_node(js, grown)
        with pytest.raises(BadFleet, match="signing 2, data 2"):
            await check_node(js, ring)
        await fleetadmin.set_host(js, b"other")
        await fleetadmin.set_release(js, 1)
        with pytest.raises(BadFleet, match="does not know 2"):
            await fleetadmin.set_release(js, 2)
        found = await read_fleet(js)
        assert found is not None and found.host == b"other".hex()
        await tell(js, "release", 7)
        with pytest.raises(BadFleet, match="release 7"):
            await check_node(js, grown)
        with pytest.raises(BadFleet, match="taken"):
            await fleetadmin.set_release(js, 1)
        async with trio.open_nursery() as nursery:

            @nursery.start_soon
            async def beat() -> None:
                while True:
                    js.engine.publish("beat.n1-abcdef", b'{"games": 3}')
                    js.engine.publish("beat.n2-abcdef", b"")
                    await trio.sleep(0.02)

            state = await fleetadmin.status(js, seconds=0.3)
            nursery.cancel_scope.cancel()
        assert state.nodes == {"n1-abcdef": {"games": 3}, "n2-abcdef": {}}
        assert state.is_current and {one.name for one in state.streams} >= {"WG1", "WPROBE"}


async def test_an_edge_gets_nothing_but_what_is_public(keys: Path, url: str) -> None:
    """With an edge's key every other subject and every call is refused or reaches nobody, a
    subscription to everything is refused, and what it may have it gets; an archive can read, say
    which games it has for good, and write nothing; without a key, or in clear, nobody gets in."""
    _, planned = prepare(keys, url)
    core = fleetadmin.reached(fleetadmin.Where.of(url, keys=keys))
    edge_at = fleetadmin.Where.of(url, keys=keys, role="edge")
    async with core as js, fleetadmin.reached(edge_at) as edge:
        await fleetadmin.init(js, planned)
        await js.append("wg.0.g", b"secret", identity="a", expected=0)
        live = edge.engine.subscribe("live.>")
        await edge.engine.request("$JS.API.DIRECT.GET.WCARDS", b"{}", seconds=1.0)
        await js.append("wp.1.g", b"public", identity="b", expected=0)
        await js.append("card.g", b"card", identity="c", expected=0)
        with trio.fail_after(5):
            assert (await live.receive()).payload == b"public"
        found, _ = await edge.read("WP1", "wp.1.g", 0, most=5, most_bytes=1000)
        assert [one.payload for one in found] == [b"public"]
        found, _ = await edge.read("WCARDS", "card.>", 0, most=5, most_bytes=1000)
        assert [one.payload for one in found] == [b"card"]

        streams = ("WG0", "WP0", "WCARDS", "WFLEET", "WPROBE")
        calls = [
            "INFO",
            "STREAM.NAMES",
            "STREAM.LIST",
            *(f"STREAM.{act}.{name}" for name in streams for act in ACTS),
            *(f"DIRECT.GET.{name}" for name in ("WG0", "WG1", "WFLEET", "WPROBE")),
            "DIRECT.GET.WG0.wg.0.g",
            "CONSUMER.CREATE.WG0",
            "CONSUMER.CREATE.WP0.x",
            "CONSUMER.MSG.NEXT.WG0.x",
            "META.LEADER.STEPDOWN",
        ]
        said = [f"$JS.API.{call}" for call in calls]
        said += ["wg.0.g", "wp.0.g", "card.g", "fleet.host", "probe.x", "own.g", "n.x.take"]
        said += ["beat.x", "live.g", "cardlive.g", "follow.0.g", "$SYS.REQ.SERVER.PING"]
        said += ["lend.whole.g", "lend.public.g.x", "lend.g"]
        heard = js.engine.subscribe("own.>")

        async def tried(subject: str) -> None:
            with pytest.raises((Forbidden, NoResponders)):
                await edge.engine.request(subject, b"{}", seconds=3.0)

        async with trio.open_nursery() as nursery:
            for subject in said:
                nursery.start_soon(tried, subject)
        for subject in (">", "wg.>", "follow.>", "own.>", "beat.>", "$SYS.>", "*.>"):
            listening = edge.engine.subscribe(subject)
            with trio.fail_after(5), pytest.raises(Forbidden):
                await listening.receive()
        with trio.move_on_after(0):
            pytest.fail(str(await heard.receive()))
        assert [(await js.describe(name))["state"]["messages"] for name in ("WG0", "WP0")] == [1, 0]

        async with fleetadmin.reached(
            fleetadmin.Where.of(url, keys=keys, role="archive")
        ) as reader:
            found, _ = await reader.read("WG0", "wg.0.g", 0, most=5, most_bytes=1000)
            assert [one.payload for one in found] == [b"secret"]
            said = js.engine.subscribe("finished.*")
            await js.describe("WG0")  # so it is heard from here on
            reader.engine.publish("finished.g", b"it has it")
            with trio.fail_after(5):
                assert (await said.receive()).payload == b"it has it"
            for subject in (
                "wg.0.g",
                "wp.0.g",
                "card.g",
                "finished.g.x",
                "fleet.host",
                "$JS.API.STREAM.DELETE.WG0",
                "$JS.API.STREAM.PURGE.WG0",
                "$JS.API.STREAM.PURGE.WP0",
            ):
                with pytest.raises(Forbidden):
                    await reader.engine.request(subject, b"{}", seconds=3.0)
            await _lend(js, edge, reader)
    for at in (
        fleetadmin.Where.of(url, authority=keys / "ca.pem"),
        fleetadmin.Where.of(url, nkey=keys / "node.nk"),
    ):
        with pytest.raises(fleetadmin.Unreached):
            async with fleetadmin.reached(at):
                pytest.fail("it was let in")


@pytest.mark.parametrize("said", [b"", b"nonsense", b"ab" * 31, "schlüssel".encode(), b"\xff\x00"])
def test_a_file_that_holds_no_public_keys_is_named(said: bytes, tmp_path: Path) -> None:
    """Another file under that name is told as such, whatever is in it."""
    (tmp_path / "server.pub").write_bytes(said)
    with pytest.raises(ValueError, match=r"server\.pub does not hold public keys"):
        fleetadmin.public_keys(tmp_path)


async def _lend(node: JetStream, edge: JetStream, archive: JetStream) -> None:
    """Nodes and edges are answered by the archive, each on the subject of their own; whoever names
    a stream's subject for the answer has nothing stored there; no answer can be given twice."""
    heard = archive.engine.subscribe("lend.*.*")
    with trio.fail_after(5), pytest.raises(Forbidden):
        await heard.receive()  # it may hear these two and no others
    asks = {"lend.whole": node, "lend.public": edge}
    lends = {one: archive.engine.subscribe(f"{one}.*") for one in asks}
    await archive.describe("WG0")  # so it is heard from here on
    with trio.fail_after(10):
        for subject, asking in asks.items():
            answers: list[bytes] = []

            async def ask(subject: str = subject, asking: JetStream = asking) -> None:
                said = await asking.engine.request(f"{subject}.g", b"0", seconds=5)
                answers.append(said.payload)  # noqa: B023

            async with trio.open_nursery() as nursery:
                nursery.start_soon(ask)
                message = await lends[subject].receive()
                archive.engine.publish(message.reply, b"lent")
                archive.engine.publish(message.reply, b"twice")
            assert answers == [b"lent"]
        before = [(await node.describe(name))["state"]["last_seq"] for name in ("WG0", "WP0")]
        for reply in ("wg.0.g", "wp.0.g", "own.g"):
            edge.engine.publish("lend.public.g", b"0", reply=reply)
            message = await lends["lend.public"].receive()
            archive.engine.publish(message.reply, b"stored?")
        await archive.describe("WG0")  # behind those
        after = [(await node.describe(name))["state"]["last_seq"] for name in ("WG0", "WP0")]
        assert after == before


async def test_answers_to_edges_and_archives_are_stored_nowhere(keys: Path, url: str) -> None:
    """NATS checks the subject of a request and not that of its answer: whatever subject whoever is
    not a node names for it, it stays in their account, where no stream listens."""
    _, planned = prepare(keys, url)
    where = [fleetadmin.Where.of(url, keys=keys, role=role) for role in ("node", "edge", "archive")]
    async with fleetadmin.reached(where[0]) as js:
        await fleetadmin.init(js, planned)
        await js.append("wp.1.g", b"public", identity="a", expected=0)
        heard = [
            js.engine.subscribe(subject) for subject in ("own.>", "n.>", "beat.>", "finished.*")
        ]
        asks = b'{"last_by_subj": "wp.1.g"}'
        for at in where[1:]:
            async with fleetadmin.reached(at) as other:
                calls = ["DIRECT.GET.WP1"]
                if at is where[2]:
                    calls += ["STREAM.MSG.GET.WP1", "STREAM.INFO.WP1"]
                for call in calls:
                    for reply in ("wg.0.g", "wp.0.g", "card.g", "probe.x", "own.g", "beat.x"):
                        other.engine.publish(f"$JS.API.{call}", asks, reply=reply)
                if at is where[2]:
                    for reply in ("wg.0.g", "n.x.take"):
                        other.engine.publish("archive.x", b"{}", reply=reply)
                last = await other.last("WP1", "wp.1.g", from_leader=False)  # behind those
                assert last is not None and last.payload == b"public"
                if at is where[2]:
                    last = await other.last("WP1", "wp.1.g", from_leader=True)
                    assert last is not None and last.payload == b"public"
                    assert (await other.describe("WP1"))["state"]["messages"] == 1
        for name in ("WG0", "WP0", "WCARDS", "WPROBE"):
            assert (await js.describe(name))["state"]["last_seq"] == 0, name
        for one in heard:
            with trio.move_on_after(0):
                pytest.fail(str(await one.receive()))


async def test_a_key_opens_its_own_account_alone(keys: Path, url: str, tmp_path: Path) -> None:
    """A node that was given an edge's key, or an archive's, does not start as one; an edge that was
    given a node's key is let in, which is why that key goes to nodes alone; and whoever trusts
    another authority than the fleet's, or brings a key that the fleet has not made, talks to
    nobody."""
    _, planned = prepare(keys, url)
    async with fleetadmin.reached(fleetadmin.Where.of(url, keys=keys)) as js:
        await fleetadmin.init(js, planned)
    for role in ("edge", "archive", "system"):
        at = fleetadmin.Where.of(url, keys=keys, nkey=keys / f"{role}.nk")
        async with fleetadmin.reached(at) as js:
            for name in ("wg.0.g", "card.g", "probe.x"):
                with pytest.raises((Forbidden, NoResponders)):
                    await js.append(name, b"x", identity="z", expected=0, seconds=3.0)
    other = tmp_path / "other"
    prepare(other, url)
    for at in (
        fleetadmin.Where.of(url, keys=keys, authority=other / "ca.pem"),
        fleetadmin.Where.of(url, keys=keys, nkey=other / "node.nk"),
    ):
        with pytest.raises(fleetadmin.Unreached):
            async with fleetadmin.reached(at):
                pytest.fail("it was let in")


async def test_an_edge_has_a_key_of_its_own_until_it_is_taken_away(tmp_path: Path) -> None:
    """Edges with keys of their own get what every edge gets and no more; when one's is taken away
    and the server reads its configuration again, its connection ends and it comes in no more, while
    the others stay."""
    [port] = free_ports(1)
    url = f"nats://127.0.0.1:{port}"
    keys = tmp_path / "keys"
    made, planned = prepare(keys, url)
    [conf] = natsconf.change_edge_key(keys, "berlin", os.urandom, revoke=False)
    assert conf == made.servers[0] / "nats.conf"

    def at(name: str) -> fleetadmin.Where:
        return fleetadmin.Where.of(url, keys=keys, role="edge", nkey=keys / f"edge-{name}.nk")

    with serving(made.servers[0]) as server:
        async with fleetadmin.reached(fleetadmin.Where.of(url, keys=keys)) as js:
            await fleetadmin.init(js, planned)

            async def read_again(name: str, *, revoke: bool) -> None:
                natsconf.change_edge_key(keys, name, os.urandom, revoke=revoke)
                server.process.send_signal(signal.SIGHUP)

            async def gets(edge: JetStream) -> None:
                found, _ = await edge.read("WCARDS", "card.>", 0, most=5, most_bytes=1000)
                assert [one.payload for one in found] == [b"card"]
                with pytest.raises((Forbidden, NoResponders)):
                    await edge.engine.request("$JS.API.DIRECT.GET.WG0", b"{}", seconds=3.0)

            await js.append("card.g", b"card", identity="c", expected=0)
            await read_again("paris", revoke=False)
            with trio.fail_after(20):
                while True:
                    with suppress(fleetadmin.Unreached):
                        async with fleetadmin.reached(at("paris")) as edge:
                            await gets(edge)
                            break
            kept = fleetadmin.Where.of(url, nkey=tmp_path / "stolen.nk", authority=keys / "ca.pem")
            (tmp_path / "stolen.nk").write_bytes((keys / "edge-paris.nk").read_bytes())
            (tmp_path / "stolen.nk").chmod(0o600)
            async with fleetadmin.reached(at("berlin")) as berlin:
                async with fleetadmin.reached(kept) as stolen:
                    await gets(stolen)
                    await read_again("paris", revoke=True)
                    with trio.fail_after(20), pytest.raises(EngineError):
                        while True:
                            await gets(stolen)
                await gets(berlin)
                assert berlin.engine.connections == 1
            with pytest.raises(fleetadmin.Unreached):
                async with fleetadmin.reached(kept):
                    pytest.fail("it was let in")
    # A server that is set up later knows the edges, too, and not the one that was taken away.
    shutil.rmtree(made.servers[0])
    prepare(keys, url)
    users = json.loads(conf.read_text())["accounts"][natsconf.EDGES]["users"]
    assert len(users) == 2
    for name, revoke, said in (
        ("berlin", False, "is there already"), ("paris", True, "there is no"),
        ("../x", False, "no name"),
    ):  # fmt: skip
        with pytest.raises(natsconf.NoEdgeKey, match=said):
            natsconf.change_edge_key(keys, name, os.urandom, revoke=revoke)


def test_a_key_that_was_removed_is_made_anew_and_no_other(keys: Path) -> None:
    """What an operator does whose key was stolen: without that file and the configurations,
    `fleet init` makes both again. The old key is named nowhere, the others stay."""
    made, _ = prepare(keys, "nats://127.0.0.1:4222")
    natsconf.change_edge_key(keys, "berlin", os.urandom, revoke=False)
    conf = made.servers[0] / "nats.conf"
    for role in natsconf.ROLES:
        file = keys / natsconf.key_file(role)
        before, old = contents(keys), UserKey.read(file.read_text())
        assert old.public in conf.read_text()
        file.unlink()
        conf.unlink()
        prepare(keys, "nats://127.0.0.1:4222")
        assert old.public not in conf.read_text()
        assert UserKey.read(file.read_text()).public in conf.read_text()
        changed = {path for path, data in contents(keys).items() if before.get(path) != data}
        assert changed == {file, conf}


ACTS = ("INFO", "CREATE", "UPDATE", "DELETE", "PURGE", "MSG.GET", "MSG.DELETE", "LEADER.STEPDOWN")


async def test_three_servers_of_the_written_configuration_are_one_cluster(keys: Path) -> None:
    """With routes over TLS on both sides, three replicas of each stream, and all of them
    current."""
    ports = free_ports(3)
    url = "nats://" + ",".join(f"127.0.0.1:{port}" for port in ports)
    made, planned = prepare(keys, url, 3)
    with ExitStack() as running:
        for folder in made.servers:
            running.enter_context(serving(folder))
        async with fleetadmin.reached(fleetadmin.Where.of(url, keys=keys)) as js:
            await fleetadmin.init(js, planned)
            with trio.fail_after(20):
                while not (state := await fleetadmin.status(js, seconds=0.0)).is_current:
                    pass
            assert {one.leader for one in state.streams} <= {"nats-1", "nats-2", "nats-3"}
            assert all(one.replicas == 3 for one in state.streams)
