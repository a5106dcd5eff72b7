"""A hex map in the terminal: the whole front, a window around a hex, and both in sentences. From
description and board alone; no rules.

What a counter is worth is what is printed on the face that the board shows. Zones are drawn around
counters that have one.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from warledger.clients.terminal.hexdraw import Cell, Ground, Painted, overview, window
from warledger.clients.terminal.listing import (
    about_piece,
    headline,
    in_place,
    listed,
    marks_on,
    place_contents,
    values_of,
)
from warledger.clients.terminal.visible import line
from warledger.protocol.board.description import BEYOND as OFF_MAP
from warledger.protocol.board.description import Description, Face, Piece
from warledger.protocol.board.effects import Board
from warledger.protocol.texts.phrases import Phrases

_COLOURS = (
    "bold white on red",
    "bold white on blue",
    "bold black on green",
    "bold black on yellow",
)
_INKS = ("red", "blue", "green", "yellow")
_WINDOW_ROWS = 5
_LINKS = (("road", "+"), ("rail", '"'), ("rail_multi", "="), ("track", ":"))
_FIGHT = ("attack", "strength", "barrage")
"""Values of which a unit has one."""
_MODES = (("dg", "*"), ("strat", "~"), ("exploit", "^"), ("reserve", "'"), ("oos", "!"))
"""Markers of modes, with their signs in the picture."""
_FLAGS = ("leg", "track", "truck", "anti_tank_light", "anti_tank_heavy")
"""Values that are true or false."""
_NO_ZONE = ("dg", "strat", "reserve", "oos")
_LISTED, _BOX_LISTED = 80, 8
"""How many hexes in contact, and counters of a box off the map, are listed one by one."""


_OTHER_SIGNS = "%&~;^+=-_<>"
"""Signs for ground whose letter a side has too, or another ground."""


def _ground_signs(told: Description) -> dict[str, str]:
    """A sign for each kind of ground as the front shows it: its own, unless that is the letter of a
    side's units, a letter that means something else there, or another ground's."""
    taken = {letter for side in told.sides for letter in (side[:1].upper(), side[:1].lower())}
    taken |= set("ox#*?")
    spare = iter(_OTHER_SIGNS)
    found: dict[str, str] = {}
    for terrain in told.terrains:
        sign = terrain.sign or "?"
        found[terrain.id] = next(spare, "?") if sign in taken else sign
        taken.add(found[terrain.id])
    return found


class HexPicture:
    """A map of hexes."""

    def __init__(self, told: Description) -> None:
        self.map = Ground(told)
        self._pieces: dict[str, Piece] = {piece.id: piece for piece in told.pieces}
        self._sides = told.sides
        self._letters = {terrain.id: terrain.sign for terrain in told.terrains}
        self._signs = _ground_signs(told)
        no_zone = [terrain.id for terrain in told.terrains if not terrain.zone]
        self._no_zone = {i for i, place in enumerate(told.places) if place.terrain in no_zone}
        self._areas = told.areas
        self._sources = told.sources
        self._out = {box.id for box in told.boxes if box.out}

    # --- pictures ---------------------------------------------------------------------------------

    def draw(
        self, board: Board, spoken: Phrases, width: int, focus: str = "", lit: Sequence[str] = ()
    ) -> RenderableType:
        """The window around a hex or counter; without one, the whole front. `lit` are hexes to
        highlight."""
        hexes = self._stacks(board)
        bright = frozenset(self.map.index[id] for id in lit if id in self.map.index)
        middle = self._hex_of(focus, board)
        parts: list[RenderableType] = [Text(line(headline(board, spoken)), style="bold")]
        if middle == OFF_MAP:
            parts.extend(self._front(board, hexes, bright, width))
            parts.append(Text(self._legend(spoken), style="dim italic"))
        else:
            zones = self._zones(board, hexes)
            parts.extend(
                window(
                    self.map,
                    middle,
                    width,
                    _WINDOW_ROWS,
                    lambda i: self._cell(i, board, hexes, zones, i in bright, spoken),
                )
            )
            parts.append(Text(spoken.text("ui.hex.legend_window"), style="dim italic"))
        return Group(*parts)

    def _front(
        self, board: Board, hexes: Mapping[int, list[str]], bright: frozenset[int], width: int
    ) -> list[Text]:
        shown = [*hexes, *bright] or self.map.sites

        def mark(i: int) -> Painted:
            names = hexes.get(i)
            if names:
                owner = board.pieces[names[0]].owner
                units = sum(1 for id in names if self._fights(id))
                letter = (
                    (owner[:1] or "?").upper()
                    if units > 1
                    else (owner[:1] or "?")
                    if units
                    else "*"
                )
                return letter, "reverse bold" if i in bright else self._colour(owner)
            if i in bright:
                return "x", "bold green"
            place = self.map.places[i]
            if place.site:
                if not place.great:
                    return "o", ""
                held = next(
                    (
                        side
                        for side in self._sides
                        if (self.map.places[i].id, f"control.{side}") in board.marks
                    ),
                    "",
                )
                return "#", f"bold {_INKS[self._number(held) % len(_INKS)]}"
            return self._signs.get(place.terrain, "?"), ""

        return overview(self.map, width, shown, mark)

    def _legend(self, spoken: Phrases) -> str:
        """What the letters of the front mean: the sides', what else may stand there, and the
        ground's."""
        sides = ", ".join(
            f"{side[:1].upper()} {side[:1]} {spoken.name(side)}" for side in self._sides
        )
        ground = "; ".join(
            f"{sign} {spoken.text(f'map.terrain.{terrain}')}"
            for terrain, sign in self._signs.items()
            if sign not in (" ", ".")
        )
        told = f"{sides}. {spoken.text('ui.hex.legend_front')}"
        return f"{told} {ground}." if ground else told

    def _cell(
        self,
        i: int,
        board: Board,
        hexes: Mapping[int, list[str]],
        zones: Mapping[int, set[str]],
        lit: bool,
        spoken: Phrases,
    ) -> Cell:
        id = self.map.places[i].id
        place = self.map.places[i]
        heading = self._place_name(i, spoken)
        links = "".join(sign for kind, sign in _LINKS if i in self.map.links.get(kind, {}))
        about: list[Painted] = [(id, "bold green" if lit else "")]
        letter = self._letters.get(self.map.places[i].terrain, "")
        about.append(((letter if letter not in ". " else "") + links, "yellow"))
        if any(source.place == i for source in self._sources):
            about.append(("$", "bold"))
        if lit:
            about.append(("<", "bold green"))
        about.extend(
            (side[:1].upper(), _INKS[self._number(side) % len(_INKS)])
            for side in sorted(zones.get(i, ()))
        )
        names = sorted(hexes.get(i, ()), key=self._fights)
        if len(names) > 2:
            about.append(
                (
                    " " + self._name(names[0]),
                    self._colour(board.pieces[names[0]].owner),
                )
            )
            names = names[1:]
        lines = tuple(
            (self._label(board, id), self._colour(board.pieces[id].owner)) for id in names
        )
        return Cell(
            (heading, "bold" if place.great else ""),
            tuple(about),
            lines,
        )

    def _label(self, board: Board, id: str) -> str:
        """A counter in a few characters: > activated, name, values, ! out of supply, !!
        surrounded."""
        begun = ">" if (id, "activated") in board.marks else ""
        cut = (
            "!!"
            if (id, "surrounded") in board.marks
            else "!"
            if (id, "out_of_supply") in board.marks
            else ""
        )
        face = self._face(board, id)
        strength = self._strength(face)
        if strength is not None:
            return f"{begun}{self._name(id)}{cut} {strength[0]}-{strength[1]}"
        if face is not None and face.print and face.value("attack") is None and self._sided(id):
            modes = "".join(sign for mark, sign in _MODES if (id, mark) in board.marks)
            return f"{begun}{self._name(id)}{cut}{modes} {face.print}"
        reach = None if face is None else face.value("range")
        if reach is not None:
            return f"{begun}{self._name(id)}{cut}({reach})"
        return f"{begun}{self._name(id)}{cut} {values_of(board.pieces[id])}".rstrip()

    def _sided(self, id: str) -> bool:
        """Whether a counter has sides with values of their own, and no reduced one."""
        faces = self._pieces[id].faces
        return bool(faces) and faces[0].face not in ("", "full")

    def _face(self, board: Board, id: str) -> Face | None:
        """The face that the board shows of a described piece."""
        piece = self._pieces.get(id)
        return None if piece is None else piece.face(board.pieces[id].face)

    def _strength(self, face: Face | None) -> tuple[int, int] | None:
        """Attack and defence on a face that has them."""
        if face is None:
            return None
        attack, defence = face.value("attack"), face.value("defence")
        return None if attack is None or defence is None else (attack, defence)

    def _name(self, id: str) -> str:
        piece = self._pieces.get(id)
        return piece.name if piece is not None and piece.name else id

    def _fights(self, id: str) -> bool:
        """Whether a counter has a strength, so that it is counted as a unit."""
        piece = self._pieces.get(id)
        return piece is None or any(
            face.value(what) is not None for face in piece.faces for what in _FIGHT
        )

    def _has_zone(self, id: str, board: Board) -> bool:
        """Whether a counter has a zone on the side that it shows and in the mode that is marked."""
        if id not in self._pieces or not self._pieces[id].zone:
            return False
        moves = board.pieces[id].face == "move"
        return not moves and not any((id, mark) in board.marks for mark in _NO_ZONE)

    def _colour(self, owner: str) -> str:
        return _COLOURS[self._number(owner) % len(_COLOURS)]

    def _number(self, owner: str) -> int:
        return self._sides.index(owner) if owner in self._sides else len(self._sides)

    # --- sentences --------------------------------------------------------------------------------

    def describe(self, board: Board, spoken: Phrases, focus: str = "") -> Iterator[str]:
        """A hex and its neighbours; without one, cities and forces."""
        yield headline(board, spoken)
        hexes = self._stacks(board)
        middle = self._hex_of(focus, board)
        if middle != OFF_MAP:
            yield from self._about_hex(middle, board, spoken)
            for direction, n in zip(self.map.directions, self.map.places[middle].near, strict=True):
                if n != OFF_MAP:
                    yield spoken.text(
                        "ui.hex.neighbour",
                        direction=_direction(direction),
                        line=self._line(n, board, hexes, spoken),
                    )
            return
        yield from self._cities(board, spoken)
        yield from self._forces(board, hexes, self._contact(board, hexes), spoken)

    def front(self, board: Board, spoken: Phrases) -> Iterator[str]:
        """The forces, the hexes where a side stands next to the other from north to south, and what
        lies off the map."""
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
        return [
            i
            for i in sorted(hexes)
            if any(owner.get(n, owner[i]) != owner[i] for n in self.map.near(i))
        ]

    def _forces(
        self, board: Board, hexes: Mapping[int, list[str]], contact: Sequence[int], spoken: Phrases
    ) -> Iterator[str]:
        owner = {i: board.pieces[names[0]].owner for i, names in hexes.items()}
        for side in self._sides:
            mine = [i for i in hexes if owner[i] == side]
            units = sum(1 for i in mine for id in hexes[i] if self._fights(id))
            yield spoken.text(
                "ui.hex.forces",
                side=side,
                n=units,
                hexes=len(mine),
                contact=sum(owner[i] == side for i in contact),
            )

    def about(self, id: str, board: Board, spoken: Phrases) -> Iterator[str]:
        """A counter with its printed values, or a hex with everything that is printed and placed
        there."""
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
        face = self._face(board, id)
        if face is None:
            return values_of(board.pieces[id])
        if self._sided(id):
            return face.print
        strength, move, reach = self._strength(face), face.value("move"), face.value("range")
        parts = [] if strength is None else [str(n) for n in strength]
        moves = [] if move is None else [str(move)]
        around = "" if reach is None else f"({reach})"
        if parts:
            return "-".join((*parts, *moves)) + around
        return "-".join(part for part in (around, *moves) if part)

    def ids(self, board: Board) -> tuple[str, ...]:
        """Counters, boxes that hold any, and hexes."""
        boxes = (place for place in place_contents(board) if place not in self.map.index)
        return (*(id for id in board.pieces if type(id) is str), *boxes, *self.map.index)

    def is_place(self, id: str) -> bool:
        """Whether an id is a hex of this map."""
        return id in self.map.index

    def _printed_on(self, id: str, board: Board, spoken: Phrases) -> Iterator[str]:
        face = self._face(board, id)
        if face is None:
            return
        if self._sided(id):
            for each in self._pieces[id].faces:
                told = tuple(
                    spoken.name(name)
                    if value == 1 and name in _FLAGS
                    else f"{spoken.name(name)} {value}"
                    for name, value in each.values
                )
                yield spoken.text(
                    "ui.hex.side", face=each.face, print=each.print, values=listed(told, spoken)
                )
            return
        strength, move, reach = self._strength(face), face.value("move"), face.value("range")
        if strength is not None and move is not None:
            yield spoken.text("ui.hex.values", attack=strength[0], defence=strength[1], move=move)
        if reach is not None and move is not None:
            yield spoken.text("ui.hex.command", range=reach, move=move)

    def _down(self, i: int, d: int, board: Board) -> bool:
        """Whether the bridge on a side is marked as down, in either of its hexes."""
        sides = len(self.map.directions)
        place, other = self.map.places[i], self.map.places[i].near[d]
        back = (d + sides // 2) % sides
        return (place.id, f"bridge_down.{d}") in board.marks or (
            other >= 0 and (self.map.places[other].id, f"bridge_down.{back}") in board.marks
        )

    def _about_hex(self, i: int, board: Board, spoken: Phrases) -> Iterator[str]:
        id = self.map.places[i].id
        place = self.map.places[i]
        yield spoken.text("ui.hex.about", hex=id, terrain=f"map.terrain.{place.terrain}")
        if place.site:
            yield spoken.text(
                "ui.hex.place", place=self._place_name(i, spoken), kind=f"map.place.{place.site}"
            )
        marks = (*self._control(i, board, spoken), *marks_on(board, id, spoken))
        if marks:
            yield spoken.text("ui.about_marks", marks=marks)
        for area in self._areas:
            if i in area.places and area.kind not in ("setup", "control", "play"):
                yield spoken.text("ui.hex.area", area=area.id)
        for source in self._sources:
            if source.place == i:
                yield spoken.text("ui.hex.source", side=source.side, turn=source.from_turn)
        for d, direction in enumerate(self.map.directions):
            river = self.map.rivers.get((i, d))
            if river is not None and (i, d) in self.map.bridged:
                key = "ui.hex.bridge_down" if self._down(i, d, board) else "ui.hex.bridge"
                yield spoken.text(key, river=f"map.river.{river}", direction=_direction(direction))
            elif river is not None:
                yield spoken.text(
                    "ui.hex.river", river=f"map.river.{river}", direction=_direction(direction)
                )
        for kind, _ in _LINKS:
            ends = self.map.links.get(kind, {}).get(i)
            if ends:
                yield spoken.text(
                    "ui.hex.link",
                    link=f"map.link.{kind}",
                    hexes=tuple(self.map.places[n].id for n in sorted(ends)),
                )
        hexes = self._stacks(board)
        sides = sorted(self._zones(board, hexes).get(i, ()))
        if sides:
            yield spoken.text("ui.hex.zone", sides=tuple(sides))
        yield self._line(i, board, hexes, spoken)

    def _line(self, i: int, board: Board, hexes: Mapping[int, list[str]], spoken: Phrases) -> str:
        """A hex and what stands in it, with values."""
        id = self.map.places[i].id
        place = self.map.places[i]
        told = []
        for name in hexes.get(i, ()):
            face = self._face(board, name)
            values = self._strength(face)
            marks = [
                spoken.name(marker)
                for marker in ("activated", "out_of_supply", "surrounded")
                if (name, marker) in board.marks
            ]
            said = f"{spoken.name(name)} {values[0]}-{values[1]}" if values else spoken.name(name)
            if face is not None and name in self._pieces and self._sided(name):
                said = f"{spoken.name(name)} {face.print}"
                marks = marks_on(board, name, spoken)
            told.append(said + (f" ({listed(marks, spoken)})" if marks else ""))
        owner = board.pieces[hexes[i][0]].owner if i in hexes else ""
        contents = spoken.text("text.none")
        if owner:
            contents = spoken.text(
                "ui.place_line", place=spoken.name(owner), contents=listed(told, spoken)
            )
        counted = [
            spoken.mark(marker, value)
            for (target, marker), value in sorted(board.marks.items(), key=lambda pair: pair[0][1])
            if target == id and spoken.has(f"mark.{marker.partition('.')[0]}")
        ]
        return spoken.text(
            "ui.place_line",
            place=f"{id} {self._place_name(i, spoken)}" if place.site else id,
            contents=listed((contents, *counted), spoken),
        )

    def _cities(self, board: Board, spoken: Phrases) -> Iterator[str]:
        """The places that count, and whose they are."""
        for i, place in enumerate(self.map.places):
            if place.great:
                marks = marks_on(board, self.map.places[i].id, spoken)
                held = listed((*self._control(i, board, spoken), *marks), spoken)
                yield spoken.text(
                    "ui.place_line",
                    place=f"{self._place_name(i, spoken)} {self.map.places[i].id}",
                    contents=held or spoken.text("text.none"),
                )

    def _control(self, i: int, board: Board, spoken: Phrases) -> Iterator[str]:
        """Who controls a hex from the start, where the map says so and no marker says otherwise."""
        id = self.map.places[i].id
        if any((id, f"control.{side}") in board.marks for side in self._sides):
            return
        for area in self._areas:
            if area.kind == "control" and i in area.places:
                yield spoken.name(area.id)

    def _off_map(self, board: Board, spoken: Phrases) -> Iterator[str]:
        """Boxes and chits; what is out of the game is left out."""
        for place, ids in sorted(place_contents(board).items()):
            if place not in self.map.index and place not in self._out:
                names = [spoken.name(id) for id in ids[:_BOX_LISTED]]
                if len(ids) > _BOX_LISTED:
                    names.append(spoken.text("ui.hex.others", n=len(ids) - _BOX_LISTED))
                yield spoken.text(
                    "ui.place_line", place=spoken.name(place), contents=listed(names, spoken)
                )

    def _place_name(self, i: int, spoken: Phrases) -> str:
        """The town or city of a hex, without the number with which its full name may end; "" for
        none."""
        id = self.map.places[i].id
        place = self.map.places[i]
        named = spoken.name(id)
        return re.sub(rf"\s*[(（]{re.escape(id)}[)）]$", "", named) if named != id else place.name

    # --- what stands where ------------------------------------------------------------------------

    def _stacks(self, board: Board) -> dict[int, list[str]]:
        """The counters in each hex that holds any."""
        found: dict[int, list[str]] = {}
        for id in sorted(id for id in board.pieces if type(id) is str):
            place = board.pieces[id].place
            i = self.map.index.get(place, OFF_MAP) if type(place) is str else OFF_MAP
            if i != OFF_MAP:
                found.setdefault(i, []).append(id)
        return found

    def _zones(self, board: Board, hexes: Mapping[int, list[str]]) -> dict[int, set[str]]:
        """The sides whose counters with a strength stand next to a hex."""
        found: dict[int, set[str]] = {}
        for i, names in hexes.items():
            for side in {board.pieces[id].owner for id in names if self._has_zone(id, board)}:
                for n in self.map.near(i):
                    if n not in self._no_zone:
                        found.setdefault(n, set()).add(side)
        return found

    def _hex_of(self, focus: str, board: Board) -> int:
        shown = board.pieces.get(focus)
        return self.map.index.get(shown.place if shown is not None else focus, OFF_MAP)


def _direction(name: str) -> str:
    return f"map.direction.{name}"
