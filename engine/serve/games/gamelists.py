"""Lists of games, as far as whoever asks may see them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from attrs import define

from warledger.engine.kernel.change import replace
from warledger.engine.kernel.position import ENDED, GATHERING, PLAYING
from warledger.engine.runtime.game.actor import Game
from warledger.engine.runtime.game.answers import Failed
from warledger.engine.runtime.profile import Progress
from warledger.engine.serve.games.delayedboards import is_announced, may_know_of, round_of
from warledger.engine.serve.games.lobbyindex import Row
from warledger.engine.serve.games.scores import NOTHING, Told
from warledger.engine.serve.hub import Hub
from warledger.engine.serve.wire.viewer import Viewer, sees_live, shown_to
from warledger.engine.store.fleet.cards import Cards
from warledger.protocol import canon
from warledger.protocol.audience import PUBLIC
from warledger.protocol.board.choices import say
from warledger.protocol.clocks.clockcontrol import CLOCK
from warledger.protocol.log import docket
from warledger.protocol.log.records import called

Listed = tuple[list[dict[str, Any]], bool]
"""Games in order of their ids, each in the form of `told_of`; and whether there are more."""

NOBODY: Final = Viewer()
"""A spectator."""


async def listed(hub: Hub, viewer: Viewer, after: str, most: int, stage: str) -> Listed:
    """Games of the whole server after this id, at most `most`; `stage` "" for all. Of those that
    nobody uses the rows are looked up; only those in memory, and those whose row does not count,
    are asked."""
    if hub.cards is not None:
        return await _listed_from_cards(hub, hub.cards, viewer, after, most, stage)
    supervisor, store = hub.supervisor, hub.supervisor.store
    health = store.health()
    shut = {*health.damaged, *health.held}
    losses = hub.rows.losses
    waiting = {*await _doubtful(hub), *shut, *supervisor.games}
    told: dict[str, dict[str, Any]] = {}
    games: list[Game] = []
    unknown: list[Game] = []
    more = False
    begin = after
    while not more:
        found, end = await supervisor.ambient.blocking(
            partial(hub.rows.page, store, stage, begin, most + 1)
        )
        if hub.rows.losses != losses:  # there are no rows of those that seemed to have some
            waiting.update(store.games())
        kept = {
            id: row.told
            for id, row in found.items()
            if row is not None and id not in waiting and _is_for(hub, viewer, row)
        }
        waiting.update(found.keys() - kept.keys())
        for id in sorted({*kept, *[id for id in waiting if begin < id and (id <= end or not end)]}):
            if len(told) >= most:
                more = True
                break
            if id in kept:
                told[id] = _now(hub, id, kept[id])
                continue
            known = id in supervisor.games
            game = await supervisor.game(id)
            if isinstance(game, Game):
                if not may_know_of(hub, viewer, game):
                    continue
                sound = not game.quarantine and id not in shut
                if sound and not known:
                    unknown.append(game)
                if stage and (game.quarantine or shown_to(viewer, game).stage != stage):
                    continue
                if sound:
                    games.append(game)
            elif stage:
                continue
            told[id] = told_of(id, game, viewer)
        if not end:
            break
        begin = end
    scores = await scores_of(hub, viewer, games)
    unknown += [game for game in games if game.shown.whole]
    await keep(hub, unknown)
    return [
        canon.ordered({**row, **scores[id]}) if id in scores else row for id, row in told.items()
    ], more


async def _doubtful(hub: Hub) -> set[str]:
    """The games of which there is no row that counts. Where other servers change games, too, that
    is every game that is not over."""
    rows, store = hub.rows, hub.supervisor.store

    def look() -> set[str]:
        if hub.supervisor.fleet is not None:
            return set(store.games()) - rows.over()
        return rows.doubtful(store)

    return await hub.supervisor.ambient.blocking(look)


def _is_for(hub: Hub, viewer: Viewer, row: Row) -> bool:
    """Whether a row tells this viewer all that they may know."""
    told = row.told
    if not told["delay_s"]:
        return not told["delay_turns"] or viewer is NOBODY or row.stage == ENDED
    return (viewer is NOBODY or row.stage == ENDED) and is_announced(
        hub, told["delay_s"], told["created_ms"], told["round"]
    )


def _now(hub: Hub, id: str, told: Mapping[str, Any]) -> dict[str, Any]:
    """A row that was kept, with what is not in its game's file: when a flag falls, as the calendar
    has it."""
    runs = told["clock"] is not None and told["stage"] == PLAYING and not told["held_ms"]
    falls_ms = hub.supervisor.calendar.next_of(id) if runs and not told["delay_s"] else None
    return canon.ordered({**told, "deadline_ms": falls_ms, "viewers": 0})


async def keep(hub: Hub, games: Sequence[Game]) -> None:
    """Keep the rows of those of these games of which spectators may see everything."""
    supervisor, rows, store = hub.supervisor, hub.rows, hub.supervisor.store
    if not games:
        return
    shared = supervisor.fleet is not None

    def still(game: Game) -> bool:
        return (
            not game.quarantine
            and not game.is_busy
            and game.shown.seq == game.profile.progress.seq
            and (game.shown.whole if game.shown.stage == ENDED else not shared)
        )

    ids = [game.id for game in games]
    counting = await supervisor.ambient.blocking(partial(rows.counting, store, ids))
    made = {
        game.id: Row(told_of(game.id, game), store.length(game.id), game.profile.keeps_time)
        for game in games
        if game.id not in counting and still(game)
    }
    scores = await scores_of(hub, NOBODY, [game for game in games if game.id in made])

    def write() -> None:
        kept = {
            id: replace(row, told=canon.ordered({**row.told, **scores[id], "viewers": 0}))
            for id, row in made.items()
            if id in scores
        }
        hub.scores.forget(id for id, row in kept.items() if row.stage == ENDED)
        rows.keep(store, kept)

    if made:
        await supervisor.ambient.blocking(write)


@define(eq=False)
class Resting:
    """The rows of lists, as the supervisor uses them."""

    hub: Hub

    def quiet(self) -> set[str]:
        """The games in which nothing happens unless somebody does something."""
        return self.hub.rows.quiet(self.hub.supervisor.store)

    def doubt(self, games: Sequence[Game]) -> None:
        """These games are in memory no more."""
        self.hub.rows.doubt([game.id for game in games])

    async def keep(self, games: Sequence[Game]) -> None:
        """Keep their rows."""
        await keep(self.hub, games)


async def _listed_from_cards(
    hub: Hub, cards: Cards, viewer: Viewer, after: str, most: int, stage: str
) -> Listed:
    """The list of all games of a fleet, as far as their cards tell. What is kept in memory here is
    told as it is now. A delayed game is read for those who may see more of it than its card."""
    supervisor = hub.supervisor
    known = {game for _, game, _ in viewer.roles}
    ids = cards.ids(stage)
    # Those whose cards are on their way, or that not everybody may know of.
    others = supervisor.store.games() if known else supervisor.games
    if left := [id for id in others if id not in cards]:
        ids = sorted({*ids, *left})
    rows: list[dict[str, Any]] = []
    games: list[Game] = []
    more = False
    for id in ids[bisect_right(ids, after) :] if after else ids:
        if len(rows) >= most:
            more = True
            break
        card = cards.of(id)
        late = (
            card is not None
            and card.row["delay_s"]
            and not card.archived
            and not known.isdisjoint(("", id))
        )
        if card is not None and not late and (card.archived or id not in supervisor.games):
            if not stage or card.row["stage"] == stage:
                rows.append(dict(card.row))
            continue
        game = await supervisor.game(id)
        if isinstance(game, Game):
            if not may_know_of(hub, viewer, game):
                continue
            if card is None and not supervisor.keeps(id) and not sees_live(viewer, game):
                continue
        told = told_of(id, game, viewer)
        if stage and told["stage"] != stage:
            continue
        rows.append(told)
        if isinstance(game, Game) and not game.quarantine:
            games.append(game)
    scores = await scores_of(hub, viewer, games)
    return [canon.ordered({**row, **scores.get(str(row["game"]), {})}) for row in rows], more


async def scored(hub: Hub, id: str, game: Game | Failed, viewer: Viewer) -> dict[str, Any]:
    """A game as a row of a list, with the turn and the score."""
    told = told_of(id, game, viewer)
    if not isinstance(game, Game) or game.quarantine:
        return told
    return canon.ordered({**told, **(await scores_of(hub, viewer, [game])).get(id, {})})


async def scores_of(hub: Hub, viewer: Viewer, games: Sequence[Game]) -> dict[str, Told]:
    """Where these games stand as far as the viewer may see."""
    if not games:
        return {}
    wanted = [(game, shown_to(viewer, game).seq) for game in games]
    supervisor = hub.supervisor
    found: dict[str, Told] = await supervisor.ambient.blocking(
        lambda: hub.scores.of(supervisor.store, hub.titles, wanted)
    )
    return found


def viewers_of(game: Game) -> int:
    """How many follow a game as spectators here."""
    return sum(len(channel.cursors) for (who, _), channel in game.channels.items() if who == PUBLIC)


MINE_ENDED_MAX: Final = 50
"""How many games that have ended are in the list of one's own."""
ROWS_AT_ONCE: Final = 100


async def mine(hub: Hub, viewer: Viewer) -> list[dict[str, Any]]:
    """The games in which the viewer holds a seat. First are those that wait for them, by when their
    flags fall. Then come those in progress, those that gather, and the newest of those that have
    ended."""
    ids = list(dict.fromkeys(game for game, _ in viewer.digests))
    rows: list[dict[str, Any]] = []
    for at in range(0, len(ids), ROWS_AT_ONCE):
        part = ids[at : at + ROWS_AT_ONCE]
        rows += await rows_held(hub, viewer, part)
    rows.sort(key=_urgency)
    ended = [row["game"] for row in rows if row["stage"] == ENDED][MINE_ENDED_MAX:]
    return [row for row in rows if row["game"] not in ended]


def _urgency(row: dict[str, Any]) -> tuple[Any, ...]:
    asked = row["stage"] == PLAYING and not set(row["mine"]).isdisjoint(row["awaits"])
    stages = (PLAYING, GATHERING)
    stage = stages.index(row["stage"]) if row["stage"] in stages else len(stages)
    deadline = row["deadline_ms"] if asked else None
    return (not asked, stage, deadline is None, deadline or 0, -row["created_ms"], row["game"])


async def rows_held(hub: Hub, viewer: Viewer, ids: Sequence[str]) -> list[dict[str, Any]]:
    """Those of these games in which the viewer holds a seat."""
    rows = []
    for id in ids:
        game = await hub.supervisor.game(id)
        if isinstance(game, Game):
            held = tuple(seat for seat in game.profile.genesis.seats if viewer.holds(game, seat))
            if held:
                told = await scored(hub, id, game, viewer)
                rows.append(canon.ordered({**told, "mine": held}))
    return rows


def _claims(progress: Progress) -> tuple[tuple[Any, ...], ...]:
    """The claims that are still to be ruled on: [number, who claims, record, who hears it]."""
    if progress.stage != PLAYING:
        return ()
    return tuple(
        [
            (case.n, called(case.claimant), case.at_seq, called(case.arbiter))
            for case in progress.docket.cases
            if case.open and (case.n or case.frozen)
        ]
    )


def told_of(id: str, game: Game | Failed, viewer: Viewer = NOBODY) -> dict[str, Any]:
    """A game as a row of a list, as far as the viewer may see."""
    if isinstance(game, Failed):
        return canon.ordered(
            {"game": id, "title": "", "stage": "quarantined", "reason": game.say.as_array()}
        )
    progress = shown_to(viewer, game)
    # In a delayed game a deadline, and that it is gone again, would tell when somebody acted.
    live = not game.profile.is_late or sees_live(viewer, game)
    reason = progress.reason.as_array() if progress.reason is not None else None
    if game.quarantine:
        reason = say("error.quarantined", game=id).as_array()
    return canon.ordered(
        {
            "game": id,
            "title": game.profile.genesis.title,
            "version": game.profile.genesis.version,
            "stage": "quarantined" if game.quarantine else progress.stage,
            "seq": progress.seq,
            "seats": progress.holders,
            "awaits": () if progress.docket.frozen else progress.awaits,
            "frozen": progress.docket.frozen,
            "claims": _claims(progress),
            "held_ms": docket.held_until(game.profile.desk, progress.docket)
            if progress.stage == PLAYING
            else 0,
            "winner": progress.winner,
            "reason": reason,
            "at_ms": progress.at_ms,
            "created_ms": game.profile.created_ms,
            "delay_s": game.profile.genesis.delay_s,
            "delay_turns": game.profile.genesis.delay_turns,
            "clock": game.profile.genesis.terms.get(CLOCK),
            "deadline_ms": game.deadline_ms if live else None,
            **NOTHING,
            "round": round_of(game),
            "viewers": viewers_of(game),
            "unsigned": progress.unsigned,
        }
    )
