"""A game keeps the reading of the rules that it began with, through releases that read a clause
again."""

from typing import Any

import pytest

from tests.toys import reread
from tests.verdicts import findings_of, remarks_of
from warledger.clients.audit.audit import Rulebook, audit
from warledger.clients.audit.redecide import not_default
from warledger.clients.audit.report import Report
from warledger.engine.kernel.rulings import BadOption, in_force, offered, resolve, unnamed
from warledger.engine.kernel.types import Switch
from warledger.engine.runtime.snapshots.sharedstates import shared
from warledger.engine.testing.randomgames import Played, begin, signing_key

AFTER = [reread.SECOND, reread.RULES]
OLDER, NEWER = 12, 6
"""What a six counts by either reading."""


def played(release: reread.Reread, **options: Any) -> Played:
    """A whole game of a release, in which a seat adds a six."""
    game = begin(release, reread.PACK, options=options)
    game.submit("a", "add", 6)
    game.submit("b", "pass")
    assert game.position.whole
    return game


def scored(game: Played) -> int:
    """What the six counted."""
    return int(game.position.state.score[0])


def judged(game: Played, rules: Any, digest: bytes = bytes(32)) -> Report:
    """The whole audit of it by another release, whose digest is its own."""
    book = Rulebook({"reread": rules}.__getitem__, lambda title: digest)
    return audit(game.file(), key=signing_key().verify_key.encode(), rulebook=book)[0]


@pytest.mark.parametrize("release", AFTER)
def test_a_genesis_without_the_switch_goes_on_with_the_older_reading(
    release: reread.Reread,
) -> None:
    """A game of the first release is made again to the same bytes by each later one, though new
    games of these are played by the newer reading."""
    game = played(reread.FIRST)
    assert (scored(game), scored(played(release))) == (OLDER, NEWER)
    assert unnamed(release.switches, game.ledger.genesis.options) == ()
    for rules in (release, shared(release)):
        report = judged(game, rules)
        assert (findings_of(report), report.verdict.level, report.verdict.decided) == (
            (),
            2,
            len(game.records),
        )


def test_without_the_value_of_before_it_would_come_out_differently() -> None:
    """By rules that have the newer reading for games that do not name the switch, too, the game of
    the first release is wrong from its first six on."""
    game = played(reread.FIRST)
    six = next(
        record.seq for record in game.records if record.actor == "a" and record.kind == "command"
    )
    newer = reread.Reread(Switch("six_doubles", False, (False, True), "2", before=False))
    (found,) = findings_of(judged(game, newer))
    assert found.seq == six


@pytest.mark.parametrize("six", [OLDER, NEWER])
def test_a_game_that_names_a_retired_switch_goes_on_by_it(six: int) -> None:
    """A game of the second release, whose option the third has retired, comes out as it did there,
    with either value."""
    game = played(reread.SECOND, six=six)
    assert scored(game) == six
    report = judged(game, reread.RULES)
    assert (findings_of(report), report.verdict.level, report.verdict.decided) == (
        (),
        2,
        len(game.records),
    )


def test_a_new_game_is_offered_the_new_switch_and_not_the_retired_one() -> None:
    """Its genesis names the newer reading, and who asks for the retired option is refused."""
    switches = reread.RULES.switches
    assert resolve(switches, {}) == {"six_doubles": False, "turns": 1}
    assert [one.name for one in offered(switches)] == ["turns", "six_doubles"]
    assert scored(played(reread.RULES)) == NEWER
    assert scored(played(reread.RULES, six_doubles=True)) == OLDER
    with pytest.raises(BadOption):
        resolve(switches, {"six": NEWER})


def test_a_genesis_without_an_option_that_all_name_is_refused() -> None:
    """Only switches that say so may be missing from a genesis: by rules that require the option
    that the second release added, a game of the first is not complete."""
    required = reread.Reread(Switch("six", 6, (6, 12), "2"))
    (found,) = findings_of(judged(played(reread.FIRST), required))
    assert (found.seq, found.said.key) == (0, "audit.options")


def test_an_audit_remarks_on_other_rules_and_on_the_older_reading() -> None:
    """The digest of the first release is not the third's, and by its reading a new game would not
    be played: both are told, and neither is a finding."""
    game = played(reread.FIRST)
    report = judged(game, reread.RULES, digest=b"\1" * 32)
    assert [one.key for one in remarks_of(report)] == ["audit.remark.options", "audit.remark.rules"]
    assert findings_of(report) == () and report.code() == 0
    assert remarks_of(judged(played(reread.RULES), reread.RULES)) == ()


def test_options_that_are_not_a_new_game_s_are_told() -> None:
    """A reading that was kept, a retired switch that a genesis names, an option that was chosen; of
    a game as it comes nothing."""
    switches = reread.RULES.switches

    def told(**named: Any) -> dict[str, Any]:
        return dict(not_default(reread.RULES, named))

    assert told(**resolve(switches, {})) == {}
    assert told(turns=1) == {"six_doubles": True}
    assert told(turns=2, six_doubles=False) == {"turns": 2}
    assert told(turns=1, six_doubles=False, six=6) == {"six": 6}
    assert in_force(switches, {"turns": 1, "six": 6})["six_doubles"] is True, "it is not asked"
