"""Casters of a tournament: by the records of the tournament, for the seats of its games."""

from functools import partial
from pathlib import Path

import trio
import trio.testing

from tests.serve.people.test_accounts import desk, person, quick, sign_in
from tests.serve.tournaments.test_tournaments import CHARTER, TITLES, Table
from warledger.engine.testing.memory import MemoryStore
from warledger.protocol.wire import messages as m

MockClock = trio.testing.MockClock
__all__ = ["quick"]  # a fixture


async def test_a_caster_of_a_tournament_sees_its_seats_as_late_as_spectators(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    """An account that a tournament's records make its caster sees what any seat of its games sees,
    behind the delay, in the boards of every round, and may draw; another account does not, and
    neither does the caster once the role has ended, on an open connection too."""
    late = CHARTER + "[spectators]\ndelay_s = 60\n"
    async with desk(tmp_path, titles=TITLES, tournaments=MemoryStore()) as (s, _):
        at = Table(s)
        at.pause = partial(trio.sleep, 0.1)  # of the clock that jumps
        await at.open(late)
        for name in ("Ann", "Bob"):
            await at.direct("enter", name, "-", 0)
        await at.direct("pair")
        await at.direct("publish")
        game = (await at.opened(1))[0]["game"]
        caster = await person(s)
        denied = await caster.ask(m.Subscribe, game, -1, "axis")
        assert (type(denied), denied.code) == (m.Error, "not_allowed")
        await at.direct("grant", "caster", "Anna")
        again = await person(s)
        token = (await sign_in(await s.client())).token
        roles = (await again.ask(m.Login, token, "")).roles
        assert ("caster", "cup", "") in roles
        for seat in ("axis", "allied"):
            last = (await caster.ask(m.Subscribe, game, -1, seat)).last_seq
            assert last < s.hub.supervisor.games[game].profile.progress.seq or last == 0
            ahead = await caster.ask(m.View, game, seat, last + 1)
            assert (type(ahead), ahead.code) == (m.Error, "no_such_record")
        assert type(await caster.ask(m.View, game, "axis", m.NOW)) is m.ViewIs
        for audience in ("arbiter", "nobody"):
            denied = await caster.ask(m.Subscribe, game, -1, audience)
            assert (type(denied), denied.code) == (m.Error, "not_allowed"), audience
        choices = await caster.ask(m.Choices, game, "axis", ())
        assert (type(choices), choices.code) == (m.Error, "not_allowed")
        await at.direct("end_grant", "caster", "Anna")
        told = [await caster.hear() for _ in range(2)]
        assert {(type(one), one.code) for one in told} == {(m.Error, "not_allowed")}
        denied = await caster.ask(m.View, game, "axis", m.NOW)
        assert (type(denied), denied.code) == (m.Error, "not_allowed")
