"""What a scoreboard and the card of a combat show: parts of a description.

README.md describes the form.
"""

from __future__ import annotations

from typing import Any

from attrs import frozen

from warledger.protocol.board.forms import (
    ID,
    NAME,
    NUMBER,
    PLACE,
    array,
    fields,
    flag,
    one_of,
    part,
    row,
    whole,
)
from warledger.protocol.limits import DESCRIBED_MAX, HEXES_MAX


@frozen
class Tally:
    """What a side has towards winning: what a track says, and what the places are worth.

    side     whose it is
    track    a track that counts for it, times `sign`, as far as that is above 0; "" for none
    places   [place, points] each: they count while the side controls the place
    lacking  [place, points] each: they count while it does not
    wins     how much wins; nil where the sides are compared
    """

    side: str = part(ID)
    track: str = part(ID, "")
    sign: int = part(whole(-1, 1), 1)
    places: tuple[tuple[int, int], ...] = part(array(row(PLACE, NUMBER), HEXES_MAX), ())
    lacking: tuple[tuple[int, int], ...] = part(array(row(PLACE, NUMBER), HEXES_MAX), ())
    wins: int | None = part(NUMBER, None)


@frozen
class Condition:
    """What decides the game, as a sentence of the catalogue."""

    key: str = part(NAME)
    args: tuple[tuple[str, Any], ...] = part(
        array(row(ID, lambda value, what: (ID if type(value) is str else NUMBER)(value, what)), 16),
        (),
    )


@frozen
class Scoring:
    """What a scoreboard shows. `told` is "each" (what each side has) or "lead" (by how much one is
    ahead). `unit` is the key of a sentence that says what is counted, with `n`."""

    told: str = part(one_of("each", "lead"), "each")
    unit: str = part(NAME, "")
    tallies: tuple[Tally, ...] = part(array(fields(Tally), 8), ())
    conditions: tuple[Condition, ...] = part(array(fields(Condition), 16), ())


@frozen
class Results:
    """A combat results table: `dice` of `faces` sides are added, with a modifier if there is one.
    `rows` begin with the total `first`, and totals beyond them use the first or last row.

    heads  [id, columns] each: what the columns are called. Sentences about a combat name one by
           their argument `column`; where there are several heads the argument `row` has the id of
           one, `drm` is the modifier, and `attacker` the seat that attacks, if it is not the one
           whose command rolls the dice
    codes  [code, steps that the attackers lose, hexes that they fall back, steps that the
           defenders lose, hexes that they fall back] each
    choose whether those hexes are a choice: as many hexes or steps
    also   [code, sentences that say what it does besides, with `ar`] each
    """

    dice: int = part(whole(1, 8))
    faces: int = part(whole(2, 100))
    first: int = part(whole(-100, 1000))
    heads: tuple[tuple[str, tuple[str, ...]], ...] = part(
        array(row(ID, array(ID, DESCRIBED_MAX)), 16)
    )
    rows: tuple[tuple[str, ...], ...] = part(array(array(ID, DESCRIBED_MAX), DESCRIBED_MAX, 1))
    codes: tuple[tuple[str, int, int, int, int], ...] = part(
        array(row(ID, *[whole(0, 100)] * 4), DESCRIBED_MAX), ()
    )
    choose: bool = part(flag, False)
    also: tuple[tuple[str, tuple[Condition, ...]], ...] = part(
        array(row(ID, array(fields(Condition), 4)), DESCRIBED_MAX), ()
    )


@frozen
class Hits:
    """What single dice rolled for a purpose count for in a combat.

    unit     the key of a sentence that says what is counted, with `n`
    worth    of each face; a sentence about the same dice with an argument `plus` adds that to each
             die, and beyond the last face the last one counts
    """

    purpose: str = part(ID)
    unit: str = part(NAME)
    worth: tuple[int, ...] = part(array(whole(-1000, 1000), 100, 2))
