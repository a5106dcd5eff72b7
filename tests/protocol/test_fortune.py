"""Luck in combat, in the currency of the game."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

from click.testing import CliRunner

from tests.played import game_file
from warledger.clients.audit.examine import examine
from warledger.clients.commands.figures.luck import luck_command, printed
from warledger.clients.describing import of_genesis
from warledger.protocol import fortune
from warledger.protocol.board import description
from warledger.protocol.board import effects as fx
from warledger.protocol.board.scoring import Hits, Results

TABLE = Results(
    1,
    6,
    1,
    (("", ("1-1", "2-1")),),
    tuple((code, "D2") for code in ("A1", "A1", "-", "-", "D1", "D2")),
    (("A1", 1, 0, 0, 0), ("-", 0, 0, 0, 0), ("D1", 0, 0, 1, 0), ("D2", 0, 1, 2, 0)),
)


def attack(seq: int, column: str, die: int, result: str) -> tuple[int, str, list[fx.Effect]]:
    return (
        seq,
        "axis",
        [
            fx.opening("combat", "x.combat", hex="0101"),
            fx.tell("x.attack", "", column=column),
            fx.roll("combat", 6, (die,)),
            fx.tell("x.result", "", die=die, result=result),
            fx.closing("combat"),
        ],
    )


def test_a_table_counts_in_steps() -> None:
    """The steps of the result less one's own, against the mean and variance of its column; a column
    without chance counts without a deviation."""
    told = description.Description(description.LIST, results=TABLE)
    found = fortune.fought(told, [attack(7, "1-1", 6, "D2"), attack(9, "2-1", 1, "D2")])

    assert [(one.seq, one.seat, one.unit) for one in found] == [
        (7, "axis", fortune.STEPS),
        (9, "axis", fortune.STEPS),
    ]
    first, second = (one.tally for one in found)
    assert (first.total, first.expected) == (2, Fraction(-1 - 1 + 0 + 0 + 1 + 2, 6))
    assert first.variance == Fraction(7, 6) - Fraction(1, 36)
    assert (second.total, second.expected, second.variance) == (2, 2, 0)
    assert [one.seq for one in fortune.luckiest(found)] == [7]
    whole = fortune.by_seat(found)["axis", fortune.STEPS]
    assert (whole.count, whole.total, whole.expected) == (2, 4, Fraction(13, 6))


def test_single_dice_count_what_the_title_says() -> None:
    """A six hits; with a bonus of one a five does too, and seven counts as six. Dice outside of
    combats, or for something else, do not count."""
    told = description.Description(
        description.LIST, hits=(Hits("gunnery", "u", (0, 0, 0, 0, 0, 1)),)
    )
    found = fortune.fought(
        told,
        [
            (1, "axis", [fx.roll("gunnery", 6, (6, 6))]),
            (2, "axis", [fx.opening("combat", "x.combat"), fx.roll("gunnery", 6, (6, 5, 1))]),
            (3, "allied", [fx.roll("gunnery", 6, (6, 5, 1)), fx.tell("x.fires", "", plus=1)]),
            (4, "axis", [fx.roll("damage", 6, (6,)), fx.closing("combat")]),
        ],
    )
    assert {one.seat: (one.seq, one.tally.total, one.tally.expected) for one in found} == {
        "axis": (2, 1, Fraction(1, 2)),
        "allied": (2, 2, Fraction(1)),
    }


def test_the_hits_of_war_at_sea_are_those_of_its_log() -> None:
    """Every hit that is counted has a damage die, or a U-boat that is sunk, in the log."""
    found = examine(game_file().read_bytes())
    assert found.genesis is not None
    combats = fortune.of_log(of_genesis(found.genesis).told, found.records)
    counted = sum(one.tally.total for one in combats)
    wounds = 0
    for record in found.records:
        for effect in fortune.effects_of(record):
            if effect[0] == fx.ROLL and effect[1] == "damage":
                wounds += len(effect[3])
            elif effect[0] == fx.ROLL and effect[1] == "asw":
                wounds += effect[3].count(6)
    assert counted == wounds > 20


def test_the_command_tells_combats(tmp_path: Path) -> None:
    """For one file in the words of its title, for several together, and as data; the deviations are
    those of the tallies."""
    told = CliRunner().invoke(luck_command, [str(game_file()), "--lang", "en"])
    assert told.exit_code == 0
    assert "Axis in combat:" in told.output and "The luckiest combats:" in told.output
    data = json.loads(CliRunner().invoke(luck_command, [str(game_file()), "--json"]).output)[
        "combats"
    ]
    assert len(data["luckiest"]) == fortune.LUCKIEST
    assert all(Decimal(one["deviations"]) for one in data["seats"])
    both = CliRunner().invoke(luck_command, [str(game_file()), str(game_file()), "--json"])
    for one, two in zip(data["seats"], json.loads(both.output)["combats"]["seats"], strict=True):
        assert two["total"] == 2 * one["total"]
    assert CliRunner().invoke(luck_command, ["--lang", "en"]).exit_code == 2


def test_the_command_tells_several_games_in_the_words_of_their_titles() -> None:
    """Sides, what dice were for, and the luckiest combats with their games are told as they are for
    one game, never as ids."""
    told = (
        CliRunner()
        .invoke(luck_command, [str(game_file()), str(game_file()), "--lang", "en"])
        .output
    )
    game = examine(game_file().read_bytes()).genesis
    assert game is not None
    assert "\nAxis: " in told and "\n  anti-submarine fire: " in told
    assert "\n  Americans joining: " in told
    assert "Axis (War at Sea) in combat: " in told
    assert f"\n  {game.game}: Surface combat: " in told
    for id in ("axis", "asw", "american", "war_at_sea"):
        assert not re.search(rf"\b{id}\b", told)


def test_a_number_below_zero_has_a_minus_sign() -> None:
    """What was to be expected of steps lost can be below zero; it is printed as deviations are."""
    assert [printed(Fraction(n, 6)) for n in (-1, 0, 1)] == ["\N{MINUS SIGN}0.17", "0.00", "0.17"]
