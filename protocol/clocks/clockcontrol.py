"""What the genesis of a game with clocks fixes about time, and named paces."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from attrs import field, frozen

from warledger.protocol import canon
from warledger.protocol.limits import CLOCK_MS_MAX, NAME_CHARS_MAX, NIGHT_HOURS_MAX
from warledger.protocol.log.records import Genesis

SECOND_MS: Final = 1_000
MINUTE_MS: Final = 60 * SECOND_MS
HOUR_MS: Final = 60 * MINUTE_MS
DAY_MS: Final = 24 * HOUR_MS
DAY_MIN: Final = DAY_MS // MINUTE_MS

UNITS: Final = {"d": DAY_MS, "h": HOUR_MS, "m": MINUTE_MS, "s": SECOND_MS}
_PART = re.compile(r"(\d+)\s*([dhms])", re.ASCII)

CLOCK: Final = "clock"
DESK: Final = "desk"
PROTEST: Final = "protest_ms"
"""The keys of the control, and of what is agreed about claims, in a genesis's terms."""

LOSS, CLAIM, FREEZE, BOT = "loss", "claim", "freeze", "bot"
FALLS: Final = (LOSS, CLAIM, FREEZE, BOT)
"""What follows when a flag falls: the seat has lost; the others may claim the game; an arbiter
decides; the named bot plays on."""


class BadControl(ValueError):
    """An invalid control: the message names the field and says what it must be."""


def duration(text: str) -> int:
    """A time as it is typed, such as "90s", "25m", "1h30m" or "14d", in milliseconds. Raises
    ValueError."""
    compact = text.strip().lower()
    parts = _PART.findall(compact)
    if not parts or _PART.sub("", compact).strip():
        raise ValueError(f"{text!r} is not a time; write 90s, 25m, 1h30m or 14d")
    return sum(int(number) * UNITS[unit] for number, unit in parts)


@frozen
class Control:
    """What a genesis fixes about time: the map `terms.clock`. Times are in milliseconds.

    bank         what a seat has at the start
    turn         added to every seat when a turn opens, except the first
    each         added to a seat for each decision that it answered in time
    cap          an addition raises a bank at most to this; 0: no cap
    free         this much time at the beginning of each decision costs nothing
    free_turn    at most this much time of a turn is free; 0: no cap
    fall         one of FALLS
    bot          the bot that plays on, where `fall` is "bot"
    nights       hours a day that a seat may choose for its clock not to run; 0: none
    leave_days   days of leave that a seat may take in the game; 0: none
    leave_each   at most this many of them at a time; 0: as many as are left
    notice       the time after which a pause ends that a single seat wants to end; 0: it ends when
                 every seat wants it to
    handicap     seat -> its own bank, turn, each or cap, where they differ
    """

    bank: int
    turn: int = 0
    each: int = 0
    cap: int = 0
    free: int = 0
    free_turn: int = 0
    fall: str = LOSS
    bot: str = ""
    nights: int = 0
    leave_days: int = 0
    leave_each: int = 0
    notice: int = 0
    handicap: Mapping[str, Mapping[str, int]] = field(factory=dict)

    @classmethod
    def read(cls, value: Any, seats: Sequence[str]) -> "Control":
        """The control that a map of a genesis's terms stands for. Raises BadControl."""
        if type(value) is not dict:
            raise BadControl("a clock is a map")
        for key, given in value.items():
            check = _FIELDS.get(key)
            if check is None:
                raise BadControl(f"a clock has no {key!r}; it may have {', '.join(_FIELDS)}")
            check(key, given)
        if value.get("bank", 0) == 0:
            raise BadControl("bank must be more than 0; leave the clock out for a game without")
        if (value.get("fall") == BOT) != bool(value.get("bot")):
            raise BadControl('bot names who plays on where fall is "bot", and only there')
        if value.get("leave_each", 0) > value.get("leave_days", 0):
            raise BadControl("leave_each must not be more than leave_days")
        for seat, own in value.get("handicap", {}).items():
            if seat not in seats:
                raise BadControl(f"handicap names a seat {seat!r} that the game does not have")
            if not own or not own.get("bank", 1):
                raise BadControl("a handicap changes something, and leaves a bank of more than 0")
        return cls(**value)

    def as_terms(self) -> dict[str, Any]:
        """The map for a genesis's terms, without fields that have their default."""
        values = {key: getattr(self, key) for key in _FIELDS}
        kept = {key: item for key, item in values.items() if item or key in ("bank", "fall")}
        ordered: dict[str, Any] = canon.ordered(kept)
        return ordered

    def of(self, seat: str, what: str) -> int:
        """`bank`, `turn`, `each` or `cap` of a seat."""
        value: int = getattr(self, what)
        if self.handicap:
            value = self.handicap.get(seat, {}).get(what, value)
        return value


def _time(key: str, given: Any) -> None:
    if type(given) is not int or not 0 <= given <= CLOCK_MS_MAX:
        raise BadControl(f"{key} must be whole milliseconds from 0 to {CLOCK_MS_MAX}")


def _count(most: int, unit: str) -> Callable[[str, Any], None]:
    def check(key: str, given: Any) -> None:
        if type(given) is not int or not 0 <= given <= most:
            raise BadControl(f"{key} must be whole {unit} from 0 to {most}")

    return check


def _fall(key: str, given: Any) -> None:
    if given not in FALLS:
        raise BadControl(f"{key} must be one of: {', '.join(FALLS)}")


def _bot(key: str, given: Any) -> None:
    if type(given) is not str or not 0 < len(given) <= NAME_CHARS_MAX:
        raise BadControl(f"{key} must be the name of a bot")


def _handicap(key: str, given: Any) -> None:
    if type(given) is not dict:
        raise BadControl(f"{key} must be a map of seats")
    for seat, own in given.items():
        if type(own) is not dict or not all(name in _OWN for name in own):
            raise BadControl(f"{key} of {seat!r} may have {', '.join(_OWN)}")
        for name, value in own.items():
            _time(f"{key}: {name} of {seat!r}", value)


_OWN: Final = ("bank", "turn", "each", "cap")
_FIELDS: Final[Mapping[str, Callable[[str, Any], None]]] = {
    **dict.fromkeys(("bank", "turn", "each", "cap", "free", "free_turn"), _time),
    "fall": _fall,
    "bot": _bot,
    "nights": _count(NIGHT_HOURS_MAX, "hours"),
    "leave_days": _count(CLOCK_MS_MAX // DAY_MS, "days"),
    "leave_each": _count(CLOCK_MS_MAX // DAY_MS, "days"),
    "notice": _time,
    "handicap": _handicap,
}

PRESETS: Final[Mapping[str, Control]] = {
    "live": Control(
        25 * MINUTE_MS,
        turn=5 * MINUTE_MS,
        cap=40 * MINUTE_MS,
        free=5 * SECOND_MS,
        free_turn=90 * SECOND_MS,
        fall=CLAIM,
    ),
    "evening": Control(
        60 * MINUTE_MS,
        turn=10 * MINUTE_MS,
        cap=90 * MINUTE_MS,
        free=10 * SECOND_MS,
        free_turn=180 * SECOND_MS,
        fall=CLAIM,
    ),
    "fast": Control(72 * HOUR_MS, each=12 * HOUR_MS, cap=120 * HOUR_MS, fall=CLAIM, notice=HOUR_MS),
    "slow": Control(72 * HOUR_MS, each=36 * HOUR_MS, cap=240 * HOUR_MS, fall=CLAIM, notice=HOUR_MS),
    "mail": Control(
        14 * DAY_MS,
        turn=2 * DAY_MS,
        cap=21 * DAY_MS,
        fall=CLAIM,
        nights=NIGHT_HOURS_MAX,
        leave_days=14,
        notice=HOUR_MS,
    ),
}
"""Named paces from which a host can choose."""


def control_of(genesis: Genesis) -> Control | None:
    """What a genesis fixes about time, or None for a game without clocks. Raises BadControl."""
    if CLOCK not in genesis.terms:
        return None
    return Control.read(genesis.terms[CLOCK], genesis.seats)


def stops_at_claim(genesis: Genesis) -> bool:
    """Whether a claim stops the clocks as soon as it is made; otherwise it does so once an arbiter
    has taken it up."""
    desk = genesis.terms.get(DESK)
    rules = desk[1] if type(desk) is tuple and len(desk) > 1 else None
    return type(rules) is dict and rules.get("stop") == "claim"
