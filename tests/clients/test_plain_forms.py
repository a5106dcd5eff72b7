"""What a server tells of a tournament is plain values without a signature: a client shows what has
the form that it needs, and says of anything else that it is malformed."""

from __future__ import annotations

import copy
import random
from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from tests.clients.table import link
from tests.clients.test_hostile_server import Answering
from tests.serve.tournaments.test_tournaments import table
from warledger.clients.commands.tournament.desk import print_json, standings_lines
from warledger.clients.commands.tournament.lines import called, tell, tell_row, who_of
from warledger.clients.link import BadServer
from warledger.clients.link.plainforms import is_row, is_tournament
from warledger.clients.link.tournament import TournamentLink, tournaments
from warledger.clients.terminal.screen import Screen
from warledger.protocol.board.choices import Say
from warledger.protocol.wire import tournamentmessages as tm

STRANGE = (None, True, -1, 10**6, "", "x\x1b[31m", b"\xff", (), (1, "a"), {}, {"number": 1})


def shown(told: dict[str, Any]) -> None:
    """Everything that a terminal does with it."""
    screen = Screen(language="en", console=Console(file=StringIO(), width=200))
    tell(screen, told)
    tell_row(screen, told)
    standings_lines(screen, told["standings"], told["tiebreaks"])
    for array in told["words"]:
        screen.write(screen.spoken.say(Say.from_array(array)))
    who_of(told, "d:somebody")
    called(told, "e:1", screen.spoken)
    called(told, "d:somebody", screen.spoken)
    print_json(told)


def leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of all values, those that hold others as well."""
    items = (
        value.items() if type(value) is dict else enumerate(value) if type(value) is tuple else ()
    )
    return [path, *(found for key, item in items for found in leaves(item, (*path, key)))]


def put(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """A value with another at a path."""
    if not path:
        return new
    if type(value) is dict:
        return {**value, path[0]: put(value[path[0]], path[1:], new)}
    return (*value[: path[0]], put(value[path[0]], path[1:], new), *value[path[0] + 1 :])


async def test_whatever_a_server_tells_of_a_tournament_is_shown_or_malformed(
    capsys: Any,
) -> None:
    """What it really tells has the form; of 3,000 in which one value is another, whatever still has
    the form can be shown, in lines and as JSON, and many have not."""
    async with table() as at:
        await at.open()
        await at.enter(3)
        await at.direct("pair")
        await at.direct("publish")
        async with link(at.served) as there:
            told = await TournamentLink(there, "cup").told()
            (row,) = await tournaments(there)
    assert told["rounds"][0]["boards"] and is_tournament(told) and is_row(row)
    shown(told)
    rng, refused = random.Random(5), 0
    places = leaves(told)
    for _ in range(3000):
        other = put(copy.deepcopy(told), rng.choice(places), rng.choice(STRANGE))
        if is_tournament(other):
            shown(other)
        else:
            refused += 1
    assert 500 < refused < 2900
    assert not any(is_row(put(row, (key,), b"")) for key in row)
    capsys.readouterr()


async def test_what_is_malformed_is_said_to_be() -> None:
    """Of one tournament, and of the list."""
    row = {"id": "cup", "name": 7}
    there = Answering(
        {
            tm.Tournament: lambda it, ask: tm.TournamentIs(ask.request, "cup", 0, (), row),
            tm.Tournaments: lambda it, ask: tm.TournamentList(ask.request, (row,)),
        }
    )
    async with there.running(), there.link() as at:
        with pytest.raises(BadServer, match="malformed"):
            await TournamentLink(at, "cup").told()
        with pytest.raises(BadServer, match="malformed"):
            await tournaments(at)
