"""Commands that are declared once, held by a toy with a command of every form (`depot.py`)."""

import pytest
from attrs import frozen

from tests.kernel.depot import RULES, Paying, Quarter, Sending, State, Walking, told
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import Asked, Command, Commands, Free, Many, Slot, word
from warledger.engine.kernel.position import Position
from warledger.engine.kernel.table import Table
from warledger.engine.testing.rig import Rig
from warledger.protocol.board.choices import Choices, Refusal, Say


def bench() -> Rig[State]:
    """The toy, with Red being asked."""
    return Rig(RULES, {})


def test_verbs_are_offered_in_the_order_of_the_commands() -> None:
    """All whose `when` holds."""
    rig = bench()
    assert told(rig.choices("red")) == (
        "verb",
        ("send", "pay", "walk", "ask", "write", "grind"),
        False,
    )
    rig.change(mill_open=False)
    assert rig.options("red") == ("send", "pay", "walk", "ask", "write")


def test_a_repeated_slot_and_the_next_are_on_offer_together() -> None:
    """Once one is picked, what ends the repetition comes first; the name of the slot changes."""
    rig = bench()
    assert told(rig.choices("red", "send")) == ("depot.wagon", ("cart", "dray", "wain"), False)
    assert told(rig.choices("red", "send", "cart")) == (
        "depot.wagon_or_place",
        ("south", "west", "dray"),
        False,
    )
    assert told(rig.choices("red", "send", "cart", "dray")) == (
        "depot.wagon_or_place",
        ("south", "west"),
        False,
    )


def test_a_command_may_end_before_an_optional_slot() -> None:
    """It is whole with and without the second place, and the order says which."""
    rig = bench()
    assert told(rig.choices("red", "send", "cart", "south")) == (
        "depot.second",
        ("north", "west"),
        True,
    )
    assert told(rig.choices("red", "send", "cart", "west")) == ("depot.second", (), True)
    rig.do("red", "send", "cart", "dray", "south")
    rig.do("red", "send", "wain", "north", "west")
    assert rig.state.done == ("sent cart+dray to south", "sent wain to north west")


def test_a_refusal_is_that_of_the_slot_for_which_the_pick_was_meant() -> None:
    """A wagon is refused as a wagon and a place as a place, where both are on offer."""
    rig = bench()
    assert rig.refused("red", "send", "cart", "wain").rule == "2.1"
    assert rig.refused("red", "send", "cart", "north").rule == "2.2"
    after = dict(rig.refused("red", "send", "cart", "south", "south").args)
    assert after == {"after": "south"}


def test_a_pick_that_no_slot_knows_has_the_clause_of_the_question() -> None:
    """`why` may leave it at that."""
    rig = bench()
    for picks in (("send", "mule"), ("send", "cart", "mule"), ("ask", "gold"), ("dance",)):
        refused = rig.refused("red", *picks)
        assert (refused.rule, refused.key) == ("1", "refusal.not_offered")


def test_nothing_may_follow_a_command_that_is_full() -> None:
    """By the command's own reason, where it has one."""
    rig = bench()
    assert rig.refused("red", "send", "cart", "south", "west", "north").rule == "2.3"
    assert rig.refused("red", "grind", "oats").rule == "5.1"
    assert rig.refused("red", "ask", "hay", "oats").key == "refusal.not_offered"


def test_a_verb_is_refused_by_its_command_or_by_the_step() -> None:
    """By `why` of a command whose `when` does not hold; by `no_verb` where there is none."""
    rig = bench()
    rig.change(mill_open=False)
    assert rig.refused("red", "grind").rule == "5"
    assert rig.refused("red", "fight").rule == "6"


def test_pairs_are_paid_until_nothing_is_due() -> None:
    """Purse and coins in turn, the coins as a span."""
    rig = bench()
    assert told(rig.choices("red", "pay")) == ("depot.purse", ("big", "small"), False)
    coins = rig.choices("red", "pay", "big")
    assert isinstance(coins, Choices)
    assert (coins.slot, coins.span, coins.complete) == ("depot.coins", (2, 3), False)
    assert told(rig.choices("red", "pay", "big", 2)) == ("depot.purse", ("small",), False)
    assert rig.choices("red", "pay", "big", 2, "small", 2) == Choices("end", complete=True)
    rig.do("red", "pay", "big", 3, "small", 1)
    assert rig.state.done == ("paid big:3 small:1",)


def test_each_half_of_a_pair_has_its_own_refusal() -> None:
    """The purse is known when the coins are refused."""
    rig = bench()
    assert rig.refused("red", "pay", "sock").rule == "3"
    refused = rig.refused("red", "pay", "big", 1)
    assert (refused.rule, dict(refused.args)) == ("3.1", {"purse": "big"})


def test_an_unfinished_order_says_what_is_missing() -> None:
    """Where a clause says so; else that more is to be picked."""
    rig = bench()
    refused = rig.refused("red", "pay", "big", 2)
    assert (refused.rule, dict(refused.args)) == ("3.2", {"n": 2})
    assert rig.refused("red", "send", "cart").key == "refusal.incomplete"


def test_a_free_slot_is_read_and_offered_by_the_title() -> None:
    """The order has the value that the title reads from the picks."""
    rig = bench()
    assert told(rig.choices("red", "walk", "cart")) == ("depot.step", (1, 2, 3), False)
    assert told(rig.choices("red", "walk", "cart", 2)) == ("depot.step", (3,), True)
    assert dict(rig.refused("red", "walk", "cart", 2, 1).args) == {"wagon": "cart", "path": (2,)}
    rig.do("red", "walk", "cart", 1, 3)
    assert rig.state.done == ("cart walked 4",)


def test_a_lazy_offer_answers_for_one_pick_and_lists_all() -> None:
    """Both ways the same."""
    rig = bench()
    assert rig.options("red", "ask") == ("hay", "oats")
    rig.do("red", "ask", "oats")
    assert rig.state.done == ("asked for oats",)


def test_what_follows_the_verb_of_a_sealed_command_is_sealed() -> None:
    """Every choice behind it says so, and the record hides the picks."""
    rig = bench()
    inside = rig.choices("red", "write")
    assert isinstance(inside, Choices) and inside.sealed
    end = rig.choices("red", "write", "help")
    assert isinstance(end, Choices) and end.sealed and end.is_end
    first = rig.choices("red")
    assert isinstance(first, Choices) and not first.sealed


def test_a_preview_gets_the_order_so_far() -> None:
    """Also before it is whole; a command without one shows nothing."""
    rig = bench()
    assert rig.preview("red", "send", "cart", "dray") == (Say("preview.depot.n", (("n", 2),)),)
    assert rig.preview("red", "ask") == ()


def test_the_usage_of_every_command() -> None:
    """Slots by name: optional ones in brackets, repeated ones with dots."""
    assert Quarter().usage == (
        "send WAGONS … PLACE [SECOND]",
        "pay PURSE COINS …",
        "walk WAGON STEP …",
        "ask STORE",
        "write TEXT",
        "grind",
    )


# --- declarations that cannot stand ---------------------------------------------------------------


def nothing(asked: Asked[State], order: object) -> tuple[str, ...]:
    """Offers nothing."""
    return ()


def ignore(table: Table[State], asked: Asked[State], order: object) -> None:
    """Does nothing."""


def test_slots_and_fields_must_be_the_same() -> None:
    """A slot without a field, or a field without a slot, is found when the command is declared."""
    with pytest.raises(TypeError, match="are not the fields"):
        Command("send", Sending, Slot("wagon", "", nothing), apply=ignore)
    with pytest.raises(TypeError, match="are not the fields"):
        Command("pay", Paying, Slot("purse", "", nothing), apply=ignore)


def test_a_slot_that_may_be_left_must_be_told_from_the_next() -> None:
    """Else the kernel could not know whose pick it is."""
    with pytest.raises(TypeError, match="needs `takes`"):
        Command(
            "send",
            Sending,
            Many("wagons", "", nothing),
            Slot("place", "", nothing),
            Slot("second", "", nothing, optional=True),
            apply=ignore,
        )


def test_a_free_slot_comes_last() -> None:
    """It takes all picks that are left."""
    free = Free[State, Walking, tuple[int, ...]](
        "path", lambda asked, picks: (), lambda asked, order: Choices("", complete=True)
    )
    with pytest.raises(TypeError, match="comes last"):
        Command("walk", Walking, free, Slot("wagon", "", nothing), apply=ignore)


def test_a_command_without_a_verb_stands_alone() -> None:
    """Its first slot takes the place of the verbs."""

    @frozen
    class Naming:
        name: str = ""

    class One(Quarter):
        def commands(self) -> Commands[State]:
            return (
                Command(
                    "",
                    Naming,
                    Slot("name", "depot.name", lambda asked, order: ("a", "b")),
                    apply=lambda table, asked, order: None,
                ),
            )

    class Two(Quarter):
        def commands(self) -> Commands[State]:
            return (*One().commands(), word("done", lambda table, asked: None))

    rig = bench()
    at, frame = rig.position, rig.position.top
    assert told(One().choices(at, frame, "red", ())) == ("depot.name", ("a", "b"), False)
    assert told(One().choices(at, frame, "red", ("a",))) == ("end", (), True)
    with pytest.raises(TypeError, match="stands alone"):
        Two().choices(at, frame, "red", ())


@pytest.mark.parametrize(
    "picks",
    [
        (),
        ("send", "cart", "dray"),
        ("send", "cart", "south", "west"),
        ("pay", "big", 2, "small", 2),
        ("walk", "cart", 1, 3),
        ("ask", "hay"),
        ("write", "help"),
    ],
)
def test_walking_agrees_with_choices(picks: tuple[str | int, ...]) -> None:
    """The door looks for each pick in its own slot's offer; a client is told all of them: every
    prefix gives the same."""
    rig = bench()
    at, frame = rig.position, rig.position.top
    step = Quarter()
    for end in range(len(picks) + 1):
        walked = step.walk(at, frame, "red", picks[:end])
        assert isinstance(walked, tuple)
        whole = Quarter().choices(at, frame, "red", picks[:end])
        assert walked[0].slot == whole.slot
        assert walked[0].options == whole.options
        assert (walked[0].span, walked[0].complete) == (whole.span, whole.complete)


def test_each_pick_is_looked_for_once_while_a_seat_explores() -> None:
    """Who explores by one pick more each time, and then gives the command, asks each slot for each
    pick once; another way, another seat and another position are looked through anew."""
    looked: list[tuple[str, object]] = []

    @frozen
    class Naming:
        names: tuple[str, ...] = ()
        place: str = ""

    def names(asked: Asked[State], order: Naming) -> tuple[str, ...]:
        looked.append((asked.seat, order.names))
        return tuple(name for name in "abcd" if name not in order.names)

    class Named(Quarter):
        def commands(self) -> Commands[State]:
            return (
                Command(
                    "",
                    Naming,
                    Many("names", "depot.name", names, takes=lambda asked, pick: pick != "south"),
                    Slot("place", "depot.place", lambda asked, order: ("south",)),
                    apply=lambda table, asked, order: None,
                ),
            )

    step, at = Named(), bench().position

    def looks(seat: str, *picks: str, at: Position[State] = at) -> list[tuple[str, object]]:
        looked.clear()
        walked = step.walk(at, at.top, seat, picks)
        assert walked == (step.choices(at, at.top, seat, picks), False)
        shown = 0 if "south" in picks else 2
        return looked[: len(looked) - shown]

    assert looks("red") == []
    assert looks("red", "a") == [("red", ())]
    assert looks("red", "a", "b") == [("red", ("a",))]
    assert looks("red", "a", "b", "south") == []
    assert looks("red", "a", "c") == [("red", ("a",))]
    assert looks("blue", "a", "c") == [("blue", ()), ("blue", ("a",))]
    assert looks("red", "a", "c") == []
    assert looks("red", "a", "c", at=replace(at, epoch=2)) == [("red", ()), ("red", ("a",))]
    assert looks("red", "a", "c", at=at.moved(State(), at.flow)) == [("red", ()), ("red", ("a",))]
    refused = step.walk(at, at.top, "red", ("a", "c", "a"))
    assert isinstance(refused, Refusal)


def test_a_number_is_not_the_text_of_it() -> None:
    """3 coins are not "3" coins, and no truth value is a number."""
    rig = bench()
    assert rig.refused("red", "pay", "big", "3").rule == "3.1"
    assert rig.refused("red", "walk", "cart", "2").rule == "4"
    assert rig.refused("red", "pay", "big", True).key == "refusal.not_a_pick"
