"""The queue of an arbiter or a host: what is in it, in which order, and who sees what."""

from __future__ import annotations

from typing import Any

from warledger.clients.commands.desk import matters, may_see, told
from warledger.protocol.lang import phrases
from warledger.protocol.phrases import LANGUAGES

NOW = 1_000_000_000
HOUR, DAY = 3_600_000, 86_400_000


def row(game: str, **more: Any) -> dict[str, Any]:
    """A game in progress in which somebody is asked."""
    return {"game": game, "title": "war_at_sea", "stage": "playing", "at_ms": NOW - HOUR, **more}


ROWS = [
    row("quiet", at_ms=NOW - 20 * DAY, awaits=("axis",)),
    row("late", deadline_ms=NOW + HOUR // 2, awaits=("allied",)),
    row("later", deadline_ms=NOW + 2 * HOUR, awaits=("allied",)),
    row("over", held_ms=NOW + DAY),
    row("frozen", frozen=(2,), claims=((2, "axis", 40, "Ann"),), at_ms=NOW - 20 * DAY),
    row("claimed", claims=((1, "axis", 40, ""), (2, "Bob", 41, "Ann"))),
    row("slow", deadline_ms=NOW + 9 * DAY, at_ms=NOW - 20 * DAY),
    {"game": "broken", "title": "", "stage": "quarantined"},
    {"game": "done", "title": "x", "stage": "ended", "at_ms": NOW - 90 * DAY},
    {"game": "old", "title": "war_at_sea", "stage": "playing"},
]


def test_what_nobody_can_play_on_in_comes_first() -> None:
    """Then claims that nobody hears, those that somebody does, held ends, flags, what stands
    still, what is broken; nothing that runs well, and no game that has ended."""
    found = matters(ROWS, NOW, HOUR, 14 * DAY)
    assert [(one.kind, one.game, one.claim) for one in found] == [
        ("frozen", "frozen", 2),
        ("claim", "claimed", 1),
        ("heard", "claimed", 2),
        ("heard", "frozen", 2),
        ("held", "over", 0),
        ("deadline", "late", 0),
        ("quiet", "quiet", 0),
        ("broken", "broken", 0),
    ]


def test_every_matter_is_told_in_every_language() -> None:
    """With its game, and the time that is left."""
    for language in LANGUAGES:
        spoken = phrases(language, "war_at_sea")
        lines = [told(one, NOW, spoken) for one in matters(ROWS, NOW, HOUR, 14 * DAY)]
        assert all(
            line.startswith(one.game)
            for line, one in zip(lines, matters(ROWS, NOW, HOUR, 14 * DAY), strict=True)
        )
        assert "30:00" in "".join(lines)
        assert "{" not in "".join(lines)


def test_an_arbiter_sees_their_games_and_a_host_those_they_opened() -> None:
    """The owner, and an arbiter of all games, see all; a seat sees none."""
    assert may_see([("arbiter", "g", "")], "g")
    assert not may_see([("arbiter", "g", "")], "h")
    assert may_see([("arbiter", "", "")], "h")
    assert may_see([("host", "", "")], "h")
    assert may_see([("host", "own", ""), ("host", "h", "")], "h")
    assert not may_see([("host", "own", ""), ("seat", "g", "axis")], "g")
