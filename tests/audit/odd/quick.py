"""The small auditor with libsodium's Ed25519 in place of its own, which takes a hundred times as
long. `vectors/ed25519.json` compares the two."""

from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock

from tests.audit import mini_auditor, mini_ledger, mini_seats
from warledger.protocol.seats import acts


@contextmanager
def quick() -> Iterator[None]:
    """Within, it verifies signatures so."""
    with (
        mock.patch.object(mini_auditor, "signed_by", acts.verify),
        mock.patch.object(mini_ledger, "signed_by", acts.verify),
        mock.patch.object(mini_seats, "signed_by", acts.verify),
    ):
        yield
