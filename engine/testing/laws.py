"""Laws that hold for every title: what is offered is accepted, nothing else is, no path is a dead
end, a log folds to what was live, a secret stays one.

A law is a function of a `Case`: a title under some options, with random games of it that are played
once for all laws. It raises AssertionError, whose message names seed and record, where the title
breaks it. `LAWS` is all of them. In a title's own tests:

    CASE = Case(RULES, pack, alternatives=alternatives)

    @pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
    def law(law):
        law(CASE)
"""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from attrs import define, field

from warledger.engine.kernel import door, replay, runs
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.ledger import Batch, Ledger, unsigned
from warledger.engine.kernel.position import ENDED, PLAYING, Position
from warledger.engine.kernel.types import Decision, Questioned, Rules, Seat
from warledger.engine.testing.randomgames import (
    Played,
    begin,
    play,
    play_on,
    random_picks,
)
from warledger.protocol.audience import PUBLIC, entitled
from warledger.protocol.board import description
from warledger.protocol.board.choices import Choices, Picks, Refusal
from warledger.protocol.board.effects import (
    COUNT,
    OPEN,
    PHASE,
    PUT,
    REWIND,
    SAY,
    TRACK,
    VEIL,
    Board,
    BoardHistory,
    Effect,
    Piece,
    unpack,
)
from warledger.protocol.canon import Seal
from warledger.protocol.chance.seal import Secret
from warledger.protocol.log import bodies, chain, records
from warledger.protocol.log.bodies import effects_of
from warledger.protocol.log.records import Record

JUNK: tuple[Any, ...] = ("", "no such thing", -1, 0, 2**60, 1.5, None, b"x", True, ("verb",))


@define(eq=False)
class Case:
    """What the laws are tried on: a title under some options.

    `alternatives`  for a state and a seat: states that differ only in what the seat may not know;
                    None for a title without secrets
    `options`       those that are not at their default
    `commands`      how long a random game may take; it must end within
    `ends`          unless it is only looked at so far, since a whole one takes too long
    `seeds`         how many random games are played
    `frequency`     how often somebody asks for a takeback or offers a draw
    """

    rules: Rules[Any]
    pack: Mapping[str, Any]
    alternatives: Callable[[Any, Seat], Iterable[Any]] | None = None
    options: Mapping[str, Any] = field(factory=dict, kw_only=True)
    commands: int = field(default=3000, kw_only=True)
    ends: bool = field(default=True, kw_only=True)
    seeds: int = field(default=3, kw_only=True)
    frequency: float = field(default=0.1, kw_only=True)
    _games: dict[int, Played] = field(factory=dict, init=False)

    def game(self, seed: int) -> Played:
        """A random game, played once for all laws that look at it."""
        if seed not in self._games:
            self._games[seed] = play(
                self.rules,
                self.pack,
                seed,
                options=self.options,
                requests=self.frequency,
                commands=self.commands,
            )
        return self._games[seed]


def positions(case: Case, seed: int, most: int) -> Iterator[Position[Any]]:
    """At most `most` positions of a random game in which somebody is asked, spread over it."""
    played = case.game(seed)
    waiting = [at for _, at in sorted(played.positions.items()) if at.stage == PLAYING and at.open]
    yield from waiting[:: max(1, len(waiting) // most)]


def tree(
    rules: Rules[Any], at: Position[Any], seat: Seat, rng: random.Random, bound: int
) -> Iterator[tuple[Picks, Choices]]:
    """Prefixes that are offered, breadth first, with at most `bound` looked at; wide levels are
    sampled."""
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


def random_games_end(case: Case) -> None:
    """Games of random offered picks and takebacks run to their end (or as far as is looked at)
    without a fault, with every invariant kept."""
    for seed in range(case.seeds):
        played = case.game(seed)
        if not case.ends:
            continue
        assert played.position.stage == ENDED, (
            f"seed {seed}: not over after {len(played.records)} records"
        )
        assert played.position.outcome is not None


def no_offered_prefix_is_a_dead_end(case: Case) -> None:
    """From every prefix on offer some whole command can be reached, and nothing is offered
    twice."""
    rng = random.Random(1)
    for at in positions(case, 0, 20):
        for seat, *_ in at.open:
            for picks, found in tree(case.rules, at, seat, rng, 60):
                assert found.complete or not found.is_end, (
                    f"record {at.seq}: dead end after {picks}"
                )
                ids = [option.id for option in found.options]
                assert len(ids) == len(dict.fromkeys(ids)), (
                    f"record {at.seq}: offered twice after {picks}: {ids}"
                )
            whole = random_picks(rng, case.rules, at, seat)
            assert whole, f"record {at.seq}: an empty command"


class Beside:
    """A ledger beside a played game, to try commands at any of its positions without changing
    anything."""

    def __init__(self, case: Case, played: Played) -> None:
        self.played = played
        self.ledger: Ledger[Any] = Ledger(case.rules, played.records[0], played.ledger.keys)

    def attempt(self, at: Position[Any], seat: Seat, picks: Any) -> Batch[Any] | Refusal:
        """Submit a command at a position."""
        if self.ledger.position is not at:
            self.ledger.resume(at, self.played.records[at.seq], {})
        return self.ledger.propose_command(
            unsigned(self.ledger, seat, at.opened(seat) or 0, picks), 0
        )


def offered_is_accepted_and_nothing_else_is(case: Case) -> None:
    """A complete command of offered picks is accepted. An incomplete one, or one with a pick not on
    offer, is refused as a value with a key and changes nothing."""
    rng = random.Random(2)
    beside = Beside(case, case.game(0))
    for at in positions(case, 0, 12):
        for seat, *_ in at.open:
            seen = list(tree(case.rules, at, seat, rng, 20))
            elsewhere = list(
                dict.fromkeys(option.id for _, found in seen for option in found.options)
            )
            rng.shuffle(elsewhere)
            for picks, found in seen:
                result = beside.attempt(at, seat, picks)
                assert isinstance(result, Batch) is found.complete, (
                    f"record {at.seq}: {picks} complete={found.complete}, got {result}"
                )
                if isinstance(result, Refusal):
                    assert result.key == "refusal.incomplete" or result.rule, result
                for junk in (*JUNK, *elsewhere[:8]):
                    if type(junk) in (str, int) and found.offers(junk):
                        continue
                    refused = beside.attempt(at, seat, (*picks, junk))
                    assert isinstance(refused, Refusal) and refused.key, (
                        f"record {at.seq}: {(*picks, junk)} was accepted"
                    )


def the_wrong_seat_never_changes_the_hash(case: Case) -> None:
    """A seat that is not asked, a seat that does not exist, and a decision that is closed are
    refused; position and head stay."""
    rng = random.Random(3)
    played = begin(case.rules, case.pack, seed=5, options=case.options)
    for _ in range(60):
        at = played.position
        if at.stage == ENDED:
            break
        asked = [seat for seat, *_ in at.open]
        head = played.ledger.last.hash
        picks = random_picks(rng, case.rules, at, asked[0])
        for seat in (*case.rules.seats, "", "nobody", "server"):
            if seat not in asked:
                for decision in (0, at.seq, at.open[0][1]):
                    refused = played.ledger.propose_command(
                        unsigned(played.ledger, seat, decision, picks), 0
                    )
                    assert isinstance(refused, Refusal), seat
        for wrong in (0, 1, at.seq + 1, at.open[0][1] - 1):
            if wrong != at.open[0][1]:
                stale = played.ledger.propose_command(
                    unsigned(played.ledger, asked[0], wrong, picks), 0
                )
                assert isinstance(stale, Refusal) and stale.key == "refusal.stale"
        assert played.position is at
        assert played.ledger.last.hash == head
        play_on(played, rng, commands=1)


def replay_is_live_to_the_bit(case: Case) -> None:
    """Folding the records gives the very position that was live after each batch, takebacks
    included, from the bytes alone."""
    for seed in range(min(case.seeds, 3)):
        played = case.game(seed)
        log = list(chain.follow([record.data for record in played.records]))
        assert [record.data for record in log] == [record.data for record in played.records]
        openings = {
            record.seq: found for record, found in zip(played.records, played.openings, strict=True)
        }
        replayer = replay.fold(case.rules, log, openings, keep=played.positions)
        for seq, live in played.positions.items():
            assert replayer.kept[seq] == live, f"seed {seed}: after record {seq}"


def folding_at_once_is_folding_one_by_one(case: Case) -> None:
    """What a server makes of the bytes of a log, wherever it ends, is what folding its records one
    by one gives: the position, those that takebacks may go back to, and each one asked for on the
    way."""
    for seed in range(min(case.seeds, 3)):
        played = case.game(seed)
        openings = {seq: found for seq, found in enumerate(played.openings) if found}
        every = range(len(played.records))
        slow = replay.fold(case.rules, played.records, openings, keep=every).kept
        some = max(1, len(played.records) // 40)

        def compare(
            record: Record,
            position: Callable[[], Position[Any]],
            seed: int = seed,
            slow: Mapping[int, Position[Any]] = slow,
            some: int = some,
        ) -> None:
            if record.seq % some == 0:
                assert position() == slow[record.seq], f"seed {seed}: after record {record.seq}"

        for end in sorted({*range(1, len(played.records), 7 * some), len(played.records)}):
            log = played.records[:end]
            one_by_one = replay.fold(case.rules, log, openings)
            at_once = runs.load(case.rules, [record.data for record in log], openings, compare)
            assert at_once.position == one_by_one.position, f"seed {seed}: {end} records"
            assert at_once.kept == one_by_one.kept, f"seed {seed}: {end} records"


def evolve_never_fails_on_what_was_emitted(case: Case) -> None:
    """A log cut after any record still folds, and a fold of a fold's beginning goes on to the same
    end."""
    played = case.game(0)
    openings = {
        record.seq: found for record, found in zip(played.records, played.openings, strict=True)
    }
    whole = replay.fold(case.rules, played.records, openings).position
    half = len(played.records) // 2
    targets = replay.takeback_targets(played.records)
    first = replay.fold(case.rules, played.records[: half + 1], openings, keep=targets)
    for record in played.records[half + 1 :]:
        first.feed(record, openings.get(record.seq, ()))
    assert first.position == whole


def the_fold_of_effects_is_the_picture_of_the_state(case: Case) -> None:
    """The board that each audience's client folds from all effects shows what the rules draw of the
    state, as far as that audience may know: pieces, markers, tracks, counts."""
    for seed in range(case.seeds):
        played = case.game(seed)
        most = max(4, 120 // case.seeds)
        looked_at = frozenset(at.seq for at in positions(case, seed, most)) | {
            len(played.records) - 1
        }
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
                    for shown in lifted(known_to(effect, audience)):
                        drawn.apply(shown)
                where = f"seed {seed}, record {record.seq}, {audience}"
                for part in ("pieces", "marks", "tracks", "counts"):
                    shown, drawn_part = told(getattr(boards.now, part)), told(getattr(drawn, part))
                    assert shown == drawn_part, f"{where}: {_differ(part, shown, drawn_part)}"
                assert (
                    boards.now.awaits == tuple(seat for seat, *_ in at.open) or at.stage == ENDED
                ), where


def _differ(part: str, shown: dict[Any, Any], drawn: dict[Any, Any]) -> str:
    """The first thing in which the fold of effects and the picture of the state differ."""
    key = next(
        key for key in (*drawn, *shown) if shown.get(key) != drawn.get(key) or key not in drawn
    )
    return (
        f"{part}: the effects so far show {shown.get(key, 'nothing')} for {key}, "
        f"the picture of the state {drawn.get(key, 'nothing')}"
    )


def known_to(value: Any, audience: str) -> Any:
    """An effect as an audience sees it: its secrets filled in, the others as seals that all look
    alike."""
    if type(value) is Secret:
        return value.value if audience in value.readers else Seal(bytes(32))
    return tuple(known_to(item, audience) for item in value) if type(value) is tuple else value


def lifted(effect: Any) -> Any:
    """What an effect shows: those under a veil, where the audience may lift it."""
    return effect[1] if effect[0] == VEIL and type(effect[1]) is tuple else (effect,)


def told(shown: Any) -> Any:
    """A part of a board with its seals made alike, and without what is nothing (a track at 0, an
    empty box)."""
    alike = {key: alike_seals(value) for key, value in shown.items()}
    return {key: value for key, value in alike.items() if value not in (0, "", None)}


def alike_seals(value: Any) -> Any:
    """A value with one and the same seal in place of each."""
    if type(value) is Seal:
        return Seal(bytes(32))
    if type(value) is Piece:
        return Piece(alike_seals(value.place), alike_seals(value.face), alike_seals(value.owner))
    return value


def a_takeback_never_crosses_new_information(case: Case) -> None:
    """Between a free takeback's target and the request lie only commands of that seat, without a
    draw and without an opening."""
    for seed in range(case.seeds):
        played = case.game(seed)
        for at in played.positions.values():
            if not at.undo:
                continue
            for record in live_records(played, at.seq, at.undo[0]):
                if record.kind == records.COMMAND:
                    command = bodies.CommandBody.read(record.body)
                    assert command.seat == at.undo_seat, (
                        f"seed {seed}: {at.seq} back to {at.undo[0]}"
                    )
                    assert not command.draws and not command.opened


def live_records(played: Played, end: int, start: int) -> list[records.Record]:
    """The records after `start` up to `end` that no takeback among them undid."""
    kept: list[records.Record] = []
    for record in played.records[: end + 1]:
        if record.kind == records.TAKEBACK:
            to = bodies.Takeback.read(record.body).to
            kept = [item for item in kept if item.seq <= to]
        else:
            kept.append(record)
    return [record for record in kept if record.seq > start]


def dice_never_go_back(case: Case) -> None:
    """Counter and epoch only grow over a whole log, takebacks included; no chance is drawn while
    another seat is asked."""
    for seed in range(case.seeds):
        counter = 0
        epoch = opened = 0
        for record in case.game(seed).records:
            if record.kind == records.COMMAND:
                for drawn_epoch, drawn, _, _ in bodies.CommandBody.read(record.body).draws:
                    assert drawn == counter
                    counter += 1
                    if drawn_epoch:
                        assert drawn_epoch >= epoch and drawn_epoch > opened
                        epoch = drawn_epoch
            elif record.kind == records.OPEN:
                assert bodies.Open.read(record.body).epoch == opened + 1
                opened += 1


def no_game_has_more_turns_than_its_title_says(case: Case) -> None:
    """Along the branch in force no more turns end than `turns_most` says, and there is a link for
    each."""
    for seed in range(case.seeds):
        played = case.game(seed)
        most = case.rules.turns_most(case.pack, played.ledger.genesis.options)
        assert played.position.turns <= most, f"seed {seed}"
        assert played.position.epoch <= most + 1, f"seed {seed}"


def every_takeback_tells_clients(case: Case) -> None:
    """Every takeback's effects rewind the board to the record it goes back to."""
    for seed in range(case.seeds):
        for record in case.game(seed).records:
            if record.kind == records.TAKEBACK:
                takeback = bodies.Takeback.read(record.body)
                assert unpack(takeback.effects)[0] == (REWIND, takeback.to)


def what_a_seat_may_not_know_changes_nothing_it_is_offered(case: Case) -> None:
    """States that differ only in facts hidden from a seat ask every seat by the same key, and this
    one the same. They offer, preview and refuse it the same. (The keys stand in the log.)"""
    alternatives = case.alternatives
    if alternatives is None:
        return
    rng = random.Random(4)
    for seed in range(min(case.seeds, 5)):
        for at in positions(case, seed, 10):
            for seat in case.rules.seats:
                for other in alternatives(at.state, seat):
                    same_for_seat(case.rules, at, replace(at, state=other), seat, rng)


def same_for_seat(
    rules: Rules[Any], at: Position[Any], other: Position[Any], seat: Seat, rng: random.Random
) -> None:
    """Assert that a seat cannot tell two positions apart by what it is asked, offered, shown and
    refused."""
    asked, asked_there = door.deciders(rules, at), door.deciders(rules, other)
    assert _keys_of(asked) == _keys_of(asked_there)
    assert asked.get(seat) == asked_there.get(seat)
    if at.opened(seat) is None:
        return
    step, frame = door.step_of(rules, at.top), at.top
    about = {"no such thing"}
    for picks, found in tree(rules, at, seat, rng, 25):
        about.update(option.id for option in found.options if type(option.id) is str)
        assert door.choices(rules, other, seat, picks) == found
        assert door.preview(rules, other, seat, picks) == door.preview(rules, at, seat, picks)
        for junk in ("no such thing", 999):
            if not found.offers(junk):
                assert step.refusal(at, frame, seat, (*picks, junk)) == step.refusal(
                    other, frame, seat, (*picks, junk)
                )
    for asks in asked_about(rules, sorted(about)[:ASKED_ABOUT]):
        assert door.preview(rules, other, seat, asks) == door.preview(rules, at, seat, asks)


def _keys_of(asked: Mapping[Seat, Decision]) -> dict[Seat, str]:
    return {seat: decision.prompt.key for seat, decision in asked.items()}


ASKED_ABOUT = 12
"""Pieces and places of a position that a title's questions are put about."""


def asked_about(rules: Rules[Any], ids: Iterable[str]) -> Iterator[Picks]:
    """Every question of a title about each of these pieces and places; none where it has none."""
    words = rules.questions if isinstance(rules, Questioned) else ()
    return ((word, id) for word in words for id in ids)


def the_same_seed_gives_the_same_bytes(case: Case) -> None:
    """A game played again from the same seed is the same file to the bit."""
    one = case.game(0)
    again = begin(case.rules, case.pack, seed=0, options=case.options)
    play_on(again, random.Random(0), commands=case.commands, requests=case.frequency)
    assert [record.hash for record in again.records] == [record.hash for record in one.records]


def who_answers_last_decides_no_die(case: Case) -> None:
    """Where several seats are asked at once, nothing is drawn until the last has answered. Whoever
    that is, the same dice fall for the same things: their order is that of the genesis's seats and
    of the rules, never that of the answers."""
    rng = random.Random(9)
    for seed in range(case.seeds):
        played = case.game(seed)
        several = [
            at
            for _, at in sorted(played.positions.items())
            if at.stage == PLAYING and len(at.open) > 1
        ]
        for at in several[:: max(1, len(several) // 10)]:
            seats = [seat for seat, *_ in at.open]
            picks = {seat: random_picks(rng, case.rules, at, seat) for seat in seats}
            drawn = []
            for order in (seats, seats[::-1]):
                ledger: Ledger[Any] = Ledger(case.rules, played.records[0], played.ledger.keys)
                ledger.resume(at, played.records[at.seq], {})
                for place, seat in enumerate(order):
                    now = ledger.position
                    if now.opened(seat) is None:  # answered for, or asked something else
                        break
                    batch = ledger.propose_command(
                        unsigned(ledger, seat, now.opened(seat) or 0, picks[seat]), 0
                    )
                    assert isinstance(batch, Batch), (
                        f"seed {seed}, record {at.seq}: {seat} {picks[seat]}: {batch}"
                    )
                    first = bodies.CommandBody.read(batch.records[0].body)
                    if place + 1 < len(order):
                        assert first.draws == (), (
                            f"seed {seed}, record {at.seq}: drawn before the last had answered"
                        )
                    ledger.commit(batch)
                opened = [(d[:3], d[3] if type(d[3]) is not Seal else None) for d in first.draws]
                drawn.append((opened, ledger.position.state, ledger.position.counter))
            assert drawn[0] == drawn[1], (
                f"seed {seed}, record {at.seq}: the order of the answers decides what is drawn"
            )


def all_that_is_drawn_is_described(case: Case) -> None:
    """What clients draw a game from fits its bounds, and has each piece, face, place and track that
    effects name. What only some may see is left out."""
    switches = {switch.name: switch.default for switch in case.rules.switches}
    told = description.checked(case.rules.describe(case.pack, {**switches, **case.options}))
    faces = {(piece.id, face.face) for piece in told.pieces for face in piece.faces}
    places = {place.id for place in told.places} | {box.id for box in told.boxes}
    tracks = {track.id for track in told.tracks}
    for record in case.game(0).records:
        for effect in effects_of(record):
            named: dict[Any, Any] = {}
            if effect[0] == PUT:
                _, id, place, face, _ = effect
                if isinstance(id, str) and isinstance(face, str):
                    named[id, face] = faces
                if isinstance(place, str):
                    named[place] = places
            elif effect[0] == COUNT:
                named[effect[1]] = places
            elif effect[0] == TRACK:
                named[effect[1]] = tracks
            missing = [name for name, known in named.items() if name not in known]
            assert not missing, f"record {record.seq}: {missing} is not in the description"


def every_sentence_has_its_words(case: Case, words: Callable[[str], bool] | None = None) -> None:
    """Whatever a random game says, asks, offers to pick and refuses has a text in the catalogue.
    `words` tells whether a key has one; without it, the English catalogue does."""
    if words is None:
        from warledger.protocol.lang import catalogue

        words = catalogue("en").__contains__
    rng = random.Random(6)
    title = case.rules.title
    keys: set[str] = {f"option.{title}.{switch.name}" for switch in case.rules.switches}
    for record in case.game(0).records:
        keys.update(key for effect in effects_of(record) for key in _keys(effect))
    for at in positions(case, 0, 12):
        for seat, decision in door.deciders(case.rules, at).items():
            keys.add(decision.prompt.key)
            for picks, found in tree(case.rules, at, seat, rng, 20):
                if not found.is_end:
                    keys.add(f"slot.{found.slot}")
                keys.update(option.label.key for option in found.options if option.label)
                shown = door.preview(case.rules, at, seat, picks)
                if not isinstance(shown, Refusal):
                    keys.update(said.key for said in shown)
                about = [str(option.id) for option in found.options[:ASKED_ABOUT]]
                for asks in asked_about(case.rules, about):
                    told = door.preview(case.rules, at, seat, asks)
                    keys.update((told.key,) if isinstance(told, Refusal) else {s.key for s in told})
                refused = door.choices(case.rules, at, seat, (*picks, "no such thing"))
                if isinstance(refused, Refusal):
                    keys.add(refused.key)
    outcome = case.game(0).position.outcome
    if outcome is not None:
        keys.add(outcome.reason.key)
    missing = sorted(key for key in keys if not words(key))
    assert not missing, f"the catalogue lacks {', '.join(missing)}"


def _keys(effect: Effect) -> Iterator[str]:
    """The keys of the catalogues in an effect."""
    if effect[0] in (SAY, PHASE):
        yield effect[1]
    elif effect[0] == OPEN:
        yield effect[2]


LAWS: tuple[Callable[[Case], None], ...] = (
    random_games_end,
    no_offered_prefix_is_a_dead_end,
    offered_is_accepted_and_nothing_else_is,
    the_wrong_seat_never_changes_the_hash,
    replay_is_live_to_the_bit,
    folding_at_once_is_folding_one_by_one,
    evolve_never_fails_on_what_was_emitted,
    the_fold_of_effects_is_the_picture_of_the_state,
    a_takeback_never_crosses_new_information,
    dice_never_go_back,
    no_game_has_more_turns_than_its_title_says,
    every_takeback_tells_clients,
    what_a_seat_may_not_know_changes_nothing_it_is_offered,
    the_same_seed_gives_the_same_bytes,
    who_answers_last_decides_no_die,
    all_that_is_drawn_is_described,
    every_sentence_has_its_words,
)
"""All laws, in the order in which an author wants to hear of them."""

__all__ = ["LAWS", "Case", *(law.__name__ for law in LAWS)]
