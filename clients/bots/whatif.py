"""Branches for the page of a server: a process that plays games on from a record, as it is asked to
(`python -m warledger.clients.bots.whatif`, which `engine.serve.games.branches` starts).

A branch is named by what was done in it: a record of a game, a seed, and a list of steps. The same
three give the same branch, so that nothing has to be stored. What was made last is kept in memory,
and a longer list goes on from there.

A step is [seat, picks], a command by hand, or a number: so many commands by captains, each for
whoever is asked. What is asked about a branch:

    ["show", after]           the records after `after`, and how the branch stands
    ["choices", seat, picks]  what may be picked next
    ["preview", seat, picks]  what is shown beside picks
    ["rollout", n]            captains play on to the end with the `n`th dice

Frames on both pipes: a length of four bytes (big-endian), then the canonical form. A request is
[key, file, at, seed, steps, what is asked]; `file` is empty where the process should know it by
its key. The answer is ["need"] where it does not, ["no", sentence] for what cannot be had, or
["ok", …].
"""

import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, BinaryIO, Final

from attrs import define, field, frozen

from warledger.clients.audit.evidence import Evidence
from warledger.clients.audit.examine import examine
from warledger.clients.audit.verdict import UNSOUND
from warledger.clients.bots.analyst import origins_of
from warledger.clients.bots.branch import Astray, Branch, NoBranch, Origin, begin
from warledger.clients.bots.player import BUGS
from warledger.engine.kernel import door
from warledger.protocol import canon
from warledger.protocol.board.choices import Refusal, Say, say
from warledger.protocol.board.effects import Board
from warledger.protocol.chance.seal import Opening
from warledger.protocol.log.records import CorruptLog

STEPS_MAX: Final = 400
COMMANDS_MAX: Final = 2000
"""Of one branch, by hand and by captains."""
SECONDS_MAX: Final = 8.0
"""Of computing. Captains then stop playing; as many commands as they gave is what is answered."""
ROLLOUT_SECONDS_MAX: Final = 12.0
GAMES_KEPT: Final = 3
BRANCHES_KEPT: Final = 6
NICENESS: Final = 10

_BUGS: Final = (Astray, *BUGS)
"""What a fault of a bot or of the rules raises: it costs a branch, not the process."""

Name = tuple[bytes, int, str]
"""A branch's game, record and seed."""


class Not(Exception):
    """What is asked cannot be had; carries the sentence that says why."""

    def __init__(self, why: Say) -> None:
        super().__init__(why.key)
        self.why = why


@define(eq=False)
class Growing:
    """A branch with the steps that made it, and all its records with their openings."""

    branch: Branch
    steps: list[Any] = field(factory=list)
    made: list[tuple[bytes, bytes]] = field(factory=list)


@frozen
class Game:
    """An examined file and the records of it that have been played on from."""

    found: Evidence
    origins: dict[int, Origin] = field(factory=dict)

    def origin(self, at: int) -> Origin:
        """The record to play on from. Raises Not."""
        kept = self.origins.get(at)
        if kept is not None:
            return kept
        try:
            origin = origins_of(self.found, (at,)).get(at)
        except NoBranch as error:
            raise Not(say("whatif.hidden", what=str(error))) from error
        except KeyError as error:
            raise Not(say("whatif.no_title")) from error
        except CorruptLog as error:
            raise Not(say("whatif.corrupt", what=str(error))) from error
        if origin is None:
            raise Not(say("whatif.nobody_asked", seq=at))
        self.origins[at] = origin
        return origin

    def base(self, at: int) -> list[tuple[bytes, bytes]]:
        """The records up to this one, each with all openings of its own that are known."""
        openings: dict[int, list[Opening]] = {}
        for (seq, _), opening in sorted(self.found.openings.items()):
            openings.setdefault(seq, []).append(opening)
        return [
            (record.data, _packed(openings.get(record.seq, ())))
            for record in self.found.records[: at + 1]
        ]


def _packed(openings: Sequence[Opening]) -> bytes:
    return canon.pack([one.as_array() for one in openings]) if openings else b""


class Desk:
    """The games and branches that were asked for last."""

    def __init__(self) -> None:
        self._games: dict[bytes, Game] = {}
        self._branches: dict[Name, Growing] = {}

    def answer(self, request: Any) -> tuple[Any, ...]:
        """The answer to one request."""
        key, file, at, seed, steps, asked = request
        game = self._games.pop(key, None)
        if game is None:
            if not file:
                return ("need",)
            game = Game(examine(file))
            if game.found.report().code() == UNSOUND:
                return ("no", say("whatif.unsound").as_array())
        self._games[key] = game
        while len(self._games) > GAMES_KEPT:
            self._games.pop(next(iter(self._games)))
        try:
            return ("ok", *self._asked(game, (key, at, seed), steps, asked))
        except Not as error:
            return ("no", error.why.as_array())

    def _asked(
        self,
        game: Game,
        name: Name,
        steps: tuple[Any, ...],
        asked: tuple[Any, ...],
    ) -> tuple[Any, ...]:
        origin = game.origin(name[1])
        growing = self._grown(origin, name, steps)
        branch = growing.branch
        match asked:
            case ("show", int(after)):
                base = game.base(origin.record.seq) if after < 0 else []
                made = growing.made[max(0, after - origin.record.seq) :]
                outcome = branch.outcome
                return (
                    [*base, *made],
                    list(growing.steps),
                    branch.asked,
                    sorted(branch.score().items()),
                    None if outcome is None else [outcome.winner or ""],
                )
            case ("choices", str(seat), tuple(picks)):
                found = branch.choices(seat, tuple(picks))
                if isinstance(found, Refusal):
                    raise Not(_sentence(found))
                position = branch.ledger.position
                number = position.opened(seat) or 0
                question = door.pending(branch.ledger.rules, position, seat)
                prompt = Say("prompt.window") if question is None else question.prompt
                options = [
                    one.id if one.label is None else (one.id, one.label.as_array())
                    for one in found.options
                ]
                return (
                    number,
                    prompt.as_array(),
                    (found.slot, options, found.span, found.complete, found.sealed),
                )
            case ("preview", str(seat), tuple(picks)):
                rules, position = branch.ledger.rules, branch.ledger.position
                says = door.preview(rules, position, seat, tuple(picks))
                if isinstance(says, Refusal):
                    raise Not(_sentence(says))
                return ([one.as_array() for one in says],)
            case ("rollout", int(n)):
                return (_rollout(origin, branch, n),)
        raise Not(say("whatif.not_asked"))

    def _grown(self, origin: Origin, name: Name, steps: tuple[Any, ...]) -> Growing:
        """The branch after these steps: the one that is kept, where they go on from it."""
        if len(steps) > STEPS_MAX:
            raise Not(say("whatif.long", most=STEPS_MAX))
        growing = self._branches.pop(name, None)
        if growing is None or tuple(growing.steps) != steps[: len(growing.steps)]:
            growing = Growing(begin(origin, name[2]))
        told = len(growing.branch.told)
        try:
            for step in steps[len(growing.steps) :]:
                self._step(growing, step)
                if type(growing.steps[-1]) is int and growing.steps[-1] != step:
                    break  # captains took too long: what is left can be asked for again
        finally:
            for record, _ in growing.branch.told[told:]:
                growing.made.append((record.data, _packed(growing.branch.opened[record.seq])))
        self._branches[name] = growing
        while len(self._branches) > BRANCHES_KEPT:
            self._branches.pop(next(iter(self._branches)))
        return growing

    def _step(self, growing: Growing, step: Any) -> None:
        branch = growing.branch
        if branch.ended:
            raise Not(say("whatif.over"))
        match step:
            case int(n) if 1 <= n <= COMMANDS_MAX:
                began = time.process_time()
                given = 0
                try:
                    while given < n and not branch.ended:
                        if branch.commands >= COMMANDS_MAX:
                            raise Not(say("whatif.long", most=COMMANDS_MAX))
                        if time.process_time() - began > SECONDS_MAX:
                            break
                        branch.captain()
                        given += 1
                except _BUGS as error:
                    raise Not(say("whatif.astray", what=type(error).__name__)) from error
                growing.steps.append(max(1, given))
            case (str(seat), tuple(picks)):
                if branch.commands >= COMMANDS_MAX:
                    raise Not(say("whatif.long", most=COMMANDS_MAX))
                refused = branch.command(seat, tuple(picks))
                if refused is not None:
                    raise Not(_sentence(refused))
                growing.steps.append(step)
            case _:
                raise Not(say("whatif.not_asked"))


def _sentence(refused: Refusal) -> Say:
    return Say(refused.key, refused.args, refused.rule)


def _rollout(origin: Origin, branch: Branch, n: int) -> str | None:
    """Who wins when captains play on from where the branch stands, with the `n`th dice: a seat, ""
    for a draw, None where it takes too long or goes astray."""
    outcome = branch.outcome
    if outcome is None:
        now: dict[str, Board] = {seat: view.board.copy() for seat, view in branch.views.items()}
        here = Origin(
            origin.rules,
            origin.genesis,
            origin.pack,
            branch.ledger.last,
            branch.ledger.position,
            now,
            origin.salts,
        )
        began = time.process_time()
        game = begin(here, f"{branch.ledger.last.hash.hex()} {n}")
        try:
            while not game.ended:
                game.captain()
                if time.process_time() - began > ROLLOUT_SECONDS_MAX:
                    return None
        except _BUGS:
            return None
        outcome = game.outcome
    return None if outcome is None else outcome.winner or ""


def frames(stream: BinaryIO) -> Iterator[bytes]:
    """The frames of a pipe, until it ends."""
    while len(head := stream.read(4)) == 4:
        data = stream.read(int.from_bytes(head, "big"))
        yield data


def main() -> None:
    """Answer requests until there are no more."""
    with suppress(AttributeError, OSError):
        os.nice(NICENESS)
    desk = Desk()
    for data in frames(sys.stdin.buffer):
        made = canon.pack(desk.answer(canon.unpack_trusted(data)))
        sys.stdout.buffer.write(len(made).to_bytes(4, "big") + made)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
