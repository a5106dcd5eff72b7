"""Random players of whole games, and what is checked while they play."""

import random
from typing import Any

from tests.rules.war_at_sea.charts import PACK
from warledger.engine.games.war_at_sea import RULES
from warledger.engine.games.war_at_sea.state import State
from warledger.engine.kernel import door
from warledger.engine.kernel.change import replace
from warledger.engine.testing.rig import Rig
from warledger.protocol.audience import entitled
from warledger.protocol.board.choices import Choices, Pick
from warledger.protocol.board.effects import Board, Effect, unpack
from warledger.protocol.canon import Seal
from warledger.protocol.chance.seal import Secret
from warledger.protocol.log import records

AUDIENCES = ("allied", "axis", "public")
EAGERNESS = 0.7
"""How often a random player goes on where he might say that he is done."""


def random_options(rng: random.Random) -> dict[str, Any]:
    """Each switch at its other value half the time."""
    return {switch.name: switch.choices[-1] for switch in RULES.switches if rng.random() < 0.5}


def random_picks(rig: Rig[State], seat: str, rng: random.Random) -> tuple[Pick, ...]:
    """A whole command, one offered pick after the other; fails at a dead end."""
    picks: tuple[Pick, ...] = ()
    while True:
        found = rig.choices(seat, *picks)
        assert isinstance(found, Choices), f"{picks}: {found}"
        ids: list[Pick] = (
            [rng.randint(*found.span)] if found.span else [option.id for option in found.options]
        )
        if not picks and "done" in ids and len(ids) > 1 and rng.random() < EAGERNESS:
            ids.remove("done")
        if found.complete and (not ids or rng.random() < 0.3):
            return picks
        assert ids, f"{rig.position.top.name}: {seat} is at a dead end after {picks}"
        picks = (*picks, rng.choice(ids))


def as_seen(effect: Any, audience: str) -> Any:
    """An effect with its secrets opened or sealed for an audience."""
    if type(effect) is Secret:
        return effect.value if audience in effect.readers else Seal(bytes(32))
    if type(effect) is tuple and any(
        type(item) is Secret or type(item) is tuple for item in effect
    ):
        return tuple(as_seen(item, audience) for item in effect)
    return effect


def filled(rig: Rig[State], record: records.Record, audience: str) -> tuple[Effect, ...]:
    """A record's effects with the audience's openings in them."""
    effects: Any = unpack(record.body[records.EFFECTS])
    for opening in entitled(rig.openings[record.seq], audience):
        if opening.path[0] == records.EFFECTS:
            effects = put_in(effects, opening.path[1:], opening.value)
    result: tuple[Effect, ...] = effects
    return result


def put_in(value: Any, path: tuple[int, ...], opened: Any) -> Any:
    """The value with another at a path."""
    if not path:
        return opened
    return (*value[: path[0]], put_in(value[path[0]], path[1:], opened), *value[path[0] + 1 :])


def assert_pictured(state: State, boards: dict[str, Board], seed: int) -> None:
    """Each audience's board shows what a picture of the state shows."""
    drawn = tuple(RULES.picture(state))
    for audience, board in boards.items():
        fresh = Board()
        for effect in drawn:
            fresh.apply(as_seen(effect, audience))
        for part in ("pieces", "marks", "tracks", "counts", "phase"):
            assert getattr(board, part) == getattr(fresh, part), (
                f"seed {seed}: {audience} sees other {part}"
            )


def swapped(state: State, rng: random.Random) -> State | None:
    """The same state with two face-down British warships in each other's places, or None if there
    are no two apart."""
    down = [ship for ship in state.ships.values() if ship.down and ship.nation == "uk"]
    rng.shuffle(down)
    for one in down:
        for two in down:
            if one.place != two.place:
                facts = ("place", "origin", "path", "rolled", "failed", "seal")
                first = replace(one, **{fact: getattr(two, fact) for fact in facts})
                second = replace(two, **{fact: getattr(one, fact) for fact in facts})
                return replace(state, ships={**state.ships, one.id: first, two.id: second})
    return None


def offers(
    rig: Rig[State], state: State, depth: int = 2, picks: tuple[Pick, ...] = ()
) -> list[Any]:
    """What the Axis is offered in a state, to a depth."""
    found = door.choices(RULES, replace(rig.position, state=state), "axis", picks)
    assert isinstance(found, Choices)
    out: list[Any] = [(picks, found)]
    if len(picks) < depth:
        for option in found.options:
            out.extend(offers(rig, state, depth, (*picks, option.id)))
    return out


def play(seed: int, *, hidden: bool) -> int:
    """One game with all checks; returns how many commands it took."""
    rng = random.Random(seed)
    options = {**random_options(rng), "v18_2_hidden_allied_movement": hidden}
    rig: Rig[State] = Rig(RULES, PACK, options=options, seed=seed)
    boards = {audience: Board() for audience in AUDIENCES}
    folded = 1
    commands = 0
    while True:
        for record in rig.records[folded:]:
            if record.kind == records.COMMAND:
                for audience, board in boards.items():
                    for effect in filled(rig, record, audience):
                        board.apply(effect)
        folded = len(rig.records)
        assert_pictured(rig.state, boards, seed)
        if rig.position.outcome is not None:
            return commands
        asked = list(rig.asked())
        if asked == ["axis"] and hidden:
            other = swapped(rig.state, rng)
            if other is not None:
                assert offers(rig, rig.state) == offers(rig, other), (
                    f"seed {seed}: {rig.position.top.name} tells a secret"
                )
        seat = rng.choice(asked)
        rig.do(seat, *random_picks(rig, seat, rng))
        commands += 1
