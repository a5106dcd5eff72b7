"""Standing answers that a server gives although it may not: what anybody finds once they are open,
and what only the rules tell."""

from __future__ import annotations

from typing import Any

import pytest

from tests.audit import forged_orders, mini_auditor
from tests.audit.attacked import found, start
from tests.audit.forged_orders import FORGED, FOUND_BY_RULES, OTHER, PASS, PROMPT, SOUND, TWO, WHY
from tests.fixtures.vectors import judged
from tests.verdicts import findings_of
from warledger.clients.link.errors import BadServer
from warledger.clients.link.watch import Watch
from warledger.engine.kernel.ledger import Batch
from warledger.protocol.board.choices import Refusal, say
from warledger.protocol.limits import ORDERS_BYTES_MAX
from warledger.protocol.log import wlog
from warledger.protocol.seats import standing

MADE = {**SOUND, **FORGED, **FOUND_BY_RULES}


@pytest.mark.parametrize("name", SOUND)
def test_the_answer_that_is_due_is_sound(name: str) -> None:
    """At both levels, and for the small auditor."""
    data = SOUND[name]()
    assert findings_of(found(data)) == () and found(data).verdict.level == 2
    mini_auditor.audit(data)


@pytest.mark.parametrize("name", FORGED)
def test_an_answer_that_does_not_stand_is_found_without_rules(name: str) -> None:
    """By level 1, and by the small auditor."""
    data = FORGED[name]()
    keys = [item.said.key for item in findings_of(judged(data))]
    assert WHY.get(name, "acts.not_ordered") in keys
    with pytest.raises(mini_auditor.Unsound):
        mini_auditor.audit(data)


@pytest.mark.parametrize("name", MADE)
def test_a_client_finds_the_same_without_rules(name: str) -> None:
    """The terminal's watch, once everything is open."""
    watch = Watch("g1", "public")
    watch.take(0, [(bytes(data), b"") for data in wlog.parse(MADE[name]()).records])
    fault = watch.fault
    if name not in FORGED:
        assert fault is None
        return
    assert isinstance(fault, BadServer) and fault.said is not None
    assert dict(fault.said.args)["what"][0] == WHY.get(name, "acts.not_ordered")


@pytest.mark.parametrize("name", FOUND_BY_RULES)
def test_an_answer_that_is_not_due_is_found_by_the_rules(name: str) -> None:
    """Level 1 and the small auditor cannot know what was on offer; level 2 makes the command again,
    and the rules refuse it."""
    data = FOUND_BY_RULES[name]()
    assert findings_of(judged(data)) == ()
    mini_auditor.audit(data)
    (finding,) = findings_of(found(data))
    assert (finding.field, finding.said.key) == ("picks", "audit.refused")
    assert dict(finding.said.args)["why"][0] == "refusal.no_order"


def test_a_question_by_another_key_is_found_by_the_rules() -> None:
    """Level 2 asks by the key that the rules have."""
    data, seq = forged_orders.another_key()
    assert findings_of(judged(data)) == ()
    (finding,) = findings_of(found(data))
    assert (finding.seq, finding.field) == (seq, "awaits[0][2]")
    assert finding.said == say("audit.differs", expected=PROMPT, found=OTHER)


# --- the ledger -----------------------------------------------------------------------------------


def refused(made: Any) -> str:
    """The key of a refusal."""
    assert isinstance(made, Refusal)
    return made.key


def test_a_ledger_takes_no_set_that_is_too_long_or_none() -> None:
    """Nor two entries for one question and span."""
    played = start()
    long = (PROMPT, (PASS, *(("x" * 500, n) for n in range(ORDERS_BYTES_MAX // 500 + 1))), "game")
    assert refused(played.order("a", long)) == "refusal.orders_long"
    for wrong in (
        (PROMPT, PASS, "game"),
        (PROMPT, (), "game"),
        (PROMPT, (PASS,), "soon"),
        ("", (PASS,), "game"),
    ):
        assert refused(played.order("a", wrong)) == "refusal.act_form"
    one = (PROMPT, (PASS,), "game")
    assert refused(played.order("a", one, one)) == "refusal.act_form"
    assert isinstance(played.order("a", one, (PROMPT, (PASS,), "turn")), Batch)


def test_a_ledger_says_which_answer_is_due() -> None:
    """That for the turn before that for the game, the first that is on offer, none where nothing
    fits; a takeback revives none that is void."""

    def due() -> Any:
        found = played.ledger.standing_answer("a")
        return found and (*found[0].as_array()[1:], found[1])

    played = start()
    before = played.position.seq
    assert due() is None
    orders = (
        (OTHER, (TWO,), "game"),
        (PROMPT, (("show",), TWO), "game"),
        (PROMPT, (("show",), PASS), "turn"),
    )
    played.commit(played.order("a", *orders))
    assert due() == (2, 1, PASS)
    played.submit("a", "hide", "antelope")
    assert due() is None, "it is not asked"
    played.submit("b", *PASS)
    assert due() == (1, 0, ("show",))
    forged_orders.back(played, "a", before)
    assert due() == (1, 1, TWO)


def test_a_seat_that_wants_one_answer_more_keeps_those_before_it() -> None:
    """It is the last alternative of its entry; what is there is not added again."""
    one = standing.with_answer((), PROMPT, PASS, "turn")
    assert one == ((PROMPT, (PASS,), "turn"),)
    assert standing.with_answer(one, PROMPT, PASS, "turn") == one
    two = standing.with_answer(one, PROMPT, TWO, "turn")
    assert two == ((PROMPT, (PASS, TWO), "turn"),)
    three = standing.with_answer(two, PROMPT, TWO, "game")
    assert three == (*two, (PROMPT, (TWO,), "game"))
