"""What a store asks of JetStream: streams, appends with the subject's own expected sequence, atomic
batches, and reads from the leader or from any replica.

Source: https://docs.nats.io/reference/reference-protocols/nats_api_reference, ADR-31 (direct get)
and ADR-50 (atomic batches). What the server really does is held by `tests/nats/test_beliefs.py`.
"""

import base64
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import trio
from attrs import frozen

from warledger.engine.nats import wire
from warledger.engine.nats.natsport import Engine, EngineError, Missed, Unknown

READ_SECONDS: Final = 0.25
"""How long a direct read waits for its first answer. It goes to any replica, dead ones too."""

WRONG_LAST_SEQUENCE: Final = 10071
IN_PROCESS: Final = (10164, 10158)
"""The leader has an append of this subject under way, or has not yet crossed the last one off."""

FULL: Final = (10077, 10047)
"""The stream, or the server, has no room."""

NO_LEADER: Final = (503, 10008, 10039, 10076)
"""Nobody who could do it just now."""

INCOMPLETE: Final = 10176
"""A batch was not finished: pieces are missing, or the leader who had them is gone."""

NEWEST_MAX: Final = 1000
"""The most subjects whose newest messages are read at once: the server refuses 1,025."""

READ_MESSAGES: Final = 1000
READ_BYTES: Final = 8 * 1024 * 1024
"""How much of a game is asked for at once."""

PIECES_MAX: Final = 1000
"""The most messages in one atomic batch."""


_ACKNOWLEDGED: Final = re.compile(rb'\{"stream": ?"([A-Za-z0-9_-]+)", ?"seq": ?([0-9]{1,18})\}')
"""The answer to an append that was stored, as nearly all of them are."""


class Rejected(EngineError):
    """The engine answered with an error: nothing was stored. `number` is its err_code (or code),
    `last` the subject's newest sequence where that is what was wrong."""

    def __init__(self, number: int, what: str) -> None:
        super().__init__(f"{what} ({number})")
        self.number = number
        self.what = what

    @property
    def last(self) -> int:
        """The subject's newest sequence, as far as the answer says it."""
        digits = self.what.rpartition(":")[2].strip()
        return int(digits) if self.number == WRONG_LAST_SEQUENCE and digits.isdigit() else 0


@frozen
class Stored:
    """The engine's word that a message is stored. `is_old` says that it was stored by an earlier
    try with the same id."""

    stream: str
    sequence: int
    is_old: bool = False


@frozen
class Kept:
    """A message that a stream keeps."""

    subject: str
    sequence: int
    headers: Mapping[str, str]
    payload: bytes


class JetStream:
    """JetStream, as asked over an engine's connection."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    # --- streams ----------------------------------------------------------------------------------

    async def api(
        self, call: str, values: Mapping[str, Any] | None = None, *, seconds: float = 5.0
    ) -> dict[str, Any]:
        """The answer of `$JS.API.CALL`. Raises Rejected, and what a request raises."""
        payload = b"" if values is None else json.dumps(values).encode()
        return _read(await self.engine.request(f"$JS.API.{call}", payload, seconds=seconds))

    async def make(self, name: str, subjects: Sequence[str], **config: Any) -> dict[str, Any]:
        """Make a stream. Raises Rejected; one that exists just so is left as it is."""
        values = {"name": name, "subjects": list(subjects), **config}
        return await self.api(f"STREAM.CREATE.{name}", values)

    async def describe(self, name: str) -> dict[str, Any]:
        """Configuration, state and leader of a stream."""
        return await self.api(f"STREAM.INFO.{name}")

    async def subjects(self, name: str, of: str) -> list[str]:
        """The subjects of a stream that have messages. `of` is a filter with wildcards."""
        found: list[str] = []
        while True:
            asks = {"subjects_filter": of, "offset": len(found)}
            answer = await self.api(f"STREAM.INFO.{name}", asks)
            page = answer["state"].get("subjects") or {}
            found += page
            if not page or len(found) >= int(answer.get("total", 0)):
                return sorted(found)

    async def purge(self, name: str, subject: str, upto: int) -> int:
        """Remove a subject's messages up to this sequence, for good. Returns how many there were.
        Raises Rejected, and what a request raises."""
        answer = await self.api(f"STREAM.PURGE.{name}", {"filter": subject, "seq": upto + 1})
        return int(answer["purged"])

    # --- appends ----------------------------------------------------------------------------------

    async def append(
        self,
        subject: str,
        payload: bytes,
        *,
        identity: str,
        expected: int | None,
        headers: Mapping[str, str] | None = None,
        seconds: float = 1.0,
        shield: bool = False,
    ) -> Stored:
        """Store a message, if the subject's newest has the sequence `expected` (0: if there is
        none). `identity` is the try's name in its stream. With `shield` the answer is waited for
        also where the task was cancelled. Raises Rejected if it was refused, Unknown if nobody can
        say, and what else a request raises if nobody heard."""
        said = _named(identity, expected, headers)
        ask = self.engine.request
        return _stored(await ask(subject, payload, headers=said, seconds=seconds, shield=shield))

    async def append_all(
        self,
        subject: str,
        pieces: Sequence[bytes],
        *,
        identity: str,
        expected: int | None,
        headers: Mapping[str, str] | None = None,
        seconds: float = 2.0,
    ) -> Stored:
        """Store all of these messages or none, one directly after the other. Each try needs an
        identity of its own: a batch of that name may still be open. Raises what `append` does."""
        if len(pieces) > PIECES_MAX:
            raise ValueError(f"{len(pieces)} messages, and a batch takes {PIECES_MAX}")
        batch = identity.replace(".", "-")[-64:]
        *others, last = pieces
        for n, piece in enumerate(others, 1):
            said = {"Nats-Batch-Id": batch, "Nats-Batch-Sequence": str(n)}
            if n == 1:
                said |= _named("", expected, headers)
                # Its answer, which is empty unless it is an error, says that the batch has begun.
                begun = await self.engine.request(subject, piece, headers=said, seconds=seconds)
                if begun.payload:
                    _stored(begun)
            else:
                self.engine.publish(subject, piece, headers=said)
        said = {
            "Nats-Batch-Id": batch,
            "Nats-Batch-Sequence": str(len(pieces)),
            "Nats-Batch-Commit": "1",
        }
        if not others:
            said |= _named("", expected, headers)
        return _stored(await self.engine.request(subject, last, headers=said, seconds=seconds))

    # --- reads ------------------------------------------------------------------------------------

    async def last(
        self, stream: str, subject: str, *, from_leader: bool, seconds: float = 1.0
    ) -> Kept | None:
        """The subject's newest message, or None. Any replica may be behind; the leader is not."""
        return await self._one(stream, {"last_by_subj": subject}, from_leader, seconds)

    async def after(
        self, stream: str, subject: str, sequence: int, *, from_leader: bool, seconds: float = 1.0
    ) -> Kept | None:
        """The subject's first message behind this sequence, or None."""
        asks = {"seq": sequence + 1, "next_by_subj": subject}
        return await self._one(stream, asks, from_leader, seconds)

    async def _one(
        self, stream: str, asks: Mapping[str, Any], from_leader: bool, seconds: float
    ) -> Kept | None:
        if from_leader:
            try:
                answer = await self.api(f"STREAM.MSG.GET.{stream}", asks, seconds=seconds)
            except Rejected as error:
                if error.number == 10037:
                    return None
                raise
            return _kept(answer["message"])
        data = json.dumps(asks).encode()
        subject = f"$JS.API.DIRECT.GET.{stream}"
        message = await self.engine.request(subject, data, seconds=READ_SECONDS)
        return None if message.status == 404 else _direct(message)

    async def read(
        self, stream: str, subject: str, sequence: int, *, most: int, most_bytes: int
    ) -> tuple[list[Kept], int]:
        """Up to `most` messages of a subject (it may hold wildcards) behind this sequence, in
        order, and how many more there are: as the replica that answers has them. Raises Unknown if
        it stops answering in between."""
        asks: dict[str, Any] = {"seq": sequence + 1, "next_by_subj": subject, "batch": most}
        asks["max_bytes"] = most_bytes
        return await self._several(stream, asks)

    async def newest(self, stream: str, subjects: Sequence[str]) -> list[Kept]:
        """The newest message of each of these subjects (at most `NEWEST_MAX`) that has any: as the
        replica that answers has them. Raises Unknown if it stops answering in between."""
        if len(subjects) > NEWEST_MAX:
            raise ValueError(f"{len(subjects)} subjects, and a read takes {NEWEST_MAX}")
        found, _ = await self._several(stream, {"multi_last": list(subjects)})
        return found

    async def _several(self, stream: str, asks: Mapping[str, Any]) -> tuple[list[Kept], int]:
        inbox = self.engine.inbox()
        answers = self.engine.subscribe(inbox)
        try:
            self.engine.publish(
                f"$JS.API.DIRECT.GET.{stream}", json.dumps(asks).encode(), reply=inbox
            )
            return await _batch(answers, stream)
        finally:
            answers.close()


async def _batch(answers: Any, stream: str) -> tuple[list[Kept], int]:
    found: list[Kept] = []
    with trio.move_on_after(READ_SECONDS) as late:
        heard_at = trio.current_time()
        while True:
            try:
                message = await answers.receive()
            except Missed as error:
                raise Unknown(str(error)) from None
            if message.status == 404:
                return found, 0
            if message.status == 204:
                return found, int(message.headers.get("Nats-Num-Pending", "0"))
            found.append(_direct(message))
            # Each may take so long; that it is moved costs more than to hear one.
            if (now := trio.current_time()) - heard_at > READ_SECONDS / 8:
                heard_at, late.deadline = now, now + READ_SECONDS
    raise Unknown(f"no answer of {stream} in {READ_SECONDS} seconds")


def _named(
    identity: str, expected: int | None, headers: Mapping[str, str] | None
) -> dict[str, str]:
    said = dict(headers or {})
    if identity:
        said["Nats-Msg-Id"] = identity
    if expected is not None:
        said["Nats-Expected-Last-Subject-Sequence"] = str(expected)
    return said


def _read(message: wire.Message) -> dict[str, Any]:
    try:
        answer = json.loads(message.payload)
    except ValueError:
        raise Rejected(
            message.status, f"an answer that is not JSON: {message.payload[:80]!r}"
        ) from None
    error = answer.get("error")
    if error:
        raise Rejected(int(error.get("err_code") or error["code"]), str(error.get("description")))
    return dict(answer)


def _stored(message: wire.Message) -> Stored:
    plain = _ACKNOWLEDGED.fullmatch(message.payload)
    if plain is not None:
        return Stored(plain[1].decode(), int(plain[2]))
    answer = _read(message)
    return Stored(answer["stream"], int(answer["seq"]), bool(answer.get("duplicate", False)))


def _kept(message: Mapping[str, Any]) -> Kept:
    """A message as the leader shows it: in base64."""
    headers: Mapping[str, str] = {}
    if message.get("hdrs"):
        _, _, headers = wire.read_headers(base64.b64decode(message["hdrs"]))
    return Kept(
        message["subject"], message["seq"], headers, base64.b64decode(message.get("data") or "")
    )


def _direct(message: wire.Message) -> Kept:
    """A message as a replica shows it: with headers that say where it stands."""
    if message.status:
        raise Rejected(message.status, message.description or "a read was refused")
    said = message.headers
    subject, sequence = said.get("Nats-Subject"), said.get("Nats-Sequence")
    if subject is None or sequence is None:
        raise Rejected(0, "an answer that does not say which message it is")
    return Kept(subject, int(sequence), _Published(said), message.payload)


_SHOWN: Final = frozenset(
    ("Nats-Subject", "Nats-Sequence", "Nats-Stream", "Nats-Time-Stamp", "Nats-Num-Pending",
     "Nats-Last-Sequence")
)  # fmt: skip
"""Headers with which a replica shows a message."""


class _Published(Mapping[str, str]):
    """The headers with which a message was published, among those with which it is shown. Most are
    never looked at, so nothing is copied."""

    __slots__ = ("_shown",)

    def __init__(self, shown: Mapping[str, str]) -> None:
        self._shown = shown

    def get(self, name: str, default: Any = None) -> Any:
        return default if name in _SHOWN else self._shown.get(name, default)

    def __getitem__(self, name: str) -> str:
        if name in _SHOWN:
            raise KeyError(name)
        return self._shown[name]

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._shown if name not in _SHOWN)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return repr(dict(self))
