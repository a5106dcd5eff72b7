"""Which games of a tournament that is over are Sound and whole. An audit of it and all its games,
in a process of its own, says so. Only these are rated.

Everything here blocks; call it off the loop.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from attrs import field, frozen

PROGRAM: Final = "warledger"
SECONDS_MAX: Final = 3600.0
MISSING: Final = "audit.tournament.game_file"
"""A game's file is not here: it does not count, and tells nothing of the others."""


class NotAudited(Exception):
    """The audit could not be made; the message says why."""


@frozen
class Soundness:
    """What an audit says of a tournament's games: those that are `sound`, and why each other is
    not. Where the tournament's own file is not sound none is, and `why` says that under its own
    id."""

    sound: frozenset[str] = frozenset()
    why: dict[str, str] = field(factory=dict)


def audited(
    id: str, ledger: bytes, games: Iterable[tuple[str, bytes]], keys: Iterable[bytes]
) -> Soundness:
    """Audit a tournament's file and the files of its games, by these keys of servers. Raises
    NotAudited, OSError."""
    with tempfile.TemporaryDirectory(prefix="warledger-audit-") as name:
        folder = Path(name)
        (folder / "games").mkdir()
        file = folder / f"{id}.wlog"
        file.write_bytes(ledger)
        known = []
        for game, data in games:
            (folder / "games" / f"{game}.wlog").write_bytes(data)
            known.append(game)
        told = _told(file, folder / "games", keys)
    why = dict(_reasons(told, id))
    sound = frozenset() if id in why else frozenset(known) - why.keys()
    return Soundness(sound, why)


def _told(file: Path, games: Path, keys: Iterable[bytes]) -> Any:
    """What the audit says, as data."""
    given = [part for key in keys for part in ("--key", key.hex())]
    command = [sys.executable, "-P", "-m", PROGRAM, "audit", str(file), "--games", str(games)]
    try:
        done = subprocess.run(
            [*command, *given, "--json", "--workers", "1", "--lang", "en"],
            capture_output=True,
            timeout=SECONDS_MAX,
            check=False,
        )
        return json.loads(done.stdout)
    except subprocess.TimeoutExpired as error:
        raise NotAudited(f"the audit took more than {SECONDS_MAX:.0f} s") from error
    except ValueError as error:
        said = done.stderr.decode(errors="replace").strip()
        raise NotAudited(f"the audit failed: {said[-200:]}") from error


def _reasons(told: Any, id: str) -> Iterator[tuple[str, str]]:
    """Why each game does not count. Findings in the tournament's own file concern all; that boards
    were played by hand, or that its lots are its desk's, concerns no game."""
    for one in told["reservations"]:
        if one["game"]:
            yield one["game"], one["text"]
    for one in told["findings"]:
        if one["key"] != MISSING:
            yield one["game"] or id, one["text"]
