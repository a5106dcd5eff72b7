"""NATS's protocol as bytes, without any I/O: a parser for what a server says, and writers for what
a client says.

Source: NATS client protocol, https://docs.nats.io/reference/reference-protocols/nats-protocol, and
ADR-4 (headers).
"""

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final

from attrs import define, field, frozen

CONTROL_LINE_BYTES_MAX: Final = 256 * 1024
"""The longest line that a server may send: an INFO that names many servers."""

PAYLOAD_BYTES_MAX: Final = 64 * 1024 * 1024
"""The largest message that is read: the most that NATS itself permits."""

_CRLF: Final = b"\r\n"
_HEADERS: Final = b"NATS/1.0"
_SUBJECT: Final = re.compile(r"[^\s\x00-\x1f\x7f]+")
_HEADER_NAME: Final = re.compile(r"[!-9;-~]+")
_SPLIT: Final = re.compile(rb"[ \t]+")
_MESSAGE: Final = re.compile(rb"MSG (\S+) ([0-9]{1,18}) (?:(\S+) )?([0-9]{1,18})\r\n")
_MESSAGE_WITH_HEADERS: Final = re.compile(
    rb"HMSG (\S+) ([0-9]{1,18}) (?:(\S+) )??([0-9]{1,18}) ([0-9]{1,18})\r\n"
)
"""A message's line as servers write it: subject, subscription, reply, and how many bytes of headers
and in all. Any other line is taken apart word by word."""

_PLAIN_HEADERS: Final = re.compile(r"NATS/1\.0[ \t]*\r\n(?:[^:\r\n]*:[^\r\n]*\r\n)*\r\n")
"""Headers without a status, of which each line has a colon."""


class ProtocolFault(Exception):
    """The server said what no NATS server says. The connection cannot go on."""


class BadValue(ValueError):
    """A subject, header or queue name that cannot be sent: it would break the line it stands
    in."""


@frozen
class Info:
    """What a server says of itself, at the beginning and whenever it changes.

    `values` are its fields as they came. The others are those that a client acts on.
    """

    values: Mapping[str, Any]

    max_payload: int = field(init=False)
    """The most bytes of headers and payload that a message may have."""

    @max_payload.default
    def _(self) -> int:
        return int(self.values.get("max_payload", 1024 * 1024))

    @property
    def nonce(self) -> str:
        """What a client with a key signs, or nothing if the server asks for no key."""
        return str(self.values.get("nonce", ""))

    @property
    def version(self) -> tuple[int, ...]:
        """The server's release, as numbers. Whatever follows the first hyphen is left out."""
        text = str(self.values.get("version", "0")).split("-")[0]
        return tuple(int(part) if part.isdigit() else 0 for part in text.split("."))

    @property
    def is_leaving(self) -> bool:
        """Whether the server asks its clients to go elsewhere ("lame duck")."""
        return bool(self.values.get("ldm", False))

    @property
    def needs_tls(self) -> bool:
        """Whether the server goes on only over TLS."""
        return bool(self.values.get("tls_required", False))

    @property
    def others(self) -> tuple[str, ...]:
        """HOST:PORT of the cluster's servers, as far as this one knows them."""
        return tuple(str(one) for one in self.values.get("connect_urls", ()) or ())


@define
class Message:
    """A message of a subject. Nobody changes one; it is not frozen since one that is takes twice as
    long to make, and a node hears thousands in a second.

    `number` is the subscription's. `status` is that of the headers' first line (503: nobody is
    there to answer), or 0. Of a header that came twice the last value stands.
    """

    subject: str
    number: int
    reply: str
    payload: bytes
    headers: Mapping[str, str] = field(factory=dict)
    status: int = 0
    description: str = ""


class _Fields(Mapping[str, str]):
    """The fields of headers that are in order, found in their text when they are asked for: most of
    a message's are never looked at."""

    __slots__ = ("_text", "_values")

    def __init__(self, text: str) -> None:
        self._text = text
        self._values: dict[str, str] | None = None

    def _read(self) -> dict[str, str]:
        if self._values is None:
            self._values = _values_of(self._text.split("\r\n")[1:-2])
        return self._values

    def get(self, name: str, default: Any = None) -> Any:
        # The last one of a name stands.
        text = self._text
        at = text.rfind(f"\r\n{name}:")
        if at < 0 or ":" in name:
            return default
        start = at + len(name) + 3
        return text[start : text.index("\r\n", start)].strip()

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.get(name) is not None

    def __getitem__(self, name: str) -> str:
        return self._read()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._read())

    def __len__(self) -> int:
        return len(self._read())

    def __repr__(self) -> str:
        return repr(self._read())


@frozen
class Ping:
    """The server asks whether anybody is there."""


@frozen
class Pong:
    """The server has handled everything that was sent before a ping."""


@frozen
class Done:
    """`+OK`, which only verbose clients get."""


@frozen
class Failed:
    """The server refused something, or is about to end the connection. `what` are its words."""

    what: str


Heard = Info | Message | Ping | Pong | Done | Failed


class Parser:
    """Turns a server's bytes into what they say, however they are cut."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0
        self._head: _Head | None = None

    def feed(self, data: bytes) -> Iterator[Heard]:
        """What is complete with these bytes. Raises ProtocolFault, after which nothing more may be
        fed."""
        self._parts.append(data)
        self._size += len(data)
        if self._head is not None and self._size < self._head[4] + 2:
            return
        if len(self._parts) > 1:
            data = b"".join(self._parts)
        at = 0
        try:
            while True:
                head = self._head
                if head is None:
                    if plain := _MESSAGE_WITH_HEADERS.match(data, at):
                        at = plain.end()
                        head = self._head = _plain(*plain.groups(b""))
                    elif plain := _MESSAGE.match(data, at):
                        at = plain.end()
                        subject_, number_, reply_, total_ = plain.groups(b"")
                        head = self._head = _plain(subject_, number_, reply_, 0, total_)
                    else:
                        line, at = _line(data, at)
                        if line is None:
                            return
                        heard = self._said(line)
                        if heard is not None:
                            yield heard
                            continue
                        head = self._head
                        assert head is not None
                subject, number, reply, headers, total = head
                end = at + total
                if len(data) < end + 2:
                    return
                if data[end : end + 2] != _CRLF:
                    raise ProtocolFault("a message is longer than its line said")
                start, at = at, end + 2
                self._head = None
                if not headers:
                    yield Message(subject, number, reply, data[start:end], _NO_FIELDS)
                else:
                    middle = start + headers
                    yield Message(
                        subject, number, reply, data[middle:end], *_fields(data[start:middle])
                    )
        finally:
            rest = data[at:]
            self._parts = [rest] if rest else []
            self._size = len(rest)

    def _said(self, line: bytes) -> Heard | None:
        """What a line says, or None if a message's bytes follow it."""
        verb, _, rest = line.partition(b" ")
        rest = rest.strip()
        match verb.upper():
            case b"MSG" | b"HMSG" as kind:
                self._head = _head_of(rest, kind == b"HMSG")
                return None
            case b"PING":
                return Ping()
            case b"PONG":
                return Pong()
            case b"+OK":
                return Done()
            case b"-ERR":
                return Failed(rest.decode("utf-8", "replace").strip("'"))
            case b"INFO":
                return Info(_object(rest))
        raise ProtocolFault(f"an unknown operation: {line[:40]!r}")


_Head = tuple[str, int, str, int, int]
"""Subject, subscription, reply, bytes of headers and of both, of a message's line."""


def _line(data: bytes, at: int) -> tuple[bytes | None, int]:
    """The line that begins here, if it is whole, and where the next one does."""
    end = data.find(_CRLF, at)
    if end < 0:
        if len(data) - at > CONTROL_LINE_BYTES_MAX:
            raise ProtocolFault("a line without an end")
        return None, at
    if end - at > CONTROL_LINE_BYTES_MAX:
        raise ProtocolFault("a line that is too long")
    return data[at:end], end + 2


def _fields(head: bytes) -> tuple[Mapping[str, str], int, str]:
    """Headers, as a message has them: fields, status and its description."""
    try:
        text = head.decode()
    except UnicodeDecodeError:
        raise ProtocolFault("headers that are not UTF-8") from None
    if _PLAIN_HEADERS.fullmatch(text):
        return _Fields(text), 0, ""
    status, description, values = read_headers(head)
    return values, status, description


def _head_of(rest: bytes, has_headers: bool) -> _Head:
    """The head of a message whose line is written less plainly than servers do."""
    parts = _SPLIT.split(rest)
    sizes = 2 if has_headers else 1
    if len(parts) not in (2 + sizes, 3 + sizes):
        raise ProtocolFault("a message's line has other parts than it should")
    reply = parts[2] if len(parts) == 3 + sizes else b""
    headers = parts[-2] if has_headers else b""
    return _head(parts[0], parts[1], reply, headers, parts[-1])


def _head(subject: bytes, number: bytes, reply: bytes, headers: bytes, total: bytes) -> _Head:
    try:
        head = (
            subject.decode(),
            _number(number),
            reply.decode(),
            _number(headers) if headers else 0,
            _number(total),
        )
    except UnicodeDecodeError:
        raise ProtocolFault("a subject that is not UTF-8") from None
    return _sized(head)


def _plain(
    subject: bytes, number: bytes, reply: bytes, headers: bytes | int, total: bytes
) -> _Head:
    """The head of a message from the words of its line, whose numbers are digits."""
    try:
        head = (
            subject.decode(),
            int(number),
            reply.decode() if reply else "",
            int(headers),
            int(total),
        )
    except UnicodeDecodeError:
        raise ProtocolFault("a subject that is not UTF-8") from None
    return _sized(head)


def _sized(head: _Head) -> _Head:
    if head[3] > head[4] or head[4] > PAYLOAD_BYTES_MAX:
        raise ProtocolFault("a message of a size that cannot be")
    return head


def _number(text: bytes) -> int:
    if not text.isdigit() or len(text) > 18:
        raise ProtocolFault("a number that is none")
    return int(text)


def _object(text: bytes) -> dict[str, Any]:
    try:
        values = json.loads(text)
    except ValueError:
        raise ProtocolFault("an INFO that is not JSON") from None
    if not isinstance(values, dict):
        raise ProtocolFault("an INFO that is not an object")
    return values


def read_headers(data: bytes) -> tuple[int, str, dict[str, str]]:
    """Status (0 if there is none), its description, and the fields. Raises ProtocolFault."""
    if not data.startswith(_HEADERS) or not data.endswith(b"\r\n\r\n"):
        raise ProtocolFault("headers without their beginning or end")
    try:
        first, *lines = data[:-4].decode().split("\r\n")
    except UnicodeDecodeError:
        raise ProtocolFault("headers that are not UTF-8") from None
    status, _, description = first[len(_HEADERS) :].strip().partition(" ")
    if status and not (status.isascii() and status.isdigit() and len(status) == 3):
        raise ProtocolFault("a status that is not a number")
    return int(status or 0), description.strip(), _values_of(lines)


def _values_of(lines: list[str]) -> dict[str, str]:
    values = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon:
            raise ProtocolFault("a header without a colon")
        values[name] = value.strip()
    return values


_NO_FIELDS: Final[Mapping[str, str]] = MappingProxyType({})


# --- what a client says -----------------------------------------------------------------------

PING: Final = b"PING\r\n"
PONG: Final = b"PONG\r\n"


def connect(options: Mapping[str, Any]) -> bytes:
    """Who the client is. `options` are the fields of CONNECT."""
    return b"CONNECT " + json.dumps(options, separators=(",", ":")).encode() + _CRLF


def publish(
    subject: str, payload: bytes, reply: str = "", headers: Mapping[str, str] | None = None
) -> bytes:
    """A message for a subject. Raises BadValue."""
    to = f"{checked(subject)} {_answered(reply)}" if reply else checked(subject)
    if not headers:
        return b"%b%b\r\n" % (f"PUB {to} {len(payload)}\r\n".encode(), payload)
    head = write_headers(headers)
    size = len(head)
    line = f"HPUB {to} {size} {size + len(payload)}\r\n".encode()
    return b"%b%b%b\r\n" % (line, head, payload)


def subscribe(subject: str, number: int, queue: str = "") -> bytes:
    """Ask for a subject's messages, under a number; of a `queue`'s subscribers one gets each.
    Raises BadValue."""
    among = f"{checked(queue)} " if queue else ""
    return f"SUB {checked(subject)} {among}{number}\r\n".encode()


def unsubscribe(number: int) -> bytes:
    """No more messages under this number."""
    return f"UNSUB {number}\r\n".encode()


def write_headers(headers: Mapping[str, str]) -> bytes:
    """Headers as they stand before a payload. Raises BadValue."""
    lines = ["NATS/1.0"]
    for name, value in headers.items():
        if not _is_name(name) or "\r" in value or "\n" in value:
            raise BadValue(f"no header of a message: {name!r}")
        lines.append(f"{name}: {value}")
    lines.append("\r\n")
    return "\r\n".join(lines).encode()


@lru_cache(maxsize=256)
def _is_name(name: str) -> bool:
    return _HEADER_NAME.fullmatch(name) is not None


def _answered(reply: str) -> str:
    # Each is another: to remember them would push out the subjects.
    if not _SUBJECT.fullmatch(reply):
        raise BadValue(f"no subject: {reply!r}")
    return reply


@lru_cache(maxsize=4096)
def checked(subject: str) -> str:
    """The subject, if it can stand in a line. Raises BadValue."""
    if not _SUBJECT.fullmatch(subject):
        raise BadValue(f"no subject: {subject!r}")
    return subject
