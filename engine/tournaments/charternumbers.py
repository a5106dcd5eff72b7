"""Warnings of a charter whose rounds its entrants may be too few for: said before the day, since a
round that cannot be paired is a refusal on it."""

from warledger.engine.tournaments.charter import GROUPED, Charter, Stage
from warledger.engine.tournaments.enough import always, at_most, enough
from warledger.protocol.board.findings import Inspection


def check_numbers(charter: Charter, entrants: int, out: Inspection) -> None:
    """Warn of what cannot be paired, or may not be, with so many entrants (0: nobody knows)."""
    here = entrants
    for number, stage in enumerate(charter.stages, 1):
        place = f"stage {number}"
        if here:
            _rounds(place, stage, here, number == 1, out)
            _seats(place, stage, here, out)
        if number == len(charter.stages):
            return
        if here and stage.advance.least > here and stage.system not in GROUPED:
            out.warn(
                f"{place}, advance",
                f"at least {stage.advance.least} must go on, and {here} play",
                f"Write least = {here} or less",
            )
        here = _going_on(stage, here)


def _going_on(stage: Stage, here: int) -> int:
    """How many a next stage has; 0 where that is not known."""
    if stage.system in GROUPED or stage.advance.steps:
        return 0
    most = stage.advance.most
    return min(most, here) if most and here else most or here


def _rounds(place: str, stage: Stage, here: int, first: bool, out: Inspection) -> None:
    need = enough(stage)
    if need is None:
        return
    if stage.again and here % 2 and stage.rounds > here and not stage.eliminator:
        out.warn(
            f"{place}, rounds",
            f"with {here} entrants round {here + 1} cannot be paired: nobody has two byes, and "
            "everybody has had one",
            f"Write rounds = {here}, or eliminator = true",
        )
    if here >= need.sure:
        return
    most = at_most(here)
    again = "" if stage.system == "dutch" else _again(here)
    if here < need.least:
        out.warn(
            f"{place}, rounds",
            f"with {here} entrants round {most + 1} cannot be paired: {_twice(stage)}, and after "
            f"{most} {_plural(most)} everybody has met everybody",
            f"Write rounds = {most}{_more(need.least, first)}{again}",
        )
        return
    known = always(here)
    out.warn(
        f"{place}, rounds",
        f"with {here} entrants a pairing is certain for {known} {_plural(known)} only: "
        f"{_twice(stage)}, and a later round may leave somebody without an opponent",
        f"Write rounds = {known}{_more(need.sure, first)}{again}; or keep it, and be ready to set "
        "boards by hand or to amend the number of rounds",
    )


def _twice(stage: Stage) -> str:
    if stage.again:
        return f"nobody meets again within {stage.again} {_plural(stage.again)}"
    return "nobody meets twice"


def _again(here: int) -> str:
    """What system "record" can be told instead."""
    wanted = always(here) - 1
    return (
        f", or again = {wanted} so that two may meet after {wanted} other rounds" if wanted else ""
    )


def _more(wanted: int, first: bool) -> str:
    """How many entrants it takes: the first stage's are the charter's to ask for."""
    return f", or least = {wanted} in [entry]" if first else f", or let {wanted} go on"


def _seats(place: str, stage: Stage, here: int, out: Inspection) -> None:
    seats = {"heats": stage.table, "groups": 3, "league": 3}.get(stage.system, 2)
    if here < seats:
        what = "a table" if stage.system == "heats" else "a group"
        out.warn(
            place,
            f"{here} entrants are fewer than {what} needs, which is {seats}",
            f"Write least = {seats} in [entry]",
        )


def _plural(rounds: int) -> str:
    return "round" if rounds == 1 else "rounds"
