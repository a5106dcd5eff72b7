"""The queue of an arbiter, a host or a director: what is in it, in which order, and who sees
what."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from tests.clients.table import link
from tests.serve.tournaments.test_tournaments import table
from warledger.clients.commands.play.desk import desk, matters, matters_of_cup, may_see, told
from warledger.clients.commands.play.online import Where
from warledger.clients.link import Link
from warledger.clients.terminal.screen import Screen
from warledger.protocol.lang import phrases
from warledger.protocol.texts.phrases import LANGUAGES
from warledger.protocol.wire import messages as m

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


CUP: dict[str, Any] = {
    "title": "war_at_sea",
    "entrant_list": tuple(
        {"number": n, "name": f"P{n}", "shown": f"P{n}"} for n in (1, 2, 3, 4, 5, 6)
    ),
    "claims": (
        {"claim": 1, "who": "e:3", "text": "", "finding": "upheld", "ruling": ""},
        {"claim": 2, "who": "e:4", "text": "", "finding": "", "ruling": ""},
        {"claim": 3, "who": "a:x.1", "text": "", "finding": "", "ruling": ""},
    ),
    "officials": ({"role": "arbiter", "id": "x.1", "name": "ann", "shown": "ann"},),
    "rounds": (
        {
            "round": 2,
            "title": "war_at_sea",
            "seats": ("allied", "axis"),
            "no_show_ms": NOW + HOUR // 2,
            "boards": (
                {"board": 1, "entrants": (1, 2), "game": "g1", "results": None},
                {"board": 2, "entrants": (3, 4), "game": "g2", "results": None},
                {"board": 3, "entrants": (5, 6), "game": "g3", "results": ("win", "loss")},
                {
                    "board": 4,
                    "entrants": (7, 8),
                    "game": "",
                    "results": None,
                    "sides": NOW + 60_000,
                },
            ),
        },
    ),
}
for _board in CUP["rounds"][0]["boards"]:
    _board["sides_until_ms"] = _board.pop("sides", None)
GAMES = {
    "g1": {"stage": "gathering", "seats": (("allied", "captain"), ("axis", ""))},
    "g2": {"stage": "playing", "seats": (("allied", "A"), ("axis", "B"))},
    "g3": {"stage": "gathering", "seats": (("allied", ""), ("axis", ""))},
}


def test_a_director_is_told_of_claims_and_of_who_has_not_come() -> None:
    """A claim without a ruling, an entrant whose seat is empty before and after their time is over,
    sides to be settled; not a board with a result, one that is played, or what is far off."""

    def found(now: int, within: int) -> list[tuple[str, int, int, str]]:
        rows = matters_of_cup("cup", CUP, GAMES, now, within)
        return [(one.kind, one.claim, one.board, one.who) for one in rows]

    claims = [("protest", 2, 0, "P4"), ("protest", 3, 0, "ann")]
    assert found(NOW, HOUR) == [*claims, ("coming", 0, 1, "P2"), ("sides", 0, 4, "")]
    assert found(NOW - 2 * HOUR, HOUR) == claims
    assert ("absent", 0, 1, "P2") in found(NOW + HOUR // 2, 0)
    for language in LANGUAGES:
        spoken = phrases(language, "war_at_sea")
        for now in (NOW, NOW + HOUR):
            for one in matters_of_cup("cup", CUP, GAMES, now, HOUR):
                line = told(one, now, spoken)
                assert line.startswith("cup") and one.who in line and "{" not in line


async def test_a_directors_token_shows_their_tournament(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who has to come to which board, by the entrants' names, until they come; an entrant has no
    queue, and the director of another tournament sees none of it."""
    async with table() as at:
        await at.open(id="other")
        other = at.token
        await at.open()
        await at.enter(2)
        await at.direct("pair")
        await at.direct("publish")
        (board,) = await at.opened(1)

        @asynccontextmanager
        async def linking(where: Where) -> AsyncIterator[Link]:
            async with link(at.served, token=where.token) as linked:
                yield linked

        monkeypatch.setattr(Where, "link", linking)

        async def seen(token: str) -> list[Any] | None:
            out = StringIO()
            screen = Screen(plain=True, console=Console(file=out, width=1000))
            waits = await desk(
                Where(token=token), screen, within_ms=HOUR, quiet_ms=DAY, machine=True
            )
            return json.loads(out.getvalue()) if waits else None

        (one,) = await seen(at.token) or ()
        assert (one["kind"], one["tournament"], one["board"]) == ("coming", "cup", 1)
        assert one["game"] == board["game"] and sorted(one["who"].split(", ")) == ["P1", "P2"]
        claimed = await at.do(at.entrants[0], "e:1", "claim", "the room is too loud")
        assert type(claimed) is m.Accepted, claimed
        await at.resign(1, board, board["entrants"][0])
        await at.reported(1)
        (claim,) = await seen(at.token) or ()
        assert (claim["kind"], claim["claim"], claim["who"]) == ("protest", 1, "P1")
        assert await seen(other) == []
        assert await seen(at.tokens[0]) is None
