"""A game that is over leaves a fleet of real nodes for the archive, and comes back."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import trio
from click.testing import CliRunner

from tests.fleet.test_nodes import Engine, engine, frames_of, listed, moved, new_game
from tests.serve.rig import sit_down
from tests.serve.test_sockets import client_of
from warledger.clients.cli import main
from warledger.clients.commands.finished import judged, sealed
from warledger.engine.store import fleet
from warledger.engine.store.archiving import Archive
from warledger.engine.store.cards import Cards
from warledger.engine.store.finished import Finishing
from warledger.engine.store.ring import read_ring
from warledger.engine.store.wal import open_store
from warledger.protocol import messages as m

__all__ = ["engine"]


async def test_a_game_leaves_real_nodes_and_comes_back(engine: Engine, tmp_path: Path) -> None:
    """Every node lists it as archived and says how it is brought back; then it is what it was."""
    ring, data = read_ring(engine.keys), tmp_path / "archive"
    where = fleet.Where.of(engine.url, keys=engine.keys, role="archive")
    with engine.nodes(tmp_path / "a", tmp_path / "b") as (a, b), trio.fail_after(90):
        game, given = await new_game(a, turns=1)
        player = await client_of(a, given["a"])
        assert type(await player.ask(m.Login, given["b"], "")) is m.LoggedIn
        await sit_down(player, game)
        await moved(player, game, 0)
        await moved(player, game, 1)
        stranger = await client_of(b)
        while (row := await listed(stranger, game)) is None or row["stage"] != "ended":
            await trio.lowlevel.checkpoint()
        before = await frames_of(engine, game)
        async with (
            fleet.reached(where) as js,
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
        for up in (a, b):
            late = await client_of(up)
            answer = await late.ask(m.Subscribe, game, -1, "public")
            assert type(answer) is m.Error and answer.code == "archived", answer
            status, text = await up.get(f"/archive/{game}.wlog")
            assert status == 410 and "warledger import" in text
        args = ["import", str(data), "--store", engine.url, "--keys", str(engine.keys)]
        run = partial(CliRunner().invoke, main, [*args, "--game", game])
        found = await trio.to_thread.run_sync(run)
        assert found.exit_code == 0, found.output
        while "archived" in (await listed(stranger, game) or {"archived": 1}):
            await trio.lowlevel.checkpoint()
        assert type(await stranger.ask(m.Subscribe, game, -1, "public")) is m.Subscribed
    after = await frames_of(engine, game)
    assert [one for one in after if one[0] == 1] == [one for one in before if one[0] == 1]
