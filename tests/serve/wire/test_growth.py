"""What a request costs does not grow faster than what it is for: work is counted, not timed."""

from pathlib import Path

import trio.testing

from ops.bench import growth


async def test_a_player_hears_before_those_who_look_on() -> None:
    """The answer to an act, and its record for the other seat, leave before anything is sent to a
    spectator; and every spectator is sent the record."""
    sends = await growth.heard_in_order(20)

    assert set(sends[:2]) == {"player", "opponent"}
    assert sends[2:] == ["spectator"] * 20


async def test_a_lone_command_takes_five_steps(
    tmp_path: Path, mock_clock: trio.testing.MockClock
) -> None:
    """A command that comes alone is read by its connection; its game decides, the store writes, the
    game answers, and the answer is sent: each has one step."""
    turns, steps = await growth.lone_command(tmp_path)

    assert steps == {"run": 2, "_contain": 2, "_committing": 1}
    assert turns <= 6


def test_catching_up_costs_in_proportion_to_what_is_lacking() -> None:
    """Eight times the records are eight times the work for whoever follows from the start, however
    long the log is: nothing is read twice."""
    calls, read = growth.catching_up((500, 4_000))

    assert calls.holds, calls
    assert read.holds, read


def test_a_command_costs_the_same_however_long_the_game_has_been() -> None:
    """A thousand commands before it make a command no dearer."""
    curve = growth.playing_on((100, 1_000))

    assert curve.holds, curve


def test_a_page_of_a_list_costs_the_same_however_many_games_there_are() -> None:
    """Ten times the games do not make it dearer: games that nobody uses are not read."""
    curve = growth.looking((300, 3_000))

    assert curve.holds, curve


def test_a_curve_that_is_too_steep_does_not_hold() -> None:
    """The exponent is that of the curve: 2 where work grows with the square."""
    square = growth.Curve("", "", "", (10, 100, 1_000), (100, 10_000, 1_000_000), 1.1)

    assert round(square.exponent, 6) == 2
    assert not square.holds
