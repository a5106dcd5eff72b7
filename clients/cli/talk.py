"""Talk at a table."""

from typing import TYPE_CHECKING

import click

from warledger.clients.cli.options import JSON, Request, seat_options
from warledger.protocol.wire.talkmessages import ROOMS

if TYPE_CHECKING:
    from warledger.clients.commands.play.online import Where
    from warledger.clients.terminal.screen import Screen

_LINE = click.IntRange(1)


@click.command()
@click.argument("game")
@click.option("--room", type=click.Choice(ROOMS), default=ROOMS[0], show_default=True)
@click.option("--say", "text", default="", metavar="TEXT", help="Say this.")
@click.option(
    "--seat", default="", help="The seat that says it, by its id or name, if you hold several."
)
@click.option("--follow", is_flag=True, help="Keep reading until Ctrl-C.")
@click.option("--without", multiple=True, metavar="NAME", help="Hide what NAME says.")
@click.option("--report", type=_LINE, metavar="N", help="Show line N to the host and arbiters.")
@click.option("--remove", type=_LINE, metavar="N", help="Host, arbiters: remove line N.")
@click.option("--mute", type=_LINE, metavar="N", help="The same: mute whoever said line N.")
@click.option("--unmute", type=_LINE, metavar="N", help="The same: they may speak again.")
@click.option("--shut/--open", "shut", default=None, help="The same: shut or open the room.")
@JSON
@seat_options
def talk(
    screen: "Screen",
    where: "Where",
    game: str,
    room: str,
    text: str,
    seat: str,
    follow: bool,
    without: tuple[str, ...],
    report: int | None,
    remove: int | None,
    mute: int | None,
    unmute: int | None,
    shut: bool | None,
    machine: bool,
) -> Request:
    """Read what is said at a table, and say something: players among themselves, spectators among
    themselves. It is not part of the game's log and proves nothing; the host and arbiters can read
    it."""
    from warledger.clients.commands.play import talk as talking

    numbered = {"report": report, "remove": remove, "mute": mute, "unmute": unmute}
    acts = [(what, n) for what, n in numbered.items() if n is not None]
    if shut is not None:
        acts.append(("shut" if shut else "open", 0))
    if len(acts) + bool(text) > 1 or (follow and (acts or text)):
        raise click.UsageError("one thing at a time: --say, --follow, or one act about a line")
    act, n = acts[0] if acts else ("", 0)
    wish = talking.Wish(room, seat, text, act, n, follow, without)
    return talking.talk(where, screen, game, wish, machine=machine)
