"""The only door to a tournament: nothing that is not offered ever changes it.

`choices` tells somebody what they may do next, pick by pick, the verb first. `decide` walks an
act's picks through the same function before it is carried out. A refusal is a value and names the
charter's clause.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Final

from attrs import frozen

from warledger.engine.tournaments import entering, judging, playing, rostering, rounds, sides
from warledger.engine.tournaments.deeds import (
    Act,
    Deed,
    Event,
    SealedPicks,
    account_of,
    actor_called,
    called,
    may,
)
from warledger.engine.tournaments.fold import after, ruled_by
from warledger.engine.tournaments.lots import Lots, LotsWait, Seeds, Unrostered
from warledger.engine.tournaments.pairing import Pairs
from warledger.engine.tournaments.tournamentposition import Position
from warledger.protocol import canon
from warledger.protocol.board.choices import Choices, Picks, Refusal, offer, refuse
from warledger.protocol.board.effects import CLOSE, OPEN, SAY, Effect
from warledger.protocol.log.owed import of_ledger
from warledger.protocol.log.records import SERVER
from warledger.protocol.tournaments import EVENTS, Lot, is_who

ACTS: Final[Mapping[str, Act]] = {
    **entering.ACTS,
    **rostering.ACTS,
    **rounds.ACTS,
    **sides.ACTS,
    **playing.ACTS,
    **judging.ACTS,
}
"""Every act by its verb, in the order in which they are offered."""


SECRET: Final = (*sides.SECRET, "judge")
"""The acts whose picks are sealed."""


@frozen
class Decided:
    """What an act changes: its lots, events and effects, the records whose seals it opens, whether
    its own picks are sealed, and the position after it."""

    draws: tuple[Lot, ...]
    events: tuple[Event, ...]
    effects: tuple[Effect, ...]
    opens: tuple[int, ...]
    sealed: bool
    position: Position

    @property
    def owed(self) -> tuple[str, ...]:
        """The kinds of the records that must follow at once, in their order."""
        return of_ledger(self.events)


def choices(at: Position, who: str, picks: Picks = ()) -> Choices | Refusal:
    """What may follow the picks, or why one of them is not on offer."""
    if not is_who(who):
        return refuse("", "refusal.tournament.role", who=who)
    if not picks:
        if at.finished:
            return refuse("", "refusal.tournament.over")
        return offer("act", (verb for verb, act in ACTS.items() if may(at, who, act) is None))
    act = ACTS.get(picks[0]) if type(picks[0]) is str else None
    if act is None:
        return refuse("", "refusal.tournament.no_such_act", act=str(picks[0])[:64])
    refused = may(at, who, act)
    if refused is not None:
        return refused
    now = act.next(at, who, ())
    for index, pick in enumerate(picks[1:], start=1):
        if isinstance(now, Refusal):
            return now
        if not now.offers(pick):
            return refuse("", "refusal.tournament.pick", slot=f"slot.{now.slot}")
        now = act.next(at, who, picks[1 : index + 1])
    return now


def decide(
    at: Position,
    who: str,
    picks: Picks,
    seq: int,
    at_ms: int,
    seeds: Seeds,
    sealed: SealedPicks,
    matcher: Pairs | None = None,
) -> Decided | Refusal:
    """Carry out an act as record `seq`. `matcher` is what a Swiss system pairs with.

    Raises BadDraw where a lot is needed whose seed is not known, and MatcherNeeded where a round
    cannot be paired without a matcher. Raises Unrostered where it asks for the first lot of the
    tournament: then the server's picks ("rostered", who, picks …) are carried out instead."""
    if picks[:1] == (rostering.ROSTERED,):
        return _rostered(at, who, picks, seq, at_ms, seeds, sealed, matcher)
    found = choices(at, who, picks)
    if isinstance(found, Refusal):
        return found
    if not picks or not found.complete:
        return refuse("", "refusal.tournament.incomplete", slot=f"slot.{found.slot}")
    verb = str(picks[0])
    whole = picks if verb in SECRET else picks[1:]
    deed = Deed(at, who, whole, at_ms, Lots(at, seeds), sealed, matcher)
    try:
        refused = ACTS[verb].carry(deed)
    except LotsWait:
        return refuse("lots.minutes", "refusal.tournament.lots_wait", numbers=at.missing[:20])
    if refused is not None:
        return refused
    then = folded(at, who, tuple(deed.events), seq, at_ms)
    return Decided(
        tuple(deed.lots.drawn),
        tuple(deed.events),
        effects_of(at, tuple(deed.events)),
        tuple(deed.opens),
        found.sealed,
        then,
    )


def _rostered(
    at: Position,
    who: str,
    picks: Picks,
    seq: int,
    at_ms: int,
    seeds: Seeds,
    sealed: SealedPicks,
    matcher: Pairs | None,
) -> Decided | Refusal:
    """Write the roster, which the act that the picks name asks for."""
    if who != SERVER or len(picks) < 3 or at.roster is not None:
        return refuse("lots", "refusal.tournament.role", who=actor_called(at, who))
    try:
        found = decide(at, str(picks[1]), picks[2:], seq, at_ms, seeds, sealed, matcher)
    except Unrostered:
        event = (rostering.ROSTERED, rostering.roster_of(at), picks[2:])
        effects = effects_of(at, (event,))
        return Decided((), (event,), effects, (), False, folded(at, who, (event,), seq, at_ms))
    return found if isinstance(found, Refusal) else refuse("lots", "refusal.tournament.no_lot")


def folded(at: Position, who: str, events: tuple[Event, ...], seq: int, at_ms: int) -> Position:
    """The position after an act of somebody with these events. Raises BadEvent."""
    for event in events:
        at = ruled_by(after(at, event, seq, at_ms), event, account_of(at, who))
    return at


def moves(picks: Picks) -> bool:
    """Whether who does this must have seen what was changed last."""
    act = ACTS.get(picks[0]) if picks and type(picks[0]) is str else None
    return act is not None and act.moves


def effects_of(at: Position, events: tuple[Event, ...]) -> tuple[Effect, ...]:
    """The story of events: a sentence each, and rounds as parts of the timeline. `at` is the
    position before them."""
    found: list[Effect] = []
    for tag, *fields in events:
        args = dict(zip(EVENTS[tag], fields, strict=True))
        if tag in ("nonce", "committed", "reported"):
            continue
        if tag == "published":
            if len(at.rounds) > 1:
                found.append((CLOSE, "turn"))
            found.append((OPEN, "turn", "tournament.round", (("round", args["round"]),)))
        said = tuple(sorted(_told(at, tag, args).items()))
        found.append((SAY, f"tournament.{tag}", said, _CLAUSES.get(tag, "")))
    return tuple(found)


_CLAUSES: Final[Mapping[str, str]] = {
    "entered": "entry",
    "checked": "absence.check_in_minutes",
    "rostered": "lots",
    "waited": "lots.minutes",
    "bid": "sides.bid",
    "called": "sides.bid",
    "offered": "sides.bid",
    "sides": "sides.by",
}


def _told(at: Position, tag: str, args: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of the sentence about an event."""
    names = {number: person.name for number, person in at.entrants.items()}
    match tag:
        case "entered":
            return {"number": args["number"], "name": args["name"]}
        case "checked" | "absent":
            return {"name": names[args["number"]], "round": args["round"]}
        case "withdrew" | "returned":
            return {"name": names[args["number"]]}
        case "bid" | "offered" | "volunteered":
            return {"name": names[args["number"]], **args}
        case "called":
            one = at.round(args["round"])
            seat = at.seats(args["round"])[args["seat"]] if one is not None else ""
            told = {"round": args["round"], "board": args["board"], "side": seat}
            return {**told, "name": names[args["speaks"]]}
        case "challenged":
            named = {"name": names[args["number"]], "whom": names[args["whom"]]}
            return {**named, "round": args["round"]}
        case "rostered":
            return {"count": len(args["numbers"])}
        case "waited":
            return {"names": tuple(names[number] for number in args["missing"])}
        case "ordered":
            return {"stage": args["stage"] + 1, "count": len(args["numbers"])}
        case "paired":
            return {"round": args["round"], "boards": len(args["boards"])}
        case "sides":
            sitting = tuple(names[number] for number in args["numbers"])
            return {"round": args["round"], "board": args["board"], "names": sitting}
        case "opened":
            return {"round": args["round"], "board": args["board"], "game": args["game"]}
        case "result":
            one = at.round(args["round"])
            board = None if one is None else one.board(args["board"])
            sitting = () if board is None else tuple(names[n] for n in board.entrants)
            return {
                "round": args["round"],
                "board": args["board"],
                "names": sitting,
                "result": args["results"][0],
                "reason": args["reason"],
            }
        case "advanced":
            return {"stage": args["stage"] + 1, "count": len(args["numbers"])}
        case "finished":
            return {"name": names[args["numbers"][0]] if args["numbers"] else ""}
        case "adjudicated":
            given = args["percentages"]
            return {**args, "mean": str(Fraction(sum(given), len(given)))}
        case "granted" | "grant_ended":
            return {"role": args["role"], "name": called(at, args["id"], args["name"])}
        case "panelled":
            told = {"round": args["round"], "board": args["board"]}
            return {**told, "names": tuple(called(at, *one) for one in args["people"])}
        case "judged" | "voted":
            told = {name: value for name, value in args.items() if name != "id"}
            return {**told, "name": called(at, args["id"], args["name"])}
        case "appealed" | "claimed":
            told = {"claim": args["claim"], "text": args["text"]}
            return {**told, "name": actor_called(at, args["who"])}
        case _:
            return dict(args)


def packed(effects: tuple[Effect, ...]) -> bytes:
    """Effects as a record holds them."""
    return canon.pack(effects)
