"""For each title with secrets: states that differ only in what a seat may not know, and what of a
command's picks everybody sees."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from warledger.engine.kernel.change import replace
from warledger.engine.kernel.types import Picks, Seat
from warledger.protocol.chance.seal import Secret

SWAPPED = (
    "place",
    "path",
    "rolled",
    "failed",
    "disabled",
    "escaped",
    "repaired",
    "may_sail",
    "tried",
    "seal",
)
"""War at Sea: what a face-down ship does; who does it is the secret."""


def war_at_sea(state: Any, seat: Seat) -> Iterable[Any]:
    """18.2 Two face-down Allied ships from the same place have done each what the other did."""
    if seat != "axis":
        return
    down = [ship for ship in state.ships.values() if ship.down]
    tried = 0
    for one in down:
        for other in down:
            if (
                one.id < other.id
                and one.origin == other.origin
                and one.place != other.place
                and tried < 4
            ):
                tried += 1
                ships = dict(state.ships)
                ships[one.id] = replace(one, **{name: getattr(other, name) for name in SWAPPED})
                ships[other.id] = replace(other, **{name: getattr(one, name) for name in SWAPPED})
                yield replace(state, ships=ships)


def victory_lost(state: Any, seat: Seat) -> Iterable[Any]:
    """3.0, 7.1.2 The other side has taken other chits: one that has not been drawn yet for one that
    it might have taken."""
    cup = state.cup
    if seat == "axis":
        taken = () if cup.five is None else cup.five.value
        hidden = [chit for chit in taken if chit not in (*cup.shown, *cup.removed)]
        every = (
            chit.id
            for chit in state.data.chits.values()
            if chit.side == "soviet" and chit.kind == "hq"
        )
        others = [chit for chit in every if chit not in (*taken, *cup.removed)]
    else:
        taken = () if cup.chosen["axis"] is None else cup.chosen["axis"].value
        hidden = [chit for chit in taken if chit not in cup.drawn]
        others = [chit for chit in cup.stock["axis"] if chit not in taken]
    for one in hidden[:2]:
        for other in others[:2]:

            def swapped(chits: Any, one: str = one, other: str = other) -> Any:
                return chits and Secret(
                    tuple(sorted(other if chit == one else chit for chit in chits.value)),
                    chits.readers,
                    chits.where,
                )

            if seat == "axis":
                chosen = {**cup.chosen, "soviet": swapped(cup.chosen["soviet"])}
                yield replace(
                    state,
                    cup=replace(
                        cup, five=swapped(cup.five), ahead=swapped(cup.ahead), chosen=chosen
                    ),
                )
            else:
                yield replace(
                    state,
                    cup=replace(cup, chosen={**cup.chosen, "axis": swapped(cup.chosen["axis"])}),
                )


def typhoon(state: Any, seat: Seat) -> Iterable[Any]:
    """6.1, R-15 The other side has chosen other chits; the Axis has Guderian in hand, in the cup,
    or has not chosen him at all."""
    cup = state.cup
    other = "soviet" if seat == "axis" else "axis"
    sealed = cup.chosen[other]
    if sealed is None:
        return
    every = [
        chit.id for chit in state.data.chits.values() if chit.side == other and not chit.optional
    ]
    hidden = [chit for chit in sealed.value if chit not in cup.drawn]
    others = [chit for chit in every if chit not in sealed.value]
    kinds = [cup.kept]
    if other == "axis" and state.guderian not in cup.drawn:
        kinds = [Secret(kept, cup.kept.readers, cup.kept.where) for kept in (False, True)]
    for kept in kinds:
        yield replace(state, cup=replace(cup, kept=kept))
        for one in hidden[:2]:
            for new in others[:2]:
                swapped = tuple(sorted(new if chit == one else chit for chit in sealed.value))
                held = (
                    Secret(kept.value and state.guderian in swapped, kept.readers, kept.where)
                    if other == "axis"
                    else kept
                )
                chosen = {**cup.chosen, other: Secret(swapped, sealed.readers, sealed.where)}
                yield replace(state, cup=replace(cup, chosen=chosen, kept=held))


def ocs(state: Any, seat: Seat) -> Iterable[Any]:
    """OCS 4.9, R-15, R-16 The other side has more supply in its dumps and less in its trucks,
    lacks a step, has marked stocks, has paid fuel; two of its covered units have changed places."""
    from warledger.engine.games.ocs.ch04_concepts import fog, stacking
    from warledger.engine.games.ocs.series.state import changed, exerts

    if not fog.strict(state):
        return
    other = state.enemy(seat)
    lying = {place: tokens + 3 for place, tokens in state.supply[other].items()}
    yield replace(state, supply={**state.supply, other: lying})
    standing = [name for name, unit in state.units.items() if unit.at >= 0]
    standing = [name for name in standing if state.side(name) == other]
    battle = state.battle
    free = [
        name
        for name in standing
        if battle is None or name not in (*battle.units, *battle.defenders)
    ]
    hurt: dict[str, Any] = {}
    for name in free:
        unit, counter = state.units[name], state.counter(name)
        if unit.load:
            hurt[name] = replace(unit, load=unit.load - 1)
        elif counter.multi_step and unit.lost + 1 < counter.steps:
            hurt[name] = replace(unit, lost=unit.lost + 1)
        elif counter.combat_unit:
            hurt[name] = replace(unit, stocks=2 - unit.stocks)
    for name in list(hurt)[:3]:
        yield changed(state, {name: hurt[name]})
    yield changed(state, hurt)
    hqs = frozenset(name for name in free if state.counter(name).hq)
    yield replace(state, fuelled_hqs=state.fuelled_hqs | hqs)
    covered = [
        name
        for name in free
        if state.counter(name).combat_unit and fog.top(state, state.units[name].at) != name
    ]
    tried = 0
    for one in covered:
        for two in covered:
            a, b = state.units[one], state.units[two]
            alike = exerts(state.charts, one, a) == exerts(state.charts, two, b)
            if one < two and a.at != b.at and alike and tried < 3:
                made = changed(state, {one: replace(a, at=b.at), two: replace(b, at=a.at)})
                if stacking.overstacked(made, other) == stacking.overstacked(state, other):
                    tried += 1
                    yield made


ALTERNATIVES: Mapping[str, Callable[[Any, Seat], Iterable[Any]]] = {
    "war_at_sea": war_at_sea,
    "victory_lost": victory_lost,
    "typhoon": typhoon,
    "hungarian_rhapsody": ocs,
    "luga": ocs,
}


SERIES = ("hungarian_rhapsody", "luga")
"""Titles of the Operational Combat Series."""

MODES = ("combat", "move", "reserve", "reserve_combat", "reserve_move", "strat")
"""The series: the words for modes in the line of a move."""

HEARD = {"gather": "markers", "leave": "markers", "release": "release", "stay": "stay"}
"""OCS 4.5b, 13.7, 5.7b What everybody hears is done to units that stay covered, and nothing else of
it."""


def open_part(title: str, state: Any, picks: Picks) -> Any:
    """What everybody sees of a command whose picks are sealed: nothing in the toys; in War at Sea
    how many ships go from where to where (18.2)."""
    if title == "war_at_sea":
        return tuple(
            ("from", state.ships[pick].place) if pick in state.ships else pick for pick in picks
        )
    if title in SERIES:
        from warledger.engine.games.ocs.ch04_concepts import fog

        # What everybody sees follows from the position (`outcome`), but for the mode that a shown
        # unit takes before it goes where it is covered, and the hexes of a retreat.
        if picks[0] == "retreat":
            return tuple(pick for pick in picks if pick not in state.units)
        if planes := [pick for pick in picks if pick in state.aircraft]:
            # 4.9a: what a mission is for, where it goes, and its top aircraft
            rest = tuple(pick for pick in picks if pick not in planes)
            return (*rest, fog.top_of(state, planes))
        if picks[0] in HEARD:
            return HEARD[picks[0]]
        return tuple(pick for pick in picks if pick in MODES and picks[0] == "move")
    if title == "typhoon":
        return ""  # not even how many picks: Guderian's place is one more
    if title == "fog":
        return picks if picks[0] == "look" else picks[0]  # not how many units march
    return len(picks)


def outcome(title: str, at: Any) -> Any:
    """What everybody sees of the position after a command: in the titles whose sealed picks have
    consequences in the open."""
    if title not in SERIES:
        return None
    from warledger.engine.games.ocs.ch09_combat import assessment
    from warledger.engine.games.ocs.display import views

    state = at.state
    seen = views.whole(state, "", views.no_tracks)
    battle, move, sortie = state.battle, state.move, state.sortie
    flight = sortie and (sortie.side, sortie.kind, sortie.place, sortie.shown, sortie.stage)
    fight = battle and (
        battle.target,
        sorted(battle.attackers),
        battle.pays,
        battle.ground,
        battle.terrain,
        battle.hard,
        battle.options,
        battle.hexes,
        battle.fled,
        len(battle.tolls),
        {side: battle.paid[side] != "none" for side in battle.paid},
        {side: assessment.ar(state, name, battle.target) for side, name in battle.leaders.items()},
    )
    return canonical(
        (
            {name: (one, *state.charts.sides) for name, one in seen.pieces.items()},
            seen.marks,
            seen.tracks,
            [(frame.name, frame.args if frame.name != "payment" else ()) for frame in at.flow],
            at.open and [seat for seat, *_ in at.open],
            fight,
            flight,
            move and move.way,
            state.fire and (state.fire.aim, state.fire.column, state.fire.owed),
            state.phase_use.attacked,
            state.phase_use.barraged,
        )
    )


def canonical(value: Any) -> str:
    """A value as text in which the order of a mapping does not matter."""
    if isinstance(value, Mapping):
        return str(sorted((canonical(key), canonical(one)) for key, one in value.items()))
    if isinstance(value, list | tuple):
        return str([canonical(one) for one in value])
    return repr(value)
