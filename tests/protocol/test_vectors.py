"""The vectors for programs in other languages: what stands there is what this code gives, and the
auditor that was written from the protocol's page alone agrees."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.audit import mini_auditor, mini_pairings, mini_verdict
from tests.fixtures import cup_vectors, vectors
from tests.fixtures.vectors import CUPS, FOLDER, LOGS, examples
from warledger.protocol.canon import NotCanonical, pack, unpack
from warledger.protocol.wire.shapes import value_of

PAGE = (FOLDER.parent / "vectors.md").read_text(encoding="utf-8")


def test_the_files_are_what_the_code_gives() -> None:
    """Every vector and every log, byte for byte; `python -m tests.fixtures.vectors` writes them
    anew."""
    for name, text in vectors.texts().items():
        assert (FOLDER / name).read_text(encoding="ascii") == text, name
    assert {path.name for path in LOGS.glob("*.wlog")} == {file for file, _, _ in vectors.logs()}
    for file, data, _ in vectors.logs():
        assert (LOGS / file).read_bytes() == data, file
    for file, data in examples():
        assert (FOLDER / file).read_bytes() == data, file
    for file, data in cup_vectors.files():
        assert (CUPS / file).read_bytes() == data, file


def test_values_are_canonical_or_not() -> None:
    """Both auditors read the valid ones, and only those; a value is spelt in one way."""
    for case in json.loads((FOLDER / "values.json").read_text()):
        data = bytes.fromhex(case["hex"])
        if case["valid"]:
            assert unpack(data) == value_of(case["value"]) and pack(unpack(data)) == data
            mini_auditor.unpack(data)
            continue
        with pytest.raises(NotCanonical):
            unpack(data)
        with pytest.raises(Exception):  # noqa: B017 - whatever it trips over
            mini_auditor.unpack(data)


def test_the_small_auditor_judges_every_log_as_the_index_does() -> None:
    """Sound where the index says so, with the same reservations; else the first finding is at the
    same record, or at the same byte."""
    index = json.loads((LOGS / "index.json").read_text())
    assert len(index) > 110 and sum(case.get("sound", False) for case in index[1:]) >= 30
    for case in index[1:]:
        judged_alike(case, (LOGS / case["file"]).read_bytes(), index[0]["key"])


def test_the_small_auditor_judges_every_ledger_as_the_vectors_do() -> None:
    """As of games."""
    cases = json.loads((FOLDER / "tournaments.json").read_text())
    files = [case for case in cases if case["kind"] == "file"]
    assert len(files) > 20
    for case in files:
        judged_alike(case, (FOLDER / case["file"]).read_bytes(), cases[0]["key"])


NOT_OF_LEVEL_1 = {"not_decided", "games_not_given", "by_hand"}
"""What is reserved since nothing was decided again, and no game of a tournament is at hand."""


def judged_alike(case: Any, data: bytes, key: str) -> None:
    """The small auditor says of a file what a vector does."""
    found = mini_verdict.verdict(data, bytes.fromhex(key))
    assert found.sound is case["sound"], (case, found.why)
    if case["sound"]:
        told = sorted(set(case["reservations"]) - NOT_OF_LEVEL_1)
        assert sorted(name for name, _ in found.reserved) == told, case
    elif "byte" in case:
        assert found.byte == case["byte"], (case, found.why)
    else:
        assert found.seq == case["record"], (case, found.why)


def test_the_page_names_every_file_of_vectors() -> None:
    """A reader finds each of them."""
    named = set(re.findall(r"`vectors/([\w./]+)`", PAGE))
    assert named == {
        *(path.name for path in FOLDER.iterdir() if path.is_file()),
        "logs/index.json",
    }


def test_tournaments_are_computed_again_by_what_the_page_says() -> None:
    """Nonces, seeds, lots, inputs, sides and results, by formulas written from
    protocol/tournaments.md alone."""
    cases = json.loads((FOLDER / "tournaments.json").read_text())
    assert {case["kind"] for case in cases} == {"key", "file", *PAGE_SAYS}
    for case in cases:
        if case["kind"] in PAGE_SAYS:
            computed, written = PAGE_SAYS[case["kind"]](case)
            assert computed == written, case["case"]


def test_inputs_of_pairings_are_computed_from_the_files_by_what_the_page_says() -> None:
    """From the records of each sound file to the digest of each of its pairings; and the vectors
    have those."""
    cases = json.loads((FOLDER / "tournaments.json").read_text())
    computed: set[str] = set()
    for case in cases:
        if case["kind"] == "file" and case["sound"]:
            found = mini_pairings.inputs_of((FOLDER / case["file"]).read_bytes())
            assert found and all(mine == written for _, mine, written in found), case["case"]
            computed |= {mine.hex() for _, mine, _ in found}
    assert {case["inputs"] for case in cases if case["kind"] == "inputs"} <= computed


def _hex(case: Any, *names: str) -> list[bytes]:
    return [bytes.fromhex(case[name]) for name in names]


def _sha(tag: str, *parts: Any) -> str:
    return hashlib.sha256(tag.encode() + pack(parts)).hexdigest()


def _draw(seed: bytes, counter: int, purpose: str, sides: int) -> int:
    """A draw at the first attempt: a second is too rare to be met here."""
    digest = hmac.digest(seed, pack((counter, 0, purpose)), "sha256")
    return int.from_bytes(digest, "big") % sides


def _pair(case: Any) -> tuple[int, int]:
    (seed,) = _hex(case, "seed")
    low, high = sorted(case["numbers"])
    name = f"{case['purpose']}:{low}:{high}"
    return 256 * _draw(seed, 0, name, 2**32) + _draw(seed, 1, name, 256), case["lot"]


def _sides(case: Any) -> tuple[Any, Any]:
    (a, side_a, amount_a), (b, side_b, amount_b) = case["bids"]
    gets, half = 0, 0
    if side_a is None and side_b is None:
        first, second = (b, a) if case["lot"] else (a, b)
    elif side_a != side_b:
        a_first = side_a == 0 if side_a is not None else side_b == 1
        first, second = (a, b) if a_first else (b, a)
    else:
        a_has = amount_a > amount_b or (amount_a == amount_b and not case["lot"])
        holder, other = (a, b) if a_has else (b, a)
        first, second = (holder, other) if side_a == 0 else (other, holder)
        half = (max if case["price"] == "own" else min)(amount_a, amount_b)
        gets = 1 - side_a if half else 0
    return ([first, second], [gets, half]), (case["numbers"], case["handicap"])


def _result(case: Any) -> tuple[Any, Any]:
    winner, points, (gets, units) = case["winner"], case["points"], case["handicap"]
    by_rules = "draw" if winner is None else ("win", "loss")[winner]
    told, m = by_rules, 0
    if case["by"] in ("rules", "adjudicated") and points:
        whole = 2 * abs(points[0] - points[1]) // case["points_a_unit"]
        m = whole if points[0] >= points[1] else -whole
        m += units if gets == 0 else -units
        judged = case["by"] == "adjudicated" and abs(m) < case["draw"]
        against = not units and winner is not None and (m == 0 or (m > 0) != (winner == 0))
        if judged:
            told, m = "draw", 0
        elif against:
            m = 0
        else:
            name = ("close_" if abs(m) < case["close"] else "") + ("win" if m > 0 else "loss")
            told = name if m else "draw"
    return (told, m), (case["results"][0], case["margins"][0])


PAGE_SAYS: dict[str, Callable[[Any], tuple[Any, Any]]] = {
    "nonce": lambda case: (
        _sha("warledger/nonce/2", *_hex(case, "charter"), case["who"], *_hex(case, "nonce")),
        case["commitment"],
    ),
    "seed": lambda case: (
        _sha(
            "warledger/open-seed/1",
            case["tournament"],
            *_hex(case, "link"),
            tuple(map(bytes.fromhex, case["nonces"])),
        ),
        case["seed"],
    ),
    "lot": lambda case: (
        _draw(*_hex(case, "seed"), 0, case["purpose"], case["sides"]),
        case["index"],
    ),
    "pair": _pair,
    "inputs": lambda case: (
        hashlib.sha256(pack(value_of(case["value"]))).hexdigest(),
        case["inputs"],
    ),
    "sides": _sides,
    "result": _result,
}
"""What the page gives for a case of each kind, and what stands in the vector."""
