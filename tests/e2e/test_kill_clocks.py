"""A real server process is killed (SIGKILL) at random moments of games with clocks and claims, and
started again on the same directory.

Beside what holds of every killed server (tests/e2e/test_kill.py): no flag falls before its
deadline, and none whose deadline lay in an outage; what a ruling asks for stands behind it, whole.
That nothing is sent twice is tried in tests/simulate, where messages can be slow.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
import trio
from attrs import define, field

from tests.e2e.test_kill import SEATS, Match, Run
from warledger.clients.link import LinkError, connect
from warledger.engine.store.files.datadir import read_game
from warledger.protocol.board.choices import Refusal
from warledger.protocol.clocks.clockfold import Fold
from warledger.protocol.log import bodies, deskbodies, docket, records, wlog
from warledger.protocol.log.records import Genesis, Record

ARBITER = "Ann"
CLOCK = {"bank": 3_000, "each": 1_500, "cap": 4_000, "fall": "loss"}
DESK = ((ARBITER,), {"stop": "claim"})


@define
class Timed(Run):
    """Games with clocks, in which Ann claims, hears and rules all the while. `away` are the times
    in which the server was down, in milliseconds. Rulings are counted in the files, since a crash
    may keep their answers from her."""

    HOST = ARBITER
    away: list[tuple[int, int]] = field(factory=list)
    ruled: int = 0
    has_claimed: bool = False
    has_ruled: trio.Event = field(factory=trio.Event)

    async def _kill(self) -> None:
        """No server is killed before a first ruling: where a start takes long, a flag could fall
        before anything was ruled."""
        await self.has_ruled.wait()
        await super()._kill()

    async def create(self, link: Any) -> Any:
        """A game with clocks, whose claims stop them as they are made."""
        return await link.create("war_at_sea", clock=CLOCK, terms={"desk": DESK})

    async def beside(self, match: Match) -> None:
        """Ann, who claims in a game, hears the claim and rules on it, again and again."""
        token = (self.folder / "data" / "host.token").read_text().strip()
        chance = random.Random(match.game)
        async with connect("127.0.0.1", self.server.port, token=token, name=ARBITER) as link:
            while match.seen is None or not match.seen.ended:
                await trio.sleep(chance.uniform(0.05, 1.0 if self.has_claimed else 0.1))
                if match.seen is None or len(match.seen.seen) < 8:
                    continue
                try:
                    await self._quarrel(link, match, chance)
                except LinkError:
                    continue  # the server was killed, or the game is over

    async def _quarrel(self, link: Any, match: Match, chance: random.Random) -> None:
        assert match.seen is not None
        told = [one.record for one in match.seen.seen if one.record.kind == records.RULING]
        n = 1 + sum(one.body[0] == "claim" for one in told)
        at = match.seen.last_seq
        remedies: tuple[tuple[Any, ...], ...] = (("time", chance.choice(SEATS), 500),)
        if chance.random() < 0.5:
            remedies = (*remedies, ("time", chance.choice(SEATS), 700), ("stand",))
        for body in (
            ("claim", n, "", at, "9.2", "Look at that."),
            ("heard", n),
            ("ruled", n, deskbodies.UPHELD, "9.2", "So it is.", remedies),
        ):
            if isinstance(await link.rule(match.game, body), Refusal):
                return
            self.has_claimed = True
        self.has_ruled.set()

    def was_away(self, start_ms: int, end_ms: int) -> None:
        """Keep when the server was down."""
        self.away.append((start_ms, end_ms))

    def check(self) -> None:
        """What holds of every killed server, and what clocks and rulings add."""
        super().check()
        for match in self.matches:
            log = [
                records.read(frame.payload)
                for frame in read_game(self.server.data, match.game)
                if frame.kind == wlog.FRAME_RECORD
            ]
            self._look_at(log)

    def _look_at(self, log: list[Record]) -> None:
        genesis = Genesis.from_record(log[0])
        fold, now = Fold(genesis), docket.Docket()
        for record in log[1:]:
            body = bodies.read(record)
            self.ruled += isinstance(body, deskbodies.Ruled)
            if isinstance(body, deskbodies.Flag):
                assert fold.clocks is not None
                deadline = fold.clocks.of(body.seat).deadline
                assert deadline is not None and record.at_ms >= deadline == body.deadline_ms
                fallen = [one for one in self.away if one[0] < deadline <= one[1]]
                assert not fallen, f"record {record.seq} fell by the outage {fallen}"
            fold.take(record, body)
            owed = bool(now.due)
            now = docket.after(now, record.seq, record.at_ms, record.actor, body, fold.control)
            assert not owed or record.kind == records.CLOCK, f"{record.seq} is not what was owed"
        assert not now.due, "the last ruling is half done"


def killed(folder: Path, seed: int, *, games: int, kills: int) -> Timed:
    """One run from one seed."""
    run = Timed(folder, random.Random(f"clocks {seed}"), kills)
    try:
        trio.run(run.play, games, seed)
        run.check()
    except BaseException:
        print(f"seed {seed}, after {run.server.kills} kills, in {folder}")
        raise
    assert run.server.kills > kills // 2 and len(run.away) == run.server.kills
    return run


def test_a_killed_server_lets_nobody_fall_and_leaves_no_ruling_half_done(tmp_path: Path) -> None:
    """A game with clocks and claims through two kills."""
    assert killed(tmp_path, 1, games=1, kills=2).ruled > 0


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 105))
def test_a_killed_server_lets_nobody_fall_in_100_games(tmp_path: Path, seed: int) -> None:
    """Five times twenty games, a dozen kills each time."""
    killed(tmp_path, seed, games=20, kills=12)
