"""The words supply, throw, stack and odds, where a title answers questions about its position."""

import io
from typing import Any

from rich.console import Console

from tests.clients.southwind import picture
from tests.rules.hungarian_rhapsody.bench import AXIS, pack, start
from tests.rules.hungarian_rhapsody.table import at_table
from tests.rules.ocs.test_09_fighting import THERE, sudwind
from warledger.clients.terminal.looking import LOOKS
from warledger.clients.terminal.picking import Picking
from warledger.clients.terminal.screen import Screen
from warledger.engine.games.hungarian_rhapsody.describe import description
from warledger.engine.games.hungarian_rhapsody.rules import RULES
from warledger.engine.games.ocs.series.state import State
from warledger.engine.kernel import door
from warledger.engine.testing.laws import known_to, lifted
from warledger.engine.testing.rig import Rig
from warledger.protocol.board.choices import Picks, Refusal, Say
from warledger.protocol.board.effects import Board
from warledger.protocol.lang import phrases


class Seated:
    """The Axis seat of a rig, as a link to a server gives it."""

    def __init__(self, rig: Rig[State], *, is_asked: bool = True) -> None:
        self.rig = rig
        self.board = Board()
        for effect in RULES.picture(rig.state):
            for shown in lifted(known_to(effect, AXIS)):
                self.board.apply(shown)
        self.watch = self
        self.is_asked = is_asked
        self.decision = 0
        self.prompt = Say("prompt.ocs.moving")
        self.choices: Any = None

    async def offer(self, picks: Picks = ()) -> Any:
        """What may follow the picks."""
        found = self.rig.choices(AXIS, *picks)
        if isinstance(found, Refusal):
            return found
        self.choices = found
        return self

    async def preview(self, picks: Picks) -> tuple[Say, ...] | Refusal:
        """What stands beside them."""
        return door.preview(self.rig.rules, self.rig.position, AXIS, picks)


async def said(rig: Rig[State], line: str, *, language: str = "en", is_asked: bool = True) -> str:
    """What the terminal answers to a line."""
    out = io.StringIO()
    console: Any = Console(file=out, width=4000)
    screen = Screen(plain=True, console=console)
    screen.picture, screen.spoken = picture()
    if language != "en":
        screen.spoken = phrases(language, "hungarian_rhapsody")
    screen.questions = description(pack(), {"scenario": "sudwind"}).questions
    seat: Any = Seated(rig, is_asked=is_asked)

    async def seen(seq: int) -> None:
        """Nothing is told here."""

    hand = Picking(seat, screen, seen)
    if is_asked:
        await hand.explore(())
    word, *rest = line.split()
    await LOOKS[word](hand, tuple(rest))
    return out.getvalue()


def moving() -> Rig[State]:
    """Südwind in the Axis Movement segment."""
    rig = at_table(start(), fog="strict")
    rig.jump("game", "turns", "game_turn", "player_turn", "segment_c2")
    return rig


async def test_supply_of_a_leg_unit_says_that_it_needs_no_fuel_and_who_feeds_it() -> None:
    """Instead of a refusal of fuel, all that concerns its supply, with clauses."""
    told = await said(moving(), "supply ax.inf.44")

    assert "44 HD moves without fuel. [OCS 12.5a]" in told
    assert "44 HD traces through" in told and "An attack by 44 HD costs 3T" in told
    assert "There is no fuel" not in told


async def test_throw_tells_who_an_hq_serves_by_which_path() -> None:
    """Range, dumps and units of the HQ; of another piece the refusal; of a hex what to type."""
    told = await said(moving(), "throw ax.hq.iv")

    assert "throws up to 10 points (wheels)" in told
    assert "draws from Érsekújvár (A26.09), which has 52T" in told
    assert "throws to 46 Inf in A24.11 along A26.09, A25.10 and A24.10" in told
    assert "is not an HQ. [OCS 13.1]" in await said(moving(), "throw ax.inf.44")
    assert "Name an HQ" in await said(moving(), "throw A26.10")
    assert "asked only while" in await said(moving(), "throw ax.hq.iv", is_asked=False)


async def test_help_lists_the_words_that_the_title_answers() -> None:
    """Those about supply, throws, dumps and air bases too; without them the others."""
    told = await said(moving(), "help")

    assert all(f"\n  {word} " in told for word in ("supply", "throw", "dump", "base", "stack"))


async def test_a_stack_is_told_in_its_order_with_values() -> None:
    """From the top down, with what is printed; without a question the board's own listing."""
    told = (await said(moving(), "stack A26.11")).splitlines()

    assert told == ["1. Soviet hedgehog, level 1", "2. 81 Gd, Combat side · 9-3-3"]
    mine = await said(moving(), "stack A26.09")
    assert "The enemy sees" in mine and "Axis supply: 52T" in mine
    told = (await said(moving(), "stack A26.11", is_asked=False)).splitlines()
    assert told[0] == "A26.11: 1 counter."


async def test_odds_of_an_attack_are_told_or_why_there_are_none() -> None:
    """In the open the odds against the defender, under fog those against the unit that is shown,
    with the warning that more may lie below it; outside a Combat segment that no attack is on
    offer."""
    line = f"odds attack {THERE}"

    in_the_open = await said(sudwind("open"), line)
    assert "odds 2:1 in open terrain" in in_the_open and "AR +2" in in_the_open
    under_fog = await said(sudwind("strict"), line)
    assert "can attack" in under_fog and "What may lie below it is hidden." in under_fog
    assert "What may lie below it is hidden." not in in_the_open
    assert "“attack” is not on offer" in await said(moving(), line)
