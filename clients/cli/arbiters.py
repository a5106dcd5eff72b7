"""Claim that a record is wrong, and rule on claims."""

from typing import TYPE_CHECKING

import click
from attrs import evolve as replace

from warledger.clients.cli.options import (
    JSON,
    Request,
    seat_options,
    token_options,
)

if TYPE_CHECKING:
    from warledger.clients.commands.play.online import Where
    from warledger.clients.terminal.screen import Screen

_NUMBER = click.IntRange(0)


@click.command()
@click.argument("game")
@click.option(
    "--seat", default="", help="The seat that claims, by its id or name; default: the token's."
)
@click.option("--at", "at_seq", type=_NUMBER, help="The record that is wrong.")
@click.option("--clause", default="", help="The clause of the rules that it breaks.")
@click.option("--text", default="", help="What you have to say. The log keeps it.")
@click.option("--say", "said", type=_NUMBER, metavar="CLAIM", help="Say more about a claim.")
@click.option("--appeal", type=_NUMBER, metavar="CLAIM", help="Appeal against a ruling.")
@click.option("--withdraw", type=_NUMBER, metavar="CLAIM", help="Withdraw a claim of yours.")
@click.option("--waive", is_flag=True, help="Lodge no protest against an end that is held.")
@seat_options
def claim(
    screen: "Screen",
    where: "Where",
    game: str,
    seat: str,
    at_seq: int | None,
    clause: str,
    text: str,
    said: int | None,
    appeal: int | None,
    withdraw: int | None,
    waive: bool,
) -> Request:
    """Claim that a record of a game is wrong, for an arbiter to rule on. Or say more about a claim,
    withdraw it, appeal against the ruling, or say that you lodge no protest. Your seat signs it."""
    from warledger.clients.commands.play import arbiters

    given = [one for one in (at_seq, said, appeal, withdraw) if one is not None]
    if len(given) + waive != 1:
        raise click.UsageError("give one of --at, --say, --appeal, --withdraw and --waive")
    if withdraw is None and not waive and not text:
        raise click.UsageError("say what you mean: --text")
    if at_seq is not None and not clause:
        raise click.UsageError("name the clause that was broken: --clause")
    what = arbiters.Word(at_seq, clause, text, said, appeal, withdraw, waive)
    return arbiters.claim(where, screen, game, seat, what)


@click.command()
@click.argument("game")
@click.argument("number", metavar="CLAIM", type=_NUMBER)
@click.option(
    "--name",
    required=True,
    help="Your name in the log: the handle of your account, if you have one.",
)
@click.option(
    "--at",
    "at_seq",
    type=_NUMBER,
    help="Make this claim yourself, with --clause and --text: the record that is wrong.",
)
@click.option("--hear", is_flag=True, help="Take the claim up. This stops the clocks.")
@click.option("--freeze", is_flag=True, help="Freeze the game until you have ruled.")
@click.option("--say", "said", default="", metavar="TEXT", help="Say something about the claim.")
@click.option("--thaw", is_flag=True, help="Let the game go on.")
@click.option(
    "--finding", type=click.Choice(["upheld", "rejected", "in part"]), help="Your ruling."
)
@click.option("--clause", default="", help="The clause that it rests on.")
@click.option("--text", default="", help="Your reasons. Everybody can read them.")
@click.option(
    "--remedy",
    "remedies",
    multiple=True,
    help='What is done; may be repeated: "stand", "back RECORD", "time SEAT 10m", "correct '
    'PICK …", "forfeit SEAT", "draw", "adjudicate SEAT" (or nobody), "warn SEAT", "penalty SEAT '
    'TEXT", "replace SEAT". Default: stand.',
)
@click.option(
    "--preview",
    is_flag=True,
    help="Show every record that the ruling would write now, and write nothing.",
)
@token_options("the arbiter's or host's")
def rule(
    screen: "Screen",
    where: "Where",
    game: str,
    number: int,
    name: str,
    at_seq: int | None,
    hear: bool,
    freeze: bool,
    said: str,
    thaw: bool,
    finding: str | None,
    clause: str,
    text: str,
    remedies: tuple[str, ...],
    preview: bool,
) -> Request:
    """Rule on a claim, with an arbiter's or the host's token: make it yourself, hear it, freeze the
    game, say something, rule, and let the game go on. The steps that you request are taken in this
    order. CLAIM 0 is a flag that has frozen the game; a claim of your own has the number after the
    last one's.

    With --preview nothing is written. It shows every record that a ruling with this finding and
    these remedies would write now, or why it would be refused. It also shows how the game would
    then stand. A clause and text may be left out; of a correction that is not whole ("correct"
    alone) it shows what can come next."""
    from warledger.clients.commands.play import arbiters

    where = replace(where, name=name)
    if preview and (finding is None or at_seq is not None or hear or freeze or said):
        raise click.UsageError("--preview needs --finding, and a claim that you hear already")
    if preview:
        clause, text = clause or arbiters.UNSAID, text or arbiters.UNSAID
    if at_seq is not None and finding is not None:
        raise click.UsageError("make the claim first, and rule on it with another command")
    if finding is None and (remedies or ((clause or text) and at_seq is None)):
        raise click.UsageError("a ruling needs --finding")
    if (finding is not None or at_seq is not None) and not (clause and text):
        what = "a claim" if finding is None else "a ruling"
        raise click.UsageError(f"{what} needs --clause and --text")
    if not (at_seq is not None or hear or freeze or said or thaw or finding):
        raise click.UsageError("give --at, --hear, --freeze, --say, --finding or --thaw")
    try:
        found = arbiters.remedies_of(remedies or ("stand",), whole=not preview)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    ruling = (finding, clause, text)
    steps = arbiters.steps(
        number,
        at_seq=at_seq,
        hear=hear,
        freeze=freeze,
        thaw=thaw,
        ruling=ruling,
        of=found,
        said=said,
    )
    if preview:
        ruled = arbiters.ruled(number, ruling, found)
        return arbiters.preview(where, screen, game, ruled)
    return arbiters.rule(where, screen, game, steps)


@click.command()
@click.argument("game")
@click.argument("picks", nargs=-1)
@click.option("--seat", required=True, help="The seat whose choices are shown, by its id or name.")
@click.option("--at", "at_seq", type=click.IntRange(0), required=True, help="After which record.")
@click.option(
    "--name",
    required=True,
    help="Your name in the log: the handle of your account, if you have one.",
)
@token_options("the arbiter's or host's")
def look(
    screen: "Screen",
    where: "Where",
    game: str,
    picks: tuple[str, ...],
    seat: str,
    at_seq: int,
    name: str,
) -> Request:
    """Show what a seat was offered after a record and PICKS, or why these were refused. In a game
    in progress this is recorded in the log. The token is an arbiter's or the host's."""
    from warledger.clients.commands.play import arbiters

    where = replace(where, name=name)
    return arbiters.look(where, screen, game, seat, at_seq, picks)


@click.command()
@click.option(
    "--within",
    default="1h",
    show_default=True,
    metavar="TIME",
    help="List flags that fall within this time.",
)
@click.option(
    "--quiet",
    default="14d",
    show_default=True,
    metavar="TIME",
    help="List games without clocks in which nothing has happened for this long.",
)
@JSON
@token_options("the arbiter's, host's or director's")
def desk(
    screen: "Screen",
    where: "Where",
    within: str,
    quiet: str,
    machine: bool,
) -> Request:
    """List what needs your attention, the most urgent first: frozen games, claims, ends that are
    held, flags about to fall, games that stand still. Of a tournament that you direct it also lists
    claims, who has not come to their board, and sides to be settled. The token is an arbiter's, a
    host's or a tournament director's."""
    from warledger.clients.clockface import duration
    from warledger.clients.commands.play import desk as queue

    try:
        within_ms, quiet_ms = duration(within), duration(quiet)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    return queue.desk(where, screen, within_ms=within_ms, quiet_ms=quiet_ms, machine=machine)
