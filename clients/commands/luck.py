"""`warledger luck`: what was rolled against what was to be expected, from the receipts of games'
dice.

Exit codes: 0 told, 1 a file whose evidence is not sound, 2 wrong usage.
"""

import json
import sys
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import click
from attrs import evolve

from warledger.clients.audit.commands import (
    FILE,
    JSON,
    LANGUAGE,
    read_file,
    say_line,
    spoken_of,
)
from warledger.clients.audit.evidence import Evidence
from warledger.clients.audit.examine import examine
from warledger.clients.audit.report import said
from warledger.engine.tournaments import luck
from warledger.engine.tournaments.luck import Report, Tally, Throw
from warledger.protocol.lang import phrases
from warledger.protocol.phrases import Phrases


@click.command("luck")
@click.argument("files", type=FILE, nargs=-1, required=True, metavar="FILE…")
@click.option("--player", help="Only the dice of the seats that this player held, in all files.")
@JSON
@LANGUAGE
def luck_command(files: tuple[Path, ...], player: str | None, as_json: bool, language: str) -> None:
    """Show for each seat and purpose what was rolled, what was to be expected, and how far apart
    the two are; for several files together, and for one player in all of them."""
    thrown: list[Throw] = []
    spoken = phrases(language)
    sound = True
    over = True
    for path in files:
        found = examine(read_file(path, spoken))
        if len(files) == 1 and found.genesis is not None:
            spoken = spoken_of(found, language)
        for item in found.findings:
            sound = False
            say_line(f"{path}: {said(spoken, item)}", err=True)
        over = over and found.ended
        thrown.extend(_of(found, player))
    made = luck.report(thrown)
    if as_json:
        click.echo(json.dumps(luck.as_data(made), ensure_ascii=False, indent=2))
    else:
        for sentence in told(made, spoken, over=over):
            say_line(sentence)
    sys.exit(0 if sound else 1)


def _of(found: Evidence, player: str | None) -> list[Throw]:
    """A file's dice; those of a player under their name in place of the seat's."""
    thrown = luck.throws(found.records)
    if player is None:
        return thrown
    held = {seat for seat, sitter in found.sitters.items() if sitter.name == player}
    return [evolve(one, seat=player) for one in thrown if one.seat in held]


def told(made: Report, spoken: Phrases, *, over: bool) -> list[str]:
    """The report in sentences."""
    if not made.seats:
        return [spoken.text("cli.luck.none")]
    sentences = [] if over else [spoken.text("cli.luck.so_far")]
    for seat, whole in made.seats.items():
        sentences.append(_line(spoken, "cli.luck.seat", whole, name=seat))
        sentences.extend(
            "  " + _line(spoken, "cli.luck.purpose", part, name=purpose)
            for purpose, part in made.purposes[seat].items()
        )
    for one in made.histograms:
        faces = spoken.text("text.list.comma").join(
            spoken.text("cli.luck.face", face=face, n=count)
            for face, count in enumerate(one.counts, 1)
        )
        sentences.append(spoken.text("cli.luck.histogram", sides=one.sides, faces=faces))
        if one.chance is None:
            sentences.append("  " + spoken.text("cli.luck.too_few"))
        else:
            sentences.append(
                "  "
                + spoken.text(
                    "cli.luck.test",
                    chi_square=_decimal(one.statistic),
                    chance=f"{one.chance * 100:.2f}",
                )
            )
    return sentences


def _line(spoken: Phrases, key: str, one: Tally, *, name: str) -> str:
    return spoken.text(
        key,
        name=name,
        n=one.count,
        mean=_decimal(one.mean),
        expected=_decimal(one.expected / one.count),
        deviations=f"{one.deviations:+.2f}".replace("-", "\N{MINUS SIGN}"),
    )


def _decimal(value: Fraction) -> str:
    return f"{Decimal(value.numerator) / Decimal(value.denominator):.2f}"
