"""More lies of a server, and misfortunes of an honest one: each lie is found out in a sentence, and
no misfortune is called a lie."""

import os
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing
from nacl.signing import SigningKey

import warledger.clients.link.link as link_module
import warledger.clients.link.seat as seat_module
import warledger.clients.link.wire as wire_module
from tests.clients.hostile import ADDRESS, GAME, Hostile, secret
from tests.clients.test_hostile import command, found_out, playing
from warledger.clients.bots.seated import BotRefused, play_bot
from warledger.clients.link import (
    BadReceipt,
    BadServer,
    CannotSit,
    Disconnected,
    LinkError,
    RecordsLost,
    Unsettled,
    linked,
    sit,
)
from warledger.clients.link.receipts import Papers, read_receipts
from warledger.protocol.board.choices import CLIENT_WORDS, Choices, Option, Refusal, Say, say
from warledger.protocol.board.effects import BadEffect, check_effects
from warledger.protocol.log import chain, records
from warledger.protocol.seats import acts
from warledger.protocol.seats.acts import Act
from warledger.protocol.wire import messages as m
from warledger.protocol.wire.fields import BadMessage
from warledger.protocol.wire.messages import SERVER
from warledger.protocol.wire.session import Session


class Answering(Hostile):
    """Answers some requests otherwise: `instead` says with what, by the message's type."""

    def __init__(self, instead: dict[type, Any], **options: Any) -> None:
        super().__init__(**options)
        self.instead = instead

    async def answer(self, message: Any) -> Any:
        """What is answered to anything but an act."""
        lie = self.instead.get(type(message))
        return await super().answer(message) if lie is None else lie(self, message)


# --- heads and keys -------------------------------------------------------------------------------


def other_games_head(there: Hostile, message: Any) -> Any:
    """A head of record 0 of another game, where this one's was asked for."""
    return m.HeadIs(message.request, chain.sign_head(there.key, "other", 0, secret("other")))


async def test_no_seat_is_taken_without_a_head_of_this_very_game(tmp_path: Path) -> None:
    """Another game's head in the place of the first record's: without that receipt the game could
    be begun anew unnoticed."""
    there = Answering({m.HeadOf: other_games_head})
    async with there.running(), there.link(tmp_path) as link:
        with pytest.raises(BadServer, match="does not carry a valid signature of the server"):
            await sit(link, GAME, "a")
    assert there.heard == []


@pytest.mark.parametrize("lie", ["another game", "an earlier record"])
async def test_an_acceptance_must_sign_the_record_that_it_names(lie: str) -> None:
    """The head beside `accepted` is of another game, or of a record before the act's: that is no
    receipt for the act."""
    async with playing() as (there, _, seat):

        async def accept(message: m.Act, act: Act) -> Any:
            answer = await there.honest(message, act)
            head = (
                there.head(0)
                if lie == "an earlier record"
                else chain.sign_head(there.key, "other", answer.seq, secret("x"))
            )
            return m.Accepted(message.request, GAME, answer.seq, head, False)

        there.on_act = accept
        with pytest.raises(BadServer, match="does not carry a valid signature of the server"):
            await command(seat, "add", 1)


async def test_a_game_under_another_key_than_the_server_calls_its_own_is_not_sat_down_in(
    tmp_path: Path,
) -> None:
    """Somebody at the server's address repeats the key that the client knows, and signs the game
    with another."""

    def welcome(there: Hostile, message: Any) -> Any:
        key = SigningKey(secret("server")).verify_key.encode()
        return m.Welcome(message.request, m.VERSION, "liar", key, {}, (("counting", "1"),))

    there = Answering({m.Hello: welcome}, server="impostor")
    async with there.running(), there.link(tmp_path) as link:
        with pytest.raises(BadServer, match="is signed with"):
            await sit(link, GAME, "a")
    assert there.heard == []


async def test_the_head_that_proves_a_fork_is_kept(tmp_path: Path) -> None:
    """What the client is told to keep must be there: the second head for one record stands among
    the receipts."""
    async with playing(tmp_path) as (there, _, seat):

        async def fork(message: m.Act, act: Act) -> Any:
            answer = await there.honest(message, act)
            return m.Accepted(
                message.request,
                GAME,
                answer.seq,
                chain.sign_head(there.key, GAME, answer.seq, secret("another")),
                False,
            )

        there.on_act = fork
        with pytest.raises(BadServer, match="two histories"):
            await command(seat, "add", 1)
        seq = seat.watch.last_seq
    assert secret("another") in {head.hash for head in read_receipts(tmp_path) if head.seq == seq}


async def test_a_player_signs_no_name_but_their_own() -> None:
    """The server calls the player otherwise than they said: that name would stand in the log under
    their signature."""
    lie = {
        m.Login: lambda there, message: m.LoggedIn(
            message.request, "Mallory", (("seat", GAME, "a"),)
        )
    }
    there = Answering(lie)
    async with there.running():
        with pytest.raises(BadServer, match="calls you Mallory"):
            async with there.link() as link:
                await sit(link, GAME, "a")
    assert there.heard == []


# --- acts -----------------------------------------------------------------------------------------


async def test_an_acceptance_without_its_record_does_not_hang(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """`accepted` as a record that never comes: the player is told, nothing else is signed for it,
    and the same bytes go out again."""
    monkeypatch.setattr(seat_module, "CATCH_UP_S", 0.05)
    async with playing(tmp_path) as (there, _, seat):

        async def pretend(message: m.Act, act: Act) -> Any:
            seq = len(there.log) + 5
            return m.Accepted(
                message.request,
                GAME,
                seq,
                chain.sign_head(there.key, GAME, seq, secret("none")),
                False,
            )

        there.on_act = pretend
        sent = len(there.heard)
        with pytest.raises(Unsettled, match="does not show that record"):
            await command(seat, "add", 1)
        with pytest.raises(Unsettled):
            await command(seat, "add", 2)
        assert {message.signature for message in there.heard[sent:]} == {
            there.heard[sent].signature
        }


async def test_a_head_of_what_is_never_shown_does_not_hang(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Coming back, the client is told of a newest record that never comes: it says so, and signs
    nothing."""
    async with playing(tmp_path) as (there, _, seat):
        await command(seat, "add", 1)
        monkeypatch.setattr(seat_module, "CATCH_UP_S", 0.05)
        heard = len(there.heard)
        far = Answering(
            {
                m.Head: lambda it, message: m.HeadIs(
                    message.request, chain.sign_head(it.key, GAME, 900, secret("far"))
                )
            }
        )
        far.log = there.log
        async with far.running(), far.link(tmp_path) as link:
            with trio.fail_after(5), pytest.raises(LinkError, match="shows nothing beyond record"):
                await sit(link, GAME, "a")
        assert far.heard == [] and len(there.heard) == heard


async def test_standing_answers_that_were_never_given_are_not_signed_with_the_next_change() -> None:
    """Asked what stands, the server adds an answer: it is not taken for one of the player's own."""
    extra = ("prompt.counting.act", (("add", 6),), "turn")
    given = ("prompt.counting.act", (("add", 2),), "game")
    there = Answering(
        {m.Standing: lambda it, message: m.StandingIs(message.request, GAME, "a", (extra, given))}
    )
    async with playing(server=there) as (_, _, seat):
        assert await seat.standing(None) == ()
        assert await seat.standing((given,)) == (given,)
        assert await seat.standing(None) == (given,)


async def test_a_game_whose_nonces_all_stand_cannot_lapse() -> None:
    """The server knows every nonce, does not like the dice, and ends the game instead of beginning
    it."""
    async with Hostile().running() as there, there.link() as link:
        await there.other_takes()
        seat = await sit(link, GAME, "a")
        with trio.fail_after(5):
            while not seat.watch.seats["a"].nonce_shown:
                await seat.watch.wait()
        act = there.other.sign(
            acts.NONCE, there.log[-1][0].hash, (there.nonce, there.ledger.roster)
        )
        await there.show(
            "b",
            records.SEAT,
            ("nonce", "b", there.nonce, there.ledger.roster, act.by.as_array()),
        )
        links = ((1, there.keys.link(1)),)
        args = (("seats", ()),)
        await there.show(
            records.SERVER,
            records.END,
            (
                None,
                "outcome.lapsed",
                args,
                links,
                there.keys.hidden,
                there.keys.salts,
                "",
                (),
                "expired",
            ),
        )

        assert "ends for no reason found in the log" in str(await found_out(seat))


# --- silence and rudeness -------------------------------------------------------------------------


async def test_a_fatal_answer_is_no_crash() -> None:
    """An error that ends the conversation in answer to a request: the link dials again and goes
    on."""
    there = Hostile()
    fatal = True

    async def end(message: m.Act, act: Act) -> Any:
        nonlocal fatal
        if fatal:
            fatal = False
            return m.Error(message.request, "busy", say("error.busy", game=GAME), True)
        return None

    async with playing(server=there) as (_, _, seat):
        there.on_act = end
        with pytest.raises(LinkError):
            await command(seat, "add", 1)
        with trio.fail_after(5):
            offer = await seat.offer()
        assert not isinstance(offer, Refusal)


async def test_a_server_that_never_greets_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever accepts the connection and says nothing does not keep a command waiting for ever."""
    monkeypatch.setattr(link_module, "GREETING_S", 0.05, raising=False)
    kept = []

    async def dial() -> trio.abc.Stream:
        ours, theirs = trio.testing.memory_stream_pair()
        kept.append(theirs)
        return ours

    with trio.fail_after(5), pytest.raises(Disconnected, match="does not answer"):
        async with linked(dial):
            pass


async def test_a_server_that_hangs_up_at_once_is_not_dialled_without_a_pause(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """Let in and thrown out, over and over: the pauses grow as they do while nobody answers."""
    dialled = 0
    goodbye = False

    async def serve(stream: trio.abc.Stream) -> None:
        session = Session(SERVER)
        for _ in range(2):
            while (message := session.next_message()) is None:
                session.receive_data(bytes(await stream.receive_some(65536)))
            answer: Any = m.Welcome(message.request, m.VERSION, "rude", bytes(32), {}, ())
            if type(message) is m.Login:
                answer = m.LoggedIn(message.request, "x", ())
            await stream.send_all(session.send(answer))
        if goodbye:
            await stream.send_all(session.send(m.Goodbye(0, say("error.stopping"))))
        await stream.aclose()

    async with trio.open_nursery() as nursery:

        async def dial() -> trio.abc.Stream:
            nonlocal dialled
            dialled += 1
            ours, theirs = trio.testing.memory_stream_pair()
            nursery.start_soon(serve, theirs)
            return ours

        async with linked(dial):
            for _ in range(3000):
                await trio.lowlevel.checkpoint()
        assert dialled < 5
        # And in the end it is given up, with what it said.
        goodbye = True
        async with linked(dial) as link:
            with trio.fail_after(100), pytest.raises(Disconnected, match="shutting down"):
                await link.ping()
        nursery.cancel_scope.cancel()


async def test_a_request_that_is_never_answered_is_asked_again_over_a_new_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Silence over one connection, as after a network's change of address, ends that connection and
    not the command."""
    monkeypatch.setattr(wire_module, "ANSWER_S", 0.05, raising=False)
    there = Hostile()
    asked = 0

    async def answer(message: Any) -> Any:
        nonlocal asked
        if type(message) is m.Ping:
            asked += 1
            if asked == 1:
                await trio.sleep_forever()
            return m.Pong(message.request, 7)
        return await Hostile.answer(there, message)

    there.answer = answer  # type: ignore[method-assign]
    async with there.running(), there.link() as link:
        with trio.fail_after(5):
            assert await link.ping() == 7


LISTS: dict[str, tuple[dict[str, Any], ...]] = {
    "without end": ({"game": "g", "stage": "playing"},),
    "no id": ({"game": 7, "stage": "playing"},),
    "nothing": ({},),
    "no stage": ({"game": "g"},),
    "seats that are none": ({"game": "g", "stage": "playing", "awaits": 3},),
    "unsigned seats that are none": ({"game": "g", "stage": "playing", "unsigned": (1,)},),
}


@pytest.mark.parametrize("name", LISTS)
async def test_a_list_of_games_that_is_none_is_told(name: str) -> None:
    """Pages that repeat themselves for ever, and rows without an id."""
    rows = tuple(dict(sorted(row.items())) for row in LISTS[name])
    there = Answering({m.Games: lambda it, message: m.GameList(message.request, rows, True)})
    async with there.running(), there.link() as link:
        with trio.fail_after(5), pytest.raises(BadServer, match="list of games"):
            await link.games()


TITLE = {
    "title": "counting",
    "version": "1",
    "seats": ("a",),
    "options": (("o", True, (True, False), "1"),),
}


@pytest.mark.parametrize(
    "lie", [{"title": 3}, {"seats": 3}, {"options": 1}, {"options": ((1,),)}, {"version": None}]
)
async def test_a_list_of_titles_that_is_none_is_told(lie: dict[str, Any]) -> None:
    """Rows of another form than those of titles."""
    for title in (TITLE, {**TITLE, **lie}):
        there = Answering(
            {
                m.Titles: lambda it, message, title=title: m.TitleList(
                    message.request, (dict(sorted(title.items())),)
                )
            }
        )
        async with there.running(), there.link() as link:
            if title is TITLE:
                assert await link.titles() == (TITLE,)
                continue
            with pytest.raises(BadServer, match="list of games or titles"):
                await link.titles()


OFFERS = {
    "nothing": Choices("verb"),
    "an empty span": Choices("verb", span=(9, 2)),
    "without end": Choices("verb", (Option("add"),)),
}


@pytest.mark.parametrize("name", OFFERS)
async def test_a_bot_that_is_offered_nonsense_says_so(name: str) -> None:
    """Offers that no rules make: none at all, a span that is empty, a command that is never
    whole."""
    offer = OFFERS[name]
    there = Answering(
        {
            m.Choices: lambda it, message: m.ChoicesAre(
                message.request, GAME, 1, say("prompt.counting.act"), offer
            )
        }
    )
    async with playing(server=there) as (_, _, seat):
        with trio.fail_after(10), pytest.raises(BotRefused, match="cannot choose among"):
            await play_bot(seat, "random", 1)


async def test_a_question_that_the_log_does_not_ask_is_found_out() -> None:
    """It is never shown, and nothing is signed after it."""
    there = Answering(
        {
            m.Choices: lambda it, message: m.ChoicesAre(
                message.request, GAME, it.ledger.position.opened("a"), say("prompt.other"), OTHER
            )
        }
    )
    async with playing(server=there) as (_, _, seat):
        with pytest.raises(BadServer, match=r"shows the question prompt\.other"):
            await seat.offer()
        assert seat.watch.fault is not None
        with pytest.raises(BadServer):
            await seat.resign()


OTHER = Choices("verb", (Option("roll"),))


async def test_a_game_that_ends_before_a_record_of_a_head_is_found_out(tmp_path: Path) -> None:
    """The server signed a head of a record that the finished game lacks: the end is not witnessed,
    and the client says that records were lost."""
    async with playing(tmp_path) as (there, _, seat):
        await command(seat, "add", 1)
        seat.papers.keep(chain.sign_head(there.key, GAME, 1007, bytes(32)))
        with trio.fail_after(5):
            await seat.resign()
            with pytest.raises(RecordsLost, match="1007"):
                await seat.finish()
    assert there.witnessed == []


async def test_a_game_in_which_a_program_plays_every_seat_is_not_sat_down_in() -> None:
    """Nobody would vouch for a move of a person there: nothing is signed."""
    there = Hostile(terms={records.SELF_PLAY: True})
    async with there.running(), there.link() as link:
        with pytest.raises(BadServer, match="a program plays every seat"):
            await sit(link, GAME, "a")
    assert there.heard == []


# --- no false accusation --------------------------------------------------------------------------


async def test_a_question_of_a_record_that_never_comes_is_not_answered(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """The client waits for it for a while, signs nothing, and says which record it waited for."""
    async with playing() as (there, _, seat):
        heard = len(there.heard)
        with pytest.raises(Unsettled, match="1000000000"):
            await seat.submit(("roll",), 10**9)
        assert len(there.heard) == heard


async def test_a_seat_taken_under_a_second_name_is_no_lie(tmp_path: Path) -> None:
    """A first try at the seat was refused, another name went through: the log holds what was sent
    then."""
    there = Hostile()

    async def refuse_once(message: m.Act, act: Act) -> Any:
        there.on_act = None
        return there.declined(message.request, act, "refusal.name")

    there.on_act = refuse_once
    async with there.running():
        await there.other_takes()
        async with there.link(tmp_path) as link:
            with pytest.raises(LinkError):
                await sit(link, GAME, "a")
        async with linked(
            there.dial, token="a", name="Annabel", receipts=tmp_path, patience_s=1, address=ADDRESS
        ) as link:
            seat = await sit(link, GAME, "a")
            with trio.fail_after(5):
                while not seat.watch.seats["a"].nonce_shown:
                    await seat.watch.wait()
            assert seat.watch.fault is None


async def test_a_damaged_nonce_is_not_the_servers_fault(tmp_path: Path) -> None:
    """The file of the nonce was changed on the disk: the client says so, shows nothing, and blames
    nobody."""
    async with Hostile().running() as there:
        async with there.link(tmp_path) as link:
            seat = await sit(link, GAME, "a")
            path = tmp_path / f"{seat.papers.name}.nonce"
        path.write_bytes(bytes(32))
        async with there.link(tmp_path) as link:
            seat = await sit(link, GAME, "a")
            await there.other_takes()
            with trio.fail_after(5):
                while seat.watch.fault is None:
                    try:
                        await seat.watch.wait()
                    except LinkError:
                        break
        assert isinstance(seat.watch.fault, CannotSit) and "is damaged" in str(seat.watch.fault)
    assert [message.kind for message in there.heard] == [acts.TAKEN]


class Full:
    """A disk that takes only `part` bytes of the next write, and says that it is full."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, path: Path, part: int) -> None:
        self.size = path.stat().st_size
        import resource
        import signal

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        self._was = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (self.size + part, self._was[1]))

    def emptied(self) -> None:
        """There is room again."""
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, self._was)


@pytest.mark.parametrize("part", [0, 9])
async def test_a_full_disk_accuses_nobody_and_loses_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, part: int
) -> None:
    """What became of an act cannot be written: the game goes on, and when there is room again the
    journal reads well."""
    async with playing(tmp_path) as (there, _, seat):
        journal = tmp_path / f"{seat.papers.name}.acts"
        full: list[Full] = []

        async def fill(message: m.Act, act: Act) -> Any:
            full.append(Full(monkeypatch, journal, part))
            there.on_act = None
            return None

        there.on_act = fill
        try:
            answer = await command(seat, "add", 1)
        finally:
            full[0].emptied()
        assert isinstance(answer, m.Accepted) and seat.watch.fault is None
        await there.other_plays("pass")
        assert await seat.asked()
        full.append(Full(monkeypatch, journal, part))
        try:
            with pytest.raises(OSError):
                await command(seat, "add", 2)
        finally:
            full[1].emptied()
        assert isinstance(await command(seat, "add", 3), m.Accepted)
        async with there.link(tmp_path) as link:
            back = await sit(link, GAME, "a")
            assert back.watch.fault is None


async def test_a_journal_cut_or_changed_anywhere_accuses_nobody(tmp_path: Path) -> None:
    """Whatever byte of a journal a disk changes, or wherever it ends: it reads as it was written,
    or is said to be damaged."""
    async with playing(tmp_path) as (there, _, seat):
        await command(seat, "add", 1)
        papers = seat.papers
        before = {hash: (entry.act, entry.private) for hash, entry in papers.entries.items()}
        path = tmp_path / f"{papers.name}.acts"
        whole = path.read_bytes()
        changed = [
            whole[:at] + bytes((whole[at] ^ 0x21,)) + whole[at + 1 :] for at in range(len(whole))
        ]
        tried = [*changed, *(whole[:at] for at in range(0, len(whole), 7))]
        read = 0
        for data in tried:
            path.write_bytes(data)
            try:
                found = Papers(tmp_path, GAME, there.genesis, "a")
            except BadReceipt:
                continue
            read += 1
            for hash, entry in found.entries.items():
                assert before[hash] == (entry.act, entry.private)
        assert read > 10
        for at in range(len(whole) - 30, len(whole)):
            path.write_bytes(changed[at])
            async with there.link(tmp_path) as link:
                try:
                    await sit(link, GAME, "a")
                except (BadServer, RecordsLost) as error:
                    raise AssertionError(f"byte {at}: {error}") from error
                except BadReceipt:
                    pass


async def test_a_refusal_under_a_key_whose_record_is_on_its_way_is_none_unsigned() -> None:
    """The server goes over to a new key and refuses an act under it before its record of that has
    come."""
    async with playing() as (there, _, seat):
        new = SigningKey(secret("new"))

        async def rotate_and_refuse(message: m.Act, act: Act) -> Any:
            old, public = there.key, new.verify_key.encode()
            signature = old.sign(
                acts.rotate_bytes(there.genesis, old.verify_key.encode(), public)
            ).signature
            tells, there._subscribers = there._subscribers, []
            await there.commit(there.ledger.propose_rotation(public, signature, 1000))
            there._subscribers, there.key = tells, new
            assert there._nursery is not None

            async def later() -> None:
                await trio.testing.wait_all_tasks_blocked(0.01)
                for tell, audience in tells:
                    await tell(there._records(audience, len(there.log) - 1))

            there._nursery.start_soon(later)
            return there.declined(message.request, act, "refusal.not_offered")

        there.on_act = rotate_and_refuse
        answer = await command(seat, "add", 1)
        assert isinstance(answer, Refusal) and seat.watch.fault is None


def test_receipts_have_names_that_lead_nowhere_else(tmp_path: Path) -> None:
    """A game or a seat whose name is a way to another folder has no papers."""
    for game, seat in (
        ("../../x", "a"),
        ("g", "../b"),
        ("g", ".."),
        ("", "a"),
        ("g/h", "a"),
        ("g", "a\x00"),
    ):
        with pytest.raises(BadReceipt):
            Papers(tmp_path, game, bytes(32), seat)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("prefix", CLIENT_WORDS)
def test_a_server_never_speaks_in_the_clients_name(prefix: str) -> None:
    """Neither an error, a refusal, a prompt nor a line of the story may have a key of the client's
    own (a table code, a verdict), nor hide one among its arguments."""
    own = f"{prefix}code"
    for key, args in (
        (own, ()),
        ("error.fault", (("game", own),)),
        ("error.fault", (("game", ((own, ()),)),)),
    ):
        with pytest.raises(BadMessage):
            m.decode(m.encode(m.Error(1, "fault", Say(key, args), False)))
        with pytest.raises(BadMessage):
            m.decode(m.encode(m.Refused(1, Refusal("", key, args))))
        with pytest.raises(BadEffect):
            check_effects((("say", key, args, ""),))
        with pytest.raises(BadEffect):
            check_effects((("phase", key, args),))
