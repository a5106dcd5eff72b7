"""The part of a pack's check that looks at pieces: counters.toml, each scenario's set-up and the
arrivals of turns.toml against the map."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from warledger.engine.board.hexmap import HexMap
from warledger.engine.board.stacking import Piece, StackLimits, breach, limits_from_tables
from warledger.protocol.board.findings import Inspection, nearest
from warledger.protocol.texts.words import words_of

Docs = Mapping[str, Mapping[str, Any]]
Entry = Mapping[str, Any]

_KINDS = ("units", "hqs", "chits", "markers")


def check_pieces(board: HexMap, doc: Docs, scenarios: Sequence[str], out: Inspection) -> None:
    """Counters are whole. In every scenario whatever is set up exists and stands somewhere exactly
    once, in its area, within the stacking limits. No piece is left out of all of them."""
    counters = {
        k: out.rows(doc["counters"], k, "counters.toml", required=k == "units") for k in _KINDS
    }
    # `hq` is what stacking asks of a piece, set here because the list a counter stands in tells it
    pieces = {
        str(p.get("id")): {**p, "hq": k == "hqs"} for k in ("units", "hqs") for p in counters[k]
    }
    chits = {str(c.get("id")): c for c in counters["chits"]}
    for kind in ("units", "hqs"):
        for piece in counters[kind]:
            _faces(piece, f"counters.toml {kind} {piece.get('id')}", board, out)
    for chit in chits.values():
        hq = chit.get("hq")
        if hq and str(hq) not in pieces:
            out.error(
                f"counters.toml chits {chit.get('id')}",
                f"hq {hq!r} is not a headquarters",
                nearest(str(hq), pieces),
            )
    _totals(doc["counters"], counters, out)
    arriving = _arrivals(board, doc, {**pieces, **chits}, out)
    limits = _limits(doc["tables"], out)
    homeless = set(pieces)
    for scenario in scenarios:
        placed = _placed(board, doc, scenario, pieces, {**pieces, **chits}, limits, out)
        for name in pieces:
            homes = [*placed.get(name, []), *arriving.get(name, [])]
            if homes:
                homeless.discard(name)
            if len(homes) > 1:
                out.error(
                    f"counters.toml {name}",
                    f"it starts in {len(homes)} places: {', '.join(homes)}",
                    "Keep one of them",
                )
    for name in pieces:
        if name in homeless:
            out.warn(
                f"counters.toml {name}",
                "it is on the map, in a box or on the turn track nowhere",
                "Place it, or leave it out",
            )


def _placed(
    board: HexMap,
    doc: Docs,
    scenario: str,
    pieces: Mapping[str, Entry],
    known: Mapping[str, Entry],
    limits: StackLimits | None,
    out: Inspection,
) -> dict[str, list[str]]:
    """Where one scenario puts each piece at the start."""
    file = f"{scenario}.toml"
    groups = {str(g.get("id")): g for g in out.rows(doc[scenario], "group", file, required=False)}
    for name, group in groups.items():
        place = f"{file} [[group]] {name}"
        if "area" in group and str(group["area"]) not in board.areas:
            out.error(
                place,
                f"area {group['area']!r} is not on the map",
                nearest(str(group["area"]), board.areas),
            )
        if group.get("side") not in board.players:
            out.error(
                place,
                f"side {group.get('side')!r} is not one of the sides",
                nearest(str(group.get("side")), board.players),
            )
    homes = _set_up(board, doc, scenario, pieces, groups, limits, out)
    for name, boxes in _boxes(board, doc[scenario], file, known, out).items():
        homes.setdefault(name, []).extend(boxes)
    return homes


def _faces(piece: Entry, place: str, board: HexMap, out: Inspection) -> None:
    if piece.get("side") not in board.players:
        out.error(
            place,
            f"side {piece.get('side')!r} is not one of the sides",
            nearest(str(piece.get("side")), board.players),
        )
    for face in ("full", "reduced"):
        value = piece.get(face)
        if value is not None and not (
            isinstance(value, list | tuple) and len(value) == 2 and all(_natural(x) for x in value)
        ):
            out.error(
                place, f"{face} is {value!r}", f"Write {face} = [attack, defence] in whole numbers"
            )
    if "reduced" in piece and "full" not in piece:
        out.error(place, "it has a reduced face but no full one", "Write full = [attack, defence]")
    for key in ("move", "range"):
        if key in piece and not _natural(piece[key]):
            out.error(place, f"{key} is {piece[key]!r}", f"Write {key} as a whole number")


def _natural(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _totals(doc: Entry, counters: Mapping[str, Sequence[Entry]], out: Inspection) -> None:
    totals = doc.get("totals")
    if not isinstance(totals, Mapping):
        return
    for kind, entries in counters.items():
        number = (
            sum(out.whole(e, "count", f"counters.toml {kind}", 1) for e in entries)
            if kind == "markers"
            else len(entries)
        )
        if totals.get(kind, number) != number:
            out.error(
                f"counters.toml [totals] {kind}",
                f"{totals[kind]} announced, {number} listed",
                "Correct the list or the total",
            )
    parts = [v for k, v in totals.items() if k != "all" and isinstance(v, int)]
    if "all" in totals and totals["all"] != sum(parts):
        out.error(
            "counters.toml [totals] all",
            f"{totals['all']}, but the parts add up to {sum(parts)}",
            "Correct the sum",
        )


def _set_up(
    board: HexMap,
    doc: Docs,
    scenario: str,
    pieces: Mapping[str, Entry],
    groups: Mapping[str, Entry],
    limits: StackLimits | None,
    out: Inspection,
) -> dict[str, list[str]]:
    file = f"{scenario}.toml"
    homes: dict[str, list[str]] = {}
    held: dict[int, list[str]] = {}
    for hex_id, names in out.table(doc[scenario], "on_map", file, required=False).items():
        place = f"{file} [on_map] {hex_id}"
        at = board.grid.index.get(hex_id)
        if at is None:
            out.error(
                place,
                "there is no such hex",
                f"Hexes run from {board.grid.ids[0]} to {board.grid.ids[-1]}",
            )
            continue
        for name in words_of(str(names)):
            if name not in pieces:
                out.error(place, f"{name} is not a unit or headquarters", nearest(name, pieces))
                continue
            homes.setdefault(name, []).append(f"hex {hex_id}")
            held.setdefault(at, []).append(name)
            _in_area(board, at, name, pieces[name], groups, place, out)
    for at, names in held.items():
        _stack(
            board,
            doc["tables"],
            limits,
            at,
            [pieces[n] for n in names],
            f"{file} [on_map] {board.grid.ids[at]}",
            out,
        )
    for name, group in groups.items():
        area = board.areas.get(str(group.get("area")))
        if group.get("every_hex") and area is not None:
            empty = [board.grid.ids[i] for i in area.hexes if i not in held]
            if empty:
                out.error(
                    f"{file} [[group]] {name}",
                    f"no piece in {' '.join(empty[:8])}",
                    "Put at least one in every hex of the area",
                )
    return homes


def _in_area(
    board: HexMap,
    at: int,
    name: str,
    piece: Entry,
    groups: Mapping[str, Entry],
    place: str,
    out: Inspection,
) -> None:
    group = groups.get(str(piece.get("group")))
    if group is None:
        out.error(
            place,
            f"{name} has the group {piece.get('group')!r}, which the set-up lacks",
            nearest(str(piece.get("group")), groups),
        )
        return
    if group.get("side") != piece.get("side"):
        out.error(
            place,
            f"{name} belongs to {piece.get('side')}, its group to {group.get('side')}",
            "Correct the group mark",
        )
    area = board.areas.get(str(group.get("area")))
    if group.get("fixed") or area is None:
        return
    allowed = (*area.hexes, *(area.data.get("hq_hexes", ()) if piece["hq"] else ()))
    if at not in allowed:
        out.error(
            place,
            f"{name} stands outside its area {area.id}",
            "Move it there, or write fixed = true in its group",
        )


def _stack(
    board: HexMap,
    tables: Entry,
    limits: StackLimits | None,
    at: int,
    stack: Sequence[Entry],
    place: str,
    out: Inspection,
) -> None:
    if limits is not None:
        size = [out.whole(p, "size", place, 0) for p in stack]
        pieces = [
            Piece(str(p.get("side")), str(p.get("nation")), p["hq"], k)
            for p, k in zip(stack, size, strict=True)
        ]
        found = breach(limits, pieces)
        if found is not None:
            out.error(
                place,
                f"the stack breaks the limit on {found.value}",
                "Move a piece, or correct tables.toml [stacking]",
            )
    if board.control and any(p.get("side") != board.control[at] for p in stack):
        out.error(
            place,
            f"the hex lies on the side of {board.control[at]} of the start line",
            "Move the piece or the line",
        )
    entry = tables.get("terrain", {}).get(board.terrain_at(at), {})
    if isinstance(entry, Mapping) and not any(v for k, v in entry.items() if k.startswith("move_")):
        out.error(place, f"nobody can stand in {board.terrain_at(at)}", "Move the piece")


def _limits(tables: Entry, out: Inspection) -> StackLimits | None:
    """The stacking limits if they can be read."""
    entry = out.table(tables, "stacking", "tables.toml", required=False)
    place, sound = "tables.toml [stacking]", bool(entry)
    for key in ("units", "hqs", "size"):
        if key in entry and not _natural(entry[key]):
            out.error(place, f"{key} is {entry[key]!r}", f"Write {key} as a whole number")
            sound = False
    for key in ("nations_alone", "nations_solitary"):
        names = entry.get(key, [])
        if not isinstance(names, list | tuple) or not all(isinstance(n, str) for n in names):
            out.error(place, f"{key} is {names!r}", f'Write {key} = ["nation", …]')
            sound = False
    return limits_from_tables(tables) if sound else None


def _boxes(
    board: HexMap, setup: Entry, file: str, known: Mapping[str, Entry], out: Inspection
) -> dict[str, list[str]]:
    homes: dict[str, list[str]] = {}
    for box, names in out.table(setup, "off_map", file, required=False).items():
        place = f"{file} [off_map] {box}"
        if box not in board.boxes:
            out.error(place, "there is no such box on the map", nearest(box, board.boxes))
        for name in words_of(str(names)):
            if name not in known:
                out.error(place, f"{name} is not a piece", nearest(name, known))
            homes.setdefault(name, []).append(box)
    return homes


def _arrivals(
    board: HexMap, doc: Docs, known: Mapping[str, Entry], out: Inspection
) -> dict[str, list[str]]:
    homes: dict[str, list[str]] = {}
    ways = ("rail", "chits", *board.boxes)
    for turn in out.rows(doc["turns"], "turn", "turns.toml"):
        place = f"turns.toml turn {turn.get('number')}"
        for arrival in out.rows(turn, "arrivals", place, required=False):
            if arrival.get("at") not in ways:
                out.error(
                    place,
                    f"pieces arrive at {arrival.get('at')!r}",
                    nearest(str(arrival.get("at")), ways),
                )
            names = out.words(arrival, "pieces", place)
            for name, number in Counter(names).items():
                if name not in known:
                    out.error(place, f"{name} is not a piece", nearest(name, known))
                elif known[name].get("side") != arrival.get("side"):
                    out.error(
                        place,
                        f"{name} arrives for {arrival.get('side')} but is not its piece",
                        "Correct the side or the piece",
                    )
                homes.setdefault(name, []).extend([place] * number)
    return homes
