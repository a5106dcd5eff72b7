"""Tournament report files: TRF16 with JaVaFo's XX codes and TRF26, read and written.

A file that is read keeps its bytes: what this module does not know is written back as it was. What
the format cannot hold (boards, margins, close wins, tables of three, absences' reasons) stands in
comment lines with `### warledger`, which other programs skip.

Positions of a player's line, from 0: 4 the number, 9 sex, 10 title, 14 name, 48 rating, 53
federation, 57 FIDE's number, 69 birth, 80 points, 85 rank, and from 91 ten columns a round:
opponent, side, result.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Literal, cast, get_args

from attrs import evolve as replace
from attrs import field, frozen

from warledger.engine.tournaments.crosstable import Crosstable, Entrant, Line, Manner, Result
from warledger.engine.tournaments.swiss.playercards import Scale

Form = Literal[16, 26]
"""Which edition of the format: TRF16 with XX codes, or TRF26."""

OURS = "### warledger"
ROUNDS_AT = 91
ROUND_WIDTH = 10
ROUNDS_MOST = 999
"""More rounds no tournament has: the format gives them three digits."""

_PLAYED: dict[str, tuple[Result, str]] = {
    "1": ("win", "W"),
    "W": ("win", "W"),
    "=": ("draw", "D"),
    "D": ("draw", "D"),
    "0": ("loss", "L"),
    "L": ("loss", "L"),
}
_BYES: dict[str, tuple[Manner, str]] = {
    "U": ("pairing_bye", "PAB"),
    "F": ("full_bye", "FPB"),
    "H": ("half_bye", "HPB"),
    "Z": ("zero_bye", "ZPB"),
}
_DEFAULTS = {
    "W": 10,
    "D": 5,
    "L": 0,
    "FW": 10,
    "FL": 0,
    "PAB": 10,
    "FPB": 10,
    "HPB": 5,
    "ZPB": 0,
}
"""Tenths of a point by JaVaFo's codes."""

_SHORT = {"W": ("W", "FW", "FPB"), "D": ("D", "HPB")}
_COLOURED = {"WW": "W", "BW": "W", "WD": "D", "BD": "D", "WL": "L", "BL": "L"}
_LETTERS_26 = {"W": "W", "D": "D", "L": "L", "P": "PAB", "F": "FPB", "H": "HPB", "Z": "ZPB"}
"""TRF26 record 162: the letters of results, and JaVaFo's code for each."""


class TrfError(ValueError):
    """A line cannot be read.

    Attributes:
        line: its number, from 1.
    """

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(f"line {line}: {problem}")
        self.line = line


@frozen
class Report:
    """A tournament report file.

    Attributes:
        lines: the file's lines with their ends, as they are.
        form: the edition.
        table: entrants and the rounds that have been paired.
        unit: tenths of a point that one unit of the table's points is.
        scale: what a win and a loss are worth, in the table's units.
        initial: the initial colour, 0 for white, None where the file does not say.
        absent: who is not to be paired in the next round.
        forbidden: pairs that may not meet.
        virtual: virtual points of accelerated rounds (XXA, 250): for each entrant who has any those
            of each round from the first, in the table's units.
        ranked: with `XXC rank` the number of each entrant by which the round is paired, which is
            the rank in their line; empty where the numbers of the lines are it.
    """

    lines: tuple[str, ...]
    form: Form
    table: Crosstable
    unit: int
    scale: Scale
    initial: int | None = None
    absent: frozenset[int] = frozenset()
    forbidden: tuple[tuple[int, int], ...] = ()
    virtual: Mapping[int, tuple[int, ...]] = field(factory=dict)
    ranked: Mapping[int, int] = field(factory=dict)

    def by_rank(self) -> Report:
        """The report with everybody under the number by which the round is paired; `lines` and
        `ranked` stay."""
        if not self.ranked:
            return self
        to = self.ranked
        return replace(
            self,
            table=_renumbered(self.table, to),
            absent=frozenset(to[one] for one in self.absent),
            forbidden=tuple((to[a], to[b]) for a, b in self.forbidden),
            virtual={to[one]: given for one, given in self.virtual.items()},
        )

    @property
    def present(self) -> tuple[int, ...]:
        """Who is to be paired in the next round."""
        return tuple(one.number for one in self.table.entrants if one.number not in self.absent)

    def data(self) -> bytes:
        """The file."""
        return "".join(self.lines).encode("utf-8", "surrogateescape")


def read(data: bytes) -> Report:
    """Reads a file of either edition; any encoding survives, UTF-8 is understood.

    Raises:
        TrfError: a line cannot be read.
    """
    text = data.decode("utf-8", "surrogateescape")
    lines = tuple(re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$", text))
    return _Reading().all(lines)


@frozen
class _Cell:
    """One round in a player's line."""

    opponent: int
    side: str
    result: str


class _Reading:
    """Gathers what the lines say."""

    def __init__(self) -> None:
        self.entrants: dict[int, Entrant] = {}
        self.cells: dict[int, list[_Cell | None]] = {}
        self.planned = 0
        self.initial: int | None = None
        self.absent: set[int] = set()
        self.byes: dict[int, dict[int, str]] = {}
        self.forbidden: list[tuple[int, int]] = []
        self.tenths = dict(_DEFAULTS)
        self.form: Form = 16
        self.unit = 0
        self.rounds = 0
        self.virtual: dict[int, dict[int, int]] = {}
        self.spans: list[tuple[int, range, range]] = []
        self.by_rank = False
        self.ranks: dict[int, int] = {}
        self.limited: list[tuple[int, list[int]]] = []
        self.ours: list[tuple[int, str]] = []

    def all(self, lines: tuple[str, ...]) -> Report:
        """Reads every line."""
        for number, raw in enumerate(lines, 1):
            line = raw.rstrip("\r\n").lstrip("\ufeff")
            try:
                self.line(line, number)
            except TrfError:
                raise
            except (ValueError, IndexError) as wrong:
                raise TrfError(number, f"{line[:3]} cannot be read: {wrong}") from wrong
        for number, row in self.cells.items():
            for cell in row:
                if cell and cell.opponent and cell.opponent not in self.entrants:
                    raise TrfError(
                        1, f"player {number} met {cell.opponent}, who has no line of their own"
                    )
        done = max(self._done(), self.rounds)
        for last, who in self.limited:
            if done < last:
                self._forbid(who)
        virtual = self._virtual()
        known = [*self.tenths.values(), *(one for given in virtual.values() for one in given)]
        unit = self.unit or (5 if all(one % 5 == 0 for one in known) else 1)
        if any(one % unit for given in virtual.values() for one in given):
            raise TrfError(1, f"virtual points are not a multiple of the unit of {unit} tenths")
        rounds = tuple(
            {number: self._line(row, index, unit) for number, row in sorted(self.cells.items())}
            for index in range(done)
        )
        table = Crosstable(
            tuple(one for _, one in sorted(self.entrants.items())), rounds, self.planned
        )
        for at, line in self.ours:
            try:
                table = _with_ours(table, line)
            except (ValueError, IndexError, KeyError) as wrong:
                raise TrfError(at, f"a line of Warledger's cannot be read: {wrong}") from wrong
        coming = {number for number, row in self.cells.items() if len(row) > done and row[done]}
        return Report(
            lines=lines,
            form=self.form,
            table=table,
            unit=unit,
            scale=Scale(win=self.tenths["W"] // unit, loss=self.tenths["L"] // unit),
            initial=self.initial,
            absent=frozenset(self.absent | coming | set(self.byes.get(done, {}))),
            forbidden=tuple(self.forbidden),
            virtual={
                number: tuple(one // unit for one in given) for number, given in virtual.items()
            },
            ranked=self._ranked(),
        )

    def _virtual(self) -> dict[int, tuple[int, ...]]:
        """Virtual points in tenths, of those who have any."""
        for tenths, rounds, players in self.spans:
            for number in sorted(self.entrants.keys() & set(players)):
                self.virtual.setdefault(number, {}).update(dict.fromkeys(rounds, tenths))
        return {
            number: tuple(given.get(index, 0) for index in range(max(given) + 1))
            for number, given in sorted(self.virtual.items())
            if any(given.values())
        }

    def _ranked(self) -> dict[int, int]:
        if not self.by_rank:
            return {}
        if sorted(self.ranks.values()) != list(range(1, len(self.entrants) + 1)):
            raise TrfError(1, "with XXC rank every player needs a rank of their own, from 1 on")
        return dict(sorted(self.ranks.items()))

    def line(self, line: str, number: int) -> None:
        """Reads one line."""
        code, rest = line[:3], line[4:]
        if line.startswith(OURS):
            self.ours.append((number, line))
            match line.split()[2:]:
                case ["unit", unit]:
                    self.unit = int(unit)
                case ["rounds", rounds]:
                    self.rounds = int(rounds)
                    if not 0 <= self.rounds <= ROUNDS_MOST:
                        raise TrfError(number, f"{rounds} rounds are more than {ROUNDS_MOST}")
        elif code == "001":
            self._player(line, number)
        elif code in ("XXR", "142"):
            self.planned = int(rest.split()[0])
        elif code == "152":
            self.initial = {"W": 0, "B": 1}[rest.strip().upper()]
        elif code == "XXC":
            for word in rest.split():
                if word == "rank":
                    self.by_rank = True
                    continue
                self.initial = {"white1": 0, "black1": 1}[word]
        elif code == "XXZ":
            self.absent |= {int(word) for word in rest.split()}
        elif code == "XXA":
            given = [line[at : at + 4].strip() for at in range(9, len(line), 5)]
            points = {index: _tenths(one) for index, one in enumerate(given) if one}
            self.virtual.setdefault(int(line[4:8]), {}).update(points)
        elif code == "250":
            *_, worth, since, until, lowest, highest = rest.split()
            span = range(int(since) - 1, min(int(until), ROUNDS_MOST))
            self.spans.append((_tenths(worth), span, range(int(lowest), int(highest) + 1)))
        elif code == "XXP":
            self._forbid([int(word) for word in rest.split()])
        elif code == "XXS":
            for word in rest.split():
                name, value = word.split("=")
                self._worth(name, value)
        elif code == "162":
            for letter, value in re.findall(r"([A-Z])\s*=?\s*(\d+(?:\.\d+)?)", rest):
                if letter in _LETTERS_26:
                    self.tenths[_LETTERS_26[letter]] = _tenths(value)
        elif code == "240":
            kind, at, *who = rest.split()
            self.byes.setdefault(int(at) - 1, {}).update({int(one): kind for one in who})
        elif code == "260":
            _, last, *pair = (int(word) for word in rest.split())
            self.limited.append((last, pair))
        if code in ("###", "142", "152", "162", "192", "240", "250", "260"):
            self.form = 26 if code != "###" else self.form

    def _worth(self, name: str, value: str) -> None:
        name = name.upper()
        for one in _SHORT.get(name, (_COLOURED.get(name, name),)):
            self.tenths[one] = _tenths(value)

    def _forbid(self, who: Sequence[int]) -> None:
        self.forbidden += [(a, b) for i, a in enumerate(who) for b in who[i + 1 :]]

    def _player(self, line: str, at: int) -> None:
        number = int(line[4:8])
        if number in self.entrants:
            raise TrfError(at, f"player {number} has two lines")
        rating = line[48:52].strip()
        rank = line[85:89].strip()
        self.ranks[number] = int(rank) if rank.isdigit() else 0
        self.entrants[number] = Entrant(
            number, line[14:47].strip(), int(rating) if rating.isdigit() else 0
        )
        row: list[_Cell | None] = []
        for start in range(ROUNDS_AT, len(line), ROUND_WIDTH):
            text = line[start : start + 8].ljust(8)
            if not text.strip():
                row.append(None)
                continue
            result = text[7].upper()
            opponent = int(text[:4].strip() or 0)
            if result not in (*_PLAYED, *_BYES, "+", "-", " "):
                raise TrfError(at, f"{text[7]!r} is not a result")
            row.append(_Cell(opponent, text[5].lower(), result))
        self.cells[number] = row

    def _done(self) -> int:
        """How many rounds have been paired: somebody has an opponent or the pairing's bye."""
        return max(
            (
                index + 1
                for row in self.cells.values()
                for index, cell in enumerate(row)
                if cell and (cell.opponent or cell.result == "U")
            ),
            default=0,
        )

    def _line(self, row: Sequence[_Cell | None], index: int, unit: int) -> Line:
        cell = row[index] if index < len(row) else None
        if cell is None:
            return Line("absent")
        opponents = (cell.opponent,) if cell.opponent else ()
        seat = {"w": 0, "b": 1}.get(cell.side)

        def worth(code: str) -> int:
            return self.tenths[code] // unit

        if cell.result in _PLAYED:
            result, code = _PLAYED[cell.result]
            return Line("played", worth(code), result, opponents, seat)
        if cell.result == "+":
            return Line("forfeit", worth("FW"), "win", opponents, seat)
        if cell.result == "-":
            return Line("forfeit", worth("FL"), "loss", opponents, seat)
        if cell.opponent:
            return Line("pending", 0, None, opponents, seat)
        if cell.result == " ":
            return Line("absent")
        manner, code = _BYES[cell.result]
        return Line(manner, worth(code))


def _renumbered(table: Crosstable, to: Mapping[int, int]) -> Crosstable:
    entrants = [replace(one, number=to[one.number]) for one in table.entrants]
    rounds = tuple(
        {
            to[number]: replace(line, opponents=tuple(to[other] for other in line.opponents))
            for number, line in one.items()
        }
        for one in table.rounds
    )
    ordered = tuple(sorted(entrants, key=lambda one: one.number))
    return replace(table, entrants=ordered, rounds=rounds)


def _tenths(value: str) -> int:
    whole, _, part = value.partition(".")
    return int(whole or 0) * 10 + int((part + "0")[0])


def _with_ours(table: Crosstable, line: str) -> Crosstable:
    """What a line of ours says beyond the format."""
    _, _, kind, *words = line.split(" ")
    if kind == "boards":
        at, *firsts = (int(word) for word in words)
        rounds = list(table.rounds)
        lines = dict(rounds[at - 1])
        for board, first in enumerate(firsts, 1):
            for number in (first, *lines[first].opponents):
                lines[number] = replace(lines[number], board=board)
        rounds[at - 1] = lines
        return replace(table, rounds=tuple(rounds))
    if kind == "line":
        at, number = int(words[0]), int(words[1])
        fields = dict(word.split("=") for word in words[2:])
        manner, result = fields["manner"], fields["result"]
        if manner not in get_args(Manner) or result not in (*get_args(Result), "-"):
            raise ValueError(f"{manner} {result}")
        rounds = list(table.rounds)
        rounds[at - 1] = rounds[at - 1] | {
            number: Line(
                manner=cast(Manner, manner),
                points=int(fields["points"]),
                result=None if result == "-" else cast(Result, result),
                opponents=tuple(int(one) for one in fields["opponents"].split(",") if one != "-"),
                seat=None if fields["seat"] == "-" else int(fields["seat"]),
                margin=int(fields["margin"]),
                board=rounds[at - 1][number].board,
            )
        }
        return replace(table, rounds=tuple(rounds))
    if kind == "entrant":
        number = int(words[0])
        groups = tuple(" ".join(words[1:]).split("\t"))
        entrants = tuple(
            replace(one, groups=groups) if one.number == number else one for one in table.entrants
        )
        return replace(table, entrants=entrants)
    return table


@frozen
class Heading:
    """What stands above the players; empty fields are left out.

    Attributes:
        records: header records by their code, such as `{"012": "Atlantic Open", "022": "Prague"}`.
        notes: more that the format has no place for, each a name and a text: a title, a handicap.
    """

    records: Mapping[str, str] = field(factory=dict)
    notes: tuple[tuple[str, str], ...] = ()


def compose(
    table: Crosstable,
    *,
    heading: Heading | None = None,
    form: Form = 16,
    unit: int = 5,
    scale: Scale | None = None,
    initial: int | None = None,
    absent: Collection[int] = (),
    forbidden: Sequence[tuple[int, int]] = (),
    ranks: Mapping[int, int] | None = None,
    titles: Mapping[int, str] | None = None,
    virtual: Mapping[int, Sequence[int]] | None = None,
) -> bytes:
    """A file of a tournament so far, as UTF-8.

    Args:
        unit: tenths of a point that one unit of the table's points is.
        ranks: the place of each entrant by number; by points and number where it is not given.
        titles: the title of an entrant by number, such as `GM`, at most three letters.
        virtual: virtual points of accelerated rounds, in the table's units.
    """
    heading = heading or Heading()
    scale = scale or Scale()
    lines = [f"{code} {text}" for code, text in heading.records.items() if text]
    draw = (scale.win + scale.loss) // 2
    tenths = {"W": scale.win * unit, "D": draw * unit, "L": scale.loss * unit}
    if form == 26:
        lines += [f"142 {table.planned}"] if table.planned else []
        lines += [f"152 {'WB'[initial]}"] if initial is not None else []
        worth = {"W": "W", "D": "D", "L": "L", "P": "W", "F": "W", "H": "D"}
        lines.append("162 " + "  ".join(f"{k} {_point(tenths[v])}" for k, v in worth.items()))
        lines += [f"260 001 {table.planned or 999:03} {a:4} {b:4}" for a, b in forbidden]
        lines += [
            f"250 00.0 {_point(one * unit):0>4} {at:03} {at:03} {number:04} {number:04}"
            for number, given in sorted((virtual or {}).items())
            for at, one in enumerate(given, 1)
            if one
        ]
    else:
        lines += [f"XXR {table.planned}"] if table.planned else []
        lines += [f"XXC {('white1', 'black1')[initial]}"] if initial is not None else []
        if tenths != {"W": 10, "D": 5, "L": 0}:
            loss = _point(tenths["L"])
            lines.append(
                f"XXS W={_point(tenths['W'])} D={_point(tenths['D'])} WL={loss} BL={loss}"
                f" PAB={_point(tenths['W'])}"
            )
        lines += [f"XXP {a} {b}" for a, b in forbidden]
        lines += [
            f"XXA {number:4}" + "".join(f" {_point(one * unit):>4}" for one in given)
            for number, given in sorted((virtual or {}).items())
        ]
    lines += [f"{OURS} unit {unit}", f"{OURS} rounds {len(table.rounds)}"]
    lines += [f"{OURS} note {name} {text}" for name, text in heading.notes]
    if absent and form == 26:
        away = "".join(f" {number:4}" for number in sorted(absent))
        lines.append(f"240 Z {len(table.rounds) + 1:03}{away}")
    elif absent:
        lines.append("XXZ " + " ".join(map(str, sorted(absent))))
    if ranks is None:
        order = sorted(table.entrants, key=lambda one: (-table.points(one.number), one.number))
        ranks = {one.number: place for place, one in enumerate(order, 1)}
    lines += [
        _player(table, one, unit, ranks.get(one.number, 0), (titles or {}).get(one.number, ""))
        for one in table.entrants
    ]
    plain = read("\n".join(lines).encode())
    lines += _ours(table, plain.table)
    return ("\n".join(lines) + "\n").encode()


def with_rounds(report: Report, table: Crosstable) -> Report:
    """A file with the rounds of another table: names, titles and all else stay as they are, byte by
    byte.

    Raises:
        TrfError: the table's entrants are not those of the file.
    """
    numbers = {one.number for one in table.entrants}
    if numbers != {one.number for one in report.table.entrants}:
        raise TrfError(1, "the table has other entrants than the file")
    by_number = {one.number: one for one in table.entrants}
    lines: list[str] = []
    for raw in report.lines:
        line = raw.rstrip("\r\n")
        kind = line.split(" ")[2:3] if line.startswith(OURS) else []
        if kind in (["boards"], ["line"], ["rounds"]):
            continue
        if line.startswith("001"):
            made = _player(table, by_number[int(line[4:8])], report.unit, 0, "")
            line = (line[:80].ljust(80) + made[80:84] + line[84:89].ljust(5) + made[89:]).rstrip()
        lines.append(line + raw[len(raw.rstrip("\r\n")) :])
    end = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
    if lines and not lines[-1].endswith(("\r", "\n")):
        lines[-1] += end
    lines.append(f"{OURS} rounds {len(table.rounds)}{end}")
    plain = read("".join(lines).encode("utf-8", "surrogateescape"))
    lines += [line + end for line in _ours(table, plain.table)]
    return read("".join(lines).encode("utf-8", "surrogateescape"))


def _point(tenths: int) -> str:
    return f"{tenths // 10}.{tenths % 10}"


def _player(table: Crosstable, entrant: Entrant, unit: int, rank: int, title: str) -> str:
    """A player's line."""
    name = " ".join(entrant.name.split())[:33]
    points = _point(table.points(entrant.number) * unit)
    rating = f"{entrant.rating:4}" if entrant.rating else "    "
    line = f"001 {entrant.number:4}  {title[:3]:>3} {name:33} {rating:4}"
    line = f"{line:80}{points:>4} {rank or '':>4}"
    cells = "".join("  " + _cell(one) for one in table.of(entrant.number))
    return (line + cells).rstrip()


def _cell(line: Line) -> str:
    """One round in a player's line."""
    letters: dict[str, str] = {
        "win": "1",
        "close_win": "1",
        "draw": "=",
        "close_loss": "0",
        "loss": "0",
    }
    byes = {"pairing_bye": "U", "full_bye": "F", "half_bye": "H", "zero_bye": "Z"}
    side = "-" if line.seat is None else "wb"[line.seat] if line.seat < 2 else "-"
    opponent = line.opponents[0] if line.opponents else 0
    if line.played:
        return f"{opponent:4} {side} {letters[line.result or 'draw']}"
    if line.manner == "forfeit":
        return f"{opponent:4} {side} {'+' if line.result == 'win' else '-'}"
    if line.manner == "pending":
        return f"{opponent:4} {side}  "
    if line.manner in byes:
        return f"0000 - {byes[line.manner]}"
    return " " * 8


def _ours(table: Crosstable, plain: Crosstable) -> list[str]:
    """The lines that say what a plain reading of the others misses."""
    lines = [
        f"{OURS} entrant {one.number} " + "\t".join(one.groups)
        for one in table.entrants
        if one.groups
    ]
    for at, one in enumerate(table.rounds, 1):
        firsts = {
            line.board: number
            for number, line in sorted(one.items(), key=lambda item: -(item[1].seat or 0))
            if line.board
        }
        there = plain.rounds[at - 1] if at <= len(plain.rounds) else {}
        for number, line in sorted(one.items()):
            if replace(line, board=0) != there.get(number, Line("absent")):
                lines.append(
                    f"{OURS} line {at} {number} manner={line.manner} points={line.points}"
                    f" result={line.result or '-'}"
                    f" opponents={','.join(map(str, line.opponents)) or '-'}"
                    f" seat={'-' if line.seat is None else line.seat} margin={line.margin}"
                )
        if firsts and sorted(firsts) == list(range(1, len(firsts) + 1)):
            lines.append(f"{OURS} boards {at} " + " ".join(str(firsts[b]) for b in sorted(firsts)))
    return lines
