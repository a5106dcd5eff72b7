"""Whose pages may open a WebSocket here: our own, and those of sites that the operator named.

Our own page is recognised by its address, not by whether the request is consistent with itself: the
owner of any name can point it at this machine for a moment (DNS rebinding), and then Origin and
Host agree on *that* name. So the name must be one that the operator gave. Nobody can point a
numeric address elsewhere: if a browser shows one, that machine served the page.
"""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import ip_address
from typing import Final
from urllib.parse import SplitResult, urlsplit

LOOPBACK: Final = "localhost"
"""Names under it always mean this machine, whatever a resolver says."""


class Origins:
    """`names` are what browsers call this server, without scheme and port; `others` are further
    origins, written as browsers write them."""

    def __init__(self, names: Iterable[str] = (), others: Iterable[str] = ()) -> None:
        self._names = frozenset(name.lower().rstrip(".") for name in names)
        self._others = frozenset(others)

    def may(self, origin: str, host: str) -> bool:
        """Whether a page of this origin may connect, with a request that names this host. False for
        anything that is not an origin."""
        if origin in self._others:
            return True
        split = _read(origin)
        return (
            split is not None
            and split.netloc.lower() == host.lower()
            and self._is_ours(split.hostname or "")
        )

    def is_public(self, host: str) -> bool:
        """Whether this is how the world calls the server: by a name that the operator gave, other
        than localhost, or by an address that is not one of a private network."""
        split = _read(f"http://{host}")
        name = "" if split is None else (split.hostname or "").rstrip(".")
        if is_address(name):
            return ip_address(name).is_global
        return name in self._names and name != LOOPBACK and not name.endswith("." + LOOPBACK)

    def is_ours(self, host: str) -> bool:
        """Whether this is a host by which the server is meant: one of its names, localhost, or a
        numeric address. Somebody may have pointed another name here for a moment, to read what only
        this network may."""
        split = _read(f"http://{host}")
        return split is not None and self._is_ours(split.hostname or "")

    def _is_ours(self, name: str) -> bool:
        name = name.rstrip(".")
        return (
            name in self._names
            or name == LOOPBACK
            or name.endswith("." + LOOPBACK)
            or is_address(name)
        )


def is_address(name: str) -> bool:
    """Whether a host is given as a numeric address."""
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def _read(origin: str) -> SplitResult | None:
    try:
        split = urlsplit(origin)
        split.port  # noqa: B018 - raises where there is no port a number could be
    except ValueError:
        return None
    return (
        split
        if split.scheme in ("http", "https")
        and not (split.path or split.query or split.fragment or "@" in split.netloc)
        else None
    )
