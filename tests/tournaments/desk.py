"""A tournament in memory, for tests: acts in a line, results signed as a game's end is, and the
file as the server would export it, or forged."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from nacl.signing import SigningKey

from warledger.engine.desk.matching import matched
from warledger.engine.desk.titled import titled
from warledger.engine.tournaments import charterform
from warledger.engine.tournaments.playing import game_id
from warledger.engine.tournaments.tournamentledger import Again, Batch, Ledger, Submission, found
from warledger.engine.tournaments.tournamentposition import Board, Position
from warledger.protocol import canon
from warledger.protocol import tournaments as forms
from warledger.protocol.board.choices import Pick, Refusal
from warledger.protocol.chance import dice
from warledger.protocol.chance.seal import Opening, pack_openings
from warledger.protocol.chance.secrets import Keys
from warledger.protocol.log import records, wlog
from warledger.protocol.log.chain import sign_head
from warledger.protocol.log.records import Record

KEY = SigningKey(hashlib.sha256(b"the server of these tests").digest())
PUBLIC = KEY.verify_key.encode()
START_MS = 1_760_000_000_000
MINUTE = 60_000


def charter_of(doc: Mapping[str, Any] | None = None, **more: Any) -> Any:
    """A charter for tests: War at Sea, all play all, unless the document says otherwise."""
    base: dict[str, Any] = {
        "name": "Test Cup",
        "title": "war_at_sea",
        "stage": [{"system": "round_robin", "tiebreaks": ["direct", "lots"]}],
        "sides": {"by": "balance"},
    }
    checked = charterform.read({**base, **(doc or {}), **more})
    assert checked.charter is not None, [finding.text for finding in checked.findings]
    return checked.charter


class Desk:
    """A tournament, its server's key, and everything that was committed."""

    def __init__(self, charter: Any = None, *, name: str = "cup", seed: int = 1) -> None:
        seeds = [hashlib.sha256(f"{seed} {part}".encode()).digest() for part in "rhs"]
        self.keys = Keys(*seeds)
        self.at_ms = START_MS
        first = found(name, charter or charter_of(), self.keys, PUBLIC, bytes(32), self.at_ms)
        self.ledger = Ledger(first, self.keys, titled)
        self.log: list[Record] = [first]
        self.openings: dict[int, tuple[Opening, ...]] = {}
        self.sent = 0
        self.showing = True
        """Whether everybody shows their nonce as soon as it is waited for."""
        self.do("server", "grant", "director", "dora", "Dora")
        self.do("server", "grant", "arbiter", "arno", "Arno")

    @property
    def at(self) -> Position:
        """Where the tournament stands."""
        return self.ledger.position

    def propose(
        self, who: str, *picks: Pick, act_id: bytes = b"", seen: bytes | None = None
    ) -> Batch | Again | Refusal:
        """What the ledger makes of an act, by somebody who has seen everything."""
        self.sent += 1
        act_id = act_id or self.sent.to_bytes(4, "big")
        seen = self.ledger.last.hash if seen is None else seen
        return self.ledger.propose(Submission(who, picks, act_id, seen), self.at_ms, matched)

    def do(self, who: str, *picks: Pick, act_id: bytes = b"") -> Record:
        """Carry an act out. Returns its record; of the first that asks for a lot, the one with
        which it goes on once all nonces are shown."""
        batch = self.propose(who, *picks, act_id=act_id)
        assert isinstance(batch, Batch), (who, picks, batch)
        self._commit(batch)
        if self.showing and batch.records[0].actor != who and self.at.waits:
            for number in self.at.missing:
                self.do("server", "show", number, self.nonce(number).hex())
            return self.do("server", *self.at.asked)
        return batch.records[batch.act]

    def _commit(self, batch: Batch) -> None:
        self.ledger.commit(batch)
        for record, openings in zip(batch.records, batch.openings, strict=True):
            self.log.append(record)
            if openings:
                self.openings[record.seq] = openings

    def refused(self, who: str, *picks: Pick, seen: bytes | None = None) -> tuple[str, str]:
        """The clause and the key of an act's refusal."""
        answer = self.propose(who, *picks, seen=seen)
        assert isinstance(answer, Refusal), (who, picks, answer)
        return answer.rule, answer.key.removeprefix("refusal.tournament.")

    # --- whole steps ------------------------------------------------------------------------------

    def enter(self, count: int, *, nonces: bool = True) -> None:
        """So many entrants: P1, P2 … with ratings that fall, and commitments to nonces."""
        for _ in range(count):
            number = len(self.at.entrants) + 1
            hashed = dice.bound_nonce_hash(self.at.founding.hash, f"e:{number}", self.nonce(number))
            commitment = hashed.hex() if nonces else "-"
            picks = (f"P{number}", f"acc{number}", 2000 - number, commitment)
            self.do(f"e:{number}", "enter", *picks)

    @staticmethod
    def nonce(number: int) -> bytes:
        """The nonce of an entrant."""
        return hashlib.sha256(f"nonce {number}".encode()).digest()

    def check_in(self, numbers: Iterable[int]) -> None:
        """Check entrants in."""
        for number in numbers:
            self.do(f"e:{number}", "check_in", number)

    def start_round(self) -> None:
        """Pair and publish."""
        self.do("d:dora", "pair")
        self.do("d:dora", "publish")

    def open_games(self) -> None:
        """Name a game for every board whose sides are settled."""
        assert self.at.last is not None
        for board in self.at.last.boards:
            if board.seated and not board.game and board.verdict is None:
                game = game_id(self.at, self.at.last.number, board.number)
                genesis = hashlib.sha256(game.encode()).hexdigest()
                self.do("server", "opened", board.number, game, genesis)

    def report(self, board: Board, winner: str, *scores: int, by: str = "rules") -> Record:
        """The end of a board's game, signed."""
        assert self.at.last is not None
        picks = self.proof(self.at.last.number, board, winner, *scores, by=by)
        return self.do("server", "report", *picks)

    def proof(
        self, round: int, board: Board, winner: str, *scores: int, by: str = "rules"
    ) -> tuple[Pick, ...]:
        """The picks of a report."""
        hash = hashlib.sha256(f"end of {board.game}".encode()).digest()
        head = sign_head(KEY, board.game, 90, hash)
        signed = (90, hash.hex(), head.signature.hex())
        return (round, board.number, *signed, by, winner, *scores)

    def play_round(self, winners: Sequence[int] = ()) -> None:
        """Pair, publish, open all games and report them: the lower number wins by 3."""
        self.start_round()
        self.open_games()
        self.report_all()

    def report_all(self) -> None:
        """Report every game: the lower number wins, by 3."""
        assert self.at.last is not None
        seats = self.at.seats(self.at.last.number)
        for board in self.at.last.boards:
            if board.verdict is None:
                first = board.entrants[0] < board.entrants[1]
                self.report(board, seats[0 if first else 1], *((3, 0) if first else (0, 3)))

    # --- files ------------------------------------------------------------------------------------

    def file(self, *, arbiter: bool = False, records: int | None = None) -> bytes:
        """The exported file, signed."""
        return written(self.log[:records], self.openings if arbiter else {})

    def forged(self, seq: int, change: Any, *, sign: bool = True) -> bytes:
        """The file with the body of a record changed and everything after it chained anew, as a
        cheating host who has the key would write it."""
        log = list(self.log[:seq])
        for record in self.log[seq:]:
            body = change(record.body) if record.seq == seq else record.body
            last = log[-1].hash if log else records.NO_HASH
            actor = body[0] if record.kind == forms.ACT else record.actor
            log.append(records.make(record.seq, record.at_ms, actor, record.kind, body, last))
        return written(log, {})


def written(log: Sequence[Record], openings: Mapping[int, tuple[Opening, ...]]) -> bytes:
    """A sealed file of these records, with the signed head of the last."""
    frames = []
    for record in log:
        frames.append(wlog.Frame(wlog.FRAME_RECORD, record.data))
        if record.seq in openings:
            private = pack_openings(openings[record.seq])
            frames.append(wlog.Frame(wlog.FRAME_OPENINGS, private))
    tournament = log[0].body[1]
    head = sign_head(KEY, tournament, log[-1].seq, log[-1].hash)
    frames.append(wlog.Frame(wlog.FRAME_HEAD, canon.pack(head.as_array())))
    return wlog.encode(frames, sealed=True)


__all__ = ["KEY", "MINUTE", "PUBLIC", "Desk", "charter_of", "written"]
