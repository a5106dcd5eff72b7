"""CSV files: entrants in and out; pairings, standings and results out.

What is written begins with a line of headings, has commas and CRLF (RFC 4180), and is read by
spreadsheets as text: a cell that one of them would take for a formula gets an apostrophe in front,
which reading takes off again. Read are also files with semicolons or tabs, as spreadsheets of other
languages write them, with or without a byte order mark.
"""

import csv
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Final

from attrs import frozen

from warledger.engine.tournaments.crosstable import Crosstable, Entrant, Line
from warledger.engine.tournaments.encounters import Encounter
from warledger.engine.tournaments.standings import StandingsRow
from warledger.engine.tournaments.tiebreaks import Value
from warledger.protocol.board.findings import Finding, Inspection, nearest
from warledger.protocol.board.ranges import is_digits
from warledger.protocol.limits import ENTRANTS_MAX, GROUPS_MAX, NAME_CHARS_MAX, RATING_MAX
from warledger.protocol.texts.typed import LINE, composed, refused

COLUMNS: Final = ("name", "rating", "groups", "account", "number")
"""The columns of entrants; only the first must be there. Groups are parted by semicolons, or by
bars in a file whose cells are."""

_Cell = str | int | Decimal
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
_DELIMITERS: Final = (",", ";", "\t")


@frozen
class Entered:
    """One row of entrants: `account` is a handle or id, "" for none; `number` 0 where the file has
    none."""

    name: str
    rating: int = 0
    groups: tuple[str, ...] = ()
    account: str = ""
    number: int = 0


class _Text:
    """What a csv.writer writes to."""

    def __init__(self) -> None:
        self.parts: list[str] = []

    def write(self, text: str) -> None:
        self.parts.append(text)


def _written(rows: Iterable[Sequence[_Cell]]) -> str:
    text = _Text()
    writer = csv.writer(text)
    for row in rows:
        writer.writerow([_cell(one) for one in row])
    return "".join(text.parts)


def _cell(value: _Cell) -> _Cell:
    """A text that no spreadsheet takes for a formula."""
    if type(value) is str and value.startswith((*_FORMULA, "'")):
        return f"'{value}"
    return value


def read_entrants(text: str) -> tuple[tuple[Entered, ...], tuple[Finding, ...]]:
    """The entrants of a file, and what is wrong with it. Rows with an error are left out of the
    entrants, and named in the findings by their line."""
    out = Inspection()
    lines = text.removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}").splitlines()
    if not lines or not lines[0].strip():
        out.error("line 1", "there is no line of headings", f"Write {', '.join(COLUMNS)}")
        return (), tuple(out.findings)
    delimiter = max(_DELIMITERS, key=lambda one: (lines[0].count(one), -_DELIMITERS.index(one)))
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    made: list[Entered] = []
    try:
        headings = [one.strip().lower() for one in next(reader)]
        _check_headings(headings, out)
        if out.failed:
            return (), tuple(out.findings)
        for row in reader:
            if any(one.strip() for one in row):
                entered = _entered(headings, row, reader.line_num, out)
                if entered is not None:
                    made.append(entered)
            if len(made) > ENTRANTS_MAX:
                out.error(
                    f"line {reader.line_num}",
                    f"there are more than {ENTRANTS_MAX} entrants",
                    "Split the field into several tournaments",
                )
                break
    except csv.Error as error:
        out.error(f"line {reader.line_num}", str(error), "Save the file as CSV again")
    _check_twice(made, out)
    return tuple(made), tuple(out.findings)


def _check_headings(headings: Sequence[str], out: Inspection) -> None:
    if "name" not in headings:
        out.error("line 1", 'there is no column "name"', f"Write {', '.join(COLUMNS)}")
    for one in headings:
        if one and one not in COLUMNS:
            out.warn("line 1", f"column {one!r} is not read", nearest(one, COLUMNS))
        if one and headings.count(one) > 1:
            out.error("line 1", f"column {one!r} stands twice", "Keep one of them")


def _entered(
    headings: Sequence[str], row: Sequence[str], number: int, out: Inspection
) -> Entered | None:
    place = f"line {number}"
    cells = {
        heading: one.strip().removeprefix("'")
        for heading, one in zip(headings, row, strict=False)
        if heading
    }
    before = len(out.findings)
    if len(row) > len(headings):
        out.error(place, "it has more cells than there are headings", "Put quotes around commas")
    name = composed(cells.get("name", ""))
    if not name or len(name) > NAME_CHARS_MAX or refused(name, LINE) is not None:
        out.error(place, f"the name is {name[:40]!r}", f"Write 1 to {NAME_CHARS_MAX} characters")
    groups = tuple(
        one.strip()
        for one in composed(cells.get("groups", "")).replace("|", ";").split(";")
        if one.strip()
    )
    if len(groups) > GROUPS_MAX or any(len(one) > NAME_CHARS_MAX for one in groups):
        out.error(place, "the groups are too many or too long", f"Name at most {GROUPS_MAX}")
    account = cells.get("account", "")
    if len(account) > NAME_CHARS_MAX:
        out.error(place, "the account is too long", "Write a handle")
    made = Entered(
        name,
        _whole(cells.get("rating", ""), "rating", RATING_MAX, place, out),
        groups,
        account,
        _whole(cells.get("number", ""), "number", ENTRANTS_MAX, place, out),
    )
    return made if len(out.findings) == before else None


def _whole(text: str, what: str, most: int, place: str, out: Inspection) -> int:
    if not text:
        return 0
    if is_digits(text) and len(text) <= 6 and int(text) <= most:
        return int(text)
    out.error(place, f"the {what} is {text[:40]!r}", f"Write a whole number up to {most}, or none")
    return 0


def _check_twice(made: Sequence[Entered], out: Inspection) -> None:
    for what, values in (
        ("account", [one.account for one in made if one.account]),
        ("number", [str(one.number) for one in made if one.number]),
    ):
        for value in sorted({one for one in values if values.count(one) > 1}):
            out.error("entrants", f"{what} {value} stands twice", "Correct one of the rows")
    names = [one.name for one in made]
    for name in sorted({one for one in names if names.count(one) > 1}):
        out.warn("entrants", f"{name} stands twice", "Add something that tells them apart")


def entrants(field: Iterable[Entrant]) -> str:
    """A file of entrants, which `read_entrants` reads."""
    return _written(
        [
            ("number", "name", "rating", "groups"),
            *((one.number, one.name, one.rating or "", ";".join(one.groups)) for one in field),
        ]
    )


def still_to_enter(
    rows: Iterable[Entered], names: Iterable[str]
) -> tuple[list[Entered], tuple[str, ...]]:
    """The rows of a file that are left when those with these names have entered, and the names of
    the others: whoever has entered under one may be somebody else. Two of one name are two rows and
    two entrants."""
    there, left, passed = Counter(names), [], []
    for row in rows:
        if there[row.name]:
            there[row.name] -= 1
            passed.append(row.name)
        else:
            left.append(row)
    return left, tuple(passed)


def pairings(table: Crosstable, round: int, seats: Sequence[str]) -> str:
    """The boards of a round, counted from 1: each with its entrants in the order of the title's
    seats. Where the sides are not settled it is as they were paired, marked "open". Then who has a
    bye or is absent."""
    names = {one.number: one.name for one in table.entrants}
    rows: list[tuple[_Cell, ...]] = [("board", *(one for seat in seats for one in (seat, "")))]
    for board, lines in boards(table, round):
        cells: list[_Cell] = [board]
        for number, _ in lines:
            cells += [number, names[number]]
        rows.append(tuple(cells) if is_settled(lines) else (*cells, "open"))
    if any(row[-1] == "open" for row in rows[1:]):
        rows[0] = (*rows[0], "sides")
    rows.extend(
        (line.manner, number, names[number])
        for number, line in table.rounds[round - 1].items()
        if not line.opponents
    )
    return _written(rows)


def is_settled(lines: Iterable[tuple[int, Line]]) -> bool:
    """Whether everybody at a board has a side."""
    return all(line.seat is not None for _, line in lines)


def boards(table: Crosstable, round: int) -> Iterator[tuple[int, tuple[tuple[int, Line], ...]]]:
    """The boards of a round in their order, each with its entrants and lines in seat order."""
    lines = table.rounds[round - 1]
    seen: list[int] = []
    paired = [number for number in lines if lines[number].opponents]
    for number in sorted(paired, key=lambda one: (lines[one].board, lines[one].seat or 0, one)):
        if number in seen:
            continue
        group = (number, *(one for one in lines[number].opponents if one in lines))
        seen.extend(group)
        ordered = sorted(group, key=lambda one: (lines[one].seat or 0, group.index(one)))
        yield lines[number].board, tuple((one, lines[one]) for one in ordered)


def results(table: Crosstable) -> str:
    """Every entrant's every round: how it came about, result, points, opponents, seat, margin."""
    rows: list[tuple[_Cell, ...]] = [
        ("round", "board", "number", "name", "manner", "result", "points", "opponents", "margin")
    ]
    names = {one.number: one.name for one in table.entrants}
    for n, one in enumerate(table.rounds, 1):
        for number in sorted(one):
            line = one[number]
            rows.append(
                (
                    n,
                    line.board or "",
                    number,
                    names[number],
                    line.manner,
                    line.result or "",
                    line.points,
                    ";".join(str(other) for other in line.opponents),
                    _units(line.margin) if line.played else "",
                )
            )
    return _written(rows)


def _units(half: int) -> Decimal:
    """A margin in units, as a number: one below 0 is not a formula."""
    return Decimal(half) / 2


def standings(made: Sequence[StandingsRow], names: Sequence[str], table: Crosstable) -> str:
    """The standings, one column a tie-break; values that are not whole as fractions."""
    known = {one.number: one.name for one in table.entrants}
    rows: list[tuple[_Cell, ...]] = [("place", "number", "name", "points", *names)]
    for one in made:
        values = [told(value) for value in one.values]
        rows.append((one.place, one.number, known[one.number], one.points, *values))
    return _written(rows)


def told(value: Value | Encounter | None) -> str:
    """A tie-break's exact value as text, "" for none."""
    if value is None:
        return ""
    return str(value.points if isinstance(value, Encounter) else value.number)
