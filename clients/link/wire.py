"""One connection: requests matched with their answers, records passed on as they arrive. A broken
connection is not used again; `Link` makes the next.

Several tasks may make requests at once. One task reads (`run`); a sender holds the lock.
"""

from collections.abc import Callable
from typing import Any

import trio
from attrs import define, field

from warledger.clients.link.errors import (
    BadServer,
    Disconnected,
    LinkError,
    ServerError,
    Unsendable,
)
from warledger.protocol.board.choices import Say, say
from warledger.protocol.texts.typed import composed_message
from warledger.protocol.wire import messages
from warledger.protocol.wire.messages import (
    CLIENT,
    Error,
    Goodbye,
    LoggedIn,
    Message,
    Records,
    Welcome,
)
from warledger.protocol.wire.session import LocalFault, PeerFault, Session

READ_BYTES = 64 * 1024
ANSWER_S = 120.0
"""How long a request may go without an answer, over one connection: then the connection counts as
broken."""


@define
class _Answer:
    """Holds the answer once it has arrived."""

    done: trio.Event = field(factory=trio.Event)
    message: Any = None
    error: LinkError | None = None


class Wire:
    """A connection in use. `goodbye` is the server's last word, once it has said it."""

    def __init__(self, stream: trio.abc.Stream, on_records: Callable[[Records], None]) -> None:
        self._stream = stream
        self._session = Session(CLIENT)
        self._on_records = on_records
        self._sending = trio.Lock()
        self._answers: dict[int, _Answer] = {}
        self._last_request = 0
        self.goodbye: Say | None = None
        self.broken: LinkError | None = None
        self.over = trio.Event()
        self.heard = 0
        """How many messages have arrived."""

    async def greet(self, client: str) -> Welcome:
        """Exchange hellos. Raises ServerError if the server does not speak our version."""
        welcome: Welcome = await self.request(
            lambda number: messages.Hello(number, messages.VERSION, client)
        )
        return welcome

    async def login(self, token: str, name: str) -> LoggedIn:
        """Present a token. Raises ServerError (code "login") if it is invalid."""
        logged_in: LoggedIn = await self.request(lambda number: messages.Login(number, token, name))
        return logged_in

    async def request(self, make: Callable[[int], Message]) -> Any:
        """Send a request and wait for what answers it. Raises ServerError, Disconnected or
        BadServer."""
        if self.broken is not None:
            raise self.broken
        self._last_request += 1
        number = self._last_request
        answer = self._answers[number] = _Answer()
        try:
            async with self._sending:
                if self.broken is not None:  # while this waited for its turn
                    raise self.broken
                try:
                    data = self._session.send(composed_message(make(number)))
                except LocalFault as error:
                    raise Unsendable(say("link.unsendable", what=str(error))) from error
                try:
                    await self._stream.send_all(data)
                except (trio.BrokenResourceError, trio.ClosedResourceError, OSError) as error:
                    raise Disconnected(f"the connection broke: {error}") from error
                except trio.Cancelled:
                    # A frame that was sent in part cannot be completed.
                    self._break(Disconnected("a message was cut off"))
                    raise
            with trio.move_on_after(ANSWER_S) as patience:
                await answer.done.wait()
            if patience.cancelled_caught and not answer.done.is_set():
                self._break(Disconnected("the server does not answer"))
        finally:
            self._answers.pop(number, None)
        if answer.error is not None:
            raise answer.error
        return answer.message

    async def run(self) -> None:
        """Read until the connection is over; then every open request fails. Never raises for what
        the peer does."""
        try:
            await self._read()
        except (trio.BrokenResourceError, trio.ClosedResourceError, OSError) as error:
            self._break(Disconnected(f"the connection broke: {error}"))
        except PeerFault as error:
            self._break(BadServer(f"what the server sent is not valid: {error}"))
        finally:
            self._break(Disconnected("the server closed the connection"))

    async def aclose(self) -> None:
        """Close the connection."""
        self._break(Disconnected("this side closed the connection"))
        with trio.move_on_after(1) as scope:
            scope.shield = True
            await self._stream.aclose()

    async def _read(self) -> None:
        session = self._session
        while True:
            message = session.next_message()
            if message is None:
                data = await self._stream.receive_some(READ_BYTES)
                if not data:
                    # Also in the middle of a message: a server that was killed is a broken
                    # connection, not a bad server.
                    return
                session.receive_data(bytes(data))
            elif type(message) is Records:
                self.heard += 1
                self._on_records(message)
            elif type(message) is Goodbye:
                # Nothing may be sent any more, even though the end of the stream has not arrived
                # yet.
                self.goodbye = message.say
                self._break(Disconnected("the server said goodbye"))
                return
            elif type(message) is Error and message.request == 0:
                self._break(ServerError(message.code, message.say))
                return
            else:
                self.heard += 1
                self._take_answer(message)
                if type(message) is Error and message.fatal:
                    self._break(Disconnected("the server ended the conversation"))
                    return

    def _take_answer(self, message: Any) -> None:
        answer = self._answers.get(message.request)
        if answer is None:
            return
        if type(message) is Error:
            answer.error = ServerError(message.code, message.say)
        else:
            answer.message = message
        answer.done.set()

    def _break(self, error: LinkError) -> None:
        if self.broken is None:
            self.broken = error
            self.over.set()
            for answer in self._answers.values():
                if not answer.done.is_set():
                    answer.error = error
                    answer.done.set()
