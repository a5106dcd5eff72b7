"""The files of a tournament, from where it stands: for spreadsheets, printers, calendars, programs
and other pairing programs; and everything public about it as plain values."""

import json
import unicodedata
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal

from attrs import evolve as replace
from attrs import frozen

from warledger.engine.desk import calendars, printing
from warledger.engine.desk.calendars import Event
from warledger.engine.desk.handles import skeletons
from warledger.engine.tournaments import charterwords, csvfiles, shapes, tally, tiebreakwords, trf
from warledger.engine.tournaments.crosstable import Crosstable
from warledger.engine.tournaments.deeds import called
from warledger.engine.tournaments.encounters import Encounter
from warledger.engine.tournaments.swiss.playercards import Scale
from warledger.engine.tournaments.tally import crosstable, ranking
from warledger.engine.tournaments.tiebreaks import Value
from warledger.engine.tournaments.tournamentposition import Board, Position, RoundState
from warledger.protocol.clocks.clockcontrol import MINUTE_MS
from warledger.protocol.texts.phrases import Phrases


class NoPaper(ValueError):
    """There is nothing to write; the message says why."""


@frozen
class Asked:
    """What a file is written from: the position, the table of the stage in progress, the round of
    that stage, the language, and the page's address ("" where none is known)."""

    id: str
    at: Position
    table: Crosstable
    round: int
    spoken: Phrases
    url: str = ""

    @property
    def seats(self) -> tuple[str, ...]:
        """Of the title of the round."""
        return self.at.seats(self.at.stage_pairings[self.round - 1][0].number)

    @property
    def name(self) -> str:
        """Of the tournament."""
        return self.at.charter.name

    @property
    def printed(self) -> Crosstable:
        """The table with everybody as they are shown."""
        shown = shown_names(self.at)
        people = tuple(
            replace(one, name=shown[self.at.order[one.number - 1]]) for one in self.table.entrants
        )
        return replace(self.table, entrants=people)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def _pairings(asked: Asked) -> str:
    return csvfiles.pairings(asked.table, asked.round, asked.seats)


def _standings(asked: Asked) -> str:
    return csvfiles.standings(tally.ranking(asked.at), asked.at.rules.tiebreaks, asked.table)


def _standings_data(asked: Asked) -> str:
    return _json(shapes.standings(tally.ranking(asked.at), asked.at.rules.tiebreaks))


def _printed(
    draw: Callable[[str, Crosstable, int, tuple[str, ...], Phrases], str],
) -> Callable[[Asked], str]:
    return lambda asked: draw(asked.name, asked.printed, asked.round, asked.seats, asked.spoken)


def _slips(asked: Asked) -> str:
    urls = _places(asked) if asked.url else {}
    return printing.slips(asked.name, asked.printed, asked.round, asked.seats, asked.spoken, urls)


def _places(asked: Asked) -> dict[int, str]:
    """Where each entrant's seat is opened, by starting number: for whoever is signed in there, or
    has their token there. The address itself tells nobody anything."""
    at = asked.at
    one = at.stage_pairings[asked.round - 1][-1]
    start = {number: place for place, number in enumerate(at.order, 1)}
    return {
        start[number]: f"{asked.url}/tournament/{asked.id}#as=e:{number}"
        f"&play={one.number}.{board.number}"
        for board in one.boards
        for number in board.entrants
    }


OF_A_ROUND: Final[Mapping[str, Callable[[Asked], str]]] = {
    "pairings.csv": _pairings,
    "pairings.json": lambda asked: _json(shapes.pairings(asked.table, asked.round)),
    "pairings.txt": _printed(printing.text),
    "pairings.html": _printed(printing.by_board),
    "names.html": _printed(printing.by_name),
    "slips.html": _slips,
}
"""Files of one round."""

OF_ALL: Final[Mapping[str, Callable[[Asked], str]]] = {
    "entrants.csv": lambda asked: csvfiles.entrants(asked.table.entrants),
    "results.csv": lambda asked: csvfiles.results(asked.table),
    "standings.csv": _standings,
    "standings.json": _standings_data,
    "crosstable.json": lambda asked: _json(shapes.crosstable(asked.table)),
    "rounds.ics": lambda asked: calendar(asked.id, asked.at, asked.spoken).decode(),
}
"""Files of the stage in progress, and the calendar of all rounds."""

REPORTS: Final[Mapping[str, Literal[16, 26]]] = {"report.trf16": 16, "report.trf26": 26}
"""The stage in progress as a FIDE tournament report."""

KINDS: Final = (*OF_A_ROUND, *OF_ALL)
TYPES: Final = {
    "csv": "text/csv; charset=utf-8",
    "json": "application/json; charset=utf-8",
    "txt": "text/plain; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "ics": "text/calendar; charset=utf-8",
    "trf16": "text/plain; charset=utf-8",
    "trf26": "text/plain; charset=utf-8",
}
"""What a file is by the end of its name."""


def write(
    id: str, at: Position, kind: str, round: int | None, spoken: Phrases, url: str = ""
) -> bytes:
    """One of KINDS or REPORTS; of a round of the stage in progress (default: the newest that is
    published). `url` is the page's address, for the codes on slips. Raises NoPaper, KeyError for
    another kind."""
    if not at.order:
        raise NoPaper("the stage has not begun, so there is nothing to write yet")
    if kind in REPORTS:
        return report(at, REPORTS[kind])
    table = tally.crosstable(at)
    asked = Asked(id, at, table, len(table.rounds) if round is None else round, spoken, url)
    if kind in OF_A_ROUND and not 1 <= asked.round <= len(table.rounds):
        raise NoPaper(
            f"the stage has {len(table.rounds)} published rounds; publish one, or name one of them"
            " with --round"
        )
    return {**OF_A_ROUND, **OF_ALL}[kind](asked).encode()


def calendar(id: str, at: Position, spoken: Phrases) -> bytes:
    """The rounds that are published, until when bids are open, and when whoever has
    not come loses."""
    return calendars.write(at.charter.name, round_events(id, at, spoken), at.at_ms)


def round_events(id: str, at: Position, spoken: Phrases) -> list[Event]:
    """The published rounds, ends of bids, and when whoever has not come loses, as events."""
    events = []
    charter = at.charter
    for one in at.rounds:
        if not one.published:
            continue
        moments = [("round", 0), ("no_show", charter.absence.no_show_minutes)]
        if charter.sides.by in ("bid", "auction"):
            moments.append(("bids", charter.sides.bid.minutes))
        for what, minutes in sorted(moments, key=lambda moment: moment[1]):
            when = one.published_ms + minutes * MINUTE_MS
            events.append(
                Event(
                    f"{id}-r{one.number}-{what}@warledger",
                    spoken.text(f"tournament.calendar.{what}", name=charter.name, n=one.number),
                    when,
                    when,
                )
            )
    return events


def report(at: Position, edition: Literal[16, 26]) -> bytes:
    """The stage in progress as a FIDE tournament report."""
    points = at.rules.points
    notes = (("title", at.charter.title), ("tournament", at.founding.tournament))
    return trf.compose(
        crosstable(at),
        heading=trf.Heading({"012": at.charter.name}, notes),
        form=edition,
        unit=max(1, 10 // max(1, points.win)),
        scale=Scale(points.win, points.loss),
        ranks={one.number: one.place for one in ranking(at)},
    )


# --- plain values ---------------------------------------------------------------------------------


def summary(id: str, at: Position) -> dict[str, Any]:
    """A tournament as a row of a list. A round that is not published does not count."""
    rounds = sum(one.published for one in at.rounds)
    return {
        "id": id,
        "name": at.charter.name,
        "title": at.charter.title,
        "entrants": len(at.entrants),
        "round": rounds,
        "state": "finished" if at.finished else "playing" if rounds else "entering",
    }


def public(id: str, at: Position) -> dict[str, Any]:
    """Everything public about a tournament, as plain values. A pairing that is not published is
    not."""
    rounds = [one for one in at.rounds if one.published]
    return {
        **summary(id, at),
        "stage": at.stage + 1,
        "stages": len(at.charter.stages),
        "system": at.rules.system,
        "charter": at.charter.settings(),
        "words": tuple(told.as_array() for told in charterwords.words(at.charter)),
        "tiebreaks": at.rules.tiebreaks,
        "entrant_list": entrant_rows(at, at.next_round),
        "officials": official_rows(at),
        "rounds": tuple(round_told(at, one) for one in rounds),
        "standings": tuple(standing_rows(at)),
        "places": at.places,
        "claims": tuple(
            {
                "claim": claim.number,
                "who": claim.who,
                "text": claim.text,
                "finding": claim.finding,
                "ruling": claim.ruling,
            }
            for claim in at.claims
        ),
        "head": at.seq,
    }


def told(id: str, at: Position, *, draft: bool, present: Position | None = None) -> dict[str, Any]:
    """What `public` tells, and what whoever acts in a tournament needs besides: which round is to
    come, and whether it asks for a check-in. Those who may see it (`draft`) get the pairing that is
    not published, with who has checked in, and whose names are `alike`. `present` is a later
    position, from which those who have entered and checked in are read."""
    last = at.last
    drafted = round_told(at, last) if draft and last and not last.published else None
    people = entrant_rows(present or at, drafted["round"] if drafted else at.next_round)
    return {
        **public(id, at),
        "entrants": len(people),
        "entrant_list": people,
        "drafted": drafted,
        "next_round": at.next_round,
        "check_in": at.charter.absence.check_in_minutes > 0,
        "lots": lots_told(at),
        "alike": alike(at) if draft else (),
    }


def lots_told(at: Position) -> dict[str, Any] | None:
    """Whose nonces the lots wait for, and until when; None while they wait for nobody's."""
    return {"until_ms": at.lots_until_ms, "missing": at.missing} if at.waits else None


def entrant_rows(at: Position, round: int) -> tuple[dict[str, Any], ...]:
    """The entrants as plain values, each with how they are `shown` (`shown_names`); `checked` is
    whether they have checked in for this round."""
    shown = shown_names(at)
    return tuple(
        {
            "number": person.number,
            "name": person.name,
            "shown": shown[person.number],
            "rating": person.rating,
            "present": person.present,
            "checked": round in person.checked,
        }
        for person in at.entrants.values()
    )


def alike(at: Position) -> tuple[tuple[int, ...], ...]:
    """The numbers of entrants whose names are easily taken for each other, in groups."""
    groups: dict[str, list[int]] = {}
    for number, person in at.entrants.items():
        for skeleton in skeletons(person.name):
            groups.setdefault(skeleton, []).append(number)
    return tuple(sorted({tuple(group) for group in groups.values() if len(group) > 1}))


def shown_names(at: Position) -> dict[int, str]:
    """The entrants' names by their numbers, with the number behind it where another's looks like
    it. Then whoever has a digit in their name gets a number, too: it could pass for another's."""
    told_apart = {number for group in alike(at) for number in group}
    if told_apart:
        told_apart |= {
            number
            for number, person in at.entrants.items()
            if any(unicodedata.category(char).startswith("N") for char in person.name)
        }
    return {
        number: f"{person.name} ({number})" if number in told_apart else person.name
        for number, person in at.entrants.items()
    }


def official_rows(at: Position) -> tuple[dict[str, str], ...]:
    """Who has which role as plain values, with their name, and how they are `shown` so that those
    of one name are told apart: those to whom one was given, the committee, and the panels of the
    newest round."""
    last = at.last.boards if at.last is not None else ()
    held = [
        *((role, id, name) for (role, id), name in at.roles.items()),
        *(("committee", *one) for one in at.charter.appeals.committee),
        *(("panel", *one) for board in last for one in board.panel),
    ]
    return tuple(
        {"role": role, "id": id, "name": name, "shown": called(at, id, name)}
        for role, id, name in dict.fromkeys(held)
    )


def round_told(at: Position, one: RoundState) -> dict[str, Any]:
    """A round as plain values."""
    no_show = at.charter.absence.no_show_minutes * MINUTE_MS
    return {
        "round": one.number,
        "stage": one.stage + 1,
        "title": at.played_in(one.number)[0],
        "seats": at.seats(one.number),
        "published_ms": one.published_ms if one.published else None,
        "no_show_ms": one.published_ms + no_show if one.published else None,
        "by_hand": one.by_hand,
        "byes": one.byes,
        "boards": tuple(_board(at, one, board) for board in one.boards),
    }


def _board(at: Position, one: RoundState, board: Board) -> dict[str, Any]:
    auction = board.auction
    open = one.published and not board.seated and board.verdict is None
    since = one.published_ms if auction is None else auction.since_ms
    return {
        "board": board.number,
        "entrants": board.entrants,
        "seated": board.seated,
        "handicap": board.handicap,
        "bids": sum(bid.board == board.number for bid in one.bids),
        "bidders": tuple(bid.entrant for bid in one.bids if bid.board == board.number),
        "auction": {
            "seat": auction.seat,
            "speaks": auction.speaks,
            "half_units": max(auction.half, 0),
            "holder": auction.holder,
        }
        if auction is not None and open
        else None,
        "sides_until_ms": since + at.charter.sides.bid.minutes * MINUTE_MS if open else None,
        "game": board.game,
        "results": board.verdict.results if board.verdict else None,
        "margins": board.verdict.margins if board.verdict else None,
        "manner": board.verdict.manner if board.verdict else None,
        "reason": board.verdict.reason if board.verdict else None,
    }


def shown(value: Value | Encounter | None) -> str:
    """A tie-break's value as text. A direct encounter in which games are missing is in parentheses:
    by itself it says nothing about the order of those who are tied."""
    told = csvfiles.told(value)
    return f"({told})" if isinstance(value, Encounter) and value.most != value.points else told


def standing_rows(at: Position) -> list[dict[str, Any]]:
    """The standings of the stage in progress as plain values, tie-breaks as texts (`shown`), each
    with how it came about as sentences."""
    if not at.order:
        return []
    rows = []
    table = crosstable(at)
    for one in ranking(at):
        number = at.order[one.number - 1]
        values = {}
        for name, value in zip(at.rules.tiebreaks, one.values, strict=True):
            values[name] = shown(value)
        rows.append(
            {
                "place": one.place,
                "number": number,
                "name": at.entrants[number].name,
                "points": one.points,
                "tiebreaks": values,
                "why": tuple(
                    told.as_array()
                    for told in tiebreakwords.explained(one, at.rules.tiebreaks, table)
                ),
            }
        )
    return rows
