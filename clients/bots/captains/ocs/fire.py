"""What to barrage, and with what."""

from collections.abc import Mapping

from attrs import frozen

from warledger.clients.bots.captains.ocs.attacks import Assault, Force
from warledger.clients.bots.captains.ocs.chances import Chances
from warledger.clients.bots.captains.ocs.front import DG, Front

GUNS_MAX = 4
"""How many guns are tried together at most."""

WORTH_MIN = 0.35
"""The least expected value of a barrage, less its cost."""

DEAR = 0.22
"""What a T is worth that a barrage costs."""


@frozen
class Barrage:
    """A barrage: at what, by whom, what it may bring."""

    target: int
    guns: tuple[str, ...]
    gain: float


def best_barrage(
    front: Front,
    chances: Chances,
    assault: Assault,
    guns: Mapping[int, tuple[str, ...]],
    forces: Mapping[int, Force],
    shift: Mapping[int, int],
    *,
    air: Mapping[str, float] | None = None,
) -> Barrage | None:
    """The most valuable barrage. `guns`: enemy hex -> who can fire at it; `forces`: the attacks
    that are to follow; `air`: aircraft with their strength, which cost nothing."""
    best: Barrage | None = None
    dear = DEAR * assault.thrift
    for target, able in guns.items():
        shaken = all(
            front.has(id, DG) for id in front.fighters(target) if front.counter(id).attacks
        )
        force = forces.get(target)
        rise = 0.0
        if force is not None and not shaken:
            hit = Assault(
                front,
                chances,
                assault.aims,
                shelled={target: 1.0},
                caution=assault.caution,
            ).weigh(force.places, target, tokens=force.tokens)
            calm = Assault(front, chances, assault.aims, caution=assault.caution).weigh(
                force.places, target, tokens=force.tokens
            )
            rise = max(hit.gain - calm.gain, 0.0)
        elif not shaken:
            rise = 0.5
        steps = sum(front.worth(id) * front.steps(id) for id in front.fighters(target))
        number = sum(front.steps(id) for id in front.fighters(target)) or 1
        each = 0.8 + steps / number
        ranked = sorted(able, key=lambda id: (-strength_of(front, id, air), id))
        groups: list[tuple[str, ...]] = [(id,) for id in ranked]
        groups += [tuple(ranked[:n]) for n in range(2, min(GUNS_MAX, len(ranked)) + 1)]
        groups += [tuple(ranked[1 : 1 + n]) for n in range(2, min(GUNS_MAX, len(ranked) - 1) + 1)]
        for group in groups:
            strength = sum(strength_of(front, id, air) for id in group)
            shells = chances.shells(strength, shift.get(target, 0), air=air is not None)
            cost = 0.15 * len(group) if air is not None else dear * chances.barrage_cost(strength)
            gain = shells.shaken * rise + shells.killed * each - cost
            if best is None or gain > best.gain:
                best = Barrage(target, group, gain)
    return best if best is not None and best.gain >= WORTH_MIN else None


def shift(front: Front, chances: Chances, target: int) -> int:
    """The shifts of a spotted barrage of a hex."""
    re = sum(min(front.re(id), 12) for id in front.fighters(target))
    shifts = front.ground.barrages["shifts"]
    found = chances.density(re) + int(shifts.get(front.ground.row(target), 0))
    return found + (int(shifts["hedgehog"]) if front.hedgehog(target) else 0)


def strength_of(front: Front, id: str, air: Mapping[str, float] | None) -> float:
    """The barrage strength of a gun as it stands, or of an aircraft."""
    if air is not None:
        return air.get(id, 0.0)
    value = float(front.counter(id).faces[front.face(id)].strength)
    return value * 0.5 if front.has(id, DG) else value
