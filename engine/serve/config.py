"""What an operator may set, and the bounds on everything a stranger can send."""

import re
import socket
from collections.abc import Mapping
from ipaddress import ip_address
from pathlib import Path

from attrs import field, frozen

from warledger.engine.desk.mail import BadMail, read_settings
from warledger.engine.runtime.supervisor import Tending
from warledger.engine.serve.branching import ALLOWED, ENDED

_URL = re.compile(r"https?://[A-Za-z0-9.:\[\]-]{1,200}/?")
COMPRESS_DAYS = 7
COMPRESS_DAYS_MAX = 36_500
ACCOUNTS = ("invite", "open", "off")
_NAME = re.compile(r"(?!-)[A-Za-z0-9-]{1,63}(\.(?!-)[A-Za-z0-9-]{1,63})*\.?")
_ORIGIN = re.compile(r"https?://[A-Za-z0-9.:\[\]-]+")


_EVERYWHERE = frozenset(("0.0.0.0", "::"))


class BadConfig(ValueError):
    """A setting that cannot be used; the message says what to do."""


@frozen
class ServerLimits:
    """Bounds on peers; seconds and counts.

    connections                 open at a time, in all
    connections_per_address     the same from one address
    strangers_per_address       of these, not logged in yet; one more, and the oldest of them goes
    reserve                     of all connections, those that spectators leave to players
    idle_seconds                after which a spectator's connection that follows no game and asks
                                for nothing is ended
    login_seconds               time to log in
    logins_failed               tries before the connection ends
    frames_per_second           of one connection, over a while; a faster one is read more slowly
    frames_burst                frames that may come at once before that
    stall_seconds               a connection that takes nothing for so long is closed (it may come
                                back and resume)
    subscriptions               of one connection
    work_share                  seconds of computing in a second that views, boards, lists and old
                                records of one address may take
    work_burst                  the same at once, before that
    work_wait_seconds           a request that would have to wait longer for its share is refused,
                                and told when to come again
    """

    connections: int = 10_000
    connections_per_address: int = 4096
    strangers_per_address: int = 128
    reserve: int = 1000
    idle_seconds: float = 900.0
    login_seconds: float = 10.0
    logins_failed: int = 3
    frames_per_second: float = 2000.0
    frames_burst: int = 4000
    stall_seconds: float = 120.0
    subscriptions: int = 256
    work_share: float = 0.25
    work_burst: float = 2.0
    work_wait_seconds: float = 10.0

    @property
    def spectators(self) -> int:
        """How many connections may be spectators': at least half of all."""
        return max(self.connections - self.reserve, self.connections // 2)

    def announced(self) -> dict[str, int]:
        """The bounds that Welcome announces to a client."""
        return {
            "frames_per_second": int(self.frames_per_second),
            "login_seconds": int(self.login_seconds),
            "subscriptions": self.subscriptions,
        }


@frozen
class HttpLimits:
    """Bounds on those who come by HTTP; seconds, bytes and counts.

    sockets                 open at a time, in all, WebSockets not counted (those are connections:
                            `ServerLimits`)
    sockets_per_address     the same from one address
    target_bytes            of a request's path and query
    header_bytes            of a request's line and headers
    headers                 how many a request may have
    body_bytes              of a request's body; nothing here takes one, so it is read only to
                            answer and go on
    request_seconds         from a request's first byte to its last
    idle_seconds            between two requests of one socket
    stall_seconds           a peer that takes nothing of its answer for so long is closed
    requests_per_second     from one address, over a while; more are answered with 429
    requests_burst          requests that may come at once before that
    feeds                   requests at a time, in all, that wait for records to come
    feeds_per_address       the same from one address
    ping_seconds            a WebSocket that is silent so long is pinged; silent as long again, it
                            is closed
    """

    sockets: int = 4096
    sockets_per_address: int = 512
    target_bytes: int = 8192
    header_bytes: int = 16 * 1024
    headers: int = 100
    body_bytes: int = 16 * 1024
    request_seconds: float = 10.0
    idle_seconds: float = 60.0
    stall_seconds: float = 30.0
    requests_per_second: float = 200.0
    requests_burst: int = 2000
    feeds: int = 1024
    feeds_per_address: int = 64
    ping_seconds: float = 30.0


@frozen
class Config:
    """A server's settings. `data` is its data directory; port 0 takes a free one.

    `http` is the address of the page and WebSockets, None for none; `origins` are further origins
    whose pages may open a WebSocket; `page` is a folder that holds the page, read anew at each
    request, in place of the page that comes with the package; `proxies` are addresses of reverse
    proxies, which are believed when they say whom a request is from; `names` are what browsers call
    this server, beside localhost, addresses in numbers, and the name that it listens on.
    `tls_self_signed`: it speaks TLS with a certificate that it makes itself. `accounts` is who may
    make an account: whoever is invited ("invite"), anybody ("open"), or nobody ("off"); `url` is
    the page's address for links that are sent to people, and `mail` the file with the settings of a
    mail server; `frames` are the origins whose pages may show ours in a frame of theirs, none by
    default; `push` is where push services can write to the operator (`mailto:` with an address, or
    an https site), "" for no pushes; `whatif` is which games may be played on from their records by
    whoever looks at them: none ("off"), those that have ended ("ended"), or those that are being
    played too ("live"); `archive` is the folder of earlier releases, by default `archive` beside
    `data`.
    `store` is where the games are: "" for the data directory, `nats://HOST:PORT,…` for a
    fleet, of which the server is then a node; `keys` is the folder of the fleet's keys, `nkey` the
    node's own key and `nats_ca` the certificate by which the engine's servers are known, where they
    are not in that folder.
    `edge` is the same for an edge, which only shows the fleet's games, and `nodes` where it tells
    people to play. `compress_after` is how many days after its end a game's file is compressed,
    None for never. `practice` is how many games anybody may play at a time against the house's
    bots, 0 for none, and `house` the kind of player by title.
    """

    data: Path
    host: str = "127.0.0.1"
    port: int = 7470
    tls_cert: Path | None = None
    tls_key: Path | None = None
    http: tuple[str, int] | None = None
    origins: tuple[str, ...] = ()
    page: Path | None = None
    proxies: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    tls_self_signed: bool = False
    accounts: str = "invite"
    url: str = ""
    mail: Path | None = None
    log_level: str = "info"
    stop_seconds: float = 10.0
    limits: ServerLimits = field(factory=ServerLimits)
    http_limits: HttpLimits = field(factory=HttpLimits)
    tending: Tending = field(factory=Tending)
    frames: tuple[str, ...] = ()
    push: str = ""
    whatif: str = ENDED
    archive: Path | None = None
    store: str = ""
    keys: Path | None = None
    nkey: Path | None = None
    nats_ca: Path | None = None
    edge: str = ""
    nodes: str = ""
    practice: int = 0
    house: Mapping[str, str] = field(factory=dict)
    compress_after: int | None = COMPRESS_DAYS

    @property
    def secure(self) -> bool:
        """Whether it speaks TLS."""
        return self.tls_self_signed or self.tls_cert is not None

    @property
    def own_names(self) -> tuple[str, ...]:
        """The names and addresses by which it is reached as far as it knows: what a certificate of
        its own speaks for."""
        listened = (self.host, *(() if self.http is None else self.http[:1]))
        known = (name for name in listened if name and name not in _EVERYWHERE)
        return tuple(
            dict.fromkeys(
                ("localhost", "127.0.0.1", "::1", socket.gethostname(), *known, *self.names)
            )
        )

    def __attrs_post_init__(self) -> None:
        if (self.tls_cert is None) != (self.tls_key is None):
            raise BadConfig("TLS needs both a certificate and a key: give --tls-cert and --tls-key")
        if self.tls_self_signed and self.tls_cert is not None:
            raise BadConfig(
                "--tls-self-signed makes a certificate: do not give --tls-cert and "
                "--tls-key as well"
            )
        for path in (self.tls_cert, self.tls_key):
            if path is not None and not path.is_file():
                raise BadConfig(f"there is no file {path}")
        for port in (self.port, *(() if self.http is None else self.http[1:])):
            if not 0 <= port <= 65535:
                raise BadConfig(
                    f"{port} is not a port; use one from 1 to 65535, or 0 for any free port"
                )
        if self.edge and (self.store or self.practice):
            raise BadConfig("an edge only shows games: leave out --store and --practice-games")
        if self.nodes and not self.edge:
            raise BadConfig("--nodes says where to play for those who come to an edge: give --edge")
        if self.store and self.practice:
            raise BadConfig("the bots play on a server of its own games: leave out --store")
        if self.compress_after is not None and not 0 <= self.compress_after <= COMPRESS_DAYS_MAX:
            raise BadConfig(
                f"{self.compress_after} is no number of days after which finished games are "
                f"compressed; use one from 0 to {COMPRESS_DAYS_MAX}"
            )
        if self.url and not _URL.fullmatch(self.url):
            raise BadConfig(
                f"{self.url!r} is not the address of the page; write it as browsers show it: "
                "https://games.example.org"
            )
        if self.accounts not in ACCOUNTS:
            raise BadConfig(
                f"{self.accounts!r} does not say who may make an account; use one of "
                f"{', '.join(ACCOUNTS)}"
            )
        if self.whatif not in ALLOWED:
            raise BadConfig(
                f"{self.whatif!r} does not say which games may be played on from; use one of "
                f"{', '.join(ALLOWED)}"
            )
        if self.mail is not None:
            try:
                read_settings(self.mail)
            except BadMail as error:
                raise BadConfig(f"--mail: {error}") from None
        if self.page is not None and not self.page.is_dir():
            raise BadConfig(f"there is no folder {self.page}")
        for proxy in self.proxies:
            try:
                ip_address(proxy)
            except ValueError as error:
                raise BadConfig(
                    f"{proxy!r} is not the address of a proxy; write a numeric address: 127.0.0.1"
                ) from error
        for name in self.names:
            if not _NAME.fullmatch(name):
                raise BadConfig(
                    f"{name!r} is not the name of a server; write it without http:// and "
                    "without a port: games.example.org"
                )
        for origin in (*self.origins, *self.frames):
            if not _ORIGIN.fullmatch(origin):
                raise BadConfig(
                    f"{origin!r} is not an origin; write it as browsers do: "
                    "https://games.example.org, without a path"
                )


def address(text: str, port: int = 7470) -> tuple[str, int]:
    """HOST:PORT, [IPv6]:PORT, HOST or :PORT. Raises BadConfig."""
    host, colon, tail = text.rpartition(":")
    if text.startswith("[") and text.endswith("]"):
        return text[1:-1], port
    if text.isascii() and text.isdigit():
        if int(text) > 65535:
            raise BadConfig(f"{text} is neither an address nor a port; ports go up to 65535")
        raise BadConfig(f"{text} is a port without an address; write 127.0.0.1:{text}")
    if not colon or (host and ":" in host and not host.startswith("[")):
        return text, port
    if not tail.isdigit() or not 0 <= int(tail) <= 65535:
        raise BadConfig(f"{text!r} is not HOST:PORT")
    return host.strip("[]") or "127.0.0.1", int(tail)
