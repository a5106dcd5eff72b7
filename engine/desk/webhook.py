"""Posting to an address that somebody gave: over https, to the public internet, and without waiting
for ever.

Rules of this file:
- The name is resolved once, every address that it has must be public, and the connection goes to
  one of those addresses: a name that points inside, or that changes between look and use, reaches
  nothing. A redirect is not followed.
- A server that is slow, hangs or talks without end costs `SECONDS` and `ANSWER_BYTES_MAX`, no more.
  Nor do names that are slow to resolve keep a thread from a host that took what it was last sent.
- An error says what went wrong, never where: addresses are secrets.
"""

import hashlib
import hmac
import json
import socket
import ssl
from collections.abc import Awaitable, Callable, Sequence
from email.utils import parsedate_to_datetime
from functools import partial
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Any, Final
from urllib.parse import urlsplit

import h11
import trio
from attrs import define, field

SECONDS: Final = 6.0
CONNECT_SECONDS: Final = 1.5
"""Seconds for each address of a host; the next one is tried then."""
ADDRESSES_MAX: Final = 4
RESOLVING_MAX: Final = 8
"""Names that are resolved at a time: so many of hosts that are known, and so many of others."""
KNOWN_MAX: Final = 10_000
LATER_S_MAX: Final = 24 * 3600
"""The longest pause that a server may ask for."""
ANSWER_BYTES_MAX: Final = 8 * 1024
URL_CHARS_MAX: Final = 512
WORDS: Final = (
    *("refused_address", "no_server", "slow", "moved", "answer", "no_mail", "no_mailbox", "fault"),
    *("no_push", "gone"),
)
"""Why something was not taken: `notice.why.WORD` says it."""
FORMS: Final = ("json", "discord", "slack", "ntfy", "text")

Resolve = Callable[[str, int, trio.CapacityLimiter], Awaitable[Sequence[str]]]
Connect = Callable[[str, int, str], Awaitable[trio.abc.Stream]]


class NotPosted(Exception):
    """It was not accepted. `word` says why: one of `WORDS`; `status` is what the server answered, 0
    for nothing. `later_s` is the pause that it asked for, in seconds, 0 for none."""

    def __init__(self, word: str, status: int = 0, later_s: int = 0) -> None:
        super().__init__(word)
        self.word = word
        self.status = status
        self.later_s = later_s


def is_url(text: Any, most: int = URL_CHARS_MAX) -> bool:
    """Whether it may be an address to post to, of at most `most` characters."""
    if type(text) is not str or len(text) > most or not text.isascii():
        return False
    if not text.isprintable() or " " in text:
        return False
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        return False
    return (
        parts.scheme == "https"
        and bool(parts.hostname)
        and parts.username is None
        and parts.password is None
        and port != 0
    )


_NOT_PUBLIC: Final = tuple(
    ip_network(text) for text in ("192.0.0.0/24", "192.88.99.0/24", "fec0::/10", "3fff::/20")
)
"""Networks that are not of the internet, or no longer, though not every Python knows it: protocol
assignments, relays of 6to4, addresses of a site, documentation."""


def is_public(text: str) -> bool:
    """Whether an address is one of the public internet, also where it is written as, or wrapped in,
    another kind of address."""
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return False
    if any(address in network for network in _NOT_PUBLIC):
        return False
    if isinstance(address, IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour or _teredo(address) or _wrapped(address)
        if inner is not None:
            return is_public(str(inner))
    return address.is_global and not address.is_multicast and not address.is_reserved


def _teredo(address: IPv6Address) -> IPv4Address | None:
    return None if address.teredo is None else address.teredo[1]


def _wrapped(address: IPv6Address) -> IPv4Address | None:
    packed = address.packed
    # Behind zeros, behind 64:ff9b::/96 (NAT64), and in the interface of an ISATAP address.
    wrapped = packed[:12] == bytes(12) or packed[:12] == bytes.fromhex("0064ff9b") + bytes(8)
    isatap = packed[8] & 0xFD == 0 and packed[9:12] == bytes.fromhex("005efe")
    return IPv4Address(packed[12:]) if wrapped or isatap else None


def body_of(
    form: str,
    id: str,
    kind: str,
    lines: Sequence[str],
    games: Sequence[str],
    tournaments: Sequence[str] = (),
) -> tuple[str, bytes]:
    """The content type and body of a message. `id` is the same however often it is sent. `kind` is
    what all of it is about ("several" for more than one, "test" for nothing)."""
    text = "\n".join(lines)
    told: dict[str, Any]
    if form == "discord":
        told = {"content": text[:1900], "allowed_mentions": {"parse": []}}
    elif form == "slack":
        told = {"text": text}
    elif form == "json":
        told = {"id": id, "kind": kind, "games": list(games), "text": text}
        if tournaments:
            told["tournaments"] = list(tournaments)
    else:
        return "text/plain; charset=utf-8", text.encode()
    return "application/json", json.dumps(told, ensure_ascii=False).encode()


def signature(secret: str, at_s: int, body: bytes) -> str:
    """What vouches for a message: HMAC-SHA-256, by the secret, of the time, a full stop and the
    body."""
    made = hmac.new(secret.encode(), f"{at_s}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={at_s}, v1={made}"


async def _resolve(host: str, port: int, limiter: trio.CapacityLimiter) -> Sequence[str]:
    found = await trio.to_thread.run_sync(
        partial(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM),
        limiter=limiter,
        abandon_on_cancel=True,
    )
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


async def _connect(address: str, port: int, host: str) -> trio.abc.Stream:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    raw = trio.socket.socket(family, socket.SOCK_STREAM)
    try:
        await raw.connect((address, port))
    except BaseException:
        raw.close()
        raise
    context = ssl.create_default_context()
    stream = trio.SSLStream(
        trio.SocketStream(raw), context, server_hostname=host, https_compatible=True
    )
    await stream.do_handshake()
    return stream


@define(eq=False)
class Poster:
    """Posts, to one host once at a time. `resolve` and `connect` are the network's. A host is known
    while it takes what it is sent."""

    resolve: Resolve = _resolve
    connect: Connect = _connect
    _busy: dict[str, trio.Lock] = field(factory=dict)
    _known: dict[str, None] = field(factory=dict)
    _of_known: trio.CapacityLimiter = field(factory=lambda: trio.CapacityLimiter(RESOLVING_MAX))
    _of_others: trio.CapacityLimiter = field(factory=lambda: trio.CapacityLimiter(RESOLVING_MAX))

    def knows(self, host: str) -> bool:
        """Whether the host took what it was last sent."""
        return host in self._known

    def _took(self, host: str) -> None:
        self._known.pop(host, None)
        self._known[host] = None
        if len(self._known) > KNOWN_MAX:
            del self._known[next(iter(self._known))]

    async def post(
        self, url: str, content_type: str, body: bytes, *headers: tuple[str, str]
    ) -> None:
        """Post a body. Raises NotPosted."""
        host = host_of(url)
        lock = self._busy.setdefault(host, trio.Lock())
        try:
            async with lock:
                with trio.move_on_after(SECONDS) as scope:
                    await self._post(url, content_type, body, headers)
                if scope.cancelled_caught:
                    raise NotPosted("slow")
                self._took(host)
        except NotPosted:
            self._known.pop(host, None)
            raise
        except (
            *(OSError, UnicodeError, trio.BrokenResourceError),
            *(trio.ClosedResourceError, h11.ProtocolError),
        ):
            self._known.pop(host, None)
            raise NotPosted("no_server") from None
        finally:
            if not lock.locked() and not lock.statistics().tasks_waiting:
                self._busy.pop(host, None)

    async def _post(
        self, url: str, content_type: str, body: bytes, headers: Sequence[tuple[str, str]]
    ) -> None:
        if not is_url(url, len(url)):
            raise NotPosted("refused_address")
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port or 443
        limiter = self._of_known if self.knows(host_of(url)) else self._of_others
        addresses = list(await self.resolve(host, port, limiter))
        if not addresses or not all(map(is_public, addresses)):
            raise NotPosted("refused_address")
        stream = await self._connected(addresses[:ADDRESSES_MAX], port, host)
        try:
            status, later_s = await _exchange(
                stream,
                (parts.path or "/") + (f"?{parts.query}" if parts.query else ""),
                (
                    ("Host", parts.netloc),
                    ("User-Agent", "warledger"),
                    ("Content-Type", content_type),
                    ("Content-Length", str(len(body))),
                    ("Connection", "close"),
                    *headers,
                ),
                body,
            )
        finally:
            await trio.aclose_forcefully(stream)
        if not 200 <= status < 300:
            raise NotPosted("moved" if 300 <= status < 400 else "answer", status, later_s)

    async def _connected(self, addresses: Sequence[str], port: int, host: str) -> trio.abc.Stream:
        """A connection to the first of a host's addresses that takes one."""
        for address in addresses:
            try:
                with trio.move_on_after(CONNECT_SECONDS):
                    return await self.connect(address, port, host)
            except OSError:
                continue
        raise OSError("no address of the host takes a connection")


def host_of(url: str) -> str:
    """The host of an address to post to, with its port: another port is another server."""
    parts = urlsplit(url)
    return f"{parts.hostname or ''}:{parts.port or 443}"


def _header(answer: h11.Response, name: bytes) -> str:
    found = (value for one, value in answer.headers if one == name)
    return next(found, b"").decode("ascii", "replace")


def _later(answer: h11.Response) -> int:
    """The pause in seconds that an answer asks for (RFC 9110, 10.2.3); 0 for none."""
    asked = _header(answer, b"retry-after")
    if asked.isdecimal() and len(asked) < 10:
        return min(int(asked), LATER_S_MAX)
    try:
        pause = parsedate_to_datetime(asked) - parsedate_to_datetime(_header(answer, b"date"))
    except (OverflowError, TypeError, ValueError):
        return 0
    return max(0, min(int(pause.total_seconds()), LATER_S_MAX))


async def _exchange(
    stream: trio.abc.Stream, target: str, headers: Sequence[tuple[str, str]], body: bytes
) -> tuple[int, int]:
    """Send a request; the status of the answer, and the pause in seconds that it asks for. What the
    answer says is not read."""
    wire = h11.Connection(h11.CLIENT, max_incomplete_event_size=ANSWER_BYTES_MAX)
    request = h11.Request(method="POST", target=target, headers=list(headers))
    await stream.send_all(
        (wire.send(request) or b"")
        + (wire.send(h11.Data(data=body)) or b"")
        + (wire.send(h11.EndOfMessage()) or b"")
    )
    heard = 0
    while True:
        event = wire.next_event()
        if isinstance(event, h11.Response):
            return event.status_code, _later(event)
        if event is h11.NEED_DATA:
            data = await stream.receive_some(4096)
            heard += len(data)
            if heard > ANSWER_BYTES_MAX:
                raise NotPosted("no_server")
            wire.receive_data(bytes(data))
        elif not isinstance(event, h11.InformationalResponse):
            raise NotPosted("no_server")
