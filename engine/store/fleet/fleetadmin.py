"""What an operator does with a fleet: make it, look at it, change its keys, its release and its
host's token. Nodes, edges and archives connect by `Where`, too."""

from __future__ import annotations

import json
import os
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from datetime import datetime
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, Final, TypeVar

import trio
from attrs import field, frozen

from warledger.engine.nats.jetstreamapi import JetStream, Rejected
from warledger.engine.nats.natsclient import Client, Refused, Settings, address, new_inbox, opened
from warledger.engine.nats.natsport import Missed, NoResponders, NotSent, Unknown
from warledger.engine.nats.nkeys import BadKey, UserKey
from warledger.engine.store.fleet.cards import Cards
from warledger.engine.store.fleet.fleetstreams import (
    RELEASE,
    Fleet,
    check_node,
    differing,
    make_fleet,
    read_fleet,
    tell,
)
from warledger.engine.store.fleet.fleetstreams import BadFleet as BadFleet
from warledger.engine.store.fleet.jetstream import JetStreamStore
from warledger.engine.store.fleet.keyring import RING_FILE, Ring, read_ring, write_secret
from warledger.engine.store.fleet.natsconf import (
    AUTHORITY,
    key_file,
    servers_of,
    write_servers,
)
from warledger.engine.store.fleet.natsservers import Edge, NatsServer, servers_and_edges
from warledger.engine.store.fleet.nodemessages import Nodes
from warledger.engine.store.fleet.publicgames import PublicStore, count_shards
from warledger.engine.store.fleet.receipts import Receipted, open_receipts
from warledger.engine.store.fleet.sharedstore import running
from warledger.engine.store.port import StoreError

PUBLIC_KEYS: Final = "server.pub"
TOKEN_FILE: Final = "host.token"
SCHEME: Final = "nats://"
REACHED_SECONDS: Final = 10.0
"""How long the engine may take to be found, unless somebody waits for it."""

BEATS_SECONDS: Final = 1.2
"""How long `status` listens for nodes: each says twice a second that it is there."""

TRIES: Final = 40
"""How often something is asked again while the engine chooses its leaders, twice a second."""


class Unreached(StoreError):
    """No server of the engine can be reached, or none lets us in."""


@frozen
class Where:
    """How to reach a fleet's engine, and as whom. `nkey` is a file with a seed, `authority` the
    certificate by which the servers are known; without one the connection is in clear."""

    servers: tuple[str, ...]
    nkey: Path | None = None
    authority: Path | None = None
    name: str = "warledger"
    log: Callable[..., None] = field(default=lambda event, **values: None, repr=False)

    @classmethod
    def of(
        cls,
        url: str,
        *,
        keys: Path | None = None,
        role: str = "node",
        nkey: Path | None = None,
        authority: Path | None = None,
    ) -> Where:
        """From `nats://HOST:PORT,HOST:PORT…`. What is not named is looked for in the folder
        `keys`, as `fleet init` writes it. Raises ValueError."""
        if not url.startswith(SCHEME):
            raise ValueError(
                f"{url!r} is not the address of a fleet: write nats://HOST:PORT,HOST:PORT"
            )
        servers = tuple(
            one.strip().removeprefix(SCHEME) for one in url.removeprefix(SCHEME).split(",")
        )
        for one in servers:
            address(one)
        if keys is not None:
            if nkey is None and (keys / key_file(role)).exists():
                nkey = keys / key_file(role)
            if authority is None and (keys / AUTHORITY).exists():
                authority = keys / AUTHORITY
        return cls(servers, nkey, authority, f"warledger {role}")

    def settings(self) -> Settings:
        """What the client needs. Raises ValueError and OSError."""
        key = None
        if self.nkey is not None:
            try:
                key = UserKey.read(self.nkey.read_text(encoding="ascii"))
            except BadKey as error:
                raise ValueError(f"{self.nkey}: {error}") from None
        tls = None
        if self.authority is not None:
            tls = ssl.create_default_context(cafile=str(self.authority))
        return Settings(self.servers, self.name, tls, key=key, log=self.log)


@asynccontextmanager
async def reached(
    where: Where, *, seconds: float | None = REACHED_SECONDS
) -> AsyncIterator[JetStream]:
    """The engine, connected. With `seconds` None it is waited for. Raises Unreached, ValueError and
    OSError."""
    try:
        settings = where.settings()
        async with opened(settings, new_inbox(settings, os.urandom(11))) as client:
            with trio.move_on_after(float("inf") if seconds is None else seconds) as late:
                await client.connected()
            if late.cancelled_caught:
                raise Unreached(
                    f"no NATS server can be reached at {', '.join(where.servers)}; "
                    "see whether they are running"
                )
            yield JetStream(client)
    except BaseExceptionGroup as group:
        raise _only(group) from None


T = TypeVar("T")


@asynccontextmanager
async def lasting(opened: AbstractAsyncContextManager[T]) -> AsyncIterator[T]:
    """What this opens, until the block has ended: whoever is cancelled and stops in their own order
    needs it until then. To open it can be cancelled. Raises what it raises."""
    over = trio.Event()

    async def keep(*, task_status: trio.TaskStatus[T]) -> None:
        with trio.CancelScope() as kept:
            async with opened as made:
                kept.shield = True
                task_status.started(made)
                await over.wait()

    try:
        async with trio.open_nursery() as nursery:
            try:
                yield await nursery.start(keep)
            finally:
                over.set()
    except BaseExceptionGroup as group:
        raise _only(group) from None


def _only(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The one error of a group of one, which says no more than that there was a nursery."""
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return Unreached(str(error)) if isinstance(error, Refused) else error


async def settled(ask: Callable[[], Awaitable[Any]], *, tries: int | None = TRIES) -> Any:
    """What a call answers, asked again while the engine has no leader for it; with `tries` None for
    as long as that lasts. Raises Rejected, and Unreached if it lasts for more tries."""
    for _ in count() if tries is None else range(tries):
        try:
            return await ask()
        except (Unknown, NotSent, NoResponders) as error:
            said = str(error)
        except Rejected as error:
            # No leader, or too few servers are there yet for so many replicas.
            if error.number not in (503, 10008, 10039, 10076, 10005, 10074):
                raise
            said = str(error)
        await trio.sleep(0.5)
    raise Unreached(f"the engine does not answer: {said}")


# --- init -----------------------------------------------------------------------------------------


@frozen
class Made:
    """What `init` did: the servers' folders, whether the ring and the host's token are new, and
    whether streams were made."""

    servers: tuple[Path, ...]
    ring_is_new: bool
    token_is_new: bool


def prepare(
    folder: Path,
    url: str,
    fleet: Fleet,
    *,
    store: str,
    random_bytes: Callable[[int], bytes],
    token: Callable[[], str],
    now: datetime,
) -> Made:
    """Write what is missing of a fleet's files: key ring, `server.pub`, host token, nkeys, and a
    configuration for each server. Nothing is replaced. Raises BadRing, ValueError, OSError."""
    servers = servers_of(Where.of(url).servers)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    ring_is_new = not (folder / RING_FILE).exists()
    if ring_is_new:
        if (folder / PUBLIC_KEYS).exists():
            raise ValueError(
                f"{folder / RING_FILE} is missing, but {folder / PUBLIC_KEYS} is there: put the "
                "ring back from its backup. For a new fleet name another folder"
            )
        write_secret(folder / RING_FILE, Ring.made(random_bytes).text())
    ring = read_ring(folder)
    write_public(folder, ring)
    token_is_new = not (folder / TOKEN_FILE).exists()
    if token_is_new:
        write_secret(folder / TOKEN_FILE, token() + "\n")
    made = write_servers(folder, servers, fleet, store, random_bytes, now)
    return Made(tuple(made), ring_is_new, token_is_new)


def write_public(folder: Path, ring: Ring) -> None:
    """`server.pub`: the public keys, newest first, for everybody."""
    write_secret(folder / PUBLIC_KEYS, "\n".join(ring.public) + "\n", 0o644)


async def init(js: JetStream, fleet: Fleet) -> bool:
    """Make the fleet in the engine. Returns whether anything was missing. Raises BadFleet."""
    made: bool = await settled(lambda: make_fleet(js, fleet))
    return made


# --- status ---------------------------------------------------------------------------------------


@frozen
class StreamState:
    """A stream as the engine has it now. `behind` are the replicas that are not current, `messages`
    and `bytes` what it keeps. `missing` are the servers of its replicas that nobody has heard of
    for long; `keepers` are all servers of its replicas."""

    name: str
    leader: str
    replicas: int
    behind: tuple[str, ...]
    missing: tuple[str, ...]
    messages: int
    bytes: int
    keepers: tuple[str, ...] = ()

    @property
    def is_current(self) -> bool:
        """Whether every replica has everything, and somebody leads."""
        return bool(self.leader) and not self.behind and not self.missing


@frozen
class Status:
    """A fleet now. `nodes` is each node's incarnation with what it last said of itself, `archives`
    each archive with how many messages it is behind. `servers` and `edges` are None unless they
    were asked for with the key of the account SYS. `wrong` is what differs from what should be."""

    fleet: Fleet
    streams: tuple[StreamState, ...]
    nodes: dict[str, dict[str, Any]]
    archives: dict[str, dict[str, Any]]
    wrong: tuple[str, ...]
    servers: tuple[NatsServer, ...] | None = None
    edges: tuple[Edge, ...] | None = None

    @property
    def silent(self) -> tuple[str, ...]:
        """The NATS servers that keep streams and do not answer, as far as is known."""
        if self.servers is None:
            return ()
        there = {one.name for one in self.servers}
        keep = {name for stream in self.streams for name in stream.keepers}
        return tuple(sorted(keep - there))

    @property
    def is_current(self) -> bool:
        """Whether the engine could lose any one server now."""
        current = all(stream.is_current for stream in self.streams)
        return current and not self.wrong and not self.silent

    def as_data(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "current": self.is_current,
            "release": self.fleet.release,
            "streams": [
                {
                    "name": one.name,
                    "leader": one.leader,
                    "replicas": one.replicas,
                    "behind": list(one.behind),
                    "missing": list(one.missing),
                    "messages": one.messages,
                    "bytes": one.bytes,
                }
                for one in self.streams
            ],
            "servers": None
            if self.servers is None
            else [
                {**one.as_data(), "leads": [s.name for s in self.streams if s.leader == one.name]}
                for one in self.servers
            ],
            "silent": list(self.silent),
            "edges": None if self.edges is None else [one.as_data() for one in self.edges],
            "nodes": self.nodes,
            "archives": self.archives,
            "differs": list(self.wrong),
        }


async def status(
    js: JetStream, system: JetStream | None = None, *, seconds: float = BEATS_SECONDS
) -> Status:
    """How a fleet fares; of its NATS servers and edges what they tell the account SYS, if there is
    a connection with its key. Raises BadFleet if there is none."""
    fleet: Fleet | None = await settled(lambda: read_fleet(js))
    if fleet is None:
        raise BadFleet("there is no fleet in this engine: make one with `warledger fleet init`")
    found = fleet
    heard = await _heard(js, ("beat.>", "archive.*"), seconds)
    nodes, archives = (
        {name.partition(".")[2]: said for name, said in heard.items() if name.startswith(kind)}
        for kind in ("beat.", "archive.")
    )
    wrong: list[str] = await settled(lambda: differing(js, found))
    states = []
    for stream in found.streams():
        if any(one == f"{stream.name} is missing" for one in wrong):
            continue
        states.append(await settled(partial(_state, js, stream.name)))
    told = (None, None) if system is None else await servers_and_edges(system)
    return Status(found, tuple(states), nodes, archives, tuple(wrong), *told)


async def _state(js: JetStream, name: str) -> StreamState:
    said = await js.describe(name)
    cluster = said.get("cluster") or {}
    others = cluster.get("replicas") or []
    return StreamState(
        name,
        # A server alone leads whatever it has, and says so by saying nothing.
        cluster.get("leader", "" if others else "(alone)"),
        int(said["config"]["num_replicas"]),
        tuple(one["name"] for one in others if not one.get("current") and not one.get("offline")),
        tuple(one["name"] for one in others if one.get("offline")),
        int(said["state"]["messages"]),
        int(said["state"]["bytes"]),
        (cluster["leader"], *(one["name"] for one in others)) if cluster.get("leader") else (),
    )


async def _heard(
    js: JetStream, subjects: Sequence[str], seconds: float
) -> dict[str, dict[str, Any]]:
    """What is said on these subjects within `seconds`: of each the newest."""
    found: dict[str, dict[str, Any]] = {}

    async def listen(subject: str) -> None:
        listening = js.engine.subscribe(subject)
        try:
            while True:
                with suppress(Missed):
                    heard = await listening.receive()
                    try:
                        said = json.loads(heard.payload or b"{}")
                    except ValueError:
                        said = {}
                    found[heard.subject] = said if isinstance(said, dict) else {}
        finally:
            listening.close()

    with trio.move_on_after(seconds):
        async with trio.open_nursery() as nursery:
            for subject in subjects:
                nursery.start_soon(listen, subject)
    return dict(sorted(found.items()))


# --- changes --------------------------------------------------------------------------------------


async def set_release(js: JetStream, number: int) -> None:
    """Let nodes write what release `number` reads, and no older one. Raises BadFleet if that is
    more than this release knows, or less than what the fleet writes already."""
    if number > RELEASE:
        raise BadFleet(
            f"this is release {RELEASE} of what a fleet writes: it does not know {number}"
        )
    fleet: Fleet | None = await settled(lambda: read_fleet(js))
    if fleet is None:
        raise BadFleet("there is no fleet in this engine: make one with `warledger fleet init`")
    if number < fleet.release:
        raise BadFleet(
            f"the fleet writes what release {fleet.release} reads; what it has written cannot be "
            "taken back"
        )
    await settled(lambda: tell(js, "release", number))


async def set_host(js: JetStream, digest: bytes) -> None:
    """From now on the host's token is the one with this digest."""
    await settled(lambda: tell(js, "host", digest.hex()))


async def set_keys(js: JetStream, ring: Ring) -> None:
    """From now on a node needs this ring."""
    await settled(lambda: tell(js, "keys", ring.described()))


def fleet_of(ring: Ring, host: bytes, *, replicas: int, room: int, shards: int) -> Fleet:
    """A fleet that is to be made."""
    return Fleet(shards, replicas, room, RELEASE, host.hex(), ring.described())


# --- being a node ---------------------------------------------------------------------------------


@asynccontextmanager
async def joined_fleet(
    where: Where, ring: Ring, name: str, data: Path
) -> AsyncIterator[tuple[JetStreamStore, Nodes, Cards, Fleet]]:
    """A fleet's games, nodes and cards, as the node of this incarnation has them, with its receipts
    in the folder `data`. Waits for the engine.
    Raises BadFleet where the fleet is not as it should be, Unreached where no server lets us in."""
    async with reached(where, seconds=None) as js:
        fleet: Fleet = await settled(lambda: check_node(js, ring), tries=None)
        async with open_receipts(data, log=where.log) as receipts:
            kept = Receipted(js.engine, receipts)
            store = JetStreamStore(js.engine, ring.data_keys, fleet.shards, name=name, js=kept)
            async with running(store, js.engine):
                yield store, Nodes(js.engine, name), Cards(js.engine), fleet


# --- being an edge --------------------------------------------------------------------------------


def public_keys(folder: Path | None) -> tuple[bytes, ...]:
    """The fleet's public signing keys from `server.pub`, newest first. Raises ValueError and
    OSError."""
    if folder is None or not (folder / PUBLIC_KEYS).exists():
        raise ValueError(
            f"an edge needs {PUBLIC_KEYS}, which `fleet init` wrote, to say whose games these are: "
            "copy it into a folder and name that with --keys"
        )
    try:
        keys = [bytes.fromhex(line) for line in (folder / PUBLIC_KEYS).read_text("ascii").split()]
    except ValueError:  # another file, such as a private key in PEM
        keys = []
    if not keys or any(len(key) != 32 for key in keys):
        raise ValueError(f"{folder / PUBLIC_KEYS} does not hold public keys")
    return tuple(keys)


@asynccontextmanager
async def joined_edge(where: Where) -> AsyncIterator[tuple[PublicStore, Cards]]:
    """A fleet's games and cards as everybody may see them. Waits for the engine; raises Unreached
    where no server lets us in."""
    async with reached(where, seconds=None) as js:
        engine = js.engine
        shards = await count_shards(engine)
        where.log("public streams found", streams=shards)
        yield (
            PublicStore(
                engine, shards, lambda: not isinstance(engine, Client) or bool(engine.server)
            ),
            Cards(engine),
        )
