"""HTTP/1.1 on one socket, by h11: requests are read within limits, and answers are sent with the
headers that all of ours carry.

Rules of this file:
- A request is checked before anything else of ours sees it: target, headers and body must be within
  `HttpLimits`, and each must arrive in its time.
- A peer that breaks the rules gets a status that says so. The socket is closed if the next request
  could not be found reliably.
- This file does not know what is served: `answer` returns a Response for a Request, or the wish to
  switch to a WebSocket.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from http import HTTPStatus
from typing import Final
from urllib.parse import parse_qsl, unquote_to_bytes

import h11
import trio
from attrs import evolve as changed
from attrs import field, frozen

from warledger.engine.serve.config import HttpLimits
from warledger.engine.serve.wire.tcp import Pipe

try:
    import brotli
except ImportError:  # no wheel for this machine, and no compiler
    brotli = None

GET, HEAD = "GET", "HEAD"
ALLOWED: Final = f"{GET}, {HEAD}"

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: "
    "blob:; font-src 'self'; connect-src 'self'; "
    "manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
"""Nothing from elsewhere, nothing inline, and not in anybody's frame."""


def policy(frames: Sequence[str] = ()) -> str:
    """The policy where pages of these origins may show ours in a frame of theirs."""
    head, none, _ = POLICY.rpartition("'none'")
    return head + (" ".join(frames) or none)


SECURITY_HEADERS: Final = (
    ("Content-Security-Policy", POLICY),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Permissions-Policy", "camera=(), microphone=(), geolocation=(), payment=(), usb=()"),
)
OF_DOCUMENTS: Final = frozenset(
    (
        "Content-Security-Policy",
        "Referrer-Policy",
        "Cross-Origin-Opener-Policy",
        "Permissions-Policy",
    )
)
"""Those that a browser heeds with a document or a worker only."""
FETCHED: Final = b"empty"
"""What browsers send as `Sec-Fetch-Dest` where a script asks, and nothing is opened."""
STRICT_TRANSPORT: Final = ("Strict-Transport-Security", "max-age=31536000")

JSON: Final = "application/json; charset=utf-8"
TEXT: Final = "text/plain; charset=utf-8"
SVG: Final = "image/svg+xml; charset=utf-8"
BYTES: Final = "application/octet-stream"
DATA: Final = frozenset((JSON, BYTES))
"""What is nothing but data, however it is opened."""

COMPRESS_BYTES_MIN: Final = 1024
BROTLI_QUALITY: Final = 8
"""A tenth smaller than gzip for texts, a quarter for records, in less time. 9 saves a hundredth
more, but takes three milliseconds for the smallest; 11 would take 20 times as long for a tenth."""
BROTLI_QUALITY_MOST: Final = 11
"""For what is sent so often that the time pays (`denser`)."""
_WRITE_BYTES: Final = 64 * 1024


class BadRequest(Exception):
    """A request that cannot be served; `status` says why, `text` what to do."""

    def __init__(self, status: int, text: str, *headers: tuple[str, str]) -> None:
        super().__init__(text)
        self.status = status
        self.text = text
        self.headers = headers


@frozen
class Request:
    """A request within limits. `path` is decoded; `headers` have lower-case names, with repeated
    ones joined by ", "; `raw` are as they arrived."""

    method: str
    path: str
    target: bytes
    query: Mapping[str, str]
    headers: Mapping[str, str]
    raw: Sequence[tuple[bytes, bytes]]
    peer: str


@frozen
class Resource:
    """Something that can be fetched: its bytes, also compressed if that helps, and a tag for this
    version of it. With `ranges` a part of it can be asked for. `brotli` is None where it is not
    compressed, and where this Python has no Brotli."""

    content_type: str
    body: bytes = field(repr=False)
    gzip: bytes | None = field(repr=False)
    brotli: bytes | None = field(repr=False)
    etag: str
    cache: str = "no-cache"
    headers: tuple[tuple[str, str], ...] = ()
    ranges: bool = False
    part: bool = False
    """Whether it is a script or a style sheet that belongs to a page, never a page or a worker."""


@frozen
class Response:
    """An answer. `body` is left out for HEAD; its length is sent anyway. With `part` it carries no
    header that only documents and workers need."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes = b""
    part: bool = False


class Upgrade:
    """In place of a Response: the socket becomes a WebSocket."""


@frozen
class Feed:
    """In place of a Response: an answer that goes on, a piece at a time, until `pieces` ends."""

    headers: tuple[tuple[str, str], ...]
    pieces: AsyncGenerator[bytes, None] = field(repr=False)


Answer = Callable[[Request], Awaitable[Response | Upgrade | Feed]]


def resource(
    body: bytes,
    content_type: str,
    *,
    tag: str = "",
    cache: str = "no-cache",
    compress: bool = True,
    headers: tuple[tuple[str, str], ...] = (),
    ranges: bool = False,
    part: bool = False,
) -> Resource:
    """A resource of these bytes. Compressing takes time: call it off the loop for more than a few
    kilobytes."""
    packed = denser = None
    if compress and len(body) >= COMPRESS_BYTES_MIN:
        squeezer = zlib.compressobj(9, zlib.DEFLATED, 31)
        packed = squeezer.compress(body) + squeezer.flush()
        if len(packed) > len(body) * 9 // 10:
            packed = None
        elif brotli is not None:
            denser = brotli.compress(body, quality=BROTLI_QUALITY)
    return Resource(
        content_type,
        body,
        packed,
        denser,
        tag or hashlib.sha256(body).hexdigest()[:32],
        cache,
        headers,
        ranges,
        part,
    )


def denser(found: Resource) -> Resource:
    """A resource, compressed as well as Brotli can: half a second for the scripts of a game. Its
    tag stays, since what is unpacked is the same; it must not have `ranges`."""
    assert not found.ranges
    if found.brotli is None or brotli is None:
        return found
    return changed(found, brotli=brotli.compress(found.body, quality=BROTLI_QUALITY_MOST))


def plain(status: int, text: str, *headers: tuple[str, str]) -> Response:
    """A short answer in words."""
    return Response(
        status,
        (("Content-Type", TEXT), ("Cache-Control", "no-store"), *headers),
        (text + "\n").encode(),
    )


def of_resource(request: Request, found: Resource) -> Response:
    """The answer that gives a resource, or 304 if the peer has this version."""
    accepted = request.headers.get("accept-encoding", "")
    packed, encoding, mark = None, "", ""
    if found.brotli is not None and accepts("br", accepted):
        packed, encoding, mark = found.brotli, "br", "-br"
    elif found.gzip is not None and accepts("gzip", accepted):
        packed, encoding, mark = found.gzip, "gzip", "-gz"
    etag = f'"{found.etag}{mark}"'
    common = (
        ("ETag", etag),
        ("Cache-Control", found.cache),
        *((("Vary", "Accept-Encoding"),) if found.gzip is not None else ()),
    )
    if matches(request.headers.get("if-none-match", ""), found.etag):
        return Response(304, common, part=found.part)
    if found.ranges:
        part = _part(request, found)
        if part is not None:
            return part
        common = (*common, ("Accept-Ranges", "bytes"))
    encoded = (("Content-Encoding", encoding),) if encoding else ()
    return Response(
        200,
        (("Content-Type", found.content_type), *encoded, *common, *found.headers),
        found.body if packed is None else packed,
        found.part,
    )


def _part(request: Request, found: Resource) -> Response | None:
    """The answer to a request for one range of bytes. None if the whole is to be sent: no range or
    several are asked for, or the peer has another version (RFC 9110, 14)."""
    asked = _RANGE.fullmatch(request.headers.get("range", "").replace(" ", ""))
    etag = f'"{found.etag}"'
    if asked is None or request.headers.get("if-range", etag) != etag:
        return None
    size, (first, last) = len(found.body), asked.groups()
    if first:
        start, end = int(first), min(int(last), size - 1) if last else size - 1
    elif last:
        start, end = max(0, size - int(last)), size - 1
    else:
        return None
    if last and first and int(last) < int(first):
        return None
    if start > end:
        return plain(416, "There are no such bytes.", ("Content-Range", f"bytes */{size}"))
    return Response(
        206,
        (
            ("Content-Type", found.content_type),
            ("ETag", etag),
            ("Cache-Control", found.cache),
            ("Content-Range", f"bytes {start}-{end}/{size}"),
            *found.headers,
        ),
        bytes(memoryview(found.body)[start : end + 1]),
    )


_RANGE: Final = re.compile(r"bytes=(\d{0,15})-(\d{0,15})")


def accepts(encoding: str, header: str) -> bool:
    """Whether an Accept-Encoding accepts this encoding ("gzip", "br")."""
    wanted: dict[str, bool] = {}
    for item in header.lower().split(","):
        name, _, parameter = item.partition(";")
        q = parameter.replace(" ", "").partition("q=")[2]
        wanted[name.strip()] = q.strip("0.") != "" or not q
    return wanted.get(encoding, wanted.get("*", False))


def matches(if_none_match: str, etag: str) -> bool:
    """Whether an If-None-Match names this tag, in any encoding (weak comparison)."""
    if if_none_match.strip() == "*":
        return True
    tags = (
        {tag.strip().removeprefix("W/").strip('"') for tag in if_none_match.split(",")}
        if if_none_match
        else set()
    )
    return not tags.isdisjoint((etag, f"{etag}-gz", f"{etag}-br"))


class HttpSocket:
    """A peer's socket while it speaks HTTP. `run` returns True if the peer has asked for a
    WebSocket; `request` and `early` then say how."""

    def __init__(
        self,
        pipe: Pipe,
        limits: HttpLimits,
        answer: Answer,
        *,
        secure: bool,
        frames: Sequence[str] = (),
    ) -> None:
        self._pipe = pipe
        self._limits = limits
        self._answer = answer
        headers = (("Content-Security-Policy", policy(frames)), *SECURITY_HEADERS[1:])
        self._extra = (*headers, STRICT_TRANSPORT) if secure else headers
        self._h11 = h11.Connection(h11.SERVER, max_incomplete_event_size=limits.header_bytes)
        self.request: Request
        self.early = b""
        self.is_answering = False
        """Whether a request is being answered; otherwise we wait for the peer."""
        self._is_head = self._is_fetched = False

    async def run(self) -> bool:
        """Serve one request after another. Returns True for a WebSocket, False when the socket is
        done with.

        Raises OSError or trio's resource errors if the transport breaks.
        """
        while True:
            try:
                request = await self._read()
                if request is None:
                    return False
                self.request = request
                self.is_answering = True
                answer = await self._answer(request)
            except h11.RemoteProtocolError as error:
                # If the peer does not speak HTTP, what it sends may be anything; it is not sent
                # back.
                status = error.error_status_hint
                answer = plain(status, _WORDS.get(status, _WORDS[400]), ("Connection", "close"))
            except BadRequest as error:
                answer = plain(error.status, error.text, *error.headers)
            if isinstance(answer, Upgrade):
                self.early = self._h11.trailing_data[0]
                return True
            if isinstance(answer, Feed):
                await self._write_on(answer)
            else:
                await self._write(answer)
            self.is_answering = False
            if self._h11.our_state is not h11.DONE or self._h11.their_state is not h11.DONE:
                return False
            self._h11.start_next_cycle()

    async def refuse(self, status: int, text: str, *headers: tuple[str, str]) -> None:
        """Answer the request that asked for a WebSocket with a refusal."""
        await self._write(plain(status, text, *headers))

    # --- reading ----------------------------------------------------------------------------------

    async def _read(self) -> Request | None:
        """The next request, with its body read; None if the peer has gone or sent nothing for too
        long."""
        limits = self._limits
        begun = bool(self._h11.trailing_data[0])
        self._is_head = self._is_fetched = False
        with trio.move_on_after(limits.request_seconds if begun else limits.idle_seconds) as scope:
            head: h11.Request | None = None
            size = 0
            while True:
                event = self._h11.next_event()
                if event is h11.NEED_DATA:
                    if self._h11.they_are_waiting_for_100_continue:
                        raise BadRequest(
                            417, "Send the request without Expect.", ("Connection", "close")
                        )
                    data = await self._pipe.receive()
                    if not begun:
                        begun = True
                        scope.deadline = min(
                            scope.deadline, trio.current_time() + limits.request_seconds
                        )
                    self._h11.receive_data(data)
                elif isinstance(event, h11.Request):
                    head = event
                    self._is_head = event.method == b"HEAD"
                    self._is_fetched = (b"sec-fetch-dest", FETCHED) in event.headers
                    self._judge(event)
                elif isinstance(event, h11.Data):
                    size += len(event.data)
                    if size > limits.body_bytes:
                        raise BadRequest(413, _WORDS[413], ("Connection", "close"))
                elif isinstance(event, h11.EndOfMessage):
                    assert head is not None
                    return self._request(head)
                else:  # ConnectionClosed, or PAUSED after an answer
                    return None
        if begun:
            raise BadRequest(408, "The request took too long.", ("Connection", "close"))
        return None

    def _judge(self, head: h11.Request) -> None:
        limits = self._limits
        if head.http_version not in (b"1.0", b"1.1"):
            raise BadRequest(505, _WORDS[505], ("Connection", "close"))
        if len(head.target) > limits.target_bytes:
            raise BadRequest(
                414,
                f"The address is longer than {limits.target_bytes} bytes.",
                ("Connection", "close"),
            )
        total = sum(len(name) + len(value) + 4 for name, value in head.headers.raw_items())
        if total > limits.header_bytes or len(head.headers) > limits.headers:
            raise BadRequest(431, _WORDS[431], ("Connection", "close"))
        named = [name for name, _ in head.headers]
        if b"transfer-encoding" in named and b"content-length" in named:
            # A proxy may have believed the other, and seen another request (RFC 9112, 6.3).
            raise BadRequest(400, "The request has two lengths.", ("Connection", "close"))
        for name, value in head.headers:
            if name == b"content-length" and int(value) > limits.body_bytes:
                raise BadRequest(413, _WORDS[413], ("Connection", "close"))

    def _request(self, head: h11.Request) -> Request:
        target = head.target
        if not target.startswith(b"/"):
            # Absolute form, as to a proxy. The path alone says what is meant, since only one server
            # is served here.
            scheme, colon, rest = target.partition(b"://")
            if not colon or scheme.lower() not in (b"http", b"https"):
                raise BadRequest(400, "The address must begin with /.")
            target = b"/" + rest.partition(b"/")[2]
        path, _, query = target.partition(b"?")
        try:
            decoded = unquote_to_bytes(path).decode("utf-8")
            asked = dict(
                parse_qsl(
                    query.decode("ascii"),
                    keep_blank_values=True,
                    max_num_fields=16,
                    errors="strict",
                )
            )
        except (UnicodeDecodeError, ValueError) as error:
            raise BadRequest(400, "The address is not UTF-8 in percent encoding.") from error
        headers: dict[str, str] = {}
        for name, value in head.headers:
            key, text = name.decode("ascii"), value.decode("latin-1")
            headers[key] = f"{headers[key]}, {text}" if key in headers else text
        return Request(
            head.method.decode("ascii"),
            decoded,
            target,
            asked,
            headers,
            list(head.headers.raw_items()),
            self._pipe.peer,
        )

    # --- writing ----------------------------------------------------------------------------------

    async def _write(self, answer: Response) -> None:
        length = () if answer.status in (204, 304) else (("Content-Length", str(len(answer.body))),)
        fields = [
            (name.encode(), value.encode("latin-1"))
            for name, value in (*answer.headers, *length, *self._extra)
            if name not in OF_DOCUMENTS or not (answer.part or self._is_read(answer))
        ]
        reason = HTTPStatus(answer.status).phrase.encode()
        if self._h11.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            return
        out = (
            self._h11.send(h11.Response(status_code=answer.status, headers=fields, reason=reason))
            or b""
        )
        if answer.body and not self._is_head and answer.status not in (204, 304):
            out += self._h11.send(h11.Data(data=answer.body)) or b""
        out += self._h11.send(h11.EndOfMessage()) or b""
        await self._send(out)

    def _is_read(self, answer: Response) -> bool:
        """Whether a script of a page has asked for data, as browsers say with each request. What
        can have scripts of its own carries everything: it may be kept and opened later."""
        kind = next((value for name, value in answer.headers if name == "Content-Type"), "")
        return self._is_fetched and kind in DATA

    async def _write_on(self, answer: Feed) -> None:
        """Send an answer whose length nobody knows: in chunks, or to HTTP/1.0 until the socket
        closes."""
        fields = [
            (name.encode(), value.encode("latin-1"))
            for name, value in (*answer.headers, *self._extra)
        ]
        await self._send(
            self._h11.send(h11.Response(status_code=200, headers=fields, reason=b"OK")) or b""
        )
        if not self._is_head:
            async with aclosing(answer.pieces) as pieces:
                async for piece in pieces:
                    await self._send(self._h11.send(h11.Data(data=piece)) or b"")
        await self._send(self._h11.send(h11.EndOfMessage()) or b"")

    async def _send(self, out: bytes) -> None:
        for start in range(0, len(out), _WRITE_BYTES):
            with trio.move_on_after(self._limits.stall_seconds) as scope:
                await self._pipe.send_all(out[start : start + _WRITE_BYTES])
            if scope.cancelled_caught:
                raise trio.BrokenResourceError("the peer takes nothing")


_WORDS: Final = {
    400: "This is not a readable HTTP request.",
    413: "Nothing here takes a body of this size.",
    431: "The headers are too long.",
    501: "This transfer encoding is not known here.",
    505: "Use HTTP/1.1.",
}
