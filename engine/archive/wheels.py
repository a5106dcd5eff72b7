"""The archive: a folder of releases, each as its wheel and the code in it.

    DIR/SHA256/NAME.whl     the wheel as it was given
    DIR/SHA256/code/        what it holds
    DIR/SHA256/about.json   its file name, release and titles with their rules digests

A release is known by the SHA-256 of its wheel, and found by the digest of a title's rules.
"""

import hashlib
import json
import re
import shutil
import tempfile
import zipfile
from pathlib import Path, PurePosixPath
from typing import Any, Final

from attrs import frozen

from warledger.engine.archive import pipe
from warledger.engine.archive.release import OPEN_SECONDS, Release, ReleaseFault, ReleaseLost
from warledger.engine.archive.releasedledger import ReleasedRules

ABOUT: Final = "about.json"
CODE: Final = "code"
BYTES_MAX: Final = 256 * 1024 * 1024
FILES_MAX: Final = 20_000
_DIGEST: Final = re.compile("[0-9a-f]{64}")


def beside(data: Path) -> Path:
    """The archive of a data directory, where no other is named."""
    return data.absolute().parent / "archive"


class BadWheel(ValueError):
    """A wheel that cannot be archived, or an archive that cannot be used: says why."""


@frozen
class Kept:
    """A release in the archive. `titles` are the rules digests of its titles, in hexadecimal."""

    digest: str
    file: str
    release: str
    titles: dict[str, str]

    def as_data(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "digest": self.digest,
            "file": self.file,
            "release": self.release,
            "titles": self.titles,
        }


class Archive:
    """The archive in a folder, which need not exist. Processes are started when they are needed,
    and ended by `close`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._releases: dict[str, Release] = {}
        self._rules: dict[tuple[str, str], ReleasedRules] = {}

    def kept(self) -> tuple[Kept, ...]:
        """The releases, by release and digest. Raises BadWheel if one cannot be read."""
        if not self.folder.is_dir():
            return ()
        found = []
        try:
            places = sorted(self.folder.iterdir())
        except OSError as error:
            raise BadWheel(f"{self.folder}: {error.strerror or error}") from error
        for place in places:
            if _DIGEST.fullmatch(place.name) is None or not (place / ABOUT).is_file():
                continue
            try:
                told = json.loads((place / ABOUT).read_text(encoding="utf-8"))
                found.append(Kept(place.name, told["file"], told["release"], dict(told["titles"])))
            except (OSError, ValueError, KeyError, TypeError) as error:
                raise BadWheel(f"{place / ABOUT} cannot be read: {error}") from error
        return tuple(sorted(found, key=lambda one: (one.release, one.digest)))

    def add(self, wheel: Path) -> Kept:
        """Keep a wheel of Warledger; one that is kept already stays. Its code is run once, to learn
        which rules are in it. Raises BadWheel."""
        try:
            data = wheel.read_bytes()
        except OSError as error:
            raise BadWheel(f"{wheel}: {error.strerror or error}") from error
        digest = hashlib.sha256(data).hexdigest()
        known = next((one for one in self.kept() if one.digest == digest), None)
        if known is not None:
            return known
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(prefix=".", dir=self.folder) as made:
                place = Path(made) / digest
                _unpack(wheel, place / CODE)
                kept = _learn(place / CODE, digest, wheel.name)
                (place / wheel.name).write_bytes(data)
                told = json.dumps(kept.as_data(), indent=2, sort_keys=True)
                (place / ABOUT).write_text(told + "\n", encoding="utf-8")
                place.rename(self.folder / digest)
        except OSError as error:
            raise BadWheel(f"{self.folder}: {error.strerror or error}") from error
        return kept

    def remove(self, digest: str) -> Kept:
        """Remove the release whose digest begins so. Raises BadWheel unless there is just one."""
        found = [one for one in self.kept() if digest and one.digest.startswith(digest)]
        if len(found) != 1:
            raise BadWheel(
                f"{len(found)} releases in {self.folder} have a digest that begins with {digest!r}"
            )
        shutil.rmtree(self.folder / found[0].digest)
        return found[0]

    def holder(self, title: str, digest: bytes) -> Kept | None:
        """The release whose rules of a title have this digest. Raises BadWheel as `kept`."""
        wanted = digest.hex()
        return next((one for one in self.kept() if one.titles.get(title) == wanted), None)

    def rules(self, title: str, digest: bytes) -> ReleasedRules | None:
        """The archived rules of a title with this digest, or None. Raises BadWheel, also for a
        release whose code is no longer what was archived."""
        kept = self.holder(title, digest)
        if kept is None:
            return None
        known = self._rules.get((kept.digest, title))
        if known is not None:
            return known
        release = self._releases.get(kept.digest)
        if release is None:
            release = self._releases[kept.digest] = Release(self.folder / kept.digest / CODE)
        try:
            rules = ReleasedRules(release, title)
        except (ReleaseLost, ReleaseFault) as error:
            raise BadWheel(f"{kept.file} in {self.folder} cannot be run: {error}") from error
        if rules.digest != digest:
            raise BadWheel(f"the code of {kept.file} in {self.folder} was changed; add it anew")
        self._rules[kept.digest, title] = rules
        return rules

    def close(self) -> None:
        """End the processes."""
        for release in self._releases.values():
            release.close()
        self._releases.clear()
        self._rules.clear()


def _unpack(wheel: Path, into: Path) -> None:
    try:
        with zipfile.ZipFile(wheel) as packed:
            members = [one for one in packed.infolist() if not one.is_dir()]
            if len(members) > FILES_MAX or sum(one.file_size for one in members) > BYTES_MAX:
                raise BadWheel(f"{wheel} holds more than a wheel of Warledger does")
            if not any(one.filename == "warledger/__init__.py" for one in members):
                raise BadWheel(f"{wheel} is not a wheel of Warledger")
            for one in members:
                path = PurePosixPath(one.filename)
                if path.is_absolute() or ".." in path.parts or "\\" in one.filename:
                    raise BadWheel(f"{wheel} names a file outside itself: {one.filename}")
                target = into.joinpath(*path.parts)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(packed.read(one))
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as error:
        raise BadWheel(f"{wheel} is not a wheel: {error}") from error


def _learn(code: Path, digest: str, file: str) -> Kept:
    if not (code / "warledger" / "engine" / "archive" / "worker.py").is_file():
        raise BadWheel(f"{file} is of a release that cannot be archived: it has no engine.archive")
    release = Release(code)
    try:
        word, version, number, titles = release.call("hello", seconds=OPEN_SECONDS)
        if (word, version) != ("hello", pipe.VERSION):
            raise BadWheel(f"{file} speaks version {version} of the archive, not {pipe.VERSION}")
        found = {name: ReleasedRules(release, name).digest.hex() for name in titles}
    except (ReleaseLost, ReleaseFault) as error:
        raise BadWheel(
            f"{file} cannot be run with the packages that are installed here: {error}"
        ) from error
    finally:
        release.close()
    return Kept(digest, file, str(number), found)
