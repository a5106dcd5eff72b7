"""The kernel's shapes, held by three tiny games: interrupt on the way, window on a secret, divided
losses and payments."""

import random
from typing import Any

import pytest

from tests.toys import PACKS, TOYS, counting, losses, recall, retreat
from warledger.engine.kernel import door
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.ledger import Batch, unsigned
from warledger.engine.testing.rig import Rig
from warledger.protocol.board.choices import Choices, Refusal
from warledger.protocol.canon import NotCanonical, Seal
from warledger.protocol.log import records


def ids(found: Choices | Refusal) -> tuple[Any, ...]:
    """The picks on offer."""
    assert isinstance(found, Choices), found
    return tuple(option.id for option in found.options)


# --- (a) a mid-path interrupt ---------------------------------------------------------------------


def test_a_path_is_offered_no_further_than_where_the_other_seat_may_interrupt() -> None:
    """Next to a loaded battery the offered path ends, and the command is complete there."""
    rig = Rig(retreat.RULES, retreat.PACK)
    rig.do("red", "guard")
    assert rig.options("red") == ("ford", "hill", "halt")
    at_ford = rig.choices("red", "ford")
    assert ids(at_ford) == () and isinstance(at_ford, Choices) and at_ford.complete
    assert ids(rig.choices("red", "hill")) == ("wood",)
    assert rig.refused("red", "ford", "wood").rule == "2.3"


def test_the_flow_keeps_unit_and_points_over_the_interruption() -> None:
    """After the other seat has answered, the mover is asked again, with the points it had left."""
    rig = Rig(retreat.RULES, retreat.PACK)
    rig.do("red", "guard")
    rig.do("red", "ford")
    assert rig.asked() == {"blue": "prompt.retreat.fire"}
    assert rig.position.flow[-2].args == ("guard", 4)
    rig.dice(6)
    rig.do("blue", "use")
    assert rig.asked() == {"red": "prompt.retreat.march"}
    assert rig.position.top.args == ("guard", 4)
    assert rig.state.columns["guard"] == retreat.Column("ford", 1)


def test_an_interruption_that_destroys_the_unit_ends_its_move() -> None:
    """Two batteries watch the wood; once the first has destroyed the column, neither the second nor
    the mover is asked about it."""
    rig = Rig(retreat.RULES, retreat.PACK)
    rig.do("red", "train")
    rig.do("red", "wood")
    assert [frame.name for frame in rig.position.flow[1:]] == ["next", "march", "fire", "fire"]
    rig.dice(5)
    rig.do("blue", "use")
    assert "train" not in rig.state.columns
    assert rig.position.top.name == "next"
    assert rig.asked() == {"red": "prompt.retreat.column"}


def test_a_column_that_falls_at_the_bridge_is_not_home() -> None:
    """A battery may still fire at the bridge, and who is destroyed there has not come home."""
    rig = Rig(retreat.RULES, retreat.PACK)
    rig.do("red", "train")
    for place in ("wood", "road", "bridge"):
        rig.do("red", place)
        while rig.asked() == {"blue": "prompt.retreat.fire"} and place != "bridge":
            rig.do("blue", "pass")
    assert rig.state.home == ("train",)
    rig.dice(6)
    rig.do("blue", "use")
    assert rig.state.home == () and "train" not in rig.state.columns


# --- (b) a window on a secret, and a put-back draw ------------------------------------------------


def chosen(reserve: str) -> Rig[recall.State]:
    """A turn in which Soviet chit so1 came first out of the cup, Axis having that in reserve."""
    rig = Rig(recall.RULES, recall.PACK)
    rig.do("axis", "ax1", "ax2", reserve)
    rig.draws(2)
    rig.do("soviet", "so1", "so2")
    return rig


def test_both_seats_decide_at_once_and_no_chance_is_drawn_before() -> None:
    """Each answers its own question; the first answer draws nothing and leaves the other's question
    as it was."""
    rig = Rig(recall.RULES, recall.PACK)
    assert set(rig.asked()) == {"axis", "soviet"}
    opened = rig.position.opened("soviet")
    rig.do("axis", "ax1", "ax2", "general")
    assert rig.position.opened("soviet") == opened
    assert rig.position.opened("axis") is None
    assert rig.records[-1].body[records.DRAWS] == ()
    assert type(rig.records[-1].body[records.PICKS]) is Seal


def test_the_window_opens_on_public_conditions_alone() -> None:
    """With the general or without, Axis is asked at the same point; only what it is offered
    differs, and only Axis sees that."""
    with_him, without = chosen("general"), chosen("nobody")
    assert with_him.asked() == without.asked() == {"axis": "prompt.recall.window"}
    assert with_him.options("axis") == ("use", "pass")
    assert without.options("axis") == ("pass",)
    assert len(with_him.records) == len(without.records)
    assert len(with_him.records[-1].data) == len(without.records[-1].data)


def test_a_chit_put_back_may_be_drawn_again() -> None:
    """Recalling reveals the general, puts the chit back, and the cup is drawn from anew with it
    inside."""
    rig = chosen("general")
    assert rig.state.drawn == ("so1",)
    rig.draws(2, 0, 0)
    rig.do("axis", "use")
    events = [event for event in rig.events if type(event) is recall.Drew]
    assert events[0] == recall.Drew("so1")
    record = next(record for record in reversed(rig.records) if record.kind == records.COMMAND)
    assert record.body[records.OPENED][0][3] == "general"
    assert all(type(draw[3]) is Seal for draw in record.body[records.DRAWS]), (
        "the cup's receipts stay sealed"
    )


# --- (c) coupled limits, and a takeback asked meanwhile -------------------------------------------


def test_a_payment_from_several_sources_offers_only_what_can_be_completed() -> None:
    """Each depot's span is bounded by what it holds, what is due, and what the others could still
    pay."""
    rig = Rig(losses.RULES, losses.PACK)
    rig.change(depots={"north": 1, "port": 0, "south": 2})
    assert rig.options("red", "big") == ("north", "south")
    assert rig.choices("red", "big", "south").span == (2, 2)  # type: ignore[union-attr]
    assert rig.choices("red", "big", "north").span == (1, 1)  # type: ignore[union-attr]
    assert rig.refused("red", "big", "south", 1).rule == "1.3"
    assert rig.refused("red", "big", "south", 2).key == "refusal.incomplete"
    rig.dice(1, 1)
    rig.do("red", "big", "south", 2, "north", 1)
    assert rig.state.depots == {"north": 0, "port": 0, "south": 0}


def test_a_division_of_losses_is_complete_exactly_when_all_are_taken() -> None:
    """No unit takes a second step before every unit that can has taken one; nothing beyond the
    number is offered."""
    rig = Rig(losses.RULES, losses.PACK)
    rig.dice(6, 6)
    rig.do("red", "big", "north", 3)
    assert rig.options("blue") == ("armour", "guards", "rifles", "staff")
    assert rig.options("blue", "staff") == ("armour", "guards", "rifles")
    assert rig.refused("blue", "staff", "staff").rule == "2.2"
    assert rig.refused("blue", "guards", "guards").rule == "2.3"
    assert rig.refused("blue", "guards", "rifles", "staff", "armour").rule == "2.1"
    rig.do("blue", "guards", "rifles", "staff")
    assert rig.state.units == {"armour": 3, "guards": 1, "rifles": 1}


def test_a_takeback_asked_in_the_middle_lapses_or_goes_back() -> None:
    """Red asks to take its bombardment back while Blue divides the losses: consent restores the
    depots but not the dice counter, and the answer that Blue was about to give is stale."""
    rig = Rig(losses.RULES, losses.PACK)
    before = rig.position
    rig.dice(6, 6)
    rig.do("red", "big", "north", 3)
    ledger = rig.ledger
    asked = ledger.propose_takeback("red", before.seq, before, 0, by=rig.by("red"))
    assert isinstance(asked, Batch)
    rig._commit(asked)
    assert rig.position.ask is not None
    stale = rig.position.opened("blue")
    assert stale is not None
    counter = rig.position.counter
    ask = rig.position.ask.seq
    batch = ledger.propose_answer("blue", True, before, 0, ask_seq=ask, by=rig.by("blue"))
    assert isinstance(batch, Batch)
    rig._commit(batch)
    assert rig.state.depots["north"] == 4
    assert rig.position.counter == counter
    assert rig.position.ask is None
    late = ledger.propose_command(unsigned(ledger, "blue", stale, ("guards", "rifles", "staff")), 0)
    assert isinstance(late, Refusal)
    again = ledger.propose_command(
        unsigned(ledger, "red", before.opened("red") or 0, ("small", "port", 2)), 0
    )
    assert isinstance(again, Refusal) and again.key == "refusal.stale"


def test_a_request_lapses_with_the_next_accepted_command() -> None:
    """Blue divides its losses without answering: the request is gone."""
    rig = Rig(losses.RULES, losses.PACK)
    before = rig.position
    rig.dice(6, 6)
    rig.do("red", "big", "north", 3)
    rig._commit(rig.ledger.propose_takeback("red", before.seq, before, 0, by=rig.by("red")))
    rig.do("blue", "guards", "rifles", "staff")
    assert rig.position.ask is None


# --- what may freely be taken back ----------------------------------------------------------------


def test_hidden_news_ends_a_free_takeback_and_ones_own_writing_does_not() -> None:
    """Writing a word in secret may be taken back freely; a roll, a draw or an opening may not."""
    for picks, free in (
        (("add", 2), True),
        (("hide", "bumblebee"), True),
        (("roll",), False),
        (("draw",), False),
    ):
        rig = Rig(counting.RULES, counting.PACK, seed=1)
        start = rig.position
        rig.do("a", *picks)
        assert (rig.position.undo == (start.seq,)) is free, picks
        batch = rig.ledger.propose_takeback("a", start.seq, None, 0, by=rig.by("a"))
        assert isinstance(batch, Batch) is free


def test_what_no_log_can_hold_is_never_committed() -> None:
    """A rule that emits a float, a number beyond 2^53, or text with a surrogate fails as a bug
    does, and nothing has changed."""
    for bad in (1.5, 2**60, "e\ud800"):
        rig = Rig(counting.RULES, counting.PACK)
        before = rig.position
        monster = replace(rig.state, score=(0, 0))

        class Broken(counting.Counting):
            """Emits what no log can hold."""

            def effects(self, before: Any, event: Any, after: Any, bad: Any = bad) -> Any:
                return (("track", "score", bad),)

        rig.ledger.rules = Broken()
        with pytest.raises(NotCanonical):
            rig.do("a", "add", 2)
        assert rig.position is before and rig.state == monster


def test_a_takeback_does_not_revive_what_anothers_command_made_final() -> None:
    """After a seat took its own command back, the seat before it still cannot freely take back what
    that command had followed."""
    found = 0
    for title, seed in ((title, seed) for title in sorted(TOYS) for seed in range(12)):
        rig = Rig(TOYS[title], PACKS[title], seed=seed)
        chooser = random.Random(seed)
        for _ in range(60):
            at = rig.position
            if not at.open:
                break
            seat = chooser.choice(at.open)[0]
            picks: tuple[str | int, ...] = ()
            while True:
                offered = door.choices(rig.rules, at, seat, picks)
                assert isinstance(offered, Choices)
                if offered.complete and (offered.is_end or chooser.random() < 0.5):
                    break
                more = [option.id for option in offered.options]
                picks += (
                    chooser.choice(more) if more else chooser.randint(*(offered.span or (0, 0))),
                )
            earlier = at.undo_seat
            rig.do(seat, *picks)
            if earlier not in ("", seat) and rig.position.undo_seat == seat:
                to = rig.position.undo[-1]
                by = rig.by(seat)
                rig._commit(rig.ledger.propose_takeback(seat, to, None, 0, by=by))
                assert rig.position.undo == (), f"{title}, seed {seed}"
                found += 1
                break
    assert found
