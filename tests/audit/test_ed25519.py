"""Every verifier of signatures agrees on the edge cases, which libraries are known to disagree
about."""

import json
from typing import Any

import pytest

from tests.audit import mini_auditor
from tests.fixtures import ed25519
from warledger.protocol.seats import acts

VECTORS: list[dict[str, Any]] = json.loads(ed25519.FILE.read_text(encoding="ascii"))


def test_the_vectors_are_what_they_say() -> None:
    """Made again they are the same to the byte, with both outcomes among them."""
    assert ed25519.text() == ed25519.FILE.read_text(encoding="ascii")
    assert {item["valid"] for item in VECTORS} == {True, False}


@pytest.mark.parametrize("item", VECTORS, ids=[item["case"] for item in VECTORS])
def test_both_verifiers_take_just_the_good_ones(item: dict[str, Any]) -> None:
    """libsodium, as the log's signatures are checked, and the small auditor's own arithmetic."""
    key, message, signature = (
        bytes.fromhex(item[name]) for name in ("key", "message", "signature")
    )
    assert acts.verify(key, message, signature) is item["valid"]
    assert mini_auditor.signed_by(key, message, signature) is item["valid"]
