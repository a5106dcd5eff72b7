"""Accounts under attack: what races, outlives its end, reaches beyond its scope, or meets a file
that cannot be used."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import trio

from tests.serve.games.test_chat import read, say, table
from tests.serve.games.test_clocks import logged
from tests.serve.games.test_rulings import claim, host_id, rule
from tests.serve.people.test_accounts import (
    PASSWORD,
    desk,
    id_of,
    new_game,
    person,
    quick,
    sign_in,
)
from tests.serve.rig import HOST_TOKEN, NAMES, Client, on_the_clock, server, take
from warledger.engine.desk import accounts, database, passwords
from warledger.engine.desk.people import WAITING_MAX, NotDone, People
from warledger.engine.desk.people import database as people_file
from warledger.protocol.wire import accountmessages as am
from warledger.protocol.wire import messages as m
from warledger.protocol.wire import talkmessages as tm

OTHER = "another horse battery"

__all__ = ["quick"]


@pytest.fixture(autouse=True)
def guests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody who plays is called as the account is."""
    monkeypatch.setitem(NAMES, "a", "Alma")


async def together(*asked: Callable[[], Any]) -> list[Any]:
    """What all of these answer, asked at the same time."""
    answers: list[Any] = [None] * len(asked)

    async def ask(n: int, call: Callable[[], Any]) -> None:
        answers[n] = await call()

    async with trio.open_nursery() as nursery:
        for n, call in enumerate(asked):
            nursery.start_soon(ask, n, call)
    return answers


def meet(people: People, monkeypatch: pytest.MonkeyPatch, n: int) -> None:
    """Nobody learns whether a password was right before `n` have been checked."""
    check, met, all_met = people.passwords.check, [], trio.Event()

    async def checked(*args: Any, **known: Any) -> bool:
        right = await check(*args, **known)
        met.append(right)
        if len(met) >= n:
            all_met.set()
        await all_met.wait()
        return right

    monkeypatch.setattr(
        type(people.passwords), "check", lambda _, *args, **known: checked(*args, **known)
    )


async def devices(people: People) -> list[dict[str, Any]]:
    """Anna's devices."""
    anna = await id_of(people, "Anna")
    return await people.look(lambda at: accounts.devices(at, anna))


def spoil(folder: Path) -> None:
    """Overwrite the accounts with something else."""
    for file in folder.glob("accounts.db-*"):
        file.unlink()
    (folder / accounts.FILE).write_bytes(b"This is no database. " * 500)


# --- races ----------------------------------------------------------------------------------------


async def test_one_invitation_used_twice_at_once_makes_one_account(
    tmp_path: Path, autojump_clock: Any
) -> None:
    """The other is told that it is worth nothing, and no account is left of it."""
    async with desk(tmp_path) as (running, people):
        code, _ = await people.write(lambda at: accounts.invite(at, people.world))
        one, two = await running.client(), await running.client()
        answers = await together(
            lambda: one.ask(am.SignUp, code, "Bert", PASSWORD, "en", "", True),
            lambda: two.ask(am.SignUp, code, "Cleo", PASSWORD, "en", "", True),
        )
        assert sorted(type(answer).__name__ for answer in answers) == ["Error", "SignedIn"]
        assert next(a for a in answers if type(a) is m.Error).code == "invitation"
        assert len(await people.look(accounts.listed)) == 2, "Anna and one more"


async def test_a_mail_link_used_twice_at_once_signs_in_once(
    tmp_path: Path, autojump_clock: Any
) -> None:
    """And again afterwards not at all."""
    async with desk(tmp_path) as (running, people):
        anna = await id_of(people, "Anna")
        code = await people.write(lambda at: accounts.make_link(at, people.world, anna))
        clients = [await running.client() for _ in range(3)]

        def use(client: Client) -> Callable[[], Any]:
            return lambda: client.ask(am.SignIn, am.LINK, "Anna", code, "phone", True)

        answers = await together(use(clients[0]), use(clients[1]))
        assert sorted(type(answer).__name__ for answer in answers) == ["Error", "SignedIn"]
        assert (await use(clients[2])()).code == "sign_in"
        assert len(await devices(people)) == 1


async def test_of_two_password_changes_at_once_one_counts(
    tmp_path: Path, autojump_clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both knew the old password; whoever comes second is signed out by then and changes
    nothing."""
    async with desk(tmp_path) as (running, people):
        one, two = await person(running), await person(running)
        meet(people, monkeypatch, 2)
        new = [f"{OTHER} {n}" for n in (1, 2)]
        answers = await together(
            lambda: one.ask(am.ChangeAccount, "password", new[0], PASSWORD),
            lambda: two.ask(am.ChangeAccount, "password", new[1], PASSWORD),
        )
        assert sorted(type(answer).__name__ for answer in answers) == ["AccountIs", "Error"]
        won = [type(answer) for answer in answers].index(am.AccountIs)
        monkeypatch.undo()
        kept = await people.look(lambda at: accounts.named(at, "Anna"))
        assert kept is not None
        assert [passwords.fits(kept.password, one) for one in new] == [won == 0, won == 1]
        assert len(await devices(people)) == 1


async def test_an_old_password_that_is_being_checked_lets_nobody_in_once_it_is_changed(
    tmp_path: Path, autojump_clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever knows it tries while the owner, who noticed, changes it."""
    async with desk(tmp_path) as (running, people):
        owner, thief = await person(running), await running.client()
        check, changed, checking = people.passwords.check, trio.Event(), trio.Event()

        async def slowly(*args: Any, **known: Any) -> bool:
            right = await check(*args, **known)
            checking.set()
            await changed.wait()
            return right

        async def change() -> Any:
            await checking.wait()
            monkeypatch.undo()
            answer = await owner.ask(am.ChangeAccount, "password", OTHER, PASSWORD)
            changed.set()
            return answer

        monkeypatch.setattr(
            type(people.passwords), "check", lambda _, *args, **known: slowly(*args, **known)
        )
        signed, told = await together(lambda: sign_in(thief), change)
        assert type(told) is am.AccountIs
        assert (type(signed), signed.code) == (m.Error, "sign_in")
        assert len(await devices(people)) == 1, "the owner's alone"


async def test_a_device_that_was_signed_out_changes_nothing_in_the_moment_that_is_left(
    tmp_path: Path, autojump_clock: Any
) -> None:
    """Before its connection is closed it still asks, and signs nobody out."""
    async with desk(tmp_path) as (running, people):
        owner, thief = await person(running), await person(running)
        assert type(await owner.ask(am.ChangeAccount, "drop_devices", None, "")) is am.AccountIs
        for what, value in (("drop_devices", None), ("zone", "Europe/Berlin"), ("key", None)):
            answer = await thief.ask(am.ChangeAccount, what, value, PASSWORD)
            assert type(answer) is m.Error, what
        assert len(await devices(people)) == 1
        assert type(await owner.ask(am.Account)) is am.AccountIs


# --- whose a connection is ------------------------------------------------------------------------


async def test_a_connection_stays_that_of_one_account(tmp_path: Path, autojump_clock: Any) -> None:
    """Whoever signs in where somebody else is signed in does not come to keep their seats."""
    async with desk(tmp_path) as (running, people):
        kept = passwords.hashed(PASSWORD)
        await people.write(lambda at: accounts.create(at, people.world, "rig", "Bert", kept))
        made = await new_game(running)
        client = await person(running)
        await client.ask(m.Login, dict(made.tokens)["a"], "")
        signed = await sign_in(client, "Bert")
        answer = await client.ask(m.Login, signed.token, "")
        assert (answer.code, answer.say.key) == ("bad_account", "error.other_account")
        assert (await client.ask(am.Account)).account["handle"] == "Anna"
        again = await person(running, "Bert")
        assert (await again.ask(am.MyGames)).games == ()


# --- scopes ---------------------------------------------------------------------------------------


def looks(game: str) -> list[tuple[Any, ...]]:
    """What an arbiter may ask about a game."""
    return [
        (m.Subscribe, game, -1, "arbiter"),
        (m.View, game, "arbiter", m.NOW),
        (m.Choices, game, "a", ()),
        (m.Preview, game, "a", ()),
        (m.ChoicesAt, game, "a", 5, ()),
        (m.Rule, game, ("heard", 1), ()),
    ]


async def test_an_arbiter_of_one_game_is_a_stranger_in_another(
    tmp_path: Path, autojump_clock: Any
) -> None:
    """Whatever is asked; and as a caster of a seat they get neither what it is offered, nor the
    other seat, nor what players say."""
    async with desk(tmp_path) as (running, people):
        anna = await id_of(people, "Anna")
        game, _, client = await on_the_clock(running)
        other, _, _ = await on_the_clock(running)
        assert type(await claim(client, game, "b", 5)) is m.Accepted
        for role in (("arbiter", other, ""), ("caster", game, "b")):
            await people.write(lambda at, role=role: accounts.grant(at, people.world, anna, role))
        ann = await person(running)
        for kind, *fields in looks(game):
            answer = await ann.ask(kind, *fields)
            assert (type(answer), answer.code) == (m.Error, "not_allowed"), kind
        assert (await ann.ask(m.Choices, game, "b", ())).code == "not_allowed"
        assert (await ann.ask(m.Subscribe, game, -1, "a")).code == "not_allowed"
        assert type(await ann.ask(m.Subscribe, game, -1, "b")) is m.Subscribed
        assert (await read(ann, game)).code == "talk"
        assert type(await read(ann, other)) is tm.TalkIs
        assert type(await ann.ask(m.ChoicesAt, other, "a", 5, ())) is not m.Error


async def test_whoever_looks_at_what_a_seat_is_offered_now_is_in_the_log(
    tmp_path: Path, autojump_clock: Any
) -> None:
    """Before it is answered; and who plays is no arbiter, also by a preview."""
    async with server() as s:
        game, given, _ = await on_the_clock(s)
        host = await s.client()
        assert type(await host.ask(m.Login, HOST_TOKEN, "Ann")) is m.LoggedIn
        before = logged(s, game)[-1].seq
        assert type(await host.ask(m.Choices, game, "a", ())) is m.ChoicesAre
        look = logged(s, game)[-1]
        assert (look.seq, look.actor) == (before + 1, (host_id(s), "Ann"))
        assert look.body == ("looked", "arbiter", before, before)
        cheat = await s.client()
        assert type(await cheat.ask(m.Login, HOST_TOKEN, "Eve")) is m.LoggedIn
        assert type(await cheat.ask(m.Login, given["b"], "Bert")) is m.LoggedIn
        for kind in (m.Choices, m.Preview):
            assert (await cheat.ask(kind, game, "a", ())).code == "not_allowed"
        assert logged(s, game)[-1].seq == before + 1


async def test_whoever_has_sat_in_a_game_never_rules_on_it(
    tmp_path: Path, autojump_clock: Any
) -> None:
    """Under whatever name, and though their account has dropped the seat since."""
    async with desk(tmp_path) as (running, people):
        game, given, client = await on_the_clock(running)
        assert type(await claim(client, game, "b", 5)) is m.Accepted
        anna = await id_of(people, "Anna")
        await people.write(lambda at: accounts.grant(at, people.world, anna, ("arbiter", game, "")))
        player = await person(running)
        assert type(await player.ask(m.Login, given["a"], "Zoe")) is m.LoggedIn
        await player.ask(am.ChangeAccount, "drop_seat", (game, "a"), "")
        again = await person(running)
        assert ("seat", game, "a") not in (await again.ask(m.Login, "", "")).roles
        refused = await rule(again, game, "heard", 1)
        assert refused.refusal.key == "refusal.arbiter_plays"
        for kind, *fields in looks(game)[:4]:
            assert (await again.ask(kind, *fields)).code == "not_allowed", kind


async def test_a_host_who_plays_does_not_read_the_spectators(
    tmp_path: Path, autojump_clock: Any
) -> None:
    """Not while the game is played."""
    async with desk(tmp_path) as (running, _people):
        game, _, _ = await table(running)
        watcher, host = await person(running), await running.client(HOST_TOKEN)
        assert (await say(watcher, game, "He has no oil.", "", tm.SPECTATORS)).n == 1
        assert len((await read(host, game, tm.SPECTATORS)).lines) == 1
        held = next(iter(running.hub.supervisor.games[game].profile.tokens))
        token = await host.ask(m.NewToken, game, held)
        assert type(await host.ask(m.Login, token.token, "")) is m.LoggedIn
        assert (await read(host, game, tm.SPECTATORS)).code == "talk"


# --- a file that cannot be used -------------------------------------------------------------------


async def test_a_locked_file_keeps_one_thread_and_no_game(
    tmp_path: Path, autojump_clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process holds the lock: whoever signs in is told so, a game goes on, and once the
    lock is gone everything is as before."""
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.01)
    async with desk(tmp_path) as (running, people):
        game, _, client = await on_the_clock(running)
        holder = sqlite3.connect(tmp_path / accounts.FILE, isolation_level=None)
        holder.execute("BEGIN IMMEDIATE")
        stranger = await running.client()
        assert (await sign_in(stranger)).code == "not_saved"
        assert type(await client.submit(game, "a", "pass")) is m.Accepted
        holder.execute("ROLLBACK")
        holder.close()
        assert type(await sign_in(stranger)) is am.SignedIn
        assert len(await devices(people)) == 1


async def test_transactions_wait_for_each_other_and_not_in_threads(
    tmp_path: Path, autojump_clock: Any
) -> None:
    """However many ask, one thread at a time is theirs; beyond a bound they are refused."""
    inside = most = 0

    class Slow:
        def now_ms(self) -> int:
            return 0

        async def blocking(self, call: Callable[[], Any]) -> Any:
            nonlocal inside, most
            inside += 1
            most = max(most, inside)
            await trio.sleep(1)
            inside -= 1
            return call()

    file = people_file(tmp_path)
    people = People("invite", Slow(), None, file, "rig")  # type: ignore[arg-type]
    refused = 0

    async def ask() -> None:
        nonlocal refused
        try:
            await people.look(accounts.listed)
        except NotDone as error:
            assert error.failure.code == "slow_down"
            refused += 1

    async with trio.open_nursery() as nursery:
        for _ in range(WAITING_MAX + 9):
            nursery.start_soon(ask)
    assert (most, refused) == (1, 9)


@pytest.mark.parametrize("harm", ["garbage", "read-only"])
async def test_a_file_that_cannot_be_used_stops_no_game(
    tmp_path: Path, autojump_clock: Any, harm: str
) -> None:
    """Damaged, or on a disk that takes nothing: nobody is signed in, nobody is told a token, nobody
    sits down under a name that might be an account's, and who plays plays on."""
    async with desk(tmp_path) as (running, people):
        signed = await person(running)
        game, _, client = await on_the_clock(running)
        if harm == "garbage":
            people.db.close()
            spoil(tmp_path)
        else:
            connection = people.db._connection
            assert connection is not None
            connection.execute("PRAGMA query_only = ON")
        assert (await sign_in(await running.client())).code == "not_saved"
        answer = await signed.ask(am.ChangeAccount, "zone", "Europe/Berlin", "")
        assert answer.code == "not_saved"
        await trio.sleep(3)
        assert type(await client.submit(game, "a", "pass")) is m.Accepted
        made = await new_game(running)
        sitting = await take(await running.client(dict(made.tokens)["a"]), made.game, "a")
        assert type(sitting) is (m.Error if harm == "garbage" else m.Accepted)
