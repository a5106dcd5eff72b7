"""What HTTP tells of who would win and of luck, and when."""

from __future__ import annotations

import json
from pathlib import Path

from attrs import evolve as replace

from tests.gateway.rig import web
from tests.gateway.test_feeds import play_out, started
from warledger.clients.audit.examine import examine
from warledger.engine.serve import analyses
from warledger.protocol.analysis import Analysis, Point


async def test_nobody_is_told_who_would_win_before_the_end(tmp_path: Path) -> None:
    """An analysis knows what was hidden: nothing of it is served until everything is open. One of
    another log, or a file that is none, is served as none; luck is of the records that spectators
    have."""
    async with web(tmp_path) as w:
        game, _, both = await started(w.up)
        data = w.up.hub.data = tmp_path
        found = examine((await w.get(f"/api/games/{game}.wlog")).body)
        assert found.genesis is not None
        last = found.records[-1]
        seats = found.genesis.seats
        point = Point(last.seq, last.hash, (("turn", 1),), (seats[0], "", None))
        made = Analysis(game, found.genesis.title, found.genesis.hash, seats, "captain", (point,))
        path = analyses.path_of(data, game)
        path.parent.mkdir()
        path.write_text(json.dumps(made.as_data()))
        nothing = dict(analyses.NOTHING)
        assert (await w.get(f"/api/games/{game}/analysis")).json == nothing
        early = (await w.get(f"/api/games/{game}/luck")).json
        assert early["records"] == last.seq + 1

        await play_out(both, game)
        told = (await w.get(f"/api/games/{game}/analysis")).json
        assert told["points"][0]["odds"][seats[0]][0] == 500
        assert (told["points"][0]["played"], told["points"][0]["drawn"]) == (2, 1)
        late = (await w.get(f"/api/games/{game}/luck")).json
        assert late["records"] > early["records"]

        for wrong in (
            json.dumps(replace(made, genesis=bytes(32)).as_data()),
            json.dumps(replace(made, points=(replace(point, seq=9999),)).as_data()),
            "[" * 100_000,
            "{}",
        ):
            path.unlink()
            path.write_text(wrong)
            assert (await w.get(f"/api/games/{game}/analysis")).json == nothing
        assert (await w.get("/api/games/none/analysis")).status == 404
