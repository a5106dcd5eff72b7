"""What an operator may set, and the bounds on everything a stranger can send."""

import re
import socket
from collections.abc import Callable, Mapping, Sequence
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final

from attrs import NOTHING, Factory, field, frozen

from warledger.engine.desk.mail import BadMail, read_settings
from warledger.engine.runtime.supervisor import Tending
from warledger.engine.serve.games.branches import ALLOWED, ENDED

_URL = re.compile(r"https?://[A-Za-z0-9.:\[\]-]{1,200}/?")
COMPRESS_DAYS = 7
COMPRESS_DAYS_MAX = 36_500
ACCOUNTS = ("invite", "open", "off")
_SERVERS = "nats://HOST:PORT,…"
SETTING: Final = "setting"
"""Under this name a field's metadata hold its Setting."""
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
class Setting:
    """How a field of Config is set: by the flag `flag` on the command line, and by the same name in
    the file of settings. Type and default are the field's.

    metavar     what stands for a value in the help
    folder      whether a path is a folder's; it must be there already if it `exists`
    choices     the values that there are, and `most` the highest number
    many        whether it may be given several times
    variable    the environment variable that gives it, too
    read        makes of what is given the values of `fields`, of this field alone if there are none
    written     how the default is given, where that is not the field's value
    """

    flag: str
    help: str
    metavar: str | None = None
    folder: bool = False
    exists: bool = False
    choices: tuple[str, ...] = ()
    most: int | None = None
    many: bool = False
    variable: str | None = None
    read: Callable[[Any], Any] | None = None
    fields: tuple[str, ...] = ()
    written: Any = None

    def values(self, name: str, given: Any) -> dict[str, Any]:
        """The values of the fields that are set, from what was given for the field `name`. Raises
        BadConfig."""
        if given is None or self.read is None:
            return {name: given}
        found = self.read(given)
        return dict(zip(self.fields, found, strict=True)) if self.fields else {name: found}


def setting(flag: str, help: str, *, default: Any, **more: Any) -> Any:
    """A field of Config that is set by a flag: see `Setting`."""
    return field(default=default, metadata={SETTING: Setting(flag, help, **more)})


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


def _web_address(text: str) -> tuple[str, int]:
    return address(text, 8080)


def _packs(texts: Sequence[str]) -> dict[str, Path]:
    for text in texts:
        if "=" not in text:
            raise BadConfig(f"{text!r} is not TITLE=DIR")
    return {title: Path(folder) for title, folder in (text.split("=", 1) for text in texts)}


def _days(text: str) -> int | None:
    if text == "never":
        return None
    try:
        return int(text)
    except ValueError:
        raise BadConfig(
            f"{text!r} is no number of days; write --compress-after 7, or never"
        ) from None


@frozen
class Config:
    """A server's settings; what each means is in its help. Port 0 takes a free one.

    `limits`, `http_limits` and `tending` are set by tables of the file of settings. `house` is the
    kind of player by title that practice games are played against, and `stop_seconds` how long a
    stop may take. By default `archive` is the folder of that name beside `data`.
    """

    data: Path = setting(
        "data",
        "The data directory; created if missing. An edge needs none.",
        default=NOTHING,
        folder=True,
    )
    store: str = setting(
        "store",
        "Be a node of the fleet on these NATS servers; default: the games are in --data.",
        default="",
        metavar=_SERVERS,
    )
    edge: str = setting(
        "edge",
        "Only show the games of the fleet on these NATS servers, to any number of spectators.",
        default="",
        metavar=_SERVERS,
    )
    nodes: str = setting(
        "nodes",
        "Where people can play: what an edge tells those who want to.",
        default="",
        metavar="URL",
    )
    keys: Path | None = setting(
        "keys",
        "The folder with the fleet's key ring, or for an edge its server.pub; default: "
        "systemd's credentials.",
        default=None,
        folder=True,
    )
    nkey: Path | None = setting(
        "nkey",
        "The nkey for NATS; default: node.nk, or edge.nk, in --keys, if it is there.",
        default=None,
    )
    nats_ca: Path | None = setting(
        "nats-ca",
        "The certificate that verifies the NATS servers; default: the one in --keys.",
        default=None,
    )
    host: str = setting(
        "tcp",
        "The address to listen on.",
        default="127.0.0.1",
        metavar="HOST:PORT",
        read=address,
        fields=("host", "port"),
        written="127.0.0.1:7470",
    )
    port: int = 7470
    http: tuple[str, int] | None = setting(
        "http",
        "The address for the page and WebSockets; default: none.",
        default=None,
        metavar="HOST:PORT",
        read=_web_address,
    )
    names: tuple[str, ...] = setting(
        "http-name",
        "A name by which browsers reach the page; may be repeated.",
        default=(),
        metavar="NAME",
        many=True,
    )
    origins: tuple[str, ...] = setting(
        "origin",
        "A site whose pages may also connect; may be repeated.",
        default=(),
        metavar="URL",
        many=True,
    )
    frames: tuple[str, ...] = setting(
        "frame",
        "A site whose pages may show the page in a frame; may be repeated.",
        default=(),
        metavar="URL",
        many=True,
    )
    proxies: tuple[str, ...] = setting(
        "proxy",
        "A trusted reverse proxy; may be repeated.",
        default=(),
        metavar="ADDRESS",
        many=True,
    )
    page: Path | None = setting(
        "page", "Serve this folder as the page.", default=None, folder=True, exists=True
    )
    packs: Mapping[str, Path] = setting(
        "pack",
        "Use this pack for new games of a title; may be repeated.",
        default=Factory(dict),
        metavar="TITLE=DIR",
        many=True,
        read=_packs,
        written=(),
    )
    tls_cert: Path | None = setting("tls-cert", "Certificate chain (PEM).", default=None)
    tls_key: Path | None = setting("tls-key", "Its private key (PEM).", default=None)
    tls_self_signed: bool = setting(
        "tls-self-signed",
        "Use TLS and https with a certificate created here and kept with the data.",
        default=False,
    )
    accounts: str = setting(
        "accounts",
        "Who may make an account: whoever is invited, anybody, or nobody.",
        default="invite",
        choices=ACCOUNTS,
    )
    url: str = setting(
        "url", "The page's address, for links in notifications.", default="", metavar="URL"
    )
    mail: Path | None = setting(
        "mail", "A TOML file with the settings of a mail server, to send people mail.", default=None
    )
    practice: int = setting(
        "practice-games",
        "Let anybody play the server's bot, in at most N games at a time; default: nobody.",
        default=0,
        metavar="N",
        most=64,
    )
    push: str = setting(
        "push",
        "Notify browsers; mailto:ADDRESS or https://SITE, by which push services reach you.",
        default="",
        metavar="CONTACT",
    )
    whatif: str = setting(
        "whatif",
        "The games that may be continued from their records on the page: none, those that have "
        "ended, or those in progress too.",
        default=ENDED,
        choices=ALLOWED,
    )
    archive: Path | None = setting(
        "archive",
        "Earlier releases (`warledger archive add`), which finish the games that were begun "
        "with them; default: the folder archive beside the data directory.",
        default=None,
        folder=True,
        variable="WARLEDGER_ARCHIVE",
    )
    compress_after: int | None = setting(
        "compress-after",
        "Compress the file of a game that has been over for so many days; `never` leaves that "
        "to `warledger compress`.",
        default=COMPRESS_DAYS,
        metavar="DAYS",
        read=_days,
    )
    log_level: str = setting(
        "log-level",
        "What goes into the log.",
        default="info",
        choices=("debug", "info", "warning", "error"),
    )
    stop_seconds: float = 10.0
    limits: ServerLimits = field(factory=ServerLimits)
    http_limits: HttpLimits = field(factory=HttpLimits)
    tending: Tending = field(factory=Tending)
    house: Mapping[str, str] = field(factory=dict)

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
            raise BadConfig(
                "--practice-games is for a server that has its games in --data: leave out --store"
            )
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
