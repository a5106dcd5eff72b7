"""The whole title on the bench, at any step of any position."""

import random
from functools import cache
from typing import Any

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, pack, start
from tests.rules.hungarian_rhapsody.recount import recounted
from warledger.engine.games.hungarian_rhapsody.describe import description
from warledger.engine.games.hungarian_rhapsody.rules import RULES
from warledger.engine.games.ocs.ch04_concepts.fog import laid
from warledger.engine.games.ocs.ch12_supply import points
from warledger.engine.games.ocs.series.charts import with_options
from warledger.engine.games.ocs.series.state import State, with_supply
from warledger.engine.kernel import door, replay
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.position import ENDED, Frame
from warledger.engine.testing.randomgames import Played, begin, random_picks
from warledger.engine.testing.rig import Rig
from warledger.protocol.board import description as forms
from warledger.protocol.board.choices import Choices


@cache
def _options(fog: str, *on: str) -> dict[str, Any]:
    """The defaults with these options in force."""
    options: dict[str, Any] = {switch.name: switch.default for switch in RULES.switches}
    return options | {"fog": fog} | dict.fromkeys(on, True)


def at_table(
    state: State,
    *flow: str,
    segment: str = "c2",
    phasing: str = AXIS,
    fog: str = "open",
    seed: int | None = None,
    on: tuple[str, ...] = (),
    **more: Any,
) -> Rig[State]:
    """A game at rest where play has come to these steps in this position, with the options `on` in
    force, and `more` as they say. With a `seed` dice that are not queued are drawn from it."""
    charts = with_options(state.charts, _options(fog, *on) | more)
    made = replace(
        state,
        charts=charts,
        field=replace(state.field, charts=charts),
        segment=segment,
        phasing=phasing,
    )
    rig = Rig(RULES, pack(), options={"fog": fog} | dict.fromkeys(on, True) | more, seed=seed)
    rig.state = laid(points.opened(replace(made, tops={})))
    rig.jump("game", "turns", *flow)
    return rig


def fed(state: State, tokens: int = 40, where: str = "A26.10", side: str = AXIS) -> State:
    """The position with supply on the ground."""
    return with_supply(state, side, state.charts.board.hex(where), tokens)


def at(rig: Rig[State], unit: str) -> str:
    """Where a unit stands, "" off the map."""
    i = rig.state.units[unit].at
    return rig.state.charts.board.name(i) if i >= 0 else ""


def through(rig: Rig[State]) -> None:
    """Pay, lead and lose as it comes, until the combat is over."""
    while rig.state.battle is not None:
        side = next(iter(rig.asked()))
        picks: tuple[str | int, ...] = (rig.options(side)[0],)
        while offered := rig.options(side, *picks):
            picks = (*picks, offered[0])
            if picks[0] in ("retreat", "defend") and len(picks) > 3:
                break
        rig.do(side, *picks)


IDLE = 0.05
"""How often a random player is done while there is something else to do."""


def eager(rng: random.Random, choices: Choices) -> str | int | None:
    """One of what is offered; mostly not `done`, so that units move and fight."""
    options: list[str | int | None] = [option.id for option in choices.options]
    if choices.span is not None:
        options.append(rng.randint(*choices.span))
    if choices.complete:
        options.append(None)
    if "done" in options and len(options) > 1 and rng.random() > IDLE:
        options.remove("done")
    return rng.choice(options)


def whole_game(seed: int, fog: str, scenario: str = "sudwind", *, commands: int = 6000) -> Played:
    """Play a game to its end, with the checks after every command, and its books held against it
    at the end."""
    played = begin(RULES, pack(), seed=seed, options={"fog": fog, "scenario": scenario})
    rng = random.Random(seed)
    for _ in range(commands):
        at = played.position
        if at.stage == ENDED:
            break
        seat = rng.choice([seat for seat, *_ in at.open])
        played.submit(seat, *random_picks(rng, RULES, at, seat, eager))
        RULES.invariants(played.position.state)
    told = f"{scenario}, seed {seed}, fog {fog}"
    assert played.position.stage == ENDED, f"{told}: the game does not end"
    recounted(played.records, dict(enumerate(played.openings)))
    return played


def marching_in() -> Rig[State]:
    """The Soviet Movement Segment of the first turn of Debrecen."""
    return at_table(start("debrecen"), "segment_c2", phasing=SOVIET, seed=1)


def at_segment(letter: str, state: State, *dice: int, fog: str) -> Rig[State]:
    """The title at the beginning of a segment, as the sequence of play comes to it."""
    rig: Rig[State] = Rig(RULES, pack(), options={"scenario": "sudwind", "fog": fog}, seed=1)
    options = {**rig.state.charts.options, "fog": fog}
    rig.state = laid(replace(state, charts=with_options(rig.state.charts, options)))
    rig.dice(*dice)
    turn = (Frame("game", (), 1), Frame("turns", (41,)), Frame("game_turn", (41,), 7))
    rig.jump(*turn, Frame(f"segment_{letter}", (41,)))
    return rig


def asked(played: Played) -> dict[str, str]:
    """Who is asked, and what."""
    found = door.deciders(RULES, played.position)
    return {seat: decision.prompt.key for seat, decision in found.items()}


def refolded(played: Played) -> None:
    """What a server that was ended here reads from its log is the position that it had."""
    openings = {
        record.seq: found for record, found in zip(played.records, played.openings, strict=True)
    }
    assert replay.fold(RULES, played.records, openings).position == played.position


def described(scenario: str) -> forms.Description:
    """The description of a scenario as a client reads it."""
    return forms.read(forms.write(description(pack(), {"scenario": scenario})))


__all__ = [
    "AXIS",
    "SOVIET",
    "asked",
    "at",
    "at_segment",
    "at_table",
    "described",
    "eager",
    "fed",
    "marching_in",
    "refolded",
    "through",
    "whole_game",
]
