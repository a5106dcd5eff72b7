"""The commands `audit` and `replay`, mounted by the command line. Exit codes: 0 sound, 1 not, 2 wrong usage."""

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import click

from clients.audit.audit import audit, compare, installed
from clients.audit.evidence import Evidence
from clients.audit.examine import examine
from clients.audit.replay import ARBITER, PUBLIC, BadEvidence, BadReplay, pack_of, replay
from clients.audit.report import said
from clients.link.receipts import BadReceipt, read_receipts
from clients.terminal.picture import names_of
from clients.terminal.visible import Console, line, visible
from protocol.chain import Head
from protocol.lang import phrases
from protocol.limits import HASH_BYTES
from protocol.phrases import LANGUAGES, Phrases, language_of


def _language() -> str:
    for name in ("WARLEDGER_LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        wanted = os.environ.get(name)
        if wanted:
            return language_of(wanted) or LANGUAGES[0]
    return LANGUAGES[0]


_DIGITS = re.compile("[0-9A-Fa-f]+")

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_LANGUAGE = click.option(
    "--lang", "--language", "language", type=click.Choice(LANGUAGES), default=_language, help="Language of what is printed."
)
_JSON = click.option("--json", "as_json", is_flag=True, help="Print data instead of sentences.")


@click.command("audit")
@click.argument("file", type=_FILE)
@click.argument("other", type=_FILE, required=False)
@click.option("--key", help="The server's public key, from a source other than the file: 64 hexadecimal digits, or a file of them.")
@click.option("--receipts", type=click.Path(exists=True, file_okay=False, path_type=Path), help="A folder of receipts a client kept.")
@click.option("--chain-only", is_flag=True, help="Check the evidence alone; decide nothing again.")
@_JSON
@_LANGUAGE
def audit_command(
    file: Path, other: Path | None, key: str | None, receipts: Path | None, chain_only: bool, as_json: bool, language: str
) -> None:
    """Check a game file: evidence, dice, and every command decided again. With OTHER, say where the two part."""
    spoken = phrases(language)
    trusted = _key(key, spoken) if key else None
    heads = _receipts(receipts, spoken) if receipts else None
    rulebook = None if chain_only else installed()
    shown = []
    sound = True
    examined: list[Evidence] = []
    for path in (file, other):
        if path is None:
            continue
        report, found = audit(_read(path, spoken), key=trusted, receipts=heads, rulebook=rulebook)
        of_title = _spoken(found, language)
        examined.append(found)
        sound = sound and report.sound
        if as_json:
            shown.append({"file": str(path), **report.as_data(of_title)})
        else:
            if other is not None:
                _say(f"{path}:")
            for told in report.lines(of_title):
                _say(told)
    if other is not None:
        found_out = compare(examined[0], examined[1], (str(file), str(other)))
        sound = sound and found_out.agree
        text = spoken.say(found_out.said)
        if as_json:
            _data({"files": shown, "comparison": found_out.as_data(text)})
        else:
            _say(text)
    elif as_json:
        _data(shown[0])
    sys.exit(0 if sound else 1)


@click.command("replay")
@click.argument("file", type=_FILE)
@click.option("--to", type=int, help="The record after which to look; the last if not given.")
@click.option("--as", "audience", default=PUBLIC, show_default=True, help=f"A seat, {PUBLIC} or {ARBITER}: whose knowledge to show.")
@click.option("--story", is_flag=True, help="Tell everything that happened up to there.")
@click.option("--plain", is_flag=True, help="The board in sentences, for a screen reader.")
@_JSON
@_LANGUAGE
def replay_command(file: Path, to: int | None, audience: str, story: bool, plain: bool, as_json: bool, language: str) -> None:
    """Show the board of a game file as of any record, as a seat knew it then."""
    found = examine(_read(file, phrases(language)))
    spoken = _spoken(found, language)
    for item in found.findings:
        _say(said(spoken, item), err=True)
    if found.genesis is None:
        _say(spoken.text("audit.unsound"), err=True)
        sys.exit(1)
    try:
        moment = replay(found, to, audience)
    except BadEvidence as error:
        _say(spoken.text(error.key, **error.args_by_name), err=True)
        sys.exit(1)
    except BadReplay as error:
        raise click.UsageError(line(spoken.text(error.key, **error.args_by_name))) from error
    if as_json:
        _data(moment.as_data())
        sys.exit(1 if found.findings else 0)
    if story:
        for told in moment.story(spoken):
            _say(told.plain)
    _say(spoken.text("audit.replay.head", seq=moment.record.seq, last=moment.last, kind=moment.record.kind))
    drawn = moment.picture()
    if plain:
        for sentence in drawn.describe(moment.board, spoken):
            _say(sentence)
    else:
        console = Console()
        console.print(drawn.draw(moment.board, spoken, console.width))
    sys.exit(1 if found.findings else 0)


def _say(text: str, *, err: bool = False) -> None:
    """One line. A name in a file must not end it, nor steer the terminal."""
    click.echo(line(text), err=err)


def _data(value: Any) -> None:
    """Data for a program; what would steer a terminal stands in it as JSON's escapes."""
    click.echo(visible(json.dumps(value, ensure_ascii=False, indent=2)))


def _spoken(found: Evidence, language: str) -> Phrases:
    """The language for the file's title, with the names its pack gives."""
    if found.genesis is None:
        return phrases(language)
    return phrases(language, found.genesis.title, names_of(pack_of(found.genesis)))


def _read(path: Path, spoken: Phrases) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise click.UsageError(spoken.text("audit.use.file", file=line(str(path)), what=error.strerror or str(error))) from error


def _key(text: str, spoken: Phrases) -> bytes:
    """The key that is named: digits, or a file of them. Whoever names a file is told of the file, not of digits."""
    digits = text.strip()
    if not _is_key(digits):
        if _DIGITS.fullmatch(digits) and not os.path.exists(text):
            raise click.UsageError(spoken.text("audit.use.key"))
        digits = _key_in(Path(text), spoken)
    return bytes.fromhex(digits)


def _is_key(digits: str) -> bool:
    return len(digits) == 2 * HASH_BYTES and _DIGITS.fullmatch(digits) is not None


def _key_in(path: Path, spoken: Phrases) -> str:
    shown = line(str(path))
    try:
        digits = path.read_text(encoding="ascii").strip()
    except (FileNotFoundError, NotADirectoryError):
        raise click.UsageError(spoken.text("audit.use.key_missing", file=shown)) from None
    except OSError as error:
        raise click.UsageError(spoken.text("audit.use.file", file=shown, what=error.strerror or str(error))) from error
    except ValueError as error:
        raise click.UsageError(spoken.text("audit.use.key_file", file=shown, what=line(str(error)))) from error
    if not _is_key(digits):
        raise click.UsageError(spoken.text("audit.use.key_file", file=shown, what=line(digits[:20])))
    return digits


def _receipts(folder: Path, spoken: Phrases) -> list[Head]:
    try:
        return read_receipts(folder)
    except (BadReceipt, OSError) as error:
        raise click.UsageError(spoken.text("audit.use.receipts", what=line(str(error)))) from error


__all__ = ["audit_command", "replay_command"]
