"""The Romanian mountain groups, rough ground, and what may take their place."""

from tests.rules.hungarian_rhapsody.arriving import SOVIET, phase
from tests.rules.hungarian_rhapsody.borders import BOARD
from tests.rules.ocs.skies import opened
from warledger.engine.board import hexsets
from warledger.engine.games.ocs.series.state import State
from warledger.engine.testing.rig import Rig

GROUPS = tuple(f"su.ro.grp{n}" for n in (1, 2, 3, 4))
ROUGH = dict(zip(GROUPS, ("B36.14", "B37.14", "B38.26", "B39.27"), strict=True))
DIVISION, HQ, ROMANIAN_HQ = "su.ro.2mtn", "su.hq.53a", "su.hq.r4"
NOTHING = (3, 4, 1, 1)
"""Dice for supply and for a Soviet table that brings nothing."""


def edge() -> tuple[str, str, str]:
    """A hex of rough ground, and of the hexes next to it an open one and another that is rough."""

    def near(i: int, terrain: str) -> str:
        return next(
            (
                BOARD.name(n)
                for n in BOARD.map.grid.adjacent[i]
                if BOARD.map.terrains[BOARD.map.terrain[n]] == terrain and n not in BOARD.map.places
            ),
            "",
        )

    return next(
        (BOARD.name(i), near(i, "open"), near(i, "rough"))
        for i in hexsets.listed(BOARD.by_terrain["rough"])
        if i not in BOARD.map.places and near(i, "open") and near(i, "rough")
    )


def exchanging(state: State, fog: str = "open") -> Rig[State]:
    """A Soviet Reinforcement Phase."""
    return phase(opened(state), *NOTHING, side=SOVIET, turn=7, fog=fog)
