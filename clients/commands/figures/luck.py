"""`warledger luck`: what was rolled against what was to be expected, from the receipts of games'
dice.

Exit codes: 0 told, 1 a file whose evidence is not sound, 2 wrong usage.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import click
from attrs import evolve as replace

from warledger.clients.audit.audit import audit, installed
from warledger.clients.audit.commands import (
    FILE,
    JSON,
    LANGUAGE,
    read_file,
    say_line,
    spoken_of,
)
from warledger.clients.audit.evidence import Evidence
from warledger.clients.audit.verdict import UNSOUND, Verdict, compose
from warledger.clients.cli.options import DataFolder
from warledger.clients.describing import of_genesis
from warledger.protocol import fortune, luck
from warledger.protocol.board.choices import Say
from warledger.protocol.fortune import Fought
from warledger.protocol.lang import phrases
from warledger.protocol.luck import Report, Tally, Throw
from warledger.protocol.texts.phrases import Phrases


@click.command("luck")
@click.argument("files", type=FILE, nargs=-1, metavar="FILE…")
@click.option(
    "--data",
    type=DataFolder(exists=True),
    help="Every game that is over in this data directory, instead of files.",
)
@click.option("--player", help="Only the dice of the seats that this player held, in all files.")
@JSON
@LANGUAGE
def luck_command(
    files: tuple[Path, ...], data: Path | None, player: str | None, as_json: bool, language: str
) -> None:
    """Show for each seat and purpose what was rolled, what was expected, and how far apart they
    are, in dice and what combats came to. Several files are taken together, or all games of a
    server, and one player in all of them."""
    thrown: list[Throw] = []
    combats: list[Fought] = []
    spoken = phrases(language)
    words: dict[str, Phrases] = {}
    sides: dict[str, str] = {}
    purposes: dict[str, Phrases] = {}
    sound = True
    over = True
    if bool(files) == (data is not None):
        raise click.UsageError(spoken.text("cli.luck.use"))
    games = _of_server(data) if data is not None else _of_files(files, spoken)
    verdicts: list[Verdict] = []
    # The server has decided its own games itself.
    rulebook = installed() if data is None else None
    for path, contents in games:
        report, found = audit(contents, rulebook=rulebook)
        if len(files) == 1 and found.genesis is not None:
            spoken = spoken_of(found, language)
        if report.code() == UNSOUND:
            sound = False
            for text in report.verdict.problems(spoken):
                say_line(f"{path}: {text}", err=True)
            continue
        verdicts.append(report.verdict.of_game(report.game))
        over = over and found.ended
        of_game = _of(found, player)
        thrown.extend(of_game)
        combats.extend(_fought(found, player, apart=len(files) != 1))
        if found.genesis is not None:
            own = words[found.genesis.game] = spoken_of(found, language)
            title = found.genesis.title
            for seat in found.genesis.seats:
                sides[seat] = own.name(seat)
                sides[f"{seat} ({title})"] = f"{own.name(seat)} ({own.name(title)})"
            purposes |= {one.purpose: own for one in of_game}
    made = luck.report(thrown)
    verdict = compose(verdicts[0], verdicts[1:]) if verdicts else None
    if as_json:
        of_files = None if verdict is None else verdict.as_data(spoken)
        both = {**luck.as_data(made), "combats": fortune.as_data(combats), "verdict": of_files}
        click.echo(json.dumps(both, ensure_ascii=False, indent=2))
    else:
        if verdict is not None:
            say_line(spoken.say(verdict.meaning()))
        for sentence in told(made, spoken, sides, purposes, over=over):
            say_line(sentence)
        for sentence in told_combats(combats, spoken, words, sides):
            say_line(sentence)
    sys.exit(0 if sound else 1)


def _of_files(files: tuple[Path, ...], spoken: Phrases) -> Iterator[tuple[str, bytes]]:
    for path in files:
        yield str(path), read_file(path, spoken)


def _of_server(data: Path) -> Iterator[tuple[str, bytes]]:
    """The games of a data directory in which nothing is hidden any more, also while a server runs
    on it."""
    from warledger.engine.runtime.game.gameexport import export_game
    from warledger.engine.store.files import datadir
    from warledger.engine.store.port import StoreError
    from warledger.protocol.log import records, wlog
    from warledger.protocol.log.bodies import closes_log

    for game in datadir.all_games(data):
        try:
            frames = datadir.read_game(data, game)
            logged = [frame.payload for frame in frames if frame.kind == wlog.FRAME_RECORD]
            if logged and closes_log(records.read(logged[-1], trusted=True)):
                yield game, export_game(frames)
        except (StoreError, ValueError) as error:
            raise click.UsageError(f"{game}: {error}") from error


def _fought(found: Evidence, player: str | None, *, apart: bool) -> list[Fought]:
    """A file's combats; those of a player under their name in place of the seat's. Those of several
    games are kept apart by the game in their span."""
    if found.genesis is None:
        return []
    fought = fortune.of_log(of_genesis(found.genesis).told, found.records)
    if apart:
        title, game = found.genesis.title, ("game", found.genesis.game)
        seats = {one.seat for one in fought}
        named = {seat: f"{seat} ({title})" for seat in seats}
        fought = [
            replace(one, seat=named[one.seat], span=(one.span[0], (*one.span[1], game)))
            if player is None
            else replace(one, span=(one.span[0], (*one.span[1], game)))
            for one in fought
        ]
    if player is None:
        return fought
    held = {seat for seat, sitter in found.sitters.items() if sitter.name == player}
    return [replace(one, seat=player) for one in fought if one.seat in held]


def told_combats(
    combats: list[Fought],
    spoken: Phrases,
    words: Mapping[str, Phrases],
    sides: Mapping[str, str],
) -> Iterator[str]:
    """What combats came to, in sentences. The luckiest are with their places, in the words of each
    game's own title, and with the game where there are several. `sides` are seats as they are
    printed."""
    for (seat, unit), tally in fortune.by_seat(combats).items():
        yield spoken.text(
            "cli.luck.combats",
            name=sides.get(seat, seat),
            got=spoken.text(unit, n=tally.total),
            expected=printed(tally.expected),
            deviations=_signed(tally),
        )
    lucky = fortune.luckiest(combats)
    if lucky:
        yield spoken.text("cli.luck.luckiest")
    for fought in lucky:
        game = dict(fought.span[1]).get("game")
        own = words.get(str(game), spoken)
        where = own.say(Say(fought.span[0], fought.span[1]))
        yield "  " + spoken.text(
            "cli.luck.lucky",
            where=where if game is None else f"{game}: {where}",
            seq=fought.seq,
            name=sides.get(fought.seat, fought.seat),
            got=spoken.text(fought.unit, n=fought.tally.total),
            expected=printed(fought.tally.expected),
        )


def _of(found: Evidence, player: str | None) -> list[Throw]:
    """A file's dice; those of a player under their name in place of the seat's."""
    thrown = luck.throws(found.records)
    if player is None:
        return thrown
    held = {seat for seat, sitter in found.sitters.items() if sitter.name == player}
    return [replace(one, seat=player) for one in thrown if one.seat in held]


def told(
    made: Report,
    spoken: Phrases,
    sides: Mapping[str, str],
    purposes: Mapping[str, Phrases],
    *,
    over: bool,
) -> list[str]:
    """The report in sentences. `sides` are seats as they are printed. What dice were for is told in
    the words of the title that asked for them."""
    if not made.seats:
        return [spoken.text("cli.luck.none")]
    sentences = [] if over else [spoken.text("cli.luck.so_far")]
    for seat, whole in made.seats.items():
        sentences.append(_line(spoken, "cli.luck.seat", whole, name=sides.get(seat, seat)))
        sentences.extend(
            "  " + _line(spoken, "cli.luck.purpose", part, name=purposes[purpose].name(purpose))
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
                    chi_square=printed(one.statistic),
                    chance=f"{one.chance * 100:.2f}",
                )
            )
    return sentences


def _line(spoken: Phrases, key: str, one: Tally, *, name: str) -> str:
    return spoken.text(
        key,
        name=name,
        n=one.count,
        mean=printed(one.mean),
        expected=printed(one.expected / one.count),
        deviations=_signed(one),
    )


def _signed(one: Tally) -> str:
    return f"{one.deviations:+.2f}".replace("-", "\N{MINUS SIGN}")


def printed(value: Fraction) -> str:
    """A number with two decimal places, and a minus sign where it is below zero."""
    decimal = Decimal(value.numerator) / Decimal(value.denominator)
    return f"{decimal:.2f}".replace("-", "\N{MINUS SIGN}")
