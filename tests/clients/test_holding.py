"""The words stack, dump, base and supply: what lies in a place, and who would pay for a piece."""

import io
from typing import Any

import pytest
from rich.console import Console

from tests.clients.southwind import picture
from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, put, start
from warledger.clients.terminal.holding import HOLDINGS
from warledger.clients.terminal.looking import LOOKS
from warledger.clients.terminal.picking import Picking
from warledger.clients.terminal.screen import Screen
from warledger.engine.games.hungarian_rhapsody.rules import RULES
from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.series.state import State
from warledger.engine.testing.laws import known_to, lifted
from warledger.protocol.board.choices import Choices, Option, Picks, Refusal, Say, refuse, say
from warledger.protocol.board.effects import Board
from warledger.protocol.lang import phrases
from warledger.protocol.texts.phrases import LANGUAGES


def seen_by(state: State, side: str) -> Board:
    """What a side sees of a position."""
    found = Board()
    for effect in RULES.picture(fog.laid(state)):
        for shown in lifted(known_to(effect, side)):
            found.apply(shown)
    return found


def told(word: str, place: str, board: Board) -> str:
    """What a word tells of a place."""
    hexes, spoken = picture()
    return "\n".join(HOLDINGS[word](place, board, hexes, spoken))


def test_a_stack_is_told_counter_by_counter() -> None:
    """Each counter with the values of the side that shows and its mode, then the hex's markers."""
    board = seen_by(put(start(), "ax.art.403", marker="dg"), AXIS)

    said = told("stack", "A26.09", board).splitlines()
    assert said[0] == "Érsekújvár (A26.09): 3 counters."
    assert said[1] == "1. 403 VAK 36-2-1w (DG)"
    assert len(said) == 5


def test_a_dump_is_told_in_supply_points_and_tokens_to_its_owner_alone() -> None:
    """The owner is told SP and T on the ground and in loads; the enemy sees no amount."""
    state = start()

    mine = told("dump", "A26.09", seen_by(state, AXIS))
    assert mine == "Érsekújvár (A26.09): Axis has 13 SP 0T on the ground."
    assert (
        told("dump", "A26.09", seen_by(state, SOVIET))
        == "No supply can be seen in Érsekújvár (A26.09)."
    )
    loaded = next(name for name, unit in state.units.items() if unit.load and unit.at >= 0)
    here = state.charts.board.name(state.units[loaded].at)
    assert f"SP {state.units[loaded].load % 4}T" in told(
        "dump", here, seen_by(state, state.side(loaded))
    )


def test_a_base_is_told_with_its_aircraft_as_the_seat_sees_them() -> None:
    """Level and all aircraft for the owner; for the enemy the level and the one on top."""
    state = start()

    mine = told("base", "A26.06", seen_by(state, AXIS))
    assert "A26.06: air base of level 2, Axis." in mine
    assert "active: Bf 109G 1 4-3-20, Bf 109G 2" in mine
    theirs = told("base", "A26.06", seen_by(state, SOVIET))
    assert "air base of level 2" in theirs
    assert theirs.count("-20") == 1 and "inactive" not in theirs
    assert told("base", "A26.10", seen_by(state, AXIS)) == "No air base can be seen in A26.10."


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("word", [*HOLDINGS, "supply"])
def test_each_word_has_its_help_and_a_spelling(word: str, language: str) -> None:
    """In every language."""
    spoken = phrases(language, RULES.title)

    assert spoken.has(f"ui.help.{word}") and spoken.has(f"ui.word.{word}")
    assert word in LOOKS


class Asked:
    """A seat that is offered `pay` and `fuel` for some units, with what is shown of them."""

    def __init__(self, board: Board, answers: dict[Picks, Any]) -> None:
        self.board = board
        self.watch = self
        self._answers = answers

    async def offer(self, picks: Picks) -> Any:
        """A top of two verbs, a Refusal for what is not on offer."""
        if not picks:
            return Top(Choices("ocs.movement", (Option("fuel"), Option("move"))))
        return self._answers.get(picks, refuse("OCS 12.5", "refusal.ocs.nothing_to_fuel"))

    async def preview(self, picks: Picks) -> tuple[Say, ...] | Refusal:
        """What is shown."""
        return (say("preview.ocs.at_hand", "OCS 12.3a", payer=picks[1], tokens=1, what="A26.09"),)


class Top:
    """An offer's choices."""

    def __init__(self, choices: Choices) -> None:
        self.choices = choices


@pytest.mark.parametrize(
    ("unit", "said"),
    [
        ("ax.art.403", "1T from Érsekújvár (A26.09), at hand."),
        ("ax.werf.13", "OCS 12.5"),
        ("A26.09", "Name a piece"),
    ],
)
async def test_supply_tells_who_would_pay_or_the_rule_against_it(unit: str, said: str) -> None:
    """For a unit on offer what the rules show; for another the refusal with its clause."""
    out = io.StringIO()
    screen = Screen(plain=True, console=Console(file=out, width=200))
    screen.picture, screen.spoken = picture()
    board = seen_by(start(), AXIS)
    seat: Any = Asked(board, {("fuel", "ax.art.403"): Top(Choices("ocs.fuel"))})

    async def seen(seq: int) -> None:
        """Nothing is told here."""

    await LOOKS["supply"](Picking(seat, screen, seen), (unit,))

    assert said in out.getvalue()
