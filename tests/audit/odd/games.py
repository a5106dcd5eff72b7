"""What can be odd about a game: the terms that it is begun with, and how it goes on."""

import random
from typing import Any, Final

from tests.audit.odd.going_on import go_on
from tests.audit.odd.log import Log
from tests.audit.odd.oddities import Oddity, shown
from tests.audit.odd.values import DAY, near, odd_text, strange

TIMES: Final = (0, 0, 1, 1000, 60_000, 600_000, DAY, 400 * DAY)
TERMS: Final = 13


def control(rng: random.Random, seats: list[Any]) -> dict[str, Any]:
    """A control of clocks."""
    fall = rng.choice(("loss", "loss", "claim", "claim", "freeze", "bot"))
    told: dict[str, Any] = {"bank": rng.choice((1, 1000, 600_000, 10**7))}
    for name in ("turn", "each", "cap", "free", "free_turn", "notice"):
        if rng.random() < 0.4:
            told[name] = rng.choice(TIMES)
    if fall != "loss" or rng.random() < 0.5:
        told["fall"] = fall
    if fall == "bot":
        told["bot"] = "bot"
    if rng.random() < 0.3:
        told["nights"] = rng.choice((1, 8, 10))
    if rng.random() < 0.3:
        told["leave_days"] = rng.choice((1, 2, 400))
        told["leave_each"] = rng.choice((0, 1))
    if rng.random() < 0.2:
        told["handicap"] = {rng.choice(seats): {rng.choice(("bank", "each", "cap")): 5000}}
    return told


def terms(rng: random.Random, log: Log) -> str | None:
    """The game is begun with terms that may be."""
    body = log.frames[0].body
    told = dict(body[TERMS])
    if rng.random() < 0.7:
        told["clock"] = control(rng, body[6])
    if rng.random() < 0.4:
        arbiters: Any = rng.choice(([], [["id.Ann", "Ann"]], [["id.Ann", "A"], ["id.Bob", "B"]]))
        rules = rng.choice(({}, {"stop": "claim"}, {"stop": "heard"}, {"recused": ["id.Bob"]}))
        told["desk"] = [arbiters, rules]
    if rng.random() < 0.3:
        told["protest_ms"] = rng.choice(TIMES)
    for term in ("self_play", "unsigned_seats"):
        if rng.random() < 0.15:
            told[term] = True
    body[TERMS] = _ordered(told)
    return f"terms {shown(body[TERMS])}"


def odd_terms(rng: random.Random, log: Log) -> str | None:
    """A term of the game is odd."""
    if rng.random() < 0.7:
        terms(rng, log)
    told: Any = log.frames[0].body[TERMS]
    for _ in range(8):
        key = rng.choice([*told, rng.choice(("odd", "tournament", "desk", "clock", "delay"))])
        inner = told.get(key)
        if type(inner) is not dict or not inner or rng.random() < 0.3:
            break
        told = inner
    kind = rng.randrange(4)
    if kind == 0 and key in told:
        del told[key]
    elif kind == 1:
        told[rng.choice(("odd", "banks", key))] = rng.choice((0, None, {}, [], "x", odd_text(rng)))
    elif kind == 2:
        told[key] = strange(rng)
    else:
        told[key] = near(rng, told.get(key, 0))
    if rng.random() < 0.9:
        log.frames[0].body[TERMS] = _ordered(log.frames[0].body[TERMS])
    return f"terms {shown(log.frames[0].body[TERMS])}"


def _ordered(value: Any) -> Any:
    if type(value) is dict:
        return {key: _ordered(value[key]) for key in sorted(value)}
    return value


def unsigned(rng: random.Random, log: Log) -> str | None:
    """A seat signs nothing."""
    key = rng.choice([frame.body[-1][0] for frame in log.records() if frame.what == "seat taken"])
    for frame in log.frames:
        frame.tree = _without(frame.tree, key)
    log.frames[0].body[TERMS] = _ordered({**log.frames[0].body[TERMS], "unsigned_seats": True})
    return "a seat signs nothing"


def _without(value: Any, key: bytes) -> Any:
    if type(value) is list:
        return [_without(item, key) for item in value]
    return b"" if value == key and type(value) is bytes else value


ODD: dict[Oddity, int] = {go_on: 40, odd_terms: 4, unsigned: 2}
