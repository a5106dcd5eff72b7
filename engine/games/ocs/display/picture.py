"""What clients draw and tell of each event of the series, and the picture of a whole position.

What is drawn follows from the views before and after an event (views.py), so that no event can
show more than a viewer may know. What is told stands in story_turn.py, story_supply.py,
story_combat.py and story_air.py, a function for each event: sentences for everybody, and with `own`
(telling.py) those for one side alone, which stand under its veil.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from attrs import frozen

from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.display import (
    story_air,
    story_combat,
    story_supply,
    story_turn,
    views,
)
from warledger.engine.games.ocs.display.sentences import Own, Story
from warledger.engine.games.ocs.series import events as e
from warledger.engine.games.ocs.series.state import State
from warledger.engine.kernel.dispatch import joined
from warledger.protocol.board.effects import CLOSE, OPEN, PHASE, Effect, veil

tells: Mapping[type[Any], Story] = joined(
    (story_turn, story_supply, story_combat, story_air), "tells"
)
"""Event class -> the sentences about it."""

_BEFORE_PIECES = frozenset((OPEN, PHASE, CLOSE))
"""What stands before the pieces in the effects of an event: parts of the timeline end and begin."""


@frozen
class Picture:
    """What a game shows. `stories` are the series' (`tells`) and its own; `tracks` give what it
    shows besides, as tracks that everybody sees."""

    stories: Mapping[type[Any], Story]
    tracks: views.MoreTracks = views.no_tracks

    def of(self, state: State) -> Iterable[Effect]:
        """The whole table, as each audience may know it."""
        return views.laid(state, self.tracks)

    def effects(self, before: State, event: Any, after: State) -> Iterable[Effect]:
        """What clients draw and tell of an event."""
        story = self.stories.get(type(event))
        told = () if story is None else tuple(story(before, event, after))
        if isinstance(event, e.SetUp):
            said = [one for one in told if not isinstance(one, Own)]
            yield from (one for one in said if _begins(one))
            yield from self.of(after)
            yield from (one for one in said if not _begins(one))
            return
        public, hidden = views.changes(before, event, after, self.tracks)
        strict = fog.strict(after)
        for one in told:
            if _begins(one):
                yield one  # type: ignore[misc]
        yield from public
        for one in told:
            if isinstance(one, Own):
                if strict:
                    hidden.setdefault(one.side, []).append(one.effect)
                else:
                    yield one.effect
            elif not _begins(one):
                yield one
        for side, effects in hidden.items():
            yield veil((side,), *effects)


def _begins(one: Effect | Own) -> bool:
    """Whether a part of the timeline ends or begins with it; an end at the very end of what is told
    stays there."""
    return not isinstance(one, Own) and one[0] in _BEFORE_PIECES
