"""What a damaged log has taken from which games: how that is found, and remembered until an
operator has dealt with it.

A batch that is unsound may have held records of any game. Which games are whole anyway:

- An entry says where in its game's file it belongs, and appends leave no gap. So a game has lost
  nothing if a sound entry behind the damage continues where it was known to end. One whose next
  entry begins further on has lost what lies between.
- Where only the batch's head is spoiled its checksum still proves the rest.
- Where the damage lies inside the bytes of one entry, only that entry's game has lost it. (Its
  frames have checksums of their own; all others in the batch are sound and in place.)
- Otherwise a game that has no later entry *may* have lost its newest records, which were
  acknowledged. The log cannot tell; the receipts that players hold can. Such a game is held:
  everybody may read it, and nothing is added until an operator says so. A game that was opened in
  the damaged bytes and never heard of again is not known at all.

Rules of this file:
- Nothing is written over damaged bytes: the segment is kept in `damaged/` before the log is
  let go.
- Losses are in the file `losses` before anything is built on what is left. So no later start takes
  a hurt game for a whole one.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from attrs import define, field, frozen

from warledger.engine.store.files.batches import Entry, Hole
from warledger.engine.store.files.disk import Disk
from warledger.engine.store.files.gamefile import GameFiles, path_of
from warledger.engine.store.port import Damaged, DataDirDamaged, Held, check_game_id
from warledger.protocol.log.wlog import MAGIC, CorruptFile, check_magic, walk

FILE: Final = "losses"
ASIDE: Final = "damaged"
LOST: Final = "lost"
HELD: Final = "held"


@frozen
class Loss:
    """What became of a game that was known up to byte `offset`, in words; `place` is where the log
    is damaged."""

    offset: int
    place: str
    what: str


@frozen
class Wound:
    """A place where the log is damaged: the batches from `first` up to, but not including, `next`
    are missing there; none are if the two are equal."""

    place: str
    offset: int
    what: str
    first: int
    next: int

    @property
    def told(self) -> str:
        """What is wrong there, and what is missing."""
        if self.first == self.next:
            return f"{self.what}; no batch is missing"
        return f"{self.what}; missing: batch {self.first}" + (
            f" to {self.next - 1}" if self.next - self.first > 1 else ""
        )

    @property
    def batches(self) -> tuple[int, int]:
        return self.first, self.next


@define
class Losses:
    """The games that have lost records, those that may have, and which batches are known to be
    missing."""

    lost: dict[str, Loss] = field(factory=dict)
    held: dict[str, Loss] = field(factory=dict)
    batches: set[tuple[int, int]] = field(factory=set)


def read(disk: Disk) -> Losses:
    """What is stored. Raises DataDirDamaged."""
    try:
        data = disk.read(FILE)
    except FileNotFoundError:
        return Losses()
    try:
        kept = json.loads(data)
        return Losses(
            {
                game: Loss(int(at), str(place), str(what))
                for game, (at, place, what) in kept[LOST].items()
            },
            {
                game: Loss(int(at), str(place), str(what))
                for game, (at, place, what) in kept[HELD].items()
            },
            {(int(first), int(next)) for first, next in kept["batches"]},
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataDirDamaged(
            disk.where(FILE), 0, f"it does not read as a list of losses ({type(error).__name__})"
        ) from error


def as_bytes(losses: Losses) -> bytes:
    """The losses as the bytes of a file, which a person can read, too."""

    def told(found: dict[str, Loss]) -> dict[str, Any]:
        return {game: [loss.offset, loss.place, loss.what] for game, loss in sorted(found.items())}

    kept = {LOST: told(losses.lost), HELD: told(losses.held), "batches": sorted(losses.batches)}
    return json.dumps(kept, indent=1).encode() + b"\n"


def is_game_id(name: str) -> bool:
    """Whether a game may have this id."""
    try:
        check_game_id(name)
    except ValueError:
        return False
    return True


@define
class Reading:
    """Reads the log, batch after batch. Unless it `salvages`, anything wrong raises DataDirDamaged.

    `wounds` are places that were not known before; `losses` are all that there are, old and new.
    """

    disk: Disk
    files: GameFiles
    salvages: bool
    losses: Losses
    wounds: list[Wound] = field(factory=list)
    log_bytes: int = 0
    _doubtful: dict[str, Wound] = field(factory=dict)

    def batch(self, path: str, entries: Sequence[Entry]) -> None:
        """A sound batch of that segment."""
        for entry in entries:
            if not is_game_id(entry.game):
                raise DataDirDamaged(
                    self.disk.where(path),
                    0,
                    f"an entry names the game {entry.game!r}, which no game can be called",
                )
            if self._take(entry) or entry.game in self.losses.lost:
                continue
            end = self.files.end_of(entry.game)
            what = (
                f"an entry for game {entry.game!r} belongs at byte {entry.offset}, "
                "where that game does not end"
            )
            if not self.salvages:
                raise DataDirDamaged(self.disk.where(path), 0, what)
            if not self.wounds:
                self.wounds.append(Wound(self.disk.where(path), 0, what, 0, 0))
            wound = self.wounds[-1]
            self._lose(
                entry.game,
                wound,
                f"{entry.offset - end} bytes are missing behind byte {end}"
                if entry.offset > end
                else what,
            )

    def hole(self, path: str, hole: Hole) -> None:
        """Batches that are not sound, with what can still be read of them; or a place that is
        spoiled although no batch is missing."""
        wound = Wound(self.disk.where(path), hole.offset, hole.what, hole.first, hole.next)
        if not self.salvages:
            raise DataDirDamaged(wound.place, wound.offset, wound.what)
        fresh = wound.batches not in self.losses.batches
        if fresh:
            self.wounds.append(wound)
            self.losses.batches.add(wound.batches)
        if hole.first == hole.next:
            return
        sound, hurt, is_all = self._judge(hole)
        for entry in sound:
            self._take(entry)
        for game in hurt:
            if game not in self.losses.lost:
                self._lose(game, wound, "its next bytes stood in there and are spoiled")
        if fresh and not is_all:
            self._doubtful.update((game, wound) for game in self.files.games())

    def finish(self) -> None:
        """Close and hold the games that are to be."""
        files, losses = self.files, self.losses
        for game, wound in self._doubtful.items():
            if game not in losses.lost and game not in losses.held:
                end = files.end_of(game)
                what = (
                    f"its newest records may be lost: the log is damaged ({wound.place}, "
                    f"at byte {wound.offset}), and nothing behind that "
                    f"place shows that this game is whole. It is known up to byte {end}"
                )
                losses.held[game] = Loss(end, wound.place, what)
        for game, loss in losses.lost.items():
            files.close(Damaged(game, self.disk.where(path_of(game)), loss.offset, loss.what))
        for game, loss in sorted(losses.held.items()):
            files.hold(Held(game, self.disk.where(path_of(game)), loss.offset, loss.what))

    def _take(self, entry: Entry) -> bool:
        taken = self.files.take_in(entry.game, entry.offset, entry.data)
        if taken:
            self.log_bytes += len(entry.data)
            self._doubtful.pop(entry.game, None)
        return taken

    def _lose(self, game: str, wound: Wound, what: str) -> None:
        where = f"the log is damaged ({wound.place}, at byte {wound.offset})"
        self.losses.lost[game] = Loss(
            self.files.end_of(game), wound.place, f"{what}: {where}. What came before is whole"
        )

    def _judge(self, hole: Hole) -> tuple[list[Entry], list[str], bool]:
        """The entries that are sound, the games that have lost something, and whether these are all
        that the hole held."""
        sound: list[Entry] = []
        hurt: list[str] = []
        is_all = hole.whole
        ends: dict[str, int] = {}
        for entry in hole.entries:
            end = ends.get(entry.game, self.files.end_of(entry.game))
            if not is_game_id(entry.game) or entry.offset != end or (hurt and not _is_sound(entry)):
                # its name or its place is spoiled, or there is damage in more than one place
                is_all = False
                break
            ends[entry.game] = end + len(entry.data)
            if _is_sound(entry):
                sound.append(entry)
            else:
                hurt.append(entry.game)
        else:
            if hole.whole and not hurt:
                # Every entry looks sound and yet the checksum is wrong: a name may be that of
                # another game, or of none. No entry can be trusted.
                return (
                    [],
                    sorted({entry.game for entry in sound if entry.game in self.files}),
                    False,
                )
        return sound, hurt, is_all


def _is_sound(entry: Entry) -> bool:
    try:
        if entry.offset == 0:
            check_magic(entry.data)
        return sum(1 for _ in walk(entry.data, len(MAGIC) if entry.offset == 0 else 0, 0)) > 0
    except CorruptFile:
        return False
