"""A charter in words: what entrants read before they enter, in the language they choose.

Every value of the charter that matters for an entrant is in some sentence; `phrases` renders them.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from warledger.engine.tournaments import tiebreaknames
from warledger.engine.tournaments.charter import (
    ANOTHER,
    ELIMINATIONS,
    GROUPED,
    HIGHER,
    SWISS,
    Bid,
    Charter,
    Points,
    Stage,
    apart,
    units,
)
from warledger.engine.tournaments.enough import enough
from warledger.protocol.board.choices import Say, say
from warledger.protocol.clocks.clockcontrol import DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS

_Array = tuple[Any, ...]


def words(charter: Charter) -> tuple[Say, ...]:
    """The charter's sentences, in the order in which an entrant asks: what, how, by which sides,
    in what time, and what happens if."""
    return (
        *_what(charter),
        *(one for n, stage in enumerate(charter.stages, 1) for one in _stage(n, stage)),
        *_sides(charter),
        *_clock(charter.clock),
        *_presence(charter),
        *_quarrels(charter),
    )


def tiebreak(name: str) -> Say:
    """A tie-break as people call it, with its modifier. Raises BadTieBreak."""
    of = tiebreaknames.parse(name)
    if not of.modifier:
        return say(f"tournament.tiebreak.{of.kind}")
    if of.modifier in tiebreaknames.CUTS:
        return say(
            f"tournament.modifier.{of.modifier}", what=(f"tournament.tiebreak.{of.kind}", ())
        )
    if of.kind == "margin":
        return say("tournament.tiebreak.margin_capped", most=int(of.modifier))
    return say(f"tournament.tiebreak.{of.kind}_as", seat=of.modifier)


def time(ms: int) -> _Array:
    """A time as the array of a sentence, in the largest unit that is whole, or in two."""
    if ms % DAY_MS == 0:
        return say("tournament.time.days", n=ms // DAY_MS).as_array()
    if ms % HOUR_MS == 0:
        return say("tournament.time.hours", n=ms // HOUR_MS).as_array()
    if ms % MINUTE_MS == 0 and ms < 2 * HOUR_MS:
        return say("tournament.time.minutes", n=ms // MINUTE_MS).as_array()
    if ms % MINUTE_MS == 0:
        return say(
            "tournament.time.mixed", hours=ms // HOUR_MS, minutes=ms % HOUR_MS // MINUTE_MS
        ).as_array()
    return say("tournament.time.seconds", n=ms // SECOND_MS).as_array()


def _minutes(count: int) -> _Array:
    return time(count * MINUTE_MS)


def _what(charter: Charter) -> Iterator[Say]:
    yield say("tournament.charter.title", name=charter.name, title=charter.title)
    if charter.options:
        yield say("tournament.charter.options", options=_options(charter.options))
    for one in charter.rounds:
        yield say(
            "tournament.charter.round",
            n=one.number,
            title=one.title,
            options=_options(one.options) if one.options else (_none(),),
        )
    entry = charter.entry
    yield say(f"tournament.charter.entry.{'invited' if entry.invited else 'open'}")
    if entry.most:
        yield say("tournament.charter.entry.most", least=entry.least, most=entry.most)
    else:
        yield say("tournament.charter.entry.least", least=entry.least)
    if entry.apart:
        yield say("tournament.charter.entry.apart")


def _none() -> _Array:
    return say("text.none").as_array()


def _options(options: Mapping[str, bool | int | str]) -> tuple[_Array, ...]:
    return tuple(
        say("tournament.charter.option", name=name, value=options[name]).as_array()
        for name in sorted(options)
    )


def _stage(number: int, stage: Stage) -> Iterator[Say]:
    system = (f"tournament.system.{stage.system}", ())
    if stage.name:
        yield say("tournament.charter.stage_named", n=number, name=stage.name, system=system)
    else:
        yield say("tournament.charter.stage", n=number, system=system)
    if stage.rounds:
        yield say("tournament.charter.rounds", n=stage.rounds)
    yield say("tournament.charter.seeds", by=(f"tournament.seeds.{stage.seeds}", ()))
    if stage.system == "record":
        yield say(f"tournament.charter.first_round.{stage.first_round}")
    if stage.system in SWISS:
        if stage.again:
            yield say("tournament.charter.again", n=stage.again)
        else:
            yield say("tournament.charter.never_again")
            need = enough(stage)
            if need is not None and stage.rounds > 1:
                yield say("tournament.charter.rounds_need", n=stage.rounds, least=need.least)
    if stage.eliminator:
        yield say("tournament.charter.eliminator")
    if stage.system in GROUPED:
        yield say("tournament.charter.groups", n=stage.group_size)
    if stage.system == "league":
        yield say("tournament.charter.league")
    if stage.cycles == 2 and stage.system in ("round_robin", *GROUPED):
        yield say("tournament.charter.double")
    if stage.system == "heats":
        yield say("tournament.charter.table", n=stage.table)
    if stage.system in ELIMINATIONS:
        if stage.best_of > 1:
            yield say("tournament.charter.best_of", n=stage.best_of)
        if stage.tie in (ANOTHER, HIGHER):
            yield say(f"tournament.charter.tie.{stage.tie}")
        else:
            yield say("tournament.charter.tie.seat", seat=stage.tie)
    if stage.best_of > 1 or (
        stage.system in ELIMINATIONS and stage.tie == ANOTHER and not stage.draws_out
    ):
        yield say("tournament.charter.further")
    if stage.draws_out and stage.system == "double_elimination":
        yield say("tournament.charter.draws_out", n=stage.draws_out)
    if stage.free_at:
        yield say("tournament.charter.free_at", counts=stage.free_at)
    if stage.consolation:
        yield say("tournament.charter.consolation")
    if stage.system == "ladder":
        yield say(f"tournament.charter.ladder.{stage.by}")
        if stage.within:
            yield say("tournament.charter.within", n=stage.within)
        if stage.share:
            yield say("tournament.charter.share", n=stage.share)
    yield from _points(stage.points)
    if stage.tiebreaks:
        yield say(
            "tournament.charter.tiebreaks",
            names=tuple(tiebreak(name).as_array() for name in stage.tiebreaks),
        )
    if stage.advance.by == "season":
        yield say("tournament.charter.advance_by.season", n=stage.advance.most)
    elif stage.advance.steps:
        for here, most in stage.advance.steps:
            yield say("tournament.charter.advance_step", here=here, most=most)
    elif stage.advance.most:
        yield say("tournament.charter.advance", most=stage.advance.most, least=stage.advance.least)
    if stage.advance.by not in ("places", "season"):
        yield say(f"tournament.charter.advance_by.{stage.advance.by}")


def _points(points: Points) -> Iterator[Say]:
    yield say("tournament.charter.points", win=points.win, draw=points.draw, loss=points.loss)
    if points.close:
        yield say(
            "tournament.charter.close",
            close=units(points.close),
            close_win=points.close_win,
            close_loss=points.close_loss,
        )
    yield say(
        "tournament.charter.byes",
        bye=points.bye,
        full=points.full_bye,
        half=points.half_bye,
        zero=points.zero_bye,
    )
    yield say("tournament.charter.forfeits", win=points.forfeit_win, loss=points.forfeit_loss)


def _sides(charter: Charter) -> Iterator[Say]:
    by = charter.sides.by
    yield say(f"tournament.charter.sides.{by.replace(':', '_')}")
    if by in ("bid", "auction"):
        yield from _bid(by, charter.sides.bid)


def _bid(by: str, bid: Bid) -> Iterator[Say]:
    if by == "bid":
        yield say(f"tournament.charter.price.{bid.price}")
    yield say("tournament.charter.step", step=units(bid.step))
    if bid.most:
        yield say("tournament.charter.most", most=units(bid.most))
    yield say("tournament.charter.bid_time", time=_minutes(bid.minutes))
    yield say("tournament.charter.handicap")


def _clock(clock: Mapping[str, Any]) -> Iterator[Say]:
    if not clock:
        yield say("tournament.charter.no_clock")
        return
    yield say("tournament.charter.bank", time=time(clock["bank"]))
    for key in ("turn", "each", "cap", "free", "free_turn"):
        if clock.get(key):
            yield say(f"tournament.charter.{key}", time=time(clock[key]))
    for seat, own in sorted(clock.get("handicap", {}).items()):
        for key in sorted(own):
            yield say(
                "tournament.charter.own_clock",
                seat=seat,
                what=(f"tournament.clock.{key}", ()),
                time=time(own[key]),
            )
    if clock["fall"] == "bot":
        yield say("tournament.charter.fall.bot", bot=clock["bot"])
    else:
        yield say(f"tournament.charter.fall.{clock['fall']}")
    if clock.get("nights"):
        yield say("tournament.charter.nights", n=clock["nights"])
    if clock.get("leave_days"):
        yield say("tournament.charter.leave", n=clock["leave_days"])


def _presence(charter: Charter) -> Iterator[Say]:
    late, absence = charter.late, charter.absence
    if late.until_round:
        yield say("tournament.charter.late", n=late.until_round)
        if late.missed == "half" and late.halves:
            yield say("tournament.charter.missed.half", n=late.halves)
        else:
            yield say("tournament.charter.missed.zero")
    else:
        yield say("tournament.charter.no_late")
    if absence.check_in_minutes:
        yield say("tournament.charter.check_in", time=_minutes(absence.check_in_minutes))
    yield say("tournament.charter.lots", time=_minutes(charter.lots.minutes))
    yield say("tournament.charter.no_show", time=_minutes(absence.no_show_minutes))


def _quarrels(charter: Charter) -> Iterator[Say]:
    rules = charter.unfinished
    if rules.by == "score":
        yield say(f"tournament.charter.unfinished.score_{rules.at}")
        if rules.draw:
            yield say("tournament.charter.unfinished.draw", draw=units(rules.draw))
    elif rules.by == "panel":
        yield say(
            "tournament.charter.unfinished.panel",
            n=rules.panel,
            loss=rules.loss_to,
            win=rules.win_from,
        )
    else:
        yield say("tournament.charter.unfinished.director")
    yield say(f"tournament.charter.claims.{charter.claims.stop}")
    if charter.claims.protest_minutes:
        yield say("tournament.charter.protest", time=_minutes(charter.claims.protest_minutes))
    committee = charter.appeals.committee
    if committee:
        yield say(
            "tournament.charter.appeals",
            names=tuple(apart(one, committee) for one in committee),
            time=_minutes(charter.appeals.minutes),
        )
    else:
        yield say("tournament.charter.no_appeals")
    if charter.spectators.delay_s:
        yield say("tournament.charter.delay", time=time(charter.spectators.delay_s * SECOND_MS))
    if charter.spectators.delay_turns:
        yield say("tournament.charter.delay_turns", n=charter.spectators.delay_turns)
    if not charter.ratings.rated:
        yield say("tournament.charter.unrated")
    elif charter.ratings.handicap:
        yield say("tournament.charter.rated_all")
    else:
        yield say("tournament.charter.rated")
    if charter.servers:
        yield say("tournament.charter.servers", keys=charter.servers)
