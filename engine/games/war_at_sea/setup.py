"""4 Setup: the counters go on the map and the turn track; the Allied player divides the British ships between England and Malta."""

from collections.abc import Mapping

from engine.games.war_at_sea import events as ev
from engine.games.war_at_sea.data import ALLIED
from engine.games.war_at_sea.state import TRACK, State
from engine.kernel.position import Frame, Position
from engine.kernel.table import Table
from engine.kernel.types import Choices, Decision, Picks, Refusal, Seat, Step
from protocol.choices import WHOLE, offer, refuse, say

VERBS = offer("verb", ("deploy", "done"))


class PutCounters(Step[State]):
    """4.1 – 4.3 Set up the counters: British ships in England for now, German ones in Germany, Italian ones in Italy."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """4.1 The score marker on zero, starting ships on the map, reinforcements on the track."""
        table.done()
        table.emit(ev.SetUp())


class Deploy(Step[State]):
    """4.3, R2 Each starting British ship goes to England or Malta, freely and openly. The Axis has no choice.

    deploy SHIP … PORT puts ships into another port than where they stand; done ends the setup.
    """

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """R2 The Allied player alone chooses."""
        return {ALLIED: Decision(say("prompt.war_at_sea.deploy", "4.3"))}

    def choices(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        """4.3 Ships of one port, then another of their ports."""
        state = at.state
        if not picks:
            return VERBS
        if picks[0] == "done" or picks[-1] in state.data.ports:
            return WHOLE
        free = state.data.starters
        if len(picks) == 1:
            return state.data.offer("war_at_sea.ship", free)
        first = state.ships[str(picks[1])]
        ports = (port for port in state.data.counters[first.id].start if port != first.place)
        more = (name for name in free if state.ships[name].place == first.place and name not in picks)
        return state.data.offer("war_at_sea.ship_or_port", (*ports, *more))

    def refusal(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Refusal:
        """4.3 Only British ships that start on the map have a choice, and only between England and Malta."""
        pick = picks[-1]
        state = at.state
        if pick in state.ships:
            ship = state.ships[str(pick)]
            if ship.place == TRACK:
                return refuse("4.2", "refusal.war_at_sea.still_on_track", ship=pick)
            if len(state.data.counters[ship.id].start) < 2:
                return refuse("4.3", "refusal.war_at_sea.own_country", ship=pick)
            if pick in picks[1:-1]:
                return refuse("", "refusal.war_at_sea.named_twice", ship=pick)
            return refuse("4.3", "refusal.war_at_sea.other_place", ship=pick, place=ship.place)
        if len(picks) > 2 and (pick in state.data.ports or pick in state.data.areas):
            return refuse("4.3", "refusal.war_at_sea.england_or_malta", place=pick)
        return super().refusal(at, frame, seat, picks)

    def decide(self, table: Table[State], frame: Frame, seat: Seat, picks: Picks) -> None:
        """4.3 Put the ships there, or end the setup."""
        if picks[0] == "done":
            table.done()
        else:
            table.emit(ev.Deployed(tuple(str(pick) for pick in picks[1:-1]), str(picks[-1])))
