"""Area maps: sea or land areas and the ports or boxes beside them, joined by links.

A spot (area, port, box) is its string id. Links go both ways unless the entry says `one_way =
true`. Everything keeps the order of the pack's file, which is also how ties are broken, so nothing
depends on set order.
"""

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from attrs import frozen

from warledger.protocol.board.findings import BadPack, Inspection, nearest


@frozen
class Spot:
    """One place on an area map: its kind ("area", "port", …) and the other fields of its entry as
    they are."""

    id: str
    kind: str
    name: str
    data: Mapping[str, Any]


@frozen(eq=False)
class AreaMap:
    """Spots in the order of the pack, and for each the spots one link away in that same order."""

    spots: Mapping[str, Spot]
    links: Mapping[str, tuple[str, ...]]

    def neighbours(self, spot: str, kind: str | None = None) -> tuple[str, ...]:
        """The spots one link from `spot`, all of them or those of one kind."""
        return tuple(n for n in self.links[spot] if kind is None or self.spots[n].kind == kind)

    def of_kind(self, kind: str) -> tuple[str, ...]:
        """All spots of a kind, in the pack's order."""
        return tuple(s.id for s in self.spots.values() if s.kind == kind)

    def reach(
        self, start: str, steps: int, passes: Callable[[str], bool], enters: Callable[[str], bool]
    ) -> Mapping[str, int]:
        """Spots within `steps` links of `start` and the fewest links to each, nearest first; the
        start counts 0.

        A way ends on entering a spot that `enters` allows and continues only through one that
        `passes` allows too.
        """
        found = {start: 0}
        frontier = [start]
        for k in range(1, steps + 1):
            following = []
            for spot in frontier:
                for n in self.links[spot]:
                    if n not in found and enters(n):
                        found[n] = k
                        if passes(n):
                            following.append(n)
            frontier = following
        return MappingProxyType(found)

    def way(self, start: str, goal: str, passes: Callable[[str], bool]) -> tuple[str, ...] | None:
        """The canonical shortest way, both ends included, or None. Among ways of equal length it is
        the one whose spots come first in the links."""
        if start == goal:
            return (start,)
        came = {start: start}
        frontier = [start]
        while frontier:
            following = []
            for spot in frontier:
                for n in self.links[spot]:
                    if n not in came and (n == goal or passes(n)):
                        came[n] = spot
                        following.append(n)
            if goal in came:
                back = [goal]
                while back[-1] != start:
                    back.append(came[back[-1]])
                return tuple(reversed(back))
            frontier = following
        return None


def area_map(
    doc: Mapping[str, Any], kinds: Iterable[str] = ("area", "port"), file: str = "map.toml"
) -> AreaMap:
    """Build an area map from tables [[area]], [[port]] … with `id`, `name`, `adjacent = [ids]`.
    Raises BadPack if they have errors."""
    inspection = Inspection()
    built = inspect(doc, inspection, kinds, file)
    if inspection.failed:
        raise BadPack(inspection.findings)
    return built


def inspect(
    doc: Mapping[str, Any],
    out: Inspection,
    kinds: Iterable[str] = ("area", "port"),
    file: str = "map.toml",
) -> AreaMap:
    """The map of areas of a parsed file. Collects findings; entries with errors are left out."""
    spots: dict[str, Spot] = {}
    wanted: dict[str, list[str]] = {}
    one_way: set[str] = set()
    for kind in kinds:
        for number, entry in enumerate(out.rows(doc, kind, file, required=False), 1):
            place = f"{file} [[{kind}]] {entry.get('id', f'number {number}')}"
            name = out.text(entry, "id", place)
            if name in spots:
                out.error(
                    place,
                    f"the id {name} is taken by a {spots[name].kind}",
                    "Give every area and port an id of its own",
                )
                continue
            adjacent = entry.get("adjacent")
            if not isinstance(adjacent, list | tuple) or not all(
                isinstance(x, str) for x in adjacent
            ):
                out.error(
                    place, "adjacent is missing or not a list of ids", 'Write adjacent = ["id", …]'
                )
                adjacent = ()
            spots[name] = Spot(
                name, kind, str(entry.get("name", name)), MappingProxyType(dict(entry))
            )
            wanted[name] = list(adjacent)
            if entry.get("one_way") is True:
                one_way.add(name)
    if not spots:
        out.error(file, "no areas", "Write [[area]] with id, name and adjacent for each area")
    links: dict[str, list[str]] = {name: [] for name in spots}
    for name, others in wanted.items():
        place = f"{file} [[{spots[name].kind}]] {name}"
        for other in others:
            if other not in spots:
                out.error(
                    place,
                    f"adjacent names {other}, which is not an area or port",
                    nearest(other, spots),
                )
            elif other == name:
                out.error(place, "adjacent names the place itself", "Take it out of the list")
            else:
                _join(links, name, other)
                if name not in one_way:
                    _join(links, other, name)
                if (
                    spots[other].kind == spots[name].kind
                    and name not in wanted[other]
                    and not one_way & {name, other}
                ):
                    out.warn(
                        place,
                        f"{other} does not list {name} in turn",
                        "List both ways, or mark one with one_way = true",
                    )
        if not others and name not in [x for o in wanted.values() for x in o]:
            out.warn(
                place,
                "nothing touches it, so no piece can come or go",
                "Add the ids of what lies next to it to adjacent",
            )
    order = {name: k for k, name in enumerate(spots)}
    tidy = {name: tuple(sorted(near, key=order.__getitem__)) for name, near in links.items()}
    return AreaMap(MappingProxyType(spots), MappingProxyType(tidy))


def _join(links: dict[str, list[str]], a: str, b: str) -> None:
    if b not in links[a]:
        links[a].append(b)
