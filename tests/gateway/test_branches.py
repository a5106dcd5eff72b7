"""Games played on from their records over HTTP: who may ask, and what is asked of the process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.gateway.rig import web
from tests.gateway.test_feeds import play_out, started
from tests.serve.rig import HOST_TOKEN
from warledger.engine.serve.games import branches as branching
from warledger.protocol import canon
from warledger.protocol.log import wlog


class Told(branching.Branches):
    """Branches that answer with what they were asked, and the number of records and openings that
    are in the game's file."""

    def ask(
        self,
        who: str,
        key: bytes,
        file: Callable[[], bytes],
        at: int,
        seed: str,
        steps: tuple[Any, ...],
        asked: tuple[Any, ...],
    ) -> bytes:
        """The request, with what the file has in place of its bytes."""
        frames = wlog.parse(file(), sealed=True).frames
        kinds = [frame.kind for frame in frames]
        count = kinds.count(wlog.FRAME_RECORD), kinds.count(wlog.FRAME_OPENINGS)
        return canon.pack((count, at, seed, steps, asked))


async def test_who_may_play_on_from_a_game(tmp_path: Path) -> None:
    """Games that have ended, unless the host forbids it; those in progress where the host allows
    it, from what spectators know, or with a seat's token from what the seat knows. What has no form
    of ours is refused, and so is a wrong token."""
    async with web(tmp_path) as w:
        hub = w.up.hub
        hub.branches = Told()
        game, given, both = await started(w.up)
        path = f"/api/games/{game}/whatif"

        async def told() -> str:
            """Whether the host allows it; the question itself is never an error."""
            answer = await w.get(path)
            assert answer.status == 200
            return str(canon.unpack_trusted(answer.body)[0])

        assert await told() == "refused" and (await w.get(f"{path}?at=1")).status == 403
        hub.whatif = branching.LIVE
        assert await told() == "allowed"
        asked = f"{path}?at=1&seed=one&steps=[2,[%22a%22,[%22x%22,3]]]&ask=[%22show%22,-1]"
        found = canon.unpack_trusted((await w.get(asked)).body)
        (public, none), *rest = found
        assert rest == [1, "one", (2, ("a", ("x", 3))), ("show", -1)] and none == 0
        for token in given.values():
            own = await w.get(asked, headers={"Authorization": f"Bearer {token}"})
            assert canon.unpack_trusted(own.body)[0][0] >= public
        hosts = await w.get(asked, headers={"Authorization": f"Bearer {HOST_TOKEN}"})
        assert canon.unpack_trusted(hosts.body)[0][0] == public  # whose look would be in no log
        for wrong in ("Bearer nonsense", "Basic eDp5", f"Basic {given['a']}", f"Bearer {game}:x"):
            assert (await w.get(asked, headers={"Authorization": wrong})).status == 401, wrong
        assert (await w.get(f"{path}?at={public}")).status == 400

        await play_out(both, game)
        hub.whatif = branching.ENDED
        assert canon.unpack_trusted((await w.get(asked)).body)[0][0] > public
        for query in ("at=-1", "steps=1", "steps=%7B%7D", "steps=[[[[[[1]]]]]]", "ask=[1.5]"):
            assert (await w.get(f"{path}?{query}")).status == 400, query
        assert (await w.get(f"{path}?steps=[{'1,' * 5000}1]")).status == 414
        assert (await w.get("/api/games/none/whatif")).status == 404
        hub.whatif = branching.OFF
        assert await told() == "refused" and (await w.get(f"{path}?at=1")).status == 403


def test_whoever_asks_too_much_waits_and_a_process_that_ends_is_replaced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Requests beyond those that may wait are refused; of a process that ended nothing is kept, and
    nobody waits for it."""
    branches = branching.Branches()
    branches._waiting["here"] = branching.WAITING_PER_ADDRESS
    with pytest.raises(branching.Busy):
        branches.ask("here", b"", bytes, 0, "", (), ())
    branches = branching.Branches()
    monkeypatch.setattr(branching, "PROGRAM", "tests.gateway.nothing_of_this_name")
    with pytest.raises(branching.Busy):
        branches.ask("here", b"", bytes, 0, "", (), ())
    assert branches._process is None and not branches._waiting
