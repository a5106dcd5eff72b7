"""Games with one thing wrong: whoever leaves out that one check finds nothing else, so that the
vectors tell an auditor which of its checks it lacks."""

import pytest

from tests.audit import mini_auditor
from tests.audit.forged_games import FORGED, RARE
from tests.fixtures.vectors import judged


@pytest.mark.parametrize("name", RARE)
def test_what_is_rare_is_sound(name: str) -> None:
    """For both auditors."""
    data = RARE[name]()
    assert judged(data).findings == ()
    mini_auditor.audit(data)


SEVERAL = {
    "a die of an epoch that was opened, behind it",
    "a consent to what nobody has asked for",
    "a clock that is nil",
    "an opened value that holds a seal",
}
"""What more than one check of the small auditor finds."""


@pytest.mark.parametrize("name", FORGED)
def test_what_is_forged_is_found(name: str) -> None:
    """Both auditors object."""
    data = FORGED[name]()
    assert judged(data).code() == 1
    with pytest.raises(mini_auditor.Unsound):
        mini_auditor.audit(data)


@pytest.mark.parametrize("name", sorted(FORGED.keys() - SEVERAL))
def test_one_check_alone_finds_each(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the check that the small auditor names it has no objection."""
    data = FORGED[name]()
    with pytest.raises(mini_auditor.Unsound) as raised:
        mini_auditor.audit(data)
    left_out, need = str(raised.value), mini_auditor.need

    def without(good: bool, what: str) -> None:
        need(good or what == left_out, what)

    monkeypatch.setattr(mini_auditor, "need", without)
    mini_auditor.audit(data)
