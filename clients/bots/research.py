"""A title as an environment of PettingZoo (AEC), for research on learning players. Needs the extra
`research`: `pip install "warledger[research]"`.

    env = warledger.TitleEnv("war_at_sea")
    env.reset(seed=7)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        over = terminated or truncated
        env.step(None if over else env.action_space(agent).sample(observation["action_mask"]))

The game is played in this process by the title's own rules, as in self-play: the same seed and
actions give the same game, byte for byte.

An action is one pick, not a whole command, so a seat may act several times in a row:

    0               the picks so far are the command: submit it
    1               show the next page, where more is on offer than there are actions left
    2, 3 …          the options that may come next in their order, then the numbers of the span

`action_mask` says which of these may be taken. The mask, the picks so far and what may follow them
(`choices`) are in `infos` too, with the seat's `board`, for features of your own.

`observation` has the whole numbers that any title has: for each piece of the description its place,
its face and its owner, then each track, the number of picks so far, and the page. A place is 0 off
the board, else 1 + its number among places and boxes, or one more than there are. Face and owner
are 0 if unknown or hidden, else counted from 1. What a seat may not know is not in its observation.

The winner is rewarded with 1 at the end and everybody else with -1; a draw is 0 for all. After
`commands_max` commands the game is truncated.
"""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from warledger.clients.bots import selfplay
from warledger.clients.bots.selfplay import COMMANDS_MAX, Field, GameInProgress
from warledger.clients.describing import described
from warledger.engine.kernel import door
from warledger.protocol.board.choices import Choices, Pick, Picks
from warledger.protocol.board.effects import Board

SUBMIT: Final = 0
NEXT_PAGE: Final = 1
_FIRST: Final = 2
ACTIONS: Final = 256
"""How many actions there are, unless something else is asked for."""

_PIECE_FIELDS: Final = 3
_HIGHEST: Final = 2**31 - 1


class TitleEnv(AECEnv):  # type: ignore[misc]
    """A title as a PettingZoo environment; the agents are its seats.

    `options` are the title's, `actions` how many actions there are (at least 3).

    Raises KeyError for a title that is not known, ValueError for too few actions, BadOption for an
    option that the title does not have.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - PettingZoo asks for a plain attribute
        "render_modes": [],
        "is_parallelizable": False,
    }
    render_mode = None

    def __init__(
        self,
        title: str,
        *,
        options: Mapping[str, Any] | None = None,
        actions: int = ACTIONS,
        commands_max: int = COMMANDS_MAX,
    ) -> None:
        super().__init__()
        if actions <= _FIRST:
            raise ValueError(f"an environment needs at least {_FIRST + 1} actions")
        self._field = Field.of(title)
        self._options = dict(options or {})
        self._commands_max = commands_max
        self.metadata = {**type(self).metadata, "name": f"warledger_{title}"}
        self.possible_agents = list(self._field.rules.seats)
        self._game = self._begun(0)
        genesis = self._game.ledger.genesis
        told = described(title, self._field.pack, genesis.options).told
        where = [*(place.id for place in told.places), *(box.id for box in told.boxes)]
        self._places = {id: number for number, id in enumerate(dict.fromkeys(where), 1)}
        self._faces = {
            piece.id: {face.face: number for number, face in enumerate(piece.faces, 1)}
            for piece in told.pieces
        }
        self._owners = {seat: number for number, seat in enumerate(self.possible_agents, 1)}
        self._tracks = [track.id for track in told.tracks]
        self._actions = actions
        length = _PIECE_FIELDS * len(self._faces) + len(self._tracks) + 2
        self.action_spaces = {seat: spaces.Discrete(actions) for seat in self.possible_agents}
        self.observation_spaces = {
            seat: spaces.Dict(
                {
                    "observation": spaces.Box(-_HIGHEST, _HIGHEST, (length,), np.int32),
                    "action_mask": spaces.Box(0, 1, (actions,), np.int8),
                }
            )
            for seat in self.possible_agents
        }
        self._seed = 0
        self._picks: Picks = ()
        self._page = 0
        self._choices: Choices | None = None

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """What a seat observes."""
        space: spaces.Space[Any] = self.observation_spaces[agent]
        return space

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The actions of a seat: see the module."""
        space: spaces.Space[Any] = self.action_spaces[agent]
        return space

    # --- the game ---------------------------------------------------------------------------------

    def _begun(self, seed: int) -> GameInProgress:
        return selfplay.begin(self._field, seed=seed, options=self._options, look=True)

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """A new game. Without a seed it has the seed after the one before. `options` are those of
        PettingZoo, and are not used."""
        self._seed = self._seed + 1 if seed is None else seed
        self._game = self._begun(self._seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {seat: {} for seat in self.agents}
        self.agent_selection = self.agents[0]
        self._ask()

    def step(self, action: int | None) -> None:
        """One pick of the seat that is asked, or None for one whose game is over. Raises ValueError
        for an action that its mask does not allow."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if (
            action is None
            or not 0 <= (action := int(action)) < self._actions
            or not self._mask()[action]
        ):
            raise ValueError(f"the action {action} is not allowed now")
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        choices = self._choices
        assert choices is not None
        if action == NEXT_PAGE:
            pages = -(-_count(choices) // self._room)
            self._page = (self._page + 1) % pages
        elif action == SUBMIT:
            self._submit(agent)
        else:
            at = self._page * self._room + action - _FIRST
            self._look((*self._picks, _pick(choices, at)))
        self._tell()
        self._accumulate_rewards()

    def _submit(self, agent: str) -> None:
        game = self._game
        decision = game.ledger.position.opened(agent) or 0
        game.give(agent, decision, self._picks)
        self._ask()
        if game.ended:
            outcome = game.ledger.position.outcome
            assert outcome is not None
            for seat in self.agents:
                self.terminations[seat] = True
                if outcome.winner is not None:
                    self.rewards[seat] = 1.0 if seat == outcome.winner else -1.0
        elif game.commands >= self._commands_max:
            self.truncations = dict.fromkeys(self.agents, True)

    def _ask(self) -> None:
        """Turn to the seat that is asked first."""
        game = self._game
        while not game.ended and not game.ledger.position.open:
            game.close()
        self._picks, self._page, self._choices = (), 0, None
        if not game.ended:
            self.agent_selection = game.ledger.position.open[0][0]
            self._look(())
        self._tell()

    def _look(self, picks: Picks) -> None:
        found = door.choices(
            self._field.rules, self._game.ledger.position, self.agent_selection, picks
        )
        assert isinstance(found, Choices), found
        self._picks, self._page, self._choices = picks, 0, found

    # --- what a seat sees -------------------------------------------------------------------------

    @property
    def _room(self) -> int:
        """How many picks are on one page."""
        return self._actions - _FIRST

    def _mask(self) -> Any:
        mask = np.zeros(self._actions, np.int8)
        choices = self._choices
        if choices is not None:
            mask[SUBMIT] = choices.complete
            count = _count(choices)
            mask[NEXT_PAGE] = count > self._room
            mask[_FIRST : _FIRST + min(self._room, count - self._page * self._room)] = 1
        return mask

    def _tell(self) -> None:
        for seat in self.agents:
            asked = seat == self.agent_selection
            self.infos[seat] = {
                "board": self._game.views[seat].board,
                "picks": self._picks if asked else (),
                "choices": self._choices if asked else None,
                "action_mask": self._mask() if asked else np.zeros(self._actions, np.int8),
            }

    def observe(self, agent: str) -> dict[str, Any]:
        """What a seat observes now."""
        asked = agent == self.agent_selection
        return {
            "observation": self._numbers(
                self._game.views[agent].board,
                len(self._picks) if asked else 0,
                self._page if asked else 0,
            ),
            "action_mask": self._mask() if asked else np.zeros(self._actions, np.int8),
        }

    def _numbers(self, board: Board, picked: int, page: int) -> Any:
        numbers: list[int] = []
        elsewhere = len(self._places) + 1
        for id, faces in self._faces.items():
            piece = board.pieces.get(id)
            if piece is None:
                numbers += (0, 0, 0)
                continue
            face = faces.get(piece.face, 0) if isinstance(piece.face, str) else 0
            numbers += (
                self._places.get(piece.place, elsewhere),
                face,
                self._owners.get(piece.owner, 0),
            )
        for track in self._tracks:
            value = board.tracks.get(track, 0)
            numbers.append(min(max(value, -_HIGHEST), _HIGHEST) if type(value) is int else 0)
        return np.array((*numbers, picked, page), np.int32)

    def render(self) -> None:
        """Nothing is drawn: `warledger replay` shows a game's file."""

    def close(self) -> None:
        """Nothing is kept open."""


def _count(choices: Choices) -> int:
    """How many picks may come next."""
    numbers = choices.span[1] - choices.span[0] + 1 if choices.span is not None else 0
    return len(choices.options) + numbers


def _pick(choices: Choices, at: int) -> Pick:
    """The pick of that number among them."""
    if at < len(choices.options):
        return choices.options[at].id
    assert choices.span is not None
    return choices.span[0] + at - len(choices.options)
