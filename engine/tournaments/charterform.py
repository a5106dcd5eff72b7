"""Reads a charter from a parsed document, and says what is wrong with it in an organiser's terms.

The document is what a TOML file holds (read with `parse_float=str`, so that 1.5 arrives as written)
or the settings of record 0. Whatever it contains, nothing here raises but `of_settings`: each
finding names the place, the problem and what to write instead, and all of them come at once.
"""

import itertools
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from attrs import field, fields, frozen

from warledger.engine.tournaments import charter as charters
from warledger.engine.tournaments import presets, tiebreaknames
from warledger.engine.tournaments.charter import (
    Absence,
    Advance,
    Appeals,
    Bid,
    Ceremony,
    Charter,
    Claims,
    Entry,
    Late,
    Points,
    Ratings,
    Round,
    Sides,
    Spectators,
    Stage,
    Unfinished,
)
from warledger.engine.tournaments.charternumbers import check_numbers
from warledger.engine.tournaments.charterreading import Table, shown
from warledger.protocol.board.findings import ERROR, WARNING, Finding, Inspection, nearest
from warledger.protocol.clocks import clockcontrol
from warledger.protocol.clocks.clockcontrol import BadControl, Control
from warledger.protocol.limits import (
    BID_HALF_UNITS_MAX,
    COMMITTEE_MAX,
    DELAY_S_MAX,
    DELAY_TURNS_MAX,
    ENTRANTS_MAX,
    MINUTES_MAX,
    RESULT_POINTS_MAX,
    ROUNDS_MAX,
    STAGES_MAX,
    TABLE_SEATS_MAX,
)
from warledger.protocol.log.records import is_person

_KEY = re.compile(r"[0-9a-f]{64}", re.ASCII)
_CLOCK_TIMES: Final = ("bank", "turn", "each", "cap", "free", "free_turn", "notice")


@frozen
class Playable:
    """What a check needs to know of a title: its seats in order, its options with their allowed
    values, and whether its games have a score."""

    seats: tuple[str, ...]
    options: Mapping[str, tuple[bool | int | str, ...]] = field(factory=dict)
    scored: bool = True


Titles = Mapping[str, Playable]


@frozen
class Checked:
    """What a check gives: the charter, None where an error keeps it from being used, and the
    findings, errors first."""

    charter: Charter | None
    findings: tuple[Finding, ...]


class BadCharter(ValueError):
    """Settings that are not a charter; `findings` holds what is wrong, the message the first."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        self.findings = tuple(findings)
        super().__init__("\n".join(one.text for one in self.findings[:5]))


def read(
    doc: Mapping[str, Any], titles: Titles | None = None, players: int | None = None
) -> Checked:
    """Check a document and make a charter of it.

    `titles` are those that can be played here; None where that is not known, as for an auditor
    without them: seats and options are then taken as they stand. `players` is how many entrants
    are expected; None where that is not known: the charter's own limits then say for how few its
    rounds must be enough.
    """
    out = Inspection()
    charter = _charter(doc, titles, out, players)
    found = tuple(f for level in (ERROR, WARNING) for f in out.findings if f.severity == level)
    return Checked(None if out.failed else charter, found)


def of_settings(settings: Mapping[str, Any]) -> Charter:
    """The charter of record 0. Raises BadCharter for settings that are not the canonical form of
    a charter."""
    checked = read(settings)
    if checked.charter is None:
        raise BadCharter([one for one in checked.findings if one.severity == ERROR])
    made = checked.charter
    if made.settings() != settings or not all(map(is_person, made.appeals.committee)):
        raise BadCharter(
            [
                Finding(
                    ERROR,
                    "charter",
                    "the settings are not in their canonical form",
                    "Write them as Charter.settings gives them",
                )
            ]
        )
    return made


def _charter(doc: Any, titles: Titles | None, out: Inspection, players: int | None) -> Charter:
    top = Table(out, doc, "")
    if top.has("preset"):
        name = top.one_of("preset", tuple(presets.PRESETS), None)
        top = Table(out, presets.overlaid(presets.PRESETS.get(name, {}), top.doc), "")
        top.asked.append("preset")
    title, options = _played(top, titles, None)
    known = titles.get(title) if titles is not None else None
    seats = known.seats if known else None
    stages = tuple(_stage(one, seats) for one in top.rows("stage", STAGES_MAX))
    made = Charter(
        name=top.text("name", None),
        title=title,
        options=options,
        stages=stages,
        rounds=_rounds(top, titles, title),
        sides=_sides(top.table("sides")),
        clock=_clock(top.table("clock"), seats),
        entry=_entry(top.table("entry")),
        late=_late(top.table("late")),
        absence=(absence := _absence(top.table("absence"))),
        lots=_lots(top.table("lots"), absence),
        unfinished=_unfinished(top.table("unfinished")),
        spectators=_spectators(top.table("spectators")),
        claims=_claims(top.table("claims")),
        appeals=_appeals(top.table("appeals")),
        ratings=_ratings(top.table("ratings")),
        servers=_servers(top),
        packs=_packs(top.table("packs")),
    )
    top.done()
    if not stages and not top.has("stage"):
        top.wrong(
            "stage",
            "is missing",
            f"Write [[stage]] with a system, or a preset: {', '.join(presets.PRESETS)}",
        )
    elif not stages and not out.failed:
        top.wrong("stage", "is empty", "Write [[stage]] at least once")
    _together(made, known, out)
    if not out.failed:
        least = made.entry.least if top.table("entry").has("least") else made.entry.most
        check_numbers(made, players or least, out)
    return made


def _played(
    table: Table, titles: Titles | None, default: str | None
) -> tuple[str, Mapping[str, bool | int | str]]:
    """Title and options of the charter, or of a round."""
    title = table.text("title", default)
    if titles is not None and title not in titles and title != "?":
        table.wrong("title", f"{title!r} cannot be played here", nearest(title, titles))
    given = table.table("options")
    options: dict[str, bool | int | str] = {}
    for key, value in given.doc.items():
        given.asked.append(key)
        if type(key) is not str or type(value) not in (bool, int, str):
            given.wrong(str(key), f"is {shown(value)}", "Write a number, a text, true or false")
            continue
        known = titles.get(title) if titles is not None else None
        if known is not None and key not in known.options:
            given.wrong(key, f"{title} has no such option", nearest(key, known.options))
        elif known is not None and not any(
            type(value) is type(one) and value == one for one in known.options[key]
        ):
            allowed = ", ".join(str(one) for one in known.options[key])
            given.wrong(key, f"is {shown(value)}", f"Write one of: {allowed}")
        options[key] = value
    return title, options


def _rounds(top: Table, titles: Titles | None, title: str) -> tuple[Round, ...]:
    made: list[Round] = []
    for one in top.rows("round", ROUNDS_MAX):
        number = one.whole("number", len(made) + 1, ROUNDS_MAX, 1)
        own, options = _played(one, titles, title)
        one.done()
        if any(number == other.number for other in made):
            one.wrong("number", f"round {number} is described twice", "Write each round once")
        made.append(Round(number, own, options))
    return tuple(made)


def _stage(table: Table, seats: Sequence[str] | None) -> Stage:
    default = Stage("record")
    system = table.one_of("system", charters.SYSTEMS, None)
    breaks = table.names("tiebreaks", default.tiebreaks, 16)
    stage = Stage(
        system=system,
        name=table.text("name", ""),
        rounds=table.whole("rounds", 0, ROUNDS_MAX),
        points=_points(table.table("points")),
        tiebreaks=_tiebreaks(table, breaks, system, seats),
        advance=_advance(table.table("advance"), system),
        seeds=table.one_of("seeds", charters.SEEDS, default.seeds),
        first_round=table.one_of("first_round", charters.FIRST_ROUNDS, default.first_round),
        again=table.whole("again", 0, ROUNDS_MAX),
        eliminator=table.flag("eliminator", False),
        tie=table.text("tie", default.tie),
        best_of=table.whole("best_of", 1, 9, 1),
        cycles=table.whole("cycles", 1, 2, 1),
        group_size=table.whole("group_size", 0, ROUNDS_MAX),
        table=table.whole("table", 2, TABLE_SEATS_MAX, 2),
        draws_out=table.whole("draws_out", 0, 4),
        free_at=table.wholes("free_at", ENTRANTS_MAX),
        consolation=table.flag("consolation", False),
        by=table.one_of("by", charters.LADDERS, default.by),
        within=table.whole("within", 0, ENTRANTS_MAX),
        share=table.whole("share", 0, ENTRANTS_MAX),
    )
    table.done()
    if table.doc.get("system") == system:
        _stage_whole(table, stage, seats)
    return stage


def _stage_whole(table: Table, stage: Stage, seats: Sequence[str] | None) -> None:
    """What fits together in one stage."""
    if stage.system in (*charters.SWISS, "heats") and stage.rounds == 0:
        table.wrong(
            "rounds",
            f"a stage of system {stage.system} needs a number of rounds",
            "Write rounds = 5",
        )
    if stage.system in (*charters.ELIMINATIONS, *charters.GROUPED, "round_robin") and stage.rounds:
        table.wrong(
            "rounds",
            f"the rounds of system {stage.system} follow from the number of entrants",
            "Leave rounds out",
        )
    if stage.system in charters.GROUPED and stage.group_size < 3:
        table.wrong("group_size", "a group needs at least three entrants", "Write group_size = 4")
    if stage.best_of % 2 == 0:
        table.wrong("best_of", f"is {stage.best_of}, an even number", "Write 1, 3, 5, 7 or 9")
    elif stage.best_of > 1 and stage.system not in charters.ELIMINATIONS:
        table.wrong(
            "best_of",
            f"is {stage.best_of}, but a match of system {stage.system} is not played to a winner",
            'Leave best_of out; two games each are by = "both" in [sides]',
        )
    for key, wanted, system in (
        ("consolation", stage.consolation, "knockout"),
        ("eliminator", stage.eliminator, "record"),
        ("draws_out", bool(stage.draws_out), "double_elimination"),
        ("free_at", bool(stage.free_at), "double_elimination"),
    ):
        if wanted and stage.system != system:
            table.wrong(key, f"means nothing in system {stage.system}", f"Leave {key} out")
    words = (charters.ANOTHER, charters.HIGHER)
    if seats is not None and stage.tie not in (*words, *seats):
        table.wrong(
            "tie",
            f"is {stage.tie!r}",
            f"Write who goes on after a draw: {', '.join((*words, *seats))}",
        )
    if stage.advance.by == "season" and not 0 < 2 * stage.advance.most <= stage.group_size:
        table.wrong(
            "advance",
            f"{stage.advance.most} cannot go up and as many come down from each group of "
            f"{stage.group_size}",
            "Write most as at least 1, and at most half of group_size",
        )
    if stage.advance.most and stage.advance.least > stage.advance.most:
        table.wrong("advance", "least is more than most", "Write least as at most that number")


POINTS_AS: Final = {
    "close_win": "win",
    "close_loss": "loss",
    "bye": "win",
    "full_bye": "win",
    "half_bye": "draw",
    "forfeit_win": "win",
}
"""What a charter that says nothing else gives as much for."""


def _points(table: Table) -> Points:
    default = Points()
    given: dict[str, int] = {}
    for name in ("win", "loss", "draw", *POINTS_AS, "zero_bye", "forfeit_loss"):
        usual = given[POINTS_AS[name]] if name in POINTS_AS else getattr(default, name)
        if name == "draw":
            usual = (given["win"] + given["loss"]) // 2
        given[name] = table.whole(name, usual, RESULT_POINTS_MAX)
    points = Points(**given, close=table.half("close", default.close))
    table.done()
    order = ("win", "close_win", "draw", "close_loss", "loss")
    for better, worse in itertools.pairwise(order):
        if getattr(points, better) < getattr(points, worse):
            table.wrong(
                worse,
                f"brings {getattr(points, worse)} points, more than {better} with "
                f"{getattr(points, better)}",
                f"Write them so that {better} is worth at least as much as {worse}",
            )
    return points


def _tiebreaks(
    table: Table, names: tuple[str, ...], system: str, seats: Sequence[str] | None
) -> tuple[str, ...]:
    made: list[str] = []
    for n, name in enumerate(names, 1):
        try:
            parsed = tiebreaknames.parse(name, seats)
        except tiebreaknames.BadTieBreak as error:
            table.wrong("tiebreaks", error.problem, error.remedy)
            continue
        if parsed.name in made:
            table.wrong("tiebreaks", f"{parsed.name!r} stands twice", "Write it once")
        if parsed.kind in tiebreaknames.LAST and n < len(names):
            table.wrong(
                "tiebreaks",
                f"nothing can decide after {parsed.kind!r}",
                f"Write {parsed.kind!r} at the end",
            )
        if "buchholz" in parsed.kind and system in ("round_robin", *charters.GROUPED):
            table.wrong(
                "tiebreaks",
                f"{parsed.name!r} says nothing where all play all (FIDE C.07 art. 8)",
                'Write "sonneborn_berger" or "koya"',
            )
        made.append(parsed.name)
    if made and made[-1] not in tiebreaknames.LAST and system not in charters.ELIMINATIONS:
        table.warn(
            "tiebreaks",
            "entrants may be equal in all of them, and then share a place",
            'End the list with "lots" for an order, or with "shared" to say that this is meant',
        )
    return tuple(made)


def _advance(table: Table, system: str) -> Advance:
    made = Advance(
        most=table.whole("most", 0, ENTRANTS_MAX),
        least=table.whole("least", 0, ENTRANTS_MAX),
        by=table.one_of("by", charters.ADVANCE.get(system, ("places",)), "places"),
        steps=table.steps("steps", ENTRANTS_MAX),
    )
    table.done()
    return made


def _sides(table: Table) -> Sides:
    by = table.one_of("by", charters.SIDES, "balance")
    bid = table.table("bid")
    default = Bid()
    if bid.has("mode"):
        mode = bid.one_of("mode", ("sealed", "auction"), None)
        if mode == "auction" and by == "bid":
            by = "auction"
        elif mode == "sealed" and by == "auction":
            bid.wrong(
                "mode", 'is "sealed" where sides go by auction', 'Write by = "bid" in [sides]'
            )
    made = Bid(
        price=bid.one_of("price", charters.BID_PRICES, default.price),
        step=bid.whole("step", default.step, BID_HALF_UNITS_MAX, 1),
        most=bid.whole("most", default.most, BID_HALF_UNITS_MAX),
        minutes=bid.whole("minutes", default.minutes, MINUTES_MAX, 1),
    )
    bid.done()
    table.done()
    if made.most % made.step:
        bid.wrong(
            "most",
            f"{made.most} half units is not a multiple of the step {made.step}",
            "Write a multiple of the step",
        )
    return Sides(by, made)


def _clock(table: Table, seats: Sequence[str] | None) -> Mapping[str, Any]:
    """The control as terms hold it."""
    if not table.doc:
        return {}
    known = tuple(one.name for one in fields(Control))
    base: dict[str, Any] = {}
    if table.has("preset"):
        name = table.one_of("preset", tuple(clockcontrol.PRESETS), None)
        preset = clockcontrol.PRESETS.get(name)
        base = preset.as_terms() if preset else {}
    given = {
        key: _milliseconds(table, key, value) if key in _CLOCK_TIMES else value
        for key, value in table.doc.items()
        if key != "preset"
    }
    for key in given:
        if key not in known:
            table.out.error(table.place, f"has an unknown key {str(key)!r}", nearest(key, known))
            return {}
    own = given.get("handicap")
    if isinstance(own, Mapping):
        given["handicap"] = {
            seat: {
                key: _milliseconds(table, f"handicap.{seat}.{key}", value)
                for key, value in times.items()
            }
            if isinstance(times, Mapping)
            else times
            for seat, times in own.items()
        }
        seats = seats if seats is not None else tuple(own)
    try:
        return Control.read({**base, **given}, seats or ()).as_terms()
    except BadControl as error:
        table.out.error(
            table.place,
            str(error),
            f'Write times as "90s", "25m", "1h30m" or "14d", or preset = "live" '
            f"(there are {', '.join(clockcontrol.PRESETS)})",
        )
        return {}


def _milliseconds(table: Table, key: str, value: Any) -> Any:
    """A time as an organiser writes it, such as "1h30m", in milliseconds; other values as they
    are, for the control to judge."""
    if type(value) is not str:
        return value
    try:
        return clockcontrol.duration(value)
    except ValueError as error:
        table.wrong(key, str(error), 'Write "90s", "25m", "1h30m" or "14d"')
        return 0


def _entry(table: Table) -> Entry:
    made = Entry(
        least=table.whole("least", 2, ENTRANTS_MAX, 2),
        most=table.whole("most", 0, ENTRANTS_MAX),
        invited=table.flag("invited", False),
        apart=table.flag("apart", False),
    )
    table.done()
    if made.most and made.most < made.least:
        table.wrong("most", f"is less than least, {made.least}", "Write a larger number, or 0")
    return made


def _late(table: Table) -> Late:
    made = Late(
        until_round=table.whole("until_round", 0, ROUNDS_MAX),
        missed=table.one_of("missed", charters.MISSED, "zero"),
        halves=table.whole("halves", 1, ROUNDS_MAX),
    )
    table.done()
    return made


def _absence(table: Table) -> Absence:
    made = Absence(
        check_in_minutes=table.whole("check_in_minutes", 0, MINUTES_MAX),
        no_show_minutes=table.whole("no_show_minutes", 20, MINUTES_MAX, 1),
    )
    table.done()
    return made


def _lots(table: Table, absence: Absence) -> Ceremony:
    made = Ceremony(table.whole("minutes", lots_minutes(absence), MINUTES_MAX, 1))
    table.done()
    return made


def lots_minutes(absence: Absence) -> int:
    """How long nonces are waited for where the charter does not say: whoever has checked in is
    there; by post three days."""
    return 3 if absence.check_in_minutes else 72 * 60


def _unfinished(table: Table) -> Unfinished:
    made = Unfinished(
        by=table.one_of("by", charters.UNFINISHED, "score"),
        at=table.one_of("at", ("turn", "record"), "turn"),
        draw=table.half("draw", 0),
        panel=table.whole("panel", 3, COMMITTEE_MAX, 1),
        loss_to=table.whole("loss_to", 40, 100),
        win_from=table.whole("win_from", 60, 100),
    )
    table.done()
    if made.panel % 2 == 0:
        table.wrong("panel", f"is {made.panel}, an even number", "Write 1, 3, 5, 7 or 9")
    if made.loss_to >= made.win_from:
        table.wrong("loss_to", "is not below win_from", "Write, say, loss_to = 40, win_from = 60")
    return made


def _spectators(table: Table) -> Spectators:
    made = Spectators(
        delay_s=table.whole("delay_s", 0, DELAY_S_MAX),
        delay_turns=table.whole("delay_turns", 0, DELAY_TURNS_MAX),
    )
    table.done()
    return made


def _claims(table: Table) -> Claims:
    made = Claims(
        stop=table.one_of("stop", charters.STOPS, "heard"),
        protest_minutes=table.whole("protest_minutes", 0, MINUTES_MAX),
    )
    table.done()
    return made


def _appeals(table: Table) -> Appeals:
    made = Appeals(
        committee=table.people("committee", COMMITTEE_MAX),
        minutes=table.whole("minutes", 30, MINUTES_MAX, 1),
    )
    table.done()
    size = len(made.committee)
    if size and (size % 2 == 0 or len({id or (name,) for id, name in made.committee}) < size):
        table.wrong(
            "committee", "needs an odd number of different people", "Name three or five accounts"
        )
    return made


def _ratings(table: Table) -> Ratings:
    made = Ratings(rated=table.flag("rated", True), handicap=table.flag("handicap", False))
    table.done()
    return made


def _servers(top: Table) -> tuple[str, ...]:
    keys = top.names("servers", (), 64)
    for key in keys:
        if not _KEY.fullmatch(key):
            top.wrong(
                "servers",
                f"{shown(key)} is not a public key",
                "Write the 64 digits that `warledger key` shows for a server",
            )
    return keys


def _packs(table: Table) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for title, digest in table.doc.items():
        table.asked.append(title)
        if type(title) is not str or type(digest) is not str or not _KEY.fullmatch(digest):
            table.wrong(
                str(title),
                f"{shown(digest)} is no pack's SHA-256",
                "Leave [packs] out: the server names its packs when the tournament is announced",
            )
            continue
        found[title] = digest
    return found


def _together(made: Charter, known: Playable | None, out: Inspection) -> None:
    """What fits together in the whole charter."""
    for n, stage in enumerate(made.stages, 1):
        place = f"stage {n}"
        last = n == len(made.stages)
        if n == 1 and stage.seeds == "standings":
            out.error(
                f"{place}, seeds",
                "there are no standings before the first stage",
                'Write "rating", "lots" or "given"',
            )
        if last and (stage.advance.most or stage.advance.least):
            out.warn(
                f"{place}, advance", "no stage follows", "Leave advance out, or add a [[stage]]"
            )
        following = None if last else made.stages[n]
        if stage.advance.by == "season" and (
            following is None or (following.system, following.seeds) != ("league", "standings")
        ):
            out.error(
                f"{place}, advance",
                "the next season is a stage of its own",
                'Add a [[stage]] with system = "league" and seeds = "standings"',
            )
        if stage.system == "ladder" and len(made.stages) > 1:
            out.error(place, "a ladder has no end that a stage could follow", "Write it alone")
        if stage.system == "dutch" and made.sides.by != "balance":
            out.error(
                "sides, by",
                f"is {made.sides.by!r}, but system dutch deals the sides itself",
                'Write by = "balance", or system = "record"',
            )
        if known is not None and stage.system == "heats" and stage.table != len(known.seats):
            out.error(
                f"{place}, table",
                f"{made.title} has {len(known.seats)} seats",
                f"Write table = {len(known.seats)}",
            )
        if known is not None and stage.system != "heats" and len(known.seats) != 2:
            out.error(
                f"{place}, system",
                f"{made.title} has {len(known.seats)} seats, and this system pairs two",
                'Write system = "heats"',
            )
        if known is not None and not known.scored and stage.points.close:
            out.error(
                f"{place}, points",
                f"games of {made.title} have no score, so that none is close",
                "Leave close out",
            )
    if known is not None and not known.scored and made.sides.by in ("bid", "auction"):
        out.error(
            "sides, by",
            f"games of {made.title} have no score to which a bid could be added",
            'Write "balance", "lots" or "both"',
        )
    for n, stage in enumerate(made.stages, 1):
        if stage.best_of > 1 and made.sides.by == "both":
            out.error(
                f"stage {n}, best_of",
                f"is {stage.best_of} where sides are by both games",
                "Leave best_of out, or write another [sides] by",
            )
    if known is not None and len(known.seats) > 2 and made.sides.by not in ("balance", "lots"):
        out.error(
            "sides, by",
            f"is {made.sides.by!r}, and {made.title} has {len(known.seats)} seats",
            'Write by = "lots"',
        )
    if known is not None and not known.scored and made.unfinished.by == "score":
        out.error(
            "unfinished, by",
            f"games of {made.title} have no score",
            'Write by = "director" or by = "panel" in [unfinished]',
        )
    first = made.stages[0] if made.stages else None
    if first is not None and first.rounds and made.late.until_round > first.rounds:
        out.error(
            "late, until_round",
            f"is {made.late.until_round}, but the first stage has {first.rounds} rounds",
            "Write a round of the first stage",
        )
    if (
        first is not None
        and made.late.until_round
        and first.system
        not in (
            *charters.SWISS,
            "heats",
            "ladder",
        )
    ):
        out.error(
            "late, until_round",
            f"system {first.system} has no place for late entrants",
            "Leave until_round out",
        )
