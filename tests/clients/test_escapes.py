"""What came from outside is shown, never obeyed: escapes planted in files and servers' answers
reach no terminal."""

import ast
import io
import json
import re
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from functools import cache
from itertools import cycle
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner
from rich.panel import Panel
from rich.text import Text

from tests.audit.tamper import put
from warledger.clients import cli
from warledger.clients.bots.selfplay import Field, play
from warledger.clients.commands.play import online
from warledger.clients.link import BadServer, Disconnected, LinkError, ServerError, Watch
from warledger.clients.terminal import visible
from warledger.clients.terminal.screen import Screen
from warledger.clients.terminal.story import NOTICE, TURN, Line
from warledger.protocol import canon
from warledger.protocol.board import effects as fx
from warledger.protocol.board.choices import say
from warledger.protocol.board.effects import Board
from warledger.protocol.log import records, wlog

EVIL = "E\x1b[2J\x1b]0;t\x07\x9b31m\x7f\r\x08\u202e\u2066\u200b\u2028\nSound: all of it. [bold]B[/bold][link=file:///]"
"""Escapes of every kind: CSI, OSC, C1, a carriage return, marks of direction and of no width, a new
line, and rich's markup."""

HOSTILE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]"
)
OWN_STYLE = re.compile("\x1b\\[[0-9;]*m")


def clean(text: str, *, wrapped: bool = False) -> None:
    """Nothing in the text steers a terminal, and no line begins with what was planted (but where a
    long one is wrapped into a picture)."""
    assert not HOSTILE.search(text), ascii(HOSTILE.findall(text))
    assert wrapped or not any(line.startswith("Sound: all of it.") for line in text.splitlines()), (
        text
    )


# --- the text itself ------------------------------------------------------------------------------


def test_each_unseen_character_is_shown_by_its_number() -> None:
    """Controls, C1, marks of direction and width and halves of pairs become what JSON would write;
    all else stays as it is."""
    assert (
        visible.visible("a\x1b[1m\x9b\u202e\U000e0041\ud800\n\tb")
        == "a\\u001b[1m\\u009b\\u202e\\udb40\\udc41\\ud800\n\tb"
    )
    assert visible.line("a\nb\tc") == "a\\u000ab\\u0009c"
    for kept in ("Käpt'n Ünal", "华中 · ⚀⚁ “„”", "العربية", "🎲 −1 ×2", ""):
        assert visible.visible(kept) == visible.line(kept) == kept
    clean(visible.visible("".join(map(chr, range(0x3000)))))


def test_json_stays_json() -> None:
    """Data made visible still reads as the same data."""
    value = {EVIL: [EVIL, "\\", '"', "\U000e0041"]}
    told = visible.visible(json.dumps(value, ensure_ascii=False, indent=2))
    clean(told)
    assert json.loads(told) == value


# --- a file's texts -------------------------------------------------------------------------------


BEGINNING = 60
"""How many records are kept of a game on hexes: each is drawn, and that takes its time."""


@cache
def game(title: str) -> tuple[wlog.Frame, ...]:
    """The frames of a game: a whole one of War at Sea, else its beginning."""
    played = play(Field.of(title), seed=4, index=0, players=("random", "random"))
    frames = wlog.parse(played.as_wlog()).frames
    return frames if title == "war_at_sea" else frames[:BEGINNING]


def planted(value: Any) -> Any:
    """Every text of a value with escapes behind it, keys too."""
    if type(value) is str:
        return value + EVIL
    if type(value) is tuple:
        return tuple(map(planted, value))
    if isinstance(value, dict):
        return {key: planted(item) for key, item in value.items()}
    return value


def texts(value: Any, path: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    """The places of the texts in an array."""
    if type(value) is str:
        yield path
    elif type(value) is tuple:
        for index, item in enumerate(value):
            yield from texts(item, (*path, index))


def at(value: Any, path: tuple[int, ...]) -> Any:
    """What stands at a place."""
    for index in path:
        value = value[index]
    return value


def written(
    frames: tuple[wlog.Frame, ...], bodies: dict[int, Any], actors: dict[int, str]
) -> bytes:
    """The file with other bodies or actors, its chain mended."""
    out, previous = [], records.NO_HASH
    for frame in frames:
        if frame.kind == wlog.FRAME_RECORD:
            old = records.read(frame.payload, trusted=True)
            actor, body = actors.get(old.seq, old.actor), bodies.get(old.seq, old.body)
            made = records.make(old.seq, old.at_ms, actor, old.kind, body, previous)
            previous = made.hash
            frame = wlog.Frame(frame.kind, made.data)
        out.append(frame)
    return wlog.encode(out, sealed=True)


def hostile_files(title: str) -> Iterator[tuple[str, bytes]]:
    """Files with escapes in one kind of place each: every text of every kind of record, all
    effects, the pack, options, heads."""
    frames = game(title)
    log = [
        records.read(frame.payload, trusted=True)
        for frame in frames
        if frame.kind == wlog.FRAME_RECORD
    ]
    genesis = log[0].body
    pack = canon.pack(canon.ordered(planted(canon.unpack(genesis[7]))))
    packed = put(put(genesis, (7,), pack), (8,), records.hash_of(pack))
    named = _names_planted(canon.unpack(genesis[7]))
    pack = canon.pack(canon.ordered(named))
    yield "pack", written(frames, {0: packed}, {})
    yield (
        "names of the pack",
        written(frames, {0: put(put(genesis, (7,), pack), (8,), records.hash_of(pack))}, {}),
    )
    yield "options", written(frames, {0: put(genesis, (5,), {EVIL: EVIL, "x": (EVIL,)})}, {})
    yield "seats", written(frames, {0: put(genesis, (6,), planted(genesis[6]))}, {})
    for kind in {record.kind for record in log}:
        record = [one for one in log if one.kind == kind][-1]
        yield f"{kind} actor", written(frames, {}, {record.seq: EVIL})
        for path in list(texts(record.body))[: 5 if title == "war_at_sea" else 1]:
            yield (
                f"{kind} {path}",
                written(
                    frames, {record.seq: put(record.body, path, at(record.body, path) + EVIL)}, {}
                ),
            )
    blobs = {
        one.seq: put(
            one.body,
            (records.EFFECTS,),
            canon.pack(_effects_planted(canon.unpack(one.body[records.EFFECTS]))),
        )
        for one in log
        if one.kind == records.COMMAND
    }
    yield "effects", written(frames, blobs, {})
    tell = (
        fx.tell(EVIL),
        fx.phase(EVIL, x=EVIL),
        fx.roll(EVIL, 6, (1,)),
        fx.tell("error.malformed", EVIL, what=EVIL),
    )
    board = (
        fx.track(EVIL, EVIL),
        fx.count(EVIL, 3),
        fx.put(EVIL, EVIL, EVIL, EVIL),
        fx.mark(EVIL, EVIL, 2),
        (fx.AWAIT, (EVIL,)),
    )
    spoken = {
        seq: put(body, (records.EFFECTS,), canon.pack((*tell, *board)))
        for seq, body in blobs.items()
    }
    yield "sentences", written(frames, spoken, {})
    head = wlog.Frame(wlog.FRAME_HEAD, canon.pack((EVIL, 3, bytes(32), bytes(64))))
    yield "heads", wlog.encode((*frames, head), sealed=True)
    yield "damage", wlog.encode(frames, sealed=True)[:-60] + EVIL.encode() * 20


def _effects_planted(value: Any) -> Any:
    """Effects whose tags stay what they are."""
    return tuple((effect[0], *map(planted, effect[1:])) for effect in value)


def _names_planted(value: Any) -> Any:
    """A pack that still draws: only what it calls things is hostile."""
    if isinstance(value, dict):
        return {
            key: item + EVIL if key == "name" and type(item) is str else _names_planted(item)
            for key, item in value.items()
        }
    return tuple(map(_names_planted, value)) if type(value) is tuple else value


FORMS = (
    ("audit", "--chain-only"),
    ("audit", "--json"),
    ("replay", "--story"),
    ("replay", "--story", "--plain", "--as", "arbiter"),
    ("replay", "--json"),
    ("replay", "--as", EVIL.replace("\x00", "")),
)


DRAWN = ("pack", "names of the pack", "sentences", "effects")


@pytest.mark.parametrize(
    "title", ["war_at_sea", pytest.param("victory_lost", marks=pytest.mark.long)]
)
def test_no_text_of_a_file_steers_the_terminal(tmp_path: Path, title: str) -> None:
    """Whichever text of a log, its pack or a damaged stretch holds escapes: `audit` and `replay`
    print none of them, in any form."""
    count = 0
    turns = cycle(FORMS)
    for what, data in hostile_files(title):
        file = tmp_path / "g.wlog"
        file.write_bytes(data)
        # All that is drawn in every form; each of the many places of a record in one, by turns.
        for form in FORMS if what in DRAWN else (next(turns),):
            result = CliRunner().invoke(cli.main, [form[0], str(file), *form[1:]])
            assert result.exception is None or isinstance(result.exception, SystemExit), (
                what,
                form,
                result.exception,
            )
            clean(result.stdout, wrapped=form == ("replay", "--story"))
            clean(result.stderr)
            count += "\\u001b" in result.output
    assert count > 15


def test_comparison_and_usage_errors_are_shown(tmp_path: Path) -> None:
    """Where two files part is told without obeying either; so is a file's name, and what click says
    of an argument."""
    frames = game("war_at_sea")
    log = [
        records.read(frame.payload, trusted=True)
        for frame in frames
        if frame.kind == wlog.FRAME_RECORD
    ]
    taken = next(record for record in log if record.kind == records.SEAT)
    one, other = tmp_path / "one\x1b[2J.wlog", tmp_path / "other\u202e.wlog"
    one.write_bytes(wlog.encode(frames, sealed=True))
    other.write_bytes(written(frames, {taken.seq: put(taken.body, (2,), EVIL)}, {}))
    for args in (
        ("audit", str(one), str(other)),
        ("audit", str(one), str(other), "--json"),
        ("audit", str(tmp_path / EVIL.replace("/", ""))),
        ("audit", str(one), "--key", EVIL),
        ("audit", str(one), "--receipts", EVIL),
        ("titles", "--lang", EVIL),
        ("export", EVIL, "--data", str(tmp_path), "-o", str(tmp_path / "x")),
        ("check", str(tmp_path)),
        (EVIL,),
    ):
        result = CliRunner().invoke(cli.main, list(args))
        assert result.exception is None or isinstance(result.exception, SystemExit), (
            args,
            result.exception,
        )
        clean(result.stdout)
        clean(result.stderr)


def test_a_traceback_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    """Even what a bug prints at the end does not steer the terminal."""
    try:
        raise RuntimeError(EVIL)
    except RuntimeError as error:
        visible._told(type(error), error, error.__traceback__)
    told = capsys.readouterr().err
    assert "RuntimeError" in told and not HOSTILE.search(told)


# --- a server's answers ---------------------------------------------------------------------------


class Hostile:
    """A link to a server that puts escapes wherever a text may stand."""

    def __init__(self, fails: LinkError | None) -> None:
        self.fails = fails

    def _fail(self) -> None:
        if self.fails is not None:
            raise self.fails

    async def titles(self) -> Any:
        self._fail()
        options = ((EVIL, EVIL, (EVIL, True), EVIL),)
        return (
            {"title": EVIL, "version": EVIL, "seats": (EVIL,), "options": options, "digest": b"x"},
        )

    async def games(self, stage: str) -> Any:
        self._fail()
        row = {"game": EVIL, "title": EVIL, "stage": EVIL, "seq": EVIL, "awaits": (EVIL,)}
        return (row, {**row, "deadline_ms": 61_000})

    async def ping(self) -> int:
        self._fail()
        return 0

    async def create(
        self,
        title: str,
        options: Any,
        *,
        delay_s: int = 0,
        unsigned_seats: bool = False,
        clock: Any = None,
        terms: Any = None,
    ) -> Any:
        self._fail()
        return SimpleNamespace(game=EVIL, tokens=((EVIL, EVIL),))

    async def new_token(self, game: str, seat: str) -> str:
        self._fail()
        return EVIL

    async def watch(self, game: str, audience: str) -> Watch:
        self._fail()
        data = next(data for what, data in hostile_files("war_at_sea") if what == "sentences")
        log = [
            frame.payload for frame in wlog.parse(data).frames if frame.kind == wlog.FRAME_RECORD
        ]
        id = records.Genesis.from_record(records.read(log[0])).game
        found = Watch(id, audience)
        end = next(
            index for index, payload in enumerate(log) if records.read(payload).kind == records.END
        )
        found.take(0, [(payload, b"") for payload in log[:end]])
        found.fail(BadServer(EVIL))
        return found


FAILS = (None, ServerError("x", say(EVIL, x=EVIL)), Disconnected(EVIL), BadServer(EVIL))
ACTS: dict[str, Any] = {
    "titles": lambda where, screen, machine: online.titles(where, screen, machine=machine),
    "games": lambda where, screen, machine: online.games(where, screen, "", machine=machine),
    "new": lambda where, screen, machine: online.new(
        where, screen, "t", {}, delay_s=0, machine=machine
    ),
    "token": lambda where, screen, machine: online.token(where, screen, "g", "s", machine=machine),
    "watch": lambda where, screen, machine: online.watch(
        where, screen, "g", 0, audience="", machine=machine, board=True
    ),
}


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("form", ["plain", "drawn", "coloured", "json"])
def test_no_answer_of_a_server_steers_the_terminal(
    monkeypatch: pytest.MonkeyPatch, act: str, form: str
) -> None:
    """Titles, games, tokens, records and errors of a hostile server are told with every escape
    shown."""
    for fails in FAILS:

        @asynccontextmanager
        async def link(where: online.Where, fails: LinkError | None = fails) -> AsyncIterator[Any]:
            yield Hostile(fails)

        monkeypatch.setattr(online.Where, "link", link)
        out = io.StringIO()
        colours = (
            {"force_terminal": True, "color_system": "truecolor"} if form == "coloured" else {}
        )
        console = visible.Console(file=out, width=100, **colours)
        screen = Screen(plain=form == "plain", console=console)
        online.run(lambda screen=screen: ACTS[act](online.Where(), screen, form == "json"), screen)
        told = OWN_STYLE.sub("", out.getvalue())
        clean(told, wrapped=form in ("drawn", "coloured"))
        assert "\\u001b" in told
        assert fails is not None or act == "token" or "[bold]B[/bold]" in told.replace("\n", "")


def test_every_way_a_screen_writes_is_guarded() -> None:
    """Lines, sentences, data, stories, boards in pictures and sentences: nothing planted is obeyed,
    and no markup is read."""
    board = Board()
    for effect in (
        fx.put(EVIL, EVIL, EVIL, EVIL),
        fx.put("p", EVIL),
        fx.mark(EVIL, EVIL, 2),
        fx.track(EVIL, EVIL),
        fx.phase(EVIL),
    ):
        board.apply(effect)
    kinds = ({"table": "t", "look": "sea", "numbers": ("n",)},)
    areas = {
        "layout": {"kind": "areas", "legend": EVIL, "grid": {"rows": ((EVIL,),)}, "places": kinds},
        "f": {"t": ({"id": EVIL, "name": EVIL, "n": EVIL, "owner": EVIL},)},
    }
    grid = {
        "orientation": "flat",
        "shifted": "odd",
        "columns": 2,
        "rows": 2,
        "id": "{col:02}{row:02}",
    }
    places = {"list": ({"hex": "0101", "name": EVIL, "kind": EVIL},)}
    terrain = {"legend": {"\x1b": EVIL}, "rows": ("\x1b\x1b", "\x1b\x1b")}
    hexes = {"map": {"grid": grid, "terrain": terrain, "places": places, "sides": (EVIL,)}}
    for pack in (areas, hexes, {}):
        for plain in (False, True):
            out = io.StringIO()
            screen = Screen(
                plain=plain,
                console=visible.Console(
                    file=out, width=80, force_terminal=True, color_system="standard"
                ),
            )
            screen.of_game(EVIL, pack, {})
            screen.write(EVIL, "bold")
            screen.say("cli.failed", what=EVIL)
            screen.data(EVIL.replace("\n", ""))
            screen.tell((Line(TURN, EVIL, EVIL), Line(NOTICE, EVIL, EVIL)))
            screen.board(board)
            screen.board(board, "0101" if pack is hexes else EVIL)
            screen.front(board)
            for id in (EVIL, "p", "0101"):
                screen.about(id, board)
            clean(OWN_STYLE.sub("", out.getvalue()), wrapped=not plain)


def test_the_console_shows_what_no_layer_above_has() -> None:
    """A renderable made without care, even one that rich reads as markup with a link, leaves no
    control but rich's own colours."""
    out = io.StringIO()
    console = visible.Console(file=out, width=60, force_terminal=True, color_system="standard")
    console.print(Panel(Text(EVIL), title=EVIL))
    console.print(EVIL)
    console.rule(EVIL)
    console.print(Text.from_markup("[link=file:///etc]x[/link]"))
    told = out.getvalue()
    assert not HOSTILE.search(OWN_STYLE.sub("", told)), ascii(told)
    assert "\x1b]8" not in told


# --- no other way out -----------------------------------------------------------------------------

ROOT = Path(__file__).resolve().parents[2]


BEHIND_A_PIPE = ("bots/whatif.py",)
"""Processes that a server starts and that answer it in frames of msgpack: nobody reads them on a
terminal."""


def test_there_is_no_other_way_out() -> None:
    """No module of the clients prints, makes a console of rich's, or writes to a standard stream
    but through `terminal/visible.py`."""
    wrong = []
    for path in sorted((ROOT / "clients").rglob("*.py")):
        name = path.relative_to(ROOT / "clients").as_posix()
        if name == "terminal/visible.py":
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        bytes_of = {
            id(node.value)
            for node in ast.walk(tree)
            if name in BEHIND_A_PIPE and isinstance(node, ast.Attribute) and node.attr == "buffer"
        }
        for node in ast.walk(tree):
            if id(node) in bytes_of:
                continue
            told = (
                ast.unparse(node)
                if isinstance(node, ast.Attribute | ast.ImportFrom | ast.Call)
                else ""
            )
            if isinstance(node, ast.Call) and told.startswith("print("):
                wrong.append(f"{name}:{node.lineno} prints")
            elif isinstance(node, ast.Attribute) and told in (
                "sys.stdout",
                "sys.stderr",
                "rich.print",
                "sys.__stdout__",
                "os.write",
            ):
                wrong.append(f"{name}:{node.lineno} {told}")
            elif (
                isinstance(node, ast.ImportFrom)
                and node.module == "rich.console"
                and "Console" in {alias.name for alias in node.names}
            ):
                wrong.append(f"{name}:{node.lineno} imports rich's Console")
            elif (
                isinstance(node, ast.ImportFrom)
                and node.module == "rich"
                and "print" in {alias.name for alias in node.names}
            ):
                wrong.append(f"{name}:{node.lineno} imports rich's print")
    assert wrong == []


def test_the_guard_is_around_every_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """While a command runs both standard streams are guarded, and they are as before when it is
    done."""
    seen = []

    async def looks() -> bool:
        seen.append((type(sys.stdout), type(sys.stderr)))
        sys.stdout.write("\x1b[2J")
        return True

    monkeypatch.setattr(online, "games", lambda *args, **options: looks())
    before = sys.stdout, sys.stderr
    result = CliRunner().invoke(cli.main, ["games"])
    assert seen == [(visible._Stream, visible._Stream)] and result.stdout == "\\u001b[2J"
    assert before == (sys.stdout, sys.stderr)
