"""Captains of Hungarian Rhapsody at a board that a test sets up, asked one question at a time."""

from collections.abc import Callable, Mapping
from typing import Any

from warledger.clients.bots.captains.ocs.captain import Captain
from warledger.clients.bots.captains.ocs.staff import Staff
from warledger.clients.bots.player import View
from warledger.protocol.board.choices import Choices, Option, Picks
from warledger.protocol.board.effects import put

SIDES = ("axis", "soviet")


def view_of(sent: dict[str, Any], seat: str, scenario: str = "sudwind") -> View:
    """What a seat knows of a scenario before anything is told."""
    return View(seat, "hungarian_rhapsody", SIDES, {"scenario": scenario}, sent)


class Table:
    """A captain with a board of its own, and what is offered after which picks."""

    def __init__(
        self,
        sent: dict[str, Any],
        seat: str,
        kind: type[Staff] = Captain,
        scenario: str = "sudwind",
    ) -> None:
        self.view = view_of(sent, seat, scenario)
        self.captain = kind(1)
        self.view.board.tracks["turn"] = 40 if scenario == "sudwind" else 1

    def put(self, side: str, **where: str) -> None:
        """Units or aircraft in a hex each, their ids with dots for two underscores."""
        for id, at in where.items():
            self.view.board.apply(put(id.replace("__", "."), at, "combat", side))

    def ask(
        self, method: Callable[..., Any], offered: Mapping[Picks, tuple[Any, ...]], span: int = 0
    ) -> Picks:
        """What it answers; where nothing more is offered the command is whole."""

        def choices(picks: Picks) -> Choices:
            found = tuple(Option(one) for one in offered.get(picks, ()))
            ends = bool(picks) and (not found or any(id in self.planes for id in picks))
            reach = (1, span) if span and picks in offered and not found else None
            return Choices("slot", found, reach, ends and reach is None)

        asking = method(self.captain, self.view, choices(()))
        try:
            picks = next(asking)
            while True:
                picks = asking.send(choices(picks))
        except StopIteration as stop:
            chosen: Picks = stop.value
            return chosen

    @property
    def planes(self) -> Mapping[str, Any]:
        """All aircraft."""
        return self.captain.ground(self.view).planes
