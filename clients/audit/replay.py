"""The board as of any record, from effects alone, as one audience knew it then. No rules are asked,
so every title's files replay."""

from collections.abc import Iterator, Mapping
from typing import Any

from attrs import frozen

from warledger.clients.audit.evidence import Evidence, seated
from warledger.clients.audit.plain import plain
from warledger.clients.audit.report import place_in
from warledger.clients.audit.shapes import BadShape, check
from warledger.clients.describing import of_genesis
from warledger.clients.terminal import picture
from warledger.clients.terminal.story import Line, tell
from warledger.protocol.audience import ARBITER, PUBLIC
from warledger.protocol.board.effects import Board, BoardHistory, Effect, check_effects
from warledger.protocol.chance.seal import Opening
from warledger.protocol.log.bodies import effects_of, openings_of
from warledger.protocol.log.records import Genesis, Record
from warledger.protocol.texts.phrases import Phrases


class BadReplay(ValueError):
    """A record or audience that the file cannot be replayed for. `key` and `args` say why."""

    def __init__(self, key: str, **args: Any) -> None:
        super().__init__(key)
        self.key = key
        self.args_by_name = args


class BadEvidence(BadReplay):
    """The file does not contain a valid board: a record's effects cannot be read, or put more on
    the board than any game has."""


@frozen
class Moment:
    """A game as of one record: the board, the record, and the effects of each record up to it as
    the audience knew them.

    `players` are the names of those who held the seats then, None for a seat that nobody had taken.
    """

    genesis: Genesis
    record: Record
    last: int
    board: Board
    players: Mapping[str, str | None]
    told: tuple[tuple[Record, tuple[Effect, ...]], ...]

    def story(self, spoken: Phrases, first: int = 0) -> Iterator[Line]:
        """The story up to here, from record `first`."""
        for record, effects in self.told[first:]:
            yield from tell(record, effects, spoken)

    def picture(self) -> picture.Picture:
        """How this game's board is drawn."""
        found = of_genesis(self.genesis)
        return picture.of(found.told, found.error)

    def as_data(self) -> dict[str, Any]:
        """Plain values for JSON."""
        board = self.board
        return {
            "game": self.genesis.game,
            "title": self.genesis.title,
            "options": {name: plain(value) for name, value in self.genesis.options.items()},
            "players": dict(self.players),
            "record": self.record.seq,
            "kind": self.record.kind,
            "at_ms": self.record.at_ms,
            "last": self.last,
            "phase": {
                "key": board.phase.key,
                "args": {name: plain(value) for name, value in board.phase.args},
            },
            "awaits": list(board.awaits),
            "spans": [{"span": span, "key": said.key} for span, said in board.spans],
            "tracks": {name: plain(value) for name, value in sorted(board.tracks.items())},
            "counts": {name: plain(value) for name, value in sorted(board.counts.items())},
            "marks": [
                {"target": target, "marker": marker, "value": plain(value)}
                for (target, marker), value in sorted(board.marks.items(), key=lambda item: item[0])
            ],
            "pieces": {
                id: {
                    "place": plain(piece.place),
                    "face": plain(piece.face),
                    "owner": plain(piece.owner),
                }
                for id, piece in sorted(board.pieces.items())
            },
            "effects": [plain(effect) for effect in self.told[-1][1]],
        }


def replay(found: Evidence, to: int | None = None, audience: str = PUBLIC) -> Moment:
    """The game as of record `to` (the last if None), as `audience` (public, arbiter or a seat) knew
    it then.

    Raises BadReplay for a record or seat that is not there, or a seat whose knowledge the file does
    not hold. Raises its subclass BadEvidence if the file's effects do not make a board.
    """
    genesis = found.genesis
    if genesis is None or not found.records:
        raise BadReplay("audit.use.to", last=0)
    last = len(found.records) - 1
    at = last if to is None else to
    if not 0 <= at <= last:
        raise BadReplay("audit.use.to", last=last)
    if audience not in (PUBLIC, ARBITER, *genesis.seats):
        raise BadReplay("audit.use.seat", seat=audience, seats=genesis.seats)
    if (
        audience in genesis.seats
        and found.seals
        and not any(opening.readers for opening in found.openings.values())
    ):
        raise BadReplay("audit.use.openings", seat=audience)
    for record in found.records[: at + 1]:
        try:
            check(record)
        except BadShape as error:
            what = f"{place_in(record, error.path)}: {error.what}"
            raise BadEvidence("audit.replay.record", record=record.seq, what=what) from error
    known = _known(found, at, audience)
    boards = BoardHistory()
    told = []
    for record in found.records[: at + 1]:
        try:
            effects = effects_of(record, known.get(record.seq, ()))
            check_effects(effects)
            boards.fold(record.seq, effects)
        except (
            TypeError,
            ValueError,
            LookupError,
        ) as error:  # NotCanonical, BadEffect and TooLarge are ValueErrors
            raise BadEvidence("audit.replay.record", record=record.seq, what=str(error)) from error
        told.append((record, effects))
    return Moment(
        genesis,
        found.records[at],
        last,
        boards.now,
        seated(genesis.seats, found.records[: at + 1]),
        tuple(told),
    )


def _known(found: Evidence, at: int, audience: str) -> dict[int, list[Opening]]:
    """The openings of effects that the audience had by then, by record. Whatever was opened to all
    by then, everybody has."""
    public: set[tuple[int, tuple[int, ...]]] = set()
    for record in found.records[: at + 1]:
        public.update((opening.seq, opening.path) for opening in openings_of(record))
    known: dict[int, list[Opening]] = {}
    for where, opening in sorted(found.openings.items(), key=lambda item: item[0]):
        if opening.seq <= at and (
            where in public or audience == ARBITER or audience in opening.readers
        ):
            known.setdefault(opening.seq, []).append(opening)
    return known
