"""What an arbiter or a host should see to: what `warledger desk` lists."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from attrs import asdict, frozen

from warledger.clients.clockface import face
from warledger.clients.commands.online import Where, as_json
from warledger.clients.terminal.screen import Screen
from warledger.protocol.phrases import Phrases

FROZEN, UNHEARD, HEARD, HELD, DEADLINE, QUIET, BROKEN = (
    *("frozen", "claim", "heard", "held", "deadline", "quiet", "broken"),
)
"""What there may be to see to, the most urgent first: a game that nobody can play on in, a claim
that nobody hears, one that somebody does, an end that is held, a flag that falls soon, a game in
which nothing has happened for long, one that the server has closed."""
_ORDER = (FROZEN, UNHEARD, HEARD, HELD, DEADLINE, QUIET, BROKEN)

Row = Mapping[str, Any]


@frozen
class Matter:
    """One thing to see to in a game. `ms` is the moment by which: when a flag falls, until when an
    end is held, since when nothing has happened; 0 where there is none."""

    kind: str
    game: str
    title: str
    claim: int = 0
    record: int = 0
    who: str = ""
    ms: int = 0

    @property
    def urgency(self) -> tuple[Any, ...]:
        """Sorts a queue."""
        return (_ORDER.index(self.kind), self.ms, self.game, self.claim)


def may_see(roles: Iterable[tuple[str, str, str]], game: str) -> bool:
    """Whether somebody with these roles rules on the game, or has opened it."""
    return any(
        (role == "arbiter" and of in ("", game)) or (role == "host" and of in ("", game))
        for role, of, _ in roles
    )


def matters(rows: Iterable[Row], now_ms: int, within_ms: int, quiet_ms: int) -> list[Matter]:
    """What there is to see to, the most urgent first: flags that fall within `within_ms`, and games
    in which nothing has happened for `quiet_ms`, among it."""
    found = [one for row in rows for one in _of(row, now_ms, within_ms, quiet_ms)]
    return sorted(found, key=lambda one: one.urgency)


def _of(row: Row, now_ms: int, within_ms: int, quiet_ms: int) -> Iterator[Matter]:
    game, title = str(row["game"]), str(row.get("title", ""))
    if row["stage"] == "quarantined":
        yield Matter(BROKEN, game, title)
    if row["stage"] != "playing":
        return
    frozen_for = tuple(row.get("frozen") or ())
    for claim in frozen_for:
        yield Matter(FROZEN, game, title, claim)
    for n, who, record, arbiter in row.get("claims") or ():
        yield Matter(HEARD if arbiter else UNHEARD, game, title, n, record, arbiter or who)
    if row.get("held_ms"):
        yield Matter(HELD, game, title, ms=row["held_ms"])
    deadline = row.get("deadline_ms")
    if deadline is not None and deadline - now_ms <= within_ms:
        yield Matter(DEADLINE, game, title, who=" ".join(row.get("awaits") or ()), ms=deadline)
    last = row.get("at_ms") or now_ms
    if not frozen_for and deadline is None and now_ms - last >= quiet_ms:
        yield Matter(QUIET, game, title, who=" ".join(row.get("awaits") or ()), ms=last)


async def desk(
    where: Where, screen: Screen, *, within_ms: int, quiet_ms: int, machine: bool
) -> bool:
    """List what the games of whoever asks need an arbiter or a host for."""
    async with where.link() as link:
        seen = [row for row in await link.games() if may_see(link.roles, str(row["game"]))]
        if not seen and not any(role in ("arbiter", "host") for role, _, _ in link.roles):
            screen.say("cli.desk.nobody")
            return False
        now_ms = await link.ping()
    found = matters(seen, now_ms, within_ms, quiet_ms)
    if machine:
        screen.data(as_json([asdict(one) for one in found]))
        return True
    if not found:
        screen.say("cli.desk.none")
    for one in found:
        screen.of_title(one.title)
        screen.write(told(one, now_ms, screen.spoken))
    return True


def told(one: Matter, now_ms: int, spoken: Phrases) -> str:
    """A matter in words."""
    named: dict[str, Any] = {"game": one.game}
    match one.kind:
        case "frozen":
            named |= {"claim": one.claim}
        case "claim" | "heard":
            named |= {"claim": one.claim, "seq": one.record, "who": one.who}
        case "held":
            named |= {"left": face(one.ms - now_ms, spoken)}
        case "deadline":
            named |= {"left": face(one.ms - now_ms, spoken), "who": one.who}
        case "quiet":
            named |= {"left": face(now_ms - one.ms, spoken), "who": one.who}
    return spoken.text(f"cli.desk.{one.kind}", **named)
