"""The inputs of every pairing in a tournament's file, computed from "Inputs of a pairing" in
`protocol/tournaments.md` alone: nothing of this repository is imported but the small auditor's
values and frames, which are written from the pages too.
"""

from typing import Any

from tests.audit.mini_files import RECORD, File
from tests.audit.mini_values import pack, sha, unpack

LATE = ("dutch", "record", "heats", "ladder")
ELIMINATIONS = ("knockout", "double_elimination")
BYES = {
    "pairing_bye": "bye",
    "full_bye": "full_bye",
    "half_bye": "half_bye",
    "zero_bye": "zero_bye",
}
COUNTS = {"win": 2, "close_win": 2, "draw": 1, "close_loss": 0, "loss": 0}
EVENTS = 5


class Ledger:
    """As much of a tournament as the inputs of its next pairing need."""

    def __init__(self, charter: Any) -> None:
        self.charter = charter
        self.stage = 0
        self.orders: dict[int, list[int]] = {}
        self.first: dict[int, int] = {}
        self.gone: set[int] = set()
        self.checked: set[tuple[int, int]] = set()
        self.absent: dict[tuple[int, int], str] = {}
        self.challenges: list[list[int]] = []
        self.volunteers: set[tuple[int, int]] = set()
        self.rounds: list[dict[str, Any]] = []

    @property
    def rules(self) -> Any:
        """The stage in progress, as the charter has it."""
        return self.charter["stage"][self.stage]

    # --- what events change -----------------------------------------------------------------------

    def follow(self, event: list[Any]) -> None:
        """Take an event in."""
        match event:
            case ["entered", number, *_]:
                self.first[number] = len(self.rounds) + 1
                if self.stage in self.orders:
                    self.orders[self.stage].append(number)
            case ["withdrew", number]:
                self.gone.add(number)
            case ["returned", number]:
                self.gone.discard(number)
                begun = self.stage == 0 and 0 in self.orders
                if begun and number not in self.orders[0] and self.rules["system"] in LATE:
                    self.orders[0].append(number)
            case ["checked", number, round]:
                self.checked.add((number, round))
            case ["absent", number, round, bye]:
                self.absent[number, round] = bye
            case ["ordered", stage, _, numbers]:
                self.orders[stage] = list(numbers)
            case ["advanced", stage, numbers]:
                self.stage = stage
                self.orders[stage] = list(numbers)
            case ["challenged", number, whom, round]:
                self.challenges.append([round, number, whom])
            case ["volunteered", number, round]:
                self.volunteers.add((round, number))
            case ["paired", round, stage, system, _, boards, byes]:
                del self.rounds[round - 1 :]
                self.rounds.append(
                    {
                        "stage": stage,
                        "number": round,
                        "further": system == "further",
                        "published": False,
                        "byes": byes,
                        "boards": [
                            {"sit": list(numbers), "seated": seated, "verdict": None}
                            for numbers, seated in boards
                        ],
                    }
                )
            case ["unpaired", round, _]:
                del self.rounds[round - 1 :]
            case ["published", round]:
                self.rounds[round - 1]["published"] = True
            case ["sides", round, board, numbers, *_]:
                self.rounds[round - 1]["boards"][board - 1].update(sit=list(numbers), seated=True)
            case ["result", round, board, manner, results, margins, _]:
                verdict = (manner, results, margins)
                self.rounds[round - 1]["boards"][board - 1]["verdict"] = verdict
            case ["amended", key, value, _]:
                self.amend(key.split("."), value)

    def amend(self, path: list[str], value: Any) -> None:
        """The charter has another value from here on."""
        at = self.charter
        for name in path[:-1]:
            name, _, index = name.partition("[")
            at = at[name][int(index[:-1]) - 1] if index else at[name]
        at[path[-1]] = value

    # --- what the next pairing follows from -------------------------------------------------------

    def inputs(self) -> bytes:
        """The digest, as if a round that is not published yet had not been paired."""
        before = [one for one in self.rounds if one["published"]]
        round = len(before) + 1
        order = self.orders[self.stage]
        checks = self.charter["absence"]["check_in_minutes"] > 0
        field = [
            number
            for number in order
            if number not in self.gone
            and (number, round) not in self.absent
            and self.first[number] <= round
            and (not checks or (number, round) in self.checked)
        ]
        away = sorted([n, bye] for (n, at), bye in self.absent.items() if at == round)
        away = [one for one in away if one[0] in order]
        challenges = [one for one in self.challenges if one[0] == round]
        volunteers = sorted(number for at, number in self.volunteers if at == round)
        value = [
            *(self.rules["system"], round, order, field),
            *(away, challenges, volunteers, self.table(before)),
        ]
        return sha(pack(value))

    def table(self, rounds: list[dict[str, Any]]) -> list[Any]:
        """Everybody's line in every pairing of the stage."""
        pairings: list[list[dict[str, Any]]] = []
        for one in rounds:
            if one["stage"] == self.stage and one["further"]:
                pairings[-1].append(one)
            elif one["stage"] == self.stage:
                pairings.append([one])
        missed: dict[int, int] = {}
        return [
            [
                [place, *self.line(number, one, missed)]
                for place, number in enumerate(self.orders[self.stage], start=1)
            ]
            for one in pairings
        ]

    def line(self, number: int, pairing: list[Any], missed: dict[int, int]) -> list[Any]:
        """Manner, points, opponents, seat, margin."""
        first, points = pairing[0], self.rules["points"]
        byes = dict(map(tuple, first["byes"]))
        boards = [board for board in first["boards"] if number in board["sit"]]
        if boards:
            return self.match(number, boards[0], pairing)
        bye = byes.get(number, "absent")
        if bye in BYES:
            return [bye, points[BYES[bye]], [], None, 0]
        late, worth = self.charter["late"], 0
        if first["number"] < self.first[number] and late["missed"] == "half":
            missed[number] = missed.get(number, 0) + 1
            worth = points["half_bye"] if missed[number] <= late["halves"] else 0
        return ["absent", worth, [], None, 0]

    def match(self, number: int, board: dict[str, Any], pairing: list[Any]) -> list[Any]:
        """The line of somebody who sits at a board."""
        place = {n: start for start, n in enumerate(self.orders[self.stage], start=1)}
        games = [board]
        for one in pairing[1:]:
            games += [game for game in one["boards"] if set(game["sit"]) == set(board["sit"])]
        others = [place[other] for other in board["sit"] if other != number]
        seat = board["sit"].index(number) if board["seated"] else None
        result = self.result(number, games)
        if result is None:
            return ["pending", 0, others, seat, 0]
        manners = {game["verdict"][0] for game in games}
        manner = manners.pop() if len(manners) == 1 else "played"
        if manner == "forfeit":
            result = "forfeit_win" if result == "win" else "forfeit_loss"
        margin = sum(game["verdict"][2][game["sit"].index(number)] for game in games)
        return [manner, self.rules["points"][result], others, seat, margin]

    def result(self, number: int, games: list[dict[str, Any]]) -> str | None:
        """An entrant's result of a match; None where it is not decided."""
        if any(game["verdict"] is None for game in games):
            return None
        had = []
        for game in games:
            seat = game["sit"].index(number)
            _, results, margins = game["verdict"]
            had.append((results[seat], margins[seat]))
        eliminates = self.rules["system"] in ELIMINATIONS
        both = self.charter["sides"]["by"] == "both"
        n = 2 if both else self.rules["best_of"] if eliminates else 1
        if n == len(games) == 1:
            return str(had[0][0])
        if eliminates and any(all(not COUNTS[r] for r in game["verdict"][1]) for game in games):
            return "loss"
        mine = sum(COUNTS[result] for result, _ in had)
        theirs = 2 * len(had) - mine
        if len(games) < n and (both or max(mine, theirs) <= n):
            return None
        outright = any(margin == 0 and result != "draw" for result, margin in had)
        if both and any(margin for _, margin in had) and (mine == theirs or not outright):
            return self.by_margin(sum(margin for _, margin in had))
        return "win" if mine > theirs else "loss" if mine < theirs else "draw"

    def by_margin(self, m: int) -> str:
        """The result of a margin in half units."""
        told = self.rules["points"]["close"]
        whole, _, half = str(told).partition(".")
        close = 2 * int(whole) + (half == "5")
        if m == 0:
            return "draw"
        name = "win" if m > 0 else "loss"
        return f"close_{name}" if abs(m) < close else name


def inputs_of(data: bytes) -> list[tuple[int, bytes, bytes]]:
    """For every pairing in a sound file: its record, the digest computed, the one written."""
    found: list[tuple[int, bytes, bytes]] = []
    ledger: Ledger | None = None
    for kind, payload, _ in File(data).frames:
        if kind != RECORD:
            continue
        seq, _, _, name, body, _ = unpack(payload)
        if name == "charter":
            ledger = Ledger(body[4])
        elif name == "act":
            assert ledger is not None
            for event in body[EVENTS]:
                if event[0] == "paired":
                    found.append((seq, ledger.inputs(), event[4]))
                ledger.follow(event)
    return found
