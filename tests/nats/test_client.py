"""The client against real servers: what it says arrives, what it hears is whole, and whatever
breaks is told."""

from __future__ import annotations

import asyncio
import signal
import ssl
from pathlib import Path
from typing import Any

import nats as theirs
import pytest
import trio
import trio.testing
import trustme
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.nats.rig import Nats, client, nats, ready
from warledger.engine.nats import natsclient as ours
from warledger.engine.nats.natsport import (
    Forbidden,
    Missed,
    NoResponders,
    NotSent,
    TooLarge,
    Unknown,
)
from warledger.engine.nats.nkeys import UserKey


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """One server that the tests of this file share."""
    with nats(tmp_path_factory.mktemp("nats")) as running:
        yield running


async def test_what_is_published_is_heard_with_its_headers(server: Nats) -> None:
    """In the order in which it was said."""
    async with client(server.settings()) as here, client(server.settings()) as there:
        await ready(here)
        await ready(there)
        heard = there.subscribe("a.*")
        await there.request("$SYS.REQ.USER.INFO", seconds=5)  # the server knows the subscription
        for n in range(50):
            here.publish(f"a.{n}", b"x" * n, headers={"N": str(n)} if n % 2 else None)
        got = [await heard.receive() for _ in range(50)]
        assert [(one.subject, len(one.payload)) for one in got] == [
            (f"a.{n}", n) for n in range(50)
        ]
        assert [one.headers for one in got[:2]] == [{}, {"N": "1"}]


async def test_a_request_is_answered_or_says_why_not(server: Nats) -> None:
    """Nobody there, an answer, none in time, and too much for the server."""
    async with client(server.settings()) as one:
        await ready(one)
        with pytest.raises(NoResponders):
            await one.request("nobody", seconds=5)
        asked = one.subscribe("somebody")
        async with trio.open_nursery() as nursery:

            async def answer() -> None:
                question = await asked.receive()
                one.publish(question.reply, question.payload * 2)

            nursery.start_soon(answer)
            assert (await one.request("somebody", b"ab", seconds=5)).payload == b"abab"
        with pytest.raises(Unknown):
            await one.request("somebody", b"", seconds=0.01)
        with pytest.raises(TooLarge):
            one.publish("a", bytes(one.max_payload + 1))


async def test_each_request_has_its_own_time(server: Nats) -> None:
    """One that may take long does not keep another waiting, nor does one whose task was cancelled;
    whoever is cancelled hears nothing, but for a request that is shielded."""
    async with client(server.settings()) as one:
        await ready(one)
        asked = one.subscribe("silent")
        ended: list[float] = []

        async def ask(seconds: float) -> None:
            with pytest.raises(Unknown):
                await one.request("silent", seconds=seconds)
            ended.append(seconds)

        with trio.fail_after(20):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(ask, 60)
                await asked.receive()
                for seconds in (0.4, 0.1, 0.8):
                    nursery.start_soon(ask, seconds)
                with trio.move_on_after(0.02) as cancelled:
                    await one.request("silent", seconds=0.05)
                assert cancelled.cancelled_caught
                with trio.move_on_after(0.02) as cancelled:
                    with pytest.raises(Unknown, match=r"0\.05 seconds"):
                        await one.request("silent", seconds=0.05, shield=True)
                assert not cancelled.cancelled_caught
                while len(ended) < 3:
                    await trio.testing.wait_all_tasks_blocked(0.05)
                assert ended == [0.1, 0.4, 0.8]
                nursery.cancel_scope.cancel()


async def test_a_broken_connection_ends_requests_at_once_and_subscriptions_go_on(
    tmp_path: Path,
) -> None:
    """The gap is told once, nothing is sent meanwhile, and the next server takes over."""
    with nats(tmp_path / "a") as first, nats(tmp_path / "b") as second:
        settings = ours.Settings((first.address, second.address))
        async with client(settings) as one:
            await ready(one)
            assert one.server == first.address
            heard = one.subscribe("a")
            silent = one.subscribe("silent")
            async with trio.open_nursery() as nursery:

                async def ask() -> None:
                    with pytest.raises(Unknown):
                        await one.request("silent", seconds=60)

                nursery.start_soon(ask)
                await silent.receive()
                first.process.kill()
            with pytest.raises(NotSent):
                one.publish("a", b"")
            await ready(one)
            assert one.server == second.address
            one.publish("a", b"again")
            with pytest.raises(Missed):
                await heard.receive()
            assert (await heard.receive()).payload == b"again"


async def test_a_server_that_hangs_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It does not answer a ping, though its sockets are open."""
    monkeypatch.setattr(ours, "PING_SECONDS", 0.1)
    with nats(tmp_path / "a") as first, nats(tmp_path / "b") as second:
        async with client(ours.Settings((first.address, second.address))) as one:
            await ready(one)
            first.tell(signal.SIGSTOP)
            with trio.fail_after(20):
                while one.server != second.address:
                    await trio.lowlevel.checkpoint()
                    await one.connected()


async def test_a_server_that_is_about_to_stop_is_left_before_it_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its "lame duck" notice is heeded."""
    monkeypatch.setattr(ours, "PING_SECONDS", 0.1)
    with nats(tmp_path / "a") as first, nats(tmp_path / "b") as second:
        async with client(ours.Settings((first.address, second.address))) as one:
            await ready(one)
            first.tell(signal.SIGUSR2)
            with trio.fail_after(20):
                while one.server != second.address:
                    await trio.lowlevel.checkpoint()
                    await one.connected()
            assert first.process.poll() is None


async def test_a_server_that_commits_nothing_is_left_when_told(
    server: Nats, tmp_path: Path
) -> None:
    """And is tried last for a while, wherever it stands in the list."""
    with nats(tmp_path / "b") as second:
        async with client(ours.Settings((server.address, second.address))) as one:
            await ready(one)
            one.leave("it commits nothing")
            with pytest.raises(NotSent):
                while True:
                    one.publish("a", b"")
                    await trio.lowlevel.checkpoint()
            assert (await ready(one)).server == second.address


async def test_a_slow_reader_is_told_what_it_lost(
    server: Nats, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What comes after it has been told is whole again."""
    monkeypatch.setattr(ours, "UNREAD_BYTES_MAX", 1000)
    async with client(server.settings()) as one:
        await ready(one)
        slow, done = one.subscribe("a"), one.subscribe("b")
        for n in range(10):
            one.publish("a", bytes([n]))
        one.publish("b", b"")
        await done.receive()
        with pytest.raises(Missed):
            await slow.receive()
        one.publish("a", b"next")
        assert (await slow.receive()).payload == b"next"


async def test_nothing_waits_without_bound(server: Nats, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever says more than the network takes is told so."""
    monkeypatch.setattr(ours, "WAITING_BYTES_MAX", 1000)
    async with client(server.settings()) as one:
        await ready(one)
        with pytest.raises(NotSent):
            for _ in range(10):
                one.publish("a", bytes(200))


async def test_a_key_is_asked_for_and_rights_are_kept(tmp_path: Path) -> None:
    """No key, an unknown one and a known one; and what that one may not say or hear."""
    key, stranger = UserKey.made(bytes(32)), UserKey.made(bytes([1]) * 32)
    user = {
        "nkey": key.public,
        "permissions": {"publish": ["may", "_INBOX.>"], "subscribe": ["may", "_INBOX.>"]},
    }
    with nats(tmp_path, {"authorization": {"users": [user]}}) as server:
        for wrong in (None, stranger):
            with pytest.RaisesGroup(ours.Refused):
                async with client(server.settings(key=wrong)) as one:
                    await ready(one)
        async with client(server.settings(key=key)) as one:
            await ready(one)
            with pytest.raises(Forbidden):
                await one.request("may_not", seconds=5)
            with pytest.raises(Forbidden):
                await one.subscribe("may_not").receive()
            heard = one.subscribe("may")
            one.publish("may", b"1")
            assert (await heard.receive()).payload == b"1"


@pytest.mark.parametrize("first", [False, True])
async def test_tls_is_spoken_and_certificates_are_checked(tmp_path: Path, first: bool) -> None:
    """Also where the handshake comes before the server's first word."""
    authority = trustme.CA()
    issued = authority.issue_cert("127.0.0.1")
    issued.private_key_pem.write_to_path(str(tmp_path / "key"))
    issued.cert_chain_pems[0].write_to_path(str(tmp_path / "cert"))
    tls: dict[str, Any] = {"cert_file": str(tmp_path / "cert"), "key_file": str(tmp_path / "key")}
    known = ssl.create_default_context()
    authority.configure_trust(known)
    with nats(tmp_path, {"tls": tls | {"handshake_first": first}}) as server:
        async with client(server.settings(tls=known, tls_first=first)) as one:
            await ready(one)
            with pytest.raises(NoResponders):
                await one.request("nobody", seconds=5)
        unknown = ssl.create_default_context()
        with pytest.RaisesGroup(ours.Refused):
            async with client(server.settings(tls=unknown, tls_first=first)) as one:
                await ready(one)
        if not first:
            with pytest.RaisesGroup(ours.Refused):
                async with client(server.settings()) as one:
                    await ready(one)


async def test_plain_servers_and_old_ones_are_refused(server: Nats) -> None:
    """With a sentence that says why."""
    for options, why in (
        ({"tls": ssl.create_default_context()}, "does not speak TLS"),
        ({"least": (99, 0, 0)}, "99.0.0 or later is needed"),
    ):
        with pytest.RaisesGroup(pytest.RaisesExc(ours.Refused, match=why)):
            async with client(server.settings(**options)) as one:
                await ready(one)


@pytest.mark.parametrize(
    ("version", "is_taken"), [("2.15.0", False), ("2.14.9", False), ("2.15.1", True)]
)
async def test_the_oldest_server_that_is_taken(version: str, is_taken: bool) -> None:
    """One below 2.15.1 is refused with the reason; that one is spoken to."""
    spoken_to = trio.Event()

    async def speaks(stream: trio.SocketStream) -> None:
        await stream.send_all(
            f'INFO {{"version": "{version}", "max_payload": 1048576, "headers": true}}\r\n'.encode()
        )
        if (await stream.receive_some()).startswith(b"CONNECT"):
            spoken_to.set()

    async with trio.open_nursery() as nursery:
        (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
        nursery.start_soon(trio.serve_listeners, speaks, [listener])
        there = ours.Settings((f"127.0.0.1:{listener.socket.getsockname()[1]}",))
        if is_taken:
            async with client(there):
                await spoken_to.wait()
        else:
            why = rf"{version}.*2\.15\.1 or later is needed"
            with pytest.RaisesGroup(pytest.RaisesExc(ours.Refused, match=why)):
                async with client(there) as one:
                    await ready(one)
            assert not spoken_to.is_set()
        nursery.cancel_scope.cancel()


async def test_what_is_no_nats_server_is_passed_by(server: Nats) -> None:
    """It is named in the log, and the next is tried."""
    said: list[dict[str, Any]] = []

    async def speaks(stream: trio.SocketStream) -> None:
        await stream.send_all(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    def log(event: str, **values: Any) -> None:
        said.append({"event": event, **values})

    (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
    wrong = f"127.0.0.1:{listener.socket.getsockname()[1]}"
    async with trio.open_nursery() as nursery:
        nursery.start_soon(trio.serve_listeners, speaks, [listener])
        async with client(ours.Settings((wrong, server.address), log=log)) as one:
            assert (await ready(one)).server == server.address
        nursery.cancel_scope.cancel()
    assert said[0]["server"] == wrong and "unknown operation" in said[0]["what"]


@pytest.mark.parametrize("text", ["", ":", "h:", "h:x", "h:0", "h:70000", ":4222"])
def test_what_is_no_address_is_refused(text: str) -> None:
    """Before anything is tried."""
    with pytest.raises(ValueError, match="no address"):
        ours.address(text)


def test_addresses() -> None:
    """A port may be left out, and IPv6 stands in brackets."""
    assert ours.address("h") == ("h", 4222)
    assert ours.address("[::1]:5") == ("::1", 5)
    assert ours.address("[::1]") == ("::1", 4222)


# --- beside the client of others ----------------------------------------------------------------

WORDS = st.tuples(
    st.binary(max_size=300),
    st.dictionaries(
        st.from_regex(r"\A[A-Za-z][A-Za-z0-9-]{0,9}\Z"),
        st.from_regex(r"\A[!-~]([ -~]{0,9}[!-~])?\Z"),
        max_size=3,
    ),
)


@settings(max_examples=15, deadline=None)
@given(words=st.lists(WORDS, min_size=1, max_size=8))
def test_another_library_reads_what_we_write_and_the_other_way_round(
    server: Nats, words: list[tuple[bytes, dict[str, str]]]
) -> None:
    """Payloads and headers, byte for byte."""

    async def speak() -> list[Any]:
        async with client(server.settings()) as one, trio.open_nursery() as nursery:
            await ready(one)
            heard = one.subscribe("from.them")
            nursery.start_soon(trio.to_thread.run_sync, they_run)
            await here(one)
            for payload, headers in words:
                one.publish("from.us", payload, headers=headers)
            return [await heard.receive() for _ in words]

    def they_run() -> None:
        asyncio.run(listen_and_echo())

    async def here(one: ours.Client) -> None:
        """Return once they are. Their ping may overtake their subscription."""
        while True:
            try:
                await one.request("from.us", seconds=10)
                return
            except NoResponders:
                await trio.lowlevel.checkpoint()

    async def listen_and_echo() -> None:
        them = await theirs.connect(f"nats://{server.address}")
        heard = await them.subscribe("from.us")
        await (await heard.next_msg(10)).respond(b"")
        for payload, headers in words:
            message = await heard.next_msg(10)
            assert (message.data, message.headers or {}) == (payload, headers)
            await them.publish("from.them", message.data, headers=message.headers)
        await them.close()

    got = trio.run(speak)
    assert [(one.payload, one.headers) for one in got] == words
