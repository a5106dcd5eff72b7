"""Luck in all games of a server that are over, of everybody or of one player.

Rules of this file:
- A game counts once it is in the list of ended games that a spectator is shown, and nothing in it
  is hidden any more. Of a delayed game nothing is told before.
- A game is read once, and what counts of it is kept in memory: it does not change any more. A
  question reads for about a second; whoever asks again has more games counted, until all are.
- Games of different titles are not added up, except for the histograms: their sides and what their
  combats are counted in have nothing in common.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final

import trio
from attrs import define, field, frozen

from warledger.engine.runtime import titles
from warledger.engine.runtime.game import live as live_games
from warledger.engine.serve.games.gamelists import NOBODY, listed
from warledger.engine.serve.hub import Hub
from warledger.engine.serve.wire.ratelimits import Bill
from warledger.engine.store.port import StoreError
from warledger.protocol import canon, fortune, luck
from warledger.protocol.board import description
from warledger.protocol.fortune import Fought
from warledger.protocol.log import records
from warledger.protocol.log.bodies import closes_log
from warledger.protocol.log.records import Genesis
from warledger.protocol.luck import Tally

GAMES_MAX: Final = 5000
"""The newest games that are counted: what is kept of one takes some kilobytes."""
COUNT_SECONDS: Final = 1.0
"""Seconds of reading games for one question; a game that has begun is read to its end."""
LIST_SECONDS: Final = 10.0
"""Seconds for which the list of games is kept."""
_PAGE: Final = 1000


@frozen
class Counted:
    """What counts of one game.

    dice     each seat's, added up
    faces    how often each face showed, by seat and sides
    combats  each seat's, added up, by seat and unit
    lucky    each seat's luckiest
    """

    title: str
    dice: Mapping[str, Tally]
    faces: Mapping[tuple[str, int], tuple[int, ...]]
    combats: Mapping[tuple[str, str], Tally]
    lucky: tuple[Fought, ...]


@frozen
class Over:
    """A game that is over: its newest record, its players by seat, and when it ended."""

    game: str
    seq: int
    players: Mapping[str, str]
    at_ms: int


@define(eq=False)
class Fortunes:
    """What has been counted so far. `version` is another one when there is more."""

    version: int = 0
    _counted: dict[tuple[str, int], Counted | None] = field(factory=dict)
    _over: tuple[float, tuple[Over, ...]] | None = None
    _lock: trio.Lock = field(factory=trio.Lock)

    async def look(self, hub: Hub, bill: Bill) -> tuple[Over, ...]:
        """The games that are over, the newest first; some of those not yet counted are counted, and
        charged to the bill."""
        if self._lock.locked():  # somebody is counting: what they find is told
            async with self._lock:
                return self._over[1] if self._over is not None else ()
        async with self._lock:
            now = trio.current_time()
            if self._over is None or now - self._over[0] >= LIST_SECONDS:
                self._over = (now, await _over(hub))
            over = self._over[1]
            left = [one for one in over if (one.game, one.seq) not in self._counted]
            if left:
                found = await bill.made(hub.supervisor.ambient, partial(_count, hub, left))
                known = {(one.game, one.seq) for one in over}
                kept = {key: made for key, made in self._counted.items() if key in known}
                self._counted = {**kept, **found}
                self.version += 1
            return over

    def told(self, over: Sequence[Over], player: str) -> dict[str, Any]:
        """The answer as plain values for JSON; of everybody for the player "".

        games    how many there are
        counted  how many of them are counted so far
        """
        counted = self._counted
        mine = [one for one in over if not player or player in one.players.values()]
        done = [one for one in mine if (one.game, one.seq) in counted]
        found: dict[str, list[tuple[Over, Counted]]] = {}
        for one in done:
            made = counted[one.game, one.seq]
            if made is not None:
                found.setdefault(made.title, []).append((one, made))

        def counts(one: Over, seat: str) -> bool:
            return not player or one.players.get(seat) == player

        by_sides: dict[int, Counter[int]] = {}
        for one, made in (pair for pairs in found.values() for pair in pairs):
            for (seat, sides), shown in made.faces.items():
                if counts(one, seat):
                    by_sides.setdefault(sides, Counter()).update(dict(enumerate(shown)))
        return {
            "player": player,
            "games": len(mine),
            "counted": len(done),
            "titles": [_title(title, pairs, counts) for title, pairs in sorted(found.items())],
            "histograms": luck.histograms_data(
                luck.histogram([faces[face] for face in range(sides)])
                for sides, faces in sorted(by_sides.items())
            ),
        }


def _title(
    title: str, pairs: Sequence[tuple[Over, Counted]], counts: Callable[[Over, str], bool]
) -> dict[str, Any]:
    dice: dict[str, list[Tally]] = {}
    combats: dict[tuple[str, str], list[Tally]] = {}
    lucky: list[tuple[str, Fought]] = []
    for one, made in pairs:
        for seat, tally in made.dice.items():
            if counts(one, seat):
                dice.setdefault(seat, []).append(tally)
        for (seat, unit), tally in made.combats.items():
            if counts(one, seat):
                combats.setdefault((seat, unit), []).append(tally)
        lucky += [(one.game, fought) for fought in made.lucky if counts(one, fought.seat)]
    lucky.sort(key=lambda one: (-one[1].tally.surplus, one[0], one[1].seq, one[1].seat))
    return {
        "title": title,
        "games": len(pairs),
        "dice": [
            {"seat": seat, **luck.tally_data(fortune.together(tallies))}
            for seat, tallies in sorted(dice.items())
        ],
        "combats": [
            {"seat": seat, "unit": unit, **fortune.numbers(fortune.together(tallies))}
            for (seat, unit), tallies in sorted(combats.items())
        ],
        "luckiest": [
            {"game": game, **fortune.fought_data(fought)}
            for game, fought in lucky[: fortune.LUCKIEST]
        ],
    }


async def _over(hub: Hub) -> tuple[Over, ...]:
    """The newest games that a spectator sees to be over."""
    found: list[Over] = []
    after, more = "", True
    while more:
        rows, more = await listed(hub, NOBODY, after, _PAGE, "ended")
        found += [
            Over(row["game"], row["seq"], dict(row["seats"]), row["at_ms"] or row["created_ms"])
            for row in rows
        ]
        after = rows[-1]["game"] if rows else ""
        more = more and bool(rows)
    found.sort(key=lambda one: (-one.at_ms, one.game))
    return tuple(found[:GAMES_MAX])


def _count(hub: Hub, left: Iterable[Over]) -> dict[tuple[str, int], Counted | None]:
    """Count games for about COUNT_SECONDS; it blocks."""
    began = time.thread_time()
    found: dict[tuple[str, int], Counted | None] = {}
    for one in left:
        try:
            found[one.game, one.seq] = _of_game(hub, one)
        except (StoreError, ValueError, TypeError, LookupError) as error:
            hub.log.error("luck not counted", game=one.game, what=type(error).__name__)
            found[one.game, one.seq] = None
        if time.thread_time() - began >= COUNT_SECONDS:
            break
    return found


def _of_game(hub: Hub, one: Over) -> Counted | None:
    """None if something in it is still hidden."""
    payloads, _ = live_games.split(hub.supervisor.store.read(one.game))
    log = [records.read(payload, trusted=True) for payload in payloads[: one.seq + 1]]
    if not closes_log(log[-1]):
        return None
    genesis = Genesis.from_record(log[0])
    known = hub.titles.get(genesis.title)
    pack = canon.unpack_trusted(genesis.pack)
    rules = None if known is None else known.rules
    told = description.read(titles.description(rules, pack, genesis.options))
    thrown = luck.throws(log)
    faces: dict[tuple[str, int], list[int]] = {}
    for die in thrown:
        faces.setdefault((die.seat, die.sides), [0] * die.sides)[die.face - 1] += 1
    seats = {die.seat for die in thrown}
    fought = fortune.of_log(told, log)
    return Counted(
        genesis.title,
        {seat: luck.tally([die for die in thrown if die.seat == seat]) for seat in sorted(seats)},
        {key: tuple(shown) for key, shown in faces.items()},
        fortune.by_seat(fought),
        tuple(
            lucky
            for seat in sorted({each.seat for each in fought})
            for lucky in fortune.luckiest([each for each in fought if each.seat == seat])
        ),
    )
