"""Keys of a pack that nothing reads: misspelt ones are silently lost otherwise.

What a title reads is not written down anywhere; what its own pack has is. So the keys at the top of
each file, and those of the entries of each list of tables, are compared with the title's own pack.
Tables that map ids to values have keys of the pack's own choice and are not looked at. A key that
is nearly one of the title's is an error; any other is a warning, since a title may read a key that
its own pack has no use for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Final

from warledger.engine.board.packcheck import HEADER, Docs
from warledger.protocol.findings import ERROR, WARNING, Finding

_ALIKE: Final = 0.74
"""How alike two keys are of which one is taken for a slip of the other ("nmae" and "name" are)."""
_SHOWN: Final = 12
_REMARKS: Final = ("provenance", "source", "note", "src", "comment")
"""How keys begin that are for people."""


def unknown_keys(docs: Docs, own: Docs) -> Iterator[Finding]:
    """A finding for each key of these documents that the title's own pack does not have there."""
    for file, doc in docs.items():
        model = own.get(file)
        if not isinstance(doc, Mapping) or not isinstance(model, Mapping):
            continue
        place = f"{file}.toml"
        yield from _keys(doc, (*model, *HEADER, "scenario"), place)
        for name, rows in doc.items():
            known = _fields(model.get(name))
            if known and isinstance(rows, list):
                for number, row in enumerate(rows, 1):
                    if isinstance(row, Mapping):
                        which = row.get("id", number)
                        yield from _keys(row, known, f"{place} [[{name}]] {which}")


def _fields(rows: Any) -> dict[str, None]:
    """The keys of the entries of a list of tables; none if it is something else."""
    if not isinstance(rows, Sequence) or isinstance(rows, str):
        return {}
    return dict.fromkeys(key for row in rows if isinstance(row, Mapping) for key in row)


def _keys(table: Mapping[str, Any], known: Collection[str], place: str) -> Iterator[Finding]:
    names = list(known)
    for key in table:
        if key in known or key.startswith(_REMARKS):
            continue
        alike = get_close_matches(key, [name for name in names if name not in table], 1, _ALIKE)
        if alike:
            yield Finding(ERROR, place, f"nothing reads the key {key}", f"Did you mean {alike[0]}?")
        else:
            more = " …" if len(names) > _SHOWN else ""
            yield Finding(
                WARNING,
                place,
                f"nothing in the title's own pack is called {key}",
                f"Leave it out, unless the rules read it. Known here: "
                f"{', '.join(sorted(names)[:_SHOWN])}{more}",
            )


__all__ = ["unknown_keys"]
