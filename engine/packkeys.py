"""Keys of a pack that nothing reads: misspelt ones are silently lost otherwise.

A key is declared where it is read: in quotes in the sources of the title, or of what every title
stands on. The keys at the top of each file, and those of the entries of each list of tables, are
looked up there. Tables that map ids to values have keys of the pack's own choice and are not looked
at. The title's own pack, checked like any other, tells where a key belongs: what it does not have
there is told too. A key that nothing reads and that is nearly one of those is an error. Any other
is a warning, since the pack can be used with it.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from difflib import get_close_matches
from typing import Any, Final

from warledger.engine.board.boardchecks import HEADER, Docs
from warledger.protocol.board.findings import ERROR, WARNING, Finding

_ALIKE: Final = 0.74
"""How alike two keys are of which one is taken for a slip of the other ("nmae" and "name" are)."""
_SHOWN: Final = 12
_REMARKS: Final = ("provenance", "source", "note", "src", "comment")
"""How keys begin that are for people."""


def unknown_keys(docs: Docs, own: Docs, read: Set[str]) -> Iterator[Finding]:
    """A finding for each key of these documents that is no word that the rules read, or that the
    title's own pack lacks there."""
    for file, doc in docs.items():
        model = own.get(file)
        if not isinstance(doc, Mapping):
            continue
        place = f"{file}.toml"
        known = (*model, *HEADER, "scenario") if isinstance(model, Mapping) else ()
        yield from _keys(doc, known, read, place)
        for name, rows in doc.items():
            if isinstance(rows, list) and not name.startswith(_REMARKS):
                fields = _fields(model.get(name)) if isinstance(model, Mapping) else ()
                for number, row in enumerate(rows, 1):
                    if isinstance(row, Mapping):
                        which = row.get("id", number)
                        yield from _keys(row, fields, read, f"{place} [[{name}]] {which}")


def _fields(rows: Any) -> dict[str, None]:
    """The keys of the entries of a list of tables; none if it is something else."""
    if not isinstance(rows, Sequence) or isinstance(rows, str):
        return {}
    return dict.fromkeys(key for row in rows if isinstance(row, Mapping) for key in row)


def _keys(
    table: Mapping[str, Any], known: Collection[str], read: Set[str], place: str
) -> Iterator[Finding]:
    names = [name for name in known if name in read]
    for key in table:
        if key.startswith(_REMARKS) or (key in read and (key in known or not known)):
            continue
        alike = get_close_matches(key, [name for name in names if name not in table], 1, _ALIKE)
        if alike:
            yield Finding(ERROR, place, f"nothing reads the key {key}", f"Did you mean {alike[0]}?")
        elif key not in read:
            yield Finding(
                WARNING,
                place,
                f"nothing reads the key {key}",
                'Leave it out; a remark has a name that begins with "note"',
            )
        else:
            more = " …" if len(names) > _SHOWN else ""
            yield Finding(
                WARNING,
                place,
                f"nothing in the title's own pack is called {key}",
                f"Leave it out, unless the rules read it. Known here: "
                f"{', '.join(sorted(names)[:_SHOWN])}{more}",
            )
