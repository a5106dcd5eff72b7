"""A hex map in the terminal: the whole front, a window around a hex, and both in sentences. From pack and board alone; no rules.

What a counter is worth is what the pack prints on the face that the board shows. Zones are drawn around counters that have a strength.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from clients.hexmap import OFF_MAP, HexMap, hex_map
from clients.terminal.hexdraw import Cell, Painted, overview, window
from clients.terminal.listing import about_piece, headline, in_place, listed, marks_on, place_contents
from clients.terminal.visible import line
from protocol.effects import Board
from protocol.phrases import Phrases

_COLOURS = ("bold white on red", "bold white on blue", "bold black on green", "bold black on yellow")
_INKS = ("red", "blue", "green", "yellow")
_WINDOW_ROWS = 5
_LINKS = (("road", "+"), ("rail", "\""))
_LISTED, _BOX_LISTED = 80, 8
"""Hexes in contact, and counters of a box off the map, that are told one by one."""


class HexPicture:
    """A map of hexes."""

    def __init__(self, pack: Mapping[str, Any]) -> None:
        self.map: HexMap = hex_map(pack)
        counters = pack.get("counters", {})
        self._printed: dict[str, Mapping[str, Any]] = {
            entry["id"]: entry for table in ("units", "hqs") for entry in counters.get(table, ()) if "id" in entry
        }
        self._sides: tuple[str, ...] = tuple(pack["map"].get("sides", ()))
        terrain = pack.get("tables", {}).get("terrain", {})
        self._no_zone = {i for i, name in enumerate(self.map.terrain) if terrain.get(name, {}).get("blocks_zoc")}
        self._great = _great_kinds(pack)

    # --- pictures -----------------------------------------------------------------------------------------------------------------

    def draw(self, board: Board, spoken: Phrases, width: int, focus: str = "", lit: Sequence[str] = ()) -> RenderableType:
        """The window around a hex or counter; without one, the whole front. `lit` are hexes to be made out."""
        hexes = self._stacks(board)
        bright = frozenset(self.map.index[id] for id in lit if id in self.map.index)
        middle = self._hex_of(focus, board)
        parts: list[RenderableType] = [Text(line(headline(board, spoken)), style="bold")]
        if middle == OFF_MAP:
            parts.extend(self._front(board, hexes, bright, width))
            parts.append(Text(spoken.text("ui.hex.legend_front"), style="dim italic"))
        else:
            zones = self._zones(board, hexes)
            parts.extend(
                window(self.map, middle, width, _WINDOW_ROWS, lambda i: self._cell(i, board, hexes, zones, i in bright, spoken))
            )
            parts.append(Text(spoken.text("ui.hex.legend_window"), style="dim italic"))
        return Group(*parts)

    def _front(self, board: Board, hexes: Mapping[int, list[str]], bright: frozenset[int], width: int) -> list[Text]:
        shown = [*hexes, *bright] or list(self.map.places)

        def mark(i: int) -> Painted:
            names = hexes.get(i)
            if names:
                owner = board.pieces[names[0]].owner
                units = sum(1 for id in names if "full" in self._printed[id])
                letter = (owner[:1] or "?").upper() if units > 1 else (owner[:1] or "?") if units else "*"
                return letter, "reverse bold" if i in bright else self._colour(owner)
            if i in bright:
                return "x", "bold green"
            place = self.map.places.get(i)
            if place is not None:
                if place.kind not in self._great:
                    return "o", ""
                held = next((side for side in self._sides if (self.map.ids[i], f"control.{side}") in board.marks), "")
                return "#", f"bold {_INKS[self._number(held) % len(_INKS)]}"
            letter = self.map.letters.get(self.map.terrain[i], "?")
            return letter, ""

        return overview(self.map, width, shown, mark)

    def _cell(
        self, i: int, board: Board, hexes: Mapping[int, list[str]], zones: Mapping[int, set[str]], lit: bool, spoken: Phrases
    ) -> Cell:
        id = self.map.ids[i]
        place = self.map.places.get(i)
        heading = self._place_name(i, spoken)
        links = "".join(sign for kind, sign in _LINKS if i in self.map.links.get(kind, {}))
        about: list[Painted] = [(id, "bold green" if lit else "")]
        letter = self.map.letters.get(self.map.terrain[i], "")
        about.append(((letter if letter not in ". " else "") + links, "yellow"))
        if any(source.hex == i for source in self.map.sources):
            about.append(("$", "bold"))
        if lit:
            about.append(("<", "bold green"))
        about.extend((side[:1].upper(), _INKS[self._number(side) % len(_INKS)]) for side in sorted(zones.get(i, ())))
        names = sorted(hexes.get(i, ()), key=lambda id: "full" in self._printed[id])
        if len(names) > 2:
            about.append((" " + str(self._printed[names[0]]["name"]), self._colour(board.pieces[names[0]].owner)))
            names = names[1:]
        lines = tuple((self._label(board, id), self._colour(board.pieces[id].owner)) for id in names)
        return Cell((heading, "bold" if place is not None and place.kind in self._great else ""), tuple(about), lines)

    def _label(self, board: Board, id: str) -> str:
        """A counter in a few characters: > activated, name, values, ! out of supply, !! surrounded."""
        begun = ">" if (id, "activated") in board.marks else ""
        cut = "!!" if (id, "surrounded") in board.marks else "!" if (id, "out_of_supply") in board.marks else ""
        printed = self._printed[id]
        values = self._values(board, id)
        return f"{begun}{printed['name']}{cut} {values[0]}-{values[1]}" if values else f"{begun}{printed['name']}{cut}({printed['range']})"

    def _values(self, board: Board, id: str) -> tuple[int, int] | None:
        printed = self._printed[id]
        found = printed.get("reduced" if board.pieces[id].face == "reduced" else "full")
        return (found[0], found[1]) if found else None

    def _colour(self, owner: str) -> str:
        return _COLOURS[self._number(owner) % len(_COLOURS)]

    def _number(self, owner: str) -> int:
        return self._sides.index(owner) if owner in self._sides else len(self._sides)

    # --- sentences ----------------------------------------------------------------------------------------------------------------

    def describe(self, board: Board, spoken: Phrases, focus: str = "") -> Iterator[str]:
        """A hex and its neighbours; without one, cities and forces."""
        yield headline(board, spoken)
        hexes = self._stacks(board)
        middle = self._hex_of(focus, board)
        if middle != OFF_MAP:
            yield from self._about_hex(middle, board, spoken)
            for direction, n in zip(self.map.directions, self.map.neighbours[middle], strict=True):
                if n != OFF_MAP:
                    yield spoken.text("ui.hex.neighbour", direction=_direction(direction), line=self._line(n, board, hexes, spoken))
            return
        yield from self._cities(board, spoken)
        yield from self._forces(board, hexes, self._contact(board, hexes), spoken)

    def front(self, board: Board, spoken: Phrases) -> Iterator[str]:
        """The forces, the hexes where a side stands next to the other from north to south, and what lies off the map."""
        hexes = self._stacks(board)
        contact = self._contact(board, hexes)
        yield from self._forces(board, hexes, contact, spoken)
        if contact:
            yield spoken.text("ui.hex.contact")
        for i in contact[:_LISTED]:
            yield self._line(i, board, hexes, spoken)
        if len(contact) > _LISTED:
            yield spoken.text("ui.hex.others", n=len(contact) - _LISTED)
        yield from self._off_map(board, spoken)

    def _contact(self, board: Board, hexes: Mapping[int, list[str]]) -> list[int]:
        """The hexes of a side next to one of the other."""
        owner = {i: board.pieces[names[0]].owner for i, names in hexes.items()}
        return [i for i in sorted(hexes) if any(owner.get(n, owner[i]) != owner[i] for n in self.map.near[i])]

    def _forces(self, board: Board, hexes: Mapping[int, list[str]], contact: Sequence[int], spoken: Phrases) -> Iterator[str]:
        owner = {i: board.pieces[names[0]].owner for i, names in hexes.items()}
        for side in self._sides:
            mine = [i for i in hexes if owner[i] == side]
            units = sum(1 for i in mine for id in hexes[i] if "full" in self._printed[id])
            yield spoken.text("ui.hex.forces", side=side, n=units, hexes=len(mine), contact=sum(owner[i] == side for i in contact))

    def about(self, id: str, board: Board, spoken: Phrases) -> Iterator[str]:
        """A counter with its printed values, or a hex with all that is printed and stands there."""
        if id in board.pieces:
            yield from about_piece(id, board, spoken)
            yield from self._printed_on(id, board, spoken)
        elif id in self.map.index:
            yield from self._about_hex(self.map.index[id], board, spoken)
        else:
            contents = place_contents(board)
            if id in contents:
                yield in_place(board, id, contents[id], spoken)

    def values(self, id: str, board: Board) -> str:
        """Attack-defence-movement, or a headquarters' range in brackets."""
        printed = self._printed.get(id)
        if printed is None:
            return ""
        values = self._values(board, id)
        range_ = f"({printed['range']})" if "range" in printed else ""
        return f"{values[0]}-{values[1]}-{printed['move']}{range_}" if values else f"{range_}-{printed['move']}"

    def ids(self, board: Board) -> tuple[str, ...]:
        """Counters, boxes that hold any, and hexes."""
        boxes = (place for place in place_contents(board) if place not in self.map.index)
        return (*(id for id in board.pieces if type(id) is str), *boxes, *self.map.ids)

    def is_place(self, id: str) -> bool:
        """Whether an id is a hex of this map."""
        return id in self.map.index

    def _printed_on(self, id: str, board: Board, spoken: Phrases) -> Iterator[str]:
        printed = self._printed.get(id)
        if printed is None:
            return
        values = self._values(board, id)
        if values is not None:
            yield spoken.text("ui.hex.values", attack=values[0], defence=values[1], move=printed["move"])
        if "range" in printed:
            yield spoken.text("ui.hex.command", range=printed["range"], move=printed["move"])

    def _about_hex(self, i: int, board: Board, spoken: Phrases) -> Iterator[str]:
        id = self.map.ids[i]
        yield spoken.text("ui.hex.about", hex=id, terrain=f"map.terrain.{self.map.terrain[i]}")
        place = self.map.places.get(i)
        if place is not None:
            yield spoken.text("ui.hex.place", place=self._place_name(i, spoken), kind=f"map.place.{place.kind}")
        marks = marks_on(board, id, spoken)
        if marks:
            yield spoken.text("ui.about_marks", marks=tuple(marks))
        for area in self.map.areas:
            if i in area.hexes and area.kind != "setup":
                yield spoken.text("ui.hex.area", area=area.id)
        for source in self.map.sources:
            if source.hex == i:
                yield spoken.text("ui.hex.source", side=source.side, turn=source.from_turn)
        for d, direction in enumerate(self.map.directions):
            river = self.map.rivers.get((i, d))
            if river is not None and (i, d) in self.map.bridged:
                yield spoken.text("ui.hex.bridge", river=f"map.river.{river}", direction=_direction(direction))
            elif river is not None:
                yield spoken.text("ui.hex.river", river=f"map.river.{river}", direction=_direction(direction))
        for kind, _ in _LINKS:
            ends = self.map.links.get(kind, {}).get(i)
            if ends:
                yield spoken.text("ui.hex.link", link=f"map.link.{kind}", hexes=tuple(self.map.ids[n] for n in sorted(ends)))
        hexes = self._stacks(board)
        sides = sorted(self._zones(board, hexes).get(i, ()))
        if sides:
            yield spoken.text("ui.hex.zone", sides=tuple(sides))
        yield self._line(i, board, hexes, spoken)

    def _line(self, i: int, board: Board, hexes: Mapping[int, list[str]], spoken: Phrases) -> str:
        """A hex and what stands in it, with values."""
        id = self.map.ids[i]
        place = self.map.places.get(i)
        told = []
        for name in hexes.get(i, ()):
            values = self._values(board, name)
            marks = [spoken.name(marker) for marker in ("activated", "out_of_supply", "surrounded") if (name, marker) in board.marks]
            said = f"{spoken.name(name)} {values[0]}-{values[1]}" if values else spoken.name(name)
            told.append(said + (f" ({listed(marks, spoken)})" if marks else ""))
        owner = board.pieces[hexes[i][0]].owner if i in hexes else ""
        contents = spoken.text("text.none")
        if owner:
            contents = spoken.text("ui.place_line", place=spoken.name(owner), contents=listed(told, spoken))
        return spoken.text("ui.place_line", place=f"{id} {self._place_name(i, spoken)}" if place is not None else id, contents=contents)

    def _cities(self, board: Board, spoken: Phrases) -> Iterator[str]:
        """The places that count, and whose they are."""
        for i, place in self.map.places.items():
            if place.kind in self._great:
                marks = marks_on(board, self.map.ids[i], spoken)
                held = listed(marks, spoken) or spoken.text("text.none")
                yield spoken.text("ui.place_line", place=f"{self._place_name(i, spoken)} {self.map.ids[i]}", contents=held)

    def _off_map(self, board: Board, spoken: Phrases) -> Iterator[str]:
        """Boxes and chits; what is out of the game is left out."""
        for place, ids in sorted(place_contents(board).items()):
            if place not in self.map.index and place not in ("eliminated", "removed"):
                names = [spoken.name(id) for id in ids[:_BOX_LISTED]]
                if len(ids) > _BOX_LISTED:
                    names.append(spoken.text("ui.hex.others", n=len(ids) - _BOX_LISTED))
                yield spoken.text("ui.place_line", place=spoken.name(place), contents=listed(names, spoken))

    def _place_name(self, i: int, spoken: Phrases) -> str:
        """The town or city of a hex, without the number that its full name may end with; "" for none."""
        id = self.map.ids[i]
        place = self.map.places.get(i)
        named = spoken.name(id)
        return re.sub(rf"\s*[(（]{re.escape(id)}[)）]$", "", named) if named != id else place.name if place is not None else ""

    # --- what stands where --------------------------------------------------------------------------------------------------------

    def _stacks(self, board: Board) -> dict[int, list[str]]:
        """The counters in each hex that holds any."""
        found: dict[int, list[str]] = {}
        for id in sorted(id for id in board.pieces if type(id) is str and id in self._printed):
            i = self.map.index.get(board.pieces[id].place, OFF_MAP)
            if i != OFF_MAP:
                found.setdefault(i, []).append(id)
        return found

    def _zones(self, board: Board, hexes: Mapping[int, list[str]]) -> dict[int, set[str]]:
        """The sides whose counters with a strength stand next to a hex."""
        found: dict[int, set[str]] = {}
        for i, names in hexes.items():
            for side in {board.pieces[id].owner for id in names if "full" in self._printed[id]}:
                for n in self.map.near[i]:
                    if n not in self._no_zone:
                        found.setdefault(n, set()).add(side)
        return found

    def _hex_of(self, focus: str, board: Board) -> int:
        shown = board.pieces.get(focus)
        return self.map.index.get(shown.place if shown is not None else focus, OFF_MAP)


def _great_kinds(pack: Mapping[str, Any]) -> frozenset[str]:
    """The kinds of places that count for victory or are cities: those worth points, else the one with the greatest shift."""
    kinds = pack.get("tables", {}).get("place", {})
    scored = frozenset(kind for kind, effect in kinds.items() if effect.get("points"))
    best = max((effect.get("shift", 0) for effect in kinds.values()), default=0)
    return scored or frozenset(kind for kind, effect in kinds.items() if effect.get("shift", 0) == best)


def _direction(name: str) -> str:
    return f"map.direction.{name}"


__all__ = ["HexPicture"]
