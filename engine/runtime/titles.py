"""The titles a server offers: rules, data pack and digest, read once."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

from attrs import define, field

from warledger.engine import packcheck, packfiles, registry
from warledger.engine.archive.releasedledger import ReleasedRules
from warledger.engine.kernel.rulings import offered
from warledger.engine.kernel.types import Rules
from warledger.engine.runtime.snapshots.sharedstates import shared
from warledger.protocol import canon, lang
from warledger.protocol.board.description import LIST, UNREADABLE, Description, plain, write


@define(eq=False, slots=False)
class Title:
    """One title: what a new game of it is made from."""

    rules: Rules[Any] = field(converter=shared)
    pack: Mapping[str, Any] = field(repr=False)
    digest: bytes

    @property
    def name(self) -> str:
        """The title's id."""
        return self.rules.title

    @cached_property
    def pack_bytes(self) -> bytes:
        """The pack as a genesis has it."""
        return canon.pack(canon.ordered(self.pack))

    @cached_property
    def options(self) -> dict[str, Any]:
        """The value of every option in a new game whose host chooses nothing."""
        return {switch.name: switch.default for switch in offered(self.rules.switches)}

    @cached_property
    def about(self) -> dict[str, Any]:
        """What a client receives about the title."""
        return canon.ordered(
            {
                "title": self.rules.title,
                "version": self.rules.version,
                "seats": self.rules.seats,
                "options": tuple(
                    (switch.name, switch.default, switch.choices, switch.rule)
                    for switch in offered(self.rules.switches)
                ),
                "provenance": provenance(self.pack),
            }
        )


def installed(packs: Mapping[str, Path] = MappingProxyType({})) -> dict[str, Title]:
    """Every title of this installation; `packs` names folders whose packs new games of a title use
    in place of its own.

    Raises UnusablePack for an unknown title or a folder that cannot serve as its pack. Raises
    BadTitle for a title on the title path that cannot be loaded, BadCatalogue for a title's
    unusable catalogue.
    """
    names = registry.names()
    for language in lang.languages():
        lang.catalogue(language)
    for name in packs:
        if name not in names:
            raise packfiles.UnusablePack(
                f"there is no title {name!r}; known are: {', '.join(names)}"
            )
    return {
        name: Title(
            registry.rules_of(name),
            _own_pack(registry.rules_of(name), packs[name])
            if name in packs
            else packfiles.read_pack(name),
            packfiles.rules_digest(name),
        )
        for name in names
    }


def _own_pack(rules: Rules[Any], folder: Path) -> dict[str, Any]:
    """A host's pack, tried in a game that nobody plays. So a mistake in it shows when the server
    starts rather than in a game."""
    pack = packfiles.read_pack_folder(folder)
    try:
        packcheck.trial(rules, pack)
    except packfiles.UnusablePack as error:
        raise packfiles.UnusablePack(
            f"{folder} cannot serve as a pack of {rules.title}: {error}. "
            "Start from a copy of the title's own pack; `warledger pack check` says more."
        ) from error
    return pack


def provenance(pack: Mapping[str, Any]) -> dict[str, Any]:
    """Where the data of a pack come from: file -> place in it -> what it says there under
    `provenance…`, `source…`, `src` or `note`."""
    found = {name: dict(sorted(_sources(table, ""))) for name, table in pack.items()}
    return {name: said for name, said in found.items() if said}


def _sources(value: Any, place: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            here = f"{place}.{key}" if place else str(key)
            if str(key).startswith(("provenance", "source")) or key in ("src", "note"):
                yield here, item
            else:
                yield from _sources(item, here)
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            label = item.get("id", index) if isinstance(item, Mapping) else index
            yield from _sources(item, f"{place}.{label}")


def description(
    rules: Rules[Any] | None, pack: Mapping[str, Any], options: Mapping[str, Any]
) -> dict[str, Any]:
    """What clients draw a game from, as `board_is` has it: the description that the title makes.
    Without the title's rules, or with a pack that they cannot read, it is what the pack's map says
    by itself."""
    try:
        if isinstance(rules, ReleasedRules):
            return rules.described(pack, options)
        if rules is not None:
            return canon.ordered(write(rules.describe(pack, options)))
    except Exception:  # a title that cannot read a pack must not keep anybody from seeing the game
        pass
    try:
        return canon.ordered(write(plain(pack)))
    except UNREADABLE:
        return canon.ordered(write(Description(LIST)))
