"""Claims on a server: seats claim, arbiters rule, and everybody who follows sees it."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from io import StringIO
from typing import Any

import pytest
import trio
import trio.testing

from tests.clients.table import link
from tests.serve.games.test_clocks import assert_sound, logged
from tests.serve.rig import HOST_TOKEN, Client, Server, on_the_clock, server, sit_down
from warledger.clients.commands.play.arbiters import UNSAID, preview, remedies_of, ruled
from warledger.clients.commands.play.online import Where
from warledger.clients.link import Link
from warledger.clients.link.trying import would_rule
from warledger.clients.terminal.screen import Screen
from warledger.clients.terminal.visible import Console
from warledger.engine.runtime import tokens
from warledger.protocol.log import records
from warledger.protocol.seats import acts
from warledger.protocol.wire import messages as m
from warledger.protocol.wire import rulingmessages as rm

MockClock = trio.testing.MockClock
PROMPT = "prompt.counting.act"


async def claim(client: Client, game: str, seat: str, at_seq: int, n: int = 1) -> Any:
    """A claim of a seat."""
    body = ("claim", n, seat, at_seq, "9.2", "The die was not mine.")
    return await client.act(game, seat, acts.RULING, body)


def host_id(s: Server) -> str:
    """The id of whoever has the host's token."""
    return tokens.person_id_of(s.hub.host_digest, "rig")


async def arbiter(s: Server, name: str = "Ann") -> Client:
    """Somebody with the host's token."""
    client = await s.client()
    assert type(await client.ask(m.Login, HOST_TOKEN, name)) is m.LoggedIn
    return client


async def rule(client: Client, game: str, *body: Any, corrections: Any = ()) -> Any:
    """What an arbiter writes."""
    return await client.ask(m.Rule, game, body, corrections)


async def claimed(s: Server) -> tuple[str, int, Client]:
    """A game with clocks in which "b" claims that the points that "a" added are wrong: its id, the
    record before them, and both seats' client."""
    game, _, client = await on_the_clock(s)
    back = logged(s, game)[-1].seq
    assert type(await client.submit(game, "a", "add", 3)) is m.Accepted
    assert type(await claim(client, game, "b", back + 1)) is m.Accepted
    return game, back, client


async def hear(ann: Client, game: str) -> None:
    """Ann hears the first claim, and freezes the game."""
    for body in (("heard", 1), ("frozen", 1)):
        assert type(await rule(ann, game, *body)) is m.Accepted


async def test_a_claim_is_heard_frozen_ruled_on_and_the_game_goes_on(
    autojump_clock: MockClock,
) -> None:
    """Standing answers that are due wait; what the ruling asks for stands in the log at once."""
    async with server() as s:
        game, back, client = await claimed(s)
        ann = await arbiter(s)
        await hear(ann, game)
        frozen = logged(s, game)[-1].seq
        order = (PROMPT, (("pass",),), "game")
        assert (await client.order(game, "b", order)).refusal.key == "refusal.frozen"
        assert (await client.submit(game, "b", "pass")).refusal.key == "refusal.frozen"
        await trio.sleep(500)
        assert logged(s, game)[-1].seq == frozen, "no flag falls"
        ruled = ("ruled", 1, "upheld", "9.2", "It was not.", (("back", back), ("correct",)))
        refused = await rule(ann, game, *ruled)
        assert refused.refusal.key == "refusal.correction_missing"
        made = await rule(ann, game, *ruled, corrections=(("score", "a", 5),))
        assert type(made) is m.Accepted, made
        assert type(await rule(ann, game, "thawed", 1)) is m.Accepted
        kinds = [one.kind for one in logged(s, game)[-4:]]
        assert kinds == [records.RULING, records.TAKEBACK, records.RULING, records.RULING]
        assert type(await client.submit(game, "a", "pass")) is m.Accepted
        await assert_sound(s, game)


async def test_standing_answers_outlast_a_freeze_without_clocks(autojump_clock: MockClock) -> None:
    """They are given once the game is thawed, and not passed over."""
    async with server() as s:
        host = await s.client(HOST_TOKEN)
        created = await host.ask(m.OpenGame, "counting", {"turns": 10}, {})
        given = dict(created.tokens)
        client = await s.client(given["a"], "Anna")
        assert type(await client.ask(m.Login, given["b"], "Bert")) is m.LoggedIn
        await sit_down(client, created.game)
        game = created.game
        assert type(await client.order(game, "b", (PROMPT, (("pass",),), "game"))) is m.Accepted
        assert type(await client.submit(game, "a", "pass")) is m.Accepted
        await trio.sleep(1)
        given_for, link = logged(s, game)[-2:]
        assert (given_for.actor, link.kind) == ("b", records.OPEN)
        asked = given_for.seq - 1
        ann = await arbiter(s)
        assert type(await claim(client, game, "a", asked)) is m.Accepted
        await hear(ann, game)
        ruled = ("ruled", 1, "upheld", "9.2", "Again.", (("back", asked),))
        assert type(await rule(ann, game, *ruled)) is m.Accepted
        await trio.sleep(1)
        assert logged(s, game)[-1].kind == records.TAKEBACK, "b's answer is due, and waits"
        assert type(await rule(ann, game, "thawed", 1)) is m.Accepted
        await trio.sleep(1)
        again = logged(s, game)[-1]  # the turn ends again, and opens no link
        assert (again.kind, again.actor) == (records.COMMAND, "b")
        await assert_sound(s, game)


async def test_nobody_but_an_arbiter_rules_and_no_player_does(autojump_clock: MockClock) -> None:
    """Not a spectator, not a seat, not a host who holds a seat's token; who is only called like a
    player may."""
    async with server() as s:
        game, tokens, client = await on_the_clock(s)
        assert type(await claim(client, game, "b", 5)) is m.Accepted
        stranger = await s.client()
        for one in (stranger, client):
            answer = await rule(one, game, "heard", 1)
            assert (type(answer), answer.code) == (m.Error, "not_allowed")
        ann = await arbiter(s)
        for wrong in (("heard",), ("crown", 1), (), ("heard", 1, "Ann"), ("heard", "1")):
            assert (await rule(ann, game, *wrong)).refusal.key == "refusal.act_form"
        assert type(await ann.ask(m.Login, tokens["a"], "Ann")) is m.LoggedIn
        assert (await rule(ann, game, "heard", 1)).refusal.key == "refusal.arbiter_plays"
        anna = await arbiter(s, "Anna")
        assert type(await rule(anna, game, "heard", 1)) is m.Accepted
        assert logged(s, game)[-1].actor == (host_id(s), "Anna")


async def test_an_arbiter_sees_what_a_seat_was_offered_and_the_look_is_a_record(
    autojump_clock: MockClock,
) -> None:
    """And why something was refused then; the record stands before the answer is given."""
    async with server() as s:
        game, _, client = await on_the_clock(s)
        asked = logged(s, game)[-1].seq
        assert type(await client.submit(game, "a", "hide", "antelope")) is m.Accepted
        ann = await arbiter(s)
        then = await ann.ask(m.ChoicesAt, game, "a", asked, ())
        assert type(then) is m.ChoicesAre
        assert "show" not in [option.id for option in then.choices.options]
        look = logged(s, game)[-1]
        assert (look.actor, look.body) == ((host_id(s), "Ann"), ("looked", "a", asked, asked))
        why = await ann.ask(m.ChoicesAt, game, "a", asked, ("show",))
        assert why.refusal.key == "refusal.not_offered"
        assert (await client.ask(m.ChoicesAt, game, "a", asked, ())).code == "not_allowed"
        assert (await ann.ask(m.ChoicesAt, game, "a", 999, ())).code == "no_such_record"
        assert (await ann.ask(m.ChoicesAt, game, "c", asked, ())).refusal.key == "refusal.look"
        await assert_sound(s, game)


async def test_whoever_sees_everything_of_a_game_in_progress_is_in_its_log(
    autojump_clock: MockClock,
) -> None:
    """Once a connection, before anything is shown; not a spectator, not before play or after the
    end, and nobody who plays."""
    async with server() as s:
        game, tokens, client = await on_the_clock(s)
        ann = await arbiter(s)
        answer = await ann.ask(m.Subscribe, game, -1, "arbiter")
        look = logged(s, game)[-1]
        assert (look.actor, look.body) == (
            (host_id(s), "Ann"),
            ("looked", "arbiter", 0, look.seq - 1),
        )
        assert answer.last_seq == look.seq
        assert type(await ann.ask(m.View, game, "arbiter", m.NOW)) is m.ViewIs
        assert type(await (await s.client()).ask(m.Subscribe, game, -1, "public")) is m.Subscribed
        assert logged(s, game)[-1].seq == look.seq
        bob = await arbiter(s, "Bob")
        assert type(await bob.ask(m.View, game, "arbiter", 5)) is m.ViewIs
        assert logged(s, game)[-1].body == ("looked", "arbiter", 5, 5)
        assert type(await bob.ask(m.View, game, "arbiter", 4)) is m.ViewIs
        assert logged(s, game)[-1].body == ("looked", "arbiter", 4, 4)
        plays = await arbiter(s, "Eve")
        assert type(await plays.ask(m.Login, tokens["a"], "Anna")) is m.LoggedIn
        denied = await plays.ask(m.Subscribe, game, -1, "arbiter")
        assert (type(denied), denied.code) == (m.Error, "not_allowed")
        assert denied.say.key == "refusal.arbiter_plays"
        await assert_sound(s, game)
        assert type(await client.act(game, "a", acts.ASK, ("resign", 0))) is m.Accepted
        await trio.sleep(1)
        last = logged(s, game)[-1].seq
        late = await arbiter(s, "Cid")
        assert type(await late.ask(m.Subscribe, game, -1, "arbiter")) is m.Subscribed
        assert logged(s, game)[-1].seq == last


async def test_what_a_ruling_would_write_is_shown_and_not_written(
    autojump_clock: MockClock,
) -> None:
    """It is what the ruling then writes, but for what an end opens; and why one would be refused.
    Nobody but an arbiter is shown it."""
    async with server() as s:
        game, back, client = await claimed(s)
        ann = await arbiter(s)
        body: tuple[Any, ...] = ("ruled", 1, "upheld", "9.2", "So.", (("back", back), ("correct",)))
        set_right = (("score", "a", 5),)
        early = await ann.ask(rm.TryRuling, game, body, set_right)
        assert early.refusal.key == "refusal.not_heard"
        await hear(ann, game)
        last = logged(s, game)[-1].seq
        assert (await client.ask(rm.TryRuling, game, body, set_right)).code == "not_allowed"
        would = await ann.ask(rm.TryRuling, game, body, set_right)
        assert type(would) is rm.RulingIs and would.seq == last
        assert would.stands == ("a", "point", 1, (("a", 5), ("b", 0)))
        ends = (*body[:5], (*body[5], ("adjudicate", "a")))
        ending = await ann.ask(rm.TryRuling, game, ends, set_right)
        assert ending.stands == would.stands
        (_, _, end) = ending.records[-1]
        assert end[:3] == ("a", "outcome.adjudicated", (("claim", 1),))
        assert end[3:6] == ((), b"", b""), "the game's secrets stay shut"
        wrong = await ann.ask(rm.TryRuling, game, (*body[:5], (("adjudicate", "b"),)), ())
        assert wrong.refusal.key == "refusal.adjudicated"
        for bad in (
            ("heard",),
            ("heard", 1, "Ann"),
            ("ruled",),
            (),
            ("ruled", 1, "upheld", "9.2", "So.", 3),
        ):
            assert (await ann.ask(rm.TryRuling, game, bad, ())).refusal.key == "refusal.act_form"
        assert (await ann.ask(rm.TryRuling, game, body, ("x",))).refusal.key == "refusal.act_form"
        assert logged(s, game)[-1].seq == last, "nothing was written"
        assert type(await rule(ann, game, *body, corrections=set_right)) is m.Accepted
        written = tuple((one.actor, one.kind, one.body) for one in logged(s, game)[last + 1 :])
        assert written == would.records
        await assert_sound(s, game)


async def test_a_ruling_is_previewed_in_the_terminal_and_not_written(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every record that it would write, how the game would then stand, that the dice are new; or
    why it would be refused."""
    async with server() as s:
        game, back, _client = await claimed(s)

        @asynccontextmanager
        async def linking(where: Where) -> AsyncIterator[Link]:
            async with link(s, token=HOST_TOKEN, name="Ann") as linked:
                yield linked

        monkeypatch.setattr(Where, "link", linking)

        async def seen(*remedies: str) -> tuple[bool, list[str]]:
            out = StringIO()
            screen = Screen(plain=True, console=Console(file=out, width=1000))
            made = ruled(1, ("upheld", UNSAID, UNSAID), remedies_of(remedies, whole=False))
            return await preview(Where(), screen, game, made), out.getvalue().splitlines()

        done, lines = await seen(f"back {back}")
        assert (done, lines) == (False, ["Ruling: refused. Hear claim 1 first."])
        ann = await arbiter(s)
        assert type(await rule(ann, game, "heard", 1)) is m.Accepted
        last = logged(s, game)[-1].seq
        done, lines = await seen(f"back {back}", "correct score a 5", "time b 1m")
        assert done and lines[0].startswith(f"After record {last} this would be written")
        text = "\n".join(lines)
        for word in ("Ann", "upheld", f"record {back}", "score, a and 5", "1:00", "a 5 and b 0"):
            assert word in text, (word, text)
        assert "next ones" in lines[-2] and "--preview" in lines[-1]
        assert "{" not in text
        done, lines = await seen(f"back {back}", "correct score a 5", "correct")
        assert done and "“correct”" in lines[0] and "score: the score" in lines
        done, lines = await seen("correct score")
        assert done and "“correct score”" in lines[0] and {"a: a", "b: b"} <= set(lines)
        assert not any("written" in line for line in lines), "it is no ruling yet"
        done, lines = await seen("correct score a")
        assert done and lines[1].startswith("a whole number from 0"), lines
        done, lines = await seen("correct luck")
        assert not done and "refused" in lines[0]
        with pytest.raises(ValueError, match="not a remedy"):
            remedies_of(("correct",))
        done, lines = await seen("warn a")
        assert done and "next ones" not in "\n".join(lines), "nothing goes back"
        assert logged(s, game)[-1].seq == last, "nothing was written"
        await assert_sound(s, game)


@pytest.mark.parametrize(
    "told",
    [
        {"records": (("Ann", "ruling"),)},
        {"records": (("Ann", "ruling", ("ruled",)),)},
        {"records": (("Ann", "made up", ()),)},
        {"records": 3},
        {"stands": ("a", "point", 0, ())},
        {"stands": (7, "point", 1, ())},
        {"stands": ("a", "point", 1, (("a",),))},
    ],
)
def test_what_no_server_tells_of_a_ruling_is_not_believed(told: dict[str, Any]) -> None:
    """Records of no kind, bodies of another form, scores that are none."""
    given: dict[str, Any] = {"records": (), "stands": None, **told}
    with pytest.raises((ValueError, TypeError, LookupError)):
        would_rule(rm.RulingIs(1, "g", 5, given["records"], given["stands"]))


async def test_what_may_be_corrected_is_offered_pick_by_pick_where_the_ruling_leads_to(
    autojump_clock: MockClock,
) -> None:
    """Of the position that it goes back to and after the corrections before; what is no correction
    is refused, and nothing is written."""
    async with server() as s:
        game, back, client = await claimed(s)
        ann = await arbiter(s)
        await hear(ann, game)
        last = logged(s, game)[-1].seq

        async def offered(*picks: Any, to: int = 0, before: Any = ()) -> Any:
            return await ann.ask(rm.Correctable, game, 1, to, before, picks)

        verbs = await offered()
        assert [option.id for option in verbs.choices.options] == ["score", "curse"]
        assert (verbs.decision, verbs.prompt.key) == (last, "prompt.correction")
        assert [option.id for option in (await offered("score")).choices.options] == ["a", "b"]
        assert (await offered("score", "a", 5)).choices.complete
        assert (
            await offered("score", "a", 5, to=back, before=(("score", "a", 4),))
        ).choices.complete
        assert (await offered("crown")).refusal.key == "refusal.not_offered"
        assert (await offered(to=99999)).refusal.key == "refusal.takeback_target"
        assert (await offered(before=(("crown",),))).refusal.key == "refusal.not_offered"
        assert (await offered(before=3)).refusal.key == "refusal.act_form"
        assert (await client.ask(rm.Correctable, game, 1, 0, (), ())).code == "not_allowed"
        assert logged(s, game)[-1].seq == last, "nothing was written"


def anything(rng: random.Random, deep: int = 0) -> Any:
    """Something that a message may hold."""
    if deep < 2 and rng.random() < 0.4:
        return tuple(anything(rng, deep + 1) for _ in range(rng.randrange(4)))
    words = ("ruled", "back", "correct", "time", "adjudicate", "draw", "score", "a", "Ann", "9.2")
    return rng.choice((None, True, -1, 0, 1, 5, 9, 2**53 - 1, b"x", "", "\u202e" * 70, *words))


def a_ruling(rng: random.Random) -> tuple[Any, ...]:
    """A body that is nearly one, or none at all."""
    remedies = tuple(
        (word, *(anything(rng, 2) for _ in range(rng.randrange(3))))
        for word in rng.choices(("back", "correct", "time", "draw", "adjudicate", "stand"), k=2)
    )
    body = [
        "ruled",
        rng.choice((1, 1, 2)),
        rng.choice(("upheld", "rejected")),
        "9.2",
        "So.",
        remedies,
    ]
    if rng.random() < 0.5:
        body[rng.randrange(6)] = anything(rng)
    return rng.choice((tuple(body), tuple(body), anything(rng), ("heard", 1), ("frozen", 1)))


async def test_whatever_is_asked_about_rulings_the_server_stays(
    autojump_clock: MockClock, any_seed: int
) -> None:
    """Random requests of strangers, players and arbiters: each is answered, none is a fault, and
    the game can be audited after them."""
    rng = random.Random(any_seed)
    async with server() as s:
        game, _, client = await on_the_clock(s)
        assert type(await client.submit(game, "a", "add", 3)) is m.Accepted
        assert type(await claim(client, game, "b", logged(s, game)[-1].seq)) is m.Accepted
        ann = await arbiter(s)
        clients = [ann, ann, ann, client, await s.client()]
        for _ in range(200):
            where = rng.choice((game, game, game, "", "x" * 10))
            picks = tuple(
                rng.choice(("score", "a", "curse", 5, 0)) for _ in range(rng.randrange(4))
            )
            made = rng.choice(((), ((picks,)), (("score", "a", 5),), anything(rng)))
            kind, *fields = rng.choice(
                (
                    (m.Rule, where, a_ruling(rng), made),
                    (rm.TryRuling, where, a_ruling(rng), made),
                    (rm.Correctable, where, *rng.choices((0, 1, 5, 2**53 - 1), k=2), made, picks),
                    (m.ChoicesAt, where, rng.choice(("a", "b", "c", "")), rng.randrange(12), picks),
                )
            )
            answer = await rng.choice(clients).ask(kind, *fields)
            known = (m.Accepted, m.Refused, m.Error, m.ChoicesAre, rm.RulingIs)
            assert type(answer) in known, answer
            assert getattr(answer, "code", "") != "fault", (kind, fields)
        assert s.hub.metrics.faults == 0
        await assert_sound(s, game)
