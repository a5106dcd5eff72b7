"""NATS's protocol as bytes: whatever is cut or damaged, the parser says what stands there or that
it is none."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warledger.engine.nats import wire
from warledger.engine.nats.nkeys import BadKey, UserKey

TOKENS = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=8)
SUBJECTS = st.lists(TOKENS, min_size=1, max_size=4).map(".".join)
NAMES = st.from_regex(r"\A[A-Za-z][A-Za-z0-9-]{0,12}\Z")
VALUES = st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), max_size=20).map(
    str.strip
)
MESSAGES = st.builds(
    wire.Message,
    SUBJECTS,
    st.integers(0, 10**9),
    st.just("") | SUBJECTS,
    st.binary(max_size=40),
    st.dictionaries(NAMES, VALUES, max_size=3),
    st.just(0),
    st.just(""),
)


def said(message: wire.Message) -> bytes:
    """A message as a server sends it."""
    to = f"{message.subject} {message.number}" + (f" {message.reply}" if message.reply else "")
    if not message.headers:
        return f"MSG {to} {len(message.payload)}\r\n".encode() + message.payload + b"\r\n"
    head = wire.write_headers(message.headers)
    sizes = f"{len(head)} {len(head) + len(message.payload)}"
    return f"HMSG {to} {sizes}\r\n".encode() + head + message.payload + b"\r\n"


@given(st.lists(MESSAGES, max_size=5), st.lists(st.integers(1, 9), max_size=60))
def test_what_is_said_is_read_however_it_is_cut(
    messages: list[wire.Message], cuts: list[int]
) -> None:
    """One byte at a time or all at once."""
    data = b"PING\r\n" + b"".join(map(said, messages)) + b"PONG\r\n"
    parser, at = wire.Parser(), 0
    heard: list[wire.Heard] = []
    for cut in [*cuts, len(data)]:
        heard += parser.feed(data[at : at + cut])
        at += cut
    heard += parser.feed(data[at:])
    assert heard == [wire.Ping(), *messages, wire.Pong()]


@given(st.lists(MESSAGES, min_size=1, max_size=3), st.data())
def test_damage_ends_in_a_fault_or_in_other_words_and_never_in_another_error(
    messages: list[wire.Message], data: st.DataObject
) -> None:
    """Bytes put in, taken out or changed."""
    said_all = bytearray(b"".join(map(said, messages)))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, max(len(said_all) - 1, 0)))
        said_all[at : at + data.draw(st.integers(0, 2))] = data.draw(st.binary(max_size=2))
    parser = wire.Parser()
    try:
        list(parser.feed(bytes(said_all)))
    except wire.ProtocolFault:
        return


@given(st.binary(max_size=200))
def test_any_bytes_are_words_or_a_fault(data: bytes) -> None:
    """A server that is none at all."""
    try:
        list(wire.Parser().feed(data))
    except wire.ProtocolFault:
        return


@pytest.mark.parametrize(
    "line",
    [
        b"HTTP/1.1 400 Bad Request\r\n",
        b"MSG a 1\r\n",
        b"MSG a 1 b c 5\r\n",
        b"MSG a one 5\r\n",
        b"MSG a 1 -5\r\n",
        b"MSG a 1 999999999999\r\n",
        b"HMSG a 1 9 5\r\n",
        b"MSG a 1 2\r\nabc\r\n",
        b"HMSG a 1 4 4\r\nabcd\r\n",
        b"HMSG a 1 15 15\r\nNATS/1.0 5x\r\n\r\n\r\n",
        b"INFO [1]\r\n",
        b"INFO {\r\n",
        b"MSG \xff 1 0\r\n\r\n",
        b"x" * (wire.CONTROL_LINE_BYTES_MAX + 1),
        b"x" * (wire.CONTROL_LINE_BYTES_MAX + 1) + b"\r\n",
    ],
)
def test_what_no_server_says_is_a_fault(line: bytes) -> None:
    """It is found at its line, before anything is waited for."""
    with pytest.raises(wire.ProtocolFault):
        list(wire.Parser().feed(line))


def test_what_a_server_says_of_itself() -> None:
    """Fields that it leaves out have the server's own defaults."""
    info = wire.Info(json.loads('{"version": "2.15.1-RC.2", "ldm": true, "connect_urls": ["h:1"]}'))
    assert (info.version, info.is_leaving, info.others) == ((2, 15, 1), True, ("h:1",))
    assert (info.max_payload, info.nonce, info.needs_tls) == (1 << 20, "", False)


def test_a_status_is_read_with_its_words() -> None:
    """As "no responders" is said."""
    head = b"NATS/1.0 503 No Responders\r\nA: b: c \r\n\r\n"
    assert wire.read_headers(head) == (503, "No Responders", {"A": "b: c"})


def test_a_line_that_is_written_less_plainly_is_read_all_the_same() -> None:
    """Small letters, tabs and several spaces; with and without a reply."""
    plain = b"MSG a.b 7 5\r\nhello\r\nHMSG a 1 r 20 21\r\nNATS/1.0\r\nA: b c\r\n\r\nx\r\n"
    other = b"msg  a.b\t7   5\r\nhello\r\nHmsg a 1\tr 20  21\r\nNATS/1.0\r\nA: b c\r\n\r\nx\r\n"
    heard = list(wire.Parser().feed(plain))
    assert heard == list(wire.Parser().feed(other))
    assert heard[0] == wire.Message("a.b", 7, "", b"hello")
    assert heard[1] == wire.Message("a", 1, "r", b"x", {"A": "b c"})


def test_of_a_header_that_came_twice_the_last_value_stands() -> None:
    """Whether one is asked for or all are read."""
    head = b"NATS/1.0\r\nA: 1\r\nB:2 \r\nA:  3\r\n\r\n"
    [heard] = wire.Parser().feed(b"HMSG a 1 %d %d\r\n%b\r\n" % (len(head), len(head), head))
    assert type(heard) is wire.Message
    fields = heard.headers
    assert (fields.get("A"), fields.get("B"), fields.get("a"), fields.get("C", "-")) == (
        "3",
        "2",
        None,
        "-",
    )
    assert ("A" in fields, "1" in fields, "A: 1" in fields) == (True, False, False)
    assert (fields["A"], dict(fields), len(fields)) == ("3", {"A": "3", "B": "2"}, 2)


@pytest.mark.parametrize("subject", ["", "a b", "a\r\nPUB x 0", "a\tb", "\x00"])
def test_no_word_breaks_its_line(subject: str) -> None:
    """Neither a subject nor a header puts words of its own into what is sent."""
    with pytest.raises(wire.BadValue):
        wire.publish(subject, b"")
    with pytest.raises(wire.BadValue):
        wire.subscribe("a", 1, subject or " ")
    with pytest.raises(wire.BadValue):
        wire.publish("a", b"", headers={"X": "1\r\nY: 2", subject: ""})


def test_a_key_is_read_from_its_seed_and_nothing_else_is() -> None:
    """A slip in it is said, and what is kept of it is never shown."""
    key = UserKey.made(bytes(range(32)))
    assert key.public == "UAB2CB576PHBBPQ5ODORRZ2LYCMWPZGWGCN2KDK7DXOIMZASKUY3RLKK"
    assert UserKey.read(f" {key.seed}\n").public == key.public
    assert key.seed not in repr(key)
    for wrong in ("", "SU", key.public, key.seed[:-1], key.seed.replace("A", "B", 1), "é" * 58):
        with pytest.raises(BadKey):
            UserKey.read(wrong)
