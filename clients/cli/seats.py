"""Play a seat, watch a game, and manage a seat's keys."""

import shlex
import sys
from typing import TYPE_CHECKING

import click
from attrs import evolve as replace

from warledger.clients.cli.options import (
    JSON,
    Request,
    need_token,
    seat_options,
    visitor_options,
)
from warledger.protocol.audience import ARBITER

if TYPE_CHECKING:
    from warledger.clients.commands.play.online import Where
    from warledger.clients.terminal.screen import Screen

TAKE_OVER = click.option(
    "--take-over",
    is_flag=True,
    help="Take over a seat that somebody else has played. The log records this permanently.",
)


@click.command()
@click.argument("game")
@click.option(
    "--seat", default="", help="The seat to play, by its id or name; default: the token's."
)
@click.option("--name", default="", help="Your name in the game's log.")
@TAKE_OVER
@seat_options
def play(
    screen: "Screen",
    where: "Where",
    game: str,
    seat: str,
    name: str,
    take_over: bool,
) -> Request:
    """Play a seat in this terminal. Type `help` there."""
    from warledger.clients.commands.play import online

    where = replace(where, name=name)
    return online.play(where, screen, game, seat, take_over=take_over)


@click.command()
@click.argument("game")
@click.option(
    "--from",
    "start",
    type=click.IntRange(0),
    default=0,
    metavar="SEQ",
    help="Tell the story from this record on.",
)
@click.option(
    "--as",
    "audience",
    default="",
    metavar="SEAT|arbiter",
    help="With a token: see what a seat or an arbiter sees.",
)
@click.option("--board/--no-board", default=True, help="Draw the board at each turn.")
@visitor_options
@JSON
def watch(
    screen: "Screen",
    where: "Where",
    game: str,
    start: int,
    audience: str,
    board: bool,
    machine: bool,
) -> Request:
    """Follow a game, live or from its beginning, until it ends. Every record is verified as it
    arrives."""
    from warledger.clients.commands.play import online

    if audience not in ("", "public"):
        whose = "the arbiter's or host's" if audience == ARBITER else "the seat's"
        where = replace(where, token=need_token(where.token, whose, where.server))
    return online.watch(where, screen, game, start, audience=audience, machine=machine, board=board)


@click.command()
@click.argument("game")
@click.option(
    "--seat", default="", help="The seat to play, by its id or name; default: the token's."
)
@click.option(
    "--player",
    default="captain",
    show_default=True,
    metavar="NAME",
    help="random, captain, or the name of a player that is installed (docs/bots.md).",
)
@click.option(
    "--exec",
    "program",
    default="",
    metavar="PROGRAM",
    help="Let this program choose, over lines of JSON on its input and output (docs/bots.md); "
    'with its arguments in one text: --exec "python3 bot.py".',
)
@click.option("--seed", default="", help="Seed of the bot's choices; default: the game's id.")
@click.option(
    "--name",
    default="",
    help="The bot's name in the game's log; default: what the program calls itself, or the kind of "
    "player.",
)
@click.option(
    "--takebacks",
    is_flag=True,
    help="Let the others take back what they ask to; otherwise the bot declines every request.",
)
@TAKE_OVER
@seat_options
def bot(
    screen: "Screen",
    where: "Where",
    game: str,
    seat: str,
    player: str,
    program: str,
    seed: str,
    name: str,
    takebacks: bool,
    take_over: bool,
) -> Request:
    """Let a bot play a seat to the end of the game: one of ours, or with --exec any program."""
    from warledger.clients.bots import known
    from warledger.clients.commands.play import online

    if player not in known.names():
        raise click.UsageError(
            f"--player {player}: there is no such player; known are: {', '.join(known.names())}"
        )
    try:
        command = shlex.split(program)
    except ValueError as error:
        raise click.UsageError(f"--exec: {error}") from error
    if program and not command:
        raise click.UsageError("--exec: name a program")
    where = replace(where, name=name)
    try:
        code = online.run(
            lambda: online.bot(
                *(where, screen, game, seat, player, seed or game, command),
                takebacks=takebacks,
                take_over=take_over,
            ),
            screen,
            where.receipts,
        )
    except known.NoSuchPlayer as error:
        raise click.UsageError(str(error)) from error
    sys.exit(code)


@click.command()
@click.argument("game")
@click.option("--seat", default="", help="The seat, by its id or name; default: the token's.")
@click.option(
    "--sign",
    default="",
    metavar="CODE",
    help="Sign another device of yours, with the code that `warledger device` printed there.",
)
@click.option(
    "--revoke",
    default="",
    metavar="KEY",
    help="Revoke a key of the seat, given by its first digits.",
)
@click.option("--yes", "sure", is_flag=True, help="Confirm that the codes have been compared.")
@seat_options
def device(
    screen: "Screen",
    where: "Where",
    game: str,
    seat: str,
    sign: str,
    revoke: str,
    sure: bool,
) -> Request:
    """Add a device to a seat. Prints this device's key, and what to sign on the device that plays
    the seat."""
    from warledger.clients.commands.play import online

    if sign and revoke:
        raise click.UsageError("give --sign or --revoke, not both")
    return online.device(where, screen, game, seat, sign=sign, revoke=revoke, sure=sure)


@click.command()
@click.argument("game")
@click.option("--seat", default="", help="Your seat, by its id or name; default: the token's.")
@click.option(
    "--to",
    "key",
    required=True,
    metavar="KEY",
    help="The new player's key, as printed by their `warledger device`.",
)
@click.option("--name", required=True, help="The new player's name in the game's log.")
@seat_options
def handover(
    screen: "Screen",
    where: "Where",
    game: str,
    seat: str,
    key: str,
    name: str,
) -> Request:
    """Sign that somebody else takes over your seat, so that the whole game remains evidence."""
    from warledger.clients.commands.play import online

    try:
        newcomer = bytes.fromhex(key)
    except ValueError:
        newcomer = b""
    if len(newcomer) != 32:
        raise click.UsageError(screen.spoken.text("cli.key_digits"))
    return online.handover(where, screen, game, seat, newcomer, name)
