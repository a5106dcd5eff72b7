"""How the scenarios of Hungarian Rhapsody come out between bots: who wins, with how many points,
what is lost, spent and flown.

    python -m ops.bench.balance [--scenario sudwind] [--games 10] [--player captain] [--seed 7]

`--player captain,random` gives the seats to different bots. Every second game is under fog, the
other options are drawn for each game. Each game is checked after every command, and its log is
audited. Its books are kept a second time from its events alone and compared with its positions. The
first game that is not sound ends the run. A line a game, then the means. Supply is in SP, losses
are in steps.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

from attrs import define, field

from tests.rules.hungarian_rhapsody.recount import Recount, recounted
from tests.verdicts import findings_of
from warledger.clients.audit.audit import audit, installed
from warledger.clients.bots.selfplay import Field, Played, play
from warledger.clients.cli import collect_rarely
from warledger.engine.kernel.rulings import offered

TITLE = "hungarian_rhapsody"
SCENARIO, FOG = "scenario", "fog"
FOGS = ("strict", "open")
SHARE = 0.4
"""How often another option is drawn at all; the rest stay as they are by default."""
TOKENS = 4
"""OCS 12.1 T in an SP."""
PAID = ("attack", "defence", "barrage", "fuel_unit", "fuel_hq", "fuel_formation", "recovery", "eat")
"""What supply is spent on in battle and on the march; building and refits come on top."""


def options_of(rules: Any, scenario: str, players: Sequence[str], index: int) -> dict[str, Any]:
    """The options of one game of a run."""
    chance = random.Random(f"{scenario} {tuple(players)} {index}")
    found = {SCENARIO: scenario, FOG: FOGS[index % len(FOGS)]}
    for switch in offered(rules.switches):
        if switch.name not in found and chance.random() < SHARE:
            found[switch.name] = chance.choice(switch.choices)
    return found


@define
class Tally:
    """What the games of a run came to."""

    seats: tuple[str, ...]
    games: int = 0
    won: Counter[str] = field(factory=Counter)
    of: dict[tuple[str, str], float] = field(factory=dict)
    """(side, what) -> the sum over all games."""

    def enter(self, played: Played, book: Recount) -> dict[str, str]:
        """Add a game. Returns what its line says of each side."""
        self.games += 1
        self.won[played.outcome.winner or "nobody"] += 1
        lines = {}
        for seat in self.seats:
            paid = sum(
                tokens
                for (side, what), tokens in book.spent.items()
                if side == seat and what in PAID
            )
            here: dict[str, float] = {
                "steps": book.counts[seat, "steps lost"],
                "SP": paid / TOKENS,
                "aircraft flown": book.counts[seat, "aircraft flown"],
                "aircraft lost": book.counts[seat, "PlaneLost"],
                "combats": book.counts[seat, "BattleFought"],
                "barrages": book.counts[seat, "ShellsFallen"],
            }
            for what, number in here.items():
                self.of[seat, what] = self.of.get((seat, what), 0) + number
            lines[seat] = ", ".join(f"{what} {number:g}" for what, number in here.items())
        return lines

    def show(self) -> None:
        """Wins and means."""
        print(f"{self.games} games; won: {dict(sorted(self.won.items()))}")
        for seat in self.seats:
            means = {what: n / self.games for (side, what), n in self.of.items() if side == seat}
            print(f"  {seat:8} " + ", ".join(f"{what} {n:.1f}" for what, n in means.items()))


def sound(played: Played) -> Recount:
    """The books of a game, which agree with its positions, and whose log is sound."""
    book = recounted(list(played.records), dict(enumerate(played.openings)))
    key = played.key.verify_key.encode()
    report, _ = audit(played.as_wlog(), key=key, rulebook=installed())
    assert report.verdict.level == 2 and not findings_of(report), findings_of(report)
    return book


def main() -> None:
    """Play, and print the report."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--scenario", default="sudwind")
    parser.add_argument("--games", type=int, default=10)
    parser.add_argument("--player", default="captain")
    parser.add_argument("--seed", type=int, default=7)
    asked = parser.parse_args()
    collect_rarely()
    here, players = Field.of(TITLE), tuple(asked.player.split(","))
    tally = Tally(here.rules.seats)
    for index in range(asked.games):
        options = options_of(here.rules, asked.scenario, players, index)
        played = play(here, seed=asked.seed, index=index, players=players, options=options)
        lines = tally.enter(played, sound(played))
        outcome, words = played.outcome, played.outcome.reason
        why = " ".join((words.key.rsplit(".", 1)[-1], *(f"{k}={v}" for k, v in words.args)))
        print(f"{index:3} {options[FOG]:6} {outcome.winner or 'nobody':8} {why}")
        for seat, line in lines.items():
            print(f"    {seat:8} {line}")
    tally.show()


if __name__ == "__main__":
    main()
