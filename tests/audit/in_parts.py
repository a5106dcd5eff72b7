"""What `test_parts` runs in a process that has no other threads: audits by one process and by
several, which must say the same. Prints how many files were found whole in parts, how many
otherwise, and how many cannot be divided."""

import multiprocessing
import os
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock

from tests.audit.attacked import RULEBOOK, whole
from tests.audit.forged_games import FORGED, RARE
from tests.audit.forged_parts import FOLDED
from tests.audit.tamper import forged
from tests.tournaments.desk import PUBLIC
from tests.tournaments.test_audit import played as tournament
from tests.toys import PACKS, TOYS
from tests.verdicts import findings_of
from warledger.clients.audit import parts
from warledger.clients.audit.audit import Rulebook, installed
from warledger.clients.audit.evidence import Evidence
from warledger.clients.audit.examine import examine
from warledger.clients.audit.processes import Lost, at_once, each
from warledger.clients.audit.redecide import Decided, redecide
from warledger.clients.audit.tournamentreplay import audit_tournament
from warledger.clients.bots.selfplay import Field
from warledger.clients.bots.selfplay import play as play_title
from warledger.engine.testing.randomgames import play
from warledger.protocol import tournaments as forms
from warledger.protocol.log import records

WORKERS = 3


def _never(*_: Any) -> Decided:
    raise AssertionError("one process did it all")


def compared(name: str, found: Evidence, rules: Rulebook, least: int = 1) -> str:
    """Compare, and say how the file was decided: "whole" or "otherwise" in parts, or "alone"."""
    expected = redecide(found, rules.rules)
    bounds = parts.bounds_of(found.records, WORKERS, least)
    divided = len(bounds) > 1 and parts.can_be_folded(found, bounds[-1])
    # What is sound must not need the process that looks again.
    alone = _never if divided and expected.whole else redecide
    with mock.patch.object(parts, "redecide", alone):
        decided = parts.redecide_on(found, rules.rules, WORKERS, least)
    assert decided == expected, (name, decided, expected)
    if not divided:
        return "alone"
    return "whole" if expected.whole else "otherwise"


def toys(random: Random) -> Iterator[tuple[str, bytes]]:
    """Games of every toy: whole ones, some that are in progress, and some with a command that says
    otherwise who goes on."""
    for title in TOYS:
        for commands in (12, 60):
            seed = random.randrange(1 << 30)
            played = play(TOYS[title], PACKS[title], seed, requests=0.2, commands=commands)
            yield title, played.file()
            made = [one for one in played.records if one.kind == records.COMMAND]
            for one in random.sample(made, min(3, len(made))):
                kept, *rest = one.body[records.FLOW]
                data = forged(played, one.seq, (records.FLOW,), (kept + 1, *rest))
                yield f"{title}, forged in {one.seq}", data


def folded() -> None:
    """Forged files whose records follow from what a fold comes to."""
    for name, (make, rules) in FOLDED.items():
        found = examine(make())
        assert not found.findings
        compared(name, found, rules)
        assert redecide(found, rules.rules).findings, name


def games_of_a_tournament(folder: Path) -> None:
    """A folder with some of its games, none of which is the one that was reported."""
    desk = tournament()
    events = [event for one in desk.log if one.kind == forms.ACT for event in one.body[5]]
    opened = [event for event in events if event[0] == "opened"]
    for event in opened[::2]:
        game = event[1 + forms.EVENTS["opened"].index("game")]
        (folder / f"{game}.wlog").write_bytes(whole().file())
    reports = [
        audit_tournament(desk.file(), key=PUBLIC, rulebook=RULEBOOK, games=folder, workers=workers)
        for workers in (1, WORKERS)
    ]
    assert reports[0].verdict.games == len(opened[::2]) and len(findings_of(reports[0])) > len(
        opened
    )
    assert all(one == reports[0] for one in reports)


def processes() -> None:
    """Results come in order; a process that is killed, or whose job raises, is lost; and none is
    left behind."""

    def job(number: int) -> int:
        if number == 7:
            os.kill(os.getpid(), 9)
        return 100 // (number - 9)

    assert list(each(job, 7, 3)) == list(map(job, range(7)))
    for count, before in ((9, 7), (10, 7)):
        results: list[int] = []
        with suppress(Lost):
            results += each(job, count, 3)
        assert results == list(map(job, range(before)))
    next(each(job, 7, 3))
    assert multiprocessing.active_children() == []


def main(seed: int) -> None:
    """Compare all of it."""
    assert at_once(2) == 2, "this process has other threads"
    processes()
    with TemporaryDirectory() as folder:
        games_of_a_tournament(Path(folder))
    folded()
    random = Random(seed)
    how: Counter[str] = Counter()
    data = {"whole": whole().file(), **{name: make() for name, make in (FORGED | RARE).items()}}
    for name, file in (*data.items(), *toys(random)):
        found = examine(file)
        if found.genesis is not None and not found.findings:
            how[compared(name, found, RULEBOOK)] += 1
    for title in ("war_at_sea", "victory_lost"):
        made = play_title(
            Field.of(title), seed=random.randrange(1000), players=("random",), check=False
        )
        how[compared(title, examine(made.as_wlog()), installed(), least=10)] += 1
    print(how["whole"], how["otherwise"], how["alone"])


if __name__ == "__main__":
    main(int(sys.argv[1]))
