"""What a director prints: a round's pairings by board and by name, and result slips with a QR code
that opens the seat. Each as one HTML page without scripts, or as plain text.
"""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Final

from warledger.engine.tournaments.crosstable import Crosstable
from warledger.engine.tournaments.csvfiles import boards, is_settled
from warledger.protocol.texts.phrases import Phrases

_STYLE: Final = """
body { font: 12pt/1.35 system-ui, sans-serif; margin: 1.5cm; color: #000; background: #fff }
h1 { font-size: 16pt } table { border-collapse: collapse; width: 100% }
th, td { border-bottom: 1px solid #999; padding: .25em .6em; text-align: start }
thead { display: table-header-group } tr { break-inside: avoid }
.slip { break-inside: avoid; border: 1px dashed #666; padding: .6cm; margin-bottom: .6cm }
.slip svg { width: 2.6cm; height: 2.6cm } .slip td { vertical-align: middle }
.blank { display: inline-block; min-width: 4cm; border-bottom: 1px solid #000 }
"""


def by_board(
    name: str, table: Crosstable, round: int, seats: Sequence[str], spoken: Phrases
) -> str:
    """The pairings of a round, counted from 1, in the order of boards, as HTML."""
    heads = [spoken.text("tournament.print.board"), *(spoken.name(seat) for seat in seats)]
    rows = _by_board(table, round)
    # Nobody is printed under a side that they may not get.
    if any(board and not settled for settled, board, *_ in rows):
        heads.append("")
    lines = [
        (board, *names, *([] if settled or not board else [spoken.text("tournament.print.open")]))
        for settled, board, *names in rows
    ]
    return _page(_title(name, round, spoken), _table(heads, lines), spoken)


def by_name(name: str, table: Crosstable, round: int, seats: Sequence[str], spoken: Phrases) -> str:
    """The pairings of a round by the entrants' names, as HTML: who looks for themselves finds their
    board, side and opponent."""
    heads = [
        spoken.text("tournament.print.name"),
        spoken.text("tournament.print.board"),
        spoken.text("tournament.print.side"),
        spoken.text("tournament.print.opponent"),
    ]
    rows = _by_name(table, round, seats, spoken)
    return _page(_title(name, round, spoken), _table(heads, rows), spoken)


def text(name: str, table: Crosstable, round: int, seats: Sequence[str], spoken: Phrases) -> str:
    """The pairings of a round by board as plain text, then who is not paired."""
    lines = [_title(name, round, spoken), ""]
    for settled, board, *names in _by_board(table, round):
        if board and not settled:
            lines.append(f"{board}. {' – '.join(names)} ({spoken.text('tournament.print.open')})")
        elif board:
            sides = ", ".join(
                f"{spoken.name(seat)} {one}" for seat, one in zip(seats, names, strict=False)
            )
            lines.append(f"{board}. {sides}")
        else:
            lines.append(spoken.text("tournament.print.unpaired", name=names[0]))
    return "\n".join(lines) + "\n"


def slips(
    name: str,
    table: Crosstable,
    round: int,
    seats: Sequence[str],
    spoken: Phrases,
    urls: Mapping[int, str],
) -> str:
    """Result slips of a round, one a board, as HTML: who sits where, room for the score and for
    signatures, and for each entrant a QR code of the address in `urls` by starting number."""
    names = {one.number: one.name for one in table.entrants}
    parts = []
    for board, lines in boards(table, round):
        rows = []
        for number, line in lines:
            side = _seat(line.seat, seats, spoken)
            rows.append(
                f'<tr><td>{_code(urls.get(number, ""))}</td><th scope="row">{escape(side)}</th>'
                f"<td>{escape(names[number])}</td>"
                f"<td>{escape(spoken.text('tournament.print.score'))} "
                f'<span class="blank"></span></td>'
                f"<td>{escape(spoken.text('tournament.print.signature'))} "
                f'<span class="blank"></span></td></tr>'
            )
        head = spoken.text("tournament.print.slip", name=name, round=round, board=board)
        parts.append(
            f'<section class="slip"><h2>{escape(head)}</h2><table>{"".join(rows)}</table></section>'
        )
    return _page(_title(name, round, spoken), "".join(parts), spoken)


def _title(name: str, round: int, spoken: Phrases) -> str:
    return spoken.text("tournament.print.title", name=name, round=round)


def _by_board(table: Crosstable, round: int) -> list[tuple[bool, str, *tuple[str, ...]]]:
    """Whether its sides are settled, board and names in seat order; then (False, "", name) of who
    is not paired."""
    names = {one.number: one.name for one in table.entrants}
    rows: list[tuple[bool, str, *tuple[str, ...]]] = [
        (is_settled(lines), str(board), *(names[number] for number, _ in lines))
        for board, lines in boards(table, round)
    ]
    rows.extend(
        (False, "", names[number])
        for number, line in sorted(table.rounds[round - 1].items())
        if not line.opponents
    )
    return rows


def _by_name(
    table: Crosstable, round: int, seats: Sequence[str], spoken: Phrases
) -> list[tuple[str, ...]]:
    names = {one.number: one.name for one in table.entrants}
    rows = []
    for number, line in table.rounds[round - 1].items():
        opponents = spoken.joined(names[one] for one in line.opponents) if line.opponents else ""
        rows.append(
            (
                names[number],
                str(line.board) if line.board else "",
                _seat(line.seat, seats, spoken),
                opponents,
            )
        )
    return sorted(rows, key=lambda row: (row[0].casefold(), row))


def _seat(seat: int | None, seats: Sequence[str], spoken: Phrases) -> str:
    return spoken.name(seats[seat]) if seat is not None and seat < len(seats) else ""


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f'<th scope="col">{escape(one)}</th>' for one in heads)
    body = "".join(
        "<tr>"
        + "".join(f"<td>{escape(one)}</td>" for one in row)
        + "<td></td>" * (len(heads) - len(row))
        + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _code(url: str) -> str:
    """A QR code as an inline picture, "" for no address."""
    if not url:
        return ""
    import segno  # only here: a server that prints nothing starts sooner

    made: str = segno.make(url, error="m", micro=False).svg_inline(omitsize=True, title=url)
    return made


def _page(title: str, body: str, spoken: Phrases) -> str:
    return (
        f'<!doctype html>\n<html lang="{escape(spoken.language)}"><head><meta charset="utf-8">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head>"
        f"<body><h1>{escape(title)}</h1>{body}</body></html>\n"
    )
