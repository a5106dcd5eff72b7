"""Puts the page's modules together for sending: what a browser would ask for one by one, level by
level of their imports, comes in one answer.

Rules of this file:
- The modules stay what they are in the folder. Each becomes a function that returns what it
  exports, behind those that it imports; there are no circles (`tests/layers`).
- A module is there once, whoever imports it and how: at its own address stands what takes its
  exports from the bundle. A worker shares nothing with the page, and has all that it needs.
- What is put together is read by the few forms in which our modules import and export. Any other
  is refused, and a test tries all of them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from posixpath import dirname, join, normpath
from typing import Final

PARTS: Final = ("/gameview.js", "/lobby.js")
"""What the page shows most: a game, and the list of games. Each is a bundle."""
LATER: Final = ("/seated.js", "/judging.js")
"""What a part loads once it is needed: a bundle too, with what only it needs."""
WORKERS: Final = ("/verifier.js",)
"""What the page runs in a worker: each a bundle by itself."""
OTHERS: Final = ("/account.js", "/tournament.js", "/tournaments.js", "/waiting.js")
"""What else the page loads on its own, module by module."""
FIRST: Final = "/main.js"
"""What every page loads. With it comes what several parts need."""

_IMPORT: Final = re.compile(r'^import (?:\{([^}]*)\}|(\w+)) from "(\.{1,2}/[^"]+)";$', re.MULTILINE)
_LATER: Final = re.compile(r'\bimport\("(\.{1,2}/[^"]+)"\)')
_EXPORT: Final = re.compile(
    r"^export (?:((?:async )?function|class|const) (\w+)|(default) )", re.MULTILINE
)
_OTHER: Final = re.compile(r"^(?:import|export)\b(?!\().*", re.MULTILINE)


def bundled(scripts: Mapping[str, str]) -> dict[str, str]:
    """What is served of the page's scripts, by their paths: bundles, what points to them at the
    modules in them, and every other script as it is. A folder without `FIRST` is left as it is.

    Raises ValueError for an import or export of another form than ours.
    """
    served = dict(scripts)
    if FIRST not in scripts:
        return served
    needs = {path: _needs(path, script) for path, script in scripts.items()}
    closures = {part: set(_ordered([part], needs)) for part in (*PARTS, *OTHERS) if part in scripts}
    home: dict[str, str] = {}
    for entry in (FIRST, *(part for part in (*PARTS, *LATER) if part in scripts)):
        roots = [entry]
        if entry == FIRST:
            wanted = Counter(path for closure in closures.values() for path in closure)
            roots = [*sorted(path for path, parts in wanted.items() if parts > 1), entry]
        members = [path for path in _ordered(roots, needs) if path not in home]
        home.update(dict.fromkeys(members, entry))
        served[entry] = _bundle(entry, members, home, scripts)
        served.update(
            {path: _pointer(path, entry, scripts[path]) for path in members if path != entry}
        )
    for worker in (path for path in WORKERS if path in scripts):
        members = list(_ordered([worker], needs))
        served[worker] = _bundle(worker, members, {}, scripts)
    return served


def _pointer(path: str, entry: str, script: str) -> str:
    """A module that gives what the bundle at `entry` has of it."""
    names = ", ".join(_exported(script))
    lines = [f'import {{ {_called(path)} }} from "{entry}";']
    if names:
        lines.append(f"export const {{ {names} }} = {_called(path)};")
    if _has_default(script):
        lines.append(f"export default {_called(path)}.default;")
    return "\n".join(lines) + "\n"


def _bundle(
    entry: str, members: Sequence[str], home: Mapping[str, str], scripts: Mapping[str, str]
) -> str:
    """The members one after the other, in order; what is elsewhere is imported first."""
    outside: dict[str, None] = {}
    parts: list[str] = []
    for path in members:

        def imported(match: re.Match[str], path: str = path) -> str:
            names, default, name = match.groups()
            needed = _at(path, name)
            if needed not in members:
                outside[needed] = None
            taken = f"default: {default}" if default else names.strip().replace(" as ", ": ")
            return f"const {{ {taken} }} = {_called(needed)};"

        def later(match: re.Match[str], path: str = path) -> str:
            return f'import("{_at(path, match[1])}")'

        body = _IMPORT.sub(imported, scripts[path])
        names = [*_exported(body), *(("default: default_",) if _has_default(body) else ())]
        body = _EXPORT.sub(
            lambda match: "const default_ = " if match[3] else f"{match[1]} {match[2]}", body
        )
        body = _LATER.sub(later, body)
        odd = _OTHER.search(body)
        if odd is not None:
            raise ValueError(f"{path}: {odd[0]}")
        given = f"return {{ {', '.join(names)} }};"
        parts.append(f"const {_called(path)} = (() => {{\n{body.rstrip()}\n{given}\n}})();\n")
    heads = [f'import {{ {_called(path)} }} from "{home[path]}";\n' for path in outside]
    own = ", ".join(_exported(scripts[entry]))
    return "".join(
        (
            *heads,
            *parts,
            f"export {{ {', '.join(map(_called, members))} }};\n",
            f"export const {{ {own} }} = {_called(entry)};\n" if own else "",
        )
    )


def _needs(path: str, script: str) -> list[str]:
    return [_at(path, name) for _, _, name in _IMPORT.findall(script)]


def _ordered(roots: Sequence[str], needs: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Modules and what they import, each behind what it needs."""
    seen: set[str] = set()

    def walk(one: str) -> Iterator[str]:
        if one in seen or one not in needs:
            return
        seen.add(one)
        for needed in needs[one]:
            yield from walk(needed)
        yield one

    for root in roots:
        yield from walk(root)


def _exported(script: str) -> list[str]:
    return [name for _, name, _ in _EXPORT.findall(script) if name]


def _has_default(script: str) -> bool:
    return any(default for _, _, default in _EXPORT.findall(script))


def _at(path: str, name: str) -> str:
    """The path of what a module names."""
    return normpath(join(dirname(path), name))


def _called(path: str) -> str:
    """What holds a module's exports in a bundle."""
    return re.sub(r"\W", "_", path[1:].removesuffix(".js")) + "$"
