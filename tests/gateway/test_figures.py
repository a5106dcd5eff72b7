"""What HTTP tells of who would win and of luck, and when."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path

from attrs import evolve as replace
from PIL import Image

from tests.gateway.rig import HOST, web
from tests.gateway.test_feeds import play_out, started
from tests.serve.rig import Client
from warledger.clients.audit.examine import examine
from warledger.engine.serve import analyses
from warledger.engine.serve.files import Files
from warledger.protocol import messages as m
from warledger.protocol.analysis import Analysis, Point


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
