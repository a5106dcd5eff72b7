"""The captain of War at Sea: it holds what scores, comes in strength or not at all, hunts convoys,
escapes when outgunned, and repairs.

Each question is answered by a handler, found by the verbs on offer. A turn's movement is planned
once, when the side is first asked, and then carried out fleet by fleet. Every pick is checked
against the offer before it is made; where a plan no longer fits, it is dropped.
"""

import random
from collections.abc import Callable, Generator, Mapping

from attrs import define, field, frozen

from warledger.clients.bots.captains.handling import Handling, anything
from warledger.clients.bots.captains.sea_power import (
    ALLIED,
    AXIS,
    Ship,
    at,
    holds_speed,
    odds,
    ships_of,
    strength,
    uboats_in,
)
from warledger.clients.bots.player import Exploration, View
from warledger.protocol.board.choices import Choices, Picks

Handler = Callable[["Captain", View, list[str]], Handling | Picks]

SWING: Mapping[str, float] = {
    "north_sea": 5,
    "north_atlantic": 4,
    "south_atlantic": 4,
    "barents_sea": 3,
    "mediterranean": 3,
    "baltic_sea": 2,
}
"""Points that change hands with an area: what it scores for one side and the other."""

MALTA_FLEET = (
    "queen_elizabeth",
    "warspite",
    "valiant",
    "malaya",
    "barham",
    "repulse",
    "ark_royal",
    "kent",
)
"""British ships that begin in Malta, against the Italians."""

PORTS: Mapping[str, tuple[str, ...]] = {
    ALLIED: ("england", "malta", "usa", "leningrad", "russia", "south_america"),
    AXIS: ("germany", "italy", "france", "south_america"),
}
"""Ports in order of preference for a ship that comes home."""

NEUTRAL_PORT = "south_america"

FRANCE_LAST_TURN = 5
"""Ships in France when turn 7 begins are lost: nobody goes there later than this."""

ESCAPE_BELOW, PURSUE_ABOVE, ATTACK_ABOVE = 0.45, 2.5, 1.3
"""Odds below which it leaves a fight, above which it hunts an enemy that escapes, and above which
it seeks a fight."""


@frozen
class _Sailing:
    """Ships of one place that take one path together."""

    ships: tuple[str, ...]
    path: tuple[str, ...]


@define
class _Waters:
    """What movement is planned from: the ships that may sail, and the ways open to each kind of
    them."""

    ships: dict[str, Ship]
    ready: list[Ship] = field(factory=list)
    ways: dict[tuple[str, str, str], dict[str, tuple[str, ...]]] = field(factory=dict)

    def ways_of(self, ship: Ship) -> dict[str, tuple[str, ...]]:
        """Area -> the path to it."""
        return self.ways.get((ship.nation, ship.kind, ship.place), {})

    def chance(self, ship: Ship, area: str) -> float:
        """The chance that the ship gets there."""
        path = self.ways_of(ship).get(area)
        if path is None:
            return 0.0
        return 1.0 if len(path) == 1 else holds_speed(ship.knots)


class Captain:
    """One seat of one game."""

    sees = True

    def __init__(self, seed: int | str) -> None:
        self._random = random.Random(f"captain {seed}")
        self._planned: tuple[int, list[_Sailing]] = (-1, [])

    def choose(self, view: View) -> Exploration:
        """The next command."""
        top = yield ()
        offered = [str(option.id) for option in top.options]
        picks: Picks = ()
        if top.slot == "verb":
            for verb, handler in _HANDLERS.items():
                if verb in offered:
                    answer = handler(self, view, offered)
                    picks = answer if isinstance(answer, tuple) else (yield from answer)
                    break
        if picks:
            return picks
        return (yield from anything(top))

    # --- 4.3 and 6: setting up and sailing --------------------------------------------------------

    def _deploy(self, view: View, offered: list[str]) -> Handling:
        ships = ships_of(view.board)
        choices = yield ("deploy",)
        going = [id for id in MALTA_FLEET if choices.offers(id) and ships[id].place != "malta"]
        picks: Picks = ("deploy",)
        for id in going:
            if choices.offers(id):
                picks = (*picks, id)
                choices = yield picks
        if going and choices.offers("malta"):
            return (*picks, "malta")
        return ("done",)

    def _sail(self, view: View, offered: list[str]) -> Handling:
        turn = view.board.tracks.get("turn", 0)
        if self._planned[0] != turn:
            plan = yield from self._plan(view, offered)
            self._planned = (turn, plan)
        plan = self._planned[1]
        while plan and "sail" in offered:
            picks = yield from self._carry_out(plan.pop(0))
            if picks:
                return picks
        if "repair" in offered:
            return (yield from self._repair(view))
        return ("done",)

    def _carry_out(self, sailing: _Sailing) -> Handling:
        picks: Picks = ("sail",)
        choices = yield picks
        for id in sailing.ships:
            if choices.offers(id):
                picks = (*picks, id)
                choices = yield picks
        if len(picks) == 1:
            return ()
        for area in sailing.path:
            if not choices.offers(area):
                return ()
            picks = (*picks, area)
            choices = yield picks
        return picks if choices.complete else ()

    def _repair(self, view: View) -> Handling:
        """The most valuable ship first, as much as can be."""
        ships = ships_of(view.board)
        choices = yield ("repair",)
        best = max(
            (str(option.id) for option in choices.options),
            key=lambda id: (ships[id].worth if id in ships else 0.0, id),
        )
        choices = yield ("repair", best)
        points = choices.span[1] if choices.span is not None else choices.options[-1].id
        return ("repair", best, points)

    def _plan(self, view: View, offered: list[str]) -> Generator[Picks, Choices, list[_Sailing]]:
        if "sail" not in offered:
            return []
        waters = yield from self._look_round(view)
        assigned = (
            self._allied_orders(view, waters)
            if view.seat == ALLIED
            else self._axis_orders(view, waters)
        )
        assigned += self._out_of_neutral_port(
            waters, {ship.id for ship, _ in assigned}, AXIS if view.seat == ALLIED else ALLIED
        )
        together: dict[tuple[str, tuple[str, ...]], list[str]] = {}
        for ship, area in assigned:
            together.setdefault((ship.place, waters.ways_of(ship)[area]), []).append(ship.id)
        return [_Sailing(tuple(ids), path) for (_, path), ids in together.items()]

    def _look_round(self, view: View) -> Generator[Picks, Choices, _Waters]:
        """Ask once for each kind of ship in each place where it may go."""
        ships = ships_of(view.board)
        waters = _Waters(ships)
        top = yield ("sail",)
        for option in top.options:
            ship = ships.get(str(option.id))
            if ship is None:
                continue
            waters.ready.append(ship)
            key = (ship.nation, ship.kind, ship.place)
            if key in waters.ways:
                continue
            ways: dict[str, tuple[str, ...]] = {}
            first = yield ("sail", ship.id)
            nearer = [str(stop.id) for stop in first.options if str(stop.id) in SWING]
            for area in nearer:
                ways[area] = (area,)
            for area in nearer:
                beyond = yield ("sail", ship.id, area)
                for stop in beyond.options:
                    ways.setdefault(str(stop.id), (area, str(stop.id)))
            waters.ways[key] = ways
        return waters

    def _allied_orders(self, view: View, waters: _Waters) -> list[tuple[Ship, str]]:
        """Spread so that each area is held in proportion to what it swings and to who could
        come."""
        enemies = [ship for ship in waters.ships.values() if ship.side == AXIS and _in_play(ship)]
        threat = {
            area: strength(ship for ship in enemies if _may_reach(ship, area)) + 4.0
            for area in SWING
        }
        held: dict[str, list[Ship]] = {area: at(waters.ships, area, ALLIED) for area in SWING}
        convoys = {ship.place for ship in waters.ships.values() if ship.kind == "convoy"}
        value = dict(SWING)
        if "north_atlantic" in convoys:
            value["barents_sea"] += 3
        orders: list[tuple[Ship, str]] = []
        order = sorted(
            (ship for ship in waters.ready if ship.kind != "convoy"),
            key=lambda ship: (-ship.worth, ship.id),
        )
        for ship in order:
            if _should_rest(ship):
                continue
            gains = [
                (
                    waters.chance(ship, area)
                    * self._gain(value[area], held[area], ship, threat[area]),
                    area,
                )
                for area in waters.ways_of(ship)
            ]
            best, area = max(gains, default=(0.0, ""))
            if best > 0:
                orders.append((ship, area))
                held[area].append(ship)
        for ship in waters.ready:
            ways = waters.ways_of(ship)
            if ship.kind == "convoy" and ways:
                area = "barents_sea" if "barents_sea" in ways else sorted(ways)[0]
                if area == "barents_sea" or strength(held[area]) > 0.2 * threat[area]:
                    orders.append((ship, area))
        return orders

    @staticmethod
    def _out_of_neutral_port(
        waters: _Waters, ordered: set[str], enemy: str
    ) -> list[tuple[Ship, str]]:
        """15.6 A ship left in South America costs a point: it goes where the enemy is weakest,
        whatever its state."""
        orders: list[tuple[Ship, str]] = []
        for ship in waters.ready:
            ways = waters.ways_of(ship)
            if ship.place == NEUTRAL_PORT and ship.id not in ordered and ways:
                area = min(
                    ways,
                    key=lambda area: (
                        len(ways[area]),
                        strength(at(waters.ships, area, enemy)),
                        area,
                    ),
                )
                orders.append((ship, area))
        return orders

    @staticmethod
    def _gain(value: float, held: list[Ship], ship: Ship, threat: float) -> float:
        """How much more of an area's swing is likely with this ship there."""
        # By the root, so that the first ship counts as much as the tenth: strength itself grows
        # with the square of the ships.
        before, after, threat = strength(held) ** 0.5, strength([*held, ship]) ** 0.5, threat**0.5
        safe = after / (after + threat) - before / (before + threat)
        presence = 0.15 if not held else 0.0
        return float(value * (safe + presence) + 0.02 * ship.asw)

    def _axis_orders(self, view: View, waters: _Waters) -> list[tuple[Ship, str]]:
        """The Allies are in place: take what is empty with little, and one fight after another that
        odds favour."""
        free = {ship.id: ship for ship in waters.ready if not _should_rest(ship)}
        orders: list[tuple[Ship, str]] = []
        rated = []
        for area, swing in SWING.items():
            foes = at(waters.ships, area, ALLIED)
            mine = at(waters.ships, area, AXIS)
            bounty = sum(ship.worth for ship in foes if ship.kind == "convoy") / 3
            rated.append((strength(foes), swing + bounty, area, foes, mine))
        # Empty areas first, the most valuable first; then the most weakly defended.
        for foe, _, area, foes, mine in sorted(
            rated, key=lambda entry: (entry[0] > 0, entry[0] / entry[1], entry[2])
        ):
            able = sorted(
                (ship for ship in free.values() if waters.chance(ship, area) > 0),
                key=lambda ship: (
                    -round(waters.chance(ship, area) * 3),
                    ship.worth if foe == 0 else -ship.worth,
                    ship.id,
                ),
            )
            if not foes:
                sent = self._enough_to_hold(waters, able, area, mine)
            else:
                sent = self._enough_to_win(waters, able, area, mine, foes)
            for ship in sent:
                orders.append((ship, area))
                del free[ship.id]
        return self._reinforce(waters, free, orders)

    @staticmethod
    def _enough_to_hold(
        waters: _Waters, able: list[Ship], area: str, mine: list[Ship]
    ) -> list[Ship]:
        """Ships until one is nearly certain to be there."""
        if mine:
            return []
        sent: list[Ship] = []
        missing = 1.0
        for ship in able:
            if missing < 0.12:
                break
            sent.append(ship)
            missing *= 1 - waters.chance(ship, area)
        return sent

    @staticmethod
    def _enough_to_win(
        waters: _Waters, able: list[Ship], area: str, mine: list[Ship], foes: list[Ship]
    ) -> list[Ship]:
        """Ships until the odds are good; none when they never are."""
        sent: list[Ship] = []
        sure: list[Ship] = list(mine)
        for ship in able:
            if waters.chance(ship, area) < 0.6:
                continue
            sent.append(ship)
            sure.append(ship)
            if odds(sure, foes) > ATTACK_ABOVE * 1.5:
                return sent
        return sent if sent and odds(sure, foes) > ATTACK_ABOVE else []

    @staticmethod
    def _reinforce(
        waters: _Waters, free: dict[str, Ship], orders: list[tuple[Ship, str]]
    ) -> list[tuple[Ship, str]]:
        """Each remaining ship joins the hardest fight it can reach, if any."""
        contested = {area for _, area in orders if at(waters.ships, area, ALLIED)}
        for ship in sorted(free.values(), key=lambda ship: ship.id):
            joined = [area for area in sorted(contested) if waters.chance(ship, area) >= 0.6]
            if joined:
                hardest = max(
                    joined, key=lambda area: (strength(at(waters.ships, area, ALLIED)), area)
                )
                orders.append((ship, hardest))
        return orders

    # --- 8 and 9: boats and aircraft --------------------------------------------------------------

    def _place(self, view: View, offered: list[str]) -> Handling:
        choices = yield ("place",)
        if choices.slot == "war_at_sea.air_place":
            return self._air(view, [str(option.id) for option in choices.options])
        ships = ships_of(view.board)
        boats = uboats_in(view.board).get("germany", 0)
        rated = []
        for area in SWING:
            foes = at(ships, area, ALLIED)
            if foes and not at(ships, area, AXIS):
                dice = sum(ship.asw for ship in foes)
                convoy = any(ship.kind == "convoy" for ship in foes)
                rated.append(
                    (dice - (6 if convoy else 0), area, 1 + dice // 5 + (1 if convoy else 0))
                )
        picks: Picks = ("place",)
        for _, area, wanted in sorted(rated):
            if boats <= 0 or not choices.offers(area):
                continue
            n = min(wanted, boats)
            numbers = yield (*picks, area)
            if numbers.span is not None:
                n = max(numbers.span[0], min(n, numbers.span[1]))
            picks = (*picks, area, n)
            boats -= n
            choices = yield picks
        return picks if len(picks) > 1 else ("pass",)

    def _air(self, view: View, places: list[str]) -> Picks:
        """Where three dice have the best targets: in a coming fight rather than in port."""
        ships = ships_of(view.board)
        enemy = AXIS if view.seat == ALLIED else ALLIED

        def worth(place: str) -> tuple[float, str]:
            targets = sorted(
                (ship.worth + 2 * ship.damage for ship in at(ships, place, enemy)), reverse=True
            )[:3]
            fight = 1.6 if at(ships, place, view.seat) else 1.0
            return (fight * sum(targets), place)

        best = max(places, key=worth)
        return ("place", best) if worth(best)[0] > 0 else ("pass",)

    def _hunt(self, view: View, offered: list[str]) -> Picks:
        return ("hunt",)

    def _torpedo(self, view: View, offered: list[str]) -> Handling:
        return (yield from self._name_targets(view, "torpedo", 1))

    def _strike(self, view: View, offered: list[str]) -> Handling:
        return (yield from self._name_targets(view, "strike", 1))

    def _name_targets(self, view: View, verb: str, dice: int) -> Handling:
        """One target after another, the best each time, as many as may be named."""
        ships = ships_of(view.board)
        hits: dict[str, float] = {}
        picks: Picks = (verb,)
        choices = yield picks
        while choices.options:
            best = max(
                (str(option.id) for option in choices.options),
                key=lambda id: (_promise(ships.get(id), hits.get(id, 0.0)), id),
            )
            hits[best] = hits.get(best, 0.0) + dice / 6
            picks = (*picks, best)
            choices = yield picks
        return picks

    # --- 10: surface combat -----------------------------------------------------------------------

    def _carriers(self, view: View, offered: list[str]) -> Picks:
        return ("carriers_silent",)

    def _fire(self, view: View, offered: list[str]) -> Handling:
        ships = ships_of(view.board)
        hits: dict[str, float] = {}
        picks: Picks = ("fire",)
        choices = yield picks
        while choices.options:
            guns = [str(option.id) for option in choices.options if option.id != "rest"]
            if not guns:
                break
            gun = max(guns, key=lambda id: (ships[id].fire if id in ships else 0.0, id))
            targets = yield (*picks, gun)
            if not targets.options:
                break
            best = max(
                (str(option.id) for option in targets.options),
                key=lambda id: (_promise(ships.get(id), hits.get(id, 0.0)), id),
            )
            hits[best] = hits.get(best, 0.0) + (ships[gun].fire if gun in ships else 1) / 6
            picks = (*picks, gun, best)
            choices = yield picks
        return picks if len(picks) > 1 and choices.complete else ("hold_fire",)

    # --- 11: escape -------------------------------------------------------------------------------

    def _escape(self, view: View, offered: list[str]) -> Picks:
        mine, foes = self._fight(view)
        return ("escape",) if mine and odds(mine, foes) < ESCAPE_BELOW else ("stay",)

    def _groups(self, view: View, offered: list[str]) -> Handling:
        for verb in ("by_speed", "together"):
            if verb in offered:
                choices = yield (verb,)
                if choices.complete:
                    return (verb,)
        return ()

    def _pursue(self, view: View, offered: list[str]) -> Handling:
        mine, foes = self._fight(view)
        if odds(mine, foes) < PURSUE_ABOVE:
            return ("let_go",)
        choices = yield ("pursue",)
        picks: Picks = ("pursue",)
        if not choices.offers("rest"):
            picks = (*picks, choices.options[0].id) if choices.options else picks
        else:
            picks = (*picks, "rest")
        if len(picks) == 1:
            return ("let_go",)
        groups = yield picks
        if not groups.options:
            return ("let_go",)
        picks = (*picks, groups.options[-1].id)
        end = yield picks
        return picks if end.complete else ("let_go",)

    def _pursue_on(self, view: View, offered: list[str]) -> Picks:
        mine, foes = self._fight(view)
        return (
            ("pursue_on",)
            if odds(mine, foes) > 1.0 or "break_off_all" not in offered
            else ("break_off_all",)
        )

    def _fight(self, view: View) -> tuple[list[Ship], list[Ship]]:
        """The two sides of the fight in progress: in the area that the open span of combat
        names."""
        enemy = AXIS if view.seat == ALLIED else ALLIED
        ships = ships_of(view.board)
        for span, said in reversed(view.board.spans):
            if span == "combat":
                for _, value in said.args:
                    if value in SWING:
                        return at(ships, value, view.seat), [
                            ship
                            for _, ship in sorted(ships.items())
                            if ship.place == value and ship.side == enemy
                        ]
        return [], []

    # --- 12 to 14: coming home --------------------------------------------------------------------

    def _convoy(self, view: View, offered: list[str]) -> Picks:
        """On to the Barents Sea for three points while the way is likely to stay open, else into
        England for one."""
        turn = view.board.tracks.get("turn", 8)
        ships = ships_of(view.board)
        home = [
            ship
            for ship in ships.values()
            if ship.side == AXIS
            and ship.nation == "de"
            and _in_play(ship)
            and not _should_rest(ship)
        ]
        fast = [
            ship
            for ship in ships.values()
            if ship.nation == "uk" and _in_play(ship) and ship.knots >= 5
        ]
        open_way = turn < 8 and strength(fast) > 0.8 * strength(home)
        return ("stay",) if open_way and "stay" in offered else ("into_england",)

    def _replenish(self, view: View, offered: list[str]) -> Handling:
        turn = view.board.tracks.get("turn", 8)
        others = [verb for verb in offered if verb != "replenish"]
        choices = yield ("replenish",)
        ships = ships_of(view.board)
        fit = [
            str(option.id)
            for option in choices.options
            if str(option.id) in ships and not ships[str(option.id)].damage
        ]
        if fit and turn <= 2:
            return ("replenish", fit[0])
        if not others:
            return ("replenish", choices.options[0].id)
        return (others[0],)

    def _to_port(self, view: View, verb: str) -> Handling:
        """The best port that is open to the first ship; all ships that may go there too go with
        it."""
        choices = yield (verb,)
        picks: Picks = (verb,)
        ports = self._ports(view)
        while not choices.complete:
            offered = [str(option.id) for option in choices.options]
            homes = [port for port in ports if port in offered]
            pick = homes[0] if homes else offered[0]
            picks = (*picks, pick)
            choices = yield picks
        return picks

    def _ports(self, view: View) -> tuple[str, ...]:
        turn = view.board.tracks.get("turn", 8)
        if view.seat == AXIS and turn <= FRANCE_LAST_TURN and self._random.random() < 0.3:
            return ("france", *PORTS[AXIS])
        if view.seat == ALLIED:
            board_malta = len(at(ships_of(view.board), "malta", ALLIED))
            if board_malta < len(MALTA_FLEET):
                return ("malta", *PORTS[ALLIED])
        return PORTS[view.seat]


def _in_play(ship: Ship) -> bool:
    return not ship.place.startswith("turn_") and ship.place not in (
        "track",
        "pool",
        "sunk",
        "scored",
        "removed",
    )


def _should_rest(ship: Ship) -> bool:
    """A ship hurt so that it would be lost rather than useful stays in port for repair."""
    return ship.kind != "convoy" and ship.damage * 2 >= max(2, ship.armor)


def _may_reach(ship: Ship, area: str) -> bool:
    """Whether an enemy ship is likely to turn up there."""
    if ship.nation == "it":
        return area == "mediterranean"
    if area == "mediterranean":
        return False
    return area in ("north_sea", "barents_sea", "baltic_sea") or ship.knots >= 5


def _promise(ship: Ship | None, hits: float) -> float:
    """What one more die at this target is worth, given the hits that are already likely."""
    if ship is None:
        return 0.1
    needed = max(1.0, (ship.armor - ship.damage + 1) / 3.5)
    return float(ship.worth / needed * 2.718 ** (-hits / needed))


def _leave(verb: str) -> Handler:
    def handle(captain: Captain, view: View, offered: list[str]) -> Handling:
        return (yield from captain._to_port(view, verb))

    return handle


_HANDLERS: Mapping[str, Handler] = {
    "deploy": Captain._deploy,
    "sail": Captain._sail,
    "repair": Captain._sail,
    "put_back": _leave("put_back"),
    "place": Captain._place,
    "hunt": Captain._hunt,
    "torpedo": Captain._torpedo,
    "strike": Captain._strike,
    "carriers_silent": Captain._carriers,
    "fire": Captain._fire,
    "escape": Captain._escape,
    "by_speed": Captain._groups,
    "together": Captain._groups,
    "let_go": Captain._pursue,
    "pursue_on": Captain._pursue_on,
    "retire": _leave("retire"),
    "into_england": Captain._convoy,
    "replenish": Captain._replenish,
    "return": _leave("return"),
}
"""The verb that identifies a question -> its handler; the first verb that is on offer counts."""
