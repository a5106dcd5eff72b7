"""Charters to start from, as documents: a host names one and overrides what they like."""

from collections.abc import Mapping
from typing import Any, Final

_WARGAME_POINTS: Final = {
    "win": 10,
    "close_win": 8,
    "draw": 5,
    "close_loss": 2,
    "loss": 0,
    "close": 2,
    "bye": 5,
    "full_bye": 10,
    "half_bye": 5,
    "zero_bye": 0,
    "forfeit_win": 9,
    "forfeit_loss": 0,
}

PRESETS: Final[Mapping[str, Mapping[str, Any]]] = {
    # A weekend among wargamers: a Swiss by record for all who come, then a knock-out.
    "wbc-swiss": {
        "stage": (
            {
                "system": "record",
                "rounds": 5,
                "points": _WARGAME_POINTS,
                "tiebreaks": ("direct", "sos_pooled", "games", "wins", "lots"),
                "advance": {"most": 8, "least": 4},
            },
            {
                "system": "knockout",
                "points": _WARGAME_POINTS,
                "seeds": "standings",
                "tie": "higher",
            },
        ),
        "sides": {"by": "bid", "bid": {"price": "own", "step": 1, "most": 20}},
        "clock": {"preset": "live"},
        "late": {"until_round": 2, "missed": "zero"},
        "absence": {"check_in_minutes": 15, "no_show_minutes": 20},
        "unfinished": {"by": "score", "at": "turn"},
    },
    # A Swiss as chess players know it: FIDE's Dutch system and tie-breaks.
    "fide-swiss": {
        "stage": (
            {
                "system": "dutch",
                "rounds": 9,
                "tiebreaks": (
                    "buchholz:cut1",
                    "buchholz",
                    "sonneborn_berger",
                    "direct",
                    "games_won",
                    "lots",
                ),
            },
        ),
        "sides": {"by": "balance"},
        "clock": {"preset": "live"},
        "late": {"until_round": 2, "missed": "half", "halves": 1},
        "absence": {"check_in_minutes": 15, "no_show_minutes": 20},
        "unfinished": {"by": "score", "at": "turn"},
    },
    # An evening or a weekend for a club: groups of four, the first two go on.
    "mini-cup": {
        "stage": (
            {
                "system": "groups",
                "group_size": 4,
                # Who is free in a round gets nothing for it: everybody is free as often.
                "points": {"bye": 0},
                "tiebreaks": ("direct", "margin", "wins", "lots"),
                "advance": {"most": 2, "least": 1},
            },
            {"system": "knockout", "seeds": "standings", "tie": "higher"},
        ),
        "sides": {"by": "balance"},
        "clock": {"preset": "evening"},
        "entry": {"least": 6, "most": 32},
        "absence": {"check_in_minutes": 15, "no_show_minutes": 20},
        "unfinished": {"by": "score", "at": "turn"},
    },
    # By correspondence: out at the second loss, two draws count as one.
    "pbem-double-elimination": {
        "stage": (
            {
                "system": "double_elimination",
                "seeds": "lots",
                "tie": "another",
                "draws_out": 2,
                "tiebreaks": ("wins", "sos_pooled", "lots"),
            },
        ),
        "sides": {
            "by": "bid",
            "bid": {"price": "own", "step": 1, "most": 40, "minutes": 7 * 24 * 60},
        },
        "clock": {"preset": "mail"},
        "absence": {"check_in_minutes": 0, "no_show_minutes": 7 * 24 * 60},
        "unfinished": {"by": "panel", "panel": 3},
        "claims": {"stop": "claim", "protest_minutes": 3 * 24 * 60},
        "appeals": {"minutes": 7 * 24 * 60},
    },
    # All play all.
    "round-robin": {
        "stage": (
            {
                "system": "round_robin",
                "points": {"bye": 0},
                "tiebreaks": ("direct", "sonneborn_berger", "koya", "games_won", "shared"),
            },
        ),
        "sides": {"by": "balance"},
        "clock": {"preset": "evening"},
        "entry": {"least": 3, "most": 16},
        "unfinished": {"by": "score", "at": "turn"},
    },
    # Goes on for as long as people play: winners pass those who lost.
    "ladder": {
        "stage": ({"system": "ladder", "by": "pass", "tiebreaks": ("wins", "games", "shared")},),
        "sides": {"by": "bid", "bid": {"price": "other", "step": 1, "most": 40, "minutes": 2880}},
        "clock": {"preset": "fast"},
        "late": {"until_round": 64, "missed": "zero"},
        "absence": {"check_in_minutes": 0, "no_show_minutes": 2880},
        "unfinished": {"by": "score", "at": "turn"},
    },
}
"""Name -> the document."""


def overlaid(base: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """A document over another: tables key by key, everything else as a whole. A host who writes
    stages has these; one of the same system as the preset's at its place takes over what it does
    not say."""
    made: dict[str, Any] = dict(base)
    for key, value in own.items():
        under = base.get(key)
        if key == "stage" and isinstance(value, list | tuple) and isinstance(under, tuple):
            made[key] = tuple(
                overlaid(under[n], one)
                if n < len(under)
                and isinstance(one, Mapping)
                and one.get("system", under[n]["system"]) == under[n]["system"]
                else one
                for n, one in enumerate(value)
            )
        elif key == "clock" and isinstance(value, Mapping) and "preset" in value:
            made[key] = value
        elif isinstance(value, Mapping) and isinstance(under, Mapping):
            made[key] = overlaid(under, value)
        else:
            made[key] = value
    return made
