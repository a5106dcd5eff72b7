"""Where a client gets the description from which it draws a game.

The genesis holds the pack, and the pack is vouched for by the log. So if the title's rules are
installed, they make the description, and no server needs to be trusted. This is the only thing for
which this package uses the rules, and it works without them: it then uses the description that a
server sends (`board_is`), once its form is checked. Without a server it uses what the pack's map
says.
"""

from collections.abc import Mapping
from typing import Any

from attrs import frozen

from warledger.clients.link import Link, LinkError
from warledger.protocol import canon
from warledger.protocol.board import description
from warledger.protocol.board.description import LIST, Description
from warledger.protocol.log.records import Genesis


@frozen
class Described:
    """A game's description. `error` says why it is only a list; None if it is complete."""

    told: Description
    error: Exception | None = None


def knows(title: str) -> bool:
    """Whether the rules of a title are installed here."""
    return _rules(title) is not None


def described(
    title: str, pack: Mapping[str, Any], options: Mapping[str, Any], told: Any = None
) -> Described:
    """The description of a game from its pack and options; `told` is what a server answered, if one
    was asked. Never fails: a game whose pack cannot be read is shown as a list."""
    rules = _rules(title)
    try:
        if rules is not None:
            return Described(description.checked(rules.describe(pack, options)))
    except Exception:  # a title that fails on a pack must not prevent anybody from seeing the game
        pass
    try:
        if told is not None:
            return Described(description.read(told))
    except description.BadDescription:
        pass
    try:
        return Described(description.checked(description.plain(pack)))
    except description.UNREADABLE as error:
        return Described(Description(LIST, names=_names(pack)), error)


async def told_by(link: Link, genesis: Genesis) -> Any:
    """The description that a server sends for a game whose title is not installed here; None if it
    need not be asked, or cannot answer."""
    if knows(genesis.title):
        return None
    try:
        return await link.board(genesis.game)
    except LinkError:
        return None


def of_genesis(genesis: Genesis) -> Described:
    """The description of the game that a genesis begins; a list if its pack cannot be read."""
    try:
        pack = canon.unpack_trusted(genesis.pack)
    except canon.NotCanonical as error:
        return Described(Description(LIST), error)
    return described(genesis.title, pack if isinstance(pack, Mapping) else {}, genesis.options)


def _names(pack: Mapping[str, Any]) -> dict[str, str]:
    """The names that a pack gives, if its map cannot be read."""
    try:
        told = description.checked(Description(LIST, names=description.named_in(pack)))
        return dict(told.names)
    except description.UNREADABLE:
        return {}


def _rules(title: str) -> Any:
    try:
        from warledger.engine import registry

        return registry.rules_of(title)
    except (ImportError, KeyError, ValueError):  # clients alone, or no such title
        return None
