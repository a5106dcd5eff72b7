"""`warledger analyse`: who would win from the beginning of each turn, by games that captains play
on.

Exit codes: 0 done, 1 a file that cannot be played on or an analysis of another game, 2 wrong usage.
"""

import json
import sys
import time
from contextlib import closing
from pathlib import Path

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from warledger.clients.audit.audit import audit, installed
from warledger.clients.audit.commands import (
    FILE,
    JSON,
    LANGUAGE,
    read_file,
    say_line,
    spoken_of,
)
from warledger.clients.audit.odds import Unfit, beside, lines, read_beside
from warledger.clients.audit.verdict import UNSOUND
from warledger.clients.cli.options import DataFolder
from warledger.clients.terminal.visible import Console, line
from warledger.protocol.analysis import ROLLOUTS_MAX, Analysis, BadAnalysis
from warledger.protocol.lang import phrases
from warledger.protocol.log.records import CorruptLog
from warledger.protocol.texts.phrases import Phrases

SAVE_SECONDS = 2.0
"""What is lost at most when the machine stops, beyond the games that are being played."""


@click.command("analyse")
@click.argument("file", type=FILE)
@click.option(
    "--rollouts",
    type=click.IntRange(1, ROLLOUTS_MAX),
    default=8,
    show_default=True,
    metavar="N",
    help="How many games are played from the beginning of each turn.",
)
@click.option(
    "--processes",
    type=click.IntRange(1, 256),
    metavar="N",
    help="How many play at a time; default: one for each core.",
)
@click.option(
    "--data",
    type=DataFolder(exists=True),
    help="Also put the curve into this data directory, so that its server shows it.",
)
@JSON
@LANGUAGE
def analyse_command(
    file: Path,
    rollouts: int,
    processes: int | None,
    data: Path | None,
    as_json: bool,
    language: str,
) -> None:
    """Continue a finished game from the beginning of each turn with captains on both sides. How
    often each side wins is stored beside the file (GAME.analysis.json). If it is interrupted, it
    resumes where it stopped; with a larger N it plays only what is missing."""
    from warledger.clients.bots.analyst import begun, results, tasks, with_result
    from warledger.clients.bots.branch import NoBranch

    spoken = phrases(language)
    contents = read_file(file, spoken)
    report, found = audit(contents, rulebook=installed(), workers=None)
    spoken = spoken_of(found, language)
    if report.code() == UNSOUND:
        for text in report.verdict.problems(spoken):
            say_line(text, err=True)
        sys.exit(1)
    say_line(spoken.say(report.verdict.meaning()), err=True)
    path = beside(file)
    try:
        fresh = begun(found)
        kept = read_beside(file, found.records)
        analysis = fresh if kept is None else kept
        todo = tasks(analysis, rollouts)
        console = Console(stderr=True)
        with (
            _progress(console, spoken) as shown,
            closing(results(contents, todo, processes)) as run,
        ):
            bar = shown.add_task("", total=len(todo))
            saved = time.monotonic()
            try:
                for task, result in run if todo else ():
                    analysis = with_result(analysis, task, result)
                    shown.advance(bar)
                    if time.monotonic() - saved >= SAVE_SECONDS:
                        _write(path, analysis)
                        saved = time.monotonic()
            finally:
                _write(path, analysis)
    except (NoBranch, CorruptLog, BadAnalysis) as error:
        say_line(spoken.text("cli.analyse.cannot", file=line(str(file)), what=str(error)), err=True)
        sys.exit(1)
    except Unfit as error:
        say_line(spoken.text("cli.analyse.unfit", file=line(str(error))), err=True)
        sys.exit(1)
    except KeyError as error:
        say_line(spoken.text("cli.analyse.no_title", title=str(error.args[0])), err=True)
        sys.exit(1)
    except OSError as error:
        what = error.strerror or str(error)
        say_line(spoken.text("cli.analyse.cannot", file=line(str(path)), what=what), err=True)
        sys.exit(1)
    if data is not None:
        from warledger.engine.serve.games.analyses import Misplaced, put

        try:
            put(data, analysis)
        except (Misplaced, OSError) as error:
            where = line(str(data))
            say_line(spoken.text("cli.analyse.cannot", file=where, what=str(error)), err=True)
            sys.exit(1)
    if as_json:
        click.echo(json.dumps(analysis.shown(), ensure_ascii=False, indent=2))
        return
    for sentence in lines(analysis, spoken):
        say_line(sentence)
    say_line(spoken.text("cli.analyse.kept", file=line(str(path))))


def _progress(console: Console, spoken: Phrases) -> Progress:
    return Progress(
        TextColumn(spoken.text("cli.analyse.progress")),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )


def _write(path: Path, analysis: Analysis) -> None:
    unfinished = path.with_name(path.name + ".part")
    unfinished.write_text(json.dumps(analysis.as_data()) + "\n", encoding="utf-8")
    unfinished.replace(path)
