"""Claims and rulings in a game's log: what the ledger writes and refuses, what both auditors say of
it, and what they find where a server ruled as nobody may."""

from __future__ import annotations

from typing import Any

import pytest

from tests.audit.tamper import chained
from tests.kernel.disputes import (
    ANN,
    BOB,
    OPTIONS,
    RULEBOOK,
    a_case,
    assert_sound,
    forged,
    frozen,
    refused,
    table,
    wrong,
)
from tests.toys import counting
from tests.verdicts import findings_of
from warledger.clients.audit.audit import audit
from warledger.engine.kernel.arbitration import Arbitration
from warledger.engine.kernel.ledger import Batch
from warledger.engine.kernel.position import ENDED
from warledger.engine.kernel.types import Decision
from warledger.engine.testing.randomgames import Played, arbiter, begin, signing_key
from warledger.protocol.board.choices import Refusal, say
from warledger.protocol.clocks import clock
from warledger.protocol.limits import PERSON_ID_CHARS_MAX
from warledger.protocol.log import bodies, records, wlog
from warledger.protocol.log.deskbodies import (
    Appeal,
    Claim,
    Froze,
    Heard,
    Looked,
    Said,
    Thawed,
    Withdrawn,
)
from warledger.protocol.log.docket import BadDesk
from warledger.protocol.seats import acts
from warledger.protocol.seats.acts import Hand


def test_a_game_with_every_kind_of_ruling_is_sound() -> None:
    """With clocks and without."""
    for clocks in (True, False):
        assert_sound(a_case(clocks=clocks))


# --- claims ---------------------------------------------------------------------------------------


def test_e18_nothing_that_a_seat_does_stands_while_the_game_is_frozen() -> None:
    """Commands, standing answers that are due and a resignation are refused with the claim; both
    clocks stand; the auditors agree."""
    played = table()
    seat = played.position.open[0][0]
    played.commit(played.order(seat, ("prompt.counting.act", (("pass",),), "game")))
    played.commit(played.claim("b", played.position.seq - 1))
    for body in (Heard(1), Froze(1)):
        played.commit(played.note(ANN, body))
    opened = played.position.opened(seat)
    assert opened is not None
    made = (
        played.ledger.propose_command(played.command(seat, opened, ("pass",)), played.at_ms),
        played.resign("a"),
        played.resign("b"),
        played.draw("b"),
        played.order("b"),
        played.take_back("a", 5),
    )
    for one in made:
        assert isinstance(one, Refusal)
        assert (one.key, one.args) == ("refusal.frozen", (("claim", 1),))
    clocks = played.position.clocks
    assert clocks is not None
    before = [one.charged for one in clocks.seats]
    played.at_ms += 10_000_000
    assert clocks.next_change(played.at_ms) is None
    played.commit(played.rule(ANN, 1))
    played.commit(played.note(ANN, Thawed(1)))
    now = played.position.clocks
    assert now is not None
    assert [one.charged for one in now.seats] == before
    assert_sound(played)


def test_e19_taken_back_by_a_ruling_everything_is_as_it_was_and_asked_anew() -> None:
    """The board, whom the questions are put to, each under a new id; what was prepared before is
    stale; the next die has a higher counter; no time comes back."""
    played = frozen()
    to = played.position.seq - 5
    then = played.positions[to]
    seat = then.open[0][0]
    opened = played.position.open[0][1]
    counter, clocks = played.position.counter, played.position.clocks
    assert counter > then.counter
    assert clocks is not None
    control = played.ledger.pace.control
    was = clock.reading(control, clocks, seat, played.at_ms).left
    prepared = played.command(seat, opened, ("pass",))
    before = played.command(seat, then.open[0][1], ("pass",))
    played.commit(played.rule(ANN, 1, ("back", to)))
    at = played.position
    assert at.state == then.state
    assert at.flow == then.flow
    assert [name for name, *_ in at.open] == [name for name, *_ in then.open]
    assert all(asked == at.seq for _, asked, _ in at.open)
    assert (at.counter, at.undo) == (counter, ())
    played.commit(played.note(ANN, Thawed(1)))
    for old in (prepared, before):
        assert refused(played.ledger.propose_command(old, played.at_ms)) in (
            "refusal.stale",
            "refusal.seen_early",
        )
    now = played.position.clocks
    assert now is not None
    assert now.of(seat).bank == was
    played.submit(seat, "roll")
    draws = bodies.CommandBody.read(played.records[-1].body).draws
    assert draws[0][1] == counter
    assert_sound(played)


def test_e20_who_plays_here_or_against_one_of_the_players_hears_no_claim() -> None:
    """The account of a player of the game, one whom the terms recuse, a seat, the server, a text,
    and whom the desk does not name, if only by the case of a letter of an id."""
    played = table(desk=((ANN, BOB), {"recused": (BOB[0],), "stop": "heard"}))
    played.commit(played.claim("b", 7))
    for actor, key in (
        (arbiter("p_a"), "refusal.arbiter_plays"),
        (arbiter("P_A"), "refusal.not_an_arbiter"),
        (BOB, "refusal.arbiter_plays"),
        (arbiter("Cid"), "refusal.not_an_arbiter"),
        (ANN[0], "refusal.not_an_arbiter"),
        ("server", "refusal.not_an_arbiter"),
        ("", "refusal.not_an_arbiter"),
    ):
        assert refused(played.note(actor, Heard(1))) == key
    assert refused(played.note("a", Heard(1))) == "refusal.not_an_arbiter"
    played.commit(played.note(ANN, Heard(1)))
    assert_sound(played)


def test_two_players_of_one_name_are_two_people() -> None:
    """Each account is barred, the name bars nobody, and a player without an account bars nobody
    else who has none."""
    played = begin(counting.RULES, counting.PACK, options=OPTIONS)
    for account in ("id.one", "id.two", ""):
        hand = Hand(played.ledger.genesis.hash, "a", signing_key(f"new {account}"))
        by = hand.sign(acts.REPLACED, played.records[-1].hash, (account, "Ann", "test")).by
        played.commit(
            played.ledger.propose_replacement(
                "a", "Ann", played.at_ms, by=by, account=account, client="test"
            )
        )
        played.hands["a"] = hand
    assert played.position.docket.players == ("id.p_a", "id.p_b", "id.one", "id.two")
    played.commit(played.claim("b", 5))
    for actor in (("id.one", "Zoe"), ("id.two", "Ann"), ("id.p_a", "Ann")):
        assert refused(played.note(actor, Heard(1))) == "refusal.arbiter_plays"
    played.commit(played.note(("id.three", "Ann"), Heard(1)))
    assert_sound(played)


def test_a_claim_names_a_record_that_its_seat_has_seen_and_has_its_number() -> None:
    """Any, the genesis too. Three may be open; one that is withdrawn counts no more; nobody
    withdraws another's."""
    played = table()
    last = played.position.seq
    assert refused(played.claim("b", last + 1)) == "refusal.claim_record"
    assert refused(played.claim("b", -1)) == "refusal.act_form"
    assert refused(played.claim("b", 7, 2)) == "refusal.claim_number"
    for n, at in ((1, 7), (2, 7), (3, 0)):
        played.commit(played.claim("b", at, n))
    assert refused(played.claim("b", 7, 4)) == "refusal.claims_open"
    assert refused(played.note("a", Withdrawn(2))) == "refusal.not_your_claim"
    played.commit(played.note("b", Withdrawn(2)))
    assert refused(played.note("b", Withdrawn(2))) == "refusal.not_your_claim"
    played.commit(played.claim("b", 7, 4))
    played.commit(played.note("a", Said(1, "It was mine.")))
    assert refused(played.note("a", Said(2, "It was mine."))) == "refusal.claim_closed"
    assert refused(played.note("b", Said(1, "x" * 2001))) == "refusal.act_form"
    assert_sound(played)


def test_a_claim_stops_the_clocks_as_the_terms_say() -> None:
    """As it is made, or as it is heard; they run on once it is withdrawn."""
    for stop, held in (("claim", (1,)), ("heard", ())):
        played = table(desk=((), {"stop": stop}))
        played.commit(played.claim("a", 7))
        clocks = played.position.clocks
        assert clocks is not None
        assert clocks.held == held
        played.commit(played.note("a", Withdrawn(1)))
        assert_sound(played)


def test_a_seat_stops_the_clocks_three_times_and_no_more() -> None:
    """Its further claims wait for an arbiter; those of the other seat still stop the clocks. Both
    auditors count the same."""
    played = table(desk=((), {"stop": "claim"}))
    for n, (seat, stops) in enumerate((*[("a", True)] * 3, ("a", False), ("b", True)), 1):
        played.commit(played.claim(seat, 7, n))
        clocks = played.position.clocks
        assert clocks is not None
        assert clocks.held == ((n,) if stops else ()), f"claim {n}"
        played.commit(played.note(seat, Withdrawn(n)))
    played.commit(played.claim("a", 7, 6))
    played.commit(played.note(ANN, Heard(6)))
    clocks = played.position.clocks
    assert clocks is not None and clocks.held == (6,)
    assert_sound(played)


@pytest.mark.parametrize("stop", ["claim", "heard"])
def test_an_appeal_stops_the_clocks_once_it_is_heard(stop: str) -> None:
    """Whatever the terms say of claims: who made the appeal cannot stop them alone."""
    played = table(desk=((), {"stop": stop}))
    played.commit(played.claim("a", 7))
    played.commit(played.note(ANN, Heard(1)))
    played.commit(played.rule(ANN, 1))
    played.commit(played.note("b", Appeal(1, "It was not.")))
    for held, note in (((), None), ((1,), Heard(1))):
        if note is not None:
            played.commit(played.note(BOB, note))
        clocks = played.position.clocks
        assert clocks is not None
        assert clocks.held == held
    assert_sound(played)


def test_nobody_rules_on_a_claim_they_have_not_heard() -> None:
    """Nor freezes the game for it, nor thaws what is not frozen, nor rules twice."""
    played = table()
    played.commit(played.claim("b", 7))
    assert refused(played.rule(ANN, 1)) == "refusal.not_heard"
    assert refused(played.note(ANN, Froze(1))) == "refusal.not_heard"
    assert refused(played.note(ANN, Thawed(1))) == "refusal.not_frozen"
    assert refused(played.note(ANN, Heard(2))) == "refusal.no_such_claim"
    played.commit(played.note(ANN, Heard(1)))
    played.commit(played.rule(ANN, 1))
    assert refused(played.rule(ANN, 1)) == "refusal.claim_closed"
    assert_sound(played)


def test_an_appeal_is_heard_by_somebody_else_whose_ruling_replaces_the_first() -> None:
    """Nothing is erased: both stand in the log."""
    played = frozen()
    played.commit(played.rule(ANN, 1, finding="rejected"))
    assert refused(played.note(ANN, Appeal(1, "x"))) == "refusal.no_appeal"
    played.commit(played.note("b", Appeal(1, "It was mine all the same.")))
    assert refused(played.note(ANN, Heard(1))) == "refusal.own_ruling"
    assert refused(played.rule(ANN, 1)) == "refusal.own_ruling"
    played.commit(played.note(BOB, Heard(1)))
    played.commit(played.rule(BOB, 1, ("time", "b", 60_000)))
    played.commit(played.note(BOB, Thawed(1)))
    assert_sound(played)


def test_what_an_arbiter_looked_at_is_a_record() -> None:
    """Of an audience that there is, and of records that there are; no seat looks."""
    played = table()
    played.commit(played.note(ANN, Looked("b", 0, 7)))
    assert refused(played.note(ANN, Looked("c", 0, 7))) == "refusal.look"
    assert refused(played.note(ANN, Looked("b", 0, 99))) == "refusal.look"
    assert refused(played.note("a", Looked("b", 0, 7))) == "refusal.not_an_arbiter"
    assert_sound(played)


# --- remedies -------------------------------------------------------------------------------------


def test_time_that_a_ruling_gives_and_takes_is_in_the_log() -> None:
    """For the seats it names, with the claim as the reason."""
    played = frozen()
    clocks = played.position.clocks
    assert clocks is not None
    banks = [one.bank for one in clocks.seats]
    played.commit(played.rule(ANN, 1, ("time", "a", -30_000), ("time", "b", 90_000)))
    played.commit(played.note(ANN, Thawed(1)))
    played.submit(played.position.open[0][0], "pass")
    now = played.position.clocks
    assert now is not None
    given = [one.bank + one.charged - old for one, old in zip(now.seats, banks, strict=True)]
    assert given[1] > given[0]
    assert refused(played.rule(ANN, 1, ("time", "a", 0))) == "refusal.claim_closed"
    assert_sound(played)


def test_a_correction_goes_through_the_door() -> None:
    """What the rules do not offer, what breaks them and what is not whole is refused; what stands
    changes the board, ends free takebacks and makes older commands too old."""
    played = frozen()
    correct = ("correct",)
    for picks, key in (
        ((("chit", "a", 5),), "refusal.not_offered"),
        ((("score", "a"),), "refusal.incomplete"),
        ((("curse", "a", 5),), "refusal.correction_breaks"),
        ((), "refusal.correction_missing"),
        ((("score", "a", 5), ("score", "b", 5)), "refusal.correction_missing"),
    ):
        assert refused(played.rule(ANN, 1, correct, corrections=picks)) == key
    seat, opened, key = played.position.open[0]
    prepared = played.command(seat, opened, ("pass",))
    played.commit(played.rule(ANN, 1, correct, corrections=(("score", "a", 42),)))
    assert played.position.state.score[0] == 42
    assert played.position.open == ((seat, opened, key),)
    target = played.position.seq
    played.commit(played.note(ANN, Thawed(1)))
    assert refused(played.ledger.propose_command(prepared, played.at_ms)) == "refusal.seen_early"
    played.submit(seat, "hide", "antelope")
    assert played.position.undo == (target,), "no takeback goes back past the correction"
    played.commit(played.take_back(seat, target))
    assert played.position.state.score[0] == 42
    assert_sound(played)


def test_a_correction_that_changes_the_key_of_a_question_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The key stands in the log, and standing answers go by it: a takeback has to come first. A
    server that writes such a correction is found by the rules."""
    asks = counting.Act.deciders

    def by_score(step: Any, at: Any, frame: Any) -> Any:
        high = at.state.score[0] > 40
        return {
            seat: Decision(say("prompt.counting.high")) if high else decision
            for seat, decision in asks(step, at, frame).items()
        }

    monkeypatch.setattr(counting.Act, "deciders", by_score)
    correct, picks = ("correct",), (("score", "a", 42),)
    played = frozen()
    assert refused(played.rule(ANN, 1, correct, corrections=picks)) == "refusal.correction_question"
    with monkeypatch.context() as lenient:
        lenient.setattr(Arbitration, "_goes_on", lambda self, at: True)
        played.commit(played.rule(ANN, 1, correct, corrections=picks))
    played.commit(played.note(ANN, Thawed(1)))
    played.commit(played.resign("b"))
    report = audit(played.file(), key=played.key.verify_key.encode(), rulebook=RULEBOOK)[0]
    assert dict(findings_of(report)[0].said.args)["why"][0] == "refusal.correction_question"


@pytest.mark.parametrize(
    ("remedy", "winner", "reason", "by"),
    [
        (("forfeit", "a"), "b", "outcome.forfeited", "ruling"),
        (("draw",), None, "outcome.draw_ruled", "ruling"),
        (("adjudicate", "a"), "a", "outcome.adjudicated", "adjudicated"),
    ],
)
def test_a_ruling_may_end_the_game(
    remedy: tuple[Any, ...], winner: str | None, reason: str, by: str
) -> None:
    """At once, in the same log, with its clause."""
    played = frozen()
    score = played.position.state.score
    lead = ("b", score[0] + 1) if winner == "b" else ("a", 50)
    played.commit(
        played.rule(
            ANN, 1, ("correct",), ("stand",), remedy, corrections=(("score", lead[0], lead[1]),)
        )
    )
    assert played.position.stage == ENDED
    end = bodies.End.read(next(one for one in played.records if one.kind == records.END).body)
    assert (end.winner, end.reason.key, end.reason.rule, end.by) == (winner, reason, "9.2", by)
    assert refused(played.claim("a", 7, 2)) == "refusal.no_game_to_rule"
    assert_sound(played)


def test_an_adjudication_goes_by_the_score() -> None:
    """Whoever does not lead by it does not win by it."""
    played = frozen()
    played.commit(played.rule(ANN, 1, ("correct",), corrections=(("score", "a", 50),)))
    played.commit(played.note(ANN, Thawed(1)))
    played.commit(played.claim("a", 7, 2))
    played.commit(played.note(ANN, Heard(2)))
    for winner in ("b", None):
        assert refused(played.rule(ANN, 2, ("adjudicate", winner))) == "refusal.adjudicated"
    played.commit(played.rule(ANN, 2, ("adjudicate", "a")))
    assert_sound(played)


@pytest.mark.parametrize(
    ("remedies", "finding", "key"),
    [
        ((("back", 7),), "rejected", "refusal.rejected_changes"),
        ((("draw",), ("stand",)), "upheld", "refusal.remedies_order"),
        ((("back", 7), ("back", 6)), "upheld", "refusal.remedies_order"),
        ((("back", 99),), "upheld", "refusal.takeback_target"),
        ((("back", 2),), "upheld", "refusal.takeback_target"),
        ((("forfeit", "c"),), "upheld", "refusal.no_such_seat"),
        ((("time", "a", 0),), "upheld", "refusal.credit"),
        ((("time", "a"),), "upheld", "refusal.act_form"),
        ((("crown", "a"),), "upheld", "refusal.act_form"),
        ((), "perhaps", "refusal.act_form"),
    ],
)
def test_a_ruling_that_cannot_be_is_refused_and_changes_nothing(
    remedies: tuple[Any, ...], finding: str, key: str
) -> None:
    """With what is wrong with it."""
    played = frozen()
    assert refused(played.rule(ANN, 1, *remedies, finding=finding)) == key
    assert_sound(played)


@pytest.mark.parametrize(
    "more", [("back", 7), ("time", "b", 60_000), ("forfeit", "b")], ids=lambda more: str(more[0])
)
def test_time_taken_in_the_middle_of_a_ruling_lets_no_flag_fall_there(more: Any) -> None:
    """What follows would come after a flag that is due: it is refused, unless the game is frozen
    or the time is taken last."""
    played = table()
    seat = played.position.open[0][0]
    played.commit(played.claim("b", played.position.seq - 1))
    played.commit(played.note(ANN, Heard(1)))
    taken = ("time", seat, -86_400_000)
    assert refused(played.rule(ANN, 1, taken, more)) == "refusal.ruling_flag"
    if more[0] != "forfeit":
        assert isinstance(played.rule(ANN, 1, more, taken), Batch)
    played.commit(played.note(ANN, Froze(1)))
    played.commit(played.rule(ANN, 1, taken, more))
    assert_sound(played)


def test_a_game_that_a_flag_has_frozen_goes_on_once_a_ruling_gives_time() -> None:
    """The flag is claim 0, which an arbiter hears; thawed before the seat has time it would stand
    still for ever."""
    played = table()
    played.at_ms = played.records[-1].at_ms + 700_000
    played.commit(played.ledger.propose_flag(played.at_ms))
    played.commit(played.note(ANN, Heard(0)))
    assert refused(played.note(ANN, Thawed(0))) == "refusal.thaw_fallen"
    clocks = played.position.clocks
    assert clocks is not None
    (seat,) = clocks.fallen
    played.commit(played.rule(ANN, 0, ("time", seat, 300_000)))
    played.commit(played.note(ANN, Thawed(0)))
    played.submit(seat, "pass")
    assert_sound(played)


def test_a_game_without_clocks_is_frozen_and_thawed_as_well() -> None:
    """And given no time."""
    played = begin(counting.RULES, counting.PACK, options=OPTIONS)
    played.submit("a", "roll")
    played.commit(played.claim("b", played.position.seq))
    for body in (Heard(1), Froze(1)):
        played.commit(played.note(ANN, body))
    assert refused(played.draw("a")) == "refusal.frozen"
    assert refused(played.rule(ANN, 1, ("time", "a", 5))) == "refusal.no_clocks"
    played.commit(played.rule(ANN, 1, ("back", 5)))
    played.commit(played.note(ANN, Thawed(1)))
    played.submit("a", "add", 3)
    assert_sound(played)


def test_a_desk_that_cannot_be_begins_no_game() -> None:
    """It is refused with what is wrong with it."""
    long = PERSON_ID_CHARS_MAX
    people = ("Ann", ("", "Ann"), ("id.Ann", ""), ("x" * (long + 1), "Ann"), ("id.Ann", "x" * 65))
    more: Any = (7, None, (), ("id.Ann",), ("id.Ann", "Ann", ""), (7, "Ann"), ["id.Ann", "Ann"])
    for one in (*people, *more):
        with pytest.raises(BadDesk):
            table(desk=((ANN, one), {}))
    for one in ("", "x" * (long + 1), ANN, 7, None):
        with pytest.raises(BadDesk):
            table(desk=((), {"recused": (one,)}))
    table(desk=((("x" * long, "x" * 64),), {"recused": ("x" * long,)}))
    for desk in ((ANN,), ((ANN,), {"stop": "never"}), ((ANN,), {"start": 1}), ("Ann", {})):
        with pytest.raises(BadDesk):
            table(desk=desk)


# --- what auditors find ---------------------------------------------------------------------------


def ruled(*remedies: tuple[Any, ...], **more: Any) -> tuple[Played, int]:
    """A game in which Ann has ruled, and the record of it."""
    played = frozen()
    played.commit(played.rule(ANN, 1, *remedies, **more))
    return played, next(
        one.seq for one in played.records if one.kind == "ruling" and one.body[0] == "ruled"
    )


def test_a_server_that_rules_on_its_own_game_is_named_at_the_record() -> None:
    """As itself, as a player, or as somebody who has not heard the claim."""
    played, seq = ruled()
    for actor in ("server", ANN[0], arbiter("p_a"), BOB):
        found = wrong(forged(played, {}, {seq: actor}))
        assert (seq, "acts.ruling.not_allowed") in found


def test_a_remedy_that_nobody_ruled_is_found_and_one_that_was_left_out() -> None:
    """Another record to go back to, more time than was given, a correction that was not asked
    for."""
    played, seq = ruled(("back", 7))
    body = played.records[seq + 1].body
    other = forged(played, {seq + 1: (body[0], 6, *body[2:])})
    assert (seq + 1, "acts.ruling.unruled") in wrong(other)
    stand = forged(played, {seq: (*played.records[seq].body[:5], (("stand",),))})
    assert (seq + 1, "acts.ruling.unruled") in wrong(stand)
    played, seq = ruled(("time", "a", 5_000))
    body = played.records[seq + 1].body
    more = forged(played, {seq + 1: (body[0], "b", *body[2:])})
    assert (seq + 1, "acts.ruling.unruled") in wrong(more)
    played, seq = ruled(("correct",), corrections=(("score", "a", 9),))
    stand = forged(played, {seq: (*played.records[seq].body[:5], (("stand",),))})
    assert (seq + 1, "acts.ruling.unruled") in wrong(stand)
    played, seq = ruled()
    played.commit(played.note(ANN, Thawed(1)))
    late = forged(played, {seq: (*played.records[seq].body[:5], (("time", "a", 5),))})
    assert (seq + 1, "acts.ruling.went_on") in wrong(late)
    lost = forged(played, {seq: (*played.records[seq].body[:5], (("forfeit", "a"),))})
    assert (seq + 1, "acts.ruling.went_on") in wrong(lost)


def test_a_correction_past_the_rules_is_found_where_commands_are_decided_again() -> None:
    """Level 1 cannot know the rules; level 2 names the record."""
    played, seq = ruled(("correct",), corrections=(("score", "a", 9),))
    body = played.records[seq + 1].body
    made = chained(played, {seq + 1: (*body[:3], (("set", "a", 10),), *body[4:])})
    secrets = wlog.Frame(wlog.FRAME_SECRETS, played.ledger.keys.as_payload())
    frames = [wlog.Frame(wlog.FRAME_RECORD, one.data) for one in made]
    data = wlog.encode([frames[0], secrets, *frames[1:]], sealed=True)
    report = audit(data, key=signing_key().verify_key.encode(), rulebook=RULEBOOK)[0]
    assert [one.seq for one in findings_of(report)] == [seq + 1]


def test_a_move_in_a_frozen_game_and_a_claim_nobody_signed_are_found() -> None:
    """Where the freeze was written in later, and where the signature is missing."""
    played = begin(counting.RULES, counting.PACK, options=OPTIONS)
    played.submit("a", "roll")
    played.commit(played.claim("b", played.position.seq))
    played.commit(played.note(ANN, Heard(1)))
    played.commit(played.note(ANN, Said(1, "One moment.")))
    seq = played.position.seq
    played.submit("b", "pass")
    assert (seq + 1, "acts.clock.frozen") in wrong(forged(played, {seq: ("frozen", 1)}))
    claim = played.records[seq - 2]
    unsigned = forged(played, {claim.seq: claim.body[:-1]})
    assert (claim.seq, "acts.nobody") in wrong(unsigned)
    text = forged(played, {claim.seq: (*claim.body[:5], "Other words.", claim.body[6])})
    assert (claim.seq, "acts.signature") in wrong(text)


def test_a_batch_of_a_ruling_stands_or_falls_whole() -> None:
    """Its records are proposed together."""
    played = frozen()
    made = played.rule(ANN, 1, ("time", "a", 5_000), ("back", 7))
    assert isinstance(made, Batch)
    kinds = [(one.kind, one.actor) for one in made.records]
    assert kinds == [("ruling", ANN), ("clock", "server"), ("takeback", ANN)]
    assert isinstance(played.note("b", Claim(2, "b", 7, "9.2", "Again.")), Batch)
