"""The commands that speak to a server: titles, new, token, games, play, watch, bot."""

import json
import re
import ssl
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import trio
from attrs import frozen

from clients.bots.player import View, bot_of, run_async
from clients.link import BadReceipt, Disconnected, Link, LinkError, Seat, SeatRefused, ServerError, Watch, connect, sit
from clients.terminal import story
from clients.terminal.keyboard import typed_lines
from clients.terminal.player import Player
from clients.terminal.screen import Screen
from protocol import canon
from protocol.choices import Choices, Picks, Refusal
from protocol.fields import BadMessage
from protocol.messages import PUBLIC

DEFAULT_SERVER = "127.0.0.1:7470"
DEFAULT_PORT = 7470
PATIENCE_S = 600.0
"""How long a command waits for a server that went away: time enough for an upgrade."""
_ADDRESS = re.compile(r"(?:\[(?P<v6>[^\]]+)\]|(?P<host>[^:]*))(?::(?P<port>\d{1,5}))?")


@frozen
class Where:
    """How a server is reached: its address, whether by TLS (and which certificate authority to trust), whose token, where receipts go."""

    server: str = DEFAULT_SERVER
    tls: bool = False
    ca: Path | None = None
    token: str = ""
    name: str = ""
    receipts: Path | None = None

    @property
    def address(self) -> tuple[str, int]:
        """Host and port. Raises ValueError for a text that is no address."""
        found = _ADDRESS.fullmatch(self.server.strip())
        if found is None or (found["port"] and int(found["port"]) > 65535):
            raise ValueError(f"{self.server!r} is not HOST:PORT")
        return found["v6"] or found["host"] or "127.0.0.1", int(found["port"] or DEFAULT_PORT)

    @asynccontextmanager
    async def link(self) -> AsyncIterator[Link]:
        """A link to it. Raises LinkError."""
        host, port = self.address
        context = ssl.create_default_context(cafile=str(self.ca) if self.ca else None) if self.tls or self.ca else None
        async with connect(
            host, port, token=self.token, name=self.name, tls=context, receipts=self.receipts, patience_s=PATIENCE_S
        ) as link:
            yield link


def run(act: Callable[[], Coroutine[Any, Any, bool]], screen: Screen) -> int:
    """Run a command's coroutine: 0 when it says True, 1 when False or when the server or the network says no, 2 for senseless arguments."""
    try:
        return 0 if trio.run(act) else 1
    except BaseException as error:
        # Several tasks may have met the same trouble.
        leaves = tuple(_leaves(error))
        for leaf in leaves:
            if not isinstance(leaf, _TOLD):
                raise leaf from None
        if any(isinstance(leaf, KeyboardInterrupt) for leaf in leaves):
            screen.say("ui.left")
            return 0
        return _tell(leaves[0], screen)


_TOLD = (LinkError, LookupError, BadMessage, BadReceipt, OSError, KeyboardInterrupt)
"""What is told in a sentence; anything else is a bug."""


def _tell(error: BaseException, screen: Screen) -> int:
    if isinstance(error, ServerError):
        screen.write(screen.spoken.say(error.say))
    elif isinstance(error, SeatRefused):
        screen.write(screen.spoken.say(error.refusal))
    elif isinstance(error, Disconnected):
        screen.say("cli.no_server", what=str(error))
    elif isinstance(error, LookupError):
        screen.write(str(error.args[0] if error.args else error))
    else:
        screen.say("cli.failed", what=str(error))
    return 2 if isinstance(error, BadMessage) else 1


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _leaves(inner)
    else:
        yield error


def as_json(value: Any) -> str:
    """Canonical values as JSON; bytes as hexadecimal."""
    return json.dumps(value, ensure_ascii=False, indent=2, default=lambda item: item.hex() if isinstance(item, bytes) else str(item))


# --- hosts ------------------------------------------------------------------------------------------------------------------------


async def titles(where: Where, screen: Screen, *, machine: bool) -> bool:
    """List what a server plays."""
    async with where.link() as link:
        show_titles(await link.titles(), screen, machine=machine)
    return True


def show_titles(found: Any, screen: Screen, *, machine: bool) -> None:
    """Print titles with their options; as JSON also where their data come from."""
    if machine:
        screen.data(as_json(found))
        return
    for title in found:
        screen.of_game(title["title"], {})
        screen.write(f"{title['title']}  {screen.spoken.name(title['title'])}  ({title['version']})")
        screen.say("cli.seats", seats=tuple(title["seats"]))
        for name, default, choices, rule in title["options"]:
            values = "|".join(_option_value(choice) for choice in choices)
            key = f"option.{title['title']}.{name}"
            words = screen.spoken.text(key) if screen.spoken.has(key) else ""
            screen.write(f"    {name}={values}  [{rule}] ({_option_value(default)})  {words}")


def _option_value(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


async def new(where: Where, screen: Screen, title: str, options: dict[str, str], *, delay_s: int, machine: bool) -> bool:
    """Open a game and print its id and a token a seat."""
    async with where.link() as link:
        created = await link.create(title, options, delay_s=delay_s)
    if machine:
        screen.data(as_json({"game": created.game, "tokens": dict(created.tokens)}))
        return True
    screen.say("cli.game", game=created.game)
    for seat, token in created.tokens:
        screen.say("cli.seat_token", seat=seat, token=token)
    return True


async def token(where: Where, screen: Screen, game: str, seat: str, *, machine: bool) -> bool:
    """Replace a seat's token and print the new one."""
    async with where.link() as link:
        made = await link.new_token(game, seat)
    if machine:
        screen.data(as_json({"game": game, "seat": seat, "token": made}))
    else:
        screen.say("cli.seat_token", seat=seat, token=made)
    return True


async def games(where: Where, screen: Screen, stage: str, *, machine: bool) -> bool:
    """List the server's games."""
    async with where.link() as link:
        found = await link.games(stage)
    if machine:
        screen.data(as_json(found))
        return True
    if not found:
        screen.say("cli.no_games")
    for game in found:
        screen.of_game(str(game.get("title", "")), {})
        screen.say(
            "cli.game_line",
            game=game["game"],
            title=game.get("title", ""),
            stage=f"cli.stage.{game['stage']}",
            seq=game.get("seq", 0),
            awaits=tuple(game.get("awaits") or ()),
        )
    return True


# --- players and spectators -------------------------------------------------------------------------------------------------------


async def play(where: Where, screen: Screen, game: str, seat: str) -> bool:
    """Play a seat from this terminal."""
    async with where.link() as link:
        at = await sit(link, game, seat)
        _hold_to_receipts(link, at.watch, screen)
        await Player(at, screen, typed_lines()).play()
    return True


async def watch(where: Where, screen: Screen, game: str, start: int, *, audience: str, machine: bool, board: bool) -> bool:
    """Follow a game to its end and tell its story; as JSON a line a record."""
    async with where.link() as link:
        seen_game = await link.watch(game, audience or PUBLIC)
        genesis = seen_game.genesis
        screen.of_game(genesis.title, canon.unpack_trusted(genesis.pack))
        async for seen in seen_game.after(start - 1):
            if machine:
                screen.data(
                    json.dumps(
                        {
                            "seq": seen.record.seq,
                            "at_ms": seen.record.at_ms,
                            "kind": seen.record.kind,
                            "actor": seen.record.actor,
                            "hash": seen.record.hash.hex(),
                            "effects": seen.effects,
                            "story": [line.plain for line in story.tell(seen.record, seen.effects, screen.spoken)],
                        },
                        ensure_ascii=False,
                        default=lambda item: item.hex() if isinstance(item, bytes) else str(item),
                    )
                )
                continue
            lines = tuple(story.tell(seen.record, seen.effects, screen.spoken))
            screen.tell(lines)
            if board and any(line.kind == story.TURN for line in lines):
                screen.board(seen.board)
        if not machine:
            screen.board(seen_game.board)
    return True


async def bot(where: Where, screen: Screen, game: str, seat: str, player: str, seed: str) -> bool:
    """Let a bot play a seat to the game's end."""
    async with where.link() as link:
        at = await sit(link, game, seat)
        genesis = at.watch.genesis
        screen.of_game(genesis.title, canon.unpack_trusted(genesis.pack))
        screen.say("cli.bot_plays", player=player, seat=seat, game=game)
        _hold_to_receipts(link, at.watch, screen)
        await play_bot(at, player, seed)
        if at.watch.reason is not None:
            screen.write(story.result(at.watch.winner, at.watch.reason, screen.spoken))
    return True


def _hold_to_receipts(link: Link, watch: Watch, screen: Screen) -> None:
    """Say so when the game is not the one that earlier receipts are of. Whether to play on is for people to decide."""
    try:
        head = link.unmet_receipt(watch)
    except (BadReceipt, OSError) as error:
        screen.say("cli.failed", what=str(error))
        return
    if head is not None:
        screen.say("cli.records_lost", game=watch.game, seq=head.seq, last=watch.last_seq)


class BotRefused(LinkError):
    """A bot's command was refused: a bug of the bot, or a second player in its seat."""


async def play_bot(seat: Seat, player: str, seed: int | str, *, pace_s: float = 0.0) -> int:
    """Play a seat with a bot until the game ends. Returns the number of commands. Requests of the others are declined.

    `pace_s` waits so many seconds before each command, so that people can follow. Raises NoSuchPlayer, BotRefused.
    """
    genesis = seat.watch.genesis
    bot = bot_of(player, genesis.title, seed)
    view = View(seat.seat, genesis.title, genesis.seats, genesis.options, canon.unpack_trusted(genesis.pack))
    commands = 0
    while True:
        await _asked(seat)
        if seat.watch.ended:
            return commands
        if pace_s:
            await trio.sleep(pace_s)
        decision = 0

        async def ask(picks: Picks) -> Choices:
            nonlocal decision
            offer = await seat.offer(picks)
            if isinstance(offer, Refusal):
                raise _Lapsed(offer)
            decision = offer.decision
            return offer.choices

        view.board = seat.watch.board
        before = seat.watch.last_seq
        try:
            picks = await run_async(bot, view, ask)
        except _Lapsed:
            if not seat.watch.ended and seat.watch.last_seq == before:
                await seat.watch.wait()
            continue
        answer = await seat.submit(picks, decision)
        if isinstance(answer, Refusal):
            if answer.key in ("refusal.stale", "refusal.game_over", "refusal.not_asked"):
                if not seat.watch.ended and seat.watch.last_seq == before:
                    await seat.watch.wait()
                continue
            raise BotRefused(f"{player} in {seat.seat}: {picks}: {answer.key} {dict(answer.args)}")
        commands += 1


class _Lapsed(Exception):
    """The question was closed while the bot thought."""


async def _asked(seat: Seat) -> None:
    """Wait until the seat is asked or the game has ended; decline what others ask for meanwhile."""
    watch: Watch = seat.watch
    declined = -1
    while not watch.ended:
        ask = watch.ask
        if ask is not None and ask.seat != seat.seat and ask.seq != declined:
            declined = ask.seq
            await seat.answer(False)
        elif seat.is_asked:
            return
        else:
            await watch.wait()


__all__ = [
    "DEFAULT_SERVER",
    "BotRefused",
    "Where",
    "as_json",
    "bot",
    "games",
    "new",
    "play",
    "play_bot",
    "run",
    "show_titles",
    "titles",
    "token",
    "watch",
]
