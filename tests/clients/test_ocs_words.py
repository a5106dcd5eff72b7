"""Everything that a game of the series tells, asks and offers has its words."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, pack
from tests.rules.hungarian_rhapsody.watching import playing
from warledger.clients.terminal.story import tell
from warledger.engine.games.hungarian_rhapsody import displacement
from warledger.engine.games.hungarian_rhapsody.describe import description
from warledger.engine.games.hungarian_rhapsody.rules import PICTURE, RULES
from warledger.engine.games.ocs import corrections, fog
from warledger.engine.kernel import door, flow
from warledger.protocol.audience import PUBLIC, entitled
from warledger.protocol.bodies import effects_of
from warledger.protocol.choices import Choices
from warledger.protocol.description import names
from warledger.protocol.lang import phrases
from warledger.protocol.phrases import LANGUAGES

TOLD_OTHERWISE = (
    # The ruling's own sentence names each correction.
    *corrections.EVENTS,
    # The marker that moves is told as such, and what is asked about it by the prompt.
    displacement.FrontDisplaced,
    displacement.DisplacementOver,
)


def test_every_event_is_told() -> None:
    """Whatever event the title has, there is a function that tells of it, or another sentence that
    stands beside it."""
    silent = {event for event in RULES.events if event not in PICTURE.stories}
    assert silent == set(TOLD_OTHERWISE)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sentence_of_a_game_can_be_told(language: str) -> None:
    """Whatever a game tells its sides, and whatever it asks and offers, has its words in every
    language: no key, no argument and no name of a unit is missing."""
    played = playing(5, fog.STRICT)
    pack_ = pack()
    spoken = phrases(language, RULES.title, names(description(pack_, {"scenario": "sudwind"})))
    untold = set()
    for record, openings in zip(played.records, played.openings, strict=True):
        for audience in (PUBLIC, AXIS, SOVIET):
            for line in tell(record, effects_of(record, entitled(openings, audience)), spoken):
                if any(sign in line.text for sign in ("[ocs", "[phase", "[hr", "⟨", ".why.")):
                    untold.add(line.text)
    for at in played.positions.values():
        for seat, _ in at.open:
            untold.update(text for text in offered(at, seat, spoken) if "[" in text or "⟨" in text)

    assert untold == set()


def offered(at: Any, seat: str, spoken: Any) -> Iterator[str]:
    """What a seat is asked and may pick first, in words."""
    found = door.choices(RULES, at, seat, ())
    assert isinstance(found, Choices)
    yield spoken.say(flow.deciders(RULES, at)[seat].prompt)
    yield spoken.text(f"slot.{found.slot}")
    for option in found.options:
        yield spoken.option(option)
