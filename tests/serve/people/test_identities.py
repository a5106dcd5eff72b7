"""Who somebody is in the records that a server writes: the id of an account or of a token, whatever
they are called, and nobody else's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from tests.serve.games.test_clocks import assert_sound, logged
from tests.serve.games.test_rulings import claim, host_id, rule
from tests.serve.people.test_accounts import (  # `quick` is used by every test
    PASSWORD,
    begin,
    desk,
    id_of,
    new_game,
    person,
    quick,
)
from tests.serve.rig import HOST_TOKEN, Client, Server, key_of, take
from warledger.engine.desk import accounts, passwords
from warledger.engine.desk.people import People
from warledger.engine.runtime import tokens
from warledger.engine.runtime.ambient import SystemAmbient
from warledger.engine.serve.people import viewtokens
from warledger.protocol.limits import PERSON_ID_CHARS_MAX
from warledger.protocol.log.records import Genesis
from warledger.protocol.seats import acts
from warledger.protocol.seats.acts import Hand
from warledger.protocol.wire import accountmessages as am
from warledger.protocol.wire import messages as m

MockClock = trio.testing.MockClock

__all__ = ["quick"]


async def account(people: People, handle: str) -> str:
    """A new account; its id."""
    kept = passwords.hashed(PASSWORD)
    await people.write(lambda at: accounts.create(at, people.world, "rig", handle, kept))
    return await id_of(people, handle)


async def arbiter_of_all(people: People, id: str) -> None:
    """Let an account rule on every game."""
    await people.write(lambda at: accounts.grant(at, people.world, id, ("arbiter", "", "")))


async def claimed(s: Server, people: People) -> tuple[str, Client]:
    """A game that Anna, signed in, plays in seat "a" and a guest in seat "b", who claims
    something: its id, and Anna's client."""
    made = await new_game(s)
    anna, guest = await person(s), await s.client(dict(made.tokens)["b"], "Bert")
    assert type(await anna.ask(m.Login, dict(made.tokens)["a"], "")) is m.LoggedIn
    await begin(anna, guest, made.game)
    assert type(await claim(guest, made.game, "b", 5)) is m.Accepted
    return made.game, anna


async def opened(s: Server, name: str, desk: Any) -> Any:
    """The answer to a host, logged in under a name, who opens a game with such a desk."""
    host = await s.client(HOST_TOKEN, name)
    return await host.ask(m.OpenGame, "counting", {}, {"desk": desk})


# --- who acts -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "said",
    ["", "rig.00000000000000000000000000", "Bert's", "upper", "Anna", "x" * PERSON_ID_CHARS_MAX],
)
async def test_an_act_names_the_account_that_it_is_signed_in_to(
    tmp_path: Path, autojump_clock: MockClock, said: str
) -> None:
    """Not none, not somebody else's, not its own in other letters, not its handle; nothing is
    written, and with its own id the seat is taken."""
    async with desk(tmp_path) as (s, people):
        own, berts = await id_of(people, "Anna"), await account(people, "Bert")
        made = await new_game(s)
        anna = await person(s)
        assert type(await anna.ask(m.Login, dict(made.tokens)["a"], "")) is m.LoggedIn
        anna.account = {"Bert's": berts, "upper": own.upper()}.get(said, said)
        refused = await take(anna, made.game, "a")
        assert (refused.code, refused.say.key) == ("bad_account", "error.not_own_account")
        assert dict(refused.say.args) == {"account": anna.account, "own": own}
        assert logged(s, made.game)[-1].seq == 0
        anna.account = own
        assert type(await take(anna, made.game, "a")) is m.Accepted
        body = logged(s, made.game)[-1].body
        assert body[:4] == ("taken", "a", own, "Anna")


async def test_a_guest_acts_under_no_account(tmp_path: Path, autojump_clock: MockClock) -> None:
    """Whoever is signed in to none claims none; an id that is too long is no act at all."""
    async with desk(tmp_path) as (s, people):
        made = await new_game(s)
        guest = await s.client(dict(made.tokens)["a"], "Guest")
        guest.account = await id_of(people, "Anna")
        refused = await take(guest, made.game, "a", "Guest")
        assert (refused.code, refused.say.key) == ("bad_account", "error.not_own_account")
        guest.account = "x" * (PERSON_ID_CHARS_MAX + 1)
        assert (await take(guest, made.game, "a", "Guest")).refusal.key == "refusal.act_form"
        guest.account = ""
        guest.hands.clear()
        guest.hands[made.game, "a"] = Hand(
            (await guest.ask(m.HeadOf, made.game, 0)).head.hash,
            "a",
            key_of(made.game, "a"),
            100,
        )
        assert type(await take(guest, made.game, "a", "Guest")) is m.Accepted


async def test_whoever_replaces_somebody_names_their_own_account(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    """The newcomer's, not that of who sat there; the log has it with the name."""
    async with desk(tmp_path) as (s, people):
        game, _ = await claimed(s, people)
        annas, berts = await id_of(people, "Anna"), await account(people, "Bert")
        host = await s.client(HOST_TOKEN)
        token = (await host.ask(m.Replace, game, "a", "Bert")).token
        bert = await person(s, "Bert")
        assert type(await bert.ask(m.Login, token, "")) is m.LoggedIn
        genesis = (await bert.ask(m.HeadOf, game, 0)).head.hash
        bert.hands[game, "a"] = Hand(genesis, "a", key_of(game, "new"), 1000)
        for account_ in (annas, "", berts[:-1]):
            refused = await bert.act(game, "a", acts.REPLACED, (account_, "Bert", "test"))
            assert refused.say.key == "error.not_own_account"
        answer = await bert.act(game, "a", acts.REPLACED, (berts, "Bert", "test"))
        assert type(answer) is m.Accepted
        record = logged(s, game)[answer.seq]
        assert (record.actor, record.body[:4]) == ("a", ("replaced", "a", berts, "Bert"))
        await assert_sound(s, game)


# --- who rules ------------------------------------------------------------------------------------


async def test_who_is_called_like_a_player_may_rule_and_the_player_may_not(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    """The account decides: a player's own, under another handle since, is barred."""
    async with desk(tmp_path) as (s, people):
        game, _ = await claimed(s, people)
        annas, berts = await id_of(people, "Anna"), await account(people, "Bert")
        for id in (annas, berts):
            await arbiter_of_all(people, id)
        rename = "UPDATE accounts SET handle = 'Zoe', found_by = 'zoe' WHERE handle = 'Anna'"
        await people.write(lambda at: at.execute(rename))
        zoe = await person(s, "Zoe")
        assert (await rule(zoe, game, "heard", 1)).refusal.key == "refusal.arbiter_plays"
        bert = await person(s, "Bert")
        assert type(await rule(bert, game, "heard", 1)) is m.Accepted
        assert logged(s, game)[-1].actor == (berts, "Bert")
        await assert_sound(s, game)


async def test_who_takes_the_handle_of_a_forgotten_account_is_somebody_else(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    """The id that the account leaves in the log is never given again: the new Anna may rule."""
    async with desk(tmp_path) as (s, people):
        game, anna = await claimed(s, people)
        old = await id_of(people, "Anna")
        await anna.say(am.ChangeAccount, "forget", None, PASSWORD)
        while await anna.hear() is not None:
            pass
        new = await account(people, "Anna")
        assert new != old
        await arbiter_of_all(people, new)
        again = await person(s)
        assert type(await rule(again, game, "heard", 1)) is m.Accepted
        assert logged(s, game)[-1].actor == (new, "Anna")
        assert logged(s, game)[1].body[2:4] == (old, "Anna")
        await assert_sound(s, game)


async def test_an_arbiters_token_is_one_person_whoever_shows_it(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    """Under any name that is given with it, also with the host's token beside it; another token of
    the same name is somebody else; whoever is signed in writes as their account."""
    async with desk(tmp_path) as (s, people):
        game, _ = await claimed(s, people)
        row = (("arbiter", "", ""),)
        _, first = viewtokens.make(tmp_path, SystemAmbient(), row)
        _, second = viewtokens.make(tmp_path, SystemAmbient(), row)
        one, other = (tokens.person_id_of(tokens.digest(token), "rig") for token in (first, second))
        for token, name in ((first, "Cid"), (first, "Dora"), (second, "Cid")):
            shown = await s.client(token, name)
            answer = await rule(shown, game, "heard", 1)
            if name == "Dora":
                assert answer.refusal.key == "refusal.heard"
                assert type(await shown.ask(m.Login, HOST_TOKEN, name)) is m.LoggedIn
                assert (await rule(shown, game, "heard", 1)).refusal.key == "refusal.heard"
            else:
                assert type(answer) is m.Accepted
        berts = await account(people, "Bert")
        bert = await person(s, "Bert")
        assert type(await bert.ask(m.Login, first, "")) is m.LoggedIn
        assert type(await rule(bert, game, "heard", 1)) is m.Accepted
        told = [record.actor for record in logged(s, game) if record.body[:1] == ("heard",)]
        assert told == [(one, "Cid"), (other, "Cid"), (berts, "Bert")]
        await assert_sound(s, game)


# --- whom a host names ----------------------------------------------------------------------------


async def test_a_host_names_arbiters_and_the_terms_hold_their_ids(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    """The account of a handle, the token of a name, the host under their own; recused are ids
    alone."""
    async with desk(tmp_path) as (s, people):
        annas = await id_of(people, "Anna")
        _, token = viewtokens.make(tmp_path, SystemAmbient(), (("arbiter", "", ""),), "", "Ben")
        bens = tokens.person_id_of(tokens.digest(token), "rig")
        await trio.sleep(2 * viewtokens.LOOK_SECONDS)
        made = await opened(s, "Host", (("Anna", "Ben", "Host"), {"recused": ("Anna",)}))
        assert type(made) is m.Created
        terms = Genesis.from_record(logged(s, made.game)[0]).terms
        named = ((annas, "Anna"), (bens, "Ben"), (host_id(s), "Host"))
        assert terms["desk"] == (named, {"recused": (annas,)})


@pytest.mark.parametrize("name", ["Nobody", "anna", "ANNA", "Ann\u0430", "Host", "", "server"])
async def test_a_host_names_nobody_who_is_not_there(
    tmp_path: Path, autojump_clock: MockClock, name: str
) -> None:
    """Not even by a handle in other letters, nor the host under a name that they have not given;
    no game is opened, neither for an arbiter nor for one who is recused."""
    async with desk(tmp_path) as (s, _):
        for terms in (((name,), {}), ((), {"recused": (name,)})):
            refused = await opened(s, "Other", terms)
            assert (refused.code, refused.say.key) == ("bad_option", "error.nobody_called")
        assert (await (await s.client()).ask(m.Games, "", "", 9)).games == ()


async def test_a_host_names_by_id_where_two_have_one_name(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    """Whoever signs up under the name of an arbiter's token neither becomes the arbiter nor keeps
    them out: the host is told both ids, and names either."""
    async with desk(tmp_path) as (s, people):
        row = (("arbiter", "", ""),)
        _, token = viewtokens.make(tmp_path, SystemAmbient(), row, name="Otto")
        otto = tokens.person_id_of(tokens.digest(token), "rig")
        stranger = await account(people, "Otto")
        refused = await opened(s, "Host", (("Otto",), {}))
        assert (refused.code, refused.say.key) == ("bad_option", "error.several_called")
        assert set(dict(refused.say.args)["ids"]) == {otto, stranger}
        for id in (otto, stranger):
            made = await opened(s, "Host", ((id,), {}))
            terms = Genesis.from_record(logged(s, made.game)[0]).terms
            assert terms["desk"][0] == ((id, "Otto"),)


async def test_a_desk_lets_nobody_in_who_only_has_the_name(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    """The desk names Cleo's account: a token that is called so later is somebody else, and she is
    still she under another handle."""
    async with desk(tmp_path) as (s, people):
        cleos = await account(people, "Cleo")
        made = await opened(s, "Host", (("Cleo",), {}))
        given = dict(made.tokens)
        anna, guest = await person(s), await s.client(given["b"], "Bert")
        assert type(await anna.ask(m.Login, given["a"], "")) is m.LoggedIn
        await begin(anna, guest, made.game)
        assert type(await claim(guest, made.game, "b", 5)) is m.Accepted
        rename = "UPDATE accounts SET handle = 'Zoe', found_by = 'zoe' WHERE handle = 'Cleo'"
        await people.write(lambda at: at.execute(rename))
        row = (("arbiter", "", ""),)
        _, token = viewtokens.make(tmp_path, SystemAmbient(), row, "", "Cleo")
        other = await s.client(token)
        assert (await rule(other, made.game, "heard", 1)).refusal.key == "refusal.not_an_arbiter"
        await arbiter_of_all(people, cleos)
        zoe = await person(s, "Zoe")
        assert type(await rule(zoe, made.game, "heard", 1)) is m.Accepted
        assert logged(s, made.game)[-1].actor == (cleos, "Zoe")
        await assert_sound(s, made.game)
