"""NATS's protocol as bytes, without any I/O: a parser for what a server says, and writers for what
a client says.

Source: NATS client protocol, https://docs.nats.io/reference/reference-protocols/nats-protocol, and
ADR-4 (headers).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from attrs import field, frozen

CONTROL_LINE_BYTES_MAX: Final = 256 * 1024
"""The longest line that a server may send: an INFO that names many servers."""

PAYLOAD_BYTES_MAX: Final = 64 * 1024 * 1024
"""The largest message that is read: the most that NATS itself permits."""

_CRLF: Final = b"\r\n"
_HEADERS: Final = b"NATS/1.0"
_SUBJECT: Final = re.compile(r"[^\s\x00-\x1f\x7f]+")
_HEADER_NAME: Final = re.compile(r"[!-9;-~]+")
_SPLIT: Final = re.compile(rb"[ \t]+")


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

    @property
    def max_payload(self) -> int:
        """The most bytes of headers and payload that a message may have."""
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


@frozen
class Message:
    """A message of a subject.

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
        self._data = bytearray()
        self._at = 0
        self._searched = 0
        self._head: tuple[str, int, str, int, int] | None = None

    def feed(self, data: bytes) -> Iterator[Heard]:
        """What is complete with these bytes. Raises ProtocolFault, after which nothing more may be
        fed."""
        self._data += data
        try:
            while (heard := self._next()) is not None:
                yield heard
        finally:
            if self._at:
                del self._data[: self._at]
                self._searched = max(self._searched - self._at, 0)
                self._at = 0

    def _next(self) -> Heard | None:
        if self._head is None:
            line = self._line()
            if line is None:
                return None
            heard = self._said(line)
            if heard is not None:
                return heard
        return self._message()

    def _line(self) -> bytes | None:
        end = self._data.find(_CRLF, max(self._at, self._searched))
        if end < 0:
            if len(self._data) - self._at > CONTROL_LINE_BYTES_MAX:
                raise ProtocolFault("a line without an end")
            self._searched = max(self._at, len(self._data) - 1)
            return None
        if end - self._at > CONTROL_LINE_BYTES_MAX:
            raise ProtocolFault("a line that is too long")
        line = bytes(self._data[self._at : end])
        self._at = self._searched = end + 2
        return line

    def _said(self, line: bytes) -> Heard | None:
        """What a line says, or None if a message's bytes follow it."""
        verb, _, rest = line.partition(b" ")
        rest = rest.strip()
        match verb.upper():
            case b"MSG" | b"HMSG" as kind:
                self._head = _head(_SPLIT.split(rest), kind == b"HMSG")
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

    def _message(self) -> Message | None:
        assert self._head is not None
        subject, number, reply, headers, total = self._head
        end = self._at + total
        if len(self._data) < end + 2:
            return None
        if self._data[end : end + 2] != _CRLF:
            raise ProtocolFault("a message is longer than its line said")
        head = bytes(self._data[self._at : self._at + headers])
        payload = bytes(self._data[self._at + headers : end])
        self._at = self._searched = end + 2
        self._head = None
        if not headers:
            return Message(subject, number, reply, payload)
        status, description, values = read_headers(head)
        return Message(subject, number, reply, payload, values, status, description)


def _head(parts: list[bytes], has_headers: bool) -> tuple[str, int, str, int, int]:
    """Subject, subscription, reply, bytes of headers and of both, of a message's line."""
    sizes = 2 if has_headers else 1
    if len(parts) not in (2 + sizes, 3 + sizes):
        raise ProtocolFault("a message's line has other parts than it should")
    reply = parts[2] if len(parts) == 3 + sizes else b""
    try:
        subject, number = parts[0].decode(), _number(parts[1])
        total = _number(parts[-1])
        headers = _number(parts[-2]) if has_headers else 0
        answer_to = reply.decode()
    except UnicodeDecodeError:
        raise ProtocolFault("a subject that is not UTF-8") from None
    if headers > total or total > PAYLOAD_BYTES_MAX:
        raise ProtocolFault("a message of a size that cannot be")
    return subject, number, answer_to, headers, total


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
    values = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon:
            raise ProtocolFault("a header without a colon")
        values[name] = value.strip()
    return int(status or 0), description.strip(), values


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
    to = f"{checked(subject)} {checked(reply)}" if reply else checked(subject)
    if not headers:
        return f"PUB {to} {len(payload)}\r\n".encode() + payload + _CRLF
    head = write_headers(headers)
    return b"".join(
        (
            f"HPUB {to} {len(head)} {len(head) + len(payload)}\r\n".encode(),
            head,
            payload,
            _CRLF,
        )
    )


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
        if not _HEADER_NAME.fullmatch(name) or "\r" in value or "\n" in value:
            raise BadValue(f"no header of a message: {name!r}")
        lines.append(f"{name}: {value}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n"


def checked(subject: str) -> str:
    """The subject, if it can stand in a line. Raises BadValue."""
    if not _SUBJECT.fullmatch(subject):
        raise BadValue(f"no subject: {subject!r}")
    return subject
