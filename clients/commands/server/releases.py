"""The archive of releases. Each function returns its exit code: 0, or 1 for a negative answer."""

from pathlib import Path

from warledger.clients.commands.play.online import as_json
from warledger.clients.terminal.screen import Screen
from warledger.engine.archive.wheels import Archive, BadWheel, Kept


def added(screen: Screen, folder: Path, wheel: Path, *, machine: bool) -> int:
    """Keep a wheel."""
    try:
        kept = Archive(folder).add(wheel)
    except BadWheel as error:
        return _bad(screen, error)
    if machine:
        screen.data(as_json(kept.as_data()))
    else:
        screen.say("cli.archive_added", file=kept.file, folder=str(folder))
        _tell(screen, kept)
    return 0


def listed(screen: Screen, folder: Path, *, machine: bool) -> int:
    """List what is kept."""
    try:
        kept = Archive(folder).kept()
    except BadWheel as error:
        return _bad(screen, error)
    if machine:
        screen.data(as_json([one.as_data() for one in kept]))
        return 0
    if not kept:
        screen.say("cli.archive_empty", folder=str(folder))
    for one in kept:
        _tell(screen, one)
    return 0


def removed(screen: Screen, folder: Path, digest: str, *, machine: bool) -> int:
    """Remove a release."""
    try:
        kept = Archive(folder).remove(digest)
    except (BadWheel, OSError) as error:
        return _bad(screen, error)
    if machine:
        screen.data(as_json(kept.as_data()))
    else:
        screen.say("cli.archive_removed", file=kept.file, folder=str(folder))
    return 0


def _bad(screen: Screen, error: Exception) -> int:
    screen.say("cli.failed", what=str(error))
    return 1


def _tell(screen: Screen, kept: Kept) -> None:
    screen.say("cli.archive_line", digest=kept.digest[:16], release=kept.release, file=kept.file)
    for title, digest in kept.titles.items():
        screen.say("cli.archive_title", title=title, digest=digest[:16])
