"""A real server process dies by SIGKILL at each step of the ceremony of a tournament's lots: as an
entry, a commitment, the roster, each nonce, the end of the wait and the pairing are written, just
before they are on the disk and just after.

Each time the clients go on as if nothing had happened, nothing is drawn twice, and the ledger
audits sound with what the clients kept.
"""

from __future__ import annotations

import signal
from collections import Counter
from functools import partial
from pathlib import Path

import pytest
import trio
from attrs import define

from tests.e2e.test_kill import SECONDS_MAX, Server
from tests.e2e.test_kill_tournament import reached
from tests.verdicts import findings_of, reservations_of
from warledger.clients.audit.audit import installed
from warledger.clients.audit.report import Report
from warledger.clients.audit.tournamentreplay import audit_tournament
from warledger.clients.bots.entrants import until_paired
from warledger.clients.link import connect, read_receipts
from warledger.clients.link.tournament import TournamentLink, open_tournament
from warledger.protocol import tournaments as forms
from warledger.protocol.log import chain, wlog
from warledger.protocol.log.records import Record, read
from warledger.protocol.wire import tournamentmessages as tm

ID = "cup"
CHARTER = """
name = "Killed"
title = "war_at_sea"
[[stage]]
system = "record"
rounds = 2
tiebreaks = ["direct", "lots"]
[sides]
by = "lots"
[lots]
minutes = 60
"""
HOUR_MS = 3_600_000
STEPS = ("entered", "committed", "rostered", "nonce", "nonce", "nonce", "paired", "published")
AFTER_TWO = (("rostered:after", 0), ("nonce:after", 0))
EVERYWHERE = tuple((f"{step}:{when}", 0) for step in STEPS for when in ("before", "after"))
TOO_LATE = (
    ("rostered:after", 0),
    ("nonce:after", 0),
    ("waited:before", HOUR_MS),
    ("waited:after", HOUR_MS),
    ("paired:before", HOUR_MS),
)
Plan = tuple[tuple[str, int], ...]


@define
class Dying(Server):
    """A server whose lives each end at a step of `plan`: where it dies, and how many milliseconds
    its clock is ahead in that life. The last one lives on."""

    plan: Plan = ()

    def program(self) -> tuple[str, ...]:
        """One that kills itself."""
        spec, ahead_ms = (*self.plan, ("-", self.plan[-1][1]))[self.kills]
        return ("-m", "tests.e2e.killing", spec, str(ahead_ms))

    async def live(self) -> None:
        """Begin its next life whenever it has died."""
        while True:
            assert self.process is not None and self.process.stdout is not None
            code = await trio.to_thread.run_sync(self.process.wait, abandon_on_cancel=True)
            assert code == -signal.SIGKILL
            self.process.stdout.close()
            self.kills += 1
            await trio.to_thread.run_sync(self.start)


async def held(server: Dying, folder: Path, showing: tuple[int, ...]) -> bytes:
    """A tournament of three up to its first round, through all deaths of its server; these show
    their nonces. The ledger."""
    token = (server.data / "host.token").read_text().strip()
    to = partial(connect, "127.0.0.1", server.port, patience_s=SECONDS_MAX)
    async with to(token=token) as host:
        made = await open_tournament(host, ID, "dora", CHARTER)
        assert isinstance(made, tm.TournamentOpened)
    async with to(token=made.token) as desk:
        director = TournamentLink(desk, ID)
        entries = []
        for number in (1, 2, 3):
            async with reached(partial(to, receipts=folder / str(number))) as link:
                at = TournamentLink(link, ID)
                entries.append(await at.enter(f"P{number}"))
                await link.login(entries[-1].token, f"P{number}")
                assert await at.commit(number)
        await director.must(made.seat, "pair")
        for number in showing:
            own = {"token": entries[number - 1].token, "receipts": folder / str(number)}
            async with reached(partial(to, **own)) as link:
                assert await TournamentLink(link, ID).show_nonce(number)
        await until_paired(director, 0.05)
        await director.must(made.seat, "publish")
        return await director.paper("tournament.wlog")


def killed(folder: Path, plan: Plan, showing: tuple[int, ...]) -> Report:
    """The verdict on a tournament whose server died so."""
    server = Dying(folder / "data", plan=plan)

    async def run() -> bytes:
        await trio.to_thread.run_sync(server.start)
        with trio.fail_after(SECONDS_MAX):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(server.live)
                ledger = await held(server, folder, showing)
                nursery.cancel_scope.cancel()
        return ledger

    try:
        ledger = trio.run(run)
    finally:
        if server.process is not None and server.process.poll() is None:
            server.stop(signal.SIGKILL)
    assert server.kills == len(plan)
    records = chain.follow(wlog.parse(ledger, sealed=True).records, kinds=forms.KINDS)
    acts = [forms.Act.from_record(record) for record in records if record.kind == forms.ACT]
    tags = Counter(event[0] for act in acts for event in act.events)
    assert (tags["entered"], tags["committed"], tags["nonce"]) == (3, 3, len(showing))
    assert (tags["rostered"], tags["paired"], tags["published"]) == (1, 1, 1)
    drawn = [lot.purpose for act in acts for lot in act.draws]
    assert drawn and len(drawn) == len(set(drawn)), "nothing is drawn twice"
    key = forms.Charter.from_record(_first(ledger)).server_key
    receipts = [head for number in showing for head in read_receipts(folder / str(number))]
    assert receipts
    report = audit_tournament(ledger, key=key, rulebook=installed(), receipts=receipts)
    assert not findings_of(report)
    return report


def _first(ledger: bytes) -> Record:
    return read(wlog.parse(ledger).records[0], kinds=forms.KINDS)


def names(report: Report) -> set[str]:
    """The reservations that concern the lots."""
    return {one.name for one in reservations_of(report)} & {"lots_of_desk"}


def test_a_killed_desk_goes_on_with_its_roster_and_its_nonces(tmp_path: Path) -> None:
    """Killed between the roster and the first nonce, and between nonces."""
    assert not names(killed(tmp_path, AFTER_TWO, (1, 2, 3)))


@pytest.mark.long
def test_a_desk_that_is_killed_around_the_deadline_draws_by_itself(tmp_path: Path) -> None:
    """Two are missing when the wait has ended, while the desk is down."""
    assert names(killed(tmp_path, TOO_LATE, (1,)))


@pytest.mark.long
def test_a_desk_that_is_killed_before_and_after_each_record(tmp_path: Path) -> None:
    """Each record of the ceremony, the last nonce and the pairing among them."""
    assert not names(killed(tmp_path, EVERYWHERE, (1, 2, 3)))
