"""What a check of a map or pack found, in terms that its author understands.

A finding names the place (file, table, entry), the problem, and what to do. An error keeps a pack
from being used; a warning is something a careful author would look at.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from attrs import define, field, frozen

ERROR = "error"
WARNING = "warning"


@frozen
class Finding:
    """One finding: `place` names table and entry ("map.toml, river Don"), `remedy` says what to do
    about `problem`."""

    severity: str
    place: str
    problem: str
    remedy: str

    @property
    def text(self) -> str:
        return self._told(self.place)

    def told_at(self, line: int) -> str:
        """The text of the finding, with this line of the file that its place names."""
        file, _, rest = self.place.partition(" ")
        place = f"{file}:{line} {rest}".rstrip()
        return self._told(place)

    def _told(self, place: str) -> str:
        end = "" if self.remedy.endswith("?") else "."
        return f"{self.severity}: {place}: {self.problem}. {self.remedy}{end}"


class BadPack(ValueError):
    """A pack with errors; `findings` holds them all, the message the first few."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        self.findings = tuple(findings)
        errors = [f.text for f in findings if f.severity == ERROR]
        more = f"\n… and {len(errors) - 5} more" if len(errors) > 5 else ""
        super().__init__("\n".join(errors[:5]) + more)


@define
class Inspection:
    """Collects the findings of one check."""

    findings: list[Finding] = field(factory=list)

    def error(self, place: str, problem: str, remedy: str) -> None:
        self.findings.append(Finding(ERROR, place, problem, remedy))

    def warn(self, place: str, problem: str, remedy: str) -> None:
        self.findings.append(Finding(WARNING, place, problem, remedy))

    @property
    def failed(self) -> bool:
        return any(f.severity == ERROR for f in self.findings)

    # Readers of loosely typed documents: each reports a wrong shape and returns something harmless,
    # so that one slip does not hide the rest of an author's mistakes.

    def table(
        self, doc: Mapping[str, Any], name: str, file: str, *, required: bool = True
    ) -> Mapping[str, Any]:
        value = doc.get(name)
        if isinstance(value, Mapping):
            return value
        if value is not None or required:
            self.error(
                f"{file} [{name}]",
                "missing" if value is None else "not a table",
                f"Write a table [{name}]",
            )
        return {}

    def rows(
        self, doc: Mapping[str, Any], name: str, file: str, *, required: bool = True
    ) -> list[Mapping[str, Any]]:
        value = doc.get(name)
        if isinstance(value, list | tuple) and all(isinstance(x, Mapping) for x in value):
            return list(value)
        if value is not None or required:
            problem = "missing" if value is None else "not a list of tables"
            self.error(f"{file} {name}", problem, f"Write [[{name}]] once for each")
        return []

    def words(
        self, entry: Mapping[str, Any], key: str, place: str, *, required: bool = True
    ) -> list[str]:
        value = entry.get(key)
        if isinstance(value, str):
            return value.split()
        if value is not None or required:
            problem = f"{key} is {'missing' if value is None else 'not text'}"
            self.error(place, problem, f'Write {key} = "…", ids parted by spaces')
        return []

    def names(
        self, entry: Mapping[str, Any], key: str, place: str, *, required: bool = True
    ) -> tuple[str, ...]:
        value = entry.get(key)
        if isinstance(value, list | tuple) and all(isinstance(x, str) for x in value):
            return tuple(value)
        if value is not None or required:
            problem = "missing" if value is None else f"{value!r} is not a list of names"
            self.error(f"{place} {key}", problem, f'Write {key} = ["…", "…"]')
        return ()

    def text(self, entry: Mapping[str, Any], key: str, place: str) -> str:
        value = entry.get(key)
        if isinstance(value, str) and value:
            return value
        self.error(place, f"{key} is missing or not text", f'Write {key} = "…"')
        return "?"

    def whole(
        self, entry: Mapping[str, Any], key: str, place: str, default: int | None = None
    ) -> int:
        value = entry.get(key, default)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        self.error(place, f"{key} is {value!r}", f"Write {key} as a whole number")
        return default if default is not None else 0


def nearest(word: str, known: Iterable[str]) -> str:
    """A hint for a misspelt name: the known names, the likeliest first, as a clause of a
    sentence."""
    names = sorted(set(known), key=lambda k: (-_shared(word, k), k))
    shown = ", ".join(names[:6])
    return (
        f"Known here: {shown}{' …' if len(names) > 6 else ''}" if names else "None is defined yet"
    )


def _shared(a: str, b: str) -> int:
    """How many two-letter pieces two words share."""
    return len({a[i : i + 2] for i in range(len(a))} & {b[i : i + 2] for i in range(len(b))})
