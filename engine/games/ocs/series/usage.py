"""What a phase and a game turn have used up, of what the rules allow once or so often."""

from collections.abc import Mapping

import attrs
from attrs import frozen

from warledger.engine.board.hexsets import Hexes
from warledger.engine.games.ocs.series.scenario import Place


@frozen(slots=False)
class PhaseUse:
    """What this phase has used up.

    `barraged`    10.0e hexes barraged, whatever was aimed at; missions that never got there count
    `attacked`    9.1c hexes attacked in this segment
    `blown`       12.11a dumps blown
    `worked`      13.8d kinds of work done, each with its hex
    `unloaded`    12.2a place -> T unloaded there in this phase, which may not be loaded again
    `moved_supply`  12.2a (unit or kind of transport, place) pairs of SP moved
    `hq_thrown`   12.5e HQ -> the hex from which it throws fuel in this phase
    `fed`         12.6c units that eat off the map in this Supply Phase
    `traced_by`   12.6f formation -> the HQ or source (a hex by its printed id) that its owner
                  names for its trace
    `refitted`    15.1 bases that have refitted aircraft
    `sparing`     12.5c formations that have the game's sparing fuel in this phase, and those of
                  their units that have begun to move on it
    `flown_in`    14.9f base -> T that it has unloaded from aircraft
    `stood`       14.10d side -> hexes with a unit of it as the phase began
    `turned`      13.8b, 13.8c HQ -> the hex where it was engineer-capable until it changed its mode
                  in this phase
    `held`        4.5b unit that spends no movement any more, since something relies on its staying
                  -> what does
    `leaving`     4.5b units that are about to go: only while something is weighed
    `marks`       the game's own words for what holds in this phase
    """

    barraged: Hexes = 0
    attacked: Hexes = 0
    blown: Hexes = 0
    worked: frozenset[str] = frozenset()
    unloaded: Mapping[Place, int] = attrs.field(factory=dict)
    moved_supply: Mapping[Place, int] = attrs.field(factory=dict)
    hq_thrown: Mapping[str, int] = attrs.field(factory=dict)
    fed: frozenset[str] = frozenset()
    traced_by: Mapping[str, str] = attrs.field(factory=dict)
    refitted: Hexes = 0
    sparing: frozenset[str] = frozenset()
    flown_in: Mapping[int, int] = attrs.field(factory=dict)
    stood: Mapping[str, Hexes] = attrs.field(factory=dict)
    turned: Mapping[str, int] = attrs.field(factory=dict)
    held: Mapping[str, str] = attrs.field(factory=dict)
    leaving: frozenset[str] = frozenset()
    marks: frozenset[str] = frozenset()


@frozen(slots=False)
class TurnUse:
    """What this game turn has used up: capacities by name ("rail", "truck", "danube") in sixteenths
    of a point, and the game's own counts."""

    capacity: Mapping[str, int] = attrs.field(factory=dict)
    counts: Mapping[str, int] = attrs.field(factory=dict)
