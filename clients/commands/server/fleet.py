"""The commands on a fleet. Each returns its exit code: 0, or 1 for a negative answer."""

import os
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click
import trio

from warledger.clients.commands.play.online import as_json
from warledger.clients.terminal.screen import Screen

if TYPE_CHECKING:
    from warledger.engine.store.fleet.fleetadmin import Status, Where


def _done(screen: Screen, work: Callable[[], Awaitable[int]]) -> int:
    """Run something against the engine, and say in a sentence why it could not be done."""
    from warledger.engine.store.fleet.fleetstreams import BadFleet
    from warledger.engine.store.fleet.keyring import BadRing
    from warledger.engine.store.port import StoreError

    try:
        return trio.run(work)
    except (BadFleet, BadRing, StoreError, OSError, ValueError) as error:
        screen.say("cli.failed", what=str(error))
        return 1


def where_of(store: str, keys: Path | None, role: str = "node") -> "Where":
    """How to reach the fleet that is named. Raises UsageError."""
    from warledger.engine.store.fleet.fleetadmin import Where

    try:
        return Where.of(store, keys=keys, role=role)
    except ValueError as error:
        raise click.UsageError(str(error)) from error


def init(
    screen: Screen,
    store: str,
    keys: Path,
    replicas: int | None,
    room: int,
    nats_data: str,
    *,
    wait: bool,
    machine: bool,
) -> int:
    """Write a fleet's files, and make its streams if the servers run."""
    from warledger.engine.runtime.ambient import SystemAmbient
    from warledger.engine.runtime.tokens import HOST, digest, new_token
    from warledger.engine.store.fleet import fleetadmin
    from warledger.engine.store.fleet.fleetstreams import Fleet
    from warledger.engine.store.fleet.jetstream import SHARDS
    from warledger.engine.store.fleet.keyring import read_ring

    servers = where_of(store, None).servers
    kept = min(3, len(servers)) if replicas is None else replicas
    if kept > len(servers):
        raise click.UsageError(f"{kept} replicas need as many servers, and --store names fewer")

    async def work() -> int:
        made = fleetadmin.prepare(
            keys,
            store,
            Fleet(SHARDS, kept, room),
            store=nats_data,
            random_bytes=os.urandom,
            token=lambda: new_token(SystemAmbient(), HOST),
            now=datetime.now(UTC),
        )
        token = (keys / fleetadmin.TOKEN_FILE).read_text(encoding="ascii").strip()
        planned = fleetadmin.fleet_of(
            read_ring(keys), digest(token), replicas=kept, room=room, shards=SHARDS
        )
        folders = tuple(str(folder) for folder in made.servers)
        if not machine:
            if made.ring_is_new:
                screen.say("cli.fleet.files", folder=str(keys))
            screen.say("cli.fleet.servers", folders=folders)
        try:
            async with fleetadmin.reached(
                where_of(store, keys), seconds=None if wait else fleetadmin.REACHED_SECONDS
            ) as js:
                anew = await fleetadmin.init(js, planned)
        except fleetadmin.Unreached as error:
            if machine:
                screen.data(as_json({"made": False, "servers": folders, "what": str(error)}))
            else:
                screen.say("cli.fleet.not_yet", what=str(error))
            return 1
        if machine:
            screen.data(as_json({"made": anew, "servers": folders, "keys": str(keys)}))
        else:
            screen.say("cli.fleet.made" if anew else "cli.fleet.stands")
            screen.say("cli.token_kept", file=str(keys / fleetadmin.TOKEN_FILE))
        return 0

    return _done(screen, work)


def status(screen: Screen, store: str, keys: Path, *, wait: bool, machine: bool) -> int:
    """Show how the fleet fares."""
    from warledger.engine.store.fleet import fleetadmin
    from warledger.engine.store.fleet.natsconf import key_file

    async def work() -> int:
        async with AsyncExitStack() as stack:
            js = await stack.enter_async_context(fleetadmin.reached(where_of(store, keys)))
            system = None
            if (keys / key_file("system")).exists():
                where = where_of(store, keys, "system")
                system = await stack.enter_async_context(fleetadmin.reached(where))
            found = await fleetadmin.status(js, system)
            while wait and not found.is_current:
                found = await fleetadmin.status(js, system)
        if machine:
            screen.data(as_json(found.as_data()))
        else:
            _show(screen, found)
        return 0 if found.is_current else 1

    return _done(screen, work)


def _show(screen: Screen, found: "Status") -> None:
    for server in found.servers or ():
        screen.say(
            "cli.fleet.server",
            name=server.name,
            version=server.version,
            connections=server.connections,
            streams=sum(stream.leader == server.name for stream in found.streams),
        )
    for name in found.silent:
        screen.say("cli.fleet.silent", name=name)
    for stream in found.streams:
        screen.say(
            "cli.fleet.stream",
            name=stream.name,
            leader=stream.leader or "-",
            messages=stream.messages,
            bytes=stream.bytes,
        )
        if stream.behind:
            screen.say("cli.fleet.behind", name=stream.name, servers=stream.behind)
        if stream.missing:
            screen.say("cli.fleet.missing", name=stream.name, servers=stream.missing)
    for name, said in found.nodes.items():
        screen.say("cli.fleet.node", name=name, games=_count(said.get("games")))
        if said.get("well") is False:
            screen.say("cli.fleet.node_ill", name=name)
    for edge in found.edges or ():
        screen.say("cli.fleet.edge", address=edge.address, server=edge.server)
    if found.edges is None:
        screen.say("cli.fleet.no_system")
    for name, said in found.archives.items():
        screen.say("cli.fleet.archive", name=name, behind=str(said.get("behind", "?")))
        if stopped := _count(said.get("stopped")):
            screen.say("cli.fleet.archive_stopped", name=name, games=stopped)
    if not found.archives:
        screen.say("cli.fleet.no_archives")
    if not found.nodes:
        screen.say("cli.fleet.no_nodes")
    for what in found.wrong:
        screen.say("cli.damage", where="NATS", what=what)
    screen.say("cli.fleet.current" if found.is_current else "cli.fleet.not_current")


def _count(said: object) -> int:
    """How many games somebody says."""
    return said if isinstance(said, int) else 0


def heal(
    screen: Screen, store: str, keys: Path, folders: tuple[Path, ...], *, machine: bool
) -> int:
    """Put back what the engine has lost at the ends of games."""
    from warledger.engine.store.fleet import fleetadmin
    from warledger.engine.store.fleet.fleetstreams import check_node
    from warledger.engine.store.fleet.keyring import read_ring
    from warledger.engine.store.fleet.logrepair import heal as mend
    from warledger.engine.store.fleet.receipts import read_receipts
    from warledger.engine.store.fleet.sharedstore import open_jetstream

    async def work() -> int:
        ring, where = read_ring(keys), where_of(store, keys)
        async with fleetadmin.reached(where) as js:
            found = await fleetadmin.settled(lambda: check_node(js, ring))
        receipts = (receipt for folder in folders for receipt in read_receipts(folder))
        async with open_jetstream(where.settings(), ring.data_keys, shards=found.shards) as target:
            done = await mend(target, ring.data_keys, receipts)
        failed = [one for one in done if one.what]
        mended = {one.game: one.records for one in done if one.records}
        if machine:
            listed = {one.game: one.what for one in failed}
            screen.data(as_json({"mended": mended, "failed": listed}))
        else:
            for game, records in mended.items():
                screen.say("cli.fleet.mended", game=game, records=records)
            for one in failed:
                screen.say("cli.damage", where=one.game, what=one.what)
            if not done:
                screen.say("cli.fleet.nothing_lost")
        return 1 if failed else 0

    return _done(screen, work)


def rotate(screen: Screen, keys: Path, store: str | None) -> int:
    """Add keys to the ring; with a fleet put to use those that were added."""
    from warledger.engine.store.fleet import fleetadmin
    from warledger.engine.store.fleet.keyring import RING_FILE, read_ring, write_secret

    async def work() -> int:
        ring = read_ring(keys)
        if store is None:
            write_secret(keys / RING_FILE, ring.grown(os.urandom).text())
            screen.say("cli.fleet.keys_added", file=str(keys / RING_FILE))
            return 0
        used = ring.switched()
        # The engine first: if that fails, nothing has changed, and nodes that have the new keys
        # serve with either ring.
        async with fleetadmin.reached(where_of(store, keys)) as js:
            await fleetadmin.set_keys(js, used)
        write_secret(keys / RING_FILE, used.text())
        fleetadmin.write_public(keys, used)
        screen.say(
            "cli.fleet.keys_used",
            file=str(keys / RING_FILE),
            public=str(keys / fleetadmin.PUBLIC_KEYS),
        )
        return 0

    return _done(screen, work)


def release(screen: Screen, store: str, keys: Path, number: int) -> int:
    """Raise the least release of the fleet."""
    from warledger.engine.store.fleet import fleetadmin

    async def work() -> int:
        async with fleetadmin.reached(where_of(store, keys)) as js:
            await fleetadmin.set_release(js, number)
        screen.say("cli.fleet.release", number=number)
        return 0

    return _done(screen, work)


def host_token(screen: Screen, store: str, keys: Path) -> int:
    """Replace the host's token."""
    from warledger.engine.runtime.ambient import SystemAmbient
    from warledger.engine.runtime.tokens import HOST, digest, new_token
    from warledger.engine.store.fleet import fleetadmin
    from warledger.engine.store.fleet.keyring import write_secret

    async def work() -> int:
        token = new_token(SystemAmbient(), HOST)
        async with fleetadmin.reached(where_of(store, keys)) as js:
            await fleetadmin.set_host(js, digest(token))
        write_secret(keys / fleetadmin.TOKEN_FILE, token + "\n")
        screen.say("cli.token_made", file=str(keys / fleetadmin.TOKEN_FILE))
        return 0

    return _done(screen, work)


def edge_key(screen: Screen, name: str, keys: Path, *, revoke: bool) -> int:
    """Make an edge's own nkey, or take it away."""
    from warledger.engine.store.fleet import natsconf

    try:
        changed = natsconf.change_edge_key(keys, name, os.urandom, revoke=revoke)
    except (ValueError, OSError) as error:
        screen.say("cli.failed", what=str(error))
        return 1
    said = {"files": ", ".join(str(one) for one in changed)}
    if revoke:
        screen.say("cli.fleet.edge_revoked", name=name, **said)
    else:
        screen.say("cli.fleet.edge_key", file=str(keys / f"edge-{name}.nk"), **said)
    return 0


def archive(
    screen: Screen, store: str, data: Path, keys: Path | None, after: int | None = None
) -> int:
    """Follow a fleet into a data directory until Ctrl-C; with `after` games that ended so many days
    ago leave the fleet for it."""
    from warledger.clients.commands.server.gamefinisher import judged, sealed
    from warledger.engine.runtime.ambient import SystemAmbient
    from warledger.engine.store.files.wal import open_store
    from warledger.engine.store.fleet import fleetadmin
    from warledger.engine.store.fleet.archiveloans import Lending
    from warledger.engine.store.fleet.cards import Cards
    from warledger.engine.store.fleet.finishedgames import DAY_MS, FOLDER, Finishing
    from warledger.engine.store.fleet.fleetarchive import Archive
    from warledger.engine.store.fleet.fleetstreams import check_node
    from warledger.engine.store.fleet.keyring import read_ring

    def log(event: str, *, game: str = "", what: str = "") -> None:
        screen.say("cli.damage", where=game or str(data), what=f"{event}: {what}")

    async def work() -> int:
        ring = read_ring(keys)
        where = where_of(store, keys, "archive")
        async with open_store(data) as kept, fleetadmin.reached(where, seconds=None) as js:
            found = await fleetadmin.settled(lambda: check_node(js, ring))
            following = Archive(js, ring.data_keys, found.shards, kept, data, log)
            screen.say("cli.fleet.archiving", data=str(data))
            cards = Cards(js.engine)
            lending = Lending(
                js.engine, cards, ring.data_keys, kept, following.stopped.__contains__, log
            )
            if after is not None:
                screen.say("cli.fleet.finishing", days=after, folder=str(data / FOLDER))
            finishing = Finishing(
                js,
                cards,
                found.shards,
                kept,
                data,
                (after or 0) * DAY_MS,
                sealed,
                partial(judged, keys=tuple(bytes.fromhex(one) for one in ring.public)),
                SystemAmbient().now_ms,
                following.stopped.__contains__,
                log,
            )
            async with trio.open_nursery() as nursery:
                nursery.start_soon(following.run)
                await nursery.start(cards.run)
                nursery.start_soon(lending.run)
                if after is not None:
                    nursery.start_soon(finishing.run)
        return 0

    return _done(screen, work)


def bring(
    screen: Screen,
    data: Path,
    store: str,
    keys: Path,
    games: tuple[str, ...],
    *,
    machine: bool,
) -> int:
    """Bring games of a data directory into a fleet. Every byte is brought in as it is; a game that
    is not sound is named, and the exit code is 1."""
    from warledger.clients.commands.server.gamefinisher import doubts
    from warledger.engine.serve.config import BadConfig
    from warledger.engine.serve.serversecrets import KEY_FILE, older_keys, signing_key
    from warledger.engine.store.files import datadir
    from warledger.engine.store.fleet import fleetadmin
    from warledger.engine.store.fleet.fleetarchive import Differs
    from warledger.engine.store.fleet.fleetarchive import bring as bring_game
    from warledger.engine.store.fleet.fleetstreams import check_node
    from warledger.engine.store.fleet.keyring import RING_FILE, read_ring, write_secret
    from warledger.engine.store.fleet.sharedstore import open_jetstream
    from warledger.engine.store.port import StoreError

    try:
        if not datadir.check_marker(datadir.disk_of(data)):
            raise click.UsageError(f"there is no data directory at {data}")
    except StoreError as error:
        raise click.UsageError(str(error)) from error

    async def work() -> int:
        ring = read_ring(keys)
        if (data / KEY_FILE).exists():
            own = (*older_keys(data), signing_key(data, os.urandom))
            with_own = ring.with_others(key.encode() for key in own)
            if with_own != ring:
                write_secret(keys / RING_FILE, with_own.text())
                fleetadmin.write_public(keys, with_own)
                screen.say("cli.fleet.keys_of_other", file=str(keys / RING_FILE))
                return 1
        known = tuple(bytes.fromhex(one) for one in ring.public)
        where = where_of(store, keys)
        async with fleetadmin.reached(where) as js:
            found = await fleetadmin.settled(lambda: check_node(js, ring))
            await fleetadmin.set_keys(js, ring)
        brought: dict[str, int] = {}
        failed: dict[str, str] = {}
        unsound: dict[str, str] = {}
        async with open_jetstream(where.settings(), ring.data_keys, shards=found.shards) as target:
            for game in games or tuple(datadir.all_games(data)):
                try:
                    frames = await trio.to_thread.run_sync(datadir.read_game, data, game)
                    brought[game] = await bring_game(target, game, frames)
                    what = await trio.to_thread.run_sync(doubts, frames, known)
                    if what:
                        unsound[game] = what
                except (Differs, StoreError) as error:
                    failed[game] = str(error)
        if machine:
            told = {"brought": brought, "failed": failed, "unsound": unsound}
            screen.data(as_json(told))
        else:
            for game, what in unsound.items():
                screen.say("cli.fleet.unsound", game=game, what=what)
            for game, what in failed.items():
                screen.say("cli.damage", where=game, what=what)
            screen.say("cli.fleet.brought", games=len(brought), records=sum(brought.values()))
        return 1 if failed or unsound else 0

    try:
        return _done(screen, work)
    except BadConfig as error:
        raise click.UsageError(str(error)) from error
