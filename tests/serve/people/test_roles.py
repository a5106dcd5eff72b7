"""Tokens that only look: an arbiter sees everything and does nothing, a caster sees named seats."""

import json
import stat
from pathlib import Path

import pytest
import trio
import trio.testing

from tests.serve.games.test_clocks import logged
from tests.serve.games.test_rulings import claim, rule
from tests.serve.rig import HOST_TOKEN, Client, on_the_clock, server, started
from tests.serve.wire.test_sockets import client_of, serving
from tests.toys.counting import WORDS
from warledger.engine.desk import accounts
from warledger.engine.runtime import tokens
from warledger.engine.runtime.ambient import SystemAmbient
from warledger.engine.serve.people import viewtokens
from warledger.engine.testing.fakeambient import SeededAmbient
from warledger.protocol.wire import messages as m

MockClock = trio.testing.MockClock
WORD = WORDS[1]


def arbiter(data: Path, game: str = "") -> tuple[viewtokens.Grant, str]:
    """A token for an arbiter of a game, or of all."""
    return viewtokens.make(data, SystemAmbient(), (("arbiter", game, ""),))


def caster(data: Path, *views: tuple[str, str]) -> tuple[viewtokens.Grant, str]:
    """A token for a caster of these seats."""
    return viewtokens.make(
        data, SystemAmbient(), tuple(("caster", game, seat) for game, seat in views)
    )


async def denied(client: Client, kind: object, *fields: object) -> bool:
    """Whether the request is refused for want of a right."""
    answer = await client.ask(kind, *fields)
    return type(answer) is m.Error and answer.code in ("not_allowed", "host_only")


async def test_an_arbiter_sees_everything_and_does_nothing(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    """With an arbiter's token all records with all openings are read, and nothing that changes
    anything is carried out."""
    async with server(data=tmp_path) as s:
        game, _, player = await started(s)
        await player.submit(game, "a", "hide", WORD)
        _, token = arbiter(tmp_path)
        client = await s.client()
        logged_in = await client.ask(m.Login, token, "")
        assert logged_in.roles == (("arbiter", "", ""),)
        last = (await client.ask(m.Subscribe, game, -1, "arbiter")).last_seq
        assert any(opened for _, _, opened in await client.until((game, "arbiter"), last))
        assert (await client.ask(m.View, game, "arbiter", m.NOW)).seq == last
        assert type(await client.ask(m.Choices, game, "b", ())) in (m.ChoicesAre, m.Refused)
        for kind, *fields in (
            (m.CreateGame, "counting", {}, 0),
            (m.NewToken, game, "a"),
            (m.Replace, game, "a", "Eve"),
            (m.Standing, game, "a"),
        ):
            assert await denied(client, kind, *fields), kind
        assert (await client.ask(m.Head, game)).head.seq == last


async def test_an_arbiter_of_one_game_is_nobody_in_others(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    """A token for one game opens that one, at once however late its spectators are, and no
    other."""
    async with server(data=tmp_path) as s:
        game, _, player = await started(s, delay_s=60)
        other, _, _ = await started(s, delay_s=60)
        answer = await player.submit(game, "a", "add", 1)
        client = await s.client(arbiter(tmp_path, game)[1])
        assert (await client.ask(m.Head, game)).head.seq == answer.head.seq
        rows = {row["game"]: row["seq"] for row in (await client.ask(m.Games, "", "", 10)).games}
        assert rows[game] == answer.head.seq > rows[other]
        assert type(await client.ask(m.Subscribe, game, -1, "arbiter")) is m.Subscribed
        assert await denied(client, m.Subscribe, other, -1, "arbiter")
        assert await denied(client, m.View, other, "arbiter", m.NOW)
        assert await denied(client, m.Choices, other, "a", ())
        assert await denied(client, m.Subscribe, game, -1, "a")


async def test_a_caster_sees_his_seats_and_no_other(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    """Named seats of named games are seen as they see; other seats, other games, questions and
    everything an arbiter sees are not."""
    async with server(data=tmp_path) as s:
        game, _, player = await started(s)
        other, _, _ = await started(s)
        answer = await player.submit(game, "a", "hide", WORD)
        client = await s.client(caster(tmp_path, (game, "a"))[1])
        await client.ask(m.Subscribe, game, -1, "a")
        assert (await client.until((game, "a"), answer.head.seq))[answer.seq][2] != b""
        assert (await client.ask(m.View, game, "a", m.NOW)).seq == answer.head.seq
        for kind, *fields in (
            (m.Subscribe, game, -1, "b"),
            (m.Subscribe, game, -1, "arbiter"),
            (m.Subscribe, other, -1, "a"),
            (m.View, game, "b", m.NOW),
            (m.View, other, "a", m.NOW),
            (m.Choices, game, "a", ()),
            (m.Preview, game, "a", ()),
            (m.Standing, game, "a"),
            (m.CreateGame, "counting", {}, 0),
        ):
            assert await denied(client, kind, *fields), kind


async def test_a_revoked_token_is_worth_nothing_within_a_moment(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    """Whoever came in by it is told, gets no further record and no answer that needs it; shown
    again it is a wrong one."""
    async with server(data=tmp_path) as s:
        game, _, player = await started(s)
        grant, token = arbiter(tmp_path)
        kept, still = caster(tmp_path, (game, "a"))
        client = await s.client(token)
        assert type(await client.ask(m.Login, still, "")) is m.LoggedIn
        await client.ask(m.Subscribe, game, -1, "arbiter")
        await client.ask(m.Subscribe, game, -1, "a")
        viewtokens.revoke(tmp_path, grant.id)
        await trio.sleep(2 * viewtokens.LOOK_SECONDS)
        answer = await player.submit(game, "a", "pass")
        await client.until((game, "a"), answer.head.seq)
        assert client.records[game, "arbiter"][-1][0] < answer.seq
        assert await denied(client, m.View, game, "arbiter", m.NOW)
        assert (await (await s.client()).ask(m.Login, token, "")).code == "login"
        assert [grant.id for grant in viewtokens.read(tmp_path)] == [kept.id]
        with pytest.raises(viewtokens.BadGrants, match=kept.id):
            viewtokens.revoke(tmp_path, grant.id)


async def test_wrong_tokens_count_as_failed_logins(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    """A made-up arbiter's or caster's token is refused like any, and the third ends the
    connection."""
    async with server(data=tmp_path) as s:
        arbiter(tmp_path)
        client = Client(s.pipe())
        await client.ask(m.Hello, m.VERSION, "test")
        for kind in ("arbiter", "caster"):
            assert (
                await client.ask(m.Login, tokens.new_token(SeededAmbient(1), kind), "")
            ).code == "login"
        await client.say(m.Login, "arbiter:", "")
        assert (await client.hear()).fatal


def test_only_hashes_are_kept_for_the_owner_alone(tmp_path: Path) -> None:
    """No token stands in the file, nobody else may read it, and what is not such a file is told
    with what to do."""
    grant, token = caster(tmp_path, ("g", "a"), ("h", "b"))
    file = tmp_path / viewtokens.FILE
    assert token.partition(":")[2] not in file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert viewtokens.read(tmp_path) == (grant,)
    for bad in (
        "",
        "[]",
        "{}",
        json.dumps({"format": 2, "roles": []}),
        json.dumps({"format": 1, "roles": [{"id": "x"}]}),
        "x" * 100,
    ):
        file.write_text(bad)
        with pytest.raises(viewtokens.BadGrants, match=viewtokens.FILE):
            viewtokens.read(tmp_path)


async def test_a_file_that_cannot_be_read_grants_nothing(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    """A damaged file closes these tokens and nothing else; the right one put back opens them
    again."""
    async with server(data=tmp_path) as s:
        game, _, _ = await started(s)
        _, token = arbiter(tmp_path)
        client = await s.client(token)
        file = tmp_path / viewtokens.FILE
        right = file.read_bytes()
        file.write_bytes(b"{")
        await trio.sleep(2 * viewtokens.LOOK_SECONDS)
        assert await denied(client, m.View, game, "arbiter", m.NOW)
        assert (
            type(await (await s.client(HOST_TOKEN)).ask(m.View, game, "arbiter", m.NOW)) is m.ViewIs
        )
        file.write_bytes(right)
        await trio.sleep(2 * viewtokens.LOOK_SECONDS)
        assert type(await (await s.client(token)).ask(m.View, game, "arbiter", m.NOW)) is m.ViewIs


async def test_a_server_that_runs_knows_them(tmp_path: Path) -> None:
    """Made and revoked while a server runs, a token is good from then on and until then."""
    data = tmp_path / "data"
    with trio.fail_after(60):
        async with serving(data) as up:
            host = await client_of(up, up.token)
            games = [(await host.ask(m.CreateGame, "counting", {}, 3600)).game for _ in range(2)]
            grant, token = arbiter(data)
            _, casts = caster(data, *((game, "a") for game in games))
            for shown, audience in ((token, "arbiter"), (casts, "a")):
                client = await client_of(up, shown)
                for game in games:
                    assert (
                        type(await client.ask(m.Subscribe, game, -1, audience)) is m.Subscribed
                    ), audience
                    assert await denied(client, m.Subscribe, game, -1, "b")
            watching = await client_of(up, token)
            for game in games:
                await watching.ask(m.Subscribe, game, -1, "arbiter")
            viewtokens.revoke(data, grant.id)
            told = 0
            while told < len(games):
                message = await watching.hear()
                told += type(message) is m.Error and message.code == "not_allowed"
            for game in games:
                assert await denied(watching, m.View, game, "arbiter", m.NOW)


async def test_a_token_rules_under_its_own_name_alone(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    """Nobody who shows it is called anything else, whichever names they give or which other tokens
    they show; and neither a token without a name nor the host is called as an account is."""
    async with server(data=tmp_path) as s:
        game, _, player = await on_the_clock(s)
        people = s.hub.people
        await people.write(lambda at: accounts.create(at, people.world, "rig", "Carol"))
        _, token = viewtokens.make(tmp_path, SystemAmbient(), (("arbiter", "", ""),), "", "Ann")
        assert type(await claim(player, game, "b", 5)) is m.Accepted
        refused = await (await s.client()).ask(m.Login, token, "Bob")
        assert (type(refused), refused.code) == (m.Error, "token_name")
        ann = await s.client()
        assert (await ann.ask(m.Login, token, "")).principal == "Ann"
        assert type(await ann.ask(m.Login, HOST_TOKEN, "Bob")) is m.LoggedIn
        assert type(await rule(ann, game, "heard", 1)) is m.Accepted
        again = await s.client()
        assert (await again.ask(m.Login, token, "")).principal == "Ann"
        assert (await rule(again, game, "heard", 1)).refusal.key == "refusal.heard"
        assert type(await rule(again, game, "said", 1, "I hear it.")) is m.Accepted
        one = tokens.person_id_of(tokens.digest(token), "rig")
        assert [record.actor for record in logged(s, game)[-2:]] == [(one, "Ann")] * 2
        _, nameless = arbiter(tmp_path)
        for shown in (nameless, HOST_TOKEN):
            other = await s.client()
            assert type(await other.ask(m.Login, shown, "carol")) is m.LoggedIn
            told = await rule(other, game, "heard", 1)
            assert type(told) is m.Error and told.say.key == "error.handle_taken"
            looked = await other.ask(m.ChoicesAt, game, "a", 5, ())
            assert type(looked) is m.Error and looked.say.key == "error.handle_taken"


async def test_a_revocation_is_met_though_another_token_was_shown_since(tmp_path: Path) -> None:
    """A login with a new token reads the file again; that an older token is worth nothing any more
    is still news for those who used it."""
    book = viewtokens.Book(tmp_path, None)
    old, _ = arbiter(tmp_path)
    assert book.look() and not book.look()
    viewtokens.revoke(tmp_path, old.id)
    made, token = viewtokens.make(tmp_path, SystemAmbient(), (("arbiter", "", ""),), name="Ann")
    assert book.of_token(token) == (made.digest, made.rows)
    assert book.look() and not book.look()
    assert book.called() == {made.digest: "Ann"}
