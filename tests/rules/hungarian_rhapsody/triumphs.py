"""Hexes in a side's hands, and who has won."""

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, pack, start
from warledger.engine.games.hungarian_rhapsody import fortress, victory
from warledger.engine.games.hungarian_rhapsody.rules import RULES
from warledger.engine.games.ocs.series.state import State, removed, taken_by
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.position import Frame
from warledger.engine.testing.rig import Rig

BRIDGEHEAD = "A25.12 A25.13 A26.11..13 A27.11..13 A28.11..14"


def taken(state: State, side: str, text: str) -> State:
    """The position with these hexes in a side's hands."""
    return taken_by(state, side, state.charts.board.set_of(text))


def won(state: State) -> str | None:
    """Who has won at the end of the last turn."""
    found = victory.verdict(replace(state, over=True))
    assert found is not None
    return found.winner


def cleared() -> State:
    """Südwind with the bridgehead in Axis hands and no Soviet unit in it."""
    state = taken(start("sudwind"), AXIS, BRIDGEHEAD)
    area = victory._hexes(state, victory.terms(state)["clear_of_enemy_attack_capable"])
    gone = [n for n, u in state.units.items() if u.at >= 0 and area >> u.at & 1]
    return removed(state, [n for n in gone if state.side(n) == SOVIET], "box.dead.soviet")


def of(name: str, gained: str, side: str = AXIS) -> State:
    """A scenario in which a side has these of the hexes that count, and its enemy the others."""
    state = start(name)
    enemy = SOVIET if side == AXIS else AXIS
    state = taken(state, enemy, " ".join(victory.terms(state)["hexes"]))
    return taken(state, side, gained) if gained else state


def relieved(name: str) -> State:
    """A scenario after whose first Axis Movement Phase nothing stands between Budapest and the Axis
    sources; a fortress has been declared in the campaign."""
    state = start(name)
    if fortress.DECLARED not in state.flags:
        city = state.charts.board.set_of("A31.18 A32.17")
        state = replace(state, flags={**state.flags, fortress.DECLARED: city})
    gone = [n for n, u in state.units.items() if u.at >= 0 and state.side(n) == SOVIET]
    free = removed(state, gone, "box.dead.soviet")
    return taken_by(free, AXIS, state.charts.scenario.play)


def over(state: State, turn: int, phasing: str, *, second: bool = True) -> Rig[State]:
    """Play at the end of a player turn: its Clean Up Phase, and what follows until somebody is
    asked or the game has ended. Whoever stands in a hex of the enemy's is gone."""
    scenario = state.charts.scenario
    for side in (AXIS, SOVIET):
        out = [n for n, u in state.units.items() if u.at >= 0 and state.side(n) == side]
        strays = [n for n in out if not state.controls(side, state.units[n].at)]
        state = removed(state, strays, f"box.dead.{side}")
    rig: Rig[State] = Rig(RULES, pack(), options={"scenario": scenario.id, "fog": "open"}, seed=1)
    laid = replace(state, charts=rig.state.charts, turn=turn, phasing=phasing, segment="g3")
    rig.state = replace(laid, field=replace(laid.field, charts=rig.state.charts))
    after = len(RULES.sequences["game_turn"]) if second else 5
    rig.jump(
        Frame("game", (), 2),
        Frame("turns", (turn,)),
        Frame("game_turn", (turn,), after),
        Frame("player_turn", (), len(RULES.sequences["player_turn"])),
        Frame("segment_h"),
    )
    return rig
