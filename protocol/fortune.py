"""Luck in combat: what came of each combat's dice against what was to be expected, in the currency
of the game.

A combat that a table resolves counts in steps: those that the enemy loses by the result, less one's
own, against the mean over all results of its column. Where the description says what single dice
count for, such as hits, they count for that. What a title's description does not tell is not
counted, and neither is what a player then made of a result.

A roll counts for the seat whose command made it, and a table's combat for the attacker: that seat,
unless the combat's sentences name another (`attacker`), as where the defender's answer comes last.
"""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any, Final

from attrs import frozen

from warledger.protocol import luck
from warledger.protocol.board import effects as fx
from warledger.protocol.board.description import Description
from warledger.protocol.board.effects import Effect
from warledger.protocol.board.scoring import Hits, Results
from warledger.protocol.log.bodies import effects_of
from warledger.protocol.log.plainform import plain
from warledger.protocol.log.records import Record, id_of
from warledger.protocol.luck import Tally

STEPS: Final = "luck.steps"
"""The unit of combats that a table resolves: steps that the enemy loses more than oneself."""
LUCKIEST: Final = 5
_WAYS_MAX: Final = 100_000
"""Ways to roll the dice of a table: more are not enumerated, and such a combat is left out."""


@frozen
class Fought:
    """What one seat rolled in one combat.

    seq      the record at which the combat began
    span     what the log calls it: the key and arguments of a sentence
    unit     the key of the sentence that says what is counted
    """

    seq: int
    span: tuple[str, tuple[tuple[str, Any], ...]]
    seat: str
    unit: str
    tally: Tally


def fought(told: Description, records: Iterable[tuple[int, str, Iterable[Effect]]]) -> list[Fought]:
    """The combats of a game in order, each for every seat that rolled in it. `records` are the
    number, the acting seat and the effects of each, as everybody saw them."""
    worth = {one.purpose: one for one in told.hits}
    sums: dict[tuple[int, str, str], tuple[tuple[str, Any], Tally]] = {}
    span: tuple[int, tuple[str, Any]] | None = None
    given: dict[str, Any] = {}
    for seq, seat, found in records:
        own = tuple(found)
        for index, effect in enumerate(own):
            tag = effect[0]
            if tag == fx.OPEN and effect[1] == "combat":
                span, given = (seq, (effect[2], tuple(tuple(arg) for arg in effect[3]))), {}
            elif tag == fx.CLOSE and effect[1] == "combat":
                span = None
            if span is None:
                continue
            counted: tuple[str, Tally] | None = None
            whose = seat
            if tag == fx.SAY:
                said = dict(effect[2])
                given.update(said)
                if "result" in said and told.results is not None:
                    rolled = resolved(told.results, given)
                    counted = None if rolled is None else (STEPS, rolled)
                    whose = given.get("attacker", seat)
            elif tag == fx.ROLL and effect[1] in worth:
                hits = worth[effect[1]]
                counted = (hits.unit, thrown(hits, effect[2], effect[3], _plus(own[index + 1 :])))
            if counted is not None:
                unit, tally = counted
                before = sums.get((span[0], whose, unit))
                sums[span[0], whose, unit] = (
                    span[1],
                    tally if before is None else together((before[1], tally)),
                )
    return [
        Fought(seq, name, seat, unit, tally) for (seq, seat, unit), (name, tally) in sums.items()
    ]


def _plus(after: Iterable[Effect]) -> int:
    """What the next sentence says is added to each die."""
    for effect in after:
        if effect[0] == fx.SAY:
            plus = dict(effect[2]).get("plus", 0)
            return plus if type(plus) is int else 0
        if effect[0] == fx.ROLL:
            break
    return 0


def thrown(hits: Hits, sides: Any, faces: Any, plus: int) -> Tally:
    """What these dice counted for."""
    if type(sides) is not int or not 2 <= sides <= 1000 or type(faces) is not tuple:
        return Tally(0, 0, Fraction(0), Fraction(0))

    def of(face: int) -> int:
        at = face + plus
        return hits.worth[min(at, len(hits.worth)) - 1] if at >= 1 else 0

    shown = [face for face in faces if type(face) is int and 1 <= face <= sides]
    every = [of(face) for face in range(1, sides + 1)]
    mean = Fraction(sum(every), sides)
    variance = Fraction(sum(one * one for one in every), sides) - mean * mean
    count = len(shown)
    return Tally(count, sum(of(face) for face in shown), count * mean, count * variance)


def resolved(table: Results, given: Mapping[str, Any]) -> Tally | None:
    """What a result of the table counted for; None where the sentences do not say in which column
    it was found."""
    column, row, result = given.get("column"), given.get("row"), given.get("result")
    steps = {code: theirs - ours for code, ours, _, theirs, _ in table.codes}
    columns = next((one for id, one in table.heads if id in ("", row) and column in one), None)
    if columns is None or result not in steps or table.faces**table.dice > _WAYS_MAX:
        return None
    at = columns.index(column)
    drm = given.get("drm", 0)
    modifier = drm if type(drm) is int else 0
    every = []
    for faces in product(range(1, table.faces + 1), repeat=table.dice):
        total = sum(faces) + modifier - table.first
        code = table.rows[min(len(table.rows) - 1, max(0, total))][at]
        every.append(steps.get(code, 0))
    mean = Fraction(sum(every), len(every))
    variance = Fraction(sum(one * one for one in every), len(every)) - mean * mean
    return Tally(1, steps[result], mean, variance)


def together(tallies: Iterable[Tally]) -> Tally:
    """Several as one."""
    count = total = 0
    expected = variance = Fraction(0)
    for one in tallies:
        count += one.count
        total += one.total
        expected += one.expected
        variance += one.variance
    return Tally(count, total, expected, variance)


def by_seat(combats: Iterable[Fought]) -> dict[tuple[str, str], Tally]:
    """All combats of each seat together, by seat and unit."""
    found: dict[tuple[str, str], list[Tally]] = {}
    for one in combats:
        found.setdefault((one.seat, one.unit), []).append(one.tally)
    return {key: together(tallies) for key, tallies in sorted(found.items())}


def luckiest(combats: Iterable[Fought], most: int = LUCKIEST) -> list[Fought]:
    """The combats in which a seat got most above what it could expect, the luckiest first."""
    lucky = [one for one in combats if one.tally.surplus > 0]
    return sorted(lucky, key=lambda one: (-one.tally.surplus, one.seq, one.seat))[:most]


def of_log(told: Description, log: Sequence[Record]) -> list[Fought]:
    """The combats of a log, as everybody sees them. Raises TypeError, ValueError or LookupError for
    effects of another form than theirs."""
    return fought(told, [(record.seq, id_of(record.actor), effects_of(record)) for record in log])


def of_game(told: Description, log: Sequence[Record]) -> dict[str, Any]:
    """The luck of a game as plain values for JSON: `dice` as `luck.as_data` has them, and
    `combats`. Raises what `of_log` raises."""
    return {
        "records": len(log),
        "dice": luck.as_data(luck.report(luck.throws(log))),
        "combats": as_data(of_log(told, log)),
    }


def as_data(combats: Iterable[Fought]) -> dict[str, Any]:
    """The combats as plain values for JSON: each seat's in all, and the luckiest."""
    all = list(combats)
    return {
        "seats": [
            {"seat": seat, "unit": unit, **numbers(tally)}
            for (seat, unit), tally in by_seat(all).items()
        ],
        "luckiest": [fought_data(one) for one in luckiest(all)],
    }


def fought_data(one: Fought) -> dict[str, Any]:
    """The luck of one combat as plain values."""
    return {
        "seq": one.seq,
        "key": one.span[0],
        "args": [[name, plain(value)] for name, value in one.span[1]],
        "seat": one.seat,
        "unit": one.unit,
        **numbers(one.tally),
    }


def numbers(one: Tally) -> dict[str, Any]:
    """What combats came to as plain values."""
    return {
        "count": one.count,
        "total": one.total,
        "expected": [one.expected.numerator, one.expected.denominator],
        "deviations": str(one.deviations),
    }
