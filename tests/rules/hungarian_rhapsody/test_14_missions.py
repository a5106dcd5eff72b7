"""OCS 14: missions at the title's own table, from Südwind's first position."""

import pytest

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, pack
from tests.rules.hungarian_rhapsody.table import asked, refolded
from warledger.engine.games.hungarian_rhapsody.rules import RULES
from warledger.engine.testing.randomgames import begin

STUKA, FOCKE, LAVOCHKIN = "ax.air.ju87d.1", "ax.air.fw190f.1", "su.air.la5.1"


@pytest.mark.parametrize("fog", ["strict", "open"])
def test_14_2f_a_mission_goes_on_after_a_restart(fog: str) -> None:
    """OCS 14.2f, 14.5 A server that is ended in the middle of a mission, with the interception
    asked, the combat undecided or the aircraft on the way home, has the whole mission in its
    log."""
    played = begin(RULES, pack(), seed=11, options={"fog": fog})
    while asked(played) != {AXIS: "prompt.ocs.moving"}:
        ((seat, _),) = asked(played).items()
        played.submit(seat, "done")
    played.submit(AXIS, "hip_shoot", "A26.11", STUKA)

    assert asked(played) == {SOVIET: "prompt.ocs.interception"}
    refolded(played)
    played.submit(SOVIET, "intercept", LAVOCHKIN)
    refolded(played)
    for _ in range(8):
        if played.position.state.sortie is None:
            break
        ((seat, prompt),) = asked(played).items()
        word = {"prompt.ocs.air_abort": "stay", "prompt.ocs.air_return": "home"}.get(prompt)
        played.submit(seat, *((word,) if word else ("lose", "su.gd.81")))
        refolded(played)
    state = played.position.state
    assert state.sortie is None
    assert not state.aircraft[STUKA].active and state.aircraft[STUKA].flown
    assert state.aircraft[FOCKE].active
