"""What HTTP tells of who would win and of luck, and when."""

from __future__ import annotations

import html
import json
import re
from io import BytesIO
from pathlib import Path

from attrs import evolve as replace
from PIL import Image

from tests.gateway.rig import HOST, web
from tests.gateway.test_feeds import play_out, started
from tests.serve.rig import Client
from warledger.clients.audit.examine import examine
from warledger.engine.serve.games import analyses
from warledger.engine.serve.http import linkpreviews
from warledger.engine.serve.http.pagefiles import Files
from warledger.protocol.analysis import Analysis, Point
from warledger.protocol.lang import catalogue
from warledger.protocol.wire import messages as m


async def test_nobody_is_told_who_would_win_before_the_end(tmp_path: Path) -> None:
    """An analysis knows what was hidden: nothing of it is served until everything is open. One of
    another log, or a file that is none, is served as none; luck is of the records that spectators
    have."""
    async with web(tmp_path) as w:
        game, _, both = await started(w.up)
        data = w.up.hub.data = tmp_path
        found = examine((await w.get(f"/api/games/{game}.wlog")).body)
        assert found.genesis is not None
        last = found.records[-1]
        seats = found.genesis.seats
        point = Point(last.seq, last.hash, (("turn", 1),), (seats[0], "", None))
        made = Analysis(game, found.genesis.title, found.genesis.hash, seats, "captain", (point,))
        path = analyses.path_of(data, game)
        path.parent.mkdir()
        path.write_text(json.dumps(made.as_data()))
        nothing = dict(analyses.NOTHING)
        assert (await w.get(f"/api/games/{game}/analysis")).json == nothing
        early = (await w.get(f"/api/games/{game}/luck")).json
        assert early["records"] == last.seq + 1

        await play_out(both, game)
        told = (await w.get(f"/api/games/{game}/analysis")).json
        assert told["points"][0]["odds"][seats[0]][0] == 500
        assert (told["points"][0]["played"], told["points"][0]["drawn"]) == (2, 1)
        late = (await w.get(f"/api/games/{game}/luck")).json
        assert late["records"] > early["records"]

        for wrong in (
            json.dumps(replace(made, genesis=bytes(32)).as_data()),
            json.dumps(replace(made, points=(replace(point, seq=9999),)).as_data()),
            "[" * 100_000,
            "{}",
        ):
            path.unlink()
            path.write_text(wrong)
            assert (await w.get(f"/api/games/{game}/analysis")).json == nothing
        assert (await w.get("/api/games/none/analysis")).status == 404


async def test_the_luck_of_all_games_is_that_of_those_that_are_over(tmp_path: Path) -> None:
    """/api/luck tells of a game only once spectators have seen its end: never of one in progress,
    nor of a delayed one before its delay has passed; and for a player, of their own seats."""
    async with web(tmp_path) as w:
        game, _, both = await started(w.up)
        await roll(both, game)
        assert (await w.get("/api/luck")).json["games"] == 0
        await play_out(both, game)
        late, _, other = await started(w.up, delay_s=3600)
        await roll(other, late)
        while type(await other.submit(late, "a", "pass")) is m.Accepted:
            await other.submit(late, "b", "pass")
        w.gateway._exits._fortunes._over = None  # as when the list's seconds have passed
        told = (await w.get("/api/luck")).json
        assert (told["games"], told["counted"]) == (1, 1)
        (title,) = told["titles"]
        one = (await w.get(f"/api/games/{game}/luck")).json["dice"]
        assert {each["seat"]: each["dice"] for each in title["dice"]} == {"a": 1}
        assert title["dice"][0]["total"] == one["seats"]["a"]["total"]
        assert told["histograms"] == one["histograms"]

        anna = (await w.get("/api/luck?player=Anna")).json
        bert = (await w.get("/api/luck?player=Bert")).json
        assert {anna["games"], bert["games"]} == {1}
        assert sorted(len(of["titles"][0]["dice"]) for of in (anna, bert)) == [0, 1]
        assert (await w.get("/api/luck?player=Nobody")).json["titles"] == []
        assert (await w.get(f"/api/luck?player={'x' * 201}")).status == 400


async def roll(client: Client, game: str) -> None:
    """One die for seat a."""
    choices = await client.ask(m.Choices, game, "a", ())
    assert type(choices) is m.ChoicesAre
    rolled = await client.submit(game, "a", "roll", decision=choices.decision)
    assert type(rolled) is m.Accepted, rolled


async def test_a_link_has_a_picture_of_its_record(tmp_path: Path) -> None:
    """A PNG of the record that is asked for, no newer than spectators may see; the page of a game
    names it, and nothing of an address that is no game's or no record's stands in it."""
    async with web(tmp_path) as w:
        game, _, both = await started(w.up)
        first = await w.get(f"/api/games/{game}/picture.png")
        assert first.status == 200 and first.headers["content-type"] == "image/png"
        with Image.open(BytesIO(first.body)) as picture:
            assert picture.size == (1200, 630)
        late = await w.get(f"/api/games/{game}/picture.png?at=999999")
        assert late.body == first.body
        assert (await w.get(f"/api/games/{game}/picture.png?at=-1")).status == 400
        assert (await w.get("/api/games/none/picture.png")).status == 404
        await play_out(both, game)
        ended = await w.get(f"/api/games/{game}/picture.png")
        assert ended.body != first.body

        w.gateway._files = Files()  # the page itself, in place of the rig's
        page = (await w.get(f"/game/{game}?at=7")).body.decode()
        picture_of = f"/api/games/{game}/picture.png"
        assert f'property="og:image" content="http://{HOST}{picture_of}?at=7"' in page
        assert "?at=" not in (await w.get(f'/game/{game}?at=7"><script>')).body.decode()
        for other in ("/lobby", "/game/%22%3E%3Cscript%3E", "/game/a/b"):
            assert b"og:image" not in (await w.get(other)).body


async def test_a_link_is_headed_by_its_game(tmp_path: Path) -> None:
    """The page of a game is headed in previews by title, players and result, as lists tell them to
    spectators; while a delay holds something back the heading does not change, and of an unknown
    game nothing is told but the site."""
    async with web(tmp_path) as w:
        w.gateway._files = Files()  # the page itself, in place of the rig's

        async def headed(game: str) -> str:
            page = (await w.get(f"/game/{game}")).body.decode()
            (title,) = re.findall('<meta property="og:title" content="([^"]*)">', page)
            return html.unescape(title)

        game, _, both = await started(w.up)
        begun = await headed(game)
        assert "Anna" in begun and "Bert" in begun and not begun.startswith("Warledger")
        await play_out(both, game)
        told = (await w.get(f"/api/games/{game}")).json
        assert told["stage"] == "ended" and told["reason"]
        ended = await headed(game)
        assert ended.startswith(begun.split(" · Turn")[0]) and ended != begun

        late, _, other = await started(w.up, delay_s=3600)
        before = await headed(late)
        while type(await other.submit(late, "a", "pass")) is m.Accepted:
            await other.submit(late, "b", "pass")
        assert await headed(late) == before
        assert await headed("none") == "Warledger"
        for path in ("/lobby", "/archive"):
            assert b'"og:title" content="Warledger"' in (await w.get(path)).body


def test_a_heading_tells_turn_or_result() -> None:
    """In the words of its title: the turn while it goes on, how it came out when it is over."""
    row = {
        "title": "war_at_sea",
        "seats": (("allied", "Anna"), ("axis", "axis")),
        "stage": "playing",
        "turn": (3, 8),
        "winner": None,
        "reason": None,
    }
    english = catalogue("en")
    assert linkpreviews.heading(row, english) == "War at Sea · Allies Anna – Axis · Turn 3 of 8"
    reason = ("outcome.war_at_sea.allied", (("score", 10),), "17.4")
    over = {**row, "stage": "ended", "winner": "allied", "reason": reason}
    told = "War at Sea · Allies Anna – Axis · Allies won. The Allies win by 10."
    assert linkpreviews.heading(over, english) == told


async def test_what_stands_in_a_heading_is_text(tmp_path: Path) -> None:
    """A name with quotes and brackets ends no attribute of the page."""
    async with web(tmp_path) as w:
        w.gateway._files = Files()
        game, _, _ = await started(w.up)

        async def named(request: object, game: str) -> str:
            return '"><script>alert(1)</script>'

        w.gateway._title_of = named  # type: ignore[method-assign]
        page = (await w.get(f"/game/{game}")).body.decode()
        assert "<script>alert" not in page and "&quot;&gt;&lt;script&gt;alert" in page
