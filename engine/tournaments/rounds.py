"""Acts about rounds: pairing, by hand too, publishing, and what follows the last round of a
stage."""

from collections.abc import Mapping
from typing import Final

from warledger.engine.tournaments.deeds import (
    Act,
    Deed,
    end,
    entries_of,
    open_to_all,
    plays_at,
    roles,
    some,
    text,
)
from warledger.engine.tournaments.entering import order_by
from warledger.engine.tournaments.fold import after
from warledger.engine.tournaments.systems import (
    byes_of_the_away,
    final_places,
    going_on,
    inputs,
    pair,
    rounds_left,
    system_of,
)
from warledger.engine.tournaments.tournamentposition import ELIMINATOR, FURTHER, Position
from warledger.protocol.board.choices import Choices, Picks, Refusal, refuse
from warledger.protocol.limits import CLAIM_CHARS_MAX


def _why_not_pair(at: Position, who: str) -> Refusal | None:
    last = at.last
    if last is not None and not last.published:
        return refuse(at.clause, "refusal.tournament.paired_already")
    if last is not None and not last.over:
        boards = tuple(board.number for board in last.boards if board.verdict is None)
        return refuse(
            "unfinished.by",
            "refusal.tournament.unfinished",
            round=last.number,
            boards=boards[:20],
            left=len(boards),
        )
    if not at.stage_rounds:
        here = sum(person.present for person in at.entrants.values())
        if here < max(2, at.charter.entry.least) and at.stage == 0:
            least = max(2, at.charter.entry.least)
            return refuse("entry.least", "refusal.tournament.few", least=least, here=here)
    elif rounds_left(at) == 0:
        return refuse(f"{at.clause}.rounds", "refusal.tournament.stage_over")
    return open_to_all(at, who)


def _nothing(at: Position, who: str, picks: Picks) -> Choices | Refusal:
    return end()


def _paired(deed: Deed) -> Refusal | None:
    at = deed.at
    if not at.order:
        deed.change("ordered", at.stage, at.rules.seeds, order_by(deed, at.rules.seeds))
        at = after(at, deed.events[-1], at.seq, at.at_ms)
    made = pair(at, deed.lots, deed.matcher)
    if isinstance(made, Refusal):
        return made
    number, system = at.next_round, system_of(at)
    if not made.boards:
        return refuse(f"{at.clause}.system", "refusal.tournament.cannot_pair_nobody", names=())
    free = {entrant for entrant, _ in made.byes}
    sitting = {entrant for numbers, _ in made.boards for entrant in numbers}
    away = tuple(
        bye
        for bye in byes_of_the_away(at, number)
        if system != FURTHER and bye[0] not in free and bye[0] not in sitting
    )
    deed.change("paired", number, at.stage, system, inputs(at), made.boards, (*made.byes, *away))
    return None


def _by_hand(at: Position, who: str) -> Refusal | None:
    last = at.last
    if last is None or last.published:
        return refuse(at.clause, "refusal.tournament.not_paired")
    return open_to_all(at, who)


def _why_not_swap(at: Position, who: str) -> Refusal | None:
    refused = _by_hand(at, who)
    if refused is None and at.last is not None and at.last.further:
        return refuse(at.clause, "refusal.tournament.further")
    return refused


def _is_own(at: Position, who: str) -> bool:
    """Whether a director has a place in the round that is not published yet: then its pairing is
    not theirs to change."""
    last = at.last
    assert last is not None
    placed = {number for board in last.boards for number in board.entrants}
    placed |= {number for number, _ in last.byes}
    return any(number in placed for number in entries_of(at, who))


def _why_not_unpair(at: Position, who: str) -> Refusal | None:
    refused = _by_hand(at, who)
    if refused is None and _is_own(at, who):
        return refuse(at.clause, "refusal.tournament.own_pairing")
    return refused


def _reason(at: Position, who: str, picks: Picks) -> Choices | Refusal:
    return end() if picks else text("reason", CLAIM_CHARS_MAX)


def _unpaired(deed: Deed) -> None:
    assert deed.at.last is not None
    deed.change("unpaired", deed.at.last.number, deed.picks[0])


def _swap(at: Position, who: str, picks: Picks) -> Choices | Refusal:
    assert at.last is not None
    if len(picks) < 2:
        twice = {number for number, kind in at.last.byes if kind == ELIMINATOR}
        named = [number for board in at.last.boards for number in board.entrants]
        named = [number for number in named if number not in twice]
        named += [number for number, kind in at.last.byes if kind == "pairing_bye"]
        named = [number for number in named if number not in _own_board(at, who)]
        if not named:
            return refuse(at.clause, "refusal.tournament.own_pairing")
        return some("entrant", (number for number in named if number not in picks))
    return text("reason", CLAIM_CHARS_MAX) if len(picks) == 2 else end()


def _own_board(at: Position, who: str) -> frozenset[int]:
    """Who sits at a director's own board of the newest round, and they themself."""
    assert at.last is not None
    boards = (one.entrants for one in at.last.boards if plays_at(at, who, one))
    return frozenset((*entries_of(at, who), *(number for board in boards for number in board)))


def _swapped(deed: Deed) -> None:
    last = deed.at.last
    assert last is not None
    one, other = int(deed.picks[0]), int(deed.picks[1])
    turned = {one: other, other: one}
    boards = tuple(
        (tuple(turned.get(number, number) for number in board.entrants), board.seated)
        for board in last.boards
    )
    byes = tuple((turned.get(number, number), kind) for number, kind in last.byes)
    deed.change("paired", last.number, last.stage, "hand", inputs(_before(deed.at)), boards, byes)
    deed.change("announced", deed.picks[2])


def _before(at: Position) -> Position:
    """The position as if the round that is not published yet had not been paired."""
    last = at.last
    if last is None or last.published:
        return at
    return after(at, ("unpaired", last.number, ""), at.seq, at.at_ms)


def _why_not_set(at: Position, who: str) -> Refusal | None:
    before = _before(at)
    if not before.order:
        return refuse(f"{at.clause}.seeds", "refusal.tournament.no_order")
    if at.rules.system == "heats" and at.rules.table != 2:
        return refuse(f"{at.clause}.table", "refusal.tournament.not_by_hand")
    if system_of(before) == FURTHER:
        return refuse(at.clause, "refusal.tournament.further")
    if any(number in before.field_of(before.next_round) for number in entries_of(at, who)):
        return refuse(at.clause, "refusal.tournament.own_pairing")
    return _why_not_pair(before, who)


def _set(at: Position, who: str, picks: Picks) -> Choices | Refusal:
    if not picks:
        return text("reason", CLAIM_CHARS_MAX)
    before = _before(at)
    left = [n for n in before.field_of(before.next_round) if n not in picks[1:]]
    # Everybody who plays has a place; of an odd number one is left over, and has the bye.
    if len(left) > 1 or (left and len(picks) % 2 == 0):
        return some("entrant", left)
    return end()


def _was_set(deed: Deed) -> None:
    before = _before(deed.at)
    number = before.next_round
    named = [int(pick) for pick in deed.picks[1:]]
    left = [n for n in before.field_of(number) if n not in named]
    balanced = before.charter.sides.by == "balance"
    boards = tuple(
        ((one, other), balanced) for one, other in zip(named[::2], named[1::2], strict=True)
    )
    byes = (*((n, "pairing_bye") for n in left), *byes_of_the_away(before, number))
    deed.change("paired", number, before.stage, "hand", inputs(before), boards, byes)
    deed.change("announced", deed.picks[0])


def _published(deed: Deed) -> None:
    last = deed.at.last
    assert last is not None
    deed.change("published", last.number)
    here = frozenset(deed.at.field_of(last.number))
    for board in last.boards:
        gone = [number for number in board.entrants if number not in here]
        if gone:
            # Those who play all, or on in a bracket, are paired with who is not there.
            results = tuple("loss" if number in gone else "win" for number in board.entrants)
            margins = (0,) * len(results)
            deed.change("result", last.number, board.number, "forfeit", results, margins, "")


def _stage_left(at: Position) -> Refusal | None:
    last = at.last
    if last is not None and not last.over:
        return refuse("unfinished.by", "refusal.tournament.round_on", round=last.number)
    left = rounds_left(at)
    if left > 0:
        return refuse(f"{at.clause}.rounds", "refusal.tournament.rounds_left", left=left)
    return None


def _why_not_advance(at: Position, who: str) -> Refusal | None:
    if at.stage + 1 >= len(at.charter.stages):
        return refuse("stage", "refusal.tournament.last_stage")
    return _stage_left(at) or open_to_all(at, who)


def _advanced(deed: Deed) -> Refusal | None:
    at = deed.at
    advance = at.rules.advance
    on = going_on(at, deed.lots)
    if len(on) < max(2, advance.least):
        return refuse(
            f"{at.clause}.advance.least",
            "refusal.tournament.few",
            least=max(2, advance.least),
            here=len(on),
        )
    deed.change("advanced", at.stage + 1, on)
    return None


def _why_not_finish(at: Position, who: str) -> Refusal | None:
    if at.stage + 1 < len(at.charter.stages):
        return refuse("stage", "refusal.tournament.stages_left")
    return open_to_all(at, who) or _stage_left(at)


def _finished(deed: Deed) -> None:
    deed.change("finished", final_places(deed.at, deed.lots))


ACTS: Final[Mapping[str, Act]] = {
    "pair": Act(roles("server", "d"), _why_not_pair, _nothing, _paired, moves=True),
    "set": Act(roles("d"), _why_not_set, _set, _was_set, moves=True),
    "swap": Act(roles("d"), _why_not_swap, _swap, _swapped, moves=True),
    "unpair": Act(roles("d"), _why_not_unpair, _reason, _unpaired, moves=True),
    "publish": Act(roles("server", "d"), _by_hand, _nothing, _published, moves=True),
    "advance": Act(roles("server", "d"), _why_not_advance, _nothing, _advanced, moves=True),
    "finish": Act(roles("server", "d"), _why_not_finish, _nothing, _finished, moves=True),
}
