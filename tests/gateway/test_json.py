"""Messages in JSON over a WebSocket: the same game as in the binary form, by a program that knows
nothing but the contract; nonsense, and what is out of bounds."""

from __future__ import annotations

import base64
import hashlib
import json
import random
from pathlib import Path
from typing import Any

import pytest
import trio.testing
from jsonschema import Draft202012Validator
from wsproto.events import BytesMessage, CloseConnection, TextMessage

from tests.gateway.rig import Refused, Web, WebSocket, opened, web
from tests.serve.rig import HOST_TOKEN, Client, sit_down, started
from warledger.protocol import canon
from warledger.protocol.wire import messages as m
from warledger.protocol.wire.jsonform import from_json, to_json
from warledger.protocol.wire.session import frame

MockClock = trio.testing.MockClock
CONTRACT = json.loads(
    (Path(__file__).parents[2] / "protocol" / "messages.json").read_text(encoding="utf-8")
)
VALIDATOR = Draft202012Validator(CONTRACT)


class Spoken:
    """A program of somebody else's: it sends and hears objects."""

    def __init__(self, socket: WebSocket) -> None:
        self.socket = socket
        self.texts = ""

    async def say(self, told: Any) -> None:
        """Send an object, or any text."""
        text = told if type(told) is str else json.dumps(told)
        await self.socket.say(TextMessage(data=text))

    async def hear(self) -> Any:
        """The next object; None once the socket is closed."""
        while True:
            event = await self.socket.hear()
            if event is None or isinstance(event, CloseConnection):
                return None
            if isinstance(event, TextMessage):
                self.texts += event.data
                if event.message_finished:
                    told, self.texts = json.loads(self.texts), ""
                    VALIDATOR.validate(told)
                    return told

    async def ask(self, told: dict[str, Any]) -> Any:
        """Send a request; its answer, once it has come."""
        await self.say(told)
        while True:
            answer = await self.hear()
            if answer is None or answer.get("request") == told["request"]:
                return answer


async def spoken(w: Web) -> Spoken:
    """A program that has said hello and logged in as a spectator."""
    one = Spoken(await opened(w.pipe(), subprotocol="warledger.json"))
    hello = {"type": "hello", "request": 1, "version": 3, "client": "other"}
    assert (await one.ask(hello))["type"] == "welcome"
    login = {"type": "login", "request": 2, "token": "", "name": ""}
    assert (await one.ask(login))["type"] == "logged_in"
    return one


class Translated(WebSocket):
    """Our own client's stream over such a socket."""

    async def send_all(self, data: Any) -> None:
        self._frames.receive_data(bytes(data))
        while (payload := self._frames.next_frame()) is not None:
            told = to_json(m.decode(payload))
            VALIDATOR.validate(json.loads(told))
            await self.say(TextMessage(data=told))

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        text = ""
        while True:
            event = await self.hear()
            if not isinstance(event, TextMessage):
                return b""
            text += event.data
            if event.message_finished:
                VALIDATOR.validate(json.loads(text))
                return frame(m.encode(from_json(text)))


async def translated(w: Web, token: str) -> Client:
    """Our own client over JSON, logged in."""
    socket = await opened(w.pipe(), subprotocol="warledger.json")
    socket.__class__ = Translated
    client = Client(socket)
    await client.greet(token)
    return client


async def test_a_game_in_json_is_the_same_to_the_byte(tmp_path: Path) -> None:
    """A host and two players who speak JSON; a program that hashes what it is told finds the chain
    that a binary client finds, and can read each record's copy."""
    async with web(tmp_path) as w:
        host = await translated(w, HOST_TOKEN)
        created = await host.ask(m.CreateGame, "counting", {"turns": 3}, 0)
        tokens = dict(created.tokens)
        player = await translated(w, tokens["a"])
        assert type(await player.ask(m.Login, tokens["b"], "")) is m.LoggedIn
        other = await spoken(w)
        watching = {"request": 3, "game": created.game, "after_seq": -1, "audience": "public"}
        assert (await other.ask({"type": "subscribe", **watching}))["last_seq"] == 0
        await sit_down(player, created.game)
        for seat in ("a", "b"):
            assert type(await player.submit(created.game, seat, "pass")) is m.Accepted
        last = w.up.hub.supervisor.games[created.game].profile.progress.seq
        binary = await w.client()
        await binary.ask(m.Subscribe, created.game, m.FROM_GENESIS, "public")
        expected = await binary.until((created.game, "public"), last)

        seen: list[dict[str, Any]] = []
        while len(seen) <= last:
            told = await other.hear()
            assert told["type"] == "records" and told["first_seq"] == len(seen)
            seen += told["items"]
    data = [base64.urlsafe_b64decode(one["data"] + "==") for one in seen]
    assert data == [record for _, record, _ in expected]
    for before, after, raw in zip(seen, seen[1:], data, strict=False):
        assert before["record"]["hash"] == hashlib.sha256(raw).hexdigest()
        assert after["record"]["previous"] == before["record"]["hash"]
    assert {"genesis", "seat", "command"} <= {one["record"]["kind"] for one in seen}


@pytest.mark.parametrize(
    "told",
    [
        "{",
        "[]",
        "[" * 60_000,
        '"hello"',
        "{}",
        '{"type":"nonsense","request":5}',
        '{"type":"welcome","request":5}',
        '{"type":"ping","request":0}',
        '{"type":"ping","request":"5"}',
        '{"type":"ping","request":NaN}',
        '{"type":"ping","request":5,"request":6}',
        '{"type":"ping","request":' + "9" * 5000 + "}",
        "x" * 140_000,
    ],
    ids=range(13),
)
async def test_nonsense_ends_with_an_error(
    told: str, tmp_path: Path, autojump_clock: MockClock
) -> None:
    """What is no message at all is said to be so, and the connection ends; the server serves on."""
    async with web(tmp_path) as w:
        one = await spoken(w)
        await one.say(told)
        answer = await one.hear()
        assert (answer["type"], answer["code"], answer["fatal"]) == ("error", "malformed", True)
        assert await one.hear() is None
        assert (await (await spoken(w)).ask({"type": "ping", "request": 3}))["type"] == "pong"
        assert w.up.hub.metrics.faults == 0


async def test_a_field_out_of_bounds_refuses_only_its_request(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    """A number, text, field or surrogate that cannot be: a plain error under the request's number,
    and the conversation goes on; in the binary form likewise."""
    async with web(tmp_path) as w:
        game, _, _ = await started(w.up)
        one = await spoken(w)
        view = {"type": "view", "request": 9, "game": game, "audience": "public", "at_seq": -1}
        wrong: list[dict[str, Any]] = [
            {**view, "at_seq": -2},
            {**view, "at_seq": 2**60},
            {**view, "at_seq": 1.0},
            {**view, "at_seq": None},
            {**view, "game": "x" * 65},
            {**view, "game": "\ud800"},
            {**view, "audience": ["public"]},
            {"type": "create_game", "request": 9, "title": "x", "options": {"x": "\ud800"}}
            | {"delay_s": 0},
            {"type": "choices", "request": 9, "game": game, "seat": "a", "picks": ["\udfff"]},
            {
                "type": "say",
                "request": 9,
                "game": game,
                "room": "players",
                "seat": "a",
                "text": "\ud800",
            },
            {**view, "more": 1},
            {key: value for key, value in view.items() if key != "game"},
            {"type": "witness", "request": 9, "game": game, "seat": "a", "key": "AA==", "seq": 1}
            | {"hash": "", "signature": ""},
        ]
        for told in wrong:
            answer = await one.ask(told)
            assert (answer["type"], answer["code"]) == ("error", "malformed"), told
            assert not answer["fatal"]
        assert (await one.ask(view))["type"] == "view_is"

        binary = await w.up.client()
        form = ("games", 77, "", "", 5000)
        await binary.stream.send_all(frame(canon.pack(form)))
        binary.session.open[77] = m.Games
        answer = await binary.hear()
        assert (answer.request, answer.code, answer.fatal) == (77, "malformed", False)
        assert type(await binary.ask(m.Ping)) is m.Pong


async def test_frames_of_the_other_kind_are_refused(tmp_path: Path) -> None:
    """A binary frame where JSON was asked for ends the connection; another subprotocol is not
    granted."""
    async with web(tmp_path) as w:
        one = await spoken(w)
        await one.socket.say(BytesMessage(data=b"\x92\xa4ping\x01"))
        answer = await one.hear()
        assert answer["fatal"] and "text" in dict(answer["say"]["args"])["what"]
        with pytest.raises(Refused):
            await opened(w.pipe(), subprotocol="warledger.xml")


async def test_mutated_messages_harm_nobody(tmp_path: Path, autojump_clock: MockClock) -> None:
    """Texts of messages with parts cut out, doubled and put elsewhere: an answer or an end, never a
    fault."""
    seed = 18
    rng = random.Random(seed)
    good = json.dumps(
        {"type": "choices", "request": 7, "game": "x", "seat": "a", "picks": ["a", 1]}
    )
    async with web(tmp_path) as w:
        one = await spoken(w)
        for _ in range(300):
            at, end = sorted(rng.randrange(len(good) + 1) for _ in range(2))
            told = rng.choice(
                (
                    good[:at] + good[end:],
                    good[:at] + good[at:end] * 2 + good[end:],
                    good[:at]
                    + rng.choice(('"', "}", "[", "\\u0000", "1e999", "null"))
                    + good[end:],
                )
            )
            await one.say(told)
            answer = await one.hear()
            assert answer is not None and answer["type"] == "error", f"seed {seed}: {told}"
            if answer["fatal"]:
                one = await spoken(w)
        assert w.up.hub.metrics.faults == 0, f"seed {seed}"
