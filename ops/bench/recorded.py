"""Games for a benchmark to play: recorded once in process, then resubmitted to a server command by command."""

from __future__ import annotations

import hashlib
import random
from typing import Any

from engine.kernel import door
from engine.kernel.door import Command
from engine.kernel.ledger import Batch, Ledger, genesis_record
from engine.kernel.position import Position
from engine.runtime.answers import Signer
from engine.runtime.titles import Title, installed
from protocol import dice
from protocol.choices import Choices
from protocol.records import Record
from protocol.secrets import Keys

Commands = list[tuple[str, int, tuple[Any, ...]]]
"""Seat, decision, picks."""


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


def record(title: Title, game: str, signer: Signer, most: int, options: dict[str, Any]) -> tuple[Record, Keys, Commands, list[Batch[Any]]]:
    """A random game played in process: its genesis, secrets, commands and batches. Resubmitted under that genesis, with the same nonces,
    its dice fall alike, so every command is accepted again."""
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
        at_ms=0,
    )
    ledger: Ledger[Any] = Ledger(title.rules, genesis, keys)
    seats = title.rules.seats
    batches = [_commit(ledger, ledger.propose_seat(seat, seat, dice.nonce_hash(game, seat, nonce_of(seat)), 0)) for seat in seats]
    batches += [_commit(ledger, ledger.propose_nonce(seat, nonce_of(seat), 0)) for seat in seats]
    commands: Commands = []
    while len(commands) < most and ledger.position.open:
        seat, opened = rng.choice(ledger.position.open)
        picks = some_picks(title, ledger.position, seat, rng)
        commands.append((seat, opened, picks))
        batches.append(_commit(ledger, ledger.propose_command(Command(seat, opened, picks), 0)))
    return genesis, keys, commands, batches


def some_picks(title: Title, position: Position[Any], seat: str, rng: random.Random) -> tuple[Any, ...]:
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
