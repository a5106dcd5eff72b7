"""The chain of links behind the dice is as long as the game may need."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.serve.rig import HOST_TOKEN, server
from tests.toys import PACKS, counting
from warledger.clients.audit.audit import Rulebook, audit
from warledger.engine.kernel.basis import Fault
from warledger.engine.kernel.ledger import LINKS, links_for
from warledger.engine.kernel.rulings import BadOption
from warledger.engine.runtime.titles import Title
from warledger.engine.testing.randomgames import begin
from warledger.protocol import canon, dice
from warledger.protocol import messages as m
from warledger.protocol.limits import EPOCHS_MAX, LINKS_MAX
from warledger.protocol.secrets import BadSecrets, Keys


class Endless(counting.Counting):
    """Counts on for longer than any chain."""

    def turns_most(self, options: Mapping[str, Any]) -> int:
        return LINKS_MAX


@pytest.mark.parametrize("length", [1, 15, 16, 17, EPOCHS_MAX, 1000])
def test_every_link_leads_to_the_one_before(length: int) -> None:
    """A chain of any length goes from its commitment to its root link by link, and no further; its
    secrets are read back as they were."""
    keys = Keys(b"r" * 32, b"h" * 32, b"s" * 32, length=length)
    for epoch in range(length):
        assert dice.next_link(keys.link(epoch + 1)) == keys.link(epoch)
    assert keys.link(length) == keys.root
    for epoch in (-1, length + 1):
        with pytest.raises(dice.BadDraw, match="there is none"):
            keys.link(epoch)
    assert Keys.from_payload(keys.as_payload()) == keys


def test_secrets_name_a_length_only_where_it_is_another() -> None:
    """Secrets of the usual length are those of earlier releases to the byte; a length that no chain
    has is refused."""
    three = (b"r" * 32, b"h" * 32, b"s" * 32)
    assert Keys(*three).as_payload() == canon.pack(three)
    for length in (0, -1, LINKS_MAX + 1, "9", True):
        with pytest.raises(BadSecrets):
            Keys.from_payload(canon.pack((*three, length)))


def test_a_game_of_more_turns_than_256_is_played_and_audited() -> None:
    """A title that says how many turns a game may have gets as many links, and some to spare: its
    dice are checked as ever, beyond the length that chains once had."""
    played = begin(counting.RULES, PACKS["counting"], options={"turns": 4000})
    assert played.ledger.keys.length == 4 * 4001
    while played.position.epoch <= EPOCHS_MAX + 2:
        seat = played.position.open[0][0]
        played.submit(seat, *(("roll",) if played.position.epoch > EPOCHS_MAX else ("pass",)))
    played.commit(played.resign("a"))
    report, _ = audit(played.file(), rulebook=Rulebook(lambda title: counting.RULES))
    assert report.sound and report.level == 2, report.findings[:3]


async def test_a_game_without_enough_links_is_refused_at_its_creation() -> None:
    """What may have more turns than any chain has links is told so before the game begins; a title
    that says nothing has a thousand."""
    assert links_for(counting.RULES, {"turns": 3}) == LINKS
    with pytest.raises(BadOption, match="65537 turns"):
        links_for(Endless(), {})
    titles = {"counting": Title(Endless(), PACKS["counting"], bytes(32))}
    async with server(titles=titles) as s:
        host = await s.client(HOST_TOKEN)
        refused = await host.ask(m.CreateGame, "counting", {}, 0)
        assert refused.code == "bad_option" and "65537 turns" in str(refused), refused
    async with server() as s:
        host = await s.client(HOST_TOKEN)
        created = await host.ask(m.CreateGame, "counting", {"turns": 10_000}, 0)
        assert type(created) is m.Created
        game = await s.hub.supervisor.game(created.game)
        assert game.profile.keys.length == 4 * 10_001  # type: ignore[union-attr]


def test_takebacks_use_up_links_and_the_last_is_never_passed() -> None:
    """Dice never go back, so turns that are taken back use up links; when none is left the turn
    cannot be closed, and nothing is drawn from a link that the chain does not have."""
    played = begin(counting.RULES, PACKS["counting"], options={"turns": 10}, links=4)
    with pytest.raises(Fault, match="more turns than its dice have links"):
        for _ in range(20):
            played.submit(played.position.open[0][0], "pass")
    assert played.position.epoch == 4
