"""Everything that a game of the series tells, asks and offers has its words."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, pack
from tests.rules.hungarian_rhapsody.watching import playing
from warledger.clients.terminal.story import tell
from warledger.engine.games import hungarian_rhapsody, ocs
from warledger.engine.games.hungarian_rhapsody import displacement
from warledger.engine.games.hungarian_rhapsody.describe import description
from warledger.engine.games.hungarian_rhapsody.rules import PICTURE, RULES
from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.series import corrections
from warledger.engine.kernel import door
from warledger.protocol import fortune
from warledger.protocol.audience import PUBLIC, entitled
from warledger.protocol.board.choices import Choices
from warledger.protocol.board.description import names
from warledger.protocol.board.effects import SAY
from warledger.protocol.lang import phrases
from warledger.protocol.log.bodies import CommandBody, effects_of
from warledger.protocol.texts.phrases import LANGUAGES

KEY = re.compile(r"\b(?:ocs|hungarian_rhapsody|name|result|map)\.[a-z_.]+")
"""A key of the catalogue where its text should stand."""

TOLD_OTHERWISE = (
    # The ruling's own sentence names each correction.
    *corrections.after,
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
                untold.update(KEY.findall(line.text))
    for at in played.positions.values():
        for seat, *_ in at.open:
            untold.update(text for text in offered(at, seat, spoken) if "[" in text or "⟨" in text)

    assert untold == set()


PURPOSES = re.compile(r"\btable\.rolls?\([^)]*?\"([a-z_]+)\"")
"""What the dice of a roll are for, in the rules' code."""


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_dice_are_for_has_a_name(language: str) -> None:
    """Receipts and figures name each purpose in words, the head of the board the weather."""
    spoken = phrases(language, RULES.title)
    code = [
        file.read_text()
        for package in (ocs, hungarian_rhapsody)
        for file in Path(str(package.__file__)).parent.rglob("*.py")
    ]
    purposes = {found for text in code for found in PURPOSES.findall(text)}
    weather = {f"ground.{one}" for one in ("dry", "mud", "freeze", "deep_freeze")}
    weather |= {f"flight.{one}" for one in ("flight", "limited", "none")}

    assert len(purposes) > 15
    assert {one for one in purposes | weather if not spoken.has(f"name.{one}")} == set()


def test_the_dice_and_their_modifiers_are_told() -> None:
    """OCS 9.8, 9.9 What is told of a combat's dice are those of the receipts, their modifier takes
    off a hedgehog's level, and the attacker is named though the defender's answer comes last, so
    that luck counts for whoever attacked."""
    told = 0
    hedgehogs = 0
    credited = []
    for seed in (5, 6, 7):
        played = playing(seed, fog.OPEN)
        wanted = []
        attacker, modifier = "", 0
        for record in played.records:
            for effect in effects_of(record):
                said = dict(effect[2]) if effect[0] == SAY else {}
                if "attacker" in said and "origins" in said:
                    attacker = said["attacker"]
                if effect[:2] in ((SAY, "ocs.weighed"), (SAY, "ocs.weighed_hedgehog")):
                    modifier = said["drm"]
                    if "hedgehog" in said:
                        hedgehogs += 1
                        assert said["hedgehog"] < 0 and said["ar"] + said["hedgehog"] == modifier
                if effect[:2] == (SAY, "ocs.fought"):
                    draws = CommandBody.read(record.body).draws
                    dice = [shown[1] + 1 for _, _, purpose, shown in draws if purpose == "combat"]
                    assert said["dice"] in pairs(dice)
                    assert (said["drm"], said["roll"]) == (modifier, said["dice"] + modifier)
                    assert said["attacker"] == attacker
                    wanted.append(attacker)
                    told += 1
        combats = fortune.of_log(description(pack(), {"scenario": "sudwind"}), played.records)
        credited.append(sorted(one.seat for one in combats) == sorted(wanted))
    assert told > 3 and hedgehogs and all(credited)


def pairs(dice: list[int]) -> set[int]:
    """The sums of each two dice of a row."""
    return {sum(dice[n : n + 2]) for n in range(0, len(dice), 2)}


def offered(at: Any, seat: str, spoken: Any) -> Iterator[str]:
    """What a seat is asked and may pick first, in words."""
    found = door.choices(RULES, at, seat, ())
    assert isinstance(found, Choices)
    yield spoken.say(door.deciders(RULES, at)[seat].prompt)
    yield spoken.text(f"slot.{found.slot}")
    for option in found.options:
        yield spoken.option(option)
