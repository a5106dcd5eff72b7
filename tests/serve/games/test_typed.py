"""What people write, on a server: what it refuses and what a client makes of it, so that nobody is
locked out and nothing else is refused with it."""

from __future__ import annotations

from typing import Any

import pytest
import trio
import trio.testing

from tests.clients.table import link
from tests.clients.table import table as playing
from tests.serve.games.test_clocks import assert_sound, logged
from tests.serve.games.test_rulings import arbiter, claimed, hear, rule
from tests.serve.rig import server
from tests.serve.tournaments.test_tournaments import table as tournament
from tests.tournaments.test_desk import started
from warledger.clients.link.errors import CannotSit
from warledger.clients.link.sitting import sit
from warledger.clients.link.tournament import TournamentLink
from warledger.engine.runtime.game.answers import Done, Refusal
from warledger.engine.testing.memory import MemoryStore
from warledger.protocol.seats import acts
from warledger.protocol.texts import typed
from warledger.protocol.wire import messages as m
from warledger.protocol.wire import talkmessages as tm

MockClock = trio.testing.MockClock
DECOMPOSED = "Jose\u0301"
COMPOSED = "Jos\u00e9"
UNKNOWN = "\u0378\u0307"
"""A character that no version of Unicode has so far, and a mark behind it."""


async def said(client: Any, game: str, text: str) -> Any:
    """A word of seat "b" about its claim."""
    return await client.act(game, "b", acts.RULING, ("said", 1, text))


async def test_what_nobody_could_read_is_declined_and_the_seat_goes_on(
    autojump_clock: MockClock,
) -> None:
    """A refusal names the character and where it stands; the next act of the same key is taken,
    and so is any text that is only unusual, as it came."""
    async with server() as s:
        game, _, client = await claimed(s)
        bad = {
            f"Ja{UNKNOWN}": ("refusal.text_unknown", "U+0378", 3, "Ja"),
            "a\u202eb": ("refusal.text_unreadable", "U+202E", 2, "a"),
            "\u2028": ("refusal.text_unreadable", "U+2028", 1, ""),
            "one\ntwo\x00": ("refusal.text_unreadable", "U+0000", 8, "one two"),
            "\ufdd0": ("refusal.text_unreadable", "U+FDD0", 1, ""),
            "a\tb": ("refusal.text_unreadable", "U+0009", 2, "a"),
        }
        for text, (key, char, place, before) in bad.items():
            answer = await said(client, game, text)
            assert type(answer) is m.Declined, answer
            assert answer.refusal.key == key
            assert dict(answer.refusal.args) == {"char": char, "place": place, "before": before}
        good = ("\ufeffTo my mind", DECOMPOSED, "one\ntwo", "\ue000")
        for text in good:
            assert type(await said(client, game, text)) is m.Accepted
        assert [one.body[2] for one in logged(s, game)[-len(good) :]] == list(good)
        await assert_sound(s, game)


async def test_an_arbiter_is_told_too(autojump_clock: MockClock) -> None:
    """In the text of a ruling, and in what a penalty is; nothing is written."""
    async with server() as s:
        game, _, _ = await claimed(s)
        ann = await arbiter(s)
        await hear(ann, game)
        last = logged(s, game)[-1].seq
        remedies = ((("stand",),), (("penalty", "a", "a\u202eb"),))
        for text, remedy in (("So\u200f.", remedies[0]), ("So.", remedies[1])):
            answer = await rule(ann, game, "ruled", 1, "upheld", "9.2", text, remedy)
            assert type(answer) is m.Refused
            assert answer.refusal.key == "refusal.text_unreadable"
        assert logged(s, game)[-1].seq == last


async def test_a_request_without_refusals_says_so_as_an_error(autojump_clock: MockClock) -> None:
    """A name to log in with, and a line of talk."""
    async with server() as s:
        game, _, client = await claimed(s)
        for answer in (
            await client.ask(m.Login, "", "Ann\u202e"),
            await client.ask(tm.SayLine, game, "players", "b", f"x{UNKNOWN}"),
        ):
            assert type(answer) is m.Error and answer.code == "text"
            assert answer.say.key.startswith("refusal.text_")


async def test_a_claim_typed_decomposed_is_signed_composed() -> None:
    """As some keyboards type it, with line breaks and tabs of any kind; the seat is not locked
    out, and its name is composed as well."""
    async with (
        playing() as (serving, game, tokens),
        link(serving, token=tokens["allied"], name=DECOMPOSED) as mine,
        link(serving, token=tokens["axis"], name="Bert") as other,
    ):
        first = await sit(mine, game, "allied")
        await sit(other, game, "axis")
        await first.asked()
        with trio.fail_after(20):
            _, answer = await first.claim(1, "9.2", f"{DECOMPOSED}:\r\none\ttwo\rthree")
            assert not isinstance(answer, Refusal)
            word = await first.resign()
        assert not isinstance(word, Refusal)
        log = logged(serving, game)
        assert [one.body[5] for one in log if one.body[0] == "claim"] == [
            f"{COMPOSED}:\none two\nthree"
        ]
        assert log[1].body[3] == COMPOSED
        assert first.watch.fault is None


async def test_a_name_typed_decomposed_enters_a_tournament() -> None:
    """At once, composed; a name that nobody could read is refused with the reason."""
    async with tournament() as at:
        await at.open()
        async with link(at.served) as mine:
            with trio.fail_after(20):
                entry = await TournamentLink(mine, "cup").enter(DECOMPOSED)
            assert entry.number == 1
            with trio.fail_after(20), pytest.raises(CannotSit, match="U\\+202E"):
                await TournamentLink(mine, "cup").enter("Ann\u202e")
        told = await at.told()
        assert [one["name"] for one in told["entrant_list"]] == [COMPOSED]


@pytest.mark.parametrize("odd", [f"Ja{UNKNOWN}", "a\u202eb", DECOMPOSED, "\udc80"])
async def test_an_odd_text_among_acts_of_a_tournament_stops_no_other(odd: str) -> None:
    """Of several acts that wait together only the one that nobody could read, or encode, is not
    done."""
    made = await started(MemoryStore(), 2)
    answers: dict[str, Any] = {}

    async def announce(text: str) -> None:
        try:
            answers[text] = await made.submit("server", ("announce", text))
        except Exception as error:
            answers[text] = error

    async with trio.open_nursery() as nursery:
        for text in ("first", odd, "last"):
            nursery.start_soon(announce, text)
    assert isinstance(answers["first"], Done) and isinstance(answers["last"], Done)
    assert isinstance(answers[odd], Done) == (odd == DECOMPOSED)


def test_what_is_composed_reads_the_same_again() -> None:
    """Composing twice changes nothing more; a picks' words and other fields stay as they came."""
    for text in (DECOMPOSED, "a\r\n\r\tb", "\ufeff", "\udc80x", f"Ja{UNKNOWN}"):
        assert typed.composed(typed.composed(text)) == typed.composed(text)
    body = ("claim", 1, "a\u0301", 5, DECOMPOSED, DECOMPOSED)
    assert typed.composed_body(acts.RULING, body) == ("claim", 1, "a\u0301", 5, COMPOSED, COMPOSED)
    picks = ("enter", DECOMPOSED, DECOMPOSED, 1500, "-", DECOMPOSED)
    assert typed.composed_picks(picks) == ("enter", COMPOSED, DECOMPOSED, 1500, "-", COMPOSED)
    assert typed.composed_picks((DECOMPOSED, DECOMPOSED)) == (DECOMPOSED, DECOMPOSED)
