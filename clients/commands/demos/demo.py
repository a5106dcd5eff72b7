"""`warledger demo`: a server on loopback, two captains who play a whole game over TCP, two
spectators, the story, the file, its audit.

A browser may watch meanwhile; if an address for the page was given, it is served until Ctrl-C, with
the game in the archive. Nothing is taken from the server's memory: everything that is shown and
checked here is what any client receives.
"""

import signal
import tempfile
import time
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import trio
from attrs import define, field, frozen
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from warledger.clients import describing
from warledger.clients.audit.audit import audit
from warledger.clients.audit.audit import installed as rulebook
from warledger.clients.bots.captains import MAKERS
from warledger.clients.bots.seated import play_bot
from warledger.clients.commands.server.servercommands import exported, web_address
from warledger.clients.link import Link, Watch, connect, read_receipts, sit
from warledger.clients.terminal import story
from warledger.clients.terminal.screen import Screen
from warledger.engine import registry
from warledger.engine.serve.app import Serving, serve
from warledger.engine.serve.config import BadConfig, Config, address
from warledger.protocol import canon
from warledger.protocol.board import effects
from warledger.protocol.board.description import Description
from warledger.protocol.log import records

PACE_S = 0.08
"""Pause before each command when people follow."""

PRACTICE_GAMES = 4
"""Games against the house, where the page stays."""

LATE_TURN = 3
"""The second spectator joins when this turn begins."""


@define
class _Match:
    """The result of the match."""

    game: str = ""
    key: bytes = b""
    commands: int = 0
    records: int = 0
    seconds: float = 0.0
    late_at: int = -1
    agree: bool = False
    result: str = ""
    turns: int = 0
    begun: float = field(factory=time.perf_counter)
    code: int | None = None


@frozen
class _Page:
    """Where the page is served, whether a browser is to be opened, and whether it stays when the
    game is over."""

    at: tuple[str, int]
    open: bool
    stays: bool


def demonstrate(
    screen: Screen,
    *,
    title: str,
    fast: bool,
    seed: int,
    keep: Path | None,
    http: str | None = None,
    open_page: bool = False,
) -> int:
    """Run the demonstration: 0 if every check passed, 1 if one failed, 2 for an unknown title."""
    try:
        page = _Page(
            ("127.0.0.1", 0) if http is None else address(http, 8080),
            open_page,
            open_page or http is not None,
        )
    except BadConfig as error:
        raise click.UsageError(str(error)) from error
    if title not in registry.names():
        screen.say("error.unknown_title", title=title, known=registry.names())
        return 2
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        return _run(screen, keep, title, fast, seed, page, kept=True)
    with tempfile.TemporaryDirectory(prefix="warledger-demo-") as folder:
        return _run(screen, Path(folder), title, fast, seed, page, kept=False)


def _run(
    screen: Screen, folder: Path, title: str, fast: bool, seed: int, page: _Page, *, kept: bool
) -> int:
    match = _Match()
    data = folder / "data"
    receipts = folder / "receipts"
    screen.of_title(title)
    screen.say("demo.begin", title=title, seed=seed)

    def report() -> None:
        match.code = _report(screen, match, folder, kept=kept)

    try:
        trio.run(_play, screen, match, data, receipts, title, fast, seed, page, report)
    except BaseExceptionGroup as group:
        _, others = group.split(KeyboardInterrupt)
        if others is None:
            if match.code is None:
                raise KeyboardInterrupt from None
            return match.code
        screen.say("demo.failed", what="; ".join(str(error) for error in leaves(others)))
        return 1
    if match.code is None:
        report()
    return match.code if match.code is not None else 1


def _report(screen: Screen, match: _Match, folder: Path, *, kept: bool) -> int:
    """Export the game, audit it, say how it went."""
    data, receipts = folder / "data", folder / "receipts"
    screen.say(
        "demo.played",
        commands=match.commands,
        records=match.records,
        seconds=f"{match.seconds:.1f}",
    )
    if match.agree:
        screen.say("demo.spectators", records=match.records)
    else:
        screen.say("demo.spectators_differ")
    heads = read_receipts(receipts, match.game)
    screen.say("demo.receipts", n=len(heads))
    made = exported(data, match.game)
    file = folder / f"{match.game}.wlog"
    file.write_bytes(made)
    screen.say("demo.exported", file=str(file), bytes=len(made))
    report, _ = audit(made, key=match.key, receipts=heads, rulebook=rulebook())
    screen.say("demo.audit")
    for line in report.lines(screen.spoken):
        screen.write("  " + line)
    screen.say("demo.result", result=match.result)
    if kept:
        screen.say("demo.again", file=str(file))
    else:
        screen.say("demo.gone")
    return report.code() if match.agree else 1


def leaves(error: BaseException) -> Iterator[BaseException]:
    """The errors in a group, however deep."""
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from leaves(inner)
    else:
        yield error


async def _play(
    screen: Screen,
    match: _Match,
    data: Path,
    receipts: Path,
    title: str,
    fast: bool,
    seed: int,
    page: _Page,
    report: Callable[[], None],
) -> None:
    """The server, the players and the spectators, until the game has ended and everybody has seen
    it; then the page, if it stays."""
    config = Config(
        data,
        port=0,
        http=page.at,
        log_level="error",
        practice=PRACTICE_GAMES if page.stays else 0,
        house=dict.fromkeys(MAKERS, "captain"),
    )

    async def server(task_status: trio.TaskStatus[Serving]) -> None:
        await serve(config, signals=False, task_status=task_status)

    async with trio.open_nursery() as outside:
        await outside.start(until_interrupted)
        serving: Serving = await outside.start(server)
        web = web_address(*serving.web[0])
        host, port = "127.0.0.1", serving.port
        async with connect(host, port, token=serving.token, name="organiser") as link:
            created = await link.create(title)
            assert link.welcome is not None
            match.game, match.key = created.game, link.welcome.key
        screen.say("demo.page", address=f"{web}game/{match.game}")
        if page.open:
            outside.start_soon(_open, screen, f"{web}game/{match.game}")
        match.begun = time.perf_counter()
        async with trio.open_nursery() as inside:
            first = await inside.start(_spectate, screen, match, port)
            inside.start_soon(_join_late, screen, match, port, first)
            for seat, token in created.tokens:
                inside.start_soon(
                    _captain,
                    "captain" if title in MAKERS else "random",
                    match,
                    port,
                    seat,
                    token,
                    receipts,
                    f"{seed} {seat}",
                    0.0 if fast else PACE_S,
                )
        match.seconds = time.perf_counter() - match.begun
        if page.stays:
            await trio.to_thread.run_sync(report)
            screen.say("demo.stays", address=web)
            await trio.sleep_forever()
        outside.cancel_scope.cancel()


async def until_interrupted(task_status: trio.TaskStatus[None]) -> None:
    """Ctrl-C ends everything at once: the server must not say goodbye first, or the players would
    try to reach it again."""
    with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        task_status.started()
        async for _ in signals:
            raise KeyboardInterrupt


async def _open(screen: Screen, page: str) -> None:
    if not await trio.to_thread.run_sync(webbrowser.open, page):
        screen.say("demo.no_browser", address=page)


async def _captain(
    player: str,
    match: _Match,
    port: int,
    seat: str,
    token: str,
    receipts: Path,
    seed: str,
    pace_s: float,
) -> None:
    async with connect(
        "127.0.0.1", port, token=token, name=f"Captain {seat.title()}", receipts=receipts
    ) as link:
        at = await sit(link, match.game, seat, client="bot")
        played = await play_bot(at, player, seed, pace_s=pace_s)
        await at.finish()
        match.commands += played


async def _spectate(
    screen: Screen,
    match: _Match,
    port: int,
    *,
    task_status: trio.TaskStatus[tuple[Link, Watch]] = trio.TASK_STATUS_IGNORED,
) -> None:
    """The first spectator: sees the game from its beginning and tells it."""
    async with connect("127.0.0.1", port, name="first spectator") as link:
        watch = await link.watch(match.game)
        pack = canon.unpack_trusted(watch.genesis.pack)
        found = watch.genesis
        screen.of_game(found.title, pack, found.options)
        match.turns = _turns(describing.described(found.title, pack, found.options).told)
        task_status.started((link, watch))
        with _progress(screen, match) as show:
            async for seen in watch:
                screen.tell(story.tell(seen.record, seen.effects, screen.spoken))
                show(seen.record.seq, seen.board)
        screen.board(watch.board)
        match.records = len(watch.seen)
        assert watch.reason is not None
        match.result = story.result(watch.winner, watch.reason, screen.spoken).plain
        await link.head(match.game)


async def _join_late(screen: Screen, match: _Match, port: int, first: tuple[Link, Watch]) -> None:
    """The second spectator: joins in the middle, and must have seen the same at the end."""
    _, watched = first
    turns = 0
    async for seen in watched:
        turns += sum(effect[0] == effects.OPEN and effect[1] == "turn" for effect in seen.effects)
        if turns >= LATE_TURN or seen.record.kind == records.END:
            match.late_at = seen.record.seq
            break
    async with connect("127.0.0.1", port, name="second spectator") as link:
        watch = await link.watch(match.game)
        screen.say("demo.late", seq=match.late_at)
        async for _ in watch:
            pass
        await link.head(match.game)
        await watched.reached(watch.last_seq)
        match.agree = [seen.record.hash for seen in watch.seen] == [
            seen.record.hash for seen in watched.seen
        ] and watch.board == watched.board


def _turns(told: Description) -> int:
    """How many turns the game has; 0 if its turn track does not say."""
    return next(
        (
            1 + track.last - (track.first or 0)
            for track in told.tracks
            if track.id == "turn" and track.last is not None
        ),
        0,
    )


@contextmanager
def _progress(screen: Screen, match: _Match) -> Iterator[Any]:
    """A bar of turns under the story; in plain mode, a line for each turn."""
    spoken = screen.spoken

    def described(seq: int, board: effects.Board) -> str:
        return spoken.text("demo.progress", seq=seq, at=spoken.say(board.phase))

    if screen.plain or not screen.console.is_terminal:
        yield lambda seq, board: None
        return
    bar = Progress(
        *(TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn()),
        console=screen.console,
        transient=True,
        expand=False,
    )
    with bar:
        task = bar.add_task("", total=match.turns or None)

        def show(seq: int, board: effects.Board) -> None:
            turn = board.tracks.get("turn", 0)
            bar.update(
                task,
                description=described(seq, board),
                completed=turn if isinstance(turn, int) else 0,
            )

        yield show
