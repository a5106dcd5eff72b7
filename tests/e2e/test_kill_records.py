"""A real server process dies by SIGKILL as records of a game are written that nobody may lose half
of: a standing answer that is taken, a turn that ends, the takeback of it once both agree, a ruling,
the appeal against it and the next ruling, the end, and the seals that are opened behind it. Each
time just before the record is on the disk, or just after.

The clients go on as if nothing had happened; each step is in the log as often as it was taken, and
the file audits sound, complete and with what the clients kept.
"""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio

from tests.e2e.killing import step_of
from tests.e2e.test_kill import SEATS, SECONDS_MAX
from tests.e2e.test_kill_lots import Dying, Plan
from tests.e2e.test_kill_tournament import reached
from tests.verdicts import is_clean
from warledger.clients.audit.audit import audit, installed
from warledger.clients.bots.seated import play_bot
from warledger.clients.commands.server.servercommands import exported
from warledger.clients.link import Link, LinkError, Seat, Watch, connect, read_receipts, sit
from warledger.engine.runtime.ambient import SystemAmbient
from warledger.engine.serve.people import viewtokens
from warledger.protocol.board.choices import Refusal
from warledger.protocol.log import deskbodies, records, wlog
from warledger.protocol.log.wlog import Frame

ARBITERS = ("Ann", "Bob")
DESK = (ARBITERS, {})
STEPS = ("standing", "open", "takeback", "claim", "heard", "ruled", "appeal", "end", "reveal")
FEW = (
    ("game.standing:before", 0),
    ("game.takeback:before", 0),
    ("game.appeal:after", 0),
    ("game.reveal:before", 0),
)
EVERYWHERE = tuple((f"game.{step}:{when}", 0) for step in STEPS for when in ("before", "after"))
PROMPT = "prompt.war_at_sea.deploy"


def told(watch: Watch, step: str) -> list[records.Record]:
    """The records of a game that are such a step."""
    found = [seen.record for seen in watch.seen if seen.record.seq]
    return [one for one in found if step_of(Frame(wlog.FRAME_RECORD, one.data)) == step]


async def rule(link: Link, watch: Watch, body: tuple[Any, ...], times: int = 1) -> None:
    """Write what the arbiter writes; an answer that was lost is looked for in the log."""
    while len(told(watch, str(body[0]))) < times:
        try:
            answer = await link.rule(watch.game, body)
        except LinkError:
            answer = None
        if isinstance(answer, Refusal):
            assert len(told(watch, str(body[0]))) >= times, answer
        await trio.sleep(0.05)


async def take_back_a_turn(seats: dict[str, Seat], seed: str) -> None:
    """Play until a turn has ended; whoever ended it takes that back, and the other agrees."""
    watch = seats[SEATS[0]].watch
    async with trio.open_nursery() as nursery:
        for name, seat in seats.items():
            nursery.start_soon(play_bot, seat, "random", f"{seed} {name}")
        while not told(watch, "open"):
            await watch.wait()
        nursery.cancel_scope.cancel()
    closed = told(watch, "open")[0].seq - 1
    seat = records.id_of(watch.seen[closed].record.actor)
    other = next(name for name in SEATS if name != seat)
    stands = seats[seat].watch.acting.stands
    to = max(
        seq
        for seq, awaits in stands.items()
        if seq < closed and seat in [asked for asked, *_ in awaits]
    )
    assert not isinstance(await seats[seat].take_back(to), Refusal)
    while seats[other].watch.ask is None:
        await seats[other].watch.wait()
    assert not isinstance(await seats[other].answer(True), Refusal)


async def quarrel(to: Callable[..., Any], tokens: dict[str, str], seats: dict[str, Seat]) -> None:
    """A claim, a ruling, an appeal, and the ruling of another arbiter."""
    seat = seats[SEATS[0]]
    n, answer = await seat.claim(seat.watch.last_seq, "9.2", "Look at that.")
    assert not isinstance(answer, Refusal)
    findings = (deskbodies.REJECTED, deskbodies.UPHELD)
    for times, (name, finding) in enumerate(zip(ARBITERS, findings, strict=True), 1):
        async with reached(partial(to, token=tokens[name])) as link:
            await rule(link, seat.watch, ("heard", n), times)
            body = ("ruled", n, finding, "9.2", "So it is.", (("stand",),))
            await rule(link, seat.watch, body, times)
        if times == 1:
            appeal = deskbodies.Appeal(n, "It is not.")
            assert not isinstance(await seat.about_claim(appeal), Refusal)


async def played(server: Dying, folder: Path) -> str:
    """A game with all steps, to its end. Its id."""
    token = (server.data / "host.token").read_text().strip()
    to = partial(connect, "127.0.0.1", server.port, patience_s=SECONDS_MAX)
    arbiters = {
        name: viewtokens.make(server.data, SystemAmbient(), (("arbiter", "", ""),), name=name)[1]
        for name in ARBITERS
    }
    async with to(token=token) as link:
        made = await link.create("war_at_sea", terms={"desk": DESK})
        own = {
            name: partial(to, token=made_for, receipts=folder / name)
            for name, made_for in made.tokens
        }
        async with reached(own[SEATS[0]]) as first, reached(own[SEATS[1]]) as second:
            seats: dict[str, Seat] = {}

            async def sit_down(link: Link, name: str) -> None:
                seats[name] = await sit(link, made.game, name)

            async with trio.open_nursery() as nursery:
                nursery.start_soon(sit_down, first, SEATS[0])
                nursery.start_soon(sit_down, second, SEATS[1])
            asked = seats[SEATS[0]]
            assert await asked.asked()
            given = await asked.standing(((PROMPT, (("done",),), "game"),))
            assert not isinstance(given, Refusal)
            while not told(asked.watch, "standing"):
                await asked.watch.wait()
            await take_back_a_turn(seats, "records")
            await quarrel(to, arbiters, seats)
            assert not isinstance(await asked.resign(), Refusal)
            while not told(asked.watch, "reveal"):
                await asked.watch.wait()
    return made.game


def killed(folder: Path, plan: Plan) -> None:
    """One game whose server died so, looked at afterwards."""
    server = Dying(folder / "data", plan=plan)

    async def run() -> str:
        await trio.to_thread.run_sync(server.start)
        with trio.fail_after(SECONDS_MAX):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(server.live)
                game = await played(server, folder)
                nursery.cancel_scope.cancel()
        return game

    try:
        game = trio.run(run)
    finally:
        if server.process is not None and server.process.poll() is None:
            server.stop(signal.SIGKILL)
    assert server.kills == len(plan)
    heads = [head for seat in SEATS for head in read_receipts(folder / seat)]
    report, evidence = audit(exported(server.data, game), receipts=heads, rulebook=installed())
    assert (is_clean(report), report.verdict.level) == (True, 2), report
    steps = Counter(
        step_of(Frame(wlog.FRAME_RECORD, one.data)) for one in evidence.records if one.seq
    )
    assert (steps["takeback"], steps["claim"], steps["appeal"], steps["ruled"]) == (1, 1, 1, 2)
    assert steps["end"] == 1 and steps["reveal"] >= 1 and steps["standing"] >= 1


def test_a_game_goes_on_where_its_server_died_between_records(tmp_path: Path) -> None:
    """At four steps of one game."""
    killed(tmp_path, FEW)


@pytest.mark.long
def test_a_game_goes_on_wherever_its_server_dies(tmp_path: Path) -> None:
    """Before and after each step."""
    killed(tmp_path, EVERYWHERE)
