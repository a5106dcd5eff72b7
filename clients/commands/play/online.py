"""The commands that speak to a server: titles, new, token, replace, games, play, watch, bot,
device, handover."""

import base64
import binascii
import json
import re
import ssl
import sys
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Coroutine,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import click
import trio
from attrs import evolve as changed
from attrs import frozen

from warledger.clients.bots.known import bot_of
from warledger.clients.bots.program import Program, ProgramFailed, started
from warledger.clients.bots.seated import BotRefused, introduce, play_bot, play_program
from warledger.clients.clockface import face
from warledger.clients.describing import told_by
from warledger.clients.link import (
    BadReceipt,
    BadServer,
    CannotSit,
    Disconnected,
    Link,
    LinkError,
    Seat,
    ServerError,
    Watch,
    connect,
    sit,
)
from warledger.clients.terminal import story
from warledger.clients.terminal.keyboard import can_edit, typed_lines
from warledger.clients.terminal.player import Player
from warledger.clients.terminal.screen import Screen
from warledger.clients.terminal.words import named_seat
from warledger.protocol import canon
from warledger.protocol.audience import ARBITER, PUBLIC
from warledger.protocol.board.choices import Refusal, Say, is_for_client_alone, say
from warledger.protocol.limits import KEY_BYTES
from warledger.protocol.seats import acts
from warledger.protocol.texts.phrases import Phrases
from warledger.protocol.wire.fields import BadMessage

DEFAULT_SERVER = "127.0.0.1:7470"
DEFAULT_PORT = 7470
PATIENCE_S = 600.0
"""How long a command waits for a server that is down: long enough for an upgrade."""
_ADDRESS = re.compile(r"(?:\[(?P<v6>[^\]]+)\]|(?P<host>[^:]*))(?::(?P<port>\d{1,5}))?")


@frozen
class Where:
    """How a server is reached: its address, whether by TLS (and which certificate authority to
    trust), whose token, where receipts go."""

    server: str = DEFAULT_SERVER
    tls: bool = False
    ca: Path | None = None
    token: str = ""
    name: str = ""
    receipts: Path | None = None
    accept_new_key: bool = False

    @property
    def address(self) -> tuple[str, int]:
        """Host and port. Raises ValueError for a text that is not an address."""
        found = _ADDRESS.fullmatch(self.server.strip())
        if found is None or (found["port"] and int(found["port"]) > 65535):
            raise ValueError(f"{self.server!r} is not HOST:PORT")
        return found["v6"] or found["host"] or "127.0.0.1", int(found["port"] or DEFAULT_PORT)

    @asynccontextmanager
    async def link(self) -> AsyncIterator[Link]:
        """A link to it. Raises LinkError."""
        host, port = self.address
        context = (
            ssl.create_default_context(cafile=str(self.ca) if self.ca else None)
            if self.tls or self.ca
            else None
        )
        async with connect(
            host,
            port,
            token=self.token,
            name=self.name,
            tls=context,
            receipts=self.receipts,
            patience_s=PATIENCE_S,
            accept_new_key=self.accept_new_key,
        ) as link:
            yield link


def run(
    act: Callable[[], Coroutine[Any, Any, bool]], screen: Screen, receipts: Path | None = None
) -> int:
    """Run a command's coroutine: 0 if it returns True, 1 if it returns False or the server or
    network fails, 2 for invalid arguments.

    `receipts` is the folder that a player is asked to keep if the server is caught cheating.
    """
    try:
        return 0 if trio.run(act) else 1
    except BaseException as error:
        # Several tasks may have failed for the same reason.
        leaves = tuple(_leaves(error))
        for leaf in leaves:
            if not isinstance(leaf, _TOLD):
                raise leaf from None
        if any(isinstance(leaf, KeyboardInterrupt) for leaf in leaves):
            screen.say("ui.left")
            return 0
        worst = next((leaf for leaf in leaves if isinstance(leaf, BadServer)), leaves[0])
        return _tell(worst, screen, receipts)


_TOLD = (LinkError, LookupError, BadMessage, BadReceipt, OSError, KeyboardInterrupt)
"""Errors that are reported in a sentence; anything else is a bug."""


def _tell(error: BaseException, screen: Screen, receipts: Path | None) -> int:
    if isinstance(error, ServerError):
        screen.write(screen.spoken.say(error.say))
    elif isinstance(error, LinkError) and error.said is not None:
        screen.write(screen.spoken.say(error.said))
        if isinstance(error, BadServer) and receipts is not None:
            screen.say("link.what_now", folder=str(receipts))
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
    return json.dumps(
        value,
        ensure_ascii=False,
        indent=2,
        default=lambda item: item.hex() if isinstance(item, bytes) else str(item),
    )


# --- hosts ----------------------------------------------------------------------------------------


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
        screen.of_title(title["title"])
        screen.write(
            f"{title['title']}  {screen.spoken.name(title['title'])}  ({title['version']})"
        )
        screen.say("cli.seats", seats=tuple(title["seats"]))
        for name, default, choices, rule in title["options"]:
            values = "|".join(_option_value(choice) for choice in choices)
            key = f"option.{title['title']}.{name}"
            words = screen.spoken.text(key) if screen.spoken.has(key) else ""
            screen.write(f"    {name}={values}  [{rule}] ({_option_value(default)})  {words}")


def _option_value(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


async def new(
    where: Where,
    screen: Screen,
    title: str,
    options: dict[str, str],
    *,
    delay_s: int,
    machine: bool,
    unsigned_seats: bool = False,
    clock: Mapping[str, Any] | None = None,
    terms: Mapping[str, Any] | None = None,
) -> bool:
    """Open a game and print its id and a token for each seat."""
    async with where.link() as link:
        created = await link.create(
            title,
            options,
            delay_s=delay_s,
            unsigned_seats=unsigned_seats,
            clock=clock,
            terms=terms,
        )
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


async def replace(
    where: Where, screen: Screen, game: str, seat: str, name: str, *, machine: bool
) -> bool:
    """Let somebody else take over a seat of a game in progress; prints the seat's new token."""
    async with where.link() as link:
        made = await link.replace(game, seat, name)
    if machine:
        screen.data(as_json({"game": game, "seat": seat, "name": name, "token": made}))
    else:
        screen.say("cli.replaced", game=game, seat=seat, id=seat, name=name, token=made)
    return True


async def close(where: Where, screen: Screen, game: str) -> bool:
    """Close a game that was opened by mistake. Returns whether it is closed."""
    async with where.link() as link:
        refusal = await link.close_game(game)
    if refusal is None:
        screen.say("cli.closed", game=game)
        return True
    screen.write(screen.spoken.cited(refusal))
    return False


async def games(where: Where, screen: Screen, stage: str, *, machine: bool) -> bool:
    """List the server's games."""
    async with where.link() as link:
        found = await link.games(stage)
        now_ms = await link.ping()
    if machine:
        screen.data(as_json(found))
        return True
    if not found:
        screen.say("cli.no_games")
    for game in found:
        screen.of_title(str(game.get("title", "")))
        line = screen.spoken.text(
            "cli.game_line",
            game=game["game"],
            title=game.get("title", ""),
            stage=f"cli.stage.{game['stage']}",
            seq=game.get("seq", 0),
            awaits=tuple(game.get("awaits") or ()),
        )
        result = result_of(game, screen.spoken)
        if result:
            line = screen.spoken.text("cli.game_result", line=line, result=result)
        if game.get("deadline_ms"):
            left = face(game["deadline_ms"] - now_ms, screen.spoken)
            line = screen.spoken.text("cli.game_clock", line=line, left=left)
        unsigned = tuple(game.get("unsigned") or ())
        screen.write(
            screen.spoken.text("cli.game_unsigned", line=line, seats=unsigned) if unsigned else line
        )
    return True


def result_of(game: Mapping[str, Any], spoken: Phrases) -> str:
    """How a listed game ended, with the clause; "" for one that has not ended, or whose server uses
    a sentence of the client's own."""
    reason = game.get("reason")
    if game.get("stage") != "ended" or reason is None or is_for_client_alone(reason):
        return ""
    return story.result(game.get("winner"), Say.from_array(reason), spoken).plain


# --- players and spectators -----------------------------------------------------------------------


async def play(
    where: Where, screen: Screen, game: str, seat: str, *, take_over: bool = False
) -> bool:
    """Play a seat from this terminal."""
    async with where.link() as link:
        _tell_lapses(link, screen)
        at = await sit(link, game, await seat_of(link, screen, game, seat), take_over=take_over)
        if screen.plain or not can_edit():
            await Player(at, screen, typed_lines(), scripted=not sys.stdin.isatty()).play()
        else:
            await _play_edited(at, screen)
        await at.finish()
    return True


async def seat_of(link: Link, screen: Screen, game: str, seat: str) -> str:
    """The seat that is meant: by its id, by its name, or, if none is given, the only one of the
    game that the token acts for. Raises LookupError, with what there is."""
    held = tuple(dict.fromkeys(s for role, g, s in link.roles if role == "seat" and g == game))
    if not seat and len(held) == 1:
        return held[0]
    if seat in held:
        return seat
    genesis = (await link.watch(game)).genesis
    screen.of_title(genesis.title)
    if not seat:
        known = held or genesis.seats
        raise LookupError(screen.spoken.text("cli.which_seat", seats=known))
    # An id that is none goes to the server, which knows best why not.
    return named_seat(seat, genesis.seats, screen.spoken) or seat


async def _play_edited(at: Seat, screen: Screen) -> None:
    """Play with an editor for the lines. It is loaded only here: nobody else needs it."""
    from warledger.clients.terminal.completing import completions
    from warledger.clients.terminal.editing import edited

    with edited() as editor:
        player = Player(at, screen, editor.lines(), scripted=False)
        editor.complete = partial(completions, player.hand)
        await player.play()


def _tell_lapses(link: Link, screen: Screen) -> None:
    """Before taking a seat: how often this server let a game lapse once it could know the dice."""
    lapses = link.lapses()
    if lapses:
        screen.say("cli.lapsed_before", n=lapses)


async def watch(
    where: Where,
    screen: Screen,
    game: str,
    start: int,
    *,
    audience: str,
    machine: bool,
    board: bool,
) -> bool:
    """Follow a game to its end and tell its story; as JSON, a line for each record."""
    async with where.link() as link:
        if audience not in ("", PUBLIC, ARBITER):
            audience = await seat_of(link, screen, game, audience)
        seen_game = await link.watch(game, audience or PUBLIC)
        genesis, begun = seen_game.genesis, seen_game.last_seq + 1
        pack = canon.unpack_trusted(genesis.pack)
        screen.of_game(genesis.title, pack, genesis.options, await told_by(link, genesis))
        if not machine:
            screen.about_table(seen_game)
        async for seen in seen_game.after(start - 1):
            if story.begins(seen.record) and not machine and seen.record.seq >= begun:
                screen.about_table(seen_game)
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
                            "story": [
                                line.plain
                                for line in story.tell(seen.record, seen.effects, screen.spoken)
                            ],
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


async def bot(
    where: Where,
    screen: Screen,
    game: str,
    seat: str,
    player: str,
    seed: str,
    command: Sequence[str] = (),
    *,
    takebacks: bool = False,
    take_over: bool = False,
) -> bool:
    """Let a bot play a seat to the game's end: one of ours, or the program that a command runs,
    which sits under the name that it gives itself unless another has been given. With `takebacks`
    it lets the others take back what they ask to."""
    playing = partial(_bot, screen=screen, game=game, take_over=take_over)
    if not command:
        async with where.link() as link:
            # Who cannot play the title must not sit down: the log would have it for ever.
            bot_of(player, (await link.watch(game, PUBLIC)).genesis.title, seed)
            seat = await seat_of(link, screen, game, seat)
        where = where if where.name else changed(where, name=player)
        return await playing(
            where, seat, player, lambda at: play_bot(at, player, seed, takebacks=takebacks)
        )
    try:
        async with started(list(command), screen.spoken.say) as program:
            async with where.link() as link:
                seat = await seat_of(link, screen, game, seat)
                name = await introduce(program, await link.watch(game, seat), seat, seed)
            where = where if where.name else changed(where, name=name)
            called = name or program.name
            return await playing(where, seat, called, lambda at: _program(at, program, takebacks))
    except ProgramFailed as error:
        raise BotRefused(str(error)) from None


async def _program(at: Seat, program: Program, takebacks: bool) -> int:
    """Play a seat with a program. Raises BotRefused for what the program did wrong too: a link
    passes on errors of its own kind."""
    try:
        return await play_program(at, program, takebacks=takebacks)
    except ProgramFailed as error:
        raise BotRefused(str(error)) from None


async def _bot(
    where: Where,
    seat: str,
    player: str,
    play: Callable[[Seat], Awaitable[int]],
    *,
    screen: Screen,
    game: str,
    take_over: bool,
) -> bool:
    """Take the seat and let `play` play it."""
    async with where.link() as link:
        _tell_lapses(link, screen)
        at = await sit(link, game, seat, client="bot", take_over=take_over)
        genesis = at.watch.genesis
        pack = canon.unpack_trusted(genesis.pack)
        screen.of_game(genesis.title, pack, genesis.options, await told_by(link, genesis))
        screen.say("cli.bot_plays", player=player, seat=seat, game=game)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_tell_table, at.watch, screen, seat)
            await play(at)
            nursery.cancel_scope.cancel()
        await at.finish()
        if at.watch.reason is not None:
            screen.tell((story.result(at.watch.winner, at.watch.reason, screen.spoken),))
    return True


async def _tell_table(watch: Watch, screen: Screen, seat: str) -> None:
    """The code of the table, once there is one."""
    try:
        while not watch.begun and not watch.ended:
            await watch.wait()
    except LinkError:
        return
    screen.about_table(watch, seat)


# --- keys of a seat -------------------------------------------------------------------------------


async def device(
    where: Where,
    screen: Screen,
    game: str,
    seat: str,
    *,
    sign: str = "",
    revoke: str = "",
    sure: bool = False,
) -> bool:
    """The keys of a seat: print this device's and how to have it signed; sign another device's;
    revoke one."""
    async with where.link() as link:
        seat = await seat_of(link, screen, game, seat)
        seen = await link.watch(game, seat)
        if seat not in seen.seats:
            raise LookupError(f"{game} has no seat {seat}; its seats are {', '.join(seen.seats)}")
        sitting = seen.acting.seats[seat]
        if sitting.taken is None:
            raise CannotSit(say("cli.device_empty", seat=seat))
        if not sitting.signs:
            raise CannotSit(say("cli.device_unsigned", seat=seat))
        if sign:
            return await _sign_device(await sit(link, game, seat), screen, sign, sure=sure)
        if revoke:
            return await _revoke(await sit(link, game, seat), screen, revoke)
        genesis = seen.genesis.hash
        mine = link.papers(seen).make_key()
        public = mine.verify_key.encode()
        if public in sitting.keys:
            screen.say("cli.device_this", seat=seat, code=acts.key_code(genesis, seat, public))
            for key in sitting.keys:
                if key != public:
                    screen.say(
                        "cli.device_other",
                        seat=seat,
                        code=acts.key_code(genesis, seat, key),
                        key=key.hex(),
                    )
            return True
        signer = min(sitting.keys, key=lambda key: (sitting.keys[key].since, key))
        proof = mine.sign(acts.device_bytes(genesis, seat, public, signer)).signature
        screen.say("cli.device_new", seat=seat, key=public.hex())
        screen.say("cli.device_code", code=acts.key_code(genesis, seat, public))
        screen.say(
            "cli.device_sign",
            game=game,
            seat=seat,
            proof=base64.urlsafe_b64encode(public + proof).decode(),
        )
    return True


async def _sign_device(at: Seat, screen: Screen, text: str, *, sure: bool) -> bool:
    genesis = at.watch.genesis.hash
    try:
        data = base64.urlsafe_b64decode(text)
    except (binascii.Error, ValueError):
        data = b""
    key, proof = data[:KEY_BYTES], data[KEY_BYTES:]
    if not acts.verify(key, acts.device_bytes(genesis, at.seat, key, at.public), proof):
        raise CannotSit(say("cli.device_bad_code"))
    screen.say("cli.device_compare", code=acts.key_code(genesis, at.seat, key))
    if not sure and not await trio.to_thread.run_sync(
        lambda: click.confirm(screen.spoken.text("cli.device_really"))
    ):
        screen.say("cli.device_not")
        return False
    answer = await at.add_device(key, proof)
    if isinstance(answer, Refusal):
        raise CannotSit(answer)
    screen.say("cli.device_signed", seat=at.seat, seq=answer.seq)
    return True


async def _revoke(at: Seat, screen: Screen, text: str) -> bool:
    keys = [
        key for key in at.watch.acting.seats[at.seat].keys if key.hex().startswith(text.casefold())
    ]
    if len(keys) != 1:
        raise CannotSit(say("cli.device_no_key", seat=at.seat, key=text))
    answer = await at.revoke(keys[0])
    if isinstance(answer, Refusal):
        raise CannotSit(answer)
    screen.say("cli.device_revoked", code=acts.key_code(at.watch.genesis.hash, at.seat, keys[0]))
    return True


async def handover(
    where: Where, screen: Screen, game: str, seat: str, key: bytes, name: str
) -> bool:
    """Agree, under this device's key, that somebody else takes over the seat."""
    async with where.link() as link:
        seat = await seat_of(link, screen, game, seat)
        at = await sit(link, game, seat)
        answer = await at.hand_over(name, key)
        if isinstance(answer, Refusal):
            raise CannotSit(answer)
        screen.say("cli.handed", name=name, seat=seat, game=game, id=seat)
    return True
