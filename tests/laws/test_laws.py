"""Laws that hold for every title: what is offered is accepted, nothing else is, no path is a dead end, a log folds to what was live.

All games here are random and seeded; the seed is in the failing test's message or id.
"""

import random
from collections.abc import Iterator
from typing import Any

import pytest
from attrs import evolve

from clients.audit.audit import Rulebook, audit
from clients.link.story import effects_of
from engine.kernel import door, flow, replay
from engine.kernel.audience import PUBLIC, entitled
from engine.kernel.ledger import Batch, Ledger
from engine.kernel.position import ENDED, PLAYING, Position
from engine.kernel.types import Rules, Seat
from protocol import chain, records
from protocol.canon import Seal
from protocol.choices import Choices, Picks, Refusal
from protocol.effects import REWIND, Board, BoardHistory, Piece, unpack
from protocol.seal import Secret
from tests.laws.titles import Case, every_case, every_title, game
from tests.toys.play import Played, begin, play, play_on, random_picks, unsigned

JUNK: tuple[Any, ...] = ("", "no such thing", -1, 0, 2**60, 1.5, None, b"x", True, ("verb",))


def positions(case: Case, seed: int, most: int) -> Iterator[Position[Any]]:
    """At most so many positions of a random game in which somebody is asked, spread over it."""
    played = game(case.name, seed)
    waiting = [at for _, at in sorted(played.positions.items()) if at.stage == PLAYING and at.open]
    yield from waiting[:: max(1, len(waiting) // most)]


def tree(rules: Rules[Any], at: Position[Any], seat: Seat, rng: random.Random, bound: int) -> Iterator[tuple[Picks, Choices]]:
    """Prefixes that are offered, breadth first, with at most `bound` looked at; wide levels are sampled."""
    level: list[Picks] = [()]
    looked = 0
    while level and looked < bound:
        following: list[Picks] = []
        for picks in level:
            found = door.choices(rules, at, seat, picks)
            assert isinstance(found, Choices), f"{picks} was offered, then refused: {found}"
            yield picks, found
            looked += 1
            if looked >= bound:
                return
            nexts: list[str | int] = [option.id for option in found.options]
            if found.span is not None:
                low, high = found.span
                nexts.extend({low, high, rng.randint(low, high)})
            following.extend((*picks, pick) for pick in nexts)
        rng.shuffle(following)
        level = following[:bound]


@every_case
def test_random_games_end(case: Case) -> None:
    """Games of random offered picks, takebacks among them, run to their end without a fault and with every invariant kept."""
    for seed in range(case.seeds):
        played = game(case.name, seed)
        assert played.position.stage == ENDED, f"seed {seed}: not over after {len(played.records)} records"
        assert played.position.outcome is not None


@every_case
def test_no_offered_prefix_is_a_dead_end(case: Case) -> None:
    """From every prefix on offer some whole command can be reached, and nothing is offered twice."""
    rng = random.Random(1)
    for at in positions(case, 0, 20):
        for seat, _ in at.open:
            for picks, found in tree(case.rules, at, seat, rng, 60):
                assert found.complete or not found.is_end, f"record {at.seq}: dead end after {picks}"
                ids = [option.id for option in found.options]
                assert len(ids) == len(dict.fromkeys(ids)), f"record {at.seq}: offered twice after {picks}: {ids}"
            whole = random_picks(rng, case.rules, at, seat)
            assert whole, f"record {at.seq}: an empty command"


class Beside:
    """A ledger beside a played game, to try commands at any of its positions without changing anything."""

    def __init__(self, case: Case, played: Played) -> None:
        self.played = played
        self.ledger: Ledger[Any] = Ledger(case.rules, played.records[0], played.ledger.keys)

    def attempt(self, at: Position[Any], seat: Seat, picks: Any) -> Batch[Any] | Refusal:
        """Submit a command at a position."""
        if self.ledger.position is not at:
            self.ledger.resume(at, self.played.records[at.seq], {}, (), ())
        return self.ledger.propose_command(unsigned(self.ledger, seat, at.opened(seat) or 0, picks), 0)


@every_case
def test_offered_is_accepted_and_nothing_else_is(case: Case) -> None:
    """A complete command of offered picks is accepted; an incomplete one, or one with a pick not on offer, is refused as a value with a
    key and changes nothing."""
    rng = random.Random(2)
    beside = Beside(case, game(case.name, 0))
    for at in positions(case, 0, 12):
        for seat, _ in at.open:
            seen = list(tree(case.rules, at, seat, rng, 20))
            elsewhere = list(dict.fromkeys(option.id for _, found in seen for option in found.options))
            rng.shuffle(elsewhere)
            for picks, found in seen:
                result = beside.attempt(at, seat, picks)
                assert isinstance(result, Batch) is found.complete, f"record {at.seq}: {picks} complete={found.complete}, got {result}"
                if isinstance(result, Refusal):
                    assert result.key == "refusal.incomplete" or result.rule, result
                for junk in (*JUNK, *elsewhere[:8]):
                    if type(junk) in (str, int) and found.offers(junk):
                        continue
                    refused = beside.attempt(at, seat, (*picks, junk))
                    assert isinstance(refused, Refusal) and refused.key, f"record {at.seq}: {(*picks, junk)} was accepted"


@every_title
def test_the_wrong_seat_never_changes_the_hash(case: Case) -> None:
    """A seat that is not asked, a seat that does not exist, and a decision that is closed are refused; position and head stay."""
    rng = random.Random(3)
    played = begin(case.rules, case.pack, seed=5, options=case.options)
    for _ in range(60):
        at = played.position
        if at.stage == ENDED:
            break
        asked = [seat for seat, _ in at.open]
        head = played.ledger.last.hash
        picks = random_picks(rng, case.rules, at, asked[0])
        for seat in (*case.rules.seats, "", "nobody", "server"):
            if seat not in asked:
                for decision in (0, at.seq, at.open[0][1]):
                    refused = played.ledger.propose_command(unsigned(played.ledger, seat, decision, picks), 0)
                    assert isinstance(refused, Refusal), seat
        for wrong in (0, 1, at.seq + 1, at.open[0][1] - 1):
            if wrong != at.open[0][1]:
                stale = played.ledger.propose_command(unsigned(played.ledger, asked[0], wrong, picks), 0)
                assert isinstance(stale, Refusal) and stale.key == "refusal.stale"
        assert played.position is at
        assert played.ledger.last.hash == head
        play_on(played, rng, commands=1)


@every_case
def test_replay_is_live_to_the_bit(case: Case) -> None:
    """Folding the records gives the very position that was live after each batch, takebacks included, from the bytes alone."""
    for seed in range(min(case.seeds, 3)):
        played = game(case.name, seed)
        log = list(chain.follow([record.data for record in played.records]))
        assert [record.data for record in log] == [record.data for record in played.records]
        openings = {record.seq: found for record, found in zip(played.records, played.openings, strict=True)}
        replayer = replay.fold(case.rules, log, openings, keep=played.positions)
        for seq, live in played.positions.items():
            assert replayer.kept[seq] == live, f"seed {seed}: after record {seq}"


@every_case
def test_evolve_never_fails_on_what_was_emitted(case: Case) -> None:
    """A log cut after any record still folds, and a fold of a fold's beginning goes on to the same end."""
    played = game(case.name, 0)
    openings = {record.seq: found for record, found in zip(played.records, played.openings, strict=True)}
    whole = replay.fold(case.rules, played.records, openings).position
    half = len(played.records) // 2
    targets = replay.takeback_targets(played.records)
    first = replay.fold(case.rules, played.records[: half + 1], openings, keep=targets)
    for record in played.records[half + 1 :]:
        first.feed(record, openings.get(record.seq, ()))
    assert first.position == whole


@every_case
def test_the_fold_of_effects_is_the_picture_of_the_state(case: Case) -> None:
    """The board that a client of each audience folds from all effects shows what the rules draw of the state itself, as far as that
    audience may know: pieces, markers, tracks, counts."""
    for seed in range(min(case.seeds, 2)):
        played = game(case.name, seed)
        looked_at = frozenset(at.seq for at in positions(case, seed, 60)) | {len(played.records) - 1}
        for audience in (PUBLIC, *case.rules.seats):
            boards = BoardHistory()
            began = next(record.seq for record in played.records if record.kind == records.COMMAND)
            for record, openings in zip(played.records, played.openings, strict=True):
                boards.fold(record.seq, effects_of(record, entitled(openings, audience)))
                at = played.positions.get(record.seq)
                if at is None or record.seq < began or record.seq not in looked_at:
                    continue
                drawn = Board()
                for effect in case.rules.picture(at.state):
                    drawn.apply(known_to(effect, audience))
                where = f"seed {seed}, record {record.seq}, {audience}"
                assert told(boards.now.pieces) == told(drawn.pieces), where
                assert told(boards.now.marks) == told(drawn.marks), where
                assert told(boards.now.tracks) == told(drawn.tracks), where
                assert told(boards.now.counts) == told(drawn.counts), where
                assert boards.now.awaits == tuple(seat for seat, _ in at.open) or at.stage == ENDED, where


def known_to(value: Any, audience: str) -> Any:
    """An effect as an audience sees it: its secrets filled in, the others as seals that all look alike."""
    if type(value) is Secret:
        return value.value if audience in value.readers else Seal(bytes(32))
    return tuple(known_to(item, audience) for item in value) if type(value) is tuple else value


def told(shown: Any) -> Any:
    """A part of a board with its seals made alike, and without what is nothing (a track at 0, an empty box)."""
    alike = {key: alike_seals(value) for key, value in shown.items()}
    return {key: value for key, value in alike.items() if value not in (0, "", None)}


def alike_seals(value: Any) -> Any:
    """The same with every seal the same one."""
    if type(value) is Seal:
        return Seal(bytes(32))
    if type(value) is Piece:
        return Piece(alike_seals(value.place), alike_seals(value.face), alike_seals(value.owner))
    return value


@every_case
def test_a_takeback_never_crosses_new_information(case: Case) -> None:
    """Between a free takeback's target and the request lie only commands of that seat, without a draw and without an opening."""
    for seed in range(case.seeds):
        played = game(case.name, seed)
        for at in played.positions.values():
            if not at.undo:
                continue
            for record in live_records(played, at.seq, at.undo[0]):
                if record.kind == records.COMMAND:
                    assert record.body[records.COMMAND_SEAT] == at.undo_seat, f"seed {seed}: {at.seq} back to {at.undo[0]}"
                    assert not record.body[records.DRAWS] and not record.body[records.OPENED]


def live_records(played: Played, end: int, start: int) -> list[records.Record]:
    """The records after `start` up to `end` that no takeback among them undid."""
    kept: list[records.Record] = []
    for record in played.records[: end + 1]:
        if record.kind == records.TAKEBACK:
            kept = [item for item in kept if item.seq <= record.body[1]]
        else:
            kept.append(record)
    return [record for record in kept if record.seq > start]


@every_title
def test_dice_never_go_back(case: Case) -> None:
    """Counter and epoch only grow over a whole log, takebacks included; no chance is drawn while another seat is asked."""
    for seed in range(case.seeds):
        counter = 0
        epoch = opened = 0
        for record in game(case.name, seed).records:
            if record.kind == records.COMMAND:
                for drawn_epoch, drawn, _, _ in record.body[records.DRAWS]:
                    assert drawn == counter
                    counter += 1
                    if drawn_epoch:
                        assert drawn_epoch >= epoch and drawn_epoch > opened
                        epoch = drawn_epoch
            elif record.kind == records.OPEN:
                assert record.body[0] == opened + 1
                opened += 1


@every_title
def test_every_takeback_tells_clients(case: Case) -> None:
    """Every takeback's effects rewind the board to the record it goes back to."""
    for seed in range(case.seeds):
        for record in game(case.name, seed).records:
            if record.kind == records.TAKEBACK:
                assert unpack(record.body[2])[0] == (REWIND, record.body[1])


@every_case
def test_what_a_seat_may_not_know_changes_nothing_it_is_offered(case: Case) -> None:
    """States that differ only in facts hidden from a seat ask it the same, offer it the same, preview the same and refuse it the same."""
    alternatives = case.alternatives
    if alternatives is None:
        pytest.skip(f"no permuter of hidden facts is known for {case.title}")
    rng = random.Random(4)
    for seed in range(min(case.seeds, 5)):
        for at in positions(case, seed, 16):
            for seat in case.rules.seats:
                for other in alternatives(at.state, seat):
                    same_for_seat(case.rules, at, evolve(at, state=other), seat, rng)


def same_for_seat(rules: Rules[Any], at: Position[Any], other: Position[Any], seat: Seat, rng: random.Random) -> None:
    """Assert that a seat cannot tell two positions apart by what it is asked, offered, shown and refused."""
    asked, asked_there = flow.deciders(rules, at), flow.deciders(rules, other)
    assert set(asked) == set(asked_there)
    assert asked.get(seat) == asked_there.get(seat)
    if at.opened(seat) is None:
        return
    step, frame = flow.step_of(rules, at.top), at.top
    for picks, found in tree(rules, at, seat, rng, 25):
        assert door.choices(rules, other, seat, picks) == found
        assert door.preview(rules, other, seat, picks) == door.preview(rules, at, seat, picks)
        for junk in ("no such thing", 999):
            if not found.offers(junk):
                assert step.refusal(at, frame, seat, (*picks, junk)) == step.refusal(other, frame, seat, (*picks, junk))


@every_title
def test_the_same_seed_gives_the_same_bytes(case: Case) -> None:
    """A game played again from the same seed is the same file to the bit."""
    one = game(case.name, 0)
    again = begin(case.rules, case.pack, seed=0, options=case.options)
    play_on(again, random.Random(0), commands=case.commands, requests=0.1)
    assert [record.hash for record in again.records] == [record.hash for record in one.records]


@pytest.mark.long
@every_case
def test_many_games_audit_sound(case: Case) -> None:
    """Twelve more random games of each case run to the end, and their files pass both levels of the audit."""
    rulebook = Rulebook(lambda title: case.rules)
    for seed in range(100, 112):
        played = play(case.rules, case.pack, seed, options=case.options, requests=0.1, commands=case.commands)
        assert played.position.stage == ENDED, f"seed {seed}"
        report, _ = audit(played.file(), rulebook=rulebook)
        assert report.sound and report.level == 2, f"seed {seed}: {report.findings[:3]} {report.notes}"


@every_title
def test_a_game_of_each_title_audits_sound(case: Case) -> None:
    """A random game's file passes both levels: every record is made again to the byte."""
    report, _ = audit(game(case.name, 0).file(), rulebook=Rulebook(lambda title: case.rules))
    assert report.sound and report.level == 2, f"{report.findings[:3]} {report.notes}"


@every_case
def test_who_answers_last_decides_no_die(case: Case) -> None:
    """Where several seats are asked at once nothing is drawn until the last has answered; and whoever that is, the same dice fall for the
    same things: their order is that of the genesis's seats and of the rules, never that of the answers."""
    rng = random.Random(9)
    met = 0
    for seed in range(case.seeds):
        played = game(case.name, seed)
        several = [at for _, at in sorted(played.positions.items()) if at.stage == PLAYING and len(at.open) > 1]
        for at in several[:: max(1, len(several) // 10)]:
            met += 1
            seats = [seat for seat, _ in at.open]
            picks = {seat: random_picks(rng, case.rules, at, seat) for seat in seats}
            drawn = []
            for order in (seats, seats[::-1]):
                ledger: Ledger[Any] = Ledger(case.rules, played.records[0], played.ledger.keys)
                ledger.resume(at, played.records[at.seq], {}, [item for kept in played.openings[: at.seq + 1] for item in kept], ())
                for place, seat in enumerate(order):
                    now = ledger.position
                    if now.opened(seat) is None:  # answered for, or asked something else
                        break
                    batch = ledger.propose_command(unsigned(ledger, seat, now.opened(seat) or 0, picks[seat]), 0)
                    assert isinstance(batch, Batch), f"seed {seed}, record {at.seq}: {seat} {picks[seat]}: {batch}"
                    first = batch.records[0].body
                    if place + 1 < len(order):
                        assert first[records.DRAWS] == (), f"seed {seed}, record {at.seq}: drawn before the last had answered"
                    ledger.commit(batch)
                opened = [(d[:3], d[3] if type(d[3]) is not Seal else None) for d in first[records.DRAWS]]
                drawn.append((opened, ledger.position.state, ledger.position.counter))
            assert drawn[0] == drawn[1], f"seed {seed}, record {at.seq}: the order of the answers decides what is drawn"
    if case.name in SEVERAL_ASKED:
        assert met, f"{case.name}: nobody was ever asked at the same time as somebody else"


SEVERAL_ASKED = ("recall", "victory_lost", "typhoon")
"""Titles that always ask several seats at once somewhere."""
