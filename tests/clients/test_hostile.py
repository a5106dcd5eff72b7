"""A client cannot be cheated unnoticed: each test is a lie that a server tells, and the sentence in
which the client says so."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.lowlevel
from nacl.signing import SigningKey

from tests.clients.hostile import GAME, Hostile, secret
from tests.older import older_frames
from tests.toys import TOYS
from tests.verdicts import is_clean
from warledger.clients.audit.audit import Rulebook, audit
from warledger.clients.link import (
    BadServer,
    CannotSit,
    Link,
    LinkError,
    RecordsLost,
    Seat,
    ServerError,
    Unsettled,
    sit,
)
from warledger.clients.link.receipts import read_journals, read_receipts
from warledger.engine.testing.randomgames import Played
from warledger.protocol.board.choices import Refusal, say
from warledger.protocol.canon import Seal
from warledger.protocol.chance import dice
from warledger.protocol.chance.seal import Opening
from warledger.protocol.log import chain, records
from warledger.protocol.log.wlog import FRAME_RECORD, Frame
from warledger.protocol.seats import acting, acts
from warledger.protocol.seats.acts import Act, Hand
from warledger.protocol.wire import messages as m


@asynccontextmanager
async def playing(
    folder: Path | None = None, server: Hostile | None = None
) -> AsyncIterator[tuple[Hostile, Link, Seat]]:
    """Seat a of a game that has begun honestly."""
    async with (server or Hostile()).running() as there, there.link(folder) as link:
        await there.other_takes()
        seat = await sit(link, GAME, "a")
        with trio.fail_after(5):
            while seat.watch.seats["a"].nonce_shown is False:
                await seat.watch.wait()
            await there.other_shows()
            assert await seat.asked()
        yield there, link, seat


async def command(seat: Seat, *picks: Any) -> Any:
    """Submit picks for the question that is open."""
    offer = await seat.offer()
    assert not isinstance(offer, Refusal), offer
    with trio.fail_after(5):
        return await seat.submit(picks, offer.decision)


async def found_out(seat: Seat) -> BadServer:
    """Wait until the seat's watch has stopped."""
    with trio.fail_after(5):
        while seat.watch.fault is None:
            try:
                await seat.watch.wait()
            except BadServer:
                break
    assert isinstance(seat.watch.fault, BadServer)
    return seat.watch.fault


async def test_an_honest_game_is_played_to_its_witnessed_end(tmp_path: Path) -> None:
    """The fake server, when it does not lie, is not accused: the game ends, is witnessed, and every
    act stands in the journal."""
    async with playing(tmp_path) as (there, _, seat):
        for _ in range(3):
            assert isinstance(await command(seat, "hide", "antelope"), m.Accepted)
            await there.other_plays("roll")
        with trio.fail_after(5):
            while not seat.watch.ended:
                await seat.watch.wait()
            await seat.finish()
        assert seat.watch.table_code == acting.Acting.table_code.fget(seat.watch.acting)  # type: ignore[attr-defined]
        last = seat.watch.seen[-1].record

    assert [(w.seat, w.seq, w.hash) for w in there.witnessed] == [("a", last.seq, last.hash)]
    assert acts.verify(
        seat.public,
        acts.witness_bytes(there.genesis, last.seq, last.hash),
        there.witnessed[0].signature,
    )
    assert {entry.act.kind for entry in read_journals(tmp_path)} == {"taken", "nonce", "command"}
    assert all(entry.stands is not None for entry in read_journals(tmp_path))
    assert len((tmp_path / f"{seat.papers.name}.witnesses").read_bytes()) > 100


async def test_a_served_script_that_signs_other_picks_is_found_out_by_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The client is what the operator served, and signs another word than its player chose. The
    player's key has signed it, the client accuses nobody, and the file is sound for both levels of
    the audit, with the player's own receipts: what was chosen stands nowhere."""
    submit, chosen, theirs = Seat.submit, ("hide", "antelope"), ("hide", "bumblebee")

    async def served(self: Seat, picks: Any, decision: int, **given: Any) -> Any:
        return await submit(self, theirs if tuple(picks) == chosen else picks, decision, **given)

    monkeypatch.setattr(Seat, "submit", served)
    async with playing(tmp_path) as (there, _, seat):
        for _ in range(3):
            assert isinstance(await command(seat, *chosen), m.Accepted)
            await there.other_plays("roll")
        with trio.fail_after(5):
            while not seat.watch.ended:
                await seat.watch.wait()
            await seat.finish()
        assert seat.watch.fault is None
        own = seat.public

    entries = [entry for entry in read_journals(tmp_path) if entry.act.kind == acts.COMMAND]
    assert [entry.private[0] for entry in entries] == [theirs] * 3
    assert all(entry.stands is not None and entry.act.key == own for entry in entries)
    records_, openings = zip(*there.log, strict=True)
    file = Played(there.ledger, there.key, list(records_), list(openings)).file()
    key, heads = there.key.verify_key.encode(), read_receipts(tmp_path)
    report, _ = audit(file, key=key, receipts=heads, rulebook=Rulebook(TOYS.__getitem__))
    assert is_clean(report)
    values = [opening.value for some in openings for opening in some]
    played = [value[0] for value in values if type(value) is tuple and type(value[0]) is tuple]
    assert played == [theirs] * 3


# --- dice -----------------------------------------------------------------------------------------


async def test_a_server_that_takes_the_seat_by_itself_gets_no_nonce() -> None:
    """Seat and nonce written by the server before it answers: the client sees that the seat is not
    under its key, and shows nothing."""
    there = Hostile()

    async def steal(message: m.Act, act: Act) -> Any:
        thief = Hand(there.genesis, "a", SigningKey(secret("thief")))
        nonce = secret("ground")
        hashed = dice.bound_nonce_hash(there.genesis, "a", nonce)
        by = thief.sign(acts.TAKEN, there.log[-1][0].hash, ("", "Anna", hashed, "terminal")).by
        await there.commit(
            there.ledger.propose_seat("a", "Anna", hashed, 1000, by=by, client="terminal")
        )
        return m.Accepted(message.request, GAME, len(there.log) - 1, there.head(), False)

    there.on_act = steal
    async with there.running(), there.link() as link:
        await there.other_takes()
        with pytest.raises(BadServer, match="with a key that is not yours"):
            await sit(link, GAME, "a")

    assert [message.kind for message in there.heard] == [acts.TAKEN]


async def test_a_server_that_changes_the_committed_nonce_is_found_out() -> None:
    """`taken` with another nonce's hash under the client's key: no signature of the seat's fits
    it."""
    there = Hostile()

    def other_hash(record: records.Record) -> Any:
        if record.body[0] == "taken" and record.body[1] == "a":
            return (*record.body[:4], secret("ground"), *record.body[5:])
        return None

    there.rewrite = other_hash
    async with there.running(), there.link() as link:
        with pytest.raises(BadServer, match="the signature of a on taking the seat is not valid"):
            await sit(link, GAME, "a")


async def test_a_second_genesis_of_the_same_id_gets_no_nonce(tmp_path: Path) -> None:
    """The server swallows the nonce, makes the game anew under the same id, and the client comes
    back: it shows no nonce there."""
    first, second = Hostile(), Hostile(genesis="second")

    async def swallow(message: m.Act, act: Act) -> Any:
        return (
            m.Error(message.request, "stopped", say("error.stopping"), False)
            if act.kind == acts.NONCE
            else None
        )

    first.on_act = swallow
    async with first.running(), first.link(tmp_path) as link:
        await first.other_takes()
        await sit(link, GAME, "a")
        with trio.fail_after(5):
            while len(first.heard) < 2:
                await trio.lowlevel.checkpoint()
    async with second.running(), second.link(tmp_path) as link:
        with pytest.raises(BadServer, match="had a different beginning"):
            await sit(link, GAME, "a")

    assert second.heard == []
    assert {head.hash for head in read_receipts(tmp_path) if head.seq == 0} == {first.genesis}


async def test_a_roster_that_another_seat_did_not_sign_is_found_out() -> None:
    """The other seat's nonce carries the hash of another list of players: what it saw is not what
    this client sees."""
    there = Hostile()

    def other_roster(record: records.Record) -> Any:
        if record.body[0] != "nonce" or record.body[1] != "b":
            return None
        act = there.other.sign(acts.NONCE, there.genesis, (record.body[2], secret("roster")))
        return (*record.body[:3], secret("roster"), act.by.as_array())

    there.rewrite = other_roster
    async with there.running(), there.link() as link:
        await there.other_takes()
        seat = await sit(link, GAME, "a")
        with trio.fail_after(5):
            while not seat.watch.seats["a"].nonce_shown:
                await seat.watch.wait()
        await there.other_shows()

        assert "signed a different list of players" in str(await found_out(seat))


async def test_a_seat_that_shows_this_clients_key_is_found_out() -> None:
    """The other seat is taken under the client's own key: its signature cannot be there, and no key
    is two seats'."""
    there = Hostile()
    async with there.running(), there.link() as link:
        seat = await sit(link, GAME, "a")
        own = Hand(there.genesis, "b", seat.papers.key)
        hashed = dice.bound_nonce_hash(there.genesis, "b", there.nonce)
        act = own.sign(acts.TAKEN, there.log[-1][0].hash, ("", "Bert", hashed, "test"))
        await there.show(
            "b", records.SEAT, ("taken", "b", "", "Bert", hashed, "test", act.by.as_array())
        )

        assert "has already been shown by a" in str(await found_out(seat))
        assert [message.kind for message in there.heard] == [acts.TAKEN]


async def test_a_die_from_a_later_epoch_is_found_out() -> None:
    """A die drawn from the next turn's seed, or the link of the turn opened before its end, is told
    at once."""
    for early_link in (False, True):
        async with playing() as (there, _, seat):
            if early_link:
                await there.show(records.SERVER, records.OPEN, (1, there.keys.link(1)))
                assert "opens epoch 1, although no turn has ended" in str(await found_out(seat))
                continue

            def later(record: records.Record) -> Any:
                if record.kind != records.COMMAND or not record.body[records.DRAWS]:
                    return None
                draws = tuple((2, *draw[1:]) for draw in record.body[records.DRAWS])
                return (*record.body[: records.DRAWS], draws, *record.body[records.EVENTS :])

            there.rewrite = later
            with pytest.raises(BadServer, match="was drawn from epoch 2"):
                await command(seat, "roll")


async def test_a_die_that_its_seed_does_not_give_is_found_out_as_its_turn_ends() -> None:
    """A die of another value than its seed's is told once the link of its turn is open, long before
    the game's end."""
    async with playing() as (there, _, seat):

        def loaded(record: records.Record) -> Any:
            if record.kind != records.COMMAND or not record.body[records.DRAWS]:
                return None
            (draw,) = record.body[records.DRAWS]
            sides, index = draw[3]
            return (
                *record.body[: records.DRAWS],
                ((*draw[:3], (sides, (index + 1) % sides)),),
                *record.body[records.EVENTS :],
            )

        there.rewrite = loaded
        await command(seat, "roll")
        there.rewrite = None
        await there.other_plays("pass")

        assert "its seed gives" in str(await found_out(seat))


# --- acts -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("sealed", [False, True])
async def test_other_picks_than_were_sent_are_found_out(sealed: bool) -> None:
    """The server carries out other picks than it was sent, open or sealed: the digest that the seat
    signed does not stand for them."""
    async with playing() as (there, _, seat):

        def other(record: records.Record) -> Any:
            if record.kind != records.COMMAND:
                return None
            return (
                *record.body[: records.PICKS],
                (("add", 6), secret("blind")),
                *record.body[records.COMMAND_ID :],
            )

        def reopened(record: records.Record, openings: tuple[Opening, ...]) -> tuple[Opening, ...]:
            return tuple(o for o in openings if o.path != (records.PICKS,))

        if sealed:
            there.open_for = reopened
            with pytest.raises(BadServer, match="does not open to you the picks"):
                await command(seat, "hide", "antelope")
        else:
            there.rewrite = other
            with pytest.raises(BadServer, match="a signed different picks"):
                await command(seat, "add", 1)


async def test_a_forged_opening_of_an_own_seal_is_found_out() -> None:
    """Sealed picks that open, fittingly, to others than were sent: the digest under the seat's
    signature tells."""
    async with playing() as (there, _, seat):
        from warledger.protocol.chance.seal import salt_of, seal

        def forged(record: records.Record) -> Any:
            if record.kind != records.COMMAND or type(record.body[records.PICKS]) is not Seal:
                return None
            lie = Opening(
                record.seq,
                (records.PICKS,),
                salt_of(there.keys.salts, record.seq, (records.PICKS,)),
                LIE,
            )
            return (
                *record.body[: records.PICKS],
                seal(GAME, lie),
                *record.body[records.COMMAND_ID :],
            )

        def opened(record: records.Record, openings: tuple[Opening, ...]) -> tuple[Opening, ...]:
            return tuple(
                Opening(o.seq, o.path, o.salt, LIE, o.readers) if o.path == (records.PICKS,) else o
                for o in openings
            )

        there.rewrite, there.open_for = forged, opened
        with pytest.raises(BadServer, match="a signed different picks"):
            await command(seat, "hide", "antelope")


LIE = (("hide", "bumblebee"), bytes(32))


async def test_a_resignation_that_nobody_signed_is_found_out() -> None:
    """The seat is said to resign: without a signature, or with one that it gave for something else,
    that is no record."""
    for by in ((), None):
        async with playing() as (there, _, seat):
            given = (
                by
                if by is not None
                else seat.papers.entries[next(iter(seat.papers.entries))].act.by.as_array()
            )
            await there.show("a", records.ASK, ("a", "resign", 0, given))

            assert isinstance(await found_out(seat), BadServer)


async def test_an_act_under_the_own_key_that_this_client_never_signed_is_found_out() -> None:
    """Whoever has the key but not the journal (a thief) cannot act without the player being
    told."""
    async with playing() as (there, _, seat):
        thief = Hand(there.genesis, "a", seat.papers.key, 100)
        act = thief.sign(acts.ASK, there.log[-1][0].hash, ("draw", 0))
        await there.show("a", records.ASK, ("a", "draw", 0, act.by.as_array()))

        assert "which this client never signed" in str(await found_out(seat))


async def test_an_unsigned_refusal_is_found_out() -> None:
    """A refusal under another key than the server's proves nothing: the client says so and signs
    nothing more."""
    async with playing() as (there, _, seat):

        async def refuse(message: m.Act, act: Act) -> Any:
            return there.declined(
                message.request, act, "refusal.not_offered", key=SigningKey(secret("nobody"))
            )

        there.on_act = refuse
        sent = len(there.heard)
        with pytest.raises(BadServer, match="without a valid signature"):
            await command(seat, "add", 1)
        with pytest.raises(BadServer):
            await seat.resign()
        assert len(there.heard) == sent + 1


async def test_a_refusal_withheld_keeps_the_client_from_signing_anything_else() -> None:
    """While the server neither carries out nor refuses a command, nothing else is signed for it,
    and the same bytes go out again."""
    async with playing() as (there, _, seat):

        async def withhold(message: m.Act, act: Act) -> Any:
            return m.Error(message.request, "busy", say("error.busy", game=GAME), False)

        there.on_act = withhold
        sent = len(there.heard)
        with pytest.raises(ServerError):
            await command(seat, "add", 1)
        with pytest.raises(Unsettled, match="neither carried out what you signed"):
            await command(seat, "add", 6)
        there.on_act = None
        answer = await command(seat, "add", 5)

        acted = there.heard[sent:]
        assert {(message.n, message.signature, message.private) for message in acted[:3]} == {
            (acted[0].n, acted[0].signature, acted[0].private)
        }
        assert isinstance(answer, Refusal) and answer.key == "refusal.not_asked"
        assert seat.watch.seen[acts_at(seat)].record.body[records.PICKS][0] == ("add", 1)


def acts_at(seat: Seat) -> int:
    """The record of the seat's last command."""
    return max(
        seen.record.seq
        for seen in seat.watch.seen
        if seen.record.body[1] == seat.seat and seen.record.kind == records.COMMAND
    )


async def test_an_act_that_was_refused_and_stands_later_is_found_out(tmp_path: Path) -> None:
    """The server refuses a command under its signature and carries it out afterwards: the client
    says so, and keeps the proof."""
    async with playing(tmp_path) as (there, _, seat):

        async def refuse_then_do(message: m.Act, act: Act) -> Any:
            answer = there.declined(message.request, act, "refusal.not_offered")
            there.on_act = None
            return answer

        there.on_act = refuse_then_do
        refused = await command(seat, "add", 1)
        assert isinstance(refused, Refusal)
        message = there.heard[-1]
        act = Act(
            there.genesis,
            message.key,
            "a",
            message.kind,
            message.n,
            message.seen,
            message.body,
            message.signature,
        )
        await there.honest(message, act)

        assert "which the server had refused under its signature" in str(await found_out(seat))

    (entry,) = [entry for entry in read_journals(tmp_path) if entry.refused is not None]
    proof = entry.refused
    assert proof is not None and proof.act == act
    assert acts.verify(
        there.key.verify_key.encode(),
        acts.refusal_bytes(act.hash, proof.seq, proof.hash),
        proof.signature,
    )


async def test_an_acceptance_of_something_else_is_found_out() -> None:
    """`accepted` that names a record in which the act does not stand is no acceptance."""
    async with playing() as (there, _, seat):

        async def pretend(message: m.Act, act: Act) -> Any:
            return m.Accepted(message.request, GAME, len(there.log) - 1, there.head(), False)

        there.on_act = pretend
        with pytest.raises(BadServer, match="but that record contains something else"):
            await command(seat, "add", 1)


# --- the log --------------------------------------------------------------------------------------


async def test_a_fork_is_found_out() -> None:
    """A signed head of a record that the client was shown otherwise: two histories, under one
    signature."""
    async with playing() as (there, _, seat):

        async def fork(message: m.Act, act: Act) -> Any:
            await there.honest(message, act)
            other = chain.sign_head(there.key, GAME, len(there.log) - 1, secret("another history"))
            return m.Accepted(message.request, GAME, len(there.log) - 1, other, False)

        there.on_act = fork
        with pytest.raises(BadServer, match="two histories"):
            await command(seat, "add", 1)


async def test_nothing_is_signed_on_a_log_that_lost_records(tmp_path: Path) -> None:
    """After a restart of both, the log ends before a record for which the client holds a head or
    signed as seen: it signs nothing there."""
    async with playing(tmp_path) as (there, _, seat):
        await command(seat, "add", 1)
        begun = next(
            seen.record.seq for seen in seat.watch.seen if seen.record.kind == records.COMMAND
        )

    class Shorter(Hostile):
        """The same game, put back to where play began."""

    shorter = Shorter()
    shorter.log = there.log[: begun + 1]
    async with shorter.running(), shorter.link(tmp_path) as link:
        with pytest.raises(RecordsLost, match="records were lost, or the game was rewritten"):
            await sit(link, GAME, "a")
    for path in tmp_path.glob("*.heads"):  # noqa: ASYNC240
        path.unlink()
    async with shorter.running(), shorter.link(tmp_path) as link:
        with pytest.raises(RecordsLost, match="What you signed in game lies"):
            await sit(link, GAME, "a")

    assert shorter.heard == []


async def test_what_was_under_way_when_the_client_stopped_goes_out_again_as_it_was(
    tmp_path: Path,
) -> None:
    """A command that was on the disk but never arrived is sent byte for byte by the client's next
    start."""
    async with playing(tmp_path) as (there, _, seat):

        async def lose(message: m.Act, act: Act) -> Any:
            return m.Error(message.request, "busy", say("error.busy", game=GAME), False)

        there.on_act = lose
        with pytest.raises(ServerError):
            await command(seat, "hide", "antelope")
        lost = there.heard[-1]
        there.on_act = None
        async with there.link(tmp_path) as again:
            back = await sit(again, GAME, "a")
            assert there.heard[-1] is not lost and there.heard[-1].private == lost.private
            assert (there.heard[-1].n, there.heard[-1].signature, there.heard[-1].body) == (
                lost.n,
                lost.signature,
                lost.body,
            )
            assert acts_at(back) == back.watch.last_seq


# --- servers --------------------------------------------------------------------------------------


async def test_a_server_whose_key_has_changed_is_not_sat_down_with(tmp_path: Path) -> None:
    """The key is held to from the first meeting; another one is told and no seat taken, unless the
    player says that it is right."""
    async with Hostile().running() as there, there.link(tmp_path) as link:
        await sit(link, GAME, "a")
    other = Hostile(server="another", genesis="another")
    for path in tmp_path.glob(f"{GAME}.*"):  # noqa: ASYNC240
        path.unlink()
    async with other.running():
        async with other.link(tmp_path) as link:
            with pytest.raises(CannotSit, match="presents a different key from the one it had"):
                await sit(link, GAME, "a")
            assert (await link.watch(GAME)).last_seq == 0, "watching goes on"
        assert other.heard == []
        async with other.link(tmp_path, accept_new_key=True) as link:
            await sit(link, GAME, "a")
        async with other.link(tmp_path) as link:
            await sit(link, GAME, "a")


async def test_a_rotated_key_is_followed_and_one_not_rotated_to_is_refused() -> None:
    """After a `rotate` record signed by the former key, heads are the new key's; a record that the
    former did not sign is a fault."""
    new = SigningKey(secret("new"))
    async with playing() as (there, _, seat):
        old, public = there.key, new.verify_key.encode()
        signature = old.sign(
            acts.rotate_bytes(there.genesis, old.verify_key.encode(), public)
        ).signature
        await there.commit(there.ledger.propose_rotation(public, signature, 1000))
        there.key = new
        assert isinstance(await command(seat, "add", 1), m.Accepted)
        assert seat.watch.server_key == public
        with pytest.raises(BadServer, match="does not carry a valid signature of the server"):
            seat.watch.expect(chain.sign_head(old, GAME, seat.watch.last_seq, seat.watch.head))

    async with playing() as (there, _, seat):
        forged = new.sign(
            acts.rotate_bytes(there.genesis, there.key.verify_key.encode(), public)
        ).signature
        await there.show(records.SERVER, records.ROTATE, (public, forged))
        assert "previous key did not sign" in str(await found_out(seat))


async def test_a_lapse_after_the_nonce_was_shown_is_kept_and_counted(tmp_path: Path) -> None:
    """A game that ends before play, with this seat's nonce shown: the next time the client can say
    how often this server did so."""
    async with Hostile().running() as there, there.link(tmp_path) as link:
        await there.other_takes()
        seat = await sit(link, GAME, "a")
        with trio.fail_after(5):
            while not seat.watch.seats["a"].nonce_shown:
                await seat.watch.wait()
            assert link.lapses() == 0
            # Whoever comes back to another game of a silent server hears of this one.
            async with there.link(tmp_path) as again:
                assert again.lapses() == 1
            await there.commit(there.ledger.propose_expiry(2000))
            while not seat.watch.ended:
                await seat.watch.wait()
            await seat.finish()

        assert seat.watch.reason is not None and seat.watch.reason.key == "outcome.lapsed"
        assert link.lapses() == 1


async def test_no_seat_is_taken_in_a_game_of_another_format() -> None:
    """It is not read, and nobody is accused of that."""
    there = Hostile()
    (first, _) = there.log[0]
    (frame,) = older_frames([Frame(FRAME_RECORD, first.data)])
    there.log[0] = (records.read(frame.payload), ())
    async with there.running(), there.link() as link:
        with pytest.raises(LinkError, match="has format 2") as raised:
            await sit(link, GAME, "a")
    assert not isinstance(raised.value, BadServer)
    assert there.heard == []


async def test_an_end_without_a_cause_is_found_out() -> None:
    """The server ends the game by itself: no resignation, no consent, no command leads to it."""
    async with playing() as (there, _, seat):
        links = ((1, there.keys.link(1)),)
        body = (
            "b",
            "outcome.resigned",
            (("seat", "a"),),
            links,
            there.keys.hidden,
            there.keys.salts,
            "",
            (),
            "resign",
        )
        await there.show(records.SERVER, records.END, body)

        assert "ends for no reason found in the log" in str(await found_out(seat))


@pytest.mark.parametrize(
    ("place", "instead"),
    [
        (records.PICKS, lambda seq: (("add", 6), b"")),
        (records.BY, lambda seq: (seq, 0, 1)),
        (records.BY, lambda seq: (seq, 1, 0)),
        (records.BY, lambda seq: (seq, 2, 0)),
    ],
)
async def test_an_answer_that_the_standing_orders_do_not_hold_is_found_out(
    place: int, instead: Callable[[int], Any]
) -> None:
    """A command in the seat's name by its standing answers must be the one of them that it names,
    for the question that it is asked; another one is told at once."""
    async with playing() as (there, _, seat):
        orders = (
            ("prompt.counting.act", (("add", 2), ("pass",)), "game"),
            ("prompt.other", (("add", 2),), "game"),
        )
        assert await seat.standing(orders) == orders
        at = there.ledger.position
        from warledger.engine.kernel.door import Submission

        by = (len(there.log) - 1, 0, 0)

        def other(record: records.Record) -> Any:
            if record.kind == records.COMMAND:
                changed = instead(by[0])
                return (*record.body[:place], changed, *record.body[place + 1 :])
            return None

        there.rewrite = other
        await there.commit(
            there.ledger.propose_command(
                Submission("a", at.opened("a") or 0, ("add", 2), by=by), 1000
            )
        )

        assert "that is not the standing answer it names" in str(await found_out(seat))
