"""Self-play of Hungarian Rhapsody as its proof asks for it: so many games of each scenario, played
by chance and by captains, until all are played or the time is over.

    python -m ops.bench.selfplay games.jsonl [--until 16:10] [--small] [--seed 7] [--show]

Every second game is under fog, the other options are drawn for each game. Each game is checked
after every command, its books are kept a second time from its events alone, and its log is audited.
Each is a line of the file when it ends: scenario, players, seed and index (which together make it
again), options, winner, why, SP spent, aircraft flown, steps lost, and the verdict. That is "sound"
or says what is wrong. A run that is started again goes on with the games that have no line yet. A
line counts only for the code that played it, as `code` tells: a digest of the title's rules and,
where captains play, of the bots.

The games are taken in such an order that at any moment about the same share of each kind has been
played. `--until` is a time of the day in UTC: no game is begun after it, and one that is then in
progress is given up. `--small` plays one game of each kind, `--show` plays none, and prints what
the file says.
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from attrs import asdict, frozen

from ops.bench.balance import FOG, PAID, TITLE, TOKENS, options_of, sound
from tests.rules.hungarian_rhapsody.recount import Recount
from warledger.clients.bots import selfplay as selfplaying
from warledger.clients.bots.selfplay import COMMANDS_MAX, Broken, Field, Played, begin
from warledger.clients.cli import collect_rarely

SCENARIOS = ("debrecen", "konrad1", "konrad2", "konrad12", "konrad3", "siege")

ASKED = {
    ("sudwind", "random"): 300,
    ("sudwind", "captain"): 100,
    **{(scenario, "random"): 30 for scenario in SCENARIOS},
    **{(scenario, "captain"): 20 for scenario in SCENARIOS},
    ("campaign", "random"): 10,
    ("campaign", "captain"): 5,
}
"""(scenario, who plays it) -> how many games are asked for."""

SOUND = "sound"


@frozen
class Game:
    """One game of the plan: the `index`th of its kind."""

    scenario: str
    player: str
    seed: int
    index: int


class Late(Exception):
    """The time was over while a game was in progress."""


def plan(seed: int, *, small: bool = False) -> list[Game]:
    """All games, in the order in which they are played."""
    found: list[tuple[float, int, Game]] = []
    for place, ((scenario, player), number) in enumerate(ASKED.items()):
        found.extend(
            ((index + 0.5) / number, place, Game(scenario, player, seed, index))
            for index in range(1 if small else number)
        )
    return [game for _, _, game in sorted(found, key=lambda entry: entry[:2])]


def lines(file: Path) -> Iterator[dict[str, Any]]:
    """What a file says. A line that was cut when a run died is passed over."""
    if not file.exists():
        return
    for text in file.read_text().splitlines():
        try:
            yield json.loads(text)
        except ValueError:
            continue


def code_of(field: Field, player: str) -> str:
    """A digest of the code that such games are played by."""
    found = hashlib.sha256(field.digest)
    if player != "random":
        folder = Path(selfplaying.__file__).parent
        for file in sorted(folder.rglob("*.py")):
            found.update(file.read_bytes())
    return found.hexdigest()[:12]


def played(field: Field, game: Game, over: Callable[[], bool]) -> tuple[dict[str, Any], bool]:
    """The line of a game that has been played to its end, and whether it is sound. Raises Late once
    `over` says so."""
    options = options_of(field.rules, game.scenario, (game.player,), game.index)
    line: dict[str, Any] = {**asdict(game), FOG: options[FOG], "options": options}
    begun = time.process_time()
    try:
        going = begin(
            field, seed=game.seed, index=game.index, players=(game.player,), options=options
        )
        while not going.ended:
            going.command()
            if going.commands >= COMMANDS_MAX:
                raise Broken(f"{going.commands} commands and no end")
            if over():
                raise Late
        ended = going.played()
        book = sound(ended)
    except Late:
        raise
    except Exception as error:
        # Whatever is wrong with one game is told in its line; the others are still to be played.
        line |= {"verdict": f"{type(error).__name__}: {error}"}
    else:
        line |= {**came_to(ended, book, field.rules.seats), "verdict": SOUND}
    is_sound: bool = line["verdict"] == SOUND
    line |= {"seconds": round(time.process_time() - begun, 1), "code": code_of(field, game.player)}
    return line, is_sound


def came_to(ended: Played, book: Recount, seats: tuple[str, ...]) -> dict[str, Any]:
    """How a game has ended, and what each side has used."""
    why = ended.outcome.reason
    spent = {
        seat: sum(n for (side, what), n in book.spent.items() if side == seat and what in PAID)
        for seat in seats
    }
    return {
        "winner": ended.outcome.winner or "nobody",
        "why": why.key.rsplit(".", 1)[-1],
        "points": {name: str(value) for name, value in why.args},
        "commands": ended.commands,
        "SP": {seat: tokens / TOKENS for seat, tokens in spent.items()},
        "flown": {seat: book.counts[seat, "aircraft flown"] for seat in seats},
        "steps": {seat: book.counts[seat, "steps lost"] for seat in seats},
    }


def show(file: Path) -> None:
    """How many games of each kind a file has, how many of them are sound, and who won."""
    codes = Counter(f"{line['player']} {line['code']}" for line in lines(file))
    print(f"games by the code that played them: {dict(codes)}")
    for (scenario, player), number in ASKED.items():
        here = [
            line for line in lines(file) if (line["scenario"], line["player"]) == (scenario, player)
        ]
        well = [line for line in here if line["verdict"] == SOUND]
        won = Counter(line["winner"] for line in well)
        fog = sum(line[FOG] == "strict" for line in here)
        print(
            f"{scenario:9} {player:8} {len(here):3} of {number:3}, {len(well):3} sound, "
            f"{fog:3} under fog, won: {dict(sorted(won.items()))}"
        )
    for line in lines(file):
        if line["verdict"] != SOUND:
            print(f"NOT SOUND: {line}")


def clock(text: str) -> float:
    """Seconds of the epoch of a time of this day, HH:MM in UTC."""
    at = datetime.time.fromisoformat(text)
    today = datetime.datetime.now(datetime.UTC)
    return today.replace(hour=at.hour, minute=at.minute, second=0, microsecond=0).timestamp()


def main() -> None:
    """Play what has not been played yet. Exits with 1 if a game is not sound."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("--until", type=clock, default=float("inf"), metavar="HH:MM")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--show", action="store_true")
    asked = parser.parse_args()
    if asked.show:
        show(asked.file)
        return
    until: float = asked.until
    collect_rarely()
    field = Field.of(TITLE)
    have = {
        Game(line["scenario"], line["player"], line["seed"], line["index"])
        for line in lines(asked.file)
        if line["code"] == code_of(field, line["player"])
    }
    well = True

    def over() -> bool:
        return time.time() >= until

    with asked.file.open("a") as out:
        for game in plan(asked.seed, small=asked.small):
            if game in have:
                continue
            if over():
                break
            try:
                line, is_sound = played(field, game, over)
            except Late:
                break
            out.write(json.dumps(line) + "\n")
            out.flush()
            well = well and is_sound
    show(asked.file)
    sys.exit(not well)


if __name__ == "__main__":
    main()
