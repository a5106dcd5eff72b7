"""The bodies of `clock` and `ruling` records, by name.

Each begins with a word that says what it is, as a `seat` record does. Where a seat acts, the body
ends with `by`, its signature; where the server or an arbiter acts, it has none.

    clock     ["flag", seat, deadline_ms, left] | ["pause", [seat …], until_ms] |
              ["resume", seat, by] | ["credit", seat, ms, why, args] and with [by] behind it what a
              seat gives another | ["outage", from_ms, to_ms] | ["leave", seat, from_ms, to_ms, by]
              | ["night", seat, start_min, length_min, by]
    ruling    ["claim", n, seat, at_seq, clause, text] | ["heard", n] | ["looked", audience,
              from_seq, to_seq] | ["frozen", n] | ["said", n, text] | ["ruled", n, finding, clause,
              text, remedies] | ["corrected", n, picks, events, effects, opened] | ["appeal", n,
              text] | ["thawed", n] | ["withdrawn", n] | ["waived", seat]; a seat's own claim, word,
              appeal, withdrawal or waiver with [by] behind it. The record's actor says who acts.
"""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final, Self, TypeAlias, get_args

import attrs
from attrs import frozen

from warledger.protocol.board.choices import Say
from warledger.protocol.log.records import Array, By, by_seat, check_count

PAUSE, ADJOURN, TIME = "pause", "adjourn", "flag"
"""What a seat may ask for in a game with clocks: a pause, an adjournment, and the win once another
seat's flag has fallen."""

UPHELD, REJECTED, IN_PART = "upheld", "rejected", "in part"
FINDINGS: Final = (UPHELD, REJECTED, IN_PART)

STAND, BACK, GIVE_TIME, CORRECT, FORFEIT, DRAWN, ADJUDICATE, WARN, PENALTY, REPLACE = (
    "stand",
    "back",
    "time",
    "correct",
    "forfeit",
    "draw",
    "adjudicate",
    "warn",
    "penalty",
    "replace",
)
"""Remedies, as a `ruled` lists them: ["stand"], ["back", record], ["time", seat, ms], ["correct"],
["forfeit", seat], ["draw"], ["adjudicate", winner or nil], ["warn", seat], ["penalty", seat, text],
["replace", seat]."""


class Told:
    """A body consisting of its word, its fields in order, and `by` if a seat acted."""

    KIND: ClassVar[str]
    WHAT: ClassVar[str]

    @classmethod
    def read(cls, body: Array) -> Self:
        """Raises ValueError for another number of fields, or another `by`."""
        names = [field.name for field in attrs.fields(cls)]  # type: ignore[arg-type]
        plain = len(names) - ("by" in names)
        if len(body) == 1 + plain:
            return cls(*body[1:])
        check_count(cls.KIND, body, 1 + len(names))
        make: Any = cls
        made: Self = make(*body[1:-1], by_seat(body[-1]))
        return made

    def write(self) -> Array:
        """The array in the log."""
        by = self.acted
        return self.signed if by is None else (*self.signed, by.as_array())

    @property
    def acted(self) -> By | None:
        """The signature of the seat that acted, if one did."""
        by: By | None = getattr(self, "by", None)
        return by

    @property
    def signed(self) -> Array:
        """What a seat signs: all of it but `by`."""
        names = [field.name for field in attrs.fields(type(self))]  # type: ignore[arg-type]
        return (self.WHAT, *[getattr(self, name) for name in names if name != "by"])


# --- clock ----------------------------------------------------------------------------------------


class _Clock(Told):
    KIND = "clock"


@frozen(slots=False)
class Flag(_Clock):
    """A seat's bank was used up at `deadline_ms`. `left` is what it has at this record: 0, or less
    if the record is late."""

    WHAT = "flag"
    seat: str
    deadline_ms: int
    left: int


@frozen(slots=False)
class Pause(_Clock):
    """The clocks of all seats stop, as all of them wish, until `until_ms` (0: until they wish
    otherwise)."""

    WHAT = "pause"
    seats: tuple[str, ...]
    until_ms: int


@frozen(slots=False)
class Resume(_Clock):
    """A seat wants to go on after a pause."""

    WHAT = "resume"
    seat: str
    by: By | None = None


@frozen(slots=False)
class Credit(_Clock):
    """A seat is given time, or loses some: by a ruling, or (`by`) by another seat that lets it play
    on after its flag has fallen. `why` and `args` are a sentence's key and arguments."""

    WHAT = "credit"
    seat: str
    ms: int
    why: str
    args: Array
    by: By | None = None

    @property
    def reason(self) -> Say:
        """Why, as a sentence."""
        return Say(self.why, tuple((name, value) for name, value in self.args))


@frozen(slots=False)
class Outage(_Clock):
    """The server was down after its last sign of life; nobody is charged for that time."""

    WHAT = "outage"
    from_ms: int
    to_ms: int


@frozen(slots=False)
class Leave(_Clock):
    """A seat takes leave: its clock does not run meanwhile."""

    WHAT = "leave"
    seat: str
    from_ms: int
    to_ms: int
    by: By | None = None


@frozen(slots=False)
class Night(_Clock):
    """The hours of each day during which a seat's clock does not run: minutes of the day (UTC) at
    which they begin, and their length in minutes."""

    WHAT = "night"
    seat: str
    start_min: int
    length_min: int
    by: By | None = None


Clock: TypeAlias = Flag | Pause | Resume | Credit | Outage | Leave | Night

# --- ruling ---------------------------------------------------------------------------------------


class _Ruling(Told):
    KIND = "ruling"


@frozen(slots=False)
class Claim(_Ruling):
    """Somebody claims that record `at_seq` is wrong: claim number `n` of the game, from 1. `seat`
    is "" where it is not a seat's."""

    WHAT = "claim"
    n: int
    seat: str
    at_seq: int
    clause: str
    text: str
    by: By | None = None


@frozen(slots=False)
class Heard(_Ruling):
    """An arbiter has taken a claim up."""

    WHAT = "heard"
    n: int


@frozen(slots=False)
class Looked(_Ruling):
    """An arbiter has looked at what an audience could see, in records of a game in progress."""

    WHAT = "looked"
    audience: str
    from_seq: int
    to_seq: int


@frozen(slots=False)
class Froze(_Ruling):
    """Nobody plays on until an arbiter has ruled."""

    WHAT = "frozen"
    n: int


@frozen(slots=False)
class Said(_Ruling):
    """A statement about a claim."""

    WHAT = "said"
    n: int
    text: str
    by: By | None = None


@frozen(slots=False)
class Ruled(_Ruling):
    """An arbiter's finding with its clause, and the remedies. The records that carry them out
    follow at once, in this order."""

    WHAT = "ruled"
    n: int
    finding: str
    clause: str
    text: str
    remedies: tuple[Array, ...]


@frozen(slots=False)
class Corrected(_Ruling):
    """A correction that a ruling asks for, through the door: picks on offer for an arbiter, and
    what they did."""

    WHAT = "corrected"
    n: int
    picks: Array
    events: tuple[Array, ...]
    effects: bytes
    opened: tuple[Array, ...]


@frozen(slots=False)
class Appeal(_Ruling):
    """Somebody appeals against a ruling."""

    WHAT = "appeal"
    n: int
    text: str
    by: By | None = None


@frozen(slots=False)
class Thawed(_Ruling):
    """The game goes on; claim 0: after a flag that had frozen it."""

    WHAT = "thawed"
    n: int


@frozen(slots=False)
class Withdrawn(_Ruling):
    """A claim is withdrawn."""

    WHAT = "withdrawn"
    n: int
    by: By | None = None


@frozen(slots=False)
class Waived(_Ruling):
    """A seat lodges no protest against the end of the game, which is held."""

    WHAT = "waived"
    seat: str
    by: By | None = None


Ruling: TypeAlias = (
    Claim | Heard | Looked | Froze | Said | Ruled | Corrected | Appeal | Thawed | Withdrawn | Waived
)

RULING: Final = get_args(Ruling)
"""The classes of `ruling` records."""
CLOCKS: Final[Mapping[str, type[Clock]]] = {kind.WHAT: kind for kind in get_args(Clock)}
RULINGS: Final[Mapping[str, type[Ruling]]] = {kind.WHAT: kind for kind in get_args(Ruling)}


def _reader(classes: Mapping[str, Any]) -> Callable[[Array], Any]:
    def read(body: Array) -> Any:
        what = body[0] if body else None
        found = classes.get(what) if type(what) is str else None
        if found is None:
            raise ValueError(f"unknown act {what!r}")
        return found.read(body)

    return read


read_clock: Callable[[Array], Clock] = _reader(CLOCKS)
"""What a `clock` record says. Raises ValueError for an unknown word."""
read_ruling: Callable[[Array], Ruling] = _reader(RULINGS)
"""What a `ruling` record says. Raises ValueError for an unknown word."""
