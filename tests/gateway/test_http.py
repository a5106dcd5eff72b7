"""Requests and answers: files, ETags, compression, statuses, bounds."""

import gzip
from pathlib import Path

import h11
import pytest
import trio
import trio.testing

from tests.gateway.rig import HOST, PAGE, fetch, hear, opened, web
from warledger.engine.serve.config import BadConfig, Config, HttpLimits
from warledger.engine.serve.http import http1, routes
from warledger.engine.serve.http.http1 import OF_DOCUMENTS, POLICY, accepts, matches
from warledger.engine.serve.http.pagefiles import OFTEN, Files

MockClock = trio.testing.MockClock


async def test_the_page_and_its_files(tmp_path: Path) -> None:
    """The page is served at / and at its sections' addresses, its files at their paths, each with
    its type."""
    async with web(tmp_path) as w:
        for path in ("/", "/lobby", "/archive", "/game/abc", "/game/abc/12", "/index.html"):
            answer = await w.get(path)
            assert (answer.status, answer.body.decode()) == (200, PAGE["index.html"]), path
            assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert (await w.get("/main.js")).headers["content-type"] == "text/javascript; charset=utf-8"
        assert (await w.get("/css/board.css")).body.decode() == PAGE["css/board.css"]


@pytest.mark.parametrize(
    "path",
    [
        "/_hidden.js",
        "/.secret.js",
        "/notes.md",
        "/css",
        "/css/",
        "/nothing",
        "/api",
        "/api/titles/none/board",
    ],
)
async def test_what_is_not_there(tmp_path: Path, path: str) -> None:
    """Hidden files, other kinds of files, folders and unknown paths are 404."""
    async with web(tmp_path) as w:
        assert (await w.get(path)).status == 404


@pytest.mark.parametrize(
    "path",
    [
        "/../secret.txt",
        "/css/../../secret.txt",
        "/%2e%2e/secret.txt",
        "/..%2fsecret.txt",
        "/css/..%5c..%5csecret.txt",
        "//etc/passwd",
        "/%2fetc%2fpasswd",
        "/css/./board.css",
        "/main.js%00.html",
        "/main.js/",
    ],
)
async def test_no_path_leads_out_of_the_page(tmp_path: Path, path: str) -> None:
    """A path is a name, not a way: whatever is tried, nothing outside is found."""
    folder = tmp_path / "page"
    folder.mkdir()
    (tmp_path / "secret.txt").write_text("the secret")
    async with web(folder) as w:
        answer = await w.get(path)
        assert answer.status == 404
        assert b"secret" not in answer.body


async def test_every_answer_is_locked_down(tmp_path: Path) -> None:
    """Files, errors and data carry the policy and the other headers; the policy allows nothing
    inline and nothing from elsewhere."""
    assert "unsafe" not in POLICY
    assert "http" not in POLICY
    assert "*" not in POLICY
    async with web(tmp_path) as w:
        for path in ("/", "/shell.js", "/nothing", "/health", "/api/titles", "/metrics"):
            headers = (await w.get(path)).headers
            assert headers["content-security-policy"] == POLICY
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["referrer-policy"] == "no-referrer"
            assert headers["cross-origin-opener-policy"] == "same-origin"
            assert "set-cookie" not in headers, "a session is a token in the page, never a cookie"


async def test_named_sites_alone_may_show_the_page_in_a_frame(tmp_path: Path) -> None:
    """With two origins named the policy names them as ancestors, and nothing else of it changes; a
    name that is not an origin, or that would smuggle in a directive, is refused."""
    sites = ("https://publisher.example.org", "https://club.example.org:8443")
    async with web(tmp_path, frames=sites) as w:
        told = (await w.get("/")).headers["content-security-policy"]
        assert told == POLICY.replace(
            "frame-ancestors 'none'", "frame-ancestors " + " ".join(sites)
        )
    for wrong in ("publisher.example.org", "https://a.example/path", "https://a.example;x", "*"):
        with pytest.raises(BadConfig):
            Config(tmp_path, frames=(wrong,))


async def test_a_known_version_is_not_sent_again(tmp_path: Path) -> None:
    """An ETag sent back gives 304 without a body, compressed or not; another one gives the
    whole."""
    async with web(tmp_path) as w:
        for encoding in ({}, {"Accept-Encoding": "gzip"}, {"Accept-Encoding": "gzip, br"}):
            first = await w.get("/main.js", headers=encoding)
            again = await w.get(
                "/main.js", headers={**encoding, "If-None-Match": first.headers["etag"]}
            )
            assert (again.status, again.body, again.headers["etag"]) == (
                304,
                b"",
                first.headers["etag"],
            )
            assert "content-length" not in again.headers
            assert (
                await w.get("/main.js", headers={**encoding, "If-None-Match": '"other"'})
            ).status == 200
        assert (await w.get("/main.js", headers={"If-None-Match": "*"})).status == 304


async def test_brotli_for_those_who_take_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever takes Brotli gets it, under a tag of its own and smaller than gzip; a Python without
    it serves gzip."""
    brotli = pytest.importorskip("brotli")
    taken = {"Accept-Encoding": "gzip, deflate, br, zstd"}
    async with web(tmp_path / "a") as w:
        plain, gz, br = [
            await w.get("/main.js", headers=headers)
            for headers in ({}, {"Accept-Encoding": "gzip"}, taken)
        ]
        assert brotli.decompress(br.body) == plain.body
        assert (br.headers["content-encoding"], br.headers["vary"]) == ("br", "Accept-Encoding")
        assert len({plain.headers["etag"], gz.headers["etag"], br.headers["etag"]}) == 3
        assert len(br.body) < len(gz.body)
    monkeypatch.setattr(http1, "brotli", None)
    async with web(tmp_path / "b") as w:
        assert (await w.get("/main.js", headers=taken)).headers["content-encoding"] == "gzip"


async def test_what_is_asked_for_often_is_compressed_better(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A script that has been asked for often comes in fewer bytes from then on, unpacks to the same
    and keeps its tag, so that nobody fetches it anew. It is compressed again once, a page never."""
    brotli = pytest.importorskip("brotli")
    taken = {"Accept-Encoding": "br"}
    done = trio.Event()
    squeezed: list[str] = []
    real = Files.squeeze

    def squeeze(self: Files, path: str) -> None:
        real(self, path)
        squeezed.append(path)
        trio.from_thread.run_sync(done.set)

    monkeypatch.setattr(Files, "squeeze", squeeze)
    (tmp_path / "long.js").write_text(
        "".join(f"f{n * n % 97}({n}, {n * 7 % 13});\n" for n in range(2000))
    )
    async with web(tmp_path) as w:
        first = await w.get("/long.js", headers=taken)
        for _ in range(OFTEN - 2):
            assert (await w.get("/long.js", headers=taken)).body == first.body
        assert not squeezed
        await w.get("/long.js", headers=taken)
        with trio.fail_after(30):
            await done.wait()
        later = await w.get("/long.js", headers=taken)
        assert len(later.body) < len(first.body)
        assert brotli.decompress(later.body) == brotli.decompress(first.body)
        assert later.headers["etag"] == first.headers["etag"]
        again = {**taken, "If-None-Match": first.headers["etag"]}
        assert (await w.get("/long.js", headers=again)).status == 304
    files = Files(tmp_path)
    for path, times in {"/long.js": 1, "/": 0, "/index.html": 0, "/not.js": 0}.items():
        assert sum(files.is_often(path) for _ in range(3 * OFTEN)) == times


async def test_parts_of_the_page_carry_no_headers_of_documents(tmp_path: Path) -> None:
    """Scripts and style sheets leave out what a browser heeds with documents only; pages, pictures
    (which are documents if they are opened) and the worker carry everything."""
    async with web(tmp_path) as w:
        for path, part in (
            ("/main.js", True),
            ("/css/board.css", True),
            ("/shell.js", False),
            ("/", False),
            ("/icon.svg", False),
            ("/api/server", False),
            ("/nothing.js", False),
        ):
            got = await w.get(path)
            carried = {name for name in OF_DOCUMENTS if name.lower() in got.headers}
            assert carried == (set() if part else OF_DOCUMENTS), path
            assert got.headers["x-content-type-options"] == "nosniff", path


async def test_data_that_a_script_reads_carries_no_headers_of_documents(tmp_path: Path) -> None:
    """Data that a page's script asks for, as browsers say, leaves out what is heeded with documents
    only; data that is opened carries it, and so does whatever can have scripts of its own, since a
    browser may keep it and open it later."""
    async with web(tmp_path) as w:
        for path, asked, part in (
            ("/api/server", "empty", True),
            ("/api/server", "document", False),
            ("/api/server", "", False),
            ("/", "empty", False),
            ("/shell.js", "empty", False),
            ("/icon.svg", "empty", False),
            ("/api/nothing", "empty", False),
        ):
            got = await w.get(path, headers={"Sec-Fetch-Dest": asked} if asked else {})
            carried = {name for name in OF_DOCUMENTS if name.lower() in got.headers}
            assert carried == (set() if part else OF_DOCUMENTS), (path, asked)
            assert got.headers["x-content-type-options"] == "nosniff", path


async def test_compressed_for_those_who_take_it(tmp_path: Path) -> None:
    """Long files are compressed for a client that takes gzip, under another ETag; short ones
    never."""
    async with web(tmp_path) as w:
        plain, packed = (
            await w.get("/main.js"),
            await w.get("/main.js", headers={"Accept-Encoding": "deflate, gzip;q=0.5"}),
        )
        assert gzip.decompress(packed.body) == plain.body
        assert (packed.headers["content-encoding"], packed.headers["vary"]) == (
            "gzip",
            "Accept-Encoding",
        )
        assert packed.headers["etag"] != plain.headers["etag"]
        assert (
            "content-encoding"
            not in (await w.get("/css/board.css", headers={"Accept-Encoding": "gzip"})).headers
        )


@pytest.mark.parametrize(
    ("header", "takes"),
    [
        ("gzip", True),
        ("", False),
        ("*", True),
        ("gzip;q=0", False),
        ("gzip; q=0.0, *", False),
        ("br", False),
        ("GZIP;Q=0.1", True),
    ],
)
def test_accept_encoding(header: str, takes: bool) -> None:
    """Weights and stars count."""
    assert accepts("gzip", header) is takes


def test_if_none_match() -> None:
    """Lists, weak tags and the compressed form match; parts of a tag do not."""
    assert matches('"x", W/"abc"', "abc")
    assert matches('"abc-gz"', "abc")
    assert not matches('"ab"', "abc")
    assert not matches("", "abc")


async def test_head_tells_what_get_would(tmp_path: Path) -> None:
    """HEAD gives GET's headers without its body, and the socket can be used on."""
    async with web(tmp_path) as w:
        stream, speaker = w.pipe(), h11.Connection(h11.CLIENT)
        for path in ("/", "/main.js", "/api/games", "/nothing", "/health"):
            head = await fetch(stream, speaker, path, method="HEAD")
            got = await fetch(stream, speaker, path)
            assert (head.status, head.body) == (got.status, b"")
            assert (
                head.headers["content-length"]
                == str(len(got.body))
                == got.headers["content-length"]
            )


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "BREW"])
async def test_nothing_is_changed_by_http(tmp_path: Path, method: str) -> None:
    """Other methods get 405 with what is allowed, and the socket goes on."""
    async with web(tmp_path) as w:
        stream, speaker = w.pipe(), h11.Connection(h11.CLIENT)
        answer = await fetch(stream, speaker, "/api/games", method=method, body=b"{}")
        assert (answer.status, answer.headers["allow"]) == (405, "GET, HEAD")
        assert (await fetch(stream, speaker, "/")).status == 200


async def test_bounds_on_what_is_sent(tmp_path: Path) -> None:
    """Too long an address is 414, too long or too many headers 431, too long a body 413, announced
    or not."""
    async with web(
        tmp_path,
        limits=HttpLimits(header_bytes=4096, target_bytes=100, body_bytes=1000, headers=20),
    ) as w:
        assert (await w.get("/" + "x" * 200)).status == 414
        assert (await w.get("/", headers={"X-Long": "x" * 5000})).status == 431
        assert (await w.get("/", headers={f"X-{n}": "x" for n in range(30)})).status == 431
        assert (await w.get("/", method="POST", body=b"x" * 2000)).status == 413
        assert (
            await w.raw(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n")
        ).status == 413
        chunks = b"800\r\n" + b"x" * 2048 + b"\r\n0\r\n\r\n"
        assert (
            await w.raw(
                b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks
            )
        ).status == 413
        assert (await w.raw(b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"y" * 9000)).status == 431
        assert (await w.get("/")).status == 200


@pytest.mark.parametrize(
    "data",
    [
        b"\x00\x01\x02\r\n\r\n",
        b"GET /\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\n bad: fold\r\nbad\r\n\r\n",
        b"GET /%ff HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET ftp://x/ HTTP/1.1\r\nHost: x\r\n\r\n",
        b"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    ],
)
async def test_nonsense_is_400(tmp_path: Path, data: bytes) -> None:
    """What is no HTTP, or not ours, is answered 400 in words."""
    async with web(tmp_path) as w:
        answer = await w.raw(data)
        assert answer.status == 400
        assert answer.body
        assert w.up.hub.metrics.faults == 0


async def test_other_forms_of_a_request(tmp_path: Path) -> None:
    """The absolute form is served like the usual one, HTTP/1.0 too, and pipelined requests are
    answered in order."""
    async with web(tmp_path) as w:
        assert (
            await w.raw(b"GET http://other/main.js HTTP/1.1\r\nHost: other\r\n\r\n")
        ).status == 200
        assert (await w.raw(b"GET /main.js HTTP/1.0\r\n\r\n")).status == 200
        assert (await w.raw(b"GET /main.js HTTP/2.0\r\nHost: x\r\n\r\n")).status == 505
        stream = w.pipe()
        await stream.send_all(
            b"".join(
                f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode()
                for path in ("/main.js", "/nothing", "/css/board.css")
            )
        )
        speaker = h11.Connection(h11.CLIENT)
        for status in (200, 404, 200):
            speaker.send(h11.Request(method="GET", target="/", headers=[("Host", HOST)]))
            speaker.send(h11.EndOfMessage())
            assert (await hear(stream, speaker)).status == status


async def test_nonsense_after_a_head_is_answered(tmp_path: Path) -> None:
    """What is answered to nonsense does not depend on the request before it."""
    async with web(tmp_path) as w:
        stream, speaker = w.pipe(), h11.Connection(h11.CLIENT)
        assert (await fetch(stream, speaker, "/", method="HEAD")).status == 200
        await stream.send_all(b"nonsense\r\n\r\n")
        speaker.send(h11.Request(method="GET", target="/", headers=[("Host", HOST)]))
        speaker.send(h11.EndOfMessage())
        assert (await hear(stream, speaker)).status == 400
        assert w.up.hub.metrics.faults == 0


async def test_slow_and_silent_sockets_are_closed(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    """A request that dribbles is told 408; a socket that says nothing is closed; one between two
    requests has its own time."""
    async with web(tmp_path, limits=HttpLimits(request_seconds=5, idle_seconds=20)) as w:
        silent = w.pipe()
        began = trio.current_time()
        assert await silent.receive_some(1) == b""
        assert 19 < trio.current_time() - began < 23
        stream, speaker = w.pipe(), h11.Connection(h11.CLIENT)
        assert (await fetch(stream, speaker, "/")).status == 200
        await trio.sleep(15)
        assert (await fetch(stream, speaker, "/")).status == 200
        began = trio.current_time()
        async with trio.open_nursery() as nursery:

            async def dribble() -> None:
                for byte in b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: " + b"x" * 100:
                    await stream.send_all(bytes((byte,)))
                    await trio.sleep(0.3)

            nursery.start_soon(dribble)
            speaker.send(h11.Request(method="GET", target="/", headers=[("Host", HOST)]))
            speaker.send(h11.EndOfMessage())
            assert (await hear(stream, speaker)).status == 408
            assert trio.current_time() - began < 7
            nursery.cancel_scope.cancel()


async def test_requests_a_second_from_an_address(tmp_path: Path, autojump_clock: MockClock) -> None:
    """Beyond its rate an address is told 429 and when to come again; another address is not
    touched; later it is served again."""
    async with web(tmp_path, limits=HttpLimits(requests_per_second=2, requests_burst=5)) as w:

        async def ask(peer: str) -> int:
            stream = w.pipe(peer)
            answer = await fetch(stream, h11.Connection(h11.CLIENT), "/main.js")
            await stream.aclose()
            if answer.status == 429:
                assert int(answer.headers["retry-after"]) >= 1
            return answer.status

        assert [await ask("one") for _ in range(7)] == [200] * 5 + [429] * 2
        assert await ask("two") == 200
        await trio.sleep(1)
        assert await ask("one") == 200


async def test_a_proxy_is_believed_and_nobody_else(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    """Bounds count by whom our proxy names last; a stranger who names others counts as himself."""
    limits = HttpLimits(requests_per_second=1, requests_burst=2, sockets_per_address=1)
    async with web(tmp_path, limits=limits, proxies=("10.0.0.1",)) as w:

        async def ask(peer: str, whom: str) -> int:
            stream = w.pipe(peer)
            answer = await fetch(
                stream, h11.Connection(h11.CLIENT), "/main.js", headers={"X-Forwarded-For": whom}
            )
            await stream.aclose()
            return answer.status

        assert [await ask("10.0.0.1", f"9.9.9.9, 1.1.1.{n}") for n in range(5)] == [200] * 5
        assert [await ask("10.0.0.1", "1.1.1.9") for _ in range(3)] == [200, 200, 429]
        assert [await ask("2.2.2.2", f"1.1.2.{n}") for n in range(3)] == [200, 200, 429]
        held = [w.pipe("10.0.0.1") for _ in range(3)]
        await trio.testing.wait_all_tasks_blocked()
        assert w.gateway._has_room("10.0.0.1")
        for stream in held:
            await stream.aclose()
        spectator = await opened(w.pipe("10.0.0.1"), headers={"X-Forwarded-For": "3.3.3.3"})
        await trio.testing.wait_all_tasks_blocked()
        assert [connection.address for connection in w.up.hub.connections] == ["3.3.3.3"]
        await spectator.aclose()


async def test_a_bug_is_500_and_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bug of ours gives 500 without its words, is counted and logged, and the next request is
    served."""
    async with web(tmp_path) as w:

        async def broken(*request: object) -> None:
            raise RuntimeError("the secret word is zebra")

        monkeypatch.setattr(routes, "find", broken)
        answer = await w.get("/api/games")
        assert (answer.status, w.up.hub.metrics.faults) == (500, 1)
        assert b"zebra" not in answer.body
        assert "zebra" not in w.up.log.getvalue()
        assert (await w.get("/")).status == 200
