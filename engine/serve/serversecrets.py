"""The server's own secrets in its data directory: the key that signs heads, and the host's token.
Files for the owner alone (mode 600), but for the key's public half, which is for everybody (mode
644)."""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from nacl.signing import SigningKey

from warledger.engine.desk.push import SECRET_BYTES
from warledger.engine.runtime.tokens import GIVER_CHARS_MAX, HOST, owner_of
from warledger.engine.serve.config import BadConfig

KEY_FILE: Final = "server.key"
PUBLIC_KEY_FILE: Final = "server.pub"
OLDER_KEYS_FILE: Final = "server.key.older"
TOKEN_FILE: Final = "host.token"
PUSH_KEY_FILE: Final = "push.key"
GIVER_FILE: Final = "giver"
_KEY_DIGITS: Final = 8
_FOR_US: Final = 0o600
_FOR_ALL: Final = 0o644


def signing_key(data: Path, random_bytes: Callable[[int], bytes]) -> SigningKey:
    """The key, made at the first start; the public half is stored beside it in hexadecimal for
    auditors.

    Raises BadConfig, also if the key is missing or does not match the public half beside it: games
    in progress are signed with that key, and players and auditors hold the server to it.
    """
    public = data / PUBLIC_KEY_FILE
    if public.exists() and not (data / KEY_FILE).exists():
        raise BadConfig(
            f"{data / KEY_FILE} is missing, but {public} is there: put the key back from "
            "a backup. A server that has lost its key cannot continue its games; to start again "
            "with another key, use another data directory"
        )
    text, _ = _kept(data / KEY_FILE, lambda: random_bytes(32).hex())
    try:
        key = SigningKey(bytes.fromhex(text))
    except ValueError as error:
        raise BadConfig(
            f"{data / KEY_FILE} does not hold a key; put the right one back from a backup"
        ) from error
    told, _ = _kept(public, lambda: key.verify_key.encode().hex(), _FOR_ALL)
    if any(told == older.verify_key.encode().hex() for older in older_keys(data)[-1:]):
        # A change of the key that was interrupted just before its end.
        told = key.verify_key.encode().hex()
        _replace(public, told, _FOR_ALL)
    if told != key.verify_key.encode().hex():
        raise BadConfig(
            f"{data / KEY_FILE} is not the key of {public}: put the right one back from a "
            "backup. To change the key on purpose, stop the "
            f"server and run: warledger key rotate --data {data}"
        )
    # An earlier release made the file for the owner alone. If we may not change that, the operator
    # can.
    with suppress(OSError):
        if public.stat().st_mode & 0o777 == _FOR_US:
            public.chmod(_FOR_ALL)
    return key


def giver(data: Path, node: str = "") -> str:
    """What the ids begin with that a server gives to people, kept from its first start on: the name
    of a node, or the first digits of the first public key. Raises BadConfig."""

    def first() -> str:
        if node:
            return node[:GIVER_CHARS_MAX]
        older = older_keys(data)
        if older:
            return older[0].verify_key.encode().hex()[:_KEY_DIGITS]
        try:
            return (data / PUBLIC_KEY_FILE).read_text(encoding="ascii").strip()[:_KEY_DIGITS]
        except (OSError, UnicodeDecodeError) as error:
            raise BadConfig(
                f"{data / PUBLIC_KEY_FILE} cannot be read ({error}); start the server once, which "
                "makes it"
            ) from error

    return _kept(data / GIVER_FILE, first, _FOR_ALL)[0]


def push_key(data: Path, random_bytes: Callable[[int], bytes]) -> bytes:
    """The key by which push services know this server, made when it is first wanted: 32 bytes.
    Raises BadConfig."""
    text, _ = _kept(data / PUSH_KEY_FILE, lambda: random_bytes(SECRET_BYTES).hex())
    try:
        key = bytes.fromhex(text)
    except ValueError:
        key = b""
    if len(key) != SECRET_BYTES:
        raise BadConfig(
            f"{data / PUSH_KEY_FILE} does not hold a key; put the right one back from a backup, or "
            "remove it: people then have to ask for pushes again"
        )
    return key


def older_keys(data: Path) -> tuple[SigningKey, ...]:
    """The keys that `rotate` has replaced, oldest first. Raises BadConfig."""
    path = data / OLDER_KEYS_FILE
    try:
        lines = path.read_text(encoding="ascii").split()
        return tuple(SigningKey(bytes.fromhex(line)) for line in lines)
    except FileNotFoundError:
        return ()
    except (OSError, ValueError) as error:
        raise BadConfig(f"{path} cannot be read ({error}); put it back from a backup") from error


def rotate(data: Path, random_bytes: Callable[[int], bytes]) -> str:
    """Replace the key of the server, which must not be running. The old key is kept, to sign each
    game's change to the new one. Returns the new public key in hexadecimal. Raises BadConfig."""
    if not (data / KEY_FILE).exists():
        raise BadConfig(
            f"there is no {data / KEY_FILE}: {data} is not a data directory, or its key is missing"
        )
    old = signing_key(data, random_bytes)
    new = SigningKey(random_bytes(32))
    public = new.verify_key.encode().hex()
    older = [key.encode().hex() for key in (*older_keys(data), old)]
    # In this order: wherever it is interrupted no key is lost, and the next start says what does
    # not match.
    _replace(data / OLDER_KEYS_FILE, "\n".join(dict.fromkeys(older)))
    _replace(data / KEY_FILE, new.encode().hex())
    _replace(data / PUBLIC_KEY_FILE, public, _FOR_ALL)
    return public


def host_token(data: Path, make: Callable[[], str]) -> tuple[str, bool]:
    """The host's token, and whether it was made just now. Raises BadConfig."""
    token, made = _kept(data / TOKEN_FILE, make)
    if owner_of(token) != HOST:
        raise BadConfig(
            f"{data / TOKEN_FILE} does not hold a token; remove the file and the next "
            "start makes a new one"
        )
    return token, made


def _kept(path: Path, make: Callable[[], str], mode: int = _FOR_US) -> tuple[str, bool]:
    try:
        return path.read_text(encoding="ascii").strip(), False
    except FileNotFoundError:
        pass
    except (OSError, UnicodeDecodeError) as error:
        raise BadConfig(f"{path} cannot be read: {error}") from error
    text = make()
    _replace(path, text, mode)
    return text, True


def _replace(path: Path, text: str, mode: int = _FOR_US) -> None:
    unfinished = path.with_name(path.name + ".new")
    try:
        unfinished.unlink(missing_ok=True)
        fd = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        with os.fdopen(fd, "w", encoding="ascii") as file:
            os.fchmod(fd, mode)  # whatever the umask is
            file.write(text + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, path)
    except OSError as error:
        raise BadConfig(f"{path} cannot be written: {error}") from error
