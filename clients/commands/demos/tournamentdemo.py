"""`warledger demo --tournament`: sixteen captains play a Swiss of War at Sea over TCP, on a server
of its own process, with check-in, sealed bids and clocks. In the second round one of them claims,
and the director rules. Then the tournament is audited with every game of it, from files alone."""

import random
import tempfile
from functools import partial
from pathlib import Path
from typing import Any, Final

import trio
from attrs import define, field

from warledger.clients.audit.audit import installed as rulebook
from warledger.clients.audit.tournamentreplay import audit_tournament
from warledger.clients.bots.entrants import Entrant, boards_that, enter, seated_at, until_paired
from warledger.clients.bots.seated import play_bot
from warledger.clients.commands.demos.demo import leaves
from warledger.clients.commands.demos.disputedemo import ARBITER, Dispute, Failed, quarrel
from warledger.clients.commands.demos.ownserver import DidNotStart, own_server
from warledger.clients.commands.server.servercommands import exported
from warledger.clients.commands.tournament.desk import standings_lines
from warledger.clients.commands.tournament.lines import board_line
from warledger.clients.link import LinkError, connect
from warledger.clients.link.tournament import TournamentLink, open_tournament
from warledger.clients.terminal.screen import Screen
from warledger.protocol.wire import tournamentmessages as tm

ID: Final = "atlantic"
TITLE: Final = "war_at_sea"
PLAYERS: Final = 16
ROUNDS: Final = 4
QUARREL: Final = (2, 1)
"""The round and the board of the claim."""
PACE_S: Final = 0.05
LOOK_S: Final = 0.05
CHARTER: Final = f"""
name = "Atlantic Open"
title = "{TITLE}"
[[stage]]
system = "record"
rounds = {ROUNDS}
points = {{ win = 10, close_win = 8, draw = 5, close_loss = 2, loss = 0, close = 2, bye = 5 }}
tiebreaks = ["direct", "sos_pooled", "wins", "lots"]
[sides]
by = "bid"
bid = {{ price = "own", step = 1, most = 12, minutes = 60 }}
[clock]
preset = "evening"
[absence]
check_in_minutes = 15
"""


@define
class _Cup:
    """What is played, and what has come of it."""

    screen: Screen
    seed: int
    pace_s: float
    folder: Path
    kept: bool
    chance: random.Random
    key: bytes = b""
    games: list[str] = field(factory=list)
    ledger: bytes = b""
    players: dict[int, Entrant] = field(factory=dict)
    directs: str = ""


def tournament(screen: Screen, *, fast: bool, seed: int, keep: Path | None) -> int:
    """Run it: 0 if everything is sound, 1 if not."""
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        return _run(screen, keep, fast, seed, kept=True)
    with tempfile.TemporaryDirectory(prefix="warledger-demo-") as folder:
        return _run(screen, Path(folder), fast, seed, kept=False)


def _run(screen: Screen, folder: Path, fast: bool, seed: int, *, kept: bool) -> int:
    pace_s = 0.0 if fast else PACE_S
    cup = _Cup(screen, seed, pace_s, folder, kept, random.Random(f"tournament {seed}"))
    screen.of_title(TITLE)
    screen.say("demo.tournament", title=TITLE, n=PLAYERS, rounds=ROUNDS, seed=seed)
    failed = ""
    try:
        trio.run(_play, cup)
    except* (Failed, LinkError, DidNotStart, OSError) as group:
        failed = "; ".join(str(error) or type(error).__name__ for error in leaves(group))
    if failed:
        screen.say("demo.failed", what=failed)
        return 1
    return _report(cup)


def _report(cup: _Cup) -> int:
    """Write the files, and audit them."""
    screen, folder = cup.screen, cup.folder
    games = folder / "games"
    games.mkdir(exist_ok=True)
    for game in cup.games:
        (games / f"{game}.wlog").write_bytes(exported(folder / "data", game))
    ledger = folder / f"{ID}.wlog"
    ledger.write_bytes(cup.ledger)
    (folder / "server.pub").write_text(cup.key.hex() + "\n", encoding="ascii")
    report = audit_tournament(cup.ledger, key=cup.key, rulebook=rulebook(), games=games)
    screen.say("demo.audit")
    for line in report.lines(screen.spoken):
        screen.write("  " + line)
    if cup.kept:
        screen.say("demo.tournament.again", file=str(ledger), folder=str(folder))
    else:
        screen.say("demo.gone")
    return report.code()


async def _play(cup: _Cup) -> None:
    async with own_server(cup.folder / "data", cup.folder / "server.log") as server:
        to = partial(connect, "127.0.0.1", server.port)
        async with to(token=server.token) as host:
            made = await open_tournament(host, ID, ARBITER, CHARTER)
            assert host.welcome is not None
            cup.key = host.welcome.key
        if not isinstance(made, tm.TournamentOpened):
            raise Failed(f"the charter is refused: {made.findings}")
        cup.directs = made.seat
        gone = trio.Event()
        async with to(token=made.token, name=ARBITER) as desk, trio.open_nursery() as hall:
            director = TournamentLink(desk, ID)
            for number in range(1, PLAYERS + 1):
                name = f"Captain {number}"
                # Sixteen journals on one disk, for a folder that is gone afterwards, would only be
                # waited for: without --keep they stay in memory.
                receipts = cup.folder / "receipts" / name if cup.kept else None
                link = to(name=name, receipts=receipts)
                rating = cup.chance.randint(1200, 2200)
                await hall.start(enter, link, ID, name, rating, cup.players, gone)
            cup.screen.say("demo.tournament.entered", n=len(cup.players))
            for round in range(1, ROUNDS + 1):
                await _round(cup, director, round)
            await director.must(cup.directs, "finish")
            told = await director.told()
            cup.screen.say("demo.tournament.table")
            standings_lines(cup.screen, told["standings"], told["tiebreaks"])
            first = told["standings"][0]["number"]
            for said in await director.explained(first):
                cup.screen.write("  " + cup.screen.spoken.cited(said))
            cup.ledger = await director.paper("tournament.wlog")
            gone.set()


async def _round(cup: _Cup, director: TournamentLink, round: int) -> None:
    """Check in, pair, publish, bid, play."""
    async with trio.open_nursery() as nursery:
        for player in cup.players.values():
            nursery.start_soon(player.check_in)
    await director.must(cup.directs, "pair")
    if round == 1:
        async with trio.open_nursery() as nursery:
            for player in cup.players.values():
                nursery.start_soon(player.show_nonce)
        await until_paired(director, LOOK_S)
    await director.must(cup.directs, "publish")
    told = await director.told()
    names = {one["number"]: one["name"] for one in told["entrant_list"]}
    cup.screen.say("cli.tournament.round", round=round)
    async with trio.open_nursery() as nursery:
        for board in told["rounds"][-1]["boards"]:
            for number in board["entrants"]:
                bid = (cup.chance.choice(told["rounds"][-1]["seats"]), cup.chance.randint(0, 6))
                nursery.start_soon(cup.players[number].act, "bid", *bid)
    boards = await boards_that(director, lambda board: bool(board["game"]), LOOK_S)
    cup.games += [board["game"] for board in boards]
    seats = (await director.told())["rounds"][-1]["seats"]
    async with trio.open_nursery() as nursery:
        for board in boards:
            nursery.start_soon(_match, cup, director, round, board, seats)
    boards = await boards_that(director, lambda board: board["results"] is not None, LOOK_S)
    one = (await director.told())["rounds"][-1]
    for board in boards:
        cup.screen.write(board_line(cup.screen.spoken, names, one, board))


async def _match(
    cup: _Cup,
    director: TournamentLink,
    round: int,
    board: dict[str, Any],
    seats: tuple[str, ...],
) -> None:
    """A game: both fetch their seats, sit down, and play it to its end."""
    game = board["game"]
    seated = await seated_at([cup.players[n] for n in board["entrants"]], round, board)
    if (round, board["board"]) == QUARREL:
        await quarrel(
            Dispute(cup.screen, TITLE, cup.seed, cup.pace_s, game=game, key=cup.key),
            director.link,
            {seat: seated[seat] for seat in seats},
        )

    async def play(seat: str) -> None:
        await play_bot(seated[seat], "captain", f"{cup.seed} {game} {seat}", pace_s=cup.pace_s)
        await seated[seat].finish()

    async with trio.open_nursery() as nursery:
        for seat in seats:
            nursery.start_soon(play, seat)
    told = seated[seats[0]].watch
    assert told.reason is not None
    cup.screen.say("demo.tournament.over", game=game, result=told.reason.as_array())
