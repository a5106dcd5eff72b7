"""A connection as seen from either side: how its stream is cut into messages, which of them may
come now, and from whom. Sans-IO.

Rules of this file:
- A frame is four bytes of length (big-endian), then that many bytes of one message. A length is
  checked as soon as its four bytes have arrived, so nothing oversized is ever buffered.
- The bound may change between two frames (a stranger's is small), so it is applied when a frame is
  taken, not when its bytes arrive.
- Everything that affects what may come next stands in TRANSITIONS and in the messages' own
  `answers`.
- It does not matter which side we are: a Session judges what it sends by the same table as what it
  receives. What we send wrongly is our bug (LocalFault), what arrives wrongly is the peer's
  (PeerFault): after that nothing is read from it any more.

    START -hello-> HELLO_SENT -welcome-> GREETED -login-> LOGIN_SENT -logged_in-> READY
                                            ^                  |
                                            `------ error -----'

From anywhere a goodbye or a fatal error leads to CLOSED.

In READY the client may have REQUESTS_OPEN_MAX requests without an answer, answered in any order,
and Records come in between.
"""

from typing import Any, Final

import attrs

from warledger.protocol.limits import (
    CLIENT_FRAME_BYTES_MAX,
    FRAME_BEFORE_LOGIN_BYTES_MAX,
    FRAME_BYTES_MAX,
    REQUESTS_OPEN_MAX,
)
from warledger.protocol.wire import messages
from warledger.protocol.wire.fields import BadMessage
from warledger.protocol.wire.messages import (
    CLIENT,
    SERVER,
    Error,
    Goodbye,
    Hello,
    LoggedIn,
    Login,
    Message,
    Records,
    Welcome,
)

LENGTH_BYTES: Final = 4


class FrameFault(ValueError):
    """The peer's bytes are not a valid frame. Nothing after them can be read."""


class FrameTooBig(FrameFault):
    """A frame longer than the bound in force."""

    def __init__(self, length: int, bytes_max: int) -> None:
        super().__init__(f"a frame of {length} bytes; {bytes_max} is the most here")
        self.length = length
        self.bytes_max = bytes_max


_HTTP = (
    "this is HTTP, not Warledger's protocol: browsers use the server's address for HTTP, all other "
    "clients the one that it serves on"
)
_TLS = "this is TLS: use --tls on both sides, or on neither"
_OTHERS: Final = (
    *((word, _HTTP) for word in (b"HTTP", b"GET ", b"HEAD", b"POST", b"OPTI", b"PRI ")),
    (b"\x15\x03", _TLS),
    (b"\x16\x03", _TLS),
)
"""How other protocols begin, and what to tell a client that uses one of them. Read as a length,
each is far above every bound."""


def frame(payload: bytes) -> bytes:
    """The bytes of one frame. Raises ValueError for an empty payload."""
    if not payload:
        raise ValueError("a frame cannot be empty")
    return len(payload).to_bytes(LENGTH_BYTES, "big") + payload


def to_frame(message: Any) -> bytes:
    """The message as one frame of the stream."""
    return frame(messages.encode(message))


class FrameReader:
    """Cuts a stream into frames. `bytes_max` bounds the next one and may be set at any time."""

    def __init__(self, bytes_max: int) -> None:
        self.bytes_max = bytes_max
        self._buffer = bytearray()
        self._at = 0

    def receive_data(self, data: bytes) -> None:
        """Take bytes that have arrived."""
        if self._at:
            del self._buffer[: self._at]
            self._at = 0
        self._buffer += data

    @property
    def unread(self) -> int:
        """Bytes that have arrived and belong to no frame taken yet."""
        return len(self._buffer) - self._at

    def next_frame(self) -> bytes | None:
        """The payload of the next complete frame, or None until more has arrived. Raises
        FrameFault."""
        start = self._at + LENGTH_BYTES
        if len(self._buffer) < start:
            return None
        length = int.from_bytes(self._buffer[self._at : start], "big")
        if length == 0:
            raise FrameFault("a frame cannot be empty")
        if length > self.bytes_max:
            first = bytes(self._buffer[self._at : start])
            for begins, told in _OTHERS:
                if first.startswith(begins):
                    raise FrameFault(told)
            raise FrameTooBig(length, self.bytes_max)
        end = start + length
        if len(self._buffer) < end:
            return None
        payload = bytes(self._buffer[start:end])
        self._at = end
        return payload


START, HELLO_SENT, GREETED, LOGIN_SENT, READY, CLOSED = (
    "START",
    "HELLO_SENT",
    "GREETED",
    "LOGIN_SENT",
    "READY",
    "CLOSED",
)
STATES: Final = (START, HELLO_SENT, GREETED, LOGIN_SENT, READY, CLOSED)

_ANY: Final = "any other"
TRANSITIONS: Final[dict[str, dict[tuple[str, str], str]]] = {
    START: {(CLIENT, Hello.tag): HELLO_SENT},
    HELLO_SENT: {(SERVER, Welcome.tag): GREETED, (SERVER, Error.tag): START},
    GREETED: {(CLIENT, Login.tag): LOGIN_SENT},
    LOGIN_SENT: {(SERVER, LoggedIn.tag): READY, (SERVER, Error.tag): GREETED},
    READY: {(CLIENT, _ANY): READY, (SERVER, _ANY): READY},
    CLOSED: {},
}
"""State -> (sender, tag) -> next state. Goodbye, and an Error with `fatal`, may come from anywhere
and lead to CLOSED."""

_ONLY_ONCE: Final = frozenset((Hello.tag, Welcome.tag))


class ProtocolFault(Exception):
    """A message that is out of place. Only its two subclasses are ever raised."""

    def __init__(self, what: str) -> None:
        if type(self) is ProtocolFault:
            raise TypeError("raise LocalFault or PeerFault")
        super().__init__(what)


class LocalFault(ProtocolFault):
    """This side was about to send something it may not send, which is a bug. Nothing was sent."""


class PeerFault(ProtocolFault):
    """The peer sent something it may not send. `code` is for an Error in reply; nothing more can be
    read from this connection."""

    def __init__(self, what: str, code: str = "malformed") -> None:
        super().__init__(what)
        self.code = code


@attrs.frozen
class Malformed:
    """A request with a field that is not what it must be. It is to be answered by an Error, and the
    connection goes on."""

    request: int
    what: str


class Session:
    """One connection seen from one side (`role` is CLIENT or SERVER). `state` is where a connection
    that was handed over continues."""

    def __init__(self, role: str, state: str = START) -> None:
        self.role = role
        self.peer = SERVER if role == CLIENT else CLIENT
        self.state = state
        self.open: dict[int, type[Message]] = {}
        self._reader = FrameReader(FRAME_BYTES_MAX)
        self._failed = False

    # --- sending ----------------------------------------------------------------------------------

    def send(self, message: Any) -> bytes:
        """The bytes to send for a message. Raises LocalFault if it may not be sent now."""
        payload = messages.encode(message)
        self.note_sent(message, len(payload))
        return frame(payload)

    def note_sent(self, message: Any, payload_bytes: int) -> None:
        """Count a message encoded elsewhere as sent. Raises LocalFault if it may not be sent
        now."""
        try:
            after = self._judge(self.role, message)
        except _OutOfPlace as error:
            raise LocalFault(str(error)) from None
        if payload_bytes > self._bytes_max(self.role):
            raise LocalFault(
                f"a {message.tag} of {payload_bytes} bytes; {self._bytes_max(self.role)} "
                "is the most here"
            )
        self._take(self.role, message, after)

    # --- receiving --------------------------------------------------------------------------------

    def receive_data(self, data: bytes) -> None:
        """Take bytes that have arrived."""
        self._reader.receive_data(data)

    def next_message(self) -> Any:
        """The next message of the peer, or None until more has arrived. A server gets Malformed in
        place of a request that has a wrong field. Raises PeerFault, after which the connection is
        over."""
        if self._failed:
            raise PeerFault("nothing can be read after a fault")
        self._reader.bytes_max = self._bytes_max(self.peer)
        try:
            payload = self._reader.next_frame()
            if payload is None:
                return None
            message = messages.decode(payload)
            after = self._judge(self.peer, message)
        except BadMessage as error:
            return self.refuse(error)
        except (FrameFault, _OutOfPlace) as error:
            self._failed = True
            raise PeerFault(str(error)) from error
        self._take(self.peer, message, after)
        return message

    def refuse(self, error: BadMessage) -> Malformed:
        """What the peer sent is not a message. Only the request is refused where just a field is
        out of bounds, its number can be answered, and the client is logged in. Raises PeerFault
        where it is not, after which the connection is over."""
        if (
            self.peer == CLIENT
            and self.state == READY
            and error.request > 0
            and error.request not in self.open
            and len(self.open) < REQUESTS_OPEN_MAX
            and error.tag not in _ONLY_ONCE
        ):
            self.open[error.request] = messages.class_of(error.tag)
            return Malformed(error.request, str(error))
        self._failed = True
        raise PeerFault(str(error)) from error

    def receive_eof(self) -> None:
        """The peer will send no more. Raises PeerFault if it stopped in the middle of a frame."""
        if self._reader.unread and not self._failed and self.state != CLOSED:
            self._failed = True
            raise PeerFault("the connection ended in the middle of a message")

    @property
    def before_request(self) -> str:
        """The state before the newest request was taken, if it is not answered yet: another Session
        that takes over the connection continues from it."""
        return {HELLO_SENT: START, LOGIN_SENT: GREETED}.get(self.state, self.state)

    # --- the table --------------------------------------------------------------------------------

    def _bytes_max(self, sender: str) -> int:
        if sender == SERVER:
            return FRAME_BYTES_MAX
        return CLIENT_FRAME_BYTES_MAX if self.state == READY else FRAME_BEFORE_LOGIN_BYTES_MAX

    def _judge(self, sender: str, message: Any) -> str:
        """The state after the message. Raises _OutOfPlace."""
        if message.sender is not None and message.sender != sender:
            raise _OutOfPlace(f"{message.tag} is not for the {sender} to send")
        state = self.state
        kind = type(message)
        if state == CLOSED:
            raise _OutOfPlace(f"{message.tag} after the end of the conversation")
        if kind is Goodbye or (kind is Error and message.fatal):
            return CLOSED
        table = TRANSITIONS[state]
        after = table.get((sender, message.tag))
        if after is None:
            after = table.get((sender, _ANY)) if message.tag not in _ONLY_ONCE else None
            if after is None:
                raise _OutOfPlace(f"{message.tag} may not come from the {sender} in state {state}")
        if sender == CLIENT:
            if message.request in self.open:
                raise _OutOfPlace(f"request {message.request} is in use")
            if len(self.open) >= REQUESTS_OPEN_MAX:
                raise _OutOfPlace(f"more than {REQUESTS_OPEN_MAX} requests without an answer")
        elif kind is not Records and (message.request or kind is not Error):
            asked = self.open.get(message.request)
            if asked is None:
                raise _OutOfPlace(
                    f"{message.tag} answers request {message.request}, which was not made"
                )
            if kind is not Error and message.tag not in asked.answers:
                raise _OutOfPlace(f"{message.tag} does not answer {asked.tag}")
        return after

    def _take(self, sender: str, message: Any, after: str) -> None:
        self.state = after
        if type(message) is Goodbye:
            return
        if sender == CLIENT:
            self.open[message.request] = type(message)
        elif type(message) is not Records:
            self.open.pop(message.request, None)


class _OutOfPlace(Exception):
    """Becomes a LocalFault or a PeerFault, depending on the side."""
