"""The charter of a tournament: what is played, how, and what every result is worth.

A host writes it as TOML; `charterform.read` checks it and gives these classes. `settings` is the
canonical form for record 0: every value stands in it, also those that a preset or a default gave.
So a later release with other defaults reads the same charter. It is itself a document that
`charterform.read` reads, so what is checked at entry and in an audit is the same.

Points are whole numbers, margins and bids half units of the title's score; a time's unit is in its
name. Only the clock counts in milliseconds, as a game's terms do.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from attrs import field, frozen

from warledger.protocol import canon

Named = tuple[str, str]
"""Somebody's id and name."""
_TAIL_CHARS: Final = 6
"""So much of an id tells those apart who are called the same."""

SYSTEMS: Final = (
    "record",
    "dutch",
    "round_robin",
    "groups",
    "league",
    "knockout",
    "double_elimination",
    "heats",
    "ladder",
)
"""How a stage pairs: by record with lots, or by FIDE's Dutch system. All play all, at once, in
groups, or in groups one above the other (a season of a league). Or one is out at the first or the
second loss, winners go on from tables, or there is a ladder."""

SWISS: Final = ("record", "dutch")
ELIMINATIONS: Final = ("knockout", "double_elimination")
GROUPED: Final = ("groups", "league")

SEEDS: Final = ("rating", "lots", "standings", "given")
"""The order of a stage's entrants: by rating, by lots, by the standings of the stage before, or as
the director gives it."""

FIRST_ROUNDS: Final = ("lots", "halves", "first_last")
"""Round 1 of system "record": by lots; top half against bottom half; first against last."""

SIDES: Final = ("balance", "lots", "bid", "auction", "both", "choice:higher", "choice:lower")
BID_PRICES: Final = ("own", "other")
MISSED: Final = ("zero", "half")
UNFINISHED: Final = ("score", "panel", "director")
LADDERS: Final = ("pass", "rating")
STOPS: Final = ("heard", "claim")

ANOTHER, HIGHER = "another", "higher"
"""Who goes on after a drawn game of an elimination, where it is not a seat of the title: whoever
wins another game, or the higher seed."""


@frozen
class Points:
    """What a round brings, whole numbers.

    Attributes:
        win, close_win, draw, close_loss, loss: for a game that was played.
        close: a margin below this, in half units and after the handicap, is a close one; 0: none.
        bye: the bye that the pairing gives to who is left over.
        full_bye, half_bye, zero_bye: byes that were asked for, or that the director gave.
        forfeit_win, forfeit_loss: for a board that was paired and not played.
    """

    win: int = 2
    close_win: int = 2
    draw: int = 1
    close_loss: int = 0
    loss: int = 0
    close: int = 0
    bye: int = 2
    full_bye: int = 2
    half_bye: int = 1
    zero_bye: int = 0
    forfeit_win: int = 2
    forfeit_loss: int = 0


ADVANCE: Final = {
    "groups": ("places", "points"),
    "league": ("places", "season"),
    "heats": ("places", "winners", "wins", "best"),
}
"""By what entrants go on from a stage, by system; from any other, by their places. From groups: the
first of each, or by points over all of them. From a league: the first of each, or all, into the
next season, for which `most` of each group go up and as many come down. From heats: by the
standings; winners only; by most wins; winners, and then the best of the others."""


@frozen
class Advance:
    """Who goes on to the next stage: the first `most` (of each group, where the stage has groups
    and goes by places), as many as do not decline, but at least `least`; 0: all.

    Attributes:
        by: one of ADVANCE.
        steps: pairs of a number of entrants, and how many go on where there are at least that
            number; empty: `most` whatever the number.
    """

    most: int = 0
    least: int = 0
    by: str = "places"
    steps: tuple[tuple[int, int], ...] = ()


@frozen
class Stage:
    """One stage of a tournament.

    Attributes:
        system: one of SYSTEMS.
        name: as the director calls it, "" for none.
        rounds: how many, 0 where the system settles it (round robin, elimination) or it is open
            (ladder).
        points: what a round brings.
        tiebreaks: names as `tiebreaknames.KINDS` knows them, in order.
        advance: who goes on.
        seeds: one of SEEDS.
        first_round: one of FIRST_ROUNDS, for system "record".
        again: entrants may meet again after this number of rounds; 0: never.
        eliminator: an odd number is made even by a volunteer, whose second game counts for the
            other and for ratings only.
        tie: who goes on after a drawn game: a seat of the title, ANOTHER, HIGHER.
        best_of: games of a pairing in an elimination, an odd number.
        cycles: how often all meet all, 1 or 2.
        group_size: entrants a group at most, for the systems of GROUPED.
        table: seats a board, for system "heats".
        draws_out: this number of draws counts as one loss, in a double elimination; 0: they do not.
        free_at: with this number left in a double elimination, an only undefeated entrant is free.
        consolation: those who are out play on for the places.
        by: how a ladder moves, one of LADDERS.
        within: a challenge may go this number of places up; 0: any.
        share: of an entrant's games at most one in this number against the same opponent; 0: any.
    """

    system: str
    name: str = ""
    rounds: int = 0
    points: Points = field(factory=Points)
    tiebreaks: tuple[str, ...] = ("direct", "lots")
    advance: Advance = field(factory=Advance)
    seeds: str = "rating"
    first_round: str = "lots"
    again: int = 0
    eliminator: bool = False
    tie: str = ANOTHER
    best_of: int = 1
    cycles: int = 1
    group_size: int = 0
    table: int = 2
    draws_out: int = 0
    free_at: tuple[int, ...] = ()
    consolation: bool = False
    by: str = "pass"
    within: int = 0
    share: int = 0


@frozen
class Bid:
    """How sides are bid for: amounts in half units of the title's score.

    Attributes:
        price: what the higher sealed bid pays: its "own" amount, or the "other".
        step: amounts are multiples of it; an auction rises by at least so much.
        most: no amount is higher; 0: no bound.
        minutes: how long there is for a sealed bid, and for each word of an auction.
    """

    price: str = "own"
    step: int = 1
    most: int = 40
    minutes: int = 10


@frozen
class Sides:
    """How sides are dealt, one of SIDES, and `bid` where they are bid for: sealed with "bid", one
    after the other with "auction"."""

    by: str = "balance"
    bid: Bid = field(factory=Bid)


@frozen
class Round:
    """What a round is played with, where it differs from the charter's own title and options.
    `number` counts the tournament's rounds from 1, over all stages."""

    number: int
    title: str
    options: Mapping[str, bool | int | str] = field(factory=dict)


@frozen
class Entry:
    """Who may enter: at least `least`, at most `most` (0: no bound); `invited`: by the director
    alone; `apart`: entrants who share a group, such as a club or a family, are not paired."""

    least: int = 2
    most: int = 0
    invited: bool = False
    apart: bool = False


@frozen
class Late:
    """Late entry until a round (0: none), and what each missed round brings: one of MISSED, and
    with "half" for at most `halves` rounds."""

    until_round: int = 0
    missed: str = "zero"
    halves: int = 1


@frozen
class Absence:
    """How long before a round its check-in opens (0: nobody checks in), and how long after the
    start who has not come has lost."""

    check_in_minutes: int = 0
    no_show_minutes: int = 20


@frozen
class Ceremony:
    """For how many minutes the nonces of the entrants are waited for, once the first lot is asked
    for."""

    minutes: int = 0


@frozen
class Unfinished:
    """How a game is judged that is not over when its round is.

    Attributes:
        by: one of UNFINISHED.
        at: "turn", as it stood after the last whole turn, or "record", at the last record.
        draw: a score that differs by less, in half units, is a draw; 0: only an equal one is.
        panel: how many adjudicators, an odd number.
        loss_to, win_from: a mean of the panel's percentages up to and from which a side has lost
            and won.
    """

    by: str = "score"
    at: str = "turn"
    draw: int = 0
    panel: int = 3
    loss_to: int = 40
    win_from: int = 60


@frozen
class Spectators:
    """How far spectators are behind the players: seconds, and whole turns of the game."""

    delay_s: int = 0
    delay_turns: int = 0


@frozen
class Claims:
    """When a claim stops the clocks (one of STOPS: once an arbiter has taken it up, or at once),
    and how long after its end a game may be protested."""

    stop: str = "heard"
    protest_minutes: int = 0


@frozen
class Appeals:
    """Who hears appeals, as (id, name): an odd number of people named before round 1, or nobody;
    and in what time after a ruling. Until a tournament is announced an id may be ""."""

    committee: tuple[Named, ...] = ()
    minutes: int = 30


@frozen
class Ratings:
    """Whether games are rated; `handicap`: also those with a handicap."""

    rated: bool = True
    handicap: bool = False


@frozen
class Charter:
    """A tournament's charter.

    Attributes:
        name: as announced.
        title: the title that is played, as the registry names it.
        options: values of its switches; those not named have the title's defaults.
        stages: one after another, at least one.
        rounds: rounds that are played with another title or options.
        clock: the control as a game's terms hold it, empty for games without clocks.
        servers: public keys of the servers whose games count, as hex; empty: this server's alone.
        packs: the SHA-256 of the data pack with which each title is played, as hex; the server
            gives it.
    """

    name: str
    title: str
    stages: tuple[Stage, ...]
    options: Mapping[str, bool | int | str] = field(factory=dict)
    rounds: tuple[Round, ...] = ()
    sides: Sides = field(factory=Sides)
    clock: Mapping[str, Any] = field(factory=dict)
    entry: Entry = field(factory=Entry)
    late: Late = field(factory=Late)
    absence: Absence = field(factory=Absence)
    lots: Ceremony = field(factory=Ceremony)
    unfinished: Unfinished = field(factory=Unfinished)
    spectators: Spectators = field(factory=Spectators)
    claims: Claims = field(factory=Claims)
    appeals: Appeals = field(factory=Appeals)
    ratings: Ratings = field(factory=Ratings)
    servers: tuple[str, ...] = ()
    packs: Mapping[str, str] = field(factory=dict)

    @property
    def titles(self) -> tuple[str, ...]:
        """The titles that are played, each once."""
        return tuple(dict.fromkeys((self.title, *(one.title for one in self.rounds))))

    def played_in(self, number: int) -> tuple[str, Mapping[str, bool | int | str]]:
        """Title and options of a round of the tournament, counted from 1 over all stages."""
        for one in self.rounds:
            if one.number == number:
                return one.title, one.options
        return self.title, self.options

    def settings(self) -> dict[str, Any]:
        """The canonical form, for record 0: a document with every value, keys in order."""
        return canon.ordered(
            {
                "name": self.name,
                "title": self.title,
                "options": dict(self.options),
                "round": tuple(
                    {"number": one.number, "title": one.title, "options": dict(one.options)}
                    for one in self.rounds
                ),
                "stage": tuple(_stage(one) for one in self.stages),
                "sides": {
                    "by": self.sides.by,
                    "bid": {
                        "price": self.sides.bid.price,
                        "step": self.sides.bid.step,
                        "most": self.sides.bid.most,
                        "minutes": self.sides.bid.minutes,
                    },
                },
                "clock": dict(self.clock),
                "entry": {
                    "least": self.entry.least,
                    "most": self.entry.most,
                    "invited": self.entry.invited,
                    "apart": self.entry.apart,
                },
                "late": {
                    "until_round": self.late.until_round,
                    "missed": self.late.missed,
                    "halves": self.late.halves,
                },
                "absence": {
                    "check_in_minutes": self.absence.check_in_minutes,
                    "no_show_minutes": self.absence.no_show_minutes,
                },
                "lots": {"minutes": self.lots.minutes},
                "unfinished": {
                    "by": self.unfinished.by,
                    "at": self.unfinished.at,
                    "draw": units(self.unfinished.draw),
                    "panel": self.unfinished.panel,
                    "loss_to": self.unfinished.loss_to,
                    "win_from": self.unfinished.win_from,
                },
                "spectators": {
                    "delay_s": self.spectators.delay_s,
                    "delay_turns": self.spectators.delay_turns,
                },
                "claims": {
                    "stop": self.claims.stop,
                    "protest_minutes": self.claims.protest_minutes,
                },
                "appeals": {
                    "committee": self.appeals.committee,
                    "minutes": self.appeals.minutes,
                },
                "ratings": {"rated": self.ratings.rated, "handicap": self.ratings.handicap},
                "servers": self.servers,
                "packs": dict(self.packs),
            }
        )


def apart(one: Named, others: Iterable[Named]) -> str:
    """How somebody is shown: by name, and where another has that name with the end of the id."""
    id, name = one
    twice = any(name == called and id != other for other, called in others)
    return f"{name} ({id[-_TAIL_CHARS:]})" if twice and id else name


def units(half: int) -> int | str:
    """Half units as a charter writes units: a whole number, or text such as "1.5"."""
    return half // 2 if half % 2 == 0 else f"{half // 2}.5"


def _stage(stage: Stage) -> dict[str, Any]:
    points = stage.points
    return {
        "system": stage.system,
        "name": stage.name,
        "rounds": stage.rounds,
        "points": {
            "win": points.win,
            "close_win": points.close_win,
            "draw": points.draw,
            "close_loss": points.close_loss,
            "loss": points.loss,
            "close": units(points.close),
            "bye": points.bye,
            "full_bye": points.full_bye,
            "half_bye": points.half_bye,
            "zero_bye": points.zero_bye,
            "forfeit_win": points.forfeit_win,
            "forfeit_loss": points.forfeit_loss,
        },
        "tiebreaks": stage.tiebreaks,
        "advance": {
            "most": stage.advance.most,
            "least": stage.advance.least,
            "by": stage.advance.by,
            "steps": stage.advance.steps,
        },
        "seeds": stage.seeds,
        "first_round": stage.first_round,
        "again": stage.again,
        "eliminator": stage.eliminator,
        "tie": stage.tie,
        "best_of": stage.best_of,
        "cycles": stage.cycles,
        "group_size": stage.group_size,
        "table": stage.table,
        "draws_out": stage.draws_out,
        "free_at": stage.free_at,
        "consolation": stage.consolation,
        "by": stage.by,
        "within": stage.within,
        "share": stage.share,
    }
