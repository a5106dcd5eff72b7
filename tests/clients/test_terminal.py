"""The terminal player, its lines scripted, over a link to a server in memory."""

import io
import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import cache
from typing import Any

import pytest
import trio
from rich.console import Console
from trio.testing import MockClock

from tests.clients.games import field_of
from tests.clients.table import link, table
from warledger.clients.audit.audit import audit
from warledger.clients.bots.selfplay import play
from warledger.clients.commands.play import online
from warledger.clients.link import Seat, sit
from warledger.clients.link.watch import Watch
from warledger.clients.terminal import story
from warledger.clients.terminal.picking import Picking
from warledger.clients.terminal.player import WORDS, Player
from warledger.clients.terminal.screen import Screen
from warledger.clients.terminal.words import Match
from warledger.engine.runtime.profile import Progress
from warledger.protocol import canon
from warledger.protocol.board.choices import Choices, Option, Picks, Say, say
from warledger.protocol.texts.phrases import LANGUAGES


def screen(*, plain: bool = True, width: int = 100) -> tuple[Screen, io.StringIO]:
    """A screen that writes into a string."""
    out = io.StringIO()
    return Screen(
        plain=plain,
        console=Console(file=out, width=width, highlight=False, emoji=False, markup=False),
    ), out


@asynccontextmanager
async def seated() -> AsyncIterator[tuple[Seat, Seat]]:
    """Both seats of a game that has begun."""
    async with (
        table() as (serving, game, tokens),
        link(serving, token=tokens["allied"]) as a,
        link(serving, token=tokens["axis"]) as x,
    ):
        allied, axis = await sit(a, game, "allied"), await sit(x, game, "axis")
        assert await allied.asked()
        yield allied, axis


async def typed(*lines: str | Callable[[], object]) -> AsyncIterator[str]:
    """Lines as a player types them; a function among them is called, and awaited if need be, before
    the next line."""
    for line in lines:
        if isinstance(line, str):
            yield line
        else:
            waited = line()
            if waited is not None:
                await waited  # type: ignore[misc]


async def test_a_turn_is_played_by_lines() -> None:
    """Fleets move by one line, refusals cite their rule, commands are taken back."""
    shown, out = screen()
    async with seated() as (allied, _):
        lines = typed(
            "help",
            "board",
            "deploy hood malta",
            "done",
            "sail renown bismarck",
            "why",
            "why sail renown north_sea baltic_sea",
            "sail renown repulse north",
            "sail renown repulse north_sea",
            "show renown",
            "undo",
            "log 5",
            "nonsense",
            "lang zh-Hant",
            "quit",
        )
        await Player(allied, shown, lines).play()
        board = allied.watch.board
    text = out.getvalue()

    assert board.pieces["hood"].place == "malta"
    assert board.pieces["renown"].place == "england", "the undo must have brought it back"
    assert "sail from England to the North Sea" in text
    assert "6.3" in text and "6.4" in text
    assert "could mean" in text
    assert "Nothing here is called nonsense" in text
    listed = set(re.findall(r"^  (\w+) +\S", text, re.MULTILINE))
    assert set(WORDS) - listed == {"supply", "throw", "dump", "base"}, "words of other titles"
    assert "終端" in text


def walking(hand: Picking, tree: Mapping[Picks, Choices]) -> list[Picks]:
    """A hand that walks through these choices instead of a server's. Returns what it submits, as it
    comes."""
    sent: list[Picks] = []

    async def submit(picks: Picks) -> None:
        sent.append(picks)

    async def explore(picks: Picks) -> bool:
        hand.picks, hand.choices = picks, tree[picks]
        return True

    hand.submit, hand.explore = submit, explore  # type: ignore[method-assign,assignment]
    hand.choices, hand.picks = tree[()], ()
    return sent


async def test_a_bare_verb_waits_for_an_empty_line() -> None:
    """A bare verb whose only choice nobody has named is shown, and submitted by an empty line; a
    line that names it is submitted at once."""
    shown, out = screen()
    async with seated() as (allied, _):
        tree: dict[Any, Choices] = {
            (): Choices("verb", (Option("sail"),), None, False),
            ("sail",): Choices("unit", (Option("hood"),), None, False),
            ("sail", "hood"): Choices("end", (), None, True),
        }
        hand = Player(allied, shown, typed("quit")).hand
        sent = walking(hand, tree)
        await hand.pick(("sail",))
        assert hand.picks == ("sail", "hood") and not sent
        assert "on an empty line to submit" in out.getvalue() or "Enter" in out.getvalue()
        hand.choices, hand.picks = tree[()], ()
        await hand.pick(("sail", "hood"))
        assert sent == [("sail", "hood")]


async def test_a_word_of_which_the_rules_warn_waits_until_it_is_said_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A word whose preview warns is shown with the warning, and submitted when it is typed once
    more; one whose preview only tells what to expect is submitted at once."""
    shown, out = screen()
    async with seated() as (allied, _):

        async def preview(picks: Any) -> tuple[Say, ...]:
            return said[picks]

        end = Choices("end", (), None, True)
        tree: dict[Any, Choices] = {
            (): Choices("verb", (Option("done"), Option("auto")), None, False),
            ("done",): end,
            ("auto",): end,
        }
        over = {"hex": "A1", "re": "11", "limit": "10"}
        said: dict[Any, tuple[Say, ...]] = {
            ("done",): (say("preview.ocs.warning.overstacked", "OCS 4.8a", **over),),
            ("auto",): (say("preview.ocs.patrolled", "OCS 14.5"),),
        }
        monkeypatch.setattr(allied, "preview", preview)
        hand = Player(allied, shown, typed("quit")).hand
        sent = walking(hand, tree)
        await hand.pick(("done",))
        assert not sent and "11" in out.getvalue()
        await hand.pick(("done",))
        assert sent == [("done",)]
        hand.choices, hand.picks = tree[()], ()
        await hand.pick(("auto",))
        assert sent == [("done",), ("auto",)]


async def test_numbers_and_single_picks() -> None:
    """A command built pick by pick is submitted by an empty line, and taken apart by back."""
    shown, out = screen()
    async with seated() as (allied, _):
        lines = typed("done", "sail", "hood", "north_sea", "back", "north_sea", "", "quit")
        await Player(allied, shown, lines).play()
        board = allied.watch.board

    assert board.pieces["hood"].place == "north_sea"
    assert "on an empty line to submit" in out.getvalue()


async def test_what_cannot_be_seen_is_said_to_be_so() -> None:
    """A piece of which the board knows nothing is answered with a sentence, not with silence; a
    verb is known in capitals too."""
    shown, out = screen()
    async with seated() as (allied, _axis):
        player = Player(allied, shown, typed("show hood", "why Deploy", "quit"))
        await player.play()
        assert player.hand.known(("Deploy",)) == Match("deploy")
        assert shown.picture is not None
        shown.picture.about = lambda *_: iter(())  # type: ignore[method-assign]
        shown.about("hood", allied.watch.board)

    assert "Hood is not on the board, or cannot be seen" in out.getvalue()


async def test_why_a_place_alone_cannot_be_chosen() -> None:
    """Before a ship is picked, `why` with a place says what the place lacks, with its clause, as
    the page does for a press on it; of another side's ship whose it is, and of one that may sail
    that nothing keeps it. It never says only that a place is not on offer."""
    for line, told in (
        ("why malta", "Choose a ship; Malta has none. [6.3]"),
        ("why bismarck", "Bismarck is not yours. [6.3]"),
        ("why hood", "The rules allow this."),
    ):
        shown, out = screen()
        async with seated() as (allied, _axis):
            await Player(allied, shown, typed("done", line, "quit")).play()
        said = out.getvalue()
        assert told in said and "is not on offer" not in said, (line, said)


@pytest.mark.parametrize("line", ["sail hood north_sea +", "sail hood north_sea+"])
async def test_a_plus_at_the_end_goes_on_picking(line: str) -> None:
    """With a plus, as a word or at the end of one, a command is not submitted yet."""
    shown, _ = screen()
    async with seated() as (allied, _axis):
        player = Player(allied, shown, typed("done", line, "quit"))
        await player.play()

        assert allied.watch.board.pieces["hood"].place == "england"
        assert player.hand.picks == ("sail", "hood", "north_sea")


async def test_an_answer_is_given_for_the_rest_of_the_turn() -> None:
    """`always` submits the picks and leaves a standing answer; alone it takes it back."""
    shown, out = screen()
    async with seated() as (allied, _):
        orders = []

        async def look() -> None:
            orders.append(await allied.standing(None))

        await Player(
            allied,
            shown,
            typed("always nonsense", "always deploy", "always done", look, "always", look, "quit"),
        ).play()

        assert allied.watch.board.tracks["turn"] == 1
    assert orders == [(("prompt.war_at_sea.deploy", (("done",),), "turn"),), ()]
    assert "not complete yet" in out.getvalue()


async def test_a_person_is_told_at_once_that_it_is_not_their_turn(
    autojump_clock: MockClock,
) -> None:
    """What a person types on another's turn is refused, and not carried out when their turn comes;
    the words that only look work meanwhile."""
    shown, out = screen()
    async with seated() as (_, axis):
        lines = typed("sail bismarck baltic_sea", "log 1", "quit")
        await Player(axis, shown, lines, scripted=False).play()

    assert "“sail bismarck baltic_sea” was not done" in out.getvalue()
    assert "You have left" in out.getvalue()


async def test_what_is_on_offer_comes_before_the_words_of_the_terminal() -> None:
    """An option of several words that begins with a word of the terminal ("all go home") is that
    option; the word alone, and with a slash, keeps its meaning."""
    shown, _ = screen()
    async with seated() as (allied, _axis):
        player = Player(allied, shown, typed("quit"))
        player.hand.choices = Choices("verb", (Option("all_go_home"), Option("land")), None, False)

        assert player._command_of(("all", "go", "home")) == ""
        assert player._command_of(("all",)) == "more"
        assert player._command_of(("/all", "go", "home")) == "more"


async def test_a_unit_that_is_not_on_offer_is_not_a_number_of_the_list() -> None:
    """ "2 Hood" means the ship of that name wherever it is, not the second of the list."""
    shown, _ = screen()
    async with seated() as (allied, _axis):
        hand = Player(allied, shown, typed("quit")).hand
        choices = Choices("unit", (Option("hood"), Option("renown")), None, False)
        hand._named = (
            lambda left, *, least=1: (  # type: ignore[method-assign]
                Match("royal_oak", 3) if left[1:3] == ("royal", "oak") else None
            )
        )
        assert hand.meant(choices, ("2", "royal", "oak")) is None
        assert hand.meant(choices, ("2", "baltic_sea")) == Match("renown")


async def test_resigning_asks_first() -> None:
    """`resign` does nothing until it is confirmed; then the other side has won."""
    shown, out = screen()
    async with seated() as (allied, _):
        await Player(
            allied, shown, typed("resign", "no", "resign", "board", "resign", "yes")
        ).play()

        assert allied.watch.winner == "axis"
    assert out.getvalue().count("Not resigned") == 2
    assert "Allies resigned" in out.getvalue()


async def test_a_draw_is_offered_and_agreed() -> None:
    """One side's offer is shown to the other, whose yes ends the game."""
    shown, _ = screen()
    seen, out = screen()
    async with seated() as (allied, axis), trio.open_nursery() as nursery:

        async def offered() -> None:
            while axis.watch.ask is None:
                await axis.watch.wait()

        nursery.start_soon(
            Player(allied, shown, typed("draw", offered, lambda: allied.watch.reached(10**6))).play
        )
        await Player(axis, seen, typed(offered, "yes")).play()

        assert axis.watch.ended and axis.watch.winner is None
        nursery.cancel_scope.cancel()
    assert "offers a draw" in out.getvalue()


@cache
def watched() -> Watch:
    """A whole captains' game as its public saw it, played once for every language. Nobody may
    change it."""
    played = play(field_of("war_at_sea"), seed=21, players=("captain",))
    watch = Watch(played.game, "public")
    watch.take(0, ((record.data, b"") for record in played.records))
    return watch


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("plain", [True, False])
def test_every_record_of_a_game_can_be_told_and_drawn(language: str, plain: bool) -> None:
    """A whole captain game in each language, drawn and plain, without a missing key or argument."""
    watch = watched()
    shown, out = screen(plain=plain)
    shown.of_game("war_at_sea", canon.unpack_trusted(watch.genesis.pack), watch.genesis.options)
    shown.speak(language)
    for seen in watch.seen:
        shown.tell(story.tell(seen.record, seen.effects, shown.spoken))
    for seen in watch.seen[:: len(watch.seen) // 5]:
        shown.board(seen.board)
    for id in ("hood", "north_sea", "uboat_1", "england"):
        shown.about(id, watch.board)
    text = out.getvalue()

    assert watch.fault is None
    assert "⟨" not in text
    assert "war_at_sea." not in text
    if plain:
        assert not set(text) & set("─│╭╮╰╯━")


def test_the_story_ends_with_the_clause_that_decided() -> None:
    """In the last line of the story, drawn and plain, and in what a watch keeps of the end."""
    watch = watched()
    assert watch.reason is not None and watch.reason.rule == "17.4"
    for plain in (True, False):
        shown, out = screen(plain=plain)
        shown.of_game("war_at_sea", canon.unpack_trusted(watch.genesis.pack), watch.genesis.options)
        end = next(seen for seen in reversed(watch.seen) if seen.record.kind == "end")
        shown.tell(story.tell(end.record, end.effects, shown.spoken))
        shown.tell((story.result(watch.winner, watch.reason, shown.spoken),))
        assert out.getvalue().count("[17.4]") == 2, out.getvalue()


def listed(watch: Watch) -> dict[str, Any]:
    """A game as a server's list tells it."""
    progress = Progress()
    for seen in watch.seen[1:]:
        progress = progress.advance(seen.record)
    assert progress.reason is not None
    return {
        "game": watch.game,
        "title": watch.genesis.title,
        "stage": progress.stage,
        "winner": progress.winner,
        "reason": progress.reason.as_array(),
    }


def test_the_lists_tell_the_clause_that_decided() -> None:
    """A server's list carries it, and the terminal tells it behind the result; a game under way has
    neither, and no server's words are told as ours."""
    shown, _ = screen()
    line = listed(watched())
    assert line["reason"][2] == "17.4"
    assert online.result_of(line, shown.spoken).endswith("[17.4]")
    assert online.result_of({**line, "stage": "playing"}, shown.spoken) == ""
    assert online.result_of({**line, "reason": ("ui.table_code", (), "")}, shown.spoken) == ""


def test_an_audit_tells_the_clause_that_decided() -> None:
    """In its sentences and in its data."""
    shown, _ = screen()
    played = play(field_of("war_at_sea"), seed=21, players=("captain",))
    report, _ = audit(played.as_wlog())
    assert any(text.endswith("[17.4]") for text in report.lines(shown.spoken))
    assert report.as_data(shown.spoken)["clause"] == "17.4"
