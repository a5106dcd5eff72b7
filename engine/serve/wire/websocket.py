"""WebSocket by wsproto: a transport like the others, in which every binary frame is one message of
the protocol. For a client that asks for the subprotocol in JSON every text frame is one.

Rules of this file:
- To a connection it is a Pipe: messages come in as frames of the byte stream, so that the same
  session machine separates and checks them.
- What goes to many listeners is turned into a WebSocket frame once, not once for each: a server's
  frames have no mask and are all alike.
- Only the newest ping is answered; a peer that sends more frames than allowed is read more slowly.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

import h11
import trio
from wsproto import ConnectionType, WSConnection
from wsproto.events import (
    AcceptConnection,
    BytesMessage,
    CloseConnection,
    Ping,
    RejectConnection,
    TextMessage,
)
from wsproto.events import Request as WebSocketRequest
from wsproto.frame_protocol import CloseReason, FrameProtocol
from wsproto.utilities import LocalProtocolError, RemoteProtocolError

from warledger.engine.serve.config import HttpLimits, ServerLimits
from warledger.engine.serve.http.http1 import Request
from warledger.engine.serve.wire.tcp import Pipe
from warledger.protocol.limits import CLIENT_FRAME_BYTES_MAX
from warledger.protocol.wire import messages
from warledger.protocol.wire.fields import BadMessage
from warledger.protocol.wire.jsonform import from_json, to_json
from warledger.protocol.wire.session import LENGTH_BYTES, PeerFault, frame

SUBPROTOCOL: Final = "warledger.1"
IN_JSON: Final = "warledger.json"
_JSON_BYTES_MAX: Final = 2 * CLIENT_FRAME_BYTES_MAX
"""Largest text frame: names of fields and base64url take more room than the binary form, which has
its own bound."""
SLICE_BYTES: Final = 4096
"""Bytes that are parsed before others get a turn: as many tiny frames as fit into a slice take a
few milliseconds."""
_LAST_WORD_SECONDS: Final = 1.0


class NoWebSocket(Exception):
    """The request is not a proper request for a WebSocket; the text says why."""


class Wire:
    """Frames of the byte stream as WebSocket frames, binary or in JSON. Keeps the newest, since the
    same bytes go to one listener after another."""

    def __init__(self, *, in_json: bool = False) -> None:
        self._in_json = in_json
        self._frames = FrameProtocol(client=False, extensions=[])
        self._came = b""
        self._made = b""

    def __call__(self, frames: bytes) -> bytes:
        """One or more whole frames, each as a WebSocket frame."""
        if frames is self._came:
            return self._made
        made = bytearray()
        view = memoryview(frames)
        at = 0
        while at < len(view):
            end = at + LENGTH_BYTES + int.from_bytes(view[at : at + LENGTH_BYTES], "big")
            payload: Any = view[at + LENGTH_BYTES : end]
            if self._in_json:
                payload = to_json(messages.decode(bytes(payload)))
            made += self._frames.send_data(payload)
            at = end
        self._came, self._made = frames, bytes(made)
        return self._made


def shake(request: Request, early: bytes) -> tuple[WSConnection, bytes, bool]:
    """The connection that a request asks for, the answer to send, and whether its messages are in
    JSON. Raises NoWebSocket."""
    if request.method != "GET":
        raise NoWebSocket("A WebSocket is asked for with GET.")
    ws = WSConnection(ConnectionType.SERVER)
    try:
        ws.initiate_upgrade_connection(list(request.raw), request.target.decode("latin-1"))
        asked = next((event for event in ws.events() if isinstance(event, WebSocketRequest)), None)
        if asked is None:
            raise NoWebSocket("This is not a request for a WebSocket.")
        known = (name for name in asked.subprotocols if name in (SUBPROTOCOL, IN_JSON))
        subprotocol = next(known, None)
        if asked.subprotocols and subprotocol is None:
            ws.send(RejectConnection(status_code=400))
            raise NoWebSocket(f"The subprotocols here are {SUBPROTOCOL} and {IN_JSON}.")
        answer = bytes(ws.send(AcceptConnection(subprotocol=subprotocol)))
        if early:
            ws.receive_data(early)
    except (RemoteProtocolError, LocalProtocolError, h11.ProtocolError) as error:
        raise NoWebSocket("This is not a request for a WebSocket of version 13.") from error
    return ws, answer, subprotocol == IN_JSON


class WebSocketPipe:
    """A WebSocket as a Pipe. `write_raw` and `refuse` are set by whoever makes the connection over
    it: control frames are sent through the one, in their turn. The other is told of JSON that is no
    message, and answers it or raises PeerFault."""

    def __init__(
        self,
        pipe: Pipe,
        ws: WSConnection,
        peer: str,
        limits: ServerLimits,
        http: HttpLimits,
        *,
        in_json: bool = False,
    ) -> None:
        self.peer = peer
        self.write_raw: Callable[[bytes], None] = lambda data: None
        self.refuse: Callable[[BadMessage], None] = self._refuse
        self._in_json = in_json
        self._text: list[str] = []
        self._pipe = pipe
        self._ws = ws
        self._ping_seconds = http.ping_seconds
        self._per_second = limits.frames_per_second
        self._bucket = self._burst = float(limits.frames_burst)
        self._filled = trio.current_time()
        self._unparsed = b""
        self._message = bytearray()
        self._reason: int = CloseReason.NORMAL_CLOSURE
        self._over = False

    def send_now(self, data: bytes) -> int:
        return self._pipe.send_now(data)

    async def send_all(self, data: bytes) -> None:
        await self._pipe.send_all(data)

    async def receive(self) -> bytes:
        """Frames of the byte stream with the next messages; b"" once the peer has closed. Raises
        PeerFault."""
        while not self._over:
            found = self._take()
            if self._bucket < 1 or self._unparsed:
                await self._pause()
            if found:
                return found
            if self._over:
                break
            if self._unparsed:
                data, self._unparsed = self._unparsed[:SLICE_BYTES], self._unparsed[SLICE_BYTES:]
            else:
                more = await self._read()
                if not more:
                    self._over = True
                    break
                data, self._unparsed = more[:SLICE_BYTES], more[SLICE_BYTES:]
            self._ws.receive_data(data)
        return b""

    async def aclose(self) -> None:
        if self._ws.state.name == "OPEN":
            with suppress(
                OSError, trio.BrokenResourceError, trio.ClosedResourceError, LocalProtocolError
            ):
                with trio.move_on_after(_LAST_WORD_SECONDS):
                    await self._pipe.send_all(
                        bytes(self._ws.send(CloseConnection(code=self._reason)))
                    )
        await self._pipe.aclose()

    # --- parts ------------------------------------------------------------------------------------

    def _take(self) -> bytes:
        """The whole messages among what has been parsed."""
        found: list[bytes] = []
        ping: Ping | None = None
        for event in self._ws.events():
            self._bucket -= 1
            if isinstance(event, BytesMessage if self._in_json else TextMessage):
                kinds = ("text frames", "binary") if self._in_json else ("binary frames", "text")
                self._fault(
                    CloseReason.UNSUPPORTED_DATA, f"messages are {kinds[0]}, not {kinds[1]}"
                )
            elif isinstance(event, TextMessage):
                self._text.append(event.data)
                if sum(map(len, self._text)) > _JSON_BYTES_MAX:
                    self._fault(
                        CloseReason.MESSAGE_TOO_BIG,
                        f"a message of more than {_JSON_BYTES_MAX} characters",
                    )
                if event.message_finished:
                    found += self._read_text()
            elif isinstance(event, BytesMessage):
                self._message += event.data
                if len(self._message) > CLIENT_FRAME_BYTES_MAX:
                    self._fault(
                        CloseReason.MESSAGE_TOO_BIG,
                        f"a message of more than {CLIENT_FRAME_BYTES_MAX} bytes",
                    )
                if event.message_finished:
                    if not self._message:
                        self._fault(CloseReason.PROTOCOL_ERROR, "a message cannot be empty")
                    found.append(frame(bytes(self._message)))
                    self._message.clear()
            elif isinstance(event, Ping):
                ping = event
            elif isinstance(event, CloseConnection):
                self._closed(event)
                break
        if ping is not None and not self._over:
            self._write(ping.response())
        return b"".join(found)

    def _read_text(self) -> list[bytes]:
        """The message that has come whole, as frames of the byte stream; none where it was
        refused."""
        text = "".join(self._text)
        self._text.clear()
        try:
            return [frame(messages.encode(from_json(text)))]
        except BadMessage as error:
            self.refuse(error)
            return []

    def _refuse(self, error: BadMessage) -> None:
        raise PeerFault(str(error)) from error

    def _closed(self, event: CloseConnection) -> None:
        if self._ws.state.name == "REMOTE_CLOSING":
            self._write(event.response())
            self._over = True
        elif self._ws.state.name == "OPEN":  # wsproto could not read what arrived
            self._fault(event.code, "this is not a WebSocket frame")

    def _fault(self, code: int, what: str) -> None:
        self._reason = code
        self._over = True
        raise PeerFault(what)

    def _write(self, event: Any) -> None:
        self.write_raw(bytes(self._ws.send(event)))

    async def _pause(self) -> None:
        await trio.lowlevel.checkpoint()
        now = trio.current_time()
        self._bucket = min(self._bucket + (now - self._filled) * self._per_second, self._burst)
        self._filled = now
        if self._bucket < 1:
            await trio.sleep((1 - self._bucket) / self._per_second)

    async def _read(self) -> bytes:
        """The next bytes; b"" if the peer has gone, or does not answer pings."""
        for asked in (False, True):
            with trio.move_on_after(self._ping_seconds):
                return await self._pipe.receive()
            if not asked:
                self._write(Ping())
        self._reason = CloseReason.GOING_AWAY
        return b""
