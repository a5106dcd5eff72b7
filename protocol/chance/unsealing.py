"""Keeps track of the seals in a log, each until it is opened to everybody.

After the `end` everything that is still sealed is opened, in order of (seq, path), each once. The
record that opens the last makes the log whole. Whoever follows a game passes each record in order
to `Unsealing.take`, which returns what is wrong with it. Whether an opening matches its seal is
checked elsewhere.
"""

from warledger.protocol.board.choices import Say, say
from warledger.protocol.chance import seal
from warledger.protocol.chance.seal import Misplaced
from warledger.protocol.log import bodies, records
from warledger.protocol.log.records import Record

Place = tuple[int, tuple[int, ...]]
Wrong = tuple[str, Say]


class Unsealing:
    """The seals of one game that are not open to everybody. `ended`: the game is over for the
    players. `whole`: the last seal has been opened too."""

    def __init__(self) -> None:
        self.ended = self.whole = False
        self._closed: dict[Place, None] = {}
        self._left: list[Place] = []

    @property
    def waiting(self) -> int:
        """Seals that are still closed."""
        return len(self._left) if self.ended else len(self._closed)

    def take(self, record: Record) -> list[Wrong]:
        """Check a record. Raises TypeError, ValueError, LookupError for a body of another form than
        its kind's."""
        kind = record.kind
        try:
            places = [path for path, _ in seal.seals_of(record)]
        except Misplaced as error:
            return [("body", say("acts.seal_place", path=error.path))]
        if self.whole:
            return [("kind", say("acts.after_whole"))]
        if kind == records.REVEAL:
            return self._revealed(record)
        if self.ended:
            return [("kind", say("acts.not_revealed"))]
        self._closed.update(dict.fromkeys((record.seq, path) for path in places))
        if kind == records.COMMAND:
            for opening in bodies.openings_of(record):
                self._closed.pop((opening.seq, opening.path), None)
        elif kind == records.END:
            self.ended = True
            self._left = list(reversed(self._closed))
            self._closed = {}
        return []

    def _revealed(self, record: Record) -> list[Wrong]:
        if not self.ended:
            return [("kind", say("acts.reveal_early"))]
        wrong: list[Wrong] = []
        body = bodies.Reveal.read(record.body)
        for index, opening in enumerate(bodies.openings_of(record)):
            if self._left and self._left[-1] == (opening.seq, opening.path):
                self._left.pop()
            elif not wrong:
                wrong.append((f"openings[{index}]", say("acts.reveal_order", seq=opening.seq)))
        self.whole = body.last
        if body.last and self._left and not wrong:
            seq = self._left[-1][0]
            wrong.append(("openings", say("acts.unopened", seq=seq, count=len(self._left))))
        if not body.last and not body.opened:
            wrong.append(("openings", say("acts.reveal_empty")))
        return wrong
