"""Notifications: when one is due, that it is sent once, that a kill changes nothing, and that a
webhook reaches nothing inside."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from tests.serve.games.test_rulings import arbiter, claim, rule
from tests.serve.people.test_accounts import begin, desk, later, new_game, person
from tests.serve.people.test_accounts import quick as quick
from tests.serve.rig import Client, Server
from warledger.engine.desk import accounts, notificationpreferences, outbox, webhook
from warledger.engine.desk.outbox import Notice
from warledger.engine.desk.people import People, database
from warledger.engine.desk.webhook import NotPosted, Poster
from warledger.engine.testing.fakeambient import SeededAmbient
from warledger.protocol.wire import accountmessages as am
from warledger.protocol.wire import messages as m

URL = "https://hooks.example.org/abc?secret=PLANTED-4711"
PUBLIC = "93.184.216.34"


class Hooks:
    """Webhooks of the world: what each was sent; `answer` is what they say."""

    def __init__(self, answer: bytes = b"HTTP/1.1 204 No Content\r\n\r\n") -> None:
        self.answer = answer
        self.got: list[tuple[dict[str, str], bytes]] = []
        self.addresses: Sequence[str] = [PUBLIC]
        self.connected: list[str] = []
        self.dead: tuple[str, ...] = ()
        self.closed: tuple[str, ...] = ()

    def poster(self) -> Poster:
        return Poster(self.resolve, self.connect)

    async def resolve(self, host: str, port: int, limiter: trio.CapacityLimiter) -> Sequence[str]:
        await trio.lowlevel.checkpoint()
        return self.addresses

    async def connect(self, address: str, port: int, host: str) -> trio.abc.Stream:
        self.connected.append(address)
        if address in self.dead:
            await trio.sleep(60)
        if address in self.closed:
            raise OSError
        ours, theirs = trio.testing.memory_stream_pair()

        async def hear() -> None:
            data = b""
            while b"\r\n\r\n" not in data:
                data += bytes(await theirs.receive_some())
            head, _, body = data.partition(b"\r\n\r\n")
            lines = head.decode().split("\r\n")[1:]
            headers = {name.lower(): value for name, _, value in (x.partition(": ") for x in lines)}
            while len(body) < int(headers["content-length"]):
                body += bytes(await theirs.receive_some())
            self.got.append((headers, body))
            if self.answer:
                await theirs.send_all(self.answer)

        trio.lowlevel.spawn_system_task(hear)
        return ours


@asynccontextmanager
async def waiting(
    tmp_path: Path, form: str = "json"
) -> AsyncIterator[tuple[Server, People, Hooks, Client, Client, str]]:
    """A game in which Anna's seat is asked, and Anna has a webhook; her client follows nothing."""
    async with desk(tmp_path) as (running, people):
        hooks = Hooks()
        running.hub.notifier.poster = hooks.poster()
        anna, bert = await person(running), await running.client()
        made = await new_game(running)
        await anna.ask(m.Login, dict(made.tokens)["a"], "")
        await bert.ask(m.Login, dict(made.tokens)["b"], "")
        answer = await anna.ask(am.ChangeAccount, "channel", (URL, form), "")
        assert answer.account["channel"]["url"] == URL
        await begin(anna, bert, made.game)
        yield running, people, hooks, anna, bert, made.game


def decision(game: str, number: int) -> Notice:
    """A question that waits for somebody."""
    return Notice("decision", game, "a", number, "counting", {"against": "Bert"})


def anybody(_account: str, _way: str, _address: str) -> bool:
    """It is everybody's turn."""
    return True


async def rounds(running: Server, people: People, minutes: float = 0) -> None:
    """So much later the notifier looks and sends."""
    await running.hub.notifier.look()
    later(people, minutes / 60)
    await running.hub.notifier.look()
    await running.hub.notifier.send()


async def test_a_decision_is_told_once_after_the_patience(
    tmp_path: Path, autojump_clock: Any
) -> None:
    """Not before; not again while it is open; and the next one anew. It tells game, title and
    opponent, signed with the channel's secret."""
    async with waiting(tmp_path) as (running, people, hooks, anna, bert, game):
        await rounds(running, people, 4)
        assert hooks.got == []
        await rounds(running, people, 2)
        ((headers, body),) = hooks.got
        told = json.loads(body)
        assert told["games"] == [game] and "Bert" in told["text"]
        assert told["id"] == headers["warledger-id"]
        secret = (await anna.ask(am.Account)).account["channel"]["secret"]
        at, _, rest = headers["warledger-signature"].partition(", v1=")
        expected = hmac.new(secret.encode(), at[2:].encode() + b"." + body, hashlib.sha256)
        assert rest == expected.hexdigest()
        for _ in range(3):
            await rounds(running, people, 60)
        assert len(hooks.got) == 1
        assert type(await anna.submit(game, "a", "add", 1)) is m.Accepted
        await bert.submit(game, "b", "add", 1)
        await rounds(running, people, 6)
        assert len(hooks.got) == 2


async def test_who_answers_or_looks_on_is_not_told(tmp_path: Path, autojump_clock: Any) -> None:
    """An answer within the patience ends it; following the game puts it off."""
    async with waiting(tmp_path) as (running, people, hooks, anna, _bert, game):
        await anna.ask(m.Subscribe, game, -1, "a")
        await rounds(running, people, 30)
        assert hooks.got == []
        await anna.submit(game, "a", "add", 1)
        await rounds(running, people, 30)
        assert hooks.got == []


async def test_quiet_hours_and_daily_messages_wait(tmp_path: Path, autojump_clock: Any) -> None:
    """Until the end of the quiet hours, or eight in the morning, in the person's own zone."""
    hour = 3600_000
    noon = 1_700_000_000_000 // (24 * hour) * 24 * hour + 12 * hour
    night = (22 * 60, 7 * 60)

    def sent(at: int, zone: str = "", *, daily: bool = False, quiet: Any = (0, 0)) -> int:
        return outbox.sendable(at, zone, daily=daily, quiet=quiet) - noon

    assert sent(noon) == 0
    assert sent(noon, quiet=night) == 0
    assert sent(noon + 11 * hour, quiet=night) == 19 * hour
    assert sent(noon, "Asia/Tokyo", quiet=(21 * 60, 6 * 60)) == 9 * hour
    assert sent(noon, daily=True) == 20 * hour


async def test_after_a_kill_a_message_keeps_its_key(tmp_path: Path, autojump_clock: Any) -> None:
    """It was sent and the process died before it was noted: it goes out again as the same message,
    and what was due since then as another."""
    world = SeededAmbient(1)
    people = People("invite", world, None, database(tmp_path), "rig")
    anna = await people.write(lambda at: accounts.create(at, world, "rig", "Anna"))

    def begin(at: Any) -> None:
        notificationpreferences.set_way(
            at, world, anna, notificationpreferences.WEBHOOK, URL, "json"
        )
        outbox.note(at, anna, decision("g1", 7), world.now_ms())

    await people.write(begin)
    (first,) = await people.write(lambda at: outbox.due(at, world, anybody))
    people.db.close()
    await people.write(lambda at: outbox.note(at, anna, decision("g2", 9), world.now_ms()))
    (again,) = await people.write(lambda at: outbox.due(at, world, anybody))
    assert again == first and [one.game for one in again.notices] == ["g1"]
    await people.write(lambda at: outbox.was_sent(at, again))
    (other,) = await people.write(lambda at: outbox.due(at, world, anybody))
    assert other.key != first.key and [one.game for one in other.notices] == ["g2"]
    await people.write(lambda at: outbox.was_sent(at, other))
    assert await people.write(lambda at: outbox.due(at, world, anybody)) == []


async def test_a_webhook_that_fails_is_tried_for_a_day(tmp_path: Path, autojump_clock: Any) -> None:
    """Under the same key, after growing pauses; the person finds the reason in their account from
    the first time on, until it works, and nothing of the address is in the log."""
    async with waiting(tmp_path) as (running, people, hooks, anna, _bert, _game):
        hooks.answer = b"HTTP/1.1 500 Oops\r\ncontent-length: 0\r\n\r\n"
        await rounds(running, people, 6)
        assert (await anna.ask(am.Account)).account["channel"]["error"] == "answer"
        for minutes in (1, 5, 15, 60, 120, 240, 480, 599):
            await rounds(running, people, minutes)
        assert len(hooks.got) == 8
        hooks.answer = b"HTTP/1.1 204 No Content\r\n\r\n"
        await rounds(running, people, 1)
        assert len(hooks.got) == 9
        await rounds(running, people, 24 * 60)
        assert len({headers["warledger-id"] for headers, _ in hooks.got}) == 1
        assert len(hooks.got) == 9
        assert (await anna.ask(am.Account)).account["channel"]["error"] == ""
        assert "PLANTED-4711" not in running.log.getvalue()


@pytest.mark.parametrize(
    "later",
    [
        b"7200",
        b"Mon, 30 Nov 2026 14:00:00 GMT\r\ndate: Mon, 30 Nov 2026 12:00:00 GMT",
        b"9" * 20,
        b"soon",
    ],
)
async def test_who_asks_for_a_pause_gets_it(
    tmp_path: Path, autojump_clock: Any, later: bytes
) -> None:
    """In seconds or as a date; nonsense asks for none."""
    async with waiting(tmp_path) as (running, people, hooks, _anna, _bert, _game):
        head = b"HTTP/1.1 429 Too Many Requests\r\nretry-after: "
        hooks.answer = head + later + b"\r\ncontent-length: 0\r\n\r\n"
        await rounds(running, people, 6)
        await rounds(running, people, 119)
        assert len(hooks.got) == (1 if b"00" in later else 2)
        await rounds(running, people, 1)
        assert len(hooks.got) == 2


async def test_each_address_of_a_host_is_tried(autojump_clock: Any) -> None:
    """One that hangs and one that refuses cost a moment."""
    hooks = Hooks()
    hooks.addresses = [PUBLIC, "93.184.216.35", "93.184.216.36"]
    hooks.dead, hooks.closed = (PUBLIC,), ("93.184.216.35",)
    began = trio.current_time()
    await hooks.poster().post(URL, "text/plain", b"x")
    assert hooks.connected == hooks.addresses
    assert trio.current_time() - began < 2
    hooks.closed = tuple(hooks.addresses)
    with pytest.raises(NotPosted, match="no_server"):
        await hooks.poster().post(URL, "text/plain", b"x")


async def test_hosts_that_hang_delay_nobody_else(tmp_path: Path, autojump_clock: Any) -> None:
    """However many accounts have such a webhook, and whoever is due first: a host that took its
    last message gets the next one at once. A new one gets its turn among those that hang."""
    async with desk(tmp_path) as (running, people):
        hooks = Hooks()
        notifier, poster = running.hub.notifier, hooks.poster()
        notifier.poster, came = poster, []
        deliver = hooks.connect

        async def connect(address: str, port: int, host: str) -> trio.abc.Stream:
            if "slow" in host:
                await trio.sleep(60)
            came.append((trio.current_time() - began, host))
            return await deliver(address, port, host)

        poster.connect = connect

        def owe(at: Any, number: int, *hosts: str) -> None:
            for place, host in enumerate(hosts):
                name = f"p{number}x{place}x"
                id = accounts.create(at, people.world, "rig", name)
                url = f"https://{host}/x"
                notificationpreferences.set_way(at, people.world, id, "webhook", url)
                outbox.note(at, id, decision("g", number), number)

        began = trio.current_time()
        await people.write(lambda at: owe(at, 1, "good.example"))
        await notifier.send()
        slow = [f"slow{n}.example" for n in range(100)]
        await people.write(lambda at: owe(at, 2, *slow))
        await people.write(lambda at: owe(at, 3, *["good.example"] * 3))
        began = trio.current_time()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(notifier.send)
            await trio.testing.wait_all_tasks_blocked()
            await trio.sleep(1)
            assert [host for _, host in came] == ["good.example"] * 4
            await people.write(lambda at: owe(at, 4, "good.example"))
            nursery.start_soon(notifier.send)
            await trio.sleep(1)
            assert len(came) == 5 and came[-1][0] < 2
        await people.write(lambda at: owe(at, 5, "new.example"))
        for _ in range(4):
            await notifier.send()
        assert came[-1][1] == "new.example"


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "10.1.2.3", "192.168.0.1", "172.16.0.1", "169.254.169.254", "0.0.0.0"),
        *("100.64.0.1", "224.0.0.1", "::1", "fe80::1%eth0", "fc00::1", "::ffff:127.0.0.1"),
        *("64:ff9b::a00:1", "2002:7f00:1::", "::127.0.0.1", "not an address"),
        *("fec0::1", "2606:4700::5efe:10.0.0.1", "2606:4700::200:5efe:7f00:1", "192.0.0.8"),
    ],
)
async def test_nothing_inside_is_reached(autojump_clock: Any, address: str) -> None:
    """Also where only one of a name's addresses is inside; nobody is connected to."""
    hooks = Hooks()
    for addresses in ([address], [PUBLIC, address]):
        hooks.addresses = addresses
        with pytest.raises(NotPosted, match="refused_address"):
            await hooks.poster().post(URL, "text/plain", b"x")
    assert hooks.connected == []


async def test_a_redirect_is_not_followed(autojump_clock: Any) -> None:
    """It is told as what it is."""
    hooks = Hooks(b"HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1/\r\n\r\n")
    with pytest.raises(NotPosted, match="moved"):
        await hooks.poster().post(URL, "text/plain", b"x")
    assert hooks.connected == [PUBLIC]


@pytest.mark.parametrize(
    ("answer", "word"), [(b"", "slow"), (b"HTTP/1.1 200 OK\r\nx: " + b"y" * 9000, "no_server")]
)
async def test_a_server_that_hangs_or_babbles_costs_little(
    autojump_clock: Any, answer: bytes, word: str
) -> None:
    """Six seconds, and eight kilobytes."""
    began = trio.current_time()
    with pytest.raises(NotPosted, match=word):
        await Hooks(answer).poster().post(URL, "text/plain", b"x")
    assert trio.current_time() - began <= webhook.SECONDS + 0.01


async def test_one_host_is_posted_to_once_at_a_time(autojump_clock: Any) -> None:
    """Others are not held up by it."""
    poster, done = Hooks(b"").poster(), []

    async def post(url: str) -> None:
        with pytest.raises(NotPosted):
            await poster.post(url, "text/plain", b"x")
        done.append((round(trio.current_time() - began), url))

    began = trio.current_time()
    other = "https://other.example.org/"
    async with trio.open_nursery() as nursery:
        for url in (URL, URL, other):
            nursery.start_soon(post, url)
    assert sorted(done) == [(6, URL), (6, other), (12, URL)]


@pytest.mark.parametrize(
    "url",
    [
        *("http://a.example", "https://", "https://u:p@a.example/", "ftp://a.example", "x" * 600),
        *("https://a.example/\n", "https://a.example:0/", "https://a.example/ b", "", None, 7),
    ],
)
async def test_what_is_no_address_is_refused(tmp_path: Path, autojump_clock: Any, url: Any) -> None:
    """Before anything is kept."""
    assert not webhook.is_url(url)
    async with desk(tmp_path) as (running, _people):
        client = await person(running)
        answer = await client.ask(am.ChangeAccount, "channel", (url, "json"), "")
        assert answer.code == "bad_account"
        assert (await client.ask(am.Account)).account["channel"] is None


async def test_a_test_message_is_sent_at_once(tmp_path: Path, autojump_clock: Any) -> None:
    """A few times, then one has to wait; a refusal says why."""
    async with waiting(tmp_path, "ntfy") as (_running, _people, hooks, anna, _bert, _game):
        assert type(await anna.ask(am.ChangeAccount, "test_channel", "webhook", "")) is am.AccountIs
        ((headers, body),) = hooks.got
        assert b"Anna" in body and headers["content-type"].startswith("text/plain")
        hooks.addresses = ["127.0.0.1"]
        answer = await anna.ask(am.ChangeAccount, "test_channel", "webhook", "")
        assert answer.code == "bad_account"
        for _ in range(6):
            answer = await anna.ask(am.ChangeAccount, "test_channel", "webhook", "")
        assert answer.code == "slow_down"


@pytest.mark.parametrize("form", webhook.FORMS)
def test_every_form_says_the_same(form: str) -> None:
    """The lines; and no form lets a name call everybody in a chat."""
    _, body = webhook.body_of(form, "id", "decision", ["@everyone a", "b"], ["g"])
    assert "@everyone a" in body.decode()
    assert form != "discord" or json.loads(body)["allowed_mentions"] == {"parse": []}


async def test_a_decision_is_told_once_though_the_game_was_frozen_meanwhile(
    tmp_path: Path, autojump_clock: Any
) -> None:
    """Not of what waits while an arbiter has frozen the game, and not again once it is thawed."""
    async with waiting(tmp_path) as (running, people, hooks, _anna, bert, game):
        await rounds(running, people, 6)
        ann = await arbiter(running)
        assert type(await claim(bert, game, "b", 5)) is m.Accepted
        for body in (("heard", 1), ("frozen", 1)):
            assert type(await rule(ann, game, *body)) is m.Accepted
        await rounds(running, people, 30)
        ruled = ("ruled", 1, "rejected", "9.2", "It was yours.", (("stand",),))
        for body in (ruled, ("thawed", 1)):
            assert type(await rule(ann, game, *body)) is m.Accepted
        for _ in range(3):
            await rounds(running, people, 30)
        told = [json.loads(body)["text"] for _, body in hooks.got]
        assert sum("decision" in text for text in told) == 1, told
