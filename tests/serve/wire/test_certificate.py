"""`serve --tls-self-signed`: a certificate that the server makes itself, and what it is good
for."""

import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import trio

from tests.serve.wire.test_sockets import serving
from warledger.clients.link import connect
from warledger.engine.serve.config import BadConfig, Config
from warledger.engine.serve.wire.certificate import CERTIFICATE_FILE, KEY_FILE, own_certificate

NOW_MS = int(datetime(2030, 1, 1, tzinfo=UTC).timestamp() * 1000)


def later(**given: int) -> int:
    """A time so much after NOW_MS."""
    return NOW_MS + int(timedelta(**given).total_seconds() * 1000)


def test_it_is_kept_until_a_month_before_its_end_or_a_new_name(tmp_path: Path) -> None:
    """Each start uses the same one; one that soon ends, or lacks a name, is made anew. Only its
    owner may read the key."""
    first = own_certificate(tmp_path, ["localhost", "127.0.0.1"], NOW_MS)
    assert (tmp_path / KEY_FILE).stat().st_mode & 0o777 == 0o600
    assert own_certificate(tmp_path, ["127.0.0.1", "localhost"], later(days=300)) == first
    assert own_certificate(tmp_path, ["localhost"], later(days=300)) == first
    named = own_certificate(tmp_path, ["localhost", "games.example.org"], later(days=300))
    assert named.fingerprint != first.fingerprint
    assert (
        own_certificate(tmp_path, ["localhost"], later(days=300 + 370)).fingerprint
        != named.fingerprint
    )


def test_a_damaged_one_is_told(tmp_path: Path) -> None:
    """What to do stands in the message."""
    own_certificate(tmp_path, ["localhost"], NOW_MS)
    (tmp_path / CERTIFICATE_FILE).write_text("nonsense")
    with pytest.raises(BadConfig, match="remove both"):
        own_certificate(tmp_path, ["localhost"], NOW_MS)


def test_two_ways_at_once_are_refused(tmp_path: Path) -> None:
    """A certificate is given or made, not both."""
    (tmp_path / "x.pem").touch()
    with pytest.raises(BadConfig, match="tls-self-signed"):
        Config(
            tmp_path, tls_cert=tmp_path / "x.pem", tls_key=tmp_path / "x.pem", tls_self_signed=True
        )


async def test_a_client_that_trusts_the_file_connects_and_another_does_not(tmp_path: Path) -> None:
    """Over TLS: with the server's file by its name and by its address; without it the handshake
    fails."""
    data = tmp_path / "data"
    async with serving(data, tls_self_signed=True, stop_seconds=0.5) as up:
        assert up.fingerprint.count(":") == 31
        trusted = ssl.create_default_context(cafile=str(data / CERTIFICATE_FILE))
        for host in ("localhost", "127.0.0.1"):
            with trio.fail_after(20):
                async with connect(host, up.port, tls=trusted) as link:
                    assert await link.games() == []
        with pytest.raises(Exception, match=r"(?i)certificate"), trio.fail_after(20):
            strange = ssl.create_default_context()
            async with connect("127.0.0.1", up.port, tls=strange, patience_s=0.1):
                pass
