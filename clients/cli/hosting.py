"""Lists and games of a server: what can be played, what is played, and who plays it."""

import sys
from pathlib import Path

import click

from warledger.clients.cli.options import (
    JSON,
    need_token,
    options_of,
    screen_of,
    screen_options,
    server_options,
    token_option,
    where_of,
)


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
    server: str | None, tls: bool, tls_ca: Path | None, machine: bool, lang: str, plain: bool
) -> None:
    """List what can be played, with options; --json adds the provenance of the data."""
    screen = screen_of(lang, plain)
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
@server_options
@token_option
@JSON
def new(
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
    server: str,
    tls: bool,
    tls_ca: Path | None,
    token: str,
    machine: bool,
) -> None:
    """Create a game (with the host's token). Prints its id and a token for each seat."""
    from warledger.clients.commands.play import online

    token = need_token(token, "the host's", server)
    screen, where, chosen = screen_of(), where_of(server, tls, tls_ca, token), options_of(options)
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
    sys.exit(
        online.run(
            lambda: online.new(
                where,
                screen,
                title,
                chosen,
                delay_s=delay,
                machine=machine,
                unsigned_seats=unsigned_seats,
                clock=pace,
                terms=terms,
            ),
            screen,
        )
    )


@click.command()
@click.argument("game")
@click.argument("seat")
@server_options
@token_option
@JSON
def token(
    game: str, seat: str, server: str, tls: bool, tls_ca: Path | None, token: str, machine: bool
) -> None:
    """Replace a seat's lost token (with the host's token). The old token becomes invalid."""
    from warledger.clients.commands.play import online

    token = need_token(token, "the host's", server)
    screen, where = screen_of(), where_of(server, tls, tls_ca, token)
    sys.exit(online.run(lambda: online.token(where, screen, game, seat, machine=machine), screen))


@click.command()
@click.argument("game")
@click.argument("seat")
@click.option("--name", required=True, help="The new player's name in the game's log.")
@server_options
@token_option
@JSON
def replace(
    game: str,
    seat: str,
    name: str,
    server: str,
    tls: bool,
    tls_ca: Path | None,
    token: str,
    machine: bool,
) -> None:
    """Let somebody else take over a seat of a game in progress (with the host's token). Prints the
    seat's new token."""
    from warledger.clients.commands.play import online

    token = need_token(token, "the host's", server)
    screen, where = screen_of(), where_of(server, tls, tls_ca, token)
    sys.exit(
        online.run(lambda: online.replace(where, screen, game, seat, name, machine=machine), screen)
    )


@click.command()
@click.argument("game")
@server_options
@token_option
@screen_options
def close(
    game: str, server: str, tls: bool, tls_ca: Path | None, token: str, lang: str, plain: bool
) -> None:
    """Close a game that was opened by mistake (with the host's token), while it has an empty
    seat."""
    from warledger.clients.commands.play import online

    token = need_token(token, "the host's", server)
    screen, where = screen_of(lang, plain), where_of(server, tls, tls_ca, token)
    sys.exit(online.run(lambda: online.close(where, screen, game), screen))


@click.command()
@click.option(
    "--stage",
    type=click.Choice(["gathering", "playing", "ended"]),
    default=None,
    help="Only games at this stage.",
)
@click.option("--mine", is_flag=True, help="Your own games: those first that wait for you.")
@server_options
@token_option
@JSON
@screen_options
def games(
    stage: str | None,
    mine: bool,
    server: str,
    tls: bool,
    tls_ca: Path | None,
    token: str,
    machine: bool,
    lang: str,
    plain: bool,
) -> None:
    """List the server's games."""
    from warledger.clients.commands.play import online

    if mine:
        from warledger.clients.commands.play import account

        own = where_of(server, tls, tls_ca, need_token(token, "your account's", server))
        spoken = screen_of(lang, plain)
        sys.exit(online.run(lambda: account.mine(own, spoken, machine=machine), spoken))
    screen, where = screen_of(lang, plain), where_of(server, tls, tls_ca)
    sys.exit(online.run(lambda: online.games(where, screen, stage or "", machine=machine), screen))
