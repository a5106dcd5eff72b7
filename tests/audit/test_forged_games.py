"""Games with one thing wrong: whoever leaves out that one check finds nothing else, so that the
vectors tell an auditor which of its checks it lacks."""

import sys

import pytest

from tests.audit import (
    forged_epochs,
    forged_forms,
    forged_games,
    forged_odd,
    mini_auditor,
    mini_values,
)
from tests.fixtures.vectors import judged
from tests.verdicts import findings_of
from warledger.protocol import canon
from warledger.protocol.log import records, wlog

RARE = {**forged_games.RARE, **forged_epochs.SOUND, **forged_odd.SOUND}
FORGED = {
    **forged_games.FORGED,
    **forged_epochs.FORGED,
    **forged_odd.FORGED,
    **forged_forms.FORGED,
}


@pytest.mark.parametrize("name", RARE)
def test_what_is_rare_is_sound(name: str) -> None:
    """For both auditors."""
    data = RARE[name]()
    assert findings_of(judged(data)) == ()
    mini_auditor.audit(data)


SEVERAL = {
    "a pack that is a packed seal",
    "a term of clocks without a name",
    "a die of an epoch that was opened, behind it",
    "a consent to what nobody has asked for",
    "a clock that is nil",
    "an opened value that holds a seal",
    "a hidden draw that shows one more than it has results",
    "a head beyond the last record",
    "a head with a short hash",
    "three secrets",
    "a hidden draw that is opened to nil",
    "a private opening whose path is bytes",
    "a ruling whose finding is a map",
    "sealed picks that are opened to nil",
    "standing answers that are opened to nil",
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
    left_out, need = str(raised.value), mini_values.need

    def without(good: bool, what: str, *where: int | None, **more: int | None) -> None:
        need(good or what == left_out, what, *where, **more)

    for module in [one for name, one in sys.modules.items() if ".mini_" in name]:
        if hasattr(module, "need"):
            monkeypatch.setattr(module, "need", without)
    mini_auditor.audit(data)


@pytest.mark.parametrize("name", [name for name in FORGED if name.startswith("a hidden draw ")])
def test_a_hidden_draw_outside_its_bounds_is_found_at_the_end(name: str) -> None:
    """As long as it is sealed nobody can object, and once it is open both auditors do, to the
    record that drew it."""
    file = wlog.parse(FORGED[name]())
    end = next(i for i, one in enumerate(file.records) if canon.unpack(one)[3] == records.END)
    before = wlog.encode(
        [wlog.Frame(wlog.FRAME_RECORD, one) for one in file.records[:end]], sealed=True
    )
    assert findings_of(judged(before)) == ()
    assert not mini_auditor.audit(before).ended
    (found,) = findings_of(judged(FORGED[name]()))
    assert found.field == "draws[0]" and found.seq is not None and found.seq < end
    with pytest.raises(mini_auditor.Unsound, match="a draw"):
        mini_auditor.audit(FORGED[name]())
