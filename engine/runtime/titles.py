"""The titles a server offers: rules, data pack and digest, read once."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

from attrs import define, field

from engine import games, packfiles
from engine.kernel.ledger import genesis_record
from engine.kernel.types import Rules
from engine.runtime.sharing import shared
from protocol import canon
from protocol.limits import HASH_BYTES
from protocol.records import Genesis
from protocol.secrets import Keys


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
        """The pack as it stands in a genesis."""
        return canon.pack(canon.ordered(self.pack))

    @cached_property
    def about(self) -> dict[str, Any]:
        """What a client is told of the title."""
        return canon.ordered(
            {
                "title": self.rules.title,
                "version": self.rules.version,
                "seats": self.rules.seats,
                "options": tuple((switch.name, switch.default, switch.choices, switch.rule) for switch in self.rules.switches),
                "provenance": provenance(self.pack),
            }
        )


def installed(packs: Mapping[str, Path] = MappingProxyType({})) -> dict[str, Title]:
    """Every title of this installation; `packs` names folders whose packs new games of a title use in place of its own.

    Raises BadPack for a title that is not known, or a folder that cannot serve as its pack.
    """
    for name in packs:
        if name not in games.NAMES:
            raise packfiles.BadPack(f"there is no title {name!r}; known are: {', '.join(games.NAMES)}")
    return {
        name: Title(rules, _own_pack(rules, packs[name]) if name in packs else packfiles.read_pack(name), packfiles.rules_digest(name))
        for name, rules in games.titles().items()
    }


def _own_pack(rules: Rules[Any], folder: Path) -> dict[str, Any]:
    """A host's pack, tried on a game that nobody plays, so that a mistake in it shows at the start and not in a game."""
    pack = packfiles.read_pack_folder(folder)
    nothing = bytes(HASH_BYTES)
    try:
        genesis = genesis_record(
            rules,
            game="trial",
            options={},
            pack=packfiles.pack_bytes(pack),
            digest=nothing,
            keys=Keys(nothing, nothing, nothing),
            server_key=nothing,
            at_ms=0,
        )
        rules.initial(Genesis.from_record(genesis))
    except Exception as error:
        raise packfiles.BadPack(
            f"{folder} cannot serve as a pack of {rules.title}: {type(error).__name__}: {error}. "
            "Start from a copy of the title's own pack; `warledger pack check` says more."
        ) from error
    return pack


def provenance(pack: Mapping[str, Any]) -> dict[str, Any]:
    """Where a pack's data come from: file -> place in it -> what is said there under `provenance…`, `source…`, `src` or `note`."""
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


def description(rules: Rules[Any], pack: Mapping[str, Any]) -> dict[str, Any]:
    """Map and symbols of a game for clients: what the title describes, or else the pack as it is, under `pack`."""
    describe = getattr(rules, "describe", None)
    told: Mapping[str, Any] = {"pack": pack} if describe is None else describe(pack)
    return canon.ordered(told)
