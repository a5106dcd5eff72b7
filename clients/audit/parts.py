"""Level 2 on several cores: the records of one game divided among processes.

Each process has a part of the file. It folds the records before its part, which takes a fraction of
the time that deciding them takes, and makes those of its part again. What it relies on is what the
processes with the parts before it compare byte by byte. So if no part differs, one process would
have made the same file.

Rules of this file:
- The verdict and its words are those of one process. If a part differs, one process decides
  everything from the genesis, and what that finds is what is reported; likewise if a process is
  lost.
- A part begins with a record that follows from nothing before it, so that no batch is cut in two.
- Nobody compares the private openings. Their values are those of seals that are compared, so all
  seals before a part must be opened. Whom an opening names as its readers nothing binds, so a part
  does without that (see `Untold`).
"""

from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from functools import partial
from typing import Any, Final

from warledger.clients.audit.evidence import Evidence
from warledger.clients.audit.processes import Lost, at_once, each
from warledger.clients.audit.redecide import Again, Decided, NotOpened, Titles, redecide, stopped
from warledger.engine.archive.release import Sealed
from warledger.engine.archive.releasedledger import ReleasedRules
from warledger.engine.kernel.types import Rules
from warledger.protocol.chance import dice
from warledger.protocol.log import bodies, records
from warledger.protocol.log.records import Record

COMMANDS_LEAST: Final = 200
"""How many commands a part has at least: what takes some 0.04 s with Typhoon and 0.2 s with the
Operational Combat Series, where a process costs 0.01 s."""
FOLDING: Final = 0.07
"""What folding a command takes of the time in which it is decided."""

_WHOLE: Final = "whole"
_STOPPED: Final = "stopped"
_DIFFERS: Final = "differs"

Part = tuple[str, int]
"""How a part went, and at which record that was found: it agrees as a whole; it stops for want of
what the file does not open; or it differs, or cannot be decided by itself."""


def redecide_on(
    found: Evidence, titles: Titles, workers: int | None = 1, least: int = COMMANDS_LEAST
) -> Decided:
    """Decide every command again, by up to so many processes at once: as many as there are cores if
    `workers` is None. A file gets no more than one process for each `least` commands."""
    at_most = at_once(workers)
    rules = _own_rules(found, titles) if at_most > 1 else None
    if rules is not None:
        bounds = bounds_of(found.records, at_most, least)
        if len(bounds) > 1 and can_be_folded(found, bounds[-1]):
            decide = partial(_decide, found, rules, bounds)
            with suppress(Lost), closing(each(decide, len(bounds), len(bounds))) as parts:
                decided = _joined(found, parts)
                if decided is not None:
                    return decided
    return redecide(found, titles)


def _own_rules(found: Evidence, titles: Titles) -> Rules[Any] | None:
    """The rules of a game, unless an archived release has them, whose process has one ledger."""
    assert found.genesis is not None
    try:
        rules = titles(found.genesis.title)
    except KeyError:
        return None
    return None if isinstance(rules, ReleasedRules) else rules


# --- dividing -------------------------------------------------------------------------------------


def bounds_of(log: Sequence[Record], parts: int, least: int = COMMANDS_LEAST) -> list[int]:
    """With which record each part begins: at most so many parts, which should take the same time.
    The first begins with record 1."""
    commands = [record.seq for record in log if record.kind == records.COMMAND]
    parts = min(parts, len(commands) // max(least, 1))
    # A part of m commands with k before it takes FOLDING * k + m: each is shorter than the one
    # before it by the same factor.
    shares = [(1 - FOLDING) ** part for part in range(parts)]
    bounds, before = [1], 0.0
    for share in shares[:-1]:
        before += share
        bound = _first_from(log, commands[int(len(commands) * before / sum(shares))])
        if bound is not None and bound > bounds[-1]:
            bounds.append(bound)
    return bounds


def _first_from(log: Sequence[Record], seq: int) -> int | None:
    """The first record from `seq` on with which a part can begin: a command of a seat."""
    for record in log[seq:]:
        if record.kind == records.COMMAND and not bodies.CommandBody.read(record.body).begins:
            return record.seq
    return None


def can_be_folded(found: Evidence, until: int) -> bool:
    """Whether folding the records before `until` comes to what deciding them does: whoever decides
    them with the server's secrets knows what was sealed, also where the file does not open it."""
    return all(place in found.openings for place in found.seals if place[0] < until)


# --- deciding -------------------------------------------------------------------------------------


def _decide(found: Evidence, rules: Rules[Any], bounds: Sequence[int], part: int) -> Part:
    """Decide one part."""
    first = bounds[part]
    until = bounds[part + 1] if part + 1 < len(bounds) else None
    again = Again(found, rules)
    try:
        wrong = again.genesis()
        if wrong is None and part > 0:
            again.take_up(first)
        wrong = wrong or again.run(first, until)
    except (NotOpened, Sealed, dice.BadDraw):
        return _STOPPED, again.seq
    except Exception:  # it does not fold, or there is a bug: deciding all of it will tell
        return _DIFFERS, again.seq
    return _WHOLE if wrong is None else _DIFFERS, again.seq


def _joined(found: Evidence, parts: Iterable[Part]) -> Decided | None:
    """What the parts come to, in order. None where deciding all of it must tell."""
    for how, seq in parts:
        if how == _STOPPED:
            return stopped(found, seq)
        if how == _DIFFERS:
            return None
    return Decided(len(found.records), True)
