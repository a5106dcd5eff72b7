"""A captain of the series: one seat of one game.

Each question is answered by a method, found by the verbs on offer. A segment's moves are planned
once, when the side is first asked, and then carried out command by command. Every pick is checked
against the offer before it is made. Where a plan no longer fits, that part of it is dropped.
"""

from collections.abc import Mapping

from warledger.clients.bots.captains.ocs.combat import Combat
from warledger.clients.bots.captains.ocs.march import March


class Captain(March, Combat):
    """One seat of one game."""

    handlers: Mapping[str, str] = {
        "first": "_first",
        "auto": "_pay",
        "stocks": "_pay",
        "unpaid": "_pay",
        "meet": "_dogfight",
        "intercept": "_intercept",
        "home": "_word",
        "breakout": "_break_out",
        "refit": "_refit",
        "goulash": "_goulash",
        "fortress": "_fortress",
        "eat": "_eat",
        "deliver": "_deliver",
        "place": "_place",
        "rest": "_rest",
        "recall": "_recall",
        "rebuild": "_rebuild",
        "keep": "_keep",
        "stand_down": "_stand_down",
        "attack": "_attack",
        "barrage": "_barrage",
        "bomb": "_bomb",
        "defend": "_defend",
        "lead": "_lead",
        "advance": "_advance",
        "eliminate": "_eliminate",
        "stand": "_word",
        "retreat": "_give_way",
        "lose": "_lose",
        "move": "_move",
        "release": "_move",
        "fuel": "_move",
        "stay": "_word",
    }
