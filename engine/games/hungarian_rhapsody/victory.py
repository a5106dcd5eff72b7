"""HR 1.7, 2.4, 5: who has won, by the conditions in the scenario's file.

HR 1.7 Each scenario has conditions of its own: points for hexes that are controlled (and for those
that the enemy still holds) against a number that wins and one that draws. Or all of some hexes must
be held while others are clear of the enemy. HR 2.4 Sudden deaths end a game at once, or at the end
of a player turn: all seven hexes of Budapest taken before a date, or a Budapest Fortress in trace
again.
"""

from collections.abc import Mapping
from typing import Any

from warledger.engine.board import hexsets
from warledger.engine.board.hexsets import Hexes
from warledger.engine.games.hungarian_rhapsody import fortress
from warledger.engine.games.ocs.ch04_concepts.concepts import attack_capable
from warledger.engine.games.ocs.ch12_supply import trace
from warledger.engine.games.ocs.series.state import State
from warledger.engine.kernel.types import Outcome, Say

AT_ONCE, END_OF_PLAYER_TURN = "at_once", "end_of_{side}_player_turn"
"""When a sudden death is checked, as the files say it."""

CLEAN_UP = "h"


def terms(state: State) -> Mapping[str, Any]:
    """HR 1.7 The scenario's `[victory]`."""
    found: Mapping[str, Any] = state.charts.scenario.doc["victory"]
    return found


# --- what has been won ----------------------------------------------------------------------------


def _hexes(state: State, text: str) -> Hexes:
    return state.charts.board.set_of(text)


def missing(state: State) -> Hexes:
    """HR 1.7 Hexes that the side of the conditions is to control and does not."""
    asked = terms(state)
    return _hexes(state, asked.get("all_hexes", "")) & ~state.control[asked["side"]]


def in_the_way(state: State) -> tuple[str, ...]:
    """HR 1.7, OCS 4.4 Attack-capable enemy units in hexes that are to be clear of them."""
    asked = terms(state)
    clear = _hexes(state, asked.get("clear_of_enemy_attack_capable", ""))
    enemy = state.enemy(asked["side"])
    return tuple(
        name
        for i in hexsets.listed(clear & state.field.combat[enemy])
        for name in state.stack(i)
        if state.side(name) == enemy and attack_capable(state.counter(name), state.units[name])
    )


def points(state: State) -> int:
    """HR 1.7 Points of the side of the conditions: of hexes that it controls, and of those that it
    does not where the file counts them."""
    asked = terms(state)
    own = state.control[asked["side"]]
    number = state.charts.board.hex
    held = sum(
        worth for name, worth in asked.get("hexes", {}).items() if hexsets.has(own, number(name))
    )
    lacking = sum(
        worth
        for name, worth in asked.get("enemy_hexes", {}).items()
        if not hexsets.has(own, number(name))
    )
    return int(held + lacking)


def score(state: State) -> Mapping[str, int]:
    """HR 1.7 What each side has reached: the points of the side of the conditions and 0, or hexes
    that it is to hold and holds, against those that it lacks."""
    asked = terms(state)
    side = asked["side"]
    if "all_hexes" in asked:
        lacking = missing(state).bit_count()
        found = {side: _hexes(state, asked["all_hexes"]).bit_count() - lacking}
        found[state.enemy(side)] = lacking
    else:
        found = {side: points(state), state.enemy(side): 0}
    return {name: found[name] for name in state.charts.sides}


# --- who has won ----------------------------------------------------------------------------------


def _told(state: State, how: str, winner: str | None, **args: Any) -> Outcome:
    key = f"outcome.hungarian_rhapsody.{how}"
    return Outcome(winner, Say(key, tuple(sorted(args.items())), "HR 1.7"))


def judged(state: State) -> Outcome:
    """HR 1.7 The result at the end of the scenario's last turn."""
    asked = terms(state)
    side, other = asked["side"], asked["otherwise"]
    if "all_hexes" in asked:
        lacking, enemies = missing(state).bit_count(), len(in_the_way(state))
        if lacking or enemies:
            return _told(state, "not_cleared", other, hexes=lacking, units=enemies)
        return _told(state, "cleared", side)
    if "wins_at" not in asked:
        return _told(state, "held_out", other)
    reached = points(state)
    last = asked.get("and_holds_any", "")
    if last and not _hexes(state, last) & state.control[side]:
        return _told(state, "points", other, points=reached)
    if reached >= asked["wins_at"]:
        return _told(state, "points", side, points=reached)
    if reached >= asked.get("draws_at", asked["wins_at"]):
        return _told(state, "points", None, points=reached)
    return _told(state, "points", other, points=reached)


def sudden(state: State) -> Outcome | None:
    """HR 2.4 A sudden death that holds now, of those that are checked now; None for none."""
    for one in terms(state).get("sudden", ()):
        if _due(state, one) and _holds(state, one):
            return Outcome(
                one["winner"], Say(f"outcome.hungarian_rhapsody.{one['id']}", (), "HR 2.4")
            )
    return None


def _due(state: State, one: Mapping[str, Any]) -> bool:
    """HR 2.4 Whether a sudden death is checked now: before its date, at its moment."""
    if state.turn >= one.get("before_turn", state.turn + 1):
        return False
    if one["checked"] == AT_ONCE:
        return True
    return state.segment == CLEAN_UP and one["checked"] == END_OF_PLAYER_TURN.format(
        side=state.phasing
    )


def _holds(state: State, one: Mapping[str, Any]) -> bool:
    if "hexes" in one:
        return not _hexes(state, one["hexes"]) & ~state.control[one["winner"]]
    return relieved(state)


def relieved(state: State) -> bool:
    """HR 2.4 Whether something in an Axis hex of a fortress can trace, of one that ended by that in
    this turn too."""
    side = state.charts.sides[0]
    hexes = (fortress.inside(state) | fortress.relieved(state)) & state.control[side]
    if not hexes:
        return False
    if any(trace.traces_from(state, side, i) for i in hexsets.listed(hexes)):
        return True
    return any(
        by is not None and hexsets.has(hexes, state.units[name].at)
        for name, by in trace.traced(state, side).items()
    )


def verdict(state: State) -> Outcome | None:
    """HR 1.7, 2.4 The result, None while play goes on."""
    return judged(state) if state.over else sudden(state)
