"""Out at the first loss or at the second: who is left, who plays whom, and the places."""

from attrs import evolve as replace

from warledger.engine.tournaments import matches
from warledger.engine.tournaments.brackets import bracket, double_elimination, losses, still_in
from warledger.engine.tournaments.charter import ANOTHER, ELIMINATIONS
from warledger.engine.tournaments.crosstable import Crosstable
from warledger.engine.tournaments.lots import Lots
from warledger.engine.tournaments.matches import Match
from warledger.engine.tournaments.pairing import Paired, apart, blocked, seated, starting
from warledger.engine.tournaments.swiss.paired import CannotPair, Matcher
from warledger.engine.tournaments.tally import crosstable
from warledger.engine.tournaments.tournamentposition import Position
from warledger.protocol.board.choices import Refusal

# --- further games --------------------------------------------------------------------------------


def undecided(at: Position) -> tuple[Match, ...]:
    """The matches of the newest pairing that need a further game, once all of its games are over:
    the next one of a series or of two games, or another one after a draw that must be decided."""
    pairings = at.stage_pairings
    if not pairings or not all(one.over for one in pairings[-1]):
        return ()
    newest = matches.matches(pairings[-1])
    rules = at.rules
    if rules.system == "double_elimination" and rules.draws_out:
        nobody = not in_play(at)
        drawn = [one for one in newest if _drawn(at, one)]
        return tuple(
            one
            for one in newest
            if matches.results(at.charter, at.stage, one) is None or (nobody and one in drawn)
        )
    if rules.system in ELIMINATIONS and rules.tie == ANOTHER:
        return tuple(one for one in newest if matches.goes_on(at, at.stage, one) is None)
    return tuple(one for one in newest if matches.results(at.charter, at.stage, one) is None)


def _drawn(at: Position, match: Match) -> bool:
    told = matches.results(at.charter, at.stage, match)
    return told is not None and "draw" in told


# --- out at the first loss ------------------------------------------------------------------------


def lines(at: Position) -> tuple[tuple[int, ...], ...]:
    """The brackets of a knock-out as far as they are played, each in its order, 0 where a line is
    empty: one, or with consolation as many as there are places to play for, the best first."""
    found: list[tuple[int, ...]] = [
        tuple(at.order[seed - 1] if seed else 0 for seed in bracket(len(at.order)))
    ]
    pairings = at.stage_pairings
    for index, rounds in enumerate(pairings):
        # What was decided when the next round was paired stands; a correction binds only later.
        after = pairings[index + 1][0].seq - 1 if index + 1 < len(pairings) else matches.NEWEST
        won: dict[int, bool] = {}
        for match in matches.matches(rounds):
            winner = matches.goes_on(at, at.stage, match, after)
            won.update({number: number == winner for number in match.entrants})
        split: list[tuple[int, ...]] = []
        for one in found:
            on: list[int] = []
            out: list[int] = []
            for first, second in zip(one[::2], one[1::2], strict=True):
                winner, loser = _winner(first, second, won)
                on.append(winner)
                out.append(loser)
            split += [tuple(on), tuple(out)] if at.rules.consolation else [tuple(on)]
        found = split
    return tuple(found)


def _winner(first: int, second: int, won: dict[int, bool]) -> tuple[int, int]:
    """Who of a pair of lines goes on, and who has lost."""
    if not first or not second or first not in won or second not in won:
        return first or second, second if first else 0
    if won[first] == won[second]:
        return 0, 0  # both have lost
    return (first, second) if won[first] else (second, first)


def pair_knockout(at: Position, lots: Lots) -> Paired:
    """The next round of a knock-out: the boards of the bracket, byes where a line is empty."""
    boards: list[tuple[tuple[int, ...], bool]] = []
    byes: list[tuple[int, str]] = []
    for bracketed in lines(at):
        for one, other in zip(bracketed[::2], bracketed[1::2], strict=True):
            if not one or not other:
                if one or other:
                    byes.append((one or other, "pairing_bye"))
                continue
            rank = at.order.index
            sitting = (one, other) if rank(one) < rank(other) else (other, one)
            boards.append(seated(at, sitting, lots, len(boards) + 1))
    return Paired(tuple(boards), tuple(byes))


def knockout_places(at: Position) -> tuple[int, ...]:
    """The places of a knock-out: as its brackets have ended; who is in none of them any more by
    how far they came."""
    ended = [one[0] for one in lines(at) if len(one) == 1 and one[0]]
    reached: dict[int, int] = {}
    for number, rounds in enumerate(at.stage_pairings):
        for board in rounds[0].boards:
            reached.update(dict.fromkeys(board.entrants, number))
    rest = [number for number in at.order if number not in ended]
    rest.sort(key=lambda number: (-reached.get(number, -1), at.order.index(number)))
    return (*ended, *rest)


# --- out at the second loss -----------------------------------------------------------------------


def _decided(at: Position) -> Crosstable:
    """The table, with a draw as a win and a loss where the charter says who goes on after it."""
    table = crosstable(at)
    if at.rules.draws_out:
        return table
    start = {number: place for place, number in enumerate(at.order, start=1)}
    rounds = []
    for lined, played in zip(table.rounds, at.stage_pairings, strict=False):
        changed = dict(lined)
        for match in matches.matches(played):
            winner = matches.goes_on(at, at.stage, match)
            for number in match.entrants:
                line = changed[start[number]]
                if winner and line.result == "draw":
                    won = number == winner
                    changed[start[number]] = replace(line, result="win" if won else "loss")
        rounds.append(changed)
    return replace(table, rounds=tuple(rounds))


def in_play(at: Position) -> tuple[int, ...]:
    """Who is left in a double elimination, by number of entry: has fewer than two losses, and has
    not withdrawn."""
    left = (at.order[number - 1] for number in still_in(_decided(at), at.rules.draws_out))
    return tuple(number for number in left if at.entrants[number].present)


def pair_double(at: Position, lots: Lots, matcher: Matcher) -> Paired | Refusal:
    """The next round of a double elimination: equal losses first, as system "record" pairs."""
    table, rules = _decided(at), at.rules
    here = frozenset(at.field_of(at.next_round))
    try:
        made = double_elimination(
            table,
            matcher,
            lots.of_pairs(f"pair:{at.next_round}"),
            sides=at.charter.sides.by == "balance",
            forbidden=apart(at),
            free_at=rules.free_at,
            draws_out=rules.draws_out,
            present=starting(at, (number for number in in_play(at) if number in here)),
        )
    except CannotPair as error:
        return blocked(at, error)
    boards = tuple(
        seated(at, (at.order[one - 1], at.order[other - 1]), lots, place, given=True)
        for place, (one, other) in enumerate(made.boards, start=1)
    )
    byes = () if made.bye is None else ((at.order[made.bye - 1], "pairing_bye"),)
    return Paired(boards, byes)


def double_places(at: Position, ranked: tuple[int, ...]) -> tuple[int, ...]:
    """The places of a double elimination: who is left, then by the round in which the second loss
    came, then by losses, then as `ranked`."""
    table, out = _decided(at), at.rules.draws_out
    left = in_play(at)
    went: dict[int, int] = {}
    for count in range(len(table.rounds) + 1):
        alive = still_in(replace(table, rounds=table.rounds[:count]), out)
        went.update({at.order[number - 1]: count for number in alive})
    start = {number: place for place, number in enumerate(at.order, start=1)}

    def key(number: int) -> tuple[bool, int, int, int]:
        had = losses(table, start[number], out)
        return number not in left, -went.get(number, 0), had, ranked.index(number)

    return tuple(sorted(at.order, key=key))
