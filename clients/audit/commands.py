"""The commands `audit` and `replay`, mounted by the command line.

Exit codes of `audit`: 0 sound, 1 not sound, 2 wrong usage, 3 sound with a reservation, 4 consistent
but nobody vouches for it.
"""

import json
import os
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import click

from warledger.clients.audit.audit import VARIABLE, audit, compare, installed
from warledger.clients.audit.evidence import Evidence
from warledger.clients.audit.examine import check_format, examine
from warledger.clients.audit.explain import NoSuchName, explained
from warledger.clients.audit.kept import Kept, read_kept
from warledger.clients.audit.odds import Unfit, read_beside
from warledger.clients.audit.odds import told as told_odds
from warledger.clients.audit.processes import WORKERS_MAX
from warledger.clients.audit.replay import BadEvidence, BadReplay, replay
from warledger.clients.audit.report import Report, dice_data, die_lines
from warledger.clients.audit.tournament import is_tournament
from warledger.clients.audit.verdict import UNSOUND, USAGE, said, worst
from warledger.clients.describing import of_genesis
from warledger.clients.languages import HELP, chosen
from warledger.clients.link.receipts import BadReceipt, read_receipts
from warledger.clients.terminal.visible import Console, line, visible
from warledger.clients.terminal.words import named_seat
from warledger.engine.archive.wheels import BadWheel
from warledger.protocol.analysis import BadAnalysis
from warledger.protocol.audience import ARBITER, PUBLIC
from warledger.protocol.board.description import names
from warledger.protocol.lang import phrases
from warledger.protocol.limits import HASH_BYTES
from warledger.protocol.log import wlog
from warledger.protocol.log.chain import Head
from warledger.protocol.texts.phrases import Phrases

_DIGITS = re.compile("[0-9A-Fa-f]+")

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
LANGUAGE = click.option(
    "--lang",
    "--language",
    "language",
    default="",
    metavar="LANGUAGE",
    callback=lambda _context, _option, value: chosen(value),
    help=HELP,
)
JSON = click.option("--json", "as_json", is_flag=True, help="Print data instead of sentences.")


KEYS = click.option(
    "--key",
    "keys",
    multiple=True,
    help="The server's public key, from a source other than the file: 64 hexadecimal "
    "digits, or a file that contains them, one key a line. May be repeated: a server that has "
    "changed its key is believed with each.",
)
CHAIN = click.option(
    "--chain-only", is_flag=True, help="Check only the evidence; do not decide commands again."
)
REPLACED = click.option(
    "--allow-replaced",
    is_flag=True,
    help="Allow a seat that was handed over without its own signature.",
)
UNSIGNED = click.option(
    "--allow-unsigned-seats",
    is_flag=True,
    help="Allow seats that sign nothing.",
)
NO_HEAD = click.option(
    "--allow-no-head",
    is_flag=True,
    help="Allow a missing server key, or a missing signature of the last record.",
)


def allowed_by(flags: Mapping[str, bool]) -> list[str]:
    """The flags that were given, as verdicts name them, from the parameters of a command."""
    return [name.replace("_", "-") for name, given in flags.items() if given]


@click.command("audit")
@click.argument("file", type=FILE, required=False)
@click.argument("other", type=FILE, required=False)
@KEYS
@click.option(
    "--receipts",
    "folders",
    multiple=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A folder of receipts kept by a client; may be repeated.",
)
@CHAIN
@click.option(
    "--so-far",
    is_flag=True,
    help="Allow a game in progress: what can be checked only at its end is not a reservation.",
)
@click.option(
    "--allow-unopened",
    is_flag=True,
    help="Allow a game that has ended, but of which not everything that was hidden is open.",
)
@REPLACED
@UNSIGNED
@NO_HEAD
@click.option(
    "--allow-desk-lots",
    is_flag=True,
    help="Allow a tournament whose lots come from its desk alone: a nonce is missing.",
)
@click.option(
    "--allow-self-play",
    is_flag=True,
    help="Allow games of a tournament in which one program played every seat.",
)
@click.option(
    "--allow-by-hand",
    is_flag=True,
    help="Allow a tournament of which boards were played without a game here, such as on paper.",
)
@click.option(
    "--ledger-only",
    is_flag=True,
    help="Allow that the games of a tournament are not given: only its own file is checked.",
)
@click.option(
    "--details",
    is_flag=True,
    help="Also print who sat where and how far they signed, the table code, and every note.",
)
@click.option(
    "--explain",
    metavar="NAME",
    help="Say what a finding, a reservation or a remark of this name means, instead of an audit; "
    "--json gives the names.",
)
@click.option("--dice", is_flag=True, help="List every draw with its seed, purpose and result.")
@click.option(
    "--games",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="For a tournament: a folder of its games, each as GAME.wlog. They are audited too, and "
    "must be those that its results rest on.",
)
@click.option(
    "--archive",
    type=click.Path(file_okay=False, path_type=Path),
    envvar=VARIABLE,
    help="Releases that were kept (`warledger archive add`): a game whose rules are among them is "
    "decided again by its own release.",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 64),
    help="How many processes decide commands at the same time; the report is the same with any "
    f"number. Default: as many as there are cores, at most {WORKERS_MAX}; a short file gets one.",
)
@JSON
@LANGUAGE
def audit_command(
    file: Path | None,
    other: Path | None,
    keys: tuple[str, ...],
    folders: tuple[Path, ...],
    chain_only: bool,
    details: bool,
    explain: str | None,
    dice: bool,
    games: Path | None,
    archive: Path | None,
    workers: int | None,
    as_json: bool,
    language: str,
    **flags: bool,
) -> None:
    """Check a game file: its evidence, signatures and dice, and decide every command again. With
    OTHER, of the same game or tournament, say where the two files diverge. A tournament's file is
    checked in the same way: its lots, bids and pairings, and with --games each game behind a
    result.

    Exits with 0 if the file is sound, 1 if it is not, 3 if sound with a reservation, and 4 if
    consistent but nobody vouches for it. Each reservation names the flag that allows it.
    """
    spoken = phrases(language)
    if explain is not None:
        try:
            say_line(explained(explain, spoken))
        except NoSuchName as error:
            raise click.UsageError(spoken.text("audit.use.name", name=line(explain))) from error
        return
    if file is None:
        raise click.MissingParameter(param_type="argument", param_hint="FILE")
    trusted = keys_of(keys, spoken) or None
    heads, kept = _receipts(folders, spoken)
    allowed = allowed_by({**flags, "chain_only": chain_only})
    paths = [file] if other is None else [file, other]
    datas = [read_file(path, spoken) for path in paths]
    kinds = {is_tournament(data) for data in datas}
    if len(kinds) > 1:
        raise click.UsageError(spoken.text("audit.compare.kinds"))
    of_tournament = kinds == {True}
    if games is not None and not of_tournament:
        raise click.UsageError(spoken.text("audit.use.games"))
    rulebook = None if chain_only else installed(archive)
    receipts = heads if folders else None
    examined: list[Evidence] = []

    def audited(data: bytes) -> tuple[Report, Phrases]:
        if of_tournament:
            from warledger.clients.audit.tournamentreplay import audit_tournament

            report = audit_tournament(
                data,
                key=trusted,
                receipts=receipts,
                kept=kept,
                rulebook=rulebook,
                games=games,
                workers=workers,
            )
            return report, spoken
        report, found = audit(
            data, key=trusted, receipts=receipts, kept=kept, rulebook=rulebook, workers=workers
        )
        examined.append(found)
        return report, spoken_of(found, language)

    shown, codes = [], []
    for path, data in zip(paths, datas, strict=True):
        try:
            report, told = audited(data)
        except BadWheel as error:
            raise click.UsageError(line(str(error))) from error
        codes.append(report.code(allowed))
        if as_json:
            fields = {"file": str(path), **report.as_data(told, allowed)}
            shown.append({**fields, "dice": dice_data(report.dice)} if dice else fields)
            continue
        if other is not None:
            say_line(f"{path}:")
        for text in die_lines(told, report.dice) if dice else ():
            say_line(text)
        for text in report.details(told) if details else ():
            say_line(text)
        for text in report.lines(told, allowed):
            say_line(text)
    if other is None:
        if as_json:
            _data(shown[0])
        sys.exit(worst(codes))
    names = (str(file), str(other))
    if of_tournament:
        from warledger.clients.audit.tournamentreplay import compare_tournaments

        parted = compare_tournaments(datas[0], datas[1], names)
    else:
        parted = compare(examined[0], examined[1], names)
    text = spoken.say(parted.said)
    if as_json:
        _data({"files": shown, "comparison": parted.as_data(text)})
    else:
        say_line(text)
    sys.exit(worst(codes) if parted.agree else UNSOUND)


@click.command("replay")
@click.argument("file", type=FILE)
@click.option("--to", type=int, help="Show the board after this record; default: the last one.")
@click.option(
    "--as",
    "audience",
    default=PUBLIC,
    show_default=True,
    help=f"Show what this seat, {PUBLIC} or {ARBITER} knew.",
)
@click.option("--story", is_flag=True, help="Also print the story up to that record.")
@click.option("--plain", is_flag=True, help="Describe the board in sentences, for screen readers.")
@JSON
@LANGUAGE
def replay_command(
    file: Path,
    to: int | None,
    audience: str,
    story: bool,
    plain: bool,
    as_json: bool,
    language: str,
) -> None:
    """Show the board of a game file as of any record, as a seat knew it at that point."""
    found = examine(read_file(file, phrases(language)))
    spoken = spoken_of(found, language)
    for item in found.findings:
        say_line(said(spoken, item), err=True)
    if found.genesis is None:
        say_line(spoken.text("audit.means.unsound.game"), err=True)
        sys.exit(1)
    audience = named_seat(audience, found.genesis.seats, spoken) or audience
    try:
        moment = replay(found, to, audience)
    except BadEvidence as error:
        say_line(spoken.text(error.key, **error.args_by_name), err=True)
        sys.exit(1)
    except BadReplay as error:
        raise click.UsageError(line(spoken.text(error.key, **error.args_by_name))) from error
    if as_json:
        _data(moment.as_data())
        sys.exit(1 if found.findings else 0)
    if story:
        for told in moment.story(spoken):
            say_line(told.plain)
    say_line(
        spoken.text(
            "audit.replay.head", seq=moment.record.seq, last=moment.last, kind=moment.record.kind
        )
    )
    drawn = moment.picture()
    if plain:
        for sentence in drawn.describe(moment.board, spoken):
            say_line(sentence)
    else:
        console = Console()
        console.print(drawn.draw(moment.board, spoken, console.width))
    _odds(file, found, moment.record.seq, spoken)
    sys.exit(1 if found.findings else 0)


def _odds(file: Path, found: Evidence, seq: int, spoken: Phrases) -> None:
    """Who would win, where an analysis lies beside the file."""
    try:
        made = read_beside(file, found.records)
    except Unfit as error:
        say_line(spoken.text("cli.analyse.unfit", file=line(str(error))), err=True)
        return
    except (BadAnalysis, OSError) as error:
        say_line(spoken.text("cli.analyse.cannot", file=line(str(file)), what=str(error)), err=True)
        return
    point = None if made is None else made.before(seq)
    if made is not None and point is not None:
        say_line(spoken.text("cli.analyse.from_here", told=told_odds(point, made, spoken)))
        say_line(spoken.text("cli.analyse.worth"))


def say_line(text: str, *, err: bool = False) -> None:
    """One line. A name in a file must neither end it nor control the terminal."""
    click.echo(line(text), err=err)


def _data(value: Any) -> None:
    """Data for a program; control characters appear as JSON's escapes."""
    click.echo(visible(json.dumps(value, ensure_ascii=False, indent=2)))


def spoken_of(found: Evidence, language: str) -> Phrases:
    """The language for the file's title, with the names that are printed in it."""
    if found.genesis is None:
        return phrases(language)
    return phrases(language, found.genesis.title, names(of_genesis(found.genesis).told))


class NotRead(click.ClickException):
    """A file of another format: one sentence, and the exit code of wrong usage."""

    exit_code = USAGE

    def __init__(self, spoken: Phrases, name: str, format: int) -> None:
        told = {"file": line(name), "format": format, "ours": wlog.FORMAT}
        super().__init__(spoken.text("audit.use.format", **told))


def read_file(path: Path, spoken: Phrases) -> bytes:
    """The bytes of a file. Raises NotRead for a game or a tournament of another format."""
    try:
        data = path.read_bytes()
        check_format(data)
    except OSError as error:
        raise click.UsageError(
            spoken.text("audit.use.file", file=line(str(path)), what=error.strerror or str(error))
        ) from error
    except wlog.OtherFormat as error:
        raise NotRead(spoken, str(path), error.format) from error
    return data


def keys_of(texts: Iterable[str], spoken: Phrases) -> tuple[bytes, ...]:
    """The server's keys that are named: digits each, or a file that contains some, one a line. If a
    file was named, errors are about the file, not about digits."""
    found: list[bytes] = []
    for text in texts:
        digits = text.strip()
        if _is_key(digits):
            found.append(bytes.fromhex(digits))
            continue
        if _DIGITS.fullmatch(digits) and not os.path.exists(text):
            raise click.UsageError(spoken.text("audit.use.key"))
        found += map(bytes.fromhex, _keys_in(Path(text), spoken))
    return tuple(dict.fromkeys(found))


def _is_key(digits: str) -> bool:
    return len(digits) == 2 * HASH_BYTES and _DIGITS.fullmatch(digits) is not None


def _keys_in(path: Path, spoken: Phrases) -> list[str]:
    shown = line(str(path))
    try:
        text = path.read_text(encoding="ascii").strip()
    except (FileNotFoundError, NotADirectoryError):
        raise click.UsageError(spoken.text("audit.use.key_missing", file=shown)) from None
    except OSError as error:
        raise click.UsageError(
            spoken.text("audit.use.file", file=shown, what=error.strerror or str(error))
        ) from error
    except ValueError as error:
        raise click.UsageError(
            spoken.text("audit.use.key_file", file=shown, what=line(str(error)))
        ) from error
    keys = text.split()
    if not keys or not all(map(_is_key, keys)):
        raise click.UsageError(spoken.text("audit.use.key_file", file=shown, what=line(text[:20])))
    return keys


def _receipts(folders: Iterable[Path], spoken: Phrases) -> tuple[list[Head], list[Kept]]:
    heads: list[Head] = []
    kept: list[Kept] = []
    try:
        for folder in folders:
            heads += read_receipts(folder)
            kept += read_kept(folder)
    except (BadReceipt, OSError) as error:
        raise click.UsageError(spoken.text("audit.use.receipts", what=line(str(error)))) from error
    return heads, kept
