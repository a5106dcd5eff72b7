"""What casters draw over a game: who may, who sees it and when, and that it is bounded and in no
log."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import trio
import trio.testing

from tests.gateway.rig import web
from tests.serve.rig import HOST_TOKEN, Client, started
from warledger.engine.runtime.ambient import SystemAmbient
from warledger.engine.serve.games import markfiles, markrequests
from warledger.engine.serve.people import viewtokens
from warledger.engine.store.port import FRAME_RECORD
from warledger.protocol.wire import markmessages as mm
from warledger.protocol.wire import messages as m

DELAY_S = 60
PLANTED = "planted-4711"


async def draw(client: Client, game: str, at: int, kind: str, *places: str, text: str = "") -> Any:
    return await client.ask(mm.Mark, game, at, kind, tuple((one,) for one in places), text)


async def test_a_mark_comes_no_sooner_than_its_record(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    """A caster draws over what spectators see and nothing later, the host over any record; either
    mark is shown once spectators see its record, and removed by its maker or the host. It is in no
    log, and outlives the server."""
    async with web(tmp_path, data=tmp_path) as w:
        s = w.up
        game, _, player = await started(s, delay_s=DELAY_S, turns=50)
        await trio.sleep(DELAY_S + 1)
        rows = (("caster", game, "a"),)
        _, token = viewtokens.make(tmp_path, SystemAmbient(), rows, "", "Ann")
        caster, host = await s.client(token), await s.client(HOST_TOKEN)

        async def told() -> list[dict[str, Any]]:
            found = (await w.get(f"/api/games/{game}/marks")).json["marks"]
            assert isinstance(found, list)
            return found

        old = s.hub.supervisor.games[game].shown.seq
        answer = await player.submit(game, "a", "add", 1)
        assert type(answer) is m.Accepted
        new = answer.head.seq
        assert new > old
        assert (await draw(caster, game, new, "ring", "x")).code == "no_such_record"
        assert (await draw(caster, game, old, "arrow", "x", "y", text=PLANTED)).n == 1
        assert (await draw(host, game, new, "note", "x", text="Here!")).n == 2
        assert await told() == [
            {"n": 1, "at": old, "kind": "arrow", "places": ["x", "y"], "text": PLANTED, "by": "Ann"}
        ]
        await trio.sleep(DELAY_S + 1)
        assert [one["n"] for one in await told()] == [1, 2]
        assert (await caster.ask(mm.Unmark, game, 2)).say.key == "error.mark_others"
        assert (await caster.ask(mm.Unmark, game, 7)).say.key == "error.mark_none"
        assert (await caster.ask(mm.Unmark, game, 0)).tag == "marked"
        assert [one["n"] for one in await told()] == [2]
        assert (await draw(caster, game, old, "ring", "x", text=PLANTED)).n == 3
        assert (await host.ask(mm.Unmark, game, 3)).n == 3
        _, nameless = viewtokens.make(tmp_path, SystemAmbient(), rows)
        stranger = await s.client(nameless, "Ann")
        assert (await draw(stranger, game, old, "ring", "x")).n == 3
        assert (await told())[-1]["by"] == "caster"
        assert (await host.ask(mm.Unmark, game, 3)).n == 3

        for frame in s.hub.supervisor.store.read(game):
            assert frame.kind != FRAME_RECORD or PLANTED.encode() not in frame.payload
        page = (await w.get(f"/api/games/{game}.html")).body
        await trio.sleep(20)
        await host.ask(mm.Unmark, game, 2)
        assert (await w.get(f"/api/games/{game}.html")).body != page
    assert markfiles.read(tmp_path, game) == ()


async def test_who_plays_or_only_watches_draws_nothing(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    """Players, even with a caster's token beside their seat's, spectators, and casters of another
    game are refused; what is drawn has one of three forms, with a text that can be shown; and how
    much and how often is bounded."""
    async with web(tmp_path, data=tmp_path) as w:
        s = w.up
        game, _, player = await started(s, turns=50)
        seq = s.hub.supervisor.games[game].shown.seq
        _, token = viewtokens.make(tmp_path, SystemAmbient(), (("caster", game, "a"),))
        _, other = viewtokens.make(tmp_path, SystemAmbient(), (("caster", "another", "a"),))
        caster = await s.client(token)
        assert type(await player.ask(m.Login, token, "")) is m.LoggedIn
        for client in (player, await s.client(other), await s.client()):
            assert (await draw(client, game, seq, "ring", "x")).say.key == "error.mark_not_you"
            assert (await client.ask(mm.Unmark, game, 0)).say.key == "error.mark_not_you"
        wrong = (
            ("arrow", ("x",), ""),
            ("ring", ("x", "y"), ""),
            ("ring", ("x" * 500,), ""),
            ("note", ("x",), ""),
            ("note", ("x",), " "),
        )
        for kind, places, text in wrong:
            answer = await draw(caster, game, seq, kind, *places, text=text)
            assert answer.say.key == "error.mark_form", (kind, places, text)
        for text in ("two\nlines", "\x1b[2J"):
            answer = await draw(caster, game, seq, "note", "x", text=text)
            assert answer.say.key == "refusal.text_unreadable", text
        assert not markfiles.path_of(tmp_path, game).exists()

        await trio.sleep(60)
        several = [
            await draw(caster, game, seq, "ring", "x") for _ in range(markrequests.BURST + 1)
        ]
        assert [answer.tag for answer in several] == ["marked"] * markrequests.BURST + ["error"]
        assert several[-1].code == "slow_down"
        full = [
            markfiles.Mark(n, seq, "ring", ("x",), "", "Ann", "token 00")
            for n in range(1, markfiles.MARKS_MAX + 1)
        ]
        markfiles.write(tmp_path, game, full)
        await trio.sleep(60)
        assert (await draw(caster, game, seq, "ring", "x")).say.key == "error.mark_many"


async def test_a_file_that_holds_no_marks_is_read_as_none(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    """Whoever may write to the data directory cannot make the server fail with it."""
    async with web(tmp_path, data=tmp_path) as w:
        game, _, _ = await started(w.up, turns=50)
        good = {"n": 1, "at": 0, "kind": "ring", "places": ["x"], "text": "", "by": "", "maker": ""}
        path = markfiles.path_of(tmp_path, game)
        path.parent.mkdir()
        for told in ({**good, "kind": "bomb"}, {**good, "places": []}, {**good, "at": -1}, 7):
            path.unlink(missing_ok=True)
            path.write_text(json.dumps({"format": 1, "marks": [told]}))
            assert (await w.get(f"/api/games/{game}/marks")).json == {"marks": []}
        for text in ("[" * 100_000, "{}", "null"):
            path.unlink()
            path.write_text(text)
            assert (await w.get(f"/api/games/{game}/marks")).json == {"marks": []}
        path.unlink()
        path.write_text(json.dumps({"format": 1, "marks": [good]}))
        assert len((await w.get(f"/api/games/{game}/marks")).json["marks"]) == 1
