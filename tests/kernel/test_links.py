"""Epochs of dice: an epoch ends with a turn that ends for the first time; the chain of links behind
them is as long as the game may need, and its last link stands in the end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import pytest

from tests.audit import mini_auditor
from tests.serve.rig import HOST_TOKEN, server
from tests.toys import PACKS, counting
from tests.verdicts import findings_of, is_clean
from warledger.clients.audit.audit import Rulebook, audit
from warledger.engine.kernel import door
from warledger.engine.kernel.basis import Fault
from warledger.engine.kernel.ledger import links_for
from warledger.engine.kernel.rulings import BadOption
from warledger.engine.kernel.table import Table
from warledger.engine.runtime.titles import Title
from warledger.engine.testing.randomgames import Played, begin
from warledger.protocol import canon
from warledger.protocol.board import effects
from warledger.protocol.board.choices import Refusal
from warledger.protocol.chance import dice
from warledger.protocol.chance.secrets import BadSecrets, Keys
from warledger.protocol.limits import EPOCHS_MAX, LINKS_MAX
from warledger.protocol.log import bodies, records
from warledger.protocol.wire import messages as m


class Endless(counting.Counting):
    """Counts on for longer than any chain."""

    def turns_most(self, pack: Mapping[str, Any], options: Mapping[str, Any]) -> int:
        return LINKS_MAX


@pytest.mark.parametrize("length", [1, 15, 16, 17, EPOCHS_MAX, 1000])
def test_every_link_leads_to_the_one_before(length: int) -> None:
    """A chain of any length goes from its commitment to its root link by link, and no further; its
    secrets are read back as they were."""
    keys = Keys(b"r" * 32, b"h" * 32, b"s" * 32, length=length)
    for epoch in range(length):
        assert dice.next_link(keys.link(epoch + 1)) == keys.link(epoch)
    assert keys.link(length) == keys.root
    for epoch in (-1, length + 1):
        with pytest.raises(dice.BadDraw, match="there is none"):
            keys.link(epoch)
    assert Keys.from_payload(keys.as_payload()) == keys


def test_secrets_name_the_length_of_the_chain() -> None:
    """A game's secrets are three keys and the length of its chain; a length that no chain has is
    refused."""
    three = (b"r" * 32, b"h" * 32, b"s" * 32)
    assert Keys(*three, length=9).as_payload() == canon.pack((*three, 9))
    for payload in (three, *((*three, length) for length in (0, -1, LINKS_MAX + 1, "9", True))):
        with pytest.raises(BadSecrets):
            Keys.from_payload(canon.pack(payload))


def test_a_game_of_many_turns_is_played_and_audited() -> None:
    """A chain has a link for each turn that the title states and one more; the end opens the last,
    with which an auditor checks the dice of the turn in which the game ended."""
    played = begin(counting.RULES, PACKS["counting"], options={"turns": 4000})
    assert played.ledger.keys.length == 4001
    while played.position.epoch <= EPOCHS_MAX + 2:
        seat = played.position.open[0][0]
        played.submit(seat, *(("roll",) if played.position.epoch > EPOCHS_MAX else ("pass",)))
    played.commit(played.resign("a"))
    end = next(one for one in reversed(played.records) if one.kind == records.END)
    assert bodies.End.read(end.body).links == ((4001, played.ledger.keys.root),)
    report, _ = audit(played.file(), rulebook=Rulebook(lambda title: counting.RULES))
    assert is_clean(report) and report.verdict.level == 2, findings_of(report)[:3]
    assert report.waiting == 0


async def test_a_game_without_enough_links_is_refused_at_its_creation() -> None:
    """What may have more turns than any chain has links is told so before the game begins."""
    assert links_for(counting.RULES, {}, {"turns": 3}) == 4
    with pytest.raises(BadOption, match="65536 turns"):
        links_for(Endless(), {}, {})
    titles = {"counting": Title(Endless(), PACKS["counting"], bytes(32))}
    async with server(titles=titles) as s:
        host = await s.client(HOST_TOKEN)
        refused = await host.ask(m.CreateGame, "counting", {}, 0)
        assert refused.code == "bad_option" and "65536 turns" in str(refused), refused
    async with server() as s:
        host = await s.client(HOST_TOKEN)
        created = await host.ask(m.CreateGame, "counting", {"turns": 10_000}, 0)
        assert type(created) is m.Created
        game = await s.hub.supervisor.game(created.game)
        assert game.profile.keys.length == 10_001  # type: ignore[union-attr]


def test_more_turns_than_a_title_states_are_refused_before_anything_is_written() -> None:
    """A title whose turns_most is too low faults in the command that would need another link, and
    the game stands as before."""
    played = begin(counting.RULES, PACKS["counting"], options={"turns": 10}, links=4)
    with pytest.raises(Fault, match="turns_most"):
        for _ in range(20):
            played.submit(played.position.open[0][0], "pass")
    assert (played.position.epoch, played.position.turns) == (4, 3)
    assert len(played.records) == played.position.seq + 1


def test_a_title_tells_the_end_of_a_turn_by_turn_over_alone() -> None:
    """An effect that closes a turn without Table.turn_over is a fault: readers count what is told,
    the dice what is done."""

    class Telling(counting.Act):
        def decide(self, table: Table[Any], frame: Any, seat: str, picks: Any) -> None:
            table.tell(effects.closing("turn"))
            super().decide(table, frame, seat, picks)

    class Liar(counting.Counting):
        steps: ClassVar = {**counting.Counting.steps, "act_a": Telling("a"), "act_b": Telling("b")}

    played = begin(Liar(), PACKS["counting"])
    with pytest.raises(Fault, match="turn_over"):
        played.submit("a", "pass")


# --- takebacks over the end of a turn -------------------------------------------------------------


def at_the_end_of_a_turn() -> tuple[Played, str, int]:
    """A game in which the next pass ends turn 1; who is asked, and the newest record."""
    played = begin(counting.RULES, PACKS["counting"], options={"turns": 10})
    played.submit("a", "pass")
    seat = played.position.open[0][0]
    assert played.position.epoch == 1
    return played, seat, played.position.seq


def opens(played: Played) -> list[int]:
    """The epochs whose links the log has opened, in order."""
    return [bodies.Open.read(one.body).epoch for one in played.records if one.kind == records.OPEN]


def sound(played: Played) -> None:
    """Hold the game, once it is over, to both levels of the audit and to the small auditor."""
    played.commit(played.resign("a"))
    mini_auditor.audit(played.file())
    report, _ = audit(played.file(), rulebook=Rulebook(lambda title: counting.RULES))
    assert is_clean(report) and report.verdict.level == 2, findings_of(report)[:3]


def test_closing_a_turn_is_news() -> None:
    """A command that ends a turn for the first time opens a link: going back over it takes
    consent."""
    played, seat, before = at_the_end_of_a_turn()
    played.submit(seat, "pass")
    assert opens(played) == [1]
    assert played.position.undo == ()
    asked = played.take_back(seat, before)
    assert not isinstance(asked, Refusal)
    assert [one.kind for one in asked.records] == [records.ASK]


def test_the_dice_cannot_be_chosen_by_closing_and_taking_back() -> None:
    """Close, take back by consent, close, take back …: the epoch stays where the first close put
    it, no further link is opened, and the file is sound."""
    played, seat, before = at_the_end_of_a_turn()
    for _ in range(5):
        played.submit(seat, "pass")
        assert (played.position.epoch, played.position.turns) == (2, 1)
        back_with_consent(played, seat, before)
        assert (played.position.epoch, played.position.turns) == (2, 0)
    assert opens(played) == [1]
    sound(played)


def back_with_consent(played: Played, seat: str, to: int) -> None:
    """Ask for a takeback; everybody else consents."""
    played.commit(played.take_back(seat, to))
    if played.position.ask is not None:
        played.commit(played.answer("b" if seat == "a" else "a", True))


def test_a_turn_closed_again_opens_nothing_and_can_be_taken_back_freely() -> None:
    """After a takeback over the end of a turn its dice go on in the epoch in force. The turn that
    ends again is no news, and answers given for the turn are void all the same."""
    played, seat, before = at_the_end_of_a_turn()
    played.submit(seat, "pass")
    back_with_consent(played, seat, before)
    played.submit(seat, "pass")
    assert opens(played) == [1]
    assert before < played.position.undo[-1] < played.position.seq
    played.submit("a", "roll")
    rolled = bodies.CommandBody.read(played.records[-1].body)
    assert [epoch for epoch, *_ in rolled.draws] == [2]
    sound(played)


# --- what a player is told before -----------------------------------------------------------------


def test_a_preview_says_that_picks_end_the_turn() -> None:
    """It does for the picks that end a turn for the first time, and for no others; a turn that ends
    again after a takeback is no news."""

    def warned(played: Played, seat: str, *picks: str) -> bool:
        said = door.preview(played.ledger.rules, played.position, seat, picks)
        assert not isinstance(said, Refusal), said
        return door.ENDS_TURN in said

    played, seat, before = at_the_end_of_a_turn()
    assert warned(played, seat, "pass")
    assert warned(played, seat, "hide", "antelope")
    assert not warned(played, seat, "hide"), "the command is not whole"
    assert not warned(played, seat, "roll"), "the roll is news before the turn ends"
    played.submit(seat, "pass")
    assert not warned(played, played.position.open[0][0], "pass"), "the other side has yet to act"
    back_with_consent(played, seat, before)
    assert not warned(played, seat, "pass")


def test_a_takeback_goes_to_a_command_behind_which_something_else_stands() -> None:
    """Standing answers, a request and its refusal between two commands are no targets: the command
    before them is, freely and by consent."""
    played = begin(counting.RULES, counting.PACK, options={"turns": 3})
    target = played.position.seq
    played.commit(played.order("b", ("prompt.counting.act", (("pass",),), "game")))
    played.commit(played.draw("a"))
    played.commit(played.answer("b", False))
    behind = played.position.seq
    played.submit("a", "add", 1)
    assert played.position.undo == (target,)
    for to in (behind, behind - 1, behind - 2):
        assert isinstance(played.take_back("a", to), Refusal)
    played.commit(played.take_back("a", target))
    played.submit("a", "roll")
    back_with_consent(played, "a", target)
    sound(played)
