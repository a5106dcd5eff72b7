"""OCS 4.8b, 4.9: the table as each side sees it, and what an event changes of that.

A view is a map of pieces, one of markers, one of tracks. The public view holds what everybody sees.
A side's own view holds besides what lies on its side of the table. `shown` gives what a viewer sees
in one hex. Under open fog everything is public.

What only a side may see of a change stands under a veil. A veil must not tell anything by being
there: wherever an event may change what is hidden, whether it does or not, the side's veil stands
in the record, even with nothing under it. `veils.veiled_sides` says where.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import compress
from operator import is_, is_not, itemgetter
from typing import Any

import attrs
from attrs import frozen

from warledger.engine.board import hexsets
from warledger.engine.games.ocs.ch03_counters.counters import COMBAT, MOVE
from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.ch04_concepts.veils import veiled_sides
from warledger.engine.games.ocs.series import events as e
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.scenario import Place, place_name
from warledger.engine.games.ocs.series.state import (
    EXHAUSTED,
    LOW,
    NOT_ARRIVED,
    OFF_MAP,
    State,
    exerts,
)
from warledger.engine.kernel.memo import remembered
from warledger.protocol.board.effects import Effect, flip, mark, move, put, take, track, veil

ACTIVE, INACTIVE = "active", "inactive"

Piece = tuple[str, str, str]
"""Where a piece is, the face that it shows, whose it is."""

Marks = dict[tuple[str, str], Any]
"""(target, marker) -> value."""

MoreTracks = Callable[[State], Iterable[tuple[str, Any]]]
"""What else a game shows, as tracks that everybody sees."""


def no_tracks(state: State) -> Iterable[tuple[str, Any]]:
    """A game that shows no more."""
    return ()


# --- pieces ---------------------------------------------------------------------------------------


def piece(state: State, name: str) -> Piece | None:
    """A unit as its owner sees it; None for one that is not on the table."""
    unit = state.units[name]
    if unit.at != OFF_MAP:
        place = state.charts.board.name(unit.at)
    elif unit.where in ("", NOT_ARRIVED):
        return None
    else:
        place = unit.where
    return place, MOVE if unit.move_side else COMBAT, state.side(name)


def is_shown(state: State, name: str) -> bool:
    """OCS 4.9a Whether everybody sees a unit. One on its way that was shown where it began is seen
    until the hexes are told again (OCS R-16), unless it comes under another."""
    if not fog.strict(state):
        return True
    at = state.units[name].at
    if at == OFF_MAP:
        return False
    if state.tops.get(at) == name:
        return True
    return name in fog.named(state) and fog.top(state, at) == name


def plane(state: State, name: str) -> Piece | None:
    """An aircraft as its owner sees it: on a mission it is over its target."""
    here = state.aircraft[name]
    sortie = state.sortie
    if sortie is not None and name in sortie.flying:
        place = place_name(state.charts.board, sortie.place)
    elif here.base is not None:
        place = place_name(state.charts.board, here.base)
    elif here.where in ("", NOT_ARRIVED):
        return None
    else:
        place = here.where
    side = state.charts.printed.planes[name].side
    return place, ACTIVE if here.active else INACTIVE, side


def plane_is_shown(state: State, name: str) -> bool:
    """OCS 4.8b E, OCS R-18 The top active aircraft of a base or mission, and all that have been in
    air combat and active since."""
    return fog.aircraft_seen(state, name)


# --- markers --------------------------------------------------------------------------------------


def unit_marks(state: State, name: str) -> Iterator[tuple[str, Any]]:
    """What its owner sees on a unit."""
    unit = state.units[name]
    if unit.at == OFF_MAP:
        return
    for marker in fog.markers(state, name):
        yield marker, 1
    if unit.stocks == LOW:
        yield "low", 1
    elif unit.stocks == EXHAUSTED:
        yield "exhausted", 1
    if unit.lost:
        yield "lost", unit.lost
    if unit.load:
        yield "load", unit.load
    if unit.extender:
        yield "extender", 1
    if unit.fuelled or name in state.fuelled_hqs:
        yield "fuelled", 1
    if name in state.phase_use.sparing:
        yield "sparing", 1
    if unit.finished:
        yield "finished", 1
    if unit.tagged:
        yield unit.tagged, 1


def plane_marks(state: State, name: str) -> Iterator[tuple[str, Any]]:
    """What its owner sees on an aircraft."""
    here = state.aircraft[name]
    if here.base is None:
        return
    if here.lost:
        yield "lost", here.lost
    if here.flown:
        yield "flown", 1


def hex_marks(state: State, i: int) -> Iterator[tuple[str, Any]]:
    """OCS R-13, R-14 What everybody sees of a hex other than its pieces."""
    works, base = state.hedgehogs.get(i), state.bases.get(i)
    if works is not None:
        yield f"hedgehog.{works.side}", works.level
    if base is not None:
        yield f"base.{base.side}", base.level
    if i in state.trainbusting:
        yield "trainbusting", 1
    if fog.strict(state):
        for kind in fog.kinds(state, i):
            if kind != fog.BASE:
                yield kind, 1
        top = state.tops.get(i, "")
        if top and fog.zone_told(state, i) and not exerts(state.charts, top, state.units[top]):
            yield "zone", 1
    at_first = state.charts.scenario.control
    for side, held in state.control.items():
        if held >> i & 1 and not at_first[side] >> i & 1:
            yield f"control.{side}", 1


def shown(state: State, viewer: str, i: int) -> tuple[dict[str, Piece], dict[str, dict[str, Any]]]:
    """OCS 4.8b, 4.9a What a side sees in a hex: its pieces, and what is marked on them and on the
    hex itself (by its printed id). `viewer` "" is a spectator."""
    here = state.charts.board.name(i)
    view = whole(state, viewer)
    pieces = {name: one for name, one in view.pieces.items() if one[0] == here}
    marks: dict[str, dict[str, Any]] = {}
    for (target, marker), value in view.marks.items():
        if target == here or target in pieces:
            marks.setdefault(target, {})[marker] = value
    return pieces, marks


# --- whole views ----------------------------------------------------------------------------------


@frozen
class View:
    """The table as somebody sees it."""

    pieces: dict[str, Piece] = attrs.field(factory=dict)
    marks: Marks = attrs.field(factory=dict)
    tracks: dict[str, Any] = attrs.field(factory=dict)


@frozen
class Touched:
    """What of the table is looked at: all of it, or what an event may have changed."""

    units: tuple[str, ...]
    aircraft: tuple[str, ...]
    hexes: tuple[int, ...]
    places: tuple[Place, ...]
    """Where supply lies."""


def everything(state: State) -> Touched:
    """The whole table."""
    changed_control = 0
    for side, held in state.control.items():
        changed_control |= held & ~state.charts.scenario.control[side]
    there = {
        *state.field.stacks,
        *state.hedgehogs,
        *state.bases,
        *state.trainbusting,
        *state.tops,
        *hexsets.listed(changed_control),
        *(place for lying in state.supply.values() for place in lying if isinstance(place, int)),
    }
    return Touched(
        tuple(state.units),
        tuple(state.aircraft),
        tuple(sorted(there)),
        tuple(dict.fromkeys(place for lying in state.supply.values() for place in lying)),
    )


def touched(before: State, after: State) -> Touched:
    """What one event may have changed."""
    units: dict[str, None] = {}
    hexes: dict[int, None] = {}
    if before.units is not after.units:
        # Both name the same units in the same order: a change copies and keeps the keys.
        differ = map(is_not, after.units.values(), before.units.values())
        for name in compress(after.units, differ):
            units[name] = None
            for at in (before.units[name].at, after.units[name].at):
                if at != OFF_MAP:
                    hexes[at] = None
    for was_lying, lies in ((before.tops, after.tops), (before.hedgehogs, after.hedgehogs)):
        hexes.update(dict.fromkeys(_differing(was_lying, lies)))
    hexes.update(dict.fromkeys(_differing(before.bases, after.bases)))
    hexes.update(dict.fromkeys(_differing(before.trainbusting, after.trainbusting)))
    for side in after.charts.sides:
        flipped = before.control[side] ^ after.control[side]
        if flipped:
            hexes.update(dict.fromkeys(hexsets.listed(flipped)))
    places: dict[Place, None] = {}
    if before.supply is not after.supply:
        for side in after.charts.sides:
            places.update(dict.fromkeys(_differing(before.supply[side], after.supply[side])))
    hexes.update({place: None for place in places if isinstance(place, int)})
    if fog.strict(after):
        # Others of these hexes look as they did, but for those that come to be shown, or no longer.
        for i in hexes:
            was_seen, seen = _shown_in(before, i), _shown_in(after, i)
            if was_seen != seen:
                turned = {*was_seen} ^ {*seen}
                standing = (*before.stack(i), *after.stack(i))
                units.update(dict.fromkeys([name for name in standing if name in turned]))
    units.update(dict.fromkeys(sorted(before.fuelled_hqs ^ after.fuelled_hqs)))
    spared = before.phase_use.sparing ^ after.phase_use.sparing
    units.update(dict.fromkeys(sorted(name for name in spared if name in after.units)))
    if before.gathered is not after.gathered:
        stood = (name for one in before.gathered.values() for name in one.units)
        stand = (name for one in after.gathered.values() for name in one.units)
        units.update(dict.fromkeys((*stood, *stand)))
    return Touched(tuple(units), _flown(before, after), tuple(hexes), tuple(places))


def _shown_in(state: State, i: int) -> tuple[str, ...]:
    """OCS 4.9a Whom of a hex's units `is_shown` says to be seen, under strict fog. A name that was
    told and has gone may be among them."""
    told, top = state.tops.get(i, ""), fog.top(state, i)
    return (told,) if told == top or top not in fog.named(state) else (told, top)


def _flown(before: State, after: State) -> tuple[str, ...]:
    """Aircraft whose looks may have changed: those that did something, and all at their bases,
    where another may be the top one now."""
    old, new = before.aircraft, after.aircraft
    shown, shown_now = before.air_tops, after.air_tops
    if old is new and before.sortie is after.sortie and shown is shown_now:
        return ()
    tops = dict.fromkeys(
        name
        for place in _differing(shown, shown_now)
        for name in (shown.get(place), shown_now.get(place))
        if name
    )
    bases = dict.fromkeys(
        base
        for name, here in new.items()
        if here is not old[name]
        for base in (here.base, old[name].base)
        if base is not None
    )
    sorties = [one for one in (before.sortie, after.sortie) if one is not None]
    on_mission = dict.fromkeys(name for one in sorties for name in (*one.flying, *one.fought))
    bases.update({base: None for name in on_mission if (base := new[name].base) is not None})
    return tuple(
        name
        for name, here in new.items()
        if here is not old[name] or here.base in bases or name in on_mission or name in tops
    )


def _differing(before: Mapping[Any, Any], after: Mapping[Any, Any]) -> list[Any]:
    """The keys whose values differ, those of before first."""
    if before is after:
        return []
    found = [key for key, value in before.items() if after.get(key) != value]
    found += [key for key in after if key not in before]
    return found


@frozen
class Common:
    """What a view holds other than pieces, what is marked on them, and supply: the same for
    everybody but for a few markers."""

    marks: Marks
    own: Mapping[str, Marks]
    """Viewer ("" for a spectator) -> the markers of `_few` that they see."""
    tracks: dict[str, Any]


NOTHING_COMMON = Common({}, {}, {})


def common(state: State, hexes: Iterable[int], more: MoreTracks) -> Common:
    """What views of these hexes have in common."""
    return Common(_marked(state, hexes), few(state), dict(_tracks(state, more)))


def _marked(state: State, hexes: Iterable[int]) -> Marks:
    board = state.charts.board
    return {(board.name(i), marker): value for i in hexes for marker, value in hex_marks(state, i)}


def view(state: State, viewer: str, of: Touched, also: Common) -> View:
    """What a side sees of some of the table, with what it has in common with others; "" is a
    spectator, who sees what everybody sees."""
    open_ = not fog.strict(state)
    pieces: dict[str, Piece] = {}
    marks: Marks = {}
    counters = state.charts.units
    for name in of.units:
        own = open_ or viewer == counters[name].side
        if own or is_shown(state, name):
            seen = piece(state, name)
            if seen is not None:
                pieces[name] = seen
                on_it: Iterable[tuple[str, Any]] = (
                    unit_marks(state, name)
                    if own
                    else ((marker, 1) for marker in fog.markers(state, name))
                )
                marks.update({(name, marker): value for marker, value in on_it})
    for name in of.aircraft:
        own = viewer == state.charts.printed.planes[name].side or open_
        if own or plane_is_shown(state, name):
            seen = plane(state, name)
            if seen is not None:
                pieces[name] = seen
                if own:
                    marks.update(
                        {(name, marker): value for marker, value in plane_marks(state, name)}
                    )
    board = state.charts.board
    for side, lying in state.supply.items():
        if open_ or viewer == side:
            for place in of.places:
                if lying.get(place):
                    marks[place_name(board, place), f"supply.{side}"] = lying[place]
    marks.update(also.marks)
    marks.update(also.own.get(viewer, {}))
    return View(pieces, marks, dict(also.tracks))


def whole(state: State, viewer: str, more: MoreTracks = no_tracks) -> View:
    """All that a side sees; "" is a spectator."""
    of = everything(state)
    return view(state, viewer, of, common(state, of.hexes, more))


@remembered()
def few(state: State) -> Mapping[str, Marks]:
    """Markers of which there are never many: they are looked at every time. Viewer -> what they
    see, "" for a spectator."""
    board, charts = state.charts.board, state.charts
    open_ = not fog.strict(state)
    seen: Marks = {}
    hidden: list[tuple[str, tuple[str, str], Any]] = []
    if state.battle is not None:
        seen[board.name(state.battle.target), "attacked"] = 1
    if state.fire is not None:
        seen[board.name(state.fire.target), "barraged"] = 1
    for slot in state.bridges_down:
        i, direction = divmod(slot, 6)
        if direction < 3:
            # Both slots of a hexside are down; one of them tells it.
            seen[board.name(i), f"bridge_down.{direction}"] = 1
    for id, places in state.markers.items():
        owner = charts.printed.markers[id].side if id in charts.printed.markers else ""
        for place in places:
            # OCS R-14 What lies under combat units is seen by their owner alone.
            covered = isinstance(place, int) and bool(state.combat_units(place))
            key, number = (place_name(board, place), id), places.count(place)
            if not covered or open_ or owner not in charts.sides:
                seen[key] = number
            else:
                hidden.append((owner, key, number))
    seen.update(dict.fromkeys(rules(charts).more_marks(state), 1))
    seen.update({(id, "opened"): 1 for id in state.opened})
    seen.update({(id, "closed"): 1 for id in state.closed})
    formations = [(muf, "fuelled") for muf in state.fuelled_formations]
    formations += [(muf, "sparing") for muf in state.phase_use.sparing if muf not in state.units]
    if open_:
        seen.update(dict.fromkeys(formations, 1))
    else:
        hidden += [(state.formation_side(key[0]), key, 1) for key in formations]
    found = {viewer: dict(seen) for viewer in ("", *charts.sides)}
    for owner, key, number in hidden:
        found[owner][key] = number
    return found


def _tracks(state: State, more: MoreTracks) -> Iterator[tuple[str, Any]]:
    yield "turn", state.turn
    yield "ground", f"ground.{state.ground}"
    yield "flight", f"flight.{state.flight}"
    yield "first", state.first
    yield "phasing", state.phasing
    yield "segment", state.segment
    for id, left in state.marker_count.items():
        yield f"left.{id}", left
    yield from more(state)


# --- as effects -----------------------------------------------------------------------------------


def laid(state: State, more: MoreTracks = no_tracks) -> Iterator[Effect]:
    """The whole table, as effects from nothing."""
    seen = whole(state, "", more)
    yield from _drawn(seen)
    if fog.strict(state):
        for side in state.charts.sides:
            own = whole(state, side, more)
            yield veil((side,), *_difference(seen, own, {}))


def _drawn(seen: View) -> Iterator[Effect]:
    for name, (place, face, owner) in seen.pieces.items():
        yield put(name, place, face, owner)
    for (target, marker), value in sorted(seen.marks.items()):
        yield mark(target, marker, value)
    for name, value in seen.tracks.items():
        yield track(name, value)


def changes(
    before: State, event: Any, after: State, more: MoreTracks = no_tracks
) -> tuple[list[Effect], dict[str, list[Effect]]]:
    """What an event changes for everybody, and for each side that has a veil."""
    if not _seen_changes(before, after):
        return [], {side: [] for side in _must(before, event, after)}
    of = touched(before, after)
    ways = _ways(event)
    was, now_is = _differing_common(before, after, of, more)
    if now_is is NOTHING_COMMON and not (of.units or of.aircraft or of.places):
        return [], {side: [] for side in _must(before, event, after)}
    old, new = view(before, "", of, was), view(after, "", of, now_is)
    settling = False
    for name in old.pieces:
        # A unit that settles into its hex is told by the next event: it does not go for a moment.
        if name not in new.pieces and name in after.units and _stays(after, name):
            now = piece(after, name)
            assert now is not None
            settling = True
            new.pieces[name] = now
            new.marks.update({(name, marker): 1 for marker in fog.markers(after, name)})
    public = list(_difference(old, new, ways))
    hidden: dict[str, list[Effect]] = {}
    if fog.strict(after):
        must = _must(before, event, after)
        for side in after.charts.sides:
            told: list[Effect] = []
            if settling or _sees_more(before, after, side, of, was, now_is):
                mine = _after_public(view(before, side, of, was), public)
                told = list(_difference(mine, view(after, side, of, now_is), ways))
            if told or side in must:
                hidden[side] = told
    return public, hidden


def _sees_more(
    before: State, after: State, side: str, of: Touched, was: Common, now: Common
) -> bool:
    """Whether a side may see anything of what is touched that is not for everybody: something of
    its own, or a marker that only it sees."""
    counters, planes = after.charts.units, after.charts.printed.planes
    return (
        any(counters[name].side == side for name in of.units)
        or any(planes[name].side == side for name in of.aircraft)
        or any(place in state.supply[side] for state in (before, after) for place in of.places)
        or any(common.own.get(side) != common.own.get("") for common in (was, now))
    )


UNSEEN = frozenset(("bill", "move", "spent_sp", "come_sp", "taken_sp", "over", "refit"))
"""What of a position nobody sees: payments and moves in progress, accounts."""

SEEN = tuple([field.name for field in attrs.fields(State) if field.name not in UNSEEN])
"""The rest of it."""

_seen = itemgetter(*SEEN)


def _seen_changes(before: State, after: State) -> bool:
    """Whether anything has changed that somebody might see."""
    return not _alike(before, after, _seen)


def _must(before: State, event: Any, after: State) -> tuple[str, ...]:
    """The sides that have a veil, whatever lies under it; in the open there are none."""
    return veiled_sides(before, event, after) if fog.strict(after) else ()


def _differing_common(
    before: State, after: State, of: Touched, more: MoreTracks
) -> tuple[Common, Common]:
    """What the views before and after an event have in common, less what the event leaves."""
    was, now = _marked(before, of.hexes), _marked(after, of.hexes)
    if was == now:
        was = now = {}
    was_own: Mapping[str, Marks] = {}
    own: Mapping[str, Marks] = {}
    if not _few_stay(before, after):
        was_own, own = few(before), few(after)
        if was_own == own:
            was_own = own = {}
    was_tracks: dict[str, Any] = {}
    tracks: dict[str, Any] = {}
    if more is not no_tracks or not _alike(before, after, _tracked):
        was_tracks, tracks = dict(_tracks(before, more)), dict(_tracks(after, more))
        if was_tracks == tracks:
            was_tracks = tracks = {}
    if not (was or now or was_own or own or was_tracks or tracks):
        return NOTHING_COMMON, NOTHING_COMMON
    return Common(was, was_own, was_tracks), Common(now, own, tracks)


_of_few = itemgetter(
    "battle",
    "fire",
    "bridges_down",
    "markers",
    "opened",
    "closed",
    "fuelled_formations",
)


_tracked = itemgetter("turn", "ground", "flight", "first", "phasing", "segment", "marker_count")
"""What `_tracks` shows of a position, beside what a game adds."""


def _alike(before: State, after: State, parts: Callable[[Any], tuple[Any, ...]]) -> bool:
    """Whether nothing has been put in the place of any of these parts of a position."""
    return all(map(is_, parts(before.__dict__), parts(after.__dict__)))


def _few_stay(before: State, after: State) -> bool:
    """Whether everything that `few` looks at is as it was."""
    if not _alike(before, after, _of_few):
        return False
    if after.markers and before.field is not after.field and _uncovers(before, after):
        return False
    if before.phase_use.sparing != after.phase_use.sparing:
        return False
    more = rules(after.charts).more_marks
    return tuple(more(before)) == tuple(more(after))


def _uncovers(before: State, after: State) -> bool:
    """OCS R-14 Whether combat units cover other hexes with markers than before."""
    flipped = 0
    for side in after.charts.sides:
        flipped |= before.field.combat[side] ^ after.field.combat[side]
    return bool(flipped) and any(
        isinstance(place, int) and hexsets.has(flipped, place)
        for places in after.markers.values()
        for place in places
    )


def _stays(state: State, name: str) -> bool:
    at = state.units[name].at
    return at != OFF_MAP and fog.top(state, at) == name


def _after_public(seen: View, public: Iterable[Effect]) -> View:
    """A side's view as the public effects leave it."""
    for effect in public:
        tag = effect[0]
        if tag == "put":
            seen.pieces[effect[1]] = (effect[2], effect[3], effect[4])
        elif tag == "move":
            was = seen.pieces[effect[1]]
            seen.pieces[effect[1]] = (effect[2][-1], was[1], was[2])
        elif tag == "flip":
            was = seen.pieces[effect[1]]
            seen.pieces[effect[1]] = (was[0], effect[2], was[2])
        elif tag == "take":
            seen.pieces.pop(effect[1], None)
            for key in [key for key in seen.marks if key[0] == effect[1]]:
                del seen.marks[key]
        elif tag == "mark":
            if effect[3] == 0:
                seen.marks.pop((effect[1], effect[2]), None)
            else:
                seen.marks[effect[1], effect[2]] = effect[3]
        else:
            seen.tracks[effect[1]] = effect[2]
    return seen


def _difference(old: View, new: View, ways: Mapping[str, tuple[str, ...]]) -> Iterator[Effect]:
    """The effects that make one view of the other. `ways` are the ways that pieces went."""
    gone: dict[str, None] = {}
    for name in old.pieces:
        if name not in new.pieces:
            gone[name] = None
            yield take(name)
    for name, (place, face, owner) in new.pieces.items():
        was = old.pieces.get(name)
        if was is None:
            yield put(name, place, face, owner)
            continue
        way = ways.get(name, ways.get("", ()))
        if was[0] != place:
            if way and way[-1] == place:
                yield move(name, *way)
            else:
                yield put(name, place, face, owner)
                continue
        if was[1] != face:
            yield flip(name, face)
    for key in sorted(old.marks):
        if key not in new.marks and key[0] not in gone:
            yield mark(*key, 0)
    for key, value in sorted(new.marks.items()):
        if old.marks.get(key) != value or key[0] in gone:
            yield mark(*key, value)
    for name, value in new.tracks.items():
        if old.tracks.get(name) != value:
            yield track(name, value)
    for name in old.tracks:
        if name not in new.tracks:
            yield track(name, "")


def _ways(event: Any) -> dict[str, tuple[str, ...]]:
    """The way of every piece that an event moves, under "": they all go one way."""
    if isinstance(event, e.Moved):
        return {"": event.way}
    to = getattr(event, "hex", "")
    return {"": (to,)} if isinstance(to, str) and to else {}
