"""Positions with hidden Allied movement (18.2), and what each side sees of them."""

from typing import Any

from tests.rules.war_at_sea.charts import chart
from warledger.engine.games.war_at_sea.state import State
from warledger.engine.testing.rig import Rig
from warledger.protocol.audience import entitled
from warledger.protocol.board.choices import Choices
from warledger.protocol.board.effects import unpack
from warledger.protocol.canon import Seal
from warledger.protocol.log import records

HIDDEN = {"v18_2_hidden_allied_movement": True}


def masked(value: Any) -> Any:
    """A record's body with every seal blanked and hashes left out."""
    if type(value) is Seal:
        return "sealed"
    if type(value) is tuple:
        return tuple(masked(item) for item in value)
    return "bytes" if type(value) is bytes else value


def seen(rig: Rig[State]) -> list[Any]:
    """All that the Axis can see of the game's records so far: bodies, effects, and its own
    openings."""
    out: list[Any] = []
    for record in rig.records[1:]:
        body = list(record.body)
        if record.kind == records.COMMAND:
            body[records.EFFECTS] = unpack(record.body[records.EFFECTS])
        mine = [
            (item.seq, item.path, item.value) for item in entitled(rig.openings[record.seq], "axis")
        ]
        out.append((record.seq, record.actor, record.kind, masked(tuple(body)), mine))
    return out


def every_choice(
    rig: Rig[State], seat: str, depth: int = 3, picks: tuple[Any, ...] = ()
) -> list[Any]:
    """The choices of a seat, to a depth."""
    found = rig.choices(seat, *picks)
    assert isinstance(found, Choices)
    ids = [option.id for option in found.options]
    out: list[Any] = [(picks, ids, found.span, found.complete, found.sealed)]
    if len(picks) < depth:
        for pick in ids:
            out.extend(every_choice(rig, seat, depth, (*picks, pick)))
    return out


FLEET = {
    "hood": "england",
    "nelson": "england",
    "renown": "england",
    "repulse": "england",
    "ark_royal": "england",
    "eagle": "malta",
}


def hidden(**more: Any) -> Rig[State]:
    """Six British ships and a few Germans, hidden movement, at the beginning of Allied movement."""
    places = {**FLEET, "scharnhorst": "germany", "lutzow": "germany"}
    return chart(
        "turn_down",
        places,
        turn=2,
        boats={"germany": 2},
        options=HIDDEN,
        seed=5,
        damage={"hood": 1, "nelson": 1},
        **more,
    )
