"""The game that attacks and forgeries start from, and what its audit says."""

from functools import cache
from typing import Any

from nacl.signing import SigningKey

from tests.audit.tamper import find, signature_of
from tests.toys import PACKS, TOYS
from tests.verdicts import findings_of
from warledger.clients.audit.audit import Rulebook, audit
from warledger.clients.audit.report import Report
from warledger.engine.testing.randomgames import Played, begin, signing_key
from warledger.protocol.log import records
from warledger.protocol.log.bodies import By
from warledger.protocol.log.records import Record
from warledger.protocol.seats import acts

RULEBOOK = Rulebook(TOYS.__getitem__)


def found(data: bytes, key: SigningKey | None = None, **given: Any) -> Report:
    """The whole audit of a file, with the server's key."""
    return audit(data, key=(key or signing_key()).verify_key.encode(), rulebook=RULEBOOK, **given)[
        0
    ]


def keys(report: Report) -> list[str]:
    """What is wrong, by key."""
    return [item.said.key for item in findings_of(report)]


def start(turns: int = 3, **given: Any) -> Played:
    """A game about to be played."""
    return begin(TOYS["counting"], PACKS["counting"], options={"turns": turns}, **given)


@cache
def whole() -> Played:
    """A whole game: open and sealed picks, dice, a free takeback, a request that was declined,
    standing answers and a command by them."""
    played = start()
    played.submit("a", "add", 2)
    first = played.records[-1].seq - 1
    played.commit(played.take_back("a", first))
    played.submit("a", "roll")
    played.submit("b", "hide", "caterpillar")
    played.commit(played.order("a", ("prompt.counting.act", (("pass",),), "game")))
    ordered = played.records[-1].seq
    by_order(played, "a", ordered, "pass")
    played.commit(played.draw("a"))
    played.commit(played.answer("b", False))
    played.submit("b", "show")
    played.submit("a", "draw")
    played.submit("b", "pass")
    assert played.position.whole
    return played


def by_order(played: Played, seat: str, orders: int, *picks: str | int) -> None:
    """The server gives a seat's command by its standing answers."""
    from warledger.engine.kernel.door import Submission

    decision = played.position.opened(seat)
    assert decision is not None
    played.commit(
        played.ledger.propose_command(
            Submission(seat, decision, picks, by=(orders, 0, 0)), played.at_ms
        )
    )


def command_of(played: Played, seat: str, n: int = 0) -> Record:
    """The seat's command number n that it signed itself."""
    return [
        r
        for r in played.records
        if r.kind == records.COMMAND and r.body[1] == seat and len(r.body[records.BY]) == 4
    ][n]


def kind_of(played: Played, kind: str, act: str = "") -> Record:
    """The first record of a kind."""
    return find(played, lambda r: r.kind == kind and (not act or r.body[0] == act))


def cut(played: Played, count: int, *more: tuple[str, str, Any]) -> list[Record]:
    """The first records of a game, and others behind them: (actor, kind, body), signed by whoever
    they name."""
    made = list(played.records[:count])
    for actor, kind, body in more:
        made.append(records.make(len(made), made[-1].at_ms, actor, kind, body, made[-1].hash))
    return made


def by(
    played: Played, seat: str, kind: str, seen: Record, *body: Any, n: int = 90
) -> tuple[Any, ...]:
    """A seat's signature of an act."""
    hand = played.hands[seat]
    act = acts.Act(played.ledger.genesis.hash, hand.public, seat, kind, n, seen.hash, body, b"")
    return By(hand.public, n, seen.hash, signature_of(hand, act)).as_array()


def end_body(played: Played, winner: str | None, reason: str, args: Any) -> tuple[Any, ...]:
    """An end of a game that hides nothing."""
    by = {"outcome.resigned": "resign", "outcome.draw_agreed": "draw"}.get(reason, "rules")
    keys = played.ledger.keys
    links = ((1, keys.link(1)),)
    return (winner, reason, args, links, keys.hidden, keys.salts, "", (), by)
