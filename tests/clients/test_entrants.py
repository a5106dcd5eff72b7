"""An entrant's client in the one ceremony of a tournament's lots: what it keeps before it sends,
that it commits anew at a check-in, and that it shows its nonce on one history alone."""

from __future__ import annotations

import copy
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from tests.clients.table import link
from tests.serve.tournaments.test_tournaments import CHARTER, PUBLIC_KEY, Table, table
from tests.verdicts import findings_of, reservations_of
from warledger.clients.audit.tournamentreplay import audit_tournament
from warledger.clients.bots.entrants import Entrant
from warledger.clients.commands.play.online import Where
from warledger.clients.commands.tournament import online as online
from warledger.clients.link import BadServer, LinkError, RecordsLost, read_receipts
from warledger.clients.link.sitting import check_entrant
from warledger.clients.link.tournament import Entry, TournamentLink
from warledger.clients.terminal.screen import Screen
from warledger.engine.testing.memory import MemoryStore
from warledger.protocol.log.records import TOURNAMENT
from warledger.protocol.wire import tournamentmessages as tm

DAY = CHARTER + "[absence]\ncheck_in_minutes = 15\n"


async def opened(at: Table, charter: str = CHARTER) -> None:
    """A tournament whose entrants show their nonces by their own clients."""
    await at.open(charter)
    at.showing = False


def where(at: Table, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Where:
    """Where the commands of a client find the server, with its own folder."""

    def made(self: Where) -> Any:
        return link(at.served, token=self.token, receipts=self.receipts)

    monkeypatch.setattr(Where, "link", made)
    return Where(receipts=folder)


def screen() -> Screen:
    """A screen that nobody looks at."""
    return Screen(language="en", console=Console(file=StringIO(), width=200))


def said(at: Screen) -> str:
    """What stands on it."""
    file = at.console.file
    assert isinstance(file, StringIO)
    return file.getvalue()


async def other(at: Table, number: int) -> None:
    """Somebody else enters, with a nonce of their own."""
    async with link(at.served) as theirs:
        await TournamentLink(theirs, "cup").enter(f"P{number}")


def copied(store: MemoryStore) -> MemoryStore:
    """What a desk could go on with as if nothing had happened since."""
    made = MemoryStore()
    made._games = copy.deepcopy(store._games)
    return made


async def test_terminal_clients_give_the_lots(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two join, check in, and show what waits for them: no lot is the desk's alone, and the heads
    that they kept are the file's. One whom the director entered commits at their check-in."""
    async with table() as at:
        await opened(at, DAY)
        folders = [tmp_path / name for name in ("ann", "ben", "cem")]
        for folder, name in zip(folders[:2], ("Ann", "Ben"), strict=True):
            assert await online.join(where(at, folder, monkeypatch), "cup", name, 0, screen())
        await at.direct("enter", "Cem", "-", 0)
        given = (await at.director.ask(tm.TournamentToken, "cup", "e:3")).token
        for number, folder in enumerate(folders, 1):
            place = where(at, folder, monkeypatch)
            if number == 3:
                place = Where(receipts=folder, token=given)
            assert await online.act(place, "cup", "", ("check_in",), screen(), machine=False)
        await at.direct("pair")
        assert (await at.told())["lots"]["missing"] == (1, 2, 3)
        for number, folder in enumerate(folders, 1):
            at_screen = screen()
            place = Where(receipts=folder, token=given if number == 3 else "")
            assert await online.show(place, "cup", at_screen, machine=False)
            assert "Your part in the lots is handed in." in said(at_screen)
        while not (await at.told())["drafted"]:
            await at.pause()
        await at.direct("publish")
        data = (await at.director.ask(tm.TournamentPaper, "cup", "tournament.wlog", 0, "en")).body
        receipts = [head for folder in folders for head in read_receipts(folder)]
        assert len({head.seq for head in receipts}) >= 4
        report = audit_tournament(data, key=PUBLIC_KEY, receipts=receipts)
        assert not findings_of(report)
        assert "lots_of_desk" not in {one.name for one in reservations_of(report)}


async def test_a_program_commits_anew_at_a_check_in(tmp_path: Path) -> None:
    """An entrant whom a program plays, and whom the director entered without a commitment, is
    on the roster, and its nonce is waited for."""
    async with table() as at:
        await opened(at, DAY)
        await other(at, 1)
        await at.direct("enter", "Bot", "-", 0)
        given = (await at.director.ask(tm.TournamentToken, "cup", "e:2")).token
        async with link(at.served, token=given, receipts=tmp_path) as mine:
            bot = Entrant(mine, TournamentLink(mine, "cup"), Entry(2, given), "Bot")
            await bot.check_in()
            await at.direct("pair")
            assert (await at.told())["lots"]["missing"] == (2,)
            await bot.show_nonce()
            assert (await at.told())["lots"] is None


async def test_an_entry_whose_answer_was_lost_is_found_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The token is kept before it is sent: asked again, it is the same entry, and its nonce is the
    one that it committed to."""
    async with table() as at:
        await opened(at)
        place = where(at, tmp_path, monkeypatch)
        real = TournamentLink.enter

        async def lost(self: TournamentLink, *args: Any, **more: Any) -> Any:
            await real(self, *args, **more)
            raise LinkError("the answer was lost")

        monkeypatch.setattr(TournamentLink, "enter", lost)
        with pytest.raises(LinkError):
            await online.join(place, "cup", "Ann", 0, screen())
        monkeypatch.setattr(TournamentLink, "enter", real)
        assert await online.join(place, "cup", "Ann", 0, screen())
        entry = online.kept(place, "cup")
        assert entry is not None and entry.number == 1
        assert len((await at.told())["entrant_list"]) == 1
        assert online.kept(place, "cup", online.ENTERING) is None
        await other(at, 2)
        await at.direct("pair")
        async with link(at.served, token=entry.token, receipts=tmp_path) as mine:
            assert await TournamentLink(mine, "cup").show_nonce(1)
            assert not await TournamentLink(mine, "cup").show_nonce(1), "once in its life"


async def test_a_nonce_is_shown_on_one_history_alone(tmp_path: Path) -> None:
    """A desk that forks once a nonce is known shows its second history to a client that kept heads
    of the first: it says so, and shows nothing; nor where the desk has lost what it signed."""
    store = MemoryStore()
    async with table(tournaments=store) as at:
        await opened(at)
        async with link(at.served, receipts=tmp_path) as mine:
            entry = await TournamentLink(mine, "cup").enter("Ann")
        before = copied(store)
        await other(at, 2)
        await at.direct("pair")
        waits = copied(store)
        async with link(at.served, token=entry.token, receipts=tmp_path) as mine:
            assert await TournamentLink(mine, "cup").show_nonce(1)
    first = {head.seq: head.hash for head in read_receipts(tmp_path, "cup")}
    async with table(tournaments=before) as again:
        again.director, again.showing = await again.served.client(at.token), False
        await again.direct("enter", "Accomplice", "-", 0)
        await other(again, 3)
        await again.direct("pair")
        async with link(again.served, token=entry.token, receipts=tmp_path) as mine:
            with pytest.raises(BadServer, match="two histories"):
                await TournamentLink(mine, "cup").show_nonce(1)
            with pytest.raises(BadServer, match="two histories"):
                await TournamentLink(mine, "cup").compare(1)
        assert (await again.told())["lots"]["missing"] == (1, 3)
    async with table(tournaments=waits) as again:
        again.director = await again.served.client(at.token)
        async with link(again.served, token=entry.token, receipts=tmp_path) as mine:
            with pytest.raises(RecordsLost):
                await TournamentLink(mine, "cup").show_nonce(1)
        assert 1 in (await again.told())["lots"]["missing"]
    assert {head.seq: head.hash for head in read_receipts(tmp_path, "cup")} == first


async def test_another_tournament_of_the_same_name_is_told(tmp_path: Path) -> None:
    """A server that begins a tournament anew under its id, with its own key, is told of by the
    head of record 0 that was kept; the nonce made for the one is never shown in the other."""
    for attempt in range(2):
        async with table() as at:
            await opened(at, CHARTER.replace("Harbour", f"Harbour {attempt}"))
            async with link(at.served, receipts=tmp_path) as mine:
                cup = TournamentLink(mine, "cup")
                if not attempt:
                    await cup.enter("Ann")
                    continue
                await other(at, 2)
                with pytest.raises(BadServer, match="two histories"):
                    await cup.compare(1)
                with pytest.raises(BadServer, match="two histories"):
                    await cup.show_nonce(1)


@pytest.mark.parametrize(("number", "kept"), [(1, []), (None, [1])])
def test_nobody_sits_down_in_a_seat_that_is_anothers(number: int | None, kept: list[int]) -> None:
    """The game's terms give the seat to another number than one's own, which is known or kept:
    nothing is signed. Whoever has no number in the tournament is not held to one."""
    numbers = {"allied": 2, "axis": 1}
    terms = {TOURNAMENT: (b"", "cup", b"", 1, 1, b"", (2, 1))}
    watch: Any = SimpleNamespace(genesis=SimpleNamespace(game="g", entrants=numbers, terms=terms))
    here: Any = SimpleNamespace(numbers_in=lambda tournament, charter: kept)
    with pytest.raises(BadServer):
        check_entrant(here, watch, "allied", number)
    check_entrant(here, watch, "axis", number)
    nobody: Any = SimpleNamespace(numbers_in=lambda tournament, charter: [])
    check_entrant(nobody, watch, "allied", None)


async def test_the_numbers_of_ones_entries_are_kept(tmp_path: Path) -> None:
    """By tournament and charter, with the nonce of each."""
    async with table() as at:
        await opened(at)
        await other(at, 1)
        async with link(at.served, receipts=tmp_path) as mine:
            made = TournamentLink(mine, "cup")
            entry = await made.enter("Ann")
            charter = (await mine.head_of("cup", 0)).hash
            assert mine.numbers_in("cup", charter) == [entry.number] == [2]
            assert mine.numbers_in("cup", bytes(32)) == mine.numbers_in("cu", charter) == []
