"""Games that are over leave a fleet of real processes, whoever is killed while they do."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
import trio

from tests.chaos.machines import SHARDS, standing
from tests.chaos.test_losses import _said
from tests.chaos.world import Chaos
from tests.verdicts import is_clean
from warledger.clients.audit.audit import audit
from warledger.engine.store.files.datadir import read_game
from warledger.engine.store.fleet import fleetadmin
from warledger.engine.store.fleet.finishedgames import FOLDER
from warledger.engine.store.fleet.gamefolds import claimed_in
from warledger.engine.store.port import FRAME_RECORD, Frame

KILLS = 25
LEFT_SECONDS = 240.0
"""How long after the last kill all games must have left: the load of the machine is not ours."""


def unclaimed(appends: list[tuple[str, list[Frame]]]) -> list[Frame]:
    return [one for _, some in appends for one in some if claimed_in([one]) is None]


async def _left(world: Chaos) -> None:
    """Kill whoever lets games leave, or takes part in it, again and again; then let them be."""
    site, rng = world.site, world.rng
    archive = site.others["archive"]
    archive.kill()
    archive.command = [*archive.command, "--after", "0"]
    those = [archive, *site.nodes]
    for one in those:
        one.start()
    async with fleetadmin.reached(site.where(), seconds=30) as js:

        async def there() -> int:
            names = [f"{kind}{shard}" for kind in ("WG", "WP") for shard in range(SHARDS)]
            return sum([(await js.describe(name))["state"]["messages"] for name in names])

        before = now = await there()
        for _ in range(KILLS):
            with trio.move_on_after(rng.uniform(0.5, 4)):
                while now == before:
                    now = await there()
            await trio.sleep(rng.choice((0.0, rng.uniform(0, 0.3))))
            for one in rng.sample(those, rng.choice((1, 1, 2, len(those)))):
                await trio.to_thread.run_sync(one.kill)
            before = now = await there()
            for one in those:
                one.start()
        with trio.fail_after(LEFT_SECONDS):
            while await there():  # noqa: ASYNC110 - others' work gives no event
                await trio.sleep(0.3)
    for one in those:
        await trio.to_thread.run_sync(one.kill)


@pytest.mark.long
@pytest.mark.parametrize("seed", (1, 2))
def test_games_that_are_over_leave_whoever_is_killed(seed: int, tmp_path: Path) -> None:
    """Archive and nodes are killed with -9 at any instant while games leave: all of them leave,
    each is in the archive with every frame and a file that audits sound, no node takes any for
    damaged, and all come back."""
    print(f"seed {seed}")
    with standing(tmp_path) as site:
        some = ("break_connections",)
        world = Chaos(seed, site=site, seconds=8, games=5, turns=2, some=some, patience=4, latest=1)
        trio.run(world.run)
        world.check()
        played = {game: unclaimed(world.held.private[game]) for game in world.tokens}
        assert len(played) >= 5
        trio.run(_left, world)

        data = tmp_path / "archive"
        for game, frames in played.items():
            kept = read_game(data, game)
            assert [one for one in kept if claimed_in([one]) is None] == frames
            assert is_clean(audit((data / FOLDER / f"{game}.wlog").read_bytes())[0])
        for node in site.nodes:
            said = (tmp_path / f"{node.name}.out").read_text()
            assert "quarantined" not in said and "game not archived" not in said
        command = [sys.executable, "-m", "tests.chaos.program", "import", str(data), "--json"]
        command += ["--store", site.url, "--keys", str(site.keys)]
        records = {
            game: sum(one.kind == FRAME_RECORD for one in frames) for game, frames in played.items()
        }
        brought = json.loads(_said(command))["brought"]
        assert {game: brought[game] for game in records} == records

        async def read_back() -> None:
            async with fleetadmin.reached(site.where(), seconds=30) as world.js:
                await world.read_back()

        trio.run(read_back)
        assert {game: unclaimed(world.held.private[game]) for game in played} == played
