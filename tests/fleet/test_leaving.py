"""A game that is over leaves a fleet of real nodes for the archive, is read from there, and comes
back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from urllib.request import urlopen

import trio
from click.testing import CliRunner

from tests.fleet.test_edges import acted, edge, everything_public, got, secrets_of, spectator
from tests.fleet.test_nodes import Engine, Node, engine, frames_of, listed, new_game
from tests.serve.rig import Client, gapless, sit_down
from tests.serve.wire.test_sockets import client_of
from tests.toys import counting
from tests.verdicts import is_clean
from warledger.clients.audit.audit import audit
from warledger.clients.cli import main
from warledger.clients.commands.server.gamefinisher import judged, sealed
from warledger.engine.store.files.wal import open_store
from warledger.engine.store.fleet import fleetadmin
from warledger.engine.store.fleet.archiveloans import FOLDER as LENT
from warledger.engine.store.fleet.archiveloans import Lending
from warledger.engine.store.fleet.cards import Cards
from warledger.engine.store.fleet.finishedgames import FOLDER, Finishing
from warledger.engine.store.fleet.fleetarchive import Archive
from warledger.engine.store.fleet.keyring import read_ring
from warledger.engine.store.port import FRAME_OPENINGS, FRAME_RECORD
from warledger.protocol.log.records import hash_of
from warledger.protocol.log.wlog import parse
from warledger.protocol.wire import messages as m

__all__ = ["engine"]


def read_url(url: str) -> bytes:
    with urlopen(url, timeout=30) as answer:
        return bytes(answer.read())


@asynccontextmanager
async def lending(engine: Engine, data: Path) -> AsyncIterator[Lending]:
    """An archive that follows the fleet and lends what left it."""
    ring = read_ring(engine.keys)
    where = fleetadmin.Where.of(engine.url, keys=engine.keys, role="archive")
    async with (
        fleetadmin.reached(where) as js,
        open_store(data) as kept,
        trio.open_nursery() as nursery,
    ):
        cards = Cards(js.engine)
        await nursery.start(cards.run)
        lends = Lending(js.engine, cards, ring.data_keys, kept)
        nursery.start_soon(lends.run)
        yield lends
        nursery.cancel_scope.cancel()


async def followed(client: Client, game: str, audience: str = "public") -> list[bytes]:
    """The records that a client is given, to the last, once they can be had."""
    while type(answer := await client.ask(m.Subscribe, game, -1, audience)) is not m.Subscribed:
        assert type(answer) is m.Error and answer.code == "archive_silent", answer
    await client.until((game, audience), 0)
    log = await client.until_whole((game, audience))
    assert gapless(log)
    return [data for _, data, _ in log]


async def test_a_game_leaves_real_nodes_and_comes_back(engine: Engine, tmp_path: Path) -> None:
    """Every node and an edge list it as archived. While no archive answers they say so; then two
    nodes that are asked at once and the edge show it as it was, to players by their tokens and to
    spectators, and give its file, the edge without a byte of what is not public; a node that has
    it needs the archive no more. Nothing is done in it until it is imported."""
    ring, data = read_ring(engine.keys), tmp_path / "archive"
    where = fleetadmin.Where.of(engine.url, keys=engine.keys, role="archive")
    with ExitStack() as stack:
        a, b = stack.enter_context(engine.nodes(tmp_path / "a", tmp_path / "b"))
        e = stack.enter_context(edge(engine, tmp_path / "e"))
        stack.enter_context(trio.fail_after(120))
        game, given = await new_game(a, turns=1)
        player = await client_of(a, given["a"])
        assert type(await player.ask(m.Login, given["b"], "")) is m.LoggedIn
        await sit_down(player, game)
        await acted(player, game, 0, "hide", counting.WORDS[0])
        await acted(player, game, 1, "pass")
        stranger = await client_of(b)
        while (row := await listed(stranger, game)) is None or row["stage"] != "ended":
            await trio.lowlevel.checkpoint()
        before = await frames_of(engine, game)
        async with (
            fleetadmin.reached(where) as js,
            open_store(data) as kept,
            trio.open_nursery() as nursery,
        ):
            cards = Cards(js.engine)
            await nursery.start(cards.run)
            nursery.start_soon(Archive(js, ring.data_keys, 2, kept, data).run)
            judge = partial(judged, keys=[bytes.fromhex(one) for one in ring.public])
            finishing = Finishing(
                js, cards, 2, kept, data, 0, sealed, judge, lambda: 10**15, seconds=0.2
            )
            nursery.start_soon(finishing.run)
            while not (row := await listed(stranger, game) or {}).get("archived"):
                await trio.lowlevel.checkpoint()
            while await js.subjects("WG0", f"wg.0.{game}") + await js.subjects(
                "WG1", f"wg.1.{game}"
            ):
                await trio.lowlevel.checkpoint()
            nursery.cancel_scope.cancel()
        records = [payload for kind, payload in before if kind == FRAME_RECORD]
        for up in (a, b):
            answer = await (await client_of(up)).ask(m.Subscribe, game, -1, "public")
            assert type(answer) is m.Error and answer.code == "archive_silent", answer
            status, text = await up.get(f"/archive/{game}.wlog")
            assert status == 503 and "archive" in text
        watcher, tapped = await spectator(e)
        while type(answer := await watcher.ask(m.Subscribe, game, -1, "public")) is m.Error:
            if answer.code == "archive_silent":
                break

        sealed_file = (data / FOLDER / f"{game}.wlog").read_bytes()
        async with lending(engine, data), trio.open_nursery() as nursery:

            async def at_node(up: Node) -> None:
                assert await followed(await client_of(up), game) == records
                mine = await client_of(up, given["a"])
                assert await followed(mine, game, "a") == records
                assert mine.records[game, "a"][-1] and any(
                    openings for _, _, openings in mine.records[game, "a"]
                )
                answer = await mine.ask(m.Choices, game, "a", ())
                assert type(answer) is m.Error and answer.code == "archived", answer
                status, _ = await up.get(f"/api/games/{game}/head")
                assert status == 200

            for up in (a, b):
                nursery.start_soon(at_node, up)
            assert await followed(watcher, game) == records
        answer = await watcher.ask(m.Head, game)
        assert type(answer) is m.HeadIs and answer.head.seq == len(records) - 1
        files = [await got(e, f"/archive/{game}.wlog")]
        for up in (a, b):
            late = await client_of(up)
            assert await followed(late, game) == records
            row = await listed(late, game) or {}
            assert row["archived"] and row["hash"] == hash_of(records[-1]).hex()
            url = f"http://127.0.0.1:{up.web}/archive/{game}.wlog"
            files.append(await trio.to_thread.run_sync(read_url, url))
        assert files[1] == files[2] == sealed_file
        assert is_clean(audit(files[0])[0]) and parse(files[0]).records == records
        hidden = secrets_of(before, given)
        everything = bytes(tapped.got) + files[0] + await everything_public(engine)
        shown = b"".join(records)
        assert {one for one in hidden if one in everything and one not in shown} == set()
        assert all(frame.kind != FRAME_OPENINGS for frame in parse(files[0]).frames)
        args = ["import", str(data), "--store", engine.url, "--keys", str(engine.keys)]
        run = partial(CliRunner().invoke, main, [*args, "--game", game])
        found = await trio.to_thread.run_sync(run)
        assert found.exit_code == 0, found.output
        while "archived" in (await listed(stranger, game) or {"archived": 1}):
            await trio.lowlevel.checkpoint()
        assert await followed(await client_of(b), game) == records
        assert type(await stranger.ask(m.Subscribe, game, -1, "public")) is m.Subscribed
        back = await client_of(b, given["a"])
        answer = await back.ask(m.Choices, game, "a", ())
        assert type(answer) is not m.Error or answer.code != "archived", answer
        assert not list((tmp_path / "a" / LENT).iterdir())
    after = await frames_of(engine, game)
    assert [one for one in after if one[0] == 1] == [one for one in before if one[0] == 1]
