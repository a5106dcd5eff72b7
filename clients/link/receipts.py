"""Receipts: the signed heads a client was given, kept in a folder, so that an operator cannot rewrite a game unnoticed.

One file a game, `<game>.heads`: a run of frames (four bytes of length, then the canonical array [game, seq, hash, signature]). Beside it
`<game>.<seat>.nonce` holds a seat's nonce from the moment it is committed to until it is shown, so that a client that restarts can still
show it. An auditor reads the heads with `read_receipts`.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from protocol import canon
from protocol.chain import Head
from protocol.frames import LENGTH_BYTES, FrameFault, FrameReader, frame
from protocol.limits import NONCE_BYTES

HEADS = ".heads"
_HEAD_BYTES_MAX = 4096
_SAFE = re.compile(r"[A-Za-z0-9_-]{1,128}")


class BadReceipt(ValueError):
    """A file of receipts that is damaged: the message names it."""


def _safe(name: str) -> str:
    if not _SAFE.fullmatch(name):
        raise BadReceipt(f"{name!r} cannot name a file of receipts")
    return name


class Receipts:
    """A folder of receipts. Made when the first one is kept; kept files are only readable to their owner."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._mended: set[Path] = set()

    def keep(self, head: Head) -> None:
        """Keep a signed head. The caller has checked its signature."""
        self._make()
        path = self.folder / f"{_safe(head.game)}{HEADS}"
        if path not in self._mended:
            self._mended.add(path)
            _cut_torn_end(path)
        with path.open("ab") as file:
            file.write(frame(canon.pack(head.as_array())))

    def heads(self, game: str) -> list[Head]:
        """The heads kept of a game, oldest first."""
        path = self.folder / f"{_safe(game)}{HEADS}"
        return list(_read(path)) if path.exists() else []

    def keep_nonce(self, game: str, seat: str, nonce: bytes) -> None:
        """Keep a nonce before its hash is sent, safely on disk."""
        self._make()
        path = self._nonce_path(game, seat)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(nonce)
            file.flush()
            os.fsync(file.fileno())

    def nonce(self, game: str, seat: str) -> bytes | None:
        """The nonce kept for a seat, or None."""
        path = self._nonce_path(game, seat)
        nonce = path.read_bytes() if path.exists() else b""
        return nonce if len(nonce) == NONCE_BYTES else None

    def drop_nonce(self, game: str, seat: str) -> None:
        """The nonce has been shown: everybody knows it now."""
        self._nonce_path(game, seat).unlink(missing_ok=True)

    def _nonce_path(self, game: str, seat: str) -> Path:
        return self.folder / f"{_safe(game)}.{_safe(seat)}.nonce"

    def _make(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)


def _cut_torn_end(path: Path) -> None:
    """Take off a last frame that a crash cut short, so that what is appended can be read."""
    data = path.read_bytes() if path.exists() else b""
    end = 0
    while end + LENGTH_BYTES <= len(data):
        after = end + LENGTH_BYTES + int.from_bytes(data[end : end + LENGTH_BYTES], "big")
        if after > len(data):
            break
        end = after
    if end < len(data):
        os.truncate(path, end)


def read_receipts(folder: Path, game: str | None = None) -> list[Head]:
    """Every head in a folder of receipts, or those of one game. Raises BadReceipt when a file is damaged."""
    found: list[Head] = []
    for path in sorted(folder.glob(f"*{HEADS}")):
        found.extend(head for head in _read(path) if game is None or head.game == game)
    return found


def _read(path: Path) -> Iterator[Head]:
    reader = FrameReader(_HEAD_BYTES_MAX)
    reader.receive_data(path.read_bytes())
    try:
        while (payload := reader.next_frame()) is not None:
            game, seq, hash, signature = canon.unpack(payload)
            if type(game) is not str or type(seq) is not int or type(hash) is not bytes or type(signature) is not bytes:
                raise BadReceipt(f"{path.name}: holds something else than signed heads")
            yield Head(game, seq, hash, signature)
    except (FrameFault, canon.NotCanonical, TypeError, ValueError) as error:
        raise BadReceipt(f"{path.name}: {error}") from error


__all__ = ["BadReceipt", "Receipts", "read_receipts"]
