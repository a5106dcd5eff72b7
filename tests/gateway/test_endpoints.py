"""What HTTP tells: one source with the messages, and no more than spectators may know, however they
ask."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from tests.audit.mini_parts import together
from tests.gateway.rig import web
from tests.serve.rig import HOST_TOKEN, TITLES, Client, new_game, started
from warledger.engine.games.chitpull import describe as chitpull
from warledger.engine.games.war_at_sea import silhouettes
from warledger.engine.runtime import titles
from warledger.engine.runtime.titles import installed
from warledger.engine.serve.games import gamelists
from warledger.engine.serve.http import endpoints, symbols
from warledger.engine.serve.http.endpoints import Exits
from warledger.engine.serve.http.pagefiles import OFTEN
from warledger.protocol import lang
from warledger.protocol.board import description
from warledger.protocol.log import wlog
from warledger.protocol.texts.phrases import LANGUAGES
from warledger.protocol.wire import messages as m

MockClock = trio.testing.MockClock


async def play_out(client: Client, game: str) -> None:
    """Play until the game is over."""
    for _ in range(100):
        for seat in ("a", "b"):
            choices = await client.ask(m.Choices, game, seat, ())
            if type(choices) is m.ChoicesAre:
                await client.submit(game, seat, "pass", decision=choices.decision)
        view = await client.ask(m.Games, "ended", "", 10)
        if view.games:
            return
    raise AssertionError("the game does not end")


async def test_lists_are_those_of_the_messages(tmp_path: Path) -> None:
    """/api/games and /api/games/GAME tell what a game_list tells a spectator, by stage and page by
    page."""
    async with web(tmp_path) as w:
        ids = sorted(
            [(await started(w.up))[0], (await new_game(w.up))[0], (await new_game(w.up))[0]]
        )
        spectator = await w.client()
        told = json.loads(json.dumps((await spectator.ask(m.Games, "", "", 100)).games))
        assert (await w.get("/api/games")).json == {"games": told, "more": False, "after": ""}
        assert [(await w.get(f"/api/games/{id}")).json for id in ids] == told
        first = (await w.get("/api/games?most=2")).json
        assert ([game["game"] for game in first["games"]], first["more"]) == (ids[:2], True)
        rest = (await w.get(f"/api/games?most=2&after={first['after']}")).json
        assert ([game["game"] for game in rest["games"]], rest["more"]) == (ids[2:], False)
        assert len((await w.get("/api/games?stage=playing")).json["games"]) == 1
        for most in (
            "0",
            "x",
            "1001",
            "%D9%A3",
            "999999999999999999999",
            "100001",
            "0000999999999",
        ):
            assert (await w.get(f"/api/games?most={most}")).status == 400, most
        assert (await w.get("/api/games?stage=none")).status == 400
        for unknown in ("nothing", "..", "%2e%2e", "a" * 200, "a b", "host"):
            assert (await w.get(f"/api/games/{unknown.replace(' ', '%20')}")).status == 404


async def test_a_list_is_made_once_a_second(
    tmp_path: Path, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many ask, the list is made once; a second later it is new."""
    async with web(tmp_path) as w:
        await new_game(w.up)
        made = 0
        listed = endpoints.listed

        async def counted(*args: Any) -> gamelists.Listed:
            nonlocal made
            made += 1
            return await listed(*args)

        monkeypatch.setattr(endpoints, "listed", counted)
        answers = []
        async with trio.open_nursery() as nursery:

            async def ask() -> None:
                answers.append(await w.get("/api/games"))

            for _ in range(5):
                nursery.start_soon(ask)
        assert [len(answer.json["games"]) for answer in answers] == [1] * 5
        assert made == 1
        await new_game(w.up)
        await trio.sleep(1.1)
        assert len((await w.get("/api/games")).json["games"]) == 2


async def test_boards_and_phrases_are_those_of_the_messages(tmp_path: Path) -> None:
    """A game's board is what a board_is tells, the title's is the same; phrases are the
    catalogues."""
    async with web(tmp_path) as w:
        game, _ = await new_game(w.up)
        spectator = await w.client()
        told = await spectator.ask(m.Board, game)
        found = (await w.get(f"/api/games/{game}/board")).json
        assert found == {
            "title": "counting",
            "description": json.loads(json.dumps(told.description)),
        }
        assert (await w.get("/api/titles/counting/board")).json == found
        for language in LANGUAGES:
            assert (await w.get(f"/api/phrases/{language}")).json == dict(lang.catalogue(language))
        assert (await w.get("/api/phrases/tlh")).status == 404
        titles = (await w.get("/api/titles")).json
        assert [title["title"] for title in titles] == ["counting"]
        server = (await w.get("/api/server")).json
        assert server["key"] == w.up.hub.supervisor.signer.public.hex()


async def test_the_archive_holds_ended_games(tmp_path: Path) -> None:
    """A live game's file is 409; an ended one's is given, whole and sealed, with a name and an
    ETag."""
    async with web(tmp_path) as w:
        game, _, client = await started(w.up, turns=2)
        assert (await w.get(f"/archive/{game}.wlog")).status == 409
        await play_out(client, game)
        answer = await w.get(f"/archive/{game}.wlog")
        assert (answer.status, answer.headers["content-disposition"]) == (
            200,
            f'attachment; filename="{game}.wlog"',
        )
        parsed = wlog.parse(answer.body, sealed=True)
        assert len(parsed.records) == w.up.hub.supervisor.games[game].profile.count
        again = await w.get(
            f"/archive/{game}.wlog", headers={"If-None-Match": answer.headers["etag"]}
        )
        assert again.status == 304
        taken = {"Accept-Encoding": "gzip"}
        packed = await w.get(f"/archive/{game}.wlog", headers=taken)
        assert packed.headers["content-encoding"] == "gzip"
        assert gzip.decompress(packed.body) == answer.body
        assert len(packed.body) < len(answer.body)
        assert packed.headers["etag"] != answer.headers["etag"]
        # A part is one of the file itself, whatever the peer could unpack.
        part = await w.get(f"/archive/{game}.wlog", headers={**taken, "Range": "bytes=0-9"})
        assert (part.status, part.body) == (206, answer.body[:10])
        assert "content-encoding" not in part.headers
        stale = {**taken, "Range": "bytes=0-9", "If-Range": packed.headers["etag"]}
        assert (await w.get(f"/archive/{game}.wlog", headers=stale)).status == 200
        assert (await w.get("/archive/nothing.wlog")).status == 404
        assert (await w.get(f"/archive/{game}")).status == 404


async def test_an_ended_game_comes_in_two_parts(tmp_path: Path) -> None:
    """A page that asks for the parts of a live game too early is told that there are none (204,
    without a length, and the connection goes on); those of an ended one are its file."""
    async with web(tmp_path) as w:
        game, _, client = await started(w.up, turns=2)
        early = await w.get(f"/archive/{game}.parts")
        assert (early.status, early.body) == (204, b"")
        assert "content-length" not in early.headers
        await play_out(client, game)
        file = (await w.get(f"/archive/{game}.wlog")).body
        answer = await w.get(f"/archive/{game}.parts")
        assert together(answer.body, game) == file
        packed = await w.get(f"/archive/{game}.parts", headers={"Accept-Encoding": "gzip"})
        assert gzip.decompress(packed.body) == answer.body
        assert (await w.get("/archive/nothing.parts")).status == 404


async def test_a_page_keeps_no_parts_of_another_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a browser has kept of an ended game is asked for anew once a release cuts it otherwise,
    or not at all: it could not be read, whenever the game is opened."""
    async with web(tmp_path) as w:
        game, _, client = await started(w.up, turns=2)
        await play_out(client, game)
        store = w.up.hub.supervisor.store
        first = await w.get(f"/archive/{game}.parts")
        kept = {"If-None-Match": first.headers["etag"]}
        assert (await w.get(f"/archive/{game}.parts", headers=kept)).status == 304
    for other, status in ((b"otherwise", 200), (b"", 204)):
        monkeypatch.setattr(endpoints, "cut", lambda _, other=other: other)
        async with web(tmp_path, store=store) as w:
            later = await w.get(f"/archive/{game}.parts", headers=kept)
            assert (later.status, later.body) == (status, other)


async def test_what_was_made_from_games_and_is_asked_for_often_is_compressed_better(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A catalogue that has been asked for often comes in fewer bytes from then on, unpacks to the
    same and keeps its tag."""
    brotli = pytest.importorskip("brotli")
    taken = {"Accept-Encoding": "br"}
    done = trio.Event()
    real = Exits.squeeze

    async def squeeze(self: Exits, key: str, limiter: trio.CapacityLimiter) -> None:
        await real(self, key, limiter)
        done.set()

    monkeypatch.setattr(Exits, "squeeze", squeeze)
    async with web(tmp_path) as w:
        first = await w.get("/api/phrases/en", headers=taken)
        for _ in range(OFTEN - 1):
            assert (await w.get("/api/phrases/en", headers=taken)).body == first.body
        assert not done.is_set()
        await w.get("/api/phrases/en", headers=taken)
        with trio.fail_after(30):
            await done.wait()
        later = await w.get("/api/phrases/en", headers=taken)
        assert len(later.body) < len(first.body)
        assert brotli.decompress(later.body) == brotli.decompress(first.body)
        assert later.headers["etag"] == first.headers["etag"]


async def test_a_delay_binds_every_exit(tmp_path: Path, autojump_clock: MockClock) -> None:
    """While the delay lasts nothing that HTTP tells changes with what is played; when it is over,
    the game is there and its file too."""
    async with web(tmp_path) as w:
        game, _, client = await started(w.up, turns=2, delay_s=600)
        await trio.sleep(700)
        before = (await w.get(f"/api/games/{game}")).json
        assert before["stage"] == "playing"
        figures = {
            line.split(" ")[0]
            for line in (await w.get("/metrics")).body.decode().splitlines()
            if not line.startswith("#")
        }
        host_told = (
            await w.get("/metrics", headers={"Authorization": f"Bearer {HOST_TOKEN}"})
        ).body
        await play_out(client, game)
        await trio.sleep(5)
        assert (await w.get(f"/api/games/{game}")).json == before
        assert (await w.get("/api/games")).json["games"] == [before]
        assert (await w.get("/api/games?stage=ended")).json["games"] == []
        assert (await w.get(f"/archive/{game}.wlog")).status == 409
        assert (await w.get(f"/archive/{game}.parts")).status == 204
        assert not figures & {
            "warledger_commits_total",
            "warledger_records_total",
            "warledger_commands_accepted_total",
            "warledger_games_live",
        }
        assert (
            await w.get("/metrics", headers={"Authorization": f"Bearer {HOST_TOKEN}"})
        ).body != host_told
        spectator = await w.client()
        subscribed = await spectator.ask(m.Subscribe, game, m.FROM_GENESIS, "public")
        assert subscribed.last_seq == before["seq"]
        await trio.sleep(700)
        assert (await w.get(f"/api/games/{game}")).json["stage"] == "ended"
        assert (await w.get(f"/archive/{game}.wlog")).status == 200


async def test_figures_for_the_host_and_for_others(tmp_path: Path) -> None:
    """The host's token shows all figures; without one only those of no game; a wrong one is 401."""
    async with web(tmp_path) as w:
        everybody = (await w.get("/metrics")).body
        assert b"warledger_connections" in everybody
        assert b"commands_accepted" not in everybody
        assert b"records" not in everybody
        host = (await w.get("/metrics", headers={"Authorization": f"bearer {HOST_TOKEN}"})).body
        assert b"warledger_commands_accepted_total" in host
        for wrong in ("Bearer host:wrong", f"Basic {HOST_TOKEN}", "Bearer", "x"):
            assert (await w.get("/metrics", headers={"Authorization": wrong})).status == 401


async def test_health(tmp_path: Path) -> None:
    """Well while the server serves; 503 with why once it stops."""
    async with web(tmp_path) as w:
        assert (await w.get("/health")).json == {"ok": True, "why": "", "time_sure": True}
        w.up.hub.supervisor.stopping = True
        answer = await w.get("/health")
        assert (answer.status, answer.json) == (
            503,
            {"ok": False, "why": "stopping", "time_sure": True},
        )


# --- symbols --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def draughtsman() -> symbols.Draughtsman:
    """One for all tests: what it drew is kept."""
    return symbols.Draughtsman()


@pytest.mark.parametrize("title", sorted(installed()))
def test_every_counter_has_a_symbol(title: str, draughtsman: symbols.Draughtsman) -> None:
    """Each unit, headquarters and ship of a title has a symbol in its sheet, which holds no inline
    style, script or colour of its own."""
    one = installed()[title]
    told = description.read(titles.description(one.rules, one.pack, one.options))
    sheet = symbols.sheet(told.symbols, draughtsman.draw)
    counters = [piece for piece in told.pieces if piece.kind != "chit"]
    assert counters
    for piece in counters:
        assert f'<symbol id="{piece.symbol}" viewBox=' in sheet, piece.id
    for forbidden in ("style", "script", "rgb(", "href", "black"):
        assert forbidden not in sheet
    assert sheet.count("<symbol") == len(told.symbols) == sheet.count("</symbol>")


def test_sizes_and_types(draughtsman: symbols.Draughtsman) -> None:
    """A counter's size comes from its own field, else from its long name, else from its list; an
    unknown type gets an empty frame."""
    units = [
        {"type": "tank", "long_name": "17 Tank Corps"},
        {"type": "tank", "size": "brigade"},
        {"type": "infantry"},
        {"type": "dragons"},
    ]
    found = [chitpull.symbol(unit, "division") for unit in units]
    found.append(chitpull.symbol({"type": "army"}, "army"))
    assert [id for id, _ in found] == [
        "armour-xxx",
        "armour-x",
        "infantry-xx",
        "unit-xx",
        "hq-xxxx",
    ]
    listed = [
        description.Symbol(id, code, "HQ" if id.startswith("hq") else "") for id, code in found
    ]
    sheet = symbols.sheet(listed, draughtsman.draw)
    assert ">HQ</text>" in sheet
    # A friend's frame is a rectangle; milsymbol draws it first.
    assert (
        sheet.count(
            '<path d="M25,50 l150,0 0,100 -150,0 z" stroke-width="4" stroke="currentColor"/>'
        )
        == 5
    )


def test_every_class_has_a_silhouette() -> None:
    """Ships, boats, convoys and aircraft each have a shape of their own."""
    kinds = ("BB", "BC", "CA", "CV", "PB", "U", "convoy", "air")
    assert len({silhouettes.CLASSES[kind] for kind in kinds}) == 8


async def test_a_sheet_over_http(tmp_path: Path) -> None:
    """A game's sheet and the list of its counters are served; a pack without counters has an empty
    sheet."""
    title = installed()["war_at_sea"]
    async with web(tmp_path, titles={**TITLES, "war_at_sea": title}) as w:
        host = await w.client(HOST_TOKEN)
        game = (await host.ask(m.CreateGame, "war_at_sea", {}, 0)).game
        answer = await w.get(f"/api/games/{game}/symbols.svg")
        assert (answer.status, answer.headers["content-type"]) == (
            200,
            "image/svg+xml; charset=utf-8",
        )
        assert b'<symbol id="ship-bb"' in answer.body
        assert (await w.get("/api/titles/war_at_sea/symbols.svg")).body == answer.body
        told = description.read((await w.get(f"/api/games/{game}/board")).json["description"])
        shown = {piece.id: piece.symbol for piece in told.pieces}
        assert (shown["rodney"], shown["uboat_1"]) == ("ship-bb", "ship-u")
        assert b"<symbol" not in (await w.get("/api/titles/counting/symbols.svg")).body
        assert (await w.get(f"/api/games/{game}/nothing")).status == 404
