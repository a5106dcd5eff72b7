"""What docs/cheating.md says nobody would notice: each is done here, and the file audits as if it
had not been.

These tests hold the page to its word. One that fails has found a way to notice, and the page should
say so.
"""

import random
from typing import Any

from tests.toys import PACKS, TOYS
from tests.verdicts import findings_of, is_clean
from warledger.clients.audit.audit import Rulebook, audit
from warledger.engine.kernel.writing import SeedChance
from warledger.engine.runtime.game.gameexport import export_game
from warledger.engine.testing.randomgames import (
    Played,
    begin,
    play_on,
    signing_key,
    sit_down,
    some_bytes,
)
from warledger.protocol.canon import Seal
from warledger.protocol.chance import dice
from warledger.protocol.chance.seal import unpack_openings
from warledger.protocol.log import records, wlog
from warledger.protocol.log.chain import sign_head
from warledger.protocol.seats import acts
from warledger.protocol.seats.acts import Hand

RULEBOOK = Rulebook(TOYS.__getitem__)


def played(**given: Any) -> Played:
    """A game of the counting toy under way."""
    return begin(TOYS["counting"], PACKS["counting"], options={"turns": 2}, **given)


def verdict(game: Played) -> Any:
    """The audit of a finished game, with the server's key at hand."""
    return audit(game.file(), key=game.key.verify_key.encode(), rulebook=RULEBOOK)[0]


def test_the_operator_knows_dice_to_come() -> None:
    """From the secrets and the nonces the server works out the next die before anybody has moved;
    the game's file is sound."""
    game = played()
    chance = SeedChance(game.ledger.keys.seeds(game.ledger.game, game.position.nonces))
    foretold = chance.open(game.position.epoch, game.position.counter, "roll", 6)
    game.submit("a", "roll")
    drawn = game.records[-1].body[records.DRAWS][0]
    chance = SeedChance(game.ledger.keys.seeds(game.ledger.game, game.position.nonces))
    assert drawn[3][1] == chance.open(drawn[0], drawn[1], drawn[2], drawn[3][0])
    assert 0 <= foretold < 6
    play_on(game, random.Random(1))
    assert is_clean(verdict(game))


def test_the_operator_reads_what_a_seat_hides() -> None:
    """Picks that the log seals lie open on the server, before the game has ended; the game's file
    is sound."""
    game = begin(TOYS["recall"], PACKS["recall"])
    game.submit("axis", "ax1", "ax2", "nobody")
    assert type(game.records[-1].body[records.PICKS]) is Seal
    frames = [frame.payload for frame in game.frames() if frame.kind == wlog.FRAME_OPENINGS]
    values = [opening.value for payload in frames for opening in unpack_openings(payload)]
    assert any(
        type(value) is tuple and value and value[0] == ("ax1", "ax2", "nobody") for value in values
    )
    play_on(game, random.Random(1))
    assert is_clean(verdict(game))


def test_the_operator_sits_at_a_seat() -> None:
    """Somebody else's key in seat b makes as sound a file; only the table's code is another."""
    honest, other = played(start=False), played(start=False)
    other.hands["b"] = Hand(other.ledger.genesis.hash, "b", signing_key("the operator's own"))
    codes = []
    for game in (honest, other):
        sit_down(game, 0)
        entries = [
            (entry.seat, entry.account, entry.name, entry.taken_key)
            for entry in game.position.seats
        ]
        codes.append(acts.table_code(game.ledger.genesis.hash, entries, game.position.nonces))
        play_on(game, random.Random(1))
        assert is_clean(verdict(game))
    assert codes[0] != codes[1]


def test_two_players_agree_on_a_result() -> None:
    """A resignation at the first move is a resignation, whatever was said before it."""
    game = played()
    game.commit(game.resign("a"))
    assert (
        is_clean(verdict(game))
        and game.position.outcome is not None
        and game.position.outcome.winner == "b"
    )


def test_times_are_the_servers_word() -> None:
    """A game whose records all carry the hour that the server liked is as sound."""
    game = played()
    game.at_ms = 1_999_999_999_000
    play_on(game, random.Random(1))
    assert is_clean(verdict(game))


def test_a_lapse_tells_whose_nonce_is_missing_and_nothing_else() -> None:
    """A game that lapsed after one nonce was shown names the seat whose nonce the log lacks; whom
    to blame it cannot say, and does not."""
    game = played(start=False)
    ledger, at = game.ledger, game.at_ms

    nonces = {seat: some_bytes(0, f"nonce {seat}") for seat in ledger.genesis.seats}
    for seat in ledger.genesis.seats:
        hashed = dice.bound_nonce_hash(ledger.genesis.hash, seat, nonces[seat])
        game.commit(
            ledger.propose_seat(
                seat,
                seat,
                hashed,
                at,
                by=game.by(seat, acts.TAKEN, "", seat, hashed, "test"),
                client="test",
            )
        )
    roster = ledger.roster
    game.commit(
        ledger.propose_nonce(
            "a", nonces["a"], at, by=game.by("a", acts.NONCE, nonces["a"], roster), roster=roster
        )
    )
    game.commit(ledger.propose_expiry(at))
    end = next(record for record in game.records if record.kind == records.END)
    winner, key, args, *_ = end.body
    assert (winner, key, args) == (None, "outcome.lapsed", (("seats", ("b",)),))
    assert is_clean(verdict(game))


def test_a_file_holds_no_key() -> None:
    """Of a finished game's file a thief gets no key: neither a seat's nor the server's. (The end
    opens the root of its dice, with which nothing more can be done.)"""
    game = play_on(played(), random.Random(1))
    data = export_game(game.frames())
    seats = [hand._key.encode() for hand in game.hands.values() if hand._key is not None]
    for secret in (game.key.encode(), *seats):
        assert secret not in data


def test_whoever_holds_every_key_writes_what_they_like() -> None:
    """Server and both seats in one hand: the same genesis played on in two ways gives two sound
    files. A head of the first that a spectator kept shows that the second is another."""
    first, second = (play_on(played(), random.Random(seed)) for seed in (1, 2))
    assert (
        first.records[0].hash == second.records[0].hash
        and first.records[-1].hash != second.records[-1].hash
    )
    assert is_clean(verdict(first)) and is_clean(verdict(second))
    parted = next(
        one.seq
        for one, other in zip(first.records, second.records, strict=False)
        if one.hash != other.hash
    )
    kept = [sign_head(first.key, first.ledger.game, parted, first.records[parted].hash)]
    report = audit(
        second.file(), key=second.key.verify_key.encode(), receipts=kept, rulebook=RULEBOOK
    )[0]
    assert not is_clean(report) and parted in [finding.seq for finding in findings_of(report)]
