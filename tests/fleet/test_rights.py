"""What the keys of a fleet open: each is tried at all that the engine and the fleet can be asked,
and gets what the design gives it and nothing else."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Final

import pytest
import trio

from tests.fleet.test_accounts import altered, prepare
from tests.nats.rig import program, serving
from warledger.clients.commands.demos.fleetdemo import free_ports
from warledger.engine.nats.jetstreamapi import JetStream, Rejected
from warledger.engine.nats.natsport import Forbidden, NoResponders, Unknown
from warledger.engine.nats.nkeys import UserKey
from warledger.engine.store.fleet import fleetadmin, natsconf
from warledger.engine.store.fleet.archiveloans import TO_EDGES, TO_NODES

STREAMS: Final = ("WG0", "WG1", "WP0", "WP1", "WCARDS", "WFLEET", "WPROBE")
SHOWN: Final = ("WP0", "WP1", "WCARDS")
"""What an edge may read."""

CALLS: Final = (
    *("INFO", "STREAM.NAMES", "STREAM.LIST", "META.LEADER.STEPDOWN", "META.RESCUE"),
    *("SERVER.REMOVE", "SERVER.EVACUATE", "ACCOUNT.PURGE.*", "ACCOUNT.STREAM.MOVE.*.*"),
    *("STREAM.CREATE.*", "STREAM.UPDATE.*", "STREAM.INFO.*", "STREAM.DELETE.*"),
    *("STREAM.PURGE.*", "STREAM.SNAPSHOT.*", "STREAM.RESTORE.*", "STREAM.PEER.REMOVE.*"),
    *("STREAM.LEADER.STEPDOWN.*", "STREAM.MSG.GET.*", "STREAM.MSG.DELETE.*"),
    *("DIRECT.GET.*", "DIRECT.GET.*.>", "CONSUMER.CREATE.*", "CONSUMER.CREATE.*.*"),
    *("CONSUMER.CREATE.*.*.>", "CONSUMER.DURABLE.CREATE.*.*", "CONSUMER.NAMES.*"),
    *("CONSUMER.LIST.*", "CONSUMER.INFO.*.*", "CONSUMER.DELETE.*.*", "CONSUMER.PAUSE.*.*"),
    *("CONSUMER.MSG.NEXT.*.*", "CONSUMER.LEADER.STEPDOWN.*.*", "CONSUMER.UNPIN.*.*"),
)
"""Calls of the engine's API, as its reference lists them."""

BESIDE: Final = (
    *("$JS.ACK.WG0.c.1.1.1.1.0", "$JS.ACK._.h.WG0.c.1.1.1.1.0.x", "$JS.FC.WG0.c.x"),
    *("$JS.SNAPSHOT.ACK.WG0.x", "$JS.SNAPSHOT.RESTORE.WG0.x", "$JS.EVENT.ADVISORY.x"),
    *("$JS.fleet.API.INFO", "$JS.fleet.API.STREAM.MSG.GET.WG0", "$JSC.CI.x.WG0.c", "$JSC.SI.x.WG0"),
    *("$JSC.R.x", "$NRG.AE.x", "$NRG.V.x", "$NRG.P.x", "$KV.x.y", "$O.x.C.y", "$MQTT.x"),
    *("$SRV.PING", "$SRV.INFO", "$SRV.STATS", "$SYS.REQ.SERVER.PING", "$SYS.REQ.USER.INFO"),
    *("$SYS.REQ.SERVER.PING.CONNZ", "$SYS.REQ.SERVER.PING.VARZ", "$SYS.REQ.SERVER.x.RELOAD"),
    *("$SYS.REQ.ACCOUNT.PING.CONNZ", "$SYS.REQ.ACCOUNT.CORE.INFO", "$SYS.REQ.CLAIMS.LIST"),
    *("$SYS.REQ.SERVER.x.KICK", "$SYS.REQ.SERVER.x.LDM", "$SYS.DEBUG.SUBSCRIBERS"),
    *("$SYS.ACCOUNT.CORE.CONNECT", "$G.x", "_R_.x", "$GR.x"),
)
"""What else the engine listens to."""

OURS: Final = (
    *("wg.0.g", "wg.1.g", "wp.0.g", "wp.1.g", "card.g", "fleet.host", "fleet.keys", "probe.x"),
    *("own.g", "n.x.take", "n.x.ping", "n.x.drain", "beat.x", "live.g", "cardlive.g"),
    *("follow.0.g", "archive.x", "finished.g", f"{TO_NODES}.g", f"{TO_EDGES}.g", "lend.g"),
    *("core.STREAM.MSG.GET.WG0", "core.STREAM.INFO.WG0", "core.DIRECT.GET.WG0"),
)
"""Every subject that a fleet uses."""


def known_to(server: str) -> set[str]:
    """The calls whose names stand in a server's own program: those of a later release, too. What
    stands directly behind a name there is cut off where that can be seen."""
    named = re.findall(
        rb"\$JS\.API\.([A-Z_]+(?:\.[A-Z_]+)*(?:\.\*)+(?:\.>)?)", Path(server).read_bytes()
    )
    return {one.decode() for one in named}


def filled(call: str, streams: Iterable[str]) -> Iterator[str]:
    """A call of the API for each of these streams."""
    for stream in streams if "*" in call else ("",):
        said = (
            call.replace("*", stream, 1).replace("*", "c").replace(">", f"{stream[:2].lower()}.0.g")
        )
        yield f"$JS.API.{said}"


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    return tmp_path / "keys"


@asynccontextmanager
async def standing(keys: Path, *edges: str) -> AsyncIterator[tuple[dict[str, JetStream], Any]]:
    """A fleet with a message in each stream, and whoever has a key of it: by the role, and by the
    names of edges that have one of their own. With its server."""
    [port] = free_ports(1)
    url = f"nats://127.0.0.1:{port}"
    made, planned = prepare(keys, url)
    for name in edges:
        natsconf.change_edge_key(keys, name, os.urandom, revoke=False)
    async with AsyncExitStack() as stack:
        server = stack.enter_context(serving(made.servers[0]))
        there: dict[str, JetStream] = {}
        for role in natsconf.ROLES:
            at = fleetadmin.Where.of(url, keys=keys, role=role)
            there[role] = await stack.enter_async_context(fleetadmin.reached(at))
        for name in edges:
            at = fleetadmin.Where.of(url, keys=keys, nkey=keys / f"edge-{name}.nk")
            there[name] = await stack.enter_async_context(fleetadmin.reached(at))
        js = there["node"]
        await fleetadmin.init(js, planned)
        for subject in ("wg.0.g", "wg.1.g", "wp.0.g", "wp.1.g", "card.g", "probe.x"):
            await js.append(subject, subject.encode(), identity="", expected=0)
        yield there, server


async def state_of(js: JetStream) -> list[Any]:
    """All that can be altered in the engine: streams, what they keep, and consumers."""
    found: list[Any] = sorted((await js.api("STREAM.NAMES"))["streams"])
    for name in STREAMS:
        told = await js.describe(name)
        state = {key: told["state"][key] for key in ("messages", "bytes", "first_seq", "last_seq")}
        found += [name, told["config"], state, told["state"].get("consumer_count", 0)]
        kept, _ = await js.read(name, ">", 0, most=100, most_bytes=10**6)
        found += [(one.subject, one.sequence, one.payload) for one in kept]
    return found


def allowed(role: str) -> set[str]:
    """What a role may say to whom it concerns."""
    if role == "edge":
        return {f"$JS.API.DIRECT.GET.{name}" for name in SHOWN} | {f"{TO_EDGES}.g"}
    calls = ("DIRECT.GET", "STREAM.MSG.GET", "STREAM.INFO")
    may = {f"$JS.API.{call}.{name}" for call in calls for name in STREAMS}
    may |= {f"core.{call}.{name}" for call in calls[1:] for name in STREAMS}
    return may | {"archive.x", "finished.g"}


@pytest.mark.parametrize("role", ["edge", "archive"])
async def test_a_key_gets_nothing_else_and_alters_nothing(keys: Path, role: str) -> None:
    """At every call of the API that the server's program names, for every stream, at all else that
    the engine listens to, and at every subject of the fleet: what a role may not ask is refused or
    reaches nobody, also where an answer is to go to somebody else; it hears none of it; and
    afterwards everything is as it was."""
    found = known_to(program())
    assert len(found) > 25 and {"STREAM.SNAPSHOT.*", "STREAM.PEER.REMOVE.*"} <= found
    calls = sorted({*CALLS, *found})
    said = [one for call in calls for one in filled(call, STREAMS)]
    said = [one for one in (*said, *BESIDE, *OURS) if one not in allowed(role)]
    async with standing(keys) as (there, _):
        node, other = there["node"], there[role]
        # Whatever of it came through would be heard by a node, which may hear everything.
        heard = [node.engine.subscribe(f"{one}.>") for one in ("own", "n", "beat", "live", "lend")]
        before = await state_of(node)
        slots = trio.CapacityLimiter(20)

        async def tried(subject: str, payload: bytes) -> None:
            async with slots:
                with pytest.raises((Forbidden, NoResponders)):
                    await other.engine.request(subject, payload, seconds=20.0)
                    pytest.fail(f"{subject} was answered")

        asks = {
            "MSG.GET": b'{"seq": 1}',
            "MSG.DELETE": b'{"seq": 1}',
            "PURGE": b"{}",
            "UPDATE": b'{"name": "WG0", "subjects": ["x.>"]}',
            "CREATE": b'{"stream_name": "WG0", "config": {"deliver_subject": "live.x"}}',
            "SNAPSHOT": b'{"deliver_subject": "live.x"}',
        }
        async with trio.open_nursery() as nursery:
            for subject in said:
                payload = next((one for part, one in asks.items() if part in subject), b"{}")
                nursery.start_soon(tried, subject, payload)

        hears = (
            {"live.g", "cardlive.g"} if role == "edge" else {"live.g", "cardlive.g", "follow.0.g"}
        )
        lent = set() if role == "edge" else {f"{TO_NODES}.g", f"{TO_EDGES}.g"}
        wild = (
            ">",
            "*",
            "*.>",
            "*.*",
            "_INBOX.>",
            "_INBOX.*.>",
            "_R_.>",
            "$JS.>",
            "$SYS.>",
            "$JSC.>",
        )
        wild += ("wg.>", "wp.>", "card.>", "fleet.>", "own.>", "n.>", "beat.>", "probe.>", "lend.>")
        wild += (f"{there['node'].engine.inbox().rpartition('.')[0]}.>",)
        for subject in sorted({*wild, *said, *OURS} - hears - lent):
            listening = other.engine.subscribe(subject)
            with trio.fail_after(20), pytest.raises(Forbidden):
                await listening.receive()
                pytest.fail(f"{subject} was heard")
        assert await state_of(node) == before
        for one in heard:
            with trio.move_on_after(0):
                pytest.fail(str(await one.receive()))


async def test_no_edge_hears_or_answers_for_another(keys: Path) -> None:
    """Edges with keys of their own each hear their own answers alone, so that none can learn where
    another awaits them and put something else there; an archive that is not there is nobody's to
    play."""
    async with standing(keys, "berlin", "paris") as (there, server):
        berlin, paris = there["berlin"], there["paris"]
        inbox = berlin.engine.inbox()
        awaited = berlin.engine.subscribe(inbox)
        for subject in (inbox, inbox.rpartition(".")[0] + ".>", "_INBOX.>", f"{TO_EDGES}.*"):
            listening = paris.engine.subscribe(subject)
            with trio.fail_after(5), pytest.raises(Forbidden):
                await listening.receive()
        with pytest.raises((Forbidden, NoResponders)):
            await paris.engine.request(inbox, b"forged", seconds=5)
        for edge in (berlin, paris):
            kept, _ = await edge.read("WP0", "wp.0.g", 0, most=5, most_bytes=1000)
            assert [one.payload for one in kept] == [b"wp.0.g"]
        with trio.move_on_after(0):
            pytest.fail(str(await awaited.receive()))
        # One that is made later, beside others, has the same.
        for name in ("berlin", "later"):
            natsconf.change_edge_key(keys, name, os.urandom, revoke=name == "berlin")
        server.process.send_signal(signal.SIGHUP)
        later = UserKey.read((keys / "edge-later.nk").read_text())
        with trio.fail_after(10):
            kept, _ = await paris.read("WP0", "wp.0.g", 0, most=5, most_bytes=1000)
        text = (keys / "nats-1" / "nats.conf").read_text()
        assert text.count(f"{later.inbox}.>") == 1 and "_INBOX.>" not in text


async def test_a_node_can_delete_no_message_and_manage_no_server(keys: Path) -> None:
    """A node has the fleet's streams and nothing of the servers: they let nobody delete a message
    or take that back, and what manages servers and accounts answers the key of SYS alone, which has
    no stream."""
    async with standing(keys) as (there, _):
        node, system = there["node"], there["system"]
        before = await state_of(node)
        for name in ("WG0", "WG1", "WP0", "WP1"):
            with pytest.raises(Rejected):
                await node.api(f"STREAM.MSG.DELETE.{name}", {"seq": 1})
            with pytest.raises(Rejected):
                await altered(node, name, deny_delete=False)
        for subject in (
            *("$SYS.REQ.SERVER.PING.VARZ", "$SYS.REQ.SERVER.PING.JSZ", "$SYS.REQ.SERVER.x.RELOAD"),
            *("$SYS.REQ.ACCOUNT.PUBLIC.INFO", "$SYS.REQ.ACCOUNT.SYS.CONNZ", "$SYS.REQ.CLAIMS.LIST"),
        ):
            with pytest.raises((Forbidden, NoResponders)):
                await node.engine.request(subject, b"{}", seconds=2)
                pytest.fail(f"{subject} was answered")
        assert (await system.engine.request("$SYS.REQ.SERVER.PING", b"{}", seconds=5)).payload
        for call in ("INFO", "STREAM.NAMES", "STREAM.MSG.GET.WG0", "DIRECT.GET.WG0"):
            try:
                answer = await system.api(call, {"seq": 1}, seconds=2)
            except (Rejected, NoResponders, Unknown):
                continue
            assert not answer.get("streams"), answer
        assert await state_of(node) == before
