"""`warledger export --html`: a game as a page in one file.

Exit codes: 0 written, 1 a game that cannot be read or is not sound, 2 wrong usage.
"""

import time
from pathlib import Path
from subprocess import SubprocessError

import click

from warledger.clients.audit.audit import audit
from warledger.clients.audit.audit import installed as rules
from warledger.clients.audit.odds import Unfit, read_beside
from warledger.clients.audit.verdict import UNSOUND
from warledger.clients.commands.play.online import as_json
from warledger.clients.terminal.screen import Screen
from warledger.protocol import lang
from warledger.protocol.analysis import BadAnalysis
from warledger.protocol.log import records, wlog
from warledger.protocol.log.records import CorruptLog


def export_page(screen: Screen, game: str, data: Path | None, html: Path, *, machine: bool) -> int:
    """Write the page of a game from a data directory, or without one from the game's file."""
    from warledger.engine.runtime import profile as profiles
    from warledger.engine.runtime.game.gameexport import BadExport
    from warledger.engine.runtime.titles import installed
    from warledger.engine.serve.games import markfiles
    from warledger.engine.serve.http import gamepage, symbols
    from warledger.engine.store.files import datadir
    from warledger.engine.store.port import StoreError, UnknownGame

    shown = None
    count = None
    try:
        if data is not None:
            frames = tuple(datadir.read_game(data, game))
            id = game
            # What spectators may not see yet is not in a page that is for everybody.
            hidden = len(profiles.read(frames, time.time_ns() // 1_000_000).recent)
            if hidden:
                count = sum(frame.kind == wlog.FRAME_RECORD for frame in frames) - hidden
        else:
            file = Path(game)
            contents = file.read_bytes()
            frames = wlog.parse(contents, sealed=True).frames
            log = [
                records.read(frame.payload, trusted=True)
                for frame in frames
                if frame.kind == wlog.FRAME_RECORD
            ]
            if not log:
                raise BadExport("the game has no records yet")
            id = records.Genesis.from_record(log[0]).game
            # The page decides nothing again by the rules, so what breaks them is told here.
            report, _ = audit(contents, rulebook=rules(), workers=None)
            if report.code() == UNSOUND:
                for text in report.verdict.problems(screen.spoken):
                    screen.write(text)
                screen.write(screen.spoken.say(report.verdict.meaning()))
                return 1
            beside = read_beside(file, log)
            shown = None if beside is None else beside.shown()
        made = gamepage.of_frames(
            id,
            frames,
            count,
            installed(),
            symbols.Draughtsman(),
            lang.catalogue,
            data,
            shown,
            markfiles.read(data, id),
        )
        unfinished = html.with_name(html.name + ".part")
        unfinished.write_bytes(made)
        unfinished.replace(html)
    except (BadExport, UnknownGame, FileNotFoundError) as error:
        raise click.UsageError(str(error)) from error
    except (
        StoreError,
        CorruptLog,
        wlog.CorruptFile,
        BadAnalysis,
        Unfit,
        OSError,
        SubprocessError,
    ) as error:
        screen.say("cli.export_failed", what=str(error))
        return 1
    if machine:
        screen.data(as_json({"game": id, "file": str(html), "bytes": len(made)}))
    else:
        screen.say("cli.exported_page", game=id, file=str(html), bytes=len(made))
    return 0
