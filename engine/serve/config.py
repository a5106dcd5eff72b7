"""What an operator may set, and the bounds on everything a stranger can send."""

from pathlib import Path

from attrs import field, frozen

from engine.runtime.supervisor import Tending


class BadConfig(ValueError):
    """A setting that cannot be; the message says what to do."""


@frozen
class Limits:
    """Bounds on peers; seconds and counts.

    connections                 open at a time, in all
    connections_per_address     the same from one address
    strangers_per_address       of these, not logged in yet
    login_seconds               time to log in
    logins_failed               tries before the connection ends
    frames_per_second           of one connection, over a while; a faster one is read more slowly
    frames_burst                frames that may come at once before that
    stall_seconds               a connection that takes nothing for so long is closed (it may come back and resume)
    subscriptions               of one connection
    """

    connections: int = 10_000
    connections_per_address: int = 4096
    strangers_per_address: int = 128
    login_seconds: float = 10.0
    logins_failed: int = 3
    frames_per_second: float = 2000.0
    frames_burst: int = 4000
    stall_seconds: float = 120.0
    subscriptions: int = 256

    def announced(self) -> dict[str, int]:
        """The bounds a client is told in Welcome."""
        return {
            "frames_per_second": int(self.frames_per_second),
            "login_seconds": int(self.login_seconds),
            "subscriptions": self.subscriptions,
        }


@frozen
class Config:
    """A server's settings. `data` is its data directory; port 0 takes a free one."""

    data: Path
    host: str = "127.0.0.1"
    port: int = 7470
    tls_cert: Path | None = None
    tls_key: Path | None = None
    log_level: str = "info"
    stop_seconds: float = 10.0
    limits: Limits = field(factory=Limits)
    tending: Tending = field(factory=Tending)

    def __attrs_post_init__(self) -> None:
        if (self.tls_cert is None) != (self.tls_key is None):
            raise BadConfig("TLS needs both a certificate and a key: give --tls-cert and --tls-key")
        for path in (self.tls_cert, self.tls_key):
            if path is not None and not path.is_file():
                raise BadConfig(f"there is no file {path}")
        if not 0 <= self.port <= 65535:
            raise BadConfig(f"{self.port} is no port; use one from 1 to 65535, or 0 for any that is free")


def address(text: str, port: int = 7470) -> tuple[str, int]:
    """HOST:PORT, [IPv6]:PORT, HOST or :PORT. Raises BadConfig."""
    host, colon, tail = text.rpartition(":")
    if text.startswith("[") and text.endswith("]"):
        return text[1:-1], port
    if not colon or (host and ":" in host and not host.startswith("[")):
        return text, port
    if not tail.isdigit() or not 0 <= int(tail) <= 65535:
        raise BadConfig(f"{text!r} is no HOST:PORT")
    return host.strip("[]") or "127.0.0.1", int(tail)
