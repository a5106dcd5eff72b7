"""5 The turn: its steps in order, and what comes at its start (R3)."""

from engine.games.war_at_sea import RULES
from engine.games.war_at_sea.events import FranceClosed, PhaseBegan, Reinforced, UBoatsArrived
from engine.games.war_at_sea.state import TRACK
from engine.kernel.rig import Rig
from tests.rules.war_at_sea.charts import PACK, chart, happened, pass_on, place


def test_5_the_steps_of_a_turn_in_order() -> None:
    """5.1 – 5.8 Each step of the turn begins in the order of the rule book."""
    rig = Rig(RULES, PACK)
    phases: list[str] = []

    def note() -> None:
        phases.extend(event.phase for event in happened(rig, PhaseBegan))

    rig.do("allied", "done")
    note()
    while rig.state.turn == 1:
        seat = next(iter(rig.asked()))
        verb = next(verb for verb in ("return", "done", "pass") if verb in rig.options(seat))
        rig.do(seat, *((verb, rig.options(seat, verb)[0]) if verb == "return" else (verb,)))
        note()
    assert phases[:9] == [
        "reinforcements",
        "movement",
        "uboats",
        "airstrike_markers",
        "combat",
        "control",
        "return",
        "scoring",
        "reinforcements",
    ]


def test_5_1_reinforcements_come_to_their_own_country() -> None:
    """4.3, 5.1 British to England, German to Germany; Americans wait (R42); the boats of the turn come too."""
    rig = chart("begin_turn", dict.fromkeys(("king_george_v", "bismarck", "formidable"), TRACK), turn=1)

    assert happened(rig, Reinforced) == [Reinforced((("king_george_v", "england"), ("formidable", "england"), ("bismarck", "germany")))]
    assert happened(rig, UBoatsArrived) == [UBoatsArrived(("uboat_1",), 0, 0)]
    assert rig.asked() == {"allied": "prompt.war_at_sea.sail"}
    rig.do("allied", "sail", "king_george_v", "north_sea")


def test_5_1_a_convoy_and_soviet_ships_come_on_turn_3() -> None:
    """4.3, 13.1, 16.1 Convoy 1A to the USA, the Soviets to Leningrad."""
    rig = chart("begin_turn", {"convoy_1a": TRACK, "marat": TRACK}, turn=2, dice=(1,))

    assert (place(rig, "convoy_1a"), place(rig, "marat")) == ("usa", "leningrad")


def test_5_1_r3_order_at_the_start_of_a_turn() -> None:
    """R3 Turn 7: France closes before the boats come and before anything moves."""
    rig = chart("begin_turn", {"scharnhorst": "france", "bismarck": "germany"}, turn=6)

    kinds = [type(event).__name__ for event in rig.events]
    assert kinds.index("FranceClosed") < kinds.index("UBoatsArrived")
    assert happened(rig, FranceClosed) == [FranceClosed(("scharnhorst",))]


def test_5_8_the_game_ends_after_turn_8() -> None:
    """5.8, 17.4 After turn 8 the outcome is there and nobody is asked."""
    rig = chart("begin_turn", {"hood": "england"}, turn=7, med_held=True, score=3)

    pass_on(rig)
    assert rig.position.outcome is not None
    assert rig.position.outcome.winner == "axis"
    assert rig.submit("allied", "done").key == "refusal.game_over"  # type: ignore[union-attr]
