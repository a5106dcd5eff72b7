"""What an arbiter, a host or a tournament's director should see to: what `warledger desk` lists."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from attrs import asdict, frozen

from warledger.clients.clockface import face
from warledger.clients.commands.play.online import Where, as_json
from warledger.clients.commands.tournament.lines import LETTERS
from warledger.clients.link import Link, ServerError
from warledger.clients.link.tournament import TournamentLink, tournaments
from warledger.clients.terminal.screen import Screen
from warledger.protocol.texts.phrases import Phrases
from warledger.protocol.tournaments import ARBITER, DIRECTOR, role_of

FROZEN, UNHEARD, HEARD, HELD, DEADLINE, QUIET, BROKEN = (
    *("frozen", "claim", "heard", "held", "deadline", "quiet", "broken"),
)
PROTEST, ABSENT, COMING, SIDES = "protest", "absent", "coming", "sides"
_ORDER = (*(FROZEN, UNHEARD, PROTEST, ABSENT, HEARD, HELD, DEADLINE, COMING, SIDES, QUIET, BROKEN),)
"""What there may be to see to, the most urgent first. A game that nobody can play on in, an unheard
claim, one in a tournament without a ruling. Then a board to which somebody has not come in time, a
claim that is heard, a held end, a flag that falls soon. Then a board to which somebody has little
time left to come, and one whose sides must be settled soon. Last a game in which nothing has
happened for long, and one that the server has closed."""

Row = Mapping[str, Any]


@frozen
class Matter:
    """One thing to see to in a game, or at a board of a tournament, or in a tournament (then there
    is no game). `ms` is the moment by which: when a flag falls, until when an end is held, since
    when nothing has happened, when an absentee loses; 0 for none."""

    kind: str
    game: str
    title: str
    claim: int = 0
    record: int = 0
    who: str = ""
    ms: int = 0
    tournament: str = ""
    round: int = 0
    board: int = 0

    @property
    def urgency(self) -> tuple[Any, ...]:
        """Sorts a queue."""
        return (
            *(_ORDER.index(self.kind), self.ms, self.game, self.claim),
            *(self.tournament, self.round, self.board),
        )


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


def matters_of_cup(
    id: str, cup: Row, games: Mapping[str, Row], now_ms: int, within_ms: int
) -> list[Matter]:
    """What there is to see to in a tournament beside its games, in no order: claims on which nobody
    has ruled, and who of its newest round has not come to their board, or has less than `within_ms`
    for it. So are sides that are to be settled within that time. `games` are the rows of its
    games."""
    title = str(cup["title"])
    found = [
        Matter(PROTEST, "", title, one["claim"], who=_named(cup, one["who"]), tournament=id)
        for one in cup["claims"]
        if not one["finding"]
    ]
    for round in cup["rounds"][-1:]:
        for board in round["boards"]:
            if board["results"]:
                continue
            where: dict[str, Any] = {
                "tournament": id,
                "round": round["round"],
                "board": board["board"],
            }
            game = str(board["game"])
            sides = board["sides_until_ms"]
            if sides is not None and sides - now_ms <= within_ms:
                found.append(Matter(SIDES, game, round["title"], ms=sides, **where))
            row, until = games.get(game), round["no_show_ms"]
            if row is None or row["stage"] != "gathering" or until - now_ms > within_ms:
                continue
            empty = {seat for seat, player in row["seats"] if not player}
            missing = [
                _named(cup, f"e:{number}")
                for seat, number in zip(round["seats"], board["entrants"], strict=True)
                if seat in empty
            ]
            kind = COMING if until > now_ms else ABSENT
            if missing:
                who = ", ".join(missing)
                found.append(Matter(kind, game, round["title"], who=who, ms=until, **where))
    return found


def _named(cup: Row, who: str) -> str:
    """Somebody of a tournament by name."""
    names = {f"e:{one['number']}": str(one["shown"]) for one in cup["entrant_list"]}
    for one in cup["officials"]:
        names[f"{LETTERS.get(one['role'], '')}:{one['id']}"] = str(one["shown"])
    return names.get(who, who)


async def _directed(link: Link) -> dict[str, Row]:
    """The tournaments that whoever asks directs, or rules on. A server may have none."""
    try:
        rows = await tournaments(link)
    except ServerError:
        return {}
    return {
        str(row["id"]): await TournamentLink(link, str(row["id"])).told()
        for row in rows
        if any(role_of(who)[0] in (DIRECTOR, ARBITER) for who in row["mine"])
    }


async def desk(
    where: Where, screen: Screen, *, within_ms: int, quiet_ms: int, machine: bool
) -> bool:
    """List what the games and tournaments of whoever asks need an arbiter, a host or a director
    for."""
    async with where.link() as link:
        cups = await _directed(link)
        boards = {
            str(board["game"])
            for cup in cups.values()
            for round in cup["rounds"]
            for board in round["boards"]
        }
        rows = await link.games()
        seen = [
            row
            for row in rows
            if str(row["game"]) in boards or may_see(link.roles, str(row["game"]))
        ]
        rules = any(role in ("arbiter", "host") for role, _, _ in link.roles)
        if not seen and not cups and not rules:
            screen.say("cli.desk.nobody")
            return False
        now_ms = await link.ping()
    games = {str(row["game"]): row for row in rows}
    found = matters(seen, now_ms, within_ms, quiet_ms)
    for id, cup in cups.items():
        found += matters_of_cup(id, cup, games, now_ms, within_ms)
    found.sort(key=lambda one: one.urgency)
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
    at = {"tournament": one.tournament, "round": one.round, "board": one.board}
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
        case "protest":
            named = {"tournament": one.tournament, "claim": one.claim, "who": one.who}
        case "absent":
            named = {**at, "left": face(now_ms - one.ms, spoken), "who": one.who}
        case "coming":
            named = {**at, "left": face(one.ms - now_ms, spoken), "who": one.who}
        case "sides":
            named = {**at, "left": face(max(0, one.ms - now_ms), spoken)}
    return spoken.text(f"cli.desk.{one.kind}", **named)
