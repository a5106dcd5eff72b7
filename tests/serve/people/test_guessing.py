"""What guessing at passwords and asking for accounts costs, and that it locks nobody out."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import trio

from tests.serve.people.test_accounts import PASSWORD, Later, desk, id_of, later, person
from tests.serve.people.test_accounts import quick as quick
from warledger.engine.desk import accounts, budgets, passwords, places
from warledger.engine.desk.people import NotDone, People, database
from warledger.protocol.wire import accountmessages as am


async def test_ten_thousand_wrong_passwords_cost_a_few_hashes(
    tmp_path: Path, autojump_clock: Any
) -> None:
    """From one address, from many at one account, and from many at many: what is hashed is bounded
    by address, by account, and by the time that the server gives to hashing. Right ones are not
    counted."""
    world = Later(1)
    people = People("invite", world, None, database(tmp_path), "rig")
    kept = passwords.hashed(PASSWORD)
    await people.write(lambda at: accounts.create(at, world, "rig", "Anna", kept))

    async def flood(address: str, handle: str, each: int = 300) -> tuple[int, float]:
        """The hashes, and the seconds that they took."""
        before, began = people.passwords.hashes, trio.current_time()
        for n in range(each):
            with suppress(NotDone):
                name = handle.format(n=n)
                await people.check(address.format(a=n // 250, b=n % 250), name, "wrong")
        made = people.passwords.hashes - before, trio.current_time() - began
        await trio.sleep(6 * 3600)
        world.pass_hours(6)
        return made

    assert (await flood("198.51.100.7", "Anna"))[0] == passwords.OF_PAIR.most
    assert (await flood("198.51.100.7", "x{n}"))[0] == passwords.OF_ADDRESS.most
    assert (await flood("198.51.{a}.{b}", "Anna"))[0] <= passwords.OF_ACCOUNT.most + 10
    hashes, seconds = await flood("198.51.{a}.{b}", "y{n}")
    assert hashes * passwords.WORK_SECONDS <= passwords.WORK_BURST + seconds * passwords.WORK_SHARE
    for _ in range(passwords.OF_KNOWN.most * 3):
        assert await people.check("203.0.113.9", "Anna", PASSWORD)


async def test_who_guesses_locks_nobody_out(tmp_path: Path, autojump_clock: Any) -> None:
    """However many addresses guess at an account, also after a restart: its owner signs in where
    they have signed in before, changes the password on a device that is signed in, and comes in by
    a link. From a new place their turn comes among those who guess."""
    async with desk(tmp_path) as (running, people):
        laptop = await person(running)
        anna = await id_of(people, "Anna")
        place = budgets.asker_of("2001:db8:1:2::3").who
        await people.write(lambda at: places.note(at, anna, place, people.world.now_ms()))
        for again in range(2):
            refused = 0
            for n in range(150):
                try:
                    await people.check(f"2001:db8:{n + 9:x}::1", "Anna", "wrong")
                except NotDone as error:
                    assert error.failure.code == "slow_down"
                    refused += 1
            assert refused >= 40
            new, old = f"{again} {PASSWORD}", f"{again - 1} {PASSWORD}" if again else PASSWORD
            assert await people.check("2001:db8:1:2::ffff", "anna", old)
            answer = await laptop.ask(am.ChangeAccount, "password", new, old)
            assert type(answer) is am.AccountIs
            code = await people.write(lambda at: accounts.make_link(at, people.world, anna))
            by_link = await (await running.client()).ask(am.SignIn, am.LINK, "", code, "", False)
            assert type(by_link) is am.SignedIn
            people.passwords = passwords.Passwords(people.world)
        tries = 0
        while True:
            tries += 1
            with suppress(NotDone):
                assert await people.check("2001:db8:ffff::1", "Anna", new)
                break
            for n in range(3):
                with suppress(NotDone):
                    await people.check(f"2001:db8:{n + 9:x}::1", "Anna", "wrong")
            await trio.sleep(60)
            later(people, 1 / 60)
        assert tries <= 5


async def test_hashes_are_made_in_turn_over_networks(autojump_clock: Any) -> None:
    """A hundred addresses of one network make somebody else wait one turn. Who waits for one hash
    gets no second one, and nobody waits for ever."""
    turns, came = budgets.Turns(1), []

    async def work(address: str, seconds: float = 1) -> None:
        try:
            async with turns.turn(budgets.asker_of(address)):
                await trio.sleep(seconds)
                came.append(address)
        except budgets.Busy:
            came.append("busy")

    async with trio.open_nursery() as nursery:
        for n in range(20):
            nursery.start_soon(work, f"2001:db8:0:{n:x}::1")
            await trio.sleep(0.001)
        nursery.start_soon(work, "2001:db8:0:5::2")
        nursery.start_soon(work, "192.0.2.1")
        await trio.sleep(3)
        assert came[0] == "2001:db8:0:0::1" or came[0] == "busy"
        assert "192.0.2.1" in came and came.count("busy") == 1
    assert len(came) == 22 and came.count("busy") == 1
    del came[:]
    async with trio.open_nursery() as nursery:
        nursery.start_soon(work, "192.0.2.1", 100)
        await trio.testing.wait_all_tasks_blocked()
        with trio.CancelScope() as scope:
            nursery.start_soon(work, "192.0.2.2")
            await trio.sleep(budgets.WAIT_SECONDS + 1)
            scope.cancel()
        assert came == ["busy"]
    await work("192.0.2.3")
    assert came == ["busy", "192.0.2.1", "192.0.2.3"]


async def test_nothing_is_counted_for_which_nothing_was_done(
    tmp_path: Path, autojump_clock: Any
) -> None:
    """Accounts that cannot be keep nobody from making theirs, and one address nobody at another."""
    async with desk(tmp_path) as (_running, people):
        people.mode = "open"

        def up(address: str, handle: str, password: str) -> Any:
            return people.sign_up(address, "", handle, password, "en")

        for n in range(120):
            with pytest.raises(NotDone, match="bad_account"):
                await up("198.51.100.7", f"x{n}", "short")
            with pytest.raises(NotDone, match="bad_account"):
                await up("198.51.100.7", "Anna", PASSWORD)
        for n in range(passwords.SIGN_UPS.most):
            await up("198.51.100.7", f"anna{n}", "")
        with pytest.raises(NotDone, match="slow_down"):
            await up("198.51.100.7", "another", "")
        await up("198.51.100.8", "another", PASSWORD)
        assert people.passwords.hashes == 1
