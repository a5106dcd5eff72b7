"""For each title with secrets: states that differ only in what a seat may not know, and what of a command's picks everybody sees."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from attrs import evolve

from engine.kernel.types import Picks, Seat
from protocol.seal import Secret

SWAPPED = ("place", "path", "rolled", "failed", "disabled", "escaped", "repaired", "may_sail", "tried", "seal")
"""War at Sea: what a face-down ship does; who does it is the secret."""


def war_at_sea(state: Any, seat: Seat) -> Iterable[Any]:
    """18.2 Two face-down Allied ships from the same place have done each what the other did."""
    if seat != "axis":
        return
    down = [ship for ship in state.ships.values() if ship.down]
    tried = 0
    for one in down:
        for other in down:
            if one.id < other.id and one.origin == other.origin and one.place != other.place and tried < 4:
                tried += 1
                ships = dict(state.ships)
                ships[one.id] = evolve(one, **{name: getattr(other, name) for name in SWAPPED})
                ships[other.id] = evolve(other, **{name: getattr(one, name) for name in SWAPPED})
                yield evolve(state, ships=ships)


def victory_lost(state: Any, seat: Seat) -> Iterable[Any]:
    """3.0, 7.1.2 The other side has taken other chits: one that has not been drawn yet for one that it might have taken."""
    cup = state.cup
    if seat == "axis":
        taken = () if cup.five is None else cup.five.value
        hidden = [chit for chit in taken if chit not in (*cup.shown, *cup.removed)]
        every = (chit.id for chit in state.data.chits.values() if chit.side == "soviet" and chit.kind == "hq")
        others = [chit for chit in every if chit not in (*taken, *cup.removed)]
    else:
        taken = () if cup.chosen["axis"] is None else cup.chosen["axis"].value
        hidden = [chit for chit in taken if chit not in cup.drawn]
        others = [chit for chit in cup.stock["axis"] if chit not in taken]
    for one in hidden[:2]:
        for other in others[:2]:

            def swapped(chits: Any, one: str = one, other: str = other) -> Any:
                return chits and Secret(tuple(sorted(other if chit == one else chit for chit in chits.value)), chits.readers, chits.where)

            if seat == "axis":
                chosen = {**cup.chosen, "soviet": swapped(cup.chosen["soviet"])}
                yield evolve(state, cup=evolve(cup, five=swapped(cup.five), ahead=swapped(cup.ahead), chosen=chosen))
            else:
                yield evolve(state, cup=evolve(cup, chosen={**cup.chosen, "axis": swapped(cup.chosen["axis"])}))


def typhoon(state: Any, seat: Seat) -> Iterable[Any]:
    """6.1, R-15 The other side has chosen other chits; the Axis has Guderian in hand, in the cup, or has not chosen him at all."""
    cup = state.cup
    other = "soviet" if seat == "axis" else "axis"
    sealed = cup.chosen[other]
    if sealed is None:
        return
    every = [chit.id for chit in state.data.chits.values() if chit.side == other and not chit.optional]
    hidden = [chit for chit in sealed.value if chit not in cup.drawn]
    others = [chit for chit in every if chit not in sealed.value]
    kinds = [cup.kept]
    if other == "axis" and state.guderian not in cup.drawn:
        kinds = [Secret(kept, cup.kept.readers, cup.kept.where) for kept in (False, True)]
    for kept in kinds:
        yield evolve(state, cup=evolve(cup, kept=kept))
        for one in hidden[:2]:
            for new in others[:2]:
                swapped = tuple(sorted(new if chit == one else chit for chit in sealed.value))
                held = Secret(kept.value and state.guderian in swapped, kept.readers, kept.where) if other == "axis" else kept
                chosen = {**cup.chosen, other: Secret(swapped, sealed.readers, sealed.where)}
                yield evolve(state, cup=evolve(cup, chosen=chosen, kept=held))


ALTERNATIVES: Mapping[str, Callable[[Any, Seat], Iterable[Any]]] = {
    "war_at_sea": war_at_sea,
    "victory_lost": victory_lost,
    "typhoon": typhoon,
}


def open_part(title: str, state: Any, picks: Picks) -> Any:
    """What everybody sees of a command whose picks are sealed: nothing in the toys; in War at Sea how many ships go from
    where to where (18.2)."""
    if title == "war_at_sea":
        return tuple(("from", state.ships[pick].place) if pick in state.ships else pick for pick in picks)
    if title == "typhoon":
        return ""  # not even how many picks: Guderian's place is one more
    return len(picks)
