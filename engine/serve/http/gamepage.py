"""A game as one HTML file: the page, the game's file and what checks it, for a mail or a folder.

Rules of this file:
- The file needs no network: its own policy forbids any. What the page would ask of a server stands
  in it.
- The modules are those of the page, unchanged but for the names by which they import each other: a
  page opened from a folder may not import files beside it, so each becomes a module of an import
  map.
- Everything is compressed once, in two parts: what is drawn with, and the game's file. Both carry
  checksums of their own, and the log is verified as any other.
- Nothing from a log or a pack stands in it as HTML.
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from warledger.engine.runtime import titles
from warledger.engine.runtime.game.gameexport import export_game
from warledger.engine.runtime.titles import Title
from warledger.engine.serve.games import analyses
from warledger.engine.serve.games.markfiles import Mark, shown
from warledger.engine.serve.http import symbols
from warledger.engine.serve.http.pagefiles import FOLDER, PACKAGE, TYPES
from warledger.engine.store.port import Frame
from warledger.protocol import canon, fortune
from warledger.protocol.board import description
from warledger.protocol.lang import languages, words_of
from warledger.protocol.log import records, wlog
from warledger.protocol.log.bodies import closes_log
from warledger.protocol.log.records import Genesis

HTML: Final = TYPES["html"]
ENTRY: Final = "games/shared.js"
PREFIX: Final = "warledger/"
_IMPORT: Final = re.compile(
    r"""^(\s*(?:import|export)\s[^;"']*?\sfrom\s+|\s*import\s+)"(\.{1,2}/[^"]+)";""", re.MULTILINE
)
_LEFT_OUT: Final = frozenset(
    (
        *("account", "audit", "cli", "demo", "desk", "error", "goodbye", "help", "host"),
        *("lobby", "mail", "notify", "practice", "slot", "tournament", "tournaments"),
    )
)
"""First or second words of the keys of sentences that no page of one game says."""
_ELSEWHERE: Final = frozenset(("audit", "cli", "demo", "link", "mail", "tournament"))
"""First words of the keys of sentences that no page of a game says."""
_OF_OTHER_PARTS: Final = (
    *("refusal.tournament.", "web.account.", "web.help.", "web.tournament."),
    *("ui.help.", "ui.word."),
)
"""How keys begin that only the page's other parts say, or the terminal."""
_KEPT: Final = (
    frozenset(("cli.analyse.worth",))
    | {f"cli.luck.{name}" for name in ("none", "face", "test", "too_few")}
    | {f"web.tournament.{name}" for name in ("all", "back", "close", "next")}
)
"""What the page borrows from elsewhere."""

_FOUND: Final = re.compile(r'"(audit\.(?!damage|file|frame)[a-z_.]+[a-z_])"')

_PAGE: Final = "alone.html"
"""The frame of the page: it unpacks both parts and loads the modules."""


def document(
    game: str,
    title: str,
    log: bytes,
    *,
    board: bytes,
    sheet: bytes,
    catalogue: Callable[[str], Mapping[str, str]],
    others: Iterable[str],
    more: Mapping[str, bytes] | None = None,
    language: str = "",
    at: int | None = None,
) -> bytes:
    """The HTML of a game.

    Args:
        log: the game's file, sealed, as its reader may have it.
        board: what `/api/games/GAME/board` answers; `sheet` its symbols.
        catalogue: the texts of a language by key.
        others: words whose sentences are left out, those of other titles (`others_than`).
        more: answers to further questions that the page asks about the game, by the last word of
            their path.
        language: the one that it opens in; "" for that of its reader.
        at: the record that it opens at; None for its end.
    """
    base = f"/api/games/{game}/"
    left_out = frozenset(others)
    rules = files(PACKAGE).joinpath(FOLDER, "rules", f"{title}.json")
    answers = {
        **({f"/rules/{title}.json": rules.read_text("utf-8")} if rules.is_file() else {}),
        f"{base}board": board.decode(),
        f"{base}symbols.svg": sheet.decode(),
        "/api/languages": json.dumps(dict(languages()), ensure_ascii=False),
        **{f"{base}{name}": value.decode() for name, value in (more or {}).items()},
        **{
            f"/api/phrases/{one}": json.dumps(
                {key: text for key, text in catalogue(one).items() if said(key, left_out)},
                ensure_ascii=False,
                separators=(",", ":"),
            )
            for one in languages()
        },
    }
    parts = {
        "game": game,
        "at": at,
        "language": language,
        "answers": answers,
        "style": style(),
        "modules": modules(),
    }
    packed = json.dumps(parts, ensure_ascii=False, separators=(",", ":")).encode()
    made = (Path(__file__).parent / _PAGE).read_text(encoding="utf-8")
    for mark, value in (
        ("{{entry}}", PREFIX + ENTRY),
        ("{{parts}}", _squeezed(packed)),
        ("{{log}}", _squeezed(log)),
    ):
        made = made.replace(mark, value)
    return made.encode()


def of_frames(
    game: str,
    frames: Sequence[Frame],
    count: int | None,
    known: Mapping[str, Title],
    draughtsman: symbols.Draughtsman,
    catalogue: Callable[[str], Mapping[str, str]],
    data: Path | None = None,
    analysis: Mapping[str, Any] | None = None,
    marks: Sequence[Mark] = (),
) -> bytes:
    """The HTML of a game from its frames, as spectators may have it: its first `count` records, all
    for None. `analysis` is what is shown of who would win. Where it is not given, and nothing is
    hidden any more, it is that of the data directory `data`. `marks` are what casters have drawn.

    Raises BadExport and CorruptLog as `export_game` does, OSError or SubprocessError if the symbols
    cannot be drawn.
    """
    log = export_game(frames, records_max=count)
    payloads = wlog.parse(log, sealed=True).records
    found = [records.read(one, trusted=True) for one in payloads]
    genesis = Genesis.from_record(found[0])
    pack = canon.unpack_trusted(genesis.pack)
    title = known.get(genesis.title)
    told = titles.description(None if title is None else title.rules, pack, genesis.options)
    read = description.read(told)
    drawn = _json(shown(marks, len(found) - 1))
    more = {"luck": _json(fortune.of_game(read, found)), "marks": drawn}
    if analysis is None and data is not None and closes_log(found[-1]):
        analysis = analyses.shown(data, game, frames)
    if analysis is not None:
        more["analysis"] = _json(analysis)
    return document(
        game,
        genesis.title,
        log,
        board=_json({"title": genesis.title, "description": told}),
        sheet=symbols.sheet(read.symbols, draughtsman.draw).encode(),
        catalogue=catalogue,
        others=others_than(genesis.title, known),
        more=more,
    )


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def others_than(name: str, known: Mapping[str, Title]) -> frozenset[str]:
    """The words that tell sentences of other titles: their names, those of the series that they
    belong to and this title does not, and those under which their refusals stand."""
    title = known.get(name)
    own = {name, *(() if title is None else _series(title))}
    others = {*known, *(word for one in known.values() for word in _series(one))} - own
    return frozenset(others.union(*map(words_of, others))) - own.union(*map(words_of, own))


def _series(title: Title) -> Iterable[str]:
    """The names of the packages that hold a title's rules. Rules made for a test may have none."""
    return (folder.rpartition(".")[2] for folder in getattr(title.rules, "folders", ()))


def of_one_title(texts: Mapping[str, str], others: frozenset[str]) -> dict[str, str]:
    """The sentences that the page says while a game is looked at: all but those of other titles and
    of what is no page."""
    return {
        key: text
        for key, text in texts.items()
        if key in kept()
        or (
            not (others.intersection(words := key.split(".")) or words[0] in _ELSEWHERE)
            and not key.startswith(_OF_OTHER_PARTS)
        )
    }


def said(key: str, others: frozenset[str]) -> bool:
    """Whether a page of one game may say the sentence: not one of another title, or of another
    part of Warledger."""
    words = key.split(".")
    if key in kept():
        return True
    return not (others.intersection(words) or _LEFT_OUT.intersection(words[:2]))


@cache
def kept() -> frozenset[str]:
    """What the page says of a game although others say it too: what it borrows, and what it finds
    wrong. (Where the bytes of a file are damaged no game is shown.)"""
    sources = "".join(modules().values())
    return _KEPT | frozenset(_FOUND.findall(sources))


@cache
def modules() -> Mapping[str, str]:
    """The page's modules that the entry needs, by the names under which they import each other."""
    folder = files(PACKAGE).joinpath(FOLDER)
    found: dict[str, str] = {}
    waiting = [ENTRY]
    while waiting:
        path = waiting.pop()
        if PREFIX + path in found:
            continue
        source = folder.joinpath(*path.split("/")).read_text(encoding="utf-8")
        here = path.split("/")[:-1]

        def named(match: re.Match[str], here: list[str] = here) -> str:
            way = list(here)
            for step in match[2].split("/"):
                if step == "..":
                    way.pop()
                elif step != ".":
                    way.append(step)
            waiting.append("/".join(way))
            return f'{match[1]}"{PREFIX}{"/".join(way)}";'

        found[PREFIX + path] = _IMPORT.sub(named, source)
    return found


@cache
def style() -> str:
    """The page's style sheets, in the order in which it loads them."""
    folder = files(PACKAGE).joinpath(FOLDER)
    index = folder.joinpath("index.html").read_text(encoding="utf-8")
    return "\n".join(
        folder.joinpath(*path.split("/")).read_text(encoding="utf-8")
        for path in re.findall(r'<link rel="stylesheet" href="/([^"]+)">', index)
    )


def _squeezed(data: bytes) -> str:
    squeezer = zlib.compressobj(9, zlib.DEFLATED, 31)
    return base64.b64encode(squeezer.compress(data) + squeezer.flush()).decode("ascii")
