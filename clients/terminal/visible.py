"""Nothing from outside may control the terminal: characters that would be invisible are shown by
their numbers.

Whatever a file or server holds, such as a name, may contain an escape that recolours, overwrites or
hides what is shown. Or a mark may reverse the order of letters: an audit could be made to read
"Sound". So each control character, C1 too, each mark of direction or of no width, and each line
separator is written as ``\\u001b``. Every way out goes through here:

- `Console`, which a Screen draws with: the text of each segment, after layout; only rich's own
  controls and styles remain.
- `guarded`, around the whole command line: all that is printed otherwise, usage errors and
  tracebacks too.
- `line`, for text that is to stay on one line: a line break in a name must not begin a line of its
  own.
"""

import codecs
import re
import sys
import traceback
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

import rich.console
from rich.console import ConsoleOptions, ConsoleRenderable, RenderableType, RenderHook, RenderResult
from rich.segment import Segment

_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e0fff]"
)
"""Control characters except tab and line feed, characters that invisibly reorder or join letters,
characters without width or ink, and lone surrogates."""

_BREAKS = str.maketrans({"\n": "\\u000a", "\t": "\\u0009"})


def visible(text: str) -> str:
    """The text with all characters that would control a terminal shown by their numbers, as in
    JSON. Line feeds and tabs stay."""
    return text if text.isascii() and text.isprintable() else _UNSEEN.sub(_numbered, text)


def line(text: str) -> str:
    """The text on one line: `visible`, and line feeds and tabs by their numbers too."""
    return text if text.isascii() and text.isprintable() else visible(text).translate(_BREAKS)


def _numbered(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


# --- what rich draws ------------------------------------------------------------------------------


class _Visible:
    """Something that rich can draw, with the text of each segment made visible."""

    def __init__(self, inner: RenderableType) -> None:
        self._inner = inner

    def __rich_console__(
        self, console: rich.console.Console, options: ConsoleOptions
    ) -> RenderResult:
        for segment in console.render(self._inner, options):
            text, style, control = segment
            if control:
                yield segment
            else:
                yield Segment(
                    visible(text),
                    style.update_link(None) if style is not None and style.link else style,
                )


class _Guard(RenderHook):
    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        return [_Visible(item) for item in renderables]


class Console(rich.console.Console):
    """rich's console, without markup, emoji codes or highlights in what is printed, and with every
    text made visible."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"highlight": False, "emoji": False, "markup": False, **options})
        self.push_render_hook(_Guard())


# --- what is printed otherwise --------------------------------------------------------------------


class _Stream:
    """A text stream that makes what is written visible; everything else is the stream's own."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def write(self, text: str) -> int:
        """Write the text, made visible."""
        self._inner.write(visible(text))
        return len(text)

    def writelines(self, lines: Any) -> None:
        """Write each."""
        for text in lines:
            self.write(text)

    @property
    def rich_proxied_file(self) -> Any:
        """The stream itself. rich asks for it: a Console guards its text before it adds its own
        controls."""
        return self._inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


def is_terminal() -> bool:
    """Whether standard output is a terminal."""
    return sys.stdout.isatty()


def terminal() -> Any:
    """Standard output itself, for an editor of lines, which guards what it shows."""
    return getattr(sys.stdout, "rich_proxied_file", sys.stdout)


@contextmanager
def diverted(stream: Any) -> Iterator[None]:
    """Inside this context, what is printed goes to this stream instead, made visible."""
    stdout = sys.stdout
    sys.stdout = _Stream(stream)
    try:
        yield
    finally:
        sys.stdout = stdout


@contextmanager
def guarded() -> Iterator[None]:
    """Inside this context, standard output and standard error make what is written visible; so does
    the traceback of a bug that then ends the program."""
    out, err = sys.stdout, sys.stderr
    for stream in (out, err):
        _spell(stream)
    sys.stdout, sys.stderr = _Stream(out), _Stream(err)
    sys.excepthook = _told
    try:
        yield
    finally:
        sys.stdout, sys.stderr = out, err


PLAIN = {
    **{pip: f"[{n}]" for n, pip in enumerate("⚀⚁⚂⚃⚄⚅", 1)},
    **dict.fromkeys("–—−", "-"),
    **dict.fromkeys("“”„", '"'),
    **dict.fromkeys("‘’", "'"),
    "×": "x",
    "…": "...",
    "§": "par. ",
    "✓": "ok",
    "✗": "wrong",
    "→": "->",
    "·": "-",
    "½": "1/2",
}
"""How to spell characters that an encoding lacks."""

_SPELT = "warledger.spelt"


def _spelling(error: UnicodeError) -> tuple[str, int]:
    """Spell what cannot be encoded: dice as numbers, letters without their accents, everything else
    as "?"."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lost = error.object[error.start : error.end]
    return "".join(PLAIN.get(sign) or _unaccented(sign) for sign in lost), error.end


def _unaccented(letter: str) -> str:
    plain = unicodedata.normalize("NFKD", letter).encode("ascii", "ignore").decode()
    return plain or "?"


codecs.register_error(_SPELT, _spelling)


def _spell(stream: Any) -> None:
    """Make sure that printing never fails, whatever the encoding of a stream. (UTF-8 output to a
    pipe stays as it is.)"""
    if getattr(stream, "errors", None) in ("strict", "surrogateescape") and hasattr(
        stream, "reconfigure"
    ):
        stream.reconfigure(errors=_SPELT)


def _told(kind: type[BaseException], error: BaseException, where: TracebackType | None) -> None:
    sys.stderr.write(visible("".join(traceback.format_exception(kind, error, where))))
