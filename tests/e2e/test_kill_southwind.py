"""A real server is killed (SIGKILL) in the middle of things that take several commands of Südwind:
a payment in parts, an overrun, a mission that is intercepted.

The command that is under way when the server dies is sent again by its client and stands once;
every acknowledged one is in the file as the crash left it; the same question is open afterwards,
the game goes on to its end, and the file audits sound by both levels. Each command is killed at a
moment that a seed chooses, which is printed when a run fails.
"""

import random
import signal
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest
import trio
from attrs import define, field

from tests.e2e.test_kill import Server
from tests.verdicts import is_clean
from warledger.clients.audit.audit import audit, installed
from warledger.clients.commands.server.servercommands import exported
from warledger.clients.link import Link, Seat, connect, read_receipts, sit
from warledger.engine.store.files.datadir import read_game
from warledger.protocol.board.choices import Choices, Picks, Refusal
from warledger.protocol.log import records, wlog
from warledger.protocol.log.bodies import closes_log
from warledger.protocol.log.chain import Head

AXIS, SOVIET = "axis", "soviet"
SECONDS_MAX = 900
"""A run that takes longer hangs."""

FIRST = ("auto", "pass", "home", "stay")
"""What is answered first where it is offered; never `done`, which would end the segment."""

SOURCE, PAYER = "ax.1ss.truck", "ax.1ss.art"
"""The organic truck of 1st SS Panzer Division, and one of the units that it fuels."""

DEFENDED, BOMBED = "A26.11", "A27.11"
"""A hex that 44th Infantry Division overruns, and one beside which 357th spots, within ten hexes of
the Soviet fighters."""


@define
class Table:
    """A game on a server that is killed now and then; `sent` are commands acknowledged, by seat."""

    folder: Path
    chance: random.Random
    moments: tuple[str, ...]
    server: Server = field(init=False)
    game: str = ""
    seats: dict[str, Seat] = field(factory=dict)
    sent: dict[str, int] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        self.server = Server(self.folder / "data")

    @asynccontextmanager
    async def open(self, fog: str) -> AsyncIterator[None]:
        """A new game with both seats taken, by clients that come back after a crash."""
        await trio.to_thread.run_sync(self.server.start)
        try:
            host = (self.folder / "data" / "host.token").read_text().strip()
            async with connect("127.0.0.1", self.server.port, token=host) as link:
                made = await link.create("hungarian_rhapsody", {"fog": fog})
            self.game = made.game
            tokens = dict(made.tokens)
            async with (
                self._link(tokens[AXIS], AXIS) as one,
                self._link(tokens[SOVIET], SOVIET) as other,
            ):
                for seat, link in ((AXIS, one), (SOVIET, other)):
                    self.seats[seat] = await sit(link, self.game, seat)
                yield
        finally:
            if self.server.process is not None and self.server.process.poll() is None:
                self.server.stop(signal.SIGKILL)

    def _link(self, token: str, seat: str) -> AbstractAsyncContextManager[Link]:
        # A folder a seat: a client's receipts are its own.
        receipts = self.folder / "receipts" / seat
        return connect("127.0.0.1", self.server.port, token=token, receipts=receipts)

    async def do(self, name: str, *picks: str | int, moment: str = "") -> None:
        """A command of a seat; at one of `moments` the server dies while it is under way, and is
        started again."""
        seat = self.seats[name]
        assert await seat.asked()
        offer = await seat.offer(())
        assert not isinstance(offer, Refusal), offer
        await self._give(name, picks, offer.decision, moment)

    async def _give(self, name: str, picks: Picks, decision: int, moment: str) -> None:
        """Submit, and kill the server meanwhile at one of `moments`."""
        if moment not in self.moments:
            await self._submit(name, picks, decision)
            return
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._submit, name, picks, decision)
            await trio.sleep(self.chance.choice((0.0, 0.002, 0.01, 0.05)))
            await self._killed()

    async def _killed(self) -> None:
        await trio.to_thread.run_sync(self.server.stop, signal.SIGKILL)
        self.server.kills += 1
        self.check_acknowledged()
        await trio.to_thread.run_sync(self.server.start)

    async def rest(self, moment: str) -> None:
        """Nothing is under way; at one of `moments` the server dies, and what is asked afterwards,
        and of whom, is what was asked before."""
        if moment in self.moments:
            before = await self.offered()
            await self._killed()
            assert await self.offered() == before, moment

    async def _submit(self, name: str, picks: Picks, decision: int) -> None:
        accepted = await self.seats[name].submit(tuple(picks), decision)
        assert not isinstance(accepted, Refusal), (picks, accepted)
        self.sent[name] = self.sent.get(name, 0) + 1

    async def answer(self, moment: str = "") -> None:
        """Whoever is asked gives the first answer that is offered."""
        name = await self.asked()
        seat = self.seats[name]
        offer = await seat.offer(())
        assert not isinstance(offer, Refusal), offer
        options = [option.id for option in offer.choices.options]
        picks: Picks = (next((verb for verb in FIRST if verb in options), options[0]),)
        while (found := await self._more(seat, picks)) is not None:
            picks = (*picks, found)
        await self._give(name, picks, offer.decision, moment)

    async def _more(self, seat: Seat, picks: Picks) -> str | int | None:
        offer = await seat.offer(picks)
        assert not isinstance(offer, Refusal), (picks, offer)
        choices: Choices = offer.choices
        if choices.complete:
            return None
        return choices.options[0].id if choices.options else choices.span[0]  # type: ignore[index]

    async def asked(self) -> str:
        """The seat that is asked, once any is."""
        while True:
            for name, seat in self.seats.items():
                if seat.is_asked:
                    return name
            # Either may hear of it first; what came before the wait began is looked at again.
            with trio.move_on_after(0.5):
                async with trio.open_nursery() as nursery:
                    for seat in self.seats.values():
                        nursery.start_soon(self._news, seat, nursery.cancel_scope)

    async def _news(self, seat: Seat, scope: trio.CancelScope) -> None:
        await seat.watch.wait()
        scope.cancel()

    async def offered(self) -> tuple[str, tuple[str | int, ...]]:
        """Who is asked, and the words with which an answer may begin."""
        name = await self.asked()
        offer = await self.seats[name].offer(())
        assert not isinstance(offer, Refusal), offer
        return name, tuple(option.id for option in offer.choices.options)

    async def until_moving(self, moment: str = "") -> None:
        """Answer until the Axis moves its units again; the first of these answers is given at
        `moment`."""
        for _ in range(60):
            name, verbs = await self.offered()
            if name == AXIS and "transfer" in verbs:
                return
            await self.answer(moment)
            moment = ""
        raise AssertionError("the Axis does not come to move")

    # --- what must hold ---------------------------------------------------------------------------

    def check_acknowledged(self) -> None:
        """Every acknowledged record is in the directory as the crash left it."""
        heads = [head for name in self.seats for head in self._receipts(name)]
        if not heads:
            return
        log = [
            records.read(frame.payload)
            for frame in read_game(self.server.data, self.game)
            if frame.kind == wlog.FRAME_RECORD
        ]
        for head in heads:
            assert len(log) > head.seq, f"record {head.seq} was acknowledged and is not there"
            assert log[head.seq].hash == head.hash

    def _receipts(self, name: str) -> list[Head]:
        folder = self.folder / "receipts" / name
        return list(read_receipts(folder)) if folder.exists() else []

    def check(self) -> None:
        """The file is sound by both levels, and every command is in it once."""
        said = self.server.log.read_text()
        assert '"event": "fault"' not in said and '"event":"fault"' not in said, said
        heads = [head for name in self.seats for head in self._receipts(name)]
        report, evidence = audit(
            exported(self.server.data, self.game), receipts=heads, rulebook=installed()
        )
        assert (is_clean(report), report.verdict.level) == (True, 2), report
        assert closes_log(evidence.records[-1])
        for name, number in self.sent.items():
            found = sum(
                record.kind == records.COMMAND and record.body[records.COMMAND_SEAT] == name
                for record in evidence.records
            )
            assert found == number, "a command was lost, or carried out twice"


async def southwind(table: Table, fog: str) -> None:
    """The Axis begins Südwind: it pays fuel in parts, overruns, flies a mission that is met."""
    with trio.fail_after(SECONDS_MAX):
        async with table.open(fog):
            for _ in range(6):
                _name, verbs = await table.offered()
                if "transfer" in verbs:
                    break
                await table.do(AXIS, "done")

            # OCS 12.5c A formation's fuel, one token at a time.
            await table.do(AXIS, "fuel", "1ss")
            await table.do(AXIS, "pay", PAYER, SOURCE, 1, moment="paid")
            assert "pay" in (await table.offered())[1], "the payment is still in progress"
            await table.do(AXIS, "pay", PAYER, SOURCE, 1, moment="paid again")
            await table.do(AXIS, "auto")
            assert "overrun" in (await table.offered())[1]

            # OCS 8 An overrun: declared, paid for, fought.
            await table.do(AXIS, "overrun", DEFENDED, "ax.inf.44", moment="overrun")
            assert "auto" in (await table.offered())[1], "the attack is to be paid for"
            await table.rest("overrun declared")
            await table.do(AXIS, "auto", moment="overrun paid")
            assert await table.offered() == (AXIS, ("lead",))
            await table.do(AXIS, "lead", "ax.inf.44", moment="led")
            assert await table.offered() == (SOVIET, ("defend",))
            await table.rest("led, at rest")
            await table.answer(moment="defended")
            name, verbs = await table.offered()
            if (name, "auto" in verbs) == (SOVIET, True):
                await table.answer(moment="defence paid")
            # Losses, retreats, who enters, as the dice ask.
            await table.until_moving("result")

            # OCS 14.5 A hip shoot, intercepted by a fighter.
            await table.do(AXIS, "hip_shoot", BOMBED, "ax.air.fw190f.1", moment="mission")
            name, verbs = await table.offered()
            assert (name, set(verbs)) == (SOVIET, {"intercept", "pass"})
            await table.do(SOVIET, "intercept", "su.air.la5.1", moment="interception")
            await table.until_moving()

            resigned = await table.seats[SOVIET].resign()
            assert not isinstance(resigned, Refusal), resigned
            watch = table.seats[AXIS].watch
            while not watch.whole:
                await watch.wait()
            table.server.stop(signal.SIGKILL)


MOMENTS = (
    "paid",
    "paid again",
    "overrun",
    "overrun declared",
    "overrun paid",
    "led",
    "led, at rest",
    "defended",
    "mission",
    "interception",
)
"""The commands during which a server is killed, and moments of rest inside an overrun."""

AS_IT_FALLS = ("defence paid", "result")
"""More of these, where the defender can pay and the dice leave something to decide."""


def killed(folder: Path, seed: int, fog: str, moments: tuple[str, ...] = MOMENTS) -> None:
    """One run from one seed."""
    table = Table(folder, random.Random(f"southwind {seed}"), moments)
    try:
        trio.run(southwind, table, fog)
        table.check()
    except BaseException:
        print(f"seed {seed}, fog {fog}, after {table.server.kills} kills, in {folder}")
        raise
    surely = sum(moment in MOMENTS for moment in moments)
    assert surely <= table.server.kills <= len(moments)


def test_a_server_killed_in_the_middle_of_southwind_loses_nothing(tmp_path: Path) -> None:
    """A payment in parts, an overrun that waits for its defender, the answer that rolls its dice,
    and an intercepted mission survive a kill each under fog. It takes some seconds, since a server
    is started five times."""
    killed(tmp_path, 1, "strict", ("paid", "led, at rest", "defended", "mission"))


@pytest.mark.long
@pytest.mark.parametrize("fog", ["strict", "open"])
@pytest.mark.parametrize("seed", range(10, 15))
def test_servers_killed_at_other_moments_lose_nothing(tmp_path: Path, seed: int, fog: str) -> None:
    """The same through ten kills and more at other moments, and without fog."""
    killed(tmp_path, seed, fog, (*MOMENTS, *AS_IT_FALLS))
