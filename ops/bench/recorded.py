"""Games for a benchmark to play: recorded once in process, then resubmitted to a server command by
command."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable
from typing import Any, Final

from nacl.signing import SigningKey

from warledger.engine.kernel import door
from warledger.engine.kernel.door import Submission
from warledger.engine.kernel.ledger import Batch, Ledger, genesis_record
from warledger.engine.kernel.position import Position
from warledger.engine.runtime.titles import Title, installed
from warledger.protocol.board.choices import Choices
from warledger.protocol.chance import dice
from warledger.protocol.chance.secrets import Keys
from warledger.protocol.log.chain import Signer
from warledger.protocol.log.records import Record
from warledger.protocol.seats import acts
from warledger.protocol.seats.acts import Hand

Commands = list[tuple[str, int, tuple[Any, ...], str, str]]
"""Seat, decision, picks, the record that the seat had seen, its signature (both in hexadecimal)."""

AT_MS: Final = 4_102_444_800_000
"""When recorded games begin: in a future that no server's clock has come to. No record is dated
before the one it follows. So each of a game that is played again is the same to the byte, and what
its seats sign can be signed beforehand."""


def title_named(name: str) -> Title:
    """An installed title, or the tests' counting toy."""
    if name == "counting":
        from tests.toys import counting

        return Title(counting.RULES, counting.PACK, bytes(32))
    return installed()[name]


def offered(name: str) -> dict[str, Title]:
    """A server's titles: this one alone."""
    return {name: title_named(name)}


def nonce_of(seat: str) -> bytes:
    """The nonce that a recorded game's seat gave, and gives again."""
    return hashlib.sha256(seat.encode()).digest()


def key_of(game: str, seat: str) -> SigningKey:
    """What a seat of a benchmark's game signs with."""
    return SigningKey(hashlib.sha256(f"{game} {seat}".encode()).digest())


def hand_of(genesis: bytes, game: str, seat: str, n: int = 0) -> Hand:
    """What signs a seat's acts in a benchmark's game. `n` is the number of the newest act already
    signed."""
    return Hand(genesis, seat, key_of(game, seat), n)


def roster_of(genesis: bytes, game: str, seats: Iterable[str]) -> bytes:
    """The hash of what the seats of a benchmark's game commit to; each is called by its seat's
    name."""
    return acts.roster_hash(
        genesis,
        [
            (seat, "", seat, key_of(game, seat).verify_key.encode(), nonce_hash_of(genesis, seat))
            for seat in seats
        ],
    )


def nonce_hash_of(genesis: bytes, seat: str) -> bytes:
    """What a seat commits to in place of its nonce."""
    return dice.bound_nonce_hash(genesis, seat, nonce_of(seat))


def id_of(number: int) -> bytes:
    """The id of a benchmark's command."""
    return number.to_bytes(8, "big")


BLIND: Final = bytes(32)
"""Of every command: nothing here is secret."""


def digest_of(
    genesis: bytes, seat: str, decision: int, number: int, picks: tuple[Any, ...]
) -> bytes:
    """What a command's seat signs in place of its picks."""
    return acts.picks_digest(genesis, seat, decision, id_of(number), BLIND, picks)


def command_of(
    hand: Hand, seen: bytes, decision: int, picks: tuple[Any, ...], number: int
) -> Submission:
    """A signed command."""
    digest = digest_of(hand.genesis, hand.seat, decision, number, picks)
    act = hand.sign(acts.COMMAND, seen, (decision, id_of(number), digest))
    return Submission(
        hand.seat, decision, picks, id_of(number), by=act.by.as_array(), blind=BLIND, digest=digest
    )


def sit_down(ledger: Ledger[Any]) -> tuple[dict[str, Hand], list[Batch[Any]]]:
    """Take every seat and show every nonce; what signs for each seat from then on, and what was
    committed."""
    genesis, game, seats = ledger.genesis.hash, ledger.game, ledger.rules.seats
    hands = {seat: hand_of(genesis, game, seat) for seat in seats}
    batches = []
    for seat in seats:
        hashed = nonce_hash_of(genesis, seat)
        act = hands[seat].sign(acts.TAKEN, ledger.last.hash, ("", seat, hashed, "bench"))
        batches.append(
            _commit(ledger, ledger.propose_seat(seat, seat, hashed, 0, by=act.by, client="bench"))
        )
    roster = roster_of(genesis, game, seats)
    for seat in seats:
        act = hands[seat].sign(acts.NONCE, ledger.last.hash, (nonce_of(seat), roster))
        batches.append(
            _commit(ledger, ledger.propose_nonce(seat, nonce_of(seat), 0, by=act.by, roster=roster))
        )
    return hands, batches


def record(
    title: Title,
    game: str,
    signer: Signer,
    most: int,
    options: dict[str, Any],
    terms: dict[str, Any] | None = None,
) -> tuple[Record, Keys, Commands, list[Batch[Any]]]:
    """A random game played in process: its genesis, secrets, commands and batches. Resubmitted
    under that genesis, with the same nonces, its dice and records are the same. So every command is
    accepted again as it was signed. `terms` may give it clocks."""
    rng = random.Random(game)
    keys = Keys(rng.randbytes(32), rng.randbytes(32), rng.randbytes(32))
    genesis = genesis_record(
        title.rules,
        game=game,
        options=options,
        pack=title.pack_bytes,
        digest=title.digest,
        keys=keys,
        server_key=signer.public,
        at_ms=AT_MS,
        terms=terms,
    )
    ledger: Ledger[Any] = Ledger(title.rules, genesis, keys)
    hands, batches = sit_down(ledger)
    commands: Commands = []
    while len(commands) < most and ledger.position.open:
        seat, opened, _ = rng.choice(ledger.position.open)
        picks = some_picks(title, ledger.position, seat, rng)
        command = command_of(hands[seat], ledger.last.hash, opened, picks, len(commands))
        seen, signature = (command.by or ())[2:]
        commands.append((seat, opened, picks, seen.hex(), signature.hex()))
        batches.append(_commit(ledger, ledger.propose_command(command, 0)))
    return genesis, keys, commands, batches


def some_picks(
    title: Title, position: Position[Any], seat: str, rng: random.Random
) -> tuple[Any, ...]:
    """A whole command at random from what is offered."""
    picks: tuple[Any, ...] = ()
    while True:
        choices = door.choices(title.rules, position, seat, picks)
        assert isinstance(choices, Choices)
        if choices.is_end or (choices.complete and rng.random() < 0.5):
            return picks
        pick: Any = rng.randint(*choices.span) if choices.span else rng.choice(choices.options).id
        picks = (*picks, pick)


def _commit(ledger: Ledger[Any], batch: Any) -> Batch[Any]:
    assert isinstance(batch, Batch), batch
    ledger.commit(batch)
    return batch
