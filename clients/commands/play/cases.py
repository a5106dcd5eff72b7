"""Cases as files: what `warledger case` does."""

import json
from collections.abc import Iterable
from pathlib import Path

import click

from warledger.clients.audit import case as cases
from warledger.clients.audit.audit import installed
from warledger.clients.audit.commands import keys_of
from warledger.clients.audit.verdict import UNSOUND
from warledger.clients.commands.play.arbiters import picks_of
from warledger.clients.terminal.screen import Screen
from warledger.clients.terminal.visible import line

KEY_FILE = "server.pub"


def write(
    screen: Screen,
    source: str,
    claim: int,
    data: Path | None,
    output: Path,
    audience: str,
    asked: Iterable[str],
    keys: Iterable[str] = (),
) -> int:
    """Write a case. Returns the exit code."""
    log, found_keys = _log(screen, source, data, audience)
    if log is None:
        return 1
    found_keys = keys_of(keys, screen.spoken) or found_keys
    try:
        files = cases.build(
            log,
            claim,
            key=found_keys or None,
            asked=_questions(asked),
            rulebook=installed(),
            release=_release(),
        )
        verdict = json.loads(files[cases.AUDIT])
        if verdict["code"] == UNSOUND:
            for one in verdict["findings"]:
                screen.write(one["text"])
            screen.say("cli.case.log_unsound")
            return UNSOUND
        made = cases.packed(files)
        unfinished = output.with_name(output.name + ".part")
        unfinished.write_bytes(made)
        unfinished.replace(output)
    except cases.BadCase as error:
        screen.say(error.key, **error.args_by_name)
        return 1
    except OSError as error:
        screen.say("cli.case.failed", what=error.strerror or str(error), file=str(output))
        return 1
    screen.say("cli.case.written", claim=claim, file=str(output), bytes=len(made), n=len(files))
    if not found_keys:
        screen.say("cli.case.no_key")
    return 0


def _release() -> str:
    from warledger import __version__

    return __version__


def _log(
    screen: Screen, source: str, data: Path | None, audience: str
) -> tuple[bytes | None, tuple[bytes, ...]]:
    """The game file that a case is made of, and the server's keys where a data directory has it."""
    if data is None:
        try:
            return Path(source).read_bytes(), ()
        except OSError as error:
            raise click.UsageError(
                f"cannot read {line(source)}: {error.strerror}; name a game file (.wlog), or give "
                "--data with a game's id"
            ) from error
    from warledger.clients.commands.server.servercommands import exported
    from warledger.engine.runtime.game.gameexport import BadExport
    from warledger.engine.store.port import StoreError
    from warledger.protocol.log.records import CorruptLog

    key_file = data / KEY_FILE
    keys = keys_of([str(key_file)], screen.spoken) if key_file.exists() else ()
    try:
        return exported(data, source, audience), keys
    except BadExport as error:
        raise click.UsageError(str(error)) from error
    except (StoreError, CorruptLog, OSError) as error:
        screen.say("cli.export_failed", what=str(error))
        return None, ()


def _questions(asked: Iterable[str]) -> tuple[cases.Question, ...]:
    found = []
    for text in asked:
        seat, *picks = text.split() or [""]
        if not seat:
            raise click.UsageError('--ask takes a seat and its picks, such as "axis sail hood"')
        found.append(cases.Question(seat, picks_of(picks)))
    return tuple(found)


def check(screen: Screen, file: Path, keys: Iterable[str] = ()) -> int:
    """Check a case. Returns the exit code: that of the audit of its log, and 1 if anything in the
    case does not follow from that log."""
    trusted = keys_of(keys, screen.spoken) or None
    try:
        found = cases.check(file.read_bytes(), key=trusted, rulebook=installed())
    except OSError as error:
        raise click.UsageError(f"cannot read {line(str(file))}: {error.strerror}") from error
    except cases.BadCase as error:
        screen.say(error.key, **error.args_by_name)
        return UNSOUND
    screen.of_title(found.report.title)
    for told in found.report.lines(screen.spoken):
        screen.write(told)
    for name in found.differing:
        screen.say(
            "cli.case.missing"
            if name in found.missing
            else "cli.case.foreign"
            if name in found.foreign
            else "cli.case.differs",
            file=name,
        )
    if not found.is_plain:
        screen.say("cli.case.not_plain")
    elsewhere = found.other_rules or found.release != _release()
    if found.differing and elsewhere:
        screen.say("cli.case.release", theirs=found.release, ours=_release())
    # One verdict on the whole stands last: what is sound in an altered case is only its log.
    if not found.is_whole:
        changed = found.missing or found.foreign or not found.is_plain
        unsure = found.report.code() != UNSOUND and elsewhere and not changed
        screen.say("cli.case.unconfirmed" if unsure else "cli.case.altered")
        return UNSOUND
    if found.report.code() == UNSOUND:
        screen.say("cli.case.unsound")
        return UNSOUND
    screen.say("cli.case.follows", claim=found.claim)
    return found.report.code()
