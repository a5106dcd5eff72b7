"""Playing through the server: seats, commands, repeats, refusals, takebacks, standing answers."""

import random
from typing import Any

import trio
import trio.testing

from tests.serve.rig import HOST_TOKEN, Client, gapless, key_of, new_game, server, sit_down, started
from warledger.protocol.board.choices import Say
from warledger.protocol.log import chain, records
from warledger.protocol.seats import acts
from warledger.protocol.seats.acts import Hand
from warledger.protocol.wire import messages as m


async def test_two_seats_of_one_connection_play_a_game_to_its_end(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """One connection may hold both seats; every accepted command carries a good signed head; the
    log verifies."""
    async with server() as s:
        game, _, client = await started(s, turns=2)
        assert type(await client.ask(m.Subscribe, game, m.FROM_GENESIS, "public")) is m.Subscribed
        for _ in range(2):
            for seat in ("a", "b"):
                answer = await client.submit(game, seat, "add", 3)
                assert type(answer) is m.Accepted
                assert chain.head_is_signed_by(s.hub.supervisor.signer.public, answer.head)
        last = s.hub.supervisor.games[game].profile.progress
        assert last.stage == "ended"
        got = await client.until((game, "public"), last.seq)
        assert gapless(got)
        log = list(chain.follow(data for _, data, _ in got))
        assert log[answer.head.seq].hash == answer.head.hash


async def test_the_submitter_hears_the_record_before_its_acceptance(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """Records come first, then Accepted."""
    async with server() as s:
        game, _, client = await started(s)
        await client.ask(m.Subscribe, game, 4, "a")
        answer = await client.submit(game, "a", "roll")
        assert client.records[game, "a"][-1][0] == answer.head.seq


async def test_a_wrong_token_is_refused_and_three_end_the_connection(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """A token that is not known gives an error; after three the connection ends."""
    async with server() as s:
        game, given = await new_game(s)
        for wrong in (given["a"] + "x", f"{game}:", "nonsense", "host:guess"):
            client = Client(s.pipe())
            await client.ask(m.Hello, m.VERSION, "test")
            answer = await client.ask(m.Login, wrong, "")
            assert (type(answer), answer.code, answer.fatal) == (m.Error, "login", False)
            assert (await client.ask(m.Login, wrong, "")).code == "login"
            await client.say(m.Login, wrong, "")
            answer = await client.hear()
            assert answer.fatal
            assert await client.hear() is None


async def test_the_other_sides_seat_is_closed(autojump_clock: trio.testing.MockClock) -> None:
    """A seat's token lets nobody act, look or be asked for the other seat, nor do what a host
    does."""
    async with server() as s:
        game, given, _ = await started(s)
        anna = await s.client(given["a"])
        for request in (
            (m.Choices, game, "b", ()),
            (m.Preview, game, "b", ()),
            (m.Subscribe, game, -1, "b"),
            (m.Subscribe, game, -1, "arbiter"),
            (m.View, game, "b", -1),
            (m.View, game, "arbiter", -1),
            (m.Standing, game, "b"),
            (m.Act, game, "b", "ask", bytes(32), 1, bytes(32), ("resign", 0), bytes(64), None),
            (m.Witness, game, "b", bytes(32), 1, bytes(32), bytes(64)),
        ):
            answer = await anna.ask(*request)
            assert (type(answer), answer.code) == (m.Error, "not_allowed"), request
        for request in (
            (m.CreateGame, "counting", {}, 0),
            (m.NewToken, game, "b"),
            (m.Replace, game, "b", "x"),
        ):
            assert (await anna.ask(*request)).code == "host_only"
        assert (await (await s.client()).ask(m.Choices, game, "a", ())).code == "not_allowed"


async def test_what_is_stale_unoffered_or_unfinished_is_refused(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """A closed decision, a pick that was not offered, picks that are no whole command, and the seat
    not asked: refusals, and no record."""
    async with server() as s:
        game, _, client = await started(s)
        before = (await client.ask(m.Head, game)).head
        decision = (await client.ask(m.Choices, game, "a", ())).decision

        async def refused(seat: str, *picks: object, decision: int) -> str:
            answer = await client.submit(game, seat, *picks, decision=decision, id=b"x")
            assert type(answer) is m.Declined, answer
            return str(answer.refusal.key)

        assert await refused("a", "add", 3, decision=decision - 1) == "refusal.stale"
        assert await refused("a", "fly", decision=decision) == "refusal.not_offered"
        assert await refused("a", "add", 7, decision=decision) == "refusal.not_offered"
        assert await refused("a", "add", decision=decision) == "refusal.incomplete"
        assert await refused("b", "pass", decision=decision) == "refusal.not_asked"
        assert (await client.ask(m.Head, game)).head == before


async def test_two_connections_share_a_seat(autojump_clock: trio.testing.MockClock) -> None:
    """Both see the seat's records, openings included, and are offered the same; who answers first
    has answered, the other is told so."""
    async with server() as s:
        game, given, both = await started(s)
        desk, phone = await s.client(given["a"]), await s.client(given["a"])
        for client in (desk, phone):
            assert type(await client.ask(m.Subscribe, game, m.FROM_GENESIS, "a")) is m.Subscribed
        offers = [await client.ask(m.Choices, game, "a", ()) for client in (desk, phone)]
        assert (offers[0].decision, offers[0].choices) == (offers[1].decision, offers[1].choices)

        first = await phone.submit(game, "a", "add", 2, decision=offers[1].decision, id=b"phone")
        second = await desk.submit(game, "a", "add", 3, decision=offers[0].decision, id=b"desk")
        third = await both.submit(game, "b", "pass")

        assert (type(first), type(second), type(third)) == (m.Accepted, m.Declined, m.Accepted)
        assert second.refusal.key in ("refusal.stale", "refusal.not_asked")
        got = [await client.until((game, "a"), third.head.seq) for client in (desk, phone)]
        assert got[0] == got[1] and gapless(got[0])


async def test_one_command_id_is_one_command(autojump_clock: trio.testing.MockClock) -> None:
    """The same command sent twice, also both at once, is carried out once and acknowledged
    twice."""
    async with server() as s:
        game, _, client = await started(s)
        decision = (await client.ask(m.Choices, game, "a", ())).decision
        act, private = await client.command(game, "a", "add", 2, id=b"same", decision=decision)
        fields = (game, "a", act.kind, act.key, act.n, act.seen, act.body, act.signature, private)
        await client.say(m.Act, *fields)
        await client.say(m.Act, *fields)
        first, second = await client.hear(), await client.hear()
        assert (first.again, second.again, first.seq) == (False, True, second.seq)
        third = await client.submit(game, "a", "add", 2, decision=decision, id=b"same")
        assert (third.again, third.seq, third.head) == (True, first.seq, first.head)


async def test_a_takeback_is_free_until_news_and_needs_consent_after(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """Free takebacks happen at once; past the other seat's command they wait for its consent, and
    then go back."""
    async with server() as s:
        game, _, client = await started(s)
        start = (await client.ask(m.Head, game)).head.seq
        assert type(await client.submit(game, "a", "add", 6)) is m.Accepted
        assert type(await client.ask_for(game, "a", "takeback", start)) is m.Accepted
        again = await client.ask(m.Choices, game, "a", ())
        assert type(again) is m.ChoicesAre
        await client.submit(game, "a", "add", 1)
        await client.submit(game, "b", "roll")
        target = again.decision
        asked = await client.ask_for(game, "a", "takeback", target)
        assert type(asked) is m.Accepted
        assert type(await client.consent(game, "a", asked.seq)) is m.Declined
        consented = await client.consent(game, "b", asked.seq)
        assert type(consented) is m.Accepted
        view = await client.ask(m.View, game, "public", m.NOW)
        assert ("track", "score_a", 0) in view.effects
        assert ("await", ("a",)) in view.effects


async def test_a_draw_is_agreed_and_a_game_resigned(autojump_clock: trio.testing.MockClock) -> None:
    """A draw needs the other seat's consent; a resignation does not; both end the game for lists
    too."""
    async with server() as s:
        game, _, client = await started(s)
        offered = await client.ask_for(game, "a", "draw")
        assert type(await client.consent(game, "b", offered.seq, False)) is m.Accepted
        offered = await client.ask_for(game, "b", "draw")
        assert type(await client.consent(game, "a", offered.seq)) is m.Accepted
        other, _, second = await started(s)
        assert type(await second.ask_for(other, "a", "resign")) is m.Accepted
        ended = {row["game"]: row for row in (await client.ask(m.Games, "ended", "", 100)).games}
        assert (ended[game]["winner"], ended[other]["winner"]) == (None, "b")
        assert type(await client.submit(game, "a", "pass", decision=5)) is m.Declined


async def test_standing_answers_are_given_until_the_turn_ends_or_for_good(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """An order answers its prompt with ordinary commands; "turn" orders lapse with the turn,
    unfitting ones at once; they can be asked for and taken back."""
    async with server() as s:
        game, _, client = await started(s)
        act = "prompt.counting.act"
        await client.order(game, "b", (act, (("add", 1),), "turn"))
        assert (await client.ask(m.Standing, game, "b")).orders == ((act, (("add", 1),), "turn"),)
        await client.submit(game, "a", "pass")
        assert (await client.ask(m.Choices, game, "a", ())).decision > 5
        assert (await client.ask(m.Standing, game, "b")).orders == ()
        await client.order(game, "b", (act, (("pass",),), "game"))
        for _ in range(3):
            assert type(await client.submit(game, "a", "pass")) is m.Accepted
        assert (await client.ask(m.Standing, game, "b")).orders == ((act, (("pass",),), "game"),)
        await client.order(game, "b", (act, (("show",),), "game"))
        await client.submit(game, "a", "pass")
        assert type(await client.ask(m.Choices, game, "b", ())) is m.ChoicesAre
        await client.order(game, "b")
        assert (await client.ask(m.Standing, game, "b")).orders == ()
        commands = [records.read(data) for _, data, _ in await all_records(client, game)]
        assert [record.actor for record in commands if record.kind == "command"][1:5] == [
            "a",
            "b",
            "a",
            "b",
        ]


async def test_the_first_standing_answer_that_is_on_offer_is_given(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """Of the entry for the turn before that for the game; the command names its place."""
    async with server() as s:
        game, _, client = await started(s)
        act = "prompt.counting.act"
        wanted = []
        for orders, place in (
            (((act, (("show",), ("add", 1)), "game"),), (0, 1)),
            (((act, (("pass",),), "game"), (act, (("add", 1),), "turn")), (1, 0)),
        ):
            newest = await client.order(game, "b", *orders)
            assert type(await client.submit(game, "a", "pass")) is m.Accepted
            assert (await client.ask(m.Choices, game, "a", ())).decision > newest.seq
            wanted.append(((newest.seq, *place), (("add", 1), b"")))
        read = [records.read(data) for _, data, _ in await all_records(client, game)]
        given = [one.body for one in read if one.kind == records.COMMAND and one.actor == "b"]
        assert [(body[records.BY], body[records.PICKS]) for body in given] == wanted


async def all_records(client: Client, game: str) -> list[tuple[int, bytes, bytes]]:
    """The whole public log."""
    last = (await client.ask(m.Subscribe, game, -1, "public")).last_seq
    return await client.until((game, "public"), last)


async def test_choices_preview_board_titles_and_catalogue(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """What a client needs to draw, to ask and to speak."""
    async with server() as s:
        game, _, client = await started(s)
        verbs = await client.ask(m.Choices, game, "a", ())
        assert (verbs.prompt, verbs.choices.slot) == (Say("prompt.counting.act"), "verb")
        number = await client.ask(m.Choices, game, "a", ("add",))
        assert (number.choices.span, number.choices.complete) == ((1, 6), False)
        assert type(await client.ask(m.Preview, game, "a", ("roll",))) is m.PreviewIs
        board = await client.ask(m.Board, game)
        assert board.title == "counting"
        assert board.description
        titles = (await client.ask(m.Titles)).titles
        assert titles[0]["seats"] == ("a", "b")
        assert titles[0]["options"][0][:2] == ("turns", 3)
        assert (await client.ask(m.Catalogue, "zh-Hant")).phrases["refusal.not_asked"]
        assert (await client.ask(m.Catalogue, "tlh")).code == "unknown_language"
        assert (await client.ask(m.Head, "nowhere")).code == "unknown_game"
        assert (await client.ask(m.Head, "../../etc")).code == "unknown_game"


async def test_a_host_makes_lists_reissues_and_replaces(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """Options are checked, lists are paged, a new token replaces the old one at once, and a player
    can be replaced."""
    async with server() as s:
        host = await s.client(HOST_TOKEN)
        assert (await host.ask(m.CreateGame, "chess", {}, 0)).code == "unknown_title"
        assert (await host.ask(m.CreateGame, "counting", {"turns": 77}, 0)).code == "bad_option"
        games = [(await host.ask(m.CreateGame, "counting", {}, 0)).game for _ in range(5)]
        listed: list[str] = []
        more = True
        while more:
            page = await host.ask(m.Games, "", listed[-1] if listed else "", 2)
            listed += [row["game"] for row in page.games]
            more = page.more
        assert listed == sorted(games)
        game, given, client = await started(s)
        anna = await s.client(given["a"])
        token = (await host.ask(m.NewToken, game, "a")).token
        assert (await anna.ask(m.Choices, game, "a", ())).code == "not_allowed"
        assert (await client.submit(game, "a", "pass")).code == "not_allowed"
        fresh = await s.client(token)
        assert type(await fresh.submit(game, "a", "pass")) is m.Accepted
        replaced = await host.ask(m.Replace, game, "b", "Carla")
        carla = await s.client(replaced.token)
        hand = await carla.hand(game, "b")
        carla.hands[game, "b"] = Hand(hand.genesis, "b", key_of("another", "b"))
        assert type(await carla.act(game, "b", acts.REPLACED, ("", "Carla", "test"))) is m.Accepted
        rows = {row["game"]: row for row in (await host.ask(m.Games, "playing", "", 100)).games}
        assert rows[game]["seats"] == (("a", "Anna"), ("b", "Carla"))
        assert (await host.ask(m.NewToken, game, "z")).code == "no_such_seat"


async def test_a_ceremony_that_is_repeated_is_no_error(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """A client whose connection broke in the ceremony may send the same acts again."""
    async with server() as s:
        game, given = await new_game(s)
        client = await s.client(given["a"])
        await client.ask(m.Login, given["b"], "")
        said = client.send_act
        sent: list[tuple[Any, ...]] = []

        async def kept(*act: Any) -> Any:
            sent.append(act)
            return await said(*act)

        client.send_act = kept  # type: ignore[method-assign]
        await sit_down(client, game)
        head = (await client.ask(m.Head, game)).head
        again = [await said(*act) for act in sent]
        assert [(type(answer), answer.seq, answer.again) for answer in again] == [
            (m.Accepted, seq, True) for seq in (1, 2, 3, 4)
        ]
        assert (await client.ask(m.Head, game)).head == head


async def test_random_games_of_two_connections_end(autojump_clock: trio.testing.MockClock) -> None:
    """Random offered picks are always accepted, whoever sends them."""
    rng = random.Random(5)
    async with server() as s:
        game, given, _ = await started(s, turns=3)
        seats = {seat: await s.client(given[seat]) for seat in ("a", "b")}
        progress = s.hub.supervisor.games[game]
        while progress.profile.progress.stage == "playing":
            seat = rng.choice(progress.profile.progress.awaits)
            picks: tuple[object, ...] = ()
            while True:
                found = await seats[seat].ask(m.Choices, game, seat, picks)
                choices = found.choices
                if choices.is_end:
                    break
                picks = (
                    *picks,
                    rng.randint(*choices.span) if choices.span else rng.choice(choices.options).id,
                )
            assert (
                type(await seats[seat].submit(game, seat, *picks, decision=found.decision))
                is m.Accepted
            )
