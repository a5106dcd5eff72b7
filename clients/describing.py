"""Where a client gets the description of a game from: what it draws.

The genesis holds the pack, and the pack is vouched for by the log; so the title's own rules make
the description of it wherever they are installed, and no server is believed. That is the one thing
for which this package asks the rules' side, and it does without. Then the description that a server
tells (`board_is`) serves, once its form is checked; without a server, what the pack's map says by
itself.
"""

from collections.abc import Mapping
from typing import Any

from attrs import frozen

from warledger.clients.link import Link, LinkError
from warledger.protocol import canon, description
from warledger.protocol.description import LIST, Description
from warledger.protocol.records import Genesis

_UNREAD = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What is raised where a pack lacks a part or has one of another form: packs come from
strangers."""


@frozen
class Described:
    """A game's description. `error` says why it is no more than a list; None where it is whole."""

    told: Description
    error: Exception | None = None


def knows(title: str) -> bool:
    """Whether the rules of a title are installed here."""
    return _rules(title) is not None


def described(
    title: str, pack: Mapping[str, Any], options: Mapping[str, Any], told: Any = None
) -> Described:
    """The description of a game from its pack and options; `told` is what a server answered, if one
    was asked. Never fails: what cannot be read is shown as a list."""
    rules = _rules(title)
    try:
        if rules is not None:
            return Described(description.checked(rules.describe(pack, options)))
    except Exception:  # a title's trouble with a pack keeps nobody from seeing the game
        pass
    try:
        if told is not None:
            return Described(description.read(told))
    except description.BadDescription:
        pass
    try:
        return Described(description.checked(description.plain(pack)))
    except _UNREAD as error:
        return Described(Description(LIST, names=_names(pack)), error)


async def told_by(link: Link, genesis: Genesis) -> Any:
    """What a server tells of a game whose title is not installed here; None where that need not be
    asked, or the server cannot say."""
    if knows(genesis.title):
        return None
    try:
        return await link.board(genesis.game)
    except LinkError:
        return None


def of_genesis(genesis: Genesis) -> Described:
    """The description of the game that a genesis begins; a list where its pack does not read."""
    try:
        pack = canon.unpack_trusted(genesis.pack)
    except canon.NotCanonical as error:
        return Described(Description(LIST), error)
    return described(genesis.title, pack if isinstance(pack, Mapping) else {}, genesis.options)


def _names(pack: Mapping[str, Any]) -> dict[str, str]:
    """The names that a pack gives, where its map does not read."""
    try:
        told = description.checked(Description(LIST, names=description.named_in(pack)))
        return dict(told.names)
    except _UNREAD:
        return {}


def _rules(title: str) -> Any:
    try:
        from warledger.engine import registry

        return registry.rules_of(title)
    except (ImportError, KeyError, ValueError):  # clients by themselves, or no such title
        return None


__all__ = ["Described", "described", "knows", "of_genesis", "told_by"]
