"""Whole games for tests: random picks from what is offered, by one seeded player for each seat,
with takebacks and requests now and then.

The result is what a server would have on its disk: records, private openings, heads signed with a
key of its own.
"""

import hashlib
import random
from collections.abc import Callable, Mapping
from typing import Any

from attrs import define, field
from attrs import evolve as replace
from nacl.signing import SigningKey

from warledger.engine.kernel import door
from warledger.engine.kernel.door import Submission
from warledger.engine.kernel.ledger import Batch, Keys, Ledger, genesis_record, links_for
from warledger.engine.kernel.position import ENDED, PLAYING, Position
from warledger.engine.kernel.types import Rules, Seat
from warledger.engine.kernel.unsealing import left_sealed, portions
from warledger.protocol import canon
from warledger.protocol.board.choices import Choices, Picks, Refusal
from warledger.protocol.chance import dice
from warledger.protocol.chance.seal import Opening, pack_openings
from warledger.protocol.limits import REVEAL_BYTES_MAX
from warledger.protocol.log import chain, wlog
from warledger.protocol.log.bodies import By
from warledger.protocol.log.deskbodies import Claim, Clock, Ruled, Ruling
from warledger.protocol.log.records import END, Actor, Record
from warledger.protocol.seats import acts
from warledger.protocol.seats.acts import Hand

PICKS_TRIED_MAX = 400


def signing_key(name: str = "server") -> SigningKey:
    """A signing key that follows from a name."""
    return SigningKey(hashlib.sha256(f"key {name}".encode()).digest())


def some_bytes(seed: int, what: str) -> bytes:
    """32 bytes that stand for entropy."""
    return hashlib.sha256(f"{seed} {what}".encode()).digest()


def arbiter(name: str) -> tuple[str, str]:
    """Whoever is called so, as the actor of a record: an id of their own, which is not the name,
    and the name."""
    return f"id.{name}", name


@define
class Played:
    """A game being played or over. `hands` sign for the seats."""

    ledger: Ledger[Any]
    key: SigningKey
    records: list[Record]
    openings: list[tuple[Opening, ...]]
    positions: dict[int, Position[Any]] = field(factory=dict)
    at_ms: int = 1_700_000_000_000
    hands: dict[Seat, Hand] = field(factory=dict)

    @property
    def position(self) -> Position[Any]:
        """The position now."""
        return self.ledger.position

    def commit(self, made: Batch[Any] | Refusal) -> None:
        """Commit a batch that must not be a refusal."""
        assert isinstance(made, Batch), made
        self.ledger.commit(made)
        self.records.extend(made.records)
        self.openings.extend(made.openings)
        self.positions[made.last.seq] = made.position
        self.at_ms += 1000
        if made.records[-1].kind == END and not self.position.whole:
            self.open_the_rest()

    def open_the_rest(self, bytes_max: int = REVEAL_BYTES_MAX) -> None:
        """After the end, make public whatever is still hidden, as a server does."""
        kept = dict(enumerate(self.openings))
        for portion, last in list(portions(left_sealed(self.records, kept), bytes_max)):
            self.commit(self.ledger.propose_reveal(portion, self.at_ms, last=last))

    def submit(self, seat: Seat, *picks: str | int) -> None:
        """A command that must be accepted; its sender has seen the last record."""
        opened = self.position.opened(seat)
        assert opened is not None, f"{seat} is not asked"
        self.commit(self.ledger.propose_command(self.command(seat, opened, picks), self.at_ms))

    def command(self, seat: Seat, decision: int, picks: Picks) -> Submission:
        """A command as its seat would send it now."""
        seq, seen = self.position.seq, self.records[-1].hash
        id = some_bytes(seq, "id")[:16]
        blind = some_bytes(seq, "blind")
        digest = acts.picks_digest(self.ledger.genesis.hash, seat, decision, id, blind, picks)
        act = self.hands[seat].sign(acts.COMMAND, seen, (decision, id, digest))
        return Submission(
            seat, decision, picks, id, by=act.by.as_array(), blind=blind, digest=digest
        )

    def by(self, seat: Seat, kind: str, *body: Any) -> By:
        """An act of a seat that has seen everything."""
        return self.hands[seat].sign(kind, self.records[-1].hash, body).by

    def behind(self, to: int) -> Position[Any] | None:
        """A position behind a record to which a takeback may go back, where there is one."""
        found = (at for at in self.positions.values() if to == at.moved_on)
        return self.positions.get(to) or next(found, None)

    def take_back(self, seat: Seat, to: int) -> Batch[Any] | Refusal:
        """Propose a takeback."""
        return self.ledger.propose_takeback(
            seat, to, self.behind(to), self.at_ms, by=self.by(seat, acts.ASK, "takeback", to)
        )

    def draw(self, seat: Seat) -> Batch[Any] | Refusal:
        """Propose an offer of a draw."""
        return self.ledger.propose_draw(seat, self.at_ms, by=self.by(seat, acts.ASK, "draw", 0))

    def resign(self, seat: Seat) -> Batch[Any] | Refusal:
        """Propose a resignation."""
        return self.ledger.propose_resignation(
            seat, self.at_ms, by=self.by(seat, acts.ASK, "resign", 0)
        )

    def pause(self, seat: Seat, until: int = 0, *, adjourns: bool = False) -> Batch[Any] | Refusal:
        """Propose a pause, or to break the game off."""
        what = "adjourn" if adjourns else "pause"
        by = self.by(seat, acts.ASK, what, until)
        return self.ledger.propose_pause(seat, until, self.at_ms, by=by, adjourns=adjourns)

    def claim_time(self, seat: Seat) -> Batch[Any] | Refusal:
        """Claim the game, since another's flag has fallen."""
        by = self.by(seat, acts.ASK, "flag", 0)
        return self.ledger.propose_time(seat, self.at_ms, by=by)

    def clock(self, seat: Seat, body: Clock) -> Batch[Any] | Refusal:
        """Propose what a seat does about the clocks."""
        by = self.by(seat, acts.CLOCK, *body.signed)
        unsigned: Any = body
        return self.ledger.propose_clock(seat, replace(unsigned, by=by), self.at_ms, by=by)

    def note(self, actor: Actor, body: Ruling) -> Batch[Any] | Refusal:
        """Propose a claim, or something about one: by a seat, which signs it, or by an arbiter."""
        if not isinstance(actor, str) or actor not in self.hands or not hasattr(body, "by"):
            return self.ledger.propose_note(actor, body, self.at_ms)
        by = self.by(actor, acts.RULING, *body.signed)
        unsigned: Any = body
        return self.ledger.propose_note(actor, replace(unsigned, by=by), self.at_ms, by=by)

    def claim(self, seat: Seat, at_seq: int, n: int = 1) -> Batch[Any] | Refusal:
        """Propose a claim of a seat."""
        return self.note(seat, Claim(n, seat, at_seq, "9.2", "The third die was not mine."))

    def rule(
        self,
        actor: Actor,
        n: int,
        *remedies: tuple[Any, ...],
        finding: str = "upheld",
        **more: Any,
    ) -> Batch[Any] | Refusal:
        """Propose a ruling; `corrections` are the picks of those that it names."""
        body = Ruled(n, finding, "9.2", "As the clause says.", remedies or (("stand",),))
        back = [rest[0] for word, *rest in remedies if word == "back"]
        then = self.behind(back[0]) if back else None
        picks = more.get("corrections", ())
        return self.ledger.propose_ruling(actor, body, then, picks, self.at_ms)

    def answer(self, seat: Seat, consents: bool) -> Batch[Any] | Refusal:
        """Propose an answer to the request that waits."""
        ask = self.position.ask
        seq, to = (ask.seq, ask.to) if ask is not None else (0, 0)
        by = self.by(seat, acts.ANSWER, seq, consents)
        return self.ledger.propose_answer(
            seat, consents, self.behind(to), self.at_ms, ask_seq=seq, by=by
        )

    def order(self, seat: Seat, *orders: tuple[Any, ...]) -> Batch[Any] | Refusal:
        """Propose other standing answers."""
        blind = some_bytes(self.position.seq, "blind")
        digest = acts.orders_digest(self.ledger.genesis.hash, seat, blind, orders)
        by = self.by(seat, acts.ORDERS, digest)
        return self.ledger.propose_orders(seat, orders, blind, digest, self.at_ms, by=by)

    def frames(self) -> list[wlog.Frame]:
        """The game file's frames as a server's store holds them: secrets too."""
        out = []
        for record, openings in zip(self.records, self.openings, strict=True):
            out.append(wlog.Frame(wlog.FRAME_RECORD, record.data))
            if openings:
                out.append(wlog.Frame(wlog.FRAME_OPENINGS, pack_openings(openings)))
            if record.seq == 0:
                out.append(wlog.Frame(wlog.FRAME_SECRETS, self.ledger.keys.as_payload()))
        out.append(wlog.Frame(wlog.FRAME_HEAD, self.head_payload(len(self.records) - 1)))
        return out

    def head_payload(self, seq: int) -> bytes:
        """A signed head for a record."""
        return canon.pack(
            chain.sign_head(self.key, self.ledger.game, seq, self.records[seq].hash).as_array()
        )

    def file(self) -> bytes:
        """A sealed file with everything in it but the secrets frame."""
        frames = [frame for frame in self.frames() if frame.kind != wlog.FRAME_SECRETS]
        return wlog.encode(frames, sealed=True)


def begin(
    rules: Rules[Any],
    pack: Mapping[str, Any],
    *,
    seed: int = 0,
    options: Mapping[str, Any] | None = None,
    game: str = "g1",
    key: SigningKey | None = None,
    digest: bytes = bytes(32),
    start: bool = True,
    terms: Mapping[str, Any] | None = None,
    links: int = 0,
) -> Played:
    """A new game with every seat taken and every nonce shown (unless `start` is false). `links` is
    how many its dice have, if not as many as it may need."""
    key = key or signing_key()
    root, hidden, salts = (some_bytes(seed, what) for what in ("root", "hidden", "salts"))
    keys = Keys(root, hidden, salts, length=links or links_for(rules, pack, options or {}))
    genesis = genesis_record(
        rules,
        game=game,
        options=options or {},
        pack=canon.pack(canon.ordered(pack)),
        digest=digest,
        keys=keys,
        server_key=key.verify_key.encode(),
        at_ms=1_700_000_000_000,
        terms=terms,
    )
    played = Played(Ledger(rules, genesis, keys), key, [genesis], [()])
    played.hands = {
        seat: Hand(genesis.hash, seat, signing_key(f"{game} {seed} {seat}")) for seat in rules.seats
    }
    if start:
        sit_down(played, seed)
    return played


def sit_down(played: Played, seed: int) -> None:
    """Take every seat and show every nonce."""
    ledger = played.ledger
    genesis, seats = ledger.genesis, ledger.genesis.seats
    nonces = {seat: some_bytes(seed, f"nonce {seat}") for seat in seats}
    for seat in seats:
        account, name = arbiter(f"p_{seat}")
        hashed = dice.bound_nonce_hash(genesis.hash, seat, nonces[seat])
        by = played.by(seat, acts.TAKEN, account, name, hashed, "test")
        taken = ledger.propose_seat(
            seat, name, hashed, played.at_ms, by=by, account=account, client="test"
        )
        played.commit(taken)
    roster = ledger.roster
    for seat in seats:
        by = played.by(seat, acts.NONCE, nonces[seat], roster)
        played.commit(ledger.propose_nonce(seat, nonces[seat], played.at_ms, by=by, roster=roster))


Chooser = Callable[[random.Random, Choices], "str | int | None"]


def any_pick(rng: random.Random, choices: Choices) -> str | int | None:
    """One of what is offered, all alike; None to stop where the command is complete."""
    options: list[str | int | None] = [option.id for option in choices.options]
    if choices.span is not None:
        options.append(rng.randint(*choices.span))
    if choices.complete:
        options.append(None)
    return rng.choice(options)


def random_picks(
    rng: random.Random,
    rules: Rules[Any],
    at: Position[Any],
    seat: Seat,
    chooser: Chooser = any_pick,
) -> Picks:
    """A whole command of random picks. Raises AssertionError at a dead end."""
    picks: Picks = ()
    for _ in range(PICKS_TRIED_MAX):
        found = door.choices(rules, at, seat, picks)
        assert isinstance(found, Choices), f"{seat} {picks}: offered, then refused: {found}"
        if found.is_end:
            assert found.complete, f"{seat} {picks}: a dead end in {found.slot}"
            return picks
        pick = chooser(rng, found)
        if pick is None:
            return picks
        picks = (*picks, pick)
    raise AssertionError(f"{seat}: a command without end: {picks[:20]}")


def play_on(
    played: Played, rng: random.Random, *, commands: int = 100_000, requests: float = 0.0
) -> Played:
    """Play random commands until the game ends or `commands` were made. `requests` is how often
    somebody asks for a takeback or the like."""
    rules = played.ledger.rules
    for _ in range(commands):
        at = played.position
        if at.stage == ENDED:
            break
        if requests and rng.random() < requests:
            _request(played, rng)
            if played.position.stage == ENDED:
                break
            at = played.position
        seat = rng.choice([seat for seat, *_ in at.open])
        played.submit(seat, *random_picks(rng, rules, at, seat))
        rules.invariants(played.position.state)
    return played


def play(rules: Rules[Any], pack: Mapping[str, Any], seed: int, **given: Any) -> Played:
    """A whole random game."""
    requests = given.pop("requests", 0.0)
    commands = given.pop("commands", 100_000)
    return play_on(
        begin(rules, pack, seed=seed, **given),
        random.Random(seed),
        commands=commands,
        requests=requests,
    )


def _request(played: Played, rng: random.Random) -> None:
    """A free takeback, or one by consent (given or not), or a draw that is declined."""
    at = played.position
    if at.undo and rng.random() < 0.5:
        played.commit(played.take_back(at.undo_seat, rng.choice(at.undo)))
        return
    seats = [entry.seat for entry in at.seats]
    if at.ask is None:
        seat = rng.choice(seats)
        targets = [
            then.moved_on
            for seq, then in played.positions.items()
            if seq < at.seq and then.stage == PLAYING and then.opened(seat) is not None
        ]
        if rng.random() < 0.2 or not targets:
            played.commit(played.draw(seat))
        else:
            played.commit(played.take_back(seat, rng.choice(targets[-6:])))
            if played.position.ask is None:
                return
    ask = played.position.ask
    assert ask is not None
    if rng.random() < 0.3:
        return
    for seat in seats:
        current = played.position.ask
        if seat != ask.seat and current is not None and seat not in current.consents:
            consents = ask.kind == "takeback" and rng.random() < 0.7
            played.commit(played.answer(seat, consents))
