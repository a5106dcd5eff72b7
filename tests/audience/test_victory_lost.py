"""A Victory Lost: the Soviet five, what was put in the cup, what was left out and what is written
for the next turn show nowhere.

Games that differ only in such a secret are compared byte for byte as far as chance draws the same;
whole games are searched for the ids of chits that nobody else has seen.
"""

import random
from collections.abc import Mapping
from typing import Any

import pytest

from tests.audience.test_secrets_stay_secret import offered, received
from tests.laws.titles import Case
from warledger.engine.kernel import door
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.position import ENDED
from warledger.engine.testing.laws import same_for_seat
from warledger.engine.testing.randomgames import Played, begin, random_picks
from warledger.protocol import canon
from warledger.protocol.audience import PUBLIC, entitled
from warledger.protocol.board.choices import Choices
from warledger.protocol.chance.seal import pack_openings
from warledger.protocol.log import records

CASE = Case("victory_lost")
AHEAD = Case("victory_lost", {"chits_ahead": True})
HISTORY = {"set_up": "historical"}

FIVE = ("chit.su.1gda", "chit.su.2gda", "chit.su.3gda", "chit.su.5tka", "chit.su.popov")
AXIS_CHITS = ("chit.ax.4pza", "chit.ax.hollidt")
SOVIET_CHITS = ("chit.su.1gda", "chit.su.2gda", "chit.su.popov", "chit.su.stavka")
NEXT = ("chit.su.1gda", "chit.su.2gda", "chit.su.popov", "chit.su.stavka")

# The secrets of a pair of games: five, Soviet choice, Axis choice, what is written ahead. In order
# of ids the exchanged chit stands where the other stood, so that equal draws take equal chits.
Secrets = Mapping[str, tuple[str, ...]]


def exchanged(chits: tuple[str, ...], old: str, new: str) -> tuple[str, ...]:
    """The chits with one for another."""
    return tuple(sorted(new if chit == old else chit for chit in chits))


PAIRS: Mapping[str, tuple[Case, str, Secrets, Secrets]] = {
    "the five, one that stays in its box": (
        CASE,
        "soviet",
        {"five": FIVE, "soviet": SOVIET_CHITS},
        {"five": exchanged(FIVE, "chit.su.5tka", "chit.su.5sha"), "soviet": SOVIET_CHITS},
    ),
    "the cup, one of the five or another": (
        CASE,
        "soviet",
        {"five": FIVE, "soviet": exchanged(SOVIET_CHITS, "chit.su.popov", "chit.su.5tka")},
        {"five": FIVE, "soviet": exchanged(SOVIET_CHITS, "chit.su.popov", "chit.su.3gda")},
    ),
    "the cup and the five": (
        CASE,
        "soviet",
        {"five": FIVE, "soviet": exchanged(SOVIET_CHITS, "chit.su.popov", "chit.su.5tka")},
        {
            "five": exchanged(FIVE, "chit.su.5tka", "chit.su.6a"),
            "soviet": exchanged(SOVIET_CHITS, "chit.su.popov", "chit.su.6a"),
        },
    ),
    "what the Axis chose": (
        CASE,
        "axis",
        {"five": FIVE, "soviet": SOVIET_CHITS, "axis": ("chit.ax.4pza", "chit.ax.h2a")},
        {"five": FIVE, "soviet": SOVIET_CHITS, "axis": ("chit.ax.4pza", "chit.ax.it8a")},
    ),
    "what is written for the next turn": (
        AHEAD,
        "soviet",
        {"five": FIVE, "soviet": SOVIET_CHITS, "ahead": NEXT},
        {
            "five": FIVE,
            "soviet": SOVIET_CHITS,
            "ahead": exchanged(NEXT, "chit.su.popov", "chit.su.3gda"),
        },
    ),
}


def opened(case: Case, secrets: Secrets, seed: int) -> Played:
    """A game on turn 1, both sides having chosen; the Soviet player is asked about the special
    combat."""
    played = begin(case.rules, case.pack, seed=seed, options={**HISTORY, **case.options})
    played.submit("soviet", "choose", *secrets["five"])
    played.submit("axis", "choose", *secrets.get("axis", AXIS_CHITS))
    played.submit("soviet", "choose", *secrets["soviet"])
    if "ahead" in secrets:
        played.submit("soviet", "choose", *secrets["ahead"])
    return played


def alike(one: Played, other: Played, owner: str) -> None:
    """Assert that nobody but the owner of the secret can tell the games apart."""
    for audience in (PUBLIC, *CASE.rules.seats):
        if audience != owner:
            assert received(one, audience) == received(other, audience), audience
            if audience != PUBLIC:
                assert offered(one, audience) == offered(other, audience), audience


@pytest.mark.parametrize("name", PAIRS)
def test_others_receive_the_same_bytes(name: str) -> None:
    """R-04, 3.0, 7.1.2, 15.0.2(b): until a chit is drawn that differs, records, lengths, openings,
    questions, choices, previews and refusals are the same for the public and the other side; the
    owner alone can tell the games apart."""
    case, owner, first, second = PAIRS[name]
    compared = 0
    for seed in range(6):
        one, other = opened(case, first, seed), opened(case, second, seed)
        alike(one, other, owner)
        assert received(one, owner) != received(other, owner)
        rng = random.Random(seed)
        for _ in range(40):
            seat = one.position.open[0][0]
            picks = random_picks(rng, case.rules, one.position, seat)
            if picks[0] == "choose":
                break
            for played in (one, other):
                played.submit(seat, *picks)
            states: tuple[Any, Any] = (one.position.state, other.position.state)
            if states[0].cup.drawn != states[1].cup.drawn or states[0].turn != 1:
                break
            if compared % 8 == 0:
                alike(one, other, owner)
            compared += 1
        else:
            alike(one, other, owner)
    assert compared > 10, "no seed draws the same chits for long enough"


def whole_game(case: Case, seed: int) -> Played:
    """A random game with every secret chosen by chance, played once for all tests that look at
    it."""
    key = (tuple(sorted(case.options)), seed)
    found = _games.get(key)
    if found is None:
        found = _games[key] = _whole_game(case, seed)
    return found


_games: dict[tuple[tuple[str, ...], int], Played] = {}


def _whole_game(case: Case, seed: int) -> Played:
    """Activations end soon, so that all turns pass."""
    played = begin(case.rules, case.pack, seed=seed, options={**HISTORY, **case.options})
    rng = random.Random(seed)
    while played.position.stage != ENDED:
        at = played.position
        seat = rng.choice([seat for seat, *_ in at.open])
        played.submit(seat, *random_picks(rng, case.rules, at, seat))
    return played


@pytest.mark.parametrize("case", [CASE, AHEAD], ids=["plain", "ahead"])
def test_chits_that_nobody_has_seen_are_nowhere(case: Case) -> None:
    """R-04: In all that the Axis and the public receive of a whole game, record by record with its
    openings, effects and the choices of the Axis, no Soviet HQ chit is named before it has been
    drawn (or shown, 15.0.2(b)); the five and the chits left out never are."""
    for seed in range(2):
        played = whole_game(case, seed)
        state: Any = played.position.state
        every = sorted(
            chit.id
            for chit in state.data.chits.values()
            if chit.side == "soviet" and chit.kind == "hq"
        )
        met: set[str] = set()
        for record, openings in zip(played.records[1:], played.openings[1:], strict=True):
            if record.kind == records.END:
                break
            # A command and what follows it in one batch share the position after them.
            seq = record.seq
            while seq not in played.positions:
                seq += 1
            at = played.positions[seq]
            there: Any = at.state
            met.update(there.cup.shown)
            hidden = [chit.encode() for chit in every if chit not in met]
            received_bytes = (
                record.data
                + pack_openings(entitled(openings, PUBLIC))
                + pack_openings(entitled(openings, "axis"))
            )
            if record.kind == records.COMMAND and type(record.body[records.EFFECTS]) is bytes:
                received_bytes += repr(canon.unpack(record.body[records.EFFECTS])).encode()
            if at.opened("axis") is not None:
                found = door.choices(case.rules, at, "axis")
                assert isinstance(found, Choices)
                received_bytes += repr(door.pending(case.rules, at, "axis")).encode()
                for option in found.options:
                    received_bytes += repr(
                        door.choices(case.rules, at, "axis", (option.id,))
                    ).encode()
            assert [chit for chit in hidden if chit in received_bytes] == [], (
                f"seed {seed}, record {record.seq}"
            )
        unused = set(every) - set(state.cup.five.value)
        assert len(unused) == len(every) - 5
        assert not unused & met


def test_the_end_opens_everything() -> None:
    """Once the game is over the five are there for everybody: the search above can find what it
    searches for."""
    played = whole_game(CASE, 0)
    state: Any = played.position.state
    last = [record.data for record in played.records if record.kind == records.REVEAL]

    assert all(any(chit.encode() in data for data in last) for chit in state.cup.five.value)


def test_hidden_chits_change_nothing_that_the_other_side_is_offered() -> None:
    """Wherever a game stands, exchanging hidden chits leaves alone who is asked and what the other
    side is offered, shown and refused."""
    rng = random.Random(9)
    assert CASE.alternatives is not None
    for case in (CASE, AHEAD):
        played = whole_game(case, 1)
        positions = [
            at for _, at in sorted(played.positions.items()) if at.open and at.stage != ENDED
        ]
        for at in positions[:: max(1, len(positions) // 40)]:
            for seat in case.rules.seats:
                for other in CASE.alternatives(at.state, seat):
                    same_for_seat(case.rules, at, replace(at, state=other), seat, rng)
                    assert set(door.deciders(case.rules, at)) == set(
                        door.deciders(case.rules, replace(at, state=other))
                    )
