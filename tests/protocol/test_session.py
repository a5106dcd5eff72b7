"""The connection's state machine and the messages, without any server."""

import contextlib
import inspect
import random

import msgpack
import pytest

from warledger.protocol import canon
from warledger.protocol.board.choices import Option, offer, refuse, say
from warledger.protocol.limits import (
    CLIENT_FRAME_BYTES_MAX,
    FRAME_BEFORE_LOGIN_BYTES_MAX,
    REQUESTS_OPEN_MAX,
)
from warledger.protocol.log.chain import Head
from warledger.protocol.wire import accountmessages as am
from warledger.protocol.wire import fields, messages
from warledger.protocol.wire import markmessages as mm
from warledger.protocol.wire import messages as m
from warledger.protocol.wire import rulingmessages as rm
from warledger.protocol.wire import talkmessages as tm
from warledger.protocol.wire import tournamentmessages as om
from warledger.protocol.wire.fields import FORMS, BadMessage
from warledger.protocol.wire.fields import message as declare
from warledger.protocol.wire.messages import CLIENT, SERVER
from warledger.protocol.wire.session import (
    CLOSED,
    GREETED,
    READY,
    STATES,
    TRANSITIONS,
    FrameFault,
    FrameReader,
    FrameTooBig,
    LocalFault,
    PeerFault,
    ProtocolFault,
    Session,
    frame,
    to_frame,
)

HEAD = Head("g", 7, bytes(32), bytes(64))
SAMPLES = (
    m.Hello(1, 2, "test"),
    m.Welcome(1, 2, "server", bytes(32), {"subscriptions": 3}, (("x", "1"),)),
    m.Login(2, "tok", "Zoë"),
    m.LoggedIn(2, "Zoë", (("seat", "g", "a"),)),
    am.Challenge(2),
    am.ChallengeIs(2, bytes(32)),
    am.SignIn(2, "password", "Zoë", "secret", "phone", True),
    am.SignInKey(2, bytes(32), bytes(64), "bot", False),
    am.SignUp(2, "inv:x", "Zoë", "secret", "en", "phone", True),
    am.SignedIn(2, "abc", "Zoë", "dev:x"),
    am.Account(2),
    am.AccountIs(2, canon.ordered({"handle": "Zoë", "devices": ({"id": "x"},)})),
    am.ChangeAccount(2, "drop_seat", ("g", "a"), ""),
    am.MyGames(2),
    am.Invite(2, "Bert", 14, 1),
    am.Invitation(2, "inv:x", 99),
    am.Mail(1, "link", "Anna"),
    am.MailDone(1),
    tm.Talk(2, "g", "players", 3),
    tm.TalkIs(2, "g", "players", False, (("say",),), ((4, 99, "a", "Zoë", "Hi", False),), ((3,),)),
    tm.SayLine(2, "g", "spectators", "", "Hi"),
    tm.Said(2, 4),
    mm.Mark(1, "g-1", 7, mm.ARROW, (("malta",), ("italy",)), "To Italy"),
    mm.Unmark(1, "g-1", 2),
    mm.Marked(1, 2),
    tm.TalkAct(2, "g", "players", "report", 4),
    om.Tournaments(2),
    om.TournamentList(2, (canon.ordered({"id": "cup", "mine": ("e:1",)}),)),
    om.Tournament(2, "cup"),
    om.TournamentIs(2, "cup", 3, (("e:1",),), {"round": 1}),
    om.CheckCharter(2, "name = 'x'"),
    om.CharterIs(2, False, (("error", "name", "missing", "write it"),), ()),
    om.OpenTournament(2, "cup", "dora", "name = 'x'"),
    om.TournamentOpened(2, "cup", "d:x.1", "cup:x"),
    om.EnterTournament(2, "cup", "Zoë", 1800, 4, bytes(32), bytes(32)),
    om.ShowNonce(2, "cup", 4, bytes(32)),
    om.Entered(2, "cup", 4, HEAD),
    om.TournamentToken(2, "cup", "e:4"),
    om.TournamentCode(2, "cup", "arbiter"),
    om.TournamentSeat(2, "cup", "e:4", 1, 2),
    om.TournamentPaper(2, "cup", "standings.csv", 0, "en"),
    om.PaperIs(2, "standings.csv", b"1,2"),
    m.Ping(3),
    m.Pong(3, 99),
    m.Error(0, "fault", say("error.fault", game="g"), False),
    m.Goodbye(0, say("goodbye.stopping")),
    m.Titles(4),
    m.TitleList(4, (canon.ordered({"title": "x", "seats": ("a",)}),)),
    m.CreateGame(5, "x", {"a": True, "b": 3, "c": "d"}, 60),
    m.OpenGame(5, "x", {"a": True}, {"delay": (60, 2), "unsigned_seats": True}),
    m.Created(5, "g", (("a", "token"),)),
    m.Practice(1, "counting", "a"),
    m.NewToken(6, "g", "a"),
    m.Token(6, "g", "a", "token"),
    m.Replace(9, "g", "a", "Bea"),
    m.CloseGame(9, "g"),
    m.Rule(9, "g", ("heard", 1), ()),
    m.ChoicesAt(9, "g", "a", 7, ("move", 3)),
    rm.Correctable(9, "g", 1, 5, (("move", "p", 3),), ("move",)),
    rm.TryRuling(9, "g", ("ruled", 1, "upheld", "9.2", "So.", (("correct",),)), (("move", 3),)),
    rm.RulingIs(9, "g", 7, (("server", "end", ("a", "x")),), ("a", "points", 2, (("a", 3),))),
    m.Games(10, "playing", "", 5),
    m.GameList(10, (canon.ordered({"game": "g", "winner": None}),), False),
    m.Head(11, "g"),
    m.HeadOf(11, "g", 3),
    m.HeadIs(11, HEAD),
    m.Subscribe(12, "g", -1, "public"),
    m.Subscribed(12, "g", "public", 4),
    m.Unsubscribe(13, "g", "public"),
    m.Unsubscribed(13, "g", "public"),
    m.Records("g", "public", 3, ((b"record", b""), (b"next", b"openings"))),
    m.View(14, "g", "public", -1),
    m.ViewIs(14, "g", "public", 3, (("put", "p", "q", canon.Seal(bytes(32)), ""),)),
    m.Board(15, "g"),
    m.BoardIs(15, "g", "x", {"places": ("p",)}),
    m.Catalogue(16, "en"),
    m.CatalogueIs(16, "en", {"a.b": "text"}),
    m.Choices(17, "g", "a", ("move", 3)),
    m.ChoicesAre(
        17,
        "g",
        5,
        say("prompt", n=1),
        offer("to", ("p", 3, Option("q", say("label", "1.2"))), complete=True),
    ),
    m.Preview(18, "g", "a", ("move",)),
    m.PreviewIs(18, (say("odds", n=2),)),
    m.Submit(19, "g", "a", 5, bytes(32), ("move", 3), b"id"),
    m.Accepted(19, "g", 7, HEAD, False),
    m.Refused(19, refuse("9.2", "refusal.x", pick="p")),
    m.Act(
        22,
        "g",
        "a",
        "command",
        bytes(32),
        3,
        bytes(32),
        (5, b"id", bytes(32)),
        bytes(64),
        (("move", 3), bytes(32)),
    ),
    m.Act(22, "g", "a", "ask", b"", 4, bytes(32), ("draw", 0), b"", None),
    m.Declined(22, refuse("9.2", "refusal.x", pick="p"), bytes(32), 7, bytes(32), bytes(64)),
    m.Witness(22, "g", "a", bytes(32), 7, bytes(32), bytes(64)),
    m.Witnessed(22, "g"),
    m.Witnesses(22, "g"),
    m.WitnessesAre(22, "g", (("a", bytes(32), 7, bytes(32), bytes(64)),)),
    m.Standing(23, "g", "a"),
    m.StandingIs(23, "g", "a", ()),
)


def ready() -> tuple[Session, Session]:
    """A client's and a server's session that have met."""
    client, server = Session(CLIENT), Session(SERVER)
    for message in (m.Hello(1, 1, "t"), m.Login(2, "", "")):
        carry(client, server, message)
        reply = (
            m.Welcome(1, 1, "s", bytes(32), {}, ())
            if message.request == 1
            else m.LoggedIn(2, "p", ())
        )
        carry(server, client, reply)
    return client, server


def carry(sender: Session, receiver: Session, message: object) -> None:
    """One message from one to the other."""
    receiver.receive_data(sender.send(message))
    assert receiver.next_message() == message


def test_every_message_survives_the_wire() -> None:
    """Each message decodes to itself, and the samples leave none out."""
    assert {type(sample) for sample in SAMPLES} == set(messages.all_messages())
    for sample in SAMPLES:
        assert messages.decode(messages.encode(sample)) == sample


def test_every_answer_that_is_named_exists() -> None:
    """The tags that may answer a request are messages of the server's."""
    tags = {cls.tag: cls for cls in messages.all_messages()}
    for cls in messages.all_messages():
        assert all(tags[answer].sender == SERVER for answer in cls.answers)
        assert bool(cls.answers) == (cls.sender == CLIENT)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.tag)
def test_wrong_fields_are_refused_on_both_sides(sample: object) -> None:
    """A field of another kind raises BadMessage, or makes another sound message; nothing else ever
    happens."""
    array = list(canon.unpack_trusted(messages.encode(sample)))
    refused = 0
    for index in range(1, len(array)):
        for wrong in (
            1.5,
            {1: 2},
            "\x00",
            -(2**60),
            b"\x00" * 5000,
            [["x"]],
            {"x": {"y": 1}},
            [{"x": 1}],
            None,
        ):
            try:
                read = messages.decode(
                    msgpack.packb(
                        [*array[:index], wrong, *array[index + 1 :]], default=canon.extension
                    )
                )
            except BadMessage as error:
                refused += 1
                assert str(error)
            else:
                assert messages.decode(messages.encode(read)) == read
    assert refused >= 2 * (len(array) - 1)


def test_random_bytes_decode_to_a_message_or_bad_message() -> None:
    """Nothing else is ever raised by decode."""
    rng = random.Random(11)
    for _ in range(3000):
        payload = bytearray(messages.encode(rng.choice(SAMPLES)))
        for _ in range(rng.randint(1, 3)):
            payload[rng.randrange(len(payload))] = rng.randrange(256)
        with contextlib.suppress(BadMessage):
            messages.decode(bytes(payload))


def test_frames_are_cut_anywhere() -> None:
    """Frames come out whole however the stream was cut."""
    rng = random.Random(4)
    payloads = [rng.randbytes(rng.randint(1, 50)) for _ in range(40)]
    stream = b"".join(map(frame, payloads))
    reader, got, at = FrameReader(50), [], 0
    while at < len(stream):
        step = rng.randint(1, 30)
        reader.receive_data(stream[at : at + step])
        at += step
        while (payload := reader.next_frame()) is not None:
            got.append(payload)
    assert got == payloads
    assert reader.unread == 0


def test_an_oversized_frame_is_refused_by_its_length_alone() -> None:
    """Four bytes are enough to refuse; and no frame is empty."""
    reader = FrameReader(100)
    reader.receive_data((101).to_bytes(4, "big"))
    with pytest.raises(FrameTooBig):
        reader.next_frame()
    empty = FrameReader(100)
    empty.receive_data(bytes(4))
    with pytest.raises(FrameFault):
        empty.next_frame()


def test_the_table_is_whole() -> None:
    """Every state has a row, every row leads to a state, and every state is reached."""
    assert set(TRANSITIONS) == set(STATES)
    reached = {after for row in TRANSITIONS.values() for after in row.values()} | {CLOSED}
    assert reached == set(STATES)


def test_out_of_order_is_the_senders_bug_and_the_receivers_peer_fault() -> None:
    """What may not be sent raises LocalFault before anything leaves; the same bytes from outside
    are a PeerFault, and the last one."""
    client, server = Session(CLIENT), Session(SERVER)
    with pytest.raises(LocalFault):
        client.send(m.Ping(1))
    server.receive_data(to_frame(m.Ping(1)))
    with pytest.raises(PeerFault):
        server.next_message()
    with pytest.raises(PeerFault):
        server.next_message()
    with pytest.raises(TypeError):
        ProtocolFault("abstract")


@pytest.mark.parametrize(
    "message",
    [
        m.Pong(3, 1),
        m.Hello(3, 1, "x"),
        m.Welcome(3, 1, "x", bytes(32), {}, ()),
        m.Records("g", "a", 0, ()),
    ],
)
def test_a_ready_server_refuses_what_a_client_may_not_send(message: object) -> None:
    """Answers, a second hello and records do not come from a client."""
    _, server = ready()
    server.receive_data(to_frame(message))
    with pytest.raises(PeerFault):
        server.next_message()


def test_answers_fit_their_requests() -> None:
    """An answer names an open request and is of a kind that answers it; then its number is free
    again."""
    client, server = ready()
    carry(client, server, m.Ping(3))
    for wrong in (m.Pong(4, 0), m.Unsubscribed(3, "g", "a")):
        with pytest.raises(LocalFault):
            server.send(wrong)
    with pytest.raises(LocalFault):
        client.send(m.Ping(3))
    carry(server, client, m.Pong(3, 0))
    carry(client, server, m.Ping(3))
    carry(server, client, m.Error(3, "fault", say("x"), False))
    assert not client.open and not server.open


def test_open_requests_are_bounded() -> None:
    """More than REQUESTS_OPEN_MAX requests without an answer are refused."""
    client, server = ready()
    for number in range(REQUESTS_OPEN_MAX):
        carry(client, server, m.Ping(10 + number))
    with pytest.raises(LocalFault):
        client.send(m.Ping(9))


def test_a_strangers_frames_are_small() -> None:
    """Before the login a frame's bound is small, after it larger; a server's answers may be
    longer."""
    server = Session(SERVER)
    server.receive_data((FRAME_BEFORE_LOGIN_BYTES_MAX + 1).to_bytes(4, "big"))
    with pytest.raises(PeerFault):
        server.next_message()
    client, server = ready()
    server.receive_data((CLIENT_FRAME_BYTES_MAX).to_bytes(4, "big"))
    assert server.next_message() is None
    assert client.state == server.state == READY


def test_a_failed_login_may_be_tried_again_and_a_goodbye_ends() -> None:
    """An error that is not fatal leads back to GREETED; after Goodbye nothing may come."""
    client, server = Session(CLIENT), Session(SERVER)
    carry(client, server, m.Hello(1, 1, "t"))
    carry(server, client, m.Welcome(1, 1, "s", bytes(32), {}, ()))
    carry(client, server, m.Login(2, "x", ""))
    carry(server, client, m.Error(2, "login", say("error.login"), False))
    assert client.state == server.state == GREETED
    carry(server, client, m.Goodbye(0, say("goodbye.stopping")))
    assert client.state == server.state == CLOSED
    with pytest.raises(LocalFault):
        client.send(m.Login(3, "x", ""))


def test_a_stream_that_ends_inside_a_frame_is_a_fault() -> None:
    """End of file between frames is fine, inside one it is not."""
    server = Session(SERVER)
    server.receive_eof()
    server.receive_data(b"\0\0")
    with pytest.raises(PeerFault):
        server.receive_eof()


def test_names_and_orders_are_checked() -> None:
    """A name is any text of so many characters that can be encoded; orders have their form."""
    assert all(map(fields.is_name, ("Zoë 张", "Zoe\u0308", "a\nb", "\U0001f600" * 64)))
    assert not any(map(fields.is_name, ("\ud800", "x" * 65, b"x", 3)))
    both = (("p", (("pass",), ("roll", 1)), "turn"), ("p", (("pass",),), "game"))
    assert fields.is_orders(both)
    assert not any(
        map(
            fields.is_orders,
            (
                [],
                (("p", (), "turn"),),
                (("p", ((),), "turn"),),
                (("p", ("x",), "turn"),),
                (("", (("x",),), "turn"),),
                (("p", (("x",),), "soon"),),
                (("p", (("x",),), 1),),
                (both[0], both[1], both[0]),
                tuple((f"p{n}", (("x" * 100,),), "turn") for n in range(40)),
            ),
        )
    )
    assert inspect.isfunction(fields.name)


@pytest.mark.parametrize(
    ("begins", "told"),
    [
        (b"HTTP/1.1 400 Bad Request", "this is HTTP"),
        (b"GET / HTTP/1.1", "this is HTTP"),
        (b"\x16\x03\x01\x02\x00\x01", "this is TLS"),
        (b"\x15\x03\x01\x00\x02", "this is TLS"),
    ],
)
def test_the_wrong_door_says_which_it_is(begins: bytes, told: str) -> None:
    """Whoever speaks HTTP or TLS here is named, instead of a frame of a thousand million bytes."""
    reader = FrameReader(4_194_304)
    reader.receive_data(begins)
    with pytest.raises(FrameFault, match=told):
        reader.next_frame()


def test_a_request_without_a_class_of_cost_cannot_be_declared() -> None:
    """It would be carried out for nothing; and what is no request costs nothing."""
    for sender, cost in ((CLIENT, ""), (CLIENT, "cheap"), (SERVER, m.LINE), (None, m.FREE)):
        with pytest.raises(TypeError, match="has one of these costs"):
            declare("toll", sender, cost=cost)
    assert all(form.cls.cost for form in FORMS.values() if form.cls.sender == CLIENT)
