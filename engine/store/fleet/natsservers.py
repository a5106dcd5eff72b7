"""The NATS servers themselves and who is connected to them, as they tell the account SYS.

Source: https://docs.nats.io/running-a-nats-service/configuration/sys_accounts, on the requests
`$SYS.REQ.SERVER.PING` and `PING.CONNZ`, which every server answers.
"""

import json
from collections.abc import Mapping
from typing import Any, Final

import trio
from attrs import frozen

from warledger.engine.nats.jetstreamapi import JetStream
from warledger.engine.nats.natsport import Missed

ANSWER_SECONDS: Final = 0.8
"""How long it is waited for the answers: nobody knows how many servers there are."""

CONNECTIONS_MAX: Final = 1024
"""The most connections that one server lists."""

EDGE: Final = "warledger edge"
"""What an edge calls its connection."""


@frozen
class NatsServer:
    """A NATS server that answers. `connections` are those of clients."""

    name: str
    version: str
    connections: int

    def as_data(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {"name": self.name, "version": self.version, "connections": self.connections}


@frozen
class Edge:
    """An edge that is connected: from where, and to which NATS server."""

    address: str
    server: str

    def as_data(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {"address": self.address, "server": self.server}


async def servers_and_edges(
    js: JetStream, *, seconds: float = ANSWER_SECONDS
) -> tuple[tuple[NatsServer, ...], tuple[Edge, ...]]:
    """The servers that answer within `seconds`, by name, and the edges at them. `js` is connected
    with the key of the account SYS."""
    servers: dict[str, NatsServer] = {}
    edges: list[Edge] = []

    async def ask(what: str, asks: Mapping[str, Any], take: Any) -> None:
        inbox = js.engine.inbox()
        answers = js.engine.subscribe(inbox)
        try:
            js.engine.publish(what, json.dumps(asks).encode(), reply=inbox)
            while True:
                try:
                    said = json.loads((await answers.receive()).payload)
                except (Missed, ValueError):
                    continue
                take(said["server"], said)
        finally:
            answers.close()

    def server(about: Mapping[str, Any], said: Mapping[str, Any]) -> None:
        count = int(said["statsz"].get("connections", 0))
        servers[about["name"]] = NatsServer(about["name"], str(about["ver"]), count)

    def connected(about: Mapping[str, Any], said: Mapping[str, Any]) -> None:
        edges.extend(
            Edge(f"{one['ip']}:{one['port']}", about["name"])
            for one in said.get("data", {}).get("connections") or ()
            if one.get("name") == EDGE
        )

    with trio.move_on_after(seconds):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ask, "$SYS.REQ.SERVER.PING", {}, server)
            of_edges = {"acc": "PUBLIC", "auth": True, "limit": CONNECTIONS_MAX}
            nursery.start_soon(ask, "$SYS.REQ.SERVER.PING.CONNZ", of_edges, connected)
    ordered = sorted(servers.values(), key=lambda one: one.name)
    return tuple(ordered), tuple(sorted(edges, key=lambda one: (one.server, one.address)))
