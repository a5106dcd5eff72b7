"""The server's own secrets in its data directory: the key that signs heads, and the host's token. Files for the owner alone (mode 600)."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from nacl.signing import SigningKey

from engine.runtime.tokens import HOST, owner_of
from engine.serve.config import BadConfig

KEY_FILE: Final = "server.key"
PUBLIC_KEY_FILE: Final = "server.pub"
TOKEN_FILE: Final = "host.token"


def signing_key(data: Path, random_bytes: Callable[[int], bytes]) -> SigningKey:
    """The key, made at the first start; the public half stands beside it in hexadecimal for auditors. Raises BadConfig."""
    text, _ = _kept(data / KEY_FILE, lambda: random_bytes(32).hex())
    try:
        key = SigningKey(bytes.fromhex(text))
    except ValueError as error:
        raise BadConfig(f"{data / KEY_FILE} does not hold a key; put the right one back from a backup") from error
    _kept(data / PUBLIC_KEY_FILE, lambda: key.verify_key.encode().hex())
    return key


def host_token(data: Path, make: Callable[[], str]) -> tuple[str, bool]:
    """The host's token, and whether it was made just now. Raises BadConfig."""
    token, made = _kept(data / TOKEN_FILE, make)
    if owner_of(token) != HOST:
        raise BadConfig(f"{data / TOKEN_FILE} does not hold a token; remove the file and the next start makes a new one")
    return token, made


def _kept(path: Path, make: Callable[[], str]) -> tuple[str, bool]:
    try:
        return path.read_text(encoding="ascii").strip(), False
    except FileNotFoundError:
        pass
    except (OSError, UnicodeDecodeError) as error:
        raise BadConfig(f"{path} cannot be read: {error}") from error
    text = make()
    unfinished = path.with_name(path.name + ".new")
    try:
        unfinished.unlink(missing_ok=True)
        fd = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(fd, "w", encoding="ascii") as file:
            file.write(text + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, path)
    except OSError as error:
        raise BadConfig(f"{path} cannot be written: {error}") from error
    return text, True
