"""Mail: letters as they are written and handed over, addresses that are confirmed, links that sign
in, and what a mail server may do to us."""

from __future__ import annotations

import os
import random
import re
import smtplib
import socket
import ssl
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
import trio

from tests.serve.people.test_accounts import (
    PASSWORD,
    begin,
    desk,
    files,
    later,
    new_game,
    person,
    sign_in,
)
from tests.serve.people.test_accounts import quick as quick
from tests.serve.people.test_identities import account
from tests.serve.rig import Server
from warledger.engine.desk import letters, mail
from warledger.engine.desk.mail import BadMail, MailServer, Postman, Written
from warledger.engine.desk.people import People
from warledger.engine.desk.webhook import NotPosted
from warledger.engine.runtime.metrics import figures, public_figures
from warledger.engine.serve.config import BadConfig, Config
from warledger.protocol.wire import accountmessages as am
from warledger.protocol.wire import messages as m

SETTINGS = MailServer("localhost", "games@example.org", 25, mail.NONE)
LONG = f"https://games.example.org/account#stop=stop:{'i' * 10}:{'s' * 43}"
ADDRESS = "planted.4711@example.net"


class Post(Postman):
    """Keeps the letters; `fails` is why it takes none."""

    def __init__(self) -> None:
        super().__init__(SETTINGS)
        self.got: list[tuple[str, EmailMessage]] = []
        self.fails = ""

    async def send(self, to: str, made: EmailMessage) -> None:
        await trio.lowlevel.checkpoint()
        self.got.append((to, made))
        if self.fails:
            raise NotPosted(self.fails)

    def text(self) -> str:
        """The newest letter's."""
        return str(self.got[-1][1].get_content())

    def code(self) -> str:
        """The code in it."""
        found = re.search(r"[a-z]+:[\w-]{43}", self.text())
        assert found is not None, self.text()
        return found[0]


@asynccontextmanager
async def posting(tmp_path: Path) -> AsyncIterator[tuple[Server, People, Post]]:
    async with desk(tmp_path) as (running, people):
        running.hub.notifier.postman = post = Post()
        yield running, people, post


async def confirmed(running: Server, post: Post) -> Any:
    """Anna, whose address is confirmed."""
    anna = await person(running)
    answer = await anna.ask(am.ChangeAccount, "mail", ADDRESS, "")
    assert answer.account["mail"]["waiting"] == ADDRESS and not answer.account["mail"]["address"]
    await running.hub.notifier.send_letters()
    stranger = await running.client()
    assert type(await stranger.ask(am.Mail, "confirm", post.code())) is am.MailDone
    return anna


async def test_an_address_counts_once_its_code_was_shown(
    tmp_path: Path, autojump_clock: Any
) -> None:
    """Once; from then on notices go there as well."""
    async with posting(tmp_path) as (running, _people, post):
        anna = await confirmed(running, post)
        told = (await anna.ask(am.Account)).account["mail"]
        assert told == {"address": ADDRESS, "error": "", "notices": True, "waiting": ""}
        again = await (await running.client()).ask(am.Mail, "confirm", post.code())
        assert again.code == "bad_account"


async def test_a_link_signs_in_once_and_lets_one_choose_a_password(
    tmp_path: Path, autojump_clock: Any
) -> None:
    """By the handle or the address, however they are spelt."""
    async with posting(tmp_path) as (running, _people, post):
        await confirmed(running, post)
        for whom in ("aNNa", ADDRESS.upper()):
            stranger = await running.client()
            assert type(await stranger.ask(am.Mail, "link", whom)) is am.MailDone
            await running.hub.notifier.send_letters()
            assert post.got[-1][0] == ADDRESS
            signed = await stranger.ask(am.SignIn, "link", "", post.code(), "phone", True)
            assert signed.handle == "Anna"
            twice = await stranger.ask(am.SignIn, "link", "", post.code(), "phone", True)
            assert twice.code == "sign_in"
            assert type(await stranger.ask(m.Login, signed.token, "")) is m.LoggedIn
            new = await stranger.ask(am.ChangeAccount, "password", "a new pass phrase", "")
            assert type(new) is am.AccountIs


async def test_a_stranger_learns_nothing_from_the_answer(
    tmp_path: Path, autojump_clock: Any
) -> None:
    """It is the same for nobody, for somebody without an address, and for an address that was
    never confirmed; none of them gets a letter."""
    async with posting(tmp_path) as (running, _people, post):
        anna = await person(running)
        await anna.ask(am.ChangeAccount, "mail", ADDRESS, "")
        await running.hub.notifier.send_letters()
        del post.got[:]
        stranger = await running.client()
        for whom in ("Nobody.here", "Anna", ADDRESS, "other@example.net", ""):
            assert type(await stranger.ask(am.Mail, "link", whom)) is am.MailDone
        await running.hub.notifier.send_letters()
        assert post.got == []


async def test_a_mailbox_gets_a_few_letters_and_its_owner_a_link(
    tmp_path: Path, autojump_clock: Any
) -> None:
    """However often, from wherever and in whatever spelling strangers ask: five letters an hour,
    the same answer each time, and the newest link is good."""
    async with posting(tmp_path) as (running, people, post):
        notifier = running.hub.notifier
        await confirmed(running, post)
        stranger = await running.client()
        for n in range(100):
            answer = await stranger.ask(am.Mail, "link", ("Anna", "aNNa", ADDRESS.upper())[n % 3])
            assert type(answer) is am.MailDone
            notifier.ask_link(f"2001:db8:{n:x}::1", "Anna")
            await notifier.send_letters()
        assert len(post.got) == 6, "one that confirmed, and five links"
        later(people, 14 / 60)
        signed = await stranger.ask(am.SignIn, "link", "", post.code(), "phone", True)
        assert signed.handle == "Anna"
        await stranger.ask(am.Mail, "link", "Anna")
        await notifier.send_letters()
        assert len(post.got) == 7


async def test_a_mailbox_is_filled_by_no_number_of_accounts(
    tmp_path: Path, autojump_clock: Any
) -> None:
    """Who wants an address of their own gets the letter, however often others asked elsewhere; one
    address is written to five times, by whomever it is named."""
    async with posting(tmp_path) as (running, people, post):
        for n in range(40):
            name = f"other{n}x"
            await account(people, name)
            client = await person(running, name)
            own = await client.ask(am.ChangeAccount, "mail", f"{name}@example.org", "")
            assert type(own) is am.AccountIs
            answer = await client.ask(am.ChangeAccount, "mail", ADDRESS, "")
            assert (type(answer) is am.AccountIs) == (n < 5)
            await running.hub.notifier.send_letters()
        assert sum(to == ADDRESS for to, _ in post.got) == 5


async def test_who_names_a_mailbox_as_theirs_takes_no_link_from_its_owner(
    tmp_path: Path, autojump_clock: Any
) -> None:
    """Letters that confirm are counted apart, so the answer does not tell either whether anybody
    asked for links there."""
    async with posting(tmp_path) as (running, people, post):
        await confirmed(running, post)
        await account(people, "Mallory")
        mallory, answers = await person(running, "Mallory"), []
        for _ in range(5):
            answers.append(await mallory.ask(am.ChangeAccount, "mail", ADDRESS, ""))
            await running.hub.notifier.send_letters()
        assert [type(one) is am.AccountIs for one in answers] == [True] * 4 + [False]
        sent = len(post.got)
        running.hub.notifier.ask_link("192.0.2.1", "Anna")
        await running.hub.notifier.send_letters()
        assert len(post.got) == sent + 1


async def test_a_letter_that_is_sent_again_is_the_same_with_another_code(
    tmp_path: Path, autojump_clock: Any
) -> None:
    """After a crash between sending and noting it, and after a refusal; only the newest code is
    good. A link is not sent once it could not be used in time."""
    async with posting(tmp_path) as (running, people, post):
        await confirmed(running, post)
        stranger = await running.client()
        await stranger.ask(am.Mail, "link", "Anna")
        post.fails = "no_mail"
        await running.hub.notifier.send_letters()
        first = post.code()
        later(people, 0.02)
        await running.hub.notifier.send_letters()
        second = post.code()
        one, two = (made for _, made in post.got[-2:])
        assert one["Message-ID"] == two["Message-ID"] and first != second
        old = await stranger.ask(am.SignIn, "link", "", first, "", False)
        new = await stranger.ask(am.SignIn, "link", "", second, "", False)
        assert old.code == "sign_in" and type(new) is am.SignedIn
        await (await running.client()).ask(am.Mail, "link", "Anna")
        await running.hub.notifier.send_letters()
        later(people, 1)
        sent = len(post.got)
        await running.hub.notifier.send_letters()
        assert len(post.got) == sent


async def test_notices_come_by_mail_and_can_be_stopped_from_the_letter(
    tmp_path: Path, autojump_clock: Any
) -> None:
    """By its header and its last line; whoever has the letter may, nobody else."""
    async with posting(tmp_path) as (running, people, post):
        running.hub.notifier.url = "https://games.example.org"
        anna = await confirmed(running, post)
        made = await new_game(running)
        await anna.ask(m.Login, dict(made.tokens)["a"], "")
        bert = await running.client(dict(made.tokens)["b"])
        await begin(anna, bert, made.game)
        await running.hub.notifier.look()
        later(people, 0.1)
        await running.hub.notifier.send()
        to, sent = post.got[-1]
        assert to == ADDRESS and sent["Subject"] == "Your decision"
        assert f"https://games.example.org/game/{made.game}" in sent.get_content()
        link, mailto = sent["List-Unsubscribe"].split(", ")
        account = (await anna.ask(am.Account)).account["id"]
        assert mailto == f"<mailto:games@example.org?subject=unsubscribe%20{account}>"
        code = link[1:-1].partition("#stop=")[2]
        assert code.startswith("stop:")
        stranger = await running.client()
        await stranger.ask(am.Mail, "stop", f"stop:{account}:x")
        assert (await anna.ask(am.Account)).account["mail"]["notices"] is True
        await stranger.ask(am.Mail, "stop", code)
        assert (await anna.ask(am.Account)).account["mail"]["notices"] is False


async def test_an_address_is_nowhere_but_in_the_accounts_file(
    tmp_path: Path, autojump_clock: Any
) -> None:
    """Not in the server's log, its figures, or what another may ask; and not in the file either
    once it is removed."""
    async with posting(tmp_path) as (running, people, post):
        anna = await confirmed(running, post)
        post.fails = "no_mailbox"
        await anna.ask(am.ChangeAccount, "test_channel", "mail", "")
        await (await running.client()).ask(am.Mail, "link", ADDRESS)
        await running.hub.notifier.send_letters()
        assert ADDRESS not in running.log.getvalue()
        assert "4711" not in figures(public_figures(running.hub.metrics))
        assert ADDRESS not in repr(am.Mail(1, "link", ADDRESS))
        assert any(ADDRESS.encode() in path.read_bytes() for path in files(tmp_path))
        await anna.ask(am.ChangeAccount, "mail", "", "")
        await people.write_out()
        assert not any(ADDRESS.encode() in path.read_bytes() for path in files(tmp_path))


async def test_without_a_mail_server_nobody_waits_for_letters(
    tmp_path: Path, autojump_clock: Any
) -> None:
    """They are told so at once."""
    async with desk(tmp_path) as (running, _people):
        anna = await person(running)
        answer = await anna.ask(am.ChangeAccount, "mail", ADDRESS, "")
        asked = await (await running.client()).ask(am.Mail, "link", "Anna")
        assert answer.say.key == asked.say.key == "error.no_mail"
        assert (await anna.ask(am.Account)).account["served"] == {"mail": False, "push": b""}


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "a",
            "a@b",
            "a@b.c",
            "a b@example.org",
            "a@example.org\nBcc: x@y.example",
            ".a@x.org",
        ),
        *(
            "a..b@x.org",
            "a.@x.org",
            "é@example.org",
            "a@-x.org",
            "x" * 65 + "@example.org",
            7,
            None,
        ),
        *("a@example.org, b@example.org", "<a@example.org>", "a@exam_ple.org"),
    ],
)
async def test_what_is_no_address_is_refused(
    tmp_path: Path, autojump_clock: Any, text: Any
) -> None:
    """So no header can be smuggled in ("" removes the address)."""
    assert not letters.is_address(text)
    async with posting(tmp_path) as (running, _people, _post):
        anna = await person(running)
        answer = await anna.ask(am.ChangeAccount, "mail", text, "")
        assert text == "" or answer.code == "bad_account"


async def test_a_forgotten_account_leaves_no_letter(tmp_path: Path, autojump_clock: Any) -> None:
    """Neither its address, nor a letter that is due, nor a webhook, is in any file."""
    async with posting(tmp_path) as (running, people, post):
        anna = await confirmed(running, post)
        hook = ("https://hooks.example.org/planted.4711", "json")
        assert type(await anna.ask(am.ChangeAccount, "channel", hook, "")) is am.AccountIs
        await sign_in(await running.client())
        await (await running.client()).ask(am.Mail, "link", "Anna")
        await anna.ask(am.ChangeAccount, "mail", "other.4711@example.net", "")
        assert any(b"4711" in path.read_bytes() for path in files(tmp_path))
        await anna.say(am.ChangeAccount, "forget", None, PASSWORD)
        while await anna.hear() is not None:
            pass
        del post.got[:]
        await running.hub.notifier.send_letters()
        await running.hub.notifier.send()
        await people.write_out()
        assert post.got == []
        assert not any(b"4711" in path.read_bytes() for path in files(tmp_path))


async def test_whatever_is_asked_of_the_mail_the_server_stays(
    tmp_path: Path, autojump_clock: Any, any_seed: int
) -> None:
    """Random codes, names and settings, of strangers and of somebody who is signed in: each is
    answered, and none is a fault."""
    rng = random.Random(any_seed)
    values: tuple[Any, ...] = (
        *(None, True, 7, "", "x@y.org", "\u202e@", b"x", (), ({},), ({"ask": "off"}, 1, 2), {}),
    )
    async with posting(tmp_path) as (running, _people, _post):
        anna = await person(running)
        for _ in range(150):
            text = rng.choice(
                ("", "stop:", "stop:a:b", "mail:x", "Anna", "@", "a@b.org", "\0", "文")
            )
            what = rng.choice(("telling", "mail", "mail_notices", "test_channel", "channel"))
            if rng.random() < 0.5:
                who = rng.choice((anna, await running.client()))
                answer = await who.ask(am.Mail, rng.choice(("link", "confirm", "stop")), text)
            else:
                answer = await anna.ask(am.ChangeAccount, what, rng.choice(values), "")
            assert type(answer) in (am.MailDone, am.AccountIs, m.Error), answer
            assert getattr(answer, "code", "") != "fault"
        await running.hub.notifier.send_letters()
        assert running.hub.metrics.faults == 0


def test_a_server_does_not_start_with_settings_that_it_cannot_use(tmp_path: Path) -> None:
    """It says which file, and what to write."""
    with pytest.raises(BadConfig, match=r"--mail: .*mail\.toml cannot be read"):
        Config(tmp_path, mail=tmp_path / "mail.toml")


# --- the mail server ------------------------------------------------------------------------------


@contextmanager
def smtp(*answers: str, ends: bool = True) -> Iterator[tuple[int, list[str]]]:
    """A mail server that gives these answers, one to each line or letter, and then hangs unless it
    `ends`; its port, and what it heard."""
    heard: list[str] = []
    listening = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        sock, _ = listening.accept()
        with suppress(OSError), sock, sock.makefile("rwb", 0) as file:
            data = False
            for answer in answers:
                file.write(answer.encode() + b"\r\n")
                while line := file.readline():
                    heard.append(line.decode().rstrip("\r\n"))
                    if not data or line == b".\r\n":
                        break
                data = answer.startswith("354")
            if not ends:
                while file.read(1):
                    pass

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield listening.getsockname()[1], heard
    finally:
        listening.close()
        thread.join(5)
        assert not thread.is_alive()


def plain(port: int) -> MailServer:
    return MailServer("127.0.0.1", "games@example.org", port, mail.NONE, name="Spiele")


def test_a_letter_is_handed_over() -> None:
    """In plain text of any script, from and to whom it says, and with nothing in lines that are too
    long."""
    answers = ("220 hi", "250 ok", "250 ok", "250 ok", "354 go", "250 taken", "221 bye")
    with smtp(*answers) as (port, heard):
        server = plain(port)
        written = Written("輪到你", "文" * 300, (LONG, "mailto:x"))
        made = mail.letter(server, ADDRESS, "key", 1_700_000_000_000, written)
        mail.deliver(server, ssl.create_default_context(), mail.Line(), ADDRESS, made)
    text = "\n".join(heard)
    assert "mail FROM:<games@example.org>" in text and f"rcpt TO:<{ADDRESS}>" in text
    assert (
        "Message-ID: <key@example.org>" in text
        and f"List-Unsubscribe: <{LONG}>,\n <mailto:x>" in text
    )
    assert "Auto-Submitted: auto-generated" in text
    assert "=?utf-8?" in text, "the subject is encoded"
    assert max(len(line) for line in heard if LONG not in line) <= 78


async def test_a_mail_server_that_hangs_is_cut_off(autojump_clock: Any) -> None:
    """After its time, at any point of the conversation; and the thread ends."""
    for answers in ((), ("220 hi",), ("220 hi", "250 ok", "250 ok", "250 ok")):
        with smtp(*answers, ends=False) as (port, _):
            began = trio.current_time()
            with pytest.raises(NotPosted, match="slow"):
                server = plain(port)
                made = mail.letter(server, ADDRESS, "key", 0, Written("a", "b"))
                await Postman(server).send(ADDRESS, made)
            assert trio.current_time() - began == pytest.approx(mail.SECONDS)


def test_a_mail_server_that_offers_no_tls_gets_no_password() -> None:
    """The operator asked for STARTTLS."""
    with smtp("220 hi", "250 ok", "502 no") as (port, heard):
        server = MailServer("127.0.0.1", "g@example.org", port, mail.STARTTLS, "user", "PLANTED")
        made = mail.letter(server, ADDRESS, "key", 0, Written("a", "b"))
        with pytest.raises((smtplib.SMTPException, OSError)):
            mail.deliver(server, ssl.create_default_context(), mail.Line(), ADDRESS, made)
    assert "PLANTED" not in "\n".join(heard) and ADDRESS not in "\n".join(heard)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("host = 7", "host must be a text"),
        ('sender = "a@example.org"', "host is missing"),
        ('host = "h"\nsender = "nobody"', "sender must be an address"),
        ('host = "h:25"\nsender = "a@example.org"', "host must be a name"),
        ('host = "h"\nsender = "a@example.org"\nsecurity = "none"', "on this machine only"),
        ('host = "h"\nsender = "a@example.org"\nsecurity = "ssl"', "security must be"),
        ('host = "h"\nsender = "a@example.org"\nport = 0', "port must be"),
        ('host = "h"\nsender = "a@example.org"\nuser = "u"', "go together"),
        ('host = "h"\nsender = "a@example.org"\npasswort = "u"', "there is no setting passwort"),
        ("host", "is not TOML"),
    ],
)
def test_settings_that_cannot_be_used_say_why(tmp_path: Path, text: str, says: str) -> None:
    """With the file's name and what to write."""
    path = tmp_path / "mail.toml"
    path.write_text(text)
    path.chmod(0o600)
    with pytest.raises(BadMail, match=re.escape(says)):
        mail.read_settings(path)


def test_a_password_that_others_can_read_is_refused(tmp_path: Path) -> None:
    """It says how to mend it; and no repr shows it."""
    path = tmp_path / "mail.toml"
    path.write_text(
        'host = "mail.example.org"\nsender = "a@example.org"\nuser = "u"\npassword = "PLANTED"\n'
    )
    os.chmod(path, 0o644)
    with pytest.raises(BadMail, match="chmod 600"):
        mail.read_settings(path)
    os.chmod(path, 0o600)
    found = mail.read_settings(path)
    assert (found.port, found.security, found.password) == (587, "starttls", "PLANTED")
    assert "PLANTED" not in repr(found)
