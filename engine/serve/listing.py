"""Lists of games, as far as whoever asks may see them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Any, Final

from warledger.engine.kernel.position import ENDED, GATHERING, PLAYING
from warledger.engine.runtime.actor import Game
from warledger.engine.runtime.answers import Failed
from warledger.engine.runtime.profile import Progress
from warledger.engine.serve.boards import may_know_of
from warledger.engine.serve.hub import Hub
from warledger.engine.serve.peers import Listed
from warledger.engine.serve.scores import NOTHING, Told
from warledger.engine.serve.viewer import Viewer, sees_live, shown_to
from warledger.engine.store.cards import Cards
from warledger.protocol import canon, docket
from warledger.protocol.audience import PUBLIC
from warledger.protocol.choices import say
from warledger.protocol.clockcontrol import CLOCK
from warledger.protocol.records import TOURNAMENT

NOBODY: Final = Viewer()
"""A spectator."""


async def listed(hub: Hub, viewer: Viewer, after: str, most: int, stage: str) -> Listed:
    """Games of the whole server after this id, at most `most`; `stage` "" for all."""
    if hub.cards is not None:
        return await _listed_from_cards(hub, hub.cards, viewer, after, most, stage)
    shown, more = await listed_here(hub, viewer, after, most, stage)
    if hub.peers is None:
        return shown, more
    return joined([(shown, more), await hub.peers.games(viewer, after, most, stage)], most)


async def listed_here(hub: Hub, viewer: Viewer, after: str, most: int, stage: str) -> Listed:
    """The same for the games that this process keeps. What a finished game is told as is looked up,
    so that only those that can still change are read."""
    supervisor, finished = hub.supervisor, hub.finished
    health = supervisor.store.health()
    shut = {*health.damaged, *health.held}

    def asked() -> tuple[list[str], set[str]]:
        ids, over = supervisor.store.games(), finished.known() - shut
        left = ids[bisect_right(ids, after) :] if after else ids
        if stage not in ("", ENDED):
            left = [id for id in left if id not in over]
        return left, over

    ids, over = await supervisor.ambient.blocking(asked)
    rows: list[dict[str, Any] | str] = []
    games: list[Game] = []
    fresh: list[str] = []
    more = False
    for id in ids:
        if len(rows) >= most:
            more = True
            break
        if id in over:
            rows.append(id)
            continue
        game = await supervisor.game(id)
        if isinstance(game, Game) and not may_know_of(hub, viewer, game):
            continue
        told = told_of(id, game, viewer)
        wanted = not stage or told["stage"] == stage
        if isinstance(game, Game) and not game.quarantine and id not in shut:
            if game.shown.whole:
                fresh.append(id)
            if wanted or game.shown.whole:
                games.append(game)
        if wanted:
            rows.append(told)
    looked_for = [row for row in rows if isinstance(row, str)]
    scores = await scores_of(hub, viewer, games)
    # One whose score has not been read yet is told from its file once more.
    over_now = {game.id: game for game in games if game.id in fresh and game.id in scores}

    def looked_up() -> dict[str, Mapping[str, Any]]:
        if over_now:
            hub.scores.forget(over_now)
            kept = {
                id: canon.ordered({**told_of(id, game, viewer), **scores[id], "viewers": 0})
                for id, game in over_now.items()
            }
            finished.keep(kept)
        return finished.rows(looked_for) if looked_for else {}

    found = await supervisor.ambient.blocking(looked_up) if looked_for or over_now else {}
    shown: list[dict[str, Any]] = []
    for row in rows:
        if isinstance(row, dict):
            shown.append(canon.ordered({**row, **scores.get(str(row["game"]), {})}))
        elif row in found:
            watched = supervisor.games.get(row)
            kept = {**found[row], "viewers": 0 if watched is None else viewers_of(watched)}
            shown.append(canon.ordered(kept))
        else:
            # The file was lost between the two looks.
            shown.append(await scored(hub, row, await supervisor.game(row), viewer))
    return shown, more


async def _listed_from_cards(
    hub: Hub, cards: Cards, viewer: Viewer, after: str, most: int, stage: str
) -> Listed:
    """The same for all games of a fleet, as far as their cards tell. What is kept in memory here is
    told as it is now; a delayed game is read for those who may see more of it than its card."""
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
        late = card is not None and card.row["delay_s"] and not known.isdisjoint(("", id))
        if card is not None and not late and id not in supervisor.games:
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
    """How many follow a game as spectators, in this process."""
    return sum(len(channel.cursors) for (who, _), channel in game.channels.items() if who == PUBLIC)


def _round(game: Game) -> tuple[str, int] | None:
    """The tournament and round of which it is a game."""
    match game.profile.genesis.terms.get(TOURNAMENT):
        case (_, str(id), _, int(number), *_):
            return id, number
    return None


MINE_ENDED_MAX: Final = 50
"""How many games that have ended are in the list of one's own."""
ROWS_AT_ONCE: Final = 100


async def mine(hub: Hub, viewer: Viewer) -> list[dict[str, Any]]:
    """The games in which the viewer holds a seat: first those that wait for them, the one whose
    flag falls first at the top; then those in progress, those that gather, and the newest of those
    that have ended."""
    ids = list(dict.fromkeys(game for game, _ in viewer.digests))
    rows: list[dict[str, Any]] = []
    for at in range(0, len(ids), ROWS_AT_ONCE):
        part = ids[at : at + ROWS_AT_ONCE]
        rows += await (
            rows_here(hub, viewer, part) if hub.peers is None else hub.peers.rows(viewer, part)
        )
    rows.sort(key=_urgency)
    ended = [row["game"] for row in rows if row["stage"] == ENDED][MINE_ENDED_MAX:]
    return [row for row in rows if row["game"] not in ended]


def _urgency(row: dict[str, Any]) -> tuple[Any, ...]:
    asked = row["stage"] == PLAYING and not set(row["mine"]).isdisjoint(row["awaits"])
    stages = (PLAYING, GATHERING)
    stage = stages.index(row["stage"]) if row["stage"] in stages else len(stages)
    deadline = row["deadline_ms"] if asked else None
    return (not asked, stage, deadline is None, deadline or 0, -row["created_ms"], row["game"])


async def rows_here(hub: Hub, viewer: Viewer, ids: Sequence[str]) -> list[dict[str, Any]]:
    """Those of these games that this process keeps and in which the viewer holds a seat."""
    rows = []
    for id in ids:
        game = await hub.supervisor.game(id)
        if isinstance(game, Game):
            held = tuple(seat for seat in game.profile.genesis.seats if viewer.holds(game, seat))
            if held:
                told = await scored(hub, id, game, viewer)
                rows.append(canon.ordered({**told, "mine": held}))
    return rows


def joined(pages: list[Listed], most: int) -> Listed:
    """The pages of several processes as one. Each goes as far as its own end, or as `most`; what
    comes after the end of the shortest one waits for the next page."""
    ends = [shown[-1]["game"] for shown, more in pages if more and shown]
    rows = sorted((row for shown, _ in pages for row in shown), key=lambda row: str(row["game"]))
    within = [row for row in rows if not ends or row["game"] <= min(ends)]
    return within[:most], bool(ends) or len(within) > most


def _claims(progress: Progress) -> tuple[tuple[Any, ...], ...]:
    """The claims that are still to be ruled on: [number, who claims, record, who hears it]."""
    if progress.stage != PLAYING:
        return ()
    return tuple(
        [
            (case.n, case.claimant, case.at_seq, case.arbiter)
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
            "delay_s": game.profile.delay_s,
            "delay_turns": game.profile.delay_turns,
            "clock": game.profile.genesis.terms.get(CLOCK) if game.profile.genesis.signed else None,
            "deadline_ms": game.deadline_ms if live else None,
            **NOTHING,
            "round": _round(game),
            "viewers": viewers_of(game),
            "format": game.profile.genesis.format,
            "unsigned": progress.unsigned
            if game.profile.genesis.signed
            else tuple(seat for seat, _ in progress.holders),
        }
    )
