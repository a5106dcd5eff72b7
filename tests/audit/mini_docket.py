"""The claims of the small auditor, written from the pages of `protocol/` alone: what may
be claimed and ruled, by whom, and what must follow a ruling."""

from typing import Any

REMEDIES: dict[str, tuple[Any, ...]] = {
    "stand": (),
    "back": (int,),
    "time": (str, int),
    "correct": (),
    "forfeit": (str,),
    "draw": (),
    "adjudicate": (None,),
    "warn": (str,),
    "penalty": (str, str),
    "replace": (str,),
}
ENDING = ("forfeit", "draw", "adjudicate")
LOGGED = ("back", "time", "correct", *ENDING)


Actor = str | tuple[str, str]
"""A seat or the server, or an arbiter as (id, name)."""


def arbiter_is_one(value: Any) -> bool:
    """Whether a value is [id, name]."""
    return (
        isinstance(value, list)
        and len(value) == 2
        and all(isinstance(text, str) and text for text in value)
        and len(value[0]) <= 59
        and len(value[1]) <= 64
    )


def same(one: Actor, other: Actor) -> bool:
    """Whether two actors are one: seats by name, arbiters by id."""
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    return one[0] == other[0]


def desk_is_one(desk: Any) -> bool:
    """Whether a term is a desk."""
    if not (isinstance(desk, list) and len(desk) == 2 and isinstance(desk[1], dict)):
        return False
    arbiters, rules = desk
    recused = rules.get("recused", [])
    return (
        isinstance(arbiters, list)
        and all(map(arbiter_is_one, arbiters))
        and isinstance(recused, list)
        and all(isinstance(id, str) and 0 < len(id) <= 59 for id in recused)
        and set(rules) <= {"stop", "recused"}
        and rules.get("stop", "heard") in ("heard", "claim")
    )


class Case:
    """One claim."""

    def __init__(self, claimant: Actor) -> None:
        self.claimant = claimant
        self.arbiter: Actor = ""
        self.ruled_by: Actor = ""
        self.ruled = 0
        self.frozen = self.withdrawn = self.appealed = False

    @property
    def open(self) -> bool:
        """Whether it is still to be ruled on."""
        return not self.withdrawn and (not self.ruled or self.appealed)


class Docket:
    """All claims of a game."""

    def __init__(self, desk: Any, seats: list[str], protest: int = 0) -> None:
        self.arbiters, self.rules = desk or [[], {}]
        self.protest, self.over, self.waived = protest, 0, set[str]()
        self.seats = seats
        self.cases: dict[int, Case] = {}
        self.players: list[str] = []
        self.due: list[Any] = []
        self.of = self.corrected = 0

    def bars(self, actor: Actor) -> bool:
        """Whether somebody may not act as an arbiter: `players` are the accounts that have sat."""
        if isinstance(actor, str):
            return True
        return actor[0] in [*self.players, *self.rules.get("recused", [])] or bool(
            self.arbiters and actor[0] not in [id for id, _ in self.arbiters]
        )

    @property
    def frozen(self) -> bool:
        """Whether the game is frozen."""
        return any(case.frozen for case in self.cases.values())

    def must(self) -> Any:
        """How the next record must begin by the ruling in force, as (kind, actor, beginning)."""
        if not self.due:
            return None
        case, (word, *rest) = self.cases[self.of], self.due[0]
        if word == "back":
            return "takeback", case.ruled_by, {0: "", 1: rest[0], 4: case.ruled, 5: []}
        if word == "time":
            body = ["credit", *rest, "credit.ruling", [["claim", self.of]]]
            return "clock", "server", dict(enumerate(body))
        if word == "correct":
            return "ruling", case.ruled_by, {0: "corrected", 1: self.of}
        claim = ["claim", self.of]
        if word == "forfeit":
            others = [seat for seat in self.seats if seat != rest[0]]
            winner = others[0] if len(others) == 1 else None
            end = [winner, "outcome.forfeited", [["seat", rest[0]], claim]]
        elif word == "draw":
            end = [None, "outcome.draw_ruled", [claim]]
        else:
            end = [rest[0], "outcome.adjudicated", [claim]]
        return "end", "server", dict(enumerate(end))

    def follows(self, actor: Actor, kind: str, body: Any) -> bool:
        """Whether a record is what a ruling asks for, if one does; and nothing of that sort where
        none does."""
        must = self.must()
        if must is None:
            alone = (
                (kind == "takeback" and len(body) == 6 and body[0] == "")
                or (kind == "clock" and body[0] == "credit" and len(body) == 5)
                or (kind == "ruling" and body[0] == "corrected")
            )
            return not alone
        self.due = self.due[1:]
        wanted, by, places = must
        return bool(
            kind == wanted
            and same(actor, by)
            and len(body) > max(places)
            and all(body[place] == value for place, value in places.items())
        )

    @property
    def settled(self) -> bool:
        """Whether nothing but time and waivers holds an end that is held."""
        return not any(case.frozen or (n and case.open) for n, case in self.cases.items())

    def no_protest(self, at: int) -> bool:
        """Whether a held end is written now: every seat has waived, or the time is over."""
        late = self.protest > 0 and at >= self.over + self.protest
        return bool(self.over) and self.settled and (late or self.all_waived)

    @property
    def all_waived(self) -> bool:
        """Whether every seat has waived a protest."""
        return self.protest > 0 and self.waived == set(self.seats)

    def silent(self, at: int, who: Actor) -> bool:
        """Whether nobody, or not this seat, may protest any more."""
        held = self.over and self.protest
        return bool(held and (at >= self.over + self.protest or who in self.waived))

    def take(self, seq: int, at: int, actor: Actor, body: Any, fallen: list[str]) -> str:
        """Take a `ruling` record. Returns what is wrong with it, "" if nothing is."""
        what, *rest = body
        if what in ("claim", "appeal", "waived") and self.silent(at, actor):
            return "a protest that is too late, or waived"
        if what == "waived":
            self.waived.add(rest[0])
            return "" if rest[0] == actor and self.over and self.protest else "a waiver"
        if what == "claim":
            return self.claim(seq, actor, rest)
        if actor not in self.seats and self.bars(actor):
            return "no arbiter"
        if what == "looked":
            there = 0 <= rest[1] <= rest[2] < seq and rest[0] in ["public", "arbiter", *self.seats]
            return "" if there and actor not in self.seats else "a look"
        case = self.cases.get(rest[0])
        if case is None:
            return "no such claim"
        if what == "corrected":
            self.corrected = seq
            return "" if rest[4] == [] and len(rest[1]) <= 512 else "a correction"
        if what in ("said", "appeal"):
            closed = case.withdrawn or not case.ruled or case.appealed or actor not in self.seats
            bad = not case.open if what == "said" else closed
            case.appealed = case.appealed or what == "appeal"
            return "a word" if bad else ""
        if what == "withdrawn":
            bad = bool(case.ruled) or case.withdrawn or not same(case.claimant, actor)
            case.withdrawn = True
            return "a withdrawal" if bad else ""
        if actor in self.seats:
            return "a seat"
        return self.arbitrate(seq, at, actor, case, body, fallen)

    def claim(self, seq: int, actor: Actor, rest: Any) -> str:
        """A claim."""
        n, seat, at_seq, _, _ = rest[:5]
        mine = [one for one in self.cases.values() if same(one.claimant, actor) and one.open]
        made = len([n for n in self.cases if n])
        good = (
            (seat == actor and seat in self.seats if seat else not self.bars(actor))
            and 0 <= at_seq < seq
            and len(mine) < 3
            and n == made + 1 <= 200
        )
        self.cases[n] = Case(actor)
        return "" if good else "a claim"

    def arbitrate(
        self, seq: int, at: int, actor: Actor, case: Case, body: Any, fallen: list[str]
    ) -> str:
        """What only an arbiter does."""
        what, n, *rest = body
        if what == "thawed":
            bad = not case.frozen or (n == 0 and bool(fallen))
            case.frozen = False
            return "a thaw" if bad else ""
        if not case.open:
            return "a claim that is closed"
        own = case.appealed and same(case.ruled_by, actor)
        if what == "heard":
            bad = own or same(case.arbiter, actor)
            case.arbiter = actor
            return "a hearing" if bad else ""
        if not same(case.arbiter, actor) or own:
            return "a claim of another arbiter"
        if what == "frozen":
            bad, case.frozen = case.frozen, True
            return "a freeze" if bad else ""
        return self.ruled(seq, at, actor, case, n, rest)

    def ruled(self, seq: int, at: int, actor: Actor, case: Case, n: int, rest: Any) -> str:
        """A ruling."""
        finding, clause, _, remedies = rest
        words = []
        for remedy in remedies:
            named = isinstance(remedy, list) and bool(remedy) and isinstance(remedy[0], str)
            types = REMEDIES.get(remedy[0]) if named else None
            if types is None or len(types) != len(remedy) - 1:
                return "a remedy"
            for wanted, value in zip(types, remedy[1:], strict=True):
                either = wanted is None and (value is None or isinstance(value, str))
                if type(value) is not wanted and not either:
                    return "a remedy"
            word = remedy[0]
            words.append(word)
            seated = word in ("time", "forfeit", "warn", "penalty", "replace", "adjudicate")
            nobody = word == "adjudicate" and remedy[1] is None
            if seated and not nobody and remedy[1] not in self.seats:
                return "a remedy for nobody"
            if word == "time" and not 0 < abs(remedy[2]) <= 400 * 86_400_000:
                return "time"
            if word == "back" and not 0 < remedy[1] < seq:
                return "a record to go back to"
            if word == "penalty" and len(remedy[2]) > 2000:
                return "a penalty"
        ends = [index for index, word in enumerate(words) if word in ENDING]
        good = (
            finding in ("upheld", "rejected", "in part")
            and bool(clause)
            and 0 < len(words) <= 16
            and ends in ([], [len(words) - 1])
            and words.count("back") <= 1
            and not (finding == "rejected" and {"back", "correct"} & set(words))
        )
        case.ruled, case.ruled_by, case.appealed = seq, actor, False
        if self.over:
            self.over, self.waived = at, set()
        self.due, self.of = [remedy for remedy in remedies if remedy[0] in LOGGED], n
        return "" if good else "a ruling"
