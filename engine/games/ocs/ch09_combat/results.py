"""OCS 9.10, 10.0a, 10.0c: what the cells of the tables say.

OCS 9.10 L# = steps lost at once; o# = an option: any mix of steps and hexes of retreat that adds up
to #; DG; e# = attackers of that AR and above may exploit.
"""

import re
from functools import lru_cache

from attrs import frozen

from warledger.protocol.board.ranges import is_digits


@frozen
class Suffered:
    """OCS 9.10 What one side suffers of a combat result."""

    losses: int = 0
    options: int = 0
    dg: bool = False

    @property
    def nothing(self) -> bool:
        """Whether the table has no entry for this side."""
        return not (self.losses or self.options or self.dg)


@frozen
class Result:
    """OCS 9.10 One cell of the Combat Table. `exploit` is the AR from which attackers may exploit,
    None when the cell has no e#."""

    attacker: Suffered
    defender: Suffered
    exploit: int | None
    text: str


@frozen
class Shelling:
    """OCS 10.0a One cell of the Barrage Table.

    `steps`    steps lost without a die
    `half`     one step on a die of 4 to 6 ("1/2" and "[1/2]")
    `bracket`  "[1/2]": no step at all against level 3 or 4 hedgehogs, by aircraft, or unspotted
    `dg`       everything but "-" puts the hex in DG
    """

    steps: int
    half: bool
    bracket: bool
    dg: bool
    text: str


@frozen
class Damage:
    """OCS 10.0c One cell of the Facility Table: levels that a base loses, the die from which each
    aircraft there loses a step (0: none does), and whether a trainbusting marker is placed."""

    levels: int
    aircraft_on: int
    trainbusting: bool
    text: str


class BadCell(ValueError):
    """A cell that no table of the series could hold."""


_CELL = re.compile(r"A(?P<a>\S*(?: e\d)?)(?: D(?P<d>\S+))?", re.ASCII)
_SIDE = re.compile(r"(?:L(?P<l>\d))?(?:o(?P<o>\d))?(?P<dg>DG)?", re.ASCII)
_ATTACKER = re.compile(r"(?P<side>.*?) ?(?:e(?P<e>\d))?", re.ASCII)
_FACILITY = re.compile(r"(?P<n>\d)? ?(?P<star>\*)? ?(?:\((?P<k>\d)\))?", re.ASCII)


@lru_cache(maxsize=256)
def combat_result(text: str) -> Result:
    """OCS 9.10 Read "Ao1 e4 DL1o2". Raises BadCell."""
    cell = _CELL.fullmatch(text)
    if cell is None:
        raise BadCell(f"{text!r} is not a combat result")
    own = _ATTACKER.fullmatch(cell["a"])
    exploit = own["e"] if own else None
    return Result(
        _suffered(own["side"] if own else "", text),
        _suffered(cell["d"] or "", text),
        None if exploit is None else int(exploit),
        text,
    )


def _suffered(text: str, cell: str) -> Suffered:
    found = _SIDE.fullmatch(text)
    if found is None:
        raise BadCell(f"{cell!r} is not a combat result")
    return Suffered(int(found["l"] or 0), int(found["o"] or 0), found["dg"] is not None)


@lru_cache(maxsize=32)
def barrage_result(text: str) -> Shelling:
    """OCS 10.0a Read "-", "DG", "[1/2]", "1/2" or a number of steps. Raises BadCell."""
    if text in ("-", "DG"):
        return Shelling(0, False, False, text == "DG", text)
    if text in ("1/2", "[1/2]"):
        return Shelling(0, True, text[0] == "[", True, text)
    if not is_digits(text):
        raise BadCell(f"{text!r} is not a barrage result")
    return Shelling(int(text), False, False, True, text)


@lru_cache(maxsize=64)
def facility_result(text: str) -> Damage:
    """OCS 10.0c Read "-", "2 * (4)" and the like. Raises BadCell."""
    if text == "-":
        return Damage(0, 0, False, text)
    found = _FACILITY.fullmatch(text)
    if found is None or not text:
        raise BadCell(f"{text!r} is not a result against a facility")
    return Damage(int(found["n"] or 0), int(found["k"] or 0), found["star"] is not None, text)
