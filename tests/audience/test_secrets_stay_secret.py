"""Pairs of games that differ only in a secret: what other audiences receive is the same to the
byte, seals, hashes and signatures masked.

What an audience receives of the kernel is compared here: records, private openings, signed heads,
questions, choices, previews, refusals.
"""

import random
from collections.abc import Callable
from typing import Any

import pytest

from tests.laws.hidden import open_part, outcome
from tests.laws.titles import PLAIN, Case, every_case, game
from tests.toys import PACKS, TOYS
from warledger.engine.kernel import door
from warledger.engine.kernel.ledger import Batch, Ledger, unsigned
from warledger.engine.runtime.game.gameexport import export_game
from warledger.engine.testing.randomgames import Played, begin, random_picks
from warledger.protocol import canon
from warledger.protocol.audience import PUBLIC, entitled
from warledger.protocol.board.choices import Choices, Refusal
from warledger.protocol.canon import Seal
from warledger.protocol.chance.seal import pack_openings
from warledger.protocol.log import records, wlog

MASK = bytes(32)


def masked(value: Any) -> Any:
    """A value with every seal the same one, and so every hash, key and signature of a length."""
    if type(value) is Seal:
        return Seal(MASK)
    if type(value) is bytes and len(value) in (32, 64):
        return bytes(len(value))
    if type(value) is tuple and any(type(item) in (Seal, tuple, bytes) for item in value):
        return tuple(masked(item) for item in value)
    return value


def masked_record(record: records.Record) -> bytes:
    """A record's bytes with seals and hashes masked."""
    body = masked(record.body)
    if record.kind == records.COMMAND:
        effects = canon.pack(masked(canon.unpack(record.body[records.EFFECTS])))
        body = (*body[: records.EFFECTS], effects, *body[records.EFFECTS + 1 :])
    return canon.pack((record.seq, record.at_ms, record.actor, record.kind, body, MASK))


def received(played: Played, audience: str) -> list[tuple[bytes, int, bytes]]:
    """All that an audience gets of a game's records: masked bytes, true length, and its openings
    (values in the clear)."""
    out = []
    for record, openings in zip(played.records, played.openings, strict=True):
        mine = pack_openings(entitled(openings, audience))
        if record.hash not in _masked:
            _masked[record.hash] = masked_record(record)
        out.append((_masked[record.hash], len(record.data), mine))
    return out


_masked: dict[bytes, bytes] = {}
"""What `masked_record` makes of the records of a game, which is looked at again after each
command."""


def offered(played: Played, seat: str) -> list[Any]:
    """All that a seat can ask about its present decision: its question, every choice two picks
    deep, previews and refusals."""
    at, rules = played.position, played.ledger.rules
    out: list[Any] = [door.pending(rules, at, seat)]
    level: list[tuple[Any, ...]] = [()]
    for _ in range(2):
        following: list[tuple[Any, ...]] = []
        for picks in level:
            found = door.choices(rules, at, seat, picks)
            out.append(
                (
                    picks,
                    found,
                    door.preview(rules, at, seat, picks),
                    door.choices(rules, at, seat, (*picks, "no such thing")),
                )
            )
            if isinstance(found, Choices):
                following.extend((*picks, option.id) for option in found.options)
        level = following
    for decision, picks in (
        (at.seq, ("no such thing",)),
        (0, ("pass",)),
        (at.opened(seat) or 0, ()),
    ):
        result = played.ledger.propose_command(
            unsigned(played.ledger, seat, decision, picks), played.at_ms
        )
        out.append(result if isinstance(result, Refusal) else "accepted")
    return out


def counting(word: str) -> Played:
    """b hides a word; play goes on."""
    played = begin(TOYS["counting"], PACKS["counting"], options={"turns": 10})
    for seat, picks in (
        ("a", ("roll",)),
        ("b", ("hide", word)),
        ("a", ("draw",)),
        ("b", ("add", 2)),
        ("a", ("pass",)),
        ("b", ("pass",)),
    ):
        played.submit(seat, *picks)
    return played


def recall(*picks: str) -> Played:
    """Axis has written its secret choice; Soviet has not."""
    played = begin(TOYS["recall"], PACKS["recall"])
    played.submit("axis", *picks)
    return played


def window(reserve: str) -> Played:
    """Both have chosen and chits are drawn until a window opens; Axis, with the general or without
    him, lets it pass."""
    played = begin(TOYS["recall"], PACKS["recall"], seed=4)
    played.submit("axis", "ax1", "ax2", reserve)
    played.submit("soviet", "so1", "so2")
    assert played.position.opened("axis") is not None
    played.submit("axis", "pass")
    return played


PAIRS: dict[str, tuple[Callable[[], Played], Callable[[], Played], str]] = {
    "a hidden word": (lambda: counting("antelope"), lambda: counting("caterpillar"), "b"),
    "chits in the cup": (
        lambda: recall("ax1", "ax2", "nobody"),
        lambda: recall("ax2", "ax3", "nobody"),
        "axis",
    ),
    "a general in reserve": (
        lambda: recall("ax1", "ax2", "nobody"),
        lambda: recall("ax1", "ax2", "general"),
        "axis",
    ),
    "a window not used": (lambda: window("nobody"), lambda: window("general"), "axis"),
}


@pytest.mark.parametrize("name", PAIRS)
def test_others_receive_the_same_bytes(name: str) -> None:
    """To the public and to every other seat both games look alike: records, lengths, openings,
    questions, choices, refusals."""
    one, other, owner = PAIRS[name][0](), PAIRS[name][1](), PAIRS[name][2]
    for audience in (PUBLIC, *one.ledger.rules.seats):
        if audience != owner:
            assert received(one, audience) == received(other, audience), audience
            if audience != PUBLIC:
                assert offered(one, audience) == offered(other, audience), audience


@pytest.mark.parametrize("name", PAIRS)
def test_the_pairs_do_differ(name: str) -> None:
    """The secret is there: its owner's openings tell the two games apart."""
    one, other, owner = PAIRS[name][0](), PAIRS[name][1](), PAIRS[name][2]
    assert received(one, owner) != received(other, owner)


@pytest.mark.parametrize("name", PAIRS)
def test_the_same_value_hidden_twice_makes_two_seals(name: str) -> None:
    """No two seals of a game are alike, though they hide the same value; so none can be guessed
    from another."""
    played = PAIRS[name][0]()
    seals = [
        seal.digest
        for record in played.records
        if record.kind == records.COMMAND
        for seal in flat((record.body, canon.unpack(record.body[records.EFFECTS])))
    ]
    assert seals and len(seals) == len(dict.fromkeys(seals))


def flat(value: Any) -> list[Seal]:
    """Every seal in a value."""
    if type(value) is Seal:
        return [value]
    return [seal for item in value for seal in flat(item)] if type(value) is tuple else []


def test_planted_ids_are_nowhere() -> None:
    """The hidden word stands in no byte that the public or the other seat can get before it is
    shown; afterwards it does."""
    played = counting("caterpillar")
    for audience in (PUBLIC, "a"):
        data = export_game(played.frames(), audience)
        at_work = data.replace(played.records[0].data, b"")  # the pack lists all words there are
        assert b"caterpillar" not in at_work, audience
    assert b"caterpillar" in export_game(played.frames(), "b").replace(played.records[0].data, b"")
    played.submit("a", "pass")
    played.submit("b", "show")
    assert b"caterpillar" in export_game(played.frames()).replace(played.records[0].data, b"")


@every_case
def test_what_is_written_in_secret_looks_alike_to_others(case: Case) -> None:
    """Wherever a random game asks for sealed picks, answers that differ only in what is hidden make
    records that only their owner can tell apart, as long as no chance was drawn and nothing was
    opened at once. (Of a long game some thirty answers, from its beginning to its end.)"""
    written_alike(case, most=30)


@pytest.mark.long
def test_whatever_is_written_in_secret_looks_alike_to_others() -> None:
    """The same of every sealed answer of the game that has most of them."""
    case = max(PLAIN, key=lambda case: len(sealed(game(case.name, 0))))
    written_alike(case, most=len(game(case.name, 0).records))


def sealed(played: Played) -> list[records.Record]:
    """The records that hold sealed picks."""
    return [
        record
        for record in played.records
        if record.kind == records.COMMAND and type(record.body[records.PICKS]) is Seal
    ]


def written_alike(case: Case, *, most: int) -> None:
    """Answer up to about `most` of the sealed questions of a game, evenly chosen, again in other
    ways."""
    rng = random.Random(6)
    played = game(case.name, 0)
    ledger: Ledger[Any] = Ledger(case.rules, played.records[0], played.ledger.keys)
    asked = sealed(played)
    for record in asked[:: max(1, -(-len(asked) // most))]:
        at = played.positions.get(record.seq - 1)
        if at is None:
            continue
        ledger.resume(
            at,
            played.records[at.seq],
            {},
        )
        seat = record.body[records.COMMAND_SEAT]
        looks: dict[Any, Any] = {}
        for picks in answers(case, at, seat, rng):
            batch = ledger.propose_command(
                unsigned(ledger, seat, at.opened(seat) or 0, picks), record.at_ms
            )
            assert isinstance(batch, Batch)
            first = batch.records[0]
            if len(batch.records) > 1 or first.body[records.OPENED] or first.body[records.DRAWS]:
                continue
            others = [
                entitled(batch.openings[0], other) for other in case.rules.seats if other != seat
            ]
            look = (masked_record(first), len(first.data), others)
            seen = open_part(case.title, at.state, picks), outcome(case.title, batch.position)
            assert looks.setdefault(seen, look) == look, f"record {record.seq}: {picks}"


def answers(case: Case, at: Any, seat: str, rng: random.Random) -> list[Any]:
    """Random answers to a question, and each with one pick exchanged for another on offer."""
    found = [random_picks(rng, case.rules, at, seat) for _ in range(3)]
    for picks in tuple(found):
        for index in range(len(picks)):
            offered_here = door.choices(case.rules, at, seat, picks[:index])
            assert isinstance(offered_here, Choices)
            for option in offered_here.options[:6]:
                changed = (*picks[:index], option.id, *picks[index + 1 :])
                after = door.choices(case.rules, at, seat, changed)
                if isinstance(after, Choices) and after.complete:
                    found.append(changed)
    return found


def test_a_file_for_a_seat_holds_no_opening_of_another() -> None:
    """A seat's export of a whole random game opens only what that seat was given."""
    for case in PLAIN:
        played = game(case.name, 1)
        for seat in case.rules.seats:
            for frame in wlog.parse(export_game(played.frames(), seat)).frames:
                assert frame.kind != wlog.FRAME_SECRETS
                if frame.kind == wlog.FRAME_OPENINGS:
                    for opening in canon.unpack(frame.payload):
                        assert seat in opening[4]
