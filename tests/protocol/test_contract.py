"""`messages.json`, the contract that programs can read, and the JSON form of messages."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from ops import pagetypes, reasons
from ops.contract import BODIES, PAGE, REASONS, TOURNAMENTS, page
from tests.protocol.test_session import SAMPLES
from warledger.engine.desk import people
from warledger.engine.tournaments import tiebreaknames
from warledger.protocol.canon import Seal
from warledger.protocol.log import records
from warledger.protocol.log.plainform import plain
from warledger.protocol.seats.acting import NOT_BY_RULES
from warledger.protocol.wire import messages
from warledger.protocol.wire.errorcodes import ERROR_CODES
from warledger.protocol.wire.fields import BadMessage
from warledger.protocol.wire.jsonform import contract_text, from_json, to_json
from warledger.protocol.wire.shapes import value_of

ROOT = Path(__file__).parents[2]
CONTRACT = json.loads((ROOT / "protocol" / "messages.json").read_text(encoding="utf-8"))


def test_the_contract_is_what_the_classes_say() -> None:
    """The file and the tables of the page are made from the message classes; `python -m
    ops.contract` writes them anew."""
    assert (ROOT / "protocol" / "messages.json").read_text(encoding="utf-8") == contract_text()
    wire = PAGE.read_text(encoding="utf-8")
    assert page(wire) == wire and wire.count("\n| `") > len(messages.all_messages())
    for path in (BODIES, REASONS, TOURNAMENTS):
        written = path.read_text(encoding="utf-8")
        assert page(written) == written
    assert all(f"\n| `{kind}` |" in written for kind in tiebreaknames.KINDS)
    Draft202012Validator.check_schema(CONTRACT)
    assert {entry["$ref"].rpartition("/")[2] for entry in CONTRACT["oneOf"]} == {
        cls.tag for cls in messages.all_messages()
    }


def test_the_types_of_the_page_are_what_the_classes_say() -> None:
    """The page's types are made from the classes of messages, bodies and descriptions; `python -m
    ops.pagetypes` writes them anew. Every kind of record has its body, every request its answer."""
    written = pagetypes.FILE.read_text(encoding="utf-8")
    assert written == pagetypes.text()
    assert set(pagetypes.BODIES) == set(records.KINDS)
    answers = written[written.index("export interface Answers") :]
    for cls in messages.all_messages():
        assert (f"\n  {cls.tag}: " in answers) == (cls.sender == messages.CLIENT), cls.tag


def test_the_legend_has_every_reason_that_the_vectors_name() -> None:
    """Those of games and of tournaments, each with a sentence that says more than its arguments;
    and every key of the catalogue by which something is refused or a game ends."""
    folder = ROOT / "protocol" / "vectors"
    cases = [
        *json.loads((folder / "logs" / "index.json").read_text(encoding="utf-8")),
        *json.loads((folder / "tournaments.json").read_text(encoding="utf-8")),
    ]
    named = {case["reason"] for case in cases if case.get("reason")}
    assert len(named) > 60
    assert sorted(named - set(reasons.findings())) == []
    written = set(re.findall(r"^\| `([a-z_.]+)` \|", REASONS.read_text(encoding="utf-8"), re.M))
    assert named <= written
    assert set(reasons.ends()) == NOT_BY_RULES
    for key in (one for one in written if "." in one):
        assert re.search(r"[a-z]{2}", re.sub(r"\*[a-z_]+\*", "", reasons.sentence(key))), key


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.tag)
def test_every_message_keeps_the_contract_both_ways(sample: messages.Message) -> None:
    """Each message in JSON is valid by the contract and becomes itself again; without any one of
    its fields, or with one more, it is neither valid nor read."""
    text = to_json(sample)
    assert from_json(text) == sample
    told = json.loads(text)
    one = Draft202012Validator({**CONTRACT["$defs"][sample.tag], "$defs": CONTRACT["$defs"]})
    one.validate(told)
    assert CONTRACT["$defs"][sample.tag]["x-wire"] == [key for key in told if key != "type"]
    spoilt = [{key: value for key, value in told.items() if key != gone} for gone in told]
    for wrong in (*spoilt, {**told, "another": 1}):
        assert not one.is_valid(wrong)
        with pytest.raises(BadMessage):
            from_json(json.dumps(wrong))


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.text("abc\u00e9\u4e2d", max_size=5)
    | st.binary(max_size=5)
    | st.binary(min_size=32, max_size=32).map(Seal),
    lambda inner: (
        st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.sampled_from(["bytes", "seal", "map", "x", "y"]), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(VALUES)
def test_any_value_comes_back_from_json(value: object) -> None:
    """Bytes, seals, and maps that look like either."""
    assert value_of(json.loads(json.dumps(plain(value)))) == value


def test_every_error_code_is_in_the_contract() -> None:
    """The codes that the server can send are just those of the contract, each with what to do."""
    sent: set[str] = set()
    for folder in ("runtime", "serve", "desk"):
        for path in (ROOT / "engine" / folder).rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            found = re.findall(
                r'(?:failed\(\s*"error\.|Failed\(\s*"|\.(?:end|evict|hang_up)\(\s*"'
                r'|Error\(\s*\w+(?:\.\w+)*,\s*")(\w+)"',
                text,
            )
            sent.update(found)
            sent.update(re.findall(r'"error\.(not_saved|unknown_outcome|bad_option)"', text))
    sent.update(("malformed", "version"), people.ACCOUNT_CODES)
    assert sent == set(ERROR_CODES)
    assert CONTRACT["x-errors"] == dict(sorted(ERROR_CODES.items()))
