"""The ledger of one tournament: turns acts into records, and records into the position.

A batch is proposed, made durable by the caller, and committed; until then nothing has changed. One
act is one batch: what must follow it (the link after a round is published, the end) is in it.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from typing import Any, Final

from attrs import frozen

from warledger.engine.tournaments import charterform, tournamentdoor
from warledger.engine.tournaments.charter import Charter
from warledger.engine.tournaments.deeds import own_number
from warledger.engine.tournaments.fold import BadEvent
from warledger.engine.tournaments.lots import Unrostered
from warledger.engine.tournaments.pairing import Pairs
from warledger.engine.tournaments.rostering import ROSTERED, roster_of
from warledger.engine.tournaments.tournamentposition import Position, TitleOf, begin, link_opened
from warledger.protocol import canon
from warledger.protocol import tournaments as forms
from warledger.protocol.board.choices import Choices, Picks, Refusal, refuse
from warledger.protocol.chance import dice
from warledger.protocol.chance.seal import Opening, Secret, conceal, salt_key_commitment
from warledger.protocol.chance.secrets import Keys
from warledger.protocol.limits import EPOCHS_MAX, SEEN_RECORDS_MAX
from warledger.protocol.log import records
from warledger.protocol.log.records import SERVER, CorruptLog, Record

VERSION: Final = "1"
"""The version of the rules of tournaments, in every charter's record."""


@frozen
class Submission:
    """What somebody submits: who, their picks, their own id for it, and the hash of the newest
    record that they had seen (b"" for none)."""

    who: str
    picks: Picks
    act_id: bytes = b""
    seen: bytes = b""


@frozen
class Again:
    """The act had been carried out before, as record `seq`."""

    seq: int


@frozen
class Batch:
    """Records that are committed together or not at all. `openings[i]` are the private openings
    that belong to `records[i]`, and `records[act]` is the act itself, or the roster that it asked
    for."""

    records: tuple[Record, ...]
    openings: tuple[tuple[Opening, ...], ...]
    position: Position
    act: int = 0

    @property
    def seq(self) -> int:
        """The record that the act has become."""
        return self.records[self.act].seq


def found(
    tournament: str,
    charter: Charter,
    keys: Keys,
    server_key: bytes,
    digest: bytes,
    at_ms: int,
) -> Record:
    """The first record of a tournament: its charter, and what its server commits to."""
    body = forms.Charter(
        records.FORMAT,
        tournament,
        VERSION,
        digest,
        charter.settings(),
        keys.link(0),
        dice.hidden_commitment(tournament, keys.hidden),
        salt_key_commitment(tournament, keys.salts),
        server_key,
    ).as_body()
    canon.check(body)
    return records.make(0, at_ms, SERVER, forms.CHARTER, body, records.NO_HASH)


class Ledger:
    """A tournament in memory, with its server's secrets."""

    def __init__(self, first: Record, keys: Keys, title_of: TitleOf) -> None:
        founding = forms.Charter.from_record(first)
        self.keys = keys
        self.tournament = founding.tournament
        self.position = begin(founding, charterform.of_settings(founding.settings), title_of)
        self.founded_ms = first.at_ms
        self.last = first
        self._acts: dict[tuple[str, bytes], int] = {}
        self._seqs: dict[bytes, int] = {first.hash: 0}
        self._recent: list[bytes] = [first.hash]
        self._sealed: dict[int, Opening] = {}

    def copy(self) -> Ledger:
        """Another ledger that stands where this one does: what is committed to one does not touch
        the other."""
        made = copy.copy(self)
        made._acts, made._seqs = dict(self._acts), dict(self._seqs)
        made._recent, made._sealed = list(self._recent), dict(self._sealed)
        return made

    # --- reading ----------------------------------------------------------------------------------

    def choices(self, who: str, picks: Picks = ()) -> Choices | Refusal:
        """What may follow the picks of somebody, or why not."""
        return tournamentdoor.choices(self.position, who, picks)

    def load(self, log: Iterable[Record], openings: Mapping[int, tuple[Opening, ...]]) -> None:
        """Fold the records after the first, which must have been verified to follow it. Raises
        CorruptLog."""
        for record in log:
            position = self.position
            if record.kind == forms.OPEN:
                position = link_opened(position, record.seq)
            elif record.kind == forms.ACT:
                act = forms.Act.from_record(record)
                try:
                    position = tournamentdoor.folded(
                        position, act.who, act.events, record.seq, record.at_ms
                    )
                except BadEvent as error:
                    raise CorruptLog(record.seq, "events", str(error)) from error
            self._keep(record, openings.get(record.seq, ()), position)

    def entered_as(self, act_id: bytes) -> int:
        """The number of the entrant who entered by the act with this id; 0 for nobody."""
        found = (own_number(who) for who, known in self._acts if known == act_id)
        return next((number for number in found if number is not None), 0)

    # --- writing ----------------------------------------------------------------------------------

    def propose(
        self, submission: Submission, at_ms: int, matcher: Pairs | None = None
    ) -> Batch | Again | Refusal:
        """The records of an act, or why it is refused. The same id of the same actor is the same
        act, however often it is sent. `matcher` is what a Swiss system pairs with; nothing else
        needs it. Nothing changes here, so that a long pairing can be computed in a thread."""
        who, picks = submission.who, submission.picks
        if submission.act_id and (who, submission.act_id) in self._acts:
            return Again(self._acts[who, submission.act_id])
        refused = self._stale(submission)
        if refused is not None:
            return refused
        at_ms = max(at_ms, self.last.at_ms)
        seq = self.last.seq + 1
        try:
            decided = tournamentdoor.decide(
                self.position, who, picks, seq, at_ms, self._seed, self._picks_under_seal, matcher
            )
        except Unrostered:
            return self._rostered(submission, at_ms, matcher)
        if isinstance(decided, Refusal):
            return decided
        if forms.OPEN in decided.owed and self.position.epoch >= EPOCHS_MAX:
            return refuse("", "refusal.tournament.links", most=EPOCHS_MAX)
        return self._written(submission, decided, seq, at_ms)

    def _rostered(
        self, submission: Submission, at_ms: int, matcher: Pairs | None
    ) -> Batch | Again | Refusal:
        """The roster, which the first act that asks for a lot becomes. With an empty one nothing is
        waited for, and the act follows at once."""
        empty = not roster_of(self.position)
        # The server carries the act out under its own id once the wait has ended.
        id = b"" if empty or submission.who == SERVER else submission.act_id
        asked = Submission(SERVER, (ROSTERED, submission.who, *submission.picks), id)
        made = self.propose(asked, at_ms, matcher)
        if not empty or not isinstance(made, Batch):
            return made
        draft = self.copy()
        draft.commit(made)
        then = draft.propose(submission, at_ms, matcher)
        if not isinstance(then, Batch):
            return then
        records, openings = made.records + then.records, made.openings + then.openings
        return Batch(records, openings, then.position, act=len(made.records))

    def commit(self, batch: Batch) -> None:
        """Take over a batch that is durable."""
        for index, record in enumerate(batch.records):
            last = index == len(batch.records) - 1
            self._keep(record, batch.openings[index], batch.position if last else self.position)

    def _written(
        self, submission: Submission, decided: tournamentdoor.Decided, seq: int, at_ms: int
    ) -> Batch:
        who = submission.who
        picks: Any = submission.picks
        if decided.sealed:
            picks = Secret(picks, (who,))
        opened = tuple(self._sealed[number] for number in decided.opens)
        body: tuple[Any, ...] = forms.Act(
            who,
            picks,
            submission.act_id,
            # A record that is none of this ledger's was not seen in it: no auditor could tell such
            # a hash from that of a record which was changed afterwards.
            submission.seen if submission.seen in self._seqs else b"",
            decided.draws,
            decided.events,
            tournamentdoor.packed(decided.effects),
            opened,
        ).as_body()
        private: list[Opening] = []
        if decided.sealed:
            body, private = conceal(self.tournament, self.keys.salts, seq, forms.ACT, body)
        canon.check(body)
        made = [records.make(seq, at_ms, who, forms.ACT, body, self.last.hash)]
        openings = [tuple(private)]
        position = decided.position
        if forms.OPEN in decided.owed:
            epoch = position.epoch
            made.append(self._next(made[-1], forms.OPEN, (epoch, self.keys.link(epoch))))
            openings.append(())
            position = link_opened(position, made[-1].seq)
        if forms.END in decided.owed:
            left = tuple(self._sealed[number] for number in sorted(self._sealed))
            links = ((position.epoch, self.keys.link(position.epoch)),)
            end = forms.End(left, links, self.keys.hidden, self.keys.salts)
            made.append(self._next(made[-1], forms.END, end.as_body()))
            openings.append(())
        return Batch(tuple(made), tuple(openings), position)

    def _next(self, last: Record, kind: str, body: tuple[Any, ...]) -> Record:
        return records.make(last.seq + 1, last.at_ms, SERVER, kind, body, last.hash)

    def _keep(self, record: Record, openings: tuple[Opening, ...], position: Position) -> None:
        self.last, self.position = record, position
        self._seqs[record.hash] = record.seq
        self._recent.append(record.hash)
        if len(self._recent) > SEEN_RECORDS_MAX:
            del self._seqs[self._recent.pop(0)]
        if record.kind == forms.ACT:
            act = forms.Act.from_record(record)
            if act.act_id:
                # The roster answers whoever asked for a lot.
                asked = type(act.picks) is tuple and act.picks[0] == ROSTERED
                self._acts[act.picks[1] if asked else act.who, act.act_id] = record.seq
            for opening in act.opened:
                self._sealed.pop(opening.seq, None)
            for opening in openings:
                self._sealed[record.seq] = opening

    def _stale(self, submission: Submission) -> Refusal | None:
        """Who changes pairings or results must have seen what was changed last: of two directors
        at once the second has to look again."""
        role, _ = forms.role_of(submission.who)
        if role == SERVER or not tournamentdoor.moves(submission.picks):
            return None
        seen = self._seqs.get(submission.seen)
        if seen is None or seen < self.position.moved:
            return refuse("", "refusal.tournament.stale", record=self.position.moved)
        return None

    def _seed(self, epoch: int, nonces: tuple[bytes, ...]) -> bytes:
        return dice.open_seed(self.tournament, self.keys.link(epoch), nonces)

    def _picks_under_seal(self, seq: int) -> Picks | None:
        opening = self._sealed.get(seq)
        return None if opening is None else tuple(opening.value)
