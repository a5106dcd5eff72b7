"""The turn and the score in lists of games."""

from __future__ import annotations

import random
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from tests.serve.rig import Server, server, started
from tests.toys import counting
from warledger.engine.kernel.change import replace
from warledger.engine.runtime.game import live
from warledger.engine.runtime.titles import Title
from warledger.engine.serve.games import gamelists
from warledger.engine.serve.games.lobbyindex import Rows
from warledger.engine.serve.games.scores import CONTROL, Counter, Scores, _folded, _telling
from warledger.engine.serve.wire.viewer import Viewer
from warledger.protocol.board.description import Description, Place, Track, tallied
from warledger.protocol.board.effects import Board, BoardHistory, mark, track
from warledger.protocol.board.scoring import Scoring, Tally
from warledger.protocol.log import records
from warledger.protocol.log.bodies import effects_of
from warledger.protocol.wire import messages as m

SCORING = Scoring("each", "", (Tally("a", "score_a"), Tally("b", "score_b")))


class Counted(type(counting.RULES)):  # type: ignore[misc]
    """The counting game, whose description says how it is scored."""

    def describe(self, pack: Any, options: Any) -> Description:
        told = super().describe(pack, options)
        return replace(told, scoring=SCORING, tracks=(Track("turn", 1, 10), *told.tracks[1:]))


TITLES = {"counting": Title(Counted(), counting.PACK, bytes(32))}


def folded(up: Server, game: str, seq: int) -> tuple[Any, dict[str, int]]:
    """The turn and the score after a record, from the whole log."""
    payloads, _ = live.split(up.hub.supervisor.store.read(game))
    history = BoardHistory()
    for payload in payloads[: seq + 1]:
        record = records.read(payload, trusted=True)
        history.fold(record.seq, effects_of(record))
    told = TITLES["counting"].rules.describe(counting.PACK, {"turns": 50})
    return history.now.tracks.get("turn"), tallied(told, history.now)


@pytest.mark.parametrize("delay_s", [0, 60])
async def test_a_list_tells_turn_and_score_as_far_as_its_reader_sees(
    delay_s: int, autojump_clock: MockClock
) -> None:
    """After commands and takebacks, and whether a list is read at once or later; in a
    delayed game spectators are told the score of the record that they see, and whoever has a seat
    that of the newest. The kept row of a finished game has it too."""
    seed = 7
    rng = random.Random(seed)
    async with server(titles=TITLES) as up:
        up.hub.rows = Rows()
        game, _, both = await started(up, delay_s=delay_s, turns=10)
        checked = 0
        while (await told(up))["stage"] != "ended":
            await trio.sleep(rng.choice((1, 30, 100)))
            seat = rng.choice("ab")
            before = (await both.ask(m.Head, game)).head.seq
            answer = await both.submit(game, seat, "add", rng.randint(1, 6))
            if type(answer) is m.Accepted and rng.random() < 0.3:
                await both.ask_for(game, seat, "takeback", before)
            if rng.random() < 0.5:
                continue
            row = await told(up)
            turn, score = folded(up, game, row["seq"])
            assert row["turn"] == (None if turn is None else (turn, 10)), seed
            assert dict(row["score"]["points"]) == score, seed
            held = up.hub.supervisor.games[game]
            viewer = Viewer(digests={(game, "a"): held.profile.tokens["a"]})
            (own,) = await gamelists.rows_held(up.hub, viewer, [game])
            assert own["seq"] == held.profile.progress.seq
            assert dict(own["score"]["points"]) == folded(up, game, own["seq"])[1], seed
            checked += 1
        assert checked > 5
        await trio.sleep(100)
        last = await told(up)
        assert up.hub.rows.over() == {game}
        assert dict(last["score"]["points"]) == folded(up, game, last["seq"])[1]
        assert await told(up) == last


async def told(up: Server) -> dict[str, Any]:
    (row,), _ = await gamelists.listed(up.hub, gamelists.NOBODY, "", 10, "")
    return row


async def test_a_list_reads_so_much_and_the_rest_later(autojump_clock: MockClock) -> None:
    """What a list does not come to is told without a score, by a later one with it; viewers are
    those who follow as spectators."""
    async with server(titles=TITLES) as up:
        ids = [(await started(up))[0] for _ in range(3)]
        games = [up.hub.supervisor.games[id] for id in ids]
        wanted = [(game, game.shown.seq) for game in games]
        scores, store = Scores(), up.hub.supervisor.store
        for known in (1, 2, 3, 3):
            found = scores.of(store, TITLES, wanted, most=3)
            assert list(found) == ids[:known]
        watching = await up.client()
        assert type(await watching.ask(m.Subscribe, ids[0], -1, "public")) is m.Subscribed
        rows, _ = await gamelists.listed(up.hub, gamelists.NOBODY, "", 10, "")
        assert [row["viewers"] for row in rows] == [int(row["game"] == ids[0]) for row in rows]
        assert all(row["score"] and row["round"] is None for row in rows)


def test_control_of_places_counts_as_on_the_page() -> None:
    """Marks of control are counted as `tallied` counts them on the whole board, at every record."""
    places = tuple(Place(f"p{n}", (n, 0), terrain="clear") for n in range(4))
    told = Description(
        "list",
        sides=("a", "b"),
        places=places,
        scoring=Scoring("lead", "", (Tally("a", places=((0, 3), (2, 1)), lacking=((3, 2),)),)),
    )
    counter = Counter.of(told)
    seed = 3
    rng = random.Random(seed)
    board = Board()
    for seq in range(200):
        effect = rng.choice(
            (
                mark(f"p{rng.randrange(4)}", CONTROL + rng.choice("ab"), rng.randrange(2)),
                mark(f"p{rng.randrange(4)}", "front", rng.randrange(2)),
                track("turn", seq),
                track("other", seq),
            )
        )
        board.apply(effect)
        light = _folded([(seq, (effect,))] if counter.counts(effect) else [], board.copy())
        assert dict(counter.shown(light)["score"]["points"]) == tallied(told, board), seed
    assert _telling(counter, [b"nothing of it"]) == []
