"""TLS over a stream, as the client of NATS needs it: whatever has come is given at once.

trio's own gives one record of TLS at a time. A server answers each of many appends with a record of
its own. So each would cost several steps of the loop, and what is said in return would go out
record by record, too.
"""

import ssl
from typing import Final

import trio

_TAKEN_BYTES: Final = 256 * 1024


class TLSStream(trio.abc.Stream):
    """A client's side of TLS over a stream. One task may receive and one may send."""

    def __init__(self, under: trio.abc.Stream, context: ssl.SSLContext, host: str) -> None:
        self._under = under
        self._in, self._out = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._in, self._out, server_hostname=host)
        self._sending = trio.Lock()
        self._is_at_end = False

    async def do_handshake(self) -> None:
        """Make the connection, once. Raises ssl.SSLError, and what the stream below raises."""
        while True:
            try:
                self._tls.do_handshake()
            except ssl.SSLWantReadError:
                await self._flush()
                await self._take()
            except ssl.SSLError:
                await self._flush()  # the other side hears why
                raise
            else:
                await self._flush()
                return

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        """All that has come; nothing at the end. `max_bytes` is how much is taken from the stream
        below at once."""
        while True:
            data = self._opened()
            if self._out.pending and not self._is_at_end:  # an answer of TLS itself
                await self._flush()
            if data or self._is_at_end:
                return data
            await self._take(max_bytes)

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        """Send these bytes."""
        left = memoryview(data)
        try:
            while left:
                left = left[self._tls.write(left) :]
        except ssl.SSLError as error:
            raise trio.BrokenResourceError from error
        await self._flush()

    async def wait_send_all_might_not_block(self) -> None:
        """See trio."""
        await self._under.wait_send_all_might_not_block()

    async def aclose(self) -> None:
        """Close the stream below. Nobody is told first: all of NATS's messages say how long they
        are."""
        await self._under.aclose()

    def _opened(self) -> bytes:
        parts: list[bytes] = []
        try:
            while part := self._tls.read(_TAKEN_BYTES):
                parts.append(part)
            self._is_at_end = True
        except ssl.SSLWantReadError:
            pass
        except (ssl.SSLZeroReturnError, ssl.SSLEOFError):
            self._is_at_end = True
        except ssl.SSLError as error:
            raise trio.BrokenResourceError from error
        return parts[0] if len(parts) == 1 else b"".join(parts)

    async def _take(self, max_bytes: int | None = None) -> None:
        data = await self._under.receive_some(max_bytes or _TAKEN_BYTES)
        if data:
            self._in.write(data)
        else:
            self._in.write_eof()

    async def _flush(self) -> None:
        if self._sending.locked():
            await self._sending.acquire()
        else:
            self._sending.acquire_nowait()
        try:
            data = self._out.read()
            if data:
                await self._under.send_all(data)
        finally:
            self._sending.release()
