"""Time on a clock as people read and write it."""

from __future__ import annotations

from pathlib import Path

import pytest

from warledger.clients import clockface
from warledger.protocol import lang
from warledger.protocol.clocks.clock import Reading
from warledger.protocol.clocks.clockcontrol import PRESETS, BadControl

SECOND, MINUTE, HOUR, DAY = 1_000, 60_000, 3_600_000, 86_400_000


@pytest.mark.parametrize(
    ("ms", "shown"),
    [
        (0, "0:00"),
        (999, "0:00"),
        (59_999, "0:59"),
        (25 * MINUTE, "25:00"),
        (HOUR + 5 * SECOND, "1:00:05"),
        (DAY - 1, "23:59:59"),
        (DAY, "1 day 0:00:00"),
        (3 * DAY + 4 * HOUR, "3 days 4:00:00"),
        (-1, "−0:01"),
        (-65_000, "−1:05"),
    ],
)
def test_a_clock_shows_whole_seconds_and_never_more_than_there_is(ms: int, shown: str) -> None:
    """Rounded down, also below 0."""
    assert clockface.face(ms, lang.phrases("en")) == shown


def test_times_are_typed_with_their_units() -> None:
    """Days, hours, minutes and seconds, together or alone; anything else is refused with an
    example."""
    assert clockface.duration("90s") == 90 * SECOND
    assert clockface.duration("1h30m") == 90 * MINUTE
    assert clockface.duration(" 14 d 2h ") == 14 * DAY + 2 * HOUR
    for wrong in ("", "10", "m", "1x", "1h30", "-5m", "1.5h", "٣m"):
        with pytest.raises(ValueError, match="write 90s"):
            clockface.duration(wrong)


def test_a_pace_is_a_preset_or_a_file(tmp_path: Path) -> None:
    """A file's times are typed as at the terminal; what cannot be is named."""
    assert clockface.control("live") == PRESETS["live"].as_terms()
    own = tmp_path / "pace.toml"
    own.write_text('bank = "30m"\neach = "10s"\nfall = "claim"\n[handicap.axis]\nbank = "20m"\n')
    assert clockface.control(str(own)) == {
        "bank": 30 * MINUTE,
        "each": 10 * SECOND,
        "fall": "claim",
        "handicap": {"axis": {"bank": 20 * MINUTE}},
    }
    for text, says in (
        ('bank = "soon"', "bank: 'soon' is not a time"),
        ("bank = 0", "bank must be more than 0"),
        ('bank = "1h"\nspeed = 2', "a clock has no 'speed'"),
        ("bank = ", "pace.toml"),
        ('bank = "1h"\nhandicap = 3', "handicap must be a map"),
        ('bank = "1h"\n[handicap.axis]\nbank = "x"', "bank: 'x' is not a time"),
    ):
        own.write_text(text)
        with pytest.raises(BadControl, match=says):
            clockface.control(str(own))
    with pytest.raises(BadControl, match="no preset 'blitz'; use live, evening"):
        clockface.control("blitz")


def test_little_is_left_by_the_measure_of_the_bank() -> None:
    """A quarter hour is much in a game of half an hour, and a minute is not."""

    def reading(left: int, *, stopped: str = "", deadline: int | None = 1_000_000_000) -> Reading:
        return Reading("a", left, 0, stopped, deadline, None)

    half = 30 * MINUTE
    assert clockface.low_as(reading(14 * MINUTE), half) is None
    assert clockface.low_as(reading(5 * MINUTE), half) == 5 * MINUTE
    assert clockface.low_as(reading(30 * SECOND), half) == MINUTE
    assert clockface.low_as(reading(30 * SECOND), 14 * DAY) == MINUTE
    assert clockface.low_at(reading(14 * MINUTE), half) == 1_000_000_000 - 5 * MINUTE
    assert clockface.low_at(reading(5 * MINUTE), half) == 1_000_000_000 - MINUTE
    assert clockface.low_at(reading(5 * SECOND), half) is None
    assert clockface.low_at(reading(HOUR, stopped="paused"), half) is None


def test_the_runbook_s_pace_can_be_used(tmp_path: Path) -> None:
    """Its example is a file that a host may copy, and its presets are those that there are."""
    text = (Path(__file__).parents[2] / "docs" / "runbook.md").read_text(encoding="utf-8")
    part = text[text.index("**Clocks.**") : text.index("These commands connect to")]
    lines = [line[4:] for line in part.splitlines() if line.startswith("    ") or not line]
    own = tmp_path / "pace.toml"
    own.write_text("\n".join(lines), encoding="utf-8")
    assert clockface.control(str(own))["handicap"] == {"axis": {"bank": 20 * MINUTE}}
    assert all(f"`{name}`" in part for name in PRESETS)
