"""Accounts at the server's door: signing in and up, devices, roles, seats that are kept; what wrong
passwords cost; and that nothing private is in anything that leaves the server."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio
from nacl.signing import SigningKey

from tests.serve.rig import HOST_TOKEN, SERVER_KEY, Client, Server, server, show_nonce, take
from warledger.engine.desk import accounts, passwords
from warledger.engine.desk.people import NotDone, People
from warledger.engine.serve.people import accountrequests
from warledger.engine.testing.fakeambient import SeededAmbient
from warledger.protocol import canon
from warledger.protocol.wire import accountmessages as am
from warledger.protocol.wire import messages as m

PASSWORD = "correct horse battery"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hash that costs nothing: what argon2 itself costs is another test's."""
    hasher = passwords.argon2.PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    monkeypatch.setattr(passwords, "_HASHER", hasher)
    monkeypatch.setattr(passwords, "_NOBODYS", hasher.hash("nobody's"))


class Later(SeededAmbient):
    """A world whose calendar can be put forward, without the server's tasks having to run through
    each second of it."""

    ahead_ms = 0

    def now_ms(self) -> int:
        return super().now_ms() + self.ahead_ms

    def pass_hours(self, hours: float) -> None:
        self.ahead_ms += int(hours * 3600 * 1000)


@asynccontextmanager
async def desk(tmp_path: Path, **options: Any) -> AsyncIterator[tuple[Server, People]]:
    """A server with accounts, and one account `Anna`."""
    async with server(data=tmp_path, ambient=Later(1), **options) as running:
        people = running.hub.people
        kept = passwords.hashed(PASSWORD)
        await people.write(lambda at: accounts.create(at, people.world, "rig", "Anna", kept))
        yield running, people


async def sign_in(client: Client, handle: str = "Anna", password: str = PASSWORD) -> Any:
    return await client.ask(am.SignIn, am.PASSWORD, handle, password, "laptop", True)


async def person(running: Server, handle: str = "Anna", password: str = PASSWORD) -> Client:
    """A client that is signed in by a device."""
    client = await running.client()
    answer = await sign_in(client, handle, password)
    assert type(answer) is am.SignedIn, answer
    assert type(await client.ask(m.Login, answer.token, "")) is m.LoggedIn
    return client


async def id_of(people: People, handle: str) -> str:
    found = await people.look(lambda at: accounts.named(at, handle))
    assert found is not None
    return found.id


async def device_of(people: People, handle: str) -> str:
    """The token of a device of an account, which is made if need be; "" where nobody has one."""
    if not people.are_there:
        return ""

    def signed_in(at: Any) -> str:
        found = accounts.named(at, handle)
        id = found.id if found else accounts.create(at, people.world, "rig", handle)
        return accounts.add_device(at, people.world, id, "", kept=True)

    return await people.write(signed_in)


def files(folder: Path) -> list[Path]:
    """The files of accounts."""
    return sorted(folder.glob("accounts.db*"))


def later(people: People, hours: float) -> None:
    """So much later."""
    assert isinstance(people.world, Later)
    people.world.pass_hours(hours)


async def new_game(running: Server) -> m.Created:
    host = await running.client(HOST_TOKEN)
    made: m.Created = await host.ask(m.CreateGame, "counting", {}, 0)
    return made


# --- in and out -----------------------------------------------------------------------------------


async def test_a_password_gives_a_device_whose_token_logs_in(
    tmp_path: Path, autojump_clock: Any
) -> None:
    """However the handle is spelt; the roles name the account."""
    async with desk(tmp_path) as (running, _people):
        client = await running.client()
        signed = await sign_in(client, "aNNA")
        assert signed.handle == "Anna" and signed.token.startswith("dev:")
        answer = await client.ask(m.Login, signed.token, "")
        assert answer.principal == "Anna"
        assert answer.roles == (("account", signed.account, "Anna"),)
        told = (await client.ask(am.Account)).account
        assert [device["here"] for device in told["devices"]] == [True]
        assert told["has_password"] is True


async def test_a_wrong_password_and_a_wrong_handle_are_one_answer(
    tmp_path: Path, autojump_clock: Any
) -> None:
    """After the same work."""
    async with desk(tmp_path) as (running, people):
        answers = []
        for handle in ("Anna", "Nobody.here"):
            before = people.passwords.hashes
            answers.append((await sign_in(await running.client(), handle, "wrong")).say)
            assert people.passwords.hashes == before + 1
        assert answers[0] == answers[1]


async def test_three_wrong_tries_end_a_connection(tmp_path: Path, autojump_clock: Any) -> None:
    """As three wrong tokens do."""
    async with desk(tmp_path) as (running, _):
        client = await running.client()
        for _ in range(2):
            assert (await sign_in(client, "Anna", "wrong")).fatal is False
        await client.say(am.SignIn, am.PASSWORD, "Anna", "wrong", "", False)
        assert (await client.hear()).fatal is True


async def test_an_invitation_makes_one_account(tmp_path: Path, autojump_clock: Any) -> None:
    """With the roles that it carries, once, and not after its time; a bad handle does not use it
    up."""
    async with desk(tmp_path) as (running, people):
        code, _ = await people.write(
            lambda at: accounts.invite(at, people.world, days=1, roles=[("host", "", "")])
        )

        async def up(handle: str) -> Any:
            return await (await running.client()).ask(
                am.SignUp, code, handle, "", "zh-Hant", "phone", True
            )

        assert (await up("server")).code == "bad_account"
        assert (await up("ANNΑ")).code == "bad_account", "of two alphabets"
        assert (await up("4nna.")).code == "bad_account"
        made = await up("Bert")
        assert type(made) is am.SignedIn
        assert (await up("Carl")).code == "invitation"
        bert = await running.client(made.token)
        assert (await bert.ask(am.Account)).account["roles"] == (("host", "", ""),)
        code, _ = await people.write(lambda at: accounts.invite(at, people.world, days=1))
        later(people, 25)
        assert (await up("Dora")).code == "invitation"


@pytest.mark.parametrize(
    ("handle", "key"),
    [
        ("anna", "error.handle_taken"),
        ("ANNA", "error.handle_taken"),
        ("Anna ", "error.handle_alike"),
        ("\u0410nna", "error.handle_alike"),
        ("\ua4eenna", "error.handle_alike"),
        ("An\u200cna", "error.handle_taken"),
        ("b\u1d0fb", "error.handle_alike"),
        ("b\u0966b", "error.handle_alike"),
        ("\u0412\u043e\u042c", "error.handle_alike"),
        ("AIice", "error.handle_alike"),
        ("A1ice", "error.handle_alike"),
        ("B0b", "error.handle_alike"),
        ("'t Hart", "error.bad_handle"),
        ("a", "error.bad_handle"),
        ("ab\u0436", "error.bad_handle"),
        ("wаrledger", "error.bad_handle"),
        ("\u0378\u0378", "error.bad_handle"),
    ],
)
async def test_a_new_handle_is_taken_for_no_other(
    tmp_path: Path, autojump_clock: Any, handle: str, key: str
) -> None:
    """What looks like an account's name is refused beside it, with a sentence that says so."""
    async with desk(tmp_path) as (_running, people):

        def make(name: str) -> Any:
            return people.write(lambda at: accounts.create(at, people.world, "rig", name))

        for name in ("Bob", "Alice"):
            await make(name)
        with pytest.raises(NotDone, match="bad_account") as refused:
            await make(handle)
        assert refused.value.failure.say.key == key


async def test_handles_of_every_script_live_beside_each_other(
    tmp_path: Path, autojump_clock: Any
) -> None:
    """An accent makes another handle. A handle that was typed decomposed is the composed one."""
    written = (
        "二宮",
        "हिन्दी",
        "علی\u200cرضا",
        "Jose",
        "Jose\u0301",
        "東京tokyo",
        "ไทย",
        "한국",
        "Ånna",
    )
    async with desk(tmp_path) as (_running, people):
        for name in written:
            made = partial(accounts.create, world=people.world, giver="rig", handle=name)
            id = await people.write(made)
            assert await id_of(people, name) == await id_of(people, name.swapcase()) == id
        rows = await people.look(lambda at: accounts.listed(at))
        assert {row["handle"] for row in rows} >= {"Jos\u00e9", "Jose", "Anna", "Ånna"}


async def test_a_key_signs_in_once_for_each_challenge(tmp_path: Path, autojump_clock: Any) -> None:
    """A signature over another challenge, or by another key, is worth nothing."""
    key, other = SigningKey(b"k" * 32), SigningKey(b"o" * 32)
    async with desk(tmp_path) as (running, _people):
        client = await person(running)
        public = key.verify_key.encode()
        answer = await client.ask(am.ChangeAccount, "key", (public, "bot"), PASSWORD)
        assert [one["name"] for one in answer.account["keys"]] == ["bot"]

        async def signed(client: Client, nonce: bytes, by: SigningKey = key) -> Any:
            text = accountrequests.DOMAIN + canon.pack((SERVER_KEY.verify_key.encode(), nonce))
            return await client.ask(am.SignInKey, public, by.sign(text).signature, "bot", False)

        fresh = await running.client()
        assert (await signed(fresh, b"n" * 32)).code == "sign_in", "nothing was asked for"
        nonce = (await fresh.ask(am.Challenge)).nonce
        assert type(await signed(fresh, nonce)) is am.SignedIn
        assert (await signed(fresh, nonce)).code == "sign_in", "used"
        another = await running.client()
        nonce = (await another.ask(am.Challenge)).nonce
        assert (await signed(another, nonce, other)).code == "sign_in"


async def test_a_link_signs_in_once_within_its_time(tmp_path: Path, autojump_clock: Any) -> None:
    """And a newer one takes the place of an older."""
    async with desk(tmp_path) as (running, people):
        anna = await id_of(people, "Anna")

        async def link() -> str:
            return await people.write(lambda at: accounts.make_link(at, people.world, anna))

        async def by(code: str) -> Any:
            return await (await running.client()).ask(am.SignIn, am.LINK, "", code, "", False)

        first, second = await link(), await link()
        assert (await by(first)).code == "sign_in"
        assert type(await by(second)) is am.SignedIn
        assert (await by(second)).code == "sign_in"
        late = await link()
        later(people, 0.26)
        assert (await by(late)).code == "sign_in"


async def test_whoever_forgot_their_password_chooses_another_by_a_link(
    tmp_path: Path, autojump_clock: Any
) -> None:
    """Within a quarter of an hour of signing in by it; a device that came otherwise cannot."""
    async with desk(tmp_path) as (running, people):
        anna = await id_of(people, "Anna")
        other = await person(running)
        assert (await other.ask(am.ChangeAccount, "password", "x" * 4 + PASSWORD, "")).code == (
            "sign_in"
        )
        for wait, kind in ((0, am.AccountIs), (0.3, m.Error)):
            code = await people.write(lambda at: accounts.make_link(at, people.world, anna))
            client = await running.client()
            signed = await client.ask(am.SignIn, am.LINK, "", code, "", False)
            await client.ask(m.Login, signed.token, "")
            later(people, wait)
            answer = await client.ask(am.ChangeAccount, "password", f"{wait} {PASSWORD}", "")
            assert type(answer) is kind
        await person(running, password=f"0 {PASSWORD}")


async def test_how_a_wrong_handle_is_spelt_tells_nothing(
    tmp_path: Path, autojump_clock: Any
) -> None:
    """Spellings of one handle are one handle to the limits, whether anybody has it or not."""
    async with desk(tmp_path) as (_, people):
        for name in ("anna", "xnna"):
            answers = []
            for spelt in (name, name.upper(), name.title(), name, name, name.upper(), name):
                try:
                    answers.append(await people.check(name, spelt, "wrong"))
                except NotDone as error:
                    answers.append(error.failure.code)
            assert answers == [None] * passwords.OF_PAIR.most + ["slow_down"] * 2


async def test_a_device_that_is_not_remembered_lasts_a_day(
    tmp_path: Path, autojump_clock: Any
) -> None:
    """One that is remembered lasts as long as it is used within 400 days."""
    async with desk(tmp_path) as (running, people):
        tokens = []
        for keep in (False, True):
            client = await running.client()
            answer = await client.ask(am.SignIn, am.PASSWORD, "Anna", PASSWORD, "x", keep)
            tokens.append(answer.token)
        later(people, 25)
        visit, kept = [await running.client() for _ in range(2)]
        assert (await visit.ask(m.Login, tokens[0], "")).code == "login"
        assert type(await kept.ask(m.Login, tokens[1], "")) is m.LoggedIn
        later(people, 399 * 24)
        assert type(await (await running.client()).ask(m.Login, tokens[1], "")) is m.LoggedIn
        later(people, 401 * 24)
        assert (await (await running.client()).ask(m.Login, tokens[1], "")).code == "login"


async def test_a_device_that_is_signed_out_is_out_within_a_second(
    tmp_path: Path, autojump_clock: Any
) -> None:
    """Also where its connection is open, and when the command line did it."""
    async with desk(tmp_path) as (running, _people):
        here, there = await person(running), await person(running)
        devices = (await here.ask(am.Account)).account["devices"]
        (other,) = [device["id"] for device in devices if not device["here"]]
        await here.ask(am.ChangeAccount, "drop_device", other, "")
        answer = await there.hear()
        assert answer.fatal and answer.code == "login"
        assert len((await here.ask(am.Account)).account["devices"]) == 1


async def test_a_connection_that_ends_while_rights_are_read_is_signed_out_once(
    tmp_path: Path, autojump_clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is over when its rights are known, and the server serves the others."""
    async with desk(tmp_path) as (running, _):
        here, there = await person(running), await person(running)
        (leaves,) = running.hub.connections - {next(iter(running.hub.connections))}

        async def slowly(_: People, shown: set[bytes]) -> Any:
            leaves._scope.cancel()
            while leaves in running.hub.connections:
                await trio.lowlevel.checkpoint()
            return dict.fromkeys(shown)

        monkeypatch.setattr(People, "rights", slowly)
        running.hub.people_came = True
        await running.hub.look_at_people()
        ended = [await one.hear() for one in (here, there)]
        assert sum(type(one) is m.Error for one in ended) == 1
        assert type(await (await running.client()).ask(m.Ping)) is m.Pong


async def test_another_password_signs_the_other_devices_out(
    tmp_path: Path, autojump_clock: Any
) -> None:
    """It needs the one in force."""
    async with desk(tmp_path) as (running, _):
        here, there = await person(running), await person(running)
        new = "another fine password"
        assert (await here.ask(am.ChangeAccount, "password", new, "wrong")).code == "sign_in"
        assert (await here.ask(am.ChangeAccount, "password", "short", PASSWORD)).code == (
            "bad_account"
        )
        assert type(await here.ask(am.ChangeAccount, "password", new, PASSWORD)) is am.AccountIs
        assert (await there.hear()).fatal
        assert (await sign_in(await running.client())).code == "sign_in"
        await person(running, password=new)


async def test_a_forgotten_account_leaves_no_byte(tmp_path: Path, autojump_clock: Any) -> None:
    """Neither in the file nor in its log; its seats' tokens still work."""
    async with desk(tmp_path) as (running, people):
        await people.write(lambda at: accounts.create(at, people.world, "rig", "Zebulon.private"))
        zebulon = await id_of(people, "Zebulon.private")
        code = await people.write(lambda at: accounts.make_link(at, people.world, zebulon))
        signed = await (await running.client()).ask(am.SignIn, am.LINK, "", code, "MyPhone77", True)
        client = await running.client(signed.token)
        await client.say(am.ChangeAccount, "forget", None, "")
        assert (await client.hear()).code == "login"
        for file in files(tmp_path):
            assert b"ebulon" not in file.read_bytes() and b"MyPhone77" not in file.read_bytes()


async def test_a_server_without_accounts_has_none(tmp_path: Path, autojump_clock: Any) -> None:
    """Nobody signs in or up, and no file is made."""
    async with server(data=tmp_path) as running:
        client = await running.client()
        assert (await sign_in(client)).code == "sign_in"
        answer = await client.ask(am.SignUp, "", "Anna", "", "en", "", True)
        assert answer.code == "invitation"
        assert (await client.ask(am.MyGames)).games == ()
        assert (await client.ask(am.Account)).code == "account_only"
        assert files(tmp_path) == []


async def test_the_file_is_for_its_owner_alone(tmp_path: Path, autojump_clock: Any) -> None:
    """Whatever the umask."""
    before = os.umask(0)
    try:
        async with desk(tmp_path):
            for file in files(tmp_path):
                assert file.stat().st_mode & 0o777 == 0o600, file
    finally:
        os.umask(before)


# --- roles and seats ------------------------------------------------------------------------------


async def test_a_seat_shown_while_signed_in_is_held_on_the_next_device(
    tmp_path: Path, autojump_clock: Any
) -> None:
    """In whichever order account and seat were shown; until the seat's token is replaced."""
    async with desk(tmp_path) as (running, _people):
        made = await new_game(running)
        tokens = dict(made.tokens)
        first, second = await person(running), await person(running)
        await first.ask(m.Login, tokens["a"], "")
        # The second device learns of it by itself.
        await trio.sleep(2)
        answer = await second.ask(m.Login, "", "")
        assert ("seat", made.game, "a") in answer.roles
        rows = (await second.ask(am.MyGames)).games
        assert [(row["game"], row["mine"]) for row in rows] == [(made.game, ("a",))]
        host = await running.client(HOST_TOKEN)
        await host.ask(m.NewToken, made.game, "a")
        assert (await (await person(running)).ask(am.MyGames)).games == ()


async def test_a_seat_that_is_dropped_is_held_no_more(tmp_path: Path, autojump_clock: Any) -> None:
    """The connection begins anew, without it."""
    async with desk(tmp_path) as (running, _):
        made = await new_game(running)
        client = await person(running)
        await client.ask(m.Login, dict(made.tokens)["a"], "")
        await client.ask(am.ChangeAccount, "drop_seat", (made.game, "a"), "")
        assert (await client.hear()).code == "rights_changed"
        again = await person(running)
        assert (await again.ask(am.MyGames)).games == ()


async def test_my_games_begin_with_my_decisions(tmp_path: Path, autojump_clock: Any) -> None:
    """Then games in progress, then those that gather."""
    async with desk(tmp_path) as (running, _):
        client = await person(running)
        games = [await new_game(running) for _ in range(3)]
        for made in games:
            await client.ask(m.Login, dict(made.tokens)["a"], "")
        other = await running.client()
        for made in games[:2]:
            await other.ask(m.Login, dict(made.tokens)["b"], "")
            await begin(client, other, made.game)
        answer = await client.submit(games[1].game, "a", "add", 1)
        assert type(answer) is m.Accepted, answer
        rows = (await client.ask(am.MyGames)).games
        assert [row["game"] for row in rows] == [made.game for made in games]


async def begin(a: Client, b: Client, game: str) -> None:
    """Both sit down and show their nonces."""
    for client, seat in ((a, "a"), (b, "b")):
        assert type(await take(client, game, seat)) is m.Accepted
    for client, seat in ((a, "a"), (b, "b")):
        assert type(await show_nonce(client, game, seat)) is m.Accepted


@pytest.mark.parametrize("name", ["Anna", "aNNa", "An\u200bna"])
async def test_a_guest_is_not_called_what_an_account_is_called(
    tmp_path: Path, autojump_clock: Any, name: str
) -> None:
    """In any spelling; the account's owner is, and a guest may have any other name, also one that
    looks like it. Who has a seat under a name keeps it, whatever account is made later."""
    async with desk(tmp_path) as (running, people):
        made = await new_game(running)
        tokens = dict(made.tokens)
        guest = await running.client(tokens["a"], name)

        async def sit(client: Client, seat: str, called: str) -> Any:
            return await take(client, made.game, seat, called)

        refused = await sit(guest, "a", name)
        assert refused.code == "bad_account" and refused.say.key == "error.handle_taken"
        anna = await person(running)
        await anna.ask(m.Login, tokens["a"], "")
        assert type(await sit(anna, "a", name)) is m.Accepted
        bert = await running.client(tokens["b"])
        assert type(await sit(bert, "b", "B\u0435rt")) is m.Accepted
        await people.write(lambda at: accounts.create(at, people.world, "rig", "Bert"))
        again = await sit(bert, "b", "B\u0435rt")
        assert getattr(again, "code", "") != "bad_account", again


async def test_an_owner_is_the_host(tmp_path: Path, autojump_clock: Any) -> None:
    """And no more from the moment at which the role is taken away."""
    async with desk(tmp_path) as (running, people):
        anna = await id_of(people, "Anna")
        await people.write(lambda at: accounts.grant(at, people.world, anna, ("owner", "", "")))
        client = await person(running)
        made = await client.ask(m.CreateGame, "counting", {}, 0)
        assert type(await client.ask(m.Subscribe, made.game, -1, "arbiter")) is m.Subscribed
        await people.write(lambda at: accounts.revoke(at, anna, ("owner", "", "")))
        while (heard := await client.hear()) is not None and type(heard) is not m.Error:
            pass
        assert heard.code == "rights_changed"
        assert (await (await person(running)).ask(m.CreateGame, "counting", {}, 0)).code == (
            "host_only"
        )


async def test_a_host_opens_games_and_rules_over_those_alone(
    tmp_path: Path, autojump_clock: Any
) -> None:
    """They give out the seats of their own games, on any device, and see no secrets."""
    async with desk(tmp_path) as (running, people):
        anna = await id_of(people, "Anna")
        await people.write(lambda at: accounts.grant(at, people.world, anna, ("host", "", "")))
        client = await person(running)
        own, others = await client.ask(m.CreateGame, "counting", {}, 0), await new_game(running)
        assert type(await client.ask(m.NewToken, own.game, "a")) is m.Token
        assert (await client.ask(m.NewToken, others.game, "a")).code == "host_only"
        assert (await client.ask(m.Subscribe, own.game, -1, "arbiter")).code == "not_allowed"
        again = await person(running)
        assert type(await again.ask(m.NewToken, own.game, "b")) is m.Token
        assert type(await again.ask(am.Invite, "for Bert", 14, 1)) is am.Invitation
        plain = await running.client()
        assert (await plain.ask(am.Invite, "", 14, 1)).code == "host_only"


async def test_an_arbiter_and_a_caster_look(tmp_path: Path, autojump_clock: Any) -> None:
    """As their tokens would let them."""
    async with desk(tmp_path) as (running, people):
        made, other = await new_game(running), await new_game(running)
        anna = await id_of(people, "Anna")
        for role in (("arbiter", made.game, ""), ("caster", other.game, "b")):
            await people.write(lambda at, role=role: accounts.grant(at, people.world, anna, role))
        client = await person(running)
        seen = [
            type(await client.ask(m.Subscribe, game, -1, audience)) is m.Subscribed
            for game, audience in (
                (made.game, "arbiter"),
                (other.game, "arbiter"),
                (other.game, "b"),
                (other.game, "a"),
            )
        ]
        assert seen == [True, False, True, False]


# --- nothing leaks --------------------------------------------------------------------------------


async def test_nothing_private_leaves_the_server(tmp_path: Path, autojump_clock: Any) -> None:
    """Passwords, tokens, codes, devices and keys are planted; neither the log, nor an error, nor a
    figure, nor a game's frames, nor a list hold any of them."""
    async with desk(tmp_path) as (running, people):
        secrets = [PASSWORD, "wrong-GUESS-4711"]
        client = await person(running)
        await sign_in(await running.client(), "Anna", "wrong-GUESS-4711")
        answer = await (await running.client()).ask(
            am.SignIn, am.PASSWORD, "Anna", PASSWORD, "SecretDeviceName", True
        )
        secrets += [answer.token, "SecretDeviceName"]
        anna = await id_of(people, "Anna")
        code = await people.write(lambda at: accounts.make_link(at, people.world, anna))
        secrets.append(code)
        secrets.append((await people.look(lambda at: accounts.named(at, "Anna"))).password)
        errors = [
            await client.ask(am.ChangeAccount, "password", "x" * 12, "wrong-GUESS-4711"),
            await client.ask(am.ChangeAccount, "key", "not a key", PASSWORD),
            await client.ask(am.ChangeAccount, "zone", "Secret/DeviceName", ""),
        ]
        made = await new_game(running)
        await client.ask(m.Login, dict(made.tokens)["a"], "")
        await take(client, made.game, "a")
        lists = (await client.ask(m.Games, "", "", 10)).games
        frames = running.hub.supervisor.store.read(made.game)
        from warledger.engine.runtime.metrics import figures

        told = "".join(
            (
                running.log.getvalue(),
                repr(errors),
                repr(lists),
                repr(answer),
                repr([frame.payload for frame in frames]),
                figures(running.hub.metrics.registry),
            )
        )
        for secret in secrets:
            assert secret not in told
            assert accounts.digest(secret).hex() not in told
        assert "Anna" in told, "the name under which they sat down is public"


def test_one_check_costs_what_the_budget_reckons() -> None:
    """Within a factor of three, by the processor's time."""
    import time

    kept = passwords.argon2.PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1).hash(
        PASSWORD
    )
    began = time.thread_time()
    assert passwords.fits(kept, PASSWORD)
    assert not passwords.fits("", PASSWORD) and not passwords.fits(kept, "wrong")
    assert (time.thread_time() - began) / 3 < 3 * passwords.WORK_SECONDS
