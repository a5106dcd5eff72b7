"""Keys of a seat from the command line's side: further devices, handing over, seats that sign
nothing, and what the story says of them."""

import io
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest
import trio
from attrs import define

from tests.clients.table import TITLE, link, table, title
from tests.serve.rig import HOST_TOKEN, Server, server
from warledger.clients.commands.play import online
from warledger.clients.link import CannotSit, Link, Seat, sit
from warledger.clients.link.receipts import Papers, read_journals
from warledger.clients.terminal import story
from warledger.clients.terminal.screen import Screen
from warledger.clients.terminal.visible import Console
from warledger.protocol.board.choices import Refusal
from warledger.protocol.seats import acts


@define
class There:
    """Where a command finds a server in memory."""

    serving: Server
    token: str = ""
    receipts: Path | None = None
    name: str = ""

    @asynccontextmanager
    async def link(self) -> AsyncIterator[Link]:
        """A link to it."""
        async with link(
            self.serving, token=self.token, name=self.name, receipts=self.receipts
        ) as made:
            yield made


def screen() -> tuple[Screen, io.StringIO]:
    """A screen that writes into a string."""
    out = io.StringIO()
    made = Screen(
        plain=True, console=Console(file=out, width=100, highlight=False, emoji=False, markup=False)
    )
    made.of_title(TITLE)
    return made, out


async def command(seat: Seat, *picks: str) -> object:
    """Submit picks for the open question."""
    offer = await seat.offer()
    assert not isinstance(offer, Refusal)
    return await seat.submit(picks, offer.decision)


def told(seat: Seat, shown: Screen) -> str:
    """The whole story."""
    return "\n".join(
        line.text
        for seen in seat.watch.seen
        for line in story.tell(seen.record, seen.effects, shown.spoken)
    )


async def test_a_second_device_plays_once_the_first_has_signed_it(tmp_path: Path) -> None:
    """`device` prints a code and what to sign; after that the second device plays the seat with its
    own key, and a revoked key does not."""
    async with (
        table() as (serving, game, tokens),
        link(serving, token=tokens["allied"], name="Anna", receipts=tmp_path / "one") as mine,
        link(serving, token=tokens["axis"], name="Bert") as other,
    ):
        first = await sit(mine, game, "allied")
        await sit(other, game, "axis")
        assert await first.asked()
        there = There(serving, tokens["allied"], tmp_path / "two", "Anna")
        with pytest.raises(CannotSit, match="is played with a key that is not on this computer"):
            async with there.link() as second:
                await sit(second, game, "allied")

        shown, out = screen()
        assert await online.device(there, shown, game, "allied")  # type: ignore[arg-type]
        codes = re.findall(r"\b[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}\b", out.getvalue())
        sign = re.search(r"--sign (\S+)", out.getvalue())
        assert sign is not None
        on_first, said = screen()
        with pytest.raises(CannotSit, match="not the code of a device"):
            await online._sign_device(first, on_first, sign[1][:-6] + "AAAAA=", sure=True)
        assert await online._sign_device(first, on_first, sign[1], sure=True)
        assert codes and codes[0] in said.getvalue(), "both show the same code to compare"

        async with there.link() as second:
            at = await sit(second, game, "allied")
            assert at.public != first.public
            assert not isinstance(await command(at, "done"), Refusal)
            revoked, _ = screen()
            assert await online._revoke(at, revoked, first.public.hex()[:10])
        await first.watch.reached(at.watch.last_seq)
        answer = await first.resign()

        assert isinstance(answer, Refusal) and answer.key == "refusal.unknown_key"
        assert first.watch.fault is None
        assert "adds a device" in told(first, shown) and "revokes the key" in told(first, shown)


async def test_a_seat_is_handed_over_under_its_players_key(tmp_path: Path) -> None:
    """`handover` and `replace`, then `--take-over`: the log shows the former player's consent;
    without it, that nobody gave it."""
    for signed in (True, False):
        folder = tmp_path / str(signed)
        async with (
            table() as (serving, game, tokens),
            link(serving, token=tokens["allied"], name="Anna", receipts=folder / "one") as mine,
            link(serving, token=tokens["axis"], name="Bert") as other,
        ):
            first = await sit(mine, game, "allied")
            await sit(other, game, "axis")
            assert await first.asked()
            shown, out = screen()
            newcomer = There(serving, tokens["allied"], folder / "two", "Carl")
            assert await online.device(newcomer, shown, game, "allied")  # type: ignore[arg-type]
            found = re.search(r"\b([0-9a-f]{64})\b", out.getvalue())
            assert found is not None
            if signed:
                assert not isinstance(
                    await first.hand_over("Carl", bytes.fromhex(found[1])), Refusal
                )
            assert await online.replace(
                There(serving, HOST_TOKEN), shown, game, "allied", "Carl", machine=False
            )  # type: ignore[arg-type]
            data, printed = screen()
            assert await online.replace(
                There(serving, HOST_TOKEN), data, game, "allied", "Carl", machine=True
            )  # type: ignore[arg-type]
            assert set(json.loads(printed.getvalue())) == {"game", "name", "seat", "token"}
            token = re.search(r"\"token\": \"(\S+)\"", printed.getvalue())
            assert token is not None
            async with link(serving, token=token[1], name="Carl", receipts=folder / "two") as third:
                with pytest.raises(CannotSit, match="--take-over"):
                    await sit(third, game, "allied")
                at = await sit(third, game, "allied", take_over=True)
                assert at.public.hex() == found[1]
                assert not isinstance(await command(at, "done"), Refusal)
                handed_over = at.watch.acting.seats["allied"].handed_over
                text = told(at, shown)

        assert bool(handed_over) is not signed
        assert ("the previous player has signed" in text) is signed
        assert ("no previous player of the seat has signed" in text) is not signed


async def test_a_bot_takes_over_a_seat(tmp_path: Path) -> None:
    """What the refusal advises, `bot` can do: with `--take-over` it plays on a seat that somebody
    else has played."""
    async with (
        table() as (serving, game, tokens),
        link(serving, token=tokens["allied"], receipts=tmp_path / "one") as mine,
        link(serving, token=tokens["axis"], name="Bert") as other,
    ):
        first = await sit(mine, game, "allied")
        axis = await sit(other, game, "axis")
        assert await first.asked()
        host, (shown, out) = There(serving, HOST_TOKEN), screen()
        assert await online.replace(host, shown, game, "allied", "Carl", machine=True)  # type: ignore[arg-type]
        token = json.loads(out.getvalue())["token"]
        where = There(serving, token, tmp_path / "two", "Carl")
        with pytest.raises(CannotSit, match="--take-over"):
            await online.bot(where, shown, game, "allied", "random", "1")  # type: ignore[arg-type]
        async with trio.open_nursery() as nursery:
            nursery.start_soon(
                partial(online.bot, where, shown, game, "allied", "random", "1", take_over=True)  # type: ignore[arg-type]
            )
            # The Allies deploy first: that it is the Axis's turn shows that the bot has played.
            assert await axis.asked()
            nursery.cancel_scope.cancel()


async def test_a_seat_that_signs_nothing_is_named(tmp_path: Path) -> None:
    """Where the host allows it a seat may be taken without a key: story, lobby and the players'
    screens say so."""
    async with server(titles={TITLE: title()}) as serving:
        shown, out = screen()
        host = There(serving, HOST_TOKEN)
        assert await online.new(
            host, shown, TITLE, {}, delay_s=0, machine=False, unsigned_seats=True
        )  # type: ignore[arg-type]
        game = re.findall(r"game (\S+)", out.getvalue())[0]
        tokens = dict(re.findall(r"seat (\S+) token (\S+)", out.getvalue()))
        async with (
            link(serving, token=tokens["allied"]) as mine,
            link(serving, token=tokens["axis"]) as other,
        ):
            allied = await sit(mine, game, "allied")
            axis = await sit(other, game, "axis", unsigned=True)
            assert await allied.asked()
            assert not isinstance(await command(allied, "done"), Refusal)
            assert axis.watch.fault is None
            assert allied.watch.seats["allied"].signs and not allied.watch.seats["axis"].signs
            for _ in range(2):  # before and after the code is known: nothing is said twice
                shown.about_table(allied.watch, "allied")
            assert await online.games(host, shown, "", machine=False)  # type: ignore[arg-type]
            text = told(allied, shown)

    assert re.search(r"Table code: [0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}\.", out.getvalue())
    assert (
        "Axis signs nothing in this game" in out.getvalue()
        and "signs nothing: Axis" in out.getvalue()
    )
    for once in ("The game is ", "Axis signs nothing in this game: ", "Table code: "):
        assert out.getvalue().count(once) == 1, once
    assert (
        "Axis has no key and signs nothing in this game." in text
        and "Allies has no key" not in text
    )


async def test_both_players_see_one_table_code_and_standing_answers_are_told(
    tmp_path: Path,
) -> None:
    """The code that players compare is the same for both and for a spectator; orders and what they
    answer stand in the story."""
    async with (
        table() as (serving, game, tokens),
        link(serving, token=tokens["allied"], receipts=tmp_path) as mine,
        link(serving, token=tokens["axis"]) as other,
        link(serving) as third,
    ):
        allied, axis = await sit(mine, game, "allied"), await sit(other, game, "axis")
        assert await allied.asked()
        watch = await third.watch(game)
        orders = (("prompt.war_at_sea.deploy", (("done",),), "turn"),)
        assert await allied.standing(orders) == orders
        with trio.fail_after(5):
            while not any(
                seen.record.kind == "command" and len(seen.record.body[4]) == 3
                for seen in allied.watch.seen
            ):
                if allied.is_asked and allied.watch.seen[-1].record.kind == "orders":
                    break
                await allied.watch.wait()
        shown, _ = screen()
        codes = {allied.watch.table_code, axis.watch.table_code, watch.table_code}

        assert len(codes) == 1 and "" not in codes
        assert "Allies changes its standing answers." in told(allied, shown)
    assert acts.ORDERS in {entry.act.kind for entry in read_journals(tmp_path)}


def test_a_newcomer_to_a_seat_that_signs_nothing_counts_on(tmp_path: Path) -> None:
    """Acts of such a seat share one row of numbers, whoever did them: the journal's next is above
    the log's newest, and above its own."""
    papers = Papers(tmp_path, "g1", b"\1" * 32, "a")
    numbers = [
        papers.sign(acts.ASK, b"\2" * 32, ("draw", 0), unsigned=True, above=above).act.n
        for above in (7, 0, 3)
    ]
    assert numbers == [8, 9, 10]
