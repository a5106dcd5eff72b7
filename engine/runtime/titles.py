"""The titles a server offers: rules, data pack and digest, read once."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from attrs import define, field

from engine import games, packfiles
from engine.kernel.types import Rules
from engine.runtime.sharing import shared
from protocol import canon


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


def installed() -> dict[str, Title]:
    """Every title of this installation."""
    return {
        name: Title(rules, packfiles.read_pack(name), packfiles.rules_digest(name)) for name, rules in games.titles().items()
    }


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
