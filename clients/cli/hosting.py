"""Lists and games of a server: what can be played, what is played, and who plays it."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
from attrs import evolve as changed

from warledger.clients.cli.options import (
    JSON,
    Request,
    need_token,
    options_of,
    screen_options,
    token_options,
    visitor_options,
    where_of,
)

if TYPE_CHECKING:
    from warledger.clients.commands.play.online import Where
    from warledger.clients.terminal.screen import Screen


@click.command()
@click.option(
    "--server",
    default=None,
    envvar="WARLEDGER_SERVER",
    metavar="HOST:PORT",
    help="Ask this server; default: the titles installed here.",
)
@click.option("--tls", is_flag=True, help="Use TLS.")
@click.option(
    "--tls-ca",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Use TLS and trust this certificate.",
)
@JSON
@screen_options
def titles(
    screen: "Screen", server: str | None, tls: bool, tls_ca: Path | None, machine: bool
) -> None:
    """List what can be played, with options; --json adds the provenance of the data."""
    if server is None:
        from warledger.clients.commands.play.online import show_titles
        from warledger.clients.commands.server.servercommands import installed_titles

        show_titles(installed_titles(), screen, machine=machine)
        return
    from warledger.clients.commands.play import online

    where = where_of(server, tls, tls_ca)
    sys.exit(online.run(lambda: online.titles(where, screen, machine=machine), screen))


@click.command()
@click.argument("title")
@click.option(
    "--option",
    "options",
    multiple=True,
    metavar="NAME=VALUE",
    help="An option of the title; may be repeated.",
)
@click.option(
    "--delay",
    type=click.IntRange(0, 86400),
    default=0,
    show_default=True,
    metavar="SECONDS",
    help="Delay what spectators see.",
)
@click.option(
    "--clock",
    default="",
    metavar="PACE",
    help="Play with clocks: live, evening, fast, slow, mail, or a TOML file with your own.",
)
@click.option(
    "--arbiter",
    "arbiters",
    multiple=True,
    metavar="NAME",
    help="An arbiter, by the handle of their account or the name of their token: nobody else may "
    "rule on claims; may be repeated.",
)
@click.option(
    "--recuse",
    "recused",
    multiple=True,
    metavar="NAME",
    help="Somebody who may not rule on claims, named likewise; may be repeated.",
)
@click.option("--stop-at-claim", is_flag=True, help="A claim stops the clocks as it is made.")
@click.option(
    "--protest",
    default="",
    metavar="TIME",
    help='Hold the end for this long, such as "48h", so that a protest may be lodged.',
)
@click.option("--rated", is_flag=True, help="The game counts for ratings.")
@click.option(
    "--unsigned-seats",
    is_flag=True,
    help="Allow seats to be taken without a key, from pages on plain http; they sign nothing.",
)
@token_options("the host's")
@JSON
def new(
    screen: "Screen",
    where: "Where",
    title: str,
    options: tuple[str, ...],
    delay: int,
    clock: str,
    arbiters: tuple[str, ...],
    recused: tuple[str, ...],
    stop_at_claim: bool,
    protest: str,
    rated: bool,
    unsigned_seats: bool,
    machine: bool,
) -> Request:
    """Create a game (with the host's token). Prints its id and a token for each seat."""
    from warledger.clients.commands.play import online

    chosen = options_of(options)
    pace = None
    terms: dict[str, object] = {"rated": rated}
    if arbiters or recused or stop_at_claim:
        rules = {"recused": recused, "stop": "claim" if stop_at_claim else "heard"}
        terms["desk"] = (arbiters, rules)
    if protest:
        from warledger.clients.clockface import duration

        try:
            terms["protest_ms"] = duration(protest)
        except ValueError as error:
            raise click.UsageError(str(error)) from error
    if clock:
        from warledger.clients.clockface import control
        from warledger.protocol.clocks.clockcontrol import BadControl

        try:
            pace = control(clock)
        except (BadControl, OSError) as error:
            screen.say("cli.clock_bad", what=str(error))
            sys.exit(2)
    return online.new(
        where,
        screen,
        title,
        chosen,
        delay_s=delay,
        machine=machine,
        unsigned_seats=unsigned_seats,
        clock=pace,
        terms=terms,
    )


@click.command()
@click.argument("game")
@click.argument("seat")
@token_options("the host's")
@JSON
def token(screen: "Screen", where: "Where", game: str, seat: str, machine: bool) -> Request:
    """Replace a seat's lost token (with the host's token). The old token becomes invalid."""
    from warledger.clients.commands.play import online

    return online.token(where, screen, game, seat, machine=machine)


@click.command()
@click.argument("game")
@click.argument("seat")
@click.option("--name", required=True, help="The new player's name in the game's log.")
@token_options("the host's")
@JSON
def replace(
    screen: "Screen", where: "Where", game: str, seat: str, name: str, machine: bool
) -> Request:
    """Let somebody else take over a seat of a game in progress (with the host's token). Prints the
    seat's new token."""
    from warledger.clients.commands.play import online

    return online.replace(where, screen, game, seat, name, machine=machine)


@click.command()
@click.argument("game")
@token_options("the host's")
def close(screen: "Screen", where: "Where", game: str) -> Request:
    """Close a game that was opened by mistake (with the host's token), while it has an empty
    seat."""
    from warledger.clients.commands.play import online

    return online.close(where, screen, game)


@click.command()
@click.option(
    "--stage",
    type=click.Choice(["gathering", "playing", "ended"]),
    default=None,
    help="Only games at this stage.",
)
@click.option("--mine", is_flag=True, help="Your own games: those first that wait for you.")
@visitor_options
@JSON
def games(
    screen: "Screen", where: "Where", stage: str | None, mine: bool, machine: bool
) -> Request:
    """List the server's games."""
    from warledger.clients.commands.play import online

    if mine:
        from warledger.clients.commands.play import account

        token = need_token(where.token, "your account's", where.server)
        return account.mine(changed(where, token=token), screen, machine=machine)
    return online.games(changed(where, token=""), screen, stage or "", machine=machine)
