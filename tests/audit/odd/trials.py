"""One file of each seed: which log it was, what is odd about it, and what every judge says."""

import json
import pickle
import random
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

import attrs

from tests.audit.odd import games, ledgers
from tests.audit.odd.judges import Judge, Judged, Verdict, disagree
from tests.audit.odd.log import BODY, Log, made
from tests.audit.odd.oddities import ANY, Oddity
from tests.audit.odd.taken_apart import taken_apart

FOLDER: Final = Path(__file__).resolve().parents[3] / "protocol" / "vectors"
KINDS: Final = ("games", "ledgers")


@attrs.frozen
class Trial:
    """A file, and what every judge says of it."""

    kind: str
    seed: int
    base: str
    odd: tuple[str, ...]
    data: bytes
    verdicts: Mapping[str, Judged]

    @property
    def agrees(self) -> bool:
        """Whether all judges do."""
        return not disagree(tuple(self.verdicts.values()))

    @property
    def is_sound(self) -> bool:
        """Whether the first judge finds it sound."""
        first = next(iter(self.verdicts.values()))
        return isinstance(first, Verdict) and bool(first.sound)

    @property
    def sort(self) -> str:
        """The sort of disagreement, without numbers, so that many of one sort can be counted."""
        told = " | ".join(f"{name}: {_verdict(one)}" for name, one in self.verdicts.items())
        return re.sub(r"\b\d+\b|\{.*?\}", "#", told)[:200]

    def told(self) -> str:
        """The trial in words."""
        lines = [f"{self.kind}, seed {self.seed}, from {self.base}"]
        lines += [f"    {odd if len(odd) < 300 else odd[:300] + '…'}" for odd in self.odd]
        lines += [f"  {name}: {_verdict(one)}" for name, one in self.verdicts.items()]
        return "\n".join(ascii(line)[1:-1] for line in lines)


def _verdict(one: Judged) -> str:
    return str(one) if isinstance(one, Verdict) else f"{type(one).__name__}: {one}"


@cache
def bases(kind: str) -> tuple[tuple[str, bytes], ...]:
    """The logs that are made odd: every sound vector, taken apart."""
    if kind == "games":
        index = json.loads((FOLDER / "logs" / "index.json").read_text())
        files = {f"logs/{case['file']}" for case in index[1:] if case["sound"]}
    else:
        cases = json.loads((FOLDER / "tournaments.json").read_text())
        files = {case["file"] for case in cases if case["kind"] == "file" and case["sound"]}
    made = [(name, (FOLDER / name).read_bytes()) for name in sorted(files)]
    made += ledgers.bases() if kind == "ledgers" else ()
    return tuple((name, pickle.dumps(taken_apart(data))) for name, data in made)


def oddities(kind: str) -> dict[Oddity, int]:
    """What can be odd, each with how often it is chosen."""
    return {**ANY, **(games.ODD if kind == "games" else ledgers.ODD)}


def odd_file(kind: str, seed: int) -> tuple[str, tuple[str, ...], bytes, bytes | None]:
    """The file of a seed, from which log it is made and what is odd; and the key to give."""
    rng = random.Random(f"{kind} {seed}")
    name, base = rng.choice(bases(kind))
    log: Log = pickle.loads(base)
    server = log.frames[0].tree[BODY][12 if kind == "games" else 8]
    chances = oddities(kind)
    told: list[str] = []
    if kind == "games" and rng.random() < 0.5:
        told.append(f"{games.terms(rng, log)}")
    for _ in range(rng.choice((1, 1, 1, 2))):
        (odd,) = rng.choices(list(chances), list(chances.values()))
        try:
            done = odd(rng, log)
        except (TypeError, ValueError, LookupError, AttributeError):
            done = None  # the log is too odd already
        told += [] if done is None else [f"{odd.__name__}: {done}"]
    key = rng.choice((server, server, server, None, log.key("another")))
    return name, tuple(told), made(log), key


def trial(kind: str, seed: int, judges: Mapping[str, Judge]) -> Trial:
    """The file of a seed before the judges."""
    name, told, data, key = odd_file(kind, seed)
    verdicts = {judge: judged([(data, key)])[0] for judge, judged in judges.items()}
    return Trial(kind, seed, name, told, data, verdicts)
