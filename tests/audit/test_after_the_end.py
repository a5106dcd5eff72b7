"""From the end of a game on nothing that the rules could have drawn stays closed, so nothing stays
undecided."""

import random
from typing import Any, ClassVar

from tests.audit.slips import played as small
from tests.toys import PACKS, TOYS, counting
from tests.verdicts import findings_of
from warledger.clients.audit.audit import Rulebook, audit
from warledger.clients.audit.examine import examine
from warledger.clients.audit.redecide import stopped
from warledger.clients.audit.verdict import FLAGS
from warledger.engine.kernel.table import Table
from warledger.engine.runtime.game.gameexport import export_game
from warledger.engine.testing.randomgames import begin, play_on
from warledger.protocol.board.choices import say
from warledger.protocol.log import records


def test_a_server_that_ends_a_game_before_its_dice_is_found() -> None:
    """A server writes a command whose effects end the game before what the rules would have drawn.
    The end opens every die, so the command can be decided again, and differs."""

    class Ends(counting.Act):
        def decide(self, table: Table[Any], frame: Any, seat: str, picks: Any) -> None:
            if picks == ("roll",):
                table.end("a", say("counting.over"))
            else:
                super().decide(table, frame, seat, picks)

    class Lying(counting.Counting):
        steps: ClassVar = {**counting.Counting.steps, "act_b": Ends("b")}

    played = begin(Lying(), PACKS["counting"])
    played.submit("a", "pass")
    played.submit("b", "roll")
    forged = next(one.seq for one in played.records if one.kind == records.END) - 1
    report, _ = audit(played.file(), rulebook=Rulebook(lambda title: TOYS[title]))
    assert [item.seq for item in findings_of(report)] == [forged]
    assert report.code(FLAGS) == 1


def test_what_cannot_be_decided_after_the_end_is_false() -> None:
    """From the end on nothing that the rules could have drawn stays closed: a record that rests on
    no sealed picks or standing answers and yet cannot be decided is a finding."""
    evidence = examine(small().file())
    assert [item.said.key for item in stopped(evidence, 5).findings] == ["audit.undecided"]
    live = play_on(
        begin(TOYS["counting"], PACKS["counting"], options={"turns": 10}),
        random.Random(5),
        commands=9,
    )
    running = examine(export_game(live.frames()))
    assert stopped(running, 5).findings == ()
