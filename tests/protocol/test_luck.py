"""Luck: what was rolled against what was to be expected."""

import json
import random
import shutil
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.played import game_file
from warledger.clients.audit.examine import examine
from warledger.clients.commands.figures.luck import luck_command
from warledger.protocol import luck
from warledger.protocol.luck import Throw


def throw(face: int, seat: str = "axis", purpose: str = "gunnery", sides: int = 6) -> Throw:
    return Throw(seat, purpose, sides, face)


def test_a_tally_is_exact() -> None:
    """Two sixes and a four of ten sides: expected 12.5, variance 2 × 35/12 + 99/12."""
    made = luck.tally([throw(6), throw(6), throw(4, sides=10)])

    assert (made.count, made.total, made.expected) == (3, 16, Fraction(25, 2))
    assert (made.mean, made.surplus) == (Fraction(16, 3), Fraction(7, 2))
    assert made.variance == Fraction(169, 12)
    assert made.deviations == Decimal("0.9326")
    assert luck.tally(()).deviations == 0


def test_seats_and_purposes_are_apart() -> None:
    """Each seat's dice by what they were for; the histogram is of all together."""
    made = luck.report([throw(1), throw(2, purpose="air"), throw(6, seat="allied")])

    assert [(seat, one.count) for seat, one in made.seats.items()] == [("allied", 1), ("axis", 2)]
    assert set(made.purposes["axis"]) == {"air", "gunnery"}
    assert made.histograms[0].counts == (1, 1, 0, 0, 0, 1)
    assert made.histograms[0].chance is None


@pytest.mark.parametrize(
    ("statistic", "freedom", "chance"),
    [
        ("11.0705", 5, "0.0500"),
        ("15.0863", 5, "0.0100"),
        ("1.1455", 5, "0.9500"),
        ("16.9190", 9, "0.0500"),
        ("3.8415", 1, "0.0500"),
        ("5.9915", 2, "0.0500"),
        ("9.4877", 4, "0.0500"),
        ("900", 5, "0.0000"),
        ("0", 5, "1.0000"),
    ],
)
def test_chi_square_is_that_of_the_tables(statistic: str, freedom: int, chance: str) -> None:
    """The critical values that every table prints."""
    assert luck.chi_square_above(Fraction(statistic), freedom) == Decimal(chance)


def test_loaded_dice_are_found() -> None:
    """Fair dice pass the test, dice that show a six twice as often as they should do not."""
    rng = random.Random(11)
    fair = luck.report([throw(rng.randrange(6) + 1) for _ in range(600)])
    loaded = luck.report([throw(rng.choice((1, 2, 3, 4, 5, 6, 6))) for _ in range(600)])

    assert fair.histograms[0].chance is not None and fair.histograms[0].chance > Decimal("0.01")
    assert loaded.histograms[0].chance is not None
    assert loaded.histograms[0].chance < Decimal("0.001")
    assert loaded.seats["axis"].deviations > 3


def test_every_open_die_of_a_game_counts() -> None:
    """As many as the audit verifies."""
    found = examine(game_file().read_bytes())
    made = luck.report(luck.throws(found.records))

    assert sum(one.count for one in made.seats.values()) == found.draws
    assert sum(sum(one.counts) for one in made.histograms) == found.draws


def run(*arguments: str) -> tuple[int, str]:
    """The command's exit code and output."""
    done = CliRunner().invoke(luck_command, [*arguments, "--language", "en"])
    return done.exit_code, done.output


def test_the_command_tells_it_in_sentences_and_as_data() -> None:
    """Both say the same."""
    code, text = run(str(game_file()))
    data = json.loads(run(str(game_file()), "--json")[1])

    assert code == 0
    thrown = data["seats"]["allied"]["dice"]
    assert thrown > 100 and f"Allies: {thrown} dice, mean 3." in text and "expected 3.50" in text
    off = data["seats"]["allied"]["purposes"]["gunnery"]["deviations"]
    assert f"{float(off):+.2f} standard deviations" in text
    assert "Chi-square " in text


def test_a_player_over_several_files(tmp_path: Path) -> None:
    """Their dice in every seat they held; others are left out."""
    again = tmp_path / "again.wlog"
    shutil.copy(game_file(), again)
    player = examine(game_file().read_bytes()).sitters["axis"].name
    own = run(str(game_file()), "--player", player, "--json")[1]
    twice = run(str(game_file()), str(again), "--player", player, "--json")[1]
    count = json.loads(own)["seats"][player]["dice"]

    assert json.loads(twice)["seats"][player]["dice"] == 2 * count
    assert "No open die" in run(str(game_file()), "--player", "nobody at all")[1]


def test_a_damaged_file_is_said_to_be_so(tmp_path: Path) -> None:
    """With exit code 1, whatever can still be read of it."""
    broken = tmp_path / "broken.wlog"
    data = bytearray(game_file().read_bytes())
    data[len(data) // 2] ^= 1
    broken.write_bytes(bytes(data))
    code, text = run(str(broken))

    assert code == 1 and "broken.wlog" in text
