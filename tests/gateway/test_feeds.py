"""Records, heads and files over HTTP, for whoever has nothing but curl: what spectators may see, no
more, and as it comes."""

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

import h11
import trio
import trio.testing
from jsonschema import Draft202012Validator
from nacl.signing import VerifyKey

from ops import openapi
from tests.gateway.rig import HOST, Web, web
from tests.gateway.test_endpoints import play_out
from tests.serve.rig import new_game, started
from tests.tournaments.desk import charter_of
from warledger.engine.desk.ratinglogs import RatingLogs
from warledger.engine.runtime.game.answers import Done, Failed
from warledger.engine.serve.config import HttpLimits
from warledger.engine.serve.hub import Hub
from warledger.engine.testing.memory import MemoryStore
from warledger.engine.tournaments.ratingslog import begin
from warledger.protocol.log import chain, records, wlog

MockClock = trio.testing.MockClock
NAMED = {"Origin": "https://blog.example.com"}


def lines(body: bytes) -> list[dict[str, Any]]:
    """The records of an answer."""
    return [json.loads(line) for line in body.splitlines() if line]


async def a_tournament(hub: Hub) -> None:
    """A tournament of two, whose first round is published."""
    assert hub.hosting is not None
    made = await hub.hosting.open("cup", charter_of(), ("dora", "Dora"), "node", by_token=True)
    assert not isinstance(made, Failed)
    tournament = made[0].tournament
    for number in (1, 2):
        await tournament.submit(f"e:{number}", ("enter", f"P{number}", f"acc{number}", 1500))
    for verb in ("pair", "publish"):
        answer = await tournament.submit("d:dora", (verb,), seen=tournament.ledger.last.hash)
        assert isinstance(answer, Done), answer


def ratings_of(hub: Hub) -> None:
    """A ratings log without periods."""
    assert hub.hosting is not None
    hub.hosting.ratings = RatingLogs(None, {"war_at_sea-live": begin("war_at_sea", "live")})


def raw(line: dict[str, Any]) -> bytes:
    """The bytes of a record."""
    return base64.urlsafe_b64decode(line["data"] + "==")


class Reader:
    """A client that reads an answer as it comes."""

    def __init__(self, w: Web, path: str, peer: str = "memory") -> None:
        self._stream = w.pipe(peer)
        self._speaker = h11.Connection(h11.CLIENT)
        self._path = path
        self.status = 0
        self.text = b""
        self.done = False

    async def begin(self) -> None:
        """Send the request."""
        asked = self._speaker.send(
            h11.Request(method="GET", target=self._path, headers=[("Host", HOST)])
        )
        end = self._speaker.send(h11.EndOfMessage())
        await self._stream.send_all((asked or b"") + (end or b""))

    async def more(self) -> None:
        """Read until something has come."""
        before = (self.status, len(self.text), self.done)
        while (self.status, len(self.text), self.done) == before:
            event = self._speaker.next_event()
            if event is h11.NEED_DATA:
                self._speaker.receive_data(await self._stream.receive_some(65536))
            elif isinstance(event, h11.Response):
                self.status = event.status_code
            elif isinstance(event, h11.Data):
                self.text += bytes(event.data)
            elif isinstance(event, h11.EndOfMessage):
                self.done = True

    async def records(self, count: int) -> list[dict[str, Any]]:
        """The first `count` records."""
        while len(lines(self.text)) < count and not self.done:
            await self.more()
        return lines(self.text)

    async def leave(self) -> None:
        """Close the socket."""
        await self._stream.aclose()


async def test_lines_are_the_records(tmp_path: Path) -> None:
    """Their bytes hash to what they say, each names the one before, and they are those that a
    subscriber gets; most and after cut them."""
    async with web(tmp_path) as w:
        game, _, both = await started(w.up)
        await both.submit(game, "a", "pass")
        answer = await w.get(f"/api/games/{game}/records")
        found = lines(answer.body)
        before = records.NO_HASH
        for seq, line in enumerate(found):
            record = records.read(raw(line))
            assert (line["seq"], line["kind"], line["actor"]) == (seq, record.kind, record.actor)
            assert line["previous"] == before.hex() == record.previous.hex()
            before = hashlib.sha256(raw(line)).digest()
            assert line["hash"] == before.hex()
        assert answer.headers["x-last-seq"] == str(found[-1]["seq"])
        assert answer.headers["x-log-closed"] == "no"
        part = await w.get(f"/api/games/{game}/records?after=1&most=2")
        assert lines(part.body) == found[2:4]
        nothing = await w.get(f"/api/games/{game}/records?after=100000")
        assert (nothing.body, nothing.headers["x-last-seq"]) == (b"", str(found[-1]["seq"]))
        for query in (
            "after=-2",
            "after=x",
            "most=0",
            "most=501",
            "wait=26",
            "follow=2",
            "after=" + "9" * 400,
            "most=%D9%A3",
        ):
            assert (await w.get(f"/api/games/{game}/records?{query}")).status == 400, query
        assert (await w.get("/api/games/nothing/records")).status == 404


async def test_the_head_is_signed(tmp_path: Path) -> None:
    """By the server, over the newest record that the lines have."""
    async with web(tmp_path) as w:
        game, _, both = await started(w.up)
        await both.submit(game, "a", "pass")
        told = (await w.get(f"/api/games/{game}/head")).json
        last = lines((await w.get(f"/api/games/{game}/records")).body)[-1]
        assert (told["game"], told["seq"], told["hash"]) == (game, last["seq"], last["hash"])
        VerifyKey(w.up.hub.supervisor.signer.public).verify(
            chain.signed_bytes(game, told["seq"], bytes.fromhex(told["hash"])),
            bytes.fromhex(told["signature"]),
        )


async def test_whoever_waits_hears_at_once(tmp_path: Path, autojump_clock: MockClock) -> None:
    """A record ends the wait; without one it ends after its seconds with nothing."""
    async with web(tmp_path) as w:
        game, _, both = await started(w.up)
        last = (await w.get(f"/api/games/{game}/head")).json["seq"]
        began = trio.current_time()
        empty = await w.get(f"/api/games/{game}/records?after={last}&wait=20")
        assert (empty.status, empty.body, trio.current_time() - began) == (200, b"", 20)
        reader = Reader(w, f"/api/games/{game}/records?after={last}&wait=20")
        await reader.begin()
        await trio.testing.wait_all_tasks_blocked()
        began = trio.current_time()
        await both.submit(game, "a", "pass")
        assert [line["seq"] for line in await reader.records(1)][:1] == [last + 1]
        assert trio.current_time() - began < 1
        await reader.leave()


async def test_a_feed_goes_on_to_the_end(tmp_path: Path) -> None:
    """It has what there is, then what comes, and ends when the log is closed."""
    async with web(tmp_path) as w:
        game, _, both = await started(w.up)
        reader = Reader(w, f"/api/games/{game}/records?follow=1")
        await reader.begin()
        there = len(await reader.records(1))
        await both.submit(game, "a", "pass")
        await reader.records(there + 1)
        await play_out(both, game)
        while not reader.done:
            await reader.more()
        found = lines(reader.text)
        assert [line["seq"] for line in found] == list(range(len(found)))
        whole = wlog.parse((await w.get(f"/archive/{game}.wlog")).body, sealed=True)
        assert [raw(line) for line in found] == list(whole.records)
        await reader.leave()


async def test_a_feed_shows_that_it_lives_and_notices_who_has_gone(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    """An empty line each quarter of a minute; the place of a reader who has gone is free after
    that."""
    limits = HttpLimits(feeds_per_address=1)
    async with web(tmp_path, limits=limits) as w:
        game, _, _ = await started(w.up)
        path = f"/api/games/{game}/records?follow=1"
        reader = Reader(w, path)
        await reader.begin()
        await reader.records(1)
        size, began = len(reader.text), trio.current_time()
        await reader.more()
        assert (reader.text[size:], trio.current_time() - began) == (b"\n", 15)
        assert (await w.get(f"{path[:-8]}wait=5")).status == 429
        await reader.leave()
        await trio.sleep(31)
        again = Reader(w, path)
        await again.begin()
        assert await again.records(1)
        await again.leave()


async def test_a_delay_holds_for_heads_files_and_feeds(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    """Of a delayed game neither line, head nor file has a record before spectators may see it."""
    async with web(tmp_path) as w:
        game, _, both = await started(w.up, delay_s=60)
        await trio.sleep(61)
        path = f"/api/games/{game}"
        before = (await w.get(f"{path}/head")).json["seq"]
        reader = Reader(w, f"{path}/records?follow=1")
        await reader.begin()
        await reader.records(before + 1)
        await both.submit(game, "a", "pass")
        for seconds, more in ((59, 0), (2, 1)):
            await trio.sleep(seconds)
            seq = (await w.get(f"{path}/head")).json["seq"]
            file = wlog.parse((await w.get(f"{path}.wlog")).body, sealed=True)
            listed = lines((await w.get(f"{path}/records")).body)
            assert (seq > before) == bool(more)
            assert len(file.records) == len(listed) == seq + 1
        assert len(await reader.records(before + 2)) == before + 2
        await reader.leave()


async def test_a_file_can_be_had_in_parts(tmp_path: Path) -> None:
    """A range is those bytes of the same version; one beyond the end is 416; of another version
    the whole comes."""
    async with web(tmp_path) as w:
        game, _, both = await started(w.up)
        whole = await w.get(f"/api/games/{game}.wlog")
        size = len(whole.body)
        assert whole.headers["accept-ranges"] == "bytes"
        for asked, part in (
            ("bytes=10-19", whole.body[10:20]),
            ("bytes=10-", whole.body[10:]),
            ("bytes=-7", whole.body[-7:]),
            (f"bytes=0-{size * 2}", whole.body),
        ):
            answer = await w.get(f"/api/games/{game}.wlog", headers={"Range": asked})
            assert (answer.status, answer.body) == (206, part), asked
            assert answer.headers["content-range"].endswith(f"/{size}")
        for asked in (f"bytes={size}-", "bytes=-0"):
            answer = await w.get(f"/api/games/{game}.wlog", headers={"Range": asked})
            assert (answer.status, answer.headers["content-range"]) == (416, f"bytes */{size}")
        for asked in ("bytes=5-1", "bytes=-", "bytes=0-1,3-4", "lines=1-2", "bytes=" + "9" * 99):
            answer = await w.get(f"/api/games/{game}.wlog", headers={"Range": asked})
            assert (answer.status, len(answer.body)) == (200, size), asked
        await both.submit(game, "a", "pass")
        stale = {"Range": "bytes=0-9", "If-Range": whole.headers["etag"]}
        assert (await w.get(f"/api/games/{game}.wlog", headers=stale)).status == 200


async def test_what_everybody_may_read_pages_of_others_may(tmp_path: Path) -> None:
    """Where the server has a name, errors included; never figures, and nothing of a server that is
    called by localhost, a private address or a name that is not its own."""
    async with web(tmp_path) as w:
        game, _ = await new_game(w.up)
        for path in ("/api/games", f"/api/games/{game}/head", "/api/games/nothing"):
            answer = await w.get(path, headers=NAMED)
            assert answer.headers["access-control-allow-origin"] == "*", path
        assert "access-control-allow-origin" not in (await w.get("/metrics", headers=NAMED)).headers
        asked = await w.get("/api/games", method="OPTIONS", headers=NAMED)
        assert (asked.status, asked.headers["access-control-allow-methods"]) == (204, "GET, HEAD")
        for host in ("localhost:8080", "127.0.0.1", "192.168.1.5:80", "evil.example.com", "[::1]"):
            answer = await w.get("/api/games", headers={**NAMED, "Host": host})
            assert "access-control-allow-origin" not in answer.headers, host
            assert (
                await w.get("/api/games", method="OPTIONS", headers={**NAMED, "Host": host})
            ).status == 405


def test_the_description_is_made_from_the_paths() -> None:
    """/api/openapi.json is what `python -m ops.openapi` makes of the paths that are served."""
    assert openapi.FILE.read_text("utf-8") == openapi.text()


async def test_the_description_is_true(tmp_path: Path) -> None:
    """Every path of /api/openapi.json answers as it says, with values of the form that it names."""
    async with web(tmp_path, tournaments=MemoryStore()) as w:
        game, _, both = await started(w.up)
        await a_tournament(w.up.hub)
        ratings_of(w.up.hub)
        told = (await w.get("/api/openapi.json")).json
        title = next(iter(w.up.hub.titles))
        await play_out(both, game)
        for path, methods in told["paths"].items():
            for name, value in (
                ("game", game),
                ("title", title),
                ("language", "en"),
                ("tournament", "cup"),
                ("ratings", "war_at_sea-live"),
                ("number", "1"),
            ):
                path = path.replace("{" + name + "}", value)
            answer = await w.get(path)
            (content,) = methods["get"]["responses"]["200"]["content"].items()
            assert answer.status == 200, path
            assert answer.headers["content-type"].split(";")[0] == content[0], path
            if "json" in content[0] and content[1]["schema"] != {"type": "string"}:
                values = lines(answer.body) if "ndjson" in content[0] else [answer.json]
                form = Draft202012Validator({**told, **content[1]["schema"]})
                for value in values:
                    form.validate(value)
