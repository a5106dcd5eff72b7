"""Under which names the gateway answers, and what two lengths of one request come to."""

from pathlib import Path

import pytest

from tests.gateway.rig import web


async def test_a_named_server_answers_under_its_names_alone(tmp_path: Path) -> None:
    """Also under numeric addresses and localhost, which nobody can point elsewhere, and through its
    proxy; a server without a name answers under any."""
    foreign = {"Host": "evil.example.net"}
    async with web(tmp_path, names=("club.example.org",), is_named=True) as w:
        for host in ("club.example.org", "CLUB.example.org:8080", "localhost", "192.0.2.7:80"):
            assert (await w.get("/api/server", headers={"Host": host})).status == 200, host
        for host in ("evil.example.net", "club.example.org.evil.example.net", "localhost.evil"):
            for path in ("/", "/api/games", "/ws"):
                assert (await w.get(path, headers={"Host": host})).status == 421, (host, path)
        assert w.up.hub.metrics.faults == 0
    async with web(tmp_path, is_named=True, proxies=("memory",)) as w:
        assert (await w.get("/api/server", headers=foreign)).status == 200
    async with web(tmp_path) as w:
        assert (await w.get("/api/server", headers=foreign)).status == 200


@pytest.mark.parametrize("first", [True, False])
async def test_two_lengths_end_the_connection(tmp_path: Path, first: bool) -> None:
    """Whoever sends both may have shown a proxy another request than us."""
    lengths = [b"Content-Length: 4\r\n", b"Transfer-Encoding: chunked\r\n"]
    head = b"".join(lengths if first else lengths[::-1])
    async with web(tmp_path) as w:
        answer = await w.raw(
            b"GET / HTTP/1.1\r\nHost: x\r\n" + head + b"\r\n0\r\n\r\nGET /api HTTP/1.1\r\n\r\n"
        )
        assert answer.status == 400 and answer.headers["connection"] == "close"
